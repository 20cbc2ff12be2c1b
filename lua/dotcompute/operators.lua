-- Functions in Lua that a script gives to algorithms: comparisons, predicates, keys, operators of two elements. They
-- are compiled for the dtypes of the arrays (jit/device_function.lua) and called by the kernels of the algorithm.
local core = require "dotcompute.core"
local algorithm = require "dotcompute.algorithm"
local builder = require "dotcompute.builder"
local elements = require "dotcompute.elements"
local device_function = require "dotcompute.jit.device_function"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local operators = {}
local fail = algorithm.fail

operators.is = device_function.is

local records = setmetatable({}, { __mode = "k" }) -- function -> what device_function.of gives

-- The record of the function `value` for option (or argument) `what` of the function `fname`; it takes as many values
-- as `takes` names ("two elements").
local counts = { ["an element"] = 1, ["two elements"] = 2 }
function operators.of(fname, what, value, takes)
  local f = device_function.is(value) and records[value]
  if not f then
    f = device_function.of(value, ("%s: %s"):format(fname, what))
    records[value] = f
  end
  if takes and #f.params ~= counts[takes] then
    fail("argument", "%s: %s is a function of %s, this one has %d parameter%s", fname, what, takes, #f.params,
      #f.params == 1 and "" or "s")
  end
  return f
end

-- --- functions of elements --------------------------------------------------------------------------------------

-- The function compiled for element types, as device_function.compile_one gives it; it must return a boolean.
local function predicate(f, list, struct, what)
  local made = device_function.compile_one(f, list, struct)
  if made.result.kind ~= "b" then
    device_function.fail(f, made.return_at, "the function returns %s here; %s returns true or false", made.result.text,
      what)
  end
  return made
end

-- CUDA C of `static bool NAME(const ELEMENT &a[, const ELEMENT &b])` for a function of elements of these types that
-- returns a boolean. `what`: the option, for messages.
function operators.predicate(f, name, what, ...)
  local list, params, args = {}, {}, {}
  for k, t in ipairs { ... } do
    local letter = ("ab"):sub(k, k)
    list[k] = elements.jit_type(t)
    params[k] = ("const %s &%s"):format(elements.ctype(t), letter)
    args[k] = elements.value(t, letter)
  end
  local made = predicate(f, list, name .. "_lua", what)
  return ("%sstatic __device__ __forceinline__ bool %s(%s) { return %s(%s); }\n"):format(made.text, name,
    table.concat(params, ", "), made.call, table.concat(args, ", "))
end

-- CUDA C of `static T NAME(const T &a, const T &b)` for an operator of two values of a type. Numbers that it returns
-- are converted as results of arithmetic are when they are written into an array of that dtype.
function operators.fold(f, name, what, t)
  local own = elements.jit_type(t)
  local made = device_function.compile_one(f, { own, own }, name .. "_lua")
  local result = made.result
  local fits = result == own or (not t.struct and result.kind ~= nil and (result.kind == "b") == (t.kind == "b")
    and (result.kind ~= "f" or t.kind == "f") and t.kind ~= "c" and result.kind ~= "c")
  if not fits then
    device_function.fail(f, made.return_at, "the function returns %s here, but %s makes one %s of two", result.text,
      what, elements.shown(t))
  end
  return ("%sstatic __device__ __forceinline__ %s %s(const %s &a, const %s &b) { return (%s)%s(a, b); }\n"):format(
    made.text, t.ctype, name, t.ctype, t.ctype, t.ctype, made.call)
end

-- CUDA C of `static RESULT NAME(const ELEMENT &a, long long i)` for a function of an element, or of an element and its
-- number, which is i + 1; and the type of its result.
function operators.mapping(f, name, what, t)
  local list, number = { elements.jit_type(t) }, ""
  if #f.params == 2 then list[2], number = types.integer, ", i + 1" end
  local made = device_function.compile_one(f, list, name .. "_lua")
  local result = elements.result(device_function.strong(made.result))
  if not result then
    device_function.fail(f, made.return_at, "the function returns %s here; %s returns a number, a boolean or a struct",
      made.result.text, what)
  end
  return ("%s%sstatic __device__ __forceinline__ %s %s(const %s &a, long long i) { return (%s)%s(%s%s); }\n"):format(
    made.text, elements.header(result), result.ctype, name, elements.ctype(t), result.ctype, made.call,
    elements.value(t, "a"), number), result
end

-- The array of what a function of an element that returns a boolean gives for each element of `a`.
function operators.mask(fname, what, value, a)
  local f = operators.of(fname, what, value, "an element")
  predicate(f, { elements.jit_type(elements.type(a)) }, "dc_mask", "a predicate")
  return operators.map(fname, value, a)
end

-- --- kernels ----------------------------------------------------------------------------------------------------

local MOST <const> = 256 -- kernels that are kept: texts change with captured numbers
local kept, count = {}, 0

-- The device's kernel `name` of a source, which make(...) returns when it is not cached. `text`: that of the script's
-- functions; `key`: what else distinguishes sources, a dtype's name first.
function operators.kernel(device, name, key, text, make, ...)
  local own = kept[device]
  if not own then
    own = {}
    kept[device] = own
  end
  local whole = ("%s %s\n%s"):format(name, key, text)
  local kernel = own[whole]
  if not kernel then
    if count >= MOST then
      kept, count = { [device] = {} }, 0
      own = kept[device]
    end
    kernel = algorithm.compile(device, name, key, make(...), { "--fmad=false" })
    own[whole], count = kernel, count + 1
  end
  return kernel
end

-- --- elementwise ------------------------------------------------------------------------------------------------

local mapped = setmetatable({}, { __mode = "k" }) -- function -> the elementwise function of it

-- fn(arrays…), elementwise, as dc.vectorize of the function has it; also of structs (map_elements.lua).
function operators.map(fname, value, ...)
  local f = operators.of(fname, "the function", value)
  local others = require "dotcompute.map_elements"
  if others.is_for(f, ...) then return others.map(fname, f, ...) end
  local call = mapped[value]
  if not call then
    call = require "dotcompute.jit.elementwise".vectorize(value, { name = builder.c_name(fname) })
    mapped[value] = call
  end
  return call(...)
end

return operators
