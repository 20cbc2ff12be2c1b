-- Comparisons, minima and maxima of floats among which are NaNs. NVRTC takes min(min(c, b), c) of a constant c for
-- min(c, b), and NaNs made of constants for equal; ptxas takes what looks positive, as abs(x) + 1, for greater than 0.
-- All this is wrong where b or x is NaN.
local dc = require "dotcompute"

local NAN <const> = 0 / 0
local C <const> = 3.5

-- One function after the other of a value and another.
local minima = {
  function(_, b) return math.min(math.min(C, b), C) end,
  function(_, b) return math.min(C, math.min(C, b)) end,
  function(a, _) return math.max(math.max(C, a), C) end,
  function(a, _) return math.max(C, math.max(a, C)) end,
  function(a, b) return math.min(a, b, a) end,
  function(a, b) return math.max(b, a, b) end,
  function(a, _) return math.min(math.abs(a), -1.0) end,
  function(a, _) return math.min(-1.0, math.abs(a)) end,
  function(a, _) return math.max(math.abs(a), -1.0) end,
  function(a, _) return math.max(-1.0, a * a) end,
  function(a, _) return math.max(math.min(a, 2), -2) end,
}
local comparisons = {
  function(a, _) return math.abs(a) >= 0 end,
  function(a, _) return 0 <= math.abs(a) end,
  function(a, _) return math.abs(a) + 1 > 0 end,
  function(a, _) return -1 < a * a end,
  function(a, b) return a ^ 2 + b * b > -0.5 end,
  function(_, b) local v = math.abs(b) return v > -math.abs(b) - 1 end,
  function(a, _) return (math.abs(a) < -1) == false end,
  function(a, b) return math.abs(a) > 0 and b >= 0 end,
  function(a, b) return math.tointeger(dc.isnan(b) and 7 or 8) % 1 <= math.abs(a) end,
  function(a, b) return math.min(a, b) <= math.max(a, b) end,
  function(_, _) local v = -(-math.huge) return math.huge - v >= v - v end,
  function(_, _) local zero = 0.0 return zero / zero <= math.sqrt(zero - 1) end,
  function(_, _) local v = math.huge return v - v ~= v * 0 end,
}

local function same(got, want) return got == want or got ~= got and want ~= want end

describe("floats among which are NaNs", function()
  for _, dtype in ipairs { "float16", "float32", "float64" } do
    it("are compared where the compiler knows both, " .. dtype, function()
      local of = dc[dtype]
      local k = dc.jit(function(out)
        local low, high = of(-1.5), of(2)
        local nan = (high - high) / (low - low)
        out[1], out[2], out[3], out[4] = high > low, low >= -1.5, math.abs(low) >= 0, -1 < high * high
        out[5], out[6], out[7], out[8] = nan > low, nan >= -1, math.abs(nan) >= 0, nan == nan
      end)
      local out = dc.zeros(8, "bool")
      k(1, 1, out)
      assert.same({ true, true, true, true, false, false, false, false }, out:to_table())
    end)
  end

  local n = 64
  local x, y = { NAN, 1, NAN, 0 }, { 2, NAN, NAN, 0 }
  for k = #x + 1, n do
    x[k] = math.random(4) == 1 and NAN or math.random(-20, 20) / 4
    y[k] = math.random(4) == 1 and NAN or math.random(-20, 20) / 4
  end

  -- Calls each function of a list for all pairs of values, in a kernel and here.
  local function check(functions, dtype, result)
    for number, fn in ipairs(functions) do
      local k = dc.jit(function(out, a, b)
        local i = dc.index()
        out[i] = fn(a[i], b[i])
      end)
      local out = dc.zeros(n, result)
      k(2, n // 2, out, dc.array(x, dtype), dc.array(y, dtype))
      local got = out:to_table()
      for i = 1, n do
        local want = fn(x[i], y[i])
        assert(same(got[i], want), ("function %d of %s, %s: %s, not %s"):format(number, x[i], y[i], got[i], want))
      end
    end
  end

  for _, dtype in ipairs { "float32", "float64", "float16" } do
    it("have Lua's minima and maxima, " .. dtype, function() check(minima, dtype, dtype) end)
    it("compare as in Lua, " .. dtype, function() check(comparisons, dtype, "bool") end)
  end
end)
