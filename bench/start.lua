-- Whole processes, from nothing to a checked vector addition, warm caches, by turns: a script (bench/vecadd.lua), the C
-- program that compiles with NVRTC (bench/start.c), CuPy where Python has it.  Then what a compile costs a user beside
-- NVRTC alone.  Needs a GPU.
local dc = require "dotcompute"
local report = require "report"

if not report.use_gpu "start-up" then return end
local driver = require "driver"
local nvrtc = require "nvrtc"

local build = os.getenv "DOTCOMPUTE_BUILD"
local library = require "dotcompute.core".compiler().library
local function quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end
local cupy = [[
import cupy as cp
k = cp.RawKernel('extern "C" __global__ void f(const float *a, const float *b, float *c, int n)'
                 '{int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i];}', 'f')
a = cp.arange(1000, dtype='f'); b = 2 * a; c = cp.zeros(1000, 'f')
k((4,), (256,), (a, b, c, 1000))
assert (c.get() == 3 * a.get()).all()]]

local commands = {
  { "dclua script", quote(build .. "/dclua") .. " bench/vecadd.lua" },
  { "C program with NVRTC", quote(build .. "/bench/start") .. " " .. quote(library) },
}
if os.execute "python3 -c 'import cupy' 2>/dev/null" then
  commands[3] = { "CuPy RawKernel", "python3 -c " .. quote(cupy) }
end
local fns = {}
for i, c in ipairs(commands) do
  fns[i] = function()
    local t = driver.now()
    assert(os.execute(c[2]), c[1])
    return driver.now() - t
  end
end
local times = { report.alternate(7, table.unpack(fns)) }
local limits, rows = { nil, 1.0, 0.5 }, {}
for i, c in ipairs(commands) do
  local ratio = times[1] / times[i]
  rows[i] = { c[1], ("%.3f s"):format(times[i]), table.unpack(i > 1 and { report.judge(ratio, limits[i]) } or {}) }
end
report.print("Process start to a checked vector addition on " .. dc.device().name .. ", medians of 7 by turns",
  { "process", "time", "dclua's share", "limit" }, rows)

-- --- compiling -----------------------------------------------------------------------------------------------------

local serial = os.time() * 1000
local function fresh_source()
  serial = serial + 1
  return ([[
__global__ void fresh(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + sinf(x[i]) * %d.0f;
}]]):format(serial)
end
local arch = ("--gpu-architecture=sm_%d"):format(math.floor(dc.device().compute_capability * 10 + 0.5))
local ours, own = report.alternate(20, function()
  local source = fresh_source()
  local t = driver.now()
  dc.kernel(source)
  return driver.now() - t
end, function() return (nvrtc.compile(library, fresh_source(), { arch })) end)
report.print("A kernel nobody has seen, from source to loaded, medians of 20 by turns",
  { "who", "time", "ratio", "limit" },
  { { "dc.kernel", ("%.2f ms"):format(ours * 1e3), report.judge(ours / own, 1.05) },
    { "NVRTC alone", ("%.2f ms"):format(own * 1e3) } })
