-- Finds broken rows of Markdown tables: those after a blank line or a paragraph have no header and are shown as text;
-- others have a different number of cells than their header.  Usage: lua5.4 tools/check-tables.lua FILE.md …
local failed = false

local function complain(file, line, text)
  io.stderr:write(("%s:%d: %s\n"):format(file, line, text))
  failed = true
end

-- The number of cells, from the bars that are not escaped, without the outer ones; a bar in code counts too.
local function cells(row)
  local n = 0
  for _ in row:gsub("\\|", ""):gmatch "|" do n = n + 1 end
  return n - 1
end

local function is_rule(line) return line and line:find "^%s*|[%s|:-]+|%s*$" and line:find "%-" end

for _, file in ipairs(arg) do
  local lines, code, width = {}, nil, nil
  for line in io.lines(file) do lines[#lines + 1] = line end
  for i, line in ipairs(lines) do
    local fence = line:match "^%s*(```+)"
    if fence then
      if not code then code = fence elseif #fence >= #code then code = nil end
      width = nil
    elseif not code then
      if not line:find "^%s*|" then width = nil
      elseif width then
        if cells(line) ~= width then
          complain(file, i, ("a row of %d cells in a table of %d"):format(cells(line), width))
        end
      elseif is_rule(lines[i + 1]) then width = cells(line)
      else complain(file, i, "a row of a table without a header: no blank line may stand before it") end
    end
  end
end

os.exit(not failed)
