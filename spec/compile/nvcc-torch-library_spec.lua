-- Files with kernels for PyTorch whose host code uses much of its library, and whose kernels name types of it.
local dc = require "dotcompute"
local helper = require "spec.helper"

local text <const> = [=[
#include "reduce.cuh"
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/detail/IndexUtils.cuh>
#include <ATen/cuda/detail/TensorInfo.cuh>
using namespace torch;

template <typename scalar_t, Reduction REDUCE>
__global__ void reduce(const scalar_t *x, const at::cuda::detail::TensorInfo<int64_t, int> index, scalar_t *out,
                       int numel) {
  scalar_t v = Reducer<scalar_t, REDUCE>::init();
  for (int i = 0; i < numel; i++) {
    const int offset = at::cuda::detail::IndexToOffset<int64_t, int, -1>::get(i, index);
    Reducer<scalar_t, REDUCE>::update(&v, x[index.data[offset]]);
  }
  *out = v;
}

template <typename scalar_t> __global__ void multiply_add(const scalar_t *a, const scalar_t *b, scalar_t *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    scalar_t bits = y[i];
    y[i] = a[i] * b[i] + bits;
  }
}

template <typename scalar_t>
__global__ void trace(const PackedTensorAccessor32<scalar_t, 2, RestrictPtrTraits> a, scalar_t *out) {
  scalar_t sum = 0;
  for (int i = 0; i < a.size(0); i++) sum += a[i][i];
  *out = sum;
}

__global__ void add_bits(Half *x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i].x += 1;
}

std::tuple<torch::Tensor, torch::optional<torch::Tensor>>
reduce_cuda(torch::Tensor src, torch::Tensor index, torch::optional<torch::Tensor> optional_out, std::string name) {
  CHECK(src.device().is_cuda());
  cudaSetDevice(src.get_device());
  torch::Tensor out;
  if (optional_out.has_value()) out = optional_out.value().contiguous();
  else {
    auto sizes = src.sizes().vec();
    sizes[0] = 1 + index.max().cpu().data_ptr<int64_t>()[0];
    out = torch::empty(sizes, src.options());
  }
  src = src.view({src.size(0), -1}).contiguous();
  torch::optional<torch::Tensor> arg_out = torch::nullopt;
  if (reductions.at(name) == LARGEST) arg_out = torch::full_like(out, src.size(0), index.options());
  auto degrees = 2 * src.narrow(0, 1, src.numel()) - src.narrow(0, 0, 1);
  auto info = at::cuda::detail::getTensorInfo<int64_t, int>(index);
  AT_DISPATCH_ALL_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, src.scalar_type(), "_", [&] {
    DISPATCH_REDUCTION(name, [&] {
      reduce<scalar_t, REDUCE><<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(
          src.data_ptr<scalar_t>(), info, out.data_ptr<scalar_t>(), src.numel());
      if (!optional_out.has_value()) out.fill_(Reducer<scalar_t, REDUCE>::init());
    });
  });
  return std::make_tuple(out, arg_out);
}

void other_cuda(Tensor a, Tensor b, Tensor y) {
  AT_DISPATCH_SWITCH(a.scalar_type(), "multiply_add", AT_DISPATCH_CASE(at::ScalarType::Half, [&] {
    auto pa = a.data_ptr<scalar_t>();
    multiply_add<<<1, 32>>>(pa, b.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), a.size(0));
  }) AT_DISPATCH_CASE(at::kDouble, [&] {
    multiply_add<scalar_t><<<1, 32>>>(a.const_data_ptr<scalar_t>(), b.const_data_ptr<scalar_t>(),
                                      y.mutable_data_ptr<scalar_t>(), a.size(0));
  }));
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "trace", [&] {
    trace<<<1, 1>>>(a.squeeze(0).packed_accessor32<scalar_t, 2, RestrictPtrTraits>(), y.data_ptr<scalar_t>());
  });
}
]=]

local header <const> = [[
#pragma once
#include <torch/torch.h>
#include <limits>
#include <map>
enum Reduction { SUM, SMALLEST, LARGEST };
const std::map<std::string, Reduction> reductions = { {"sum", SUM}, {"min", SMALLEST}, {"max", LARGEST} };
#define CHECK(x) AT_ASSERTM(x, "wrong")
#define DISPATCH_REDUCTION(name, ...) \
  [&] { \
    switch (reductions.at(name)) { \
    case SUM: { static constexpr Reduction REDUCE = SUM; return __VA_ARGS__(); } \
    case SMALLEST: { static constexpr Reduction REDUCE = SMALLEST; return __VA_ARGS__(); } \
    case LARGEST: { static constexpr Reduction REDUCE = LARGEST; return __VA_ARGS__(); } \
    } \
  }()
template <typename scalar_t, Reduction REDUCE> struct Reducer {
  static __host__ __device__ scalar_t init() {
    if (REDUCE == SMALLEST) return std::numeric_limits<scalar_t>::max();
    if (REDUCE == LARGEST) return std::numeric_limits<scalar_t>::lowest();
    return (scalar_t)0;
  }
  static __host__ __device__ void update(scalar_t *to, scalar_t v) {
    if (REDUCE == SUM) *to = *to + v;
    else if ((REDUCE == SMALLEST && v < *to) || (REDUCE == LARGEST && v > *to)) *to = v;
  }
};
]]

-- The nearest float16, of those with an even last bit where two are as near.
local function to_half(x)
  if x == 0 then return 0.0 end
  local unit = 2.0 ^ (math.floor(math.log(math.abs(x), 2)) - 10)
  local q = x / unit
  local low = math.floor(q)
  local up = q - low > 0.5 or (q - low == 0.5 and low % 2 == 1)
  return (up and low + 1 or low) * unit
end

local function random_list(n, draw)
  local list = {}
  for i = 1, n do list[i] = draw() end
  return list
end

describe("a file whose host code uses PyTorch's library", function()
  local folder = helper.folder()
  helper.write(folder .. "/reduce.cuh", header)
  helper.write(folder .. "/reduce.cu", text)
  local m = dc.module_file(folder .. "/reduce.cu")
  os.execute("rm -r " .. helper.quote(folder))

  it("gives the instances of all types that it dispatches on, also by its own macros", function()
    local wanted = { "add_bits", "multiply_add<c10::Half>", "multiply_add<double>", "trace<double>", "trace<float>" }
    for _, of in ipairs { "c10::BFloat16", "c10::Half", "double", "float", "int", "long", "short", "signed char",
      "unsigned char" } do
      for r = 0, 2 do wanted[#wanted + 1] = ("reduce<%s, (Reduction)%d>"):format(of, r) end
    end
    local names = m:kernels()
    table.sort(names)
    table.sort(wanted)
    assert.same(wanted, names)
    assert.same({}, m:left_out())
  end)

  it("reads a tensor by its extents and strides", function()
    local rows, columns = math.random(2, 9), math.random(2, 9)
    local n = rows * columns
    local x = random_list(n, function() return math.random(-99, 99) end)
    local order = random_list(n, function() return math.random(0, n - 1) end)
    local sizes, strides = {}, {}
    for i = 1, 25 do sizes[i], strides[i] = 0, 0 end
    sizes[1], sizes[2], strides[1], strides[2] = rows, columns, 1, rows -- the transpose
    local least, most, sum = math.huge, -math.huge, 0
    for i = 0, n - 1 do
      local v = x[order[i // columns + i % columns * rows + 1] + 1]
      least, most, sum = math.min(least, v), math.max(most, v), sum + v
    end
    for dtype, name in pairs { float16 = "c10::Half", float32 = "float", int64 = "long" } do
      for r, expected in ipairs { sum, least, most } do
        local out = dc.zeros(1, dtype)
        m[("reduce<%s, (Reduction)%d>"):format(name, r - 1)](1, 1, dc.array(x, dtype),
          { data = dc.array(order, "int64"), sizes = sizes, strides = strides, dims = 2 }, out, n)
        assert.equal(dtype == "float16" and r == 1 and out[1] or expected, out[1])
      end
    end
  end)

  it("rounds each result of c10::Half, which has its bits in x", function()
    local n = math.random(100, 300)
    local function draw() return to_half(math.random(-2047, 2047) / 64) end
    local a, b, c = random_list(n, draw), random_list(n, draw), random_list(n, draw)
    local y = dc.array(c, "float16")
    m["multiply_add<c10::Half>"](1, 32, dc.array(a, "float16"), dc.array(b, "float16"), y, n)
    for i, v in ipairs(y:to_table()) do assert.equal(to_half(to_half(a[i] * b[i]) + c[i]), v) end
    local powers = random_list(n, function() return 2.0 ^ math.random(-9, 9) end)
    local next_ones = dc.array(powers, "float16")
    m.add_bits(1, 32, next_ones, n)
    for i, v in ipairs(next_ones:to_table()) do assert.equal(powers[i] * (1 + 2.0 ^ -10), v) end
  end)

  it("deduces a kernel's type from a tensor's accessor", function()
    local n = math.random(2, 20)
    local a = random_list(n * n, function() return math.random(-99, 99) end)
    local expected, out = 0, dc.zeros(1)
    for i = 0, n - 1 do expected = expected + a[i * n + i + 1] end
    m["trace<float>"](1, 1, { data_ = dc.array(a, "float32"), sizes_ = { n, n }, strides_ = { n, 1 } }, out)
    assert.equal(expected, out[1])
  end)
end)

describe("a file with kernels for PyTorch", function()
  local m = helper.with_file([[
#include <ATen/cuda/Atomic.cuh>
#include <algorithm>
#include <c10/util/complex.h>
using complex_t = c10::complex<float>;
constexpr int LARGEST = std::max({ 3, WIDTH, 7 });
void launch(const at::optional<at::Tensor> from, at::IntArrayRef sizes);
template <typename T> __global__ void count(T *bins, const int *keys, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) gpuAtomicAdd(bins + keys[i], 1.0f);
}
__global__ void divide(const complex_t *a, const complex_t *b, complex_t *q, complex_t *r, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    q[i] = a[i] / b[i];
    r[i] = 2.0f * a[i] * std::conj(b[i]) - complex_t(std::norm(a[i]), LARGEST);
  }
}
int index_of_device(at::Tensor t) {
  at::Device device = t.device();
  return device.index();
}
void launch(const at::optional<at::Tensor> from, at::IntArrayRef sizes) {
  at::Tensor t = from.value();
  AT_DISPATCH_ALL_TYPES(t.scalar_type(), "count", [&] {
    count<scalar_t><<<sizes[0], 64>>>(t.data_ptr<scalar_t>(), nullptr, t.numel());
  });
  divide<<<1, 32>>>(nullptr, nullptr, nullptr, nullptr, 0);
}
]], function(path) return dc.module_file(path, { define = { WIDTH = 31 } }) end)

  it("adds atomically in all of its types, what is added converted to them", function()
    local n, bins = math.random(100, 200), math.random(3, 11)
    local keys, expected = {}, {}
    for i = 1, bins do expected[i] = 0 end
    for i = 1, n do
      keys[i] = math.random(0, bins - 1)
      expected[keys[i] + 1] = expected[keys[i] + 1] + 1
    end
    for dtype, name in pairs { uint8 = "unsigned char", int8 = "signed char", int16 = "short", int32 = "int",
      int64 = "long", float32 = "float", float64 = "double" } do
      local out = dc.zeros(bins, dtype)
      m["count<" .. name .. ">"](1, 64, out, dc.array(keys, "int32"), n)
      assert.same(expected, dc.array(out, "int64"):to_table())
    end
  end)

  it("computes with c10::complex", function()
    local n = math.random(20, 60)
    local function draw() return (math.random(0, 1) * 2 - 1) * math.random(1, 64) / 8 end
    local a, b = random_list(2 * n, draw), random_list(2 * n, draw)
    local function complex(list)
      local z = {}
      for i = 1, n do z[i] = dc.complex(list[2 * i - 1], list[2 * i]) end
      return dc.array(z, "complex64")
    end
    local q, r = dc.zeros(n, "complex64"), dc.zeros(n, "complex64")
    m.divide(1, 32, complex(a), complex(b), q, r, n)
    for i = 1, n do
      local ar, ai, br, bi = a[2 * i - 1], a[2 * i], b[2 * i - 1], b[2 * i]
      local size = br * br + bi * bi
      assert(math.abs(q[i].re - (ar * br + ai * bi) / size) < 1e-4)
      assert(math.abs(q[i].im - (ai * br - ar * bi) / size) < 1e-4)
      assert(math.abs(r[i].re - 2 * (ar * br + ai * bi) + ar * ar + ai * ai) < 1e-3)
      assert(math.abs(r[i].im - 2 * (ai * br - ar * bi) + 31) < 1e-3)
    end
  end)
end)
