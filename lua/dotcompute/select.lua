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
local WARPS <const> = 8

-- How often a lane takes 4 elements: the more the better, but what is gathered must fit into shared memory.
local function rounds_for(size) return size > 4 and 4 or 8 end
local function tile_for(size) return 128 * WARPS * rounds_for(size) end

-- --- the text ---------------------------------------------------------------------------------------------------

local packs = [=[
template <typename T> struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) dc_pack { T v[4]; };
template <typename T> static __device__ __forceinline__ bool dc_aligned(const T *p) {
  return (unsigned long long)p % alignof(dc_pack<T>) == 0;
}
]=]

-- A lane has 4 neighbouring elements in each round, a warp 128. The counts of four rounds are bytes of one word: none
-- goes beyond 128.
local body = [=[
// The operands of a lane's elements, from `begin` on, and a bit for each that passes.
static __device__ __forceinline__ unsigned dc_pass(const dc_operands &o, dc_packs *taken, const dc_index begin,
                                                   const dc_index n, const bool full) {
  unsigned bits = 0;
  if (full && dc_aligned(o)) {
    #pragma unroll
    for (int u = 0; u < ROUNDS; u++) dc_take(o, begin + u * 128, taken[u]);
    #pragma unroll
    for (int u = 0; u < ROUNDS; u++) {
      #pragma unroll
      for (int k = 0; k < 4; k++) bits |= (unsigned)dc_test(o, taken[u], begin + u * 128, k) << (4 * u + k);
    }
  } else {
    #pragma unroll
    for (int u = 0; u < ROUNDS; u++) {
      #pragma unroll
      for (int k = 0; k < 4; k++) {
        const dc_index i = begin + u * 128;
        if (full || i + k < n) {
          dc_take_one(o, i, k, taken[u]);
          bits |= (unsigned)dc_test(o, taken[u], i, k) << (4 * u + k);
        }
      }
    }
  }
  return bits;
}
__global__ void __launch_bounds__(WARPS * 32, 3) dc_select(const dc_operands o, void *out_, const void *x_,
                                                        long long *count, unsigned long long *slots,
                                                        const unsigned mark, const dc_index n,
                                                        const dc_index pieces, const dc_index lead) {
  VALUE *const out = (VALUE *)out_;
  __shared__ dc_acc totals[WARPS], early[WARPS], folds[dc_folds];
  SHARED
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const dc_index first = warp * (128 * ROUNDS) + lane * 4, block = blockIdx.x;
  dc_packs taken[ROUNDS];
  // Later blocks will look back for how many pass in a piece further on: told early, nobody has to wait.
  const bool ahead = lead > 0 && block < pieces, mine = block >= lead;
  if (ahead) {
    int sum = __popc(dc_pass(o, taken, block * TILE + first, n, block * TILE + TILE <= n));
    #pragma unroll
    for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
    if (lane == 0) early[warp] = sum;
  }
  const dc_index piece = block - lead, begin = piece * TILE + first;
  const bool full = piece * TILE + TILE <= n;
  const unsigned bits = mine ? dc_pass(o, taken, begin, n, full) : 0;
  unsigned run[QUADS], all[QUADS];
  dc_acc in_warp = 0;
  #pragma unroll
  for (int q = 0; q < QUADS; q++) {
    unsigned counts = 0;
    #pragma unroll
    for (int u = 0; u < 4; u++) counts |= __popc(bits >> (16 * q + 4 * u) & 15) << 8 * u;
    unsigned sum = counts;
    #pragma unroll
    for (int s = 1; s < 32; s *= 2) {
      const unsigned other = __shfl_up_sync(~0u, sum, s);
      if (lane >= s) sum += other;
    }
    all[q] = __shfl_sync(~0u, sum, 31);
    run[q] = sum - counts;
    in_warp += (all[q] & 255) + (all[q] >> 8 & 255) + (all[q] >> 16 & 255) + (all[q] >> 24);
  }
  if (lane == 0) totals[warp] = in_warp;
  __syncthreads();
  if (ahead && t == 0) {
    dc_acc sum = 0;
    #pragma unroll
    for (int w = 0; w < WARPS; w++) sum += early[w];
    dc_publish(slots + block * dc_words, sum, mark);
  }
  if (!mine) return;
  dc_acc own = 0;
  int in_tile = 0;
  #pragma unroll
  for (int w = 0; w < WARPS; w++) {
    if (w == warp) in_tile = (int)own;
    own += totals[w];
  }
  if (lead == 0 && t == 0 && pieces > 1) dc_publish(slots + piece * dc_words, own, mark);
  EARLY
  FETCH
  #pragma unroll
  for (int u = 0; u < ROUNDS; u++) {
    const unsigned b = bits >> 4 * u & 15;
    int at = in_tile + (int)(run[u / 4] >> 8 * (u % 4) & 255);
    #pragma unroll
    for (int k = 0; k < 4; k++)
      if (b >> k & 1) PUT
    in_tile += (int)(all[u / 4] >> 8 * (u % 4) & 255);
  }
  LATE
}
]=]

-- How many pass before the tile.
local look_back = [=[
  dc_acc base = 0;
  if (pieces > 1) base = dc_look_back(slots, piece, pieces, own, mark, folds);
  else __syncthreads();
  if (piece == 0) base = 0;
  if (t == 0 && piece == pieces - 1) *count = base + own;]=]

-- Values that the test has not read are asked for by fours of which any is taken.
local values = {
  FETCH = [=[
  const VALUE *const x = (const VALUE *)x_;
  dc_pack<VALUE> p[ROUNDS];
  if (full && dc_aligned(x)) {
    #pragma unroll
    for (int u = 0; u < ROUNDS; u++)
      if (bits >> 4 * u & 15) p[u] = *(const dc_pack<VALUE> *)(x + begin + u * 128);
  } else {
    #pragma unroll
    for (int u = 0; u < ROUNDS; u++) {
      #pragma unroll
      for (int k = 0; k < 4; k++)
        if (bits >> (4 * u + k) & 1) p[u].v[k] = x[begin + u * 128 + k];
    }
  }]=],
  ELEMENT = "p[u].v[k]",
}
local taken = { FETCH = "", ELEMENT = "dc_value(taken[u], k)" }
local places = { FETCH = "", ELEMENT = "begin + u * 128 + k + 1" }
local through_shared = {
  SHARED = "__shared__ VALUE found[TILE];",
  EARLY = "",
  PUT = "found[at++] = ELEMENT;",
  LATE = look_back .. [=[

  for (int i = t; i < (int)own; i += WARPS * 32) out[base + i] = found[i];]=],
}
local direct = { SHARED = "", EARLY = look_back, PUT = "out[base + at++] = ELEMENT;", LATE = "" }

-- `part`: the text of the test (array/generate_part.c); `value`: C's name of elements, nil where places are wanted;
-- `size`: their bytes; `what`: where they come from.
local function source_of(part, value, size, what, wide)
  local index = wide and "long long" or "int"
  local how = size > 8 and direct or through_shared
  local text = algorithm.fill(algorithm.fill(body, how), what)
  return table.concat { algorithm.opaque_text,
    ("typedef %s dc_index;\ntypedef %s dc_acc;\n"):format(index, index),
    "static __device__ __forceinline__ dc_acc dc_fold(dc_acc a, dc_acc b) { return a + b; }\n", packs, part,
    lookback.text, algorithm.fill(text, { VALUE = value or "long long", TILE = tile_for(size),
      ROUNDS = rounds_for(size), QUADS = rounds_for(size) // 4, WARPS = WARPS }) }
end

-- --- calls ------------------------------------------------------------------------------------------------------

local select_ = {}
local kernels = { [false] = {}, [true] = {} } -- by the width of indices, then by the test's key

-- The kernel for the test, which is computed first if it cannot be part of one, the test's operands, and what keeps
-- these, which is to be closed after the launch.
local function kernel_for(x, test, wide)
  local known = kernels[wide]
  local kept, key, operands, takes, text = core.part(test, x, known)
  if not key then
    test:eval()
    test = algorithm.flat(test)
    kept, key, operands, takes, text = core.part(test, x, known)
  end
  if not known[key] then
    local size = x and algorithm.dtype(x).size or 8
    local value = takes and "dc_value_type" or x and algorithm.opaque[size] or nil
    local source = source_of(text, value, size, takes and taken or x and values or places, wide)
    known[key] = dc.using(test.device, dc.kernel, source, { name = "dc_select", flags = { "--fmad=false" } })
  end
  return known[key], operands, kept
end

-- What a launch needs beside its operands and result, kept for the next: `count`, and `state`, words in which pieces
-- publish what they fold to, none of which has the mark.  Never part of a graph, as the count is read at once.
local workspaces = {}
local function workspace(device, words)
  local w = workspaces[device]
  if not w or w.words < words then
    w = { state = algorithm.zeros(device, words, "uint64"), count = empty(device, 1, "int64"), words = words, mark = 0 }
    workspaces[device] = w
  end
  w.mark = w.mark + 1
  if w.mark > 0xffffffff then
    w.state:fill(0)
    w.mark = 1
  end
  return w
end

-- The elements of x, in C order without gaps, where `tested`, an array or a pending expression of the same shape, is
-- not 0, or, without x, their numbers from 1 on.  The result is 1-d.
function select_.flat(x, tested)
  local device, n = tested.device, tested.size
  local result_type = x and x.dtype or "int64"
  if n == 0 then return empty(device, 0, result_type) end
  local wide = n > algorithm.narrow
  local tile = tile_for(x and algorithm.dtype(x).size or 8)
  local pieces = (n + tile - 1) // tile
  local work = workspace(device, lookback.words(pieces, wide and 8 or 4))
  local out = empty(device, n, result_type)
  local test = tested.dtype == "bool" and tested or tested:ne(0)
  local kernel, operands, kept = kernel_for(x, test, wide)
  local _ <close> = kept
  local lead = algorithm.lead(device)
  if pieces < 3 * lead then lead = 0 end
  kernel(pieces + lead, 32 * WARPS, operands, out, x or dc.null, work.count, work.state, work.mark, n, pieces, lead)
  local found = work.count:item()
  if found == n then return out end
  local part = out:slice { 1, found }
  if found >= n // 4 then return part end
  local own = part:copy()
  out:close()
  return own
end

-- A mask that is a pending expression is computed by the kernel where that is a GPU's; there, memory is the limit.  On
-- the CPU device it would have to be made into native code once for each expression.
local function mask_of(a, mask)
  if algorithm.is_gpu(a.device) then return mask end
  return algorithm.flat(mask)
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
  return select_.flat(algorithm.flat(a), mask_of(a, mask))
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
  local flat = select_.flat(nil, mask_of(a, a))
  if a.ndim == 1 then return flat end
  return coordinates(flat, { a:shape() })
end

return { select = select_.select, nonzero = select_.nonzero, flat = select_.flat }
