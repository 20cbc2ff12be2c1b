-- Allocations of the host that fail, one after the other, and all from one on: an error of kind memory or the right
-- result, and the same work succeeds afterwards in the same process. Failures had been remembered for the life of the
-- process ("there is no device 'cpu'"), and kernels whose types could not be read were taken for kernels without any.
-- With AddressSanitizer each process also fails where memory was leaked.
local helper = require "spec.helper"
local quote = helper.quote

local sanitized = os.getenv "SAN" == "1" or helper.build:find "san"

local scripts = {
  ["ten array statements"] = [[
  local a = dc.array({ { 3, 1, 2 }, { 6, 5, 4 } }, "float64")
  local list = { (a * 2 + 1):sum(2), a.T:copy(), a:matmul(a.T), a:sort(2), a[a:gt(2)], dc.concat({ a, a + 1 }, 1),
    a[dc.array({ 2, 1, 2 }, "int64")], a:cumsum(2) }
  a[{ 1, ":" }] = 7
  list[#list + 1] = a
  list[#list + 1] = dc.arange(1, 5000):mean()]],
  ["launches of a kernel"] = [[
  local k = dc.kernel [=[
  struct pair { float2 v; int n; };
  __global__ void add(int n, float *x, pair p, const double *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += p.n + p.v.x * y[i];
  }]=]
  local x, y, s = dc.zeros(100), dc.arange(1, 100, 1, "float64"), dc.stream()
  k(2, 64, 100, x, { v = { 0.5, 1 }, n = 3 }, y)
  k:forall(100, 100, x, { v = { x = 0.5, y = 1 }, n = 3 }, y)
  k:with { stream = s } (2, 64, 100, x, { v = { 0.5, 1 }, n = 3 }, y)
  s:synchronize()
  dc.graph(function() k(2, 64, 100, x, { v = { 0.5, 1 }, n = 3 }, y) end)()
  local list = { x }]],
  ["a module that is compiled"] = [[
  local m = dc.module([=[
  #include <cuda_fp16.h>
  struct pair { float2 v; int n; };
  __constant__ float scale[4];
  template<class T> __global__ void times(T *x, T by) { x[threadIdx.x] *= by; }
  __global__ void add(float *x, pair p) { x[threadIdx.x] += p.n + p.v.x * scale[threadIdx.x & 3]; }]=],
    { instantiate = { "times<float>" } })
  m:global("scale")[":"] = dc.array { 1, 2, 3, 4 }
  local x = dc.zeros(8)
  m.add(1, 8, x, { v = { 0.5, 1 }, n = 3 })
  m:kernel "times<float>"(1, 8, x, 2)
  dc.jit(function(z, n) local i = dc.index() if i <= n then z[i] = z[i] * 2 end end)(1, 32, x, 8)
  local list = { x }]],
  ["files written and read"] = [[
  local a, p = dc.array({ { 3, 1, 2 }, { 6, 5, 4 } }, "float64"), dc.array({ { 10, 20, 30 }, { 40, 50, 60 } }, "uint8")
  dc.save("a.npy", a)
  dc.save("b.npz", { a = a, b = a * 2 })
  dc.save_csv("c.csv", a)
  dc.save_raw("d.raw", a)
  local list = { dc.load "a.npy", dc.load("a.npy", { mmap = true }), dc.load "b.npz".b, dc.load_csv "c.csv",
    dc.load_raw("d.raw", "float64", { 2, -1 }) }
  for _, ending in ipairs { "png", "pgm" } do
    dc.image.write("e." .. ending, p)
    list[#list + 1] = dc.image.read("e." .. ending)
  end]],
}

-- Asserts that the script survives; `cache` is the value of DOTCOMPUTE_CACHE, if any.
local function survives(name, how, who, most, cache)
  helper.with_folder(function(folder)
    local script = helper.write(folder .. "/script.lua", 'local dc = require "dotcompute"\nreturn function()\n',
      scripts[name], "\n  for i, x in ipairs(list) do list[i] = tostring(x) end\n",
      '  return table.concat(list, "\\n")\nend\n')
    local root, build = os.getenv "PWD", helper.build
    if build:sub(1, 1) ~= "/" then build = root .. "/" .. build end
    local text, code = helper.shell(([[cd %s && DOTCOMPUTE_DEVICE=cpu %s LUA_CPATH="%s/spec/?.so;$LUA_CPATH" \
      ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" LD_PRELOAD=%s/spec/failing_malloc.so \
      timeout 500 %s %s/spec/out_of_memory.lua %s %s %s %d %d]]):format(quote(folder),
      cache and "DOTCOMPUTE_CACHE=" .. cache or "", build, quote(build), quote(helper.lua), quote(root), quote(script),
      how, who, most, math.random(0, 1000)))
    local count = text:match "^(%d+) allocations\n$"
    assert(code == 0 and count and tonumber(count) > 100, helper.note(text))
  end)
end

for name in pairs(scripts) do
  local is_compiled = name:find "compiled" -- each time, by NVRTC
  describe(name, function()
    it("survives each allocation that fails", function()
      survives(name, "one", "ours", is_compiled and 40 or sanitized and 60 or 10000, is_compiled and "off")
    end)

    it("survives that all allocations fail from one on", function()
      survives(name, "from", "both", is_compiled and 20 or 50, is_compiled and "off")
    end)

    it("survives that all but the interpreter's fail from one on", function()
      survives(name, "from", "ours", is_compiled and (sanitized and 20 or 80) or 50, is_compiled and "off")
    end)

    it("survives collections in the middle of what it does", function()
      survives(name, "one", "lua", 20)
    end)
  end)
end
