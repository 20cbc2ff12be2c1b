-- Reference: distributed arrays.
local SELF = { "x", "distributed", "the distributed array" }
local COMM = { "comm", "comm", "the communicator. Default: `dc.world()`" }
local AXIS = { "axis", "integer", "the axis of distribution. Default: the first" }
local LAYOUT = { COMM, AXIS }
local COMM_ARG = { "comm?", "comm", "the communicator. Default: `dc.world()`" }
local AXIS_ARG = { "axis?", "integer", "the axis of distribution. Default: the first" }
local K = { "k?", "integer", "of `dc.comm(devices)`: the number of the device. Default: the only one" }
local SHAPE = { "...", "shape", "the shape of the whole: integers, or one table of them" }
local DTYPE = { "dtype?", "dtype", "the dtype. Default: float32" }
local WHOLE = { { "distributed", "the array" } }
local SHAPE_ERRORS = { argument = "no communicator, or a closed one, no shape, no such option",
  index = "an axis out of range", dtype = "there is no such dtype" }
local CLOSED = "no distributed array, or a closed one, no such option"
local FAILED = "the ranks do not call the same, or one has not come in time"
local AXES = { "...", "axes", "axes, integers or one table of them. Default: all" }

local function method(name, text, args, returns, errors, example, options)
  table.insert(args, 1, SELF)
  errors = errors or {}
  errors.argument = errors.argument or CLOSED
  return { name, at = "distributed", text = text, args = args, options = options, returns = returns, errors = errors,
    example = example }
end

local function transform(name, text, args, options, example)
  return method(name, text, args, { { "distributed", "complex, or real of `irfft`, along the same axis" } },
    { index = "an axis out of range", shape = "an array of one axis, along it", launch = FAILED }, example, options)
end
local ONE = { "axis?", "integer", "the axis. Default: the last" }
local NORM = { "norm", '"backward"|"ortho"|"forward"', "which transforms are scaled, as in `dc.fft`. Default: "
  .. '`"backward"`' }
local POINTS = { { "n", "integer", "the number of points. Default: the axis's extent" }, NORM }

local function random(name, text, options, example)
  local all = { { "generator", "generator", "the generator. Default: that of `dc.random`" }, COMM, AXIS,
    table.unpack(options) }
  return { name, at = "dc.dist", call = ("dc.dist.%s(shape… [, options])"):format(name), text = text
    .. " Each block has the elements that `dc.random." .. name .. "` of the whole shape gives there, whatever the "
    .. "number of ranks; all ranks draw with the seed and the call of rank 0's generator.",
    args = { SHAPE }, options = all, returns = WHOLE, errors = SHAPE_ERRORS, example = example,
    see = "dc.random." .. name }
end
local FLOAT = { "dtype", "dtype", "a floating-point dtype. Default: float32" }

return {
  [[
### dc.dist

An array distributed over the ranks of a communicator is divided along one axis into a block for each rank, the first
blocks one longer where they differ. All ranks call the same functions. Operators and functions of elements are those of
arrays: each rank computes its block, pending and fused, and nothing is communicated; a plain array among the operands
is the same on every rank. What would need elements of other ranks and is not listed here is an error. See
[several processes](several-processes.md#distributed-arrays).
]],
  {
    "array", at = "dc.dist", call = "dc.dist.array(a [, comm] [, axis])",
    text = "Distributes an array that is the same on every rank: each keeps its block. Nothing is communicated.",
    args = { { "a", "array|table", "the whole array" }, COMM_ARG, AXIS_ARG }, options = LAYOUT, returns = WHOLE,
    errors = { argument = "no array, no communicator, or a closed one", shape = "an array without axes",
      index = "an axis out of range" },
    example = [[
local x = dc.dist.array { 1, 2, 3, 4 }
(x * 2 + 1):sum()                          --> 24
]],
    see = "join gather",
    words = "scatter distribute",
  },
  {
    "join", at = "dc.dist", call = "dc.dist.join(block [, comm] [, axis])",
    text = "The blocks of all ranks one after another along the axis. Blocks of the lengths of a block distribution "
      .. "become parts as they are, without a copy; others are moved. Of `dc.comm(devices)`: a table of arrays.",
    args = { { "block", "array|array[]", "this rank's block" }, COMM_ARG, AXIS_ARG }, options = LAYOUT,
    returns = WHOLE,
    errors = { argument = "no array, no communicator, or a closed one", shape = "the blocks differ in more than their "
      .. "length; an error on every rank", dtype = "the blocks have several dtypes", device = "an array on another "
      .. "device than the communicator", launch = FAILED },
    example = [[
local first, last = dc.dist.bounds(1000)
local k = dc.dist.join(dc.arange(first, last))
k:sum()                                    --> 500500
]],
    see = "array bounds",
  },
  {
    "bounds", at = "dc.dist",
    text = "The first and last index of this rank's block of `n` elements; last is less where it has none.",
    args = { { "n", "integer", "the number of elements" }, COMM_ARG },
    returns = { { "integer", "the first index" }, { "integer", "the last index" } },
    errors = { argument = "a negative number, no communicator, one of devices" },
    example = [[
dc.dist.bounds(10)                         --> 1, 10
]],
  },
  {
    at = "dc.dist",
    call = { "dc.dist.zeros(shape… [, dtype] [, options])", "dc.dist.ones(shape… [, dtype] [, options])",
      "dc.dist.empty(shape… [, dtype] [, options])" },
    names = {
      { "zeros", "A distributed array of zeros.", [[
dc.dist.zeros(2, 3):shape()                --> 2, 3
]] },
      { "ones", "A distributed array of ones.", [[
dc.dist.ones(4):sum()                      --> 4
]] },
      { "empty", "A distributed array whose elements are not set.", [[
dc.dist.empty(4, "int32").dtype            --> int32
]] },
    },
    text = "Each rank makes its block.",
    args = { SHAPE, DTYPE }, options = LAYOUT, returns = WHOLE, errors = SHAPE_ERRORS,
  },
  {
    "full", at = "dc.dist", call = "dc.dist.full(shape, value [, dtype] [, options])",
    text = "A distributed array of one value.",
    args = { { "shape", "shape", "the shape of the whole" }, { "value", "number|boolean", "the value" }, DTYPE },
    options = LAYOUT, returns = WHOLE, errors = SHAPE_ERRORS,
    example = [[
dc.dist.full({ 2, 2 }, 7):max()            --> 7
]],
  },
  random("uniform", "Numbers in [low, high).", { { "low", "number", "Default: 0" }, { "high", "number", "Default: 1" },
    FLOAT }, [[
local g = dc.random.generator(1)
local x = dc.dist.uniform(3, { generator = g })
g:seed(1)
dc.equal(x:gather(), g:uniform(3):copy())  --> true
]]),
  random("normal", "Normally distributed numbers.", { { "mean", "number", "Default: 0" },
    { "std", "number", "Default: 1" }, FLOAT }, [[
dc.dist.normal(4, 5):shape()               --> 4, 5
]]),
  random("exponential", "Exponentially distributed numbers.", { { "mean", "number", "Default: 1" }, FLOAT }, [[
dc.dist.exponential(100):min():item() >= 0 --> true
]]),
  random("integers", "Integers from `low` to `high`, both included.", { { "low", "number", "Default: 0" },
    { "high", "number", "Default: the largest of the dtype" }, { "dtype", "dtype", "Default: int64" } }, [[
dc.dist.integers(100, { low = 1, high = 6 }):max():item() <= 6   --> true
]]),
  {
    "load", at = "dc.dist", call = "dc.dist.load(path [, options])",
    text = "Reads a `.npy` file: each rank its own part of it, in either order of elements and bytes.",
    args = { { "path", "string", "the file, which all ranks see" } }, options = LAYOUT, returns = WHOLE,
    errors = { io = "a rank cannot read the file, which is then an error on all; it is no .npy file of one of "
      .. "NumPy's plain dtypes", argument = "no path, no communicator", index = "an axis out of range" },
    example = [[
local path = os.tmpname() .. ".npy"
dc.dist.ones(4, 3):save(path)
dc.dist.load(path, { axis = 2 }):sum()     --> 12
os.remove(path)
]],
    see = "distributed.save",
  },
  {
    "matmul", at = "dc.dist distributed",
    text = "The product of a matrix and a matrix or vector, one or both of them distributed, the other the same on "
      .. "every rank. Divided along the inner axis: partial products are summed and scattered (of 16-bit floats, in "
      .. "their own precision). Else blocks of columns go around a ring, the next one while a product is computed. The "
      .. "result is distributed along axis 1; along axis 2 where the first operand is whole and the second is "
      .. "distributed along axis 2.",
    args = { { "a", "distributed|array", "the first operand" }, { "b", "distributed|array", "the second operand" } },
    returns = { { "distributed", "the product" } },
    errors = { argument = "no array; two communicators", shape = "the inner extents differ; not a matrix and a "
      .. "matrix or vector; a matrix distributed along axis 1 and a distributed vector", launch = FAILED },
    example = [[
local a = dc.dist.ones(4, 3)
a:matmul(dc.ones(3, 2)):sum()              --> 24
dc.dist.matmul(dc.ones(2, 4), a):shape()   --> 2, 3
]],
    words = "product gemm",
  },
  {
    class = "distributed", metatable = "dotcompute.distributed",
    text = "A distributed array. Besides these methods it has the operators and the functions of elements of arrays: "
      .. "`x + 1`, `dc.exp(x)`, `x:gt(0)`, `dc.where(x:gt(y), x, y)`.",
    operators = { { "add", "number|dotcompute.array|dotcompute.distributed", "dotcompute.distributed" },
      { "sub", "number|dotcompute.array|dotcompute.distributed", "dotcompute.distributed" },
      { "mul", "number|dotcompute.array|dotcompute.distributed", "dotcompute.distributed" },
      { "div", "number|dotcompute.array|dotcompute.distributed", "dotcompute.distributed" } },
  },
  method("gather", "The whole array on every rank, or on the root alone; others get nil. Of `dc.comm(devices)` one "
    .. "array, on the first device or the root's.", { { "root?", "integer", "a rank. Default: all" } },
    { { "array", "the whole, or nil" } }, { launch = FAILED }, [[
dc.dist.ones(3):gather()                   --> {1, 1, 1}
]]),
  method("redistribute", "The same array distributed along another axis; each rank sends a block to each other.",
    { { "axis", "integer", "the new axis of distribution" } }, { { "distributed", "the array; itself if it is so "
    .. "already" } }, { index = "an axis out of range", launch = FAILED }, [[
dc.dist.ones(4, 6):redistribute(2).axis    --> 2
]]),
  method("transpose", "The array with its axes in another order, by default reversed: views of the blocks.",
    { { "...", "axes", "the axes in their new order" } }, { { "distributed", "the array" } },
    { argument = CLOSED .. ", no permutation of the axes" }, [[
dc.dist.ones(4, 6):transpose().axis        --> 2
]]),
  method("t", "The transposed matrix, a view.", {}, { { "distributed", "the matrix" } },
    { shape = "not a matrix" }, [[
dc.dist.ones(4, 6):t():shape()             --> 6, 4
]]),
  method("halo", "A copy whose blocks have margins of `width` elements at both ends along the axis of distribution, "
    .. "with the neighbours' elements. At the ends of the whole they are 0 until they are written.",
    { { "width", "integer", "elements of a margin, at most the length of the smallest block" } },
    { { "distributed", "the copy, with `padded` and `exchange`" } },
    { shape = "a block is shorter than the margin", launch = FAILED }, [[
local x = dc.dist.array({ 1, 2, 3 }):halo(1, { periodic = true })
x:padded()                                 --> {3, 1, 2, 3, 1}
]], { { "periodic", "boolean", "the ends of the whole are neighbours. Default: false" } }),
  method("padded", "A block with its margins, which kernels read and write in place; `x:part()` is the middle of it.",
    { K }, { { "array", "the block" } }, { argument = CLOSED .. ", an array without margins" }, [[
dc.dist.ones(4):halo(2):padded():shape()   --> 8
]]),
  method("exchange", "Writes the neighbours' elements into the margins again.", {},
    { { "distributed", "`x`" } }, { argument = CLOSED .. ", an array without margins", launch = FAILED }, [[
local x = dc.dist.ones(4):halo(1)
x:fill(2)
x:exchange():sum()                         --> 8
]]),
  method("part", "The block of this rank, of `dc.comm(devices)` that of device `k`: an array whose elements are those "
    .. "of `x`.", { K }, { { "array", "the block" } }, nil, [[
dc.dist.ones(3):part()                     --> {1, 1, 1}
]]),
  method("bounds", "The first and last index of the block along the axis of distribution.", { K },
    { { "integer", "the first index" }, { "integer", "the last index" } }, nil, [[
dc.dist.ones(3, 8):bounds()                --> 1, 3
]]),
  method("shape", "The extents of the whole.", {}, { { "integer...", "the extents" } }, nil, [[
dc.dist.ones(3, 8):shape()                 --> 3, 8
]]),
  method("eval", "Starts the computation of a pending array.", {}, { { "distributed", "`x`" } }, nil, [[
(dc.dist.ones(3) * 2):eval():sum()         --> 6
]]),
  method("copy", "A copy.", {}, { { "distributed", "the copy" } }, nil, [[
dc.dist.ones(3):copy():sum()               --> 3
]]),
  method("copy_from", "Writes the elements of a distributed array of the same layout, of an array or a number.",
    { { "v", "distributed|array|number", "the elements" } }, { { "distributed", "`x`" } },
    { shape = "another layout or shape" }, [[
dc.dist.ones(3):copy_from(dc.arange(1, 3)):sum()   --> 6
]]),
  method("fill", "Sets all elements.", { { "v", "number|boolean", "the value" } }, { { "distributed", "`x`" } },
    { dtype = "a value that the dtype does not hold" }, [[
dc.dist.ones(3):fill(4):sum()              --> 12
]]),
  {
    at = "distributed", call = { "x:to(dtype)", "x:cast(dtype)" },
    names = {
      { "to", "Converted to another dtype.", [[
dc.dist.ones(3):to("int8").dtype           --> int8
]] },
      { "cast", "The same as `to`.", [[
dc.dist.ones(3):cast("int8").dtype         --> int8
]] },
    },
    text = "The blocks stay on their devices.",
    args = { SELF, { "dtype", "dtype", "the dtype" } }, returns = { { "distributed", "the array, pending" } },
    errors = { argument = CLOSED .. ", no dtype" },
  },
  {
    at = "distributed",
    call = { "x:sum([axes…] [, {keep=}])", "x:prod(…)", "x:min(…)", "x:max(…)", "x:any(…)", "x:all(…)", "x:count(…)",
      "x:mean(…)", "x:norm(…)", "x:argmin([axis] [, {keep=}])", "x:argmax(…)" },
    names = {
      { "sum", "The sum.", "dc.dist.array({ 1, 2, 3 }):sum()           --> 6\n" },
      { "prod", "The product.", "dc.dist.array({ 1, 2, 3 }):prod()          --> 6\n" },
      { "min", "The least element; NaN where one is.", "dc.dist.array({ 1, 2, 3 }):min()           --> 1\n" },
      { "max", "The greatest element; NaN where one is.", "dc.dist.array({ 1, 2, 3 }):max()           --> 3\n" },
      { "any", "Whether an element is not 0.", "dc.dist.array({ 0, 2, 0 }):any()           --> true\n" },
      { "all", "Whether no element is 0.", "dc.dist.array({ 0, 2, 0 }):all()           --> false\n" },
      { "count", "How many elements are not 0.", "dc.dist.array({ 0, 2, 0 }):count()         --> 1\n" },
      { "mean", "The mean.", "dc.dist.array({ 1, 2, 3 }):mean()          --> 2\n" },
      { "norm", "The root of the sum of squares.", "dc.dist.array({ 3, 4 }):norm()             --> 5\n" },
      { "argmin", "The index of the first least element.", "dc.dist.array({ 3, 1, 1 }):argmin()        --> 2\n" },
      { "argmax", "The index of the first greatest element.", "dc.dist.array({ 3, 1, 1 }):argmax()        --> 1\n" },
    },
    text = "As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain "
      .. "array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit "
      .. "floats are summed in float32. The order of additions depends on the number of ranks, and so do the last "
      .. "bits of floating-point sums.",
    args = { SELF, AXES }, options = { { "keep", "boolean", "reduced axes stay, with extent 1. Default: false" } },
    returns = { { "array|distributed|boolean", "the result; of `any` and `all` over everything a boolean" } },
    errors = { argument = CLOSED, index = "an axis out of range", shape = "an axis named twice", launch = FAILED },
  },
  {
    at = "distributed", call = { "x:var([axes…] [, {keep=, ddof=}])", "x:std(…)" },
    names = {
      { "var", "The variance.", "dc.dist.array({ 1, 3 }):var()              --> 1\n" },
      { "std", "The standard deviation.", "dc.dist.array({ 1, 3 }):std()              --> 1\n" },
    },
    text = "In two passes, with two collective operations along the axis of distribution.",
    args = { SELF, AXES }, options = { { "keep", "boolean", "reduced axes stay. Default: false" },
      { "ddof", "number", "subtracted from the number of elements. Default: 0" } },
    returns = { { "array|distributed", "the result" } },
    errors = { argument = CLOSED, index = "an axis out of range", shape = "an axis named twice", launch = FAILED },
  },
  method("sort", "Sorted along an axis; NaN is last. An array of one axis by regular samples: each rank sorts a range "
    .. "of values. Along the axis of distribution of others: redistributed, sorted, and back.",
    { { "axis?", "integer", "the axis. Default: the last" } }, { { "distributed", "the sorted array" } },
    { dtype = "complex numbers", index = "an axis out of range", launch = FAILED }, [[
dc.dist.array({ 3, 1, 2 }):sort():gather() --> {1, 2, 3}
]], { { "descending", "boolean", "the greatest first. Default: false" } }),
  transform("fft", "`dc.fft.fft`. Along the axis of distribution: redistributed, transformed, and back.", { ONE },
    POINTS, [[
dc.dist.ones(4, 4):fft().dtype             --> complex64
]]),
  transform("ifft", "`dc.fft.ifft`.", { ONE }, POINTS, [[
dc.dist.ones(4, 4):fft():ifft():real():sum():item() - 16 < 1e-5   --> true
]]),
  transform("rfft", "`dc.fft.rfft`.", { ONE }, POINTS, [[
dc.dist.ones(4, 4):rfft():shape()          --> 4, 3
]]),
  transform("irfft", "`dc.fft.irfft`.", { ONE }, POINTS, [[
dc.dist.ones(4, 3):irfft():shape()         --> 4, 4
]]),
  transform("fft2", "`dc.fft.fft2`: along the last two axes.", { AXES }, { NORM }, [[
dc.dist.ones(4, 4):fft2():shape()          --> 4, 4
]]),
  transform("ifft2", "`dc.fft.ifft2`.", { AXES }, { NORM }, [[
dc.dist.ones(4, 4):ifft2():shape()         --> 4, 4
]]),
  transform("fftn", "`dc.fft.fftn`: along all axes.", { AXES }, { NORM }, [[
dc.dist.ones(4, 4):fftn(1):shape()         --> 4, 4
]]),
  transform("ifftn", "`dc.fft.ifftn`.", { AXES }, { NORM }, [[
dc.dist.ones(4, 4):ifftn():shape()         --> 4, 4
]]),
  method("save", "Writes a `.npy` file: each rank its own rows, to `path .. \".part\"`, which then takes the place of "
    .. "`path`.", { { "path", "string", "the file, which all ranks see" } }, nil,
    { io = "a rank cannot write; then an error on all", dtype = "bfloat16", launch = FAILED }, [[
local path = os.tmpname() .. ".npy"
dc.dist.ones(4, 3):save(path)
dc.load(path):sum()                        --> 12
os.remove(path)
]]),
  method("close", "Frees the blocks of this rank. Nothing is communicated; idempotent; also usable as "
    .. "`local x <close>`.", {}, nil, nil, [[
dc.dist.ones(3):close()
]]),
  { "comm", at = "distributed", type = "comm", text = "The communicator.", example = [[
dc.dist.ones(3).comm == dc.world()         --> true
]] },
  { "axis", at = "distributed", type = "integer", text = "The axis of distribution.", example = [[
dc.dist.ones(3).axis                       --> 1
]] },
  { "dtype", at = "distributed", type = "string", text = "The dtype.", example = [[
dc.dist.ones(3).dtype                      --> float32
]] },
  { "ndim", at = "distributed", type = "integer", text = "The number of axes.", example = [[
dc.dist.ones(3, 4).ndim                    --> 2
]] },
  { "size", at = "distributed", type = "integer", text = "The number of elements of the whole.", example = [[
dc.dist.ones(3, 4).size                    --> 12
]] },
}
