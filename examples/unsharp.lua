-- Sharpens a picture: unsharp masking with a separable blur.  Usage: unsharp.lua [IN|- [OUT [sigma [amount]]]]
-- IN and OUT are PNG, PGM or PPM.  Without IN, or with -: a zone plate, whose rings are finer the farther out they are.
local dc = require "dotcompute"

local input, output = arg and arg[1], arg and arg[2]
if input == "-" then input = nil end
local sigma, amount = arg and tonumber(arg[3]) or 2, arg and tonumber(arg[4]) or 1.5

-- Brightness from 0 to 1, h×w.
local function zone_plate(size)
  local x = dc.linspace(-1, 1, size)
  local y = x:reshape(size, 1)
  local rings = dc.cos((x * x + y * y) * (size / 5)) * 0.5 + 0.5
  return dc.where((x * x + y * y):lt(0.9), rings, 0.5 + x * 0.2):eval()
end
local function read_grey(path)
  local picture = dc.image.read(path)
  local full = picture.dtype == "uint16" and 65535 or 255
  local channels = picture.ndim == 3 and select(3, picture:shape()) or 1
  if picture.ndim == 3 and channels >= 3 then
    picture = (picture[{ ":", ":", { 1, 3 } }] * dc.array { 0.2126, 0.7152, 0.0722 }):sum(3)
  elseif picture.ndim == 3 then
    picture = picture[{ ":", ":", 1 }]
  end
  return (picture:to "float32" / full):eval()
end
local picture = input and read_grey(input) or zone_plate(192)
local h, w = picture:shape()

-- The weights of a Gaussian, up to three sigma: their sum is 1.
local radius = math.max(1, math.ceil(3 * sigma))
if radius > 64 then error("sigma is at most 21", 0) end
local offset = dc.arange(-radius, radius)
local weights = dc.exp(offset * offset / (-2 * sigma * sigma))
weights = (weights / weights:sum()):eval()

-- One dimension of the blur, in x or y by the template's argument. The weights are in constant memory.
local blur = dc.module([[
__constant__ float weights[2 * 64 + 1];
template<bool VERTICAL> __global__ void blur(int w, int h, int radius, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int k = -radius; k <= radius; k++) {
    int sx = VERTICAL ? x : min(max(x + k, 0), w - 1), sy = VERTICAL ? min(max(y + k, 0), h - 1) : y;
    sum += weights[k + radius] * in[(size_t)sy * w + sx];
  }
  out[(size_t)y * w + x] = sum;
}]], { instantiate = { "blur<false>", "blur<true>" } })
blur:global "weights"[{ { 1, 2 * radius + 1 } }] = weights

local grid, block = { (w + 31) // 32, (h + 7) // 8 }, { 32, 8 }
local half, blurred = dc.empty(h, w), dc.empty(h, w)
local t0 = dc.clock()
blur:kernel("blur", false)(grid, block, w, h, radius, picture, half)
blur:kernel("blur", true)(grid, block, w, h, radius, half, blurred)
local sharp = dc.clip(picture + (picture - blurred) * amount, 0, 1):eval()
dc.synchronize()
local seconds = dc.clock() - t0

-- The same blur as sums of shifted views of a padded picture.
local function shifted(a, axis)
  local padded = a:pad(axis == 1 and { { radius, radius }, { 0, 0 } } or { { 0, 0 }, { radius, radius } },
    { mode = "edge" })
  local sum = 0
  for k = 1, 2 * radius + 1 do
    local range = { k, k + (axis == 1 and h or w) - 1 }
    sum = padded[axis == 1 and { range, ":" } or { ":", range }] * weights[k] + sum
  end
  return sum
end
assert(dc.allclose(blurred, shifted(shifted(picture, 2), 1), 0, 1e-5), "the kernel's blur is not the sum of views")

-- Without IN, three pictures side by side: the original, blurred, sharpened.
if output then
  local result = input and sharp or dc.concat({ picture, blurred, sharp }, 2)
  dc.image.write(output, (result * 255 + 0.5):to "uint8")
end
print(("unsharp: %dx%d, sigma %g, first run in %.3f ms, blur checked%s, on %s"):format(w, h, sigma, seconds * 1e3,
  output and ", written to " .. output or "", dc.device().name))
