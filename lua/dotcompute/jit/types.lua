-- Types of values in kernels.
--
-- Numbers have a dtype, a table as core.dtype gives it, or are Lua's own: `integer` (64 bits) and `float` (a double),
-- which literals, indices and numbers of the script have. Lua's numbers are weak: they take the dtype of what they
-- meet, as numbers beside arrays do. `composite` types are values of several parts: a "struct" of dc.struct, with
-- `fields`, and a "tuple", with `items`. The other types are arrays of values and a number of axes, and `static` ones,
-- whose values are known while the kernel is compiled: functions, modules, strings.
local core = require "dotcompute.core"
local struct = require "dotcompute.struct"
local vectors = require "dotcompute.vector"
core.builtin(debug.getinfo(1, "S").source)

local types = {}

local dtypes = {}

-- The dtype of that name, always the same table; nil where there is none.
function types.dtype(name)
  local known = dtypes[name]
  if known then return known end
  local d = core.dtype(name)
  if not d then return nil end
  if dtypes[d.name] then return dtypes[d.name] end
  d.text = d.name == "bool" and "a boolean" or d.name
  if d.kind == "c" then -- the type of complex.cu; `part`: that of real and imaginary part
    d.ctype, d.header = d.size == 8 and "c64" or "c128", nil
    d.part = types.dtype(d.size == 8 and "float32" or "float64")
  end
  dtypes[d.name] = d
  return d
end

types.integer = { name = "integer", text = "a Lua integer", ctype = "long long", size = 8, kind = "i", weak = "i" }
types.float = { name = "float", text = "a Lua float", ctype = "double", size = 8, kind = "f", weak = "f" }
-- A value of dc.complex, which is as weak as Lua's numbers.
types.complex = { name = "complex", text = "a complex number", ctype = "c128", size = 16, kind = "c", weak = "c",
  part = types.float }
types.unknown = { name = "unknown", text = "not known" } -- the result of a function that is being inferred
types.bool = types.dtype "bool"

local arrays = {}

-- Arrays of values of a type with `ndim` axes.
function types.array(element, ndim)
  local name = ("%s[%d]"):format(element.name, ndim)
  local t = arrays[name]
  if not t then
    t = { name = name, text = ("a %d-d %s array"):format(ndim, element.composite and element.text or element.name),
      element = element, ndim = ndim, ctype = ("dc_array<%s, %d>"):format(element.ctype, ndim) }
    arrays[name] = t
  end
  return t
end

-- The same whose elements lie at any distances along the axes: of views that are not contiguous.
function types.strided(element, ndim)
  local name = ("%s[%ds]"):format(element.name, ndim)
  local t = arrays[name]
  if not t then
    t = { name = name, text = types.array(element, ndim).text, element = element, ndim = ndim, strided = true,
      ctype = ("dc_strided<%s, %d>"):format(element.ctype, ndim) }
    arrays[name] = t
  end
  return t
end

-- The type of that name, of numbers, booleans, and arrays of them; nil of others.
function types.named(name)
  if name == "integer" or name == "float" or name == "complex" then return types[name] end
  local element, ndim, strided = name:match "^(%w+)%[(%d+)(s?)%]$"
  local t = types.dtype(element or name)
  if not element then return t end
  return t and (strided == "s" and types.strided or types.array)(t, tonumber(ndim))
end

-- A row of an array, which has `ndim` axes.
function types.row(t, ndim) return (t.strided and types.strided or types.array)(t.element, ndim) end

-- --- structs and tuples -----------------------------------------------------------------------------------------

-- A word of C for a type's name, another one for each.
local codes = { ["{"] = "_B", ["}"] = "_E", [","] = "_c", ["*"] = "_x", ["_"] = "__" }

local tuples = {}

-- Values of these types, in order. Those of one type alone are an array in C, which a computed index reaches: `uniform`
-- is that type.
function types.tuple(items)
  local item_names, texts = {}, {}
  for k, t in ipairs(items) do item_names[k], texts[k] = t.name, t.text end
  local uniform = items[1]
  for _, t in ipairs(items) do uniform = t == uniform and t or nil end
  local name = uniform and ("{%s*%d}"):format(uniform.name, #items) or "{" .. table.concat(item_names, ",") .. "}"
  local tuple = tuples[name]
  if tuple then return tuple end
  tuple = { name = name, composite = "tuple", items = items, uniform = uniform,
    ctype = "dc_tuple" .. name:gsub("#%d+", ""):gsub("[%W_]", codes), -- structs by their names alone
    text = uniform and #items > 1 and ("a tuple of %d (%s)"):format(#items, texts[1])
      or ("a tuple (%s)"):format(table.concat(texts, "; ")) }
  tuples[name] = tuple
  return tuple
end

-- The type of what a storage holds (storage.lua).
local function of_storage(s)
  if s.struct then return types.struct(s.struct) end
  if s.dtype then return types.dtype(s.dtype) end
  local items, element = {}, of_storage(s.element)
  for k = 1, s.count do items[k] = element end
  return types.tuple(items)
end

local structs, nstructs = setmetatable({}, { __mode = "k" }), 0 -- of dc.struct -> its type

function types.struct(object)
  local t = structs[object]
  if t then return t end
  nstructs = nstructs + 1
  local vector = struct.vector(object)
  t = { name = ("%s#%d"):format(object.name, nstructs), text = object.name, composite = "struct", struct = object,
    ctype = struct.storage(object).ctype, size = object.size, fields = {}, by_name = {},
    vector = vector and vector.count, component = vector and types.dtype(vector.dtype) }
  for k, field in ipairs(object.fields) do
    t.fields[k] = { name = field.name, type = of_storage(field.storage) }
    t.by_name[field.name] = t.fields[k]
  end
  structs[object] = t
  return t
end

-- The type of a vector's name; nil where it is none.
function types.vector(name)
  local object = vectors.type(name)
  return object and types.struct(object)
end

-- The vector of `count` values of a type; nil where there is none.
function types.vector_of(t, count)
  local object = t.kind and not t.weak and vectors.of(t.name, count)
  return object and types.struct(object) or nil
end

local statics, nstatics = setmetatable({}, { __mode = "k" }), 0 -- value -> its type

-- The type of one value that is known while the kernel is compiled; `kind` is "function", "builtin", "table", "string".
function types.static(kind, value, text)
  local t = statics[value]
  if not t then
    nstatics = nstatics + 1
    t = { name = "static" .. nstatics, text = text, static = kind, value = value }
    statics[value] = t
  end
  return t
end

local strings = {}

function types.string(value)
  local box = strings[value] or { value }
  strings[value] = box
  return types.static("string", box, "a string")
end

function types.is_integer(t) return t.kind == "i" or t.kind == "u" end
function types.is_floating(t) return t.kind == "f" end
function types.is_complex(t) return t.kind == "c" end
-- Real numbers.
function types.is_number(t) return t.kind ~= nil and t.kind ~= "b" and t.kind ~= "c" end
-- Whether a local can have it, and a function return it.
function types.is_value(t) return t.kind ~= nil or t.composite ~= nil end

-- What a weak number becomes beside dtype d.
local function of_weak(weak, d)
  if weak == "c" then
    return types.dtype((d.name == "float64" or d.name == "complex128") and "complex128" or "complex64")
  end
  if weak == "f" then return (d.kind == "f" or d.kind == "c") and d or types.dtype "float32" end
  return d.kind == "b" and types.dtype "int32" or d
end

-- The type in which two numbers meet.
function types.meet(a, b)
  if a == b then return a end
  if a.weak and b.weak then return (a.weak == "c" or b.weak == "c") and types.complex or types.float end
  if a.weak then return of_weak(a.weak, b) end
  if b.weak then return of_weak(b.weak, a) end
  return types.dtype(core.promote(a.name, b.name))
end

-- The floating type of an operation on a list of numbers that meet in `met`. `least`: the size of integers that asks
-- for float64: 4 of / and ^, 8 of functions.
function types.floating(list, met, least)
  if met.kind == "c" then return met end
  local strong, widest = nil, 0
  for _, t in ipairs(list) do
    if not t.weak then
      strong = strong and types.meet(strong, t) or t
      if types.is_integer(t) then widest = math.max(widest, t.size) end
    end
  end
  if not strong then return types.float end
  if not types.is_integer(strong) then return met end
  if least == 8 then widest = strong.size end
  return types.dtype(widest >= least and "float64" or "float32")
end

-- The type of a variable that has values of both types; nil where there is none.
function types.join(a, b)
  if a == b or b == types.unknown then return a end
  if a == types.unknown then return b end
  if a.ndim and a.ndim == b.ndim and a.element == b.element then return types.strided(a.element, a.ndim) end
  if (types.is_number(a) or a.kind == "c") and (types.is_number(b) or b.kind == "c") then return types.meet(a, b) end
  if a.composite == "tuple" and b.composite == "tuple" and #a.items == #b.items then
    local items = {}
    for k, t in ipairs(a.items) do
      items[k] = types.join(t, b.items[k])
      if not items[k] then return nil end
    end
    return types.tuple(items)
  end
end

return types
