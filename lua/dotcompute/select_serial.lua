-- Selection by native code of the CPU device, whose threads are few and fast: each thread counts the selected elements
-- of a chunk, a prefix sum gives their positions, and each thread moves the elements of its chunk without branches. A
-- thread is a block. A single chunk is moved by one kernel, which counts. (2^23 float32 of which half are selected, on
-- two processors: 6 ms, by the GPU's kernel 45 ms.)
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

-- --- the text ---------------------------------------------------------------------------------------------------

-- The lowest bits of eight bools in a word are summed by one multiplication.
local text = [=[
static __device__ __forceinline__ bool dc_passes(unsigned char b) { return b != 0; }
static __device__ __forceinline__ int dc_passing(unsigned long long w) {
  w |= w >> 4;
  w |= w >> 2;
  w |= w >> 1;
  return (int)((w & 0x0101010101010101ull) * 0x0101010101010101ull >> 56);
}

__global__ void dc_select_count(long long *counts, const void *mask_, const long long n, const long long length) {
  const unsigned char *const mask = (const unsigned char *)mask_;
  long long i = blockIdx.x * length, sum = 0;
  const long long end = n - i < length ? n : i + length;
  for (; i < end && (unsigned long long)(mask + i) % 8; i++) sum += dc_passes(mask[i]);
  for (; i + 8 <= end; i += 8) sum += dc_passing(*(const unsigned long long *)(mask + i));
  for (; i < end; i++) sum += dc_passes(mask[i]);
  counts[blockIdx.x] = sum;
}

// The number of selected elements before each chunk, and of all.
__global__ void dc_select_begin(long long *counts, const int pieces) {
  long long sum = 0;
  for (int i = 0; i < pieces; i++) {
    const long long count = counts[i];
    counts[i] = sum;
    sum += count;
  }
  counts[pieces] = sum;
}

// Each element is written; if it is not selected, the next one overwrites it.
__global__ void dc_select_move(void *out_, const void *x_, const void *mask_, const long long *counts,
                               const long long length) {
  const unsigned char *const mask = (const unsigned char *)mask_;
  VALUE *const out = (VALUE *)out_;
  const VALUE *const x = (const VALUE *)x_;
  const long long end = counts[blockIdx.x + 1];
  long long at = counts[blockIdx.x];
  for (long long i = blockIdx.x * length; at < end; i++) {
    out[at] = ELEMENT;
    at += dc_passes(mask[i]);
  }
}

// The same for a single chunk, whose number of selected elements is not known before.
__global__ void dc_select_few(void *out_, const void *x_, const void *mask_, long long *count, const long long n) {
  const unsigned char *const mask = (const unsigned char *)mask_;
  VALUE *const out = (VALUE *)out_;
  const VALUE *const x = (const VALUE *)x_;
  long long at = 0;
  for (long long i = 0; i < n; i++) {
    out[at] = ELEMENT;
    at += dc_passes(mask[i]);
  }
  *count = at;
}
]=]

local function source_of(value)
  return algorithm.opaque_text
    .. algorithm.fill(text, { VALUE = value or "long long", ELEMENT = value and "x[i]" or "i + 1" })
end

-- --- calls ------------------------------------------------------------------------------------------------------

local serial = {}

-- Writes the elements of x where `mask` is true, or without x their indices from 1, to `out`. Returns their number, or
-- nil while there is no native code. All arrays are contiguous.
function serial.run(out, x, mask, n)
  local device, size = mask.device, x and algorithm.dtype(x).size
  local value = x and algorithm.opaque[size]
  local function kernel(what)
    return algorithm.kernel(device, "dc_select_" .. what, tostring(value), source_of, value)
  end
  local pieces, length = algorithm.pieces(device, n)
  if pieces == 1 then
    local few, found = kernel "few", algorithm.empty(device, 1, "int64")
    if not algorithm.is_native(few, dc.null, dc.null, dc.null, found, 0) then return algorithm.free(nil, found) end
    few(1, 1, out, x or dc.null, mask, found, n)
    local number = found[1]
    found:close()
    return number
  end
  local count, begin, move = kernel "count", kernel "begin", kernel "move"
  local counts = algorithm.zeros(device, pieces + 1, "int64")
  local ready = algorithm.is_native(move, dc.null, dc.null, dc.null, counts, 0)
  if not (algorithm.is_native(count, counts, dc.null, 0, 0) and ready) then return algorithm.free(nil, counts) end
  count(pieces, 1, counts, mask, n, length)
  begin(1, 1, counts, pieces)
  move(pieces, 1, out, x or dc.null, mask, counts, length)
  local found = counts[pieces + 1]
  algorithm.free(nil, counts)
  return found
end

return serial
