-- Figures as PNG and SVG by gnuplot: a script with the data as binary records, in a temporary file that is gnuplot's
-- input; the picture comes through a pipe.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local builder = require "dotcompute.builder"
local data = require "dotcompute.plot.data"
local show = require "dotcompute.image.show"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail
local gnuplot = {}

local colours = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000" } -- Okabe and Ito's

-- --- parts of a script ------------------------------------------------------------------------------------------

-- A string of gnuplot's: all but letters, digits and UTF-8 as octal numbers, so that nothing ends it or is replaced
-- (gnuplot runs what stands in backquotes).
local function quoted(text)
  return '"' .. text:gsub("%c", " "):gsub("[^%w \128-\255]", function(c) return ("\\%03o"):format(c:byte()) end) .. '"'
end

-- A number with a decimal point in every locale.
local function number(v) return (("%.17g"):format(v):gsub(",", ".")) end

local function range(limits) return ("[%s:%s]"):format(number(limits[1]), number(limits[2])) end

local terminals = {
  png = [[
if (strstrt(GPVAL_TERMINALS, ' pngcairo ') > 0) set terminal pngcairo noenhanced background 'white' size %d,%d
if (strstrt(GPVAL_TERMINALS, ' pngcairo ') == 0) set terminal png noenhanced background 'white' size %d,%d
]],
  svg = "set terminal svg noenhanced background 'white' size %d,%d\n",
}

local function head(figure, format, width, height)
  local out = { "set encoding utf8\n", terminals[format]:format(width, height, width, height) }
  for _, name in ipairs { "title", "xlabel", "ylabel" } do
    if figure[name] then out[#out + 1] = ("set %s %s noenhanced\n"):format(name, quoted(figure[name])) end
  end
  return out
end

-- --- series -----------------------------------------------------------------------------------------------------

local function title_of(s) return s.label and "title " .. quoted(s.label) or "notitle" end

-- What stands behind `plot` for a series, and its bytes.
local function series_text(fname, s, view, width, height)
  local style = "lc rgb '" .. colours[(s.number - 1) % #colours + 1] .. "' "
  if s.kind == "bars" then
    local out = {}
    for k, y in ipairs(s.bars.y) do
      local left, right = s.bars.left[k], s.bars.right[k]
      out[k] = ("<ddd"):pack((left + right) / 2, y, right - left)
    end
    return ("'-' binary record=(%d) format='%%float64' using 1:2:3 with boxes %sfill solid 0.6 border %s"):format(#out,
      style, title_of(s)), table.concat(out)
  end
  local bytes, n = data.points(fname, s, view, width, height)
  local how = s.kind == "points" and "points pt 7 ps " .. (n > 1000 and "0.3 " or "0.6 ") or "lines lw 1.5 "
  return ("'-' binary record=(%d) format='%%float64' using 1:2 with %s%s%s"):format(n, how, style, title_of(s)), bytes
end

local function curves(fname, figure, format, width, height)
  local view = data.prepare(fname, figure)
  local out, commands, bytes = head(figure, format, width, height), {}, {}
  local log = (view.log.x and "x" or "") .. (view.log.y and "y" or "")
  if log ~= "" then out[#out + 1] = "set logscale " .. log .. "\n" end
  out[#out + 1] = ("set xrange %s\nset yrange %s\nset grid lt 1 lc rgb '#dddddd'\nset key below noenhanced\n"):format(
    range(view.x), range(view.y))
  for k, s in ipairs(view.series) do commands[k], bytes[k] = series_text(fname, s, view, width, height) end
  return table.concat(out) .. "plot " .. table.concat(commands, ", ") .. "\n" .. table.concat(bytes)
end

local function palette(points)
  local list = {}
  for k = 1, #points, 3 do
    list[#list + 1] = ("%d '#%02x%02x%02x'"):format(k // 3, points[k], points[k + 1], points[k + 2])
  end
  return "set palette defined (" .. table.concat(list, ", ") .. ")\n"
end

local function heatmap(fname, figure, format, width, height)
  local m = data.heatmap(fname, figure.series[1])
  local h, w = m.t:shape()
  local rows, columns = math.min(h, height), math.min(w, width)
  local t = show.resized(m.t, rows, columns)
  if not m.down then t = dc.flip(t, 1) end -- the first record is the one with the smallest y
  local dx, dy = (m.x[2] - m.x[1]) / columns, (m.y[2] - m.y[1]) / rows
  local out = head(figure, format, width, height)
  out[#out + 1] = palette(m.points)
  out[#out + 1] = ("set cbrange %s\nset xrange %s\nset yrange %s\nunset key\nset tics out\n"):format(
    range { m.low, m.high > m.low and m.high or m.low + 1 }, range(m.x), range(m.down and { m.y[2], m.y[1] } or m.y))
  out[#out + 1] = ("plot '-' binary array=(%d,%d) format='%%float64' origin=(%s,%s) dx=%s dy=%s with image\n"):format(
    columns, rows, number(m.x[1] + dx / 2), number(m.y[1] + dy / 2), number(dx), number(dy))
  out[#out + 1] = (t:to "float64" * (m.high - m.low) + m.low):bytes()
  return table.concat(out)
end

-- --- running it -------------------------------------------------------------------------------------------------

-- The text as one word of the shell's.
local function word(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- A temporary file that is removed when the variable's scope ends.
local remove = { __close = function(file) os.remove(file.name) end }
local function temporary() return setmetatable({ name = os.tmpname() }, remove) end

function gnuplot.exists() return os.execute "command -v gnuplot >/dev/null 2>&1" == true end

local function contents(path)
  local f = io.open(path, "rb")
  local text = f and f:read "a" or ""
  if f then f:close() end
  return text
end

-- What gnuplot writes to its standard output for a script.
local function run(fname, script)
  if not gnuplot.exists() then
    fail("io", "%s: PNG and SVG pictures of plots are made by gnuplot, which is not in the PATH "
      .. "(Debian: apt install gnuplot-nox)", fname)
  end
  local input <close> = temporary()
  local errors <close> = temporary()
  local f = io.open(input.name, "wb")
  if not (f and f:write(script) and f:close()) then
    fail("io", "%s: the temporary file '%s' for gnuplot cannot be written", fname, input.name)
  end
  local command = ("exec gnuplot --default-settings <%s 2>%s"):format(word(input.name), word(errors.name))
  local pipe, why = io.popen(command, "r")
  if not pipe then fail("io", "%s: gnuplot cannot be run: %s", fname, why) end
  local bytes = pipe:read "a"
  local ok, kind, code = pipe:close()
  if ok and bytes and bytes ~= "" then return bytes end
  local text = contents(errors.name):gsub("^%s+", ""):gsub("%s+$", "")
  fail("io", "%s: gnuplot failed (%s %s)%s", fname, kind == "signal" and "signal" or "exit status", code,
    text ~= "" and ": " .. text or " without a message")
end

-- The picture of a figure as the bytes of a PNG or SVG file.
function gnuplot.picture(fname, figure, format, width, height)
  local script = (figure.series[1].kind == "heatmap" and heatmap or curves)(fname, figure, format, width, height)
  return run(fname, script)
end

-- The same as an array, h x w x 3 or 4.
function gnuplot.array(fname, figure, width, height)
  local file <close> = temporary()
  local f <close> = assert(io.open(file.name, "wb"))
  f:write(gnuplot.picture(fname, figure, "png", width, height))
  f:flush()
  return dc.image.read(file.name)
end

return gnuplot
