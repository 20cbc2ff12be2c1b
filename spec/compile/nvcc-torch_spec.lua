-- Files with kernels for PyTorch, whose headers are not there: the instances that its macros launch, its types of
-- elements, packed accessors, and atomic additions.
local dc = require "dotcompute"
local helper = require "spec.helper"

local text <const> = [[
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
using at::Half;
using at::Tensor;

template <typename scalar_t> __global__ void leaky(const scalar_t *x, scalar_t *y, float slope, int64_t n) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  scalar_t v = x[i];
  if (v == 0 || v > scalar_t(0)) y[i] = v;
  else y[i] = v * slope;
}

template <typename scalar_t>
__global__ void row_sums(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> a, scalar_t *out) {
  const int r = blockIdx.x;
  for (int c = threadIdx.x; c < a.size(1); c += blockDim.x) gpuAtomicAdd(out + r, a[r][c]);
}

__global__ void to_half(const float *x, Half *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) { y[i] = x[i]; y[i] *= 2; }
}

Tensor leaky_forward(const Tensor &x, double slope) {
  TORCH_CHECK(x.is_cuda(), "x must be on a GPU");
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "leaky", [&] {
    leaky<scalar_t><<<(n + 127) / 128, 128, 0, stream>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), slope, n);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

std::vector<torch::Tensor> sums(torch::Tensor a) {
  auto out = torch::zeros({a.size(0)}, a.options());
  AT_DISPATCH_FLOATING_TYPES(a.type(), "row_sums", ([&] {
    row_sums<scalar_t><<<a.size(0), 64>>>(a.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
                                          out.data_ptr<scalar_t>());
  }));
  return {out};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("leaky", &leaky_forward); m.def("sums", &sums); }
]]

describe("a file with kernels for PyTorch", function()
  local m = helper.with_file(text, dc.module_file)

  it("gives the instances for each type of its tensors", function()
    local names = m:kernels()
    table.sort(names)
    assert.same({ "leaky<c10::Half>", "leaky<double>", "leaky<float>", "row_sums<double>", "row_sums<float>",
      "to_half" }, names)
    assert.same({}, m:left_out())
  end)

  it("computes in its types, of which c10::Half is float16", function()
    local n = math.random(100, 400)
    local list = {}
    for i = 1, n do list[i] = math.random(-64, 64) / 8 end
    for dtype, name in pairs { float16 = "leaky<c10::Half>", float32 = "leaky<float>", float64 = "leaky<double>" } do
      local y = dc.zeros(n, dtype)
      m[name]((n + 127) // 128, 128, dc.array(list, dtype), y, 0.25, n)
      for i, v in ipairs(y:to_table()) do assert.equal(list[i] < 0 and list[i] / 4 or list[i], v) end
    end
    local halves = dc.zeros(n, "float16")
    m.to_half(1, 32, dc.array(list, "float32"), halves, n)
    for i, v in ipairs(halves:to_table()) do assert.equal(2 * list[i], v) end
  end)

  it("takes a packed accessor as a struct of the address, the extents and the strides", function()
    local rows, columns = math.random(2, 9), math.random(2, 200)
    local expected, a = {}, dc.random.integers({ rows, columns }, { low = -9, high = 9 }):to("float32"):eval()
    for r, row in ipairs(a:to_table()) do
      expected[r] = 0
      for _, v in ipairs(row) do expected[r] = expected[r] + v end
    end
    local out = dc.zeros(rows)
    m["row_sums<float>"](rows, 64, { data_ = a, sizes_ = { rows, columns }, strides_ = { columns, 1 } }, out)
    assert.same(expected, out:to_table())
  end)
end)
