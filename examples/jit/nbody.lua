-- The forces between n bodies, in Lua and in CUDA C. Rows of `bodies` are x, y, z and the mass, read as a float4.
local dc = require "dotcompute"

local softening = 0.01 -- captured: read at each launch

local nbody = dc.jit(function(numbers, forces)
  local bodies = dc.view_as(numbers, "float4")
  local i = dc.index()
  local n = #bodies
  if i > n then return end
  local at = bodies[i]
  local fx, fy, fz = dc.float32(0), dc.float32(0), dc.float32(0)
  for j = 1, n do
    local other = bodies[j]
    local dx, dy, dz = other.x - at.x, other.y - at.y, other.z - at.z
    local r = dc.rsqrt(dx * dx + dy * dy + dz * dz + softening)
    local pull = other.w * r * r * r
    fx, fy, fz = fx + dx * pull, fy + dy * pull, fz + dz * pull
  end
  forces[i][1], forces[i][2], forces[i][3] = fx, fy, fz
end)

local cuda = dc.kernel [[
__global__ void nbody(const float4 *__restrict__ bodies, float *__restrict__ forces, int n, float softening) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 at = bodies[i];
  float fx = 0, fy = 0, fz = 0;
  for (int j = 0; j < n; j++) {
    float4 other = bodies[j];
    float dx = other.x - at.x, dy = other.y - at.y, dz = other.z - at.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
    float pull = other.w * r * r * r;
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
    local numbers = bodies:reshape(4 * n)
    local grid <const> = (n + 255) // 256
    return {
      bodies = bodies, softening = softening, result = forces,
      reset = function() forces:fill(0) end,
      lua = function() nbody(grid, 256, numbers, forces) end,
      cuda = function() cuda(grid, 256, numbers, forces, n, softening) end,
    }
  end,
}
