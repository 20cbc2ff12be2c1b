-- Elements of uint64 above 2^63 - 1 were read as negative integers, which could not be written: b[1] = a[1] raised. Now
-- a Lua integer is the 64 bits of a uint64 in both directions, as for math.ult, "%x" and string.pack "J".
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

-- Some of each size, and the ends.
local function values(n)
  local list = { 0, 1, math.maxinteger, math.mininteger, -2, -1 }
  for i = #list + 1, n do list[i] = math.random(0) >> math.random(0, 63) end
  for i = n, 2, -1 do
    local k = math.random(i)
    list[i], list[k] = list[k], list[i]
  end
  return list
end

local function decimal(v)
  if v >= 0 then return tostring(v) end
  local tens = (v >> 1) // 5
  return tens .. tostring(v - 10 * tens)
end

local function array(list)
  return dc.from_bytes(string.pack(("<i8"):rep(#list), table.unpack(list)), #list, "uint64")
end

describe("a uint64", function()
  it("that was read can be given to every function that makes or fills arrays", function()
    local list = values(20)
    local a = array(list)
    assert.same(list, a:to_table())
    assert.is_true(dc.equal(a, dc.array(list, "uint64")))
    assert.is_true(dc.equal(a, list))
    assert.is_true(dc.allclose(a, list))
    for i, v in ipairs(list) do
      local b = dc.zeros(3, "uint64")
      b[2] = a[i]
      assert.equal(v, b[2])
      b[{ { 2, 3 } }] = v
      b[dc.array { true, false, false }] = v
      assert.same({ v, v, v }, b:to_table())
      b[":"] = 0
      b[dc.array({ 1, 3 }, "int32")] = v
      assert.same({ v, 0, v }, b:to_table())
      b[":"] = { v, v, v }
      assert.same({ v, v, v }, b:fill(0):fill(v):to_table())
      assert.equal(v, dc.full(2, v, "uint64")[2])
      assert.equal(v, dc.full_like(a, v)[5])
      assert.equal(v, dc.array(v, "uint64"):item())
      assert.same({ v, 1, v }, dc.ones(1, "uint64"):pad(1, { value = v }):to_table())
      assert.equal(v, dc.where(dc.array { true, false }, v, dc.ones(2, "uint64"))[1])
      assert.equal(v, dc.where(dc.array { false, true }, dc.ones(2, "uint64"), v)[1])
    end
  end)

  it("array takes floats by their exact value", function()
    for _, f in ipairs { 0.0, 5.0, 2.0 ^ 53, 2.0 ^ 63, 1.8446744073709549568e19 } do
      local v = f < 2.0 ^ 63 and math.tointeger(f) or math.tointeger(f - 2.0 ^ 63) + math.mininteger
      assert.equal(v, dc.array({ f }, "uint64")[1])
      assert.equal(v, dc.full(1, f, "uint64"):item())
      local a = dc.zeros(1, "uint64")
      a[1] = f
      assert.equal(v, a[1])
    end
    for _, f in ipairs { -1.0, -2.0 ^ 63, 2.0 ^ 64, 1 / 0 } do
      fails("dtype", ".", function() dc.array({ f }, "uint64") end)
      fails("dtype", ".", function() dc.zeros(1, "uint64")[1] = f end)
    end
    fails("dtype", "0%.5 has no integer", function() dc.array({ 0.5 }, "uint64") end)
    fails("dtype", "%-1 is out of range for uint32", function() dc.array({ -1 }, "uint32") end)
    assert.equal(0, dc.array({ -0.0 }, "uint64")[1])
  end)

  it("is compared with a number that was read", function()
    local list = values(12)
    local a = array(list)
    local signs = {
      eq = function(x, y) return x == y end, ne = function(x, y) return x ~= y end, lt = math.ult,
      le = function(x, y) return not math.ult(y, x) end, gt = function(x, y) return math.ult(y, x) end,
      ge = function(x, y) return not math.ult(x, y) end,
    }
    for name, test in pairs(signs) do
      for _, v in ipairs(list) do
        local want, turned = {}, {}
        for i, x in ipairs(list) do want[i], turned[i] = test(x, v), test(v, x) end
        assert.same(want, dc[name](a, v):to_table())
        assert.same(turned, dc[name](v, a):to_table())
        assert.same(want, dc.vectorize(function(x) return x[name](x, v) end)(a):to_table())
      end
    end
    for i, x in ipairs(list) do
      local one = a:slice { i, i }
      for k, y in ipairs(list) do
        local other = a:slice { k, k }
        assert.equal(math.ult(x, y), one < other)
        assert.equal(math.ult(x, y), one < y)
        assert.equal(math.ult(x, y), x < other)
        assert.equal(not math.ult(y, x), one <= other)
        assert.equal(not math.ult(y, x), one <= y)
      end
    end
    local most = array { -1 }
    assert.is_true(most < 2.0 ^ 64)
    assert.is_false(most < 1.8446744073709549568e19)
    assert.is_true(array { 5 } < 5.5)
    assert.is_false(array { 5 } <= 4.5)
    assert.is_true(-0.5 < array { 0 })
    assert.is_false(most < 0 / 0 or 0 / 0 <= most)
    assert.is_true(dc.array({ -1 }, "int64") < array { 0 })
    assert.is_false(array { 0 } <= dc.array({ -1 }, "int64"))
  end)

  it("is computed with a number that was read", function()
    local list = values(12)
    local a = array(list)
    local function float(x) return x >= 0 and x + 0.0 or (x >> 1 | x & 1) * 2.0 end
    for _, v in ipairs(list) do
      local want = {}
      local function check(fn, got)
        for i, x in ipairs(list) do want[i] = fn(x, v) end
        assert.same(want, got:to_table(), h.note())
      end
      check(function(x, y) return x + y end, a + v)
      check(function(x, y) return y - x end, v - a)
      check(function(x, y) return x * y end, a * v)
      check(function(x, y) return x & y end, a & v)
      check(function(x, y) return math.ult(x, y) and x or y end, dc.minimum(a, v))
      check(function(x, y) return math.ult(x, y) and y or x end, dc.maximum(v, a))
      if v ~= 0 then
        check(function(x, y) return float(x) / float(y) end, a / v)
        check(function(x, y) return float(x) / float(y) end, dc.vectorize(function(x) return x / v end)(a))
      end
      check(function(x, y) return x + y end, dc.vectorize(function(x, y) return x + y end)(a, v))
    end
    assert.equal(-1, array({ -1, 5 }):max():item())
    assert.near(0.2, (array { 5 } ^ -1)[1], 1e-16) -- the exponent of ^ keeps its sign
    assert.near(0.2, dc.vectorize(function(x) return x ^ -1 end)(array { 5 })[1], 1e-16)
  end)

  it("is ordered and counted by its value", function()
    local list = values(200)
    local a = array(list)
    local sorted = table.move(list, 1, #list, 1, {})
    table.sort(sorted, math.ult)
    assert.same(sorted, a:sort():to_table())
    assert.equal(sorted[1], a:min():item())
    assert.equal(sorted[#sorted], a:max():item())
    assert.equal(sorted[#sorted], a[a:argmax():item()])
    assert.equal(sorted[#sorted], a:topk(1)[1])
    local different = a:unique()
    for i, v in ipairs(different:to_table()) do
      assert.equal(i, different:searchsorted(v):item())
      assert.equal(i + 1, different:searchsorted({ v }, "right")[1])
    end
    local sum = 0
    for _, v in ipairs(list) do sum = sum + v end
    assert.equal(sum, a:sum():item())
    assert.same({ -3, -2, -1 }, dc.arange(-3, -1, "uint64"):to_table())
    assert.same({ math.maxinteger, math.mininteger }, dc.arange(math.maxinteger, math.mininteger, "uint64"):to_table())
    assert.same({ -1, -3, -5 }, dc.arange(-1, -5, -2, "uint64"):to_table())
    assert.equal(0, #dc.arange(-1, 5, "uint64"))
    fails("dtype", "%-3 is out of range for uint64", function() dc.arange(-3.0, 2.0, "uint64") end)
  end)

  it("is passed to kernels, in structs and vectors too", function()
    local k = dc.kernel [[
    struct S { unsigned long long a; ulonglong2 b; size_t c[2]; };
    __global__ void k(unsigned long long v, const S s, unsigned long long *out) {
      out[0] = v; out[1] = s.a; out[2] = s.b.y; out[3] = s.c[1];
    }]]
    local out = dc.zeros(4, "uint64")
    for _, v in ipairs(values(10)) do
      k(1, 1, v, { a = v, b = { 0, v }, c = { 0, v } }, out)
      assert.same({ v, v, v, v }, out:to_table())
    end
    local s = { a = 1, b = { 1, 1 }, c = { 1, 1 } }
    k(1, 1, 1.8446744073709549568e19, s, out)
    assert.equal(-2048, out[1])
    for _, f in ipairs { -1.0, 2.0 ^ 64 } do
      fails("argument", "out of range for uint64", function() k(1, 1, f, s, out) end)
    end
    s.a = -1.0
    fails("argument", "field 'a'.*out of range", function() k(1, 1, 1, s, out) end)
    local add = dc.elementwise("uint64 x, uint64 m", "uint64 y", "y = x + m")
    assert.same({ 4, 0 }, add(array { 5, 1 }, -1):to_table())
  end)

  it("is printed, written and read without a sign", function()
    local list = values(30)
    local a = array(list)
    local text = tostring(a)
    for _, v in ipairs(list) do assert.truthy(text:find(decimal(v), 1, true)) end
    local path = os.tmpname()
    dc.save_csv(path, a:reshape(#list, 1))
    local n = 0
    for line in io.lines(path) do
      n = n + 1
      assert.equal(decimal(list[n]), line)
    end
    assert.same(list, dc.load_csv(path, { dtype = "uint64" }):reshape(-1):to_table())
    h.write(path, "18446744073709551616\n")
    fails("io", "18446744073709551616", function() dc.load_csv(path, { dtype = "uint64" }) end)
    h.write(path, "184467440737095516150\n1844674407370955161.65\n18446744073709551615.0\n") -- floats are rounded once
    assert.same({ 184467440737095516150.0, 1844674407370955161.65, 18446744073709551615.0 },
      dc.load_csv(path, { dtype = "float64" }):reshape(-1):to_table())
    os.remove(path)
    fails("index", "index 18446744073709551615", function() dc.ones(3):take(array { -1 }) end)
    fails("index", "index 18446744073709551615", function() return dc.ones(3)[array { -1 }] end)
  end)

  it("bounds random numbers", function()
    local g = dc.random.generator(h.seed)
    for _ = 1, 10 do
      local a = g:integers(100, { low = -1000, high = -1, dtype = "uint64" })
      assert.is_true(a:ge(-1000):all())
      local b = g:integers(100, { low = math.maxinteger - 5, high = math.mininteger + 5, dtype = "uint64" })
      assert.is_true(dc.logical_and(b:ge(math.maxinteger - 5), b:le(math.mininteger + 5)):all())
    end
    assert.is_true(g:integers(200, { dtype = "uint64" }):gt(math.maxinteger):any())
    assert.equal(-2048, g:integers(1, { low = 1.8446744073709549568e19, high = -2048, dtype = "uint64" })[1])
    fails("argument", "low, 18446744073709551615, is above high, 5", function()
      g:integers(1, { low = -1, high = 5, dtype = "uint64" })
    end)
    fails("dtype", "from 0 to 2%^64 %- 1", function() g:integers(1, { low = -1.0, dtype = "uint64" }) end)
  end)
end)
