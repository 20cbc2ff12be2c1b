-- Faults of kernels on the CPU device: each is one Lua error that names the line, and leaves everything else usable.
local dc = require "dotcompute"
local helper = require "spec.helper"
local build = helper.build

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
      assert.matches("cpu/faults_spec%.lua:" .. line, text)
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

  it("traps or fails an assertion is an error with the line", on_cpu(function()
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

  it("recurses infinitely is an error", on_cpu(function()
    local k = dc.kernel [[
__device__ __noinline__ int deep(int n) { return n == -1 ? 0 : 1 + deep(n + 1) * 3; }
__global__ void run(int *x) { x[0] = deep(x[0]); }]]
    local err = fails(function() k(1, 1, dc.zeros(1, "int32")) dc.synchronize() end)
    assert.equal("launch", err.kind)
    assert.matches("stack", tostring(err))
    still_works()
  end))

  it("waits at a barrier that some threads miss is a deadlock error that names lines", on_cpu(function()
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

  it("uses an unsupported instruction is a compile error that names it and the line", on_cpu(function()
    local here = debug.getinfo(1, "l").currentline
    local err = fails(function()
      dc.kernel [[
__global__ void multiply(float *x) {
  x[0] = 1;
  asm volatile("wgmma.fence.sync.aligned;");
}]]
    end)
    assert.equal("compile", err.kind)
    assert.matches("wgmma", tostring(err))
    assert.matches(":" .. here + 5, tostring(err))
  end))

  local function interrupted(interpreter)
    local name, out = os.tmpname(), os.tmpname()
    helper.write(name, [[
local dc = require "dotcompute"
dc.use "cpu"
local k = dc.kernel "__global__ void forever(volatile int *x) { while (x[0] == 0) x[1]++; }"
local x = dc.zeros(2, "int32"):eval()
io.stdout:write("running\n") io.stdout:flush()
local ok, err = pcall(function() k(1, 32, x) dc.synchronize() end)
print(ok, type(err) == "table" and err.kind or err)
print(dc.ones(10):sum():item())
]])
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

  it("prints writes in order", function()
    local name = helper.temporary([[
local dc = require "dotcompute"
dc.use "cpu"
local k = dc.kernel [=[__global__ void say(float f) {
  if (threadIdx.x < 2) printf("%d %5.2f %s|%lld %x %c %%\n", threadIdx.x, f, "text", 1ll << 40, 255u, 'z');
}]=]
k(1, 32, 2.5)
dc.synchronize()
io.stdout:write("after\n")
]])
    local pipe = assert(io.popen(("'%s/dclua' %s 2>&1"):format(build, name)))
    local text = pipe:read "a"
    pipe:close()
    os.remove(name)
    assert.equal("0  2.50 text|1099511627776 ff z %\n1  2.50 text|1099511627776 ff z %\nafter\n", text)
  end)
end)

describe("a stock lua5.4 with the CPU device", function()
  it("exits cleanly, fifty times", function()
    local name = helper.temporary([[
local dc = require "dotcompute"
dc.use "cpu"
local k = dc.kernel [=[__global__ void one(int n, int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}]=]
local x = dc.empty(100000, "int32")
k(400, 256, 100000, x)
assert(x[100000] == 99999)
]])
    local pipe = assert(io.popen(("for i in $(seq 50); do lua5.4 %s || echo failed $i $?; done 2>&1"):format(name)))
    local text = pipe:read "a"
    pipe:close()
    os.remove(name)
    assert.equal("", text)
  end)
end)

-- Kernels that do one thing wrong, in the line marked "<- NAME OF THE KERNEL".
local this_file = debug.getinfo(1, "S").source:sub(2)

local function marked_line(name)
  local n = 0
  for text in io.lines(this_file) do
    n = n + 1
    if text:match "<%- ([%w_]+)" == name then return n end
  end
  error("no line is marked " .. name)
end

local bystander -- an array that no fault may touch

-- The error has this code, names kernel and line, and says what the patterns ask for; everything else goes on.
local function contained(source, launch, code, patterns, options)
  local name = source:match "__global__ void ([%w_]+)"
  local k = dc.kernel(source, options)
  local err = fails(function()
    launch(k)
    dc.synchronize()
  end)
  local text = tostring(err)
  assert.equal("launch", err.kind, text)
  assert.equal(code, err.code, text)
  assert.matches("kernel '" .. name .. "'", text)
  assert.matches("cpu/faults_spec%.lua:" .. marked_line(name) .. "%D", text)
  for _, pattern in ipairs(patterns) do assert.matches(pattern, text) end
  assert.equal(500, bystander:sum():item())
  still_works()
end

local ILLEGAL, MISALIGNED = "CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_MISALIGNED_ADDRESS"
local FAILED = "CUDA_ERROR_LAUNCH_FAILED"

describe("a fault on the CPU device is an error with line, block and thread, when a kernel", function()
  setup(function()
    bystander = dc.using("cpu", function() return dc.ones(500, "int32"):eval() end)
  end)
  teardown(function() bystander = nil end)

  -- The end of an array, rounded up to 256 bytes at the most, lies at a guard: these lengths are multiples of that.
  for _, n in ipairs { 64, 960, 1024, 6400, 16384, 64 * 1001, 1 << 20 } do
    it("reads or writes past the end of an array of " .. n, on_cpu(function()
      local x <close> = dc.zeros(n, "int32")
      local y <close> = dc.zeros(1, "int32")
      contained([[
__global__ void behind_read(const int *x, long long i, int *y) {
  if (threadIdx.x == 7 && blockIdx.x == 1)
    y[0] = x[i]; // <- behind_read
}]], function(k) k(2, 32, x, n, y) end, ILLEGAL, { "read of 4 bytes", "block %(1,0,0%)", "thread %(7,0,0%)",
        "right at the end of an array of " .. 4 * n .. " bytes, the kernel's parameter 1" })
      local more = math.random(1, 1000)
      contained([[
__global__ void behind_write(int *x, long long i) {
  if (threadIdx.x >= 7)
    x[i] = 1; // <- behind_write
}]], function(k) k(1, 32, x, n + more) end, ILLEGAL, { "write of 4 bytes", "block %(0,0,0%)", "thread %(7,0,0%)",
        4 * more .. " bytes past the end of an array of " .. 4 * n .. " bytes, the kernel's parameter 1" })
      assert.equal(0, x:sum():item())
    end))

    it("writes before an array of " .. n, on_cpu(function()
      local x <close> = dc.zeros(n, "int32")
      local y <close> = dc.zeros(1, "int32")
      -- Its first page is not all its own, and it may have got the place of a larger one.
      local less = 1024 + (n < 16384 and 0 or n // 8)
      contained([[
__global__ void before(int *x, int i, int *y) {
  if (threadIdx.y == 3)
    x[i + threadIdx.x] = y[0]; // <- before
}]], function(k)
        for i = 1024, less, 1024 do k(1, { 4, 8 }, x, -i, y) end
      end, ILLEGAL, { "write of 4 bytes", "thread %(%d,3,0%)" })
    end))
  end

  it("uses invalid, null and non-canonical addresses", on_cpu(function()
    local x <close> = dc.zeros(math.random(1, 5000), "int32")
    for _, address in ipairs { 0, 4096, 1 << 47, 1 << 55, 1 << 56, 1 << 62, -8, math.mininteger } do
      contained([[
__global__ void wild(long long p, int *x) {
  if (threadIdx.x == 30)
    x[0] = *(volatile int *)p; // <- wild
}]], function(k) k(1, 64, address, x) end, ILLEGAL, { "read of 4 bytes", "thread %(30,0,0%)" })
    end
    contained([[
__global__ void far_write(int *x, long long i) {
  x[i] = 1; // <- far_write
}]], function(k) k(1, 1, x, 1 << 36) end, ILLEGAL, { "write of 4 bytes", "past the end of an array", "parameter 1" })
    contained([[
struct node { int pad[90]; node *next; };
__global__ void null_field(node *n, long long *x) {
  x[0] = (long long)n->next; // <- null_field
}]], function(k) k(1, 1, dc.null, dc.zeros(1, "int64")) end, ILLEGAL, { "read of 8 bytes", "null pointer" })
  end))

  it("is given a closed array", on_cpu(function()
    local k = dc.kernel [[__global__ void closed(int *x) { x[0] = 1; }]]
    local x = dc.zeros(10, "int32")
    x:close()
    assert.matches("closed", tostring(fails(function() k(1, 1, x) end)))
    still_works()
  end))

  for ctype, bytes in pairs { short = 2, int = 4, double = 8, int2 = 8, float4 = 16, double2 = 16 } do
    it("uses a misaligned " .. ctype .. " in global, shared or local memory", on_cpu(function()
      local options = { define = { ELEMENT = ctype } }
      local x <close> = dc.zeros(1024, "int8")
      local y <close> = dc.zeros(1024, "int8")
      local off = math.random(0, 30) * bytes + math.random(1, bytes - 1)
      local function launch(k) k(1, 32, y, x, off) end
      local says = { "access of " .. bytes .. " bytes", "thread %(9,0,0%)" }
      contained([[
__global__ void skew_global(void *y, const char *x, int i) {
  if (threadIdx.x == 9)
    ((ELEMENT *)y)[9] = *(const ELEMENT *)(x + i); // <- skew_global
}]], launch, MISALIGNED, says, options)
      contained([[
__global__ void skew_store(char *y, const char *x, int i) {
  if (threadIdx.x == 9)
    *(ELEMENT *)(y + i) = ELEMENT(); // <- skew_store
}]], launch, MISALIGNED, says, options)
      contained([[
__global__ void skew_shared(void *y, const char *x, int i) {
  __shared__ double2 room[64];
  char *s = (char *)room;
  for (int j = threadIdx.x; j < 1024; j += 32) s[j] = x[j];
  __syncthreads();
  if (threadIdx.x == 9)
    ((ELEMENT *)y)[9] = *(const ELEMENT *)(s + i); // <- skew_shared
}]], launch, MISALIGNED, says, options)
      contained([[
__global__ void skew_local(void *y, const char *x, int i) {
  double2 room[64];
  char *s = (char *)room;
  for (int j = 0; j < 1024; j++) s[j] = x[j];
  if (threadIdx.x == 9)
    ((ELEMENT *)y)[9] = *(const ELEMENT *)(s + i); // <- skew_local
}]], launch, MISALIGNED, says, options)
    end))
  end

  it("leaves its shared memory, static, dynamic, or by a generic pointer", on_cpu(function()
    local x <close> = dc.zeros(1024, "int32")
    local says = { "shared memory", "thread %(3,1,0%)" }
    for _, i in ipairs { 2048, -(1 << 16), 1 << 18, 5 << 18, (1 << 29) - 1, -(1 << 29) } do -- beyond a block's most
      contained([[
__global__ void shared_read(int *x, int i) {
  __shared__ int s[100];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 3 && threadIdx.y == 1)
    x[0] = s[i]; // <- shared_read
}]], function(k) k(1, { 8, 4 }, x, i) end, ILLEGAL, says)
      contained([[
__global__ void shared_write(int *x, int i) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 3 && threadIdx.y == 1)
    s[i] = 7; // <- shared_write
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x];
}]], function(k) k:with { shared = 400 }(1, { 8, 4 }, x, i) end, ILLEGAL, says)
    end
    contained([[
__device__ __noinline__ void put(volatile int *p, int i) {
  p[i] = 1; // <- shared_generic
}
__global__ void shared_generic(int *x, int i) {
  __shared__ int s[100];
  s[threadIdx.x] = x[threadIdx.x];
  put(threadIdx.x == 3 && threadIdx.y == 1 ? s + i : x, 0);
  x[0] += s[threadIdx.x];
}]], function(k) k(1, { 8, 4 }, x, 2000) end, ILLEGAL, says)
  end))

  it("has less dynamic shared memory than it uses says how a launch gives it more", on_cpu(function()
    local x <close> = dc.zeros(64, "int32")
    local m = dc.module [[
__global__ void dynamic(int *x) { extern __shared__ int s[]; s[threadIdx.x] = x[0]; x[1] = s[0]; }
__global__ void fixed(int *x, int i) { __shared__ int s[8]; s[threadIdx.x & 7] = x[0]; x[1] = s[i]; }]]
    assert.matches("of which the block has 0 bytes %(k:with{shared = bytes} gives it more%)", fails(function()
      m.dynamic(1, math.random(32, 64), x)
    end).message)
    assert.matches("of which the block has 32 bytes, in block", fails(function() m.fixed(1, 8, x, 1 << 20) end).message)
    m.dynamic:with { shared = 64 * 4 }(1, 64, x)
  end))

  it("reads or writes far outside of a local array", on_cpu(function()
    local x <close> = dc.zeros(1024, "int32")
    for _, i in ipairs { 1 << 28, (1 << 29) - 1, -(1 << 28) } do
      contained([[
__global__ void local_far(int *x, int i) {
  int a[16];
  for (int j = 0; j < 16; j++) a[j] = x[j];
  if (threadIdx.x == 11)
    a[i] = 5; // <- local_far
  x[threadIdx.x] = a[x[threadIdx.x] & 15];
}]], function(k) k(1, 32, x, i) end, ILLEGAL, { "local memory", "thread %(11,0,0%)" })
    end
  end))

  it("recurses too deep, with small and with large frames", on_cpu(function()
    local x <close> = dc.zeros(1024, "int32")
    contained([[
__device__ __noinline__ int deep(int n) {
  return n == -1 ? 0 : 1 + deep(n + 1) * 3; // <- deep_small
}
__global__ void deep_small(int *x) {
  if (threadIdx.x == 5) x[0] = deep(x[0]);
}]], function(k) k(1, 32, x) end, FAILED, { "stack overflow", "thread %(5,0,0%)" })
    contained([[
__device__ __noinline__ int deep(int n, const int *o) {
  int a[3000];
  for (int i = 0; i < 3000; i++) a[i] = o[i & 1023];
  return n == -1 ? 0 : a[n] + deep(n + 1, a) * 3; // <- deep_large
}
__global__ void deep_large(int *x) {
  if (threadIdx.x == 5) x[0] = deep(x[0], x);
}]], function(k) k(1, 32, x) end, FAILED, { "stack overflow", "thread %(5,0,0%)" })
  end))

  it("recurses deeper than its stack allows, which an option raises", function()
    for tier = 0, 1 do
      local text, code = helper.on_cpu("TIER=" .. tier, [[
local dc = require "dotcompute"
local k = dc.kernel("__device__ __noinline__ int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1) * 3; }"
  .. "__global__ void run(int *x, int n) { x[threadIdx.x] = deep(n); }")
local x = dc.zeros(64, "int32")
local function check(k, n)
  local want = 0
  for _ = 1, n do want = 1 + want * 3 & 0xffffffff end
  k(1, 64, x, n)
  assert(x[64] & 0xffffffff == want)
end
local function refused(k, n, bytes)
  local ok, err = pcall(k, 1, 64, x, n)
  local says = "more than %d deep, or need more than the %d bytes of a thread's stack; k:with{stack = bytes}"
  assert(not ok and tostring(err):find(says:format(bytes // 512, bytes), 1, true), err)
end
check(k, 2040)
refused(k, 2050, 1 << 20)
local deep = k:with { stack = 8 << 20 }
check(deep, 16000)
refused(deep, 17000, 8 << 20)
check(k:with { stack = 1 << 20 }, 2050) -- a raised limit stays
assert(not pcall(k.with, k, { stack = 1 << 25 }))
print(k.attributes.tier, (k:explain():match "stays interpreted: (.*)"))]])
      assert.equal(0, code, text)
      local why = tier == 0 and "DOTCOMPUTE_CPU_TIER is 0\n" or "it calls functions that call themselves"
      assert.equal("0\t" .. why, text:sub(1, 2 + #why))
    end
  end)

  it("traps or fails an assertion in one thread of many", on_cpu(function()
    local b, t = math.random(0, 99), math.random(0, 127)
    local at = { ("block %%(%d,0,0%%)"):format(b), ("thread %%(%d,0,0%%)"):format(t) }
    contained([[
__global__ void traps(int n) {
  if (threadIdx.x + blockDim.x * blockIdx.x == n)
    __trap(); // <- traps
}]], function(k) k(100, 128, 128 * b + t) end, FAILED, { "trap", table.unpack(at) })
    contained([[
#include <assert.h>
__device__ void check(int v, int n) {
  assert(v != n && "no"); // <- asserts
}
__global__ void asserts(int n) {
  check(threadIdx.x + blockDim.x * blockIdx.x, n);
}]], function(k) k(100, 128, 128 * b + t) end, "CUDA_ERROR_ASSERT", { "v != n", table.unpack(at) })
  end))

  it("traps in the first blocks of 2^47", on_cpu(function()
    contained([[
__global__ void vast(int *x) {
  if (x[threadIdx.x] == 0)
    __trap(); // <- vast
}]], function(k) k({ (1 << 31) - 1, 65535 }, 32, dc.zeros(32, "int32")) end, FAILED, { "block %(%d+,0,0%)" })
  end))

  it("calls through a pointer to no function, or to one of another type", on_cpu(function()
    local x <close> = dc.zeros(1024, "int32")
    for _, p in ipairs { 0, 1234567, -1, x.ptr } do
      contained([[
typedef void (*fn)(int *);
__global__ void wild_call(int *x, long long p) {
  if (threadIdx.x == 2)
    ((fn)p)(x); // <- wild_call
}]], function(k) k(2, 64, x, p) end, FAILED, { "call through a pointer", "thread %(2,0,0%)" })
    end
    contained([[
__device__ __noinline__ int product(int a, int b) { return a * b; }
__device__ int (*volatile chosen)(int, int) = product;
typedef void (*fn)(int *);
__global__ void other_call(int *x) {
  x[0] = chosen(x[1], x[2]);
  ((fn)chosen)(x); // <- other_call
}]], function(k) k(1, 1, x) end, FAILED, { "call through a pointer" })
  end))

  it("frees a pointer that malloc did not return, or twice", on_cpu(function()
    local x <close> = dc.zeros(1024, "int32")
    contained([[
__global__ void frees(int *x) {
  if (threadIdx.x == 4)
    free(x + 1); // <- frees
}]], function(k) k(1, 32, x) end, FAILED, { "free", "thread %(4,0,0%)" })
    contained([[
__global__ void frees_twice(int *x) {
  void *p = malloc(100);
  free(p);
  free(p); // <- frees_twice
}]], function(k) k(1, 1, x) end, FAILED, { "free" })
  end))

  it("faults in all threads at once, or in one in the middle of a big grid", on_cpu(function()
    local x <close> = dc.zeros(1024, "int32")
    contained([[
__global__ void all_fault(int *x, long long i) {
  x[i + threadIdx.x + 64ll * blockIdx.x] = 1; // <- all_fault
}]], function(k) k(1000, 64, x, 1 << 38) end, ILLEGAL, { "block %(%d+,0,0%)", "thread %(%d+,0,0%)" })
    local b = math.random(1000, 4000)
    contained([[
__global__ void middle(int *x, int b) {
  if (blockIdx.x == b % 100 && blockIdx.y == b / 100 && threadIdx.x == 40) x = 0;
  for (int i = 0; i < 20; i++)
    x[(threadIdx.x + i) & 1023] = 1; // <- middle
}]], function(k) k({ 100, 50 }, 64, x, b) end, ILLEGAL,
      { ("block %%(%d,%d,0%%)"):format(b % 100, b // 100), "thread %(40,0,0%)", "null pointer" })
  end))

  it("faults inside an atomic operation", on_cpu(function()
    local x <close> = dc.zeros(1024, "int32")
    local says = { "atomic operation of %d bytes", "thread %(33,0,0%)" }
    for _, op in ipairs { "atomicAdd(x + i, 1)", "atomicCAS(x + i, 1, 2)", "atomicExch((float *)x + i, 1.0f)",
      "atomicAdd((double *)x + i, 1.0)", "atomicMax((long long *)x + i, 1ll)", "x[0] = atomicAnd(x + i, 3)" } do
      contained([[
__global__ void atomics(int *x, long long i) {
  if (threadIdx.x == 33)
    OPERATION; // <- atomics
}]], function(k) k(1, 64, x, 1 << 38) end, ILLEGAL, says, { define = { OPERATION = op } })
    end
    contained([[
__global__ void atomics_skew(char *x) {
  if (threadIdx.x == 33)
    atomicAdd((unsigned long long *)(x + 12), 5ull); // <- atomics_skew
}]], function(k) k(1, 64, dc.zeros(64, "int8")) end, MISALIGNED, { "thread %(33,0,0%)" })
  end))

  it("faults inside a load or store of vectors", on_cpu(function()
    local x <close> = dc.zeros(1024, "int32")
    contained([[
__global__ void vector_read(int4 *x, int i) {
  if (threadIdx.x >= 50)
    x[0] = x[i + threadIdx.x - 50]; // <- vector_read
}]], function(k) k(1, 64, x, 250) end, ILLEGAL, { "read of 16 bytes", "thread %(56,0,0%)", "right at the end" })
    contained([[
__global__ void vector_write(int4 *x, int i) {
  x[i + threadIdx.x] = make_int4(1, 2, 3, 4); // <- vector_write
}]], function(k) k(1, 64, x, 246) end, ILLEGAL, { "write of 16 bytes", "thread %(10,0,0%)", "right at the end" })
  end))

  it("faults in a function called from two places (the line is the function's)", on_cpu(function()
    local x <close> = dc.zeros(1024, "int32")
    for _, inline in ipairs { "__noinline__", "__forceinline__" } do
      contained([[
__device__ INLINE int get(const int *p, long long i) {
  return p[i]; // <- twice_called
}
__global__ void twice_called(int *x, long long i) {
  x[0] = get(x, 0);
  x[1] = get(x, i);
}]], function(k) k(1, 32, x, 1 << 38) end, ILLEGAL, { "thread %(0,0,0%)" }, { define = { INLINE = inline } })
    end
  end))

  it("prints a string at an invalid address", on_cpu(function()
    contained([[
__global__ void prints(long long p) {
  if (threadIdx.x == 1)
    printf("%s\n", (const char *)p); // <- prints
}]], function(k) k(1, 32, 12345) end, ILLEGAL, { "thread %(1,0,0%)" })
  end))

  it("reads past its constant memory", on_cpu(function()
    contained([[
__constant__ int table[4] = { 1, 2, 3, 4 };
__global__ void constants(int *x, long long i) {
  x[0] = table[i]; // <- constants
}]], function(k) k(1, 1, dc.zeros(1, "int32"), 1 << 38) end, ILLEGAL, { "read of 4 bytes" })
  end))

  it("leaves a variable of its module, which is named, or an array at a distance that fits its size", on_cpu(function()
    local x <close> = dc.zeros(1, "int32")
    local y <close> = dc.zeros(4000, "int32")
    contained([[
__constant__ int table[4];
__global__ void near_constants(int *x, int i) {
  x[0] = table[i]; // <- near_constants
}]], function(k) k(1, 1, x, 100) end, ILLEGAL, { "384 bytes past the end of the variable 'table' of 16 bytes" })
    contained([[
namespace name { __device__ int table[1000]; }
static __device__ int other[4];
__device__ __noinline__ int get(int i) {
  return name::table[i]; // <- variables
}
__global__ void variables(int *x, int i) {
  x[0] = get(i) + other[2];
}]], function(k) k(1, 1, x, 1004 + 60) end, ILLEGAL, {
      "%d+ bytes past the end of the variable 'name::table' of 4000 bytes" })
    local source = [[
__global__ void of_two(int *x, const int *y, int i) {
  x[i] = y[0]; // <- of_two
}]]
    contained(source, function(k) k(1, 1, x, y, 1 << 28) end, ILLEGAL, { "no array is there" })
    contained(source, function(k) k(1, 1, y, x, 1 << 18) end, ILLEGAL, { "array of 16000 bytes, .*parameter 1" })
    contained([[
__global__ void of_one(int *x, int i) {
  x[i] = 1; // <- of_one
}]], function(k) k(1, 1, x, 1 << 28) end, ILLEGAL, { "past the end of an array of 4 bytes, .*parameter 1" })
  end))

  it("runs in a graph, also when the kernel is gone and after an update that fails", on_cpu(function()
    local x <close> = dc.zeros(1, "int32")
    local first = debug.getinfo(1, "l").currentline
    local function graph_of(check)
      local k = dc.kernel [[
__global__ void in_graph(int *x, int i) {
  x[i] = 1;
}]]
      local other = dc.kernel "__global__ void other(const int *x) { assert(x[0] == 0); }"
      return function()
        if check then other(1, 1, x) end
        k(1, 1, x, 1 << 28)
      end
    end
    local g = dc.graph(graph_of(false))
    local function says(place)
      collectgarbage()
      local text = tostring(fails(g))
      assert.matches(place, text)
    end
    local place = "in a graph, kernel 'in_graph' %%(spec/cpu/faults_spec%%.lua:%d%%): illegal address"
    says(place:format(first + 4))
    assert.is_false(pcall(g.update, g, function() error "not captured" end))
    says(place:format(first + 4))
    x:fill(1)
    g:update(graph_of(true))
    says(("in a graph, kernel 'other': .*faults_spec%%.lua:%d: .*Assertion `x%%[0%%] == 0` failed"):format(first + 6))
    still_works()
  end))

  it("lets half of the threads wait for ever (a deadlock)", on_cpu(function()
    local x <close> = dc.zeros(64, "int32")
    local k = dc.kernel [[
__global__ void halves(volatile int *x) {
  if (threadIdx.x & 1)
    asm volatile("barrier.sync 1, 64;");
  else
    asm volatile("barrier.sync 2, 96;");
  x[threadIdx.x] = 1;
}]]
    local err = fails(function() k(1, 64, x) dc.synchronize() end)
    assert.equal("launch", err.kind)
    assert.matches("deadlock: in block %(0,0,0%) all 64 threads", tostring(err))
    assert.matches("lines 3 and 5", tostring(err))
    assert.equal(0, x:sum():item())
    still_works()
  end))
end)
