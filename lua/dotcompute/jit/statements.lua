-- Types of statements: methods of the checker (check.lua).
--
-- The state of a place is the set of locals that have no value there, false where no way leads. It finds reads of
-- locals before their first assignment, and functions that end without the return of a value.
local core = require "dotcompute.core"
local number_text = require "dotcompute.number_text"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local statements = {}
local S = {}

-- --- states -----------------------------------------------------------------------------------------------------

local function copy(state)
  if not state then return state end
  local t = {}
  for symbol in pairs(state) do t[symbol] = true end
  return t
end

-- What has no value after two ways have met.
local function join(a, b)
  if not a then return copy(b) end
  local t = copy(a)
  for symbol in pairs(b or {}) do t[symbol] = true end
  return t
end

function statements:copy_state() return copy(self.inst.state) end

-- --- blocks -----------------------------------------------------------------------------------------------------

function statements:block(block)
  local inst, list = self.inst, {}
  local labels = {}
  for _, n in ipairs(block) do
    if n.op == "label" then
      local known = inst.symbols[n]
      if not known then
        self.count = self.count + 1
        known = { cname = ("%s_%d"):format(n.name, self.count) }
        inst.symbols[n] = known
      end
      known.state = nil
      labels[n.name] = known
    end
  end
  inst.blocks = { labels = labels, outer = inst.blocks, level = (inst.blocks and inst.blocks.level or 0) + 1 }
  for _, n in ipairs(block) do
    local statement = S[n.op](self, n)
    if statement then
      statement.at = n.at
      list[#list + 1] = statement
    end
  end
  inst.blocks = inst.blocks.outer
  return list
end

S["do"] = function(self, n) return { op = "do", body = self:block(n.body) } end

-- --- assignments ------------------------------------------------------------------------------------------------

-- The values for `count` targets.
function statements:values_for(n, count, names)
  local list = self:list(n.values, names)
  if list.open and #list < count then -- a recursion: as many as are needed
    for k = #list + 1, count do
      list[k] = { op = "result", call = list[#list].call, k = k, type = types.unknown, at = n.at, n = n.values[1] }
    end
  end
  for k = 1, math.max(#list, count) do
    local e = list[k]
    if not e then
      if #list == 0 then self:fail(n.values[1].at, "'%s' returns no value", self:shown(n.values[1])) end
      self:fail(n.at, "%d value%s for %d variables: a variable would be nil", #list, #list == 1 and "" or "s", count)
    end
    local t = e.type
    if t == types.unknown and self.final then self:fail_unknown(e, e.n) end
    if t.maybe or t.mixed then
      self:fail(e.n.at, "'%s' is %s; a value in a kernel has one type: write 'c and a or b' whole", self:shown(e.n),
        t.text)
    end
  end
  return list
end

S["local"] = function(self, n)
  local inst = self.inst
  for _, decl in ipairs(n.decls) do
    if decl.attrib == "close" then self:fail(decl.at, "'%s': kernels have no to-be-closed variables", decl.name) end
  end
  if #n.values == 0 then
    local symbols = {}
    for k, decl in ipairs(n.decls) do
      symbols[k] = self:symbol(decl)
      if inst.state then inst.state[symbols[k]] = true end
      if self.final and symbols[k].type == types.unknown then
        self:fail(decl.at, "'%s' gets no value in the whole function, so it has no type", decl.name)
      end
    end
    return { op = "declare", symbols = symbols }
  end
  local names = {}
  for k, decl in ipairs(n.decls) do names[k] = decl.name end
  self.local_values = n.values -- dc.dynamic_shared may stand there
  local list = self:values_for(n, #n.decls, names)
  self.local_values = nil
  local targets = {}
  for k, decl in ipairs(n.decls) do
    local symbol = self:symbol(decl)
    local e = list[k]
    if e.op == "memory" and e.space == "local" then symbol.stored_at = inst.blocks.level
    elseif e.type.ndim then self:check_lifetime(symbol, e, n.at) end
    self:assign(symbol, e, decl.at, n)
    if inst.state then inst.state[symbol] = nil end
    targets[k] = symbol
  end
  return { op = "local", symbols = targets, values = self:converted(list, targets) }
end

-- The values as the types of their symbols.
function statements:converted(list, symbols)
  for k, symbol in ipairs(symbols) do
    local t = symbol.type
    if types.is_value(t) and types.is_value(list[k].type) then list[k] = self:convert(list[k], t, list[k].n, symbol) end
  end
  return list
end

S.localfunction = function(self, n)
  local symbol = self:symbol(n.decl)
  local e = self:expr(n.fn, n.decl.name)
  self:assign(symbol, e, n.decl.at, n)
end

-- What takes a value of a type, for messages: an element of an array, if nothing else is said.
local function place_name(element, what)
  local text = element.kind == "b" and element.name or element.text
  return what or ("an element of a%s %s array"):format(text:find "^[aio]" and "n" or "", text)
end

-- A place takes a struct or tuple.
function statements:stored_composite(e, element, n, what)
  if e.type == element then return e end
  local t = e.type
  if element.composite ~= "tuple" or t.composite ~= "tuple" or #element.items ~= #t.items then
    self:fail(n.at, "%s takes %s, but '%s' is %s", place_name(element, what),
      element.composite == "struct" and "a value of " .. element.text or element.text, self:shown(e.n), self:why(e))
  end
  for k, item in ipairs(element.items) do -- raises where an item does not fit
    local one = e.op == "build" and e.args[k]
      or { op = "item", object = e, type = t.items[k], index = { { op = "const", value = k } }, at = e.at }
    one.n = one.n or e.n
    one = self:stored(one, item, n, ("item %d of %s"):format(k, place_name(element, what)))
    if e.op == "build" then e.args[k] = one end
  end
  if e.op ~= "build" then return self:convert(e, element, n) end
  e.type = element
  return e
end

-- A place of a type takes a value: Lua's rules of arrays, but that a fraction is never dropped without a cast. `what`
-- names the place; `array`: of an element.
function statements:stored(e, element, n, what, array)
  local t = e.type
  if t == types.unknown then return e end
  if element.composite then return self:stored_composite(e, element, n, what) end
  local place = place_name(element, what)
  if t.maybe or t.mixed or not t.kind then
    self:fail(n.at, "%s takes a number, but '%s' is %s", place, self:shown(e.n), t.text)
  end
  if (t == types.bool) ~= (element == types.bool) then
    self:fail(n.at, "%s takes %s, but '%s' is %s: write %s", place,
      element == types.bool and "a boolean" or "a number", self:shown(e.n), self:why(e),
      element == types.bool and "x ~= 0" or "b and 1 or 0")
  end
  if t.kind == "c" and element.kind ~= "c" then
    self:fail(n.at, "%s takes a real number, but '%s' is %s: dc.real(z), dc.imag(z) and dc.abs(z) are", place,
      self:shown(e.n), self:why(e))
  end
  if types.is_integer(element) and types.is_floating(t) then
    local i = e.op == "const" and math.tointeger(e.value)
    if not i then
      self:fail(n.at, "%s takes an integer, but '%s' is %s: write dc.%s(x), which drops the fraction", place,
        self:shown(e.n), self:why(e), element.name)
    end
    e = { op = "const", type = types.integer, value = i, at = e.at, n = e.n }
  end
  return self:convert(e, element, n, array)
end

-- An element of an array is written.
function statements:write_element(e, n)
  local symbol = e.array.symbol
  if not symbol then self:fail(n.at, "'%s' cannot be assigned", self:shown(n)) end
  self:write(symbol, n.at)
  self:set(self.inst, "effect")
end

-- Where a value goes: a symbol, or an element.
function statements:target(n)
  if n.op == "name" then
    if not n.decl then
      self:fail(n.at, "'%s' is a global, which a kernel cannot change: write 'local %s', or an element of an array",
        n.name, n.name)
    end
    if n.decl.attrib then self:fail(n.at, "'%s' is constant", n.name) end
    local inst = self.inst
    while inst and inst.node ~= n.decl.fn do inst = inst.parent end
    if not inst then
      self:fail(n.at, "'%s' belongs to the script, which a kernel cannot change: write an element of an array", n.name)
    end
    local symbol = inst.symbols[n.decl]
    if symbol.loop then
      self:fail(n.at, "'%s' is the variable of a loop: its changes end with the iteration, so use another local",
        n.name)
    end
    if inst ~= self.inst then
      self:reach(symbol)
      self:set(self.inst, "effect")
    end
    if symbol.type == types.unknown then symbol.read_unknown = true end
    return { op = "symbol", symbol = symbol, type = symbol.type, n = n }
  elseif n.op == "index" then
    local e = self:expr(n)
    if e.op == "row" then
      self:fail(n.at, "'%s' has %d axes: a kernel assigns single elements, a[{i, j}] = v", self:shown(n.object),
        e.array.type.ndim)
    elseif e.op == "field" or e.op == "item" then
      return self:component_target(e, n)
    elseif e.op == "text" then
      self:fail(n.at, "a complex number cannot be changed; make another: dc.complex(re, im)")
    elseif e.op ~= "element" then
      self:fail(n.at, "'%s' belongs to the script, which a kernel cannot change", self:shown(n))
    end
    if e.type ~= types.unknown then self:write_element(e, n) end
    return e
  end
  self:fail(n.at, "'%s' cannot be assigned", self:shown(n))
end

S.assign = function(self, n)
  local targets = {}
  if n.targets[1].op == "name" and n.values[1].op == "function" and #n.values == 1 then
    self:fail(n.at, "a function in a kernel is declared with 'local function'")
  end
  for k, target in ipairs(n.targets) do targets[k] = self:target(target) end
  local list = self:values_for(n, #targets)
  for k, target in ipairs(targets) do
    local e = list[k]
    if target.op == "symbol" then
      local symbol = target.symbol
      local outer = symbol.owner ~= self.inst
      if e.type.ndim then self:check_lifetime(symbol, e, n.at) end
      self:assign(symbol, e, target.n.at, n)
      if not outer and self.inst.state then self.inst.state[symbol] = nil end
      if types.is_value(symbol.type) and types.is_value(e.type) then
        list[k] = self:convert(e, symbol.type, e.n, symbol)
      end
    elseif target.op == "field" or target.op == "item" then
      if target.type ~= types.unknown then list[k] = self:component_value(e, target, n.values[k] or n) end
    elseif target.type ~= types.unknown then
      list[k] = self:stored(e, target.type, n.values[k] or n, nil, target.array)
    end
  end
  return { op = "assign", targets = targets, values = list }
end

S.callstat = function(self, n)
  local e = self:multi(n.call)
  if e.op == "values" then e = e[1] or { op = "void", call = e.call, effect = true, type = types.unknown } end
  return { op = "evaluate", a = e }
end

-- --- conditions and loops ---------------------------------------------------------------------------------------

function statements:condition(n)
  local e = self:expr(n)
  if e.type.static then self:fail(n.at, "'%s' is %s, and always true", self:shown(n), e.type.text) end
  return e
end

S["if"] = function(self, n)
  local inst = self.inst
  local result = { op = "if", clauses = {} }
  local after
  for k, clause in ipairs(n.clauses) do
    local cond = self:condition(clause.cond)
    local otherwise = copy(inst.state)
    if cond.op == "const" and not self.truth(cond) then inst.state = false end
    local body = self:block(clause.body)
    after = join(after, inst.state)
    inst.state = otherwise
    result.clauses[k] = { cond = cond, body = body, at = clause.cond.at }
  end
  if n.otherwise then result.otherwise = self:block(n.otherwise) end
  inst.state = join(after, inst.state)
  return result
end

-- Runs `body` as a loop's; gives its tree. The state behind the loop is joined from the exit's ("end": that at the
-- body's end) and the breaks'.
function statements:loop(body, exit_state)
  local inst = self.inst
  local outer = inst.loop
  inst.loop = { state = false }
  local tree = body()
  if exit_state ~= "end" then inst.state = exit_state end
  inst.state = join(inst.state, inst.loop.state)
  inst.loop = outer
  return tree
end

S["while"] = function(self, n)
  local cond = self:condition(n.cond)
  local exit = copy(self.inst.state)
  if self.truth(cond) then exit = false end
  return { op = "while", cond = cond, body = self:loop(function() return self:block(n.body) end, exit) }
end

S["repeat"] = function(self, n)
  local result = { op = "repeat" }
  local outer = self.inst.blocks
  result.body = self:loop(function()
    -- the condition sees the body's locals
    local body = self:block(n.body)
    result.cond = self:condition(n.cond)
    if self.truth(result.cond) == false then self.inst.state = false end
    return body
  end, "end")
  self.inst.blocks = outer
  return result
end

-- Lua's numeric loop: integers where start and step are integers, whatever the limit is; floats else.
S.fornum = function(self, n)
  local inst = self.inst
  local from = self:number(n.from, "the start of a loop")
  self.loop_limit = n.to -- dc.unroll may stand there
  local to = self:number(n.to, "the limit of a loop")
  local unroll = self.unroll
  self.loop_limit, self.unroll = nil, nil
  local step = n.step and self:number(n.step, "the step of a loop")
    or { op = "const", type = types.integer, value = 1, at = n.at }
  if step.op == "const" and step.value == 0 then self:fail(n.step.at, "'for' step is zero") end
  local symbol = self:symbol(n.decl)
  symbol.loop = true
  local result = { op = "for", symbol = symbol, from = from, to = to, step = step, unroll = unroll }
  if from.type ~= types.unknown and step.type ~= types.unknown and to.type ~= types.unknown then
    local t = types.join(from.type, step.type)
    if types.is_floating(t) then
      t = types.join(t, to.type)
      result.to = self:convert(to, t, n.to)
    elseif (t.name == "uint64") ~= (to.type.name == "uint64") and to.op ~= "const" then
      self:fail(n.to.at, "the limit of this loop is %s, its variable %s: convert one of them, dc.int64(x)",
        to.type.text, t.text)
    elseif not types.is_floating(to.type) and not number_text.holds(t, to.value or 1) then
      self:fail(n.to.at, "the limit %s is out of range for %s, the type of the loop", tostring(to.value), t.text)
    end
    self:assign(symbol, { op = "loop", type = t, at = n.at }, n.decl.at, n.from)
    result.type = symbol.type
    result.from = self:convert(from, symbol.type, n.from)
    if step.type ~= types.integer or types.is_floating(t) then -- Lua's integer counts down in any dtype
      result.step = self:convert(step, symbol.type, n.step)
    end
  end
  local before = copy(inst.state)
  result.body = self:loop(function() return self:block(n.body) end, before)
  return result
end

S.forin = function(self, n)
  self:fail(n.at, "'for … in' is not possible in a kernel: use a numeric loop, 'for i = 1, #a do'")
end

S["break"] = function(self)
  local inst = self.inst
  inst.loop.state = join(inst.loop.state, inst.state)
  inst.state = false
  return { op = "break" }
end

S["goto"] = function(self, n)
  local inst = self.inst
  local block = inst.blocks
  while block and not block.labels[n.name] do block = block.outer end
  if not block then self:fail(n.at, "no visible label '%s'", n.name) end
  local label = block.labels[n.name]
  if inst.state then
    label.state = join(label.state, inst.state)
    if label.visited == self.pass then -- upward: the next pass knows what has no value there
      inst.jumps_back = true
      label.from_below = label.from_below or {}
      for symbol in pairs(inst.state) do
        if not label.from_below[symbol] then label.from_below[symbol], self.changed = true, true end
      end
      if not label.reached then label.reached, self.changed = true, true end
    end
  end
  inst.state = false
  inst.jumps = true
  return { op = "goto", label = label }
end

S.label = function(self, n)
  local inst = self.inst
  local label = inst.symbols[n]
  label.visited = self.pass
  inst.state = join(join(inst.state, label.state), label.from_below)
  return { op = "label", label = label }
end

-- Floats before integers, each of which meets the floats' type then: int64, which int8 and uint32 together would be,
-- makes float64 of float32.
local function is_before(a, b)
  local float_a, float_b = a.kind == "f" or a.kind == "c", b.kind == "f" or b.kind == "c"
  if float_a ~= float_b then return float_a end
  if a.size ~= b.size then return a.size < b.size end
  return a.name < b.name
end

-- The type of a function's result with one more return of type t; nil where there is none. `parts`: what the types so
-- far are, numbers of Lua's (weak) and others apart, and a list of the others that are numbers, so that the result does
-- not depend on the order of returns: int8 and 0.5 alone are float32, but beside float16 they are float16.
local function result_type(parts, t)
  if t == types.unknown then return parts.type or t end
  local part = t.weak and "weak" or "strong"
  local own = parts[part] and types.join(parts[part], t) or not parts[part] and t
  if not own then return nil end
  if part == "strong" and (types.is_number(t) or t.kind == "c") then
    local numbers <const> = parts.numbers or {}
    parts.numbers = numbers
    if not numbers[t] then
      numbers[t] = true
      table.insert(numbers, t)
      table.sort(numbers, is_before)
    end
    own = numbers[1]
    for _, other in ipairs(numbers) do own = types.join(own, other) end
  end
  parts[part], parts.type = own, own
  if parts.weak and parts.strong then parts.type = types.join(parts.strong, parts.weak) end
  return parts.type
end

S["return"] = function(self, n)
  local inst = self.inst
  if inst.is_kernel then
    if #n.values > 0 then
      self:fail(n.at, "a kernel returns no value: write the result into an array")
    end
    inst.state = false
    return { op = "return", values = {} }
  end
  local list = self:list(n.values)
  for _, e in ipairs(list) do
    if e.type.maybe or e.type.mixed then self:fail(e.n.at, "'%s' is %s", self:shown(e.n), e.type.text) end
    self:need_value(e, "functions in a kernel return")
  end
  inst.state = false
  if list.open then return { op = "return", values = list } end
  local returns = inst.returns
  if not returns then
    returns, inst.return_parts = {}, {}
    for k = 1, #list do returns[k], inst.return_parts[k] = types.unknown, {} end
    inst.returns, inst.return_at = returns, n.at
    self.changed = true
  elseif #returns ~= #list then
    self:fail(n.at, "%d value%s returned here, %d at %s: a function in a kernel always returns the same number of "
      .. "values", #list, #list == 1 and " is" or "s are", #returns, self:line_of(inst.return_at, inst.root))
  end
  for k, e in ipairs(list) do
    local t = result_type(inst.return_parts[k], e.type)
    if not t then
      self:fail(n.at, "the function returns %s here, and %s at %s", self:why(e), returns[k].text,
        self:line_of(inst.return_at, inst.root))
    end
    if t ~= returns[k] then
      returns[k] = t
      self.changed = true
    end
    -- While types change, a literal may be out of the range of a type that will not stay.
    local settled = not (self.changed and e.op == "const")
    if settled and types.is_value(t) and types.is_value(e.type) then list[k] = self:convert(e, t, e.n) end
  end
  return { op = "return", values = list }
end

return statements
