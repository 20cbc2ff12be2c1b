-- Before memory is written, pending expressions that read it are evaluated, and that may run the collector. A finalizer
-- that closed the target went unnoticed, and values were written to freed memory.
local dc = require "dotcompute"

-- Calls write(a, other) while a finalizer is due that closes `victim` (1: a, 2: other). `known`: their addresses have
-- been read, so that a write cannot leave their memory to the readers, which on a GPU it does without a collection.
local function closed_once(victim, known, write)
  local limit = dc.memory_limit(8 << 30) -- a GPU collects garbage that takes a share of it
  collectgarbage "stop" -- but for what the write asks for: a collection by chance might be over before
  local arrays = { dc.zeros(1 << 20), dc.ones(1 << 20) }
  if known then assert(arrays[1].ptr ~= arrays[2].ptr) end
  for _ = 1, 20 do -- 80 MB of garbage readers for each: collected rather than computed
    local _, _ = arrays[1] + 1, arrays[2] + 1
  end
  setmetatable({}, { __gc = function() arrays[victim]:close() end })
  local ok, err = pcall(write, arrays[1], arrays[2])
  collectgarbage "restart"
  dc.memory_limit(limit)
  assert.is_false(ok, "no error was raised")
  assert.equal("argument", err.kind)
  assert.matches("closed", err.message)
  assert.equal(1 << 20, dc.ones(1 << 20):sum():item())
end

local function closed_meanwhile(victim, write)
  closed_once(victim, true, write)
  if not dc.device().simt then closed_once(victim, false, write) end
end

describe("an array that a finalizer closes while it is about to be written", function()
  it("refuses an assignment", function()
    closed_meanwhile(1, function(a, b) a[":"] = b end)
    closed_meanwhile(2, function(a, b) a[":"] = b end)
  end)

  it("refuses to be filled", function() closed_meanwhile(1, function(a) a:fill(2) end) end)

  it("refuses a launch, whichever argument it is", function()
    local k = dc.kernel [[
__global__ void both(float *x, float *y) { x[0] = 1; y[0] = 2; }]]
    for victim = 1, 2 do closed_meanwhile(victim, function(a, b) k(1, 1, a, b) end) end
  end)
end)

describe("an array that a finalizer writes while it is about to be written", function()
  it("has the later values, and expressions those that were there when they were made", function()
    local limit = dc.memory_limit(8 << 30)
    for round = 1, 4 do
      local known, keeps = round > 2, round % 2 == 0 -- their addresses; an expression, and with it the old memory
      collectgarbage "stop"
      local a, b = dc.zeros(1 << 20), dc.ones(1 << 20)
      if known then assert(a.ptr ~= b.ptr) end
      local kept = keeps and a + 5
      for _ = 1, 20 do local _ = a + 1 end
      local seen
      coroutine.wrap(function() -- on a stack of its own: dead registers are still seen by the collector
        setmetatable({}, { __gc = function()
          a[":"] = 3
          seen = a + 0.5
        end })
      end)()
      a[":"] = b
      collectgarbage()
      collectgarbage "restart"
      if keeps then assert.equal(5, kept[7]) end
      if seen then assert.equal(3.5, seen[1 << 20]) end
      assert.is_true(a[1] == 1 or not known and a[1] == 3) -- without a collection the finalizer may run afterwards
      assert.is_true(dc.equal(a, dc.full(1 << 20, a[1])))
    end
    dc.memory_limit(limit)
  end)
end)
