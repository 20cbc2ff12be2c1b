-- A word put together of two values (mov.b64 {low, high}, __hiloint2double) of which one or both are affine in the
-- thread's number, in native code: its lanes are neither one value nor at the distance of the lower half's.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local words = { -- lower half, upper half: C, and functions of the thread's number l and of n
  { "l", "l + 7", function(l) return l end, function(l) return l + 7 end },
  { "n", "l", function(_, n) return n end, function(l) return l end },
  { "l", "n", function(l) return l end, function(_, n) return n end },
  { "3 * l - n", "100", function(l, n) return 3 * l - n end, function() return 100 end },
  { "n", "-l", function(_, n) return n end, function(l) return -l end },
}
local text = { "extern \"C\" __global__ void words(unsigned long long *o, unsigned *h, int n, int m) {",
  "  const int l = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;", "  unsigned long long w;",
  "  unsigned s;" }
for i, w in ipairs(words) do
  text[#text + 1] = ([[
  asm("mov.b64 %%0, {%%1, %%2};" : "=l"(w) : "r"(%s), "r"(%s));
  asm("mov.b32 %%0, {%%1, %%2};" : "=r"(s) : "h"((short)(%s)), "h"((short)(%s)));
  o[%d * m + l] = w;
  h[%d * m + l] = s;]]):format(w[1], w[2], w[1], w[2], i - 1, i - 1)
end
local kernel = dc.kernel(table.concat(text, "\n") .. "\n}")
for _, block in ipairs { { 33 }, { 64 }, { 16, 3 }, { 5, 2, 4 } } do
  local m, n = block[1] * (block[2] or 1) * (block[3] or 1), 12345
  local o, h = dc.zeros(#words * m, "uint64"), dc.zeros(#words * m, "uint32")
  kernel(1, block, o, h, n, m)
  local wide, narrow = o:bytes(), h:bytes()
  for i, w in ipairs(words) do
    for l = 0, m - 1 do
      local at, low, high = (i - 1) * m + l, w[3](l, n), w[4](l, n)
      local a, b = string.unpack("<i8", wide, 8 * at + 1), string.unpack("<I4", narrow, 4 * at + 1)
      assert(a == (low & 0xffffffff | high << 32), ("{%s, %s} of thread %d is %x"):format(w[1], w[2], l, a))
      assert(b == (low & 0xffff | (high & 0xffff) << 16), ("{%s, %s} in 32 bits is %x"):format(w[1], w[2], b))
    end
  end
end
]==]

describe("a word of two values", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("has both of them: " .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
