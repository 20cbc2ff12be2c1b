-- Colours for numbers: dc.image.colormap and the range of numbers that the colours span.
--
-- A map is a list of colours at equal distances, RGB in hexadecimal, with linear interpolation between them: every
-- eighth entry of the published tables of 256. viridis, magma, inferno and plasma are by S. van der Walt and N. Smith
-- (CC0), turbo by A. Mikhailov (Apache 2.0), coolwarm by K. Moreland ("Diverging Color Maps for Scientific
-- Visualization", 2009, the table of 33).
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail
local colormap = {}

local maps = {
  gray = "000000 ffffff",
  viridis = [[
440154 470d60 48186a 482374 472d7b 453681 424086 3f4989 3b528b 375a8d 33638d 2f6a8e 2c728e 297a8e 26818e 23898e
21908c 1f988b 1f9f88 21a685 28ae80 31b57b 3ebc74 4cc26c 5dc963 6ece58 82d34c 96d83f abdc32 c0df24 d5e21a eae51a
fde725]],
  magma = [[
000004 030311 0a0822 130d33 1d1146 28115a 36106a 430f76 50127c 5d177f 691c81 762181 822681 8f2a81 9c2e7f a9327d
b63779 c33b75 cf4170 db486a e65163 ee5c5e f5695c f9785d fb8761 fd9668 fea571 feb47b fec387 fed194 fde0a2 fceeb0
fcfdbf]],
  inferno = [[
000004 040312 0b0724 150b37 210c4a 2e0a5a 3c0965 4a0c6b 57106d 63146e 70196e 7d1e6d 89226a 962766 a32b61 af315c
bb3755 c63e4d d14644 db4f3b e35932 eb6528 f1711e f67f14 f98d0a fb9c06 fcab0f fbba1f f9ca32 f5d949 f2e865 f3f586
fcffa4]],
  plasma = [[
0d0887 220690 310596 3f049c 4c02a1 5901a5 6600a7 7201a8 7e03a8 8909a6 9511a2 9f1a9c a92396 b22c8e bb3587 c33e80
cb4778 d25071 d9596a e06263 e66c5c eb7555 f07f4f f48a48 f89441 fb9f3a fdab33 feb72d fdc328 fcd025 f9dd25 f5eb27
f0f921]],
  turbo = [[
30123b 392a73 4040a1 4456c7 466be3 467ff6 4293ff 37a7fa 29bbec 1dcdd8 18dcc3 1ee8b0 31f299 4cf97e 6bfd64 8aff4d
a3fd3c b8f735 cced34 dee037 edd03a f8c03a fdae35 fe982c fb8022 f56817 ec520f e04009 d23105 c02302 ac1701 950d01
7a0403]],
  coolwarm = [[
3b4cc0 445acc 4d68d7 5775e1 6282ea 6c8ef1 779af7 82a5fb 8db0fe 98b9ff a3c2ff aec9fd b8d0f9 c2d5f4 ccd9ee d5dbe6
dddddd e5d8d1 ecd3c5 f1ccb9 f5c4ad f7bba0 f7b194 f7a687 f49a7b f18d6f ec7f63 e57058 de604d d55042 cb3e38 c0282f
b40426]],
}

-- The names of the maps, sorted.
function colormap.names()
  local names = {}
  for name in pairs(maps) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- The colours of a map as a flat list: red, green, blue of the first, …
function colormap.points(fname, name)
  if type(name) ~= "string" or not maps[name] then
    fail("argument", "%s: there is no colormap %s; there are %s", fname, core.describe(name),
      table.concat(colormap.names(), ", "))
  end
  local list = {}
  for digits in maps[name]:gmatch "%x%x" do list[#list + 1] = tonumber(digits, 16) end
  return list
end

-- An array of numbers that have an order. `what` in messages: "a picture".
function colormap.check_array(fname, a, what)
  if not core.is_array(a) then fail("argument", "%s: an array expected, got %s", fname, core.describe(a)) end
  if a.dtype:find "^complex" then
    fail("dtype", "%s: complex numbers are no %s; dc.abs(a), dc.real(a) and dc.angle(a) give real ones", fname, what)
  end
  if a.size == 0 then fail("shape", "%s: the array has no elements", fname) end
end

-- The smallest and the largest finite element as Lua numbers; 0 and 1 where there is none.
function colormap.extremes(a)
  local x = a:to "float64"
  local finite = dc.isfinite(x)
  local low = dc.where(finite, x, math.huge):min():eval()
  local high = dc.where(finite, x, -math.huge):max():eval()
  low, high = low:item(), high:item()
  if low > high then return 0.0, 1.0 end
  return low, high
end

-- The numbers of options 'low' and 'high', where nil stands for the array's extremes, or for `least` and `most`.
function colormap.range(fname, a, options, least, most)
  local low, high = options.low, options.high
  for _, name in ipairs { "low", "high" } do
    local v = options[name]
    if v and (v ~= v or v - v ~= 0) then fail("argument", "%s: option '%s' is finite, got %s", fname, name, v) end
  end
  if not (low and high) and not least then least, most = colormap.extremes(a) end
  low, high = low or least, high or most
  if options.low and options.high and low >= high then
    fail("argument", "%s: option 'low' is below option 'high', got %s and %s", fname, low, high)
  end
  return low, high
end

-- The elements scaled so that `low` is 0 and `high` 1, clipped to that; float32, pending. NaN remains. Where both are
-- equal, numbers above them become 1, others 0.
function colormap.scaled(a, low, high)
  local x = a:to "float64"
  if high - low == math.huge then x, low, high = x * 0.5, low * 0.5, high * 0.5 end
  if high <= low then return dc.where(dc.isnan(x), x, x:gt(high)):to "float32" end
  return dc.clip((x - low) / (high - low), 0, 1):to "float32"
end

-- One channel of the colour of t, from 0 to 1; c: 0, 1, 2. NaN is magenta, which no map has.
local colour = dc.elementwise("float t, float c, raw const float *points, int last", "uint8 y", [[
  if (t != t) y = c == 1 ? 0 : 255;
  else {
    const float place = t * last;
    const int k = min((int)place, last - 1);
    const float *from = points + 3 * k + (int)c;
    y = from[0] + (place - k) * (from[3] - from[0]) + 0.5f;
  }
]], { name = "colormap" })

-- The colours of numbers from 0 to 1 (an array of float32): uint8 with one more axis, of extent 3.
function colormap.colours(t, points)
  local shape = { t:shape() }
  shape[#shape + 1] = 1
  return algorithm.on(t.device, function()
    return colour(t:reshape(shape), dc.arange(0, 2, "float32"), dc.array(points, "float32"), #points // 3 - 1)
  end)
end

local signature = { "a", "name", known = { name = "string", low = "number", high = "number" },
  usage = { "an array", "perhaps the name of a colormap and options" } }

-- colormap(a [, name] [, {low =, high =}])
function colormap.colormap(...)
  local fname = "dc.image.colormap"
  local o = arguments.read(fname, signature, ...)
  colormap.check_array(fname, o.a, "colours")
  local points = colormap.points(fname, o.name or "viridis")
  local low, high = colormap.range(fname, o.a, o)
  if low > high then fail("argument", "%s: no element lies between %s and %s", fname, low, high) end
  return colormap.colours(colormap.scaled(o.a, low, high), points)
end

return colormap
