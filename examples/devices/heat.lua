-- Heat in a plate, Jacobi's method on all GPUs: each has a block of rows and copies the rows beside it from its
-- neighbours after every step.  Usage: heat.lua [rows [columns [steps [blocks]]]]
local dc = require "dotcompute"

local rows = math.tointeger(arg and tonumber(arg[1]) or 200)
local columns = math.tointeger(arg and tonumber(arg[2]) or 120)
local steps = math.tointeger(arg and tonumber(arg[3]) or 100)

-- All GPUs; without GPUs the CPU devices. `blocks`: more or fewer blocks than devices.
local devices = {}
for _, d in ipairs(dc.devices()) do
  if d.backend == dc.devices()[1].backend then devices[#devices + 1] = d end
end
local blocks = math.tointeger(arg and tonumber(arg[4]) or math.max(2, #devices))
local device_of_block = {}
for k = 1, blocks do device_of_block[k] = devices[(k - 1) % #devices + 1] end

-- The mean of the four neighbours; the edge of the array stays.
local relax = dc.jit(function(now, next)
  local n, m = now:shape()
  local i, j = dc.index2()
  if i > 1 and i < n and j > 1 and j < m then
    next[i][j] = 0.25 * ((now[i - 1][j] + now[i + 1][j]) + (now[i][j - 1] + now[i][j + 1]))
  end
end)

-- The plate: cold, its first row hot.
local plate = dc.zeros(rows, columns)
plate[1] = 100

-- A block has one row of each neighbour too: first - 1 .. last + 1 of the inner rows.
local inner = rows - 2
local function first_row(k) return 2 + (k - 1) * inner // blocks end
local now, next = {}, {}
for k, d in ipairs(device_of_block) do
  local range = { first_row(k) - 1, first_row(k + 1) }
  now[k] = plate[{ range, ":" }]:copy():to(d)
  next[k] = now[k]:copy()
end

local function step()
  dc.parallel(device_of_block, function(_, a, b) relax:forall({ a:shape() }, a, b) end, now, next)
  for k = 2, blocks do -- copies wait for the kernels before them, and kernels after them for the copies
    next[k][1]:copy_from(next[k - 1][-2])
    next[k - 1][-1]:copy_from(next[k][2])
  end
  now, next = next, now
end

local function synchronize()
  for _, d in ipairs(devices) do d:synchronize() end
end
step() -- compiles
synchronize()
local began = dc.clock()
for _ = 2, steps do step() end
synchronize()
local seconds = dc.clock() - began

local result = dc.zeros(rows, columns)
for k = 1, blocks do
  local first, last = first_row(k), first_row(k + 1) - 1
  result[{ { first, last }, ":" }] = now[k][{ { 2, -2 }, ":" }]:to(result.device)
end
result[1], result[-1] = plate[1], plate[-1]

-- The same on one device.
local a, b = plate, plate:copy()
for _ = 1, steps do
  relax:forall({ rows, columns }, a, b)
  a, b = b, a
end
assert((result - a):abs():max():item() == 0, "blocks give another result than the whole plate")
local ids = {}
for k, d in ipairs(device_of_block) do ids[k] = d.id end
print(("%d steps of %d x %d cells in %d blocks give what one block gives; %.2f ms a step, on %s"):format(steps, rows,
  columns, blocks, seconds / math.max(1, steps - 1) * 1e3, table.concat(ids, ", ")))
