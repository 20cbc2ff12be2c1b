-- Batch normalisation for training: a block a channel, Kahan sums in a grid of threads two-dimensional over batch and
-- area, running averages updated.
return {
  field = "machine learning",
  cuda = [==[
struct compensated {
  float sum, lost;
  __device__ __forceinline__ void add(float v) {
    float y = __fsub_rn(v, lost), t = __fadd_rn(sum, y);
    lost = __fsub_rn(__fsub_rn(t, sum), y);
    sum = t;
  }
};

__device__ float block_total(float v, float *scratch) {
  int t = threadIdx.y * blockDim.x + threadIdx.x, n = blockDim.x * blockDim.y;
  __syncthreads();
  scratch[t] = v;
  __syncthreads();
  if (t == 0) {
    compensated c = { 0, 0 };
    for (int i = 0; i < n; i++) c.add(scratch[i]);
    scratch[0] = c.sum;
  }
  __syncthreads();
  return scratch[0];
}

__global__ void batch_norm(const float *x, float *y, const float *gain, const float *bias, float2 *running, int batch,
                           int channels, int area, float momentum) {
  extern __shared__ float scratch[];
  int c = blockIdx.x;
  compensated sum = { 0, 0 }, squares = { 0, 0 };
  for (int b = threadIdx.y; b < batch; b += blockDim.y)
    for (int i = threadIdx.x; i < area; i += blockDim.x) sum.add(x[((size_t)b * channels + c) * area + i]);
  float n = (float)batch * area, mean = block_total(sum.sum, scratch) / n;
  for (int b = threadIdx.y; b < batch; b += blockDim.y)
    for (int i = threadIdx.x; i < area; i += blockDim.x) {
      float d = x[((size_t)b * channels + c) * area + i] - mean;
      squares.add(d * d);
    }
  float variance = block_total(squares.sum, scratch) / n, scale = gain[c] / sqrtf(variance + 1e-5f);
  for (int b = threadIdx.y; b < batch; b += blockDim.y)
    for (int i = threadIdx.x; i < area; i += blockDim.x) {
      size_t at = ((size_t)b * channels + c) * area + i;
      y[at] = (x[at] - mean) * scale + bias[c];
    }
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    running[c].x = (1 - momentum) * running[c].x + momentum * mean;
    running[c].y = (1 - momentum) * running[c].y + momentum * variance * n / (n - 1);
  }
}]==],
  c = [==[
#include <math.h>
void ref(void **p, const double *s) {
  const float *x = p[0], *gain = p[2], *bias = p[3];
  float *y = p[1], *running = p[4];
  int B = (int)s[0], C = (int)s[1], A = (int)s[2];
  for (int c = 0; c < C; c++) {
    double sum = 0, squares = 0, n = (double)B * A;
    for (int b = 0; b < B; b++)
      for (int i = 0; i < A; i++) {
        double v = x[(b * C + c) * A + i];
        sum += v;
        squares += v * v;
      }
    double mean = sum / n, variance = squares / n - mean * mean;
    for (int b = 0; b < B; b++)
      for (int i = 0; i < A; i++)
        y[(b * C + c) * A + i] = (float)((x[(b * C + c) * A + i] - mean) / sqrt(variance + 1e-5) * gain[c] + bias[c]);
    running[2 * c] = (float)(running[2 * c] + s[3] * (mean - running[2 * c]));
    running[2 * c + 1] = (float)(running[2 * c + 1] + s[3] * (variance * n / (n - 1) - running[2 * c + 1]));
  }
}]==],
  case = function(h, size)
    local B, C, A = h.pick(size, 5, 16), h.pick(size, 7, 64), h.pick(size, math.random(4, 130), 4096)
    local x, y = h.input("float32", B * C * A, -1, 3), h.output("float32", B * C * A)
    local gain, bias = h.input("float32", C, 0.5, 2), h.input("float32", C, -1, 1)
    local running = h.input("float32", 2 * C, 0, 1)
    h.shared(4 * 13 * 5)
    h.launch("batch_norm", { C }, { 13, 5 }, x, y, gain, bias, running, B, C, A, 0.1)
    h.reference({ x, y, gain, bias, running }, { B, C, A, 0.1 })
    h.expect(y, 2e-5)
    h.expect(running, 1e-5)
  end,
}
