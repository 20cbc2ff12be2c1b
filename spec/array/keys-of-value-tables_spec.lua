-- Elements beyond a hole, t[0], and fields of rows and of operands were dropped: dc.sum{1, 2, axis = 1} summed all, and
-- x + {1, 2, n3 = 3} added two numbers.
local dc = require "dotcompute"
local fails = require "spec.helper".fails

local function refused(key, make) fails("argument", "has [%a ]*'?" .. key .. "'? as a key", make) end

describe("a table of values with other keys", function()
  it("is an error at every level", function()
    refused("4", function() dc.array { 1, 2, [4] = 3 } end)
    refused("0", function() dc.array { [0] = 1, 2 } end)
    refused("1.5", function() dc.array { 1, 2, [1.5] = 3 } end)
    refused("true", function() dc.array { 1, [true] = 3 } end)
    refused("7", function()
      local t = { 1, 2 }
      t[7] = 1
      dc.array(t)
    end)
    fails("argument", "t%[2%] has the string 'x' as a key", function() dc.array { { 1, 2 }, { 3, 4, x = 5 } } end)
    fails("argument", "t%[1%]%[2%] has the number 3 as a key", function()
      dc.array { { { 1 }, { 2, [3] = 1 } }, { { 3 }, { 4 } } }
    end)
  end)

  it("is an error as an operand, and as what is written", function()
    local x = dc.zeros(3)
    refused("axis", function() dc.sum { 1, 2, 3, axis = 1 } end)
    refused("descending", function() dc.sort { 3, 1, 2, descending = true } end)
    refused("x", function() return x + { 1, 2, 3, x = 1 } end)
    refused("dtype", function() return x + { dtype = "int8" } end)
    refused("x", function() x[":"] = { 1, 2, 3, x = 1 } end)
    assert.same({ 0, 0, 0 }, x:to_table())
  end)

  it("may have them in any order, those of table.pack, and those that a metatable makes", function()
    local backwards, sparse = {}, {}
    for i = 9, 1, -1 do backwards[i] = i end
    for i = 1, 9 do sparse["k" .. i], sparse[i] = i, i end
    for i = 1, 9 do sparse["k" .. i] = nil end
    for _, t in ipairs { backwards, sparse } do assert.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9 }, dc.array(t):to_table()) end
    assert.same({ { 1, 2 }, { 3, 4 } }, dc.array { table.pack(1, 2), table.pack(3, 4) }:to_table())
    local made = setmetatable({}, { __len = function() return 3 end, __index = function(_, i) return 2 * i end })
    assert.same({ 2, 4, 6 }, dc.array(made):to_table())
    assert.same({ { 2, 4, 6 } }, dc.array { made }:to_table())
  end)
end)

describe("an index or a shape with other keys", function()
  it("is an error: a[{row = 1}] = 0 wrote the whole array", function()
    local a = dc.zeros(2, 3)
    for _, key in ipairs { { row = 1 }, { 1, x = 2 }, { 1, [3] = 2 }, { { 1, 2, step = 1 } }, { [0] = 1 },
      { dc.array({ 1 }, "int32"), x = 1 } } do
      fails("index", "an index is a list.* as a key", function() return a[key] end)
      fails("index", "an index is a list.* as a key", function() a[key] = 1 end)
    end
    assert.equal(0, a:sum():item())
    assert.equal(0, a[table.pack(1, 2)])
    fails("shape", "a shape is a list of extents, {2, 3}; this one has the number 3 as a key", function()
      dc.zeros { 2, [3] = 3 }
    end)
    fails("shape", "the number 3 as a key", function() a:reshape { 6, [3] = 1 } end)
    assert.equal("int8", dc.zeros({ 2, 3, dtype = "int8" }).dtype)
  end)
end)
