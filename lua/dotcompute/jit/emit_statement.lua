-- CUDA C of statements: methods of the printer (emit.lua).
local core = require "dotcompute.core"
local narrow = require "dotcompute.jit.narrow"
local number_text = require "dotcompute.number_text"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local printer = {}
local S = {}

function printer:block(block)
  for _, statement in ipairs(block) do
    self.at = statement.at
    S[statement.op](self, statement)
  end
end

-- A block inside the one that has been opened; closes it with `ends`.
function printer:inner(block, ends)
  self:indent(1)
  self:block(block)
  self:indent(-1)
  self:line(ends or "}")
end

S["do"] = function(self, s)
  self:line "{"
  self:inner(s.body)
end

-- --- assignments ------------------------------------------------------------------------------------------------

-- The text of a Lua integer for a symbol's variable.
function printer:for_symbol(symbol, text) return symbol.narrow and self.as_int(text) or text end

-- Whether a local may be one that counts from 0 in CUDA C: it has one value.
function printer:counts_from_one(symbol) return symbol.narrow and not self.checked and not self.varying[symbol] end

function S.declare(self, s)
  for _, symbol in ipairs(s.symbols) do
    local t = symbol.type
    if not t.static then
      self:declare(narrow.ctype(symbol), symbol.cname, self.zero(t))
    end
  end
end

S["local"] = function(self, s)
  local values = {}
  for k, e in ipairs(s.values) do
    if not e.type.static then values[#values + 1] = { e = e, symbol = s.symbols[k] } end
  end
  local list = {}
  for k, v in ipairs(values) do list[k] = v.e end
  local texts = self:operands(list)
  for k, v in ipairs(values) do
    if v.symbol then
      local zero = self:counts_from_one(v.symbol) and not self.has_effect(v.e) and self:from_one(v.e)
      v.symbol.from_zero = zero and true
      v.symbol.only_value = not self.varying[v.symbol] and v.e
      -- a value that another new local's name would hide has been computed: names differ
      self:declare(narrow.ctype(v.symbol), v.symbol.cname, zero or self:for_symbol(v.symbol, texts[k]))
    elseif self.has_effect(v.e) then
      self:line(("(void)%s;"):format(texts[k]))
    end
  end
end

function S.assign(self, s)
  local targets, values = s.targets, s.values
  if #targets == 1 and #values == 1 then
    local target, e = targets[1], values[1]
    if target.type.static or e.type.static then return end
    -- the value may have effects: the index is evaluated before
    if self.has_effect(e) then self:settle(target, {}) end
    local place = self:place(target)
    self:write(target, place, self:expr(e))
    return
  end
  local places, texts, assigned = {}, {}, {}
  for _, target in ipairs(targets) do
    if target.op == "symbol" then assigned[target.symbol] = true end
  end
  for k, target in ipairs(targets) do
    self:settle(target, assigned)
    places[k] = self:place(target)
  end
  for k, e in ipairs(values) do
    if not e.type.static then
      local text = self:expr(e)
      if e.type.ndim then text = self:spill(text, e.type)
      elseif types.is_value(e.type) and e.op ~= "const" then text = self:spill_node(text, e) end
      texts[k] = text
    end
  end
  for k = #targets, 1, -1 do
    if texts[k] then self:write(targets[k], places[k], texts[k]) end
  end
end

function S.evaluate(self, s)
  local e = s.a
  if e.op == "void" then
    local text = self:expr(e.call)
    if text ~= "" then self:line(text .. ";") end
    return
  end
  if not self.has_effect(e) then return end
  local text = self:expr(e)
  if not text:find "^[%w_%.]*$" then self:line(("(void)%s;"):format(text)) end
end

-- --- conditions and loops ---------------------------------------------------------------------------------------

S["if"] = function(self, s)
  local opened = 0
  for k, clause in ipairs(s.clauses) do
    self.at = clause.at
    if k == 1 then
      self:line(("if (%s) {"):format(self:truth(clause.cond)))
    else
      local before = #self.lines
      self:line "} else {" -- dropped where the condition needs no statements
      self:indent(1)
      local start = #self.lines
      local condition = self:truth(clause.cond)
      if #self.lines == start then
        self:indent(-1)
        self:take_back(before)
        self:line(("} else if (%s) {"):format(condition))
      else
        opened = opened + 1
        self:line(("if (%s) {"):format(condition))
      end
    end
    self:indent(1)
    self:block(clause.body)
    self:indent(-1)
  end
  if s.otherwise and #s.otherwise > 0 then
    self:line "} else {"
    self:indent(1)
    self:block(s.otherwise)
    self:indent(-1)
  end
  self:line "}"
  for _ = 1, opened do
    self:indent(-1)
    self:line "}"
  end
end

S["while"] = function(self, s)
  local before = #self.lines
  self:line "for (;;) {"
  self:indent(1)
  local start = #self.lines
  local condition = self:truth(s.cond)
  if #self.lines == start then
    self:indent(-1)
    self:take_back(before)
    self:line(("while (%s) {"):format(condition))
    self:indent(1)
  else
    self:line(("if (!%s) break;"):format(condition))
  end
  self:block(s.body)
  self:indent(-1)
  self:line "}"
end

S["repeat"] = function(self, s)
  self:line "for (;;) {"
  self:indent(1)
  self:block(s.body)
  self.at = s.cond.at
  self:line(("if (%s) break;"):format(self:truth(s.cond)))
  self:indent(-1)
  self:line "}"
end

-- The step of a loop as CUDA C has it where it is the block's size, the grid's, or a product of them: an integer
-- without a sign, so that NVVM unrolls the loop, or does not, as that of CUDA C. Else nil.
local function size_of_launch(e, text)
  if e.op == "arith" and e.sign == "*" and size_of_launch(e.a, "") and size_of_launch(e.b, "") or e.axis then
    return (text:gsub("%(int%)", ""):gsub("^%((.*)%)$", "%1"))
  end
end

-- Whether a loop's variable is an index of arrays, perhaps with a constant.
local function is_index(s)
  local found = false
  narrow.walk(s.body, function(node)
    for _, e in ipairs(node.index or {}) do
      while (e.sign == "+" or e.sign == "-") and e.b.op == "const" do e = e.a end
      found = found or e.op == "symbol" and e.symbol == s.symbol
    end
  end)
  return found
end

local function unroll_pragma(count) return count == true and "#pragma unroll" or ("#pragma unroll %d"):format(count) end

-- Whether 128 times a constant step overflows integers of `bits` bits. A loop with such a step counts its iterations:
-- ptxas (CUDA 13.0, -O2 and -O3) compares the distance to the limit with the step times the number of iterations that
-- it unrolls, and where that product wraps around, the loop does not end.
local function wraps_unrolled(step, bits)
  local most <const> = 1 << (bits - 7)
  return math.type(step) == "integer" and (step >= most or step <= -most)
end

-- A loop of 32 bits whose variable passes the limit without overflow: a loop as C has it, which compilers know best.
-- False where it may be another one. A variable that is an index, from 1 up, counts from 0.
function printer:plain_loop(s)
  local to, step = narrow.range(s.to, self.facts), narrow.range(s.step, self.facts)
  if s.type ~= types.integer or not s.symbol.narrow or not self:is_int(s.to) or not step then return false end
  local up = step[1] > 0
  if step[1] == step[2] and wraps_unrolled(step[1], 32) then return false end
  if not up and step[2] >= 0 or up and to[2] + step[2] > 2147483647 or not up and to[1] + step[1] < -2147483648 then
    return false
  end
  local from_zero = up and self:counts_from_one(s.symbol) and not self.has_effect(s.from)
    and not self.has_effect(s.to) and not self.has_effect(s.step)
    and (s.from.op == "const" and s.from.value >= 1 or self:from_one(s.from)) and is_index(s)
  local texts = self:operands { s.from, s.to, s.step }
  local name, limit, by = s.symbol.cname, self:temporary(), self.as_int(texts[3])
  s.symbol.from_zero = from_zero
  self:line "{"
  self:indent(1)
  self:declare("int", name, from_zero and self:index32(nil, s.from, -1) or self.as_int(texts[1]))
  self:declare("int", limit, self.as_int(texts[2]), true)
  local launch_size = size_of_launch(s.step, by)
  if launch_size then by = launch_size
  elseif s.step.op ~= "const" then
    by = self:temporary()
    self:declare("int", by, self.as_int(texts[3]), true)
  end
  if s.unroll then self:line(unroll_pragma(s.unroll)) end
  self:line(("for (; %s %s %s; %s += %s) {"):format(name, up and (from_zero and "<" or "<=") or ">=", limit, name, by))
  self:inner(s.body)
  self:indent(-1)
  self:line "}"
  return true
end

-- The step without its sign, and the distance from an integer variable to the limit, in 64 bits without a sign: where
-- the distance is less than a step, the loop ends.
local function distance_to_limit(name, limit, by, step)
  local u <const> = "unsigned long long"
  local up, down = ("(%s)%s - (%s)%s"):format(u, limit, u, name), ("(%s)%s - (%s)%s"):format(u, name, u, limit)
  if step then return ("%dull"):format(math.abs(step)), step > 0 and up or down end
  return ("(%s > 0 ? (%s)%s : 0 - (%s)%s)"):format(by, u, by, u, by), ("(%s > 0 ? %s : %s)"):format(by, up, down)
end

-- Else the start of the loop's body is the variable's next value; the loop ends before an integer would wrap.
S["for"] = function(self, s)
  if self:plain_loop(s) then return end
  local t, symbol = s.type, s.symbol
  local ctype = narrow.ctype(symbol)
  local texts = self:operands { s.from, s.to, s.step }
  local step = s.step.op == "const" and s.step.value or s.step.op == "convert" and s.step.a.op == "const"
    and s.step.a.value
  local name, limit = self:temporary(), self:temporary()
  self:line "{"
  self:indent(1)
  self:declare(ctype, name, texts[1])
  local by = step and texts[3] or self:temporary()
  if not step then self:declare(s.step.type.ctype, by, texts[3], true) end
  local up = step and tostring(step > 0) or ("(%s > 0)"):format(by)
  local enters
  if not types.is_floating(t) and types.is_floating(s.to.type) then
    self.uses.limit = true
    self:declare("long long", limit, "0")
    enters = ("dc_limit((double)%s, %s, &%s)"):format(texts[2], up, limit)
  else
    local wide = types.is_floating(t) and t or s.to.type.size == 8 and types.is_integer(s.to.type)
      and s.to.type or types.integer
    if s.to.type == t then wide = t end
    self:declare(symbol.narrow and ctype or wide.ctype, limit, self:converted(texts[2], s.to.type, wide), true)
    enters = "true"
  end
  if not step then
    self:fault(("%s == 0"):format(by), s.step.at, "'for' step is zero")
    enters = ("%s != 0 && %s"):format(by, enters)
  end
  local inside
  if step then inside = ("%s %s %s"):format(name, step > 0 and "<=" or ">=", limit)
  else inside = ("(%s ? %s <= %s : %s >= %s)"):format(up, name, limit, name, limit) end
  local body_at = self.at
  local entry = types.is_floating(t) and ("if (%s)"):format(enters) or ("if (%s && %s)"):format(enters, inside)
  local size, rest, count
  if not types.is_floating(t) then
    size, rest = distance_to_limit(name, limit, by, step)
    count = wraps_unrolled(step, t.size == 8 and not symbol.narrow and 64 or 32) and self:temporary()
  end
  local loop = types.is_floating(t) and ("for (; %s; %s = (%s)(%s + %s)) {"):format(inside, name, t.ctype, name, by)
    or count and ("for (unsigned long long %s = (%s) / %s;; %s--) {"):format(count, rest, size, count) or "for (;;) {"
  if s.unroll then
    self:line(entry .. " {")
    self:line(unroll_pragma(s.unroll))
    self:line(loop)
  else
    self:line(("%s %s"):format(entry, loop))
  end
  self:indent(1)
  self:declare(ctype, symbol.cname, name)
  self:block(s.body)
  self.at = body_at
  if not types.is_floating(t) then
    if count then self:line(("if (%s == 0) break;"):format(count))
    elseif step == 1 or step == -1 then self:line(("if (%s == %s) break;"):format(name, limit))
    else self:line(("if (%s < %s) break;"):format(rest, size)) end
    if t.size < 8 then -- the loop ends with the range of its dtype, too
      local least, greatest = number_text.limits(t)
      self:line(("if ((long long)%s + %s < %dll || (long long)%s + %s > %dll) break;"):format(name, by, least, name, by,
        greatest))
    end
    local u = symbol.narrow and "unsigned int" or "unsigned long long" -- the compiler may add before it compares
    self:line(("%s = (%s)((%s)%s + (%s)%s);"):format(name, ctype, u, name, u, by))
  end
  self:indent(-1)
  self:line(s.unroll and "} }" or "}")
  self:indent(-1)
  self:line "}"
end

S["break"] = function(self) self:line "break;" end
S["goto"] = function(self, s) self:line(("goto %s;"):format(s.label.cname)) end
S.label = function(self, s) self:line(("%s:;"):format(s.label.cname)) end

S["return"] = function(self, s)
  local inst = self.inst
  local returns = inst.returns or {}
  if inst.is_kernel or #returns == 0 then
    for _, e in ipairs(s.values) do
      if self.has_effect(e) then self:line(("(void)%s;"):format(self:expr(e))) end
    end
    self:line "return;"
    return
  end
  local texts = self:operands(s.values)
  for k, e in ipairs(s.values) do
    texts[k] = self:converted(texts[k], e.type, returns[k])
    if inst.narrow_results[k] then texts[k] = self.as_int(texts[k]) end
  end
  if #returns == 1 then
    self:line(("return %s;"):format(texts[1]))
  else
    self:line(("return {%s};"):format(table.concat(texts, ", ")))
  end
end

return printer
