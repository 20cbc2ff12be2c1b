-- Checks lines of text: no tabs, no blanks at the end, at most 120 columns.
-- Usage: lua5.4 tools/check-lines.lua FILE...
local bad = 0

for _, path in ipairs(arg) do
  local n = 0
  for line in io.lines(path) do
    n = n + 1
    local columns = utf8.len(line) or #line
    local complaint = line:find "\t" and "a tab" or line:find "%s$" and "blanks at the end of the line"
      or columns > 120 and ("%d columns, 120 are the limit"):format(columns)
    if complaint then
      bad = bad + 1
      print(("%s:%d: %s"):format(path, n, complaint))
    end
  end
end
os.exit(bad == 0)
