-- Launch options beyond grid and block: with{}, "auto", cooperative launches.
local dc = require "dotcompute"
local fails = require "spec.helper".fails

local on_gpu = dc.device().backend == "cuda"
local most = on_gpu and 4096 or 16 -- blocks a multiprocessor: more than any has

local grid_source = [[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void total(const int *x, int n, int *parts, int *sum) {
  auto grid = cg::this_grid();
  int mine = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.num_threads()) mine += x[i];
  atomicAdd(&parts[blockIdx.x], mine);
  grid.sync();
  if (grid.thread_rank() == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; b++) all += parts[b];
    *sum = all;
  }
}
__global__ void ranks(long long *last) {
  auto grid = cg::this_grid();
  atomicMax(last, (long long)grid.thread_rank());
}
]]

describe("a cooperative launch", function()
  local m = dc.module(grid_source)

  local function total_of(k, blocks, threads)
    local t, want = {}, 0
    for i = 1, 1000 do
      t[i] = math.random(-1000, 1000)
      want = want + t[i]
    end
    local sum = dc.zeros(1, "int32")
    k(blocks, threads, dc.array(t, "int32"), 1000, dc.zeros(blocks, "int32"), sum)
    assert.equal(want, sum:item())
  end

  it("is chosen for kernels that synchronize the whole grid", function()
    total_of(m.total, 16, 64)
    total_of(m.total, 7, 33)
  end)
  it("is chosen by the option", function()
    total_of(m.total:with { cooperative = true }, 12, 96)
    local last = dc.zeros(1, "int64")
    m.ranks:with { cooperative = true }(8, 32, last)
    assert.equal(8 * 32 - 1, last:item())
  end)
  it("of more blocks than can be resident is refused with the limit", function()
    local blocks = dc.device().multiprocessors * most + 1
    local sum, x = dc.zeros(1, "int32"), dc.zeros(1, "int32")
    local err = fails("launch", "at most %d+ of them at once; it is cooperative because the kernel synchronizes",
      function() m.total(blocks, 1024, x, 1, dc.zeros(blocks, "int32"), sum) end)
    assert.matches(blocks .. " blocks of 1024 threads", err.message, 1, true)
    fails("launch", "at most %d+ of them at once$",
      function() m.ranks:with { cooperative = true }(blocks, 1024, dc.zeros(1, "int64")) end)
  end)
  it("is not chosen for other kernels of the module", function()
    local blocks = dc.device().multiprocessors * most + 1
    local last = dc.zeros(1, "int64")
    m.ranks(blocks, 32, last)
    assert.equal(blocks * 32 - 1, last:item())
  end)
  it("is chosen for a grid group that is declared, passed on, or synchronized by a function", function()
    for _, text in ipairs {
      "__device__ void meet(cg::grid_group g) { g.sync(); }\n" ..
        "__global__ void k(int *x) { meet(cg::this_grid()); x[0]++; }",
      "__global__ void k(int *x) { cg::grid_group all = cg::this_grid(); cg::sync(all); " ..
        "if (!all.thread_rank()) x[0]++; }",
      "__global__ void k(int *x) { cg::this_grid() . sync(); if (threadIdx.x + blockIdx.x == 0) x[0]++; }",
      "__global__ void k(int *x) { cg::grid_group g(cg::this_grid()); g.barrier_wait(g.barrier_arrive()); " ..
        "if (!g.thread_rank()) x[0]++; }",
    } do
      local x = dc.zeros(1, "int32")
      local k = dc.kernel("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n" .. text)
      k(1, 1, x)
      k(4, 1, x)
      assert.is_true(x:item() >= 2)
    end
  end)
end)

describe("with{}", function()
  local k = dc.kernel [[
extern __shared__ int buffer[];
__global__ void reverse(int *x) {
  buffer[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  x[blockIdx.x * blockDim.x + threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}]]

  it("gives a variant of the kernel, and leaves the kernel unchanged", function()
    local variant = k:with { shared = 4 * 64 }
    local x = dc.arange(1, 128, 1, "int32")
    for _ = 1, 3 do variant(2, 64, x) end
    assert.equal(64, x[1])
    assert.equal(65, x[128])
    assert.equal(k.signature, variant.signature)
  end)
  it("keeps the options of the variant it is applied to", function()
    local x = dc.arange(1, 32, 1, "int32")
    k:with { shared = 4 * 32 }:with { cooperative = true }(1, 32, x)
    assert.equal(32, x[1])
  end)
  it("refuses unknown options and invalid values", function()
    fails("argument", "there is no launch option 'blocks'; there are shared", function() k:with { blocks = 1 } end)
    fails("argument", "'cooperative' is a boolean, got", function() k:with { cooperative = 1 } end)
    fails("argument", "'pdl' is a boolean, got", function() k:with { pdl = "yes" } end)
    fails("launch", "shared memory is a number of bytes", function() k:with { shared = -1 } end)
    fails("launch", "shared memory is a number of bytes", function() k:with { shared = 1.5 } end)
    fails("launch", "at least one block", function() k:with { cluster = 0 } end)
    fails("launch", "cluster is an integer or", function() k:with { cluster = "2" } end)
    fails("argument", "a table expected", function() k:with(5) end)
  end)
  it("refuses shared memory beyond the device's, with the limit", function()
    fails("launch", "more than the %d+ that a block may have", function()
      k:with { shared = 1 << 24 }(1, 32, dc.zeros(32, "int32"))
    end)
  end)
  it("gives threads a stack for recursive functions", function()
    local deep = dc.kernel [[
__device__ __noinline__ int depth(int n, int *below) {
  int here[64];
  for (int i = 0; i < 64; i++) here[i] = below[(i * 7) % 64] + 1;
  return n == 0 ? here[5] : depth(n - 1, here) + here[63] - here[62];
}
__global__ void recurse(int *x) {
  int first[64];
  for (int i = 0; i < 64; i++) first[i] = threadIdx.x;
  x[threadIdx.x] = depth(200, first);
}]]
    local x = dc.zeros(32, "int32")
    deep:with { stack = 200 * 400 }(1, 32, x) -- 200 frames of 256 bytes and what the call saves
    for i = 1, 32 do assert.equal(201 + i - 1, x[i]) end
    fails("launch", "stack of a thread is a number of bytes, got", function() k:with { stack = "much" } end)
    fails("launch", "stack of a thread is a number of bytes, got", function() k:with { stack = 0 } end)
    fails("launch", "stack of 1099511627776 bytes", function() k:with { stack = 1 << 40 } end)
  end)
  if on_gpu then
    it("makes clusters of up to 16 blocks", function()
      local sizes = dc.kernel [[
__global__ void sizes(int *x) {
  unsigned int n;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(n));
  if (threadIdx.x == 0) x[blockIdx.x] = n;
}]]
      for _, n in ipairs { 1, 2, 4, 8, 16 } do
        local x = dc.zeros(32, "int32")
        sizes:with { cluster = n }(32, 64, x)
        for _, v in ipairs(x:to_table()) do assert.equal(n, v) end
      end
    end)
  else
    it("names the options that the CPU device lacks", function()
      local x = dc.zeros(64, "int32")
      fails("launch", "clusters of 2 blocks .*takes at most 1", function()
        k:with { cluster = 2, shared = 128 }(2, 32, x)
      end)
      fails("launch", "no programmatic dependent launch", function() k:with { pdl = true, shared = 128 }(2, 32, x) end)
      k:with { cluster = 1, shared = 128 }(2, 32, x)
    end)
    it("refuses kernels that were compiled for clusters", function()
      local function compiled_for(dims)
        return dc.kernel(([[
__global__ void __cluster_dims__(%s) ranks(int *x) {
  unsigned int n;
  asm("mov.u32 %%0, %%%%cluster_nctaid.x;" : "=r"(n));
  x[blockIdx.x] = n;
}]]):format(dims), { arch = "sm_90" })
      end
      local x = dc.zeros(4, "int32")
      local clusters = compiled_for "2, 1, 1"
      fails("launch", "kernel 'ranks': clusters of 2 blocks %(2x1x1%); .* takes at most 1", function()
        clusters(4, 1, x)
      end)
      fails("launch", "clusters of 2 blocks", function() clusters:with { cluster = 1 }(4, 1, x) end)
      fails("launch", "clusters of 6 blocks %(1x2x3%)", function() compiled_for "1, 2, 3"({ 1, 2, 3 }, 1, x) end)
      assert.same({ 0, 0, 0, 0 }, x:to_table())
      compiled_for "1, 1, 1"(4, 1, x)
      assert.same({ 1, 1, 1, 1 }, x:to_table())
    end)
  end
end)

describe([[the block "auto"]], function()
  it("has the number of threads of the best occupancy, within the kernel's launch bounds", function()
    local k = dc.kernel [[
__global__ void __launch_bounds__(96) sizes(int *n) { if (threadIdx.x == 0) n[blockIdx.x] = blockDim.x; }]]
    local n = dc.zeros(3, "int32")
    k(3, "auto", n)
    local size = n[1]
    assert.is_true(size >= 1 and size <= 96)
    assert.same({ size, size, size }, n:to_table())
    local blocks = 4 * dc.device().multiprocessors -- with fewer threads forall takes smaller blocks
    n = dc.zeros(blocks, "int32")
    k:forall(size * blocks, n)
    assert.is_true(n:eq(size):all())
    k:forall(1, n)
    assert.is_true(n[1] <= size)
  end)
  it("is the only string that a block can be", function()
    local k = dc.kernel "__global__ void nothing() {}"
    fails("launch", "the block is an integer or", function() k(1, "best") end)
    fails("launch", "the grid is an integer or", function() k("auto", 1) end)
  end)
end)
