-- Random elements of every dtype, 16-bit floats and complex numbers included, for the specs of algorithms.
local dc = require "dotcompute"
local h = require "spec.helper"

local any = { dtypes = { "float16", "bfloat16", table.unpack(h.dtypes) } }
any.with_complex = { "complex64", "complex128", table.unpack(any.dtypes) }

-- Of float16 and bfloat16 quarters that both hold exactly.
function any.value(dtype)
  if dtype == "float16" or dtype == "bfloat16" then return math.random(-120, 120) / 4 end
  if dtype:find "complex" then return dc.complex(math.random(-9, 9), math.random(-1, 1)) end
  return h.value(dtype)
end

function any.values(n, dtype)
  local t = {}
  for k = 1, n do t[k] = any.value(dtype) end
  return t
end

return any
