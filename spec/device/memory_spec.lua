-- Memory of arrays: the report of dc.memory, limits, running out, reuse of blocks, and both modes of Lua's collector.
local dc = require "dotcompute"
local helper = require "spec.helper"
local fake = require "spec.fake"
local fails, note = helper.fails, helper.note
local MiB = 1 << 20
local collector = collectgarbage "generational"
collectgarbage(collector)

setup(fake.build)

-- Everything dead goes first, so that what is in use afterwards is what the test made.
local function clean()
  collectgarbage()
  collectgarbage()
  return dc.memory().in_use
end

-- The entry for a line of this file; nil when it holds nothing.
local function at_line(line)
  for _, l in ipairs(dc.memory().lines) do
    if l.where:match("device/memory_spec%.lua:" .. line .. "$") then return l end
  end
end

after_each(function()
  dc.memory_limit(nil)
  dc.memory "untrace"
  collectgarbage "restart"
  collectgarbage(collector)
end)

describe("dc.memory", function()
  it("counts bytes in use, and the peak", function()
    local before = clean()
    dc.memory "reset"
    local sizes, arrays, sum = {}, {}, 0
    for i = 1, 20 do
      sizes[i] = math.random(1, 100000)
      arrays[i] = dc.empty(sizes[i], "uint8")
      sum = sum + sizes[i]
      assert.equal(before + sum, dc.memory().in_use, note())
    end
    local view = arrays[1]:reshape(1, sizes[1])
    assert.equal(before + sum, dc.memory().in_use)
    for i = 2, 20 do arrays[i]:close() end
    arrays[1] = nil
    assert.equal(before + sizes[1], clean(), note())
    assert.equal(sizes[1], view.size)
    local now = dc.memory()
    assert.equal(before + sum, now.peak)
    assert.is_true(now.reserved >= now.in_use)
    assert.is_true(now.total >= now.free and now.free > 0)
    assert.equal(dc.device(), now.device)
    assert.is_nil(now.limit)
    view:close()
    dc.memory "reset"
    assert.equal(dc.memory().in_use, dc.memory().peak)
  end)

  it("names the lines that allocated large arrays", function()
    clean()
    local n = math.random(1, 3)
    local keep = {}
    local line = helper.line(1)
    for i = 1, n do keep[i] = dc.zeros(MiB + i, "uint8") end
    local small = dc.zeros(10)
    local found = at_line(line)
    assert.is_truthy(found)
    assert.equal(n, found.count)
    assert.equal(n * MiB + n * (n + 1) // 2, found.bytes)
    assert.is_nil(at_line(line + 1), "a small array is noted without being asked for")
    for i = 1, n do keep[i]:close() end
    assert.is_nil(at_line(line))
    assert.equal(10, small.size)
  end)

  it("names the line that evaluated an expression, and those of small arrays when tracing", function()
    clean()
    dc.memory "trace"
    local line = helper.line(1)
    local x = dc.ones(100)
    local y = x * 2 + 1
    assert.equal(400, at_line(line).bytes)
    assert.is_nil(at_line(line + 1))
    line = helper.line(1)
    y:eval()
    assert.equal(400, at_line(line).bytes)
    dc.memory "untrace"
    line = helper.line(1)
    local z = dc.ones(100)
    assert.is_nil(at_line(line))
    x:close() y:close() z:close()
  end)

  it("orders lines by bytes held, and converts to text", function()
    clean()
    local small <close> = dc.empty(2 * MiB, "uint8")
    local large <close> = dc.empty(7 * MiB, "uint8")
    local medium <close> = dc.empty(3 * MiB, "uint8")
    local usage = dc.memory()
    for i = 2, #usage.lines do assert.is_true(usage.lines[i - 1].bytes >= usage.lines[i].bytes) end
    assert.equal(7 * MiB, usage.lines[1].bytes)
    for _, text in ipairs { tostring(usage), dc.memory "report", dc.memory("report", dc.device()) } do
      assert.matches("in use", text)
      assert.matches(" 7 MiB +1 array +[^\n]*device/memory_spec%.lua:%d+\n[^\n]* 3 MiB +1 array ", text)
    end
    assert.equal(12 * MiB, small.nbytes + large.nbytes + medium.nbytes)
  end)

  it("takes a device, by name or as an object", function()
    assert.equal("cpu", dc.memory "cpu".device.id)
    assert.equal(dc.device "cpu", dc.memory(dc.device "cpu").device)
    fails("device", "no device 'nonsense'", function() dc.memory "nonsense" end)
    fails("argument", "device or its name", function() dc.memory(5) end)
    fails("argument", "device or its name", function() dc.memory("report", {}) end)
    fails("device", "no device 'cuda:99'", function() dc.memory("trim", "cuda:99") end)
  end)

  it("releases memory kept for reuse", function()
    local made = {}
    for i = 1, 4 do made[i] = dc.empty(64 * MiB, "uint8") end -- CUDA's pools grow by 32 MiB
    for i = 1, 4 do made[i]:close() end
    dc.memory "trim"
    local usage = dc.memory()
    assert.is_true(usage.reserved - usage.in_use < 64 * MiB, usage.reserved .. " reserved, in use " .. usage.in_use)
    assert.equal(3, dc.ones(3):sum():item())
  end)
end)

describe("dc.memory_limit", function()
  it("makes larger allocations an error that lists the lines and bytes in use", function()
    local before = clean()
    assert.is_nil(dc.memory_limit(before + 4 * MiB))
    assert.equal(before + 4 * MiB, dc.memory().limit)
    local line = helper.line(1)
    local x = dc.empty(3 * MiB, "uint8")
    local err = fails("memory", "cannot allocate 2 MiB", function() dc.empty(2 * MiB, "uint8") end)
    assert.matches("limit", err.message)
    assert.matches("device/memory_spec%.lua:" .. line .. " %(3 MiB in 1 array%)", err.message)
    assert.is_true(dc.memory().free <= MiB)
    local y = dc.empty(MiB, "uint8")
    fails("memory", "limit", function() dc.empty(1) end)
    fails("memory", "limit", function() return (y:to "float64" + 1):eval() end)
    x:close()
    assert.equal(2 * MiB, dc.empty(2 * MiB, "uint8").size)
    assert.equal(before + 4 * MiB, dc.memory_limit(nil))
    assert.is_nil(dc.memory().limit)
    assert.equal(5 * MiB, dc.empty(5 * MiB, "uint8").size)
    y:close()
  end)

  it("may be below the memory in use", function()
    local x <close> = dc.ones(1000)
    dc.memory_limit(1)
    fails("memory", "cannot allocate 4 bytes", function() return dc.array(1) end)
    assert.equal(0, dc.memory().free)
    dc.memory_limit(nil)
    assert.equal(1000, x:sum():item())
  end)

  it("refuses invalid amounts", function()
    for _, v in ipairs { 0, -1, 1.5, 0 / 0, math.huge, -math.huge, "10", true, {}, dc.ones(1) } do
      fails("argument", "whole number of bytes", function() dc.memory_limit(v) end)
    end
    fails("argument", "takes a number", function() dc.memory_limit() end)
    fails("device", "no device", function() dc.memory_limit(1, "nonsense") end)
    assert.is_nil(dc.memory().limit)
    assert.is_nil(dc.memory_limit(2.0 ^ 30))
    assert.equal(1 << 30, dc.memory_limit(math.maxinteger))
    assert.equal(math.maxinteger, dc.memory().limit)
  end)

  it("is set for each device", function()
    dc.memory_limit(MiB, "cpu")
    assert.equal(MiB, dc.memory "cpu".limit)
    assert.equal(MiB, dc.memory_limit(nil, "cpu"))
  end)
end)

describe("when memory runs out", function()
  for _, mode in ipairs { "incremental", "generational" } do
    it("unreachable arrays are collected (" .. mode .. ")", function()
      collectgarbage(mode)
      local before = clean()
      dc.memory_limit(before + 8 * MiB)
      collectgarbage "stop" -- nothing but running out asks it
      local x = dc.ones(MiB // 4)
      for i = 1, 100 do
        local y = x + i
        y:eval()
        if i % 17 == 0 then assert.equal(i + 1, y[math.random(MiB // 4)]) end
      end
      assert.is_true(dc.memory().in_use <= before + 8 * MiB)
      x:close()
    end)
  end

  it("pending expressions that hold large operands are evaluated", function()
    local before = clean()
    dc.memory_limit(before + 10 * MiB)
    local n, sums, want = MiB // 4, {}, {}
    for i = 1, 40 do -- of 1 MiB each; only what is pending holds them
      local value = math.random(-3, 3)
      local x = dc.full(n, value)
      want[i] = (value * 2 + 1) * n
      sums[i] = (x * 2 + 1):sum()
    end
    assert.is_true(dc.memory().in_use <= before + 10 * MiB)
    for i = 1, 40 do assert.equal(want[i], sums[i]:item(), note()) end
  end)

  it("operands that are still referenced are kept", function()
    local before = clean()
    local x <close> = dc.full(MiB, 3)
    local sum, doubled = x:sum(), x * 2
    dc.memory_limit(before + 5 * MiB)
    fails("memory", "4 MiB in 1 array", function() dc.zeros(MiB) end)
    fails("memory", "limit", function() doubled:eval() end)
    dc.memory_limit(nil)
    assert.equal(3 * MiB, sum:item())
    assert.equal(6, doubled[MiB])
  end)

  it("a failed expression can be evaluated later", function()
    local before = clean()
    local x <close> = dc.full(MiB, 2)
    local hold = dc.empty(MiB)
    local y = dc.sqrt(x * 8)
    dc.memory_limit(before + 9 * MiB)
    fails("memory", "cannot allocate 4 MiB", function() y:eval() end)
    hold:close()
    assert.equal(4, y[1])
    assert.equal(4, y[MiB])
  end)

  it("allocations that can never fit are refused at once", function()
    dc.memory_limit(MiB)
    local x = setmetatable({}, { __gc = function() error "collected for nothing" end })
    fails("memory", "cannot allocate 1%.001 MiB", function() dc.empty(MiB + 1024, "uint8") end)
    fails("memory", "in all", function() dc.empty(1 << 50) end)
    getmetatable(x).__gc = nil
  end)
end)

describe("reused memory", function()
  it("leaks no old contents into results", function()
    for _ = 1, 40 do
      local n = math.random(3) == 1 and math.random(1, 2000) or math.random(16000, 70000)
      local garbage = dc.full(n + math.random(0, n // 9), 0 / 0)
      garbage:close()
      local k, at = math.random(1, 9), math.random(n)
      local x = dc.arange(1, n, "int32") % k
      assert.equal(at % k, x[at], note())
      local sum = 0
      for i = 1, n do sum = sum + i % k end
      assert.equal(sum, x:sum():item(), note())
      garbage = dc.full(n, 0 / 0)
      garbage:close()
      assert.equal(0, dc.zeros(n):sum():item())
    end
  end)

  it("still has bounds: kernels that run past them are faults", function()
    local out, code = helper.on_cpu("TIER=0", [[
      local dc = require "dotcompute"
      math.randomseed(tonumber(arg[1]))
      local k = dc.kernel "__global__ void past(char *x, long long at) { x[at] = 1; }"
      for i = 1, 60 do
        local n = math.random(65536, 3000000) // 64 * 64
        dc.empty(n + math.random(0, n // 8), "uint8"):close()
        local x <close> = dc.empty(n, "uint8")
        local y <close> = dc.zeros(n, "uint8")
        k(1, 1, x, n - 1)
        local ok, err = pcall(k, 1, 1, x, n)
        assert(not ok and err.kind == "launch" and tostring(err):find "past", tostring(err))
        local before = -1 -- byte by byte of pages below, the first that is untouchable comes soon
        repeat
          ok, err = pcall(k, 1, 1, y, before)
          before = before - 4096
        until not ok
        assert(err.kind == "launch" and -before <= n // 8 + 3 * 4096, tostring(err))
        assert(y:max():item() == 0)
      end
      print "caught"]], helper.seed)
    assert.equal(0, code, note(out))
    assert.equal("caught\n", out)
  end)

  it("is bounded by DOTCOMPUTE_POOL", function()
    for setting, most in pairs { ["0"] = 0, ["3M"] = 3, ["3145728"] = 3, ["3m"] = 3 } do
      local out = helper.on_cpu("TIER=0 DOTCOMPUTE_POOL=" .. setting, [[
        local dc = require "dotcompute"
        local t = {}
        for i = 1, 20 do t[i] = dc.empty(1 << 20, "uint8") end
        for i = 1, 20 do t[i]:close() end
        local usage = dc.memory()
        print(usage.reserved - usage.in_use)]])
      assert.is_true(tonumber(out) < (most << 20) + 100000, out) -- of small blocks a few pages
      assert.is_true(tonumber(out) >= (most - 1) << 20, out)
    end
    local out = helper.on_cpu("TIER=0 DOTCOMPUTE_POOL=", [[
      local dc = require "dotcompute"
      dc.empty(1 << 20, "uint8"):close()
      local usage = dc.memory()
      print(usage.reserved - usage.in_use)]])
    assert.is_true(tonumber(out) >= 1 << 20, out)
  end)
end)

describe("a long loop", function()
  it("writes large results where earlier ones were", function()
    local out = helper.on_cpu("THREADS=1", [[
      local dc = require "dotcompute"
      for _, n in ipairs { 1000000, 2500000, 4000000 } do -- 4, 10 and 16 MB
        local a, b = dc.ones(n), dc.ones(n)
        local last, again = nil, 0
        for i = 1, 30 do
          local x = a + b
          if x.ptr == last then again = again + 1 end
          last = x.ptr
        end
        print(again > 15 or again)
      end]])
    assert.equal("true\ntrue\ntrue\n", out)
  end)

  for _, mode in ipairs { "incremental", "generational" } do
    it("stays flat in memory (" .. mode .. ")", function()
      -- A sanitizer keeps what was freed for a while: little, here.
      local out, code = helper.on_cpu("TIER=0 ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=4", [[
        local dc = require "dotcompute"
        collectgarbage(arg[1])
        local function resident()
          for line in io.lines "/proc/self/status" do
            local v = line:match "VmRSS:%s+(%d+)"
            if v then return tonumber(v) // 1024 end
          end
        end
        local a, b = dc.ones(1000), dc.ones(1000)
        local ballast = {}
        for i = 1, 1e5 do ballast[i] = { i } end -- a heap that is not small
        local function flat(name, n, most, fn)
          for i = 1, n // 8 do fn(i) end
          local before, in_use = resident(), dc.memory().in_use
          for i = 1, n do fn(i) end
          local grown, held = resident() - before, dc.memory().in_use - in_use
          local is_flat = grown < 48 + most and held < most << 20
          print(is_flat and "flat" or ("%s: %d MiB, %d bytes"):format(name, grown, held))
        end
        flat("dropped", 1000000, 1, function() local _ = a + b end)
        flat("chains", 60000, 1, function(i) local _ = dc.exp(a + i) * b - a end)
        flat("evaluated", 20000, 64, function() local _ = (a + b):eval() end)
        flat("views", 100000, 1, function() local _ = a:reshape(10, 100).T end)
        local sum = dc.zeros(1000)
        flat("accumulated", 20000, 64, function() sum = sum + b end)
        print(sum[1], #ballast)]], mode)
      assert.equal(0, code, out)
      assert.equal("flat\nflat\nflat\nflat\nflat\n22500.0\t100000\n", out)
    end)
  end
end)

-- With a generational collector what survives two of its steps is freed by full collections alone; an incremental one's
-- steps are too slow for large results.
describe("results that are dropped", function()
  for _, mode in ipairs { "incremental", "generational" } do
    it("hold as much memory as is in use, and little more (" .. mode .. ")", function()
      local out, code = helper.on_cpu("TIER=0", [[
        local dc = require "dotcompute"
        collectgarbage(arg[1])
        local function peak(n, kept, times)
          for _ = 1, times do
            local list = {}
            for k = 1, kept do list[k] = dc.zeros(n, "uint8") end
          end
          local most = dc.memory().peak
          collectgarbage()
          collectgarbage()
          dc.memory "reset"
          return most >> 20
        end
        local least = math.huge -- other programs may delay a step, and with it the next ones
        for _ = 1, 20 do least = math.min(least, peak(400000, 1, 100)) end
        print(least <= (arg[1] == "generational" and 6 or 64), peak(4 << 20, 10, 50) <= 320)]], mode)
      assert.equal(0, code, out)
      assert.equal("true\ttrue\n", out)
    end)
  end
end)

describe("on a CUDA device", function()
  it("limits, lines and the pool work as on the CPU device", function()
    local out, report = fake.run([[
      local x = dc.empty(2 << 20, "uint8")
      print(dc.memory().in_use, dc.memory().lines[1].where:match ":%d+$", dc.memory().lines[1].bytes)
      print(dc.memory_limit(3 << 20), dc.memory().free)
      try(dc.empty, 2 << 20, "uint8")
      x:close()
      local usage = dc.memory()
      print(usage.in_use, usage.reserved, usage.peak)
      dc.memory "trim"
      print(dc.memory().reserved)
      collectgarbage "stop"
      for i = 1, 20 do dc.empty(1 << 20, "uint8") end
      print(dc.memory().in_use <= 3 << 20)]])
    assert.matches("^2097152\t:%d+\t2097152\nnil\t1048576\nmemory\t\t[^\n]*cannot allocate 2 MiB on cuda:0: its limit"
      .. "[^\n]*3 MiB, of which 2 MiB[^\n]*%(2 MiB in 1 array%)\n0\t2097152\t2097152\n0\ntrue\n$", out)
    assert.equal(2, report.calls.MemPoolTrimTo) -- once at the end of the script
    fake.assert_released(report)
  end)

  it("running out waits, trims, collects and evaluates expressions with large operands", function()
    local out, report = fake.run([[
      collectgarbage "stop"
      local sums = {}
      for i = 1, 30 do sums[i] = dc.empty(1 << 18):sum() end -- 1 MiB each of 8
      print(#sums, dc.memory().in_use <= (8 << 20) + 4096)
      local keep = {}
      for i = 1, 6 do keep[i] = dc.empty(1 << 18) end
      try(dc.empty, 3 << 20, "uint8")]], { FAKE_CUDA_MEMORY = tostring((8 << 20) + 65536) })
    assert.matches("^30\ttrue\nmemory\tCUDA_ERROR_OUT_OF_MEMORY\t[^\n]*cannot allocate 3 MiB on cuda:0[^\n]*"
      .. "most were made at [^\n]*%(6 MiB in 6 arrays%)[^\n]*\n$", out)
    assert.equal(0, fake.held(report, "pool memory")) -- kernels of expressions stay for the next
  end)

  it("the pool keeps what DOTCOMPUTE_POOL says", function()
    local _, report = fake.run([[print(dc.empty(10).size)]], { DOTCOMPUTE_POOL = "2G", FAKE_CUDA_KEEP = 2 << 30 })
    fake.assert_released(report)
  end)
end)
