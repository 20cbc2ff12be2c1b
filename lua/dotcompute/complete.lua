-- Completion at the prompt: names that begin with the word before the cursor. Names are looked up without running the
-- user's code, by raw reads of tables and of the __index tables of metatables.

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

-- `line` is the text up to the cursor. Returns the text to insert there ("" for none) and the candidates in columns.
return function(line, width)
  if not line:find "%S" then return "  ", "" end
  local chain, prefix = line:match "([%a_][%w_%.:]*[%.:])([%w_]*)$"
  if not chain then prefix = line:match "[%a_][%w_]*$" end
  if not prefix then return "", "" end

  local found = {}
  if chain then
    local value = _G
    for name in chain:gmatch "[^%.:]+" do
      value = lookup(value, name)
      if value == nil then return "", "" end
    end
    collect(value, prefix, chain:sub(-1) == ":", found)
  else
    collect(_G, prefix, false, found)
    for _, word in ipairs(keywords) do
      if word:sub(1, #prefix) == prefix then found[word] = true end
    end
  end

  local names = {}
  for name in pairs(found) do names[#names + 1] = name end
  if #names == 0 then return "", "" end
  table.sort(names)
  local insert = common_prefix(names):sub(#prefix + 1)
  return insert, #names > 1 and columns(names, width or 80) or ""
end
