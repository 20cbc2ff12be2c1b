-- Whole programs for nvcc whose kernels use Thrust, CUB or cooperative groups: each takes seconds to compile.
local dc = require "dotcompute"
local helper = require "spec.helper"

describe("a program with a library", function()
  for name, program in pairs(helper.programs "spec/data/nvcc-libraries.cu") do
    it(("of the form '%s' gives its kernels"):format(name), function()
      local names = helper.with_file(program.text, dc.module_file):kernels()
      table.sort(names)
      assert.same(program.kernels, names)
    end)
  end
end)
