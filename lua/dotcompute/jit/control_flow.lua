-- Whether the control flow of a Lua function depends on the values of its arguments, as far as its text tells: `if x >
-- 0`, `x == 3 and …`, `while y do`, `for i = 1, n`. dc.vectorize compiles such a function; it traces others.
--
-- Names that hold an argument, or what is computed of one, are marked until no mark is added: those of the function, of
-- its local functions, and of functions of the script that it calls with marked values.
local core = require "dotcompute.core"
local builtins = require "dotcompute.jit.builtins"
local source = require "dotcompute.jit.source"
core.builtin(debug.getinfo(1, "S").source)

local Search = {}
Search.__index = Search

-- --- values of the script -----------------------------------------------------------------------------------------

local function upvalue(fn, wanted)
  local k = 1
  while true do
    local name, value = debug.getupvalue(fn, k)
    if not name then return nil end
    if name == wanted then return value end
    k = k + 1
  end
end

-- The value that an expression of names and fields has in the script; nil where it is no such expression.
function Search:value(n)
  if n.op == "paren" then return self:value(n.a) end
  if n.op == "name" then
    if n.decl then return upvalue(self.script, n.name) end
    local env = upvalue(self.script, "_ENV")
    return type(env) == "table" and rawget(env, n.name) or nil
  elseif n.op == "index" and n.key.op == "string" then
    local object = self:value(n.object)
    if object == builtins.library.dc then return object[n.key.value] end
    return type(object) == "table" and rawget(object, n.key.value) or nil
  end
end

-- --- marks ------------------------------------------------------------------------------------------------------

function Search:mark(decl)
  if decl and not self.marks[decl] then
    self.marks[decl], self.changed = true, true
  end
end

-- The node of a function that is called, and the function of the script that it is in.
function Search:callee(n)
  local node = n.op == "name" and n.decl and self.functions[n.decl]
  if node then return node, self.script end
  local value = self:value(n)
  if type(value) ~= "function" then value = builtins.function_of(value) end
  if type(value) ~= "function" or debug.getinfo(value, "S").what == "C" then return nil end
  local ok, found = pcall(source.find, value)
  if ok then return found.node, value end
end

-- Whether a call gives marked values. Marks the parameters of the function.
function Search:call(n)
  local any = false
  for _, arg in ipairs(n.args) do any = self:marked(arg) or any end
  if not any then return false end
  local value = self:value(n.fn)
  if value ~= nil and builtins.by_function[value] then return true end
  if n.fn.op == "index" and self:value(n.fn.object) == builtins.library.dc then return true end
  local node, script = self:callee(n.fn)
  if not node then return false end
  for k, arg in ipairs(n.args) do
    if self:marked(arg) then self:mark(node.params[k]) end
  end
  if script ~= self.script and self.visited[node] ~= self.pass then
    self.visited[node] = self.pass
    local outer = self.script
    self.script = script
    self:visit(node)
    self.script = outer
  end
  return self.returns[node] == true
end

local function compares(sign) return sign:find "^[<>]=?$" ~= nil or sign == "==" or sign == "~=" end

-- Whether an expression's value is an argument, or computed of one.
function Search:marked(n)
  if n.op == "name" then return self.marks[n.decl] == true end
  if n.op == "paren" then return self:marked(n.a) end
  if n.op == "unary" then return n.sign ~= "not" and self:marked(n.a) end
  if n.op == "binary" then return not compares(n.sign) and (self:marked(n.a) or self:marked(n.b)) end
  if n.op == "method" then return self:marked(n.object) end
  return n.op == "call" and self:call(n)
end

-- --- the walk ---------------------------------------------------------------------------------------------------

local V = {} -- by the node's op: what is to be done beside looking at its parts

function Search:condition(n)
  if self:marked(n) then self.found = true end
end

V["if"] = function(self, n)
  for _, clause in ipairs(n.clauses) do self:condition(clause.cond) end
end
V["while"] = function(self, n) self:condition(n.cond) end
V["repeat"] = V["while"]

function V.fornum(self, n)
  for _, key in ipairs { "from", "to", "step" } do
    if n[key] then self:condition(n[key]) end
  end
end

function V.unary(self, n)
  if n.sign == "not" then self:condition(n.a) end
end

-- What no number is equal to: such a comparison has the same result for symbolic values.
local other = { ["nil"] = true, ["true"] = true, ["false"] = true, string = true, table = true, ["function"] = true }

function V.binary(self, n)
  local sign = n.sign
  if sign == "and" or sign == "or" then
    if not self.defaults[n] then self:condition(n.a) end
  elseif compares(sign) and not other[n.a.op] and not other[n.b.op] then
    self:condition(n.a)
    self:condition(n.b)
  end
end

function V.call(self, n) self:call(n) end

function V.localfunction(self, n) self.functions[n.decl] = n.fn end

-- `y = y or 1` is about arguments that are missing, which none is.
function Search:note_default(name, value)
  if value.op == "binary" and value.sign == "or" and value.a.op == "name" and value.a.name == name then
    self.defaults[value] = true
  end
end

V["local"] = function(self, n)
  for k, value in ipairs(n.values) do
    if n.decls[k] then self:note_default(n.decls[k].name, value) end
    if value.op == "function" and n.decls[k] then self.functions[n.decls[k]] = value end
    if self:marked(value) then
      for j = k, k < #n.values and k or #n.decls do self:mark(n.decls[j]) end
    end
  end
end

function V.assign(self, n)
  for k, value in ipairs(n.values) do
    if n.targets[k] then self:note_default(n.targets[k].name, value) end
    if self:marked(value) then
      for j = k, k < #n.values and k or #n.targets do self:mark(n.targets[j].decl) end
    end
  end
end

V["return"] = function(self, n)
  for _, value in ipairs(n.values) do
    if self.fn and self:marked(value) and not self.returns[self.fn] then
      self.returns[self.fn], self.changed = true, true
    end
  end
end

local skipped = { decl = true, decls = true, outer = true, env = true, params = true }

function Search:visit(n)
  local outer = self.fn
  if n.op == "function" then self.fn = n end
  if V[n.op] then V[n.op](self, n) end
  for key, child in pairs(n) do
    if type(child) == "table" and not skipped[key] then self:visit(child) end
  end
  self.fn = outer
end

-- Whether it does, of the function with the text `found`.
return function(found)
  local self = setmetatable({ marks = {}, functions = {}, returns = {}, visited = {}, defaults = {},
    script = found.fn, pass = 0 }, Search)
  for _, decl in ipairs(found.node.params) do self:mark(decl) end
  repeat
    self.changed, self.pass = false, self.pass + 1
    self:visit(found.node)
  until self.found or not self.changed
  return self.found == true
end
