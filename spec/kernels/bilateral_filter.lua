-- Bilateral filter: spatial weights in shared memory, made by the block; range weights by expf.
return {
  field = "image",
  cuda = [==[
#define R 4
#define SIDE (2 * R + 1)
struct Options { float sigma_space, sigma_range; int w, h; };

__global__ void bilateral(const float *in, float *out, const Options *options) {
  const Options o = *options;
  __shared__ float space[SIDE * SIDE];
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  for (; t < SIDE * SIDE; t += blockDim.x * blockDim.y) {
    float dx = t % SIDE - R, dy = t / SIDE - R;
    space[t] = expf(-(dx * dx + dy * dy) / (2.0f * o.sigma_space * o.sigma_space));
  }
  __syncthreads();
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= o.w || y >= o.h) return;
  float centre = in[y * o.w + x], sum = 0, norm = 0;
  const float scale = -0.5f / (o.sigma_range * o.sigma_range);
  for (int dy = -R; dy <= R; dy++) {
    if (y + dy < 0 || y + dy >= o.h) continue;
    for (int dx = -R; dx <= R; dx++) {
      if (x + dx < 0) continue;
      if (x + dx >= o.w) break;
      float v = in[(y + dy) * o.w + x + dx], d = v - centre;
      float weight = space[(dy + R) * SIDE + dx + R] * expf(d * d * scale);
      sum += weight * v;
      norm += weight;
    }
  }
  out[y * o.w + x] = sum / norm;
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const float *in = p[0];
  float *out = p[1];
  int w = (int)s[2], h = (int)s[3];
  float ss = 2 * (float)(s[0] * s[0]), sr = 2 * (float)(s[1] * s[1]);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0, norm = 0, c = in[y * w + x];
      int y0 = y < 4 ? 0 : y - 4, y1 = y + 4 >= h ? h - 1 : y + 4;
      int x0 = x < 4 ? 0 : x - 4, x1 = x + 4 >= w ? w - 1 : x + 4;
      for (int v = y0; v <= y1; v++)
        for (int u = x0; u <= x1; u++) {
          float q = in[v * w + u];
          float e = expf(-(float)((u - x) * (u - x) + (v - y) * (v - y)) / ss - (q - c) * (q - c) / sr);
          sum += e * q;
          norm += e;
        }
      out[y * w + x] = sum / norm;
    }
}]==],
  case = function(h, size)
    local w, height = h.pick(size, 61, 320), h.pick(size, 47, 240)
    local a, b = h.input("float32", w * height, 0, 1), h.output("float32", w * height)
    local options = h.raw("uint8", string.pack("<ffi4i4", 2.5, 0.3, w, height))
    h.launch("bilateral", { (w + 12) // 13, (height + 10) // 11 }, { 13, 11 }, a, b, options)
    h.reference({ a, b }, { 2.5, 0.3, w, height })
    h.expect(b, 1e-5)
  end,
}
