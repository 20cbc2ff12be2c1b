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
    fails("launch", "shared memory", function() k:explain(64, true) end)
    fails("launch", "shared memory", function() k:explain(64, 1.5) end)
    fails("argument", "a kernel expected, got the number 3", function() k.explain(3) end)
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
  it("says why a kernel stays interpreted on the CPU device", function()
    local function line(how, source, ...)
      local text, code = h.on_cpu(how, ([[
local k = require "dotcompute".kernel %q
k(1, 32%s)
print(k:explain():match "occupancy.*; (.*)")
print(k.attributes.tier)]]):format(source, table.concat({ "", ... }, ", ")))
      assert.equal(0, code, text)
      return text
    end
    local plain = "__global__ void plain(int n) {}"
    assert.equal("native code\n1\n", line("TIER=1", plain, 1))
    assert.equal("stays interpreted: DOTCOMPUTE_CPU_TIER is 0\n0\n", line("TIER=0", plain, 1))
    assert.equal("stays interpreted: there is no C compiler for native code\n0\n",
      line("TIER=1 DOTCOMPUTE_CC=off", plain, 1))
    assert.equal("native code\n1\n", line("TIER=1", [[
struct base { __device__ virtual ~base() {} int a; };
struct derived : base { __device__ ~derived() { a = 1; } };
__global__ void deletes(int n) { base *b = n ? new derived : new base; delete b; }]], 1))
    assert.matches("^stays interpreted: it calls functions, and has barriers, .*\n0\n$", line("TIER=1", [[
__device__ __noinline__ int sum(int n) { return n < 2 ? 1 : n * sum(n - 1) + sum(n - 2); }
__global__ void exchanges(int *x, int n) { *x = sum(n) + __shfl_xor_sync(~0u, sum(n + 1), 1); }]],
      "require('dotcompute').zeros(1, 'int32')", 3))
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

describe("dc.profile", function()
  local k, n = dc.kernel(saxpy_text), 1000
  local x, y = dc.ones(n), dc.zeros(n)
  after_each(function() pcall(dc.profile.stop) end)

  it("lists kernels with their calls and lines, and each launch", function()
    dc.profile.start()
    local line = h.line(1)
    for _ = 1, 5 do k({ 2, 1 }, 512, n, 1.0, x, y) end
    k:forall(n, n, 1.0, x, y)
    local sum = (x + y):sum():item()
    local list = dc.profile.stop()
    assert.equal(n + 6 * n, sum)
    local mine
    for i, e in ipairs(list) do
      assert(e.timed <= e.calls and e.seconds >= 0)
      assert(i == 1 or e.seconds <= list[i - 1].seconds, "slowest first")
      if e.site:find(":" .. line .. "$") then mine = i end
    end
    assert(mine and list[mine].kernel == "saxpy" and list[mine].calls == 5 and list[mine].device == dc.device())
    local count, seconds, before = 0, 0, -1
    for _, l in ipairs(list.launches) do
      if l.entry == mine then
        count, seconds = count + 1, seconds + l.seconds
        assert.are.same({ { 2, 1, 1 }, { 512, 1, 1 } }, { l.grid, l.block })
        assert(l.start >= before and l.start >= 0)
        before = l.start
      end
    end
    assert.equal(5, count)
    assert(math.abs(seconds - list[mine].seconds) <= 1e-9 + 1e-9 * seconds)
    assert.equal(0, list.dropped)
    local calls = 0
    for _, e in ipairs(list) do calls = calls + e.calls end
    assert.equal(calls, #list.launches)
    k:forall(n, n, 1.0, x, y) -- not in the profile any more
    assert(tostring(list):find("saxpy +5 ") and dc.profile.report(list):find "saxpy")
  end)

  it("has the lines of kernels in Lua", function()
    local function make(factor) -- two kernels of one function, and a third
      return dc.jit(function(a) a[dc.index()] = factor * a[dc.index()] end)
    end
    local line = h.line(-2)
    local twice, thrice = make(2), make(3)
    local other = dc.jit(function(a) a[dc.index()] = 1 end, { name = "other" })
    dc.profile.start()
    for _ = 1, 3 do
      twice(1, 32, x)
      thrice:with { shared = 64 }(1, 32, x)
      other(1, 32, x)
    end
    k:forall(n, n, 1.0, x, y)
    local list = dc.profile.stop()
    local calls, places = {}, {}
    for _, e in ipairs(list) do
      calls[e.place or e.kernel] = (calls[e.place or e.kernel] or 0) + e.calls
      if e.kernel == "other" then places[#places + 1] = e.place end
    end
    local file = debug.getinfo(1, "S").short_src
    assert.are.same({ [file .. ":" .. line] = 6, [file .. ":" .. line + 4] = 3, saxpy = 1 }, calls)
    assert.are.same({ file .. ":" .. line + 4 }, places)
    assert(tostring(list):find("other (" .. places[1] .. ")", 1, true))
    local path = h.temporary()
    dc.profile.trace(path, list)
    assert(h.read(path):find('"function":"' .. places[1] .. '"', 1, true))
    os.remove(path)
  end)

  it("keeps as many launches as it is told, and counts the others", function()
    dc.profile.start { limit = 3 }
    for _ = 1, 10 do k:forall(n, n, 1.0, x, y) end
    local list = dc.profile.stop()
    assert(#list.launches == 3 and list.dropped == 7 and list[1].calls == 10 and list[1].timed == 10)
    dc.profile.start { limit = 0 }
    k:forall(n, n, 1.0, x, y)
    list = dc.profile.stop()
    assert(#list.launches == 0 and list[1].calls == 1)
    assert.equal("profile: no kernel was launched", (function()
      dc.profile.start()
      return tostring(dc.profile.stop())
    end)())
  end)

  -- What Python's reader of JSON makes of the file: a line of counts, then name, line, grid and block of each event in
  -- order.
  local function read_trace(path)
    return h.shell(([[python3 - %s <<'EOF'
import json, sys
t = json.load(open(sys.argv[1], encoding="utf-8"))
events = t["traceEvents"]
assert t["displayTimeUnit"] == "ms"
print(t["otherData"]["dropped"], len(events))
named = set()
for e in events:
  if e["ph"] == "M":
    named.add((e["name"], e["pid"], e["tid"]))
  else:
    assert e["ph"] == "X" and e["cat"] == "kernel" and e["ts"] >= 0 and e["dur"] >= 0, e
    assert ("process_name", e["pid"], 0) in named and ("thread_name", e["pid"], e["tid"]) in named
    a = e["args"]
    print(e["name"], a["line"].rsplit("/")[-1], a.get("grid"), a.get("block"))
EOF]]):format(h.quote(path)))
  end

  it("writes a trace that a reader of JSON understands", function()
    h.with_folder(function(folder)
      local path = folder .. "/trace.json"
      dc.profile.start { trace = path }
      local line = h.line(1)
      k({ 4 }, { 256 }, n, 1.0, x, y)
      dc.profile.stop()
      assert.equal(("0 3\nsaxpy time-profile_spec.lua:%d [4, 1, 1] [256, 1, 1]\n"):format(line), (read_trace(path)))
      -- The same by hand, in place of the file.
      dc.profile.trace(path)
      assert(read_trace(path):find "^0 3\n")
      assert(not h.read_if_there(path .. ".part"))
    end)
  end)

  it("escapes names", function()
    h.with_folder(function(folder)
      local odd = folder .. "/a\"b\\c\té\xff.lua"
      h.write(odd, [[
      local dc = require "dotcompute"
      dc.profile.start { trace = arg[1] }
      dc.kernel "__global__ void one(int *x) { *x = 1; }"(1, 1, dc.zeros(1, "int32"))
      print(#dc.profile.stop().launches)]])
      local path = folder .. "/t.json"
      local text, code = h.shell(("%s %s %s"):format(h.quote(build .. "/dclua"), h.quote(odd), h.quote(path)))
      assert(code == 0 and text == "1\n", text)
      text, code = read_trace(path)
      assert(code == 0, text)
      assert(text:find('one a"b\\c\té\u{FFFD}.lua:3', 1, true), text)
    end)
  end)

  it("raises errors for bad input", function()
    fails("argument", "no profile is being taken", dc.profile.stop and function() dc.profile.stop() end)
    dc.profile.start()
    fails("argument", "taken already", function() dc.profile.start() end)
    local g = dc.graph(function()
      fails("launch", "while a graph is being captured", function() dc.profile.stop() end)
      k:forall(n, n, 1.0, x, y)
    end)
    g()
    local list = dc.profile.stop()
    assert(#list == 2 and #list.launches == 1)
    dc.graph(function()
      fails("launch", "while a graph is being captured", function() dc.profile.start() end)
      k:forall(n, n, 1.0, x, y)
    end)
    fails("argument", "no option 'limt'", function() dc.profile.start { limt = 1 } end)
    fails("argument", "not negative", function() dc.profile.start { limit = -1 } end)
    fails("argument", "'trace' is a string", function() dc.profile.start { trace = true } end)
    fails("io", "/no/such/folder/t.json: No such file", function()
      dc.profile.start { trace = "/no/such/folder/t.json" }
    end)
    fails("argument", "no profile is being taken", function() dc.profile.stop() end)
    fails("io", "/no/such/folder/t.json: ", function() dc.profile.trace "/no/such/folder/t.json" end)
    fails("argument", "name of a file, got nil", function() dc.profile.trace() end)
    fails("argument", "what dc.profile.stop gave, got a table", function() dc.profile.trace("/tmp/x", {}) end)
    fails("argument", "what dc.profile.stop gave", function() dc.profile.report(3) end)
    fails("index", "dc.profile has no 'begin'", function() return dc.profile.begin end)
    local text, code = h.on_cpu("TIER=0", [[
      local dc = require "dotcompute"
      print(select(2, pcall(dc.profile.report)).message)]])
    assert(code == 0 and text:find "there is no profile yet", text)
  end)
end)

describe("dclua --profile=FILE", function()
  it("writes the trace beside the table", function()
    h.with_folder(function(folder)
      local path = folder .. "/t.json"
      local text, code = h.shell(("%s --profile=%s -e %s"):format(h.quote(build .. "/dclua"), h.quote(path),
        h.quote [[local dc = require "dotcompute"; (dc.ones(1000) + 1):eval()]]))
      assert(code == 0 and text:find "array expression", text)
      assert(h.read(path):find '"name":"array expression","cat":"kernel","ph":"X"')
      text, code = h.shell(("%s --profile=%s/none/t.json -e 'print(1)'"):format(h.quote(build .. "/dclua"),
        h.quote(folder)))
      assert(code == 1 and text:find "none/t.json: No such file" and not text:find "^1\n", text)
    end)
  end)
end)

describe("on a GPU's driver (a stand-in without a GPU)", function()
  setup(fake.build)
  local script = [==[
    local core, text = require "dotcompute.core", require "dotcompute.profile_table".text
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

  it("launches are kept one by one, with their streams, in order", function()
    local out, log = fake.run [==[
    local k, x = dc.kernel "__global__ void nothing(float *x) {}", dc.ones(1000)
    local s = dc.stream()
    local other = k:with { stream = s }
    dc.profile.start { limit = 2500 }
    for i = 1, 3000 do (i % 2 == 0 and other or k)(i % 7 + 1, 32, x) end
    local list = dc.profile.stop()
    local ordered, last, streams, count = true, {}, {}, 0
    for i, l in ipairs(list.launches) do
      ordered = ordered and l.start >= (last[l.stream] or 0) and l.grid[1] == i % 7 + 1
      last[l.stream] = l.start
      if not streams[l.stream] then count = count + 1 end
      streams[l.stream] = true
    end
    print(#list.launches, list.dropped, ordered, count)]==]
    assert.equal("2500\t500\ttrue\t2\n", out)
    fake.assert_released(log)
  end)

  it("a launch whose event fails goes on, without a time", function()
    local out = fake.run(script:gsub("print%(#select.*$", ""), { FAKE_CUDA_FAIL = "EventRecord:801" })
    assert.equal("1\tnothing\t3000\t2999\ttrue\ttrue\n1\t3000\n", out)
  end)
end)
