-- The arrays of an eager model: geometry over a list of values, which views share.
-- An array is {dtype, shape, strides (elements), offset, store}; a store is a list of values, shared by views.

local function size_of(shape)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  return n
end

local function c_strides(shape)
  local strides, step = {}, 1
  for axis = #shape, 1, -1 do strides[axis], step = step, step * shape[axis] end
  return strides
end

local function fresh(dtype, shape, values)
  return { dtype = dtype, shape = shape, strides = c_strides(shape), offset = 1, store = values, root = true }
end

local function view(m, shape, strides, offset)
  return { dtype = m.dtype, shape = shape, strides = strides, offset = offset, store = m.store, fixed = m.fixed }
end

-- Places in the store, in C order of the shape (the model's own, or one that it broadcasts to).
local function places(m, shape)
  shape = shape or m.shape
  local list, n, skip = {}, 0, #shape - #m.shape
  local function walk(axis, at)
    if axis > #shape then
      n = n + 1
      list[n] = at
      return
    end
    local own = axis - skip
    local step = own > 0 and m.shape[own] ~= 1 and m.strides[own] or 0
    for i = 0, shape[axis] - 1 do walk(axis + 1, at + i * step) end
  end
  walk(1, m.offset)
  return list
end

local function read(m, shape)
  local list = places(m, shape)
  for i, at in ipairs(list) do list[i] = m.store[at] end
  return list
end

local function write(m, values)
  for i, at in ipairs(places(m)) do m.store[at] = values[i] end
end

local function contiguous(m)
  local want = c_strides(m.shape)
  for axis, extent in ipairs(m.shape) do
    if extent ~= 1 and m.strides[axis] ~= want[axis] then return false end
  end
  return true
end

local function broadcast(a, b)
  local shape = {}
  for back = 0, math.max(#a, #b) - 1 do
    local x, y = a[#a - back] or 1, b[#b - back] or 1
    if x ~= y and x ~= 1 and y ~= 1 then return nil end
    table.insert(shape, 1, x == 1 and y or x)
  end
  return shape
end

-- Does every element of a have a place of its own in it, and does b's shape broadcast to a's?
local function takes(a, b)
  local shape = broadcast(a.shape, b.shape)
  if not shape or #shape ~= #a.shape then return false end
  for axis, extent in ipairs(shape) do if extent ~= a.shape[axis] then return false end end
  return true
end

return {
  size_of = size_of, c_strides = c_strides, fresh = fresh, view = view, places = places, read = read, write = write,
  contiguous = contiguous, broadcast = broadcast, takes = takes,
}
