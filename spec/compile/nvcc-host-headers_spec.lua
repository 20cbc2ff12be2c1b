-- Files for nvcc whose host code stands in headers: Thrust's and CUB's host side behind the user's own headers,
-- streams, annotations by macros, host functions deep in classes.
local dc = require "dotcompute"
local helper = require "spec.helper"

local function write(folder, name, text) return helper.write(folder .. "/" .. name, text) end

-- The module of a file that includes a header, which may include another that is in a folder beside it.
local function module_of(header, text, inner)
  local m
  helper.with_folder(function(folder)
    write(folder, "inner.h", inner or "")
    write(folder, "shared.h", '#pragma once\n#include "inner.h"\n' .. header)
    m = dc.module { file = write(folder, "main.cu", '#include "shared.h"\n' .. text) }
  end)
  return m
end

local function some() return math.random(2, 99) end

describe("a file without host code of its own", function()
  it("may include Thrust's and CUB's host side through headers", function()
    local m = module_of([[
#include <thrust/device_vector.h>
#include <thrust/device_malloc_allocator.h>
#include <thrust/system/cuda/error.h>
#include <thrust/uninitialized_copy.h>
#include <cub/device/device_reduce.cuh>
#include <cub/util_allocator.cuh>
#include <vector>
template <class T> struct counted : thrust::device_malloc_allocator<T> {
  using super_t = thrust::device_malloc_allocator<T>;
  static cub::CachingDeviceAllocator &all() { static cub::CachingDeviceAllocator one; return one; }
};
template <class T> using vector_of = thrust::device_vector<T, counted<T>>;
template <class T> T *data_of(vector_of<T> &v) { return thrust::raw_pointer_cast(v.data()); }
struct plan {
  vector_of<float> scratch;
  std::vector<int> sizes;
  void grow(size_t n) {
    scratch.resize(n);
    thrust::fill(scratch.begin(), scratch.end(), 0.0f);
    sizes.push_back((int)n);
  }
  float total() const { return thrust::reduce(scratch.begin(), scratch.end()); }
};
]], [[
void prepare(plan &p) { p.grow(10); }
__global__ void add(int *p, int by) { p[threadIdx.x] += by; }
]])
    local by, x = some(), dc.array({ 1, 2, 3 }, "int32")
    m.add(1, 3, x, by)
    assert.same({ 1 + by, 2 + by, 3 + by }, x:to_table())
  end)

  it("gives streams and Thrust's vectors in structs the host's layout", function()
    local sizes = { -- what g++ and nvcc 13 give for each on x86-64
      { "std::ostringstream", 376 }, { "std::istringstream", 384 }, { "std::stringstream", 392 },
      { "std::ofstream", 512 }, { "std::ifstream", 520 }, { "std::fstream", 528 },
      { "thrust::device_vector<int>", 32 }, { "thrust::host_vector<double>", 32 }, { "thrust::device_ptr<int>", 8 } }
    local fields, out, expected = {}, {}, {}
    for i, s in ipairs(sizes) do
      fields[i] = ("struct s%d { %s f; char c; };"):format(i, s[1])
      out[i] = ("out[%d] = sizeof(s%d);"):format(i - 1, i)
      expected[i] = s[2] + 8
    end
    local m = module_of("#include <sstream>\n#include <fstream>\n#include <thrust/device_vector.h>\n"
      .. table.concat(fields, "\n"), "__global__ void measure(long *out) { " .. table.concat(out, " ") .. " }\n")
    local x = dc.zeros(#sizes, "int64")
    m.measure(1, 1, x)
    assert.same(expected, x:to_table())
  end)
end)

describe("a class for host and device", function()
  local inner = [[
#include <iostream>
#include <sstream>
#include <string>
#define BOTH __host__ __device__
#define FROM_HOST __host__ /* alone */
class pair {
  int a_ = 0, b_ = 0;
 public:
  BOTH pair(int a, int b) : a_(a), b_(b) {}
  BOTH pair &operator+=(const pair &o) { a_ += o.a_; b_ += o.b_; return *this; }
  BOTH bool operator==(const pair &o) const { return a_ == o.a_; }
  friend std::ostream &operator<<(std::ostream &out, const pair &p) { out << p.a_ << "/" << p.b_; return out; }
  FROM_HOST std::string text() const { std::ostringstream s; s << *this; return s.str().substr(1).append("x"); }
  BOTH int sum() const { return a_ + b_; }
};
]]

  it("keeps what macros mark as the device's", function()
    local m = module_of([[
struct outer {
  struct log {
    std::string text;
    void put(const pair &p) { text.append(p.text()); journal::write(text); }
    BOTH int twice(int x) const { return 2 * x; }
  };
  BOTH static int twice(int x) { return x + x; }
};
]], [[
__global__ void run(int *p, int a, int b) { pair s(a, b); s += pair(1, 2); *p = outer::twice(s.sum()); }
]], inner)
    local a, b, x = some(), some(), dc.zeros(1, "int32")
    m.run(1, 1, x, a, b)
    assert.equal(2 * (a + b + 3), x[1])
  end)

  it("does without prototypes over what only the host has, and keeps its fields", function()
    local m = module_of([[
struct table {
  int (*call)(int) = nullptr;
  int first;
  alignas(16) int second;
  table(const library::info &from, int n);
  library::info describe() const noexcept;
  BOTH table(int a, int b) : first(a), second(b) {}
  BOTH int sum() const { return first + second; }
};
]], [[
__global__ void run(int *p, int a, int b) { table t(a, b); p[0] = t.sum(); p[1] = sizeof(table); }
]], inner)
    local a, b, x = some(), some(), dc.zeros(2, "int32")
    m.run(1, 1, x, a, b)
    assert.same({ a + b, 32 }, x:to_table())
  end)

  it("is not used without a function of the device's that does not compile", function()
    helper.fails("compile", '"halve" is undefined', function()
      module_of("BOTH inline int quarter(int x) { return halve(halve(x)); }\n",
        "__global__ void run(int *p) { *p = quarter(*p); }\n", inner)
    end)
  end)
end)

describe("headers with many errors", function()
  it("do without their host functions, however many there are and whatever stands behind them", function()
    local lines = { "#include <vector>", "#include <map>" }
    for i = 1, 160 do
      lines[i + 2] = ("inline int host%d(std::map<int, int> &m) { return library::call_%d(m.begin()->first); }")
        :format(i, i)
    end
    lines[#lines + 1] = "template <class T> library::handle<T> open_handle(T x);"
    lines[#lines + 1] = "__device__ inline int triple(int x) { return 3 * x; }"
    lines[#lines + 1] = [[
#include <algorithm>
struct owner { owner(const owner &) = delete; owner &operator=(const owner &) = delete; owner(owner &&); int *p; };
inline void exchange(owner &a, owner &b) { std::swap(a, b); } /* the error is in std::swap */
]]
    local m = module_of(table.concat(lines, "\n") .. "\n", [[
__global__ void run(int *p) { *p = triple(*p); }
]])
    local n = some()
    local x = dc.array({ n }, "int32")
    m.run(1, 1, x)
    assert.equal(3 * n, x[1])
  end)
end)

describe("a kernel of a file for nvcc", function()
  it("may use Thrust's iterators behind a header of the host's alone", function()
    local m = module_of("#include <thrust/device_vector.h>\n", [[
struct twice { __host__ __device__ int operator()(int x) const { return 2 * x; } };
__global__ void run(int *p) {
  auto i = thrust::make_transform_iterator(thrust::make_counting_iterator(*p), twice());
  *p = i[3];
}
]])
    local n = some()
    local x = dc.array({ n }, "int32")
    m.run(1, 1, x)
    assert.equal(2 * (n + 3), x[1])
  end)

  it("sees the C library: its byte order, and the function that assert calls", function()
    local m = module_of([[
#if !defined(__GLIBC__)
#error "of which system?"
#endif
#include <endian.h>
]], [[
__global__ void run(int *p) {
  if (__BYTE_ORDER != __LITTLE_ENDIAN) *p = 0;
  if (*p < 0) __assert_fail("*p >= 0", __FILE__, __LINE__, __func__);
  *p += 1;
}
]])
    local n = some()
    local x = dc.array({ n }, "int32")
    m.run(1, 1, x)
    assert.equal(n + 1, x[1])
    if not dc.device().host_memory then return end -- a failed assertion ends CUDA for the process
    helper.fails("launch", "%*p >= 0", function()
      x:fill(-1)
      m.run(1, 1, x)
      return x[1]
    end)
  end)
end)
