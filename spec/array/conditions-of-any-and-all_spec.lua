-- `if a:gt(100):any() then` was always true: over all elements, any and all gave an array.
local dc = require "dotcompute"
local h = require "spec.helper"

describe("any and all", function()
  it("give a Lua boolean over everything", function()
    for _, shape in ipairs { {}, { 1 }, { 7 }, { 3, 5 }, { math.random(1000, 5000) } } do
      local n = 1
      for _, extent in ipairs(shape) do n = n * extent end
      local t, some, every = {}, false, true
      local odds = math.random(3)
      for i = 1, n do
        t[i] = odds == 3 and math.random(2) == 1 or odds == 2
        some, every = some or t[i], every and t[i]
      end
      local a = dc.array(t):reshape(shape)
      for _, e in ipairs { a, a:to "int32", a:to "float32" * 2 } do
        for _, how in ipairs { {}, { {} } } do
          assert.equal(some, e:any(table.unpack(how)), h.note())
          assert.equal(every, e:all(table.unpack(how)), h.note())
          assert.equal(some, dc.any(e, table.unpack(how)), h.note())
          assert.equal(every, dc.all(e, table.unpack(how)), h.note())
        end
      end
    end
    assert.is_false(dc.zeros(0):any())
    assert.is_true(dc.zeros(0):all())
    local taken
    if dc.arange(1, 50):gt(100):any() then taken = true end
    assert.is_nil(taken)
  end)

  it("give bool arrays with axes or keep", function()
    local a = dc.array { { true, false }, { true, true } }
    assert.same({ true, true }, a:any(1):to_table())
    assert.same({ true, false }, dc.all(a, 1):to_table())
    assert.same({ { false }, { true } }, a:all { 2, keep = true }:to_table())
    assert.same({ { true } }, a:any { keep = true }:to_table())
    assert.same({ { false } }, a:all(nil, { keep = true }):to_table())
    local whole = a:all { 1, 2 } -- axes are named: a 0-d array
    assert.equal("bool", whole.dtype)
    assert.equal(0, whole.ndim)
    assert.is_false(whole:item())
  end)

  it("over everything cannot be captured, since they are computed at once", function()
    local a = dc.ones(4)
    h.fails("launch", "any", function() dc.graph(function() return a:any() end) end)
  end)
end)
