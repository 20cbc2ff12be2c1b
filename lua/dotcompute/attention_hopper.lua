-- Attention written by hand for compute capability 9.0: dc.tiles.attention of heads of 64 or 128 elements, where tile
-- kernels reach a tenth of the speed. The algorithm is FlashAttention-3's (Shah et al., 2024): one warpgroup copies by
-- TMA, two multiply by wgmma, and each of these computes the exponentials of a step of keys while its own products of
-- the step before, and those of the other warpgroup, run.
local core = require "dotcompute.core"
local dc = require "dotcompute"
core.builtin(debug.getinfo(1, "S").source)

-- Macros of the text.
local ROWS <const> = 128 -- queries of a block, and keys of a step
local STAGES <const> = 2 -- steps of keys, and of values, in shared memory

-- "a, b, ..." of fn(i), i from `first` to `last`.
local function listed(first, last, fn)
  local list = {}
  for i = first, last do list[#list + 1] = fn(i) end
  return table.concat(list, ", ")
end

-- wgmma of 64 rows, n columns and a depth of 16 (PTX ISA, "wgmma.mma_async"): d = A B, or d += A B where the last
-- input is not 0. `a`: the operand A, of `words` inputs; `flags`: scales, then which matrices are transposed; `inputs`:
-- of the asm statement.
local function wgmma(n, half, a, words, flags, inputs)
  local count = n // 2 -- elements of d of each lane
  local d = listed(0, count - 1, function(i) return "%" .. i end)
  a = a:gsub("%d+", function(i) return "%" .. count + math.tointeger(i) end)
  return ('asm volatile("{ .reg .pred p; setp.ne.b32 p, %%%d, 0; wgmma.mma_async.sync.aligned.m64n%dk16.f32.%s.%s '
    .. '{%s}, %s, %%%d, p, %s; }" : %s : %s)'):format(count + words + 1, n, half, half, d, a, count + words, flags,
    listed(0, count - 1, function(i) return ('"+f"(d[%d])'):format(i) end), inputs)
end

local text <const> = [[
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum : int {
  BOX = ROWS * 128,                           // bytes of a TMA box: 64 columns
  TILE = D / 64 * BOX,
  KEYS = TILE, VALUES = KEYS + STAGES * TILE, // offsets in shared memory; the queries come first
  BARRIERS = VALUES + STAGES * TILE
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// --- barriers ("mbarrier" in the PTX ISA) ----------------------------------------------------------------------------

__device__ inline void barrier_init(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

// Waits for the end of the phase of that parity; a fresh barrier is in phase 0, and phase 1 "before" it has ended.
__device__ inline void barrier_wait(unsigned barrier, unsigned parity) {
  unsigned done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
  } while (!done);
}

__device__ inline void barrier_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ inline void barrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// --- copies ("cp.async.bulk.tensor") ---------------------------------------------------------------------------------

// ROWS rows of a head from that row on, all D columns; rows behind the last are zeros.
__device__ inline void load(unsigned to, const CUtensorMap *map, int row, int head, unsigned barrier) {
  barrier_expect(barrier, TILE);
  for (int c = 0; c < D; c += 64)
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%2, %3, %4}], [%5];" ::"r"(to + c / 64 * BOX), "l"(map), "r"(c), "r"(row), "r"(head),
                 "r"(barrier) : "memory");
}

// --- products --------------------------------------------------------------------------------------------------------

// A matrix in shared memory ("Matrix Descriptor Format"): rows of 128 bytes, swizzled as TMA does, 1024 bytes from 8
// rows to the next 8. `leading`: bytes from 64 columns to the next 64 where the columns are not those multiplied over
// (values); where they are (queries, keys) it is not used.
__device__ inline unsigned long long descriptor(unsigned address, unsigned leading) {
  return (unsigned long long)(address >> 4 & 0x3fff) | (unsigned long long)(leading >> 4) << 16 |
         (1024ull >> 4) << 32 | 1ull << 62;
}

// d = A B^T (+ d where `add`), 64 queries and ROWS keys by 16 columns.
__device__ inline void multiply(float (&d)[ROWS / 2], unsigned long long a, unsigned long long b, int add) {
  SCORES;
}

// d += A B, A in registers: 64 queries and D columns by 16 keys.
__device__ inline void multiply_add(float (&d)[D / 2], const unsigned *a, unsigned long long b) {
  SUMS;
}

__device__ inline void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void products_end() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Waits until at most `most` groups of products are not complete.
template<int most> __device__ inline void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(most) : "memory");
}
// The compiler does not know that products write their result later: what uses it stays behind the wait.
template<int n> __device__ inline void written(float (&d)[n]) {
#pragma unroll
  for (int i = 0; i < n; i++) asm volatile("" : "+f"(d[i])::"memory");
}

__device__ inline void scores(float (&s)[ROWS / 2], unsigned queries, unsigned keys) {
  const unsigned long long a = descriptor(queries, 16), b = descriptor(keys, 16);
#pragma unroll
  for (int i = 0; i < D / 16; i++) // 32 bytes, or the next box
    multiply(s, a + i / 4 * (BOX / 16) + i % 4 * 2, b + i / 4 * (BOX / 16) + i % 4 * 2, i > 0);
}

__device__ inline void add_values(float (&o)[D / 2], const unsigned (&p)[ROWS / 4], unsigned values) {
  const unsigned long long b = descriptor(values, BOX);
#pragma unroll
  for (int i = 0; i < ROWS / 16; i++) multiply_add(o, p + 4 * i, b + i * (16 * 128 / 16));
}

// The two warpgroups issue their products by turns: one's exponentials are computed during the other's products.
// Barriers 1 and 2 ("bar"): it is the turn of warpgroup 0, 1.
__device__ inline void turn_begin(int group) { asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory"); }
__device__ inline void turn_end(int group, bool another) {
  if (group == 0 || another) asm volatile("bar.arrive %0, 256;" ::"r"(2 - group) : "memory");
}

// --- softmax ---------------------------------------------------------------------------------------------------------
// A lane has elements of two rows of a warp's 16, lane / 4 and the one 8 below ("Register Fragments", matrix D):
// s[4 j + 2 r], s[4 j + 2 r + 1] are of row r and columns 8 j + 2 (lane % 4) and the next.

__device__ inline float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// Raises `most`, the rows' maxima, to those of s, and replaces s by 2^(scale (s - most)), which `sum` gets added.
// shrink: the factors of earlier sums, 2^(scale (most before - most)).
__device__ inline void exponentials(float (&s)[ROWS / 2], float scale, float (&most)[2], float (&sum)[2],
                                    float (&shrink)[2]) {
#pragma unroll
  for (int r = 0; r < 2; r++) {
    float now = most[r];
#pragma unroll
    for (int i = 2 * r; i < ROWS / 2; i += 4) now = fmaxf(now, fmaxf(s[i], s[i + 1]));
    now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
    now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
    const float from = now * scale;
    shrink[r] = exp2_fast(most[r] * scale - from);
    most[r] = now;
    float more = 0;
#pragma unroll
    for (int i = 2 * r; i < ROWS / 2; i += 4) {
      s[i] = exp2_fast(fmaf(s[i], scale, -from));
      s[i + 1] = exp2_fast(fmaf(s[i + 1], scale, -from));
      more += s[i] + s[i + 1];
    }
    sum[r] = sum[r] * shrink[r] + more;
  }
}

__device__ inline unsigned pack(float low, float high) {
  unsigned w;
  asm("cvt.rn.PACKED.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
  return w;
}

// The elements of a lane as it must have them in the operand A.
__device__ inline void pack_all(unsigned (&p)[ROWS / 4], const float (&s)[ROWS / 2]) {
#pragma unroll
  for (int i = 0; i < ROWS / 4; i++) p[i] = pack(s[2 * i], s[2 * i + 1]);
}

// Lane c of four neighbours gives word i and gets word c of lane i.
__device__ inline void transpose_quad(unsigned (&w)[4]) {
  const bool odd = threadIdx.x & 1, high = threadIdx.x & 2;
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    const unsigned got = __shfl_xor_sync(~0u, odd ? w[i] : w[i + 1], 1);
    w[i] = odd ? got : w[i];
    w[i + 1] = odd ? w[i + 1] : got;
  }
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const unsigned got = __shfl_xor_sync(~0u, high ? w[i] : w[i + 2], 2);
    w[i] = high ? got : w[i];
    w[i + 2] = high ? w[i + 2] : got;
  }
}

// --- the kernel ------------------------------------------------------------------------------------------------------

// Blocks: (n / ROWS) tiles of queries of a head, then those of the next. Barriers: queries; then keys full, empty,
// values full, empty of each stage. `out` has the rows of all heads. scale: also by log2(e).
extern "C" __global__ void __launch_bounds__(384, 1)
attention(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
          const __grid_constant__ CUtensorMap v, TYPE *out, int n, int keys, float scale) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned shared = (unsigned)__cvta_generic_to_shared(memory), ready = shared + BARRIERS;
  const unsigned k_full = ready + 8, k_empty = k_full + 8 * STAGES, v_full = k_empty + 8 * STAGES,
                 v_empty = v_full + 8 * STAGES;
  const int tiles = (n + ROWS - 1) / ROWS, head = blockIdx.x / tiles;
  int tile = blockIdx.x - head * tiles, steps = (keys + ROWS - 1) / ROWS;
#ifdef CAUSAL
  tile = tiles - 1 - tile; // those with the most keys first
  steps = tile + 1;
#endif
  if (threadIdx.x == 0) {
    barrier_init(ready, 1);
    for (int i = 0; i < STAGES; i++) {
      barrier_init(k_full + 8 * i, 1);
      barrier_init(v_full + 8 * i, 1);
      barrier_init(k_empty + 8 * i, 8); // a lane of each warp that multiplies
      barrier_init(v_empty + 8 * i, 8);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  // Steps go from the last keys to the first: only the first step has keys that are left out.
  if (threadIdx.x / 128 == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;"); // registers that the others get
    if (threadIdx.x == 0) {
      load(shared, &q, tile * ROWS, head, ready);
      for (int j = 0; j <= steps; j++) {
        const int stage = j % STAGES, last = (j + STAGES - 1) % STAGES;
        if (j < steps) {
          barrier_wait(k_empty + 8 * stage, j / STAGES & 1 ^ 1);
          load(shared + KEYS + stage * TILE, &k, (steps - 1 - j) * ROWS, head, k_full + 8 * stage);
        }
        if (j > 0) {
          barrier_wait(v_empty + 8 * last, (j - 1) / STAGES & 1 ^ 1);
          load(shared + VALUES + last * TILE, &v, (steps - j) * ROWS, head, v_full + 8 * last);
        }
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  const int lane = threadIdx.x % 32, group = threadIdx.x / 128 - 1;
  const unsigned queries = shared + group * (BOX / 2);
  const int row = tile * ROWS + group * 64 + threadIdx.x / 32 % 4 * 16 + lane / 4; // and the row 8 below
  float s[ROWS / 2], o[D / 2], most[2] = { -INFINITY, -INFINITY }, sum[2] = { 0, 0 }, shrink[2];
  unsigned p[ROWS / 4];
#pragma unroll
  for (int i = 0; i < D / 2; i++) o[i] = 0;
  if (group == 1) turn_end(1, true); // the first turn is the other's
  barrier_wait(ready, 0);
  barrier_wait(k_full, 0);
  turn_begin(group);
  products_begin();
  scores(s, queries, shared + KEYS);
  products_end();
  turn_end(group, steps > 1);
  products_wait<0>();
  written(s);
  if (lane == 0) barrier_arrive(k_empty);
#pragma unroll
  for (int i = 0; i < ROWS / 2; i++) {
    const int key = (steps - 1) * ROWS + i / 4 * 8 + lane % 4 * 2 + i % 2;
#ifdef CAUSAL
    if (key > row + i / 2 % 2 * 8) s[i] = -INFINITY;
#else
    if (key >= keys) s[i] = -INFINITY;
#endif
  }
  exponentials(s, scale, most, sum, shrink);
  pack_all(p, s);
  for (int j = 1; j < steps; j++) {
    const int stage = j % STAGES, last = (j + STAGES - 1) % STAGES;
    barrier_wait(k_full + 8 * stage, j / STAGES & 1);
    turn_begin(group);
    products_begin();
    scores(s, queries, shared + KEYS + stage * TILE);
    products_end();
    barrier_wait(v_full + 8 * last, (j - 1) / STAGES & 1);
    products_begin();
    add_values(o, p, shared + VALUES + last * TILE);
    products_end();
    turn_end(group, j + 1 < steps);
    products_wait<1>();
    written(s);
    if (lane == 0) barrier_arrive(k_empty + 8 * stage);
    exponentials(s, scale, most, sum, shrink);
    products_wait<0>();
    written(o);
    if (lane == 0) barrier_arrive(v_empty + 8 * last);
#pragma unroll
    for (int i = 0; i < D / 2; i++) o[i] *= shrink[i / 2 % 2];
    pack_all(p, s);
  }
  const int last = (steps - 1) % STAGES;
  barrier_wait(v_full + 8 * last, (steps - 1) / STAGES & 1);
  products_begin();
  add_values(o, p, shared + VALUES + last * TILE);
  products_end();
#pragma unroll
  for (int r = 0; r < 2; r++) {
    sum[r] += __shfl_xor_sync(~0u, sum[r], 1);
    sum[r] += __shfl_xor_sync(~0u, sum[r], 2);
    sum[r] = 1 / sum[r];
  }
  products_wait<0>();
  written(o);
  // A lane stores 16 bytes: 8 columns of a row.
#pragma unroll
  for (int j = 0; j < D / 8; j += 4) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
      unsigned w[4];
#pragma unroll
      for (int i = 0; i < 4; i++) w[i] = pack(o[4 * (j + i) + 2 * r] * sum[r], o[4 * (j + i) + 2 * r + 1] * sum[r]);
      transpose_quad(w);
      if (row + 8 * r < n)
        *(uint4 *)&out[((size_t)head * n + row + 8 * r) * D + 8 * (j + lane % 4)] = make_uint4(w[0], w[1], w[2], w[3]);
    }
  }
}

#endif
]]

local M = {}

-- CUDA C for sm_90a and the options of its kernel `attention`: heads of d elements, 64 or 128, float16 or bfloat16.
function M.source(dtype, d, causal)
  local half = dtype == "float16" and "f16" or "bf16"
  local source = text:gsub("%f[%w]SCORES%f[%W]", function()
    return wgmma(ROWS, half, "0", 1, "1, 1, 0, 0", '"l"(a), "l"(b), "r"(add)')
  end):gsub("%f[%w]SUMS%f[%W]", function()
    return wgmma(d, half, "{0, 1, 2, 3}", 4, "1, 1, 1", '"r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1)')
  end):gsub("PACKED", half .. "x2")
  return source, { arch = "sm_90a", define = { D = d, ROWS = ROWS, STAGES = STAGES,
    TYPE = half == "f16" and "__half" or "__nv_bfloat16",
    [causal and "CAUSAL" or "FULL"] = 1 } }
end

local kernels = {} -- by device, dtype, columns and whether it is causal

local function kernel(device, dtype, d, causal)
  local key = ("%s %s %d %s"):format(device.id, dtype, d, causal)
  if not kernels[key] then
    local tile = ROWS * d * 2
    kernels[key] = dc.using(device, dc.kernel, M.source(dtype, d, causal)):with {
      shared = tile * (1 + 2 * STAGES) + 8 * (1 + 4 * STAGES) }
  end
  return kernels[key]
end

-- Whether `run` takes heads of d elements on the device.
function M.takes(device, d)
  return device.simt and device.compute_capability == 9.0 and (d == 64 or d == 128)
end

-- As dc.tiles.attention's kernel: q and out are (heads, n, d), k and v (heads, keys, d), contiguous; scale is also by
-- log2(e), and positive.
function M.run(q, k, v, out, heads, n, keys, d, scale, causal)
  local function map(a, rows)
    return dc.tensor_map(a:reshape(heads, rows, d), { box = { 1, ROWS, 64 }, swizzle = 128, l2 = 256 })
  end
  kernel(q.device, q.dtype, d, causal)((n + ROWS - 1) // ROWS * heads, 384, map(q, n), map(k, keys), map(v, keys), out,
    n, keys, scale)
end

return M
