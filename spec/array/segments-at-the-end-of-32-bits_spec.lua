-- In a row of a little less than 2^31 elements the last segment ended past the greatest 32-bit index: it was summed
-- several times, or not at all.
local dc = require "dotcompute"

describe("a row that ends near 2^31", function()
  it("has every element reduced once", function()
    for _, n in ipairs { (1 << 31) - 100000, (1 << 31) - (1 << 16) - 1, (1 << 31) - (1 << 19), 1 << 31 } do
      local ones = dc.ones(1, "int8"):broadcast_to(n)
      assert.equal(n, ones:sum():item())
      assert.equal(1, ones:max():item())
    end
  end)
end)
