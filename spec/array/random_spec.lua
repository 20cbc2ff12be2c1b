-- Random numbers: Philox4x32-10 against an implementation in plain Lua and the authors' own test vectors, and tests of
-- randomness after NIST SP 800-22 (frequency, runs, serial), Kolmogorov and Smirnov's, chi squared.
local helper = require "spec.helper"
local dc = require "dotcompute"
local fails, note = helper.fails, helper.note

-- --- the generator in Lua -------------------------------------------------------------------------------------------

local function philox(counter, key)
  local c0, c1, c2, c3 = counter[1], counter[2], counter[3], counter[4]
  local k0, k1 = key[1], key[2]
  for _ = 1, 10 do
    local p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
    c0, c1, c2, c3 = (p1 >> 32) ~ c1 ~ k0, p1 & 0xffffffff, (p0 >> 32) ~ c3 ~ k1, p0 & 0xffffffff
    k0, k1 = (k0 + 0x9E3779B9) & 0xffffffff, (k1 + 0xBB67AE85) & 0xffffffff
  end
  return { c0, c1, c2, c3 }
end

local function words(seed, call, at)
  return philox({ at & 0xffffffff, at >> 32, call & 0xffffffff, call >> 32 }, { seed & 0xffffffff, seed >> 32 })
end

-- The bits of element i (from 0), as 32 and as 64.
local function bits32(seed, call, i) return words(seed, call, i >> 2)[1 + (i & 3)] end
local function bits64(seed, call, i)
  local w = words(seed, call, i >> 1)
  return i & 1 == 1 and w[4] << 32 | w[3] or w[2] << 32 | w[1]
end

local f32 = helper.f32

describe("the reference of this spec", function()
  it("gives the test vectors of Random123", function() -- its file kat_vectors, philox4x32 10
    assert.same({ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 }, philox({ 0, 0, 0, 0 }, { 0, 0 }))
    local f = 0xffffffff
    assert.same({ 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd }, philox({ f, f, f, f }, { f, f }))
    assert.same({ 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 },
      philox({ 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, { 0xa4093822, 0x299f31d0 }))
  end)
end)

describe("dc.random", function()
  it("gives the generator's numbers, determined by seed, call and position", function()
    for _ = 1, 3 do
      local seed, jump, n = math.random(0), math.random(0, 1 << 40), math.random(1, 3000)
      local g = dc.random.generator(seed)
      g:jump(jump)
      local f, d, i = g:uniform(n):to_table(), g:uniform(n, { dtype = "float64" }):to_table(), g:integers(n, {
        low = math.mininteger, high = math.maxinteger }):to_table()
      local low, high = -math.random(1000), math.random(1 << 30)
      local limited = g:integers({ n }, { low = low, high = high }):to_table()
      for _ = 1, 200 do
        local k = math.random(n)
        assert.equal((bits32(seed, jump, k - 1) >> 8) / 2 ^ 24, f[k])
        assert.equal((bits64(seed, jump + 1, k - 1) >> 11) / 2 ^ 53, d[k])
        assert.equal(math.mininteger + bits64(seed, jump + 2, k - 1), i[k])
        local b, range = bits64(seed, jump + 3, k - 1), high - low + 1 -- the upper half of the 128-bit product
        local upper = (b >> 32) * range + (((b & 0xffffffff) * range) >> 32)
        assert.equal(low + (upper >> 32), limited[k])
      end
    end
  end)

  it("gives normal numbers by Box and Muller, and exponential ones", function()
    local seed, n = math.random(0), 500
    local g = dc.random.generator(seed)
    local z, e = g:normal(n, { dtype = "float64" }):to_table(), g:exponential(n, { dtype = "float64" }):to_table()
    for k = 1, n do
      local pair = (k - 1) >> 1
      local w = words(seed, 0, pair)
      local u = ((w[2] << 32 | w[1]) >> 11) + 1
      local angle = 2 * math.pi * (((w[4] << 32 | w[3]) >> 11) / 2 ^ 53)
      local want = math.sqrt(-2 * math.log(u / 2 ^ 53)) * (k % 2 == 1 and math.cos(angle) or math.sin(angle))
      assert.is_true(math.abs(z[k] - want) <= 4e-15 * math.max(1, math.abs(want)), note(k)) -- the angle is rounded
      local v = ((bits64(seed, 1, k - 1) >> 11) + 1) / 2 ^ 53
      assert.is_true(math.abs(e[k] + math.log(v)) <= 2.0 ^ -50 * e[k], note(k))
    end
  end)

  it("makes float32 numbers from 32 bits each, within 4 units in the last place", function()
    local seed, n = math.random(0), 3001
    local g = dc.random.generator(seed)
    local z, e = g:normal(n):to_table(), g:exponential(n):to_table()
    for k = 1, n do
      local w, upper = words(seed, 0, (k - 1) >> 2), (k - 1) & 2
      local angle = 2 * math.pi * ((w[2 + upper] >> 8) / 2 ^ 24)
      local want = math.sqrt(-2 * math.log(f32(f32(w[1 + upper]) + 1) / 2 ^ 32)) *
        (k % 2 == 1 and math.cos(angle) or math.sin(angle))
      assert.is_true(math.abs(z[k] - want) <= 2.0 ^ -21 * math.abs(want), note(k))
      local v = f32(f32(bits32(seed, 1, k - 1)) + 1) / 2 ^ 32
      assert.is_true(math.abs(e[k] + math.log(v)) <= 2.0 ^ -21 * e[k], note(k))
    end
  end)

  -- A thread may have 2 to 16 neighbouring elements, by the widest dtype that it reads or writes.
  it("gives the same numbers in whatever expression they stand", function()
    local seed = math.random(0)
    local function made(kind, options, use, ...)
      local t = use(dc.random.generator(seed)[kind](dc.random.generator(seed), ..., options))
      return t:to "float64":reshape(-1):to_table()
    end
    local function u32(k) return (bits32(seed, 0, k) >> 8) / 2 ^ 24 end
    local function u64(k) return (bits64(seed, 0, k) >> 11) / 2 ^ 53 end
    local function upper(k) return bits64(seed, 0, k) >> 63 end
    for _, n in ipairs { 4 * math.random(200), 4 * math.random(200) + math.random(3) } do
      local wide, narrow = dc.full(n, 2, "float64"), dc.full(n, 1, "int8")
      local cases = {
        { "uniform", {}, function(a) return a:to "float64" end, u32 },
        { "uniform", {}, function(a) return a * wide end, function(k) return 2 * u32(k) end },
        { "uniform", {}, function(a) return a:ge(0.5) end, function(k) return u32(k) >= 0.5 and 1 or 0 end },
        { "uniform", {}, function(a) return (a * 256):to "float16" end, function(k) return u32(k) * 256 end, 2 ^ -4 },
        { "uniform", { dtype = "float64" }, function(a) return a:to "float32" end, u64, 2 ^ -24 },
        { "uniform", { dtype = "float64" }, function(a) return a:lt(0.5) end,
          function(k) return u64(k) < 0.5 and 1 or 0 end },
        { "integers", { low = 0, high = 1, dtype = "int8" }, function(a) return a + narrow end,
          function(k) return 1 + upper(k) end },
        { "integers", { low = 0, high = 1 }, function(a) return a:to "int16" end, upper },
      }
      for i, case in ipairs(cases) do
        local list = made(case[1], case[2], case[3], n)
        for k = 1, n do
          local want = case[4](k - 1)
          assert.is_true(math.abs(list[k] - want) <= (case[5] or 0), note(("case %d, %d of %d"):format(i, k, n)))
        end
      end
    end
  end)

  it("gives the same numbers in rows, columns and along the result's other axes", function()
    local seed, rows, columns = math.random(0), math.random(2, 9), 4 * math.random(9)
    local function g() return dc.random.generator(seed) end
    local zero = dc.zeros(rows, 1)
    for _, kind in ipairs { "uniform", "normal", "exponential" } do
      local both, row, column = g()[kind](g(), rows, columns):eval(), g()[kind](g(), columns):eval(),
        g()[kind](g(), rows, 1):eval()
      assert.is_true(dc.equal(both, g()[kind](g(), rows, columns) + zero), kind)
      assert.is_true(dc.equal(row + zero, g()[kind](g(), columns) + zero), kind)
      assert.is_true(dc.equal(column + dc.zeros(columns), g()[kind](g(), rows, 1) + dc.zeros(columns)), kind)
      assert.is_true(dc.equal(both:sum(), g()[kind](g(), rows, columns):sum()), kind)
      assert.is_true(dc.equal(both:sum(1), g()[kind](g(), rows, columns):sum(1)), kind)
      assert.is_true(dc.equal(both:sum(2), g()[kind](g(), rows, columns):sum(2)), kind)
    end
  end)

  it("starts again with the seed; generators are independent of each other", function()
    dc.random.seed(7)
    local a, b = dc.random.uniform(100), dc.random.normal(10)
    dc.random.seed(7)
    assert.is_true(dc.equal(a, dc.random.uniform(100)))
    assert.is_true(dc.equal(b, dc.random.normal(10)))
    local g = dc.random.generator(7)
    dc.random.uniform(5)
    assert.is_true(dc.equal(a, g:uniform(10, 10):reshape(100)))
    assert.is_false(dc.equal(a, dc.random.generator():uniform(100)))
    local far = dc.random.generator(7)
    far:jump(1)
    assert.is_true(dc.equal(b, far:normal(10)))
  end)

  it("is fused into expressions", function()
    local g = dc.random.generator(3)
    dc.stats "reset"
    local x = g:uniform(100, 100)
    local mean = (x * x):mean():item()
    assert.equal(1, dc.stats().launches)
    assert.is_true(math.abs(mean - 1 / 3) < 0.02)
    local whole = dc.random.generator(3):uniform(100, 100)
    assert.is_true(dc.equal(whole:eval()[{ ":", { 2, 50 } }], x[{ ":", { 2, 50 } }]))
    assert.is_true(dc.allclose(whole:sum(1), x:sum(1)))
    local turned = dc.zeros(100, 100)
    turned.T[":"] = dc.random.generator(3):uniform(100, 100)
    assert.is_true(dc.equal(turned.T, whole))
  end)

  it("keeps within the range, in the dtype", function()
    local g = dc.random.generator(math.random(0))
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local u = g:uniform(20000, { dtype = dtype })
      assert.equal(dtype, u.dtype)
      assert.is_true(u:min():item() >= 0 and u:max():item() < 1, note(dtype))
      assert.equal(dtype, g:normal(3, { dtype = dtype }).dtype)
      assert.equal(dtype, g:exponential(3, { dtype = dtype, mean = 2 }).dtype)
    end
    for dtype, limits in pairs { uint8 = { 0, 255 }, int8 = { -128, 127 }, bool = { 0, 1 }, int32 = { -5, 5 } } do
      local i = g:integers(5000, { dtype = dtype, low = limits[1], high = limits[2] })
      assert.equal(dtype, i.dtype)
      if dtype == "bool" then i = i:to "int32" end
      assert.same(limits, { i:min():item(), i:max():item() }, note(dtype))
    end
    local u = g:uniform(1000, { low = -3, high = 5 })
    assert.is_true(u:min():item() >= -3 and u:max():item() <= 5)
    assert.equal(0, g:uniform({}).ndim)
  end)

  it("refuses invalid ranges, shapes and options", function()
    fails("argument", "shape", function() dc.random.uniform() end)
    fails("argument", "%(a table%) is the shape", function() dc.random.integers { {} } end)
    fails("argument", "a generator expected.*with a colon", function() dc.random.generator(1).normal({}, 5) end)
    fails("shape", "%-1", function() dc.random.uniform(-1) end)
    fails("argument", "no option 'hihg' %(did you mean 'high'%?%); there are dtype, high and low", function()
      dc.random.uniform(3, { hihg = 1 }) end)
    fails("argument", "above high", function() dc.random.uniform(3, { low = 2, high = 1 }) end)
    fails("argument", "finite", function() dc.random.uniform(3, { low = 0 / 0 }) end)
    fails("argument", "not negative", function() dc.random.normal(3, { std = -1 }) end)
    fails("dtype", "int32", function() dc.random.normal(3, { dtype = "int32" }) end)
    fails("dtype", "float32", function() dc.random.integers(3, { dtype = "float32" }) end)
    fails("dtype", "out of range", function() dc.random.integers(3, { high = 300, dtype = "uint8" }) end)
    fails("argument", "integer", function() dc.random.seed(1.5) end)
    fails("argument", "integer", function() dc.random.seed "x" end)
    fails("index", "no 'unifrom'", function() return dc.random.unifrom end)
  end)
end)

describe("permutations and choices", function()
  local function is_order_of_integers(n)
    local seed = math.random(1 << 40)
    local keys = dc.random.generator(seed):integers(n, { dtype = "uint64" }):to_table() -- as signed
    local want = {}
    for i = 1, n do want[i] = i end
    table.sort(want, function(a, b) return keys[a] < keys[b] or keys[a] == keys[b] and a < b end)
    assert.is_true(dc.equal(dc.random.generator(seed):permutation(n), dc.array(want, "int64")), note(n))
  end

  it("are the order of the random integers that the same call makes, for any number of them", function()
    for _, n in ipairs { math.random(2, 8000), math.random(8192, 40000), 1 << 14, math.random(65000, 70000) } do
      is_order_of_integers(n)
    end
  end)

  it("are so where some of these agree in their upper halves", function()
    helper.each_way(function() is_order_of_integers(300000) end, { "as_gpu" })
  end)

  it("contain every element once, in a new order each time", function()
    local g = dc.random.generator(math.random(0))
    local n = math.random(2, 5000)
    local p = g:permutation(n):to_table()
    local seen = {}
    for _, v in ipairs(p) do seen[v] = true end
    assert.equal(n, #seen)
    assert.is_false(dc.equal(dc.array(p, "int64"), g:permutation(n)) and n > 10)
    local rows = g:permutation(dc.arange(1, 12):reshape(4, 3))
    assert.equal(78, rows:sum():item())
    assert.equal(rows[{ 1, 1 }] + 1, rows[{ 1, 2 }])
    fails("argument", "takes an array or an integer alone, got 2", function() g:permutation(3, { dtype = "int32" }) end)
    fails("argument", "takes an array or an integer alone, got 2", function() dc.random.permutation(3, 4) end)
  end)

  it("choose elements with the given probabilities", function()
    local g = dc.random.generator(math.random(0))
    local p = { 0.5, 0, 0.3, 0.2 }
    local n = 20000
    local chosen = g:choice(4, n, { p = p }):to_table()
    local counts = { 0, 0, 0, 0 }
    for _, v in ipairs(chosen) do counts[v] = counts[v] + 1 end
    for k = 1, 4 do
      local deviation = math.sqrt(n * p[k] * (1 - p[k]))
      assert.is_true(math.abs(counts[k] - n * p[k]) <= 6 * deviation, note(k))
    end
    local few = g:choice(10, 10, { replace = false }):to_table()
    table.sort(few)
    assert.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, few)
    local two = g:choice(4, 3, { replace = false, p = p }):to_table()
    table.sort(two)
    assert.same({ 1, 3, 4 }, two)
    assert.same({ 2, 3 }, { g:choice(dc.arange(1, 50), { 2, 3 }):shape() })
    fails("argument", "5 different ones of 4", function() g:choice(4, 5, { replace = false }) end)
    fails("shape", "4 things", function() g:choice(4, 5, { p = { 1, 2 } }) end)
    fails("argument", "probabilities", function() g:choice(2, 5, { p = { -1, 2 } }) end)
    fails("argument", "probabilities are finite", function() g:choice(2, 5, { p = { 1, math.huge } }) end)
  end)
end)

describe("choices without replacement", function()
  local function differ(list, n, text)
    local seen = {}
    for _, v in ipairs(list) do
      assert.is_true(v >= 1 and v <= n and not seen[v], note(text))
      seen[v] = true
    end
  end

  it("are different, of few and of many", function()
    local g = dc.random.generator(math.random(0))
    for _ = 1, 20 do
      local n = math.random(1, 3000)
      local count = math.random(0, math.random(2) == 1 and n or n // 16)
      local text = ("%d of %d"):format(count, n)
      local chosen = g:choice(n, count, { replace = false }):to_table()
      assert.equal(count, #chosen, note(text))
      differ(chosen, n, text)
    end
    local n = 1 << 50
    differ(g:choice(n, 1000, { replace = false }):to_table(), n, "of 2^50")
    local rows = g:choice(dc.arange(1, 400):reshape(200, 2), 5, { replace = false })
    assert.same({ 5, 2 }, { rows:shape() })
    assert.is_true(dc.equal(rows[{ ":", 1 }] + 1, rows[{ ":", 2 }]))
  end)

  it("have each element and each order with the same probability", function()
    local g = dc.random.generator(math.random(0))
    for _, n in ipairs { 6, 80 } do -- by a permutation; one after another
      local counts, rising, runs = {}, 0, 1500
      for _ = 1, runs do
        local chosen = g:choice(n, 5, { replace = false }):to_table()
        for _, v in ipairs(chosen) do counts[v] = (counts[v] or 0) + 1 end
        if chosen[1] < chosen[5] then rising = rising + 1 end
      end
      local p = 5 / n
      local deviation = math.sqrt(runs * p * (1 - p))
      for v = 1, n do assert.is_true(math.abs((counts[v] or 0) - runs * p) <= 6 * deviation, note(v)) end
      assert.is_true(math.abs(rising - runs / 2) <= 6 * math.sqrt(runs / 4), note "order")
    end
  end)
end)

-- The bounds are six standard deviations or a probability below 1e-8: a random seed fails them once in a lifetime.
describe("randomness", function()
  local n = 1 << 18

  it("passes frequency, runs and serial tests of its bits", function()
    local g = dc.random.generator(math.random(0))
    local w = g:integers(n, { low = 0, high = (1 << 32) - 1 })
    local ones = dc.zeros(n, "int64")
    for bit = 0, 31 do
      local b = (w >> bit) & 1
      local count = b:sum():item()
      assert.is_true(math.abs(count - n / 2) <= 6 * math.sqrt(n) / 2, note("bit " .. bit))
      ones = (ones + b):eval()
      local changes = (b[{ { 2, n } }] ~ b[{ { 1, n - 1 } }]):sum():item() -- runs
      assert.is_true(math.abs(changes - (n - 1) / 2) <= 6 * math.sqrt(n - 1) / 2, note("runs of bit " .. bit))
    end
    local mean, var = ones:mean():item(), ones:var():item()
    assert.is_true(math.abs(mean - 16) <= 6 * math.sqrt(8 / n))
    assert.is_true(math.abs(var - 8) <= 6 * 8 * math.sqrt(2 / n))
  end)

  it("is uniform: chi squared of 256 cells, of pairs, and Kolmogorov's distance", function()
    local g = dc.random.generator(math.random(0))
    local u = g:uniform(n)
    local cells = {}
    local list = u:to_table()
    for i = 1, 256 do cells[i] = 0 end
    for _, v in ipairs(list) do
      local c = math.floor(v * 256) + 1
      cells[c] = cells[c] + 1
    end
    local function chi(counts, total)
      local sum, want = 0, total / #counts
      for _, c in ipairs(counts) do sum = sum + (c - want) ^ 2 / want end
      return (sum - (#counts - 1)) / math.sqrt(2 * (#counts - 1))
    end
    assert.is_true(math.abs(chi(cells, n)) < 7)
    local pairs_ = {}
    for i = 1, 256 do pairs_[i] = 0 end
    for i = 1, n - 1, 2 do
      local c = math.floor(list[i] * 16) * 16 + math.floor(list[i + 1] * 16) + 1
      pairs_[c] = pairs_[c] + 1
    end
    assert.is_true(math.abs(chi(pairs_, n // 2)) < 7)
    table.sort(list)
    local distance = 0
    for i, v in ipairs(list) do distance = math.max(distance, math.abs(v - i / n), math.abs(v - (i - 1) / n)) end
    assert.is_true(distance * math.sqrt(n) < 3.2) -- P = 2 exp(-2 * 3.2^2)
  end)

  it("has the moments of the normal and exponential distributions, without correlation", function()
    local g = dc.random.generator(math.random(0))
    local z = g:normal(n):to "float64"
    local e = g:exponential(n):to "float64"
    for power, want in pairs { 0, 1, 0, 3, 0, 15 } do
      local moment = (z ^ power):mean():item()
      local spread = ({ 1, 2, 15, 96, 945, 10170 })[power] -- the variance of z^power
      assert.is_true(math.abs(moment - want) <= 6 * math.sqrt(spread / n), note("moment " .. power))
    end
    assert.is_true(math.abs(e:mean():item() - 1) <= 6 / math.sqrt(n))
    assert.is_true(math.abs(e:var():item() - 1) <= 6 * math.sqrt(8 / n))
    for lag = 1, 5 do
      local r = (z[{ { 1, n - lag } }] * z[{ { 1 + lag, n } }]):mean():item()
      assert.is_true(math.abs(r) <= 6 / math.sqrt(n - lag), note("lag " .. lag))
    end
    assert.is_true(math.abs((z * g:normal(n):to "float64"):mean():item()) <= 6 / math.sqrt(n))
  end)
end)
