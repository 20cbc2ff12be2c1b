-- Atomics of shared memory at elements whose indices a row of global memory holds: counters, sums and maxima by keys of
-- all sizes, in loops and in rows that end within a gang or wrap around, with stores between the load of an index and
-- its use.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))
local types = {
  { "uint8", "unsigned char" }, { "int8", "signed char" }, { "uint16", "unsigned short" }, { "int16", "short" },
  { "uint32", "unsigned" }, { "int32", "int" },
}
-- What happens between the load of key k, by thread i in place `at`, and its use.
local between = {
  "", "x[at] = 0;", "s[threadIdx.x] = k;", "atomicAdd(&s[threadIdx.x], k);", "atomicAdd(total, 1);",
  "if (k == 1) continue;", "k = k / 2;", "other[at] = k;", "at += 1 - (k >= 0);",
}
local function source(T, what, op)
  return ([=[
__global__ void count(T *x, T *other, int *total, int *out, int n, int skipped, int bins) {
  __shared__ int c[256], s[1024];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) c[b] = 0;
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n + skipped; i += gridDim.x * blockDim.x) {
    unsigned at = (unsigned)i - (unsigned)skipped; // wraps around in lanes that skip
    if (i < skipped) continue;
    int k = x[at];
    BETWEEN
    OPERATION;
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&out[b], c[b]);
}]=]):gsub("%f[%w]T%f[%W]", T):gsub("BETWEEN", what):gsub("OPERATION", (op:gsub("%%", "%%%%")))
end
for round = 1, 24 do
  local dtype, T = table.unpack(types[math.random(#types)])
  local what = between[round <= #between and round or math.random(#between)]
  local max = math.random(3) == 1
  local op = max and "atomicMax(&c[k], i - skipped + 1)" or "atomicAdd(&c[k], (i - skipped) % 7 + 1)"
  local bins = math.random(1, dtype:find "8$" and 128 or 256)
  local n, blocks, block = math.random(1, 3000), math.random(1, 3), math.random(1, 300)
  if max then blocks = 1 end
  local x, want = {}, {}
  for i = 1, n do x[i] = math.random(4) == 1 and bins - 1 or math.random(0, bins - 1) end
  for b = 1, bins do want[b] = 0 end
  for i = 0, n - 1 do
    local k = x[i + 1]
    if what:find "continue" and k == 1 then goto next end
    if what:find "k / 2" then k = k // 2 end
    if max then want[k + 1] = math.max(want[k + 1], i + 1) else want[k + 1] = want[k + 1] + i % 7 + 1 end
    ::next::
  end
  local skipped = math.random(2) == 1 and 0 or math.random(0, 70)
  local out = dc.zeros(bins, "int32")
  local k = dc.kernel((source(T, what, op)))
  k(blocks, block, dc.array(x, dtype), dc.zeros(n + 1, dtype), dc.zeros(1, "int32"), out, n, skipped, bins)
  for b, v in ipairs(out:to_table()) do
    if v ~= want[b] then error(("bin %d: %d, not %d\n%s"):format(b - 1, v, want[b], source(T, what, op))) end
  end
  assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
end
]==]

describe("atomics of shared memory by indices from a row", function()
  for _, how in ipairs { "TIER=0", "TIER=1" } do
    it("change the elements that the row names, with CPU_" .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
