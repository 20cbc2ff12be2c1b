-- dc.tensor_map: its options, and the rules of cuTensorMapEncodeTiled (CUDA Driver API, "Tensor Map Object
-- Management"), which the driver answers with "invalid value" alone. The C core encodes the map
-- (src/lua/tensor_map.c).
local core = require "dotcompute.core"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

local FNAME <const> = "dc.tensor_map"
local AXES <const>, BOX <const>, STEP <const> = 5, 256, 8 -- the most of each
local EXTENT <const>, STRIDE <const> = 1 << 32, 1 << 40 -- most elements of an axis; bytes that strides are below

local function fail(kind, text, ...) algorithm.fail(kind, FNAME .. ": " .. text, ...) end

-- The driver's numbers: CUtensorMapDataType, CUtensorMapInterleave, CUtensorMapSwizzle and so on.
local types = { uint8 = 0, int8 = 0, bool = 0, uint16 = 1, int16 = 1, uint32 = 2, int32 = 3, uint64 = 4, int64 = 5,
  float16 = 6, float32 = 7, float64 = 8, bfloat16 = 9 }
local interleaves = { none = 0, [16] = 1, [32] = 2 }
local swizzles = { none = 0, [32] = 1, [64] = 2, [128] = 3, ["128 atom 32"] = 4, ["128 atom 32 flip 8"] = 5,
  ["128 atom 64"] = 6 }
local promotions = { none = 0, [64] = 1, [128] = 2, [256] = 3 }
local fills = { zero = 0, nan = 1 }

local function choose(option, v, list, default)
  local found = list[v == nil and default or v]
  if found then return found end
  local names = {}
  for name in pairs(list) do names[#names + 1] = type(name) == "string" and ("%q"):format(name) or tostring(name) end
  table.sort(names)
  fail("argument", "option '%s' is %s, got %s", option, table.concat(names, ", "):gsub(", ([^,]*)$", " or %1"),
    core.describe(v))
end

-- A list of one integer from 1 to `most` for each axis.
local function read_list(option, v, n, most)
  if type(v) == "number" then v = { v } end
  if type(v) ~= "table" or #v ~= n then
    fail("argument", "option '%s' is a list of an integer for each axis of the array, %d; got %s", option, n,
      type(v) == "table" and ("%d of them"):format(#v) or core.describe(v))
  end
  local list = {}
  for k = 1, n do
    local x = type(v[k]) == "number" and math.tointeger(v[k])
    if not x or x < 1 or x > most then
      fail("argument", "option '%s' is an integer from 1 to %d for each axis; that of axis %d is %s", option, most, k,
        core.describe(v[k]))
    end
    list[k] = x
  end
  return list
end

local function reversed(list)
  local out = {}
  for k = #list, 1, -1 do out[#out + 1] = list[k] end
  return out
end

-- The strides in bytes of all axes but the last, checked. An axis of one element has none that matter.
local function read_strides(shape, strides, size, align)
  local n, least = #shape, shape[#shape] * size
  if strides[n] ~= size and shape[n] > 1 then
    fail("argument", "elements of the last axis are %d bytes apart in this view, and have to be next to each other; "
      .. "copy it (a:copy())", strides[n])
  end
  local out = {}
  for k = n - 1, 1, -1 do
    local stride = strides[k]
    if shape[k] == 1 then stride = (least + align - 1) // align * align end
    if stride < size or stride >= STRIDE then
      fail("argument", "axis %d has a stride of %d bytes; it is positive and below 2^40", k, stride)
    end
    if stride % align ~= 0 then
      fail("argument", "axis %d has a stride of %d bytes, which is no multiple of %d: take a view of an array with "
        .. "longer rows", k, stride, align)
    end
    out[#out + 1], least = stride, stride * shape[k]
  end
  return out
end

-- The last axis of the box, in bytes, against interleave and swizzle.
local function check_row(box, size, interleave, swizzle, options)
  local bytes, span = box[#box] * size, ({ [0] = math.huge, 32, 64 })[swizzle] or 128
  if interleave == interleaves[32] and swizzle ~= swizzles[32] then
    fail("argument", "interleave = 32 needs swizzle = 32")
  end
  if interleave ~= interleaves.none then return end
  if bytes % 16 ~= 0 then
    fail("argument", "a row of the box has %d elements of %d bytes; its %d bytes are no multiple of 16", box[#box],
      size, bytes)
  end
  if bytes > span then
    fail("argument", "a row of the box has %d bytes; with swizzle = %s it has at most %d", bytes,
      core.describe(options.swizzle):gsub("^the number ", ""), span)
  end
end

local function tensor_map(a, options)
  if not core.is_array(a) then fail("argument", "an array is expected, got %s", core.describe(a)) end
  options = arguments.need(FNAME, options, { box = "any", strides = "any", swizzle = "any", interleave = "any",
    l2 = "any", fill = "string" })
  local type_number = types[a.dtype]
  if not type_number then
    fail("dtype", "tensor maps are of integers, float16, bfloat16, float32 or float64, not of %s", a.dtype)
  end
  local shape, size = { a:shape() }, core.dtype(a.dtype).size
  if #shape < 1 or #shape > AXES then fail("shape", "an array of 1 to %d axes is expected, got %d", AXES, #shape) end
  for k, extent in ipairs(shape) do
    if extent < 1 or extent > EXTENT then
      fail("shape", "axis %d has %d elements; tensor maps have 1 to 2^32", k, extent)
    end
  end
  local interleave = choose("interleave", options.interleave, interleaves, "none")
  local swizzle = choose("swizzle", options.swizzle, swizzles, "none")
  local fill = choose("fill", options.fill, fills, "zero")
  if interleave ~= interleaves.none and #shape < 3 then
    fail("shape", "an interleaved layout has 3 axes at least, the array has %d", #shape)
  end
  if fill == fills.nan and core.dtype(a.dtype).kind ~= "f" then
    fail("argument", 'fill = "nan" is for floats, not for %s', a.dtype)
  end
  local box = read_list("box", options.box, #shape, BOX)
  local step = options.strides == nil and {} or read_list("strides", options.strides, #shape, STEP)
  for k = 1, #shape do step[k] = step[k] or 1 end
  if step[#step] ~= 1 and interleave == interleaves.none then
    fail("argument", "option 'strides': that of the last axis is 1 without an interleaved layout, got %d", step[#step])
  end
  check_row(box, size, interleave, swizzle, options)
  local layout = { core.tensor_layout(a) }
  local address, align = table.remove(layout, 1), interleave == interleaves[32] and 32 or 16
  if address % align ~= 0 then
    fail("argument", "the array starts at address 0x%x, which is no multiple of %d", address, align)
  end
  return core.tensor_map(a, {
    address = address, type = type_number, axes = #shape, extent = reversed(shape), box = reversed(box),
    step = reversed(step), stride = read_strides(shape, layout, size, align), interleave = interleave,
    swizzle = swizzle, l2 = choose("l2", options.l2, promotions, "none"), fill = fill,
    text = ("tensor map of %s %s in boxes of %s on %s"):format(a.dtype, table.concat(shape, " x "),
      table.concat(box, " x "), a.device.id),
  })
end

return { tensor_map = tensor_map }
