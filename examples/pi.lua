-- Pi by throwing darts: random numbers inside the kernel, one atomic counter.  Usage: pi.lua [darts]
local dc = require "dotcompute"

local darts = math.tointeger(arg and tonumber(arg[1]) or 2^24)

local throw = dc.kernel [[
// A hash of the dart's number (the finaliser of SplitMix64) gives 64 random bits: two coordinates.
__device__ unsigned long long bits(unsigned long long z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
__global__ void throw_darts(long long darts, unsigned long long seed, unsigned long long *inside) {
  __shared__ unsigned int hits;
  if (threadIdx.x == 0) hits = 0;
  __syncthreads();
  unsigned int mine = 0;
  long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < darts; i += step) {
    unsigned long long r = bits(seed + i);
    float x = (unsigned int)(r >> 40) * 0x1p-24f, y = (unsigned int)(r >> 8 & 0xffffff) * 0x1p-24f;
    mine += x * x + y * y < 1.0f;
  }
  atomicAdd(&hits, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(inside, (unsigned long long)hits);
}]]

local inside = dc.zeros(1, "uint64")
local blocks = 4 * dc.device().multiprocessors
throw(blocks, 256, darts, math.random(0, math.maxinteger), inside)
local pi = 4 * inside[1] / darts

local sigma = 4 * math.sqrt(math.pi / 4 * (1 - math.pi / 4) / darts)
assert(math.abs(pi - math.pi) < 6 * sigma, ("pi came out as %.6f, %.1f sigma off"):format(pi, (pi - math.pi) / sigma))
print(("pi: %.6f from %d darts (true value within %.1f sigma), on %s"):format(
  pi, darts, math.abs(pi - math.pi) / sigma, dc.device().name))
