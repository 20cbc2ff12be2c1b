// Memory as programs use it: copies, fills, managed and page-locked memory, variables; and accesses of 16 bytes, which
// are never torn: a thread that reads what another writes sees one of the values that were there.
#include "verify.h"

#include <cstring>

__constant__ int table[256];
__constant__ double scale = 0.5;
__device__ unsigned long long total;
__device__ int grid_of_ints[4][8];
__managed__ int shared_by_both[3] = { 1, 2, 3 };

__global__ void look_up(const unsigned char *in, double *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = table[in[i]] * scale;
    atomicAdd(&total, (unsigned long long)table[in[i]]);
  }
}

__global__ void twice(int *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2;
}

__global__ void fill_grid() { grid_of_ints[threadIdx.y][threadIdx.x] = 10 * threadIdx.y + threadIdx.x; }

// Blocks write a word of four equal numbers to the same places and read them back.
__global__ void four_equal(uint4 *words, int n, int rounds, unsigned *torn) {
  const unsigned mine = blockIdx.x * 0x01010101u + threadIdx.x;
  for (int r = 0; r < rounds; r++)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      words[i] = make_uint4(mine, mine, mine, mine);
      const uint4 w = __ldcg(&words[i]);
      if (w.x != w.y || w.x != w.z || w.x != w.w) atomicAdd(torn, 1);
    }
}

struct alignas(16) two {
  unsigned long long a, b;
};

__global__ void two_equal(two *words, int n, int rounds, unsigned *torn) {
  for (int r = 0; r < rounds; r++)
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      const two w = words[i];
      if (w.a != w.b) atomicAdd(torn, 1);
      const unsigned long long next = w.a * 6364136223846793005ull + blockIdx.x * 2 + 1;
      words[i] = { next, next };
    }
}

static void variables(int n) {
  const auto values = numbers<int>(256, -1000, 1000);
  const auto in = numbers<unsigned char>(n, 0, 255);
  OK(cudaMemcpyToSymbol(table, values.data(), sizeof(int) * 256));
  OK(cudaMemcpyToSymbol(table, &values[7], sizeof(int), 3 * sizeof(int)));
  unsigned char *d_in;
  double *d_out;
  OK(cudaMalloc(&d_in, n));
  OK(cudaMalloc(&d_out, n * sizeof(double)));
  OK(cudaMemcpy(d_in, in.data(), n, cudaMemcpyHostToDevice));
  look_up<<<16, 128>>>(d_in, d_out, n);
  OK(cudaGetLastError());
  std::vector<double> out(n), expected(n);
  OK(cudaMemcpy(out.data(), d_out, n * sizeof(double), cudaMemcpyDeviceToHost));
  unsigned long long sum, expected_sum = 0;
  for (int i = 0; i < n; i++) {
    const int v = values[in[i] == 3 ? 7 : in[i]];
    expected[i] = v * 0.5;
    expected_sum += (unsigned long long)v;
  }
  SAME("table", expected, out);
  OK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  TRUE(sum == expected_sum);
  fill_grid<<<1, dim3(8, 4)>>>();
  int *at, row[8];
  size_t bytes;
  OK(cudaGetSymbolAddress((void **)&at, grid_of_ints));
  OK(cudaGetSymbolSize(&bytes, grid_of_ints));
  OK(cudaMemcpy(row, at + 3 * 8, sizeof row, cudaMemcpyDeviceToHost));
  TRUE(bytes == 4 * 8 * sizeof(int) && row[0] == 30 && row[7] == 37);
  OK(cudaFree(d_in));
  OK(cudaFree(d_out));
}

static void both_sides(int n) {
  int *managed, *pinned, *mapped;
  OK(cudaMallocManaged(&managed, n * sizeof(int)));
  OK(cudaMallocHost(&pinned, n * sizeof(int)));
  OK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < n; i++) managed[i] = i, mapped[i] = -i;
  twice<<<(n + 255) / 256, 256>>>(managed, n);
  int *device_side;
  OK(cudaHostGetDevicePointer((void **)&device_side, mapped, 0));
  twice<<<(n + 255) / 256, 256>>>(device_side, n);
  twice<<<1, 3>>>(shared_by_both, 3);
  OK(cudaMemcpyAsync(pinned, managed, n * sizeof(int), cudaMemcpyDefault, 0));
  OK(cudaDeviceSynchronize());
  int bad = 0;
  for (int i = 0; i < n; i++) bad += managed[i] != 2 * i || mapped[i] != -2 * i || pinned[i] != 2 * i;
  TRUE(bad == 0);
  TRUE(shared_by_both[0] == 2 && shared_by_both[2] == 6);
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, managed + n / 2));
  TRUE(a.type == cudaMemoryTypeManaged);
  OK(cudaPointerGetAttributes(&a, &bad));
  TRUE(a.type == cudaMemoryTypeUnregistered);
  OK(cudaFree(managed));
  OK(cudaFreeHost(pinned));
  OK(cudaFreeHost(mapped));
}

static void planes() {
  const int width = int(number(1, 100)), height = int(number(1, 20));
  const auto in = numbers<float>(size_t(width) * height, -100, 100);
  float *d;
  size_t pitch;
  OK(cudaMallocPitch(&d, &pitch, width * sizeof(float), height));
  OK(cudaMemset2D(d, pitch, 255, pitch, height));
  OK(cudaMemcpy2D(d, pitch, in.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));
  std::vector<float> out(in.size());
  OK(cudaMemcpy2D(out.data(), width * sizeof(float), d, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost));
  SAME("rows", in, out);
  OK(cudaFree(d));
}

int main() {
  const int n = size_of_inputs() / 10, words = 64;
  variables(n);
  both_sides(n);
  planes();
  unsigned *torn, count;
  uint4 *d;
  OK(cudaMalloc(&torn, sizeof *torn));
  OK(cudaMalloc(&d, words * sizeof *d));
  OK(cudaMemset(torn, 0, sizeof *torn));
  OK(cudaMemset(d, 0, words * sizeof *d));
  four_equal<<<32, words>>>(d, words, n / 100, torn);
  two_equal<<<32, words>>>((two *)d, words, n / 100, torn);
  OK(cudaMemcpy(&count, torn, sizeof count, cudaMemcpyDeviceToHost));
  TRUE(count == 0);
  return failures != 0;
}
