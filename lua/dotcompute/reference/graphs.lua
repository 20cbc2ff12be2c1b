-- Reference: graphs.
local GRAPH = { "g", "graph", "the graph" }
local CLOSED = "a closed graph"

return {
  [[
### Graphs

`g = dc.graph(fn)` calls `fn()` once. Its launches on the current device are captured instead of run, and `g()` runs all
of them, as one operation of the current stream, without running Lua.
]],
  {
    "graph", at = "dc",
    text = "A new graph: the work that `fn()` does on the current device is captured instead of run.",
    args = { { "fn", "fun(): any", "called once, without arguments; what it returns is dropped" } },
    returns = { { "graph", "the graph; `g()` runs it" } },
    errors = { argument = "not a function", launch = "`fn` does what cannot be captured (the message names the call), "
      .. "or another graph is being captured" },
    example = [[
local x = dc.zeros(3)
local add = dc.graph(function() x[":"] = x + 1 end)
x                                          --> {0, 0, 0}
add()
add()
x                                          --> {2, 2, 2}
local ok, err = pcall(dc.graph, function() return x:sum():item() end)
ok, err.kind                               --> false, launch
]],
    see = "update launches stream",
    words = "capture record replay",
  },
  {
    class = "graph", metatable = "dotcompute.graph", call_operator = "()",
    text = "Captured work, made by `dc.graph`. `g()` runs it as one operation of the current stream; a closed graph "
      .. "is an error of kind `argument`, one with operations of a communicator that is closed or has failed of kind "
      .. "`launch`.",
    example = [[
local x = dc.ones(2)
local twice = dc.graph(function() x[":"] = x * 2 end)
for _ = 1, 3 do twice() end
x                                          --> {8, 8}
]],
  },
  {
    "update", at = "graph",
    text = "Captures again, in place; returns the graph. When `fn` fails the graph is unchanged.",
    args = { GRAPH, { "fn", "fun(): any", "called once, as by `dc.graph`" } },
    returns = { { "graph", "the graph" } },
    errors = { argument = "not a function, " .. CLOSED, launch = "`fn` does what cannot be captured, or another graph "
      .. "is being captured" },
    example = [[
local x = dc.zeros(2)
local g = dc.graph(function() x[":"] = x + 1 end)
g:update(function() x[":"] = x - 5 end) == g    --> true
g()
x                                          --> {-5, -5}
]],
    see = "graph",
  },
  {
    "close", at = "graph", call = { "g:close()", "local g <close> = …" },
    text = "Closes it, when its runs are over. Closing twice is fine; a closed graph is an error of kind `argument`.",
    args = { GRAPH },
    example = [[
local g = dc.graph(function() end)
g:close()
local ok, err = pcall(g)
ok, err.kind                               --> false, argument
]],
  },
  {
    "launches", at = "graph", type = "integer",
    text = "The number of kernels launched by one run.",
    errors = { argument = CLOSED },
    example = [[
local x = dc.ones(3)
local g = dc.graph(function() x[":"] = x + 1 end)
g.launches                                 --> 1
]],
    see = "stats",
  },
  {
    "device", at = "graph", type = "device",
    text = "The device that it runs on.",
    errors = { argument = CLOSED },
    example = [[
dc.graph(function() end).device == dc.device()  --> true
]],
  },
  [[
- Launches, evaluations of expressions, fills and copies on the device are captured. Expressions that are pending before
  the capture are evaluated before it; those that are pending when `fn` returns become part of the graph.
- Allocations are not captured: an array created by `fn` is allocated once, and each run recomputes its contents.
- The graph keeps the arrays and kernels that it uses alive until it is closed, even if they are closed before.
- Before a run overwrites an array, pending expressions that read it are evaluated.
- Work of `fn` in other streams (`dc.using(s, …)`, `k:with{stream = s}`) becomes a *branch* of the graph, which runs
  concurrently with the others. All branches begin with the graph. They wait for each other where they use the same
  arrays, as streams do, and by events that are recorded in the same graph: `e:record([s])` and `e:wait([s])`,
  `s:wait(e)`. The graph ends when all its branches have; they need not be joined. The streams and events are unchanged:
  their use in `fn` affects the graph only. On the CPU device a graph runs its work sequentially, in the order of `fn`.
- Operations that cannot be captured are errors of kind `launch` that name the call: reading values (`a:item()`, `a[1]`,
  `print(a)`, `dc.equal`), waiting and queries (`synchronize`, `query`), waiting for events from outside, new streams,
  copies from the host (`dc.array{…}`) and between devices. The capture is abandoned then.
- Work of `fn` on another device runs at once and is not part of the graph.

```lua
local dc = require "dotcompute"
local x, v = dc.ones(1000), dc.zeros(1000)
local step = dc.graph(function()
  v[":"] = v - x * 0.01
  x[":"] = x + v * 0.01
end)
for _ = 1, 100 do step() end
print(x[1])
local ok, err = pcall(dc.graph, function() return x:sum():item() end)
assert(not ok and err.kind == "launch")

local side, y, z = dc.stream(), dc.ones(1000), dc.zeros(1000)
local both = dc.graph(function()
  y[":"] = y * 2
  dc.using(side, function() x[":"] = x * 3 end) -- concurrently
  z[":"] = x + y                                -- after both
end)
both()
assert(z[1] == x[1] + 2)
```
]],
}
