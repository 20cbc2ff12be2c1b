-- Volatile accesses of shared memory: the last steps of a reduction without barriers, as old kernels have them, and
-- values that other warps leave behind.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void sums(const int *x, int *o) {
  __shared__ int s[128];
  volatile int *v = s;
  int t = threadIdx.x;
  v[t] = x[blockIdx.x * 128 + t];
  __syncthreads();
  if (t < 64) v[t] += v[t + 64];
  __syncthreads();
  if (t < 32) {
    v[t] += v[t + 32]; v[t] += v[t + 16]; v[t] += v[t + 8];
    v[t] += v[t + 4]; v[t] += v[t + 2]; v[t] += v[t + 1];
    if (t == 0) o[blockIdx.x] = v[0];
  }
}]]
local x = dc.arange(0, 1280, 1, "int32") * tonumber(arg[1]) + tonumber(arg[2])
local o = dc.zeros(10, "int32")
k(10, 128, x, o)
assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
print(table.concat(o:to_table(), " "))
]==]

describe("volatile shared memory", function()
  it("is read and written in the order of a warp's instructions", function()
    local a, b, want = math.random(-500, 500), math.random(-500, 500), {}
    for i = 0, 9 do
      local sum = 0
      for t = 0, 127 do sum = sum + (i * 128 + t) * a + b end
      want[i + 1] = sum
    end
    -- "baseline" would rather have gangs of 16 lanes
    for _, how in ipairs { "TIER=0", "TIER=1", "ISA=baseline DOTCOMPUTE_CPU_TIER=1" } do
      local text = helper.on_cpu(how, script, a, b)
      assert.equal(table.concat(want, " ") .. "\n", text, helper.note(how))
    end
  end)
end)
