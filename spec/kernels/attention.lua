-- Causal attention of one head with an online softmax: keys and values pass through shared memory in tiles, a thread
-- owns a query and its running maximum, sum and output.
return {
  field = "machine learning",
  cuda = [==[
#include <math.h>
template <int D, int TILE>
__global__ void attention(const float *q, const float *k, const float *v, float *out, float *logsum, int n,
                          float scale) {
  extern __shared__ __align__(16) float shared[];
  float (*keys)[D] = reinterpret_cast<float (*)[D]>(shared), (*values)[D] = keys + TILE;
  const size_t head = (size_t)blockIdx.y * n * D;
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float query[D], sum[D], top = -INFINITY, total = 0;
#pragma unroll
  for (int d = 0; d < D; d++) {
    query[d] = row < n ? q[head + row * D + d] * scale : 0;
    sum[d] = 0;
  }
  int last = min(n, (int)((blockIdx.x + 1) * blockDim.x));  /* nothing behind this concerns the block */
  for (int first = 0; first < last; first += TILE) {
    for (int i = threadIdx.x; i < TILE * D; i += blockDim.x) {
      int at = first + i / D;
      keys[i / D][i % D] = at < n ? k[head + at * D + i % D] : 0;
      values[i / D][i % D] = at < n ? v[head + at * D + i % D] : 0;
    }
    __syncthreads();
    for (int j = 0; j < TILE && first + j <= row && row < n; j++) {
      float score = 0;
#pragma unroll
      for (int d = 0; d < D; d++) score = fmaf(query[d], keys[j][d], score);
      if (score > top) {
        float rescale = __expf(top - score);
        total *= rescale;
#pragma unroll
        for (int d = 0; d < D; d++) sum[d] *= rescale;
        top = score;
      }
      float weight = __expf(score - top);
      total += weight;
#pragma unroll
      for (int d = 0; d < D; d++) sum[d] = fmaf(weight, values[j][d], sum[d]);
    }
    __syncthreads();
  }
  if (row >= n) return;
#pragma unroll
  for (int d = 0; d < D; d++) out[head + row * D + d] = sum[d] / total;
  logsum[blockIdx.y * n + row] = top + logf(total);
}]==],
  c = [==[
#include <math.h>
#include <stdlib.h>
void ref(void **p, const double *s) {
  const float *q = p[0], *k = p[1], *v = p[2];
  float *out = p[3], *logsum = p[4];
  int heads = (int)s[0], n = (int)s[1], D = (int)s[2];
  double *w = malloc(sizeof(double) * (size_t)n);
  for (int h = 0; h < heads; h++, q += n * D, k += n * D, v += n * D, out += n * D)
    for (int i = 0; i < n; i++) {
      double top = -1e300, total = 0;
      for (int j = 0; j <= i; j++) {
        w[j] = 0;
        for (int d = 0; d < D; d++) w[j] += (double)q[i * D + d] * k[j * D + d];
        w[j] *= s[3];
        if (w[j] > top) top = w[j];
      }
      for (int j = 0; j <= i; j++) total += w[j] = exp(w[j] - top);
      for (int d = 0; d < D; d++) {
        double sum = 0;
        for (int j = 0; j <= i; j++) sum += w[j] * v[j * D + d];
        out[i * D + d] = (float)(sum / total);
      }
      logsum[h * n + i] = (float)(top + log(total));
    }
  free(w);
}]==],
  case = function(h, size)
    local D, tile = h.pick(size, 8, 32), h.pick(size, 13, 32)
    local heads, n = h.pick(size, 3, 4), h.pick(size, math.random(20, 90), 384)
    local scale, count = 1 / math.sqrt(D), heads * n * D
    local q, k, v = h.input("float32", count, -2, 2), h.input("float32", count, -2, 2), h.input("float32", count)
    local out, logsum = h.output("float32", count), h.output("float32", heads * n)
    local block = h.pick(size, 29, 64)
    h.shared(2 * 4 * D * tile)
    h.launch(("attention<%d, %d>"):format(D, tile), { (n + block - 1) // block, heads }, { block },
      q, k, v, out, logsum, n, scale)
    h.reference({ q, k, v, out, logsum }, { heads, n, D, scale })
    h.expect(out, 2e-5)
    h.expect(logsum, 2e-5)
  end,
}
