-- Launches in all their forms, as nvcc compiles them: programs/launches.cu.
local tool = require "spec.cudart.tool"

describe("a program for the CUDA runtime", function()
  local nvcc, why = tool.find()
  it("is right: launches", function()
    if not nvcc then return pending(why) end
    tool.verify "launches"
  end)
end)
