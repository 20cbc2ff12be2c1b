-- dc.progress: how far a loop is, on the terminal: share, count, rate, time left.
--
-- The line is drawn on standard error, behind the cursor, which is put back (as src/base/notice.c does it): what a
-- script has written in that line stays. While a line is on the screen `print`, `io.write` and the `write` of files are
-- wrapped, so that the script's next output erases it first; it is drawn again by a later step. Where standard error is
-- no terminal nothing is drawn and nothing is wrapped.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local INTERVAL = 0.1 -- seconds between two drawings
local DELAY = 0.5    -- before the first
local BAR = 20       -- columns of the bar

local function fail(text, ...) core.fail("argument", ("dc.progress: " .. text):format(...)) end

-- --- the line on the screen ---------------------------------------------------------------------------------------

local files = debug.getmetatable(io.stdout).__index -- methods of files
if type(files) ~= "table" then files = {} end       -- the script has put something else there
local originals -- while a line is on the screen: what `print`, `io.write` and `write` of files were

local function unwrap()
  if not originals then return end
  local o = originals
  originals = nil
  if print == o.our_print then print = o.print end -- luacheck: ignore
  if io.write == o.our_write then io.write = o.io_write end -- luacheck: ignore
  if files.write == o.our_file_write then files.write = o.file_write end
end

local function erase()
  if not originals then return end
  unwrap()
  io.stderr:write "\27[K"
end

local function wrap()
  local o = { print = print, io_write = io.write, file_write = files.write }
  function o.our_print(...)
    erase()
    return o.print(...)
  end
  function o.our_write(...)
    if io.output() == io.stdout or io.output() == io.stderr then erase() end
    return o.io_write(...)
  end
  function o.our_file_write(file, ...)
    if file == io.stdout or file == io.stderr then erase() end
    return o.file_write(file, ...)
  end
  print, io.write, files.write = o.our_print, o.our_write, o.our_file_write -- luacheck: ignore
  originals = o
end

-- Control characters of a title would be commands for the terminal.
local function plain(text) return (text:gsub("%c", "?")) end

-- The first `columns` characters.
local function cut(text, columns)
  local at = utf8.len(text) and utf8.len(text) > columns and utf8.offset(text, columns + 1)
  if at then return text:sub(1, at - 1) end
  return utf8.len(text) and text or text:sub(1, columns)
end

-- --- text ---------------------------------------------------------------------------------------------------------

local function duration(s)
  if s < 60 then return ("%d s"):format(math.ceil(s)) end
  if s < 3600 then return ("%d:%02d min"):format(s // 60, s % 60 // 1) end
  if s < 360000 then return ("%d:%02d h"):format(s // 3600, s % 3600 // 60) end
  return "days"
end

local function count_text(v) return math.type(v) == "integer" and ("%d"):format(v) or ("%.6g"):format(v) end

local function rate_text(rate)
  if rate >= 1e6 then return ("%.3gM/s"):format(rate / 1e6) end
  if rate >= 1e4 then return ("%.3gk/s"):format(rate / 1e3) end
  if rate >= 1 then return ("%.4g/s"):format(rate) end
  return ("%.3g s each"):format(1 / rate)
end

local function text_of(p, now)
  local title = p.title and p.title .. " " or ""
  local rate = p.done / (now - p.start)
  local speed = p.done > 0 and ", " .. rate_text(rate) or ""
  if not p.n then return ("%s%s%s"):format(title, count_text(p.done), speed) end
  local share = p.n == 0 and 1 or math.min(p.done / p.n, 1)
  local filled = math.floor(share * BAR)
  local left = p.done > 0 and p.done < p.n and ", " .. duration((p.n - p.done) / rate) .. " left" or ""
  return ("%s%3d%% [%s%s] %s/%d%s%s"):format(title, share * 100 // 1, ("#"):rep(filled), ("."):rep(BAR - filled),
    count_text(p.done), p.n, speed, left)
end

local function draw(p, now)
  local columns = core.status_columns()
  if not columns then return end
  unwrap()
  io.stdout:flush() -- what the script has written stands before it
  io.stderr:write("\0277\27[?7l", cut(text_of(p, now), columns - 1), "\27[K\27[?7h\0278")
  wrap()
end

-- --- the object ---------------------------------------------------------------------------------------------------

local methods = {}
local optional = { n = true, title = true } -- fields that may be nil
setmetatable(methods, { __index = function(_, name)
  if not optional[name] then interface.missing("a progress", name, methods) end
end })
local meta = { __index = methods, __name = "dotcompute.progress" }
function meta.__newindex(_, name) core.fail("index", ("a progress's '%s' cannot be set"):format(tostring(name))) end

local function check(self, name)
  if getmetatable(self) ~= meta then fail("'%s' is a method of a progress: p:%s(…)", name, name) end
end

-- step([k]): k more are done.
function methods:step(k)
  check(self, "step")
  if k == nil then k = 1 end
  if type(k) ~= "number" or k ~= k or k < 0 or k == math.huge then
    fail("a step is a number from 0 on, got %s", core.describe(k))
  end
  if self.closed then fail "the progress is closed" end
  self.done = self.done + (math.tointeger(k) or k)
  local now = dc.clock()
  if now < self.next then return self end
  self.next = now + INTERVAL
  draw(self, now)
  return self
end

-- close(): erases the line. Closing twice is fine.
function methods:close()
  check(self, "close")
  if not self.closed then erase() end
  self.closed = true
end

meta.__close = methods.close
meta.__gc = methods.close
interface.methods(methods)

function meta:__tostring()
  return ("progress (%s%s%s)"):format(tostring(self.done), self.n and " of " .. tostring(self.n) or "",
    self.closed and ", closed" or "")
end

local function new(n, title)
  local now = dc.clock()
  return setmetatable({ n = n, title = title and plain(title), done = 0, start = now, next = now + DELAY,
    closed = false }, meta)
end

-- --- dc.progress --------------------------------------------------------------------------------------------------

local function integer(what, v)
  local i = type(v) == "number" and math.tointeger(v)
  if not i then fail("%s is an integer, got %s", what, core.describe(v)) end
  return i
end

-- The iterator of `for i in dc.progress(first, last, step)`: Lua closes the object, its fourth value, when the loop
-- ends in any way.
local function loop(first, last, step, title)
  first, last = integer("the first value", first), integer("the last value", last)
  step = step == nil and 1 or integer("the step", step)
  if step == 0 then fail "the step is not 0" end
  local low, high = first, last
  if step < 0 then low, high = last, first end
  if high - low < 0 and low <= high or step == math.mininteger then fail "the loop has too many steps to be counted" end
  local n = low <= high and (high - low) // math.abs(step) + 1 or 0
  if n < 0 then fail "the loop has too many steps to be counted" end
  local p, k = new(n, title), 0
  return function()
    if k > 0 then p:step() end
    if k == n then return nil end
    k = k + 1
    return first + (k - 1) * step
  end, nil, nil, p
end

-- progress([n] [, {title=}]) gives an object; progress(first, last [, step] [, {title=}]) what `for` iterates over.
local function progress(...)
  local list, options = { ... }, nil
  local count = select("#", ...)
  while count > 0 and list[count] == nil do count = count - 1 end
  if type(list[count]) == "table" then
    options, list[count] = list[count], nil
    count = count - 1
  end
  options = arguments.check("dc.progress", options, { title = "string" })
  if count > 3 then core.fail_count("dc.progress", "at most a first value, a last value, a step and options", count) end
  if count >= 2 then return loop(list[1], list[2], list[3], options.title) end
  local n = list[1]
  if n ~= nil then
    n = integer("the number of steps", n)
    if n < 0 then fail("the number of steps is not negative, got %d", n) end
  end
  return new(n, options.title)
end

return { progress = progress }
