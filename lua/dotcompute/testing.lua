-- dc.testing: comparisons of arrays that raise what differs, of kernels with references (testing/compare.lua), and
-- busted's assertions (testing/luassert.lua).
local core = require "dotcompute.core"
local arguments = require "dotcompute.arguments"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)
local difference = require "dotcompute.testing.difference"
local compare = require "dotcompute.testing.compare"

local testing = {}

-- Raises a failed comparison as `assert` does: a string, with the line that called the function of dc.testing, between
-- which and the function stands what refuses further arguments (interface.lua).
local function raise(text) error(text, 4) end

-- close(expected, actual [, {rtol=, atol=, equal_nan=, same_dtype=}])
function testing.close(expected, actual, options)
  options = arguments.check("dc.testing.close", options,
    { rtol = "number", atol = "number", equal_nan = "boolean", same_dtype = "boolean" })
  local text = difference("dc.testing.close", expected, actual, options)
  if text then raise(text) end
  return true
end

-- equal(expected, actual [, {equal_nan=}]): shape, dtype and every element.
function testing.equal(expected, actual, options)
  options = arguments.check("dc.testing.equal", options, { equal_nan = "boolean" })
  local text = difference("dc.testing.equal", expected, actual,
    { equal_nan = options.equal_nan, same_dtype = true }, true)
  if text then raise(text) end
  return true
end

-- compare(fn, reference, {inputs=, …}): see testing/compare.lua. Returns the seed.
function testing.compare(fn, reference, options)
  local seed, text = compare(fn, reference, options)
  if text then raise(text) end
  return seed
end

-- register(): adds busted's assertions to luassert; a spec that loads dotcompute has them already.
function testing.register()
  if not pcall(require, "luassert") then
    core.fail("argument", "dc.testing.register: luassert is not installed: luarocks install busted")
  end
  require "dotcompute.testing.luassert".register()
  return true
end

return interface.library("dc.testing", testing)
