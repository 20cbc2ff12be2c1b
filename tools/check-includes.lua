-- Checks the structure of src/ (docs/architecture.md, "Rooms"):
--   * includes point downwards, between rooms and between the folders of a room;
--   * there are no cycles of includes between units (a unit is X.c with X.h);
--   * a header declares only functions that its own .c file defines, or types;
--   * lua.h stays in lua/ and dclua/.
-- Usage: lua5.4 tools/check-includes.lua FILE...   (the C files and headers of src/)

-- The rooms that a room may include.
local knows = {
  base = "",
  file = "base",
  compile = "base",
  device = "base",
  kernel = "base compile device",
  comm = "base compile device",
  cuda = "base compile device comm",
  cpu = "base compile device comm",
  array = "base compile device kernel",
  lua = "base file compile device comm kernel cuda cpu array",
  compiler = "compile",
  dclua = "base compile lua",
}
-- The folders of a room from low to high: each may include those before it.  "" is the room itself.
local folders = {
  compile = { "nvrtc", "types", "nvcc_compat", "link", "" },
  cpu = { "simd", "ptx", "analysis", "interp", "codegen", "ops", "lib", "runtime" },
  comm = { "shim", "" },
  array = { "graph", "host", "codegen", "", "linalg" },
}

local rank = {}
for room, list in pairs(folders) do
  rank[room] = {}
  for i, name in ipairs(list) do rank[room][name] = i end
end
local may = {}
for room, list in pairs(knows) do
  may[room] = { [room] = true }
  for name in list:gmatch "%S+" do may[room][name] = true end
end

local failed = false
local function complain(path, line, text)
  failed = true
  print(("%s:%d: %s"):format(path, line, text))
end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

-- "cpu", "ptx" of "cpu/ptx/lex.h"; the folder of a file directly in a room is "".
local function place(path)
  local room, rest = path:match "^([^/]+)/(.*)$"
  return room, rest:match "^(.*)/[^/]+$" or ""
end

local function unit(path) return (path:gsub("%.[ch]$", "")) end

-- --- includes ---------------------------------------------------------------------------------------------

local exists, includes = {}, {} -- by path below src/; includes[unit][other unit] = "path:line"
for _, path in ipairs(arg) do exists[path:match "^src/(.*)$"] = true end

local function check_include(path, line, target)
  local name = path:match "^src/(.*)$"
  local room, folder = place(name)
  if not target:find "/" then -- headers that travel as text with emitted programs name their neighbours
    target = name:match "^(.*)/" .. "/" .. target
    if not exists[target] then return complain(path, line, "an include names the room: " .. target) end
  end
  local other, below = place(target)
  if not may[room] then return complain(path, line, "tools/check-includes.lua does not know the room " .. room) end
  if not may[room][other] then
    complain(path, line, ("%s/ is below %s/: %s includes %s"):format(room, other, name, target))
  elseif room == other and rank[room] then
    local mine, theirs = rank[room][folder], rank[room][below]
    if not mine or not theirs then
      complain(path, line, ("tools/check-includes.lua does not know the folder %s/%s"):format(room,
        mine and below or folder))
    elseif mine < theirs and not target:find "%.def$" then
      complain(path, line, ("%s/%s is below %s/%s: %s includes %s"):format(room, folder, room, below, name, target))
    end
  end
  if exists[target] and unit(target) ~= unit(name) then
    local list = includes[unit(name)]
    list[unit(target)] = list[unit(target)] or ("%s:%d"):format(path, line)
  end
end

for _, path in ipairs(arg) do
  local name = path:match "^src/(.*)$"
  local room = place(name)
  includes[unit(name)] = includes[unit(name)] or {}
  local n = 0
  for line in io.lines(path) do
    n = n + 1
    local target = line:match '^%s*#%s*include%s+"([^"]+)"'
    if target then check_include(path, n, target) end
    local system = line:match "^%s*#%s*include%s+[<\"]([%w_]+)%.h[>\"]"
    if (system == "lua" or system == "lauxlib" or system == "lualib") and room ~= "lua" and room ~= "dclua" then
      complain(path, n, "only lua/ and dclua/ know Lua")
    end
  end
end

-- --- cycles ------------------------------------------------------------------------------------------------

-- Depth-first search: a unit that is reached again while it is on the path closes a cycle, which is reported once.
local state, way = {}, {}
local function visit(u)
  state[u] = "on the way"
  way[#way + 1] = u
  for other, where in pairs(includes[u] or {}) do
    if state[other] == "on the way" then
      local cycle = {}
      for i = #way, 1, -1 do
        table.insert(cycle, 1, way[i])
        if way[i] == other then break end
      end
      local path, line = where:match "^(.*):(%d+)$"
      complain(path, tonumber(line), "a cycle of includes: " .. table.concat(cycle, " -> ") .. " -> " .. other)
    elseif not state[other] then
      visit(other)
    end
  end
  way[#way] = nil
  state[u] = "done"
end
local units = {}
for u in pairs(includes) do units[#units + 1] = u end
table.sort(units)
for _, u in ipairs(units) do if not state[u] then visit(u) end end

-- --- what headers declare ----------------------------------------------------------------------------------

-- The text without comments, literals and directives; line breaks are kept.
local function plain(text)
  text = text:gsub("/%*.-%*/", function(s) return (s:gsub("[^\n]", "")) end)
  text = text:gsub("\\\n", "  \n")
  text = ("\n" .. text):gsub("\n[ \t]*#[^\n]*", "\n"):sub(2)
  return (text:gsub('"[^"\n]*"', '""'):gsub("'[^'\n]*'", "0"))
end

-- Calls found(name, kind, line) for each function at file level: kind is "{" where it is defined, ";" where declared.
local function functions(text, found)
  local depth, start, line, first = 0, 1, 1, 1
  for at, c in text:gmatch "()([{};\n])" do
    if c == "\n" then
      line = line + 1
    elseif c == "{" then
      if depth == 0 then first = start end
      depth = depth + 1
    elseif c == "}" then
      depth = depth - 1
      if depth == 0 then start = at + 1 end
    elseif depth == 0 then
      local head = text:sub(start, at - 1)
      local name = head:match "([%a_][%w_]*)%s*%("
      if name and not head:find "typedef" and not head:find "=" and not head:find "%(%s*%*" then
        found(name, ";", line)
      end
      start = at + 1
    end
    if c == "{" and depth == 1 then
      local head = text:sub(first, at - 1)
      local name = head:gsub("__attribute__%b()", ""):match "([%a_][%w_]*)%s*%("
      if name and not head:find "=%s*$" then found(name, "{", line) end
    end
  end
end

local defined = {} -- function -> unit
for _, path in ipairs(arg) do
  if path:find "%.c$" then
    functions(plain(read(path)), function(name, kind)
      if kind == "{" then defined[name] = unit(path:match "^src/(.*)$") end
    end)
  end
end
for _, path in ipairs(arg) do
  local own = unit(path:match "^src/(.*)$")
  if path:find "%.h$" and not path:find "/simd/" and not path:find "/shims/" then
    functions(plain(read(path)), function(name, kind, line)
      if kind == ";" and defined[name] and defined[name] ~= own then
        complain(path, line, ("%s is defined in %s.c, whose header it belongs in"):format(name, defined[name]))
      end
    end)
  end
end

os.exit(not failed)
