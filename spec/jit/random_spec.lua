-- Random numbers in kernels in Lua: the numbers of dc.random for the same seed, call and position.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

describe("random numbers in kernels", function()
  it("are those of a generator of the seed, after as many calls", function()
    for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16" } do
      local seed, call, n = math.random(math.mininteger, math.maxinteger), math.random(0, 1000), math.random(1, 300)
      local uniform, normal, exponential = dc.zeros(n, dtype), dc.zeros(n, dtype), dc.zeros(n, dtype)
      dc.jit(function(a, b, c, s, calls)
        local i = dc.index()
        if i > #a then return end
        a[i] = dc.random_uniform(s, i, calls, dtype)
        b[i] = dc.random_normal(s, i, calls + 1, dtype)
        c[i] = dc.random_exponential(s, i, calls + 2, dtype)
      end):forall(n, uniform, normal, exponential, seed, call)
      local g = dc.random.generator(seed)
      g:jump(call)
      h.same(g:uniform(n, { dtype = dtype }):to_table(), uniform:to_table(), "uniform " .. dtype)
      h.same(g:normal(n, { dtype = dtype }):to_table(), normal:to_table(), "normal " .. dtype)
      h.same(g:exponential(n, { dtype = dtype }):to_table(), exponential:to_table(), "exponential " .. dtype)
    end
  end)

  it("are float32 of the first call where nothing else is said", function()
    local x, y = dc.zeros(50), dc.zeros(50, "float64")
    dc.jit(function(a, b)
      local i = dc.index()
      if i > #a then return end
      a[i] = dc.random_uniform(7, i)
      b[i] = dc.random_normal(7, i, "float64")
    end):forall(50, x, y)
    local g = dc.random.generator(7)
    h.same(g:uniform(50):to_table(), x:to_table(), "uniform")
    g:seed(7)
    h.same(g:normal(50, { dtype = "float64" }):to_table(), y:to_table(), "normal")
  end)

  it("are integers between two bounds", function()
    for _, bounds in ipairs { { 1, 6 }, { -1000, 1000 }, { 0, 0 }, { math.mininteger, math.maxinteger },
      { -5, math.maxinteger } } do
      local low, high, seed = bounds[1], bounds[2], math.random(1000)
      local x = dc.zeros(100, "int64")
      dc.jit(function(a, s, least, most)
        local i = dc.index()
        if i <= #a then a[i] = dc.random_integers(s, i, least, most, 4) end
      end):forall(100, x, seed, low, high)
      local g = dc.random.generator(seed)
      g:jump(4)
      h.same(g:integers(100, { low = low, high = high }):to_table(), x:to_table(), low .. " to " .. high)
    end
  end)

  -- Philox4x32-10 in plain Lua: Salmon, Moraes, Dror, Shaw, 2011.
  local function philox(seed, call, at)
    local c = { at & 0xffffffff, at >> 32, call & 0xffffffff, call >> 32 }
    local k0, k1 = seed & 0xffffffff, seed >> 32
    for _ = 1, 10 do
      local p0, p1 = 0xD2511F53 * c[1], 0xCD9E8D57 * c[3]
      c = { p1 >> 32 ~ c[2] ~ k0, p1 & 0xffffffff, p0 >> 32 ~ c[4] ~ k1, p0 & 0xffffffff }
      k0, k1 = k0 + 0x9E3779B9 & 0xffffffff, k1 + 0xBB67AE85 & 0xffffffff
    end
    return c
  end

  it("have the bits of Philox, four to a counter", function()
    local seed, call = math.random(math.mininteger, math.maxinteger), math.random(0, math.maxinteger)
    local bits = dc.zeros(64, "uint32")
    dc.jit(function(a, s, c) a[dc.index()] = dc.random_bits(s, dc.index(), c) end)(2, 32, bits, seed, call)
    for i = 0, 63 do assert.equal(philox(seed, call, i // 4)[i % 4 + 1], bits[i + 1], h.note()) end
  end)

  it("are values in functions of elements too, and estimate pi", function()
    local f = dc.vectorize(dc.jit(function(i)
      local x, y = dc.random_uniform(3, 2 * i - 1), dc.random_uniform(3, 2 * i)
      return x * x + y * y <= 1 and 4 or 0
    end))
    assert(math.abs(f(dc.arange(1, 20000, { dtype = "int64" })):mean():item() - math.pi) < 0.06)
  end)

  it("are refused for what is no stream", function()
    local x = dc.ones(3)
    -- luacheck: push ignore
    for pattern, fn in pairs {
      ["dc.random_uniform takes 2 to 4 arguments, got 1"] = function() x[1] = dc.random_uniform(1) end,
      ["the seed of dc.random_normal needs an integer, but '1.5'"] = function() x[1] = dc.random_normal(1.5, 1) end,
      ["the position of dc.random_bits needs a number, but 'true'"] = function() x[1] = dc.random_bits(1, true) end,
      ["positions count from 1, got 0"] = function() x[1] = dc.random_uniform(1, 0) end,
      ["the number of calls before is not negative, got %-1"] = function() x[1] = dc.random_uniform(1, 1, -1) end,
      ["makes floating numbers, and int32 is none"] = function() x[1] = dc.random_uniform(1, 1, 0, "int32") end,
      ["takes a dtype's name, as in \"float32\", got '3'"] = function() x[1] = dc.random_uniform(1, 1, 0, 3) end,
      ["dc.random_integers takes 4 to 5 arguments, got 3"] = function() x[1] = dc.random_integers(1, 1, 0) end,
      ["dc.random_integers: 6 is above 1"] = function() x[1] = dc.random_integers(1, 1, 6, 1) end,
      ["the greatest integer needs an integer"] = function() x[1] = dc.random_integers(1, 1, 6, 1.5) end,
    } do
      fails("compile", pattern, function() dc.jit(fn)(1, 1) end)
    end
    -- luacheck: pop
    fails("argument", "in kernels alone", function() dc.random_uniform(1, 1) end)
  end)
end)
