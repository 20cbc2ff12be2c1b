-- Reference: error objects.
return {
  [[
## Errors

Every error raised by dotcompute is a table:
]],
  {
    class = "error", metatable = "dotcompute.error",
    text = "What a failing call raises, and `pcall` returns. `tostring(err)` is `where: message`; `..` works on it.",
    operators = { { "concat", "any", "string" } },
    example = [[
local ok, err = pcall(dc.zeros, -1)
ok, err.kind                               --> false, shape
tostring(err) == err.where .. ": " .. err.message   --> true
]],
  },
  {
    "kind", at = "error",
    type = '"compile"|"launch"|"argument"|"shape"|"dtype"|"index"|"memory"|"device"|"io"|"interrupted"',
    text = "One of `compile launch argument shape dtype index memory device io interrupted`.",
    example = [[
select(2, pcall(dc.load, "/no/such/file.npy")).kind      --> io
]],
  },
  {
    "code", at = "error", type = "string|nil",
    text = "The driver's or compiler's name for it (`CUDA_ERROR_…`, `NVRTC_ERROR_…`), or nil.",
    example = [[
select(2, pcall(dc.kernel, "no C")).code   --> NVRTC_ERROR_COMPILATION
]],
  },
  {
    "message", at = "error", type = "string",
    text = "One sentence. For compile errors: the first three errors, each with its line of the source and a caret, "
      .. "and the number of further ones.",
    example = [[
select(2, pcall(dc.ones(2, 3).reshape, dc.ones(2, 3), 4)).message    --> …4…
]],
  },
  {
    "where", at = "error", type = "string",
    text = "`script.lua:17`: the line that called dotcompute. `script.lua:17 (...tail calls...)`: a function called "
      .. "from that line ended in a tail call like `return dc.sort(x)`, after which Lua no longer knows the function.",
  },
  {
    "at", at = "error", type = "string|nil",
    text = "For compile errors: the line of the script or file with the first error, also of one in inline assembly.",
  },
  {
    "log", at = "error", type = "string|nil",
    text = "The compiler's complete output, or nil.",
    example = [[
select(2, pcall(dc.kernel, "int x")).log   --> …error…
]],
  },
  { "traceback", at = "error", type = "string", text = "Lua's traceback, taken when it was raised." },
  [[
`tostring(err)` is `where: message`; for compile errors it begins with `at`, and the compiler's complete output is only
in `log`. `..` works on it too. Lines of kernel sources are given as lines of the script that contains the source. If
the source is not found there (strings built at run time, `-e`), the error names the line of the call and the line in
the source.

```lua
local dc = require "dotcompute"
local ok, err = pcall(dc.zeros, -1)
assert(not ok and err.kind == "shape")
print(err)
```

A fault of a kernel on a GPU (an illegal address, a trap, a failed assert) ends CUDA for the whole process: its arrays
and kernels raise this error from then on, while Lua and the CPU device go on. On the CPU device such a fault is an
error of kind `launch` with the kernel, the line of the script, the block and the thread, and everything else stays
usable.

A kernel's `printf` writes to standard output; if that cannot be written (a full disk), it is an error of kind `io` on
the CPU device.

### The debug library

Changes to dotcompute's objects by Lua's `debug` library (user values, metatables, upvalues of its functions, its entry
in the registry) make calls fail with an error of kind `argument`; they do not end the process. Exceptions are: the
upvalues of all functions and the registry's entry replaced at once, values on the stack of a function that is running
(`debug.getlocal` and `debug.sethook`), the metatable of an object of another library given to one of dotcompute's
(`debug.setmetatable(array, getmetatable(io.stdout))`: Lua's own `io` trusts it), and a metatable taken from an object,
whose memory on the device is then not freed.
]],
}
