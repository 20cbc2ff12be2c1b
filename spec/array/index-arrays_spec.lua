-- Reading and writing through arrays of indices and masks, against loops over Lua tables.
local helper = require "spec.helper"
local dc = require "dotcompute"
local fails, note = helper.fails, helper.note

-- n indices of an axis of extent `extent`, some of them counted from the end; and the same counted from 1.
local function indices(n, extent)
  local given, meant = {}, {}
  for i = 1, n do
    meant[i] = math.random(extent)
    given[i] = math.random() < 0.3 and meant[i] - extent - 1 or meant[i]
  end
  return given, meant
end

local integers = { "int8", "int16", "int32", "int64" }
local function index_array(given) return dc.array(given, integers[math.random(#integers)]) end

-- A matrix of different numbers as a table and an array of some layout.
local function matrix(rows, cols, dtype)
  local t = {}
  for i = 1, rows do
    t[i] = {}
    for j = 1, cols do t[i][j] = (i * 7 + j * 3 + math.random(0, 1)) % 100 end
  end
  local a = dc.array(t, dtype)
  local kind = math.random(3)
  if kind == 2 then return t, a.T:copy().T end
  if kind == 3 then
    local wide = dc.zeros(rows * 2, cols + 3, dtype)
    local view = wide[{ { 1, 2 * rows, 2 }, { 2, cols + 1 } }]
    view[":"] = a
    return t, view
  end
  return t, a
end

describe("an array of integers as an index", function()
  it("selects rows, elements and positions", function()
    for _, dtype in ipairs { "float32", "int64", "uint8", "float16", "complex64", "bool" } do
      local rows, cols = math.random(1, 40), math.random(1, 40)
      local t, a = matrix(rows, cols, dtype == "bool" and "uint8" or dtype)
      local n = math.random(1, 50)
      local given, meant = indices(n, rows)
      local got = a[index_array(given)]
      assert.same({ n, cols }, { got:shape() })
      local columns, which = indices(n, cols)
      local pairs_ = a[{ index_array(given), index_array(columns) }]
      local of_columns = a[{ ":", index_array(columns) }]
      assert.same({ n }, { pairs_:shape() })
      assert.same({ rows, n }, { of_columns:shape() })
      local re = function(v) return dtype == "complex64" and v.re or v end
      for _ = 1, 20 do
        local i, j, r = math.random(n), math.random(cols), math.random(rows)
        assert.equal(t[meant[i]][j], re(got[{ i, j }]), note(dtype))
        assert.equal(t[meant[i]][which[i]], re(pairs_[i]), note(dtype))
        assert.equal(t[r][which[i]], re(of_columns[{ r, i }]), note(dtype))
      end
    end
  end)

  it("is broadcast with other index arrays; their axes come first if ranges separate them", function()
    local t = {}
    for i = 1, 3 do
      t[i] = {}
      for j = 1, 4 do
        t[i][j] = {}
        for k = 1, 5 do t[i][j][k] = i * 100 + j * 10 + k end
      end
    end
    local a = dc.array(t)
    local i, k = { { 1 }, { 3 } }, { 2, 5, -5 }
    local apart = a[{ dc.array(i, "int32"), ":", dc.array(k, "int32") }]
    assert.same({ 2, 3, 4 }, { apart:shape() })
    assert.equal(t[3][2][5], apart[{ 2, 2, 2 }])
    assert.equal(t[1][4][1], apart[{ 1, 3, 4 }])
    local beside = a[{ { 2, 3 }, dc.array(i, "int32"), dc.array(k, "int32") }]
    assert.same({ 2, 2, 3 }, { beside:shape() })
    assert.equal(t[3][3][1], beside[{ 2, 2, 3 }])
    local dropped = a[{ 2, dc.array({ 4, 1 }, "uint8"), { 5, 1, -2 } }]
    assert.same({ { 245, 243, 241 }, { 215, 213, 211 } }, dropped:to_table())
  end)

  it("is part of an expression, one kernel", function()
    local x, i = dc.random.uniform(1000):eval(), dc.random.integers(500, { low = 1, high = 1000 }):eval()
    local e = x[i] * 2 + 1
    dc.stats "reset"
    e:eval()
    assert.equal(1, dc.stats().launches)
    local sum, want, all, at = x[i]:sum(), 0, x:to_table(), i:to_table()
    for k = 1, 500 do want = want + all[at[k]] end
    assert.is_true(math.abs(sum:item() - want) < 1e-3)
  end)

  it("uses the values at the time of indexing", function()
    local x = dc.arange(1, 5)
    local i = dc.array({ 5, 1 }, "int32")
    local e = x[i]
    x[1], i[1] = 100, 2
    assert.same({ 5, 1 }, e:to_table())
    assert.same({ 2, 100 }, x[i]:to_table())
  end)

  it("may be empty", function()
    local none = dc.zeros(0, "int32")
    assert.same({ 0, 3 }, { dc.ones(2, 3)[none]:shape() })
    assert.same({ 0 }, { dc.zeros(0)[none]:shape() })
    local a = dc.ones(3)
    a[none] = 5
    assert.equal(3, a:sum():item())
  end)

  it("out of bounds is an error that names it", function()
    local a = dc.zeros(3, 4)
    fails("index", "index 4, the index array's element 2, is out of bounds on axis 1, whose extent is 3",
      function() return a[dc.array({ 1, 4 }, "int32")] end)
    fails("index", "index %-5, .*axis 2", function() return a[{ 1, dc.array({ -5 }, "int64") }] end)
    fails("index", "index 0 .*count from 1", function()
      return a[{ ":", dc.array({ { 1, 2 }, { 0, 1 } }, "uint8") }]
    end)
    fails("index", "index 200", function() a[dc.array({ 200 }, "uint8")] = 1 end)
    fails("index", "float32", function() return a[dc.array { 1.5 }] end)
    fails("index", "axes", function() return a[{ 1, 2, dc.array({ 1 }, "int32") }] end)
    fails("shape", "%(2,%) .*%(3,%)", function()
      return a[{ dc.array({ 1, 2 }, "int32"), dc.array({ 1, 2, 3 }, "int32") }]
    end)
    fails("argument", "closed", function()
      local i = dc.array({ 1 }, "int32")
      i:close()
      return a[i]
    end)
  end)
end)

describe("writing through an array of integers", function()
  it("takes numbers, tables and arrays; the last of several values for one element wins", function()
    for _, dtype in ipairs { "float32", "int32", "uint8", "float16" } do
      local rows, cols, n = math.random(1, 30), math.random(1, 120), math.random(1, 60)
      local t, a = matrix(rows, cols, dtype)
      local given, meant = indices(n, rows)
      local values = {}
      for i = 1, n do
        values[i] = {}
        for j = 1, cols do
          values[i][j] = math.random(0, 100)
          t[meant[i]][j] = values[i][j]
        end
      end
      a[index_array(given)] = dc.array(values, "int32")
      assert.same(t, a:to_table(), note(dtype))
      local columns, which = indices(n, cols)
      for i = 1, n do t[meant[i]][which[i]] = i end
      local row = {}
      for i = 1, n do row[i] = i end
      a[{ index_array(given), index_array(columns) }] = row
      assert.same(t, a:to_table(), note(dtype))
      a[{ ":", index_array(columns) }] = 7
      for i = 1, rows do
        for k = 1, n do t[i][which[k]] = 7 end
      end
      assert.same(t, a:to_table(), note(dtype))
    end
  end)

  it("writes elements of any size, at indices of any integers, wherever memory lies", function()
    local sizes = { "int8", "bool", "float16", "int16", "float32", "int64", "complex64", "complex128" }
    local kinds = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
    for _, dtype in ipairs(sizes) do
      for _, kind in ipairs(kinds) do
        local extent, n = math.random(1, 100), math.random(1, 700)
        local given, meant = indices(n, extent)
        if kind:find "^u" then given = meant end
        local step, shift = math.random(-3, 3), math.random(0, 2)
        if step == 0 then step = 1 end
        local wide = dc.full(extent * math.abs(step) + shift, 1, dtype)
        local first, last = shift + 1, shift + 1 + (extent - 1) * math.abs(step)
        local a = wide[{ step > 0 and { first, last, step } or { last, first, step } }]
        local index, values, want = dc.array(given, kind), {}, {}
        for i = 1, extent do want[i] = 1 end
        for i = 1, n do
          values[i] = dtype == "bool" and math.random(0, 1) or math.random(0, 100)
          want[meant[i]] = values[i]
        end
        local source = dc.array(values, "int32"):to(dtype)
        local how = math.random(4)
        if how == 2 then index = dc.array(given, kind):reshape(1, n) end
        if how == 3 then source = dc.wrap(source.ptr, n, dtype, source) end
        if how == 4 then index = dc.flip(dc.flip(index)) end
        a[index] = how == 2 and source:reshape(1, n) or source
        local text = ("%s at %s, %d of %d, way %d"):format(dtype, kind, n, extent, how)
        local got = a:to(dtype:find "complex" and "complex128" or "float64"):to_table()
        for i = 1, extent do
          local v = got[i]
          assert.equal(want[i], type(v) == "number" and v or v.re, note(text))
        end
        local place = math.random(extent) -- and one number at several places
        a[dc.array({ place, place }, kind)] = dtype == "bool" or 5
        assert.equal(1, dc.equal(a[place], dtype == "bool" or 5) and 1 or 0, note(text))
        local sum = math.abs(step) > 1 and extent > 1 -- what lies between is as it was
        if sum then assert.is_true(dc.equal(wide[first + 1], dtype == "bool" or 1), note(text)) end
      end
    end
  end)

  it("reads elements before it overwrites them", function()
    local n = math.random(2, 3000)
    local order = dc.random.permutation(n)
    local a = dc.arange(1, n):to "int32"
    a[order] = a
    local got, at = a:to_table(), order:to_table()
    for i = 1, n do assert.equal(i, got[at[i]]) end
    a[a] = a -- the index is the target itself: a permutation, written to its own places
    assert.same(dc.arange(1, n):to("int32"):to_table(), a:to_table())
  end)

  it("may write the indices themselves, which were read before", function()
    local n = math.random(600, 3000)
    local a = dc.random.permutation(n)
    local t, want, values = a:to_table(), {}, {}
    for i = 1, n do
      values[i] = math.random(n)
      want[t[i]] = values[i]
    end
    a[a] = dc.array(values, "int64")
    assert.same(want, a:to_table())
  end)

  it("evaluates pending expressions that read the target first", function()
    local a = dc.ones(4)
    local e = a * 3
    a[dc.array({ 2 }, "int32")] = 0
    assert.same({ 3, 3, 3, 3 }, e:to_table())
    assert.same({ 1, 0, 1, 1 }, a:to_table())
  end)

  it("refuses indices out of bounds, and has written nothing then", function()
    for _, kind in ipairs { "int8", "int64", "uint8", "uint32", "uint64" } do
      local n, extent = math.random(1, 600), math.random(1, 90)
      local given = {}
      for i = 1, n do given[i] = math.random(extent) end
      local at = math.random(n)
      local bad = { 0, extent + 1, kind:find "^i" and -extent - 1 or 0, kind == "uint64" and -1 or 0 }
      given[at] = bad[math.random(#bad)]
      local a = dc.zeros(extent)
      local index = kind == "uint64" and dc.array(given, "int64"):to "uint64" or dc.array(given, kind)
      fails("index", ("element %d"):format(at), function() a[index] = dc.ones(n) end)
      fails("index", ("element %d"):format(at), function() return a[index] end)
      assert.equal(0, a:sum():item())
    end
  end)

  it("refuses indices and values that do not fit", function()
    local a, i = dc.zeros(4, "uint8"), dc.array({ 1, 2 }, "int32")
    fails("shape", "", function() a[i] = { 1, 2, 3 } end)
    fails("dtype", "256", function() a[i] = 256 end)
    fails("dtype", "imaginary", function() a[i] = dc.array { dc.complex(1, 2), dc.complex(0, 1) } end)
    fails("argument", "broadcast", function() dc.zeros(1):broadcast_to(4)[i] = 1 end)
    fails("argument", "function", function() a[i] = print end)
  end)
end)

describe("a mask", function()
  it("selects and writes the elements for which it is true", function()
    local rows, cols = math.random(1, 60), math.random(1, 60)
    local t, a = matrix(rows, cols, "float32")
    local limit = math.random(0, 100)
    local mask, want = a:lt(limit), {}
    for i = 1, rows do
      for j = 1, cols do if t[i][j] < limit then want[#want + 1] = t[i][j] end end
    end
    assert.same(want, a[mask]:to_table())
    local numbers, at = {}, 0
    for i = 1, #want do numbers[i] = i + 1000 end
    a[mask] = numbers
    for i = 1, rows do
      for j = 1, cols do
        if t[i][j] < limit then
          at = at + 1
          t[i][j] = numbers[at]
        end
      end
    end
    assert.same(t, a:to_table())
    a[a:ge(1000)] = -1
    for i = 1, rows do
      for j = 1, cols do if t[i][j] >= 1000 then t[i][j] = -1 end end
    end
    assert.same(t, a:to_table())
  end)

  it("of fewer axes selects rows, and combines with other indices", function()
    local a = dc.arange(1, 12):reshape(3, 4)
    local rows = dc.array { true, false, true }
    assert.same({ { 1, 2, 3, 4 }, { 9, 10, 11, 12 } }, a[rows]:to_table())
    assert.same({ 2, 10 }, a[{ rows, 2 }]:to_table())
    assert.same({ { 4, 1 }, { 12, 9 } }, a[{ rows, { 4, 1, -3 } }]:to_table())
    a[rows] = 0
    assert.same({ { 0, 0, 0, 0 }, { 5, 6, 7, 8 }, { 0, 0, 0, 0 } }, a:to_table())
  end)

  it("of another shape is an error with both shapes", function()
    fails("index", "%(3,%).*%(2, 3%)", function() return dc.zeros(2, 3)[dc.array { true, false, true }] end)
    fails("index", "mask", function() dc.zeros(4)[dc.array { true, false }] = 1 end)
    fails("dtype", "300", function() dc.zeros(2, "uint8")[dc.array { true, false }] = 300 end)
  end)
end)
