-- Pixels as text for terminals: half blocks in colours, characters of different darkness, sixels, kitty's protocol; and
-- which of them the terminal understands. Pixels are strings: 3 bytes each (RGB), rows from the top.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local terminal = {}

-- --- what the terminal can do -----------------------------------------------------------------------------------

local function variable(name) return os.getenv(name) or "" end

-- By its environment variables: asking the terminal itself would swallow keys that are being typed.
local function has_kitty(term, program)
  return term:find "kitty" or term:find "ghostty" or variable "KITTY_WINDOW_ID" ~= "" or program == "ghostty"
    or program == "WezTerm"
end

local sixel_terms = { "^foot", "^mlterm", "^contour", "^yaft", "sixel" }

local function has_sixel(term)
  for _, pattern in ipairs(sixel_terms) do
    if term:find(pattern) then return true end
  end
  return false
end

-- "kitty", "sixel", "blocks" or "text" for the terminal that is standard output; "text" for files and pipes.
function terminal.protocol()
  if not core.terminal() then return "text" end
  local term, program = variable "TERM", variable "TERM_PROGRAM"
  if terminal.colours() == 0 then return "text" end
  local inside = variable "TMUX" ~= "" or term:find "^screen" or term:find "^tmux"
  if inside then return "blocks" end -- a multiplexer passes on neither
  if has_kitty(term, program) then return "kitty" end
  return has_sixel(term) and "sixel" or "blocks"
end

-- The colours of a terminal with these variables: 2^24, 256, or 0 for none.
function terminal.colours()
  local term, direct = variable "TERM", variable "COLORTERM"
  if variable "NO_COLOR" ~= "" or term == "" or term == "dumb" or term:find "^vt%d" then return 0 end
  if direct == "truecolor" or direct == "24bit" or term:find "direct" or has_kitty(term, variable "TERM_PROGRAM")
    or has_sixel(term) then return 1 << 24 end
  return 256
end

-- --- half blocks ------------------------------------------------------------------------------------------------

local levels = { 0, 95, 135, 175, 215, 255 } -- of the cube of 6 x 6 x 6 among 256 colours

local function nearest_level(v) return v < 48 and 0 or v < 115 and 1 or (v - 35) // 40 end

-- The number among 256 colours: of the cube, or of the greys 8, 18, … 238.
local function of_256(r, g, b)
  local i, j, k = nearest_level(r), nearest_level(g), nearest_level(b)
  local grey = math.max(0, math.min(23, (r + g + b - 9) // 30))
  local function distance(x, y, z) return (r - x) ^ 2 + (g - y) ^ 2 + (b - z) ^ 2 end
  local v = 8 + 10 * grey
  if distance(v, v, v) < distance(levels[i + 1], levels[j + 1], levels[k + 1]) then return 232 + grey end
  return 16 + 36 * i + 6 * j + k
end

-- The sequence that sets a colour; layer: 38 for the character, 48 for what is behind it.
function terminal.colour(layer, colours, r, g, b)
  if colours == 256 then return ("\27[%d;5;%dm"):format(layer, of_256(r, g, b)) end
  return ("\27[%d;2;%d;%d;%dm"):format(layer, r, g, b)
end

-- Lines of characters that each show two pixels, one above the other, as a list.
function terminal.blocks(rgb, width, height, colours)
  local lines, known = {}, { [38] = {}, [48] = {} }
  local function sequence(layer, x, y)
    local place = 3 * (y * width + x) + 1
    local pixel = rgb:sub(place, place + 2)
    local text = known[layer][pixel]
    if not text then
      text = terminal.colour(layer, colours, pixel:byte(1, 3))
      known[layer][pixel] = text
    end
    return text
  end
  for y = 0, height - 1, 2 do
    local out, above, below = {}, nil, nil
    for x = 0, width - 1 do
      local top, bottom = sequence(38, x, y), y + 1 < height and sequence(48, x, y + 1) or ""
      out[#out + 1] = (top ~= above and top or "") .. (bottom ~= below and bottom or "") .. "▀"
      above, below = top, bottom
    end
    lines[#lines + 1] = table.concat(out) .. "\27[0m"
  end
  return lines
end

-- --- characters -------------------------------------------------------------------------------------------------

local shades = " .:-=+*#%@"

-- Lines of characters for brightness from 0 to 1, a list of numbers by rows; "?" for NaN.
function terminal.shades(values, width, height)
  local lines = {}
  for y = 1, height do
    local out = {}
    for x = 1, width do
      local v = values[(y - 1) * width + x]
      local k = v == v and math.min(#shades, 1 + v * #shades // 1 | 0)
      out[x] = k and shades:sub(k, k) or "?"
    end
    lines[y] = table.concat(out):gsub(" +$", "")
  end
  return lines
end

-- --- sixels -----------------------------------------------------------------------------------------------------

-- The number of each pixel's colour, from 0, and the list of colours; nil when there are more than `most`.
local function palette_of(rgb, most)
  local numbers, colours, list, i = {}, {}, {}, 0
  for pixel in rgb:gmatch "..." do
    local k = numbers[pixel]
    if not k then
      if #colours == most then return nil end
      k = #colours
      numbers[pixel], colours[k + 1] = k, { pixel:byte(1, 3) }
    end
    i = i + 1
    list[i] = k
  end
  return list, colours
end

-- The same with each channel rounded to 6 values.
local function cube_of(rgb)
  return palette_of(rgb:gsub("[\0-\255]", function(c)
    return string.char((c:byte() * 5 + 127) // 255 * 51)
  end), 256)
end

-- A row of six pixels' height: for each colour in it a line of characters 63 + bits, runs shortened.
local function sixel_band(list, width, height, y)
  local bits, used = {}, {}
  for dy = 0, math.min(6, height - y) - 1 do
    local row = (y + dy) * width
    for x = 1, width do
      local k = list[row + x]
      local of = bits[k]
      if not of then
        of = {}
        bits[k], used[#used + 1] = of, k
      end
      of[x] = (of[x] or 0) | 1 << dy
    end
  end
  table.sort(used)
  local out = {}
  for _, k in ipairs(used) do
    local line, of, x = { "#" .. k }, bits[k], 1
    while x <= width do
      local v, first = of[x] or 0, x
      while x <= width and (of[x] or 0) == v do x = x + 1 end
      local c, n = string.char(63 + v), x - first
      line[#line + 1] = n > 3 and "!" .. n .. c or c:rep(n)
    end
    out[#out + 1] = table.concat(line)
  end
  return table.concat(out, "$")
end

-- A picture of up to 256 colours as it is, of more by libchafa's choice of them, without it in 216 colours.
function terminal.sixels(rgb, width, height)
  local list, colours = palette_of(rgb, 256)
  if not list then
    local text = core.chafa(rgb, width, height, width, (height + 5) // 6 * 6, true, true)
    if text then return text end
    list, colours = cube_of(rgb)
  end
  local out = { ('\27P0;1;0q"1;1;%d;%d'):format(width, height) }
  for k, c in ipairs(colours) do
    out[#out + 1] = ("#%d;2;%d;%d;%d"):format(k - 1, (c[1] * 100 + 127) // 255, (c[2] * 100 + 127) // 255,
      (c[3] * 100 + 127) // 255)
  end
  local bands = {}
  for y = 0, height - 1, 6 do bands[#bands + 1] = sixel_band(list, width, height, y) end
  return table.concat(out) .. table.concat(bands, "-") .. "\27\\"
end

-- --- kitty ------------------------------------------------------------------------------------------------------

local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local pairs_of_digits = {} -- of 12 bits
for i = 0, 4095 do
  pairs_of_digits[i] = digits:sub((i >> 6) + 1, (i >> 6) + 1) .. digits:sub((i & 63) + 1, (i & 63) + 1)
end

-- Base64 of a string whose length is a multiple of 3.
local function base64(s)
  local out = {}
  for i = 1, #s, 3 do
    local v = string.unpack(">I3", s, i)
    out[#out + 1] = pairs_of_digits[v >> 12]
    out[#out + 1] = pairs_of_digits[v & 4095]
  end
  return table.concat(out)
end

-- RGB in pieces of 4096 characters; q=2: the terminal sends no answer.
function terminal.kitty(rgb, width, height)
  local text, out = base64(rgb), {}
  for at = 1, #text, 4096 do
    local head = at == 1 and ("a=T,f=24,s=%d,v=%d,q=2,"):format(width, height) or ""
    out[#out + 1] = ("\27_G%sm=%d;%s\27\\"):format(head, at + 4096 <= #text and 1 or 0, text:sub(at, at + 4095))
  end
  return table.concat(out)
end

return terminal
