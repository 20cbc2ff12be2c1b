-- Reference: dc.testing.
return {
  [[
## Testing

`dc.testing` compares arrays and says where they differ, runs kernels against references on random inputs, and gives
busted assertions about arrays: see [testing your kernels](testing.md). Comparisons run on the device. A failed one
raises a string, as `assert` does, with the line that called it; wrong arguments are [error objects](#errors).

The expected value comes first, as in busted. Either value may be an array, on any device, or a table, a number, a
boolean or a complex number.
]],
  {
    "close", at = "dc.testing",
    text = "Raises unless both have the same shape and `|actual - expected| <= atol + rtol * |expected|` for all "
      .. "elements. The message has the count of differing elements, the first and the worst one with index, values "
      .. "and difference, the tolerance, and both arrays around the first. Infinities are equal to those of the same "
      .. "sign alone. The default tolerances are those of `torch.testing.assert_close`: `rtol` 1e-3 for `float16`, "
      .. "1.6e-2 for `bfloat16`, 1.3e-6 for `float32` and `complex64`, 1e-7 for `float64` and `complex128`; `atol` "
      .. "1e-5, for the last two 1e-7; 0 for integers and bools. Of two dtypes the larger tolerance counts.",
    args = {
      { "expected", "operand", "the reference" },
      { "actual", "operand", "what is tested" },
    },
    options = {
      { "rtol", "number", "the tolerance relative to the expected value. Default: by dtype" },
      { "atol", "number", "the absolute tolerance. Default: by dtype" },
      { "equal_nan", "boolean", "whether NaN equals NaN. Default: false" },
      { "same_dtype", "boolean", "whether two arrays must have the same dtype. Default: false" },
    },
    returns = { { "true", "always" } },
    errors = { argument = "a value that cannot be an array, a closed array, a negative tolerance",
      shape = "a ragged table" },
    example = [[
dc.testing.close({ 1, 2, 3 }, dc.arange(1, 3))                         --> true
dc.testing.close(dc.ones(2), dc.array { 1, 1.01 }, { rtol = 0.02 })    --> true
(pcall(dc.testing.close, dc.ones(2), dc.zeros(2)))                     --> false
]],
    see = "equal compare allclose",
  },
  {
    "equal", at = "dc.testing",
    text = "Raises unless both have the same shape, the same dtype (if both are arrays) and equal elements.",
    args = {
      { "expected", "operand", "the reference" },
      { "actual", "operand", "what is tested" },
    },
    options = { { "equal_nan", "boolean", "whether NaN equals NaN. Default: false" } },
    returns = { { "true", "always" } },
    errors = { argument = "a value that cannot be an array, a closed array" },
    example = [[
dc.testing.equal({ 1, 2 }, dc.arange(1, 2))                            --> true
(pcall(dc.testing.equal, dc.ones(2), dc.ones(2, "float64")))           --> false
]],
    see = "close",
  },
  {
    "compare", at = "dc.testing",
    call = "dc.testing.compare(fn, reference, {inputs = {…}, …})",
    text = "Calls a kernel or function and its reference with the same random inputs, on the CPU device and on the "
      .. "first GPU, and raises when results differ, with the seed that repeats the trial. What is compared: values "
      .. "that the function returns with those that the reference returns; where a kernel's reference returns values, "
      .. "the arrays that the kernel may write (whose parameters are not `const`) with them; where nothing is "
      .. "returned, all arrays among the inputs. The reference gets Lua tables in place of arrays. On another device "
      .. "than its own a kernel is compiled anew, from its source and options.",
    args = {
      { "fn", "kernel|function", "what is tested" },
      { "reference", "function", "what it must agree with" },
    },
    options = {
      { "inputs", "table", "a list of what is passed, see below" },
      { "trials", "integer", "how many inputs are tried. Default: 10" },
      { "seed", "integer", "the first trial's seed; each following one's is 1 more. Default: a random one" },
      { "sizes", "table", "by name: an integer, or a range `{low, high}`. Default: 1 to 1000, 31 or 10 for sizes of "
        .. "arrays with 1, 2 or 3 axes" },
      { "devices", "table", "devices or their names. Default: the CPU device and the first GPU that works" },
      { "arrays", "boolean", "whether the reference gets arrays, copies on the same device, in place of tables" },
      { "launch", "function", "`launch(k, ...)` launches the kernel with the inputs. Default: `k:forall` with as many "
        .. "threads as the largest array has elements" },
      { "rtol", "number", "as for `dc.testing.close`; so are `atol`, `equal_nan` and `same_dtype`" },
      { "atol", "number", "the absolute tolerance" },
      { "equal_nan", "boolean", "whether NaN equals NaN" },
      { "same_dtype", "boolean", "whether dtypes must agree" },
    },
    returns = { { "integer", "the seed of the first trial" } },
    errors = { argument = "no inputs, an input that cannot be understood, results of another number",
      dtype = "an unknown dtype", shape = "an invalid extent", device = "an unknown device" },
    example = [==[
local scale = dc.kernel [=[
__global__ void scale(int n, float a, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}]=]
local function reference(n, a, x)
  for i = 1, n do x[i] = a * x[i] end
end
dc.testing.compare(scale, reference, { inputs = { "n", 2.5, { "n" } }, sizes = { n = 100 }, seed = 7 })  --> 7
]==],
    see = "close forall",
  },
  [[
An entry of `inputs` is

| entry | passes |
|---|---|
| `"n"` | the size of this name, the same in all places of a trial |
| `{"n", 3, dtype = "int32", low = 0, high = 9}` | an array; its extents are integers, names, ranges; or `shape = …` |
| `{dtype = "int32", low = 1, high = 5}` | a random number: without a shape |
| a function | what `fn(sizes, random)` returns; `random(low, high)` is a random integer, `random()` a float of [0, 1) |
| any other value | itself |

The dtype of a kernel's array is by default that of its parameter, else `float32`. Floats, and parts of complex numbers,
are from `low` (-1) up to `high` (1); integers from -100, or 0 where there is no sign, to 100, both included. The
smallest and the largest size are chosen more often than others.
]],
  {
    "register", at = "dc.testing",
    text = "Registers the assertions `assert.are.close(expected, actual [, options] [, message])` and "
      .. "`assert.are.same` for arrays, also inside tables, with luassert. It is done already where luassert was "
      .. "loaded before dotcompute, as in busted's specs.",
    returns = { { "true", "always" } },
    errors = { argument = "luassert is not installed" },
    example = [[
if pcall(require, "luassert") then
  dc.testing.register()
  local assert = require "luassert"
  assert.are.same({ a = dc.ones(3) }, { a = dc.ones(3) })
  assert.are_not.close(dc.ones(3), dc.zeros(3))
end
]],
    see = "close",
  },
}
