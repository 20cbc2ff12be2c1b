-- Sums by index on the CPU device, whose threads are few and fast: each thread adds the values of a chunk to sums of
-- its own, one after another, and the sums of all chunks are added to the array. A thread is a block. The chunks depend
-- on the extents alone, so results do not depend on the number of threads; and since another order of sums would show,
-- these kernels run also while they are still interpreted. (A million float64 at as many places, one thread: 7 ms, at a
-- hundred places 1.6; sorted by index 62 and 31 ms.)
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

local CHUNK, MOST_CHUNKS = 16384, 64 -- values of a chunk at least
local FEW = 4096 -- sums that cost nothing

-- --- the text ---------------------------------------------------------------------------------------------------

-- The caller defines dc_number, the type of indices, and dc_place(v, extent), the position of an index from 0, or -1.
-- DC_ADD(p, v) adds an element to a sum, DC_RESULT(p, v) is the element `v` plus the sum. Sums begin with -0.0, which
-- leaves -0.0 as it is.
local text = [=[
#define DC_WIDTH WIDTH
// The first index that is out of range, from 0, is stored in *bad.
__global__ void dc_scatter_chunks(void *sums, const void *values_, const dc_number *at, const long long count,
                                  const long long length, const long long width, const long long extent,
                                  unsigned long long *bad) {
  dc_sum *const mine = (dc_sum *)sums + (long long)blockIdx.x * extent * DC_WIDTH;
  const dc_element *const values = (const dc_element *)values_;
  long long i = blockIdx.x * length;
  const long long end = count - i < length ? count : i + length;
  for (; i < end; i++) {
    const long long to = dc_place(at[i], extent);
    if (to < 0) {
      atomicMin(bad, (unsigned long long)i);
      return;
    }
    for (long long k = 0; k < DC_WIDTH; k++) DC_ADD(mine[to * DC_WIDTH + k], values[i * DC_WIDTH + k]);
  }
}
__global__ void dc_scatter_sums(void *a_, const void *sums_, const long long total, const int chunks) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  dc_element *const a = (dc_element *)a_;
  const dc_sum *const sums = (const dc_sum *)sums_;
  dc_sum sum = sums[i];
  for (int c = 1; c < chunks; c++) DC_ADD(sum, sums[c * total + i]);
  a[i] = DC_RESULT(sum, a[i]);
}
]=]

local complex_text = [[
struct dc_sum { double x, y; };
struct dc_element {
  REAL x, y;
};
static __device__ __forceinline__ void dc_add(double &sum, double v) { sum += v; }
#define DC_ADD(sum, v) (dc_add((sum).x, (double)(v).x), dc_add((sum).y, (double)(v).y))
#define DC_RESULT(sum, v) dc_element{(REAL)((double)(v).x + (sum).x), (REAL)((double)(v).y + (sum).y)}
]]

local real_text = [[
typedef SUM dc_sum;
typedef ELEMENT dc_element;
#define DC_ADD(sum, v) ((sum) += (SUM)(v))
#define DC_RESULT(sum, v) (ELEMENT)((SUM)(v) + (sum))
]]

-- Sums of floats of all sizes are float64: those of 16 and 32 bits are rounded once.
local function source_of(dtype, index, place, narrow)
  local types = dtype.kind == "c" and algorithm.fill(complex_text, { REAL = dtype.size == 8 and "float" or "double" })
    or algorithm.fill(real_text, { ELEMENT = dtype.ctype, SUM = dtype.kind == "f" and "double" or "long long" })
  return algorithm.include(dtype) .. types .. place.text(index)
    .. algorithm.fill(text, { WIDTH = narrow and "1" or "width" })
end

-- --- calls ------------------------------------------------------------------------------------------------------

local serial = {}

-- Whether `count` rows of `width` values are added to so few sums that these may be as many as the array's elements.
function serial.suits(device, extent, count, width)
  return not algorithm.is_gpu(device) and extent * width <= 4 * count * width + FEW
end

-- The number of chunks. Each has sums of its own, which are set to zero and added to the array's: that takes as long as
-- some values, so there are at most half as many chunks as values for each sum, but up to 4 for few processors.
local function chunks_for(count, extent, width)
  local sums = math.max(extent, 1)
  local wanted = math.min(2 * count // sums, math.max(4, count // sums // 2))
  return math.max(1, math.min(MOST_CHUNKS, count * width // CHUNK, wanted, count))
end

-- Adds rows of `width` values to the rows of `a` at these indices. `place`: a name and the function `text`, which gives
-- the text of dc_place for the indices' dtype.
-- Returns nil, or the number of the first index that is out of range, from 0; then nothing has been added. All arrays
-- are contiguous.
function serial.add(a, at, values, width, place)
  local device, dtype, extent, count = a.device, algorithm.dtype(a), #a, at.size
  local narrow, total = width == 1, extent * width
  local chunks = chunks_for(count, extent, width)
  local length = (count + chunks - 1) // chunks
  local index = algorithm.dtype(at)
  local key = ("%s %s %s %s"):format(dtype.name, index.name, place.name, narrow)
  local function kernel(what)
    return algorithm.kernel(device, "dc_scatter_" .. what, key, source_of, dtype, index, place, narrow)
  end
  local sums
  if dtype.kind == "i" or dtype.kind == "u" then
    sums = algorithm.zeros(device, chunks * total, "int64")
  else
    local parts = dtype.kind == "c" and 2 or 1
    sums = algorithm.on(device, dc.full, chunks * total * parts, -0.0, "float64"):eval()
  end
  local bad = algorithm.on(device, dc.full, 1, math.maxinteger, "uint64")
  kernel "chunks"(chunks, 1, sums, values, at, count, length, width, extent, bad)
  local first = bad[1]
  if first == math.maxinteger then
    first = nil
    kernel "sums"((total + 255) // 256, 256, a, sums, total, chunks)
  end
  algorithm.free(nil, sums, bad)
  return first
end

return serial
