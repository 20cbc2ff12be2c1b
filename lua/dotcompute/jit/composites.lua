-- Types of structs and tuples: methods of the checker (check.lua).
--
-- They are values: an assignment copies them. Nodes: "build" makes one of `args`; "field" is a field of `object`,
-- "item" an item of it, at `index`, a list of one node. `stored`: it lies in a struct, where C has arrays for tuples.
local core = require "dotcompute.core"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local composites = {}

local MOST_ITEMS = 256

-- --- making them ------------------------------------------------------------------------------------------------

-- {a, b, c}: a tuple.
function composites:tuple(n)
  local nodes, items = {}, {}
  for k, item in ipairs(n.items) do
    if item.key then
      self:fail(item.key.at, "a tuple in a kernel has no names or keys, as in {a, b}; dc.struct declares types with "
        .. "names: S{x = 1}")
    end
    nodes[k] = item.value
  end
  if #nodes == 0 then
    self:fail(n.at, "an empty table in a kernel: a tuple, {a, b}, has values; dc.local_array(dtype, extent) makes an "
      .. "array")
  end
  local list = self:list(nodes)
  if #list > MOST_ITEMS then
    self:fail(n.at, "a tuple of %d values: more than %d belong into dc.local_array", #list, MOST_ITEMS)
  end
  local known = true
  for k, e in ipairs(list) do
    self:need_value(e, "a tuple takes")
    items[k], known = e.type, known and e.type ~= types.unknown
  end
  return { op = "build", type = known and types.tuple(items) or types.unknown, args = list, at = n.at }
end

-- Raises unless a value can be part of another one.
function composites:need_value(e, what)
  local t = e.type
  if t == types.unknown or types.is_value(t) then return end
  self:fail(e.n.at, "%s numbers, booleans, structs and tuples, but '%s' is %s", what, self:shown(e.n), self:why(e))
end

-- The value of a field, which may be a table of fields or a tuple itself.
function composites:field_value(n, field, struct)
  local t = field.type
  local e = n.op == "table" and t.composite == "struct" and self:construct_by_name(n, t) or self:expr(n)
  e.n = n
  return self:stored(e, t, n, ("the field '%s' of %s"):format(field.name, struct.text))
end

-- S{x = 1, y = 2}
function composites:construct_by_name(n, struct)
  local args, order, given = {}, {}, {}
  for k, item in ipairs(n.items) do
    if not item.key or item.key.op ~= "string" then
      self:fail((item.key or item.value).at, "%s takes its fields by name, as in %s{%s = …}", struct.text, struct.text,
        struct.fields[1].name)
    end
    local name = item.key.value
    local field = self:need_field(item.key, struct, name)
    if given[name] then self:fail(item.key.at, "%s has the field '%s' twice here", struct.text, name) end
    given[name] = true
    args[k] = self:field_value(item.value, field, struct)
    for j, one in ipairs(struct.fields) do
      if one == field then order[k] = j end
    end
  end
  for _, field in ipairs(struct.fields) do
    if not given[field.name] then
      self:fail(n.at, "the field '%s' of %s has no value here", field.name, struct.text)
    end
  end
  return { op = "build", type = struct, args = args, order = order, at = n.at }
end

-- S(1, 2), S{x = 1, y = 2}, S(), S(v): a value of the struct, see struct.lua.
function composites:construct(n, struct)
  if struct.vector then return self:construct_vector(n, struct) end
  local first = n.args[1]
  if not first then return { op = "build", type = struct, args = {}, at = n.at } end
  local by_name = first.op == "table" and #n.args == 1 and first.items[1] and first.items[1].key
  if by_name or (first.op == "table" and #n.args == 1 and #struct.fields > 1) then
    local e = self:construct_by_name(first, struct)
    e.at = n.at
    return e
  end
  if #n.args == 1 and first.op ~= "table" then
    local e = self:expr(first)
    if e.type == struct or e.type == types.unknown then return e end
  end
  if #n.args ~= #struct.fields then
    local names = {}
    for k, field in ipairs(struct.fields) do names[k] = field.name end
    self:fail(n.at, "%s takes %d value%s (%s), got %d", struct.text, #names, #names == 1 and "" or "s",
      table.concat(names, ", "), #n.args)
  end
  local args = {}
  for k, one in ipairs(n.args) do args[k] = self:field_value(one, struct.fields[k], struct) end
  return { op = "build", type = struct, args = args, at = n.at }
end

-- --- fields and items -------------------------------------------------------------------------------------------

function composites:need_field(n, struct, name)
  local field = struct.by_name[name]
  if field then return field end
  local list = {}
  for k, one in ipairs(struct.fields) do list[k] = one.name end
  local near = core.closest(name, list)
  self:fail(n.at, "%s has no field '%s'%s", struct.text, name,
    near and (": did you mean '%s'?"):format(near) or "; its fields are " .. table.concat(list, ", "))
end

-- S.size, S.align of a struct itself: constants.
function composites:struct_property(n, struct)
  local key = n.key.op == "string" and n.key.value
  if key ~= "size" and key ~= "align" then
    self:fail(n.key.at, "a kernel makes values of a struct, %s{…}, and reads its size and align; '%s' is neither",
      struct.name, self:shown(n))
  end
  return { op = "const", type = types.integer, value = struct[key], at = n.at }
end

-- The type that all items of a tuple meet in; nil where there is none.
local function common(tuple)
  local t = tuple.items[1]
  for k = 2, #tuple.items do t = t and types.join(t, tuple.items[k]) end
  return t
end

-- t[i] with an index that is computed: all items need one type. Those of a local meet in one.
function composites:computed_item(n, object, index)
  local tuple = object.type
  if not tuple.uniform then
    local t = common(tuple)
    local symbol = object.op == "symbol" and object.symbol
    if not t or not symbol or symbol.input ~= nil then
      self:fail(n.key.at, "'%s' is computed, and then all items need one type, but '%s' is %s: use a constant index",
        self:shown(n.key), self:shown(n.object), tuple.text)
    end
    local items = {}
    for k = 1, #tuple.items do items[k] = t end
    self:widen(symbol, types.tuple(items), n.at, n)
    object.type = symbol.type
  end
  return { op = "item", type = object.type.uniform, object = object, index = { index }, stored = object.stored,
    at = n.at }
end

-- b.x, t[1] of a struct or tuple.
function composites:component(n, object)
  local t, key = object.type, n.key
  if t.composite == "struct" then
    if key.op ~= "string" then
      self:fail(key.at, "'%s' is %s, whose fields have names: %s.%s", self:shown(n.object), self:why(object),
        self:shown(n.object), t.fields[1].name)
    end
    local field = self:need_field(key, t, key.value)
    return { op = "field", type = field.type, object = object, name = field.name, stored = true, at = n.at }
  end
  if key.op == "string" or key.op == "table" then
    self:fail(key.at, "'%s' is %s, whose items have numbers: %s[1]", self:shown(n.object), self:why(object),
      self:shown(n.object))
  end
  local index = self:integer(key, "an index")
  if index.type == types.unknown then return { op = "item", type = types.unknown, object = object, at = n.at } end
  if index.op ~= "const" then return self:computed_item(n, object, index) end
  if index.value < 1 or index.value > #t.items then
    self:fail(key.at, "index %d is out of range: '%s' has %d item%s", index.value, self:shown(n.object), #t.items,
      #t.items == 1 and "" or "s")
  end
  return { op = "item", type = t.items[index.value], object = object, index = { index }, stored = object.stored,
    at = n.at }
end

-- All fields or items of a value, which is computed once; `copy`: before what follows, which may change it.
function composites.parts(_, e, copy)
  local t, list = e.type, {}
  local once = (e.op == "once" or e.op == "symbol") and not copy and e
    or { op = "once", type = t, a = e, at = e.at, n = e.n, copy = copy }
  for k, one in ipairs(t.fields or t.items) do
    if t.fields then
      list[k] = { op = "field", type = one.type, object = once, name = one.name, stored = true }
    else
      list[k] = { op = "item", type = one, object = once,
        index = { { op = "const", type = types.integer, value = k, at = e.at } } }
    end
    list[k].at, list[k].n = e.at, e.n
  end
  return list
end

-- --- assignments ------------------------------------------------------------------------------------------------

-- What a place belongs to: the symbol or element that the field or item is in.
local function root_of(e)
  while e.op == "field" or e.op == "item" do e = e.object end
  return e
end
composites.root_of = root_of

-- A field or item takes a value: raises unless its root can be changed.
function composites:component_target(e, n)
  local root = root_of(e)
  if root.op == "element" then
    self:write_element(root, n)
  elseif root.op == "symbol" and root.symbol.input ~= nil then
    self:fail(n.at, "'%s' is captured from the script, which a kernel cannot change: copy it into a local",
      root.symbol.name)
  elseif root.op == "symbol" then
    if root.symbol.owner ~= self.inst then self:set(self.inst, "effect") end
  elseif root.type ~= types.unknown then
    self:fail(n.at, "'%s' is part of a value that has no place: put that into a local first", self:shown(n))
  end
  return e
end

-- The tuple type in which the item of a place, an item of a local's tuple or of a tuple in it, has type `t`.
local function with_item(place, t)
  while place.op == "item" do
    local tuple, items = place.object.type, {}
    local k = place.index[1].op == "const" and place.index[1].value
    for j, one in ipairs(tuple.items) do items[j] = (not k or j == k) and t or one end
    t, place = types.tuple(items), place.object
  end
  return t, place
end

-- The value that an item or field of a local or element gets. Items of a local's tuple have one type each, in which all
-- their values meet, as locals have.
function composites:component_value(e, target, n)
  if target.stored or root_of(target).op ~= "symbol" then
    local name = target.op == "field" and ("the field '%s' of %s"):format(target.name, target.object.type.text)
    return self:stored(e, target.type, n, name or ("an item of %s"):format(target.object.type.text))
  end
  if e.type == types.unknown then return e end
  self:need_value(e, "a tuple takes")
  local joined = types.join(target.type, e.type)
  if not joined then
    self:fail(n.at, "the type of '%s' changes: it is %s here, but %s before", self:shown(target.n), self:why(e),
      target.type.text)
  end
  if joined ~= target.type then
    local t, root = with_item(target, joined)
    self:widen(root.symbol, t, n.at, n)
  end
  return self:convert(e, joined, n)
end

return composites
