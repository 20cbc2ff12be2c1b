-- A step of k-means: the nearest centre of each point, and the sums of the new centres
-- in fixed point, through shared memory, so that the result does not depend on any order.
return {
  field = "machine learning",
  options = { fmad = false },
  cuda = [==[
#define DIM 5
#define MOST 24

__global__ void assign(const float *points, const float *centers, int k, int n, int *label, long long *sums,
                       int *counts) {
  __shared__ unsigned long long sum[MOST * DIM];
  __shared__ int count[MOST];
  for (int i = threadIdx.x; i < k * DIM; i += blockDim.x) sum[i] = 0;
  if (threadIdx.x < k) count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float p[DIM], least = 1e30f;
    int best = 0;
    for (int d = 0; d < DIM; d++) p[d] = points[d * n + i];
    for (int c = 0; c < k; c++) {
      float distance = 0;
#pragma unroll
      for (int d = 0; d < DIM; d++) {
        float e = p[d] - centers[c * DIM + d];
        distance += e * e;
      }
      if (distance < least) {
        least = distance;
        best = c;
      }
    }
    label[i] = best;
    atomicAdd(&count[best], 1);
    for (int d = 0; d < DIM; d++)
      atomicAdd(&sum[best * DIM + d], (unsigned long long)__float2ll_rn(p[d] * 1048576.0f));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < k * DIM; i += blockDim.x)
    if (sum[i]) atomicAdd((unsigned long long *)&sums[i], sum[i]);
  if (threadIdx.x < k && count[threadIdx.x]) atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
}

__global__ void move(const long long *sums, const int *counts, float *centers, int k) {
  int c = blockIdx.x, d = threadIdx.x;
  if (c < k && counts[c]) centers[c * DIM + d] = (float)((double)sums[c * DIM + d] / 1048576.0 / counts[c]);
}]==],
  c = [==[
#include <math.h>
void ref(void **p, const double *s) {
  const float *points = p[0];
  float *centers = p[1], old[24 * 5];
  int *label = p[2], n = (int)s[0], k = (int)s[1], D = 5, count[24] = { 0 };
  double sum[24 * 5] = { 0 };
  for (int i = 0; i < k * D; i++) old[i] = centers[i];
  for (int i = 0; i < n; i++) {
    float best = HUGE_VALF;
    for (int c = k - 1; c >= 0; c--) {
      float q = 0;
      for (int d = 0; d < D; d++) q += (points[d * n + i] - old[c * D + d]) * (points[d * n + i] - old[c * D + d]);
      if (q <= best) { best = q; label[i] = c; }
    }
    count[label[i]]++;
    for (int d = 0; d < D; d++) sum[label[i] * D + d] += points[d * n + i];
  }
  for (int c = 0; c < k; c++)
    for (int d = 0; d < D; d++)
      if (count[c]) centers[c * D + d] = (float)(sum[c * D + d] / count[c]);
}]==],
  case = function(h, size)
    local n, k = h.pick(size, 3333, 200000), h.pick(size, math.random(2, 24), 20)
    local points, centers = h.input("float32", 5 * n, -10, 10), h.input("float32", 5 * k, -10, 10)
    local label, sums, counts = h.output("int32", n), h.output("int64", 5 * k), h.output("int32", k)
    h.launch("assign", { 6 }, { 112 }, points, centers, k, n, label, sums, counts)
    h.launch("move", { k }, { 5 }, sums, counts, centers, k)
    h.reference({ points, centers, label }, { n, k })
    h.expect(label, 0, { share = h.pick(size, 0, 1e-3) }) -- a contracted reference may decide otherwise
    h.expect(centers, 2e-6, { absolute = 2e-6 })
  end,
}
