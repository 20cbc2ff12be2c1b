-- The cosine transform of 8x8 blocks (rows, then columns, through shared memory), two in a block of threads, and
-- a quantiser with a dead zone.
return {
  field = "signal",
  cuda = [==[
__device__ void dct8(float *v, int stride) {
  float x[8], y[8];
  for (int i = 0; i < 8; i++) x[i] = v[i * stride];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) sum += x[i] * cospif((2 * i + 1) * k / 16.0f);
    y[k] = sum * (k == 0 ? 0.35355339f : 0.5f);
  }
  for (int i = 0; i < 8; i++) v[i * stride] = y[i];
}

__global__ void dct_blocks(const unsigned char *image, float *coefficients, short *quantised,
                           const unsigned char *steps, int width, int height) {
  __shared__ float cell[2][8][9];
  int t = threadIdx.x, b = threadIdx.y, bx = blockIdx.x * 2 + b, by = blockIdx.y;
  bool inside = bx < width / 8;
  if (inside)
    for (int i = 0; i < 8; i++) cell[b][i][t] = image[(by * 8 + i) * width + bx * 8 + t] - 128.0f;
  __syncthreads();
  if (inside) dct8(&cell[b][t][0], 1);
  __syncthreads();
  if (!inside) return;
  dct8(&cell[b][0][t], 9);
  for (int i = 0; i < 8; i++) {
    float v = cell[b][i][t];
    int at = (by * 8 + i) * width + bx * 8 + t;
    coefficients[at] = v;
    quantised[at] = (short)copysignf(truncf(fabsf(v) / steps[i * 8 + t] + 0.3137f), v);
  }
}]==],
  c = [==[
#include <math.h>
/* The definition: a double sum for each coefficient. */
void ref(void **p, const double *s) {
  const unsigned char *image = p[0], *steps = p[3];
  float *coefficients = p[1];
  short *quantised = p[2];
  int w = (int)s[0], h = (int)s[1];
  double c[8][8];
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 8; k++) c[i][k] = cos((2 * i + 1) * k * 3.14159265358979323846 / 16) * (k ? 0.5 : sqrt(0.125));
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      double sum = 0;
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
          sum += (image[(y / 8 * 8 + i) * w + x / 8 * 8 + j] - 128) * c[i][y % 8] * c[j][x % 8];
      coefficients[y * w + x] = (float)sum;
      quantised[y * w + x] = (short)((sum < 0 ? -1 : 1) * floor(fabs(sum) / steps[y % 8 * 8 + x % 8] + 0.3137f));
    }
}]==],
  case = function(h, size)
    local w, hh = 8 * h.pick(size, math.random(1, 9), 64), 8 * h.pick(size, math.random(1, 9), 48)
    local image, steps = h.input("uint8", w * hh), h.input("uint8", 64, 1, 100)
    local coefficients, quantised = h.output("float32", w * hh), h.output("int16", w * hh)
    h.launch("dct_blocks", { (w // 8 + 1) // 2, hh // 8 }, { 8, 2 }, image, coefficients, quantised, steps, w, hh)
    h.reference({ image, coefficients, quantised, steps }, { w, hh })
    h.expect(coefficients, 2e-5)
    h.expect(quantised, 0, { share = 2e-3 }) -- a value between two steps may fall to either
  end,
}
