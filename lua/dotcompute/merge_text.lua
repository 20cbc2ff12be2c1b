-- The CUDA C of merge sort on a GPU; merge_sort.lua says which kernel is for which rows.
--
-- A tile is sorted by a block: each thread sorts its neighbouring elements in registers, by odd-even transposition;
-- then runs of 1, 2, 4 … threads are merged in shared memory. Each further pass merges pairs of runs of a row: the
-- output is cut into tiles, whose inputs are found by a binary search along a diagonal of the merge path (Green, McColl
-- and Bader, "GPU merge path", 2012), and each tile into pieces for threads, in the same way. All of this is stable,
-- and ends whatever dc_less returns.
--
-- Segments are sorted alone: elements of different segments are never compared. Of two neighbouring runs only the
-- segment that contains their border is merged; all other elements stay where they are.
--
-- The caller's text defines dc_key (an element), dc_less(a, b), dc_pay (what travels with an element) and
-- dc_segment(offsets, count, i, first, end): the segment of element i. Words of capitals:
--   THREADS, ITEMS   of a block, and elements of a thread
--   SEGMENTS         whether there are segments
--   KEYS, PAYS       whether sorted elements are written; whether something travels along
--   NUMBERED         the first kernel makes payloads: the numbers of elements in their row, from 0
--   INDEX            payloads are written as int64, from 1
local core = require "dotcompute.core"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

local text = {}

-- Threads of a block and elements of a thread, for elements of `size` bytes. An odd number: threads that read shared
-- memory at that distance use different banks.
function text.shape(size)
  local threads = 256
  while threads > 32 and threads * size > 32768 do threads = threads // 2 end
  local items = math.max(1, math.min(17, 96 // size))
  return threads, items - (1 - items % 2)
end

-- The number of elements of `a` among the first `diagonal` of a and b merged; serial kernels use it, too.
text.path = [=[
static __device__ __forceinline__ dc_index dc_path(const dc_key *a, const dc_index na, const dc_key *b,
                                                   const dc_index nb, const dc_index diagonal) {
  dc_index low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
  while (low < high) {
    const dc_index middle = low + (high - low) / 2;
    if (dc_less(b[diagonal - 1 - middle], a[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}
static __device__ __forceinline__ dc_index dc_clamp(const dc_index v, const dc_index low, const dc_index high) {
  return v < low ? low : v > high ? high : v;
}

// Two neighbouring runs [., middle) and [middle, .) of a row. Only [first, end) is merged: with segments, the part of
// the runs that belongs to the segment of their border.
struct dc_runs { dc_index first, middle, end; };
static __device__ __forceinline__ dc_runs dc_runs_at(const dc_index low, const dc_index half, const dc_index total,
                                                     const long long *offsets, const long long count) {
  dc_runs r = {dc_clamp(low, 0, total), dc_clamp(low + half, 0, total), dc_clamp(low + 2 * half, 0, total)};
  if (SEGMENTS) {
    if (r.middle >= r.end) {
      r.first = r.end = r.middle;
    } else {
      dc_index first, end;
      dc_segment(offsets, count, r.middle, first, end);
      r.first = dc_clamp(first, r.first, r.middle);
      r.end = dc_clamp(end, r.middle, r.end);
    }
  }
  return r;
}
]=]

local common = [=[
enum { TILE = THREADS * ITEMS };
struct dc_shared {
  // threads read up to ITEMS elements behind the tile, and do not use them
  alignas(alignof(dc_key) > 8 ? alignof(dc_key) : 8) unsigned char keys[(TILE + ITEMS + 1) * sizeof(dc_key)];
  unsigned short places[PAYS ? TILE : 1]; // where elements of the tile came from
  int first[SEGMENTS ? THREADS : 1], end[SEGMENTS ? THREADS : 1]; // the segment of each thread's first element
};

// The first ITEMS elements of the runs keys[a .. middle) and keys[b .. end) merged, and their places.
static __device__ __forceinline__ void dc_take(const dc_key *keys, int a, const int middle, int b, const int end,
    dc_key (&k)[ITEMS], unsigned short (&from)[ITEMS]) {
  dc_key ka = keys[a], kb = keys[b];
  #pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const bool left = b >= end || (a < middle && !dc_less(kb, ka));
    k[i] = left ? ka : kb;
    if (PAYS) from[i] = (unsigned short)(left ? a : b);
    const int next = left ? ++a : ++b;
    const dc_key other = keys[next];
    if (left) ka = other;
    else kb = other;
  }
}

// The elements of a block, thread by thread, into shared memory.
static __device__ __forceinline__ void dc_put(dc_shared &s, const int t, const int own, const dc_key (&k)[ITEMS],
                                              const unsigned short (&from)[ITEMS]) {
  dc_key *const keys = (dc_key *)s.keys;
  #pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    if (i < own) {
      keys[t * ITEMS + i] = k[i];
      if (PAYS) s.places[t * ITEMS + i] = from[i];
    }
  }
}
]=]

local kernels = {}

-- The end of a kernel: writes its sorted tile, the first `count` elements behind index `base`. `payload`: the value for
-- the element at `place` of the tile before it was sorted.
local function write_tile(base, count, payload)
  return algorithm.fill([=[
  __syncthreads();
  dc_put(s, t, own, k, places);
  __syncthreads();
  #pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    const int at = u * THREADS + t;
    if (at < COUNT) {
      if (KEYS) to[BASE + at] = keys[at];
      if (PAYS) {
        const int place = s.places[at];
        pay_to[BASE + at] = VALUE;
      }
    }
  }
}
]=], { BASE = base, COUNT = count, VALUE = payload })
end

kernels.tiles = [=[
// Sorts tiles of `stride` elements. With segments that are rows, `stride` is a multiple of their length.
__global__ void __launch_bounds__(THREADS) dc_merge_tiles(void *to_, void *pay_to_, const void *from_,
    const void *pay_from_, const long long *offsets, const long long count, const dc_index total,
    const dc_index pieces, const int stride) {
  dc_key *const to = (dc_key *)to_;
  PAYOUT *const pay_to = (PAYOUT *)pay_to_;
  const dc_key *const from = (const dc_key *)from_;
  const dc_pay *const pay_from = (const dc_pay *)pay_from_;
  __shared__ dc_shared s;
  dc_key *const keys = (dc_key *)s.keys;
  const int t = threadIdx.x;
  const dc_index block = blockIdx.x, begin = block % pieces * stride, base = block / pieces * total + begin;
  const int valid = total - begin < stride ? (int)(total - begin) : stride;
  const int mine = t * ITEMS, own = (int)dc_clamp(valid - mine, 0, ITEMS);
  dc_key k[ITEMS];
  unsigned short places[ITEMS];
  #pragma unroll
  for (int u = 0; u < ITEMS; u++)
    if (u * THREADS + t < valid) k[u] = from[base + u * THREADS + t];
  #pragma unroll
  for (int u = 0; u < ITEMS; u++)
    if (u * THREADS + t < valid) keys[u * THREADS + t] = k[u];
  __syncthreads();
  unsigned heads = 0; // bit i: element i of this thread is the first of a segment
  if (SEGMENTS && own > 0) {
    dc_index first, end;
    dc_segment(offsets, count, begin + mine, first, end);
    s.first[t] = (int)dc_clamp(first - begin, 0, valid);
    s.end[t] = (int)dc_clamp(end - begin, 0, valid);
    while (end - begin < mine + own) {
      heads |= 1u << (int)(end - begin - mine);
      dc_segment(offsets, count, end, first, end);
    }
  }
  #pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    if (i < own) k[i] = keys[mine + i];
    places[i] = (unsigned short)(mine + i);
  }
  #pragma unroll 1
  for (int round = 0; round < ITEMS; round += 2) {
    #pragma unroll
    for (int parity = 0; parity < 2; parity++) {
      #pragma unroll
      for (int i = parity; i + 1 < ITEMS; i += 2) {
        if (i + 1 < own && !(heads >> (i + 1) & 1) && dc_less(k[i + 1], k[i])) {
          const dc_key other = k[i];
          k[i] = k[i + 1];
          k[i + 1] = other;
          const unsigned short place = places[i];
          places[i] = places[i + 1];
          places[i + 1] = place;
        }
      }
    }
  }
  for (int width = 1; width < THREADS; width *= 2) { // threads of a sorted run
    __syncthreads();
    dc_put(s, t, own, k, places);
    __syncthreads();
    const int low = (t & -2 * width) * ITEMS;
    int first = (int)dc_clamp(low, 0, valid), end = (int)dc_clamp(low + 2 * width * ITEMS, 0, valid);
    int middle = (int)dc_clamp(low + width * ITEMS, 0, valid);
    if (SEGMENTS) {
      const int border = (t & -2 * width) + width; // the thread with the first element behind the border
      if (middle < end) {
        first = s.first[border] > first ? s.first[border] : first;
        end = s.end[border] < end ? s.end[border] : end;
      } else {
        end = middle;
      }
    }
    const int diagonal = (int)dc_clamp(mine - first, 0, end - first);
    const int a = first + (int)dc_path(keys + first, middle - first, keys + middle, end - middle, diagonal);
    const int b = middle + diagonal - (a - first);
    unsigned short sources[ITEMS];
    // with segments: elements before the merged part, and behind it, stay
    const int before = SEGMENTS ? (int)dc_clamp(first - mine, 0, own) : 0;
    const int behind = SEGMENTS ? (int)dc_clamp(end - mine, before, own) : own;
    if (!SEGMENTS || (before == 0 && behind == own)) {
      dc_take(keys, a, middle, b, end, k, sources);
    } else {
      int i_a = a, i_b = b;
      #pragma unroll
      for (int i = 0; i < ITEMS; i++) {
        int place = mine + i;
        if (i >= before && i < behind) {
          const bool left = i_b >= end || (i_a < middle && !dc_less(keys[i_b], keys[i_a]));
          place = left ? i_a++ : i_b++;
        }
        if (i < own) k[i] = keys[place];
        sources[i] = (unsigned short)place;
      }
    }
    if (PAYS) {
      #pragma unroll
      for (int i = 0; i < ITEMS; i++)
        if (i < own) places[i] = s.places[sources[i]];
    }
  }
]=] .. write_tile("base", "valid", "PAYLOAD")

kernels.cuts = [=[
// Where a pass cuts the runs of each tile of its output. Group g of a row is [(2 g) half - shift, (2 g + 2) half -
// shift), tile p is [p TILE - shift, (p + 1) TILE - shift): `shift` is 0, or half a group.
__global__ void dc_merge_cuts(dc_index *cuts, const void *from, const long long *offsets, const long long count,
    const dc_index total, const dc_index pieces, const dc_index half, const dc_index shift, const dc_index tiles) {
  const dc_index tile = (dc_index)blockIdx.x * 256 + threadIdx.x;
  if (tile >= tiles) return;
  const dc_index row = tile / pieces, begin = tile % pieces * TILE;
  const dc_runs r = dc_runs_at(begin / (2 * half) * (2 * half) - shift, half, total, offsets, count);
  const dc_key *const x = (const dc_key *)from + row * total;
  cuts[tile] = r.first + dc_path(x + r.first, r.middle - r.first, x + r.middle, r.end - r.middle,
    dc_clamp(begin - shift - r.first, 0, r.end - r.first));
}
]=]

kernels.pass = [=[
__global__ void __launch_bounds__(THREADS, 4) dc_merge_pass(void *to_, void *pay_to_, const void *from_,
    const void *pay_from_, const dc_index *cuts, const long long *offsets, const long long count,
    const dc_index total, const dc_index pieces, const dc_index half, const dc_index shift) {
  __shared__ dc_shared s;
  dc_key *const keys = (dc_key *)s.keys;
  const int t = threadIdx.x;
  const dc_index block = blockIdx.x, row = block / pieces, piece = block % pieces, begin = piece * TILE;
  const dc_key *const from = (const dc_key *)from_ + row * total;
  const dc_pay *const pay_from = (const dc_pay *)pay_from_ + (PAYS ? row * total : 0);
  dc_key *const to = (dc_key *)to_ + (KEYS ? row * total : 0);
  PAYOUT *const pay_to = (PAYOUT *)pay_to_ + (PAYS ? row * total : 0);
  const dc_index low = begin / (2 * half) * (2 * half);
  const dc_runs r = dc_runs_at(low - shift, half, total, offsets, count);
  const dc_index first = dc_clamp(begin - shift, 0, total), end = dc_clamp(begin + TILE - shift, 0, total);
  const dc_index ahead = dc_clamp(begin - shift - r.first, 0, r.end - r.first);
  const dc_index done = dc_clamp(begin + TILE - shift - r.first, 0, r.end - r.first);
  const bool last = begin + TILE >= low + 2 * half || piece == pieces - 1;
  const dc_index a = cuts[block], a_end = last ? r.middle : cuts[block + 1];
  const dc_index b = r.middle + ahead - (a - r.first), merged = r.first + ahead;
  const int na = (int)(a_end - a), all = (int)(done - ahead), own = (int)dc_clamp(all - t * ITEMS, 0, ITEMS);
  if (SEGMENTS) {
    for (dc_index i = first + t; i < end; i += THREADS) {
      if (i >= merged && i < merged + all) continue;
      if (KEYS) to[i] = from[i];
      if (PAYS) pay_to[i] = KEPT;
    }
    if (all == 0) return;
  }
  dc_key k[ITEMS];
  unsigned short places[ITEMS];
  #pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    const int at = u * THREADS + t;
    if (at < all) k[u] = from[at < na ? a + at : b + at - na];
  }
  #pragma unroll
  for (int u = 0; u < ITEMS; u++)
    if (u * THREADS + t < all) keys[u * THREADS + t] = k[u];
  __syncthreads();
  const int diagonal = t * ITEMS < all ? t * ITEMS : all;
  const int left = (int)dc_path(keys, na, keys + na, all - na, diagonal);
  dc_take(keys, left, na, na + diagonal - left, all, k, places);
]=] .. write_tile("merged", "all", "MOVED")

-- A payload that is written: where it comes from in the first kernel, in a pass where it stays, where it moves.
local payloads = {
  PAYLOAD = "pay_from[base + place]",
  KEPT = "pay_from[i]",
  MOVED = "pay_from[place < na ? a + place : b + place - na]",
}

-- The kernel `what` ("tiles", "cuts", "pass") of a variant `v`: definitions (the caller's text), threads, items,
-- segments ("rows", "offsets" or false), keys, pays, numbered, index.
function text.source(what, v)
  local with = { THREADS = v.threads, ITEMS = v.items, SEGMENTS = tostring(v.segments ~= false),
    KEYS = tostring(v.keys), PAYS = tostring(v.pays), PAYOUT = v.index and "long long" or "dc_pay" }
  for name, value in pairs(payloads) do
    if name == "PAYLOAD" and v.numbered then
      value = ("(dc_pay)(%s)"):format(v.segments == "rows" and "(begin + place) % count" or "begin + place")
    end
    with[name] = v.index and ("(long long)(%s) + 1"):format(value) or value
  end
  return v.definitions .. algorithm.fill(text.path .. common .. kernels[what], with)
end

return text
