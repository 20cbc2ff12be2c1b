-- dc.time: the device time of a function's work; dc.range.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
core.builtin(debug.getinfo(1, "S").source)

local WARM_UPS = 2

-- Calls fn and evaluates the arrays that it returns, which may be pending.
local function once(fn, ...)
  local results = table.pack(fn(...))
  for k = 1, results.n do
    if type(results[k]) == "userdata" and core.is_array(results[k]) then results[k]:eval() end
  end
end

-- By events between the calls, which the device records as it reaches them: the time that Lua takes to issue the next
-- call counts only if the device is faster.
local function by_events(fn, reps, ...)
  local events, times = {}, {}
  for k = 0, reps do events[k] = dc.event() end
  events[0]:record()
  for k = 1, reps do
    once(fn, ...)
    events[k]:record()
  end
  for k = 1, reps do times[k] = events[k - 1]:elapsed(events[k]) end
  return times
end

-- By the host's clock, for a device whose launches return when the work is done.
local function by_clock(fn, reps, ...)
  local times = {}
  for k = 1, reps do
    local start = dc.clock()
    once(fn, ...)
    dc.synchronize()
    times[k] = dc.clock() - start
  end
  return times
end

local function summary(times)
  local sorted, sum = table.move(times, 1, #times, 1, {}), 0
  table.sort(sorted)
  for _, t in ipairs(times) do sum = sum + t end
  local half = #sorted // 2
  local median = #sorted % 2 == 1 and sorted[half + 1] or (sorted[half] + sorted[half + 1]) / 2
  return { median = median, min = sorted[1], max = sorted[#sorted], mean = sum / #times, times = times }
end

-- time(fn [, reps or {reps =} [, ...]]): see docs/api.md.
local function time(fn, reps, ...)
  if type(reps) == "table" then reps = arguments.check("dc.time", reps, { reps = "integer" }).reps end
  if type(fn) ~= "function" and not (getmetatable(fn) or {}).__call then
    core.fail("argument", ("dc.time takes a function, got %s"):format(core.describe(fn)))
  end
  local count = reps == nil and 20 or math.type(reps) and math.tointeger(reps)
  if not count or count < 1 then
    core.fail("argument", ("dc.time: the number of repetitions is an integer from 1 on, got %s"):format(
      core.describe(reps)))
  end
  for _ = 1, WARM_UPS do once(fn, ...) end
  dc.synchronize()
  local times = (dc.device().blocking and by_clock or by_events)(fn, count, ...)
  local facts = summary(times)
  return facts.median, facts
end

-- --- ranges for profilers ---------------------------------------------------------------------------------------

local open_range = { __close = function() core.range_pop() end, __name = "range" }

-- range(name, fn, ...) or local r <close> = range(name).
local function range(name, fn, ...)
  if type(name) ~= "string" then
    core.fail("argument", ("dc.range: a name is a string, got %s"):format(core.describe(name)))
  end
  if fn ~= nil and type(fn) ~= "function" and not (getmetatable(fn) or {}).__call then
    core.fail("argument", ("dc.range: a function expected after the name, got %s"):format(core.describe(fn)))
  end
  core.range_push(name)
  local handle = setmetatable({}, open_range)
  if fn == nil then return handle end
  local ending <close> = handle -- luacheck: ignore
  return fn(...)
end

return { time = time, range = range }
