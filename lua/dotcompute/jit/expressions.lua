-- Types of expressions: methods of the checker (check.lua).
local core = require "dotcompute.core"
local builtins = require "dotcompute.jit.builtins"
local has_effect = require "dotcompute.jit.emit_expression".has_effect
local number_text = require "dotcompute.number_text"
local points_to = require "dotcompute.jit.points_to"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local expressions = {}
local E = {} -- by the node's op
local mininteger = math.mininteger -- whose math.abs is itself

-- --- constants --------------------------------------------------------------------------------------------------

E["true"] = function(_, n) return { op = "const", type = types.bool, value = true, at = n.at } end
E["false"] = function(_, n) return { op = "const", type = types.bool, value = false, at = n.at } end
E["nil"] = function(self, n) self:fail(n.at, "nil is no value in a kernel: use a number or a boolean") end
E["..."] = function(self, n) self:fail(n.at, "'...' is not possible in a kernel: name the parameters") end
function E.table(self, n) return self:tuple(n) end
E.method = function(self, n)
  if n.name == "shape" then return self:shape(n) end
  local of_complex = self:complex_method(n)
  if of_complex then return of_complex end
  local builtin = self.compiled_in and builtins.method(n.name)
  if builtin then
    return builtin.check(self, { args = table.move(n.args, 1, #n.args, 2, { n.object }), at = n.at, last = n.last },
      builtin)
  end
  self:fail(n.name_at, "methods cannot be called in a kernel, but a:shape(k): '%s' is not possible", n.name)
end

function E.string(_, n) return { op = "static", type = types.string(n.value), text = n.value, at = n.at } end

function E.number(self, n)
  local t = types[math.type(n.value)]
  if t == types.float and n.text:find "^%d+$" then
    self:fail(n.at, "%s is too large for an integer of 64 bits, and Lua makes it a float: write %s.0 if that is meant",
      n.text, n.text)
  end
  return { op = "const", type = t, value = n.value, at = n.at, n = n }
end

function E.paren(self, n) return self:expr(n.a) end
function E.name(self, n) return self:name(n) end

E["function"] = function(self, n, name)
  local fn = self.inst.closures[n]
  if not fn then
    fn = { node = n, root = self.inst.root, parent = self.inst, instances = {}, name = name }
    self.inst.closures[n] = fn
  end
  return { op = "static", type = types.static("function", fn, "a function"), at = n.at }
end

-- --- operands ---------------------------------------------------------------------------------------------------

-- The node of an expression with one value; `name`: what a function expression is called.
function expressions:expr(n, name)
  local e = self:multi(n, name)
  if #e > 0 or e.op == "values" then
    if #e == 0 then self:fail(n.at, "'%s' returns no value", self:shown(n)) end
    e = e[1]
  end
  e.n = n
  return e
end

-- The same where several values are welcome: { op = "values", nodes… } for a call with none or several.
function expressions:multi(n, name)
  local method = E[n.op]
  if not method then self:fail(n.at, "'%s' is not possible in a kernel", n.op) end
  return method(self, n, name)
end

-- The values of a list of expressions: of the last one all.
function expressions:list(nodes, names)
  local list = {}
  for k, n in ipairs(nodes) do
    if k < #nodes then
      list[k] = self:expr(n, names and names[k])
    else
      local e = self:multi(n, names and names[k])
      if e.op == "values" then
        for _, one in ipairs(e) do
          one.n = n
          list[#list + 1] = one
        end
        list.open = e.open
      else
        e.n = n
        list[#list + 1] = e
      end
    end
  end
  return list
end

-- The number of an expression, which `what` needs. Its type is unknown while functions are being inferred.
function expressions:number(n, what)
  return self:need_number(self:expr(n), n, what)
end

function expressions:need_number(e, n, what)
  local t = e.type
  if t == types.unknown or types.is_number(t) then return e end
  if t.kind == "c" then
    self:fail(n.at, "%s needs a real number, but '%s' is %s: dc.real(z), dc.imag(z) and dc.abs(z) are", what,
      self:shown(n), self:why(e))
  end
  local advice = t == types.bool and ": 'b and 1 or 0' makes a number of a boolean"
    or t.ndim and (": an element is %s[i], its extent #%s"):format(self:shown(n), self:shown(n)) or ""
  self:fail(n.at, "%s needs a number, but '%s' is %s%s", what, self:shown(n), self:why(e), advice)
end

-- The same for a number that may be complex.
function expressions:need_scalar(e, n, what)
  if e.type.kind == "c" then return e end
  return self:need_number(e, n, what)
end

-- A node of the tree in place of one of the text.
function E.checked(_, n) return n.e end

function expressions:integer(n, what)
  return self:need_integer(self:expr(n), n, what)
end

function expressions:need_integer(e, n, what)
  e = self:need_number(e, n, what)
  local t = e.type
  if types.is_floating(t) then
    local i = e.value and math.tointeger(e.value)
    if i then return { op = "const", type = types.integer, value = i, at = e.at, n = n } end
    self:fail(n.at, "%s needs an integer, but '%s' is %s: math.floor(x) makes an integer", what, self:shown(n),
      self:why(e))
  end
  return e
end

-- Where a type comes from that a constant does not fit: a local has it, or a node of the tree whose text is `n`.
function expressions:origin(from, n)
  if not from then return "" end
  if not from.op then
    local because = self:because(from)
    return (", the type of '%s'%s"):format(from.name, because and " " .. because or "")
  end
  return (": '%s' is %s"):format(from.symbol and from.symbol.name or self:shown(n), self:why(from))
end

-- A value as another scalar type, which `from` (and `from_n`) has.
function expressions:convert(e, t, n, from, from_n)
  if e.type == t or e.type == types.unknown then return e end
  if e.op == "build" and t.composite == "tuple" then
    for k, item in ipairs(t.items) do e.args[k] = self:convert(e.args[k], item, n) end
    e.type = t
    return e
  end
  if e.op == "const" and types.is_number(t) and type(e.value) == "number" then
    if not number_text.holds(t, e.value) then
      self:fail((n or e).at, "%s is out of range for %s%s", tostring(e.value), t.text, self:origin(from, from_n))
    end
  end
  return { op = "convert", type = t, a = e, at = e.at, n = e.n }
end

-- --- operators --------------------------------------------------------------------------------------------------

local folds = {}
for _, sign in ipairs { "+", "-", "*", "/", "//", "%", "^", "&", "|", "~", "<<", ">>", "<", "<=", ">", ">=", "==",
  "~=" } do
  folds[sign] = load(("return function(a, b) return a %s b end"):format(sign))()
end

-- The result of an operator on constants, by Lua itself; nil where there is none.
local function fold(sign, a, b, n)
  if a.op ~= "const" or b.op ~= "const" or not (a.type.weak and b.type.weak) then return nil end
  local ok, v = pcall(folds[sign], a.value, b.value)
  if not ok then return nil end
  local t = type(v) == "boolean" and types.bool or types[math.type(v)]
  return { op = "const", type = t, value = v, at = n.at, n = n }
end

local function integers_only(sign) return sign:find "^[&|~]$" or sign == "<<" or sign == ">>" end

function expressions:arith(n, sign, a, b)
  if a.type.vector or b.type.vector then return self:vector_arith(n, sign, a, b) end
  local what = ("operator '%s'"):format(sign)
  if integers_only(sign) then
    a, b = self:need_integer(a, n.a, what), self:need_integer(b, n.b, what)
  elseif sign == "//" or sign == "%" then
    a, b = self:need_number(a, n.a, what), self:need_number(b, n.b, what)
  else
    a, b = self:need_scalar(a, n.a, what), self:need_scalar(b, n.b, what)
  end
  local folded = fold(sign, a, b, n)
  if folded then return folded end
  if a.type == types.unknown or b.type == types.unknown then
    return { op = "arith", type = types.unknown, sign = sign, a = a, b = b, at = n.at }
  end
  if (sign == "//" or sign == "%") and b.op == "const" and b.value == 0 and not types.is_floating(a.type)
    and not types.is_floating(b.type) then
    self:fail(n.at, "attempt to perform 'n%s0'", sign == "%" and "%%" or sign)
  end
  local met = types.meet(a.type, b.type)
  local t = met
  if sign:find "^[&|~]$" and types.is_floating(met) then
    self:fail(n.at, "operator '%s' has %s and %s, and no integer dtype holds both: dc.uint64(x) or dc.int64(x) "
      .. "converts one", sign, self:why(a), self:why(b))
  end
  if sign == "/" or sign == "^" then t = types.floating({ a.type, b.type }, met, 4) end
  if sign == "<<" or sign == ">>" then
    -- the value is shifted in its own type; a number beside it does not widen it
    t = a.type
  elseif sign == "^" then
    a = self:convert(a, t, n.a)
    if t.kind == "c" then self:use_complex "pow" end
    if not (b.op == "const" and b.value == 2) then b = self:convert(b, t, n.b) end
  else
    a, b = self:convert(a, t, n.a, b, n.b), self:convert(b, t, n.b, a, n.a)
  end
  return { op = "arith", type = t, sign = sign, a = a, b = b, at = n.at }
end

-- The greatest integer up to which a floating dtype has all of them.
local exact = { float16 = 1 << 11, bfloat16 = 1 << 8, float32 = 1 << 24, float64 = 1 << 53 }

-- Comparisons are exact, but a number of the script beside a floating dtype takes it first.
function expressions:compare(n, sign, a, b)
  if (sign == "==" or sign == "~=") and (a.type == types.bool or b.type == types.bool) then
    if a.type ~= b.type and a.type ~= types.unknown and b.type ~= types.unknown then
      self:fail(n.at, "'%s' of %s and %s is always %s: compare values of one type", sign, self:why(a), self:why(b),
        tostring(sign == "~="))
    end
    return { op = "compare", type = types.bool, sign = sign, a = a, b = b, met = types.bool, at = n.at }
  end
  local what = ("operator '%s'"):format(sign)
  if (a.type.kind == "c" or b.type.kind == "c") and (sign == "==" or sign == "~=") then
    a, b = self:need_scalar(a, n.a, what), self:need_scalar(b, n.b, what)
    if a.type ~= types.unknown and b.type ~= types.unknown then
      local met = types.meet(a.type, b.type)
      return { op = "compare", type = types.bool, sign = sign, a = self:convert(a, met, n.a),
        b = self:convert(b, met, n.b), met = met, at = n.at }
    end
  end
  a, b = self:need_number(a, n.a, what), self:need_number(b, n.b, what)
  local folded = fold(sign, a, b, n)
  if folded then return folded end
  local e = { op = "compare", type = types.bool, sign = sign, a = a, b = b, at = n.at }
  if a.type == types.unknown or b.type == types.unknown then return e end
  local fa, fb = types.is_floating(a.type), types.is_floating(b.type)
  if fa and fb then
    e.met = types.meet(a.type, b.type)
    e.a, e.b = self:convert(a, e.met, n.a), self:convert(b, e.met, n.b)
  elseif fa == fb then -- integers: exact in 64 bits
    local wide = a.type.name == "uint64" and b.type.name == "uint64" or a.type.name == "uint64" and b.type.weak
      or b.type.name == "uint64" and a.type.weak
    if wide then
      e.met = types.dtype "uint64"
    elseif a.type.name == "uint64" or b.type.name == "uint64" then
      e.mixed = true
    else
      e.met = a.type == b.type and a.type or types.integer
    end
    if e.met then
      e.a, e.b = { op = "convert", type = e.met, a = a, at = a.at }, { op = "convert", type = e.met, a = b, at = b.at }
    end
  else -- an integer and a float
    local i, f = fa and b or a, fa and a or b
    if exact[f.type.name] and i.op == "const" and math.abs(i.value) <= exact[f.type.name] and i.value > mininteger then
      e.met = f.type
      e.a, e.b = self:convert(a, e.met, n.a), self:convert(b, e.met, n.b)
    elseif i.type.size < 8 then
      e.met = types.float
      e.a, e.b = self:convert(a, e.met, n.a), self:convert(b, e.met, n.b)
    else
      e.mixed = true
    end
  end
  return e
end

-- Whether a value is true: known (true, false), or nil where it depends on the value. Lua's 0 is true.
local function truth(e)
  if e.type == types.bool then
    if e.op == "const" then return e.value end
    return nil
  end
  if e.type == types.unknown or e.type.maybe then return nil end
  return true
end
expressions.truth = truth

-- `a and b`, `a or b`. The type of `c and v` with a number v is { maybe = type of v }: false, or v; it becomes v's in
-- `c and v or w`.
function expressions:logic(n)
  local sign = n.sign
  local a = self:expr(n.a)
  local known = truth(a)
  if a.type.static then self:fail(n.a.at, "%s stands before '%s': it is always true", a.type.text, sign) end
  -- what stands to the right may not run
  local state = self:copy_state()
  local b = self:expr(n.b)
  self.inst.state = state
  if known ~= nil and known == (sign == "or") then return a end
  if known ~= nil and not has_effect(a) then return b end
  if known ~= nil and types.is_value(b.type) then -- a is true, and evaluated for its effect
    return { op = "text", type = b.type, text = "$2", args = { a, b }, at = n.at }
  end
  if a.op == "memory" or b.op == "memory" then
    self:fail(n.at, "an array of '%s' is made with its local: write 'local a = …' for each", self:shown(n))
  end
  if a.type == types.unknown then return { op = "logic", type = b.type, sign = sign, a = a, b = b, at = n.at } end
  local e = { op = "logic", sign = sign, a = a, b = b, at = n.at }
  if b.type.static then self:fail(n.b.at, "%s cannot stand behind '%s' in a kernel", b.type.text, sign) end
  if a.type == types.bool and (b.type == types.bool or b.type == types.unknown) then
    e.type = b.type
  elseif a.type == types.bool and sign == "and" then
    e.type = b.type.maybe and b.type or { text = ("false or %s"):format(b.type.text), maybe = b.type, name = "maybe" }
  elseif a.type.maybe and sign == "or" then
    local t = b.type == types.unknown and a.type.maybe or types.join(a.type.maybe, b.type)
    if not t then
      self:fail(n.at, "'%s' is %s or %s: both values of 'c and a or b' need one type", self:shown(n), a.type.maybe.text,
        b.type.text)
    end
    e.type = t
    if types.is_value(t) then e.b = self:convert(b, t, n.b) end
  else
    e.type = { text = ("a boolean or %s"):format(b.type.text), mixed = true, name = "mixed" } -- a condition alone
  end
  return e
end

function E.binary(self, n)
  local sign = n.sign
  if sign == "and" or sign == "or" then return self:logic(n) end
  if sign == ".." then self:fail(n.sign_at, "strings cannot be joined in a kernel; print takes several values") end
  local a, b = self:expr(n.a), self:expr(n.b)
  local compares = sign:find "^[<>]=?$" or sign == "==" or sign == "~="
  if compares then return self:compare(n, sign, a, b) end
  return self:arith(n, sign, a, b)
end

function E.unary(self, n)
  local sign = n.sign
  local a = self:expr(n.a)
  if sign == "not" then
    local known = truth(a)
    if known ~= nil and not has_effect(a) then
      return { op = "const", type = types.bool, value = not known, at = n.at }
    end
    return { op = "not", type = types.bool, a = a, at = n.at }
  elseif sign == "#" then
    if a.type == types.unknown then return { op = "extent", type = types.integer, array = a, axis = 1, at = n.at } end
    if a.type.composite == "tuple" then
      return { op = "const", type = types.integer, value = #a.type.items, at = n.at }
    end
    if not a.type.ndim then self:fail(n.at, "'#' needs an array, but '%s' is %s", self:shown(n.a), self:why(a)) end
    return { op = "extent", type = types.integer, array = a, axis = 1, at = n.at }
  end
  if a.type.vector then return self:vector_unary(n, sign, a) end
  if sign == "~" then a = self:need_integer(a, n.a, "operator '~'")
  else a = self:need_scalar(a, n.a, "operator '-'") end
  if a.op == "const" and a.type.weak then
    local v = a.value
    if sign == "-" then v = -v else v = ~v end
    return { op = "const", type = types[math.type(v)], value = v, at = n.at }
  end
  return { op = "unary", type = a.type, sign = sign, a = a, at = n.at }
end

-- --- arrays -----------------------------------------------------------------------------------------------------

-- One index of an array: an integer, from 1.
function expressions:checked_index(e, array_node)
  local n = e.n
  e = self:need_integer(e, n, "an index")
  if e.op == "const" and e.value < 1 then
    self:fail(n.at, "index %d of '%s': indices count from 1, and negative ones are not possible in a kernel", e.value,
      self:shown(array_node))
  end
  return e
end

-- a[i], a[i][j], a[{i, j}]: an element, or a row of an array of more axes.
function E.index(self, n)
  if n.key.op == "string" then n.object.field = n.key.value end -- for the error if the object is nil
  local object = self:expr(n.object)
  local t = object.type
  if t.static == "table" and object.path then
    if n.key.op ~= "string" then
      self:fail(n.at, "'%s' is a table of the script: only its fields by name can be read in a kernel; use an array",
        self:shown(n.object))
    end
    return self:field(n, object, n.key.value)
  end
  if t == types.unknown then return { op = "element", type = types.unknown, array = object, at = n.at } end
  if t.composite then return self:component(n, object) end
  if t.kind == "c" then return self:complex_field(n, object) end
  if t.static == "struct" then return self:struct_property(n, t.value) end
  if not t.ndim then
    self:fail(n.at, "'%s' is indexed, but it is %s and no array", self:shown(n.object), self:why(object))
  end
  local list = {}
  local array = object
  if object.op == "row" then -- a[i][j] is a[{i, j}]
    array = object.array
    for k, e in ipairs(object.index) do list[k] = e end
  end
  if n.key.op == "table" then
    local items = {}
    for k, item in ipairs(n.key.items) do
      if item.key then self:fail(n.key.at, "an index list has no names: a[{i, j}]") end
      items[k] = item.value
    end
    for _, e in ipairs(self:list(items)) do list[#list + 1] = self:checked_index(e, n.object) end
  elseif n.key.op == "string" then
    self:fail(n.key.at, "an array has no field '%s' in a kernel; there are #a and a:shape(k)", n.key.value)
  else
    list[#list + 1] = self:checked_index(self:expr(n.key), n.object)
  end
  local axes = array.type.ndim
  if #list > axes or #list == 0 then
    self:fail(n.at, "'%s' has %d ax%s, and %d indices are given", self:shown(n.object), axes,
      axes == 1 and "is" or "es", #list)
  end
  local element = array.type.element
  if #list == axes then
    return { op = "element", type = element, array = array, index = list, late = n.key.op ~= "table", at = n.at }
  end
  return { op = "row", type = types.row(array.type, axes - #list), array = array, index = list, symbol = array.symbol,
    at = n.at }
end

-- Raises where an array of which `what` gets the address alone is a view that is not contiguous.
function expressions:need_contiguous(e, n, what)
  if not e.type.strided then return end
  self:fail(n.at, "%s takes the address of '%s', which is a view that is not contiguous in this launch: pass a copy "
    .. "(a:copy())", what, self:shown(n))
end

-- a:shape() gives all extents, a:shape(k) one of them.
function expressions:shape(n)
  local a = self:expr(n.object)
  if not a.type.ndim then
    self:fail(n.at, "'shape' needs an array, but '%s' is %s", self:shown(n.object), self:why(a))
  end
  local function extent(k) return { op = "extent", type = types.integer, array = a, axis = k, at = n.at } end
  if #n.args == 0 then
    local list = { op = "values" }
    for k = 1, a.type.ndim do list[k] = extent(k) end
    return list
  end
  local k = self:constant(n.args[1], "the axis of 'shape'")
  if #n.args > 1 or k < 1 or k > a.type.ndim then
    self:fail(n.at, "'shape' takes one axis, 1 to %d", a.type.ndim)
  end
  return extent(k)
end

-- The integer value of an expression that has to be known when the kernel is compiled.
function expressions:constant(n, what)
  local e = self:integer(n, what)
  if e.op == "const" then return e.value end
  local symbol = e.op == "symbol" and e.symbol
  if symbol and symbol.input and math.type(symbol.input) == "integer" then
    self:guard(symbol.path, symbol.input) -- another value compiles the kernel again
    return symbol.input
  end
  self:fail(n.at, "%s has to be a constant, or a number captured from the script; '%s' is computed in the kernel", what,
    self:shown(n))
end

-- --- calls ------------------------------------------------------------------------------------------------------

-- Passes arguments to a function in Lua.
function expressions:call_function(n, fn, args)
  local params = fn.node.params
  if fn.node.vararg then
    self:fail(n.at, "'%s' takes '...', which is not possible in a kernel: name the parameters",
      fn.name or "the function")
  end
  if #n.args > #params then -- the last one may have more values, which are dropped
    self:fail(n.at, "'%s' takes %d argument%s, got %d", fn.name or "the function", #params, #params == 1 and "" or "s",
      #n.args)
  elseif #args < #params and not (args.open and not self.final) then
    self:fail(n.at, "'%s' takes %d argument%s, got %d: the value of '%s' is missing", fn.name or "the function",
      #params, #params == 1 and "" or "s", #args, params[#args + 1].name)
  end
  local list = {}
  for k = 1, #params do
    local e = args[k]
    if not e or e.type == types.unknown then -- of a recursion that is being inferred
      if self.final then self:fail_unknown(e, n) end
      return { op = "values", { op = "call", type = types.unknown, at = n.at, args = {} } }
    end
    if e.type.maybe or e.type.mixed then self:fail(e.n.at, "'%s' is %s", self:shown(e.n), e.type.text) end
    list[k] = e.type
  end
  args = table.move(args, 1, #params, 1, {})
  local inst = self:instance(fn, list)
  self:visit(inst)
  for _, symbol in ipairs(inst.reached) do
    self:reach(symbol)
    if self.inst.state and self.inst.state[symbol] then
      self:fail(n.at, "'%s', which is called here, uses '%s', which has no value yet", fn.name or "the function",
        symbol.name)
    end
  end
  for k, decl in ipairs(params) do
    local symbol = inst.symbols[decl]
    if symbol and symbol.written then
      points_to.each(args[k], function(array) self:write(array, n.at) end)
    end
  end
  local call = { op = "call", type = types.unknown, inst = inst, args = args, at = n.at, effect = inst.effect }
  if inst.effect then self:set(self.inst, "effect") end
  local returns = inst.returns
  local values = { op = "values", call = call }
  if not returns then -- not known yet: a recursion
    if self.final then
      self:fail(n.at, "'%s' calls itself without end: no way through it returns", fn.name or "the function")
    end
    values[1] = { op = "result", call = call, k = 1, type = types.unknown, at = n.at }
    values.open = true
    return values
  end
  for k, t in ipairs(returns) do
    if t == types.unknown and self.final then
      self:fail(n.at, "'%s' calls itself without end: no way through it returns a value of a known type",
        fn.name or "the function")
    end
    values[k] = { op = "result", call = call, k = k, type = t, at = n.at, effect = inst.effect }
  end
  return values
end

function expressions:fail_unknown(e, n)
  self:fail((e.n or n).at, "the type of '%s' cannot be inferred: it comes from a recursion without end",
    self:shown(e.n or n))
end

function E.call(self, n)
  local fn = self:expr(n.fn)
  if fn.type.static == "builtin" then
    local builtin = fn.type.value
    if self.options.items and builtins.uses_threads(builtin) then
      self:fail(n.at, "%s: a function of dc.guvectorize is called for each item by itself, and cannot use threads",
        builtin.name)
    end
    local e = builtin.check(self, n, builtin)
    -- math.floor(v) of an integer is v; as an operand it is a value of its own (see emit_expression.lua)
    if e.op == "symbol" and e.type.kind then
      return { op = "convert", type = e.type, a = e, explicit = true, at = n.at }
    end
    return e
  elseif fn.type.static == "function" then
    return self:call_function(n, fn.type.value, self:list(n.args))
  elseif fn.type.static == "struct" then
    return self:construct(n, types.struct(fn.type.value))
  end
  self:fail(n.at, "'%s' is called, but it is %s", self:shown(n.fn), self:why(fn))
end

return expressions
