-- reduce and segmented_reduce by functions of the script, against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

local function offsets_of(n, most)
  local list = { 1 }
  while list[#list] < n + 1 do list[#list + 1] = math.min(n + 1, list[#list] + math.random(0, most)) end
  if math.random(2) == 1 then list[#list + 1] = n + 1 end
  return list
end

local function fold(t, first, last, fn, init)
  local v = init
  for i = first, last do
    if v == nil then v = t[i] else v = fn(v, t[i]) end
  end
  return v
end

local function larger(p, q)
  if p > q then return p end
  return q
end
local function add(p, q) return p + q end

describe("segmented_reduce", function()
  it("folds each segment, from none to many pieces long", function()
    h.each_way(function()
      for _, n in ipairs { 0, 1, 31, 32, 33, 256, 257, 5000, 16384, 16385, math.random(40000, 90000) } do
        for _, most in ipairs { 1, 12, 900, 30000, 200000 } do
          local t, offsets = h.ints(n), offsets_of(n, most)
          local got = dc.array(t, "int32"):segmented_reduce(offsets, add, { init = 7, dtype = "int64" })
          assert.equal("int64", got.dtype)
          local most_got = dc.array(t, "int32"):segmented_reduce(offsets, larger, -2000)
          assert.equal("int32", most_got.dtype)
          local want, largest = {}, {}
          for k = 1, #offsets - 1 do
            want[k] = fold(t, offsets[k], offsets[k + 1] - 1, add, 7)
            largest[k] = fold(t, offsets[k], offsets[k + 1] - 1, larger, -2000)
          end
          local text = ("%d elements, segments of up to %d"):format(n, most)
          h.same(want, got:to_table(), text)
          h.same(largest, most_got:to_table(), text)
        end
      end
    end)
  end)

  it("folds without an initial value where no segment is empty", function()
    h.each_way(function()
      local got = dc.segmented_reduce({ 5, 3, 8, 1 }, { 1, 2, 5 }, larger)
      assert.same({ 5, 8 }, got:to_table())
    end)
  end)

  it("takes other dtypes, and folds in one that is named", function()
    h.each_way(function()
      local x = dc.array({ 100, 100, 100 }, "int8")
      assert.same({ -56, 100 }, x:segmented_reduce({ 1, 3, 4 }, function(p, q) return p + q end):to_table())
      local bools = dc.array { true, false, false }
      assert.same({ true, false }, bools:segmented_reduce({ 1, 3, 4 }, function(p, q) return p or q end):to_table())
      local half = dc.array({ 0.5, 2, 4 }, "float16")
      assert.same({ 1, 4 }, half:segmented_reduce({ 1, 3, 4 }, function(p, q) return p * q end):to_table())
      local wide = x:segmented_reduce({ 1, 4 }, add, { dtype = "float64", init = 0.5 })
      assert.equal("float64", wide.dtype)
      assert.same({ 300.5 }, wide:to_table())
    end)
  end)
end)

describe("reduce", function()
  it("folds all elements, of any shape and layout", function()
    h.each_way(function()
      for _, n in ipairs { 1, 2, 300, 16384, 16385, 100000 } do
        local t = h.ints(n)
        assert.equal(fold(t, 1, n, larger), dc.array(t, "int32"):reduce(larger):item())
        assert.equal(fold(t, 1, n, add, 3), dc.array(t, "int32"):reduce(add, 3):item())
      end
    end)
    local a = dc.arange(1, 24):reshape(2, 3, 4)
    assert.equal(300, a:transpose(3, 1, 2):reduce(add):item())
    assert.equal(24, dc.reduce(a * 1, larger):item())
    assert.equal(0, a:reduce(add).ndim)
    assert.equal(9, dc.reduce({ 4, 5 }, add):item())
    assert.equal(4, dc.array(4):reduce(add):item())
  end)

  it("gives the initial value for no elements", function()
    assert.equal(2.5, dc.zeros(0):reduce(add, 2.5):item())
    fails("shape", "an array without elements has no result; give an initial value", function()
      dc.zeros(0):reduce(add)
    end)
    fails("shape", "a segment without elements has no result", function()
      dc.ones(3):segmented_reduce({ 1, 1, 4 }, add)
    end)
    assert.equal(0, dc.zeros(0):segmented_reduce({ 1 }, add).size)
  end)

  it("propagates NaN and infinities as the function does", function()
    local x = dc.array { 1, 0 / 0, 2 }
    local sum = x:reduce(add):item()
    assert.is_true(sum ~= sum)
    assert.equal(3, x:reduce(function(p, q) return (p == p and p or 0) + (q == q and q or 0) end):item())
    assert.equal(math.huge, dc.ones(3):reduce(add, math.huge):item())
  end)

  it("refuses what is no operator", function()
    local x = dc.array({ 1, 2 }, "int32")
    fails("argument", "the operator: a Lua function expected, got the string '%+'", function() x:reduce "+" end)
    fails("argument", "takes a function of two elements", function() x:reduce() end)
    fails("argument", "a function of two elements, this one has 3 parameters", function()
      x:reduce(function(p, q, r) return p + q + r end)
    end)
    fails("compile", "returns a boolean here, but reduce makes one int32 of two", function()
      x:reduce(function(p, q) return p < q end)
    end)
    fails("compile", "returns float32 here, but reduce makes one int32 of two", function()
      x:reduce(function(p, q) return 0.5 * (p + q) end)
    end)
    fails("compile", "returns 2 values", function() x:reduce(function(p, q) return p, q end) end)
    fails("argument", "the initial value is a number, got", function() x:reduce(add, {}, {}) end)
    fails("argument", "the initial value is a number, got", function() x:reduce(add, true) end)
    fails("argument", "the initial value is a boolean, got", function()
      dc.array({ true }):reduce(function(p, q) return p or q end, 1)
    end)
    fails("dtype", "the initial value 0.5 is no int32", function() x:reduce(add, 0.5) end)
    fails("dtype", "the initial value 300 is no int8", function() x:to "int8":reduce(add, 300) end)
    fails("dtype", "'int33' is no dtype", function() x:reduce(add, { dtype = "int33" }) end)
    fails("dtype", "does not convert from or to complex numbers", function()
      dc.zeros(2, "complex64"):reduce(add, { dtype = "float32" })
    end)
    fails("argument", "offset 3 is 2 after 3", function() x:segmented_reduce({ 1, 3, 2, 3 }, add) end)
    fails("shape", "segments are those of a 1%-d array", function()
      dc.zeros(2, 2):segmented_reduce({ 1, 5 }, add)
    end)
  end)

  it("can be captured in a graph", function()
    for _, n in ipairs { 100, 40000 } do
      local x, sum = dc.ones(n, "int32"), nil
      x:reduce(add, 1)
      local graph = dc.graph(function() sum = x:reduce(add, 1) end)
      x:fill(3)
      graph()
      assert.equal(3 * n + 1, sum:item())
    end
  end)

  it("leaves no memory behind", function()
    local t = dc.array(h.ints(50000), "int32")
    h.gives_back(function()
      t:reduce(add):close()
      t:segmented_reduce({ 1, 20000, 50001 }, larger):close()
      pcall(t.reduce, t, function(p, q) return p < q end)
    end)
  end)
end)
