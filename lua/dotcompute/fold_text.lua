-- The CUDA C of reduce and segmented_reduce; fold.lua says which kernel is for which segments.
--
-- The caller's text defines dc_element, dc_acc (the type in which is folded), dc_index, dc_load(element, i), which
-- gives a dc_acc of element i, and dc_fold(a, b). INITIAL, a word of capitals, is whether there is an initial value.
local core = require "dotcompute.core"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

local text = { BLOCK = 256, PIECE = 16384 } -- threads of a block; elements of a long segment for a block

local common = [=[
enum { BATCH = sizeof(dc_acc) > 8 ? 4 : 8 }; // loads that are issued before the first is used
struct dc_bits { unsigned w[(sizeof(dc_acc) + 3) / 4]; };
static __device__ __forceinline__ dc_acc dc_from_above(const dc_acc &v, const int n) {
  dc_bits b = {};
  memcpy(&b, &v, sizeof(dc_acc));
  #pragma unroll
  for (int k = 0; k < (int)(sizeof(dc_bits) / 4); k++) b.w[k] = __shfl_down_sync(~0u, b.w[k], n);
  dc_acc other;
  memcpy(&other, &b, sizeof(dc_acc));
  return other;
}
template <typename T, bool PARTS> struct dc_taker {
  static __device__ __forceinline__ dc_acc take(const T &v, const dc_index i) { return dc_load(v, i); }
};
template <typename T> struct dc_taker<T, true> {
  static __device__ __forceinline__ dc_acc take(const T &v, const dc_index) { return v; }
};
// Folds elements first + t, first + t + team … before `end`. Without elements the result is undefined.
// PARTS: of accumulators.
template <typename T, bool PARTS>
static __device__ __forceinline__ dc_acc dc_fold_range(const T *x, const dc_index first, const dc_index end,
                                                       const int t, const int team) {
  dc_acc sum;
  dc_index i = first + t;
  if (i < end) sum = dc_taker<T, PARTS>::take(x[i], i);
  i += team;
  for (; i + (BATCH - 1) * team < end; i += BATCH * team) {
    T next[BATCH];
    #pragma unroll
    for (int k = 0; k < BATCH; k++) next[k] = x[i + k * team];
    #pragma unroll
    for (int k = 0; k < BATCH; k++) sum = dc_fold(sum, dc_taker<T, PARTS>::take(next[k], i + k * team));
  }
  for (; i < end; i += team) sum = dc_fold(sum, dc_taker<T, PARTS>::take(x[i], i));
  return sum;
}
// Where a segment begins; without offsets all elements are segment 0.
static __device__ __forceinline__ dc_index dc_offset(const long long *offsets, const long long segment,
                                                     const dc_index total) {
  return offsets ? (dc_index)(offsets[segment] - 1) : (dc_index)segment * total;
}
// A segment's result.
static __device__ __forceinline__ dc_acc dc_finish(const dc_acc &v, const dc_acc &init) {
  return INITIAL ? dc_fold(init, v) : v;
}
// The fold of the first `count` lanes' values, in lane 0.
static __device__ __forceinline__ dc_acc dc_fold_warp(dc_acc v, const int lane, const dc_index count) {
  #pragma unroll
  for (int n = 16; n > 0; n /= 2) {
    const dc_acc other = dc_from_above(v, n);
    if (lane + n < 32 && lane + n < count) v = dc_fold(v, other);
  }
  return v;
}
// The fold of the first `count` threads' values, in thread 0; `memory` has a value for each warp.
static __device__ __forceinline__ dc_acc dc_fold_block(dc_acc v, const int t, const dc_index count, dc_acc *memory) {
  const int lane = t % 32, warp = t / 32;
  v = dc_fold_warp(v, lane, count - warp * 32);
  if (lane == 0) memory[warp] = v;
  __syncthreads();
  if (warp == 0) {
    const dc_index warps = (count + 31) / 32;
    v = memory[lane < WARPS ? lane : 0];
    v = dc_fold_warp(v, lane, warps < WARPS ? warps : WARPS);
  }
  __syncthreads();
  return v;
}
]=]

local kernels = {}

-- A team of TEAM threads (1, 32 or a block) for each segment. Those of more than `most` elements are left for the next
-- kernels: their numbers are listed in `far`, behind their count.
kernels.segments = [=[
__global__ void __launch_bounds__(BLOCK) dc_reduce_segments(void *out_, const void *x_, const long long *offsets,
    const dc_index total, const long long segments, const long long most, unsigned long long *far,
    const dc_acc init) {
  dc_acc *const out = (dc_acc *)out_;
  const dc_element *const x = (const dc_element *)x_;
  __shared__ alignas(16) unsigned char memory[WARPS * sizeof(dc_acc)];
  const int t = threadIdx.x % TEAM;
  const long long segment = (long long)blockIdx.x * (BLOCK / TEAM) + threadIdx.x / TEAM;
  if (segment >= segments) return;
  const dc_index first = dc_offset(offsets, segment, total), end = dc_offset(offsets, segment + 1, total);
  if (end - first > most) {
    if (t == 0) far[1 + atomicAdd(far, 1ull)] = (unsigned long long)segment;
    return;
  }
  dc_acc v = dc_fold_range<dc_element, false>(x, first, end, t, TEAM);
  if (TEAM == 32) v = dc_fold_warp(v, t, end - first);
  if (TEAM > 32) v = dc_fold_block(v, t, end - first, (dc_acc *)memory);
  if (t == 0) {
    out[segment] = INITIAL && first == end ? init : dc_finish(v, init);
  }
}
]=]

-- Pieces of listed segments, without a list of segment 0. Piece p of a segment that begins at `first` has slot first /
-- (PIECE / 2) + p: segments of more than PIECE elements have slots of their own.
kernels.pieces = [=[
__global__ void __launch_bounds__(BLOCK) dc_reduce_pieces(void *parts_, const void *x_, const long long *offsets,
    const dc_index total, const unsigned long long *far) {
  dc_acc *const parts = (dc_acc *)parts_;
  const dc_element *const x = (const dc_element *)x_;
  __shared__ alignas(16) unsigned char memory[WARPS * sizeof(dc_acc)];
  const long long count = far ? (long long)far[0] : 1;
  for (long long k = 0; k < count; k++) {
    const long long segment = far ? (long long)far[1 + k] : 0;
    const dc_index first = dc_offset(offsets, segment, total), end = dc_offset(offsets, segment + 1, total);
    const dc_index pieces = (end - first + PIECE - 1) / PIECE;
    for (dc_index p = blockIdx.x; p < pieces; p += gridDim.x) {
      const dc_index begin = first + p * PIECE, stop = end - begin < PIECE ? end : begin + PIECE;
      dc_acc v = dc_fold_range<dc_element, false>(x, begin, stop, threadIdx.x, BLOCK);
      v = dc_fold_block(v, threadIdx.x, stop - begin, (dc_acc *)memory);
      if (threadIdx.x == 0) parts[first / (PIECE / 2) + p] = v;
    }
  }
}
]=]

-- The results of listed segments, from their pieces.
kernels.ends = [=[
__global__ void __launch_bounds__(BLOCK) dc_reduce_ends(void *out_, const void *parts_, const long long *offsets,
    const dc_index total, const unsigned long long *far, const dc_acc init) {
  dc_acc *const out = (dc_acc *)out_;
  const dc_acc *const parts = (const dc_acc *)parts_;
  __shared__ alignas(16) unsigned char memory[WARPS * sizeof(dc_acc)];
  const long long count = far ? (long long)far[0] : 1;
  for (long long k = blockIdx.x; k < count; k += gridDim.x) {
    const long long segment = far ? (long long)far[1 + k] : 0;
    const dc_index first = dc_offset(offsets, segment, total), end = dc_offset(offsets, segment + 1, total);
    const dc_index pieces = (end - first + PIECE - 1) / PIECE, slot = first / (PIECE / 2);
    dc_acc v = dc_fold_range<dc_acc, true>(parts, slot, slot + pieces, threadIdx.x, BLOCK);
    v = dc_fold_block(v, threadIdx.x, pieces, (dc_acc *)memory);
    if (threadIdx.x == 0) out[segment] = dc_finish(v, init);
  }
}
]=]

-- For native code of the CPU device: a thread, which is a block, folds the elements of a chunk, and writes the results
-- of segments that are whole in it. Of the segment that began before the chunk it writes heads, of the one that goes on
-- behind it tails.
kernels.chunks = [=[
static __device__ __forceinline__ dc_acc dc_fold_part(const dc_element *x, const dc_index first, const dc_index end) {
  dc_acc sum = dc_load(x[first], first);
  for (dc_index i = first + 1; i < end; i++) sum = dc_fold(sum, dc_load(x[i], i));
  return sum;
}
// The first segment that begins at element i or behind it.
static __device__ __forceinline__ long long dc_first_at(const long long *offsets, const long long segments,
                                                        const dc_index i, const dc_index total) {
  long long low = 0, high = segments;
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if (dc_offset(offsets, middle, total) < i) low = middle + 1;
    else high = middle;
  }
  return low;
}
__global__ void dc_reduce_chunks(void *out_, void *heads, void *tails, const void *x_, const long long *offsets,
    const long long segments, const dc_index total, const dc_index length, const dc_acc init) {
  dc_acc *const out = (dc_acc *)out_;
  const dc_element *const x = (const dc_element *)x_;
  const dc_index begin = (dc_index)blockIdx.x * length;
  if (begin > total || (begin == total && begin > 0)) return;
  const dc_index end = total - begin < length ? total : begin + length;
  long long s = dc_first_at(offsets, segments, begin, total);
  if (s > 0 && dc_offset(offsets, s - 1, total) < begin && dc_offset(offsets, s, total) > begin) {
    const dc_index stop = dc_offset(offsets, s, total);
    ((dc_acc *)heads)[blockIdx.x] = dc_fold_part(x, begin, stop < end ? stop : end);
  }
  for (; s < segments && (dc_offset(offsets, s, total) < end || end == total); s++) {
    const dc_index first = dc_offset(offsets, s, total), stop = dc_offset(offsets, s + 1, total);
    if (stop > end) ((dc_acc *)tails)[blockIdx.x] = dc_fold_part(x, first, end);
    else if (stop > first) out[s] = dc_finish(dc_fold_part(x, first, stop), init);
    else if (INITIAL) out[s] = init;
  }
}
]=]

-- The results of segments that are in several chunks.
kernels.borders = [=[
__global__ void dc_reduce_borders(void *out, const void *heads_, const void *tails_, const long long *offsets,
    const long long segments, const dc_index total, const dc_index length, const dc_acc init) {
  const dc_acc *const heads = (const dc_acc *)heads_, *const tails = (const dc_acc *)tails_;
  dc_acc sum;
  long long s = 0;
  for (dc_index begin = length; begin < total; begin += length) {
    const dc_index chunk = begin / length;
    while (dc_offset(offsets, s + 1, total) <= begin) s++; // the segment of element `begin`
    const dc_index first = dc_offset(offsets, s, total), stop = dc_offset(offsets, s + 1, total);
    if (first >= begin) continue;
    if (first >= begin - length) sum = tails[chunk - 1];
    sum = dc_fold(sum, heads[chunk]);
    if (stop - begin <= length) ((dc_acc *)out)[s] = dc_finish(sum, init);
  }
}
]=]

-- The kernel `what` of a variant: definitions (the caller's text), team, initial (whether there is an initial value).
function text.source(what, v)
  return v.definitions .. algorithm.fill(common .. kernels[what], { BLOCK = text.BLOCK, WARPS = text.BLOCK // 32,
    PIECE = text.PIECE, TEAM = v.team, INITIAL = tostring(v.initial) })
end

return text
