-- Launches of many blocks whose atomics meet in a few words, or which take turns, so long that the threads that help
-- pause meanwhile or are sent away: nothing is lost, whether blocks wait or not, launch after launch.
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
// Blocks take turns: by tickets, behind the block before, behind the next one but for the last of eight, by a lock.
__global__ void by_tickets(unsigned *x, volatile int *turn, int *next) {
  if (threadIdx.x == 0) {
    int ticket = atomicAdd(next, 1);
    while (*turn != ticket) {}
    __threadfence();
    *(volatile unsigned *)x = *(volatile unsigned *)x * 3 + 1;
    __threadfence();
    *turn = ticket + 1;
  }
}
__global__ void behind(unsigned *x, volatile int *done, int *) {
  if (threadIdx.x == 0) {
    if (blockIdx.x) while (!done[blockIdx.x - 1]) {}
    __threadfence();
    *(volatile unsigned *)x = *(volatile unsigned *)x * 3 + 1;
    __threadfence();
    done[blockIdx.x] = 1;
  }
}
__global__ void before(unsigned *x, volatile int *done, int *) {
  int b = blockIdx.x, n = gridDim.x;
  if (threadIdx.x == 0) {
    if (b % 8 != 7 && b + 1 < n) while (!done[b + 1]) {}
    __threadfence();
    if (b % 8 == 0) atomicAdd(x, 1);
    done[b] = 1;
  }
}
__global__ void by_lock(unsigned *x, volatile int *, int *lock) {
  if (threadIdx.x == 0) while (atomicCAS(lock, 0, 1) != 0) {}
  __syncthreads();
  for (int i = threadIdx.x; i < 40; i += blockDim.x) ((volatile unsigned *)x)[i] = ((volatile unsigned *)x)[i] + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(lock, 0);
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
for _, name in ipairs { "by_tickets", "behind", "before", "by_lock" } do
  local k, blocks = m:kernel(name), math.random(4000, 12000)
  local want = 0
  if name == "by_lock" then want = blocks
  elseif name == "before" then want = (blocks + 7) // 8
  else for _ = 1, blocks do want = want * 3 + 1 & 0xffffffff end end
  for launch = 1, 3 do
    local x, done, word = dc.zeros(40, "uint32"), dc.zeros(blocks, "int32"), dc.zeros(1, "int32")
    k(blocks, 32 * math.random(1, 3), x, done, word)
    local got = x:to_table()
    for i = 1, name == "by_lock" and 40 or 1 do
      if got[i] ~= want then
        error(("%s, launch %d, %d blocks: word %d is %s, not %s"):format(name, launch, blocks, i - 1, got[i], want))
      end
    end
  end
end
]==]

describe("launches whose threads hinder each other", function()
  for _, threads in ipairs { 2, 5, 16 } do
    local how = ("TIER=1 DOTCOMPUTE_CPU_THREADS=%d"):format(threads)
    it("lose nothing, with CPU_" .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
