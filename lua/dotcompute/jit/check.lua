-- Types of a kernel: from its text and the types of its arguments to a typed tree.
--
-- A function is compiled once for each list of argument types: an `instance`. Types are inferred forward. A local has
-- one type, in which all its values meet; since a loop may read what it assigns later, the whole kernel is checked
-- again until nothing changes that was used before. The tree of the last pass is what emit.lua prints.
--
-- A node of the tree is a table { op =, type =, at = its place in the text, … }; operands stand in it by name. `value`
-- is there where it is a constant, `effect` where the order of evaluation matters: it writes memory, or waits.
local core = require "dotcompute.core"
local complexes = require "dotcompute.jit.complexes"
local composites = require "dotcompute.jit.composites"
local expressions = require "dotcompute.jit.expressions"
local names = require "dotcompute.jit.names"
local points_to = require "dotcompute.jit.points_to"
local source = require "dotcompute.jit.source"
local statements = require "dotcompute.jit.statements"
local vectors = require "dotcompute.jit.vectors"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local Checker = {}
Checker.__index = Checker
for _, methods in ipairs { complexes, composites, expressions, names, statements, vectors } do
  for name, method in pairs(methods) do Checker[name] = method end
end

-- --- messages ---------------------------------------------------------------------------------------------------

-- Raises an error of kind `compile` about a place of the text.
function Checker:fail(at, text, ...) source.fail(self.inst.root.found, at, text, ...) end

-- The text of a node, for messages; of the current function's text where `root` is nil.
function Checker:shown(n, root)
  local text = (root or self.inst.root).found.chunk.text:sub(n.at, n.last or n.at):gsub("%s+", " ")
  return #text > 40 and text:sub(1, 37) .. "…" or text
end

-- "line 12" of a place, with the script's name where it is another one than the current function's.
function Checker:line_of(at, root)
  local place, _, line = source.place(root.found, at)
  return root.found == self.inst.root.found and "line " .. line or place
end

-- Where the type of a symbol came from, as "since line 12 (x[i])"; nil where that is not known.
function Checker:because(symbol)
  local since = symbol.since
  if not since then return symbol.because end
  return ("since %s (%s)"):format(self:line_of(since.at, since.root), self:shown(since.n, since.root))
end

-- Where the type of a value came from, as "float32, an element of 'x'".
function Checker:why(e)
  local t = e.type.text
  if e.op == "const" then return ("%s, the literal %s"):format(t, tostring(e.value)) end
  if e.op == "element" and e.array.symbol then return ("%s, an element of '%s'"):format(t, e.array.symbol.name) end
  if e.op == "item" then
    local object = e.object
    return ("%s, an item of %s"):format(t, object.op == "symbol" and "'" .. object.symbol.name .. "'"
      or object.type.text)
  end
  if e.op == "field" then return ("%s, the field '%s' of %s"):format(t, e.name, e.object.type.text) end
  local because = e.op == "symbol" and self:because(e.symbol)
  if because then return ("%s, %s"):format(t, because) end
  if e.op == "arith" then return ("%s, from %s %s %s"):format(t, e.a.type.text, e.sign, e.b.type.text) end
  return t
end

-- Raises in a function that another kernel's text calls: all that it does is to return values.
function Checker:only_in_kernels(n, what)
  if self.compiled_in then
    self:fail(n.at, "%s: a function of elements cannot write arrays, print, or use threads", what)
  end
end

-- --- symbols ----------------------------------------------------------------------------------------------------

-- The symbol of a declaration in the current instance; made in the first pass.
function Checker:symbol(decl)
  local inst = self.inst
  local symbol = inst.symbols[decl]
  if not symbol then
    self.count = self.count + 1
    symbol = { name = decl.name, decl = decl, type = types.unknown, owner = inst, roots = {},
      level = inst.blocks and inst.blocks.level or 0,
      cname = ("%s_%d"):format(decl.name, self.count) }
    inst.symbols[decl] = symbol
  end
  return symbol
end

-- A symbol of another instance is passed to the current one.
function Checker:reach(symbol)
  local inst = self.inst
  if symbol.owner == inst or inst.reaches[symbol] then return end
  inst.reaches[symbol] = true
  inst.reached[#inst.reached + 1] = symbol
  self.changed = true
end

-- Sets a flag of a symbol or instance, which calls of the instance read: another pass is needed where it was not set.
function Checker:set(object, flag)
  if object[flag] then return end
  object[flag] = true
  if object ~= self.kernel and object.owner ~= self.kernel then self.changed = true end -- nothing calls the kernel
end

-- An array is written; so are those that its variable may stand for.
function Checker:write(symbol, at)
  if not symbol or symbol.written then return end
  if symbol.constant then
    self:fail(at, "'%s' is a constant array, which a kernel cannot write", symbol.name)
  end
  self:set(symbol, "written")
  for root in pairs(symbol.roots) do self:write(root, at) end
end

-- Whether nothing has read a local yet, so that its first value needs no other pass.
function Checker:is_new(symbol)
  return symbol.type == types.unknown and not symbol.read_unknown and symbol.owner == self.inst
end

-- The symbol has another type from now on.
function Checker:widen(symbol, t, at, n)
  symbol.since = { at = at, n = n, root = self.inst.root }
  if not self:is_new(symbol) then self.changed = true end
  symbol.type = t
end

-- A local takes another array than it was declared with. An array of dc.local_array ends with the block, or the
-- iteration, in which it was made.
function Checker:check_lifetime(symbol, e, at)
  if e.op == "memory" and e.space == "local" then
    self:fail(at, "an array of dc.local_array belongs to the local that is declared with it: '%s' cannot take it",
      symbol.name)
  end
  local seen = {}
  local function visit(root)
    if seen[root] then return end
    seen[root] = true
    if root.stored_at and (root.owner ~= symbol.owner or root.stored_at > symbol.level or root.owner.jumps_back) then
      self:fail(at, "'%s' cannot take the array '%s', which ends with its block: declare both in one block, which no "
        .. "goto repeats", symbol.name, root.name)
    end
    for other in pairs(root.roots) do visit(other) end
  end
  points_to.each(e, visit)
end

-- The symbol takes the value of `e` at a place of the text.
function Checker:assign(symbol, e, at, n)
  local t = e.type
  if t.static then
    if symbol.type == types.unknown or symbol.type == t then
      symbol.type, symbol.path, symbol.string = t, e.path, e.text
      return
    end
    self:fail(at, "'%s' is %s here and %s before: %s stay what they are in a kernel", symbol.name, t.text,
      symbol.type.text, "functions, tables and strings")
  end
  local joined = types.join(symbol.type, t)
  if not joined then
    local because = self:because(symbol)
    self:fail(at, "the type of '%s' changes: it is %s here, but %s%s; a local has one type in a kernel: use another "
      .. "local%s", symbol.name, self:why(e), symbol.type.text, because and ", " .. because or "",
      (t == types.bool or symbol.type == types.bool) and ", or 'b and 1 or 0' to make a number of a boolean" or "")
  end
  local is_new = self:is_new(symbol)
  if joined ~= symbol.type then self:widen(symbol, joined, at, n) end
  if t.ndim then
    local space = e.space or e.symbol and e.symbol.space
    if symbol.space ~= nil and space ~= symbol.space then space = "several" end
    symbol.space = space
    local extents = e.op == "memory" and table.concat(e.extents, ",")
    if symbol.extents == nil then symbol.extents = extents and e.extents or false end
    if symbol.extents and table.concat(symbol.extents, ",") ~= extents then symbol.extents = false end
    points_to.each(e, function(root)
      if symbol.roots[root] then return end
      symbol.roots[root] = true
      if not is_new then self.changed = true end
      if symbol.written then self:write(root, at) end
    end)
  end
end

-- --- instances --------------------------------------------------------------------------------------------------

-- The instance of a function (a record { node =, root =, parent = the instance around it }) for these argument types.
function Checker:instance(fn, argument_types)
  local key = {}
  for k, t in ipairs(argument_types) do key[k] = t.name end
  key = table.concat(key, ",")
  local inst = fn.instances[key]
  if not inst then
    self.count = self.count + 1
    inst = { fn = fn, node = fn.node, root = fn.root, parent = fn.parent, types = argument_types, symbols = {},
      reaches = {}, reached = {}, closures = {},
      name = ("%s_%d"):format((fn.name or "function"):gsub("[^%w_]", "_"), self.count) }
    fn.instances[key] = inst
    self.instances[#self.instances + 1] = inst
    self.changed = true
    if #self.instances > 500 then
      self:fail(inst.node.at, "more than 500 functions are compiled for one kernel; does a recursion call itself with "
        .. "ever new types?")
    end
  end
  return inst
end

-- Checks the instance's body, once in a pass.
function Checker:visit(inst)
  if inst.pass == self.pass then return end
  inst.pass = self.pass
  local outer = self.inst
  self.inst = inst
  inst.state, inst.loop, inst.blocks = {}, nil, nil
  for k, decl in ipairs(inst.node.params) do
    local symbol = self:symbol(decl)
    symbol.parameter = k
    symbol.because = symbol.because or ("argument %d of %s"):format(k,
      inst.fn.name and "'" .. inst.fn.name .. "'" or "the function")
    if symbol.type == types.unknown then symbol.type = inst.types[k] end
    if inst.is_kernel then symbol.space = "global" end
  end
  inst.body = self:block(inst.node.body)
  if inst.state and not inst.returns then
    inst.returns = {}
    if not inst.is_kernel then self.changed = true end
  end
  if inst.state and inst.returns and #inst.returns > 0 and not inst.is_kernel then
    self:fail(inst.node.end_at, "the function ends without a return here, but returns %s at %s: a value is missing",
      inst.returns[1].text, self:line_of(inst.return_at, inst.root))
  end
  self.inst = outer
end

-- Whether no type is left that is not known.
function Checker:all_known()
  for _, inst in ipairs(self.instances) do
    if inst.pass == self.pass then
      for _, symbol in pairs(inst.symbols) do
        if symbol.type == types.unknown then return false end
      end
      if not inst.returns and not inst.is_kernel then return false end
      for _, t in ipairs(inst.returns or {}) do
        if t == types.unknown then return false end
      end
    end
  end
  return true
end

local MOST_PASSES = 60

local check = {}

local function checker(options)
  return setmetatable({ instances = {}, inputs = {}, constants = {}, by_path = {}, guards = {}, roots = {}, reads = {},
    count = 0, pass = 0, options = options, uses = {} }, Checker)
end

-- Checks the function, and what it calls, until no type changes.
local function check_function(self, root, argument_types, is_kernel)
  local fn = self:root_function(root.fn, root.found)
  fn.name = self.options.name
  self.inst = { root = fn.root, symbols = {}, reaches = {}, reached = {}, closures = {} }
  local inst = self:instance(fn, argument_types)
  inst.is_kernel = is_kernel
  if is_kernel then fn.instances = {} end -- a call of the function in the kernel is one of another instance
  self.kernel = inst
  repeat
    self.changed, self.pass = false, self.pass + 1
    self:visit(inst)
  until not self.changed or self.pass > MOST_PASSES
  if self.changed then self:fail(inst.node.at, "the types of this function cannot be inferred") end
  if self:all_known() then return self end
  self.final = true -- what is not known now is an error
  self.pass = self.pass + 1
  self:visit(inst)
  return self
end

-- The typed tree of a kernel: { kernel = its instance, instances = all of them, inputs, guards, reads }. `root`:
-- { fn =, found = its text }; `argument_types`: of the parameters.
function check.kernel(root, argument_types, options)
  return check_function(checker(options), root, argument_types, true)
end

-- The same for a function that is called by another kernel's text: what it captures is compiled in, as guards, but
-- numbers where it `takes_inputs`: then the caller passes their values of each launch.
function check.callable(root, argument_types, takes_inputs)
  local self = checker { name = "dc_function" }
  self.compiled_in, self.takes_inputs = true, takes_inputs
  return check_function(self, root, argument_types, false)
end

return check
