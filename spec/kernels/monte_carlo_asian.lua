-- An Asian option by Monte Carlo: each path has its own xorshift state, Box-Muller gives the normal numbers, and sums
-- and sums of squares go through shuffles, shared memory and atomicAdd in double.
return {
  field = "finance",
  unordered = true,
  cuda = [==[
struct rng { unsigned x, y, z, w; };

__device__ unsigned next(rng &r) {
  unsigned t = r.x ^ (r.x << 11);
  r.x = r.y;
  r.y = r.z;
  r.z = r.w;
  r.w = r.w ^ (r.w >> 19) ^ t ^ (t >> 8);
  return r.w;
}

__device__ rng seeded(unsigned seed) {
  rng r;
  unsigned *p = &r.x;
  for (int i = 0; i < 4; i++) {
    seed = seed * 1664525u + 1013904223u;
    p[i] = seed ^ (seed >> 15);
  }
  for (int i = 0; i < 8; i++) next(r);
  return r;
}

__device__ double block_sum(double v) {
  __shared__ double part[32];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
  if (threadIdx.x < 32)
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

__global__ void asian(unsigned seed, int paths, int steps, double spot, double strike, double drift, double spread,
                      double *payoff, double *sums) {
  int path = blockIdx.x * blockDim.x + threadIdx.x;
  double pay = 0;
  if (path < paths) {
    rng r = seeded(seed + 7919u * path);
    double logs = log(spot), mean = 0;
    for (int i = 0; i < steps; i += 2) {
      double u = (next(r) + 1.0) * (1.0 / 4294967297.0), v = next(r) * (1.0 / 4294967296.0), sine, cosine;
      double radius = sqrt(-2.0 * log(u));
      sincospi(2.0 * v, &sine, &cosine);
      logs += drift + spread * radius * cosine;
      mean += exp(logs);
      if (i + 1 == steps) break;
      logs += drift + spread * radius * sine;
      mean += exp(logs);
    }
    pay = fdim(mean / steps, strike);
    payoff[path] = pay;
  }
  double sum = block_sum(pay), squares = block_sum(pay * pay);
  if (threadIdx.x == 0) {
    atomicAdd(&sums[0], sum);
    atomicAdd(&sums[1], squares);
  }
}]==],
  c = [==[
#include <math.h>
static unsigned state[4];
static unsigned draw(void) {
  unsigned t = state[0] ^ state[0] << 11, w = state[3];
  for (int i = 0; i < 3; i++) state[i] = state[i + 1];
  return state[3] = w ^ w >> 19 ^ t ^ t >> 8;
}
void ref(void **p, const double *s) {
  double *payoff = p[0], *sums = p[1];
  unsigned seed = (unsigned)s[0];
  int paths = (int)s[1], steps = (int)s[2];
  const double pi = 3.14159265358979323846;
  for (int k = 0; k < paths; k++) {
    unsigned x = seed + 7919u * (unsigned)k;
    for (int i = 0; i < 4; i++) { x = x * 1664525u + 1013904223u; state[i] = x ^ x >> 15; }
    for (int i = 0; i < 8; i++) draw();
    double logs = log(s[3]), sum = 0, radius = 0, angle = 0;
    for (int i = 0; i < steps; i++) {
      if (i % 2 == 0) {
        radius = sqrt(-2 * log((draw() + 1.0) / 4294967297.0));
        angle = 2 * pi * (draw() / 4294967296.0);
      }
      logs += s[5] + s[6] * radius * (i % 2 ? sin(angle) : cos(angle));
      sum += exp(logs);
    }
    double pay = sum / steps - s[4];
    payoff[k] = pay > 0 ? pay : 0;
    sums[0] += payoff[k];
    sums[1] += payoff[k] * payoff[k];
  }
}]==],
  case = function(h, size)
    local paths, steps = h.pick(size, 777, 20000), h.pick(size, 13, 40)
    local seed, spot, strike = math.random(0, 1 << 31), 100, 95
    local drift, spread = (0.05 - 0.02) / steps, 0.2 / math.sqrt(steps)
    local payoff, sums = h.output("float64", paths), h.output("float64", 2)
    h.launch("asian", { (paths + 95) // 96 }, { 96 }, seed, paths, steps, spot, strike, drift, spread, payoff, sums)
    h.reference({ payoff, sums }, { seed, paths, steps, spot, strike, drift, spread })
    h.expect(payoff, 1e-9, { absolute = 1e-9 })
    h.expect(sums, 1e-9)
  end,
}
