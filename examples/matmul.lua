-- Matrix product with tiles in shared memory.  Usage: matmul.lua [rows [inner [columns]]]
local dc = require "dotcompute"

local M = math.tointeger(arg and tonumber(arg[1]) or 512)
local K = math.tointeger(arg and tonumber(arg[2]) or M)
local N = math.tointeger(arg and tonumber(arg[3]) or K)

local TILE = 16
-- a[b[i]] would end a [[ ]] string: kernels that index by brackets twice in a row use [=[ ]=].
local matmul = dc.kernel([=[
__global__ void matmul(int M, int K, int N, const float *A, const float *B, float *C) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < K; t += TILE) {
    As[ty][tx] = row < M && t + tx < K ? A[row * K + t + tx] : 0;
    Bs[ty][tx] = t + ty < K && col < N ? B[(t + ty) * N + col] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}]=], { define = { TILE = TILE } })

local function random_table(rows, cols)
  local t = {}
  for i = 1, rows do
    t[i] = {}
    for j = 1, cols do t[i][j] = math.random() * 2 - 1 end
  end
  return t
end

local function on_device(A, B, m, k, n)
  local C = dc.empty(m, n)
  matmul({ (n + TILE - 1) // TILE, (m + TILE - 1) // TILE }, { TILE, TILE }, m, k, n, A, B, C)
  return C
end

-- The product, and the seconds of the first launch and of the fastest later one.  On the CPU device the first launches
-- are interpreted while native code is built in the background: launches are repeated until it is there, for two
-- seconds at most.
local function timed(A, B, m, k, n)
  local C
  local function launch()
    dc.synchronize()
    local from = dc.clock()
    C = on_device(A, B, m, k, n)
    dc.synchronize()
    return dc.clock() - from
  end
  local first, later, deadline = launch(), math.huge, dc.clock() + 2
  repeat later = math.min(later, launch()) until not dc.device().host_memory or matmul.attributes.tier == 1
    or dc.clock() > deadline
  return C, first, math.min(later, launch())
end

local function plain(A, B, m, k, n)
  local C = {}
  for i = 1, m do
    local row = {}
    for j = 1, n do
      local sum = 0.0
      for p = 1, k do sum = sum + A[i][p] * B[p][j] end
      row[j] = sum
    end
    C[i] = row
  end
  return C
end

-- 1. Against plain Lua at 100 x 100, both timed.
do
  local n = 100
  local A, B = random_table(n, n), random_table(n, n)
  local t0 = dc.clock()
  local want = plain(A, B, n, n, n)
  local lua_seconds = dc.clock() - t0
  local C, _, device_seconds = timed(dc.array(A), dc.array(B), n, n, n)
  local got, worst = C:to_table(), 0
  for i = 1, n do
    for j = 1, n do worst = math.max(worst, math.abs(got[i][j] - want[i][j])) end
  end
  -- 100 float32 products of numbers below 1: an error of 100 * 2^-24 * (sum so far) at the very most.
  assert(worst < 1e-4, ("largest error %g"):format(worst))
  print(("matmul 100x100: device %.3f ms, plain Lua %.3f ms (%.0f times), largest error %.2g"):format(
    device_seconds * 1e3, lua_seconds * 1e3, lua_seconds / device_seconds, worst))
end

-- 2. The size asked for, checked at random places in double precision.
do
  local A, B = random_table(M, K), random_table(K, N)
  local C, first, seconds = timed(dc.array(A), dc.array(B), M, K, N)
  for _ = 1, 200 do
    local i, j = math.random(M), math.random(N)
    local want = 0.0
    for p = 1, K do want = want + A[i][p] * B[p][j] end
    local got = C[{ i, j }]
    assert(math.abs(got - want) <= 1e-6 * K + 1e-5, ("C[%d][%d] is %g, should be %g"):format(i, j, got, want))
  end
  print(("matmul %dx%dx%d: first launch %.3f ms, then %.3f ms, %.2f GFLOP/s, 200 elements checked, on %s"):format(
    M, K, N, first * 1e3, seconds * 1e3, 2 * M * K * N / seconds / 1e9, dc.device().name))
end
