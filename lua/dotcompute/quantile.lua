-- quantile and median: the elements are sorted along the axis, and neighbours of each position are interpolated.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail

-- The dtype of results, which is that of means, and the one in which neighbours are interpolated.
local function dtypes(a)
  local facts = algorithm.dtype(a)
  local result = facts.kind == "f" and facts.name or facts.size <= 2 and "float32" or "float64"
  return result, algorithm.dtype(result).size == 2 and "float32" or result
end

-- The list of numbers in `q`, and whether it is a single one.
local function probabilities(fname, q)
  local list, single = q, type(q) == "number"
  if single then list = { q } end
  if core.is_array(q) then
    if q.ndim > 1 then fail("shape", "%s: q is a number or a list of them, got an array of %d axes", fname, q.ndim) end
    list, single = q:reshape(-1):to "float64":to_table(), q.ndim == 0
  end
  if type(list) ~= "table" then
    fail("argument", "%s: q is a number or a list of them, got %s", fname, core.describe(q))
  end
  arguments.plain(fname, "the list of q", list)
  for k = 1, #list do
    local v = list[k]
    if type(v) ~= "number" or not (v >= 0 and v <= 1) then
      fail("argument", "%s: q is a number from 0 to 1, got %s", fname, core.describe(v))
    end
  end
  return list, single
end

-- Of each q, the elements among n on both sides of position 1 + q (n - 1), and how far it is from the first one. They
-- are the same element where it falls on one: an infinite neighbour takes no part then.
local function neighbours(list, n)
  local below, above, weight = {}, {}, {}
  for k = 1, #list do
    local at = list[k] * (n - 1)
    local whole = math.floor(at)
    below[k], weight[k] = whole + 1, at - whole
    above[k] = weight[k] > 0 and whole + 2 or whole + 1
  end
  return below, above, weight
end

-- A list of numbers as an array that broadcasts along an axis of `ndim`.
local function along(list, axis, ndim, dtype)
  local shape = {}
  for d = 1, ndim do shape[d] = d == axis and #list or 1 end
  return dc.array(list, dtype):reshape(shape)
end

-- Of each q, the neighbours on both sides and their weights, as operands: a single one's are views and numbers.
local function operands(sorted, axis, list, wide)
  local below, above, weight = neighbours(list, (select(axis, sorted:shape())))
  if #list == 1 then
    return algorithm.range(sorted, axis, below[1], below[1]), algorithm.range(sorted, axis, above[1], above[1]),
      1 - weight[1], weight[1]
  end
  local rest = {}
  for k = 1, #weight do rest[k] = 1 - weight[k] end
  return sorted:take(dc.array(below, "int64"), axis), sorted:take(dc.array(above, "int64"), axis),
    along(rest, axis, sorted.ndim, wide), along(weight, axis, sorted.ndim, wide)
end

-- The quantiles along an axis, which is kept, with an extent of #list.
local function interpolate(a, axis, list)
  local n = select(axis, a:shape())
  local result, wide = dtypes(a)
  local sorted = dc.sort(a, axis)
  local low, high, rest, weight = operands(sorted, axis, list, wide)
  local left, right = low:to(wide), high:to(wide)
  local value = dc.where(left:eq(right), left, left * rest + right * weight)
  if algorithm.dtype(a).kind == "f" then -- NaN is sorted last: there is one where the last element is one
    local last = algorithm.range(sorted, axis, n, n):to(wide)
    value = dc.where(dc.isnan(last), last, value)
  end
  local computed = value:to(result):eval()
  core.discard(sorted)
  return computed
end

-- The first axis is that of q; without a list it is not there.
local function shaped(value, axis, whole, single, keep, a)
  local shape, extents = {}, { a:shape() }
  if not single then shape[1] = (select(axis, value:shape())) end
  for d = 1, a.ndim do
    local gone = whole or d == axis
    if not gone then shape[#shape + 1] = extents[d] elseif keep then shape[#shape + 1] = 1 end
  end
  if single or axis == 1 then return value:reshape(shape) end
  local order = { axis }
  for d = 1, value.ndim do
    if d ~= axis then order[#order + 1] = d end
  end
  return value:transpose(order):copy():reshape(shape)
end

local function along_axis(fname, o, q)
  local a = algorithm.array(fname, "the first argument", o.a)
  algorithm.refuse_complex(fname, a, "have no order")
  local list, single = probabilities(fname, q)
  local axis = o.axis ~= nil and algorithm.axis(fname, o.axis, a.ndim) or nil
  local from = axis and a or a:reshape(-1)
  if select(axis or 1, from:shape()) == 0 then fail("shape", "%s: there are no elements along the axis", fname) end
  return algorithm.on(a.device, function()
    return shaped(interpolate(from, axis or 1, list), axis or 1, not axis, single, o.keep, a)
  end)
end

local known = { axis = "any", keep = "boolean" }
local of_quantile = { "a", "q", "axis", required = 2, list = "axis", known = known,
  usage = { "an array", "one or more numbers from 0 to 1", "perhaps an axis and options" } }
local of_median = { "a", "axis", list = "axis", known = known, usage = { "an array", "perhaps an axis and options" } }

local function quantile(...)
  local o = arguments.read("quantile", of_quantile, ...)
  return along_axis("quantile", o, o.q)
end

local function median(...) return along_axis("median", arguments.read("median", of_median, ...), 0.5) end

return { quantile = quantile, median = median }
