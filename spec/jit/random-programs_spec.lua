-- Random programs: as kernels they compute what they compute as plain Lua, integers and floats by their bits.
-- spec/jit/fuzz.lua runs many of them.
local check = require "spec.jit_check"
local h = require "spec.helper"

local count = tonumber(os.getenv "DOTCOMPUTE_SPEC_PROGRAMS") or 300
local only = tonumber(os.getenv "DOTCOMPUTE_SPEC_PROGRAM")

describe("random programs in Lua", function()
  it("compute the same as kernels", function()
    local reports = {}
    check.run(only or h.seed % 1000000 * 1000000, only and 1 or count, function(text) reports[#reports + 1] = text end)
    assert(#reports == 0, table.concat(reports, "\n"))
  end)
end)
