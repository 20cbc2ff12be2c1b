-- partition: the elements of an array, divided by predicates of the script into parts that keep their order.
--
-- Each predicate is evaluated once, to an array of bools; each part is a selection whose mask combines these.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local elements = require "dotcompute.elements"
local operators = require "dotcompute.operators"
local select_ = require "dotcompute.select"
core.builtin(debug.getinfo(1, "S").source)

local function partition(...)
  local a, predicates, n = ..., { select(2, ...) }, select("#", ...) - 1
  if n < 1 then arguments.fail_count("partition", { "an array", "one or more predicates" }, a, n + 1) end
  local x = elements.array("partition", "the first argument", a)
  local parts, rest = {}, nil -- rest: where no predicate so far was true
  for k = 1, n do
    local test = operators.mask("partition", ("predicate %d"):format(k), predicates[k], x)
    parts[k] = select_.where(x, rest and dc.logical_and(rest, test) or test)
    local other = dc.logical_not(test)
    rest = (rest and dc.logical_and(rest, other) or other):eval()
    test:close()
  end
  parts[#parts + 1] = select_.where(x, rest)
  return table.unpack(parts)
end

return { partition = partition }
