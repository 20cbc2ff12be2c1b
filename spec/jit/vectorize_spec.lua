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

  it("reads captured numbers, booleans and complex numbers at each call", function()
    local whole, float, flag, turn = 1, 0.5, false, dc.complex(0, 1)
    local function power(x, n)
      if n == 0 then return x * float end
      return power(x * whole, n - 1)
    end
    local f = dc.vectorize(dc.jit(function(x, n)
      local p = power(x, n)
      if flag then return -p, whole end
      return p, whole
    end))
    local g = dc.vectorize(dc.jit(function(z) return z * turn end))
    for _ = 1, 20 do
      whole, float, flag = math.random(-5, 5), math.random(-9, 9) / 2, math.random(2) == 1
      turn = dc.complex(math.random(-3, 3), math.random(-3, 3))
      local x, n = math.random(-9, 9), math.random(0, 4)
      local got, kept = f(dc.array({ x }, "float64"), dc.array({ n }, "int32"))
      assert.equal(x * whole ^ n * float * (flag and -1 or 1), got[1], h.note())
      assert.equal(whole, kept[1])
      assert.equal(turn, g(dc.array({ dc.complex(1, 0) }, "complex128"))[1])
    end
    whole = 2.5 -- of another type
    assert.equal(2.5, select(2, f(dc.ones(1), 1))[1])
    whole = "1"
    fails("compile", "operator '%*' needs a number, but 'whole' is a string", function() f(dc.ones(1), 1) end)
  end)

  it("is not needed around a function whose control flow depends on its arguments", function()
    local limit, scale = 3, 2
    local function clipped(v)
      if v == limit then return 0 end
      return v
    end
    local function first_power(x, y)
      local n = 0
      repeat
        x = x * 2
        n = n + 1
      until x > y or n == 20
      return n
    end
    local functions = {
      function(x, y) if x < y then return x end return y end,
      function(x, y) return x >= y and x or -y end,
      function(x, y) return x == y and 1 or 2 end,
      function(x, y) return (x ~= 3 and not (x > y and y > 2)) and x or 7 end,
      function(x, y)
        local s = 0
        for i = 1, x do s = s + i * y end
        return s
      end,
      function(x, y)
        while x ~= y do
          if x > y then x = x - y else y = y - x end
        end
        return x
      end,
      function(x, y) return clipped(x) + scale * y end,
      first_power,
      function(x, y)
        local z = x - y
        local function sign(v) if v < 0 then return -1 end return v == 0 and 0 or 1 end
        return sign(z), z
      end,
      function(x, y) return math.max(x, y) // 2 + math.abs(x - y) end,
    }
    for round = 1, 2 do
      for k, fn in ipairs(functions) do
        local f = dc.vectorize(fn)
        local n = math.random(1, 200)
        local x, y, want, second = {}, {}, {}, {}
        for j = 1, n do
          x[j], y[j] = math.random(1, 9), math.random(1, 9)
          want[j], second[j] = fn(x[j], y[j])
        end
        local got, other = f(dc.array(x, "int32"), dc.array(y, "int32"))
        h.same(want, got:to_table(), ("function %d, round %d"):format(k, round))
        if #second > 0 then h.same(second, other:to_table(), "second") end
      end
      limit, scale = 5, -1
    end
  end)

  it("stays traced without it: the function runs once, with the script's own control flow", function()
    local runs, terms = 0, { 3, 2, 1 }
    local f = dc.vectorize(function(x, y)
      runs = runs + 1
      if y == nil then y = 1 end
      y = y or 1
      local s = 0
      for _, c in ipairs(terms) do s = s * x + c end
      if #terms > 2 then s = s + y end
      return s, type(x) == "number"
    end)
    local a, b = f(dc.array { 1, 2 }, 10)
    h.same({ 16, 27 }, a:to_table())
    h.same({ false, false }, b:to_table())
    f(dc.array { 1, 2 }, 10)
    assert.equal(1, runs)
  end)

  it("takes methods and functions of traced values beside control flow", function()
    local f = dc.vectorize(function(x)
      if x:lt(0) then return dc.clip(x, -2, -1) end
      if x:isnan() then return dc.maximum(x, 1) end
      return x:sqrt():max(1.5) + x:to("int8") + dc.minimum(x, 2)
    end)
    local got = f(dc.array({ -5, -1.5, 0 / 0, 4, 1 }, "float64"))
    h.same({ -2, -1.5 }, { got[1], got[2] })
    assert(got[3] ~= got[3])
    h.same({ 2 + 4 + 2, 1.5 + 1 + 1 }, { got[4], got[5] })
    fails("compile", "'foo' is not possible", function()
      dc.vectorize(function(x) if x > 0 then return x:foo() end return x end)(dc.ones(2))
    end)
    fails("argument", "'squares' takes 1 argument %(x%), or 2 with the results to write, got 0", function()
      dc.vectorize(function(x) return x > 0 and x * x or 0 end, { name = "squares" })()
    end)
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
