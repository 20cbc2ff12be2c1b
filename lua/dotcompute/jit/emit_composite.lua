-- CUDA C of structs and tuples: methods of the printer (emit.lua).
--
-- A tuple is a struct of C: of items v1, v2 … or, where all have one type, of an array, which `[]` indexes. A field of
-- a struct that is a tuple of one type is an array of C, as users of the struct expect it.
local core = require "dotcompute.core"
local emit_expression = require "dotcompute.jit.emit_expression"
local narrow = require "dotcompute.jit.narrow"
local struct = require "dotcompute.struct"
core.builtin(debug.getinfo(1, "S").source)

local printer = {}
local X = emit_expression.X

-- --- declarations -----------------------------------------------------------------------------------------------

local uniform_text = [[
#ifndef NAME_
#define NAME_
struct NAME {
  TYPE v[COUNT];
  __device__ TYPE &operator[](int i) { return v[i]; }
  __device__ const TYPE &operator[](int i) const { return v[i]; }
};
#endif]]

local tuple_text = [[
#ifndef NAME_
#define NAME_
struct NAME { FIELDS };
#endif]]

local function tuple_declaration(t)
  local fields = {}
  for k, item in ipairs(t.items) do fields[k] = ("%s v%d;"):format(item.ctype, k) end
  return ((t.uniform and uniform_text or tuple_text):gsub("%u%u%u%u+", { NAME = t.ctype, NAME_ = t.ctype .. "_",
    TYPE = t.items[1].ctype, COUNT = #t.items, FIELDS = table.concat(fields, " ") }))
end

-- The types of a tree, in an order that is always the same, so that compiled code is found on disk.
local function types_of(tree)
  local list, seen = {}, {}
  local function note(t)
    if t == nil or seen[t] then return end
    seen[t] = true
    if t.ndim or t.header or t.composite or t.kind == "c" then list[#list + 1] = t end
  end
  for _, inst in ipairs(tree.instances) do
    if inst.pass == tree.pass then
      for _, t in ipairs(inst.types) do note(t) end
      for _, t in ipairs(inst.returns or {}) do note(t) end
      for _, symbol in pairs(inst.symbols) do note(symbol.type) end
      for _, node in ipairs(narrow.nodes(inst)) do
        local t = node.type
        if t and not seen[t] then note(t) end -- without a call for most nodes
      end
    end
  end
  for _, symbol in ipairs(tree.inputs) do note(symbol.type) end
  table.sort(list, function(a, b) return a.ctype < b.ctype end)
  return list
end

-- The declarations of a tree's types: #include lines, and lines behind them. Each may stand in a source several times.
function printer:type_declarations(tree)
  local headers, lines, done, named = {}, {}, {}, {}
  local complex = false
  local function add(t)
    if t == nil or done[t] then return end
    done[t] = true
    if t.ndim then return add(t.element) end
    if t.composite == "struct" then
      if named[t.ctype] then
        core.fail("compile", ("two structs in this kernel are named '%s'"):format(t.ctype))
      end
      named[t.ctype] = true
      for _, field in ipairs(t.fields) do add(field.type) end
      struct.declare(t.struct, headers, lines, done)
    elseif t.composite == "tuple" then
      for _, item in ipairs(t.items) do add(item) end
      lines[#lines + 1] = tuple_declaration(t)
    elseif t.kind == "c" then
      complex = true
    elseif t.header and not done[t.header] then
      done[t.header] = true
      headers[#headers + 1] = ("#include <%s>"):format(t.header)
    end
  end
  for _, t in ipairs(types_of(tree)) do add(t) end
  if complex then
    local names = {}
    for name in pairs(self.uses.complex or {}) do names[#names + 1] = name end
    table.sort(names)
    local texts = { core.complex_text() }
    for k, name in ipairs(names) do texts[k + 1] = core.complex_text(name) end
    table.insert(lines, 1, table.concat(texts))
  end
  return headers, lines
end

-- --- values -----------------------------------------------------------------------------------------------------

-- Whether a type is another one of C in a struct than elsewhere.
local function is_stored_otherwise(t) return t.composite == "tuple" or t.kind == "c" end

-- An item of a tuple, whose text is simple.
local function item_text(text, t, k)
  if t.uniform then return ("%s[%d]"):format(text, k - 1) end
  return ("%s.v%d"):format(text, k)
end

-- A tuple of these texts.
local function tuple_of(t, texts)
  local inner = table.concat(texts, ", ")
  return (t.uniform and "%s{{%s}}" or "%s{%s}"):format(t.ctype, inner)
end

-- A value as an initializer of a struct's field: a tuple is an array of C there, a complex number one of CUDA's.
function printer:braces(text, t)
  if t.kind == "c" then return ("{%s.x, %s.y}"):format(text, text) end
  if t.composite ~= "tuple" then return text end
  local parts = {}
  for k, item in ipairs(t.items) do parts[k] = self:braces(item_text(text, t, k), item) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- The value of a place in a struct. Bytes of booleans may hold anything but 0 for true, as those of arrays.
function printer:loaded(place, t)
  if t.kind == "b" then return ("(*(const unsigned char *)&%s != 0)"):format(place) end
  if t.kind == "c" then return ("%s{%s.x, %s.y}"):format(t.ctype, place, place) end
  if t.composite ~= "tuple" then return place end
  local parts = {}
  for k, item in ipairs(t.items) do parts[k] = self:loaded(item_text(place, t, k), item) end
  return tuple_of(t, parts)
end

-- Real numbers as complex ones, complex ones as those of another precision, and as booleans.
function printer:converted_complex(text, from, to)
  if from.ctype == to.ctype then return text end
  local part = to.part and to.part.ctype
  if from.kind ~= "c" then
    return ("%s{%s, 0}"):format(to.ctype, self:converted(text, from, to.part))
  end
  text = self:simple(text, from)
  if to.kind == "b" then return ("(%s.x != 0 || %s.y != 0)"):format(text, text) end
  return ("%s{(%s)%s.x, (%s)%s.y}"):format(to.ctype, part, text, part, text)
end

-- 0 of a type.
function printer.zero(t)
  return t.kind and t.kind ~= "c" and ("(%s)0"):format(t.ctype) or t.ctype .. "()"
end

-- A tuple as one whose items have other types.
function printer:converted_tuple(text, from, to)
  text = self:simple(text, from)
  local parts = {}
  for k, item in ipairs(from.items) do parts[k] = self:converted(item_text(text, from, k), item, to.items[k]) end
  return tuple_of(to, parts)
end

function X.build(self, e)
  local texts = self:operands(e.args)
  if e.type.composite == "tuple" then return tuple_of(e.type, texts) end
  local fields = {}
  for k, text in ipairs(texts) do
    local arg = e.args[k]
    fields[e.order and e.order[k] or k] = is_stored_otherwise(arg.type)
      and self:braces(self:simple(text, arg.type), arg.type) or text
  end
  return ("%s{%s}"):format(e.type.ctype, table.concat(fields, ", "))
end

-- An array of vectors or structs over the memory of another one.
function X.view_as(self, e)
  local array, t = self:simple(self:expr(e.array), e.array.type), e.type
  local last = ("%s.n[%d]"):format(array, t.ndim - 1)
  if self.checked then
    self:fault(("(unsigned long long)%s.p %% %d != 0"):format(array, t.element.struct.align), e.at,
      ("the array begins at an address that is no multiple of %d, as %s needs"):format(t.element.struct.align,
        t.element.text))
    self:fault(("%s %% %d != 0"):format(last, e.per), e.at,
      ("the array's last extent is no multiple of %d, as %s needs"):format(e.per, t.element.text))
  end
  local extents = {}
  for k = 1, t.ndim - 1 do extents[k] = ("%s.n[%d]"):format(array, k - 1) end
  -- by an extent without a sign the division is a shift
  extents[t.ndim] = ("(long long)((unsigned %s)%s / %d)"):format(self.facts.small and "int" or "long long", last, e.per)
  return ("%s{(%s *)%s.p, {%s}}"):format(t.ctype, t.element.ctype, array, table.concat(extents, ", "))
end

-- --- places -----------------------------------------------------------------------------------------------------

-- The C text of where a value lies.
function printer:place(e)
  if e.op == "symbol" then return e.symbol.cname end
  if e.op == "element" then
    e.target = true
    return X.element(self, e)
  elseif e.op == "field" then
    return ("%s.%s"):format(self:place(e.object), e.name)
  elseif e.op == "item" then
    local object, tuple, index = self:place(e.object), e.object.type, e.index[1]
    if index.op == "const" then return item_text(object, tuple, index.value) end
    return ("%s[%s]"):format(object, self:from_zero(self:expr(index), index, ("%d"):format(#tuple.items), 1))
  end
  return self:simple(self:expr(e), e.type)
end

function X.field(self, e)
  local place = self:place(e)
  return e.address and "&" .. place or self:loaded(place, e.type)
end

function X.item(self, e)
  local place = self:place(e)
  if e.address then return "&" .. place end
  return e.stored and self:loaded(place, e.type) or place
end

-- Writes a value to a place.
function printer:write(target, place, text)
  local t = target.type
  if target.op == "symbol" then text = self:for_symbol(target.symbol, text) end
  if not target.stored or not is_stored_otherwise(t) then
    self:line(("%s = %s;"):format(place, text))
    return
  end
  text = self:simple(text, t)
  if t.kind == "c" then
    self:line(("%s = %s;"):format(place, self:braces(text, t)))
    return
  end
  for k, item in ipairs(t.items) do
    self:write({ stored = true, type = item }, item_text(place, t, k), item_text(text, t, k))
  end
end

-- The indices of a place as constants of their own. A local that is the index of the place itself, a[i], is read with
-- the assignment, but for those that the same statement assigns; so is the array.
function printer:settle(e, assigned)
  if e.op == "field" or e.op == "item" then self:settle(e.object) end
  if not e.index then return end
  local array = e.array
  if array and array.op == "symbol" and assigned and assigned[array.symbol] then
    local name = self:temporary()
    self:declare(array.type.ctype, name, self:expr(array))
    e.array = { op = "symbol", symbol = { cname = name }, type = array.type, at = array.at }
  end
  local texts = self:operands(e.index)
  for k, one in ipairs(e.index) do
    local symbol = assigned and e.late and k == #e.index and self:is_local(one)
    if one.op ~= "const" and not (symbol and not assigned[symbol]) then
      local name, int = self:spill_node(texts[k], one), self:is_int(one)
      e.index[k] = { op = "symbol", type = one.type, at = one.at,
        symbol = { cname = int and self.as_int(name) or name, narrow = int, range = narrow.range(one, self.facts) } }
    end
  end
end

return printer
