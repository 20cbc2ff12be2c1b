-- The text of a Lua function, proved to be its text.
--
-- debug.getinfo names the chunk and the lines. The chunk's text comes from the file, from the chunk's name (load(text)
-- names a chunk by its text), from the command line (-e), or from what dclua keeps of its prompt and standard input.
-- The text is loaded again: the function is in it when the bytes of the function's own string.dump, which contain its
-- first and last line, are among those of the whole chunk's. Of several functions on the same lines it is the one whose
-- change makes them disappear.
local core = require "dotcompute.core"
local lexer = require "dotcompute.jit.lexer"
local parser = require "dotcompute.jit.parser"
core.builtin(debug.getinfo(1, "S").source)

local source = {}

local getinfo, getlocal, dump, open = debug.getinfo, debug.getlocal, string.dump, io.open
local registry = debug.getregistry()

local function fail(text, ...) core.fail("argument", text:format(...)) end

-- --- texts ------------------------------------------------------------------------------------------------------

-- The file's text; raises where it cannot be read.
local function read_file(path)
  local file <close>, why, errno = open(path, "rb")
  local text
  if file then text, why, errno = file:read "a" end
  if text then return text end
  if file then why = ("%s: %s"):format(path, why) end -- a directory
  local kind = core.kind_of_errno(errno) == "memory" and "memory" or "argument"
  core.fail(kind, ("the kernel's text cannot be read: %s"):format(why))
end

-- As luaL_loadfile reads a file: without a byte order mark, its first line left out if it begins with '#'.
local function file_text(text)
  return (text:gsub("^\xEF\xBB\xBF", ""):gsub("^#[^\n]*", ""))
end

-- The texts of -e options, from the command line that stock Lua and dclua put into the table `arg`.
local function command_line_texts()
  local list, args = {}, rawget(_G, "arg")
  if type(args) ~= "table" then return list end
  local first = 0
  while type(rawget(args, first - 1)) == "string" do first = first - 1 end
  for k = first, #args do
    local word = rawget(args, k)
    if word == "-e" then list[#list + 1] = rawget(args, k + 1)
    elseif type(word) == "string" and word:find "^%-e." then list[#list + 1] = word:sub(3) end
  end
  return list
end

-- The texts that the chunk of a function may have, newest first, and what to do where none is the function's.
local function candidates(info)
  local name = info.source
  if name:sub(1, 1) == "@" then
    local path = name:sub(2)
    return { file_text(read_file(path)) }, ("%s has been edited since it was loaded, or was loaded by a name that is "
      .. "not its own: load the file again"):format(path)
  elseif name == "=(command line)" then
    return command_line_texts(), "the text of -e is not in the table 'arg', which has been changed"
  elseif name == "=stdin" then
    local list = {}
    local kept = core.prompt_texts or {}
    for k = #kept, 1, -1 do list[#list + 1] = kept[k] end
    local piped = registry["dotcompute.stdin"]
    if type(piped) == "string" then list[#list + 1] = file_text(piped) end
    return list, "standard input is not kept by this interpreter (dclua keeps it): write the kernel into a file"
  elseif name:sub(1, 1) == "=" then
    return {}, ("the text of the chunk '%s' is not known: load it without a name, or pass the text as option 'source'")
      :format(name:sub(2))
  end
  return { name }, "the chunk's name is not its text: pass the text as option 'source'"
end

-- --- proof ------------------------------------------------------------------------------------------------------

local HEADER = 32 -- bytes of string.dump before the function itself: Lua 5.4's header, the number of upvalues

-- The bytes of a function behind its chunk's name, which is written for the outermost function alone: its code, its
-- lines, and the names of its locals and upvalues. Functions with the same code may differ in the latter.
function source.body_of(fn)
  local bytes = dump(fn)
  local at, length = HEADER + 1, 0
  repeat -- the name's length and 1: seven bits a byte, the last byte has the eighth set
    local byte = bytes:byte(at)
    length, at = length << 7 | byte & 0x7f, at + 1
  until byte >= 0x80
  return bytes:sub(at + math.max(length - 1, 0))
end

-- Whether the function with these bytes, those of source.body_of, is in the text.
function source.contains(text, bytes)
  local chunk = lexer.load(text, "=(proof)")
  return chunk ~= nil and dump(chunk):find(bytes, 1, true) ~= nil
end

local function is_within(inner, outer) return inner.at > outer.at and inner.last <= outer.last end

-- The text with other bytes of these functions, whose lines and registers stay as they are.
local function change(text, list)
  local places = {}
  for k, node in ipairs(list) do places[k] = node.body_at end
  table.sort(places)
  for k = #places, 1, -1 do
    text = text:sub(1, places[k] - 1) .. " do local _ = 'dc_proof' end " .. text:sub(places[k])
  end
  return text
end

-- The names of the function's parameters are those of the node.
local function has_parameters(fn, node)
  for k, decl in ipairs(node.params) do
    if getlocal(fn, k) ~= decl.name then return false end
  end
  return getlocal(fn, #node.params + 1) == nil
end

-- Of functions on the same lines, the one with these bytes: when its text is changed the bytes disappear. A function
-- around it contains its bytes, and disappears too: the outermost that disappears is the one. Of functions with the
-- same bytes, which do the same, it is one that is left when all others are changed.
local function choose(text, list, bytes, fn)
  local gone
  for _, node in ipairs(list) do
    if not source.contains(change(text, { node }), bytes) and not (gone and is_within(node, gone)) then gone = node end
  end
  if gone then return gone end
  local found
  for _, node in ipairs(list) do
    local others = {}
    for _, other in ipairs(list) do
      local nested = other == node or is_within(node, other) or is_within(other, node)
      if not nested then others[#others + 1] = other end
    end
    if source.contains(change(text, others), bytes) and (not found or has_parameters(fn, node)) then found = node end
  end
  return found
end

local parsed = setmetatable({}, { __mode = "v" }) -- text -> its chunk

local function parse(text)
  local chunk = parsed[text]
  if not chunk then
    local at, why
    chunk, at, why = parser.parse(text)
    if not chunk then
      local line, column = lexer.place(lexer.lines(text), at)
      fail("the kernel's text cannot be read: line %d, column %d: %s", line, column, why)
    end
    parsed[text] = chunk
  end
  return chunk
end

-- The function's node in the text, or nil.
local function find_in(text, bytes, info)
  if not source.contains(text, bytes) then return nil end
  local chunk, list = parse(text), {}
  for _, node in ipairs(chunk.functions) do
    local first = lexer.place(chunk.lines, node.line_at)
    local last = lexer.place(chunk.lines, node.end_at)
    if first == info.linedefined and last == info.lastlinedefined then list[#list + 1] = node end
  end
  if #list == 0 then return nil end
  local node = #list == 1 and list[1] or choose(text, list, bytes, info.func)
  if not node then
    fail("%d functions are on line %d, and which of them the kernel is cannot be told: write each on a line of its own",
      #list, info.linedefined)
  end
  return node, chunk
end

local known = setmetatable({}, { __mode = "k" }) -- function -> what `find` gives

-- { fn =, node = its node, chunk = the chunk's, shown = the chunk's name in messages }. `text`: of the whole chunk,
-- where the caller has given it.
function source.find(fn, text)
  local found = known[fn]
  if found then return found end
  local info = getinfo(fn, "Sf")
  if info.what == "C" then
    fail("a function written in C has no Lua text to compile")
  end
  if info.source == "=?" then
    fail("the function has no debug information (it was stripped, by luac -s or string.dump), so its text is not known")
  end
  if info.what == "main" then fail("a whole chunk is no kernel: write a function") end
  local bytes = source.body_of(fn)
  local list, advice
  if text then
    list, advice = { text }, "the text in option 'source' does not contain the function"
  else
    list, advice = candidates(info)
  end
  for _, one in ipairs(list) do
    local node, chunk = find_in(one, bytes, info)
    if node then
      found = { fn = fn, node = node, chunk = chunk, shown = info.short_src }
      known[fn] = found
      return found
    end
  end
  fail("the text of the function at %s:%d is not found: %s", info.short_src, info.linedefined, advice)
end

-- "script.lua:12" and the column of a position.
function source.place(found, at)
  local line, column = lexer.place(found.chunk.lines, at)
  return ("%s:%d"):format(found.shown, line), column, line
end

-- Raises an error of kind `compile` about a place of the text.
function source.fail(found, at, text, ...)
  local place, column = source.place(found, at)
  local _, err = pcall(core.fail, "compile", ("%s: column %d: %s"):format(place, column, text:format(...)))
  err.at = place
  error(err, 0)
end

-- A line of the text, without blanks around it.
function source.line(found, line)
  local starts = found.chunk.lines
  local text = found.chunk.text:sub(starts[line], (starts[line + 1] or #found.chunk.text + 1) - 1)
  return text:match "^%s*(.-)%s*$"
end

return source
