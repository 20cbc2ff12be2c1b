-- What the functions of kernels in Lua (dc.jit) are outside of them: casts convert numbers and arrays, so that a kernel
-- can be run as plain Lua; the others are errors.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local storage = require "dotcompute.storage"
core.builtin(debug.getinfo(1, "S").source)

local device = {}

local function fail(kind, text, ...) core.fail(kind, text:format(...)) end

-- A number or boolean converted as a kernel does: floats to integers drop the fraction, saturate, and NaN becomes 0;
-- integers wrap.
for _, name in ipairs(core.dtypes()) do
  local d = core.dtype(name)
  if d.kind == "c" then
    device[name] = function(re, im)
      if im == nil and core.is_array(re) then return re:to(name) end
      if im == nil and type(re) == "boolean" then re = re and 1 or 0 end
      local ok = im == nil and (type(re) == "number" or storage.is_complex(re))
        or type(re) == "number" and type(im) == "number"
      if not ok then
        local wrong = re
        if im ~= nil and type(re) == "number" then wrong = im end
        fail("argument", "dc.%s takes a number, a boolean, an array, or real and imaginary part, got %s", name,
          core.describe(wrong))
      end
      local z = im and dc.complex(re, im) or re
      return dc.using("cpu", function() return dc.array(z, "complex128"):to(name):item() end)
    end
  else
    device[name] = function(x)
      if core.is_array(x) then return x:to(name) end
      if type(x) ~= "number" and type(x) ~= "boolean" then
        fail("argument", "dc.%s takes a number, a boolean or an array, got %s", name, core.describe(x))
      end
      local from = type(x) == "boolean" and "bool" or math.type(x) == "integer" and "int64" or "float64"
      return dc.using("cpu", function() return dc.array(x, from):to(name):item() end)
    end
  end
end

-- A loop's limit, as it is: it unrolls nothing here.
function device.unroll(limit, factor)
  if type(limit) ~= "number" then
    fail("argument", "dc.unroll takes a loop's limit, a number, got %s", core.describe(limit))
  end
  if factor ~= nil and (math.type(factor) ~= "integer" or factor < 1) then
    fail("argument", "dc.unroll: the factor is a positive integer, got %s", core.describe(factor))
  end
  return limit
end

function device.constant(values, dtype) return require "dotcompute.jit.constant".constant(values, dtype) end

function device.extern(what, declaration, options)
  return require "dotcompute.jit.extern".extern(what, declaration, options)
end

-- What is not here works in kernels alone.
return setmetatable(device, { __index = function(_, name)
  return function(...) -- luacheck: ignore (arguments that are not read: their number is not what is wrong)
    fail("argument", "dc.%s is called in kernels alone: functions that are given to dc.jit", name)
  end
end })
