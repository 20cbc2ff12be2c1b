-- concat, stack, tile, repeat_, roll and pad: views of the operands are copied into views of the result, on a GPU many
-- of them by one launch (array/parts.c). flip and diagonal are views.
local core = require "dotcompute.core"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

local fail, range, copy_ranges = algorithm.fail, algorithm.range, core.copy_ranges

local function shape_text(shape)
  return ("(%s%s)"):format(table.concat(shape, ", "), #shape == 1 and "," or "")
end

-- --- several arrays ---------------------------------------------------------------------------------------------

-- The list as arrays of one device, and their promoted dtype, which tables and numbers take from the arrays.
local function list_of(fname, list)
  if type(list) ~= "table" then
    fail("argument", "%s takes a table of arrays, got %s", fname, core.describe(list))
  end
  arguments.plain(fname, "the table of arrays", list)
  if #list == 0 then fail("argument", "%s: the table of arrays is empty", fname) end
  local arrays, dtype, device = {}, nil, nil
  for k = 1, #list do
    local a = list[k]
    if core.is_array(a) then
      device = device or a.device
      if a.device ~= device then
        fail("device", "%s: array 1 is on %s, array %d on %s; move one with a:to(device)", fname, device.id, k,
          a.device.id)
      end
      local own = a.dtype
      dtype = (dtype == nil or dtype == own) and own or core.promote(dtype, own)
    end
  end
  for k = 1, #list do
    local v = list[k]
    arrays[k] = core.is_array(v) and v
      or algorithm.array(fname, ("element %d of the table"):format(k), v, dtype, device)
  end
  if not dtype then
    for _, a in ipairs(arrays) do dtype = dtype and core.promote(dtype, a.dtype) or a.dtype end
  end
  return arrays, dtype
end

local function join(fname, arrays, ...)
  return core.join(arrays, ...)
    or fail("shape", "%s: the result would have more than 32 axes, or an extent of 2^63 or more", fname)
end

-- What most calls want: arrays of one dtype joined along the first axis, or one that is given from 1 on; else nil.
local function join_usual(is_new, ...)
  local n, list, axis = select("#", ...), ...
  if n == 1 then return core.join(list, 1, is_new) end
  if n == 2 and math.type(axis) == "integer" and axis > 0 then return core.join(list, axis, is_new) end
end

local concat_signature = { "list", "axis", list = "axis", known = { axis = "any" },
  usage = { "a table of arrays", "perhaps an axis (the first)" } }

local function concat(...)
  local joined = join_usual(false, ...)
  if joined then return joined end
  local o = arguments.read("concat", concat_signature, ...)
  local arrays, dtype = list_of("concat", o.list)
  if arrays[1].ndim == 0 then fail("shape", "concat: arrays without axes cannot be joined; dc.stack gives them one") end
  local axis = algorithm.axis("concat", o.axis == nil and 1 or o.axis, arrays[1].ndim)
  local shape = { arrays[1]:shape() }
  for k, a in ipairs(arrays) do
    local own = { a:shape() }
    local fits = #own == #shape
    for d = 1, #shape do fits = fits and (d == axis or own[d] == shape[d]) end
    if not fits then
      fail("shape", "concat: array %d has the shape %s, array 1 %s; they may differ along axis %d only", k,
        shape_text(own), shape_text(shape), axis)
    end
  end
  return join("concat", arrays, axis, false, dtype)
end

local stack_signature = { "list", "axis", list = "axis", known = { axis = "any" },
  usage = { "a table of arrays", "perhaps the axis that is new (the first)" } }

local function stack(...)
  local joined = join_usual(true, ...)
  if joined then return joined end
  local o = arguments.read("stack", stack_signature, ...)
  local arrays, dtype = list_of("stack", o.list)
  local shape = { arrays[1]:shape() }
  local axis = algorithm.axis("stack", o.axis == nil and 1 or o.axis, #shape + 1)
  for k, a in ipairs(arrays) do
    local own = { a:shape() }
    local fits = #own == #shape
    for d = 1, #shape do fits = fits and own[d] == shape[d] end
    if not fits then
      fail("shape", "stack: array %d has the shape %s, array 1 %s; they must be the same", k, shape_text(own),
        shape_text(shape))
    end
  end
  return join("stack", arrays, axis, true, dtype)
end

-- The extent, whose value as a float is `about`; where an integer does not hold it, the largest one, which is more than
-- memory holds, too.
local function saturated(exact, about) return about < 2 ^ 63 and exact or math.maxinteger end

-- --- repetition -------------------------------------------------------------------------------------------------

local function tile(...)
  local a, n = ..., select("#", ...)
  if n < 2 then arguments.fail_count("tile", { "an array", "how often along each axis" }, a, n) end
  a = algorithm.array("tile", "the first argument", a)
  local reps = arguments.list("tile", {}, select(2, ...))
  for k = 1, #reps do reps[k] = algorithm.integer("tile", "how often", reps[k], 0) end
  local shape = { a:shape() }
  while #shape < #reps do table.insert(shape, 1, 1) end
  while #reps < #shape do table.insert(reps, 1, 1) end
  return core.replicate(a, shape, reps, {})
end

local repeat_signature = { "a", "times", "axis", required = 2, list = "axis", known = { axis = "any" },
  usage = { "an array", "how often", "perhaps an axis" } }

local function repeat_(...)
  local o = arguments.read("repeat_", repeat_signature, ...)
  local a = algorithm.array("repeat_", "the first argument", o.a)
  local times = algorithm.integer("repeat_", "how often", o.times, 0)
  if o.axis == nil then return core.replicate(a, { a.size }, {}, { times }) end
  local axis = algorithm.axis("repeat_", o.axis, a.ndim)
  return core.replicate(a, { a:shape() }, {}, { [axis] = times })
end

-- --- flip and roll ----------------------------------------------------------------------------------------------

-- The set of axes in the arguments; all axes by default.
local function axes_of(fname, ndim, ...)
  local set, list = {}, arguments.axes(fname, arguments.list(fname, { axis = "any", axes = "any" }, ...))
  for k = 1, #list do
    local axis = algorithm.integer(fname, "an axis", list[k], math.mininteger)
    local d = algorithm.axis(fname, axis, ndim)
    if set[d] then fail("argument", "%s: axis %d is named twice", fname, axis) end
    set[d] = true
  end
  if #list == 0 then
    for d = 1, ndim do set[d] = true end
  end
  return set
end

local function flip(...)
  if select("#", ...) < 1 then arguments.fail_count("flip", { "an array", "perhaps axes" }, nil, 0) end
  local a = algorithm.array("flip", "the first argument", (...))
  return core.flip(a, select("#", ...) > 1 and axes_of("flip", a.ndim, select(2, ...)) or nil)
end

local diagonal_signature = { "a", "offset", known = { offset = "any" },
  usage = { "an array", "perhaps which diagonal (0, the main one)" } }

local function diagonal(...)
  local o = arguments.read("diagonal", diagonal_signature, ...)
  local a = algorithm.array("diagonal", "the first argument", o.a)
  local offset = algorithm.integer("diagonal", "which diagonal", o.offset == nil and 0 or o.offset, math.mininteger)
  if a.ndim < 2 then
    fail("shape", "diagonal: an array of 2 axes or more is expected, got one of %d; dc.eye(n) * a makes a matrix with "
      .. "the diagonal a", a.ndim)
  end
  return core.diagonal(a, offset)
end

-- roll(a, n [, axis]): elements move n positions along the axis, from its end to its beginning.
local function roll_axis(a, n, axis)
  local extent = select(axis, a:shape())
  local out = algorithm.empty(a.device, { a:shape() }, a.dtype)
  if out.size == 0 then return out end
  local by = n % extent
  if by == 0 then return out:copy_from(a) end
  copy_ranges(out, axis, by + 1, a, 1, extent - by, 1, 1, a, extent - by + 1, by, 1)
  return out
end

local roll_signature = { "a", "by", "axis", required = 2, list = "axis", known = { axis = "any" },
  usage = { "an array", "how far", "perhaps an axis" } }

local function roll(...)
  local o = arguments.read("roll", roll_signature, ...)
  local a, axis = algorithm.array("roll", "the first argument", o.a), o.axis
  local n = algorithm.integer("roll", "how far", o.by, math.mininteger)
  if axis == nil then return roll_axis(a:reshape(-1), n, 1):reshape({ a:shape() }) end
  return roll_axis(a, n, algorithm.axis("roll", axis, a.ndim))
end

-- --- pad --------------------------------------------------------------------------------------------------------

-- Fills out's elements first..last of the axis, which has content from low to high that repeats every `period`.
local function continue_after(out, axis, low, high, last, period)
  while high < last do
    local shift = (high - low + 1) // period * period
    local n = math.min(shift, last - high)
    copy_ranges(out, axis, high + 1, out, high + 1 - shift, n, 1)
    high = high + n
  end
end

local function continue_before(out, axis, low, high, period)
  while low > 1 do
    local shift = (high - low + 1) // period * period
    local n = math.min(shift, low - 1)
    copy_ranges(out, axis, low - n, out, low - n + shift, n, 1)
    low = low - n
  end
end

local fill_axis = {}

function fill_axis.edge(out, axis, low, high, extent)
  if low > 1 then range(out, axis, 1, low - 1):copy_from(range(out, axis, low, low)) end
  if high < extent then range(out, axis, high + 1, extent):copy_from(range(out, axis, high, high)) end
end

function fill_axis.wrap(out, axis, low, high, extent)
  local period = high - low + 1
  continue_after(out, axis, low, high, extent, period)
  continue_before(out, axis, low, extent, period)
end

-- Reflection without repeating the end elements: mirrored once on each side, at most by the array's own elements;
-- beyond those with the period of 2 * (n - 1).
function fill_axis.reflect(out, axis, low, high, extent)
  local n = high - low + 1
  if n == 1 then return fill_axis.edge(out, axis, low, high, extent) end
  local period = 2 * (n - 1)
  local after, before = math.min(n - 1, extent - high), math.min(n - 1, low - 1)
  copy_ranges(out, axis, high + 1, out, high - 1, after, -1, low - before, out, low + before, before, -1)
  low, high = low - before, high + after
  if high < extent then continue_after(out, axis, low, high, extent, period) end
  if low > 1 then continue_before(out, axis, low, extent, period) end
end

-- The widths as a list of {before, after} for each axis; an integer stands for both sides, or for all axes.
local function widths(widths_, ndim)
  local list = {}
  local function one(v)
    if type(v) ~= "table" then
      local n = algorithm.integer("pad", "a width", v, 0)
      return { n, n }
    end
    arguments.plain("pad", "the table of an axis's widths", v)
    if #v ~= 2 then
      fail("argument", "pad: the widths of an axis are {before, after}, got a table of %d", #v)
    end
    return { algorithm.integer("pad", "a width", v[1], 0), algorithm.integer("pad", "a width", v[2], 0) }
  end
  if type(widths_) ~= "table" then
    for d = 1, ndim do list[d] = one(widths_) end
    return list
  end
  if #widths_ ~= ndim then
    fail("shape", "pad: widths of %d axes for an array of %d; give {{before, after}, …}, an entry an axis", #widths_,
      ndim)
  end
  for d = 1, ndim do list[d] = one(widths_[d]) end
  return list
end

local pad_signature = { "a", "widths", required = 2, known = { value = "any", mode = "string" },
  usage = { "an array", "widths ({{before, after}, …})", "perhaps options" } }

local function pad(...)
  local options = arguments.read("pad", pad_signature, ...)
  arguments.plain("pad", "the table of widths", options.widths)
  local a = algorithm.array("pad", "the first argument", options.a)
  local mode = options.mode or "constant"
  if mode ~= "constant" and not fill_axis[mode] then
    fail("argument", "pad: option 'mode' is \"constant\", \"edge\", \"reflect\" or \"wrap\", got \"%s\"", mode)
  end
  if options.value ~= nil and mode ~= "constant" then
    fail("argument", "pad: option 'value' has no meaning with mode \"%s\"", mode)
  end
  local width = widths(options.widths, a.ndim)
  local shape, inner = { a:shape() }, {}
  for d, n in ipairs(shape) do
    if n == 0 and mode ~= "constant" and width[d][1] + width[d][2] > 0 then
      fail("shape", "pad: axis %d has no elements that mode \"%s\" could repeat", d, mode)
    end
    inner[d] = { width[d][1] + 1, width[d][1] + n }
    shape[d] = saturated(width[d][1] + n + width[d][2], 0.0 + width[d][1] + n + width[d][2])
  end
  local out = algorithm.empty(a.device, shape, a.dtype)
  if out.size == 0 then return out end
  if mode == "constant" then
    local value = options.value
    if value == nil then value = a.dtype ~= "bool" and 0 end
    out[":"] = value
  end
  if a.size > 0 then out:slice(table.unpack(inner)):copy_from(a) end
  if mode ~= "constant" then
    for d = 1, a.ndim do -- along axes after d, which are filled later, only the array's own elements
      local list = {}
      for e = 1, a.ndim do list[e] = e <= d and ":" or inner[e] end
      local part = out:slice(table.unpack(list))
      fill_axis[mode](part, d, inner[d][1], inner[d][2], shape[d])
    end
  end
  return out
end

return { concat = concat, stack = stack, tile = tile, repeat_ = repeat_, flip = flip, diagonal = diagonal,
  roll = roll, pad = pad }
