-- Sources that nvcc takes: names that need no #include, features of older toolkits, and whole files with host code.
-- References are plain Lua.
local dc = require "dotcompute"
local helper = require "spec.helper"
local with_file = helper.with_file

local function run(source, block, dtype, n, ...)
  local out = dc.zeros({ n }, dtype)
  dc.kernel(source)(1, block, out, ...)
  return out:to_table()
end

describe("names", function()
  it("of types and limits need no header", function()
    helper.same({ 2 ^ 31 - 1, 2 ^ 32 - 1, 255, 65535, 2 ^ 63, 8, 2, 4 }, run([[
__global__ void k(double *out) {
  uint a = UINT_MAX; ushort b = 65535; uint8_t c = UINT8_MAX; int64_t d = LLONG_MAX; ssize_t e = CHAR_BIT;
  out[0] = INT_MAX; out[1] = a; out[2] = c; out[3] = b; out[4] = (double)d; out[5] = e;
  out[6] = std::min(2, 7) + FLT_MIN * 0; half h = __float2half(4.0f); out[7] = __half2float(h);
}]], 1, "float64", 8))
  end)

  it("of the math library take integers and mixed types", function()
    local want = { 49, 3, 2, 8, math.sqrt(7), math.atan(7, 0.5), 1.5, 7, 7.5, 3, 7 }
    local got = run([[
__global__ void k(double *out, int n, unsigned u, float f) {
  using namespace std;
  out[0] = pow(n, 2); out[1] = fmin(n, 3.0f); out[2] = fmin(2.0, f); out[3] = pow(2, 3.0f); out[4] = sqrt(n);
  out[5] = atan2(n, 0.5); out[6] = fmod(f, 2.0); out[7] = max(n, 3.0f); out[8] = max(u, 7.5); out[9] = min(3ul, u);
  out[10] = abs(u) + std::pow(f, 0) - 1;
}]], 1, "float64", #want, 7, 7, 3.5)
    for i, v in ipairs(want) do assert(math.abs(got[i] - v) < 1e-12, helper.note(i .. ": " .. got[i])) end
  end)

  it("of vectors' operators and functions come with helper_math.h, or without it", function()
    local body = [[
__global__ void k(float *out) {
  float3 a = make_float3(1, 2, 3), b = make_float3(4, -5, 6);
  float3 c = cross(a, b) * 2.0f - a / b + lerp(a, b, 0.5f);
  c += clamp(b, 0.0f, 5.0f);
  out[0] = c.x; out[1] = c.y; out[2] = c.z; out[3] = dot(a, b); out[4] = length(normalize(b));
  int2 i = make_int2(3, 4) * 2 + make_int2(1); float4 w = make_float4(a, 1.0f) * -make_float4(2.0f);
  out[5] = i.x + i.y; out[6] = w.z; out[7] = fracf(2.75f);
}]]
    local a, b, want = { 1, 2, 3 }, { 4, -5, 6 }, {}
    for i = 1, 3 do
      local j, k = i % 3 + 1, (i + 1) % 3 + 1
      local clamped = math.max(0, math.min(5, b[i]))
      want[i] = 2 * (a[j] * b[k] - a[k] * b[j]) - a[i] / b[i] + (a[i] + b[i]) / 2 + clamped
    end
    table.move({ 12, 1, 16, -6, 0.75 }, 1, 5, 4, want)
    for _, line in ipairs { '#include <helper_math.h>\n', '#include "../common/cutil_math.h"\n', "" } do
      local got = run(line .. body, 1, "float32", 8)
      for i, v in ipairs(want) do assert(math.abs(got[i] - v) < 1e-4, helper.note(i .. ": " .. got[i])) end
    end
  end)

  it("that no known header declares are named in the error", function()
    helper.fails("compile", 'identifier "wibble" is undefined', function()
      dc.kernel "__global__ void k(uint *out) { out[0] = wibble(3); }"
    end)
    helper.fails("compile", 'cannot open source file "wibble.h"', function()
      dc.kernel "#include \"wibble.h\"\n__global__ void k(uint *out) { out[0] = 3; }"
    end)
  end)
end)

describe("features of older toolkits:", function()
  it("shuffles and votes without a mask work among active threads", function()
    local got = run([[
__global__ void k(int *out) {
  int t = threadIdx.x, sum = t;
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor(sum, o);
  out[t] = sum;
  if (t % 2) {
    out[32 + t] = __shfl(t * 10, 5) + __any(t == 2) + 2 * __all(t & 1);
    out[64 + t] = __popc(__ballot(t > 8));
  } else {
    out[32 + t] = __shfl_down(t, 2, 8);
    out[64 + t] = __shfl_up(t, 2, 8);
  }
}]], 32, "int32", 96)
    for t = 0, 31 do
      assert.equal(496, got[t + 1])
      local odd = t % 2 == 1
      assert.equal(odd and 52 or (t % 8 < 6 and t + 2 or t), got[33 + t])
      assert.equal(odd and 12 or (t % 8 >= 2 and t - 2 or t), got[65 + t])
    end
  end)

  it("register, CUB's functors and annotated lambdas compile", function()
    helper.same({ 127, 3, 8 }, run([[
#include <cub/cub.cuh>
__global__ void k(int *out) {
  register int t = threadIdx.x;
  typedef cub::BlockReduce<int, 128> reduce;
  __shared__ typename reduce::TempStorage s;
  int most = reduce(s).Reduce(t, cub::Max());
  auto twice = [=] __device__ (int x) { return x * 2; };
  if (t == 0) { out[0] = most; out[1] = cub::Sum()(1, 2); out[2] = twice(4); }
}]], 128, "int32", 3))
  end)
end)

-- --- whole files ---------------------------------------------------------------------------------------------------

local program = [[
//////////////////////////////////////////////////////////////
// a program /* as there are many
//****************************************************************
#include <cuda_runtime.h>
#include <helper_cuda.h>
#include <stdio.h>
#include <sys/time.h>
#include <chrono>
#include <iostream>
#include <fstream>
#include <vector>
#include <string>
#include <thrust/device_vector.h>
using namespace std;
#if 0
This isn't code { ( "
#else
#define HD __host__ __device__ inline
#define CHECK(x) do { if ((x) != cudaSuccess) { printf("no: %s\n", cudaGetErrorString(x)); exit(1); } } while (0)
#endif
typedef struct { int n; float3 at; } params;
struct Point {
  float x, y;
  Point() : x(0), y{0} {}
  __host__ __device__ Point(float a, float b) : x(a), y(b) {}
  friend std::ostream &operator<<(std::ostream &o, const Point &p) { return o << p.x << ' ' << p.y; }
};
static double now() { struct timeval t; gettimeofday(&t, NULL); return t.tv_sec + 1e-6 * t.tv_usec; }
struct Timer {
  cudaEvent_t a, b;
  Timer() { cudaEventCreate(&a); }
  float stop() { float ms; cudaEventElapsedTime(&ms, a, b); return ms; }
};
class Matrix {
public:
  int rows, cols;
  float *data;
  Matrix(int r, int c) : rows(r), cols(c) { cudaMalloc(&data, r * c * sizeof(float)); }
  __host__ __device__ float &at(int r, int c) const { return data[r * cols + c]; }
  void read(const std::string &file) { std::ifstream in(file); in >> rows; }
};
HD float square(float x) { return Point(x, 0).x * x; }
template <typename T> void fill_up(std::vector<T> &v) { for (auto &x : v) x = T(rand() % 10); }
float *h_a, *h_b;
FILE *log_file = NULL;
std::vector<int> all;
__constant__ float weights[4] = {1, 2, 3, 4};
__host__ void usage(const char *name) { fprintf(stderr, "%s FILE\n", name); }
__global__ void norms(const float3 *v, float *out, params q, Matrix m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < q.n) out[i] = square(v[i].x - q.at.x) + m.at(0, i) * weights[1];
}
template <class T> __global__ void scale(T *x, T f) { x[threadIdx.x] *= f; }
extern "C" {
void run_scale(float *x) { scale<float><<<1, 4>>>(x, 2.0f); CHECK(cudaGetLastError()); }
}
void show(const thrust::device_vector<float> &v);
int main(int argc, char *argv[]) {
  vector<float> h(10);
  fill_up(h);
  Timer t;
  auto start = std::chrono::steady_clock::now();
  norms<<<1, 32>>>((float3 *)h_a, h_b, params(), Matrix(1, 2));
  checkCudaErrors(cudaDeviceSynchronize());
  cout << now() << endl;
  return 0;
}
]]

describe("a whole file", function()
  it("gives its kernels, whatever its host code does", function()
    local m = with_file(program, dc.module_file)
    assert.equal("norms(const float3 *v, float *out, params q, Matrix m)", m.norms.signature)
    assert.equal(2, m:global "weights"[2])
    local v, out = dc.array({ 1, 0, 0, 5, 0, 0 }), dc.zeros(2)
    m.norms(1, 32, v, out, { n = 2, at = { 2, 0, 0 } }, { rows = 1, cols = 2, data = dc.array { 10, 20 } })
    helper.same({ 21, 49 }, out:to_table())
    m:kernel("scale", "float32")(1, 2, out, 2)
    helper.same({ 42, 98 }, out:to_table())
  end)

  it("finds headers beside it, and leaves out their host code", function()
    local header = helper.temporary([[
#pragma once
#include <random>
#include <vector>
struct Item { int key; float value; };
template <class T> void reference(const std::vector<T> &in, std::vector<T> &out) { out[0] = in[0] * 2; }
static void check(float *a, int n) {
  std::mt19937 gen(1);
  for (int i = 0; i < n; i++) if (fabs(a[i] - gen()) > 1e-3) fprintf(stderr, "bad\n");
}
__device__ __forceinline__ float weigh(const Item &it) { return it.key * it.value; }
]])
    local k = with_file(([[
#include <cstdio>
#include "%s"
__global__ void weigh_all(const Item *in, float *out) { out[threadIdx.x] = weigh(in[threadIdx.x]); }
int main() { check(nullptr, 0); weigh_all<<<1, 1>>>(nullptr, nullptr); }
]]):format(header:match "[^/]+$"), dc.kernel_file)
    os.remove(header)
    local out = dc.zeros(2)
    k(1, 2, dc.from_bytes(string.pack("<i4fi4f", 2, 1.5, 3, 4), { 16 }, "uint8"), out)
    helper.same({ 3, 12 }, out:to_table())
  end)

  it("keeps its kernels; those that launch kernels are errors when they are used, on a GPU", function()
    local text = [[
#include <cstdio>
#include <cuda_runtime.h>
namespace ns {
__global__ void parent(int *x, int n);
template<class T> __global__ void tree(T *x, int depth) {
  x[0] += depth;
  if (depth > 0)
    tree<T><<<1, 1>>>(x, depth - 1);
}
}
__global__ void child(int *x) { x[threadIdx.x] += 1; }
namespace ns { __global__ void __launch_bounds__(32) parent(int *x, int n) { child<<<1, n>>>(x); } }
int main() {
  int *x;
  cudaMalloc(&x, 4);
  ns::parent<<<1, 1>>>(x, 32);
  ns::tree<int><<<1, 1>>>(x, 3);
  printf("%d\n", (int)cudaDeviceSynchronize());
}
]]
    local name = os.tmpname()
    local function write(s) helper.write(name, s) end
    write(text)
    if dc.device().backend == "cpu" then
      local m, x = dc.module_file(name), dc.zeros(32, "int32")
      local names = m:kernels()
      table.sort(names)
      assert.same({ "child", "ns::parent", "ns::tree<int>" }, names)
      m:kernel "ns::parent"(1, 1, x, 8)
      m:kernel "ns::tree<int>"(1, 1, x, 3)
      helper.same({ 7, 1, 1, 1, 1, 1, 1, 1, 0 }, x[{ { 1, 9 } }]:to_table())
      os.remove(name)
      return
    end
    for _ = 1, 2 do -- from the compiler and from the cache
      local m = dc.module_file(name)
      assert.same({ "child" }, m:kernels())
      local x = dc.zeros(4, "int32")
      m.child(1, 4, x)
      helper.same({ 1, 1, 1, 1 }, x:to_table())
      for kernel, line in pairs { ["ns::parent"] = 12, ["ns::tree<int>"] = 8, ["ns::tree<float>"] = 8 } do
        local err = helper.fails("compile", "launches kernels itself", function() return m:kernel(kernel) end)
        assert.is_truthy(err.message:find(name .. ":" .. line, 1, true) or err.at == name .. ":" .. line, tostring(err))
      end
      helper.fails("argument", "no kernel 'ns::other'", function() return m:kernel "ns::other" end)
      helper.fails("argument", "has 3 kernels", function() return dc.kernel_file(name) end)
    end
    helper.fails("compile", "launch", function() dc.module(text) end) -- in a script it is an error at once
    write(text:gsub("threadIdx", "threadIdy")) -- and so is any other one
    helper.fails("compile", "threadIdy", function() dc.module_file(name) end)
    write(text:gsub("template<class T> __global__ void tree", "template<class T> __device__ void tree") ..
      "__global__ void uses(int *x) { ns::tree(x, 1); }")
    local m = dc.module_file(name)
    helper.fails("compile", "launches kernels itself", function() return m.uses end)
    os.remove(name)
  end)

  it("does without a missing header, unless its kernels need it", function()
    local text = '#include "../common/wibble.h"\n' .. program
    assert.equal(1, #with_file(text, dc.module_file):kernels() - 1)
    with_file(text:gsub("weights%[1%]", "WIBBLE"), function(path)
      local err = helper.fails("compile", 'cannot open source file "../common/wibble.h"', function()
        dc.module_file(path)
      end)
      assert(tostring(err):find 'need it %(without it: %C*error: identifier "WIBBLE" is undefined%)', tostring(err))
    end)
  end)

  it("may include headers that include each other through parent folders", function()
    local folder, sum, includes = helper.folder(), 0, ""
    for i = 1, 9 do includes = includes .. ('#include "../f%d/part%d.h"\n'):format(i % 3, i) end
    for i = 0, 2 do assert(os.execute("mkdir " .. helper.quote(folder .. "/f" .. i))) end
    for i = 1, 9 do
      local value = math.random(1000)
      sum = sum + value
      helper.write(("%s/f%d/part%d.h"):format(folder, i % 3, i), "#pragma once\n", includes,
        ("#define PART%d %d\n"):format(i, value))
    end
    helper.write(folder .. "/f0/sum.cu", includes,
      "__global__ void sum(int *x) { *x = PART1 + PART2 + PART3 + PART4 + PART5 + PART6 + PART7 + PART8 + PART9; }\n")
    local x = dc.zeros(1, "int32")
    dc.kernel_file(folder .. "/f0/sum.cu")(1, 1, x)
    assert.equal(sum, x[1])
    os.execute("rm -r " .. helper.quote(folder))
  end)

  it("reports errors of kernels with their lines, not those of host code", function()
    local text = program:gsub("weights%[1%]", "wights[1]")
    local _, line = text:sub(1, text:find "wights"):gsub("\n", "")
    with_file(text, function(path)
      helper.fails("compile", ':?%f[%d]' .. line + 1 .. '[^\n]*identifier "wights" is undefined', function()
        dc.kernel_file(path)
      end)
    end)
  end)

  it("leaves out a kernel that does not compile, and what uses a function that does not, with the reasons", function()
    local n = math.random(100)
    local text = [[
#include <cstdio>
__device__ int lacking(int n) { return n + host_only(n); }
__device__ int through(int n) { return 2 * lacking(n); }
template <class T> __global__ void other(T *x) { *x = 1; }
__global__ void uses(int *x) { *x = through(*x); }
__global__ void good(int *x) { *x += ]] .. n .. [[; }
__global__ void bad(int *x) { *x = std::chrono::now(); }
int main() { int *x; cudaMalloc(&x, 4); good<<<1, 1>>>(x); uses<<<1, 1>>>(x); }
]]
    for _ = 1, 2 do -- from the compiler and from the cache
      local m = with_file(text, dc.module_file)
      local x = dc.array({ 5 }, "int32")
      m.good(1, 1, x)
      assert.equal(5 + n, x[1])
      assert.same({ "good" }, m:kernels())
      local reasons = {}
      for _, one in ipairs(m:left_out()) do reasons[one.name] = one.line .. ": " .. one.reason end
      assert.equal('2: does not compile: identifier "host_only" is undefined', reasons.uses)
      assert(reasons.bad:find "^7: does not compile: ", reasons.bad)
      assert.equal('4: is a template of which no instance is known: m:kernel "other<float>" makes one', reasons.other)
      local err = helper.fails("compile", "does not compile: identifier", function() return m.uses end)
      assert(tostring(err):find(":2)", 1, true), tostring(err))
      m:kernel "other<int>"(1, 1, x)
      assert.equal(1, x[1])
    end
    assert.same({}, dc.module("__global__ void k(int *p) { *p = 1; }"):left_out())
  end)

  it("with an invalid function outside of kernels is an error", function()
    helper.fails("compile", 'identifier "wibble" is undefined', function()
      dc.kernel [[
float twice(float x) { return wibble * x; }
__global__ void k(float *x) { *x = twice(*x); }]]
    end)
  end)

  it("with a kernel that extern \"C\" names reports its errors too", function()
    helper.fails("compile", 'line 2 of the source: error: identifier "wibble" is undefined', function()
      dc.kernel 'extern "C" __global__ void k(float *x) {\n  x[0] = wibble(3);\n}\n'
    end)
  end)
end)
