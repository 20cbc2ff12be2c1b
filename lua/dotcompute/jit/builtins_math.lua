-- Functions of CUDA's math library that kernels in Lua can call, beyond those that arrays have: several results, bits
-- of integers, rounding modes, fast forms; and those of arrays that are no function of CUDA's library.
local core = require "dotcompute.core"
local number_text = require "dotcompute.number_text"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local int32, uint32, float32 = types.dtype "int32", types.dtype "uint32", types.dtype "float32"

return function(builtins)
  local add, count, text, numbers, as_float = builtins.add, builtins.count, builtins.text, builtins.numbers,
    builtins.as_float

  local function unknown(n) return text(n, types.unknown, "0") end

  -- The floating type in which a function is computed of a value of this type.
  local function floating(t) return types.floating({ t }, t, 8) end

  -- Whether one of the nodes has no known type yet.
  local function any_unknown(list)
    for _, e in ipairs(list) do
      if e.type == types.unknown then return true end
    end
    return false
  end

  -- Integer arguments in the type that they meet in; nil where one is not known yet.
  local function integers(self, n, b, most)
    count(self, n, b, most)
    local args = {}
    for k, node in ipairs(n.args) do args[k] = self:integer(node, b.name) end
    return not any_unknown(args) and builtins.met(self, args) and args or nil
  end

  -- --- functions of arrays -----------------------------------------------------------------------------------------

  for _, name in ipairs { "jn", "yn" } do
    add("dc." .. name, function(self, n, b) return builtins.by_kind.exponent(self, n, b, { name = name }) end)
  end

  -- To an integer: Lua's own.
  for _, name in ipairs { "ilogb", "llrint", "llround" } do
    add("dc." .. name, function(self, n, b)
      local e = numbers(self, n, b, 1)[1]
      if e.type == types.unknown then return unknown(n) end
      local t = floating(e.type)
      return text(n, types.integer, ("(long long)%s(%s)"):format(name, as_float(t, "$1")), { self:convert(e, t) })
    end)
  end

  add("dc.square", function(self, n, b)
    local e = numbers(self, n, b, 1)[1]
    local once = { op = "once", type = e.type, a = e, at = n.at }
    return self:arith({ a = n.args[1], b = n.args[1], at = n.at }, "*", once, once)
  end)

  add("dc.reciprocal", function(self, n, b)
    local e = numbers(self, n, b, 1)[1]
    if e.type == types.unknown then return unknown(n) end
    local t = floating(e.type)
    return text(n, t, ("(%s)(1 / %s)"):format(t.ctype, as_float(t, "$1")), { self:convert(e, t) })
  end)

  -- -1, 0 or 1; NaN of NaN.
  add("dc.sign", function(self, n, b)
    local e = numbers(self, n, b, 1)[1]
    local t = e.type
    if t == types.unknown then return unknown(n) end
    local c = ("(%s)(($1 > (%s)0) - ($1 < (%s)0))"):format(t.ctype, t.ctype, t.ctype)
    if types.is_floating(t) then
      local x = as_float(t, "$1")
      c = ("(%s != %s ? $1 : (%s)((%s > 0) - (%s < 0)))"):format(x, x, t.ctype, x, x)
    end
    return text(n, t, c, { e }, { twice = true })
  end)

  -- --- several results ---------------------------------------------------------------------------------------------

  -- A builtin with two results of one number: texts of the results; "T" stands for the C type.
  local function pair(name, first, second, second_type)
    add(name, function(self, n, b)
      local e = numbers(self, n, b, 1)[1]
      if e.type == types.unknown then return { op = "values", unknown(n), unknown(n) } end
      local t = floating(e.type)
      local once = { op = "once", type = t, a = self:convert(e, t), at = n.at }
      local function result(c, as)
        return text(n, as, (c:gsub("%$1", as_float(t, "$1")):gsub("T", t.ctype)), { once })
      end
      return { op = "values", result(first, t), result(second, second_type or t) }
    end)
  end

  pair("dc.sincos", "(T)sin($1)", "(T)cos($1)")
  pair("dc.sincospi", "(T)sinpi($1)", "(T)cospi($1)")
  pair("math.modf", "(T)trunc($1)", "(T)(isinf($1) ? 0 : copysign($1 - trunc($1), $1))")

  local function with_text(name, c)
    local b = builtins.by_name[name]
    local check = b.check
    b.check = function(self, ...)
      builtins.need(self, name, c)
      return check(self, ...)
    end
  end

  pair("dc.frexp", "(T)dc_fraction($1)", "(long long)dc_exponent($1)", types.integer)
  with_text("dc.frexp", [[
static __device__ __forceinline__ float dc_fraction(float x) { int e; return frexpf(x, &e); }
static __device__ __forceinline__ double dc_fraction(double x) { int e; return frexp(x, &e); }
static __device__ __forceinline__ int dc_exponent(float x) { int e; frexpf(x, &e); return isfinite(x) ? e : 0; }
static __device__ __forceinline__ int dc_exponent(double x) { int e; frexp(x, &e); return isfinite(x) ? e : 0; }
]])

  add("dc.remquo", function(self, n, b)
    local args = numbers(self, n, b, 2)
    if any_unknown(args) then return { op = "values", unknown(n), unknown(n) } end
    local e = builtins.call_floating(self, n, "dc_remquo", args)
    local t = e.type
    for k, arg in ipairs(e.args) do e.args[k] = { op = "once", type = t, a = arg, at = n.at } end
    builtins.need(self, b.name, [[
static __device__ __forceinline__ float dc_remquo(float x, float y) { int q; return remquof(x, y, &q); }
static __device__ __forceinline__ double dc_remquo(double x, double y) { int q; return remquo(x, y, &q); }
static __device__ __forceinline__ int dc_quotient(float x, float y) { int q; remquof(x, y, &q); return q; }
static __device__ __forceinline__ int dc_quotient(double x, double y) { int q; remquo(x, y, &q); return q; }
]])
    return { op = "values", e, text(n, types.integer, ("(long long)dc_quotient(%s, %s)"):format(as_float(t, "$1"),
      as_float(t, "$2")), e.args) }
  end)

  -- --- bits of integers --------------------------------------------------------------------------------------------

  -- Counts of an integer's own bits; of 8 and 16 by way of 32.
  local function bit_count(name, c)
    add("dc." .. name, function(self, n, b)
      local args = integers(self, n, b, 1)
      if not args then return unknown(n) end
      local t = args[1].type
      local wide = t.size == 8 and "ll" or ""
      local place = t.size == 8 and "$1" or ("(int)(%s)$1"):format(number_text.unsigned_same(t))
      local bits = 32 - 8 * math.min(t.size, 4)
      return text(n, types.integer, ("(long long)(%s)"):format(c(wide, place, bits)), args,
        { range = { 0, 64 } })
    end)
  end
  bit_count("clz", function(wide, x, bits) return ("__clz%s(%s) - %d"):format(wide, x, bits) end)
  bit_count("popc", function(wide, x) return ("__popc%s(%s)"):format(wide, x) end)
  bit_count("ffs", function(wide, x) return ("__ffs%s(%s)"):format(wide, x) end)

  add("dc.brev", function(self, n, b)
    local args = integers(self, n, b, 1)
    if not args then return unknown(n) end
    local t = args[1].type
    local c = t.size == 8 and "__brevll((unsigned long long)$1)" or ("__brev((unsigned int)$1) >> %d"):format(32 - 8 *
      t.size)
    return text(n, t, ("(%s)(%s)"):format(t.ctype, c), args)
  end)

  -- The upper half of the product's bits.
  add("dc.mulhi", function(self, n, b)
    local args = integers(self, n, b, 2)
    if not args then return unknown(n) end
    local t = args[1].type
    local u = t.kind == "u" and "u" or ""
    local c = t.size == 8 and ("__%smul64hi($1, $2)"):format(u) or t.size == 4 and ("__%smulhi($1, $2)"):format(u)
      or ("((int)$1 * (int)$2) >> %d"):format(8 * t.size)
    return text(n, t, ("(%s)(%s)"):format(t.ctype, c), args)
  end)

  -- Functions of 32-bit integers: their name for int32 and uint32, arguments, and whether the last is unsigned.
  local function of_words(name, signed, unsigned, most, last_unsigned)
    add("dc." .. name, function(self, n, b)
      count(self, n, b, most)
      local args, t = {}, not signed and uint32 or int32
      for k, node in ipairs(n.args) do
        args[k] = self:integer(node, b.name)
        if args[k].type == types.unknown then return unknown(n) end
        if signed and args[k].type == uint32 and not (last_unsigned and k == most) then t = uint32 end
      end
      for k, e in ipairs(args) do
        if e.type.size > 4 and not e.type.weak then
          self:fail(n.args[k].at, "%s takes integers of 32 bits, but '%s' is %s", b.name, self:shown(n.args[k]),
            self:why(e))
        end
        args[k] = { op = "convert", type = last_unsigned and k == most and uint32 or t, a = e, at = e.at, n = e.n }
      end
      local places = {}
      for k = 1, most do places[k] = "$" .. k end
      return text(n, t, ("(%s)%s(%s)"):format(t.ctype, t == int32 and signed or unsigned, table.concat(places, ", ")),
        args)
    end)
  end
  of_words("mul24", "__mul24", "__umul24", 2)
  of_words("hadd", "__hadd", "__uhadd", 2)
  of_words("rhadd", "__rhadd", "__urhadd", 2)
  of_words("sad", "__sad", "__usad", 3, true)
  of_words("dp4a", "__dp4a", "__dp4a", 3)
  of_words("byte_perm", nil, "__byte_perm", 3)
  of_words("funnelshift_l", nil, "__funnelshift_l", 3)
  of_words("funnelshift_r", nil, "__funnelshift_r", 3)

  -- The bits of a value as one of another dtype of the same size.
  local to_bits = { float32 = "__float_as_uint($1)", float = "(unsigned long long)__double_as_longlong($1)",
    float64 = "(unsigned long long)__double_as_longlong($1)", float16 = "__half_as_ushort($1)",
    bfloat16 = "__bfloat16_as_ushort($1)" }
  local from_bits = { float32 = "__uint_as_float((unsigned int)(%s))",
    float64 = "__longlong_as_double((long long)(%s))",
    float16 = "__ushort_as_half((unsigned short)(%s))", bfloat16 = "__ushort_as_bfloat16((unsigned short)(%s))" }

  add("dc.bitcast", function(self, n, b)
    count(self, n, b, 2)
    local e, to = self:number(n.args[1], b.name), builtins.dtype_argument(self, n.args[2], b)
    local from = e.type
    if from == types.unknown then return unknown(n) end
    if to.kind == "b" or to.size ~= from.size then
      self:fail(n.at, "%s: '%s' is %s of %d bits, and %s has %d", b.name, self:shown(n.args[1]), self:why(e),
        8 * from.size, to.name, 8 * to.size)
    end
    local bits = to_bits[from.name] or "$1"
    return text(n, to, from_bits[to.name] and from_bits[to.name]:format(bits) or ("(%s)%s"):format(to.ctype, bits),
      { e })
  end)

  -- --- rounding modes, fast forms ----------------------------------------------------------------------------------

  -- dc.add_ru(a, b) …: operators that round to nearest (rn), toward zero (rz), up (ru), down (rd).
  for name, operands in pairs { add = 2, sub = 2, mul = 2, div = 2, fma = 3, rcp = 1, sqrt = 1 } do
    for _, mode in ipairs { "rn", "rz", "ru", "rd" } do
      add(("dc.%s_%s"):format(name, mode), function(self, n, b)
        local args = numbers(self, n, b, operands)
        if any_unknown(args) then return unknown(n) end
        local e = builtins.call_floating(self, n, "", args)
        local single = name == "fma" and "__fmaf_" or "__f" .. name .. "_"
        local double = name == "fma" and "__fma_" or "__d" .. name .. "_"
        e.text = e.text:gsub("%)%(", (")%s%s("):format(e.type.size == 8 and double or single, mode), 1)
        return e
      end)
    end
  end

  -- CUDA's intrinsics of float32, less accurate and faster.
  local fast = { sin = "__sinf", cos = "__cosf", tan = "__tanf", exp = "__expf", exp10 = "__exp10f", log = "__logf",
    log2 = "__log2f", log10 = "__log10f", pow = "__powf", divide = "__fdividef", saturate = "__saturatef" }
  for name, c in pairs(fast) do
    add("dc." .. (name == "saturate" and name or "fast_" .. name), function(self, n, b)
      local args = numbers(self, n, b, (name == "pow" or name == "divide") and 2 or 1)
      if any_unknown(args) then return unknown(n) end
      local result, places = float32, {}
      for k, e in ipairs(args) do
        local t = e.type
        if t.size == 8 and e.op ~= "const" then
          self:fail(n.args[k].at, "%s takes float32 and smaller numbers, but '%s' is %s: write dc.float32(x)", b.name,
            self:shown(n.args[k]), self:why(e))
        end
        if types.is_floating(t) and t.size == 2 and #args == 1 then result = t end
        args[k] = { op = "convert", type = float32, a = e, at = e.at, n = e.n }
        places[k] = "$" .. k
      end
      return text(n, result, ("(%s)%s(%s)"):format(result.ctype, c, table.concat(places, ", ")), args)
    end)
  end
end
