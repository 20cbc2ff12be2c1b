-- k-means over points of a file.  Usage: kmeans.lua [points.csv|points.npy [clusters [picture.png]]]
-- Without a file: makes one of its own, five clouds of 2000 points.  The picture shows the first two columns.
local dc = require "dotcompute"

local input, output = arg and arg[1], arg and arg[3]
local k = math.tointeger(arg and tonumber(arg[2]) or 5)
dc.random.seed(7)

local centres = dc.array { { -1, -1 }, { 1, -1 }, { 0, 0.2 }, { -1.1, 1.2 }, { 1.2, 1.1 } }
local function own_points()
  local name = os.tmpname()
  local which = dc.random.integers(2000, { low = 1, high = 5 })
  dc.save_csv(name, centres[which] + dc.random.normal(2000, 2, { std = 0.25 }), { header = { "x", "y" } })
  return name
end

local file = input or own_points()
-- The first line of a CSV file may be the columns' names.
local function has_header(name)
  local f <close> = assert(io.open(name))
  return tonumber((f:read() or "0"):match "[^,]*") == nil
end
local points = file:find "%.npy$" and dc.load(file):to "float32" or dc.load_csv(file, { header = has_header(file) })
if not input then os.remove(file) end
if points.ndim ~= 2 then error(file .. ": a table of points is expected, a row each", 0) end
local n, dimensions = points:shape()
if n < k then error(("%s: %d points for %d clusters"):format(file, n, k), 0) end

-- The square of the distance from every point to every centre, n×k; nothing is computed yet.
local function distances(centre)
  return ((points:reshape(n, 1, dimensions) - centre:reshape(1, #centre, dimensions)) ^ 2):sum(3)
end

-- k-means++: each further centre is a point drawn with a probability that grows with the square of its distance.
local centre = dc.random.choice(points, 1)
for _ = 2, k do
  local nearest = distances(centre):min(2)
  local drawn = dc.random.choice(n, 1, { p = nearest / nearest:sum() })
  centre = dc.concat { centre, points[drawn] }
end

-- Lloyd's algorithm: every point to its nearest centre, every centre to the mean of its points.
local label, rounds, inertia = dc.zeros(n, "int64"), 0, math.huge
while true do
  local d = distances(centre)
  local new = d:argmin(2)
  local now = d:min(2):sum():item()
  assert(now <= inertia * (1 + 1e-5), "the sum of squared distances grew")
  inertia, rounds = now, rounds + 1
  if dc.equal(new, label) or rounds == 100 then break end
  label = new
  local sum = dc.zeros(k, dimensions):scatter_add(label, points)
  local count = dc.zeros(k):scatter_add(label, dc.ones(n)):reshape(k, 1)
  centre = dc.where(count:gt(0), sum / count, centre) -- a centre without points stays
end

-- Check some points in plain Lua.
local c = centre:to_table()
for _ = 1, 100 do
  local i = math.random(n)
  local best, smallest, chosen = nil, math.huge, nil
  for j = 1, k do
    local d2 = 0
    for axis = 1, dimensions do d2 = d2 + (points[{ i, axis }] - c[j][axis]) ^ 2 end
    if d2 < smallest then best, smallest = j, d2 end
    if j == label[i] then chosen = d2 end
  end
  assert(chosen <= smallest * (1 + 1e-5) + 1e-10, ("point %d is in cluster %d, not %d"):format(i, label[i], best))
end

-- Each pixel in the pale colour of its nearest centre, each point in the full colour, each centre black.
if output then
  if dimensions ~= 2 then error("only points of two columns make a picture", 0) end
  local size = 256
  local low, high = points:min(1), points:max(1)
  low, high = (low - (high - low) * 0.05):eval(), (high + (high - low) * 0.05):eval()
  local hue = dc.arange(0, k - 1):reshape(k, 1) * (2 * math.pi / k) + dc.array { 0, 2, 4 } * (math.pi / 3)
  local palette = dc.cos(hue) * 0.4 + 0.5
  local x, y = dc.linspace(low[1], high[1], size), dc.linspace(high[2], low[2], size):reshape(size, 1)
  local squares = (x:reshape(1, size, 1) - centre[{ ":", 1 }]) ^ 2 + (y:reshape(size, 1, 1) - centre[{ ":", 2 }]) ^ 2
  local picture = (palette[squares:argmin(3)] * 0.3 + 0.7):eval()
  local function pixels(p)
    local column = (p[{ ":", 1 }] - low[1]) * ((size - 1) / (high[1] - low[1])) + 1.5
    local row = (p[{ ":", 2 }] * -1 + high[2]) * ((size - 1) / (high[2] - low[2])) + 1.5
    return dc.clip(row:to "int32", 1, size), dc.clip(column:to "int32", 1, size)
  end
  local row, column = pixels(points)
  picture[{ row, column }] = palette[label]
  row, column = pixels(centre)
  for dy = -2, 2 do
    for dx = -2, 2 do picture[{ dc.clip(row + dy, 1, size), dc.clip(column + dx, 1, size) }] = 0 end
  end
  dc.image.write(output, (dc.clip(picture, 0, 1) * 255 + 0.5):to "uint8")
end
print(("kmeans: %d points, %d clusters, %d rounds, inertia %.6g, 100 points checked%s, on %s"):format(n, k, rounds,
  inertia, output and ", picture in " .. output or "", dc.device().name))
