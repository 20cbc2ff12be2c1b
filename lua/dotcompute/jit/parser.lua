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

function P:fail(text) error({ at = self.at, text = text }, 0) end

-- Goes on to the next token, of which `kind` and `at` are kind and position; `before` is where the one passed ends.
-- Gives that one's value, or true.
function P:next()
  local k = self.k
  self.k, self.before = k + 1, self.lasts[k]
  self.kind, self.at = self.kinds[k + 1], self.firsts[k + 1]
  return self.values[k] or true
end

-- Takes the token if it is of that kind: its value, or true.
function P:take(kind)
  if self.kind ~= kind then return nil end
  return self:next()
end

function P:need(kind)
  local value = self:take(kind)
  if not value then self:fail(("'%s' expected near '%s'"):format(kind, self.kind)) end
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

-- The token as a string: one, or a name that stands for one.
function P:string(kind)
  local at = self.at
  local value = self:need(kind)
  return { op = "string", at = at, value = value, last = self.before }
end

function P:list()
  local list = { self:expression(0) }
  while self.kind == "," do
    self:next()
    list[#list + 1] = self:expression(0)
  end
  return list
end

function P:table_constructor()
  local at = self.at
  self:need "{"
  local items = {}
  while self.kind ~= "}" do
    local item = {}
    if self:take "[" then
      item.key = self:expression(0)
      self:need "]"
      self:need "="
    elseif self.kind == "name" and self.kinds[self.k + 1] == "=" then
      item.key = self:string "name"
      self:need "="
    end
    item.value = self:expression(0)
    items[#items + 1] = item
    if not self:take "," and not self:take ";" then break end
  end
  self:need "}"
  return { op = "table", at = at, items = items, last = self.before }
end

function P:arguments()
  if self.kind == "string" then return { self:string "string" } end
  if self.kind == "{" then return { self:table_constructor() } end
  self:need "("
  local args = self.kind == ")" and {} or self:list()
  self:need ")"
  return args
end

function P:name_node(name, at)
  return { op = "name", at = at, name = name, decl = self.visible[name], env = self.visible._ENV, last = self.before }
end

function P:suffixed()
  local at = self.at
  local e
  if self:take "(" then
    e = self:expression(0)
    self:need ")"
    e = { op = "paren", at = at, a = e, last = self.before }
  else
    local name = self:need "name"
    e = self:name_node(name, at)
  end
  while true do
    local kind = self.kind
    if kind == "." then
      self:next()
      local key = self:string "name"
      e = { op = "index", at = at, object = e, key = key, last = self.before }
    elseif kind == "[" then
      self:next()
      local key = self:expression(0)
      self:need "]"
      e = { op = "index", at = at, object = e, key = key, last = self.before }
    elseif kind == ":" then
      self:next()
      local name_at = self.at
      local name = self:need "name"
      local args = self:arguments()
      e = { op = "method", at = at, object = e, name = name, name_at = name_at, args = args, last = self.before }
    elseif kind == "(" or kind == "string" or kind == "{" then
      local args = self:arguments()
      e = { op = "call", at = at, fn = e, args = args, last = self.before }
    else
      return e
    end
  end
end

function P:simple()
  local kind, at = self.kind, self.at
  if kind == "number" then
    local value = self:need "number"
    return { op = "number", at = at, value = value, text = self.text:sub(at, self.before), last = self.before }
  elseif kind == "string" then
    return self:string "string"
  elseif kind == "nil" or kind == "true" or kind == "false" or kind == "..." then
    self:next()
    return { op = kind, at = at, last = self.before }
  elseif kind == "{" then
    return self:table_constructor()
  elseif kind == "function" then
    self:next()
    return self:body(at, self.at, false)
  end
  return self:suffixed()
end

function P:expression(limit)
  local at = self.at
  local e
  local sign = self.kind
  if unary[sign] then
    self:next()
    e = self:expression(UNARY)
    e = { op = "unary", at = at, sign = sign, a = e, last = self.before }
  else
    e = self:simple()
  end
  while true do
    sign = self.kind
    local priority = left[sign]
    if not priority or priority[1] <= limit then return e end
    local sign_at = self.at
    self:next()
    local b = self:expression(priority[2])
    e = { op = "binary", at = at, sign = sign, sign_at = sign_at, a = e, b = b, last = self.before }
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
  while self.kind ~= ")" do
    if self:take "..." then
      fn.vararg = true
    else
      local param_at = self.at
      fn.params[#fn.params + 1] = self:declare(self:need "name", param_at)
    end
    if not self:take "," then break end
  end
  self:need ")"
  fn.body_at = self.before + 1 -- behind the parameters
  fn.body = self:block()
  self:close()
  fn.end_at = self.at
  self:need "end"
  fn.last = self.before
  self.fn = outer
  return fn
end

-- --- statements -------------------------------------------------------------------------------------------------

local S = {}

S["if"] = function(self, at)
  local clauses, otherwise = {}, nil
  repeat
    self:next() -- if, elseif
    local cond = self:expression(0)
    self:need "then"
    clauses[#clauses + 1] = { cond = cond, body = self:scoped_block() }
  until self.kind ~= "elseif"
  if self:take "else" then otherwise = self:scoped_block() end
  self:need "end"
  return { op = "if", at = at, clauses = clauses, otherwise = otherwise, last = self.before }
end

S["while"] = function(self, at)
  self:next()
  local cond = self:expression(0)
  self:need "do"
  local body = self:scoped_block()
  self:need "end"
  return { op = "while", at = at, cond = cond, body = body, last = self.before }
end

S["do"] = function(self, at)
  self:next()
  local body = self:scoped_block()
  self:need "end"
  return { op = "do", at = at, body = body, last = self.before }
end

S["for"] = function(self, at)
  self:next()
  local name_at = self.at
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
    return { op = "fornum", at = at, decl = decl, from = from, to = to, step = step, body = body, last = self.before }
  end
  local names = { { name, name_at } }
  while self:take "," do
    local more_at = self.at
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
  return { op = "forin", at = at, values = values, body = body, last = self.before }
end

S["repeat"] = function(self, at)
  self:next()
  self:open()
  local body = self:block()
  self:need "until"
  local cond = self:expression(0) -- sees the body's locals
  self:close()
  return { op = "repeat", at = at, body = body, cond = cond, last = self.before }
end

S["function"] = function(self, at)
  self:next()
  local name_at = self.at
  local target = self:name_node(self:need "name", name_at)
  local is_method = false
  while self.kind == "." or self.kind == ":" do
    is_method = self.kind == ":"
    self:next()
    local key = self:string "name"
    target = { op = "index", at = name_at, object = target, key = key, last = self.before }
    if is_method then break end
  end
  local fn = self:body(at, at, is_method)
  return { op = "assign", at = at, targets = { target }, values = { fn }, last = self.before }
end

S["local"] = function(self, at)
  self:next()
  if self:take "function" then
    local name_at = self.at
    local decl = self:declare(self:need "name", name_at)
    local fn = self:body(at, self.at, false)
    return { op = "localfunction", at = at, decl = decl, fn = fn, last = self.before }
  end
  local names = {}
  repeat
    local name_at = self.at
    local one = { self:need "name", name_at }
    if self:take "<" then
      one[3] = self:need "name"
      self:need ">"
    end
    names[#names + 1] = one
  until not self:take ","
  local values = self:take "=" and self:list() or {}
  local node = { op = "local", at = at, decls = {}, values = values, last = self.before }
  for k, one in ipairs(names) do
    node.decls[k] = self:declare(one[1], one[2], one[3])
    if #names == #values then node.decls[k].value = values[k] end
  end
  return node
end

S["return"] = function(self, at)
  self:next()
  local kind = self.kind
  local values = {}
  if kind ~= ";" and kind ~= "end" and kind ~= "else" and kind ~= "elseif" and kind ~= "until" and kind ~= "eof" then
    values = self:list()
  end
  local node = { op = "return", at = at, values = values, last = self.before }
  self:take ";"
  return node
end

S["break"] = function(self, at)
  self:next()
  return { op = "break", at = at, last = self.before }
end

S["goto"] = function(self, at)
  self:next()
  local name = self:need "name"
  return { op = "goto", at = at, name = name, last = self.before }
end

S["::"] = function(self, at)
  self:next()
  local name = self:need "name"
  self:need "::"
  return { op = "label", at = at, name = name, last = self.before }
end

function P:assignment(at)
  local first = self:suffixed()
  if self.kind ~= "=" and self.kind ~= "," then
    if first.op ~= "call" and first.op ~= "method" then self:fail "a statement expected" end
    return { op = "callstat", at = at, call = first, last = self.before }
  end
  local targets = { first }
  while self:take "," do targets[#targets + 1] = self:suffixed() end
  self:need "="
  local values = self:list()
  return { op = "assign", at = at, targets = targets, values = values, last = self.before }
end

local ends_block = { ["end"] = true, ["else"] = true, ["elseif"] = true, ["until"] = true, ["eof"] = true }

function P:block()
  local block = { at = self.at }
  while not ends_block[self.kind] do
    if not self:take ";" then
      local at = self.at
      local statement = (S[self.kind] or P.assignment)(self, at)
      statement.last = self.before
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
      lasts = tokens.last, k = 0, functions = {}, visible = {} }, P)
    self.fn = { op = "function", params = {}, vararg = true, is_main = true }
    self:next()
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
