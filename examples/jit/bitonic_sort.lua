-- Bitonic sort of 2^k numbers, a launch for each of its steps, in Lua and in CUDA C.
local dc = require "dotcompute"

local step = dc.jit(function(x, size, distance)
  local i = dc.index() - 1
  local other = i ~ distance
  if other > i and i < #x then
    local up = i & size == 0
    local a, b = x[i + 1], x[other + 1]
    if (a > b) == up then x[i + 1], x[other + 1] = b, a end
  end
end)

local cuda = dc.kernel [[
__global__ void step(float *__restrict__ x, int n, int size, int distance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int other = i ^ distance;
  if (other > i && i < n) {
    bool up = (i & size) == 0;
    float a = x[i], b = x[other];
    if ((a > b) == up) {
      x[i] = b;
      x[other] = a;
    }
  }
}]]

-- Calls launch(size, distance) for each step of a sort of n numbers.
local function sort(n, launch)
  local size = 2
  while size <= n do
    local distance = size // 2
    while distance > 0 do
      launch(size, distance)
      distance = distance // 2
    end
    size = size * 2
  end
end

return {
  name = "bitonic sort", kernel = step,
  cpu = { n = 1 << 18 }, gpu = { n = 1 << 25 },
  prepare = function(size)
    local n = size.n
    local before, x = dc.random.uniform(n):eval(), dc.zeros(n)
    local grid <const> = (n + 255) // 256
    return {
      x = before, result = x,
      reset = function() x:copy_from(before) end,
      lua = function() sort(n, function(width, distance) step(grid, 256, x, width, distance) end) end,
      cuda = function() sort(n, function(width, distance) cuda(grid, 256, x, n, width, distance) end) end,
    }
  end,
}
