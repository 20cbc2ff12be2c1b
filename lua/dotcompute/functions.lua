-- The functions of CUDA's math library, by name: {name, kind, count = of arguments}.
-- How a result's dtype follows from the arguments': "float" computes in a floating dtype, "keep" in the promoted one,
-- "test" in a floating one with a bool result; of "exponent" the last argument is an int.
local functions = {}

local function add(kind, count, names)
  for name in names:gmatch "%S+" do functions[name] = { name = name, kind = kind, count = count } end
end

add("float", 1, [[sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh
  tanh asinh acosh atanh sinpi cospi erf erfc erfinv erfcinv erfcx normcdf normcdfinv lgamma tgamma j0 j1 y0 y1 logb
  cyl_bessel_i0 cyl_bessel_i1]])
add("float", 2, "pow atan2 fmod remainder hypot rhypot copysign fdim nextafter")
add("float", 3, "fma norm3d rnorm3d")
add("float", 4, "norm4d rnorm4d")
add("keep", 1, "abs floor ceil trunc round rint nearbyint")
add("keep", 2, "min max fmin fmax")
add("test", 1, "isnan isinf isfinite signbit")
add("exponent", 2, "ldexp scalbn")

return functions
