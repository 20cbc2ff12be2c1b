-- Which arrays an expression or a local may stand for, and whether a kernel may load elements of an array that it
-- writes. Flow-insensitive: a local stands for all arrays that it ever takes (its `roots`).
local core = require "dotcompute.core"
local narrow = require "dotcompute.jit.narrow"
core.builtin(debug.getinfo(1, "S").source)

local points_to = {}

-- Calls fn(symbol) for the arrays that an expression may stand for: `c and x or y` has two.
function points_to.each(e, fn)
  if e.symbol then
    fn(e.symbol)
  elseif e.op == "logic" then
    points_to.each(e.a, fn)
    points_to.each(e.b, fn)
  elseif e.array then
    points_to.each(e.array, fn)
  end
end

-- The element of which a target is a field or an item.
local function element_of(target)
  while target.object do target = target.object end
  return target
end

local none <const> = {}

-- The symbols through which the kernel loads elements, as a set; and those of parameters of its functions, each with
-- the set of the arrays that calls pass. C that gets an array may read it.
local function accesses(tree)
  local loaded, passed, stored = {}, {}, {}
  local function load(symbol) loaded[symbol] = true end
  for _, inst in ipairs(tree.instances) do
    for _, node in ipairs(inst.pass == tree.pass and narrow.nodes(inst) or {}) do
      if node.op == "assign" then
        for _, target in ipairs(node.targets) do stored[element_of(target)] = true end
      end
      if node.op == "element" and not node.address and not stored[node] then -- targets are behind their assignments
        points_to.each(node.array, load)
      end
      for k, arg in ipairs(node.args or none) do
        local decl = node.op == "call" and node.inst.node.params[k]
        if decl and arg.type.ndim then
          local symbol = node.inst.symbols[decl]
          passed[symbol] = passed[symbol] or {}
          points_to.each(arg, function(array) passed[symbol][array] = true end)
        elseif arg.type.ndim then
          points_to.each(arg, load)
        end
      end
    end
  end
  return loaded, passed
end

-- Whether the kernel may load elements of an array of its caller that it writes.
function points_to.reads_written(tree)
  local outer, seen = {}, {} -- outer: the caller's arrays
  for _, decl in ipairs(tree.kernel.node.params) do outer[tree.kernel.symbols[decl]] = true end
  for _, symbol in ipairs(tree.inputs) do outer[symbol] = true end
  local loaded, passed = accesses(tree)
  local function visit(symbol)
    if seen[symbol] then return false end
    seen[symbol] = true
    if outer[symbol] and symbol.written then return true end
    for _, set in ipairs { symbol.roots or {}, passed[symbol] or {} } do
      for other in pairs(set) do
        if visit(other) then return true end
      end
    end
    return false
  end
  for symbol in pairs(loaded) do
    if visit(symbol) then return true end
  end
  return false
end

return points_to
