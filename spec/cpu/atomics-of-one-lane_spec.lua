-- Atomic operations by one lane of a warp, whose result a shuffle gives to the others: all operations of words of 32
-- and 64 bits, with operands of that lane's own, in global and shared memory, and warps that do not take the branch.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
math.randomseed(math.tointeger(arg[1]))
local source = [[
__global__ void one(const TYPE *y, const TYPE *z, TYPE *words, TYPE *out, int lane, unsigned skips, int warps) {
  __shared__ TYPE here[8];
  const int t = threadIdx.x, in_warp = t % 32, warp = t / 32;
  if (in_warp == 0) here[warp] = words[warp];
  __syncthreads();
  TYPE old = (TYPE)t, shared_old = (TYPE)t;
  const TYPE a = __shfl_sync(0xffffffffu, y[t], in_warp), b = __shfl_sync(0xffffffffu, z[t], in_warp); // vectors
  if (in_warp == lane && !(skips >> warp & 1)) {
    old = ATOM(words + warp, a, b);
    shared_old = ATOM(here + warp, a, b);
  }
  out[t] = __shfl_sync(0xffffffffu, old, lane);
  out[32 * warps + t] = __shfl_sync(0xffffffffu, shared_old, lane);
  __syncthreads();
  if (in_warp == 0) out[64 * warps + warp] = here[warp];
}]]
local mask <const> = { int = 0xffffffff, ["unsigned long long"] = -1 }
local signed = function(v) return (v & 0xffffffff ~ 0x80000000) - 0x80000000 end
local new <const> = {
  Add = function(x, y) return x + y end, Exch = function(_, y) return y end,
  And = function(x, y) return x & y end, Or = function(x, y) return x | y end, Xor = function(x, y) return x ~ y end,
  CAS = function(x, y, z) return x == y and z or x end,
  Max = function(x, y, _, less) return less(x, y) and y or x end,
  Min = function(x, y, _, less) return less(x, y) and x or y end,
}
for name, f in pairs(new) do
  for type, bits in pairs(mask) do
    local wide = bits == -1
    local less = wide and math.ult or function(a, b) return a < b end
    local function number() return wide and math.random(0) or signed(math.random(0)) end
    local dtype = wide and "uint64" or "int32"
    local warps, lane, skips = math.random(1, 8), math.random(0, 1) * math.random(0, 31), math.random(0, 255)
    local y, z, words = {}, {}, {}
    for i = 1, 32 * warps do y[i], z[i] = number(), number() end
    for w = 1, warps do
      words[w] = number()
      if math.random(2) == 1 then y[32 * (w - 1) + lane + 1] = words[w] end
    end
    local text = source:gsub("TYPE", type):gsub("ATOM%((.-), a, b%)", name == "CAS" and
      "atomicCAS(%1, a, b)" or "atomic" .. name .. "(%1, a)")
    local memory, out = dc.array(words, dtype), dc.zeros((64 + 1) * warps, dtype)
    local k = dc.kernel(text)
    k(1, 32 * warps, dc.array(y, dtype), dc.array(z, dtype), memory, out, lane, dc.uint32(skips), warps)
    assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"), "it ran on another tier")
    local got, after = out:to_table(), memory:to_table()
    for w = 1, warps do
      local t = 32 * (w - 1) + lane
      local skipped = skips >> w - 1 & 1 == 1
      local old = skipped and t or words[w]
      local value = skipped and words[w] or f(words[w], y[t + 1], z[t + 1], less)
      if not wide then value = signed(value) end
      local function check(what, a, b)
        assert(a == b, ("atomic%s of %s, warp %d, lane %d: %s is %s, wanted %s"):format(name, type, w, lane, what, a,
          b))
      end
      check("global memory", after[w], value)
      check("shared memory", got[64 * warps + w], value)
      for l = 1, 32 do
        check("what was there", got[32 * (w - 1) + l], old)
        check("what was in shared memory", got[32 * warps + 32 * (w - 1) + l], old)
      end
    end
  end
end
]==]

describe("atomic operations by one lane", function()
  for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
    it("give their results to the warp, with " .. how, function()
      helper.passes_on_cpu(how, script)
    end)
  end
end)
