-- Barriers for some warps of a block (bar.sync and bar.arrive with a number of threads): groups of warps that exchange
-- values by barriers of their own, between barriers of the whole block, and warps that produce what others consume.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))

local groups = dc.kernel [[
__global__ void groups(const int *first, const int *count, const int *rounds, int *out, int all) {
  __shared__ int s[1024];
  int t = threadIdx.x, w = t / 32, n = 32 * count[w], base = 32 * first[w], v = t + 7 * blockIdx.x;
  for (int i = 0; i < all; i++) {
    for (int j = 0; j < rounds[w]; j++) {
      s[t] = v;
      asm volatile("bar.sync %0, %1;" :: "r"(first[w] % 15 + 1), "r"(n) : "memory");
      v = 3 * v + s[base + (t - base + 33) % n];
      asm volatile("bar.sync %0, %1;" :: "r"(first[w] % 15 + 1), "r"(n) : "memory");
    }
    s[t] = v;
    __syncthreads();
    v += s[blockDim.x - 1 - t];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = v;
}]]
local function wrap(v) v = v & 0xffffffff; return v < 1 << 31 and v or v - (1 << 32) end
for _ = 1, 8 do
  local warps, blocks, all = math.random(1, 15), math.random(1, 3), math.random(0, 3)
  local first, count, rounds, at = {}, {}, {}, 0
  while at < warps do
    local n, r = math.random(1, warps - at), math.random(0, 4)
    for w = at + 1, at + n do first[w], count[w], rounds[w] = at, n, r end
    at = at + n
  end
  local threads, want = 32 * warps, {}
  for b = 0, blocks - 1 do
    local v = {}
    for t = 0, threads - 1 do v[t] = t + 7 * b end
    for _ = 1, all do
      local new = {}
      for t = 0, threads - 1 do
        local w = t // 32 + 1
        if t == 32 * first[w] then
          local n, base = 32 * count[w], t
          for _ = 1, rounds[w] do
            local old = table.move(v, base, base + n - 1, 0, {})
            for k = 0, n - 1 do v[base + k] = 3 * old[k] + old[(k + 33) % n] end
          end
        end
      end
      for t = 0, threads - 1 do new[t] = v[t] + v[threads - 1 - t] end
      v = new
    end
    for t = 0, threads - 1 do want[#want + 1] = wrap(v[t]) end
  end
  local out = dc.zeros(blocks * threads, "int32")
  groups(blocks, threads, dc.array(first, "int32"), dc.array(count, "int32"), dc.array(rounds, "int32"), out, all)
  for i, v in ipairs(out:to_table()) do
    if v ~= want[i] then error(("groups: thread %d: %d, not %d"):format(i - 1, v, want[i])) end
  end
end

-- Barrier 1 + slot: it is full; 3 + slot: it is empty. The producers are the first warps.
local ring = dc.kernel [[
#define SYNC(id) asm volatile("bar.sync %0, %1;" :: "r"(id), "r"((int)blockDim.x) : "memory")
#define ARRIVE(id) asm volatile("bar.arrive %0, %1;" :: "r"(id), "r"((int)blockDim.x) : "memory")
__global__ void ring(const int *x, int *y, int producers, int consumers, int tiles) {
  __shared__ int s[2][512];
  int t = threadIdx.x;
  if (t < producers) {
    for (int k = 0; k < tiles; k++) {
      if (k >= 2) SYNC(3 + (k & 1));
      for (int j = t; j < consumers; j += producers) s[k & 1][j] = x[(blockIdx.x * tiles + k) * consumers + j];
      ARRIVE(1 + (k & 1));
    }
  } else {
    int sum = 0;
    t -= producers;
    for (int k = 0; k < tiles; k++) {
      SYNC(1 + (k & 1));
      sum = sum * 5 + s[k & 1][consumers - 1 - t];
      if (k + 2 < tiles) ARRIVE(3 + (k & 1));
    }
    y[blockIdx.x * consumers + t] = sum;
  }
}]]
for _ = 1, 6 do
  local blocks, producers, consumers = math.random(1, 3), 32 * math.random(1, 3), 32 * math.random(1, 8)
  local tiles, x, want = math.random(1, 9), {}, {}
  for i = 1, blocks * tiles * consumers do x[i] = math.random(-9999, 9999) end
  for b = 0, blocks - 1 do
    for c = 0, consumers - 1 do
      local sum = 0
      for k = 0, tiles - 1 do sum = sum * 5 + x[(b * tiles + k) * consumers + consumers - c] end
      want[#want + 1] = wrap(sum)
    end
  end
  local y = dc.zeros(blocks * consumers, "int32")
  ring(blocks, producers + consumers, dc.array(x, "int32"), y, producers, consumers, tiles)
  for i, v in ipairs(y:to_table()) do
    if v ~= want[i] then error(("ring: thread %d: %d, not %d"):format(i - 1, v, want[i])) end
  end
end
local tier = tonumber(os.getenv "DOTCOMPUTE_CPU_TIER")
assert(groups.attributes.tier == tier and ring.attributes.tier == tier)
]==]

describe("barriers of some warps of a block", function()
  for _, how in ipairs { "TIER=0", "TIER=1" } do
    it("let those wait for each other alone, with CPU_" .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
