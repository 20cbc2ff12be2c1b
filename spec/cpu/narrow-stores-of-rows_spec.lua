-- Stores of 16 bits by consecutive lanes from 32-bit registers were saturated with AVX2, instead of truncated.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void store(const unsigned *x, unsigned char *b, unsigned short *h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("st.global.u8 [%0], %1;" :: "l"(b + i), "r"(x[i]));
  asm volatile("st.global.u16 [%0], %1;" :: "l"(h + i), "r"(x[i]));
}]]
local values = {}
for word in arg[1]:gmatch "%S+" do values[#values + 1] = math.tointeger(word) end
local n = #values
local b, h = dc.zeros(n, "uint8"), dc.zeros(n, "uint16")
k(n // 64, 64, dc.array(values, "uint32"), b, h)
print(k.attributes.tier)
print(table.concat(b:to_table(), " "))
print(table.concat(h:to_table(), " "))
]==]

describe("stores of consecutive lanes from wider registers", function()
  it("keep the lower bits", function()
    local x, b, h = {}, {}, {}
    for i = 1, 128 do
      x[i] = math.random(0, 0xffffffff)
      b[i], h[i] = x[i] & 0xff, x[i] & 0xffff
    end
    local sets = "TIER=1 DOTCOMPUTE_CPU_ISA="
    for _, how in ipairs { "TIER=0", "TIER=1", sets .. "avx2", sets .. "baseline" } do
      local text = helper.on_cpu(how, script, table.concat(x, " "))
      local want = ("%s\n%s\n%s\n"):format(how:match "%d", table.concat(b, " "), table.concat(h, " "))
      assert.equal(want, text, helper.note(how))
    end
  end)
end)
