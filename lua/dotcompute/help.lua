-- dc.help: the reference in the terminal, by name, by object, or by words.
local core = require "dotcompute.core"
local reference = require "dotcompute.reference"
core.builtin(debug.getinfo(1, "S").source)

local require = require -- a script may take the global one away

local help = {}

local MOST = 25 -- entries listed by a search

-- --- text ---------------------------------------------------------------------------------------------------------

-- Markdown without its signs: links are their text, code and bold text are plain.
local function plain(text)
  return (text:gsub("%[([^%]]*)%]%([^%)]*%)", "%1"):gsub("`` ?(.-) ?``", "%1"):gsub("`([^`]*)`", "%1")
    :gsub("%*%*(.-)%*%*", "%1"))
end

local function width_of(text) return utf8.len(text) or #text end

-- Words in lines of at most `columns` characters, each behind `indent`. `first` stands before the first one.
local function wrap(text, columns, indent, first)
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

-- Paragraphs of Markdown, wrapped; lists keep their lines, code its form.
local function paragraphs(text, columns, indent)
  local out, code = {}, false
  for block in (plain(text) .. "\n\n"):gmatch "(.-)\n\n+" do
    local fence = block:find "^```"
    if fence or code then
      out[#out + 1] = indent .. block:gsub("\n", "\n" .. indent)
      if fence then code = not block:find "\n```%s*$" else code = not block:find "```%s*$" end
    elseif block:find "^%- " then
      for item in ("\n" .. block):gsub("\n%- ", "\0"):gmatch "%z([^%z]*)" do
        out[#out + 1] = wrap(item, columns, indent .. "  ", indent .. "- ")
      end
    elseif block:find "%S" then
      out[#out + 1] = wrap(block, columns, indent)
    end
  end
  return table.concat(out, "\n")
end

-- Rows { left, right } as two columns.
local function columns_of(rows, columns, indent)
  local widest = 0
  for _, row in ipairs(rows) do widest = math.max(widest, width_of(row[1])) end
  widest = math.min(widest, 34)
  local out = {}
  for _, row in ipairs(rows) do
    local left = indent .. row[1] .. (" "):rep(widest - width_of(row[1]) + 2)
    out[#out + 1] = wrap(plain(row[2]), columns, indent .. (" "):rep(widest + 2), left)
  end
  return table.concat(out, "\n")
end

-- --- an entry -----------------------------------------------------------------------------------------------------

local function heading(s, text) return s.colours and "\27[1m" .. text .. "\27[0m" or text end

local function add_rows(out, s, title, rows)
  if #rows == 0 then return end
  out[#out + 1] = "\n" .. heading(s, title)
  out[#out + 1] = columns_of(rows, s.columns, "  ")
end

local function argument_rows(list)
  local rows = {}
  for _, arg in ipairs(list or {}) do
    rows[#rows + 1] = { (arg[1]:gsub("%?$", "")) .. "  " .. arg[2], arg[3] }
  end
  return rows
end

local function error_rows(errors)
  local rows = {}
  for kind, text in pairs(errors or {}) do rows[#rows + 1] = { kind, text } end
  table.sort(rows, function(a, b) return a[1] < b[1] end)
  return rows
end

local function entry_text(entry, s)
  local out = {}
  for _, call in ipairs(reference.calls(entry)) do
    out[#out + 1] = heading(s, call) .. (entry.type and "  " .. entry.type or "")
  end
  out[#out + 1] = paragraphs(entry.text, s.columns, "  ")
  add_rows(out, s, "arguments", argument_rows(entry.args))
  add_rows(out, s, "options", argument_rows(entry.options))
  add_rows(out, s, "returns", entry.returns or {})
  add_rows(out, s, "errors", error_rows(entry.errors))
  if entry.example then
    out[#out + 1] = "\n" .. heading(s, "example") .. "\n  " .. entry.example:gsub("%s+$", ""):gsub("\n", "\n  ")
  end
  if entry.see then out[#out + 1] = "\n" .. heading(s, "see also") .. "  " .. entry.see:gsub("%s+", ", ") end
  return table.concat(out, "\n")
end

-- --- lists --------------------------------------------------------------------------------------------------------

local function list_rows(entries)
  local rows = {}
  for _, entry in ipairs(entries) do
    local call = entry.class and entry.name or reference.call(entry, entry.shown_at or entry.places[1])
    rows[#rows + 1] = { call:gsub("%(.*", "()"), entry.summary }
  end
  return rows
end

-- A type or a table: what it is, and everything that stands in it.
local function place_text(place, s)
  local members, class = {}, nil
  for _, entry in ipairs(reference.entries()) do
    if entry.class == place then class = entry end
    for _, at in ipairs(entry.places) do
      if at == place then members[#members + 1] = setmetatable({ shown_at = at }, { __index = entry }) end
    end
  end
  if #members == 0 and not class then return nil end
  table.sort(members, function(a, b) return a.name < b.name end)
  local out = { heading(s, place) }
  if class then out[#out + 1] = paragraphs(class.text, s.columns, "  ") end
  if class and class.example then out[#out + 1] = "\n  " .. class.example:gsub("%s+$", ""):gsub("\n", "\n  ") end
  if #members > 0 then out[#out + 1] = "\n" .. columns_of(list_rows(members), s.columns, "  ") end
  return table.concat(out, "\n")
end

local function overview(s)
  local rows = {}
  for _, chapter in ipairs(reference.chapters()) do
    local names = {}
    for _, entry in ipairs(reference.entries()) do
      if entry.chapter == chapter and not entry.class and #names < 12 then names[#names + 1] = entry.name end
    end
    if #names > 0 then rows[#rows + 1] = { chapter.title, table.concat(names, " ") .. (#names == 12 and " …" or "") } end
  end
  return table.concat({
    'help "sort" explains a function, help(x) an object; help "largest elements" searches all texts;',
    'help "array", help "dc.linalg" list what stands there. At the prompt also ?sort, ?x, and name?? for sources.',
    "", columns_of(rows, s.columns, ""),
  }, "\n")
end

-- --- finding ------------------------------------------------------------------------------------------------------

-- Entries of a name as it may be written: "sort", "dc.sort", "a:sort", "linalg.svd", "array.sort", "dc.linalg.svd".
local function named(name)
  local place, last = name:match "^(.*)[%.:]([%w_]+)$"
  last = last or name
  local found, exact = {}, {}
  for _, entry in ipairs(reference.entries()) do
    if entry.name == last and not entry.class then
      found[#found + 1] = entry
      for _, at in ipairs(entry.places) do
        if at == place or at == "dc." .. tostring(place) then exact[#exact + 1] = entry end
      end
    end
  end
  if place and #exact > 0 then return exact end
  return found
end

-- Entries whose texts contain all words, names first.
local function matching(text)
  local words = {}
  for word in text:lower():gmatch "[%w_]+" do words[#words + 1] = (word:gsub("(%l%l%l)s$", "%1")) end
  if #words == 0 then return {} end
  local ranked = {}
  for order, entry in ipairs(reference.entries()) do
    local score = 0
    for _, word in ipairs(words) do
      local one = entry.name:lower():find(word, 1, true) and 4 or entry.summary:lower():find(word, 1, true) and 2
        or entry.text:lower():find(word, 1, true) and 1 or 0
      if one == 0 then
        score = 0
        break
      end
      score = score + one
    end
    if score > 0 then ranked[#ranked + 1] = { entry = entry, score = score, order = order } end
  end
  table.sort(ranked, function(a, b)
    if a.score ~= b.score then return a.score > b.score end
    return a.order < b.order
  end)
  local list = {}
  for k, one in ipairs(ranked) do list[k] = one.entry end
  return list
end

local function all_names()
  local set, names = {}, {}
  for _, entry in ipairs(reference.entries()) do set[entry.name] = true end
  for name in pairs(set) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function nothing(text)
  local word = text:match "([%w_]+)$"
  local close = word and core.closest(word, all_names())
  core.fail("argument", ("help: nothing is called '%s', and no text contains these words%s"):format(text,
    close and ("; did you mean '%s'?"):format(close) or ""))
end

local function search(text, s)
  local found = matching(text)
  if #found == 0 then nothing(text) end
  local rows = list_rows(table.move(found, 1, math.min(#found, MOST), 1, {}))
  local more = #found - #rows
  return columns_of(rows, s.columns, "") .. (more > 0 and ("\n… %d more"):format(more) or "")
end

local function by_text(text, s)
  text = text:match "^%s*(.-)%s*$":gsub("%(%)$", "")
  if text == "" then return overview(s) end
  local place = text:match "^dc%.(%l+)$" or text
  local entries = named(text)
  if #entries == 0 then
    for _, name in ipairs { place, "dc." .. place } do
      local found = place_text(name, s)
      if found then return found end
    end
    return search(text, s)
  end
  local texts = {}
  for k, entry in ipairs(entries) do texts[k] = entry_text(entry, s) end
  return table.concat(texts, "\n\n")
end

-- --- objects ------------------------------------------------------------------------------------------------------

-- The name of a type's methods' table, or of the object's type: "array".
local function type_of(value)
  local meta = debug.getmetatable(value)
  local name = type(meta) == "table" and rawget(meta, "__name")
  return type(name) == "string" and name:match "^dotcompute%.(%w+)" or nil
end

local function methods_of(class)
  if class ~= "array" then return {} end
  local meta = debug.getmetatable(require "dotcompute".empty(0))
  return rawget(meta, "__methods") or {}
end

-- The entry of a function of dotcompute.
local function of_function(fn)
  local dc = require "dotcompute"
  local methods = methods_of "array"
  for _, entry in ipairs(reference.entries()) do
    for _, at in ipairs(entry.places) do
      local lib = at == "dc" and dc or rawget(dc, at:match "^dc%.(%w+)$" or "")
      if type(lib) == "table" and rawget(lib, entry.name) == fn then return entry end
      if at == "array" and methods[entry.name] == fn then return entry end
    end
  end
end

local function by_object(value, s)
  if value == require "dotcompute" then return overview(s) end
  if type(value) == "function" then
    local entry = of_function(value)
    if entry then return entry_text(entry, s) end
    core.fail("argument", "help: this function is not one of dotcompute's; name?? shows its source at the prompt")
  end
  local class = type_of(value)
  if type(value) == "table" and not class then
    local dc = require "dotcompute"
    for _, entry in ipairs(reference.entries()) do
      local lib = entry.places[1]:match "^dc%.(%w+)$"
      if lib and rawget(dc, lib) == value then return place_text(entry.places[1], s) end
    end
  end
  local text = class and place_text(class, s)
  if not text then
    core.fail("argument", ("help: expected the name of a function, words to search, or an object of dotcompute; got %s")
      :format(core.describe(value)))
  end
  local first = tostring(value):match "^[^\n]*"
  return heading(s, first) .. "\n" .. text
end

-- The text of help(what) for a terminal of that many columns.
function help.text(what, columns, colours)
  local s = { columns = math.max(40, math.min(columns or 80, 110)), colours = colours }
  if what == nil then return overview(s) end
  if type(what) == "string" then return by_text(what, s) end
  return by_object(what, s)
end

-- Prints what the reference says about a name, an object of dotcompute, or words to search; without an argument an
-- overview. Error of kind `argument`: nothing is found, or the value is no object of dotcompute.
function help.help(...)
  if select("#", ...) > 1 then
    core.fail("argument", "help: one name, object or text expected, got " .. select("#", ...) .. " arguments")
  end
  print(help.text((...), core.columns()))
end

return help
