// Shared memory in several shapes, as nvcc addresses it: tiles.ptx is `nvcc -ptx -arch=compute_75 tiles.cu`,
// tiles-100.ptx the same with compute_100.
#include <cuda_fp16.h>

struct Window { int width, height; float scale; short border[3]; };

extern "C" __global__ void blur(const float *in, float *out, Window w) {
  __shared__ float tile[18][18];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int j = threadIdx.y; j < 18; j += 16)
    for (int i = threadIdx.x; i < 18; i += 16) {
      int gx = blockIdx.x * 16 + i - w.border[0], gy = blockIdx.y * 16 + j - w.border[1];
      bool inside = gx >= 0 && gy >= 0 && gx < w.width && gy < w.height;
      tile[j][i] = inside ? in[gy * w.width + gx] : (float)w.border[2];
    }
  __syncthreads();
  if (x >= w.width || y >= w.height) return;
  float sum = 0;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) sum += tile[threadIdx.y + j][threadIdx.x + i];
  out[y * w.width + x] = sum * w.scale;
}

// Counts of bytes: a histogram for each block in dynamic shared memory, then added to the whole.
extern "C" __global__ void histogram(const unsigned char *data, int n, unsigned *bins) {
  extern __shared__ unsigned local[];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (local[i]) atomicAdd(&bins[i], local[i]);
}

__device__ __noinline__ long long up(long long v, int k) { return v + k; }
__device__ __noinline__ long long times(long long v, int k) { return v * k; }
__device__ __noinline__ long long depth(long long v, int k) { return k <= 0 ? v : depth(v * 3 + k, k - 1); }
__device__ long long (*const table[3])(long long, int) = {up, times, depth};

// A program of steps, run through pointers to functions, one of which calls itself; generic pointers into shared memory.
extern "C" __global__ void machine(const int *steps, int n, long long *out) {
  __shared__ long long state[64];
  long long *mine = &state[threadIdx.x];
  *mine = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < n; i++) *mine = table[(steps[i] + threadIdx.x) % 3](*mine, i & 7);
  out[blockIdx.x * blockDim.x + threadIdx.x] = *mine;
}

// Half precision, pairs at a time, with a warp's sum.
extern "C" __global__ void dots(const __half2 *a, const __half2 *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half2 p = i < n ? __hmul2(a[i], b[i]) : __half2half2(__float2half(0.0f));
  float s = __low2float(p) + __high2float(p);
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
  if ((threadIdx.x & 31) == 0) out[i / 32] = s;
}
