-- Views copied to views, of all kinds of axes, against plain Lua and against kernels; the CPU device launches none.
local dc = require "dotcompute"
local h = require "spec.helper"

local dtypes = { "bool", "int8", "int16", "float32", "float64", "int64", "complex128" }

-- A view of a new array, its axes in any order and direction and with any step, and the element at each place of it.
local function view_of(shape, dtype)
  local ndim = #shape
  local order, at = {}, {}
  for d = 1, ndim do table.insert(order, math.random(d), d) end -- axis d of the memory is axis order[d] of the view
  local whole, ranges, axes = {}, {}, {}
  for d = 1, ndim do
    local n, step, before = shape[order[d]], math.random(3), math.random(0, 2)
    if math.random(2) == 1 then step = 1 end
    local first, last = before + 1, before + 1 + (n - 1) * step
    whole[d] = last + math.random(0, 2)
    local back = math.random(3) == 1
    ranges[d] = back and { last, first, -step } or { first, last, step }
    at[d] = back and { last, -step } or { first, step }
    axes[order[d]] = d
  end
  local values = h.values(h.product(whole), dtype == "complex128" and "float64" or dtype)
  local memory = dc.array(values, dtype):reshape(table.unpack(whole))
  local view = memory[ranges]:transpose(table.unpack(axes))
  return view, memory, values, function(place)
    local number = 0
    for d = 1, ndim do number = number * whole[d] + at[d][1] + (place[order[d]] - 1) * at[d][2] - 1 end
    return number + 1
  end
end

local function shape_of(most)
  local shape = h.shape(math.random(3), 4)
  for _ = 1, 2 do shape[math.random(#shape)] = math.random(most) end
  return shape
end

local function real(a) return a.dtype == "complex128" and dc.real(a) or a end

-- What copies alone may launch nothing where the device's memory is the host's.
local function launches(fn)
  local before = dc.stats().launches
  fn()
  dc.synchronize()
  return dc.stats().launches - before
end

describe("copies of views", function()
  for _, dtype in ipairs(dtypes) do
    it("are what plain Lua copies: " .. dtype, function()
      for _ = 1, 12 do
        local shape = shape_of(40)
        local from, _, values, place_of = view_of(shape, dtype)
        local to, memory, old, target = view_of(shape, dtype)
        local copy = from:copy()
        local n = launches(function()
          copy = from:copy()
          to[":"] = from
        end)
        if dc.device().id == "cpu" then assert.equal(0, n, h.note()) end
        local got, want, k = real(copy):reshape(-1):to_table(), old, 0
        h.each_place(shape, function(place)
          k = k + 1
          local v = values[place_of(place)]
          assert.equal(v, got[k], h.note())
          want[target(place)] = v
        end)
        assert.same(want, real(memory):reshape(-1):to_table(), h.note())
      end
    end)

    it("fill views with one element: " .. dtype, function()
      for _ = 1, 12 do
        local shape = shape_of(40)
        local to, memory, want, target = view_of(shape, dtype)
        local v = h.value(dtype == "complex128" and "float64" or dtype)
        to[":"] = v
        h.each_place(shape, function(place) want[target(place)] = v end)
        assert.same(want, real(memory):reshape(-1):to_table(), h.note())
      end
    end)
  end

  it("of a large array are what kernels write, by all threads", function()
    for _, dtype in ipairs { "uint8", "float32", "float64" } do
      local rows, columns = math.random(700, 1100), math.random(700, 1100)
      local m = dc.random.integers({ rows, columns }, { low = 0, high = 255, dtype = "int64" }):to(dtype):eval()
      for _, view in ipairs { m.T, dc.flip(m), m[{ { 2, -1, 2 }, { 1, -2 } }], m[{ ":", { -1, 1, -3 } }].T,
        m:reshape(rows, columns, 1):transpose(3, 2, 1) } do
        assert.is_true(dc.all(dc.eq(view:copy(), view * 1)), h.note(dtype))
      end
      local line = m:reshape(-1)
      local third = line[{ { 1, -1, 3 } }]
      assert.is_true(dc.all(dc.eq(third:copy(), third * 1)), h.note(dtype))
    end
  end)
end)
