-- topk: the largest or smallest k elements of each row, in order.
--
--   few of a row (LIST):    a warp keeps a sorted list of the first k elements so far, one a lane, into which it
--                           inserts an element that comes before the last of them (Johnson, Douze and Jégou,
--                           "Billion-scale similarity search with GPUs", 2017, section 4.2)
--   of a single long row:   radix selection: from the highest digit down, the elements that share the digits so far
--                           with the k-th are counted, until those before or among them are few enough to be sorted
--   else:                   rows are sorted
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local sort = require "dotcompute.sort"
local sort_text = require "dotcompute.sort_text"
local select_ = require "dotcompute.select"
core.builtin(debug.getinfo(1, "S").source)

local LONG = 1 << 16 -- elements of a row from which candidates are selected before sorting
local LIST = 32      -- most elements of a warp's list

-- --- a warp's list ----------------------------------------------------------------------------------------------

-- A warp takes `length` elements of a row, which has `pieces` of them. `given`: the places of elements, if they are not
-- their numbers from 1.
local function list_source(dtype, descending)
  return sort_text.order(dtype, descending) .. ("typedef unsigned %s dc_wide;\n"):format(dtype.size == 8 and "long long"
    or "int") .. [[
__global__ void __launch_bounds__(256) dc_topk_list(void *keys_, long long *places, const void *x_,
    const long long *given, const long long warps, const long long total, const int pieces, const long long length,
    const int k) {
  const long long warp = (long long)blockIdx.x * 8 + threadIdx.y;
  if (warp >= warps) return;
  const long long row = warp / pieces * total, begin = warp % pieces * length;
  const int lane = threadIdx.x, count = (int)(total - begin < length ? total - begin : length);
  const dc_key *const x = (const dc_key *)x_ + row + begin;
  dc_wide best = 0, last = 0;
  int at = 0, filled = 0;
  for (int i = 0; i < count; i += 32) {
    const bool in = i + lane < count;
    const dc_wide o = in ? dc_order(x[i + lane]) : 0;
    unsigned before = __ballot_sync(~0u, in && (filled < k || o < last));
    while (before) {
      const int source = __ffs(before) - 1;
      const dc_wide inserted = __shfl_sync(~0u, o, source);
      before &= before - 1;
      if (filled == k && inserted >= last) continue;
      const int place = __popc(__ballot_sync(~0u, lane < filled && best <= inserted));
      const dc_wide lower = __shfl_up_sync(~0u, best, 1);
      const int lower_at = __shfl_up_sync(~0u, at, 1);
      if (lane >= place) {
        best = lane == place ? inserted : lower;
        at = lane == place ? i + source : lower_at;
      }
      if (filled < k) filled++;
      last = __shfl_sync(~0u, best, k - 1);
    }
  }
  if (lane >= k) return;
  ((dc_key *)keys_)[warp * k + lane] = x[at];
  places[warp * k + lane] = given ? given[row + begin + at] : begin + at + 1;
}
]]
end

-- The first k keys and places of each row of `total` elements, in order. Of few rows each warp takes a piece, and the
-- results of a row's pieces are a row again.
local function by_list(from, given, total, k, descending)
  local device, dtype, rows = from.device, algorithm.dtype(from), from.size // total
  local wanted = device.multiprocessors * (algorithm.is_gpu(device) and 32 or 2)
  local pieces = math.max(1, math.min(wanted // rows, total // 1024))
  local length = (total + pieces - 1) // pieces
  pieces = (total + length - 1) // length
  if total - (pieces - 1) * length < k then pieces, length = 1, total end
  local warps = rows * pieces
  local keys = algorithm.empty(device, { rows, pieces * k }, dtype.name)
  local places = algorithm.empty(device, { rows, pieces * k }, "int64")
  algorithm.kernel(device, "dc_topk_list", dtype.name .. tostring(descending), list_source, dtype, descending)(
    (warps + 7) // 8, { 32, 8 }, keys, places, from, given or dc.null, warps, total, pieces, length, k)
  if pieces == 1 then return keys, places end
  local best_keys, best_places = by_list(keys, places, pieces * k, k, descending)
  algorithm.free(nil, keys, places)
  return best_keys, best_places
end

-- --- a long row -------------------------------------------------------------------------------------------------

-- Counts the digits at `shift` of keys whose higher digits are `prefix`.
local function count_source(dtype, descending)
  return sort_text.order(dtype, descending) .. [[
__global__ void __launch_bounds__(256) dc_topk_count(unsigned long long *bins, const void *x_, long long n,
                                                     unsigned long long prefix, int shift) {
  enum { parts = 4 };
  __shared__ unsigned counts[256 * parts];
  const dc_key *const x = (const dc_key *)x_;
  const int t = threadIdx.x, part = t % parts;
  for (int i = t; i < 256 * parts; i += 256) counts[i] = 0;
  __syncthreads();
  const long long step = (long long)gridDim.x * 256;
  for (long long i = (long long)blockIdx.x * 256 + t; i < n; i += 4 * step) {
    dc_key k[4];
    #pragma unroll
    for (int u = 0; u < 4; u++) k[u] = i + u * step < n ? x[i + u * step] : 0;
    #pragma unroll
    for (int u = 0; u < 4; u++) {
      const unsigned long long o = dc_order(k[u]);
      if (i + u * step < n && (shift == 8 * (int)sizeof(dc_key) - 8 || o >> (shift + 8) == prefix))
        atomicAdd(&counts[(o >> shift & 255) * parts + part], 1u);
    }
  }
  __syncthreads();
  unsigned long long sum = 0;
  for (int k = 0; k < parts; k++) sum += counts[t * parts + k];
  if (sum) atomicAdd(&bins[t], sum);
}
]]
end

local function mask_source(dtype, descending)
  return sort_text.order(dtype, descending) .. [[
__global__ void dc_topk_mask(bool *mask, const void *x, long long n, unsigned long long last, int shift) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mask[i] = (unsigned long long)dc_order(((const dc_key *)x)[i]) >> shift <= last;
}
]]
end

-- The indices of at most `most` elements of the flat array, among them its first k in order; nil where too many are
-- equal.
local function candidates(x, k, most, descending)
  local device, n, dtype = x.device, x.size, algorithm.dtype(x)
  local key = dtype.name .. tostring(descending)
  local count = algorithm.kernel(device, "dc_topk_count", key, count_source, dtype, descending)
  local blocks = math.min(device.multiprocessors * 8, (n + 4095) // 4096)
  local before, prefix = 0, 0
  -- the lowest 8 of 64 bits are left to sorting: a prefix of 56 bits is a Lua integer without a sign
  for shift = 8 * dtype.size - 8, dtype.size == 8 and 8 or 0, -8 do
    local bins <close> = algorithm.zeros(device, 256, "uint64")
    count(blocks, 256, bins, x, n, prefix, shift)
    local counts, digit = bins:to_table(), 0
    while before + counts[digit + 1] < k do
      before = before + counts[digit + 1]
      digit = digit + 1
    end
    prefix = prefix << 8 | digit
    if before + counts[digit + 1] <= most then
      local mask <close> = algorithm.empty(device, n, "bool")
      algorithm.kernel(device, "dc_topk_mask", key, mask_source, dtype, descending)((n + 255) // 256, 256, mask, x, n,
        prefix, shift)
      return select_.flat(nil, mask)
    end
  end
end

-- The first k keys and indices of a long row in order; nil where too many are equal.
local function long_row(from, k, descending)
  local places = candidates(from, k, math.max(4 * k, 4096), descending)
  if not places then return nil end
  local some <close> = from:take(places)
  local keys, order = sort.rows(some, some.size, descending, true, true)
  local best_keys, best_places = keys:slice({ 1, k }):copy(), places:take(order:slice { 1, k })
  algorithm.free(nil, keys, order, places)
  return best_keys, best_places
end

-- --- calls ------------------------------------------------------------------------------------------------------

local signature = { "a", "k", "axis", required = 2, list = "axis", known = { axis = "any", smallest = "boolean" },
  usage = { "an array", "how many", "perhaps an axis and options" } }

local function topk(...)
  local o = arguments.read("topk", signature, ...)
  local a = algorithm.array("topk", "the first argument", o.a)
  algorithm.refuse_complex("topk", a, "have no order")
  local axis = algorithm.axis("topk", o.axis, a.ndim)
  local total = select(axis, a:shape())
  local k = algorithm.integer("topk", "how many are wanted", o.k, 0, total)
  local from, order = algorithm.axis_last(a, axis)
  local shape, keys, places, descending = { from:shape() }, nil, nil, not o.smallest
  shape[#shape] = k
  if k > 0 and k <= LIST and 4 * k <= total and from.size > 0 then
    keys, places = by_list(from, nil, total, k, descending)
    keys, places = keys:reshape(shape), places:reshape(shape)
  elseif from.size == total and total >= LONG and k > 0 and 16 * k <= total then
    keys, places = long_row(from:reshape(-1), k, descending)
    if keys then keys, places = keys:reshape(shape), places:reshape(shape) end
  end
  if not keys then
    keys, places = sort.rows(from, total, descending, true, true)
    if k < total then
      local whole_keys, whole_places, range = keys, places, {}
      for d = 1, a.ndim do range[d] = d < a.ndim and ":" or { 1, k } end
      keys, places = keys:slice(table.unpack(range)):copy(), places:slice(table.unpack(range)):copy()
      algorithm.free(nil, whole_keys, whole_places)
    end
  end
  algorithm.free(a, from)
  return algorithm.axis_back(keys, order), algorithm.axis_back(places, order)
end

return { topk = topk }
