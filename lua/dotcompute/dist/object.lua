-- Distributed arrays: the object. An array of `shape` is divided along one axis into as many blocks as the communicator
-- has ranks, the first ones one longer where they differ (distribute.bounds), so arrays of one shape, axis and
-- communicator have their elements on the same ranks.
--
-- A process has the block of its rank, or of dc.comm(devices) those of all devices: `parts` is a list of arrays beside
-- object.places(comm), the ranks that are here. All else that a rank knows of the others follows from the shape.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local distribute = require "dotcompute.distribute"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local object = { bounds = distribute.bounds }

-- The methods; the files of this folder add theirs.
local methods = {}
object.methods = methods

local fields = { comm = true, axis = true, dtype = true, ndim = true, size = true }
local meta = { __name = "dotcompute.distributed", __methods = methods }

-- The names of methods and fields, for suggestions.
local function names()
  local all = {}
  for _, t in ipairs { methods, fields } do
    for name in pairs(t) do all[name] = true end
  end
  return all
end

function meta.__index(d, name)
  local method = methods[name]
  if method then return method end
  if fields[name] then return d.state[name] end
  if type(name) == "string" then
    fail("index", "a distributed array has no '%s'%s; x:part() is this rank's block, x:gather() the whole array", name,
      core.suggest(names(), name))
  end
  fail("index", "a distributed array has no elements by index, since they are on several ranks; x:part() is this "
    .. "rank's block, x:gather() the whole array")
end
function meta.__newindex()
  fail("index", "a distributed array's elements are not set by index; write to this rank's block, x:part()")
end
function meta.__len(d) return d.state.shape[1] end

local function shape_text(shape) return ("(%s%s)"):format(table.concat(shape, ", "), #shape == 1 and "," or "") end
object.shape_text = shape_text

-- Without communication: a rank alone may print it.
function meta.__tostring(d)
  local s = d.state
  local text = ("distributed %s array %s, axis %d over %s"):format(s.dtype, shape_text(s.shape), s.axis,
    ("%d %s%s"):format(s.comm.size, s.comm.parts and "device" or "rank", s.comm.size == 1 and "" or "s"))
  if s.closed then return text .. ", closed" end
  if s.comm.parts then return text end
  local first, last = object.bounds(s.shape[s.axis], s.comm.rank + 1, s.comm.size)
  return ("%s; rank %d has %d to %d"):format(text, s.comm.rank, first, last)
end
function meta.__concat(a, b) return tostring(a) .. tostring(b) end

-- --- making -------------------------------------------------------------------------------------------------------

-- The ranks of this process, in order: { rank =, device =, k = the index of the rank's block in `parts` }.
function object.places(comm)
  if not comm.parts then return { { rank = comm.rank, device = comm.device, k = 1 } } end
  local places = {}
  for k, d in ipairs(comm.devices) do places[k] = { rank = k - 1, device = d, k = k } end
  return places
end

-- The block, `first` to `last` along the axis, of an array of this shape.
function object.block_shape(shape, axis, first, last)
  local own = table.move(shape, 1, #shape, 1, {})
  own[axis] = last - first + 1
  return own
end

function object.new(comm, axis, shape, parts)
  return setmetatable({ state = { comm = comm, axis = axis, shape = shape, parts = parts, dtype = parts[1].dtype,
    ndim = #shape, size = algorithm.product(shape) } }, meta)
end

-- An array of these blocks, which have n elements along the axis together; its other extents are those of each.
function object.of_parts(comm, axis, n, parts)
  local shape = { parts[1]:shape() }
  shape[axis] = n
  return object.new(comm, axis, shape, parts)
end

-- An array whose block on each rank of this process is fn(place, first, last, shape of the block).
function object.make(comm, axis, shape, fn)
  local parts = {}
  for k, place in ipairs(object.places(comm)) do
    local first, last = object.bounds(shape[axis], place.rank + 1, comm.size)
    parts[k] = fn(place, first, last, object.block_shape(shape, axis, first, last))
  end
  return object.new(comm, axis, shape, parts)
end

-- An array whose elements are not set.
function object.empty(comm, axis, shape, dtype)
  return object.make(comm, axis, shape, function(place, _, _, own) return algorithm.empty(place.device, own, dtype) end)
end

-- Distributes a plain array that is the same on every rank: each copies its block.
function object.scatter(comm, axis, a)
  return object.make(comm, axis, { a:shape() }, function(place, first, last)
    return distribute.block(a, axis, first, last, place.device)
  end)
end

-- fn(part) of each block, which keeps the extent along the axis of distribution.
function object.map(d, fn)
  local s, parts = d.state, {}
  for k, part in ipairs(s.parts) do parts[k] = fn(part) end
  return object.of_parts(s.comm, s.axis, s.shape[s.axis], parts)
end

-- A plain array on the device, still pending where it is there already and pending.
function object.on_device(a, device) return a.device == device and a or a:to(device) end

-- --- arguments ----------------------------------------------------------------------------------------------------

function object.is(v) return getmetatable(v) == meta end

-- The state of a distributed array that is open.
function object.check(fname, d)
  if not object.is(d) then fail("argument", "%s: a distributed array expected, got %s", fname, core.describe(d)) end
  if d.state.closed then fail("argument", "%s: the distributed array is closed", fname) end
  return d.state
end

-- By the name of its type: asking dc.world() for it would start MPI.
local function is_comm(v)
  local meta_of = type(v) == "table" and getmetatable(v)
  return type(meta_of) == "table" and meta_of.__name == "dotcompute.comm"
end

-- Reads (a [, comm [, axis]] [, options]); a communicator is a table, but not one of options.
function object.read(fname, signature, a, comm, ...)
  if not is_comm(comm) then return arguments.read(fname, signature, a, comm, ...) end
  local o = arguments.read(fname, signature, a, nil, ...)
  if o.comm ~= nil then fail("argument", "%s: 'comm' is given twice, by position and by name", fname) end
  o.comm = comm
  return o
end

-- Options 'comm' and 'axis' of a constructor: dc.world() and the first axis by default.
function object.layout(fname, comm, axis, ndim)
  if comm == nil then comm = dc.world() end
  if not is_comm(comm) then
    fail("argument", "%s: a communicator expected (dc.world(), dc.comm(devices)), got %s", fname, core.describe(comm))
  end
  if comm.state.closed then fail("argument", "%s: the communicator is closed", fname) end
  if ndim == 0 then fail("shape", "%s: an array without axes cannot be distributed", fname) end
  return comm, algorithm.axis(fname, axis == nil and 1 or axis, ndim)
end

-- --- what all have ------------------------------------------------------------------------------------------------

function methods.shape(d) return table.unpack(object.check("shape", d).shape) end

-- The block of this rank in a list of blocks; of dc.comm(devices) that of device k.
function object.pick(fname, list, k)
  if k == nil and #list > 1 then
    fail("argument", "%s: %d blocks are here, one on each device; x:%s(k) gives one", fname, #list, fname)
  end
  return list[k == nil and 1 or algorithm.integer(fname, "the number of a block", k, 1, #list)]
end

function methods.part(d, k) return (object.pick("part", object.check("part", d).parts, k)) end

-- bounds([k]): the first and last index of that block along the axis.
function methods.bounds(d, k)
  local s = object.check("bounds", d)
  k = k == nil and 1 or algorithm.integer("bounds", "the number of a block", k, 1, #s.parts)
  return object.bounds(s.shape[s.axis], object.places(s.comm)[k].rank + 1, s.comm.size)
end

function methods.eval(d)
  for _, part in ipairs(object.check("eval", d).parts) do part:eval() end
  return d
end

function methods.copy(d)
  object.check("copy", d)
  return object.map(d, function(part) return part:copy() end)
end

function methods.to(d, dtype)
  object.check("to", d)
  if type(dtype) ~= "string" or not core.dtype(dtype) then
    fail("argument", "to: the name of a dtype expected, got %s; a distributed array stays on its ranks' devices",
      core.describe(dtype))
  end
  if dtype == d.dtype then return d end
  return object.map(d, function(part) return part:to(dtype) end)
end

function methods.fill(d, v)
  for _, part in ipairs(object.check("fill", d).parts) do part:fill(v) end
  return d
end

-- Frees the blocks; an array of the caller's that became a block (dc.dist.join) is closed, too.
function methods.close(d)
  if not object.is(d) then object.check("close", d) end
  local s = d.state
  if s.closed then return end
  s.closed = true
  for _, part in ipairs(s.parts) do part:close() end
  for _, whole in ipairs(s.padded or {}) do whole:close() end
end
meta.__close = methods.close

object.meta = meta
return object
