-- Arrays beside NumPy (CPU device) or CuPy and PyTorch (GPU): the same work, from plain operators, with evaluation
-- forced and garbage collected inside the timed loop.  Rows named as arguments, else all.
--
-- On a GPU the limit of a row is a rate: that of memory as a read, a write or a copy reaches it, or of a peer; of small
-- arrays so many microseconds above a C program's launch (for a sum that is read: its launch and synchronization).
local dc = require "dotcompute"
local report = require "report"

local gpu = dc.device().simt
local N <const> = gpu and 1 << 28 or 1 << 24
local SIDE <const> = math.floor(N ^ 0.5)
local PRODUCT <const> = gpu and 8192 or 1024

local x, y = dc.random.uniform(N):eval(), dc.random.uniform(N):eval()
local m, v = x:reshape(SIDE, SIDE), y[{ { 1, SIDE } }]
local half = x[{ { 1, N // 2 } }]
local h = (half * 256):to("int32"):eval()
local s, t = x[{ { 1, 1000 } }]:copy(), y[{ { 1, 1000 } }]:copy()
local d = x[{ { 1, 1 << 20 } }]:to("float64"):eval()
local q = (x * 100):to("int8"):eval()
local p = dc.random.uniform(PRODUCT, PRODUCT):eval()
local index = (h + 1):eval()

-- What only a GPU is asked for is made only there.
local w, p64, p16, system, right, signal, host, locked, there
if gpu then
  w = half:to("float64"):eval()
  p64, p16 = p:to("float64"):eval(), p:to("bfloat16"):eval()
  system = dc.random.uniform(4096, 4096, { dtype = "float64" }):eval()
  right = dc.random.uniform(4096, 16, { dtype = "float64" }):eval()
  signal = dc.random.uniform(1 << 26):to("complex64"):eval()
  host, locked = half:to "cpu", dc.pinned(N // 2, "float32")
  there = dc.empty(N // 2)
end

local function tf32(a)
  local before = dc.precision "tf32"
  local c = a:matmul(a)
  dc.precision(before)
  return c
end

local function softmax()
  local e = dc.exp(m - m:max { 2, keep = true })
  return e / e:sum { 2, keep = true }
end

-- name, work, bytes that must move, and the limit: on the CPU device our time over NumPy's; on a GPU GB/s, and our time
-- over the best peer's. Rows "host to" and "host from" are timed by the wall's clock.
local B <const> = 4 * N
local rows = {
  { "add", function() return x + y end, 3 * B, 1.0, 4320 },
  { "mul", function() return x * y end, 3 * B, 1.0, 4320 },
  { "div", function() return x / y end, 3 * B, 1.0, 4320 },
  { "sqrt", function() return dc.sqrt(x) end, 2 * B, 1.0, 4100 },
  { "exp", function() return dc.exp(x) end, 2 * B, 1.0, 4100 },
  { "compare", function() return x:lt(y) end, 2.25 * B, 1.0, 4300 },
  { "four", function() return (x * 0.5 + y) * x - y end, 3 * B, 0.35, 4320 },
  { "trig", function() return dc.exp(0.5 * dc.sin(x) + dc.cos(y)) end, 3 * B, 0.35, 4300 },
  { "sum", function() return x:sum() end, B, 1.0, 4404 },
  { "max", function() return x:max() end, B, 1.0, 4404 },
  { "argmax", function() return x:argmax() end, B, nil, 4000 },
  { "var", function() return x:var() end, B, nil, 4000 },
  { "dot", function() return (x * x):sum() end, B, nil, 4200 },
  { "rows", function() return m:sum(2) end, B, 1.0, 4241 },
  { "columns", function() return m:sum(1) end, B, nil, 4078 },
  { "transpose", function() return m.T:copy() end, 2 * B, nil, 3700 },
  { "row vector", function() return m + v end, 2 * B, 1.0, 4100 },
  { "column vector", function() return m + v:reshape(SIDE, 1) end, 2 * B, 1.0, 4100 },
  { "plus transpose", function() return m + m.T end, 3 * B, nil, 3700 },
  { "shifted", function() return x[{ { 2, N } }] + y[{ { 2, N } }] end, 3 * B, 1.0, 4320 },
  { "int8", function() return q + q end, 2 * N, nil, 4100 },
  { "float64", function() return d + d end, 2 * 8 << 20, 1.0 },
  { "softmax", softmax, 2 * B, nil, 3305 },
  { "cumsum", function() return half:cumsum() end, B, nil, 3300 },
  { "sort", function() return half:sort() end, B, nil, 38 * 8 },
  { "select", function() return half[half:gt(0.5)] end, B / 2, nil, 2000 },
  { "bincount", function() return h:bincount { minlength = 256 } end, B / 2, nil, 3500 },
  { "take", function() return x[index] end, 3 * B / 2 },
  { "matmul", function() return p:matmul(p) end, nil, 1.1, nil, 1.02 },
  { "uniform", function() return dc.random.uniform(N) end, B, nil, 4000 },
  { "normal", function() return dc.random.normal(N) end, B, nil, 2400 },
  -- These come with their loop: another function called in it takes as long as the making of an array.
  { "small add", function(times) for _ = 1, times do (s + t):eval() end end, over_c = 1.0 },
  { "small trig", function(times) for _ = 1, times do dc.exp(0.5 * dc.sin(s) + dc.cos(t)):eval() end end,
    over_c = 2.0 },
  { "small sum", function(times) for _ = 1, times do s:sum():item() end end, over_c = 0, waits = true },
}

if gpu then
  table.move({
    { "copy", function() return x:copy() end, 2 * B, nil, 4100 },
    { "uneven", function() return x[{ { 1, N - 3 } }] + y[{ { 1, N - 3 } }] end, 3 * B, nil, 4320 },
    { "float64 half", function() return w + w end, 2 * B, nil, 4100 },
    { "matmul float64", function() return p64:matmul(p64) end, nil, nil, nil, 1.02 },
    { "matmul tf32", function() return tf32(p) end, nil, nil, nil, 1.02 },
    { "matmul bfloat16", function() return p16:matmul(p16) end, nil, nil, nil, 1.02 },
    { "solve", function() return dc.linalg.solve(system, right) end, nil, nil, nil, 1.02 },
    { "fft", function() return dc.fft.fft(signal) end, nil, nil, nil, 1.02 },
    { "host to device", function() return host:to(dc.device()) end, B / 2, nil, 30 },
    { "host from device", function() return half:to "cpu" end, B / 2, nil, 30 },
    { "host, pinned, to device", function() there:copy_from(locked, { async = true }) end, B / 2, nil, 55 },
    { "host, pinned, from device", function() locked:copy_from(half, { async = true }) end, B / 2, nil, 55 },
  }, 1, 12, #rows + 1, rows)
end

local wanted = {}
for _, name in ipairs(arg) do wanted[name] = true end
local chosen = {}
for _, row in ipairs(rows) do
  if not next(wanted) or wanted[row[1]] then chosen[#chosen + 1] = row end
end

local function once(row)
  local e = row[2](1)
  if type(e) == "userdata" then e:eval() end
end

-- Seconds, the median: of the device's time on a GPU, of the wall's on the CPU.
local function ours(row)
  local small = row.over_c
  for _ = 1, small and 200 or 4 do once(row) end
  dc.synchronize()
  if gpu and not row[1]:find "^host %a" then return dc.time(once, 20, row) end
  local times = {}
  for k = 1, small and 200 or 9 do
    local begun = dc.clock()
    once(row)
    dc.synchronize()
    times[k] = dc.clock() - begun
  end
  return report.median(times)
end

-- Of small arrays on a GPU: seconds to issue the work (to read its result, if the row waits), and those of a C program
-- for a launch of four arguments, by turns.
local driver
local function issued(row)
  if not driver then
    driver = require "driver"
    driver.setup(dc.using(dc.device "cpu", function()
      return dc.kernel([[extern "C" __global__ void axpy(int n, float a, const float *x, float *y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = a * x[i] + y[i];
      }]]).module:ptx()
    end))
  end
  local times <const> = row.waits and 100 or 1000
  local bytes = { string.pack("<i4", 1000), string.pack("<f", 0.5), string.pack("<I8", s.ptr),
    string.pack("<I8", t.ptr) }
  return report.alternate(40, function()
    dc.synchronize()
    local begun = driver.now()
    row[2](times)
    return (driver.now() - begun) / times
  end, function()
    dc.synchronize()
    return driver[row.waits and "launch_and_wait" or "issue"]("axpy", 4, 256, times, table.unpack(bytes)) / times
  end)
end

-- A peer's seconds by row, as far as it has these rows.
local function peer(library, names)
  local python, times = os.getenv "PYTHON" or "python3", {}
  local pipe = io.popen(("%s bench/peers.py %s %d '%s' 2>/dev/null"):format(python, library, N,
    table.concat(names, "' '")))
  for line in pipe:lines() do
    local name, seconds = line:match "(%S+) (%S+)"
    if name then times[name:gsub("_", " ")] = tonumber(seconds) end
  end
  pipe:close()
  return times
end

-- Native code is made in the background: before anything is timed it must be there.
if not gpu then
  for _ = 1, 3 do
    for _, row in ipairs(chosen) do ours(row) end
  end
end

local peers = gpu and { "cupy", "torch" } or { "numpy" }
local header = { ("arrays, %s, n = 2^%d"):format(dc.device().id, math.log(N, 2)), "ms", "GB/s" }
for _, library in ipairs(peers) do header[#header + 1] = library .. " ms" end
if gpu then header[#header + 1] = "C launch ms" end
header[#header + 1] = "ratio to the best"
header[#header + 1] = "limit"

-- NumPy, whose times vary with what else the machine does, is asked row by row; libraries that take seconds to start,
-- once.
local before = {}
if gpu then
  local names = {}
  for i, row in ipairs(chosen) do names[i] = row[1] end
  for _, library in ipairs(peers) do before[library] = peer(library, names) end
end

local show = report.stream(("Arrays on %s"):format(dc.device().name), header, 28, 7)
for _, row in ipairs(chosen) do
  local name, bytes, cpu_limit, gpu_limit = row[1], row[3], row[4], row[5]
  local mine, c
  if gpu and row.over_c then mine, c = issued(row) else mine = ours(row) end
  local figure <const> = c and "%.4f" or "%.3f"
  local cells = { name, figure:format(mine * 1e3), bytes and ("%.0f"):format(bytes / mine / 1e9) or "" }
  local best
  for _, library in ipairs(peers) do
    local theirs = (before[library] or peer(library, { name }))[name]
    cells[#cells + 1] = theirs and figure:format(theirs * 1e3) or "-"
    if theirs and (not best or theirs < best) then best = theirs end
  end
  if gpu then cells[#cells + 1] = c and ("%.4f"):format(c * 1e3) or "" end
  cells[#cells + 1] = best and ("%.2f"):format(mine / best) or "-"
  if c then
    cells[#cells + 1] = ("%s C %+g us"):format((mine - c) * 1e6 <= row.over_c and "met" or "MISSED", row.over_c)
  elseif gpu then
    local rate = gpu_limit and bytes / mine / 1e9 / gpu_limit
    cells[#cells + 1] = rate and ("%s %g GB/s"):format(rate >= 1 and "met" or "MISSED", gpu_limit)
      or best and row[6] and select(2, report.judge(mine / best, row[6])) or ""
  elseif row.over_c then
    cells[#cells + 1] = mine <= 20e-6 and "met 0.02 ms" or "MISSED 0.02 ms"
  else
    local ratio = best and cpu_limit and mine / best
    cells[#cells + 1] = ratio and select(2, report.judge(ratio, cpu_limit)) or ""
  end
  show(cells)
end
