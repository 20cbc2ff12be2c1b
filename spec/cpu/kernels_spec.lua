-- The kernel suite (spec/kernels/): complete kernels of many fields, each against plain C on random data.
local helper = require "spec.helper"
local kernels = require "spec.kernels"

describe("kernel", function()
  for _, name in ipairs(kernels.names()) do
    it(name .. " gives the results of plain C", function()
      local why = kernels.unsuited(name)
      if why then return pending(why) end
      for i = 0, 1 do kernels.verify(name, helper.seed + i) end
    end)
  end
end)
