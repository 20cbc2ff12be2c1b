-- Lanes that had spun at a lock came to a call later than others. Each part of the warp had a frame of its own, and in
-- the function they did not meet: its shuffles and votes went on without the lanes that their masks named.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__device__ __noinline__ int sum(int v) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffff, v, d);
  return v * 64 + __popc(__ballot_sync(0xffffffff, v & 1));
}
__global__ void parted(volatile int *lock, int *o, const int *x, int n) {
  const int t = threadIdx.x;
  for (int i = 0; i < n; i++) {
    bool done = false;
    while (!done) {
      if (atomicCAS((int *)lock, 0, 1) == 0) {
        lock[1] += t;
        __threadfence();
        atomicExch((int *)lock, 0);
        done = true;
      }
    }
  }
  o[t] = sum(x[t]);
}]]
local values = {}
for word in arg[2]:gmatch "%S+" do values[#values + 1] = math.tointeger(word) end
local lock, o = dc.zeros(2, "int32"), dc.zeros(64, "int32")
k(1, 64, lock, o, dc.array(values, "int32"), tonumber(arg[1]))
print(lock[2], table.concat(o:to_table(), " "))
]==]

describe("parts of a warp that reach a call at different times", function()
  it("converge inside", function()
    local n, x, want, all = math.random(3, 9), helper.ints(64), {}, 0
    for w = 0, 1 do
      local sum = 0
      for l = 1, 32 do sum, all = sum + x[32 * w + l], all + n * (32 * w + l - 1) end
      for l = 1, 32 do want[32 * w + l] = sum * 64 + 32 * (sum & 1) end
    end
    for tier = 0, 1 do
      local text = helper.on_cpu("TIER=" .. tier, script, n, table.concat(x, " "))
      assert.equal(("%d\t%s\n"):format(all, table.concat(want, " ")), text, helper.note("tier " .. tier))
    end
  end)
end)
