-- Which of a kernel's Lua integers fit in 32 bits: constants, counters of loops between such numbers, copies of them.
-- They are variables of 32 bits in CUDA C, which take fewer registers of a GPU and fill vectors of the CPU device.
-- Arithmetic is in 64 bits all the same.
--
-- All integers are taken for narrow first; one that may get another value is not, until nothing changes.
local core = require "dotcompute.core"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local narrow = {}

local LOW, HIGH = -2147483648, 2147483647

function narrow.fits(v) return v >= LOW and v <= HIGH end

local skipped = { inst = true, symbol = true, symbols = true, n = true, type = true, label = true }

-- Calls visit(node) for all nodes of a typed tree, each once.
function narrow.walk(tree, visit)
  local seen = {}
  local function walk(node)
    if seen[node] then return end
    seen[node] = true
    if node.op then visit(node) end
    for key, v in pairs(node) do
      if type(v) == "table" and not skipped[key] then walk(v) end
    end
  end
  walk(tree)
end

local small = { int8 = true, int16 = true, int32 = true, uint8 = true, uint16 = true }

-- Whether the value of a node fits, as far as is known now. `extents`: whether those of all arrays do.
local function fits(e, extents)
  if e.op == "const" then return math.type(e.value) == "integer" and narrow.fits(e.value) end
  if e.op == "convert" then return small[e.a.type.name] or (e.a.type == types.integer and fits(e.a, extents)) end
  if e.type ~= types.integer then return false end
  if e.op == "symbol" then return e.symbol.narrow == true end
  if e.op == "result" then return e.call.inst.narrow_results[e.k] == true end
  if e.op == "extent" then return extents end
  if e.op == "text" then return e.narrow == true end
  if e.op == "logic" then
    local a = e.a
    while a.type.maybe do a = a.b end
    return a.type == types.integer and fits(a, extents) and fits(e.b, extents)
  end
  if e.op ~= "arith" or e.b.op ~= "const" then return false end
  local b = e.b.value
  if e.sign == "%" then return narrow.fits(b) and b ~= 0 end
  if e.sign == "&" then return b >= 0 and narrow.fits(b) end
  return e.sign == "//" and b > 0 and fits(e.a, extents)
end

-- The places of a tree that give values to symbols, { symbol =, values… }, and to results, { inst =, k =, value }.
local function assignments(tree)
  local list = {}
  local function add(symbol, ...)
    if symbol and symbol.type == types.integer then list[#list + 1] = { symbol = symbol, ... } end
  end
  for _, inst in ipairs(tree.instances) do
    if inst.pass == tree.pass then
      inst.narrow_results = {}
      for k, t in ipairs(inst.returns or {}) do inst.narrow_results[k] = t == types.integer end
      narrow.walk(inst.body, function(node)
        if node.op == "local" then
          for k, symbol in ipairs(node.symbols) do add(symbol, node.values[k]) end
        elseif node.op == "assign" then
          for k, target in ipairs(node.targets) do
            if target.op == "symbol" then add(target.symbol, node.values[k]) end
          end
        elseif node.op == "for" and node.step.op == "const" then
          add(node.symbol, node.from, node.to)
        elseif node.op == "for" then
          node.symbol.narrow = false
        elseif node.op == "return" then
          for k, e in ipairs(node.values) do list[#list + 1] = { inst = inst, k = k, e } end
        elseif node.op == "call" and node.inst then
          for k, decl in ipairs(node.inst.node.params) do add(node.inst.symbols[decl], node.args[k]) end
        end
      end)
    end
  end
  return list
end

-- Sets `narrow` of the tree's symbols, and `narrow_results` of its instances. `parameters`: of the kernel's, by number,
-- whether their values fit; captured numbers are known.
function narrow.find(tree, parameters, extents)
  for _, inst in ipairs(tree.instances) do
    for _, symbol in pairs(inst.symbols) do
      local known = inst == tree.kernel and symbol.parameter
      symbol.narrow = symbol.type == types.integer and (not known or parameters[symbol.parameter] == true)
    end
  end
  for _, symbol in ipairs(tree.inputs) do
    symbol.narrow = symbol.type == types.integer and narrow.fits(symbol.input)
  end
  local list = assignments(tree)
  repeat
    local changed = false
    for _, a in ipairs(list) do
      local is = true
      for _, e in ipairs(a) do is = is and fits(e, extents) end
      if not is and a.symbol and a.symbol.narrow then
        a.symbol.narrow, changed = false, true
      elseif not is and a.inst and a.inst.narrow_results[a.k] then
        a.inst.narrow_results[a.k], changed = false, true
      end
    end
  until not changed
end

-- The type in CUDA C of a symbol.
function narrow.ctype(symbol) return symbol.narrow and "int" or symbol.type.ctype end

return narrow
