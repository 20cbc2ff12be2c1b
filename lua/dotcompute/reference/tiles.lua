-- Reference: functions of tile kernels.
local NO_COMPILERS = "NVIDIA's compilers of tile kernels are not installed (`make tile`)"
local HALVES = "float16 or bfloat16"
local ROW_ERRORS = { argument = "not an array, an unknown option",
  dtype = "another dtype than float16, bfloat16, float32, float64", shape = "a 0-d array" }

return {
  [[
### dc.tiles

Ready functions, for arrays of any extents. `matmul` and `attention` are [tile kernels](tile.md), which need NVIDIA's
compilers of these: each compiles a kernel for its dtype and the sizes of its tiles, which follow from the device and
the shape; it is cached as all kernels are. Views are copied first. `softmax` and `layer_norm` are array expressions,
which need no tiles: they are fused into one kernel. (`dc.tile` repeats an array.)

```lua
local dc = require "dotcompute"
local grid = dc.tiles.grid({ 300, 1000 }, { 64, 128 })  -- blocks for tiles of 64 x 128: x is the last axis
assert(grid[1] == 8 and grid[2] == 5)
```
]],
  {
    "grid", at = "dc.tiles",
    text = "The grid that has a block for each tile of an array, the last partial ones included: the last axis is `x`, "
      .. "the one before it `y`, then `z`. In the kernel the tile of a block is `ct::bid()`.",
    args = { { "shape", "integer|integer[]|array", "the extents, 1 to 3 of them; or an array that has them" },
      { "tile", "integer|integer[]", "as many extents of the tile, powers of two" } },
    returns = { { "integer[]", "the grid" } },
    errors = { argument = "extents that are no integers from 0 on",
      shape = "no power of two, another number of axes than 1 to 3, or two numbers of them" },
    example = [[
dc.tiles.grid({ 300, 1000 }, { 64, 128 })  --> {8, 5}
dc.tiles.grid(5000, 1024)                  --> {5}
]],
    see = "kernel softmax",
    words = "launch blocks ceil cdiv tile kernel",
  },
  {
    "softmax", at = "dc.tiles",
    text = "exp(x) over the sum of exp(x) along the last axis, relative to its maximum.",
    args = { { "a", "array", "rows along the last axis" } },
    returns = { { "array", "of the same shape and dtype; computed in float32, of float64 in float64" } },
    errors = ROW_ERRORS,
    example = [[
dc.tiles.softmax(dc.zeros(2, 4))[1]        --> {0.25, 0.25, 0.25, 0.25}
]],
    see = "layer_norm attention",
    words = "normalize probability rows",
  },
  {
    "layer_norm", at = "dc.tiles", call = "dc.tiles.layer_norm(a [, {weight=, bias=, eps=}])",
    text = "(x - mean) / sqrt(variance + eps) along the last axis, then times `weight`, plus `bias`.",
    args = { { "a", "array", "rows along the last axis" } },
    options = { { "weight", "array", "a factor for each element of a row, of the dtype of `a`. Default: 1" },
      { "bias", "array", "what is added to each element of a row, of the dtype of `a`. Default: 0" },
      { "eps", "number", "from 0 on. Default: 1e-5" } },
    returns = { { "array", "of the same shape and dtype; computed in float32, of float64 in float64" } },
    errors = { argument = ROW_ERRORS.argument .. ", a negative `eps`",
      device = "weights on another device", dtype = ROW_ERRORS.dtype .. "; weights of another one",
      shape = "a 0-d array, weights that are not of the last axis' extent" },
    example = [[
dc.tiles.layer_norm(dc.array { { -1, 1 }, { 0, 8 } }, { eps = 0 })  --> {{-1, 1}, {-1, 1}}
]],
    see = "softmax",
    words = "normalize mean variance",
  },
  {
    "matmul", at = "dc.tiles", call = "dc.tiles.matmul(a, b [, {dtype=}])",
    text = "The product of two matrices on tensor cores, with sums in float32. (`dc.matmul` is the vendor's library, "
      .. "for all dtypes and batches, and the faster one.)",
    args = { { "a", "array", "(m, k), " .. HALVES }, { "b", "array", "(k, n), of the dtype of `a`" } },
    options = { { "dtype", "dtype", 'of the result: that of `a`, or "float32". Default: that of `a`' } },
    returns = { { "array", "(m, n)" } },
    errors = { argument = "not an array, an unknown option", compile = NO_COMPILERS, device = "arrays of two devices",
      dtype = "operands that are not both " .. HALVES .. ", another dtype of the result",
      shape = "other axes, extents that do not agree" },
    example = [[
local a = dc.array({ { 1, 2 }, { 3, 4 } }, "float16")
dc.tiles.matmul(a, a, { dtype = "float32" })  --> {{7, 10}, {15, 22}}
]],
    see = "dc.matmul attention",
    words = "gemm matrix product tensor cores",
  },
  {
    "attention", at = "dc.tiles", call = "dc.tiles.attention(q, k, v [, {causal=, scale=}])",
    text = "softmax(scale q kT) v of each head, forward, on tensor cores, without a matrix of scores in memory "
      .. "(FlashAttention). Heads of 64 or 128 elements on GPUs of compute capability 9.0 have a kernel by hand, which "
      .. "needs no compilers of tile kernels.",
    args = { { "q", "array", "(…, n, d), " .. HALVES .. ", d up to 256; the leading axes are heads, batches …" },
      { "k", "array", "(…, keys, d), of the dtype and leading axes of `q`" },
      { "v", "array", "(…, keys, d)" } },
    options = { { "causal", "boolean", "a query sees its own key and those before it; takes n = keys. Default: false" },
      { "scale", "number", "of the scores. Default: 1 / sqrt(d)" } },
    returns = { { "array", "(…, n, d), of the dtype of `q`; sums are in float32" } },
    errors = { argument = "not an array, an unknown option, a `scale` that is not finite", compile = NO_COMPILERS,
      device = "arrays of two devices", dtype = "operands that are not all " .. HALVES,
      shape = "axes that do not agree, d beyond 256, no keys, `causal` with n other than keys" },
    example = [[
local q = dc.ones({ 2, 16, 8 }, "float16")
dc.tiles.attention(q, q, q * 3, { causal = true }):sum():item()  --> 768
]],
    see = "softmax matmul",
    words = "transformer flash sdpa scaled dot product",
  },
}
