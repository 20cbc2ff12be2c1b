-- What counts the iterations of a loop that lanes leave at different times is a scalar in the loop, and behind it in
-- each lane what it was when the lane left.
local helper = require "spec.helper"

-- Runs the kernel once for each form: of %r5 the last value, for each of 64 threads. %r1, %r2: n, rounds. The counter
-- %r7 of the inner loop begins before the outer one (`outside`), in it (`inside`), with the thread's number (`thread`),
-- or, where the loop is skipped by odd threads, with either of two values (`skipped`).
local script = [==[
local dc = require "dotcompute"
local text = [[
.visible .entry NAME(.param .u64 o, .param .u32 n, .param .u32 rounds) {
  .reg .pred %p<5>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [o];
  ld.param.u32 %r1, [n];
  ld.param.u32 %r2, [rounds];
  mov.u32 %r4, %tid.x;
  mov.u32 %r5, 1;
  mov.u32 %r6, 0;
  and.b32 %r8, %r4, 1;
  setp.eq.u32 %p3, %r8, 1;
  OUTSIDE
OUTER:
  INSIDE
INNER:
  add.s32 %r7, %r7, 3;
  mad.lo.s32 %r5, %r5, 0x12345677, %r7;
  mad.lo.s32 %r9, %r7, %r4, %r5;
  shr.u32 %r9, %r9, 29;
  setp.lt.s32 %p1, %r7, %r1;
  setp.ne.s32 %p2, %r9, 3;
  and.pred %p1, %p1, %p2;
  @%p1 bra INNER;
AFTER:
  mad.lo.s32 %r5, %r5, 3, %r7;
  add.s32 %r6, %r6, 1;
  setp.lt.s32 %p2, %r6, %r2;
  @%p2 bra OUTER;
  mul.wide.s32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  ret;
}
]]
local forms = {
  outside = { OUTSIDE = "mov.u32 %r7, 2;" }, inside = { INSIDE = "mov.u32 %r7, 2;" },
  thread = { INSIDE = "mov.u32 %r7, %r4;" },
  skipped = { INSIDE = "mov.u32 %r7, 77;\n  @%p3 bra AFTER;\n  mov.u32 %r7, 2;" },
}
for i = 3, #arg do
  local form = forms[arg[i]]
  local m = dc.module(".version 7.0\n.target sm_75\n.address_size 64\n" .. text:gsub("NAME", arg[i])
    :gsub("%u+SIDE", function(place) return form[place] or "" end))
  local o = dc.zeros(64, "int32")
  m[arg[i]](1, 64, o, tonumber(arg[1]), tonumber(arg[2]))
  print(table.concat(o:to_table(), " "))
end
]==]

local function narrow(x) return (x + 0x80000000 & 0xffffffff) - 0x80000000 end

local function model(form, t, n, rounds)
  local i, value = 2, 1
  for _ = 1, rounds do
    if form ~= "outside" then i = form == "thread" and t or 2 end
    if form == "skipped" and t % 2 == 1 then
      i = 77
    else
      repeat
        i = i + 3
        value = narrow(value * 0x12345677 + i)
      until i >= n or (i * t + value & 0xffffffff) >> 29 == 3
    end
    value = narrow(value * 3 + i)
  end
  return value
end

describe("the counter of a loop that lanes leave at different times", function()
  it("is behind the loop what it was when the lane left", function()
    local n, rounds, lines = math.random(5, 90), math.random(1, 5), {}
    local forms <const> = { "outside", "inside", "thread", "skipped" }
    for i, form in ipairs(forms) do
      local values = {}
      for t = 0, 63 do values[t + 1] = model(form, t, n, rounds) end
      lines[i] = table.concat(values, " ") .. "\n"
    end
    for tier = 0, 1 do
      local text = helper.on_cpu("TIER=" .. tier, script, n, rounds, table.unpack(forms))
      assert.equal(table.concat(lines), text, helper.note("tier " .. tier))
    end
  end)
end)
