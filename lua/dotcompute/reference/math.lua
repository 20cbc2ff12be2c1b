-- Reference: rounding and the functions of CUDA's math library.
local COUNT = "not an array, a table or a number; another number of arguments"
local A = { "a", "array|number|complex|table", "the array, a number or a table" }
local REAL = { "a", "array|number|table", "the array, a number or a table; real" }
local B = { "b", "operand", "the second operand; shapes broadcast" }
local FLOAT = {
  { "array", "of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending" },
}
local FLOAT_2 = { { "array", "of the broadcast shape, in the promoted floating-point dtype; pending" } }
local ONE = { argument = COUNT }
local ONE_REAL = { argument = COUNT, dtype = "complex numbers" }
local MANY_REAL = { shape = "shapes that do not broadcast", argument = COUNT, device = "arrays of two devices",
  dtype = "complex numbers" }

return {
  [[
### Mathematical functions

The functions of CUDA's math library, elementwise. All are methods too, `a:exp()`. They take symbolic values in
`dc.vectorize`, too, except for `llrint llround ilogb jn yn`. Tables are accepted as arrays; of numbers alone the result
is a 0-d array. Results are pending and fused; their dtypes are those of [arithmetic](#arithmetic).
]],
  {
    at = "dc array",
    call = { "dc.floor(a)", "dc.ceil(a)", "dc.trunc(a)", "dc.round(a)", "dc.rint(a)", "dc.nearbyint(a)" },
    names = {
      { "floor", "Rounds down: the largest integer that is not greater.", [[
dc.floor { -1.5, 1.5 }                     --> {-2, 1}
]] },
      { "ceil", "Rounds up: the smallest integer that is not less.", [[
dc.ceil { -1.5, 1.5 }                      --> {-1, 2}
]] },
      { "trunc", "Rounds toward 0.", [[
dc.trunc { -1.5, 1.5 }                     --> {-1, 1}
]] },
      { "round", "Rounds to the nearest integer, halves away from 0.", [[
dc.round { -2.5, 2.5, 2.25 }               --> {-3, 3, 2}
]] },
      { "rint", "Rounds to the nearest integer, halves to the even one; complex numbers, too.", [[
dc.rint { -2.5, 2.5, 3.5 }                 --> {-2, 2, 4}
]] },
      { "nearbyint", "Rounds to the nearest integer, halves to the even one.", [[
dc.nearbyint { -2.5, 2.5, 3.5 }            --> {-2, 2, 4}
]] },
    },
    text = "In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.",
    args = { A }, returns = { { "array", "of the shape and dtype of `a`, pending" } },
    errors = { argument = COUNT, dtype = "complex numbers, except for `rint`" },
    see = "llrint cast",
  },
  {
    at = "dc array", call = { "dc.llrint(a)", "dc.llround(a)", "dc.ilogb(a)" },
    names = {
      { "llrint", "The nearest integer, halves to the even one.", [[
dc.llrint { -2.5, 2.5, 1e30 }              --> {-2, 2, 9223372036854775807}
]] },
      { "llround", "The nearest integer, halves away from 0.", [[
dc.llround { -2.5, 2.5 }                   --> {-3, 3}
]] },
      { "ilogb", "The exponent of 2 of the format: `floor(log2(abs(a)))`; -2^31 for 0 and NaN.", [[
dc.ilogb { 8, 0.3 }                        --> {3, -2}
]] },
    },
    text = "Results are int64, saturating; `llrint` and `llround` of NaN are 0.",
    args = { REAL }, returns = { { "array", "int64, of the shape of `a`, pending" } }, errors = ONE_REAL,
    see = "rint round cast logb",
  },
  {
    "sqrt", at = "dc array",
    text = "The square root, of real and complex numbers; of negative real ones NaN. Of float32 and float64 numbers it "
      .. "is rounded correctly.",
    args = { A }, returns = FLOAT, errors = ONE,
    example = [[
dc.sqrt { 4, 2.25 }                        --> {2, 1.5}
dc.sqrt(dc.complex(-4, 0))                 --> 0+2i
]],
    see = "rsqrt cbrt pow hypot",
  },
  {
    at = "dc array", call = { "dc.rsqrt(a)", "dc.cbrt(a)", "dc.rcbrt(a)" },
    names = {
      { "rsqrt", "The reciprocal of the square root.", [[
dc.allclose(dc.rsqrt { 4, 16 }, { 0.5, 0.25 })      --> true
]] },
      { "cbrt", "The cube root, also of negative numbers.", [[
dc.allclose(dc.cbrt { 27, -8 }, { 3, -2 })          --> true
]] },
      { "rcbrt", "The reciprocal of the cube root.", [[
dc.allclose(dc.rcbrt { 8, -64 }, { 0.5, -0.25 })    --> true
]] },
    },
    text = "Roots and their reciprocals of real numbers.",
    args = { REAL }, returns = FLOAT, errors = ONE_REAL,
    see = "sqrt pow",
  },
  {
    at = "dc array", call = { "dc.exp(a)", "dc.expm1(a)" },
    names = {
      { "exp", "The exponential function.", [[
dc.allclose(dc.exp { 0, 1 }, { 1, 2.718281828 })         --> true
dc.allclose(dc.exp(dc.complex(0, math.pi)), dc.complex(-1, 0), { atol = 1e-6 })     --> true
]] },
      { "expm1", "`exp(a) - 1`, accurate for small numbers, too.", [[
dc.allclose(dc.expm1 { 1e-6, 1 }, { 1.0000005e-6, 1.718281828 }, { atol = 0 })      --> true
]] },
    },
    text = "Exponential functions of real and complex numbers.",
    args = { A }, returns = FLOAT, errors = ONE,
    see = "exp2 exp10 log log1p",
  },
  {
    at = "dc array", call = { "dc.exp2(a)", "dc.exp10(a)" },
    names = {
      { "exp2", "2 to the power of `a`.", [[
dc.allclose(dc.exp2 { 3, -1 }, { 8, 0.5 })          --> true
]] },
      { "exp10", "10 to the power of `a`.", [[
dc.allclose(dc.exp10 { 2, -1 }, { 100, 0.1 })       --> true
]] },
    },
    text = "Powers of 2 and of 10, of real numbers.",
    args = { REAL }, returns = FLOAT, errors = ONE_REAL,
    see = "exp ldexp log2 log10",
  },
  {
    at = "dc array", call = { "dc.log(a)", "dc.log2(a)", "dc.log10(a)", "dc.log1p(a)" },
    names = {
      { "log", "The natural logarithm.", [[
dc.allclose(dc.log { 1, math.exp(2) }, { 0, 2 })    --> true
]] },
      { "log2", "The logarithm to base 2.", [[
dc.allclose(dc.log2 { 8, 0.5 }, { 3, -1 })          --> true
]] },
      { "log10", "The logarithm to base 10.", [[
dc.allclose(dc.log10 { 1000, 0.1 }, { 3, -1 })      --> true
]] },
      { "log1p", "`log(1 + a)`, accurate for small numbers, too.", [[
dc.allclose(dc.log1p { 1e-6, 1 }, { 9.999995e-7, 0.69314718 }, { atol = 0 })        --> true
]] },
    },
    text = "Logarithms of real and complex numbers; of negative real ones NaN.",
    args = { A }, returns = FLOAT, errors = ONE,
    see = "exp logb",
  },
  {
    "logb", at = "dc array",
    text = "The exponent of 2 of the format, `floor(log2(abs(a)))`, as a floating-point number; minus infinity for 0.",
    args = { REAL }, returns = FLOAT, errors = ONE_REAL,
    example = [[
dc.logb { 10, 0.3 }                        --> {3, -2}
]],
    see = "ilogb log2",
  },
  {
    at = "dc array",
    call = { "dc.sin(a)", "dc.cos(a)", "dc.tan(a)", "dc.asin(a)", "dc.acos(a)", "dc.atan(a)" },
    names = {
      { "sin", "The sine of an angle in radians.", [[
dc.allclose(dc.sin { 0, math.pi / 6 }, { 0, 0.5 })       --> true
]] },
      { "cos", "The cosine of an angle in radians.", [[
dc.allclose(dc.cos { 0, math.pi / 3 }, { 1, 0.5 })       --> true
]] },
      { "tan", "The tangent of an angle in radians.", [[
dc.allclose(dc.tan { 0, math.pi / 4 }, { 0, 1 })         --> true
]] },
      { "asin", "The arc sine, from -pi/2 to pi/2.", [[
dc.allclose(dc.asin { 0, 0.5 }, { 0, math.pi / 6 })      --> true
]] },
      { "acos", "The arc cosine, from 0 to pi.", [[
dc.allclose(dc.acos { -1, 0.5 }, { math.pi, math.pi / 3 })     --> true
]] },
      { "atan", "The arc tangent, from -pi/2 to pi/2.", [[
dc.allclose(dc.atan { 1, -1 }, { math.pi / 4, -math.pi / 4 })  --> true
]] },
    },
    text = "Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real "
      .. "ones.",
    args = { A }, returns = FLOAT, errors = ONE,
    see = "sinpi atan2 sinh angle",
  },
  {
    at = "dc array", call = { "dc.sinpi(a)", "dc.cospi(a)" },
    names = {
      { "sinpi", "The sine of `pi * a`, without an error of the product.", [[
dc.sinpi { 0.5, 1, 1.5 }                   --> {1, 0, -1}
]] },
      { "cospi", "The cosine of `pi * a`, without an error of the product.", [[
dc.cospi { 0, 0.5, 1 }                     --> {1, 0, -1}
]] },
    },
    text = "Of real numbers; exact at multiples of a half.",
    args = { REAL }, returns = FLOAT, errors = ONE_REAL,
    see = "sin cos",
  },
  {
    at = "dc array",
    call = { "dc.sinh(a)", "dc.cosh(a)", "dc.tanh(a)", "dc.asinh(a)", "dc.acosh(a)", "dc.atanh(a)" },
    names = {
      { "sinh", "The hyperbolic sine.", [[
dc.allclose(dc.sinh { 0, 1 }, { 0, 1.175201194 })        --> true
]] },
      { "cosh", "The hyperbolic cosine.", [[
dc.allclose(dc.cosh { 0, 1 }, { 1, 1.543080635 })        --> true
]] },
      { "tanh", "The hyperbolic tangent.", [[
dc.allclose(dc.tanh { 0, 1 }, { 0, 0.761594156 })        --> true
]] },
      { "asinh", "The inverse of the hyperbolic sine.", [[
dc.allclose(dc.asinh { 0, 1 }, { 0, 0.881373587 })       --> true
]] },
      { "acosh", "The inverse of the hyperbolic cosine, not negative.", [[
dc.allclose(dc.acosh { 1, 2 }, { 0, 1.316957897 })       --> true
]] },
      { "atanh", "The inverse of the hyperbolic tangent.", [[
dc.allclose(dc.atanh { 0, 0.5 }, { 0, 0.549306144 })     --> true
]] },
    },
    text = "Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real "
      .. "ones.",
    args = { A }, returns = FLOAT, errors = ONE,
    see = "exp sin",
  },
  {
    at = "dc array",
    call = { "dc.erf(a)", "dc.erfc(a)", "dc.erfcx(a)", "dc.erfinv(a)", "dc.erfcinv(a)", "dc.normcdf(a)",
      "dc.normcdfinv(a)" },
    names = {
      { "erf", "The error function.", [[
dc.allclose(dc.erf { 0, 1 }, { 0, 0.842700793 })         --> true
]] },
      { "erfc", "The complementary error function, `1 - erf(a)`, accurate for large numbers, too.", [[
dc.allclose(dc.erfc { 0, 1 }, { 1, 0.157299207 })        --> true
]] },
      { "erfcx", "The scaled complementary error function, `exp(a^2) * erfc(a)`.", [[
dc.allclose(dc.erfcx { 0, 1 }, { 1, 0.427583576 })       --> true
]] },
      { "erfinv", "The inverse of the error function.", [[
dc.allclose(dc.erfinv { 0, 0.5 }, { 0, 0.476936276 })    --> true
]] },
      { "erfcinv", "The inverse of the complementary error function.", [[
dc.allclose(dc.erfcinv { 1, 0.5 }, { 0, 0.476936276 })   --> true
]] },
      { "normcdf", "The distribution function of the standard normal distribution.", [[
dc.allclose(dc.normcdf { 0, 1 }, { 0.5, 0.841344746 })   --> true
]] },
      { "normcdfinv", "The quantile function of the standard normal distribution.", [[
dc.allclose(dc.normcdfinv { 0.5, 0.975 }, { 0, 1.959963985 })    --> true
]] },
    },
    text = "The error function and the normal distribution, of real numbers.",
    args = { REAL }, returns = FLOAT, errors = ONE_REAL,
    see = "normal",
  },
  {
    at = "dc array", call = { "dc.lgamma(a)", "dc.tgamma(a)" },
    names = {
      { "lgamma", "The natural logarithm of the absolute value of the gamma function.", [[
dc.allclose(dc.lgamma { 5, 0.5 }, { 3.17805383, 0.572364943 })   --> true
]] },
      { "tgamma", "The gamma function: `(n - 1)!` of a positive integer n.", [[
dc.allclose(dc.tgamma { 5, 0.5 }, { 24, 1.772453851 })           --> true
]] },
    },
    text = "The gamma function, of real numbers.",
    args = { REAL }, returns = FLOAT, errors = ONE_REAL,
    see = "erf",
  },
  {
    at = "dc array",
    call = { "dc.j0(a)", "dc.j1(a)", "dc.y0(a)", "dc.y1(a)", "dc.cyl_bessel_i0(a)", "dc.cyl_bessel_i1(a)" },
    names = {
      { "j0", "The Bessel function of the first kind of order 0.", [[
dc.allclose(dc.j0 { 0, 1 }, { 1, 0.765197687 })          --> true
]] },
      { "j1", "The Bessel function of the first kind of order 1.", [[
dc.allclose(dc.j1 { 0, 1 }, { 0, 0.440050586 })          --> true
]] },
      { "y0", "The Bessel function of the second kind of order 0.", [[
dc.allclose(dc.y0 { 1 }, { 0.088256964 })                --> true
]] },
      { "y1", "The Bessel function of the second kind of order 1.", [[
dc.allclose(dc.y1 { 1 }, { -0.781212821 })               --> true
]] },
      { "cyl_bessel_i0", "The modified Bessel function of the first kind of order 0.", [[
dc.allclose(dc.cyl_bessel_i0 { 0, 1 }, { 1, 1.266065878 })       --> true
]] },
      { "cyl_bessel_i1", "The modified Bessel function of the first kind of order 1.", [[
dc.allclose(dc.cyl_bessel_i1 { 0, 1 }, { 0, 0.565159104 })       --> true
]] },
    },
    text = "Bessel functions of real numbers.",
    args = { REAL }, returns = FLOAT, errors = ONE_REAL,
    see = "jn yn",
  },
  {
    at = "dc array", call = { "dc.jn(n, a)", "dc.yn(n, a)" },
    names = {
      { "jn", "The Bessel function of the first kind of order `n`.", [[
dc.allclose(dc.jn(2, dc.array { 1 }), { 0.114903485 })   --> true
]] },
      { "yn", "The Bessel function of the second kind of order `n`.", [[
dc.allclose(dc.yn(2, dc.array { 1 }), { -1.650682607 })  --> true
]] },
    },
    text = "Bessel functions of order `n`, an integer or an array of integers; one of the two is an array. The order "
      .. "stands first in the method, too: `n:jn(a)`.",
    args = { { "n", "array|integer", "the order" }, { "a", "operand", "the argument; shapes broadcast" } },
    returns = FLOAT_2,
    errors = { dtype = "an order that is not an integer, complex numbers", shape = MANY_REAL.shape, argument = COUNT,
      device = MANY_REAL.device },
    see = "j0 y0",
  },
  {
    "atan2", at = "dc array",
    text = "The angle of the point (b, a) to the positive first axis in radians, from -pi to pi.",
    args = { { "a", "array|number|table", "the second coordinate" }, { "b", "operand", "the first coordinate" } },
    returns = FLOAT_2, errors = MANY_REAL,
    example = [[
dc.allclose(dc.atan2({ 1, -1 }, { 0, -1 }), { math.pi / 2, -3 * math.pi / 4 })      --> true
]],
    see = "atan angle hypot",
  },
  {
    at = "dc array", call = { "dc.fmod(a, b)", "dc.remainder(a, b)" },
    names = {
      { "fmod", "The remainder of the quotient rounded toward 0; it has the sign of `a`.", [[
dc.fmod({ 7, -7 }, 4)                      --> {3, -3}
]] },
      { "remainder", "The remainder of the quotient rounded to the nearest integer.", [[
dc.remainder({ 7, -7 }, 4)                 --> {-1, 1}
]] },
    },
    text = "Exactly `a - n * b`; `n` is the quotient, rounded toward 0 or to the nearest integer. The operator `%` "
      .. "rounds it toward minus infinity.",
    args = { REAL, B }, returns = FLOAT_2, errors = MANY_REAL,
    see = "trunc floor",
  },
  {
    at = "dc array", call = { "dc.hypot(a, b)", "dc.rhypot(a, b)" },
    names = {
      { "hypot", "The root of `a^2 + b^2`, without overflow in between.", [[
dc.allclose(dc.hypot({ 3, 5 }, { 4, 12 }), { 5, 13 })    --> true
]] },
      { "rhypot", "The reciprocal of the root of `a^2 + b^2`.", [[
dc.allclose(dc.rhypot({ 3 }, 4), { 0.2 })                --> true
]] },
    },
    text = "The length of a vector of two components, and its reciprocal.",
    args = { REAL, B }, returns = FLOAT_2, errors = MANY_REAL,
    see = "norm3d norm4d norm",
  },
  {
    at = "dc array", call = { "dc.copysign(a, b)", "dc.fdim(a, b)", "dc.nextafter(a, b)" },
    names = {
      { "copysign", "`a` with the sign of `b`.", [[
dc.copysign({ 1, 2 }, { -1, 1 })           --> {-1, 2}
]] },
      { "fdim", "`a - b` where that is positive, else 0.", [[
dc.fdim({ 5, 3 }, { 3, 5 })                --> {2, 0}
]] },
      { "nextafter", "The number next to `a` in the direction of `b`.", [[
local one = dc.array({ 1 }, "float16")
dc.nextafter(one, 2)[1] == 1 + 2 ^ -10     --> true
]] },
    },
    text = "Signs, positive differences and neighbours; `nextafter` steps in the format of its dtype, 16-bit ones too.",
    args = { REAL, B }, returns = FLOAT_2, errors = MANY_REAL,
    see = "abs signbit maximum",
  },
  {
    "fma", at = "dc array",
    text = "`a * b + c`, rounded once.",
    args = { REAL, B, { "c", "operand", "the summand" } }, returns = FLOAT_2, errors = MANY_REAL,
    example = [[
dc.fma({ 1, 2 }, 3, 4)                     --> {7, 10}
]],
    see = "matmul",
  },
  {
    at = "dc array", call = { "dc.norm3d(a, b, c)", "dc.rnorm3d(a, b, c)" },
    names = {
      { "norm3d", "The root of `a^2 + b^2 + c^2`, without overflow in between.", [[
dc.allclose(dc.norm3d({ 1 }, 2, 2), { 3 })               --> true
]] },
      { "rnorm3d", "The reciprocal of the root of `a^2 + b^2 + c^2`.", [[
dc.allclose(dc.rnorm3d({ 2 }, 4, 4), { 1 / 6 })          --> true
]] },
    },
    text = "The length of a vector of three components, and its reciprocal.",
    args = { REAL, B, { "c", "operand", "the third component" } }, returns = FLOAT_2, errors = MANY_REAL,
    see = "hypot norm4d norm",
  },
  {
    at = "dc array", call = { "dc.norm4d(a, b, c, d)", "dc.rnorm4d(a, b, c, d)" },
    names = {
      { "norm4d", "The root of `a^2 + b^2 + c^2 + d^2`, without overflow in between.", [[
dc.allclose(dc.norm4d({ 2 }, 4, 5, 6), { 9 })            --> true
]] },
      { "rnorm4d", "The reciprocal of the root of `a^2 + b^2 + c^2 + d^2`.", [[
dc.allclose(dc.rnorm4d({ 1 }, 1, 1, 1), { 0.5 })         --> true
]] },
    },
    text = "The length of a vector of four components, and its reciprocal.",
    args = { REAL, B, { "c", "operand", "the third component" }, { "d", "operand", "the fourth component" } },
    returns = FLOAT_2, errors = MANY_REAL,
    see = "hypot norm3d norm",
  },
  {
    at = "dc array", call = { "dc.ldexp(a, n)", "dc.scalbn(a, n)" },
    names = {
      { "ldexp", "`a * 2^n`.", [[
dc.ldexp({ 3, 5 }, 2)                      --> {12, 20}
]] },
      { "scalbn", "`a * 2^n`, the same as `ldexp`.", [[
dc.scalbn({ 3, 5 }, -1)                    --> {1.5, 2.5}
]] },
    },
    text = "The product with a power of 2; `n` is an integer, or an array of integers.",
    args = { REAL, { "n", "array|integer", "the exponent of 2; shapes broadcast" } },
    returns = FLOAT_2,
    errors = { dtype = "an exponent that is not an integer, complex numbers", shape = MANY_REAL.shape, argument = COUNT,
      device = MANY_REAL.device },
    see = "exp2 ilogb",
  },
  [[
These are for complex numbers, too: `sqrt exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh
acosh atanh`. Functions of complex numbers have the branch cuts, infinities and NaN of C's annex G: on a cut the sign of
the zero selects the side, as in `dc.complex(-1, -0.0)`. Each part is accurate to a few units in its last place, also
near `abs(z) == 1` and at both ends of the range; only the real part of `expm1` is accurate relative to the larger part.
Powers by integers up to 64 are products; others are `exp(b * log(a))`, whose relative error grows with that exponent.
The operators, on arrays and on numbers, are the plain formulas: products and quotients of infinities are NaN.
]],
}
