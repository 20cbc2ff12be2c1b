-- Reference: dc.profile.
return {
  [[
## Profiles

Between `dc.profile.start()` and `dc.profile.stop()` every launch is timed: on a GPU by events around it, on the CPU
device by the clock. `dclua --profile script.lua` profiles a whole script and prints the table at its end;
`--profile=trace.json` also writes the trace. Launches that are recorded into a graph are counted, and the graph's runs
are timed as a whole.
]],
  {
    "start", at = "dc.profile",
    text = "Begins to time every launch of this Lua state.",
    options = {
      { "limit", "integer", "how many launches are kept one by one, for the trace. Default: 100000" },
      { "trace", "string", "a file that `stop` writes the trace to, as `dc.profile.trace` does" },
    },
    returns = { { "true", "always" } },
    errors = { argument = "a profile is being taken already", launch = "a graph is being captured",
      io = "the file cannot be written" },
    example = [[
dc.profile.start()
local x = dc.ones(1000) + 1
x:eval()
local list = dc.profile.stop()
list[1].kernel, list[1].calls              --> array expression, 1
]],
    see = "stop trace",
  },
  {
    "stop", at = "dc.profile",
    text = "Ends the profile, waiting for kernels that are still running. Gives a list of kernels, slowest first, one "
      .. "for each kernel, launching line and device: `{kernel =, place =, site =, device =, calls =, timed =, "
      .. "seconds =, bytes =}`. `place` is the line of a kernel's function in Lua (`dc.jit`), or nil. `seconds` is the "
      .. "time of the `timed` launches together, `bytes` an estimate of what they moved, "
      .. "or nil. The list's field `launches` has the launches one by one, `{entry =, start =, seconds =, stream =, "
      .. "grid =, block =}`: `entry` is an index into the list, `start` in seconds since the profile began; `dropped` "
      .. "is the number of launches beyond the limit. `tostring` of the list is the report.",
    returns = { { "table", "the list" } },
    errors = { argument = "no profile is being taken", launch = "a graph is being captured",
      io = "the trace cannot be written" },
    example = [[
local k = dc.kernel "__global__ void one(float *x) { x[threadIdx.x] = 1; }"
local x = dc.zeros(32)
dc.profile.start { limit = 2 }
for _ = 1, 5 do k(1, 32, x) end
local list = dc.profile.stop()
list[1].calls, #list.launches, list.dropped     --> 5, 2, 3
list.launches[1].block[1]                       --> 32
]],
    see = "start report trace",
  },
  {
    "report", at = "dc.profile",
    text = "The table of kernels as text, with the share of the time, the bandwidth, and the device's peak, which is "
      .. "measured by copying.",
    args = { { "list?", "table", "what `stop` gave. Default: the last one" } },
    returns = { { "string", "the table" } },
    errors = { argument = "there is no profile yet, or the table is none of `stop`'s" },
    example = [[
dc.profile.start()
dc.profile.report(dc.profile.stop())       --> profile: no kernel was launched
]],
    see = "stop",
  },
  {
    "trace", at = "dc.profile",
    text = "Writes the launches as a JSON file of trace events, which `chrome://tracing` and `ui.perfetto.dev` show: a "
      .. "process for each device, a thread for each stream, microseconds. An older file is replaced when the new one "
      .. "is complete.",
    args = {
      { "path", "string", "the file" },
      { "list?", "table", "what `stop` gave. Default: the last one" },
    },
    returns = { { "true", "always" } },
    errors = { argument = "there is no profile yet, or the table is none of `stop`'s",
      io = "the file cannot be written" },
    example = [[
dc.profile.start()
local y = (dc.ones(100) * 2):eval()
dc.profile.stop()
local path = os.tmpname()
dc.profile.trace(path)                     --> true
io.lines(path)():find "traceEvents" ~= nil --> true
os.remove(path)
]],
    see = "start stop",
  },
}
