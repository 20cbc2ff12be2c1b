-- A sum by warp shuffles, beside the built-in one.  Usage: reduce.lua [n]
local dc = require "dotcompute"

local n = math.tointeger(arg and tonumber(arg[1]) or 2^22 + 77)

local reduce = dc.kernel [[
__global__ void reduce(int n, const int *x, long long *sum) {
  __shared__ long long part[32];
  long long v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) part[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < blockDim.x / 32 ? part[lane] : 0;
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
    if (lane == 0) atomicAdd((unsigned long long *)sum, (unsigned long long)v);
  }
}]]

local values, want = {}, 0
for i = 1, n do
  values[i] = math.random(-1000000, 1000000)
  want = want + values[i]
end
local x, sum = dc.array(values, "int32"), dc.zeros(1, "int64")
reduce(2 * dc.device().multiprocessors, 256, n, x, sum)

assert(sum[1] == want, ("the kernel says %d, plain Lua %d"):format(sum[1], want))
local built_in = x:sum():item()
assert(built_in == want, ("x:sum() says %d, plain Lua %d"):format(built_in, want))
print(("reduce: the sum of %d integers is %d by shuffles, by x:sum() and by plain Lua, on %s"):format(
  n, want, dc.device().name))
