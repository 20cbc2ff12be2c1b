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
// Blocks wait for the last one, which takes so long that they go on in the interpreter: some lanes of some warps in a
// loop, the others at a barrier or behind the loop.
__device__ unsigned long long nanoseconds() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}
__global__ void patience(volatile unsigned *flag, unsigned *out, int warp) {
  __shared__ unsigned s[192];
  const int t = threadIdx.x, n = blockDim.x;
  unsigned v = blockIdx.x * 7919u + t, w = t * 31u, turns = 0;
  s[t] = v;
  __syncthreads();
  w ^= s[n - 1 - t];
  if (blockIdx.x == gridDim.x - 1) {
    const unsigned long long begun = nanoseconds();
    while (nanoseconds() - begun < 250000000) {}
    if (t == 0) {
      __threadfence();
      *flag = 1234567;
    }
  } else if (t / 32 == warp || warp < 0) {
    v += 5;
    if (t % 3 == 1) {
      while (*flag == 0) turns++;
      w += *flag;
    } else {
      v ^= w;
    }
  }
  const unsigned sum = __syncthreads_count(v & 1);
  s[t] = v + w;
  __syncthreads();
  out[blockIdx.x * n + t] = s[(t + 5) % n] * 3 + sum + (turns == 0xffffffff);
}
// A lane holds a lock that lanes of its warp wait for.
__global__ void holders(int *lock, volatile int *count) {
  const int i = (threadIdx.x * 7 + blockIdx.x) % gridDim.x;
  while (atomicCAS(&lock[i], 0, 1) != 0) {}
  count[i] = count[i] + 1;
  __threadfence();
  atomicExch(&lock[i], 0);
}
// Blocks meet several times, at a barrier of their own.
__global__ void meet(unsigned *count, volatile unsigned *turn, int *sums, int rounds) {
  for (int r = 0; r < rounds; r++) {
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[r], blockIdx.x + 1);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned now = *turn;
      if (atomicAdd(count, 1) == gridDim.x - 1) {
        *count = 0;
        __threadfence();
        *turn = now + 1;
      } else {
        while (*turn == now) {}
      }
      __threadfence();
    }
    __syncthreads();
    if (((volatile int *)sums)[r] != (blockDim.x / 32) * (gridDim.x * (gridDim.x + 1) / 2)) sums[rounds] = -1;
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

grid = math.random(2, 300)
out = zeros(grid)
m:kernel "blocks"(grid, 64, zeros(grid), out)
assert(out:to_table()[1] == grid * (grid - 1) // 2, "blocks")

local warps = math.random(1, 6)
grid = math.random(2, 9)
local size, warp = 32 * warps, math.random(-1, warps - 1)
local result = dc.zeros(grid * size, "uint32")
m:kernel "patience"(grid, size, dc.zeros(1, "uint32"), result, warp)
local got = result:to_table()
for b = 0, grid - 1 do
  local v, w, sum = {}, {}, 0
  for t = 0, size - 1 do v[t] = b * 7919 + t end
  for t = 0, size - 1 do w[t] = t * 31 ~ v[size - 1 - t] end
  for t = 0, size - 1 do
    if b < grid - 1 and (t // 32 == warp or warp < 0) then
      v[t] = v[t] + 5
      if t % 3 == 1 then w[t] = w[t] + 1234567 else v[t] = v[t] ~ w[t] end
    end
    sum = sum + (v[t] & 1)
  end
  for t = 0, size - 1 do
    local far = (t + 5) % size
    local want = (v[far] + w[far]) * 3 + sum & 0xffffffff
    assert(got[b * size + t + 1] == want, ("patience: block %d, thread %d"):format(b, t))
  end
end

for _ = 1, 3 do -- later ones by another version of native code
  local of_block, locks = 32 * math.random(1, 4), math.random(1, 40)
  local counts, want = zeros(locks), {}
  for b = 0, locks - 1 do
    for t = 0, of_block - 1 do
      local i = (t * 7 + b) % locks + 1
      want[i] = (want[i] or 0) + 1
    end
  end
  m:kernel "holders"(locks, of_block, zeros(locks), counts)
  for i, v in ipairs(counts:to_table()) do assert(v == want[i], "holders") end
end

local rounds
rounds, warps = math.random(2, 9), math.random(1, 6)
grid = math.random(2, 200)
local sums = zeros(rounds + 1)
m:kernel "meet"(grid, 32 * warps, dc.zeros(1, "uint32"), dc.zeros(1, "uint32"), sums, rounds)
for r, v in ipairs(sums:to_table()) do
  local want = r <= rounds and warps * grid * (grid + 1) // 2 or 0
  assert(v == want, ("meet: %d blocks of %d warps, round %d: %d, not %d"):format(grid, warps, r, v, want))
end

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
