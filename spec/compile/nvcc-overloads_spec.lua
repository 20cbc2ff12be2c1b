-- Overloaded templates of kernels, whose instances' names have the parameters' types, and templates of kernels whose
-- template argument is an instance of a function template.  NVRTC 13.0 copies memory that it has freed where these
-- are compiled as relocatable code, which a sanitizer would take for ours (spec/parallel.lua).
local dc = require "dotcompute"
local helper = require "spec.helper"
local sorted = helper.sorted

local templates = [[
namespace ns { struct pair { int a, b; }; enum class mode { add, mul }; }
template <typename T> __global__ void scale(T *out, const T *in, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x] * T(2);
}
template <typename T> __global__ void scale(T *x, int n, T f) { if (threadIdx.x < n) x[threadIdx.x] *= f; }
namespace ns {
template <int N, class P> static __global__ void put(float *x, P p) { *x = N + p.a; }
template <int N, class P> static __global__ void put(double *x, const P *p, const P *q) { *x = N * p->b + q->a; }
template <mode M> __global__ void put(int *x) { *x = int(M); }
}
]]

describe("an overloaded template", function()
  it("has the instances that host code launches, each of its own", function()
    local m = helper.with_file(templates .. [[
template <class T> void go(T *x) { scale<T><<<1, 32>>>(x, x, 9); }
int main() {
  float *a; double *d; int *i; ns::pair p, *q;
  go(a); go(d);
  scale<<<1, 32>>>(d, 32, 2.0);
  ns::put<3><<<1, 1>>>(a, p);
  ns::put<4><<<1, 1>>>(d, (const ns::pair *)q, (const ns::pair *)q);
  ns::put<ns::mode::mul><<<1, 1>>>(i);
}
]], dc.module_file)
    assert.equal(table.concat({
      "ns::put<(ns::mode)1>", "ns::put<3, ns::pair>(float *, ns::pair)",
      "ns::put<4, ns::pair>(double *, const ns::pair *, const ns::pair *)",
      "scale<double>(double *, const double *, int)",
      "scale<double>(double *, int, double)", "scale<float>(float *, const float *, int)",
    }, "; "), sorted(m:kernels()))
    local n, f = math.random(3, 20), math.random(2, 9)
    local x, y = dc.arange(1, n, "float64"), dc.zeros(n, "float64")
    m:kernel "scale<double>(double *, const double *, int)"(1, 32, y, x, n)
    m:kernel "scale<double>(double *, int, double)"(1, 32, y, n, f)
    for i = 1, n do assert.equal(2 * f * x[i], y[i]) end
    local a = dc.zeros(1, "float32")
    m:kernel "ns::put<3, ns::pair>(float *, ns::pair)"(1, 1, a, { a = n, b = 0 })
    assert.equal(n + 3, a[1])
  end)

  it("keeps the plain name where only one template has it", function()
    local m = helper.with_file([[
template <typename T> __global__ void once(T *x, T v) { *x = v; }
int main() { float *a; once<<<1, 1>>>(a, 2.f); }
]], dc.module_file)
    assert.same({ "once<float>" }, m:kernels())
  end)

  it("can be asked for by name, with the types as the source may write them", function()
    local n = math.random(2, 30)
    local x = dc.ones(n, "int32")
    dc.kernel(templates, { name = "scale<int>(int*,int,int)" })(1, 32, x, n, 7)
    assert.equal(7 * n, x:sum():item())
    local function asked(name) return function() return dc.module(templates):kernel(name) end end
    helper.fails("compile", "cannot determine which instance", asked "scale<int>")
    helper.fails("compile", "names no instance", asked "scale<int>(int *)")
    helper.fails("compile", "names no instance", asked "scale<int>(")
  end)
end)

describe("a template whose argument is an instance of a function's template", function()
  it("has the instances that host code launches", function()
    local m = helper.with_file([[
#include <cstdio>
template <class T> using row = void (*)(const void *x, T *y, int i);
template <class T> __device__ void once(const void *x, T *y, int i) { y[i] = ((const float *)x)[i]; }
template <class T> static __device__ void twice(const void *x, T *y, int i) { y[i] = 2 * ((const float *)x)[i]; }
namespace ns {
template <class T> __device__ void thrice(const void *x, T *y, int i) { y[i] = 3 * ((const float *)x)[i]; }
}
template <class T, row<T> f> __global__ void rows(const void *x, T *y) { f(x, y, threadIdx.x); }
template <int N, class T, row<T> f> void go(const void *x, T *y) { rows<T, f><<<1, N>>>(x, y); }
template <class T> void all(int times, const void *x, T *y) {
  if (times == 1) go<32, T, once<T>>(x, y); else if (times == 2) go<64, T, twice<T>>(x, y);
  else go<32, T, ns::thrice<T>>(x, y);
}
int main(int n, char **v) { float x, y; double d; all(n, &x, &y); all(n, &x, &d); }
]], dc.module_file)
    local names = {}
    for _, t in ipairs { "double", "float" } do
      for _, f in ipairs { "ns::thrice", "once", "twice" } do
        names[#names + 1] = ("rows<%s, &%s<%s>>"):format(t, f, t)
      end
    end
    assert.equal(table.concat(names, "; "), sorted(m:kernels()))
    local n = math.random(3, 30)
    local x, y = dc.arange(1, n, "float32"), dc.zeros(n, "float64")
    m:kernel "rows<double, &ns::thrice<double>>"(1, n, x, y)
    assert.equal(3 * n, y[n])
  end)
end)
