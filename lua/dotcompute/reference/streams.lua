-- Reference: streams, events, page-locked memory.
local STREAM = { "s", "stream", "the stream" }
local EVENT = { "e", "event", "the event" }
local DEVICE = { "device?", "device|string", "the device or its name. Default: the current one" }
local NO_DEVICE = "there is no such device"
local IN_GRAPH = "a graph is being captured"

return {
  [[
## Streams, events, graphs

Work on a device runs in *streams*: the work of one stream runs in order, different streams run concurrently. A device
begins with one stream, its own, which is the default for kernels, expressions, copies and fills; so a program without
streams runs in its order.

**Uses of arrays are ordered automatically.** When several streams use an array, each use waits for the earlier ones
that conflict with it (a write for everything before it, a read for the last write), and so does freeing the memory.
Readers of the same array do not wait for each other, and work on different arrays does not wait at all. The memory that
a kernel accesses through a struct's pointer or an integer that is an address is unknown: such a launch waits for all
work of the device, and all later work waits for it. Several `dc.wrap` arrays over the same memory are ordered
separately.
]],
  {
    "stream", at = "dc",
    text = "A new stream of the current device (or of that one). Also usable as `local s <close> = dc.stream()`.",
    args = { DEVICE },
    returns = { { "stream", "the stream" } },
    errors = { argument = "not a device", device = NO_DEVICE, launch = IN_GRAPH },
    example = [[
local s <close> = dc.stream()
s:synchronize()
s.device == dc.device(), s:query()         --> true, true
dc.using(s, function() return dc.ones(3) + 1 end)  --> {2, 2, 2}
]],
    see = "using with event",
    words = "concurrent asynchronous queue",
  },
  {
    class = "stream", metatable = "dotcompute.stream",
    text = "A queue of a device's work, made by `dc.stream`. What is issued in it runs in order, and concurrently "
      .. "with the work of other streams. `dc.using(s, fn, ...)` makes it the current one during a call; "
      .. "`k:with{stream = s}` launches a kernel in it.",
  },
  {
    "synchronize", at = "stream",
    text = "Waits for all its work.",
    args = { STREAM },
    errors = { launch = "a kernel failed, or " .. IN_GRAPH },
    example = [[
local s = dc.stream()
local x = dc.using(s, function() return (dc.ones(1000) * 2):eval() end)
s:synchronize()
s:query()                                  --> true
]],
    see = "query wait",
  },
  {
    "query", at = "stream",
    text = "Whether all its work has ended. Does not wait.",
    args = { STREAM },
    returns = { { "boolean", "whether it has" } },
    errors = { launch = IN_GRAPH },
    example = [[
dc.stream():query()                        --> true
]],
    see = "synchronize",
  },
  {
    "wait", at = "stream",
    text = "Later work of the stream runs after the event; returns the stream.",
    args = { STREAM, { "e", "event", "an event that was recorded, of any device" } },
    returns = { { "stream", "the stream" } },
    errors = { argument = "an event that was never recorded, a closed stream",
      launch = "while a graph is captured: an event that was not recorded in it" },
    example = [[
local s, e = dc.stream(), dc.event():record()
s:wait(e) == s                             --> true
]],
    see = "event record",
  },
  {
    "close", at = "stream", call = { "s:close()", "local s <close> = …" },
    text = "The stream takes no more work; pending work goes on. Closing twice is fine; closing the current "
      .. "stream is an error.",
    args = { STREAM },
    errors = { argument = "the current stream" },
    example = [[
local s = dc.stream()
s:close()
s.closed                                   --> true
local ok, err = pcall(dc.using, s, print)
ok, err.kind                               --> false, argument
]],
    see = "closed",
  },
  {
    "device", at = "stream event", type = "device",
    text = "The device that it belongs to.",
    example = [[
dc.stream().device == dc.device()          --> true
dc.event().device == dc.device()           --> true
]],
  },
  {
    "closed", at = "stream", type = "boolean",
    text = "Whether the stream is closed.",
    example = [[
dc.stream().closed                         --> false
]],
    see = "close",
  },
  [[
For streams there are also

- `dc.using(s, fn, ...)`: calls `fn(...)` with this stream and its device as the current ones: launches, evaluations,
  copies and allocations in it go to the stream. The previous stream is restored afterwards, also after an error.
- `k:with{stream = s}`: a variant of the kernel that is always launched there.
]],
  {
    "event", at = "dc",
    text = "An event of the current device (or of that one), not recorded yet.",
    args = { DEVICE },
    returns = { { "event", "the event" } },
    errors = { argument = "not a device", device = NO_DEVICE },
    example = [[
local start, stop = dc.event(), dc.event()
start:record()
local x = (dc.ones(1000) + 1):eval()
stop:record()
start:elapsed(stop) >= 0                   --> true
]],
    see = "record elapsed stream",
    words = "timing order",
  },
  {
    class = "event", metatable = "dotcompute.event",
    text = "A moment in a stream's work, made by `dc.event`. It is reached when the work before `e:record()` has "
      .. "ended; streams wait for it, and two of them measure time.",
  },
  {
    "record", at = "event",
    text = "Records the event after the present work of the stream (by default the current one); returns the "
      .. "event.",
    args = { EVENT, { "s?", "stream", "the stream, of the event's device. Default: the current one" } },
    returns = { { "event", "the event" } },
    errors = { argument = "a closed stream, a stream of another device" },
    example = [[
local e = dc.event()
e.recorded, e:record() == e, e.recorded    --> false, true, true
]],
    see = "wait elapsed recorded",
  },
  {
    "wait", at = "event",
    text = "Later work of the stream runs after the event: `s:wait(e)`, for the current stream without `s`; returns "
      .. "the event.",
    args = { EVENT, { "s?", "stream", "the stream that waits. Default: the current one" } },
    returns = { { "event", "the event" } },
    errors = { argument = "an event that was never recorded, a closed stream",
      launch = "while a graph is captured: an event that was not recorded in it" },
    example = [[
local s = dc.stream()
local e = dc.event():record(s)
e:wait() == e                              --> true
]],
    see = "record synchronize",
  },
  {
    "synchronize", at = "event",
    text = "Waits for the event.",
    args = { EVENT },
    errors = { argument = "an event that was never recorded", launch = "a kernel failed, or " .. IN_GRAPH },
    example = [[
local e = dc.event():record()
e:synchronize()
e:query()                                  --> true
]],
    see = "query wait",
  },
  {
    "query", at = "event",
    text = "Whether the event has been reached. Does not wait.",
    args = { EVENT },
    returns = { { "boolean", "whether it has" } },
    errors = { argument = "an event that was never recorded", launch = IN_GRAPH },
    example = [[
local e = dc.event():record()
dc.synchronize()
e:query()                                  --> true
]],
    see = "synchronize",
  },
  {
    "elapsed", at = "event",
    text = "Seconds of device time from `e` to `e2`; waits for both.",
    args = { EVENT, { "e2", "event", "the later event, of the same device" } },
    returns = { { "number", "seconds" } },
    errors = { argument = "an event that was never recorded, events of two devices", launch = IN_GRAPH },
    example = [[
local e = dc.event():record()
e:elapsed(dc.event():record()) >= 0        --> true
]],
    see = "record time clock",
  },
  {
    "recorded", at = "event", type = "boolean",
    text = "Whether the event has been recorded.",
    example = [[
dc.event().recorded                        --> false
]],
    see = "record",
  },
  [==[
Errors of kind `argument`: a closed stream; an event that was never recorded; a stream of another device (a stream may
wait for events of other devices). `dc.synchronize()` waits for all streams of the device. On the CPU device streams and
events have the same functions, and work has ended when the call returns.

```lua
local dc = require "dotcompute"
local twice = dc.kernel [[
__global__ void twice(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}]]
local n = 100000
local a, b = dc.ones(n), dc.ones(n)
local s1, s2 = dc.stream(), dc.stream()
twice:with{stream = s1}:forall(n, n, a)       -- the two may run concurrently
twice:with{stream = s2}:forall(n, n, b)
local start, stop = dc.event(), dc.event()
dc.using(s1, function()
  start:record()
  b[":"] = a + b                              -- waits for s2's kernel
  stop:record()
end)
print(("%.6f s"):format(start:elapsed(stop)))
assert(b[n] == 4)
```

### Page-locked memory and asynchronous copies
]==],
  {
    "pinned", at = "dc", call = "dc.pinned(shape… [, dtype])",
    text = "An array of the CPU device in page-locked memory, contents undefined. Without a GPU it is in ordinary "
      .. "memory.",
    args = { { "...", "shape", "the shape: integers, or one table of them" },
      { "dtype?", "dtype", "the dtype, behind the shape. Default: float32" } },
    options = { { "dtype", "dtype", "the same by name" } },
    returns = { { "array", "the array" } },
    errors = { argument = "no shape", dtype = "not a dtype", memory = "the host has too little", shape = "an invalid "
      .. "shape" },
    example = [[
local p = dc.pinned(2, 3, "int8"):fill(1)
p.device.host_memory, p.dtype              --> true, int8
p:shape()                                  --> 2, 3
]],
    see = "empty to copy_from",
    words = "page-locked host memory",
  },
  [[
Two methods of [arrays](#views-and-copies) copy asynchronously:

- `a:to(device, {async = true})` is like `a:to(device)`, but a copy of page-locked memory to a GPU, or of a GPU's array
  to the CPU device (whose result is page-locked), is asynchronous, in the GPU's current stream.
- `a:copy_from(b, {async = true})` does the same for `a:copy_from(b)`, when one of the two is page-locked and the other
  on a GPU.

The next use of either array, on the GPU or on the CPU device, waits for the copy. If the values must be converted or
gathered first, or no memory is page-locked, the copy is synchronous. Copies between two GPUs are direct where the
hardware supports it.

```lua
local dc = require "dotcompute"
local host = dc.pinned(4):fill(3)
local there = host:to(dc.device(), {async = true})
local back = dc.pinned(4):copy_from(there * 2, {async = true})
assert(back[4] == 6)                          -- waits for the copies
```
]],
}
