-- Where a kernel's source text stands in the script that passed it.
--
-- Sources are compiled under a fixed name and line numbers (so that an edit above a kernel recompiles nothing); only
-- when a message is shown is the text looked for in the caller's file. A text that is not there (built strings, -e) is
-- named by the line of the call and its own line.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local script_lines = {}

-- Texts that are made from functions in Lua (dc.jit), while they are compiled: text -> a function that gives the place
-- of a line of it, or nil.
script_lines.generated = {}

-- An origin: the text, and the place of the caller: script (file name or false), shown (its short name), call (line);
-- or path, the file that the text is the whole of. start, once looked up: the script's line of the text's first line,
-- 0 where it was not found. place_of: of a generated text.
function script_lines.origin(text, path)
  local script, shown, call = core.caller()
  if path then return { text = text, path = path, shown = path, start = 1, call = call } end
  return { text = text, script = script, shown = shown, call = call, place_of = script_lines.generated[text] }
end

local function count_newlines(text) return select(2, text:gsub("\n", "")) end

-- The origin of several sources that are linked: its text is all of them, each on lines of its own, and its units are
-- the sources' own origins, with the number of lines of each. Ready-made code takes no lines. `paths`: a list with
-- the sources' files, if they are any.
function script_lines.linked(texts, paths)
  local whole, lines = script_lines.origin "", {}
  whole.units = {}
  for i, text in ipairs(texts) do
    local unit, prebuilt = script_lines.origin(text, paths[i]), core.is_prebuilt(text)
    unit.lines = prebuilt and 0 or count_newlines(text) + 1
    whole.units[i] = unit
    if not prebuilt then lines[#lines + 1] = text .. "\n" end
  end
  whole.text = table.concat(lines)
  return whole
end

-- Of linked sources the one that the line is in, and the line counted there; behind the last of them the whole.
local function unit_of(origin, line)
  local left = line
  for _, unit in ipairs(origin.units or {}) do
    if left <= unit.lines then return unit, left end
    left = left - unit.lines
  end
  return origin, left
end

-- The line on which `text` begins in the file: of several places the one nearest to line `call`. 0: none.
local function find_start(file, text, call)
  local best, line, counted, at = 0, 1, 1, 0
  while text ~= "" do
    at = file:find(text, at + 1, true)
    if not at then break end
    line, counted = line + count_newlines(file:sub(counted, at - 1)), at
    if best == 0 or math.abs(line - call) < math.abs(best - call) then best = line end
  end
  return best
end

-- Lua turned each line end of a long string into one newline and skipped the first, so the file is read the same way.
local function look_up_start(origin)
  local ok, file = pcall(core.read_file, origin.script or nil) -- an unreadable script only costs the line
  if not ok then return 0 end
  return find_start(file:gsub("\r\n", "\n"):gsub("\n\r", "\n"):gsub("\r", "\n"), origin.text, origin.call)
end

-- Whether the text is PTX that was compiled here before (m:ptx()), whose lines are those of its CUDA source.
local function is_compiled(origin)
  if origin.compiled == nil then
    origin.compiled = core.is_prebuilt(origin.text)
      and origin.text:find '%.file%s+%d+%s+"[^"\n]*dotcompute%.cu"' ~= nil
  end
  return origin.compiled
end

-- The place of a line of the source: "script.lua:17".
function script_lines.place(origin, line)
  origin, line = unit_of(origin, line)
  local known = origin.place_of and origin.place_of(line)
  if known then return known end
  if is_compiled(origin) then
    return ("%s, line %d of the CUDA C that the PTX was made from"):format(origin.path
      or origin.shown and ("%s:%d"):format(origin.shown, origin.call) or "PTX", line)
  end
  origin.start = origin.start or look_up_start(origin)
  if origin.start > 0 then return ("%s:%d"):format(origin.shown or "?", origin.start + line - 1) end
  if not origin.shown then return ("line %d of the source"):format(line) end
  return ("%s:%d, line %d of the source"):format(origin.shown, origin.call, line)
end

-- The text with every "dotcompute.cu(12)" or "dotcompute.cu:12", perhaps with the '/' that __FILE__ has in front (an
-- assert's text), replaced by its place.
function script_lines.map_lines(origin, text)
  return (text:gsub("/?dotcompute%.cu([(:])(%d+)(%)?)", function(mark, digits, close)
    local line = tonumber(digits)
    if line < 1 or line > 100000000 or mark == "(" and close == "" then return nil end
    return script_lines.place(origin, line) .. (mark == ":" and close or "")
  end))
end

-- Gives the fields of an error about the source places of the script; `line`: the source's line that is to blame, or
-- 0. The compiler's messages begin with the sentence of the first error: its place is put in front. Other messages that
-- name no line get the place behind "kernel 'saxpy'", or in front. In front of compile errors it is also the field
-- `at`.
function script_lines.explain(err, origin, line)
  local text = err.message
  err.message = script_lines.map_lines(origin, text)
  if err.code == "NVRTC_ERROR_COMPILATION" and line > 0 then
    err.at = script_lines.place(origin, line)
    err.message = err.at .. ": " .. err.message
  elseif err.message == text and line > 0 then
    local place, kernel, rest = script_lines.place(origin, line), text:match "^(.-kernel '[^']*')(.*)$"
    if err.kind == "compile" and not kernel then err.at = place end
    err.message = kernel and ("%s (%s)%s"):format(kernel, place, rest) or place .. ": " .. text
  end
  if err.log then err.log = script_lines.map_lines(origin, err.log) end
end

return script_lines
