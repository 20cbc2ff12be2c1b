-- How the prompt shows values: tables nested and cut, objects of dotcompute with what they are.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local show = {}

local DEPTH, ITEMS, LINES = 4, 100, 40
local colours = { string = "32", number = "36", boolean = "33", ["nil"] = "33", key = "34", note = "2" }

local function paint(s, kind, text)
  if not s.colours then return text end
  return ("\27[%sm%s\27[0m"):format(colours[kind], text)
end

-- --- plain values -------------------------------------------------------------------------------------------------

local escapes = { ["\a"] = "\\a", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t",
  ["\v"] = "\\v", ['"'] = '\\"', ["\\"] = "\\\\" }

-- A string as Lua writes it, cut.
local function quoted(text)
  local cut = #text > 200
  if cut then text = text:sub(1, utf8.offset(text, 0, 200) and utf8.offset(text, 0, 200) - 1 or 197) end
  text = text:gsub('[%c"\\\127]', function(c) return escapes[c] or ("\\%d"):format(c:byte()) end)
  return '"' .. text .. '"' .. (cut and "..." or "")
end

-- "function(a, b), script.lua:3"; for functions in C and dotcompute's own "function: builtin", in tables "builtin".
local function function_text(f, depth)
  local info = debug.getinfo(f, "Snu")
  local names = {}
  for k = 1, info.nparams do names[k] = debug.getlocal(f, k) or "?" end
  if info.isvararg then names[#names + 1] = "..." end
  if info.what == "C" or info.source:find "^@dotcompute/" then return depth > 0 and "builtin" or "function: builtin" end
  return ("function(%s), %s:%d"):format(table.concat(names, ", "), info.short_src, info.linedefined)
end

-- --- tables -------------------------------------------------------------------------------------------------------

local order = { number = 1, string = 2, boolean = 3, table = 4, ["function"] = 5, userdata = 6, thread = 7 }

local function sorted_keys(t)
  local keys = {}
  for k in next, t do keys[#keys + 1] = k end
  table.sort(keys, function(a, b)
    local ta, tb = type(a), type(b)
    if ta ~= tb then return order[ta] < order[tb] end
    if ta == "number" or ta == "string" then return a < b end
    return tostring(a) < tostring(b)
  end)
  return keys
end

local reserved = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true until
  while]]):gmatch "%a+" do reserved[word] = true end

local text_of

local function key_text(s, k, depth)
  if type(k) == "string" and k:find "^[%a_][%w_]*$" and not reserved[k] then return paint(s, "key", k) end
  return "[" .. text_of(s, k, depth + 1) .. "]"
end

-- A table's entries as texts: the list part without keys, then the others.
local function entries_of(s, t, depth)
  local list, n = {}, rawlen(t)
  for k = 1, math.min(n, ITEMS) do list[k] = text_of(s, rawget(t, k), depth + 1) end
  local more = n - #list
  for _, k in ipairs(sorted_keys(t)) do
    local in_list = math.type(k) == "integer" and k >= 1 and k <= n
    if not in_list then
      if #list < ITEMS then
        list[#list + 1] = key_text(s, k, depth) .. " = " .. text_of(s, rawget(t, k), depth + 1)
      else
        more = more + 1
      end
    end
  end
  if more > 0 then list[#list + 1] = paint(s, "note", ("… %d more"):format(more)) end
  return list
end

-- The characters that a text takes on the screen.
local function width_of(text) return utf8.len((text:gsub("\27%[[%d;]*m", ""))) or #text end

-- Entries in one line if they fit, else as many as fit in each line of a list of short ones, else one a line.
local function table_text(s, t, depth)
  local list = entries_of(s, t, depth)
  if #list == 0 then return "{}" end
  local total, widest, nested = 2 * depth + 2, 0, false
  for _, e in ipairs(list) do
    local w = width_of(e)
    total, widest = total + w + 2, math.max(widest, w)
    nested = nested or e:find("\n", 1, true) ~= nil
  end
  if total <= s.columns and not nested then return "{ " .. table.concat(list, ", ") .. " }" end
  local indent = ("  "):rep(depth + 1)
  local lines, line, w = {}, nil, 0
  for k, e in ipairs(list) do
    local piece = e .. (k < #list and "," or "")
    if line and not nested and widest <= 24 and w + 1 + width_of(piece) + #indent <= s.columns then
      line, w = line .. " " .. piece, w + 1 + width_of(piece)
    else
      if line then lines[#lines + 1] = indent .. line end
      line, w = piece, width_of(piece)
    end
  end
  lines[#lines + 1] = indent .. line
  if #lines > LINES then
    local gone = #lines - LINES
    lines[LINES + 1] = indent .. paint(s, "note", ("… %d more lines"):format(gone))
    lines = table.move(lines, 1, LINES + 1, 1, {})
  end
  return "{\n" .. table.concat(lines, "\n") .. "\n" .. ("  "):rep(depth) .. "}"
end

-- --- any value ----------------------------------------------------------------------------------------------------

function text_of(s, v, depth)
  local kind = type(v)
  if kind == "string" then return paint(s, "string", quoted(v)) end
  if kind == "number" or kind == "boolean" or kind == "nil" then return paint(s, kind, tostring(v)) end
  if kind == "function" then return paint(s, "note", function_text(v, depth)) end
  local meta = debug.getmetatable(v)
  if kind ~= "table" or (type(meta) == "table" and rawget(meta, "__tostring") ~= nil) then
    local ok, text = pcall(tostring, v)
    if not ok then return paint(s, "note", ("%s (its __tostring fails: %s)"):format(kind, tostring(text))) end
    if kind == "userdata" and type(meta) == "table" and rawget(meta, "__name") == "dotcompute.device" then
      text = text .. " " .. paint(s, "note", "(" .. v.name .. ")")
    end
    if depth > 0 and text:find("\n", 1, true) then text = text:match "^[^\n]*" .. " …" end
    return text
  end
  local library = core.lazy and core.lazy[v] -- a table of functions that is filled when it is first used
  if library and depth > 0 then return paint(s, "note", "{…}") end
  if library then v = library() end
  if s.seen[v] then return paint(s, "note", "the table above") end
  if depth >= DEPTH then return paint(s, "note", "{…}") end
  s.seen[v] = true
  local text = table_text(s, v, depth)
  s.seen[v] = nil
  return text
end

-- The text of a value for a terminal of that many columns. Strings and numbers at the top are as `print` has them.
function show.value(v, columns, colour)
  local kind = type(v)
  if kind == "string" or kind == "number" or kind == "boolean" or kind == "nil" then return tostring(v) end
  local s = { columns = columns or 80, colours = colour, seen = {} }
  return text_of(s, v, 0)
end

return show
