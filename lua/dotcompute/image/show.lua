-- dc.image.show: an array as a picture in the terminal. Size and colours are computed on the array's device; image/
-- terminal.lua makes the text.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local colormap = require "dotcompute.image.colormap"
local terminal = require "dotcompute.image.terminal"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail
local show = {}

local MOST = 4096 -- columns or lines that may be asked for
local CELL = { 8, 16 } -- pixels of a character where the terminal does not say

-- --- another size -----------------------------------------------------------------------------------------------

local area_mean = [[
// Each pixel of the result is the mean of the rectangle that it covers, whose edges may cross pixels of the source.
extern "C" __global__ void dc_area_mean(float *to, const float *from, long long h, long long w, int channels,
                                        long long rows, long long columns) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns * channels) return;
  const long long c = i % channels, x = i / channels % columns, y = i / channels / columns;
  const double top = (double)y * h / rows, bottom = (double)(y + 1) * h / rows;
  const double left = (double)x * w / columns, right = (double)(x + 1) * w / columns;
  double sum = 0;
  for (long long v = (long long)top; v < h && v < bottom; v++) {
    const double tall = fmin(bottom, v + 1.0) - fmax(top, (double)v);
    for (long long u = (long long)left; u < w && u < right; u++) {
      const double wide = fmin(right, u + 1.0) - fmax(left, (double)u);
      if (tall > 0 && wide > 0) sum += tall * wide * from[(v * w + u) * channels + c];
    }
  }
  to[i] = sum / ((bottom - top) * (right - left));
}
]]

-- The float32 picture (h x w, or h x w x channels) in another size. A pixel that covers a NaN is NaN.
function show.resized(t, rows, columns)
  local h, w, channels = t:shape()
  if h == rows and w == columns then return t end
  t = algorithm.flat(t)
  local to = algorithm.empty(t.device, channels and { rows, columns, channels } or { rows, columns }, "float32")
  local kernel = algorithm.kernel(t.device, "dc_area_mean", "", function() return area_mean end)
  kernel((to.size + 255) // 256, 256, to, t, h, w, channels or 1, rows, columns)
  return to
end

-- --- arrays to pixels -------------------------------------------------------------------------------------------

local full = { uint8 = 255, uint16 = 65535, bool = 1 }

-- Numbers from 0 to 1 of one channel, and the colours for them.
local function grey_picture(fname, a, o)
  local low, high = colormap.range(fname, a, o, full[a.dtype] and 0, full[a.dtype])
  if low > high then fail("argument", "%s: no element lies between %s and %s", fname, low, high) end
  local points = colormap.points(fname, o.colormap or full[a.dtype] and "gray" or "viridis")
  return colormap.scaled(a, low, high), points
end

-- Red, green and blue from 0 to 1; alpha is over black.
local function colour_picture(fname, a, channels, o)
  if o.colormap then
    fail("argument", "%s: option 'colormap' is for arrays of one channel; this one has %d", fname, channels)
  end
  local most = full[a.dtype] or a.dtype:find "float" and 1 or 255
  local low, high = colormap.range(fname, a, o, 0, most)
  if low >= high then
    fail("argument", "%s: option 'low' is below option 'high', got %s and %s", fname, low, high)
  end
  local colours = colormap.scaled(a:slice(":", ":", { 1, 3 }), low, high)
  if channels == 3 then return colours end
  return colours * colormap.scaled(a:slice(":", ":", { 4, 4 }), 0, most)
end

-- A picture: `t`, float32 from 0 to 1, with `points`, the colours of its numbers, if it has one channel.
local function picture(fname, a, o)
  colormap.check_array(fname, a, "picture")
  local shape = { a:shape() }
  local channels = shape[3] or 1
  if #shape < 2 or #shape > 3 or channels > 4 then
    fail("shape", "%s: a picture is h x w, or h x w x 1 to 4 channels; the array is %s%s", fname,
      #shape == 0 and "a single value" or table.concat(shape, " x "),
      #shape == 1 and " (dc.plot.line draws lists of numbers)" or "")
  end
  if channels >= 3 then return { t = colour_picture(fname, a, channels, o) } end
  local alpha
  if channels == 2 then alpha = colormap.scaled(a:slice(":", ":", 2), 0, full[a.dtype] or 1) end
  if #shape == 3 then a = a:slice(":", ":", 1) end
  local p = {}
  p.t, p.points = grey_picture(fname, a, o)
  if alpha then p.t = p.t * alpha end
  return p
end

-- The bytes of the picture's pixels in that size.
local function pixels(p, rows, columns)
  local t = show.resized(p.t, rows, columns)
  if p.points then return colormap.colours(t, p.points):bytes() end
  return (t * 255 + 0.5):to "uint8":bytes()
end

-- The brightness of the picture's pixels in that size, as a list by rows.
local function brightness(p, rows, columns)
  local t = show.resized(p.t, rows, columns)
  if not p.points then -- what ITU-R BT.709 gives red, green and blue
    t = (t * algorithm.on(t.device, dc.array, { 0.2126, 0.7152, 0.0722 }, "float32")):sum(3)
  end
  return t:reshape(-1):to_table()
end

-- --- size -------------------------------------------------------------------------------------------------------

local function rounded(v, most) return math.max(1, math.min(most, math.floor(v + 0.5))) end

-- The columns, and the rows of half a line, in which a picture of h x w is shown: as large as it is if it fits, or with
-- a width or a height as large as fits there; a pixel is as wide as a character and half as high.
local function size_of(h, w, o, columns, lines)
  local given = o.width or o.height
  local wide, high = o.width or given and MOST or columns, 2 * (o.height or given and MOST or lines)
  local scale = math.min(wide / w, high / h)
  if not given then scale = math.min(scale, 1) end
  return rounded(w * scale, wide), rounded(h * scale, high)
end

-- How many pixels stand for n pixels in `room`: a multiple of n if there is room for it, so that each is a square.
local function pixel_count(n, room) return room >= n and room // n * n or room end

-- --- show -------------------------------------------------------------------------------------------------------

local protocols = { auto = true, kitty = true, sixel = true, blocks = true, text = true }

-- The protocol: the option, or the variable DOTCOMPUTE_PICTURES for terminals, or what the terminal is known to have.
function show.protocol(fname, given)
  if given and not protocols[given] then
    fail("argument", '%s: option \'protocol\' is "auto", "kitty", "sixel", "blocks" or "text", got %s', fname,
      core.describe(given))
  end
  if given and given ~= "auto" then return given end
  local wanted = os.getenv "DOTCOMPUTE_PICTURES"
  if wanted and wanted ~= "" and not protocols[wanted] then
    fail("argument", '%s: the variable DOTCOMPUTE_PICTURES is "auto", "kitty", "sixel", "blocks" or "text", not %s',
      fname, core.describe(wanted))
  end
  if wanted and wanted ~= "" and wanted ~= "auto" and core.terminal() then return wanted end
  return terminal.protocol()
end

-- The picture of `columns` x `rows` half lines as lines of text in up to `colours` colours, as a list. `exact`: half
-- blocks only.
local function text_lines(p, columns, rows, colours, exact)
  local h, w = p.t:shape()
  if colours == 0 then return terminal.shades(brightness(p, (rows + 1) // 2, columns), columns, (rows + 1) // 2) end
  if not exact and (h > rows or w > columns) and core.chafa() then -- 8 x 8 pixels a character, which it approximates
    local lines = (rows + 1) // 2
    local text = core.chafa(pixels(p, 8 * lines, 8 * columns), 8 * columns, 8 * lines, columns, lines, false,
      colours > 256)
    local list = {}
    for line in (text .. "\n"):gmatch "(.-)\n" do list[#list + 1] = line .. "\27[0m" end
    return list
  end
  return terminal.blocks(pixels(p, rows, columns), columns, rows, colours)
end

-- For dc.plot: a picture { t =, points = } as exactly `lines` lines of `columns` columns.
function show.lines(p, columns, lines, colours) return text_lines(p, columns, 2 * lines, colours, true) end

local known = { width = "integer", height = "integer", colormap = "string", low = "number", high = "number",
  protocol = "string", title = "string" }
local signature = { "a", known = known, usage = { "an array", "perhaps options" } }

function show.check_size(fname, o)
  for _, name in ipairs { "width", "height" } do
    local v = o[name]
    if v and (v < 1 or v > MOST) then
      fail("argument", "%s: option '%s' is 1 to %d characters, got %d", fname, name, MOST, v)
    end
  end
end

-- The picture for a terminal that shows pixels.
local function graphics(p, protocol, columns, rows, cell)
  local h, w = p.t:shape()
  local wide, high = columns * cell[1], math.max(1, rows * cell[2] // 2)
  wide, high = pixel_count(w, wide), pixel_count(h, high)
  return terminal[protocol == "sixel" and "sixels" or protocol](pixels(p, high, wide), wide, high)
end

-- Writes lines of text to standard output.
function show.write(title, text)
  if title then text = title:gsub("%c", " ") .. "\n" .. text end
  io.stdout:write(text, "\n")
  io.stdout:flush()
end

-- Width and height of a character in pixels.
function show.cell()
  local columns, lines, width, height = core.terminal()
  if columns and width >= columns and height >= lines then return { width // columns, height // lines } end
  return CELL
end

-- The picture as dc.image.show writes it, without a title. `room`: lines that are not there for it.
function show.text(p, protocol, o, room)
  local columns, lines = core.terminal()
  local h, w = p.t:shape()
  local wide, rows = size_of(h, w, o, columns or 80, columns and math.max(1, lines - room) or MOST)
  if protocol == "kitty" or protocol == "sixel" then return graphics(p, protocol, wide, rows, show.cell()) end
  local colours = protocol == "text" and 0 or math.max(256, terminal.colours())
  return table.concat(text_lines(p, wide, rows, colours), "\n")
end

-- show(a [, {width =, height =, colormap =, low =, high =, protocol =, title =}])
function show.show(...)
  local fname = "dc.image.show"
  local o = arguments.read(fname, signature, ...)
  show.check_size(fname, o)
  local p = picture(fname, o.a, o)
  show.write(o.title, show.text(p, show.protocol(fname, o.protocol), o, o.title and 3 or 2))
end

return show
