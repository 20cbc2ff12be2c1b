-- Whole programs for nvcc, in the forms that public suites of benchmarks have: the kernels and instances that each
-- gives. spec/data/nvcc-programs.cu holds them; the names of instances are those that nvcc itself makes of them.
local dc = require "dotcompute"
local helper = require "spec.helper"
local sorted = helper.sorted

local function write(folder, name, text) return helper.write(folder .. "/" .. name, text) end

describe("a program", function()
  for name, program in pairs(helper.programs "spec/data/nvcc-programs.cu") do
    it(("of the form '%s' gives its kernels"):format(name), function()
      local names = helper.with_file(program.text, dc.module_file):kernels()
      table.sort(names)
      assert.same(program.kernels, names)
    end)
  end

  it("with kernels that are templates alone, of which nothing tells the instances, says so", function()
    local text = [[
template <class T> __global__ void fill(T *p) { *p = 3; }
int main() { fill<<<1, 1>>>(unknown()->pointer); }
]]
    helper.with_file(text, function(name)
      local err = helper.fails("compile", "gives no kernel: its kernels are templates, such as fill", function()
        dc.module { file = name }
      end)
      assert(err.message:find('instantiate = {"fill<float>"}', 1, true))
    end)
    local m = helper.with_file(text, function(name)
      return dc.module { file = name, instantiate = "fill<float>" }
    end)
    assert.same({ "fill<float>" }, m:kernels())
  end)

  it("that launches a kernel with lambdas gives instances whose argument holds what they capture", function()
    local m = helper.with_file([[
#include <cstdio>
template <class F> __global__ void each(F f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
template <class T, class F> __global__ void fold(const T *x, T *out, int n, F f) {
  T s = 0;
  for (int i = 0; i < n; i++) s = f(s, x[i]);
  *out = s;
}
template <class F> void parallel(int n, F f) { each<<<(n + 63) / 64, 64>>>(f, n); }
template <class T> void scale(T *x, T by, int n) {
  parallel(n, [=] __device__ (int i) { T v = x[i]; x[i] = v * by; });
}
struct Grid {
  float *data;
  int n;
  void fill(float v) {
    float *p = data;
    const float &r = v;
    parallel(n, [=] __device__ (int i) { // by value, whatever r is
      #pragma unroll
      for (int k = 0; k < 1; k++) p[i] = r + i;
    });
  }
  void twice() { float *q = data;
    parallel(n, [q] __device__ (int i) { q[i] *= 2; }); } void none() { parallel(n, [] __device__ (int) {}); }
};
int main() {
  int n = 1 << 10;
  float *x, *y, a = 2.5f;
  cudaMalloc(&x, n * sizeof(float));
  for (int i = 0; i < 3; i++) printf("%d\n", i);
  each<<<16, 64>>>([=] __device__ (int i) { y[i] = a * x[i] + y[i]; }, n);
  auto add = [] __host__ __device__ (float s, float v) -> float { return s + v; };
  fold<<<1, 1>>>(x, y, n, add);
  parallel(n, [x, k = a * 2] __device__ (auto i) mutable { k += i; x[i] = k; });
  scale(x, 3.0f, n);
  scale((double *)nullptr, 3.0, n);
  Grid g{x, n};
  g.fill(2);
  g.twice();
  g.none();
}
]], dc.module_file)
    assert.equal("each<dc_lambda_13<double, double *, double>>; each<dc_lambda_13<float, float *, float>>; "
      .. "each<dc_lambda_21<float *, float>>; each<dc_lambda_27<float *>>; each<dc_lambda_27_2>; "
      .. "each<dc_lambda_34<float *, float, float *>>; each<dc_lambda_37<float *, float>>; fold<float, dc_lambda_35>",
      sorted(m:kernels()))
    assert.same({}, m:left_out())
    local n, a = math.random(65, 200), math.random(2, 9)
    local values, blocks = {}, 4
    for i = 1, n do values[i] = i - 1 end
    local x, y = dc.array(values, "float32"), dc.zeros(n, "float32") + 1
    m["each<dc_lambda_34<float *, float, float *>>"](blocks, 64, { y = y, a = a, x = x }, n)
    assert.equal(a * (n - 1) + 1, y[n])
    assert.equal(1, y[1])
    m["each<dc_lambda_21<float *, float>>"](blocks, 64, { p = x, r = a }, n)
    m["each<dc_lambda_13<float, float *, float>>"](blocks, 64, { x = x, by = a }, n)
    m["each<dc_lambda_27<float *>>"](blocks, 64, { q = x }, n)
    local sum = 0
    for i = 1, n do
      assert.equal(2 * a * (a + i - 1), x[i])
      sum = sum + x[i]
    end
    m["fold<float, dc_lambda_35>"](1, 1, x, y, n, {})
    assert.near(sum, y[1], 1e-6 * sum)
    m["each<dc_lambda_37<float *, float>>"](blocks, 64, { x = x, k = a }, n)
    assert.equal(a + n - 1, x[n])
  end)

  it("that launches a kernel with a lambda of references or members says why that kernel is missing", function()
    local n = math.random(2, 20)
    local m = helper.with_file([[
#include <cstdio>
template <class F> __global__ void each(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }
struct twice { int *p; __device__ void operator()(int i) const { p[i] = 2 * i; } };
__global__ void other(int *p) { *p = 1; }
struct host {
  int *p;
  void run() { each<<<1, 20>>>(20, [this] __device__ (int i) { p[i] = i; }); }
};
int main() {
  int *p;
  cudaMalloc(&p, 80);
  other<<<1, 1>>>(p);
  each<<<1, 20>>>(20, [&] __device__ (int i) { p[i] = i; });
}
]], dc.module_file)
    assert.same({ "other" }, m:kernels())
    local gone = m:left_out()
    assert.equal(1, #gone)
    assert.equal("each", gone[1].name)
    assert.equal(2, gone[1].line)
    assert(gone[1].reason:find("lambdas have no names", 1, true), gone[1].reason)
    helper.fails("argument", "'each' is a template of which no instance can be named", function() return m.each end)
    local x = dc.zeros(n, "int32")
    m["each<twice>"](1, n, n, { p = x })
    assert.equal(2 * (n - 1), x[n])
  end)

  it("whose kernels a macro of its build brings in names the option", function()
    helper.with_file([[
#ifdef WITH_CUDA
__global__ void fill(int *p) { *p = 1; }
int main() { fill<<<1, 1>>>(nullptr); }
#endif
]], function(name)
      helper.fails("compile", "'fill' is only declared, or left out by #if", function() dc.module { file = name } end)
      assert.same({ "fill" }, dc.module { file = name, define = { WITH_CUDA = 1 } }:kernels())
    end)
  end)

  it("whose kernels all launch kernels says so, on a GPU", function()
    helper.with_file([[
#include <cstdio>
__global__ void nested(int *p, int depth) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  if (depth < 3) nested<<<1, 1, 0, s>>>(p, depth + 1);
}
int main() { nested<<<1, 1>>>(nullptr, 0); }
]], function(name)
      if dc.device().backend == "cpu" then
        assert.same({ "nested" }, dc.module { file = name }:kernels())
        return
      end
      helper.fails("compile", "gives no kernel: 'nested' launches kernels itself", function()
        dc.module { file = name }
      end)
    end)
  end)

  it("gives the instances of kernels in its headers", function()
    helper.with_folder(function(folder)
      write(folder, "kernels.cuh", "\xef\xbb\xbf" .. [[
#include <vector>
#include <stdexcept>
template <class T, int N> __global__ void set(T *p) { *p = N; }
template <class T> void both(T *p) {
  std::vector<T> v(3);
  if (v.size() != 3) throw std::runtime_error("no");
  set<T, 5><<<1, 1>>>(p);
}
]])
      local main = write(folder, "main.cu", [[
#include "kernels.cuh"
int main() { float *p; cudaMalloc(&p, 4); set<float, 3><<<1, 1>>>(p); both((double *)0); }
]])
      local m = dc.module { file = main }
      assert.equal("set<double, 5>; set<float, 3>", sorted(m:kernels()))
      local x = dc.zeros(1, "float64")
      m["set<double, 5>"](1, 1, x)
      assert.equal(5, x[1])
    end)
  end)
end)

describe("headers that kernels share with host code", function()
  it("may have functions of the host and types of its libraries", function()
    helper.with_folder(function(folder)
      write(folder, "context.h", [[
#pragma once
using status = cublasStatus_t;
struct context { cublasHandle_t blas; cusparseHandle_t sparse; float factor; };
static void check(cublasStatus_t s) { if (s != CUBLAS_STATUS_SUCCESS) throw s; }
]])
      local main = write(folder, "main.cu", [[
#include <cublas_v2.h>
#include <cusparse.h>
#include "context.h"
__global__ void scale(float *p, float factor) { p[threadIdx.x] *= factor; }
int main() {
  context c; float *p; check(cublasCreate(&c.blas));
  scale<<<1, 4>>>(p, c.factor); return CUBLAS_STATUS_SUCCESS; }
]])
      local m = dc.module { file = main }
      assert.same({ "scale" }, m:kernels())
      local x, factor = dc.array({ 1, 2, 3, 4 }, "float32"), math.random(9)
      m.scale(1, 4, x, factor)
      helper.same({ factor, 2 * factor, 3 * factor, 4 * factor }, x:to_table())
    end)
  end)
end)

describe("a header that is reached by several names", function()
  it("is one header, with its host code taken out", function()
    helper.with_folder(function(folder)
      assert(os.execute("mkdir '" .. folder .. "/sub'"))
      local factor = math.random(2, 9)
      write(folder, "sub/a.h", ([[
#pragma once
#include <unordered_map>
struct P { int n; };
static std::unordered_map<int, int> table;
inline void say() { printf("%%d", table[3]); }
__device__ inline int times(P p) { return %d * p.n; }
]]):format(factor))
      write(folder, "sub/b.h", '#include "a.h"\n')
      local main = write(folder, "main.cu", [[
#include <cstdio>
#include "sub/b.h"
#include "sub/a.h"
#include "a.h"
__global__ void k(int *x, P p) { *x = times(p); }
int main() { say(); k<<<1, 1>>>(0, P{3}); }
]])
      local m = dc.module { file = main, include = folder .. "/sub" }
      local x = dc.zeros(1, "int32")
      m.k(1, 1, x, { n = 5 })
      assert.equal(5 * factor, x[1])
    end)
  end)

  it("is not mistaken for another one of that name", function()
    helper.with_folder(function(folder)
      assert(os.execute(("mkdir '%s/one' '%s/two'"):format(folder, folder)))
      for i, name in ipairs { "one", "two" } do
        write(folder, name .. "/config.h", ("enum { %s = %d };\n"):format(name, i))
        write(folder, name .. "/all.h", '#include "config.h"\n')
      end
      local main = write(folder, "main.cu", [[
#include "one/all.h"
namespace other {
#include "two/all.h"
}
__global__ void k(int *x) { *x = 10 * one + other::two; }
void show() { cerr << one; }
int main() { k<<<1, 1>>>(0); }
]])
      local x = dc.zeros(1, "int32")
      dc.module { file = main }.k(1, 1, x)
      assert.equal(12, x[1])
    end)
  end)
end)

describe("references to textures and surfaces", function()
  it("are variables that hold the handles of textures and surfaces", function()
    local rows, n = {}, math.random(5, 12)
    for y = 1, 2 do
      rows[y] = {}
      for x = 1, n do rows[y][x] = math.random(100) end
    end
    local level = math.random(0, 255)
    local m = helper.with_file([[
#include <cstdio>
texture<float, 2, cudaReadModeElementType> image;
static texture<uchar4, cudaTextureType1D, cudaReadModeNormalizedFloat> bytes;
texture<int> whole, *unused;
surface<void, 2> target;
template <class T> __global__ void gen(T *out) { out[0] = tex1Dfetch(whole, 1); }
__global__ void k(float *out) {
  int x = threadIdx.x;
  out[x] = tex2D(image, x + 0.5f, 1.5f) + 1000 * tex1Dfetch(bytes, x).y + 10000 * tex1Dfetch(whole, x);
  surf2Dwrite(out[x], target, x * 4, 1);
  out[x] += surf2Dread<float>(target, x * 4, 1);
}
int main() {
  cudaBindTexture2D(0, image, 0, 4, 4, 4);
  image.filterMode = cudaFilterModeLinear;
  k<<<1, 4>>>(0);
  gen<<<1, 1>>>((float *)0);
}
]], dc.module_file)
    local image = dc.texture(dc.array(rows, "float32"))
    local bytes = dc.texture(dc.full({ n, 4 }, level, "uint8"), { read = "normalized", channels = 4, copy = false })
    local whole = dc.texture(dc.arange(1, n, "int32"), { copy = false })
    local target = dc.surface(dc.zeros({ 2, n }, "float32"))
    m:global "image"[{}], m:global "bytes"[{}] = image.handle, bytes.handle
    m:global "whole"[{}], m:global "target"[{}] = whole.handle, target.handle
    local out = dc.zeros(n, "float32")
    m.k(1, n, out)
    for x = 1, n do
      local wanted = 2 * (rows[2][x] + 1000 * level / 255 + 10000 * x)
      assert(math.abs(out[x] - wanted) < 0.05, helper.note(wanted .. " is " .. out[x]))
    end
    m["gen<float>"](1, 1, out)
    assert.equal(2, out[1])
    helper.fails("argument", "the module has variables", function() return m["gen<int>"] end)
  end)
end)

describe("GNU C", function()
  it("literals, statements in expressions, typeof and designated initializers have their values", function()
    local n = math.random(2, 1000)
    local out = dc.zeros(7, "int32")
    dc.kernel [[
struct P { int x, y; };
__device__ int sum(P p, int more = 0) { return p.x + p.y + more; }
#define MAX(a, b) ({ __typeof__(a) a_ = (a); \
  typeof(b) b_ = (b); a_ > b_ ? a_ : b_; })
__device__ struct P make(int a) { return (struct P){a, a * a}; }
__device__ P operator+(P a, P b) { return make(a.x + b.x); }
__global__ void k(int *out, int n) {
  struct P p = make(n), q = {.y = 3, };
  out[0] = p.y + (P){.x = 7}.x; out[1] = MAX(n, 5) + q.y;
  out[2] = ({ int s = 0; for (int i = 0; i <= n; i++) s += i; s; });
  float2 v = (float2){1.5f, 2.5f}; out[3] = (int)(v.x + v.y);
  out[4] = ((const int[]){4, 5, 6})[n % 3];
  if (({ MAX(n, 1) > 1; })) out[5] = MAX(MAX(n, 2000), 3);
  out[6] = sum({n, 3, }) + sum(P({ 4, 5 }));
}]](1, 1, out, n)
    helper.same({ n * n + 7, math.max(n, 5) + 3, n * (n + 1) // 2, 4, 4 + n % 3, 2000, n + 12 }, out:to_table())
  end)
end)

describe("types", function()
  it("of 64 bits are long, as nvcc has them", function()
    local out = dc.zeros(4, "uint64")
    dc.kernel [[
#include <cstdint>
#include <cuda/std/cstdint>
#include <cuda/atomic>
template <class T> struct which { static const int v = 0; };
template <> struct which<uint64_t> { static const int v = 1; };
template <> struct which<unsigned long long> { static const int v = 2; };
__global__ void k(unsigned long *out) {
  uint64_t *p = out; size_t *q = p; cuda::std::uint64_t *r = q; long s = INT64_MIN; int64_t *t = &s;
  p[0] = which<unsigned long>::v; q[1] = which<std::uint64_t>::v; r[2] = *t < 0 ? UINT64_MAX : 0;
  cuda::atomic_ref<uint64_t> a(out[3]); a += 5;
}]](1, 1, out)
    helper.same({ 1, 1, -1, 5 }, out:to_table())
  end)
end)

describe("files", function()
  it("are named in the table of options, and link to one module", function()
    helper.with_folder(function(folder)
      local a = write(folder, "a.cu", "\xef\xbb\xbf" .. [[
#include <stdio.h>
#include "b.h"
extern __device__ int scale_of[2];
__global__ void outside(int *p);
__global__ void run(int *p, int n) { *p = twice(n) * scale_of[1]; }
int main() { run<<<1, 1>>>((int *)0, 3); return undefined_variable; }
]])
      local b = write(folder, "b.cu", [[
#include "b.h"
__device__ int scale_of[2] = {1, FACTOR};
__device__ int twice(int n) { return 2 * n; }
]])
      write(folder, "b.h", "#pragma once\nextern __device__ int twice(int n);\n")
      local n, factor = math.random(100), math.random(100)
      local m = dc.module { files = { a, b }, define = { FACTOR = factor } }
      assert.same({ "run" }, m:kernels())
      local out = dc.zeros(1, "int32")
      m.run(1, 1, out, n)
      assert.equal(2 * n * factor, out[1])
      local k = dc.kernel { files = { a, b }, define = { FACTOR = 1 }, name = "run" }
      k(1, 1, out, n)
      assert.equal(2 * n, out[1])
      helper.fails("argument", "options stand in the table that names the files", function()
        dc.module({ files = { a } }, { name = "run" })
      end)
      helper.fails("argument", "'file' and 'files' are both given", function()
        dc.kernel { file = a, files = { b } }
      end)
      helper.fails("argument", "option 'file' is a file's name, got the number 3", function()
        dc.module { file = 3 }
      end)
      helper.fails("argument", "file names", function() dc.module { files = {} } end)
      helper.fails("argument", "defin", function() dc.module { file = a, defin = {} } end)
      helper.fails("io", "no/such", function() dc.kernel { file = "no/such.cu" } end)
    end)
  end)
end)
