-- CUDA's vectors, float4, int2 …: structs of 2 to 4 numbers, with arithmetic.
local core = require "dotcompute.core"
local device = require "dotcompute.jit.device"
local storage = require "dotcompute.storage"
local struct = require "dotcompute.struct"
core.builtin(debug.getinfo(1, "S").source)

local function fail(kind, text, ...) core.fail(kind, text:format(...)) end

local vector = {}

local AXES = { "x", "y", "z", "w" }
vector.axes = AXES

local dtypes = { char = "int8", uchar = "uint8", short = "int16", ushort = "uint16", int = "int32", uint = "uint32",
  longlong = "int64", ulonglong = "uint64", float = "float32", double = "float64" }
local bases = {}
for base, dtype in pairs(dtypes) do bases[dtype] = base end

-- A number as one of the dtype, as kernels convert.
local function converted(dtype, v)
  if dtype == "float64" and type(v) == "number" then return v + 0.0 end
  if dtype == "float32" and type(v) == "number" then return (("<f"):unpack(("<f"):pack(v))) end
  if math.type(v) == "integer" and core.dtype(dtype).kind ~= "f" then -- integers wrap
    local format = ("<%s%d"):format(core.dtype(dtype).kind == "i" and "i" or "I", core.dtype(dtype).size)
    return ((format == "<I8" and "<i8" or format):unpack(("<i8"):pack(v)))
  end
  return device[dtype](v)
end

-- --- operators on the host --------------------------------------------------------------------------------------

-- The dtype of a vector's component or of a number beside it, which is weak.
local function dtype_of(v)
  local s = struct.of_value(v)
  return s and struct.vector(s).dtype or nil, s
end

-- The dtype in which components meet, by the rules of arrays.
local function met(sign, a, b)
  local x, y = dtype_of(a), dtype_of(b)
  local strong = x and y and core.promote(x, y) or x or y
  local number = not x and a or not y and b
  local kind = core.dtype(strong).kind
  if kind ~= "f" and math.type(number) == "float" then strong = "float32" end
  if (sign == "/" or sign == "^") and core.dtype(strong).kind ~= "f" then
    local wider = math.max(x and core.dtype(x).size or 0, y and core.dtype(y).size or 0)
    strong = wider >= 4 and "float64" or "float32"
  end
  return strong
end

-- Operators of integers, as arrays have them, where Lua's are others: // and % by 0 give 0, integers of uint64 have no
-- sign, shifts are those of the dtype. Operands are values of the dtype `d`.
local integers = {}

integers["//"] = function(x, y, d)
  if y == 0 then return 0 end
  if d.name ~= "uint64" then return x // y end
  if y < 0 then return math.ult(x, y) and 0 or 1 end
  local q = (x >> 1) // y << 1
  return math.ult(x - q * y, y) and q or q + 1
end

integers["%"] = function(x, y, d) return y == 0 and 0 or x - integers["//"](x, y, d) * y end

integers["<<"] = function(x, y, d) return (y < 0 or y >= 8 * d.size) and 0 or x << y end

integers[">>"] = function(x, y, d)
  local sign = d.kind == "i" and x < 0 and -1 or 0
  if y < 0 or y >= 8 * d.size then return sign end
  return x >> y | sign & ~(-1 >> y)
end

-- Operators of floats, where the quotient's own rounding to the dtype shows: 4294967296 // 255 of float32 is 16843010.
local floats = { ["//"] = function(x, y, d) return converted(d.name, x / y) // 1 end }

-- An operand of a floating operator as a float that is rounded once, to float64 or `to`. Lua has the upper half of
-- uint64 as negative integers, also where a number stands beside a vector of that dtype. Bits that are cut off count
-- in the last one that is left ("round to odd"), which is behind the last one of the result.
local function as_float(v, dtype, to)
  if math.type(v) == "float" then return v end
  local unsigned = dtype == "uint64" and v < 0
  if to == "float32" and (unsigned or v >= 1 << 53 or v <= -(1 << 53)) then
    return ((unsigned and v >> 11 or v // 0x800) | (v & 0x7ff ~= 0 and 1 or 0)) * 0x1p11
  end
  return unsigned and (v >> 1 | v & 1) * 2.0 or v + 0.0
end

local function operator(sign)
  local fn = load(("return function(a, b) return a %s b end"):format(sign))()
  return function(a, b)
    local _, s = dtype_of(a)
    local _, other = dtype_of(b)
    s = s or other
    for _, v in ipairs { a, b } do
      if type(v) ~= "number" and not (struct.of_value(v) and struct.vector(struct.of_value(v))) then
        fail("argument", "operator '%s' of %s takes vectors and numbers, got %s", sign, s.name, core.describe(v))
      end
    end
    local count = struct.vector(s).count
    if other and struct.vector(other).count ~= count then
      fail("argument", "operator '%s' of %s and %s: the vectors have other lengths", sign, s.name, other.name)
    end
    local dtype = met(sign, a, b)
    local left, right = dtype_of(a) or dtype_of(b), dtype_of(b) or dtype_of(a)
    local d, result = core.dtype(dtype), {}
    local apply = (d.kind == "f" and floats or integers)[sign] or fn
    for k = 1, count do
      local x, y = type(a) == "number" and a or a[AXES[k]], type(b) == "number" and b or b[AXES[k]]
      if d.kind == "f" then x, y = as_float(x, left, dtype), as_float(y, right, dtype) end
      result[AXES[k]] = converted(dtype, apply(converted(dtype, x), converted(dtype, y), d))
    end
    return vector.of(dtype, count)(result)
  end
end

local operators = { __eq = function(a, b)
  if struct.of_value(a) ~= struct.of_value(b) then return false end
  for _, field in ipairs(struct.of_value(a).fields) do
    if a[field.name] ~= b[field.name] then return false end
  end
  return true
end }
for event, sign in pairs { __add = "+", __sub = "-", __mul = "*", __div = "/", __idiv = "//", __mod = "%", __pow = "^",
  __band = "&", __bor = "|", __bxor = "~", __shl = "<<", __shr = ">>" } do
  operators[event] = operator(sign)
end
function operators.__unm(a) return a * -1 end

-- --- types ------------------------------------------------------------------------------------------------------

local types = {} -- by name

-- The struct of a vector's name, "float4"; nil where it is none.
function vector.type(name)
  if types[name] then return types[name] end
  local base, count = name:match "^(%a+)([234])$"
  local dtype = base and dtypes[base]
  if not dtype then return nil end
  count = math.tointeger(count)
  local number = storage.number(dtype)
  local fields = {}
  for k = 1, count do fields[k] = { name = AXES[k], storage = number, type = dtype } end
  local wide = count == 4 and number.size == 8 -- CUDA has several of these names, and their alignment has changed
  types[name] = struct.define(name, fields, { count = count, dtype = dtype, operators = operators,
    align = count == 3 and number.size or math.min(count * number.size, 16), ctype = wide and "dc_" .. name or name })
  return types[name]
end

-- The struct of `count` numbers of a dtype; nil where there is none.
function vector.of(dtype, count) return bases[dtype] and vector.type(bases[dtype] .. count) end

function vector.names()
  local list = {}
  for base in pairs(dtypes) do
    for count = 2, 4 do list[#list + 1] = base .. count end
  end
  table.sort(list)
  return list
end

-- The fields of a vector of type `s` that is made of these values: numbers and vectors, one after the other; one number
-- for all; or a table of fields.
function vector.fields(s, ...)
  local v = struct.vector(s)
  local first, list = ..., {}
  if select("#", ...) == 1 and type(first) == "table" and not struct.of_value(first) then return first end
  for k = 1, select("#", ...) do
    local one = select(k, ...)
    local of = struct.of_value(one)
    if of and struct.vector(of) then
      for _, field in ipairs(of.fields) do list[#list + 1] = one[field.name] end
    elseif type(one) == "number" or type(one) == "boolean" then
      list[#list + 1] = one
    else
      fail("argument", "%s takes numbers and vectors, got %s", s.name, core.describe(one))
    end
  end
  if #list == 1 then
    for k = 2, v.count do list[k] = list[1] end
  end
  if #list ~= v.count then
    fail("argument", "%s takes %d numbers, or one for all, got %d", s.name, v.count, #list)
  end
  local fields = {}
  for k, one in ipairs(list) do fields[AXES[k]] = converted(v.dtype, one) end
  return fields
end

-- dc.vector(name): the type of a vector.
function vector.vector(...)
  local name = ...
  if select("#", ...) ~= 1 or type(name) ~= "string" then
    fail("argument", 'dc.vector takes a name, as in dc.vector "float4", got %s', core.describe(name))
  end
  local s = vector.type(name)
  if not s then
    fail("argument", "dc.vector: '%s' is no vector: %s", name, table.concat(vector.names(), ", "))
  end
  return s
end

for _, name in ipairs(vector.names()) do
  vector[name] = function(...) return vector.type(name)(...) end
end

return vector
