-- tostring of a 0-d array was a description and its number, `..` an error of Lua's, and math.floor's message did not
-- say how to read the number.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

describe("a 0-d array", function()
  it("converts to text like its number", function()
    for _, dtype in ipairs { "int8", "int64", "uint16", "int32" } do
      local v = math.random(0, 127)
      assert.equal(tostring(v), tostring(dc.array(v, dtype)))
    end
    for _, dtype in ipairs { "float32", "float64" } do
      local v = math.random(-1000, 1000)
      assert.equal(tostring(v + 0.0), tostring(dc.array(v, dtype)))
      assert.equal(tostring(v / 8), tostring(dc.array(v / 8, dtype)))
    end
    assert.equal("0.1", tostring(dc.array(0.1))) -- the digits that float32 has
    assert.equal("1e+20", tostring(dc.array(1e20)))
    assert.equal("inf", tostring(dc.array(math.huge)))
    assert.equal("nan", tostring(dc.array(0 / 0)))
    assert.equal("true", tostring(dc.array(true)))
    assert.equal("18446744073709551615", tostring(dc.from_bytes(("\255"):rep(8), {}, "uint64")))
    assert.equal("1.5-2i", tostring(dc.array(dc.complex(1.5, -2))))
    assert.equal("6.0", tostring(dc.array { 1, 2, 3 }:sum()))
    assert.equal("sum 6.0", ("sum %s"):format(dc.array { 1, 2, 3 }:sum()))
    assert.matches("^float32 array %(1,%) on ", tostring(dc.array { 5 })) -- an axis: an array's text
  end)

  it("is joined with text by ..", function()
    local n = math.random(1000)
    local a = dc.array(n, "int32")
    assert.equal("n = " .. n, "n = " .. a)
    assert.equal(n .. " rows", a .. " rows")
    assert.equal(("%d%d"):format(n, n), a .. a)
    assert.equal("1" .. n, 1 .. a)
    local row = dc.array { 1, 2 }
    assert.equal("row: " .. tostring(row), "row: " .. row)
    fails("argument", "'%.%.' joins arrays with strings and numbers, got nil", function() return a .. nil end)
    fails("argument", "'%.%.' joins arrays with strings and numbers, got a table", function() return {} .. a end)
    a:close()
    fails("argument", "closed", function() return "n = " .. a end)
  end)

  it("is explained where Lua's functions need a number", function()
    local a = dc.array(2.5)
    for _, call in ipairs { function() return math.floor(a) end, function() return ("%f"):format(a) end,
      function() return ("x"):rep(a) end } do
      local ok, err = pcall(call)
      assert.is_false(ok)
      assert.matches("number expected, got dotcompute%.array %(a:item%(%) reads its number%)", err)
    end
    assert.is_nil(tonumber(a))
    fails("launch", "^[^\n]*array:item%(%) cannot", function() dc.graph(function() return a:item() end) end)
  end)
end)
