-- dc.plot: dots of the text are compared with the places that the data has; PNG and SVG are read back.
local dc = require "dotcompute"
local h = require "spec.helper"
local formats = require "spec.formats"
local screen = require "spec.plot.screen"
local fails, note, quote = h.fails, h.note, h.quote

local folder, remove = formats.folder()
teardown(remove)
local function path(name) return folder .. name end

local has_gnuplot = os.execute "command -v gnuplot >/dev/null 2>&1" == true

-- A test that needs gnuplot.
local function it_draws(name, fn)
  it(name, function()
    if not has_gnuplot then return pending "gnuplot is not installed (Debian: gnuplot-nox)" end
    fn()
  end)
end

-- The text of a figure in that size, in a pretended terminal without colours.
local function text_of(figure, width, height)
  return screen.capture(function() figure:show { protocol = "text", width = width, height = height } end):sub(1, -2)
end

-- Rows of dots, the width and height in dots, labels, other lines.
local function drawn(figure, width, height)
  local text = text_of(figure, width or 60, height or 16)
  local rows, labels, others = screen.plot(text)
  local axis = others[1]:find "└" and others[1] or others[2]:find "└" and others[2] or others[3]
  return rows, 2 * (utf8.len(axis:match "└(.*)$")), #rows, labels, others
end

-- The rows (from the top) of the dots in a column.
local function column(rows, x)
  local list = {}
  for y = 1, #rows do if rows[y][x] then list[#list + 1] = y end end
  return list
end

-- --- text ---------------------------------------------------------------------------------------------------------

describe("a figure's text", function()
  it("has a line's dots where its values are", function()
    for _ = 1, 5 do
      local n, a, b = math.random(20, 400), math.random() * 4 - 2, math.random() * 10
      local t = {}
      for k = 1, n do t[k] = a * k + b end
      local low, high = math.min(t[1], t[n]), math.max(t[1], t[n])
      local rows, wide, high_dots = drawn(dc.plot.line(t, { ylim = { low, high } }))
      for x = 1, wide do
        local v = a * (1 + (x - 1) / (wide - 1) * (n - 1)) + b
        local want = 1 + (high - v) / (high - low) * (high_dots - 1)
        local list = column(rows, x)
        assert(#list >= 1, note("no dot in column " .. x))
        for _, y in ipairs(list) do
          assert(math.abs(y - want) <= 1 + high_dots / wide, note(("dot %d in column %d, not %.1f"):format(y, x, want)))
        end
      end
    end
  end)

  it("shows dtypes, views, pending expressions and tables alike", function()
    local want = text_of(dc.plot.line { 1, 4, 2, 8, 5 }, 60, 16)
    local a = dc.array({ { 1, 0 }, { 4, 0 }, { 2, 0 }, { 8, 0 }, { 5, 0 } })
    for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16", "int8", "int64", "uint8", "uint64" } do
      assert.equal(want, text_of(dc.plot.line(a:to(dtype):slice(":", 1)), 60, 16), dtype)
    end
    assert.equal(want, text_of(dc.plot.line(a:slice(":", 1) * 2 / 2), 60, 16))
    assert.equal(want, text_of(dc.plot.line({ 1, 2, 3, 4, 5 }, a:slice(":", 1)), 60, 16))
  end)

  it("has a point for each point, and none elsewhere", function()
    local n = 200
    local x, y = dc.random.uniform(n, { dtype = "float64" }), dc.random.uniform(n, { dtype = "float64" })
    local xs, ys = x:eval():to_table(), y:eval():to_table()
    local rows, wide, high = drawn(dc.plot.points(x, y, { xlim = { 0, 1 }, ylim = { 0, 1 } }))
    local want = {}
    for k = 1, n do
      local at = 1 + math.floor(xs[k] * (wide - 1) + 0.5)
      want[at] = want[at] or {}
      want[at][high - math.floor(ys[k] * (high - 1) + 0.5)] = true
    end
    for c = 1, wide do
      for r = 1, high do
        assert((rows[r][c] or false) == (want[c] and want[c][r] or false), note(("dot %d,%d"):format(r, c)))
      end
    end
  end)

  it("has a gap where values are NaN or infinite, and names none of them at the axis", function()
    for _, v in ipairs { 0 / 0, math.huge, -math.huge } do
      local t = {}
      for k = 1, 100 do t[k] = k <= 30 and 1 or k > 60 and 2 or v end
      local rows, wide = drawn(dc.plot.line(t))
      local function at(k) return 1 + math.floor((k - 1) / 99 * (wide - 1) + 0.5) end
      for x = 1, wide do
        assert(#column(rows, x) == ((x <= at(30) or x >= at(61)) and 1 or 0), note("column " .. x))
      end
    end
  end)

  it("draws powers as straight lines on logarithmic axes, without what is not positive", function()
    local x = dc.arange(1, 1000, "float64")
    local rows, wide, high = drawn(dc.plot.line(x, x * x, { log = "xy", ylim = { 1, 1e6 } }))
    for c = 1, wide do
      for _, y in ipairs(column(rows, c)) do
        assert(math.abs(y - (1 + (wide - c) / (wide - 1) * (high - 1))) <= 2, note(("dot %d,%d"):format(y, c)))
      end
    end
    rows = drawn(dc.plot.points({ 1, 2, 3, 4 }, { 10, 0, -5, 1000 }, { log = "y" }))
    local n = 0
    for _, row in ipairs(rows) do for _ in pairs(row) do n = n + 1 end end
    assert.equal(2, n)
  end)

  it("keeps every spike of long lines", function()
    local n = 200000
    for round = 1, 4 do
      local a, at = dc.zeros(n), math.random(0, n // 3 - 1) * 3 + 2
      a[at] = 1
      if round > 2 then a = dc.where((dc.arange(1, n) % 3):eq(1), 0 / 0, a) end -- gaps that are narrower than a pixel
      local rows, wide, high = drawn(dc.plot.line(a, { ylim = { 0, 1 } }))
      local x = 1 + math.floor((at - 1) / (n - 1) * (wide - 1) + 0.5)
      local found = rows[1][x] or rows[1][x - 1] or rows[1][x + 1]
      assert(found, note("no dot at the top near column " .. x))
      for c = 1, wide do
        if math.abs(c - x) > 1 then assert.same({ high }, column(rows, c)) end
      end
    end
  end)

  it("has the same envelope for long lines as for all of their points", function()
    local n = 30000
    local x = dc.cumsum(dc.random.exponential(n, { dtype = "float64" })):eval()
    local y = dc.clip(dc.random.normal(n, { dtype = "float64" }), -5, 5):eval() -- what is outside limits has no point
    y[{ { 1000, 9000 } }] = 0 / 0
    for _, log in ipairs { "", "x" } do
      local limits = { xlim = { x[1], x[n] }, ylim = { -5, 5 }, log = log }
      local thin, wide = drawn(dc.plot.line(x, y, limits))
      local points = drawn(dc.plot.points(x, y, limits))
      local checked = 0
      for c = 2, wide - 1 do -- a stroke from the column before or to the next one may go farther than the points
        local line, top, bottom, few = column(thin, c), {}, {}, false
        for k = 1, 3 do
          local all = column(points, c + k - 2)
          few = few or #all < 10
          top[k], bottom[k] = all[1], all[#all]
        end
        if not few then
          checked = checked + 1
          local first, last = line[1], line[#line]
          assert(first >= math.min(table.unpack(top)) and first <= top[2], note("top of column " .. c))
          assert(last <= math.max(table.unpack(bottom)) and last >= bottom[2], note("bottom of column " .. c))
        end
      end
      assert(checked > 10, note("columns with many points"))
    end
  end)

  it("has bars of the heights of a histogram's counts", function()
    local data = {}
    for k, count in ipairs { 3, 7, 1, 0, 5 } do for _ = 1, count do data[#data + 1] = k - 0.5 end end
    local rows, wide, high = drawn(dc.plot.histogram(data, { 0, 1, 2, 3, 4, 5 }, { ylim = { 0, 7 } }))
    for k, count in ipairs { 3, 7, 1, 0, 5 } do
      local list = column(rows, math.floor((k - 0.5) / 5 * wide))
      local want = count == 0 and 0 or 1 + math.floor(count / 7 * (high - 1) + 0.5)
      assert(#list == want, note(("bar %d has %d dots, not %d"):format(k, #list, want)))
      if want > 0 then assert.equal(high, list[#list]) end
    end
    rows, wide, high = drawn(dc.plot.bars({ 2, -1 }, { ylim = { -2, 2 } }))
    local up, down = column(rows, wide // 4), column(rows, 3 * wide // 4)
    assert(up[1] <= 2 and math.abs(up[#up] - high / 2) <= 2)
    assert(math.abs(down[1] - high / 2) <= 2 and math.abs(down[#down] - high * 3 / 4) <= 2)
  end)

  it("has title, labels, numbers at the axes and a legend", function()
    local f = dc.plot.line({ 0, 10 }, { 0, 100 },
      { title = "A title", xlabel = "seconds", ylabel = "volts", label = "u" })
    f:line({ 0, 10 }, { 100, 0 }, { label = "v" })
    local text = text_of(f, 60, 20)
    local lines = screen.lines(text .. "\n")
    assert.equal("A title", lines[1]:match "^%s*(.-)$")
    assert.equal("volts", lines[2])
    assert.equal("seconds", lines[#lines - 1]:match "^%s*(.-)$")
    assert.equal(" * u   + v", lines[#lines])
    assert.matches("%f[%d]50┤", text)
    assert.matches("^%s+0 +.*10$", lines[#lines - 2])
    for _, line in ipairs(lines) do assert(utf8.len(line) <= 60, line) end
    assert.equal(20, #lines)
  end)

  it("is what tostring and the prompt give, as wide as arrays are printed", function()
    local core = require "dotcompute.core"
    local f = dc.plot.line { 1, 2, 3 }
    for line in tostring(f):gmatch "[^\n]+" do assert(utf8.len(line) <= core.columns()) end
    assert.equal(tostring(f), require "dotcompute.prompt.show".value(f))
    assert.equal("figure without series", tostring(dc.plot.figure()))
  end)

  it("has colours in a terminal, and none in files", function()
    local f = dc.plot.line { 1, 2, 3 }
    local environment = { TERM = "xterm" }
    local function show(size) return screen.capture(function() f:show() end, environment, size) end
    assert.is_nil(show():find "\27")
    local text = show { 90, 30, 0, 0 }
    assert.truthy(text:find "\27%[36m")
    assert.equal(text_of(f, 90, 20), (text:gsub("\27%[[%d;]*m", ""):gsub(" *\n", "\n"):sub(1, -2)))
  end)

  it("shows heat maps as characters, rows from the top unless y places them", function()
    local a = dc.array { { 0, 1 }, { 2, 3 } } -- of ten characters: " ", "-", "*", "@"
    local function corners(options)
      local list = {}
      for line in text_of(dc.plot.heatmap(a, options), 42, 14):gmatch "[^\n]+" do
        list[#list + 1] = line:match "\xe2\x94[\xa4\x82](.*)$"
      end
      local first, last = list[1] .. (" "):rep(50), list[#list] .. (" "):rep(50)
      return table.concat { first:sub(1, 1), first:sub(35, 35), last:sub(1, 1), last:sub(35, 35) }
    end
    assert.equal(" -*@", corners {})
    assert.equal("*@ -", corners { y = { 1, 2 } })
    assert.equal(" -*@", corners { y = { 2, 1 } })
    assert.equal("- @*", corners { x = { 9, 5 } })
    a[{ 1, 1 }] = 0 / 0
    assert.equal("? +@", corners {}) -- the smallest number is now 1
  end)

  it("shows heat maps in colours", function()
    local a = dc.random.uniform(6, 8):eval()
    local text = screen.capture(function() dc.plot.heatmap(a):show { protocol = "blocks", width = 20, height = 6 } end,
      { TERM = "xterm", COLORTERM = "truecolor" })
    local want = dc.image.colormap(a, "viridis"):to_table()
    local line = text:match "\xe2\x94[\xa4\x82](\27[^\n]*)"
    local pixels = screen.blocks(line .. "\n")
    assert.same(want[1][1], pixels[1][1])
    assert.same(want[1][8], pixels[1][#pixels[1]])
  end)
end)

-- --- files --------------------------------------------------------------------------------------------------------

describe("fig:save", function()
  it_draws("writes PNG files of the size asked for, with dark lines on white", function()
    local f = dc.plot.line({ 1, 3, 2 }, { title = "PNG" })
    for _, size in ipairs { {}, { width = 321, height = 234 } } do
      assert.equal(f, f:save(path "a.png", size))
      local a = dc.image.read(path "a.png")
      local height, width = a:shape()
      assert.same({ size.height or 600, size.width or 960 }, { height, width })
      local light = a:slice(":", ":", { 1, 3 }):to "float32":mean(3)
      local white = light:gt(250):to "float32":mean():item()
      assert(white > 0.8 and white < 0.995, "white is " .. white)
    end
  end)

  -- The points of the series' curve in an SVG file: gnuplot draws it in the first colour.
  local function curve(name)
    local list = {}
    local text = h.read(name):match "stroke='rgb%(%s*0, *114, *178%)'[^>]*d='([^']*)'"
      or h.read(name):match "d='([^']*)'[^>]*stroke='rgb%(%s*0, *114, *178%)'"
    if not text then
      local _, at = h.read(name):find("rgb(  0, 114, 178)", 1, true)
      text = h.read(name):match("d='([^']*)'", at)
    end
    for x, y in text:gmatch "([%d.]+),([%d.]+)" do list[#list + 1] = { tonumber(x), tonumber(y) } end
    return list, text
  end

  it_draws("draws every point of short lines at its place, from any dtype", function()
    for _, dtype in ipairs { "float64", "float32", "int16" } do
      local t = {}
      for k = 1, 20 do t[k] = math.random(-100, 100) end
      dc.plot.line(dc.array(t, dtype), { ylim = { -100, 100 }, xlim = { 1, 20 } }):save(path "c.svg")
      local list = curve(path "c.svg")
      assert.equal(20, #list)
      local x0, x1, low, high = list[1][1], list[20][1], math.huge, -math.huge
      local lowest, highest = math.min(table.unpack(t)), math.max(table.unpack(t))
      for _, p in ipairs(list) do low, high = math.min(low, p[2]), math.max(high, p[2]) end
      for k, p in ipairs(list) do
        assert(math.abs(p[1] - (x0 + (x1 - x0) * (k - 1) / 19)) < 0.2)
        assert(math.abs(p[2] - (high - (high - low) * (t[k] - lowest) / (highest - lowest))) < 0.2, note(k))
      end
    end
  end)

  it_draws("leaves gaps in lines, and sends long ones as their envelope", function()
    dc.plot.line({ 1, 2, 0 / 0, 3, 4 }):save(path "gap.svg")
    local _, text = curve(path "gap.svg")
    assert.equal(2, select(2, text:gsub("M", "")))
    local a = dc.zeros(300000)
    a[123456] = 1
    dc.plot.line(a, { ylim = { 0, 1 } }):save(path "long.svg")
    local list = curve(path "long.svg")
    assert(#list > 900 and #list <= 4 * 960, "points: " .. #list)
    local top, peaks = math.huge, 0
    for _, p in ipairs(list) do top = math.min(top, p[2]) end
    for _, p in ipairs(list) do
      if p[2] == top then
        peaks = peaks + 1
        local left, right = list[1][1], list[#list][1]
        assert(math.abs(p[1] - (left + (right - left) * 123455 / 299999)) < 1)
      end
    end
    assert.equal(1, peaks)
  end)

  it_draws("colours heat maps by the map, the first row on top", function()
    local a = dc.array { { 0, 1 }, { 2, 3 } }
    local function colours(options)
      dc.plot.heatmap(a, options):save(path "h.png", { width = 400, height = 400 })
      local p, list = dc.image.read(path "h.png"), {}
      for k, place in ipairs { { 100, 100 }, { 100, 250 }, { 300, 100 }, { 300, 250 } } do
        list[k] = p:slice(place[1], place[2], { 1, 3 }):to_table()
      end
      return list
    end
    local map = dc.image.colormap(dc.array { 0, 1, 2, 3 }):to_table()
    local function same(want, got)
      for k = 1, 4 do
        for c = 1, 3 do assert(math.abs(want[k][c] - got[k][c]) <= 3, ("place %d: %s"):format(k, got[k][c])) end
      end
    end
    same(map, colours {})
    same({ map[3], map[4], map[1], map[2] }, colours { y = { 10, 20 } })
    same({ map[2], map[1], map[4], map[3] }, colours { x = { 2, 1 } })
  end)

  it_draws("takes any text as it is: quotes, backquotes, markup, line ends", function()
    local title = "<a> & `id` $(id) \"q\" 'q' \\n {x}_2^3 @y % é\nset output 'pwned'"
    dc.plot.line({ 1, 2 }, { title = title, xlabel = "'", label = "\\" }):save(path "t.svg")
    local text = h.read(path "t.svg"):gsub("&lt;", "<"):gsub("&gt;", ">"):gsub("&amp;", "&")
    assert.truthy(text:gsub("%s", ""):find((title:gsub("%s", "")), 1, true), text)
    assert.is_nil(h.read(path "t.svg"):find("<a>", 1, true))
    assert.is_nil(h.read_if_there "pwned")
  end)

  it_draws("writes files of any name, and leaves the old one where it fails", function()
    for _, name in ipairs { "it's.png", "a \"b\" $(id) `id`.png", "line\nend.svg", "-rf.PNG" } do
      dc.plot.line({ 1, 2 }):save(path(name))
      assert.truthy(h.read_if_there(path(name)), name)
    end
    fails("io", "nowhere/x.png': cannot create", function() dc.plot.line({ 1, 2 }):save(path "nowhere/x.png") end)
    h.write(path "old.png", "old")
    fails("argument", "no point that can be drawn", function() dc.plot.line({ 0 / 0 }):save(path "old.png") end)
    assert.equal("old", h.read(path "old.png"))
  end)

  it("reports what a gnuplot that fails writes, and how it ended", function()
    local program = path "bin/gnuplot"
    os.execute("mkdir " .. path "bin")
    local function try(text)
      h.write(program, "#!/bin/sh\n", text, "\n")
      os.execute("chmod +x " .. program)
      return (h.shell(("PATH=%sbin:$PATH %s -e %s"):format(folder, h.lua, quote(([[
        local ok, err = pcall(function() require "dotcompute".plot.line({ 1, 2 }):save "%sfake.png" end)
        print(ok, ok or err.kind, ok or err.message)]]):format(folder)))))
    end
    assert.equal("false\tio\tsave: gnuplot failed (exit status 3): out of ink\n", try "echo out of ink >&2; exit 3")
    assert.equal("false\tio\tsave: gnuplot failed (exit status 0) without a message\n", try "cat >/dev/null")
    assert.matches("^false\tio\tsave: gnuplot failed %(signal 9%)", try "kill -9 $$")
    assert.equal("true\ttrue\ttrue\n", try "echo picture")
    assert.equal("picture\n", h.read(path "fake.png"))
  end)

  it("says what to install where there is no gnuplot", function()
    local text = h.shell(("lua=$(command -v %s); PATH=/nowhere \"$lua\" -e %s"):format(h.lua, quote(([[
      local ok, err = pcall(function() require "dotcompute".plot.line({ 1, 2 }):save "%snone.png" end)
      print(ok, err.kind, err.message)]]):format(folder))))
    assert.matches("^false\tio\tsave: PNG and SVG pictures of plots are made by gnuplot, which is not in the PATH "
      .. "%(Debian: apt install gnuplot%-nox%)\n$", text)
    assert.is_nil(h.read_if_there(path "none.png"))
  end)
end)

describe("dc.plot", function()
  it_draws("shows pixels where the terminal has them", function()
    local f = dc.plot.line { 1, 3, 2 }
    local rows = screen.kitty(screen.capture(function() f:show() end, { TERM = "xterm-kitty" }, { 60, 24, 600, 480 }))
    assert.equal(600, #rows[1])
    local white = 0
    for _, row in ipairs(rows) do
      for _, p in ipairs(row) do if p[1] > 250 and p[2] > 250 and p[3] > 250 then white = white + 1 end end
    end
    assert(white > 0.7 * #rows * 600 and white < 0.99 * #rows * 600)
  end)

  it("refuses data that it cannot draw", function()
    local function wrong(kind, pattern, fn, ...)
      local args = table.pack(...)
      fails(kind, pattern, function() fn(table.unpack(args, 1, args.n)) end)
    end
    local p = dc.plot
    for _, name in ipairs { "line", "points", "bars" } do
      wrong("shape", name .. ": the data has no elements", p[name], {})
      wrong("argument", "got 0", p[name])
      wrong("argument", "an array or a table of numbers expected for the data, got the string 'a'", p[name], "a")
      wrong("shape", "the data is 1%-d, got an array of shape 2 x 3", p[name], dc.ones(2, 3))
      wrong("dtype", "complex numbers cannot be drawn; dc%.abs", p[name], dc.ones(3, "complex64"))
      wrong("shape", "x and y are equally long, got 2 and 3", p[name], { 1, 2 }, { 1, 2, 3 })
      wrong("argument", "no option 'titel' %(did you mean 'title'", p[name], { 1 }, { titel = "" })
      wrong("argument", "the data has the key", p[name], { 1, 2, label = "x" })
    end
    wrong("argument", "option 'log' is \"x\"", p.line, { 1 }, { log = "z" })
    wrong("argument", "option 'xlim' is a list of two finite numbers, the smaller one first", p.line, { 1 },
      { xlim = { 2, 1 } })
    wrong("argument", "'ylim' is a list", p.line, { 1 }, { ylim = { 0 / 0, 1 } })
    wrong("argument", "'ylim' of a logarithmic axis begins above 0, not at 0", p.figure, { log = "y", ylim = { 0, 1 } })
    wrong("shape", "the data is 2%-d, got an array of shape 3", p.heatmap, { 1, 2, 3 })
    wrong("argument", "no option 'label'", p.heatmap, dc.ones(2, 2), { label = "x" })
    wrong("argument", "has no logarithmic axes", p.heatmap, dc.ones(2, 2), { log = "x" })
    wrong("argument", "no colormap the string 'jet'", p.heatmap, dc.ones(2, 2), { colormap = "jet" })
    wrong("argument", "'low' is below option 'high'", p.heatmap, dc.ones(2, 2), { low = 2, high = 1 })
    wrong("argument", "'y' has the places of the first and the last cell, which differ", p.heatmap, dc.ones(2, 2),
      { y = { 1, 1 } })
    wrong("argument", "a heat map is alone", function() p.heatmap(dc.ones(2, 2)):line { 1, 2 } end)
    wrong("argument", "a heat map is alone", function() p.line({ 1, 2 }):heatmap(dc.ones(2, 2)) end)
    wrong("index", "dc%.plot has no 'pie'", function() return p.pie end)
    wrong("index", "a figure has no 'pie'", function() return p.figure().pie end)
    wrong("argument", "line is a method of figures: fig:line", function() p.figure().line({ 1 }, { 1 }) end)
  end)

  it("refuses figures that it cannot draw", function()
    local function wrong(kind, pattern, figure, ...)
      local args = table.pack(...)
      fails(kind, pattern, function() figure:show(table.unpack(args)) end)
    end
    local nan, p = 0 / 0, dc.plot
    wrong("argument", "the figure has no series", p.figure())
    wrong("argument", "series 1 has no point that can be drawn: all are NaN or infinite$", p.line { nan, 1 / 0 })
    wrong("argument", "series 'u' has no point .* or not positive on a logarithmic axis",
      p.line({ 1, 2 }, { log = "y" }):line({ -1, 0 }, { label = "u" }))
    wrong("argument", "too far apart for an axis", p.line { -1.7e308, 1.7e308 })
    wrong("argument", "the places of bars are finite and ascend, but the one of bar 2", p.bars({ 2, 1 }, { 1, 1 }))
    wrong("argument", "70000 bars, 65536 are the limit", p.bars(dc.ones(70000)))
    wrong("argument", "do not ascend, so its 1100000 points", p.line(dc.random.uniform(1100000), dc.zeros(1100000)))
    wrong("argument", "no option 'size'", p.line { 1 }, { size = 3 })
    wrong("argument", "'width' is 1 to 4096", p.line { 1 }, { width = 0 })
    fails("argument", "neither .png nor .svg", function() p.line({ 1 }):save "x.gif" end)
    fails("argument", "the name of a file", function() p.line({ 1 }):save() end)
    fails("argument", "'width' is 100 to 10000 pixels, got 5", function()
      p.line({ 1 }):save("x.png", { width = 5 })
    end)
  end)

  it("draws single values, equal values, and the extremes of float64", function()
    for _, t in ipairs { { 5 }, { 3, 3, 3 }, { 0, 5e-324 }, { 1e308, 1.7e308 }, { -1e-300, 1e-300 } } do
      for _, name in ipairs { "line", "points", "bars" } do
        local rows = drawn(dc.plot[name](t))
        local n = 0
        for _, row in ipairs(rows) do for _ in pairs(row) do n = n + 1 end end
        assert(n > 0, name)
      end
    end
    assert(#text_of(dc.plot.line({ 5e-324, 1e308 }, { log = "y" }), 60, 16) > 0)
    assert(#text_of(dc.plot.heatmap(dc.ones(1, 1)), 60, 16) > 0)
    assert(#text_of(dc.plot.heatmap(dc.ones(2, 2) * (0 / 0)), 60, 16) > 0)
    assert(#text_of(dc.plot.line { 1, 2 }, 1, 1) > 0)
  end)

  it("gives back its memory", function()
    local a = dc.random.uniform(20000):eval()
    h.gives_back(function() text_of(dc.plot.line(a):points(a), 60, 16) end)
  end)
end)
