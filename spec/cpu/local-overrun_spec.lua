-- Overruns of local arrays reached the interpreter's own data of a warp, and ended the process.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
local x = dc.zeros(64, "int32")
local sources = {
  -- by the array itself, up and down
  [[__global__ void up(int *x, int n) {
    int a[16];
    for (int i = 0; i < 16; i++) a[i] = x[i];
    for (int i = 0; i < n; i++) a[x[i & 15] + i] = 0x41414141;
    x[threadIdx.x] = a[x[threadIdx.x] & 15] == 12345;
  }]],
  [[__global__ void down(int *x, int n) {
    int a[16];
    for (int i = 0; i < 16; i++) a[i] = x[i];
    for (int i = 0; i < n; i++) a[x[i & 15] - i] = 0x41414141;
    x[threadIdx.x] = a[x[threadIdx.x] & 15] == 12345;
  }]],
  -- by a generic pointer
  [[__device__ __noinline__ void put(int *p, int by, int n) { for (int i = 0; i < n; i++) p[by * i] = 0x41414141; }
  __global__ void pointer(int *x, int n) {
    int a[16];
    for (int i = 0; i < 16; i++) a[i] = x[i];
    put(a, -1, n);
    x[threadIdx.x] = a[x[threadIdx.x] & 15] == 12345;
  }]],
}
for _, source in ipairs(sources) do
  local k = dc.kernel(source)
  for _, n in ipairs { 20, 1000, 50000, 3000000 } do
    local ok, err = pcall(function() k(1, 32, x, n) dc.synchronize() end)
    if not ok then assert(err.code == "CUDA_ERROR_ILLEGAL_ADDRESS", err) end
    if n == 3000000 then print(ok, not ok and tostring(err):match "local memory") end
  end
end
print(dc.ones(100):sum():item())
]==]

describe("a local array that is overrun", function()
  it("harms only the kernel, and is a fault beyond local memory", function()
    local name = helper.temporary(script)
    local text = helper.shell(("%s %s"):format(helper.quote(helper.lua), helper.quote(name)))
    os.remove(name)
    local want = ("false\tlocal memory\n"):rep(3) .. "100.0\n"
    assert.equal(want, text:sub(-#want)) -- a sanitizer may have something to say before
  end)
end)
