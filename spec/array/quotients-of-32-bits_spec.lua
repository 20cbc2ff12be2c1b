-- Means, quotients and powers of 32-bit integers were float32: the mean of three 16777217 was 16777216, 4097 ^ 2 was
-- 16785408. dc.pow of integers was a float.
local dc = require "dotcompute"
local o = require "spec.oracle"
local h = require "spec.helper"

local function some(n, low, high)
  local list = {}
  for i = 1, n do list[i] = math.random(low, high) end
  return list
end

describe("32-bit integers", function()
  it("keep their digits in means, quotients and powers", function()
    assert.equal(16777217, dc.full(3, 16777217, "int32"):mean():item())
    assert.equal(16785409, (dc.array({ 4097 }, "int32") ^ 2)[1])
    for _, dtype in ipairs { "int32", "uint32" } do
      local low, high = o.limits(dtype)
      local x, y = some(50, low, high), some(50, 1, high)
      local a, b, sum = dc.array(x, dtype), dc.array(y, dtype), 0
      for i = 1, 50 do sum = sum + x[i] end
      assert.equal(sum / 50, a:mean():item())
      local mean, squares = sum / 50, 0
      for i = 1, 50 do squares = squares + (x[i] - mean) ^ 2 end
      assert.near(1, a:var():item() / (squares / 50), 1e-12)
      assert.near(1, a:std { ddof = 1 }:item() / math.sqrt(squares / 49), 1e-12)
      local function each(fn)
        local want = {}
        for i = 1, 50 do want[i] = fn(x[i], y[i]) end
        return want
      end
      local c = dc.vectorize(function(p, q) return p / q, p / 3, p ^ 2 end)
      local quotient, third, square = c(a, b)
      for _, q in ipairs { a / b, quotient } do
        assert.equal("float64", q.dtype)
        assert.same(each(function(p, q_) return p / q_ end), q:to_table())
      end
      for _, q in ipairs { a / 3, third, a / 3.0 } do assert.same(each(function(p) return p / 3 end), q:to_table()) end
      for _, q in ipairs { a ^ 2, square } do assert.same(each(function(p) return (p + 0.0) * p end), q:to_table()) end
      assert.same(each(function(_, q) return 2 / q end), (2 / b):to_table())
      assert.same(each(function(_, q) return 2.5 / q end), (2.5 / b):eval():to_table())
      local kept = a:copy()
      kept[":"] = kept / 2 -- the fraction goes
      assert.equal(dtype, kept.dtype)
      assert.same(each(function(p) return p < 0 and -(-p // 2) or p // 2 end), kept:to_table())
    end
  end)

  it("give float32 beside floats, and in functions", function()
    local a = dc.ones(2, "int32")
    for _, e in ipairs { a / dc.ones(2), a ^ dc.ones(2), a * 0.5, dc.sqrt(a), a:norm(), dc.reciprocal(a) } do
      assert.equal("float32", e.dtype)
    end
    assert.equal("complex128", (a / dc.complex(0, 1)).dtype)
    for _, dtype in ipairs { "int8", "uint8", "int16", "uint16", "bool" } do
      local b = dc.ones(2, dtype)
      for _, e in ipairs { b / 2, 2 / b, b / b, b ^ 2, b / 0.5, b:mean(), b:var(), b:std() } do
        assert.equal("float32", e.dtype)
      end
    end
    assert.equal("float32", (dc.ones(2, "int16") / dc.ones(2, "uint16")).dtype)
    assert.equal("float64", (dc.ones(2, "int8") / a).dtype)
  end)
end)

-- a ^ b of integers, wrapping around; by a negative exponent 1 over the power, without its fraction.
local function power(a, b, dtype)
  if b < 0 and dtype ~= "uint64" then return a == 1 and 1 or a == -1 and (b % 2 == 0 and 1 or -1) or 0 end
  local p, square = 1, a
  while b ~= 0 do
    if b & 1 == 1 then p = p * square end
    square, b = square * square, b >> 1
  end
  return o.wrap(p, dtype)
end

describe("dc.pow of integers", function()
  it("is an integer, and wraps around", function()
    for _, dtype in ipairs { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" } do
      local low, high = o.limits(dtype)
      if dtype == "uint64" then high = math.maxinteger end
      local x, y, want = some(60, math.max(low, -12), 12), some(60, math.max(low, -9), 70), {}
      for i = 1, 20 do x[i] = math.random(low, high) end
      for i = 1, 60 do want[i] = power(x[i], y[i], dtype) end
      local a, b = dc.array(x, dtype), dc.array(y, dtype)
      local got, vectorized = dc.pow(a, b), dc.vectorize(function(p, q) return dc.pow(p, q) end)(a, b)
      assert.equal(dtype, got.dtype)
      assert.same(want, got:to_table(), h.note(dtype))
      assert.equal(dtype, vectorized.dtype)
      assert.same(want, vectorized:to_table(), h.note(dtype))
      for _, n in ipairs { 0, 1, 2, 3, 7 } do
        for i = 1, 60 do want[i] = power(x[i], n, dtype) end
        assert.same(want, dc.pow(a, n):to_table())
        assert.same(want, dc.vectorize(function(p) return dc.pow(p, n) end)(a):to_table())
      end
      for i = 1, 60 do want[i] = power(3, y[i], dtype) end
      assert.same(want, dc.pow(3, b):to_table())
    end
    assert.same({ 1, -1, 1, 0, 0, 0 },
      dc.pow(dc.array({ 1, -1, -1, 0, 2, -2 }, "int32"), dc.array({ -3, -3, -4, -1, -1, -1 }, "int32")):to_table())
    assert.equal(-1, dc.pow(dc.array({ 3 }, "uint64"), -1)[1] * 3 - 2) -- 2^64 - 1 times: the inverse modulo 2^64
  end)

  it("promotes as operators do, to a float with a float operand", function()
    local function dtype(a, b) return dc.pow(a, b).dtype end
    assert.equal("int32", dtype(dc.ones(1, "int8"), dc.ones(1, "int32")))
    assert.equal("int64", dtype(dc.ones(1, "int32"), dc.ones(1, "uint32")))
    assert.equal("int16", dtype(dc.ones(1, "int16"), dc.ones(1, "bool")))
    assert.equal("float64", dtype(dc.ones(1, "int64"), dc.ones(1, "uint64")))
    assert.equal("float32", dtype(dc.ones(1, "int8"), 0.5))
    assert.equal("float64", dtype(dc.ones(1, "int32"), 2.0))
    assert.equal("float32", dtype(dc.ones(1, "bool"), 2))
    assert.equal("float32", dtype(dc.ones(1), 2))
    h.fails("dtype", "300 is out of range for int8", function() return dc.pow(dc.ones(1, "int8"), 300) end)
  end)
end)
