-- a[i], a[{…}]: reading and writing elements, rows and blocks.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails = h.note, h.fails

-- The plain-Lua meaning of one index of an axis of extent n: 1-based positions, and whether the axis goes.
local function positions(index, n)
  if index == nil or index == ":" then
    local t = {}
    for i = 1, n do t[i] = i end
    return t, false
  elseif math.type(index) == "integer" then
    return { index < 0 and n + 1 + index or index }, true
  end
  local first, last, step = index[1], index[2], index[3] or 1
  if first < 0 then first = n + 1 + first end
  if last < 0 then last = n + 1 + last end
  local t = {}
  for i = first, last, step do t[#t + 1] = i end
  return t, false
end

-- The block of a nested table.
local function block(t, shape, index, axis)
  axis = axis or 1
  if axis > #shape then return t end
  local where, drop = positions(index[axis], shape[axis])
  if drop then return block(t[where[1]], shape, index, axis + 1) end
  local out = {}
  for i, k in ipairs(where) do out[i] = block(t[k], shape, index, axis + 1) end
  return out
end

-- Sets every element of the block to v.
local function set_block(t, shape, index, v, axis)
  axis = axis or 1
  for _, k in ipairs(positions(index[axis], shape[axis])) do
    if axis == #shape then t[k] = v else set_block(t[k], shape, index, v, axis + 1) end
  end
end

local function random_axis(n)
  local kind = math.random(6)
  local function edge(i) return math.random(3) == 1 and i - n - 1 or i end
  if kind == 1 then return ":" end
  if kind <= 3 then return edge(math.random(n)) end
  local a, b = math.random(n), math.random(n)
  if kind == 4 then return { edge(math.min(a, b)), edge(math.max(a, b)) } end
  if kind == 5 then return { edge(math.min(a, b)), edge(math.max(a, b)), math.random(3) } end
  return { edge(math.max(a, b)), edge(math.min(a, b)), -math.random(3) }
end

local function show(index)
  local out = {}
  for i, v in ipairs(index) do out[i] = type(v) == "table" and "{" .. table.concat(v, ",") .. "}" or tostring(v) end
  return "{" .. table.concat(out, ", ") .. "}"
end

describe("a range that is none", function()
  it("names what was perhaps meant", function()
    local a = dc.zeros(5, 5)
    h.fails("index", 'got a table of 0; ":" is the whole axis', function() return a[{ {}, 1 }] end)
    local list = 'got a table of 4; elements of a list of indices are those of dc.array%(list, "int64"%)'
    h.fails("index", list, function() return a[{ { 1, 3, 4, 5 }, 1 }] end)
  end)
end)

describe("a[i]", function()
  it("is a Lua value on a 1-d array, from either end", function()
    for _, dtype in ipairs(h.dtypes) do
      local n = math.random(1, 20)
      local t = h.values(n, dtype)
      local a = dc.array(t, dtype)
      for i = 1, n do
        assert.equal(t[i], a[i], note(dtype))
        assert.equal(t[i], a[i - n - 1])
        assert.equal(t[i], a[i + 0.0])
      end
    end
    assert.equal("integer", math.type(dc.ones(1, "int32")[1]))
    assert.equal("float", math.type(dc.ones(1)[1]))
  end)

  it("is nil one past the last element, so that ipairs ends", function()
    local a, sum, n = dc.array { 4, 5, 6 }, 0, 0
    assert.is_nil(a[4])
    for i, v in ipairs(a) do n, sum = i, sum + v end
    assert.equal(3, n)
    assert.equal(15, sum)
    assert.is_nil(dc.zeros(0)[1])
  end)

  it("is nil one past the last row of arrays of more axes, so that ipairs ends after all rows", function()
    for _ = 1, 5 do
      local rows, columns = math.random(0, 6), math.random(0, 4)
      local t, read = {}, {}
      for i = 1, rows do t[i] = h.values(columns, "int32") end
      local a = rows > 0 and dc.array(t, "int32") or dc.zeros({ 0, columns }, "int32")
      for i, row in ipairs(a) do read[i] = row:to_table() end
      assert.same(t, read, note())
      for i, row in ipairs(a.T:copy().T) do assert.same(t[i], row:to_table(), note()) end
      assert.is_nil(a[rows + 1])
      h.fails("index", "out of bounds", function() return a[rows + 2] end)
      h.fails("index", "out of bounds", function() a[rows + 1] = 1 end)
    end
  end)

  it("is a view of a row on arrays of more axes", function()
    local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
    local row = a[2]
    assert.same({ 3 }, { row:shape() })
    row[1] = 40
    assert.equal(40, a[{ 2, 1 }])
    assert.equal(6, a[-1][-1])
    a[1] = 0
    assert.same({ { 0, 0, 0 }, { 40, 5, 6 } }, a:to_table())
  end)

  it("writes elements and rows", function()
    local t = h.values(12, "int32")
    local a = dc.zeros(12, "int32")
    for i = 1, 12 do a[i] = t[i] end
    assert.same(t, a:to_table(), note())
    local m = dc.zeros(2, 3)
    m[1] = { 7, 8, 9 }
    m[2] = m[1]
    m[1] = dc.array { 1, 2, 3 } * 2
    assert.same({ { 2, 4, 6 }, { 7, 8, 9 } }, m:to_table())
    m[-1] = 5
    assert.same({ 5, 5, 5 }, m:row(2):to_table())
  end)

  it("refuses other indices", function()
    local a, m = dc.ones(3), dc.ones(2, 2)
    fails("index", "index 0 .* count from 1", function() return a[0] end)
    fails("index", "out of bounds.* 3", function() return a[5] end)
    fails("index", "%-4 is out of bounds", function() return a[-4] end)
    fails("index", "out of bounds", function() return m[4] end)
    fails("index", "1%.5 is no integer", function() return a[1.5] end)
    fails("index", "no integer", function() return a[0 / 0] end)
    fails("index", "'frist'", function() return a.frist end)
    fails("index", "'1'", function() return a["1"] end)
    fails("index", "true", function() return a[true] end)
    fails("index", "no axis", function() return dc.array(1)[1] end)
    fails("index", "arrays", function() return a[dc.ones(3)] end)
    fails("index", "out of bounds", function() a[4] = 1 end)
    fails("index", "count from 1", function() a[0] = 1 end)
    fails("index", "cannot be set", function() a.dtype = "int32" end)
    fails("index", "cannot be set", function() a.foo = 1 end)
    assert.same({ 1, 1, 1 }, a:to_table())
  end)

  it("refuses values that do not fit", function()
    local a, u = dc.ones(3), dc.ones(3, "uint8")
    fails("argument", "got nil", function() a[1] = nil end)
    fails("argument", "got the string 'x'", function() a[1] = "x" end)
    fails("dtype", "%-1", function() u[1] = -1 end)
    fails("dtype", "1%.5", function() u[1] = 1.5 end)
    fails("dtype", "256", function() u[1] = 256 end)
    fails("shape", "", function() a[":"] = { 1, 2 } end)
    assert.same({ 1, 1, 1 }, u:to_table())
  end)
end)

describe("a[{…}]", function()
  it("reads any block as plain Lua would", function()
    for round = 1, 120 do
      local shape = h.shape(math.random(1, 4), 6)
      local t = h.nested(shape, "int32")
      local a, index = dc.array(t, "int32"), {}
      for i = 1, math.random(1, #shape) do index[i] = random_axis(shape[i]) end
      local want, got = block(t, shape, index), a[index]
      if type(want) == "table" then got = got:to_table() end
      assert.same(want, got, note(("round %d: %s"):format(round, show(index))))
      if type(want) == "table" then assert.same(want, a:slice(table.unpack(index)):to_table()) end
    end
  end)

  it("writes any block", function()
    for round = 1, 60 do
      local shape = h.shape(math.random(1, 3), 6)
      local t = h.nested(shape, "int32")
      local a, index, v = dc.array(t, "int32"), {}, math.random(-1000, 1000)
      for i = 1, math.random(1, #shape) do index[i] = random_axis(shape[i]) end
      set_block(t, shape, index, v)
      a[index] = v
      assert.same(t, a:to_table(), note(("round %d: %s"):format(round, show(index))))
    end
  end)

  it("copies arrays and tables into a block, broadcasting them", function()
    local a = dc.zeros(3, 4, "int32")
    a[{ { 1, 2 }, { 2, 4, 2 } }] = { { 1, 2 }, { 3, 4 } }
    a[{ 3 }] = dc.array({ 9 }, "int32")
    assert.same({ { 0, 1, 0, 2 }, { 0, 3, 0, 4 }, { 9, 9, 9, 9 } }, a:to_table())
    a[{ ":", 1 }] = a[{ ":", 4 }]
    assert.same({ 2, 4, 9 }, a:col(1):to_table())
    a[{ 1, { 4, 1, -1 } }] = a[1] -- overlapping: as if copied first
    assert.same({ 2, 0, 1, 2 }, a:row(1):to_table())
    fails("shape", "", function() a[{ { 1, 2 } }] = { 1, 2, 3 } end)
  end)

  it("takes empty ranges", function()
    local a = dc.arange(1, 5)
    assert.equal(0, #a[{ { 1, 0 } }])
    assert.equal(0, #a[{ { 6, 5 } }])
    assert.equal(0, #a[{ { 3, 2 } }])
    a[{ { 3, 2 } }] = 7
    assert.same({ 1, 2, 3, 4, 5 }, a:to_table())
  end)

  it("gives a Lua value when integers stand for all axes", function()
    local a = dc.array({ { 1, 2 }, { 3, 4 } }, "int64")
    assert.equal(3, a[{ 2, 1 }])
    assert.equal(4, a[{ -1, -1 }])
    assert.equal(2.5, dc.array(2.5)[{}])
    assert.matches("^dotcompute%.array", debug.getmetatable(a:slice(2, 1)).__name)
  end)

  it("refuses indices that are out of bounds or invalid", function()
    local a = dc.ones(3, 4)
    fails("index", "axis 2.* 4", function() return a[{ 1, 5 }] end)
    fails("index", "index 0 on axis 1", function() return a[{ 0, 1 }] end)
    fails("index", "3 indices", function() return a[{ 1, 1, 1 }] end)
    fails("index", "{2, 9}", function() return a[{ { 2, 9 } }] end)
    fails("index", "{0, 2}", function() return a[{ { 0, 2 } }] end)
    fails("index", "{%-9, 2}", function() return a[{ { -9, 2 } }] end)
    fails("index", "step .* 0", function() return a[{ { 1, 2, 0 } }] end)
    fails("index", "first, last", function() return a[{ { 1 } }] end)
    fails("index", "string", function() return a[{ "1:2" }] end)
    fails("index", "1%.5", function() return a[{ 1.5 }] end)
    fails("index", "last .* integer", function() return a[{ { 1, "x" } }] end)
    fails("index", "axis 2", function() a[{ 1, 5 }] = 0 end)
    assert.same({ 1, 1, 1, 1 }, a[1]:to_table())
  end)

  it("a[\":\"] = expression computes into the array", function()
    local a = dc.array { 1, 2, 3 }
    local view = a[{ { 1, 2 } }]
    a[":"] = a * 2 + 1
    assert.same({ 3, 5, 7 }, a:to_table())
    assert.same({ 3, 5 }, view:to_table())
    a[":"] = 4
    assert.same({ 4, 4 }, view:to_table())
  end)

  -- Of many blocks, so that what is written too early is read by others.
  it("a value that reads other elements of the array is computed before any are written", function()
    local n = 20000
    local function numbers() return dc.arange(1, n, "int32"):eval() end
    local a = numbers()
    a[":"] = a[{ { -1, 1, -1 } }]
    assert.is_true(dc.equal(a, dc.arange(n, 1, -1, "int32")))
    a = numbers()
    a[":"] = a[{ { -1, 1, -1 } }] + a
    assert.is_true(dc.equal(a, dc.full(n, n + 1, "int32")))
    a = numbers()
    a[{ { 2, -1 } }] = a[{ { 1, -2 } }]
    assert.is_true(dc.equal(a[{ { 2, -1 } }], dc.arange(1, n - 1, "int32")))
    a = numbers()
    a[{ { 1, -2 } }] = a[{ { 2, -1 } }] * 2
    assert.is_true(dc.equal(a[{ { 1, -2 } }], dc.arange(4, 2 * n, 2, "int32")))
    a = numbers()
    a:copy_from(a[{ { 1, 1 } }] + a)
    assert.is_true(dc.equal(a, dc.arange(2, n + 1, "int32")))
    a = numbers()
    a[":"] = a - a:max()
    assert.is_true(dc.equal(a, dc.arange(1 - n, 0, "int32")))
    local m = dc.arange(1, 150 * 150, "int32"):reshape(150, 150):copy()
    local before = m:copy()
    m[":"] = m.T
    assert.is_true(dc.equal(m, before.T))
    m[":"] = m.T - m
    assert.is_true(dc.equal(m, before - before.T))
    m:copy_from(before)
    m[":"] = m - m:row(7)
    assert.is_true(dc.equal(m, before - before:row(7)))
    m:copy_from(before)
    m[{ { 2, 150 }, { 2, 150 } }] = m[{ { 1, 149 }, { 1, 149 } }]
    assert.is_true(dc.equal(m[{ { 2, 150 }, { 2, 150 } }], before[{ { 1, 149 }, { 1, 149 } }]))
    m:copy_from(before)
    m[":"] = m - m:min { 1, keep = true } + m:max { 2, keep = true }
    assert.is_true(dc.equal(m, before - before:min { 1, keep = true } + before:max { 2, keep = true }))
  end)
end)
