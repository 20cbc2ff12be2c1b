-- Autocorrelation at many lags, a tile of 16 threads a lag, products summed in double by shuffles of the tile
-- (a 64-bit value each); the strongest lag by a 64-bit atomicMax on value and index.
return {
  field = "signal",
  cuda = [==[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void correlate(const float *x, double *r, int n, int lags) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int lag = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (lag >= lags) return;
  double sum = 0;
  for (int i = tile.thread_rank(); i + lag < n; i += tile.num_threads()) sum += (double)x[i] * (double)x[i + lag];
  for (unsigned d = tile.size() >> 1; d; d >>= 1) sum += tile.shfl_xor(sum, d);
  if (tile.thread_rank() == 0) r[lag] = sum / (n - lag);
}

__device__ unsigned ordered(float v) {  /* grows with v */
  unsigned u = __float_as_uint(v);
  return u & 0x80000000u ? ~u : u | 0x80000000u;
}

__global__ void strongest(const double *r, int from, int lags, unsigned long long *key, int *best) {
  __shared__ unsigned long long top;
  if (threadIdx.x == 0) top = 0;
  __syncthreads();
  for (int lag = from + threadIdx.x; lag < lags; lag += blockDim.x)
    atomicMax(&top, (unsigned long long)ordered((float)r[lag]) << 32 | (unsigned)(lags - lag));
  __syncthreads();
  if (threadIdx.x == 0) {
    *key = top;
    *best = lags - (int)(top & 0xffffffffu);
  }
}]==],
  c = [==[
void ref(void **p, const double *s) {
  const float *x = p[0];
  double *r = p[1];
  int n = (int)s[0], lags = (int)s[1], from = (int)s[2], *best = p[2];
  for (int l = 0; l < lags; l++) {
    double sum = 0;
    for (int i = l; i < n; i++) sum += (double)x[i] * x[i - l];
    r[l] = sum / (n - l);
  }
  *best = from;
  for (int l = from; l < lags; l++) if (r[l] > r[*best]) *best = l;
}]==],
  case = function(h, size)
    local n, lags, from = h.pick(size, 2003, 40000), h.pick(size, 301, 700), 20
    local period, t = math.random(40, 250) + 0.5 * math.random(), {}
    for i = 1, n do t[i] = math.sin(2 * math.pi * i / period) + 0.5 * math.random() + 0.01 * math.cos(i) end
    local x, r = h.data("float32", t), h.output("float64", lags)
    local key, best = h.output("uint64", 1), h.output("int32", 1)
    h.launch("correlate", { (lags + 4) // 5 }, { 80 }, x, r, n, lags)
    h.launch("strongest", { 1 }, { 70 }, r, from, lags, key, best)
    h.reference({ x, r, best }, { n, lags, from })
    h.expect(r, 1e-12)
    h.expect(best, 0)
  end,
}
