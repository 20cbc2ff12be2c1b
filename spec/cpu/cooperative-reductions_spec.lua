-- Reductions over cooperative groups: tiles, the threads that took a branch, those with the same label.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))

local source = [[
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

template <typename G>
__device__ void put(const G &g, int x, int *out, int n, int t) {
  out[t] = cg::reduce(g, x, cg::plus<int>());
  out[n + t] = cg::reduce(g, x, cg::less<int>());
  out[2 * n + t] = cg::reduce(g, x, cg::greater<int>());
  out[3 * n + t] = cg::reduce(g, x, cg::bit_xor<int>());
  out[4 * n + t] = cg::reduce(g, (unsigned)x, cg::greater<unsigned>());
  out[5 * n + t] = (int)cg::reduce(g, (float)x, cg::plus<float>());
}

__global__ void tiles(const int *x, int *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  put(cg::tiled_partition<TILE>(cg::this_thread_block()), x[t], out, n, t);
}

__global__ void branches(const int *x, int *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[t] % 3 == 0) put(cg::coalesced_threads(), x[t], out, n, t);
  else if (x[t] % 3 == 1) put(cg::coalesced_threads(), x[t], out, n, t);
  else out[t] = __CUDA_ARCH__;
}

__global__ void labels(const int *x, int *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  put(cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), x[t] & 7), x[t], out, n, t);
}]]

local function wrapped(v) return (v + (1 << 31) & 0xffffffff) - (1 << 31) end

-- The six results for a group of threads, whose numbers are x[t].
local function expected(x, group)
  local sum, least, most, bits, largest = 0, math.huge, -math.huge, 0, 0
  for _, t in ipairs(group) do
    local v = x[t]
    sum, bits = sum + v, bits ~ v
    least, most, largest = math.min(least, v), math.max(most, v), math.max(largest, v & 0xffffffff)
  end
  return { sum, least, most, bits, wrapped(largest), sum }
end

-- group_of(first, t): the key of the group of thread t, of those of the warp that begins with thread `first`.
local function check(name, x, got, group_of)
  for first = 1, #x, 32 do
    local groups = {}
    for t = first, first + 31 do
      local g = group_of(t)
      if g then groups[g] = groups[g] or {}; table.insert(groups[g], t) end
    end
    for _, group in pairs(groups) do
      local want = expected(x, group)
      for _, t in ipairs(group) do
        for i = 1, 6 do
          if got[i][t] ~= want[i] then
            error(("%s, thread %d, result %d: %d, not %d"):format(name, t - 1, i, got[i][t], want[i]))
          end
        end
      end
    end
  end
end

for _, arch in ipairs { "", "compute_75" } do
  for _, tile in ipairs { 32, 1 << math.random(1, 4) } do
    local m = dc.module(source, { define = { TILE = tile }, arch = arch ~= "" and arch or nil })
    for _ = 1, 4 do
      local blocks, block = math.random(1, 4), 32 * math.random(1, 4)
      local n, x, few = blocks * block, {}, math.random(2) == 1
      for t = 1, n do x[t] = few and math.random(-3, 3) * 1000 or math.random(-100000, 100000) end
      local values = dc.array(x, "int32")
      local function run(k)
        local out = dc.full({ 6, n }, 99, "int32")
        k(blocks, block, values, out, n)
        return out:to_table()
      end
      check("tiles", x, run(m.tiles), function(t) return (t - 1) // tile end)
      check("labels", x, run(m.labels), function(t) return x[t] & 7 end)
      local got = run(m.branches)
      check("branches", x, got, function(t)
        local r = math.fmod(x[t], 3) -- as % of C
        return (r == 0 or r == 1) and r or nil
      end)
      for t = 1, n do
        local r = math.fmod(x[t], 3)
        assert(r == 0 or r == 1 or got[1][t] == (arch == "" and 800 or 750), "the instructions of compute_80")
      end
    end
    local tier = tonumber(os.getenv "DOTCOMPUTE_CPU_TIER")
    assert(m.tiles.attributes.tier == tier and m.branches.attributes.tier == tier and m.labels.attributes.tier == tier)
  end
end
]==]

describe("a reduction over a cooperative group", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("has the group's threads: " .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
