-- Launches in a Lua loop beside a C loop over cuLaunchKernel: by turns, in one process, on one GPU.
local dc = require "dotcompute"
local native = require "native"
local report = require "report"

local ok, why = dc.available "cuda"
if not ok then
  print("GPU rows left out: " .. why)
  return
end
dc.use "cuda"

local source = [[
extern "C" __global__ void axpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}]]
local k = dc.kernel(source)
native.launch_setup(dc.using("cpu", function() return dc.module(source):ptx() end), "axpy")

local n, times = 1024, 1000
local x, y, u, v = dc.ones(n):eval(), dc.zeros(n):eval(), dc.ones(n):eval(), dc.zeros(n):eval()
local xp, vp = u.ptr, v.ptr
local issue, done = { {}, {} }, { {}, {} }
for round = 1, 60 do
  dc.synchronize()
  local t = native.now()
  for _ = 1, times do k(4, 256, n, 0.5, x, y) end
  local issued = native.now() - t
  dc.synchronize()
  local all = native.now() - t
  local c_issued, c_all = native.launch_loop(times, n, 0.5, xp, vp)
  if round > 10 then -- the first rounds warm up
    table.insert(issue[1], issued / times * 1e6)
    table.insert(issue[2], c_issued / times * 1e6)
    table.insert(done[1], all / times * 1e6)
    table.insert(done[2], c_all / times * 1e6)
  end
end
local rows = {}
for _, r in ipairs { { "issue", issue }, { "issue and finish", done } } do
  local a, b = report.median(r[2][1]), report.median(r[2][2])
  rows[#rows + 1] = { r[1], ("%.2f µs"):format(a), ("%.2f µs"):format(b), ("%+.2f µs"):format(a - b) }
end
report.print("Launches on " .. dc.device().name .. ", 4 arguments, medians of 50 rounds of 1000 by turns",
  { "figure", "Lua loop", "C loop", "difference" }, rows)
