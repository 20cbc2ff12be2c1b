-- dc.dist: arrays distributed over the ranks of a communicator.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local object = require "dotcompute.dist.object"
local exchange = require "dotcompute.dist.exchange"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

for _, name in ipairs { "elementwise", "reductions", "layout", "fft", "sort" } do
  require("dotcompute.dist." .. name)
end
local files = require "dotcompute.dist.files"

local fail = algorithm.fail
local dist = { load = files.load, matmul = require "dotcompute.dist.matmul".matmul }

-- --- from arrays --------------------------------------------------------------------------------------------------

local array_signature = { "a", "comm", "axis", known = { comm = "any", axis = "any" },
  usage = { "an array that is the same on every rank", "perhaps a communicator and an axis" } }

-- array(a [, comm [, axis]]): each rank keeps its block of `a`, an array or table that all ranks have.
function dist.array(...)
  local fname = "dc.dist.array"
  local o = object.read(fname, array_signature, ...)
  local a = algorithm.array(fname, "the first argument", o.a)
  local comm, axis = object.layout(fname, o.comm, o.axis, a.ndim)
  return object.scatter(comm, axis, a)
end

local MOST_AXES <const> = 32 -- as arrays have
local names, numbers = core.dtypes(), {}
for i, name in ipairs(names) do numbers[name] = i end

-- The layout of a block as integers, which ranks exchange: index of the dtype, number of axes, the axis, the extents.
-- Without a block, which its rank refused: zeros.
local function layout_numbers(a, axis)
  local list = a and { numbers[a.dtype], a.ndim, axis, a:shape() } or {}
  for k = #list + 1, 3 + MOST_AXES do list[k] = 0 end
  return list
end

-- The blocks' lengths. Raises on every rank where one refused its block, or they differ in more than their length.
local function check_blocks(fname, comm, all)
  local lengths, axis, word = {}, all[1][3], comm.parts and "device" or "rank"
  local function text(list)
    return ("%s %s, axis %d"):format(names[list[1]], object.shape_text(table.move(list, 4, 3 + list[2], 1, {})),
      list[3])
  end
  for r, list in ipairs(all) do
    if list[1] == 0 then fail("argument", "%s: rank %d refused its block; its message says why", fname, r - 1) end
  end
  for r, list in ipairs(all) do
    for i = 1, 3 + MOST_AXES do
      if i ~= 3 + axis and list[i] ~= all[1][i] then
        fail(i == 1 and "dtype" or "shape", "%s: the blocks differ in more than their length: %s 0 has %s, %s %d %s",
          fname, word, text(all[1]), word, r - 1, text(list))
      end
    end
    lengths[r] = list[3 + axis]
  end
  return lengths
end

-- The axis, and the layouts of this process's blocks as lists of integers.
local function read_blocks(fname, comm, parts, given_axis)
  if comm.parts and (type(parts) ~= "table" or #parts ~= comm.size) then
    fail("argument", "%s: a table of %d arrays expected, one for each device, got %s", fname, comm.size,
      core.describe(parts))
  end
  local axis, lists = nil, {}
  for k, place in ipairs(object.places(comm)) do
    local part = parts[k]
    if not core.is_array(part) then
      fail("argument", "%s: an array expected, got %s", fname, core.describe(part))
    end
    if part.device ~= place.device then
      fail("device", "%s: the array is on %s, the communicator's device is %s; move it with a:to(device)", fname,
        part.device.id, place.device.id)
    end
    axis = select(2, object.layout(fname, comm, given_axis, part.ndim))
    lists[k] = layout_numbers(part, axis)
  end
  return axis, lists
end

local join_signature = { "a", "comm", "axis", known = { comm = "any", axis = "any" },
  usage = { "this rank's block", "perhaps a communicator and an axis" } }

-- join(block [, comm [, axis]]): the blocks of all ranks one after another. Those that have the lengths of a block
-- distribution become parts as they are, others are moved.
function dist.join(...)
  local fname = "dc.dist.join"
  local o = object.read(fname, join_signature, ...)
  local comm = object.layout(fname, o.comm, 1, 1)
  local parts = comm.parts and o.a or { o.a }
  local ok, axis, lists = pcall(read_blocks, fname, comm, parts, o.axis)
  if not ok and comm.parts then error(axis, 0) end
  local all = exchange.integers(comm, ok and lists or { layout_numbers() }) -- no rank waits for one that refused
  if not ok then error(axis, 0) end
  local lengths = check_blocks(fname, comm, all)
  local total, regular = 0, true
  for r = 1, comm.size do total = total + lengths[r] end
  for r = 1, comm.size do
    local first, last = object.bounds(total, r, comm.size)
    regular = regular and lengths[r] == last - first + 1
  end
  local shape = { parts[1]:shape() }
  shape[axis] = total
  if regular then return object.new(comm, axis, shape, table.move(parts, 1, comm.parts and comm.size or 1, 1, {})) end
  return exchange.balance(comm, axis, shape, parts, lengths)
end

-- --- from shapes --------------------------------------------------------------------------------------------------

-- Reads (shape… [, dtype] [, options]).
local function read_shape(fname, known, ...)
  local list, options = arguments.list(fname, known, ...)
  local dtype = options.dtype
  if type(list[#list]) == "string" then
    if dtype ~= nil then fail("argument", "%s: 'dtype' is given twice, by position and by name", fname) end
    dtype = table.remove(list)
  end
  if #list == 1 and type(list[1]) == "table" then list = table.move(list[1], 1, #list[1], 1, {}) end
  for k, extent in ipairs(list) do
    list[k] = algorithm.integer(fname, ("extent %d of the shape"):format(k), extent, 0)
  end
  if #list == 0 then fail("argument", "%s takes a shape: integers, or one table of them", fname) end
  return list, options, dtype
end

local plain = { comm = "any", axis = "any", dtype = "string" }

for _, name in ipairs { "zeros", "ones", "empty" } do
  dist[name] = function(...)
    local shape, o, dtype = read_shape("dc.dist." .. name, plain, ...)
    local comm, axis = object.layout("dc.dist." .. name, o.comm, o.axis, #shape)
    return object.make(comm, axis, shape, function(place, _, _, own)
      return algorithm.on(place.device, dc[name], own, dtype or "float32")
    end)
  end
end

local full_signature = { "shape", "value", "dtype", required = 2, tables = { shape = true }, known = plain,
  usage = { "a shape", "a value", "perhaps a dtype" } }

function dist.full(...)
  local o = arguments.read("dc.dist.full", full_signature, ...)
  local shape = read_shape("dc.dist.full", {}, o.shape)
  local comm, axis = object.layout("dc.dist.full", o.comm, o.axis, #shape)
  return object.make(comm, axis, shape, function(place, _, _, own)
    return algorithm.on(place.device, dc.full, own, o.value, o.dtype)
  end)
end

-- bounds(n [, comm]): the first and last index of this rank's block of n elements, last < first where it has none.
function dist.bounds(n, comm)
  comm = object.layout("dc.dist.bounds", comm, 1, 1)
  if comm.parts then
    fail("argument", "dc.dist.bounds: the process has the blocks of all devices; x:bounds(k) gives those of one")
  end
  return object.bounds(algorithm.integer("dc.dist.bounds", "the number of elements", n, 0), comm.rank + 1, comm.size)
end

-- --- random numbers -----------------------------------------------------------------------------------------------

-- The position of each element of a block in the whole array, from 0 on: a pending int64 array.
local function positions(device, shape, axis, first, own)
  local n, rest = shape[axis], algorithm.product(shape, axis + 1)
  local outer = algorithm.product(shape, 1, axis - 1)
  return algorithm.on(device, function()
    local middle = dc.arange(first - 1, first - 2 + own[axis], "int64"):reshape(1, own[axis], 1) * rest
    local behind = dc.arange(0, rest - 1, "int64"):reshape(1, 1, rest)
    local before = dc.arange(0, outer - 1, "int64"):reshape(outer, 1, 1) * (n * rest)
    return (before + middle + behind):reshape(own)
  end)
end

-- The random numbers of a block, on the current device. A block that is contiguous in the whole is drawn from the
-- multiple of 4 before it on, four numbers at a time; of others each number is drawn by its position.
local function draw(block, start, name, options, shape, axis, first, own)
  local state, count = block.state, algorithm.product(own)
  state.seed, state.call, state.first, state.index = start[1], start[2], nil, nil
  if count > 0 and algorithm.product(shape, 1, axis - 1) == 1 and name ~= "integers" then
    local at = (first - 1) * algorithm.product(shape, axis + 1)
    state.first = at - at % 4
    if at % 4 == 0 then return block[name](block, own, options) end
    local longer = block[name](block, { count + at % 4 }, options)
    return longer[{ { at % 4 + 1, count + at % 4 } }]:reshape(own)
  elseif count > 0 then
    state.index = positions(dc.device(), shape, axis, first, own)
  end
  return block[name](block, own, options)
end

-- All ranks continue with the seed and call of rank 0's generator, and draw the numbers that it alone would draw.
local random_options = {
  uniform = { low = "number", high = "number" }, normal = { mean = "number", std = "number" },
  exponential = { mean = "number" }, integers = { low = "number", high = "number" },
}
for name, extra in pairs(random_options) do
  local known = { comm = "any", axis = "any", dtype = "string", generator = "any" }
  for k, v in pairs(extra) do known[k] = v end
  local fname = "dc.dist." .. name
  dist[name] = function(...)
    local shape, o, dtype = read_shape(fname, known, ...)
    local comm, axis = object.layout(fname, o.comm, o.axis, #shape)
    require "dotcompute.random" -- has core.random_block
    local block, generator = core.random_block(o.generator)
    local start = exchange.integers(comm, { { block.state.seed, block.state.call } })[1]
    generator.state.call = start[2] + 1
    local options = { dtype = dtype }
    for k in pairs(extra) do options[k] = o[k] end
    return object.make(comm, axis, shape, function(place, first, _, own)
      return algorithm.on(place.device, draw, block, start, name, options, shape, axis, first, own)
    end)
  end
end

interface.methods(object.methods)
return interface.library("dc.dist", dist)
