-- `dclua --profile[=FILE] script.lua`: prints the profile's table to standard error when the script has ended, and
-- writes the trace to the file.
local core = require "dotcompute.core"
local dc = require "dotcompute"
core.builtin(debug.getinfo(1, "S").source)

local command = {}
local running = false

-- Ends the measurement, unless the script has done so, and prints the report.
function command.report()
  if not running then return true end
  running = false
  if not core.profile_running() then return true end
  local ok, err = pcall(dc.profile.stop)
  local any, text = pcall(dc.profile.report) -- also when the trace could not be written
  if any then io.stderr:write(text, "\n") end
  if not ok then io.stderr:write("profile: ", tostring(err.message or err), "\n") end
  return ok
end

-- Begins to time every launch. The report is printed at os.exit, too.
function command.start(path)
  dc.profile.start { trace = path }
  running = true
  local exit = os.exit
  function os.exit(...) -- luacheck: ignore
    pcall(command.report)
    return exit(...)
  end
  return true
end

return command
