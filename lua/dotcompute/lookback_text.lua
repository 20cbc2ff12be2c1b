-- CUDA C with which blocks of a single launch learn what stands before their piece of a sequence.
--
-- The pieces of a row are leaves of a tree in which 32 neighbours have one parent.  A block publishes what its piece
-- folds to; a piece whose number ends in 31 (in base 32) knows its 31 older siblings, and so publishes their parent
-- too, and so on upwards.  What stands before piece 2 * 1024 + 5 * 32 + 7 is then 2 + 5 + 7 published values, read by
-- a warp in three steps.  Nobody waits for a sum of sums that others are still making, as in a chain: the wait is for
-- a few pieces that started earlier.  And which values are folded with which depends on nothing but the number of
-- pieces: the result is the same each time, on every device, and rounding grows with the depth of the tree.
--
-- Published values lie in 64-bit words that hold 32 bits of the value and a mark that they are there, so that a single
-- load sees both.  The words begin as zeros.  Pieces are blocks in their order: devices start these in that order, so a
-- piece that is waited for runs already.
--
-- Expects dc_acc and dc_fold(a, b), associative, in this order.
local lookback = {}

lookback.text = [[
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
  #pragma unroll
  for (int n = 1; n < 32; n *= 2) {
    const dc_acc other = dc_from_below(v, n);
    if (lane >= n) v = dc_fold(other, v);
  }
  return v;
}
static __device__ __forceinline__ void dc_publish(volatile unsigned long long *slot, const dc_acc &v) {
  const dc_bits b = dc_split(v);
  #pragma unroll
  for (int k = 0; k < dc_words; k++) slot[k] = 1ull << 32 | b.w[k];
}
static __device__ __forceinline__ bool dc_look(const volatile unsigned long long *slot, dc_bits &b) {
  bool there = true;
  #pragma unroll
  for (int k = 0; k < dc_words; k++) {
    const unsigned long long word = slot[k];
    b.w[k] = (unsigned)word;
    there = there && word >> 32 != 0;
  }
  return there;
}
// What dc_look_back knows on its way up.
struct dc_climb {
  unsigned long long *level;
  dc_index index, count;
  dc_acc own, before;
  bool have, last;
};
// One level: `there`: has the lane seen its older sibling's value, `seen`, already?
static __device__ __forceinline__ void dc_step_up(dc_climb &c, bool there, dc_bits seen, int lane) {
  const int digit = (int)(c.index % 32);
  if (digit > 0) {
    if (lane < digit && !there) {
      while (!dc_look(c.level + (c.index - digit + lane) * dc_words, seen)) {}
    }
    __syncwarp();
    const dc_acc v = lane < digit ? dc_join(seen) : c.own;
    const dc_acc older = dc_from_lane(dc_warp_scan(v, lane), digit - 1);
    c.before = c.have ? dc_fold(older, c.before) : older;
    c.have = true;
    c.own = dc_fold(older, c.own);
  }
  c.last = c.last && digit == 31;
  c.level += c.count * dc_words;
  c.count = (c.count + 31) / 32;
  c.index /= 32;
  if (c.last && lane == 0) dc_publish(c.level + c.index * dc_words, c.own);
}
// For a whole warp: publishes `own`, what piece `index` of `count` folds to; gives what is before it. Of piece 0 the
// result means nothing.
static __device__ __forceinline__ dc_acc dc_look_back(unsigned long long *level, dc_index index, dc_index count,
                                                      const dc_acc &own, int lane) {
  enum { early = 3 }; // so many levels are looked at before any is waited for
  dc_climb c = { level, index, count, own, own, false, true };
  dc_bits seen[early];
  bool there[early];
  if (lane == 0) dc_publish(level + index * dc_words, own);
  #pragma unroll
  for (int k = 0; k < early; k++) {
    const int digit = (int)(index % 32);
    there[k] = lane < digit && dc_look(level + (index - digit + lane) * dc_words, seen[k]);
    level += count * dc_words;
    count = (count + 31) / 32;
    index /= 32;
  }
  #pragma unroll
  for (int k = 0; k < early; k++)
    if (c.index > 0) dc_step_up(c, there[k], seen[k], lane);
  while (c.index > 0) dc_step_up(c, false, dc_split(own), lane);
  return c.before;
}
]]

-- How many 64-bit words a row of `pieces` takes, for values of `size` bytes.
function lookback.words(pieces, size)
  local slots, count = pieces, pieces
  while count > 1 do
    count = (count + 31) // 32
    slots = slots + count
  end
  return slots * ((size + 3) // 4)
end

return lookback
