-- argsort of few long rows by native code of the CPU device: keys are divided by their leading bits into buckets that
-- fit a cache, and each bucket is sorted there. A thread is a block.
--
--   range:  the least and the largest key of each chunk; a row's keys differ in the bits of their difference
--   count, begin, move:  as in sort_serial.lua, but for one digit of DIGIT bits, the leading ones of that difference
--   sort:   a bucket, by as many of its leading bits as most likely tell its keys apart; insertion sort does the rest.
--           Where that would move many keys, it is sorted by all bits that differ
--
-- (A million random int64, one thread of a Xeon of 2023: 22 ms, by all eight digits of the whole row 40 ms.)
local dc = require "dotcompute"
local core = require "dotcompute.core"
local algorithm = require "dotcompute.algorithm"
local sort_text = require "dotcompute.sort_text"
core.builtin(debug.getinfo(1, "S").source)

local DIGIT = 12
local LONG = 65536 -- least length of rows that buckets sort; sort_serial.lua is faster for shorter ones

-- --- the text ---------------------------------------------------------------------------------------------------

-- Keys are moved as dc_order gives them, without a row's least one. Payloads are positions in the row, from 0.
local text = [=[
enum { dc_buckets = 1 << DIGIT };
static __device__ __forceinline__ int dc_bits(unsigned long long v) { return v ? 64 - __clzll(v) : 0; }

__global__ void dc_bucket_range(void *ranges_, const void *from_, const dc_index total, const int pieces,
                                const dc_index length) {
  if (total == 0) return;
  const int piece = blockIdx.x % pieces;
  const dc_key *const from = (const dc_key *)from_ + blockIdx.x / pieces * total;
  const dc_index first = piece * length, end = total - first < length ? total : first + length;
  dc_key least = (dc_key)~(dc_key)0, most = 0;
  for (dc_index i = first; i < end; i++) {
    const dc_key k = dc_order(from[i]);
    least = k < least ? k : least;
    most = k > most ? k : most;
  }
  dc_key *const range = (dc_key *)ranges_ + 2 * blockIdx.x;
  range[0] = least;
  range[1] = most;
}

// The least key of a row, and the lowest bit of the digit.
static __device__ __forceinline__ dc_key dc_row_range(const void *ranges_, const int pieces, int &shift) {
  const dc_key *const range = (const dc_key *)ranges_ + 2 * (blockIdx.x / pieces * pieces);
  dc_key least = range[0], most = range[1];
  for (int p = 1; p < pieces; p++) {
    least = range[2 * p] < least ? range[2 * p] : least;
    most = range[2 * p + 1] > most ? range[2 * p + 1] : most;
  }
  const int bits = dc_bits((dc_key)(most - least));
  shift = bits > DIGIT ? bits - DIGIT : 0;
  return least;
}

// Counts are ordered by row, bucket and chunk: their prefix sums are the positions of a chunk's keys of a bucket.
__global__ void dc_bucket_count(dc_index *counts, const void *ranges, const void *from_, const dc_index total,
                                const int pieces, const dc_index length) {
  __shared__ dc_index bins[dc_buckets];
  if (total == 0) return;
  const int row = blockIdx.x / pieces, piece = blockIdx.x % pieces;
  const dc_key *const from = (const dc_key *)from_ + row * total;
  const dc_index first = piece * length, end = total - first < length ? total : first + length;
  int shift;
  const dc_key least = dc_row_range(ranges, pieces, shift);
  for (int b = 0; b < dc_buckets; b++) bins[b] = 0;
  for (dc_index i = first; i < end; i++) bins[(int)((dc_key)(dc_order(from[i]) - least) >> shift)]++;
  for (int b = 0; b < dc_buckets; b++) counts[((dc_index)row * dc_buckets + b) * pieces + piece] = bins[b];
}

__global__ void dc_bucket_move(void *keys_, dc_pay *pays, const dc_index *counts, const void *ranges, const void *from_,
                               const dc_index total, const int pieces, const dc_index length) {
  __shared__ dc_index at[dc_buckets];
  if (total == 0) return;
  const int row = blockIdx.x / pieces, piece = blockIdx.x % pieces;
  const dc_key *const from = (const dc_key *)from_ + row * total;
  dc_key *const keys = (dc_key *)keys_ + row * total;
  dc_pay *const to = pays + row * total;
  const dc_index first = piece * length, end = total - first < length ? total : first + length;
  int shift;
  const dc_key least = dc_row_range(ranges, pieces, shift);
  for (int b = 0; b < dc_buckets; b++) at[b] = counts[((dc_index)row * dc_buckets + b) * pieces + piece];
  for (dc_index i = first; i < end; i++) {
    const dc_key k = (dc_key)(dc_order(from[i]) - least);
    const dc_index place = at[(int)(k >> shift)]++;
    keys[place] = k;
    to[place] = (dc_pay)i;
  }
}

// One pass of a bucket, by the eight bits from `shift` on.
static __device__ __forceinline__ void dc_bucket_pass(dc_key *to, dc_pay *pay_to, const dc_key *from,
                                                      const dc_pay *pay_from, const dc_index n, const int shift,
                                                      dc_index *at) {
  for (int d = 0; d < 256; d++) at[d] = 0;
  for (dc_index i = 0; i < n; i++) at[(int)(from[i] >> shift & 255)]++;
  dc_index sum = 0;
  for (int d = 0; d < 256; d++) {
    const dc_index count = at[d];
    at[d] = sum;
    sum += count;
  }
  for (dc_index i = 0; i < n; i++) {
    const dc_key k = from[i];
    const dc_index place = at[(int)(k >> shift & 255)]++;
    to[place] = k;
    pay_to[place] = pay_from[i];
  }
}

// Gives up, with keys moved but none lost, behind more than `most` moves.
static __device__ __forceinline__ bool dc_insertion(dc_key *keys, dc_pay *pays, const dc_index n, dc_index most) {
  for (dc_index i = 1; i < n; i++) {
    const dc_key k = keys[i];
    if (keys[i - 1] <= k) continue;
    const dc_pay pay = pays[i];
    dc_index j = i;
    for (; j > 0 && keys[j - 1] > k; j--) {
      keys[j] = keys[j - 1];
      pays[j] = pays[j - 1];
    }
    keys[j] = k;
    pays[j] = pay;
    most -= i - j;
    if (most < 0) return false;
  }
  return true;
}

// `passes` digits of eight bits, from bit `low` on, from the lowest one; the result is in `keys` and `pays`, which
// change places with the spare ones.
static __device__ __forceinline__ void dc_digits(dc_key *&keys, dc_key *&spare, dc_pay *&pays, dc_pay *&spare_pays,
                                                 const dc_index n, const int low, const int passes, dc_index *at) {
  for (int p = 0; p < passes; p++) {
    dc_bucket_pass(spare, spare_pays, keys, pays, n, low + 8 * p, at);
    dc_key *const k = keys;
    dc_pay *const q = pays;
    keys = spare;
    spare = k;
    pays = spare_pays;
    spare_pays = q;
  }
}

static __device__ __forceinline__ void dc_one_bucket(long long *index_to, dc_key *to, const dc_key *from, dc_key *keys,
                                                     dc_key *spare, dc_pay *pays, dc_pay *spare_pays, const dc_index n,
                                                     dc_index *at) {
  dc_key least = keys[0], most = keys[0];
  for (dc_index i = 1; i < n; i++) {
    least = keys[i] < least ? keys[i] : least;
    most = keys[i] > most ? keys[i] : most;
  }
  const int bits = dc_bits((dc_key)(least ^ most)), all = (bits + 7) / 8;
  const int wanted = n > 32 ? (dc_bits((unsigned long long)n) + 11) / 8 : 0;
  const int passes = wanted < all ? wanted : all, low = bits > 8 * passes ? bits - 8 * passes : 0;
  dc_digits(keys, spare, pays, spare_pays, n, low, passes, at);
  if (low > 0 && !dc_insertion(keys, pays, n, n > 32 ? 8 * n : n * n))
    dc_digits(keys, spare, pays, spare_pays, n, 0, all, at);
  for (dc_index i = 0; i < n; i++) {
    index_to[i] = (long long)pays[i] + 1;
    if (KEYS) to[i] = from[pays[i]];
  }
}

// Buckets b, b + gridDim.x, ...
__global__ void dc_bucket_sort(long long *index_to, void *to, const void *from, const dc_index *counts, void *keys,
                               void *spare, dc_pay *pays, dc_pay *spare_pays, const dc_index total, const int pieces,
                               const int rows) {
  __shared__ dc_index at[256];
  for (int b = blockIdx.x; b < rows * dc_buckets; b += gridDim.x) {
    const dc_index row = b / dc_buckets * total, *const begin = counts + (dc_index)b * pieces;
    const dc_index first = begin[0], n = (b % dc_buckets + 1 < dc_buckets ? begin[pieces] : total) - first;
    const dc_index place = row + first;
    if (n > 0)
      dc_one_bucket(index_to + place, (dc_key *)to + place, (const dc_key *)from + row, (dc_key *)keys + place,
                    (dc_key *)spare + place, pays + place, spare_pays + place, n, at);
  }
}
]=]

local function source_of(v)
  return sort_text.counting(v.wide, "dc_bucket_begin") .. sort_text.order(v.dtype, v.descending)
    .. algorithm.fill(text, { KEYS = tostring(v.keys), DIGIT = DIGIT })
end

-- --- calls ------------------------------------------------------------------------------------------------------

local buckets = {}

-- Whether the rows of a job (sort.lua) are sorted so: with indices, and by more than two digits of eight bits.
function buckets.suits(job) return job.index ~= nil and job.passes > 2 and job.total >= LONG end

-- Sorts them. Returns true, or nil while there is no native code.
function buckets.rows(job)
  local device, rows, total, n, null = job.device, job.rows, job.total, job.rows * job.total, dc.null
  local v = { dtype = job.dtype, descending = job.descending, wide = n > algorithm.narrow, keys = job.to ~= nil }
  local key = ("%s %s %s %s"):format(v.dtype.name, v.descending, v.wide, v.keys)
  local function kernel(what) return algorithm.kernel(device, "dc_bucket_" .. what, key, source_of, v) end
  local range, count, begin, move, sort = kernel "range", kernel "count", kernel "begin", kernel "move", kernel "sort"
  local ready = algorithm.is_native(sort, null, null, null, null, null, null, null, null, 0, 1, 0)
  ready = algorithm.is_native(move, null, null, null, null, null, 0, 1, 0) and ready
  ready = algorithm.is_native(count, null, null, null, 0, 1, 0) and ready
  if not (algorithm.is_native(range, null, null, 0, 1, 0) and ready) then return end
  local pieces, length = algorithm.pieces(device, total, math.max(1, 4 * device.multiprocessors // rows))
  local key_type, pay_type = "uint" .. 8 * job.dtype.size, v.wide and "uint64" or "uint32"
  local function memory(dtype) return algorithm.empty(device, n, dtype) end
  local ranges = algorithm.empty(device, 2 * rows * pieces, key_type)
  local counts = algorithm.empty(device, rows * pieces << DIGIT, v.wide and "int64" or "int32")
  local keys, spare, pays, spare_pays = memory(key_type), memory(key_type), memory(pay_type), memory(pay_type)
  range(rows * pieces, 1, ranges, job.from, total, pieces, length)
  count(rows * pieces, 1, counts, ranges, job.from, total, pieces, length)
  begin(rows, 1, counts, pieces << DIGIT)
  move(rows * pieces, 1, keys, pays, counts, ranges, job.from, total, pieces, length)
  sort(16 * device.multiprocessors, 1, job.index, job.to or null, job.from, counts, keys, spare, pays, spare_pays,
    total, pieces, rows)
  algorithm.free(nil, ranges, counts, keys, spare, pays, spare_pays)
  return true
end

return buckets
