-- dc.extern: __device__ functions in CUDA C, of a dc.module or of a text, as functions that kernels in Lua call.
--
-- The text stands in front of the kernel's, once, so that the function is inlined; it is compiled with the module's
-- definitions, headers and folders. Each kernel would have variables of its own, and so a text with variables is
-- refused.
local core = require "dotcompute.core"
local builtins = require "dotcompute.jit.builtins"
local c_types = require "dotcompute.jit.c_types"
local module = require "dotcompute.module"
local points_to = require "dotcompute.jit.points_to"
local templates = require "dotcompute.templates"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local extern = {}
local units = setmetatable({}, { __mode = "v" }) -- text and options -> { text =, options =, lists = }

local function fail(text, ...) core.fail("argument", text:format(...)) end

-- --- declarations -----------------------------------------------------------------------------------------------

-- Words of a declaration that are no part of the result's type.
local specifiers = { __device__ = true, __host__ = true, __forceinline__ = true, __noinline__ = true, inline = true,
  static = true, constexpr = true, extern = true, __inline__ = true }

-- The signature of "float f(float, const int *)": { name =, result =, params =, text = }; nil and what is wrong.
local function parse(head, name, list)
  local shown = head:gsub("[%w_]+", function(word) return specifiers[word] and "" end):gsub("%s+", " ")
    :match "^ ?(.-) ?$"
  local result = c_types.parse(shown)
  if not result or result.pointer then return nil, ("its result is '%s'"):format(shown) end
  local signature = { name = name, result = result, params = {} }
  local inside = list:match "^%((.*)%)$"
  if inside:find "%S" and not inside:find "^%s*void%s*$" then
    for text in (inside .. ","):gmatch "([^,]*)," do
      local param = c_types.parameter(text)
      if not param or not param.t and not param.pointer then
        return nil, ("parameter %d is '%s'"):format(#signature.params + 1, text:match "^%s*(.-)%s*$")
      end
      signature.params[#signature.params + 1] = param
    end
  end
  local shown_params = {}
  for k, param in ipairs(signature.params) do shown_params[k] = param.text end
  signature.text = ("%s %s(%s)"):format(result.text, name, table.concat(shown_params, ", "))
  return signature
end

local ADVICE = "; dc.extern takes numbers, bool, and pointers to them"

-- The signature that the text of a module has for the function.
local function find(text, name)
  local code = ("\n" .. templates.code_of(text)):gsub("\n%s*#[^\n]*", "\n")
  local found, count = nil, 0
  for head, list in code:gmatch("([^;{}]*)%f[%w_]" .. name:gsub("%p", "%%%0") .. "%s*(%b())%s*[{;]") do
    if head:find "%f[%w_]__device__%f[^%w_]" then
      if head:find "%f[%w_]template%f[^%w_]" then
        fail("dc.extern: '%s' is a template; declare an instance: \"float %s<float>(float)\"", name, name)
      end
      local signature, wrong = parse(head, name, list)
      if not signature then fail("dc.extern: '%s' cannot be called from Lua: %s%s", name, wrong, ADVICE) end
      if not found or found.text ~= signature.text then count = count + 1 end
      found = signature
    end
  end
  if count > 1 then
    fail("dc.extern: the module has %d functions '%s'; declare the one that is meant: \"%s\"", count, name, found.text)
  end
  if not found then fail("dc.extern: the module has no __device__ function '%s'", name) end
  return found
end

-- --- calls ------------------------------------------------------------------------------------------------------

-- An argument as a parameter of C takes it.
local function argument(self, n, param, what)
  local e = self:expr(n)
  local t = e.type
  if t == types.unknown then return e end
  if param.pointer then
    if not t.ndim or (param.t and t.element ~= param.t) then
      self:fail(n.at, "%s takes %s, but '%s' is %s", what, param.t and ("an array of %s"):format(param.t.name)
        or "an array", self:shown(n), self:why(e))
    end
    self:need_contiguous(e, n, what)
    if not param.const then points_to.each(e, function(array) self:write(array, n.at) end) end
    return e
  end
  if not t.kind or (t.kind == "b") ~= (param.t.kind == "b") then
    self:fail(n.at, "%s takes %s, but '%s' is %s", what, param.t.text, self:shown(n), self:why(e))
  end
  if types.is_integer(param.t) and types.is_floating(t) then
    e = self:need_integer(e, n, what)
  end
  return self:convert(e, param.t, n)
end

-- The function's name in C: a declaration that is not the function's does not compile.
local function checked_name(signature)
  local list = {}
  for k, param in ipairs(signature.params) do list[k] = param.type end
  return ("static_cast<%s (*)(%s)>(::%s)"):format(signature.result.text, table.concat(list, ", "), signature.name)
end

local function call(unit, signature)
  return function(self, n)
    local name = signature.name
    self:only_in_kernels(n, ("'%s', a function of a module"):format(name))
    if #n.args ~= #signature.params then
      self:fail(n.at, "'%s' takes %d argument%s, got %d: it is %s", name, #signature.params,
        #signature.params == 1 and "" or "s", #n.args, signature.text)
    end
    local args, places, effect = {}, {}, not signature.result.t
    for k, param in ipairs(signature.params) do
      args[k] = argument(self, n.args[k], param, ("argument %d of '%s'"):format(k, name))
      places[k] = param.pointer and ("$%d.p"):format(k) or "$" .. k
      effect = effect or param.pointer
    end
    for _, e in ipairs(args) do
      if e.type == types.unknown then return builtins.text(n, types.unknown, "0") end
    end
    local modules = self.uses.modules or {} -- whose texts stand in front of the kernel's
    self.uses.modules = modules
    if not modules[unit] then
      modules[unit] = true
      modules[#modules + 1] = unit
    end
    local c = ("%s(%s)"):format(checked_name(signature), table.concat(places, ", "))
    local t = signature.result.t or types.unknown
    if effect then return builtins.act(self, n, t, c, args, { twice = #args > 0 }) end -- names of arrays
    return builtins.text(n, t, c, args)
  end
end

-- What the functions of a module, or of a text with options, are compiled from.
local function unit_of(what, options)
  local origin
  if type(what) == "string" then
    origin = { text = what, options = options, source = module.source_lists(options) }
  else
    if options ~= nil then fail "dc.extern: options belong to a text; those of a module are its own" end
    local ok, parts = pcall(core.module_parts, what)
    if not ok then
      fail("bad argument #1 to 'extern': an open module of dc.module, or CUDA C, expected, got %s",
        core.describe(what))
    end
    origin = parts
    if origin.units then fail "dc.extern: the module is linked from several sources; call a function of one" end
  end
  local lists, key = origin.source, { origin.text }
  for _, name in ipairs { "options", "include_dirs", "header_names", "header_texts" } do
    key[#key + 1] = table.concat(lists[name], "\0")
  end
  key = table.concat(key, "\0\0")
  units[key] = units[key] or { text = origin.text, options = origin.options, lists = lists }
  return units[key]
end

-- dc.extern(module, "f"), dc.extern(module, "float f(float)"), dc.extern(text, … [, options]): a function for kernels.
function extern.extern(what, declaration, options)
  local unit = unit_of(what, options)
  if type(declaration) ~= "string" then core.expected(2, "a function's name or declaration", declaration) end
  local text = unit.text
  if not text:find "%f[%w_]__device__%f[^%w_]" then
    fail("dc.extern: there is no __device__ function in the text, which is no CUDA C then")
  end
  if templates.has_variables(text) then
    fail "dc.extern: the module has variables, of which each kernel would have its own; pass arrays to the function"
  end
  local head, name, list = declaration:match "^%s*(.-)%f[%w_]([%a_][%w_:]*%s*%b<>)%s*(%b())%s*;?%s*$"
  if not head then head, name, list = declaration:match "^%s*(.-)%f[%w_]([%a_][%w_:]*)%s*(%b())%s*;?%s*$" end
  local signature, wrong
  if head and head:find "%S" then
    signature, wrong = parse(head, name, list)
    if not signature then fail("dc.extern: '%s': %s%s", declaration, wrong, ADVICE) end
  elseif declaration:find "^%s*[%a_][%w_]*%s*$" then
    signature = find(text, declaration:match "[%w_]+")
  else
    fail("dc.extern: '%s' is no function's name and no declaration, as in \"float f(float)\"", declaration)
  end
  local function fn()
    fail("'%s' of dc.extern is called in kernels alone: functions that are given to dc.jit", signature.name)
  end
  builtins.by_function[fn] = { name = signature.name, check = call(unit, signature) }
  return fn
end

-- A name for a kernel that no text in front of it has.
function extern.free_name(name, uses)
  for _, unit in ipairs(uses.modules or {}) do
    while unit.text:find("%f[%w_]" .. name .. "%f[^%w_]") do name = name .. "_" end
  end
  return name
end

-- --- options ----------------------------------------------------------------------------------------------------

local function append(list, more)
  if type(more) == "string" then more = { more } end
  for _, v in ipairs(more or {}) do list[#list + 1] = v end
  return list
end

-- The options that a kernel is compiled with: its own, and of the modules that it calls what their texts need.
function extern.options(own, uses)
  local options = {}
  for name, v in pairs(own) do options[name] = v end
  for _, unit in ipairs(uses.modules or {}) do
    local theirs = unit.options or {}
    if theirs.std then
      if options.std and options.std ~= theirs.std then
        core.fail("argument", ("a kernel with option std = \"%s\" calls a function of a module with \"%s\""):format(
          options.std, theirs.std))
      end
      options.std = theirs.std
    end
    for _, name in ipairs { "define", "headers" } do
      local merged = {}
      for key, v in pairs(options[name] or {}) do merged[key] = v end
      for key, v in pairs(theirs[name] or {}) do
        if merged[key] ~= nil and merged[key] ~= v then
          core.fail("argument", ("a kernel calls functions of modules whose options '%s' differ in '%s'"):format(name,
            key))
        end
        merged[key] = v
      end
      if next(merged) then options[name] = merged end
    end
    options.include = append(append({}, options.include), unit.lists.include_dirs)
    options.flags = append(append({}, options.flags), theirs.flags)
  end
  if options.include and #options.include == 0 then options.include = nil end
  if type(options.flags) == "table" and #options.flags == 0 then options.flags = nil end
  return options
end

return extern
