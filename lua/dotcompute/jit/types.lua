-- Types of values in kernels.
--
-- Numbers have a dtype, a table as core.dtype gives it, or are Lua's own: `integer` (64 bits) and `float` (a double),
-- which literals, indices and numbers of the script have. Lua's numbers are weak: they take the dtype of what they
-- meet, as numbers beside arrays do. The other types are arrays of a dtype and a number of axes, and `static` ones,
-- whose values are known while the kernel is compiled: functions, modules, strings.
local core = require "dotcompute.core"
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
  dtypes[d.name] = d
  return d
end

types.integer = { name = "integer", text = "a Lua integer", ctype = "long long", size = 8, kind = "i", weak = "i" }
types.float = { name = "float", text = "a Lua float", ctype = "double", size = 8, kind = "f", weak = "f" }
types.unknown = { name = "unknown", text = "not known" } -- the result of a function that is being inferred
types.bool = types.dtype "bool"

local arrays = {}

-- Arrays of a dtype with `ndim` axes.
function types.array(dtype, ndim)
  local name = ("%s[%d]"):format(dtype.name, ndim)
  local t = arrays[name]
  if not t then
    t = { name = name, text = ("a %d-d %s array"):format(ndim, dtype.name), element = dtype, ndim = ndim,
      ctype = ("dc_array<%s, %d>"):format(dtype.ctype, ndim) }
    arrays[name] = t
  end
  return t
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
function types.is_number(t) return t.kind ~= nil and t.kind ~= "b" end
function types.is_scalar(t) return t.kind ~= nil end

-- What a weak number becomes beside dtype d.
local function of_weak(weak, d)
  if weak == "f" then return d.kind == "f" and d or types.dtype "float32" end
  return d.kind == "b" and types.dtype "int32" or d
end

-- The type in which two numbers meet.
function types.meet(a, b)
  if a == b then return a end
  if a.weak and b.weak then return types.float end
  if a.weak then return of_weak(a.weak, b) end
  if b.weak then return of_weak(b.weak, a) end
  return types.dtype(core.promote(a.name, b.name))
end

-- The floating type of an operation on a list of numbers that meet in `met`. `least`: the size of integers that asks
-- for float64: 4 of / and ^, 8 of functions.
function types.floating(list, met, least)
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
  if types.is_number(a) and types.is_number(b) then return types.meet(a, b) end
end

return types
