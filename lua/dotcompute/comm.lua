-- Communication: dc.world() has one rank a process under mpirun, dc.comm(devices) one a device of this process. Both
-- give an object with the same methods; those of the second take and give tables of arrays, one for each device.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local copies = require "dotcompute.comm_copies"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local methods = {}
local meta = { __name = "dotcompute.comm", __methods = methods }
meta.__index = setmetatable(methods, {
  __index = function(_, name) interface.missing("a communicator", name, methods) end,
})
function meta.__tostring(c)
  if c.parts then return ("communicator of %d devices"):format(c.size) end
  return ("communicator: rank %d of %d, %s"):format(c.rank, c.size, c.device.id)
end
function meta.__newindex(_, name) fail("index", "a communicator's '%s' cannot be set", tostring(name)) end

-- The numbers of src/device/device.h.
local ops = { all_reduce = 0, reduce = 1, broadcast = 2, all_gather = 3, reduce_scatter = 4, all_to_all = 5,
  barrier = 6, send = 7, recv = 8 }
local folds = { sum = 0, prod = 1, min = 2, max = 3, mean = 4 }

local function check(fname, c)
  if getmetatable(c) ~= meta then
    fail("argument", "%s: a communicator expected, got %s (methods are called with a colon: comm:%s())", fname,
      core.describe(c), fname)
  end
  if c.state.closed then fail("argument", "%s: the communicator is closed", fname) end
end

-- --- arguments ----------------------------------------------------------------------------------------------------

local function check_fold(fname, op, dtype)
  local name = op == nil and "sum" or op
  if not folds[name] then
    fail("argument", "%s: the operation is 'sum', 'prod', 'min', 'max' or 'mean', got %s", fname, core.describe(op))
  end
  local kind = core.dtype(dtype).kind
  local wrong = kind == "b" and name ~= "min" and name ~= "max" and "bool has min (and) and max (or) alone"
    or kind == "c" and (name == "min" or name == "max") and "complex numbers have no order"
    or name == "mean" and kind ~= "f" and kind ~= "c" and "a mean of integers has fractions; a:to \"float64\" first"
  if wrong then fail("dtype", "%s: no %s of %s: %s", fname, name, dtype, wrong) end
  return name
end

local function check_rank(fname, what, rank, size)
  if rank == nil then return 0 end
  local r = type(rank) == "number" and math.tointeger(rank)
  if not r or r < 0 or r >= size then
    fail("argument", "%s: %s is a rank of 0 to %d, got %s", fname, what, size - 1, core.describe(rank))
  end
  return r
end

local function check_array(fname, a, device)
  if not core.is_array(a) then
    fail("argument", "%s: an array expected, got %s", fname, core.describe(a))
  end
  if a.device ~= device then
    fail("device", "%s: the array is on %s, the communicator's device is %s; move it with a:to(device)", fname,
      a.device.id, device.id)
  end
end

-- The array to write: `out`, checked, or a new one.
local function target(fname, out, device, dtype, shape)
  if out == nil then return algorithm.empty(device, shape, dtype) end
  check_array(fname .. ": option 'out'", out, device)
  if out.dtype ~= dtype then fail("dtype", "%s: the result is %s, 'out' %s", fname, dtype, out.dtype) end
  local own = { out:shape() }
  local fits = #own == #shape
  for d = 1, #shape do fits = fits and own[d] == shape[d] end
  if not fits then
    fail("shape", "%s: the result has the shape (%s), 'out' (%s)", fname, table.concat(shape, ", "),
      table.concat(own, ", "))
  end
  return out
end

-- The shape of a result for an array of shape `shape` on `size` ranks.
local function result_shape(fname, shape, size)
  if fname == "all_gather" then
    local whole = table.move(shape, 2, math.max(#shape, 1), 2, {})
    whole[1] = (shape[1] or 1) * size
    return whole
  elseif fname == "reduce_scatter" or fname == "all_to_all" then
    if #shape == 0 or shape[1] % size ~= 0 then
      fail("shape", "%s: the first axis is divided among %d ranks; it has %s", fname, size,
        shape[1] and ("%d elements"):format(shape[1]) or "no first axis: the array has none")
    end
    if fname == "all_to_all" then return shape end
    local block = table.move(shape, 1, #shape, 1, {})
    block[1] = shape[1] // size
    return block
  end
  return shape
end

-- --- running ------------------------------------------------------------------------------------------------------

-- What has to be done when the operation has been issued: a strided target gets its elements.
local function complete(after)
  for _, a in ipairs(after) do a[1]:copy_from(a[2]) end
end

-- Runs one row (see core.comm_run) and then copies, now or at the end of the group.
local function run(c, row, after)
  core.comm_run(c.handle, { row })
  local group = c.state.group
  if group then table.move(after, 1, #after, #group + 1, group) else complete(after) end
end

-- Alone, each operation is a copy, and neither MPI nor NCCL is needed.
local function alone(name, src, dst)
  if name == "barrier" then return end
  if src and dst and src ~= dst then dst:copy_from(src) end
end

-- Raises where the target is a broadcast view: before a message for it is awaited.
local function check_written(name, dst)
  if core.repeats(dst) then
    fail("argument", "%s: a broadcast view cannot be written: several of its elements are one in memory", name)
  end
end

-- Reads `src` and writes `dst` (false: none) in the operation; both may be strided, pending or the same.
local function communicate(c, name, fold, src, dst, count, peer)
  if c.size == 1 then return alone(name, src, dst) end
  local after = {}
  local in_place = src and src == dst
  if dst and not dst.contiguous then
    check_written(name, dst)
    local packed = in_place and dst:copy() or algorithm.empty(c.device, { dst:shape() }, dst.dtype)
    after[1], dst = { dst, packed }, packed
    if in_place then src = packed end
  end
  if src and not in_place then
    if not src.contiguous or dst and core.shares(src, dst) then src = src:copy() end
  end
  run(c, { 1, ops[name], folds[fold or "sum"], src, dst, count, peer or 0 }, after)
end

-- --- one rank a process -------------------------------------------------------------------------------------------

local signatures = {
  all_reduce = { "a", "op", known = { op = "any", out = "any" }, usage = { "an array", "perhaps an operation" } },
  reduce = { "a", "root", "op", known = { root = "any", op = "any", out = "any" },
    usage = { "an array", "perhaps a root and an operation" } },
  broadcast = { "a", "root", known = { root = "any" }, usage = { "an array", "perhaps a root" } },
  all_gather = { "a", known = { out = "any" }, usage = { "an array" } },
  reduce_scatter = { "a", "op", known = { op = "any", out = "any" }, usage = { "an array", "perhaps an operation" } },
  all_to_all = { "a", known = { out = "any" }, usage = { "an array" } },
}
local reduces = { all_reduce = true, reduce = true, reduce_scatter = true }
local shared = { ops = ops, folds = folds, reduces = reduces, target = target, check_fold = check_fold,
  check_array = check_array, result_shape = result_shape } -- what comm_copies.lua uses
-- Of these the source may be the target, too.
local in_place = { all_reduce = true, reduce = true, broadcast = true }

-- Checks the arguments: the array to write (false: none), made where it is not given, and the operation of a reduction.
local function check_one(c, name, a, root, op, out)
  check_array(name, a, c.device)
  local fold = reduces[name] and check_fold(name, op, a.dtype)
  if name == "broadcast" then return a, fold end
  if name == "reduce" and c.rank ~= root then return false, fold end -- the root checks `out`, and has the result
  return target(name, out, c.device, a.dtype, result_shape(name, { a:shape() }, c.size)), fold
end

local function one(c, name, a, root, op, out)
  local dst, fold = check_one(c, name, a, root, op, out)
  local count = name == "reduce_scatter" and dst.size or name == "all_to_all" and a.size // c.size or a.size
  if count == 0 and name ~= "reduce" then return dst end
  local src = a
  if dst and dst == a and not in_place[name] and c.size > 1 then src = a:copy() end
  communicate(c, name, fold, src, dst, count, root)
  return dst or nil
end

-- A number is reduced as a float64, and given back as one.
local function number(c, name, v, root, op)
  if c.state.group then
    fail("argument", "%s: a group takes arrays: a number would have to be read before the group runs", name)
  end
  local a = algorithm.on(c.device, dc.full, {}, v, "float64")
  local result = one(c, name, a, root, op)
  return result and result:item()
end

-- The methods are functions in C (src/lua/comm_call.c), which call these for forms that are rare: strided arrays, those
-- of one rank alone, mistakes.
for name, signature in pairs(signatures) do
  methods[name] = core.comm_method(ops[name], function(c, ...)
    check(name, c)
    local o = arguments.read(name, signature, ...)
    local root = check_rank(name, "the root", o.root, c.size)
    if c.parts then return copies.run(c, name, o, root, shared) end
    if type(o.a) == "number" and (name == "all_reduce" or name == "reduce" or name == "broadcast") and o.out == nil then
      return number(c, name, o.a, root, o.op)
    end
    return one(c, name, o.a, root, o.op, o.out)
  end)
end

-- A function that runs the operation on these arguments each time: in C where they are usual ones, else the method,
-- after its checks.
function methods.prepare(c, name, ...)
  check("prepare", c)
  local signature = signatures[name]
  if not signature then
    fail("argument", "prepare: an operation on arrays of all ranks expected ('all_reduce', 'reduce', 'broadcast', "
      .. "'all_gather', 'reduce_scatter', 'all_to_all'), got %s", core.describe(name))
  end
  local o = arguments.read(name, signature, ...)
  local root = check_rank(name, "the root", o.root, c.size)
  if type(o.a) == "number" then
    fail("argument", "prepare: %s takes an array here: a number would be the same in each call", name)
  end
  if signature.known.out and o.out == nil and not (name == "reduce" and c.rank and c.rank ~= root) then
    fail("argument", "prepare: %s needs the option 'out', the array that each call writes", name)
  end
  local operation = core.comm_prepare(ops[name], c, ...)
  if operation then return operation end
  if c.parts then copies.check(c, name, o, root, shared) else check_one(c, name, o.a, root, o.op, o.out) end
  local options = { op = o.op, root = o.root, out = o.out }
  return function(...)
    if select("#", ...) > 0 then fail("argument", "a prepared operation takes no arguments") end
    return methods[name](c, o.a, options)
  end
end

local function message(c, name, a, rank, what)
  check(name, c)
  if c.parts then
    fail("argument", "%s: messages are sent between processes; between devices of one, copy with a:to(device)", name)
  end
  check_array(name, a, c.device)
  if rank == nil then fail("argument", "%s takes an array and the rank %s; got no rank", name, what) end
  rank = check_rank(name, "the other side", rank, c.size)
  if rank == c.rank then fail("argument", "%s: rank %d is this one; copy with b:copy_from(a)", name, rank) end
  if a.size == 0 then return a end
  if name == "send" then communicate(c, name, nil, a, false, a.size, rank)
  else communicate(c, name, nil, false, a, a.size, rank) end
  return a
end
methods.send = core.comm_method(ops.send, function(c, a, rank) message(c, "send", a, rank, "to send to") end)
methods.recv = core.comm_method(ops.recv, function(c, a, rank)
  return message(c, "recv", a, rank, "to receive from")
end)

function methods.barrier(c)
  check("barrier", c)
  if c.parts then
    for _, d in ipairs(c.devices) do d:synchronize() end
    return
  end
  c.device:synchronize()
  if c.state.group then fail("argument", "barrier: a group holds operations on arrays; call barrier after it") end
  if c.size > 1 then core.comm_run(c.handle, { { 1, ops.barrier, 0, false, false, 0, 0 } }) end
  c.device:synchronize()
end

-- Collects what fn calls on the communicator, and runs it together.
function methods.group(c, fn, ...)
  check("group", c)
  if type(fn) ~= "function" then fail("argument", "group takes a function, got %s", core.describe(fn)) end
  if c.parts then return fn(...) end
  if c.state.group then fail("argument", "group: a group of this communicator is open already") end
  local after = {}
  c.state.group = after
  core.comm_group(c.handle)
  local results = table.pack(pcall(fn, ...))
  c.state.group = nil
  core.comm_group_end(c.handle, not results[1] or c.state.closed)
  if not results[1] then error(results[2], 0) end
  if c.state.closed then fail("argument", "group: the communicator was closed in it") end
  complete(after)
  return table.unpack(results, 2, results.n)
end

-- --- making and closing -------------------------------------------------------------------------------------------

local function new(device, handle, rank, size, local_rank, local_size)
  return setmetatable({ device = device, rank = rank, size = size, local_rank = local_rank, local_size = local_size,
    parts = false, handle = handle, state = {} }, meta)
end

local worlds = {} -- by device id

local function device_of(fname, device)
  if device == nil then return dc.device() end
  local ok, found = pcall(dc.using, device, dc.device)
  if not ok then fail("device", "%s: %s", fname, type(found) == "table" and found.message or tostring(found)) end
  return found
end

local comm = {}

function comm.world(device)
  local d = device_of("dc.world", device)
  local known = worlds[d.id]
  if known then return known end
  local world = new(d, core.comm_world(d))
  worlds[d.id] = world
  return world
end

function comm.rank() return comm.world().rank end

function comm.comm(list)
  if type(list) ~= "table" or getmetatable(list) or #list == 0 then
    fail("argument", "dc.comm takes a table of devices, got %s", #{ list } == 1 and type(list) == "table"
      and "an empty one" or core.describe(list))
  end
  arguments.plain("dc.comm", "the table of devices", list)
  local devices = {}
  for k, d in ipairs(list) do devices[k] = device_of("dc.comm", d) end
  return setmetatable({ devices = devices, device = devices[1], size = #devices, rank = false, local_rank = false,
    local_size = false, parts = true, handle = copies.handle(devices), state = {} }, meta)
end

function methods.split(c, color, key)
  check("split", c)
  if c.parts then fail("argument", "split: a communicator of devices is divided by dc.comm of some of them") end
  local number_of = function(what, v, low)
    local n = type(v) == "number" and math.tointeger(v)
    if not n or n < low or n > 0x7fffffff then
      fail("argument", "split: %s is an integer from %d on, got %s", what, low, core.describe(v))
    end
    return n
  end
  if color then color = number_of("the color", color, 0) else color = -1 end
  key = key == nil and 0 or number_of("the key", key, 0)
  if c.state.group then fail("argument", "split: a group is open") end
  local results = table.pack(core.comm_split(c.handle, color, key))
  if not results[1] then return nil end
  return new(c.device, table.unpack(results, 1, results.n))
end

function methods.close(c)
  if getmetatable(c) ~= meta then check("close", c) end
  if c.state.closed or not c.parts and worlds[c.device.id] == c then return end -- the world lasts as long as MPI
  c.state.closed = true
  if c.handle then core.comm_close(c.handle) end
end
meta.__close = methods.close
interface.methods(methods)

return comm
