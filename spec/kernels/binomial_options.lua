-- American puts by a binomial tree in shared memory, one block an option, in double.
return {
  field = "finance",
  options = { fmad = false },
  cuda = [==[
struct option { double spot, strike, up, chance, discount; };

__global__ void american_put(const option *options, double *price, int steps) {
  extern __shared__ double value[];
  const option o = options[blockIdx.x];
  const double down = 1.0 / o.up;
  for (int i = threadIdx.x; i <= steps; i += blockDim.x) {
    double s = o.spot;
    for (int k = 0; k < steps; k++) s *= k < i ? o.up : down;
    value[i] = fmax(o.strike - s, 0.0);
  }
  __syncthreads();
  for (int step = steps - 1; step >= 0; step--) {
    for (int first = 0; first <= step; first += blockDim.x) {  /* in place: read, wait, write */
      int i = first + threadIdx.x;
      double v = 0;
      if (i <= step) {
        v = o.discount * (o.chance * value[i + 1] + (1.0 - o.chance) * value[i]);
        double s = o.spot;
        int net = 2 * i - step;
        double factor = net < 0 ? down : o.up;
        for (int k = net < 0 ? -net : net; k; k >>= 1, factor *= factor)
          if (k & 1) s *= factor;
        v = fmax(v, o.strike - s);
      }
      __syncthreads();
      if (i <= step) value[i] = v;
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) price[blockIdx.x] = value[0];
}]==],
  c = [==[
#include <math.h>
#include <stdlib.h>
void ref(void **p, const double *s) {
  const double *o = p[0];
  double *price = p[1];
  int n = (int)s[0], steps = (int)s[1];
  double *v = malloc(sizeof(double) * (size_t)(steps + 1));
  for (int k = 0; k < n; k++, o += 5) {
    for (int i = 0; i <= steps; i++) v[i] = fmax(0, o[1] - o[0] * pow(o[2], 2 * i - steps));
    for (int t = steps - 1; t >= 0; t--)
      for (int i = 0; i <= t; i++)
        v[i] = fmax(o[4] * ((1 - o[3]) * v[i] + o[3] * v[i + 1]), o[1] - o[0] * pow(o[2], 2 * i - t));
    price[k] = v[0];
  }
  free(v);
}]==],
  case = function(h, size)
    local n, steps = h.pick(size, 17, 40), h.pick(size, 75, 300)
    local t = {}
    for i = 0, n - 1 do
      local years, rate, volatility = 0.2 + 2 * math.random(), 0.01 + 0.05 * math.random(), 0.1 + 0.4 * math.random()
      local dt = years / steps
      local up = math.exp(volatility * math.sqrt(dt))
      t[5 * i + 1], t[5 * i + 2], t[5 * i + 3] = 50 + 50 * math.random(), 60 + 50 * math.random(), up
      t[5 * i + 4], t[5 * i + 5] = (math.exp(rate * dt) - 1 / up) / (up - 1 / up), math.exp(-rate * dt)
    end
    for i = 1, #t do t[i] = string.pack("<d", t[i]) end
    local options, price = h.raw("uint8", table.concat(t)), h.output("float64", n)
    h.shared(8 * (steps + 1))
    h.launch("american_put", { n }, { h.pick(size, 37, 128) }, options, price, steps)
    h.reference({ options, price }, { n, steps })
    h.expect(price, 1e-10)
  end,
}
