-- Atomics of consecutive words by blocks that several threads run at the same time: no operation is lost, each returns
-- a value that was there, words beside them and of lanes that take no part stay.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))
local m = dc.module [[
__device__ bool takes_part(int lane, int low, int high, int without) {
  return lane >= low && lane < high && lane != without;
}

__global__ void tickets(unsigned *row, unsigned *old, int low, int high, int without, int rounds) {
  int t = threadIdx.x;
  for (int r = 0; r < rounds; r++)
    if (takes_part(t, low, high, without))
      old[(blockIdx.x * rounds + r) * blockDim.x + t] = atomicAdd(&row[t], 1u);
}
__global__ void sums(float *row, int low, int high, int without, int rounds) {
  for (int r = 0; r < rounds; r++)
    if (takes_part(threadIdx.x, low, high, without)) atomicAdd(&row[threadIdx.x], 0.5f * (blockIdx.x % 3 + 1));
}
__global__ void extremes(int *row, const int *x, int low, int high, int without) {
  if (takes_part(threadIdx.x, low, high, without))
    atomicMax(&row[threadIdx.x], x[blockIdx.x * blockDim.x + threadIdx.x]);
}
__global__ void exchanges(unsigned *row, unsigned *seen, int low, int high, int without) {
  if (takes_part(threadIdx.x, low, high, without))
    seen[blockIdx.x * blockDim.x + threadIdx.x] = atomicExch(&row[threadIdx.x], blockIdx.x + 1);
}
]]
local function shifted(a, by, n) return a[{ { 1 + by, by + n } }] end
for round = 1, 6 do
  local n, blocks, rounds, by = math.random(1, 100), math.random(50, 150), math.random(1, 20), math.random(0, 3)
  local low = math.random() < 0.5 and 0 or math.random(0, n - 1)
  local high = math.random() < 0.5 and n or math.random(low, n)
  local without = math.random() < 0.5 and -1 or math.random(0, n)
  if round == 1 then -- whole rows, so often that threads meet
    n, rounds, by, low, high, without = 64, 400, 0, 0, 64, -1
  end
  local function takes_part(t) return t >= low and t < high and t ~= without end
  -- a row within a longer array, whose other words are to stay
  local function check(kind, dtype, kernel, more, want)
    local a = dc.full(n + 8, 7, dtype)
    shifted(a, by, n):fill(0)
    m:kernel(kernel)(blocks, n, shifted(a, by, n), table.unpack(more))
    for i, v in ipairs(a:to_table()) do
      local t = i - 1 - by
      local expected = (t < 0 or t >= n) and 7 or takes_part(t) and want(t) or 0
      if v ~= expected then error(("%s: word %d is %s, not %s"):format(kind, t, v, expected)) end
    end
  end
  local old = dc.zeros(blocks * rounds * n, "uint32")
  check("tickets", "uint32", "tickets", { old, low, high, without, rounds }, function() return blocks * rounds end)
  local given, seen = old:to_table(), {}
  for t = 0, n - 1 do
    for r = 0, blocks * rounds - 1 do
      local v = given[r * n + t + 1]
      if takes_part(t) then
        assert(v < blocks * rounds and not seen[v * n + t], "a ticket was given twice")
        seen[v * n + t] = true
      end
    end
  end
  local sum = 0
  for b = 0, blocks - 1 do sum = sum + rounds * 0.5 * (b % 3 + 1) end
  check("sums", "float32", "sums", { low, high, without, rounds }, function() return sum end)
  local x, most = {}, {}
  for i = 0, blocks * n - 1 do
    x[i + 1] = math.random(-5, 1 << 30)
    most[i % n] = math.max(most[i % n] or 0, x[i + 1])
  end
  check("extremes", "int32", "extremes", { dc.array(x, "int32"), low, high, without }, function(t) return most[t] end)
  local taken, total = dc.zeros(blocks * n, "uint32"), {}
  local row = dc.zeros(n, "uint32")
  m:kernel "exchanges"(blocks, n, row, taken, low, high, without)
  for i, v in ipairs(taken:to_table()) do total[(i - 1) % n] = (total[(i - 1) % n] or 0) + v end
  for i, v in ipairs(row:to_table()) do
    local all = total[i - 1] + v
    if takes_part(i - 1) then assert(all == blocks * (blocks + 1) // 2, "a value was lost in an exchange") end
  end
end
]==]

for _, tier in ipairs { 0, 1 } do
  for _, threads in ipairs { 1, 2, 5 } do
    local how = ("TIER=%d DOTCOMPUTE_CPU_THREADS=%d"):format(tier, threads)
    it("atomics of rows lose nothing, with CPU_" .. how, function() helper.passes_on_cpu(how, script) end)
  end
end
