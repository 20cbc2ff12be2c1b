-- Launches, graphs and streams beside a C program over the driver: by turns, in one process, on one GPU; then whole
-- processes, from nothing to a checked vector addition, beside a C program that compiles with NVRTC (bench/start.c).
local dc = require "dotcompute"
local report = require "report"

if not report.use_gpu "GPU" then return end
local driver = require "driver"

local source = [[
struct Box { float low[3], high[3]; int kind; double weight; };
#define AXPY(name) extern "C" __global__ void name(int n, float a, const float *x, float *y) { \
  int i = blockIdx.x * blockDim.x + threadIdx.x; \
  if (i < n) y[i] = a * x[i] + y[i]; \
}
AXPY(axpy)
AXPY(axpy2)
extern "C" __global__ void sixteen(int n, float a, float b, float c, int d, int e, int f, double g, const float *x0,
    const float *x1, const float *x2, const float *x3, float *y0, float *y1, float *y2, float *y3) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y0[i] = a * x0[i] + d;
    y1[i] = b * x1[i] + e;
    y2[i] = c * x2[i] + f;
    y3[i] = (float)g * x3[i];
  }
}
extern "C" __global__ void boxed(int n, Box box, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > box.low[i % 3] && x[i] < box.high[i % 3] ? (float)box.weight : box.kind;
}
extern "C" __global__ void busy(long long ns, int *out) {
  long long begun, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - begun < ns);
  if (out) *out = 1;
}]]
local m = dc.module(source)
driver.setup(dc.using(dc.device "cpu", function() return dc.module(source):ptx() end))

local N <const>, TIMES <const>, ROUNDS <const> = 1024, 1000, 100
local GRID <const>, BLOCK <const> = 4, 256
local arrays = {}
for i = 1, 12 do arrays[i] = dc.zeros(N):eval() end
local x, y, z = arrays[1], arrays[2], arrays[3]
local pending = dc.sin(arrays[4]) * 2 + arrays[5] -- an expression that waits all the time

local function pointer(a) return string.pack("<I8", a.ptr) end
local axpy_bytes = { string.pack("<i4", N), string.pack("<f", 0.5), pointer(x), pointer(y) }

-- Seconds a launch to issue, and until all are done; ours in a Lua loop.
local function timed(loop)
  dc.synchronize()
  local t = driver.now()
  loop()
  local issued = driver.now() - t
  dc.synchronize()
  return issued / TIMES, (driver.now() - t) / TIMES
end

local rows = {}
local function us(t) return ("%.2f µs"):format(t * 1e6) end
local function row(name, ours, c, shown, value, limit)
  local verdict = limit and ("%s %g"):format(value <= limit and "met" or "MISSED", limit) or ""
  rows[#rows + 1] = { name, us(ours), us(c), shown:format(value), verdict }
end

local pairs_of_loops = {} -- measured all together, below
local function compared(name, limit, ours, c)
  pairs_of_loops[#pairs_of_loops + 1] = { ours, c, name = name, limit = limit }
end

local function issue(name, limit, kernel, c_bytes, loop)
  compared(name, limit, function() return (timed(loop)) end, function()
    dc.synchronize()
    return driver.issue(kernel, GRID, BLOCK, TIMES, table.unpack(c_bytes)) / TIMES
  end)
end

local axpy, axpy2 = m.axpy, m.axpy2
for _ = 1, 100000 do axpy(GRID, BLOCK, N, 0.5, x, y) end -- clocks come up
issue("issue, 4 arguments, two kernels", 0.25, "axpy", axpy_bytes, function()
  for _ = 1, TIMES // 2 do
    axpy(GRID, BLOCK, N, 0.5, x, y)
    axpy2(GRID, BLOCK, N, 0.5, y, z)
  end
end)

-- What is Lua's of that, and no binding's to save: the same loop over objects that read none of their arguments.
local bare = driver.bare("axpy", GRID, BLOCK, 0, table.unpack(axpy_bytes))
local bare2 = driver.bare("axpy2", GRID, BLOCK, 0, table.unpack(axpy_bytes))
issue("  the loop alone, arguments not read", nil, "axpy", axpy_bytes, function()
  for _ = 1, TIMES // 2 do
    bare(GRID, BLOCK, N, 0.5, x, y)
    bare2(GRID, BLOCK, N, 0.5, y, z)
  end
end)

local sixteen, xs = m.sixteen, arrays
local sixteen_bytes = { string.pack("<i4", N) }
for i = 1, 3 do sixteen_bytes[1 + i] = string.pack("<f", i) end
for i = 1, 3 do sixteen_bytes[4 + i] = string.pack("<i4", i) end
sixteen_bytes[8] = string.pack("<d", 4)
for i = 1, 8 do sixteen_bytes[8 + i] = pointer(xs[i + 4]) end
issue("issue, 16 arguments", 0.5, "sixteen", sixteen_bytes, function()
  local a, b, c, d, e, f, g, h = table.unpack(xs, 5, 12)
  for _ = 1, TIMES do sixteen(GRID, BLOCK, N, 1, 2, 3, 1, 2, 3, 4, a, b, c, d, e, f, g, h) end
end)

local boxed, box = m.boxed, { low = { 0, 0, 0 }, high = { 1, 1, 1 }, kind = 3, weight = 0.5 }
local box_bytes = { string.pack("<i4", N), string.pack("<ffffffi4xxxxd", 0, 0, 0, 1, 1, 1, 3, 0.5), pointer(x),
  pointer(y) }
issue("issue, with a struct", 0.6, "boxed", box_bytes, function()
  for _ = 1, TIMES do boxed(GRID, BLOCK, N, box, x, y) end
end)

local variant = axpy:with { shared = 1024 }
issue("issue, a kept variant of with{}", 0.25, "axpy", axpy_bytes, function()
  for _ = 1, TIMES do variant(GRID, BLOCK, N, 0.5, x, y) end
end)
issue("issue, forall", 0.4, "axpy", axpy_bytes, function()
  for _ = 1, TIMES do axpy:forall(N, N, 0.5, x, y) end
end)

compared("launch and synchronize", 0.2, function()
  local t = driver.now()
  for _ = 1, 100 do
    axpy(GRID, BLOCK, N, 0.5, x, y)
    dc.synchronize()
  end
  return (driver.now() - t) / 100
end, function() return driver.launch_and_wait("axpy", GRID, BLOCK, 100, table.unpack(axpy_bytes)) / 100 end)

for i, result in ipairs(report.compare(ROUNDS, pairs_of_loops)) do
  local pair = pairs_of_loops[i]
  row(pair.name, result[1], result[2], "%+.2f µs", result[3] * 1e6, pair.limit)
end

local graph = dc.graph(function()
  for _ = 1, 100 do axpy(GRID, BLOCK, N, 0.5, x, y) end
end)
driver.graph("axpy", GRID, BLOCK, 100, table.unpack(axpy_bytes))
local ours, c = report.alternate(ROUNDS, function()
  dc.synchronize()
  local t = driver.now()
  for _ = 1, 10 do graph() end
  dc.synchronize()
  return (driver.now() - t) / 1000
end, function() return driver.graph_run(10) / 1000 end)
row("a launch of a graph of 100", ours, c, "%.3f ×", ours / c, 1.02)

local busy, s, t = m.busy, dc.stream(), dc.stream()
local on_s, on_t = busy:with { stream = s }, busy:with { stream = t }
ours, c = report.alternate(10, function()
  dc.synchronize()
  local began = driver.now()
  on_s(1, 1, 1000000, dc.null)
  on_t(1, 1, 1000000, dc.null)
  s:synchronize()
  t:synchronize()
  return driver.now() - began
end, function()
  return driver.two_streams("busy", 1, 1, 1, string.pack("<i8", 1000000), string.pack("<i8", 0))
end)
rows[#rows + 1] = { "two kernels of 1 ms on two streams", us(ours), us(c), ("%.2f ms"):format(ours * 1e3),
  ("%s 1.2 ms"):format(ours <= 1.2e-3 and "met" or "MISSED") }
assert(pending)

report.print(("Launches on %s, medians of %d rounds by turns; of the differences too"):format(dc.device().name, ROUNDS),
  { "figure", "ours", "C", "difference", "limit" }, rows)
