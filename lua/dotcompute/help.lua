-- dc.help: the reference in the terminal, by name, by object, or by words.
local core = require "dotcompute.core"
local reference = require "dotcompute.reference"
local hints = require "dotcompute.prompt.hints"
local layout = require "dotcompute.reference.layout"
core.builtin(debug.getinfo(1, "S").source)

local require = require -- a script may take the global one away

local help = {}

local MOST = 25 -- entries listed by a search

-- In all of these `s` is { columns =, colours = }, how the text is shown.

local function heading(s, text) return s.colours and "\27[1m" .. text .. "\27[0m" or text end

-- --- an entry -----------------------------------------------------------------------------------------------------

local function add_rows(out, s, title, rows)
  if #rows == 0 then return end
  out[#out + 1] = "\n" .. heading(s, title)
  out[#out + 1] = layout.rows(rows, s.columns, "  ")
end

-- Rows { name and type, text } of arguments, the types in one column.
local function argument_rows(list)
  local rows, widest = {}, 0
  for k, arg in ipairs(list or {}) do
    rows[k] = { (arg[1]:gsub("%?$", "")), arg[3] }
    widest = math.max(widest, #rows[k][1])
  end
  for k, row in ipairs(rows) do row[1] = row[1] .. (" "):rep(widest - #row[1] + 2) .. list[k][2] end
  return rows
end

local function error_rows(errors)
  local rows = {}
  for kind, text in pairs(errors or {}) do rows[#rows + 1] = { kind, text } end
  table.sort(rows, function(a, b) return a[1] < b[1] end)
  return rows
end

local function add_code(out, s, title, code)
  if not code then return end
  out[#out + 1] = "\n" .. (title and heading(s, title) .. "\n" or "") .. layout.indented(code, "  ")
end

local function entry_text(entry, s)
  local out = {}
  for _, call in ipairs(reference.calls(entry)) do
    out[#out + 1] = heading(s, layout.wrap(call .. (entry.type and "  " .. entry.type or ""), s.columns, "    ", ""))
  end
  out[#out + 1] = layout.paragraphs(entry.text, s.columns, "  ")
  add_rows(out, s, "arguments", argument_rows(entry.args))
  add_rows(out, s, "options", argument_rows(entry.options))
  add_rows(out, s, "returns", entry.returns or {})
  add_rows(out, s, "errors", error_rows(entry.errors))
  add_code(out, s, "example", entry.example)
  if entry.see then
    out[#out + 1] = "\n" .. layout.wrap("see also  " .. entry.see:gsub("%s+", ", "), s.columns, "  ", "")
  end
  return table.concat(out, "\n")
end

-- --- lists --------------------------------------------------------------------------------------------------------

-- Rows { name, summary } of { entry =, at = the place under which it is listed }.
local function list_rows(list)
  local rows = {}
  for k, one in ipairs(list) do
    local entry = one.entry
    local name = entry.class and "type " .. entry.name or reference.qualified(entry, one.at or entry.places[1])
    rows[k] = { name, entry.summary }
  end
  return rows
end

-- A type or a table: what it is, and everything that stands in it.
local function place_text(place, s)
  local members, class = {}, nil
  for _, entry in ipairs(reference.entries()) do
    if entry.class == place then class = entry end
    for _, at in ipairs(entry.places) do
      if at == place then members[#members + 1] = { entry = entry, at = at } end
    end
  end
  if #members == 0 and not class then return nil end
  table.sort(members, function(a, b) return a.entry.name < b.entry.name end)
  local out = { heading(s, class and "type " .. place or place) }
  if class then out[#out + 1] = layout.paragraphs(class.text, s.columns, "  ") end
  add_code(out, s, nil, class and class.example)
  if #members > 0 then out[#out + 1] = "\n" .. layout.rows(list_rows(members), s.columns, "  ") end
  return table.concat(out, "\n")
end

-- A chapter: its texts, and lists of its entries between them.
local function chapter_text(chapter, s)
  local out, list = {}, {}
  local function flush()
    if #list > 0 then out[#out + 1] = layout.rows(list_rows(list), s.columns, "  ") end
    list = {}
  end
  for _, item in ipairs(chapter.items) do
    if type(item) == "string" then
      flush()
      out[#out + 1] = layout.paragraphs(item, s.columns, "", function(text) return heading(s, text) end)
    else
      for _, entry in ipairs(reference.entries()) do
        if entry == item or entry.family == item then list[#list + 1] = { entry = entry } end
      end
    end
  end
  flush()
  return table.concat(out, "\n\n")
end

local function overview(s)
  local rows = {}
  for _, chapter in ipairs(reference.chapters()) do
    local names = {}
    for _, entry in ipairs(reference.entries()) do
      if entry.chapter == chapter and not entry.class then names[#names + 1] = entry.name end
    end
    local more = #names > 12 and " …" or ""
    rows[#rows + 1] = { chapter.title, table.concat(names, " ", 1, math.min(12, #names)) .. more }
  end
  return layout.wrap('help "sort" explains a function, help(x) an object, help "largest elements" searches all texts; '
    .. 'help "array", help "dc.linalg" and help "Errors" show a type, a table and a chapter. At the prompt also ?sort '
    .. "and ?x, and name?? for sources.", s.columns, "") .. "\n\n" .. layout.rows(rows, s.columns, "")
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
        if at == place or at == "dc." .. tostring(place) or reference.qualified(entry, at) == name then
          exact[#exact + 1] = entry
          break
        end
      end
    end
  end
  return #exact > 0 and exact or found
end

local function chapter_named(text)
  text = text:lower()
  for _, chapter in ipairs(reference.chapters()) do
    if chapter.title:lower() == text or chapter.name == text then return chapter end
  end
end

-- Words that are searched: without an ending "s", without single letters and those that every text has. Of a name as
-- Lua writes it the last word.
local common = {}
for word in ("a an and are as at by do for from how i in into is it of on or the to what with"):gmatch "%a+" do
  common[word] = true
end
local function words_of(text)
  local words = {}
  if text:find "^[%w_%.:]+$" then text = text:match "[^%.:]*$" end
  for word in text:lower():gmatch "[%w_\x80-\xff]+" do
    if not common[word] and #word > 1 then words[#words + 1] = (word:gsub("(%w%w%w)s$", "%1")) end
  end
  return words
end

-- How well a word is found in an entry: by its name, as another term for it, in its summary, elsewhere; 0: not at all.
local function score_of(entry, word)
  if entry.name:lower() == word then return 12 end
  if (entry.words or ""):lower():find(word, 1, true) then return 6 end
  if entry.name:lower():find(word, 1, true) then return 5 end
  if entry.summary:lower():find("%f[%w]" .. word) then return 3 end
  local texts = { entry.text, entry.see or "" }
  for _, list in ipairs { entry.args or {}, entry.options or {}, entry.returns or {} } do
    for _, row in ipairs(list) do texts[#texts + 1] = table.concat(row, " ") end
  end
  return table.concat(texts, " "):lower():find("%f[%w]" .. word) and 1 or 0
end

-- Entries in which all words are, or most of them; the best first.
local function matching(words)
  local ranked, most = {}, 0
  for order, entry in ipairs(reference.entries()) do
    local total, count = 0, 0
    for _, word in ipairs(words) do
      local score = score_of(entry, word)
      total, count = total + score, count + (score > 0 and 1 or 0)
    end
    if count > 0 then ranked[#ranked + 1] = { entry = entry, score = total, count = count, order = order } end
    most = math.max(most, count)
  end
  local best = {}
  for _, one in ipairs(ranked) do
    if one.count == most then best[#best + 1] = one end
  end
  table.sort(best, function(a, b)
    if a.score ~= b.score then return a.score > b.score end
    return a.order < b.order
  end)
  return best, most
end

-- Rows { chapter, the paragraph } of chapters' paragraphs with all words.
local function matching_paragraphs(words)
  local rows = {}
  if #words == 0 then return rows end
  for _, chapter in ipairs(reference.chapters()) do
    for _, item in ipairs(chapter.items) do
      for paragraph in (type(item) == "string" and item .. "\n\n" or ""):gmatch "(.-)\n\n+" do
        local all = not paragraph:find "^%s*[#`|]"
        for _, word in ipairs(words) do all = all and paragraph:lower():find("%f[%w]" .. word) ~= nil end
        if all and #rows < 5 then rows[#rows + 1] = { '"' .. chapter.title .. '"', layout.cut(paragraph, 200) } end
      end
    end
  end
  return rows
end

local function fail_unknown(text)
  local word = text:match "([%w_]+)$"
  local close = word and core.closest(word, reference.names())
  core.fail("argument", ("help: nothing is called '%s', and no text contains these words%s"):format(
    layout.cut(text, 60), close and ("; did you mean '%s'?"):format(close) or ""))
end

local function search(text, s)
  local words = words_of(text)
  local found, most = matching(words)
  local paragraphs = matching_paragraphs(words)
  if most < #words and (#paragraphs > 0 or most == 0) then found = {} end
  local elsewhere = text:find "^[%w_%.]+$" and hints.elsewhere(text:match "[%a_][%w_]*$" or "")
  local out = { elsewhere and layout.wrap(elsewhere, s.columns, "  ", "") }
  if #found == 0 and #paragraphs == 0 and not elsewhere then fail_unknown(text) end
  if #found > 0 and most < #words then out[#out + 1] = "No text has all these words; some are in" end
  if #found > 0 then
    out[#out + 1] = layout.rows(list_rows(table.move(found, 1, math.min(#found, MOST), 1, {})), s.columns, "")
  end
  if #found > MOST then out[#out + 1] = ("… %d more"):format(#found - MOST) end
  if #paragraphs > 0 then out[#out + 1] = "Chapters:\n" .. layout.rows(paragraphs, s.columns, "") end
  return table.concat(out, "\n")
end

-- What stands under a name: a table of functions by its full name; functions and fields, and the type of that name,
-- which is more than the fields of that name; a table; a chapter. Otherwise the texts are searched.
local function by_text(text, s)
  text = text:match "^%s*(.-)%s*$":gsub("%s*%(%)$", "")
  if text == "" or text == "dc" or text == "help" then return overview(s) end
  local place = text:find "^dc%." and place_text(text, s)
  if place then return place end
  local class, texts = place_text(text, s), {}
  for _, entry in ipairs(named(text)) do
    if not (class and entry.type) then texts[#texts + 1] = entry_text(entry, s) end
  end
  texts[#texts + 1] = class
  if #texts > 0 then return table.concat(texts, "\n\n") end
  local chapter = chapter_named(text)
  return place_text("dc." .. text, s) or chapter and chapter_text(chapter, s) or search(text, s)
end

-- --- objects ------------------------------------------------------------------------------------------------------

-- The name of an object's type, "array"; nil: it is none of dotcompute's.
function help.type_of(value)
  local meta = debug.getmetatable(value)
  local name = type(meta) == "table" and rawget(meta, "__name")
  return type(name) == "string" and name:match "^dotcompute%.(%w+)" or nil
end

-- Types whose objects are tables, and an object of each.
local function tables_of_types()
  local dc = require "dotcompute"
  return { generator = dc.random.generator(1), figure = dc.plot.figure(), progress = dc.progress() }
end

-- The entry of a function of dotcompute.
local function of_function(fn)
  local dc, methods = require "dotcompute", {}
  for name, list in pairs(core.types()) do methods[name:match "^dotcompute%.(%w+)"] = list end
  for name, object in pairs(tables_of_types()) do
    local meta = debug.getmetatable(object)
    methods[name] = rawget(meta, "__methods") or rawget(meta, "__index")
  end
  for _, entry in ipairs(reference.entries()) do
    for _, at in ipairs(entry.places) do
      local holder = at == "dc" and dc or methods[at]
      if at:find "^dc%." then
        holder = rawget(dc, at:sub(4))
        holder = core.lazy[holder] and core.lazy[holder]() or holder
      end
      if type(holder) == "table" and rawget(holder, entry.name) == fn then return entry end
    end
  end
end

-- The table of functions in dc that this is: "dc.fft".
local function table_of(value)
  value = core.lazy[value] and core.lazy[value]() or value
  for name, one in next, require "dotcompute" do
    if rawequal(one, value) then return "dc." .. name end
  end
end

-- The line that says what an object is; the text of an array would evaluate it.
local function description(value, class)
  if class == "array" then
    local ok, text = pcall(function()
      return ("%s array (%s)"):format(value.dtype, table.concat({ value:shape() }, ", "))
    end)
    return ok and text or "a closed array"
  end
  local ok, text = pcall(tostring, value)
  return ok and text:match "^[^\n]*" or class
end

local function by_object(value, s)
  if rawequal(value, require "dotcompute") then return overview(s) end
  local class = help.type_of(value)
  if class and place_text(class, s) then
    return heading(s, layout.cut(description(value, class), 200)) .. "\n" .. place_text(class, s)
  end
  local entry = (type(value) == "function" or class) and of_function(value)
  if entry then return entry_text(entry, s) end
  local name = type(value) == "table" and table_of(value)
  local text = name and place_text(name, s)
  if text then return text end
  if type(value) == "function" then core.fail("argument", "help: this function is not one of dotcompute's") end
  core.fail("argument", "help: expected the name of a function, words to search, or an object of dotcompute; got "
    .. core.describe(value))
end

-- Whether help(value) explains it.
function help.knows(value)
  local class = help.type_of(value)
  return class ~= nil or type(value) == "function" and of_function(value) ~= nil
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
  _G.print(help.text((...), core.columns()))
end

return help
