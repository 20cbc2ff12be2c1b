-- Dynamic shared memory: how many bytes a launch needs for the arrays of dc.dynamic_shared.
--
-- Extents that follow from arguments, captured numbers, extents of arrays and the launch's sizes are computed on the
-- host before a launch, from the typed tree, by Lua's own operators.
local core = require "dotcompute.core"
local narrow = require "dotcompute.jit.narrow"
local source = require "dotcompute.jit.source"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local dynamic = {}

local ALIGNMENT <const> = 16 -- of each array: emit_expression.lua

local function fail(kind, text, ...) core.fail(kind, text:format(...)) end

-- --- values on the host -----------------------------------------------------------------------------------------

local operators = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end, ["&"] = function(a, b) return a & b end,
  ["|"] = function(a, b) return a | b end, ["~"] = function(a, b) return a ~ b end,
  ["<<"] = function(a, b) return a << b end, [">>"] = function(a, b) return a >> b end,
  ["//"] = function(a, b) return b == 0 and 0 or a // b end, ["%"] = function(a, b) return b == 0 and 0 or a % b end,
}

-- The values of locals that are assigned once: symbol -> node.
local function single_values(tree)
  local values, counts = {}, {}
  local function note(symbol, value)
    counts[symbol] = (counts[symbol] or 0) + 1
    values[symbol] = value
  end
  for _, inst in ipairs(tree.instances) do
    if inst.pass == tree.pass then
      narrow.walk(inst.body, function(node)
        if node.op == "local" then
          for k, symbol in ipairs(node.symbols) do note(symbol, node.values[k]) end
        elseif node.op == "assign" then
          for _, target in ipairs(node.targets) do
            if target.op == "symbol" then note(target.symbol) end
          end
        elseif node.op == "for" then
          note(node.symbol)
        end
      end)
    end
  end
  return values, counts
end

local Host = {} -- makes function(env) of nodes; nil where the host does not know the value
Host.__index = Host

-- The function that gives what a symbol of the kernel stands for: an argument, a captured value, a local.
function Host:symbol(symbol)
  local count = self.counts[symbol] or 0
  for k, param in ipairs(self.params) do
    local is_argument = param.argument and symbol.owner == self.tree.kernel and symbol.parameter == param.argument
    if self.tree.inputs[param.input] == symbol or is_argument and count == 0 then
      self.depends[k] = true
      return function(env) return env.values[k] end
    end
  end
  if symbol.constant then return function() return symbol.constant end end
  local value = count == 1 and self.singles[symbol]
  return value and self:value(value) or nil
end

local by_op = {}

function by_op.const(_, e)
  local v = math.tointeger(e.value)
  return v and function() return v end
end

function by_op.symbol(self, e)
  local get = self:symbol(e.symbol)
  return get and (e.type.ndim and get or function(env) return math.tointeger(get(env)) end)
end

function by_op.extent(self, e)
  local array = e.array.op == "symbol" and self:symbol(e.array.symbol)
  return array and function(env) return (select(e.axis, array(env):shape())) end
end

function by_op.convert(self, e) return (e.type.size == 8 or e.a.op == "const") and self:value(e.a) or nil end

function by_op.once(self, e) return self:value(e.a) end

function by_op.unary(self, e)
  local a = e.type == types.integer and self:value(e.a)
  if not a then return nil end
  if e.sign == "~" then return function(env) return ~a(env) end end
  return function(env) return -a(env) end
end

function by_op.arith(self, e)
  local operator = e.type == types.integer and operators[e.sign]
  local a, b = self:value(e.a), self:value(e.b)
  return operator and a and b and function(env) return operator(a(env), b(env)) end
end

function by_op.text(self, e)
  local axis = e.axis -- of the block, or negative of the grid
  if axis then
    self.uses_launch = true
    return function(env) return axis > 0 and env.block[axis] or env.grid[-axis] end
  end
  local host = e.choice and math[e.choice]
  if not host then return nil end
  local args = {}
  for k, arg in ipairs(e.args) do
    args[k] = self:value(arg)
    if not args[k] then return nil end
  end
  return function(env)
    local list = {}
    for k, arg in ipairs(args) do list[k] = arg(env) end
    return host(table.unpack(list))
  end
end

-- The function of a node's value, an integer or an array; nil where the host does not know it.
function Host:value(e)
  local make = by_op[e.op]
  return make and make(self, e) or nil
end

-- --- arrays -----------------------------------------------------------------------------------------------------

-- The dynamic shared memory of a kernel's tree; nil where it has none. `params`: the kernel's, as emit.kernel gives
-- them.
function dynamic.of(tree, params)
  if not tree.uses.dynamic then return nil end
  local singles, counts = single_values(tree)
  local host = setmetatable({ tree = tree, params = params, singles = singles, counts = counts,
    depends = {} }, Host)
  local plan = { found = tree.kernel.root.found }
  narrow.walk(tree.kernel.body, function(node)
    if node.op ~= "dynamic" then return end
    local array = { size = node.type.element.size, at = node.at, extents = {} }
    for k, e in ipairs(node.args) do array.extents[k] = host:value(e) or false end
    plan[#plan + 1] = array
  end)
  plan.uses_launch = host.uses_launch -- of grid and block
  plan.depends = host.depends -- by number, the parameters whose values or extents it takes
  return plan
end

-- Extents of a grid or block as a kernel takes them; nil where they are none.
local function sizes_of(v)
  if math.type(v) then v = { v } end
  if type(v) ~= "table" then return nil end
  local list = {}
  for axis, letter in ipairs { "x", "y", "z" } do
    local n = v[axis] or v[letter] or 1
    list[axis] = math.type(n) and math.tointeger(n)
    if not list[axis] then return nil end
  end
  return list
end

-- The bytes that a launch needs; nil where they are not known before, and why. `values`: of the parameters; `grid`,
-- `block`: as given to a launch.
function dynamic.bytes(plan, name, values, grid, block)
  local env = { values = values, grid = sizes_of(grid), block = sizes_of(block) }
  if plan.uses_launch and not (env.grid and env.block) then
    return nil, name .. ": the size of its dynamic shared memory depends on grid and block: give both as numbers"
  end
  local total = 0
  for _, array in ipairs(plan) do
    local place, column = source.place(plan.found, array.at)
    local size = array.size
    for k, extent in ipairs(array.extents) do
      local n = extent and extent(env)
      if not n then
        return nil, ("%s: %s, column %d: extent %d of dc.dynamic_shared is known in the kernel alone; the bytes are a "
          .. "launch option: k:with{ shared = bytes }"):format(name, place, column, k)
      end
      if n < 0 or n > 1 << 30 then
        fail("launch", "%s: %s, column %d: extent %d of dc.dynamic_shared is %d", name, place, column, k, n)
      end
      size = size * n
      if size > 1 << 40 then size = 1 << 40 end
    end
    total = total + (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
  end
  return total
end

return dynamic
