-- cumsum and cumprod: dc.scan with the result's dtype; float16 and bfloat16 are accumulated in float32.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

local scans = {}

-- The dtype of a dtype's prefix sums and products.
local function result_of(dtype)
  if dtype.kind == "b" or dtype.kind == "i" then return "int64" end
  if dtype.kind == "u" then return "uint64" end
  return dtype.name
end

local complex = { cumsum = { complex64 = "cuCaddf(a, b)", complex128 = "cuCadd(a, b)" },
  cumprod = { complex64 = "cuCmulf(a, b)", complex128 = "cuCmul(a, b)" } }

local function scan_for(name, dtype)
  local key = name .. dtype.name
  local f = scans[key]
  if not f then
    local output = result_of(dtype)
    local acc = dtype.kind == "f" and dtype.size == 2 and "float32" or output
    local ctype = core.dtype(acc).ctype
    f = dc.scan { name = name, input = dtype.name .. " x", output = output, acc = acc, map = ("(%s)x"):format(ctype),
      op = complex[name][dtype.name] or (name == "cumsum" and "a + b" or "a * b"), flags = { "--fmad=false" } }
    scans[key] = f
  end
  return f
end

local signature = { "a", "axis", list = "axis", known = { axis = "any" },
  usage = { "an array", "perhaps an axis" } }

local function cumulative(name, ...)
  local o = arguments.read(name, signature, ...)
  local a = algorithm.array(name, "the first argument", o.a)
  return scan_for(name, algorithm.dtype(a))(a, algorithm.axis(name, o.axis, a.ndim))
end

return {
  cumsum = function(...) return cumulative("cumsum", ...) end,
  cumprod = function(...) return cumulative("cumprod", ...) end,
}
