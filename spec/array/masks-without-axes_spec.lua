-- Masks without axes were refused; as in NumPy they select the whole array, or nothing of it, along a new first axis.
local dc = require "dotcompute"
local h = require "spec.helper"
local yes, no = dc.array(true), dc.array(false)

describe("a mask without axes", function()
  it("selects all or nothing along a new axis", function()
    for _, shape in ipairs { {}, { 3 }, { 2, 3 }, { 0, 3 } } do
      local a = dc.random.normal(shape):eval()
      local all = a[yes]
      assert.same({ 1, table.unpack(shape) }, { all:shape() })
      assert.is_true(dc.equal(all, a:reshape(1, table.unpack(shape))))
      assert.same({ 0, table.unpack(shape) }, { a[no]:shape() })
      assert.is_true(dc.equal((a * 2)[dc.array(1):gt(0)], all * 2))
      assert.is_true(dc.equal(a.T[yes], a.T:reshape(1, a.T:shape())))
    end
    local a = dc.arange(1, 6):reshape(2, 3)
    assert.same({ { 1, 2, 3 } }, a[{ yes, 1 }]:to_table())
    assert.same({ { 1, 2, 3 } }, a[{ 1, yes }]:to_table())
    assert.same({ { { 1, 2, 3 } }, { { 4, 5, 6 } } }, a[{ ":", yes }]:to_table())
    assert.same({ { 4, 5, 6 }, { 1, 2, 3 } }, a[{ dc.array({ 2, 1 }, "int32"), yes }]:to_table())
    assert.same({ 0, 2 }, { a[{ no, ":", 2 }]:shape() })
    h.fails("shape", "do not broadcast", function() return a[{ dc.array({ 2, 1 }, "int32"), no }] end)
  end)

  it("writes all or nothing", function()
    local a = dc.zeros(2, 3)
    a[no] = 7
    a[no] = dc.ones(3)
    assert.equal(0, a:sum():item())
    a[yes] = { 1, 2, 3 }
    assert.same({ { 1, 2, 3 }, { 1, 2, 3 } }, a:to_table())
    a[yes] = 5
    assert.equal(30, a:sum():item())
    h.fails("shape", "does not broadcast", function() a[no] = { 1, 2 } end)
    h.fails("dtype", "out of range", function() a[no] = 1e39 end)
    local one = dc.array(3)
    one[no] = 4
    assert.equal(3, one:item())
    one[yes] = 4
    assert.equal(4, one:item())
    one[yes] = dc.array { 5 }
    assert.equal(5, one:item())
    h.fails("index", "a mask of shape", function() one[dc.array { true }] = 1 end)
    h.fails("index", "no axis to index", function() return one[dc.array(1, "int32")] end)
  end)
end)

describe("a mask with an extent of 0", function()
  it("selects nothing, in the shape that a larger one gives", function()
    for _, shape in ipairs { { 0 }, { 0, 3 }, { 3, 0 }, { 0, 0 }, { 2, 0, 3 } } do
      local a = dc.zeros(shape)
      for k = 1, #shape do
        local front = table.move(shape, 1, k, 1, {})
        local want = { 0, table.unpack(shape, k + 1) }
        for _, mask in ipairs { dc.zeros(front, "bool"), dc.zeros(front):eq(1) } do
          if mask.size == 0 then
            assert.same(want, { a[mask]:shape() })
            assert.same(want, { a[{ mask }]:shape() })
            a[mask] = 1
            a[{ mask }] = dc.zeros(1)
          end
        end
      end
    end
    h.fails("index", "does not fit", function() return dc.zeros(2, 3)[dc.zeros(0, 3, "bool")] end)
  end)
end)
