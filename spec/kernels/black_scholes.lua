-- European option prices in closed form, with the polynomial approximation of the normal distribution, and their
-- deltas.
return {
  field = "finance",
  cuda = [==[
__device__ float normal_cdf(float d) {
  const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float c = 0.39894228040143267794f * expf(-0.5f * d * d) * (k * (A1 + k * (A2 + k * (A3 + k * (A4 + k * A5)))));
  return d > 0 ? 1.0f - c : c;
}

__global__ void __launch_bounds__(128) price(const float *__restrict__ spot, const float *__restrict__ strike,
                                             const float *__restrict__ years, float rate, float volatility,
                                             float2 *__restrict__ call_put, float *__restrict__ delta, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float root = sqrtf(years[i]);
    float d1 = __fdividef(logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i],
                          volatility * root);
    float d2 = d1 - volatility * root;
    float n1 = normal_cdf(d1), n2 = normal_cdf(d2), discount = expf(-rate * years[i]);
    float call = spot[i] * n1 - strike[i] * discount * n2;
    call_put[i] = make_float2(call, strike[i] * discount * (1.0f - n2) - spot[i] * (1.0f - n1));
    delta[i] = n1;
  }
}]==],
  c = [==[
#include <math.h>
/* In double, with erfc. */
static double phi(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
void ref(void **p, const double *s) {
  const float *S = p[0], *X = p[1], *T = p[2];
  float *out = p[3], *delta = p[4];
  double r = s[0], v = s[1];
  int n = (int)s[2];
  for (int i = 0; i < n; i++) {
    double q = v * sqrt((double)T[i]), d1 = (log((double)S[i] / X[i]) + (r + 0.5 * v * v) * T[i]) / q, d2 = d1 - q;
    double k = X[i] * exp(-r * T[i]), call = S[i] * phi(d1) - k * phi(d2);
    out[2 * i] = (float)call;
    out[2 * i + 1] = (float)(call - S[i] + k);
    delta[i] = (float)phi(d1);
  }
}]==],
  case = function(h, size)
    local n, rate, volatility = h.pick(size, 3001, 600000), 0.02, 0.3
    local spot, strike = h.input("float32", n, 5, 30), h.input("float32", n, 1, 100)
    local years, prices, delta = h.input("float32", n, 0.25, 10), h.output("float32", 2 * n), h.output("float32", n)
    h.launch("price", { 9 }, { 128 }, spot, strike, years, rate, volatility, prices, delta, n)
    h.reference({ spot, strike, years, prices, delta }, { rate, volatility, n })
    h.expect(prices, 2e-5, { absolute = 2e-5 }) -- the approximation's error
    h.expect(delta, 1e-5, { absolute = 1e-6 })
  end,
}
