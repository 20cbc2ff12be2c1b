-- Streams, graphs and page-locked memory on a driver without a GPU: kernels compute nothing, but the order of
-- operations is checked (spec/fake/order.h), and with FAKE_CUDA_LAZY=1 operations run only when something waits for
-- them.
local helper = require "spec.helper"
local note = helper.note
local fake = require "spec.fake"

local run = fake.run
-- Modules of expressions stay for the next one of their form.
local function assert_released(report, text)
  for _, kind in ipairs { "memory", "pool memory", "graph", "executable graph" } do
    assert.equal(0, fake.held(report, kind), (text or "") .. " " .. kind .. " not released")
  end
end
local lazy = { FAKE_CUDA_LAZY = "1" }
-- use_rw reads through its first pointer and writes through its second; use_w, use_r alike.
local kernels = [==[
local m = dc.module [[
extern "C" __global__ void use_rw(const float *x, float *y) {}
extern "C" __global__ void use_w(float *x) {}
extern "C" __global__ void use_r(const float *x) {}
struct cell { float *p; };
extern "C" __global__ void unknown(struct cell *x) {}]]
local rw, w, r, unknown = m:kernel "use_rw", m:kernel "use_w", m:kernel "use_r", m:kernel "unknown"
]==]
-- A kernel in one stream that may use the memory which another has written: its address is a number in a struct.
local hidden = [==[
local s1, s2, a = dc.stream(), dc.stream()
local address = dc.using(s1, function() a = dc.zeros(64) return a.ptr end)
local k = dc.kernel [[
  struct some { double x; long long n; int m[3]; };
  extern "C" __global__ void use_w(int i, some s) {}]]
dc.using(s1, w, 1, 32, a)
dc.using(s2, k, 1, 32, 1, { x = 0.1, n = address + 4, m = { 1, 2, 3 } })
]==]

setup(fake.build)

describe("on a GPU, streams", function()
  -- Random programs over a few arrays and streams; the driver reports each use that is not ordered.
  it("never race in random uses, with new and closed streams, frees, copies and graphs", function()
    local out, report = run(("math.randomseed(%d)\n"):format(helper.seed) .. kernels .. [==[
      local streams, arrays, graphs, others, there = {}, {}, {}, {}, {} -- others, there: on the second device
      local function any(t) return t[math.random(#t)] end
      local function array() return any(arrays) end
      for i = 1, 5 do arrays[i] = dc.zeros(64) end
      for i = 1, 3 do others[i] = dc.using("cuda:1", dc.zeros, 64) end
      local on_second = dc.using("cuda:1", dc.module, [[
extern "C" __global__ void use_rw(const float *x, float *y) {}]]):kernel "use_rw"
      local function second(fn)
        local s = math.random(2) == 1 and any(there)
        return dc.using(s or "cuda:1", fn)
      end
      local host = dc.pinned(64)
      local acts = {
        function() rw(1, 32, array(), array()) end,
        function() rw(1, 32, array(), array()) end,
        function() w(1, 32, array()) end,
        function() r(1, 32, array()) end,
        function() r(1, 32, array()) end,
        function() local s = any(streams) if s then rw:with { stream = s }(1, 32, array(), array()) end end,
        function() array():fill(1) end,
        function() array():copy_from(array()) end,
        function() local a = array() a[":"] = array() * 2 + array() end,
        function() arrays[math.random(#arrays)] = array() + 1 end, -- pending: memory comes later, from any stream
        function() arrays[math.random(#arrays)] = dc.zeros(64) end,
        function() arrays[math.random(#arrays)]:close() for i = 1, #arrays do
          if not pcall(function() return arrays[i].dtype end) then arrays[i] = dc.ones(64) end end end,
        function() if #streams < 6 then streams[#streams + 1] = dc.stream() end end,
        function() if #streams > 0 then table.remove(streams, math.random(#streams)):close() end end,
        function() if #streams > 0 then table.remove(streams, math.random(#streams)) collectgarbage() end end,
        function() local s = any(streams) if s then s:synchronize() end end,
        function() local e = dc.event():record(any(streams)) local s = any(streams) if s then s:wait(e) end end,
        function() return array()[1] end,
        function() return array():sum():item() end,
        function() host:copy_from(array(), { async = true }) end,
        function() array():copy_from(host, { async = true }) end,
        function() host:fill(math.random(9)) end,
        function() host = dc.pinned(64):copy_from(host) end,
        function() array():to("cpu", { async = true }) end,
        function() others[math.random(#others)] = second(function() return array():to "cuda:1" end) end,
        function() second(function() any(others):copy_from(array()) end) end,
        function() array():copy_from(any(others)) end,
        function() second(function() on_second(1, 32, any(others), any(others)) end) end,
        function() second(function() any(others):copy_from(host, { async = true }) end) end,
        function() if #there < 3 then there[#there + 1] = dc.stream "cuda:1" end end,
        function() if #there > 0 then table.remove(there, math.random(#there)):close() end end,
        function()
          local a, b = array(), array()
          graphs[#graphs + 1] = dc.graph(function() rw(1, 32, a, b) b[":"] = a + 1 a:sum():eval() end)
        end,
        function()
          graphs[#graphs + 1] = dc.graph(function()
            local e
            for _ = 1, math.random(10) do
              local a, b, s = array(), array(), any { streams[1] or 1, streams[2] or 1, 1 }
              local act = any {
                function() rw(1, 32, a, b) end,
                function() w(1, 32, a) end,
                function() (s == 1 and r or r:with { stream = s })(1, 32, a) end,
                function() b[":"] = a + 1 end,
                function() a:sum():eval() end,
                function() a:fill(3) end,
                function() arrays[math.random(#arrays)] = a * 2 end,
                function() e = dc.event():record() end,
                function() if e then e:wait() end end,
              }
              if s == 1 then act() else dc.using(s, act) end
            end
          end)
        end,
        function() local g = any(graphs) if g then pcall(g) end end,
        function() local g = any(graphs) if g then pcall(g) end end,
        function() local g = any(graphs) if g then
          local a = array()
          g:update(function() w(1, 32, a) if math.random(2) == 1 then r(1, 32, a) end end) end end,
        function() if #graphs > 0 then table.remove(graphs, math.random(#graphs)):close() end end,
      }
      for step = 1, 1500 do
        local s = math.random(2) == 1 and any(streams)
        if s then
          local act = any(acts)
          local ok, err = pcall(dc.using, s, act)
          if not ok and not tostring(err):find "current one" then error(err) end
        else any(acts)() end
      end
      arrays, streams, graphs, others, there, host = nil, nil, nil, nil, nil, nil
      collectgarbage()
      dc.device "cuda:1":synchronize()
      dc.synchronize() -- what graphs held goes when they are known to be over
      print "done"]==], { FAKE_CUDA_LAZY = "1", FAKE_CUDA_DEVICES = "2" })
    assert.matches("done\n$", out, 1, false, note())
    assert_released(report)
    assert.is_true(report.calls.GraphLaunch > 0 and report.calls.GraphExecUpdate > 0)
  end)

  it("do not wait without a conflict", function()
    local function waits(body)
      local _, report = run(kernels .. [==[
        local a, b = dc.zeros(64), dc.zeros(64)
        local s1, s2 = dc.stream(), dc.stream()
        dc.synchronize()
        ]==] .. body, lazy)
      return report.calls.StreamWaitEvent or 0
    end
    local none = waits ""
    assert.equal(none, waits "dc.using(s1, w, 1, 32, a)") -- what was filled before there were streams
    assert.equal(none + 1, waits "a:fill(1) dc.using(s1, function() w(1, 32, a) r(1, 32, a) rw(1, 32, b, a) end)")
    assert.equal(none, waits "dc.using(s1, w, 1, 32, a) dc.using(s2, w, 1, 32, b)")
    assert.equal(none + 2, waits [[dc.using(s1, w, 1, 32, a)
      dc.using(s2, function() for _ = 1, 5 do r(1, 32, a) end end) dc.using(s1, w, 1, 32, a)]])
  end)

  it("add no driver calls to a program with one stream", function()
    local _, report = run(kernels .. [==[
      local a, b = dc.zeros(64), dc.zeros(64)
      for _ = 1, 50 do rw(1, 32, a, b) b[":"] = a + 1 end
      dc.synchronize()]==])
    assert.is_nil(report.calls.EventRecord)
    assert.is_nil(report.calls.StreamWaitEvent)
    assert.equal(1, report.calls.StreamCreate)
  end)

  it("order kernels that take addresses as full barriers", function()
    run(kernels .. [==[
      local a, cells = dc.zeros(64), dc.zeros({ 8 }, "uint8")
      local s1, s2 = dc.stream(), dc.stream()
      for _ = 1, 3 do
        dc.using(s1, w, 1, 32, a)
        dc.using(s2, unknown, 1, 32, cells)
        w(1, 32, a)
      end
      local address = a.ptr -- from now on 64-bit numbers may be addresses
      local k = dc.kernel 'extern "C" __global__ void use_w(long long address) {}'
      for _ = 1, 3 do
        dc.using(s1, w, 1, 32, a)
        dc.using(s2, k, 1, 32, address)
        w(1, 32, a)
        k(1, 32, address)
        dc.using(s1, r, 1, 32, a)
      end]==], lazy)
  end)

  it("let kernels run concurrently whose integers are not addresses, whether or not one was read", function()
    local _, report = run(kernels .. [==[
      local s1, s2, a = dc.stream(), dc.stream()
      local address = dc.using(s1, function() a = dc.zeros(64) return a.ptr end)
      local k = dc.kernel [[
        struct some { double x; long long n; int m[3]; };
        extern "C" __global__ void use_w(long long n, unsigned long long *none, some s) {}]]
      dc.using(s1, w, 1, 32, a)
      for _, n in ipairs { 0, 1, 1000000, -1, address - 1, address + 4096 } do
        dc.using(s2, k, 1, 32, n, dc.null, { x = 0.1, n = n, m = { 1, 2, 3 } })
      end]==])
    assert.equal(2, report.calls.StreamWaitEvent) -- new streams begin after the work of the device's own
    _, report = run(kernels .. hidden)
    assert.is_true(report.calls.StreamWaitEvent > 2)
  end)

  for _, finish in ipairs { "", "a:close()", "s2:close() a:close()", "s1:close() s2:close() a:close()",
                            "a = nil collectgarbage() collectgarbage()", "dc.graph(function() a:close() end)",
                            "s1, s2 = nil collectgarbage() collectgarbage() a:close()" } do
    it(("keep memory that their work may use, whether or not it is referenced (%s)"):format(finish), function()
      local _, report = run(kernels .. hidden .. finish)
      assert_released(report)
    end)
  end

  it("release streams with work, events, graphs and page-locked memory", function()
    local _, report = run(kernels .. [==[
      local a = dc.zeros(64)
      for i = 1, 40 do
        local s <close>, e = dc.stream(), dc.event()
        dc.using(s, function() w(1, 32, a) e:record() end)
        local g = dc.graph(function() w(1, 32, a) end)
        dc.using(s, g)
        dc.pinned(10):copy_from(a[{{1, 10}}], { async = true })
      end
      collectgarbage()
      dc.synchronize()
      collectgarbage()
      dc.synchronize()]==], lazy)
    assert_released(report)
    assert.is_true(fake.held(report, "stream") <= 2, report.text) -- the device's own, and the one for capturing
    assert.is_true(fake.held(report, "event") <= 70, report.text) -- the own one's marks
    assert.equal(1, fake.held(report, "pinned")) -- for small copies
    assert.is_true(report.calls.StreamCreate >= 41)
  end)

  it("copy between devices in order, by peer access where there is any", function()
    for _, env in ipairs { { FAKE_CUDA_POOLS = "1" }, { FAKE_CUDA_POOLS = "0" }, { FAKE_CUDA_PEERS = "0" } } do
      env.FAKE_CUDA_DEVICES, env.FAKE_CUDA_LAZY = "2", "1"
      local out, report = run(kernels .. [==[
        local a = counting(64)
        local s = dc.stream()
        local t = dc.stream "cuda:1"
        for i = 1, 3 do
          dc.using(s, w, 1, 32, a)
          local b = dc.using(t, function() return a:to "cuda:1" end)
          dc.using(s, w, 1, 32, a)
          dc.using(t, function() b[":"] = b + 0 end)
          a:copy_from(b:to "cuda:0")
          print(a[64], b[1])
        end]==], env)
      assert.matches("^64%.0\t", out)
      assert_released(report)
      assert.equal(env.FAKE_CUDA_POOLS == "0" and 2 or nil, report.calls.CtxEnablePeerAccess)
      assert.equal(env.FAKE_CUDA_POOLS == "1" and 2 or nil, report.calls.MemPoolSetAccess)
    end
  end)
end)

describe("on a GPU, a graph", function()
  it("is one launch of all its work", function()
    local _, report = run(kernels .. [==[
      local a, b = dc.zeros(64), dc.zeros(64)
      local g = dc.graph(function() rw(1, 32, a, b) a:fill(2) b:copy_from(a) w(1, 32, b) end)
      g() g() g()
      assert(b[1] == 2)]==], lazy)
    assert.equal(6, #report.launch)
    assert.equal(2, report.calls.LaunchKernel)
    assert.equal(3, report.calls.GraphLaunch)
  end)

  it("has branches that wait only for conflicts and events, and are joined", function()
    local function branches(body)
      local _, report = run(kernels .. [==[
        local a, b, c = dc.zeros(64), dc.zeros(64), dc.zeros(64)
        local s1, s2 = dc.stream(), dc.stream()
        local w1, w2, rw1, rw2 = w:with { stream = s1 }, w:with { stream = s2 }, rw:with { stream = s1 },
          rw:with { stream = s2 }
        local g = dc.graph(function() ]==] .. body .. [==[ end)
        g() dc.using(s1, g) g()
        dc.synchronize()]==], lazy)
      assert_released(report)
      return report.text:match "graph of (%d+ branches, %d+ edges)"
    end
    assert.is_nil(branches "w(1, 32, a) w(1, 32, b)")
    assert.equal("2 branches, 0 edges", branches "w(1, 32, a) w1(1, 32, b)")
    assert.equal("3 branches, 0 edges", branches "w(1, 32, a) w1(1, 32, b) w2(1, 32, c) w1(1, 32, b)")
    assert.equal("2 branches, 1 edges", branches "w(1, 32, a) w1(1, 32, a) w1(1, 32, a)")
    assert.equal("2 branches, 2 edges", branches "w(1, 32, a) rw1(1, 32, a, b) w(1, 32, a)")
    assert.equal("3 branches, 2 edges", branches "w(1, 32, a) rw1(1, 32, a, b) rw2(1, 32, a, c)")
    assert.equal("2 branches, 1 edges", branches "w(1, 32, a) s1:wait(dc.event():record()) w1(1, 32, b)")
    assert.equal("2 branches, 1 edges", branches "w1(1, 32, a) dc.event():record(s1):wait() w(1, 32, b)")
    assert.equal("2 branches, 0 edges", branches "local e = dc.event():record() w(1, 32, a) s1:wait(e) w1(1, 32, b)")
    assert.equal("2 branches, 2 edges", branches [[
      local cells = dc.zeros(8, "uint8")
      w1(1, 32, a) unknown(1, 32, cells) w1(1, 32, c)]])
    assert.equal("2 branches, 1 edges", branches [[
      dc.using(s1, function() a[":"] = b + 1 end) c[":"] = a:sum() + b]])
  end)

  it("may compile and allocate while it is captured", function()
    local _, report = run(kernels .. [==[
      local a = dc.zeros(64)
      local g = dc.graph(function()
        local k = dc.kernel 'extern "C" __global__ void use_w(float *x) { x[0] = 7; }'
        local b = dc.zeros(64)
        k(1, 32, b)
        a[":"] = b * 3 + dc.full(64, 1)
        dc.zeros(1000000):close()
      end)
      dc.using(dc.stream(), g)
      g()
      dc.synchronize()]==], { FAKE_CUDA_LAZY = "1", FAKE_CUDA_POOLS = "0" })
    assert_released(report)
  end)

  it("of a lost device reports that", function()
    local out = run(kernels .. [==[
      local a = dc.zeros(64)
      local g, s, e = dc.graph(function() w(1, 32, a) end), dc.stream(), dc.event():record()
      g()
      try(dc.synchronize)
      try(g)
      try(g.update, g, print)
      try(s.synchronize, s)
      try(e.elapsed, e, e)
      try(dc.stream)
      try(dc.graph, print)
      try(dc.using, s, print)
      print(dc.using("cpu", function() return dc.ones(3):sum():item() end))]==], { FAKE_CUDA_FAULT = "700:1" })
    local n = 0
    for line in out:gmatch "[^\n]+" do
      n = n + 1
      if n <= 8 then
        assert.matches("CUDA_ERROR_ILLEGAL_ADDRESS.*in kernel 'graph of use_w'.*lost for this process", line)
      end
    end
    assert.equal(9, n)
    assert.matches("3.0\n$", out)
  end)
end)

describe("on a GPU that fails", function()
  local names = fake.functions()
  local script = kernels .. [==[
    local a, b = dc.zeros(64), dc.zeros(64)
    local s = dc.stream()
    local e1, e2 = dc.event():record(), dc.event()
    dc.using(s, function() rw(1, 32, a, b) a[":"] = b * 2 + a e2:record() end)
    w(1, 32, b)
    dc.stream():wait(e2)
    e2:synchronize()
    e1:elapsed(e2)
    local t = dc.stream()
    local g = dc.graph(function()
      w(1, 32, a)
      b:fill(1)
      dc.using(t, w, 1, 32, b)
      dc.event():record(t):wait()
      dc.zeros(100):sum():eval()
    end)
    g()
    g:update(function() w(1, 32, b) b:fill(2) dc.zeros(100):sum():eval() end)
    g:update(function() w(1, 32, b) end)
    dc.using(s, g)
    local p = dc.pinned(64):copy_from(a, { async = true })
    b:copy_from(p, { async = true })
    b:to("cuda:1"):to("cpu", { async = true })
    s:close()
    return b[1], p[1], s:query(), e2:query(), g:close()]==]

  for _, name in ipairs(names) do
    it("in " .. name .. ", every error is a Lua error, nothing leaks and no capture stays open", function()
      for _, code in ipairs { 2, 700 } do
        for _, nth in ipairs { "1", "2", "*" } do
          local rule = ("%s:%d:%s"):format(name, code, nth)
          local out, report = run("try(function()\n" .. script .. [[

end)
collectgarbage()
pcall(dc.synchronize)
local ok, err = pcall(function() return dc.zeros(3) + 1, dc.graph(function() end) end)
if not ok then assert(not tostring(err):find "another graph", tostring(err)) end
print 'alive']], { FAKE_CUDA_FAIL = rule, FAKE_CUDA_DEVICES = "2" })
          assert.matches("alive\n$", out, 1, false, rule)
          local may_hold = name:match "Free" or name:match "Unload" or name:match "Destroy" or name:match "Query"
          if code ~= 700 and not may_hold then
            assert_released(report, rule)
          end
        end
      end
    end)
  end
end)
