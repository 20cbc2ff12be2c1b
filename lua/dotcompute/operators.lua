-- Functions in Lua that a script gives to algorithms: comparisons, predicates, keys, operators of two elements. They
-- are compiled for the dtypes of the arrays (jit/device_function.lua) and called by the kernels of the algorithm.
local core = require "dotcompute.core"
local algorithm = require "dotcompute.algorithm"
local builder = require "dotcompute.builder"
local device_function = require "dotcompute.jit.device_function"
core.builtin(debug.getinfo(1, "S").source)

local operators = {}
local fail = algorithm.fail

operators.is = device_function.is

local records = setmetatable({}, { __mode = "k" }) -- function -> what device_function.of gives

-- The record of the function `value` for option (or argument) `what` of the function `fname`; it takes as many values
-- as `takes` names ("two elements").
local counts = { ["an element"] = 1, ["two elements"] = 2, ["an element and a value"] = 2 }
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

-- --- elements ---------------------------------------------------------------------------------------------------

-- How kernels hold an element of a dtype, which is moved by its bits: its C type; and that of values.
function operators.element(dtype)
  return dtype.kind == "b" and "unsigned char" or dtype.ctype
end

-- An element, in C, as a value that a function takes: bytes of bool arrays may hold anything but 0 for true.
function operators.value(dtype, text)
  return dtype.kind == "b" and ("(%s != 0)"):format(text) or text
end

-- The text that a dtype's C type needs in front.
function operators.header(dtype) return dtype.header and ("#include <%s>\n"):format(dtype.header) or "" end

-- --- functions of elements --------------------------------------------------------------------------------------

-- The function compiled for the dtypes, as device_function.compile_one gives it; it must return a boolean.
local function predicate(f, dtypes, struct, what)
  local made = device_function.compile_one(f, dtypes, struct)
  if made.result.kind ~= "b" then
    device_function.fail(f, made.return_at, "the function returns %s here; %s returns true or false", made.result.text,
      what)
  end
  return made
end

-- CUDA C of `static bool NAME(const ELEMENT &a[, const ELEMENT &b])` for a function of elements that returns a boolean.
-- `what`: the option, for messages.
function operators.predicate(f, name, what, ...)
  local dtypes, names, params, args = { ... }, {}, {}, {}
  for k, d in ipairs(dtypes) do
    local letter = ("ab"):sub(k, k)
    names[k] = d.name
    params[k] = ("const %s &%s"):format(operators.element(d), letter)
    args[k] = operators.value(d, letter)
  end
  local made = predicate(f, names, name .. "_lua", what)
  return ("%sstatic __device__ __forceinline__ bool %s(%s) { return %s(%s); }\n"):format(made.text, name,
    table.concat(params, ", "), made.call, table.concat(args, ", "))
end

-- CUDA C of `static RESULT NAME(const RESULT &a, const RESULT &b)` for an operator of two values of a dtype. What it
-- returns is converted as results of arithmetic are when they are written into an array of that dtype.
function operators.fold(f, name, what, dtype)
  local made = device_function.compile_one(f, { dtype.name, dtype.name }, name .. "_lua")
  local result = made.result
  if (result.kind == "b") ~= (dtype.kind == "b") or (result.kind == "f" and dtype.kind ~= "f") then
    device_function.fail(f, made.return_at, "the function returns %s here, but %s makes one %s of two", result.text,
      what, dtype.name)
  end
  return ("%sstatic __device__ __forceinline__ %s %s(const %s &a, const %s &b) { return (%s)%s(a, b); }\n"):format(
    made.text, dtype.ctype, name, dtype.ctype, dtype.ctype, dtype.ctype, made.call)
end

-- The array of what a function of an element that returns a boolean gives for each element of `a`.
function operators.mask(fname, what, value, a)
  local f = operators.of(fname, what, value, "an element")
  predicate(f, { a.dtype }, "dc_mask", "a predicate")
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

-- fn(arrays…), elementwise, as dc.vectorize of the function has it.
function operators.map(fname, value, ...)
  local call = mapped[value]
  if not call then
    call = require "dotcompute.jit.elementwise".vectorize(value, { name = builder.c_name(fname) })
    mapped[value] = call
  end
  return call(...)
end

return operators
