-- The CPU device took the number of a barrier modulo 16, and waited for numbers of threads that no barrier can have.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
local number, threads, warps = math.random(16, 1 << 31), 32 * math.random(0, 7) + math.random(1, 31), math.random(2, 5)
local function run(barrier, a, b)
  local x = dc.zeros(32 * warps, "int32")
  local ok, err = pcall(function()
    local k = dc.kernel(([[__global__ void k(int *x, unsigned a, unsigned b) {
  x[threadIdx.x] = 1;
  asm volatile("%s" :: "r"(a), "r"(b));
  x[threadIdx.x] = 2;
}]]):format(barrier:gsub("NUMBER", number):gsub("THREADS", threads):gsub("MANY", 32 * warps + 32) .. ""))
    k(1, 32 * warps, x, a or 0, b or 0)
    dc.synchronize()
  end)
  if ok then
    assert(x:sum():item() == 64 * warps, barrier)
    return
  end
  assert(tostring(err):find "line 3 ", tostring(err))
  return err.kind, tostring(err)
end
for _, word in ipairs { "bar.sync", "barrier.sync" } do
  assert(run(word .. " 16;") == "compile")
  assert(run(word .. " NUMBER;") == "compile")
  assert(run(word .. " 3, THREADS;") == "compile")
  assert(run(word .. " 3, 0;") == "compile")
  assert(run(word .. " 3, MANY;") == "launch")
  for _, value in ipairs { 16, number, 0xffffffff } do
    local kind, text = run(word .. " %0;", value)
    assert(kind == "launch" and text:find("barrier " .. value, 1, true) and text:find("thread (0,0,0)", 1, true), text)
  end
  for _, value in ipairs { 0, threads, 0xffffffff } do
    local kind, text = run(word .. " 3, %1;", 0, value)
    assert(kind == "launch" and text:find("for " .. value .. " threads", 1, true), text)
  end
  assert(run(word .. " 3, %1;", 0, 32 * warps + 32) == "launch")
  assert(not run(word .. " %0;", 15))
  assert(not run(word .. " %0, %1;", 7, 32 * warps))
end
assert(run("bar.arrive 2, %1;", 0, threads) == "launch")
assert(run("bar.arrive 2, %1;", 0, 32 * warps + 32) == "launch")
assert(not run("bar.arrive 2, %1;", 0, 32 * warps))
print(dc.ones(100):sum():item())
]==]

describe("a block's barrier", function()
  for _, tier in ipairs { 0, 1 } do
    it("has a number from 0 to 15 and waits for whole warps, on the CPU device at tier " .. tier, function()
      assert.equal("100.0\n", (helper.on_cpu("TIER=" .. tier, script)))
    end)
  end
end)
