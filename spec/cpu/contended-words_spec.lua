-- Launches of many blocks whose atomics meet in a few words, so long that the threads that help pause meanwhile or are
-- sent away: nothing is lost, whether blocks wait or not, launch after launch.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))
local m = dc.module [=[
__device__ int word_of(int i, int words) { return (i * 7 & 0xffff) % words * 16; }

__global__ void count(int *x, int words, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&x[word_of(i, words)], 1);
}
__global__ void add(float *x, int words, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&x[word_of(i, words)], 1.0f);
}
__global__ void tickets(int *x, int *given, int words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) given[i] = atomicAdd(&x[word_of(i, words)], 1);
}
__global__ void by_cas(int *x, int words, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int *p = &x[word_of(i, words)], old = *p, seen;
    do {
      seen = old;
      old = atomicCAS(p, seen, seen + 1);
    } while (old != seen);
  }
}
__global__ void with_barriers(int *x, int words, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&sum, 1);
    atomicAdd(&x[word_of(i, words)], 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&x[words * 16], sum);
}
__global__ void seldom(int *x, int words, int n) { // much work between atomics: help is worth it
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = i;
  for (int k = 0; k < 400; k++) v = v * 1664525u + 1013904223u;
  if (i < n) atomicAdd(&x[word_of(i, words)], v == 0x9e3779b9u && i < 0 ? 2 : 1);
}
]=]
local words = math.random(1, 40)
local function wanted(n)
  local want = {}
  for w = 0, words - 1 do want[w] = 0 end
  for i = 0, n - 1 do
    local w = (i * 7 & 0xffff) % words
    want[w] = want[w] + 1
  end
  return want
end
for _, case in ipairs { { "count", 1 << 18, 24 }, { "count", 1 << 22, 2 }, { "seldom", 1 << 20, 3 },
  { "add", 1 << 18, 6 }, { "tickets", 1 << 18, 6 }, { "by_cas", 1 << 15, 6 }, { "with_barriers", 1 << 17, 6 } } do
  local name, n, launches = table.unpack(case)
  n = n - math.random(0, 1000)
  local k, block = m:kernel(name), 32 * math.random(1, 8)
  local grid, want = (n + block - 1) // block, wanted(n)
  local x = dc.zeros(words * 16 + 1, name == "add" and "float32" or "int32")
  local given = dc.zeros(n, "int32")
  for launch = 1, launches do
    x:fill(0)
    if name == "tickets" then k(grid, block, x, given, words, n) else k(grid, block, x, words, n) end
    local got = x:to_table()
    for w = 0, words - 1 do
      if got[16 * w + 1] ~= want[w] then
        error(("%s, launch %d: word %d is %s, not %s"):format(name, launch, w, got[16 * w + 1], want[w]))
      end
    end
    if name == "with_barriers" then assert(got[16 * words + 1] == n, "sums of blocks were lost") end
  end
  if name == "tickets" then
    local seen = {}
    for i, v in ipairs(given:to_table()) do
      local w = ((i - 1) * 7 & 0xffff) % words
      assert(v >= 0 and v < want[w] and not seen[w + v * words], "a ticket was given twice")
      seen[w + v * words] = true
    end
  end
end
]==]

describe("atomics in few words", function()
  for _, threads in ipairs { 2, 5, 16 } do
    local how = ("TIER=1 DOTCOMPUTE_CPU_THREADS=%d"):format(threads)
    it("lose nothing in long launches, with CPU_" .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
