-- Sum, extremes and sum of squares of an array in one structure: a block's partial results by a tree unrolled by
-- template for its size, the last block to finish (threadfence and a counter) adds them up.
return {
  field = "reduction",
  cuda = [==[
struct summary {
  long long sum;
  unsigned long long squares;
  int least, most;
};

__device__ __forceinline__ void take(volatile summary *a, const volatile summary *b) {
  a->sum += b->sum;
  a->squares += b->squares;
  if (b->least < a->least) a->least = b->least;
  if (b->most > a->most) a->most = b->most;
}

__device__ unsigned finished = 0;

template <int THREADS> __device__ void tree(summary *s) {
  int t = threadIdx.x;
  __syncthreads();
  if (THREADS >= 256) { if (t < 128) take(&s[t], &s[t + 128]); __syncthreads(); }
  if (THREADS >= 128) { if (t < 64) take(&s[t], &s[t + 64]); __syncthreads(); }
  for (int d = THREADS >= 64 ? 32 : THREADS / 2; d > 0; d >>= 1) {
    if (t < d) take(&s[t], &s[t + d]);
    __syncthreads();
  }
}

template <int THREADS> __global__ void summarize(const short *x, int n, summary *parts, summary *result) {
  __shared__ summary s[THREADS];
  __shared__ bool last;
  summary mine = { 0, 0, 2147483647, -2147483647 - 1 };
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
    int v = x[i];
    mine.sum += v;
    mine.squares += (unsigned)(v * v);
    mine.least = min(mine.least, v);
    mine.most = max(mine.most, v);
  }
  s[threadIdx.x] = mine;
  tree<THREADS>(s);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  summary all = { 0, 0, 2147483647, -2147483647 - 1 };
  for (int i = threadIdx.x; i < gridDim.x; i += THREADS) take(&all, (const volatile summary *)&parts[i]);
  s[threadIdx.x] = all;
  tree<THREADS>(s);
  if (threadIdx.x == 0) *result = s[0];
}]==],
  options = { instantiate = { "summarize<32>", "summarize<64>", "summarize<256>" } },
  c = [==[
#include <limits.h>
void ref(void **p, const double *s) {
  const short *x = p[0];
  long long *r = p[1];
  int *limits = (int *)(r + 2), n = (int)s[0];
  r[0] = r[1] = 0;
  limits[0] = INT_MAX;
  limits[1] = INT_MIN;
  for (int i = 0; i < n; i++) {
    r[0] += x[i];
    r[1] += x[i] * x[i];
    if (x[i] < limits[0]) limits[0] = x[i];
    if (x[i] > limits[1]) limits[1] = x[i];
  }
}]==],
  case = function(h, size)
    local n, blocks = h.pick(size, math.random(1, 20000), 8000000), h.pick(size, math.random(1, 40), 64)
    local threads = h.pick(size, ({ 32, 64, 256 })[math.random(3)], 256)
    local x, parts, result = h.input("int16", n, -32768, 32768), h.output("uint8", 24 * blocks), h.output("uint8", 24)
    for _ = 1, 2 do -- the counter has come round again
      h.launch(("summarize<%d>"):format(threads), { blocks }, { threads }, x, n, parts, result)
    end
    h.reference({ x, result }, { n })
    h.expect(result, 0)
  end,
}
