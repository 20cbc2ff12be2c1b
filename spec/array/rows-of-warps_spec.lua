-- The CPU device computes elementwise expressions row by row, a warp a part of a row, where operands are not all
-- contiguous.  Operands are views of any strides; the reference finds their elements by strides in plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"

local lengths <const> = { 1, 23, 24, 25, 31, 32, 33, 64, 127, 128, 129, 130, 255, 300 }

local function any(list) return list[math.random(#list)] end

-- An array and, for the reference, its values in memory (those of `base`), first element and strides.
local function whole(shape, dtype)
  local n, strides = 1, {}
  for d = #shape, 1, -1 do
    strides[d] = n
    n = n * shape[d]
  end
  local values = {}
  for i = 1, n do values[i] = math.random(0, 50) end
  local base = dc.array(values, dtype)
  return { base = base, array = base:reshape(table.unpack(shape)), values = values, first = 1,
    shape = table.move(shape, 1, #shape, 1, {}), strides = strides }
end

local function flip(v, d)
  v.array = v.array:flip(d)
  v.first = v.first + v.strides[d] * (v.shape[d] - 1)
  v.strides[d] = -v.strides[d]
end

-- Elements first, first + step, … along axis d, `count` of them.
local function slice(v, d, first, step, count)
  local at = {}
  for k = 1, #v.shape do at[k] = { 1, v.shape[k] } end
  at[d] = { first, first + step * (count - 1), step }
  v.array = v.array[at]
  v.first = v.first + v.strides[d] * (first - 1)
  v.strides[d], v.shape[d] = v.strides[d] * step, count
end

local function swap(v, i, k)
  local order = {}
  for d = 1, #v.shape do order[d] = d end
  order[i], order[k] = k, i
  v.array = v.array:transpose(table.unpack(order))
  for _, list in ipairs { v.shape, v.strides } do list[i], list[k] = list[k], list[i] end
end

-- A view of a given shape, some of whose axes are reversed, parts of longer ones, exchanged or, where `broadcasts`, of
-- extent 1.
local function view(shape, dtype, broadcasts)
  local rank, own, from, step, count, exchange = #shape, {}, {}, {}, {}, nil
  for d = 1, rank do
    local extent = broadcasts and math.random(3) == 1 and 1 or shape[d]
    step[d] = any { 1, 1, 2, 3 }
    from[d] = math.random(3)
    own[d] = from[d] + step[d] * (extent - 1) + math.random(0, 2)
    count[d] = extent
  end
  if rank > 1 and math.random(3) == 1 then
    exchange = { math.random(rank - 1), rank }
    own[exchange[1]], own[rank] = own[rank], own[exchange[1]]
  end
  local v = whole(own, dtype)
  if exchange then swap(v, exchange[1], exchange[2]) end
  for d = 1, rank do
    slice(v, d, from[d], step[d], count[d])
    if math.random(3) == 1 then flip(v, d) end
  end
  return v
end

local function any_shape()
  local shape = { any(lengths) }
  while #shape < 4 and math.random(3) > 1 do table.insert(shape, 1, math.random(1, #shape > 1 and 3 or 9)) end
  return shape
end

local function place(v, at)
  local i = v.first
  for d = 1, #at do
    if v.shape[d] > 1 then i = i + v.strides[d] * (at[d] - 1) end
  end
  return i
end
local function value(v, at) return v.values[place(v, at)] end

local function note(shape) return h.note("shape " .. table.concat(shape, " x ")) end

local function check(shape, got, expected)
  local values, i = got:reshape(-1):to_table(), 0
  h.each_place(shape, function(at)
    i = i + 1
    assert.equal(expected(at), values[i], note(shape))
  end)
end

local dtypes <const> = { "float32", "float64", "int32", "int64", "uint8", "float16" }

describe("an elementwise expression on views of any strides", function()
  it("takes each operand's element", function()
    for _ = 1, 40 do
      local shape, dtype = any_shape(), any(dtypes)
      local x, y = view(shape, dtype), view(shape, dtype, true)
      check(shape, x.array + y.array * 2, function(at) return value(x, at) + 2 * value(y, at) end)
    end
  end)

  it("that each are one row, column or value takes each operand's element", function()
    for _ = 1, 20 do
      local rows, columns = math.random(40), any(lengths)
      local x, y = view({ 1, columns }, "float32"), view({ rows, 1 }, "float32")
      check({ rows, columns }, y.array - x.array, function(at) return value(y, at) - value(x, at) end)
    end
  end)

  it("calls long functions", function()
    for _ = 1, 10 do
      local shape = any_shape()
      local x, y = view(shape, "float64"), view(shape, "float64", true)
      local values, i = (dc.exp(x.array / 50) + y.array:sqrt()):reshape(-1):to_table(), 0
      h.each_place(shape, function(at)
        i = i + 1
        assert.near(math.exp(value(x, at) / 50) + math.sqrt(value(y, at)), values[i], 1e-13, note(shape))
      end)
    end
  end)

  it("writes the view that it is assigned to, and nothing else", function()
    for _ = 1, 20 do
      local shape, dtype = any_shape(), any { "float32", "float64", "int32", "int64" }
      local x, out, all = view(shape, dtype, true), view(shape, dtype), {}
      for d = 1, #shape do all[d] = { 1, shape[d] } end
      out.array[all] = out.array * 2 + x.array
      local expected = table.move(out.values, 1, #out.values, 1, {})
      h.each_place(shape, function(at) expected[place(out, at)] = value(out, at) * 2 + value(x, at) end)
      assert.same(expected, out.base:to_table(), note(shape))
    end
  end)

  it("gives a body the number of each element in C order", function()
    local body = dc.elementwise("T x, T y", "T z, long long at", "z = x - y; at = i + n;")
    for _ = 1, 20 do
      local shape, dtype = any_shape(), any { "float32", "float64", "int32", "int64" }
      local x, y = view(shape, dtype), view(shape, dtype, true)
      local z, at = body(x.array, y.array)
      check(shape, z, function(c) return value(x, c) - value(y, c) end)
      local n, i = h.product(shape), -1
      check(shape, at, function() i = i + 1 return i + n end)
    end
  end)
end)
