-- sort and argsort by functions of the script, of segments, and with values that travel along, against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails = h.note, h.fails

-- Random offsets of segments of up to `most` elements, some of them empty, that divide n elements.
local function offsets_of(n, most)
  local list = { 1 }
  while list[#list] < n + 1 do list[#list + 1] = math.min(n + 1, list[#list] + math.random(0, most)) end
  if math.random(2) == 1 then list[#list + 1] = n + 1 end
  return list
end

-- The indices, from 1, of t in stable order; `segment(i)` are never mixed.
local function order_of(t, before, segment)
  local at = {}
  for k = 1, #t do at[k] = k end
  table.sort(at, function(i, j)
    if segment and segment[i] ~= segment[j] then return segment[i] < segment[j] end
    if before(t[i], t[j]) then return true end
    return not before(t[j], t[i]) and i < j
  end)
  return at
end

local function picked(t, at)
  local list = {}
  for k, i in ipairs(at) do list[k] = t[i] end
  return list
end

-- Compares sort with values, and argsort, with the reference. `rows`: the number of rows.
local function check_order(t, dtype, options, before, segment, rows)
  local n, rows_of = #t, rows or 1
  local at = order_of(t, before, segment)
  local numbers = {}
  for k = 1, n do numbers[k] = k end
  local x, values = dc.array(t, dtype), dc.array(numbers, "int64")
  if rows then x, values = x:reshape(rows_of, n // rows_of), values:reshape(rows_of, n // rows_of) end
  local function with(more)
    for name, v in pairs(options) do more[name] = v end
    return more
  end
  local text = ("%s of %d, %d rows"):format(dtype, n, rows_of)
  local sorted, moved = x:sort(with { values = values })
  assert.equal(dtype, sorted.dtype)
  h.same(picked(t, at), sorted:reshape(-1):to_table(), text)
  h.same(at, moved:reshape(-1):to_table(), text .. ", values")
  h.same(picked(t, at), x:sort(with {}):reshape(-1):to_table(), text .. ", alone")
  local places = x:argsort(with {})
  assert.equal("int64", places.dtype)
  for k = 1, n do at[k] = rows and (at[k] - 1) % (n // rows_of) + 1 or at[k] end
  h.same(at, places:reshape(-1):to_table(), text .. ", indices")
end

local function few_ints(n) return h.ints(n, 0, 40) end

describe("sort by a comparison", function()
  it("is stable for sizes around those of a thread, a tile and several tiles", function()
    local function before(p, q) return p // 4 > q // 4 end
    h.each_way(function()
      for _, n in ipairs { 1, 2, 16, 17, 18, 4351, 4352, 4353, 8704, math.random(9000, 20000) } do
        check_order(few_ints(n), "int32", { less = before }, before)
      end
    end)
  end)

  it("takes every dtype", function()
    h.each_way(function()
      for _, dtype in ipairs { "int8", "uint8", "int16", "uint16", "int64", "float32", "float64" } do
        local t = h.values(math.random(1, 3000), dtype)
        check_order(t, dtype, { less = function(p, q) return p > q end }, function(p, q) return p > q end)
      end
      local t = {}
      for k = 1, 700 do t[k] = math.random(2) == 1 end
      check_order(t, "bool", { less = function(p, q) return p and not q end }, function(p, q) return p and not q end)
      for _, dtype in ipairs { "float16", "bfloat16" } do
        t = {}
        for k = 1, 900 do t[k] = math.random(-120, 120) / 4 end
        check_order(t, dtype, { less = function(p, q) return p * p < q * q end },
          function(p, q) return p * p < q * q end)
      end
    end)
  end)

  it("sorts rows of any length by themselves, along any axis", function()
    local function before(p, q) return p % 8 < q % 8 end
    h.each_way(function()
      for _, length in ipairs { 1, 2, 33, 2175, 2176, 2177, 5000 } do
        local rows = math.max(2, math.random(5000, 9000) // length)
        local t, segment = few_ints(rows * length), {}
        for i = 1, #t do segment[i] = (i - 1) // length end
        check_order(t, "int32", { less = before }, before, segment, rows)
      end
    end)
    local a = dc.array({ { 3, 1 }, { 2, 5 }, { 9, 4 } }, "int32")
    assert.same({ { 9, 5 }, { 3, 4 }, { 2, 1 } }, a:sort(1, { less = function(p, q) return p > q end }):to_table())
    assert.same({ { 3, 2 }, { 1, 3 }, { 2, 1 } }, a:argsort({ 1, less = function(p, q) return p > q end }):to_table())
    assert.same({ { 2, 3, 9 }, { 1, 4, 5 } }, a.T:sort { less = function(p, q) return p < q end }:to_table())
  end)

  it("orders NaN where the comparison has it, and ends for comparisons that are no order", function()
    local nan = 0 / 0
    local t = {}
    for k = 1, 5000 do t[k] = math.random(9) == 1 and nan or math.random(100) end
    local x = dc.array(t, "float32")
    h.each_way(function()
      local got = x:sort { less = function(p, q) return p ~= p and q == q or p < q end }:to_table()
      local nans = 0
      for k = 1, #t do nans = nans + (t[k] ~= t[k] and 1 or 0) end
      for k = 1, #t do
        assert(k <= nans == (got[k] ~= got[k]) and (k <= nans + 1 or got[k - 1] <= got[k]), note("element " .. k))
      end
      local sum = dc.arange(1, 5000):sort { less = function(_, _) return true end }:sum():item()
      assert.equal(5000 * 5001 // 2, sum)
      local kept = dc.array { 4, 2, 3 }:sort { less = function(p, q) return p ~= p and q > 0 end }
      assert.same({ 4, 2, 3 }, kept:to_table())
    end, { "as_gpu", "serial" })
  end)

  it("has the same order with positions of 64 bits", function()
    local algorithm = require "dotcompute.algorithm"
    local narrow = algorithm.narrow
    algorithm.narrow = 1000
    local ok, err = pcall(h.each_way, function()
      local n = math.random(6000, 10000)
      local offsets, segment = offsets_of(n, 900), {}
      for k = 1, #offsets - 1 do
        for i = offsets[k], offsets[k + 1] - 1 do segment[i] = k end
      end
      local function before(p, q) return p > q end
      check_order(few_ints(n), "int32", { less = before, offsets = offsets }, before, segment)
      check_order(few_ints(n), "int32", { less = before }, before)
    end, { "as_gpu", "serial" })
    algorithm.narrow = narrow
    if not ok then error(err, 0) end
  end)

  it("can be captured in a graph", function()
    local t = few_ints(9000)
    local x, sorted = dc.zeros(9000, "int32"), nil
    local function less(p, q) return p > q end
    x:sort { less = less }
    local graph = dc.graph(function() sorted = x:sort { less = less } end)
    x:copy_from(dc.array(t, "int32"))
    graph()
    table.sort(t, less)
    h.same(t, sorted:to_table())
  end)

  it("follows captured numbers and functions, and takes objects of dc.jit", function()
    local x = dc.array { 1, 2, 3, 4, 5, 6 }
    local modulus = 2
    local function key(v) return v % modulus end
    local function less(p, q) return key(p) < key(q) end
    assert.same({ 2, 4, 6, 1, 3, 5 }, x:sort { less = less }:to_table())
    modulus = 3
    assert.same({ 3, 6, 1, 4, 2, 5 }, x:sort { less = less }:to_table())
    key = function(v) return -v end
    assert.same({ 6, 5, 4, 3, 2, 1 }, x:sort { less = dc.jit(less) }:to_table())
  end)
end)

describe("sort by a key", function()
  it("is stable, ascending and descending, with values", function()
    h.each_way(function()
      for _, n in ipairs { 1, 100, math.random(200, 9000) } do
        local t = h.ints(n, -50, 50)
        check_order(t, "int32", { key = function(v) return v * v end }, function(p, q) return p * p < q * q end)
        check_order(t, "int32", { key = function(v) return v * 0.5, 1 end, descending = true },
          function(p, q) return p > q end)
      end
    end, { "as_gpu", "serial" })
  end)

  it("sorts rows", function()
    local a = dc.array({ { 3, -1, 2 }, { -9, 4, 0 } }, "int32")
    assert.same({ { -1, 2, 3 }, { 0, 4, -9 } }, a:sort { key = function(v) return math.abs(v) end }:to_table())
    assert.same({ { 2, 3, 1 }, { 3, 2, 1 } }, a:argsort { key = function(v) return math.abs(v) end }:to_table())
  end)
end)

describe("sort of segments", function()
  local function segments_of(offsets)
    local segment = {}
    for k = 1, #offsets - 1 do
      for i = offsets[k], offsets[k + 1] - 1 do segment[i] = k end
    end
    return segment
  end

  it("never mixes them, whatever their lengths", function()
    local function before(p, q) return p // 2 > q // 2 end
    h.each_way(function()
      for _, n in ipairs { 1, 18, 4352, 4353, math.random(9000, 30000) } do
        for _, most in ipairs { 1, 40, 2500, 9000, 30000 } do
          local offsets = offsets_of(n, most)
          check_order(few_ints(n), "int32", { less = before, offsets = offsets }, before, segments_of(offsets))
        end
      end
    end)
  end)

  it("sorts in the order of sort without a comparison, or by a key", function()
    h.each_way(function()
      for _, dtype in ipairs { "int8", "uint16", "float32", "int64" } do
        local n = math.random(500, 6000)
        local offsets, t = offsets_of(n, 300), few_ints(n)
        local segment = segments_of(offsets)
        check_order(t, dtype, { offsets = offsets }, function(p, q) return p < q end, segment)
        check_order(t, dtype, { offsets = offsets, descending = true }, function(p, q) return p > q end, segment)
        check_order(t, dtype, { offsets = offsets, key = function(v) return v % 5 end },
          function(p, q) return p % 5 < q % 5 end, segment)
      end
    end, { "as_gpu", "serial" })
  end)
end)

describe("sort with values", function()
  it("moves values of any dtype as their elements move", function()
    local t = h.ints(3000, 0, 20)
    for _, dtype in ipairs { "bool", "int16", "float64", "complex64", "complex128" } do
      local values = dc.arange(1, 3000):to(dtype)
      local at = order_of(t, function(p, q) return p < q end)
      local want = values:take(dc.array(at, "int64"))
      local sorted, moved = dc.array(t, "int16"):sort { values = values }
      assert.equal(dtype, moved.dtype)
      h.same(picked(t, at), sorted:to_table())
      assert.is_true(dc.equal(want, moved))
      local _, by = dc.array(t, "int16"):sort { values = values, less = function(p, q) return p < q end }
      assert.is_true(dc.equal(want, by))
    end
  end)

  it("sorts nothing", function()
    local a, v = dc.zeros(0, "int32"):sort { less = function(p, q) return p < q end, values = dc.zeros(0) }
    assert.equal(0, a.size + v.size)
    assert.equal(0, dc.zeros(3, 0):argsort { key = function(v_) return v_ end }.size)
    assert.equal(0, dc.zeros(0):sort { offsets = { 1, 1, 1 } }.size)
  end)
end)

describe("sort by a function", function()
  local x = dc.array({ 3, 1, 2 }, "int32")

  it("refuses functions that are no comparison or key", function()
    fails("argument", "option 'less': a Lua function expected, got the number 1", function() x:sort { less = 1 } end)
    fails("argument", "'less' is a function of two elements, this one has 1 parameter", function()
      x:sort { less = function(p) return p > 0 end }
    end)
    fails("argument", "'key' is a function of an element, this one has 2 parameters", function()
      x:sort { key = function(p, q) return p + q end }
    end)
    fails("argument", "takes '...'", function() x:sort { less = function(...) return ... end } end)
    fails("compile", "returns int32 here; a comparison returns true or false", function()
      x:sort { less = function(p, q) return p - q end }
    end)
    fails("compile", "returns nothing", function() x:sort { less = function(p, q) if p < q then return end end } end)
    fails("compile", "cannot capture", function() x:sort { less = function(p, q) return x[1] + p < q end } end)
    fails("compile", "cannot write arrays, print", function()
      x:sort { less = function(p, q)
        print(p)
        return p < q
      end }
    end)
    fails("argument", "written in C", function() x:sort { less = math.ult } end)
  end)

  it("refuses options that do not fit together", function()
    local function less(p, q) return p < q end
    fails("argument", "one of the options 'less' and 'key'", function() x:sort { less = less, key = less } end)
    fails("argument", "'descending' has no meaning", function() x:sort { less = less, descending = true } end)
    fails("argument", "no option 'values'", function() x:argsort { values = x } end)
    fails("shape", "they must be the same", function() x:sort { values = { 1, 2 } } end)
    fails("dtype", "have no order", function() x:sort { key = function(v) return v end, values = x, axis = 1 }
      dc.zeros(3, "complex64"):sort { values = x }
    end)
    fails("index", "axis 2 is out of range", function() x:sort(2, { less = less }) end)
  end)

  it("refuses offsets that do not divide the array", function()
    fails("argument", "the first offset is 1, got 2", function() x:sort { offsets = { 2, 4 } } end)
    fails("argument", "the first offset is 1, got %-5", function() x:sort { offsets = { -5, 4 } } end)
    fails("argument", "the last offset is the number of elements plus 1, 4, got 3", function()
      x:sort { offsets = { 1, 3 } }
    end)
    fails("argument", "offset 3 is 2 after 3", function() x:sort { offsets = { 1, 3, 2, 4 } } end)
    fails("argument", "offset 2 is %-9223372036854775808 after 1", function()
      x:sort { offsets = { 1, math.mininteger, 4 } }
    end)
    fails("dtype", "offsets are integers", function() x:sort { offsets = dc.array { 1, 4 } } end)
    fails("shape", "the offsets are a 1%-d array", function() x:sort { offsets = {} } end)
    fails("shape", "segments are those of a 1%-d array", function()
      dc.zeros(2, 2):sort { offsets = { 1, 5 } }
    end)
  end)

  it("leaves no memory behind", function()
    local t = dc.array(h.ints(20000), "int32")
    h.gives_back(function()
      local s, v = t:sort { less = function(p, q) return p < q end, values = t, offsets = { 1, 700, 20001 } }
      s:close()
      v:close()
      t:argsort { key = function(p) return -p end }:close()
      pcall(t.sort, t, { offsets = { 1, 5 } })
    end)
  end)
end)
