-- Arithmetic on arrays against plain Lua, rounded to the dtype after every operator; laziness is unobservable.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails, f32 = h.note, h.fails, h.f32

local operators = {
  ["+"] = function(x, y) return x + y end,
  ["-"] = function(x, y) return x - y end,
  ["*"] = function(x, y) return x * y end,
  ["/"] = function(x, y) return x / y end,
}

-- v as an integer of the dtype, wrapped.
local function wrap(v, dtype)
  return (string.unpack(h.pack[dtype], string.pack("<i8", v)))
end

local function same(want, got, text)
  if want ~= want then assert.is_true(got ~= got, text) else assert.equal(want, got, text) end
end

describe("operators", function()
  for sign, op in pairs(operators) do
    it(sign .. " on float32 and float64 round as C does", function()
      for _, dtype in ipairs { "float32", "float64" } do
        local round = dtype == "float32" and f32 or function(v) return v end
        local n = 200
        local x, y = h.values(n, dtype), h.values(n, dtype)
        x[1], y[1], x[2], y[2] = 1 / 0, 1 / 0, 0.0, 0.0
        local s = h.value(dtype)
        local a, b = dc.array(x, dtype), dc.array(y, dtype)
        local ab, as, sa = op(a, b), op(a, s), op(s, a)
        assert.equal(dtype, ab.dtype)
        assert.equal(dtype, as.dtype)
        ab, as, sa = ab:to_table(), as:to_table(), sa:to_table()
        for i = 1, n do
          same(round(op(x[i], y[i])), ab[i], note(("%.17g %s %.17g"):format(x[i], sign, y[i])))
          same(round(op(x[i], s)), as[i], note())
          same(round(op(s, x[i])), sa[i], note())
        end
      end
    end)
  end

  for _, sign in ipairs { "+", "-", "*" } do
    it(sign .. " on integers wraps", function()
      local op = operators[sign]
      for dtype in pairs(h.integers) do
        local n = 100
        local x, y = h.values(n, dtype), h.values(n, dtype)
        local s = math.random(0, 100)
        local a, b = dc.array(x, dtype), dc.array(y, dtype)
        local ab, as = op(a, b), op(a, s)
        assert.equal(dtype, ab.dtype)
        assert.equal(dtype, as.dtype)
        ab, as = ab:to_table(), as:to_table()
        for i = 1, n do
          assert.equal(wrap(op(x[i], y[i]), dtype), ab[i], note(("%s %d %s %d"):format(dtype, x[i], sign, y[i])))
          assert.equal(wrap(op(x[i], s), dtype), as[i], note(dtype))
        end
      end
    end)
  end

  it("/ of integers is float32, and float64 for 32- and 64-bit ones", function()
    assert.equal("float32", (dc.array({ 1 }, "int16") / 2).dtype)
    assert.equal("float64", (dc.array({ 1 }, "int32") / 2).dtype)
    assert.equal("float64", (dc.array({ 1 }, "int64") / 2).dtype)
    assert.equal(0.5, (dc.array({ 1 }, "int32") / dc.array({ 2 }, "int32"))[1])
    assert.equal(1 / 3, (dc.array({ 1 }, "uint64") / 3)[1])
  end)

  it("mix dtypes: a float meeting integers gives float32", function()
    local i = dc.array({ 1, 2 }, "int32")
    assert.equal("float32", (i + 0.5).dtype)
    assert.equal("int32", (i + 1).dtype)
    assert.equal("float64", (i:to "float64" + 1).dtype)
    assert.equal("float64", (dc.array { 1, 2 } + dc.array({ 1, 2 }, "float64")).dtype)
    assert.equal("int64", (i + dc.array({ 1, 2 }, "int64")).dtype)
    assert.same({ 1.5, 2.5 }, (i + 0.5):to_table())
    fails("dtype", "300", function() return dc.ones(2, "uint8") + 300 end)
    fails("dtype", "", function() return dc.ones(2, "uint8") * -1 end)
  end)

  it("unary minus, and tables as operands", function()
    assert.same({ -1.5, 2 }, (-dc.array { 1.5, -2 }):to_table())
    assert.same({ -5, 128 - 256 }, (-dc.array({ 5, -128 }, "int8")):to_table())
    assert.same({ { 11, 22 }, { 13, 24 } }, (dc.array { { 1, 2 }, { 3, 4 } } + { 10, 20 }):to_table())
    assert.same({ 9, 18 }, ({ 10, 20 } - dc.array { 1, 2 }):to_table())
    fails("argument", "'%+' takes arrays.* got nil", function() return dc.ones(2) + nil end)
    fails("argument", "'%*' takes arrays.* 'x'", function() return "x" * dc.ones(2) end)
  end)

  it("broadcast as NumPy does", function()
    for _ = 1, 30 do
      local shape = h.shape(math.random(1, 4), 4)
      local function cut() -- the same shape with some axes 1, and some leading ones left out
        local s = {}
        for i = math.random(1, #shape), #shape do s[#s + 1] = math.random(3) == 1 and 1 or shape[i] end
        return s
      end
      local sa, sb = shape, cut()
      local ta, tb = h.nested(sa, "int32"), h.nested(sb, "int32")
      local function at(t, s, where)
        for i = 1, #s do
          local k = where[#where - #s + i]
          t = t[s[i] == 1 and 1 or k]
        end
        return t
      end
      local c = dc.array(ta, "int32") - dc.array(tb, "int32")
      assert.same(shape, { c:shape() })
      for _ = 1, 10 do
        local where = {}
        for i = 1, #shape do where[i] = math.random(shape[i]) end
        assert.equal(wrap(at(ta, sa, where) - at(tb, sb, where), "int32"), c[where], note())
      end
    end
    fails("shape", "%(3,%) and %(4,%)", function() return dc.ones(3) + dc.ones(4) end)
    fails("shape", "", function() return dc.ones(3, 2) * dc.ones(3) end)
    assert.same({ 0, 3 }, { (dc.ones(0, 1) + dc.ones(3)):shape() })
  end)

  it("work on views of all kinds", function()
    local t = h.nested({ 6, 7 }, "int32")
    local a = dc.array(t, "int32")
    local b = (a[{ { 6, 1, -1 }, { 2, 7, 2 } }] + a.T[{ { 1, 6, 2 }, ":" }].T):to_table()
    for i = 1, 6 do
      for j = 1, 3 do assert.equal(wrap(t[7 - i][2 * j] + t[i][2 * j - 1], "int32"), b[i][j], note()) end
    end
  end)
end)

describe("functions", function()
  local reference = { sqrt = math.sqrt, exp = math.exp, log = math.log, sin = math.sin, cos = math.cos, abs = math.abs }
  for name, fn in pairs(reference) do
    it(name .. " agrees with the host's", function()
      for dtype, tolerance in pairs { float32 = 4e-7, float64 = 4e-16 } do
        local x = {}
        for i = 1, 200 do x[i] = math.random() * 20 + 1e-3 end
        if dtype == "float32" then for i = 1, 200 do x[i] = f32(x[i]) end end
        local a = dc.array(x, dtype)
        local got = dc[name](a)
        assert.equal(dtype, got.dtype)
        local method = a[name](a)
        assert.is_true(dc.equal(got, method))
        got = got:to_table()
        for i = 1, 200 do
          local want = fn(x[i])
          assert.is_true(math.abs(got[i] - want) <= tolerance * math.max(1, math.abs(want)),
            note(("%s(%.17g) is %.17g, should be %.17g"):format(name, x[i], got[i], want)))
        end
      end
    end)
  end

  it("take integers as floats, except abs", function()
    assert.equal("float32", dc.sqrt(dc.array({ 4 }, "int32")).dtype)
    assert.equal(2, dc.sqrt(dc.array({ 4 }, "int32"))[1])
    assert.equal("int32", dc.abs(dc.array({ -4 }, "int32")).dtype)
    assert.equal(4, dc.abs(dc.array({ -4 }, "int32"))[1])
    assert.same({ 1, 2 }, dc.sqrt({ 1, 4 }):to_table())
    assert.equal(3, dc.sqrt(9):item())
    fails("argument", "got no value", function() dc.exp() end)
    fails("argument", "'x'", function() dc.exp "x" end)
  end)
end)

describe("reductions", function()
  it("sum, min and max over all, as 0-d arrays", function()
    for _, dtype in ipairs { "int32", "int64", "uint8", "float64" } do
      local n = math.random(1, 5000)
      local x, sum, low, high = {}, 0, math.huge, -math.huge
      for i = 1, n do
        x[i] = dtype == "uint8" and math.random(0, 255) or math.random(-1000, 1000)
        sum, low, high = sum + x[i], math.min(low, x[i]), math.max(high, x[i])
      end
      local a = dc.array(x, dtype)
      assert.equal(0, a:sum().ndim)
      assert.equal(sum, a:sum():item(), note(dtype))
      assert.equal(low, a:min():item(), note(dtype))
      assert.equal(high, a:max():item(), note(dtype))
      assert.equal(dtype, a:max().dtype)
      assert.equal(dtype == "float64" and "float64" or dtype == "uint8" and "uint64" or "int64", a:sum().dtype)
    end
    assert.equal(3, dc.array({ true, false, true, true }):sum():item())
    assert.equal(0, dc.zeros(0):sum():item())
    fails("shape", "", function() dc.zeros(0):max() end)
    fails("shape", "no axis 3: the array has 2, numbered from 1", function() dc.ones(2, 2):sum(3) end)
  end)

  it("of float32 are accurate; min and max propagate NaN", function()
    local n = 100000
    local x, sum = {}, 0
    for i = 1, n do
      x[i] = f32(math.random())
      sum = sum + x[i]
    end
    local a = dc.array(x)
    assert.is_true(math.abs(a:sum():item() - sum) < sum * 1e-5, note())
    a[math.random(n)] = 0 / 0
    local top = a:max():item()
    assert.is_true(top ~= top)
  end)

  it("are fused with their operands: one kernel, no temporary array", function()
    local x, y = dc.ones(1000):eval(), dc.full(1000, 2):eval()
    ;((x * y) + 1):sum():eval() -- compiled here
    collectgarbage()
    dc.stats "reset"
    assert.equal(3000, ((x * y) + 1):sum():item())
    assert.is_true(dc.stats().launches <= 2)
    assert.is_true(dc.stats().bytes_allocated < 4000)
  end)
end)

describe("laziness", function()
  it("computes nothing until values are needed, then one kernel", function()
    local x = dc.arange(1, 100):eval()
    ;((x * 2 + 1) / 3 - x):eval()
    dc.stats "reset"
    local e = (x * 2 + 1) / 3 - x
    assert.equal(0, dc.stats().launches)
    assert.equal(e, e:eval())
    assert.equal(1, dc.stats().launches)
    e:to_table()
    assert.equal(1, dc.stats().launches)
    assert.matches("__global__", (x + 1):source())
  end)

  it("is unobservable: a write to an operand does not change an earlier expression", function()
    local kernel = dc.kernel [[
__global__ void zero(int n, float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 0; }]]
    local writes = {
      function(a) a[1] = 100 end,
      function(a) a:fill(0) end,
      function(a) a[{ { 2, 3 } }] = { 7, 8 } end,
      function(a) a[":"] = a * 10 end,
      function(a) a:copy_from(dc.zeros(4)) end,
      function(a) a:reshape(2, 2)[{ 1, ":" }] = 5 end,
      function(a) kernel(1, 32, 4, a) end,
      function(a) a:close() end,
    }
    for k, write in ipairs(writes) do
      local a = dc.array { 1, 2, 3, 4 }
      local e = a + 1
      local total = (e * e):sum()
      write(a)
      assert.same({ 2, 3, 4, 5 }, e:to_table(), "write " .. k)
      assert.equal(54, total:item(), "write " .. k)
    end
  end)

  it("holds in long loops", function()
    local x = dc.zeros(10)
    for i = 1, 3000 do x = x + i % 3 end
    assert.equal(3000, x[1])
  end)
end)

describe("comparisons", function()
  it("dc.equal and dc.allclose give one boolean", function()
    local a, b = dc.array { 1, 2, 3 }, dc.array { 1, 2, 3 }
    assert.is_true(dc.equal(a, b))
    assert.is_true(dc.allclose(a, b))
    b[2] = 2.00001
    assert.is_false(dc.equal(a, b))
    assert.is_true(dc.allclose(a, b))
    assert.is_false(dc.allclose(a, b, 0, 1e-7))
    assert.is_true(dc.allclose(a, b, 0, 1e-4))
    b[2] = 0 / 0
    assert.is_false(dc.equal(b, b))
    assert.is_false(dc.allclose(b, b))
    assert.is_false(dc.equal(a, dc.ones(4)))
    assert.is_true(dc.equal(a, { 1, 2, 3 }))
    assert.is_true(dc.allclose({ 1, 2, 3.000001 }, a))
    fails("argument", "got no value", function() dc.equal(a) end)
  end)

  it("== is identity", function()
    local a = dc.ones(2)
    assert.is_true(a == a)
    assert.is_false(a == dc.ones(2))
  end)

  it("< and <= compare one-element arrays and numbers", function()
    local a, b = dc.array(1), dc.array { 2 }
    assert.is_true(a < b)
    assert.is_true(a <= b)
    assert.is_false(a > b)
    assert.is_true(a < 1.5)
    assert.is_true(0 < a)
    assert.is_true(dc.array { 1, 5 }:sum() >= 6)
    assert.is_true(dc.from_bytes(("\255"):rep(8), 1, "uint64") > dc.array({ 5 }, "uint64"))
    fails("shape", "one element, this one has 2.*a:lt%(b%)", function() return dc.ones(2) < a end)
    fails("argument", "'x'", function() return a < "x" end)
  end)
end)
