-- Bilinear resize of RGBA pictures, and bicubic of one channel; positions as pixel centres.
return {
  field = "image",
  cuda = [==[
struct Size { int w, h; };

__device__ inline float4 unpack(uchar4 c) { return make_float4(c.x, c.y, c.z, c.w); }
__device__ inline float4 mix(float4 a, float4 b, float t) {
  return make_float4(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t, a.w + (b.w - a.w) * t);
}

__global__ void bilinear(const uchar4 *in, uchar4 *out, const Size *sizes) {
  const Size from = sizes[0], to = sizes[1];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= to.w || y >= to.h) return;
  float fx = (x + 0.5f) * from.w / to.w - 0.5f, fy = (y + 0.5f) * from.h / to.h - 0.5f;
  float x0 = floorf(fx), y0 = floorf(fy);
  int l = max((int)x0, 0), r = min((int)x0 + 1, from.w - 1), t = max((int)y0, 0), b = min((int)y0 + 1, from.h - 1);
  float4 top = mix(unpack(in[t * from.w + l]), unpack(in[t * from.w + r]), fx - x0);
  float4 low = mix(unpack(in[b * from.w + l]), unpack(in[b * from.w + r]), fx - x0);
  float4 c = mix(top, low, fy - y0);
  out[y * to.w + x] = make_uchar4(__float2int_rn(c.x), __float2int_rn(c.y), __float2int_rn(c.z), __float2int_rn(c.w));
}

__device__ float cubic(float t) {
  t = fabsf(t);
  if (t < 1.0f) return (1.5f * t - 2.5f) * t * t + 1.0f;
  if (t < 2.0f) return ((-0.5f * t + 2.5f) * t - 4.0f) * t + 2.0f;
  return 0.0f;
}

__global__ void bicubic(const float *in, float *out, const Size *sizes) {
  const Size from = sizes[0], to = sizes[1];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= to.w || y >= to.h) return;
  float fx = (x + 0.5f) * from.w / to.w - 0.5f, fy = (y + 0.5f) * from.h / to.h - 0.5f;
  int ix = __float2int_rd(fx), iy = __float2int_rd(fy);
  float sum = 0;
#pragma unroll
  for (int j = -1; j <= 2; j++) {
    int v = min(max(iy + j, 0), from.h - 1);
    float row = 0;
#pragma unroll
    for (int i = -1; i <= 2; i++) row += cubic(fx - (ix + i)) * in[v * from.w + min(max(ix + i, 0), from.w - 1)];
    sum += cubic(fy - (iy + j)) * row;
  }
  out[y * to.w + x] = sum;
}]==],
  c = [==[
static int clamp(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }
static double cubic(double t) {
  t = fabs(t);
  return t < 1 ? 1.5 * t * t * t - 2.5 * t * t + 1 : t < 2 ? -0.5 * t * t * t + 2.5 * t * t - 4 * t + 2 : 0;
}
void ref(void **p, const double *s) {
  const uint8_t *in = p[0];
  const float *grey = p[2];
  uint8_t *out = p[1];
  float *smooth = p[3];
  int w = (int)s[0], h = (int)s[1], tw = (int)s[2], th = (int)s[3];
  for (int y = 0; y < th; y++)
    for (int x = 0; x < tw; x++) {
      double fx = (x + 0.5) * w / tw - 0.5, fy = (y + 0.5) * h / th - 0.5;
      int ix = (int)floor(fx), iy = (int)floor(fy);
      for (int c = 0; c < 4; c++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) {
          int u = ix + k % 2, v = iy + k / 2;
          sum += (1 - fabs(fx - u)) * (1 - fabs(fy - v)) * in[4 * (clamp(v, h) * w + clamp(u, w)) + c];
        }
        out[4 * (y * tw + x) + c] = (uint8_t)lrint(sum);
      }
      double sum = 0;
      for (int k = 0; k < 16; k++) {
        int u = ix - 1 + k % 4, v = iy - 1 + k / 4;
        sum += cubic(fx - u) * cubic(fy - v) * grey[clamp(v, h) * w + clamp(u, w)];
      }
      smooth[y * tw + x] = (float)sum;
    }
}]==],
  case = function(h, size)
    local w, height = h.pick(size, 53, 640), h.pick(size, 37, 480)
    local tw, th = h.pick(size, 81, 1000), h.pick(size, 45, 700)
    local a, b = h.input("uint8", 4 * w * height), h.output("uint8", 4 * tw * th)
    local c, d = h.input("float32", w * height, 0, 1), h.output("float32", tw * th)
    local sizes = h.raw("uint8", string.pack("<i4i4i4i4", w, height, tw, th))
    h.launch("bilinear", { (tw + 16) // 17, (th + 4) // 5 }, { 17, 5 }, a, b, sizes)
    h.launch("bicubic", { (tw + 31) // 32, (th + 7) // 8 }, { 32, 8 }, c, d, sizes)
    h.reference({ a, b, c, d }, { w, height, tw, th })
    h.expect(b, 0, { absolute = 1 }) -- a sum near one half may round to either side
    h.expect(d, 2e-4)
  end,
}
