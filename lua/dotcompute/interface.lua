-- What scripts see of tables of functions and of methods: an argument too many, a name that is not there and an
-- assignment to one are errors. Lua would drop the argument, give nil, and keep a value that nothing reads.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local interface = {}

-- `return results(f(...))` is not a tail call of f: the function that the script called stays on the stack, so that
-- errors have its name and its caller's line.
function interface.results(...) return ... end
local results = interface.results

-- Raises where more than `limit` arguments are given; nil behind them is no argument. `object`: 1 for a method, whose
-- first argument is not counted in messages, else 0.
local function refuse(limit, object, ...)
  local count = select("#", ...)
  while count > limit and (select(count, ...)) == nil do count = count - 1 end
  if count > limit then core.refuse_arguments(limit, object, count) end
end

-- The number of parameters of a function in Lua; nil where it takes any number.
local function limit_of(fn)
  local info = debug.getinfo(fn, "u")
  return not info.isvararg and info.nparams or nil
end

-- The function itself, or one that refuses arguments beyond its parameters before it calls it.
function interface.exact(fn, object)
  local limit = limit_of(fn)
  if not limit then return fn end
  return function(...)
    if select("#", ...) > limit then refuse(limit, object or 0, ...) end
    return results(fn(...))
  end
end

-- Makes the functions of a table refuse arguments too many, in place.
local function make_exact(t, object)
  for name, fn in next, t do
    if type(fn) == "function" then t[name] = interface.exact(fn, object) end
  end
  return t
end

-- The same for a table of methods.
function interface.methods(t) return make_exact(t, 1) end

-- A key for messages: 'x', or [3].
local function shown(name) return (type(name) == "string" and "'%s'" or "[%s]"):format(tostring(name)) end

-- Raises: `what`, "dc.linalg", has no such name; the names of `t` are those that it has.
function interface.missing(what, name, t)
  core.fail("index", ("%s has no %s%s"):format(what, shown(name), core.suggest(t, name)))
end

-- A metatable with which reading a name that is not there raises, and setting one. __name: what is called with a dot
-- (src/lua/error.c).
local function strict(what, t, called)
  return {
    __name = called or what,
    __index = function(_, name) interface.missing(what, name, t) end,
    __newindex = function(_, name)
      core.fail("index", ("%s has no %s to set%s"):format(what, shown(name), core.suggest(t, name)))
    end,
  }
end

-- The table of functions `t`, which scripts call `what`.
function interface.library(what, t) return setmetatable(make_exact(t, 0), strict(what, t)) end

-- The same for dc itself, whose functions are wrapped where their files are read.
function interface.module(dc) return setmetatable(dc, strict("dotcompute", dc, "dc")) end

return interface
