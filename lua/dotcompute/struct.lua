-- dc.struct: types of structs, with the layout of C. They describe elements of arrays (struct_array.lua) and values of
-- kernels in Lua (dc.jit); on the host a value is a table of its fields.
local core = require "dotcompute.core"
local storage = require "dotcompute.storage"
local interface = require "dotcompute.interface"
local arguments = require "dotcompute.arguments"
core.builtin(debug.getinfo(1, "S").source)

local function fail(kind, text, ...) core.fail(kind, text:format(...)) end

local LARGEST = 1 << 20 -- bytes of a struct

local methods = {}
local meta = { __name = "dotcompute.struct", __methods = methods } -- __methods: for completion
local hidden = setmetatable({}, { __mode = "k" }) -- struct -> { storage =, by_name =, value_meta = }

local module = {}

-- Whether a value is a struct's type.
function module.is_struct(v) return type(v) == "table" and hidden[v] ~= nil end

-- The storage of a struct: see storage.lua.
function module.storage(s) return hidden[s].storage end

-- --- values on the host -----------------------------------------------------------------------------------------

-- The metatable of a struct's values.
function module.value_meta(s) return hidden[s].value_meta end

-- The struct whose value a table is; nil where it is none.
function module.of_value(v)
  local value_meta = type(v) == "table" and getmetatable(v)
  return type(value_meta) == "table" and rawget(value_meta, "__struct") or nil
end

-- Whether the struct has a field of that name.
function module.has_field(s, name) return hidden[s].by_name[name] ~= nil end

local function field_names(s)
  local names = {}
  for k, field in ipairs(s.fields) do names[k] = field.name end
  return names
end

local function fail_field(s, name)
  local near = type(name) == "string" and core.closest(name, field_names(s))
  fail("index", "%s has no field %s%s", s.name, type(name) == "string" and "'" .. name .. "'" or core.describe(name),
    near and (": did you mean '%s'?"):format(near) or "; its fields are " .. table.concat(field_names(s), ", "))
end

local function encode(s, v, what)
  if type(v) ~= "table" then
    fail("argument", "%s takes a table of the fields of %s, got %s", what, s.name, core.describe(v))
  end
  local own = module.of_value(v)
  if own and own ~= s then fail("argument", "%s takes a value of %s, got one of %s", what, s.name, own.name) end
  for name in next, v do
    if not hidden[s].by_name[name] then fail_field(s, name) end
  end
  local parts, at = {}, 0
  for _, field in ipairs(s.fields) do
    local value = rawget(v, field.name)
    if value == nil then fail("argument", "%s: the field '%s' of %s has no value", what, field.name, s.name) end
    parts[#parts + 1] = ("\0"):rep(field.offset - at)
    parts[#parts + 1] = field.storage.encode(value, ("%s.%s"):format(what, field.name))
    at = field.offset + field.storage.size
  end
  parts[#parts + 1] = ("\0"):rep(s.size - at)
  return table.concat(parts)
end

local function decode(s, bytes, at)
  local v = {}
  for _, field in ipairs(s.fields) do v[field.name] = field.storage.decode(bytes, at + field.offset) end
  return setmetatable(v, hidden[s].value_meta)
end

local function shown(v)
  if type(v) ~= "table" or module.of_value(v) or getmetatable(v) then return tostring(v) end
  local list = {}
  for k, one in ipairs(v) do list[k] = shown(one) end
  return "{" .. table.concat(list, ", ") .. "}"
end

local function value_meta_of(s)
  local function no_field(_, name) fail_field(s, name) end
  return { __name = s.name, __struct = s, __index = no_field, __newindex = no_field,
    __tostring = function(v)
      local list = {}
      for k, field in ipairs(s.fields) do list[k] = ("%s = %s"):format(field.name, shown(rawget(v, field.name))) end
      return ("%s{%s}"):format(s.name, table.concat(list, ", "))
    end }
end

-- S{x = 1, y = 2}, S(1, 2), S(), S(v): a value; without fields all are 0, and of a value of the struct it is a copy.
function meta.__call(s, ...)
  local n, first = select("#", ...), ...
  if n == 0 then return decode(s, ("\0"):rep(s.size), 1) end
  if hidden[s].vector then return decode(s, encode(s, require "dotcompute.vector".fields(s, ...), s.name), 1) end
  local v = first
  local of = n == 1 and module.of_value(first)
  if of ~= s and (n > 1 or type(first) ~= "table" or of or next(first) == 1) then
    if n ~= #s.fields then
      fail("argument", "%s takes its %d fields (%s) or a table of them, got %d value%s", s.name, #s.fields,
        table.concat(field_names(s), ", "), n, n == 1 and "" or "s")
    end
    v = {}
    for k, field in ipairs(s.fields) do v[field.name] = (select(k, ...)) end
  end
  return decode(s, encode(s, v, s.name), 1)
end

-- --- methods ----------------------------------------------------------------------------------------------------

local function check(s, method)
  if not module.is_struct(s) then fail("argument", "'%s' is a method of a struct: S:%s(…)", method, method) end
end

-- The position of a field in bytes, from 0.
function methods.offset(s, name)
  check(s, "offset")
  local field = hidden[s].by_name[name]
  if not field then fail_field(s, name) end
  return field.offset
end

-- The bytes of a value: of a table with all fields.
function methods.pack(s, v)
  check(s, "pack")
  return encode(s, v, s.name)
end

-- The value of bytes, from position `at` on.
function methods.unpack(s, bytes, at)
  check(s, "unpack")
  if type(bytes) ~= "string" then fail("argument", "unpack takes a string of bytes, got %s", core.describe(bytes)) end
  if at == nil then at = 1 end
  if math.type(at) ~= "integer" or at < 1 or at > #bytes - s.size + 1 then
    fail("argument", "%s has %d bytes; there are not as many in a string of %d from position %s on", s.name, s.size,
      #bytes, core.describe(at))
  end
  return decode(s, bytes, at)
end

-- Appends the headers that the struct needs, and declarations of the structs in it and of itself, each once in a source
-- that has them several times. `done`: the structs and headers that are there.
function module.declare(s, headers, lines, done)
  if done[s] then return end
  done[s] = true
  local words = {}
  for k, field in ipairs(s.fields) do
    local element, extents = field.storage, ""
    while element.element do
      extents = extents .. ("[%d]"):format(element.count)
      element = element.element
    end
    if element.struct then module.declare(element.struct, headers, lines, done) end
    if element.header and not done[element.header] then
      done[element.header] = true
      headers[#headers + 1] = ("#include <%s>"):format(element.header)
    end
    words[k] = ("%s %s%s;"):format(element.ctype, field.name, extents)
  end
  local vector = hidden[s].vector
  if vector and vector.ctype == s.name then return end -- CUDA has it
  local guard = "DC_STRUCT_" .. s.name
  local name = vector and ("__align__(%d) %s"):format(s.align, vector.ctype) or s.name
  table.move({ "#ifndef " .. guard, "#define " .. guard,
    ("struct %s { %s };"):format(name, table.concat(words, " ")), "#endif" }, 1, 4, #lines + 1, lines)
end

-- CUDA C that declares the struct, those in it, and includes the headers that they need.
function methods.source(s)
  check(s, "source")
  local headers, lines = {}, {}
  module.declare(s, headers, lines, {})
  table.move(lines, 1, #lines, #headers + 1, headers)
  return table.concat(headers, "\n") .. "\n"
end

-- An array of structs: S:array(n), S:array(rows, columns), S:array{values…}.
function methods.array(s, ...)
  check(s, "array")
  return require "dotcompute.struct_array".make(s, ...)
end

-- The structs in a uint8 array.
function methods.view(s, bytes)
  check(s, "view")
  return require "dotcompute.struct_array".view(s, bytes)
end

local names = { name = true, size = true, align = true, fields = true } -- and the methods, for suggestions
for name in pairs(methods) do names[name] = true end

function meta.__index(_, key)
  return methods[key] or interface.missing("a struct", key, names)
end

function meta.__newindex() fail("argument", "a struct cannot be changed") end
function meta.__tostring(s) return ("struct %s (%d bytes)"):format(s.name, s.size) end

-- --- dc.struct --------------------------------------------------------------------------------------------------

local c_words = require "dotcompute.c_words"

local function check_name(what, name)
  if type(name) ~= "string" then fail("argument", "%s is a string, got %s", what, core.describe(name)) end
  if not name:find "^[%a_][%w_]*$" then fail("argument", "%s: '%s' is no name that C allows", what, name) end
  if c_words[name] or name:find "^__" or name:find "^dc_" then
    fail("argument", "%s: the name '%s' is taken in CUDA C", what, name)
  end
end

-- The storage that a field's type means: a dtype's name, a vector's, or a struct.
local function storage_of(what, t)
  if module.is_struct(t) then return module.storage(t) end
  local s = type(t) == "string" and storage.number(t)
  if s then return s end
  local v = type(t) == "string" and require "dotcompute.vector".type(t)
  if v then return module.storage(v) end
  fail("argument", "%s: %s is no type of a field: a dtype's name, a vector's and a struct are", what,
    type(t) == "string" and "'" .. t .. "'" or core.describe(t))
end

-- The field of an entry {name, type, extents…}.
local function field_of(struct_name, k, entry)
  local what = ("struct '%s', field %d"):format(struct_name, k)
  if type(entry) ~= "table" or module.is_struct(entry) then
    fail("argument", "%s is a list {name, type}, got %s", what, core.describe(entry))
  end
  for key in pairs(entry) do
    if math.type(key) ~= "integer" then fail("argument", "%s is a list {name, type}, without '%s ='", what, key) end
  end
  arguments.dense(what, "it", entry)
  check_name(what, entry[1])
  what = ("struct '%s', field '%s'"):format(struct_name, entry[1])
  local s = storage_of(what, entry[2])
  for j = #entry, 3, -1 do
    local extent = entry[j]
    if math.type(extent) ~= "integer" or extent < 1 or extent > LARGEST then
      fail("argument", "%s: an extent is an integer from 1 on, got %s", what, core.describe(extent))
    end
    s = storage.array(s, extent)
    if s.size > LARGEST then fail("argument", "%s: %d bytes are more than %d", what, s.size, LARGEST) end
  end
  return { name = entry[1], storage = s, type = s.text }
end

local function align_up(n, align) return (n + align - 1) // align * align end

-- A struct of fields { name =, storage =, type = a text }. `extra`, of vectors: { count =, dtype =, align =, ctype =,
-- operators = more of the metatable of values }.
function module.define(name, fields, extra)
  local s = { name = name, size = 0, align = extra and extra.align or 1, fields = fields }
  local by_name = {}
  for _, field in ipairs(fields) do
    if by_name[field.name] then fail("argument", "struct '%s' has two fields '%s'", name, field.name) end
    by_name[field.name] = field
    field.offset = align_up(s.size, field.storage.align)
    s.size = field.offset + field.storage.size
    s.align = math.max(s.align, field.storage.align)
  end
  s.size = align_up(s.size, s.align)
  if s.size > LARGEST then fail("argument", "struct '%s': %d bytes are more than %d", name, s.size, LARGEST) end
  local value_meta = value_meta_of(s)
  for event, fn in pairs(extra and extra.operators or {}) do value_meta[event] = fn end
  hidden[s] = { by_name = by_name, value_meta = value_meta, vector = extra,
    storage = { text = name, struct = s, size = s.size, align = s.align, ctype = extra and extra.ctype or name,
      encode = function(v, what) return encode(s, v, what) end,
      decode = function(bytes, at) return decode(s, bytes, at) end } }
  return setmetatable(s, meta)
end

-- Of a vector's type what module.define got as `extra`; nil for other structs.
function module.vector(s) return hidden[s].vector end

local known = setmetatable({}, { __mode = "v" }) -- name and fields -> struct

function module.struct(...)
  local name, list = ...
  if select("#", ...) ~= 2 then
    fail("argument", 'dc.struct takes a name and a list of fields: dc.struct("Ball", { { "x", "float32" }, … })')
  end
  check_name("a struct's name", name)
  if type(list) ~= "table" or module.is_struct(list) then
    fail("argument", "struct '%s': a list of fields expected, got %s", name, core.describe(list))
  end
  for key in pairs(list) do
    if math.type(key) ~= "integer" then
      fail("argument", "struct '%s': '%s' has no position: fields are a list, { { \"%s\", type }, … }, since a table "
        .. "has no order", name, key, key)
    end
  end
  arguments.dense(("struct '%s'"):format(name), "the table of fields", list)
  if #list == 0 then fail("argument", "struct '%s' has no fields", name) end
  local fields, key = {}, { name }
  for k, entry in ipairs(list) do
    local field = field_of(name, k, entry)
    fields[k] = field
    local inner = field.storage
    while inner.element do inner = inner.element end
    key[#key + 1] = ("%s %s %s"):format(field.name, field.type, inner.struct and ("%p"):format(inner.struct) or "")
  end
  key = table.concat(key, "\n")
  known[key] = known[key] or module.define(name, fields)
  return known[key]
end

interface.methods(methods)
return module
