-- require "dotcompute". Lua 5.1 to 5.3 and LuaJIT can parse this file, which refuses them; Lua 5.4's syntax is in
-- api.lua.
if _VERSION ~= "Lua 5.4" then
  local jit = rawget(_G, "jit")
  local version = type(jit) == "table" and jit.version or _VERSION
  error("dotcompute needs Lua 5.4, this is " .. version .. ": run the script with lua5.4 or dclua", 0)
end

local dc = require "dotcompute.api"
package.loaded["dotcompute.api"] = nil -- tracebacks name functions by a loaded module
if package.loaded["luassert.assert"] then -- in a spec of busted assertions know arrays
  package.loaded[...] = dc
  require "dotcompute.testing.luassert".register()
end
return dc
