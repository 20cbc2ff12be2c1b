-- Reference: memory in use, limits.
local DEVICE = { "device?", "device|string", "the device or its name. Default: the current one" }

return {
  [[
## Memory

Unreachable arrays are collected by Lua's garbage collector, which is driven by the size of device memory, too;
`a:close()` and `local a <close> = …` free it at once. Freed memory is kept for reuse.
]],
  {
    "memory", at = "dc",
    call = { "dc.memory([device])", 'dc.memory("report" [, device])', 'dc.memory "trace"', 'dc.memory "untrace"',
      'dc.memory("trim" [, device])', 'dc.memory("reset" [, device])' },
    text = "The memory in use on a device, by line of the script; `tostring` of it is a report. "
      .. '`"report"` returns that report as a string. `"trace"` records lines for all arrays, `"untrace"` (the '
      .. "default) for those of 1 MiB and more, where the cost is negligible. `\"trim\"` returns memory kept for reuse "
      .. 'to the system. `"reset"` resets the peak.\n\n`DOTCOMPUTE_LOG=memory` traces from the start.',
    args = { { "what?", 'device|"report"|"trace"|"untrace"|"trim"|"reset"', "an action, or the device" }, DEVICE },
    returns = { { "memory", 'the memory in use; of `"report"` a string, of other actions nothing' } },
    errors = { argument = "neither an action nor a device", device = "there is no such device" },
    example = [[
local x <close> = dc.zeros(1 << 20)
dc.memory().in_use >= x.nbytes             --> true
dc.memory().lines[1].bytes >= x.nbytes     --> true
dc.memory "report"                         --> …in use…
dc.memory "trim"
]],
    see = "memory_limit memory_info close",
    words = "leak usage allocation free peak",
  },
  {
    "memory_limit", at = "dc", call = "dc.memory_limit(bytes or nil [, device])",
    text = "Sets the limit of memory of this Lua state's arrays on the device; nil: none. Returns the previous limit, "
      .. "or nil. It may be less than the memory in use: then allocations fail until enough is freed.",
    args = { { "bytes", "integer|nil", "the limit in bytes, from 1 on; nil for none" }, DEVICE },
    returns = { { "integer|nil", "the previous limit" } },
    errors = { argument = "no whole number of bytes, no argument at all", device = "there is no such device" },
    example = [[
dc.memory_limit(dc.memory().in_use + 1000)
dc.zeros(1 << 20):eval()                   --> error memory
dc.memory_limit(nil) > 0                   --> true
]],
    see = "memory",
    words = "quota maximum",
  },
  {
    class = "memory", metatable = "dotcompute.memory",
    text = "The memory of a device, which `dc.memory()` returns, in bytes. Its text is a report.",
    example = [[
tostring(dc.memory()):match "^%w+"         --> …
]],
  },
  { "in_use", at = "memory", type = "integer", text = "Bytes in use by arrays of this Lua state." },
  { "reserved", at = "memory", type = "integer", text = "Bytes from the system: in use, or kept for reuse." },
  { "peak", at = "memory", type = "integer", text = 'The maximum of `in_use` since the start or `dc.memory "reset"`.' },
  { "free", at = "memory", type = "integer", text = "Bytes that could still be allocated." },
  { "total", at = "memory", type = "integer", text = "The device's memory." },
  { "limit", at = "memory", type = "integer|nil", text = "The limit of `dc.memory_limit`; nil: none." },
  { "device", at = "memory", type = "device", text = "The device." },
  {
    "lines", at = "memory", type = "table[]",
    text = 'The lines that allocated the memory in use, as `{where = "script.lua:17", bytes =, count =}`, largest '
      .. "first.",
  },
  [[
The line of an expression is the one that evaluated it. When memory runs out, or a limit is reached, unreachable arrays
are collected, memory kept for reuse is returned to the system, and pending expressions that hold much more memory than
their results take are evaluated; only then an error of kind `memory` names the size of the allocation, the memory in
use, and the lines that hold most of it.

`DOTCOMPUTE_POOL=512M` (bytes, or with K, M, G, T) limits the memory kept for reuse; the default is an eighth of the
memory on the CPU device, and all of it on a GPU.

```lua
local dc = require "dotcompute"
local x <close> = dc.zeros(1 << 20)
local usage = dc.memory()
assert(usage.in_use >= x.nbytes and usage.lines[1].bytes >= x.nbytes)
print(usage)
dc.memory_limit(usage.in_use + 1000)
local ok, err = pcall(dc.zeros, 1 << 20)
assert(not ok and err.kind == "memory")
dc.memory_limit(nil)
```
]],
}
