-- Streams, events, graphs, page-locked memory and asynchronous copies: the same on every device.
-- The order of operations and the release of resources are checked in device/streams-driver_spec.lua.
local dc = require "dotcompute"
local helper = require "spec.helper"
local fails, note = helper.fails, helper.note

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
local map = helper.map

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

  it("is a launch option, also of a variant kept for later", function()
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

  it("finishes pending work when it is closed or collected", function()
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

  it("is current within dc.using only, also after an error and nested", function()
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

  it("releases memory that another stream has used", function()
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

  it("stays open while others are current", function()
    local s, t = dc.stream(), dc.stream()
    dc.using(s, dc.using, t, function() end)
    collectgarbage()
    collectgarbage()
    assert.is_false(s.closed)
    dc.using(s, function() assert.equal(2, (dc.ones(3) * 2)[3]) end)
  end)

  it("reports wrong uses", function()
    local s = dc.stream()
    fails("index", "a stream has no 'sync'", function() s:sync() end)
    fails("index", "an event has no 'waits'", function() dc.event():waits(s) end)
    fails("argument", "never been recorded", function() dc.event():wait(s) end)
    fails("argument", "a stream expected, got", function() dc.event():record():wait(1) end)
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
    local other = helper.other_device()
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
  it("records the launches of a function, and repeats them without it", function()
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
    local want, launches = {}, dc.stats().launches
    for i = 1, n do want[i] = u[i] end
    for k = 1, 3 do
      g()
      assert.equal(launches + 3 * k, dc.stats().launches)
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

  it("contains fills, copies, reductions and new arrays, which each run recomputes", function()
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

  it("evaluates pending expressions that read what it writes", function()
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

  it("keeps its arrays and kernels alive", function()
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

  it("is changed in place by update, and unchanged when update fails", function()
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

  it("names the call that cannot be captured, and ends the capture", function()
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
      ["event:wait()"] = function() e:wait() end,
      ["event:query()"] = function() dc.event():record():query() end,
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

  it("has branches, the work of other streams, with the results of the same work in order", function()
    local n, count = math.random(1, 500), 5
    local streams, arrays, want = { false, dc.stream(), dc.stream(), dc.stream() }, {}, {}
    for i = 1, count do
      want[i] = helper.ints(n, -9, 9)
      arrays[i] = dc.array(want[i])
    end
    local events, program = {}, {}
    for step = 1, 25 do
      local a, b, c, v = math.random(count), math.random(count), math.random(count), math.random(-2, 2)
      local s = streams[math.random(#streams)]
      local axpied = axpy:with { stream = s or nil }
      local acts = {
        { function() axpied:forall(n, n, v, arrays[a], arrays[b]) end,
          function() return b, function(i) return v * want[a][i] + want[b][i] end end },
        { function() arrays[c][":"] = arrays[a] * v - arrays[b] end,
          function() return c, function(i) return want[a][i] * v - want[b][i] end end },
        { function() arrays[b]:fill(v) end, function() return b, function() return v end end },
        { function() arrays[b]:copy_from(arrays[a]) end, function() return b, function(i) return want[a][i] end end },
        { function() events[step] = dc.event():record(math.random(2) == 1 and s or nil) end },
        { function()
          local e = events[math.random(step)]
          if e and s then assert.equal(s, s:wait(e)) elseif e then assert.equal(e, e:wait()) end
        end },
      }
      local act = acts[math.random(#acts)]
      program[step] = { act[1], math.random(2) == 1 and s, act[2] }
    end
    local g = dc.graph(function()
      for _, p in ipairs(program) do
        if p[2] then dc.using(p[2], p[1]) else p[1]() end
      end
    end)
    for i = 1, #streams do if streams[i] and math.random(2) == 1 then streams[i]:close() end end
    for _ = 1, 2 do
      g()
      for _, p in ipairs(program) do
        if p[3] then
          local to, value = p[3]()
          want[to] = map(want[to], function(_, i) return value(i) end)
        end
      end
      local small = true
      for i = 1, count do
        helper.same(want[i], arrays[i]:to_table(), note("array " .. i))
        for k = 1, n do small = small and math.abs(want[i][k]) < 1 << 20 end
      end
      if not small then break end -- float32 would round
    end
  end)

  it("leaves streams and events unchanged", function()
    local x, s, e = dc.ones(10), dc.stream(), dc.event()
    fails("argument", "never been recorded", function()
      dc.graph(function()
        twice:with { stream = s }(1, 32, 10, x)
        e:record(s)
        e:wait()
      end)
      e:synchronize()
    end)
    local before = dc.event():record()
    pcall(dc.graph, function()
      dc.using(s, function()
        twice(1, 32, 10, x)
        before:record()
        error "mine"
      end)
    end)
    assert.is_true(before.recorded)
    before:synchronize()
    dc.using(s, twice, 1, 32, 10, x)
    s:synchronize()
    assert.equal(2, x[1])
    fails("argument", "the stream is closed", function()
      s:close()
      dc.graph(function() dc.using(s, twice, 1, 32, 10, x) end)
    end)
    fails("launch", "waits for an event that was not recorded in the graph", function()
      local inside = dc.event()
      dc.graph(function() inside:record() end)
      dc.graph(function() inside:wait() end)
    end)
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
    assert.equal(dc.device().host_memory and dc.device().id or "cpu", p.device.id)
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

  it("also copies arrays that are not contiguous, of another dtype or not page-locked", function()
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
