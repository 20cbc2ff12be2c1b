-- A 5-point stencil of an image whose edge is repeated outside, in Lua and in CUDA C.
local dc = require "dotcompute"

local function pixel(image, i, j) -- the edge's value outside
  local rows, columns = image:shape()
  return image[math.max(1, math.min(i, rows))][math.max(1, math.min(j, columns))]
end

local stencil = dc.jit(function(image, out)
  local i, j = dc.index2()
  local rows, columns = out:shape()
  if i > rows or j > columns then return end
  out[i][j] = 0.5 * image[i][j] + 0.125 * (pixel(image, i - 1, j) + pixel(image, i + 1, j) + pixel(image, i, j - 1)
    + pixel(image, i, j + 1))
end)

local cuda = dc.kernel [[
__device__ float pixel(const float *image, int i, int j, int rows, int columns) {
  return image[max(0, min(i, rows - 1)) * columns + max(0, min(j, columns - 1))];
}
__global__ void stencil(const float *__restrict__ image, float *__restrict__ out, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  out[i * columns + j] = 0.5f * image[i * columns + j]
    + 0.125f * (pixel(image, i - 1, j, rows, columns) + pixel(image, i + 1, j, rows, columns)
                + pixel(image, i, j - 1, rows, columns) + pixel(image, i, j + 1, rows, columns));
}]]

return {
  name = "stencil", kernel = stencil,
  cpu = { rows = 4096, columns = 4096 }, gpu = { rows = 16384, columns = 16384 },
  prepare = function(size)
    local rows, columns = size.rows, size.columns
    local image, out = dc.random.uniform(rows, columns):eval(), dc.zeros(rows, columns)
    local grid, block = { (columns + 127) // 128, (rows + 1) // 2 }, { 128, 2 }
    return {
      image = image, result = out,
      reset = function() out:fill(0) end,
      lua = function() stencil(grid, block, image, out) end,
      cuda = function() cuda(grid, block, image, out, rows, columns) end,
    }
  end,
}
