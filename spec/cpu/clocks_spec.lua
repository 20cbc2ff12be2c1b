-- Native code reads clocks and sizes of shared memory: in functions that call themselves, in loops that lanes leave
-- at different times, and once for what is used behind a barrier.
local helper = require "spec.helper"

-- Raises an error that names what is wrong; the argument is a seed.
local script = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(...))
local tier = tonumber(os.getenv "DOTCOMPUTE_CPU_TIER")
local m = dc.module [[
typedef unsigned long long u64;
#define SPECIAL(type, letter, size, name) \
  type r; asm volatile("mov." size " %0, %%" name ";" : "=" letter(r)); return r;
__device__ u64 globaltimer() { SPECIAL(u64, "l", "u64", "globaltimer") }
__device__ unsigned dynamic_bytes() { SPECIAL(unsigned, "r", "u32", "dynamic_smem_size") }
__device__ unsigned all_bytes() { SPECIAL(unsigned, "r", "u32", "total_smem_size") }
__device__ u64 grid_number() { SPECIAL(u64, "l", "u64", "gridid") }

// Bits of wrong[t] that are 1 say what is wrong.
__global__ void barriers(int *wrong, u64 *times) {
  extern __shared__ u64 others[];
  __shared__ unsigned words[96];
  const int t = threadIdx.x;
  const u64 began = clock64(), time = globaltimer();
  const unsigned low = clock();
  others[t] = began;
  words[t] = (unsigned)time;
  __syncthreads();
  const u64 ended = clock64();
  int w = 0;
  if (others[t] != began) w |= 1;
  if (words[t] != (unsigned)time) w |= 2;
  if (ended < others[blockDim.x - 1 - t]) w |= 4;
  if ((unsigned)ended - low > 1u << 31) w |= 8;
  if (globaltimer() < time) w |= 16;
  wrong[blockIdx.x * blockDim.x + t] = w;
  times[blockIdx.x * blockDim.x + t] = time;
}

__global__ void leaves(const int *x, int *wrong, u64 *last) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  u64 t = 0, sum = 0;
  for (int k = 0; k < x[i]; k++) {
    const u64 now = clock64();
    if (now < t) sum = ~0ull;
    t = now;
    last[i] = now;
    if (x[i] & 1) sum += clock64() < now;
  }
  wrong[i] = (t != last[i]) + 2 * (sum != 0);
}

__device__ __noinline__ u64 deep(int n, u64 before) {
  const u64 now = globaltimer();
  if (now < before || n == 0) return now < before ? 0 : now;
  const u64 below = deep(n - 1, now);
  return below < now ? 0 : n & 1 ? below : deep(n / 2, below);
}
__global__ void recursive(int *wrong, u64 *sizes) {
  extern __shared__ u64 unused[];
  __shared__ int some[20];
  some[threadIdx.x % 20] = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  wrong[i] = deep(some[threadIdx.x % 20] % 7, globaltimer()) == 0;
  sizes[3 * i] = dynamic_bytes(), sizes[3 * i + 1] = all_bytes(), sizes[3 * i + 2] = grid_number();
}]]

local threads, blocks = math.random(1, 96), math.random(1, 5)
local n = threads * blocks
local wrong, times = dc.zeros(n, "int32"), dc.zeros(n, "uint64")
local function check(name)
  for i = 1, n do
    if wrong[i] ~= 0 then error(("%s: thread %d finds %d"):format(name, i - 1, wrong[i])) end
  end
  if m:kernel(name).attributes.tier ~= tier then error(name .. " is not at tier " .. tier) end
end

local began = os.time()
m:kernel "barriers":with { shared = threads * 8 }(blocks, threads, wrong, times)
check "barriers"
for i = 1, n do
  local seconds = times[i] // 1000000000
  if seconds < began or seconds > os.time() then error("globaltimer is " .. times[i]) end
end

local x = {}
for i = 1, n do x[i] = math.random(1 << math.random(6)) end
m:kernel "leaves"(blocks, threads, dc.array(x, "int32"), wrong, times)
check "leaves"

local bytes, sizes = math.random(0, 100) * 8, dc.zeros(3 * n, "uint64")
m:kernel "recursive":with { shared = bytes }(blocks, threads, wrong, sizes)
check "recursive"
for i = 1, 3 * n, 3 do
  if sizes[i] ~= bytes or sizes[i + 1] < bytes + 80 or sizes[i + 2] ~= sizes[3] then
    error(("%d of %d bytes, grid %d"):format(sizes[i], sizes[i + 1], sizes[i + 2]))
  end
end
]==]

describe("a kernel that reads clocks", function()
  for _, settings in ipairs(helper.tiers_and_isas) do
    it("finds that they go forward, with " .. settings, function()
      helper.passes_on_cpu(settings, script)
    end)
  end
end)
