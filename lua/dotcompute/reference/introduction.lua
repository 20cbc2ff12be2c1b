-- Reference: what holds for all functions, and help.
return {
  [==[
# API reference

Two things before anything else:

- **Lua counts from 1, kernels count from 0.** Indices, axes and ranges in Lua are 1-based, ranges include both ends,
  negative ones count from the end. Inside a kernel everything is CUDA C, 0-based.
- **`a[b[i]]` ends a Lua long string.** A kernel that contains `]]` is written in `[=[ … ]=]`:

```lua
local dc = require "dotcompute"
local gather = dc.kernel [=[
__global__ void gather(int n, const int *index, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[index[i]];
}]=]
local x, y = dc.array { 10, 20, 30 }, dc.zeros(3)
gather(1, 32, 3, dc.array({ 2, 0, 1 }, "int32"), x, y) -- 0-based in the kernel
assert(y[1] == 30)
```

`local dc = require "dotcompute"` opens no device, loads no library of NVIDIA's and sets no global. Reading a name that
`dc`, an array, a kernel, a module or a device does not have is an error, not nil, and so is setting one.

Every failure raises an [error object](#errors); functions do not return nil for failure, except where this page says
so.

## Help
]==],
  {
    "help", at = "dc",
    call = "dc.help([what])",
    text = "Prints what this reference says about a function, an object, or words. The name of a function gives its "
      .. 'arguments, results, errors and an example; `"array"` or `"dc.linalg"` lists what stands there; an object '
      .. "gives its type's methods; other words are searched in all texts. Without an argument it prints an overview. "
      .. "At the prompt of `dclua`, `?name` is short for it.",
    args = {
      { "what?", "any", 'a name (`"sort"`, `"dc.sort"`, `"array.sort"`), words to search, a function, an array, a '
        .. "device or another object of dotcompute. Default: the overview" },
    },
    errors = { argument = "nothing is found (the message names the closest name), a value that is no object of "
      .. "dotcompute, more than one argument" },
    example = [[
dc.help "where"             -- by name
dc.help(dc.where)           -- by the function
dc.help "largest element"   -- by words
]],
  },
  {
    "version", at = "dc", type = "string",
    text = 'The version of dotcompute: `"0.2.0"`.',
    example = [[
dc.version:match "^%d+%.%d+%.%d+$" == dc.version       --> true
]],
  },
  [[
## Arguments and options

All functions have one calling convention: operands first, then optional arguments by position (a shape, an axis or
axes, a dtype), and last one table of options by name.

- Extents of a shape, and axes, are integers or one table of them: `dc.zeros(2, 3)`, `dc.zeros{2, 3}`, `a:sum(1, 2)`,
  `a:sum{1, 2}`.
- Every optional argument by position has a name, too: `a:sort(1)`, `a:sort{axis = 1}`; `dc.arange(0, 1, 0.1)`,
  `dc.arange(0, 1, {step = 0.1})`. Where several axes may be given, `axes` and `axis` mean the same.
- A table of extents or axes may hold the options: `a:sum(1, {keep = true})`, `a:sum{1, keep = true}`;
  `dc.zeros({2, 3}, {dtype = "int8"})`, `dc.zeros{2, 3, dtype = "int8"}`.
- Errors of kind `argument`: an unknown option (the message names the closest one), a value of another type, an argument
  given both by position and by name, and an argument too many (nil behind the others is none).

```lua
local dc = require "dotcompute"
local a = dc.ones(2, 3, { dtype = "float64" })
assert(a:sum(2, { keep = true }).ndim == 2 and a:sum { 2, keep = true }.ndim == 2)
local ok, err = pcall(a.sum, a, 1, { keepdims = true })
assert(not ok and err.message:find "did you mean 'keep'")
```
]],
}
