-- Speckle-reducing anisotropic diffusion: statistics of the picture by one block, then coefficients, then the update.
return {
  field = "image",
  cuda = [==[
struct Moments {
  double sum, squares;
  __device__ Moments operator+(const Moments &o) const { return { sum + o.sum, squares + o.squares }; }
};

__device__ Moments shuffled(Moments m, int d) {
  return { __shfl_down_sync(0xffffffffu, m.sum, d), __shfl_down_sync(0xffffffffu, m.squares, d) };
}

__global__ void __launch_bounds__(256) statistics(const float *image, int n, float *q0) {
  __shared__ Moments warps[8];
  Moments m = { 0, 0 };
  for (int i = threadIdx.x; i < n; i += blockDim.x) m = m + Moments{ image[i], (double)image[i] * image[i] };
#pragma unroll
  for (int d = 16; d; d >>= 1) m = m + shuffled(m, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = m;
  __syncthreads();
  if (threadIdx.x) return;
  for (int w = 1; w < blockDim.x / 32; w++) m = m + warps[w];
  double mean = m.sum / n;
  *q0 = (float)((m.squares / n - mean * mean) / (mean * mean));
}

__device__ int pinned(int v, int n) { return v < 0 ? 0 : v < n ? v : n - 1; }

__global__ void coefficients(const float *image, float *c, const float *q0, int rows, int cols) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows || j >= cols) return;
  float v = image[i * cols + j];
  float n = image[pinned(i - 1, rows) * cols + j] - v, s = image[pinned(i + 1, rows) * cols + j] - v;
  float w = image[i * cols + pinned(j - 1, cols)] - v, e = image[i * cols + pinned(j + 1, cols)] - v;
  float g2 = (n * n + s * s + w * w + e * e) / (v * v), l = (n + s + w + e) / v;
  float den = 1.0f + 0.25f * l, q = (0.5f * g2 - 0.0625f * l * l) / (den * den);
  c[i * cols + j] = __saturatef(1.0f / (1.0f + (q - *q0) / (*q0 * (1.0f + *q0))));
}

__global__ void diffuse(const float *image, const float *c, float *out, int rows, int cols, float lambda) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows || j >= cols) return;
  int at = i * cols + j, down = pinned(i + 1, rows) * cols + j, right = i * cols + pinned(j + 1, cols);
  float v = image[at], d = c[at] * (image[pinned(i - 1, rows) * cols + j] - v) + c[down] * (image[down] - v) +
            c[at] * (image[i * cols + pinned(j - 1, cols)] - v) + c[right] * (image[right] - v);
  out[at] = v + 0.25f * lambda * d;
}]==],
  c = [==[
static double pixel(const float *a, int i, int j, int rows, int cols) {
  i = i < 0 ? 0 : i >= rows ? rows - 1 : i;
  j = j < 0 ? 0 : j >= cols ? cols - 1 : j;
  return a[i * cols + j];
}
void ref(void **p, const double *s) {
  float *a = p[0], *c = p[1], *b = p[2];
  int rows = (int)s[0], cols = (int)s[1];
  for (int step = 0; step < (int)s[2]; step++) {
    double mean = 0, variance = 0;
    for (int i = 0; i < rows * cols; i++) mean += a[i];
    mean /= rows * cols;
    for (int i = 0; i < rows * cols; i++) variance += (a[i] - mean) * (a[i] - mean);
    double q0 = variance / (rows * cols) / (mean * mean);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++) {
        double v = pixel(a, i, j, rows, cols), g = 0, l = 0;
        for (int k = 0; k < 4; k++) {
          double d = pixel(a, i + (k == 0) - (k == 1), j + (k == 2) - (k == 3), rows, cols) - v;
          g += d * d;
          l += d;
        }
        double q = (g / (v * v) / 2 - l * l / (v * v) / 16) / pow(1 + l / v / 4, 2);
        double k = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
        c[i * cols + j] = (float)(k < 0 ? 0 : k > 1 ? 1 : k);
      }
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++) {
        double v = a[i * cols + j], here = c[i * cols + j];
        double d = here * (pixel(a, i - 1, j, rows, cols) + pixel(a, i, j - 1, rows, cols) - 2 * v) +
                   pixel(c, i + 1, j, rows, cols) * (pixel(a, i + 1, j, rows, cols) - v) +
                   pixel(c, i, j + 1, rows, cols) * (pixel(a, i, j + 1, rows, cols) - v);
        b[i * cols + j] = (float)(v + s[3] / 4 * d);
      }
    float *t = a;
    a = b;
    b = t;
  }
}]==],
  case = function(h, size)
    local rows, cols, steps = h.pick(size, 45, 500), h.pick(size, 62, 600), h.pick(size, 2, 6)
    local n = rows * cols
    local a, c, b = h.input("float32", n, 0.7, 1.7), h.output("float32", n), h.output("float32", n)
    local q0 = h.output("float32", 1)
    local from, to = a, b
    local grid, block = { (cols + 19) // 20, (rows + 6) // 7 }, { 20, 7 }
    for _ = 1, steps do
      h.launch("statistics", 1, 256, from, n, q0)
      h.launch("coefficients", grid, block, from, c, q0, rows, cols)
      h.launch("diffuse", grid, block, from, c, to, rows, cols, 0.5)
      from, to = to, from
    end
    h.reference({ a, c, b }, { rows, cols, steps, 0.5 })
    h.expect(from, 1e-5)
    h.expect(c, 1e-4)
  end,
}
