-- Reference: comparison of whole arrays; evaluation.
local PAIR = {
  { "a", "array|number|complex|table", "an array; a number or a table takes the dtype of the other one" },
  { "b", "operand|complex", "the array to compare it with; likewise" },
}

return {
  "### Comparison and evaluation\n",
  {
    "equal", at = "dc",
    text = "Whether shapes and all elements are equal, a Lua boolean. Dtypes may differ; the comparison is exact. NaN "
      .. "equals no value.",
    args = PAIR, returns = { { "boolean", "computed at once" } },
    errors = {
      argument = "neither arrays, tables nor numbers",
      dtype = "a number of a table that the other one's dtype cannot hold", device = "arrays of two devices",
    },
    example = [[
dc.equal(dc.array({ 1, 2 }, "int8"), dc.array { 1, 2 })     --> true
dc.equal({ 1, 2 }, { 1, 2, 3 })            --> false
]],
    see = "allclose eq all",
    words = "compare same array_equal",
  },
  {
    "allclose", at = "dc", call = "dc.allclose(a, b [, rtol [, atol]])",
    text = "Whether `|a-b| <= atol + rtol*|b|` for all elements, a Lua boolean. By default `rtol` is 1e-5 and `atol` "
      .. "1e-8; by name, too: `{atol = 0.1}`. Shapes broadcast. NaN equals no value, an infinity only itself.",
    args = {
      PAIR[1], PAIR[2],
      { "rtol?", "number", "the tolerance relative to `b`. Default: 1e-5" },
      { "atol?", "number", "the absolute tolerance. Default: 1e-8" },
    },
    options = { { "rtol", "number", "the same by name" }, { "atol", "number", "the same by name" } },
    returns = { { "boolean", "computed at once" } },
    errors = {
      argument = "neither arrays, tables nor numbers; a tolerance that is not a number; an unknown option",
      shape = "shapes that do not broadcast", dtype = "a number of a table that the other one's dtype cannot hold",
      device = "arrays of two devices",
    },
    example = [[
dc.allclose({ 1, 2 }, { 1.000001, 2 })     --> true
dc.allclose({ 1, 2 }, { 1.05, 2 })         --> false
dc.allclose({ 1, 2 }, { 1.05, 2 }, { atol = 0.1 })     --> true
]],
    see = "equal isnan",
    words = "compare tolerance isclose",
  },
  [[
**Arithmetic is lazy and fused.** An expression computes nothing until its values are needed; then all of it, a
reduction at its end included, runs as one kernel. The result is as if every operator had run when it was written: a
write to an operand first evaluates the pending expressions that read it; where all of it is written, and nothing else
has its memory or knows its address, it leaves that to them and gets other. Errors of shape and dtype are raised at
once.
]],
  {
    "eval", at = "array", call = "e:eval()",
    text = "Evaluates a pending expression; returns it. Reading values, printing, taking views and launching kernels "
      .. "do so by themselves.",
    args = { { "e", "array", "an array, pending or not" } },
    returns = { { "array", "`e`" } },
    errors = {
      argument = "the array is closed", memory = "the device has too little memory for the result",
      compile = "the kernel cannot be compiled: NVRTC is missing", launch = "the kernel failed",
    },
    example = [[
local x = dc.ones(1000):eval()
dc.stats "reset"
local y = x * 2 + 1
dc.stats().launches                        --> 0
y:eval() == y, dc.stats().launches         --> true, 1
]],
    see = "source stats synchronize",
    words = "compute force materialize run",
  },
  {
    "source", at = "array", call = "e:source()",
    text = "The CUDA C of the kernel that `eval` would run; for an array that is not pending, a comment that says so.",
    args = { { "e", "array", "an array, pending or not" } },
    returns = { { "string", "the text" } },
    errors = { argument = "the array is closed" },
    example = [[
local x = dc.ones(10)
(x + 1):source():find "__global__" ~= nil  --> true
x:source():find "already computed" ~= nil  --> true
]],
    see = "eval",
  },
  [[
```lua
local dc = require "dotcompute"
local x = dc.linspace(0, 1, 1001, "float64")
local y = dc.exp(-x) * x                 -- nothing has run
local area = y:sum() / #x                -- still nothing
x:fill(0)                                -- y is computed first
assert(math.abs(area:item() - (1 - 2 / math.exp(1))) < 1e-3)
```
]],
}
