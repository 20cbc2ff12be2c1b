-- Tokens of Lua 5.4 with their places. The texts have been compiled by Lua before, so mistakes in them cannot occur but
-- where a text is not the one that was compiled; then the parser fails and the text is refused.
--
-- A list of tokens is four lists of the same length: kind ("name", "number", "string", "eof", or the keyword or sign
-- itself), value (of names, numbers and strings), first and last (positions in the text).
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local load = load
local lexer = {}

local keywords = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true
  until while]]):gmatch "%S+" do
  keywords[word] = word
end

local signs = {}
for sign in ([[... << >> // == ~= <= >= :: .. + - * / % ^ # & ~ | < > = ( ) { } [ ] ; : , .]]):gmatch "%S+" do
  signs[sign] = true
end

local alone = {} -- signs of one byte that are not the beginning of a longer one: byte -> sign
for sign in ("+ - * % ^ # & | ( ) { } [ ] ; ,"):gmatch "%S" do alone[sign:byte()] = sign end

-- The sign that begins at `at` with this byte, the longest one.
local function sign_at(text, at, byte)
  if alone[byte] then return alone[byte] end
  for length = 3, 1, -1 do
    local sign = text:sub(at, at + length - 1)
    if #sign == length and signs[sign] then return sign end
  end
end

local function fail(at, text) error({ at = at, text = text }, 0) end

-- The position behind the long bracket that begins at `at`, and where its contents begin and end; nil where there is
-- none.
local function long_bracket(text, at)
  local level = text:match("^%[(=*)%[", at)
  if not level then return nil end
  local first, last = text:find("]" .. level .. "]", at + #level + 2, true)
  if not first then fail(at, "a long bracket has no end") end
  return last + 1, at + #level + 2, first - 1
end

-- The position behind the quoted string that begins at `at`.
local function quoted(text, at)
  local quote, k = text:sub(at, at), at + 1
  while true do
    k = text:find("[\"'\\\r\n]", k)
    if not k then fail(at, "a string has no end") end
    local c = text:sub(k, k)
    if c == quote then return k + 1 end
    if c == "\r" or c == "\n" then fail(at, "a string has no end") end
    if c == "\\" then
      k = text:match("^z%s*()", k + 1) or text:match("^\r\n()", k + 1) or text:match("^\n\r()", k + 1) or k + 2
    else
      k = k + 1
    end
  end
end

-- The position behind the numeral that begins at `at`, as Lua reads it.
local function numeral(text, at)
  local digits, letter = text:match("^%d+()(.?)", at)
  if digits and not letter:find "[%w%.]" then return digits end
  local exponent = "^[eE][+-]?()"
  local k = at
  if text:find("^0[xX]", at) then
    exponent, k = "^[pP][+-]?()", at + 2
  end
  while true do
    local behind = text:match(exponent, k) or text:match("^[%x%.]()", k)
    if not behind then return k end
    k = behind
  end
end

-- As load, with the global variables of env alone; raises where memory is lacking, which is no fault of the text.
function lexer.load(text, name, env)
  local chunk, why = load(text, name, "t", env or {})
  if why == "not enough memory" then error(why, 0) end
  return chunk
end

-- The value of a string's text: Lua's own reading of it where it is more than the bytes between two quotes.
local function string_value(token)
  if not token:find "[\\[]" then return token:sub(2, -2) end
  local chunk = lexer.load("return " .. token, "=string")
  return chunk and chunk() or ""
end

local LETTER <const>, DIGIT <const> = 1, 2
local classes = {} -- of bytes
for byte = 0, 255 do
  local c = string.char(byte)
  classes[byte] = c:find "[%a_]" and LETTER or c:find "%d" and DIGIT or nil
end

function lexer.tokens(text)
  local kinds, values, firsts, lasts, n = {}, {}, {}, {}, 0
  local byte_at, match, size = string.byte, string.match, #text -- looked up once
  local at = match(text, "^%s*()")
  while at <= size do
    local byte = byte_at(text, at)
    local class = classes[byte]
    if byte == 45 and byte_at(text, at + 1) == 45 then -- "--"
      at = match(text, "^%s*()", long_bracket(text, at + 2) or match(text, "^[^\r\n]*()", at))
    else
      local kind, value, last, behind
      n = n + 1
      firsts[n] = at
      if class == LETTER then
        value, behind = match(text, "^([%w_]+)%s*()", at)
        kind, last = keywords[value] or "name", at + #value - 1
      elseif class == DIGIT or byte == 46 and classes[byte_at(text, at + 1)] == DIGIT then
        kind, last = "number", numeral(text, at) - 1
        value = tonumber(text:sub(at, last))
        if not value then fail(at, "a malformed number") end
      elseif byte == 34 or byte == 39 or (byte == 91 and text:find("^%[=*%[", at)) then
        kind, last = "string", (byte == 91 and long_bracket(text, at) or quoted(text, at)) - 1
        value = string_value(text:sub(at, last))
      else
        kind = sign_at(text, at, byte)
        if not kind then fail(at, "a character that Lua does not have") end
        last = at + #kind - 1
      end
      kinds[n], values[n], lasts[n] = kind, value, last
      at = behind or match(text, "^%s*()", last + 1)
    end
  end
  n = n + 1
  kinds[n], firsts[n], lasts[n] = "eof", size + 1, size + 1
  return { kind = kinds, value = values, first = firsts, last = lasts, count = n }
end

-- The positions at which lines begin; a line ends with \n, \r, \r\n or \n\r.
function lexer.lines(text)
  local starts, at = { 1 }, 1
  local plain = not text:find("\r", 1, true) -- most texts have none, and a plain search is faster
  while true do
    local k = text:find(plain and "\n" or "[\r\n]", at, plain)
    if not k then return starts end
    at = not plain and (text:match("^\r\n()", k) or text:match("^\n\r()", k)) or k + 1
    starts[#starts + 1] = at
  end
end

-- Line and column of a position; columns count bytes, from 1.
function lexer.place(starts, at)
  local low, high = 1, #starts
  while low < high do
    local middle = (low + high + 1) // 2
    if starts[middle] <= at then low = middle else high = middle - 1 end
  end
  return low, at - starts[low] + 1
end

return lexer
