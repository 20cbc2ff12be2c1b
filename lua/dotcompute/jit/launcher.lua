-- The fast way of a launch: a function, made for a variant (init.lua), that compares the kinds of its arguments and of
-- what the kernel captures with those of the variant, and launches its kernel. Facts about arrays, which do not change
-- while an array lives, are kept by array; captured locals are read as upvalues, which the made function shares with
-- the script's.
local core = require "dotcompute.core"
local names = require "dotcompute.jit.names"
local narrow = require "dotcompute.jit.narrow"
core.builtin(debug.getinfo(1, "S").source)

local launcher = {}

local facts = setmetatable({}, { __mode = "k" }) -- array -> { type =, device =, extents… }

-- The type, device and extents of an array; nil for other values.
local function facts_of(value)
  local t = names.type_of(value)
  if not t or not t.ndim then return nil end
  local known = { value:shape() }
  known.type, known.device, known.memory = t, value.device, names.passed(value, t)
  known.small = true
  for _, extent in ipairs(known) do known.small = known.small and narrow.fits(extent) end
  facts[value] = known
  return known
end

local SOURCE = "=dc.jit"
core.builtin(SOURCE)

-- Prints the tests and arguments of a launch.
local Text = {}
Text.__index = Text

function Text:line(text, ...) self.lines[#self.lines + 1] = text:format(...) end

-- A value that the text names.
function Text:constant(value)
  self.constants[#self.constants + 1] = value
  return ("k[%d]"):format(#self.constants)
end

-- Unless `name` has the type, the function gives false; adds what is passed to the kernel.
function Text:value(name, param)
  local t = param.type
  local args = self.args
  args[#args + 1] = name
  if t.ndim then
    local known = "f_" .. name
    if t.element.composite then args[#args] = known .. ".memory" end
    self:line("local %s = facts[%s] or facts_of(%s)", known, name, name)
    self:line("if not %s or %s.type ~= %s or %s.device ~= %s then return false end", known, known, self:local_of(t),
      known, self:local_of(self.device))
    if self.extents then self:line("if not %s.small then return false end", known) end
    for axis = 1, t.ndim do args[#args + 1] = ("%s[%d]"):format(known, axis) end
  elseif t.composite then
    self:line("if type_of(%s) ~= %s then return false end", name, self:local_of(t))
    args[#args] = ("passed(%s, %s)"):format(name, self:local_of(t))
  elseif t.weak == "c" then
    self:line("if type_of(%s) ~= %s then return false end", name, self:local_of(t))
  elseif t.weak then
    self:line("if mathtype(%s) ~= %q then return false end", name, t.name)
    if param.fits then self:line("if %s < -0x80000000 or %s > 0x7fffffff then return false end", name, name) end
  else
    self:line("if %s ~= true and %s ~= false then return false end", name, name)
  end
end

-- A constant as an upvalue of the made function.
function Text:local_of(value)
  local name = self.named[value]
  if not name then
    name = "c" .. #self.constants + 1
    self.named[value] = name
    table.insert(self.heads, ("local %s = %s"):format(name, self:constant(value)))
  end
  return name
end

-- The text of a captured value: an upvalue, and fields of it.
function Text:path(path)
  local upvalue = self.upvalues[path.id:match "^[^\0]*"]
  if not upvalue then
    upvalue = { name = "u" .. #self.joins + 1, fn = path.fn, index = path.upvalue }
    self.upvalues[path.id:match "^[^\0]*"] = upvalue
    self.joins[#self.joins + 1] = upvalue
    table.insert(self.heads, "local " .. upvalue.name)
  end
  self.count = self.count + 1
  local name = "v" .. self.count
  self:line("local %s = %s", name, upvalue.name)
  for _, key in ipairs(path) do
    self:line("if type(%s) ~= 'table' then return false end", name)
    self:line("%s = %s[%q]", name, name, key)
  end
  return name
end

-- Launches as kernels' methods take them: the call, and forall.
launcher.call = { head = "grid, block", launch = "kernel(grid, block%s)" }
launcher.forall = { head = "n", launch = "kernel:forall(n%s)" }

-- fn(kernel, grid, block, arguments…), or with n for forall: launches the variant's kernel and gives true; false where
-- the arguments or the captured values are of other kinds. False in place of the function where a variant has no fast
-- way: the devices of arrays decide which variant it is, and it has none.
function launcher.make(variant, form)
  local self = setmetatable({ lines = {}, heads = {}, args = {}, constants = {}, named = {}, upvalues = {}, joins = {},
    count = 0, device = variant.device, extents = variant.extents }, Text)
  local params, has_array = {}, false
  for k, t in ipairs(variant.types) do
    params[k] = "a" .. k
    has_array = has_array or t.ndim ~= nil
    if t.kind and not t.weak and t.kind ~= "b" then return false end -- of an explicit signature
  end
  for _, captured in ipairs(variant.inputs) do has_array = has_array or captured.type.ndim ~= nil end
  if not has_array or #variant.guards + #variant.inputs + #variant.types > 60 then return false end
  for _, guard in ipairs(variant.guards) do
    self:line("if %s ~= %s then return false end", self:path(guard.path), self:local_of(guard.value))
  end
  local input = 0
  for _, param in ipairs(variant.emitted.params) do
    if param.argument then
      self:value("a" .. param.argument, param)
    else
      input = input + 1
      self:value(self:path(variant.inputs[input].path), param)
    end
  end
  local function list(words) return #words > 0 and ", " .. table.concat(words, ", ") or "" end
  local text = ("local k, facts, facts_of, mathtype, type, type_of, passed = ...\n%s\nreturn function(kernel, %s%s)\n"
    .. "%s\n%s\nreturn true\nend"):format(table.concat(self.heads, "\n"), form.head, list(params),
      table.concat(self.lines, "\n"), form.launch:format(list(self.args)))
  local fn = assert(load(text, SOURCE, "t", {}))(self.constants, facts, facts_of, math.type, type,
    names.type_of, names.passed)
  local places = {}
  local k = 1
  while true do
    local name = debug.getupvalue(fn, k)
    if not name then break end
    places[name] = k
    k = k + 1
  end
  for _, join in ipairs(self.joins) do debug.upvaluejoin(fn, places[join.name], join.fn, join.index) end
  return fn
end

return launcher
