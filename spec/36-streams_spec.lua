-- Streams, events, graphs, page-locked memory and copies that are not waited for: the same on every device.
-- What only a driver can show (who waits for whom, what is released) is in the second half, on a driver without a GPU.
local dc = require "dotcompute"
local helper = require "spec.helper"
local fails, note = helper.fails, helper.note
local fake = require "spec.fake"

local source = [[
extern "C" __global__ void axpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void twice(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}]]
local m = dc.module(source)
local axpy, twice = m:kernel "axpy", m:kernel "twice"
local function blocks(n) return (n + 127) // 128 end
-- Whole numbers: sums of a few are exact in float32.
local function ints(n) return helper.ints(n, -1000, 1000) end
local function map(t, f)
  local r = {}
  for i = 1, #t do r[i] = f(t[i], i) end
  return r
end

describe("a stream", function()
  it("runs kernels and expressions in order, and is ordered with other streams by the arrays that they use", function()
    local n = math.random(1, 5000)
    local t, u = ints(n), ints(n)
    local s1, s2 = dc.stream(), dc.stream()
    local x, y, z = dc.array(t), dc.array(u), dc.zeros(n)
    dc.using(s1, function()
      axpy(blocks(n), 128, n, 3, x, y) -- y = 3x + y
      z[":"] = y * 2
    end)
    dc.using(s2, function()
      twice(blocks(n), 128, n, y)
      y[":"] = y + z
    end)
    z:fill(7) -- in the device's own stream
    helper.same(map(t, function(v, i) return 4 * (3 * v + u[i]) end), y:to_table(), note "y")
    assert.equal(7, z[n])
    s1:synchronize()
    assert.is_true(s1:query())
    s1:close()
    s2:close()
    assert.is_true(s1.closed)
  end)

  it("is a launch option, of a variant to be kept", function()
    local n = math.random(1, 3000)
    local t = ints(n)
    local s = dc.stream()
    local x = dc.array(t)
    local there = twice:with { stream = s }
    there(blocks(n), 128, n, x)
    twice(blocks(n), 128, n, x)
    there:forall(n, n, x)
    helper.same(map(t, function(v) return 8 * v end), x:to_table(), note())
    s:close()
    fails("argument", "stream is closed", function() there(1, 32, 1, x) end)
    fails("argument", "stream is closed", function() twice:with { stream = s } end)
    fails("argument", "'stream' is a stream, got", function() twice:with { stream = 1 } end)
  end)

  it("keeps its work when it is closed or collected with work pending", function()
    local n = math.random(1, 3000)
    local t = ints(n)
    local x = dc.array(t)
    do
      local s <close> = dc.stream()
      dc.using(s, function() for _ = 1, 5 do twice(blocks(n), 128, n, x) end end)
    end
    dc.using(dc.stream(), function()
      collectgarbage()
      twice(blocks(n), 128, n, x)
    end)
    collectgarbage()
    helper.same(map(t, function(v) return 64 * v end), x:to_table(), note())
  end)

  it("is the current one within dc.using alone, also after an error and inside each other", function()
    local s1, s2 = dc.stream(), dc.stream()
    local x = dc.ones(10)
    local got = { dc.using(s1, function(...)
      local ok = pcall(dc.using, s2, function()
        twice(1, 32, 10, x)
        error "mine"
      end)
      fails("argument", "the current one", function() s1:close() end)
      s2:close()
      x:fill(3)
      return ok, ...
    end, 1, nil, 2) }
    assert.same({ false, 1, nil, 2 }, got)
    s1:close()
    fails("argument", "stream is closed", function() dc.using(s1, print) end)
    fails("argument", "function", function() dc.using(dc.stream()) end)
    assert.equal(3, x[10])
    assert.equal(dc.device(), s1.device)
  end)

  it("frees memory that another stream has used", function()
    local s = dc.stream()
    local n = 1000
    local y = dc.zeros(n)
    for i = 1, 20 do
      local x = dc.full(n, i)
      dc.using(s, function() axpy(blocks(n), 128, n, 1, x, y) end)
      x:close()
    end
    assert.equal(210, y[n])
  end)

  it("tells mistakes", function()
    local s = dc.stream()
    fails("index", "a stream has no 'sync'", function() s:sync() end)
    fails("index", "an event has no 'wait'", function() dc.event():wait(s) end)
    fails("argument", "an event expected, got", function() s:wait(s) end)
    fails("argument", "a stream expected, got", function() dc.event():record(1) end)
    fails("argument", "device", function() dc.stream(7) end)
    assert.matches("^stream %d+ of ", tostring(s))
    assert.matches("^event of ", tostring(dc.event()))
  end)
end)

describe("an event", function()
  it("orders streams and times them", function()
    local n = math.random(1000, 100000)
    local t = ints(n)
    local s1, s2 = dc.stream(), dc.stream()
    local x = dc.array(t)
    local e1, e2 = dc.event(), dc.event()
    assert.is_false(e1.recorded)
    assert.equal(e1, e1:record(s1))
    dc.using(s1, function()
      for _ = 1, 3 do twice(blocks(n), 128, n, x) end
      e2:record()
    end)
    assert.equal(s2, s2:wait(e2))
    dc.using(s2, function() twice(blocks(n), 128, n, x) end)
    e2:synchronize()
    assert.is_true(e1:query() and e2:query() and e1.recorded)
    local dt = e1:elapsed(e2)
    assert.is_true(dt >= 0 and dt < 60, tostring(dt))
    assert.equal(-dt, e2:elapsed(e1))
    helper.same(map(t, function(v) return 16 * v end), x:to_table(), note())
  end)

  it("that was never recorded is an error", function()
    local e, f = dc.event(), dc.event():record()
    local s = dc.stream()
    for _, fn in ipairs { function() e:synchronize() end, function() e:query() end, function() s:wait(e) end,
                          function() e:elapsed(f) end, function() f:elapsed(e) end } do
      fails("argument", "the event has never been recorded", fn)
    end
  end)

  it("of another device is refused, waiting for it is not", function()
    local other
    for _, d in ipairs(dc.devices()) do if d ~= dc.device() then other = d end end
    if not other then return pending "one device only" end
    local s, e = dc.stream(), dc.event()
    local so, eo = dc.stream(other), dc.event(other)
    assert.equal(other, so.device)
    fails("argument", "the stream belongs to " .. so.device.id, function() e:record(so) end)
    fails("argument", "the stream belongs to", function() twice:with { stream = so } end)
    fails("argument", "the events belong to", function() e:record():elapsed(eo:record()) end)
    s:wait(eo)
    so:wait(e)
  end)
end)

describe("a graph", function()
  it("is what a function launches, and runs without it", function()
    local n = math.random(1, 5000)
    local t, u = ints(n), ints(n)
    local x, y, z = dc.array(t), dc.array(u), dc.zeros(n)
    local calls = 0
    local g = dc.graph(function()
      calls = calls + 1
      axpy(blocks(n), 128, n, 2, x, y)
      z[":"] = y * 3 + x
      twice(blocks(n), 128, n, z)
    end)
    helper.same(u, y:to_table(), "nothing has run")
    assert.equal(3, g.launches)
    local want = {}
    for i = 1, n do want[i] = u[i] end
    for _ = 1, 3 do
      g()
      for i = 1, n do want[i] = want[i] + 2 * t[i] end
    end
    helper.same(want, y:to_table(), note "y")
    helper.same(map(want, function(v, i) return 2 * (3 * v + t[i]) end), z:to_table(), note "z")
    assert.equal(1, calls)
    assert.matches("^graph of 3 launches on ", tostring(g))
    g:close()
    g:close()
    fails("argument", "graph is closed", function() g() end)
    fails("argument", "graph is closed", function() g:update(print) end)
    fails("argument", "graph is closed", function() return g.launches end)
  end)

  it("holds fills, copies, reductions and new arrays, which each run computes anew", function()
    local n = math.random(10, 70000)
    local t = ints(n)
    local x, copy, total, wide = dc.array(t), dc.zeros(n), dc.zeros(1), dc.zeros({ n }, "float64")
    local kept
    local g = dc.graph(function()
      copy:copy_from(x)
      wide:fill(1.25)
      local part = dc.zeros(n)
      part[":"] = x + 1
      total[":"] = part:sum()
      kept = x * 2 -- pending when the function returns
    end)
    for round = 1, 3 do
      x:fill(round)
      if round == 2 then copy:fill(9) wide:fill(0) end
      g()
      assert.equal(round, copy[n])
      assert.equal(1.25, wide[n])
      assert.equal(n * (round + 1), total[1])
      assert.equal(2 * round, kept[n])
    end
    assert.is_true(dc.equal(kept, dc.full(n, 6)))
  end)

  it("settles what still reads what it writes", function()
    local n = math.random(1, 1000)
    local t = ints(n)
    local x = dc.array(t)
    local before = x + 1 -- pending at the capture
    local g = dc.graph(function() twice(blocks(n), 128, n, x) end)
    local after = x + 2
    g()
    local later = x + 3
    g()
    helper.same(map(t, function(v) return v + 1 end), before:to_table(), note "before")
    helper.same(map(t, function(v) return v + 2 end), after:to_table(), note "after")
    helper.same(map(t, function(v) return 2 * v + 3 end), later:to_table(), note "later")
    helper.same(map(t, function(v) return 4 * v end), x:to_table(), note "x")
  end)

  it("owns what it uses: arrays and kernels", function()
    local n = 500
    local y = dc.zeros(n)
    local g
    do
      local k = dc.kernel [[
extern "C" __global__ void add(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x[i];
}]]
      local x = dc.full(n, 5)
      g = dc.graph(function() k(blocks(n), 128, n, x, y) end)
    end
    collectgarbage()
    collectgarbage()
    for _ = 1, 20 do dc.full(n, 77):eval() end -- would take the memory
    g()
    g()
    assert.equal(10, y[n])
    local z = dc.zeros(n)
    local view = y:reshape(n // 2, 2)
    g:update(function() y:fill(3) z:copy_from(y) end)
    y:close() -- for us: the graph still has it
    g()
    assert.equal(3, z[n])
    fails("argument", "the array is closed", function() view:sum() end)
  end)

  it("is changed in place by update, and stays as it was when that fails", function()
    local n = math.random(1, 1000)
    local x, y = dc.full(n, 3), dc.zeros(n)
    local g = dc.graph(function() axpy(blocks(n), 128, n, 1, x, y) end)
    g()
    assert.equal(3, y[n])
    assert.equal(g, g:update(function() axpy(blocks(n), 128, n, 10, x, y) end)) -- same shape, other values
    g()
    assert.equal(33, y[n])
    local ok, err = pcall(g.update, g, function()
      twice(blocks(n), 128, n, y)
      error { "mine" }
    end)
    assert.is_false(ok)
    assert.equal("mine", err[1])
    g()
    assert.equal(63, y[n])
    g:update(function() -- another shape
      y:fill(1)
      twice(blocks(n), 128, n, y)
      twice(blocks(n), 128, n, y)
    end)
    assert.equal(2, g.launches)
    g()
    assert.equal(4, y[n])
    g:update(function() end)
    g()
    assert.equal(4, y[n])
    assert.equal(0, g.launches)
  end)

  it("says which call cannot be captured, and nothing stays captured", function()
    local x = dc.ones(10)
    local s, e = dc.stream(), dc.event():record()
    local host = dc.pinned(10)
    local cases = {
      ["array:item()"] = function() x:sum():item() end,
      ["array:to_table()"] = function() x:to_table() end,
      ["array:bytes()"] = function() x:bytes() end,
      ["array[...]"] = function() return x[1] end,
      ["array()"] = function() dc.array { 1, 2, 3 } end,
      ["linspace()"] = function() dc.linspace(0, 1, 5) end,
      ["synchronize()"] = function() dc.synchronize() end,
      ["device:synchronize()"] = function() dc.device():synchronize() end,
      ["stream:synchronize()"] = function() s:synchronize() end,
      ["stream:query()"] = function() s:query() end,
      ["stream:wait()"] = function() s:wait(e) end,
      ["event:record()"] = function() e:record() end,
      ["event:synchronize()"] = function() e:synchronize() end,
      ["event:elapsed()"] = function() e:elapsed(e) end,
      ["equal()"] = function() dc.equal(x, x) end,
      ["stream()"] = function() dc.stream() end,
      ["graph()"] = function() dc.graph(print) end,
    }
    if dc.device().backend == "cuda" then
      cases["array:to()"] = function() x:to "cpu" end
      cases["array:copy_from()"] = function() x:copy_from(host, { async = true }) end
    end
    for call, fn in pairs(cases) do
      local err = fails("launch", "cannot be captured in a graph: it ", function()
        dc.graph(function()
          twice(1, 32, 10, x)
          fn()
          error "not reached"
        end)
      end)
      assert.equal(call, err.message:match "^(.-) cannot", err.message)
      assert.equal("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", err.code)
    end
    fails("launch", "cannot be captured", function() dc.graph(function() dc.using(s, function() end) end) end)
    fails("launch", "cannot be captured", function()
      dc.graph(function() twice:with { stream = s }(1, 32, 10, x) end)
    end)
    fails("launch", "runs a graph", function()
      local g = dc.graph(function() end)
      dc.graph(function() g() end)
    end)
    assert.equal(10, x:sum():item())
    local g = dc.graph(function() -- caught inside: the capture goes on
      pcall(x.item, x)
      twice(1, 32, 10, x)
    end)
    g()
    assert.equal(20, x:sum():item())
    fails("argument", "function", function() dc.graph(1) end)
    local co = coroutine.create(function() dc.graph(coroutine.yield) end)
    assert.is_false((coroutine.resume(co))) -- a capture cannot be left and entered again
    dc.graph(function() end)
  end)

  it("runs in the current stream", function()
    local n = math.random(1, 1000)
    local x = dc.ones(n)
    local s = dc.stream()
    local g = dc.graph(function() twice(blocks(n), 128, n, x) end)
    for _ = 1, 4 do
      dc.using(s, g)
      g()
    end
    assert.equal(256, x[n])
    dc.using(s, function()
      local h = dc.graph(function() x:fill(5) end)
      h()
      h:close()
      twice(blocks(n), 128, n, x)
    end)
    assert.equal(10, x[1])
  end)

  it("reports a kernel that fails, by name", function()
    dc.using("cpu", function()
      local k = dc.kernel [[extern "C" __global__ void bad(int *x) { if (x[0] == 0) __trap(); }]]
      local x = dc.ones({ 1 }, "int32")
      local g = dc.graph(function() k(1, 1, x) end)
      g()
      x:fill(0)
      fails("launch", "in a graph, kernel 'bad'", function() g() end)
      x:fill(1)
      g()
    end)
  end)
end)

describe("page-locked memory", function()
  it("is an array of the CPU device, copied to and from without waiting", function()
    local n = math.random(1, 20000)
    local t = ints(n)
    local p = dc.pinned(n)
    assert.equal("cpu", p.device.id)
    assert.equal("float32", p.dtype)
    assert.same({ 2, 3 }, { dc.pinned({ 2, 3 }, "int16"):shape() })
    p:copy_from(dc.using("cpu", dc.array, t))
    local x = p:to(dc.device(), { async = true })
    twice(blocks(n), 128, n, x)
    local want = map(t, function(v) return 2 * v end)
    local back = dc.pinned(n)
    back:copy_from(x, { async = true })
    helper.same(want, back:to_table(), note "back")
    local host = x:to("cpu", { async = true })
    helper.same(want, host:to_table(), note "host")
    back:fill(1)
    x:copy_from(back, { async = true })
    back[":"] = back + 1
    assert.equal(1, x[n])
    assert.equal(2, back[n])
    assert.equal(0, dc.pinned(0).size)
  end)

  it("copies what is not contiguous, of another type or not page-locked too", function()
    local rows, cols = math.random(2, 30), math.random(2, 30)
    local t = {}
    for i = 1, rows do t[i] = ints(cols) end
    local x = dc.array(t)
    local p = dc.pinned({ cols, rows }, "float64")
    p:copy_from(x.T, { async = true })
    assert.equal(t[rows][1], p[{ 1, rows }])
    local plain = dc.using("cpu", dc.array, t)
    assert.same(t, plain:to(dc.device(), { async = true }):to_table())
    assert.same(t, x:to("cpu", { async = true }):to_table())
    fails("argument", "there is no option 'asynch'", function() x:to("cpu", { asynch = true }) end)
    fails("argument", "'async' is a boolean", function() x:copy_from(x, { async = 1 }) end)
    fails("argument", "a table of options", function() x:copy_from(x, true) end)
    fails("argument", "a shape expected", function() dc.pinned() end)
  end)
end)

-- On the driver without a GPU: kernels compute nothing, but who waits for whom is watched (spec/fake/order.h), and
-- with FAKE_CUDA_LAZY=1 nothing is done before it is asked for.
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

setup(fake.build)

describe("on a GPU, streams", function()
  -- Random programs over a few arrays and streams; the driver reports each use that is not ordered.
  it("never race: random uses, new and closed streams, frees, copies, graphs", function()
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

  it("do not wait where nothing conflicts", function()
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

  it("cost a program that has one stream nothing", function()
    local _, report = run(kernels .. [==[
      local a, b = dc.zeros(64), dc.zeros(64)
      for _ = 1, 50 do rw(1, 32, a, b) b[":"] = a + 1 end
      dc.synchronize()]==])
    assert.is_nil(report.calls.EventRecord)
    assert.is_nil(report.calls.StreamWaitEvent)
    assert.equal(1, report.calls.StreamCreate)
  end)

  it("order kernels that take addresses behind and before everything", function()
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

  it("let kernels run side by side whose numbers are no addresses, whoever has read one", function()
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
    assert.equal(2, report.calls.StreamWaitEvent) -- new streams begin behind the device's own
    _, report = run(kernels .. [==[
      local s1, s2, a = dc.stream(), dc.stream()
      local address = dc.using(s1, function() a = dc.zeros(64) return a.ptr end)
      local k = dc.kernel [[
        struct some { double x; long long n; int m[3]; };
        extern "C" __global__ void use_w(int i, some s) {}]]
      dc.using(s1, w, 1, 32, a)
      dc.using(s2, k, 1, 32, 1, { x = 0.1, n = address + 4, m = { 1, 2, 3 } })]==])
    assert.is_true(report.calls.StreamWaitEvent > 2)
  end)

  it("are given back: streams with work, events, graphs, page-locked memory", function()
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

  it("copy between devices in order, over the straight way where there is one", function()
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
  it("is one launch, with everything in it", function()
    local _, report = run(kernels .. [==[
      local a, b = dc.zeros(64), dc.zeros(64)
      local g = dc.graph(function() rw(1, 32, a, b) a:fill(2) b:copy_from(a) w(1, 32, b) end)
      g() g() g()
      assert(b[1] == 2)]==], lazy)
    assert.equal(6, #report.launch)
    assert.equal(2, report.calls.LaunchKernel)
    assert.equal(3, report.calls.GraphLaunch)
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

  it("of a lost device says so", function()
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
    local g = dc.graph(function() w(1, 32, a) b:fill(1) dc.zeros(100):sum():eval() end)
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
    it("in " .. name .. ", every error is a Lua error, nothing stays held and nothing stays captured", function()
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
