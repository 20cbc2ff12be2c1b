-- The wave equation in two dimensions: a wall with two slits.  Usage: wave.lua [size [steps [picture.png]]]
local dc = require "dotcompute"

local size = math.tointeger(arg and tonumber(arg[1]) or 97)
local steps = math.tointeger(arg and tonumber(arg[2]) or 150)
local output = arg and arg[3]

-- next = 2 now - before + r (the sum of the four neighbours - 4 now), where r = (c dt / dx)^2. The outer cells stay 0.
-- `speed` is r for each cell: 0 in a wall. A block loads its cells and their neighbours into shared memory.
local wave = dc.kernel [[
#define W 32
#define H 8
__global__ void wave(int n, const float *speed, const float *before, const float *now, float *next) {
  __shared__ float tile[H + 2][W + 2];
  int x0 = blockIdx.x * W - 1, y0 = blockIdx.y * H - 1;
  for (int k = threadIdx.y * W + threadIdx.x; k < (W + 2) * (H + 2); k += W * H) {
    int tx = k % (W + 2), ty = k / (W + 2), x = x0 + tx, y = y0 + ty;
    tile[ty][tx] = x >= 0 && x < n && y >= 0 && y < n ? now[(size_t)y * n + x] : 0;
  }
  __syncthreads();
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = x0 + tx, y = y0 + ty;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  size_t i = (size_t)y * n + x;
  float u = tile[ty][tx];
  float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
  next[i] = speed[i] > 0 ? 2 * u - before[i] + speed[i] * (around - 4 * u) : 0;
}]]

-- Two steps, so that the arrays have changed roles twice and are where they were: one graph, many runs.
local function two_steps(speed, a, b, source)
  local n = #a
  local grid = { (n + 31) // 32, (n + 7) // 8 }
  return dc.graph(function()
    wave(grid, { 32, 8 }, n, speed, a, b, a) -- a cell of `before` is read only by the thread that writes it
    if source then source(a) end
    wave(grid, { 32, 8 }, n, speed, b, a, b)
    if source then source(b) end
  end)
end

-- A standing wave, sin sin cos, is an exact solution of these difference equations too, with a frequency of its own.
do
  local n, r = 65, 0.25
  local s = dc.sin(dc.linspace(0, math.pi, n))
  local shape = s:reshape(n, 1) * s
  local omega = math.acos(1 - 4 * r * math.sin(math.pi / (n - 1) / 2) ^ 2)
  local b = (shape * 1):eval()
  local a = (shape * math.cos(omega)):eval() -- one step before: cos(-omega) is the same
  local run = two_steps(dc.full({ n, n }, r), a, b)
  for k = 1, 50 do
    run()
    if k % 10 == 0 then
      assert(dc.allclose(b, shape * math.cos(2 * k * omega), 0, 1e-3), "the standing wave is wrong at step " .. 2 * k)
    end
  end
end

-- A wall with two slits, and a source at the left edge that swings.
local speed = dc.full({ size, size }, 0.25)
local wall, slit, gap = size // 4, size // 24, size // 8
speed[{ ":", { wall, wall + 1 } }] = 0
for _, middle in ipairs { (size + 1) // 2 - gap, (size + 1) // 2 + gap } do
  speed[{ { middle - slit // 2, middle + slit // 2 }, { wall, wall + 1 } }] = 0.25
end
local before, now = dc.zeros(size, size), dc.zeros(size, size)
local time = dc.zeros(1) -- in device memory, since a graph's numbers are fixed
local run = two_steps(speed, before, now, function(u)
  time[":"] = time + 1
  u[{ { 2, -2 }, 2 }] = dc.sin(time * (2 * math.pi * 12 / size))
end)
local t0 = dc.clock()
for _ = 1, (steps + 1) // 2 do run() end
dc.synchronize()
local seconds = dc.clock() - t0

-- The wall has not moved, nothing grew without bound, and above and below are mirror images.
assert(not (dc.where(speed:eq(0), now, 0)):ne(0):any(), "the wall moved")
assert(dc.abs(now):max():item() < 10, "the wave grew")
if size % 2 == 1 then assert(dc.allclose(now, now:flip(1), 0, 1e-3), "the wave is not symmetric") end

-- Positive is red, negative blue, 0 white, the wall black.
if output then
  local u = dc.clip(now / 0.8, -1, 1):reshape(size, size, 1)
  local colour = dc.where(u:gt(0), u * dc.array { 0, -1, -1 } + 1, u * dc.array { 1, 1, 0 } + 1)
  colour = dc.where(speed:reshape(size, size, 1):eq(0), 0, colour)
  dc.image.write(output, (colour * 255 + 0.5):to "uint8")
end
print(("wave: %dx%d cells, %d steps in %.3f s, standing wave checked%s, on %s"):format(size, size, (steps + 1) // 2 * 2,
  seconds, output and ", picture in " .. output or "", dc.device().name))
