-- Templates of kernels with the same name and other parameters: the name of an instance says which by their types.
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
template <int N, class P> static __global__ void put(double *x, const P *p) { *x = N * p->b; }
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
  ns::put<4><<<1, 1>>>(d, (const ns::pair *)q);
  ns::put<ns::mode::mul><<<1, 1>>>(i);
}
]], dc.module_file)
    assert.equal(table.concat({
      "ns::put<(ns::mode)1>", "ns::put<3, ns::pair>(float *, ns::pair)",
      "ns::put<4, ns::pair>(double *, const ns::pair *)", "scale<double>(double *, const double *, int)",
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
