-- Reference: dc.progress.
return {
  [[
## Progress

Long work shows itself on a terminal: a line with the share that is done, the rate and the time left, on standard error,
from half a second on, at most ten times a second. It is erased at its end, and before the script's own output by
`print`, `io.write` or the `write` of a file. Where standard error is no terminal, with `TERM=dumb` and with
`DOTCOMPUTE_PROGRESS=off` nothing is shown. While kernels are compiled, `compiling sort row (float32) …` is shown in
the same way.
]],
  {
    "progress", at = "dc",
    call = { "dc.progress(first, last [, step] [, {title=}])", "dc.progress([n] [, {title=}])" },
    text = "With two or three integers: what `for` iterates over, in place of `for i = first, last, step`. With one or "
      .. "none: an object that counts the steps of other loops, whose number need not be known.",
    args = {
      { "first?", "integer", "the first value; or alone the number of steps" },
      { "last?", "integer", "the last value, included" },
      { "step?", "integer", "the difference of neighbouring values. Default: 1" },
    },
    options = { { "title", "string", "text in front" } },
    returns = { { "progress", "the object; of a loop, its iterator" } },
    errors = { argument = "no integers, a negative number of steps, a step of 0" },
    example = [[
local sum = 0
for i in dc.progress(1, 1000, { title = "summing" }) do sum = sum + i end
sum                                        --> 500500
local p <close> = dc.progress(3)
p:step():step()
tostring(p)                                --> progress (2 of 3)
]],
  },
  {
    class = "progress", metatable = "dotcompute.progress",
    text = "What `dc.progress(n)` gives: a count of steps, shown on the terminal. It may be a to-be-closed variable, "
      .. "which erases the line also when an error ends the block.",
  },
  {
    "step", at = "progress",
    text = "Counts `k` more steps as done, and draws the line if it is time.",
    args = { { "p", "progress", "the object" }, { "k?", "number", "how many. Default: 1" } },
    returns = { { "progress", "the object" } },
    errors = { argument = "a negative number, a closed object" },
    example = [[
local p <close> = dc.progress(100)
tostring(p:step(40))                       --> progress (40 of 100)
]],
  },
  {
    "close", at = "progress",
    text = "Erases the line. Closing twice is fine.",
    args = { { "p", "progress", "the object" } },
    example = [[
local p = dc.progress(2)
p:close()
tostring(p)                                --> progress (0 of 2, closed)
]],
  },
}
