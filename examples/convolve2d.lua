-- A filter over a picture.  Usage: convolve2d.lua [IN OUT [blur|edge]]
-- IN and OUT are PNG, PGM or PPM files of 8 bits a channel.  Without IN: a picture of its own, in memory.
local dc = require "dotcompute"

local input, output, filter = arg and arg[1], arg and arg[2], arg and arg[3] or "blur"

local function read_picture(path)
  local picture = dc.image.read(path)
  if picture.dtype ~= "uint8" then error(path .. ": only pictures of 8 bits a channel are filtered", 0) end
  return picture.ndim == 3 and picture or picture:reshape(#picture, -1, 1)
end

local function own_picture()
  local paint = dc.kernel [[
  __global__ void paint(int w, int h, unsigned char *p) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned char *q = p + 3 * ((size_t)y * w + x);
    bool ring = ((x - w / 2) * (x - w / 2) + (y - h / 2) * (y - h / 2)) / 4000 % 2;
    q[0] = ring ? 230 : x * 255 / w;
    q[1] = ring ? 120 : y * 255 / h;
    q[2] = (x / 16 + y / 16) % 2 ? 200 : 40;
  }]]
  local w, h = 640, 480
  local picture = dc.empty(h, w, 3, "uint8")
  paint({ (w + 15) // 16, (h + 15) // 16 }, { 16, 16 }, w, h, picture)
  return picture
end

local filters = { -- odd square matrices of weights
  blur = {
    { 1, 4, 6, 4, 1 }, { 4, 16, 24, 16, 4 }, { 6, 24, 36, 24, 6 }, { 4, 16, 24, 16, 4 }, { 1, 4, 6, 4, 1 },
    scale = 1 / 256,
  },
  edge = { { -1, -1, -1 }, { -1, 8, -1 }, { -1, -1, -1 }, scale = 1 },
}
local weights = filters[filter] or error("no such filter: " .. filter .. " (blur or edge)", 0)
local size, scale = #weights, weights.scale

local convolve = dc.kernel [[
__global__ void convolve(int w, int h, int channels, int size, float scale, const int *weights,
                         const unsigned char *in, unsigned char *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int r = size / 2;
  for (int c = 0; c < channels; c++) {
    int sum = 0;
    for (int j = 0; j < size; j++)
      for (int i = 0; i < size; i++) {
        int sx = min(max(x + i - r, 0), w - 1), sy = min(max(y + j - r, 0), h - 1);
        sum += weights[j * size + i] * in[((size_t)sy * w + sx) * channels + c];
      }
    float v = rintf(sum * scale);
    out[((size_t)y * w + x) * channels + c] = (unsigned char)fminf(fmaxf(v, 0.0f), 255.0f);
  }
}]]

local picture = input and read_picture(input) or own_picture()
local h, w, channels = picture:shape()
local result = dc.empty(h, w, channels, "uint8")
local rows = {}
for j = 1, size do rows[j] = weights[j] end
local t0 = dc.clock()
convolve({ (w + 31) // 32, (h + 7) // 8 }, { 32, 8 }, w, h, channels, size, scale, dc.array(rows, "int32"), picture,
  result)
dc.synchronize()
local seconds = dc.clock() - t0

-- Check 500 pixels, corners among them, in plain Lua over the same bytes.
local before, after = picture:bytes(), result:bytes()
local function clamp(v, hi) return math.min(math.max(v, 0), hi) end
local function pixel(x, y, c) return before:byte((clamp(y, h - 1) * w + clamp(x, w - 1)) * channels + c + 1) end
for k = 1, 500 do
  local x, y, c = math.random(0, w - 1), math.random(0, h - 1), math.random(0, channels - 1)
  if k <= 4 then x, y = k % 2 * (w - 1), k // 2 % 2 * (h - 1) end
  local sum = 0
  for j = 1, size do
    for i = 1, size do sum = sum + weights[j][i] * pixel(x + i - 1 - size // 2, y + j - 1 - size // 2, c) end
  end
  local v = sum * scale
  local want = v % 1 == 0.5 and 2 * ((v / 2 + 0.5) // 1) or (v + 0.5) // 1 -- half to even, as rintf
  want = clamp(want, 255)
  local got = after:byte((y * w + x) * channels + c + 1)
  assert(got == want, ("pixel %d,%d channel %d is %d, should be %d"):format(x, y, c, got, want))
end
if output then dc.image.write(output, result) end
print(("convolve2d: %dx%d, %d channel%s, filter '%s', first launch %.1f ms, 500 values checked%s, on %s"):format(w, h,
  channels, channels == 1 and "" or "s", filter, seconds * 1e3, output and ", written to " .. output or "",
  dc.device().name))
