-- Activation functions chosen through a table of function pointers: leaky ReLU, GELU, SiLU, softplus, and their sum.
return {
  field = "machine learning",
  cuda = [==[
typedef float (*function)(float);

__device__ float leaky(float x) { return x > 0 ? x : 0.01f * x; }
__device__ float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }
__device__ float silu(float x) { return x / (1.0f + expf(-x)); }
__device__ float softplus(float x) { return x > 20 ? x : log1pf(expf(x)); }
__device__ float squash(float x) { return tanhf(x); }

__device__ const function table[5] = { leaky, gelu, silu, softplus, squash };

__global__ void activate(const float *x, const unsigned char *which, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = table[which[i]](x[i]);
}

/* The same for a whole array, chosen for the launch. */
__global__ void activate_all(const float *x, int which, float *y, int n) {
  function f = table[which];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = f(x[i]);
}]==],
  c = [==[
#include <math.h>
static double apply(int which, double x) {
  if (which == 0) return fmax(x, 0) + 0.01f * fmin(x, 0);
  if (which == 1) return x * 0.5 * erfc(-x * sqrt(0.5));
  if (which == 2) return x / (1 + exp(-x));
  if (which == 3) return fmax(x, 0) + log1p(exp(-fabs(x)));
  return tanh(x);
}
void ref(void **p, const double *s) {
  const float *x = p[0];
  const unsigned char *which = p[1];
  float *y = p[2], *all = p[3];
  int n = (int)s[0];
  for (int i = 0; i < n; i++) {
    y[i] = (float)apply(which[i], x[i]);
    all[i] = (float)apply((int)s[1], x[i]);
  }
}]==],
  case = function(h, size)
    local n, which = h.pick(size, 2017, 400000), math.random(0, 4)
    local x, each = h.input("float32", n, -4, 30), h.input("uint8", n, 0, 5)
    local y, all = h.output("float32", n), h.output("float32", n)
    h.launch("activate", { (n + 99) // 100 }, { 100 }, x, each, y, n)
    h.launch("activate_all", { 5 }, { 64 }, x, which, all, n)
    h.reference({ x, each, y, all }, { n, which })
    h.expect(y, 2e-6)
    h.expect(all, 2e-6)
  end,
}
