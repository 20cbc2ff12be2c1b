-- Headers that files for nvcc share between kernels and host code: classes of the host's library, functions of the host
-- among those of the device, and conditionals of the preprocessor that open brackets.
local dc = require "dotcompute"
local helper = require "spec.helper"
local sorted = helper.sorted

-- The module of a file that includes the header.
local function module_of(header, text)
  return helper.with_header(header, text, function(path) return dc.module { file = path } end)
end

local function write(folder, name, text) return helper.write(folder .. "/" .. name, text) end

describe("a header with classes of the host's library", function()
  -- what g++ gives for each on x86-64 and AArch64
  local sizes = { ["std::vector<int>"] = 24, ["std::vector<bool>"] = 40, ["std::string"] = 32,
    ["std::map<int, float>"] = 48, ["std::unordered_map<int, std::vector<int>>"] = 56, ["std::set<int>"] = 48,
    ["std::list<int>"] = 24, ["std::deque<int>"] = 80, ["std::function<void(int, float *)>"] = 32,
    ["std::unique_ptr<float[]>"] = 8, ["std::shared_ptr<float>"] = 16, ["std::mutex"] = 40, ["std::thread"] = 8,
    ["std::runtime_error"] = 16, ["std::exception"] = 8 }

  it("gives structs the host's layout", function()
    local fields, out, expected = {}, {}, {}
    for name, size in pairs(sizes) do
      local n = #fields + 1
      fields[n] = ("  %s f%d;\n  char c%d;\n"):format(name, n, n)
      out[n] = ("  out[%d] = sizeof(%s);"):format(n - 1, name)
      expected[n] = size
    end
    local n = #fields
    out[n + 1] = ("  out[%d] = sizeof(everything);"):format(n)
    expected[n + 1] = 0
    for i = 1, n do expected[n + 1] = expected[n + 1] + expected[i] + 8 end
    local m = module_of("#include <vector>\n#include <mutex>\nstruct everything {\n" .. table.concat(fields) .. "};\n"
      .. "inline size_t length(const std::vector<int> &v) { return v.size(); }\n", [[
__global__ void measure(long *out) {
]] .. table.concat(out, "\n") .. [[

}
int main() { std::vector<int> v(3); measure<<<1, 1>>>((long *)length(v)); }
]])
    local x = dc.zeros(n + 1, "int64")
    m.measure(1, 1, x)
    assert.same(expected, x:to_table())
  end)

  it("lets classes derive from exceptions and use what it defines for the host alone", function()
    local m = module_of([[
#include <stdexcept>
#include <string>
#include <functional>
class failure : public std::runtime_error {
 public:
  explicit failure(const std::string &text) : std::runtime_error(text) {}
  const char *what() const noexcept override { return "failure"; }
};
class log {
  static std::string prefix;
 public:
  class sink { public: void put(const std::string &s) { text_ += s.c_str(); } private: std::string text_; };
  static void write(const char *s) { throw failure(prefix + s); }
  static void warn(const char *s) { write(s); }
};
struct options { std::function<int(int)> changed; int factor; };
]], [[
__global__ void scale(float *p, int n, int by) { for (int i = 0; i < n; i++) p[i] *= by; }
void run(float *p, int n, const options &o) { if (n < 0) log::warn("n"); scale<<<1, 1>>>(p, n, o.factor); }
]])
    local x, by = dc.array({ 1, 2, 3 }, "float32"), math.random(2, 9)
    m.scale(1, 1, x, 3, by)
    helper.same({ by, 2 * by, 3 * by }, x:to_table())
  end)

  it("shows the instances that functions with local classes in containers launch", function()
    local m = module_of([[
#include <mutex>
#include <unordered_map>
static bool known(int device) {
  struct key { int device; bool operator==(const key &o) const { return device == o.device; } };
  static std::mutex guard;
  static std::unordered_map<key, bool> seen;
  std::lock_guard<std::mutex> lock(guard);
  auto it = seen.find(key{device});
  if (it != seen.end()) return it->second;
  seen.emplace(key{device}, true);
  return false;
}
]], [[
template <class T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v; }
template <class T> void start(T *p) { if (known(0)) fill<<<1, 4>>>(p, T(1)); }
int main() { start((float *)0); start((long *)0); }
]])
    assert.equal("fill<float>; fill<long>", sorted(m:kernels()))
  end)
end)

describe("a function for the host and the device", function()
  local header = [[
#include <cstdio>
#include <cstdlib>
inline void check(cudaError_t e, const char *file) {
  if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", file, cudaGetErrorString(e)); exit(1); }
}
struct buffer {
  int *data;
  __host__ __device__ buffer(int *p) : data(p) {}
  __host__ __device__ int first(int i) {
    if (i < 0) check(cudaErrorInvalidValue, __FILE__);
    return data[i < 0 ? 0 : i];
  }
};
]]
  local text = [[
__global__ void read(int *p, int i, int *out) { buffer b(p); *out = b.first(i); }
int main() { read<<<1, 1>>>(nullptr, 0, nullptr); }
]]

  it("may call functions of the host where the device does not come", function()
    local x, out = dc.array({ 7, 8, 9 }, "int32"), dc.zeros(1, "int32")
    local m = module_of(header, text)
    local i = math.random(0, 2)
    m.read(1, 1, x, i, out)
    assert.equal(7 + i, out[1])
  end)

  it("stops a device that does", function()
    if not dc.device().host_memory then return end -- a trap ends CUDA for the process
    local x, out = dc.array({ 7, 8, 9 }, "int32"), dc.zeros(1, "int32")
    local m = module_of(header, text)
    helper.fails("launch", "trap", function()
      m.read(1, 1, x, -1, out)
      return out[1]
    end)
  end)

  it("is not mended where the name is no function of the host's", function()
    helper.fails("compile", '"chekc" is undefined', function()
      module_of(header:gsub("check%(cudaErrorI", "chekc(cudaErrorI"), text)
    end)
  end)
end)

describe("kernels that call the runtime", function()
  it("have memory of the device's heap", function()
    local m = module_of("", [[
#include <cuda_runtime.h>
__global__ void copy(const int *p, int *out, int n) {
  int *q;
  if (cudaMalloc(&q, n * sizeof(int)) != cudaSuccess) return;
  cudaMemsetAsync(q, 0, n * sizeof(int), 0);
  cudaMemcpyAsync(q, p, (n - 1) * sizeof(int), cudaMemcpyDeviceToDevice);
  for (int i = 0; i < n; i++) out[i] = q[i];
  cudaFree(q);
}
int main() { int *p; cudaMalloc(&p, 4); copy<<<1, 1>>>(p, p, 1); cudaFree(p); }
]])
    local values = {}
    for i = 1, 9 do values[i] = math.random(99) end
    local out = dc.zeros(9, "int32")
    m.copy(1, 1, dc.array(values, "int32"), out, 9)
    values[9] = 0
    assert.same(values, out:to_table())
  end)
end)

describe("a header with functions of the host", function()
  it("may include what stands beside it", function()
    helper.with_folder(function(folder)
      helper.shell("mkdir -p " .. helper.quote(folder .. "/include/parts"))
      write(folder, "include/parts/first.h", [[
#pragma once
#include <stdexcept>
#include "second.h"
inline void check(const options &o) { if (o.by < 0) throw std::invalid_argument("by"); }
]])
      write(folder, "include/parts/second.h", "#pragma once\nstruct options { int by; };\n")
      local m = dc.module { include = folder .. "/include", file = write(folder, "main.cu", [[
#include <parts/first.h>
__global__ void scale(int *x, options o) { x[threadIdx.x] *= o.by; }
int main() { options o = { 3 }; check(o); scale<<<1, 1>>>(nullptr, o); }
]]) }
      local x, by = dc.array({ 1, 2, 3 }, "int32"), math.random(-9, 9)
      m.scale(1, 3, x, { by = by })
      helper.same({ by, 2 * by, 3 * by }, x:to_table())
    end)
  end)
end)

describe("a header with prototypes of kernel templates", function()
  it("may have an overload that the file does not define", function()
    local m = module_of([[
#pragma once
namespace math {
template <class T, int n> __global__ void scale(int size, T *x, T by, int unused);
template <class T, int n> __global__ void shift(T *x, T by);
template <class T, int n> void run(T *x, T by);
}
]], [[
namespace math {
template <class T, int n> __global__ void scale(int size, T *x, T by) {
  if (threadIdx.x < size) x[threadIdx.x] *= n * by;
}
template <class T, int n> __global__ void shift(T *x, T by) { x[threadIdx.x] += n * by; }
template <class T, int n> void run(T *x, T by) {
  scale<T, n><<<1, 32>>>(3, x, by);
  shift<T, n><<<1, 3>>>(x, by);
}
template void run<float, 2>(float *, float);
template void run<int, 5>(int *, int);
}
]])
    assert.equal("math::scale<float, 2>; math::scale<int, 5>; math::shift<float, 2>; math::shift<int, 5>",
      sorted(m:kernels()))
    local x, by = dc.array({ 1, 2, 3 }, "int32"), math.random(-9, 9)
    m:kernel "math::scale<int, 5>"(1, 32, 3, x, by)
    helper.same({ 5 * by, 10 * by, 15 * by }, x:to_table())
  end)
end)

describe("conditionals of the preprocessor", function()
  it("may open brackets in each branch", function()
    local m = module_of([[
#include <string>
inline void check(
#ifdef __HIP__
    const hipError_t error, std::string file) {
  if (error != hipSuccess) {
    if (1) printf("%s", file.c_str());
#elif defined(OTHER)
    int error, std::string file) {
  if (error) {
#else
    cudaError error, std::string file) {
  if (error != cudaSuccess) {
    printf("%s", file.c_str());
#endif
    exit(1);
  }
}
inline __device__ int twice(int i) { return 2 * i; }
]], [[
__global__ void doubled(int *p) { p[threadIdx.x] = twice(p[threadIdx.x]); }
int main() { doubled<<<1, 2>>>(nullptr); }
]])
    local x = dc.array({ 3, 4 }, "int32")
    m.doubled(1, 2, x)
    assert.same({ 6, 8 }, x:to_table())
  end)

  it("may be thousands deep, or have no beginning", function()
    local n = 3000
    local deep = ("#ifdef A\n{\n#else\n"):rep(n) .. ("#endif\n"):rep(n)
    helper.with_file(deep .. "__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 1>>>(0); }\n",
      function(name)
        local ok, m = pcall(dc.module, { file = name })
        assert(ok and m:kernels()[1] == "k" or m.kind == "compile")
      end)
    helper.with_file("#else\n#endif\n__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 1>>>(0); }\n",
      function(name)
        helper.fails("compile", "#else", function() dc.module { file = name } end)
      end)
  end)

  it("that leave out kernels of a file that has others are named", function()
    local m = helper.with_file([[
#define NAMED(x) x##_kernel
__global__ void kept(int *p) { *p = 1; }
__global__ void NAMED(made)(int *p) { *p = 2; }
#ifdef STANDALONE
__global__ static void extra(int *p) { *p = 3; }
#endif
int main() { kept<<<1, 1>>>(nullptr); }
]], dc.module_file)
    local list = m:left_out()
    assert.equal(1, #list)
    assert.equal("extra", list[1].name)
    assert.equal(5, list[1].line)
    assert(list[1].reason:find("left out by #if", 1, true))
  end)
end)

describe("a file for nvcc", function()
  it("may include headers of the host that are not there, though it launches nothing", function()
    local m = helper.with_file([[
#include <memory>
#include <cuda_runtime.h>
static int devices() { int n = 0; cudaGetDeviceCount(&n); return n; }
class holder { std::unique_ptr<int> p; int count() { return devices(); } };
__global__ void one(int *p) { *p = 1; }
]], dc.module_file)
    assert.same({ "one" }, m:kernels())
  end)

  it("of which kernels need a header that is not there says which", function()
    helper.with_file([[
#include "absent.h"
__global__ void fill(absent_type *p) { *p = 1; }
int main() { fill<<<1, 1>>>(0); }
]], function(name)
      helper.fails("compile", "the header 'absent.h' is in none of the folders of option include", function()
        dc.module { file = name }
      end)
    end)
  end)

  it("has instances behind macros of which other parts throw", function()
    local m = helper.with_file([[
#include <stdexcept>
#define CASE(type, what, ...) case what: { using scalar = type; __VA_ARGS__(); break; }
#define DISPATCH(what, ...) switch (what) { CASE(float, 4, __VA_ARGS__) CASE(double, 8, __VA_ARGS__) \
  default: throw std::runtime_error("no such type"); }
template <class T> __global__ void twice(T *p) { *p *= 2; }
void start(void *p, int size) { DISPATCH(size, [&] { twice<scalar><<<1, 1>>>((scalar *)p); }) }
]], dc.module_file)
    local names = m:kernels()
    table.sort(names)
    assert.same({ "twice<double>", "twice<float>" }, names)
  end)

  it("instantiates by macros, at the end of a namespace too", function()
    local m = helper.with_file([[
namespace ops {
struct add { template <class T> __device__ static T of(T a, T b) { return a + b; } };
template <class Op> __global__ void apply(float *p, float v) { p[threadIdx.x] = Op::of(p[threadIdx.x], v); }
template <class Op> void run(float *p, float v) { apply<Op><<<1, 4>>>(p, v); }
template <class Op> void run(float *p) { apply<Op><<<1, 4>>>(p, 1); }
#define MAKE(op) \
  template void run<op>(float *p, float v); \
  template void run<op>(float *p);
MAKE(add)
}
]], dc.module_file)
    assert.same({ "ops::apply<ops::add>" }, m:kernels())
  end)

  it("may have Thrust's tuples and GNU's word for extensions without more ado", function()
    local m = helper.with_file([[
#include <thrust/random.h>
#include <thrust/device_vector.h>
#define EXTENSION __extension__
struct both { EXTENSION union { int i; unsigned u; }; };
struct split {
  __host__ __device__ thrust::tuple<int, float> operator()(float x) { return thrust::make_tuple(int(x), x - int(x)); }
};
__global__ void parts(const float *x, int *whole, float *rest) {
  both b;
  thrust::tuple<int, float> t = split()(*x);
  b.i = thrust::get<0>(t);
  *whole = b.u;
  *rest = thrust::get<1>(t);
}
int main() { thrust::device_vector<float> v(3); parts<<<1, 1>>>(v.data().get(), nullptr, nullptr); }
]], dc.module_file)
    local whole, rest = dc.zeros(1, "int32"), dc.zeros(1, "float32")
    local v = math.random(5, 99)
    m.parts(1, 1, dc.array({ v + 0.25 }, "float32"), whole, rest)
    assert.equal(v, whole[1])
    assert.equal(0.25, rest[1])
  end)
end)
