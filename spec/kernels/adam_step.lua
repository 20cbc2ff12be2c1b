-- Adam with decoupled weight decay: parameters in half precision, a float master copy, moments in float, the norm of
-- the gradient clipped.
return {
  field = "machine learning",
  unordered = true,
  cuda = [==[
#include <cuda_fp16.h>

struct settings { float rate, beta1, beta2, epsilon, decay, clip; int step; };

__global__ void square_norm(const void *halves, int n, float *norm) {
  const __half *gradient = (const __half *)halves;
  float sum = 0;
  const __half2 *pairs = (const __half2 *)gradient;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * blockDim.x) {
    float2 v = __half22float2(pairs[i]);
    sum += v.x * v.x + v.y * v.y;
  }
  if ((n & 1) && blockIdx.x == 0 && threadIdx.x == 0) {
    float v = __half2float(gradient[n - 1]);
    sum += v * v;
  }
  for (int d = 1; d < 32; d *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if ((threadIdx.x & 31) == 0) atomicAdd(norm, sum);
}

__global__ void step(void *parameter, const void *gradient, float *master, float2 *moments, const float *norm,
                     const settings *by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const settings s = *by;
  float length = sqrtf(*norm), g = __half2float(((const __half *)gradient)[i]);
  if (length > s.clip) g *= s.clip / length;
  float2 m = moments[i];
  m.x = s.beta1 * m.x + (1 - s.beta1) * g;
  m.y = s.beta2 * m.y + (1 - s.beta2) * g * g;
  float first = m.x / (1 - powf(s.beta1, (float)s.step)), second = m.y / (1 - powf(s.beta2, (float)s.step));
  float w = master[i];
  w -= s.rate * (first / (sqrtf(second) + s.epsilon) + s.decay * w);
  moments[i] = m;
  master[i] = w;
  ((__half *)parameter)[i] = __float2half_rn(w);
}]==],
  c = [==[
#include <math.h>
static double half(unsigned short h) {
  int e = h >> 10 & 31, m = h & 1023;
  double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
  return h >> 15 ? -v : v;
}
static unsigned short to_half(double v) {
  int e;
  frexp(v, &e);
  double unit = ldexp(1, e < -13 ? -24 : e - 11), steps = nearbyint(fabs(v) / unit);
  return (unsigned short)((v < 0) << 15 | (int)(e < -13 ? steps : steps + 1024 * (e + 13)));
}
void ref(void **p, const double *s) {
  const unsigned short *gradient = p[0];
  float *master = p[1], *moments = p[2];
  unsigned short *parameter = p[3];
  int n = (int)s[0];
  double norm = 0;
  for (int i = 0; i < n; i++) norm += half(gradient[i]) * half(gradient[i]);
  norm = sqrt(norm);
  for (int i = 0; i < n; i++) {
    double g = half(gradient[i]) * (norm > s[6] ? s[6] / norm : 1);
    double m = s[2] * moments[2 * i] + (1 - s[2]) * g, v = s[3] * moments[2 * i + 1] + (1 - s[3]) * g * g;
    double a = m / (1 - pow(s[2], s[7])), b = v / (1 - pow(s[3], s[7]));
    moments[2 * i] = (float)m;
    moments[2 * i + 1] = (float)v;
    master[i] = (float)(master[i] - s[1] * (a / (sqrt(b) + s[4]) + s[5] * master[i]));
    parameter[i] = to_half(master[i]);
  }
}]==],
  case = function(h, size)
    local n = h.pick(size, 2777, 300000)
    local rate, beta1, beta2, epsilon, decay, clip, step = 0.01, 0.9, 0.999, 1e-6, 0.1, 20, math.random(2, 50)
    local gradient, parameter = h.input("float16", n, -1, 1), h.output("float16", n)
    local master, moments = h.input("float32", n, -1, 1), h.input("float32", 2 * n, 0, 0.5)
    local norm = h.output("float32", 1)
    h.launch("square_norm", { 4 }, { 96 }, gradient, n, norm)
    local settings = h.raw("uint8", string.pack("<ffffffi4", rate, beta1, beta2, epsilon, decay, clip, step))
    h.launch("step", { (n + 127) // 128 }, { 128 }, parameter, gradient, master, moments, norm, settings, n)
    h.reference({ gradient, master, moments, parameter }, { n, rate, beta1, beta2, epsilon, decay, clip, step })
    h.expect(master, 1e-5)
    h.expect(moments, 1e-5)
    h.expect(parameter, 1e-3) -- the last bit of a half, where the floats differ
  end,
}
