-- dc.memory: the memory in use on a device, by line of the script; dc.memory_limit.
local core = require "dotcompute.core"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local SHOWN = 20 -- lines in a report

local function amount(n)
  if n < 1024 then return ("%d bytes"):format(n) end
  for _, unit in ipairs { "KiB", "MiB", "GiB" } do
    n = n / 1024
    if n < 1024 or unit == "GiB" then return ("%.4g %s"):format(n, unit) end
  end
end

local function plural(n) return n == 1 and "" or "s" end

local function report(usage)
  local text = { ("%s: %s in use, %s reserved, peak %s"):format(usage.device, amount(usage.in_use),
    amount(usage.reserved), amount(usage.peak)),
    ("  %s free of %s%s"):format(amount(usage.free), amount(usage.total),
      usage.limit and ", limit " .. amount(usage.limit) or "") }
  local noted = 0
  for k, line in ipairs(usage.lines) do
    noted = noted + line.bytes
    if k <= SHOWN then
      text[#text + 1] = ("  %12s  %6d array%s  %s"):format(amount(line.bytes), line.count,
        line.count == 1 and " " or "s", line.where)
    end
  end
  if #usage.lines > SHOWN then
    text[#text + 1] = ("  and %d line%s more"):format(#usage.lines - SHOWN, plural(#usage.lines - SHOWN))
  end
  if usage.in_use > noted then
    text[#text + 1] = ("  %12s  not noted (dc.memory \"trace\" notes arrays below 1 MiB too)"):format(
      amount(usage.in_use - noted))
  end
  return table.concat(text, "\n")
end

local usage_meta = { __tostring = report, __name = "dotcompute.memory" }
function usage_meta.__index(t, name)
  if name ~= "limit" then interface.missing("the memory in use", name, t) end
end

local function usage(device) return setmetatable(core.usage(device), usage_meta) end

local actions = {
  report = function(device) return report(core.usage(device)) end,
  trace = function() core.trace_memory(true) end,
  untrace = function() core.trace_memory(false) end,
  trim = core.trim,
  reset = core.forget_peak,
}

-- memory([device]) or memory(action [, device]): see docs/api.md.
local function memory(what, device)
  local action = type(what) == "string" and actions[what]
  local result -- not a tail call: errors have the name of the function that the script called
  if action then result = action(device) else result = usage(what) end
  return result
end

-- memory_limit(bytes or nil [, device])
local function memory_limit(...)
  local bytes, device = ...
  local n = bytes
  if select("#", ...) == 0 then
    core.fail("argument", "dc.memory_limit takes a number of bytes, or nil for no limit")
  end
  if bytes ~= nil then
    n = math.type(bytes) and math.tointeger(bytes)
    if not n or n < 1 then
      core.fail("argument", ("dc.memory_limit: a whole number of bytes from 1 on, or nil for no limit, got %s"):format(
        core.describe(bytes)))
    end
  end
  return core.set_limit(n, device)
end

return { memory = memory, memory_limit = memory_limit }
