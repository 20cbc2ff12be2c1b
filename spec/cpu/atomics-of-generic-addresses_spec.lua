-- Atomics whose instruction does not say which memory they access, as those of cuda::atomic_ref: lanes at words of
-- shared memory and of global memory, mixed in any way, of blocks on several threads.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
math.randomseed(math.tointeger(arg[1]))
local k = dc.kernel [[
#include <cuda/atomic>
__global__ void __launch_bounds__(64) count(const int *word, const int *value, int *all, int *blocks, int n,
                                                int share) {
  __shared__ int own[64];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) {
    int *at = word[i] < share ? own + word[i] : all + word[i];
    cuda::atomic_ref<int>(*at).fetch_add(value[i], cuda::memory_order_relaxed);
    int *one = blockIdx.x % 3 ? all + 64 : own + 63; // of all lanes
    asm volatile("red.add.s32 [%0], %1;" ::"l"(one), "r"(value[i]) : "memory");
  }
  __syncthreads();
  blocks[blockIdx.x * 64 + threadIdx.x] = own[threadIdx.x];
}]]
for _, share in ipairs { 0, math.random(1, 62), 63 } do
  local grid, n = math.random(20, 90), math.random(50000, 90000)
  local words, values, want, own = {}, {}, {}, {}
  for w = 1, 65 do want[w] = 0 end
  for i = 1, grid * 64 do own[i] = 0 end
  for i = 1, n do
    local w = math.random(8) == 1 and math.random(0, 62) or math.random(0, 1) * 62 -- often the same ones
    local v, b = 5 * math.random(-9, 20), (i - 1) // 64 % grid
    words[i], values[i] = w, v
    local list, place = want, w + 1
    if w < share then list, place = own, b * 64 + w + 1 end
    list[place] = list[place] + v
    if b % 3 > 0 then want[65] = want[65] + v else own[b * 64 + 64] = own[b * 64 + 64] + v end
  end
  local all, blocks = dc.zeros(65, "int32"), dc.zeros(grid * 64, "int32")
  local word, value = dc.array(words, "int32"), (dc.array(values, "int32") // 5):eval()
  for _ = 1, 5 do k(grid, 64, word, value, all, blocks, n, share) end
  if not dc.equal(all, dc.array(want, "int32")) then error("sums in global memory differ, share " .. share) end
  if not dc.equal(blocks * 5, dc.array(own, "int32")) then error("sums in shared memory differ, share " .. share) end
end
]==]

describe("atomics of generic addresses", function()
  for _, how in ipairs { "TIER=1 DOTCOMPUTE_CPU_THREADS=4", table.unpack(helper.tiers_and_isas) } do
    it("lose nothing: " .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
