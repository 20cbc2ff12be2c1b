-- Every form of the CPU device's table of instructions on numbers (ptx_forms.def) gives what the PTX ISA defines: all
-- are interpreted, and a random choice, another one in each run, is native code.
local helper = require "spec.helper"

-- Runs forms in random order, as many in a kernel as the second argument says, up to the third one's number of them.
local script = [[
math.randomseed(tonumber(arg[1]))
local floats, integers, harness = require "spec.ptx.floats", require "spec.ptx.integers", require "spec.ptx.harness"
local together, most = tonumber(arg[2]), tonumber(arg[3])
local list = require "spec.ptx.table"()
for i = #list, 2, -1 do
  local j = math.random(i)
  list[i], list[j] = list[j], list[i]
end
print(#list > 5000 and "" or "the table has few forms")
for i = 1, math.min(most, #list), together do
  local forms = {}
  for j = i, math.min(i + together - 1, most, #list) do
    local parts = floats.parts(list[j])
    forms[#forms + 1] = { list[j], floats.form(parts) or integers.form(parts) or error("no reference for " .. list[j]) }
  end
  local ok, err = pcall(harness.check_together, forms, 40)
  if not ok then print((tostring(err):gsub("\n.*", ""))) end
end
]]

local function check(tier, together, most)
  local text, code = helper.on_cpu("TIER=" .. tier, script, helper.seed, together, most)
  assert.equal("\n", text, helper.note("tier " .. tier))
  assert.equal(0, code)
end

describe("special registers of PTX", function()
  it("have their values in native code", function()
    local text = helper.on_cpu("TIER=1", [[
math.randomseed(tonumber(arg[1]))
local control = require "spec.ptx.control"
local names = { "%lanemask_le", "%lanemask_ge", "%lanemask_gt" }
local all = {}
for name in pairs(control.specials) do all[#all + 1] = name end
table.sort(all)
for _ = 1, 4 do names[#names + 1] = all[math.random(#all)] end
for _, name in ipairs(names) do control.special(name) end
]], helper.seed)
    assert.equal("", text, helper.note())
  end)
end)

describe("the table of PTX forms", function()
  it("holds for all of its forms, interpreted", function() check(0, 40, 100000) end)
  it("holds for some of its forms as native code", function() check(1, 40, 200) end)
end)
