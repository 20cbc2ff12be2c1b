-- CUDA C of a look-back: each block of a launch computes the exclusive prefix of its tile of a sequence, in a single
-- pass (after Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016, with a tree in
-- place of their chain).
--
-- The tiles of a row are leaves of a tree with 256 children a node. A block publishes its tile's aggregate; the block
-- of the last child of a node also publishes the node's aggregate, and so on upwards. The prefix of tile 2 * 256 + 7
-- then consists of 2 + 7 published values, which the block's threads read at once. A block waits only for aggregates of
-- a few earlier tiles, not for a chain of prefixes. The order of combination depends only on the number of tiles:
-- results have the same bits each time and on every device, and the rounding error grows with the depth of the tree.
--
-- Nodes of 256 children read more than nodes of 32, but each level costs a round trip to the L2 cache: a selection from
-- 2^27 float32 took 0.298 ms on an H200, with 32 children 0.352 ms.
--
-- Published values are 64-bit words of 32 bits of the value and a 32-bit flag, so that one load reads both. The flag is
-- a value that no word contains before the launch. Tiles are numbered as blocks are, and devices start blocks in order,
-- so a block waits only for blocks that run already.
--
-- Expects dc_acc and dc_fold(a, b), an associative combination that need not be commutative.
local lookback = {}

local text = [[
enum { dc_words = (sizeof(dc_acc) + 3) / 4 };
struct dc_bits { unsigned w[dc_words]; };
static __device__ __forceinline__ dc_bits dc_split(const dc_acc &v) {
  dc_bits b = {};
  memcpy(&b, &v, sizeof(dc_acc));
  return b;
}
static __device__ __forceinline__ dc_acc dc_join(const dc_bits &b) {
  dc_acc v;
  memcpy(&v, &b, sizeof(dc_acc));
  return v;
}
static __device__ __forceinline__ dc_acc dc_from_below(const dc_acc &v, int n) {
  dc_bits b = dc_split(v);
  #pragma unroll
  for (int k = 0; k < dc_words; k++) b.w[k] = __shfl_up_sync(~0u, b.w[k], n);
  return dc_join(b);
}
static __device__ __forceinline__ dc_acc dc_from_lane(const dc_acc &v, int lane) {
  dc_bits b = dc_split(v);
  #pragma unroll
  for (int k = 0; k < dc_words; k++) b.w[k] = __shfl_sync(~0u, b.w[k], lane);
  return dc_join(b);
}
static __device__ __forceinline__ dc_acc dc_warp_scan(dc_acc v, int lane) {
  #pragma unroll STEPS
  for (int n = 1; n < 32; n *= 2) {
    const dc_acc other = dc_from_below(v, n);
    if (lane >= n) v = dc_fold(other, v);
  }
  return v;
}
static __device__ __forceinline__ void dc_publish(volatile unsigned long long *slot, const dc_acc &v, unsigned mark) {
  const dc_bits b = dc_split(v);
  #pragma unroll
  for (int k = 0; k < dc_words; k++) slot[k] = (unsigned long long)mark << 32 | b.w[k];
}
static __device__ __forceinline__ bool dc_look(const volatile unsigned long long *slot, dc_bits &b, unsigned mark) {
  bool there = true;
  #pragma unroll
  for (int k = 0; k < dc_words; k++) {
    const unsigned long long word = slot[k];
    b.w[k] = (unsigned)word;
    there = there && (unsigned)(word >> 32) == mark;
  }
  return there;
}
// Combines the values of a level before a tile's: warp w has up to 32 of them, and stores their combination in
// folds[w].
static __device__ __forceinline__ void dc_fold_level(dc_acc *folds, const dc_bits &seen, int digit, int t) {
  const int lane = t % 32, count = digit - (t - lane) < 32 ? digit - (t - lane) : 32;
  if (count <= 0) return;
  dc_acc v = dc_join(seen);
  const dc_acc first = dc_from_lane(v, 0);
  if (lane >= count) v = first; // any value
  v = dc_warp_scan(v, lane);
  if (lane == count - 1) folds[t / 32] = v;
}
static __device__ __forceinline__ dc_acc dc_fold_warps(const dc_acc *folds, int digit) {
  dc_acc v = folds[0];
  for (int w = 1; w * 32 < digit; w++) v = dc_fold(v, folds[w]);
  return v;
}
// For a block of 256 threads: the exclusive prefix of tile `index` of `count`; undefined for tile 0. `own`, in thread
// 0, is the tile's aggregate, which was published at level[index * dc_words]. `folds` is shared memory.
enum { dc_levels = 4, dc_folds = 8 * dc_levels + 1 };
static __device__ __forceinline__ dc_acc dc_look_back(unsigned long long *level, dc_index index, dc_index count,
                                                      dc_acc own, unsigned mark, dc_acc *folds) {
  enum { early = EARLY }; // the number of levels that are read before waiting for any
  const int t = threadIdx.x;
  dc_bits seen[early + 1];
  bool there[early + 1];
  unsigned long long *up = level;
  dc_index place = index, slots = count;
  #pragma unroll
  for (int k = 0; k < early; k++) {
    const int digit = (int)(place % 256);
    there[k] = t < digit && dc_look(up + (place - digit + t) * dc_words, seen[k], mark);
    up += slots * dc_words;
    slots = (slots + 255) / 256;
    place /= 256;
  }
  bool last = true;
  place = index;
  slots = count;
  up = level;
  #pragma unroll LEVELS
  for (int k = 0; k < dc_levels; k++) {
    if (place == 0) break;
    const int digit = (int)(place % 256);
    dc_bits b = seen[k < early ? k : 0];
    if (t < digit && !(k < early && there[k < early ? k : 0])) {
      while (!dc_look(up + (place - digit + t) * dc_words, b, mark)) {}
    }
    __syncwarp();
    dc_fold_level(folds + 8 * k, b, digit, t);
    up += slots * dc_words;
    slots = (slots + 255) / 256;
    place /= 256;
    last = last && digit == 255;
    if (last) {
      __syncthreads();
      if (t == 0) {
        own = dc_fold(dc_fold_warps(folds + 8 * k, digit), own);
        dc_publish(up + place * dc_words, own, mark);
      }
    }
  }
  __syncthreads();
  if (t == 0 && index > 0) {
    dc_acc before = own;
    bool have = false;
    dc_index digits = index;
    #pragma unroll LEVELS
    for (int k = 0; k < dc_levels; k++) { // from the lowest level, the nearest tiles, upwards
      const int digit = (int)(digits % 256);
      if (digit > 0) {
        const dc_acc older = dc_fold_warps(folds + 8 * k, digit);
        before = have ? dc_fold(older, before) : older;
        have = true;
      }
      digits /= 256;
    }
    folds[dc_folds - 1] = before;
  }
  __syncthreads();
  return folds[dc_folds - 1];
}
]]

-- `rolled`: for devices where the latency of reads does not matter, but the code's size, which is compiled to machine
-- code by a C compiler: no level is read early, and the loops over levels and over the steps of a warp's scan are not
-- unrolled.
function lookback.text(rolled)
  return (text:gsub("EARLY", rolled and 0 or 2):gsub("LEVELS", rolled and 1 or 4):gsub("STEPS", rolled and 1 or 5))
end

-- The number of 64-bit words of published values for a row of `pieces` tiles, with values of `size` bytes.
function lookback.words(pieces, size)
  local slots, count = pieces, pieces
  while count > 1 do
    count = (count + 255) // 256
    slots = slots + count
  end
  return slots * ((size + 3) // 4)
end

return lookback
