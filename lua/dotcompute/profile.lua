-- dc.profile: how long each kernel ran, as a list, as a table to be printed, and as a file for Chrome's trace viewer.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local json = require "dotcompute.profile_json"
local report = require "dotcompute.profile_table"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local profile = {}

-- --- the device's peak ------------------------------------------------------------------------------------------

-- The bandwidth of a copy in bytes per second, by a kernel or by the device's copy, whichever is faster; nil when
-- memory is short.
local function measure_peak(device)
  local ok, peak = pcall(dc.using, device, function()
    local free = device:memory_info()
    local most = device.host_memory and 64 << 20 or 256 << 20
    local n = math.min(most, free // 8) // 4
    if n < 1 << 16 then return nil end
    local copy = dc.elementwise("float x", "float y", "y = x", { name = "copy" })
    local x <close> = dc.zeros(n)
    local y <close> = dc.zeros(n)
    local _, by_kernel = dc.time(copy, 10, x, y)
    local _, by_device = dc.time(function() y:copy_from(x) end, 10)
    return 2 * 4 * n / math.min(by_kernel.min, by_device.min)
  end)
  return ok and peak or nil
end

-- The peaks of the devices of these entries: device id -> bytes per second.
local function measure_peaks(list)
  local peaks = {}
  for _, e in ipairs(list) do
    local id = e.device.id
    if report.bandwidth(e) and peaks[id] == nil then peaks[id] = measure_peak(e.device) or nil end
  end
  return peaks
end

-- --- beginning and end ------------------------------------------------------------------------------------------

local LIMIT = 100000 -- launches that are kept one by one

local result = {} -- metatable of what `stop` gives
local last        -- what the last `stop` gave
local trace_path  -- where the next `stop` writes the trace; nil: nowhere

local function fail(kind, text, ...) core.fail(kind, text:format(...)) end

function result.__tostring(list) return profile.report(list) end

-- start([{limit=, trace=}]): times every launch from now on.
function profile.start(options)
  options = arguments.check("dc.profile.start", options, { limit = "integer", trace = "string" })
  local limit = options.limit or LIMIT
  if limit < 0 then fail("argument", "dc.profile.start: option 'limit' is not negative, got %d", limit) end
  if core.profile_running() then
    fail("argument", "a profile is being taken already (by dc.profile.start or dclua --profile)")
  end
  if options.trace then json.check(options.trace) end
  core.profile_start(limit)
  trace_path = options.trace
  return true
end

-- stop(): the list of kernels, slowest first.
function profile.stop()
  if not core.profile_running() then fail("argument", "no profile is being taken: dc.profile.start() begins one") end
  local path = trace_path
  last = setmetatable(core.profile_stop(), result)
  trace_path = nil
  if path then json.write(path, last) end
  return last
end

-- The list that was passed, or the last one.
local function list_for(fname, list)
  if list == nil and last == nil then
    fail("argument", "%s: there is no profile yet: dc.profile.start() begins one, dc.profile.stop() ends it", fname)
  end
  list = list == nil and last or list
  if getmetatable(list) ~= result then
    fail("argument", "%s takes what dc.profile.stop gave, got %s", fname, core.describe(list))
  end
  return list
end

-- report([list]): the table as text, with each device's bandwidth beside it.
function profile.report(list)
  list = list_for("dc.profile.report", list)
  return report.text(list, core.profile_running() and {} or measure_peaks(list))
end

-- trace(path [, list]): writes the launches for Chrome's trace viewer.
function profile.trace(path, list)
  if type(path) ~= "string" then
    fail("argument", "dc.profile.trace takes the name of a file, got %s", core.describe(path))
  end
  json.write(path, list_for("dc.profile.trace", list))
  return true
end

return interface.library("dc.profile", profile)
