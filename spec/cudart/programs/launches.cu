// Launches in all their forms: instances of templates that only a launch names, pointers to kernels, cudaLaunchKernel,
// streams and events, cooperative grids, more dynamic shared memory than usual, occupancy; and wrong ones.
#include "verify.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <class T, int factor> __global__ void scaled(const T *in, T *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor;
}

struct affine {
  double a, b;
  __device__ double operator()(double x) const { return a * x + b; }
};

template <class F> __global__ void apply(double *x, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = f(x[i]);
}

// Each round reads what other blocks have written in the round before.
__global__ void rounds(int *a, int *b, int n, int count) {
  cg::grid_group grid = cg::this_grid();
  for (int r = 0; r < count; r++) {
    for (int i = int(grid.thread_rank()); i < n; i += int(grid.size())) b[i] = a[(i + 1) % n] + a[(i + n / 2) % n];
    grid.sync();
    int *t = a;
    a = b;
    b = t;
  }
}

__global__ void reversed(int *p, int n) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = p[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = s[n - 1 - i];
}

__global__ void count(int *n, int by) { atomicAdd(n, by); }

// A host template, which alone says which instance it launches.
template <int factor, class T> static void check_scaled(int n) {
  const auto in = numbers<T>(n, -100, 100);
  T *a, *b;
  OK(cudaMalloc(&a, n * sizeof(T)));
  OK(cudaMalloc(&b, n * sizeof(T)));
  OK(cudaMemcpy(a, in.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  scaled<T, factor><<<(n + 127) / 128, 128>>>(a, b, n);
  std::vector<T> out(n), expected(in);
  for (T &x : expected) x = T(x * factor);
  OK(cudaMemcpy(out.data(), b, n * sizeof(T), cudaMemcpyDeviceToHost));
  SAME("scaled", expected, out);
  OK(cudaFree(a));
  OK(cudaFree(b));
}

static void pointers_and_arrays_of_arguments() {
  int *n, value = 0, by = 3;
  OK(cudaMalloc(&n, sizeof *n));
  OK(cudaMemset(n, 0, sizeof *n));
  void (*kernel)(int *, int) = count;
  kernel<<<2, 32>>>(n, 2);
  void *args[] = { &n, &by };
  OK(cudaLaunchKernel((const void *)kernel, dim3(1, 2), dim3(4, 2), args, 0, 0));
  OK(cudaMemcpy(&value, n, sizeof value, cudaMemcpyDeviceToHost));
  TRUE(value == 2 * 32 * 2 + 2 * 8 * 3);
  OK(cudaFree(n));
}

static void streams_and_events(int n) {
  cudaStream_t s[3];
  cudaEvent_t begin, end, done[3];
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  std::vector<double> x(n), expected(n);
  for (int i = 0; i < n; i++) x[i] = i, expected[i] = 2 * (3 * (double(i) + 1) - 4);
  double *d;
  OK(cudaMalloc(&d, n * sizeof(double)));
  OK(cudaEventRecord(begin, 0));
  OK(cudaMemcpyAsync(d, x.data(), n * sizeof(double), cudaMemcpyHostToDevice, 0));
  const affine steps[] = { { 1, 1 }, { 3, -4 }, { 2, 0 } };
  for (int i = 0; i < 3; i++) {
    OK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
    OK(cudaStreamWaitEvent(s[i], i == 0 ? begin : done[i - 1], 0));
    apply<<<5, 64, 0, s[i]>>>(d, n, steps[i]);
    OK(cudaEventRecord(done[i], s[i]));
  }
  OK(cudaStreamSynchronize(s[2]));
  OK(cudaEventRecord(end, 0));
  OK(cudaEventSynchronize(end));
  OK(cudaMemcpy(x.data(), d, n * sizeof(double), cudaMemcpyDeviceToHost));
  SAME("three streams", expected, x);
  float ms = -1;
  OK(cudaEventElapsedTime(&ms, begin, end));
  TRUE(ms >= 0 && cudaEventQuery(end) == cudaSuccess && cudaStreamQuery(s[0]) == cudaSuccess);
  for (int i = 0; i < 3; i++) {
    OK(cudaStreamDestroy(s[i]));
    OK(cudaEventDestroy(done[i]));
  }
  OK(cudaEventDestroy(begin));
  OK(cudaEventDestroy(end));
  OK(cudaFree(d));
}

static void whole_grids(int n) {
  int device = 0, cooperative = 0, each = 0, times = 6;
  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, device));
  OK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  TRUE(cooperative == 1 && properties.warpSize == 32);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, rounds, 128, 0));
  TRUE(each > 0);
  auto host = numbers<int>(n, -5, 5);
  int *a, *b;
  OK(cudaMalloc(&a, n * sizeof(int)));
  OK(cudaMalloc(&b, n * sizeof(int)));
  OK(cudaMemcpy(a, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  void *args[] = { &a, &b, &n, &times };
  OK(cudaLaunchCooperativeKernel((void *)rounds, each * properties.multiProcessorCount, 128, args, 0, 0));
  std::vector<int> next(n), out(n);
  for (int r = 0; r < times; r++) {
    for (int i = 0; i < n; i++) next[i] = host[(i + 1) % n] + host[(i + n / 2) % n];
    host.swap(next);
  }
  OK(cudaMemcpy(out.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
  SAME("rounds", host, out);
  OK(cudaFree(a));
  OK(cudaFree(b));
}

static void much_shared_memory() {
  const int n = 20000; // 80,000 bytes
  auto host = numbers<int>(n, 0, 1000000);
  int *d, block, grid;
  OK(cudaMalloc(&d, n * sizeof(int)));
  OK(cudaMemcpy(d, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaFuncSetAttribute(reversed, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(int)));
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, reversed, n * sizeof(int)));
  TRUE(block >= 32 && grid >= 1);
  reversed<<<1, block, n * sizeof(int)>>>(d, n);
  OK(cudaGetLastError());
  std::vector<int> out(n);
  OK(cudaMemcpy(out.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
  SAME("reversed", std::vector<int>(host.rbegin(), host.rend()), out);
  OK(cudaFree(d));
}

// An error is there once, and the next launch succeeds.
static void wrong_launches() {
  int *n, value = 0;
  OK(cudaMalloc(&n, sizeof *n));
  OK(cudaMemset(n, 0, sizeof *n));
  count<<<1, 4096>>>(n, 1);
  TRUE(cudaPeekAtLastError() != cudaSuccess);
  TRUE(cudaGetLastError() != cudaSuccess && cudaGetLastError() == cudaSuccess);
  count<<<0, 32>>>(n, 1);
  TRUE(cudaGetLastError() == cudaErrorInvalidConfiguration);
  reversed<<<1, 32, 1 << 20>>>(n, 1);
  TRUE(cudaGetLastError() != cudaSuccess);
  TRUE(cudaMemcpy2D(n, 4, &value, 2, 3, 1, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
  TRUE(cudaFree((char *)n + 4) == cudaErrorInvalidValue && cudaSetDevice(7) == cudaErrorInvalidDevice);
  cudaGetLastError();
  count<<<1, 32>>>(n, 1);
  OK(cudaGetLastError());
  OK(cudaMemcpy(&value, n, sizeof value, cudaMemcpyDeviceToHost));
  TRUE(value == 32);
  OK(cudaFree(n));
}

int main() {
  const int n = size_of_inputs() / 10;
  check_scaled<3, int>(n);
  check_scaled<-2, float>(n);
  check_scaled<5, short>(n);
  pointers_and_arrays_of_arguments();
  streams_and_events(n);
  whole_grids(n);
  much_shared_memory();
  wrong_launches();
  return failures != 0;
}
