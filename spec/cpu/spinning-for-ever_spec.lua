-- Blocks smaller than a cooperative group's tile of more than 32 threads spun for ever on the CPU device: the group
-- waits for its other warps in shared memory.
local helper = require "spec.helper"

local stuck = [==[
local dc = require "dotcompute"
dc.use "cpu"
local few, some = math.random(1, 32), math.random(33, 256)
local function fails(line, threads, source)
  local k = dc.kernel(source)
  local x = dc.zeros(1024, "int32")
  local ok, err = pcall(function() k(1, threads, x) dc.synchronize() end)
  local text = tostring(err)
  assert(not ok and err.kind == "launch" and text:find "deadlock" and text:find("lines? " .. line), text)
end
fails(7, few, [[#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *x) {
  __shared__ cg::block_tile_memory<1024> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  tile.sync();
  x[threadIdx.x] = 1;
}]])
fails(5, some, [[__global__ void k(int *x) {
  __shared__ volatile int flag;
  flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) while (flag == 0) {}
  __syncthreads();
  x[threadIdx.x] = 1;
}]])
fails(5, few, [[__global__ void k(int *x) {
  __shared__ volatile int flag;
  flag = 0;
  __syncthreads();
  while (flag == 0) __nanosleep(20);
  x[threadIdx.x] = 1;
}]])
print(dc.ones(100):sum():item())
]==]

local patient = [==[
local dc = require "dotcompute"
dc.use "cpu"
local x = dc.zeros(8, "int32")
-- a warp waits in shared memory for one that waits in global memory for another block
local k = dc.kernel [[__global__ void k(volatile int *x, int turns) {
  __shared__ volatile int flag;
  flag = 0;
  __syncthreads();
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) {
      int sum = 0;
      for (int i = 0; i < turns; i++) sum += flag + 1;
      x[1] = sum;
      __threadfence();
      x[0] = 1;
    }
  } else if (threadIdx.x < 32) {
    while (flag == 0) {}
    if (threadIdx.x == 0) x[2] = flag;
  } else if (threadIdx.x == 32) {
    while (x[0] == 0) {}
    flag = 5;
  }
}]]
local turns = math.random(200000, 300000)
k(2, 64, x, turns)
assert(x[1] == 1 and x[2] == turns and x[3] == 5)
-- a loop that ends with time, or by counting
local l = dc.kernel [[__global__ void l(int *x, int turns) {
  __shared__ volatile int flag;
  flag = 0;
  const long long begin = clock64();
  while (flag == 0 && clock64() - begin < 20000000) {}
  int n = 0;
  while (flag == 0 && n < turns) n++;
  x[threadIdx.x] = n;
}]]
l(1, 8, x, turns)
for i = 1, 8 do assert(x[i] == turns) end
]==]

for _, tier in ipairs { 0, 1 } do
  describe("on the CPU device at tier " .. tier .. " threads that spin on shared memory", function()
    it("that no thread changes any more are a deadlock", function()
      assert.equal("100.0\n", (helper.on_cpu("TIER=" .. tier, stuck)))
    end)

    it("are not a deadlock while another thread can still write", function()
      local text, code = helper.on_cpu("TIER=" .. tier, patient)
      assert.equal(0, code, text)
    end)
  end)
end
