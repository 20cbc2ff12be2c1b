-- Textures, surfaces and copies of arrays, as nvcc compiles them: programs/textures.cu.
local tool = require "spec.cudart.tool"

describe("a program for the CUDA runtime", function()
  local nvcc, why = tool.find()
  it("is right: textures", function()
    if not nvcc then return pending(why) end
    tool.verify "textures"
  end)
end)
