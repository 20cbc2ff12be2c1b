-- The C unit tests (spec/units.lua) that take a second or two.
local units = require "spec.units"

describe("C unit test", function()
  for _, name in ipairs(units.others()) do
    it(name, function() units.run(name) end)
  end
end)
