// Threads of a warp and of a block together: shuffles, votes, matches, atomics on shared memory, a block's scan.
#include "verify.h"

#include <cstdint>
#include <numeric>

template <class T> __device__ T warp_sum(T x) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xffffffffu, x, d);
  return x;
}

template <class T> __global__ void sum(const T *in, int n, T *out) {
  __shared__ T parts[32];
  T mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
  mine = warp_sum(mine);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    mine = warp_sum(threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : T(0));
    if (threadIdx.x == 0) atomicAdd(out, mine);
  }
}

__global__ void histogram(const unsigned char *in, int n, unsigned *bins) {
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}

// Largest and smallest by compare-and-swap, in a word of 64 bits; the lanes that hold equal bytes count themselves.
__global__ void extremes(const int *in, int n, unsigned long long *largest, int *smallest, int *equals) {
  __shared__ unsigned long long best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const unsigned long long candidate = (unsigned long long)(unsigned)(in[i] ^ 0x80000000) << 32 | (unsigned)i;
    unsigned long long seen = best;
    while (seen < candidate) {
      const unsigned long long now = atomicCAS(&best, seen, candidate);
      if (now == seen) break;
      seen = now;
    }
    atomicMin(smallest, in[i]);
    const unsigned same = __match_any_sync(__activemask(), in[i] & 7);
    if (threadIdx.x % 32 == (unsigned)__ffs(same) - 1) atomicAdd(&equals[in[i] & 7], __popc(same));
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(largest, best);
}

// Blelloch's scan of a block of 512.
__global__ void block_scan(const int *in, int *out) {
  __shared__ int s[512];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 512 + t];
  for (int d = 1; d < 512; d *= 2) {
    __syncthreads();
    if ((t + 1) % (2 * d) == 0) s[t] += s[t - d];
  }
  __syncthreads();
  if (t == 511) s[t] = 0;
  for (int d = 256; d >= 1; d /= 2) {
    __syncthreads();
    if ((t + 1) % (2 * d) == 0) {
      const int left = s[t - d];
      s[t - d] = s[t];
      s[t] += left;
    }
  }
  __syncthreads();
  out[blockIdx.x * 512 + t] = s[t];
}

// Ballots and shuffles of every kind, against what each lane computes alone.
__global__ void lanes(const int *in, int *bad) {
  const int lane = threadIdx.x % 32, base = threadIdx.x - lane, x = in[threadIdx.x];
  unsigned odd = 0;
  for (int i = 0; i < 32; i++) odd |= (unsigned)(in[base + i] & 1) << i;
  bool right = __ballot_sync(0xffffffffu, x & 1) == odd;
  right &= __any_sync(0xffffffffu, x & 1) == (odd != 0) && __all_sync(0xffffffffu, x & 1) == (odd == 0xffffffffu);
  right &= __shfl_sync(0xffffffffu, x, x & 31) == in[base + (x & 31)];
  right &= __shfl_up_sync(0xffffffffu, x, 3) == in[lane < 3 ? threadIdx.x : threadIdx.x - 3];
  right &= __shfl_xor_sync(0xffffffffu, x, 21) == in[base + (lane ^ 21)];
  right &= __shfl_sync(0xffffffffu, x, 5, 8) == in[base + lane / 8 * 8 + 5];
  right &= __shfl_down_sync(0xffffffffu, (double)x, 9, 16) == in[lane % 16 + 9 < 16 ? threadIdx.x + 9 : threadIdx.x];
  if (!right) atomicAdd(bad, 1);
}

template <class T> static T *copied(const std::vector<T> &v) {
  T *d;
  OK(cudaMalloc(&d, v.size() * sizeof(T)));
  OK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}

template <class T> static std::vector<T> fetched(const T *d, size_t n) {
  std::vector<T> v(n);
  OK(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

int main() {
  const int n = size_of_inputs();
  const auto in = numbers<int>(n, -1000, 1000);
  const auto bytes = numbers<unsigned char>(n, 0, 255);
  const int *d = copied(in);

  int *sum_of_ints = copied(std::vector<int>(1));
  double *sum_of_doubles = copied(std::vector<double>(1));
  const auto doubles = numbers<double>(n, -1000, 1000);
  sum<<<40, 256>>>(d, n, sum_of_ints);
  sum<double><<<7, 96>>>(copied(doubles), n, sum_of_doubles);
  TRUE(fetched(sum_of_ints, 1)[0] == std::accumulate(in.begin(), in.end(), 0));
  TRUE(fetched(sum_of_doubles, 1)[0] == std::accumulate(doubles.begin(), doubles.end(), 0.0));

  unsigned *bins = copied(std::vector<unsigned>(256));
  histogram<<<13, 160>>>(copied(bytes), n, bins);
  std::vector<unsigned> counts(256);
  for (unsigned char b : bytes) counts[b]++;
  SAME("histogram", counts, fetched(bins, 256));

  unsigned long long *largest = copied(std::vector<unsigned long long>(1));
  int *smallest = copied(std::vector<int>(1, 5000)), *equals = copied(std::vector<int>(8));
  extremes<<<(n + 191) / 192, 192>>>(d, n, largest, smallest, equals);
  std::vector<int> residues(8);
  unsigned long long best = 0;
  int least = 5000;
  for (int i = 0; i < n; i++) {
    const unsigned long long c = (unsigned long long)(unsigned)(in[i] ^ 0x80000000) << 32 | (unsigned)i;
    best = c > best ? c : best;
    least = in[i] < least ? in[i] : least;
    residues[in[i] & 7]++;
  }
  TRUE(fetched(largest, 1)[0] == best && fetched(smallest, 1)[0] == least);
  SAME("matches", residues, fetched(equals, 8));

  const int blocks = n / 512;
  int *scanned = copied(std::vector<int>(n));
  block_scan<<<blocks, 512>>>(d, scanned);
  std::vector<int> expected(blocks * 512);
  for (int b = 0; b < blocks; b++)
    std::exclusive_scan(in.begin() + b * 512, in.begin() + (b + 1) * 512, expected.begin() + b * 512, 0);
  SAME("block_scan", expected, fetched(scanned, expected.size()));

  int *bad = copied(std::vector<int>(1));
  lanes<<<1, 1024>>>(d, bad);
  TRUE(fetched(bad, 1)[0] == 0);
  OK(cudaDeviceSynchronize());
  return failures != 0;
}
