-- Reference: random numbers.
return {
  [[
## Random numbers

A random number is Philox4x32-10 of a seed, the number of the call that made its array, and its position there. So it
has the same bits on every device; it needs no memory and is fused into expressions. `normal` and `exponential` are
within 4 units in the last place of their formula.
]],
  {
    "uniform", at = "dc.random generator",
    call = "dc.random.uniform(shape… [, {low=0, high=1, dtype=}])",
    text = "Numbers in [low, high), all equally likely: multiples of 2^-24 (float64: 2^-53) of the range.",
    args = { { "...", "shape", "the shape: integers, or one table of them" } },
    options = {
      { "low", "number", "the smallest number. Default: 0" },
      { "high", "number", "the bound that is not reached. Default: 1" },
      { "dtype", "dtype", "a floating-point dtype. Default: float32" },
    },
    returns = { { "array", "the numbers, pending: they are computed when they are used" } },
    errors = { argument = "bounds that are not finite, or `high` below `low`", shape = "an invalid shape",
      dtype = "not a floating-point dtype" },
    example = [[
dc.random.seed(1)
local x = dc.random.uniform(3, 4, { low = -1 })
x:shape()                                  --> 3, 4
x:ge(-1):all() and x:lt(1):all()           --> true
]],
    see = "normal integers seed",
    words = "rand random numbers",
  },
  {
    "normal", at = "dc.random generator",
    call = "dc.random.normal(shape… [, {mean=0, std=1, dtype=}])",
    text = "Normally distributed numbers, by Box and Muller: `sqrt(-2 ln u)` times cosine and sine of `2 pi v`.",
    args = { { "...", "shape", "the shape: integers, or one table of them" } },
    options = {
      { "mean", "number", "the mean. Default: 0" },
      { "std", "number", "the standard deviation, not negative. Default: 1" },
      { "dtype", "dtype", "a floating-point dtype. Default: float32" },
    },
    returns = { { "array", "the numbers, pending: they are computed when they are used" } },
    errors = { argument = "a mean or deviation that is not finite, a negative deviation",
      dtype = "not a floating-point dtype" },
    example = [[
local x = dc.random.generator(7):normal(100000, { mean = 5, std = 2, dtype = "float64" })
math.abs(x:mean():item() - 5) < 0.05       --> true
math.abs(x:std():item() - 2) < 0.05        --> true
]],
    see = "uniform exponential",
    words = "randn gaussian random numbers",
  },
  {
    "exponential", at = "dc.random generator",
    call = "dc.random.exponential(shape… [, {mean=1, dtype=}])",
    text = "Exponentially distributed numbers: `-mean * ln u`.",
    args = { { "...", "shape", "the shape: integers, or one table of them" } },
    options = {
      { "mean", "number", "the mean. Default: 1" },
      { "dtype", "dtype", "a floating-point dtype. Default: float32" },
    },
    returns = { { "array", "the numbers, pending: they are computed when they are used" } },
    errors = { argument = "a mean that is not finite", dtype = "not a floating-point dtype" },
    example = [[
dc.random.exponential(1000):ge(0):all()    --> true
]],
    see = "normal uniform",
  },
  {
    "integers", at = "dc.random generator",
    call = 'dc.random.integers(shape…, {low=0, high=, dtype="int64"})',
    text = "Integers from `low` to `high`, both included, all equally likely. At least one of the three options is "
      .. "given; without `high` it is the dtype's largest.",
    args = { { "...", "shape", "the shape: integers, or one table of them" } },
    options = {
      { "low", "integer", "the smallest. Default: 0" },
      { "high", "integer", "the largest, included. Default: the dtype's largest" },
      { "dtype", "dtype", "an integer dtype. Default: int64" },
    },
    returns = { { "array", "the integers, pending: they are computed when they are used" } },
    errors = { argument = "no option, bounds in place of a shape, `high` below `low`",
      dtype = "not an integer dtype, or a bound that it cannot hold" },
    example = [[
local dice = dc.random.integers(10, { low = 1, high = 6 })
dice.dtype, dice:ge(1):all(), dice:le(6):all()   --> int64, true, true
]],
    see = "choice permutation",
    words = "randint dice random numbers",
  },
  {
    "permutation", at = "dc.random generator",
    call = { "dc.random.permutation(n)", "dc.random.permutation(a)" },
    text = "1 to n in random order; or the rows of `a` in random order.",
    args = { { "n", "integer|array|table", "how many numbers, or the array whose first axis is shuffled" } },
    returns = { { "array", "int64, or a copy of `a` with its rows in another order" } },
    errors = { argument = "a negative number, a 0-d array" },
    example = [[
dc.random.permutation(5):sort()            --> {1, 2, 3, 4, 5}
]],
    see = "choice",
    words = "shuffle random order",
  },
  {
    "choice", at = "dc.random generator",
    call = "dc.random.choice(n or a [, shape… [, {replace=true, p=}]])",
    text = "Integers from 1 to n, or rows of `a`, chosen at random; none twice with `replace = false`; with "
      .. "probabilities `p`.",
    args = {
      { "n", "integer|array", "1 to n, or the rows of this array" },
      { "...", "shape", "the shape of the choice: integers, or one table of them. Default: one value" },
    },
    options = {
      { "replace", "boolean", "whether a value may be chosen more than once. Default: true" },
      { "p", "array|table", "probabilities, or weights, of the values; divided by their sum. Default: all are equal" },
    },
    returns = { { "array", "int64 of that shape, or rows of `a`" } },
    errors = { argument = "more values than there are without replacement, probabilities that are negative, not finite "
        .. "or all 0",
      shape = "not one probability for each value" },
    example = [[
dc.random.choice(5, 5, { replace = false }):sort()     --> {1, 2, 3, 4, 5}
dc.random.choice(dc.array { 10, 20 }, 3, { p = { 0, 1 } })  --> {20, 20, 20}
]],
    see = "permutation integers",
    words = "sample pick draw",
  },
  {
    "seed", at = "dc.random generator",
    call = "dc.random.seed(n)",
    text = "Starts the stream of numbers of seed `n`. The first seed comes from the system.",
    args = { { "n", "integer", "the seed" } },
    errors = { argument = "not an integer" },
    example = [[
dc.random.seed(42)
local x = dc.random.uniform(1000):eval()
dc.random.seed(42)
dc.equal(x, dc.random.uniform(1000))       --> true
]],
    see = "jump generator",
    words = "reproducible",
  },
  {
    "jump", at = "dc.random generator",
    call = "dc.random.jump(n)",
    text = "Skips the numbers of `n` calls.",
    args = { { "n", "integer", "the number of calls, not negative" } },
    errors = { argument = "not an integer, negative" },
    example = [[
local g, h = dc.random.generator(1), dc.random.generator(1)
g:uniform(5)
h:jump(1)
dc.equal(g:normal(4), h:normal(4))         --> true
]],
    see = "seed",
  },
  {
    "generator", at = "dc.random",
    call = "dc.random.generator([seed])",
    text = "A generator with its own stream of numbers, and the same functions as methods.",
    args = { { "seed?", "integer", "the seed. Default: one from the system" } },
    returns = { { "generator", "the generator" } },
    errors = { argument = "not an integer" },
    example = [[
local g = dc.random.generator(42)
g:integers(100, { low = 1, high = 6 }):max():item() <= 6    --> true
]],
    see = "seed",
  },
  {
    class = "generator", metatable = "dotcompute.generator",
    text = "A stream of random numbers of its own, made by `dc.random.generator`.",
  },
  [[
Numbers by position are the shape: `dc.random.integers(10, {low = 1, high = 6})` throws ten dice. `integers(1, 6)`, and
negative numbers, fractions and a 0 among several extents, are errors that show how to give bounds; a shape without
elements must be a table, `{3, 0}`.

```lua
local dc = require "dotcompute"
local g = dc.random.generator(42)
local x = g:uniform(1000)
g:seed(42)
assert(dc.equal(x, g:uniform(1000)))
assert(g:integers(100, { low = 1, high = 6 }):max():item() <= 6)
```
]],
}
