-- Host code that does not compile as code of the device, for what it needs is not there: what it launches is found
-- still.
local dc = require "dotcompute"
local helper = require "spec.helper"
local sorted = helper.sorted

describe("host code that lacks a header of its project", function()
  it("shows what it launches in generic lambdas, in functions of templates", function()
    local n, a = math.random(3, 30), math.random(2, 9)
    local m = helper.with_file([[
#include "project.h"
template <class T, bool plus> __global__ void fill(T *p, int n, T v) {
  if (threadIdx.x < n) p[threadIdx.x] = plus ? v : -v;
}
template <class L> struct config {
  int n;
  template <class T> void launch(T *p, T v) const {
    auto k = fill<T, L::value>;
    k<<<1, n>>>(p, n, v);
  }
};
struct yes { static constexpr bool value = true; };
struct no { static constexpr bool value = false; };
template <class F> void choose(int n, bool b, F &&f) {
  if (b) f(config<yes>{n});
  else f(config<no>{n});
}
class runner {
  project::settings s;
 public:
  void run(float *p, double *q, bool b) {
    choose(32, b, [&](auto &&c) {
      auto stats = s.statistics(project::kind::fast);
      project::log("x", stats.a.b);
      c.launch(p, 2.0f);
    });
    choose(32, b, [&](auto &&c) {
      project::timer t(s, p);
      for (auto &one : s.all()) {
        one.begin();
        c.launch(q, 3.0);
      }
    });
  }
};
]], dc.module_file)
    assert.equal("fill<double, false>; fill<double, true>; fill<float, false>; fill<float, true>", sorted(m:kernels()))
    local x = dc.zeros(n, "float32")
    m["fill<float, false>"](1, 32, x, n, a)
    assert.equal(-a, x[1])
    assert.equal(-a, x[n])
  end)

  it("shows what it launches with operands of which the types are unknown", function()
    local v = math.random(100)
    local m = helper.with_file([[
struct tensor;
enum kind { F32, F64 };
struct context { cudaStream_t stream(); };
typedef int (*op_t)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
template <op_t op, int N, class T> __global__ void apply(const int *x, T *y) { *y = op(*x, N); }
template <op_t op> struct bound {
  template <class T> void operator()(const tensor *t, const int *x, T *y, cudaStream_t s) {
    apply<op, 3><<<1, 1, 0, s>>>(x, y);
  }
};
template <class F> void dispatch(const tensor *t, const void *x, void *y, cudaStream_t s) {
  if (t->type == F32) F()(t, (const int *)x, (float *)y, s);
  else if (t->type == F64) F()(t, (const int *)x, (double *)y, s);
  else fprintf(stderr, "%s: no such type: %d\n", __func__, t->type);
}
void run(context &c, tensor *t) {
  dispatch<bound<add>>(t->sources[0], t->sources[0]->data, t->data, c.stream());
  switch (t->sources[1]->type) {
    case F32: apply<mul, 7><<<t->rows / 2, 64, 0, c.stream()>>>((const int *)t->from->data, (int *)t->data); break;
    default: abort("none for %s", t->name());
  }
}
]], dc.module_file)
    assert.equal("apply<add, 3, double>; apply<add, 3, float>; apply<mul, 7, int>",
      (sorted(m:kernels()):gsub("%(?&?%(?([am]%w+)%)?", "%1")))
    local x, y = dc.array({ v }, "int32"), dc.zeros(1, "int32")
    local name
    for _, one in ipairs(m:kernels()) do if one:find "mul" then name = one end end
    m[name](1, 1, x, y)
    assert.equal(7 * v, y[1])
  end)

  it("may keep types of unnamed namespaces in containers", function()
    local v = math.random(100)
    local m = helper.with_file([[
#include <vector>
#include <memory>
namespace {
struct item { float value; int weight; };
template <class T> __global__ void touch(T *p, int n) { if (threadIdx.x < n) p[threadIdx.x].value += n; }
struct pool { std::vector<item> all; std::unique_ptr<item[]> own; };
void run() {
  pool p;
  p.all.resize(10);
  item *d;
  auto q = std::make_shared<item>();
  cudaMalloc(&d, 10 * sizeof *d);
  touch<<<1, 10>>>(d, q->weight + (int)p.all.size());
}
}
int main() { run(); }
]], dc.module_file)
    assert.same({ "touch<item>" }, m:kernels())
    local bytes = table.pack(("fi"):pack(v, 0):byte(1, -1))
    local x = dc.array(bytes, "uint8")
    m["touch<item>"](1, 1, x, 1)
    for i = 1, #bytes do bytes[i] = string.char(x[i]) end
    assert.equal(v + 1, (("f"):unpack(table.concat(bytes))))
  end)

  it("may stand in headers: functions marked __host__, templates that launch by functions of the runtime", function()
    helper.with_folder(function(folder)
      helper.write(folder .. "/kernels.cuh", [[
#pragma once
static __host__ int threads_of(int size) { return size > 64 ? 128 : 64; }
template <class K, class... A> void start(K kernel, dim3 grid, int block, A... arguments) {
  if (!getenv("PLAIN")) {
    cudaLaunchConfig_t config = {};
    project::configure(config, grid, getenv("GRID"));
    cudaLaunchKernelEx(&config, kernel, arguments...);
  } else abort();
}
template <int size, bool up> __global__ void scale(float *p) { p[threadIdx.x] *= up ? size : 1.f / size; }
template <int size> void scaled(float *p) {
  const int n = threads_of(size);
  if (project::large(n)) cudaFuncSetAttribute(scale<size, true>, cudaFuncAttributeMaxDynamicSharedMemorySize, n);
  cudaFuncSetAttribute(scale<size, true>, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
  start(project::up(n) ? scale<size, true> : scale<size, false>, 1, n, p);
}
extern template void scaled<64>(float *);
]])
      local main = helper.write(folder .. "/main.cu", [[
#include "project.h"
#include "kernels.cuh"
void run(float *p, int size) {
  switch (size) {
    case 32: scaled<32>(p); break;
    case 64: scaled<64>(p); break;
    default: abort();
  }
}
]])
      local m = dc.module { file = main }
      assert.equal("scale<32, false>; scale<32, true>", sorted(m:kernels()))
      local v = math.random(100)
      local x = dc.array({ v }, "float32")
      m["scale<32, true>"](1, 1, x)
      assert.equal(32 * v, x[1])
    end)
  end)

  it("that ends inside of a lambda is an error", function()
    helper.with_file([[
#include "project.h"
template <class T> __global__ void fill(T *p) { *p = 1; }
void run() {
  project::call([&](auto &&c) { fill<<<1, 1>>>(c.p(
]], function(name)
      helper.fails("compile", "fill", function() dc.module { file = name } end)
    end)
  end)
end)

describe("lambdas for kernels", function()
  it("may use variables in products, of bindings and of lambdas around them", function()
    local a, b, d = math.random(9), math.random(9), math.random(9)
    local m = helper.with_file([[
template <class F> __global__ void each(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }
__device__ int pack(int a, int b) { return a * 100 + b; }
struct two { int first, second; };
two make(int a) { return {a, a + 1}; }
int main() {
  int *p, scale = 3, k = 2;
  auto [low, high] = make(4);
  each<<<1, 20>>>(20, [=] __device__ (int i) { p[i] = pack(i * scale, k) + pack(k & scale, low) + high; });
  auto inner = [&](int depth, float w) { each<<<1, 20>>>(20, [=] __device__ (int i) { p[i] = depth * 10 + w; }); };
  inner(1, 2);
}
]], dc.module_file)
    local n = 20
    local x = dc.zeros(n, "int32")
    m["each<dc_lambda_8<int *, int, int, int, int>>"](1, 32, n, { p = x, scale = a, k = b, low = d, high = 1 })
    assert.equal((n - 1) * a * 100 + b + (b & a) * 100 + d + 1, x[n])
    m["each<dc_lambda_9<int *, int, float>>"](1, 32, n, { p = x, depth = a, w = b })
    assert.equal(10 * a + b, x[n])
  end)

  it("that do not compile leave a kernel its other instances, or say why it is missing", function()
    local n = math.random(2, 20)
    local m = helper.with_file([[
#include <cstdio>
template <class F> __global__ void each(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }
template <class F> __global__ void once(F f) { f(0); }
struct twice { int *p; __device__ void operator()(int i) const { p[i] = 2 * i; } };
class box {
  int v;
  __device__ int get() const { return v; }
 public:
  void run(int *p) {
    box b = *this;
    each<<<1, 20>>>(20, [=] __device__ (int i) { p[i] = b.get(); });
    once<<<1, 1>>>([=] __device__ (int i) { p[i] = b.get() + 1; });
  }
};
int main() { int *p; cudaMalloc(&p, 80); each<<<1, 20>>>(20, twice{p}); box b; b.run(p); }
]], dc.module_file)
    assert.same({ "each<twice>" }, m:kernels())
    local x = dc.zeros(n, "int32")
    m["each<twice>"](1, 32, n, { p = x })
    assert.equal(2 * (n - 1), x[n])
    local gone = m:left_out()
    assert.equal(1, #gone)
    assert.equal("once", gone[1].name)
    assert(gone[1].reason:find("does not compile with the lambda", 1, true), gone[1].reason)
    helper.fails("compile", "'once'", function() return m.once end)
  end)

  it("are not the reason that another kernel has no instance", function()
    local m = helper.with_file([[
template <class F> __global__ void each(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }
template <class T> __global__ void other(T *p) { *p = 1; }
int main() { int *p; cudaMalloc(&p, 80); each<<<1, 20>>>(20, [=] __device__ (int i) { p[i] = i; }); }
]], dc.module_file)
    local gone = m:left_out()
    assert.equal(1, #gone)
    assert.equal("other", gone[1].name)
    assert(gone[1].reason:find("no instance is known", 1, true), gone[1].reason)
  end)
end)
