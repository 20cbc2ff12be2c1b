-- A warp waits for a flag in a loop that has another exit, which neither memory nor other lanes decide and which lanes
-- never take: by a condition that the loop does not change, by a counter that stands still, by one that only some
-- iterations compare. Native code took such a loop for one that ends by itself, and the warp that sets the flag never
-- ran.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local loops = { [[
W: ld.volatile.global.u32 %r4, [%rd1];
  @%p2 bra D;
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra W;]], [[
W: ld.volatile.global.u32 %r4, [%rd1];
  setp.ne.u32 %p3, %r4, 0;
  @%p3 bra D;
  ld.volatile.global.u32 %r4, [%rd1+4];
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra C;
  add.s32 %r3, %r3, 1;
C: setp.gt.u32 %p2, %r3, 10;
  @!%p2 bra W;]], [[
W: ld.volatile.global.u32 %r4, [%rd1];
  setp.ne.u32 %p3, %r4, 0;
  @%p3 bra D;
  add.s32 %r3, %r3, 1;
  ld.volatile.global.u32 %r4, [%rd1+4];
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra C;
  setp.gt.u32 %p2, %r3, 10;
  @%p2 bra D;
C: bra W;]] }
for i, loop in ipairs(loops) do
  for _, setter in ipairs { "lt", "ge" } do
    local m = dc.module(([[
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 flag, .param .u64 to, .param .u32 n) {
  .reg .b32 %%r<5>; .reg .b64 %%rd<3>; .reg .pred %%p<4>;
  ld.param.u64 %%rd1, [flag];
  ld.param.u64 %%rd2, [to];
  ld.param.u32 %%r1, [n];
  mov.u32 %%r2, %%tid.x;
  mov.u32 %%r3, 0;
  setp.ne.u32 %%p2, %%r1, 0;
  setp.%s.u32 %%p1, %%r2, 32;
  @%%p1 bra S;
%s
D: ld.volatile.global.u32 %%r4, [%%rd1];
  st.global.u32 [%%rd2], %%r4;
  ret;
S: st.volatile.global.u32 [%%rd1], 7;
  ret;
}]]):format(setter, loop))
    local flag, to = dc.zeros(2, "int32"), dc.zeros(1, "int32")
    m:kernel "k"(1, 64, flag, to, 0)
    assert(to:item() == 7, ("loop %d ended with %d"):format(i, to:item()))
  end
end
]==]

describe("a loop that waits and has an exit that lanes never take", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("lets other warps run, with " .. how, function() helper.passes_on_cpu(how .. " timeout 40", script) end)
  end
end)
