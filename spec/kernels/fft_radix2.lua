-- Fourier transforms of 2^k points in shared memory, radix 2, forwards or back; twiddles by sincospif.
return {
  field = "signal",
  cuda = [==[
__device__ __forceinline__ float2 mul(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

template <int LOG> __global__ void fft(const float2 *in, float2 *out, float sign) {
  constexpr int N = 1 << LOG;
  __shared__ float2 x[N];
  in += blockIdx.x * N;
  out += blockIdx.x * N;
  for (int i = threadIdx.x; i < N; i += blockDim.x) x[__brev((unsigned)i) >> (32 - LOG)] = in[i];
#pragma unroll
  for (int stage = 0; stage < LOG; stage++) {
    const int half = 1 << stage;
    __syncthreads();
    for (int k = threadIdx.x; k < N / 2; k += blockDim.x) {
      int j = k & (half - 1), a = ((k >> stage) << (stage + 1)) | j, b = a + half;
      float s, c;
      sincospif(sign * (float)j / (float)half, &s, &c);
      float2 u = x[a], v = mul(x[b], make_float2(c, s));
      x[a] = make_float2(u.x + v.x, u.y + v.y);
      x[b] = make_float2(u.x - v.x, u.y - v.y);
    }
  }
  __syncthreads();
  float scale = sign > 0 ? 1.0f / N : 1.0f;
  for (int i = threadIdx.x; i < N; i += blockDim.x) out[i] = make_float2(x[i].x * scale, x[i].y * scale);
}]==],
  c = [==[
#include <complex.h>
#include <math.h>
#include <stdlib.h>
/* Recursion on even and odd points, in double. */
static void transform(double complex *x, int n, int stride, double complex *out, double sign) {
  if (n == 1) { out[0] = x[0]; return; }
  transform(x, n / 2, 2 * stride, out, sign);
  transform(x + stride, n / 2, 2 * stride, out + n / 2, sign);
  for (int k = 0; k < n / 2; k++) {
    double complex u = out[k], v = out[k + n / 2] * cexp(sign * I * 3.14159265358979323846 * k / (n / 2));
    out[k] = u + v;
    out[k + n / 2] = u - v;
  }
}
void ref(void **p, const double *s) {
  const float *in = p[0];
  float *out = p[1];
  int n = (int)s[0], count = (int)s[1];
  double complex *x = malloc(sizeof *x * (size_t)n), *y = malloc(sizeof *y * (size_t)n);
  for (int b = 0; b < count; b++, in += 2 * n, out += 2 * n) {
    for (int i = 0; i < n; i++) x[i] = in[2 * i] + I * in[2 * i + 1];
    transform(x, n, 1, y, s[2]);
    for (int i = 0; i < n; i++) {
      out[2 * i] = (float)(creal(y[i]) / (s[2] > 0 ? n : 1));
      out[2 * i + 1] = (float)(cimag(y[i]) / (s[2] > 0 ? n : 1));
    }
  }
  free(x); free(y);
}]==],
  case = function(h, size)
    local log, count = h.pick(size, math.random(1, 9), 10), h.pick(size, 5, 300)
    local n, sign = 1 << log, math.random(2) * 2 - 3
    local x, y = h.input("float32", 2 * n * count), h.output("float32", 2 * n * count)
    h.launch(("fft<%d>"):format(log), { count }, { h.pick(size, 35, 128) }, x, y, sign)
    h.reference({ x, y }, { n, count, sign })
    h.expect(y, 1e-5)
  end,
}
