-- Gravity between n bodies on all GPUs: each moves a block of bodies, and copies the positions of the others from their
-- GPUs before every step.  Usage: nbody.lua [bodies [steps [blocks]]]
local dc = require "dotcompute"

local n = math.tointeger(arg and tonumber(arg[1]) or 500)
local steps = math.tointeger(arg and tonumber(arg[2]) or 10)
local dt, softening = 0.01, 0.05

-- All GPUs; without GPUs the CPU devices. `blocks`: more or fewer blocks than devices.
local devices = {}
for _, d in ipairs(dc.devices()) do
  if d.backend == dc.devices()[1].backend then devices[#devices + 1] = d end
end
local blocks = math.tointeger(arg and tonumber(arg[3]) or math.max(2, #devices))
local device_of_block = {}
for k = 1, blocks do device_of_block[k] = devices[(k - 1) % #devices + 1] end

-- The velocities of a block after dt, by the attraction of all bodies: x, y, z and mass in the rows of `body`.
local TILE <const> = 128
local kick = dc.jit(function(body, first, velocity)
  local tile = dc.shared("float32", TILE, 4)
  local t = dc.thread_index()
  local i = dc.index()
  local me = math.min(first + i - 1, #body)
  local x, y, z = body[{ me, 1 }], body[{ me, 2 }], body[{ me, 3 }]
  local ax, ay, az = dc.float32(0), dc.float32(0), dc.float32(0)
  for begin = 0, #body - 1, TILE do
    for c = 1, 4 do
      tile[{ t, c }] = dc.float32(0)
      if begin + t <= #body then tile[{ t, c }] = body[{ begin + t, c }] end -- others have no mass
    end
    dc.sync_threads()
    for k = 1, TILE do
      local dx, dy, dz = tile[{ k, 1 }] - x, tile[{ k, 2 }] - y, tile[{ k, 3 }] - z
      local r = dc.rsqrt(dx * dx + dy * dy + dz * dz + softening * softening)
      local pull = tile[{ k, 4 }] * r * r * r
      ax = ax + dx * pull
      ay = ay + dy * pull
      az = az + dz * pull
    end
    dc.sync_threads()
  end
  if i <= #velocity then
    velocity[{ i, 1 }] = velocity[{ i, 1 }] + ax * dt
    velocity[{ i, 2 }] = velocity[{ i, 2 }] + ay * dt
    velocity[{ i, 3 }] = velocity[{ i, 3 }] + az * dt
  end
end)

local drift = dc.jit(function(body, first, velocity)
  local i, c = dc.index2()
  if i <= #velocity and c <= 3 then
    body[{ first + i - 1, c }] = body[{ first + i - 1, c }] + velocity[{ i, c }] * dt
  end
end)

-- Runs all steps with the bodies divided into blocks, a block on each of the devices; gives the positions.
local function run(on, body, velocity)
  local count = #on
  local bodies, velocities = {}, velocity:scatter(on)
  local first, last, begin = {}, {}, 1
  for k, d in ipairs(on) do
    bodies[k] = body:copy():to(d)
    first[k], last[k] = begin, begin + #velocities[k] - 1
    begin = last[k] + 1
  end
  for _ = 1, steps do
    dc.parallel(on, function(k, all, v)
      if #v == 0 then return end
      kick((#v + TILE - 1) // TILE, TILE, all, first[k], v)
      drift:forall({ #v, 3 }, all, first[k], v)
    end, bodies, velocities)
    for from = 1, count do
      local block = { { first[from], last[from] }, ":" }
      for to = 1, count do
        if from ~= to and #velocities[from] > 0 then bodies[to][block]:copy_from(bodies[from][block]) end
      end
    end
  end
  for _, d in ipairs(on) do d:synchronize() end
  return bodies[1]
end

dc.random.seed(1)
local body = dc.random.uniform({ n, 4 }, { low = -1, high = 1 })
body[{ ":", 4 }] = 1 / n
local velocity = dc.zeros(n, 3)

local whole = run({ devices[1] }, body, velocity)
run(device_of_block, body, velocity) -- compiles for the other devices
local began = dc.clock()
local divided = run(device_of_block, body, velocity)
local seconds = dc.clock() - began
assert((divided:to(whole.device) - whole):abs():max():item() == 0, "blocks give another result than one device")
local ids = {}
for k, d in ipairs(device_of_block) do ids[k] = d.id end
print(("%d steps of %d bodies in %d blocks give what one block gives; %.2f ms a step, on %s"):format(steps, n, blocks,
  seconds / math.max(1, steps) * 1e3, table.concat(ids, ", ")))
