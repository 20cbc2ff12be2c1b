-- Every example of the reference runs, and its values are those that it shows.
local dc = require "dotcompute"
local example = require "spec.docs.example"
local reference = require "dotcompute.reference"

local compiler = require "dotcompute.core".compiler()

describe("the examples of the reference", function()
  local seen = {}
  for _, entry in ipairs(reference.entries()) do
    if entry.example and not seen[entry.example] then
      seen[entry.example] = true
      it(("of %s in chapter %s"):format(entry.name, entry.chapter.name), function()
        local tiles = entry.places[1] == "dc.tiles" and entry.name ~= "grid"
        if tiles and not compiler.tile then return pending(compiler.why_no_tile) end
        local _, complaints = example.run(entry.example, { dc = dc })
        assert.equal("", table.concat(complaints, "\n"))
      end)
    end
  end
end)

-- What the examples are checked by.
describe("an example", function()
  local function complaints(code)
    local count, list = example.run(code, { x = 5 })
    return count, table.concat(list, "\n")
  end

  it("is right where its values are", function()
    local count, text = complaints [[
local a = x + 1        --> 6
a, "text", { 1, { 2 } }   --> 6, text, {1, {2}}
print(a, a + 1)        --> 6 7
("x"):rep(
  3)                   --> "xxx"
1 / 3                  --> 0.333
12.0                   --> 12
error({ kind = "shape" })   --> error shape
tostring(print)        --> function: …
]]
    assert.equal("", text)
    assert.equal(8, count)
  end)

  it("is wrong where a value is another, it raises, or it is no Lua", function()
    for code, complaint in pairs {
      ["x  --> 6"] = "but it is 5", ["1 / 3 --> 0.334"] = "but it is 0.33", ["print(1) --> 2"] = "printed: 1",
      ["{1, 2} --> {1, 3}"] = "but it is", ["1, 2 --> 1"] = "but it is 1, 2", ["error 'no'"] = "no",
      ["x --> error shape"] = "no error", ["error({kind = 'io'}) --> error shape"] = "error io",
      ["x y"] = "not a statement", ["x y --> 1"] = "cannot check",
    } do
      local _, text = complaints(code)
      assert.is_true(text:find(complaint, 1, true) ~= nil, code .. ": " .. text)
    end
  end)
end)
