-- Elements anywhere in a large array, by indices made of what threads have loaded in a row: native code prefetches
-- those of the next block, whose row may lie behind the end of all memory; beside an evaluation in Lua.
local helper = require "spec.helper"

local tables = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
local m = dc.module [[
__device__ unsigned mixed(unsigned k, unsigned mask) {
  k ^= k >> 15;
  k *= 0x2c1b3c6du;
  return (k ^ k >> 12) & mask;
}
__global__ void look_up(const unsigned *keys, const int2 *table, unsigned mask, unsigned from, int n, long long *to) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned at = mixed(keys[from + i], mask);
  to[i] = table[at].x;
  if (at % 3 == 0) to[i] += table[(at + 1) & mask].y;
}
__global__ void count(const unsigned *keys, unsigned *counts, unsigned mask, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 5) atomicAdd(&counts[mixed(keys[i], mask)], i);
}]]
local function mixed(k, mask)
  k = k ~ k >> 15
  k = k * 0x2c1b3c6d & 0xffffffff
  return (k ~ k >> 12) & mask
end
local mask = (1 << 18) - 1
local words = {}
for i = 1, 2 * (mask + 1) do words[i] = math.random(-1000000, 1000000) end
local pairs_ = dc.array(words, "int32")
for _, block in ipairs { 32, 50, 96 } do
  -- the array ends with a page, so that rows of further blocks lie behind it, where nothing is
  local n, all = math.random(700, 1024), 1 << 20
  local given, keys = {}, dc.zeros(all, "uint32")
  for i = 1, n do given[i] = math.random(0, 0xffffffff) end
  local last = keys:slice { all - n + 1, all }
  last:copy_from(dc.array(given, "uint32"))
  local to, counts = dc.zeros(n, "int64"), dc.zeros(mask + 1, "uint32")
  local blocks = (n + block - 1) // block
  m.look_up(blocks, block, last, pairs_, mask, 0, n, to)
  m.count(blocks, block, last, counts, mask, n)
  local sums = {}
  for i, found in ipairs(to:to_table()) do
    local at = mixed(given[i], mask)
    local wanted = words[2 * at + 1] + (at % 3 == 0 and words[2 * ((at + 1) & mask) + 2] or 0)
    assert(found == wanted, ("blocks of %d, %d: %d, wanted %d"):format(block, i, found, wanted))
    if (i - 1) % 5 ~= 0 then sums[at] = (sums[at] or 0) + i - 1 end
  end
  local made = counts:to_table()
  for at, sum in pairs(sums) do assert(made[at + 1] == sum) end
end
]==]

describe("elements of a large table", function()
  for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
    it("are those that loaded numbers say, with " .. how, function()
      helper.passes_on_cpu(how, tables)
    end)
  end
end)
