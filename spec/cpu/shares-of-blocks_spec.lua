-- Each block of a grid runs once, whatever the number of threads that share the grid: few blocks and many, alike, long
-- at the begin or at the end, in grids of one to three dimensions.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
math.randomseed(math.tointeger(arg[1]))
local k = dc.kernel [[
__global__ void note(int *runs, int *sink, int from, int to, int length) {
  const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned v = threadIdx.x;
  if (b >= from && b < to)
    for (int i = 0; i < length; i++) v = v * 1664525u + 1013904223u;
  if (v == 1) *sink = 1;
  if (threadIdx.x == 0) runs[b]++;
}]]
for _ = 1, 25 do
  local most = 1 << math.random(0, 15)
  local x, y, z = math.random(most), math.random(math.max(1, most // 64)), math.random(1, 3)
  local n = x * y * z
  local runs, sink = dc.zeros(n, "int32"), dc.zeros(1, "int32")
  local times, from = math.random(2), math.random(0, n)
  for _ = 1, times do k({ x, y, z }, 32, runs, sink, from, from + math.random(1, 40), math.random(0, 20000)) end
  if not dc.equal(runs, dc.full({ n }, times, "int32")) then
    error(("%d x %d x %d blocks: some did not run %d times"):format(x, y, z, times))
  end
end
]==]

describe("the blocks of a grid", function()
  for _, threads in ipairs { 1, 2, 3, 7, 16, 100 } do
    it("run once each on threads: " .. threads, function()
      helper.passes_on_cpu("TIER=1 DOTCOMPUTE_CPU_THREADS=" .. threads, script)
    end)
  end
end)
