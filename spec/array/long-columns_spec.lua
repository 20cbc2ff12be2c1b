-- Reductions down columns of a matrix that has too many columns for these to be cut into segments: each of a column's
-- 256 accumulators has more than 32 elements, so that 16 at a time are summed before they are added to it.
local dc = require "dotcompute"
local helper = require "spec.helper"

describe("reductions down many long columns", function()
  local rows, columns = 8500 + math.random(0, 500), 2113 + math.random(0, 90)
  local period = ({ 101, 103, 107, 109 })[math.random(4)] -- of the elements in C order
  local cycle, x = {}, nil
  setup(function()
    for i = 0, period - 1 do cycle[i] = math.random(-9, 9) end
    local bytes = string.pack(("b"):rep(period), table.unpack(cycle, 0, period - 1))
    x = dc.from_bytes(bytes:rep(rows * columns // period + 1):sub(1, rows * columns), { rows, columns }, "int8")
  end)

  -- Compares some elements of the result with fn(column), where column is a list.
  local function check(result, fn, tolerance)
    for _ = 1, 30 do
      local c, column = math.random(columns), {}
      for r = 1, rows do column[r] = cycle[((r - 1) * columns + c - 1) % period] end
      local want, got = fn(column), result[c]
      assert(math.abs(want - got) <= tolerance * math.abs(want), helper.note(("column %d of %d x %d: %s, should be %s")
        :format(c, rows, columns, got, want)))
    end
  end

  local function sum(column)
    local total = 0
    for _, v in ipairs(column) do total = total + v end
    return total
  end
  local function first(better)
    return function(column)
      local at = 1
      for i, v in ipairs(column) do
        if better(v, column[at]) then at = i end
      end
      return at
    end
  end

  it("are sums of integers and of floats", function()
    check(x:sum(1), sum, 0)
    check(x:to "float32":sum(1), sum, 0) -- exact in 24 bits
    check(dc.abs(x):sum(1), function(column)
      local total = 0
      for _, v in ipairs(column) do total = total + math.abs(v) end
      return total
    end, 0)
  end)

  it("are the places of the first extremes", function()
    check(x:argmax(1), first(function(a, b) return a > b end), 0)
    check(x:to "float32":argmin(1), first(function(a, b) return a < b end), 0)
  end)

  it("are variances", function()
    check(x:to "float32":var(1), function(column)
      local mean, squares = sum(column) / rows, 0
      for _, v in ipairs(column) do squares = squares + (v - mean) ^ 2 end
      return squares / rows
    end, 1e-5)
  end)
end)
