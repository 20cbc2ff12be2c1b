-- For specs of pictures in the terminal: what is written to standard output in a pretended terminal, and readers of
-- its text: half blocks, sixels, kitty's protocol, Braille dots.
local core = require "dotcompute.core"
local screen = {}

-- Calls fn with these environment variables (others are not set) and a terminal of size = {columns, lines, width,
-- height}, nil for none; libchafa is not there unless `chafa`. Returns what fn wrote.
function screen.capture(fn, environment, size, chafa)
  local out, stdout, getenv, terminal, real = {}, io.stdout, os.getenv, core.terminal, core.chafa
  local fake = { flush = function() end }
  function fake:write(...)
    for _, s in ipairs { ... } do out[#out + 1] = s end
    return self
  end
  rawset(io, "stdout", fake)
  rawset(os, "getenv", function(name) return (environment or {})[name] end)
  core.terminal = function() if size then return table.unpack(size) end end
  if not chafa then core.chafa = function() return nil, "not there" end end
  local ok, err = pcall(fn)
  rawset(io, "stdout", stdout)
  rawset(os, "getenv", getenv)
  core.terminal, core.chafa = terminal, real
  if not ok then error(err, 0) end
  return table.concat(out)
end

-- The lines of a text that ends with a line's end.
function screen.lines(text)
  local list = {}
  for line in text:gmatch "(.-)\n" do list[#list + 1] = line end
  assert(text == "" or text:sub(-1) == "\n")
  return list
end

local levels = { [0] = 0, 95, 135, 175, 215, 255 }

-- Red, green and blue of a colour sequence's numbers behind 38 or 48.
local function colour_of(list, k)
  if list[k] == 2 then return { list[k + 1], list[k + 2], list[k + 3] }, k + 4 end
  assert(list[k] == 5)
  local n = list[k + 1]
  if n >= 232 then return { 8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232) }, k + 2 end
  n = n - 16
  return { levels[n // 36], levels[n // 6 % 6], levels[n % 6] }, k + 2
end

-- Rows of pixels {r, g, b}; an uneven height leaves the last row nil.
function screen.blocks(text)
  local rows = {}
  for k, line in ipairs(screen.lines(text)) do
    local above, below, front, back, at = {}, {}, nil, nil, 1
    while at <= #line do
      local sequence, rest = line:match("^\27%[([%d;]*)m()", at)
      if sequence then
        local list, i = {}, 1
        for n in sequence:gmatch "%d+" do list[#list + 1] = tonumber(n) end
        while i <= #list do
          if list[i] == 38 then front, i = colour_of(list, i + 1)
          elseif list[i] == 48 then back, i = colour_of(list, i + 1)
          else
            assert(list[i] == 0)
            front, back, i = nil, nil, i + 1
          end
        end
        at = rest
      else
        assert(line:sub(at, at + 2) == "▀", "no half block: " .. line:sub(at, at + 10))
        above[#above + 1], below[#below + 1] = front, back
        at = at + 3
      end
    end
    rows[2 * k - 1], rows[2 * k] = above, #below > 0 and below or nil
  end
  return rows
end

local function base64_bytes(text)
  local digits, bits, n, out = {}, 0, 0, {}
  for k, c in ipairs { ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"):byte(1, -1) } do
    digits[c] = k - 1
  end
  for k = 1, #text do
    bits, n = bits << 6 | digits[text:byte(k)], n + 6
    if n >= 8 then
      n = n - 8
      out[#out + 1] = string.char(bits >> n & 255)
      bits = bits & (1 << n) - 1
    end
  end
  return table.concat(out)
end

local function pixel_rows(bytes, width, height)
  local rows = {}
  for y = 1, height do
    rows[y] = {}
    for x = 1, width do rows[y][x] = { bytes:byte(3 * ((y - 1) * width + x) - 2, 3 * ((y - 1) * width + x)) } end
  end
  return rows
end

function screen.kitty(text)
  local parts, width, height, at, more = {}, nil, nil, 1
  repeat
    local keys, piece, rest = text:match("^\27_G([^;]*);([^\27]*)\27\\()", at)
    assert(keys and #piece <= 4096 and #piece % 4 == 0)
    if at == 1 then
      assert(keys:find "a=T," and keys:find "f=24," and keys:find "q=2,")
      width, height = tonumber(keys:match "s=(%d+)"), tonumber(keys:match "v=(%d+)")
    end
    more, at = keys:match "m=(%d)" == "1", rest
    parts[#parts + 1] = piece
  until not more
  local bytes = base64_bytes(table.concat(parts))
  assert(#bytes == 3 * width * height)
  return pixel_rows(bytes, width, height), text:sub(at)
end

function screen.sixels(text)
  local width, height, at = text:match '^\27P[%d;]*q"1;1;(%d+);(%d+)()'
  width, height = tonumber(width), tonumber(height)
  local colours, rows, x, top, current = {}, {}, 1, 0, nil
  for y = 1, height do rows[y] = {} end
  local function put(c, n)
    local set = c:byte() - 63
    for _ = 1, n do
      for dy = 0, 5 do
        if set >> dy & 1 == 1 then
          assert(x <= width and top + dy < height, "a pixel outside of the picture")
          rows[top + dy + 1][x] = colours[current]
        end
      end
      x = x + 1
    end
  end
  while true do
    local c = text:sub(at, at)
    if c == "#" then
      local n, r, g, b, rest = text:match("^#(%d+);2;(%d+);(%d+);(%d+)()", at)
      if n then
        colours[n] = { r * 255 / 100, g * 255 / 100, b * 255 / 100 }
      else
        n, rest = text:match("^#(%d+)()", at)
      end
      current, at = n, rest
    elseif c == "!" then
      local n, ch, rest = text:match("^!(%d+)([?-~])()", at)
      put(ch, tonumber(n))
      at = rest
    elseif c == "$" then x, at = 1, at + 1
    elseif c == "-" then x, top, at = 1, top + 6, at + 1
    elseif c == "\27" then
      assert(text:sub(at + 1, at + 1) == "\\")
      return rows, text:sub(at + 2)
    else
      put(c, 1)
      at = at + 1
    end
  end
end

local dots = { 0x01, 0x02, 0x04, 0x40, 0x08, 0x10, 0x20, 0x80 }

-- A plotted figure: rows[y][x] is true where there is a dot, from the top; labels by line; the other lines.
function screen.plot(text)
  local rows, labels, others, n = {}, {}, {}, 0
  for line in (text .. "\n"):gmatch "(.-)\n" do
    line = line:gsub("\27%[[%d;]*m", "")
    local head, body = line:match "^([%s%d%.%-+e]*)\xe2\x94[\xa4\x82](.*)$" -- the frame's left side
    if head then
      for k = 1, 4 do rows[4 * n + k] = {} end
      local x = 0
      for _, code in utf8.codes(body) do
        if code ~= 32 then
          assert(code >= 0x2800 and code <= 0x28ff, "no Braille character: " .. body)
          for k, bit in ipairs(dots) do
            if code - 0x2800 & bit ~= 0 then rows[4 * n + (k - 1) % 4 + 1][2 * x + 1 + (k - 1) // 4] = true end
          end
        end
        x = x + 1
      end
      n = n + 1
      labels[n] = head:match "^%s*(.-)%s*$"
    else
      others[#others + 1] = line
    end
  end
  return rows, labels, others
end

return screen
