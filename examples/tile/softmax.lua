-- Softmax of each row of a matrix by a tile kernel: a block has a whole row as its tile.
local dc = require "dotcompute"

local softmax = dc.kernel [[
#include "cuda_tile.h"
namespace ct = ::cuda::tiles;
using namespace ct::literals;

__tile_global__ void softmax(const float *__restrict__ in, float *__restrict__ out, int rows) {
  ct::partition_view x{ct::tensor_span{in, ct::extents{rows, 1024_ic}}, ct::shape{1_ic, 1024_ic}};
  ct::partition_view y{ct::tensor_span{out, ct::extents{rows, 1024_ic}}, ct::shape{1_ic, 1024_ic}};
  auto row = x.load(ct::bid().x, 0);
  auto e = ct::exp(row - ct::reduce_max<1>(row));
  y.store(e / ct::sum<1>(e), ct::bid().x, 0);
}]]

local rows = 200
local x, y = dc.random.normal { rows, 1024 }, dc.empty(rows, 1024)
softmax(rows, x, y, rows)
local e = (x - x:max(2, { keep = true })):exp()
print(("largest difference to exp(x) / sum(exp(x)): %g"):format((y - e / e:sum(2, { keep = true })):abs():max():item()))
