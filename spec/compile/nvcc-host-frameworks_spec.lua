-- Files for nvcc whose host code needs a library that is not there: its types in heads of functions, its macros as
-- heads of tests.  What the bodies launch is found all the same.  (NVRTC 13.0 copies memory that it has freed, as in
-- nvcc-overloads_spec.lua.)
local dc = require "dotcompute"
local helper = require "spec.helper"
local sorted = helper.sorted

local function module_of(text)
  return helper.with_file(text, function(path) return dc.module { file = path } end)
end

describe("a function of the host with types of a library that is not there", function()
  it("shows what it launches, by parameters, results and structs", function()
    local n = math.random(3, 9)
    local m = module_of(([[
#include <lib/tensor.h>
#include <tuple>
template <int N, class T> __global__ void put(T *x) { *x = N; }
struct pair { const lib::tensor &a, &b; cudaStream_t stream; };
template <int N> void launch(const pair &p, lib::tensor &out) {
  auto kernel = put<N, float>;
  kernel<<<1, 1, 0, p.stream>>>(out.data_ptr<float>());
}
std::tuple<lib::tensor, lib::tensor> both(lib::tensor a, const lib::list<lib::tensor> &list) {
  const pair given{a, list[0], lib::cuda::stream()};
  const int some = a.numel() > 0 ? 1 : 0;
  auto out = lib::zeros({3}, a.options());
  if (some) launch<NUMBER>(given, out); else launch<2>(given, out);
  lib::cuda::synchronize();
  return {out, a};
}
LIB_REGISTER(part, l) { l.add("both", lib::kDevice, &both); }
]]):gsub("NUMBER", n))
    assert.equal(("put<2, float>; put<%d, float>"):format(n), sorted(m:kernels()))
    local x = dc.zeros(1, "float32")
    m:kernel(("put<%d, float>"):format(n))(1, 1, x)
    assert.same({ n + 0.0 }, x:to_table())
  end)

  it("takes anything in place of a parameter that cannot be declared", function()
    local m = module_of [[
template <int N, class T> __global__ void put(T *x) { *x = N; }
static void go(float *x, const holder<int, 3> &h, double *y) { put<5><<<1, 1>>>(x); put<6><<<h.n, 1>>>(y); }
void all(float *x, double *y) { go(x, make_holder(3), y); }
]]
    assert.equal("put<5, float>; put<6, double>", sorted(m:kernels()))
  end)

  it("leaves std to the compiler's headers", function()
    local m = helper.with_header([[
#pragma once
#include <cstdint>
#include <ostream>
inline lib::wide open(const std::basic_ostream<char> &out, std::uint32_t n) { return lib::open(out, n); }
class sink : public std::ostream { std::int64_t at; };
]], [[
template <class T> __global__ void k(T *x) { *x = 1; }
void go(std::uint32_t *x, std::int64_t *y) { k<<<1, 1>>>(x); k<<<1, 1>>>(y); }
]], function(path) return dc.module { file = path } end)
    assert.equal("k<long>; k<unsigned int>", sorted(m:kernels()))
  end)

  it("has its own namespaces still, where a header of the file has errors first", function()
    local m = helper.with_header([[
#pragma once
namespace own {
struct part { float v; };
inline lib::handle open(lib::mode m) { return lib::open(m); }
template <class P> struct pool { lib::allocator<P> all; P *get(); };
}
]], [[
using namespace own;
template <class T> __global__ void k(T *x) { x->v = 7; }
void go(pool<part> &p) { k<<<1, 1>>>(p.get()); }
]], function(path) return dc.module { file = path } end)
    assert.equal("k<own::part>", sorted(m:kernels()))
  end)
end)

describe("tests of the host whose framework is not there", function()
  it("show what they launch, with the members of their class", function()
    local m = module_of [[
#include <gtest/gtest.h>
#include <thrust/device_vector.h>
#include <vector>
template <class T, int N> __global__ void put(T *x, T v) { for (int i = 0; i < N; i++) x[i] = v; }
template <class T> __global__ void one(T *x) { *x = 1; }
class fixture : public ::testing::TestWithParam<
                  std::tuple<size_t, int>> {
 protected:
  fixture() { std::tie(a, b) = GetParam(); }
  void SetUp() override { v.resize(10); }
  size_t a; int b;
  std::vector<short> v;
};
TEST(Suite, Put) {
  thrust::device_vector<float> x(4);
  put<float, 4><<<1, 1>>>(x.data().get(), 3.f);
  ASSERT_EQ(x[0], 3.f) << "no";
}
TEST_P(fixture,
       Deduced) {
  std::vector<double> h{1, 2, 3};
  put<double, 3><<<1, a>>>(h.data(), h[0]);
  for (size_t i = 0; i < a; i++) { EXPECT_NEAR(h[i], v[i], 1e-3); }
  one<<<1, 1>>>(v.data());
}
INSTANTIATE_TEST_SUITE_P(All, fixture, testing::Combine(testing::Values(1, 2), testing::Values(3)));
]]
    assert.equal("one<short>; put<double, 3>; put<float, 4>", sorted(m:kernels()))
    local x, v = dc.zeros(5, "float64"), math.random(100)
    m:kernel "put<double, 3>"(1, 1, x, v)
    assert.same({ v + 0.0, v + 0.0, v + 0.0, 0.0, 0.0 }, x:to_table())
  end)

  it("may have text for names, sections and benchmarks", function()
    local m = module_of [[
template <class T> __global__ void k(T *x) { *x = 1; }
TEST_CASE("one", "[tag]") {
  SECTION("a") { k<<<1, 1>>>((float *)0); }
}
TEST_CASE("two") { SUBCASE("b") {
  k<<<1, 1>>>((int *)0);
} }
BOOST_AUTO_TEST_CASE(three) { k<<<1, 1>>>((double *)0); }
static void BM_k(benchmark::State &state) {
  for (auto _ : state) { k<<<1, 1>>>((short *)0); state.SetItemsProcessed(3); }
}
BENCHMARK(BM_k)->Arg(1);
]]
    assert.equal("k<double>; k<float>; k<int>; k<short>", sorted(m:kernels()))
  end)

  it("are functions of the file's own where it defines the macro", function()
    local m = module_of [[
#define CASE(type, name) void name(type *x)
template <class T> __global__ void k(T *x) { *x = 1; }
CASE(float, first) { lost::call(); k<<<1, 1>>>(x); }
]]
    assert.equal("k<float>", sorted(m:kernels()))
  end)

  it("are told of where they do not show an instance", function()
    local ok, e = pcall(module_of, [[
template <class T> __global__ void k(T *x) { *x = 1; }
TYPED_TEST(Suite, Each) { TypeParam v; k<<<1, 1>>>(&v); }
]])
    assert.is_false(ok)
    assert.matches("k, and the instances that it launches cannot be told", e.message, 1, true)
  end)
end)

describe("a kernel in a header's namespace without a name", function()
  it("has its own name, and is compiled once", function()
    local m = helper.with_header("namespace { __global__ void hidden(int *x, int n) { *x = n; } }\n", [[
template <class T> __global__ void k(T *x) { *x = 1; }
void go(float *x, int *y) { k<<<1, 1>>>(x); hidden<<<1, 1>>>(y, 3); }
]], function(path) return dc.module { file = path } end)
    assert.equal("hidden; k<float>", sorted(m:kernels()))
    local x, n = dc.zeros(1, "int32"), math.random(1000)
    m.hidden(1, 1, x, n)
    assert.same({ n }, x:to_table())
  end)
end)
