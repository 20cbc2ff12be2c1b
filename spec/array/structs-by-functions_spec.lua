-- Algorithms over arrays of structs by functions of the script, against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

local P = dc.struct("Particle", { { "id", "int32" }, { "cell", "int16" }, { "w", "float64" } })
local Small = dc.struct("Small", { { "a", "uint8" }, { "b", "uint8" }, { "c", "uint8" } })
local Wide = dc.struct("Wide", { { "key", "int32" }, { "more", "float32", 24 } })

-- n particles, a list of tables.
local function particles(n)
  local list = {}
  for k = 1, n do list[k] = P { id = k, cell = math.random(0, 30), w = math.random(-64, 64) / 8 } end
  return list
end

local function field(list, name)
  local t = {}
  for k, v in ipairs(list) do t[k] = v[name] end
  return t
end

local function sorted(list, before)
  local at = {}
  for k = 1, #list do at[k] = k end
  table.sort(at, function(i, j)
    if before(list[i], list[j]) then return true end
    return not before(list[j], list[i]) and i < j
  end)
  local out = {}
  for k, i in ipairs(at) do out[k] = list[i] end
  return out, at
end

local function same_ids(want, got, text) h.same(field(want, "id"), field(got:to_table(), "id"), text) end

local function by_cell(p, q) return p.cell < q.cell end

describe("arrays of structs", function()
  it("are sorted by a comparison, stably, in several tiles", function()
    h.each_way(function()
      for _, n in ipairs { 1, 2, 1279, 1280, 1281, math.random(2000, 6000) } do
        local list = particles(n)
        local a, want, at = P:array(list), sorted(list, by_cell)
        local got, numbers = a:sort { less = by_cell, values = dc.arange(1, n):to "int64" }
        same_ids(want, got, "of " .. n)
        h.same(at, numbers:to_table())
        h.same(at, a:argsort { less = by_cell }:to_table())
        assert.equal(list[1].w, a[1].w)
      end
    end)
  end)

  it("of odd and of many bytes, too", function()
    h.each_way(function()
      local small, wide = {}, {}
      for k = 1, 3000 do small[k] = Small(math.random(0, 9), k % 256, k // 256) end
      for k = 1, 700 do
        local more = {}
        for j = 1, 24 do more[j] = k + j end
        wide[k] = Wide { key = math.random(0, 50), more = more }
      end
      local want = sorted(small, function(p, q) return p.a > q.a end)
      local got = Small:array(small):sort { less = function(p, q) return p.a > q.a end }:to_table()
      for k, v in ipairs(want) do assert(v.a == got[k].a and v.b == got[k].b and v.c == got[k].c, h.note("" .. k)) end
      want = sorted(wide, function(p, q) return p.key < q.key end)
      local sorted_wide = Wide:array(wide):sort { less = function(p, q) return p.key < q.key end }
      h.same(field(want, "key"), sorted_wide:field("key"):to_table())
      for k, v in ipairs(want) do assert.same(v.more, sorted_wide[k].more) end
      local by_key = Wide:array(wide):sort { key = function(p) return p.key end }
      assert.is_true(dc.equal(sorted_wide.bytes, by_key.bytes))
    end, { "as_gpu", "serial" })
  end)

  it("are sorted by keys, in segments and rows, and travel along", function()
    h.each_way(function()
      local n = math.random(500, 4000)
      local list = particles(n)
      local a = P:array(list)
      local want = sorted(list, function(p, q) return p.w > q.w end)
      same_ids(want, a:sort { key = function(p) return p.w end, descending = true })
      local cut = math.random(1, n)
      local first, second = table.move(list, 1, cut, 1, {}), table.move(list, cut + 1, n, 1, {})
      local both = sorted(first, by_cell)
      table.move((sorted(second, by_cell)), 1, #second, #both + 1, both)
      same_ids(both, a:sort { less = by_cell, offsets = { 1, cut + 1, n + 1 } })
      same_ids(both, a:sort { key = function(p) return p.cell end, offsets = { 1, cut + 1, n + 1 } })
      local _, moved = a:field("w"):sort { values = a, descending = true }
      same_ids(want, moved)
      _, moved = a:field("cell"):sort { values = a, less = function(p, q) return p < q end }
      same_ids((sorted(list, by_cell)), moved)
    end, { "as_gpu", "serial" })
    local rows = P:view(P:array(particles(12)).bytes:reshape(3, 4, P.size)):sort { less = function(p, q)
      return p.id > q.id
    end }
    assert.same({ 4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9 }, field(rows:to_table(), "id"))
    assert.same({ 3, 4 }, { rows:shape() })
  end)

  it("are selected, divided, made unique and searched", function()
    h.each_way(function()
      local list = particles(math.random(1000, 3000))
      local a = P:array(list)
      local heavy, light, small = {}, {}, {}
      for _, p in ipairs(list) do
        local part = p.w > 2 and heavy or p.cell < 9 and small or light
        part[#part + 1] = p
      end
      same_ids(heavy, a:select(function(p) return p.w > 2 end))
      same_ids(heavy, a:select(a:field("w"):gt(2)))
      local x, y, z = a:partition(function(p) return p.w > 2 end, function(p) return p.cell < 9 end)
      same_ids(heavy, x)
      same_ids(small, y)
      same_ids(light, z)
      local want, firsts, counts = sorted(list, by_cell), {}, {}
      for k, p in ipairs(want) do
        if k == 1 or want[k - 1].cell ~= p.cell then
          firsts[#firsts + 1], counts[#firsts + 1] = p, 0
        end
        counts[#firsts] = counts[#firsts] + 1
      end
      local distinct, got_counts, inverse, values = a:unique { less = by_cell, counts = true, inverse = true,
        values = a }
      same_ids(firsts, distinct)
      same_ids(firsts, values)
      h.same(counts, got_counts:to_table())
      h.same(field(list, "cell"), distinct:field("cell"):take(inverse):to_table())
      same_ids(firsts, P:array(want):unique { equal = function(p, q) return p.cell == q.cell end })
      local places = distinct:searchsorted(a, { less = by_cell })
      h.same(inverse:to_table(), places:to_table())
      h.same((inverse + 1):to_table(), distinct:searchsorted(a, "right", { less = by_cell }):to_table())
    end, { "as_gpu", "serial" })
  end)

  it("are folded, as structs and mapped to numbers or others", function()
    local Sum = dc.struct("Sum", { { "n", "int64" }, { "w", "float64" } })
    h.each_way(function()
      for _, n in ipairs { 1, 300, 20000 } do
        local list = particles(n)
        local a = P:array(list)
        local w, heaviest = 0, list[1]
        for _, p in ipairs(list) do
          w = w + p.w -- exact
          if p.w > heaviest.w or (p.w == heaviest.w and p.id < heaviest.id) then heaviest = p end
        end
        local got = a:reduce(function(p, q)
          if q.w > p.w or (q.w == p.w and q.id < p.id) then return q end
          return p
        end)
        assert.equal(heaviest.id, got.id)
        assert.equal(w, a:reduce(function(p, q) return p + q end, { map = function(p) return p.w end }):item())
        local sum = a:reduce(function(p, q) return Sum(p.n + q.n, p.w + q.w) end,
          { map = function(p) return Sum(1, p.w) end, init = Sum(1000, 0) })
        assert.same({ 1000 + n, w }, { sum.n, sum.w })
        local Best = dc.struct("Best", { { "w", "float64" }, { "at", "int64" } })
        local best = a:reduce(function(p, q)
          if q.w > p.w or (q.w == p.w and q.at < p.at) then return q end
          return p
        end, { map = function(p, i) return Best(p.w, i) end })
        assert.same({ heaviest.w, heaviest.id }, { best.w, best.at })
        local parts = a:segmented_reduce({ 1, 1, n + 1 }, function(p, q) return Sum(p.n + q.n, p.w + q.w) end,
          { map = function(p) return Sum(1, p.w) end, init = Sum(7, 0.5) })
        assert.same({ 7, 7 + n }, parts:field("n"):to_table())
        assert.same({ 0.5, 0.5 + w }, parts:field("w"):to_table())
      end
    end)
    local none = P:array(0):reduce(function(p, _) return p end, P(1, 2, 3))
    assert.equal(3, none.w)
  end)

  it("are scanned by operators that need not commute", function()
    local Affine = dc.struct("Affine", { { "m", "int64" }, { "c", "int64" } }) -- x -> m x + c, of numbers modulo 1009
    local function after(p, q) return Affine(p.m * q.m % 1009, (q.m * p.c + q.c) % 1009) end
    h.each_way(function()
      for _, n in ipairs { 1, 2, 2047, 2048, 2049, math.random(3000, 9000) } do
        local m, c = h.ints(n, 1, 9), h.ints(n, 0, 9)
        local a = dc.transform(function(x, y) return Affine(x, y) end, dc.array(m, "int64"), dc.array(c, "int64"))
        local scan = dc.scan { op = after }
        local want_m, want_c, x, y = {}, {}, 1, 0
        for k = 1, n do
          x, y = x * m[k] % 1009, (m[k] * y + c[k]) % 1009
          want_m[k], want_c[k] = x, y
        end
        local got = scan(a)
        h.same(want_m, got:field("m"):to_table(), "of " .. n)
        h.same(want_c, got:field("c"):to_table(), "of " .. n)
        local before = dc.scan { op = after, exclusive = true, identity = function() return Affine(1, 0) end }(a)
        table.insert(want_m, 1, 1)
        table.remove(want_m)
        h.same(want_m, before:field("m"):to_table(), "of " .. n)
        local sums, sum = {}, 0
        for k = 1, n do
          sum = sum + c[k]
          sums[k] = sum
        end
        h.same(sums, dc.scan { op = function(p, q) return p + q end, map = function(p) return p.c end }(a):to_table())
      end
    end, { "as_gpu" })
    assert.equal(0, dc.scan { op = after }(Affine:array(0)).size)
    local a = Affine:array(3)
    fails("argument", "option 'identity' is a function that returns one", function()
      dc.scan { op = after, exclusive = true, identity = 0 }(a)
    end)
    fails("argument", "an operator of structs is a function in Lua", function()
      dc.scan { input = "T x", op = "a" }(a)
    end)
    fails("compile", "makes one Affine of two", function() dc.scan { op = function(p, q) return p.m + q.m end }(a) end)
    fails("shape", "with one axis can be scanned", function() dc.scan { op = after }(Affine:array(2, 2)) end)
    fails("dtype", "got an array of structs: s:reduce", function() dc.reduction { reduce = after }(a) end)
  end)

  it("are made and read by dc.transform, and counted by keys", function()
    local list = particles(500)
    local a = P:array(list)
    local made, doubled = dc.transform(function(id, cell, p) return P(id, cell, p.w), 2 * p.w end, a:field "id",
      a:field "cell", a)
    for _, name in ipairs { "id", "cell", "w" } do
      h.same(field(list, name), made:field(name):to_table())
    end
    h.same((a:field "w" * 2):to_table(), doubled:to_table())
    local pairs_ = dc.transform(function(i, j) return Small(i, j, 0) end, dc.array({ 1, 2 }, "uint8"),
      dc.array({ 3, 4 }, "uint8"))
    assert.same({ 1, 3, 2, 4 }, { pairs_[1].a, pairs_[1].b, pairs_[2].a, pairs_[2].b })
    local origin = P(0, 0, 1.5)
    assert.same({ list[1].w - 1.5 }, { dc.transform(function(p, q) return p.w - q.w end, a, origin)[1] })
    h.same(a:field("cell"):bincount():to_table(), a:bincount({ key = function(p) return p.cell end }):to_table())
    h.same(a:field("w"):histogram({ -5, 0, 5 }):to_table(),
      (a:histogram({ -5, 0, 5 }, { key = function(p) return p.w end })):to_table())
    assert.same({ 3, 3, 500 }, a:take({ 3, 3, -1 }):field("id"):to_table())
    assert.equal(0, P:array(0):sort({ less = by_cell }).size + P:array(0):select(function(p) return p.w > 0 end).size)
  end)

  it("refuse what has no meaning for structs", function()
    local a = P:array(3)
    fails("dtype", "structs have no order of their own; give option 'less' or 'key'", function() a:sort() end)
    fails("dtype", "structs have no order of their own", function() a:unique { counts = true } end)
    fails("dtype", "structs have no order of their own", function() a:searchsorted(a) end)
    fails("dtype", "option 'key' gives structs", function() a:sort { key = function(p) return p end } end)
    fails("dtype", "the values are an array of Particle", function() a:searchsorted({ 1 }, { less = by_cell }) end)
    fails("dtype", "got one of structs", function() dc.cumsum(a) end)
    fails("dtype", "got one of structs", function() a:histogram() end)
    fails("shape", "sorted along the last axis, 2, not along axis 1", function()
      P:array(2, 2):sort(1, { less = by_cell })
    end)
    fails("compile", "has no field 'heft'", function()
      a:sort { less = function(p, q) return p.heft < q.heft end }
    end)
    fails("compile", "makes one Particle of two", function() a:reduce(function(p, q) return p.w + q.w end) end)
    fails("argument", "the initial value is a Particle, got", function() a:reduce(function(p, _) return p end, 1) end)
    fails("argument", "the initial value is a Particle, got", function()
      a:reduce(function(p, _) return p end, Small(1, 2, 3))
    end)
    fails("dtype", "option 'dtype' is of numbers", function()
      a:reduce(function(p, _) return p end, { dtype = "int32" })
    end)
    fails("compile", "a map returns a number, a boolean or a struct", function()
      a:reduce(function(p, _) return p end, { map = function(p) return { p.id, p.w } end })
    end)
    fails("shape", "arrays beside structs have one shape", function()
      dc.transform(function(p, x) return p.w * x end, a, { 1, 2 })
    end)
    fails("argument", "no argument is an array", function() dc.transform(function(p) return p.w end, P()) end)
    fails("shape", "with one axis is expected", function() P:array(2, 2):take { 1 } end)
    fails("index", "index 4", function() a:take { 4 } end)
    local Huge = dc.struct("Huge", { { "x", "float32", 1000 } })
    fails("dtype", "Huge has 4000 bytes", function()
      Huge:array(2):sort { less = function(p, q) return p.x[1] < q.x[1] end }
    end)
    fails("dtype", "Huge has 4000 bytes", function() Huge:array(2):reduce(function(p, _) return p end) end)
  end)

  it("leave no memory behind", function()
    local a = P:array(particles(5000))
    h.gives_back(function()
      a:sort({ less = by_cell }):close()
      a:select(function(p) return p.w > 0 end):close()
      a:unique({ less = by_cell }):close()
      a:reduce(function(p, _) return p end)
      a:sort({ key = function(p) return p.w end }):close()
    end)
  end)
end)
