-- Kernels that launch kernels, on the CPU device.
local dc = require "dotcompute"
local helper = require "spec.helper"
local fails = helper.fails

-- A test that runs on the CPU device, whatever the current one is.
local function on_cpu(test)
  return function() return dc.using("cpu", test) end
end

describe("a kernel that launches kernels", function()
  it("has ended when they have, each after what the one before has launched", on_cpu(function()
    local k = dc.kernel([[
__device__ int length;
struct node { char depth; double weight; int *log; };
__global__ void visit(node n, short name) {
  n.log[atomicAdd(&length, 1)] = name;
  for (int i = 1; i <= 2 && n.depth > 0; i++)
    visit<<<1, 1>>>(node{(char)(n.depth - 1), n.weight / 2, n.log}, (short)(10 * name + i));
  if (n.weight != 8.0 / (1 << (3 - n.depth))) n.log[0] = -1;
}]])
    local log, expected = dc.zeros(15, "int32"), {}
    local function visit(depth, name)
      expected[#expected + 1] = name
      for i = 1, depth > 0 and 2 or 0 do visit(depth - 1, 10 * name + i) end
    end
    local name = math.random(9)
    visit(3, name)
    k(1, 1, { depth = 3, weight = 8, log = log }, name)
    assert.same(expected, log:to_table())
  end))

  it("sorts by halves, in streams and with shared memory of its own", on_cpu(function()
    local m = dc.module [==[
#include <cstdio>
template <class T> __global__ void sort(T *x, int first, int last) {
  extern __shared__ int bounds[];
  if (last - first < 8) {
    for (int i = first + 1; i <= last; i++)
      for (int k = i; k > first && x[k] < x[k - 1]; k--) { T t = x[k]; x[k] = x[k - 1]; x[k - 1] = t; }
    return;
  }
  bounds[0] = first, bounds[1] = last;
  const T pivot = x[(first + last) / 2];
  while (bounds[0] <= bounds[1]) {
    while (x[bounds[0]] < pivot) bounds[0]++;
    while (pivot < x[bounds[1]]) bounds[1]--;
    if (bounds[0] <= bounds[1]) { T t = x[bounds[0]]; x[bounds[0]++] = x[bounds[1]]; x[bounds[1]--] = t; }
  }
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  if (first < bounds[1]) sort<<<1, 1, 2 * sizeof(int), s>>>(x, first, bounds[1]);
  if (bounds[0] < last) sort<<<dim3(1), dim3(1), 8>>>(x, bounds[0], last);
  cudaStreamDestroy(s);
}
int main() { sort<float><<<1, 1, 8>>>(nullptr, 0, 0); }
]==]
    local n, values = 2000, {}
    for i = 1, n do values[i] = math.random(500) end
    local x = dc.array(values, "float32")
    m["sort<float>"]:with { shared = 8 }(1, 1, x, 0, n - 1)
    table.sort(values)
    helper.same(values, x:to_table())
  end))

  it("launches what is for its end behind all the others, and any number of them", on_cpu(function()
    local m = dc.module [[
__global__ void add(int *p, int v) { if (threadIdx.x == 0) atomicAdd(p, v); }
__global__ void last(int *p) { p[1] = p[0]; }
__global__ void start(int *p, int v) {
  if (blockIdx.x == 0 && threadIdx.x == 0) last<<<1, 1, 0, cudaStreamTailLaunch>>>(p);
  add<<<1, 32>>>(p, v);
}]]
    local x, v = dc.zeros(2, "int32"), math.random(9)
    m.start(30, 100, x, v)
    assert.same({ 3000 * v, 3000 * v }, x:to_table())
  end))

  it("fails with what it launches wrongly, and goes on afterwards", on_cpu(function()
    local m = dc.module [[
__global__ void child(int *p) { p[threadIdx.x] = 1; }
__global__ void parent(int *p, int blocks, int threads, int shared) {
  child<<<blocks, threads, shared>>>(p); // <- here
}]]
    local x = dc.zeros(4, "int32")
    for _, bad in ipairs { { 0, 1, 0 }, { 1, 0, 0 }, { 1, 1025, 0 }, { 1, 1, 1 << 20 }, { 1, 1, -1 } } do
      local err = fails("launch", "kernel 'parent'.*it launches 'child' with a grid of", function()
        m.parent(1, 1, x, table.unpack(bad))
        return x[1]
      end)
      assert(err.message:find "spec/cpu/nested%-launches_spec.lua:%d+", err.message)
    end
    local err = fails("launch", "'child', launched by a kernel: illegal address", function()
      m.parent(1, 1, x, 1, 1024, 0)
      return x[1]
    end)
    assert.equal("CUDA_ERROR_ILLEGAL_ADDRESS", err.code)
    m.parent(1, 1, x, 1, 4, 0)
    assert.same({ 1, 1, 1, 1 }, x:to_table())
  end))

  it("names what it cannot launch as C++ does", on_cpu(function()
    local m = dc.module([[
namespace outer { namespace inner { __global__ void child(int *p) {} } }
namespace { __global__ void hidden(int *p) {} }
static __global__ void of_file(int *p) {}
extern "C" __global__ void of_c(int *p) {}
template <class T> __global__ void any(T *p) {}
__global__ void __cluster_dims__(1, 3, 1) clusters(int *p) {}
__global__ void __cluster_dims__(1, 1, 1) alone(int *p) { *p = 7; }
__global__ void parent(int *p, int which) {
  if (which == 0) outer::inner::child<<<1, 2048>>>(p);
  if (which == 1) hidden<<<1, 2048>>>(p);
  if (which == 2) of_file<<<1, 2048>>>(p);
  if (which == 3) of_c<<<1, 2048>>>(p);
  if (which == 4) any<float><<<1, 2048>>>((float *)p);
  if (which == 5) clusters<<<dim3(1, 3), 1>>>(p);
  if (which == 6) alone<<<1, 1>>>(p);
}]], { arch = "sm_90" })
    local x = dc.zeros(1, "int32")
    local function says(which, text)
      fails("launch", text, function()
        m.parent(1, 1, x, which)
        return x[1]
      end)
    end
    for i, name in ipairs { "outer::inner::child", "hidden", "of_file", "of_c", "any" } do
      says(i - 1, ("it launches '%s' with a grid of 1x1x1 blocks of 2048x1x1"):format(name))
    end
    says(5, "it launches 'clusters', which has clusters of 1x3x1 blocks; the CPU device has none")
    m.parent(1, 1, x, 6)
    assert.equal(7, x[1])
  end))

  it("runs so in native code, too", function()
    for tier = 0, 1 do
      local text, code = helper.on_cpu("TIER=" .. tier, [[
local dc = require "dotcompute"
local m = dc.module("__global__ void child(int *p, int d) { atomicAdd(p, d); if (d && threadIdx.x < 2)"
  .. "child<<<2, 40>>>(p, d - 1); }"
  .. "__global__ void start(int *p) { if (threadIdx.x % 40 == 3) child<<<1, 3>>>(p, 3); }")
local x = dc.zeros(1, "int32")
m.start(3, 100, x)
print(x[1])]])
      assert.equal(0, code, text)
      -- 3 threads a block, 3 blocks; each child of depth d has twice two blocks of its threads below it
      local function sum(blocks, threads, d)
        return blocks * threads * d + (d > 0 and blocks * 2 * sum(2, 40, d - 1) or 0)
      end
      assert.equal(("%d\n"):format(3 * 3 * sum(1, 3, 3)), text)
    end
  end)
end)
