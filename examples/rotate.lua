-- Rotates a picture by a texture: the device interpolates between the four neighbours of each point, and gives the
-- border outside. Compared with a kernel that does both itself from an array, in float32; a texture's weights have 8
-- bits of fraction.
--
--   dclua examples/rotate.lua [in.png [out.png [degrees]]]
local dc = require "dotcompute"

local m = dc.module [[
// The point of the picture (w by h) that is shown at (x, y), for a rotation about the centre.
__device__ float2 origin(int x, int y, int w, int h, float c, float s) {
  const float dx = x + 0.5f - 0.5f * w, dy = y + 0.5f - 0.5f * h;
  return make_float2(0.5f * w + c * dx + s * dy, 0.5f * h - s * dx + c * dy);
}

__global__ void by_texture(cudaTextureObject_t picture, float4 *out, int w, int h, float c, float s) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float2 p = origin(x, y, w, h, c, s);
  out[y * w + x] = tex2D<float4>(picture, p.x, p.y);
}

__device__ float4 texel(const uchar4 *picture, int x, int y, int w, int h) {
  if (x < 0 || y < 0 || x >= w || y >= h) return make_float4(0, 0, 0, 0);
  const uchar4 v = picture[y * w + x];
  return make_float4(v.x / 255.0f, v.y / 255.0f, v.z / 255.0f, v.w / 255.0f);
}

__device__ float4 mix(float4 a, float4 b, float t) {
  return make_float4(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z), a.w + t * (b.w - a.w));
}

__global__ void by_array(const uchar4 *picture, float4 *out, int w, int h, float c, float s) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float2 p = origin(x, y, w, h, c, s);
  const float left = floorf(p.x - 0.5f), top = floorf(p.y - 0.5f);
  const int i = (int)left, j = (int)top;
  out[y * w + x] = mix(mix(texel(picture, i, j, w, h), texel(picture, i + 1, j, w, h), p.x - 0.5f - left),
                       mix(texel(picture, i, j + 1, w, h), texel(picture, i + 1, j + 1, w, h), p.x - 0.5f - left),
                       p.y - 0.5f - top);
}
]]

-- A picture of rings, unless one is given: (height, width, 4), uint8.
local function picture(path)
  if path then
    local read = dc.image.read(path)
    local h, w, channels = read:shape()
    if channels == 4 then return read end
    local rgb = channels == 3 and read or read:reshape(h, w, 1):broadcast_to(h, w, 3)
    return dc.concat({ rgb:copy(), dc.full({ h, w, 1 }, 255, "uint8") }, 3)
  end
  local h, w = 480, 640
  local x, y = dc.arange(0, w - 1):reshape(1, w) - w / 2, dc.arange(0, h - 1):reshape(h, 1) - h / 2
  local rings = dc.sin(dc.sqrt(x * x + y * y) / 8) * 127 + 128
  return dc.stack({ rings, 255 - rings, rings / 2, dc.full({ h, w }, 255) }, 3):to "uint8"
end

local a = picture(arg[1])
local h, w = a:shape()
local angle = math.rad(tonumber(arg[3]) or 30)
local c, s = math.cos(angle), math.sin(angle)
local texture = dc.texture(a, { channels = 4, read = "normalized", filter = "linear", address = "border" })
local out, check = dc.empty(h, w, 4), dc.empty(h, w, 4)
local grid, block = { (w + 31) // 32, (h + 7) // 8 }, { 32, 8 }

m.by_texture(grid, block, texture, out, w, h, c, s)
m.by_array(grid, block, a, check, w, h, c, s)
-- Two weights, each of which is rounded to a multiple of 1/256, and values up to 1.
local difference = dc.abs(out - check):max():item()
assert(difference <= 2 / 256, difference)

local time = dc.time
local texture_time = time(function() m.by_texture(grid, block, texture, out, w, h, c, s) end)
local array_time = time(function() m.by_array(grid, block, a, check, w, h, c, s) end)
print(("%d x %d texels rotated by %.4g degrees; the largest difference is %.3g, on %s"):format(w, h, math.deg(angle),
  difference, dc.device().name))
print(("%.3g ms by the texture, %.3g ms from the array"):format(texture_time * 1e3, array_time * 1e3))
if arg[2] then dc.image.write(arg[2], dc.rint(out * 255):to "uint8") end
