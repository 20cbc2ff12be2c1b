-- Symbolic values, the arguments of functions traced by dc.vectorize. Operators and functions of them create nodes
-- {op = name, operands…}; nothing is computed. The dtype of a node depends on the arrays of a call (vectorize.lua).
local core = require "dotcompute.core"
local arguments = require "dotcompute.arguments"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local symbolic = { functions = {} }
local methods = {}
local meta = { __name = "symbolic value" }

local function fail(kind, text, ...) core.fail(kind, text:format(...)) end

local function is_symbol(v) return getmetatable(v) == meta end
symbolic.is = is_symbol

-- An operand as a node: itself, or a constant.
local operand
function operand(v, what)
  if is_symbol(v) then return v end
  local t = type(v)
  if t == "number" then
    return setmetatable({ op = "constant", value = v, weak = math.type(v) == "integer" and "i" or "f" }, meta)
  end
  if t == "boolean" then return setmetatable({ op = "constant", value = v, dtype = "bool" }, meta) end
  if t == "userdata" and core.is_array(v) then
    if v.ndim == 0 then return operand(v:item(), what) end
    fail("argument", "%s: an array meets a symbolic value; make the array an argument of the function", what)
  end
  fail("argument", "%s: a symbolic value or a number expected, got %s", what, core.describe(v))
end

function symbolic.node(op, what, ...)
  local node = { op = op }
  for k = 1, select("#", ...) do node[k] = operand((select(k, ...)), what) end
  return setmetatable(node, meta)
end
local node = symbolic.node

-- The node of the function's argument k.
function symbolic.argument(k) return setmetatable({ op = "argument", index = k }, meta) end
symbolic.operand = operand

local operators = {}
for event, op in pairs {
  __add = "+", __sub = "-", __mul = "*", __div = "/", __idiv = "//", __mod = "%", __pow = "^", __band = "&",
  __bor = "|", __bxor = "~", __shl = "<<", __shr = ">>",
} do
  operators[op] = function(a, b) return node(op, ("operator '%s'"):format(op), a, b) end
  meta[event] = operators[op]
end
function meta.__unm(a) return node("neg", "operator '-'", a) end
function meta.__bnot(a) return node("not", "operator '~'", a) end

local comparisons = { lt = "<", le = "<=", gt = ">", ge = ">=", eq = "==", ne = "!=" }
for name, op in pairs(comparisons) do
  methods[name] = function(a, b) return node(op, ("'%s'"):format(name), a, b) end
end

-- Lua converts the result of these operators to one boolean, which is unknown while the function is traced. The field
-- `needs_values` of the error tells so.
local function no_boolean(sign, instead)
  return function()
    local _, err = pcall(fail, "argument", "'%s' of symbolic values: Lua would make one boolean of it, for all "
      .. "elements; write %s, and dc.where(c, a, b) in place of if and and/or", sign, instead)
    err.needs_values = true
    error(err, 0)
  end
end
meta.__lt = no_boolean("<", "a:lt(b) or a:gt(b)")
meta.__le = no_boolean("<=", "a:le(b) or a:ge(b)")
meta.__eq = no_boolean("==", "a:eq(b) or a:ne(b)")

function meta.__concat() fail("argument", "a symbolic value is no string: it has no value before the kernel runs") end
function meta.__len()
  fail("argument", "a symbolic value has no length: it stands for one element (an array that meets it must "
    .. "be an argument of the function)")
end
function meta.__call() fail("argument", "a symbolic value is no function") end
function meta.__tostring(v) return ("symbolic value (%s)"):format(v.op) end
function meta.__newindex() fail("argument", "a symbolic value has no fields to set") end

-- --- functions --------------------------------------------------------------------------------------------------

for name, f in pairs(require "dotcompute.functions") do symbolic.functions[name] = f end

local function check_count(name, wanted, n)
  if n ~= wanted then core.fail_count(name, arguments.counted(wanted), n) end
end

-- The node of function `name`.
function symbolic.call(name, ...)
  local f, n = symbolic.functions[name], select("#", ...)
  if not f then fail("argument", "'%s' is not among the functions of symbolic values", name) end
  check_count(name, f.count, n)
  return node(name, ("'%s'"):format(name), ...)
end

for name in pairs(symbolic.functions) do
  methods[name] = function(...) return symbolic.call(name, ...) end
end

-- where(c, a, b): a where c is not 0, else b.
function symbolic.where(...)
  check_count("where", 3, select("#", ...))
  return node("where", "'where'", ...)
end

-- NaN where one of the values is NaN, else the result.
local function or_nan(what, result, ...)
  for k = 1, select("#", ...) do
    local v = operand((select(k, ...)), what)
    if v.op ~= "constant" or v.value ~= v.value then
      result = symbolic.where(symbolic.call("isnan", v), v, result)
    end
  end
  return result
end

-- min and max ignore NaN; clip, minimum and maximum propagate it.
function symbolic.clip(...)
  check_count("clip", 3, select("#", ...))
  local x, low, high = ...
  return or_nan("'clip'", symbolic.call("min", symbolic.call("max", x, low), high), ...)
end

for name, prefers_numbers in pairs { minimum = "min", maximum = "max" } do
  symbolic[name] = function(...)
    check_count(name, 2, select("#", ...))
    return or_nan("'" .. name .. "'", symbolic.call(prefers_numbers, ...), ...)
  end
end

-- cast(x, dtype): converts as a:to(dtype) does.
function symbolic.cast(x, name)
  local dtype = type(name) == "string" and core.dtype(name)
  if not dtype then fail("dtype", "'cast': %s is no dtype", core.describe(name)) end
  local v = node("cast", "'cast'", x)
  rawset(v, "dtype", dtype.name)
  return v
end

methods.to = symbolic.cast
local functions_alone = { where = true, clip = true, cast = true, minimum = true, maximum = true }
for name in pairs(functions_alone) do methods[name] = symbolic[name] end

-- Applies any operator or function by name, for src/lua/operators.c and the functions of dc.
function symbolic.apply(name, ...)
  if operators[name] then return operators[name](...) end
  local own = symbolic[name]
  if own and functions_alone[name] then return own(...) end
  if comparisons[name] and select("#", ...) == 2 then return methods[name](...) end
  return symbolic.call(name, ...)
end
meta.__symbolic = symbolic.apply

-- Fields that only some nodes have.
local absent = { weak = true, dtype = true, value = true, index = true }

function meta.__index(_, name)
  local method = methods[name]
  if method then return method end
  if absent[name] or math.type(name) == "integer" then return nil end
  interface.missing("a symbolic value", name, methods)
end

return symbolic
