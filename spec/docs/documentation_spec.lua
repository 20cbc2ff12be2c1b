-- Every Lua example on a page of the documentation runs as it stands. Those of the pages in docs/reference/ are run by
-- reference-examples_spec.lua.
local helper = require "spec.helper"

-- The blocks of Lua of a page, with their lines.
local function examples(path)
  local f = assert(io.open(path))
  local list, code, first = {}, nil, nil
  local n = 0
  for line in f:lines() do
    n = n + 1
    if code and line:match "^```" then
      list[#list + 1] = { line = first, code = table.concat(code, "\n") }
      code = nil
    elseif code then
      code[#code + 1] = line
    elseif line:match "^```lua" then
      code, first = {}, n
    end
  end
  f:close()
  return list
end

-- The pages with examples, and their examples.
local pages = {}
for path in helper.shell "ls README.md docs/*.md":gmatch "[^\n]+" do
  local list = examples(path)
  if #list > 0 then pages[#pages + 1] = { path = path, list = list } end
end

it("the documentation has pages with examples", function()
  local found = {}
  for _, page in ipairs(pages) do found[page.path] = true end
  for _, path in ipairs { "README.md", "docs/guide.md", "docs/api.md" } do assert.is_true(found[path], path) end
end)

for _, page in ipairs(pages) do
  describe(page.path, function()
    for _, e in ipairs(page.list) do
      it(("runs its example at line %d"):format(e.line), function()
        helper.with_file(e.code .. "\n", function(name)
          local text, code = helper.shell(helper.quote(helper.dclua) .. " " .. name)
          assert.equal(0, code, text)
        end)
      end)
    end
  end)
end
