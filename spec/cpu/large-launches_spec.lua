-- Native code of launches that store more than the last-level cache holds has non-temporal stores: the values of Lua's
-- arithmetic, at any alignment, in rows that end within a gang, in place, as packs, behind barriers and loops, and for
-- the next launch.
local helper = require "spec.helper"

-- Raises an error that names what is wrong; its argument is a seed.
local script = [==[
local dc = require "dotcompute"
math.randomseed(...)
local m = dc.module [[
extern "C" {
__global__ void map(const int *x, int *y, double *z, int n, int from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[from + i] = x[i] ^ i;
  if (i % 7 != 3) z[from + i] = i * 0.5;
}
__global__ void in_place(int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * 3 + 1;
}
__global__ void rows(int *y, int w, int h, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && r < h) y[r * pitch + x] = r - x;
}
__global__ void reverse(int *y, int4 *z, int n, int from) {
  __shared__ int s[160];
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
  for (int k = 0; k < threadIdx.x % 3; k++) v += i;
  s[threadIdx.x] = v;
  if (i < n) y[2 * i + 1 + from] = -7;
  __syncthreads();
  v = s[blockDim.x - 1 - threadIdx.x];
  if (i >= n) return;
  y[2 * i + from] = v;
  y[2 * i + 1 + from] = i;
  z[i] = make_int4(v, i, v ^ i, 7);
}
}]]
local n = 9000000 + math.random(0, 100) -- of words: more than 32 MB
local function check(name, got, want, i)
  if got ~= want then error(("%s: %s instead of %s in %d"):format(name, got, want, i)) end
end
-- The first, the last and some other elements; `want` gives that of element i, from 0 on.
local function compare(name, a, want)
  local first = { 0, a.size - 500 }
  for _ = 1, 20 do first[#first + 1] = math.random(0, a.size - 500) end
  for _, from in ipairs(first) do
    for k, v in ipairs(a[{ { from + 1, from + 500 } }]:to_table()) do
      local i = from + k - 1
      check(name, v, want(i), i)
    end
  end
end
local x = dc.full({ n }, 77, "int32")
for _, from in ipairs { 0, math.random(1, 40) } do
  local y, z = dc.full({ n + 50 }, -5, "int32"), dc.full({ n + 50 }, -5, "float64")
  m.map((n + 191) // 192, 192, x, y, z, n, from)
  local function outside(i) return i < from or i >= from + n end
  compare("map", y, function(i) return outside(i) and -5 or 77 ~ (i - from) end)
  compare("map of some lanes", z, function(i) return (outside(i) or (i - from) % 7 == 3) and -5 or (i - from) * 0.5 end)
  local sum = 0
  for i = 0, n - 1 do sum = sum + (77 ~ i) end
  check("sum", y:to "int64":sum():item(), sum - 5 * 50, n)
  m.in_place((n + 50 + 255) // 256, 256, y, n + 50)
  compare("in place", y, function(i) return (outside(i) and -5 or 77 ~ (i - from)) * 3 + 1 end)
end
do
  local from = math.random(0, 3)
  local y, z = dc.full({ 2 * n + 4 }, -5, "int32"), dc.full({ 4 * n }, -5, "int32")
  m.reverse((n + 159) // 160, 160, y, z, n, from)
  local function moved(t)
    local other = t - t % 160 + 159 - t % 160
    return (other % 160 % 3) * other
  end
  compare("pairs", y, function(i)
    local t = (i - from) // 2
    return (t < 0 or t >= n) and -5 or (i - from) % 2 == 1 and t or moved(t)
  end)
  compare("packs", z, function(i)
    local t = i // 4
    return ({ moved(t), t, moved(t) ~ t, 7 })[i % 4 + 1]
  end)
end
local w, pitch = math.random(2900, 3000), 3001
local h = n // pitch
local y = dc.full({ n }, -5, "int32")
m.rows({ (w + 63) // 64, (h + 2) // 3 }, { 64, 3 }, y, w, h, pitch)
compare("rows", y, function(i)
  local r, c = i // pitch, i % pitch
  return r < h and c < w and r - c or -5
end)
]==]

describe("a launch that stores more than the caches hold", function()
  for _, settings in ipairs(helper.tiers_and_isas) do
    it("stores what each thread computes with " .. settings, function()
      helper.passes_on_cpu(settings, script)
    end)
  end
end)
