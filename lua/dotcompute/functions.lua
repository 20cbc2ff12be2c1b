-- The functions of the arrays' table that dc.vectorize has: {name, kind, count = of arguments}.
-- How a result's dtype follows from the arguments': "float" computes in a floating dtype, "keep" in the promoted one,
-- "test" in a floating one with a bool result; of "exponent" the last argument is an int.
local core = require "dotcompute.core"

-- Of the compiler's functions those of some rules, and these, whose text is written out for arrays.
local written = { pow = "float", abs = "keep", fmin = "keep", fmax = "keep" }
local called = { float = "float", keep = "keep", scale = "exponent" }

local functions = {}
for name, f in pairs(core.functions()) do
  local kind = written[name] or f.rule == "test" and "test" or f.call and called[f.rule]
  if kind then functions[name] = { name = name, kind = kind, count = f.count } end
end
-- Reductions of arrays; of symbolic values, each of which stands for one element, fmin and fmax.
for _, name in ipairs { "min", "max" } do functions[name] = { name = name, kind = "keep", count = 2 } end
return functions
