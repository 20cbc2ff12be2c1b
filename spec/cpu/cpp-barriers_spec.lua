-- Threads that wait at a cuda::barrier, in shared memory: without and with the instructions for it (compute_90),
-- whose waits are loops of loads.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))

local source = [[
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;

// Sums of blocks, in rounds of halves.
__global__ void sums(const int *x, int *out) {
  extern __shared__ int part[];
  __shared__ barrier all;
  int t = threadIdx.x;
  if (t == 0) init(&all, blockDim.x);
  part[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int d = blockDim.x / 2; d; d /= 2) {
    if (t < d) part[t] += part[t + d];
    all.arrive_and_wait();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// Warps below `makers` fill a buffer, others take what is in it, turn by turn; what is taken is three times x.
__global__ void turns(const int *x, int *out, int rounds, int makers) {
  extern __shared__ int buffer[];
  __shared__ barrier full, taken;
  int t = threadIdx.x, n = 32 * makers, takers = blockDim.x - n;
  if (t == 0) { init(&full, blockDim.x); init(&taken, blockDim.x); }
  __syncthreads();
  for (int r = 0; r < rounds; r++) {
    if (t < n) {
      buffer[t] = 3 * x[(blockIdx.x * rounds + r) * n + t];
      (void)full.arrive();
      taken.arrive_and_wait();
    } else {
      full.arrive_and_wait();
      for (int i = t - n; i < n; i += takers) out[(blockIdx.x * rounds + r) * n + i] = buffer[i];
      taken.wait(taken.arrive());
    }
  }
}

// Work between an arrival and its wait; lanes arrive at different places, and some leave early.
__global__ void apart(const int *x, int *out, int rounds) {
  __shared__ barrier all;
  __shared__ int sum[2];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, mine = 0;
  if (t == 0) init(&all, blockDim.x);
  if (t < 2) sum[t] = 0;
  __syncthreads();
  for (int r = 0; r < rounds; r++) {
    barrier::arrival_token here;
    if (x[i] <= r) { // has nothing more to add
      all.arrive_and_drop();
      break;
    }
    atomicAdd(&sum[r % 2], x[i] - r);
    if (x[i] % 3 == 0) here = all.arrive();
    else if (x[i] % 3 == 1) { mine += r; here = all.arrive(); }
    else { here = all.arrive(); mine -= r; }
    mine += t;
    all.wait(std::move(here));
    mine ^= sum[r % 2];
    all.arrive_and_wait();
    if (t == blockDim.x - 1) sum[r % 2] = 0; // stays to the end
    all.arrive_and_wait();
  }
  out[i] = mine;
}]]

local tier = tonumber(os.getenv "DOTCOMPUTE_CPU_TIER")
for _, arch in ipairs { "compute_75", "compute_90" } do
  local m = dc.module(source, { arch = arch })
  local sums, turns, apart = m.sums, m.turns, m.apart
  for _ = 1, 3 do
    local blocks, block = math.random(1, 5), 32 << math.random(0, 4)
    local x, out, expected = {}, dc.zeros(blocks, "int32"), {}
    for i = 1, blocks * block do
      x[i] = math.random(-1000, 1000)
      local b = (i - 1) // block + 1
      expected[b] = (expected[b] or 0) + x[i]
    end
    sums:with { shared = 4 * block }(blocks, block, dc.array(x, "int32"), out)
    for b = 1, blocks do assert(out:to_table()[b] == expected[b]) end

    local warps = math.random(2, 9)
    local makers, rounds = math.random(1, warps - 1), math.random(1, 6)
    local n = blocks * rounds * 32 * makers
    for i = 1, n do x[i] = math.random(-1000, 1000) end
    for i = n + 1, #x do x[i] = nil end
    out = dc.zeros(n, "int32")
    turns:with { shared = 128 * makers }(blocks, 32 * warps, dc.array(x, "int32"), out, rounds, makers)
    for i, v in ipairs(out:to_table()) do assert(v == 3 * x[i]) end

    rounds, block = math.random(1, 6), 32 * math.random(1, 6)
    n = blocks * block
    for i = 1, n do x[i] = i % block == 0 and 100 or math.random(0, 9) end
    for i = n + 1, #x do x[i] = nil end
    out = dc.zeros(n, "int32")
    apart(blocks, block, dc.array(x, "int32"), out, rounds)
    local got = out:to_table()
    for b = 0, blocks - 1 do
      local mine = {}
      for t = 0, block - 1 do mine[t] = 0 end
      for r = 0, rounds - 1 do
        local sum = 0
        for t = 0, block - 1 do sum = sum + math.max(x[b * block + t + 1] - r, 0) end
        for t = 0, block - 1 do
          local v = x[b * block + t + 1]
          if v > r then
            mine[t] = (mine[t] + (v % 3 == 1 and r or v % 3 == 2 and -r or 0) + t) ~ sum
          end
        end
      end
      for t = 0, block - 1 do assert(got[b * block + t + 1] == mine[t], "thread " .. t) end
    end
  end
  assert(sums.attributes.tier == tier and turns.attributes.tier == tier and apart.attributes.tier == tier)
end
]==]

describe("a cuda::barrier", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("lets no thread past before all have come: " .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
