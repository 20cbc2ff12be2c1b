-- The toolkit's headers inside kernels, and sources that were written for nvcc. References are plain Lua, from the
-- definitions.
local dc = require "dotcompute"
local helper = require "spec.helper"

local on_cpu = dc.device().id == "cpu"
local function u32(v) return v & 0xffffffff end
local function words(n)
  local t = {}
  for i = 1, n do t[i] = math.random(0, 0xffffffff) end
  return t
end
local function bits(v) return string.unpack("<I4", string.pack("<f", v)) end

-- Runs a kernel of (unsigned *out, const unsigned *in, int n) and gives what it wrote.
local function run(source, grid, block, input, n)
  local out = dc.zeros({ n }, "uint32")
  dc.kernel(source)(grid, block, out, dc.array(input, "uint32"), #input)
  return out:to_table()
end
local BEGIN = "__global__ void k(unsigned *out, const unsigned *in, int n) {\n" ..
  "  int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned v = in[i];\n"

describe("headers", function()
  it("of C have all constants and classifications", function()
    local input = { 0, 1, 0x007fffff, 0x00800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
      0x80000001, 0xbf800000, 0x80000000 }
    local got = run([[
#include <math.h>
#include <cmath>
#include <cfloat>
#include <limits>
]] .. BEGIN .. [[
  float x = __uint_as_float(v); double d = x;
  out[i] = isnormal(x) | std::isless(x, 1.0f) << 1 | isgreaterequal(d, 1.0) << 2 | std::isunordered(x, 0.0f) << 3 |
    fpclassify(x) << 4 | islessgreater(x, 0.0f) << 7;
  if (i == 0) out[n] = M_PI_2 * 1000 + M_SQRT2 * 1000 + M_E * 1000 + M_LN2 * 1000;
  if (i == 1) out[n + 1] = std::numeric_limits<float>::max() == FLT_MAX;
}]], 1, #input, input, #input + 2)
    for i, w in ipairs(input) do
      local x = string.unpack("<f", string.pack("<I4", w))
      local e, m = w >> 23 & 255, w & 0x7fffff
      local class = e == 255 and (m > 0 and 0 or 1) or e > 0 and 4 or m > 0 and 3 or 2
      local want = (class == 4 and 1 or 0) | (x < 1 and 2 or 0) | (x >= 1 and 4 or 0) | (x ~= x and 8 or 0) |
        class << 4 | ((x < 0 or x > 0) and 128 or 0)
      assert.equal(want, got[i], ("%08x"):format(w))
    end
    assert.equal(math.floor(1000 * (math.pi / 2 + math.sqrt(2) + math.exp(1) + math.log(2))), got[#input + 1])
    assert.equal(1, got[#input + 2])
  end)

  it("of C++ have std's names, and Thrust's complex numbers", function()
    local input = words(64)
    local got = run([[
#include <array>
#include <bitset>
#include <complex>
#include <functional>
#include <iostream>
#include <numeric>
#include <optional>
#include <cuda.h>
#include <thrust/complex.h>
]] .. BEGIN .. [[
  std::array<int, 3> a = {1, 2, 3};
  std::complex<float> z(v & 15, 2);
  thrust::complex<double> w(v & 7, -1);
  std::optional<unsigned> o;
  std::bitset<40> b(v);
  if (v & 1) o = v & 255;
  z = z * z; w = w * w * w;
  out[i] = a[i % 3] + (int)z.real() + (int)z.imag() + (int)w.real() + o.value_or(1000) + b.count() * 100000 +
    std::plus<int>()(CUDA_VERSION > 11000, std::gcd(v & 255, 36u));
}]], 2, 32, input, 64)
    for i, v in ipairs(input) do
      local x, y, ones, g, r = v & 15, v & 7, 0, v & 255, 36
      for b = 0, 31 do ones = ones + (v >> b & 1) end
      while r ~= 0 do g, r = r, g % r end
      local want = (i - 1) % 3 + 1 + x * x - 4 + 4 * x + y * y * y - 3 * y + (v & 1 == 1 and v & 255 or 1000) +
        ones * 100000 + 1 + g
      assert.equal(u32(want), got[i], helper.note("v = " .. v))
    end
  end)

  it("of CUB for blocks and warps come with cub/cub.cuh", function()
    local input = words(3 * 256)
    local got = run([[
#include <cub/cub.cuh>
__global__ void k(unsigned *out, const unsigned *in, int n) {
  using Sort = cub::BlockRadixSort<unsigned, 64, 4, short>;
  using Scan = cub::BlockScan<unsigned, 64>;
  using Reduce = cub::WarpReduce<unsigned>;
  __shared__ union { Sort::TempStorage sort; Scan::TempStorage scan; Reduce::TempStorage reduce[2]; } s;
  unsigned key[4], sum, base = blockIdx.x * 256 + threadIdx.x * 4;
  short place[4];
  for (int j = 0; j < 4; j++) { key[j] = in[base + j] >> 8; place[j] = threadIdx.x * 4 + j; }
  Sort(s.sort).Sort(key, place);
  __syncthreads();
  for (int j = 0; j < 4; j++) { out[base + j] = key[j]; out[n + base + j] = place[j]; }
  Scan(s.scan).ExclusiveSum(in[base], sum);
  __syncthreads();
  unsigned most = Reduce(s.reduce[threadIdx.x / 32]).Reduce(in[base], cuda::maximum<>{});
  out[2 * n + blockIdx.x * 64 + threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0) out[2 * n + 192 + blockIdx.x * 2 + threadIdx.x / 32] = most;
}]], 3, 64, input, 3 * 256 * 2 + 192 + 6)
    for b = 0, 2 do
      local order = {}
      for j = 1, 256 do order[j] = j - 1 end
      local function key(j) return input[b * 256 + j + 1] >> 8 end
      table.sort(order, function(x, y) if key(x) ~= key(y) then return key(x) < key(y) end return x < y end)
      local sum, most = 0, { 0, 0 }
      for j = 1, 256 do
        assert.equal(key(order[j]), got[b * 256 + j], helper.note("sorted"))
        assert.equal(order[j], got[768 + b * 256 + j], helper.note("place"))
      end
      for t = 0, 63 do
        local v = input[b * 256 + t * 4 + 1]
        assert.equal(u32(sum), got[1536 + b * 64 + t + 1], helper.note("scan"))
        sum, most[t // 32 + 1] = sum + v, math.max(most[t // 32 + 1], v)
      end
      for w = 1, 2 do assert.equal(most[w], got[1536 + 192 + b * 2 + w], helper.note("warp")) end
    end
  end)

  it("of cuRAND give the published generators' numbers", function()
    local seed, draws = math.random(0, 1 << 40), 6
    local got = run(([[
#include <curand_kernel.h>
__global__ void k(unsigned *out, const unsigned *in, int n) {
  curandState x; curand_init(%dull, 0, 0, &x);
  curandStatePhilox4_32_10_t p; curand_init(%dull, threadIdx.x, 8, &p);
  for (int j = 0; j < n; j++) if (threadIdx.x == 0) out[j] = curand(&x);
  for (int j = 0; j < 4; j++) out[n + threadIdx.x * 4 + j] = curand(&p);
}]]):format(seed, seed), 1, 3, words(draws), draws + 12)
    local s0, s1 = u32(seed) ~ 0xaad26b49, (seed >> 32) ~ 0xf7dcefdd
    local t0, t1 = u32(1099087573 * s0), u32(2591861531 * s1)
    local d = u32(6615241 + t1 + t0)
    local v = { u32(123456789 + t0), 362436069 ~ t0, u32(521288629 + t1), 88675123 ~ t1, u32(5783321 + t0) }
    for j = 1, draws do -- Marsaglia's xorwow
      local t = v[1] ~ v[1] >> 2
      v = { v[2], v[3], v[4], v[5], u32(v[5] ~ v[5] << 4 ~ (t ~ u32(t << 1))) }
      d = u32(d + 362437)
      assert.equal(u32(v[5] + d), got[j], helper.note("xorwow"))
    end
    for thread = 0, 2 do -- Philox-4x32-10: the counter's high half is the sequence
      local c, k = { 2, 0, thread, 0 }, { u32(seed), seed >> 32 }
      for _ = 1, 10 do
        local a, b = 0xD2511F53 * c[1], 0xCD9E8D57 * c[3]
        c = { b >> 32 ~ c[2] ~ k[1], u32(b), a >> 32 ~ c[4] ~ k[2], u32(a) }
        k = { u32(k[1] + 0x9E3779B9), u32(k[2] + 0xBB67AE85) }
      end
      for j = 1, 4 do assert.equal(c[j], got[draws + thread * 4 + j], helper.note("philox")) end
    end
  end)

  it("of cooperative groups reduce, scan and divide", function()
    local input = words(160)
    local got = run([[
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
]] .. BEGIN .. [[
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto tile = cg::tiled_partition<8>(warp);
  unsigned *o = out + i * 6;
  o[0] = cg::reduce(warp, v, cg::bit_xor<unsigned>());
  o[1] = cg::inclusive_scan(tile, v);
  o[2] = cg::reduce(tile, v, [](unsigned a, unsigned b) { return a * b; });
  auto part = cg::labeled_partition(warp, v & 3);
  o[3] = part.size() * 100 + part.thread_rank();
  if (v & 4) {
    auto some = cg::coalesced_threads();
    o[4] = cg::reduce(some, v, cg::plus<unsigned>()); o[5] = some.shfl(v, 0);
  }
}]], 5, 32, input, 160 * 6)
    for i = 0, 159 do
      local warp, tile, v = i - i % 32, i - i % 8, input[i + 1]
      local xor, scan, product, size, rank, sum, first = 0, 0, 1, 0, 0, 0, nil
      for j = warp, warp + 31 do
        local x = input[j + 1]
        xor = xor ~ x
        if j >= tile and j <= i then scan = scan + x end
        if j >= tile and j < tile + 8 then product = u32(product * x) end
        if x & 3 == v & 3 then size, rank = size + 1, rank + (j < i and 1 or 0) end
        if x & 4 ~= 0 then sum, first = sum + x, first or x end
      end
      local some = v & 4 ~= 0
      local want = { xor, u32(scan), product, size * 100 + rank, some and u32(sum) or 0, some and first or 0 }
      for j = 1, 6 do assert.equal(want[j], got[i * 6 + j], helper.note(("thread %d, %d"):format(i, j))) end
    end
  end)

  it("of libcu++ have atomics, barriers and asynchronous copies", function()
    local input = words(256)
    local got = run([[
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> total{7};
__global__ void k(unsigned *out, const unsigned *in, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ unsigned stage[2][64], seen[64];
  auto block = cooperative_groups::this_thread_block();
  int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);
  block.sync();
  auto pipe = cuda::make_pipeline(block, &state);
  unsigned hash = 0;
  for (int step = 0, fetched = 0; step < n / 64; step++) {
    for (; fetched < n / 64 && fetched < step + 2; fetched++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[fetched & 1], in + fetched * 64, sizeof stage[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    hash = hash * 31 + stage[step & 1][(t + 1) % 64];
    pipe.consumer_release();
  }
  seen[t] = hash;
  bar.arrive_and_wait();
  out[t] = seen[63 - t];
  total.fetch_add(hash & 255, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned char, cuda::thread_scope_block>(((unsigned char *)(out + 64))[t & 3]).fetch_add(1);
  bar.arrive_and_wait();
  if (t == 0) out[65] = total.load();
}]], 1, 64, input, 66)
    local hash, total = {}, 7
    for t = 0, 63 do
      hash[t] = 0
      for step = 0, 3 do hash[t] = u32(hash[t] * 31 + input[step * 64 + (t + 1) % 64 + 1]) end
      total = total + (hash[t] & 255)
    end
    for t = 0, 63 do assert.equal(hash[63 - t], got[t + 1], helper.note("thread " .. t)) end
    assert.equal(0x10101010, got[65])
    assert.equal(total, got[66], helper.note())
  end)
end)

-- --- intrinsics --------------------------------------------------------------------------------------------------

local function signed(v, n) return v >= 1 << n - 1 and v - (1 << n) or v end
local function clamp(v, low, high) return math.max(low, math.min(high, v)) end

-- name, bits of a part, function of two unsigned parts
local function by_parts(n, fn)
  return function(a, b)
    local r = 0
    for at = 0, 31, n do
      local m = (1 << n) - 1
      r = r | (fn(a >> at & m, b >> at & m) & m) << at
    end
    return r
  end
end
local function sum_parts(n, fn)
  return function(a, b)
    local r = 0
    for at = 0, 31, n do r = r + fn(a >> at & (1 << n) - 1, b >> at & (1 << n) - 1) end
    return r
  end
end
local pairwise = {}
for n, w in pairs { [8] = "4", [16] = "2" } do
  local top, low, all = (1 << n - 1) - 1, -(1 << n - 1), (1 << n) - 1
  local function s(v) return signed(v, n) end
  pairwise["__vadd" .. w] = by_parts(n, function(a, b) return a + b end)
  pairwise["__vaddss" .. w] = by_parts(n, function(a, b) return clamp(s(a) + s(b), low, top) end)
  pairwise["__vaddus" .. w] = by_parts(n, function(a, b) return clamp(a + b, 0, all) end)
  pairwise["__vsub" .. w] = by_parts(n, function(a, b) return a - b end)
  pairwise["__vsubss" .. w] = by_parts(n, function(a, b) return clamp(s(a) - s(b), low, top) end)
  pairwise["__vsubus" .. w] = by_parts(n, function(a, b) return clamp(a - b, 0, all) end)
  pairwise["__vavgu" .. w] = by_parts(n, function(a, b) return (a + b + 1) >> 1 end)
  pairwise["__vhaddu" .. w] = by_parts(n, function(a, b) return (a + b) >> 1 end)
  pairwise["__vabsdiffu" .. w] = by_parts(n, function(a, b) return math.abs(a - b) end)
  pairwise["__vabsdiffs" .. w] = by_parts(n, function(a, b) return math.abs(s(a) - s(b)) end)
  pairwise["__vmaxs" .. w] = by_parts(n, function(a, b) return math.max(s(a), s(b)) end)
  pairwise["__vminu" .. w] = by_parts(n, function(a, b) return math.min(a, b) end)
  pairwise["__vcmpgts" .. w] = by_parts(n, function(a, b) return s(a) > s(b) and -1 or 0 end)
  pairwise["__vcmpleu" .. w] = by_parts(n, function(a, b) return a <= b and -1 or 0 end)
  pairwise["__vseteq" .. w] = by_parts(n, function(a, b) return a == b and 1 or 0 end)
  pairwise["__vsetltu" .. w] = by_parts(n, function(a, b) return a < b and 1 or 0 end)
  pairwise["__vsadu" .. w] = sum_parts(n, function(a, b) return math.abs(a - b) end)
  pairwise["__vsads" .. w] = sum_parts(n, function(a, b) return math.abs(s(a) - s(b)) end)
end
local function s32(v) return signed(v, 32) end
pairwise.__umulhi = function(a, b) return a * b >> 32 end
pairwise.__mulhi = function(a, b) return s32(a) * s32(b) >> 32 end
pairwise.__umul24 = function(a, b) return (a & 0xffffff) * (b & 0xffffff) end
pairwise.__hadd = function(a, b) return (s32(a) + s32(b)) >> 1 end
pairwise.__urhadd = function(a, b) return (a + b + 1) >> 1 end
pairwise.min = function(a, b) return math.min(a, b) end
pairwise["__funnelshift_l(a, b, 9) + 0 *"] = function(a, b) return (b << 32 | a) >> 23 end
pairwise["__byte_perm(a, b, 0x3715) + 0 *"] = function(a, b)
  local x = b << 32 | a
  return (x >> 24 & 255) << 24 | (x >> 56 & 255) << 16 | (x >> 8 & 255) << 8 | x >> 40 & 255
end
pairwise["__dp4a(a, b, 7u) + 0 *"] = function(a, b)
  local r = 7
  for at = 0, 24, 8 do r = r + (a >> at & 255) * (b >> at & 255) end
  return r
end
pairwise["__usad(a, b, 5u) + 0 *"] = function(a, b) return math.abs(a - b) + 5 end
pairwise["(unsigned)((unsigned __int128)a * b * b >> 40) + 0 *"] = function(a, b)
  local low = (a * b & 0xffffffff) * b -- 96 bits by halves
  return ((a * b >> 32) * b + (low >> 32)) >> 8
end

describe("intrinsics", function()
  it("of packed bytes and halves, and of integers, follow their definitions", function()
    local names, text = {}, { BEGIN, "  unsigned a = v, b = in[(i + 1) % n];\n" }
    for name in pairs(pairwise) do names[#names + 1] = name end
    table.sort(names)
    for j, name in ipairs(names) do
      text[#text + 1] = ("  out[i * %d + %d] = %s(a, b);\n"):format(#names, j - 1, name)
    end
    local input = words(96)
    local edges = { 0, 0x80808080, 0x7f7f7f7f, 0xffffffff, 0x80007fff, 0x00ff8001, 0x80000000, 1 }
    for i, v in ipairs(edges) do input[i * 5] = v end
    local got = run(table.concat(text) .. "}", 3, 32, input, 96 * #names)
    for i = 0, 95 do
      local a, b = input[i + 1], input[(i + 1) % 96 + 1]
      for j, name in ipairs(names) do
        assert.equal(u32(pairwise[name](a, b)), got[i * #names + j], helper.note(("%s(0x%x, 0x%x)"):format(name, a, b)))
      end
    end
  end)

  -- A function of the mathematics library and its definition; each argument drawn from low to high.
  local function series(term, first)
    local sum, t, k = first, first, 0
    repeat
      k = k + 1
      t = term(t, k)
      sum = sum + t
    until math.abs(t) < 1e-18 * math.abs(sum)
    return sum
  end
  local function erf(x)
    return 2 / math.sqrt(math.pi) * math.exp(-x * x) *
      series(function(t, k) return t * 2 * x * x / (2 * k + 1) end, x)
  end
  local function lgamma(x)
    local shift = 0
    while x < 30 do x, shift = x + 1, shift - math.log(x) end
    return shift + (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * math.pi) + 1 / (12 * x) - 1 / (360 * x ^ 3) +
      1 / (1260 * x ^ 5)
  end
  local function bessel(n, x, sign)
    local t = 1
    for k = 1, n do t = t * x / 2 / k end
    return series(function(s, k) return sign * s * x * x / 4 / (k * (k + n)) end, t)
  end
  local functions = {
    { "erf(x)", 0.01, 2, erf }, { "normcdf(x)", -2, 2, function(x) return 0.5 + 0.5 * erf(x / math.sqrt(2)) end },
    { "erfcinv(erfc(x))", 0.1, 2, function(x) return x end },
    { "normcdfinv(normcdf(x))", 0.1, 2, function(x) return x end },
    { "lgamma(x)", 3, 40, lgamma }, { "tgamma(x)", 1, 20, function(x) return math.exp(lgamma(x)) end, 1e-11 },
    { "j0(x)", 0, 2, function(x) return bessel(0, x, -1) end },
    { "jn(3, x)", 0.5, 5, function(x) return bessel(3, x, -1) end },
    { "cyl_bessel_i0(x)", 0, 9, function(x) return bessel(0, x, 1) end },
    { "cyl_bessel_i1(x)", 0.1, 9, function(x) return bessel(1, x, 1) end },
    { "rhypot(x, 3.0)", -9, 9, function(x) return 1 / math.sqrt(x * x + 9) end },
    { "norm3d(x, 2.0, -5.0)", -9, 9, function(x) return math.sqrt(x * x + 29) end },
    { "rnorm4d(x, 1.0, 2.0, 3.0)", -9, 9, function(x) return 1 / math.sqrt(x * x + 14) end },
    { "rcbrt(x)", 0.1, 99, function(x) return x ^ (-1 / 3) end },
    { "exp10(x)", -9, 9, function(x) return 10.0 ^ x end },
    { "sinpi(x)", 0.1, 0.9, function(x) return math.sin(math.pi * x) end },
    { "expm1(x)", 1, 5, function(x) return math.exp(x) - 1 end },
    { "log1p(x)", 1, 99, function(x) return math.log(1 + x) end },
    { "atanh(x)", 0.1, 0.9, function(x) return 0.5 * math.log((1 + x) / (1 - x)) end },
    { "fma(x, x, -1.0)", 2, 9, function(x) return x * x - 1 end },
    { "nextafter(x, 100.0) - x", 1.01, 1.99, function() return 2.0 ^ -52 end },
    { "remainder(x, 1.0)", 5.6, 5.9, function(x) return x - 6 end, 1e-12 },
    { "erfcx(x)", 0.1, 2, function(x) return math.exp(x * x) * (1 - erf(x)) end, 1e-11 },
    { "ldexp(x, 5) + ilogb(x)", 4, 7.9, function(x) return 32 * x + 2 end },
  }
  for _, type in ipairs { "float", "double" } do
    it("of the mathematics library agree with definitions, for " .. type, function()
      local text = { "__global__ void k(", type, " *out, const ", type, " *in) {\n  int i = threadIdx.x;\n" }
      local input = {}
      for j, f in ipairs(functions) do
        text[#text + 1] = ("  { %s x = in[i * %d + %d]; out[i * %d + %d] = %s; }\n"):format(type, #functions, j - 1,
          #functions, j - 1, f[1]:gsub("(%d%.%d)", type == "float" and "%1f" or "%1"))
      end
      for _ = 1, 40 do
        for _, f in ipairs(functions) do
          local x = f[2] + (f[3] - f[2]) * math.random()
          input[#input + 1] = type == "float" and helper.f32(x) or x
        end
      end
      local dtype = type == "float" and "float32" or "float64"
      local out = dc.zeros({ #input }, dtype)
      dc.kernel(table.concat(text) .. "}")(1, 40, out, dc.array(input, dtype))
      for i, x in ipairs(input) do
        local f = functions[(i - 1) % #functions + 1]
        local want, got = f[4](x), out[i]
        local tolerance = type == "float" and 1e-5 or f[5] or 1e-12
        if f[1]:find "nextafter" then want, tolerance = type == "float" and 2.0 ^ -23 or want, 0 end
        assert(math.abs(got - want) <= tolerance * math.max(math.abs(want), 1e-3),
          helper.note(("%s of %.17g is %.17g, should be %.17g"):format(f[1], x, got, want)))
      end
    end)
  end
end)

-- --- sources written for nvcc ------------------------------------------------------------------------------------

describe("a source written for nvcc", function()
  it("may contain generic lambdas and host functions", function()
    local input = words(32)
    local got = run([[
#include <stdio.h>
static void usage(const char *name) { printf("usage: %s FILE\n", name); }
inline int checked(int n) { return n < 0 ? -n : n; }
]] .. BEGIN .. [[
  auto twice = [=](auto x) { return x * 2; };
  out[i] = twice(v) + (unsigned)twice(1.25);
}]], 1, 32, input, 32)
    for i, v in ipairs(input) do assert.equal(u32(v * 2 + 2), got[i]) end
  end)

  it("with bfloat16 functions of newer devices is compiled for those", function()
    local got = run("#include <cuda_bf16.h>\n" .. BEGIN .. [[
  __nv_bfloat16 x = __float2bfloat16(v & 7), y = __hfma(x, x, __float2bfloat16(1.0f));
  out[i] = __float_as_uint(__bfloat162float(__hmax(y, x)));
}]], 1, 32, words(32), 32)
    for _, w in ipairs(got) do
      local root = math.sqrt(string.unpack("<f", string.pack("<I4", w)) - 1)
      assert.equal(math.floor(root), root)
    end
  end)

  it("with matrix instructions runs", function()
    local source = [[
#include <mma.h>
__global__ void k(float *out) {
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c;
  nvcuda::wmma::fill_fragment(c, 3.0f);
  nvcuda::wmma::store_matrix_sync(out, c, 16, nvcuda::wmma::mem_row_major);
}]]
    local out = dc.zeros(256)
    dc.kernel(source)(1, 32, out)
    for i = 1, 256 do assert.equal(3, out[i]) end
  end)

  if not on_cpu then return end
  for what, case in pairs {
    textures = { "cudaTextureObject_t t", "out[0] = tex2D<float>(t, 1.0f, 2.0f);", "tex%.2d" },
    surfaces = { "cudaSurfaceObject_t t", "surf2Dwrite(1, t, 4, 5);", "sust%.b%.2d" },
  } do
    it("with " .. what .. " compiles, and names the instruction where a handle is none", function()
      local k = dc.kernel(("__global__ void k(float *out, %s) { %s }"):format(case[1], case[2]))
      helper.fails("launch", case[3] .. ".* of 0x0, which is no texture or surface", function()
        k(1, 1, dc.zeros(1), 0)
      end)
    end)
  end
  it("that launches kernels from a kernel is refused with the compiler's reason, on a GPU", function()
    if on_cpu then return end
    helper.fails("compile", "device%-side kernel launch", function()
      dc.kernel "__global__ void k(int *a) { if (*a > 0) k<<<1, 1>>>(a); }"
    end)
  end)
end)

-- --- PTX for newer devices ----------------------------------------------------------------------------------------

describe("PTX of newer devices", function()
  if not on_cpu then return end
  -- Runs `body` with %r1 the thread's number and %r2 its input; %r9 is stored.
  local function ptx(body, input)
    local out = dc.zeros({ #input }, "uint32")
    dc.kernel(([[
.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 to, .param .u64 from) {
  .reg .b16 %%h<4>; .reg .b32 %%r<12>; .reg .b64 %%rd<8>; .reg .pred %%p<4>;
  mov.u32 %%r1, %%tid.x;
  mul.wide.u32 %%rd3, %%r1, 4;
  ld.param.u64 %%rd1, [to]; ld.param.u64 %%rd2, [from];
  add.s64 %%rd4, %%rd2, %%rd3; add.s64 %%rd5, %%rd1, %%rd3;
  ld.global.u32 %%r2, [%%rd4];
  %s
  st.global.u32 [%%rd5], %%r9;
  ret;
}]]):format(body))(1, #input, out, dc.array(input, "uint32"))
    return out:to_table()
  end

  it("adds 16-bit floats to 32-bit floats", function()
    local input, want = {}, {}
    for i = 1, 32 do
      local x, half = math.random(-8, 8), { [0] = 0 }
      for v = 1, 8 do
        local e = v >= 8 and 3 or v >= 4 and 2 or v >= 2 and 1 or 0
        half[v] = 15 + e << 10 | (v - (1 << e)) << 10 - e
      end
      input[i], want[i] = half[math.abs(x)] | (x < 0 and 0x8000 or 0), bits(x * x + (x + 0.25))
    end
    helper.same(want, ptx([[
  cvt.u16.u32 %h1, %r2;
  add.rn.f32.f16 %r3, %h1, 0f3E800000;
  fma.rn.f32.f16 %r9, %h1, %h1, %r3;]], input), "fma.f32.f16")
  end)

  it("reduces 32-bit floats over a warp", function()
    local input, low, high, nan = {}, math.huge, 0, math.random(1, 32)
    for i = 1, 32 do
      local x = helper.f32((math.random() - 0.5) * 100)
      input[i] = i == nan and 0x7fc00001 or bits(x)
      if i ~= nan then low, high = math.min(low, x), math.max(high, math.abs(x)) end
    end
    for text, want in pairs { ["min"] = bits(low), ["max.abs"] = bits(high), ["max.NaN"] = 0x7fffffff } do
      for _, v in ipairs(ptx(("redux.sync.%s.f32 %%r9, %%r2, 0xffffffff;"):format(text), input)) do
        assert.equal(want, v, helper.note(text))
      end
    end
  end)

  it("has fences of every proxy", function()
    helper.same({ 5, 6 }, ptx([[
  fence.proxy.alias; fence.proxy.async.global; fence.proxy.tensormap::generic.release.gpu;
  fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;
  fence.mbarrier_init.release.cluster; fence.acquire.sync_restrict::shared::cluster.cluster;
  mov.u32 %r9, %r2;]], { 5, 6 }))
  end)

  it("has reserved shared memory for groups of warps, zero in every block", function()
    helper.same({ 0, 128, 1 }, ptx([[
  mov.u32 %r3, %reserved_smem_offset_1; mov.u32 %r4, %reserved_smem_offset_begin;
  mov.u32 %r5, %reserved_smem_offset_end; mov.u32 %r6, %reserved_smem_offset_cap;
  setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r1, 2;
  { .reg .pred in, all; sub.u32 %r7, %r5, %r4; setp.eq.u32 all, %r7, %r6; setp.lt.and.u32 in, %r3, %r5, all;
    selp.u32 %r8, 1, 0, in; }
  ld.shared.u32 %r9, [%r3];
  @%p1 atom.shared.add.u32 %r9, [%r3+4], 128;
  @%p1 ld.shared.u32 %r9, [%r3+4];
  @%p2 mov.u32 %r9, %r8;]], { 0, 0, 0 }))
  end)
end)
