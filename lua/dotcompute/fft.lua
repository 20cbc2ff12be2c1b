-- dc.fft: Fourier transforms. This file is read when one of its functions is first used.
--
-- Option 'norm' says which transforms are scaled, as in NumPy; that is a pending product, which is fused into later
-- expressions.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local builder = require "dotcompute.builder"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local fft = {}

local fail = builder.fail

-- --- arguments --------------------------------------------------------------------------------------------------

local function check_points(name, n)
  local points = math.type(n) and math.tointeger(n)
  if not points then fail("argument", "%s: the number of points is an integer, got %s", name, core.describe(n)) end
  if points < 1 then fail("shape", "%s: a transform of %d points", name, points) end
  return points
end

-- How many points a transform along axis `d` has. `half`: the axis is half of a spectrum, to be transformed to
-- real numbers.
local function points_along(name, a, d, n, half)
  local extent = select(d, a:shape())
  if n == nil then n = half and 2 * (extent - 1) or extent end
  return check_points(name, n)
end

-- The axes, which must differ, and the number of points along each; `n` may be nil or a list. `half` is about the last
-- one.
local function check_axes(name, a, axes, n, half)
  if #axes == 0 then
    fail("shape", "%s: a transform needs an axis%s", name, a.ndim == 0 and "; an array without axes has none" or "")
  end
  if n ~= nil and (type(n) ~= "table" or #n ~= #axes) then
    fail("argument", "%s: option 'n' is a list of as many numbers as there are axes, %d", name, #axes)
  end
  if n ~= nil then arguments.dense(name, "option 'n'", n, true) end
  local list, points, seen = {}, {}, {}
  for i, axis in ipairs(axes) do
    local d = algorithm.axis(name, axis, a.ndim)
    if seen[d] then fail("argument", "%s: axis %s is named twice", name, axis) end
    seen[d], list[i] = true, d
    points[i] = points_along(name, a, d, n and n[i], half and i == #axes)
  end
  return list, points
end

local norms = { backward = true, ortho = true, forward = true }

local function check_norm(name, norm)
  if norm ~= nil and not norms[norm] then
    fail("argument", '%s: option \'norm\' is "backward", "ortho" or "forward", got %s', name, core.describe(norm))
  end
  return norm or "backward"
end

local function check_real(name, a)
  if algorithm.dtype(a).kind == "c" then
    fail("dtype", "%s is for real numbers, this array is %s; use %s", name, a.dtype, name:sub(2))
  end
end

-- --- lengths and scale ------------------------------------------------------------------------------------------

-- The array with n elements along the axis: truncated, or padded with zeros.
local function fit(a, axis, n)
  local shape = { a:shape() }
  local have = shape[axis]
  if have == n then return a end
  local block = {}
  for d = 1, a.ndim do block[d] = ":" end
  block[axis] = { 1, math.min(have, n) }
  if have > n then return a:slice(table.unpack(block)) end
  shape[axis] = n
  local wider = dc.using(a.device, dc.zeros, shape, a.dtype)
  wider:slice(table.unpack(block)):copy_from(a)
  return wider
end

-- The result of a transform of that many points. `way`: "forward", "backward"; the norm of the same name scales it.
local function scaled(y, norm, way, points)
  if norm == "ortho" then return y * (1 / math.sqrt(points)) end
  return norm == way and y * (1 / points) or y
end

-- --- one axis ---------------------------------------------------------------------------------------------------

local one_axis = { "a", "axis", list = "axis", known = { axis = "any", n = "any", norm = "any" },
  usage = { "an array", "perhaps an axis and options" } }

-- `half`: of points_along. Returns the array, the axis, the number of points, the norm.
local function along(name, half, ...)
  local o = arguments.read(name, one_axis, ...)
  local a = algorithm.array(name, "the first argument", o.a)
  local axis = algorithm.axis(name, o.axis, a.ndim)
  return a, axis, points_along(name, a, axis, o.n, half), check_norm(name, o.norm)
end

function fft.fft(...)
  local x, axis, n, norm = along("fft", false, ...)
  return scaled(core.fourier(fit(x, axis, n), "forward", { axis }), norm, "forward", n)
end

function fft.ifft(...)
  local x, axis, n, norm = along("ifft", false, ...)
  return scaled(core.fourier(fit(x, axis, n), "backward", { axis }), norm, "backward", n)
end

-- The transform of real numbers: the first n // 2 + 1 elements of the result of fft.
function fft.rfft(...)
  local x, axis, n, norm = along("rfft", false, ...)
  check_real("rfft", x)
  return scaled(core.fourier(fit(x, axis, n), "real", { axis }), norm, "forward", n)
end

-- The inverse of rfft, to n real numbers, by default 2 * (m - 1) for an axis of m.
function fft.irfft(...)
  local x, axis, n, norm = along("irfft", true, ...)
  return scaled(core.fourier(fit(x, axis, n // 2 + 1), "to real", { axis }, n), norm, "backward", n)
end

-- --- several axes -----------------------------------------------------------------------------------------------

-- Transforms of complex numbers along `axes`.
local function complex(way)
  return function(x, axes, points)
    for i, axis in ipairs(axes) do x = fit(x, axis, points[i]) end
    return core.fourier(x, way, axes)
  end
end

-- The first axes, and the last one.
local function parted(axes) return table.move(axes, 1, #axes - 1, 1, {}), axes[#axes] end

-- Of real numbers along the last of the axes, then along the others.
local function real(x, axes, points)
  for i, axis in ipairs(axes) do x = fit(x, axis, points[i]) end
  local others, last = parted(axes)
  local half = core.fourier(x, "real", { last })
  if #others == 0 then return half end
  local y = core.fourier(half, "forward", others)
  half:close()
  return y
end

-- The inverse of that.
local function to_real(x, axes, points)
  local others, last = parted(axes)
  local n = points[#axes]
  for i, axis in ipairs(others) do x = fit(x, axis, points[i]) end
  x = fit(x, last, n // 2 + 1)
  if #others == 0 then return core.fourier(x, "to real", { last }, n) end
  local half = core.fourier(x, "backward", others)
  local y = core.fourier(half, "to real", { last }, n)
  half:close()
  return y
end

local function last_two() return { -2, -1 } end

local function all_axes(a)
  local axes = {}
  for d = 1, a.ndim do axes[d] = d end
  return axes
end

local many_axes = { axes = "any", axis = "any", n = "any", norm = "any" }

-- Defines fft[name]. `usual`: a function that returns the default axes of an array; `way`: of scaled.
local function define(name, usual, way, transform)
  fft[name] = function(a, ...)
    local x = algorithm.array(name, "the first argument", a)
    if transform == real then check_real(name, x) end
    local list, options = arguments.list(name, many_axes, ...)
    if options.axes ~= nil and type(options.axes) ~= "table" then
      fail("argument", "%s: option 'axes' is a list of axes, got %s", name, core.describe(options.axes))
    end
    list = arguments.axes(name, list, options)
    local given = #list > 0 or options.axes ~= nil
    local axes, points = check_axes(name, x, given and list or usual(x), options.n, transform == to_real)
    local norm = check_norm(name, options.norm)
    local total = 1.0
    for _, n in ipairs(points) do total = total * n end
    return scaled(transform(x, axes, points), norm, way, total)
  end
end

for suffix, usual in pairs { ["2"] = last_two, n = all_axes } do
  define("fft" .. suffix, usual, "forward", complex "forward")
  define("ifft" .. suffix, usual, "backward", complex "backward")
  define("rfft" .. suffix, usual, "forward", real)
  define("irfft" .. suffix, usual, "backward", to_real)
end

return interface.library("dc.fft", fft)
