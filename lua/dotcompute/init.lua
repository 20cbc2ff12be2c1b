-- require "dotcompute".  This file is read by Lua 5.1 to 5.3 and LuaJIT too: all that they cannot read is in api.lua.
if _VERSION ~= "Lua 5.4" then
  local jit = rawget(_G, "jit")
  local version = type(jit) == "table" and jit.version or _VERSION
  error("dotcompute needs Lua 5.4, this is " .. version .. ": run the script with lua5.4 or dclua", 0)
end

local dc = require "dotcompute.api"
package.loaded["dotcompute.api"] = nil -- tracebacks name functions by the module where they are found
return dc
