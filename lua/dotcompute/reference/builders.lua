-- Reference: functions of arrays made from a few lines of CUDA C, or of Lua.
local markdown = require "dotcompute.reference.markdown"

local COMPILE = {
  { "name", "string", "the name in messages and profiles" },
  { "preamble", "string", "text in front: functions, `#include`" },
  { "define", "table<string, any>", "macros, as for `dc.kernel`" },
  { "flags", "string|string[]", "more options for NVRTC" },
  { "include", "string|string[]", "folders for `#include`" },
  { "headers", "table<string, string>", "headers as text" },
  { "std", "string", 'the standard of C++, `"c++17"`' },
  { "fast_math", "boolean", "NVRTC's `--use_fast_math`" },
  { "functions", "table<string, any>", "functions in Lua that the text calls: `{f = fn}`, for the dtypes of the call, "
    .. "or "
    .. '`{f = {fn, "float32, int32"}}`' },
}

local REDUCTION = {
  { "inputs", "string", 'parameters, which broadcast: `"float x, float y"`. Default: those of `map` in Lua, of any '
    .. "dtype" },
  { "output", "string", 'type of the result: `"float"`, or a placeholder. Default: that of the functions in Lua' },
  { "map", "string|function", "what is folded, made of the inputs, `i` (the element's number among those folded into "
    .. "one result) and `n` (their count). The input itself, if there is one" },
  { "reduce", "string|function", "two values `a` and `b` into one; associative and commutative" },
  { "identity", "string|number|boolean|function", "the result of folding nothing; without it that is an error of kind "
    .. "`shape`" },
  { "post", "string|function", "the result, from `a` and `n`; `a` if not given" },
  { "acc", "string", "the type in which is folded; `output` if not given. May be a struct of the preamble of at most "
    .. "64 bytes" },
}

local SCAN = {
  { "input", "string", 'one parameter: `"float x"`. Default: of any dtype, with functions in Lua' },
  { "output", "string", "type of the result. Default: the input's, or that of `map` in Lua" },
  { "op", "string|function", "two values `a` and `b` into one; associative" },
  { "map", "string|function", "prepares an element. Default: the element itself" },
  { "identity", "string|number|boolean|function", "the value before the first element, which `exclusive` needs" },
  { "exclusive", "boolean", "leaves each element out of its own fold. Default: false" },
  { "axis", "integer", "the axis of calls that name none. Default: the last one" },
  { "acc", "string", "the dtype in which is folded. Default: the output's" },
}

local function both(list, more)
  local all = table.move(list, 1, #list, 1, {})
  return table.move(more, 1, #more, #all + 1, all)
end

return {
  [==[
## Builders

Functions of arrays from a few lines of CUDA C, or of Lua. They compile when first called with arrays of certain dtypes
and ways of lying in memory, take any views, compute pending expressions first, and run at once. Errors of the
compiler name the line of the script where the text stands.

### dc.elementwise
]==],
  {
    "elementwise", at = "dc", call = "dc.elementwise(inputs, outputs, operation [, options])",
    text = "Gives a function of arrays from CUDA C, or from a function in Lua. Inputs and outputs are declared as in "
      .. "C; the operation says what happens to one element.",
    args = { { "inputs", "string", 'parameters: `"T a, float x, raw int *index"`' },
      { "outputs", "string", 'parameters, at least one: `"T z"`' },
      { "operation", "string|function", 'statements that set the outputs: `"z = a * x"`; or a function in Lua that '
        .. "returns their values" } },
    options = COMPILE,
    returns = { { "fun(...: any): array", "`f(inputs… [, results…])`: an array for each output, in the broadcast "
      .. "shape" } },
    errors = { argument = "a declaration that is none, a name used twice, an unknown option; of calls: a wrong count, "
      .. "two results that share memory, a value that is no array, number or table",
      compile = "of the first call: mistakes in the operation", device = "of calls: arrays of two devices",
      dtype = "of calls: an array that has not the declared dtype, arrays of two dtypes for one placeholder",
      shape = "of calls: shapes that do not broadcast, a result of another shape" },
    example = [[
local axpy = dc.elementwise("T a, T x, T y", "T z", "z = a * x + y")
axpy(2, { 1, 2, 3 }, { 10, 20, 30 })       --> {12, 24, 36}
local z = dc.zeros(3)
axpy(2, z + 1, 5, z) == z, z[1]            --> true, 7
local pick = dc.elementwise("raw float *x, int at", "float y", "y = x[at]")
pick(dc.array { 5, 6, 7 }, dc.array({ 2, 0 }, "int32"))  --> {7, 5}
]],
    see = "vectorize reduction kernel",
    words = "map custom operation ufunc",
  },
  [==[
```lua
local dc = require "dotcompute"
local axpy = dc.elementwise("T a, T x, T y", "T z", "z = a * x + y")
local z = axpy(2, dc.arange(1, 4), { 10, 20, 30, 40 })       -- a new array
assert(z[4] == 48)
axpy(2, z, z, z)                                             -- or into one that is passed, after the inputs
local divmod = dc.elementwise("int a, int b", "int q, int r", "q = a / b; r = a % b;")
local q, r = divmod(dc.array({ 7, 9 }, "int32"), 4)
assert(q[1] == 1 and r[1] == 3)
```

- Inputs broadcast; each is an array, a number or a table. An array must have the declared dtype (error `dtype`).
- A type that begins with a capital letter is a **placeholder**: the array's dtype, the same for all parameters that
  name it; a number takes it. With numbers alone it is `float32`.
- `raw float *x` is an array that does not broadcast and that the operation indexes itself, from 0. Among the inputs it
  is const; among the outputs it must be passed. Its overlap with others is the caller's care.
- The operation also has `i`, the element's number in C order from 0, and `n`, how many there are. `return` ends the
  element. A result that was passed begins with its old value, a new one with 0.
- Results may overlap inputs: the outcome is as if all had been read before. Error `shape`: shapes that do not
  broadcast, or a result of another shape. Error `argument`: a wrong count, two results that share memory.
- options: `name` (in messages, profiles), `preamble` (text in front: functions, `#include`), `functions` (in Lua, that
  the text calls by name), and `define`, `flags`, `include`, `headers`, `std`, `fast_math` of `dc.kernel`.
- In place of CUDA C, operations are [functions in Lua](jit.md#operators), too.

### dc.reduction
]==],
  {
    "reduction", at = "dc", call = "dc.reduction { inputs =, output =, reduce =, … }",
    text = "Gives a function that folds arrays, from expressions in CUDA C or functions in Lua: "
      .. "`f(inputs… [, axes [, result]])`, over all elements (a 0-d array), over an axis, or over a list of "
      .. "them, `{1, -1}`; with option `keep`, folded axes stay with "
      .. "extent 1. The array for the result may be option `result`.",
    args = {}, options = both(REDUCTION, COMPILE),
    returns = { { "fun(...: any): array", "`f(inputs… [, axes [, result]] [, {keep=, result=}])`" } },
    errors = { argument = "`inputs`, `output` or `reduce` is missing, `map` with several inputs, an unknown option; "
      .. "of calls: a wrong count, an axis named twice, a value that is no array, number or table",
      compile = "of the first call: mistakes in an expression or function", device = "of calls: arrays of two devices",
      dtype = "of calls: an array or result of another dtype", index = "of calls: an axis out of range",
      shape = "of calls: shapes that do not broadcast, a result of another shape, no elements without `identity`" },
    example = [[
local dot = dc.reduction { inputs = "T x, T y", output = "T", map = "x * y", reduce = "a + b", identity = "0" }
dot({ 1, 2, 3 }, { 4, 5, 6 }):item()       --> 32
local a = dc.array { { 1, 2 }, { 3, 4 } }
dot(a, a, 2)                               --> {5, 25}
dot(a, 10, { 1, keep = true })             --> {{40, 60}}
local norm = dc.reduction { map = function(x) return x * x end, reduce = function(u, v) return u + v end,
  post = function(u) return math.sqrt(u) end }
norm { 3, 4 }                              --> 5
]],
    see = "scan elementwise sum",
    words = "custom fold reduce",
  },
  markdown.options(REDUCTION) .. [==[

and those of `dc.elementwise`. The order of folding depends on shape and axes alone: same input, same bits.

```lua
local dc = require "dotcompute"
local norm = dc.reduction { inputs = "float x", output = "float", map = "x * x", reduce = "a + b", identity = "0",
  post = "sqrtf(a)" }
assert(norm(dc.array { 3, 4 }):item() == 5)
assert(norm(dc.array { { 3, 4 }, { 6, 8 } }, 2)[2] == 10)
local argmax = dc.reduction { inputs = "float x", output = "long long", acc = "best", map = "best{x, i}",
  preamble = "struct best { float value; long long at; };", reduce = "b.value > a.value ? b : a", post = "a.at + 1" }
assert(argmax(dc.array { 1, 9, 4 }):item() == 2)
```

### dc.scan
]==],
  {
    "scan", at = "dc", call = "dc.scan { input =, op =, … }",
    text = "Gives a function that makes running folds, from expressions in CUDA C or functions in Lua: "
      .. "`f(array [, axis [, result]])`, along the last axis, or the one named in the call or in option `axis`. "
      .. "`input` is one parameter, `output` a type (the input's if not given), `op` makes one value of `a` and `b` "
      .. "(associative; it need not commute), `map` prepares an element, `exclusive = true` leaves each "
      .. "element out of its own fold and needs `identity`; "
      .. "`acc` is the dtype in which is folded, if not the output's.",
    args = {}, options = both(SCAN, COMPILE),
    returns = { { "fun(a: array|table, axis?: integer, result?: array): array",
      "`f(array [, axis [, result]] [, {axis=, result=}])`: the shape of the array" } },
    errors = { argument = "`input` or `op` is missing, `exclusive` without `identity`, an unknown option; of calls: a "
      .. "wrong count, not an array or table",
      compile = "of the first call: mistakes in an expression", dtype = "of calls: an array or result of another dtype",
      index = "of calls: an axis out of range", shape = "of calls: a 0-d array, a result of another shape" },
    example = [[
local cumsum = dc.scan { input = "T x", op = "a + b" }
cumsum { 1, 2, 3 }                         --> {1, 3, 6}
cumsum({ { 1, 2 }, { 3, 4 } }, 1)          --> {{1, 2}, {4, 6}}
local highest = dc.scan { op = function(u, v) if u > v then return u end return v end }
highest { 4, 2, 9 }                        --> {4, 4, 9}
local before = dc.scan { input = "T x", op = "a + b", identity = "0", exclusive = true }
before { 1, 2, 3 }                         --> {0, 1, 3}
]],
    see = "cumsum reduction",
    words = "custom prefix running cumulative",
  },
  [==[
Other options as above. The order is fixed here too.

```lua
local dc = require "dotcompute"
local cumsum = dc.scan { input = "T x", op = "a + b" }
assert(cumsum(dc.array { 1, 2, 3 })[3] == 6)
local longest = dc.scan { input = "int x", op = "a > b ? a : b", identity = "0", exclusive = true }
assert(longest(dc.array({ 4, 2, 9 }, "int32"))[3] == 4)
```

### dc.vectorize
]==],
  {
    "vectorize", at = "dc",
    text = "Makes one fused elementwise kernel of a Lua function of numbers; several results give several arrays. The "
      .. "function runs once, in `dc.vectorize` itself and on symbolic values, so what it captures keeps the value of "
      .. "that moment; one whose control flow depends on its arguments is compiled as those of `dc.jit`, and what it "
      .. "captures is read at each call. `dc.vectorize(dc.jit(fn))` compiles any. Arguments, results and broadcasting "
      .. "are as with `dc.elementwise`.",
    args = { { "fn", "function", "a function of numbers" } },
    options = { { "name", "string", "the name in messages and profiles" },
      { "fast_math", "boolean", "NVRTC's `--use_fast_math`" },
      { "args", "integer", "how many arguments, for functions with `...`" } },
    returns = { { "fun(...: any): array", "`f(arguments… [, results…])`: an array for each result of `fn`" } },
    errors = { argument = "not a function, a function with `...` and no `args`, one that returns nothing or a value "
      .. "that is not symbolic; `<` and the like of symbolic values, functions of `math` on them, where the function's "
      .. "text is not known; of calls: a wrong count",
      compile = "of the first call: mistakes in a function that is compiled, with line and column",
      device = "of calls: arrays of two devices",
      dtype = "of calls: a number that an integer dtype cannot hold, `&` and the like of floats; complex numbers, "
        .. "where the function is not compiled",
      index = "a function that symbolic values do not have", shape = "of calls: shapes that do not broadcast" },
    example = [[
local area = dc.vectorize(function(x, y) return x * y, 2 * (x + y) end)
local a, around = area({ 1, 2, 3 }, 4)
a                                          --> {4, 8, 12}
around                                     --> {10, 12, 14}
local relu = dc.vectorize(function(x) return x > 0 and x or 0 end)
relu { -1, 2 }                             --> {0, 2}
]],
    see = "elementwise where",
    words = "map apply function jit",
  },
  [==[
```lua
local dc = require "dotcompute"
local smooth = dc.vectorize(function(x, low, high)
  local t = dc.clip((x - low) / (high - low), 0, 1)
  return t * t * (3 - 2 * t)
end)
assert(smooth(dc.array { 1, 2, 3 }, 1, 3)[2] == 0.5)
local sign = dc.vectorize(function(x) return dc.where(x:lt(0), -1, dc.where(x:gt(0), 1, 0)) end)
assert(sign(dc.array { -3, 0, 5 })[1] == -1)
```

- Operators: `+ - * / // % ^`, `& | ~ << >>`, unary `- ~`. `//` and `%` round toward minus infinity as in Lua (integers
  by 0 give 0); `^` is floating; shifts by the width or more leave nothing but the sign. dtypes follow the arrays' own
  rules; numbers, be they constants or arguments, take the dtype of what they meet.
- A function with `if x < y`, `x == 3 and …`, `while`, `for i = 1, n` on its arguments is compiled, not traced: it obeys
  the rules of [kernels in Lua](jit.md#what-a-kernel-may-contain), with the methods below beside them. This needs the
  function's text, and errors come with the first call.
- Traced functions compare by methods, `x:lt(y)`, `le gt ge eq ne`, which give bools; `dc.where(c, a, b)` chooses.
  Without the function's text `<`, `<=` and a `==` of two symbolic values are errors that say so, but `if x then`,
  `x and y`, `not x` and `x == 3` cannot be noticed: Lua takes a symbolic value for true, and for no number.
- Functions: those of CUDA's math library by name, as `dc.exp(x)` or `x:exp()`, and `min max minimum maximum clip where
  cast`. A symbolic value is one element and has no axes: here `dc.max(x, y)` and `dc.min(x, y)` are elementwise, as
  `fmax` and `fmin`. A function with `math.sin` and its like of arguments is compiled. Control flow that does not depend
  on arguments is Lua's own, with tables and strings.
- options: `name`, `fast_math`, `args` (how many arguments, for functions with `...`).

The same functions take arrays too, outside of `dc.vectorize`: `dc.tanh(a)`, `dc.hypot(a, b)`, `dc.where(mask, a, b)`.
]==],
  [==[
### dc.guvectorize
]==],
  {
    "guvectorize", at = "dc", call = 'dc.guvectorize("(m,k),(k,n)->(m,n)", fn [, options])',
    text = "A function of arrays made of a Lua function of small arrays, NumPy's generalized ufunc. The layout names "
      .. "the core axes of each input and result, which are the last ones; `fn` is called for each item of the axes "
      .. "before them, which broadcast, and writes its results, which are its last arguments.",
    args = { { "layout", "string", "core axes by name, or by a fixed extent: `(3),(3)->(3)`; `()` for a number" },
      { "fn", "function", "a function of the inputs and the results" } },
    options = { { "types", "string|string[]", 'dtypes, as in `"float32,float32->float64"`: the first list that takes '
      .. "the inputs. Default: the inputs', and for results the one in which they meet" },
      { "check", "boolean", "checks of indices, as for `dc.jit`. Default: false" },
      { "name", "string", "the name in messages and profiles" },
      { "flags", "string|string[]", "more options for NVRTC" },
      { "fast_math", "boolean", "NVRTC's `--use_fast_math`" },
      { "debug", "boolean", "line information in the compiled code" },
      { "std", "string", 'the standard of C++, `"c++17"`' } },
    returns = { { "fun(...: any): array", "`f(inputs… [, results…])`: the results; new ones begin with 0" } },
    errors = { argument = "a layout that is none, a function with another number of parameters; of calls: a wrong "
      .. "count, a value that is no array, results that share memory",
      compile = "of the first call: mistakes in the function, with line and column; an input that it writes",
      device = "of calls: arrays of two devices",
      dtype = "of calls: inputs that no dtypes of `types` take, a result of another dtype",
      index = "with `check`: an index out of range", launch = "with `check`: integer division by 0, assert, error",
      shape = "of calls: core axes of other extents, loop axes that do not broadcast, a result of another shape" },
    example = [[
local dot = dc.guvectorize("(n),(n)->()", function(x, y, out)
  local s = 0
  for i = 1, #x do s = s + x[i] * y[i] end
  out[1] = s
end)
dot({ 1, 2, 3 }, { 4, 5, 6 }):item()       --> 32.0
dot({ { 1, 2 }, { 3, 4 } }, { 1, 10 })     --> {21, 43}
]],
    see = "vectorize jit reduction",
    words = "gufunc generalized ufunc batched core dimensions signature",
  },
  [==[
```lua
local dc = require "dotcompute"
local softmax = dc.guvectorize("(n)->(n)", function(x, y)
  local top, sum = x[1], 0
  for i = 2, #x do top = math.max(top, x[i]) end
  for i = 1, #x do
    y[i] = math.exp(x[i] - top)
    sum = sum + y[i]
  end
  for i = 1, #x do y[i] = y[i] / sum end
end)
assert(softmax(dc.zeros(2, 4))[{ 2, 3 }] == 0.25)
```

[Kernels in Lua](jit.md#generalized-functions) says how items are distributed over threads, and what that means for
speed.
]==],
}
