-- The order of random keys of int64, for permutations: the same as `keys:argsort()`, by sorting fewer bits.
--
--   on a GPU            by their upper halves; the few keys that have the same are put in order by a kernel
--   on the CPU device   as numbers with their indices in the lowest bits, if the keys differ in all others
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local sort = require "dotcompute.sort"
core.builtin(debug.getinfo(1, "S").source)

local LEAST_HALVES, LEAST_PACKED = 1 << 17, 1 << 13 -- keys from which each is faster
local MOST_PACKED = 1 << 20 -- keys of which few agree in all but their lowest 20 bits

-- A thread whose key is the first of equal upper halves sorts those by insertion. Stable, as the order is before.
local ties = [=[
__global__ void dc_order_ties(long long *order, const int *halves, const long long *keys, const long long n) {
  const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (first + 1 >= n || halves[first + 1] != halves[first] || (first > 0 && halves[first - 1] == halves[first])) return;
  for (long long i = first + 1; i < n && halves[i] == halves[first]; i++) {
    const long long place = order[i], key = keys[place - 1];
    long long to = i;
    for (; to > first && keys[order[to - 1] - 1] > key; to--) order[to] = order[to - 1];
    order[to] = place;
  }
}
]=]

local function order_by_halves(keys)
  local n, device = #keys, keys.device
  local high <close> = (keys >> 32):to("int32"):eval()
  local halves, order = sort.rows(high, n, false, true, true)
  local kernel = algorithm.kernel(device, "dc_order_ties", "", function() return ties end)
  kernel((n + 255) // 256, 256, order, halves, keys, n)
  halves:close()
  return order
end

-- nil where keys agree in all but the lowest bits.
local function packed_order(keys)
  local n, mask = #keys, 1
  while mask < n do mask = mask << 1 end
  mask = mask - 1
  local packed <close> = (keys & ~mask | dc.arange(0, n - 1, 1, "int64")):eval()
  local sorted = dc.sort(packed)
  local differ = (sorted[{ { 2, n } }] ~ sorted[{ { 1, n - 1 } }]) & ~mask
  local order = not differ:eq(0):any() and ((sorted & mask) + 1):eval() or nil
  core.discard(sorted)
  return order
end

-- `keys`: random int64, 1-d. Indices of int64, of which the smallest key's is the first.
return function(keys)
  local n, order = #keys, nil
  if algorithm.is_gpu(keys.device) then
    if n >= LEAST_HALVES then order = order_by_halves(keys:eval()) end
  elseif n >= LEAST_PACKED and n <= MOST_PACKED then
    order = packed_order(keys)
  end
  return order and core.index_promise(order, n, true) or keys:argsort()
end
