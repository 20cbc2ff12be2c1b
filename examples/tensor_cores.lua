-- Matrix product of float16 on tensor cores, with sums in float32; sizes are multiples of 64.
-- Usage: tensor_cores.lua [rows [inner [columns]]]
local dc = require "dotcompute"

local M = math.tointeger(arg and tonumber(arg[1]) or 256)
local K = math.tointeger(arg and tonumber(arg[2]) or M)
local N = math.tointeger(arg and tonumber(arg[3]) or K)
local TILE = 64
assert(M % TILE == 0 and K % TILE == 0 and N % TILE == 0, "sizes must be multiples of 64")

-- A block of four warps computes 64 x 64 elements of C; each warp 32 x 32, as 2 x 2 fragments of 16 x 16.
local matmul = dc.kernel([=[
#include <mma.h>
using namespace nvcuda;

__global__ void matmul(int K, int N, const half *A, const half *B, float *C) {
  __shared__ __align__(32) half a[64][32 + 16], b[32][64 + 16]; // rows 16 elements longer: other banks of shared memory
  const int t = threadIdx.x, row = t / 32 / 2 * 32, col = t / 32 % 2 * 32;
  A += blockIdx.y * 64 * K;
  B += blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
  for (int i = 0; i < 4; i++) wmma::fill_fragment(c[i / 2][i % 2], 0.0f);
  for (int k = 0; k < K; k += 32) {
    for (int i = t; i < 256; i += 128) { // 8 elements each
      *(uint4 *)&a[i / 4][i % 4 * 8] = *(const uint4 *)&A[i / 4 * K + k + i % 4 * 8];
      *(uint4 *)&b[i / 8][i % 8 * 8] = *(const uint4 *)&B[(k + i / 8) * N + i % 8 * 8];
    }
    __syncthreads();
    for (int p = 0; p < 32; p += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y[2];
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(x[i], &a[row + 16 * i][p], 32 + 16);
        wmma::load_matrix_sync(y[i], &b[p][col + 16 * i], 64 + 16);
      }
      for (int i = 0; i < 4; i++) wmma::mma_sync(c[i / 2][i % 2], x[i / 2], y[i % 2], c[i / 2][i % 2]);
    }
    __syncthreads();
  }
  C += (blockIdx.y * 64 + row) * N + blockIdx.x * 64 + col;
  for (int i = 0; i < 4; i++)
    wmma::store_matrix_sync(C + i / 2 * 16 * N + i % 2 * 16, c[i / 2][i % 2], N, wmma::mem_row_major);
}]=])

local A, B = dc.random.uniform(M, K):to "float16", dc.random.uniform(K, N):to "float16"
local C = dc.empty(M, N)
matmul({ N // TILE, M // TILE }, 128, K, N, A, B, C)

-- Elements are in [0, 1); each of the K additions to a sum below K is off by at most 2^-21 of it.
local off = (C - A:to("float32"):matmul(B:to "float32")):abs():max():item()
assert(off <= 2 * K * K * 2 ^ -21, "wrong by " .. off)
print(("%d x %d by %d x %d: largest difference from float32 %.2g, on %s"):format(M, K, K, N, off, dc.device().name))
