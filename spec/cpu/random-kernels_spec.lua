-- Random kernels (spec/random/) give the same bits on both tiers of the CPU device. For a longer hunt, or other
-- instruction sets and devices, run spec/random/run.lua twice and compare what it prints.
local helper = require "spec.helper"

local COUNT = tonumber(os.getenv "DOTCOMPUTE_SPEC_KERNELS") or 12
local first = helper.seed % 1000000 * 1000

-- What each seed printed, and the whole text.
local function run(tier)
  local text = helper.shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=%d DOTCOMPUTE_LOG=compile %s "
    .. "spec/random/run.lua --tiers %d %d"):format(tier, helper.quote(helper.lua), first, COUNT))
  local lines = {}
  for seed, words in text:gmatch "%f[^\n\0](%d+)\t([^\n]*)" do lines[tonumber(seed)] = words end
  return lines, text
end

describe("a random kernel", function()
  local lines, texts = {}, {}
  setup(function()
    for tier = 0, 1 do lines[tier], texts[tier] = run(tier) end
  end)

  it("gives the same bits on tiers 0 and 1", function()
    local different = {}
    for seed = first, first + COUNT - 1 do
      local a, b = lines[0][seed], lines[1][seed]
      if not a or a:find "failed" or not b or a:gsub(" tier=%d", "") ~= b:gsub(" tier=%d", "") then
        different[#different + 1] = ("seed %d: %s, at tier 1 %s"):format(seed, a, b)
      end
    end
    assert.equal(0, #different, helper.note(table.concat(different, "\n") .. "\n" .. texts[0]:sub(-300)))
  end)

  it("compiles as C, and mostly runs at tier 1", function()
    assert.not_matches("native: %x+ failed", texts[1], helper.note())
    local compiled, launches = 0, 0
    for _, words in pairs(lines[1]) do
      for tier in words:gmatch "tier=(%d)" do
        launches = launches + 1
        compiled = compiled + (tier == "1" and 1 or 0)
      end
    end
    if not texts[1]:find "no compiler" then
      assert.is_true(compiled * 2 > launches, helper.note(("%d of %d launches"):format(compiled, launches)))
    end
  end)
end)
