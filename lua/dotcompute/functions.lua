-- The functions of array elements that dc.vectorize has: name -> {name, kind, count = number of arguments}. The kind is
-- the rule of the result's dtype: "float" computes in a floating-point dtype, "keep" in the promoted one, "test" in a
-- floating-point one with a bool result; "exponent" is "float" with an int as the last argument.
local core = require "dotcompute.core"

-- Functions of CUDA's library with one of the rules of `called`, and those in `written`, which arrays compute by C
-- expressions of their own.
local written = { pow = "float", abs = "keep", fmin = "keep", fmax = "keep" }
local called = { float = "float", keep = "keep", scale = "exponent" }

local functions = {}
for name, f in pairs(core.functions()) do
  local kind = written[name] or f.rule == "test" and "test" or f.call and called[f.rule]
  if kind then functions[name] = { name = name, kind = kind, count = f.count } end
end
-- min and max are reductions of arrays, but fmin and fmax of symbolic values, which stand for one element each.
for _, name in ipairs { "min", "max" } do functions[name] = { name = name, kind = "keep", count = 2 } end
return functions
