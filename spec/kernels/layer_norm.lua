-- Layer normalisation by Welford's method: threads keep running means, which are merged pairwise in the block.
return {
  field = "machine learning",
  cuda = [==[
struct welford {
  float mean, squares, count;
  __device__ void add(float v) {
    count += 1;
    float d = v - mean;
    mean += d / count;
    squares += d * (v - mean);
  }
  __device__ void merge(const welford &o) {
    if (o.count == 0) return;
    float n = count + o.count, d = o.mean - mean;
    mean += d * (o.count / n);
    squares += o.squares + d * d * (count * o.count / n);
    count = n;
  }
};

__global__ void layer_norm(const float *x, const float *gain, const float *bias, float *y, float *means, int columns,
                           float epsilon) {
  __shared__ welford part[256];
  const int t = threadIdx.x;
  x += (size_t)blockIdx.x * columns;
  y += (size_t)blockIdx.x * columns;
  welford w = { 0, 0, 0 };
  for (int i = t; i < columns; i += blockDim.x) w.add(x[i]);
  part[t] = w;
  __syncthreads();
  for (int n = blockDim.x; n > 1;) {  /* also where it is no power of two */
    int half = (n + 1) / 2;
    if (t + half < n) part[t].merge(part[t + half]);
    n = half;
    __syncthreads();
  }
  float mean = part[0].mean, scale = rsqrtf(part[0].squares / columns + epsilon);
  if (t == 0) means[blockIdx.x] = mean;
  for (int i = t; i < columns; i += blockDim.x) y[i] = fmaf((x[i] - mean) * scale, gain[i], bias[i]);
}]==],
  c = [==[
#include <math.h>
void ref(void **p, const double *s) {
  const float *x = p[0], *gain = p[1], *bias = p[2];
  float *y = p[3], *means = p[4];
  int rows = (int)s[0], columns = (int)s[1];
  for (int r = 0; r < rows; r++, x += columns, y += columns) {
    double sum = 0, squares = 0;
    for (int i = 0; i < columns; i++) sum += x[i];
    double mean = sum / columns;
    for (int i = 0; i < columns; i++) squares += (x[i] - mean) * (x[i] - mean);
    double deviation = sqrt(squares / columns + s[2]);
    for (int i = 0; i < columns; i++) y[i] = (float)((x[i] - mean) / deviation * gain[i] + bias[i]);
    means[r] = (float)mean;
  }
}]==],
  case = function(h, size)
    local rows, columns = h.pick(size, 23, 2000), h.pick(size, math.random(2, 400), 1000)
    local x = h.input("float32", rows * columns, -2, 5)
    local gain, bias = h.input("float32", columns, 0.5, 1.5), h.input("float32", columns, -1, 1)
    local y, means = h.output("float32", rows * columns), h.output("float32", rows)
    h.launch("layer_norm", { rows }, { h.pick(size, 83, 128) }, x, gain, bias, y, means, columns, 1e-5)
    h.reference({ x, gain, bias, y, means }, { rows, columns, 1e-5 })
    h.expect(y, 3e-5)
    h.expect(means, 1e-5)
  end,
}
