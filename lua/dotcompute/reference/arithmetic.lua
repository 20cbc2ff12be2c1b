-- Reference: operators, comparisons, and the functions of elements that are not those of CUDA's math library.
local A = { "a", "array|number|complex|table", "the array, a number or a table" }
local REAL = { "a", "array|number|table", "the array, a number or a table; real" }
local B = { "b", "operand|complex", "the second operand; shapes broadcast" }
local REAL_B = { "b", "operand", "the second operand, real; shapes broadcast" }
local PENDING = "of the broadcast shape, pending: it is computed when it is used"
local SAME = "of the shape of `a`, pending: it is computed when it is used"
local COUNT = "not an array, a table or a number; another number of arguments"
local ONE = { argument = COUNT }
local ONE_REAL = { argument = COUNT, dtype = "complex numbers" }
local COMPARED = { shape = "shapes that do not broadcast", argument = COUNT, device = "arrays of two devices" }
local COMPARED_REAL = { shape = COMPARED.shape, argument = COUNT, device = COMPARED.device, dtype = "complex numbers" }
local TWO = { shape = COMPARED.shape, argument = COUNT, device = COMPARED.device,
  dtype = "a number that the dtype of the other operand cannot hold" }
local TWO_REAL = { shape = TWO.shape, argument = COUNT, device = TWO.device,
  dtype = "complex numbers; a number that the dtype of the other operand cannot hold" }

return {
  [[
### Arithmetic

`a + b`, `a - b`, `a * b`, `a / b`, `a // b`, `a % b`, `a ^ b`, `-a`, and on integers and bools `a & b`, `a | b`, `a ~
b`, `~a`, `a << n`, `a >> n`: elementwise, shapes broadcast as NumPy's do (error `shape`). An operand may be a number or
a table, which takes the dtype of the array.

Comparisons are methods that give bool arrays, `a:eq(b) a:ne(b) a:lt(b) a:le(b) a:gt(b) a:ge(b)`, since Lua converts the
result of `==` and `<` to one boolean: `a == b` is identity, and `<`, `<=`, `>`, `>=` compare arrays of one element with
each other and with numbers (errors: `shape` for more elements, `dtype` for bools and complex numbers). Comparisons are
exact for all dtypes (an integer compared with a uint64 array is its [64 bits](#getting-values-back)).
]],
  {
    at = "dc array", call = { "a:eq(b)", "a:ne(b)" },
    names = {
      { "eq", "Whether elements are equal. NaN equals nothing.", [[
dc.array({ 1, 2, 3 }):eq { 1, 0, 3 }       --> {true, false, true}
]] },
      { "ne", "Whether elements differ. NaN differs from everything.", [[
dc.array({ 1, 2, 3 }):ne(2)                --> {true, false, true}
]] },
    },
    text = "Elementwise, exact for all dtypes, complex ones too.",
    args = { A, B }, returns = { { "array", "bool, " .. PENDING } }, errors = COMPARED,
    see = "lt equal allclose",
    words = "compare equal comparison",
  },
  {
    at = "dc array", call = { "a:lt(b)", "a:le(b)", "a:gt(b)", "a:ge(b)" },
    names = {
      { "lt", "Whether elements of `a` are less than those of `b`.", [[
dc.array({ 1, 2, 3 }):lt(2)                --> {true, false, false}
]] },
      { "le", "Whether elements of `a` are less than those of `b`, or equal.", [[
dc.array({ 1, 2, 3 }):le(2)                --> {true, true, false}
]] },
      { "gt", "Whether elements of `a` are greater than those of `b`.", [[
local a = dc.array { 1, 5, 3 }
a:gt(2)                                    --> {false, true, true}
a[a:gt(2)]                                 --> {5, 3}
]] },
      { "ge", "Whether elements of `a` are greater than those of `b`, or equal.", [[
dc.array({ 1, 2, 3 }):ge { 3, 2, 1 }       --> {false, true, true}
]] },
    },
    text = "Elementwise, exact for all dtypes; false where one is NaN.",
    args = { REAL, REAL_B }, returns = { { "array", "bool, " .. PENDING } }, errors = COMPARED_REAL,
    see = "eq where any all",
    words = "compare less greater comparison",
  },
  {
    "where", at = "dc array", call = { "dc.where(c, a, b)", "c:where(a, b)" },
    text = "`a` where `c` is true (not 0), else `b`. All elements of both are computed.",
    args = {
      { "c", "array|number|complex|table", "the condition, a bool array or any other" },
      { "a", "operand|complex", "the elements where it is true" }, { "b", "operand|complex", "those where it is not" },
    },
    returns = { { "array", "in the dtype to which `a` and `b` are promoted, " .. PENDING } },
    errors = TWO,
    example = [[
local a = dc.array { -1, 2, -3 }
dc.where(a:lt(0), 0, a)                    --> {0, 2, 0}
]],
    see = "clip select gt",
    words = "select choose if conditional ternary",
  },
  {
    "clip", at = "dc array",
    text = "`a`, but at least `low` and at most `high`; NaN in any of the three is propagated. Where `low` is above "
      .. "`high`, it is `high`.",
    args = {
      REAL, { "low", "operand", "the smallest value" }, { "high", "operand", "the largest value" },
    },
    returns = { { "array", "in the promoted dtype, " .. PENDING } },
    errors = TWO_REAL,
    example = [[
dc.clip({ 1, 5, 9 }, 2, 6)                 --> {2, 5, 6}
]],
    see = "minimum maximum where",
    words = "clamp limit bound",
  },
  {
    "cast", at = "dc array", call = { "dc.cast(a, dtype)", "a:cast(dtype)", "a:to(dtype)" },
    text = "Converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap; to bool is "
      .. "`~= 0`. Complex to real is an error: use `dc.real` or `dc.abs`. An array of this dtype is returned itself.",
    args = { A, { "dtype", "dtype", "the dtype" } },
    returns = { { "array", "of this dtype, " .. SAME } },
    errors = { dtype = "no such dtype, complex numbers to a real one", argument = "not a name; not an array" },
    example = [[
dc.cast({ 1.75, -1.75, 1e10 }, "int8")     --> {1, -1, 127}
dc.array({ 300 }, "int32"):cast "int8"     --> {44}
]],
    see = "to real floor",
    words = "convert astype dtype",
  },
  {
    at = "dc array", call = { "dc.fmin(a, b)", "dc.fmax(a, b)" },
    names = {
      { "fmin", "The smaller of two elements; NaN is ignored.", [[
dc.fmin({ 1, 5 }, 3)                       --> {1, 3}
dc.fmin(0 / 0, 3)                          --> 3.0
]] },
      { "fmax", "The greater of two elements; NaN is ignored.", [[
dc.fmax({ 1, 5 }, 3)                       --> {3, 5}
]] },
    },
    text = "The smaller, the greater of `a` and `b`, elementwise; NaN is ignored: the result is NaN only where both "
      .. "are.",
    args = { REAL, REAL_B }, returns = { { "array", "in the promoted dtype, " .. PENDING } }, errors = TWO_REAL,
    see = "minimum maximum min max",
  },
  {
    at = "dc array", call = { "dc.minimum(a, b)", "dc.maximum(a, b)" },
    names = {
      { "minimum", "The smaller of two elements; NaN is propagated.", [[
dc.minimum({ 1, 5 }, 3)                    --> {1, 3}
]] },
      { "maximum", "The greater of two elements; NaN is propagated.", [[
dc.maximum({ 1, 5 }, { 3, 4 })             --> {3, 5}
]] },
    },
    text = "The smaller, the greater of `a` and `b`, elementwise; NaN is propagated.",
    args = { REAL, REAL_B }, returns = { { "array", "in the promoted dtype, " .. PENDING } }, errors = TWO_REAL,
    see = "fmin fmax min max clip",
  },
  {
    at = "dc array", call = { "dc.abs(a)", "dc.sign(a)", "dc.square(a)", "dc.reciprocal(a)" },
    names = {
      { "abs", "The absolute value; of complex numbers in their real dtype.", [[
dc.abs { -2, 3 }                           --> {2, 3}
dc.abs(dc.array { dc.complex(3, 4) })      --> {5}
]] },
      { "sign", "-1, 0 or 1.", [[
dc.sign { -2, 0, 3 }                       --> {-1, 0, 1}
]] },
      { "square", "`a * a`.", [[
dc.square { 3, -4 }                        --> {9, 16}
]] },
      { "reciprocal", "`1 / a`: float32 for integers, float64 for 64-bit ones.", [[
dc.reciprocal { 2, 4 }                     --> {0.5, 0.25}
]] },
    },
    text = "`sign` of NaN is NaN; of a complex number it is `z / abs(z)`, as in NumPy 2. `abs` of the smallest integer "
      .. "of a signed dtype is that integer.",
    args = { A }, returns = { { "array", SAME } }, errors = ONE,
    see = "copysign signbit pow norm",
    words = "absolute value magnitude",
  },
  {
    at = "dc array", call = { "dc.real(a)", "dc.imag(a)", "dc.conj(a)", "dc.angle(a)" },
    names = {
      { "real", "The real parts.", [[
dc.real { dc.complex(3, 4) }               --> {3}
]] },
      { "imag", "The imaginary parts; zeros for real numbers.", [[
dc.imag { dc.complex(3, 4) }               --> {4}
]] },
      { "conj", "The complex conjugates: the imaginary parts with the other sign.", [[
dc.conj({ dc.complex(3, 4) })[1]           --> 3-4i
]] },
      { "angle", "The angles to the positive real axis in radians, from -pi to pi.", [[
dc.allclose(dc.angle { dc.complex(0, 2), -1 }, { math.pi / 2, math.pi })     --> true
]] },
    },
    text = "Of complex numbers, and of real ones. All but `conj` give the real dtype of that width: float32 for "
      .. "complex64, float64 for complex128.",
    args = { A }, returns = { { "array", SAME } }, errors = ONE,
    see = "complex abs cast",
  },
  {
    at = "dc array",
    call = { "dc.logical_and(a, b)", "dc.logical_or(a, b)", "dc.logical_xor(a, b)" },
    names = {
      { "logical_and", "Whether both elements are true.", [[
dc.logical_and({ 1, 2, 0 }, { 1, 0, 0 })   --> {true, false, false}
]] },
      { "logical_or", "Whether one of two elements is true, or both.", [[
dc.logical_or({ 1, 2, 0 }, { 1, 0, 0 })    --> {true, true, false}
]] },
      { "logical_xor", "Whether exactly one of two elements is true.", [[
dc.logical_xor({ 1, 2, 0 }, { 1, 0, 0 })   --> {false, true, false}
]] },
    },
    text = "Results are bool. Elements are true if they are not 0; NaN is true.",
    args = { A, B }, returns = { { "array", "bool, " .. PENDING } }, errors = COMPARED,
    see = "logical_not any all",
  },
  {
    "logical_not", at = "dc array",
    text = "Whether elements are 0: bool.",
    args = { A }, returns = { { "array", "bool, " .. SAME } }, errors = ONE,
    example = [[
dc.logical_not { 1, 2, 0 }                 --> {false, false, true}
]],
    see = "logical_and",
  },
  {
    at = "dc array", call = { "dc.isnan(a)", "dc.isinf(a)", "dc.isfinite(a)" },
    names = {
      { "isnan", "Whether elements are NaN; of complex numbers, one of the parts.", [[
dc.isnan { 1, 0 / 0 }                      --> {false, true}
]] },
      { "isinf", "Whether elements are infinite; of complex numbers, one of the parts.", [[
dc.isinf { 1, -1 / 0 }                     --> {false, true}
]] },
      { "isfinite", "Whether elements are neither infinite nor NaN.", [[
dc.isfinite { 1, 1 / 0, 0 / 0 }            --> {true, false, false}
]] },
    },
    text = "Results are bool. Integers and bools are finite.",
    args = { A }, returns = { { "array", "bool, " .. SAME } }, errors = ONE,
    see = "signbit where",
  },
  {
    "signbit", at = "dc array",
    text = "Whether the sign bit is set, as it is of -0.0: bool.",
    args = { REAL }, returns = { { "array", "bool, " .. SAME } }, errors = ONE_REAL,
    example = [[
dc.signbit { -1.0, -0.0, 0.0 }             --> {true, true, false}
]],
    see = "sign copysign",
  },
  {
    "pow", at = "dc array",
    text = "`a ^ b`, but of integers an integer, which wraps around.",
    args = { A, { "b", "operand|complex", "the exponent; shapes broadcast" } },
    returns = { { "array", "of two integer operands in their promoted dtype, else as `^`; " .. PENDING } },
    errors = TWO,
    example = [[
local n = dc.array({ 2, 3 }, "int32")
dc.pow(n, 3), dc.pow(n, 3).dtype, (n ^ 3).dtype      --> {8, 27}, int32, float64
dc.pow(n, -1)                              --> {0, 0}
]],
    see = "square sqrt exp",
  },
  [[
All are methods too, `a:abs()`; tables are accepted as arrays, and of numbers alone the result is a 0-d array. All but
`sign square reciprocal real imag conj angle` and the logical ones take symbolic values in `dc.vectorize`, too. `dc.min`
and `dc.max` are [reductions](#reductions).

The dtype of a result:

- Two arrays are promoted to one dtype. Of one kind it is the larger. Signed and unsigned integers are promoted to the
  smallest signed dtype that holds both; int64 and uint64 to float64. An integer with a floating-point dtype: 8-bit
  integers and bools take that dtype; 16- and 32-bit integers give at least float32, 64-bit ones float64. float16 with
  bfloat16 gives float32. Complex numbers are complex64, or complex128 if the other operand needs 64 bits.
- Numbers take the array's dtype. A float makes an integer array float32, an integer makes a bool array int32, a complex
  number makes a real array complex. An integer that the integer dtype cannot hold is an error of kind `dtype`; a number
  that is too large for a floating-point dtype is infinite (`a * 1e39`), but creating an array from it is an error.
- `/` and `^` give a floating-point dtype: float32 for 8- and 16-bit integers, float64 for 32- and 64-bit ones, also
  with numbers. So do means and variances.
- Transcendental functions and roots give a floating-point dtype: float32 for integers, float64 for 64-bit ones.
- `dc.pow` of two integer arrays, or of one and an integer, is an integer in the promoted dtype, and wraps around. With
  a negative exponent it is 1 for 1, 1 or -1 for -1, and 0 for all others, also for 0. With a float or a floating-point
  array, and for bools, it is `^`.
- Arithmetic on bools gives int32; `-a` of a bool array is an error. `&`, `|`, `~` of bools are bool.

Integers wrap around. `//` and `%` round toward minus infinity, as in Lua; by an integer 0 they give 0. `x ^ 2` is
exactly `x * x`; of floating-point dtypes `x ^ 3` is `x * x * x`, `x ^ -1` is `1 / x` and `x ^ 0.5` the square root (of
-0 it is 0, of -infinity infinity). `>>` keeps the sign of signed integers; a shift by the dtype's width or more, or by
a negative number, gives 0, or -1 for `>>` of negative integers. float16 and bfloat16 are computed in float32 and
rounded after each operator. Results have the same bits on every device, except for the functions of CUDA's math
library, which may differ in the last bits.
]],
}
