-- dc.constant: an array of numbers that kernels in Lua capture and are compiled with, in CUDA's constant memory.
--
-- Its values do not change, so an element whose index the compiler knows costs nothing, and one that all threads of a
-- warp read at once costs as much as a register.
local core = require "dotcompute.core"
local interface = require "dotcompute.interface"
local dc = require "dotcompute"
local number_text = require "dotcompute.number_text"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local constant = { MOST = 65536 } -- bytes of constant memory that a kernel has

local arrays = setmetatable({}, { __mode = "k" }) -- object -> its array, of the CPU device
local texts = setmetatable({}, { __mode = "k" })  -- object -> its values as CUDA C

local meta = { __name = "dotcompute.constant" }

local function fail(kind, text, ...) core.fail(kind, text:format(...)) end

local methods = {}
for _, name in ipairs { "shape", "to_table" } do
  methods[name] = function(object)
    if not arrays[object] then fail("argument", "'%s' is a method of a constant array: c:%s()", name, name) end
    return arrays[object][name](arrays[object])
  end
end

function meta.__index(object, key)
  if methods[key] then return methods[key] end
  if math.type(key) or type(key) == "table" or key == "dtype" or key == "ndim" or key == "size" then
    return arrays[object][key]
  end
  interface.missing("a constant array", key, methods)
end

function meta.__newindex() fail("argument", "a constant array is not written; dc.array makes one that is") end
function meta.__len(object) return #arrays[object] end
function meta.__tostring(object)
  return ("constant %s array (%s)"):format(arrays[object].dtype, table.concat({ arrays[object]:shape() }, ", "))
end

-- dc.constant(values [, dtype]): of a table of numbers or an array.
function constant.constant(values, dtype)
  if type(values) ~= "table" and not core.is_array(values) or arrays[values] then
    core.expected(1, "a table of numbers or an array", values)
  end
  local array = dc.using("cpu", function()
    if core.is_array(values) then return dc.array(values:to_table(), dtype or values.dtype) end
    return dc.array(values, dtype)
  end)
  if array.ndim == 0 or array.size == 0 then
    fail("shape", "a constant array has one element or more, and an axis")
  end
  local d = types.dtype(array.dtype)
  if d.kind == "c" then fail("dtype", "a constant array has real numbers, got %s", array.dtype) end
  if array.size * d.size > constant.MOST then
    fail("argument", "a constant array has at most %d bytes, got %d; a kernel takes larger arrays as arguments",
      constant.MOST, array.size * d.size)
  end
  local object = setmetatable({}, meta)
  arrays[object] = array
  return object
end

-- The type of a constant array in a kernel; nil of other values.
function constant.type_of(value)
  local array = type(value) == "table" and arrays[value]
  return array and types.array(types.dtype(array.dtype), array.ndim)
end

-- --- CUDA C -----------------------------------------------------------------------------------------------------

-- The bits of a value of float16 from those of the same value as float32.
local function half_bits(f)
  local sign, exponent, fraction = f >> 16 & 0x8000, (f >> 23 & 255) - 127, f & 0x7fffff
  if exponent == 128 then return sign | 0x7c00 | (fraction ~= 0 and 0x200 or 0) end
  if exponent >= -14 then return sign | exponent + 15 << 10 | fraction >> 13 end
  return sign | (fraction | 0x800000) >> math.min(-1 - exponent, 31) -- subnormal, or 0
end

local unsigned = { "unsigned char", "unsigned short", [4] = "unsigned int", [8] = "unsigned long long" }

-- Floats as bits, as a list of C has no NaN, no infinity, and no 16-bit floats.
local function bits_of(v, d)
  if d.size == 8 then return ("0x%xull"):format((string.unpack("<I8", string.pack("<d", v)))) end
  local f = string.unpack("<I4", string.pack("<f", v))
  if d.name == "float16" then f = half_bits(f) elseif d.name == "bfloat16" then f = f >> 16 end
  return ("0x%xu"):format(f)
end

-- The declaration of the values under a name: lines; and the array over them, as an initializer.
function constant.declaration(object, name)
  local array = arrays[object]
  local d = types.dtype(array.dtype)
  local text = texts[object]
  if not text then
    local list, words, as_bits = array:reshape(array.size):to_table(), {}, d.kind == "f" and d.size == 2
    for _, v in ipairs(list) do as_bits = as_bits or d.kind == "f" and v - v ~= 0 end
    for k, v in ipairs(list) do words[k] = as_bits and bits_of(v, d) or number_text.literal(v, d) end
    text = { as_bits = as_bits }
    for first = 1, #words, 8 do
      text[#text + 1] = "  " .. table.concat(words, ", ", first, math.min(first + 7, #words)) .. ","
    end
    texts[object] = text
  end
  local lines = { ("static __constant__ __align__(16) const %s %s[%d] = {"):format(
    text.as_bits and unsigned[d.size] or d.ctype, name, array.size) }
  table.move(text, 1, #text, 2, lines)
  lines[#lines + 1] = "};"
  return lines, ("{(%s *)%s, {%s}}"):format(d.ctype, name, table.concat({ array:shape() }, ", "))
end

return constant
