-- The script whose whole process bench/start.lua times: a vector addition, checked.
local dc = require "dotcompute"
local n = 1000
local add = dc.kernel [[
__global__ void vecadd(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}]]
local a, b, c = dc.arange(0, n - 1), dc.arange(0, 2 * n - 2, 2), dc.empty(n)
add(4, 256, a, b, c, n)
for i, v in ipairs(c:to_table()) do assert(v == 3 * (i - 1)) end
