-- Bitonic sort of keys with values: short distances in shared memory, long ones by launches over global memory.
return {
  field = "sorting",
  cuda = [==[
#define HALF 128
struct Pair { unsigned key, value; };

__device__ __forceinline__ bool after(const Pair &a, const Pair &b) {
  return a.key > b.key || (a.key == b.key && a.value > b.value);
}

__device__ __forceinline__ void order(Pair &a, Pair &b, bool ascending) {
  if (after(a, b) == ascending) {
    Pair t = a;
    a = b;
    b = t;
  }
}

// All rounds of blocks of 2 * HALF, from scratch (first = 2) or the last ones of a larger block.
__global__ void in_shared(Pair *data, unsigned first, unsigned block) {
  __shared__ Pair s[2 * HALF];
  Pair *mine = data + blockIdx.x * 2 * HALF;
  s[threadIdx.x] = mine[threadIdx.x];
  s[threadIdx.x + HALF] = mine[threadIdx.x + HALF];
  for (unsigned size = first; size <= block; size <<= 1) {
    for (unsigned d = min(size / 2, (unsigned)HALF); d > 0; d >>= 1) {
      __syncthreads();
      unsigned low = 2 * threadIdx.x - (threadIdx.x & (d - 1)), at = blockIdx.x * 2 * HALF + low;
      order(s[low], s[low + d], (at & size) == 0);
    }
  }
  __syncthreads();
  mine[threadIdx.x] = s[threadIdx.x];
  mine[threadIdx.x + HALF] = s[threadIdx.x + HALF];
}

__global__ void in_global(Pair *data, unsigned size, unsigned d) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = 2 * i - (i & (d - 1));
  Pair a = data[low], b = data[low + d];
  order(a, b, (low & size) == 0);
  data[low] = a;
  data[low + d] = b;
}

__global__ void number(Pair *data, const unsigned *keys, unsigned n, unsigned padded) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < padded) data[i] = i < n ? Pair{ keys[i], i } : Pair{ 0xffffffffu, 0xffffffffu };
}]==],
  c = [==[
static int compare(const void *a, const void *b) {
  const uint32_t *x = a, *y = b;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return x[1] < y[1] ? -1 : x[1] > y[1];
}
void ref(void **p, const double *s) {
  const uint32_t *keys = p[0];
  uint32_t *pairs = p[1], n = (uint32_t)s[0], padded = (uint32_t)s[1];
  for (uint32_t i = 0; i < n; i++) pairs[2 * i] = keys[i], pairs[2 * i + 1] = i;
  qsort(pairs, n, 8, compare);
  for (uint32_t i = 2 * n; i < 2 * padded; i++) pairs[i] = 0xffffffffu;
}]==],
  case = function(h, size)
    local n, padded = h.pick(size, 3001, 700000), h.pick(size, 4096, 1 << 20)
    local keys, bytes = h.input("uint32", n, 0, n * 2), h.output("uint8", 8 * padded)
    h.launch("number", padded // 256, 256, bytes, keys, n, padded)
    h.launch("in_shared", padded // 256, 128, bytes, 2, 256)
    local k = 512
    while k <= padded do
      local d = k // 2
      while d > 128 do
        h.launch("in_global", padded // 512, 256, bytes, k, d)
        d = d // 2
      end
      h.launch("in_shared", padded // 256, 128, bytes, k, k)
      k = 2 * k
    end
    h.reference({ keys, bytes }, { n, padded })
    h.expect(bytes, 0)
  end,
}
