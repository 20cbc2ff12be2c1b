-- Threads of the CPU device between launches.
local h = require "spec.helper"

describe("threads of the CPU device without work", function()
  it("sleep soon", function()
    local text, code = h.on_cpu("THREADS=4", [[
      local dc = require "dotcompute"
      local a = dc.random.uniform(1 << 19, { dtype = "float64" }):eval()
      local function run(n)
        for _ = 1, n do dc.exp(a):eval() end
        dc.synchronize()
      end
      run(50)
      os.execute "sleep 0.1"
      local begun = os.clock() -- of all threads
      os.execute "sleep 1"
      print(os.clock() - begun)]])
    assert.equal(0, code, text)
    assert(tonumber(text) < 0.2, "seconds of processor time in a pause of one second: " .. text)
  end)
end)
