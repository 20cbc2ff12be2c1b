-- dc.plot: figures with lines, points, bars or a heat map. A figure is a value: its methods add series, `show` and
-- tostring draw it as text (plot/text.lua), `save` makes files through gnuplot (plot/gnuplot.lua).
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail
local plot = {}
local figure = {} -- methods
local meta = { __name = "dotcompute.figure", __methods = figure }

function meta.__index(_, name)
  return figure[name] or interface.missing("a figure", name, figure)
end

function meta.__newindex(_, name)
  fail("index", "a figure's '%s' cannot be set; a figure's options are given when it is made", tostring(name))
end

-- The parts of a figure that are not methods; figures themselves have no other fields.
local parts = setmetatable({}, { __mode = "k" })

-- --- options ----------------------------------------------------------------------------------------------------

local of_figure = { title = "string", xlabel = "string", ylabel = "string", log = "string", xlim = "table",
  ylim = "table" }
local of_series = { label = "string" }

local function union(...)
  local all = {}
  for _, t in ipairs { ... } do
    for k, v in pairs(t) do all[k] = v end
  end
  return all
end

-- Two finite numbers, different or ascending.
local function check_pair(fname, name, v, ascending)
  local low, high = v[1], v[2]
  if #v ~= 2 or type(low) ~= "number" or type(high) ~= "number" or low - low ~= 0 or high - high ~= 0
    or (ascending and low >= high) then
    fail("argument", "%s: option '%s' is a list of two finite numbers%s", fname, name,
      ascending and ", the smaller one first" or "")
  end
  return { low + 0.0, high + 0.0 }
end

local function set_figure_options(fname, f, o)
  for _, name in ipairs { "title", "xlabel", "ylabel" } do f[name] = o[name] or f[name] end
  if o.log and o.log ~= "" and o.log ~= "x" and o.log ~= "y" and o.log ~= "xy" then
    fail("argument", '%s: option \'log\' is "x", "y" or "xy", got %s', fname, core.describe(o.log))
  end
  f.log = o.log or f.log
  for _, name in ipairs { "xlim", "ylim" } do
    if o[name] then f[name] = check_pair(fname, name, o[name], true) end
    if f[name] and f.log:find(name:sub(1, 1)) and f[name][1] <= 0 then
      fail("argument", "%s: option '%s' of a logarithmic axis begins above 0, not at %g", fname, name, f[name][1])
    end
  end
end

-- --- data -------------------------------------------------------------------------------------------------------

-- Real numbers as an array of `ndim` axes.
local function numbers(fname, what, v, ndim, device)
  arguments.plain(fname, what, v)
  if not core.is_array(v) and type(v) ~= "table" then
    fail("argument", "%s: an array or a table of numbers expected for %s, got %s", fname, what, core.describe(v))
  end
  local a = algorithm.array(fname, what, v, "float64", device)
  if a.dtype:find "^complex" then
    fail("dtype", "%s: complex numbers cannot be drawn; dc.abs(a), dc.real(a) and dc.imag(a) can", fname)
  end
  if a.ndim ~= ndim then
    fail("shape", "%s: %s is %d-d, got an array of shape %s", fname, what, ndim,
      a.ndim == 0 and "()" or table.concat({ a:shape() }, " x "))
  end
  if a.size == 0 then fail("shape", "%s: %s has no elements", fname, what) end
  return a
end

-- The series' x, or nil, and its y, from arguments (y) or (x, y), which are named x and y here.
local function xy(fname, o)
  if o.y == nil then return nil, numbers(fname, "the data", o.x, 1) end
  local y = numbers(fname, "y", o.y, 1, core.is_array(o.x) and o.x.device or nil)
  local x = numbers(fname, "x", o.x, 1, y.device)
  algorithm.check_device(fname, "x", x, y.device)
  if x.size ~= y.size then
    fail("shape", "%s: x and y are equally long, got %d and %d elements", fname, x.size, y.size)
  end
  return x, y
end

-- --- series -----------------------------------------------------------------------------------------------------

local usage = { "data (y, or x and y)", "perhaps options" }

local function read_xy(kind, fname, known, ...)
  local o = arguments.read(fname, { "x", "y", tables = { y = true }, known = known, usage = usage }, ...)
  local x, y = xy(fname, o)
  return o, { kind = kind, x = x, y = y, label = o.label }
end

local function read_histogram(fname, known, ...)
  local o = arguments.read(fname, { "a", "bins", tables = { bins = true },
    usage = { "an array", "perhaps bins and options" }, known = union(known, { bins = "any", range = "table" }) }, ...)
  arguments.plain(fname, "the data", o.a)
  local a = algorithm.array(fname, "the data", o.a)
  if a.size == 0 then fail("shape", "%s: the data has no elements", fname) end
  local counts, edges = dc.histogram(a:reshape(-1), { bins = o.bins or 30, range = o.range })
  return o, { kind = "bars", y = counts, edges = edges, label = o.label }
end

local function read_heatmap(fname, known, ...)
  local o = arguments.read(fname, { "a", usage = { "an array", "perhaps options" }, known = union(known,
    { x = "table", y = "table", colormap = "string", low = "number", high = "number" }) }, ...)
  local a, colormap = numbers(fname, "the data", o.a, 2), require "dotcompute.image.colormap"
  if o.colormap then colormap.points(fname, o.colormap) end
  colormap.range(fname, a, o, -math.huge, math.huge) -- checks `low` and `high`
  for _, name in ipairs { "x", "y" } do
    if o[name] then
      o[name] = check_pair(fname, name, o[name])
      if o[name][1] == o[name][2] then
        fail("argument", "%s: option '%s' has the places of the first and the last cell, which differ", fname, name)
      end
    end
  end
  return o, { kind = "heatmap", a = a, options = o }
end

-- What reads the arguments of each kind of series: its options and the series.
local kinds = { histogram = read_histogram, heatmap = read_heatmap }
for _, name in ipairs { "line", "points", "bars" } do
  kinds[name] = function(...) return read_xy(name, ...) end
end

local function add(f, series, fname)
  local only = f.series[1]
  if only and (only.kind == "heatmap" or series.kind == "heatmap") then
    fail("argument", "%s: a heat map is alone in its figure", fname)
  end
  if series.kind == "heatmap" and (f.log ~= "" or f.xlim or f.ylim) then
    fail("argument", "%s: a heat map has no logarithmic axes and no limits; options x and y place its cells", fname)
  end
  f.series[#f.series + 1] = series
end

local function new(fname, options)
  local f = { series = {}, log = "" }
  set_figure_options(fname, f, options)
  local self = setmetatable({}, meta)
  parts[self] = f
  return self
end

-- figure([{title =, xlabel =, ylabel =, log =, xlim =, ylim =}])
function plot.figure(options)
  return new("dc.plot.figure", arguments.check("dc.plot.figure", options, of_figure))
end

local function part_of(fname, self)
  local f = parts[self]
  if not f then fail("argument", "%s is a method of figures: fig:%s(…)", fname, fname) end
  return f
end

for name, read in pairs(kinds) do
  plot[name] = function(...)
    local fname = "dc.plot." .. name
    local options, series = read(fname, union(of_figure, name ~= "heatmap" and of_series or {}), ...)
    local self = new(fname, options)
    add(parts[self], series, fname)
    return self
  end
  figure[name] = function(self, ...)
    local f = part_of(name, self)
    local _, series = read(name, name ~= "heatmap" and of_series or {}, ...)
    add(f, series, name)
    return self
  end
end

-- --- drawing ----------------------------------------------------------------------------------------------------

local function drawn(fname, self)
  local f = part_of(fname, self)
  if #f.series == 0 then fail("argument", "%s: the figure has no series; fig:line(y) adds one", fname) end
  return f
end

local LINES = 20 -- of a figure where the terminal has room for them

function meta.__tostring(self)
  local f = parts[self]
  if #f.series == 0 then return "figure without series" end
  return require "dotcompute.plot.text".render("tostring", f, core.columns(), LINES, 0)
end

local show_known = { width = "integer", height = "integer", protocol = "string" }

-- show([{width =, height =, protocol =}])
function figure.show(self, options)
  local f = drawn("show", self)
  local show, terminal = require "dotcompute.image.show", require "dotcompute.image.terminal"
  local o = arguments.check("show", options, show_known)
  show.check_size("show", o)
  local protocol = show.protocol("show", o.protocol)
  local columns, lines = core.terminal()
  local width = o.width or columns or 80
  local height = o.height or math.max(6, math.min(LINES, (lines or LINES + 3) - 3))
  if protocol == "kitty" or protocol == "sixel" then
    local gnuplot = require "dotcompute.plot.gnuplot"
    if gnuplot.exists() or o.protocol == protocol then
      local cell = show.cell()
      local picture = gnuplot.array("show", f, math.max(100, cell[1] * width), math.max(100, cell[2] * height))
      return dc.image.show(picture, { protocol = protocol, width = width, height = height })
    end
    protocol = "blocks"
  end
  local colour_count = protocol == "text" and 0 or math.max(256, terminal.colours())
  show.write(nil, require "dotcompute.plot.text".render("show", f, width, height, colour_count))
end

local save_known = { width = "integer", height = "integer" }

-- save(path [, {width =, height =}]), in pixels
function figure.save(self, path, options)
  local f = drawn("save", self)
  if type(path) ~= "string" then
    fail("argument", "save: the name of a file (a string) expected, got %s", core.describe(path))
  end
  local format = path:lower():match "%.(%w+)$"
  if format ~= "png" and format ~= "svg" then
    fail("argument", "save: '%s' ends in neither .png nor .svg", path)
  end
  local o = arguments.check("save", options, save_known)
  for _, name in ipairs { "width", "height" } do
    local v = o[name]
    if v and (v < 100 or v > 10000) then
      fail("argument", "save: option '%s' is 100 to 10000 pixels, got %d", name, v)
    end
  end
  local bytes = require "dotcompute.plot.gnuplot".picture("save", f, format, o.width or 960, o.height or 600)
  core.raw_save(path, dc.from_bytes(bytes, { #bytes }, "uint8"))
  return self
end

interface.methods(figure)
return interface.library("dc.plot", plot)
