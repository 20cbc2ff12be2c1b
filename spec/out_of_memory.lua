-- Runs a function in copies of this process, in each of which another allocation fails (spec/c/failing_malloc.c, which
-- this process has been started with).
-- Usage: lua5.4 spec/out_of_memory.lua SCRIPT HOW WHO MOST FIRST   SCRIPT returns the function, which returns a text.
-- At most MOST of the allocations are tried, evenly, from number FIRST on. In each copy the function raises an error of
-- kind memory (or Lua's own), or returns what it returns elsewhere; then it must return that. Prints what was not so,
-- and at the end the number of allocations.
local failing = require "failing_malloc"
local script, how, who, most, first = arg[1], arg[2], arg[3], tonumber(arg[4]), tonumber(arg[5])
local work = dofile(script)
local answer = os.tmpname() -- what the copy has to say

local function write(text)
  local f <close> = assert(io.open(answer, "w"))
  f:write(text)
end

local function read()
  local f <close> = assert(io.open(answer))
  return f:read "a"
end

-- Calls fn in a copy; what it returns, and how the copy ended.
local function in_copy(fn)
  write ""
  local is_copy, status = failing.fork()
  if not is_copy then return read(), status end
  write(fn())
  os.exit(true, true)
end

local function bytes_live()
  collectgarbage()
  collectgarbage()
  return require "dotcompute".stats().bytes_live
end

-- Lua's require calls a module missing whose file cannot be opened for any reason.
local function is_lack_of_memory(err)
  if type(err) == "table" then return err.kind == "memory" end
  local text = tostring(err)
  return text:find "not enough memory" ~= nil or text:find "module '[^']*' not found" ~= nil
end

local all = in_copy(function()
  failing.arm(math.maxinteger, how, who)
  local got = work()
  local count = failing.disarm()
  return ("%d %d %s"):format(count, bytes_live(), got)
end)
local count, bytes, want = all:match "^(%d+) (%d+) (.*)$"
assert(count, all)
count, bytes = tonumber(count), tonumber(bytes)

local step = math.max(1, count // most)
for n = first % step + 1, count, step do
  local text, status = in_copy(function()
    failing.arm(n, how, who)
    local ok, got = pcall(work)
    failing.disarm()
    if ok and got ~= want then return "another result: " .. got end
    if not ok and not is_lack_of_memory(got) then
      return "another error: " .. tostring(type(got) == "table" and got.kind) .. ": " .. tostring(got)
    end
    local why = ok and "" or tostring(got)
    for _ = 1, 2 do -- what failed may not be remembered, nor lost
      ok, got = pcall(work)
      if not ok or got ~= want then return ("afterwards: %s (it had failed with: %s)"):format(tostring(got), why) end
    end
    local now = bytes_live()
    if now ~= bytes then return ("%d bytes of the device in use, not %d"):format(now, bytes) end
    return ""
  end)
  if text ~= "" or status ~= 0 then print(("allocation %d: status %d: %s"):format(n, status, text)) end
end
os.remove(answer)
print(("%d allocations"):format(count))
