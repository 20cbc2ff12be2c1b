-- The product of two matrices by tiles in shared memory, in Lua and in CUDA C.
local dc = require "dotcompute"

local TILE <const> = 16

local matmul = dc.jit(function(a, b, c)
  local row, column = dc.index2()
  local tx, ty = dc.thread_index()
  local left, right = dc.shared("float32", TILE, TILE), dc.shared("float32", TILE, TILE)
  local m, n, p = #a, #b, b:shape(2)
  local sum = dc.float32(0)
  for k = 0, n - 1, TILE do
    left[ty][tx] = (row <= m and k + tx <= n) and a[row][k + tx] or 0
    right[ty][tx] = (k + ty <= n and column <= p) and b[k + ty][column] or 0
    dc.sync_threads()
    for j = 1, TILE do sum = sum + left[ty][j] * right[j][tx] end
    dc.sync_threads()
  end
  if row <= m and column <= p then c[row][column] = sum end
end)

local cuda = dc.kernel(("#define TILE %d\n"):format(TILE) .. [[
__global__ void matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n,
                       int p) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k = 0; k < n; k += TILE) {
    left[ty][tx] = row < m && k + tx < n ? a[row * n + k + tx] : 0;
    right[ty][tx] = k + ty < n && column < p ? b[(k + ty) * p + column] : 0;
    __syncthreads();
    for (int j = 0; j < TILE; j++) sum += left[ty][j] * right[j][tx];
    __syncthreads();
  }
  if (row < m && column < p) c[row * p + column] = sum;
}]])

return {
  name = "matmul, tiles", kernel = matmul,
  cpu = { m = 1024, n = 1024, p = 1024 }, gpu = { m = 4096, n = 4096, p = 4096 },
  prepare = function(size)
    local m, n, p = size.m, size.n, size.p
    local a, b, c = dc.random.uniform(m, n):eval(), dc.random.uniform(n, p):eval(), dc.zeros(m, p)
    local grid, block = { (p + TILE - 1) // TILE, (m + TILE - 1) // TILE }, { TILE, TILE }
    return {
      a = a, b = b, result = c,
      reset = function() c:fill(0) end,
      lua = function() matmul(grid, block, a, b, c) end,
      cuda = function() cuda(grid, block, a, b, c, m, n, p) end,
    }
  end,
}
