-- Arguments are converted to the kernel's own parameters and checked against them.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails, f32 = h.note, h.fails, h.f32

local integer_types = {
  { "signed char", "int8" }, { "char", "int8" }, { "unsigned char", "uint8" }, { "short", "int16" },
  { "unsigned short", "uint16" }, { "int", "int32" }, { "unsigned", "uint32" }, { "long", "int64" },
  { "unsigned long", "uint64" }, { "long long", "int64" }, { "unsigned long long", "uint64" }, { "size_t", "uint64" },
}

local function echo(ctype)
  return dc.kernel(("__global__ void echo(char pad, %s v, %s *out) { *out = v; }"):format(ctype, ctype))
end

describe("an integer parameter", function()
  for _, T in ipairs(integer_types) do
    local ctype, dtype = T[1], T[2]
    it(("%s takes integers in range, floats with that value, booleans"):format(ctype), function()
      local k, out = echo(ctype), dc.zeros(1, dtype)
      local low, high = h.integers[dtype][1], h.integers[dtype][2]
      for _, v in ipairs { low, high, 0, 1, math.random(low, high), 3.0, true, false } do
        local want = v == true and 1 or v == false and 0 or math.tointeger(v)
        k(1, 1, 0, v, out)
        assert.equal(want, out[1], note(tostring(v)))
      end
      if dtype ~= "int64" then -- an integer is an uint64's 64 bits, a float is its value
        fails("argument", "parameter 2 'v'.*out of range", function()
          k(1, 1, 0, dtype == "uint64" and -1.0 or low - 1, out)
        end)
      end
      if dtype ~= "int64" and dtype ~= "uint64" then
        fails("argument", "'echo'.*parameter 2 'v'.*out of range", function() k(1, 1, 0, high + 1, out) end)
      end
      fails("argument", "2%.5 has no integer", function() k(1, 1, 0, 2.5, out) end)
      fails("argument", "integer", function() k(1, 1, 0, 0 / 0, out) end)
      fails("argument", "out of range", function() k(1, 1, 0, 1e30, out) end)
      fails("argument", "number expected, got the string '3'", function() k(1, 1, 0, "3", out) end)
      fails("argument", "got nil", function() k(1, 1, 0, nil, out) end)
      fails("argument", "got a table", function() k(1, 1, 0, {}, out) end)
      fails("argument", "array", function() k(1, 1, 0, out, out) end)
      fails("argument", "null", function() k(1, 1, 0, dc.null, out) end)
    end)
  end

  it("bool takes booleans, 0 and 1", function()
    local k, out = echo "bool", dc.zeros(1, "bool")
    for _, v in ipairs { true, false, 1, 0, 1.0 } do
      k(1, 1, 0, v, out)
      assert.equal(v == true or v == 1, out[1])
    end
    fails("argument", "boolean", function() k(1, 1, 0, 2, out) end)
    fails("argument", "boolean", function() k(1, 1, 0, "true", out) end)
  end)
end)

describe("a floating parameter", function()
  it("takes any number, rounded", function()
    local k, out = echo "float", dc.zeros(1)
    local d, dout = echo "double", dc.zeros(1, "float64")
    for _ = 1, 50 do
      local v = (math.random() - 0.5) * 2.0 ^ math.random(-100, 100)
      k(1, 1, 0, v, out)
      assert.equal(f32(v), out[1], note())
      d(1, 1, 0, v, dout)
      assert.equal(v, dout[1], note())
    end
    k(1, 1, 0, 16777217, out)
    assert.equal(16777216, out[1])
    d(1, 1, 0, math.maxinteger, dout)
    assert.equal(2.0 ^ 63, dout[1])
    k(1, 1, 0, 1 / 0, out)
    assert.equal(1 / 0, out[1])
    k(1, 1, 0, 0 / 0, out)
    assert.is_true(out[1] ~= out[1])
    fails("argument", "1e%+39 is too large for float32", function() k(1, 1, 0, 1e39, out) end)
    fails("argument", "number expected, got true", function() k(1, 1, 0, true, out) end)
    fails("argument", "'two'", function() k(1, 1, 0, "two", out) end)
  end)
end)

describe("a pointer parameter", function()
  local takes = {
    ["float *"] = { "float32" }, ["const double *"] = { "float64" }, ["int *"] = { "int32" },
    ["unsigned *"] = { "uint32" }, ["short *"] = { "int16" }, ["const unsigned short *"] = { "uint16" },
    ["long *"] = { "int64" }, ["long long *"] = { "int64" }, ["size_t *"] = { "uint64" },
    ["char *"] = { "int8", "uint8" }, ["const unsigned char *"] = { "int8", "uint8" },
    ["signed char *"] = { "int8", "uint8" }, ["bool *"] = { "bool" },
    ["float4 *"] = { "float32" }, ["int2 *"] = { "int32" }, ["double2 *"] = { "float64" }, ["uchar4 *"] = { "uint8" },
    ["void *"] = h.dtypes, ["const void *"] = h.dtypes,
  }
  for ctype, dtypes in pairs(takes) do
    it(ctype .. " takes arrays of " .. (#dtypes > 3 and "any dtype" or table.concat(dtypes, " or ")), function()
      local k = dc.kernel(("__global__ void f(int n, %sp) {}"):format(ctype))
      local good = {}
      for _, dtype in ipairs(dtypes) do good[dtype] = true end
      for _, dtype in ipairs(h.dtypes) do
        local a = dc.zeros(16, dtype)
        if good[dtype] then k(1, 1, 1, a)
        else fails("argument", "parameter 2 'p'.*" .. dtype, function() k(1, 1, 1, a) end) end
      end
      k(1, 1, 1, dc.null)
    end)
  end

  it("passes the address of the first element, null for dc.null", function()
    local k = dc.kernel [[
__global__ void addresses(const float *x, const float *y, unsigned long long *out) {
  out[0] = (unsigned long long)x;
  out[1] = (unsigned long long)y;
}]]
    local x, out = dc.zeros(10), dc.zeros(2, "uint64")
    k(1, 1, x[{ { 3, 7 } }], dc.null, out)
    assert.equal(x.ptr + 8, out[1])
    assert.equal(0, out[2])
  end)

  local k = dc.kernel [[__global__ void take(int n, const float *x, float *y) {}]]

  it("refuses nil, numbers, strings, tables and other userdata, and names what it takes", function()
    local x = dc.zeros(4)
    local function call(v) return function() k(1, 1, 4, v, x) end end
    fails("argument", "'take'.*parameter 2 'x' %(const float %*%).*got nil.*dc%.null.*take%(int n", call(nil))
    fails("argument", "got the string 'x'", call "x")
    fails("argument", "array expected, got a table", call { 1, 2 })
    fails("argument", "3 is no array", call(3))
    fails("argument", "2%.5 is no array", call(2.5))
    fails("argument", "true is no array", call(true))
    fails("argument", "FILE", call(io.stdout))
    fails("argument", "dotcompute.kernel", call(k))
    fails("argument", "float64", call(dc.zeros(4, "float64")))
  end)

  it("refuses closed arrays, strided views, and misaligned ones for vectors", function()
    local x = dc.zeros(8)
    local closed = dc.zeros(4)
    closed:close()
    fails("argument", "parameter 2 'x'.*closed", function() k(1, 1, 4, closed, x) end)
    fails("argument", "not contiguous.*copy", function() k(1, 1, 4, x, dc.zeros(4, 4).T) end)
    fails("argument", "not contiguous", function() k(1, 1, 4, x[{ { 1, 8, 2 } }], x) end)
    fails("argument", "not contiguous", function() k(1, 1, 4, x[{ { 8, 1, -1 } }], x) end)
    fails("argument", "not contiguous", function() k(1, 1, 4, dc.zeros(1):broadcast_to(4), x) end)
    k(1, 1, 4, dc.zeros(3, 4):row(2), dc.zeros(1, 4).T)
    local v = dc.kernel [[__global__ void vec(float4 *x) {}]]
    v(1, 1, x)
    v(1, 1, x[{ { 5, 8 } }])
    fails("argument", "16 bytes.*copy", function() v(1, 1, x[{ { 2, 5 } }]) end)
    fails("argument", "groups of 4", function() v(1, 1, x[{ { 1, 6 } }]) end)
    v(1, 1, x[{ { 2, 5 } }]:copy())
  end)

  it("refuses arrays of another device", function()
    local other = h.other_device()
    if not other then return end
    local y = dc.using(other, dc.zeros, 4)
    fails("argument", "device " .. tostring(other), function() k(1, 1, 4, y, dc.zeros(4)) end)
  end)

  it("evaluates pending expressions that are passed or that read the memory written", function()
    local add = dc.kernel [[
__global__ void add(int n, const float *x, float *y) {
  int i = threadIdx.x;
  if (i < n) y[i] += x[i];
}]]
    local x, y = dc.arange(1, 4), dc.ones(4)
    local before = y * 10
    add(1, 32, 4, x + y, y)
    assert.same({ 3, 4, 5, 6 }, y:to_table())
    assert.same({ 10, 10, 10, 10 }, before:to_table())
    local e = x * 2
    add(1, 32, 4, x, e) -- an expression written to
    assert.same({ 3, 6, 9, 12 }, e:to_table())
    assert.same({ 1, 2, 3, 4 }, x:to_table())
  end)

  it("evaluates pending expressions that read memory whose address is passed as an integer", function()
    local poke = dc.kernel [[__global__ void poke(unsigned long long p) { *(float *)p = 100; }]]
    local x = dc.ones(3)
    local e = x + 1
    poke(1, 1, x.ptr)
    assert.equal(100, x[1])
    assert.equal(2, e[1])
  end)

  it("to a struct takes arrays of bytes, whole structs", function()
    local s = dc.kernel [[
struct Body { float x; int n; };
__global__ void bodies(int n, Body *b) { if (threadIdx.x < n) b[threadIdx.x].n *= 2; }]]
    local bytes = string.pack("<fi4fi4", 1, 21, 2, 4)
    local a = dc.from_bytes(bytes, #bytes, "uint8")
    s(1, 32, 2, a)
    assert.equal(string.pack("<fi4fi4", 1, 42, 2, 8), a:bytes())
    fails("argument", "uint8", function() s(1, 1, 1, dc.zeros(4)) end)
  end)

  it("to a struct takes arrays of structs, also in a struct", function()
    local count = math.random(2, 40)
    local S = dc.struct("Body", { { "x", "float32", math.random(1, 3) }, { "n", "int64" } })
    local m = dc.module(S:source() .. [[
struct Bodies { int n; Body *b; };
__global__ void twice(int n, Body *b) { if (threadIdx.x < n) b[threadIdx.x].n *= 2; }
__global__ void thrice(Bodies s) { if (threadIdx.x < s.n) s.b[threadIdx.x].n *= 3; }
__global__ void clear(unsigned char *b, void *) { b[threadIdx.x] = 0; }]])
    local a, numbers = S:array(count), {}
    for i = 1, count do
      numbers[i] = math.random(-1000, 1000)
      local v = S()
      v.n = numbers[i]
      a[i] = v
    end
    local first = a.bytes[{ 1, S:offset "n" + 1 }]
    local pending = a.bytes + 0
    m.twice(1, 64, count, a)
    assert.equal(first, pending[{ 1, S:offset "n" + 1 }])
    local again = a.bytes + 0
    m.thrice(1, 64, { n = count, b = a })
    assert.equal(a[1].n, numbers[1] * 6)
    assert.equal(S:view(again)[count].n, numbers[count] * 2)
    for i = 1, count do assert.equal(numbers[i] * 6, a[i].n) end
    m.clear(1, count * S.size, a, a)
    for i = 1, count do assert.equal(0, a[i].n) end

    local other = dc.struct("Other", { { "x", "float64", 7 } })
    fails("argument", ("it takes structs of %d bytes, and those of the array have 56"):format(S.size), function()
      m.twice(1, 64, 2, other:array(S.size))
    end)
    fails("argument", "field 'b': it takes structs of", function() m.thrice(1, 64, { n = 1, b = other:array(2) }) end)
    fails("argument", "it takes a float32 array, not one of Body", function()
      dc.kernel "__global__ void k(float *x) {}"(1, 1, a)
    end)
    a:close()
    fails("argument", "the array is closed", function() m.twice(1, 64, count, a) end)
    fails("argument", "an array expected, got a table", function() m.twice(1, 64, count, setmetatable({}, {})) end)
  end)

  it("to CUDA's vectors takes arrays of them, also in a struct, and no other vectors", function()
    local text, all = {}, {}
    for base, dtype in pairs { char = "int8", uchar = "uint8", short = "int16", ushort = "uint16", int = "int32",
      uint = "uint32", longlong = "int64", ulonglong = "uint64", float = "float32", double = "float64" } do
      for lanes = 2, 4 do
        local name = base .. lanes
        all[#all + 1] = { name = name, dtype = dtype, lanes = lanes }
        text[#text + 1] = ("struct S_%s { int n; %s *v; };"):format(name, name)
        text[#text + 1] = ("__global__ void %s_add(%s *v, int n) { if (threadIdx.x < n) { v[threadIdx.x].x += 3; "
          .. "v[threadIdx.x].%s += threadIdx.x; } }"):format(name, name, ("xyzw"):sub(lanes, lanes))
        text[#text + 1] = ("__global__ void %s_in(S_%s s) { if (threadIdx.x < s.n) s.v[threadIdx.x].y += 5; }")
          :format(name, name)
      end
    end
    text[#text + 1] = "__global__ void longs(const long2 *v, long2 *to) { to[0] = v[0]; }"
    local m = dc.module(table.concat(text, "\n"))
    for number, one in ipairs(all) do
      local V, count = dc.vector(one.name), math.random(2, 40)
      local a, want = V:array(count), {}
      for i = 1, count do
        local list = {}
        for lane = 1, one.lanes do list[lane] = math.random(0, 20) end
        a[i] = V(table.unpack(list))
        list[1], list[one.lanes] = list[1] + 3, list[one.lanes] + i - 1
        list[2] = list[2] + 5
        want[i] = list
      end
      local pending = a.bytes + 0
      m[one.name .. "_add"](1, 64, a, count)
      m[one.name .. "_in"](1, 64, { n = count, v = a })
      m[one.name .. "_in"](1, 64, { n = 0, v = V:view(pending) })
      m[one.name .. "_in"](1, 64, { n = 0, v = V:view(a.bytes + 0) })
      for i = 1, count do
        for lane = 1, one.lanes do assert.equal(want[i][lane], a[i][("xyzw"):sub(lane, lane)], note(one.name)) end
      end
      local other = all[number % #all + 1]
      fails("argument", ("%%(%s %%*%%): it takes an? %s array, or one of vectors of %d %s numbers, not one of %s;")
        :format(one.name, one.dtype, one.lanes, one.dtype, other.name), function()
        m[one.name .. "_add"](1, 64, dc.vector(other.name):array(2), 2)
      end)
      fails("argument", "field 'v': it takes an? .* array, or one of vectors .*, not one of " .. other.name, function()
        m[one.name .. "_in"](1, 64, { n = 1, v = dc.vector(other.name):array(2) })
      end)
      if one.dtype ~= "uint8" then
        fails("argument", "not an? uint8 one", function() m[one.name .. "_add"](1, 64, a.bytes, 1) end)
      end
    end
    local v = dc.vector "longlong2":array(1)
    v[1] = dc.vector "longlong2"(math.mininteger, 7)
    local to = dc.vector "longlong2":array(1)
    m.longs(1, 1, v, to)
    assert.equal(v[1], to[1])
    local float4 = dc.struct("float4x", { { "x", "float32", 4 } }) -- of the same bytes
    fails("argument", "not one of float4x", function() m.float4_add(1, 1, float4:array(1), 1) end)
    fails("argument", "it takes a float32 array, not one of float2", function()
      dc.kernel "__global__ void k(float *x) {}"(1, 1, dc.vector "float2":array(1))
    end)
    v:close()
    fails("argument", "the array is closed", function() m.longs(1, 1, v, to) end)
  end)
end)

describe("the number of arguments", function()
  it("must be the number of parameters", function()
    local k = dc.kernel [[__global__ void three(int a, float b, int *c) {}]]
    local c = dc.zeros(1, "int32")
    fails("argument", "'three'.*3 arguments expected.*got 2.*three%(int a, float b", function() k(1, 1, 1, 2) end)
    fails("argument", "got 4", function() k(1, 1, 1, 2, c, c) end)
    fails("argument", "got 0", function() k(1, 1) end)
    local none = dc.kernel "__global__ void none() {}"
    none(1, 1)
    fails("argument", "0 arguments expected.*got 1", function() none(1, 1, c) end)
    fails("argument", "0 arguments expected.*got 2", function() none:forall(1, 1, 2) end)
  end)

  it("may be large", function()
    local n = 100
    local params, sum, args, want = {}, {}, {}, 0
    for i = 1, n do
      local v = math.random(-1000, 1000)
      params[i] = (i % 3 == 0 and "short" or i % 3 == 1 and "double" or "int") .. " a" .. i
      sum[i], args[i] = "a" .. i, v
      want = want + v
    end
    local k = dc.kernel(("__global__ void many(%s, double *out) { *out = %s; }"):format(table.concat(params, ", "),
      table.concat(sum, " + ")))
    local out = dc.zeros(1, "float64")
    args[n + 1] = out
    k(1, 1, table.unpack(args))
    assert.equal(want, out[1], note())
  end)
end)
