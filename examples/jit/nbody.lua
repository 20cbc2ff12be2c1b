-- The forces between n bodies, in Lua and in CUDA C. Rows of `bodies` are x, y, z and the mass.
local dc = require "dotcompute"

local softening = 0.01 -- captured: read at each launch

local nbody = dc.jit(function(bodies, forces)
  local i = dc.index()
  local n = #bodies
  if i > n then return end
  local x, y, z = bodies[i][1], bodies[i][2], bodies[i][3]
  local fx, fy, fz = dc.float32(0), dc.float32(0), dc.float32(0)
  for j = 1, n do
    local dx, dy, dz = bodies[j][1] - x, bodies[j][2] - y, bodies[j][3] - z
    local r = dc.rsqrt(dx * dx + dy * dy + dz * dz + softening)
    local pull = bodies[j][4] * r * r * r
    fx, fy, fz = fx + dx * pull, fy + dy * pull, fz + dz * pull
  end
  forces[i][1], forces[i][2], forces[i][3] = fx, fy, fz
end)

local cuda = dc.kernel [[
__global__ void nbody(const float *__restrict__ bodies, float *__restrict__ forces, int n, float softening) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2];
  float fx = 0, fy = 0, fz = 0;
  for (int j = 0; j < n; j++) {
    float dx = bodies[4 * j] - x, dy = bodies[4 * j + 1] - y, dz = bodies[4 * j + 2] - z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
    float pull = bodies[4 * j + 3] * r * r * r;
    fx += dx * pull;
    fy += dy * pull;
    fz += dz * pull;
  }
  forces[3 * i] = fx;
  forces[3 * i + 1] = fy;
  forces[3 * i + 2] = fz;
}]]

return {
  name = "n-body", kernel = nbody,
  cpu = { n = 8192 }, gpu = { n = 1 << 17 },
  prepare = function(size)
    local n = size.n
    softening = size.softening or softening
    local bodies, forces = dc.random.uniform(n, 4):eval(), dc.zeros(n, 3)
    local grid <const> = (n + 255) // 256
    return {
      bodies = bodies, softening = softening, result = forces,
      reset = function() forces:fill(0) end,
      lua = function() nbody(grid, 256, bodies, forces) end,
      cuda = function() cuda(grid, 256, bodies, forces, n, softening) end,
    }
  end,
}
