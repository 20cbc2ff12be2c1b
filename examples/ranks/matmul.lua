-- A product of matrices by ranks: the rows of one are distributed and the columns of the other, which go around a ring.
-- Usage: dclua -n 4 examples/ranks/matmul.lua [n [times [dtype]]]   (alone, too)
local dc = require "dotcompute"

local n = math.tointeger(arg and tonumber(arg[1]) or 200)
local times = math.tointeger(arg and tonumber(arg[2]) or 3)
local dtype = arg and arg[3] or "float32"
local comm = dc.world()

local a = dc.dist.uniform({ n, n }, { low = -1, dtype = dtype, generator = dc.random.generator(1) }):eval()
local b = dc.dist.uniform({ n, n }, { low = -1, dtype = dtype, generator = dc.random.generator(2), axis = 2 }):eval()

local c = a:matmul(b)
dc.synchronize()
comm:barrier()
local began, processor = dc.clock(), os.clock()
for _ = 2, times do
  c:close()
  c = a:matmul(b)
end
dc.synchronize()
local used = comm:all_reduce(os.clock() - processor, "max")
comm:barrier()
local seconds = dc.clock() - began

local verdict = "were not checked, being large"
if n <= 500 then -- in float64, on each rank
  local want = a:gather():to "float64":matmul(b:gather():to "float64")
  local tolerance = (dtype == "float64" and 1e-12 or dtype == "float32" and 1e-5 or 1e-2) * n
  assert((c:gather() - want):abs():max():item() <= tolerance, "ranks give another product than one")
  verdict = "give what one gives"
end
if comm.rank == 0 then
  local each = 1e3 / math.max(1, times - 1)
  print(("%d products of %d x %d %s by %d rank%s %s; %.3f ms a step, %.3f Tflop/s, processor %.3f, on %s"):format(times,
    n, n, dtype, comm.size, comm.size == 1 and "" or "s", verdict, seconds * each,
    2 * n ^ 3 / (seconds * each / 1e3) / 1e12, used * each, dc.device().name))
end
