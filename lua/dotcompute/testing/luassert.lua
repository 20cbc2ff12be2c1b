-- Assertions of luassert, which busted uses: `assert.are.close`, and `assert.are.same` for arrays, also inside tables.
--
-- luassert compares values that are no tables by `==`, which for arrays is identity. `same` is therefore registered
-- anew: it replaces each actual array by the expected one at its place if the two are equal, and lets luassert's own
-- `same` compare the result, whose messages and rules for tables stay as they are.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)
local difference = require "dotcompute.testing.difference"

local exact = { same_dtype = true }

-- What differs, as text; an error (a closed array) is a difference too.
local function difference_of(expected, actual)
  local ok, text = pcall(difference, "assert.are.same", expected, actual, exact, true)
  if not ok and type(text) == "table" and text.kind == "interrupted" then error(text, 0) end
  return text and tostring(text)
end

local function contains_array(v, seen)
  if core.is_array(v) then return true end
  if type(v) ~= "table" or seen[v] then return false end
  seen[v] = true
  for _, field in next, v do
    if contains_array(field, seen) then return true end
  end
  return false
end

local function path_text(path)
  local out = {}
  for k, key in ipairs(path) do
    out[k] = type(key) == "string" and key:find "^[%a_][%w_]*$" and "." .. key or ("[%s]"):format(tostring(key))
  end
  return table.concat(out)
end

-- `actual`, in which arrays that equal those of `expected` are replaced by them; tables are copied. found.text: how the
-- first arrays that differ do so. `copies`: by table of actual and of expected, since tables may contain themselves.
local function unify(expected, actual, found, path, copies)
  if rawequal(expected, actual) then return actual end
  if core.is_array(expected) and core.is_array(actual) then
    local text = difference_of(expected, actual)
    if not text then return expected end
    local place = #path > 0 and "at " .. path_text(path) .. ": " or ""
    found.text = found.text or place .. text
    return actual
  end
  if type(expected) ~= "table" or type(actual) ~= "table" then return actual end
  local of = copies[actual] or {}
  copies[actual] = of
  if of[expected] then return of[expected] end
  local copy = {}
  of[expected] = copy
  for key, v in next, actual do
    path[#path + 1] = key
    copy[key] = unify(rawget(expected, key), v, found, path, copies)
    path[#path] = nil
  end
  return debug.setmetatable(copy, debug.getmetatable(actual))
end

-- luassert's order of arguments: expected, actual, and possibly a message.
local function same_of(original)
  return function(state, arguments, level)
    if arguments.n < 2 or not (contains_array(arguments[1], {}) and contains_array(arguments[2], {})) then
      return original(state, arguments, (level or 1) + 1)
    end
    local found = {}
    local text = arguments[3]
    arguments[2] = unify(arguments[1], arguments[2], found, {}, {})
    local result = original(state, arguments, (level or 1) + 1)
    if found.text and not result then
      state.failure_message = text and ("%s\n%s"):format(tostring(text), found.text) or found.text
    end
    return result
  end
end

-- close(expected, actual [, options] [, message])
local function close(state, arguments, level)
  local check = require "dotcompute.arguments".check
  if arguments.n < 2 then
    error(("the 'close' function requires a minimum of 2 arguments, got: %d"):format(arguments.n), (level or 1) + 1)
  end
  local options, message = arguments[3], arguments[4]
  if type(options) == "string" then options, message = nil, options end
  local ok, text = pcall(function()
    check("assert.are.close", options,
      { rtol = "number", atol = "number", equal_nan = "boolean", same_dtype = "boolean" })
    return difference("assert.are.close", arguments[1], arguments[2], options or {})
  end)
  if not ok then -- at the spec's line, not at luassert's
    local misuse = type(text) == "table" and text.kind and text.kind ~= "interrupted"
    error(misuse and text.message or text, misuse and (level or 1) + 1 or 0)
  end
  if message then state.failure_message = message end
  if text then -- the one argument of the message, as it is
    arguments[1], arguments.n, arguments.nofmt = text, 1, { true }
  else -- the message of `are_not.close`: actual, expected
    arguments[1], arguments[2], arguments.n = arguments[2], arguments[1], 2
  end
  return text == nil
end

local function format_array(v)
  if core.is_array(v) then return "(array) " .. tostring(v) end
end

local luassert = {}

function luassert.register()
  local assert, say = require "luassert", require "say"
  local assertions = require "luassert.namespaces".assertion
  -- busted loads modules anew for each file: the entry remembers what luassert had.
  local original = assertions.same.without_arrays or assertions.same.callback
  local positive, negative = assertions.same.positive_message, assertions.same.negative_message
  assert:register("assertion", "same", same_of(original), positive, negative)
  assertions.same.without_arrays = original
  say:set("assertion.dotcompute.close", "Expected arrays to be close.\n%s")
  say:set("assertion.dotcompute.not_close", "Expected arrays not to be close, but every element is within the "
    .. "tolerance.\nPassed in:\n%s\nNot expected:\n%s")
  assert:register("assertion", "close", close, "assertion.dotcompute.close", "assertion.dotcompute.not_close")
  assert:add_formatter(format_array)
end

return luassert
