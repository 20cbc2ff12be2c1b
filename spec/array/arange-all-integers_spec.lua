-- A range over all 2^64 integers counted 0 elements and gave an empty array.
local dc = require "dotcompute"
local helper = require "spec.helper"

describe("arange over more integers than memory holds", function()
  it("is an error, up to 2^64 integers", function()
    local min, max = math.mininteger, math.maxinteger
    for _, ends in ipairs { { min, max }, { max, min, -1 }, { min, max - 1 }, { min, max, 2 } } do
      helper.fails("memory", "more than memory holds", function()
        dc.arange(ends[1], ends[2], ends[3] or 1, "int64")
      end)
    end
  end)
end)
