-- dc.using with a value that cannot be called raised Lua's plain error, located in dotcompute's init.lua; with a bad
-- device the message named a function 'switch' that no script calls.
local dc = require "dotcompute"
local helper = require "spec.helper"

describe("dc.using", function()
  it("refuses values that cannot be called, with the script's line", function()
    for _, v in ipairs { 3, "print", {}, true } do
      helper.fails("argument", "bad argument #2 to 'using': a function expected", function()
        local result = dc.using("cpu", v)
        return result
      end)
    end
    helper.fails("argument", "bad argument #1 to 'using'", function()
      local result = dc.using(nil, print)
      return result
    end)
  end)

  it("calls values with __call", function()
    local callable = setmetatable({}, { __call = function(_, a, b) return b, a end })
    local x, y = dc.using("cpu", callable, 1, 2)
    assert.same({ 2, 1 }, { x, y })
  end)
end)
