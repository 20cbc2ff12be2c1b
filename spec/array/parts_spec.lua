-- concat, stack, roll and pad of many parts, whose views have any layout: on a GPU one launch copies many of them.
local dc = require "dotcompute"
local helper = require "spec.helper"
local fake = require "spec.fake"
local note = helper.note

local dtypes = { "uint8", "bool", "int16", "float32", "int32", "float64", "int64", "complex64", "complex128" }

-- An array of that shape with random values and a random layout: C order, transposed, reversed, every other element of
-- a wider array, broadcast along an axis, or pending.
local function array(shape, dtype)
  local kind = math.random(7)
  local function fresh(s)
    return dc.random.integers(s, { low = 0, high = 1000 }):to(dtype == "bool" and "uint8" or dtype):to(dtype)
  end
  if kind == 1 then
    local back = {}
    for d = 1, #shape do back[d] = shape[#shape + 1 - d] end
    return fresh(back).T
  elseif kind == 2 then return dc.flip(fresh(shape))
  elseif kind == 3 then
    local wide, every = {}, {}
    for d = 1, #shape do
      wide[d] = 2 * shape[d] + 1
      every[d] = { 2, 2 * shape[d], 2 }
    end
    return fresh(wide):slice(table.unpack(every))
  elseif kind == 4 then
    local one = table.move(shape, 1, #shape, 1, {})
    one[math.random(#one)] = 1
    return fresh(one):broadcast_to(shape)
  elseif kind == 5 and dtype ~= "bool" then return fresh(shape) + 1
  elseif kind == 6 and dtype ~= "bool" then return dc.random.integers(shape, { low = 0, high = 255 }):to "uint8" end
  return fresh(shape)
end

-- All elements in C order, as text.
local function elements(a)
  local list = a:reshape(-1):to_table()
  for k, v in ipairs(list) do list[k] = tostring(v):gsub("%.0$", "") end
  return list
end

-- Element of the flat list in C order, for places from 1 along the axes of `shape`.
local function flat_index(shape, at)
  local i = 0
  for d = 1, #shape do i = i * shape[d] + at[d] - 1 end
  return i + 1
end

local function concatenated(arrays, axis, dtype)
  local shape, of = { arrays[1]:shape() }, {}
  shape[axis] = 0
  for _, a in ipairs(arrays) do
    local own = { a:shape() }
    local list = elements(a:to(dtype))
    for i = 1, own[axis] do of[shape[axis] + i] = { own, list, i } end
    shape[axis] = shape[axis] + own[axis]
  end
  local want = {}
  helper.each_place(shape, function(at)
    local part = of[at[axis]]
    local inner = table.move(at, 1, #at, 1, {})
    inner[axis] = part[3]
    want[#want + 1] = part[2][flat_index(part[1], inner)]
  end)
  return want
end

describe("many parts", function()
  for _, dtype in ipairs(dtypes) do
    it("of " .. dtype .. " are joined along any axis", function()
      for _ = 1, 12 do
        local ndim = math.random(4)
        local shape = helper.shape(ndim, ndim == 1 and 300 or ndim == 2 and 40 or 7)
        for d = 1, ndim do shape[d] = math.max(1, ndim > 1 and shape[d] // 2 or shape[d]) end
        if math.random() < 0.3 then shape[ndim] = math.random(500, 500 + 1200 // shape[1]) end -- long rows
        local axis, arrays = math.random(ndim), {}
        for k = 1, math.random() < 0.2 and math.random(30, 70) or math.random(2, 6) do
          local own = table.move(shape, 1, ndim, 1, {})
          own[axis] = math.random(0, 5) > 0 and math.random(math.max(1, shape[axis])) or 1
          arrays[k] = array(own, dtype)
        end
        local got = dc.concat(arrays, axis)
        assert.same(concatenated(arrays, axis, dtype), elements(got:to(dtype)), note(("%d parts"):format(#arrays)))
      end
    end)
  end

  it("of millions of elements are joined and rolled, contiguous or transposed", function()
    for _, dtype in ipairs { "uint8", "float32", "complex128" } do
      local n, m = math.random(900, 1100), math.random(900, 1100)
      local a, b = array({ n, m }, "float32"):to(dtype):eval(), dc.random.integers({ m, n }, { low = 0, high = 99 })
        :to(dtype).T
      local rows, columns = dc.concat({ a, b, a }, 1), dc.concat({ a, b, a }, 2)
      for k, part in ipairs { a, b, a } do
        assert.is_true(rows[{ { (k - 1) * n + 1, k * n } }]:eq(part):all())
        assert.is_true(columns[{ ":", { (k - 1) * m + 1, k * m } }]:eq(part):all())
      end
      local by = math.random(1, m - 1)
      local rolled = dc.roll(a, by, 2)
      assert.is_true(rolled[{ ":", { by + 1, m } }]:eq(a[{ ":", { 1, m - by } }]):all())
      assert.is_true(rolled[{ ":", { 1, by } }]:eq(a[{ ":", { m - by + 1, m } }]):all())
    end
  end)

  it("are copied by one launch on a GPU", function()
    local function launches(script)
      local _, report = fake.run("local x, m = dc.zeros(1000), dc.zeros(30, 31)\nlocal parts = {}\n"
        .. "for k = 1, 32 do parts[k] = dc.zeros(k) end\ndc.synchronize()\n" .. script)
      return #report.launch
    end
    assert.equal(0, launches "")
    for _, script in ipairs { "dc.concat(parts)", "dc.concat { x, x }", "dc.stack({ m, m }, 3)", "dc.roll(x, 3)",
                              "dc.roll(m, 3, 2)" } do
      assert.equal(1, launches(script), script)
    end
    assert.equal(3, launches 'dc.pad(m, 2, { mode = "reflect" })')
  end)
end)
