-- Arguments of functions in Lua: some by position, then one table of options by name (src/lua/named.c does the same for
-- functions in C). Every optional positional argument has a name, too. An axis, axes or a shape may be the list part of
-- the table of options: {1, descending = true}.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local arguments = {}

-- In all of these `fname` is the name of the function that the script called, for messages.

local function fail(text, ...) core.fail("argument", text:format(...)) end

local function fail_unknown(fname, name, known)
  local names = {}
  for k in pairs(known) do names[#names + 1] = k end
  table.sort(names)
  if type(name) ~= "string" then
    fail("%s: options are named, as in {%s = …}; got the key %s", fname, names[1] or "name", core.describe(name))
  end
  core.fail_option(fname, name, names)
end

-- Raises for unknown options and for values of a wrong type. `known`: name -> type, as `type` or `math.type` name it,
-- or "any". `takes_list`: the list part is not an option. Returns the options, {} for nil.
function arguments.check(fname, options, known, takes_list)
  if options == nil then return {} end
  return arguments.need(fname, options, known, takes_list)
end

-- Like arguments.check, but nil is an error.
function arguments.need(fname, options, known, takes_list)
  if type(options) ~= "table" then fail("%s: a table of options expected, got %s", fname, core.describe(options)) end
  for name, v in next, options do
    if not (takes_list and math.type(name) == "integer") then
      local wanted = known[name]
      if not wanted then fail_unknown(fname, name, known) end
      if wanted ~= "any" and type(v) ~= wanted and math.type(v) ~= wanted then
        fail("%s: option '%s' is a%s %s, got %s", fname, name, wanted:find "^[aio]" and "n" or "", wanted,
          core.describe(v))
      end
    end
  end
  return options
end

-- Whether a table has keys that are not integers.
local function has_names(t)
  for name in next, t do
    if math.type(name) ~= "integer" then return true end
  end
  return false
end

-- Raises where a list has holes, or keys that are neither its indices nor, unless `alone`, names.
function arguments.dense(fname, what, list, alone)
  local key = core.other_key(list, alone)
  if key then fail("%s: %s is a list, with values at 1, 2, … alone; this one has %s as a key", fname, what, key) end
  for k = 1, #list do
    if list[k] == nil then fail("%s: %s has no value at %d, before its last one", fname, what, k) end
  end
end

-- Raises if an operand that is a list has holes, or contains options, which belong in a table after it. The `n` of
-- table.pack is none.
function arguments.plain(fname, what, v)
  if type(v) ~= "table" then return end
  arguments.dense(fname, what, v)
  for name, value in next, v do
    if math.type(name) ~= "integer" and not (name == "n" and value == #v) then
      fail("%s: %s has the key %s; options stand in a table of their own after it", fname, what, core.describe(name))
    end
  end
end

local none = {} -- never written

local function list_part(fname, t, option)
  arguments.dense(fname, option and ("option '%s'"):format(option) or "the table", t, option)
  return table.move(t, 1, #t, 1, {})
end

-- Adds the options to `values`, by name; raises for one that was given by position, too.
local function add(fname, spec, values, options)
  for name, v in next, arguments.check(fname, options, spec.known, spec.list) do
    if math.type(name) ~= "integer" then
      if values[name] ~= nil then fail("%s: '%s' is given twice, by position and by name", fname, name) end
      values[name] = v
    end
  end
  if #options > 0 then
    if values[spec.list] ~= nil then fail("%s: '%s' is given twice, by position and by name", fname, spec.list) end
    values[spec.list] = #options == 1 and options[1] or list_part(fname, options)
  end
end

-- "2 arguments (x, y)"; `names` may be nil.
function arguments.counted(n, names)
  return ("%d argument%s%s"):format(n, n == 1 and "" or "s", names and (" (%s)"):format(names) or "")
end

-- Raises for a wrong number of arguments. `usage`: a list of what the function takes; `first` and `n`: the first
-- argument and their number. A method takes what stands behind the first: the receiver is not counted. Of a tail call
-- Lua does not know whether it was one of a method; then the message names the array and counts the others.
function arguments.fail_count(fname, usage, first, n)
  local method = false
  if core.is_array(first) then method = core.called_on(first) end
  local takes, got = table.concat(usage, ", ", method and 2 or 1), method and n - 1 or n
  if method == nil then got = n == 1 and "the array alone" or ("the array and %d more"):format(n - 1) end
  core.fail_count(fname, takes == "" and "no arguments" or takes, got)
end

-- The arguments as a table by name. `spec` has the names of the positional ones in order, and the fields
--   required  how many of them are operands, 1 by default
--   known     name -> type of those that may be options
--   tables    the set of optional positional ones that may be a table without names
--   list      the name of the argument that the list part of options is
--   usage     list of what the function takes, for messages
function arguments.read(fname, spec, ...)
  local n, required = select("#", ...), spec.required or 1
  if (n == 1 or n == 2) and n >= required and n <= #spec then -- most calls: without options, a table less
    local first, second = ...
    local last = n == 1 and first or second
    if n == required or (last ~= nil and type(last) ~= "table") then
      return n == 1 and { [spec[1]] = first } or { [spec[1]] = first, [spec[2]] = second }
    end
  end
  local given, values = { ... }, {}
  while n > required and given[n] == nil do n = n - 1 end
  local last = n > required and given[n]
  local options = type(last) == "table" and (n > #spec or not (spec.tables and spec.tables[spec[n]]) or has_names(last))
  local count = options and n - 1 or n
  if count == #spec + 1 then arguments.need(fname, given[count], spec.known) end
  if n < required or count > #spec then arguments.fail_count(fname, spec.usage, given[1], n) end
  for k = 1, count do values[spec[k]] = given[k] end
  if options then add(fname, spec, values, last) end
  return values
end

-- The options, and those among them that a list contains.
local function with_own(fname, known, list, options)
  if not has_names(list) then return options end
  arguments.check(fname, list, known, true)
  local all = {}
  for name, v in next, options do all[name] = v end
  for name, v in next, list do
    if math.type(name) ~= "integer" then
      if all[name] ~= nil then fail("%s: option '%s' is given twice", fname, name) end
      all[name] = v
    end
  end
  return all
end

-- Reads (v1, v2, … [, options]) or ({v1, v2, …} [, options]), where the first table may contain options. Returns the
-- values as a list, and the options.
function arguments.list(fname, known, ...)
  local list, n = { ... }, select("#", ...)
  while n > 0 and list[n] == nil do n = n - 1 end
  local options = none
  if n > 1 and type(list[n]) == "table" then
    options = arguments.check(fname, list[n], known)
    list[n], n = nil, n - 1
  end
  if n == 1 and type(list[1]) == "table" then
    return list_part(fname, list[1]), with_own(fname, known, list[1], options)
  end
  return list, options
end

-- The axes in `list`, as arguments.list returns it, or those of option 'axes' or 'axis'.
function arguments.axes(fname, list, options)
  for _, name in ipairs { "axes", "axis" } do
    local v = options[name]
    if v ~= nil and #list > 0 then fail("%s: the axes are given twice", fname) end
    if v ~= nil then list = type(v) == "table" and list_part(fname, v, name) or { v } end
  end
  return list
end

return arguments
