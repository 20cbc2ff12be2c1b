-- Reference: functions in kernels written in Lua that are about values, not about threads.
return {
  [[
## Values in kernels in Lua

Bits, rounding, approximations and random numbers, tables of constants, functions in CUDA C, casts and views. All but
`dc.constant`, `dc.extern` and the casts are called in kernels alone.
]],
  {
    names = {
      { "clz", "The number of zero bits above the highest one." }, { "popc", "The number of one bits." },
      { "ffs", "The place of the lowest one bit, from 1; 0 of 0." }, { "brev", "The bits in reverse order." },
    },
    at = "dc", text = "Of the integer's own size.", args = { { "v", "integer", "the integer" } },
    returns = { { "integer", "of `brev` it has the dtype of `v`" } }, errors = { argument = "outside of kernels" },
    see = "mulhi", words = "count leading zeros popcount find first set reverse bits",
    example = [[
local bits = dc.jit(function(x, out)
  out[1], out[2], out[3], out[4] = dc.clz(x[1]), dc.popc(x[1]), dc.ffs(x[1]), dc.brev(x[1])
end)
local out = dc.zeros(4, "int64")
bits(1, 1, dc.array({ 6 }, "uint8"), out)
out                                        --> {5, 2, 2, 96}
]],
  },
  {
    names = {
      { "mulhi", "The upper half of a product." },
      { "mul24", "The product of the lowest 24 bits, of 32-bit integers." },
      { "hadd", "The mean of two 32-bit integers, rounded down." },
      { "rhadd", "The mean of two 32-bit integers, rounded up." },
    },
    at = "dc", text = "", args = { { "a", "integer", "the first" }, { "b", "integer", "the second" } },
    returns = { { "integer", "the result" } }, errors = { argument = "outside of kernels" }, see = "clz",
    words = "mulhi umulhi mul64hi",
    example = [[
local high = dc.jit(function(x) x[1] = dc.mulhi(x[1], 6) end)
local x = dc.array({ 1 << 31 }, "uint32")
high(1, 1, x)
x[1]                                       --> 3
]],
  },
  {
    names = {
      { "sad", "`|a - b| + c`, of 32-bit integers." },
      { "dp4a", "`c` and the sum of the products of four 8-bit integers in `a` and `b`." },
      { "byte_perm", "Four of the eight bytes of `a` and `b`, chosen by the digits of `c`." },
      { "funnelshift_l", "The upper 32 bits of `b` and `a` shifted to the left by `c`." },
      { "funnelshift_r", "The lower 32 bits of `b` and `a` shifted to the right by `c`." },
    },
    at = "dc", text = "", args = { { "a", "integer", "of 32 bits" }, { "b", "integer", "of 32 bits" },
      { "c", "integer", "of 32 bits" } },
    returns = { { "integer", "of 32 bits" } }, errors = { argument = "outside of kernels" }, see = "clz",
    words = "rotate prmt shf",
    example = [[
local rotate = dc.jit(function(x) x[1] = dc.funnelshift_l(x[1], x[1], 8) end)
local x = dc.array({ 0x12345678 }, "uint32")
rotate(1, 1, x)
("%x"):format(x[1])                        --> 34567812
]],
  },
  {
    "bitcast", at = "dc", text = "The bits of a number as a number of another dtype of the same size.",
    args = { { "v", "number", "the number" }, { "dtype", "dtype", "the dtype" } },
    returns = { { "number", "of that dtype" } }, errors = { argument = "outside of kernels" }, see = "cast",
    words = "float_as_int int_as_float reinterpret",
    example = [[
local bits = dc.jit(function(x, out) out[1] = dc.bitcast(x[1], "uint32") end)
local out = dc.zeros(1, "uint32")
bits(1, 1, dc.ones(1), out)
("%x"):format(out[1])                      --> 3f800000
]],
  },
  {
    names = {
      { "sincos", "Sine and cosine." }, { "sincospi", "Sine and cosine of pi times the number." },
      { "frexp", "A fraction of 0.5 to 1 and an exponent of 2, an integer." },
    },
    at = "dc", text = "", args = { { "v", "number", "the number" } },
    returns = { { "number", "the first" }, { "number", "the second" } }, errors = { argument = "outside of kernels" },
    see = "remquo", words = "sin cos mantissa exponent",
    example = [[
local parts = dc.jit(function(x) x[1], x[2] = dc.frexp(x[1]) end)
local x = dc.array { 12, 0 }
parts(1, 1, x)
x                                          --> {0.75, 4}
]],
  },
  {
    "remquo", at = "dc", text = "The rest of a division whose quotient is rounded to the nearest integer, and the last "
      .. "bits of that.",
    args = { { "a", "number", "the dividend" }, { "b", "number", "the divisor" } },
    returns = { { "number", "the rest" }, { "integer", "the quotient's bits, with its sign" } },
    errors = { argument = "outside of kernels" }, see = "remainder",
    example = [[
local parts = dc.jit(function(x) x[1], x[2] = dc.remquo(x[1], 4) end)
local x = dc.array { 7, 0 }
parts(1, 1, x)
x                                          --> {-1, 2}
]],
  },
  {
    names = {
      { "add_rn", "A sum to nearest." }, { "add_rz", "A sum toward zero." },
      { "add_ru", "A sum up." }, { "add_rd", "A sum down." },
      { "sub_rn", "A difference to nearest." }, { "sub_rz", "A difference toward zero." },
      { "sub_ru", "A difference up." }, { "sub_rd", "A difference down." },
      { "mul_rn", "A product to nearest." }, { "mul_rz", "A product toward zero." },
      { "mul_ru", "A product up." }, { "mul_rd", "A product down." },
      { "div_rn", "A quotient to nearest." }, { "div_rz", "A quotient toward zero." },
      { "div_ru", "A quotient up." }, { "div_rd", "A quotient down." },
    },
    at = "dc", text = "A floating result, rounded so.", args = { { "a", "number", "the first" },
      { "b", "number", "the second" } },
    returns = { { "number", "the result" } }, errors = { argument = "outside of kernels" }, see = "fma_rn",
    words = "rounding mode interval __fadd_ru __dmul_rd",
    example = [[
local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
local x = dc.ones(2)
third(1, 1, x)
x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
]],
  },
  {
    names = {
      { "rcp_rn", "1 / a to nearest." }, { "rcp_rz", "1 / a toward zero." },
      { "rcp_ru", "1 / a up." }, { "rcp_rd", "1 / a down." },
      { "sqrt_rn", "The square root to nearest." }, { "sqrt_rz", "The square root toward zero." },
      { "sqrt_ru", "The square root up." }, { "sqrt_rd", "The square root down." },
    },
    at = "dc", text = "Rounded so.", args = { { "a", "number", "the number" } },
    returns = { { "number", "the result" } }, errors = { argument = "outside of kernels" }, see = "add_rn",
    words = "rounding mode __frcp_rn __dsqrt_rn",
    example = [[
local root = dc.jit(function(x) x[1], x[2] = dc.sqrt_rd(x[1]), dc.sqrt_ru(x[1]) end)
local x = dc.full(2, 2)
root(1, 1, x)
x[1] < x[2]                                --> true
]],
  },
  {
    names = {
      { "fma_rn", "`a * b + c` to nearest." }, { "fma_rz", "`a * b + c` toward zero." },
      { "fma_ru", "`a * b + c` up." }, { "fma_rd", "`a * b + c` down." },
    },
    at = "dc", text = "Rounded once, so.", args = { { "a", "number", "a factor" }, { "b", "number", "a factor" },
      { "c", "number", "what is added" } },
    returns = { { "number", "the result" } }, errors = { argument = "outside of kernels" }, see = "add_rn fma",
    words = "rounding mode __fmaf_rn",
    example = [[
local up = dc.jit(function(x) x[1] = dc.fma_ru(x[1], x[1], 1e-20) end)
local x = dc.ones(1)
up(1, 1, x)
x[1] > 1                                   --> true
]],
  },
  {
    names = {
      { "fast_sin", "`__sinf`." }, { "fast_cos", "`__cosf`." }, { "fast_tan", "`__tanf`." },
      { "fast_exp", "`__expf`." }, { "fast_exp10", "`__exp10f`." }, { "fast_log", "`__logf`." },
      { "fast_log2", "`__log2f`." }, { "fast_log10", "`__log10f`." },
      { "saturate", "`__saturatef`: the number between 0 and 1 that is nearest." },
    },
    at = "dc", text = "CUDA's less accurate, faster functions, of float32 and 16-bit floats.",
    args = { { "v", "number", "the number" } }, returns = { { "number", "the result" } },
    errors = { argument = "outside of kernels" }, see = "fast_pow", words = "intrinsic approximate fast math",
    example = [[
local softplus = dc.jit(function(x) x[1] = dc.fast_log(1 + dc.fast_exp(x[1])) end)
local x = dc.zeros(1)
softplus(1, 1, x)
math.abs(x[1] - math.log(2)) < 1e-5        --> true
]],
  },
  {
    names = {
      { "fast_pow", "`__powf`." }, { "fast_divide", "`__fdividef`." },
    },
    at = "dc", text = "CUDA's less accurate, faster functions, of float32 and 16-bit floats.",
    args = { { "a", "number", "the first" }, { "b", "number", "the second" } },
    returns = { { "number", "the result" } }, errors = { argument = "outside of kernels" }, see = "fast_exp",
    words = "intrinsic approximate fast math",
    example = [[
local cube = dc.jit(function(x) x[1] = dc.fast_pow(x[1], 3) end)
local x = dc.full(1, 2)
cube(1, 1, x)
math.abs(x[1] - 8) < 1e-4                  --> true
]],
  },
  {
    names = {
      { "random_uniform", "A random number in [0, 1)." }, { "random_normal", "A normally distributed random number." },
      { "random_exponential", "An exponentially distributed random number, of mean 1." },
    },
    at = "dc", text = "The number that `dc.random` gives for a seed, a call and a position: element `i` of the array "
      .. "that a generator of the seed makes after `calls` others.",
    args = { { "seed", "integer", "the seed" }, { "i", "integer", "the position, from 1" },
      { "calls?", "integer", "the number of calls before, or of the stream. Default: 0" },
      { "dtype?", "dtype", 'a floating dtype. Default: "float32"' } },
    returns = { { "number", "of that dtype" } }, errors = { argument = "outside of kernels" },
    see = "random_integers random.uniform", words = "philox curand monte carlo rng",
    example = [[
local noise = dc.jit(function(x)
  local i = dc.index()
  if i <= #x then x[i] = dc.random_uniform(42, i) end
end)
local x = dc.zeros(100)
noise:forall(100, x)
dc.equal(x, dc.random.generator(42):uniform(100))  --> true
]],
  },
  {
    "random_integers", at = "dc", text = "A random integer from `low` to `high`, both included, as of `dc.random`.",
    args = { { "seed", "integer", "the seed" }, { "i", "integer", "the position, from 1" },
      { "low", "integer", "the least" }, { "high", "integer", "the greatest" },
      { "calls?", "integer", "the number of calls before, or of the stream. Default: 0" } },
    returns = { { "integer", "the number" } }, errors = { argument = "outside of kernels" },
    see = "random_uniform random.integers", words = "philox curand dice",
    example = [[
local throw = dc.jit(function(x) x[dc.index()] = dc.random_integers(1, dc.index(), 1, 6) end)
local x = dc.zeros(10, "int64")
throw(1, 10, x)
dc.equal(x, dc.random.generator(1):integers(10, { low = 1, high = 6 }))  --> true
]],
  },
  {
    "random_bits", at = "dc", text = "32 random bits: Philox4x32-10, of which one counter serves four positions.",
    args = { { "seed", "integer", "the seed" }, { "i", "integer", "the position, from 1" },
      { "calls?", "integer", "the number of calls before, or of the stream. Default: 0" } },
    returns = { { "integer", "a uint32" } }, errors = { argument = "outside of kernels" }, see = "random_uniform",
    words = "philox",
    example = [[
local flip = dc.jit(function(x) x[dc.index()] = dc.random_bits(9, dc.index()) & 1 end)
local x = dc.zeros(20, "int32")
flip(1, 20, x)
x:max():item() <= 1                        --> true
]],
  },
  {
    "constant", at = "dc", call = "dc.constant(values [, dtype])",
    text = "An array that kernels in Lua capture and are compiled with, in CUDA's constant memory. It is read as an "
      .. "array, in kernels and outside.",
    args = { { "values", "table|array", "real numbers, at most 64 KB" }, { "dtype?", "dtype", "its dtype, as of "
      .. "`dc.array`" } },
    returns = { { "table", "the array; `#c`, `c:shape()`, `c:to_table()`, `c.dtype`, `c.ndim`, `c.size`" } },
    errors = { argument = "no table and no array; more than 64 KB; writing it", shape = "no elements",
      dtype = "complex numbers", compile = "of a kernel: writing it; more than 64 KB together" },
    see = "jit shared", words = "__constant__ constant memory table lookup",
    example = [[
local weights = dc.constant { 1, 2, 1 }
local smooth = dc.jit(function(x, y)
  local i = dc.index() + 1
  if i < #x then
    local sum = 0
    for k = 1, dc.unroll(3) do sum = sum + weights[k] * x[i + k - 2] end
    y[i] = sum / 4
  end
end)
local y = dc.zeros(4)
smooth(1, 4, dc.array { 0, 4, 8, 0 }, y)
y                                          --> {0, 4, 5, 0}
]],
  },
  {
    "unroll", at = "dc", call = "for i = 1, dc.unroll(limit [, factor]) do",
    text = "Unrolls a numeric loop of a kernel, whole or by a factor; 1 leaves it as it is. Outside of kernels it "
      .. "gives the limit.",
    args = { { "limit", "number", "the loop's limit" },
      { "factor?", "integer", "how often the body stands in the code, a constant from 1 to 1024. Default: always" } },
    returns = { { "number", "the limit" } },
    errors = { argument = "no number; a factor that is no positive integer",
      compile = "in a kernel anywhere else than in place of a loop's limit" },
    see = "jit", words = "#pragma unroll loop",
    example = [[
local polynomial = dc.jit(function(x)
  local i = dc.index()
  local sum = 0
  for k = 1, dc.unroll(4) do sum = sum * x[i] + k end
  x[i] = sum
end)
local x = dc.array { 1, 2 }
polynomial(1, 2, x)
x                                          --> {10, 26}
]],
  },
  {
    "cuda", at = "dc", call = "dc.cuda(dtype, text, ...)",
    text = "CUDA C in a kernel. `$1`, `$2` … stand for the values, arrays among them as pointers. The text is an "
      .. "expression, converted to the dtype, or statements that set `$0`; with \"void\" statements alone. `$$` is a "
      .. "dollar; lines of `#include <…>` go to the head of the source.",
    args = { { "dtype", "dtype", 'of the result, or "void"' }, { "text", "string", "CUDA C, known when the kernel is "
      .. "compiled" }, { "...", "any", "numbers, booleans, structs and arrays" } },
    returns = { { "number", "the result" } },
    errors = { argument = "outside of kernels", compile = "CUDA C that does not compile, with the line in Lua" },
    see = "extern", words = "inline cuda c asm ptx",
    example = [[
local lane = dc.jit(function(out)
  out[dc.index()] = dc.cuda("uint32", 'asm("mov.u32 %0, %%laneid;" : "=r"($0));')
end)
local out = dc.zeros(3, "int32")
lane(1, 3, out)
out                                        --> {0, 1, 2}
]],
  },
  {
    "extern", at = "dc", call = { "dc.extern(module, function)", "dc.extern(text, function [, options])" },
    text = "A `__device__` function in CUDA C as a function that kernels in Lua call. The text is compiled with the "
      .. "kernel, so that the function is inlined.",
    args = { { "module", "module|string", "a module, or the text of CUDA C" },
      { "function", "string", 'its name, if the text has one of that name, or its declaration, `"float f(float)"`' },
    },
    options = { { "define", "table", "as of `dc.module`" }, { "include", "string|string[]", "as of `dc.module`" },
      { "headers", "table", "as of `dc.module`" }, { "flags", "string|string[]", "as of `dc.module`" },
      { "std", "string", "as of `dc.module`" } },
    returns = { { "function", "for kernels: takes numbers, booleans, and arrays for pointers" } },
    errors = {
      argument = "no open module, no such function, types other than numbers and pointers to them, variables "
      .. "in the text; the function called outside of a kernel", compile = "of the kernel: arguments that the function "
      .. "does not take, a declaration that is not the function's" },
    see = "cuda module", words = "extern device function link",
    example = [[
local square = dc.extern("__device__ float square(float x) { return x * x; }", "square")
local squares = dc.jit(function(x) x[dc.index()] = square(x[dc.index()]) end)
local x = dc.array { 1, 2, 3 }
squares(1, 3, x)
x                                          --> {1, 4, 9}
]],
  },
  {
    names = {
      { "bool", "Converts to a boolean: whether it is not 0." }, { "int8", "Converts to int8." },
      { "int16", "Converts to int16." }, { "int32", "Converts to int32." }, { "int64", "Converts to int64." },
      { "uint8", "Converts to uint8.", "dc.uint8(300)   --> 44" }, { "uint16", "Converts to uint16." },
      { "uint32", "Converts to uint32." }, { "uint64", "Converts to uint64." },
      { "float16", "Rounds to float16." }, { "bfloat16", "Rounds to bfloat16." },
      { "float32", "Rounds to float32.", "dc.float32(0.1) == 0.1   --> false" }, { "float64", "Converts to float64." },
    },
    at = "dc", text = "As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; "
      .. "integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.",
    args = { { "v", "number|boolean|array", "the value" } }, returns = { { "number|boolean|array", "the result" } },
    errors = { argument = "a value that is no number, boolean or array" }, see = "jit cast", words = "cast convert",
    example = [[
dc.int32(2.75)                             --> 2
dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
]],
  },
  {
    "view_as", at = "dc", call = "dc.view_as(a, type)",
    text = "The memory of an array as vectors of its dtype, or of a uint8 array as vectors or structs: the last "
      .. "extent is divided by the number of elements of one. In kernels alone.",
    args = { { "a", "array", "an array of the vector's dtype, or of uint8" },
      { "type", "string|struct", 'a vector\'s name, `"float4"`, or a struct' } },
    returns = { { "array", "the view, whose elements are read and written" } },
    errors = { compile = "an array of another dtype", launch = "with `check`: an array that is not aligned, or no "
      .. "whole number of vectors" },
    example = [[
local double = dc.jit(function(x)
  local v = dc.view_as(x, "float2")
  v[dc.index()] = v[dc.index()] * 2
end)
local x = dc.array { 1, 2, 3, 4 }
double(1, 2, x)
x                                          --> {2, 4, 6, 8}
]],
    see = "vector float4 jit", words = "reinterpret cast vectorized load store float4",
  },
  {
    names = {
      { "complex64", "A complex number of two float32." }, { "complex128", "A complex number of two float64." },
    },
    at = "dc", text = "Of a real and an imaginary part, or of a number, boolean or array that is converted. In kernels "
      .. "and outside.",
    args = { { "v", "number|boolean|complex|array", "the value, or the real part" },
      { "im?", "number", "the imaginary part" } },
    returns = { { "complex|array", "the result" } },
    errors = { argument = "values that are no numbers" }, see = "complex jit cast", words = "cast convert complex",
    example = [[
dc.complex64(1, 2)                         --> 1+2i
dc.complex128(dc.ones(1)).dtype            --> complex128
]],
  },
}
