-- y = a x + y, in Lua and in CUDA C.
local dc = require "dotcompute"

local saxpy = dc.jit(function(x, y, a)
  local i = dc.index()
  if i <= #x then y[i] = a * x[i] + y[i] end
end)

local cuda = dc.kernel [[
__global__ void saxpy(const float *__restrict__ x, float *__restrict__ y, int n, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}]]

return {
  name = "saxpy", kernel = saxpy,
  cpu = { n = 1 << 24 }, gpu = { n = 1 << 28 },
  prepare = function(size)
    local n, a = size.n, 0.75
    local x, y, before = dc.random.uniform(n):eval(), dc.zeros(n), dc.random.uniform(n):eval()
    local grid <const> = (n + 255) // 256
    return {
      x = x, y = before, a = a, result = y,
      reset = function() y:copy_from(before) end,
      lua = function() saxpy(grid, 256, x, y, a) end,
      cuda = function() cuda(grid, 256, x, y, n, a) end,
    }
  end,
}
