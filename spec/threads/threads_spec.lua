-- Lua states in threads of their own: random programs of eight at the same time give what they give alone.
local states = require "spec.states"
local h = require "spec.helper"

local THREADS = 8

-- A chunk that runs `count` of the steps of that names in thread i.
local function chunk(count, names)
  return ([[
    local i = ...
    return require "spec.state_programs"(%d + i, %d, { "%s" })]]):format(h.seed * 100, count,
    table.concat(names, '", "'))
end

local function together_as_alone(count, names)
  local text = chunk(count, names)
  local together = states.run(text, 1, THREADS)
  for i = 1, THREADS do
    local alone = states.run(text, i, i)[1]
    assert.is_true(together[i][1], h.note(together[i][2]))
    assert.is_true(alone[1], alone[2])
    assert.equal(alone[2], together[i][2], h.note("thread " .. i))
    assert.is_nil((together[i][2] .. "\n"):find " false\n", h.note(together[i][2]))
  end
end

describe("Lua states in eight threads", function()
  it("run kernels, reductions and sorts as each does alone", function()
    together_as_alone(8, { "kernels", "reductions", "sorts" })
  end)

  it("make files, streams, graphs and errors as each does alone", function()
    together_as_alone(6, { "files", "streams", "errors" })
  end)

  it("run random programs as each does alone", function() together_as_alone(3, { "programs" }) end)

  it("run kernels in Lua as each does alone", function() together_as_alone(2, { "jit" }) end)

  it("have streams, profiles and limits of their own", function()
    local results = states.run([[
      local i, n = ...
      local dc, states = require "dotcompute", require "spec.states"
      local function all_here(what) -- every state waits for all others
        for k = 1, n do states.put(("%s %d %d"):format(what, i, k), "") end
        for k = 1, n do assert(states.get(("%s %d %d"):format(what, k, i))) end
      end
      local k = dc.kernel(("__global__ void kernel%d(int *x) { atomicAdd(x, 1); }"):format(i))
      local x = dc.zeros(1, "int32")
      if i % 2 == 1 then dc.profile.start() end
      if i == 2 then dc.memory_limit(1 << 20) end
      local s <close> = dc.stream()
      all_here "begin"
      dc.using(s, function()
        all_here "in the stream"
        for _ = 1, 10 * i do k(1, 1, x) end
        all_here "launched"
      end)
      assert(x[1] == 10 * i)
      assert(pcall(dc.zeros, 1 << 20, "int32") == (i ~= 2))
      local list = i % 2 == 1 and dc.profile.stop() or {}
      local text = {}
      for _, e in ipairs(list) do
        if e.kernel:find "kernel" then text[#text + 1] = e.kernel .. "=" .. e.calls end
      end
      all_here "end"
      return table.concat(text, " ")]], 1, 4)
    for i, r in ipairs(results) do
      assert.is_true(r[1], r[2])
      assert.equal(i % 2 == 1 and ("kernel%d=%d"):format(i, 10 * i) or "", r[2])
    end
  end)

  it("compile a source once that all ask for at the same time", function()
    local results = states.run(([[
      local i = ...
      local dc = require "dotcompute"
      local k = dc.kernel "__global__ void once%d(int *x) { x[0] = %d; }"
      local x = dc.zeros(1, "int32")
      k(1, 1, x)
      return x[1] .. " " .. dc.stats().compiles]]):format(h.seed, h.seed % 1000), 1, THREADS)
    for _, r in ipairs(results) do
      assert.is_true(r[1], r[2])
      assert.matches("^" .. h.seed % 1000 .. " %d+$", r[2])
    end
  end)

  it("come and go, and leave nothing", function()
    local text = [[
      local dc = require "dotcompute"
      local a = dc.ones(1000)
      local s = dc.stream()
      return dc.using(s, function() return (a + a):sum():item() end)]]
    for _ = 1, 20 do
      for _, r in ipairs(states.run(text, 1, 4)) do assert.same({ true, "2000.0" }, r) end
    end
  end)

  it("may end in the middle of a graph and of a profile", function()
    local text = [[
      local i = ...
      local dc = require "dotcompute"
      local a = dc.ones(100)
      dc.profile.start()
      dc.memory_limit(1 << 20)
      dc.graph(function()
        a = a + i
        error "ends here"
      end)]]
    for _, r in ipairs(states.run(text, 1, 4)) do
      assert.is_false(r[1])
      assert.matches("ends here", r[2], 1, true)
    end
    for _, r in ipairs(states.run([[
      local dc = require "dotcompute"
      local a = dc.zeros(1 << 20, "float64") + 1
      return a:sum():item() .. " " .. tostring(dc.memory().limit)]], 1, 4)) do
      assert.same({ true, "1048576.0 nil" }, r)
    end
  end)

  it("refuse to work in finalizers that run after the module's end", function()
    local r = states.run([[
      local dc
      first = setmetatable({}, { __gc = function()
        local ok, err = pcall(function() return dc.zeros(3) end)
        require "spec.states".put("late", tostring(ok) .. " " .. tostring(err))
      end })
      dc = require "dotcompute"
      return dc.zeros(3):sum():item()]], 1, 1)[1]
    assert.same({ true, "0.0" }, r)
    assert.matches("^false .*dotcompute has ended", states.get("late", 1))
  end)
end)
