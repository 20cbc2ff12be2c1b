-- CUDA's vectors, structs of numbers with operators: methods of the checker (check.lua). An operator of vectors is one
-- of each pair of their components.
local core = require "dotcompute.core"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local vectors = {}

-- The components of a vector; a number, computed once, is each of them. `copy` as for parts.
local function components(self, e, count, copy)
  if e.type.vector then return self:parts(e, copy) end
  local list = {}
  local once = e.op == "const" and e or { op = "once", type = e.type, a = e, at = e.at, n = e.n, copy = copy }
  for k = 1, count do list[k] = once end
  return list
end

-- The vector of these components.
function vectors:vector_of(n, args, what)
  local t = args[1].type
  if t == types.unknown then return { op = "build", type = t, args = {}, at = n.at } end
  local vector = types.vector_of(t, #args)
  if not vector then self:fail(n.at, "%s gives %d numbers of %s, and there is no such vector", what, #args, t.text) end
  return { op = "build", type = vector, args = args, at = n.at }
end

local plain = { const = true, symbol = true, element = true, field = true, item = true } -- change nothing

-- a + b of which one is a vector.
function vectors:vector_arith(n, sign, a, b)
  local what = ("operator '%s'"):format(sign)
  local count = a.type.vector or b.type.vector
  for _, e in ipairs { a, b } do
    if e.type == types.unknown then
      return { op = "arith", type = types.unknown, sign = sign, a = a, b = b, at = n.at }
    end
    local node = e == a and n.a or n.b
    if e.type.vector and e.type.vector ~= count then
      self:fail(n.at, "%s of %s and %s: the vectors have other lengths", what, self:why(a), self:why(b))
    elseif not e.type.vector then
      self:need_number(e, node, what)
    end
  end
  local x, y, args = components(self, a, count, not plain[b.op]), components(self, b, count), {}
  for k = 1, count do args[k] = self:arith(n, sign, x[k], y[k]) end
  return self:vector_of(n, args, what)
end

-- -v, ~v
function vectors:vector_unary(n, sign, e)
  local args = self:parts(e)
  for k, one in ipairs(args) do
    if sign == "~" then one = self:need_integer(one, n.a, "operator '~'") end
    args[k] = { op = "unary", type = one.type, sign = sign, a = one, at = n.at }
  end
  return self:vector_of(n, args, ("operator '%s'"):format(sign))
end

-- dc.float4(x, y, z, w), of one number for all, of vectors and numbers one after the other, of fields by name.
function vectors:construct_vector(n, t)
  local first = n.args[1]
  if not first then return { op = "build", type = t, args = {}, at = n.at } end
  if first.op == "table" and #n.args == 1 then return self:construct_by_name(first, t) end
  local list = {}
  for _, e in ipairs(self:list(n.args)) do
    if e.type == types.unknown then return { op = "build", type = types.unknown, args = {}, at = n.at } end
    if e.type.vector then
      table.move(self:parts(e), 1, e.type.vector, #list + 1, list)
    elseif types.is_number(e.type) or e.type == types.bool then
      list[#list + 1] = e
    else
      self:fail(e.n.at, "%s takes numbers and vectors, but '%s' is %s", t.text, self:shown(e.n), self:why(e))
    end
  end
  if #list == 1 then list = components(self, list[1], t.vector) end
  if #list ~= t.vector then
    self:fail(n.at, "%s takes %d numbers, or one for all, got %d", t.text, t.vector, #list)
  end
  for k, e in ipairs(list) do
    if e.type ~= t.component then list[k] = { op = "convert", type = t.component, a = e, at = e.at, n = e.n } end
  end
  return { op = "build", type = t, args = list, at = n.at }
end

-- dc.view_as(a, "float4"), dc.view_as(a, S): the elements of an array, or its bytes, as vectors or structs; the last
-- extent is divided.
function vectors:view_as(n, array, t)
  self:need_contiguous(array, n.args[1], "dc.view_as")
  local of, per = array.type.element, nil
  if t.vector and of == t.component then
    per = t.vector
  elseif of.name == "uint8" then
    per = t.size
  else
    self:fail(n.at, "dc.view_as: '%s' is %s, and %s is made of %s", self:shown(n.args[1]), self:why(array), t.text,
      t.vector and t.component.text .. " or of uint8" or "uint8")
  end
  return { op = "view_as", type = types.array(t, array.type.ndim), array = array, per = per, symbol = array.symbol,
    space = array.space, at = n.at }
end

return vectors
