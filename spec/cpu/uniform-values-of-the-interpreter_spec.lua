-- A uniform value that only the interpreter's function computes (here: cvt to 16 or 8 bits in a register of 32 or 64)
-- was written to a vector that had not been declared; the C did not compile and the kernel stayed at tier 0 for good.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
.version 8.5
.target sm_75
.address_size 64
.visible .entry narrowed(.param .u32 n, .param .u64 y) {
  .reg .b64 %rd<8>;
  .reg .b32 %r<9>;
  .reg .pred %p<3>;
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd1, [y];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 16;
  add.s64 %rd3, %rd1, %rd2;
  cvt.u16.u32 %r3, %r1;
  cvt.s16.s32 %r4, %r1;
  cvt.s8.s32 %rd4, %r1;
  mov.u32 %r5, 7;
  and.b32 %r6, %r2, 8;
  setp.eq.u32 %p1, %r6, 0;
  @%p1 bra $together;
  add.s32 %r7, %r1, 77777;
  cvt.u8.u32 %r8, %r7;
  add.s32 %r5, %r8, %r2;
$together:
  st.global.u32 [%rd3], %r3;
  st.global.u32 [%rd3+4], %r4;
  st.global.u32 [%rd3+8], %rd4;
  st.global.u32 [%rd3+12], %r5;
  ret;
}]]
local n, y = tonumber(arg[1]), dc.zeros(4 * 64, "int32")
k(1, 64, n, y)
print(k.attributes.tier)
print(table.concat(y:to_table(), " "))
]==]

describe("a uniform value that the interpreter's function computes", function()
  it("runs at tier 1", function()
    local n, want = math.random(-(1 << 31), (1 << 31) - 1), {}
    local function signed(v, bits)
      local half = 1 << (bits - 1)
      return ((v + half) & (2 * half - 1)) - half
    end
    for t = 0, 63 do
      local last = t & 8 == 0 and 7 or (n + 77777 & 255) + t
      table.move({ n & 0xffff, signed(n, 16), signed(n, 8), last }, 1, 4, #want + 1, want)
    end
    for tier = 0, 1 do
      local text = helper.on_cpu("TIER=" .. tier, script, n)
      assert.equal(("%d\n%s\n"):format(tier, table.concat(want, " ")), text, helper.note("tier " .. tier))
    end
  end)
end)
