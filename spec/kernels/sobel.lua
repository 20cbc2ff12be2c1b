-- Sobel edges of a grey picture: a 2-d block of odd shape, a tile with a border, threads outside return late.
return {
  field = "image",
  cuda = [==[
#define BX 9
#define BY 7
__global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h, int threshold) {
  __shared__ int tile[BY + 2][BX + 2];
  int x0 = blockIdx.x * BX - 1, y0 = blockIdx.y * BY - 1;
  for (int i = threadIdx.y * BX + threadIdx.x; i < (BX + 2) * (BY + 2); i += BX * BY) {
    int x = x0 + i % (BX + 2), y = y0 + i / (BX + 2);
    tile[i / (BX + 2)][i % (BX + 2)] = x >= 0 && y >= 0 && x < w && y < h ? in[y * w + x] : 0;
  }
  __syncthreads();
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = x0 + tx, y = y0 + ty;
  if (x >= w || y >= h) return;
  int gx = 0, gy = 0;
  for (int d = -1; d <= 1; d++) {
    int weight = 2 - abs(d);
    gx += weight * (tile[ty + d][tx + 1] - tile[ty + d][tx - 1]);
    gy += weight * (tile[ty + 1][tx + d] - tile[ty - 1][tx + d]);
  }
  int g = min(abs(gx) + abs(gy), 255);
  out[y * w + x] = g >= threshold ? g : 0;
}]==],
  c = [==[
static int at(const uint8_t *in, int x, int y, int w, int h) {
  return x < 0 || y < 0 || x >= w || y >= h ? 0 : in[y * w + x];
}
void ref(void **p, const double *s) {
  static const int kx[3][3] = { { -1, 0, 1 }, { -2, 0, 2 }, { -1, 0, 1 } };
  const uint8_t *in = p[0];
  uint8_t *out = p[1];
  int w = (int)s[0], h = (int)s[1], threshold = (int)s[2];
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int gx = 0, gy = 0;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          int v = at(in, x + j - 1, y + i - 1, w, h);
          gx += kx[i][j] * v;
          gy += kx[j][i] * v;
        }
      int g = abs(gx) + abs(gy);
      if (g > 255) g = 255;
      out[y * w + x] = (uint8_t)(g < threshold ? 0 : g);
    }
}]==],
  case = function(h, size)
    local w, height = h.pick(size, 131, 2900), h.pick(size, 58, 1700)
    local a, b = h.input("uint8", w * height), h.output("uint8", w * height)
    h.launch("sobel", { (w + 8) // 9, (height + 6) // 7 }, { 9, 7 }, a, b, w, height, 90)
    h.reference({ a, b }, { w, height, 90 })
    h.expect(b, 0)
  end,
}
