-- y = A x and z = A^T y: a warp a row with cooperative groups' reductions, and columns by float4 with atomics.
return {
  field = "linear algebra",
  unordered = true,
  cuda = [==[
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void gemv(const float *a, const float *x, float *y, int m, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= m) return;
  double sum = 0;
  for (int j = warp.thread_rank(); j < n; j += warp.size()) sum += (double)a[(size_t)row * n + j] * x[j];
  sum = cg::reduce(warp, sum, cg::plus<double>());
  if (warp.thread_rank() == 0) y[row] = (float)sum;
}

// A block takes some rows, a thread four columns.
__global__ void gemv_transposed(const float4 *a, const float *y, float *z, int m, int quads, int rows) {
  int q = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * rows, last = min(first + rows, m);
  if (q >= quads) return;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = first; i < last; i++) {
    float4 v = __ldg(&a[(size_t)i * quads + q]);
    float w = y[i];
    sum.x += v.x * w, sum.y += v.y * w, sum.z += v.z * w, sum.w += v.w * w;
  }
  atomicAdd(&z[4 * q], sum.x);
  atomicAdd(&z[4 * q + 1], sum.y);
  atomicAdd(&z[4 * q + 2], sum.z);
  atomicAdd(&z[4 * q + 3], sum.w);
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const float *a = p[0], *x = p[1];
  float *y = p[2], *z = p[3];
  int m = (int)s[0], n = (int)s[1];
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += (double)a[(size_t)i * n + j] * x[j];
    y[i] = (float)sum;
    for (int j = 0; j < n; j++) z[j] += a[(size_t)i * n + j] * y[i];
  }
}]==],
  case = function(h, size)
    local m, n = h.pick(size, 77, 4000), h.pick(size, 236, 4096)
    local a, x, y, z = h.input("float32", m * n), h.input("float32", n), h.output("float32", m), h.output("float32", n)
    h.launch("gemv", (m + 4) // 5, 160, a, x, y, m, n)
    h.launch("gemv_transposed", { (n // 4 + 47) // 48, (m + 18) // 19 }, 48, a, y, z, m, n // 4, 19)
    h.reference({ a, x, y, z }, { m, n })
    h.expect(y, 1e-6)
    h.expect(z, 1e-4)
  end,
}
