-- Atomic functions that kernels in Lua can call. They are CUDA's where it has them for the dtype, else loops around its
-- compare-and-swap, which works on the bits of a value.
local core = require "dotcompute.core"
local number_text = require "dotcompute.number_text"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

-- Bits of 8 are swapped within the 32 around them. A value that stays as it is needs no write.
local swap_text = [[
template <int N> struct dc_bits_of;
template <> struct dc_bits_of<1> { typedef unsigned char type; };
template <> struct dc_bits_of<2> { typedef unsigned short type; };
template <> struct dc_bits_of<4> { typedef unsigned int type; };
template <> struct dc_bits_of<8> { typedef unsigned long long type; };
template <class To, class From> static __device__ __forceinline__ To dc_as(From v) {
  To result;
  memcpy(&result, &v, sizeof(To));
  return result;
}
template <class B> static __device__ __forceinline__ B dc_swap(B *p, B expected, B v) {
  return atomicCAS(p, expected, v);
}
static __device__ __forceinline__ unsigned char dc_swap(unsigned char *p, unsigned char expected, unsigned char v) {
  unsigned int *const word = (unsigned int *)((size_t)p & ~(size_t)3);
  const int shift = 8 * (int)((size_t)p & 3);
  unsigned int old = *(volatile unsigned int *)word;
  for (;;) {
    const unsigned char now = (unsigned char)(old >> shift);
    if (now != expected) return now;
    const unsigned int seen = atomicCAS(word, old, (old & ~(0xffu << shift)) | (unsigned int)v << shift);
    if (seen == old) return expected;
    old = seen;
  }
}
template <class T> static __device__ __forceinline__ T dc_compare_and_swap(T *p, T expected, T v) {
  typedef typename dc_bits_of<sizeof(T)>::type bits;
  return dc_as<T>(dc_swap((bits *)p, dc_as<bits>(expected), dc_as<bits>(v)));
}
template <class T, class F> static __device__ __forceinline__ T dc_update(T *p, F f) {
  typedef typename dc_bits_of<sizeof(T)>::type bits;
  bits old = *(volatile bits *)p;
  for (;;) {
    const T before = dc_as<T>(old);
    const bits now = dc_as<bits>((T)f(before));
    if (now == old) return before;
    const bits seen = dc_swap((bits *)p, old, now);
    if (seen == old) return before;
    old = seen;
  }
}
template <class T> static __device__ __forceinline__ T dc_load(T *p) {
  typedef typename dc_bits_of<sizeof(T)>::type bits;
  const bits v = *(volatile bits *)p;
  __threadfence();
  return dc_as<T>(v);
}
template <class T> static __device__ __forceinline__ void dc_store(T *p, T v) {
  typedef typename dc_bits_of<sizeof(T)>::type bits;
  __threadfence();
  *(volatile bits *)p = dc_as<bits>(v);
}
]]

local wide_integers = { int32 = true, uint32 = true, int64 = true, uint64 = true }

-- CUDA's function of the name for arguments of type t, or nil.
local native = {
  add = function(t) return (wide_integers[t.name] or types.is_floating(t)) and "atomicAdd" end,
  min = function(t) return wide_integers[t.name] and "atomicMin" end,
  max = function(t) return wide_integers[t.name] and "atomicMax" end,
  ["and"] = function(t) return wide_integers[t.name] and "atomicAnd" end,
  ["or"] = function(t) return wide_integers[t.name] and "atomicOr" end,
  xor = function(t) return wide_integers[t.name] and "atomicXor" end,
  exchange = function(t) return (wide_integers[t.name] or t.name == "float32") and "atomicExch" end,
  cas = function(t) return wide_integers[t.name] and "atomicCAS" end,
  inc = function(t) return t.name == "uint32" and "atomicInc" end,
  dec = function(t) return t.name == "uint32" and "atomicDec" end,
}
native.sub = native.add

-- The element that is written in place of element a, for a value v, as C: in the C type of t, but of 16-bit floats in
-- float. NaN is neither less nor greater than a number, and gives way to one.
local function replacement(name, t)
  local a, v = "a", "v"
  if t.kind == "f" and t.size == 2 then a, v = "(float)a", "(float)v" end
  if name == "add" or name == "sub" then
    local u = number_text.unsigned(t)
    return ("(%s)((%s)a %s (%s)v)"):format(t.ctype, u, name == "add" and "+" or "-", u)
  elseif name == "min" or name == "max" then
    local less = ("%s %s %s"):format(v, name == "min" and "<" or ">", a)
    if t.kind == "f" then less = ("%s || (%s != %s && %s == %s)"):format(less, a, a, v, v) end
    return ("%s ? v : a"):format(less)
  elseif name == "exchange" then
    return "v"
  elseif name == "inc" then
    return "a >= v ? (T)0 : (T)(a + 1)"
  elseif name == "dec" then
    return "a == 0 || a > v ? v : (T)(a - 1)"
  end
  return ("a %s v"):format(({ ["and"] = "&", ["or"] = "|", xor = "^" })[name])
end

-- Which kinds of dtypes (core.dtype's letters) the functions take, and how messages call them.
local integers, numbers, all = { "iu", "integers" }, { "iuf", "numbers" }, { "iufb", "numbers and booleans" }
local bits = { "iub", "integers and booleans" }
local takes = { add = numbers, sub = numbers, min = numbers, max = numbers, ["and"] = bits, ["or"] = bits, xor = bits,
  exchange = all, cas = all, inc = integers, dec = integers, load = all, store = all }

return function(builtins)
  local add, act, count, text = builtins.add, builtins.act, builtins.count, builtins.text

  -- The element of an array that an atomic function takes, (a, i) or (a, {i, j}), or the field or item of one,
  -- (a[i], "x") and (a[i].w, k); nil while it is not known.
  local function element(self, n, b, name)
    local a, i = n.args[1], n.args[2]
    local e = self:expr({ op = "index", object = a, key = i, at = a.at, last = i.last })
    if e.type == types.unknown then return nil end
    local is_part = e.op == "field" or e.op == "item"
    local root = self.root_of(e)
    if is_part and root.op ~= "element" then
      self:fail(a.at, "%s changes memory that threads share, and '%s' is no element of an array", b.name, self:shown(a))
    elseif not is_part and e.op ~= "element" then
      self:fail(i.at, "'%s' has %d axes: the index is {i, j, …}", self:shown(a), e.array.type.ndim)
    end
    local t = e.type
    if not takes[name][1]:find(t.kind or "?", 1, true) then
      self:fail(n.at, "%s takes arrays of %s; '%s' is of %s", b.name, takes[name][2], self:shown(a),
        t.composite and t.text or t.name)
    end
    local symbol = root.array.symbol
    if symbol and symbol.space == "local" then
      self:fail(a.at, "'%s' is an array of the thread: atomic functions take arrays in global and shared memory",
        self:shown(a))
    end
    if name ~= "load" then
      if not symbol then self:fail(a.at, "'%s' cannot be written", self:shown(a)) end
      self:write(symbol, a.at)
    end
    e.address = true
    return e
  end

  -- The values behind array and index, as the element's dtype; nil while a type is not known.
  local function values(self, n, e, first)
    local args = { e }
    for k = first, #n.args do
      local v = self:expr(n.args[k])
      if v.type == types.unknown then return nil end
      args[#args + 1] = self:stored(v, e.type, n.args[k])
    end
    return args
  end

  -- CUDA has the functions of 64 bits for unsigned integers alone, but for min and max.
  local function call(name, t)
    local fn = native[name](t)
    local v = name == "sub" and (types.is_floating(t) and t.size == 2 and ("(%s)-(float)$2"):format(t.ctype)
      or types.is_floating(t) and "-$2" or ("0 - (%s)$2"):format(number_text.unsigned(t))) or "$2"
    if name == "cas" then v = "$2, $3" end
    if t.name ~= "int64" or name == "min" or name == "max" then return ("%s($1, %s)"):format(fn, v) end
    v = v:gsub("%$%d+", "(unsigned long long)(%0)")
    return ("(long long)%s((unsigned long long *)$1, %s)"):format(fn, v)
  end

  local function update(name, t)
    if name == "cas" then return "dc_compare_and_swap($1, $2, $3)" end
    local c = replacement(name, t)
    return ("dc_update($1, [v = $2](%s a) { return (%s)(%s); })"):format(t.ctype, t.ctype, (c:gsub("%(T%)",
      ("(%s)"):format(t.ctype))))
  end

  for name in pairs(native) do
    add("dc.atomic_" .. name, function(self, n, b)
      count(self, n, b, name == "cas" and 4 or 3)
      local e = element(self, n, b, name)
      local args = e and values(self, n, e, 3)
      if not args then return text(n, types.unknown, "0") end
      local t = e.type
      if native[name](t) then return act(self, n, t, call(name, t), args) end
      builtins.need(self, "atomics", swap_text)
      return act(self, n, t, update(name, t), args)
    end)
  end

  add("dc.atomic_load", function(self, n, b)
    count(self, n, b, 2)
    local e = element(self, n, b, "load")
    if not e then return text(n, types.unknown, "0") end
    builtins.need(self, "atomics", swap_text)
    return act(self, n, e.type, "dc_load($1)", { e })
  end)

  add("dc.atomic_store", function(self, n, b)
    count(self, n, b, 3)
    local e = element(self, n, b, "store")
    local args = e and values(self, n, e, 3)
    if not args then return text(n, types.unknown, "0") end
    builtins.need(self, "atomics", swap_text)
    return act(self, n, types.unknown, "dc_store($1, $2)", args)
  end)
end
