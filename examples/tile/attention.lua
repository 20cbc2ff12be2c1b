-- Attention, forward: softmax(q kT / sqrt(d)) v of each head, by a tile kernel that keeps a running maximum and a
-- running sum of each row (Dao et al., FlashAttention, 2022), so that no matrix of scores is ever in memory.
local dc = require "dotcompute"

local D <const>, ROWS <const> = 64, 64 -- size of a head, rows of queries and of keys in a tile; HEAD and ROWS below

local attention = dc.kernel [[
#include "cuda_tile.h"
#include <cuda_fp16.h>
namespace ct = ::cuda::tiles;
using namespace ct::literals;
constexpr auto HEAD = 64_ic, ROWS = 64_ic;

using scores = ct::tile<float, decltype(ct::shape{ROWS, ROWS})>;
using values = ct::tile<float, decltype(ct::shape{ROWS, HEAD})>;
using column = ct::tile<float, decltype(ct::shape{ROWS, 1_ic})>;

// q, k, v, out: heads of n rows each, one below the other; n is a multiple of ROWS.
__tile_global__ void attention(const __half *__restrict__ q, const __half *__restrict__ k,
                               const __half *__restrict__ v, float *__restrict__ out, int heads, int n, float scale) {
  auto extents = ct::extents{heads * n, HEAD};
  auto shape = ct::shape{ROWS, HEAD};
  ct::partition_view qs{ct::tensor_span{q, extents}, shape}, ks{ct::tensor_span{k, extents}, shape},
                     vs{ct::tensor_span{v, extents}, shape};
  ct::partition_view outs{ct::tensor_span{out, extents}, shape};
  const int tiles = n / (int)ROWS, first = ct::bid().y * tiles, mine = first + ct::bid().x;
  auto query = qs.load(mine, 0);
  auto sum = ct::zeros<values>();
  auto most = ct::full<column>(-INFINITY), total = ct::zeros<column>();
  for (int j = first; j < first + tiles; j++) {
    auto s = ct::mma(query, ct::transpose(ks.load(j, 0)), ct::zeros<scores>()) * scale;
    column now = ct::max(most, ct::reduce_max<1>(s));
    auto p = ct::exp(s - now);
    auto shrink = ct::exp(most - now);
    total = total * shrink + ct::sum<1>(p);
    sum = ct::mma(ct::element_cast<__half>(p), vs.load(j, 0), sum * shrink);
    most = now;
  }
  outs.store(sum / total, mine, 0);
}]]

local heads, n = 2, 256
local q, k, v = dc.random.normal { heads, n, D }:to "float16", dc.random.normal { heads, n, D }:to "float16",
  dc.random.normal { heads, n, D }:to "float16"
local out = dc.empty(heads, n, D)
attention({ n // ROWS, heads }, q, k, v, out, heads, n, 1 / math.sqrt(D))

-- The same by whole matrices.
local scores = q:to "float32":matmul(k:to "float32":transpose(1, 3, 2)) / math.sqrt(D)
local weights = (scores - scores:max(3, { keep = true })):exp()
local want = (weights / weights:sum(3, { keep = true })):matmul(v:to "float32")
print(("largest difference to softmax(q kT / sqrt d) v: %g"):format((out - want):abs():max():item()))
