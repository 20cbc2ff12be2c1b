-- What memory of structs contains: numbers of a dtype, structs, and fixed-size arrays of these. A storage is
-- { text =, size =, align =, ctype = in CUDA C, header =, encode = function(v, what), decode = function(s, at) }, with
-- one of `dtype` (a dtype's name), `struct`, and `element` with `count`. Encoded values are bytes, little-endian, as C
-- lays them out; `what` names the value in messages.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local number_text = require "dotcompute.number_text"
core.builtin(debug.getinfo(1, "S").source)

local storage = {}

local function fail(kind, text, ...) core.fail(kind, text:format(...)) end

-- --- numbers ----------------------------------------------------------------------------------------------------

local formats = { int8 = "<i1", int16 = "<i2", int32 = "<i4", int64 = "<i8", uint8 = "<I1", uint16 = "<I2",
  uint32 = "<I4", uint64 = "<i8", float32 = "<f", float64 = "<d" }

local encoders, decoders = {}, {} -- by the dtype's kind

function encoders.b(_, v, what)
  if type(v) ~= "boolean" then fail("argument", "%s takes a boolean, got %s", what, core.describe(v)) end
  return v and "\1" or "\0"
end

local function integer(d, v, what)
  local i = type(v) == "number" and math.tointeger(v)
  if not i then fail("argument", "%s takes an integer, got %s", what, core.describe(v)) end
  if not number_text.holds(d, i) then fail("dtype", "%s: %d is out of range for %s", what, i, d.name) end
  return formats[d.name]:pack(i)
end
encoders.i, encoders.u = integer, integer

local function is_finite(v) return v - v == 0 end

function encoders.f(d, v, what)
  if type(v) ~= "number" then fail("argument", "%s takes a number, got %s", what, core.describe(v)) end
  if d.size == 2 then
    return dc.using("cpu", function() return dc.array(v, "float64"):to(d.name):bytes() end)
  end
  local bytes = formats[d.name]:pack(v)
  if is_finite(v) and not is_finite((formats[d.name]:unpack(bytes))) then
    fail("dtype", "%s: %s is out of range for %s", what, v, d.name)
  end
  return bytes
end

-- Whether a value is one of dc.complex.
function storage.is_complex(v)
  local meta = type(v) == "userdata" and getmetatable(v)
  return meta ~= nil and meta ~= false and meta.__name == "dotcompute.complex"
end

function encoders.c(d, v, what)
  if type(v) ~= "number" and not storage.is_complex(v) then
    fail("argument", "%s takes a number or dc.complex(re, im), got %s", what, core.describe(v))
  end
  local part = core.dtype(d.size == 8 and "float32" or "float64")
  local re, im = v, 0
  if type(v) ~= "number" then re, im = v.re, v.im end
  return encoders.f(part, re, what) .. encoders.f(part, im, what)
end

function decoders.b(_, s, at) return s:byte(at) ~= 0 end
function decoders.i(d, s, at) return (formats[d.name]:unpack(s, at)) end
decoders.u = decoders.i

function decoders.f(d, s, at)
  if d.size > 2 then return (formats[d.name]:unpack(s, at)) end
  return dc.using("cpu", function() return dc.from_bytes(s:sub(at, at + 1), { 1 }, d.name)[1] end)
end

function decoders.c(d, s, at)
  local format = d.size == 8 and "<ff" or "<dd"
  local re, im = format:unpack(s, at)
  return dc.complex(re, im)
end

local numbers = {}

-- The storage of a dtype; nil where the name is none.
function storage.number(name)
  local d = core.dtype(name)
  if not d then return nil end
  local s = numbers[d.name]
  if not s then
    s = { text = d.name, dtype = d.name, size = d.size, align = d.size, ctype = d.ctype, header = d.header,
      encode = function(v, what) return encoders[d.kind](d, v, what) end,
      decode = function(bytes, at) return decoders[d.kind](d, bytes, at) end }
    numbers[d.name] = s
  end
  return s
end

-- --- fixed-size arrays ------------------------------------------------------------------------------------------

-- `count` elements of a storage, a list in Lua.
function storage.array(element, count)
  local s = { text = ("%s[%d]"):format(element.text, count), element = element, count = count,
    size = count * element.size, align = element.align }
  function s.encode(v, what)
    if type(v) ~= "table" then fail("argument", "%s takes a list of %d, got %s", what, count, core.describe(v)) end
    if #v ~= count then fail("argument", "%s takes a list of %d, got %d", what, count, #v) end
    local parts = {}
    for k = 1, count do parts[k] = element.encode(v[k], ("%s[%d]"):format(what, k)) end
    return table.concat(parts)
  end
  function s.decode(bytes, at)
    local list = {}
    for k = 1, count do list[k] = element.decode(bytes, at + (k - 1) * element.size) end
    return list
  end
  return s
end

return storage
