-- The product of two float16 matrices by a tile kernel, accumulated in float32: the compiler makes the loads, the
-- copies through shared memory and the instructions of the tensor cores.
local dc = require "dotcompute"

local M <const>, N <const>, K <const> = 64, 64, 32 -- a block's tile of the result, and the depth of a step

local matmul = dc.kernel(("#define TM %d_ic\n#define TN %d_ic\n#define TK %d_ic\n"):format(M, N, K) .. [[
#include "cuda_tile.h"
#include <cuda_fp16.h>
namespace ct = ::cuda::tiles;
using namespace ct::literals;

__tile_global__ void matmul(const __half *__restrict__ a, const __half *__restrict__ b, float *__restrict__ c, int m,
                            int n, int k) {
  ct::partition_view as{ct::tensor_span{a, ct::extents{m, k}}, ct::shape{TM, TK}};
  ct::partition_view bs{ct::tensor_span{b, ct::extents{k, n}}, ct::shape{TK, TN}};
  ct::partition_view cs{ct::tensor_span{c, ct::extents{m, n}}, ct::shape{TM, TN}};
  auto row = ct::bid().y, column = ct::bid().x;
  auto sum = ct::zeros<ct::tile<float, decltype(ct::shape{TM, TN})>>();
  for (int i = 0; i < ct::ceildiv(k, (int)TK); i++)
    sum = ct::mma(as.load_masked(row, i), bs.load_masked(i, column), sum);
  cs.store_masked(sum, row, column);
}]])

local m, n, k = 300, 200, 100
local a, b = dc.random.normal { m, k }:to "float16", dc.random.normal { k, n }:to "float16"
local c = dc.empty(m, n)
matmul({ (n + N - 1) // N, (m + M - 1) // M }, a, b, c, m, n, k)
local difference = (c - a:to "float32":matmul(b:to "float32")):abs():max():item()
print(("largest difference to a:matmul(b): %g"):format(difference))
