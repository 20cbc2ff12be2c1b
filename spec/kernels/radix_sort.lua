-- Radix sort of floats by four bits a pass: counts a block, one scan, a stable scatter whose ranks come from ballots.
return {
  field = "sorting",
  cuda = [==[
#define THREADS 96
#define WARPS (THREADS / 32)
#define ITEMS 4
#define TILE (THREADS * ITEMS)

// Order-preserving: negative floats with all bits turned, others with the sign's.
__device__ unsigned to_bits(float f) {
  unsigned v = __float_as_uint(f);
  return v ^ ((unsigned)((int)v >> 31) | 0x80000000u);
}
__device__ float to_float(unsigned v) { return __uint_as_float(v & 0x80000000u ? v ^ 0x80000000u : ~v); }

__global__ void encode(const float *in, unsigned *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = to_bits(in[i]);
}
__global__ void decode(const unsigned *in, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = to_float(in[i]);
}

__global__ void count_digits(const unsigned *keys, int n, int shift, unsigned *counts) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < ITEMS; k++) {
    int i = blockIdx.x * TILE + k * THREADS + threadIdx.x;
    if (i < n) atomicAdd(&bins[keys[i] >> shift & 15], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

// Exclusive, in place, by one block: each thread a run of entries, then a scan of the runs' sums.
__global__ void scan_counts(unsigned *counts, int n) {
  __shared__ unsigned sums[128];
  int per = (n + blockDim.x - 1) / blockDim.x, first = min((int)threadIdx.x * per, n), last = min(first + per, n);
  unsigned sum = 0;
  for (int i = first; i < last; i++) sum += counts[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    unsigned add = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
    __syncthreads();
    sums[threadIdx.x] += add;
    __syncthreads();
  }
  unsigned at = sums[threadIdx.x] - sum;
  for (int i = first; i < last; i++) {
    unsigned v = counts[i];
    counts[i] = at;
    at += v;
  }
}

__global__ void scatter(const unsigned *in, unsigned *out, int n, int shift, const unsigned *offsets) {
  __shared__ unsigned base[16], warp_counts[WARPS][16];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x < 16) base[threadIdx.x] = offsets[threadIdx.x * gridDim.x + blockIdx.x];
  for (int k = 0; k < ITEMS; k++) {
    int i = blockIdx.x * TILE + k * THREADS + threadIdx.x;
    unsigned key = i < n ? in[i] : 0, digit = key >> shift & 15, peers = __ballot_sync(~0u, i < n);
#pragma unroll
    for (int b = 0; b < 4; b++) {
      unsigned votes = __ballot_sync(~0u, digit >> b & 1);
      peers &= digit >> b & 1 ? votes : ~votes;
    }
    unsigned rank = __popc(peers & ((1u << lane) - 1));
    if (lane < 16) warp_counts[warp][lane] = 0;
    __syncwarp();
    if (i < n && rank == 0) warp_counts[warp][digit] = __popc(peers);
    __syncthreads();
    if (i < n) {
      unsigned at = base[digit] + rank;
      for (int w = 0; w < warp; w++) at += warp_counts[w][digit];
      out[at] = key;
    }
    __syncthreads();
    if (threadIdx.x < 16)
      for (int w = 0; w < WARPS; w++) base[threadIdx.x] += warp_counts[w][threadIdx.x];
    __syncthreads();
  }
}]==],
  c = [==[
static int compare(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return x < y ? -1 : x > y ? 1 : (int)signbit(y) - (int)signbit(x);
}
void ref(void **p, const double *s) {
  memcpy(p[1], p[0], (size_t)s[0] * sizeof(float));
  qsort(p[1], (size_t)s[0], sizeof(float), compare);
}]==],
  case = function(h, size)
    local n = h.pick(size, 5003, 1000000)
    local blocks = (n + 383) // 384
    local x, y = h.input("float32", n, -1e3, 1e3), h.output("float32", n)
    local a, b, counts = h.output("uint32", n), h.output("uint32", n), h.output("uint32", 16 * blocks)
    h.launch("encode", 5, 33, x, a, n)
    for shift = 0, 28, 4 do
      h.launch("count_digits", blocks, 96, a, n, shift, counts)
      h.launch("scan_counts", 1, 128, counts, 16 * blocks)
      h.launch("scatter", blocks, 96, a, b, n, shift, counts)
      a, b = b, a
    end
    h.launch("decode", 7, 65, a, y, n)
    h.reference({ x, y }, { n })
    h.expect(y, 0)
  end,
}
