-- What CUDA's compilers may believe of float expressions in spite of NaN: nodes for which kernels in Lua are written
-- otherwise (emit.lua, number_text.lua).
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

-- What stands behind conversions between floats and locals with one value.
local function bare_float(v)
  while v.op == "convert" and v.a.type.kind == "f" or v.op == "symbol" and v.symbol.only_value do
    v = v.a or v.symbol.only_value
  end
  return v
end

-- Whether ptxas may take a float32 expression for positive, in spite of NaN: sums and products of absolute values and
-- squares.
local function seems_positive(v)
  v = bare_float(v)
  if v.op == "const" then return type(v.value) ~= "number" or v.value >= 0
  elseif v.type.kind ~= "f" or v.op == "convert" then return true -- an integer, of which it may know more
  elseif v.op == "text" then return v.text:find "abs" or v.text:find "exp"
  elseif v.op ~= "arith" then return false end
  return v.sign == "^" or v.sign == "*" and v.a.op == v.b.op
    or seems_positive(v.a) and seems_positive(v.b)
end

-- Whether NVRTC computes a float: from constants alone.
local function is_known(v)
  v = bare_float(v)
  if v.op == "convert" or v.op == "unary" then return is_known(v.a)
  elseif v.op == "text" then
    for _, arg in ipairs(v.args) do
      if not is_known(arg) then return false end
    end
    return not v.effect
  end
  return v.op == "const" or v.op == "arith" and is_known(v.a) and is_known(v.b)
end

-- Whether it may take one for not positive: constants, and what is made of integers, of which it may know more (x % 1).
local function seems_negative(v)
  v = bare_float(v)
  if v.op == "convert" then v = v.a end
  if v.op == "const" then return type(v.value) ~= "number" or v.value <= 0 end
  return v.op == "unary" or v.type.kind ~= "f" and v.op ~= "index" or is_known(v)
end

return { is_known = is_known, seems_negative = seems_negative, seems_positive = seems_positive }
