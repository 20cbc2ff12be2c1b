-- Loops over the elements that all threads of a grid share, around loops that lanes leave at different times: where
-- native code runs lanes one by one, they take turns at the outer loop, each with its own values, and end on their own.
-- Bytes that a lane loads one by one are words where they lie side by side in that order.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local m = dc.module [[
typedef unsigned long long u64;
__device__ u64 word(const unsigned char *p, int n) {
  u64 v = 0;
  for (int i = n - 1; i >= 0; i--) v = v << 8 | p[i];
  return v;
}
__global__ void records(const unsigned char *data, const int *from, u64 *out, float *sums, int n, int last) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float own = threadIdx.x;
  bool odd = i & 1;
  for (; i < n; i += gridDim.x * blockDim.x) {
    const unsigned char *p = data + from[i], *end = data + from[i + 1];
    u64 h = odd ? 11 : 5;
    for (; p + 8 <= end; p += 8) h = (h ^ word(p, 8)) * 0x9e3779b97f4a7c15ull ^ h >> 29;
    if (p + 4 <= end) h = (h ^ (unsigned)word(p, 4)) * 31, p += 4;
    for (; p < end; p++) h = h * 257 + (signed char)*p + ((u64)p[0] << 8 | p[0]);
    out[i] = h;
    own += (float)(h >> 40);
    odd = h >> 17 & 1;
    if (h % 61 == 0) break;
  }
  for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < last; j += blockDim.x * gridDim.x) {
    const unsigned char *p = data + from[j];
    u64 h = (u64)p[0] << 24 | (u64)p[1] << 16 | (u64)p[2] << 8 | p[3];
    for (int k = 0; k < from[j] % 9; k++) h = h * h + word(p + k, 5);
    out[n + j] = h;
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = own;
}]]
math.randomseed(tonumber(arg[1]))
for _, block in ipairs { 1, 32, 75, 128 } do
  local grid, n, from, bytes = math.random(4), math.random(300, 900), { 0 }, {}
  for i = 1, n do from[i + 1] = from[i] + (math.random(5) == 1 and math.random(0, 90) or math.random(0, 9)) end
  for i = 1, from[n + 1] + 16 do bytes[i] = string.char(math.random(0, 255)) end
  local data = dc.from_bytes(table.concat(bytes), #bytes, "uint8")
  local out, sums = dc.zeros(2 * n, "uint64"), dc.zeros(block * grid, "float32")
  m:kernel "records"(grid, block, data, dc.array(from, "int32"), out, sums, n, n - 7)
  print(table.concat(out:to_table(), " "))
  print(table.concat(sums:to_table(), " "))
end
print(m.records.attributes.tier)
]==]

describe("lanes that run one by one", function()
  it("take turns at a loop over elements that the grid shares", function()
    local seed = math.random(1 << 30)
    local function run(how) return helper.on_cpu(how, script, tostring(seed)) end
    local want = run "TIER=0"
    for _, how in ipairs { "TIER=1", "TIER=1 DOTCOMPUTE_CPU_THREADS=1", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
      assert.equal((want:gsub("0\n$", "1\n")), run(how), helper.note(how))
    end
  end)
end)
