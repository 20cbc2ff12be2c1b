-- require "dotcompute": the functions of the C core, and those that are better said in Lua.
local core = require "dotcompute.core"
core.own(debug.getinfo(1, "S").source)

local dc = core.api

-- A variable that is closed when its function is left, in whichever way: switches back.
local restore = { __close = function(before) core.restore(before.device) end }

-- Calls fn(...) with `device` as the current one.
function dc.using(device, fn, ...)
  local before <close> = setmetatable({ device = core.switch(device, fn) }, restore)
  return fn(...)
end

return dc
