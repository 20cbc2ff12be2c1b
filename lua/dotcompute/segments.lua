-- Segments of a 1-d array: the elements offsets[k] to offsets[k + 1] - 1 are segment k. Offsets begin with 1, never
-- descend, and end with the number of elements plus 1; segments may be empty.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local segments = {}

-- state: number of the first offset that is below the one before it, from 1, or the largest number; the greatest
-- length; the first and the last offset; the least length.
local check_text = [[
__global__ void dc_check_offsets(const long long *offsets, long long count, unsigned long long *state) {
  const long long step = (long long)gridDim.x * blockDim.x;
  long long longest = 0, shortest = 0x7fffffffffffffffll;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count - 1; i += step) {
    const long long first = offsets[i], end = offsets[i + 1];
    if (end < first) atomicMin(&state[0], (unsigned long long)(i + 2));
    else if (first > 0) {
      longest = end - first > longest ? end - first : longest;
      shortest = end - first < shortest ? end - first : shortest;
    }
  }
  atomicMin(&state[4], (unsigned long long)shortest);
  if (longest > 0) atomicMax(&state[1], (unsigned long long)longest);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    state[2] = (unsigned long long)offsets[0];
    state[3] = (unsigned long long)offsets[count - 1];
  }
}
]]

-- The offsets, a contiguous int64 array, the number of segments, the lengths of the longest and the shortest. Raises
-- where the offsets do not divide n elements.
function segments.check(fname, given, n, device)
  local offsets = algorithm.integers(fname, "offsets", given, device)
  if offsets.ndim ~= 1 or #offsets < 1 then
    fail("shape", "%s: the offsets are a 1-d array, one more than there are segments", fname)
  end
  offsets = algorithm.flat(offsets:to "int64")
  local count = #offsets
  local state = algorithm.on(device, dc.array, { math.maxinteger, 0, 0, 0, math.maxinteger }, "uint64")
  algorithm.kernel(device, "dc_check_offsets", "", function() return check_text end)(
    math.min(1024, (count + 255) // 256), 256, offsets, count, state)
  local found = state:to_table()
  state:close()
  local first_bad, longest, first, last, shortest = table.unpack(found)
  if first ~= 1 then fail("argument", "%s: the first offset is 1, got %d", fname, first) end
  if first_bad ~= math.maxinteger then
    fail("argument", "%s: offsets never descend, but offset %d is %d after %d", fname, first_bad, offsets[first_bad],
      offsets[first_bad - 1])
  end
  if last ~= n + 1 then
    fail("argument", "%s: the last offset is the number of elements plus 1, %d, got %d", fname, n + 1, last)
  end
  return offsets, count - 1, longest, shortest
end

return segments
