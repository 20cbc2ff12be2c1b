-- Completion at the prompt: names that begin with the word before the cursor; in a string dtypes, devices and files.
-- Names are looked up without running the user's code, by raw reads of tables and of the __index tables of metatables.
local core = require "dotcompute.core"
local commands = require "dotcompute.prompt.commands"
local locals = require "dotcompute.prompt.locals"
core.builtin(debug.getinfo(1, "S").source)

local keywords = {
  "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not",
  "or", "repeat", "return", "then", "true", "until", "while",
}

-- The table of a value's methods: its metatable's __index, or nil.
local function index_table(value)
  local meta = debug.getmetatable(value)
  if type(meta) ~= "table" then return nil end
  local index = rawget(meta, "__index")
  if type(index) == "table" then return index end
  -- __index is a function: types of dotcompute list their methods in __methods
  local methods = rawget(meta, "__methods")
  return type(methods) == "table" and methods or nil
end

local function lookup(value, name)
  for _ = 1, 10 do
    if type(value) == "table" then
      local found = rawget(value, name)
      if found ~= nil then return found end
    end
    value = index_table(value)
    if value == nil then return nil end
  end
end

local function collect(value, prefix, methods_only, found)
  for _ = 1, 10 do
    if type(value) == "table" then
      for name, v in next, value do
        if type(name) == "string" and name:sub(1, #prefix) == prefix and name:match "^[%a_][%w_]*$"
          and (not methods_only or type(v) == "function" or type(v) == "userdata") then
          found[name] = true
        end
      end
    end
    value = index_table(value)
    if value == nil then return end
  end
end

-- The value; of a table of dotcompute's whose file is read when it is first used, what the file gives.
local function loaded(value)
  local functions = core.lazy and core.lazy[value]
  return functions and functions() or value
end

-- Fields, which are computed when they are read: those of the reference.
local function collect_fields(value, prefix, found)
  local meta = type(value) == "userdata" and debug.getmetatable(value)
  local name = type(meta) == "table" and rawget(meta, "__name")
  local class = type(name) == "string" and name:match "^dotcompute%.(%w+)"
  if not class then return end
  for _, field in ipairs(require "dotcompute.reference".fields(class)) do
    if field:sub(1, #prefix) == prefix then found[field] = true end
  end
  local kernels = class == "module" and rawget(meta, "__methods").kernels
  local ok, names = pcall(kernels or error, value)
  for _, kernel in ipairs(ok and names or {}) do
    if kernel:sub(1, #prefix) == prefix and kernel:find "^[%a_][%w_]*$" then found[kernel] = true end
  end
end

local function common_prefix(names)
  local prefix = names[1]
  for k = 2, #names do
    while names[k]:sub(1, #prefix) ~= prefix do prefix = prefix:sub(1, -2) end
  end
  return prefix
end

-- Names in columns, as wide as `width`.
local function columns(names, width)
  local widest = 0
  for _, name in ipairs(names) do widest = math.max(widest, #name) end
  local per_line, out = math.max(1, width // (widest + 2)), {}
  for k, name in ipairs(names) do
    local last = k % per_line == 0 or k == #names
    out[#out + 1] = last and name .. (k < #names and "\n" or "") or name .. (" "):rep(widest + 2 - #name)
  end
  return table.concat(out)
end

-- --- strings ------------------------------------------------------------------------------------------------------

-- What stands in an open string before the cursor, or nil.
local function open_string(line)
  local text, quote
  for kind, first, last in locals.tokens(line) do
    local c = line:sub(first, first)
    if kind == "string" and c ~= "[" and last == #line and (last == first or line:sub(last) ~= c) then
      text, quote = line:sub(first + 1), c
    end
  end
  return text, quote
end

-- Files and folders that begin so. A folder's name ends in "/".
local function files(prefix, found)
  local folder = prefix:match "^(.*/)" or ""
  local list = io.popen(("ls -1ap -- %s 2>/dev/null"):format(commands.quote(folder == "" and "." or folder)))
  if not list then return end
  for name in list:lines() do
    local path = folder .. name
    if name ~= "./" and name ~= "../" and path:sub(1, #prefix) == prefix
      and (name:sub(1, 1) ~= "." or prefix:sub(#folder + 1, #folder + 1) == ".") then
      found[path] = true
    end
  end
  list:close()
end

-- Dtypes, devices and files; files alone where the prefix is a path.
local function collect_strings(prefix, found)
  files(prefix, found)
  if prefix:find "/" then return end
  for _, name in ipairs(core.dtypes()) do
    if name:sub(1, #prefix) == prefix then found[name] = true end
  end
  local dc = package.loaded["dotcompute.core"] and package.loaded["dotcompute"]
  local ok, devices = pcall(function() return dc and dc.devices() or {} end)
  for _, device in ipairs(ok and devices or {}) do
    if device.id:sub(1, #prefix) == prefix then found[device.id] = true end
  end
end

-- Names that help explains.
local function collect_topics(prefix, found)
  for _, name in ipairs(require "dotcompute.reference".names()) do
    if name:sub(1, #prefix) == prefix then found[name] = true end
  end
end

-- --- the candidates -----------------------------------------------------------------------------------------------

local function answer(found, prefix, width)
  local names = {}
  for name in pairs(found) do names[#names + 1] = name end
  if #names == 0 then return "", "" end
  table.sort(names)
  local insert = common_prefix(names):sub(#prefix + 1)
  return insert, #names > 1 and columns(names, width or 80) or ""
end

-- The value of a name at the beginning of a chain: of the session or _G. `dc` is loaded for it.
local function root(name, env)
  local value = env and rawget(env, name)
  if value == nil then value = lookup(_G, name) end
  if value == nil and name == "dc" and env then value = env.dc end
  return value
end

-- `line` is the text up to the cursor, `env` the session's environment. Returns the text to insert there ("" for none)
-- and the candidates in columns.
return function(line, width, env)
  if not line:find "%S" then return "  ", "" end
  local found = {}
  local topic = line:match "^%s*%?%s*([%a_][%w_]*)$" or line:match "^%s*help%s*%(?%s*[\"']([%a_][%w_]*)$"
  if topic then
    collect_topics(topic, found)
    if env then collect(env, topic, false, found) end
    return answer(found, topic, width)
  end
  local text = open_string(line)
  if text then
    collect_strings(text, found)
    return answer(found, text, width)
  end
  local command = line:match "^%s*%%(%a*)$"
  if command then
    for _, name in ipairs { "time", "timeit", "load", "save", "edit" } do
      if name:sub(1, #command) == command then found[name] = true end
    end
    return answer(found, command, width)
  end
  local path = line:match "^%s*%%load%s+(.*)$" or line:match "^%s*%%save%s+(.*)$" or line:match "^%s*%%edit%s+(.*)$"
  if path then
    files(path, found)
    return answer(found, path, width)
  end
  local chain, prefix = line:match "([%a_][%w_%.:]*[%.:])([%w_]*)$"
  if not chain then prefix = line:match "[%a_][%w_]*$" end
  if not prefix then return "", "" end
  if chain then
    local value, first = nil, true
    for name in chain:gmatch "[^%.:]+" do
      if first then value = root(name, env)
      else value = lookup(value, name) end
      first = false
      if value == nil then return "", "" end
    end
    collect(loaded(value), prefix, chain:sub(-1) == ":", found)
    if chain:sub(-1) == "." then collect_fields(value, prefix, found) end
  else
    collect(_G, prefix, false, found)
    if env then
      collect(env, prefix, false, found)
      for _, name in ipairs { "dc", "help" } do
        if name:sub(1, #prefix) == prefix then found[name] = true end
      end
    end
    for _, word in ipairs(keywords) do
      if word:sub(1, #prefix) == prefix then found[word] = true end
    end
  end
  return answer(found, prefix, width)
end
