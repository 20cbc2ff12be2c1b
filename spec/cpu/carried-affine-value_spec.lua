-- A loop carried a widened index into its next iteration, where tier 1 took the next iteration's index to decide
-- whether the lanes' indices wrapped around.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void carry(unsigned long long *o, int n, unsigned s) {
  unsigned long long last, sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    unsigned long long now = threadIdx.x - 5u + i * s;
    sum = sum * 3 + now;
    if (i > 0) sum ^= last;
    last = now;
  }
  o[threadIdx.x] = sum;
}]]
local o = dc.zeros(64, "uint64")
k(1, 64, o, tonumber(arg[1]), tonumber(arg[2]))
print(table.concat(o:to_table(), " "))
]==]

describe("a widened index that a loop carries into its next iteration", function()
  it("is the one of its own iteration", function()
    local n, s, want = math.random(3, 9), math.random(1, 60), {}
    for t = 0, 63 do
      local sum, last = 0, 0
      for i = 0, n - 1 do
        local now = (t - 5 + i * s) & 0xffffffff
        sum = (sum * 3 + now) ~ (i > 0 and last or 0)
        last = now
      end
      want[t + 1] = sum
    end
    for tier = 0, 1 do
      local text = helper.on_cpu("TIER=" .. tier, script, n, s)
      assert.equal(table.concat(want, " ") .. "\n", text, helper.note("tier " .. tier))
    end
  end)
end)
