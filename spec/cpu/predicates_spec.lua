-- Programs of random logic on predicates, which branches, guards, selections, votes and barriers with reductions read,
-- some in threads that have gone apart; on both tiers, beside an evaluation in Lua.
local helper = require "spec.helper"

local programs = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
local function any(...) return (select(math.random(select("#", ...)), ...)) end
local logic <const> = {
  ["and"] = function(a, b) return a and b end, ["or"] = function(a, b) return a or b end,
  xor = function(a, b) return a ~= b end, ["not"] = function(a) return not a end, mov = function(a) return a end,
}
local threads, text, p, r, labels -- p[t][i]: predicate i of thread t; r[t]: its sum
local function put(...) text[#text + 1] = (...):format(select(2, ...)) end
local function add(t, n) r[t] = r[t] * 3 + n & 0xffffffff end

-- Appends an operation, and does it in the threads of `live`; `together`: in all.
local function operation(live, together, depth)
  local d, a, b, n = math.random(6), math.random(6), math.random(6), math.random(100)
  local kind = math.random(together and 11 or 7)
  if kind == 1 then
    local by = math.random(threads)
    put("xor.b32 %%r3, %%r1, %d;\nsetp.lt.u32 %%p%d, %%r3, %d;", n, d, by)
    for t in pairs(live) do p[t][d] = (t ~ n) < by end
  elseif kind <= 3 then
    local name = any("and", "or", "xor", "not", "mov")
    local unary = name == "not" or name == "mov"
    put("%s.pred %%p%d, %%p%d%s;", name, d, a, unary and "" or ", %p" .. b)
    for t in pairs(live) do p[t][d] = logic[name](p[t][a], p[t][b]) end
  elseif kind == 4 then
    put("selp.u32 %%r3, %d, 7, %%p%d;\nmad.lo.u32 %%r2, %%r2, 3, %%r3;", n, a)
    for t in pairs(live) do add(t, p[t][a] and n or 7) end
  elseif kind == 5 then
    local flip = any(true, false)
    put("@%s%%p%d mad.lo.u32 %%r2, %%r2, 3, %d;", flip and "!" or "", a, n)
    for t in pairs(live) do if p[t][a] ~= flip then add(t, n) end end
  elseif kind <= 7 then
    labels = labels + 1
    local label, some = labels, {}
    for t in pairs(live) do if not p[t][a] then some[t] = true end end
    put("@%%p%d bra L%d;", a, label)
    for _ = 1, depth > 0 and math.random(4) or 0 do operation(some, false, depth - 1) end
    put("mad.lo.u32 %%r2, %%r2, 3, %d;\nL%d:", n, label)
    for t in pairs(some) do add(t, n) end
  elseif kind == 8 then
    put "bar.sync 0;"
  elseif kind == 9 then
    local how, count = any("popc", "and", "or"), 0
    for t in pairs(live) do count = count + (p[t][a] and 1 or 0) end
    if how == "popc" then
      put("bar.red.popc.u32 %%r3, 0, %%p%d;\nmad.lo.u32 %%r2, %%r2, 3, %%r3;", a)
      for t in pairs(live) do add(t, count) end
    else
      put("bar.red.%s.pred %%p%d, 0, %%p%d;", how, d, a)
      local all = how == "and"
      for t in pairs(live) do p[t][d] = count == threads or not all and count > 0 end
    end
  else
    local votes, how = {}, any("ballot", "any", "all")
    for t in pairs(live) do votes[t // 32] = (votes[t // 32] or 0) | (p[t][a] and 1 << t % 32 or 0) end
    if how == "ballot" then
      put("vote.sync.ballot.b32 %%r3, %%p%d, -1;\nmad.lo.u32 %%r2, %%r2, 3, %%r3;", a)
      for t in pairs(live) do add(t, votes[t // 32]) end
    else
      put("vote.sync.%s.pred %%p%d, %%p%d, -1;", how, d, a)
      for t in pairs(live) do
        p[t][d] = votes[t // 32] == 0xffffffff or how == "any" and votes[t // 32] ~= 0
      end
    end
  end
end

for round = 1, 8 do
  threads, text, p, r, labels = any(32, 64, 96, 256), {}, {}, {}, 0
  put([[
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 to) {
.reg .b32 %%r<4>; .reg .pred %%p<7>; .reg .b64 %%a<3>;
ld.param.u64 %%a1, [to]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, 1;
mul.wide.u32 %%a2, %%r1, 4; add.s64 %%a1, %%a1, %%a2;]])
  local live = {}
  for t = 0, threads - 1 do live[t], p[t], r[t] = true, {}, 1 end
  for i = 1, 6 do
    local odd = math.random(threads)
    put("mul.lo.u32 %%r3, %%r1, %d;\nand.b32 %%r3, %%r3, %d;\nsetp.ne.u32 %%p%d, %%r3, 0;", odd, 1 << i, i)
    for t in pairs(live) do p[t][i] = t * odd & 1 << i ~= 0 end
  end
  for _ = 1, 40 do operation(live, true, 2) end
  put "st.global.u32 [%%a1], %%r2;\nret;\n}"
  local to = dc.zeros(threads, "int32")
  dc.module(table.concat(text, "\n")):kernel "k"(1, threads, to)
  for t, got in ipairs(to:to_table()) do
    assert(got & 0xffffffff == r[t - 1], ("round %d, thread %d: %d, wanted %d\n%s"):format(round, t - 1, got, r[t - 1],
      table.concat(text, "\n")))
  end
end
]==]

describe("logic on predicates", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("gives the results of Lua, with " .. how, function()
      helper.passes_on_cpu(how, programs)
    end)
  end
end)
