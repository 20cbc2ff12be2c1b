-- A register that lanes write at different times began with no value in the emitted C; gcc then took the whole vector
-- for undefined, and the lanes' results with it (seen with SSE2 alone).
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local k = dc.module [[
__global__ void last(long long *o, int n) {
  int t = threadIdx.x + n, v = t;
  for (int i = 0, j = t; i < j; i++, j -= 2) v = i * 4 + (t & 3);
  o[threadIdx.x] = v;
}
__global__ void shifted(long long *o, int n) {
  int t = threadIdx.x + n, v = t;
  for (int i = 0, j = t; i < j; i++, j -= 2) v = (int)((unsigned)i << (t & 7));
  o[threadIdx.x] = v;
}]]
local o, n = dc.zeros(64, "int64"), tonumber(arg[1])
for _, name in ipairs { "last", "shifted" } do
  k[name](1, 64, o, n)
  print(table.concat(o:to_table(), " "))
end
]==]

describe("a register that lanes write in different iterations of a loop", function()
  it("keeps each lane's own last value", function()
    local n, last, shifted = math.random(0, 40), {}, {}
    for l = 0, 63 do
      local t = l + n
      local turns = (t + 2) // 3
      last[l + 1] = turns == 0 and t or (turns - 1) * 4 + (t & 3)
      shifted[l + 1] = turns == 0 and t or (turns - 1) << (t & 7)
    end
    local want = table.concat(last, " ") .. "\n" .. table.concat(shifted, " ") .. "\n"
    for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
      local text = helper.on_cpu(how, script, n)
      assert.equal(want, text, helper.note(how))
    end
  end)
end)
