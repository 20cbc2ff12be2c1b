-- Merge sort by native code of the CPU device, whose threads are few and fast. A thread, which is a block, sorts a
-- chunk: runs of RUN elements by insertion, then from the bottom up by merging. Then pairs of chunks are merged, each
-- by many threads, whose parts are found by binary search as on a GPU (merge_text.lua).
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local merge_text = require "dotcompute.merge_text"
local operators = require "dotcompute.operators"
core.builtin(debug.getinfo(1, "S").source)

-- --- the text ---------------------------------------------------------------------------------------------------

local common = [=[
enum { RUN = 16 };
struct dc_data { dc_key *keys; dc_pay *pays; };
static __device__ __forceinline__ void dc_copy(const dc_data &to, dc_index at, const dc_data &from, dc_index first,
                                               const dc_index end) {
  for (; first < end; first++, at++) {
    to.keys[at] = from.keys[first];
    if (PAYS) to.pays[at] = from.pays[first];
  }
}
// Merges the runs [a, a_end) and [b, b_end) to `at`.
static __device__ __forceinline__ void dc_merge(const dc_data &to, dc_index at, const dc_data &from, dc_index a,
                                                const dc_index a_end, dc_index b, const dc_index b_end) {
  while (a < a_end && b < b_end) {
    const bool left = !dc_less(from.keys[b], from.keys[a]);
    const dc_index place = left ? a : b;
    to.keys[at] = from.keys[place];
    if (PAYS) to.pays[at] = from.pays[place];
    at++;
    a += left;
    b += !left;
  }
  dc_copy(to, at, from, a, a_end);
  dc_copy(to, at + a_end - a, from, b, b_end);
}
]=]

local kernels = {}

kernels.chunks = [=[
// The elements of one segment, or of the part of it that is in the chunk, sorted into `to`.
static __device__ __forceinline__ void dc_sort_part(const dc_data &to, const dc_data &spare, const dc_data &from,
                                                    const dc_index first, const dc_index end, const long long count) {
  bool swapped = false; // whether the runs begin in `spare`, so that they end in `to`
  for (dc_index width = RUN; width < end - first; width *= 2) swapped = !swapped;
  dc_data x = swapped ? spare : to, y = swapped ? to : spare;
  for (dc_index start = first; start < end; start += RUN) {
    const dc_index stop = end - start < RUN ? end : start + RUN;
    for (dc_index i = start; i < stop; i++) {
      const dc_key key = from.keys[i];
      dc_index at = i;
      for (; at > start && dc_less(key, x.keys[at - 1]); at--) {
        x.keys[at] = x.keys[at - 1];
        if (PAYS) x.pays[at] = x.pays[at - 1];
      }
      x.keys[at] = key;
      if (PAYS) x.pays[at] = PAYLOAD;
    }
  }
  for (dc_index width = RUN; width < end - first; width *= 2) {
    for (dc_index low = first; low < end; low += 2 * width) {
      const dc_index middle = end - low < width ? end : low + width;
      dc_merge(y, low, x, low, middle, middle, end - middle < width ? end : middle + width);
    }
    const dc_data other = x;
    x = y;
    y = other;
  }
}

__global__ void dc_merge_chunks(void *to, void *spare, const void *from, void *pay_to, void *pay_spare,
    const void *pay_from, const long long *offsets, const long long count, const dc_index total,
    const dc_index length) {
  const dc_index begin = (dc_index)blockIdx.x * length;
  if (begin >= total) return;
  const dc_index end = total - begin < length ? total : begin + length;
  const dc_data result = {(dc_key *)to, (dc_pay *)pay_to}, other = {(dc_key *)spare, (dc_pay *)pay_spare};
  const dc_data input = {(dc_key *)from, (dc_pay *)pay_from};
  if (!SEGMENTS) {
    dc_sort_part(result, other, input, begin, end, count);
    return;
  }
  for (dc_index i = begin; i < end;) {
    dc_index first, stop;
    dc_segment(offsets, count, i, first, stop);
    stop = stop < end ? stop : end;
    dc_sort_part(result, other, input, i, stop, count);
    i = stop;
  }
}
]=]

kernels.pieces = [=[
// Merges the runs of `half` elements; a block writes `length` elements.
__global__ void dc_merge_pieces(void *to, const void *from, void *pay_to, const void *pay_from,
    const long long *offsets, const long long count, const dc_index total, const dc_index half,
    const dc_index length) {
  const dc_index begin = (dc_index)blockIdx.x * length;
  if (begin >= total) return;
  const dc_index end = total - begin < length ? total : begin + length;
  const dc_data x = {(dc_key *)from, (dc_pay *)pay_from}, y = {(dc_key *)to, (dc_pay *)pay_to};
  const dc_runs r = dc_runs_at(begin / (2 * half) * (2 * half), half, total, offsets, count);
  const dc_index ahead = dc_clamp(begin - r.first, 0, r.end - r.first);
  const dc_index done = dc_clamp(end - r.first, 0, r.end - r.first);
  const dc_key *const keys = x.keys;
  const dc_index na = r.middle - r.first, nb = r.end - r.middle;
  const dc_index a = r.first + dc_path(keys + r.first, na, keys + r.middle, nb, ahead);
  const dc_index a_end = r.first + dc_path(keys + r.first, na, keys + r.middle, nb, done);
  const dc_index merged = dc_clamp(r.first + ahead, begin, end), behind = merged + (done - ahead);
  dc_copy(y, begin, x, begin, merged);
  dc_merge(y, merged, x, a, a_end, r.middle + ahead - (a - r.first), r.middle + done - (a_end - r.first));
  dc_copy(y, behind, x, behind, end);
}
]=]

-- Payloads that are numbers count from 1 from the beginning: there is no last pass that converts them.
local function source(what, v)
  local numbered = v.segments == "rows" and "(dc_pay)(i % count + 1)" or "(dc_pay)(i + 1)"
  return v.definitions .. algorithm.fill(merge_text.path .. common .. kernels[what], { PAYS = tostring(v.pays),
    SEGMENTS = tostring(v.segments ~= false), PAYLOAD = v.numbered and numbered or "from.pays[i]" })
end

-- --- calls ------------------------------------------------------------------------------------------------------

local serial = {}

-- Sorts by a job of merge_sort.lua, which has the fields of its variants. Returns true, or nil while there is no native
-- code. `job.define(segments, pay)` gives the definitions.
function serial.run(job)
  local device, n, null = job.device, job.size, dc.null
  local pieces, length = algorithm.pieces(device, n)
  local segments, count = job.offsets and "offsets" or false, job.offsets and #job.offsets or 0
  if job.rows > 1 then
    segments, count = "rows", job.total
    if job.total <= length then length = (length + job.total - 1) // job.total * job.total end -- whole rows
  end
  local v = { segments = segments, pays = job.index ~= nil or job.pays ~= nil, numbered = job.index ~= nil,
    definitions = job.define(segments, job.index and "long long") }
  local key = ("%s serial %s %s %s"):format(job.name, segments, v.pays, v.numbered)
  local function kernel(what)
    return operators.kernel(device, "dc_merge_" .. what, key, v.definitions, source, what, v)
  end
  local alone = segments == "rows" and length % count == 0
  local offsets = job.offsets or null
  local chunks, merge = kernel "chunks", nil
  local ready = algorithm.is_native(chunks, null, null, null, null, null, null, null, 0, 0, 0)
  if pieces > 1 and not alone then
    merge = kernel "pieces"
    ready = algorithm.is_native(merge, null, null, null, null, null, 0, 0, 0, 0) and ready
  end
  if not ready then return end
  local halves = {}
  if merge then
    local half = length
    while half < n do
      halves[#halves + 1] = half
      half = 2 * half
    end
  end
  local function like(a) return a and algorithm.empty(device, { a:shape() }, a.dtype) or null end
  local to, pay_to = job.to or like(job.from), job.index or job.pay_to or null
  local spare, pay_spare = like(job.from), like(job.index or job.pays)
  local keys, pays = { to, spare }, { pay_to, pay_spare }
  local at = 1 + #halves % 2 -- the last pass ends in the first buffers
  chunks((n + length - 1) // length, 1, keys[at], keys[3 - at], job.from, pays[at], pays[3 - at], job.pays or null,
    offsets, count, n, length)
  for _, half in ipairs(halves) do
    merge(pieces, 1, keys[3 - at], keys[at], pays[3 - at], pays[at], offsets, count, n, half, length)
    at = 3 - at
  end
  algorithm.free(job.to, to, spare)
  algorithm.free(pay_to, pay_spare)
  return true
end

return serial
