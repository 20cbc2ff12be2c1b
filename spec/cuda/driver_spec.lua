-- The CUDA device over a driver library without a GPU (spec/fake/fake_cuda.c): loading, errors, release of resources.
-- Kernels compute nothing there; copies and fills are real, launches are recorded. All in child processes.
local helper = require "spec.helper"
local fake = require "spec.fake"
local run, assert_released = fake.run, fake.assert_released
local quote, build = helper.quote, helper.build

setup(fake.build)

local saxpy = [==[
local k = dc.kernel [[
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}]]
]==]

it("our declarations of the driver agree with NVIDIA's header", function()
  local include = require "dotcompute.core".compiler().include_dir
  local header = include and io.open(include .. "/cuda.h")
  if not header then return pending "no cuda.h here" end
  local version = math.tointeger(header:read "a":match "#define CUDA_VERSION (%d+)")
  header:close()
  if version < 12040 then return pending "its cuda.h is older than the newest function that is used" end
  local program = build .. "/spec/check_api"
  assert(os.execute(("%s -std=gnu11 -Isrc -I%s -o %s spec/fake/check_api.c"):format(os.getenv "CC" or "cc",
    quote(include), quote(program))))
  assert.is_true(os.execute(quote(program)))
end)

describe("the CUDA driver library is", function()
  it("not loaded by require", function()
    local out = run [[
      print(io.open "/proc/self/maps":read "a":find "libfake_cuda" and "loaded" or "not loaded")
      dc.devices()
      print(io.open "/proc/self/maps":read "a":find "libfake_cuda" and "loaded" or "not loaded")]]
    assert.equal("not loaded\nloaded\n", out)
  end)

  it("not loaded when only the CPU device is requested", function()
    local out = run([[
      local x = dc.zeros(4) + 1
      print(x:sum():item())
      print(io.open "/proc/self/maps":read "a":find "libfake_cuda" and "loaded" or "not loaded")
      dc.devices()]], { DOTCOMPUTE_DEVICE = "cpu" })
    assert.equal("4.0\nnot loaded\n", out)
  end)

  it("refused with the reason when it is too old, a stub, or without a GPU", function()
    for env, reason in pairs {
      [{ FAKE_CUDA_VERSION = "11080" }] = "too old: it serves CUDA 11.8",
      [{ FAKE_CUDA_FAIL = "Init:100" }] = "finds no GPU",
      [{ FAKE_CUDA_FAIL = "Init:34" }] = "stub",
      [{ FAKE_CUDA_FAIL = "Init:999" }] = "CUDA_ERROR_UNKNOWN",
      [{ FAKE_CUDA_FAIL = "DeviceGetCount:3" }] = "cannot count its GPUs",
      [{ FAKE_CUDA_DEVICES = "0" }] = "finds no GPU",
    } do
      local out = run([[
        print(dc.available "cuda")
        print(dc.available "cuda")
        print(dc.device())
        print(#dc.devices())]], env)
      local first, second, device, count = out:match "^(.-)\n(.-)\n(.-)\n(.-)\n$"
      assert.matches("^false", first)
      assert.is_truthy(first:find(reason, 1, true), first)
      assert.equal(first, second)
      assert.matches("cpu", device)
      assert.equal("1", count)
    end
    local out = run([[dc.devices() print(dc.available "cuda")]], { FAKE_CUDA_VERSION = "12000" })
    assert.matches("^true", out)
  end)
end)

describe("a CUDA device", function()
  it("is found, described and is the default", function()
    local out = run([[
      for _, d in ipairs(dc.devices()) do print(d.backend, d.index, d.name) end
      local d = dc.device()
      print(d == dc.device "cuda:0", d.multiprocessors, d:memory_info())
      print(dc.device "cuda:1".name)
      try(dc.device, "cuda:2")]], { FAKE_CUDA_DEVICES = "2" })
    assert.matches("^cuda\t0\tFake GPU 0\ncuda\t1\tFake GPU 1\ncpu\t0\t[^\n]*\n"
      .. "true\t132\t1073741824\t1073741824\nFake GPU 1\ndevice\t[^\n]*cuda:2[^\n]*cuda:0", out)
  end)

  it("copies and fills", function()
    local out, report = run [[
      local t, big = {}, {}
      for i = 1, 100 do t[i] = i end
      for i = 1, 40000 do big[i] = i % 1000 end
      for _, dtype in ipairs { "int8", "int16", "int32", "int64", "float32", "float64" } do
        local a, b = dc.array(t, dtype), dc.array(big, "float64")
        for i = 1, 100 do assert(a[i] == i) end
        local c, d = a:copy():to_table(), b:copy():to_table()
        for i = 1, 100 do assert(c[i] == i) end
        for i = 1, 40000 do assert(d[i] == i % 1000) end
        for _, n in ipairs { 1, 7, 511, 512, 513, 30000 } do
          local f = dc.full(n, 77, dtype)
          for i = 1, n do assert(f[i] == 77, dtype) end
        end
      end
      print "done"]]
    assert.equal("done\n", out)
    assert_released(report)
    assert.equal(report.calls.MemAllocAsync, report.calls.MemFreeAsync)
  end)

  it("copies large arrays through page-locked chunks, on several threads", function()
    for _, extra in ipairs { 0, 1, 4096, 3 << 20 } do
      local out, report = run(([[
        local n = (60 << 20) + %d
        local piece = {}
        for i = 1, 65536 do piece[i] = string.char(math.random(0, 255)) end
        local text = table.concat(piece):rep(n // 65536 + 1):sub(1, n)
        local a = dc.from_bytes(text, n, "uint8")
        assert(a:bytes() == text)
        assert(a:to "cpu":bytes() == text)
        assert(dc.using("cpu", dc.from_bytes, text, n, "uint8"):to "cuda:0":bytes() == text)
        print "done"]]):format(extra))
      assert.equal("done\n", out)
      assert_released(report)
      assert.is_true(report.calls.EventRecord > 60) -- a chunk each: it was that way
    end
  end)

  it("large copies that fail, or get no page-locked memory, leak nothing", function()
    local script = [[
      local n = 20 << 20
      local a
      try(function() a = dc.from_bytes(("x"):rep(n), n, "uint8") end)
      if a then try(function() return #a:bytes() end) end
      collectgarbage() print "alive"]]
    for _, rule in ipairs { "MemHostAlloc:2:*", "MemHostAlloc:2:2", "EventCreate:2:*", "EventCreate:2:4",
                            "EventRecord:2:3", "MemcpyHtoDAsync:2:2", "MemcpyDtoHAsync:2:3", "EventQuery:2:5" } do
      local out, report = run(script, { FAKE_CUDA_FAIL = rule })
      assert.matches("alive\n$", out, 1, false, rule)
      assert_released(report)
    end
  end)

  it("copies between two devices", function()
    local out, report = run([[
      local a = dc.using("cuda:0", counting, 1000)
      local b = a:to "cuda:1"
      print(b.device.index, b[1000])
      local c = b:to "cpu"
      print(c.device.backend, c[999])]], { FAKE_CUDA_DEVICES = "2" })
    assert.equal("1\t1000.0\ncpu\t999.0\n", out)
    assert_released(report)
  end)

  it("gets parameters in the layout of the ABI, and valid launches only", function()
    local out, report = run(saxpy .. [==[
      local x, y = dc.ones(10), dc.ones(10)
      k(3, {32, 2}, 10, 0.5, x, y)
      print(("%08x"):format(string.unpack(">I4", string.pack("<I4", 10))), x.ptr, y.ptr)
      try(k, 1, 2048, 10, 1, x, y)
      try(k, {1, 70000}, 1, 10, 1, x, y)
      try(k, 0, 64, 10, 1, x, y)
      try(k, 1, 64, 2.5, 1, x, y)
      try(k, 1, 64, 1 << 31, 1, x, y)
      try(k, 1, 64, 10, 1e300, x, y)
      try(k, 1, 64, 10, 1, dc.zeros(10, "float64"), y)
      try(k, 1, 64, 10, 1, x)
      try(k, 1, 64, 10, 1, nil, y)
      try(k, 1, 64, 10, 1, dc.null, y)]==])
    local n, x, y = out:match "^(%x+)\t(%d+)\t(%d+)\n"
    local function hex(address)
      return (string.pack("<I8", address):gsub(".", function(c) return ("%02x"):format(c:byte()) end))
    end
    local expected = n .. "0000003f" .. hex(x) .. hex(y)
    assert.equal("_Z5saxpyifPKfPf 3x1x1 32x2x1 0 24 " .. expected, report.launch[1])
    assert.equal(2, #report.launch) -- the first, and the one with the null pointer
    local lines = {}
    for line in out:gmatch "[^\n]+" do lines[#lines + 1] = line end
    for i, part in ipairs { "launch.*block of 2048 threads.*1024 threads a block on Fake GPU 0",
                            "launch.*grid of 70000 blocks in y.*65535", "^ok", "argument.*2.5 has no integer",
                            "argument.*2147483648 is out of range for int32", "argument.*too large for float32",
                            "argument.*parameter 3 'x'.*float32 array", "argument", "argument.*parameter 3 'x'",
                            "^ok" } do
      assert.matches(part, lines[i + 1])
    end
    assert_released(report)
  end)

  it("gets no launch with a wrong argument, also after valid ones", function()
    local out, report = run(saxpy .. [==[
      local x, y, wrong = dc.zeros(8), dc.zeros(8), dc.zeros(8, "float64")
      local bad = { [1000] = { "8", 1, x, y }, [1001] = { 8, 1, x, wrong }, [1002] = { 8.5, 1, x, y },
                    [1003] = { 8, 1, nil, y }, [1004] = { 8, 1, x, y, y }, [1005] = { 8, 1e39, x, y } }
      for i = 1, 1006 do
        if bad[i] then try(k, 1, 32, table.unpack(bad[i], 1, i == 1004 and 5 or 4)) else k(1, 32, 8, 1.5, x, y) end
      end]==])
    local kinds = {}
    for kind in out:gmatch "(%w+)[^\n]*\n" do kinds[#kinds + 1] = kind end
    assert.same({ "argument", "argument", "argument", "argument", "argument", "argument" }, kinds)
    assert.equal(1000, #report.launch)
  end)

  it("refuses a kernel whose parameters have other offsets than its types", function()
    local out = run("try(function()\n" .. saxpy .. "local x = dc.ones(10) k(1, 64, 10, 1, x, x) end)",
      { FAKE_CUDA_PARAMS = "0:4,8:8,16:8,24:8" })
    assert.matches("parameter 2 'a' %(float%) should have 4 bytes at offset 4", out)
  end)

  it("passes parameters of an alignment above 16 where the code for the GPU has them", function()
    local kernel = "local v = {}\nfor i = 1, 32 do v[i] = i end\ntry(function()\n"
      .. "dc.kernel [[struct alignas(64) Box { int v[32]; };\n__global__ void k(Box a, Box b, int *p) {}]]"
      .. "(1, 1, { v = v }, { v = v }, dc.zeros(1, 'int32')) end)"
    assert.matches("^ok", run(kernel, { FAKE_CUDA_PARAMS = "48:128,176:128,304:8" }))
    assert.matches("^ok", run(kernel, { FAKE_CUDA_PARAMS = "0:128,128:128,256:8" }))
    assert.matches("parameter 2 'b' %(Box%) should have 128 bytes", run(kernel,
      { FAKE_CUDA_PARAMS = "48:128,240:128,368:8" }))
  end)

  it("collects, trims and tries again before it runs out of memory", function()
    local out, report = run([[
      for i = 1, 50 do local a = dc.empty(1 << 20) end -- 4 MiB each, 20 in all, unreferenced
      local keep = {}
      try(function() for i = 1, 6 do keep[i] = dc.empty(1 << 20) end end)
      keep = nil
      try(dc.empty, 4 << 20)
      try(dc.empty, 1 << 40)
      print(dc.zeros(5)[5])]], { FAKE_CUDA_MEMORY = tostring(20 << 20) })
    assert.matches("^memory\t[%w_]*\t.*cannot allocate.*\nok.*\nmemory\t.*in all.*\n0%.0\n$", out)
    assert_released(report)
  end)

  it("works without stream-ordered memory and without staging memory", function()
    local out, report = run([[
      local a = counting(50000)
      print(a[50000], a:copy()[7], dc.full(9, 3.5, "float64")[9])]],
      { FAKE_CUDA_POOLS = "0", FAKE_CUDA_FAIL = "MemHostAlloc:2" })
    assert.equal("50000.0\t7.0\t3.5\n", out)
    assert.is_nil(report.calls.MemAllocAsync)
    assert_released(report)
  end)
end)

describe("a fault on the GPU", function()
  local script = saxpy .. [==[
    local x = dc.ones(10)
    local other = dc.kernel "__global__ void other(float *x) { x[0] = 1; }"
    other(1, 32, x)
    dc.synchronize()
    if not try(k, 1, 32, 10, 1, x, x) then print "at the launch" end
    try(dc.synchronize)
    try(k, 1, 32, 10, 1, x, x)
    try(function() return x[1] end)
    try(dc.zeros, 4)
    try(dc.device().memory_info, dc.device())
    print((dc.available "cuda"))
    x:close()
    local y = dc.using("cpu", function() return (dc.ones(4) * 3):sum():item() end)
    print(y)]==]

  it("names its kernel, loses the device and leaves the CPU device", function()
    local out = run(script, { FAKE_CUDA_FAULT = "700:2" })
    local lines = {}
    for line in out:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.matches("^ok", lines[1])
    for i = 2, 6 do
      assert.matches((i == 2 and "^launch" or "^device") .. "\tCUDA_ERROR_ILLEGAL_ADDRESS", lines[i])
      assert.matches("in kernel 'saxpy'", lines[i])
      assert.matches("lost for this process", lines[i])
    end
    assert.same({ "false", "12.0" }, { lines[7], lines[8] })
  end)

  it("is raised by the launch itself with DOTCOMPUTE_SYNC=1", function()
    local out = run(script, { FAKE_CUDA_FAULT = "719:2", DOTCOMPUTE_SYNC = "1" })
    assert.matches("^launch\tCUDA_ERROR_LAUNCH_FAILED[^\n]*in kernel 'saxpy'[^\n]*\nat the launch\n", out)
  end)

  it("in a builder's kernel names the script's line, not a line of dotcompute's files", function()
    local out = run([[
local twice = dc.elementwise("float x", "float y", "y = 2 * x")
local x = dc.array { 1, 2, 3 }
local y = twice(x) print("line", debug.getinfo(1, "l").currentline)
try(dc.synchronize)]], { FAKE_CUDA_FAULT = "700:1" })
    assert.equal(out:match "line\t(%d+)", out:match "launched at [^%s()]*:(%d+)", out)
    assert.is_nil(out:find "elementwise.lua")
  end)

  it("names the line of the kernel's last launch", function()
    local places = [==[
local x, y = dc.zeros(4):eval(), dc.zeros(4):eval()
local function line() return debug.getinfo(2, "l").currentline end
local lines, places = {}, {}
places.a = function() k(1, 32, 4, 1, x, y) lines.a = line() end
places.b = function() k(1, 32, 4, 1, x, y) lines.b = line() end
places.c = function() pcall(k, 1, 32, 4, 1, x, y) lines.c = line() end
places.d = coroutine.wrap(function()
  while true do k:forall(4, 4, 1, x, y) lines.d = line() coroutine.yield() end
end)
places.e = function() k:with { shared = 8 }(1, 32, 4, 1, x, y) lines.e = line() end
places.z = function() k(0, 32, 4, 1, x, y) end -- no launch
for i = 1, 200 do
  places[i] = load(("\n"):rep(i) .. "local k, x, y = ... k(1, 32, 4, 1, x, y)", "=many.lua")
end
places.m = function()
  for i = 1, 200 do dc.synchronize() places[i](k, x, y) end
  lines.m = 201
end
places.g = function() -- functions that are collected, so that others come to lie where they were
  for i = 1, 50 do
    dc.synchronize()
    load(("\n"):rep(i) .. "local k, x, y = ... k(1, 32, 4, 1, x, y)", "=many.lua")(k, x, y)
    collectgarbage()
  end
  lines.g = 51
end
]==]
    for _, order in ipairs { "a", "a|a|b", "aa|b", "ab|a", "abcab|b", "bc|b|c", "a|dad|d", "eae|a", "aea|e", "m|a",
      "am", "ama|m|a", "az", "a|zbz", "g", "agag" } do
      local launches = #order:gsub("[|z]", "") + 199 * select(2, order:gsub("m", "")) +
        49 * select(2, order:gsub("g", ""))
      local out = run(saxpy .. places .. ([==[
local order = %q
for name in order:gmatch "." do
  if name == "|" then dc.synchronize() else places[name]() end
end
print("line", lines[order:match "(%%a)z*$"])
try(dc.synchronize)]==]):format(order), { FAKE_CUDA_FAULT = "700:" .. launches })
      assert.equal(out:match "line\t(%d+)", out:match "launched at [^%s()]*:(%d+)", order .. out)
      assert.equal(order:find "[mg]$" and "many.lua" or nil, out:match "launched at (many.lua)")
    end
  end)

  it("names the line of the launch, also when a later launch reports it", function()
    local launches = { "k(1, 32, 4, 1, x, y)", "k:with { shared = 8 }(1, 32, 4, 1, x, y)", "k:forall(4, 4, 1, x, y)" }
    for _, later in ipairs(launches) do
      local out = run(saxpy .. ([==[
local x, y = dc.zeros(4):eval(), dc.zeros(4):eval()
k(1, 32, 4, 1, x, y) print("line", debug.getinfo(1, "l").currentline)
try(function() %s end)]==]):format(later), { FAKE_CUDA_FAULT = "700:1" })
      assert.equal(out:match "line\t(%d+)", out:match "launched at [^%s()]*:(%d+)", later .. out)
    end
  end)

  it("names no line where the last launch came from none", function()
    for _, before in ipairs { "", "k(1, 32, 4, 1, x, y) dc.synchronize()" } do
      local out = run(saxpy .. "local x, y = dc.zeros(4):eval(), dc.zeros(4):eval()\n" .. before .. [==[
coroutine.wrap(getmetatable(k).__call)(k, 1, 32, 4, 1, x, y)
try(dc.synchronize)]==], { FAKE_CUDA_FAULT = before == "" and "700:1" or "700:2" })
      assert.matches("in kernel 'saxpy'", out)
      assert.is_nil(out:find "launched at", out)
    end
  end)
end)

describe("a launch", function()
  it("may be one of many while a graph of another GPU is captured", function()
    local text, report = run([[
local kernel = dc.using("cuda:1", dc.kernel, "__global__ void f(int n) {}")
local x = dc.using("cuda:0", dc.zeros, 3)
local g = dc.using("cuda:0", dc.graph, function()
  x[":"] = 5
  for i = 1, 1100 do dc.using("cuda:1", kernel, 1, 1, i) end
end)
g()
print(g.launches)]], { FAKE_CUDA_DEVICES = "2" })
    assert.equal("0\n", text)
    assert.equal(1100, #report.launch)
    assert.is_true(report.calls.EventQuery > 0)
  end)

  it("is issued with the right context, whichever is current, also after one refusal", function()
    for _, strict in ipairs { "0", "1" } do
      local _, report = run(saxpy .. [==[
        local x, y = dc.zeros(4):eval(), dc.zeros(4):eval()
        local far, a, b = dc.using("cuda:1", function()
          local kernel = dc.kernel "__global__ void far(float *x) {}":with { shared = 16 }
          return kernel, dc.zeros(4):eval(), dc.zeros(4):eval()
        end)
        for i = 1, 3 do
          k(1, 32, 4, 1, x, y)
          dc.using("cuda:1", far, 1, 32, i == 2 and a or b)
          k:with { pdl = true }(1, 32, 4, 2, x, y)
        end
        dc.using("cuda:1", dc.synchronize)]==], { FAKE_CUDA_DEVICES = "2", FAKE_CUDA_STRICT = strict })
      local names = {}
      for _, launch in ipairs(report.launch) do
        local name = launch:match "saxpy" or launch:match "far"
        if name then names[#names + 1] = name end
      end
      assert.equal(("saxpy far saxpy "):rep(3), table.concat(names, " ") .. " ")
      assert_released(report)
    end
  end)

  it("is one call of the driver", function()
    local function calls(n)
      local _, report = run(saxpy .. ([==[
        local x, y = dc.zeros(4):eval(), dc.zeros(4):eval()
        for _ = 1, %d do k(1, 32, 4, 1, x, y) end]==]):format(n))
      local sum = 0
      for _, count in pairs(report.calls) do sum = sum + count end
      return sum
    end
    assert.equal(100, calls(101) - calls(1))
  end)
end)

describe("with a driver that fails", function()
  local names = fake.functions()
  assert(#names > 45)

  -- Uses every function of the driver that src/cuda/ calls.
  local script = saxpy .. [==[
    local x, y = dc.ones(10), dc.full(40000, 2.5, "float64")
    x:copy() y:copy()
    k(1, 32, 10, 1, x, x)
    k:with{ shared = 60000, stack = 2000 }(1, 32, 10, 1, x, x)
    k:forall(10, 10, 1, x, x)
    dc.device():memory_info()
    dc.synchronize()
    local z = x:to "cuda:1"
    return z[1], y[1], k.attributes.registers]==]

  for _, name in ipairs(names) do
    it(name .. ", every error is a Lua error and nothing leaks", function()
      for _, code in ipairs { 2, 700 } do
        for _, nth in ipairs { "1", "*" } do
          local rule = ("%s:%d:%s"):format(name, code, nth)
          local out, report = run("try(function()\n" .. script .. "\nend) collectgarbage() print 'alive'",
            { FAKE_CUDA_FAIL = rule, FAKE_CUDA_DEVICES = "2" })
          assert.matches("alive\n$", out, 1, false, rule)
          local may_hold = name:match "Free" or name:match "Unload" or (name == "StreamQuery" and nth == "*")
          if code ~= 700 and not may_hold then assert_released(report) end
        end
      end
    end)
  end
end)

describe("Ctrl-C", function()
  it("ends the wait for a kernel that never ends", function()
    local out = run(saxpy .. [==[
      local x = dc.ones(10)
      k(1, 32, 10, 1, x, x)
      -- the interrupt comes from a child of ours while we wait
      local me = io.open "/proc/self/stat":read "n"
      os.execute("(sleep 0.5; kill -INT " .. me .. ") &")
      local t = dc.clock()
      try(dc.synchronize)
      print(dc.clock() - t < 5)
      os.exit(true, false)]==], { FAKE_CUDA_HANG = "1" })
    assert.matches("^interrupted\t\t[^\n]*'saxpy' still runs[^\n]*\ntrue\n$", out)
  end)
end)

describe("launch options on a GPU", function()
  local shared = [==[
local k = dc.kernel "__global__ void plain(int n) {}"
local grid = dc.kernel [[
#include <cooperative_groups.h>
__global__ void meet(int n) { cooperative_groups::this_grid().sync(); }]]
]==]
  it("reach the driver as attributes", function()
    local _, report = run(shared .. [[
k(4, 32, 7)
k:with { cooperative = true }(4, 32, 7)
k:with { cluster = { 2, 1, 1 }, pdl = true }(4, 32, 7)
k:with { cluster = 16 }(16, 32, 7)
grid(2, 32, 7)
grid:with { cooperative = false }(2, 32, 7)]])
    local seen = {}
    for i, line in ipairs(report.launch) do seen[i] = line:match "07000000%s*(.*)$" end
    assert.same({ "", "cooperative", "pdl cluster 2x1x1", "cluster 16x1x1", "cooperative", "" }, seen)
    assert.equal(2, report.calls.LaunchKernel)
    assert.equal(4, report.calls.LaunchKernelEx)
    assert.equal(1, report.calls.FuncSetAttribute)
  end)
  it("beyond the GPU's limits are refused with the limit, before the driver is called", function()
    local out, report = run(shared .. [[
try(k:with { cluster = 32 }, 32, 32, 7)
try(k:with { cluster = 3 }, 4, 32, 7)
try(k:with { cooperative = true }, 1000000, 32, 7)]])
    assert.matches("clusters of 32 blocks .- takes at most 16", out)
    assert.matches("no whole number of clusters of 3x1x1", out)
    assert.matches("cooperative launch of 1000000 blocks of 32 threads", out)
    assert.same({}, report.launch)
  end)
  it("of newer GPUs are refused on older ones", function()
    local out = run(shared .. [[
try(k:with { cluster = 2 }, 4, 32, 7)
try(k:with { pdl = true }, 4, 32, 7)]], { FAKE_CUDA_CC = "80" })
    assert.matches("takes at most 1 %(GPUs of compute capability 9.0", out)
    assert.matches("no programmatic dependent launch", out)
  end)
end)
