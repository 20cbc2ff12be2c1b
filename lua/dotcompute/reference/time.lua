-- Reference: measuring time, ranges for profilers.
return {
  [[
## Time and profiles
]],
  {
    "time", at = "dc", call = "dc.time(fn [, reps or {reps=20} [, ...]])",
    text = "Seconds of the device for one `fn(...)`: the median of `reps` runs after a warm-up, and a table `{median, "
      .. "min, max, mean, times}`. Arrays that `fn` returns are evaluated. On a GPU the time is measured by events "
      .. "between the runs, so that the time Lua takes to issue the next run overlaps with the previous one.",
    args = {
      { "fn", "fun(...): any", "what is timed" },
      { "reps?", "integer|table", "the number of runs, or `{reps = n}`. Default: 20" },
      { "...", "any", "arguments of `fn`" },
    },
    returns = { { "number", "the median, in seconds" },
      { "table", "`median`, `min`, `max`, `mean`, and `times`, the list of all, in seconds" } },
    errors = { argument = "what is timed cannot be called, or the number of runs is not an integer from 1 on" },
    example = [[
local x = dc.ones(1000)
local seconds, all = dc.time(function(y) return x + y end, 5, 2)
seconds > 0, #all.times                    --> true, 5
all.min <= seconds and seconds <= all.max  --> true
]],
    see = "clock range elapsed",
    words = "benchmark measure timeit duration",
  },
  {
    "range", at = "dc", call = { "dc.range(name, fn, ...)", "local r <close> = dc.range(name)" },
    text = "Calls `fn(...)` inside a range that NVIDIA's profilers show (NVTX), and returns its results; without a "
      .. "function the range lasts to the end of the block. Without a profiler ranges do nothing.",
    args = {
      { "name", "string", "the range's name in the profiler" },
      { "fn?", "fun(...): any", "what is called inside it" },
      { "...", "any", "arguments of `fn`" },
    },
    returns = { { "any...", "all results of `fn`; without it the range, to be closed" } },
    errors = { argument = "a name that is no string, something that cannot be called" },
    example = [[
dc.range("setup", function(n) return dc.ones(n):sum() end, 10)   --> 10
do
  local r <close> = dc.range "step"
  dc.ones(10):eval()
end
]],
    see = "time",
    words = "nvtx nsight profiler annotate",
  },
  [[
`dclua --profile script.lua` prints a table of all kernels when the script has ended: calls, time, bandwidth, and the
lines that launched them.
]],
}
