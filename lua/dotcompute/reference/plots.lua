-- Reference: plots.
local figure_options = {
  { "title", "string", "a line above the figure" },
  { "xlabel", "string", "what the x axis shows" },
  { "ylabel", "string", "what the y axis shows" },
  { "log", "string", '`"x"`, `"y"` or `"xy"`: logarithmic axes. Default: none' },
  { "xlim", "table", "{smallest, largest} value of the x axis. Default: those of the data" },
  { "ylim", "table", "{smallest, largest} value of the y axis. Default: those of the data, with some room" },
}

-- The options of a figure and these, of a function that makes one.
local function with_figure(...)
  local list = { ... }
  return table.move(figure_options, 1, #figure_options, #list + 1, list)
end

local label = { "label", "string", "the series' name in the legend" }
local xy = {
  { "x?", "array|table", "where the values are, on the same device; an array or a table of numbers. Default: 1, 2, …" },
  { "y", "array|table", "the values, 1-d, of any real dtype" },
}
local data_errors = { argument = "no numbers, an unknown option, limits or an axis that cannot be",
  dtype = "complex numbers", shape = "not 1-d, no elements, x and y of different lengths",
  device = "x and y on two devices" }
local result = { { "figure", "the new figure, or the one that the method belongs to" } }

return {
  [[
## Plots

A figure is a value with one or more series: `dc.plot.line(y)` makes one, its methods add series and give it back. The
prompt shows it, as `print` does; `fig:show()` draws it for the terminal, with the terminal's colours or pixels, and
`fig:save(path)` writes a PNG or SVG file. Functions of `dc.plot` take the options of the figure and of the series, the
methods of a figure those of the series alone.
]],
  {
    "line", at = "dc.plot figure",
    call = { "dc.plot.line([x,] y [, options])", "fig:line([x,] y [, {label=}])" },
    text = "A line through points. It has a gap where a value is NaN or infinite, or not positive on a logarithmic "
      .. "axis.",
    args = xy, options = with_figure(label), returns = result, errors = data_errors,
    example = [[
local x = dc.linspace(0, 10, 200)
local fig = dc.plot.line(x, dc.sin(x), { title = "Waves", label = "sin" })
fig:line(x, dc.cos(x), { label = "cos" }) == fig       --> true
tostring(fig):match "Waves"                            --> Waves
]],
    see = "points figure show save",
  },
  {
    "points", at = "dc.plot figure",
    call = { "dc.plot.points([x,] y [, options])", "fig:points([x,] y [, {label=}])" },
    text = "A dot for each point. Points that cannot be drawn (see `line`) are left out.",
    args = xy, options = with_figure(label), returns = result, errors = data_errors,
    example = [[
local fig = dc.plot.points({ 1, 2, 3 }, { 1, 4, 9 }, { log = "xy" })
tostring(fig):match "10┤"                              --> 10┤
]],
    see = "line bars",
  },
  {
    "bars", at = "dc.plot figure",
    call = { "dc.plot.bars([x,] y [, options])", "fig:bars([x,] y [, {label=}])" },
    text = "A bar from 0 to each value, at most 65536 of them. They touch each other: their edges are halfway between "
      .. "neighbours.",
    args = { { "x?", "array|table", "the places, which ascend. Default: 1, 2, …" }, xy[2] },
    options = with_figure(label), returns = result, errors = data_errors,
    example = [[
tostring(dc.plot.bars { 3, 1, 2 }):match "3┤"          --> 3┤
]],
    see = "histogram line",
  },
  {
    "histogram", at = "dc.plot figure",
    call = { "dc.plot.histogram(a [, bins] [, options])", "fig:histogram(a [, bins] [, {range=, label=}])" },
    text = "Bars with the counts of values in bins, by `dc.histogram`.",
    args = {
      { "a", "array|table", "values of any shape and real dtype" },
      { "bins?", "integer|array|table", "the number of bins, or their edges. Default: 30" },
    },
    options = with_figure(label,
      { "range", "table", "{smallest, largest} value that is counted. Default: the data's" }),
    returns = result,
    errors = { argument = "values that are not finite without a range, bins that cannot be", dtype = "complex numbers",
      shape = "no elements" },
    example = [[
tostring(dc.plot.histogram({ 1, 1, 2, 5 }, 4)):match "2┤" --> 2┤
]],
    see = "bars",
  },
  {
    "heatmap", at = "dc.plot figure",
    call = { "dc.plot.heatmap(a [, options])", "fig:heatmap(a [, options])" },
    text = "A matrix in colours, with a scale. Without `y` the first row is on top, as matrices are printed; with it "
      .. "the y axis points upwards. A heat map is alone in its figure, without logarithmic axes and limits.",
    args = { { "a", "array|table", "a 2-d array of any real dtype" } },
    options = with_figure(
      { "x", "table", "{place of the first, place of the last} column. Default: their numbers" },
      { "y", "table", "the same of rows. Default: their numbers, from the top" },
      { "colormap", "string", "a name of `dc.image.colormaps`. Default: `viridis`" },
      { "low", "number", "the number of the first colour. Default: the smallest finite element" },
      { "high", "number", "the number of the last colour. Default: the largest finite element" }),
    returns = result,
    errors = { argument = "an option that cannot be, another series in the figure", dtype = "complex numbers",
      shape = "not 2-d, no elements" },
    example = [[
local x = dc.linspace(-2, 2, 60)
local fig = dc.plot.heatmap(dc.exp(-(x * x + x:reshape(60, 1) ^ 2)), { x = { -2, 2 }, y = { -2, 2 } })
#tostring(fig) > 1000                                  --> true
]],
    see = "colormap colormaps show",
  },
  {
    "figure", at = "dc.plot",
    call = "dc.plot.figure([options])",
    text = "A figure without series.",
    options = figure_options, returns = { { "figure", "the figure" } },
    errors = { argument = "an unknown option, limits or an axis that cannot be" },
    example = [[
local fig = dc.plot.figure { xlabel = "seconds" }
tostring(fig)                                          --> figure without series
fig:line({ 0, 1 }, { 5, 6 }):points({ 0, 1 }, { 5, 6 }) == fig --> true
]],
    see = "line",
  },
  {
    class = "figure", metatable = "dotcompute.figure",
    text = "A plot: series with axes. `tostring` of it is its text, without colours. It refers to its arrays, which "
      .. "are read when it is drawn.",
  },
  {
    "show", at = "figure",
    call = "fig:show([options])",
    text = "Draws the figure on standard output: by gnuplot in terminals that have pixels (see `dc.image.show`), else "
      .. "by dots of Braille characters, in the terminal's colours.",
    options = {
      { "width", "integer", "columns. Default: the terminal's, or 80" },
      { "height", "integer", "lines. Default: 20, or what the terminal has" },
      { "protocol", "string", 'as of `dc.image.show`. Default: `"auto"`' },
    },
    errors = { argument = "no series, one of whose points none can be drawn, a line of more than 2^20 points whose "
      .. "x do not ascend", io = "gnuplot fails" },
    example = [[
dc.plot.line({ 1, 4, 9 }):show { width = 40, height = 10 }
]],
    see = "save",
  },
  {
    "save", at = "figure",
    call = "fig:save(path [, {width=960, height=600}])",
    text = "Writes the figure as a file by gnuplot. The name ends in `.png` or `.svg`.",
    args = { { "path", "string", "the file, which is replaced when the new one is complete" } },
    options = {
      { "width", "integer", "100 to 10000 pixels. Default: 960" },
      { "height", "integer", "100 to 10000 pixels. Default: 600" },
    },
    returns = { { "figure", "the figure itself" } },
    errors = { argument = "another ending, a size; as `show`", io = "gnuplot is missing (Debian: `gnuplot-nox`) or "
      .. "fails, the file cannot be written" },
    example = [[
if os.execute "command -v gnuplot >/dev/null" then
  local path = os.tmpname() .. ".svg"
  dc.plot.line({ 1, 4, 9 }):save(path, { width = 400, height = 300 })
  assert(io.lines(path)():find "xml")      -- a file of SVG
  os.remove(path)
end
]],
    see = "show",
  },
  [[
Points that are NaN or infinite, or not positive on a logarithmic axis, are left out; a series of which nothing is left
is an error when the figure is drawn. Text in titles and labels is shown as it is, without markup.

**Large arrays** are reduced on their device before they are drawn, so that of ten million points the host gets a few
thousand. Of a line whose x ascend, each column of pixels keeps its first, smallest, largest and last value, which draws
the same pixels; of scattered points each pixel keeps one; a heat map keeps the mean of the area that each pixel covers.
A line whose x do not ascend keeps all its points, of which 2^20 are the limit.

**gnuplot** gets its commands and the numbers, as binary records, from a temporary file; the file `~/.gnuplot` is not
read. If it ends with an error, what it printed is the error's message. In PNG and SVG files the cells of a heat map
that are NaN are blank; in the terminal they are magenta.

```lua
local dc = require "dotcompute"
local t = dc.linspace(0, 1, 1000)
local signal = dc.sin(t * 40) * dc.exp(-t * 3)
local fig = dc.plot.line(t, signal, { title = "Damped", xlabel = "seconds", label = "signal" })
fig:line(t, dc.exp(-t * 3), { label = "envelope" })
fig:show()
if os.execute "command -v gnuplot >/dev/null" then
  local name = os.tmpname()
  fig:save(name .. ".svg")
  os.remove(name)
  os.remove(name .. ".svg")
end
```
]],
}
