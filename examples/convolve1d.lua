-- Smoothing a signal with a Gaussian window.  Usage: convolve1d.lua [FILE [OUT]]
-- FILE holds numbers as text, separated by white space or commas; a name that ends in .dat is taken as raw
-- little-endian float64.  Without a file: a noisy sine of its own.  OUT receives one number a line.
local dc = require "dotcompute"

local function read_signal(path)
  local f = assert(io.open(path, "rb"))
  local bytes = f:read "a"
  f:close()
  local t = {}
  if path:match "%.dat$" then
    for i = 1, #bytes // 8 do t[i] = string.unpack("<d", bytes, i * 8 - 7) end
  else
    for word in bytes:gmatch "[^%s,;]+" do
      local v = tonumber(word)
      if v then t[#t + 1] = v end
    end
  end
  assert(#t > 0, path .. " holds no numbers")
  return t
end

local signal
if arg and arg[1] then
  signal = read_signal(arg[1])
else
  signal = {}
  for i = 1, 100000 do signal[i] = math.sin(i / 500) + (math.random() - 0.5) end
end

local RADIUS = 12
local weights, total = {}, 0
for k = -RADIUS, RADIUS do
  local w = math.exp(-(k * k) / (2 * (RADIUS / 3)^2))
  weights[#weights + 1], total = w, total + w
end
for k = 1, #weights do weights[k] = weights[k] / total end

-- Each block keeps its part of the signal and a margin on both sides in shared memory; ends are extended.
local convolve = dc.kernel([=[
__global__ void convolve(int n, const float *x, const float *w, float *y) {
  extern __shared__ float part[];
  int first = blockIdx.x * blockDim.x - RADIUS;
  for (int k = threadIdx.x; k < blockDim.x + 2 * RADIUS; k += blockDim.x)
    part[k] = x[min(max(first + k, 0), n - 1)];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k <= 2 * RADIUS; k++) sum += w[k] * part[threadIdx.x + k];
  y[i] = sum;
}]=], { define = { RADIUS = RADIUS } })

local n, block = #signal, 256
local x, w, y = dc.array(signal, "float32"), dc.array(weights), dc.empty(n)
convolve:with { shared = (block + 2 * RADIUS) * 4 }((n + block - 1) // block, block, n, x, w, y)

local got = y:to_table()
local worst, scale = 0, 0
for i = 1, n do
  local want = 0.0
  for k = -RADIUS, RADIUS do
    want = want + weights[k + RADIUS + 1] * signal[math.min(math.max(i + k, 1), n)]
  end
  worst, scale = math.max(worst, math.abs(got[i] - want)), math.max(scale, math.abs(want))
end
assert(worst <= 1e-5 * scale + 1e-30, ("largest error %g at a scale of %g"):format(worst, scale))
if arg and arg[2] then
  local f = assert(io.open(arg[2], "w"))
  for i = 1, n do f:write(("%.9g\n"):format(got[i])) end
  assert(f:close())
end
print(("convolve1d: %d samples, %d taps, largest error %.2g, on %s"):format(n, #weights, worst, dc.device().name))
