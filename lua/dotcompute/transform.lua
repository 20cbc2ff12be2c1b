-- transform: a function of the script for each element of one or more arrays.
local core = require "dotcompute.core"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local operators = require "dotcompute.operators"
core.builtin(debug.getinfo(1, "S").source)

local function transform(fn, ...)
  local f, n = operators.of("transform", "the first argument", fn), select("#", ...)
  if #f.params == 0 then algorithm.fail("argument", "transform: the function has no parameters with names") end
  if n ~= #f.params then
    algorithm.fail("argument", "transform: the function takes %s, got %d array%s",
      arguments.counted(#f.params, table.concat(f.params, ", ")), n, n == 1 and "" or "s")
  end
  return operators.map("transform", fn, ...)
end

return { transform = transform }
