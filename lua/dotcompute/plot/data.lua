-- What a figure's series become before they are drawn: the limits of the axes, and few enough points for the pixels,
-- both computed on the arrays' devices. A point that is not finite, or not positive on a logarithmic axis, is left out:
-- lines have a gap there.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local builder = require "dotcompute.builder"
local colormap = require "dotcompute.image.colormap"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail
local data = {}

local MOST_UNSORTED = 1 << 20 -- points of a line that cannot be thinned out
local MOST_BARS = 1 << 16

local function name_of(series, k) return series.label and ("series '%s'"):format(series.label) or "series " .. k end

-- --- points -----------------------------------------------------------------------------------------------------

-- The coordinates as float64 arrays in which points that cannot be drawn are NaN, and the bool array of the others.
local function coordinates(series, log)
  local y = series.y:to "float64"
  local x = series.x and series.x:to "float64"
    or algorithm.on(y.device, dc.arange, 1, y.size, "float64")
  local valid = dc.isfinite(x) & dc.isfinite(y)
  if log.x then valid = valid & x:gt(0) end
  if log.y then valid = valid & y:gt(0) end
  return x, dc.where(valid, y, 0 / 0), valid:eval()
end

-- Smallest and largest element of v where `valid` holds; nil where it holds nowhere.
local function extremes(v, valid)
  local low = dc.where(valid, v, math.huge):min():eval()
  local high = dc.where(valid, v, -math.huge):max():eval()
  low, high = low:item(), high:item()
  if low <= high then return low, high end
end

-- --- bars -------------------------------------------------------------------------------------------------------

-- Bars as lists: their left and right edges, and heights.
local function bars(fname, series, number, log)
  local name = name_of(series, number)
  if series.y.size > MOST_BARS then
    fail("argument", "%s: %s has %d bars, %d are the limit; a line can have more", fname, name, series.y.size,
      MOST_BARS)
  end
  local y, left, right = series.y:to "float64":to_table(), {}, {}
  local edges = series.edges and series.edges:to_table()
  local x = series.x and series.x:to "float64":to_table()
  for k = 1, #y do
    if edges then
      left[k], right[k] = edges[k], edges[k + 1]
    elseif x and #x > 1 then
      if x[k] ~= x[k] or x[k] - x[k] ~= 0 or (k > 1 and x[k] <= x[k - 1]) then
        fail("argument", "%s: the places of bars are finite and ascend, but the one of bar %d of %s is %s", fname, k,
          name, x[k])
      end
      left[k] = k > 1 and (x[k - 1] + x[k]) / 2 or x[1] - (x[2] - x[1]) / 2
      right[k] = k < #x and (x[k] + x[k + 1]) / 2 or x[k] + (x[k] - x[k - 1]) / 2
    else
      local at = x and x[1] or k
      left[k], right[k] = at - 0.5, at + 0.5
    end
  end
  local kept = { left = {}, right = {}, y = {} }
  for k = 1, #y do
    if y[k] - y[k] == 0 and (y[k] > 0 or not log.y) and (left[k] > 0 or not log.x) then
      local n = #kept.y + 1
      kept.left[n], kept.right[n], kept.y[n] = left[k], right[k], y[k]
    end
  end
  return kept
end

-- --- limits -----------------------------------------------------------------------------------------------------

local function include(limits, low, high)
  limits[1] = math.min(limits[1] or low, low)
  limits[2] = math.max(limits[2] or high, high)
end

-- Room around the values: a twentieth of the range, or of the range of exponents.
local function widened(limits, log, floor)
  local low, high = limits[1], limits[2]
  if log then
    local factor = low == high and 10 ^ 0.5 or (high / low) ^ 0.05
    if factor == math.huge then return { low, high } end
    return { low / factor, high * factor < math.huge and high * factor or high }
  end
  local pad = low == high and math.max(0.5, math.abs(low) * 0.05) or high * 0.05 - low * 0.05
  return { floor == low and low or low - pad, floor == high and high or high + pad }
end

-- Values on one axis need not span more than float64 can subtract.
local function check_limits(fname, limits)
  if limits[2] - limits[1] == math.huge then
    fail("argument", "%s: the values from %g to %g are too far apart for an axis; give limits", fname, limits[1],
      limits[2])
  end
end

-- Prepares the series of a figure: { x = {low, high}, y = {low, high}, log = {x =, y =}, series = list }, of which each
-- has kind, label, number and, for points and lines, the arrays x, y, valid; for bars lists.
function data.prepare(fname, figure)
  local log, view = { x = figure.log:find "x" ~= nil, y = figure.log:find "y" ~= nil }, { x = {}, y = {} }
  local zero -- of bars
  view.log, view.series = log, {}
  for k, series in ipairs(figure.series) do
    local s = { kind = series.kind, label = series.label, number = k }
    local x0, x1, y0, y1
    if series.kind == "bars" then
      s.bars = bars(fname, series, k, log)
      if #s.bars.y > 0 then
        x0, x1 = s.bars.left[1], s.bars.right[#s.bars.right]
        y0, y1 = s.bars.y[1], s.bars.y[1]
        for _, v in ipairs(s.bars.y) do y0, y1 = math.min(y0, v), math.max(y1, v) end
        if not log.y then y0, y1, zero = math.min(y0, 0), math.max(y1, 0), 0 end
      end
    else
      s.x, s.y, s.valid = coordinates(series, log)
      x0, x1 = extremes(s.x, s.valid)
      y0, y1 = extremes(s.y, s.valid)
    end
    if not (x0 and y0) then
      fail("argument", "%s: %s has no point that can be drawn: all are NaN or infinite%s", fname, name_of(series, k),
        (log.x or log.y) and ", or not positive on a logarithmic axis" or "")
    end
    include(view.x, x0, x1)
    include(view.y, y0, y1)
    view.series[k] = s
  end
  check_limits(fname, view.x)
  check_limits(fname, view.y)
  if view.x[1] == view.x[2] then view.x = widened(view.x, log.x) end
  view.y = widened(view.y, log.y, zero)
  view.x, view.y = figure.xlim or view.x, figure.ylim or view.y
  return view
end

-- --- fewer points -----------------------------------------------------------------------------------------------

-- Of the points in each column of pixels: the first, the lowest, the highest and the last one, in their order.
local column_text = [=[
extern "C" __global__ void dc_plot_columns(double *to, const double *x, const double *y, const long long *edges,
                                           int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  long long first = -1, low = -1, high = -1, last = -1;
  for (long long i = edges[c] - 1; i < edges[c + 1] - 1; i++) {
    if (y[i] != y[i]) continue;
    if (first < 0) first = low = high = i;
    if (y[i] < y[low]) low = i;
    if (y[i] > y[high]) high = i;
    last = i;
  }
  const long long chosen[4] = { first, low < high ? low : high, low < high ? high : low, last };
  for (int k = 0; k < 4; k++) {
    to[8 * c + 2 * k] = first < 0 ? x[edges[c] - 1] : x[chosen[k]];
    to[8 * c + 2 * k + 1] = first < 0 ? 0.0 / 0.0 : y[chosen[k]];
  }
}
]=]

-- Edges of columns of pixels, whose centres are at equal distances from one limit to the other as the axis is drawn.
local function column_edges(limits, log, columns)
  local list = {}
  for c = 1, columns - 1 do
    local f = (c - 0.5) / (columns - 1)
    list[c + 1] = log and limits[1] * (limits[2] / limits[1]) ^ f or limits[1] + (limits[2] - limits[1]) * f
  end
  list[1], list[columns + 1] = limits[1], limits[2]
  return list
end

local function both(x, y) return dc.stack({ x, y }, { axis = 2 }):bytes(), x.size end

-- The points of a line in an axis of `columns` pixels: float64 pairs as bytes, and their number.
local function line(fname, s, view, columns)
  local n = s.y.size
  if n <= 8 * columns then return both(s.x, s.y) end
  local x, device = algorithm.flat(s.x), s.x.device
  if not (x:slice({ 2, -1 }):ge(x:slice({ 1, -2 }))):all() then
    if n <= MOST_UNSORTED then return both(x, s.y) end
    fail("argument", "%s: the x of %s do not ascend, so its %d points cannot be reduced to what a line shows; "
      .. "%d are the limit, or draw them as points", fname, name_of(s, s.number), n, MOST_UNSORTED)
  end
  local edges = algorithm.on(device, dc.array, column_edges(view.x, view.log.x, columns), "float64")
  local places = dc.searchsorted(x, edges)
  places[columns + 1] = dc.searchsorted(x, view.x[2], { side = "right" }):item()
  local to = algorithm.empty(device, { columns, 8 }, "float64")
  local kernel = algorithm.kernel(device, "dc_plot_columns", "", function() return column_text end)
  kernel((columns + 63) // 64, 64, to, x, algorithm.flat(s.y), places, columns)
  local bytes, at, out = to:bytes(), places:to_table(), {}
  for c = 1, columns do
    if at[c + 1] > at[c] then out[#out + 1] = bytes:sub(64 * c - 63, 64 * c) end
  end
  return table.concat(out), 4 * #out
end

-- The place of each coordinate among `n` pixels, from 0; what is outside of the limits is below 0 or above n - 1.
local function pixel(v, limits, log, n)
  local low, high = limits[1], limits[2]
  if log then v, low, high = dc.log(v), math.log(low), math.log(high) end
  return dc.floor((v - low) / (high - low) * (n - 1) + 0.5)
end

-- The pixels of `columns` x `rows`, counted from 0 and from the bottom, in which there are points: two lists.
function data.occupied(s, view, columns, rows)
  local px, py = pixel(s.x, view.x, view.log.x, columns), pixel(s.y, view.y, view.log.y, rows)
  local inside = s.valid & px:ge(0) & px:lt(columns) & py:ge(0) & py:lt(rows)
  local place = dc.where(inside, py * columns + px, columns * rows):to "int64"
  local counts = dc.bincount(place, { minlength = columns * rows + 1 }):slice({ 1, columns * rows })
  local xs, ys = {}, {}
  for k, at in ipairs(dc.nonzero(counts):reshape(-1):to_table()) do
    xs[k], ys[k] = (at - 1) % columns, (at - 1) // columns
  end
  return xs, ys
end

-- Scattered points: as they are if they are few, else one for each pixel that has some.
local function points(s, view, columns, rows)
  if s.y.size <= 4 * columns then return both(s.x, s.y) end
  local xs, ys = data.occupied(s, view, columns, rows)
  local function value(limits, log, f)
    return log and limits[1] * (limits[2] / limits[1]) ^ f or limits[1] + (limits[2] - limits[1]) * f
  end
  local out = {}
  for k = 1, #xs do
    out[k] = ("<dd"):pack(value(view.x, view.log.x, xs[k] / (columns - 1)),
      value(view.y, view.log.y, ys[k] / (rows - 1)))
  end
  return table.concat(out), #out
end

-- Pairs of float64 (x, y) as bytes, and their number, for an axis of columns x rows pixels.
function data.points(fname, s, view, columns, rows)
  if s.kind == "points" then return points(s, view, columns, rows) end
  return line(fname, s, view, columns)
end

-- --- heat maps --------------------------------------------------------------------------------------------------

-- The outer edges of n cells whose first and last are centred at given places, ascending; and whether they descended.
local function extent(given, n)
  local first, last = 1, n
  if given then first, last = given[1], given[2] end
  local half = n > 1 and math.abs(last - first) / (n - 1) / 2 or 0.5
  return { math.min(first, last) - half, math.max(first, last) + half }, first > last
end

-- A heat map ready to be drawn: `t`, numbers from 0 to 1 with the first row on top; the colours `points`; the numbers
-- `low` and `high` of 0 and 1; the edges `x` and `y` of the axes; `down`: rows are counted from the top.
function data.heatmap(fname, series)
  local o, a = series.options, series.a
  local m = { points = colormap.points(fname, o.colormap or "viridis"), down = o.y == nil }
  m.low, m.high = colormap.range(fname, a, o)
  if m.low > m.high then fail("argument", "%s: no element lies between %s and %s", fname, m.low, m.high) end
  local h, w = a:shape()
  local x_descends, y_descends
  m.x, x_descends = extent(o.x, w)
  m.y, y_descends = extent(o.y, h)
  m.t = colormap.scaled(a, m.low, m.high)
  if x_descends then m.t = dc.flip(m.t, 2) end
  if not m.down and not y_descends then m.t = dc.flip(m.t, 1) end
  return m
end

return data
