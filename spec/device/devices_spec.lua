-- Devices: the list, the current one, their properties.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

describe("dc.devices", function()
  it("lists device objects and ends with the CPU device", function()
    local list = dc.devices()
    assert.is_true(#list >= 1)
    local last = list[#list]
    assert.equal("cpu", last.backend)
    assert.equal("cpu", tostring(last))
    for _, d in ipairs(list) do
      assert.is_string(d.name)
      assert.is_true(#d.name > 0)
      assert.equal("integer", math.type(d.index))
      assert.equal(d, dc.device(tostring(d)))
      assert.is_true(d.backend == "cpu" or tostring(d) == d.backend .. ":" .. d.index)
    end
  end)
end)

describe("a device", function()
  it("has attributes and reports its memory", function()
    local d = dc.device()
    assert.is_true(d.compute_capability >= 5)
    assert.is_true(d.multiprocessors >= 1)
    local a = d.attributes
    assert.equal(d.multiprocessors, a.multiprocessors)
    assert.equal(32, a.warp_size)
    assert.is_true(a.max_threads_per_block >= 1024)
    assert.equal(3, #a.max_grid)
    assert.is_true(a.shared_per_block >= 48 * 1024)
    local free, total = d:memory_info()
    assert.is_true(free > 0 and free <= total)
    assert.equal("integer", math.type(total))
    d:synchronize()
    dc.synchronize()
  end)

  it("has the properties that programs may depend on, whatever its name", function()
    for _, d in ipairs(dc.devices()) do
      for _, name in ipairs { "host_memory", "blocking", "simt" } do assert.is_boolean(d[name], name) end
    end
    local cpu = dc.device "cpu"
    assert.same({ true, true, false }, { cpu.host_memory, cpu.blocking, cpu.simt })
    assert.is_true(dc.pinned(3).device.host_memory)
  end)
end)

describe("the current device", function()
  it("is changed by use, temporarily by using, and restored after an error", function()
    local before = dc.device()
    local cpu = dc.device "cpu"
    assert.equal(before, dc.device())
    assert.equal(cpu, dc.using("cpu", dc.device))
    assert.equal(before, dc.device())
    assert.same({ 1, nil, 3 }, { dc.using(cpu, function(...) return ... end, 1, nil, 3) })
    local ok, err = pcall(dc.using, cpu, function()
      assert.equal(cpu, dc.device())
      error { "mine" }
    end)
    assert.is_false(ok)
    assert.equal("mine", err[1])
    assert.equal(before, dc.device())
    local co = coroutine.wrap(function() dc.using("cpu", function() coroutine.yield(dc.device()) end) end)
    assert.equal(cpu, co())
    co()
    assert.equal(before, dc.device())
    assert.equal(cpu, dc.use(cpu))
    assert.equal(cpu, dc.device())
    assert.equal("cpu", dc.zeros(2).device.backend)
    dc.use(before)
    assert.equal(before, dc.device())
  end)

  it("cannot be set to a device that does not exist", function()
    fails("device", "no device 'cuda:99'.* cpu", function() dc.device "cuda:99" end)
    fails("device", "no device 'gpu'", function() dc.use "gpu" end)
    fails("device", "no device 'cpu:1'", function() dc.device "cpu:1" end)
    fails("argument", "device", function() dc.use(1) end)
    fails("argument", "device", function() dc.use() end)
    fails("device", "no device", function() dc.using("nix", print) end)
  end)
end)

describe("dc.available", function()
  it("is true, or false with the reason", function()
    assert.is_true(dc.available "cpu")
    local ok, why = dc.available "cuda"
    if not ok then
      assert.is_string(why)
      assert.is_true(#why > 0)
    end
    ok, why = dc.available "abacus"
    assert.is_false(ok)
    assert.matches("abacus", why)
    fails("argument", "", function() dc.available() end)
  end)
end)

describe("dc.stats", function()
  it("counts, and can be reset", function()
    dc.stats "reset"
    local s = dc.stats()
    assert.equal(0, s.launches)
    assert.equal(0, s.bytes_to_device)
    local a = dc.array { 1, 2, 3 }
    a:to_table()
    s = dc.stats()
    assert.equal(12, s.bytes_to_device)
    assert.equal(12, s.bytes_to_host)
    assert.equal(1, s.allocations)
    assert.is_true(s.bytes_live >= 12)
    fails("argument", "reset", function() dc.stats "restet" end)
  end)
end)

describe("dc.clock", function()
  it("counts seconds", function()
    local t0, c0 = dc.clock(), os.clock()
    repeat until os.clock() - c0 > 0.01
    local t = dc.clock() - t0
    assert.is_true(t >= 0.009 and t < 10)
  end)
end)

describe("require", function()
  it("touches no device, loads no library of NVIDIA's, starts no thread and is quick", function()
    local name = h.temporary([[
local t0 = os.clock()
local dc = require "dotcompute"
assert(os.clock() - t0 < 0.01, "took " .. os.clock() - t0)
local maps = io.open "/proc/self/maps":read "a"
assert(not maps:find "libcuda" and not maps:find "nvrtc")
local _, threads = io.open "/proc/self/status":read "a":gsub("Threads:%s+1\n", "")
assert(threads == 1, "threads")
assert(dc.version:match "^%d+%.%d+%.%d+$")
]])
    local sanitized = (os.getenv "DOTCOMPUTE_BUILD" or ""):find "san"
    local pipe = assert(io.popen("lua5.4 " .. name .. " 2>&1"))
    local text = pipe:read "a"
    local ok = pipe:close()
    os.remove(name)
    if not (sanitized and text:find "took") then assert(ok, text) end
  end)
end)

describe("arrays of several devices", function()
  it("are copied by to(), and refused in one expression", function()
    local other = h.other_device()
    if not other then return end -- one device only
    local a = dc.arange(1, 10)
    local b = a:to(other)
    assert.equal(other, b.device)
    assert.same(a:to_table(), b:to_table())
    assert.same(a:to_table(), b:to(dc.device()):to_table())
    fails("device", "", function() return a + b end)
    local k = dc.kernel "__global__ void k(const float *x) {}"
    fails("argument", "array of device " .. tostring(other), function() k(1, 1, b) end)
    a[":"] = b * 2
    assert.equal(20, a[10])
  end)
end)
