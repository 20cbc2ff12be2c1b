-- Runs on every rank (spec/comm/ranks_spec.lua): wrong programs, by name.
local dc = require "dotcompute"
local comm = dc.world()
local programs = {}
function programs.dtype() comm:all_reduce(dc.zeros(4, comm.rank == 1 and "float32" or "float64")) end
function programs.size() comm:all_reduce(dc.zeros(comm.rank == 1 and 5 or 4)) end
function programs.op() comm:all_reduce(dc.zeros(4), comm.rank == 1 and "max" or "sum") end
function programs.root() comm:broadcast(dc.zeros(4), comm.rank) end
function programs.other()
  if comm.rank == 1 then comm:barrier() else comm:all_reduce(dc.zeros(4)) end
end
function programs.message()
  if comm.rank == 0 then comm:send(dc.zeros(4), 1) else comm:recv(dc.zeros(5), 0) end
end
function programs.skip()
  if comm.rank == 1 then os.execute "sleep 60" end
  comm:all_reduce(dc.zeros(4))
end
function programs.ends()
  if comm.rank == 1 then return end
  comm:all_reduce(dc.zeros(4))
end
function programs.error()
  if comm.rank == 1 then error "an error of rank 1" end
  comm:all_reduce(dc.zeros(4))
end
function programs.exit()
  if comm.rank == 1 then os.exit(3) end
  comm:all_reduce(dc.zeros(4))
end
function programs.killed()
  if comm.rank == 1 then os.execute "kill -9 $PPID" end
  comm:all_reduce(dc.zeros(4))
end
function programs.loop() -- for Ctrl-C
  io.stdout:write "started\n"
  io.stdout:flush()
  if comm.rank == 1 then while true do end end
  comm:all_reduce(dc.zeros(4))
end
programs[arg[1]]()
