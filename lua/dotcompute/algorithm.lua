-- Shared by the algorithms over arrays (sort, select, histogram, take …): checks of arguments, a cache of kernels for
-- each device, elements as unsigned integers of their size.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local builder = require "dotcompute.builder"
core.builtin(debug.getinfo(1, "S").source)

local algorithm = { fail = builder.fail, shown = builder.shown }
local fail = algorithm.fail

-- Calls fn with the device as the current one; if it is current already, the current stream stays too.
function algorithm.on(device, fn, ...)
  if dc.device() == device then return fn(...) end
  return dc.using(device, fn, ...)
end

function algorithm.empty(device, ...) return algorithm.on(device, dc.empty, ...) end
function algorithm.zeros(device, ...) return algorithm.on(device, dc.zeros, ...) end

-- Closes temporary arrays, since Lua's collector does not see their size. Arguments that are not arrays, and `kept`, an
-- array of the caller's, are skipped.
function algorithm.free(kept, ...)
  for k = 1, select("#", ...) do
    local a = select(k, ...)
    if core.is_array(a) and a ~= kept then a:close() end
  end
end

-- --- arguments --------------------------------------------------------------------------------------------------
-- `fname` is the name of the function that the script called, `what` that of the argument, for messages.

-- Whether a value is an array of structs (struct_array.lua, which is loaded only where there are some).
function algorithm.is_struct_array(v)
  local loaded = type(v) == "table" and package.loaded["dotcompute.struct_array"]
  return loaded and loaded.parts(v) ~= nil or false
end

-- A new array of a table, a number or a boolean. Errors of dc.array name the function and the argument.
local function converted(fname, what, v, dtype, device)
  local ok, made = pcall(algorithm.on, device or dc.device(), dc.array, v, dtype)
  if ok then return made end
  if type(made) ~= "table" or not made.kind then error(made, 0) end
  fail(made.kind, "%s: %s: %s", fname, what, made.message)
end

-- `v` as an array: an array itself, or a new one of a table, a number or a boolean.
function algorithm.array(fname, what, v, dtype, device)
  if core.is_array(v) then return v end
  if algorithm.is_struct_array(v) then
    fail("dtype", "%s: %s is an array of numbers, got one of structs; s:field(name) has a field's", fname, what)
  end
  local t = type(v)
  if t ~= "table" and t ~= "number" and t ~= "boolean" then
    fail("argument", "%s: an array or a table is expected for %s, got %s", fname, what, core.describe(v))
  end
  return converted(fname, what, v, dtype, device)
end

-- Raises unless the array is on the device.
function algorithm.check_device(fname, what, a, device)
  if a.device ~= device then
    fail("device", "%s: %s is on %s, the array on %s; move one with a:to(device)", fname, what, a.device.id, device.id)
  end
end

-- The axis, counted from 1; the last one if none is given.
function algorithm.axis(fname, axis, ndim)
  if axis == nil then
    if ndim == 0 then fail("shape", "%s: an array without axes has none to go along", fname) end
    return ndim
  end
  local d = math.tointeger(axis)
  if not d or type(axis) ~= "number" then
    fail("argument", "%s: an axis is an integer, got %s", fname, core.describe(axis))
  end
  local at = d < 0 and ndim + 1 + d or d
  if at < 1 or at > ndim then
    fail("index", "%s: axis %d is out of range: there %s %d", fname, d, ndim == 1 and "is" or "are", ndim)
  end
  return at
end

-- `v` as an integer of at least `low` (and at most `high`).
function algorithm.integer(fname, what, v, low, high)
  local n = type(v) == "number" and math.tointeger(v)
  if not n or n < low or (high and n > high) then
    local range = high and ("an integer of %d to %d"):format(low, high) or low == math.mininteger and "an integer"
      or ("an integer from %d on"):format(low)
    fail("argument", "%s: %s is %s, got %s", fname, what, range, core.describe(v))
  end
  return n
end

-- The facts (name, ctype, size, kind …) of a dtype given by name, or of an array's dtype: a table that all share.
local facts = {}
function algorithm.dtype(a)
  local name = core.is_array(a) and a.dtype or a
  local known = facts[name]
  if not known then
    known = core.dtype(name)
    facts[name] = known
  end
  return known
end

function algorithm.refuse_complex(fname, a, why)
  if algorithm.dtype(a).kind == "c" then fail("dtype", "%s: %s arrays %s", fname, a.dtype, why) end
end

-- Whether a nested table has a boolean in it, not deeper than the axes of an array. If the first element is no table,
-- others are not looked into: the table is ragged.
local function has_boolean(t, depth)
  local nested = type(t[1]) == "table"
  for k = 1, depth < 32 and #t or 0 do
    local v = t[k]
    if v == true or v == false or nested and type(v) == "table" and has_boolean(v, depth + 1) then return true end
  end
  return false
end

-- An array of an integer dtype, or a new one of int64. `name`: "indices", "offsets".
function algorithm.integers(fname, name, v, device)
  local is_table = type(v) == "table" and not algorithm.is_struct_array(v)
  if type(v) == "boolean" or is_table and has_boolean(v, 0) then
    fail("dtype", "%s: %s are integers, got a boolean", fname, name)
  end
  local a = algorithm.array(fname, "the " .. name, v, "int64", device)
  local kind = algorithm.dtype(a).kind
  if kind ~= "i" and kind ~= "u" then
    fail("dtype", "%s: %s are integers, got an array of %s", fname, name, a.dtype)
  end
  algorithm.check_device(fname, "the array of " .. name, a, device)
  return a
end

-- A view of the elements first..last (with an optional step) along one axis.
function algorithm.range(a, axis, first, last, step)
  local list = {}
  for d = 1, axis - 1 do list[d] = ":" end
  list[axis] = { first, last, step }
  return a:slice(table.unpack(list))
end

-- The array evaluated and contiguous, in C order.
function algorithm.flat(a)
  a:eval()
  return a.contiguous and a or a:copy()
end

function algorithm.product(shape, first, last)
  local n = 1
  for d = first or 1, last or #shape do n = n * shape[d] end
  return n
end

-- The array with the axis last, contiguous; and the permutation of axes, nil where the axis was last already.
function algorithm.axis_last(a, axis)
  if axis == a.ndim then return algorithm.flat(a) end
  local order = {}
  for d = 1, a.ndim do
    if d ~= axis then order[#order + 1] = d end
  end
  order[#order + 1] = axis
  return a:transpose(order):copy(), order
end

-- Undoes axis_last for a result, which is contiguous again.
function algorithm.axis_back(a, order)
  if not order then return a end
  local back = {}
  for k, d in ipairs(order) do back[d] = k end
  return a:transpose(back):copy()
end

-- Whether kernels are written for a GPU. `algorithm.as_gpu` makes the CPU device run those, for specs.
function algorithm.is_gpu(device) return device.simt or algorithm.as_gpu == true end

-- Whether the host may do the work of small arrays in one pass (core.host_sort and its like, src/lua/host_pass.c), in
-- place of kernels. Those functions return nil where it does not suit the device or the arrays.
function algorithm.by_host() return not algorithm.as_gpu and not algorithm.serial end

-- A mask for a selection. A pending one is fused into the kernel on a GPU, where memory bandwidth is the limit. On the
-- CPU device it is evaluated first, since each fused mask would need a native build.
function algorithm.mask(mask) return algorithm.is_gpu(mask.device) and mask or algorithm.flat(mask) end

-- --- kernels ----------------------------------------------------------------------------------------------------

local kernels = {}
local subject = setmetatable({}, { __close = function() core.compiling() end })

-- Compiles with a status line that names the algorithm and the dtype, the first word of the key: "sort row (float32)".
function algorithm.compile(device, name, key, source, flags)
  local word = key:match "^%S+"
  local dtype = word and core.dtype(word) and (" (%s)"):format(word) or ""
  local ending <close> = subject -- luacheck: ignore
  core.compiling(name:gsub("^dc_", ""):gsub("_", " ") .. dtype)
  return dc.using(device, dc.kernel, source, { name = name, flags = flags })
end

-- The table t[key], made where there is none.
local function within(t, key)
  local inner = t[key]
  if not inner then
    inner = {}
    t[key] = inner
  end
  return inner
end

-- The device's kernel `name` of the variant `key`; make(...) returns its text when it is not cached.
function algorithm.kernel(device, name, key, make, ...)
  local variants = within(within(kernels, device), name)
  local kernel = variants[key]
  if not kernel then
    kernel = algorithm.compile(device, name, key, make(...))
    variants[key] = kernel
  end
  return kernel
end

-- The number of chunks that n elements are divided into for threads that process one each (at most `most`, by default
-- four a processor, which balances load), and the length of all chunks but the last.
function algorithm.pieces(device, n, most)
  local pieces = math.max(1, math.min((n + 32767) // 32768, most or 4 * device.multiprocessors))
  return pieces, (n + pieces - 1) // pieces
end

local native = {}

-- Whether a serial kernel, written for the CPU device's native code, has been compiled to it: interpreted it would be
-- slower than the GPU's kernel. `...`: arguments with which it does nothing, for the launch that starts the native
-- build. `algorithm.serial` makes the answer yes, for specs.
function algorithm.is_native(kernel, ...)
  if native[kernel] == nil then kernel(1, 1, ...) end
  if not native[kernel] then native[kernel] = kernel.attributes.tier == 1 end
  return native[kernel] or algorithm.serial == true
end

-- --- a number that a kernel posts to the host --------------------------------------------------------------------

-- The address and the sequence number of a mailbox slot, arguments of dc_post; 0 and 0 where the device has no mailbox
-- and the number must be read from memory.
function algorithm.mailbox(device)
  local at, sequence = core.mailbox(device)
  return at or 0, sequence or 0
end

algorithm.post_text = core.mailbox_text()

-- The integer that a kernel posted in the mailbox, or without one (sequence 0) the array's element at `place`.
function algorithm.posted(device, sequence, a, place)
  return sequence ~= 0 and core.mailbox_wait(device, sequence) or a[place]
end

-- C types for elements that are only moved, by size in bytes. None is aligned to more than 8 bytes.
algorithm.opaque = { [1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned int", [8] = "unsigned long long",
  [16] = "dc_two" }
algorithm.opaque_text = "struct dc_two { unsigned long long low, high; };\n"

-- The #include line of the type of a 16-bit float; of other dtypes "". (Complex numbers have a header of their own.)
function algorithm.include(dtype)
  return dtype.kind == "f" and dtype.header and ("#include <%s>\n"):format(dtype.header) or ""
end

-- The text with each word of capitals that is a key of `with` replaced by its value.
function algorithm.fill(text, with) return (text:gsub("%f[%w_]%u[%u%d]*%f[^%w_]", with)) end

-- The largest number of elements for which kernels use 32-bit indices.
algorithm.narrow = 2 ^ 31 - 2 ^ 22

return algorithm
