-- Runs on every rank (spec/comm/ranks_spec.lua): wrong programs, by name.
local dc = require "dotcompute"
local comm = dc.world()
local programs = {}
local at_end -- luacheck: no unused
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
-- Blocks of other sizes than those of the other rank.
function programs.gather_sizes() comm:all_gather(dc.zeros(4 + comm.rank)) end
function programs.scatter_sizes() comm:reduce_scatter(dc.zeros(4 * (1 + comm.rank))) end
function programs.exchange_sizes() comm:all_to_all(dc.zeros(4 * (1 + comm.rank))) end
function programs.broadcast_sizes() comm:broadcast(dc.zeros(4 + comm.rank), 1) end
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
function programs.killed_inside() -- rank 2 does not come, so ranks 0 and 1 are in the operation when that is killed
  if comm.rank == 2 then os.execute "sleep 60" end
  if comm.rank == 1 then os.execute "(sleep 0.5; kill -9 $PPID) &" end
  comm:all_reduce(dc.zeros(4))
end
function programs.finalizer() -- operations in finalizers: while the script runs, and when it ends
  local sum
  setmetatable({}, { __gc = function() sum = comm:all_reduce(comm.rank + 1) end })
  collectgarbage()
  assert(sum == comm.size * (comm.size + 1) // 2)
  local part = comm:split(0)
  part:close()
  local message
  setmetatable({}, { __gc = function() message = select(2, pcall(part.barrier, part)).message end })
  collectgarbage()
  assert(message:find "communicator is closed")
  at_end = setmetatable({}, { __gc = function()
    local ok, err = pcall(comm.barrier, comm)
    io.stdout:write(("rank %d at the end: %s\n"):format(comm.rank, ok and "done" or err.message))
  end })
end
function programs.fork() -- arg[2]: a library whose function `forked` pushes fork()
  local a = dc.ones(4)
  local fork = assert(package.loadlib(arg[2], "forked"))
  comm:barrier()
  if fork() == 0 then
    local ok, err = pcall(comm.all_reduce, comm, a)
    io.stdout:write(("fork of rank %d: %s %s\n"):format(comm.rank, tostring(ok), err.message))
    os.exit(0)
  end
  assert(comm:all_reduce(a)[4] == comm.size)
end
function programs.loop() -- for Ctrl-C
  io.stdout:write "started\n"
  io.stdout:flush()
  if comm.rank == 1 then while true do end end
  comm:all_reduce(dc.zeros(4))
end
programs[arg[1]]()
