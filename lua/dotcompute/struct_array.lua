-- Arrays of structs: a uint8 array whose last axis is the bytes of one struct, with elements that are read and written
-- as tables of fields.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local struct = require "dotcompute.struct"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local function fail(kind, text, ...) core.fail(kind, text:format(...)) end

local methods = {}
local meta = { __name = "dotcompute.struct_array", __methods = methods } -- __methods: for completion
local PARTS <const> = {} -- the key under which an array has its parts

meta.__parts = PARTS -- for src/lua/argument.c

local module = { PARTS = PARTS }

local function parts_of(v) return type(v) == "table" and rawget(v, PARTS) or nil end

-- The struct and the bytes of an array of structs; nil for other values.
function module.parts(v)
  local h = parts_of(v)
  if h then return h.struct, h.bytes end
end

-- Parts: the struct; the array of bytes; the extents; of a vector's type what struct.vector says.
local function wrap(s, bytes)
  local shape = { bytes:shape() }
  shape[#shape] = nil
  return setmetatable({ [PARTS] = { struct = s, bytes = bytes, shape = shape, vector = struct.vector(s) } }, meta)
end

-- --- making them ------------------------------------------------------------------------------------------------

local function check_extent(s, k, n)
  local extent = type(n) == "number" and math.tointeger(n)
  if not extent or extent < 0 then
    fail("shape", "%s:array: extent %d is an integer from 0 on, got %s", s.name, k, core.describe(n))
  end
  return extent
end

-- make(s, extents…): filled with 0; make(s, {values…}): of a list of tables.
function module.make(s, ...)
  local first, count = ..., select("#", ...)
  if count == 0 then fail("argument", "%s:array takes extents, or a list of values", s.name) end
  if type(first) == "table" then
    if count ~= 1 then core.fail_count(s.name .. ":array", "one list of values", count) end
    if struct.of_value(first) or (next(first) ~= nil and first[1] == nil) then
      fail("argument", "%s:array takes a list of values: { %s{…}, … }", s.name, s.name)
    end
    local parts = {}
    for k, v in ipairs(first) do parts[k] = struct.storage(s).encode(v, ("value %d"):format(k)) end
    return wrap(s, dc.from_bytes(table.concat(parts), { #parts, s.size }, "uint8"))
  end
  local shape = {}
  for k = 1, count do shape[k] = check_extent(s, k, (select(k, ...))) end
  shape[count + 1] = s.size
  return wrap(s, dc.zeros(shape, "uint8"))
end

-- The structs in a uint8 array: of one axis whose extent is a multiple of the size, or with a last axis of the size.
function module.view(s, bytes)
  local _, inside = module.parts(bytes)
  bytes = inside or bytes
  if not core.is_array(bytes) then
    fail("argument", "%s:view takes a uint8 array, got %s", s.name, core.describe(bytes))
  end
  if bytes.dtype ~= "uint8" then
    fail("dtype", "%s:view takes a uint8 array, got one of %s", s.name, bytes.dtype)
  end
  if not bytes.contiguous then fail("argument", "%s:view: the array is not contiguous; a:copy() is", s.name) end
  local shape = { bytes:shape() }
  if #shape == 1 and shape[1] % s.size == 0 then
    bytes = bytes:reshape(shape[1] // s.size, s.size)
  elseif #shape < 2 or shape[#shape] ~= s.size then
    fail("shape", "%s:view: %s has %d bytes, which is neither the last extent nor divides that of a single axis",
      s.name, s.name, s.size)
  end
  if bytes.size > 0 and bytes.ptr % s.align ~= 0 then
    fail("argument", "%s:view: the array begins at an address that is no multiple of %d, as %s needs", s.name, s.align,
      s.name)
  end
  return wrap(s, bytes)
end

-- --- elements ---------------------------------------------------------------------------------------------------

-- The position of an element among all, from 0: of an index, or of a list of indices.
local function position(h, key)
  local list = type(key) == "table" and key or { key }
  if #list ~= #h.shape then
    fail("index", "an array of %d ax%s takes as many indices, got %d", #h.shape, #h.shape == 1 and "is" or "es", #list)
  end
  local at = 0
  for axis, extent in ipairs(h.shape) do
    local i = type(list[axis]) == "number" and math.tointeger(list[axis])
    if not i then fail("index", "an index is an integer, got %s", core.describe(list[axis])) end
    local from_start = i < 0 and i + extent + 1 or i
    if from_start < 1 or from_start > extent then
      fail("index", "index %d of axis %d is out of range: the extent is %d", i, axis, extent)
    end
    at = at * extent + from_start - 1
  end
  return at
end

local function rows(h) return h.bytes:reshape(h.bytes.size // h.struct.size, h.struct.size) end

local properties = {}
function properties.struct(h) return h.struct end
function properties.bytes(h) return h.bytes end
function properties.device(h) return h.bytes.device end
function properties.ndim(h) return #h.shape end
function properties.size(h) return h.bytes.size // h.struct.size end
function properties.contiguous(h) return h.bytes.contiguous end

local known = {} -- the names of properties and methods, for suggestions

function meta.__index(a, key)
  local h = a[PARTS]
  if methods[key] then return methods[key] end
  if properties[key] then return properties[key](h) end
  if struct.has_field(h.struct, key) then
    fail("index", "an array of structs has no '%s'; a field of an element is a[i].%s, of all a:field(%q)", key, key,
      key)
  end
  if type(key) == "string" then interface.missing("an array of structs", key, known) end
  if #h.shape == 1 and key == h.shape[1] + 1 then return nil end -- ipairs ends
  return struct.storage(h.struct).decode(rows(h)[position(h, key) + 1]:bytes(), 1)
end

function meta.__newindex(a, key, v)
  local h = a[PARTS]
  if type(key) == "string" then fail("index", "an array of structs has no '%s' to set", key) end
  local at = position(h, key) + 1
  local bytes = struct.storage(h.struct).encode(v, h.struct.name)
  rows(h)[at] = dc.from_bytes(bytes, { h.struct.size }, "uint8"):to(h.bytes.device)
end

function meta.__len(a) return a[PARTS].shape[1] end

-- Of the elements along the first axis, as of arrays.
function meta.__pairs(a) return ipairs(a) end

function meta.__tostring(a)
  local h = a[PARTS]
  return ("array of %d structs %s on %s"):format(a.size, h.struct.name, h.bytes.device.id)
end

local function check(a, method)
  local h = parts_of(a)
  if not h then fail("argument", "'%s' is a method of an array of structs: a:%s(…)", method, method) end
  return h
end

function methods.shape(a) return table.unpack(check(a, "shape").shape) end

-- All elements in C order, a list of values.
function methods.to_table(a)
  local h = check(a, "to_table")
  local bytes, list, size = h.bytes:bytes(), {}, h.struct.size
  local decode = struct.storage(h.struct).decode
  for k = 1, #bytes // size do list[k] = decode(bytes, (k - 1) * size + 1) end
  return list
end

-- A field of all elements, a copy: an array of the field's dtype. The axes of a field that is an array come last.
function methods.field(a, name)
  local h = check(a, "field")
  local first = h.struct:offset(name) + 1
  local field
  for _, one in ipairs(h.struct.fields) do if one.name == name then field = one end end
  local shape, s = { table.unpack(h.shape) }, field.storage
  while s.element do
    shape[#shape + 1] = s.count
    s = s.element
  end
  if not s.dtype then
    fail("dtype", "the field '%s' of %s is %s, and no number: a:to_table() reads it", name, h.struct.name, field.type)
  end
  local bytes = rows(h)[{ ":", { first, first + field.storage.size - 1 } }]:bytes()
  return dc.from_bytes(bytes, shape, s.dtype):to(h.bytes.device)
end

function methods.copy(a)
  local h = check(a, "copy")
  return wrap(h.struct, h.bytes:copy())
end

-- The same structs on another device.
function methods.to(a, device)
  local h = check(a, "to")
  local moved = h.bytes:to(device)
  if moved.dtype ~= "uint8" then fail("argument", "an array of structs is moved to a device, got %q", device) end
  return wrap(h.struct, moved)
end

-- The elements at these indices along the only axis.
function methods.take(a, indices)
  local h = check(a, "take")
  if #h.shape ~= 1 then
    fail("shape", "take: an array of structs with one axis is expected, this one has %d", #h.shape)
  end
  return wrap(h.struct, dc.take(h.bytes, indices, 1))
end

-- Algorithms by functions in Lua (docs/jit.md).
local results = interface.results

for _, name in ipairs { "sort", "argsort", "select", "partition", "unique", "searchsorted", "reduce",
  "segmented_reduce", "histogram", "bincount" } do
  local fn = dc[name]
  methods[name] = function(a, ...)
    check(a, name)
    return results(fn(a, ...))
  end
end

function methods.close(a) check(a, "close").bytes:close() end
meta.__close = methods.close
interface.methods(methods)
for _, names in ipairs { methods, properties } do
  for name in pairs(names) do known[name] = true end
end

return module
