-- Reference: arrays, how they are created and read, their properties; complex numbers.
local SHAPE = { "...", "shape", "the shape: integers, or one table of them" }
local SHAPE_ERRORS = {
  shape = "a negative or fractional extent, more than 32 axes", dtype = "no such dtype; the message names the closest",
  argument = "no shape, an unknown option", memory = "the device has too little memory",
}
local BEHIND = { "dtype?", "dtype", "the dtype, behind the shape. Default: float32" }
local DTYPE = { "dtype", "dtype", "the dtype. Default: float32" }
local LIKE = { "a", "array", "the array whose shape, device and dtype are taken" }
local SELF = { "a", "array", "the array" }
local CLOSED = { argument = "the array is closed" }

return {
  [[
## Arrays

### Creating arrays

A *shape* is integers or one table of them: `dc.zeros(2, 3)`, `dc.zeros({2, 3})`. A *dtype* is one of

`bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128`

or one of C's names for them (`float`, `double`, `int`, `unsigned char`, `long long`, `size_t`, `int32_t`, `__half` …)
or a short one (`f16`, `bf16`, `f32`, `f64`, `i8` … `i64`, `u8` … `u64`, `c64`, `c128`). Without one, arrays are
`float32` (`bool` for booleans, `complex64` for complex numbers). Arrays have at most 32 axes.
]],
  {
    "array", at = "dc", call = "dc.array(t [, dtype])",
    text = "An array of a nested table's values, of one number or boolean (0-d), or of another array's elements (a "
      .. "copy on the current device). Each level of the table is an axis.",
    args = {
      { "t", "table|number|boolean|complex|array", "the values" },
      { "dtype?", "dtype", "the dtype. Default: float32, bool for booleans, complex64 for complex numbers; of an array "
        .. "its own" },
    },
    options = { { "dtype", "dtype", "the same by name" } },
    returns = { { "array", "the array, in the shape of the table" } },
    errors = {
      shape = "a ragged table (the row is named), more than 32 levels",
      dtype = "a value that the dtype cannot hold, an integer that float32 cannot hold exactly when no dtype was "
        .. "given, booleans among numbers without a dtype, no such dtype",
      argument = "a value that is not a number or a boolean (its place is named), an unknown option",
      memory = "the device has too little memory",
    },
    example = [[
local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
a.dtype, a:shape()                         --> float32, 2, 3
dc.array({ 1, -1 }, "int8")                --> {1, -1}
dc.array { true, false }                   --> {true, false}
dc.array(2.5).ndim                         --> 0
select(2, pcall(dc.array, { 16777217 })).kind   --> dtype
]],
    see = "zeros arange from_bytes to_table",
    words = "ndarray tensor vector matrix create asarray",
  },
  {
    "empty", at = "dc", call = "dc.empty(shape… [, dtype])",
    text = "An array whose contents are undefined.",
    args = { SHAPE, BEHIND }, options = { DTYPE },
    returns = { { "array", "of that shape, on the current device" } },
    errors = SHAPE_ERRORS,
    example = [[
dc.empty(2, 3, "int8"):shape()             --> 2, 3
]],
    see = "zeros empty_like",
  },
  {
    "zeros", at = "dc", call = "dc.zeros(shape… [, dtype])",
    text = "An array of zeros.",
    args = { SHAPE, BEHIND }, options = { DTYPE },
    returns = { { "array", "of that shape, on the current device" } },
    errors = SHAPE_ERRORS,
    example = [[
dc.zeros(2, 3)                             --> {{0, 0, 0}, {0, 0, 0}}
dc.zeros { 2, dtype = "bool" }             --> {false, false}
]],
    see = "ones full zeros_like",
  },
  {
    "ones", at = "dc", call = "dc.ones(shape… [, dtype])",
    text = "An array of ones.",
    args = { SHAPE, BEHIND }, options = { DTYPE },
    returns = { { "array", "of that shape, on the current device" } },
    errors = SHAPE_ERRORS,
    example = [[
dc.ones({ 2, 2 }, "int32")                 --> {{1, 1}, {1, 1}}
]],
    see = "zeros full ones_like",
  },
  {
    "full", at = "dc", call = "dc.full(shape, value [, dtype])",
    text = "An array whose elements are all `value`. The shape is an integer or a table.",
    args = {
      { "shape", "shape", "an integer, or a table of them" },
      { "value", "number|boolean|complex", "the value" },
      { "dtype?", "dtype", "the dtype. Default: float32, bool for a boolean, complex64 for a complex number" },
    },
    options = { { "dtype", "dtype", "the same by name" } },
    returns = { { "array", "of that shape, on the current device" } },
    errors = {
      shape = "an invalid shape", argument = "a value that is not a number or a boolean",
      dtype = "a value that the dtype cannot hold, or that float32 cannot hold exactly when no dtype was given",
      memory = "the device has too little memory",
    },
    example = [[
dc.full(3, 7)                              --> {7, 7, 7}
dc.full({ 1, 2 }, -1, "int8")              --> {{-1, -1}}
dc.full(2, true).dtype                     --> bool
]],
    see = "fill full_like",
  },
  {
    at = "dc", call = { "dc.empty_like(a [, dtype])", "dc.zeros_like(a [, dtype])", "dc.ones_like(a [, dtype])" },
    names = {
      { "empty_like", "An array like `a` whose contents are undefined.", [[
dc.empty_like(dc.ones(2, 3)):shape()       --> 2, 3
]] },
      { "zeros_like", "An array of zeros like `a`.", [[
dc.zeros_like(dc.ones(2, 2, "int8")).dtype      --> int8
dc.zeros_like(dc.ones(2), "float64")       --> {0, 0}
]] },
      { "ones_like", "An array of ones like `a`.", [[
dc.ones_like(dc.array { { 1, 2, 3 } })     --> {{1, 1, 1}}
]] },
    },
    text = "Shape and device are those of `a`; so is the dtype, if none is given.",
    args = { LIKE, { "dtype?", "dtype", "the dtype. Default: that of `a`" } },
    options = { { "dtype", "dtype", "the same by name" } },
    returns = { { "array", "a new array in C order" } },
    errors = { argument = "not an array", dtype = "no such dtype", memory = "the device has too little memory" },
    see = "empty zeros ones full_like",
  },
  {
    "full_like", at = "dc", call = "dc.full_like(a, value [, dtype])",
    text = "An array of the shape and device of `a`, by default its dtype, whose elements are all `value`.",
    args = {
      LIKE, { "value", "number|boolean|complex", "the value" },
      { "dtype?", "dtype", "the dtype. Default: that of `a`" },
    },
    options = { { "dtype", "dtype", "the same by name" } },
    returns = { { "array", "a new array in C order" } },
    errors = {
      argument = "not an array, a value that is not a number or a boolean",
      dtype = "a value that the dtype cannot hold", memory = "the device has too little memory",
    },
    example = [[
dc.full_like(dc.ones(2, "int8"), 5)        --> {5, 5}
]],
    see = "full fill",
  },
  {
    "arange", at = "dc", call = "dc.arange(first, last [, step] [, dtype])",
    text = "`first`, `first + step`, …; `last` is included if a step ends there (for floats: within rounding). "
      .. "Integers of a uint64 range are [64 bits](#getting-values-back).",
    args = {
      { "first", "number", "the first element" },
      { "last", "number", "the bound, which is included" },
      { "step?", "number", "the difference of neighbours, not 0; negative for a descending range. Default: 1" },
      { "dtype?", "dtype", "the dtype. Default: float32" },
    },
    options = { { "step", "number", "the same by name" }, { "dtype", "dtype", "the same by name" } },
    returns = { { "array", "1-d; without elements if `last` is before `first`" } },
    errors = {
      argument = "not numbers, a step of 0, numbers that are not finite",
      dtype = "an element that the dtype cannot hold; integers that float32 cannot hold exactly when no dtype was "
        .. "given",
      memory = "more elements than fit in memory",
    },
    example = [[
dc.arange(1, 4)                            --> {1, 2, 3, 4}
dc.arange(0, 1, 0.25)                      --> {0, 0.25, 0.5, 0.75, 1}
dc.arange(5, 1, -2, "int32")               --> {5, 3, 1}
#dc.arange(0, 1, 0.1)                      --> 11
]],
    see = "linspace",
    words = "range sequence steps",
  },
  {
    "linspace", at = "dc", call = "dc.linspace(a, b, n [, dtype])",
    text = "`n` numbers at equal distances from `a` to `b`, both included; for `n` = 1 it is `a`. They are computed in "
      .. "float64 and then rounded.",
    args = {
      { "a", "number", "the first element" }, { "b", "number", "the last element" },
      { "n", "integer", "the number of elements, not negative" },
      { "dtype?", "dtype", "the dtype. Default: float32" },
    },
    options = { DTYPE },
    returns = { { "array", "1-d, of `n` elements" } },
    errors = {
      argument = "not numbers, a negative or fractional `n`", dtype = "an element that the dtype cannot hold",
      memory = "more elements than fit in memory",
    },
    example = [[
dc.linspace(0, 1, 5)                       --> {0, 0.25, 0.5, 0.75, 1}
]],
    see = "arange",
    words = "range grid spaced",
  },
  {
    "eye", at = "dc", call = "dc.eye(n [, dtype])",
    text = "The identity matrix: `n` × `n`, ones on the diagonal.",
    args = {
      { "n", "integer", "the number of rows and of columns" },
      { "dtype?", "dtype", "the dtype. Default: float32" },
    },
    options = { DTYPE },
    returns = { { "array", "2-d" } },
    errors = {
      argument = "`n` is negative or not an integer", dtype = "no such dtype",
      memory = "the device has too little memory",
    },
    example = [[
dc.eye(2)                                  --> {{1, 0}, {0, 1}}
]],
    see = "zeros",
    words = "identity matrix diagonal",
  },
  {
    "from_bytes", at = "dc", call = "dc.from_bytes(s, shape [, dtype])",
    text = "An array of the bytes of a string, in C order, little-endian; the length must be exact.",
    args = {
      { "s", "string", "the bytes, as `a:bytes()` and `string.pack` give them" },
      { "shape", "shape", "an integer, or a table of them" },
      { "dtype?", "dtype", "the dtype. Default: float32" },
    },
    options = { DTYPE },
    returns = { { "array", "of that shape, on the current device" } },
    errors = {
      argument = "not a string", shape = "an invalid shape, or another number of bytes than it needs",
      dtype = "no such dtype, a byte of a bool array that is not 0 or 1", memory = "the device has too little memory",
    },
    example = [[
dc.from_bytes(string.pack("<i2i2", 258, -1), 2, "int16")     --> {258, -1}
]],
    see = "bytes load_raw",
    words = "frombuffer binary string",
  },
  {
    "wrap", at = "dc", call = "dc.wrap(ptr, shape [, dtype [, owner]])",
    text = "An array over memory at an address of the current device that it does not own; `owner` is kept alive as "
      .. "long as the array and its views. An address of other memory ends in a fault when it is used.",
    args = {
      { "ptr", "integer", "the address, a multiple of the dtype's size" },
      { "shape", "shape", "an integer, or a table of them" },
      { "dtype?", "dtype", "the dtype. Default: float32" },
      { "owner?", "any", "the value that owns the memory" },
    },
    options = { DTYPE, { "owner", "any", "the value that owns the memory" } },
    returns = { { "array", "in C order, writable" } },
    errors = {
      argument = "an address of 0, not an integer, or not aligned", shape = "an invalid shape", dtype = "no such dtype",
    },
    example = [[
local a = dc.arange(1, 6)
local w = dc.wrap(a.ptr, { 2, 3 }, "float32", a)
w[{ 2, 1 }] = 0
a                                          --> {1, 2, 3, 0, 5, 6}
]],
    see = "ptr",
  },
  [[
Options: `dtype` of all, `step` of `arange`, `owner` of `wrap`. Values are converted strictly. Errors: `shape` for a
ragged table (the row is named) and an invalid shape; `dtype` for a value that the dtype cannot hold (an integer out of
range, -1 for uint8 to uint32, 2.5 for an integer, 1e39 for float32) and for **a Lua integer that float32 cannot hold
exactly when no dtype was given**; `argument` for values that are not numbers; `memory` when the device has too little.
Numbers are rounded to a given floating-point dtype.

```lua
local dc = require "dotcompute"
local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
assert(a.dtype == "float32" and a.size == 6)
assert(#dc.arange(0, 1, 0.1) == 11)
assert(not pcall(dc.array, { 16777217 }))         -- float32 cannot represent it
assert(dc.array({ 16777217 }, "int64")[1] == 16777217)
```
]],
  {
    class = "array", metatable = "dotcompute.array (a:item() reads its number)",
    text = [[
Elements of one dtype on one device, along any number of axes; made by `dc.array`, `dc.zeros` and most functions.

- Indexing: `a[i]` is an element or a view without the first axis; `a[{i, {first, last, step}, ":"}]` has an entry for
  each axis; `a[mask]` and `a[indices]` take arrays; all of them can be written, `a[":"] = expression` the whole. They
  count from 1, or from the end when negative.
- Operators: `+ - * / // % ^` and unary `-`, on integers and bools also `& | ~ << >>`, elementwise with broadcasting;
  operands are arrays, numbers and tables. `a:eq(b)`, `a:lt(b)` … compare elements; `a == b` is identity; `<`, `<=`,
  `>`, `>=` compare arrays of one element. Results are pending: they are computed when they are used.
- `#a` is the first extent, `pairs(a)` and `ipairs(a)` iterate over the first axis, `tostring(a)` and `..` show it,
  `local a <close>` frees its memory at the end of the block.]],
    operators = {
      { "add", "operand", "array" }, { "sub", "operand", "array" }, { "mul", "operand", "array" },
      { "div", "operand", "array" }, { "idiv", "operand", "array" }, { "mod", "operand", "array" },
      { "pow", "operand", "array" }, { "unm", nil, "array" },
      { "band", "operand", "array" }, { "bor", "operand", "array" }, { "bxor", "operand", "array" },
      { "bnot", nil, "array" }, { "shl", "operand", "array" }, { "shr", "operand", "array" },
      { "len", nil, "integer" }, { "concat", "any", "string" },
    },
    index = { { "integer", "any" }, { "table", "any" }, { '":"', "any" }, { "array", "any" } },
    example = [[
local a = dc.array { { 1, 2 }, { 3, 4 } }
a * 10 + { 1, 2 }                          --> {{11, 22}, {31, 42}}
a[{ 2, 1 }], #a                            --> 3.0, 2
]],
  },
  "### Getting values back\n",
  {
    "to_table", at = "array",
    text = "Nested Lua tables of its elements, a level for each axis; a plain value for a 0-d array.",
    args = { SELF },
    returns = { { "any", "the table, or the value" } },
    errors = CLOSED,
    example = [[
dc.eye(2, "int32"):to_table()              --> {{1, 0}, {0, 1}}
dc.array(2.5):to_table()                   --> 2.5
]],
    see = "item bytes array",
    words = "tolist read values download",
  },
  {
    "item", at = "array",
    text = "The value of a one-element array.",
    args = { SELF },
    returns = { { "any", "the value: a number, a boolean or a complex number" } },
    errors = { shape = "not exactly one element", argument = "the array is closed" },
    example = [[
dc.arange(1, 4):sum():item()               --> 10.0
dc.array({ { 7 } }, "int8"):item()         --> 7
]],
    see = "to_table",
    words = "scalar number read value",
  },
  {
    "bytes", at = "array",
    text = "A string of all elements in C order, little-endian.",
    args = { SELF },
    returns = { { "string", "`a.nbytes` bytes" } },
    errors = CLOSED,
    example = [[
dc.array({ 258, -1 }, "int16"):bytes() == string.pack("<i2i2", 258, -1)    --> true
]],
    see = "from_bytes save_raw",
    words = "tobytes binary string",
  },
  "| expression | gives |\n|---|---|\n"
    .. "| `tostring(a)` | dtype, shape, device and elements; of more than 1000 elements the first and last three along "
    .. "each axis; rows are wrapped at 80 columns. Copies only the shown elements to the host. **For a 0-d array its "
    .. "number only**, with the digits of its dtype, also in `print`, `%s` and at the prompt |\n"
    .. '| `"loss: " .. a` | text with `tostring(a)` in it |\n'
    .. [[

Lua's own functions need numbers: `("%.3f"):format(a:item())`, `math.floor(a:item())`. For an array they raise Lua's
error `number expected, got dotcompute.array (a:item() reads its number)`; `tonumber(a)` is nil.

`bool` reads as Lua booleans, integers as integers, floats as floats, complex numbers as values of `dc.complex`.

**A `uint64` is the 64 bits of a Lua integer**, which is Lua's own convention for unsigned integers: above 2^63-1 it
reads as a negative one; `math.ult` compares such integers and `("%x"):format(v)` shows their digits. This holds in both
directions and everywhere (elements, `dc.full`, tables, number operands of uint64 arrays, kernels' `unsigned long long`,
fields of structs, bounds of random numbers): every value read can be written, and `a:eq(a[1])` is true for it. So -1 is
2^64-1, also in `a:lt(-1)`, `a + -1` and `a / -1`; only the exponent of `^` keeps its sign. A float has its own value:
`1.8446744073709549568e19` is accepted; -1.0, a fraction and 2^64 are errors. `tostring(a)`, CSV files and messages show
values without a sign.

```lua
local dc = require "dotcompute"
local a = dc.array({ -1, 5 }, "uint64")
assert(tostring(a):find "18446744073709551615" and a[1] == -1)
assert(("%x"):format(a[1]) == "ffffffffffffffff" and math.ult(a[2], a[1]))
assert(a:max():item() == a[1] and a:eq(a[1])[1] and a:lt(a[1])[2])
```

### Complex numbers

Lua has none, so an element of a complex array is read as a value of `dc.complex`, which the functions that take numbers
accept.
]],
  {
    "complex", at = "dc",
    text = "Of numbers a complex number, the Lua value of an element of a complex array: fields `re`, `im`, methods "
      .. "`abs angle conj`, arithmetic with numbers and arrays. Of arrays the complex array with these parts: "
      .. "complex128 if one is float64 or of 64-bit integers, else complex64. Shapes broadcast; a part may be a number "
      .. "or a table.",
    args = {
      { "re", "number|array|table", "the real part" },
      { "im?", "number|array|table", "the imaginary part. Default: 0" },
    },
    returns = { { "complex|array", "the number; or the array, pending" } },
    errors = { argument = "neither a number nor an array", dtype = "a part that is complex",
      shape = "shapes that do not broadcast", device = "arrays of two devices" },
    example = [[
local z = dc.complex(3, 4)
z, z:abs(), z * 2                          --> 3+4i, 5.0, 6+8i
dc.array({ z, 1 })[2]                      --> 1+0i
dc.complex(dc.array{ 1, 2 }, dc.array{ 3, -1 })[2] --> 2-1i
]],
    see = "array real imag",
  },
  {
    class = "complex", metatable = "dotcompute.complex",
    text = "A complex number of two float64 parts, made by `dc.complex` and read from complex arrays. `+ - * / ^` and "
      .. "unary `-` combine it with numbers and complex numbers to a complex number, with arrays and tables to an "
      .. "array; `==` compares two complex numbers. It cannot be changed.",
    operators = {
      { "add", "complex|number", "complex" }, { "sub", "complex|number", "complex" },
      { "mul", "complex|number", "complex" }, { "div", "complex|number", "complex" },
      { "pow", "complex|number", "complex" }, { "unm", nil, "complex" },
      { "add", "array", "array" }, { "sub", "array", "array" }, { "mul", "array", "array" },
      { "div", "array", "array" }, { "pow", "array", "array" },
    },
    example = [[
local i = dc.complex(0, 1)
i ^ 2 == dc.complex(-1), 1 / i             --> true, 0-1i
]],
  },
  {
    "re", at = "complex", type = "number",
    text = "The real part.",
    example = [[
dc.complex(3, 4).re                        --> 3.0
]],
    see = "im real",
  },
  {
    "im", at = "complex", type = "number",
    text = "The imaginary part.",
    example = [[
dc.complex(3, 4).im                        --> 4.0
]],
    see = "re imag",
  },
  {
    "abs", at = "complex",
    text = "The absolute value: the root of `re^2 + im^2`.",
    args = { { "c", "complex", "the number" } },
    returns = { { "number", "not negative" } },
    example = [[
dc.complex(3, 4):abs()                     --> 5.0
]],
    see = "angle abs",
  },
  {
    "angle", at = "complex",
    text = "The angle to the positive real axis in radians, from -pi to pi.",
    args = { { "c", "complex", "the number" } },
    returns = { { "number", "from -pi to pi" } },
    example = [[
dc.complex(0, 1):angle() == math.pi / 2    --> true
]],
    see = "abs angle",
  },
  {
    "conj", at = "complex",
    text = "The complex conjugate: the imaginary part with the other sign.",
    args = { { "c", "complex", "the number" } },
    returns = { { "complex", "a new number" } },
    example = [[
dc.complex(3, 4):conj()                    --> 3-4i
]],
    see = "conj",
  },
  "### Properties\n\n`#a` is the first extent; 1 for a 0-d array.\n",
  {
    "shape", at = "array",
    text = "The extents, as several integers; none for a 0-d array. It is a method: `a:shape()`, not `a.shape`.",
    args = { SELF },
    returns = { { "integer", "an extent for each axis" } },
    errors = { argument = "the array is closed, or `shape` is called with a dot", index = "`a.shape[1]`" },
    example = [[
dc.zeros(2, 3):shape()                     --> 2, 3
select(2, dc.zeros(2, 3):shape())          --> 3
]],
    see = "ndim size reshape",
  },
  {
    "dtype", at = "array", type = "string",
    text = 'The dtype\'s name: `"float32"`.',
    example = [[
dc.zeros(3, "double").dtype                --> float64
]],
    see = "to cast",
  },
  {
    "ndim", at = "array", type = "integer",
    text = "The number of axes.",
    example = [[
dc.zeros(2, 3).ndim, dc.array(1).ndim      --> 2, 0
]],
    see = "shape",
  },
  {
    "size", at = "array", type = "integer",
    text = "The number of elements.",
    example = [[
dc.zeros(2, 3).size                        --> 6
]],
    see = "shape nbytes",
  },
  {
    "nbytes", at = "array", type = "integer",
    text = "The number of bytes of its elements.",
    example = [[
dc.zeros(2, 3).nbytes                      --> 24
]],
    see = "size",
  },
  {
    "device", at = "array", type = "device",
    text = "The device object of its memory.",
    example = [[
dc.zeros(3).device == dc.device()          --> true
]],
    see = "to",
  },
  {
    "contiguous", at = "array", type = "boolean",
    text = "Whether it is in C order without gaps; kernels in CUDA C take only contiguous arrays.",
    example = [[
local a = dc.zeros(2, 3)
a.contiguous, a.T.contiguous, a.T:copy().contiguous      --> true, false, true
]],
    see = "copy",
  },
  {
    "T", at = "array", type = "array",
    text = "A view with the axes reversed.",
    example = [[
dc.array({ { 1, 2, 3 } }).T                --> {{1}, {2}, {3}}
]],
    see = "transpose",
  },
  {
    "ptr", at = "array", type = "integer",
    text = "The device address of the first element; evaluates a pending array. The memory lives only as long as the "
      .. "array or a view of it.",
    example = [[
local a = dc.zeros(4)
a:slice({ 2, 4 }).ptr - a.ptr              --> 4
]],
    see = "wrap",
  },
}
