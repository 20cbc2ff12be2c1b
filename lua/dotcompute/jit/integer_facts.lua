-- Integer expressions that CUDA's compilers get wrong, since they disregard wrap-around or lose a sign: nodes for which
-- kernels in Lua are written otherwise (emit_expression.lua).
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

-- The node without conversions, and in place of a local that is assigned once what it is assigned.
local function origin(e)
  while e.op == "convert" or e.op == "symbol" and e.symbol.only_value do e = e.a or e.symbol.only_value end
  return e
end

-- Adds to `found` what an integer is a sum or difference of: symbols, arrays of elements, other nodes.
local function add_terms(e, found)
  e = origin(e)
  if e.op == "arith" and (e.sign == "+" or e.sign == "-") then
    add_terms(e.a, found)
    add_terms(e.b, found)
  elseif e.op == "unary" and e.sign == "-" then
    add_terms(e.a, found)
  elseif e.op ~= "const" then
    found[e.symbol or e.text or e.array and e.array.symbol or e] = true
  end
end

-- Whether a comparison's sides are sums with a common term, as those of `x < x + i`. Where that ends a loop that counts
-- i, NVVM (CUDA 13.0 to 13.5) takes it for true from the second round on.
local function share_terms(a, b)
  local left, right = {}, {}
  add_terms(a, left)
  add_terms(b, right)
  for term in pairs(left) do
    if right[term] then return true end
  end
  return false
end

-- Whether a compiler may find an integer to be a negation, as it finds `(i - i) - x`: a constant or what is read from
-- an array is none.
local function may_be_negation(e)
  e = origin(e)
  if e.choice == "min" or e.choice == "max" then return may_be_negation(e.args[1]) or may_be_negation(e.args[2]) end
  return not (e.op == "const" or e.op == "element" or e.op == "extent")
end

-- Whether an integer is the smaller of one of that kind and another (or the greater), of which one may be a negation:
-- ptxas (CUDA 13.0) makes one instruction of `min(min(a, -b), c)` for compute capability 9.0, and loses the sign.
local function is_minimum_of_three(e)
  if not may_be_negation(e) then return false end
  for _, arg in ipairs(e.args) do
    if origin(arg).choice == e.choice then return true end
  end
  return false
end

return { share_terms = share_terms, is_minimum_of_three = is_minimum_of_three }
