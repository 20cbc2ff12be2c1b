-- Gravity between n bodies: two discs that pass each other.  Usage: nbody.lua [bodies [steps [picture.png]]]
local dc = require "dotcompute"

local n = math.tointeger(arg and tonumber(arg[1]) or 512)
local steps = math.tointeger(arg and tonumber(arg[2]) or 40)
local output = arg and arg[3]
local dt, softening = 0.01, 0.05

-- A block computes the accelerations of TILE bodies. It passes over all bodies in tiles, which its threads load into
-- shared memory together, so each position is read from global memory once a block, not once a thread.
local accelerate = dc.kernel [[
#define TILE 128
__global__ void accelerate(int n, float softening2, const float4 *body, float4 *acceleration) {
  __shared__ float4 tile[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  float4 me = i < n ? body[i] : make_float4(0, 0, 0, 0);
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < n; first += TILE) {
    int j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? body[j] : make_float4(0, 0, 0, 0); // no mass, no attraction
    __syncthreads();
    for (int k = 0; k < TILE; k++) {
      float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + softening2);
      float pull = tile[k].w * r * r * r;
      ax += dx * pull; ay += dy * pull; az += dz * pull;
    }
    __syncthreads();
  }
  if (i < n) acceleration[i] = make_float4(ax, ay, az, 0);
}]]

-- x, y, z and mass of each body; velocity and acceleration have a fourth component that stays 0.
local body, velocity, acceleration = dc.zeros(n, 4), dc.zeros(n, 4), dc.zeros(n, 4)

-- Bodies first … last on circles around a heavy one at (x, y), moving with velocity u along the first axis.
local function disc(first, last, x, y, u)
  local rows = { first, last }
  local count = last - first + 1
  local radius = dc.sqrt(dc.random.uniform(count)) * 0.9 + 0.1
  local angle = dc.random.uniform(count, { high = 2 * math.pi })
  local speed = dc.rsqrt(dc.sqrt(radius * radius + softening ^ 2)) -- about that of a circle around a mass of 1
  body[{ rows, 1 }], body[{ rows, 2 }] = radius * dc.cos(angle) + x, radius * dc.sin(angle) + y
  body[{ rows, 4 }] = 0.1 / count
  velocity[{ rows, 1 }], velocity[{ rows, 2 }] = speed * dc.sin(angle) * -1 + u, speed * dc.cos(angle)
  body[first], velocity[first] = { x, y, 0, 1 }, { u, 0, 0, 0 }
end
dc.random.seed(1)
disc(1, n // 2, -1.2, -0.6, 0.5)
disc(n // 2 + 1, n, 1.2, 0.6, -0.5)

-- One step of the leapfrog method, captured once: four launches without Lua in between.
local move = dc.elementwise("float x, float v, float h", "float y", "y = x + v * h")
local blocks = (n + 127) // 128
accelerate(blocks, 128, n, softening ^ 2, body, acceleration)
local step = dc.graph(function()
  move(velocity, acceleration, dt / 2, velocity)
  move(body, velocity, dt, body)
  accelerate(blocks, 128, n, softening ^ 2, body, acceleration)
  move(velocity, acceleration, dt / 2, velocity)
end)

-- Kinetic and potential energy. The n×n distances are never stored: each sum is one kernel.
local function energy()
  local mass = body[{ ":", 4 }]
  local distance2 = softening ^ 2
  for axis = 1, 3 do
    local x = body[{ ":", axis }]
    distance2 = distance2 + (x:reshape(n, 1) - x) ^ 2
  end
  local pairs_ = (mass:reshape(n, 1) * mass * dc.rsqrt(distance2)):sum():item()
  local own = (mass * mass):sum():item() / softening
  local kinetic = (mass:reshape(n, 1) * velocity * velocity):sum():item() / 2
  return kinetic - (pairs_ - own) / 2
end

-- The momentum of each axis.
local function momentum() return (body[{ ":", 4 }]:reshape(n, 1) * velocity):sum(1):eval() end

local before, p0 = energy(), momentum()
local t0 = dc.clock()
for _ = 1, steps do step() end
dc.synchronize()
local seconds = dc.clock() - t0
local drift = math.abs(energy() / before - 1)
assert(drift < 0.02, ("the energy changed by %.1f %%"):format(drift * 100))
assert(dc.allclose(momentum(), p0, 0, 1e-3), "the momentum has changed")

-- How many bodies each pixel has, as brightness; black, red, yellow, white.
if output then
  local size = 256
  local column = ((body[{ ":", 1 }] + 2.2) * (size / 4.4)):to "int32"
  local row = ((body[{ ":", 2 }] * -1 + 2.2) * (size / 4.4)):to "int32"
  local inside = column:ge(0) & column:lt(size) & row:ge(0) & row:lt(size)
  local counts = dc.bincount(dc.select(row * size + column, inside), { minlength = size * size })
  local light = dc.clip(dc.log1p(counts:to "float32") * (1 / math.log(1 + 40 * n / size ^ 2)), 0, 1)
  local colour = dc.clip(light:reshape(size, size, 1) * 3 - dc.array { 0, 1, 2 }, 0, 1)
  dc.image.write(output, (colour * 255 + 0.5):to "uint8")
end
print(("nbody: %d bodies, %d steps in %.3f s, energy within %.3f %%%s, on %s"):format(n, steps, seconds, drift * 100,
  output and ", picture in " .. output or "", dc.device().name))
