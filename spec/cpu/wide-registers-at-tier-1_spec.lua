-- A load or a cvt whose register is wider than its type made C that did not compile, so that the kernel stayed at
-- tier 0 for good.  NVRTC writes both.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
.version 8.5
.target sm_75
.address_size 64
.visible .entry wide(.param .u32 n, .param .u64 x, .param .u64 y) {
  .reg .b64 %rd<13>;
  .reg .b32 %r<2>;
  ld.param.s32 %rd1, [n];
  ld.param.u64 %rd2, [x];
  ld.param.u64 %rd3, [y];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd2, %rd2, %rd4;
  shl.b64 %rd4, %rd4, 3;
  add.s64 %rd3, %rd3, %rd4;
  ld.global.s32 %rd5, [%rd2];
  ld.global.s8 %rd6, [%rd2];
  cvt.s64.s16 %rd7, %rd5;
  cvt.s64.s16 %rd8, %rd1;
  add.s64 %rd9, %rd1, %rd5;
  st.global.u64 [%rd3], %rd9;
  add.s64 %rd10, %rd6, %rd7;
  st.global.u64 [%rd3+8], %rd10;
  st.global.u64 [%rd3+16], %rd8;
  ld.global.u32 %rd11, [%rd2];
  st.global.u64 [%rd3+24], %rd11;
  ret;
}]]
local n, values = tonumber(arg[1]), {}
for word in arg[2]:gmatch "%S+" do values[#values + 1] = math.tointeger(word) end
local x, y = dc.array(values, "int32"), dc.zeros(4 * #values, "int64")
k(1, #values, n, x, y)
print(k.attributes.tier)
print(table.concat(y:to_table(), " "))
]==]

describe("registers wider than the types of a load and a cvt", function()
  it("run at tier 1", function()
    local n, x, want = math.random(-(1 << 31), (1 << 31) - 1), {}, {}
    local function low(v, bits)
      local half = 1 << (bits - 1)
      return ((v + half) & (2 * half - 1)) - half
    end
    for i = 1, 48 do
      x[i] = helper.value "int32"
      table.move({ n + x[i], low(x[i], 8) + low(x[i], 16), low(n, 16), x[i] & 0xffffffff }, 1, 4, #want + 1, want)
    end
    for tier = 0, 1 do
      local text = helper.on_cpu("TIER=" .. tier, script, n, table.concat(x, " "))
      assert.equal(("%d\n%s\n"):format(tier, table.concat(want, " ")), text, helper.note("tier " .. tier))
    end
  end)
end)
