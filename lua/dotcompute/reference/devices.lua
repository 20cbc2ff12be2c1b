-- Reference: devices, counters and the clock.
return {
  "## Devices\n",
  {
    "devices", at = "dc",
    text = "A list of device objects, best first; the last is the CPU device. Listing them opens none.",
    returns = { { "device[]", "the devices: GPUs in the driver's order, then the CPU device" } },
    example = [[
local list = dc.devices()
list[#list].id, list[#list].host_memory    --> cpu, true
]],
    see = "device use available",
  },
  {
    "device", at = "dc", call = { "dc.device()", "dc.device(name)" },
    text = 'The current device; or the device `"cpu"`, `"cuda:1"`, or `"cuda"` for `"cuda:0"`, which does not become '
      .. "the current one.",
    args = { { "name?", "string|device", "the device's id. Default: the current device" } },
    returns = { { "device", "the device; for equal ids the same object" } },
    errors = { device = "there is none; the message lists the devices and why a kind of device is missing",
      argument = "not a name" },
    example = [[
dc.device("cpu").id                        --> cpu
dc.device("cpu") == dc.device("cpu")       --> true
select(2, pcall(dc.device, "cuda:99")).kind     --> device
]],
    see = "devices use using",
  },
  {
    "use", at = "dc",
    text = "Makes a device the current one of this Lua state, and returns it. Opens the device.",
    args = { { "device", "device|string", "the device or its id" } },
    returns = { { "device", "the device object" } },
    errors = { device = "there is none, or it cannot be opened", argument = "neither a device nor a name" },
    example = [[
local before = dc.device()
dc.use "cpu"
dc.ones(3).device.id                       --> cpu
dc.use(before) == dc.device()              --> true
]],
    see = "using device",
    words = "switch select gpu",
  },
  {
    "using", at = "dc", call = "dc.using(device, fn, ...)",
    text = "Calls `fn(...)` with this device, or [stream](#streams-events-graphs), as the current one and returns its "
      .. "results; the previous device is restored afterwards, also after an error. Coroutines share the current "
      .. "device: one that yields in `fn` leaves this one to the others until `fn` ends.",
    args = {
      { "device", "device|string|stream", "the device, its id, or a stream, which stands for its device as well" },
      { "fn", "fun(...): any", "the function" },
      { "...", "any", "its arguments" },
    },
    returns = { { "any...", "all results of `fn`" } },
    errors = { device = "there is none, or it cannot be opened",
      argument = "neither a device, a name nor a stream; not a function" },
    example = [[
dc.using("cpu", function(n) return dc.ones(n):sum():item(), n end, 10)     --> 10.0, 10
]],
    see = "use stream",
  },
  {
    "parallel", at = "dc", call = "dc.parallel(devices, fn, ...)",
    text = "Calls `fn(k, ...)` for each device `k` of the list, as the current one, one call after the other. Of an "
      .. "argument that is a table of arrays, as `a:scatter(devices)` gives it, each call gets its own. Launches on "
      .. "GPUs return at once, so all devices work at the same time; pending results are evaluated, nothing is waited "
      .. "for. See [several GPUs](several-gpus.md).",
    args = {
      { "devices", "(device|string)[]", "devices or their ids; one may stand there several times" },
      { "fn", "fun(k: integer, ...): any", "what is called" },
      { "...", "any", "its arguments" },
    },
    returns = { { "any[]...", "for each result of `fn`, the list of those of all calls" } },
    errors = { argument = "no list, a table of arrays with another length than the devices, not a function",
      device = "there is no such device" },
    example = [[
local devices = { "cpu", "cpu" }
local x = dc.arange(1, 10)
local sums = dc.parallel(devices, function(_, part) return part:sum() end, x:scatter(devices))
sums[1]:item(), sums[2]:item()             --> 15.0, 40.0
]],
    see = "scatter gather using",
    words = "map devices gpus multi",
  },
  {
    "scatter", at = "dc array",
    text = "Divides an array along an axis into one part for each device, in order, and copies each to its device. "
      .. "Extents differ by at most 1, the first parts being the longer ones; a part may have extent 0.",
    args = {
      { "a", "array", "the array" },
      { "devices", "(device|string)[]", "devices or their ids; one may stand there several times" },
      { "axis?", "integer", "the axis; -1 is the last. Default: 1" },
    },
    returns = { { "array[]", "new arrays" } },
    errors = { argument = "no list of devices", device = "there is no such device", index = "no such axis",
      shape = "an array without axes" },
    example = [[
local parts = dc.arange(1, 5):scatter { "cpu", "cpu" }
parts[1]:to_table()                        --> {1.0, 2.0, 3.0}
parts[2]:to_table()                        --> {4.0, 5.0}
]],
    see = "gather parallel to",
    words = "split distribute divide array_split",
  },
  {
    "gather", at = "dc", call = "dc.gather(parts [, axis [, device]])",
    text = "Joins arrays of any devices along an axis into a new one: what `a:scatter` divided.",
    args = {
      { "parts", "array[]", "arrays of one dtype, whose shapes differ in that axis alone" },
      { "axis?", "integer", "the axis; -1 is the last. Default: 1" },
      { "device?", "device|string", "where the result is. Default: the first part's device" },
    },
    returns = { { "array", "the new array" } },
    errors = { argument = "no arrays", dtype = "of several dtypes", shape = "of other shapes", index = "no such axis",
      device = "there is no such device" },
    example = [[
local parts = dc.arange(1, 5):scatter { "cpu", "cpu" }
dc.gather(parts):to_table()                --> {1.0, 2.0, 3.0, 4.0, 5.0}
]],
    see = "scatter concat",
    words = "join collect devices",
  },
  {
    "peer", at = "array", call = "a:peer()",
    text = "Lets kernels of other devices of the same kind access this array and its views where the hardware can "
      .. "(NVLink, PCIe peer access), and returns it. Such a launch, in the current stream, waits for the work of the "
      .. "array's device, whose later work waits for it.",
    returns = { { "array", "`a`, evaluated" } },
    errors = { argument = "the array is closed" },
    example = [[
local x = dc.arange(1, 3):peer()
x:to_table()                               --> {1.0, 2.0, 3.0}
]],
    see = "to scatter",
    words = "nvlink remote access gpus",
  },
  {
    "available", at = "dc",
    text = '`true`, or `false` and the reason. `"cuda"`, `"cpu"` or a device\'s name: whether kernels can be compiled '
      .. 'and run there. `"nvrtc"`: whether NVIDIA\'s compiler is found. `"blas"`, `"lapack"`, `"fft"`: whether the '
      .. "current device has the [library](#linear-algebra-and-fourier-transforms); `\"sort\"`: whether the CPU device "
      .. "has Highway, without which it sorts more slowly.",
    args = { { "name", "string|device", "a kind of device, a device or its id, or a library" } },
    returns = {
      { "boolean", "whether it can be used" },
      { "string?", "if not, why; nothing otherwise" },
    },
    errors = { argument = "neither a device nor a name" },
    example = [[
local ok, reason = dc.available "cuda:99"
ok, type(reason)                           --> false, string
]],
    see = "devices",
    words = "check library",
  },
  {
    "synchronize", at = "dc",
    text = "Waits for all work of the current device. Errors of kernels that ran asynchronously are raised here.",
    errors = { argument = "an argument: another device is waited for with `d:synchronize()`",
      launch = "a kernel failed", interrupted = "Ctrl-C was pressed while waiting" },
    example = [[
local x = dc.ones(1000):eval()
dc.synchronize()
x[1000]                                    --> 1.0
]],
    see = "clock",
    words = "wait finish barrier",
  },
  {
    "stats", at = "dc", call = { "dc.stats()", 'dc.stats "reset"' },
    text = "A table of counters since start: `launches allocations frees bytes_allocated bytes_to_device "
      .. "bytes_to_host bytes_on_device compiles cache_hits cache_misses`, and `bytes_live` (allocated on the current "
      .. 'device and not yet freed). `"reset"` sets the counters to 0, and returns nothing. `bytes_on_device` counts '
      .. "copies within a device or between GPUs; `compiles` counts runs of the compiler, `cache_hits` and "
      .. "`cache_misses` sources whose compiled code was in the cache, or was not.",
    args = { { "what?", '"reset"', "sets the counters to 0. Default: they are read" } },
    returns = { { "table<string, integer>", "the counters by name" } },
    errors = { argument = 'another argument than `"reset"`' },
    example = [[
local x = dc.ones(1000):eval()
dc.stats "reset"
local y = (x * 2 + 1):eval()
dc.stats().launches                        --> 1
]],
    see = "memory_info clock",
    words = "counters launches",
  },
  {
    "clock", at = "dc",
    text = "Seconds on a monotonic clock.",
    returns = { { "number", "seconds since an arbitrary moment" } },
    example = [[
local start = dc.clock()
dc.ones(1000):sum():item()
dc.clock() >= start                        --> true
]],
    see = "synchronize stats",
  },
  [[
The current device is at first `DOTCOMPUTE_DEVICE`, else the first usable GPU, else the CPU device; `dc.use` and
`dclua --device` change it. New arrays and kernels belong to the current device.

A device object has
]],
  {
    class = "device", metatable = "dotcompute.device",
    text = "A GPU or the CPU device, given by `dc.device`, `dc.devices` and the field `device` of arrays and kernels. "
      .. "Equal devices are the same object; `tostring` gives the id.",
    example = [[
local d = dc.device "cpu"
tostring(d), d == dc.device "cpu"          --> cpu, true
]],
  },
  {
    "name", at = "device", type = "string",
    text = 'The product\'s name: `"NVIDIA H200"`.',
    example = [[
#dc.device().name > 0                      --> true
]],
    see = "id",
  },
  {
    "backend", at = "device", type = "string",
    text = 'The kind of device: `"cuda"` or `"cpu"`. Code should test one of the properties below instead.',
    example = [[
dc.device("cpu").backend                   --> cpu
]],
    see = "host_memory blocking simt",
  },
  {
    "index", at = "device", type = "integer",
    text = "Its number among the devices of its kind, from 0.",
    example = [[
dc.device("cpu").index                     --> 0
]],
    see = "id",
  },
  {
    "id", at = "device", type = "string",
    text = 'Its unique name, as `dc.device` takes it: `"cuda:0"`; `tostring` gives the id.',
    example = [[
dc.device("cpu").id                        --> cpu
dc.device(dc.device().id) == dc.device()   --> true
]],
    see = "device",
  },
  {
    "host_memory", at = "device", type = "boolean",
    text = "Whether its memory is the host's (the CPU device).",
    example = [[
dc.device("cpu").host_memory               --> true
]],
    see = "blocking simt",
  },
  {
    "blocking", at = "device", type = "boolean",
    text = "Whether a launch returns only when the kernel has run (the CPU device).",
    example = [[
dc.device("cpu").blocking                  --> true
]],
    see = "host_memory simt",
  },
  {
    "simt", at = "device", type = "boolean",
    text = "Whether kernels should be written for a GPU: coalesced accesses, many short threads, warp-wide steps.",
    example = [[
dc.device("cpu").simt                      --> false
]],
    see = "host_memory blocking",
  },
  {
    "compute_capability", at = "device", type = "number",
    text = "CUDA's compute capability as a number: `9.0`; the CPU device has `7.5`. Reading it opens the device.",
    example = [[
dc.device("cpu").compute_capability        --> 7.5
]],
    see = "attributes",
  },
  {
    "multiprocessors", at = "device", type = "integer",
    text = "Number of the GPU's multiprocessors; of the CPU device's threads. Reading it opens the device.",
    example = [[
dc.device().multiprocessors >= 1           --> true
]],
    see = "attributes",
  },
  {
    "attributes", at = "device", type = "table<string, integer|integer[]>",
    text = "Its limits, a new table: `multiprocessors warp_size clock_khz max_threads_per_block "
      .. "max_threads_per_multiprocessor max_blocks_per_multiprocessor max_block max_grid` (lists of 3) "
      .. "`shared_per_block shared_per_block_optin shared_per_multiprocessor total_memory l2_cache "
      .. "registers_per_block`. Memory sizes are in bytes. Reading it opens the device.",
    example = [[
local limits = dc.device().attributes
limits.warp_size, #limits.max_grid         --> 32, 3
]],
    see = "compute_capability memory_info",
  },
  {
    "memory_info", at = "device",
    text = "The device's free memory and its total memory, in bytes.",
    args = { { "d", "device", "the device" } },
    returns = { { "integer", "free bytes" }, { "integer", "total bytes" } },
    errors = { device = "the device cannot be opened" },
    example = [[
local free, total = dc.device():memory_info()
0 < free and free <= total                 --> true
]],
    see = "stats memory_limit",
  },
  {
    "synchronize", at = "device",
    text = "Waits for all its work. A device that has not been opened has none.",
    args = { { "d", "device", "the device" } },
    errors = { launch = "a kernel failed", interrupted = "Ctrl-C was pressed while waiting" },
    example = [[
local d = dc.device()
local x = dc.ones(1000):eval()
d:synchronize()
x[1000]                                    --> 1.0
]],
    see = "memory_info clock",
  },
  [[
Equal devices are the same object. Code that depends on the kind of device should test one of these properties, not its
name, since other backends may share it.

```lua
local dc = require "dotcompute"
for _, d in ipairs(dc.devices()) do print(d, d.name, d.multiprocessors) end
local n = dc.using("cpu", function() return dc.ones(10):sum():item() end)
assert(n == 10)
```
]],
}
