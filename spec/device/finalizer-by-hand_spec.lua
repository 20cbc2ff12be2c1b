-- The finalizers of arrays, kernels and modules took whatever they were given: a number crashed the process.
local dc = require "dotcompute"
local helper = require "spec.helper"

describe("a finalizer called by a script", function()
  it("refuses values of other types", function()
    local module = dc.module "__global__ void finalized(int *o) { o[0] = 1; }"
    local objects = { dc.zeros(3), module, module.finalized }
    for i, object in ipairs(objects) do
      local gc = debug.getmetatable(object).__gc
      local other = objects[i % 3 + 1]
      for _, v in ipairs { 3, "x", {}, io.stdout, other, dc.null, false } do
        helper.fails("argument", "expected, got", function() gc(v) end)
      end
      helper.fails("argument", "expected, got no value", function() gc() end)
    end
    assert.equal(0.0, objects[1][1])
  end)
end)
