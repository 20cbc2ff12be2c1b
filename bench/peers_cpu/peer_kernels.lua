-- The kernels of the table beside other CPU runtimes: those of bench/kernels.lua, and more of the same form, written
-- once in what CUDA C and OpenCL C have in common.  A row has, beside what is said there,
--   steps(arguments)  -> the launches: {kernel, grid, block, arguments of the launch} each
--   order             its place in the table
--   loops             the table of C loops that has its loop: "openmp" (bench/loops.c) or "peers" (loops.c here)
--   make              gets a third function: whole(n, below, dtype), an array of random whole numbers
-- `scale` and `within` are 1 and 0 unless told.
local folder <const> = arg[0]:match "^(.*/)" or "./"

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

local functions <const> = read(folder .. "functions.h")
local languages <const> = {
  cuda = [[
#define FN __device__ inline
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define SHARED __shared__
#define BARRIER() __syncthreads()
#define COUNT(p) atomicAdd(p, 1)
#define ADD(p, v) atomicAdd(p, v)
#define THREAD ((int)threadIdx.x)
#define BLOCK ((int)blockIdx.x)
#define ITEM ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define ITEMS ((int)(gridDim.x * blockDim.x))
]],
  cl = [[
#define FN
#define KERNEL kernel void
#define GLOBAL global
#define SHARED local
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define COUNT(p) atomic_inc(p)
#define ADD(p, v) atomic_add(p, v)
#define THREAD ((int)get_local_id(0))
#define BLOCK ((int)get_group_id(0))
#define ITEM ((int)get_global_id(0))
#define ITEMS ((int)get_global_size(0))
#define expf exp
#define logf log
#define sqrtf sqrt
#define fabsf fabs
]],
}

local rows = {}
local function add(row, text)
  row.loops = row.loops or "peers"
  for language, head in pairs(languages) do
    row[language] = head .. (row.functions and functions or "") .. text
  end
  rows[#rows + 1] = row
end

add({
  name = "block reduction 2^24, shared", loop = "sum", loops = "openmp", order = 7.5, result = 2, checked = 1,
  scale = 1 << 23, within = 1e-6,
  make = function(input, output) return input(1 << 24, -1, 1), output(4), output(256), 1 << 24 end,
  steps = function(x, out, partial, n)
    return { { "reduce", 256, 256, x, partial, n }, { "reduce", 1, 256, partial, out, 256 } }
  end,
}, [=[
KERNEL reduce(GLOBAL const float *x, GLOBAL float *out, int n) {
  SHARED float sums[256];
  float v = 0;
  for (int i = ITEM; i < n; i += ITEMS) v += x[i];
  sums[THREAD] = v;
  for (int d = 128; d > 0; d /= 2) {
    BARRIER();
    if (THREAD < d) sums[THREAD] += sums[THREAD + d];
  }
  if (THREAD == 0) out[BLOCK] = sums[0];
}]=])

add({
  name = "histogram of 256 bins, shared atomics, 2^24 bytes", loop = "histogram", order = 8, result = 2,
  make = function(_, output, whole) return whole(1 << 24, 256, "uint8"), output(256, "int32"), 1 << 24 end,
  steps = function(x, out, n) return { { "clear", 1, 256, out }, { "histogram", 256, 256, x, out, n } } end,
}, [=[
KERNEL clear(GLOBAL int *out) { out[ITEM] = 0; }
KERNEL histogram(GLOBAL const unsigned char *x, GLOBAL int *out, int n) {
  SHARED int bins[256];
  bins[THREAD] = 0;
  BARRIER();
  for (int i = ITEM; i < n; i += ITEMS) COUNT(&bins[x[i]]);
  BARRIER();
  ADD(&out[THREAD], bins[THREAD]);
}]=])

add({
  name = "bitonic sort 2^20", loop = "bitonic", order = 9, result = 1, updated = true,
  make = function(_, _, whole) return whole(1 << 20, 1 << 24, "int32"), 1 << 20 end,
  steps = function(x, n)
    local list = { { "sort_blocks", n // 512, 256, x } }
    local k = 1024
    while k <= n do
      local j = k // 2
      while j >= 512 do
        list[#list + 1] = { "exchange", n // 512, 256, x, j, k }
        j = j // 2
      end
      list[#list + 1] = { "merge_blocks", n // 512, 256, x, k }
      k = 2 * k
    end
    return list
  end,
}, [=[
FN int bit_up(int i, int k) { return (i & k) == 0; }
#define EXCHANGE(x, i, j, up) { \
  const int a = x[i], b = x[(i) + (j)]; \
  const int swap = (a > b) == (up); \
  x[i] = swap ? b : a; \
  x[(i) + (j)] = swap ? a : b; }
KERNEL exchange(GLOBAL int *x, int j, int k) {
  const int i = ITEM / j * 2 * j + ITEM % j;
  EXCHANGE(x, i, j, bit_up(i, k))
}
KERNEL sort_blocks(GLOBAL int *x) {
  SHARED int own[512];
  const int at = BLOCK * 512;
  own[THREAD] = x[at + THREAD];
  own[THREAD + 256] = x[at + THREAD + 256];
  for (int k = 2; k <= 512; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      BARRIER();
      const int i = 2 * THREAD - (THREAD & (j - 1));
      EXCHANGE(own, i, j, bit_up(at + i, k))
    }
  BARRIER();
  x[at + THREAD] = own[THREAD];
  x[at + THREAD + 256] = own[THREAD + 256];
}
KERNEL merge_blocks(GLOBAL int *x, int k) {
  SHARED int own[512];
  const int at = BLOCK * 512;
  own[THREAD] = x[at + THREAD];
  own[THREAD + 256] = x[at + THREAD + 256];
  for (int j = 256; j > 0; j /= 2) {
    BARRIER();
    const int i = 2 * THREAD - (THREAD & (j - 1));
    EXCHANGE(own, i, j, bit_up(at, k))
  }
  BARRIER();
  x[at + THREAD] = own[THREAD];
  x[at + THREAD + 256] = own[THREAD + 256];
}]=])

add({
  name = "Black-Scholes 2^22", loop = "black_scholes", order = 10, functions = true, result = 4, within = 1e-4,
  make = function(input, output)
    local n = 1 << 22
    return input(n, 10, 100), input(n, 10, 100), input(n, 0.25, 5), output(n), n, 0.02, 0.3
  end,
  steps = function(...) return { { "black_scholes", (1 << 22) // 256, 256, ... } } end,
}, [=[
KERNEL black_scholes(GLOBAL const float *price, GLOBAL const float *strike, GLOBAL const float *years,
                     GLOBAL float *out, int n, float rate, float volatility) {
  const int i = ITEM;
  if (i < n) out[i] = call_value(price[i], strike[i], years[i], rate, volatility);
}]=])

-- Blelloch's: sums up a tree and down again in shared memory, 512 elements a block; then the same of the blocks' sums.
add({
  name = "prefix sum 2^24, work-efficient, shared", loop = "scan", order = 11, result = 2,
  make = function(_, output, whole)
    local n = 1 << 24
    return whole(n, 100, "int32"), output(n, "int32"), output(n // 512, "int32"), output(512, "int32"),
      output(1, "int32"), n
  end,
  steps = function(x, out, sums, top, total, n)
    local blocks = n // 512
    return { { "scan", blocks, 256, x, out, sums }, { "scan", blocks // 512, 256, sums, sums, top },
      { "scan_few", 1, 64, top, total }, { "add_sums", blocks // 512, 512, sums, top },
      { "add_sums", blocks, 512, out, sums } }
  end,
}, [=[
KERNEL scan(GLOBAL const int *x, GLOBAL int *out, GLOBAL int *sums) {
  SHARED int own[512];
  const int at = BLOCK * 512, t = THREAD;
  int d = 1;
  own[2 * t] = x[at + 2 * t];
  own[2 * t + 1] = x[at + 2 * t + 1];
  for (int n = 256; n > 0; n /= 2) {
    BARRIER();
    if (t < n) own[d * (2 * t + 2) - 1] += own[d * (2 * t + 1) - 1];
    d *= 2;
  }
  BARRIER();
  if (t == 0) {
    sums[BLOCK] = own[511];
    own[511] = 0;
  }
  for (int n = 1; n < 512; n *= 2) {
    d /= 2;
    BARRIER();
    if (t < n) {
      const int left = own[d * (2 * t + 1) - 1];
      own[d * (2 * t + 1) - 1] = own[d * (2 * t + 2) - 1];
      own[d * (2 * t + 2) - 1] += left;
    }
  }
  BARRIER();
  out[at + 2 * t] = own[2 * t];
  out[at + 2 * t + 1] = own[2 * t + 1];
}
KERNEL scan_few(GLOBAL int *x, GLOBAL int *total) {
  SHARED int own[64];
  own[THREAD] = x[THREAD];
  for (int d = 1; d < 64; d *= 2) {
    BARRIER();
    const int v = THREAD >= d ? own[THREAD - d] : 0;
    BARRIER();
    own[THREAD] += v;
  }
  BARRIER();
  x[THREAD] = THREAD > 0 ? own[THREAD - 1] : 0;
  if (THREAD == 63) *total = own[63];
}
KERNEL add_sums(GLOBAL int *x, GLOBAL const int *sums) { x[ITEM] += sums[BLOCK]; }]=])

add({
  name = "n-queens 12", loop = "queens", order = 12, functions = true, result = 1, checked = 1,
  make = function(_, output) return output(1, "int32"), 12 end,
  steps = function(out, n) return { { "clear", 1, 1, out }, { "queens", n * n * n // 64, 64, out, n } } end,
}, [=[
KERNEL clear(GLOBAL int *out) { out[ITEM] = 0; }
KERNEL queens(GLOBAL int *out, int n) {
  const int count = queens_from(n, ITEM);
  if (count > 0) ADD(out, count);
}]=])

add({
  name = "md5 search 2^22", loop = "md5_search", order = 13, functions = true, result = 1, checked = 1,
  -- The first word of the digest of 0x2fffff and 7, which no other number below 2^22 has.
  make = function(_, output) return output(1, "int32"), -840509769, 7, 1 << 22 end,
  steps = function(out, wanted, salt, n)
    return { { "none", 1, 1, out }, { "md5_search", n // 256, 256, out, wanted, salt } }
  end,
}, [=[
KERNEL none(GLOBAL int *out) { out[ITEM] = -1; }
KERNEL md5_search(GLOBAL int *out, int wanted, int salt) {
  if (md5_word((unsigned)ITEM, (unsigned)salt) == (unsigned)wanted) *out = ITEM;
}]=])

-- The rows of bench/kernels.lua come first, in their order.
local all = {}
for i, row in ipairs(require "kernels") do
  if row.kernel ~= "nbody_tiled" then
    row.order, row.loops = i - 1, "openmp"
    row.steps = function(...) return { { row.kernel, row.grid, row.block, ... } } end
    if row.kernel == "reduction" then
      row.name = "block reduction 2^24, shuffles" -- adds to its result, which is not looked at after the first time
      row.order = 7.6
    end
    all[#all + 1] = row
  end
end
table.move(rows, 1, #rows, #all + 1, all)
table.sort(all, function(a, b) return a.order < b.order end)
return all
