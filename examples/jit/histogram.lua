-- A histogram by atomic additions, first in shared memory, in Lua and in CUDA C.
local dc = require "dotcompute"

local BINS <const> = 256

local histogram = dc.jit(function(x, bins)
  local counts = dc.shared("int32", BINS)
  for k = dc.thread_index(), BINS, dc.block_size() do counts[k] = 0 end
  dc.sync_threads()
  for i = dc.index(), #x, dc.block_size() * dc.grid_size() do dc.atomic_add(counts, x[i] % BINS + 1, 1) end
  dc.sync_threads()
  for k = dc.thread_index(), BINS, dc.block_size() do dc.atomic_add(bins, k, counts[k]) end
end)

local cuda = dc.kernel(("#define BINS %d\n"):format(BINS) .. [[
__global__ void histogram(const int *__restrict__ x, int *__restrict__ bins, int n) {
  __shared__ int counts[BINS];
  for (int k = threadIdx.x; k < BINS; k += blockDim.x) counts[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[x[i] & (BINS - 1)], 1);
  __syncthreads();
  for (int k = threadIdx.x; k < BINS; k += blockDim.x) atomicAdd(&bins[k], counts[k]);
}]])

return {
  name = "histogram", kernel = histogram, bins = BINS,
  cpu = { n = 1 << 24, blocks = 256 }, gpu = { n = 1 << 28, blocks = 1024 },
  prepare = function(size)
    local n, blocks = size.n, size.blocks
    local x = dc.random.integers(n, { low = -100000, high = 100000, dtype = "int32" }):eval()
    local bins = dc.zeros(BINS, "int32")
    return {
      x = x, result = bins,
      reset = function() bins:fill(0) end,
      lua = function() histogram(blocks, 256, x, bins) end,
      cuda = function() cuda(blocks, 256, x, bins, n) end,
    }
  end,
}
