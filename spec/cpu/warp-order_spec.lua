-- Warps of a block ran one after another from the first to the last, for every kernel: public kernels that lack a
-- barrier, which timing hides on a GPU, were wrong. DOTCOMPUTE_CPU_ORDER sets the order; without it warps of kernels
-- with shared memory run from the last to the first.
local helper = require "spec.helper"

-- Each kernel sums something of x[0 … n) in one block, and lacks the barrier MISSING, which COMPLETE puts there.
local script = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
local source = [[
#ifdef COMPLETE
#define MISSING __syncthreads()
#else
#define MISSING
#endif
// The place of a result is used again while others may not have read it: softmax with one array for maximum and sum.
__global__ void reused(const float *x, float *out, int n) {
  __shared__ float shared[256];
  const int tid = threadIdx.x;
  float most = -1e30f, sum = 0;
  for (int i = tid; i < n; i += 256) most = fmaxf(most, x[i]);
  shared[tid] = most;
  for (int s = 128; s > 0; s /= 2) {
    __syncthreads();
    if (tid < s) shared[tid] = fmaxf(shared[tid], shared[tid + s]);
  }
  __syncthreads();
  most = shared[0];
  MISSING;
  for (int i = tid; i < n; i += 256) sum += x[i] - most;
  shared[tid] = sum;
  for (int s = 128; s > 0; s /= 2) {
    __syncthreads();
    if (tid < s) shared[tid] += shared[tid + s];
  }
  __syncthreads();
  if (tid == 0) out[0] = shared[0];
}
// Warp 0 sums what the warps left, without waiting for them.
__global__ void partial(const float *x, float *out, int n) {
  __shared__ float sums[8];
  const int tid = threadIdx.x;
  float sum = 0;
  for (int i = tid; i < n; i += 256) sum += x[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (tid % 32 == 0) sums[tid / 32] = sum;
  MISSING;
  if (tid == 0) {
    sum = 0;
    for (int i = 0; i < 8; i++) sum += sums[i];
    out[0] = sum;
  }
}
// Each turn of a loop uses the same array, and thread 0 begins the next turn before the others have read.
__global__ void turns(const float *x, float *out, int n) {
  __shared__ float total;
  const int tid = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; i += 64) {
    if (tid == 0) {
      total = 0;
      for (int j = i; j < i + 64 && j < n; j++) total += x[j];
    }
    __syncthreads();
    sum += total;
    MISSING;
  }
  atomicAdd(out, sum);
}
// The right neighbour's value.
__global__ void right_neighbour(const float *x, float *out, int n) {
  __shared__ float s[256];
  const int tid = threadIdx.x;
  s[tid] = tid < n ? x[tid] : 0;
  MISSING;
  atomicAdd(out, tid < 255 ? s[tid + 1] : s[255]);
}
// The left neighbour's value.
__global__ void left_neighbour(const float *x, float *out, int n) {
  __shared__ float s[256];
  const int tid = threadIdx.x;
  s[tid] = tid < n ? x[tid] : 0;
  MISSING;
  atomicAdd(out, tid > 0 ? s[tid - 1] : s[0]);
}
// What thread 0 has set is read at once.
__global__ void broadcast(const float *x, float *out, int n) {
  __shared__ volatile float first;
  if (threadIdx.x == 0) first = x[0];
  MISSING;
  atomicAdd(out, first);
}]]
local n = 1000
local x, list = nil, {}
for i = 1, n do list[i] = math.random(-100, 100) end
x = dc.array(list)
local complete, lacking = dc.module(source, { define = { COMPLETE = 1 } }), dc.module(source)
for _, name in ipairs { "reused", "partial", "turns", "right_neighbour", "left_neighbour", "broadcast" } do
  local out = {}
  for i, m in ipairs { complete, lacking } do
    out[i] = dc.full(1, 0)
    dc.kernel [[ // what shared memory holds before
__global__ void poison() {
  __shared__ volatile float s[300];
  for (int i = threadIdx.x; i < 300; i += 256) s[i] = 12345;
}]](1, 256)
    m:kernel(name)(1, 256, x, out[i], n)
  end
  print(name, out[1][1], out[1][1] == out[2][1] and "right" or "wrong")
end
-- The sum of many blocks with barriers, by bits.
local blocks = dc.kernel [[
__global__ void blocks(const float *x, float *out, int n) {
  __shared__ float s[160];
  const int tid = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * 160 + tid; i < n; i += gridDim.x * 160) sum += x[i] * 0.1f;
  s[tid] = sum;
  __syncthreads();
  if (tid == 0) {
    for (int i = 1; i < 160; i++) sum += s[i];
    out[blockIdx.x] = sum;
  }
}]]
local sums = dc.zeros(20)
blocks(20, 160, x, sums, n)
io.write("bits ")
for c in sums:bytes():gmatch "." do io.write(("%02x"):format(c:byte())) end
print()
local number = dc.zeros(8, "int32") -- which warp a lane is in, whatever runs first
dc.kernel [[
__global__ void number(int *out) {
  unsigned w;
  asm("mov.u32 %0, %warpid;" : "=r"(w));
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = w;
  __syncthreads();
}]](1, 256, number)
print(table.concat(number:to_table(), " "))]==]

local function run(tier, order)
  local how = ("TIER=%d%s"):format(tier, order and " DOTCOMPUTE_CPU_ORDER=" .. order or "")
  local text, code = helper.on_cpu(how, script, helper.seed)
  assert.equal(0, code, text)
  local values, right = {}, {}
  for name, value, verdict in text:gmatch "([%w_]+)\t(%S+)\t(%a+)\n" do
    values[name], right[name] = value, verdict == "right"
  end
  return values, right, text:match "bits (%x+)", text:match "\n([%d ]+)\n$"
end

describe("the order of a block's warps", function()
  for tier = 0, 1 do
    it("does not affect kernels whose barriers are complete, tier " .. tier, function()
      local values, _, bits, numbers = run(tier, "ascending")
      assert.equal(160, #bits)
      assert.equal("0 1 2 3 4 5 6 7", numbers)
      local random = "random:" .. math.random(0, 1 << 40)
      for _, order in ipairs { "descending", random, random .. "1" } do
        local v, _, b, w = run(tier, order)
        assert.same(values, v, helper.note(order))
        assert.equal(bits, b, helper.note(order))
        assert.equal(numbers, w)
      end
    end)

    it("shows where a barrier is missing, tier " .. tier, function()
      local _, up = run(tier, "ascending")
      local _, down = run(tier, "descending")
      assert.same({ reused = false, partial = false, turns = false, right_neighbour = false, left_neighbour = true,
        broadcast = true }, up)
      assert.same({ reused = true, partial = true, turns = true, right_neighbour = true, left_neighbour = false,
        broadcast = false }, down)
    end)

    it("is descending where there is shared memory, tier " .. tier, function()
      local _, usual = run(tier)
      for _, name in ipairs { "reused", "partial", "turns" } do assert.is_true(usual[name], name) end
    end)
  end

  it("must be a known order", function()
    for _, word in ipairs { "up", "random", "random:", "random:x", "random:1x", "random:-1" } do
      local text, code = helper.on_cpu("ORDER=" .. word, [[require "dotcompute".zeros(1)]])
      local name = word:gsub("%p", "%%%0")
      assert.matches("DOTCOMPUTE_CPU_ORDER is '" .. name .. "': ascending, descending or random:SEED", text)
      assert.not_equal(0, code)
    end
  end)
end)
