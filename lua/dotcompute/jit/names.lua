-- What names mean: locals, parameters, and what a kernel captures from the script: upvalues and globals, and fields
-- of tables by name (`config.steps`).
--
-- Captured numbers, booleans and arrays are `inputs`, hidden parameters whose values are read at each launch.
-- Functions, strings, and numbers that must be constant, are `guards`: the kernel was compiled for their values, and is
-- compiled again where they have changed.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local builder = require "dotcompute.builder"
local builtins = require "dotcompute.jit.builtins"
local constant = require "dotcompute.jit.constant"
local lexer = require "dotcompute.jit.lexer"
local source = require "dotcompute.jit.source"
local storage = require "dotcompute.storage"
local struct = require "dotcompute.struct"
local struct_array = require "dotcompute.struct_array"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local names = {}

-- --- functions of the script ------------------------------------------------------------------------------------

-- The record of a function of the script; its text is read here.
function names:root_function(value, found, at)
  local fn = self.roots[value]
  if fn then return fn end
  if not found then
    local ok, result = pcall(source.find, value)
    if not ok then
      self:fail(at, "a function that the kernel calls cannot be compiled: %s", result.message or result)
    end
    found = result
  end
  local root = { fn = value, found = found, upvalues = {} }
  local k = 1
  while true do
    local name = debug.getupvalue(value, k)
    if not name then break end
    root.upvalues[name] = k
    k = k + 1
  end
  fn = { node = found.node, root = root, instances = {} }
  self.roots[value] = fn
  return fn
end

-- --- captured values --------------------------------------------------------------------------------------------

-- A path is { fn =, upvalue = its index, id, text, keys… }.
local function path_of_upvalue(root, index, name)
  return { fn = root.fn, upvalue = index, text = name, id = tostring(debug.upvalueid(root.fn, index)) }
end

local function path_of_field(path, key)
  local longer = table.move(path, 1, #path, 1, { fn = path.fn, upvalue = path.upvalue })
  longer[#longer + 1] = key
  longer.text = path.text == "_ENV" and key or ("%s.%s"):format(path.text, key)
  longer.id = ("%s\0%d:%s"):format(path.id, #key, key) -- a key may have any bytes
  return longer
end

local function check_open(value, path)
  if type(value) == "userdata" and core.is_closed(value) then
    builder.fail("argument", "'%s', which the kernel captures, is a closed array", path.text)
  end
end

-- The value of a path, now.
function names.read(path)
  local _, value = debug.getupvalue(path.fn, path.upvalue)
  for _, key in ipairs(path) do
    if type(value) ~= "table" then return nil end
    value = value[key]
  end
  check_open(value, path)
  return value
end

local function field(t, key)
  if type(t) ~= "table" then return nil end
  local ok, value = pcall(function() return t[key] end)
  if ok then return value end
end

-- Whether a captured value is the one that a kernel was compiled for: 1 is not 1.0, 0.0 not -0.0, and NaN is NaN.
function names.is_same(a, b)
  if math.type(a) == "float" and math.type(b) == "float" then return string.pack("d", a) == string.pack("d", b) end
  return rawequal(a, b) and math.type(a) == math.type(b)
end

-- Records in `reads` a captured value on which the kernel's types or text depend: by the path's id, and in order of the
-- first read. `fixed`: they depend on the value itself, not on its type alone; `varies`: it changed between two reads.
function names:note(path, value, fixed)
  local one = self.reads[path.id]
  if not one then
    one = { path = path, value = value, number = #self.reads + 1 }
    self.reads[path.id] = one
    self.reads[one.number] = one
  end
  one.fixed = one.fixed or fixed
  one.varies = one.varies or not names.is_same(one.value, value)
end

function names:guard(path, value)
  if not self.guards[path.id] then
    self.guards[path.id] = true
    self.guards[#self.guards + 1] = { path = path, value = value }
  end
end

local outside = {} -- the owner of what a callable function captures, which is passed to it

-- A number, boolean or array as a hidden parameter: its symbol, which belongs to the kernel.
function names:input(path, value, t)
  local symbol = self.by_path[path.id]
  if not symbol then
    self.count = self.count + 1
    symbol = { name = path.text, type = t, roots = {}, path = path, input = value,
      space = "global", owner = self.compiled_in and outside or self.kernel,
      cname = ("%s_%d"):format(path.text:gsub("[^%w_]", "_"), self.count),
      because = ("captured from the script as '%s'"):format(path.text) }
    self.by_path[path.id] = symbol
    self.inputs[#self.inputs + 1] = symbol
    if self.inst ~= self.kernel then self.changed = true end
  end
  return symbol
end

-- The symbol of a constant array (dc.constant) that the kernel is compiled with.
function names:constant_array(path, value, t)
  local symbol = self.by_path[path.id]
  if not symbol then
    self.count = self.count + 1
    symbol = { name = path.text, type = t, roots = {}, owner = self.kernel, path = path, constant = value,
      space = "constant", cname = ("%s_%d"):format(path.text:gsub("[^%w_]", "_"), self.count),
      because = ("the constant array '%s' of the script"):format(path.text) }
    self.by_path[path.id] = symbol
    self.constants[#self.constants + 1] = symbol
    self.changed = true
  end
  return symbol
end

-- The value that a kernel of CUDA C takes for one of this type: the array of bytes of an array of structs, a number as
-- a complex one.
function names.passed(value, t)
  if t.kind == "c" and type(value) == "number" then return dc.complex(value, 0) end
  if t.ndim and t.element.composite then return (select(2, struct_array.parts(value))) end
  return value
end

-- The type of a value of the script that a kernel takes as an argument or captures; nil where it takes none.
function names.type_of(value)
  local kind = math.type(value)
  if kind then return types[kind] end
  if type(value) == "boolean" then return types.bool end
  if type(value) == "userdata" and core.is_array(value) then
    return (value.contiguous and types.array or types.strided)(types.dtype(value.dtype), value.ndim)
  end
  if storage.is_complex(value) then return types.complex end
  local of = struct.of_value(value)
  if of then return types.struct(of) end
  of = struct_array.parts(value)
  if of then return types.array(types.struct(of), value.ndim) end
end

-- What takes the place in a kernel of Lua's functions in C, by patterns of their names.
local instead_of <const> = {
  { "^x?pcall$", "an error ends the launch, and is caught around it" },
  { "metatable$", "there are no metatables; dc.struct declares types" },
  { "^raw", "there are no metatables" },
  { "^coroutine%.", "there are no coroutines; each thread runs the kernel on its own" },
  { "^string%.", "there are no strings but those of print, assert and error" },
  { "^tostring$", "there are no strings; print takes numbers as they are" },
  { "^table%.", "there are no tables that grow; {a, b} is a tuple, dc.local_array an array" },
  { "^i?pairs$", "a numeric loop, 'for i = 1, #a do', counts the indices of an array" },
  { "^math%.random", "dc.random_uniform(seed, k, i) and others are random numbers of a thread" },
}

local function instead(name)
  for _, one in ipairs(instead_of) do
    if name:find(one[1]) then return ": " .. one[2] end
  end
  return "; the functions of 'math' and 'dc' that it can call are listed in docs/jit.md"
end

-- What does here what a name of another library does there, or the field `key` of its module, as a part of a message;
-- "" if nothing is known of it. Modules are known by the names that programs give them.
local modules <const> = {}
for name in ("cuda cp cupy jax jnp np numba numpy ti tl torch triton wp"):gmatch "%a+" do modules[name] = true end

local function elsewhere(name, key)
  local function find(word)
    local builtin = builtins.by_name["dc." .. word] or builtins.by_name["math." .. word]
    return core.elsewhere(word) or builtin and builtin.name
  end
  local here = modules[name] and key and find(key) or find(name)
  return here and (" (in dotcompute: %s)"):format(here) or ""
end

-- The node of a captured value.
function names:captured(n, path, value)
  self:note(path, value)
  check_open(value, path)
  local t = names.type_of(value)
  if t and self.compiled_in and not (self.takes_inputs and t.kind) then
    if not t.kind or t.kind == "c" then
      self:fail(n.at, "'%s' is %s, which a function of elements cannot capture: make it an argument", path.text,
        t.ndim and "an array" or t.text)
    end
    self:guard(path, value)
    return { op = "const", type = t, value = value, at = n.at }
  elseif t then
    if t.ndim then self:check_array(n, t, path.text) end
    local symbol = self:input(path, value, t)
    self:reach(symbol)
    return { op = "symbol", type = symbol.type, symbol = symbol, at = n.at, n = n }
  end
  if type(value) == "function" then
    self:guard(path, value)
    local builtin = builtins.by_function[value]
    if builtin then return { op = "static", type = types.static("builtin", builtin, "a function"), at = n.at } end
    local info = debug.getinfo(value, "S")
    if core.is_builtin(info.source) then
      self:fail(n.at, "'%s' works on arrays outside of kernels; what a kernel can call is listed in docs/jit.md",
        path.text)
    elseif info.what == "C" then
      self:fail(n.at, "'%s' is a function in C, which a kernel cannot call%s", path.text, instead(path.text))
    end
    local fn = self:root_function(value, nil, n.at)
    fn.name = fn.name or path[#path] or path.text
    return { op = "static", type = types.static("function", fn, ("the function '%s'"):format(path.text)), at = n.at }
  end
  t = constant.type_of(value)
  if t then
    self:guard(path, value)
    local symbol = self:constant_array(path, value, t)
    self:reach(symbol)
    return { op = "symbol", type = symbol.type, symbol = symbol, at = n.at, n = n }
  end
  local inner = builtins.function_of(value) -- of an object of dc.jit
  if inner then
    self:guard(path, value)
    local fn = self:root_function(inner, nil, n.at)
    fn.name = fn.name or path[#path] or path.text
    return { op = "static", type = types.static("function", fn, ("the function '%s'"):format(path.text)), at = n.at }
  end
  if struct.is_struct(value) then
    self:guard(path, value)
    return { op = "static", type = types.static("struct", value, ("the struct '%s'"):format(value.name)), at = n.at }
  end
  if type(value) == "table" then
    return { op = "static", type = types.static("table", value, ("the table '%s'"):format(path.text)), path = path,
      at = n.at }
  end
  if type(value) == "string" then
    self:guard(path, value)
    return { op = "static", type = types.string(value), text = value, at = n.at }
  end
  if value == nil then
    self:fail(n.at, "'%s' is nil: a local or global of that name has no value when the kernel is compiled%s", path.text,
      elsewhere(path.text, n.field))
  end
  self:fail(n.at, "'%s' is %s, which a kernel cannot use: it takes numbers, booleans, arrays and functions", path.text,
    core.describe(value))
end

function names:check_array(n, t, name)
  if t.ndim == 0 then
    self:fail(n.at, "'%s' is a 0-d array: pass its number, a:item()", name)
  end
end

-- A field, by name, of a table of the script.
function names:field(n, object, key)
  local value = field(object.type.value, key)
  local path = path_of_field(object.path, key)
  if value == nil then
    local text = object.path.text
    if object.type.value == builtins.library.dc or object.type.value == builtins.library.math then
      local here, near = elsewhere(key), core.closest(key, builtins.names(object.type.value))
      self:fail(n.at, "%s has no '%s'%s", text, key, here == "" and near
        and (": did you mean '%s.%s'?"):format(text, near) or here)
    end
    self:fail(n.at, "'%s.%s' is nil when the kernel is compiled", text, key)
  end
  if object.type.value == builtins.library.math and math.type(value) then -- math.pi
    self:note(path, value, true)
    return { op = "const", type = types[math.type(value)], value = value, at = n.at, n = n }
  end
  local table_ = object.type.value
  local builtin = (table_ == builtins.library.dc or table_ == builtins.library.math) and builtins.by_function[value]
  if builtin then -- no guard, which each launch would read: which functions dc and math have does not change
    self:note(path, value)
    return { op = "static", type = types.static("builtin", builtin, "a function"), at = n.at }
  end
  return self:captured(n, path, value)
end

-- --- names ------------------------------------------------------------------------------------------------------

-- Whether a name is a <const> whose expression can be computed, and its value. Other constants stand in it by their
-- names.
local function constant_value(text, decl)
  local value = decl.attrib == "const" and decl.value
  if not value then return false end
  if value.op == "number" then return true, value.value end
  local constants = {}
  local function find(node)
    if node.op == "name" and node.decl then
      local _, v = constant_value(text, node.decl)
      constants[node.name] = v
    end
    for _, part in ipairs { node.a or false, node.b or false } do
      if part then find(part) end
    end
  end
  find(value)
  local made = lexer.load("return " .. text:sub(value.at, value.last), "=(constant)", constants)
  return pcall(made or error)
end

-- A <const> that Lua's compiler has folded into its users is no upvalue: its value is that of its expression.
function names:folded(n, decl)
  local ok, v = constant_value(self.inst.root.found.chunk.text, decl)
  if ok and v == nil then self:fail(n.at, "'%s' is a constant without a value: it is nil", n.name) end
  if ok and (type(v) == "number" or type(v) == "boolean") then
    return { op = "const", type = names.type_of(v), value = v, at = n.at, n = n }
  elseif ok and type(v) == "string" then
    return { op = "static", type = types.string(v), text = v, at = n.at }
  end
  self:fail(n.at, "the value of '%s' is not known here", n.name)
end

-- The instance that a declaration belongs to: the current one, or one around it; nil: the script's.
local function owner_of(inst, decl)
  while inst do
    if inst.node == decl.fn then return inst end
    inst = inst.parent
  end
end

function names:name(n)
  local decl, root = n.decl, self.inst.root
  if decl then
    local owner = owner_of(self.inst, decl)
    if not owner then
      local index = root.upvalues[n.name]
      if not index then return self:folded(n, decl) end
      local _, value = debug.getupvalue(root.fn, index)
      return self:captured(n, path_of_upvalue(root, index, n.name), value)
    end
    local symbol = owner.symbols[decl]
    if not symbol then self:fail(n.at, "'%s' is used before it is declared", n.name) end
    if owner == self.inst and self.inst.state and self.inst.state[symbol] then
      self:fail(n.at, "'%s' has no value here: it is nil until it is assigned, on every way to this line", n.name)
    end
    if symbol.type.static then
      return { op = "static", type = symbol.type, symbol = symbol, path = symbol.path, text = symbol.string, at = n.at }
    end
    self:reach(symbol)
    if symbol.type == types.unknown then symbol.read_unknown = true end
    return { op = "symbol", type = symbol.type, symbol = symbol, at = n.at, n = n }
  end
  -- a global: a field of _ENV
  local index = root.upvalues._ENV
  if not index then self:fail(n.at, "'%s' is no local, and the function has no globals", n.name) end
  local _, env = debug.getupvalue(root.fn, index)
  return self:captured(n, path_of_field(path_of_upvalue(root, index, "_ENV"), n.name), field(env, n.name))
end

return names
