-- How many random points of a square are in the circle, in Lua and in CUDA C.
local dc = require "dotcompute"

local function next_random(state) -- xorshift64*
  state = state ~ (state >> 12)
  state = state ~ (state << 25)
  state = state ~ (state >> 27)
  return state, ((state * 0x2545F4914F6CDD1D) >> 11) * (1 / 9007199254740992)
end

local function count_hits(seed, points)
  local hits = 0
  local state = seed * 0x9E3779B97F4A7C15 | 1
  local x, y
  for _ = 1, points do
    state, x = next_random(state)
    state, y = next_random(state)
    if x * x + y * y <= 1 then hits = hits + 1 end
  end
  return hits
end

local throw = dc.jit(function(hits, points)
  local i = dc.index()
  if i <= #hits then hits[i] = count_hits(i, points) end
end, { flags = "--fmad=false" })

local cuda = dc.kernel([[
__device__ double next_random(unsigned long long &state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return ((state * 0x2545F4914F6CDD1Dull) >> 11) * (1.0 / 9007199254740992.0);
}
__global__ void throw_points(long long *__restrict__ hits, int n, int points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long state = (i + 1) * 0x9E3779B97F4A7C15ull | 1;
  long long count = 0;
  for (int k = 0; k < points; k++) {
    double x = next_random(state), y = next_random(state);
    if (x * x + y * y <= 1) count++;
  }
  hits[i] = count;
}]], { flags = "--fmad=false" })

return {
  name = "Monte Carlo pi", kernel = throw, count_hits = count_hits,
  cpu = { n = 1 << 14, points = 256 }, gpu = { n = 1 << 20, points = 4096 },
  prepare = function(size)
    local n, points = size.n, size.points
    local hits = dc.zeros(n, "int64")
    local grid <const> = (n + 255) // 256
    return {
      result = hits,
      reset = function() hits:fill(0) end,
      lua = function() throw(grid, 256, hits, points) end,
      cuda = function() cuda(grid, 256, hits, n, points) end,
    }
  end,
}
