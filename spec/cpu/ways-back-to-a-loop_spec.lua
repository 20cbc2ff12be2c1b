-- Loops with warp-wide operations or barriers that are begun again from several places, some by a part of the lanes:
-- all lanes of the warp meet at the operation, whichever way they came.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))
local m = dc.module [=[
// Warps take pieces of work from a counter; their first lane writes the result.
__global__ void queue(const int *size, int *out, int *next, int n) {
  int lane = threadIdx.x & 31;
  for (;;) {
    int j;
    if (lane == 0) j = atomicAdd(next, 1);
    j = __shfl_sync(~0u, j, 0);
    if (j >= n) break;
    int sum = 0;
    for (int k = lane; k < size[j]; k += 32) sum += k * (j % 7 + 1);
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) out[j] = sum;
  }
}
// The same by blocks.
__global__ void queue_of_blocks(const int *size, int *out, int *next, int n) {
  __shared__ int piece, sum;
  for (;;) {
    if (threadIdx.x == 0) {
      piece = atomicAdd(next, 1);
      sum = 0;
    }
    __syncthreads();
    int j = piece;
    if (j >= n) return;
    int own = 0;
    for (int k = threadIdx.x; k < size[j]; k += blockDim.x) own += k * (j % 7 + 1);
    if (own) atomicAdd(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0) out[j] = sum;
  }
}
// Lanes go on early in different ways; each iteration begins with a vote of those that are left.
__global__ void votes(const int *x, int *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i], r = 0;
  unsigned long long hash = 0;
  while (r < rounds) {
    unsigned odd = __ballot_sync(~0u, v & 1);
    hash = hash * 31 + __popc(odd);
    r++;
    if (v % 3 == 0) { v = v / 3 + r; continue; }
    if (v % 5 == 1) { v += (int)(odd & 7); hash ^= r; continue; }
    for (int k = v & 3; k > 0; k--) v += k;
    if (v & 16) continue;
    v ^= r;
  }
  out[2 * i] = v;
  out[2 * i + 1] = (int)(hash & 0x7fffffff);
}
// A switch leads back, and an inner loop out of which a lane goes on with the outer one.
__global__ void inner(const int *x, int *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i] & 0xffff;
again:
  while (rounds-- > 0) {
    int next = __shfl_xor_sync(~0u, v, 1);
    switch ((v ^ threadIdx.x) & 3) {
      case 0: v += next & 15; continue;
      case 1: v = v * 3 & 0xffff; break;
      default: break;
    }
    for (int k = 0; k < 5; k++) {
      v = (v + k) & 0xffff;
      if (v % 7 == 2) goto again;
    }
    v = v * 5 & 0xffff;
  }
  out[i] = v;
}
]=]
local function same(got, want, what)
  for i, v in ipairs(want) do
    if got[i] ~= v then error(("%s: [%d] is %s, not %s"):format(what, i - 1, got[i], v)) end
  end
end

local n, size, want = math.random(40, 300), {}, {}
for j = 0, n - 1 do
  size[j + 1] = math.random(0, 200)
  local sum = size[j + 1] * (size[j + 1] - 1) // 2
  want[j + 1] = sum * (j % 7 + 1)
end
for _, name in ipairs { "queue", "queue_of_blocks" } do
  local out, next = dc.zeros(n, "int32"), dc.zeros(1, "int32")
  m:kernel(name)(math.random(1, 6), 32 * math.random(1, 6), dc.array(size, "int32"), out, next, n)
  same(out:to_table(), want, name)
end

local warps, rounds = math.random(1, 9), math.random(1, 40)
local x = {}
for i = 1, 32 * warps do x[i] = math.random(0, 5000) end
want = {}
for w = 0, warps - 1 do
  local v, hash = {}, {}
  for l = 1, 32 do v[l], hash[l] = x[32 * w + l], 0 end
  for r = 1, rounds do
    local odd, low = 0, 0
    for l = 1, 32 do
      odd = odd + (v[l] & 1)
      if l <= 3 then low = low | (v[l] & 1) << l - 1 end
    end
    for l = 1, 32 do
      hash[l] = hash[l] * 31 + odd
      if v[l] % 3 == 0 then v[l] = v[l] // 3 + r
      elseif v[l] % 5 == 1 then
        v[l], hash[l] = v[l] + low, hash[l] ~ r
      else
        for k = v[l] & 3, 1, -1 do v[l] = v[l] + k end
        if v[l] & 16 == 0 then v[l] = v[l] ~ r end
      end
    end
  end
  for l = 1, 32 do want[64 * w + 2 * l - 1], want[64 * w + 2 * l] = v[l], hash[l] & 0x7fffffff end
end
local out = dc.zeros(64 * warps, "int32")
m:kernel "votes"(1, 32 * warps, dc.array(x, "int32"), out, rounds)
same(out:to_table(), want, "votes")

want = {}
for w = 0, warps - 1 do
  local v = {}
  for l = 0, 31 do v[l] = x[32 * w + l + 1] & 0xffff end
  for _ = 1, rounds do
    local before = { [0] = v[0], table.unpack(v, 1, 31) }
    for l = 0, 31 do
      local case = (v[l] ~ 32 * w + l) & 3
      if case == 0 then
        v[l] = v[l] + (before[l ~ 1] & 15)
      else
        if case == 1 then v[l] = v[l] * 3 & 0xffff end
        local left = false
        for k = 0, 4 do
          v[l] = v[l] + k & 0xffff
          left = v[l] % 7 == 2
          if left then break end
        end
        if not left then v[l] = v[l] * 5 & 0xffff end
      end
    end
  end
  for l = 0, 31 do want[32 * w + l + 1] = v[l] end
end
out = dc.zeros(32 * warps, "int32")
m:kernel "inner"(1, 32 * warps, dc.array(x, "int32"), out, rounds)
same(out:to_table(), want, "inner")
]==]

describe("a loop that is begun again from several places", function()
  for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_THREADS=3" } do
    it("has its lanes meet at warp-wide operations, with CPU_" .. how, function()
      helper.passes_on_cpu(how, script)
    end)
  end
end)
