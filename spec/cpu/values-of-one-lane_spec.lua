-- A value that a shuffle gives to all lanes of a warp is one scalar in native code, and so is what is computed of it:
-- the row that a warp takes, a lane's value in each iteration of a loop. It must stay the value of its own iteration
-- where lanes leave the loop, or have returned, at different times.
local helper = require "spec.helper"

-- Raises an error that names what is wrong; its argument is a seed.
local script = [==[
local dc = require "dotcompute"
math.randomseed(...)
local m = dc.module [[
// Each warp takes rows from a counter, and each lane the row's sum up to its own element.
__global__ void rows(const int *x, int *out, int *next, int rows, int length) {
  const int lane = threadIdx.x % 32;
  for (;;) {
    int row;
    if (lane == 0) row = atomicAdd(next, 1);
    row = __shfl_sync(0xffffffffu, row, 0);
    if (row >= rows) return;
    for (int i = lane; i < length; i += 32) {
      int sum = 0;
      for (int j = 0; j <= i; j++) sum += x[row * length + j];
      out[row * length + i] = sum;
    }
  }
}
// Lane t takes part in count[t] iterations, and keeps what lane `from` has in the last one.
__global__ void kept(const int *x, const int *count, const unsigned *here, int *out, int *after,
                     int from) {
  const int t = threadIdx.x;
  int last = -1, i = 0;
  for (; i < count[t]; i++) last = __shfl_sync(here[i], x[t] + i * 1000, from + i);
  out[t] = last;
  after[t] = __shfl_sync(0xffffffffu, last * 3, from) + x[last & 31];
}
// Half of the lanes, in a branch: from a lane that is there, or is not.
__global__ void half(const int *x, int *out, int from, unsigned member) {
  const int t = threadIdx.x;
  int v = -7;
  if (member >> t & 1) v = x[__shfl_sync(member, x[t], from) & 31] + t;
  out[t] = v;
}]]
local function equal(want, got, ...)
  if want ~= got then error(("%s instead of %s: %s %d"):format(got, want, ...)) end
end

local rows, length = math.random(1, 90), math.random(1, 100)
local x = {}
for i = 1, rows * length do x[i] = math.random(-1000, 1000) end
local out = dc.zeros(rows * length, "int32")
m:kernel "rows"(3, 96, dc.array(x, "int32"), out, dc.zeros(1, "int32"), rows, length)
for row = 0, rows - 1 do
  local sum = 0
  for i = row * length + 1, (row + 1) * length do
    sum = sum + x[i]
    equal(sum, out[i], "rows, element", i)
  end
end

for _ = 1, 20 do
  local v, count, from, here = {}, {}, math.random(0, 31), { 0, 0, 0, 0, 0, 0 }
  for t = 1, 32 do
    v[t], count[t] = math.random(0, 999), math.random(0, 6)
    for i = 1, count[t] do here[i] = here[i] | 1 << t - 1 end
  end
  local out, after, last = dc.zeros(32, "int32"), dc.zeros(32, "int32"), {}
  m:kernel "kept"(1, 32, dc.array(v, "int32"), dc.array(count, "int32"), dc.array(here, "uint32"), out, after,
    from)
  for t = 1, 32 do
    local lane = (from + count[t] - 1) % 32 + 1
    local there = count[lane] >= count[t]
    last[t] = count[t] == 0 and -1 or there and v[lane] + (count[t] - 1) * 1000 or 0
    equal(last[t], out[t], "kept, lane", t)
  end
  for t = 1, 32 do equal(last[from + 1] * 3 + v[(last[t] & 31) + 1], after[t], "after, lane", t) end

  local member = math.random(1, 0xffffffff)
  m:kernel "half"(1, 32, dc.array(v, "int32"), out, from, member)
  local seen = member >> from & 1 == 1 and v[from + 1] & 31 or 0
  for t = 0, 31 do equal(member >> t & 1 == 1 and v[seen + 1] + t or -7, out[t + 1], "half, lane", t) end
end
]==]

describe("a value that all lanes get from one", function()
  for _, settings in ipairs(helper.tiers_and_isas) do
    it("is that lane's with " .. settings, function()
      helper.passes_on_cpu(settings, script)
    end)
  end
  it("is that lane's on the device of the machine", function() assert(load(script, "=script"))(helper.seed) end)
end)
