-- Reference: matrix products, solvers and norms.
local NO_LIBRARY = "the library (LAPACK, cuSOLVER) is not installed"
local IN_GRAPH = "a graph is being captured"
local MATRIX = { "a", "array|table", "a matrix, or a batch of them: axes before the last two" }
local SQUARE = { "a", "array|table", "a square matrix, or a batch of them: axes before the last two" }

return {
  [[
## Linear algebra and Fourier transforms

Matrix products, solvers and transforms are computed by vendors' libraries, loaded on first use: cuBLAS, cuSOLVER and
cuFFT on a GPU, OpenBLAS and FFTW 3 on the CPU device. If one is not installed, the error (kind `device`) says how to
install it; `dc.available "blas"`, `"lapack"` and `"fft"` test for those of the current device. Without OpenBLAS
products on the CPU device are computed by kernels, in some three times the time.

Operands are arrays of one device, views and pending expressions too, or tables. Results are new arrays in C order.
Axes before the last two are a batch; in products and `solve` they broadcast.

### Products
]],
  {
    "matmul", at = "dc array dc.linalg", call = { "a:matmul(b)", "dc.matmul(a, b)", "dc.linalg.matmul(a, b)" },
    text = "The matrix product, with NumPy's rules: a 1-d `a` is a row, a 1-d `b` a column, and the result does not "
      .. "have that axis.",
    args = { { "a", "array|table", "… × n × k, or k elements" }, { "b", "array|table", "… × k × m, or k elements" } },
    returns = { { "array", "… × n × m in the promoted dtype; 0-d for two 1-d operands" } },
    errors = { argument = "not an array or table", device = "arrays of two devices, no BLAS",
      shape = "extents that do not agree, a 0-d operand" },
    example = [[
local a, b = dc.array { { 1, 2 }, { 3, 4 } }, dc.array { { 5, 6 }, { 7, 8 } }
a:matmul(b)                                --> {{19, 22}, {43, 50}}
a:matmul { 1, 1 }                          --> {3, 7}
dc.matmul({ 1, 2 }, { 3, 4 }):item()       --> 11
dc.ones(10, 2, 3):matmul(dc.ones(3, 4)):shape()  --> 10, 2, 4
]],
    see = "dot outer precision",
    words = "matrix product multiply gemm",
  },
  {
    "dot", at = "dc array dc.linalg", call = { "a:dot(b)", "dc.dot(a, b)", "dc.linalg.dot(a, b)" },
    text = "The product of `a`'s last axis and `b`'s last but one (its only one), for all other axes of both; "
      .. "elementwise with a number or a 0-d operand.",
    args = { { "a", "array|table", "the last axis has k elements" },
      { "b", "array|table|number", "the last axis but one, or the only one, has k elements" } },
    returns = { { "array", "the other axes of `a`, then those of `b`; 0-d for two 1-d operands" } },
    errors = { argument = "not an array or table, a number with a table", device = "arrays of two devices, no BLAS",
      shape = "extents that do not agree" },
    example = [[
dc.dot({ 1, 2, 3 }, { 4, 5, 6 }):item()    --> 32
dc.ones(2, 3, 4):dot(dc.ones(5, 4, 6)):shape()  --> 2, 3, 5, 6
dc.array({ 1, 2 }):dot(3)                  --> {3, 6}
]],
    see = "matmul outer",
    words = "inner product",
  },
  {
    "outer", at = "dc dc.linalg",
    text = "The products of every element of `a` with every element of `b`: a matrix.",
    args = { { "a", "array|table|number", "any shape: n elements in C order" },
      { "b", "array|table|number", "any shape: m elements in C order" } },
    returns = { { "array", "n × m in the promoted dtype" } },
    errors = { argument = "not an array, table or number", device = "arrays of two devices" },
    example = [[
dc.outer({ 1, 2 }, { 3, 4 })               --> {{3, 4}, {6, 8}}
]],
    see = "matmul dot",
    words = "product matrix tensor",
  },
  {
    "precision", at = "dc",
    text = 'How float32 products may be rounded on a GPU from now on: `"float32"` (the default: exactly as float32 '
      .. 'arithmetic), `"tf32"` (factors to 10 bits) or `"bfloat16"`; returns the previous setting.',
    args = { { "name?", '"float32"|"tf32"|"bfloat16"', "the new setting. Default: nothing is changed" } },
    returns = { { '"float32"|"tf32"|"bfloat16"', "the setting before" } },
    errors = { argument = "another name" },
    example = [[
local before = dc.precision "tf32"
before                                     --> float32
dc.precision(before)                       --> tf32
dc.precision()                             --> float32
]],
    see = "matmul",
  },
  [[
Operands of different dtypes are promoted as by operators. float16 and bfloat16 are accumulated in float32 and rounded
once. Integers wrap, bools are "or" of "and"s; these products use dotcompute's own kernel and need no library.
Transposed and sliced operands are used without a copy if one of their last two axes is contiguous; others are copied
first. The order of sums is the library's: results of two devices differ by rounding, at most about `k` times the
dtype's epsilon times the product of the operands' absolute values. Integers and bools are equal bit for bit.

```lua
local dc = require "dotcompute"
local a, b = dc.array { { 1, 2 }, { 3, 4 } }, dc.array { { 5, 6 }, { 7, 8 } }
assert(a:matmul(b)[{ 2, 1 }] == 43 and a.T:matmul(b)[{ 2, 1 }] == 38)
assert(dc.ones(10, 2, 3):matmul(dc.ones(3, 4)):sum():item() == 240) -- ten products
assert(dc.dot({ 1, 2, 3 }, { 4, 5, 6 }):item() == 32)
assert(dc.outer({ 1, 2 }, { 3, 4 })[{ 2, 2 }] == 8)
```

### dc.linalg
]],
  {
    "solve", at = "dc.linalg",
    text = "The `x` with `a x = b`; `b` is one vector (1-d) or a matrix, or a batch of matrices.",
    args = { SQUARE, { "b", "array|table", "n elements, or … × n × m" } },
    returns = { { "array", "x: n elements, or … × n × m" } },
    errors = { argument = "a singular matrix: an exact zero pivot", device = "arrays of two devices, " .. NO_LIBRARY,
      launch = IN_GRAPH, shape = "not a square matrix, a `b` of another number of rows" },
    example = [[
dc.linalg.solve({ { 2, 0 }, { 0, 4 } }, { 2, 8 })         --> {1, 2}
local a = dc.array({ { 4, 1 }, { 2, 3 } }, "float64")
local x = dc.linalg.solve(a, { 9, 13 })
dc.allclose(a:matmul(x), dc.array({ 9, 13 }, "float64"))  --> true
]],
    see = "inv lstsq det",
    words = "linear equations system",
  },
  {
    "inv", at = "dc.linalg",
    text = "The inverse of a matrix.",
    args = { SQUARE },
    returns = { { "array", "the shape of `a`" } },
    errors = { argument = "a singular matrix: an exact zero pivot", device = NO_LIBRARY, launch = IN_GRAPH,
      shape = "not a square matrix" },
    example = [[
dc.linalg.inv { { 2, 0 }, { 0, 4 } }       --> {{0.5, 0}, {0, 0.25}}
local ok, err = pcall(dc.linalg.inv, dc.ones(2, 2))
ok, err.kind                               --> false, argument
]],
    see = "solve",
    words = "inverse matrix",
  },
  {
    "det", at = "dc.linalg",
    text = "The determinant of a matrix; 0 for a singular one. For one matrix it is 0-d.",
    args = { SQUARE },
    returns = { { "array", "the axes of the batch" } },
    errors = { device = NO_LIBRARY, launch = IN_GRAPH, shape = "not a square matrix" },
    example = [[
local d = dc.linalg.det(dc.array({ { 4, 1 }, { 2, 3 } }, "float64")):item()
math.abs(d - 10) < 1e-12                   --> true
dc.linalg.det(dc.ones(2, 2)):item()        --> 0
]],
    see = "solve inv",
  },
  {
    "cholesky", at = "dc.linalg",
    text = "The lower `L` with `a = L L*`, from the lower triangle of `a`.",
    args = { { "a", "array|table", "a symmetric or Hermitian positive definite matrix, or a batch of them" } },
    returns = { { "array", "L: the shape of `a`, 0 above the diagonal" } },
    errors = { argument = "a matrix that is not positive definite", device = NO_LIBRARY, launch = IN_GRAPH,
      shape = "not a square matrix" },
    example = [[
dc.linalg.cholesky { { 4, 0 }, { 0, 9 } }  --> {{2, 0}, {0, 3}}
local a = dc.array { { 4, 2 }, { 2, 3 } }
local l = dc.linalg.cholesky(a)
dc.allclose(l:matmul(l.T), a)              --> true
]],
    see = "solve eigh",
  },
  {
    "qr", at = "dc.linalg",
    text = '`Q` and `R` with `a = Q R`; `"reduced"`, `"complete"` (a square `Q`), or `"r"` for `R` only.',
    args = { MATRIX,
      { "mode?", '"reduced"|"complete"|"r"', 'which parts. Default: "reduced"' } },
    returns = { { "array", "Q: … × m × k, k being the smaller extent; complete … × m × m (not with mode r)" },
      { "array", "R: … × k × n, complete … × m × n" } },
    errors = { argument = "another mode", device = NO_LIBRARY, launch = IN_GRAPH, shape = "not a matrix" },
    example = [[
local a = dc.array { { 1, 2 }, { 3, 4 }, { 5, 6 } }
local q, r = dc.linalg.qr(a)
dc.allclose(q:matmul(r), a, 1e-4)          --> true
dc.linalg.qr(a, "complete"):shape()        --> 3, 3
dc.linalg.qr(a, "r"):shape()               --> 2, 2
]],
    see = "svd lstsq",
  },
  {
    "svd", at = "dc.linalg", call = "dc.linalg.svd(a [, {full=false, vectors=true}])",
    text = "`U`, `S`, `Vh` with `a = U diag(S) Vh`, `S` descending. `{full = true}`: square `U` and `Vh`; `{vectors = "
      .. "false}`: only `S`.",
    args = { MATRIX },
    options = { { "full", "boolean", "square `U` and `Vh`. Default: false" },
      { "vectors", "boolean", "whether `U` and `Vh` are computed; `S` is the only result otherwise. Default: true" } },
    returns = { { "array", "U: … × m × k, k being the smaller extent; full … × m × m" },
      { "array", "S: … × k, the singular values as real numbers" },
      { "array", "Vh: … × k × n; full … × n × n" } },
    errors = { argument = "no convergence, as with NaN or infinity in the matrix", device = NO_LIBRARY,
      launch = IN_GRAPH, shape = "not a matrix" },
    example = [[
local a = dc.array { { 3, 0 }, { 0, 4 } }
local u, s, vh = dc.linalg.svd(a)
dc.allclose(s, { 4, 3 })                   --> true
dc.allclose((u * s):matmul(vh), a)         --> true
dc.linalg.svd(dc.ones(3, 2), { full = true }):shape()  --> 3, 3
]],
    see = "eigh lstsq norm",
    words = "singular values decomposition",
  },
  {
    "eigh", at = "dc.linalg", call = "dc.linalg.eigh(a [, {vectors=true}])",
    text = "Eigenvalues, ascending, and eigenvectors as columns of the symmetric or Hermitian matrix with the lower "
      .. "triangle of `a`. `{vectors = false}`: only the values.",
    args = { SQUARE },
    options = { { "vectors", "boolean", "whether the eigenvectors are computed. Default: true" } },
    returns = { { "array", "the eigenvalues: … × n real numbers" }, { "array", "the eigenvectors: the shape of `a`" } },
    errors = { argument = "no convergence, as with NaN or infinity in the matrix", device = NO_LIBRARY,
      launch = IN_GRAPH, shape = "not a square matrix" },
    example = [[
local a = dc.array { { 2, 1 }, { 1, 2 } }
local w, v = dc.linalg.eigh(a)
dc.allclose(w, { 1, 3 })                   --> true
dc.allclose(a:matmul(v), v * w, 1e-4, 1e-5)  --> true
]],
    see = "svd cholesky",
    words = "eigenvalues eigenvectors",
  },
  {
    "lstsq", at = "dc.linalg",
    text = "The `x` of least norm among those that minimize the norm of `a x - b`; then the squared residuals (empty "
      .. "if `a` has not full rank, or not more rows than columns), the rank, and the singular values of `a`. "
      .. "Singular values below `cutoff` times the largest count as 0 (by default epsilon times the larger extent of "
      .. "`a`).",
    args = { { "a", "array|table", "a matrix, m × n" }, { "b", "array|table", "m elements, or m × k" },
      { "cutoff?", "number", "relative to the largest singular value. Default: epsilon times the larger extent" } },
    returns = { { "array", "x: n elements, or n × k" }, { "array", "the squared residual of each column of `b`" },
      { "integer", "the rank of `a`" }, { "array", "the singular values of `a`, descending" } },
    errors = { argument = "a cutoff that is not a number, no convergence", device = "arrays of two devices, "
      .. NO_LIBRARY, launch = IN_GRAPH, shape = "an `a` that is not a matrix, a `b` of another number of rows" },
    example = [[
local line, rest, rank = dc.linalg.lstsq({ { 0, 1 }, { 1, 1 }, { 2, 1 } }, { 1, 3, 5 })  -- slope and intercept
dc.allclose(line, { 2, 1 }, 1e-4)          --> true
rank, #rest                                --> 2, 1
]],
    see = "solve qr svd",
    words = "least squares regression fit",
  },
  {
    "norm", at = "dc.linalg", call = "dc.linalg.norm(a [, ord [, axis]] [, {keep=false}])",
    text = "Norms of vectors and matrices. Without `ord` the root of the sum of squares. Of vectors (1-d, or along "
      .. "one axis) the norm of order `ord`, a number: `math.huge` is the largest, `-math.huge` the smallest absolute "
      .. "value, 0 counts nonzero elements. Of matrices (2-d, or a list of two axes) 1, -1, 2, -2, `math.huge`, "
      .. '`-math.huge`, `"fro"`, `"nuc"` as in NumPy. `{keep = true}`: the axes are kept with extent 1.',
    args = { { "a", "array|table", "the array" },
      { "ord?", 'number|"fro"|"nuc"', "the order. Default: the root of the sum of squares" },
      { "axis?", "axes", "one axis for vectors, two for matrices. Default: all axes" } },
    options = { { "keep", "boolean", "the axes stay with extent 1. Default: false" } },
    returns = { { "array", "real numbers; the axes that are left, 0-d by default" } },
    errors = { argument = "another order, not one or two different axes",
      device = '`"nuc"`, 2 and -2 of matrices: ' .. NO_LIBRARY, index = "an axis out of range",
      shape = "an order without axes for an array of more than two axes" },
    example = [[
dc.linalg.norm({ 3, 4 }):item()            --> 5
dc.linalg.norm({ 3, -4 }, 1):item()        --> 7
dc.linalg.norm({ 3, -4 }, math.huge):item()     --> 4
dc.linalg.norm({ { 3, 4 }, { 6, 8 } }, 2, 2)    --> {5, 10}
dc.linalg.norm({ { 3, 4 }, { 6, 8 } }, { axis = 2, keep = true })  --> {{5}, {10}}
math.abs(dc.linalg.norm({ { 3, 0 }, { 0, 4 } }, "nuc"):item() - 7) < 1e-4  --> true
]],
    see = "svd",
  },
  [[
The products are in `dc.linalg`, too.

On a GPU a batch of small matrices is solved, inverted or decomposed by batched routines: up to 256 rows, for `svd` 32,
for `qr` 64 (whose `Q` still takes a launch for each matrix).

All compute in float32, or float64 for float64 and 64-bit integers, or the complex dtype of that width. Error
`argument`: the matrix is singular (`solve`, `inv`: an exact zero pivot), not positive definite (`cholesky`), or `svd`
and `eigh` do not converge, which NaN and infinity in the matrix may cause; otherwise these are propagated. `shape`: not
a matrix, not square, extents that do not agree.

```lua
local dc = require "dotcompute"
local a = dc.array({ { 4, 1 }, { 2, 3 } }, "float64")
local x = dc.linalg.solve(a, { 9, 13 })
assert(dc.allclose(a:matmul(x), dc.array({ 9, 13 }, "float64")))
assert(math.abs(dc.linalg.det(a):item() - 10) < 1e-12)
local u, s, vh = dc.linalg.svd(a)
assert(dc.allclose((u * s):matmul(vh), a))
local line = dc.linalg.lstsq({ { 0, 1 }, { 1, 1 }, { 2, 1 } }, { 1, 3, 5 }) -- slope and intercept
assert(dc.allclose(line, { 2, 1 }, 1e-4))
local ok, err = pcall(dc.linalg.inv, dc.ones(2, 2))
assert(not ok and err.kind == "argument")
```
]],
}
