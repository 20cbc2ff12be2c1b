-- Kernels whose blocks and warps wait for flags in global memory, that other blocks or warps of theirs set: with one
-- thread and with several, on both tiers of the CPU device.  Native code waits for other threads' blocks; it must not
-- where only the same thread can set the flag.
local helper = require "spec.helper"

local waiting = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))
local m = dc.module [[
// A row is its number and the sum of rows before it, one of them the last: a warp a row, in order of arrival.
__global__ void rows(int n, const int *need, int per, unsigned *x, volatile int *ready, int *next) {
  int lane = threadIdx.x & 31, row;
  if (lane == 0) row = atomicAdd(next, 1);
  row = __shfl_sync(~0u, row, 0);
  if (row >= n) return;
  unsigned sum = 0;
  for (int k = lane; k < per; k += 32) {
    int c = need[row * per + k];
    if (c < 0) continue;
    while (!ready[c]) {}
    __threadfence();
    sum += *(volatile unsigned *)(x + c);
  }
  __syncwarp();
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) {
    x[row] = row + sum;
    __threadfence();
    ready[row] = 1;
  }
}
// Each warp waits for the warp behind it, the last one of a block for none.
__global__ void warps(volatile int *flag, volatile int *out) {
  int w = threadIdx.x / 32, n = blockDim.x / 32, at = blockIdx.x * n + w;
  if (w + 1 < n) while (!flag[at + 1]) {}
  __threadfence();
  if (threadIdx.x % 32 == 0) {
    out[at] = (w + 1 < n ? out[at + 1] : blockIdx.x) + 1;
    __threadfence();
    flag[at] = 1;
  }
}
// Each block waits for the next one; the last one does not.
__global__ void blocks(volatile int *flag, volatile int *out) {
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    if (b + 1 < gridDim.x) while (!flag[b + 1]) {}
    __threadfence();
    out[b] = b + 1 < gridDim.x ? out[b + 1] + b : b;
    __threadfence();
    flag[b] = 1;
  }
}
// Few blocks take elements by turns: each waits for the element before it.
__global__ void turns(volatile int *flag, volatile int *out, int n) {
  for (int i = blockIdx.x; i < n; i += gridDim.x) {
    if (threadIdx.x == 0) {
      if (i) while (!flag[i - 1]) {}
      __threadfence();
      out[i] = i ? out[i - 1] + 3 : 1;
      __threadfence();
      flag[i] = 1;
    }
    __syncwarp();
  }
}
]]
local function zeros(n) return dc.zeros(n, "int32") end

local n, per = math.random(2000, 5000), math.random(1, 70)
local need, want = {}, {}
for row = 0, n - 1 do
  local sum = row
  for k = 1, per do
    local c = math.max(k == 1 and row - 1 or row - math.random(1, 400), -1)
    need[#need + 1] = c
    if c >= 0 then sum = sum + want[c + 1] end
  end
  want[row + 1] = sum & 0xffffffff
end
local x = dc.zeros(n, "uint32")
m:kernel "rows"((n + 3) // 4, 128, n, dc.array(need, "int32"), per, x, zeros(n), zeros(1))
for i, v in ipairs(x:to_table()) do
  if v ~= want[i] then error(("rows: [%d] is %d, not %d"):format(i, v, want[i])) end
end

local grid, of_block = math.random(100, 300), math.random(2, 8)
local out = zeros(grid * of_block)
m:kernel "warps"(grid, 32 * of_block, zeros(grid * of_block), out)
for i, v in ipairs(out:to_table()) do
  local b, w = (i - 1) // of_block, (i - 1) % of_block
  assert(v == b + of_block - w, "warps")
end

grid = math.random(2, 16)
out = zeros(grid)
m:kernel "blocks"(grid, 64, zeros(grid), out)
assert(out:to_table()[1] == grid * (grid - 1) // 2, "blocks")

grid, n = math.random(2, 16), math.random(3000, 6000)
out = zeros(n)
m:kernel "turns"(grid, 32, zeros(n), out, n)
assert(out:to_table()[n] == 1 + 3 * (n - 1), "turns")
]==]

for _, how in ipairs { "TIER=0 DOTCOMPUTE_CPU_THREADS=%d", "TIER=1 DOTCOMPUTE_CPU_THREADS=%d" } do
  for _, threads in ipairs { 1, 2, 5 } do
    it(("kernels whose blocks wait for each other end, right, with CPU_%s"):format(how:format(threads)), function()
      helper.passes_on_cpu(how:format(threads), waiting)
    end)
  end
end
