-- Random programs of branches and loops around a few operations, written in PTX, since a compiler would replace the
-- branches by predicates; on both tiers of the CPU device, beside an evaluation in Lua. Some branches are for one
-- thread alone, and some registers are of one place alone.
local helper = require "spec.helper"

local branches = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
local REGS <const>, LANES <const> = 6, 96
local text, labels, last, loops

local function put(...) text[#text + 1] = (...):format(select(2, ...)) end
local function label()
  labels = labels + 1
  return "L" .. labels
end
local function wrap(v) return (v + 0x80000000 & 0xffffffff) - 0x80000000 end
local apply = {
  add = function(a, b) return wrap(a + b) end,
  sub = function(a, b) return wrap(a - b) end,
  min = math.min,
  max = math.max,
}
local names = { "add", "sub", "min", "max" }

-- An operation of registers or a number. Numbers come in a register sometimes, which is one for all lanes.
local function operation(to, a)
  local op, b = names[math.random(4)], math.random(REGS)
  to, a = to or math.random(REGS), a or math.random(REGS)
  if math.random(8) == 1 then
    put("ld.global.s32 %%r%d, [%%a2+%d];", to, 4 * b - 4)
    return function(r) r[to] = r.given[b] end
  end
  local number, moved = math.random(2) == 1 and math.random(-9, 9), math.random(2) == 1
  if number and moved then put("mov.u32 %%c%d, %d;", number + 10, number) end
  put("%s.s32 %%r%d, %%r%d, %s;", op, to, a, not number and "%r" .. b or moved and "%c" .. number + 10 or number)
  return function(r) r[to] = apply[op](r[a], number or r[b]) end
end

local function all(steps)
  return function(r) for _, step in ipairs(steps) do step(r) end end
end

-- A comparison of a register with a number, of the thread's number with one or with a loop's count.
local function comparison(depth)
  local a, limit, count = math.random(REGS), math.random(-20, 20), loops[math.random(#loops)]
  if math.random(2) == 1 then
    put("setp.lt.s32 %%p%d, %%r%d, %d;", depth, a, limit)
    return function(r) return r[a] < limit end
  end
  local op, which = math.random(2) == 1 and "eq" or "ne", math.random(0, LANES - 1)
  put("setp.%s.s32 %%p%d, %%t1, %s;", op, depth, count and "%k" .. count or which)
  return function(r) return (r.thread == (count and r.count[count] or which)) == (op == "eq") end
end

local program
-- One or both sides of a comparison, jumped around by it or by its opposite.
local function branch(depth, inner)
  local holds, flip = comparison(depth), math.random(2) == 1
  local on, past = label(), label()
  put("@%s%%p%d bra %s;", flip and "!" or "", depth, on)
  local first = inner(depth, math.random(0, 5))
  local both = math.random(3) == 1
  if both then put("bra %s;", past) end
  put("%s:", on)
  local second = both and inner(depth, math.random(1, 3))
  put("%s:", past)
  return function(r)
    if holds(r) == flip then first(r)
    elseif second then second(r) end
  end
end

local function loop(depth)
  local times, head = math.random(2, 3), label()
  put("mov.u32 %%k%d, 0;\n%s:", depth, head)
  loops[#loops + 1] = depth
  local body = program(depth, math.random(2, 4))
  loops[#loops] = nil
  put("add.s32 %%k%d, %%k%d, 1;\nsetp.ne.s32 %%q%d, %%k%d, %d;\n@%%q%d bra %s;", depth, depth, depth, depth, times,
    depth, head)
  return function(r)
    for k = 0, times - 1 do
      r.count[depth] = k
      body(r)
    end
  end
end

-- What is made of a register that no other place has.
local function own(depth)
  last = last + 1
  local reg, steps = last, {}
  steps[1] = operation(reg)
  for i = 2, math.random(4) do
    local function some(_, n)
      local changes = {}
      for j = 1, n do changes[j] = operation(reg, reg) end
      return all(changes)
    end
    steps[i] = depth < 3 and math.random(2) == 1 and branch(depth + 1, some) or operation(reg, reg)
  end
  steps[#steps + 1] = operation(nil, reg)
  return all(steps)
end

function program(depth, n)
  local steps = {}
  for i = 1, n do
    local choice = depth < 3 and math.random(7) or math.random(6, 7)
    steps[i] = choice == 1 and loop(depth + 1) or choice < 4 and branch(depth + 1, program) or
      choice == 6 and own(depth) or operation()
  end
  return all(steps)
end

for round = 1, 20 do
  labels, last, loops = 0, REGS, {}
  text = { ".version 7.0\n.target sm_75\n.address_size 64",
    ".visible .entry k(.param .u64 to, .param .u64 from) {",
    ".reg .b32 %r<400>; .reg .b32 %c<20>; .reg .b32 %k<4>; .reg .pred %p<4>; .reg .pred %q<4>; .reg .b32 %t<2>;",
    ".reg .b64 %a<4>;\nld.param.u64 %a1, [to];\nld.param.u64 %a2, [from];\nmov.u32 %t1, %tid.x;",
    ("mul.wide.u32 %%a3, %%t1, %d;\nadd.s64 %%a1, %%a1, %%a3;\nadd.s64 %%a2, %%a2, %%a3;"):format(4 * REGS) }
  for i = 1, REGS do put("ld.global.u32 %%r%d, [%%a2+%d];", i, 4 * i - 4) end
  local run = program(0, 8)
  for i = 1, REGS do put("st.global.u32 [%%a1+%d], %%r%d;", 4 * i - 4, i) end
  put("ret;\n}")
  local given = {}
  for i = 1, REGS * LANES do given[i] = math.random(-40, 40) end
  local to = dc.zeros(REGS * LANES, "int32")
  dc.module(table.concat(text, "\n")):kernel "k"(1, LANES, to, dc.array(given, "int32"))
  local got = to:to_table()
  for lane = 0, LANES - 1 do
    local r = table.move(given, lane * REGS + 1, lane * REGS + REGS, 1, {})
    r.thread, r.count, r.given = lane, {}, table.move(r, 1, REGS, 1, {})
    run(r)
    for i = 1, REGS do
      assert(got[lane * REGS + i] == r[i], ("round %d, lane %d, register %d: %d, wanted %d\n%s"):format(round, lane, i,
        got[lane * REGS + i], r[i], table.concat(text, "\n")))
    end
  end
end
print("right")
]==]

describe("branches around a few operations", function()
  for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
    it("give the results of Lua, with " .. how, function()
      assert.equal("right\n", (helper.on_cpu(how, branches, helper.seed)), helper.note())
    end)
  end

  -- These programs store comparisons of 16 lanes, of which GCC 12 loaded 32 bits again.
  it("do so where comparisons are kept over a loop", function()
    assert.equal("right\n", (helper.on_cpu("TIER=1", branches, 1795711158)))
  end)
end)
