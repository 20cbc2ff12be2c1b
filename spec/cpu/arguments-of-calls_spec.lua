-- What lanes pass to malloc, free and kernels that they launch, and get from malloc, is stored and loaded by native
-- code, each lane's in its own place: in code of whole gangs, in divergent branches and behind barriers.
local helper = require "spec.helper"

-- Raises an error that names what is wrong; the argument is a seed.
local script = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(...))
local tier = tonumber(os.getenv "DOTCOMPUTE_CPU_TIER")
local m = dc.module [[
typedef unsigned u32;
typedef unsigned long long u64;
struct piece { signed char low; short middle; float half; u64 high; };

__global__ void leaf(u32 *sums, piece p, unsigned char step, u64 at, double weight) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 v = (u32)(p.low + p.middle + (int)(2 * p.half) + (u32)(p.high >> 20) + (int)weight);
  atomicAdd(&sums[(at + i * step) % 61], v);
}
__global__ void launches(const u32 *x, u32 *sums, int n) {
  __shared__ u32 all[256];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  all[t] = i < n ? x[i] : 0;
  __syncthreads();
  const u32 v = all[t] + all[blockDim.x - 1 - t];
  const piece p = { (signed char)v, (short)(v >> 3), (v & 255) * 0.5f, (u64)v << 24 | i };
  if (i < n && v % 3 == 0) leaf<<<1 + v % 2, 1 + v % 5>>>(sums, p, (unsigned char)(v % 7), v, v * 0.25);
  __syncthreads();
  if (i == 0) leaf<<<2, 3>>>(sums, p, (unsigned char)t, n, -3.75);
}

__global__ void allocates(const u32 *x, u32 *out, int n) {
  __shared__ u32 *lists[256];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const u32 v = i < n ? x[i] : 1, count = v % 50;
  u32 *list = nullptr;
  if (v & 1) {
    list = (u32 *)malloc(count * sizeof(u32));
    for (u32 k = 0; k < count; k++) list[k] = v + k;
  }
  lists[t] = list;
  __syncthreads();
  const int other = blockDim.x - 1 - t;
  u32 sum = 0;
  if (lists[other]) {
    const int j = blockIdx.x * blockDim.x + other;
    for (u32 k = 0; k < (j < n ? x[j] : 1) % 50; k++) sum += lists[other][k];
    free(lists[other]);
  }
  if (i < n) out[i] = sum;
}]]

local function check(name, got, want)
  for i = 1, #want do
    if got[i] ~= want[i] then error(("%s: [%d] is %s, not %s"):format(name, i, got[i], want[i])) end
  end
  if m:kernel(name).attributes.tier ~= tier then error(name .. " is not at tier " .. tier) end
end
local function signed(v, bits)
  v = v & ((1 << bits) - 1)
  return v < 1 << (bits - 1) and v or v - (1 << bits)
end

local threads, blocks = math.random(1, 100), math.random(1, 4)
local n = threads * blocks - math.random(0, threads - 1)
local x, sums, want = {}, {}, {}
for i = 1, threads * blocks do x[i] = math.random(0, 1 << math.random(1, 20)) end
local input = dc.array(x, "uint32")
local function value(i) return i <= n and x[i] or 0 end
for i = 1, 61 do sums[i] = 0 end
local function leaf(grid, block, v, step, at, i, weight)
  local add = signed(v, 8) + signed(v >> 3, 16) + (v & 255) + ((v << 24 | i) >> 20 & 0xffffffff) + weight
  for k = 0, grid * block - 1 do
    local j = (at + k * step) % 61 + 1
    sums[j] = sums[j] + add & 0xffffffff
  end
end
for i = 0, blocks * threads - 1 do
  local t, first = i % threads, i - i % threads
  local v = value(i + 1) + value(first + threads - t)
  if i < n and v % 3 == 0 then leaf(1 + v % 2, 1 + v % 5, v, v % 7, v, i, v // 4) end
  if i == 0 then leaf(2, 3, v, 0, n, 0, -3) end
end
local got = dc.zeros(61, "uint32")
m:kernel "launches"(blocks, threads, input, got, n)
check("launches", got, sums)

for i = 0, n - 1 do
  local j = i - i % threads + threads - i % threads -- from 1 on
  local v, sum = j <= n and x[j] or 1, 0
  for k = 0, v & 1 == 1 and v % 50 - 1 or -1 do sum = sum + v + k end
  want[i + 1] = sum
end
local out = dc.zeros(threads * blocks, "uint32")
m:kernel "allocates"(blocks, threads, input, out, n)
check("allocates", out, want)
]==]

describe("the arguments of calls", function()
  for _, settings in ipairs(helper.tiers_and_isas) do
    it("are each lane's own, with " .. settings, function()
      helper.passes_on_cpu(settings, script)
    end)
  end

  it("are stored by native code itself", function()
    local text = helper.on_cpu("TIER=1 DOTCOMPUTE_DUMP=c", [==[
local dc = require "dotcompute"
local out = dc.zeros(64, "int64")
local k = dc.kernel [[
__global__ void takes(long long *out, int n) { out[threadIdx.x] = (long long)malloc(threadIdx.x % n + 1); }]]
k(1, 64, out, 5)
for i = 1, 64 do assert(out[i] ~= 0 and k.attributes.tier == 1) end
os.exit(1, true)]==])
    assert.matches("n%->builtin%(", text)
    assert.is_nil(text:find("n->operate(", 1, true), text)
  end)
end)
