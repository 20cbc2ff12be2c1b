-- mbarrier instructions in inline assembly: arrivals once or several times a thread, by constants and by registers, in
-- blocks whose last warp is not whole and whose rows are no warps; waits by token and by parity; what a token says is
-- pending.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
math.randomseed(math.tointeger(arg[1]))
local source = [[
__global__ void rounds(int *pending, int *seen, int count, int n) {
  __shared__ unsigned long long word[2];
  __shared__ int value[1024];
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), some = t % 3 == 0;
  const unsigned at = (unsigned)__cvta_generic_to_shared(word);
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at), "r"(n * COUNT));
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at + 8), "r"((n + 2) / 3));
  }
  __syncthreads();
  for (int r = 0; r < ROUNDS; r++) {
    unsigned long long token;
    unsigned left, over = 0, before;
    value[t] = t * 7 + r;
    ARRIVE
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(token));
    pending[r * n + t] = left;
    while (!over) {
      LOOK
    }
    seen[r * n + t] = value[(t + 1) % n];
    if (some) { // a third of the threads, at the other barrier
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at + 8) : "memory");
      for (before = 0; !before;)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(before) : "r"(at + 8), "l"(token) : "memory");
    }
    __syncthreads();
  }
}]]
local arrivals <const> = {
  { [[asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");]], 1 },
  { [[asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 3;" : "=l"(token) : "r"(at) : "memory");]], 3 },
  { [[asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(token) : "r"(at), "r"(count) : "memory");]] },
}
local looks <const> = {
  [[asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(at), "l"(token) : "memory");]],
  [[asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(at), "r"(r & 1) : "memory");]],
}
local shapes <const> = { { 32 }, { 96 }, { 45 }, { 1 }, { 7 }, { 16, 16 }, { 18, 5 }, { 5, 3, 4 }, { 256 } }
local rounds = math.random(1, 5)
for _, arrival in ipairs(arrivals) do
  for _, look in ipairs(looks) do
    local count = arrival[2] or math.random(1, 9)
    local text = source:gsub("ARRIVE", (arrival[1]:gsub("%%", "%%%%"))):gsub("LOOK", (look:gsub("%%", "%%%%")))
    local k = dc.kernel((text:gsub("COUNT", arrival[2] and tostring(count) or "count"):gsub("ROUNDS", rounds)))
    for _ = 1, 4 do
      local shape, n = shapes[math.random(#shapes)], 1
      for _, extent in ipairs(shape) do n = n * extent end
      local pending, seen = dc.zeros(rounds * n, "int32"), dc.zeros(rounds * n, "int32")
      k(1, shape, pending, seen, count, n)
      assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"), "it ran on another tier")
      local left, values = pending:to_table(), seen:to_table()
      for r = 0, rounds - 1 do
        local found = {}
        for t = 0, n - 1 do
          local v = values[r * n + t + 1]
          assert(v == (t + 1) % n * 7 + r, ("round %d, thread %d saw %d"):format(r, t, v))
          found[left[r * n + t + 1]] = true
        end
        for i = 1, n do -- each thread found another number of arrivals pending
          assert(found[i * count], ("round %d, %d threads: none found %d pending"):format(r, n, i * count))
        end
      end
    end
  end
end
]==]

describe("mbarriers", function()
  for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
    it("hold threads until all have arrived, with " .. how, function()
      helper.passes_on_cpu(how, script)
    end)
  end
end)
