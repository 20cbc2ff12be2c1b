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
-- load sees both.  The words begin as zeros.  Blocks take their number from a counter: a piece is only waited for when
-- its block runs already.
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
static __device__ __forceinline__ dc_acc dc_await(const volatile unsigned long long *slot) {
  dc_bits b;
  #pragma unroll
  for (int k = 0; k < dc_words; k++) {
    unsigned long long word;
    do word = slot[k]; while (word >> 32 == 0);
    b.w[k] = (unsigned)word;
  }
  return dc_join(b);
}
// For a whole warp: publishes `own`, what piece `index` of `count` folds to; gives what is before it. Of piece 0 the
// result means nothing.
static __device__ __forceinline__ dc_acc dc_look_back(unsigned long long *level, dc_index index, dc_index count,
                                                      dc_acc own, int lane) {
  dc_acc before = own;
  bool have = false, last = true;
  if (lane == 0) dc_publish(level + index * dc_words, own);
  while (index > 0) {
    const int digit = (int)(index % 32);
    if (digit > 0) {
      dc_acc v = own;
      if (lane < digit) v = dc_await(level + (index - digit + lane) * dc_words);
      __syncwarp();
      const dc_acc older = dc_from_lane(dc_warp_scan(v, lane), digit - 1);
      before = have ? dc_fold(older, before) : older;
      have = true;
      own = dc_fold(older, own);
    }
    last = last && digit == 31;
    level += count * dc_words;
    count = (count + 31) / 32;
    index /= 32;
    if (last && lane == 0) dc_publish(level + index * dc_words, own);
  }
  return before;
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
