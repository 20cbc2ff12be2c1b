-- Every Lua example in the documentation runs as it stands.
local helper = require "spec.helper"

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

local pages = {}
for path in helper.shell("ls README.md docs/*.md"):gmatch "%S+" do pages[#pages + 1] = path end

describe("documentation", function()
  it("has examples", function()
    for _, path in ipairs { "README.md", "docs/guide.md", "docs/api.md", "docs/tutorial.md", "docs/errors.md" } do
      assert(#examples(path) > 0, path)
    end
  end)
end)

for _, path in ipairs(pages) do
  describe(path, function()
    local list = examples(path)
    for _, e in ipairs(list) do
      it(("runs its example at line %d"):format(e.line), function()
        local compiler, tile = require "dotcompute.core".compiler(), e.code:find("cuda_tile.h", 1, true)
        if tile and not compiler.tile then return pending(compiler.why_no_tile) end
        local sanitizer = tile and 'ASAN_OPTIONS="${ASAN_OPTIONS:-}:replace_intrin=0" ' or "" -- as kernel/tile_spec.lua
        local name = helper.temporary(e.code, "\n")
        local pipe = assert(io.popen(("%s'%s' %s 2>&1"):format(sanitizer, helper.dclua, name)))
        local text = pipe:read "a"
        local ok = pipe:close()
        os.remove(name)
        assert(ok, text)
      end)
    end
  end)
end
