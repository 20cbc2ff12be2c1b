-- NV12 video frames to RGBA: vector loads and stores of bytes, fixed-point arithmetic, a table of constants.
return {
  field = "image",
  cuda = [==[
struct Matrix { int y, rv, gu, gv, bu; };
__constant__ Matrix standards[2] = { { 298, 409, -100, -208, 516 }, { 298, 459, -55, -136, 541 } };

__device__ __forceinline__ unsigned char clip(int v) {
  v >>= 8;
  return v < 0 ? 0 : v > 255 ? 255 : v;
}

__device__ uchar4 convert(int y, int u, int v, const Matrix &m) {
  int c = (y - 16) * m.y + 128;
  return make_uchar4(clip(c + m.rv * v), clip(c + m.gu * u + m.gv * v), clip(c + m.bu * u), 255);
}

// One thread makes 2x2 pixels, which share their colour.
__global__ void nv12_to_rgba(const unsigned char *luma, const unsigned char *chroma, unsigned char *rgba, int w, int h,
                             int standard) {
  int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= w || y >= h) return;
  uchar2 uv = *reinterpret_cast<const uchar2 *>(chroma + (y / 2) * w + x);
  uchar2 top = *reinterpret_cast<const uchar2 *>(luma + y * w + x);
  uchar2 bottom = *reinterpret_cast<const uchar2 *>(luma + (y + 1) * w + x);
  const Matrix &m = standards[standard];
  int u = uv.x - 128, v = uv.y - 128;
  uchar4 *out = reinterpret_cast<uchar4 *>(rgba);
  out[y * w + x] = convert(top.x, u, v, m);
  out[y * w + x + 1] = convert(top.y, u, v, m);
  out[(y + 1) * w + x] = convert(bottom.x, u, v, m);
  out[(y + 1) * w + x + 1] = convert(bottom.y, u, v, m);
}]==],
  c = [==[
static uint8_t clip(int v) { return (uint8_t)(v < 0 ? 0 : v / 256 > 255 ? 255 : v / 256); }
void ref(void **p, const double *s) {
  const uint8_t *luma = p[0], *chroma = p[1];
  uint8_t *rgba = p[2];
  int w = (int)s[0], h = (int)s[1], hd = (int)s[2];
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int c = 298 * (luma[y * w + x] - 16) + 128;
      int u = chroma[y / 2 * w + x / 2 * 2] - 128, v = chroma[y / 2 * w + x / 2 * 2 + 1] - 128;
      uint8_t *q = rgba + 4 * (y * w + x);
      q[0] = clip(c + (hd ? 459 : 409) * v);
      q[1] = clip(c - (hd ? 55 : 100) * u - (hd ? 136 : 208) * v);
      q[2] = clip(c + (hd ? 541 : 516) * u);
      q[3] = 255;
    }
}]==],
  case = function(h, size)
    local w, height, standard = h.pick(size, 118, 3840), h.pick(size, 74, 2160), math.random(0, 1)
    local luma, chroma = h.input("uint8", w * height), h.input("uint8", w * height // 2)
    local rgba = h.output("uint8", 4 * w * height)
    h.launch("nv12_to_rgba", { (w // 2 + 30) // 31, (height // 2 + 3) // 4 }, { 31, 4 }, luma, chroma, rgba, w, height,
      standard)
    h.reference({ luma, chroma, rgba }, { w, height, standard })
    h.expect(rgba, 0)
  end,
}
