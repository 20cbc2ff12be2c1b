-- Guarantees between threads: barriers reached by different paths, locks, flags between blocks, warp functions in
-- divergent code, cooperative groups, grids and blocks of every shape.
local dc = require "dotcompute"

local helper = require "spec.helper"
local note = helper.note
local int32, ints, same = helper.int32, helper.ints, helper.same

describe("a barrier", function()
  it("joins threads of a warp that come from different branches", function()
    local k = dc.kernel [[
#define BARRIER asm volatile("barrier.sync 0;" ::: "memory")
__global__ void paths(const int *x, int *r) {
  __shared__ int s[96];
  int t = threadIdx.x, v = x[t];
  for (int i = 0; i < 5; i++) {
    if (v % 3 == 0) { s[t] = v; BARRIER; }
    else if (v % 3 == 1) { for (int j = 0; j < t; j++) v += j; s[t] = v; BARRIER; }
    else { s[t] = -v; BARRIER; v += 7; }
    int other = s[(t + 31 * i + 1) % 96];
    BARRIER;
    v += other & 0xff;
  }
  r[t] = v;
}]]
    local x = ints(96, 0, 1000)
    local r = dc.empty(96, "int32")
    k(1, 96, dc.array(x, "int32"), r)
    local v = table.move(x, 1, 96, 1, {})
    for i = 0, 4 do
      local s = {}
      for t = 0, 95 do
        local case = v[t + 1] % 3
        if case == 1 then v[t + 1] = v[t + 1] + t * (t - 1) // 2 end
        s[t] = case == 2 and -v[t + 1] or v[t + 1]
        if case == 2 then v[t + 1] = v[t + 1] + 7 end
      end
      for t = 0, 95 do v[t + 1] = v[t + 1] + (s[(t + 31 * i + 1) % 96] & 0xff) end
    end
    same(v, r:to_table(), "paths")
  end)

  it("from cooperative groups works in divergent code", function()
    local k = dc.kernel [[
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void groups(int *r) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  int t = block.thread_rank();
  if (t & 1) { s[t] = 3 * t; block.sync(); }
  else { s[t] = -t; block.sync(); }
  r[t] = s[63 - t];
}]]
    local r, want = dc.empty(64, "int32"), {}
    k(1, 64, r)
    for t = 0, 63 do want[t + 1] = t % 2 == 0 and 3 * (63 - t) or -(63 - t) end
    same(want, r:to_table(), "groups")
  end)

  it("does not wait for threads that have returned, in the middle of a loop", function()
    local k = dc.kernel [[
__global__ void leaving(const int *rounds, int *r) {
  __shared__ int alive[50];
  int t = threadIdx.x;
  for (int i = 0; i < 50; i++) {
    if (t == 0) alive[i] = 0;
    __syncthreads();
    if (i >= rounds[t]) return;
    atomicAdd(&alive[i], 1);
    __syncthreads();
    r[blockIdx.x * 50 + i] = alive[i];
  }
}]]
    local rounds = ints(77, 0, 50)
    rounds[1] = 50
    local r = dc.zeros(150, "int32")
    k(3, 77, dc.array(rounds, "int32"), r)
    local want = {}
    for i = 0, 149 do
      want[i + 1] = 0
      for _, n in ipairs(rounds) do if i % 50 < n then want[i + 1] = want[i + 1] + 1 end end
    end
    same(want, r:to_table(), "leaving")
  end)

  it("with a number and a count joins that many threads; some may arrive without waiting", function()
    local k = dc.kernel [[
// Warps 0 and 1 produce, warps 2 to 4 consume, warp 5 has a barrier of its own.
__global__ void pipeline(const int *x, int *r, int rounds) {
  __shared__ int buffer[64];
  int t = threadIdx.x;
  if (t < 64) {
    for (int i = 0; i < rounds; i++) {
      asm volatile("bar.sync 2, 160;" ::: "memory"); // empty
      buffer[t] = x[64 * i + t];
      asm volatile("bar.arrive 1, 160;" ::: "memory"); // full
    }
  } else if (t < 160) {
    int sum = 0;
    asm volatile("bar.arrive 2, 160;" ::: "memory");
    for (int i = 0; i < rounds; i++) {
      asm volatile("bar.sync 1, 160;" ::: "memory");
      for (int j = 0; j < 64; j++) sum = 3 * sum + buffer[j];
      if (i + 1 < rounds) asm volatile("bar.arrive 2, 160;" ::: "memory");
    }
    r[t - 64] = sum;
  } else {
    asm volatile("bar.sync 15, 32;" ::: "memory");
    r[t - 64] = t;
  }
}]]
    local x, sum = ints(64 * 6), 0
    local r = dc.empty(128, "int32")
    k(1, 192, dc.array(x, "int32"), r, 6)
    for i = 1, 64 * 6 do sum = int32(3 * sum + x[i]) end
    local want = {}
    for i = 1, 96 do want[i] = sum end
    for i = 97, 128 do want[i] = 63 + i end
    same(want, r:to_table(), "pipeline")
  end)

  it("counts, ands and ors a predicate over threads that have not returned", function()
    local k = dc.kernel [[
__global__ void votes(const int *x, int n, int *r) {
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (t >= n) return;
  int v = x[t];
  int count = __syncthreads_count(v > 0), all = __syncthreads_and(v > -990), any = __syncthreads_or(v > 990);
  r[t] = 4 * count + 2 * (all != 0) + (any != 0);
}]]
    for _, block in ipairs { { 7, 5, 3 }, { 1, 33, 1 }, { 31, 1, 1 }, { 2, 2, 64 }, { 1024, 1, 1 } } do
      local threads = block[1] * block[2] * block[3]
      local n = math.random(1, threads)
      local x, count, all, any = ints(n), 0, true, false
      for _, v in ipairs(x) do
        count, all, any = count + (v > 0 and 1 or 0), all and v > -990, any or v > 990
      end
      local r, want = dc.empty(n, "int32"), {}
      k(1, block, dc.array(x, "int32"), n, r)
      for i = 1, n do want[i] = 4 * count + (all and 2 or 0) + (any and 1 or 0) end
      same(want, r:to_table(), threads .. " threads, n = " .. n)
    end
  end)
end)

describe("a lock", function()
  -- Every thread adds to a total that is not atomic: lost updates show.
  local function guarded(name, source, grid, block, lanes)
    it(name, function()
      local k = dc.kernel(source)
      local state = dc.zeros(4, "int32")
      k(grid, block, state)
      local total = 0
      for i = 0, grid * block - 1 do
        if i % lanes == 0 then total = total + i % 1000 end
      end
      assert.equal(total, state[1])
    end)
  end

  guarded("is held by one lane of a warp at a time", [[
__global__ void one_lane(volatile int *s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS((int *)s + 1, 0, 1) != 0) {}
    __threadfence();
    s[0] = s[0] + i % 1000;
    __threadfence();
    atomicExch((int *)s + 1, 0);
  }
}]], 50, 256, 32)

  guarded("is taken by all lanes of a warp, one after the other", [[
__global__ void all_lanes(volatile int *s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (bool done = false; !done;) {
    if (atomicCAS((int *)s + 1, 0, 1) == 0) {
      __threadfence();
      s[0] = s[0] + i % 1000;
      __threadfence();
      atomicExch((int *)s + 1, 0);
      done = true;
    }
  }
}]], 7, 70, 1)

  guarded("is waited for by lanes whose neighbour holds it", [[
__global__ void naive(volatile int *s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (atomicCAS((int *)s + 1, 0, 1) != 0) {}
  __threadfence();
  s[0] = s[0] + i % 1000;
  __threadfence();
  atomicExch((int *)s + 1, 0);
}]], 5, 70, 1)

  guarded("by tickets serves all in order", [[
__global__ void tickets(volatile int *s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int mine = atomicAdd((int *)s + 1, 1);
  while (s[2] != mine) {}
  __threadfence();
  s[0] = s[0] + i % 1000;
  __threadfence();
  s[2] = mine + 1;
}]], 5, 70, 1)

  guarded("that backs off by __nanosleep is passed on", [[
__global__ void sleepy(volatile int *s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned ns = 8;
  while (atomicCAS((int *)s + 1, 0, 1) != 0) {
    __nanosleep(ns);
    if (ns < 256) ns *= 2;
  }
  __threadfence();
  s[0] = s[0] + i % 1000;
  __threadfence();
  atomicExch((int *)s + 1, 0);
}]], 3, 64, 1)
end)

-- The kernel for a cooperative launch. The CPU device keeps as many blocks under way without being asked.
local function cooperative(k)
  local ok, variant = pcall(k.with, k, { cooperative = true })
  assert(ok or dc.device().backend == "cpu", variant)
  return ok and variant or k
end

describe("threads that wait for others", function()
  it("see a volatile flag that another warp of the block sets", function()
    local k = dc.kernel [[
__global__ void flags(const int *x, int *r) {
  __shared__ volatile int flag[5], value[5];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x < 5) flag[threadIdx.x] = 0;
  __syncthreads();
  if (warp < 4) while (flag[warp + 1] == 0) {}
  if (lane == 0) {
    value[warp] = x[warp] + (warp < 4 ? 3 * value[warp + 1] : 0);
    __threadfence_block();
    flag[warp] = 1;
  }
  __syncwarp();
  r[threadIdx.x] = value[warp];
}]]
    local x, r, want, v = ints(5), dc.empty(160, "int32"), {}, 0
    k(1, 160, dc.array(x, "int32"), r)
    for warp = 4, 0, -1 do
      v = x[warp + 1] + 3 * v
      for lane = 1, 32 do want[32 * warp + lane] = v end
    end
    same(want, r:to_table(), "flags")
  end)

  it("may be in earlier blocks than those they wait for", function()
    local k = dc.kernel [[
__global__ void relay(const int *x, volatile int *flag, volatile int *value, int *r) {
  int b = blockIdx.x;
  __shared__ int got;
  if (threadIdx.x == 0) {
    got = 0;
    if (b + 1 < gridDim.x) { // the next block comes first
      while (flag[b + 1] == 0) {}
      __threadfence();
      got = value[b + 1];
    }
    value[b] = 5 * got + x[b];
    __threadfence();
    flag[b] = 1;
  }
  __syncthreads();
  r[b * blockDim.x + threadIdx.x] = got + threadIdx.x;
}]]
    local n = 8
    local x, r = ints(n), dc.empty(n * 40, "int32")
    k(n, 40, dc.array(x, "int32"), dc.zeros(n, "int32"), dc.zeros(n, "int32"), r)
    local want, got = {}, 0
    for b = n - 1, 0, -1 do
      for t = 0, 39 do want[b * 40 + t + 1] = int32(got + t) end
      got = int32(5 * got + x[b + 1])
    end
    same(want, r:to_table(), "relay")
  end)

  it("scan in a single pass, each block looking back at earlier ones", function()
    local k = dc.kernel [[
// state: 2 bits of what is known (1 the tile's own sum, 2 all up to it), and the sum.
__global__ void scan(int n, const int *x, int *r, volatile unsigned long long *state, unsigned *next_tile) {
  __shared__ int part[256], tile, before;
  int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(next_tile, 1);
  __syncthreads();
  int i = tile * 256 + t, v = i < n ? x[i] : 0;
  part[t] = v;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int add = t >= d ? part[t - d] : 0;
    __syncthreads();
    part[t] += add;
    __syncthreads();
  }
  if (t == 0) {
    unsigned own = part[255];
    int sum = 0;
    if (tile > 0) state[tile] = 1ull << 32 | own;
    for (int j = tile - 1; j >= 0; j--) {
      unsigned long long s;
      do s = state[j]; while (s >> 32 == 0);
      sum += (int)(unsigned)s;
      if (s >> 32 == 2) break;
    }
    __threadfence();
    state[tile] = 2ull << 32 | (unsigned)(sum + (int)own);
    before = sum;
  }
  __syncthreads();
  if (i < n) r[i] = before + part[t];
}]]
    local n = math.random(20000, 30000)
    local x, want, sum = ints(n), {}, 0
    for i = 1, n do
      sum = sum + x[i]
      want[i] = sum
    end
    local r, tiles = dc.empty(n, "int32"), (n + 255) // 256
    k(tiles, 256, n, dc.array(x, "int32"), r, dc.zeros(tiles, "uint64"), dc.zeros(1, "uint32"))
    same(want, r:to_table(), "scan")
  end)

  it("leave the final reduction to the block that ends last", function()
    local k = dc.kernel [[
__device__ unsigned arrived = 0;
__global__ void total(int n, const int *x, volatile int *parts, int *r) {
  __shared__ int sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sum, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) atomicAdd(&sum, parts[b]);
  __syncthreads();
  if (threadIdx.x == 0) *r = sum;
}]]
    for _ = 1, 3 do -- the counter wraps to 0 each time
      local n = math.random(10000, 20000)
      local x, want = ints(n), 0
      for i = 1, n do want = want + x[i] end
      local r, blocks = dc.zeros(1, "int32"), (n + 95) // 96
      k(blocks, 96, n, dc.array(x, "int32"), dc.zeros(blocks, "int32"), r)
      assert.equal(want, r[1], note "total")
    end
  end)

  it("synchronize a whole grid of as many blocks as can be resident", function()
    local k = dc.kernel [[
#include <cooperative_groups.h>
__global__ void smooth(int *a, int *b, int n, int rounds) {
  auto grid = cooperative_groups::this_grid();
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; k++) {
    for (int i = first; i < n; i += gridDim.x * blockDim.x)
      b[i] = (a[(i + 1) % n] + 2 * a[i] + a[(i + n - 1) % n]) & 0xffff;
    grid.sync();
    int *swap = a; a = b; b = swap;
  }
}]]
    local block = ({ 32, 33, 96 })[math.random(3)]
    local blocks = k:occupancy(block) * dc.device().multiprocessors
    local n, rounds = math.min(blocks * block, 2000) + 3, 6
    local x = ints(n, 0, 1000)
    local a, b = dc.array(x, "int32"), dc.empty(n, "int32")
    cooperative(k)(blocks, block, a, b, n, rounds)
    for _ = 1, rounds do
      local y = {}
      for i = 1, n do y[i] = (x[i % n + 1] + 2 * x[i] + x[(i - 2) % n + 1]) & 0xffff end
      x = y
    end
    same(x, a:to_table(), ("%d blocks of %d"):format(blocks, block))
  end)
end)

describe("CUB in a kernel", function()
  it("scans, sorts and reduces blocks", function()
    local k = dc.kernel [[
#include <cub/block/block_scan.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
__global__ void blocks(const int *x, int *scanned, unsigned *sorted, int *from, int *most) {
  typedef cub::BlockScan<int, 96> Scan;
  typedef cub::BlockRadixSort<unsigned, 96, 3, int> Sort;
  typedef cub::WarpReduce<int> Reduce;
  __shared__ union { typename Scan::TempStorage scan; typename Sort::TempStorage sort; } temp;
  __shared__ typename Reduce::TempStorage reduce[3];
  int t = threadIdx.x, base = 288 * blockIdx.x, v[3], s[3], index[3];
  unsigned key[3];
  for (int j = 0; j < 3; j++) {
    v[j] = x[base + 3 * t + j];
    key[j] = (unsigned)v[j];
    index[j] = 3 * t + j;
  }
  int high = Reduce(reduce[t / 32]).Reduce(max(v[0], max(v[1], v[2])), [](int a, int b) { return a > b ? a : b; });
  if (t % 32 == 0) most[3 * blockIdx.x + t / 32] = high;
  Scan(temp.scan).ExclusiveSum(v, s);
  __syncthreads();
  Sort(temp.sort).Sort(key, index);
  for (int j = 0; j < 3; j++) {
    scanned[base + 3 * t + j] = s[j];
    sorted[base + 3 * t + j] = key[j];
    from[base + 3 * t + j] = index[j];
  }
}]]
    local n = 2 * 288
    local x = ints(n, 0, 500)
    local scanned, sorted = dc.empty(n, "int32"), dc.empty(n, "uint32")
    local from, most = dc.empty(n, "int32"), dc.empty(6, "int32")
    k(2, 96, dc.array(x, "int32"), scanned, sorted, from, most)
    local want = { scanned = {}, sorted = {}, from = {}, most = {} }
    for b = 0, 1 do
      local sum, order = 0, {}
      for i = 1, 288 do
        want.scanned[288 * b + i] = sum
        sum = sum + x[288 * b + i]
        order[i] = i
        local w = 3 * b + (i - 1) // 96 + 1
        want.most[w] = math.max(want.most[w] or 0, x[288 * b + i])
      end
      table.sort(order, function(p, q)
        local u, v = x[288 * b + p], x[288 * b + q]
        return u < v or (u == v and p < q) -- a radix sort is stable
      end)
      for i, p in ipairs(order) do
        want.sorted[288 * b + i], want.from[288 * b + i] = x[288 * b + p], p - 1
      end
    end
    same(want.scanned, scanned:to_table(), "scan")
    same(want.sorted, sorted:to_table(), "sort, keys")
    same(want.from, from:to_table(), "sort, values")
    same(want.most, most:to_table(), "warp reduction")
  end)
end)

describe("a grid", function()
  local source = [[
__global__ void where(int *r, int n) {
  unsigned long long block = blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  long long i = block * (blockDim.x * blockDim.y * blockDim.z) + t;
  int code = ((blockIdx.x * 31 + blockIdx.y) * 37 + blockIdx.z) * 41;
  code += threadIdx.x * 3 + threadIdx.y * 5 + threadIdx.z * 7;
  unsigned warp = __ballot_sync(__activemask(), 1);
  if (i < n) atomicAdd(r + i, code + 1000000 * __popc(warp));
}]]
  for _, shape in ipairs {
    { { 3, 5, 2 }, { 7, 5, 3 } }, { { 1, 1, 9 }, { 1, 33, 1 } }, { { 11, 1, 1 }, { 31, 1, 1 } },
    { { 2, 1, 3 }, { 1024, 1, 1 } }, { { 1, 7, 1 }, { 2, 2, 64 } }, { { 1, 1, 1 }, { 1, 1, 1 } },
    { { 5, 3, 3 }, { 1, 1, 5 } }, { { 3, 1, 1 }, { 11, 31, 3 } },
  } do
    local grid, block = shape[1], shape[2]
    it(("of %dx%dx%d blocks of %dx%dx%d threads runs each thread once"):format(grid[1], grid[2], grid[3], block[1],
      block[2], block[3]), function()
      local k = dc.kernel(source)
      local threads = helper.product(block)
      local n = helper.product(grid) * threads
      local r, want = dc.zeros(n, "int32"), {}
      k(grid, block, r, n)
      for bz = 0, grid[3] - 1 do for by = 0, grid[2] - 1 do for bx = 0, grid[1] - 1 do
        for t = 0, threads - 1 do
          local x, y, z = t % block[1], t // block[1] % block[2], t // (block[1] * block[2])
          local lanes = math.min(32, threads - t // 32 * 32)
          want[#want + 1] = ((bx * 31 + by) * 37 + bz) * 41 + x * 3 + y * 5 + z * 7 + 1000000 * lanes
        end
      end end end
      same(want, r:to_table(), "where")
    end)
  end

  it("counts its blocks with 64 bits", function()
    local k = dc.kernel [[
__global__ void many(unsigned long long *r) {
  if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1)
    *r = (blockIdx.y + 1ull) * gridDim.x + 1000000000000ull * gridDim.z;
}]]
    for _, grid in ipairs { { 100003, 1, 1 }, { 2, 65535, 1 }, { 1, 3, 40000 } } do
      local r = dc.zeros(1, "uint64")
      k(grid, 1, r)
      assert.equal(grid[1] * grid[2] + 1000000000000 * grid[3], r[1])
    end
  end)
end)

describe("warp functions in divergent code", function()
  it("work among the lanes that their mask names", function()
    local k = dc.kernel [[
__global__ void groups(const int *x, int *r) {
  int t = threadIdx.x, lane = t % 32, v = x[t], kind = lane % 3;
  unsigned mine = 0;
  for (int l = kind; l < 32; l += 3) mine |= 1u << l;
  int a = 0, b = 0, c = 0, d = 0;
  if (kind == 0) {
    for (int i = 0; i < 3; i++) a += __shfl_sync(mine, v + i, (lane + 3 * (i + 1)) % 33);
    b = __ballot_sync(mine, v & 1);
  } else if (kind == 1) {
    for (int i = 0; i < lane; i++) v ^= i;
    __syncwarp(mine);
    a = __shfl_down_sync(mine, v, 3);
    b = __match_any_sync(mine, v & 3);
    c = __any_sync(mine, v > 900) * 2 + __all_sync(mine, v >= -2000);
  } else {
    a = __shfl_xor_sync(mine, v, 3 * (lane == 5 || lane == 6));
    int all;
    b = __match_all_sync(mine, kind, &all);
    c = all;
    __match_all_sync(mine, lane, &all);
    d = all;
  }
  int *out = r + 4 * t;
  out[0] = a; out[1] = b; out[2] = c; out[3] = d;
}]]
    local x, r = ints(96), dc.empty(96 * 4, "int32")
    k(1, 96, dc.array(x, "int32"), r)
    local want = {}
    local function lanes(kind, fn) -- the mask of lanes for which fn is true
      local mask = 0
      for l = kind, 31, 3 do if fn(l) then mask = mask | 1 << l end end
      return int32(mask)
    end
    for w = 0, 2 do
      local v = {}
      for l = 0, 31 do
        v[l] = x[32 * w + l + 1]
        if l % 3 == 1 then for i = 0, l - 1 do v[l] = int32(v[l] ~ i) end end
      end
      for l = 0, 31 do
        local c, d, a, b = 0, 0, 0
        if l % 3 == 0 then
          for i = 0, 2 do a = a + v[(l + 3 * (i + 1)) % 33] + i end
          b = lanes(0, function(o) return v[o] & 1 == 1 end)
        elseif l % 3 == 1 then
          a = l + 3 < 32 and v[l + 3] or v[l]
          b = lanes(1, function(o) return v[o] & 3 == v[l] & 3 end)
          c = (lanes(1, function(o) return v[o] > 900 end) ~= 0 and 2 or 0)
            + (lanes(1, function(o) return v[o] < -2000 end) == 0 and 1 or 0)
        else
          a = l == 5 and v[6] or v[l]
          b, c, d = lanes(2, function() return true end), 1, 0
        end
        if l == 5 then a = nil end -- lane 6 is in another group: undefined
        for i, value in ipairs { a or false, b, c, d } do want[4 * (32 * w + l) + i] = value end
      end
    end
    local got = r:to_table()
    for i = 1, #want do
      if want[i] then assert.equal(want[i], got[i], note(("lane %d, result %d"):format((i - 1) // 4, (i - 1) % 4))) end
    end
  end)

  it("see active lanes in __activemask, themselves among them", function()
    local k = dc.kernel [[
__global__ void active(const int *x, int *r) {
  int t = threadIdx.x;
  unsigned m = 0, whole = __activemask();
  if (x[t] > 0) m = __activemask();
  else if (x[t] > -500) m = __activemask();
  r[t] = m;
  r[64 + t] = whole;
}]]
    local x, r = ints(45), dc.empty(128, "int32")
    k(1, 45, dc.array(x, "int32"), r)
    local got = r:to_table()
    local function kind(v) return v > 0 and 1 or v > -500 and 2 or 3 end
    for t = 0, 44 do
      local m, w = got[t + 1], t // 32 * 32
      assert.equal(w == 0 and -1 or (1 << 13) - 1, got[64 + t + 1], note "whole")
      if kind(x[t + 1]) == 3 then
        assert.equal(0, m)
      else
        assert(m >> (t - w) & 1 == 1, note("thread " .. t .. " is not in its own mask"))
        for l = 0, 31 do
          if m >> l & 1 == 1 then assert.equal(kind(x[t + 1]), kind(x[w + l + 1]), note("thread " .. t)) end
        end
      end
    end
  end)
end)

describe("cooperative groups", function()
  for _, size in ipairs { 4, 8, 16, 32 } do
    it("tile a block by " .. size, function()
      local k = dc.kernel([[
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void tiles(const int *x, int *r) {
  auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
  int t = threadIdx.x, v = x[t];
  int *out = r + 6 * t;
  out[0] = cg::reduce(tile, v, cg::plus<int>());
  out[1] = cg::inclusive_scan(tile, v);
  out[2] = tile.shfl(v, (tile.thread_rank() + 1) % SIZE);
  out[3] = tile.meta_group_rank() * 100 + tile.thread_rank();
  if (tile.meta_group_rank() % 2) {
    out[4] = cg::reduce(tile, v, cg::greater<int>());
    tile.sync();
    out[5] = tile.any(v > 900);
  } else {
    out[4] = tile.ballot(v > 0);
    out[5] = cg::exclusive_scan(tile, v, cg::plus<int>());
  }
}]], { define = { SIZE = size } })
      local x, r, want = ints(128), dc.empty(128 * 6, "int32"), {}
      k(1, 128, dc.array(x, "int32"), r)
      for t = 0, 127 do
        local first, sum, before, most, ballot = t // size * size, 0, 0, -1001, 0
        for i = first, first + size - 1 do
          local v = x[i + 1]
          sum, most = sum + v, math.max(most, v)
          if i < t then before = before + v end
          if v > 0 then ballot = ballot | 1 << (i - first) end
        end
        local odd = t // size % 2 == 1
        local five = before
        if odd then five = most > 900 and 1 or 0 end
        for i, value in ipairs { sum, before + x[t + 1], x[first + (t - first + 1) % size + 1],
          t // size * 100 + t % size, odd and most or int32(ballot), five } do
          want[6 * t + i] = value
        end
      end
      same(want, r:to_table(), "tiles")
    end)
  end

  it("consist of the lanes that took a branch, or of those with equal labels", function()
    local k = dc.kernel [[
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void parts(const int *x, int *r, int *count) {
  int t = threadIdx.x, v = x[t];
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  auto label = cg::labeled_partition(tile, v & 3);
  int *out = r + 5 * t;
  out[0] = cg::reduce(label, v, cg::plus<int>());
  auto half = cg::binary_partition(tile, v > 100);
  out[1] = half.size();
  out[2] = half.thread_rank();
  out[3] = out[4] = -1;
  if (v % 3 == 0) {
    auto here = cg::coalesced_threads();
    int base = 0;
    if (here.thread_rank() == 0) base = atomicAdd(count, here.size());
    out[3] = here.shfl(base, 0) + here.thread_rank();
  }
}]]
    local x, r, count = ints(64, 0, 300), dc.empty(64 * 5, "int32"), dc.zeros(1, "int32")
    k(1, 64, dc.array(x, "int32"), r, count)
    local got, slots = r:to_table(), {}
    for t = 0, 63 do
      local sum, size, rank = 0, 0, 0
      for i = t // 32 * 32, t // 32 * 32 + 31 do
        if x[i + 1] & 3 == x[t + 1] & 3 then sum = sum + x[i + 1] end
        if (x[i + 1] > 100) == (x[t + 1] > 100) then
          size = size + 1
          if i < t then rank = rank + 1 end
        end
      end
      assert.same({ sum, size, rank }, { got[5 * t + 1], got[5 * t + 2], got[5 * t + 3] }, note("thread " .. t))
      if x[t + 1] % 3 == 0 then slots[#slots + 1] = got[5 * t + 4] end
    end
    assert.equal(#slots, count[1])
    table.sort(slots)
    for i, slot in ipairs(slots) do assert.equal(i - 1, slot) end
  end)
end)
