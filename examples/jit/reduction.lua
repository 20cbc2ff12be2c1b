-- A sum by shuffles of a warp, in Lua and in CUDA C: a sum for each block, and a second launch for their sum.
local dc = require "dotcompute"

local function warp_sum(v)
  local distance = 16
  while distance > 0 do
    v = v + dc.shuffle_down(v, distance)
    distance = distance // 2
  end
  return v
end

local reduction = dc.jit(function(x, sums)
  local partial = dc.shared("float32", 32)
  local sum = dc.float32(0)
  for i = dc.index(), #x, dc.block_size() * dc.grid_size() do sum = sum + x[i] end
  sum = warp_sum(sum)
  local lane, warp = dc.lane_index(), (dc.thread_index() - 1) // 32 + 1
  if lane == 1 then partial[warp] = sum end
  dc.sync_threads()
  if warp == 1 then
    sum = warp_sum(lane <= dc.block_size() // 32 and partial[lane] or 0)
    if lane == 1 then sums[dc.block_index()] = sum end
  end
end)

local cuda = dc.kernel [[
__device__ float warp_sum(float v) {
  for (int distance = 16; distance > 0; distance /= 2) v += __shfl_down_sync(0xffffffffu, v, distance);
  return v;
}
__global__ void reduction(const float *__restrict__ x, float *__restrict__ sums, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  sum = warp_sum(sum);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = warp_sum(lane < blockDim.x / 32 ? partial[lane] : 0);
    if (lane == 0) sums[blockIdx.x] = sum;
  }
}]]

return {
  name = "reduction, shuffles", kernel = reduction,
  cpu = { n = 1 << 24, blocks = 256 }, gpu = { n = 1 << 28, blocks = 2048 },
  prepare = function(size)
    local n, blocks = size.n, size.blocks
    local x, sums, sum = dc.random.uniform(n):eval(), dc.zeros(blocks), dc.zeros(1)
    return {
      x = x, result = sum,
      reset = function() sum:fill(0) end,
      lua = function()
        reduction(blocks, 256, x, sums)
        reduction(1, 1024, sums, sum)
      end,
      cuda = function()
        cuda(blocks, 256, x, sums, n)
        cuda(1, 1024, sums, sum, blocks)
      end,
    }
  end,
}
