-- dc.image.show and colormaps: the text is read back and compared with the array's pixels.
local dc = require "dotcompute"
local core = require "dotcompute.core"
local h = require "spec.helper"
local screen = require "spec.plot.screen"
local terminal = require "spec.terminal"
local fails, note = h.fails, h.note

local direct = { TERM = "xterm", COLORTERM = "truecolor" }

local function shown(a, options, environment, size)
  return screen.capture(function() dc.image.show(a, options) end, environment or direct, size)
end

local function bytes(...) return dc.random.integers(..., { high = 255, dtype = "uint8" }):eval() end

-- Asserts that pixels {r, g, b} by row and column are those of want(y, x), within `slack`.
local function check(rows, height, width, want, slack, text)
  for y = 1, height do
    assert(#rows[y] == width, note(("%s: row %d has %d pixels, not %d"):format(text or "", y, #rows[y], width)))
    for x = 1, width do
      local w = want(y, x)
      for c = 1, 3 do
        if math.abs(rows[y][x][c] - w[c]) > slack then
          error(note(("%s: channel %d of %d,%d is %s, not %s"):format(text or "", c, y, x, rows[y][x][c], w[c])))
        end
      end
    end
  end
end

-- The mean of the rectangle that pixel y, x of `rows` x `columns` covers in t (h x w), by its definition.
local function area_mean(t, height, width, rows, columns, y, x)
  local sum, weight = 0, 0
  for v = 1, height do
    for u = 1, width do
      local tall = math.min(v, y * height / rows) - math.max(v - 1, (y - 1) * height / rows)
      local wide = math.min(u, x * width / columns) - math.max(u - 1, (x - 1) * width / columns)
      if tall > 0 and wide > 0 then
        sum, weight = sum + tall * wide * t[v][u], weight + tall * wide
      end
    end
  end
  return sum / weight
end

local function grey(v) return { v, v, v } end

describe("dc.image.show in half blocks", function()
  it("shows the very colours of RGB pictures that fit, of even and uneven heights", function()
    for _ = 1, 6 do
      local height, width = math.random(1, 12), math.random(1, 60)
      local a = bytes { height, width, 3 }
      local t = a:to_table()
      local rows = screen.blocks(shown(a, { protocol = "blocks" }))
      assert.equal(height, #rows)
      check(rows, height, width, function(y, x) return t[y][x] end, 0)
    end
  end)

  it("shows bytes and bools as they are, 16 bits scaled, alpha over black", function()
    local a = bytes { 6, 9 }
    local t = a:to_table()
    check(screen.blocks(shown(a, { protocol = "blocks" })), 6, 9, function(y, x) return grey(t[y][x]) end, 0, "uint8")
    check(screen.blocks(shown(a:gt(100), { protocol = "blocks" })), 6, 9,
      function(y, x) return grey(t[y][x] > 100 and 255 or 0) end, 0, "bool")
    check(screen.blocks(shown(a:to "uint16" * 256, { protocol = "blocks" })), 6, 9,
      function(y, x) return grey(t[y][x] * 256 / 65535 * 255) end, 0.51, "uint16")
    local b = bytes { 4, 5, 4 }
    local p = b:to_table()
    check(screen.blocks(shown(b, { protocol = "blocks" })), 4, 5,
      function(y, x) return { p[y][x][1] * p[y][x][4] / 255, p[y][x][2] * p[y][x][4] / 255,
        p[y][x][3] * p[y][x][4] / 255 } end, 0.51, "RGBA")
    local c = bytes { 4, 5, 2 }
    local q = c:to_table()
    check(screen.blocks(shown(c, { protocol = "blocks" })), 4, 5,
      function(y, x) return grey(q[y][x][1] * q[y][x][2] / 255) end, 0.51, "grey and alpha")
  end)

  it("scales other numbers from their smallest to their largest, or from low to high", function()
    for _, dtype in ipairs { "float32", "float64", "float16", "int32", "int64", "int8" } do
      local a = dc.random.integers({ 5, 8 }, { low = -100, high = 100 }):to(dtype):eval()
      local t, low, high = a:to_table(), math.huge, -math.huge
      for _, row in ipairs(t) do low, high = math.min(low, table.unpack(row)), math.max(high, table.unpack(row)) end
      check(screen.blocks(shown(a, { protocol = "blocks", colormap = "gray" })), 5, 8,
        function(y, x) return grey((t[y][x] - low) / (high - low) * 255) end, 0.51, dtype)
      check(screen.blocks(shown(a, { protocol = "blocks", colormap = "gray", low = -50, high = 20 })), 5, 8,
        function(y, x) return grey(math.max(0, math.min(1, (t[y][x] + 50) / 70)) * 255) end, 0.51, dtype)
    end
    local huge = dc.array({ { -1.7e308, 0, 1.7e308 } }, "float64")
    check(screen.blocks(shown(huge, { protocol = "blocks", colormap = "gray" })), 1, 3,
      function(_, x) return grey((x - 1) * 127.5) end, 0.51, "differences above float64's limit")
    local views = dc.arange(0, 11):reshape(3, 4).T
    check(screen.blocks(shown(views, { protocol = "blocks", colormap = "gray" })), 4, 3,
      function(y, x) return grey(((x - 1) * 4 + y - 1) / 11 * 255) end, 0.51, "a transposed view")
  end)

  it("shows NaN in magenta, which no colormap has; infinite values are the ends, all equal ones the low end", function()
    local nan, inf = 0 / 0, math.huge
    local function of(t) return screen.blocks(shown(dc.array(t), { protocol = "blocks", colormap = "gray" })) end
    assert.same({ { { 0, 0, 0 }, { 255, 0, 255 }, { 255, 255, 255 }, { 0, 0, 0 }, { 255, 255, 255 } } },
      of { { 1, nan, 2, -inf, inf } })
    assert.same({ { { 255, 0, 255 }, { 255, 0, 255 } } }, of { { nan, nan } })
    assert.same({ { { 0, 0, 0 }, { 0, 0, 0 }, { 255, 0, 255 }, { 255, 255, 255 } } }, of { { 3, 3, nan, inf } })
    for _, name in ipairs(dc.image.colormaps()) do
      local ramp = dc.image.colormap(dc.linspace(0, 1, 1000), name):to_table()
      for _, c in ipairs(ramp) do assert(not (c[1] > 220 and c[2] < 40 and c[3] > 220), name) end
    end
  end)

  it("has 256 colours where the terminal does not say that it has more", function()
    local a = bytes { 8, 30, 3 }
    local t = a:to_table()
    local text = shown(a, { protocol = "blocks" }, { TERM = "xterm-256color" })
    assert.is_nil(text:find "8;2;")
    local all = {} -- xterm's cube and greys
    for _, r in ipairs { 0, 95, 135, 175, 215, 255 } do
      for _, g in ipairs { 0, 95, 135, 175, 215, 255 } do
        for _, b in ipairs { 0, 95, 135, 175, 215, 255 } do all[#all + 1] = { r, g, b } end
      end
    end
    for v = 8, 238, 10 do all[#all + 1] = grey(v) end
    local function distance(p, q) return (p[1] - q[1]) ^ 2 + (p[2] - q[2]) ^ 2 + (p[3] - q[3]) ^ 2 end
    for y, row in ipairs(screen.blocks(text)) do
      for x, got in ipairs(row) do
        local least = math.huge
        for _, c in ipairs(all) do least = math.min(least, distance(c, t[y][x])) end
        assert(distance(got, t[y][x]) == least, note(("pixel %d,%d"):format(y, x)))
      end
    end
  end)

  it("goes where the title stands first, without its control characters", function()
    assert.equal("a b\n\27", shown(dc.zeros(1, 1), { protocol = "blocks", title = "a\nb" }):sub(1, 5))
  end)
end)

describe("dc.image.show", function()
  it("makes pictures smaller by means over areas, to fit the terminal", function()
    for _ = 1, 4 do
      local height, width = math.random(20, 70), math.random(50, 90)
      local a = bytes { height, width }
      local t = a:to_table()
      local columns, lines = math.random(10, 40), math.random(5, 15)
      local scale = math.min(columns / width, 2 * (lines - 2) / height, 1)
      local wide, high = math.floor(width * scale + 0.5), math.floor(height * scale + 0.5)
      local rows = screen.blocks(shown(a, { protocol = "blocks" }, direct, { columns, lines, 0, 0 }))
      assert.equal(high, #rows, note())
      check(rows, high, wide, function(y, x) return grey(area_mean(t, height, width, high, wide, y, x)) end, 0.52)
    end
  end)

  it("enlarges to an explicit width or height, and keeps the aspect", function()
    local a = dc.array({ { 0, 255 }, { 255, 0 } }, "uint8")
    local rows = screen.blocks(shown(a, { protocol = "blocks", width = 10 }))
    assert.equal(10, #rows)
    check(rows, 10, 10, function(y, x) return grey((y <= 5) == (x <= 5) and 0 or 255) end, 0)
    assert.equal(10, #screen.blocks(shown(a, { protocol = "blocks", height = 5 })))
    assert.equal(4, #screen.blocks(shown(a, { protocol = "blocks", height = 5, width = 4 })))
    assert.equal(1, #screen.blocks(shown(dc.zeros(1, 1000), { protocol = "blocks" })))
    local tall = screen.blocks(shown(dc.zeros(1000, 1), { protocol = "blocks" }, direct, { 80, 24, 0, 0 }))
    assert.equal(44, #tall)
    assert.equal(1, #tall[1])
  end)

  it("writes characters of growing darkness, and no escape sequence, to what is no terminal", function()
    local a = dc.repeat_(dc.linspace(0, 1, 20):reshape(1, 20), 4, 1)
    local lines = screen.lines(shown(a, nil, direct))
    assert.equal(2, #lines)
    assert.equal("  ..::--==++**##%%@@", lines[1])
    a[{ ":", 3 }] = 0 / 0
    assert.equal("  ?.::--==++**##%%@@", screen.lines(shown(a, nil, direct))[2])
    local rgb = dc.zeros(2, 3, 3, "uint8")
    rgb[{ ":", 2, 2 }] = 255 -- green has 0.7152 of white's brightness
    assert.equal(" #\n", shown(rgb, { protocol = "text" }))
    for _, line in ipairs(screen.lines(shown(dc.random.uniform(100, 300)))) do assert.is_true(#line <= 80) end
  end)

  it("sends kitty whole pixels, a square of them for each of a small picture's", function()
    local a = bytes { 7, 40, 3 }
    local t = a:to_table()
    local rows, rest = screen.kitty(shown(a, { protocol = "kitty" }, direct, { 100, 40, 1000, 800 }))
    assert.equal("\n", rest)
    assert.equal(70, #rows)
    check(rows, 70, 400, function(y, x) return t[(y - 1) // 10 + 1][(x - 1) // 10 + 1] end, 0)
  end)

  it("sends sixels: up to 256 colours as they are, of more the nearest of 216", function()
    local a = bytes { 13, 16 }
    local t = a:to_table()
    local rows, rest = screen.sixels(shown(a, { protocol = "sixel" }, direct, { 16, 20, 16, 40 }))
    assert.equal("\n", rest)
    check(rows, 13, 16, function(y, x) return grey(t[y][x]) end, 1.3) -- sixels have 101 values of a channel
    local b = bytes { 20, 30, 3 }
    local p = b:to_table()
    rows = screen.sixels(shown(b, { protocol = "sixel" }, direct, { 30, 30, 30, 60 }))
    check(rows, 20, 30, function(y, x) return p[y][x] end, 27)
  end)

  it("lets libchafa reduce many colours, and draw pictures that are larger than the half blocks", function()
    if not core.chafa() then return pending(select(2, core.chafa())) end
    local a = dc.image.colormap(dc.linspace(0, 1, 200) * dc.linspace(0, 1, 120):reshape(120, 1), "turbo")
    local text = screen.capture(function() dc.image.show(a, { protocol = "sixel" }) end, direct,
      { 200, 100, 200, 200 }, true)
    local rows = screen.sixels(text)
    local t, sum = a:to_table(), 0
    for y = 1, 120 do
      for x = 1, 200 do
        for c = 1, 3 do sum = sum + math.abs(rows[y][x][c] - t[y][x][c]) end
      end
    end
    assert(sum / (120 * 200 * 3) < 12, "the mean error of a channel is " .. sum / (120 * 200 * 3))
    text = screen.capture(function() dc.image.show(a, { protocol = "blocks", width = 30 }) end, direct, nil, true)
    local lines = screen.lines(text)
    assert.equal(9, #lines)
    for _, line in ipairs(lines) do assert.equal(30, utf8.len((line:gsub("\27%[[%d;]*m", "")))) end
  end)

  it("chooses what the terminal is known to understand", function()
    local size = { 80, 24, 640, 384 }
    local kitty, sixel, blocks, text = "^\27_G", "^\27P", "^\27%[%d", "^%+%+\n"
    for _, case in ipairs {
      { { TERM = "xterm-kitty" }, kitty }, { { TERM = "xterm-256color", KITTY_WINDOW_ID = "1" }, kitty },
      { { TERM = "xterm-ghostty" }, kitty }, { { TERM = "xterm-256color", TERM_PROGRAM = "WezTerm" }, kitty },
      { { TERM = "foot" }, sixel }, { { TERM = "mlterm" }, sixel },
      { { TERM = "xterm" }, blocks }, { { TERM = "tmux-256color", KITTY_WINDOW_ID = "1" }, blocks },
      { { TERM = "xterm-kitty", TMUX = "x" }, blocks }, { { TERM = "dumb" }, text }, { {}, text },
      { { TERM = "xterm-kitty", NO_COLOR = "1" }, text },
      { { TERM = "xterm", DOTCOMPUTE_PICTURES = "sixel" }, sixel },
      { { TERM = "xterm-kitty", DOTCOMPUTE_PICTURES = "blocks" }, blocks },
      { { TERM = "xterm-kitty", DOTCOMPUTE_PICTURES = "auto" }, kitty },
      { { TERM = "xterm-kitty", DOTCOMPUTE_PICTURES = "" }, kitty },
    } do
      local name = require "dotcompute.prompt.show".value(case[1])
      assert.matches(case[2], shown(dc.ones(2, 2) * 0.5, { low = 0, high = 1 }, case[1], size), 1, false, name)
    end
    fails("argument", "DOTCOMPUTE_PICTURES is .* not the string 'nonsense'", function()
      shown(dc.ones(2, 2), nil, { TERM = "xterm", DOTCOMPUTE_PICTURES = "nonsense" }, size)
    end)
    local a = dc.ones(2, 2) * 0.5 -- not to a terminal
    assert.matches(text, shown(a, { low = 0, high = 1 }, { TERM = "xterm-kitty" }))
    assert.matches(text, shown(a, { low = 0, high = 1 }, { TERM = "xterm", DOTCOMPUTE_PICTURES = "kitty" }))
  end)

  it("knows a real terminal, and its width", function()
    if not terminal.exists then return pending "python3 has no pty" end
    local script = h.temporary [[require "dotcompute".image.show(require "dotcompute".ones(4, 200, "uint8") * 255)]]
    local command = ("stty cols 50 rows 20; exec %s %s"):format(h.quote(h.dclua), script)
    local environment = "DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CHAFA=off DOTCOMPUTE_PROGRESS=off "
      .. "TERM=xterm COLORTERM=truecolor"
    local text = h.shell(("%s python3 -c %s %s </dev/null"):format(environment,
      h.quote "import pty, sys; pty.spawn(['sh', '-c', sys.argv[1]])", h.quote(command)))
    os.remove(script)
    local rows = screen.blocks((text:gsub("\r", ""):gsub("^[^\27]*", "")))
    assert.equal(1, #rows)
    check(rows, 1, 50, function() return grey(255) end, 0)
  end)

  it("refuses what is no picture, and options without a meaning", function()
    local a = dc.ones(3, 3)
    for _, case in ipairs {
      { "argument", "an array expected, got nil", nil }, { "argument", "an array expected, got a table", { 1, 2 } },
      { "shape", "the array is 4 %(dc%.plot%.line", dc.ones(4) }, { "shape", "3 x 3 x 5", dc.ones(3, 3, 5) },
      { "shape", "no elements", dc.zeros { 0, 3 } }, { "shape", "a single value", dc.array(1) },
      { "dtype", "complex", a:to "complex64" },
      { "argument", "no colormap the string 'jet'; there are coolwarm, gray", a, { colormap = "jet" } },
      { "argument", "of one channel; this one has 3", dc.ones(3, 3, 3), { colormap = "gray" } },
      { "argument", "'width' is 1 to 4096", a, { width = 0 } }, { "argument", "'height' is 1 to", a, { height = -3 } },
      { "argument", "'width' is an integer", a, { width = 2.5 } },
      { "argument", "'protocol' is \"auto\"", a, { protocol = "ascii" } },
      { "argument", "'low' is below option 'high', got 3", a, { low = 3, high = 3 } },
      { "argument", "'low' is finite, got", a, { low = 0 / 0 } },
      { "argument", "'high' is finite", a, { high = 1 / 0 } },
      { "argument", "no element lies between 5", a, { low = 5 } },
      { "argument", "no option 'widht' %(did you mean 'width'", a, { widht = 3 } },
    } do
      fails(case[1], case[2], function() dc.image.show(case[3], case[4]) end)
    end
    local closed = dc.ones(2, 2)
    closed:close()
    assert.is_false((pcall(dc.image.show, closed)))
  end)

  it("gives back its memory", function()
    local a = dc.random.uniform(50, 200):eval()
    h.gives_back(function() shown(a, { protocol = "blocks" }) end)
  end)
end)

describe("dc.image.colormap", function()
  -- Entries of the published tables of 256 (matplotlib's _cm_listed.py), between points of ours.
  local published = {
    viridis = { [20] = { 72, 29, 111 }, [100] = { 42, 118, 142 }, [205] = { 124, 210, 80 } },
    magma = { [20] = { 14, 11, 43 }, [100] = { 137, 40, 129 }, [205] = { 254, 161, 110 } },
    inferno = { [20] = { 16, 9, 45 }, [100] = { 144, 37, 104 }, [205] = { 252, 166, 12 } },
    plasma = { [20] = { 56, 4, 154 }, [100] = { 174, 40, 146 }, [205] = { 252, 168, 53 } },
    turbo = { [20] = { 66, 75, 181 }, [100] = { 63, 246, 138 }, [205] = { 239, 88, 17 } },
  }

  it("has the published colours", function()
    for name, entries in pairs(published) do
      for k, want in pairs(entries) do
        local got = dc.image.colormap(dc.array({ k / 255 }, "float64"), name, { low = 0, high = 1 }):to_table()[1]
        for c = 1, 3 do
          assert(math.abs(got[c] - want[c]) <= 4, ("%s %d: %s, not %s"):format(name, k, table.concat(got, " "),
            table.concat(want, " ")))
        end
      end
    end
    local warm = dc.image.colormap(dc.array { 0, 0.5, 1 }, "coolwarm"):to_table()
    assert.same({ { 59, 76, 192 }, { 221, 221, 221 }, { 180, 4, 38 } }, warm)
  end)

  it("takes arrays of any shape, and is uint8 with one more axis", function()
    for _, shape in ipairs { { 5 }, { 2, 3 }, { 2, 3, 4 } } do
      local c = dc.image.colormap(dc.random.uniform(shape))
      assert.equal("uint8", c.dtype)
      local want = table.move(shape, 1, #shape, 1, {})
      want[#want + 1] = 3
      assert.same(want, { c:shape() })
    end
    assert.same({ { 0, 0, 0 }, { 128, 128, 128 }, { 255, 255, 255 } },
      dc.image.colormap(dc.array { 1, 2, 3 }, { name = "gray" }):to_table())
    assert.same({ "coolwarm", "gray", "inferno", "magma", "plasma", "turbo", "viridis" }, dc.image.colormaps())
  end)

  it("refuses what it cannot colour", function()
    fails("argument", "no colormap the string 'hot'", function() dc.image.colormap(dc.ones(3), "hot") end)
    fails("argument", "an array expected", function() dc.image.colormap(3) end)
    fails("shape", "no elements", function() dc.image.colormap(dc.zeros { 0 }) end)
    fails("dtype", "complex", function() dc.image.colormap(dc.ones(3, "complex64")) end)
    fails("argument", "'low' is below", function() dc.image.colormap(dc.ones(3), { low = 2, high = 1 }) end)
  end)
end)
