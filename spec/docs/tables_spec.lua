-- A blank line in the middle of a Markdown table ends it: the rows after it are shown as text.
local helper = require "spec.helper"
local lua = helper.lua

local function check(text)
  local name = helper.temporary(text)
  local said, code = helper.shell(("%s tools/check-tables.lua %s"):format(helper.quote(lua), name))
  os.remove(name)
  return code, said
end

describe("tables of the documentation", function()
  it("are complete", function()
    local said, code = helper.shell(helper.quote(lua) .. " tools/check-tables.lua *.md docs/*.md")
    assert.equal(0, code, said)
  end)

  it("are checked for rows without a header and for rows of another width", function()
    assert.equal(0, check "| a | b |\n|---|---|\n| 1 | `x \\| y` |\n\ntext | with a bar\n")
    assert.equal(0, check "```\n| no | table |\n```\n")
    local code, said = check "| a | b |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |\n"
    assert.equal(1, code)
    assert.truthy(said:find ":5: a row of a table without a header", said)
    code, said = check "| a | b |\n|---|---|\n| 1 | 2 | 3 |\n"
    assert.equal(1, code)
    assert.truthy(said:find ":3: a row of 3 cells in a table of 2", said)
  end)
end)
