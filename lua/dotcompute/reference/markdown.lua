-- Tables in Markdown for the texts of chapters, from rows that Lua's lines can hold.
local markdown = {}

-- `rows`: { left, right } each.
function markdown.table(left, right, rows)
  local out = { ("| %s | %s |"):format(left, right), "|---|---|" }
  for k, row in ipairs(rows) do
    out[k + 2] = ("| %s | %s |"):format((row[1]:gsub("|", "\\|")), (row[2]:gsub("|", "\\|")))
  end
  return table.concat(out, "\n") .. "\n"
end

-- The options of an entry: { name, type, text } each.
function markdown.options(options)
  local rows = {}
  for k, option in ipairs(options) do rows[k] = { "`" .. option[1] .. "`", option[3] } end
  return markdown.table("option", "meaning", rows)
end

return markdown
