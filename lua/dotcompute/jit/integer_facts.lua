-- What CUDA's compilers may believe of integer expressions in spite of wrap-around: nodes for which kernels in Lua are
-- written otherwise (emit_expression.lua).
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

-- Adds to `found` what an integer is a sum or difference of: symbols, arrays of elements, other nodes.
local function add_terms(e, found)
  while e.op == "convert" or e.op == "symbol" and e.symbol.only_value do e = e.a or e.symbol.only_value end
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

return { share_terms = share_terms }
