-- Lua states in threads on GPUs, by way of a driver library without a GPU (spec/fake/fake_cuda.c), which watches the
-- order of all streams: kernels compute nothing there, copies and fills are real.
local fake = require "spec.fake"
local h = require "spec.helper"

local function run(chunk, threads, env)
  local settings = { DOTCOMPUTE_DEVICE = "cuda", FAKE_CUDA_DEVICES = "2" }
  for k, v in pairs(env or {}) do settings[k] = v end
  return fake.run(([[
    local results = require "spec.states".run(%q, 1, %d)
    for i, r in ipairs(results) do print(i, r[1], r[2]) end]]):format(chunk, threads), settings, h.lua)
end

-- "1 true X" … for each thread.
local function every(threads, result)
  local t = {}
  for i = 1, threads do t[i] = ("%d\ttrue\t%s\n"):format(i, result) end
  return table.concat(t)
end

local body = [[
  local i, n = ...
  local dc = require "dotcompute"
  math.randomseed(SEED + i)
  local host = {}
  local function check(a, values)
    local got = a:to_table()
    for k = 1, #values do assert(got[k] == values[k], k) end
  end
  for round = 1, 8 do
    local device = dc.devices()[(i + round) % 2 + 1]
    dc.using(device, function()
      local values = {}
      for k = 1, math.random(1, 300) do values[k] = math.random(-1000, 1000) end
      local a = dc.array(values, "int32")
      local b = a:copy()
      local s <close> = dc.stream()
      local e = dc.event()
      dc.using(s, function()
        local c = b:copy()
        e:record()
        check(c, values)
        local z = c + 1 -- computes nothing here
        z:eval()
      end)
      e:synchronize()
      local other = dc.devices()[(i + round + 1) % 2 + 1]
      check(b:to(other), values)
      local zeros = dc.zeros(#values, "int32")
      local g = dc.graph(function() zeros[":"] = 7 end)
      g()
      g()
      assert(zeros[1] == 7)
      g:close()
      local source = "__global__ void use_w%d(int n, int *x) { if (threadIdx.x < n) x[threadIdx.x] = 1; }"
      local k = dc.kernel(source:format(math.random(3)))
      for _ = 1, 20 do k(1, 32, 1, zeros) end
      check(a, values)
      collectgarbage()
    end)
  end
  dc.synchronize()
  return "done"]]

describe("Lua states in threads on GPUs", function()
  setup(fake.build)

  it("use two GPUs at the same time", function()
    local out, report = run(body:gsub("SEED", tostring(h.seed)), 8)
    assert.equal(every(8, "done"), out)
    for _, kind in ipairs { "memory", "pool memory" } do assert.equal(0, fake.held(report, kind)) end
    local launches = 0
    for _, name in ipairs(report.launch) do
      if name:find "use_w" then launches = launches + 1 end
    end
    assert.equal(8 * 8 * 20, launches)
  end)

  it("do so where the driver is slow", function()
    local out = run(body:gsub("SEED", tostring(h.seed)), 4, { FAKE_CUDA_LAZY = "1" })
    assert.equal(every(4, "done"), out)
  end)

  it("have a stream each", function()
    local out, report = run([[
      local i, n = ...
      local dc, states = require "dotcompute", require "spec.states"
      local a = dc.zeros(10)
      a:eval()
      for k = 1, n do states.put(("here %d %d"):format(i, k), "") end
      for k = 1, n do states.get(("here %d %d"):format(k, i)) end
      return a[3] ]], 6, { FAKE_CUDA_DEVICES = "1" })
    assert.equal(every(6, "0.0"), out)
    assert.equal(6 + 1, report.calls.StreamCreate) -- that of the state that has started the threads, too
  end)

  it("all learn of a fault, with the kernel that was running", function()
    local out = run([[
      local i = ...
      local dc, states = require "dotcompute", require "spec.states"
      local x = dc.zeros(4, "int32")
      x:eval()
      local k = dc.kernel "__global__ void wrong(int *x) { *x = 1; }"
      states.put("ready" .. i, "")
      if i == 1 then
        for k = 1, 4 do states.get("ready" .. k) end
        local ok, err = pcall(function()
          k(1, 1, x)
          dc.synchronize()
        end)
        for k = 2, 4 do states.put("go" .. k, "") end
        return err.kind .. " " .. tostring(err):match "in kernel 'wrong'"
      end
      states.get("go" .. i)
      local ok, err = pcall(function() return x:sum():item() end)
      local host = dc.using("cpu", dc.ones, 3) + 1
      return err.kind .. " " .. tostring(err):match "in kernel 'wrong'" .. " " .. host:sum():item() ]], 4,
      { FAKE_CUDA_FAULT = "700:1" })
    assert.equal("1\ttrue\tlaunch in kernel 'wrong'\n2\ttrue\tdevice in kernel 'wrong' 6.0\n"
      .. "3\ttrue\tdevice in kernel 'wrong' 6.0\n4\ttrue\tdevice in kernel 'wrong' 6.0\n", out)
  end)
end)
