-- dc.tiles: ready functions on top of tile kernels (CUDA Tile C++, docs/tile.md), which compile one kernel for a dtype
-- and tile sizes, chosen by the device and the shape, and keep it. Functions of rows are array expressions: those reach
-- the memory's bandwidth, need no compilers of tile kernels, and on the CPU device take a quarter of the time or less
-- (1024 rows of 1024 float32 with two threads: softmax 0.8 ms, in tiles 3.0; layer_norm 0.5 and 11).
--
-- Tiles are powers of two and arrays are not: loads beyond an array give zeros, and what must not count is replaced.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local hopper = require "dotcompute.attention_hopper"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail

local tiles = {}

-- --- sizes --------------------------------------------------------------------------------------------------------

local function ceil_div(n, by) return (n + by - 1) // by end

local function is_power_of_two(n) return n > 0 and n & (n - 1) == 0 end

-- The least power of two from `n` on, but at least `least` and at most `most`, which are powers of two.
local function cover(n, least, most)
  local size = least
  while size < n and size < most do size = size * 2 end
  return size
end

local function shown(list) return "(" .. table.concat(list, ", ") .. ")" end

local function extents(fname, what, v)
  if core.is_array(v) then return { v:shape() } end
  if type(v) == "number" then v = { v } end
  if type(v) ~= "table" then
    fail("argument", "%s: %s is an integer or a list of them, got %s", fname, what, core.describe(v))
  end
  local list = {}
  for k = 1, #v do
    list[k] = type(v[k]) == "number" and math.tointeger(v[k])
    if not list[k] or list[k] < 0 then
      fail("argument", "%s: %s has integers from 0 on, got %s", fname, what, core.describe(v[k]))
    end
  end
  return list
end

function tiles.grid(shape, tile)
  local fname = "dc.tiles.grid"
  shape, tile = extents(fname, "the shape", shape), extents(fname, "the tile", tile)
  if #shape ~= #tile or #shape < 1 or #shape > 3 then
    fail("shape", "%s: shape and tile have the same number of axes, 1 to 3; got %s and %s", fname, shown(shape),
      shown(tile))
  end
  local grid = {}
  for k = #shape, 1, -1 do
    if not is_power_of_two(tile[k]) then
      fail("shape", "%s: the extents of tiles are powers of two, not %d", fname, tile[k])
    end
    grid[#grid + 1] = ceil_div(shape[k], tile[k])
  end
  return grid
end

-- --- kernels ------------------------------------------------------------------------------------------------------

local types = { float16 = "__half", bfloat16 = "__nv_bfloat16", float32 = "float" }

local head <const> = [[
#include "cuda_tile.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace ct = ::cuda::tiles;
using namespace ct::literals;
]]

local kernels = {} -- by device, text and sizes

local function kernel(device, text, define)
  local names = { device.id, text }
  for name, value in pairs(define) do names[#names + 1] = name .. "=" .. value end
  table.sort(names)
  local key = table.concat(names, "\0")
  kernels[key] = kernels[key] or dc.using(device, dc.kernel, head .. text, { define = define })
  return kernels[key]
end

-- An array of one of the dtypes, on `device` where that is given.
local function checked(fname, what, a, dtypes, device)
  if not core.is_array(a) then fail("argument", "%s: %s is an array, got %s", fname, what, core.describe(a)) end
  if not dtypes:find(a.dtype, 1, true) then
    fail("dtype", "%s: %s is %s, not %s", fname, what, dtypes, a.dtype)
  end
  if device then algorithm.check_device(fname, what, a, device) end
  for _, extent in ipairs { a:shape() } do
    if extent >= 1 << 31 then fail("shape", "%s: %s has an axis of %d elements; the most is 2^31 - 1", fname, what,
      extent) end
  end
  return a
end

-- The same, evaluated and contiguous.
local function operand(...) return algorithm.flat(checked(...)) end

-- --- rows ---------------------------------------------------------------------------------------------------------

local floats <const> = "float16, bfloat16, float32 or float64"

-- Checks that `a` has rows of floats.
local function check_rows(fname, a)
  checked(fname, "a", a, floats)
  if a.ndim < 1 then fail("shape", "%s: an array of 1 or more axes is expected, got 0", fname) end
end

-- The result of f for the rows x of `a` in the dtype in which they are computed; f(x) is an array expression.
local function of_rows(a, f)
  if a.size == 0 then return dc.empty_like(a) end
  return f(a.dtype == "float64" and a or dc.cast(a, "float32")):to(a.dtype):eval()
end

function tiles.softmax(a)
  check_rows("dc.tiles.softmax", a)
  return of_rows(a, function(x)
    local e = dc.exp(x - x:max { -1, keep = true })
    return e / e:sum { -1, keep = true }
  end)
end

function tiles.layer_norm(a, options)
  local fname = "dc.tiles.layer_norm"
  options = arguments.check(fname, options, { weight = "any", bias = "any", eps = "number" })
  check_rows(fname, a)
  local length = select(a.ndim, a:shape())
  local function vector(name)
    local v = options[name]
    if v == nil then return nil end
    checked(fname, name, v, a.dtype, a.device)
    if shown { v:shape() } ~= shown { length } then
      fail("shape", "%s: %s has the shape %s; the last axis of a is %d", fname, name, shown { v:shape() }, length)
    end
    return v
  end
  local weight, bias, eps = vector "weight", vector "bias", options.eps or 1e-5
  if not (eps >= 0 and eps < math.huge) then fail("argument", "%s: option 'eps' is from 0 on, got %s", fname, eps) end
  return of_rows(a, function(x)
    local d = x - x:mean { -1, keep = true }
    local y = d / dc.sqrt((d * d):mean { -1, keep = true } + eps)
    if weight then y = y * weight end
    return bias and y + bias or y
  end)
end

-- --- matrices -----------------------------------------------------------------------------------------------------

local halves <const> = "float16 or bfloat16"

-- Blocks with neighbouring numbers do the tiles of GROUP rows, column by column: what they load is in the cache then.
local matmul_text <const> = [[
using T = TYPE;
__tile_global__ void matmul(const T *__restrict__ a, const T *__restrict__ b, OUT *__restrict__ c, int m, int n,
                            int k) {
  ct::partition_view as{ct::tensor_span{a, ct::extents{m, k}}, ct::shape{TM, TK}};
  ct::partition_view bs{ct::tensor_span{b, ct::extents{k, n}}, ct::shape{TK, TN}};
  ct::partition_view cs{ct::tensor_span{c, ct::extents{m, n}}, ct::shape{TM, TN}};
  const int down = ct::ceildiv(m, (int)TM), across = ct::ceildiv(n, (int)TN), number = ct::bid().x;
  const int first = number / (GROUP * across) * GROUP, rest = number % (GROUP * across);
  const int rows = down - first < GROUP ? down - first : GROUP;
  const int row = first + rest % rows, column = rest / rows;
  auto sum = ct::zeros<ct::tile<float, decltype(ct::shape{TM, TN})>>();
  for (int i = 0; i < ct::ceildiv(k, (int)TK); i++)
    sum = ct::mma(as.load_masked(row, i), bs.load_masked(i, column), sum);
  cs.store_masked(ct::element_cast<OUT>(sum), row, column);
}]]

function tiles.matmul(a, b, options)
  local fname = "dc.tiles.matmul"
  options = arguments.check(fname, options, { dtype = "string" })
  a = operand(fname, "a", a, halves)
  b = operand(fname, "b", b, a.dtype, a.device)
  local sa, sb = { a:shape() }, { b:shape() }
  if #sa ~= 2 or #sb ~= 2 or sa[2] ~= sb[1] then
    fail("shape", "%s: (m, k) and (k, n) are expected, got %s and %s", fname, shown(sa), shown(sb))
  end
  local dtype = options.dtype or a.dtype
  if dtype ~= a.dtype and dtype ~= "float32" then
    fail("dtype", "%s: the result is %s or float32, not %s", fname, a.dtype, dtype)
  end
  local m, k, n, device = sa[1], sa[2], sb[2], a.device
  local out = dc.using(device, dc.zeros, m, n, dtype)
  if m * n * k == 0 then return out end
  local most = device.simt and 128 or 64
  -- tileiras 13.5 does not load ahead on an H200, so that few deep steps are best there: 363 TFLOP/s with 256 columns,
  -- 138 with 64.
  local deepest = device.compute_capability == 9.0 and 256 or most // 2
  local tm, tn, tk = cover(m, 16, most), cover(n, 16, most), cover(k, 16, deepest)
  local multiply = kernel(device, matmul_text, { TYPE = types[a.dtype], OUT = types[dtype], TM = tm .. "_ic",
    TN = tn .. "_ic", TK = tk .. "_ic", GROUP = "8" })
  multiply(ceil_div(m, tm) * ceil_div(n, tn), a, b, out, m, n, k)
  return out
end

-- --- attention ----------------------------------------------------------------------------------------------------

-- A running maximum and sum of each row of queries (Dao et al., FlashAttention, 2022): no matrix of scores in memory.
local attention_text <const> = [[
using T = TYPE;
using scores = ct::tile<float, decltype(ct::shape{QUERIES, KEYS})>;
using values = ct::tile<float, decltype(ct::shape{QUERIES, HEAD})>;
using column = ct::tile<float, decltype(ct::shape{QUERIES, 1_ic})>;
using places = ct::tile<int, decltype(ct::shape{QUERIES, 1_ic})>;

// q and out: (heads, n, d), k and v: (heads, keys, d). scale: also by log2(e), for exp2.
__tile_global__ void attention(const T *__restrict__ q, const T *__restrict__ k, const T *__restrict__ v,
                               T *__restrict__ out, int heads, int n, int keys, int d, float scale) {
  // Views of one head: with tiles of three axes, which are reshaped, the kernel takes 1.5 times as long on an H200.
  const long long head = ct::bid().y;
  const int mine = ct::bid().x;
  ct::partition_view qs{ct::tensor_span{q + head * n * d, ct::extents{n, d}}, ct::shape{QUERIES, HEAD}};
  ct::partition_view ks{ct::tensor_span{k + head * keys * d, ct::extents{keys, d}}, ct::shape{KEYS, HEAD}};
  ct::partition_view vs{ct::tensor_span{v + head * keys * d, ct::extents{keys, d}}, ct::shape{KEYS, HEAD}};
  ct::partition_view os{ct::tensor_span{out + head * n * d, ct::extents{n, d}}, ct::shape{QUERIES, HEAD}};
  auto at = ct::iota<ct::tile<int, decltype(ct::shape{1_ic, KEYS})>>();
  auto query = qs.load_masked(mine, 0);
  auto outside = ct::full<scores>(-INFINITY);
  values sum = ct::zeros<values>();
  column most = ct::full<column>(-INFINITY), total = ct::zeros<column>();
#ifdef CAUSAL
  places row = ct::iota<places>() + mine * (int)QUERIES;
  const int last = (mine + 1) * (int)QUERIES < keys ? (mine + 1) * (int)QUERIES : keys;
#else
  const int last = keys;
#endif
  for (int j = 0; j < ct::ceildiv(last, (int)KEYS); j++) {
    auto value = vs.load_masked(j, 0);
    scores s = ct::mma(query, ct::transpose(ks.load_masked(j, 0)), ct::zeros<scores>()) * scale;
    s = ct::select(at + j * (int)KEYS < keys, s, outside);
#ifdef CAUSAL
    s = ct::select(at + j * (int)KEYS <= row, s, outside);
#endif
    column now = ct::max(most, ct::reduce_max<1>(s));
    scores p = ct::exp2(s - now);
    column shrink = ct::exp2(most - now);
    total = total * shrink + ct::sum<1>(p);
    sum = ct::mma(ct::element_cast<T>(p), value, sum * shrink);
    most = now;
  }
  os.store_masked(ct::element_cast<T>(sum / total), mine, 0);
}]]

local LOG2_E <const> = 1.4426950408889634

function tiles.attention(q, k, v, options)
  local fname = "dc.tiles.attention"
  options = arguments.check(fname, options, { causal = "boolean", scale = "number" })
  q = operand(fname, "q", q, halves)
  k, v = operand(fname, "k", k, q.dtype, q.device), operand(fname, "v", v, q.dtype, q.device)
  local sq, sk, sv = { q:shape() }, { k:shape() }, { v:shape() }
  local axes, heads, same = #sq, 1, #sq == #sk
  for i = 1, axes - 2 do heads, same = heads * sq[i], same and sq[i] == sk[i] end
  if axes < 2 or not same or sq[axes] ~= sk[axes] or shown(sk) ~= shown(sv) then
    fail("shape", "%s: q is (…, n, d), k and v (…, keys, d) with the same leading axes; got %s, %s and %s", fname,
      shown(sq), shown(sk), shown(sv))
  end
  local n, keys, d = sq[axes - 1], sk[axes - 1], sq[axes]
  if d < 1 or d > 256 then fail("shape", "%s: heads have 1 to 256 elements, not %d", fname, d) end
  if keys < 1 then fail("shape", "%s: there are no keys: k is %s", fname, shown(sk)) end
  if options.causal and n ~= keys then
    fail("shape", "%s: causal = true is for as many keys as queries, got %d and %d", fname, keys, n)
  end
  local scale = options.scale or 1 / math.sqrt(d)
  if scale ~= scale or math.abs(scale) == math.huge then
    fail("argument", "%s: option 'scale' is a finite number, got %s", fname, scale)
  end
  local device = q.device
  local out = dc.using(device, dc.empty, sq, q.dtype)
  if heads * n == 0 then return out end
  if hopper.takes(device, d) then
    if scale <= 0 then q, scale = (q * (scale < 0 and -1 or 0)):eval(), scale < 0 and -scale or 1 end
    hopper.run(q, k, v, out, heads, n, keys, d, scale * LOG2_E, options.causal)
    return out
  end
  -- Each tile of queries reads all keys and values, so it is large, where its sums do not leave the registers.
  local queries, tile = cover(n, 16, device.simt and d <= 128 and 128 or 64), cover(keys, 16, 64)
  local attend = kernel(device, attention_text, { TYPE = types[q.dtype], QUERIES = queries .. "_ic",
    KEYS = tile .. "_ic", HEAD = cover(d, 16, 256) .. "_ic", [options.causal and "CAUSAL" or "FULL"] = "1" })
  attend({ ceil_div(n, queries), heads }, q, k, v, out, heads, n, keys, d, scale * LOG2_E)
  return out
end

return interface.library("dc.tiles", tiles)
