-- A device that is neither a GPU nor the CPU device (spec/device/counting.c, which delegates to the latter) passes the
-- specs of arrays, kernels and streams: nothing above device/ depends on the backends.
local h = require "spec.helper"

local build = h.build

-- Runs a command with the third device as the default one; what it printed, its status, and the calls of each slot.
local function on_counting(command)
  local path = os.tmpname()
  local text, code = h.shell(("COUNTING_FILE=%s DOTCOMPUTE_DEVICE=counting sh tools/with.sh %s lua %s"):format(
    h.quote(path), h.quote(build), command))
  local counts = {}
  for line in io.lines(path) do
    local slot, n = line:match "^(%S+) (%d+)$"
    counts[slot] = (counts[slot] or 0) + math.tointeger(n)
  end
  os.remove(path)
  return text, code, counts
end

describe("a third device", function()
  it("comes before the others, and is found by its name", function()
    local text, code, counts = on_counting(([[-e '
      local dc = require "dotcompute"
      local d = dc.device()
      print(dc.devices()[1], d, d.backend, d.host_memory, d.blocking, d.simt)
      print(dc.device "counting:0" == d, dc.ones(45):sum():item(), dc.available "counting")
      print((dc.ones(3) + 1):to "cpu":sum():item())']]))
    assert.equal(0, code, text)
    assert.equal("counting:0\tcounting:0\tcounting\ttrue\ttrue\tfalse\ntrue\t45.0\ttrue\n6.0\n", text)
    assert.equal(1, counts.open)
    assert.is_true(counts.alloc > 0 and counts.launch > 0)
    assert.equal(0, counts.dense)
  end)

  it("is not mixed with another in calls of dc.reduction, dc.scan and dc.elementwise", function()
    local text, code = on_counting [[-e '
      local dc = require "dotcompute"
      local sum = dc.reduction { inputs = "float x", output = "float", reduce = "a + b" }
      local prefix = dc.scan { input = "float x", op = "a + b" }
      local twice = dc.elementwise("float x", "float y", "y = 2 * x")
      local x, y, one = dc.ones(4), dc.using("cpu", dc.zeros, 4), dc.using("cpu", dc.zeros, {})
      for _, f in ipairs { function() sum(x, nil, one) end, function() prefix(x, 1, y) end,
                           function() twice(x, y) end, function() return x + y end } do
        local ok, err = pcall(f)
        print(ok, err.kind, err.message:match "counting:0.*cpu" ~= nil)
      end']]
    assert.equal(0, code, text)
    assert.equal(("false\tdevice\ttrue\n"):rep(4), text)
  end)

  it("passes the specs of arrays, kernels, arguments and streams", function()
    local files = { "array/views", "array/operators", "kernel/arguments", "kernel/errors", "device/streams" }
    for i, name in ipairs(files) do files[i] = ("spec/%s_spec.lua"):format(name) end
    local text, code, counts = on_counting("spec/run.lua " .. table.concat(files, " "))
    assert.equal(0, code, text)
    assert.matches("specs on counting:0", text, 1, true)
    assert.matches("%d+ passed, 0 failed", text)
    local slots = "alloc free to_device to_host copy fill load unload function param facts launch synchronize "
      .. "stream_open event_record begin end graph_launch"
    for slot in slots:gmatch "%S+" do assert.is_true(counts[slot] > 0, slot) end
    assert.is_true(counts.launch > counts.load)
  end)
end)
