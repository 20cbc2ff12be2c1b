-- A flow past a disc, by the lattice Boltzmann method (D2Q9, BGK).  Usage: flow.lua [height [steps [picture.png]]]
-- The width is three times the height. The picture shows the vorticity.
local dc = require "dotcompute"

local height = math.tointeger(arg and tonumber(arg[1]) or 64)
local steps = math.tointeger(arg and tonumber(arg[2]) or 300)
local output = arg and arg[3]
local width, speed, tau = 3 * height, 0.1, 0.56

-- Directions, their weights, and the number of the opposite direction (from 1).
local dx = { 0, 1, 0, -1, 0, 1, -1, -1, 1 }
local dy = { 0, 0, 1, 0, -1, 1, 1, -1, -1 }
local weight = { 4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36 }
local opposite = { 1, 4, 5, 2, 3, 8, 9, 6, 7 }

-- A thread moves the particles of a cell: they collide, or come back from a solid, and go on to the neighbours. The
-- domain is periodic.
local flow = dc.module [=[
__constant__ int DX[9], DY[9], OPPOSITE[9];
__constant__ float WEIGHT[9];
__global__ void step(int h, int w, float tau, const bool *solid, const float *f, float *g) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const int cells = h * w, at = y * w + x;
  float v[9], density = 0, ux = 0, uy = 0;
  for (int q = 0; q < 9; q++) {
    v[q] = f[q * cells + at];
    density += v[q];
    ux += v[q] * DX[q];
    uy += v[q] * DY[q];
  }
  ux /= density;
  uy /= density;
  const bool bounces = solid[at];
  for (int q = 0; q < 9; q++) {
    const float along = 3 * (ux * DX[q] + uy * DY[q]);
    const float balance = density * WEIGHT[q] * (1 + along + along * along / 2 - 1.5f * (ux * ux + uy * uy));
    const int to_x = (x + DX[q] + w) % w, to_y = (y + DY[q] + h) % h;
    g[q * cells + to_y * w + to_x] = bounces ? v[OPPOSITE[q] - 1] : v[q] + (balance - v[q]) / tau;
  }
}]=]
for name, values in pairs { DX = dx, DY = dy, OPPOSITE = opposite, WEIGHT = weight } do
  flow:global(name)[":"] = values
end

local x, y = dc.arange(0, width - 1), dc.arange(0, height - 1):reshape(height, 1)
local solid = ((x - width / 5) ^ 2 + (y - height / 2 - 1) ^ 2):lt((height / 9) ^ 2):eval()

-- The velocity of a density of particles; its curl.
local function velocity(f)
  local density = f:sum(1)
  local a, b = dc.array(dx):reshape(9, 1, 1), dc.array(dy):reshape(9, 1, 1)
  return ((f * a):sum(1) / density):eval(), ((f * b):sum(1) / density):eval()
end
local function vorticity(ux, uy) return uy:roll(-1, 2) - uy:roll(1, 2) - ux:roll(-1, 1) + ux:roll(1, 1) end

-- At first all flows to the right, a little faster here and there.
local u0 = (dc.sin(y * (2 * math.pi / height)) * 0.01 + 1) * speed + x * 0
local planes = {}
for q = 1, 9 do
  local along = u0 * (3 * dx[q])
  planes[q] = (along + along ^ 2 / 2 - u0 ^ 2 * 1.5 + 1) * weight[q]
end
local f = dc.stack(planes)
local g = dc.empty_like(f)
local mass = f:to "float64":sum():item()
local grid = { (width + 31) // 32, (height + 7) // 8 }
local function step()
  flow.step(grid, { 32, 8 }, height, width, tau, solid, f, g)
  f, g = g, f
end

-- Check a step in plain Lua, in some cells beside and far from the disc.
local function check(before, after)
  for _ = 1, 200 do
    local i, j, q = math.random(height), math.random(width), math.random(9)
    local from = { (i - 1 - dy[q]) % height + 1, (j - 1 - dx[q]) % width + 1 }
    local v, density, ux, uy = {}, 0, 0, 0
    for k = 1, 9 do
      v[k] = before[{ k, from[1], from[2] }]
      density, ux, uy = density + v[k], ux + v[k] * dx[k], uy + v[k] * dy[k]
    end
    ux, uy = ux / density, uy / density
    local along = 3 * (ux * dx[q] + uy * dy[q])
    local balance = density * weight[q] * (1 + along + along ^ 2 / 2 - 1.5 * (ux ^ 2 + uy ^ 2))
    local want = solid[from] and v[opposite[q]] or v[q] + (balance - v[q]) / tau
    assert(math.abs(after[{ q, i, j }] - want) < 1e-5, ("cell (%d, %d), direction %d, is wrong"):format(i, j, q))
  end
end

local began = dc.clock()
for _ = 1, steps do step() end
dc.synchronize()
local seconds = dc.clock() - began
local before = f:copy()
step()
check(before, f)

assert(math.abs(f:to "float64":sum():item() / mass - 1) < 1e-4, "particles are lost")
local ux, uy = velocity(f)
assert(dc.where(solid, 0, dc.hypot(ux, uy)):max():item() < 0.5, "the flow is unstable")
local behind = ux[{ height // 2 + 2, width // 5 + height // 9 + 3 }]
assert(steps < 100 or behind < speed / 2, "the disc has no wake")

if output then
  local curl = dc.where(solid, 0, vorticity(ux, uy))
  dc.image.write(output, dc.image.colormap(curl, "coolwarm", { low = -speed / 2, high = speed / 2 }))
end
print(("flow: %d x %d cells, %d steps, %.0f million cells a second, behind the disc %.2f of the speed; mass and a step "
  .. "checked%s, on %s"):format(width, height, steps, width * height * steps / seconds / 1e6, behind / speed,
  output and ", picture in " .. output or "", dc.device().name))
