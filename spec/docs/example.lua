-- Runs an example of the reference. What stands behind "-->" is compared with the values of the expression before it,
-- or with what the statement prints, or with the values of the locals that it declares:
--
--   a:shape()                 --> 2, 3           values, as the prompt shows them, arrays without their first line
--   print(a[1])               --> 34.0
--   local n = #a              --> 2
--   dc.zeros(-1)              --> error shape    the kind of error
--   dc.clock()                --> 0.12…          "…" is any text
--
-- White space counts nowhere, nor do quotes around a string; a fraction is compared as it is rounded there. Lines that
-- begin with "-->" continue the line above.
local show = require "dotcompute.prompt.show"

local example = {}

-- --- comparing ----------------------------------------------------------------------------------------------------

local NUMBER = "^%-?%d+%.?%d*"

-- A number's text at a position, with its exponent, and the position behind it.
local function number_at(text, at)
  local digits = text:match(NUMBER, at)
  if not digits then return nil end
  local exponent = text:match("^[eE][%+%-]?%d+", at + #digits) or ""
  return digits .. exponent, at + #digits + #exponent
end

-- Whether `got` is `want`, or is it when rounded to as many decimals.
local function same_number(want, got)
  local w, g = tonumber(want), tonumber(got)
  if w == g then return true end
  local decimals = want:match "^%-?%d+%.(%d+)$"
  return decimals ~= nil and math.abs(w - g) <= 0.5000001 * 10.0 ^ -#decimals
end

local function same(want, got)
  local i, k = 1, 1
  while i <= #want and k <= #got do
    local w, after_w = number_at(want, i)
    local g, after_g = number_at(got, k)
    if w and g then
      if not same_number(w, g) then return false end
      i, k = after_w, after_g
    else
      if want:byte(i) ~= got:byte(k) then return false end
      i, k = i + 1, k + 1
    end
  end
  return i > #want and k > #got
end

local function bare(text) return (text:gsub("%s+", "")) end

-- Whether what is written behind "-->" describes the text.
function example.matches(want, got)
  want, got = bare(want), bare(got)
  if want:find "…" then
    local pattern = want:gsub("[^%w\x80-\xff]", "%%%0"):gsub("…", ".*")
    return got:find("^" .. pattern .. "$") ~= nil
  end
  return same(want, got)
end

-- A value as text: as the prompt shows it, an array by its elements alone.
local function text_of(v, quotes)
  if type(v) == "string" and quotes then return '"' .. v .. '"' end
  return (show.value(v, 200):gsub("^%w+ array %(.-%) on %S+\n", ""))
end

local function texts_of(quotes, ...)
  local list = {}
  for k = 1, select("#", ...) do list[k] = text_of((select(k, ...)), quotes) end
  return table.concat(list, ", ")
end

-- --- the code -----------------------------------------------------------------------------------------------------

local function is_chunk(text) return load(text) ~= nil end

-- Code and expected text of a line; lines that continue the expected text are joined to it.
local function lines_of(code)
  local list = {}
  for line in (code .. "\n"):gmatch "(.-)\n" do
    local text, want = line:match "^(.-)%s*%-%->%s*(.-)%s*$"
    if want and not text:find "%S" and #list > 0 and list[#list].want then
      list[#list].want = list[#list].want .. " " .. want
    else
      list[#list + 1] = { text = text or line, want = want }
    end
  end
  return list
end

-- The statement that checks `text`, which is complete.
local function checked(text, want, k)
  if is_chunk("return " .. text) and not text:find "^%s*print%f[%W]" then
    if want:find "^error%f[%W]" then return ("__raises(%d, function() return %s\nend)"):format(k, text) end
    return ("__check(%d, %s)"):format(k, text)
  end
  if not is_chunk(text) then return nil end
  if want:find "^error%f[%W]" then return ("__raises(%d, function() %s\nend)"):format(k, text) end
  local names = text:match "^%s*local%s+([%w_,%s<>]-)%s*="
  if names then return ("%s; __check(%d, %s)"):format(text, k, (names:gsub("%s*<%a+>", ""))) end
  return ("%s; __printed(%d)"):format(text, k)
end

-- The example with a check in place of each "-->", and the expected texts; or nil and what cannot be understood.
local function instrument(code)
  local out, wants, open = {}, {}, nil
  for _, line in ipairs(lines_of(code)) do
    open = open and open .. "\n" .. line.text or line.text
    if line.want then
      wants[#wants + 1] = line.want
      out[#out + 1] = checked(open, line.want, #wants)
      if #out == 0 or not is_chunk(out[#out]) then return nil, "cannot check: " .. open end
      open = nil
    elseif is_chunk(open) then
      out[#out + 1] = open
      open = nil
    end
  end
  if open then return nil, "not a statement: " .. open end
  return table.concat(out, "\n"), wants
end

-- Runs an example among these variables. Returns how many values were checked, and a list of complaints.
function example.run(code, variables)
  local text, wants = instrument(code)
  if not text then return 0, { wants } end
  local complaints, count, printed = {}, 0, {}
  local env = setmetatable({}, { __index = _G })
  for name, v in pairs(variables) do env[name] = v end
  local function complain(k, got) complaints[#complaints + 1] = ("--> %s, but it is %s"):format(wants[k], got) end
  function env.print(...)
    local list = {}
    for k = 1, select("#", ...) do list[k] = tostring((select(k, ...))) end
    printed[#printed + 1] = table.concat(list, "\t")
  end
  function env.__check(k, ...)
    count = count + 1
    local plain = texts_of(false, ...)
    if not example.matches(wants[k], plain) and not example.matches(wants[k], texts_of(true, ...)) then
      complain(k, plain)
    end
  end
  function env.__printed(k)
    count = count + 1
    local got = table.concat(printed, "\n")
    printed = {}
    if not example.matches(wants[k], got) then complain(k, "printed: " .. got) end
  end
  function env.__raises(k, fn)
    count = count + 1
    local ok, err = pcall(fn)
    local kind = type(err) == "table" and err.kind or "of Lua: " .. tostring(err)
    if ok then complain(k, "no error")
    elseif not example.matches(wants[k], "error " .. kind) then complain(k, "error " .. kind) end
  end
  local print, stdout = print, io.stdout
  _G.print, io.stdout = env.print, io.tmpfile() -- luacheck: ignore (pictures are written there)
  local ok, err = pcall(assert(load(text, text, "t", env)))
  io.stdout:close()
  _G.print, io.stdout = print, stdout -- luacheck: ignore
  if not ok then complaints[#complaints + 1] = tostring(err) end
  return count, complaints
end

return example
