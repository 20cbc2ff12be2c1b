-- Pi by ranks: each process integrates its part of 4 / (1 + x^2), and the parts are added.
-- Usage: dclua -n 4 examples/ranks/pi.lua [terms]   (alone, too)
local dc = require "dotcompute"

local terms = math.tointeger(arg and tonumber(arg[1]) or 1000000)
local comm = dc.world()
local first, last = comm.rank * terms // comm.size, (comm.rank + 1) * terms // comm.size - 1

local part = 0
if last >= first then
  local x = (dc.arange(first, last, "float64") + 0.5) / terms
  part = (4 / (1 + x * x)):sum():item() / terms
end
local pi = comm:all_reduce(part)

assert(math.abs(pi - math.pi) < 1 / terms ^ 2 + 1e-12, ("pi came out as %.15f"):format(pi))
if comm.rank == 0 then
  print(("pi: %.12f from %d terms by %d rank%s, on %s"):format(pi, terms, comm.size, comm.size == 1 and "" or "s",
    dc.device().name))
end
