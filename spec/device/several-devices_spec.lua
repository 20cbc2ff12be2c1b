-- a:scatter, dc.gather and dc.parallel: arrays divided over devices, checked against slices and plain Lua. Where there
-- is one device it stands in the list several times.
local dc = require "dotcompute"
local helper = require "spec.helper"

-- `count` devices, GPUs first.
local function some(count)
  local all, list = dc.devices(), {}
  if #all > 1 then table.remove(all) end
  for k = 1, count do list[k] = all[(k - 1) % #all + 1] end
  return list
end

local function random_shape()
  local shape = {}
  for d = 1, math.random(1, 4) do shape[d] = math.random(1, 9) end
  return shape
end

local fails = helper.fails

describe("scatter", function()
  it("divides an array into blocks along an axis, longer ones first", function()
    for _ = 1, 30 do
      local shape, count = random_shape(), math.random(1, 5)
      local axis = math.random(1, #shape)
      local a = dc.random.integers(shape, { low = 1, high = 1000 })
      local parts = a:scatter(some(count), axis)
      assert.equal(count, #parts)
      local first = 1
      for k, part in ipairs(parts) do
        local extent = shape[axis] // count + (k <= shape[axis] % count and 1 or 0)
        assert.equal(extent, (select(axis, part:shape())))
        assert.equal(some(count)[k], part.device)
        if extent > 0 then
          local range = {}
          for d = 1, #shape do range[d] = d == axis and { first, first + extent - 1 } or ":" end
          assert.same(a[range]:to_table(), part:to_table())
        end
        first = first + extent
      end
    end
  end)

  it("gives parts of their own: the array does not change with them", function()
    local a = dc.arange(1, 10)
    local parts = a:scatter(some(2))
    parts[1]:fill(0)
    assert.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, a:to_table())
  end)

  it("takes ids of devices, and pending and transposed arrays", function()
    local a = dc.arange(1, 12):reshape(3, 4)
    local id = dc.device().id
    local parts = (a.T * 2):scatter({ id, id }, -1)
    assert.same({ { 2, 10 }, { 4, 12 }, { 6, 14 }, { 8, 16 } }, parts[1]:to_table())
    assert.same({ { 18 }, { 20 }, { 22 }, { 24 } }, parts[2]:to_table())
  end)

  it("refuses what is no list of devices, no axis, no axes", function()
    local a = dc.ones(3, 4)
    fails("argument", "the table of devices is empty", function() a:scatter {} end)
    fails("argument", "a table of devices, got the number 3", function() a:scatter(3) end)
    fails("device", "there is no device 'nope'", function() a:scatter { "nope" } end)
    fails("index", "axis 3 is out of range", function() a:scatter(some(2), 3) end)
    fails("shape", "without axes", function() dc.array(1):scatter(some(2)) end)
    a:close()
    fails("argument", "closed", function() a:scatter(some(2)) end)
  end)
end)

describe("gather", function()
  it("undoes scatter, onto the first part's device or a given one", function()
    for _ = 1, 30 do
      local shape, count = random_shape(), math.random(1, 5)
      local axis = math.random(1, #shape)
      local a = dc.random.uniform(shape)
      local back = dc.gather(a:scatter(some(count), axis), axis)
      assert.equal(some(1)[1], back.device)
      assert.same(a:to_table(), back:to_table())
      local on_cpu = dc.gather(a:scatter(some(count), axis), axis, "cpu")
      assert.equal("cpu", on_cpu.device.backend)
      assert.same(a:to_table(), on_cpu:to_table())
    end
  end)

  it("refuses parts of another dtype or shape, and what is no array", function()
    fails("argument", "the table of arrays is empty", function() dc.gather({}) end)
    fails("argument", "part 1 is no array: the number 1", function() dc.gather({ 1 }) end)
    fails("argument", "part 2 is no array: the number 3", function() dc.gather({ dc.ones(2), 3 }) end)
    fails("dtype", "part 2 is int32, part 1 float32", function() dc.gather({ dc.ones(2), dc.ones(2, "int32") }) end)
    fails("shape", "part 2 has the shape %(2, 2%), part 1 %(2%)", function()
      dc.gather { dc.ones(2), dc.ones(2, 2) }
    end)
    fails("shape", "may differ in axis 1 alone", function() dc.gather({ dc.ones(2, 2), dc.ones(2, 3) }) end)
    fails("shape", "without axes", function() dc.gather({ dc.array(1) }) end)
  end)
end)

describe("parallel", function()
  it("calls a function for each device with its part of the arrays", function()
    local n, count = math.random(20, 90), math.random(2, 4)
    local x, factor = {}, math.random(2, 9)
    for i = 1, n do x[i] = math.random(-1000, 1000) end
    local parts = dc.array(x, "int32"):scatter(some(count))
    local results, numbers, devices = dc.parallel(some(count), function(k, part, f)
      return part * f + k, k, dc.device()
    end, parts, factor)
    local i = 0
    for k, part in ipairs(results) do
      assert.equal(k, numbers[k])
      assert.equal(some(count)[k], devices[k])
      for _, v in ipairs(part:to_table()) do
        i = i + 1
        assert.equal(x[i] * factor + k, v)
      end
    end
    assert.equal(n, i)
  end)

  it("launches kernels in Lua, compiled for each device", function()
    local count = 3
    local a = dc.arange(1, 100)
    local square = dc.jit(function(v)
      local i = dc.index()
      if i <= #v then v[i] = v[i] * v[i] end
    end)
    local parts = a:scatter(some(count))
    dc.parallel(some(count), function(_, part) square:forall(#part, part) end, parts)
    local sum = 0
    for i = 1, 100 do sum = sum + i * i end
    assert.equal(sum, dc.gather(parts):sum():item())
  end)

  it("restores the device, also after an error, which it does not change", function()
    local before = dc.device()
    local fault = {}
    local ok, err = pcall(dc.parallel, some(2), function(k) if k == 2 then error(fault) end end)
    assert.is_false(ok)
    assert.equal(fault, err)
    assert.equal(before, dc.device())
  end)

  it("refuses a table of arrays of another length, and what cannot be called", function()
    local called = false
    fails("argument", "argument 2 is a table of 3 arrays, for 2 devices", function()
      dc.parallel(some(2), function() called = true end, 1, dc.ones(6):scatter(some(3)))
    end)
    assert.is_false(called)
    fails("argument", "then a function, got the number 1", function() dc.parallel(some(2), 1) end)
    fails("argument", "a table of devices, got a function", function() dc.parallel(function() end) end)
  end)
end)

describe("DOTCOMPUTE_CPU_DEVICES", function()
  -- The output of a script with that many CPU devices.
  local function script(count, text)
    local out = helper.shell(("DOTCOMPUTE_DEVICE= DOTCOMPUTE_CPU_THREADS=5 DOTCOMPUTE_CPU_DEVICES=%s '%s/dclua' -e %s")
      :format(count, helper.build, helper.quote('local dc = require "dotcompute" dc.use "cpu" ' .. text)))
    return out
  end
  local list = [[local n = 0
    for _, d in ipairs(dc.devices()) do
      if d.backend == "cpu" then
        print(d.id, d.index, d.multiprocessors, d.name:match "%((%d+ threads?)%)$", dc.device(d.id) == d)
      end
    end print(dc.device())]]

  it("divides the threads among as many devices", function()
    assert.equal("cpu\t0\t5\t5 threads\ttrue\ncpu\n", script("", list))
    assert.equal("cpu:0\t0\t3\t3 threads\ttrue\ncpu:1\t1\t2\t2 threads\ttrue\ncpu:0\n", script("2", list))
    assert.equal(("cpu:6\t6\t1\t1 thread\ttrue"), script("7", list):match "cpu:6[^\n]*")
  end)

  it("makes devices with arrays of their own", function()
    assert.equal("cpu:0\tcpu:1\t55.0\tdevice\n", script("2", [[
      local a = dc.arange(1, 10)
      local b = a:to "cpu:1"
      local ok, err = pcall(function() return a + b end)
      print(a.device, b.device, b:sum():item(), err.kind)]]))
  end)

  it("whose arrays no function takes together", function()
    assert.equal(("device\n"):rep(6), script("2", [[
      local a, i = dc.ones(5), dc.array({ 1, 2 }, "int64")
      local b, j = a:to "cpu:1", i:to "cpu:1"
      for _, f in ipairs {
        function() dc.concat { a, b } end, function() dc.stack { a, b } end,
        function() return a[b:gt(0):eval()] end, function() return a[j] end,
        function() dc.searchsorted(a, b) end, function() dc.scatter_add(a, j, dc.ones(2)) end,
      } do
        local ok, err = pcall(f)
        print(not ok and err.kind)
      end]]))
  end)

  it("runs every block of a grid on each, with numbers of multiprocessors in range", function()
    local n = math.random(100, 900)
    local text = script("2", ([[
      local source = "__global__ void where(int *out) { unsigned id, most;" ..
        'asm("mov.u32 %%0, %%%%smid;" : "=r"(id)); asm("mov.u32 %%0, %%%%nsmid;" : "=r"(most));' ..
        "for (int i = 0; i < 2000; i++) out[blockIdx.x] = id < most ? 1 : 2; }"
      for i = 0, 1 do
        dc.using("cpu:" .. i, function()
          local out = dc.zeros(%d, "int32")
          dc.kernel(source)(%d, 1, out)
          print(out:eq(1):sum():item())
        end)
      end]]):format(n, n))
    assert.equal(("%d\n%d\n"):format(n, n), text)
  end)

  it("has kernels that access an array of another device after a:peer()", function()
    assert.equal("argument\ttrue\n5.0\t10.0\nlaunch\targument\n", script("2", [[
      local k = dc.kernel "__global__ void add(const float *x, float *y) { y[threadIdx.x] += x[threadIdx.x]; }"
      local x = dc.using("cpu:1", dc.arange, 1, 5) * 2
      local y = dc.arange(-1, 3)
      local ok, err = pcall(k, 1, 5, x, y)
      print(err.kind, err.message:find("a:peer()", 1, true) ~= nil)
      x:peer()
      k(1, 5, x, y)
      k(1, 4, x[{ { 2, 5 } }], y) -- views are open too
      print(y[1], y[2])
      local ok, in_stream = pcall(k:with { stream = dc.stream() }, 1, 5, x, y)
      x:close()
      local ok, closed = pcall(k, 1, 5, x, y)
      print(in_stream.kind, closed.kind)]]))
  end)

  it("is a number from 1 on", function()
    for _, wrong in ipairs { "0", "x", "65", "-1" } do
      assert.matches("DOTCOMPUTE_CPU_DEVICES is a number from 1 to 64, not '" .. wrong:gsub("%p", "%%%0"),
        script(wrong, ""))
    end
  end)
end)

describe("examples/devices", function()
  for _, args in ipairs { "heat.lua", "heat.lua 3 3 5 1", "heat.lua 50 30 7 5", "nbody.lua", "nbody.lua 1 2",
    "nbody.lua 77 3 3" } do
    it(args .. " gives in blocks what one block gives", function()
      for _, devices in ipairs { "1", "2" } do
        local text, code = helper.shell(("DOTCOMPUTE_CPU_DEVICES=%s '%s/dclua' examples/devices/%s"):format(devices,
          helper.build, args))
        assert.equal(0, code, text)
        assert.matches("blocks give what one block gives; %d", text)
      end
    end)
  end
end)
