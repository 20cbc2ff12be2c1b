-- The sum of two vectors by a tile kernel: each block adds one tile of 1024 elements.
local dc = require "dotcompute"

local add = dc.kernel [[
#include "cuda_tile.h"
namespace ct = ::cuda::tiles;
using namespace ct::literals;

__tile_global__ void add(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  ct::partition_view x{ct::tensor_span{a, ct::extents{n}}, ct::shape{1024_ic}};
  ct::partition_view y{ct::tensor_span{b, ct::extents{n}}, ct::shape{1024_ic}};
  ct::partition_view z{ct::tensor_span{c, ct::extents{n}}, ct::shape{1024_ic}};
  auto i = ct::bid().x;
  z.store_masked(x.load_masked(i) + y.load_masked(i), i);
}]]

local n = 100000
local a, b, c = dc.random.uniform(n), dc.random.uniform(n), dc.empty(n)
add((n + 1023) // 1024, a, b, c, n) -- a grid and no block: the compiler chooses the threads
print(("largest difference to a + b: %g"):format((c - (a + b)):abs():max():item()))
