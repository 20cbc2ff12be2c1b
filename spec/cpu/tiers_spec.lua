-- The kernel suite runs on both tiers of the CPU device, each in a process of its own, and their results have the same
-- bits. Where the order of atomics shows in the last bits both are compared with the reference instead.
local helper = require "spec.helper"
local kernels = require "spec.kernels"

-- The line that each kernel got, by name.
local function run(tier)
  local text = helper.shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=%d %s spec/kernels_run.lua %d"):format(tier,
    helper.quote(helper.lua), helper.seed))
  local lines = {}
  for name, words in text:gmatch "([%w_]+)\t([^\n]*)" do lines[name] = words end
  return lines, text
end

describe("tiers 0 and 1", function()
  local lines, texts = {}, {}
  setup(function()
    for tier = 0, 1 do lines[tier], texts[tier] = run(tier) end
  end)

  it("run no launch natively, and all", function()
    local all, interpreted = texts[0]:match "#\t(%d+) launches, (%d+) interpreted"
    assert.equal(all, interpreted, helper.note())
    assert.equal("0 interpreted: ", texts[1]:match "#\t%d+ launches, (%d+ interpreted: [^\n]*)", helper.note())
  end)

  for _, name in ipairs(kernels.names()) do
    it("agree on " .. name, function()
      for tier = 0, 1 do
        assert(lines[tier][name], helper.note(("tier %d says nothing: %s"):format(tier, texts[tier])))
        assert.not_matches("^failed", lines[tier][name], helper.note("tier " .. tier))
      end
      assert.equal(lines[0][name], lines[1][name], helper.note())
    end)
  end
end)
