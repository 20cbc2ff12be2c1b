-- dc.vectorize of functions of dc.jit: with control flow, against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

local function array(n, dtype)
  local t = {}
  for k = 1, n do t[k] = math.random(1, 60) end
  return t, dc.array(t, dtype)
end

describe("dc.vectorize of a function of dc.jit", function()
  it("computes with loops and branches what the function does", function()
    local function collatz(n, most)
      local steps = 0
      while n ~= 1 and steps < most do
        if n % 2 == 0 then n = n // 2 else n = 3 * n + 1 end
        steps = steps + 1
      end
      return steps, n == 1
    end
    local f = dc.vectorize(dc.jit(collatz))
    for _, dtype in ipairs { "int32", "int64", "uint16", "float32", "float64" } do
      local n = math.random(1, 500)
      local t, a = array(n, dtype)
      local steps, done = f(a, 40)
      assert.equal("int64", steps.dtype)
      assert.equal("bool", done.dtype)
      local want, want_done = {}, {}
      for k = 1, n do want[k], want_done[k] = collatz(t[k], 40) end
      h.same(want, steps:to_table(), dtype)
      h.same(want_done, done:to_table(), dtype)
    end
  end)

  it("broadcasts, takes views, and writes into results that are passed", function()
    local larger = dc.vectorize(dc.jit(function(x, y)
      if x > y then return x end
      return y
    end))
    local a, b = dc.array { { 1, 5, 3 }, { 9, 2, 4 } }, dc.array { 3, 3, 3 }
    local want = dc.maximum(a, b)
    assert.is_true(dc.equal(want, larger(a, b)))
    assert.is_true(dc.equal(want.T, larger(a.T, dc.full({ 3, 1 }, 3))))
    local out = dc.zeros(2, 3)
    assert.equal(out, larger(a, b, out))
    assert.is_true(dc.equal(want, out))
    assert.equal("int8", larger(dc.ones(2, "int8"), dc.ones(2, "int8")).dtype)
  end)

  it("follows captured numbers and functions", function()
    local limit = 10
    local function next_value(x) return x + 1 end
    local f = dc.vectorize(dc.jit(function(x)
      while x < limit do x = next_value(x) end
      return x
    end))
    local x = dc.array { 1, 20 }
    assert.same({ 10, 20 }, f(x):to_table())
    limit = 15
    assert.same({ 15, 20 }, f(x):to_table())
    next_value = function(v) return v + 4 end
    assert.same({ 17, 20 }, f(x):to_table())
  end)

  it("refuses what an elementwise function cannot do", function()
    local x = dc.ones(3)
    fails("argument", "returns nothing", function() dc.vectorize(dc.jit(function(_) end)) end)
    fails("argument", "needs parameters", function() dc.vectorize(dc.jit(function() return 1 end)) end)
    fails("argument", "takes 1 argument", function() dc.vectorize(dc.jit(function(a) return a end))(x, x, x) end)
    fails("compile", "'x' is an array, which a function of elements cannot capture", function()
      dc.vectorize(dc.jit(function(a) return a + x[1] end))(x)
    end)
    fails("compile", "cannot write arrays, print", function()
      dc.vectorize(dc.jit(function(a)
        print(a)
        return a
      end))(x)
    end)
    local masked = dc.vectorize(dc.jit(function(a) return a & 1 end))
    fails("compile", "operator '&' needs an integer", function() masked(x) end)
  end)
end)
