-- Tensor cores: wmma (through <mma.h>), mma.sync and ldmatrix of each type and shape, against float64 or integers.
local dc = require "dotcompute"
local helper = require "spec.helper"

local on_cpu = dc.device().id == "cpu"
-- Of each addition along k: the CPU device rounds to nearest (2^-24); a GPU truncates, after aligning several products.
local ROUNDING = on_cpu and 2 ^ -24 or 2 ^ -21

-- How the elements of a type are made: the C type, the dtype of its array, its random values.
local function uniform() return math.random() * 4 - 2 end
local function integer(low, high) return function() return math.random(low, high) end end
local TYPES = {
  half = { dtype = "float16", value = uniform, header = "cuda_fp16.h" },
  __nv_bfloat16 = { c = "__nv_bfloat16", dtype = "bfloat16", value = uniform },
  tf32 = { c = "float", tag = "wmma::precision::tf32", dtype = "float32", value = uniform },
  double = { dtype = "float64", value = uniform },
  ["signed char"] = { dtype = "int8", value = integer(-128, 127) },
  ["unsigned char"] = { dtype = "uint8", value = integer(0, 255) },
  float = { dtype = "float32", value = uniform },
  int = { dtype = "int32", value = integer(-1000, 1000) },
}

-- The array of n random elements, and their values as stored (tf32: without the bits that are ignored).
local function random_array(name, n)
  local t, values = TYPES[name], {}
  for i = 1, n do values[i] = t.value() end
  local a = dc.array(values, t.dtype)
  values = a:to_table()
  if name == "tf32" then
    for i = 1, n do
      local bits = string.unpack("<I4", string.pack("<f", values[i])) & 0xffffe000
      values[i] = string.unpack("<f", string.pack("<I4", bits))
    end
  end
  return a, values
end

-- D = A B + C at (i, j), and the sum of magnitudes.
local function product(s, a, b, c, i, j)
  local sum, size = c(i, j), math.abs(c(i, j))
  for p = 0, s.k - 1 do
    local v = a(i, p) * b(p, j)
    sum, size = sum + v, size + math.abs(v)
  end
  return sum, size
end

-- Elements of a matrix with rows or columns side by side, `stride` apart.
local function view(values, stride, column)
  if column then return function(i, j) return values[j * stride + i + 1] end end
  return function(i, j) return values[i * stride + j + 1] end
end

local function check(s, got, a, b, c, exact, unit)
  for i = 0, s.m - 1 do
    for j = 0, s.n - 1 do
      local want, size = product(s, a, b, c, i, j)
      local bound = exact and 0 or s.k * unit * size + (s.half and math.abs(want) * 2 ^ -11 + 2 ^ -24 or 0)
      local d = got(i, j)
      if math.abs(d - want) > bound then
        error(helper.note(("(%d, %d): %.9g, not %.9g within %.3g"):format(i, j, d, want, bound)))
      end
    end
  end
end

local WMMA = [[
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda;
template<class LA, class LB> __device__ void product(const A *a, const B *b, const C *c, D *d, int lda, int ldb,
                                                     int ldc, wmma::layout_t lc) {
  wmma::fragment<wmma::matrix_a, M, N, K, TA, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, TA, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc;
  wmma::fragment<wmma::accumulator, M, N, K, D> fd;
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, ldc, lc);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d, fd, ldc, lc);
}
typedef wmma::row_major row;
typedef wmma::col_major col;
#define KERNEL(name, LA, LB) \
  __global__ void name(const A *a, const B *b, const C *c, D *d, int lda, int ldb, int ldc, int columns) { \
    product<LA, LB>(a, b, c, d, lda, ldb, ldc, columns ? wmma::mem_col_major : wmma::mem_row_major); \
  }
KERNEL(k0, row, row)
KERNEL(k1, col, row)
KERNEL(k2, row, col)
KERNEL(k3, col, col)
]]

local function wmma_module(s)
  local t = TYPES[s.a]
  local c_type = t.c or s.a
  return dc.module(WMMA, { define = { M = s.m, N = s.n, K = s.k, A = c_type, B = c_type, TA = t.tag or s.a, C = s.acc,
    D = s.out or s.acc } })
end

local function wmma(s, columns, module)
  local acc, out = s.acc, s.out or s.acc
  local la, lb, lc = columns & 1 ~= 0, columns & 2 ~= 0, columns & 4 ~= 0
  local pad = 16 * math.random(0, 2)
  local lda, ldb, ldc = (la and s.m or s.k) + pad, (lb and s.k or s.n) + pad, (lc and s.m or s.n) + pad
  local a, va = random_array(s.a, lda * (la and s.k or s.m))
  local b, vb = random_array(s.a, ldb * (lb and s.n or s.k))
  local lines = lc and s.n or s.m
  local c, vc = random_array(acc, ldc * lines)
  local d = dc.zeros(ldc * lines, TYPES[out].dtype)
  module["k" .. (columns & 3)](1, 32, a, b, c, d, lda, ldb, ldc, columns >> 2)
  s.half = out == "half"
  check(s, view(d:to_table(), ldc, lc), view(va, lda, la), view(vb, ldb, lb), view(vc, ldc, lc), s.a:find "char",
    s.a == "double" and 2 ^ -53 or ROUNDING)
end

local SHAPES = { { 16, 16, 16 }, { 32, 8, 16 }, { 8, 32, 16 } }
local function each_shape(a, acc, out, shapes)
  for _, x in ipairs(shapes or SHAPES) do
    it(("%s m%dn%dk%d to %s, all layouts"):format(a, x[1], x[2], x[3], out or acc), function()
      local s = { a = a, acc = acc, out = out, m = x[1], n = x[2], k = x[3] }
      local module = wmma_module(s)
      for columns = 0, 7 do wmma(s, columns, module) end
    end)
  end
end

describe("wmma", function()
  each_shape("half", "float")
  each_shape("half", "half")
  each_shape("half", "half", "float", { SHAPES[1] })
  each_shape("half", "float", "half", { SHAPES[1] })
  each_shape("__nv_bfloat16", "float")
  each_shape("tf32", "float", nil, { { 16, 16, 8 } })
  each_shape("double", "double", nil, { { 8, 8, 4 } })
  each_shape("signed char", "int")
  each_shape("unsigned char", "int")
end)

-- Elements of less than a byte (nvcuda::wmma::experimental): A row by row, B column by column.
local SMALL = [[
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void k(const void *a, const void *b, int *c) {
  fragment<matrix_a, 8, 8, K, experimental::precision::T, row_major> x;
  fragment<matrix_b, 8, 8, K, experimental::precision::T, col_major> y;
  fragment<accumulator, 8, 8, K, int> z;
  load_matrix_sync(x, a, K);
  load_matrix_sync(y, b, K);
  load_matrix_sync(z, c, 8, mem_row_major);
  MULTIPLY;
  store_matrix_sync(c, z, 8, mem_row_major);
}]]

describe("wmma of small elements", function()
  local function test(name, bits, k, multiply, value, combine)
    it(name .. " m8n8k" .. k .. " by " .. multiply, function()
      local kernel = dc.kernel(SMALL, { define = { T = name, K = k, MULTIPLY = multiply } })
      local bytes = k // 8 * bits * 8
      local a, b, c = {}, {}, {}
      for i = 1, bytes do a[i], b[i] = math.random(0, 255), math.random(0, 255) end
      for i = 1, 64 do c[i] = math.random(-1000, 1000) end
      local d = dc.array(c, "int32")
      kernel(1, 32, dc.array(a, "uint8"), dc.array(b, "uint8"), d)
      local got, each = d:to_table(), 8 // bits
      local function element(t, i) return value(t[i // each + 1] >> (bits * (i % each)) & ((1 << bits) - 1)) end
      for i = 0, 7 do
        for j = 0, 7 do
          local sum = c[8 * i + j + 1]
          for p = 0, k - 1 do sum = sum + combine(element(a, k * i + p), element(b, k * j + p)) end
          assert.equal(sum, got[8 * i + j + 1], helper.note())
        end
      end
    end)
  end
  local function same(x) return x end
  local function times(x, y) return x * y end
  test("s4", 4, 32, "mma_sync(z, x, y, z)", function(x) return (x ~ 8) - 8 end, times)
  test("u4", 4, 32, "mma_sync(z, x, y, z)", same, times)
  test("b1", 1, 128, "bmma_sync(z, x, y, z, experimental::bmmaBitOpXOR)", same, function(x, y) return x ~ y end)
  test("b1", 1, 128, "bmma_sync(z, x, y, z, experimental::bmmaBitOpAND)", same, times)
end)

-- Two warps share tiles of shared memory; a loop carries fragments over barriers.
local LOOP = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
local k = dc.kernel [=[
#include <mma.h>
using namespace nvcuda;
__global__ void k(const half *a, const half *b, float *c, int n) {
  __shared__ __align__(32) half x[32][16], y[16][16];
  const int t = threadIdx.x, w = t / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
  wmma::fill_fragment(z, 0.5f);
  for (int p = 0; p < n; p += 16) {
    for (int i = t; i < 512; i += 64) x[i / 16][i % 16] = a[i / 16 * n + p + i % 16];
    for (int i = t; i < 256; i += 64) y[i / 16][i % 16] = b[(p + i / 16) * 16 + i % 16];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> u;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> v;
    wmma::load_matrix_sync(u, &x[16 * w][0], 16);
    wmma::load_matrix_sync(v, &y[0][0], 16);
    for (int i = 0; i < u.num_elements; i++) u.x[i] = u.x[i] * half(2.0f);
    wmma::mma_sync(z, u, v, z);
    __syncthreads();
  }
  wmma::store_matrix_sync(c + 256 * w, z, 16, wmma::mem_row_major);
}]=]
local function halves(n)
  local t = {}
  for i = 1, n do t[i] = math.random(-64, 64) / 64 end
  return t
end
local n = 16 * math.random(1, 6)
local a, b, c = halves(32 * n), halves(16 * n), dc.zeros(512, "float32")
for _ = 1, 2 do k(1, 64, dc.array(a, "float16"), dc.array(b, "float16"), c, n) end
local got = c:to_table()
for i = 0, 31 do
  for j = 0, 15 do
    local sum = 0.5
    for p = 0, n - 1 do sum = sum + 2 * a[i * n + p + 1] * b[p * 16 + j + 1] end -- exact: multiples of 2^-11
    assert(got[16 * i + j + 1] == sum, ("(%d, %d): %.9g, not %.9g"):format(i, j, got[16 * i + j + 1], sum))
  end
end
print(k.attributes.tier)
]==]

describe("a loop of wmma", function()
  for tier = 0, 1 do
    it("is right at tier " .. tier, function()
      local text = helper.on_cpu("TIER=" .. tier, LOOP, helper.seed)
      assert.equal(tier .. "\n", text, helper.note())
    end)
  end
end)
