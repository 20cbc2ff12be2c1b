-- Separable 7-tap blur: rows by shared memory with aprons, columns straight from global memory; weights are constants.
return {
  field = "image",
  options = { fmad = false },
  cuda = [==[
#define R 3
#define TILE 45
__constant__ float weights[2 * R + 1] = { 0.03125f, 0.109375f, 0.21875f, 0.28125f, 0.21875f, 0.109375f, 0.03125f };

__device__ __forceinline__ int clampi(int v, int hi) { return v < 0 ? 0 : v > hi ? hi : v; }

__global__ void blur_rows(const float *in, float *out, int w, int h) {
  __shared__ float tile[TILE + 2 * R];
  int y = blockIdx.y, x0 = blockIdx.x * TILE;
  for (int i = threadIdx.x; i < TILE + 2 * R; i += blockDim.x)
    tile[i] = in[y * w + clampi(x0 + i - R, w - 1)];
  __syncthreads();
  int x = x0 + threadIdx.x;
  if (x >= w) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k <= 2 * R; k++) sum += weights[k] * tile[threadIdx.x + k];
  out[y * w + x] = sum;
}

__global__ void blur_columns(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int k = -R; k <= R; k++) sum += weights[k + R] * __ldg(&in[clampi(y + k, h - 1) * w + x]);
  out[y * w + x] = sum;
}]==],
  c = [==[
static const float weights[7] = { 0.03125f, 0.109375f, 0.21875f, 0.28125f, 0.21875f, 0.109375f, 0.03125f };
static void pass(const float *in, float *out, int w, int h, int dx, int dy) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0;
      for (int k = -3; k <= 3; k++) {
        int u = x + k * dx, v = y + k * dy;
        u = u < 0 ? 0 : u >= w ? w - 1 : u;
        v = v < 0 ? 0 : v >= h ? h - 1 : v;
        sum += weights[k + 3] * in[(size_t)v * w + u];
      }
      out[(size_t)y * w + x] = sum;
    }
}
void ref(void **p, const double *s) {
  pass(p[0], p[1], (int)s[0], (int)s[1], 1, 0);
  pass(p[1], p[2], (int)s[0], (int)s[1], 0, 1);
}]==],
  case = function(h, size)
    local w, height = h.pick(size, 101, 3072), h.pick(size, 67, 2048)
    local a, b, c = h.input("float32", w * height, 0, 255), h.output("float32", w * height),
      h.output("float32", w * height)
    h.launch("blur_rows", { (w + 44) // 45, height }, 45, a, b, w, height)
    h.launch("blur_columns", { (w + 18) // 19, (height + 4) // 5 }, { 19, 5 }, b, c, w, height)
    h.reference({ a, b, c }, { w, height })
    h.expect(b, 0)
    h.expect(c, 0)
  end,
}
