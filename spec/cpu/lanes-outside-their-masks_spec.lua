-- A lane that was not in its own member mask got wrong values on the CPU device, where a GPU stops with an illegal
-- instruction; and lanes that reached a barrier in parts stayed divergent after it.
local helper = require "spec.helper"

-- One lane is missing: in the mask that all lanes give, or in its own.
local outside = [==[
local dc = require "dotcompute"
dc.use "cpu"
local out = math.tointeger(...)
local masks = {
  ("0x%xu"):format(0xffffffff & ~(1 << out)),
  "x[0]",
  ("(t == %d ? 0x%xu : 0xffffffffu)"):format(out, 0xffffffff & ~(1 << out)),
  "x[t]",
}
local operations = {
  ["shfl.sync.idx"] = "__shfl_sync(M, t, 0)",
  ["vote.sync.any"] = "__any_sync(M, t == 3)",
  ["vote.sync.ballot"] = "__ballot_sync(M, t == 3)",
  ["match.any.sync"] = "__match_any_sync(M, t % 3)",
  ["redux.sync.add"] = "__reduce_add_sync(M, t)",
  ["bar.warp.sync"] = "(__syncwarp(M), 5)",
}
for name, operation in pairs(operations) do
  for _, mask in ipairs(masks) do
    for _, condition in ipairs { "", "if (x[t + 64] > 5)" } do
      local k = dc.kernel(([[__global__ void k(unsigned *x) {
  int t = threadIdx.x, r = 0;
  %s
    r = %s;
  __syncthreads();
  x[t + 128] = r;
}]]):format(condition, (operation:gsub("M", mask))))
      local x = dc.full(256, 0xffffffff & ~(1 << out), "uint32")
      local ok, err = pcall(function() k({ 1, 2 }, 32, x) dc.synchronize() end)
      assert(not ok, name .. " with " .. mask .. " " .. condition)
      local text = tostring(err)
      assert(err.kind == "launch" and err.code == "CUDA_ERROR_ILLEGAL_INSTRUCTION", text)
      assert(text:find("kernel 'k'", 1, true) and text:find(name, 1, true) and text:find "line 4 ", text)
      assert(text:find(("mask, 0x%08x,"):format(0xffffffff & ~(1 << out)), 1, true), text)
      assert(text:find "block %(0,[01],0%)" and text:find("thread (" .. out .. ",0,0)", 1, true), text)
    end
  end
end
print(dc.ones(100):sum():item())
]==]

-- Lanes that the guard leaves out, or that have ended or never were, need be in no mask.
local inside = [==[
local dc = require "dotcompute"
dc.use "cpu"
local few, threads = math.tointeger((...)), math.tointeger((select(2, ...)))
local k = dc.kernel [[__global__ void k(int *x, int few) {
  int t = threadIdx.x, a = -1, b = -1;
  const unsigned own = (1u << few) - 1;
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, %2; @p shfl.sync.idx.b32 %0, %1, 1, 31, %3; }"
               : "+r"(a) : "r"(t % 32), "r"(few), "r"(own));
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %0, %1; @p bar.warp.sync %2; }" :: "r"(t % 32), "r"(few), "r"(own));
  const unsigned mine = t % 32 < few ? own : ~own;
  b = __popc(__ballot_sync(mine, 1));
  int sum = t;
  for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o) * 0 + 1;
  x[3 * t] = a;
  x[3 * t + 1] = b;
  x[3 * t + 2] = sum;
}]]
local x = dc.zeros(3 * threads, "int32")
k(1, threads, x, few)
for t = 0, threads - 1 do
  local width = math.min(32, threads - t // 32 * 32) -- lanes of the warp
  local group = t % 32 < few and math.min(few, width) or width - few
  assert(x[3 * t + 1] == (t % 32 < few and width > 1 and 1 or -1), "shfl of " .. t)
  assert(x[3 * t + 2] == group, "ballot of " .. t)
  assert(x[3 * t + 3] == t + 5, "shuffles of " .. t)
end
]==]

local apart = [==[
local dc = require "dotcompute"
dc.use "cpu"
local cut, threads = math.tointeger((...)), math.tointeger((select(2, ...)))
local k = dc.kernel [[__global__ void k(unsigned *x, int cut) {
  __shared__ unsigned s[1024];
  const int t = threadIdx.x;
  for (int i = 0; i < 3; i++) {
    if (t % 32 < cut) {
      s[t] = t + i;
      asm volatile("barrier.sync 0;" ::: "memory");
    } else {
      s[t] = 2 * t;
      asm volatile("barrier.sync 0;" ::: "memory");
    }
    x[3 * t + i] = __activemask();
    asm volatile("barrier.sync 0;" ::: "memory");
  }
}]]
local x = dc.zeros(3 * threads, "uint32")
k(1, threads, x, cut)
for i = 1, 3 * threads do
  local width = math.min(32, threads - (i - 1) // 96 * 32)
  assert(x[i] == (1 << width) - 1, ("element %d is %x"):format(i, x[i]))
end
]==]

for _, tier in ipairs { 0, 1 } do
  describe("on the CPU device at tier " .. tier .. " lanes", function()
    local function passes(...)
      local text, code = helper.on_cpu("TIER=" .. tier, ...)
      assert.equal(0, code, text)
      return text
    end

    it("outside their own member mask are an error", function()
      assert.equal("100.0\n", passes(outside, math.random(0, 31)))
    end)

    it("that do not execute the instruction need not be in the mask", function()
      passes(inside, math.random(2, 30), math.random(62, 64))
      passes(inside, math.random(2, 10), math.random(43, 47))
    end)

    it("that reach a barrier in parts go on together", function()
      passes(apart, math.random(1, 15), 32)
      passes(apart, math.random(1, 15), math.random(16, 1024))
    end)
  end)
end
