-- Products of float16 matrices on tensor cores, in the time of OpenBLAS's sgemm, one thread each, by turns.
-- Run by: make bench TABLES=tensor
local dc = require "dotcompute"
local report = require "report"
dc.use "cpu"

local N <const>, ROUNDS <const> = 1024, 15
-- Tiles of 128 x 128 x 32; four warps of 64 x 64.  COPY: how 16 bytes come to shared memory.
local module = dc.module([=[
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
typedef unsigned u32;
__device__ u32 at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
struct through_registers {
  static __device__ void copy(void *to, const void *from) { *(uint4 *)to = *(const uint4 *)from; }
  static __device__ void wait() {}
};
struct asynchronous {
  static __device__ void copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at(to)), "l"(from) : "memory");
  }
  static __device__ void wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }
};
template <class how> __device__ void product(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(16) half a[128][32 + 8], b[32][128 + 8];
  const int t = threadIdx.x, l = t % 32, row = t / 64 * 64, column = t / 32 % 2 * 64;
  A += blockIdx.y * 128 * n;
  B += blockIdx.x * 128;
  float c[4][8][4] = {};
  for (int k = 0; k < n; k += 32) {
    for (int i = t; i < 512; i += 128) how::copy(&a[i / 4][i % 4 * 8], &A[i / 4 * n + k + i % 4 * 8]);
    for (int i = t; i < 512; i += 128) how::copy(&b[i / 16][i % 16 * 8], &B[(k + i / 16) * n + i % 16 * 8]);
    how::wait();
    __syncthreads();
#pragma unroll
    for (int p = 0; p < 32; p += 16) {
      u32 x[4][4], y[8][2];
      for (int i = 0; i < 4; i++)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(x[i][0]), "=r"(x[i][1]),
          "=r"(x[i][2]), "=r"(x[i][3]) : "r"(at(&a[row + 16 * i + l % 16][p + l / 16 * 8])));
      for (int j = 0; j < 8; j += 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(y[j][0]),
          "=r"(y[j][1]), "=r"(y[j + 1][0]), "=r"(y[j + 1][1]) : "r"(at(&b[p + l % 16][column + 8 * j + l / 16 * 8])));
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 8; j++)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};" : "+f"(c[i][j][0]), "+f"(c[i][j][1]), "+f"(c[i][j][2]), "+f"(c[i][j][3])
            : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]), "r"(y[j][0]), "r"(y[j][1]));
    }
    __syncthreads();
  }
  C += (blockIdx.y * 128 + row) * n + blockIdx.x * 128 + column;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 8; j++)
      for (int h = 0; h < 4; h += 2)
        *(float2 *)&C[(16 * i + 4 * h + l / 4) * n + 8 * j + l % 4 * 2] = make_float2(c[i][j][h], c[i][j][h + 1]);
}
extern "C" __global__ void mma(const half *A, const half *B, float *C, int n) {
  product<through_registers>(A, B, C, n);
}
extern "C" __global__ void mma_async(const half *A, const half *B, float *C, int n) {
  product<asynchronous>(A, B, C, n);
}
// tiles of 64 x 64 x 32 and warps of 32 x 32, as in examples/tensor_cores.lua
extern "C" __global__ void wmma_64(const half *A, const half *B, float *C, int n) {
  __shared__ __align__(32) half a[64][32 + 16], b[32][64 + 16];
  const int t = threadIdx.x, row = t / 64 * 32, column = t / 32 % 2 * 32;
  A += blockIdx.y * 64 * n;
  B += blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[4];
  for (int i = 0; i < 4; i++) wmma::fill_fragment(c[i], 0.0f);
  for (int k = 0; k < n; k += 32) {
    for (int i = t; i < 256; i += 128) {
      through_registers::copy(&a[i / 4][i % 4 * 8], &A[i / 4 * n + k + i % 4 * 8]);
      through_registers::copy(&b[i / 8][i % 8 * 8], &B[(k + i / 8) * n + i % 8 * 8]);
    }
    __syncthreads();
    for (int p = 0; p < 32; p += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y[2];
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(x[i], &a[row + 16 * i][p], 32 + 16);
        wmma::load_matrix_sync(y[i], &b[p][column + 16 * i], 64 + 16);
      }
      for (int i = 0; i < 4; i++) wmma::mma_sync(c[i], x[i / 2], y[i % 2], c[i]);
    }
    __syncthreads();
  }
  C += (blockIdx.y * 64 + row) * n + blockIdx.x * 64 + column;
  for (int i = 0; i < 4; i++)
    wmma::store_matrix_sync(C + i / 2 * 16 * n + i % 2 * 16, c[i], n, wmma::mem_row_major);
}
]=], { arch = "compute_80" })

local A, B = dc.random.uniform(N, N):to "float16", dc.random.uniform(N, N):to "float16"
local C, wide_A, wide_B = dc.empty(N, N), A:to "float32", B:to "float32"
local right = wide_A:matmul(wide_B):eval()

-- Processor time: other processes may run beside.
local function time(fn)
  local begin = os.clock()
  fn()
  dc.synchronize()
  return os.clock() - begin
end
local fns = { function() return time(function() wide_A:matmul(wide_B):eval() end) end }
local kernels = { { "mma", 128 }, { "mma_async", 128 }, { "wmma_64", 64 } }
for _, row in ipairs(kernels) do
  local kernel, blocks = module:kernel(row[1]), N // row[2]
  local function run() kernel({ blocks, blocks }, 128, A, B, C, N) end
  repeat
    time(run)
  until kernel.attributes.tier == 1 -- its code is compiled beside
  assert((C - right):abs():max():item() <= 2 * N * N * 2 ^ -21, row[1])
  fns[#fns + 1] = function() return time(run) end
end
local times = { report.alternate(ROUNDS, table.unpack(fns)) }
print(("sgemm of %d x %d: %.1f ms"):format(N, N, times[1] * 1e3))
for i, row in ipairs(kernels) do
  print(("%-10s %6.1f ms, %.2f of sgemm's time, %.2f of its speed"):format(row[1], times[i + 1] * 1e3,
    times[i + 1] / times[1], times[1] / times[i + 1]))
end
