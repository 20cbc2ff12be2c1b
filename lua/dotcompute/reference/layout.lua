-- Markdown as plain text in lines of a given width.
local layout = {}

-- Markdown of one paragraph without its signs: links are their text, code and bold text are plain.
local function plain(text)
  return (text:gsub("%[([^%[%]]*)%]%([^%(%)%s]*%)", "%1"):gsub("`` ?(.-) ?``", "%1"):gsub("`([^`]*)`", "%1")
    :gsub("%*%*(.-)%*%*", "%1"))
end

-- The characters that a text takes on the screen.
local function width_of(text) return utf8.len(text) or #text end

-- The beginning of a text, in one line, with at most `most` characters.
function layout.cut(text, most)
  text = plain(text):gsub("%s+", " "):match "^ ?(.-) ?$"
  if width_of(text) <= most then return text end
  local last = utf8.offset(text, most)
  return text:sub(1, (last or most) - 1):gsub("%s*%S*$", "") .. " …"
end

-- Words in lines of at most `columns` characters, each behind `indent`. `first` stands before the first one.
function layout.wrap(text, columns, indent, first)
  local lines, line = {}, first or indent
  local empty = true
  for word in text:gmatch "%S+" do
    if not empty and width_of(line) + 1 + width_of(word) > columns then
      lines[#lines + 1] = line
      line, empty = indent, true
    end
    line, empty = empty and line .. word or line .. " " .. word, false
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

function layout.indented(text, indent) return (indent .. text:gsub("%s+$", ""):gsub("\n", "\n" .. indent)) end

-- Rows { left, right } as two columns; the left one is a third of the width at most, and longer texts have a line of
-- their own.
function layout.rows(rows, columns, indent)
  local most, widest = math.max(16, columns // 3), 0
  for _, row in ipairs(rows) do
    local w = width_of(row[1])
    if w <= most then widest = math.max(widest, w) end
  end
  if widest == 0 then widest = 4 end
  local behind = indent .. (" "):rep(widest + 2)
  local out = {}
  for _, row in ipairs(rows) do
    local left, w = row[1], width_of(row[1])
    if w > widest then
      out[#out + 1] = w + #indent <= columns and indent .. left or layout.wrap(left, columns, behind, indent)
      out[#out + 1] = layout.wrap(plain(row[2]), columns, behind)
    else
      out[#out + 1] = layout.wrap(plain(row[2]), columns, behind, indent .. left .. (" "):rep(widest - w + 2))
    end
  end
  return table.concat(out, "\n")
end

-- The rows of a table of two columns, without its head.
local function table_rows(block)
  local rows = {}
  for line in block:gmatch "[^\n]+" do
    local left, right = line:gsub("\\|", "\1"):match "^|%s*(.-)%s*|%s*(.-)%s*|"
    if left then rows[#rows + 1] = { plain((left:gsub("\1", "|"))), (right:gsub("\1", "|")) } end
  end
  return table.move(rows, 3, math.max(#rows, 2), 1, {})
end

-- The blocks of a text: { kind = "code", "table", "list", "heading" or "text", text = }.
local function blocks_of(text)
  local list, kind = {}, nil
  for line in (text:gsub("%s+$", "") .. "\n"):gmatch "(.-)\n" do
    local last = list[#list]
    if kind == "code" then
      if line:find "^```" then kind = nil
      else last.text = last.text .. line .. "\n" end
    elseif line:find "^```" then
      kind = "code"
      list[#list + 1] = { kind = "code", text = "" }
    elseif not line:find "%S" then
      kind = nil
    else
      local begins = line:find "^|" and "table" or line:find "^%- " and "list" or line:find "^#+ " and "heading"
      if begins and (begins ~= "table" or kind ~= "table") or not kind then
        kind = begins or "text"
        list[#list + 1] = { kind = kind, text = line }
      else
        last.text = last.text .. "\n" .. line
      end
    end
  end
  return list
end

-- A text in Markdown. `heading`: what is done with the text of a heading, or nil.
function layout.paragraphs(text, columns, indent, heading)
  local out = {}
  local before
  for _, block in ipairs(blocks_of(text)) do
    local shown
    if block.kind == "code" then shown = layout.indented(block.text, indent .. "  ")
    elseif block.kind == "table" then shown = layout.rows(table_rows(block.text), columns, indent .. "  ")
    elseif block.kind == "list" then
      shown = layout.wrap(plain(block.text:sub(3)), columns, indent .. "  ", indent .. "- ")
    elseif block.kind == "heading" then
      shown = plain(block.text:gsub("^#+%s*", ""))
      if heading then shown = heading(shown) end
    else shown = layout.wrap(plain(block.text), columns, indent)
    end
    local tight = before == nil or before == "list" and block.kind == "list"
    out[#out + 1] = (tight and "" or "\n") .. shown
    before = block.kind
  end
  return table.concat(out, "\n")
end

return layout
