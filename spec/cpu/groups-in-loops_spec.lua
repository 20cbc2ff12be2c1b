-- Groups of a warp's lanes, which loop as often as their own data say: shuffles and votes whose member masks differ
-- from lane to lane, the masks of running lanes, %lanemask; what all running lanes vote is one value.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__device__ unsigned before() {
  unsigned m;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
  return m;
}
__device__ unsigned from() {
  unsigned m;
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(m));
  return m;
}
__global__ void k(const int *count, const int *x, int *sums, int *ranks, int *votes, int n, int size) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, group = t / size, lane = t % size;
  unsigned mask = (size == 32 ? 0xffffffffu : (1u << size) - 1) << (threadIdx.x % 32 / size * size);
  int sum = 0, tail = 0;
  for (int i = 0; i < count[group]; i++) {
    int v = x[(t + i) % n];
    for (int d = size / 2; d; d /= 2) v += __shfl_xor_sync(mask, v, d);
    sum += v * (i + 1);
    tail += __shfl_down_sync(mask, x[(t + i) % n], 1, size);
    if (__any_sync(mask, (lane ^ i) == 5)) sum += 1000;
  }
  sums[2 * t] = sum;
  sums[2 * t + 1] = tail;
  int rank = -1;
  if (x[t] & 1) {
    unsigned here = __activemask();
    rank = 100 * __popc(here) + __popc(here & before());
    if (x[t] & 2) rank += 10000 * __popc(__activemask() & from());
  }
  ranks[t] = rank;
  int rounds = 0;
  for (int i = x[t] & 7; __any_sync(0xffffffffu, i > 0); i--) rounds++;
  votes[t] = rounds + (int)__ballot_sync(0xffffffffu, x[t] & 1) % 1000;
}]]
local function list(i) return dc.array(load("return " .. arg[i])(), "int32") end
local size, count, x = tonumber(arg[1]), list(2), list(3)
local sums, ranks, votes = dc.zeros(2 * x.size, "int32"), dc.zeros(x.size, "int32"), dc.zeros(x.size, "int32")
k(x.size // 64, 64, count, x, sums, ranks, votes, x.size, size)
assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
for _, a in ipairs { sums, ranks, votes } do print(table.concat(a:to_table(), " ")) end
]==]


local function bits(x)
  local n = 0
  while x ~= 0 do x, n = x & x - 1, n + 1 end
  return n
end

describe("groups of a warp's lanes", function()
  it("shuffle and vote in loops of their own length", function()
    for _, size in ipairs { 4, 8, 16, 32 } do
      local n, count, x, sums, ranks, votes = 256, {}, {}, {}, {}, {}
      for g = 1, n // size do count[g] = math.random(0, 6) end
      for t = 1, n do x[t] = math.random(0, 99) end
      for t = 0, n - 1 do
        local g, sum, tail = t // size, 0, 0
        for i = 0, count[g + 1] - 1 do
          local v, any = 0, false
          for l = 0, size - 1 do
            v = v + x[(g * size + l + i) % n + 1]
            any = any or (l ~ i) == 5
          end
          local from = (t + 1) % size == 0 and t or t + 1
          sum, tail = sum + v * (i + 1) + (any and 1000 or 0), tail + x[(from + i) % n + 1]
        end
        sums[2 * t + 1], sums[2 * t + 2] = sum, tail
        local warp, lane, odd, both, most = t - t % 32, t % 32, 0, 0, 0
        for l = 0, 31 do
          local v = x[warp + l + 1]
          odd, both = odd | (v & 1) << l, both | (v & 3 == 3 and 1 or 0) << l
          most = math.max(most, v & 7)
        end
        local v, rank = x[t + 1], -1
        if v & 1 == 1 then rank = 100 * bits(odd) + bits(odd & (1 << lane) - 1) end
        if v & 3 == 3 then rank = rank + 10000 * bits(both & ~((1 << lane) - 1)) end
        ranks[t + 1] = rank
        local signed = odd >= 1 << 31 and odd - (1 << 32) or odd
        votes[t + 1] = most + math.fmod(signed, 1000)
      end
      local want = {}
      for i, list in ipairs { sums, ranks, votes } do want[i] = table.concat(list, " ") .. "\n" end
      for _, how in ipairs(helper.tiers_and_isas) do
        local text = helper.on_cpu(how, script, size, "{" .. table.concat(count, ",") .. "}",
          "{" .. table.concat(x, ",") .. "}")
        assert.equal(table.concat(want), text, helper.note(size .. " " .. how))
      end
    end
  end)
end)
