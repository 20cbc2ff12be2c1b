-- Texture fetching in plain Lua, in float64, by the formulas of the CUDA C++ Programming Guide ("Texture Fetching"),
-- and random textures of every kind, format and mode whose samples by a kernel are compared with it.
-- Usage, on the selected device:
--   lua5.4 spec/textures.lua [seed [textures]]   prints how many samples differ
--   lua5.4 spec/textures.lua record [seed] >spec/data/textures.tsv   keeps the samples of a GPU in a table
-- spec/cpu/textures_spec.lua compares both tiers of the CPU device with the formulas, and with that table.
local dc = require "dotcompute"
local textures = {}

local function f32(v) return (string.unpack("f", string.pack("f", v))) end
local function pick(list) return list[math.random(#list)] end
local inf, nan = math.huge, 0 / 0

-- --- the reference ------------------------------------------------------------------------------------------------

-- Texel i of n along an axis; nil: the border.
local function addressed(i, n, mode)
  if mode == "border" then return i >= 0 and i < n and i or nil end
  if mode == "wrap" then return i % n end
  if mode == "mirror" then
    i = i % (2 * n)
    return i < n and i or 2 * n - 1 - i
  end
  return math.max(0, math.min(n - 1, i))
end

-- The texels along an axis that coordinate u takes part of, and their weights.
local function along(d, u, n, mode, how)
  local periodic = mode == "wrap" or mode == "mirror"
  if u ~= u or periodic and math.abs(u) == inf then u = 0 end
  if periodic and math.abs(u) > 1e6 then u = u % 2 end -- so far out, floats are multiples of 1/16
  local x = d.normalized and u * n or u
  x = math.max(-1e9, math.min(1e9, x))
  if how == "point" then return { { addressed(math.floor(x), n, mode), 1 } } end
  local i = math.floor(x - 0.5)
  local part = how == "linear" and math.floor((x - 0.5 - i) * 256 + 0.5) / 256 or 0
  return { { addressed(i, n, mode), 1 - part }, { addressed(i + 1, n, mode), part } }
end

local function decoded(d, v, c)
  if d.read ~= "normalized" then return v end
  local bits = tonumber(d.dtype:match "%d+")
  if d.dtype:sub(1, 1) == "i" then return math.max(-1, v / (2 ^ (bits - 1) - 1)) end
  v = v / (2 ^ bits - 1)
  if not d.srgb or c == 3 or c == 1 and d.channels == 2 then return v end
  return v <= 0.04045 and v / 12.92 or ((v + 0.055) / 1.055) ^ 2.4
end

-- A border's colour from 0 to 1 as a texel has it.
local function stored(d, v)
  if d.dtype == "float32" then return v end
  if d.dtype == "float16" then return dc.full({}, v, "float16"):item() end
  local bits = tonumber(d.dtype:match "%d+")
  local most = (1 << (d.dtype:sub(1, 1) == "u" and bits or bits - 1)) - 1
  local rounded = math.floor(v * most + 0.5) / most
  return d.dtype == "int8" and math.floor(rounded * 32767 + 0.5) / 32767 or rounded
end

local function extents(d, level) return math.max(1, d.width >> level), math.max(1, d.height >> level),
  math.max(1, d.depth >> level) end

local function texel(d, level, slice, x, y, z, c)
  if c >= d.channels then return 0 end
  if not (x and y and z) then return d.border and stored(d, d.border[c + 1]) or 0 end
  local w, h, deep = extents(d, level)
  return decoded(d, d.data[level + 1][((((slice * deep + z) * h + y) * w + x) * d.channels) + c + 1], c)
end

local axes = { ["1d"] = 1, ["2d"] = 2, ["3d"] = 3, ["1d layered"] = 1, ["2d layered"] = 2, cube = 2,
  ["cube layered"] = 2 }

-- Four channels of a level at coordinates u (x, y, z); `gather`: a channel of the four texels of a bilinear filter.
local function sampled(d, level, slice, u, gather)
  local how = gather and "gather" or d.as_float and d.filter or "point"
  local sizes, n, lists = { extents(d, level) }, axes[d.kind], {}
  for k = 1, 3 do lists[k] = k <= n and along(d, u[k], sizes[k], d.address[k], how) or { { 0, 1 } } end
  if gather then
    local result = {}
    for k, at in ipairs { { 1, 2 }, { 2, 2 }, { 2, 1 }, { 1, 1 } } do
      result[k] = texel(d, level, slice, lists[1][at[1]][1], lists[2][at[2]][1], 0, gather)
    end
    return result
  end
  local result = { 0, 0, 0, 0 }
  for _, z in ipairs(lists[3]) do
    for _, y in ipairs(lists[2]) do
      for _, x in ipairs(lists[1]) do
        local weight = x[2] * y[2] * z[2]
        for c = 0, 3 do
          local v = texel(d, level, slice, x[1], y[1], z[1], c)
          if how == "point" then result[c + 1] = v
          elseif c >= d.channels then result[c + 1] = v
          elseif weight > 0 then result[c + 1] = result[c + 1] + weight * v end
        end
      end
    end
  end
  return result
end

-- The guide's table: face, s, t, m of a direction, or of a gradient in the terms of that face.
local faces = {
  [0] = function(x, y, z) return -z, -y, x end, function(x, y, z) return z, -y, -x end,
  function(x, y, z) return x, z, y end, function(x, y, z) return x, -z, -y end,
  function(x, y, z) return x, -y, z end, function(x, y, z) return -x, -y, -z end,
}
local function face_of(x, y, z)
  local ax, ay, az = math.abs(x), math.abs(y), math.abs(z)
  if az >= ax and az >= ay then return z >= 0 and 4 or 5 end
  if ay >= ax then return y >= 0 and 2 or 3 end
  return x >= 0 and 0 or 1
end

-- The level of detail of gradients g (dx of each axis, then dy of each).
local function level_of(d, g)
  local sizes, n, longest = { extents(d, 0) }, axes[d.kind], 0
  for k = 0, 1 do
    local sum = 0
    for a = 1, n do sum = sum + (g[3 * k + a] * sizes[a]) ^ 2 end
    longest = math.max(longest, sum)
  end
  return math.log(longest, 2) / 2
end

-- What a sample gives, and whether the level of detail is so near to a boundary that rounding decides.
local function reference(d, s)
  local critical
  local u, slice, g = { s.x, s.y, s.z }, 0, s.g
  if s.what == "fetch" then
    local i = s.layer
    return i >= 0 and i < d.width and sampled(d, 0, 0, { i, 0, 0 }) or { texel(d, 0, 0, nil, 0, 0, 0),
      texel(d, 0, 0, nil, 0, 0, 1), texel(d, 0, 0, nil, 0, 0, 2), texel(d, 0, 0, nil, 0, 0, 3) }
  end
  if d.layered then slice = math.min(s.layer & 0xffffffff, d.layers - 1) end
  if d.cube then
    local face = face_of(s.x, s.y, s.z)
    local a, b, m = faces[face](s.x, s.y, s.z)
    slice = slice * 6 + face
    u = { (a / m + 1) / 2, (b / m + 1) / 2, 0 }
    if s.what == "grad" then
      g = {}
      for k = 0, 1 do
        local da, db, dm = faces[face](s.g[3 * k + 1], s.g[3 * k + 2], s.g[3 * k + 3])
        g[3 * k + 1], g[3 * k + 2] = (da * m - a * dm) / (2 * m * m), (db * m - b * dm) / (2 * m * m)
      end
    end
  end
  if s.what:find "gather" then return sampled(d, 0, slice, u, tonumber(s.what:match "%d")) end
  local lod = s.what == "level" and s.g[1] or s.what == "grad" and level_of(d, g) or -32 -- ptxas' own, of tex2D
  lod = math.max(0, math.min(#d.data - 1, math.min(d.level_range[2], math.max(d.level_range[1], lod + d.bias))))
  if d.mipmap_filter == "point" then
    critical = math.abs((lod + 0.5) % 1 - 0.5) > 0.499
    return sampled(d, math.floor(lod + 0.5), slice, u), critical
  end
  local fixed = math.floor(lod * 256 + 0.5)
  critical = math.abs((lod * 256 + 0.5) % 1 - 0.5) > 0.49
  local low, part = sampled(d, fixed // 256, slice, u), fixed % 256 / 256
  if part > 0 then
    local high = sampled(d, fixed // 256 + 1, slice, u)
    for c = 1, 4 do low[c] = (1 - part) * low[c] + part * high[c] end
  end
  return low, critical
end
textures.reference = reference

-- --- the kernels --------------------------------------------------------------------------------------------------

-- Numbers of what a thread does: a kind's plain form is 3 k, by level 3 k + 1, by gradients 3 k + 2.
local kinds = { [0] = "1d", "2d", "3d", "1d layered", "2d layered", "cube", "cube layered" }
local numbers = { fetch = 21, gather0 = 22, gather1 = 23, gather2 = 24, gather3 = 25 }
local source = [[
template <class T> __device__ T one(cudaTextureObject_t t, int what, const float *c, int layer) {
  const float x = c[0], y = c[1], z = c[2], *g = c + 3;
  const float4 dx = make_float4(g[0], g[1], g[2], 0), dy = make_float4(g[3], g[4], g[5], 0);
  const float2 dx2 = make_float2(g[0], g[1]), dy2 = make_float2(g[3], g[4]);
  switch (what) {
    case 0: return tex1D<T>(t, x);
    case 1: return tex1DLod<T>(t, x, g[0]);
    case 2: return tex1DGrad<T>(t, x, g[0], g[3]);
    case 3: return tex2D<T>(t, x, y);
    case 4: return tex2DLod<T>(t, x, y, g[0]);
    case 5: return tex2DGrad<T>(t, x, y, dx2, dy2);
    case 6: return tex3D<T>(t, x, y, z);
    case 7: return tex3DLod<T>(t, x, y, z, g[0]);
    case 8: return tex3DGrad<T>(t, x, y, z, dx, dy);
    case 9: return tex1DLayered<T>(t, x, layer);
    case 10: return tex1DLayeredLod<T>(t, x, layer, g[0]);
    case 11: return tex1DLayeredGrad<T>(t, x, layer, g[0], g[3]);
    case 12: return tex2DLayered<T>(t, x, y, layer);
    case 13: return tex2DLayeredLod<T>(t, x, y, layer, g[0]);
    case 14: return tex2DLayeredGrad<T>(t, x, y, layer, dx2, dy2);
    case 15: return texCubemap<T>(t, x, y, z);
    case 16: return texCubemapLod<T>(t, x, y, z, g[0]);
    case 17: return texCubemapGrad<T>(t, x, y, z, dx, dy);
    case 18: return texCubemapLayered<T>(t, x, y, z, layer);
    case 19: return texCubemapLayeredLod<T>(t, x, y, z, layer, g[0]);
    case 20: return texCubemapLayeredGrad<T>(t, x, y, z, layer, dx, dy);
    case 21: return tex1Dfetch<T>(t, layer);
    case 22: return tex2Dgather<T>(t, x, y, 0);
    case 23: return tex2Dgather<T>(t, x, y, 1);
    case 24: return tex2Dgather<T>(t, x, y, 2);
    default: return tex2Dgather<T>(t, x, y, 3);
  }
}
#define KERNEL(name, T) \
  extern "C" __global__ void name(const cudaTextureObject_t *t, const int *what, const float *c, const int *layer, \
                                  T *out, int n) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i < n) out[i] = one<T>(t[i], what[i], c + 9 * i, layer[i]); \
  }
KERNEL(f, float4)
KERNEL(i, int4)
KERNEL(u, uint4)
]]

-- --- random textures ----------------------------------------------------------------------------------------------

local function value(dtype)
  if dtype == "float32" then return f32(math.random() * 8 - 4) end
  if dtype == "float16" then return math.random(-256, 256) / 64 end
  local bits = tonumber(dtype:match "%d+")
  if dtype:sub(1, 1) == "u" then return math.random(0, (1 << bits) - 1) end
  return math.random(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
end

local function array(d, level)
  local w, h, deep = extents(d, level)
  local shape = {}
  if d.layered then shape[1] = d.layers end
  if d.cube then shape[#shape + 1] = 6 end
  if axes[d.kind] > 2 then shape[#shape + 1] = deep end
  if axes[d.kind] > 1 then shape[#shape + 1] = h end
  shape[#shape + 1] = w
  if d.channels > 1 then shape[#shape + 1] = d.channels end
  local n, values = 1, {}
  for _, extent in ipairs(shape) do n = n * extent end
  for k = 1, n do values[k] = value(d.dtype) end
  d.data[level + 1] = values
  return dc.array(values, d.dtype):reshape(table.unpack(shape))
end

local dtypes = { "uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32" }

-- A description for the reference; the texture is in `texture`, what keeps its memory in `memory`.
function textures.random()
  local d = { kind = kinds[math.random(0, 6)], dtype = pick(dtypes), channels = pick { 1, 2, 4 }, data = {}, bias = 0 }
  local n = axes[d.kind]
  d.layered, d.cube = d.kind:find "layered" ~= nil, d.kind:find "cube" ~= nil
  d.width, d.height, d.depth = math.random(1, 12), n > 1 and math.random(1, 12) or 1, n > 2 and math.random(1, 6) or 1
  if d.cube then d.height = d.width end
  d.layers = d.layered and math.random(1, 4) or 1
  local small = d.dtype:find "int" and not d.dtype:find "32"
  d.read = small and pick { "element", "normalized" } or "element"
  d.as_float = d.dtype:find "float" ~= nil or d.read == "normalized"
  d.srgb = d.dtype == "uint8" and d.as_float and math.random(2) == 1
  d.filter = d.as_float and pick { "point", "linear", "linear" } or "point"
  local mipmapped = math.random(3) == 1 and math.max(d.width, d.height, d.depth) > 1
  d.normalized = d.cube or mipmapped or math.random(2) == 1
  d.address = {}
  for k = 1, 3 do
    d.address[k] = d.cube and "clamp" or pick(d.normalized and { "wrap", "clamp", "mirror", "border" }
      or { "clamp", "border" })
  end
  local options = { filter = d.filter, normalized = d.normalized, read = d.read ~= "element" and d.read or nil,
    srgb = d.srgb or nil, channels = d.channels, layered = d.layered, cube = d.cube,
    address = not d.cube and table.move(d.address, 1, n, 1, {}) or nil }
  if d.as_float and not d.cube and table.concat(d.address, " ", 1, n):find "border" and math.random(2) == 1 then
    d.border = {}
    for c = 1, d.channels do d.border[c] = f32(math.random()) end
    options.border = d.border
  end
  d.memory = array(d, 0)
  d.mipmap_filter, d.level_range = "point", { 0, 0 }
  if mipmapped then
    options.mipmaps = {}
    while math.max(extents(d, #d.data - 1)) > 1 do table.insert(options.mipmaps, array(d, #d.data)) end
    d.mipmap_filter = d.as_float and pick { "point", "linear" } or "point"
    d.bias, d.level_range = pick { 0, 0, 0.5, -0.25 }, pick { { 0, #d.data - 1 }, { 0.25, 1.5 } }
    options.mipmap_filter, options.bias, options.level_range = d.mipmap_filter, d.bias, d.level_range
  end
  d.texture = dc.texture(d.memory, options)
  return d
end

-- One over an array's own memory, for tex1Dfetch.
function textures.random_linear()
  local d = { kind = "1d", dtype = pick(dtypes), channels = pick { 1, 2, 4 }, width = math.random(1, 100), height = 1,
    depth = 1, layers = 1, data = {}, bias = 0, linear = true, filter = "point", normalized = false,
    mipmap_filter = "point", level_range = { 0, 0 }, address = { "border", "border", "border" } }
  d.read = not d.dtype:find "32" and d.dtype:find "int" and pick { "element", "normalized" } or "element"
  d.as_float = d.dtype:find "float" ~= nil or d.read == "normalized"
  d.memory = array(d, 0)
  d.texture = dc.texture(d.memory, { copy = false, channels = d.channels, read = d.read })
  return d
end

local function coordinate(d, n)
  local r = math.random(12)
  if r == 1 then return pick { nan, inf, -inf, 0, 1e30, -1e30, -0.0, 1e-30 } end
  local x = r < 4 and math.random(-4, 2 * n + 4) / 2 or r < 5 and math.random(-1024, 1024 * n) / 512
    or math.random() * 3 * n - n
  return f32(d.normalized and x / n or x)
end

-- A random sample of texture d.
function textures.sample(d)
  local s = { layer = math.random(-1, d.layers + 1), g = {}, what = "plain" }
  s.x, s.y, s.z = coordinate(d, d.width), coordinate(d, d.height), coordinate(d, d.depth)
  if d.linear then
    s.what, s.layer = "fetch", math.random(-2, d.width + 1)
  elseif math.random(4) == 1 and d.kind == "2d" then
    s.what = "gather" .. math.random(0, 3)
  elseif #d.data > 1 then
    s.what = pick { "plain", "level", "grad" }
  end
  if d.cube then
    repeat
      s.x, s.y = f32(math.random() * 2 - 1), f32(math.random() * 2 - 1)
      s.z = pick { f32(math.random() * 2 - 1), s.y, -s.x }
    until math.max(math.abs(s.x), math.abs(s.y), math.abs(s.z)) > 0.01
    s.layer = math.random(0, d.layers - 1) -- GPUs do not clamp it: others are read beyond the texture
  end
  for k = 1, 6 do s.g[k] = f32((math.random() * 2 - 1) * pick { 0.1, 0.5, 1 }) end
  if s.what == "level" then s.g[1] = math.random(-256, 256 * #d.data) / 256 + 0.001 end
  return s
end

-- --- comparison ---------------------------------------------------------------------------------------------------

local function number_of(d, what)
  if numbers[what] then return numbers[what] end
  for k, kind in pairs(kinds) do
    if kind == d.kind then return 3 * k + (what == "level" and 1 or what == "grad" and 2 or 0) end
  end
end

local function shown(d, s, c, got, want)
  local place = ("at (%s, %s, %s), layer %d, g %s"):format(s.x, s.y, s.z, s.layer, table.concat(s.g, " "))
  return ("%s of %s %s x%d (%d x %d x %d, %d layers, %d levels), filter %s, %s, address %s, border %s, read %s%s, %s: "
    .. "channel %d is %s, not %s"):format(s.what, d.kind, d.dtype, d.channels, d.width, d.height, d.depth, d.layers,
    #d.data, d.filter, d.normalized and "normalized" or "texels", table.concat(d.address, "/"),
    d.border and table.concat(d.border, " ") or "0", d.read, d.srgb and " sRGB" or "", place, c, got, want)
end

-- How far a result may be from the exact one: rounding of float32 on the CPU device; a unit of each axis' fixed-point
-- weight on GPUs.
local function tolerance(d, what)
  local scale = d.dtype:find "float" and 8 or 1
  if not d.as_float then return 0 end
  if dc.device().id ~= "cpu" then return scale * (axes[d.kind] + 1) / 256 end
  return (d.filter == "linear" or d.mipmap_filter == "linear" or what == "grad") and 2e-6 * scale or 1e-7 * scale
end

-- `count` random textures and `each` samples of each, by the type of their results: lists of { texture, sample }.
local function random_groups(count, each)
  local groups = { f = {}, i = {}, u = {} }
  for k = 1, count do
    local d = k % 8 == 0 and textures.random_linear() or textures.random()
    local group = groups[d.as_float and "f" or d.dtype:sub(1, 1)]
    for _ = 1, each do group[#group + 1] = { d, textures.sample(d) } end
  end
  return groups
end

-- What the selected device samples, each thread its own texture: four numbers for each pair of the group.
local function run(module, name, group)
  local handles, what, layers, c, n = {}, {}, {}, {}, #group
  for k, pair in ipairs(group) do
    local d, s = pair[1], pair[2]
    handles[k], what[k], layers[k] = d.texture.handle, number_of(d, s.what), s.layer
    for _, v in ipairs { s.x, s.y, s.z, table.unpack(s.g) } do c[#c + 1] = v end
  end
  local out = dc.zeros(4 * n, name == "f" and "float32" or name == "i" and "int32" or "uint32")
  -- On a GPU a thread a block: where threads of a warp sample other textures in other ways, an H200 gave some of them
  -- numbers that were in no texture.
  local block = dc.device().simt and 1 or 96
  module:kernel(name)((n + block - 1) // block, block, dc.array(handles, "uint64"), dc.array(what, "int32"),
    dc.array(c, "float32"), dc.array(layers, "int32"), out, n)
  return out:to_table()
end

-- Compares what the device samples with `expected(name, k, pair)`: four numbers, and whether they are not to be
-- compared. Gives the number of samples, and messages about those that differ by more than `most(texture, what)`.
local function compare(groups, expected, most)
  local module, wrong, total = dc.module(source), {}, 0
  for _, name in ipairs { "f", "i", "u" } do
    local group = groups[name]
    local got = #group > 0 and run(module, name, group)
    for k, pair in ipairs(group) do
      local want, critical = expected(name, k, pair)
      for e = 1, critical and 0 or 4 do
        local x, y = got[4 * k - 4 + e], want[e]
        local close = math.abs(x - y) <= most(pair[1], pair[2].what) -- not where one is NaN
        if not close then
          wrong[#wrong + 1] = shown(pair[1], pair[2], e, x, y)
        end
      end
      total = total + 1
    end
  end
  return total, wrong
end

-- With the guide's formulas.
function textures.compare(count, each)
  return compare(random_groups(count, each), function(_, _, pair) return reference(pair[1], pair[2]) end, tolerance)
end

-- --- tables of a GPU's own samples --------------------------------------------------------------------------------

-- How far from a boundary between texels, where rounding decides, all coordinates of a sample are, in texels.
local function margin(d, s)
  local least = 1
  if s.what == "fetch" then return least end
  for k, x in ipairs { s.x, s.y, s.z } do
    local at = d.normalized and x * (select(k, extents(d, 0))) or x
    if k <= axes[d.kind] and math.abs(x) < 1e6 then
      if s.what:find "gather" then at = at + 0.5 end
      least = math.min(least, math.abs((at + 0.5) % 1 - 0.5))
    end
  end
  return least
end

-- Text: a line about how it was made, and four numbers for each sample of the selected device.
function textures.record(seed, count, each)
  math.randomseed(seed)
  local groups, module = random_groups(count, each), dc.module(source)
  local lines = { ("# seed %d, %d textures, %d samples each, on %s, %s"):format(seed, count, each, dc.device().name,
    os.date "!%Y-%m-%d") }
  for _, name in ipairs { "f", "i", "u" } do
    local got = #groups[name] > 0 and run(module, name, groups[name])
    for k = 1, #groups[name] do
      lines[#lines + 1] = (("\t%.10g"):rep(4)):sub(2):format(table.unpack(got, 4 * k - 3, 4 * k))
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

-- Compares the selected device with a table: equal where nothing is filtered, and within a unit of the weights'
-- fixed point for each axis where it is. Samples at boundaries of texels, of cubes and by gradients are left out of
-- what must be equal, since hardware computes coordinates, faces and logarithms with fewer bits.
function textures.replay(text)
  local seed, count, each = text:match "^# seed (%d+), (%d+) textures, (%d+) samples"
  local rows, at = {}, 0
  for line in text:gmatch "\n([^\n]+)" do
    local row = {}
    for number in line:gmatch "%S+" do row[#row + 1] = tonumber(number) end
    rows[#rows + 1] = row
  end
  math.randomseed(math.tointeger(tonumber(seed)))
  return compare(random_groups(tonumber(count), tonumber(each)), function(_, _, pair)
    at = at + 1
    local d, s = pair[1], pair[2]
    local filtered = d.filter == "linear" and not s.what:find "gather"
    local unsure = s.what == "grad" or d.cube or not filtered and margin(d, s) < 1 / 128
    return assert(rows[at], "the table is too short"), unsure
  end, function(d, what)
    local scale = d.dtype:find "float" and 8 or 1
    if not d.as_float then return 0 end
    if d.filter == "linear" and not what:find "gather" or d.mipmap_filter == "linear" then
      return scale * (axes[d.kind] + (#d.data > 1 and 1 or 0)) / 256
    end
    if d.dtype == "int8" and what:find "gather" then return 2e-5 end -- the H200 rounds these to 1/32767
    return scale * (d.srgb and 1 / 256 or 1e-6)
  end)
end

if arg and arg[0] and arg[0]:find "textures%.lua$" then
  if arg[1] == "record" then
    io.write(textures.record(tonumber(arg[2]) or 1, 300, 20))
  else
    math.randomseed(tonumber(arg[1]) or os.time())
    local total, wrong = textures.compare(tonumber(arg[2]) or 200, 50)
    print(("%d samples, %d wrong"):format(total, #wrong))
    for k = 1, math.min(#wrong, tonumber(arg[3]) or 10) do print(wrong[k]) end
  end
end
return textures
