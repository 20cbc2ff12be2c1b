-- What a kernel may do wrong on the CPU device is one Lua error that names the line, and everything else lives on.
local dc = require "dotcompute"

local build = os.getenv "DOTCOMPUTE_BUILD" or "build"

-- Runs fn with the CPU device selected; faults on a GPU end CUDA for the process and are another spec's subject.
local function on_cpu(fn)
  return function() return dc.using("cpu", fn) end
end

local function fails(fn)
  local ok, err = pcall(fn)
  assert.is_false(ok, "no error was raised")
  assert.equal("table", type(err), tostring(err))
  return err
end

local function still_works()
  local x = dc.arange(1, 1000)
  assert.equal(500500, (x + 0):sum():item())
  local k = dc.kernel [[__global__ void one(int *x) { x[threadIdx.x] = 1; }]]
  local y = dc.zeros(64, "int32")
  k(1, 64, y)
  assert.equal(64, y:sum():item())
end

describe("on the CPU device a kernel that", function()
  it("reads far out of bounds is an error with kernel, line, block and thread", on_cpu(function()
    local line = debug.getinfo(1, "l").currentline + 5
    local k = dc.kernel [[
__global__ void far(float *x, long long i) {
  int t = threadIdx.x;
  if (t == 5 && blockIdx.x == 2)
    x[0] += x[i];
}]]
    local x = dc.zeros(100)
    for _, i in ipairs { 1 << 30, -(1 << 36), 1 << 61 } do
      local err = fails(function()
        k(4, 64, x, i)
        dc.synchronize()
      end)
      assert.equal("launch", err.kind)
      assert.equal("CUDA_ERROR_ILLEGAL_ADDRESS", err.code)
      local text = tostring(err)
      assert.matches("far", text)
      assert.matches("25%-cpu%-faults_spec%.lua:" .. line, text)
      assert.matches("block %(?2,", text)
      assert.matches("thread %(?5,", text)
    end
    still_works()
  end))

  it("writes past the end of a large array is caught at its edge", on_cpu(function()
    local n = 1 << 20
    local x <close> = dc.zeros(n)
    local k = dc.kernel [[__global__ void past(float *x, int n) { x[n + threadIdx.x] = 1; }]]
    local err = fails(function() k(1, 32, x, n) dc.synchronize() end)
    assert.equal("CUDA_ERROR_ILLEGAL_ADDRESS", err.code)
    still_works()
  end))

  it("writes through a null pointer is an error", on_cpu(function()
    local k = dc.kernel [[__global__ void null(int *p) { *p = 1; }]]
    local err = fails(function() k(1, 1, dc.null) dc.synchronize() end)
    assert.equal("CUDA_ERROR_ILLEGAL_ADDRESS", err.code)
    still_works()
  end))

  it("divides by zero goes on, as on a GPU", on_cpu(function()
    local k = dc.kernel [[
__global__ void divide(int *x) { x[0] = x[0] / x[1]; x[2] = x[2] % x[1]; x[3] = 5; x[4] = x[4] / x[5]; }]]
    local x = dc.array({ 7, 0, 9, 0, -2147483648, -1 }, "int32")
    k(1, 1, x)
    assert.equal(5, x[4])
  end))

  it("traps or fails an assertion is an error that names the line", on_cpu(function()
    local here = debug.getinfo(1, "l").currentline
    local trap = dc.kernel [[__global__ void stop(int n) {
  if (threadIdx.x == n) __trap();
}]]
    local err = fails(function() trap(1, 32, 3) dc.synchronize() end)
    assert.equal("launch", err.kind)
    assert.matches("stop", tostring(err))
    assert.matches(":" .. here + 2, tostring(err))
    local check = dc.kernel [[
#include <assert.h>
__global__ void check(int n) { assert(threadIdx.x != n); }]]
    err = fails(function() check(1, 32, 7) dc.synchronize() end)
    assert.equal("CUDA_ERROR_ASSERT", err.code)
    assert.matches("threadIdx.x != n", tostring(err))
    still_works()
  end))

  it("recurses without end is an error", on_cpu(function()
    local k = dc.kernel [[
__device__ __noinline__ int deep(int n) { return n == -1 ? 0 : 1 + deep(n + 1) * 3; }
__global__ void run(int *x) { x[0] = deep(x[0]); }]]
    local err = fails(function() k(1, 1, dc.zeros(1, "int32")) dc.synchronize() end)
    assert.equal("launch", err.kind)
    assert.matches("stack", tostring(err))
    still_works()
  end))

  it("waits at a barrier that not all reach is a deadlock error that names lines, not a hang", on_cpu(function()
    local k = dc.kernel [[
__global__ void stuck(volatile int *x) {
  if (threadIdx.x < 32) __syncthreads();
  else asm volatile("bar.sync 1, 96;");
  x[threadIdx.x] = 1;
}]]
    local err = fails(function() k(1, 64, dc.zeros(64, "int32")) dc.synchronize() end)
    assert.equal("launch", err.kind)
    assert.matches("[Dd]eadlock", tostring(err))
    still_works()
  end))

  it("uses an instruction that is not supported is a compile error that names it and the line", on_cpu(function()
    local here = debug.getinfo(1, "l").currentline
    local err = fails(function()
      dc.kernel [[
__global__ void sample(cudaTextureObject_t t, float *x) {
  x[0] = tex1Dfetch<float>(t, 3);
}]]
    end)
    assert.equal("compile", err.kind)
    assert.matches("tex", tostring(err))
    assert.matches(":" .. here + 4, tostring(err))
  end))

  local function interrupted(interpreter)
    local name, out = os.tmpname(), os.tmpname()
    local f = assert(io.open(name, "w"))
    f:write [[
local dc = require "dotcompute"
dc.use "cpu"
local k = dc.kernel "__global__ void forever(volatile int *x) { while (x[0] == 0) x[1]++; }"
local x = dc.zeros(2, "int32"):eval()
io.stdout:write("running\n") io.stdout:flush()
local ok, err = pcall(function() k(1, 32, x) dc.synchronize() end)
print(ok, type(err) == "table" and err.kind or err)
print(dc.ones(10):sum():item())
]]
    f:close()
    -- The child's process id comes first; it is interrupted once it says that it runs.
    local pipe = assert(io.popen(([[
      env --default-signal=INT %s %s > %s 2>&1 & pid=$! # a shell's background job ignores SIGINT otherwise
      for i in $(seq 200); do grep -q running %s && break; sleep 0.05; done
      sleep 0.3; kill -INT $pid
      for i in $(seq 200); do kill -0 $pid 2>/dev/null || break; sleep 0.05; done
      kill -9 $pid 2>/dev/null && echo HUNG
      cat %s]]):format(interpreter, name, out, out, out)))
    local text = pipe:read "a"
    pipe:close()
    os.remove(name)
    os.remove(out)
    return text
  end

  it("never ends is stopped by Ctrl-C under dclua", function()
    assert.equal("running\nfalse\tinterrupted\n10.0\n", interrupted("'" .. build .. "/dclua'"))
  end)

  it("never ends is stopped by Ctrl-C under a stock lua5.4", function()
    assert.equal("running\nfalse\tinterrupted\n10.0\n", interrupted "lua5.4")
  end)

  it("prints does so in order", function()
    local name = os.tmpname()
    local f = assert(io.open(name, "w"))
    f:write [[
local dc = require "dotcompute"
dc.use "cpu"
local k = dc.kernel [=[__global__ void say(float f) {
  if (threadIdx.x < 2) printf("%d %5.2f %s|%lld %x %c %%\n", threadIdx.x, f, "text", 1ll << 40, 255u, 'z');
}]=]
k(1, 32, 2.5)
dc.synchronize()
io.stdout:write("after\n")
]]
    f:close()
    local pipe = assert(io.popen(("'%s/dclua' %s 2>&1"):format(build, name)))
    local text = pipe:read "a"
    pipe:close()
    os.remove(name)
    assert.equal("0  2.50 text|1099511627776 ff z %\n1  2.50 text|1099511627776 ff z %\nafter\n", text)
  end)
end)

describe("a stock lua5.4 that used the CPU device", function()
  it("exits cleanly, time after time", function()
    local name = os.tmpname()
    local f = assert(io.open(name, "w"))
    f:write [[
local dc = require "dotcompute"
dc.use "cpu"
local k = dc.kernel [=[__global__ void one(int n, int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}]=]
local x = dc.empty(100000, "int32")
k(400, 256, 100000, x)
assert(x[100000] == 99999)
]]
    f:close()
    local pipe = assert(io.popen(("for i in $(seq 50); do lua5.4 %s || echo failed $i $?; done 2>&1"):format(name)))
    local text = pipe:read "a"
    pipe:close()
    os.remove(name)
    assert.equal("", text)
  end)
end)
