-- What the algorithms over arrays share (sort, select, histogram, take …): checks of arguments, kernels kept for each
-- device, elements as unsigned integers of their size.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local builder = require "dotcompute.builder"
core.own(debug.getinfo(1, "S").source)

local algorithm = { fail = builder.fail, shown = builder.shown }
local fail = algorithm.fail

-- Calls fn with the device current: where it is already, with the current stream too.
function algorithm.on(device, fn, ...)
  if dc.device() == device then return fn(...) end
  return dc.using(device, fn, ...)
end

function algorithm.empty(device, ...) return algorithm.on(device, dc.empty, ...) end
function algorithm.zeros(device, ...) return algorithm.on(device, dc.zeros, ...) end

-- Gives back memory that was needed in between: the collector does not see how large it is. What is no array, or is
-- one of the user's (`kept`), is left alone.
function algorithm.free(kept, ...)
  for k = 1, select("#", ...) do
    local a = select(k, ...)
    if core.is_array(a) and a ~= kept then a:close() end
  end
end

-- --- arguments --------------------------------------------------------------------------------------------------

-- An array, or what becomes one: a table, a number or a boolean.
function algorithm.array(who, what, v, dtype, device)
  if core.is_array(v) then return v end
  local t = type(v)
  if t ~= "table" and t ~= "number" and t ~= "boolean" then
    fail("argument", "%s: an array or a table is expected for %s, got %s", who, what, core.describe(v))
  end
  return algorithm.on(device or dc.device(), dc.array, v, dtype)
end

-- The array must be on the device.
function algorithm.check_device(who, what, a, device)
  if a.device ~= device then
    fail("device", "%s: %s is on %s, the array on %s; move one with a:to(device)", who, what, a.device.id, device.id)
  end
end

-- The axis, counted from 1; the last one if none is given.
function algorithm.axis(who, axis, ndim)
  if axis == nil then
    if ndim == 0 then fail("shape", "%s: an array without axes has none to go along", who) end
    return ndim
  end
  local d = math.tointeger(axis)
  if not d or type(axis) ~= "number" then
    fail("argument", "%s: an axis is an integer, got %s", who, core.describe(axis))
  end
  local at = d < 0 and ndim + 1 + d or d
  if at < 1 or at > ndim then
    fail("index", "%s: axis %d is out of range: there %s %d", who, d, ndim == 1 and "is" or "are", ndim)
  end
  return at
end

-- An integer from `low` on (and to `high`).
function algorithm.integer(who, what, v, low, high)
  local n = type(v) == "number" and math.tointeger(v)
  if not n or n < low or (high and n > high) then
    local range = high and ("an integer of %d to %d"):format(low, high) or ("an integer from %d on"):format(low)
    fail("argument", "%s: %s is %s, got %s", who, what, range, core.describe(v))
  end
  return n
end

-- Name, C's name, bytes and kind of a dtype, or of an array's.
function algorithm.dtype(a)
  return core.dtype(core.is_array(a) and a.dtype or a)
end

function algorithm.refuse_complex(who, a, why)
  if algorithm.dtype(a).kind == "c" then fail("dtype", "%s: %s arrays %s", who, a.dtype, why) end
end

-- Integers that count from 1: an array of any integer dtype, or what becomes one.
function algorithm.indices(who, v, device)
  local a = algorithm.array(who, "the indices", v, "int64", device)
  local kind = algorithm.dtype(a).kind
  if kind ~= "i" and kind ~= "u" then
    fail("dtype", "%s: indices are integers, got an array of %s", who, a.dtype)
  end
  algorithm.check_device(who, "the array of indices", a, device)
  return a
end

-- The array in C order, without gaps, computed.
function algorithm.flat(a)
  a:eval()
  return a.contiguous and a or a:copy()
end

function algorithm.product(shape, first, last)
  local n = 1
  for d = first or 1, last or #shape do n = n * shape[d] end
  return n
end

-- The array with the axis at the end, in C order, and the axes in that order (nil when they are as they were).
function algorithm.axis_last(a, axis)
  if axis == a.ndim then return algorithm.flat(a) end
  local order = {}
  for d = 1, a.ndim do
    if d ~= axis then order[#order + 1] = d end
  end
  order[#order + 1] = axis
  return a:transpose(order):copy(), order
end

-- Undoes axis_last for a result: in C order again.
function algorithm.axis_back(a, order)
  if not order then return a end
  local back = {}
  for k, d in ipairs(order) do back[d] = k end
  return a:transpose(back):copy()
end

-- Whether kernels are written as a GPU likes them. `as_gpu` makes the CPU device run those too, for specs.
function algorithm.is_gpu(device) return device.simt or algorithm.as_gpu == true end

-- --- kernels ----------------------------------------------------------------------------------------------------

local kernels = {}

-- The kernel `key` of the device; `make` gives its text (one kernel, called `name`) when it is new.
function algorithm.kernel(device, name, key, make, ...)
  local own = kernels[device]
  if not own then
    own = {}
    kernels[device] = own
  end
  key = name .. " " .. key
  local kernel = own[key]
  if not kernel then
    kernel = dc.using(device, dc.kernel, make(...), { name = name })
    own[key] = kernel
  end
  return kernel
end

-- How many pieces n elements are cut into (at most `most`), for threads of which each does a piece, and the length of
-- all but the last: some more than there are processors, as these may have other work too.
function algorithm.pieces(device, n, most)
  local pieces = math.max(1, math.min((n + 32767) // 32768, most or 4 * device.multiprocessors))
  return pieces, (n + pieces - 1) // pieces
end

local native = {}

-- Whether a kernel that is written for the CPU device's native code, one thread doing what a GPU's do together, has
-- become that: interpreted, it would be slower than what GPUs run.  `...`: arguments with which it does nothing, as the
-- first launch is what has it compiled.  `algorithm.serial` says yes, for specs.
function algorithm.is_native(kernel, ...)
  if native[kernel] == nil then kernel(1, 1, ...) end
  if not native[kernel] then native[kernel] = kernel.attributes.tier == 1 end
  return native[kernel] or algorithm.serial == true
end

-- --- a number that a kernel tells the host -----------------------------------------------------------------------

-- Where the kernel tells it and under which number, for dc_tell; 0 and 0 where it is to be read from memory.
function algorithm.mailbox(device)
  local at, sequence = core.mailbox(device)
  return at or 0, sequence or 0
end

algorithm.post_text = core.mailbox_text()

-- The integer that a kernel posted in the mailbox, else (sequence 0) the same from the array.
function algorithm.posted(device, sequence, a, place)
  return sequence ~= 0 and core.mailbox_wait(device, sequence) or a[place]
end

-- Elements of which only the size matters: C's name of something as large. Nothing is aligned beyond 8 bytes.
algorithm.opaque = { [1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned int", [8] = "unsigned long long",
  [16] = "dc_two" }
algorithm.opaque_text = "struct dc_two { unsigned long long low, high; };\n"

-- In place of each word of capitals that `with` has, its text.
function algorithm.fill(text, with) return (text:gsub("%f[%w_]%u[%u%d]*%f[^%w_]", with)) end

-- How many elements a kernel may count in 32 bits.
algorithm.narrow = 2 ^ 31 - 2 ^ 22

return algorithm
