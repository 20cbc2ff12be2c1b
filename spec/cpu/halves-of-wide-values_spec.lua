-- Values of 64 bits of which mostly the lower halves are read: random programs of sums, products, shifts and logical
-- operations, a loop that carries one, and extensions of halves by shifts and masks; beside Lua's integers of 64 bits.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
math.randomseed(math.tointeger(arg[1]))
local function any(list) return list[math.random(#list)] end
local function number()
  local v = math.random(0) >> math.random(0, 63)
  return math.random() < 0.5 and v or -v
end
local function signed(v, bits) return (v << 64 - bits >> 64 - bits ~ 1 << bits - 1) - (1 << bits - 1) end
local function shift_right(v, by) return by == 0 and v or v >> by | (v < 0 and -1 << 64 - by or 0) end

-- Instructions of 64 bits: the text of their operands behind the destination, and what they make of operands' values.
local makers <const> = {
  function(a, b) return "add.s64", { a, b }, function(x, y) return x + y end end,
  function(a, b) return "sub.s64", { a, b }, function(x, y) return x - y end end,
  function(a, b) return "mul.lo.s64", { a, b }, function(x, y) return x * y end end,
  function(a, b, c) return "mad.lo.s64", { a, b, c }, function(x, y, z) return x * y + z end end,
  function(a, b) return "and.b64", { a, b }, function(x, y) return x & y end end,
  function(a, b) return "or.b64", { a, b }, function(x, y) return x | y end end,
  function(a, b) return "xor.b64", { a, b }, function(x, y) return x ~ y end end,
  function(a) return "not.b64", { a }, function(x) return ~x end end,
  function(a) return "neg.s64", { a }, function(x) return -x end end,
  function(a) return "mov.b64", { a }, function(x) return x end end,
  function(a) return "cvt.s64.s32", { a, register = true }, function(x) return signed(x, 32) end end,
  function(a) return "cvt.u64.u32", { a, register = true }, function(x) return x & 0xffffffff end end,
  function(a) return "cvt.s64.s16", { a, register = true }, function(x) return signed(x, 16) end end,
  function(a) return "cvt.u64.u8", { a, register = true }, function(x) return x & 0xff end end,
  function(a) return "and.b64", { a, 0xffffffff }, function(x) return x & 0xffffffff end end,
  function(a)
    local by = any { 0, 1, 3, 8, 31, 32, 40 }
    return "shl.b64", { a, by }, function(x) return x << by end
  end,
  function(a, b)
    return "selp.b64", { a, b, "%even" }, function(x, y, _, t) return t % 2 == 0 and x or y end
  end,
}

local function program(n)
  local text, steps, outputs = {}, {}, 0
  local function put(...) text[#text + 1] = (...):format(select(2, ...)) end
  -- registers %d0 to %d3: wide values of a thread, the rank, a constant, a parameter
  local made = 3
  local function operand()
    if math.random() < 0.15 then return any { 5, -3, 0x7fffffff, -0x80000000, number() } end
    return "%d" .. math.random(math.max(0, made - 6), made)
  end
  local function step()
    local op, operands, f = any(makers)(operand(), operand(), operand())
    if operands.register and type(operands[1]) == "number" then operands[1] = "%d" .. made end
    made = made + 1
    local to, words = "%d" .. made, {}
    for i, o in ipairs(operands) do words[i] = tostring(o) end
    put("%s %s, %s;", op, to, table.concat(words, ", "))
    steps[#steps + 1] = function(v, t)
      local x = {}
      for i, o in ipairs(operands) do
        x[i] = type(o) == "number" and o or v[o] or 0
      end
      v[to] = f(x[1], x[2], x[3], t)
    end
  end
  -- What is stored: mostly a half, in one of the ways that NVVM takes it; seldom all of a value.
  local function store()
    local from, way = "%d" .. math.random(math.max(0, made - 4), made), math.random(1, 8)
    local by = math.random(0, 40)
    local f
    if way == 1 then
      put("shl.b64 %%t1, %s, 32; shr.s64 %%w, %%t1, %d;", from, by)
      f = function(x) return shift_right(x << 32, by) end
    elseif way == 2 then
      put("shl.b64 %%x%d, %s, 32; shr.s64 %%w, %%x%d, %d;", outputs, from, outputs, by)
      f = function(x) return shift_right(x << 32, by) end
    elseif way == 3 then
      put("shl.b64 %%x%d, %s, 32; shr.u64 %%w, %%x%d, %d;", outputs, from, outputs, by)
      f = function(x) return x << 32 >> by end
    elseif way == 4 then
      by = math.random(1, 31)
      put("shl.b64 %%x%d, %s, %d; and.b64 %%w, %%x%d, %d;", outputs, from, by, outputs, 0xffffffff << by)
      f = function(x) return x << by & 0xffffffff << by end
    elseif way == 5 then
      put("cvt.u32.u64 %%r9, %s; cvt.u64.u32 %%w, %%r9;", from)
      f = function(x) return x & 0xffffffff end
    elseif way == 6 then
      put("cvt.u16.u64 %%h, %s; cvt.s64.s16 %%w, %%h;", from)
      f = function(x) return signed(x, 16) end
    elseif way == 7 then
      put("cvt.s64.s32 %%w, %s;", from)
      f = function(x) return signed(x, 32) end
    else
      if math.random() < 0.7 then return end
      put("mov.b64 %%w, %s;", from)
      f = function(x) return x end
    end
    put("st.global.u64 [%%out+%d], %%w;", 8 * outputs)
    outputs = outputs + 1
    local at = outputs
    steps[#steps + 1] = function(v, _, out) out[at] = f(v[from]) end
  end
  for _ = 1, n do
    step()
    if math.random() < 0.5 then store() end
  end
  local body, first = table.concat(text, "\n"), #steps
  return body, outputs, function(v, t)
    local out = {}
    for i = 1, first do steps[i](v, t, out) end
    return out
  end, made
end

local head <const> = [[
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 to, .param .u64 from, .param .u64 given, .param .u32 turns) {
.reg .b64 %d<200>; .reg .b64 %x<200>; .reg .b64 %t<4>; .reg .b64 %w; .reg .b64 %out; .reg .b64 %in; .reg .b64 %i<4>;
.reg .b32 %r<12>; .reg .b16 %h; .reg .pred %even; .reg .pred %more;
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
mad.lo.s32 %r4, %r2, %r3, %r1;
ld.param.u64 %out, [to]; ld.param.u64 %in, [from];
mul.wide.u32 %t2, %r4, 8; add.s64 %in, %in, %t2;
ld.global.u64 %d0, [%in];
mul.wide.u32 %d1, %r2, %r3; cvt.u64.u32 %t3, %r1; add.s64 %d1, %d1, %t3;
mov.b64 %d2, CONSTANT;
ld.param.u64 %d3, [given];
and.b32 %r5, %r1, 1; setp.eq.u32 %even, %r5, 0;
mul.wide.u32 %t2, %r4, BYTES; add.s64 %out, %out, %t2;
]]

for round = 1, 8 do
  local body, outputs, evaluate = program(math.random(3, 40))
  local constant, given = number(), number()
  if outputs > 0 then
    local threads, blocks = any { 32, 64, 40, 256 }, math.random(1, 3)
    local wide = {}
    for i = 1, threads * blocks do wide[i] = number() end
    local text = head:gsub("CONSTANT", ("%d"):format(constant)):gsub("BYTES", 8 * outputs) .. body .. "\nret;\n}"
    local to = dc.zeros({ threads * blocks, outputs }, "int64")
    dc.module(text):kernel "k"(blocks, threads, to, dc.array(wide, "int64"), dc.int64(given), 0)
    for id, got in ipairs(to:to_table()) do
      local v = { ["%d0"] = wide[id], ["%d1"] = id - 1, ["%d2"] = constant, ["%d3"] = given }
      local wanted = evaluate(v, (id - 1) % threads)
      for at = 1, outputs do
        assert(got[at] == wanted[at], ("round %d, thread %d, output %d: 0x%x, wanted 0x%x\n%s"):format(round, id - 1,
          at, got[at], wanted[at], text))
      end
    end
  end
end

-- A loop whose variable is the lower half of a rank of 64 bits, or wraps around 2^32, and an index made of it.
local loop <const> = [[
#include <cooperative_groups.h>
__global__ void walk(const TYPE *x, TYPE *o, INT from, INT n, long long *last) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  INT i = grid.thread_rank() + from;
  for (; i < n; i += grid.num_threads()) o[i] = 2 * x[i] + 1;
  last[grid.thread_rank()] = i;
}]]
for _, int in ipairs { "int", "unsigned", "long long" } do
  for _, type in ipairs { "float", "double", "short" } do
    local k = dc.kernel((loop:gsub("INT", int):gsub("TYPE", type)))
    local n, from = math.random(1, 3000), math.random(0, 40)
    local blocks, threads = math.random(1, 3), any { 32, 64, 48, 7, 256 }
    local dtype = ({ float = "float32", double = "float64", short = "int16" })[type]
    local x = {}
    for i = 1, n do x[i] = math.random(-1000, 1000) end
    local o, last = dc.zeros(n, dtype), dc.zeros(blocks * threads, "int64")
    k(blocks, threads, dc.array(x, dtype), o, from, n, last)
    for i, v in ipairs(o:to_table()) do
      local wanted = i > from and 2 * x[i] + 1 or 0
      assert(v == wanted, ("%s, %s: element %d is %s, wanted %s"):format(int, type, i, v, wanted))
    end
    for t, v in ipairs(last:to_table()) do
      local i = t - 1 + from
      while i < n do i = i + blocks * threads end
      assert(v == i, ("%s: thread %d ended at %d, wanted %d"):format(int, t - 1, v, i))
    end
  end
end
]==]

describe("values of 64 bits of which halves are read", function()
  for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
    it("are those of Lua, with " .. how, function()
      helper.passes_on_cpu(how, script)
    end)
  end
end)
