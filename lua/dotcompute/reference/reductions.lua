-- Reference: reductions.
local A = { "a", "array|table", "the array" }
local AXES = { "axes...?", "axes", "the axes to reduce: integers, or one table of them, from 1, or from the end when "
  .. "negative. Default: all" }
local KEEP = { "keep", "boolean", "whether the reduced axes stay, with extent 1. Default: false" }
local NAMES = { "axes", "axes", "the axes by name; also `axis`" }
local DDOF = { "ddof", "number", "the divisor is the number of elements minus `ddof`. Default: 0" }
local NOT_ARRAY = "not an array; an axis that is not an integer; axes given twice; an unknown option"
local SHAPE = "no such axis, an axis named twice"
local RESULT = "without the reduced axes (0-d over all), pending: it is computed when it is used"

return {
  "### Reductions\n",
  {
    at = "dc array", call = { "a:sum([axes…] [, options])", "a:prod([axes…] [, options])" },
    names = {
      { "sum", "The sum of elements.", [[
local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
a:sum()                                    --> 21.0
a:sum(1), a:sum(2)                         --> {5, 7, 9}, {6, 15}
a:sum(2, { keep = true })                  --> {{6}, {15}}
]] },
      { "prod", "The product of elements.", [[
dc.array({ { 1, 2, 3 }, { 4, 5, 6 } }):prod(2)      --> {6, 120}
]] },
    },
    text = "Sums and products: int64 for integers and bools (uint64 for unsigned ones), otherwise the same dtype. "
      .. "Without elements a sum is 0, a product 1.",
    args = { A, AXES }, options = { KEEP, NAMES }, returns = { { "array", RESULT } },
    errors = { shape = SHAPE, argument = NOT_ARRAY },
    see = "mean cumsum count norm",
    words = "add total product",
  },
  {
    at = "dc array", call = { "a:min([axes…] [, options])", "a:max([axes…] [, options])" },
    names = {
      { "min", "The smallest element.", [[
dc.array({ { 3, 1 }, { 2, 5 } }):min()     --> 1.0
dc.array({ { 3, 1 }, { 2, 5 } }):min(2)    --> {1, 2}
]] },
      { "max", "The largest element.", [[
dc.array({ { 3, 1 }, { 2, 5 } }):max()     --> 5.0
dc.array({ { 3, 1 }, { 2, 5 } }):max(1)    --> {3, 5}
]] },
    },
    text = "NaN is propagated. Two arrays are compared by `dc.minimum` and `dc.fmin`, `dc.maximum` and `dc.fmax`; only "
      .. "in `dc.vectorize`, where a value is one element, these two are elementwise.",
    args = { A, AXES }, options = { KEEP, NAMES },
    returns = { { "array", "in the dtype of `a`, " .. RESULT } },
    errors = { shape = SHAPE .. ", no elements", argument = NOT_ARRAY, dtype = "complex numbers, which have no order" },
    see = "minimum maximum fmin fmax argmin argmax topk",
    words = "smallest largest element minimum maximum",
  },
  {
    at = "dc array", call = { "a:argmin([axis] [, options])", "a:argmax([axis] [, options])" },
    names = {
      { "argmin", "The index of the smallest element.", [[
dc.array({ 3, 1, 2, 1 }):argmin()          --> 2
]] },
      { "argmax", "The index of the largest element.", [[
local a = dc.array { { 3, 1 }, { 2, 5 } }
a:argmax(), a:argmax(2)                    --> 4, {1, 2}
]] },
    },
    text = "The first index, from 1, int64; over all elements in C order; NaN counts as the extreme.",
    args = { A, { "axis?", "integer", "the axis, from 1, or from the end when negative. Default: all elements" } },
    options = { KEEP, { "axis", "integer", "the axis by name" } },
    returns = { { "array", "int64, " .. RESULT } },
    errors = { shape = "no such axis, no elements", argument = "not an array, several axes, an unknown option",
      dtype = "complex numbers, which have no order" },
    see = "min max argsort nonzero",
    words = "position index of the smallest largest",
  },
  {
    "mean", at = "dc array", call = "a:mean([axes…] [, options])",
    text = "The mean: floating-point, float64 for 32- and 64-bit integers. Without elements it is NaN.",
    args = { A, AXES }, options = { KEEP, NAMES }, returns = { { "array", RESULT } },
    errors = { shape = SHAPE, argument = NOT_ARRAY },
    example = [[
local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
a:mean(), a:mean(2)                        --> 3.5, {2, 5}
a - a:mean { 2, keep = true }              --> {{-1, 0, 1}, {-1, 0, 1}}
]],
    see = "sum var std",
    words = "average",
  },
  {
    at = "dc array", call = { "a:var([axes…] [, options])", "a:std([axes…] [, options])" },
    names = {
      { "var", "The variance: the mean of the squared deviations from the mean.", [[
local a = dc.array { 1, 2, 3, 4, 5 }
a:var(), a:var { ddof = 1 }                --> 2.0, 2.5
]] },
      { "std", "The standard deviation: the root of the variance.", [[
dc.array({ { 1, 3 }, { 2, 10 } }):std(2)   --> {1, 4}
]] },
    },
    text = "Floating-point, float64 for 32- and 64-bit integers; of complex numbers the real dtype. The divisor of the "
      .. "variance is n, or n - `ddof`.",
    args = { A, AXES }, options = { DDOF, KEEP, NAMES }, returns = { { "array", RESULT } },
    errors = { shape = SHAPE, argument = NOT_ARRAY },
    see = "mean norm",
    words = "variance standard deviation spread",
  },
  {
    "norm", at = "dc array", call = "a:norm([axes…] [, options])",
    text = "The root of the sum of squares (of complex numbers: of absolute values): floating-point, float64 for "
      .. "64-bit integers, the real dtype of complex numbers.",
    args = { A, AXES }, options = { KEEP, NAMES }, returns = { { "array", RESULT } },
    errors = { shape = SHAPE, argument = NOT_ARRAY },
    example = [[
dc.array({ { 3, 4 }, { 6, 8 } }):norm(2)   --> {5, 10}
]],
    see = "sum hypot",
    words = "length magnitude euclidean",
  },
  {
    at = "dc array", call = { "a:any([axes…] [, options])", "a:all([axes…] [, options])" },
    names = {
      { "any", "Whether any element is not 0.", [[
local a = dc.array { { 1, 0 }, { 0, 0 } }
a:any(), a:any(1)                          --> true, {true, false}
]] },
      { "all", "Whether all elements are not 0.", [[
local a = dc.array { { 1, 2 }, { 0, 3 } }
a:all(), a:gt(-1):all(), a:all(1)          --> false, true, {false, true}
]] },
    },
    text = "Whether any element, or all elements, are not 0: bool; **over all elements a Lua boolean**, computed at "
      .. "once. NaN is not 0. Without elements `any` is false, `all` is true.",
    args = { A, AXES }, options = { KEEP, NAMES },
    returns = { { "boolean|array", "over all elements without `keep` a Lua boolean, else a bool array, pending" } },
    errors = { shape = SHAPE, argument = NOT_ARRAY },
    see = "count equal logical_and",
  },
  {
    "count", at = "dc array", call = "a:count([axes…] [, options])",
    text = "The number of elements that are not 0 (of a mask, that are true): int64.",
    args = { A, AXES }, options = { KEEP, NAMES }, returns = { { "array", "int64, " .. RESULT } },
    errors = { shape = SHAPE, argument = NOT_ARRAY },
    example = [[
dc.array({ 5, 0, 2 }):count()              --> 2
dc.arange(1, 10):gt(7):count()             --> 3
]],
    see = "any nonzero bincount",
    words = "count_nonzero number of true",
  },
  [[
Reductions are over all elements, with a 0-d array as the result (`:item()` reads it); over an axis, `a:sum(1)`; or over
several, `a:sum{1, 3}` or `a:sum(1, 3)`. Option `keep` keeps the axes with extent 1, so that the result broadcasts with
`a`: `a - a:mean{2, keep = true}`, or `a:mean(2, {keep = true})`. Option of `var` and `std`: `ddof`, as in `a:var{1,
ddof = 1}`. All are functions as well, of tables too: `dc.sum(a, 1)`, `dc.max{1, 2, 3}`; two arrays are compared by
`dc.maximum` and `dc.fmax`. Error `shape`: no such axis, an axis named twice, no elements for `min max argmin argmax`.

Every array is true in Lua, so `any` and `all` without axes and `keep` are evaluated at once and give a Lua boolean:
`if a:gt(100):any() then`. With axes or `keep` they give bool arrays.

Sums consist of short chains and trees: the error of a float32 sum grows with the logarithm of the number of elements
(some 60 roundings for 2^28). The order of additions depends only on the numbers of rows and elements, so sums have the
same bits on every device, every time, fused or not.

Reductions are fused with their operands and with later expressions: `(x * y):sum()` is one kernel, and so is a softmax,

```lua
local dc = require "dotcompute"
local x = dc.random.normal(64, 1000):eval()
local e = dc.exp(x - x:max{ 2, keep = true })
local softmax = e / e:sum{ 2, keep = true }
dc.stats "reset"
softmax:eval()
assert(dc.stats().launches == 1)
assert(dc.allclose(softmax:sum(2), dc.ones(64)))
```
]],
}
