-- Runs the C unit tests of spec/c/, which `make test` builds: each is a program that prints what went wrong and fails.
-- A unit test_NAME.c runs in spec/c/NAME_spec.lua if there is such a file, else in spec/c/units_spec.lua.
local helper = require "spec.helper"
local units = {}

-- The names of the units without a spec file of their own.
function units.others()
  local names = {}
  for path in helper.shell "find spec/c -name 'test_*.c' | LC_ALL=C sort":gmatch "[^\n]+" do
    local name = path:match "([^/]+)%.c$"
    local own = io.open("spec/c/" .. name:gsub("^test_", "") .. "_spec.lua")
    if own then own:close() else names[#names + 1] = name end
  end
  return names
end

-- Runs one; a failure is raised with its output.
function units.run(name)
  local output, code = helper.shell(("'%s/spec/%s'"):format(helper.build, name))
  assert(code == 0, ("%s ended with %s:\n%s"):format(name, code, output))
end

return units
