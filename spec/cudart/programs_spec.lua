-- Programs written for the CUDA runtime verify themselves on the CPU device (other specs here have one each). Those
-- about Thrust and CUB, which take nvcc up to a minute each, run where DOTCOMPUTE_SPEC_THRUST is set.
local tool = require "spec.cudart.tool"

describe("a program for the CUDA runtime", function()
  local nvcc, why = tool.find()
  local names = { "memory", "warps" }
  if os.getenv "DOTCOMPUTE_SPEC_THRUST" then table.move(tool.long, 1, #tool.long, #names + 1, names) end

  for _, name in ipairs(names) do
    it("is right: " .. name, function()
      if not nvcc then return pending(why) end
      tool.verify(name)
    end)
  end
end)
