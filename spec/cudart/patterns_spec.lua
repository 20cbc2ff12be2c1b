-- Ten textbook programs in one, as nvcc compiles them: programs/patterns.cu.
local tool = require "spec.cudart.tool"

describe("a program for the CUDA runtime", function()
  local nvcc, why = tool.find()
  it("is right: patterns", function()
    if not nvcc then return pending(why) end
    tool.verify "patterns"
  end)
end)
