-- The CPU device beside the same loops in plain C (cc -O3), one thread each, by turns in one run.
-- DOTCOMPUTE_CPU_THREADS=1 is set by `make bench`: kernels then run on the calling thread alone.
local dc = require "dotcompute"
local native = require "native"
local report = require "report"

dc.use "cpu"
local rows = {}

local function row(name, ours, c)
  local a, b = report.alternate(5, ours, c)
  rows[#rows + 1] = { name, ("%.1f ms"):format(a * 1e3), ("%.1f ms"):format(b * 1e3), ("%.2f"):format(a / b) }
end

local function timed(fn)
  local t = native.now()
  fn()
  dc.synchronize()
  return native.now() - t
end

do
  local k = dc.kernel [[
__global__ void mandelbrot(int *out, int w, int h, float x0, float y0, float d, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float cr = x0 + x * d, ci = y0 + y * d, zr = 0, zi = 0;
  int n = 0;
  while (n < limit && zr * zr + zi * zi < 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    n++;
  }
  out[y * w + x] = n;
}]]
  local w, h, limit = 1024, 1024, 256
  local x0, y0, d = -2.0, -1.5, 3 / 1024
  local a, b = dc.empty(h, w, "int32"), dc.zeros(h, w, "int32")
  b:eval()
  local function ours() return timed(function() k({ w // 32, h // 8 }, { 32, 8 }, a, w, h, x0, y0, d, limit) end) end
  local function c() return native.mandelbrot(b.ptr, w, h, x0, y0, d, limit) end
  row("mandelbrot 1024x1024, 256 iterations", ours, c)
  -- The kernel may contract a*b+c into fma and the loop not: counts differ at a few chaotic pixels.
  local differing, p, q = 0, a:bytes(), b:bytes()
  for i = 1, #p, 4 do
    if p:sub(i, i + 3) ~= q:sub(i, i + 3) then differing = differing + 1 end
  end
  assert(differing < 0.02 * w * h, differing .. " pixels differ from the C program's")
end

do
  local k = dc.kernel [[
__global__ void nbody(const float4 *p, float4 *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 q = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    float4 s = p[j];
    float dx = s.x - q.x, dy = s.y - q.y, dz = s.z - q.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), f = s.w * r * r * r;
    ax += f * dx, ay += f * dy, az += f * dz;
  }
  a[i] = make_float4(ax, ay, az, 0);
}]]
  local n = 8192
  local t = {}
  for i = 1, 4 * n do t[i] = math.random() end
  local p, a, b = dc.array(t), dc.empty(4 * n), dc.zeros(4 * n)
  b:eval()
  row("n-body 8192", function() return timed(function() k(n // 256, 256, p, a, n) end) end,
    function() return native.nbody(p.ptr, b.ptr, n) end)
  assert(dc.allclose(a, b, 1e-3, 1e-1), "accelerations differ from the C program's")
end

do
  local k = dc.kernel [[
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}]]
  local n = 1 << 24
  local x, y = dc.ones(n):eval(), dc.zeros(n):eval()
  row("saxpy 2^24", function() return timed(function() k(n // 256, 256, n, 0.5, x, y) end) end,
    function() return native.saxpy(n, 0.5, x.ptr, y.ptr) end)
end

report.print("CPU device (" .. dc.device().name .. ") beside plain C at -O3, medians of 5 by turns",
  { "kernel", "ours", "C", "ours / C" }, rows)
