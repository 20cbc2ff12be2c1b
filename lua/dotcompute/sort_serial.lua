-- Radix sort by native code of the CPU device, whose threads are few and fast: each processes a chunk, one key after
-- another. A thread is a block.
--
--   many rows, or short ones: a thread sorts a row, all digits
--   few long rows:            with indices by buckets (sort_buckets.lua); else for each digit three kernels: digits
--                             are counted by chunk, prefix sums give positions, keys are moved
--
-- (2^23 float32 on two processors: 96 ms, by the GPU's kernels 390 ms.)
local dc = require "dotcompute"
local core = require "dotcompute.core"
local algorithm = require "dotcompute.algorithm"
local buckets = require "dotcompute.sort_buckets"
local sort_text = require "dotcompute.sort_text"
core.builtin(debug.getinfo(1, "S").source)

-- --- the text ---------------------------------------------------------------------------------------------------

-- `at`: the next position of each digit. Payloads are indices: the first pass makes them, from 0; the last one writes
-- them as the result, from 1.
local text = [=[
template <bool FIRST, bool LAST>
static __device__ __forceinline__ void dc_move(dc_key *to, const dc_key *from, dc_pay *pay_to, const dc_pay *pay_from,
    long long *index_to, dc_index *at, const dc_index first, const dc_index end, const int shift) {
  for (dc_index i = first; i < end; i++) {
    const dc_key k = from[i];
    const dc_index place = at[dc_digit(k, shift)]++;
    if (!LAST || KEYS) to[place] = k;
    if (PAYS) {
      const dc_pay pay = FIRST ? (dc_pay)i : pay_from[i];
      if (LAST) index_to[place] = (long long)pay + 1;
      else pay_to[place] = pay;
    }
  }
}

// Keys and payloads alternate between two buffers, so that the last pass writes the result.
static __device__ __forceinline__ bool dc_into_spare(const int pass) { return (PASSES - 1 - pass) % 2; }
static __device__ __forceinline__ const dc_key *dc_source(const int pass, const dc_key *to, const dc_key *spare,
                                                          const dc_key *from) {
  return pass == 0 ? from : dc_into_spare(pass) ? to : spare;
}

// The pass of a digit.
static __device__ __forceinline__ void dc_pass(const int pass, dc_key *to, dc_key *spare, const dc_key *from,
    dc_pay *pays, dc_pay *more_pays, long long *index_to, dc_index *at, const dc_index first, const dc_index end) {
  enum { passes = PASSES };
  const bool into_spare = dc_into_spare(pass);
  dc_key *const out = into_spare ? spare : to;
  const dc_key *const in = dc_source(pass, to, spare, from);
  dc_pay *const pay_out = into_spare ? pays : more_pays, *const pay_in = into_spare ? more_pays : pays;
  if (passes == 1) dc_move<true, true>(out, in, pay_out, pay_in, index_to, at, first, end, 0);
  else if (pass == 0) dc_move<true, false>(out, in, pay_out, pay_in, index_to, at, first, end, 0);
  else if (pass < passes - 1) dc_move<false, false>(out, in, pay_out, pay_in, index_to, at, first, end, 8 * pass);
  else dc_move<false, true>(out, in, pay_out, pay_in, index_to, at, first, end, 8 * pass);
}

__global__ void dc_sort_row(void *to_, void *spare_, const void *from_, void *pays_, void *more_pays_,
                            long long *index_to, const dc_index total) {
  enum { passes = PASSES };
  __shared__ dc_index at[passes][256];
  const dc_index row = blockIdx.x * total;
  const dc_key *const from = (const dc_key *)from_ + row;
  for (int p = 0; p < passes; p++)
    for (int d = 0; d < 256; d++) at[p][d] = 0;
  for (dc_index i = 0; i < total; i++) {
    const dc_key k = dc_order(from[i]);
    #pragma unroll
    for (int p = 0; p < passes; p++) at[p][k >> (8 * p) & 255]++;
  }
  for (int p = 0; p < passes; p++) {
    dc_index sum = 0;
    for (int d = 0; d < 256; d++) {
      const dc_index count = at[p][d];
      at[p][d] = sum;
      sum += count;
    }
    dc_pass(p, (dc_key *)to_ + row, (dc_key *)spare_ + row, from, (dc_pay *)pays_ + row, (dc_pay *)more_pays_ + row,
            index_to + row, at[p], 0, total);
  }
}

// Counts are ordered by row, digit and chunk: their prefix sums are the positions of a chunk's keys of a digit.
__global__ void dc_sort_count(dc_index *counts, const void *to_, const void *spare_, const void *from_, const int pass,
                              const dc_index total, const int pieces, const dc_index length) {
  __shared__ dc_index bins[256];
  if (total == 0) return;
  const int row = blockIdx.x / pieces, piece = blockIdx.x % pieces;
  const dc_key *const from = dc_source(pass, (const dc_key *)to_, (const dc_key *)spare_, (const dc_key *)from_)
    + row * total;
  const dc_index first = piece * length, end = total - first < length ? total : first + length;
  for (int d = 0; d < 256; d++) bins[d] = 0;
  for (dc_index i = first; i < end; i++) bins[dc_digit(from[i], 8 * pass)]++;
  for (int d = 0; d < 256; d++) counts[(row * 256 + d) * pieces + piece] = bins[d];
}

__global__ void dc_sort_move(const dc_index *counts, void *to_, void *spare_, const void *from_, void *pays_,
                             void *more_pays_, long long *index_to, const int pass, const dc_index total,
                             const int pieces, const dc_index length) {
  __shared__ dc_index at[256];
  if (total == 0) return;
  const int row_number = blockIdx.x / pieces, piece = blockIdx.x % pieces;
  const dc_index row = row_number * total;
  const dc_index first = piece * length, end = total - first < length ? total : first + length;
  for (int d = 0; d < 256; d++) at[d] = counts[(row_number * 256 + d) * pieces + piece];
  dc_pass(pass, (dc_key *)to_ + row, (dc_key *)spare_ + row, (const dc_key *)from_ + row, (dc_pay *)pays_ + row,
          (dc_pay *)more_pays_ + row, index_to + row, at, first, end);
}
]=]

local function source_of(v)
  return sort_text.counting(v.wide, "dc_sort_begin") .. sort_text.order(v.dtype, v.descending)
    .. algorithm.fill(text, { KEYS = tostring(v.keys), PAYS = tostring(v.pays), PASSES = v.passes })
end

-- --- calls ------------------------------------------------------------------------------------------------------

local serial = {}

-- Sorts the rows of a job (sort.lua). Returns true, or nil while there is no native code.
function serial.rows(job)
  if buckets.suits(job) then return buckets.rows(job) end
  local device, passes, n = job.device, job.passes, job.rows * job.total
  local v = { dtype = job.dtype, descending = job.descending, wide = n > algorithm.narrow, keys = job.to ~= nil,
    pays = job.index ~= nil, passes = passes }
  local key = ("%s %s %s %s %s %s"):format(v.dtype.name, v.descending, v.wide, v.keys, v.pays, passes)
  local function kernel(what) return algorithm.kernel(device, "dc_sort_" .. what, key, source_of, v) end
  local null = dc.null
  local pieces, length = algorithm.pieces(device, job.total, 4 * device.multiprocessors // job.rows)
  local row, count, begin, move
  if pieces == 1 then
    row = kernel "row"
    if not algorithm.is_native(row, null, null, null, null, null, null, 0) then return end
  else
    count, begin, move = kernel "count", kernel "begin", kernel "move"
    local ready = algorithm.is_native(move, null, null, null, null, null, null, null, 0, 0, 1, 0)
    if not (algorithm.is_native(count, null, null, null, null, 0, 0, 1, 0) and ready) then return end
  end
  local function memory(many, dtype) return many and algorithm.empty(device, n, dtype) or null end
  local key_type, pay_type = "uint" .. 8 * job.dtype.size, v.wide and "uint64" or "uint32"
  local spare = memory(passes > 1, key_type)
  local to = job.to or memory(passes > 2, key_type)
  local pays, more_pays = memory(v.pays and passes > 1, pay_type), memory(v.pays and passes > 2, pay_type)
  local index, counts = job.index or null, nil
  if row then
    row(job.rows, 1, to, spare, job.from, pays, more_pays, index, job.total)
  else
    counts = algorithm.empty(device, job.rows * pieces * 256, v.wide and "int64" or "int32")
    for pass = 0, passes - 1 do
      count(job.rows * pieces, 1, counts, to, spare, job.from, pass, job.total, pieces, length)
      begin(job.rows, 1, counts, 256 * pieces)
      move(job.rows * pieces, 1, counts, to, spare, job.from, pays, more_pays, index, pass, job.total, pieces, length)
    end
  end
  algorithm.free(job.to, to, spare, pays, more_pays, counts)
  return true
end

return serial
