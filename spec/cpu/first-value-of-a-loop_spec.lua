-- A loop's variable whose first value is read before the loop, as by the guard of a grid-stride loop, is affine; not so
-- where a loop around both brings back what the lanes have left in it, each after another number of iterations.
local helper = require "spec.helper"

-- Runs the kernels that are named: of %r5 the last value, for each of 64 threads. %r1, %r2, %r3: n, step, rounds. In
-- `outside` and `inside` the inner loop's variable %r7 is set before or in the outer loop, and read before the inner
-- one. In `carried` %r8 is read in the inner loop alone, which a lane begins with what it has left there. In `after` a
-- second loop begins with the %r8 that a lane has left in the first.
local script = [==[
local dc = require "dotcompute"
local prologue, epilogue = [[
.visible .entry NAME(.param .u64 o, .param .u32 n, .param .u32 step, .param .u32 rounds) {
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [o];
  ld.param.u32 %r1, [n];
  ld.param.u32 %r2, [step];
  ld.param.u32 %r3, [rounds];
  mov.u32 %r4, %tid.x;
  mov.u32 %r6, 0;
]], [[
  add.s32 %r6, %r6, 1;
  setp.lt.s32 %p2, %r6, %r3;
  @%p2 bra OUTER;
  mul.wide.s32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  ret;
}
]]
local first = [[
  mov.u32 %r5, 1;
  OUTSIDE
OUTER:
  INSIDE
  mad.lo.s32 %r5, %r5, 3, %r7;
INNER:
  add.s32 %r7, %r7, %r2;
  xor.b32 %r5, %r5, %r7;
  setp.lt.s32 %p1, %r7, %r1;
  @%p1 bra INNER;
  add.s32 %r1, %r1, 7;
]]
local function set(place)
  return (first:gsub(place, "mov.u32 %%r7, %%r4;"):gsub("OUTSIDE", ""):gsub("INSIDE", ""))
end
local loops = { outside = set "OUTSIDE", inside = set "INSIDE", carried = [[
  mov.u32 %r5, 0;
  mov.u32 %r8, 1;
OUTER:
  mov.u32 %r7, %r4;
INNER:
  mad.lo.s32 %r5, %r5, 3, %r8;
  mad.lo.s32 %r8, %r7, 5, %r6;
  add.s32 %r7, %r7, %r2;
  setp.lt.s32 %p1, %r7, %r1;
  @%p1 bra INNER;
]], after = [[
  mov.u32 %r5, 0;
  mov.u32 %r7, %r4;
INNER:
  mad.lo.s32 %r8, %r7, 5, %r1;
  add.s32 %r7, %r7, %r2;
  setp.lt.s32 %p1, %r7, %r1;
  @%p1 bra INNER;
OUTER:
  mad.lo.s32 %r5, %r5, 3, %r8;
  add.s32 %r8, %r8, 7;
]] }
for i = 4, #arg do
  local m = dc.module(".version 7.0\n.target sm_75\n.address_size 64\n" .. prologue:gsub("NAME", arg[i]) ..
    loops[arg[i]] .. epilogue)
  local o = dc.zeros(64, "int32")
  m[arg[i]](1, 64, o, tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3]))
  print(table.concat(o:to_table(), " "))
end
]==]

local function narrow(x) return (x + 0x80000000 & 0xffffffff) - 0x80000000 end

local function model(t, n, step, rounds, inside)
  local i, sum = t, 1
  for _ = 1, rounds do
    if inside then i = t end
    sum = narrow(sum * 3 + i)
    repeat
      i = i + step
      sum = sum ~ i
    until i >= n
    n = n + 7
  end
  return narrow(sum)
end

describe("a loop's variable that is read before the loop", function()
  it("has the lanes' own values", function()
    local n, step, rounds = math.random(20, 90), math.random(1, 9), math.random(2, 9)
    local lines = {}
    for i = 1, 2 do
      local values = {}
      for t = 0, 63 do values[t + 1] = model(t, n, step, rounds, i == 2) end
      lines[i] = table.concat(values, " ") .. "\n"
    end
    for tier = 0, 1 do
      local text = helper.on_cpu("TIER=" .. tier, script, n, step, rounds, "outside", "inside")
      assert.equal(table.concat(lines), text, helper.note("tier " .. tier))
    end
  end)
end)

describe("a variable of a loop inside another", function()
  it("keeps the value of a lane that has left the inner loop earlier than others", function()
    local n, step, rounds = math.random(70, 400), math.random(9, 60), math.random(2, 9)
    local values = {}
    for t = 0, 63 do
      local sum, last = 0, 1
      for r = 0, rounds - 1 do
        local i = t
        repeat
          sum, last = narrow(sum * 3 + last), i * 5 + r
          i = i + step
        until i >= n
      end
      values[t + 1] = sum
    end
    for tier = 0, 1 do
      local text = helper.on_cpu("TIER=" .. tier, script, n, step, rounds, "carried")
      assert.equal(table.concat(values, " ") .. "\n", text, helper.note("tier " .. tier))
    end
  end)
end)

describe("a variable of a loop after another", function()
  it("begins with what the lane has left in the first", function()
    local n, step, rounds = math.random(70, 400), math.random(9, 60), math.random(2, 9)
    local values = {}
    for t = 0, 63 do
      local sum, i, last = 0, t
      repeat
        last, i = i * 5 + n, i + step
      until i >= n
      for r = 0, rounds - 1 do sum = narrow(sum * 3 + last + 7 * r) end
      values[t + 1] = sum
    end
    for tier = 0, 1 do
      local text = helper.on_cpu("TIER=" .. tier, script, n, step, rounds, "after")
      assert.equal(table.concat(values, " ") .. "\n", text, helper.note("tier " .. tier))
    end
  end)
end)
