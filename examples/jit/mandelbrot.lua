-- How many steps the points of the plane take to leave a circle, in Lua and in CUDA C.
local dc = require "dotcompute"

local mandelbrot = dc.jit(function(out, limit)
  local i, j = dc.index2()
  local rows, columns = out:shape()
  if i > rows or j > columns then return end
  local cr = dc.float32(-2) + 3 * dc.float32(j - 1) / dc.float32(columns)
  local ci = dc.float32(-1.5) + 3 * dc.float32(i - 1) / dc.float32(rows)
  local zr, zi = dc.float32(0), dc.float32(0)
  local steps = limit
  for k = 1, limit do
    zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
    if zr * zr + zi * zi > 4 then
      steps = k
      break
    end
  end
  out[i][j] = steps
end, { flags = "--fmad=false" })

local cuda = dc.kernel([[
__global__ void mandelbrot(int *__restrict__ out, int rows, int columns, int limit) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  float cr = -2.0f + 3 * (float)j / columns, ci = -1.5f + 3 * (float)i / rows, zr = 0, zi = 0;
  int steps = limit;
  for (int k = 1; k <= limit; k++) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    if (zr * zr + zi * zi > 4) {
      steps = k;
      break;
    }
  }
  out[i * columns + j] = steps;
}]], { flags = "--fmad=false" })

return {
  name = "Mandelbrot", kernel = mandelbrot,
  cpu = { rows = 1024, columns = 1024, limit = 256 }, gpu = { rows = 8192, columns = 8192, limit = 1000 },
  prepare = function(size)
    local rows, columns, limit = size.rows, size.columns, size.limit
    local out = dc.zeros({ rows, columns }, "int32")
    local grid, block = { (columns + 31) // 32, (rows + 7) // 8 }, { 32, 8 }
    return {
      result = out,
      reset = function() out:fill(0) end,
      lua = function() mandelbrot(grid, block, out, limit) end,
      cuda = function() cuda(grid, block, out, rows, columns, limit) end,
    }
  end,
}
