-- Distributed arrays: over ranks under mpirun on the CPU device, over devices of one process, and alone.
local helper = require "spec.helper"
local shell, quote = helper.shell, helper.quote

local has_mpi = select(2, shell "command -v mpirun mpicc") == 0
local function without(text) pending(text .. " (needs Debian's openmpi-bin and libopenmpi-dev)") end
local with_mpi = has_mpi and it or without

-- On the interpreter, since each kernel runs a few times. Without the leak check as in ranks_spec.lua.
local function run(words, before)
  local text, code
  helper.with_file("", function(path)
    text, code = shell(("ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_THREADS=1 "
      .. "DOTCOMPUTE_CPU_TIER=0 %s timeout -k 2 300 %s %s %s; code=$?; rm -f %s.npy; exit $code"):format(before or "",
      quote(helper.dclua), words, quote(path), quote(path)))
  end)
  assert.equal(0, code, text)
  return text
end

describe("distributed arrays", function()
  with_mpi("over 2 ranks have the elements of one process's", function()
    local text = run(("-n 2 spec/comm/dist.lua %d ''"):format(helper.seed), "DOTCOMPUTE_COMM_CHECK=1")
    for r = 0, 1 do assert.truthy(text:find(("rank %d done"):format(r), 1, true), text) end
  end)

  with_mpi("over 3 ranks, too", function()
    local text = run(("-n 3 spec/comm/dist.lua %d ''"):format(helper.seed))
    for r = 0, 2 do assert.truthy(text:find(("rank %d done"):format(r), 1, true), text) end
  end)

  it("over devices of one process, too", function()
    assert.matches("done", run(("spec/comm/dist.lua %d %d"):format(helper.seed, 2 + helper.seed % 2)))
  end)

  it("of a rank alone, too", function()
    assert.matches("done", run(("spec/comm/dist.lua %d ''"):format(helper.seed)))
  end)
end)
