-- Halves in pairs: y = a x + y with one rounding, a clamp through comparisons, and a dot product summed in float.
return {
  field = "linear algebra",
  cuda = [==[
#include <cuda_fp16.h>

__global__ void axpy(const void *x, void *y, float a, int pairs) {
  __half2 factor = __float2half2_rn(a);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
    __half2 u = static_cast<const __half2 *>(x)[i], v = static_cast<__half2 *>(y)[i];
    static_cast<__half2 *>(y)[i] = __hfma2(factor, u, v);
  }
}

__global__ void clamp_and_square(const unsigned short *in, unsigned short *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half v = __ushort_as_half(in[i]), hi = __float2half(0.75f), lo = __hneg(hi);
  if (__hgt(v, hi)) v = hi;
  else if (__hlt(v, lo)) v = lo;
  __half s = __hmul(v, v);
  out[i] = __half_as_ushort(__hle(__habs(v), __float2half(0.25f)) ? __hadd(s, s) : s);
}

__global__ void dot(const void *x, const void *y, float *sums, int pairs) {
  __shared__ float parts[8];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x) {
    float2 u = __half22float2(static_cast<const __half2 *>(x)[i]);
    float2 v = __half22float2(static_cast<const __half2 *>(y)[i]);
    sum += u.x * v.x + u.y * v.y;
  }
  for (int d = 1; d < 32; d *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; w++) sum += parts[w];
    sums[blockIdx.x] = sum;
  }
}

__global__ void total(const float *sums, int n, float *out) {
  float v = threadIdx.x < n ? sums[threadIdx.x] : 0;
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x == 0) *out = v;
}]==],
  c = [==[
static double value(uint16_t h) {
  int e = h >> 10 & 31, m = h & 1023;
  double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
  return h & 0x8000 ? -v : v;
}
/* To nearest, ties to even; no overflow here. */
static uint16_t half(double v) {
  uint16_t sign = signbit(v) ? 0x8000 : 0;
  v = fabs(v);
  int e;
  frexp(v, &e); /* v = m 2^e, m in [0.5, 1) */
  int unit = v == 0 || e < -13 ? -24 : e - 11;
  double steps = rint(ldexp(v, -unit)); /* of 2^unit; carries into the exponent by itself */
  return (uint16_t)(sign | (unit == -24 && steps < 1024 ? (int)steps : ((unit + 24) << 10) + (int)steps));
}
void ref(void **p, const double *s) {
  const uint16_t *x = p[0];
  uint16_t *y = p[1], *z = p[2];
  float *dot = p[3];
  int n = (int)s[0];
  double sum = 0, a = value(half(s[1]));
  for (int i = 0; i < n; i++) {
    y[i] = half(a * value(x[i]) + value(y[i]));
    double v = value(y[i]);
    v = v > 0.75 ? 0.75 : v < -0.75 ? -0.75 : v;
    double square = value(half(v * v));
    z[i] = half(fabs(v) <= 0.25 ? square + square : square);
    sum += value(x[i]) * value(y[i]);
  }
  *dot = (float)sum;
}]==],
  case = function(h, size)
    local n = h.pick(size, 4074, 1 << 20)
    local x, y, z = h.input("float16", n), h.input("float16", n), h.output("float16", n)
    local sums, dot = h.output("float32", 16), h.output("float32", 1)
    h.launch("axpy", 7, 96, x, y, 1.3, n // 2)
    h.launch("clamp_and_square", (n + 99) // 100, 100, y, z, n)
    h.launch("dot", 16, 160, x, y, sums, n // 2)
    h.launch("total", 1, 32, sums, 16, dot)
    h.reference({ x, y, z, dot }, { n, 1.3 })
    h.expect(y, 0)
    h.expect(z, 0)
    h.expect(dot, 0, { absolute = 1e-2 })
  end,
}
