-- A Lua function as a __device__ function of CUDA C, for the kernels of others: operators of reductions, scans and
-- sorts, elementwise functions.
--
-- The function and what it calls become static members of a struct at file scope, whose name the caller chooses: so
-- several of them stand in one source without a clash. It takes and returns values; it cannot write arrays, print, or
-- use threads. What it captures is compiled in: `is_current` tells whether that is as it was. Where the caller can pass
-- values of its own, numbers that it captures are parameters, `inputs`.
local core = require "dotcompute.core"
local builtins = require "dotcompute.jit.builtins"
local check = require "dotcompute.jit.check"
local emit = require "dotcompute.jit.emit"
local names = require "dotcompute.jit.names"
local source = require "dotcompute.jit.source"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local device_function = {}

-- Whether a value is a Lua function or an object of dc.jit.
function device_function.is(value)
  return type(value) == "function" or type(builtins.function_of(value)) == "function"
end

-- The record of such a value: { fn =, found = its text, params = its parameters' names, … }. Errors of kind `argument`
-- begin with `who`.
function device_function.of(value, who)
  local fn = type(value) == "function" and value or builtins.function_of(value)
  if not fn then
    core.fail("argument", ("%s: a Lua function expected, got %s"):format(who, core.describe(value)))
  end
  local found = source.find(fn, builtins.text_of(value))
  if found.node.vararg then
    core.fail("argument", ("%s: the function takes '...'; name its parameters"):format(who))
  end
  local params = {}
  for k, decl in ipairs(found.node.params) do params[k] = decl.name end
  return { fn = fn, found = found, params = params, compiled = {} }
end

-- Raises an error of kind `compile` about a place of the function's text: `at`, or where it begins.
function device_function.fail(f, at, text, ...)
  source.fail(f.found, at or f.found.node.at, text, ...)
end

-- Whether all that the function captured is what it was when `made` was compiled.
function device_function.is_current(made)
  for _, guard in ipairs(made.guards) do
    if not names.is_same(names.read(guard.path), guard.value) then return false end
  end
  for _, input in ipairs(made.inputs) do
    if names.type_of(names.read(input.path)) ~= input.type then return false end
  end
  return true
end

-- The value of an input, now.
device_function.read = names.read

-- A type of jit/types.lua from one, or from a dtype's name.
local function type_of(t) return type(t) == "string" and types.dtype(t) or t end

local strong = { i = "int64", f = "float64", c = "complex128" }

-- The type that a value has once it leaves the function: Lua's integers are int64, its floats float64.
function device_function.strong(t) return t.weak and types.dtype(strong[t.weak]) or t end

-- The function for arguments of these types, dtypes' names or types of jit/types.lua, in a struct of this name:
--   text     CUDA C for file scope, once in a source
--   call     the name of the function: `dc_add::add_1`, to be called with values of the types
--   results  the types of its values, which may be Lua's own (see `strong`)
--   ctype    what it returns in C: that of its one value, or a struct with fields v1, v2 …
--   length   the number of characters of its statements and of what it calls
--   fn       the function in Lua
--   guards   for is_current
--   inputs   with `takes_inputs`: numbers that it captures, which the call passes behind the arguments; of each
--            { type =, path = for device_function.read, name = its name in the script }
-- Mistakes in the function are errors of kind `compile` with line and column.
function device_function.compile(f, argument_types, struct, takes_inputs)
  if #argument_types ~= #f.params then
    device_function.fail(f, nil, "the function takes %d argument%s (%s), and is called with %d", #f.params,
      #f.params == 1 and "" or "s", table.concat(f.params, ", "), #argument_types)
  end
  local list, key = {}, { takes_inputs and struct .. "*" or struct }
  for k, t in ipairs(argument_types) do
    list[k] = type_of(t)
    key[k + 1] = list[k].name
  end
  key = table.concat(key, ",")
  local made = f.compiled[key]
  if made and device_function.is_current(made) then return made end
  local tree = check.callable({ fn = f.fn, found = f.found }, list, takes_inputs)
  made = emit.callable(tree, struct)
  made.guards, made.fn = tree.guards, f.fn
  f.compiled[key] = made
  return made
end

-- The same for a function that has to return one value.
function device_function.compile_one(f, argument_types, struct, takes_inputs)
  local made = device_function.compile(f, argument_types, struct, takes_inputs)
  if #made.results ~= 1 then
    device_function.fail(f, made.return_at, "the function returns %s here; one value is expected",
      #made.results == 0 and "nothing" or #made.results .. " values")
  end
  made.result = made.results[1]
  return made
end

return device_function
