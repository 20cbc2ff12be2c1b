-- dc.fft: Fourier transforms. This file is read when one of its functions is first used.
--
-- Forward transforms are not scaled; inverse ones are scaled by 1/n, with a pending product that is fused into later
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

-- The axes, which must differ, and the number of points along each; `n` may be nil or a list.
local function check_axes(name, a, axes, n)
  if #axes == 0 then
    fail("shape", "%s: a transform needs an axis%s", name, a.ndim == 0 and "; an array without axes has none" or "")
  end
  if n ~= nil and (type(n) ~= "table" or #n ~= #axes) then
    fail("argument", "%s: option 'n' is a list of as many numbers as there are axes, %d", name, #axes)
  end
  local list, points, seen, shape = {}, {}, {}, { a:shape() }
  for i, axis in ipairs(axes) do
    local d = algorithm.axis(name, axis, a.ndim)
    if seen[d] then fail("argument", "%s: axis %s is named twice", name, axis) end
    seen[d], list[i] = true, d
    points[i] = check_points(name, n and n[i] or shape[d])
  end
  return list, points
end

-- --- lengths ----------------------------------------------------------------------------------------------------

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

-- --- one axis ---------------------------------------------------------------------------------------------------

local one_axis = { "a", "axis", list = "axis", known = { axis = "any", n = "any" },
  usage = { "an array", "perhaps an axis and options" } }

local function along(name, ...)
  local o = arguments.read(name, one_axis, ...)
  local a = algorithm.array(name, "the first argument", o.a)
  return a, algorithm.axis(name, o.axis, a.ndim), o.n ~= nil and check_points(name, o.n) or nil
end

local function points_along(name, a, axis, n) return n or check_points(name, (select(axis, a:shape()))) end

function fft.fft(...)
  local x, axis, n = along("fft", ...)
  return core.fourier(fit(x, axis, points_along("fft", x, axis, n)), "forward", { axis })
end

function fft.ifft(...)
  local x, axis, n = along("ifft", ...)
  n = points_along("ifft", x, axis, n)
  return core.fourier(fit(x, axis, n), "backward", { axis }) * (1 / n)
end

-- The transform of real numbers: the first n // 2 + 1 elements of the result of fft.
function fft.rfft(...)
  local x, axis, n = along("rfft", ...)
  return core.fourier(fit(x, axis, points_along("rfft", x, axis, n)), "real", { axis })
end

-- The inverse of rfft, to n real numbers, by default 2 * (m - 1) for an axis of m.
function fft.irfft(...)
  local x, axis, n = along("irfft", ...)
  n = n or check_points("irfft", 2 * (select(axis, x:shape()) - 1))
  return core.fourier(fit(x, axis, n // 2 + 1), "to real", { axis }, n) * (1 / n)
end

-- --- several axes -----------------------------------------------------------------------------------------------

local many_axes = { axes = "any", axis = "any", n = "any" }

-- `usual`: a function that returns the default axes of an array.
local function transform(name, usual, direction, a, ...)
  local x = algorithm.array(name, "the first argument", a)
  local list, options = arguments.list(name, many_axes, ...)
  if options.axes ~= nil and type(options.axes) ~= "table" then
    fail("argument", "%s: option 'axes' is a list of axes, got %s", name, core.describe(options.axes))
  end
  list = arguments.axes(name, list, options)
  local given = #list > 0 or options.axes ~= nil
  local axes, points = check_axes(name, x, given and list or usual(x), options.n)
  local total = 1
  for i, axis in ipairs(axes) do
    x = fit(x, axis, points[i])
    total = total * points[i]
  end
  local y = core.fourier(x, direction, axes)
  return direction == "backward" and y * (1 / total) or y
end

local function last_two() return { -2, -1 } end

local function all_axes(a)
  local axes = {}
  for d = 1, a.ndim do axes[d] = d end
  return axes
end

-- Along the last two axes by default; the others are a batch.
function fft.fft2(...) return transform("fft2", last_two, "forward", ...) end
function fft.ifft2(...) return transform("ifft2", last_two, "backward", ...) end

-- Along all axes by default.
function fft.fftn(...) return transform("fftn", all_axes, "forward", ...) end
function fft.ifftn(...) return transform("ifftn", all_axes, "backward", ...) end

return interface.library("dc.fft", fft)
