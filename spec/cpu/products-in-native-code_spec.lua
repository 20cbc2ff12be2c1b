-- Products of tensor cores in native code keep sums in place and factors decoded, decode factors from memory, and are
-- joined where they have a factor in common: where sums are exchanged, copied and live across barriers, where factors
-- and the memory that they come from change between products, and beside asynchronous copies, results have the bits of
-- the interpreter's, for each instruction set.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
local m = dc.module [[
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
typedef unsigned u32;
__device__ void mma(float *d, const u32 *a, const u32 *b, const float *c) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
    "{%10,%11,%12,%13};" : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}
__device__ void mma8(int *d, const u32 *a, const u32 *b) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
    "{%0,%1,%2,%3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ u32 shared_at(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void copy(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_at(to)), "l"(from) : "memory");
}
__device__ void rows(u32 *r, const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
    : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_at(p)));
}
__device__ void columns(u32 *r, const void *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1])
    : "r"(shared_at(p)));
}
#define PUT(d) for (int x = 0; x < 4; x++) out[(n * 4 + x) * 64 + threadIdx.x] = d[x]; n++;
// tiles of two warps in a loop with barriers; the last lanes do not store; a row is the end of the copies' source
extern "C" __global__ void tiled(const uint4 *in, u32 *at, float *out, int steps, int some) {
  __shared__ uint4 tile[2][64 + 1];
  const int t = threadIdx.x, l = t % 32;
  float c[2][2][4] = {}, spare[4] = {1, 2, 3, 4};
  for (int s = 0; s < steps; s++) {
    copy(&tile[0][t], in + 64 * s + t);
    copy(&tile[1][63 - t], in + 64 * s + (t ^ s));
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    u32 a[2][4], b[2][2];
    for (int i = 0; i < 2; i++) rows(a[i], &tile[i][l + t / 32]), columns(b[i], &tile[1 - i][(l + 9 * s + i) % 64]);
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) mma(c[i][j], a[i], b[j], c[i][j]);
    if (s == some) for (int x = 0; x < 4; x++) spare[x] += c[0][1][x];
    __syncthreads();
  }
  int n = 0;
  if (l < 29) { PUT(c[0][0]) PUT(c[0][1]) PUT(c[1][0]) PUT(c[1][1]) PUT(spare) }
}
// sums change places; C in another order than D; a factor changes between products, for some lanes
extern "C" __global__ void exchanged(const uint4 *in, u32 *at, float *out, int steps, int some) {
  const int t = threadIdx.x;
  uint4 q = in[t], r = in[64 + t];
  u32 a[4] = {q.x, q.y, q.z, q.w}, b[2] = {r.x, r.y};
  float c[4] = {0.5f, 0, 0, 0}, d[4] = {}, e[4] = {};
  for (int s = 0; s < steps; s++) {
    const float turned[4] = {d[3], d[2], d[0], d[1]};
    mma(c, a, b, c);
    if (t % 32 > some) a[1] ^= in[128 + t].x & 0x03ff03ff;
    mma(d, a, b, turned);
    mma(e, a, b, c);
    b[0] = a[s % 2];
    mma(e, a, b, e);
    for (int x = 0; x < 4; x++) { const float y = c[x]; c[x] = d[x] * 0.25f; d[x] = y; }
  }
  int n = 0;
  PUT(c) PUT(d) PUT(e)
}
// C is D's registers in another order
extern "C" __global__ void turned(const uint4 *in, u32 *at, float *out, int steps, int some) {
  const int t = threadIdx.x;
  uint4 q = in[t], r = in[64 + t];
  int c[4] = {t, 5, 7, 9}, n = 0;
  for (int s = 0; s < steps; s++) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%1,%2,%3,%0};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(q.x), "r"(q.y), "r"(r.x));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%3,%0,%0,%1};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(q.z), "r"(q.w), "r"(r.y));
  }
  float f[4] = {__int_as_float(c[0]), __int_as_float(c[1]), __int_as_float(c[2]), __int_as_float(c[3])};
  PUT(f)
}
// rows that are overwritten between their load and the product; a factor that is stored, too
extern "C" __global__ void overwritten(const uint4 *in, u32 *at, float *out, int steps, int some) {
  __shared__ uint4 tile[64];
  const int t = threadIdx.x, l = t % 32, w = t - l;
  float c[4] = {}, d[4] = {}, e[4] = {};
  tile[t] = in[t];
  __syncthreads();
  for (int s = 0; s < steps; s++) {
    u32 a[4], b[2], kept = 0;
    const uint4 next = in[64 + (t ^ s)];
    rows(a, &tile[w + (l + 3 * s) % 32]);
    columns(b, &tile[w + (7 * l + s) % 32]);
    if (s & 1) mma(c, a, b, c);
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" :: "r"(shared_at(&tile[t])), "r"(next.x), "r"(next.y),
      "r"(next.z), "r"(next.w) : "memory");
    mma(d, a, b, d);
    if (s == some) kept = b[1] & 0x3ff;
    e[s % 4] += kept;
  }
  int n = 0;
  PUT(c) PUT(d) PUT(e)
}
// three factors A, two B, row by row and column by column; one changes between the steps
extern "C" __global__ void joined(const uint4 *in, u32 *at, float *out, int steps, int some) {
  const int t = threadIdx.x;
  u32 a[3][4], b[2][2];
  float c[3][2][4] = {}, d[3][2][4] = {};
  for (int i = 0; i < 3; i++) { uint4 q = in[32 * i + t]; a[i][0] = q.x, a[i][1] = q.y, a[i][2] = q.z, a[i][3] = q.w; }
  for (int i = 0; i < 2; i++) { uint4 q = in[200 + 32 * i + t]; b[i][0] = q.x, b[i][1] = q.z; }
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) mma(c[i][j], a[i], b[j], c[i][j]);
    for (int j = 0; j < 2; j++) for (int i = 0; i < 3; i++) mma(d[i][j], a[i], b[j], c[(i + s) % 3][j]);
    b[1][0] ^= s & 0x01ff;
    a[2][3] ^= 0x80008000;
  }
  int n = 0;
  for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) {
    for (int x = 0; x < 4; x++) c[i][j][x] += 3 * d[i][j][x];
    PUT(c[i][j])
  }
}
// one warp only, and products behind a branch
extern "C" __global__ void branched(const uint4 *in, u32 *at, float *out, int steps, int some) {
  const int t = threadIdx.x;
  uint4 q = in[t], r = in[64 + t];
  u32 a[4] = {q.x, q.y, q.z, q.w}, b[2] = {r.z, r.w};
  float c[4] = {}, zero[4] = {};
  int i[4] = {}, n = 0;
  if (at[t / 32]) mma(c, a, b, zero);
  for (int s = 0; s < steps; s++) {
    if (at[2 + t / 32 + s % 2]) mma(c, a, b, c);
    else mma8(i, a, b);
  }
  PUT(c)
  float f[4] = {__int_as_float(i[0]), __int_as_float(i[1]), __int_as_float(i[2]), __int_as_float(i[3])};
  PUT(f)
}
#define WMMA(name, T, S, LA, LB) \
  extern "C" __global__ void name(const uint4 *in, u32 *at, float *out, int steps, int some) { \
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::LA> a; \
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::LB> b, one; \
    wmma::fragment<wmma::accumulator, 16, 16, 16, S> c, d; \
    wmma::fill_fragment(c, (S)0); wmma::fill_fragment(d, (S)1); wmma::fill_fragment(one, (T)2.0f); \
    for (int s = 0; s < steps; s++) { \
      wmma::load_matrix_sync(a, (const T *)(in + 2 * s) + 64 * (threadIdx.x / 32), 32); \
      wmma::load_matrix_sync(b, (const T *)(in + 128 - 2 * s), 48); \
      wmma::mma_sync(c, a, b, c); wmma::mma_sync(d, a, b, d); wmma::mma_sync(d, a, one, d); \
    } \
    wmma::store_matrix_sync((S *)out + 256 * (threadIdx.x / 32), c, 16, wmma::mem_row_major); \
    wmma::store_matrix_sync((S *)out + 1024 + 256 * (threadIdx.x / 32), d, 16, wmma::mem_col_major); \
  }
WMMA(rows_of_halves, half, float, row_major, row_major)
WMMA(columns_of_halves, half, half, col_major, col_major)
WMMA(rows_of_bytes, signed char, int, row_major, col_major)
extern "C" __global__ void misaligned(const uint4 *in, u32 *at, float *out, int steps, int some) {
  __shared__ uint4 tile[64];
  u32 a[4];
  rows(a, (const char *)&tile[threadIdx.x] + (threadIdx.x == 40 ? 8 : 0));
  out[threadIdx.x] = a[0];
}
extern "C" __global__ void astray(const uint4 *in, u32 *at, float *out, int steps, int some) {
  __shared__ uint4 tile[64];
  copy(&tile[threadIdx.x], in + threadIdx.x + (threadIdx.x == 40 ? 1 << 28 : 0));
  out[threadIdx.x] = tile[threadIdx.x].x;
}
]]
local words = {}
for i = 1, 4096 do
  local function half() return math.random(0, 1) << 15 | math.random(8, 16) << 10 | math.random(0, 1023) end
  words[i] = half() | half() << 16
end
local input = dc.array(words, "uint32")
local at = dc.array({ math.random(0, 1), 1, math.random(0, 1), 1, 0 }, "uint32")
local steps, some = math.random(3, 6), math.random(0, 2)
for _, name in ipairs { "tiled", "exchanged", "turned", "overwritten", "joined", "branched",
  "rows_of_halves", "columns_of_halves", "rows_of_bytes" } do
  local out = dc.zeros(2048, "float32")
  local k = m[name]
  k(1, 64, input, at, out, steps, some)
  assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
  print(name, (out:bytes():gsub(".", function(c) return ("%02x"):format(c:byte()) end)))
end
for _, name in ipairs { "misaligned", "astray" } do
  print(name, select(2, pcall(m[name], 1, 64, input, at, dc.zeros(64, "float32"), 1, 1)))
end
print("partial", select(2, pcall(m.exchanged, 1, 48, input, at, dc.zeros(2048, "float32"), 1, 1)))
]==]

-- What the script prints for each kernel.
local function run(tier, isa)
  local lines = {}
  local text = helper.on_cpu(("TIER=%d DOTCOMPUTE_CPU_ISA=%s"):format(tier, isa), script, helper.seed)
  for name, line in text:gmatch "([%w_]+)\t([^\n]*)" do lines[name] = line:gsub("0x%x+", "ADDRESS") end
  return lines, text
end

describe("products of tensor cores in native code", function()
  local want, text = run(0, "avx512")
  for _, isa in ipairs { "avx512", "avx2", "baseline" } do
    it("have the interpreter's bits: " .. isa, function()
      local got, said = run(1, isa)
      for _, name in ipairs { "tiled", "exchanged", "turned", "overwritten", "joined", "branched",
        "rows_of_halves", "columns_of_halves", "rows_of_bytes", "misaligned", "astray", "partial" } do
        assert(want[name], helper.note(text))
        assert(got[name], helper.note(said))
        assert.equal(want[name], got[name], helper.note(name))
      end
      assert.matches("[1-9]", want.tiled)
      assert.matches("thread %(40,0,0%)", want.misaligned)
      assert.matches("thread %(40,0,0%)", want.astray)
      assert.matches("16 bytes", want.misaligned)
    end)
  end
end)
