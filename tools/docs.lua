-- Makes the pages that come from the reference (lua/dotcompute/reference/), or checks that they are up to date.
--   lua5.4 tools/docs.lua           writes docs/api.md, docs/reference/*.md, docs/luals/dotcompute.lua, docs/dclua.1
--   lua5.4 tools/docs.lua --check   exits with 1, naming the files that differ
package.path = "lua/?.lua;lua/?/init.lua;" .. package.path
local reference = require "dotcompute.reference"
local dclua = require "dotcompute.reference.dclua"

local pages = {} -- path -> text

-- --- Markdown -----------------------------------------------------------------------------------------------------

local function cell(text) return (text:gsub("%s*\n%s*", " "):gsub("|", "\\|")) end

-- Code in a table's cell: a bar must be escaped there too.
local function code(text) return "`" .. text:gsub("|", "\\|") .. "`" end

local function error_text(errors)
  local kinds, parts = {}, {}
  for kind in pairs(errors or {}) do kinds[#kinds + 1] = kind end
  if #kinds == 0 then return "" end
  table.sort(kinds)
  for k, kind in ipairs(kinds) do parts[k] = ("`%s`: %s"):format(kind, errors[kind]) end
  return (#kinds > 1 and "Errors: " or "Error ") .. table.concat(parts, "; ")
end

local function sentence(text) return text == "" and "" or text:find "[%.:!?]%s*$" and text or text .. "." end

local function first_line(chapter, entry)
  local list = {}
  for k, call in ipairs(reference.calls(entry)) do list[k] = code(call) end
  local name = entry[1] or entry.names[1][1]
  return ("[%s](reference/%s.md#%s)"):format(list[1], chapter.name, name:lower())
    .. (#list > 1 and ", " .. table.concat(list, ", ", 2) or "")
end

local function overview_row(chapter, entry)
  local text = entry.text ~= "" and entry.text or entry.names and "" or ""
  local errors = error_text(entry.errors)
  return ("| %s | %s%s |"):format(first_line(chapter, entry), cell(text), errors == "" and "" or
    (text == "" and "" or (text:find "[%.:]$" and " " or ". ")) .. cell(errors))
end

local function overview(chapter)
  local out, in_table = {}, false
  for _, item in ipairs(chapter.items) do
    if type(item) == "string" then
      out[#out + 1] = (in_table and "\n" or "") .. item:gsub("^%s+", ""):gsub("%s+$", "") .. "\n"
      in_table = false
    elseif not item.class then
      if not in_table then out[#out + 1] = "| call | meaning |\n|---|---|" end
      out[#out + 1] = overview_row(chapter, item)
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
      row[3]) or ("- `%s`: %s"):format(row[1], row[2])
  end
  out[#out + 1] = ""
end

local function full_entry(entry)
  local out = {}
  local names = {}
  for k, place in ipairs(entry.places) do names[k] = "`" .. reference.call(entry, place):gsub("%(.*", "") .. "`" end
  out[#out + 1] = ("### %s\n"):format(entry.name)
  local calls = {}
  for k, call in ipairs(reference.calls(entry)) do calls[k] = call end
  out[#out + 1] = "```\n" .. table.concat(calls, "\n") .. "\n```\n"
  out[#out + 1] = sentence(entry.text) .. (entry.type and (" Type: `%s`."):format(entry.type) or "") .. "\n"
  if #names > 1 then out[#out + 1] = "Stands as " .. table.concat(names, ", ") .. ".\n" end
  bullets(out, "Arguments", entry.args)
  bullets(out, "Options", entry.options)
  bullets(out, "Returns", entry.returns)
  local errors = error_text(entry.errors)
  if errors ~= "" then out[#out + 1] = sentence(errors) .. "\n" end
  if entry.example then out[#out + 1] = "```lua\n" .. entry.example:gsub("%s+$", "") .. "\n```\n" end
  if entry.see then
    out[#out + 1] = "See also " .. entry.see:gsub("[%w_]+", "`%0`"):gsub("%s+", ", ") .. ".\n"
  end
  -- links of the page docs/api.md are links to it here
  return (table.concat(out, "\n"):gsub("%]%(#", "](../api.md#"))
end

local NOTE = "<!-- Made by tools/docs.lua from lua/dotcompute/reference/: edit there, then `make docs`. -->\n"

local function write_markdown()
  local api = { NOTE }
  for _, chapter in ipairs(reference.chapters()) do
    api[#api + 1] = overview(chapter)
    local out, n = {}, 0
    for _, entry in ipairs(reference.entries()) do
      if entry.chapter == chapter and not entry.class then
        out[#out + 1] = full_entry(entry)
        n = n + 1
      end
    end
    if n > 0 then
      pages["docs/reference/" .. chapter.name .. ".md"] = NOTE
        .. ("\n# %s\n\nOverview and rules: [API](../api.md). Examples run with `dc = require \"dotcompute\"`; what stands "
          .. "behind `-->` is the value.\n\n"):format(chapter.title) .. table.concat(out, "\n")
    end
  end
  pages["docs/api.md"] = table.concat(api, "\n")
end

-- --- LuaLS --------------------------------------------------------------------------------------------------------

local class_names = {}

-- A type of the reference as LuaLS is told it: names of classes and aliases belong to dotcompute.
local function lua_type(text)
  return (text:gsub('"[^"]*"', function(s) return s:gsub("%a", "\0%0") end):gsub("%f[%w_%z%.][%a_][%w_]*%f[^%w_]",
    function(name) return class_names[name] and "dotcompute." .. name or name end):gsub("%z", ""))
end

local function comment(text)
  return "---" .. sentence(text):gsub("\n", "\n---")
end

local function option_class(out, place, entry)
  if not entry.options then return nil end
  local name = ("dotcompute.%s.%s.options"):format(place:gsub("^dc%.", ""), entry.name)
  out[#out + 1] = "---@class " .. name
  for _, o in ipairs(entry.options) do
    out[#out + 1] = ("---@field %s? %s %s"):format((o[1]:gsub("%?$", "")), lua_type(o[2]), (o[3]:gsub("\n", " ")))
  end
  out[#out + 1] = ""
  return name
end

local keywords = { ["repeat"] = true, ["end"] = true, ["function"] = true }

local function argument_name(name)
  name = name:gsub("%?$", ""):gsub("…", "..."):gsub("%.%.%.$", "")
  if name == "" then return "..." end
  return keywords[name] and name .. "_" or name
end

local function luals_function(out, place, entry)
  local options = option_class(out, place, entry)
  out[#out + 1] = comment(entry.text)
  if entry.example then
    out[#out + 1] = "---```lua\n---" .. entry.example:gsub("%s+$", ""):gsub("\n", "\n---") .. "\n---```"
  end
  local names = {}
  for _, arg in ipairs(reference.arguments(entry, place)) do
    local name = arg[1]:find("...", 1, true) and "..." or argument_name(arg[1])
    local optional = arg[1]:sub(-1) == "?" and name ~= "..." and "?" or ""
    out[#out + 1] = ("---@param %s%s %s %s"):format(name, optional, lua_type(arg[2]), (arg[3]:gsub("\n", " ")))
    names[#names + 1] = name
  end
  if options then
    if names[#names] == "..." then
      -- nothing can stand behind "...": the options are one of its values
    else
      out[#out + 1] = "---@param options? " .. options
      names[#names + 1] = "options"
    end
  end
  for _, r in ipairs(entry.returns or {}) do
    out[#out + 1] = ("---@return %s # %s"):format(lua_type(r[1]), (r[2]:gsub("\n", " ")))
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
  if class.name == "array" then out[#out + 1] = "---@field [any] any" end
  local methods = {}
  for _, entry in ipairs(entries) do
    if entry.type then
      out[#out + 1] = ("---@field %s %s %s"):format(entry.name, lua_type(entry.type), (entry.summary:gsub("\n", " ")))
    else
      methods[#methods + 1] = entry
    end
  end
  out[#out + 1] = ("local c_%s = {}\n"):format(class.name)
  for _, entry in ipairs(methods) do luals_function(out, class.name, entry) end
end

local function write_luals()
  local by_place, order, classes = {}, {}, {}
  for _, alias in ipairs(reference.aliases) do class_names[alias[1]] = true end
  for _, entry in ipairs(reference.entries()) do
    if entry.class then
      classes[#classes + 1], class_names[entry.class] = entry, true
    else
      for _, place in ipairs(entry.places) do
        if not by_place[place] then
          by_place[place] = {}
          order[#order + 1] = place
        end
        table.insert(by_place[place], entry)
      end
    end
  end
  local out = {
    "---@meta dotcompute", "-- Made by tools/docs.lua from lua/dotcompute/reference/. For LuaLS: the setting "
      .. "workspace.library names the folder of this file.", "",
  }
  for _, alias in ipairs(reference.aliases) do
    out[#out + 1] = ("---@alias dotcompute.%s %s"):format(alias[1], alias[2])
  end
  out[#out + 1] = ""
  for _, class in ipairs(classes) do luals_class(out, class, by_place[class.name] or {}) end
  out[#out + 1] = "local dc = {}\n"
  table.sort(order, function(a, b) return #a < #b or (#a == #b and a < b) end)
  for _, place in ipairs(order) do
    if not reference.is_type(place) then
      if place ~= "dc" then out[#out + 1] = place .. " = {}\n" end
      for _, entry in ipairs(by_place[place]) do
        if entry.type then
          out[#out + 1] = comment(entry.text)
          out[#out + 1] = ("---@type %s\n%s.%s = nil\n"):format(lua_type(entry.type), place, entry.name)
        else
          luals_function(out, place, entry)
        end
      end
    end
  end
  out[#out + 1] = "return dc"
  pages["docs/luals/dotcompute.lua"] = table.concat(out, "\n") .. "\n"
end

-- --- the man page -------------------------------------------------------------------------------------------------

-- Markdown as roff's text: code and emphasis in bold, backslashes and leading dots escaped.
local function roff(text)
  text = text:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("%[([^%]]*)%]%([^%)]*%)", "%1")
  text = text:gsub("`([^`]*)`", "\\fB%1\\fR"):gsub("%*%*(.-)%*%*", "\\fB%1\\fR")
  return (text:gsub("\n%.", "\n\\&."):gsub("^%.", "\\&."):gsub("\n'", "\n\\&'"))
end

local function write_man()
  local out = { ('.TH DCLUA 1 "" "dotcompute %s" "User Commands"'):format(dclua.version) }
  for _, section in ipairs(dclua.sections) do
    out[#out + 1] = ".SH " .. section.title:upper()
    for _, item in ipairs(section) do
      if type(item) == "string" then
        out[#out + 1] = ".PP\n" .. roff(item)
      else
        out[#out + 1] = ".TP\n\\fB" .. roff(item[1]) .. "\\fR\n" .. roff(item[2])
      end
    end
  end
  pages["docs/dclua.1"] = table.concat(out, "\n") .. "\n"
end

-- Tables between `<!-- begin NAME -->` and `<!-- end NAME -->` in pages that are written by hand.
local function fill(path)
  local f = assert(io.open(path))
  local text = f:read "a"
  f:close()
  pages[path] = text:gsub("(<!%-%- begin (%w+) %-%->\n).-(<!%-%- end %w+ %-%->)", function(head, name, tail)
    local rows = { ("| %s | meaning |\n|---|---|"):format(dclua.heads[name]) }
    for _, row in ipairs(dclua[name]) do rows[#rows + 1] = ("| %s | %s |"):format(code(row[1]), cell(row[2])) end
    return head .. table.concat(rows, "\n") .. "\n" .. tail
  end)
end

-- --- writing ------------------------------------------------------------------------------------------------------

write_markdown()
write_luals()
write_man()
fill "docs/README.md"
fill "docs/dclua.md"

local function read(path)
  local f = io.open(path)
  local text = f and f:read "a"
  if f then f:close() end
  return text
end

local stale = {}
for path, text in pairs(pages) do
  if read(path) ~= text then
    stale[#stale + 1] = path
    if arg[1] ~= "--check" then
      os.execute(("mkdir -p '%s'"):format(path:match "^(.*)/"))
      local f = assert(io.open(path, "w"))
      f:write(text)
      assert(f:close())
    end
  end
end
table.sort(stale)
for _, path in ipairs(stale) do print((arg[1] == "--check" and "out of date: " or "written: ") .. path) end
os.exit(arg[1] ~= "--check" or #stale == 0)
