-- Makes the pages that come from the reference (lua/dotcompute/reference/), or checks that they are up to date.
--   lua5.4 tools/docs.lua           writes docs/api.md, docs/reference/*.md, docs/luals/dotcompute.lua, docs/dclua.1,
--                                   and the tables between <!-- begin NAME --> and <!-- end NAME --> of other pages
--   lua5.4 tools/docs.lua --check   exits with 1, naming the files that differ
package.path = "lua/?.lua;lua/?/init.lua;" .. package.path
local reference = require "dotcompute.reference"
local dclua = require "dotcompute.reference.dclua"

local pages = {} -- path -> text

local function read(path)
  local f = io.open(path)
  local text = f and f:read "a"
  if f then f:close() end
  return text
end

local function trim(text) return (text:gsub("^%s+", ""):gsub("%s+$", "")) end

-- A text in one line.
local function line(text) return (text:gsub("%s*\n%s*", " ")) end

local function sentence(text) return (text == "" or text:find "[%.:!?]%s*$") and text or text .. "." end

-- --- Markdown -----------------------------------------------------------------------------------------------------

local NOTE = "<!-- Made by tools/docs.lua from lua/dotcompute/reference/: edit there, then `make docs`. -->\n"

-- Code and text in a table's cell: a bar must be escaped there, in code too.
local function cell(text) return (line(text):gsub("|", "\\|")) end
local function code(text) return text:find("`", 1, true) and "`` " .. text .. " ``" or "`" .. text .. "`" end

local function error_text(errors)
  local kinds, parts = {}, {}
  for kind in pairs(errors or {}) do kinds[#kinds + 1] = kind end
  table.sort(kinds)
  for k, kind in ipairs(kinds) do parts[k] = ("`%s`: %s"):format(kind, errors[kind]) end
  return #kinds == 0 and "" or sentence((#kinds > 1 and "Errors: " or "Error ") .. table.concat(parts, "; "))
end

-- Links as they are written in docs/api.md, for a page in docs/reference/.
local function from_subfolder(text)
  return (text:gsub("%]%(#", "](../api.md#"):gsub("%]%(([%w%-_/]+%.md)", "](../%1"):gsub("%]%(reference/%)", "](.)"))
end

-- A page's headings as GitHub and others make anchors of them: small letters, no punctuation, "-1" for the second one.
local function new_anchors()
  local seen = {}
  return function(heading)
    local anchor = heading:lower():gsub("[^%w%-_ \x80-\xff]", ""):gsub(" ", "-")
    local n = seen[anchor] or 0
    seen[anchor] = n + 1
    return n == 0 and anchor or anchor .. "-" .. n
  end
end

local function heading_of(entry) return reference.qualified(entry, entry.places[1]) end

-- chapter name -> entry, or family and name -> anchor in the chapter's page
local anchors = {}
for _, chapter in ipairs(reference.chapters()) do
  local anchor = new_anchors()
  anchor(chapter.title)
  local list = {}
  for _, entry in ipairs(reference.entries()) do
    if entry.chapter == chapter and not entry.class then
      list[entry] = anchor(heading_of(entry))
      if entry.family then list[entry.family] = list[entry.family] or list[entry] end
    end
  end
  anchors[chapter.name] = list
end

local function linked(chapter, entry, text)
  return ("[%s](reference/%s.md#%s)"):format(code(text), chapter.name, anchors[chapter.name][entry])
end

-- The first cell of an entry's row in docs/api.md: its calls, the first with a link; of several functions the names.
local function row_head(chapter, entry)
  local calls
  if entry.names and not entry.call then
    local first = { name = entry.names[1][1], args = entry.args, options = entry.options, type = entry.type }
    calls = { reference.call(first, entry.at:match "%S+") }
    for k = 2, #entry.names do calls[k] = entry.names[k][1] end
  else
    calls = reference.calls(entry)
  end
  local out = { linked(chapter, entry, calls[1]) }
  for k = 2, #calls do out[k] = code(calls[k]) end
  return table.concat(out, ", ")
end

-- The second cell: the first paragraph; of several functions without a text their sentences.
local function row_text(entry)
  local text = entry.text
  if entry.names and not text:find "%S" then
    local parts = {}
    for k, one in ipairs(entry.names) do parts[k] = sentence(one[2]) end
    text = table.concat(parts, " ")
  end
  return (trim(text):gsub("\n%s*\n.*", ""):gsub("%.$", ""))
end

-- What the first column of a table has, from the index of its first entry on.
local function column_title(items, first)
  local fields, methods = false, false
  for k = first, #items do
    local item = items[k]
    if type(item) == "string" then break end
    if item.type then fields = true elseif not item.class then methods = true end
  end
  return fields and methods and "field or method" or fields and "field" or "call"
end

local function overview(chapter)
  local out, in_table = {}, false
  for k, item in ipairs(chapter.items) do
    if type(item) == "string" then
      out[#out + 1] = (in_table and "\n" or "") .. trim(item) .. "\n"
      in_table = false
    elseif not item.class then
      if not in_table then out[#out + 1] = ("| %s | meaning |\n|---|---|"):format(column_title(chapter.items, k)) end
      out[#out + 1] = ("| %s | %s |"):format(cell(row_head(chapter, item)), cell(row_text(item)))
      in_table = true
    end
  end
  return table.concat(out, "\n") .. (in_table and "\n" or "")
end

local function bullets(out, title, list)
  if not list or #list == 0 then return end
  out[#out + 1] = ("**%s**\n"):format(title)
  for _, row in ipairs(list) do
    local name, optional = row[1]:match "^(.-)(%??)$"
    out[#out + 1] = #row == 3 and ("- `%s` (`%s`%s): %s"):format(name, row[2], optional == "?" and ", optional" or "",
      from_subfolder(line(row[3]))) or ("- `%s`: %s"):format(row[1], from_subfolder(line(row[2])))
  end
  out[#out + 1] = ""
end

local function fenced(language, text)
  return "```" .. language .. "\n" .. text:gsub("%s+$", "") .. "\n```\n"
end

-- Other names of an entry, which its calls do not show.
local function other_names(entry)
  local shown, others = " " .. table.concat(reference.calls(entry), " "), {}
  for _, place in ipairs(entry.places) do
    local name = reference.qualified(entry, place)
    if not shown:find("[^%w_%.]" .. name:gsub("%p", "%%%0") .. "%f[^%w_]") then others[#others + 1] = code(name) end
  end
  return others
end

-- The entry of a name that another entry refers to: in the same chapter if there is one.
local function related(name, chapter)
  local found
  for _, entry in ipairs(reference.entries()) do
    if entry.name == name:match "[%w_]+$" and not entry.class and (not found or entry.chapter == chapter) then
      found = entry
      if entry.chapter == chapter then break end
    end
  end
  return found
end

local function see_text(entry)
  local list = {}
  for name in entry.see:gmatch "%S+" do
    local other = related(name, entry.chapter)
    list[#list + 1] = other and ("[%s](%s#%s)"):format(code(name),
      other.chapter == entry.chapter and "" or other.chapter.name .. ".md", anchors[other.chapter.name][other])
      or code(name)
  end
  return "See also " .. table.concat(list, ", ") .. ".\n"
end

local function full_entry(entry)
  local calls = table.concat(reference.calls(entry), "\n")
  local text = from_subfolder(sentence(trim(entry.text)))
  local out = { ("## %s\n"):format(heading_of(entry):gsub("_", "\\_")), fenced("", calls),
    text .. (entry.type and (" Type: `%s`."):format(entry.type) or "") .. "\n" }
  local others = other_names(entry)
  if #others > 0 then out[#out + 1] = "Also " .. table.concat(others, ", ") .. ".\n" end
  bullets(out, "Arguments", entry.args)
  bullets(out, "Options", entry.options)
  bullets(out, "Returns", entry.returns)
  local errors = error_text(entry.errors)
  if errors ~= "" then out[#out + 1] = from_subfolder(errors) .. "\n" end
  if entry.example then out[#out + 1] = fenced("lua", entry.example) end
  if entry.see then out[#out + 1] = see_text(entry) end
  return table.concat(out, "\n")
end

local function class_text(class)
  return ("## Type %s\n\n%s\n"):format(class.name, from_subfolder(sentence(trim(class.text))))
    .. (class.example and "\n" .. fenced("lua", class.example) or "")
end

-- The chapters with links to their entries.
local function contents()
  local out = { NOTE .. "\n# Reference\n\nOverview and rules: [API](../api.md).\n" }
  for _, chapter in ipairs(reference.chapters()) do
    local names = {}
    for _, entry in ipairs(reference.entries()) do
      if entry.chapter == chapter and not entry.class then
        names[#names + 1] = ("[%s](%s.md#%s)"):format(code(heading_of(entry)), chapter.name,
          anchors[chapter.name][entry])
      end
    end
    if #names > 0 then
      out[#out + 1] = ("- [%s](%s.md): %s"):format(chapter.title, chapter.name, table.concat(names, " "))
    end
  end
  return table.concat(out, "\n") .. "\n"
end

local function write_markdown()
  local api = { NOTE }
  for _, chapter in ipairs(reference.chapters()) do
    api[#api + 1] = overview(chapter)
    local out, n = {}, 0
    for _, entry in ipairs(reference.entries()) do
      if entry.chapter == chapter then
        out[#out + 1] = entry.class and class_text(entry) or full_entry(entry)
        n = n + 1
      end
    end
    if n > 0 then
      pages["docs/reference/" .. chapter.name .. ".md"] = NOTE
        .. ("\n# %s\n\nOverview and rules: [API](../api.md). Examples have `local dc = require \"dotcompute\"` before "
          .. "them; what stands behind `-->` is the value.\n\n"):format(chapter.title) .. table.concat(out, "\n")
    end
  end
  pages["docs/api.md"] = table.concat(api, "\n")
  pages["docs/reference/README.md"] = contents()
end

-- --- LuaLS --------------------------------------------------------------------------------------------------------

local type_names = {}

-- A type of the reference in LuaLS syntax: names of classes and aliases get the prefix "dotcompute.".
local function lua_type(text)
  local out, at = {}, 1
  while at <= #text do
    local word = text:match('^"[^"]*"', at) or text:match("^[%a_][%w_%.]*", at)
    if not word then
      word = text:sub(at, at)
    elseif type_names[word] and not text:find("^%??%s*:", at + #word) then -- not a parameter's name
      out[#out + 1] = "dotcompute."
    end
    out[#out + 1] = word
    at = at + #word
  end
  return table.concat(out)
end

local function comment(text) return "---" .. sentence(trim(text)):gsub("\n", "\n---") end

local function documentation(entry)
  if not entry.example then return comment(entry.text) end
  return comment(entry.text) .. "\n---```lua\n---" .. trim(entry.example):gsub("\n", "\n---") .. "\n---```"
end

-- LuaLS's own names have none of ours.
local function field_name(name) return (name:gsub("%?$", "")) end

local option_classes = {} -- entry -> name of the class of its options

-- The class of an entry's options, declared once. Optional arguments by position are options too.
local function options_of(out, place, entry)
  local family = entry.family or entry
  if not entry.options or option_classes[family] then return option_classes[family] end
  local name = ("dotcompute.%s.options"):format((entry.places[1] .. "." .. entry.name):gsub("^dc%.", ""))
  option_classes[family] = name
  out[#out + 1] = "---@class " .. name
  local has = {}
  local function add(list, only_optional)
    for _, o in ipairs(list) do
      local field = field_name(o[1])
      if field ~= "..." and not has[field] and (not only_optional or o[1]:find "%?$") then
        has[field] = true
        out[#out + 1] = ("---@field %s? %s %s"):format(field, lua_type(o[2]), line(o[3]))
      end
    end
  end
  add(entry.options)
  add(reference.arguments(entry, place), true)
  out[#out + 1] = ""
  return name
end

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true until
  while]]):gmatch "%a+" do keywords[word] = true end

-- The parameters of a function as LuaLS has them: { name, optional, types, text }. Nothing can stand behind "...",
-- which takes the types of what follows it; a table of options may stand in place of each optional argument. Of
-- "[x,] y" the first one is needed, and may be what the other is.
local function parameters(entry, place, options)
  local list, rest = {}, nil
  local function add(name, optional, kind, text)
    if rest then
      rest.types[#rest.types + 1] = kind
      return
    end
    local one = { name = name, optional = optional, types = { kind }, text = text }
    list[#list + 1] = one
    if name == "..." then rest = one end
  end
  for _, arg in ipairs(reference.arguments(entry, place)) do
    local name = field_name(arg[1])
    if name:find("...", 1, true) or name:find("…", 1, true) then name = "..." end
    local optional = arg[1]:find "%?$" ~= nil and name ~= "..."
    local kind = lua_type(arg[2])
    if options and optional then kind = kind .. "|" .. options end
    add(keywords[name] and name .. "_" or name, optional, kind, line(arg[3]))
  end
  if options then add("options", true, options, "options by name") end
  for k = #list, 2, -1 do
    local before, one = list[k - 1], list[k]
    if before.optional and not one.optional and one.name ~= "..." then
      before.optional, one.optional = false, true
      if before.types[1]:sub(1, #one.types[1]) ~= one.types[1] then
        before.types[#before.types + 1] = one.types[1]
      end
    end
  end
  return list
end

local function luals_function(out, place, entry)
  local options = options_of(out, place, entry)
  out[#out + 1] = documentation(entry)
  local names = {}
  for k, p in ipairs(parameters(entry, place, options)) do
    local mark = p.optional and "?" or ""
    out[#out + 1] = ("---@param %s%s %s %s"):format(p.name, mark, table.concat(p.types, "|"), p.text)
    names[k] = p.name
  end
  for _, r in ipairs(entry.returns or {}) do
    out[#out + 1] = ("---@return %s # %s"):format(lua_type((r[1]:gsub("%.%.%.$", " ..."))), line(r[2]))
  end
  local method = reference.is_type(place)
  out[#out + 1] = ("function %s%s%s(%s) end\n"):format(method and "c_" .. place or place, method and ":" or ".",
    entry.name, table.concat(names, ", "))
end

local function luals_class(out, class, entries)
  out[#out + 1] = comment(class.text)
  out[#out + 1] = "---@class dotcompute." .. class.name
  for _, op in ipairs(class.operators or {}) do
    out[#out + 1] = ("---@operator %s%s: %s"):format(op[1], op[2] and "(" .. lua_type(op[2]) .. ")" or "",
      lua_type(op[3]))
  end
  if class.call_operator then out[#out + 1] = "---@overload fun" .. lua_type(class.call_operator) end
  for _, one in ipairs(class.index or {}) do
    out[#out + 1] = ("---@field [%s] %s"):format(lua_type(one[1]), lua_type(one[2]))
  end
  local methods = {}
  for _, entry in ipairs(entries) do
    if entry.type then
      out[#out + 1] = ("---@field %s %s %s"):format(entry.name, lua_type(entry.type), entry.summary)
    else
      methods[#methods + 1] = entry
    end
  end
  out[#out + 1] = ("local c_%s = {}\n"):format(class.name)
  for _, entry in ipairs(methods) do luals_function(out, class.name, entry) end
end

local function luals_table(out, place, entries)
  out[#out + 1] = "---@class dotcompute" .. place:match "^dc(.*)$"
  for _, entry in ipairs(entries) do
    if entry.type then
      out[#out + 1] = ("---@field %s %s %s"):format(entry.name, lua_type(entry.type), entry.summary)
    end
  end
  out[#out + 1] = (place == "dc" and "local dc" or place) .. " = {}\n"
  for _, entry in ipairs(entries) do
    if not entry.type then luals_function(out, place, entry) end
  end
end

local function write_luals()
  local by_place, tables, classes = {}, {}, {}
  for _, alias in ipairs(reference.aliases) do type_names[alias[1]] = true end
  for _, entry in ipairs(reference.entries()) do
    if entry.class then classes[#classes + 1], type_names[entry.class] = entry, true end
    for _, place in ipairs(entry.places) do
      if not by_place[place] then
        by_place[place] = {}
        if place:find "^dc" then tables[#tables + 1] = place end
      end
      if not entry.class then table.insert(by_place[place], entry) end
    end
  end
  table.sort(tables)
  local out = {
    "---@meta dotcompute", "-- Made by tools/docs.lua from lua/dotcompute/reference/. For LuaLS: the setting "
      .. "workspace.library names the folder of this file.", "",
  }
  for _, alias in ipairs(reference.aliases) do
    out[#out + 1] = ("---@alias dotcompute.%s %s"):format(alias[1], alias[2])
  end
  out[#out + 1] = ""
  for _, class in ipairs(classes) do luals_class(out, class, by_place[class.name] or {}) end
  for _, place in ipairs(tables) do luals_table(out, place, by_place[place]) end
  out[#out + 1] = "return dc"
  pages["docs/luals/dotcompute.lua"] = table.concat(out, "\n") .. "\n"
end

-- --- the man page -------------------------------------------------------------------------------------------------

-- Markdown as roff's text: code and emphasis in bold, backslashes, minus signs, dots and quotes at a line's beginning
-- escaped.
local function roff(text)
  text = line(text):gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("%[([^%]]*)%]%([^%)]*%)", "%1"):gsub("~", "\\(ti")
    :gsub("%^", "\\(ha"):gsub("…", "...")
  text = text:gsub("`([^`]*)`", "\\fB%1\\fR"):gsub("%*%*(.-)%*%*", "\\fB%1\\fR")
  return (text:gsub("^[%.']", "\\&%0"))
end

local function names_of(row) return type(row[1]) == "table" and row[1] or { row[1] } end

local function write_man()
  local version = assert(read "src/base/version.h":match 'DC_VERSION "([^"]*)"')
  local out = {
    '.\\" Made by tools/docs.lua from lua/dotcompute/reference/dclua.lua.',
    ('.TH DCLUA 1 "" "dotcompute %s" "User Commands"'):format(version),
  }
  for _, section in ipairs(dclua.sections) do
    out[#out + 1] = ".SH " .. section.title:upper()
    for k, item in ipairs(section) do
      if type(item) == "string" then
        out[#out + 1] = (k > 1 and ".PP\n" or "") .. roff(item)
      else
        local names = {}
        for n, name in ipairs(names_of(item)) do names[n] = "\\fB" .. roff(name) .. "\\fR" end
        out[#out + 1] = ".TP\n" .. table.concat(names, ", ") .. "\n" .. roff(item[2])
      end
    end
  end
  pages["docs/dclua.1"] = table.concat(out, "\n") .. "\n"
end

-- --- tables in pages that are written by hand ---------------------------------------------------------------------

local function fill(path)
  pages[path] = read(path):gsub("(<!%-%- begin (%w+) %-%->\n).-(<!%-%- end %w+ %-%->)", function(head, name, tail)
    local rows = { ("| %s | meaning |\n|---|---|"):format(dclua.heads[name]) }
    for _, row in ipairs(dclua[name]) do
      local names = {}
      for k, one in ipairs(names_of(row)) do names[k] = code(one) end
      rows[#rows + 1] = ("| %s | %s |"):format(cell(table.concat(names, ", ")), cell(row[2]))
    end
    return head .. table.concat(rows, "\n") .. "\n" .. tail
  end)
end

-- --- writing ------------------------------------------------------------------------------------------------------

write_markdown()
write_luals()
write_man()
fill "docs/README.md"
fill "docs/dclua.md"

-- Pages of chapters that are no more.
local surplus = {}
local list = io.popen "ls docs/reference 2>/dev/null"
for name in list:lines() do
  if not pages["docs/reference/" .. name] then surplus[#surplus + 1] = "docs/reference/" .. name end
end
list:close()

local check = arg[1] == "--check"
local stale = {}
for path, text in pairs(pages) do
  if read(path) ~= text then
    stale[#stale + 1] = path
    if not check then
      os.execute(("mkdir -p '%s'"):format(path:match "^(.*)/"))
      local f = assert(io.open(path, "w"))
      f:write(text)
      assert(f:close())
    end
  end
end
table.sort(stale)
for _, path in ipairs(stale) do print((check and "out of date: " or "written: ") .. path) end
for _, path in ipairs(surplus) do
  print((check and "surplus: " or "removed: ") .. path)
  if not check then assert(os.remove(path)) end
end
os.exit(not check or #stale + #surplus == 0)
