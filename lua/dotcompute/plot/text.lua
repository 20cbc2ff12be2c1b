-- Figures as text: dots of Braille characters, 2 x 4 in each, in a frame with numbers at the axes.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local data = require "dotcompute.plot.data"
local show = require "dotcompute.image.show"
core.builtin(debug.getinfo(1, "S").source)

local text = {}

local colours = { 36, 33, 35, 32, 31, 34 } -- of series, as escape sequences number them
local marks = { "*", "+", "o", "x", "#", "@" } -- of series where there are no colours

-- --- dots -------------------------------------------------------------------------------------------------------

-- The bit of the dot in column x and row y (from the top) of a character: Unicode's order of Braille dots.
local bits = { [0] = { [0] = 0x01, 0x02, 0x04, 0x40 }, { [0] = 0x08, 0x10, 0x20, 0x80 } }

-- A canvas of columns x lines characters; dots are counted from 0, from the left and from the bottom.
local function new_canvas(columns, lines)
  return { columns = columns, lines = lines, wide = 2 * columns, high = 4 * lines, dots = {}, owner = {} }
end

local function dot(canvas, x, y, series)
  if x < 0 or x >= canvas.wide or y < 0 or y >= canvas.high then return end
  local row = canvas.high - 1 - y
  local cell = (row // 4) * canvas.columns + x // 2
  canvas.dots[cell] = (canvas.dots[cell] or 0) | bits[x % 2][row % 4]
  canvas.owner[cell] = series
end

-- The part of the line from (x0, y0) to (x1, y1) inside of the canvas (Liang and Barsky's algorithm); nil: none.
local function clipped(canvas, x0, y0, x1, y1)
  local from, to = 0.0, 1.0
  local dx, dy = x1 - x0, y1 - y0
  for _, edge in ipairs { { -dx, x0 }, { dx, canvas.wide - 1 - x0 }, { -dy, y0 }, { dy, canvas.high - 1 - y0 } } do
    local p, q = edge[1], edge[2]
    if p == 0 then
      if q < 0 then return nil end
    elseif p < 0 then
      from = math.max(from, q / p)
    else
      to = math.min(to, q / p)
    end
  end
  if from > to then return nil end
  return x0 + from * dx, y0 + from * dy, x0 + to * dx, y0 + to * dy
end

local function round(v) return math.floor(v + 0.5) end

local function stroke(canvas, x0, y0, x1, y1, series)
  x0, y0, x1, y1 = clipped(canvas, x0, y0, x1, y1)
  if not x0 then return end
  x0, y0, x1, y1 = round(x0), round(y0), round(x1), round(y1)
  local steps = math.max(1, math.abs(x1 - x0), math.abs(y1 - y0))
  for k = 0, steps do
    dot(canvas, round(x0 + (x1 - x0) * k / steps), round(y0 + (y1 - y0) * k / steps), series)
  end
end

-- --- series -----------------------------------------------------------------------------------------------------

-- The place of a value among n dots between the limits, a float.
local function place(v, limits, log, n)
  local low, high = limits[1], limits[2]
  if log then v, low, high = math.log(v), math.log(low), math.log(high) end
  return (v - low) / (high - low) * (n - 1)
end

local function draw_line(fname, canvas, s, view)
  local bytes, n = data.points(fname, s, view, canvas.wide, canvas.high)
  local x0, y0
  for k = 0, n - 1 do
    local x, y = ("<dd"):unpack(bytes, 16 * k + 1)
    if y == y then
      x, y = place(x, view.x, view.log.x, canvas.wide), place(y, view.y, view.log.y, canvas.high)
      stroke(canvas, x0 or x, y0 or y, x, y, s.number)
      x0, y0 = x, y
    else
      x0, y0 = nil, nil
    end
  end
end

local function draw_bars(canvas, s, view)
  local bottom = view.log.y and 0 or round(place(0, view.y, false, canvas.high))
  for k, y in ipairs(s.bars.y) do
    local left = math.ceil(place(s.bars.left[k], view.x, view.log.x, canvas.wide))
    local right = math.floor(place(s.bars.right[k], view.x, view.log.x, canvas.wide))
    local top = round(place(y, view.y, view.log.y, canvas.high))
    local low, high = math.max(0, math.min(bottom, top)), math.min(canvas.high - 1, math.max(bottom, top))
    for x = math.max(0, left), math.min(canvas.wide - 1, math.max(left, right - 1)) do
      for at = low, y ~= 0 and high or low - 1 do dot(canvas, x, at, s.number) end
    end
  end
end

local function draw(fname, canvas, s, view)
  if s.kind == "line" then return draw_line(fname, canvas, s, view) end
  if s.kind == "bars" then return draw_bars(canvas, s, view) end
  local xs, ys = data.occupied(s, view, canvas.wide, canvas.high)
  for k = 1, #xs do dot(canvas, xs[k], ys[k], s.number) end
end

-- The lines of the canvas as a list. `several` series without colours have a mark in each of their characters.
local function canvas_lines(canvas, colour_count, several)
  local list = {}
  for line = 0, canvas.lines - 1 do
    local out, current = {}, nil
    for column = 0, canvas.columns - 1 do
      local cell = line * canvas.columns + column
      local set, owner = canvas.dots[cell], canvas.owner[cell]
      local c = not set and " " or colour_count == 0 and several and marks[(owner - 1) % #marks + 1]
        or utf8.char(0x2800 + set)
      local colour = set and colour_count > 0 and colours[(owner - 1) % #colours + 1] or nil
      if colour ~= current then
        c = (colour and ("\27[%dm"):format(colour) or "\27[0m") .. c
        current = colour
      end
      out[#out + 1] = c
    end
    list[#list + 1] = table.concat(out) .. (current and "\27[0m" or "")
  end
  return list
end

-- --- axes -------------------------------------------------------------------------------------------------------

-- A distance of 1, 2 or 5 times a power of ten, of which at most `most` lie in the range.
local function step_of(low, high, most)
  local raw = (high - low) / math.max(1, most)
  local power = 10.0 ^ math.floor(math.log(raw, 10))
  for _, factor in ipairs { 1, 2, 5, 10 } do
    if factor * power >= raw then return factor * power end
  end
  return 10 * power
end

local function linear_ticks(limits, most)
  local step, list = step_of(limits[1], limits[2], most), {}
  if step <= 0 or step == math.huge then return { limits[1], limits[2] } end
  for k = math.ceil(limits[1] / step), math.floor(limits[2] / step + 1e-9) do
    list[#list + 1] = k * step
    if #list > most then break end
  end
  return list
end

-- Powers of ten, every n-th if there are too many; where there are fewer than two, as without a logarithm.
local function log_ticks(limits, most)
  local first = math.ceil(math.log(limits[1], 10) - 1e-9)
  local last = math.floor(math.log(limits[2], 10) + 1e-9)
  if last - first < 1 then return linear_ticks(limits, most) end
  local step, list = math.max(1, math.ceil((last - first + 1) / math.max(1, most))), {}
  for k = first, last, step do list[#list + 1] = 10.0 ^ k end
  return list
end

local function ticks(limits, log, most) return (log and log_ticks or linear_ticks)(limits, most) end

local function number_text(v) return (("%.6g"):format(v == 0 and 0 or v)) end

local function width_of(s) return utf8.len(s) or #s end

-- The text cut to n characters.
local function cut(s, n)
  s = s:gsub("%c", " ")
  if width_of(s) <= n then return s end
  if not utf8.len(s) then return s:sub(1, n) end
  return s:sub(1, utf8.offset(s, n) - 1) .. "…"
end

local function centred(s, margin, columns)
  s = cut(s, margin + columns)
  return (" "):rep(math.max(0, margin + (columns - width_of(s)) // 2)) .. s
end

-- The labels of the y axis by line (from 1, the top), and the width of the widest.
local function y_labels(limits, log, lines, down)
  local labels, widest = {}, 0
  for _, v in ipairs(ticks(limits, log, math.max(2, lines // 4))) do
    local f = place(v, limits, log, 2) -- 0 to 1
    if f > -1e-9 and f < 1 + 1e-9 then
      local line = 1 + math.min(lines - 1, math.floor((down and f or 1 - f) * lines))
      labels[line] = labels[line] or number_text(v)
      widest = math.max(widest, #labels[line])
    end
  end
  return labels, widest
end

-- The axis below the lines, and its numbers.
local function x_axis(limits, log, margin, columns)
  local axis, row = {}, {}
  for k = 1, columns do axis[k], row[k] = "─", " " end
  local free = 1
  for _, v in ipairs(ticks(limits, log, math.max(2, columns // 12))) do
    local f, label = place(v, limits, log, 2), number_text(v)
    if f > -1e-9 and f < 1 + 1e-9 then
      local column = 1 + math.min(columns - 1, math.floor(f * columns))
      axis[column] = "┬"
      local first = math.max(1, math.min(columns - #label + 1, column - #label // 2))
      if first >= free and first + #label - 1 <= columns then
        for k = 1, #label do row[first + k - 1] = label:sub(k, k) end
        free = first + #label + 1
      end
    end
  end
  local pad = (" "):rep(margin)
  return pad .. "└" .. table.concat(axis), (pad .. " " .. table.concat(row)):gsub(" +$", "")
end

-- Puts title, axes and labels around lines of a picture. `legend`: the last line, or nil.
local function framed(figure, body, o, legend)
  local labels, widest = y_labels(o.y, o.log.y, #body, o.down)
  widest = math.max(widest, o.margin or 0)
  local list = {}
  if figure.title then list[#list + 1] = centred(figure.title, widest + 1, o.columns) end
  if figure.ylabel then list[#list + 1] = cut(figure.ylabel, widest + o.columns) end
  for k, line in ipairs(body) do
    local label = labels[k] or ""
    list[#list + 1] = (" "):rep(widest - #label) .. label .. (labels[k] and "┤" or "│") .. line
  end
  list[#list + 1], list[#list + 2] = x_axis(o.x, o.log.x, widest, o.columns)
  if figure.xlabel then list[#list + 1] = centred(figure.xlabel, widest + 1, o.columns) end
  if legend then list[#list + 1] = legend end
  for k, line in ipairs(list) do list[k] = line:gsub(" +$", "") end
  return table.concat(list, "\n")
end

-- Lines that are not for the picture itself.
local function lines_around(figure, legend)
  return 2 + (figure.title and 1 or 0) + (figure.xlabel and 1 or 0) + (figure.ylabel and 1 or 0) + (legend and 1 or 0)
end

-- --- figures ----------------------------------------------------------------------------------------------------

local function legend_of(figure, colour_count)
  local parts = {}
  for k, s in ipairs(figure.series) do
    if s.label then
      local mark = colour_count > 0 and ("\27[%dm━━\27[0m"):format(colours[(k - 1) % #colours + 1])
        or #figure.series > 1 and marks[(k - 1) % #marks + 1] or "━━"
      parts[#parts + 1] = mark .. " " .. s.label:gsub("%c", " ")
    end
  end
  return #parts > 0 and " " .. table.concat(parts, "   ") or nil
end

local function curves(fname, figure, width, height, colour_count)
  local view, legend = data.prepare(fname, figure), legend_of(figure, colour_count)
  local lines = math.max(2, height - lines_around(figure, legend))
  local _, margin = y_labels(view.y, view.log.y, lines)
  local columns = math.max(4, width - margin - 1)
  local canvas = new_canvas(columns, lines)
  for _, s in ipairs(view.series) do draw(fname, canvas, s, view) end
  local body = canvas_lines(canvas, colour_count, #view.series > 1)
  return framed(figure, body, { x = view.x, y = view.y, log = view.log, columns = columns }, legend)
end

-- The numbers of the smallest and the largest colour, with the colours between them.
local function scale_of(m, colour_count)
  local bar = show.lines({ t = dc.linspace(0, 1, 24, "float32"):reshape(1, 24) * dc.ones({ 2, 1 }, "float32"),
    points = m.points }, 24, 1, colour_count)
  return (" %s %s %s"):format(number_text(m.low), bar[1], number_text(m.high))
end

local function heatmap(fname, figure, width, height, colour_count)
  local m, log = data.heatmap(fname, figure.series[1]), {}
  local legend = scale_of(m, colour_count)
  local lines = math.max(1, height - lines_around(figure, legend))
  local _, margin = y_labels(m.y, false, lines, m.down)
  local columns = math.max(4, width - margin - 1)
  local body = show.lines(m, columns, lines, colour_count)
  return framed(figure, body, { x = m.x, y = m.y, log = log, columns = columns, down = m.down }, legend)
end

-- The figure as text of at most `width` columns and about `height` lines, in up to `colour_count` colours.
function text.render(fname, figure, width, height, colour_count)
  return (figure.series[1].kind == "heatmap" and heatmap or curves)(fname, figure, width, height, colour_count)
end

return text
