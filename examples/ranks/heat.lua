-- Heat in a plate by ranks, Jacobi's method: each rank has a block of rows, with a margin of one row of each neighbour.
-- Usage: dclua -n 4 examples/ranks/heat.lua [rows [columns [steps]]]   (alone, too)
local dc = require "dotcompute"

local rows = math.tointeger(arg and tonumber(arg[1]) or 200)
local columns = math.tointeger(arg and tonumber(arg[2]) or 120)
local steps = math.tointeger(arg and tonumber(arg[3]) or 100)
local comm = dc.world()

-- The mean of the four neighbours, in the rows from `first` to `last`; the others and the edges stay.
local relax = dc.jit(function(now, next, first, last)
  local _, m = now:shape()
  local i, j = dc.index2()
  if i >= first and i <= last and j > 1 and j < m then
    next[i][j] = 0.25 * ((now[i - 1][j] + now[i + 1][j]) + (now[i][j - 1] + now[i][j + 1]))
  end
end)

-- Two plates, cold but for the first row.
local plates, first, last = {}, nil, nil
for k = 1, 2 do
  plates[k] = dc.dist.zeros({ rows, columns }):halo(1)
  first, last = plates[k]:bounds()
  if first == 1 then plates[k]:part()[1] = 100 end
end
local extent = { plates[1]:padded():shape() }
local inner = { first == 1 and 3 or 2, last == rows and extent[1] - 2 or extent[1] - 1 } -- rows of a block that change

local now, next = plates[1]:exchange(), plates[2]
local exchanging = 0
local function step()
  relax:forall(extent, now:padded(), next:padded(), inner[1], inner[2])
  local before = dc.clock()
  next:exchange()
  exchanging = exchanging + dc.clock() - before
  now, next = next, now
end

step() -- compiles
comm:barrier()
exchanging = 0
local began, processor = dc.clock(), os.clock()
for _ = 2, steps do step() end
local used = os.clock() - processor
comm:barrier()
local seconds = dc.clock() - began

local verdict = "were not checked, being many"
if rows * columns * steps <= 10000000 then -- the whole plate on each rank
  local a, b = dc.zeros(rows, columns), dc.zeros(rows, columns)
  a[1], b[1] = 100, 100
  for _ = 1, steps do
    relax:forall({ rows, columns }, a, b, 2, rows - 1)
    a, b = b, a
  end
  assert(dc.equal(now:gather(), a), "ranks give another result than one")
  verdict = "give what one gives"
end
used, exchanging = comm:all_reduce(used, "max"), comm:all_reduce(exchanging, "max")
if comm.rank == 0 then
  local each = 1e3 / math.max(1, steps - 1)
  print(("%d steps of %d x %d cells by %d rank%s %s; %.3f ms a step, exchange %.3f, processor %.3f, on %s"):format(
    steps, rows, columns, comm.size, comm.size == 1 and "" or "s", verdict, seconds * each, exchanging * each,
    used * each, dc.device().name))
end
