-- A prefix sum in shared memory, in Lua and in CUDA C: sums within blocks of 256, those of the blocks by the same
-- kernel, and an addition.
local dc = require "dotcompute"

local BLOCK <const> = 256

local scan = dc.jit(function(x, sums, totals)
  local values = dc.shared("int32", 2, BLOCK)
  local t, i = dc.thread_index(), dc.index()
  local from, to = 1, 2
  values[from][t] = i <= #x and x[i] or 0
  dc.sync_threads()
  local distance = 1
  while distance < BLOCK do
    local v = values[from][t]
    if t > distance then v = v + values[from][t - distance] end
    values[to][t] = v
    from, to = to, from
    distance = distance * 2
    dc.sync_threads()
  end
  if i <= #x then sums[i] = values[from][t] end
  if t == BLOCK then totals[dc.block_index()] = values[from][t] end
end)

local add = dc.jit(function(sums, offsets)
  local i, block = dc.index(), dc.block_index()
  if block > 1 and i <= #sums then sums[i] = sums[i] + offsets[block - 1] end
end)

local cuda = dc.module(("#define BLOCK %d\n"):format(BLOCK) .. [[
__global__ void scan(const int *__restrict__ x, int *__restrict__ sums, int *__restrict__ totals, int n) {
  __shared__ int values[2][BLOCK];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int from = 0, to = 1;
  values[from][t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < BLOCK; distance *= 2) {
    int v = values[from][t];
    if (t >= distance) v += values[from][t - distance];
    values[to][t] = v;
    from = to;
    to = 1 - to;
    __syncthreads();
  }
  if (i < n) sums[i] = values[from][t];
  if (t == BLOCK - 1) totals[blockIdx.x] = values[from][t];
}
__global__ void add(int *__restrict__ sums, const int *__restrict__ offsets, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < n) sums[i] += offsets[blockIdx.x - 1];
}]])

-- The arrays of all levels: numbers, their prefix sums, totals of the blocks; those totals, and so on.
local function levels(x, sums)
  local list = {}
  while true do
    local blocks = (#x + BLOCK - 1) // BLOCK
    local totals = dc.zeros(blocks, "int32")
    list[#list + 1] = { x = x, sums = sums, totals = totals, blocks = blocks, n = #x }
    if blocks == 1 then return list end
    x, sums = totals, dc.zeros(blocks, "int32")
  end
end

return {
  name = "prefix sum", kernel = scan,
  cpu = { n = 1 << 22 }, gpu = { n = 1 << 28 },
  prepare = function(size)
    local x = dc.random.integers(size.n, { low = -100, high = 100, dtype = "int32" }):eval()
    local sums = dc.zeros(size.n, "int32")
    local list = levels(x, sums)
    local cuda_scan, cuda_add = cuda:kernel "scan", cuda:kernel "add"
    return {
      x = x, result = sums,
      reset = function() sums:fill(0) end,
      lua = function()
        for _, l in ipairs(list) do scan(l.blocks, BLOCK, l.x, l.sums, l.totals) end
        for k = #list - 1, 1, -1 do add(list[k].blocks, BLOCK, list[k].sums, list[k + 1].sums) end
      end,
      cuda = function()
        for _, l in ipairs(list) do cuda_scan(l.blocks, BLOCK, l.x, l.sums, l.totals, l.n) end
        for k = #list - 1, 1, -1 do cuda_add(list[k].blocks, BLOCK, list[k].sums, list[k + 1].sums, list[k].n) end
      end,
    }
  end,
}
