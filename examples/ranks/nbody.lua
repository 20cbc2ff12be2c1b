-- Gravity between n bodies by ranks: each moves a block of bodies, and gathers the positions of all before every step.
-- Usage: dclua -n 4 examples/ranks/nbody.lua [bodies [steps]]   (alone, too)
local dc = require "dotcompute"

local n = math.tointeger(arg and tonumber(arg[1]) or 500)
local steps = math.tointeger(arg and tonumber(arg[2]) or 10)
local dt, softening = 0.01, 0.05
local comm = dc.world()

-- The velocities of some bodies after dt, by the attraction of all: x, y, z and mass in the rows of `all`, of which
-- those from `first` on are these.
local kick = dc.jit(function(all, first, velocity)
  local i = dc.index()
  if i > #velocity then return end
  local me = first + i - 1
  local x, y, z = all[{ me, 1 }], all[{ me, 2 }], all[{ me, 3 }]
  local ax, ay, az = dc.float32(0), dc.float32(0), dc.float32(0)
  for k = 1, #all do
    local dx, dy, dz = all[{ k, 1 }] - x, all[{ k, 2 }] - y, all[{ k, 3 }] - z
    local r = dc.rsqrt(dx * dx + dy * dy + dz * dz + softening * softening)
    local pull = all[{ k, 4 }] * r * r * r
    ax = ax + dx * pull
    ay = ay + dy * pull
    az = az + dz * pull
  end
  velocity[{ i, 1 }] = velocity[{ i, 1 }] + ax * dt
  velocity[{ i, 2 }] = velocity[{ i, 2 }] + ay * dt
  velocity[{ i, 3 }] = velocity[{ i, 3 }] + az * dt
end)

-- A step of the bodies from `first` on; `all` has the positions of all.
local function advance(all, first, body, velocity)
  if #velocity == 0 then return end
  kick:forall(#velocity, all, first, velocity)
  local position = body[{ ":", { 1, 3 } }]
  position:copy_from(position + velocity * dt)
end

-- The same bodies, whatever the number of ranks.
local body = dc.dist.uniform({ n, 4 }, { low = -1, generator = dc.random.generator(1) }):eval()
body:part()[{ ":", 4 }] = 1 / n
local velocity = dc.dist.zeros(n, 3)
local first = body:bounds()

local gathering = 0
local function step()
  local before = dc.clock()
  local all = body:gather()
  gathering = gathering + dc.clock() - before
  advance(all, first, body:part(), velocity:part())
end

step() -- compiles
comm:barrier()
gathering = 0
local began, processor = dc.clock(), os.clock()
for _ = 2, steps do step() end
dc.synchronize()
local used = os.clock() - processor
comm:barrier()
local seconds = dc.clock() - began

local verdict = "were not checked, being many"
if n * n * steps <= 10000000 then -- all bodies on each rank
  local whole, speed = dc.random.generator(1):uniform({ n, 4 }, { low = -1 }):copy(), dc.zeros(n, 3)
  whole[{ ":", 4 }] = 1 / n
  for _ = 1, steps do advance(whole:copy(), 1, whole, speed) end
  assert(dc.equal(body:gather(), whole), "ranks give another result than one")
  verdict = "give what one gives"
end
used, gathering = comm:all_reduce(used, "max"), comm:all_reduce(gathering, "max")
if comm.rank == 0 then
  local each = 1e3 / math.max(1, steps - 1)
  print(("%d steps of %d bodies by %d rank%s %s; %.3f ms a step, gather %.3f, processor %.3f, on %s"):format(steps, n,
    comm.size, comm.size == 1 and "" or "s", verdict, seconds * each, gathering * each, used * each, dc.device().name))
end
