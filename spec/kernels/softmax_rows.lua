-- Softmax of rows: one warp a row, maximum and sum by shuffles, vector loads where rows are aligned.
return {
  field = "machine learning",
  cuda = [==[
#include <math.h>
__device__ __forceinline__ float warp_max(float v) {
  for (int d = 16; d; d >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
  return v;
}
__device__ __forceinline__ float warp_sum(float v) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
  return v;
}

/* Online: maximum and scaled sum in one pass, then a pass that writes. */
__global__ void softmax(const float *__restrict__ x, float *__restrict__ y, int rows, int columns, float scale) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float *in = x + (size_t)row * columns;
  float *out = y + (size_t)row * columns;
  float top = -INFINITY, sum = 0;
  auto take = [&](float v) {
    float higher = fmaxf(top, v);
    sum = sum * expf(top - higher) + expf(v - higher);
    top = higher;
  };
  if (columns % 4 == 0) {
    for (int i = threadIdx.x; i < columns / 4; i += 32) {
      float4 v = reinterpret_cast<const float4 *>(in)[i];
      take(v.x * scale);
      take(v.y * scale);
      take(v.z * scale);
      take(v.w * scale);
    }
  } else {
    for (int i = threadIdx.x; i < columns; i += 32) take(in[i] * scale);
  }
  float highest = warp_max(top);
  sum = warp_sum(top == -INFINITY ? 0.0f : sum * expf(top - highest));
  for (int i = threadIdx.x; i < columns; i += 32) out[i] = expf(in[i] * scale - highest) / sum;
}]==],
  c = [==[
#include <math.h>
void ref(void **p, const double *s) {
  const float *x = p[0];
  float *y = p[1];
  int rows = (int)s[0], columns = (int)s[1];
  for (int r = 0; r < rows; r++, x += columns, y += columns) {
    double top = -1e300, sum = 0;
    for (int i = 0; i < columns; i++) if (x[i] * s[2] > top) top = x[i] * s[2];
    for (int i = 0; i < columns; i++) sum += exp(x[i] * s[2] - top);
    for (int i = 0; i < columns; i++) y[i] = (float)(exp(x[i] * s[2] - top) / sum);
  }
}]==],
  case = function(h, size)
    local rows, columns = h.pick(size, 29, 2000), h.pick(size, math.random(1, 150), 768)
    local x, y = h.input("float32", rows * columns, -20, 20), h.output("float32", rows * columns)
    h.launch("softmax", { (rows + 2) // 3 }, { 32, 3 }, x, y, rows, columns, 0.5)
    h.reference({ x, y }, { rows, columns, 0.5 })
    h.expect(y, 2e-5)
  end,
}
