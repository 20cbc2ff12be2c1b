-- dc.vectorize: a Lua function of numbers becomes a fused elementwise kernel.
--
-- A function whose control flow depends on its arguments is compiled as functions of dc.jit are (jit/elementwise.lua).
-- Others are traced: the function runs once, on symbolic values.  What it returns is a graph; when arrays of certain
-- dtypes come, each node gets a dtype by the rules of the arrays' own operators, and the graph becomes the body of an
-- elementwise kernel.
-- Numbers are weak: they take the dtype of what they meet.  As in expressions of arrays nothing is contracted.
local core = require "dotcompute.core"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local elementwise = require "dotcompute.elementwise"
local jit_elementwise = require "dotcompute.jit.elementwise"
local number_text = require "dotcompute.number_text"
local symbolic = require "dotcompute.symbolic"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail
local literal, is_integer, unsigned = number_text.literal, number_text.is_integer, number_text.unsigned
local dtypes = {}

local function dtype(name)
  local d = dtypes[name]
  if not d then
    d = builder.dtype(name)
    dtypes[name] = d
  end
  return d
end

-- --- which dtype ------------------------------------------------------------------------------------------------

-- The floating dtype in which an operator that needs one computes.
local function floating(d)
  if d.kind == "f" then return d end
  return dtype(is_integer(d) and d.size == 8 and "float64" or "float32")
end

-- The same for values that meet in `d`: 1.5 / int64 is float64, though 1.5 * int64 is float32. `bytes`: the least size
-- of integers that asks for float64, 4 of / and ^.
local function floating_of(list, d, bytes)
  local arrays, widest = nil, 0
  for _, v in ipairs(list) do
    if v.dtype and v.dtype.kind ~= "b" then
      arrays = arrays and dtype(core.promote(arrays.name, v.dtype.name)) or v.dtype
      widest = math.max(widest, is_integer(v.dtype) and v.dtype.size or 0)
    end
  end
  if not arrays or not is_integer(arrays) then return floating(d) end
  return dtype((bytes == 8 and arrays.size or widest) >= bytes and "float64" or "float32")
end

-- A constant must be a value of the dtype that it takes; for uint64 an integer is its 64 bits.
local function check_constant(v, d, what)
  if v.op ~= "constant" or number_text.holds(d, v.value) then return end
  fail("dtype", "%s: %s is out of range for %s", what, v.value, d.name)
end

-- Operators and functions of traced values are those of real numbers.
local function check_real(what, d)
  if d.kind ~= "c" then return end
  fail("dtype", "'vectorize': %s is %s, and a function that is traced takes and gives real numbers; "
    .. "dc.vectorize(dc.jit(fn)) compiles it for complex ones", what, d.name)
end

-- What a number becomes when it meets dtype d.
local function of_weak(weak, d)
  if weak == "f" then return d.kind == "f" and d or dtype "float32" end
  return d.kind == "b" and dtype "int32" or d
end

-- The dtype in which values meet; nil when all of them are numbers.
local function meet(list)
  local d, weak
  for _, v in ipairs(list) do
    if v.dtype then d = d and dtype(core.promote(d.name, v.dtype.name)) or v.dtype end
  end
  for _, v in ipairs(list) do
    if not v.dtype then weak = (weak == "f" or v.weak == "f") and "f" or "i" end
  end
  if d and weak then return of_weak(weak, d) end
  return d
end

-- --- text of values ---------------------------------------------------------------------------------------------

-- A value as a `to`.
local function as(v, to)
  if not v.dtype then return v.constant ~= nil and literal(v.constant, to) or ("(%s)%s"):format(to.ctype, v.text) end
  return number_text.convert(v.text, v.dtype, to)
end

-- --- operators --------------------------------------------------------------------------------------------------

-- Each takes the values of its operands and gives the text and the dtype.
local emit = {}

local function need_integers(d, sign)
  if not d or not (is_integer(d) or d.kind == "b") then
    fail("dtype", "operator '%s' takes integers and booleans, got %s", sign, d and d.name or "a number with a fraction")
  end
  return d
end

local function common(node, list, what)
  local d = meet(list) or dtype "float32"
  for k, v in ipairs(list) do
    if not v.dtype then check_constant(node[k], d, what) end
  end
  return d
end

-- 16-bit floats have not every function and comparison of their own.
local function as_float(v, d)
  local text = as(v, d)
  return d.kind == "f" and d.size == 2 and "(float)" .. text or text
end

-- Whether a value may be one that is shifted to the left, for ptxas (number_text.lua).
local function is_scaled(n)
  return n.op == "<<" or n.op == "*" and (n[1].op == "constant" or n[2].op == "constant")
end

for _, sign in ipairs { "+", "-", "*" } do
  emit[sign] = function(node, list)
    local d = common(node, list, "operator '" .. sign .. "'")
    if d.kind == "b" then d = dtype "int32" end
    if d.kind == "f" then return ("%s %s %s"):format(as(list[1], d), sign, as(list[2], d)), d end
    local u, a, b, by = unsigned(d), as(list[1], d), as(list[2], d), sign -- signed integers wrap
    if d.size == 8 and sign ~= "*" and (is_scaled(node[1]) or is_scaled(node[2])) then
      by, b = sign == "+" and "-" or "+", "(" .. number_text.negated("(" .. b .. ")", d) .. ")"
    end
    return ("(%s)((%s)%s %s (%s)%s)"):format(d.ctype, u, a, by, u, b), d
  end
end

-- A value as a floating `to`, of values that meet in `d`: an integer beside those of uint64 is its 64 bits.
local function as_natural(v, d, to)
  if d.name ~= "uint64" or v.dtype or v.weak ~= "i" then return as(v, to) end
  return ("(%s)%s"):format(to.ctype, as(v, d))
end

emit["/"] = function(_, list)
  local met = meet(list) or dtype "float32"
  local d = floating_of(list, met, 4)
  return ("%s / %s"):format(as_natural(list[1], met, d), as_natural(list[2], met, d)), d
end

for _, sign in ipairs { "//", "%" } do
  emit[sign] = function(node, list)
    local d = common(node, list, "operator '" .. sign .. "'")
    if d.kind == "b" then d = dtype "int32" end
    return number_text.division(sign, as_float(list[1], d), as_float(list[2], d), d), d
  end
end

emit["^"] = function(node, list)
  local met = meet(list) or dtype "float32"
  local d = floating_of(list, met, 4)
  local a = as_natural(list[1], met, d)
  if node[2].op == "constant" and node[2].value == 2 then return ("%s * %s"):format(a, a), d end
  return ("pow(%s, %s)"):format(a, as(list[2], d)), d -- the exponent keeps its sign
end

-- As arrays': array/codegen/prelude.c has the same for them.
local power_text = "[](T a, T b) { if (b < 0) return a == 1 ? (T)1 : a != (T)-1 ? (T)0 : b & 1 ? (T)-1 : (T)1; "
  .. "U p = 1, s = (U)a; for (U n = (U)b; n != 0; n >>= 1) { if (n & 1) p *= s; s *= s; } return (T)p; }"

-- Of integers an integer, else as ^.
local function power(node, list)
  local d = meet(list)
  local integers = false
  for _, v in ipairs(list) do integers = integers or v.dtype and is_integer(v.dtype) end
  if not integers or not is_integer(d) then return emit["^"](node, list) end
  common(node, list, "'pow'")
  return ("%s(%s, %s)"):format(power_text:gsub("%f[%w][TU]%f[%W]", { T = d.ctype, U = unsigned(d) }), as(list[1], d),
    as(list[2], d)), d
end

for lua_sign, sign in pairs { ["&"] = "&", ["|"] = "|", ["~"] = "^" } do
  emit[lua_sign] = function(node, list)
    local d = need_integers(common(node, list, "operator '" .. lua_sign .. "'"), lua_sign)
    return ("(%s)(%s %s %s)"):format(d.ctype, as(list[1], d), sign, as(list[2], d)), d
  end
end

for _, sign in ipairs { "<<", ">>" } do
  emit[sign] = function(node, list)
    local d = need_integers(common(node, list, "operator '" .. sign .. "'"), sign)
    if d.kind == "b" then d = dtype "int32" end
    return number_text.shift(sign, as(list[1], d), as(list[2], d), d), d
  end
end

emit.neg = function(_, list)
  local d = list[1].dtype or dtype "float32"
  if d.kind == "b" then d = dtype "int32" end
  local a = as(list[1], d)
  if d.kind == "f" then return ("-(%s)"):format(a), d end
  return number_text.negated("(" .. a .. ")", d), d
end

emit["not"] = function(_, list)
  local d = need_integers(list[1].dtype or dtype(list[1].weak == "i" and "int32" or "float32"), "~")
  return (d.kind == "b" and "!(%s)" or "(" .. d.ctype .. ")~(%s)"):format(as(list[1], d)), d
end

-- The dtype in which values are compared: a number that an integer dtype does not have is compared all the same.
local function comparable(list)
  local d = meet(list) or dtype "float64"
  local strong = list[1].dtype or list[2].dtype
  if d.kind == "b" then return dtype "int32" end
  for _, v in ipairs(list) do
    if not v.dtype and strong and is_integer(strong) and (v.weak == "f" or v.constant
      and not pcall(check_constant, { op = "constant", value = v.constant }, strong, "")) then
      return dtype "float64"
    end
  end
  return d
end

for _, sign in ipairs { "<", "<=", ">", ">=", "==", "!=" } do
  emit[sign] = function(_, list)
    local d = comparable(list)
    return ("%s %s %s"):format(as(list[1], d), sign, as(list[2], d)), dtype "bool"
  end
end

emit.where = function(node, list)
  local d = common({ node[2], node[3] }, { list[2], list[3] }, "'where'")
  local c = list[1].dtype and as(list[1], dtype "bool") or ("(%s != 0)"):format(as(list[1], dtype "float64"))
  return ("%s ? %s : %s"):format(c, as(list[2], d), as(list[3], d)), d
end

emit.cast = function(node, list)
  local d = dtype(node.dtype)
  check_real("'cast'", d)
  if not list[1].dtype and list[1].constant == nil then
    return as({ text = list[1].text, dtype = dtype(list[1].weak == "i" and "int64" or "float64") }, d), d
  end
  if not list[1].dtype then check_constant(node[1], d, "'cast'") end
  return as(list[1], d), d
end

-- --- functions --------------------------------------------------------------------------------------------------

local function call_text(name, list, d, met)
  local texts = {}
  for k, v in ipairs(list) do texts[k] = as_natural(v, met or d, d) end
  return ("%s(%s)"):format(name, table.concat(texts, ", "))
end

-- The next 16-bit float is a step of the bits: the compiler's function would be float's.
local next_text = "[](T x, T y) { const float a = (float)x, b = (float)y; if (!(a < b || a > b)) return a == b ? y : "
  .. "(T)(a + b); unsigned short bits = *(unsigned short *)&x; bits = a == 0 ? (b < 0 ? 0x8001 : 1) : "
  .. "(unsigned short)(bits + ((a < b) == (a > 0) ? 1 : -1)); return *(T *)&bits; }"

local by_kind = {}

function by_kind.float(f, node, list)
  if f.name == "pow" then return power(node, list) end
  local met = meet(list) or dtype "float32"
  local d = floating_of(list, met, 8)
  if f.name == "nextafter" and d.size == 2 then return call_text(next_text:gsub("T", d.ctype), list, d), d end
  return call_text(f.name, list, d, met), d
end

function by_kind.test(f, node, list)
  local d = floating(common(node, list, "'" .. f.name .. "'"))
  return ("%s(%s) != 0"):format(f.name, as_float(list[1], d)), dtype "bool"
end

function by_kind.exponent(f, _, list)
  local d = floating(list[1].dtype or dtype "float32")
  return ("%s(%s, (int)%s)"):format(f.name, as(list[1], d), as(list[2], dtype "int32")), d
end

local plain_min = { min = "<", max = ">", fmin = "<", fmax = ">" }

-- Integers keep their dtype: they are whole already.
function by_kind.keep(f, node, list)
  local d = common(node, list, "'" .. f.name .. "'")
  if d.kind == "f" then
    local name = ({ abs = "fabs", min = "fmin", max = "fmax" })[f.name] or f.name
    return call_text(name, list, d), d
  end
  local a = as(list[1], d)
  if plain_min[f.name] then
    local b = as(list[2], d)
    return ("%s %s %s ? %s : %s"):format(a, plain_min[f.name], b, a, b), d
  end
  return f.name == "abs" and number_text.absolute(a, d) or a, d
end

-- --- a graph as a body ------------------------------------------------------------------------------------------

local function value_of(node, state)
  local v = state.values[node]
  if v then return v end
  if node.op == "constant" then
    v = { constant = node.value, weak = node.weak, dtype = node.dtype and dtype(node.dtype),
      text = node.dtype and tostring(node.value) }
  elseif node.op == "argument" then
    v = state.arguments[node.index]
  else
    local list = {}
    for k = 1, rawlen(node) do list[k] = value_of(node[k], state) end
    local text, d
    if emit[node.op] then
      text, d = emit[node.op](node, list)
    else
      local f = symbolic.functions[node.op]
      text, d = by_kind[f.kind](f, node, list)
    end
    state.count = state.count + 1
    local name = "t" .. state.count
    state.lines[#state.lines + 1] = ("const %s %s = %s;"):format(d.ctype, name, text)
    v = { text = name, dtype = d }
  end
  state.values[node] = v
  return v
end

-- Called when the dtypes of arguments are known: those of the results, and the body.
local function infer(graph, bound, args)
  local state = { values = {}, lines = {}, count = 0, arguments = {} }
  for k = 1, graph.count do
    local x, t = args[k], bound.types["T" .. k]
    if type(x) == "number" then
      local weak = math.type(x) == "integer" and "i" or "f"
      t.dtype = dtype(weak == "i" and "int64" or "float64")
      state.arguments[k] = { text = "x" .. k, weak = weak }
    else
      check_real("argument " .. k, t.dtype)
      state.arguments[k] = { text = "x" .. k, dtype = t.dtype }
    end
  end
  for k, root in ipairs(graph) do
    local v = value_of(root, state)
    local name = "R" .. k
    local d = bound.types[name] and bound.types[name].dtype or v.dtype or dtype "float32"
    check_real("result " .. k, d)
    bound.types[name] = bound.types[name] or { dtype = d, by = "the function" }
    state.lines[#state.lines + 1] = ("result%d = %s;"):format(k, as(v, d))
  end
  bound.body_text = table.concat(state.lines, "\n")
end

-- --- tracing ----------------------------------------------------------------------------------------------------

-- Whether an error of a traced function says that it needs values, not symbols.
local function needs_values(err)
  if type(err) == "table" then return rawget(err, "needs_values") == true end
  return type(err) == "string" and (err:find("got symbolic value", 1, true) ~= nil
    or err:find "'for' %a+ %a* ?must be a number" ~= nil)
end

-- The function's results on symbolic arguments. `compilable`: nil in their place where the function needs values.
local function trace(fn, count, compilable)
  local symbols = {}
  for k = 1, count do symbols[k] = symbolic.argument(k) end
  core.trace(1)
  local results = table.pack(pcall(fn, table.unpack(symbols, 1, count)))
  core.trace(-1)
  if not results[1] then
    local err = results[2]
    if compilable and needs_values(err) then return nil end
    if type(err) == "string" and err:find("got symbolic value", 1, true) then
      fail("argument", "%s; Lua's own functions take no symbolic values: in place of math.sin and its like use "
        .. "dc.sin or x:sin()", err)
    end
    error(err, 0)
  end
  local graph = { count = count }
  for k = 2, results.n do
    local v = results[k]
    if not symbolic.is(v) and type(v) ~= "number" and type(v) ~= "boolean" then
      fail("argument", "the function's result %d is %s, not a symbolic value or a number", k - 1, core.describe(v))
    end
    graph[k - 1] = symbolic.operand(v, "a result")
  end
  if #graph == 0 then fail("argument", "the function returns nothing") end
  return graph
end

local known = builder.set({ "name", "args", "fast_math" })

-- How many arguments the function takes, and what they are called.
local function parameters(fn, options)
  local info, names = debug.getinfo(fn, "u"), {}
  local count = options.args or info.nparams
  if not options.args and (info.isvararg or info.nparams == 0) then
    fail("argument", "'vectorize': how many arguments the function takes is not plain: say it in option 'args'")
  end
  if math.type(count) ~= "integer" or count < 1 or count > 32 then
    fail("argument", "option 'args' is a number of arguments (1 to 32), got %s", core.describe(count))
  end
  for k = 1, count do names[k] = debug.getlocal(fn, k) or "x" .. k end
  return count, table.concat(names, ", ")
end

local function vectorize(fn, options)
  if type(fn) == "table" and require("dotcompute.jit").function_of(fn) then
    options = arguments.check("dc.vectorize", options, known)
    return jit_elementwise.vectorize(fn, options)
  end
  if type(fn) ~= "function" then
    fail("argument", "bad argument #1 to 'vectorize': a function expected, got %s", core.describe(fn))
  end
  options = options or {}
  arguments.check("dc.vectorize", options, known)
  local count, names = parameters(fn, options)
  local compilable, depends = jit_elementwise.inspect(fn, count)
  local graph = not depends and trace(fn, count, compilable)
  if not graph then return jit_elementwise.vectorize(fn, options) end
  local inputs, outputs = {}, {}
  for k = 1, count do inputs[k] = ("T%d x%d"):format(k, k) end
  for k = 1, #graph do outputs[k] = ("R%d result%d"):format(k, k) end
  return elementwise.make(table.concat(inputs, ", "), table.concat(outputs, ", "), nil,
    { name = options.name or "vectorized", fast_math = options.fast_math, flags = { "--fmad=false" }, shown = names },
    function(_, bound, args) infer(graph, bound, args) end)
end

return { vectorize = vectorize }
