-- Selecting on a device whose threads are few and quick (the CPU device's, with native code): each thread counts what
-- passes in a piece of its own, learns what passes before it, and moves its piece element by element without a branch.
-- A thread is a block.  (2^23 float32 of which half pass, on two processors: 6 ms, by what GPUs run 45 ms.)
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
core.own(debug.getinfo(1, "S").source)

-- --- the text ---------------------------------------------------------------------------------------------------

-- Of eight bools in a word the lowest bits are added up by one product.
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

// What passes before each piece, and in all.
__global__ void dc_select_begin(long long *counts, const int pieces) {
  long long sum = 0;
  for (int i = 0; i < pieces; i++) {
    const long long count = counts[i];
    counts[i] = sum;
    sum += count;
  }
  counts[pieces] = sum;
}

// An element is written before it is known to pass: the next one then takes its place.
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
]=]

local function source_of(value)
  return algorithm.opaque_text
    .. algorithm.fill(text, { VALUE = value or "long long", ELEMENT = value and "x[i]" or "i + 1" })
end

-- --- calls ------------------------------------------------------------------------------------------------------

local serial = {}

-- Writes to `out` the elements of x, or without x their numbers from 1 on, where `mask` is true, and says how many;
-- nothing, where there is no native code yet. All are in C order.
function serial.run(out, x, mask, n)
  local device, size = mask.device, x and algorithm.dtype(x).size
  local value = x and algorithm.opaque[size]
  local function kernel(what)
    return algorithm.kernel(device, "dc_select_" .. what, tostring(value), source_of, value)
  end
  local count, begin, move = kernel "count", kernel "begin", kernel "move"
  local pieces, length = algorithm.pieces(device, n)
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
