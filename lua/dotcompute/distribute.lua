-- Work on several devices of one process: a:scatter(devices), dc.gather(parts), dc.parallel(devices, fn, ...). Copies
-- between devices are those of a:to; launches on GPUs return at once, so the devices work at the same time.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local distribute = {}

-- The devices of a list of devices and ids. A device may occur several times.
local function devices_of(fname, list)
  if type(list) ~= "table" then fail("argument", "%s takes a table of devices, got %s", fname, core.describe(list)) end
  arguments.plain(fname, "the table of devices", list)
  if #list == 0 then fail("argument", "%s: the table of devices is empty", fname) end
  local devices = {}
  for k, d in ipairs(list) do
    devices[k] = dc.using(d, dc.device) -- raises where it is none
  end
  return devices
end

-- First and last index of part `k` of `parts`: blocks of n // parts elements, the first n % parts of them one longer.
local function bounds(n, k, parts)
  local each, longer = n // parts, n % parts
  local before = (k - 1) * each + math.min(k - 1, longer)
  return before + 1, before + each + (k <= longer and 1 or 0)
end

distribute.bounds = bounds

-- A copy of the elements first..last along the axis, on the device.
local function block(a, axis, first, last, device)
  if last < first then
    local shape = { a:shape() }
    shape[axis] = 0
    return algorithm.empty(device, shape, a.dtype)
  end
  local view = algorithm.range(a, axis, first, last)
  return view.device == device and view:copy() or view:to(device)
end
distribute.block = block

local scatter_signature = { "devices", "axis", known = { axis = "any" },
  usage = { "a table of devices", "perhaps an axis (the first)" } }

function distribute.scatter(a, ...)
  if not core.is_array(a) then fail("argument", "scatter takes an array first, got %s", core.describe(a)) end
  local o = arguments.read("scatter", scatter_signature, ...)
  local devices = devices_of("scatter", o.devices)
  if a.ndim == 0 then fail("shape", "scatter: an array without axes cannot be divided") end
  local axis = algorithm.axis("scatter", o.axis == nil and 1 or o.axis, a.ndim)
  local n, parts = select(axis, a:shape()), {}
  for k, d in ipairs(devices) do
    local first, last = bounds(n, k, #devices)
    parts[k] = block(a, axis, first, last, d)
  end
  return parts
end

-- Raises unless `b` has the dtype of the first part and its shape but for the axis.
local function check_part(k, b, dtype, shape, axis)
  if not core.is_array(b) then fail("argument", "gather: part %d is no array: %s", k, core.describe(b)) end
  if b.dtype ~= dtype then fail("dtype", "gather: part %d is %s, part 1 %s", k, b.dtype, dtype) end
  local own = { b:shape() }
  local fits = #own == #shape
  for d = 1, #shape do fits = fits and (d == axis or own[d] == shape[d]) end
  if not fits then
    fail("shape", "gather: part %d has the shape (%s), part 1 (%s); they may differ in axis %d alone", k,
      table.concat(own, ", "), table.concat(shape, ", "), axis)
  end
  return own[axis]
end

local gather_signature = { "parts", "axis", "device", known = { axis = "any", device = "any" },
  usage = { "a table of arrays", "perhaps an axis (the first) and a device (that of the first part)" } }

function distribute.gather(...)
  local o = arguments.read("gather", gather_signature, ...)
  local parts = o.parts
  if type(parts) ~= "table" then fail("argument", "gather takes a table of arrays, got %s", core.describe(parts)) end
  arguments.plain("gather", "the table of arrays", parts)
  if #parts == 0 then fail("argument", "gather: the table of arrays is empty") end
  if not core.is_array(parts[1]) then
    fail("argument", "gather: part 1 is no array: %s", core.describe(parts[1]))
  end
  local dtype, shape = parts[1].dtype, { parts[1]:shape() }
  if #shape == 0 then fail("shape", "gather: arrays without axes cannot be joined") end
  local axis = algorithm.axis("gather", o.axis == nil and 1 or o.axis, #shape)
  local device = o.device == nil and parts[1].device or dc.using(o.device, dc.device)
  local total = 0
  for k, b in ipairs(parts) do total = total + check_part(k, b, dtype, shape, axis) end
  shape[axis] = total
  local out, first = algorithm.empty(device, shape, dtype), 1
  for _, b in ipairs(parts) do
    local n = select(axis, b:shape())
    if b.size > 0 then algorithm.range(out, axis, first, first + n - 1):copy_from(b) end
    first = first + n
  end
  return out
end

-- The arguments of device k: of a table of arrays, one for each device, its own.
local function own_arguments(k, count, args)
  local own = { n = args.n }
  for i = 1, args.n do
    local v = args[i]
    if type(v) == "table" and core.is_array(v[1]) then
      if #v ~= count then
        fail("argument", "parallel: argument %d is a table of %d arrays, for %d device%s", i, #v, count,
          count == 1 and "" or "s")
      end
      v = v[k]
    end
    own[i] = v
  end
  return own
end

function distribute.parallel(list, fn, ...)
  local devices = devices_of("parallel", list)
  local callable = type(fn) == "function" or (getmetatable(fn) or {}).__call
  if not callable then
    fail("argument", "parallel takes a table of devices, then a function, got %s", core.describe(fn))
  end
  local args, results, most = table.pack(...), {}, 0
  local own = {}
  for k = 1, #devices do own[k] = own_arguments(k, #devices, args) end -- errors before any work
  for k, d in ipairs(devices) do
    local values = table.pack(dc.using(d, fn, k, table.unpack(own[k], 1, own[k].n)))
    for i = 1, values.n do
      if core.is_array(values[i]) then values[i]:eval() end -- starts its computation
    end
    results[k], most = values, math.max(most, values.n)
  end
  local lists = {}
  for i = 1, most do
    lists[i] = {}
    for k = 1, #devices do lists[i][k] = results[k][i] end
  end
  return table.unpack(lists, 1, most)
end

return distribute
