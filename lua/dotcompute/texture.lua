-- dc.texture and dc.surface: their options, what an array's dtype and shape mean as texels, mipmaps. The C core makes
-- the objects (src/lua/texture.c).
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail

-- The numbers of src/device/texture.h.
local kinds = { [1] = "1d", [2] = "2d", [3] = "3d" }
local numbers = { ["1d"] = 0, ["2d"] = 1, ["3d"] = 2, ["1d layered"] = 3, ["2d layered"] = 4, cube = 5,
  ["cube layered"] = 6 }
local channel_types = { i = 0, u = 1, f = 2 }
local addresses = { wrap = 0, clamp = 1, mirror = 2, border = 3 }
local filters = { point = 0, linear = 1 }

-- --- texels -------------------------------------------------------------------------------------------------------

-- What the array's elements are as texels: type and bits of a channel, and how many channels its dtype has.
local function texel_of(fname, dtype)
  if dtype == "complex64" then return { channel = channel_types.f, bits = 32, channels = 2, float = true } end
  local facts = core.dtype(dtype)
  local bits = facts.size * 8
  local channel = dtype ~= "bfloat16" and bits <= 32 and channel_types[facts.kind]
  if not channel then
    fail("dtype", "%s: texels are int8, uint8, int16, uint16, int32, uint32, float16, float32 or complex64, not %s; "
      .. "convert with a:to \"float32\"", fname, dtype)
  end
  return { channel = channel, bits = bits, float = facts.kind == "f" }
end

local function shown(shape) return "(" .. table.concat(shape, ", ") .. ")" end

-- The number of channels, and the extents without an axis of them.
local function channels_of(fname, a, texel, wanted)
  local shape = { a:shape() }
  if texel.channels then
    if wanted then fail("argument", "%s: a complex64 array has two channels without option 'channels'", fname) end
    return texel.channels, shape
  end
  if wanted == nil then return 1, shape end
  if wanted ~= 1 and wanted ~= 2 and wanted ~= 4 then
    fail("argument", "%s: a texel has 1, 2 or 4 channels, not %d", fname, wanted)
  end
  if wanted == 1 then return 1, shape end
  if shape[#shape] ~= wanted then
    fail("shape", "%s: with channels = %d the last axis has %d elements; the array's shape is %s", fname, wanted,
      wanted, shown(shape))
  end
  shape[#shape] = nil
  return wanted, shape
end

-- Kind and extents of texels with the extents `shape`, outermost first.
local function describe(fname, shape, options)
  local layered, cube, n = options.layered, options.cube, #shape
  local function wrong(text)
    fail("shape", "%s: %s, not the extents %s%s", fname, text, shown(shape),
      options.channels and options.channels > 1 and " before the channels"
        or " (several channels take option 'channels')")
  end
  local d = { width = shape[n], height = 1, depth = 1, layers = 1 }
  if cube then
    if n ~= (layered and 4 or 3) or shape[n - 2] ~= 6 or shape[n] ~= shape[n - 1] then
      wrong(layered and "a layered cube texture is (cubes, 6, n, n)" or "a cube texture is (6, n, n)")
    end
    d.kind, d.height, d.layers = layered and "cube layered" or "cube", shape[n], layered and 6 * shape[1] or 6
  elseif layered then
    if n ~= 2 and n ~= 3 then wrong "a layered texture is (layers, width) or (layers, height, width)" end
    d.kind, d.layers = kinds[n - 1] .. " layered", shape[1]
    if n == 3 then d.height = shape[2] end
  else
    if n < 1 or n > 3 then wrong "a texture is (width), (height, width) or (depth, height, width)" end
    d.kind, d.height, d.depth = kinds[n], shape[n - 1] or 1, shape[n - 2] or 1
  end
  for _, extent in ipairs(shape) do
    if extent == 0 then fail("shape", "%s: a texture without texels: the shape is %s", fname, shown(shape)) end
    if extent >= 1 << 31 then fail("shape", "%s: an extent of %d; the most is 2^31 - 1", fname, extent) end
  end
  if d.layers >= 1 << 31 then fail("shape", "%s: %d layers; the most is 2^31 - 1", fname, d.layers) end
  return d
end

local function check_array(fname, a)
  if not core.is_array(a) then
    fail("argument", "%s: an array is expected, got %s", fname, core.describe(a))
  end
end

-- Everything of the array's shape and dtype, as the core takes it.
local function texels(fname, a, options)
  check_array(fname, a)
  local texel = texel_of(fname, a.dtype)
  local channels, shape = channels_of(fname, a, texel, options.channels)
  local info = describe(fname, shape, options)
  info.channel, info.bits, info.channels, info.levels = texel.channel, texel.bits, channels, 1
  info.name, info.kind = info.kind, numbers[info.kind]
  info.float = texel.float
  info.dtype, info.device, info.shape = a.dtype, a.device, { a:shape() }
  info.axes = #shape - (options.layered and 1 or 0) - (options.cube and 1 or 0) -- spatial ones
  info.first = #shape - info.axes + 1
  return info
end

local function extents_at(info, level)
  local shape = table.move(info.shape, 1, #info.shape, 1, {})
  for k = info.first, info.first + info.axes - 1 do shape[k] = math.max(1, shape[k] >> level) end
  return shape
end

-- What scripts see of it. A surface has the extents of its level.
local function publish(info, what)
  local extents, shape = {}, extents_at(info, info.level or 0)
  for k = 1, info.axes do extents[k] = shape[info.first + info.axes - k] end
  info.fields = { kind = info.name, dtype = info.dtype, channels = info.channels, device = info.device,
    levels = info.levels, level = info.level and info.level + 1 }
  info.text = ("%s %s of %s texels: %s%s%s%s on %s"):format(what, info.name, table.concat(extents, " x "), info.dtype,
    info.channels > 1 and " x " .. info.channels or "", info.layers > 1 and (", %d layers"):format(info.layers) or "",
    info.level and info.levels > 1 and (", level %d of %d"):format(info.level + 1, info.levels)
      or info.levels > 1 and (", %d levels"):format(info.levels) or "", info.device.id)
  return info
end

-- --- options of sampling ------------------------------------------------------------------------------------------

local function choose(fname, option, v, list, default)
  if v == nil then return list[default] end
  if list[v] then return list[v] end
  local names = {}
  for name in pairs(list) do names[#names + 1] = ("%q"):format(name) end
  table.sort(names)
  fail("argument", "%s: %s is %s, got %s", fname, option, table.concat(names, " or "), core.describe(v))
end

local axis_names = { "x", "y", "z" }

-- Of all axes, {x = …, y = …} or a list in that order.
local function read_address(fname, info, v)
  local cube = info.name:find "cube"
  if v ~= nil and cube then fail("argument", "%s: a cube texture has no address modes", fname) end
  local modes = {}
  if type(v) ~= "table" then
    local mode = choose(fname, "option 'address'", v, addresses, "clamp")
    for k = 1, info.axes do modes[k] = mode end
  else
    for name in next, v do
      local k = math.type(name) == "integer" and name or name == "x" and 1 or name == "y" and 2 or name == "z" and 3
      if not k or k < 1 or k > info.axes then
        fail("argument", "%s: option 'address' has the key %s; a %s texture has %s", fname, core.describe(name),
          info.name, table.concat(axis_names, ", ", 1, info.axes))
      end
    end
    for k = 1, info.axes do
      modes[k] = choose(fname, "address." .. axis_names[k], v[axis_names[k]] or v[k], addresses, "clamp")
    end
  end
  local border = false
  for k = 1, info.axes do
    border = border or modes[k] == addresses.border
    if (modes[k] == addresses.wrap or modes[k] == addresses.mirror) and not info.normalized then
      fail("argument", "%s: the address modes 'wrap' and 'mirror' need normalized = true, coordinates from 0 to 1",
        fname)
    end
  end
  -- GPUs filter along an axis that the texture does not have, too, as if it had one texel there.
  info.address_x, info.address_y, info.address_z = modes[1], modes[2] or addresses.clamp, modes[3] or addresses.clamp
  return border
end

local function finite(fname, option, v)
  if type(v) ~= "number" or v ~= v or v == math.huge or v == -math.huge or math.abs(v) > 3.4028234e38 then
    fail("argument", "%s: %s is a finite number, got %s", fname, option, core.describe(v))
  end
  return v
end

local function read_border(fname, info, v, used)
  if v == nil then return end
  if not used then fail("argument", "%s: option 'border' needs address = \"border\"", fname) end
  if not info.as_float then
    fail("argument", "%s: texels that are read as integers are 0 outside; option 'border' is for those read as floats",
      fname)
  end
  local list = type(v) == "table" and v or { v }
  if #list ~= info.channels and #list ~= 4 then
    fail("argument", "%s: option 'border' is a number for each of the %d channel%s, got %d", fname, info.channels,
      info.channels == 1 and "" or "s", #list)
  end
  info.border = {}
  for k = 1, 4 do info.border[k] = list[k] == nil and 0 or finite(fname, "option 'border'", list[k]) end
end

-- Filter, coordinates and so on into `info`. `levels` is set; `own`: over the array's own memory.
local function read_sampling(fname, info, options, own)
  local cube, flat = info.name:find "cube", own and info.name == "1d"
  local mipmapped = info.levels > 1
  info.normalized_read = options.read == "normalized" and 1 or 0
  if options.read ~= nil and options.read ~= "normalized" and options.read ~= "element" then
    fail("argument", "%s: option 'read' is \"element\" or \"normalized\", got %s", fname, core.describe(options.read))
  end
  if info.normalized_read == 1 and (info.float or info.bits == 32) then
    fail("argument", "%s: read = \"normalized\" is for integers of 8 and 16 bits, not for %s", fname, info.dtype)
  end
  info.as_float = info.float or info.normalized_read == 1
  info.normalized = options.normalized
  if cube and options.normalized == false or mipmapped and not (cube or options.normalized) then
    fail("argument", "%s: %s textures need normalized = true, coordinates from 0 to 1", fname,
      cube and "cube" or "mipmapped")
  end
  info.normalized = (options.normalized or cube) and true or false
  info.filter = choose(fname, "option 'filter'", options.filter, filters, "point")
  info.mipmap_filter = choose(fname, "option 'mipmap_filter'", options.mipmap_filter, filters, "point")
  if (info.filter == filters.linear or info.mipmap_filter == filters.linear) and not info.as_float then
    fail("argument", "%s: a linear filter gives floats: %s texels need %s", fname, info.dtype,
      info.bits == 32 and "a conversion, a:to \"float32\"" or "read = \"normalized\"")
  end
  if flat and (info.filter == filters.linear or options.address ~= nil or info.normalized) then
    fail("argument", "%s: a 1d texture over an array's own memory is read by tex1Dfetch alone, without filter, address "
      .. "and normalized; without copy = false it has these", fname)
  end
  for _, name in ipairs { "mipmap_filter", "bias", "level_range" } do
    if options[name] ~= nil and not mipmapped then
      fail("argument", "%s: option '%s' is for textures with mipmaps", fname, name)
    end
  end
  read_border(fname, info, options.border, read_address(fname, info, options.address))
  if options.srgb and not (info.dtype == "uint8" and info.normalized_read == 1) then
    fail("argument", "%s: srgb = true is for uint8 texels with read = \"normalized\"", fname)
  end
  info.srgb = options.srgb and 1 or 0
  info.bias = options.bias and finite(fname, "option 'bias'", options.bias) or 0
  info.min_level, info.max_level = 0, info.levels - 1
  local range = options.level_range
  if range then
    info.min_level = finite(fname, "option 'level_range'", range[1])
    info.max_level = finite(fname, "option 'level_range'", range[2])
    if info.min_level < 0 or info.max_level < info.min_level then
      fail("argument", "%s: option 'level_range' is {least, greatest}, from 0 on", fname)
    end
  end
  info.normalized = info.normalized and 1 or 0
end

-- --- mipmaps ------------------------------------------------------------------------------------------------------

-- The next level: means of pairs along each spatial axis; the last of an odd number is left out.
local function halve(info, a)
  local first, last = info.first, info.first + info.axes - 1
  local shape, axes, cut = { a:shape() }, {}, {}
  local split = {}
  for k, n in ipairs(shape) do
    cut[k] = ":"
    if k >= first and k <= last and n > 1 then
      cut[k] = { 1, n // 2 * 2 }
      split[#split + 1] = n // 2
      split[#split + 1] = 2
      axes[#axes + 1] = #split
    else
      split[#split + 1] = n
    end
  end
  local mean = a[cut]:to(info.bits == 32 and not info.float and "float64" or info.dtype == "complex64" and "complex64"
    or "float32"):reshape(split):mean(axes)
  return (info.float and mean or dc.rint(mean)):to(info.dtype)
end

local function check_level(fname, info, a, level)
  check_array(fname, a)
  local want, got = extents_at(info, level - 1), { a:shape() }
  if a.dtype ~= info.dtype or shown(want) ~= shown(got) then
    fail("shape", "%s: level %d is %s of shape %s, got %s of shape %s", fname, level, info.dtype, shown(want), a.dtype,
      shown(got))
  end
  algorithm.check_device(fname, "level " .. level, a, info.device)
end

-- How many levels, from option 'mipmaps': true, or a list of arrays.
local function count_levels(fname, info, mipmaps)
  if not mipmaps then return 1 end
  if mipmaps == true then
    local n, levels = 1, 1
    for k = info.first, info.first + info.axes - 1 do n = math.max(n, info.shape[k]) end
    while n >> levels > 0 do levels = levels + 1 end
    return levels
  end
  if type(mipmaps) ~= "table" then
    fail("argument", "%s: option 'mipmaps' is true or a list of arrays, level 2 and on; got %s", fname,
      core.describe(mipmaps))
  end
  local most = count_levels(fname, info, true)
  if #mipmaps + 1 > most then
    fail("argument", "%s: %d levels; the last of 1 texel is level %d", fname, #mipmaps + 1, most)
  end
  return #mipmaps + 1
end

-- Copies the array to its level, and what is made of it to the levels behind.
local function write(storage, info, a, level, levels)
  local now = a
  for k = level, levels do
    if k > level then now = halve(info, now) end
    core.texture_copy(storage, k - 1, algorithm.flat(now), true)
  end
end

local function new_storage(fname, info, a, mipmaps)
  info.levels = count_levels(fname, info, mipmaps)
  if type(mipmaps) == "table" then
    for k, m in ipairs(mipmaps) do check_level(fname, info, m, k + 1) end
  end
  info.made = mipmaps == true -- the levels are made of the first
  local storage = core.texture_storage(info.device, info)
  write(storage, info, a, 1, info.made and info.levels or 1)
  if type(mipmaps) == "table" then
    for k, m in ipairs(mipmaps) do write(storage, info, m, k + 1, k + 1) end
  end
  return storage
end

-- --- making -------------------------------------------------------------------------------------------------------

local texture = {}

local shape_options = { channels = "integer", layered = "boolean", cube = "boolean" }
local texture_options = { filter = "string", address = "any", normalized = "boolean", read = "string", mipmaps = "any",
  mipmap_filter = "string", bias = "number", level_range = "table", srgb = "boolean", border = "any",
  copy = "boolean" }
for name, kind in pairs(shape_options) do texture_options[name] = kind end
local of_memory = { "channels", "layered", "cube", "mipmaps", "copy" }

-- A new description of the same storage.
local function shared(fname, info, options, refused)
  for _, name in ipairs(refused) do
    if options[name] ~= nil then
      fail("argument", "%s: option '%s' is for an array; texture and surface share their texels", fname, name)
    end
  end
  local copy = {}
  for name, v in pairs(info) do copy[name] = v end
  copy.border = nil
  return copy
end

function texture.texture(a, options)
  local fname = "dc.texture"
  options = arguments.check(fname, options, texture_options)
  local what, info, memory = core.texture_parts(a)
  if what then
    info = shared(fname, info, options, of_memory)
    if not memory then
      fail("argument", "%s: it reads the memory of an array; make another of that", fname)
    end
    info.level = nil
  else
    info, memory = texels(fname, a, options), a
    local own = options.copy == false
    if own and (info.name ~= "1d" and info.name ~= "2d" or options.mipmaps) then
      fail("argument", "%s: copy = false, a texture over the array's own memory, is for 1d and 2d without mipmaps; "
        .. "this is %s", fname, options.mipmaps and "mipmapped" or info.name)
    end
    if not own then
      info.levels = count_levels(fname, info, options.mipmaps)
      read_sampling(fname, info, options, false) -- before anything is copied
      memory = new_storage(fname, info, a, options.mipmaps)
    end
  end
  read_sampling(fname, info, options, options.copy == false)
  return core.texture_over(memory, publish(info, "texture"))
end

function texture.surface(a, options)
  local fname = "dc.surface"
  options = arguments.check(fname, options, { channels = "integer", layered = "boolean", cube = "boolean",
    level = "integer" })
  local what, info, storage = core.texture_parts(a)
  local level = options.level or 1
  if what then
    info = shared(fname, info, options, { "channels", "layered", "cube" })
    if not storage then
      fail("argument", "%s: the texture reads the memory of an array, and kernels write that by its pointer", fname)
    end
  else
    info = texels(fname, a, options)
    storage = new_storage(fname, info, a)
  end
  if level < 1 or level > info.levels then
    fail("argument", "%s: there is no level %d; the texture has %d", fname, level, info.levels)
  end
  info.level = level - 1
  return core.surface_over(storage, publish(info, "surface"))
end

-- --- methods ------------------------------------------------------------------------------------------------------

local function parts(fname, t)
  local what, info, storage = core.texture_parts(t)
  if not what then
    fail("argument", "%s: a texture or a surface is expected, got %s (methods are called with a colon)", fname,
      core.describe(t))
  end
  return what, info, storage
end

-- The level meant, from 1: the given one, else a surface's own or the first.
local function level_of(fname, info, level)
  if level == nil then return info.level and info.level + 1 or 1 end
  local n = type(level) == "number" and math.tointeger(level)
  if not n or n < 1 or n > info.levels then
    fail("argument", "%s: a level is an integer from 1 to %d, got %s", fname, info.levels, core.describe(level))
  end
  return n
end

function texture.update(t, a, options)
  local _, info, storage = parts("update", t)
  options = arguments.check("update", options, { level = "integer" })
  if not storage then
    fail("argument", "update: the texture reads the memory of an array; what is written to that is read at once")
  end
  local level = level_of("update", info, options.level)
  check_level("update", info, a, level)
  write(storage, info, a, level, info.made and options.level == nil and level == 1 and info.levels or level)
  return t
end

function texture.array(t, level)
  local _, info, storage = parts("array", t)
  level = level_of("array", info, level)
  if not storage then
    fail("argument", "array: the texture reads the memory of an array, which has its texels")
  end
  local a = algorithm.empty(info.device, extents_at(info, level - 1), info.dtype)
  core.texture_copy(storage, level - 1, a, false)
  return a
end

function texture.shape(t)
  local _, info = parts("shape", t)
  return table.unpack(extents_at(info, info.level or 0))
end

return texture
