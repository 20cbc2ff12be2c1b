-- Elements of 1, 2 and 4 bytes that lanes read in a loop, near each other for some iterations and far from each other
-- in others, at places of their own: from arrays that begin anywhere, over pages' ends, up to the last element.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local core = require "dotcompute.core"
math.randomseed(math.tointeger(arg[1]))
local text, names = {}, { "int8", "uint8", "int16", "uint16", "int32", "uint32" }
for i, dtype in ipairs(names) do
  text[i] = (([[
__global__ void NAME(const T *x, int from, int at, int low, int high, int jump, int times, T stop,
    long long *o) {
  const int t = threadIdx.x;
  int left = times - t % 5;
  long long sum = 0;
  at += t & low;
  while (left-- > 0) {
    const T v = x[at - from];
    sum = sum * 31 + v;
    if (v == stop) break;
    at = (at * 5 + t * 3 & low) | (at + jump & high);
  }
  o[t] = sum;
}]]):gsub("NAME", dtype):gsub("T ", core.dtype(dtype).ctype .. " "))
end
local m = dc.module(table.concat(text))
for _, dtype in ipairs(names) do
  local k, size = m:kernel(dtype), core.dtype(dtype).size
  local format = ("<%s%d"):format(core.dtype(dtype).kind == "i" and "i" or "I", size)
  for _ = 1, 8 do
    local offset, n = math.random(0, 40), math.random(1, 9000)
    local bytes, value = {}, {}
    for i = 1, offset + n do
      bytes[i] = string.pack("<i8", math.random(0)):sub(1, size)
      value[i - offset] = string.unpack(format, bytes[i])
    end
    local x = dc.from_bytes(table.concat(bytes), offset + n, dtype)
    local all = 1 << math.floor(math.log(n, 2)) -- the first elements, which are read
    local low = math.min(all, 1 << math.random(0, 8)) - 1
    local high = all - 1 & ~low
    local shift, begin, from = math.random(0, n - all), math.random(0) & high, math.random(-9, 9)
    local jump = math.random(2) == 1 and math.random(0, 2) * (low + 1) or math.random(0) & high
    local times, stop = math.random(1, 60), value[math.random(n)]
    local o, shifted = dc.zeros(32, "int64"), dc.zeros(32, "int64")
    k(1, 32, x[{ { offset + 1 + shift, offset + n } }], 0, begin, low, high, jump, times, stop, o)
    local at = math.min(math.max(1, offset + 1 + shift + from), offset + n) -- the same, seen from another element
    k(1, 32, x[{ { at, offset + n } }], at - offset - 1 - shift, begin, low, high, jump, times, stop, shifted)
    for t = 0, 31 do
      local i, sum = begin + (t & low), 0
      for _ = 1, times - t % 5 do
        local v = value[shift + i + 1]
        sum = sum * 31 + v
        if v == stop then break end
        i = (i * 5 + t * 3 & low) | (i + jump & high)
      end
      if o[t + 1] ~= sum or shifted[t + 1] ~= sum then
        print(("%s, %d elements from %d: thread %d has %d and %d, not %d"):format(dtype, n, offset, t, o[t + 1],
          shifted[t + 1], sum))
      end
    end
  end
  assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
end
]==]

describe("elements near each other", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("are those at the lanes' indices: " .. how, function() helper.passes_on_cpu(how, script, 3) end)
  end
end)
