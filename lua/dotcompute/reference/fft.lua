-- Reference: Fourier transforms.
local NO_LIBRARY = "the library (FFTW 3, cuFFT) is not installed"
local IN_GRAPH = "a graph is being captured"
local ARRAY = { "a", "array|table", "the array" }
local AXIS = { "axis?", "integer", "the axis. Default: the last one" }
local N = { "n", "integer", "the number of points: the axis is truncated, or padded with zeros. Default: its extent" }
local AXES = { "...", "axes", "the axes, integers or one table of them. Default: the last two" }
local ALL_AXES = { "...", "axes", "the axes, integers or one table of them. Default: all axes" }
local NORM = { "norm", '"backward"|"ortho"|"forward"', "the transforms that are divided by the number of points: "
  .. "inverse ones, both (by its root), or forward ones. Default: `\"backward\"`" }
local MANY = {
  { "axes", "axes", "the axes by name, in a list" },
  { "n", "integer[]", "the number of points along each axis: it is truncated, or padded with zeros. Default: its "
    .. "extent" },
  NORM,
}
local TO_REAL = {
  MANY[1],
  { "n", "integer[]", "the number of points of the result along each axis. Default: its extent, of the last axis "
    .. "`2 * (m - 1)`" },
  NORM,
}
local ERRORS = { argument = "not an array or table, points that are no integer, a wrong norm", device = NO_LIBRARY,
  index = "an axis out of range", launch = IN_GRAPH, shape = "no points, a 0-d array" }
local ERRORS_MANY = { argument = "not an array or table, an axis named twice, an `n` of another length, a wrong norm",
  device = NO_LIBRARY, index = "an axis out of range", launch = IN_GRAPH, shape = "no points, a 0-d array" }
local COMPLEX = "complex64 or complex128; the axis has `n` elements"
local COMPLEX_MANY = "complex64 or complex128; the axes have `n` elements"
local HALF_MANY = COMPLEX_MANY .. ", the last one `n // 2 + 1`"
local REAL_MANY = "float32 or float64; the axes have `n` elements; the scaling is pending"
local ERRORS_REAL = { argument = ERRORS_MANY.argument, device = NO_LIBRARY, dtype = "complex numbers",
  index = ERRORS.index, launch = IN_GRAPH, shape = ERRORS.shape }

return {
  "### dc.fft\n",
  {
    "fft", at = "dc.fft", call = "dc.fft.fft(a [, axis] [, {n=, norm=}])",
    text = "The Fourier transform along an axis (by default the last).",
    args = { ARRAY, AXIS }, options = { N, NORM },
    returns = { { "array", COMPLEX } }, errors = ERRORS,
    example = [[
local y = dc.fft.fft { 1, 0, 0, 0 }
y.dtype, #y                                --> complex64, 4
dc.allclose(y, dc.ones(4))                 --> true
#dc.fft.fft({ 1, 1 }, { n = 8 })           --> 8
]],
    see = "ifft rfft fft2",
    words = "fourier spectrum frequencies",
  },
  {
    "ifft", at = "dc.fft", call = "dc.fft.ifft(a [, axis] [, {n=, norm=}])",
    text = "The inverse of `fft`, by default scaled by `1 / n`.",
    args = { ARRAY, AXIS }, options = { N, NORM },
    returns = { { "array", COMPLEX .. "; the scaling is pending" } }, errors = ERRORS,
    example = [[
local x = dc.array { 1, 2, 3, 4, 5 }
dc.allclose(dc.real(dc.fft.ifft(dc.fft.fft(x))), x)  --> true
]],
    see = "fft irfft",
  },
  {
    "rfft", at = "dc.fft", call = "dc.fft.rfft(a [, axis] [, {n=, norm=}])",
    text = "The transform of real numbers: the first `n // 2 + 1` elements of the result of `fft`.",
    args = { { "a", "array|table", "real numbers" }, AXIS }, options = { N, NORM },
    returns = { { "array", "complex64 or complex128; the axis has `n // 2 + 1` elements" } },
    errors = { argument = ERRORS.argument, device = NO_LIBRARY, dtype = "complex numbers", index = ERRORS.index,
      launch = IN_GRAPH, shape = ERRORS.shape },
    example = [[
local y = dc.fft.rfft { 1, 1, 1, 1 }
#y                                         --> 3
dc.allclose(dc.real(y), { 4, 0, 0 })       --> true
dc.allclose(dc.real(dc.fft.rfft({ 1, 1, 1, 1 }, { norm = "forward" })), { 1, 0, 0 })  --> true
]],
    see = "irfft fft rfft2",
  },
  {
    "irfft", at = "dc.fft", call = "dc.fft.irfft(a [, axis] [, {n=, norm=}])",
    text = "The inverse of `rfft`, to `n` real numbers; by default `2 * (m - 1)` for an axis of `m`.",
    args = { { "a", "array|table", "the first half of a spectrum, as `rfft` gives it" }, AXIS },
    options = { { "n", "integer", "the number of points of the result. Default: `2 * (m - 1)`" }, NORM },
    returns = { { "array", "float32 or float64; the axis has `n` elements; the scaling is pending" } },
    errors = ERRORS,
    example = [[
local x = dc.array { 1, 2, 3, 4, 5 }
dc.allclose(dc.fft.irfft(dc.fft.rfft(x), { n = 5 }), x)  --> true
#dc.fft.irfft(dc.fft.rfft(x))              --> 4
]],
    see = "rfft ifft",
  },
  {
    "fft2", at = "dc.fft", call = "dc.fft.fft2(a [, axes…] [, {n=, norm=}])",
    text = "The transform along the last two axes, or the given ones.",
    args = { ARRAY, AXES }, options = MANY,
    returns = { { "array", COMPLEX_MANY } }, errors = ERRORS_MANY,
    example = [[
local y = dc.fft.fft2(dc.ones(4, 6))
dc.allclose(dc.real(y[{ 1, 1 }]), 24)      --> true
dc.fft.fft2(dc.ones(4, 6), { n = { 8, 8 } }):shape()  --> 8, 8
]],
    see = "ifft2 fftn",
  },
  {
    "ifft2", at = "dc.fft", call = "dc.fft.ifft2(a [, axes…] [, {n=, norm=}])",
    text = "The inverse of `fft2`, by default scaled by one over the number of points.",
    args = { ARRAY, AXES }, options = MANY,
    returns = { { "array", COMPLEX_MANY .. "; the scaling is pending" } }, errors = ERRORS_MANY,
    example = [[
local x = dc.arange(1, 24):reshape(4, 6)
dc.allclose(dc.real(dc.fft.ifft2(dc.fft.fft2(x))), x, 1e-4)  --> true
]],
    see = "fft2 ifftn",
  },
  {
    "fftn", at = "dc.fft", call = "dc.fft.fftn(a [, axes…] [, {n=, norm=}])",
    text = "The transform along all axes, or the given ones.",
    args = { ARRAY, ALL_AXES }, options = MANY,
    returns = { { "array", COMPLEX_MANY } }, errors = ERRORS_MANY,
    example = [[
dc.allclose(dc.real(dc.fft.fftn(dc.ones(2, 3, 4))[{ 1, 1, 1 }]), 24)  --> true
dc.allclose(dc.real(dc.fft.fftn(dc.ones(2, 3, 4), 2, 3)[{ 1, 1, 1 }]), 12)  --> true
]],
    see = "ifftn fft2",
  },
  {
    "ifftn", at = "dc.fft", call = "dc.fft.ifftn(a [, axes…] [, {n=, norm=}])",
    text = "The inverse of `fftn`, by default scaled by one over the number of points.",
    args = { ARRAY, ALL_AXES }, options = MANY,
    returns = { { "array", COMPLEX_MANY .. "; the scaling is pending" } }, errors = ERRORS_MANY,
    example = [[
local x = dc.arange(1, 24):reshape(2, 3, 4)
dc.allclose(dc.real(dc.fft.ifftn(dc.fft.fftn(x))), x, 1e-4)  --> true
]],
    see = "fftn ifft2",
  },
  {
    "rfft2", at = "dc.fft", call = "dc.fft.rfft2(a [, axes…] [, {n=, norm=}])",
    text = "The transform of real numbers along the last two axes, or the given ones: `rfft` along the last of them, "
      .. "`fft` along the others.",
    args = { { "a", "array|table", "real numbers" }, AXES }, options = MANY,
    returns = { { "array", HALF_MANY } }, errors = ERRORS_REAL,
    example = [[
dc.fft.rfft2(dc.ones(4, 6)):shape()        --> 4, 4
dc.allclose(dc.real(dc.fft.rfft2(dc.ones(4, 6), { norm = "ortho" })[{ 1, 1 }]), math.sqrt(24))  --> true
]],
    see = "irfft2 fft2 rfft",
  },
  {
    "irfft2", at = "dc.fft", call = "dc.fft.irfft2(a [, axes…] [, {n=, norm=}])",
    text = "The inverse of `rfft2`, to real numbers, by default scaled by one over their number.",
    args = { { "a", "array|table", "half of a spectrum, as `rfft2` gives it" }, AXES }, options = TO_REAL,
    returns = { { "array", REAL_MANY } }, errors = ERRORS_MANY,
    example = [[
local x = dc.arange(1, 20):reshape(4, 5)
dc.allclose(dc.fft.irfft2(dc.fft.rfft2(x), { n = { 4, 5 } }), x, 1e-4)  --> true
]],
    see = "rfft2 ifft2",
  },
  {
    "rfftn", at = "dc.fft", call = "dc.fft.rfftn(a [, axes…] [, {n=, norm=}])",
    text = "The transform of real numbers along all axes, or the given ones: `rfft` along the last of them, `fft` "
      .. "along the others.",
    args = { { "a", "array|table", "real numbers" }, ALL_AXES }, options = MANY,
    returns = { { "array", HALF_MANY } }, errors = ERRORS_REAL,
    example = [[
dc.fft.rfftn(dc.ones(2, 3, 4)):shape()     --> 2, 3, 3
dc.fft.rfftn(dc.ones(2, 3, 4), { axes = { 3, 2 } }):shape()  --> 2, 2, 4
]],
    see = "irfftn fftn rfft",
  },
  {
    "irfftn", at = "dc.fft", call = "dc.fft.irfftn(a [, axes…] [, {n=, norm=}])",
    text = "The inverse of `rfftn`, to real numbers, by default scaled by one over their number.",
    args = { { "a", "array|table", "half of a spectrum, as `rfftn` gives it" }, ALL_AXES }, options = TO_REAL,
    returns = { { "array", REAL_MANY } }, errors = ERRORS_MANY,
    example = [[
local x = dc.arange(1, 24):reshape(2, 3, 4)
dc.allclose(dc.fft.irfftn(dc.fft.rfftn(x)), x, 1e-4)  --> true
]],
    see = "rfftn ifftn",
  },
  [[
With `norm = "backward"`, the default, inverse transforms are divided by the number of points; with `"forward"` forward
ones are; with `"ortho"` both are by its root, so that they keep the sum of squares. The scaling is pending, so it is
fused into later expressions. Option `n` is the number of points (the axis is truncated, or padded with zeros); for
several axes a list of the same length. Results are complex64, or complex128 for float64, complex128 and 64-bit
integers; of `irfft`, `irfft2` and `irfftn` the real dtype of that width. Errors: `index` and `argument` for axes,
`shape` for no points, `dtype` for `rfft`, `rfft2` and `rfftn` of complex numbers.

```lua
local dc = require "dotcompute"
local t = dc.arange(0, 999) / 1000
local wave = dc.sin(t * (2 * math.pi * 50)) + dc.cos(t * (2 * math.pi * 120)) * 0.5
local spectrum = dc.abs(dc.fft.rfft(wave))
assert(spectrum:argmax():item() == 51)                  -- 50 periods: Lua counts from 1
assert(dc.allclose(dc.fft.irfft(dc.fft.rfft(wave)), wave, 1e-4, 1e-4))
local image = dc.ones(4, 6)
assert(dc.real(dc.fft.fft2(image))[{ 1, 1 }] == 24)
```

Products can be captured in a [graph](#graphs); solvers and transforms cannot (error `launch`).
]],
}
