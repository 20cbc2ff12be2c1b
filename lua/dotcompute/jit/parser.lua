-- A parser of Lua 5.4's whole grammar, by recursive descent. dc.jit compiles a part of the language only; check.lua
-- refuses the rest with a sentence that says what to write. It is our own so that dclua stays one executable and a
-- stock Lua needs no rock.
--
-- Nodes are tables with `op`, and `at` and `last`, their first and last position in the text. Names are resolved here,
-- by Lua's rules: a node "name" has the declaration `decl` that it means, or none where it is a global.
local core = require "dotcompute.core"
local lexer = require "dotcompute.jit.lexer"
core.builtin(debug.getinfo(1, "S").source)

local parser = {}
local P = {}
P.__index = P

function P:fail(text) error({ at = self.firsts[self.k], text = text }, 0) end

function P:kind() return self.kinds[self.k] end
function P:at() return self.firsts[self.k] end
function P:before() return self.lasts[self.k - 1] end -- where the previous token ends

-- Takes the token if it is of that kind: its value, or true.
function P:take(kind)
  if self.kinds[self.k] ~= kind then return nil end
  self.k = self.k + 1
  return self.values[self.k - 1] or true
end

function P:need(kind)
  local value = self:take(kind)
  if not value then self:fail(("'%s' expected near '%s'"):format(kind, self:kind())) end
  return value
end

-- --- scopes -----------------------------------------------------------------------------------------------------

-- `visible` has the declarations by name. A scope is the list of those made in it, with what they hide until its end.
function P:open() self.scope = { outer = self.scope } end
function P:close()
  local scope, visible = self.scope, self.visible
  for k = #scope, 1, -1 do visible[scope[k].name] = scope[k].hidden end
  self.scope = scope.outer
end

function P:declare(name, at, attrib)
  local decl = { name = name, at = at, attrib = attrib, fn = self.fn, hidden = self.visible[name] }
  self.visible[name] = decl
  self.scope[#self.scope + 1] = decl
  return decl
end

-- --- expressions ------------------------------------------------------------------------------------------------

local left = { -- priorities: of Lua's own parser
  ["or"] = { 1, 1 }, ["and"] = { 2, 2 }, ["<"] = { 3, 3 }, [">"] = { 3, 3 }, ["<="] = { 3, 3 }, [">="] = { 3, 3 },
  ["~="] = { 3, 3 }, ["=="] = { 3, 3 }, ["|"] = { 4, 4 }, ["~"] = { 5, 5 }, ["&"] = { 6, 6 }, ["<<"] = { 7, 7 },
  [">>"] = { 7, 7 }, [".."] = { 9, 8 }, ["+"] = { 10, 10 }, ["-"] = { 10, 10 }, ["*"] = { 11, 11 },
  ["/"] = { 11, 11 }, ["//"] = { 11, 11 }, ["%"] = { 11, 11 }, ["^"] = { 14, 13 },
}
local UNARY = 12
local unary = { ["not"] = true, ["-"] = true, ["~"] = true, ["#"] = true }

function P:node(op, at, fields)
  fields = fields or {}
  fields.op, fields.at, fields.last = op, at, self:before()
  return fields
end

function P:list()
  local list = { self:expression(0) }
  while self:take "," do list[#list + 1] = self:expression(0) end
  return list
end

function P:table_constructor()
  local at = self:at()
  self:need "{"
  local items = {}
  while self:kind() ~= "}" do
    local item = {}
    if self:take "[" then
      item.key = self:expression(0)
      self:need "]"
      self:need "="
    elseif self:kind() == "name" and self.kinds[self.k + 1] == "=" then
      local key_at = self:at()
      item.key = self:node("string", key_at, { value = self:need "name" })
      self:need "="
    end
    item.value = self:expression(0)
    items[#items + 1] = item
    if not self:take "," and not self:take ";" then break end
  end
  self:need "}"
  return self:node("table", at, { items = items })
end

function P:arguments()
  local at = self:at()
  if self:kind() == "string" then return { self:node("string", at, { value = self:need "string" }) } end
  if self:kind() == "{" then return { self:table_constructor() } end
  self:need "("
  local args = self:kind() == ")" and {} or self:list()
  self:need ")"
  return args
end

function P:name_node(name, at)
  return self:node("name", at, { name = name, decl = self.visible[name], env = self.visible._ENV })
end

function P:suffixed()
  local at = self:at()
  local e
  if self:take "(" then
    e = self:expression(0)
    self:need ")"
    e = self:node("paren", at, { a = e })
  else
    local name = self:need "name"
    e = self:name_node(name, at)
  end
  while true do
    local kind = self:kind()
    if kind == "." then
      self.k = self.k + 1
      local key_at = self:at()
      local name = self:need "name"
      e = self:node("index", at, { object = e, key = self:node("string", key_at, { value = name }) })
    elseif kind == "[" then
      self.k = self.k + 1
      local key = self:expression(0)
      self:need "]"
      e = self:node("index", at, { object = e, key = key })
    elseif kind == ":" then
      self.k = self.k + 1
      local name_at = self:at()
      local name = self:need "name"
      e = self:node("method", at, { object = e, name = name, name_at = name_at, args = self:arguments() })
      e.last = self:before()
    elseif kind == "(" or kind == "string" or kind == "{" then
      e = self:node("call", at, { fn = e, args = self:arguments() })
      e.last = self:before()
    else
      return e
    end
  end
end

function P:simple()
  local kind, at = self:kind(), self:at()
  if kind == "number" then
    local value = self:need "number"
    return self:node("number", at, { value = value, text = self.text:sub(at, self:before()) })
  elseif kind == "string" then
    return self:node("string", at, { value = self:need "string" })
  elseif kind == "nil" or kind == "true" or kind == "false" or kind == "..." then
    self.k = self.k + 1
    return self:node(kind, at)
  elseif kind == "{" then
    return self:table_constructor()
  elseif kind == "function" then
    self.k = self.k + 1
    return self:body(at, self:at(), false)
  end
  return self:suffixed()
end

function P:expression(limit)
  local at = self:at()
  local e
  local sign = self:kind()
  if unary[sign] then
    self.k = self.k + 1
    e = self:expression(UNARY)
    e = self:node("unary", at, { sign = sign, a = e })
  else
    e = self:simple()
  end
  while true do
    sign = self:kind()
    local priority = left[sign]
    if not priority or priority[1] <= limit then return e end
    local sign_at = self:at()
    self.k = self.k + 1
    local b = self:expression(priority[2])
    e = self:node("binary", at, { sign = sign, sign_at = sign_at, a = e, b = b })
  end
end

-- A function from its parameters on. `line_at`: the position whose line Lua takes for the function's first one.
function P:body(at, line_at, is_method)
  local fn = { op = "function", at = at, line_at = line_at, params = {}, outer = self.fn }
  self.functions[#self.functions + 1] = fn
  local outer = self.fn
  self.fn = fn
  self:open()
  if is_method then fn.params[1] = self:declare("self", at) end
  self:need "("
  fn.body_at = nil
  while self:kind() ~= ")" do
    if self:take "..." then
      fn.vararg = true
    else
      local param_at = self:at()
      fn.params[#fn.params + 1] = self:declare(self:need "name", param_at)
    end
    if not self:take "," then break end
  end
  self:need ")"
  fn.body_at = self:before() + 1 -- behind the parameters
  fn.body = self:block()
  self:close()
  fn.end_at = self:at()
  self:need "end"
  fn.last = self:before()
  self.fn = outer
  return fn
end

-- --- statements -------------------------------------------------------------------------------------------------

local S = {}

S["if"] = function(self, at)
  local clauses, otherwise = {}, nil
  repeat
    self.k = self.k + 1 -- if, elseif
    local cond = self:expression(0)
    self:need "then"
    clauses[#clauses + 1] = { cond = cond, body = self:scoped_block() }
  until self:kind() ~= "elseif"
  if self:take "else" then otherwise = self:scoped_block() end
  self:need "end"
  return self:node("if", at, { clauses = clauses, otherwise = otherwise })
end

S["while"] = function(self, at)
  self.k = self.k + 1
  local cond = self:expression(0)
  self:need "do"
  local body = self:scoped_block()
  self:need "end"
  return self:node("while", at, { cond = cond, body = body })
end

S["do"] = function(self, at)
  self.k = self.k + 1
  local body = self:scoped_block()
  self:need "end"
  return self:node("do", at, { body = body })
end

S["for"] = function(self, at)
  self.k = self.k + 1
  local name_at = self:at()
  local name = self:need "name"
  if self:take "=" then
    local from = self:expression(0)
    self:need ","
    local to = self:expression(0)
    local step = self:take "," and self:expression(0) or nil
    self:need "do"
    self:open()
    local decl = self:declare(name, name_at)
    local body = self:block()
    self:close()
    self:need "end"
    return self:node("fornum", at, { decl = decl, from = from, to = to, step = step, body = body })
  end
  local names = { { name, name_at } }
  while self:take "," do
    local more_at = self:at()
    names[#names + 1] = { self:need "name", more_at }
  end
  self:need "in"
  local values = self:list()
  self:need "do"
  self:open()
  for _, one in ipairs(names) do self:declare(one[1], one[2]) end
  local body = self:block()
  self:close()
  self:need "end"
  return self:node("forin", at, { values = values, body = body })
end

S["repeat"] = function(self, at)
  self.k = self.k + 1
  self:open()
  local body = self:block()
  self:need "until"
  local cond = self:expression(0) -- sees the body's locals
  self:close()
  return self:node("repeat", at, { body = body, cond = cond })
end

S["function"] = function(self, at)
  self.k = self.k + 1
  local name_at = self:at()
  local target = self:name_node(self:need "name", name_at)
  local is_method = false
  while self:kind() == "." or self:kind() == ":" do
    is_method = self:kind() == ":"
    self.k = self.k + 1
    local key_at = self:at()
    local name = self:need "name"
    target = self:node("index", name_at, { object = target, key = self:node("string", key_at, { value = name }) })
    if is_method then break end
  end
  local fn = self:body(at, at, is_method)
  return self:node("assign", at, { targets = { target }, values = { fn } })
end

S["local"] = function(self, at)
  self.k = self.k + 1
  if self:take "function" then
    local name_at = self:at()
    local decl = self:declare(self:need "name", name_at)
    local fn = self:body(at, self:at(), false)
    return self:node("localfunction", at, { decl = decl, fn = fn })
  end
  local names = {}
  repeat
    local name_at = self:at()
    local one = { self:need "name", name_at }
    if self:take "<" then
      one[3] = self:need "name"
      self:need ">"
    end
    names[#names + 1] = one
  until not self:take ","
  local values = self:take "=" and self:list() or {}
  local node = self:node("local", at, { decls = {}, values = values })
  for k, one in ipairs(names) do
    node.decls[k] = self:declare(one[1], one[2], one[3])
    if #names == #values then node.decls[k].value = values[k] end
  end
  return node
end

S["return"] = function(self, at)
  self.k = self.k + 1
  local kind = self:kind()
  local values = {}
  if kind ~= ";" and kind ~= "end" and kind ~= "else" and kind ~= "elseif" and kind ~= "until" and kind ~= "eof" then
    values = self:list()
  end
  local node = self:node("return", at, { values = values })
  self:take ";"
  return node
end

S["break"] = function(self, at)
  self.k = self.k + 1
  return self:node("break", at)
end

S["goto"] = function(self, at)
  self.k = self.k + 1
  return self:node("goto", at, { name = self:need "name" })
end

S["::"] = function(self, at)
  self.k = self.k + 1
  local name = self:need "name"
  self:need "::"
  return self:node("label", at, { name = name })
end

function P:assignment(at)
  local first = self:suffixed()
  if self:kind() ~= "=" and self:kind() ~= "," then
    if first.op ~= "call" and first.op ~= "method" then self:fail "a statement expected" end
    return self:node("callstat", at, { call = first })
  end
  local targets = { first }
  while self:take "," do targets[#targets + 1] = self:suffixed() end
  self:need "="
  return self:node("assign", at, { targets = targets, values = self:list() })
end

local ends_block = { ["end"] = true, ["else"] = true, ["elseif"] = true, ["until"] = true, ["eof"] = true }

function P:block()
  local block = { at = self:at() }
  while not ends_block[self:kind()] do
    if not self:take ";" then
      local at = self:at()
      local statement = (S[self:kind()] or P.assignment)(self, at)
      statement.last = self:before()
      block[#block + 1] = statement
      if statement.op == "return" then break end
    end
  end
  return block
end

function P:scoped_block()
  self:open()
  local block = self:block()
  self:close()
  return block
end

-- The chunk of a text: { body =, functions = all functions in order, lines = where lines begin }; nil and the mistake's
-- place and text where it is none.
function parser.parse(text)
  local ok, result = pcall(function()
    local tokens = lexer.tokens(text)
    local self = setmetatable({ text = text, kinds = tokens.kind, values = tokens.value, firsts = tokens.first,
      lasts = tokens.last, k = 1, functions = {}, visible = {} }, P)
    self.fn = { op = "function", params = {}, vararg = true, is_main = true }
    self:open()
    local body = self:block()
    self:need "eof"
    return { text = text, body = body, functions = self.functions, lines = lexer.lines(text) }
  end)
  if ok then return result end
  if type(result) == "table" then return nil, result.at, result.text end
  error(result, 0)
end

return parser
