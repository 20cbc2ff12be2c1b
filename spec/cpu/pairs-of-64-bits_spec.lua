-- Two values of 64 bits side by side, which native code loads and stores together: pairs that begin at a multiple of 8
-- bytes but not of 16, and lanes that take no part.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))
local m = dc.module [[
__global__ void global(double *g, double *sum, int at, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) {
    sum[t] = g[2 * t + at] - 2 * g[2 * t + at + 1];
    g[2 * t + at] = t;
    g[2 * t + at + 1] = 3 * t;
  }
}
__global__ void shared(const long long *x, long long *out, int at, int low, int high) {
  extern __shared__ long long s[];
  int t = threadIdx.x, size = 2 * blockDim.x + 2;
  for (int i = t; i < size; i += blockDim.x) s[i] = x[i];
  __syncthreads();
  long long a = 0, b = 0;
  if (t >= low && t < high) {
    a = s[2 * t + at];
    b = s[2 * t + at + 1];
  }
  __syncthreads();
  if (t >= low && t < high) {
    s[2 * t + at] = b + t;
    s[2 * t + at + 1] = a - t;
  }
  __syncthreads();
  for (int i = t; i < size; i += blockDim.x) out[i] = s[i];
}
]]
for at = 0, 2 do
  local threads, blocks = math.random(1, 80), math.random(1, 4)
  local size, n = 2 * threads * blocks + 2, math.random(0, threads * blocks)
  local x = {}
  for i = 1, size do x[i] = math.random(-1000, 1000) end
  local g, sum = dc.array(x, "float64"), dc.zeros(threads * blocks, "float64")
  m:kernel "global"(blocks, threads, g, sum, at, n)
  for i, v in ipairs(sum:to_table()) do
    assert(v == (i <= n and x[2 * i - 1 + at] - 2 * x[2 * i + at] or 0), "loads from global memory")
  end
  for i, v in ipairs(g:to_table()) do
    local t, second = (i - 1 - at) // 2, (i - 1 - at) % 2
    assert(v == (t >= 0 and t < n and (second == 1 and 3 * t or t) or x[i]), "stores to global memory")
  end

  size = 2 * threads + 2
  local low = math.random(0, threads)
  local high = math.random(low, threads)
  local out = dc.zeros(size, "int64")
  m:kernel "shared":with { shared = 8 * size }(1, threads, dc.array(x, "int64"), out, at, low, high)
  for i, v in ipairs(out:to_table()) do
    local t, second = (i - 1 - at) // 2, (i - 1 - at) % 2
    local want = x[i]
    if t >= low and t < high then want = second == 1 and x[i - 1] - t or x[i + 1] + t end
    assert(v == want, "shared memory")
  end
end
]==]

for _, how in ipairs(helper.tiers_and_isas) do
  it("pairs of 64 bits at multiples of 8 bytes: " .. how, function() helper.passes_on_cpu(how, script, 3) end)
end
