-- select, partition, unique, searchsorted, histogram, bincount and transform by functions of the script, against plain
-- Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

local function filter(t, fn)
  local list = {}
  for _, v in ipairs(t) do
    if fn(v) then list[#list + 1] = v end
  end
  return list
end

describe("select by a predicate", function()
  it("keeps the elements for which it is true, in order", function()
    h.each_way(function()
      for _, dtype in ipairs { "int8", "int32", "int64", "float32", "float64" } do
        for _, n in ipairs { 1, 3, 8191, 8192, 8193, math.random(20000) } do
          local t = h.ints(n, -100, 100)
          local modulus = math.random(1, 9)
          local function test(v) return v % modulus == 0 end
          local got = dc.array(t, dtype):select(test)
          assert.equal(dtype, got.dtype)
          h.same(filter(t, test), got:to_table(), ("%s of %d"):format(dtype, n))
        end
      end
      assert.equal(0, dc.zeros(0):select(function(v) return v > 0 end).size)
      assert.equal(0, dc.zeros(5000):select(function(v) return v > 0 end).size)
      assert.same({ true, true }, dc.array({ true, false, true }):select(function(v) return v end):to_table())
    end)
    local function even(v) return v % 2 == 0 end
    local a = dc.array { { 1, 2, 3 }, { 6, 5, 4 } }
    assert.same({ 2, 6, 4 }, a:select(even):to_table())
    assert.same({ 6, 2, 4 }, a.T:select(even):to_table())
  end)

  it("refuses what is no predicate", function()
    local x = dc.ones(3)
    fails("compile", "returns float32 here; a predicate returns true or false", function()
      x:select(function(v) return v end)
    end)
    fails("argument", "a function of an element, this one has 2 parameters", function()
      x:select(function(v, w) return v > w end)
    end)
    fails("argument", "a mask or a function", function() x:select() end)
  end)
end)

describe("partition", function()
  it("divides by one or several predicates, in order", function()
    h.each_way(function()
      for _, n in ipairs { 0, 1, 2, 9000, math.random(20000) } do
        local t = h.ints(n, -100, 100)
        local x = dc.array(t, "int32")
        local function small(v) return v < -30 end
        local function even(v) return v % 2 == 0 end
        local yes, no = x:partition(even)
        h.same(filter(t, even), yes:to_table())
        h.same(filter(t, function(v) return not even(v) end), no:to_table())
        local a, b, c = dc.partition(x, small, even)
        h.same(filter(t, small), a:to_table())
        h.same(filter(t, function(v) return not small(v) and even(v) end), b:to_table())
        h.same(filter(t, function(v) return not small(v) and not even(v) end), c:to_table())
      end
    end)
    fails("argument", "'partition' takes one or more predicates", function() dc.ones(3):partition() end)
    fails("argument", "predicate 1: a Lua function expected, got nil", function()
      dc.ones(3):partition(nil, function(v) return v > 0 end)
    end)
    fails("compile", "a predicate returns true or false", function()
      dc.ones(3):partition(function(v) return v > 0 end, function(v) return v end)
    end)
    h.gives_back(function()
      local a, b = dc.arange(1, 5000):partition(function(v) return v > 1000 end)
      a:close()
      b:close()
    end)
  end)
end)

describe("unique by a function", function()
  -- The runs of neighbours that are equal: first elements, their places, lengths, the number of each element's run.
  local function runs(t, at, equal)
    local heads, places, counts, inverse = {}, {}, {}, {}
    for k, i in ipairs(at) do
      if k == 1 or not equal(t[at[k - 1]], t[i]) then
        heads[#heads + 1], places[#places + 1], counts[#counts + 1] = t[i], i, 0
      end
      counts[#counts] = counts[#counts] + 1
      inverse[i] = #heads
    end
    return heads, places, counts, inverse
  end

  local function check(t, at, options, equal)
    local heads, places, counts, inverse = runs(t, at, equal)
    local numbers = dc.arange(1, #t):to "int64"
    options.counts, options.inverse, options.values = true, true, numbers
    local got, got_counts, got_inverse, got_values = dc.array(t, "int32"):unique(options)
    h.same(heads, got:to_table())
    h.same(counts, got_counts:to_table())
    h.same(inverse, got_inverse:to_table())
    h.same(places, got_values:to_table())
  end

  it("merges equal neighbours, or sorts by a comparison", function()
    h.each_way(function()
      for _, n in ipairs { 1, 2, 600, math.random(9000) } do
        local t, at, order = h.ints(n, 0, 12), {}, {}
        for k = 1, n do at[k], order[k] = k, k end
        check(t, at, { equal = function(p, q) return p // 3 == q // 3 end }, function(p, q) return p // 3 == q // 3 end)
        table.sort(order, function(i, j)
          local p, q = t[i] % 4, t[j] % 4
          if p ~= q then return p > q end
          return i < j
        end)
        check(t, order, { less = function(p, q) return p % 4 > q % 4 end }, function(p, q) return p % 4 == q % 4 end)
      end
    end, { "as_gpu", "serial" })
    local values, first = dc.unique({ 30, 10, 30 }, { values = { 1, 2, 3 } })
    assert.same({ 10, 30 }, values:to_table())
    assert.same({ 2, 1 }, first:to_table())
    assert.equal(0, dc.zeros(0):unique { equal = function(p, q) return p == q end }.size)
  end)

  it("refuses what does not fit", function()
    local x = dc.ones(3)
    local function less(p, q) return p < q end
    fails("argument", "one of the options 'less' and 'equal'", function() x:unique { less = less, equal = less } end)
    fails("shape", "2 values for 3 elements", function() x:unique { values = { 1, 2 } } end)
    fails("compile", "a comparison returns true or false", function()
      x:unique { equal = function(p, q) return p - q end }
    end)
    fails("argument", "option 'equal' is a function of two elements", function()
      x:unique { equal = function(p) return p > 0 end }
    end)
  end)
end)

describe("searchsorted by a comparison", function()
  it("finds the first and the last place in that order", function()
    local t = h.ints(math.random(1, 3000), 0, 90)
    table.sort(t, function(p, q) return p > q end)
    local wanted = h.ints(500, -5, 95)
    local left, right = {}, {}
    for k, v in ipairs(wanted) do
      left[k], right[k] = 1, 1
      for _, s in ipairs(t) do
        if s > v then left[k] = left[k] + 1 end
        if s >= v then right[k] = right[k] + 1 end
      end
    end
    local s, v = dc.array(t, "int32"), dc.array(wanted, "int32")
    local by = { less = function(p, q) return p > q end }
    h.same(left, s:searchsorted(v, by):to_table())
    h.same(right, s:searchsorted(v, "right", by):to_table())
    fails("compile", "a comparison returns true or false", function()
      s:searchsorted(v, { less = function(p, q) return p - q end })
    end)
  end)
end)

describe("histogram and bincount of keys", function()
  it("count what the function gives", function()
    local t = h.ints(5000, -20, 20)
    local x = dc.array(t, "int32")
    local want = {}
    for k = 1, 401 do want[k] = 0 end
    for _, v in ipairs(t) do want[v * v + 1] = want[v * v + 1] + 1 end
    h.same(want, x:bincount({ key = function(v) return v * v end, minlength = 401 }):to_table())
    local bins = { 0, 0 }
    for _, v in ipairs(t) do
      local key = math.abs(v) / 2
      if key < 3 then bins[1] = bins[1] + 1 elseif key <= 10 then bins[2] = bins[2] + 1 end
    end
    local counts = x:histogram({ 0, 3, 10 }, { key = function(v) return math.abs(v) / 2 end })
    h.same(bins, counts:to_table())
    fails("argument", "option 'key' is a function of an element", function()
      x:histogram(3, { key = function(p, q) return p + q end })
    end)
    fails("dtype", "bincount counts integers", function() x:bincount { key = function(v) return v * 0.5 end } end)
  end)
end)

describe("histogram of keys with a range", function()
  it("counts elements of every dtype, in one pass over them", function()
    h.each_way(function()
      for _, dtype in ipairs { "int8", "uint16", "int32", "int64", "float16", "float32", "float64" } do
        local t = h.ints(math.random(1, 9000), dtype == "uint16" and 0 or -100, 100)
        local want, big = { 0, 0, 0, 0 }, {}
        for k = 1, 8 do big[k] = 0 end
        for _, v in ipairs(t) do
          local key = v / 4
          if key >= -20 and key <= 20 then
            local bin = math.min(4, (key + 20) // 10 + 1)
            want[bin] = want[bin] + 1
          end
          big[v % 8 + 1] = big[v % 8 + 1] + 1
        end
        local counts = dc.array(t, dtype):histogram(4, { range = { -20, 20 }, key = function(v) return v * 0.25 end })
        h.same(want, counts:to_table(), dtype)
        local bins = dc.array(t, dtype):bincount { minlength = 8, key = function(v) return dc.int32(v % 8) end }
        h.same(big, bins:to_table(), dtype)
      end
      local flags = dc.array { 5, -1, 7 }:bincount { key = function(v) return v > 0 end }
      assert.same({ 1, 2 }, flags:to_table())
    end, { "as_gpu" })
    local function odd(v) return dc.int32(v % 2) end
    assert.same({ 6, 4 }, dc.bincount({ 1, 2, 3 }, { key = odd, weights = { 1, 6, 3 } }):to_table())
  end)
end)

describe("transform", function()
  it("is a function of elements of one or more arrays, which broadcast", function()
    local t, u = h.ints(3000), h.ints(3000)
    local a, b = dc.array(t, "int32"), dc.array(u, "int32")
    local most, which = dc.transform(function(p, q)
      if p > q then return p, true end
      return q, false
    end, a, b)
    local want, want_which = {}, {}
    for k = 1, #t do want[k], want_which[k] = math.max(t[k], u[k]), t[k] > u[k] end
    h.same(want, most:to_table())
    h.same(want_which, which:to_table())
    assert.same({ { 11, 21 }, { 12, 22 } }, dc.transform(function(p, q) return p + q end, { 10, 20 }, { { 1 }, { 2 } })
      :to_table())
    assert.equal(0, dc.transform(function(p) return p end, dc.zeros(0)).size)
  end)

  it("refuses a wrong number of arrays, and what is no function", function()
    fails("argument", "the function takes 1 argument %(p%), got 2 arrays", function()
      dc.transform(function(p) return p end, { 1 }, { 2 })
    end)
    fails("argument", "a Lua function expected, got nil", function() dc.transform() end)
    fails("argument", "returns nothing", function() dc.transform(function(_) end, { 1 }) end)
  end)
end)

describe("complex numbers", function()
  it("are sorted, selected, folded and mapped by functions", function()
    local list = {}
    for k = 1, 600 do list[k] = dc.complex(math.random(-9, 9), math.random(-9, 9)) end
    local function size(v) return v.re * v.re + v.im * v.im end
    local at = {}
    for k = 1, #list do at[k] = k end
    table.sort(at, function(i, j)
      local p, q = size(list[i]), size(list[j])
      if p ~= q then return p < q end
      return i < j
    end)
    h.each_way(function()
      for _, dtype in ipairs { "complex64", "complex128" } do
        local a = dc.array(list, dtype)
        local want = a:take(dc.array(at, "int64"))
        local function less(p, q) return p.re * p.re + p.im * p.im < q.re * q.re + q.im * q.im end
        assert.is_true(dc.equal(want, a:sort { less = less }))
        assert.is_true(dc.equal(want, a:sort { key = function(p) return p.re * p.re + p.im * p.im end }))
        h.same(at, a:argsort({ less = less }):to_table())
        local sum = a:reduce(function(p, q) return p + q end, dc.complex(0.5, -1)):item()
        local re, im = 0.5, -1
        for _, v in ipairs(list) do re, im = re + v.re, im + v.im end
        assert.same({ re, im }, { sum.re, sum.im })
        assert.is_true(dc.equal(a:select(dc.real(a):gt(3)), a:select(function(p) return p.re > 3 end)))
        assert.is_true(dc.equal(a * a, dc.transform(function(p) return p * p end, a)))
        assert.is_true(dc.equal(a:sort { less = less, values = dc.imag(a) }, want))
      end
    end, { "as_gpu", "serial" })
    fails("dtype", "have no order", function() dc.array(list):sort { key = function(p) return p end } end)
  end)
end)
