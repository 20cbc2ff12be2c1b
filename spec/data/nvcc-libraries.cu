// Whole programs for nvcc whose kernels use libraries of headers; as nvcc-programs.cu.
//== thrust: applyF<saxpy_f>; iota<float>
#include <thrust/host_vector.h>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/functional.h>
#include <thrust/execution_policy.h>
#include <iostream>
#include <execution>
struct saxpy_f : public thrust::binary_function<float, float, float> { const float a; saxpy_f(float _a) : a(_a)
  {} __host__ __device__ float operator()(const float &x, const float &y) const { return a * x + y; } };
template <typename F> __global__ void applyF(const float *x, const float *y, float *z, int n, F f) { int i =
  blockIdx.x * blockDim.x + threadIdx.x; if (i < n) z[i] = f(x[i], y[i]); }
template <typename T> __global__ void iota(T *p, int n) { int i = threadIdx.x; if (i < n) p[i] = i; }
int main() { int N = 1 << 10; thrust::device_vector<float> x(N, 1.0f), y(N), z(N); thrust::host_vector<float> h =
  x; thrust::sort(x.begin(), x.end()); thrust::transform(x.begin(), x.end(), y.begin(), z.begin(), saxpy_f(2.0f));
  float *xp = thrust::raw_pointer_cast(x.data()); applyF<<<(N + 255) / 256, 256>>>(xp,
  thrust::raw_pointer_cast(&y[0]), thrust::raw_pointer_cast(z.data()), N, saxpy_f(3.f)); iota<<<1,
  32>>>(thrust::raw_pointer_cast(y.data()), N);
  float r = thrust::reduce(z.begin(), z.end(), 0.f, thrust::plus<float>()); std::cout << r << std::endl; }
//==
//== cooperative: conjugate; multi<false>; multi<true>
#include <cooperative_groups.h>
#include <cstdio>
using namespace cooperative_groups;
extern "C" __global__ void conjugate(int *I, float *x, double *dot_result) { grid_group grid = this_grid();
  thread_block cta = this_thread_block(); extern __shared__ double tmp[]; tmp[threadIdx.x] = x[threadIdx.x];
  cta.sync(); grid.sync(); if (threadIdx.x == 0) *dot_result = tmp[0] + I[0]; }
template <bool S> __global__ void __launch_bounds__(256, 2) multi(float *x) { auto g =
  tiled_partition<32>(this_thread_block()); float v = x[threadIdx.x]; for (int o = g.size() / 2; o > 0; o /= 2)
  v += g.shfl_down(v, o); if (S && g.thread_rank() == 0) x[0] = v; }
int main() { int *I; float *x; double *d; void *kernelArgs[] = {(void *)&I, (void *)&x, (void *)&d}; int nb = 0;
  cudaDeviceProp p; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, conjugate, 256, 8);
  cudaLaunchCooperativeKernel((void *)conjugate, dim3(nb), dim3(256), kernelArgs, 8, NULL);
  cudaLaunchCooperativeKernel((void *)multi<true>, dim3(nb), dim3(256), kernelArgs, 8, NULL); multi<false><<<1,
  32>>>(x); }
//==
//== cub: BlockSortKernel<128, 4>; BlockSortKernel<256, 13>
#include <cub/cub.cuh>
#include <stdio.h>
#include <algorithm>
#include <cub/util_allocator.cuh>
using namespace cub;
CachingDeviceAllocator g_allocator(true);
template <int BLOCK_THREADS, int ITEMS_PER_THREAD> __launch_bounds__(BLOCK_THREADS)
  __global__ void BlockSortKernel(int *d_in, int *d_out, clock_t *d_elapsed) {
  enum { TILE_SIZE = BLOCK_THREADS * ITEMS_PER_THREAD };
  typedef BlockLoad<int, BLOCK_THREADS, ITEMS_PER_THREAD, BLOCK_LOAD_WARP_TRANSPOSE> BlockLoadT;
  typedef BlockRadixSort<int, BLOCK_THREADS, ITEMS_PER_THREAD> BlockRadixSortT;
  __shared__ union TempStorage { typename BlockLoadT::TempStorage load;
  typename BlockRadixSortT::TempStorage sort; } temp_storage;
  int items[ITEMS_PER_THREAD]; int block_offset = blockIdx.x * TILE_SIZE;
  BlockLoadT(temp_storage.load).Load(d_in + block_offset, items); __syncthreads();
  clock_t start = clock(); BlockRadixSortT(temp_storage.sort).SortBlockedToStriped(items); clock_t stop = clock();
  StoreDirectStriped<BLOCK_THREADS>(threadIdx.x, d_out + block_offset, items); if (threadIdx.x == 0)
  d_elapsed[blockIdx.x] = (start > stop) ? start - stop : stop - start; }
template <int BLOCK_THREADS, int ITEMS_PER_THREAD> void Test(int g_grid_size) {
  const int TILE_SIZE = BLOCK_THREADS * ITEMS_PER_THREAD; int *h_in = new int[TILE_SIZE * g_grid_size];
  int *d_in = NULL, *d_out = NULL; clock_t *d_elapsed = NULL;
  cudaMalloc((void **)&d_in, sizeof(int) * TILE_SIZE * g_grid_size); cudaMalloc((void **)&d_out, sizeof(int) *
  TILE_SIZE * g_grid_size); cudaMalloc((void **)&d_elapsed, sizeof(clock_t) * g_grid_size);
  BlockSortKernel<BLOCK_THREADS, ITEMS_PER_THREAD><<<g_grid_size, BLOCK_THREADS>>>(d_in, d_out, d_elapsed);
  void *tmp = 0; size_t bytes = 0; CubDebugExit(DeviceScan::ExclusiveSum(tmp, bytes, d_in, d_out, TILE_SIZE));
  CubDebugExit(g_allocator.DeviceAllocate(&tmp, bytes)); }
int main() { Test<128, 4>(10); Test<256, 13>(3); return 0; }
//==
