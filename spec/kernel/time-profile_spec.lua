-- dc.time, dc.range, k:explain and `dclua --profile`.
local dc = require "dotcompute"
local h = require "spec.helper"
local fake = require "spec.fake"
local fails = h.fails
local build = h.build

local saxpy_text = [[
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}]]

describe("dc.time", function()
  it("times a function: returns the median, and a table of all times", function()
    local k, n = dc.kernel(saxpy_text), 1000
    local x, y, calls = dc.ones(n), dc.zeros(n), 0
    local median, facts = dc.time(function(a, b)
      assert.equal("extra", b)
      calls = calls + 1
      k:forall(n, n, a, x, y)
    end, 7, 1.0, "extra")
    assert.equal(7, #facts.times)
    assert(calls > 7 and calls < 20, "warm-up calls")
    assert.equal(calls, y[1])
    local sorted, sum = table.move(facts.times, 1, 7, 1, {}), 0
    table.sort(sorted)
    for _, t in ipairs(sorted) do sum = sum + t end
    assert.equal(sorted[4], median)
    assert.equal(median, facts.median)
    assert.equal(sorted[1], facts.min)
    assert.equal(sorted[7], facts.max)
    assert(math.abs(facts.mean - sum / 7) <= 1e-12 * sum)
    assert(facts.min >= 0)
    local _, two = dc.time(function() end, 2)
    assert.equal((two.times[1] + two.times[2]) / 2, two.median)
  end)

  it("evaluates arrays that the function returns", function()
    local x = dc.ones(1000)
    dc.stats "reset"
    dc.time(function() return x + 1 end, 3)
    assert(dc.stats().launches >= 3)
  end)

  it("refuses invalid arguments, and passes on errors of the function", function()
    fails("argument", "takes a function, got the number 3", function() dc.time(3) end)
    fails("argument", "integer from 1 on, got the number 0", function() dc.time(print, 0) end)
    fails("argument", "got the string 'x'", function() dc.time(print, "x") end)
    fails("shape", "%(2,%)", function() dc.time(function() return dc.ones(2) + dc.ones(3) end) end)
  end)
end)

describe("dc.range", function()
  it("calls a function and returns its results, or is a to-be-closed variable", function()
    assert.equal(3, select("#", dc.range("r", function(...) return ... end, 1, nil, 3)))
    local r <close> = dc.range "r"
    assert(r)
    local mine = {}
    local ok, err = pcall(dc.range, "r", function() error(mine) end)
    assert(not ok and rawequal(err, mine))
    fails("argument", "a name is a string", function() dc.range(nil) end)
    fails("argument", "a function expected", function() dc.range("r", 3) end)
  end)

  it("is reported to an attached profiler", function()
    local log = os.tmpname()
    local script = [[local dc = require 'dotcompute'
      dc.range('outer', function() local r <close> = dc.range 'inner' end)
      pcall(dc.range, 'failing', error)]]
    local text, code = h.shell(("NVTX_INJECTION64_PATH=%s FAKE_NVTX_LOG=%s %s -e %s"):format(
      h.quote(build .. "/spec/libfake_nvtx.so"), h.quote(log), h.quote(build .. "/dclua"), h.quote(script)))
    assert.equal(0, code, text)
    local seen = h.read(log)
    os.remove(log)
    assert.equal("push outer\npush inner\npop\npop\npush failing\npop\n", seen)
  end)
end)

describe("k:explain", function()
  it("reports resources and their effect on occupancy", function()
    local k = dc.kernel [[
      __global__ void __launch_bounds__(128) held(float *x) {
        __shared__ float s[128];
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = s[127 - threadIdx.x];
      }]]
    local text = k:explain()
    assert(text:find("held(float *x)", 1, true), text)
    assert(text:find("shared memory: 512 bytes", 1, true), text)
    assert(text:find("at most 128 threads a block", 1, true), text)
    assert(text:find("occupancy: ", 1, true), text)
    assert(k:explain(64, 1024):find("and 1024 dynamic", 1, true))
    fails("launch", "256 threads.*held.*128", function() k:explain(256) end)
    if dc.device().backend == "cuda" then
      assert(text:find("registers: " .. k.attributes.registers, 1, true), text)
      assert(text:find "limited by %a", text)
    end
  end)

  it("reports the block that 'auto' chooses", function()
    local k = dc.kernel(saxpy_text)
    local blocks, share, threads = k:occupancy "auto"
    assert(blocks >= 1 and share > 0 and share <= 1)
    assert(threads >= 32 and threads <= k.attributes.max_threads and threads % 32 == 0)
  end)
end)

describe("dclua --profile", function()
  local script = h.temporary(([[
local dc = require "dotcompute"
local saxpy = dc.kernel %s
local n = 1000
local x, y = dc.ones(n), dc.ones(n)
for _ = 1, 7 do saxpy:forall(n, n, 2.0, x, y) end
saxpy(0, 32, n, 2.0, x, y)
print((x + y):sum():item())
local double = dc.elementwise("float x", "float z", "z = 2 * x", {name = "double_it"})
double(x)
if arg[1] == "fail" then error "oops" end
if arg[1] == "exit" then os.exit(5) end
]]):format("[=[" .. saxpy_text .. "]=]"))
  teardown(function() os.remove(script) end)
  local name = script:match "[^/]*$"

  local function run(arguments)
    return h.shell(("%s %s"):format(h.quote(build .. "/dclua"), arguments))
  end

  it("lists kernels with calls, times and the lines that launched them", function()
    local text, code = run("--profile " .. h.quote(script))
    assert.equal(0, code, text)
    assert(text:find "16000", text)
    local calls, line = text:match("\nsaxpy +(%d+) .-" .. name:gsub("%p", "%%%0") .. ":(%d+)\n")
    assert.equal("7", calls, text)
    assert.equal("8", line)
    assert(text:find("\narray expression +1 .-:10\n"), text)
    assert(text:find("\ndouble_it +1 .-:12\n"), text)
    assert(text:find("peak of [%w:]+: [%d.]+ GB/s"), text)
    assert(not text:find "\ncopy ", "the measurement of the peak is not part of the profile")
  end)

  it("reports when the script fails or leaves by os.exit, with their status", function()
    local text, code = run("--profile " .. h.quote(script) .. " fail")
    assert.equal(1, code)
    assert(text:find "oops" and text:find "\nsaxpy +7", text)
    text, code = run("--profile " .. h.quote(script) .. " exit")
    assert.equal(5, code)
    assert(text:find "\nsaxpy +7", text)
    text, code = run "--profile -e 'print(1)'"
    assert.equal(0, code)
    assert(text:find "no kernel was launched", text)
  end)

  it("times a graph's runs as a whole", function()
    local text, code = run("--profile -e " .. h.quote [[
local dc = require "dotcompute"
local k, x = dc.kernel "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }", dc.ones(32)
local g = dc.graph(function() k(1, 32, x) k(1, 32, x) end)
for _ = 1, 5 do g() end
print(x[1])]])
    assert.equal(0, code, text)
    assert(text:find("1024.0\n", 1, true), text)
    assert(text:find "\ngraph of 2 launches +5 +[%d.]+ [mu]?s ", text)
    assert(text:find "\ntwice +2 +%- ", text)
    assert(text:find("2 launches were recorded into graphs", 1, true), text)
  end)

  it("prints nothing without the option", function()
    local text = run(h.quote(script))
    assert.equal("16000.0\n", text)
  end)
end)

describe("on a GPU's driver (a stand-in without a GPU)", function()
  setup(fake.build)
  local script = [==[
    local core, text = require "dotcompute.core", require "dotcompute.profile".text
    local k = dc.kernel "__global__ void nothing(const float *x, float *y) {}"
    local x, y = dc.ones(1000), dc.ones(1000)
    core.profile_start()
    for _ = 1, 3000 do k(1, 32, x, y) end
    local list = core.profile_stop()
    local e = list[1]
    print(#list, e.kernel, e.calls, e.timed, e.bytes == 3000 * 3 * 4000, e.site:match ":(%d+)$" ~= nil)
    k(1, 32, x, y)
    print(#core.profile_stop(), core.profile_stop()[1].calls)
    print(#select(2, dc.time(function() k(1, 32, x, y) end, 5)).times)]==]

  it("launches are timed by events, which are released", function()
    local out, log = fake.run(script)
    assert.equal("1\tnothing\t3000\t3000\ttrue\ttrue\n1\t3000\n5\n", out)
    fake.assert_released(log)
  end)

  it("a launch whose event fails goes on, without a time", function()
    local out = fake.run(script:gsub("print%(#select.*$", ""), { FAKE_CUDA_FAIL = "EventRecord:801" })
    assert.equal("1\tnothing\t3000\t2999\ttrue\ttrue\n1\t3000\n", out)
  end)
end)
