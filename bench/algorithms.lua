-- Scan, sort, select and counting on the current device: 2^27 elements on a GPU, beside what is to be reached there;
-- 2^24 on the CPU device, beside NumPy where python3 has it (one thread, the best of five runs).
-- Arguments: words in the names of the rows that are wanted; all without any.
local dc = require "dotcompute"
local report = require "report"

local gpu = dc.device().simt
local n = 1 << (gpu and 27 or 24)

-- Numbers below 2^32 in no order, the same each time.
local mixed = dc.elementwise("long long k", "unsigned int v", [[
  unsigned int h = (unsigned int)k * 2654435769u;
  h ^= h >> 15;
  h *= 2246822519u;
  v = h ^ h >> 13;]])
local bits = mixed(dc.arange(1, n, "int64"))
local x = (bits:to "float64" / 4294967296.0):to "float32":eval()
local small = (bits:to "int64" >> 24):to "int32":eval()
local half = dc.elementwise("float x", "bool y", "y = x > 0.5f")(x)
local index = dc.argsort(bits):eval()
local function less(p, q) return p < q end
local function add(p, q) return p + q end
local offsets = dc.arange(0, n // 1024, "int64") * 1024 + 1 -- of segments of 1024 elements
bits:close()

-- Name; what is timed; the figure that n elements in a second make, and its unit; what is to be reached on a GPU; the
-- same in NumPy.
local rows = {
  { "cumsum float32", function() return x:cumsum() end, 8e-9, "GB/s", 3300, "np.cumsum(x)" },
  { "cumsum, rows of 1024", function() return x:reshape(-1, 1024):cumsum() end, 8e-9, "GB/s", nil,
    "np.cumsum(x.reshape(-1, 1024), axis=1)" },
  { "cumsum, columns of 1024", function() return x:reshape(1024, -1):cumsum(1) end, 8e-9, "GB/s", nil,
    "np.cumsum(x.reshape(1024, -1), axis=0)" },
  { "sort float32", function() return x:sort() end, 1e-9, "Gkeys/s", 38, "np.sort(x)" },
  { "argsort float32", function() return x:argsort() end, 1e-9, "Gkeys/s", nil, "np.argsort(x, kind='stable')" },
  { "sort, rows of 1024", function() return x:reshape(-1, 1024):sort() end, 1e-9, "Gkeys/s", nil,
    "np.sort(x.reshape(-1, 1024), axis=1)" },
  { "sort, rows of 64", function() return x:reshape(-1, 64):sort() end, 1e-9, "Gkeys/s", nil,
    "np.sort(x.reshape(-1, 64), axis=1)" },
  { "topk 100", function() return (x:topk(100)) end, 4e-9, "GB/s", nil, "np.partition(x, -100)[-100:]" },
  { "select half", function() return x:select(half) end, 4e-9, "GB/s read", 2000, "x[m]" },
  { "bincount 256", function() return small:bincount() end, 4e-9, "GB/s", 3500, "np.bincount(s)" },
  { "histogram 256", function() return (x:histogram(256, { range = { 0, 1 } })) end, 4e-9, "GB/s", 3500,
    "np.histogram(x, 256, (0, 1))" },
  { "take, any order", function() return x:take(index) end, 16e-9, "GB/s", nil, "np.take(x, i)" },
  -- a merge sort of n float32 reads and writes 4 n bytes once for the tiles of 4352 elements and in each pass
  { "sort by less", function() return x:sort { less = less } end,
    8e-9 * (1 + math.ceil(math.log(n / 4352, 2))), "GB/s moved", nil, "np.sort(x, kind='stable')" },
  { "argsort by less", function() return x:argsort { less = less } end, 1e-9, "Gkeys/s", nil,
    "np.argsort(x, kind='stable')" },
  { "sort segments of 1024 by less", function() return x:sort { less = less, offsets = offsets } end, 1e-9, "Gkeys/s",
    nil, "np.sort(x.reshape(-1, 1024), axis=1, kind='stable')" },
  { "reduce by a function", function() return x:reduce(add, 0) end, 4e-9, "GB/s", nil, "np.add.reduce(x)" },
  { "segmented_reduce of 1024", function() return x:segmented_reduce(offsets, add, 0) end, 4e-9, "GB/s", nil,
    "np.add.reduceat(x, np.arange(0, n, 1024))" },
  { "select by a function", function() return x:select(function(v) return v > 0.5 end) end, 4e-9, "GB/s read", nil,
    "x[x > 0.5]" },
  { "unique of 256", function() return (small:unique()) end, 1e-9, "Gkeys/s", nil, "np.unique(s)" },
}

local numpy_script = [[
import sys, time
try: import numpy as np
except ImportError: sys.exit(1)
r = np.random.default_rng(1); n = %d
x = r.random(n, dtype=np.float32); s = r.integers(0, 256, n).astype(np.int32); m = x > 0.5; i = r.permutation(n)
def best(f):
  t = []
  for _ in range(5):
    b = time.perf_counter(); f(); t.append(time.perf_counter() - b)
  return min(t)
]]

-- Seconds of each row in NumPy, or nothing.
local function numpy(wanted)
  local lines = { numpy_script:format(n) }
  for _, row in ipairs(wanted) do lines[#lines + 1] = ("print(best(lambda: %s))"):format(row[6]) end
  local times = {}
  for _, line in ipairs((report.python(table.concat(lines, "\n")))) do times[#times + 1] = tonumber(line) end
  return times
end

local wanted, cells = {}, {}
for _, row in ipairs(rows) do
  local chosen = #arg == 0
  for _, word in ipairs(arg) do chosen = chosen or row[1]:find(word, 1, true) ~= nil end
  if chosen then wanted[#wanted + 1] = row end
end
local theirs = gpu and {} or numpy(wanted)
for k, row in ipairs(wanted) do
  local seconds = dc.time(function()
    local result <close> = row[2]() -- luacheck: ignore 211
  end, gpu and 20 or 7)
  local figure = n * row[3] / seconds
  cells[k] = { row[1], ("%.2f"):format(seconds * 1e3), ("%.1f %s"):format(figure, row[4]),
    gpu and row[5] and ("%s %g"):format(figure >= row[5] and "met" or "MISSED", row[5]) or "-",
    theirs[k] and ("%.1f"):format(theirs[k] * 1e3) or "-", theirs[k] and ("%.2f"):format(seconds / theirs[k]) or "-" }
end
report.print(("Algorithms on %s, %d elements, medians"):format(dc.device().name, n),
  { "what", "ours, ms", "that is", "to reach", "NumPy, ms", "ours/NumPy" }, cells)
