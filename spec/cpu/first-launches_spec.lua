-- The first launch of a kernel begins in the interpreter; the blocks that have not begun when native code is ready are
-- run by that. Each block runs once, whichever runs it, and a fault is that of its block and thread.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local blocks, bad = math.tointeger(arg[1]), math.tointeger(arg[2])
local kernel = dc.kernel [[
__global__ void first(const unsigned *in, unsigned *out, int *runs, int rounds, int bad) {
  __shared__ unsigned s[128];
  int t = threadIdx.x, b = blockIdx.x;
  unsigned v = in[b] + t;
  for (int r = 0; r < rounds; r++) {
    s[t] = v;
    __syncthreads();
    v = v * 1664525u + s[(t + 1) % 128] + r;
    __syncthreads();
  }
  if (b == bad && t == 77) *(volatile int *)0 = 1;
  atomicAdd(&out[b], v);
  if (t == 0) atomicAdd(&runs[b], 1);
}]]
local rounds = 200
local values = {}
math.randomseed(tonumber(arg[3]))
for b = 1, blocks do values[b] = math.random(0, 0xffffffff) end
local input, out, runs = dc.array(values, "uint32"), dc.zeros(blocks, "uint32"), dc.zeros(blocks, "int32")
local ok, message = pcall(kernel, blocks, 128, input, out, runs, rounds, bad)
if not ok then
  print(message)
  return
end
for b, n in ipairs(runs:to_table()) do assert(n == 1, "a block ran " .. n .. " times") end
local got, of_value = out:to_table(), {}
for _ = 1, 12 do
  local b = math.random(blocks)
  local v, s, sum = {}, {}, 0
  for t = 0, 127 do v[t] = values[b] + t & 0xffffffff end
  for r = 0, rounds - 1 do
    for t = 0, 127 do s[t] = v[t] end
    for t = 0, 127 do v[t] = v[t] * 1664525 + s[(t + 1) % 128] + r & 0xffffffff end
  end
  for t = 0, 127 do sum = sum + v[t] & 0xffffffff end
  assert(got[b] == sum, "a block's sum differs")
end
]==]

describe("a first launch", function()
  for _, threads in ipairs { 1, 3 } do
    local how = "THREADS=" .. threads
    it("that native code ends runs each block once, with CPU_" .. how, function()
      helper.with_folder(function(folder)
        assert.equal("", helper.on_cpu(how .. " DOTCOMPUTE_CACHE=" .. folder, script, 40000, -1, helper.seed))
      end)
    end)

    it("that native code ends tells the thread of a fault, with CPU_" .. how, function()
      helper.with_folder(function(folder)
        local text = helper.on_cpu(how .. " DOTCOMPUTE_CACHE=" .. folder, script, 40000, 39990, helper.seed)
        assert.match("block %(39990,0,0%), thread %(77,0,0%)", text)
      end)
    end)
  end
end)
