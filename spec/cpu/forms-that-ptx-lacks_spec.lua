-- Forms of instructions that PTX does not have, types or modifiers, are refused by name as NVIDIA's assembler refuses
-- them (the list is of what ptxas 13.0 says of each for sm_100a), and those with modifiers in another order are taken.
local dc = require "dotcompute"

local registers = " .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .pred %p<9>; .reg .b64 %d<9>;\n"

-- The error of the entry, nil: there is none.
local function error_of(line)
  local m = dc.module(".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
    .. registers .. line .. "\n ret;\n}\n")
  local ok, err = pcall(function() return m.k.attributes end)
  return not ok and tostring(err) or nil
end

local function on_cpu(fn)
  return function() return dc.using("cpu", fn) end
end

local function pick(list) return list[math.random(#list)] end

local kind = { u16 = "h", s16 = "h", u32 = "r", s32 = "r", u64 = "d", s64 = "d", f16 = "h", f32 = "r", f64 = "d" }
local integers, floats = { "u16", "s16", "u32", "s32", "u64", "s64" }, { "f16", "f32", "f64" }
local function three(type) return (" %%%s1, %%%s2, %%%s3;"):format(kind[type], kind[type], kind[type]) end

describe("a form that PTX does not have", function()
  it("of integers, with a rounding, is refused by the modifier's name", on_cpu(function()
    for _ = 1, 20 do
      local round, type = pick { "rn", "rz", "rm", "rp" }, pick(integers)
      local form = ("%s.%s.%s"):format(pick { "add", "sub", "div", "rem", "min", "max" }, round, type)
      assert.matches("the CPU device has no instruction '" .. form:gsub("%.", "%%.") .. "': '%." .. round
        .. "' does not belong there %(PTX line 6%)", error_of(form .. three(type)))
    end
  end))

  it("with two roundings is refused by the second one's name", on_cpu(function()
    for _ = 1, 20 do
      local first, second, type = pick { "rn", "rz" }, pick { "rn", "rz", "rm", "rp" }, pick { "f32", "f64" }
      local form = ("%s.%s.%s.%s"):format(pick { "add", "mul", "div" }, first, second, type)
      assert.matches("'%." .. second .. "' does not belong there", error_of(form .. three(type)))
    end
  end))

  it("of a type that the instruction does not have is refused by the instruction's name", on_cpu(function()
    for _ = 1, 20 do
      local op, type = pick { "and", "or", "xor" }, pick(math.random(2) == 1 and integers or floats)
      assert.matches(("'%s' does not have that type %%(PTX line 6%%)"):format(op),
        error_of(op .. "." .. type .. three(type)))
    end
  end))

  for text, says in pairs {
    ["neg.u64 %d1, %d2;"] = "'neg' does not have that type",
    ["cvt.s32.bf16 %r1, %h1;"] = "a modifier is missing",
    ["cvt.f32.s32 %r1, %r2;"] = "a modifier is missing",
    ["div.f32 %r1, %r2, %r3;"] = "a modifier is missing",
    ["mul.u32 %r1, %r2, %r3;"] = "a modifier is missing",
    ["mul.wide.s64 %d1, %d2, %d3;"] = "'%.wide' does not belong there",
    ["mul.lo.hi.s32 %r1, %r2, %r3;"] = "'%.hi' does not belong there",
    ["mad.lo.sat.s32 %r1, %r2, %r3, %r4;"] = "'%.%l+' does not belong there",
    ["add.cc.sat.s32 %r1, %r2, %r3;"] = "'%.%l+' does not belong there",
    ["add.ftz.ftz.f32 %r1, %r2, %r3;"] = "'%.ftz' does not belong there",
    ["add.ftz.f64 %d1, %d2, %d3;"] = "'%.ftz' does not belong there",
    ["fma.rn.sat.relu.f16 %h1, %h2, %h3, %h4;"] = "'%.%l+' does not belong there",
    ["sqrt.approx.rn.f32 %r1, %r2;"] = "'%.%l+' does not belong there",
    ["setp.lo.s32 %p1, %r1, %r2;"] = "'%.lo' does not belong there",
    ["setp.eq.lt.s32 %p1, %r1, %r2;"] = "'%.lt' does not belong there",
    ["setp.nan.u32 %p1, %r1, %r2;"] = "'%.nan' does not belong there",
    ["selp.f16 %h1, %h2, %h3, %p1;"] = "'selp' does not have that type",
    ["ex2.ftz.bf16 %h1, %h2;"] = "a modifier is missing",
    ["rcp.approx.f64 %d1, %d2;"] = "a modifier is missing",
    ["cvt.satfinite.e4m3x2.f32 %h1, %r1, %r2;"] = "a modifier is missing",
    ["cvt.rn.bf16.s8 %h1, %h2;"] = "'cvt' does not have that type",
    ["cvta.to.shared.u32 %r1, %r2;"] = "'cvta' does not have that type",
    ["addc.u16 %h1, %h2, %h3;"] = "'addc' does not have that type",
    ["shl.s32 %r1, %r2, %r3;"] = "'shl' does not have that type",
  } do
    it(("'%s' is refused"):format(text), on_cpu(function() assert.matches(says, error_of(text) or "no error") end))
  end
end)

describe("a form of PTX with its modifiers in any order", function()
  it("is taken", on_cpu(function()
    for _ = 1, 20 do
      local words = { pick { "rn", "rz", "rm", "rp" }, "ftz", "sat", "f32" }
      for i = #words, 2, -1 do
        local j = math.random(i)
        words[i], words[j] = words[j], words[i]
      end
      assert.is_nil(error_of(pick { "add", "sub", "mul" } .. "." .. table.concat(words, ".") .. three "f32"))
    end
  end))
end)
