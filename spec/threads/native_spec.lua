-- Lua states in threads on the CPU device while native code is compiled in the background, with an empty cache: what is
-- launched meanwhile is interpreted, later launches run the native code, in every state.
local h = require "spec.helper"

local function child(script, env)
  local folder, source, out = os.tmpname(), os.tmpname(), os.tmpname()
  os.remove(folder)
  local f = assert(io.open(source, "w"))
  f:write(script)
  f:close()
  local words = { "env", "DOTCOMPUTE_DEVICE=cpu", "DOTCOMPUTE_CPU_THREADS=4", "DOTCOMPUTE_CACHE=" .. folder }
  for name, value in pairs(env) do words[#words + 1] = name .. "=" .. value end
  for i, w in ipairs(words) do words[i] = h.quote(w) end
  local ok = os.execute(("%s timeout 300 %s %s >%s 2>&1"):format(table.concat(words, " "), h.quote(h.lua), source, out))
  local text = h.read(out)
  os.execute("rm -rf " .. h.quote(folder))
  os.remove(source) os.remove(out)
  assert.is_true(ok, text)
  return text
end

-- Runs steps in eight threads, then each alone, and prints which differ.
local compare = [[
  local states = require "spec.states"
  local text = %q
  local together = states.run(text, 1, 8)
  for i = 1, 8 do
    local alone = states.run(text, i, i)[1]
    if not together[i][1] or alone[2] ~= together[i][2] or (alone[2] .. "\n"):find " false\n" then
      print(i, together[i][2], alone[2])
    end
  end
  print "end"]]

describe("Lua states in threads, with native code", function()
  it("that is compiled in the background, give what each gives alone", function()
    local steps = ([[
      local i = ...
      return require "spec.state_programs"(%d + i, 6, { "kernels", "reductions", "streams" })]]):format(h.seed * 100)
    assert.equal("end\n", child(compare:format(steps), { DOTCOMPUTE_CPU_TIER = "auto" }), h.note())
  end)

  it("that all wait for, give what each gives alone", function()
    local steps = ([[return require "spec.state_programs"(%d + ..., 2, { "kernels" })]]):format(h.seed * 100)
    assert.equal("end\n", child(compare:format(steps), { DOTCOMPUTE_CPU_TIER = "1" }), h.note())
  end)

  it("get the native code that one of them asked for", function()
    local out = child(([[
      local states = require "spec.states"
      local results = states.run([=[
        local dc = require "dotcompute"
        local k = dc.kernel "__global__ void k%d(int *x) { x[threadIdx.x] += 3; }"
        local x = dc.zeros(32, "int32")
        local n, start = 0, dc.clock()
        repeat
          k(1, 32, x)
          n = n + 1
        until k.attributes.tier == 1 or dc.clock() - start > 120
        return tostring(k.attributes.tier == 1 and x[1] == 3 * n)]=], 1, 4)
      for _, r in ipairs(results) do print(r[2]) end]]):format(h.seed), { DOTCOMPUTE_CPU_TIER = "auto" })
    assert.equal(("true\n"):rep(4), out)
  end)

  it("synchronize whole grids at the same time", function()
    local out = child([[
      local states = require "spec.states"
      local results = states.run([=[
        local i = ...
        local dc = require "dotcompute"
        local k = dc.kernel [==[
          #include <cooperative_groups.h>
          __global__ void k(int *x, int *y) {
            auto grid = cooperative_groups::this_grid();
            int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
            for (int r = 0; r < 5; r++) {
              y[i] = x[(i + 1) % n];
              grid.sync();
              x[i] = y[i] + 1;
              grid.sync();
            }
          }]==]
        local blocks = 8 + 8 * i -- more than one worker holds, up to what all hold
        if blocks > 64 then blocks = 64 end
        local n = blocks * 32
        for _ = 1, 3 do
          local x, y = dc.arange(0, n - 1, "int32"), dc.zeros(n, "int32")
          k(blocks, 32, x, y)
          for j = 0, n - 1 do assert(x[j + 1] == (j + 5) % n + 5) end
        end
        return "done"]=], 1, 6)
      for _, r in ipairs(results) do print(r[2]) end]], { DOTCOMPUTE_CPU_TIER = "0" })
    assert.equal(("done\n"):rep(6), out)
  end)
end)
