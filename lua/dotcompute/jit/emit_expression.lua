-- CUDA C of expressions: methods of the printer (emit.lua).
--
-- Lua evaluates from left to right, C in any order. So an operand with an effect (a call that writes memory, an atomic
-- function, a shuffle) becomes a statement of its own before the expression, and so do the operands before it. Lua's
-- virtual machine reads a local that is itself an operand of an operator, or an index, when the operator is executed,
-- behind all calls in the other operand (`v + f()`); so do kernels.
local core = require "dotcompute.core"
local float_facts = require "dotcompute.jit.float_facts"
local integer_facts = require "dotcompute.jit.integer_facts"
local narrow = require "dotcompute.jit.narrow"
local number_text = require "dotcompute.number_text"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local printer = {}
local X = {} -- by the node's op

local function is_simple(text)
  return text:find "^[%w_%.]+$" ~= nil or text:find "^%(long long%)[%w_]+$" ~= nil
    or text:find "^%(%-[%w_%.]+%)$" ~= nil
end

local has_effect

local function any_has_effect(list)
  for k = 1, list and #list or 0 do
    if has_effect(list[k]) then return true end
  end
  return false
end

-- Whether a node, or one below it, has an effect.
function has_effect(e)
  local found = e.has_effect
  if found == nil then
    if e.op == "symbol" or e.op == "const" then return e.effect end
    local a, b, cond, array, call, object = e.a, e.b, e.cond, e.array, e.call, e.object
    found = e.effect or a and has_effect(a) or b and has_effect(b) or cond and has_effect(cond)
      or array and has_effect(array) or call and has_effect(call) or object and has_effect(object)
      or any_has_effect(e.args) or any_has_effect(e.index)
    e.has_effect = found
  end
  return found
end

-- --- integers of 32 bits ------------------------------------------------------------------------------------------

-- A Lua integer that fits in 32 bits (narrow.lua) is printed as "(long long)" before an operand of type `int`, so it
-- can stand wherever one of 64 bits can; where the other operands fit too, the cast is left out.
local CAST <const> = "^%(long long%)(.+)$"

-- The text of such an integer as an `int`.
local function as_int(text)
  local digits = text:match "^(%d+)ll$"
  if digits then return digits end
  digits = text:match "^%(%-(%d+)ll%)$"
  if digits then return "(-" .. digits .. ")" end
  return text:match(CAST) or "(int)" .. text
end
printer.as_int = as_int

function printer:is_int(e) return e.type == types.integer and narrow.is_int(e, self.facts) end

-- Whether the sum of a node that fits in 32 bits and a constant does.
local function sum_fits(self, e, plus)
  local range = narrow.range(e, self.facts)
  return range and range[1] + plus >= -2147483648 and range[2] + plus <= 2147483647
end

-- --- operands ---------------------------------------------------------------------------------------------------

-- A text in a constant of its own.
function printer:spill(text, t)
  if is_simple(text) and text:find "^%d" then return text end
  local name = self:temporary()
  self:declare(t.ctype, name, text, true)
  return name
end

-- The text of a node in a constant of its own.
function printer:spill_node(text, e)
  if not self:is_int(e) then return self:spill(text, e.type) end
  return "(long long)" .. self:spill(as_int(text), types.dtype "int32")
end

-- Whether an operand is a local of the current function, perhaps with a conversion that the script has not written.
function printer:is_local(e)
  while e.op == "convert" and not e.explicit do e = e.a end
  return e.op == "symbol" and e.symbol.owner == self.inst and e.symbol
end

-- The texts of operands in Lua's order of evaluation. `is_operator`: locals are read last.
function printer:operands(list, is_operator)
  local texts = {}
  for k, e in ipairs(list) do
    if has_effect(e) then
      for j = 1, k - 1 do
        if types.is_value(list[j].type) and list[j].op ~= "const" and not list[j].address
          and not (is_operator and self:is_local(list[j])) then
          texts[j] = self:spill_node(texts[j], list[j])
        end
      end
    end
    texts[k] = self:expr(e)
  end
  return texts
end

function printer:expr(e)
  local text = X[e.op](self, e)
  if e.effect and types.is_value(e.type) and e.op ~= "symbol" then
    text = self:spill_node(text, e)
  end
  return text
end

-- The same as a name or literal, for texts that have it more than once.
function printer:simple(text, t)
  if is_simple(text) then return text end
  return self:spill(text, t)
end

-- --- constants, variables -----------------------------------------------------------------------------------------

local function literal(v, t)
  if t == types.integer then
    if v == math.mininteger then return "(-9223372036854775807ll - 1)" end
    return (v < 0 and "(%dll)" or "%dll"):format(v)
  elseif t == types.float and v == v and v ~= math.huge and v ~= -math.huge then
    local text = ("%.17g"):format(v):gsub(",", ".")
    if not text:find "[%.e]" then text = text .. ".0" end
    return v < 0 and "(" .. text .. ")" or text
  end
  return "(" .. number_text.literal(v, t) .. ")"
end

function X.const(_, e)
  if e.type == types.bool then return tostring(e.value) end
  return literal(e.value, e.type)
end

function X.symbol(_, e)
  if e.symbol.from_zero then return ("(long long)(%s + 1)"):format(e.symbol.cname) end
  if e.symbol.narrow then return "(long long)" .. e.symbol.cname end
  return e.symbol.cname
end

function printer:converted(text, from, to)
  if from == to or to.ndim then return text end -- an array as a strided one, by its conversion operator
  if from.composite == "tuple" then return self:converted_tuple(text, from, to) end
  if from.kind == "c" or to.kind == "c" then return self:converted_complex(text, from, to) end
  if from.kind == "f" and types.is_integer(to) then text = self:simple(text, from) end
  if to.kind == "b" and from.size == 2 and from.kind == "f" then text = "(float)" .. text end
  return "(" .. number_text.convert(text, from, to) .. ")"
end

-- The value of a constant operand, also of one that a conversion does not change.
local function constant(e)
  local to = e.type
  if e.op == "convert" then e = e.a end
  return e.op == "const" and math.type(e.value) == "integer" and number_text.holds(to, e.value) and e.value or nil
end

function X.convert(self, e)
  local a = e.a
  if a.op == "const" and type(a.value) == "number" and types.is_number(e.type) and number_text.holds(e.type, a.value)
    and not (types.is_integer(e.type) and not math.tointeger(a.value)) then
    return literal(a.value, e.type)
  end
  if a.op == "const" and a.type == types.bool and e.type.kind == "b" then return tostring(a.value) end
  local text = self:expr(a)
  if a.type == e.type then return text end
  if self:is_int(a) then return self:converted(as_int(text), types.dtype "int32", e.type) end
  if e.type.kind == "f" and e.type.size >= 4 and a.op == "arith" and a.sign == ">>" and a.type == types.integer
    and (constant(a.b) or 0) > 0 then
    -- A logical shift is never negative: the unsigned conversion gives the same, and the machine code of CUDA C that
    -- shifts an unsigned integer.
    text = "(unsigned long long)" .. text
  end
  return self:converted(text, a.type, e.type)
end

-- --- operators --------------------------------------------------------------------------------------------------

-- 16-bit floats are computed as floats.
local function wide(text, t) return t.kind == "f" and t.size == 2 and "(float)" .. text or text end

-- `//` and `%` of signed integers by a divisor that is greater than 0; `d` is its value where it is constant.
local function divided(sign, a, b, d)
  if d and d & (d - 1) == 0 then
    local bits = 0
    while 1 << bits < d do bits = bits + 1 end
    if sign == "%" then return ("(%s & %d)"):format(a, d - 1) end
    return ("(%s >> %d)"):format(a, bits)
  end
  if sign == "%" then return ("(%s %% %s + (%s %% %s < 0 ? %s : 0))"):format(a, b, a, b, b) end
  return ("(%s / %s - (%s %% %s < 0))"):format(a, b, a, b)
end

-- An operator on integers that fit in 32 bits, and whose result does; nil where it is computed in 64.
function printer:int_arith(e, a, b)
  local sign = e.sign
  if not self:is_int(e) or not self:is_int(e.a) or not self:is_int(e.b) then return nil end
  local low = narrow.range(e.a, self.facts)[1]
  local divisor = narrow.range(e.b, self.facts)
  a, b = as_int(a), as_int(b)
  if sign == "+" or sign == "-" or sign == "*" or sign == "&" or sign == "|" then
    return ("(long long)(%s %s %s)"):format(a, sign, b)
  elseif sign == "~" then
    return ("(long long)(%s ^ %s)"):format(a, b)
  elseif (sign == "//" or sign == "%") and divisor[1] >= 1 then
    if low >= 0 then
      return ("(long long)(int)((unsigned int)%s %s (unsigned int)%s)"):format(a, sign == "%" and sign or "/", b)
    end
    local simple = types.dtype "int32"
    return "(long long)" .. divided(sign, self:simple(a, simple), self:simple(b, simple), constant(e.b))
  elseif sign == ">>" and low >= 0 and divisor[1] >= 0 and divisor[2] <= 31 then
    return ("(long long)(%s >> %s)"):format(a, b)
  end
end

-- Whether ptxas may take a sum or difference of 64 bits for a rotation (number_text.lua): one of a value that is
-- shifted to the left, or multiplied by a power of two, and of one that may be shifted to the right, or depend on a
-- sign.
function printer:may_rotate(e)
  local function bare(v)
    while v.op == "convert" and v.a.type.size == 8 or v.op == "unary" and v.sign == "-"
      or v.op == "symbol" and v.symbol.only_value do
      v = v.a or v.symbol.only_value
    end
    return v
  end
  local function is_scaled(v)
    if v.op ~= "arith" then return false end
    if v.sign == "+" then return v.a.op == "symbol" and v.b.op == "symbol" and v.a.symbol == v.b.symbol end
    local by = v.sign == "*" and (constant(v.a) or constant(v.b))
    return v.sign == "<<" or by and by ~= 0 and by & (by - 1) == 0
  end
  local function may_be_shifted(v)
    return v.op == "logic" or v.op == "text" or v.op == "convert" or v.sign == ">>" or v.sign == "//"
      or (v.op == "symbol" or v.op == "result") and self.facts.small and not self:is_int(v) -- else of indices
  end
  local a, b = bare(e.a), bare(e.b)
  return is_scaled(a) and may_be_shifted(b) or is_scaled(b) and may_be_shifted(a)
end

-- Whether an integer of 64 bits is a constant, or the value of an array, that takes all of 32 bits.
local function has_32_bits(v)
  while v.op == "symbol" and v.symbol.only_value do v = v.symbol.only_value end
  local c = constant(v)
  if c then return (c >= 1 << 30 or c <= -(1 << 30)) and c < 1 << 33 and c > -(1 << 33) end
  return v.op == "convert" and v.a.type.size == 4 and types.is_integer(v.a.type)
end

-- The operand ("a" or "b") of which an operation of integers is the negation: 0 - b, -1 * b, a * -1.
local function negates(e)
  if e.sign == "-" and constant(e.a) == 0 or e.sign == "*" and constant(e.a) == -1 then return "b" end
  return e.sign == "*" and constant(e.b) == -1 and "a"
end

-- The negated text of the integer node a, as the value of node e.
function printer:negated(text, e, a)
  if not self:is_int(e) or not self:is_int(a) then return "(" .. number_text.negated(text, e.type) .. ")" end
  return "(long long)" .. number_text.negated(as_int(text), types.dtype "int32")
end

function X.arith(self, e)
  local t, sign = e.type, e.sign
  if (sign == "+" or sign == "-") and constant(e.b) and self:is_int(e) and self:is_int(e.a) and not has_effect(e) then
    return "(long long)" .. self:index32(nil, e.a, sign == "+" and constant(e.b) or -constant(e.b))
  end
  local texts = self:operands({ e.a, e.b }, true)
  local a, b = texts[1], texts[2]
  local opposite = types.is_integer(t) and negates(e)
  if opposite then return self:negated(opposite == "a" and a or b, e, e[opposite]) end
  local int = t == types.integer and self:int_arith(e, a, b)
  if int then return int end
  if t.kind == "c" then
    if sign ~= "^" then return ("(%s %s %s)"):format(a, sign, b) end
    if e.b.op ~= "const" then return ("c_pow(%s, %s)"):format(a, b) end
    a = self:simple(a, t)
    return ("(%s * %s)"):format(a, a)
  end
  if sign == "+" or sign == "-" or sign == "*" then
    if t.kind == "f" then
      if t.size == 2 then return ("((%s)(%s %s %s))"):format(t.ctype, wide(a, t), sign, wide(b, t)) end
      return ("(%s %s %s)"):format(a, sign, b)
    end
    if sign ~= "*" and t.kind == "i" and t.size == 8 then -- see number_text.opaque
      if has_32_bits(e.a) then a = number_text.opaque(a, t) end
      if has_32_bits(e.b) then b = number_text.opaque(b, t) end
    end
    local u = number_text.unsigned(t) -- signed integers wrap
    if t.size == 8 and sign ~= "*" and self:may_rotate(e) then
      sign, b = sign == "+" and "-" or "+", number_text.negated(b, t)
    end
    return "(" .. number_text.wrapped(("(%s)%s %s (%s)%s"):format(u, a, sign, u, b), t) .. ")"
  elseif sign == "/" then
    if t.size == 2 then return ("((%s)(%s / %s))"):format(t.ctype, wide(a, t), wide(b, t)) end
    return ("(%s / %s)"):format(a, b)
  elseif sign == "^" then
    if e.b.op == "const" and e.b.value == 2 then
      a = wide(self:simple(a, e.a.type), t)
      return ("((%s)(%s * %s))"):format(t.ctype, a, a)
    end
    return ("((%s)pow(%s, %s))"):format(t.ctype, wide(a, t), wide(b, t))
  elseif sign == "//" or sign == "%" then
    a, b = self:simple(a, t), self:simple(b, t)
    local d = t.kind == "i" and constant(e.b)
    if d and d > 0 then return ("((%s)%s)"):format(t.ctype, divided(sign, a, b, d)) end
    if t.kind ~= "f" and self.checked and (constant(e.b) or 0) == 0 then
      self:fault(("%s == 0"):format(b), e.at, ("attempt to perform 'n%s0'"):format(sign == "%" and "%%" or sign))
    end
    self.uses.remainders = self.uses.remainders or t.kind == "f" and sign == "%"
    return "(" .. number_text.division(sign, wide(a, t), wide(b, t), t) .. ")"
  elseif sign == "<<" or sign == ">>" then
    if t == types.integer then
      local bits = constant(e.b)
      if bits and bits >= 0 and bits <= 63 then
        return ("((long long)((unsigned long long)%s %s %d))"):format(a, sign, bits)
      end
      self.uses.shifts = true
      return ("%s(%s, %s)"):format(sign == "<<" and "dc_shl" or "dc_shr", a, self:converted(b, e.b.type, t))
    end
    return "(" .. number_text.shift(sign, a, self:simple(b, e.b.type), t) .. ")"
  end
  return ("((%s)(%s %s %s))"):format(t.ctype, a, sign == "~" and "^" or sign, b)
end

-- A comparison of a float with itself. NVRTC 13.0 takes `x == x` for true where x is the constant 0.0 / 0.0.
function printer.not_a_number(sign, a)
  if sign == "<" or sign == ">" then return "false" end
  return ("(%sisnan(%s))"):format(sign == "~=" and "" or "!", a)
end

local swapped = { [">"] = "<", [">="] = "<=" }

-- With one side, or both, that count from 1 in `int`, `<=` and `>` become these of integers from 0.
local from_zero <const> = { left = { ["<="] = "<", [">"] = ">=" }, right = { ["<"] = "<=", [">="] = ">" } }

-- A comparison of Lua's integers as CUDA C has it of integers that count from 0: `i + 1 <= n` is `i < n`. Else nil.
function printer:compared_from_zero(e)
  if e.met ~= types.integer or has_effect(e) or not self:is_int(e.a) or not self:is_int(e.b) then return nil end
  local sign, a, b = e.sign, self:from_one(e.a), self:from_one(e.b)
  if not (a and b) then
    sign = a and from_zero.left[sign] or b and from_zero.right[sign]
    if not sign then return nil end
    a, b = a or as_int(self:expr(e.a)), b or as_int(self:expr(e.b))
  end
  return ("(%s %s %s)"):format(a, sign == "~=" and "!=" or sign, b)
end

-- A comparison of float32 values that ptxas might fold to true in spite of NaN, as a call of dc_gt or dc_ge (emit.lua);
-- nil where it cannot.
function printer:unfolded_comparison(e, a, b)
  local x, y, sign = e.a, e.b, e.sign
  if sign == "<" or sign == "<=" then
    x, y, a, b, sign = y, x, b, a, sign == "<" and ">" or ">="
  end
  if sign ~= ">" and sign ~= ">=" then return nil end
  if not float_facts.seems_positive(x) or not float_facts.seems_negative(y) then return nil end
  self.uses.ordered_comparisons = true
  return ("dc_%s(%s, %s)"):format(sign == ">" and "gt" or "ge", a, b)
end

function X.compare(self, e)
  local counted = self:compared_from_zero(e)
  if counted then return counted end
  local texts = self:operands({ e.a, e.b }, true)
  local a, b, sign = texts[1], texts[2], e.sign
  if e.met and e.met.kind == "c" then
    a, b = self:simple(a, e.met), self:simple(b, e.met)
    return ("(%s(%s.x == %s.x && %s.y == %s.y))"):format(sign == "~=" and "!" or "", a, b, a, b)
  end
  if not e.mixed then
    if e.met == types.integer and self:is_int(e.a) and self:is_int(e.b) then
      a, b = as_int(a), as_int(b)
    elseif types.is_integer(e.met) and e.met.size >= 4 and sign ~= "==" and sign ~= "~="
      and integer_facts.share_terms(e.a, e.b) then
      b = number_text.opaque(b, e.met)
    end
    if a == b and e.met.kind == "f" and not self.has_effect(e) then return self.not_a_number(sign, wide(a, e.met)) end
    a, b = wide(a, e.met), wide(b, e.met)
    local float <const> = e.met.kind == "f"
    if float and float_facts.is_known(e.a) and float_facts.is_known(e.b) then
      b = number_text.opaque_float(b, math.max(e.met.size, 4))
    end
    return float and e.met.size < 8 and self:unfolded_comparison(e, a, b)
      or ("(%s %s %s)"):format(a, sign == "~=" and "!=" or sign, b)
  end
  -- an integer of 64 bits and a float, or integers of two signs. A double has all integers of 32 bits.
  for k, one in ipairs { e.a, e.b } do
    local other = k == 1 and e.b or e.a
    if other.type.kind == "f" and self:is_int(one) then
      texts[k], texts[3 - k] = "(double)" .. as_int(texts[k]), "(double)" .. texts[3 - k]
      return other.type.size < 8 and self:unfolded_comparison(e, texts[1], texts[2])
        or ("(%s %s %s)"):format(texts[1], sign == "~=" and "!=" or sign, texts[2])
    end
  end
  if e.a.type.kind == "f" or e.b.type.kind == "f" then self.uses.compare_mixed = true
  else self.uses.compare_integers = true end
  local function argument(text, t)
    local ctype = t.kind == "f" and "double" or t.name == "uint64" and "unsigned long long" or "long long"
    return ("(%s)%s"):format(ctype, text)
  end
  a, b = argument(a, e.a.type), argument(b, e.b.type)
  if swapped[sign] then a, b, sign = b, a, swapped[sign] end
  local name = sign == "<" and "dc_lt" or sign == "<=" and "dc_le" or "dc_eq"
  return ("%s%s(%s, %s)"):format(sign == "~=" and "!" or "", name, a, b)
end

X["not"] = function(self, e) return ("(!%s)"):format(self:truth(e.a)) end

function X.unary(self, e)
  local t, a = e.type, self:expr(e.a)
  if t.kind == "c" then return ("(-%s)"):format(a) end
  if t.kind == "f" then return t.size == 2 and ("((%s)-(float)%s)"):format(t.ctype, a) or ("(-%s)"):format(a) end
  if e.sign == "-" then return self:negated(a, e, e.a) end
  if self:is_int(e) and self:is_int(e.a) then return ("(long long)(~%s)"):format(as_int(a)) end
  return ("((%s)~%s)"):format(t.ctype, a)
end

-- --- and, or ----------------------------------------------------------------------------------------------------

-- A condition as C's bool. In Lua every number is true.
function printer:truth(e)
  if e.type == types.bool then return self:expr(e) end
  if e.op == "logic" then return self:both(e, "truth") end
  if has_effect(e) then self:line("(void)" .. self:expr(e) .. ";") end
  return "true"
end

-- `a and b`, `a or b` of conditions. The right one runs where it has to.
function printer:both(e, method)
  local a = self:truth(e.a)
  if not has_effect(e.b) then
    local at = #self.lines
    local b = self[method](self, e.b)
    if #self.lines == at then return ("(%s %s %s)"):format(a, e.sign == "and" and "&&" or "||", b) end
    -- b needs statements of its own: they may run always, as they have no effect, but not before a is known to hold
    self:take_back(at)
  end
  local name = self:temporary()
  self:declare("bool", name, a)
  self:line(("if (%s%s) {"):format(e.sign == "and" and "" or "!", name))
  self:indent(1)
  self:line(("%s = %s;"):format(name, self[method](self, e.b)))
  self:indent(-1)
  self:line "}"
  return name
end

-- Sets `name` to the value of a node that is false or a value, and `known` to whether it is a value.
function printer:maybe_into(e, name, known, t)
  if e.type.maybe then
    self:line(("if (%s) {"):format(self:truth(e.a)))
    self:indent(1)
    self:maybe_into(e.b, name, known, t)
    self:indent(-1)
    self:line "}"
    return
  end
  self:line(("%s = %s;"):format(name, self:converted(self:expr(e), e.type, t)))
  self:line(("%s = true;"):format(known))
end

-- The condition and the value of `c and v`; nil where statements are needed.
function printer:maybe(e, t)
  if not e.type.maybe then return "true", self:converted(self:expr(e), e.type, t) end
  local condition = self:truth(e.a)
  local inner, value = self:maybe(e.b, t)
  return inner == "true" and condition or ("(%s && %s)"):format(condition, inner), value
end

function X.logic(self, e)
  if e.type == types.bool and not e.a.type.maybe then return self:both(e, "expr") end
  local t = e.type
  if not has_effect(e) then
    local at = #self.lines
    local condition, value = self:maybe(e.a, t)
    local b = self:expr(e.b)
    if #self.lines == at then
      if self:is_int(e) then return ("(long long)(%s ? %s : %s)"):format(condition, as_int(value), as_int(b)) end
      return ("(%s ? %s : %s)"):format(condition, value, b)
    end
    self:take_back(at)
  end
  local name, known = self:temporary(), self:temporary()
  self:declare(t.ctype, name, self.zero(t))
  self:declare("bool", known, "false")
  self:maybe_into(e.a, name, known, t)
  self:line(("if (!%s) {"):format(known))
  self:indent(1)
  self:line(("%s = %s;"):format(name, self:expr(e.b)))
  self:indent(-1)
  self:line "}"
  return name
end

-- --- arrays -----------------------------------------------------------------------------------------------------

-- An `int` that counts from 1, as CUDA C's that counts from 0: the text of the integer less 1, where that is known
-- without a subtraction. Else nil.
function printer:from_one(e)
  if not self:is_int(e) then return nil end
  while e.op == "convert" and e.a.type == types.integer do e = e.a end
  if e.op == "symbol" then return e.symbol.from_zero and e.symbol.cname end
  if e.op == "text" then return e.zero end
  if e.op ~= "arith" or e.sign ~= "+" and e.sign ~= "-" or has_effect(e) or constant(e.b) or constant(e.a)
    or not self:is_int(e.a) or not self:is_int(e.b) or not sum_fits(self, e, -1) then
    return nil
  end
  local a = self:from_one(e.a)
  local b = not a and e.sign == "+" and self:from_one(e.b)
  if not a and not b then return nil end
  local at = #self.lines
  local other = as_int(self:expr(a and e.b or e.a))
  if #self.lines == at then return ("(%s %s %s)"):format(a or other, e.sign, a and other or b) end
  self:take_back(at) -- a value with statements of its own
end

-- An index plus a constant, in 32 bits: what an index in range has there, whatever its parts are. `text`: the index's,
-- nil where it has not been printed.
function printer:index32(text, e, plus)
  local number = constant(e)
  if number then return ("%d"):format(number + plus) end
  if (e.sign == "+" or e.sign == "-") and e.op == "arith" and e.type.size >= 4 and constant(e.b)
    and not has_effect(e) then
    return self:index32(nil, e.a, plus + (e.sign == "+" and constant(e.b) or -constant(e.b)))
  end
  if (e.choice == "min" or e.choice == "max") and not text then
    -- the constant is added to both values, where it meets others
    local parts = {}
    for k, arg in ipairs(e.args) do
      if not self:is_int(arg) or not sum_fits(self, arg, plus) then break end
      parts[k] = self:simple(self:index32(nil, arg, plus), types.dtype "int32")
    end
    if #parts == 2 then return (e.text:gsub("%$(%d+)", function(k) return parts[tonumber(k)] end)) end
  end
  local zero = not text and sum_fits(self, e, plus) and self:from_one(e)
  if zero then
    if plus == -1 then return zero end
    return ("(%s %s %d)"):format(zero, plus < -1 and "-" or "+", math.abs(plus + 1))
  end
  text = text or self:expr(e)
  local int = e.type == types.integer and self:is_int(e) and as_int(text) or "(int)" .. text
  if plus == 0 then return int end
  if sum_fits(self, e, plus) then return ("(%s %s %d)"):format(int, plus < 0 and "-" or "+", math.abs(plus)) end
  return ("(int)((unsigned int)%s + %du)"):format(int, plus & 0xffffffff)
end

-- An index from 0 along an axis, whose extent is the text `extent`. Where all arrays are small it is computed in 32
-- bits.
function printer:from_zero(text, e, extent, axis)
  if self.checked then
    if e.type ~= types.integer then text = ("(long long)%s"):format(text) end
    local index = ("dc_at(%s, %s, %d)"):format(text, extent, self:site(e.at, "index", axis))
    return self.facts.small and "(int)" .. index or index
  end
  if self.facts.small then return self:index32(text, e, -1) end
  local number = constant(e)
  if number then return ("%d"):format(number - 1) end
  if e.type ~= types.integer then text = ("(long long)%s"):format(text) end
  return ("(%s - 1)"):format(text)
end

-- An extent, in the integers of offsets.
function printer:extent(array, axis)
  return ("%s%s.n[%d]"):format(self.facts.small and "(int)" or "", array, axis - 1)
end

-- A stride of a strided array, likewise.
function printer:stride(array, axis)
  return ("%s%s.s[%d]"):format(self.facts.small and "(int)" or "", array, axis - 1)
end

-- The indices from 0.
function printer:indices(e, array)
  local effects = self.checked or not self.facts.small
  for _, index in ipairs(e.index) do effects = effects or has_effect(index) end
  local texts, zeros = effects and self:operands(e.index) or {}, {} -- else they are printed as parts of the place
  for k, index in ipairs(e.index) do
    zeros[k] = self:from_zero(texts[k], index, ("%s.n[%d]"):format(array, k - 1), k)
  end
  return zeros
end

-- The place of an element from the first one; of a row, the number of rows before it. Of a strided array both are a
-- number of elements.
function printer:offset(e, array)
  local place
  for k, zero in ipairs(self:indices(e, array)) do
    if e.array.type.strided then
      zero = ("%s * %s"):format(zero, self:stride(array, k))
      place = place and ("%s + %s"):format(place, zero) or zero
    else
      place = place and ("(%s * %s + %s)"):format(place, self:extent(array, k), zero) or zero
    end
  end
  return place
end

-- An element of an array of dc.shared or dc.local_array with several axes, as of CUDA C's array of arrays: each index
-- is then scaled on its own, and what several arrays have in common is computed once. Else nil.
function printer:fixed_element(e, array)
  local extents = e.array.op == "symbol" and e.array.symbol.extents
  if not extents or #extents < 2 or #e.index ~= #extents or e.array.type.strided then return nil end
  return ("((%s (*)[%s])%s.p)[%s]"):format(e.array.type.element.ctype, table.concat(extents, "][", 2), array,
    table.concat(self:indices(e, array), "]["))
end

function X.element(self, e)
  local array = self:expr(e.array)
  local fixed = e.type ~= types.bool and self:fixed_element(e, array)
  if fixed then return (e.address and "&" or "") .. fixed end
  local place = self:offset(e, array)
  if e.address then return ("&%s.p[%s]"):format(array, place) end
  if e.type == types.bool and not e.target then
    return ("(((const unsigned char *)%s.p)[%s] != 0)"):format(array, place)
  end
  return ("%s.p[%s]"):format(array, place)
end

function X.row(self, e)
  local array = self:expr(e.array)
  local place = self:offset(e, array)
  local extents, step, strides = {}, {}, {}
  for k = #e.index + 1, e.array.type.ndim do
    extents[#extents + 1] = ("%s.n[%d]"):format(array, k - 1)
    step[#step + 1] = self:extent(array, k)
    strides[#strides + 1] = ("%s.s[%d]"):format(array, k - 1)
  end
  if e.type.strided then
    return ("%s{%s.p + (%s), {%s}, {%s}}"):format(e.type.ctype, array, place, table.concat(extents, ", "),
      table.concat(strides, ", "))
  end
  return ("%s{%s.p + %s * %s, {%s}}"):format(e.type.ctype, array, place, table.concat(step, " * "),
    table.concat(extents, ", "))
end

function X.extent(self, e)
  return (self.facts.small and "(long long)" or "") .. self:extent(self:expr(e.array), e.axis)
end

-- dc.shared, dc.local_array: storage, and the array over it.
function X.memory(self, e)
  local t, name = e.type.element, self:temporary()
  local size, shared = e.size, ""
  if e.space == "shared" then -- atomic functions of 8 and 16 bits work on the 32 around them
    shared = t.size < 4 and "__shared__ __align__(4) " or "__shared__ "
    if t.size < 4 then size = (size * t.size + 3) // 4 * 4 // t.size end
  end
  self:declare_storage(("%s%s %s[%d];"):format(shared, t.ctype, name, size))
  if e.space == "local" then
    self:line(("for (int dc_k = 0; dc_k < %d; dc_k++) %s[dc_k] = %s;"):format(e.size, name,
      self.zero(t)))
  end
  return ("%s{%s, {%s}}"):format(e.type.ctype, name, table.concat(e.extents, ", "))
end

-- dc.dynamic_shared: behind the arrays before it, each at a multiple of 16 bytes.
function X.dynamic(self, e)
  local texts, t, size = self:operands(e.args), e.type.element, nil
  for k, text in ipairs(texts) do
    texts[k] = self:spill(text, types.integer)
    if self.checked then
      self:fault(("%s < 0"):format(texts[k]), e.args[k].at, ("extent %d of dc.dynamic_shared is negative"):format(k))
    end
    size = ("%s%s"):format(size and size .. " * " or "", "(unsigned long long)" .. texts[k])
  end
  local from, to = self.dynamic_end or "0", self:temporary()
  self:declare("unsigned long long", to, ("%s + (%s * %d + 15) / 16 * 16"):format(from, size, t.size), true)
  if self.checked then
    self:fault(("%s > dc_dynamic_size()"):format(to), e.at, "the launch has less dynamic shared memory than the arrays "
      .. "of dc.dynamic_shared take: k:with{ shared = bytes }")
  end
  self.dynamic_end = to
  return ("%s{(%s *)(dc_dynamic + %s), {%s}}"):format(e.type.ctype, t.ctype, from, table.concat(texts, ", "))
end

-- dc.cluster_shared: the array at the same place of another block's shared memory.
function X.cluster_shared(self, e)
  local texts = self:operands { e.a, e.b }
  local array, extents = self:simple(texts[1], e.type), {}
  for k = 1, e.type.ndim do extents[k] = ("%s.n[%d]"):format(array, k - 1) end
  return ("%s{dc_cluster_shared(%s.p, %s - 1), {%s}}"):format(e.type.ctype, array, texts[2],
    table.concat(extents, ", "))
end

-- --- calls ------------------------------------------------------------------------------------------------------

function X.text(self, e)
  local texts = self:operands(e.args)
  local c = e.text
  if e.small_text and self.facts.small then c = e.small_text end
  local ints = e.choice and self:is_int(e)
  for _, arg in ipairs(e.args) do ints = ints and (arg.type == types.bool or self:is_int(arg)) end
  if (e.choice == "min" or e.choice == "max") and (ints or e.type.size == 4 and types.is_integer(e.type))
    and integer_facts.is_minimum_of_three(e) then
    self.uses.unfused = true
    c = ("dc_%s_unfused($1, $2)"):format(e.choice)
  end
  if ints then c = "(long long)" .. c end
  for k, text in ipairs(texts) do
    local t = e.args[k].type
    if ints and t == types.integer then text, t = as_int(text), types.dtype "int32" end
    texts[k] = e.twice and self:simple(text, t) or text
  end
  return (c:gsub("%$(%d+)", function(k) return texts[tonumber(k)] end))
end

function X.call(self, e)
  local inst = e.inst
  local args, shown = {}, {}
  for _, arg in ipairs(e.args) do
    if not arg.type.static then args[#args + 1] = arg end
  end
  local texts = self:operands(args)
  for k, text in ipairs(texts) do shown[k] = text end
  for _, symbol in ipairs(inst.reached) do shown[#shown + 1] = symbol.cname end
  return ("%s(%s)"):format(inst.name, table.concat(shown, ", "))
end

-- dc.cuda: the values are constants of their types, so that the text means what it says.
function X.cuda(self, e)
  local texts = self:operands(e.args)
  local places = {}
  for k, arg in ipairs(e.args) do
    local name = self:simple(texts[k], arg.type)
    places[k] = arg.type.ndim and name .. ".p" or name
  end
  local function filled(text) -- $$ is a dollar
    return (text:gsub("%$(%$?)(%d*)", function(dollar, k)
      return dollar == "" and places[tonumber(k)] or "$" .. k
    end))
  end
  if not e.sets and not e.is_void and #e.lines == 1 then
    return ("((%s)(%s))"):format(e.type.ctype, filled(e.lines[1].text))
  end
  if not e.is_void then
    places[0] = self:temporary()
    self:declare(e.type.ctype, places[0])
  end
  self:line((e.is_void or e.sets) and "{" or ("%s = (%s)("):format(places[0], e.type.ctype))
  self:indent(1)
  local own = self.at
  for _, line in ipairs(e.lines) do
    self.at = line.at or own
    self:line(filled(line.text))
  end
  self.at = own
  self:indent(-1)
  self:line((e.is_void or e.sets) and "}" or ");")
  return places[0] or ""
end

-- A value that several nodes have: it is computed once.
function X.once(self, e)
  if e.printed ~= self.current then
    local text = self:expr(e.a) -- may take lines back
    text = e.copy and self:spill(text, e.type) or self:simple(text, e.type)
    e.printed, e.name = self.current, text
  end
  return e.name
end

-- Value k of a call; a call with several values is made once.
function X.result(self, e)
  local call = e.call
  local returns = call.inst.returns or {}
  local cast = call.inst.narrow_results[e.k] and "(long long)" or ""
  if #returns <= 1 then return cast .. X.call(self, call) end
  if call.printed ~= self.current then
    local text = X.call(self, call) -- may take lines back
    call.printed, call.name = self.current, self:temporary()
    self:declare(call.inst.name .. "_results", call.name, text, true)
  end
  return ("%s%s.v%d"):format(cast, call.name, e.k)
end

X["assert"] = function(self, e)
  local condition = e.cond and self:truth(e.cond)
  self:fault(condition and ("!%s"):format(condition) or "true", e.at, e.message, true)
  return ""
end

printer.X = X
printer.has_effect = has_effect
return printer
