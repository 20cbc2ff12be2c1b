-- dc.fft: Fourier transforms. Read when one of its functions is first asked for.
--
-- Forward transforms are not scaled, backward ones are by 1/n; what scales is a pending product, so that it becomes a
-- part of what is computed next.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local builder = require "dotcompute.builder"
core.own(debug.getinfo(1, "S").source)

local fft = {}

local fail = builder.fail

-- --- arguments --------------------------------------------------------------------------------------------------

local function to_array(name, a)
  if core.is_array(a) then return a end
  if type(a) == "table" then return dc.array(a) end
  fail("argument", "%s: an array expected, got %s", name, core.describe(a))
end

local function check_points(name, n)
  local points = math.tointeger(n)
  if not points then fail("argument", "%s: the number of points is an integer, got %s", name, core.describe(n)) end
  if points < 1 then fail("shape", "%s: a transform of %d points", name, points) end
  return points
end

-- The axes, all different, and the points along each; `n` may be nil or a list.
local function check_axes(name, a, axes, n)
  if type(axes) ~= "table" then
    fail("argument", "%s: option 'axes' is a list of axes, got %s", name, core.describe(axes))
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

-- The array with n elements along the axis: the first n, or zeros behind those there are.
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

local UNKNOWN = "%s has no option '%s'"
local one_axis = { axis = "any", n = "any" } -- checked with what they mean

local function along(name, a, options)
  a = to_array(name, a)
  options = builder.options(name, options, one_axis, UNKNOWN)
  local axis = algorithm.axis(name, options.axis, a.ndim)
  return a, axis, options.n ~= nil and check_points(name, options.n) or nil
end

local function points_along(name, a, axis, n) return n or check_points(name, (select(axis, a:shape()))) end

function fft.fft(a, options)
  local x, axis, n = along("fft", a, options)
  return core.fourier(fit(x, axis, points_along("fft", x, axis, n)), "forward", { axis })
end

function fft.ifft(a, options)
  local x, axis, n = along("ifft", a, options)
  n = points_along("ifft", x, axis, n)
  return core.fourier(fit(x, axis, n), "backward", { axis }) * (1 / n)
end

-- Of real numbers: the first n // 2 + 1 of what fft gives.
function fft.rfft(a, options)
  local x, axis, n = along("rfft", a, options)
  return core.fourier(fit(x, axis, points_along("rfft", x, axis, n)), "real", { axis })
end

-- The other way round, to n real numbers; 2 * (m - 1) for an axis of m unless told.
function fft.irfft(a, options)
  local x, axis, n = along("irfft", a, options)
  n = n or check_points("irfft", 2 * (select(axis, x:shape()) - 1))
  return core.fourier(fit(x, axis, n // 2 + 1), "to real", { axis }, n) * (1 / n)
end

-- --- several axes -----------------------------------------------------------------------------------------------

local many_axes = { axes = "any", n = "any" }

local function transform(name, a, options, axes, direction)
  local x = to_array(name, a)
  options = builder.options(name, options, many_axes, UNKNOWN)
  if options.axes ~= nil then axes = options.axes end
  local points
  axes, points = check_axes(name, x, axes or {}, options.n)
  local total = 1
  for i, axis in ipairs(axes) do
    x = fit(x, axis, points[i])
    total = total * points[i]
  end
  local y = core.fourier(x, direction, axes)
  return direction == "backward" and y * (1 / total) or y
end

local function all_axes(a)
  local axes = {}
  for d = 1, core.is_array(a) and a.ndim or 0 do axes[d] = d end
  return axes
end

-- Along the last two axes unless told otherwise; the others are a batch.
function fft.fft2(a, options) return transform("fft2", a, options, { -2, -1 }, "forward") end
function fft.ifft2(a, options) return transform("ifft2", a, options, { -2, -1 }, "backward") end

-- Along all axes unless told otherwise.
function fft.fftn(a, options)
  a = to_array("fftn", a)
  return transform("fftn", a, options, all_axes(a), "forward")
end

function fft.ifftn(a, options)
  a = to_array("ifftn", a)
  return transform("ifftn", a, options, all_axes(a), "backward")
end

return setmetatable(fft, { __index = function(_, name) fail("index", "dc.fft has no '%s'", tostring(name)) end })
