-- cumsum and cumprod: dc.scan with the result's dtype; float16 and bfloat16 are accumulated in float32.
local core = require "dotcompute.core"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local scan = require "dotcompute.scan"
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

-- Conditions on prefixes `a` under which none of a row's was combined from anything that overflowed or underflowed
-- (scan.lua). A sum is infinite or NaN then. A product of neighbours is the quotient of two prefixes, so it is a normal
-- number if prefixes lie between the square roots of the least one and of the largest.
local magnitudes = { float32 = "fabsf(a)", float64 = "fabs(a)", complex64 = "(fabsf(a.x) + fabsf(a.y))",
  complex128 = "(fabs(a.x) + fabs(a.y))" }
local limits = { float32 = { "0x1p-63f", "0x1p63f", "INFINITY" }, float64 = { "0x1p-511", "0x1p511", "INFINITY" } }
limits.complex64, limits.complex128 = limits.float32, limits.float64

local function guard_for(name, acc)
  local magnitude = magnitudes[acc]
  if not magnitude then return end
  local least, most, infinity = table.unpack(limits[acc])
  if name == "cumsum" then return ("%s < %s"):format(magnitude, infinity) end
  return ("%s >= %s && %s <= %s"):format(magnitude, least, magnitude, most)
end

local function scan_for(name, dtype)
  local key = name .. dtype.name
  local f = scans[key]
  if not f then
    local output = result_of(dtype)
    local acc = dtype.kind == "f" and dtype.size == 2 and "float32" or output
    local ctype = core.dtype(acc).ctype
    local op = complex[name][dtype.name] or (name == "cumsum" and "a + b" or "a * b")
    f = scan.guarded({ name = name, input = dtype.name .. " x", output = output, acc = acc, op = op,
      map = ("(%s)x"):format(ctype), flags = { "--fmad=false" } }, guard_for(name, acc))
    scans[key] = f
  end
  return f
end

local signature = { "a", "axis", list = "axis", known = { axis = "any" },
  usage = { "an array", "perhaps an axis" } }

local function cumulative(name, ...)
  local few = select("#", ...) == 1 and algorithm.by_host() and core.host_scan((...), nil, name == "cumprod")
  if few then return few end
  local o = arguments.read(name, signature, ...)
  local a = algorithm.array(name, "the first argument", o.a)
  local axis = algorithm.axis(name, o.axis, a.ndim)
  local prefixes = algorithm.by_host() and core.host_scan(a:eval(), axis, name == "cumprod")
  return prefixes or scan_for(name, algorithm.dtype(a))(a, axis)
end

return {
  cumsum = function(...) return cumulative("cumsum", ...) end,
  cumprod = function(...) return cumulative("cumprod", ...) end,
}
