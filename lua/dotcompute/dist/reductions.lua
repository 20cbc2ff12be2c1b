-- Reductions of distributed arrays. Along the axis of distribution (by default along all axes) each rank reduces its
-- block, and one collective operation combines the results, which are plain arrays, the same on every rank; along other
-- axes nothing is communicated, and the result is distributed.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local number_text = require "dotcompute.number_text"
local object = require "dotcompute.dist.object"
local exchange = require "dotcompute.dist.exchange"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local methods = object.methods

-- The arguments of a reduction: axes as a list, those of all where none is given; `across`: whether the axis of
-- distribution is one of them.
local function read(fname, d, known, ...)
  local s = object.check(fname, d)
  local list, options = arguments.list(fname, known, ...)
  local given = {}
  for k = 1, select("#", ...) do given[#given + 1] = list[k] end -- nil is no axis, as for plain arrays
  given = arguments.axes(fname, given, options)
  local over = { axes = {}, keep = options.keep or false, ddof = options.ddof, whole = #given == 0 and not options.keep,
    across = #given == 0, before = 0 }
  if #given == 0 then
    for a = 1, s.ndim do given[a] = a end
  end
  local seen = {}
  for k, a in ipairs(given) do
    local axis = algorithm.axis(fname, a, s.ndim)
    if seen[axis] then fail("shape", "%s: axis %d is named twice", fname, axis) end
    seen[axis], over.axes[k] = true, axis
    if axis == s.axis then over.across = true end
    if axis < s.axis then over.before = over.before + 1 end
  end
  return s, over
end

local axes_only = { keep = "boolean", axis = "any", axes = "any" }
local with_ddof = { keep = "boolean", axis = "any", axes = "any", ddof = "number" }

-- Options of a reduction of a part; all axes are not named, since argmin and argmax take one axis or none.
local function options(s, over, keep, ddof)
  return { axes = #over.axes < s.ndim and over.axes or nil, keep = keep, ddof = ddof }
end

local is_extreme = { min = true, max = true, argmin = true, argmax = true } -- raise where there is no element

-- The reduction of an array without elements: of the whole, since some blocks have extents of 0 where that has none.
local function of_none(s, over, name)
  local whole = algorithm.empty(s.comm.device, s.shape, s.dtype)
  return whole[name](whole, options(s, over, over.keep))
end

-- A reduction of the parts along axes that each rank has whole.
local function inside(s, over, name, ddof)
  local parts = {}
  if s.size == 0 and is_extreme[name] then of_none(s, over, name) end -- raises on all ranks alike
  for k, part in ipairs(s.parts) do
    parts[k] = part[name](part, options(s, over, over.keep, ddof))
  end
  return object.of_parts(s.comm, over.keep and s.axis or s.axis - over.before, s.shape[s.axis], parts)
end

-- The identity element of min or max of a dtype.
local function identity(name, dtype)
  local info = core.dtype(dtype)
  if info.kind == "f" then return name == "min" and math.huge or -math.huge end
  if info.kind == "b" then return name == "min" end
  if dtype == "uint64" and name == "min" then return -1 end -- its bits
  local least, greatest = number_text.limits(info)
  return name == "min" and greatest or least
end

-- Blocks reduced along the axes, in `dtype` (nil: their own); one without elements gives the identity.
local function reduced_parts(s, over, name, dtype)
  local parts = {}
  for k, part in ipairs(s.parts) do
    local n = select(s.axis, part:shape())
    if n == 0 and is_extreme[name] then
      local shape = object.block_shape(s.shape, s.axis, 1, 1)
      part = algorithm.on(part.device, dc.full, shape, identity(name, s.dtype), s.dtype)
    end
    if dtype then part = part:to(dtype) end
    parts[k] = part[name](part, options(s, over, true))
  end
  return parts
end

-- The axes that a result has lost.
local function drop_axes(s, over, result)
  if over.keep then return result end
  local reduced, shape = {}, {}
  for _, axis in ipairs(over.axes) do reduced[axis] = true end
  for a = 1, s.ndim do
    if not reduced[a] then shape[#shape + 1] = (select(a, result:shape())) end
  end
  return result:reshape(shape)
end

local function is_half(dtype)
  local info = core.dtype(dtype)
  return info.kind == "f" and info.size == 2
end

-- The combination of all ranks' results, by `op`; sums of 16-bit floats in float32.
local function across(s, over, name, op)
  local half = is_half(s.dtype) and (name == "sum" or name == "prod")
  local result = exchange.all_reduce(s.comm, reduced_parts(s, over, name, half and "float32" or nil), op)
  return drop_axes(s, over, half and result:to(s.dtype) or result)
end

for name, op in pairs { sum = "sum", prod = "prod", min = "min", max = "max", count = "sum" } do
  methods[name] = function(d, ...)
    local s, over = read(name, d, axes_only, ...)
    if name == "min" or name == "max" then algorithm.refuse_complex(name, s.parts[1], "have no order") end
    if not over.across then return inside(s, over, name) end
    if s.size == 0 and is_extreme[name] then return of_none(s, over, name) end
    return across(s, over, name, op)
  end
end

-- Over everything a Lua boolean, as of arrays.
for name, op in pairs { any = "max", all = "min" } do
  methods[name] = function(d, ...)
    local s, over = read(name, d, axes_only, ...)
    if not over.across then return inside(s, over, name) end
    local result = across(s, over, name, op)
    if over.whole then return result:item() end
    return result
  end
end

-- --- means --------------------------------------------------------------------------------------------------------

local function count_of(s, over)
  local n = 1
  for _, axis in ipairs(over.axes) do n = n * s.shape[axis] end
  return n
end

-- The dtype of a mean, and the array in the dtype in which it is computed.
local function for_mean(d, s)
  local dtype = s.parts[1]:mean().dtype
  return dtype, is_half(dtype) and d:to "float32" or d:to(dtype)
end

function methods.mean(d, ...)
  local s, over = read("mean", d, axes_only, ...)
  if not over.across then return inside(s, over, "mean") end
  local dtype, x = for_mean(d, s)
  return (across(x.state, over, "sum", "sum") / count_of(s, over)):to(dtype)
end

-- Two passes: the mean, then the sum of squared deviations from it.
local function variance(name, d, root, ...)
  local s, over = read(name, d, with_ddof, ...)
  if not over.across then return inside(s, over, name, over.ddof) end
  local _, x = for_mean(d, s)
  local dtype, n = s.parts[1]:var().dtype, count_of(s, over)
  local mean = x:sum { axes = over.axes, keep = true } / n
  local deviation = x - mean
  if core.dtype(x.dtype).kind == "c" then deviation = deviation:abs() end
  local result = across((deviation * deviation).state, over, "sum", "sum") / (n - (over.ddof or 0))
  return (root and result:sqrt() or result):to(dtype)
end
function methods.var(d, ...) return (variance("var", d, false, ...)) end
function methods.std(d, ...) return (variance("std", d, true, ...)) end

-- The root of the sum of squares of all ranks' norms, in float64.
function methods.norm(d, ...)
  local s, over = read("norm", d, axes_only, ...)
  if not over.across then return inside(s, over, "norm") end
  local dtype, squares = nil, {}
  for k, part in ipairs(s.parts) do
    local norm = part:norm(options(s, over, true))
    dtype = norm.dtype
    squares[k] = norm:to "float64" ^ 2
  end
  return drop_axes(s, over, exchange.all_reduce(s.comm, squares, "sum"):sqrt():to(dtype))
end

-- --- positions of extremes ----------------------------------------------------------------------------------------

-- The positions in the whole array of positions in a block, in C order and from 1 on.
local function whole_position(s, position, first, last)
  local rest, own, n = algorithm.product(s.shape, s.axis + 1), last - first + 1, s.shape[s.axis]
  local i = position - 1
  return i // (own * rest) * (n * rest) + (i // rest % own + (first - 1)) * rest + i % rest + 1
end

local function extreme(fname, name, d, ...)
  local s, over = read(fname, d, axes_only, ...)
  if #over.axes > 1 and #over.axes < s.ndim then
    fail("argument", "%s takes one axis, or none for all elements, not several axes", fname)
  end
  if not over.across then return inside(s, over, fname) end
  if s.size == 0 then return of_none(s, over, fname) end
  local values, positions = reduced_parts(s, over, name), {}
  for k, place in ipairs(object.places(s.comm)) do
    local first, last = object.bounds(s.shape[s.axis], place.rank + 1, s.comm.size)
    if last < first then -- its value is the identity element, its position after all others
      positions[k] = algorithm.on(place.device, dc.full, { values[k]:shape() }, math.maxinteger, "int64")
    else
      local own = s.parts[k][fname](s.parts[k], options(s, over, true))
      positions[k] = #over.axes == 1 and s.ndim > 1 and own + (first - 1) or whole_position(s, own, first, last)
    end
    if core.dtype(s.dtype).kind == "b" then values[k] = values[k]:to "uint8" end
  end
  local all, at = exchange.all_gather(s.comm, values), exchange.all_gather(s.comm, positions)
  local best = all[name](all, 1, { keep = true })
  local hit = all:eq(best) | (all:ne(all) & best:ne(best)) -- or both are NaN
  return drop_axes(s, over, dc.where(hit, at, math.maxinteger):min(1))
end
function methods.argmin(d, ...) return (extreme("argmin", "min", d, ...)) end
function methods.argmax(d, ...) return (extreme("argmax", "max", d, ...)) end

return {}
