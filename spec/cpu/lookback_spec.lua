-- Thrust's algorithms, written with CUB's block and warp parts and decoupled look-back (spec/lookback/): with 1, 2
-- and 4 threads on both tiers of the CPU device, each in a process of its own; once on a GPU. A longer search:
-- DOTCOMPUTE_SPEC_RUNS=1000 makes 1000 runs of each program, on ten inputs of 10^5 elements;
-- DOTCOMPUTE_SPEC_PROGRAMS is a pattern that selects programs by name, DOTCOMPUTE_SPEC_TIERS=1 a tier.
local helper = require "spec.helper"
local dc = require "dotcompute"

local hunt = tonumber(os.getenv "DOTCOMPUTE_SPEC_RUNS")
local pattern = os.getenv "DOTCOMPUTE_SPEC_PROGRAMS" or ""
local PROGRAMS <const> = 39

-- What a process with this environment prints, and its status.
local function run(environment, tier)
  local n, inputs, runs = 20000, 1, tier == "0" and 1 or 5
  if hunt then
    inputs = math.min(10, hunt)
    n, runs = 100000, (hunt + inputs - 1) // inputs
  end
  return helper.shell(("%s %s spec/lookback/run.lua %d %d %d %d %s"):format(environment,
    helper.quote(helper.lua), helper.seed, n, inputs, runs, helper.quote(pattern)))
end

-- Asserts that every program was right in every run.
local function verify(environment, tier)
  local text, code = run(environment, tier)
  local failed, count = {}, 0
  for name, wrong, made, first in text:gmatch "([%w_]+)\t(%d+)\t(%d+)\t([^\n]*)" do
    count = count + 1
    if wrong ~= "0" then
      failed[#failed + 1] = ("%s: %s of %s runs wrong; %s"):format(name, wrong, made, first)
    end
  end
  local said = helper.note(environment) .. "\n"
  assert(#failed == 0, said .. table.concat(failed, "\n"))
  assert(code == 0 and text:find "\nend\t", said .. text)
  if pattern == "" then assert.equal(PROGRAMS, count, said .. text) end
end

describe("Thrust's algorithms by look-back and merge path", function()
  if dc.device().backend == "cuda" then
    it("are right", function() verify("", "gpu") end)
    return
  end
  for tier in (os.getenv "DOTCOMPUTE_SPEC_TIERS" or "01"):gmatch "." do
    for _, threads in ipairs { 1, 2, 4 } do
      it(("are right at tier %s with %d threads"):format(tier, threads), function()
        verify(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=%s DOTCOMPUTE_CPU_THREADS=%d"):format(tier, threads), tier)
      end)
    end
  end
end)
