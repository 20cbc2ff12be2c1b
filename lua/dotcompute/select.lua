-- select and nonzero: elements, or their places, that pass a test, in their order, in one pass over the input.
--
-- A block counts what passes in its tile, gathers it in shared memory, learns how many pass before the tile by looking
-- back (lookback_text.lua), and writes its own side by side.  The result has room for all; how many there are is read
-- back, and where that is little, it is copied into memory of its own size.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local lookback = require "dotcompute.lookback_text"
core.own(debug.getinfo(1, "S").source)

local fail, empty = algorithm.fail, algorithm.empty
local TILE = 4096

-- --- the text ---------------------------------------------------------------------------------------------------

-- A lane has 4 neighbouring elements in each of 4 rounds, a warp 512 in a row. The counts of the rounds are bytes of
-- one word: none goes beyond 128.
local body = [=[
template <typename T> struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) dc_pack { T v[4]; };
template <typename T> static __device__ __forceinline__ bool dc_aligned(const T *p) {
  return (unsigned long long)p % alignof(dc_pack<T>) == 0;
}
__global__ void __launch_bounds__(256) dc_select(void *out_, const void *x_, const void *mask_, long long *count,
                                                 void *state, const dc_index n, const dc_index pieces) {
  VALUE *const out = (VALUE *)out_;
  const dc_tested *const mask = (const dc_tested *)mask_;
  __shared__ dc_acc totals[9];
  SHARED
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const dc_index piece = blockIdx.x, begin = piece * TILE + warp * 512 + lane * 4;
  const bool full = piece * TILE + TILE <= n, vector = full && dc_aligned(mask);
  unsigned bits = 0, counts = 0;
  if (vector) {
    dc_pack<dc_tested> p[4];
    #pragma unroll
    for (int u = 0; u < 4; u++) p[u] = *(const dc_pack<dc_tested> *)(mask + begin + u * 128);
    #pragma unroll
    for (int u = 0; u < 4; u++) {
      #pragma unroll
      for (int k = 0; k < 4; k++) bits |= (unsigned)dc_test(p[u].v[k]) << (4 * u + k);
    }
  } else {
    #pragma unroll
    for (int u = 0; u < 4; u++) {
      #pragma unroll
      for (int k = 0; k < 4; k++) {
        const dc_index i = begin + u * 128 + k;
        if (full || i < n) bits |= (unsigned)dc_test(mask[i]) << (4 * u + k);
      }
    }
  }
  #pragma unroll
  for (int u = 0; u < 4; u++) counts |= __popc(bits >> 4 * u & 15) << 8 * u;
  unsigned run = counts;
  #pragma unroll
  for (int s = 1; s < 32; s *= 2) {
    const unsigned other = __shfl_up_sync(~0u, run, s);
    if (lane >= s) run += other;
  }
  const unsigned all = __shfl_sync(~0u, run, 31);
  run -= counts;
  if (lane == 0) totals[warp] = (all & 255) + (all >> 8 & 255) + (all >> 16 & 255) + (all >> 24);
  __syncthreads();
  dc_acc own = 0;
  int in_tile = 0;
  #pragma unroll
  for (int w = 0; w < 8; w++) {
    if (w == warp) in_tile = (int)own;
    own += totals[w];
  }
  if (t == 0 && pieces > 1) dc_publish((unsigned long long *)state + piece * dc_words, own);
  unsigned long long rounds = 0, sum = 0;
  #pragma unroll
  for (int u = 0; u < 4; u++) {
    rounds |= sum << 16 * u;
    sum += all >> 8 * u & 255;
  }
  EARLY
  FETCH
  #pragma unroll
  for (int u = 0; u < 4; u++) {
    const unsigned b = bits >> 4 * u & 15;
    int at = in_tile + (int)(rounds >> 16 * u & 65535) + (int)(run >> 8 * u & 255);
    #pragma unroll
    for (int k = 0; k < 4; k++)
      if (b >> k & 1) PUT
  }
  LATE
}
]=]

-- How many pass before the tile.
local look_back = [=[
  if (warp == 0) {
    dc_acc before = 0;
    if (pieces > 1) before = dc_look_back((unsigned long long *)state, piece, pieces, own, lane);
    if (piece == 0) before = 0;
    if (lane == 0) {
      totals[8] = before;
      if (piece == pieces - 1) *count = before + own;
    }
  }
  __syncthreads();
  const dc_acc base = totals[8];]=]

-- Elements are asked for by fours of which any is taken.
local values = {
  FETCH = [=[
  const VALUE *const x = (const VALUE *)x_;
  dc_pack<VALUE> p[4];
  if (full && dc_aligned(x)) {
    #pragma unroll
    for (int u = 0; u < 4; u++)
      if (bits >> 4 * u & 15) p[u] = *(const dc_pack<VALUE> *)(x + begin + u * 128);
  } else {
    #pragma unroll
    for (int u = 0; u < 4; u++) {
      #pragma unroll
      for (int k = 0; k < 4; k++)
        if (bits >> (4 * u + k) & 1) p[u].v[k] = x[begin + u * 128 + k];
    }
  }]=],
  ELEMENT = "p[u].v[k]",
}
local places = { FETCH = "", ELEMENT = "begin + u * 128 + k + 1" }
local through_shared = {
  SHARED = "__shared__ VALUE found[TILE];",
  EARLY = "",
  PUT = "found[at++] = ELEMENT;",
  LATE = look_back .. [=[

  for (int i = t; i < (int)own; i += 256) out[base + i] = found[i];]=],
}
local direct = { SHARED = "", EARLY = look_back, PUT = "out[base + at++] = ELEMENT;", LATE = "" }

-- Is an element to be taken? Of floats: their bits but the sign's.
local function test_of(dtype)
  local words = { [1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned int", [8] = "unsigned long long" }
  local part = dtype.kind == "c" and dtype.size // 2 or dtype.size
  local one = words[part]
  local function is(v)
    if dtype.kind == "f" or dtype.kind == "c" then return ("((%s)(%s << 1) != 0)"):format(one, v) end
    return ("(%s != 0)"):format(v)
  end
  if dtype.kind == "c" then
    return ("struct dc_tested { %s re, im; };\nstatic __device__ __forceinline__ bool dc_test(const dc_tested &v) "
      .. "{ return %s || %s; }\n"):format(one, is "v.re", is "v.im")
  end
  return ("typedef %s dc_tested;\nstatic __device__ __forceinline__ bool dc_test(dc_tested v) { return %s; }\n")
    :format(one, is "v")
end

local function source_of(value, size, tested, wide)
  local index = wide and "long long" or "int"
  local how = size > 8 and direct or through_shared
  local what = value and values or places
  local text = algorithm.fill(algorithm.fill(body, how), what)
  return table.concat { algorithm.opaque_text,
    ("typedef %s dc_index;\ntypedef %s dc_acc;\n"):format(index, index),
    "static __device__ __forceinline__ dc_acc dc_fold(dc_acc a, dc_acc b) { return a + b; }\n", test_of(tested),
    lookback.text, algorithm.fill(text, { VALUE = value or "long long", TILE = TILE }) }
end

-- --- calls ------------------------------------------------------------------------------------------------------

local select_ = {}

-- The elements of the flat array x where the flat array `tested` is not 0, or, without x, their numbers from 1 on.
-- The result is 1-d.
function select_.flat(x, tested)
  local device, n = tested.device, tested.size
  local dtype = algorithm.dtype(tested)
  local size = x and algorithm.dtype(x).size or 8
  local result_type = x and x.dtype or "int64"
  if n == 0 then return empty(device, 0, result_type) end
  local value, wide = x and algorithm.opaque[size] or nil, n > algorithm.narrow
  local kernel = algorithm.kernel(device, "dc_select", ("%s %s %s"):format(value, dtype.name, wide), source_of, value,
    size, dtype, wide)
  local out, count = empty(device, n, result_type), empty(device, 1, "int64")
  local pieces = (n + TILE - 1) // TILE
  local words = lookback.words(pieces, wide and 8 or 4)
  local state = pieces > 1 and algorithm.zeros(device, words, "uint64") or dc.null
  kernel(pieces, 256, out, x or dc.null, tested, count, state, n, pieces)
  local found = count:item()
  if found == n then return out end
  local part = out:slice { 1, found }
  if found >= n // 4 then return part end
  local own = part:copy()
  out:close()
  return own
end

local function same_shape(a, b)
  if a.ndim ~= b.ndim then return false end
  local s, t = { a:shape() }, { b:shape() }
  for d = 1, #s do
    if s[d] ~= t[d] then return false end
  end
  return true
end

local function shape_text(a)
  local shape = { a:shape() }
  return ("(%s%s)"):format(table.concat(shape, ", "), #shape == 1 and "," or "")
end

function select_.select(...)
  local a, mask = ...
  if select("#", ...) ~= 2 then
    fail("argument", "select takes an array and a mask, got %d arguments", (select("#", ...)))
  end
  a = algorithm.array("select", "the first argument", a)
  mask = algorithm.array("select", "the mask", mask, nil, a.device)
  if mask.dtype ~= "bool" then
    fail("dtype", "select: the mask is an array of bool, got one of %s (compare first: x:gt(0))", mask.dtype)
  end
  algorithm.check_device("select", "the mask", mask, a.device)
  if not same_shape(a, mask) then
    fail("shape", "select: the array has the shape %s, the mask %s; they must be the same", shape_text(a),
      shape_text(mask))
  end
  return select_.flat(algorithm.flat(a), algorithm.flat(mask))
end

-- --- nonzero ----------------------------------------------------------------------------------------------------

-- Coordinates along each axis of element numbers (from 1), last axis first.
local unravel
local function coordinates(flat, shape)
  unravel = unravel or dc.elementwise("long long at, long long extent, long long step", "long long c",
    "c = (at - 1) / step % extent + 1", { name = "coordinate" })
  local out, step = {}, 1
  for d = #shape, 1, -1 do
    out[d] = unravel(flat, shape[d], step)
    step = step * shape[d]
  end
  return table.unpack(out, 1, #shape)
end

function select_.nonzero(...)
  local a = ...
  if select("#", ...) ~= 1 then fail("argument", "nonzero takes an array, got %d arguments", (select("#", ...))) end
  a = algorithm.array("nonzero", "the first argument", a)
  if a.ndim == 0 then
    fail("shape", "nonzero: an array without axes has no places; a:reshape(1) has one")
  end
  local flat = select_.flat(nil, algorithm.flat(a))
  if a.ndim == 1 then return flat end
  return coordinates(flat, { a:shape() })
end

return { select = select_.select, nonzero = select_.nonzero, flat = select_.flat }
