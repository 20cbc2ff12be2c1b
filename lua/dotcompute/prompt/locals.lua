-- Locals of the prompt's entries as variables of the session.
--
-- Lua's locals end with their chunk, and each entry is one. So `local` at an entry's top level is taken out of the text
-- before it is compiled, and its names are declared: the environment of entries keeps declared names in itself, and
-- looks all others up in _G. To-be-closed variables stay locals.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local locals = {}

-- --- tokens -----------------------------------------------------------------------------------------------------

-- The end of a long bracket that begins at `at`, or nil.
local function long_end(text, at)
  local level = text:match("^%[(=*)%[", at)
  if not level then return nil end
  local _, last = text:find("]" .. level .. "]", at + #level + 2, true)
  return last or #text
end

-- The end of the quoted string that begins at `at`.
local function quoted_end(text, at)
  local quote, k = text:sub(at, at), at + 1
  while k <= #text do
    local c = text:sub(k, k)
    if c == quote or c == "\n" then return k end
    k = k + (c == "\\" and (text:match("^\\z%s*()", k) or k + 2) - k or 1)
  end
  return #text
end

-- Iterates over the tokens of a text: kind ("name", "string", "number", "sign"), first and last position.
-- Signs are single characters.
function locals.tokens(text)
  local at = 1
  return function()
    while true do
      at = text:match("^%s*()", at)
      if at > #text then return nil end
      if text:find("^%-%-", at) then
        at = (long_end(text, at + 2) or (text:find("\n", at, true) or #text + 1) - 1) + 1
      else
        local first, c, kind = at, text:sub(at, at), "sign"
        local last = at
        if c:find "[%a_]" then
          kind, last = "name", text:match("^[%w_]+()", at) - 1
        elseif c == '"' or c == "'" then
          kind, last = "string", quoted_end(text, at)
        elseif long_end(text, at) then
          kind, last = "string", long_end(text, at)
        elseif text:find("^%.?%d", at) then
          kind = "number"
          last = (text:match("^0[xX][%x%.]*()", at) or text:match("^[%d%.]*()", at)) - 1
          last = (text:match("^[eEpP][+-]?%d*()", last + 1) or last + 1) - 1
        end
        at = last + 1
        return kind, first, last
      end
    end
  end
end

local opens = { ["function"] = 1, ["do"] = 1, ["if"] = 1, ["repeat"] = 1, ["end"] = -1, ["until"] = -1 }

-- --- taking `local` out -------------------------------------------------------------------------------------------

-- Reads `name [attrib] {, name [attrib]}` from the list of tokens at index k: the names, whether one is to be closed,
-- spans of attribs, and the index behind.
local function read_names(list, k)
  local names, closes, spans = {}, false, {}
  while list[k] and list[k].kind == "name" do
    names[#names + 1] = list[k].text
    k = k + 1
    if list[k] and list[k].text == "<" and list[k + 2] and list[k + 2].text == ">" then
      closes = closes or list[k + 1].text == "close"
      spans[#spans + 1] = { list[k].first, list[k + 2].first }
      k = k + 3
    end
    if not list[k] or list[k].text ~= "," then break end
    k = k + 1
  end
  return names, closes, spans, k
end

-- The text without `local` at its top level, positions kept, and the set of names that it declares.
function locals.take_out(text)
  if not text:find("local", 1, true) then return text, {} end
  local list, names, edits, depth = {}, {}, {}, 0
  for kind, first, last in locals.tokens(text) do
    list[#list + 1] = { kind = kind, first = first, last = last, text = text:sub(first, last) }
  end
  local function blank(first, last, by) edits[#edits + 1] = { first, last, by or (" "):rep(last - first + 1) } end
  for k, t in ipairs(list) do
    if t.kind == "name" then
      depth = depth + (opens[t.text] or 0)
      local next_one = list[k + 1]
      if t.text == "local" and depth == 0 and next_one and next_one.text == "function" then
        if list[k + 2] then names[list[k + 2].text] = true end
        blank(t.first, t.last)
      elseif t.text == "local" and depth == 0 then
        local declared, closes, spans, behind = read_names(list, k + 1)
        if #declared > 0 and not closes then
          blank(t.first, t.last)
          for _, span in ipairs(spans) do blank(span[1], span[2]) end
          if not list[behind] or list[behind].text ~= "=" then
            local last = #spans > 0 and spans[#spans][2] > list[behind - 1].last and spans[#spans][2]
              or list[behind - 1].last
            edits[#edits + 1] = { last + 1, last, " = nil" }
          end
          for _, name in ipairs(declared) do names[name] = true end
        end
      end
    end
  end
  local out, at = {}, 1
  for _, e in ipairs(edits) do
    out[#out + 1] = text:sub(at, e[1] - 1) .. e[3]
    at = e[2] + 1
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out), names
end

-- --- the environment of entries ------------------------------------------------------------------------------------

-- A table for the entries' globals. Declared names are its own from their first assignment on, so that `local f = f`
-- still reads the global one; `defaults` are used where _G has nothing. Gives the table and the function that declares
-- names.
function locals.environment(defaults)
  local declared, own = {}, {} -- own: names that have been assigned, perhaps nil
  local env = setmetatable({}, {
    __index = function(_, name)
      if own[name] then return nil end
      local value = _G[name]
      if value == nil and defaults[name] then return defaults[name]() end
      return value
    end,
    __newindex = function(env, name, value)
      if declared[name] then
        own[name] = true
        rawset(env, name, value)
      else
        _G[name] = value
      end
    end,
  })
  return env, function(names)
    for name in pairs(names) do declared[name] = true end
  end
end

return locals
