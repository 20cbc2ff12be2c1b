-- Branches on comparisons of values that are affine in the thread's index, near where they wrap around too, some behind
-- barriers or loops that threads leave at different times; on both tiers, beside an evaluation in Lua.
local helper = require "spec.helper"

local comparisons = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
local relations <const> = {
  lt = function(a, b) return a < b end, le = function(a, b) return a <= b end, gt = function(a, b) return a > b end,
  ge = function(a, b) return a >= b end, eq = function(a, b) return a == b end, ne = function(a, b) return a ~= b end,
}
local names <const> = { "lt", "le", "gt", "ge", "eq", "ne" }
local unsigned <const> = { lt = "lo", le = "ls", gt = "hi", ge = "hs" }
local steps <const> = { 1, 1, 1, 2, -1, 4, -3, 1 << 20, -(1 << 20), (1 << 20) + 1 }
local function any(list) return list[math.random(#list)] end
local function as(type, v)
  v = v & 0xffffffff
  return type == "s32" and v >= 0x80000000 and v - (1 << 32) or v
end

for round = 1, 6 do
  local text, checks = {}, {}
  local function put(...) text[#text + 1] = (...):format(select(2, ...)) end
  local threads = any { 32, 64, 96, 256, 40, 7 }
  put([[
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 to, .param .u64 from) {
.reg .b32 %%r<8>; .reg .b32 %%v<20>; .reg .b32 %%u<20>; .reg .b32 %%f<20>; .reg .b32 %%k<20>;
.reg .pred %%p<20>; .reg .pred %%q<20>; .reg .pred %%o<20>; .reg .b64 %%a<4>;
ld.param.u64 %%a1, [to]; ld.param.u64 %%a2, [from];
mov.u32 %%r1, %%tid.x; mov.u32 %%r2, 1; and.b32 %%r3, %%r1, 3; add.s32 %%r3, %%r3, 1;
mul.wide.u32 %%a3, %%r1, 4; add.s64 %%a1, %%a1, %%a3;]])
  local given = {}
  for i = 1, 14 do
    local type, name, step, flip = any { "s32", "u32" }, any(names), any(steps), math.random(2) == 1
    local base = any { 0, 0, -5, 0x7fffffff - 20, -20, math.random(0, 300) } * (math.random(3) == 1 and -1 or 1)
    local bound = base + step * math.random(-2, threads + 2) + math.random(-1, 1)
    local kind = math.random(4)
    given[i] = as("s32", bound)
    put("mad.lo.s32 %%v%d, %%r1, %d, %d;\nld.global.u32 %%u%d, [%%a2+%d];", i, step, as("s32", base), i, 4 * i - 4)
    local with = "%u" .. i
    if kind == 1 then -- in a loop that threads leave after 1 to 4 iterations
      with = "%f" .. i
      put("mov.u32 %%k%d, 0;\nH%d: add.s32 %%k%d, %%k%d, 1;\nadd.s32 %%f%d, %%u%d, %%k%d;", i, i, i, i, i, i, i)
    end
    local exchanged = math.random(2) == 1
    local a, b = "%v" .. i, with
    if exchanged then a, b = b, a end
    put("setp.%s.%s %%p%d, %s, %s;", type == "u32" and math.random(2) == 1 and unsigned[name] or name, type, i, a, b)
    if kind == 1 then
      put("setp.eq.s32 %%q%d, %%k%d, %%r3;\n@%%q%d bra O%d;\nsetp.lt.s32 %%o%d, %%k%d, 9;\n@%%o%d bra H%d;\nO%d:",
        i, i, i, i, i, i, i, i, i)
    elseif kind == 2 then
      put "bar.sync 0;"
    end
    put("@%s%%p%d bra L%d;", flip and "!" or "", i, i)
    local count = math.random(6)
    for j = 1, count do put("mad.lo.s32 %%r2, %%r2, 3, %d;", i + j) end
    put("L%d:", i)
    checks[#checks + 1] = function(tid, r)
      local v = as(type, tid * step + base)
      local u = as(type, given[i] + (kind == 1 and tid % 4 + 1 or 0))
      local taken = relations[name](exchanged and u or v, exchanged and v or u)
      if taken ~= flip then return r end
      for j = 1, count do r = r * 3 + i + j & 0xffffffff end
      return r
    end
  end
  put("st.global.u32 [%%a1], %%r2;\nret;\n}")
  local to = dc.zeros(threads, "int32")
  dc.module(table.concat(text, "\n")):kernel "k"(1, threads, to, dc.array(given, "int32"))
  for tid, got in ipairs(to:to_table()) do
    local r = 1
    for _, check in ipairs(checks) do r = check(tid - 1, r) end
    assert(got & 0xffffffff == r, ("round %d, thread %d: %d, wanted %d\n%s"):format(round, tid - 1, got, r,
      table.concat(text, "\n")))
  end
end
]==]

describe("branches on comparisons of indices", function()
  for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
    it("give the results of Lua, with " .. how, function()
      helper.passes_on_cpu(how, comparisons)
    end)
  end

  it("compile with the declarations that they need alone", function()
    local how = "TIER=1 DOTCOMPUTE_CACHE=off DOTCOMPUTE_LOG=compile"
    local text, code = helper.on_cpu(how, [[
      io.stderr:setvbuf "no"
      local dc = require "dotcompute"
      local x = dc.zeros(64, "int32")
      dc.kernel "__global__ void above(int *x, int k) { if ((int)threadIdx.x + k > 21) x[threadIdx.x] = sqrtf(k); }"(1,
        64, x, 4)
      assert(x[18] == 0 and x[19] == 2)
      os.exit(3)]])
    assert.equal(3, code, text)
    assert.not_matches("headers are included", text)
  end)
end)
