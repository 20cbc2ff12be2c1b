-- take and scatter_add: gather and scatter by indices, which count from 1, and from the end when negative.
--
-- The indices are checked before anything is computed (array/index_bounds.c). take is indexing by an array.
--
-- scatter_add adds in a fixed order where rounding depends on it. On the CPU device threads add chunks of the values to
-- sums of their own (scatter_serial.lua). On a GPU, and where there are many more elements than values, the indices are
-- sorted stably, the values of each index are summed as a tree by a segmented scan, and each sum is added once; of few
-- values a GPU compares all indices with each other, and adds in the values' order; to few elements it adds in shared
-- memory (scatter_bins.lua).
-- Integers of 32 and 64 bits are added atomically, with the same result in any order.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local scan_text = require "dotcompute.scan_text"
local lookback = require "dotcompute.lookback_text"
local bins = require "dotcompute.scatter_bins"
local serial = require "dotcompute.scatter_serial"
local sort = require "dotcompute.sort"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local FEW = core.host_few -- values that the host adds (array/host/index.c)
local WIDE = 32 -- elements of a row from which its columns are added in parallel
local MOST_FEW, MOST_COMPARED = 2048, 1 << 22 -- values, and comparisons of their indices, which take less than sorting

-- --- indices ----------------------------------------------------------------------------------------------------

-- The text of dc_place(v, n): the position, from 0, of index v among n elements, or -1.
local function place_text(index)
  local negative = index.kind == "i" and " if (v < 0 && (long long)v >= -n) return n + (long long)v;" or ""
  return ("typedef %s dc_number;\nstatic __device__ __forceinline__ long long dc_place(dc_number v, long long n) {%s\n"
    .. "  return v >= 1 && (unsigned long long)v <= (unsigned long long)n ? (long long)v - 1 : -1;\n}\n")
    :format(index.ctype, negative)
end

-- The same for positions themselves, which are in range.
local function whole_text(index)
  return ("typedef %s dc_number;\n"):format(index.ctype)
    .. "static __device__ __forceinline__ long long dc_place(dc_number v, long long) { return (long long)v; }\n"
end

local by_index, by_position = { name = "index", text = place_text }, { name = "position", text = whole_text }

-- Raises for index number `at`, counted from 0, which is not in 1..n or -n..-1.
local function fail_range(index, at, n)
  local v = index:reshape(-1)[at + 1]
  fail("index", "scatter_add: index %s (number %d of %d) is out of range: there are %d elements%s",
    algorithm.shown(v, index.dtype), at + 1, index.size, n, v == 0 and ", counted from 1" or "")
end

-- Raises for the first index that is out of range.
local function check(index, n)
  local at = index.size > 0 and core.index_outside(index, n)
  if at then fail_range(index, at - 1, n) end
end

-- --- take -------------------------------------------------------------------------------------------------------

local signature = { "a", "indices", "axis", required = 2, list = "axis", known = { axis = "any" },
  usage = { "an array", "indices", "perhaps an axis" } }

-- Whether a call's arguments are elements of an array of 1 axis and indices, as mostly, which need no more checks.
local function is_usual(a, index, ...)
  if select("#", ...) > 0 or not (core.is_array(a) and core.is_array(index)) then return false end
  local kind = algorithm.dtype(index).kind
  return a.ndim == 1 and (kind == "i" or kind == "u") and a.device == index.device
end

local function take(...)
  if is_usual(...) then
    local a, index = ...
    return a[index]:eval()
  end
  local o = arguments.read("take", signature, ...)
  local a, axis = algorithm.array("take", "the first argument", o.a), o.axis
  local index = algorithm.integers("take", "indices", o.indices, a.device)
  if axis == nil then a, axis = algorithm.flat(a):reshape(-1), 1 else axis = algorithm.axis("take", axis, a.ndim) end
  local at = { index }
  for _ = 2, axis do table.insert(at, 1, ":") end
  return a[at]:eval()
end

-- --- scatter_add ------------------------------------------------------------------------------------------------

local function atomic_source(index, dtype)
  local word = dtype.kind == "f" and dtype.ctype or dtype.size == 8 and "unsigned long long" or "unsigned int"
  return place_text(index) .. ([[
__global__ void dc_scatter_atomic(void *a, const void *values, const dc_number *at, long long total, long long width,
                                  long long extent) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  atomicAdd((WORD *)a + dc_place(at[i / width], extent) * width + i %% width, ((const WORD *)values)[i]);
}
]]):gsub("WORD", word):gsub("%%%%", "%%")
end

-- The C type in which sums of a dtype are accumulated: float32 for 16-bit floats.
local function acc_of(dtype)
  return dtype.kind == "f" and dtype.size == 2 and "float" or dtype.ctype
end

-- The size of dc_acc, a sum and the flag of a segment's head, in C's layout.
local function pair_size(dtype)
  local sum = acc_of(dtype) == "float" and 4 or dtype.size
  return sum < 4 and 8 or sum + math.max(4, dtype.kind == "c" and sum // 2 or sum)
end

-- A segmented scan of one column: sums the values of equal positions, which ascend, and adds each sum to a at the
-- segment's last element. `order` has the indices, from 1, of the values.
local function segments_source(dtype, place_type, wide)
  local complex = dtype.kind == "c"
  local real = complex and (dtype.size == 8 and "float" or "double") or acc_of(dtype)
  local value = complex and ("struct dc_sum { %s re, im; };\n"):format(real)
    or ("typedef %s dc_sum;\n"):format(acc_of(dtype))
  local element = complex and "dc_sum" or dtype.ctype
  local types = table.concat { algorithm.include(dtype), ("typedef %s dc_index;\n"):format(wide and "long long"
    or "int"), value, "static __device__ __forceinline__ dc_sum dc_add(const dc_sum &a, const dc_sum &b) {\n",
    complex and "  return dc_sum{a.re + b.re, a.im + b.im};\n" or "  return (dc_sum)(a + b);\n", [[
}
struct dc_acc { dc_sum v; int head; };
static __device__ __forceinline__ dc_acc dc_fold(const dc_acc &a, const dc_acc &b) {
  return dc_acc{b.head ? b.v : dc_add(a.v, b.v), a.head | b.head};
}
]] }
  local params = ("void *a_, const void *values_, const %s *places, const long long *order, "
    .. "const long long width, const long long column"):format(place_type)
  local function place(i) return ("(long long)places[%s]"):format(i) end
  return scan_text.custom { name = "dc_scatter_segments", acc_size = pair_size(dtype), types = types, params = params,
    element = ("(dc_acc{(dc_sum)((const %s *)values_)[(order[dc_i] - 1) * width + column], "
      .. "dc_i == 0 || %s != %s})"):format(element, place "dc_i", place "(dc_i - 1)"),
    write = ([[
{
            const long long to = PLACE0;
            if (dc_i == dc_total - 1 || PLACE1 != to) {
              ELEMENT *const p = (ELEMENT *)a_ + to * width + column;
              *p = (ELEMENT)dc_add((dc_sum)*p, dc_value.v);
            }
          }]]):gsub("PLACE0", place "dc_i"):gsub("PLACE1", place "(dc_i + 1)"):gsub("ELEMENT", element) }
end

-- Wide rows: a thread for each column of each distinct position sums in the order of the indices.
local function columns_source(dtype, place_type)
  return algorithm.include(dtype) .. ([[
__global__ void __launch_bounds__(256) dc_scatter_columns(void *a_, const void *values_, const PLACE *places,
    const long long *order, const long long total, const long long count, const long long width) {
  const long long i = (long long)blockIdx.x * 256 + threadIdx.x, column = i % width;
  if (i >= total) return;
  long long at = i / width;
  const long long to = places[at];
  if (at > 0 && places[at - 1] == places[at]) return;
  ELEMENT *const p = (ELEMENT *)a_ + to * width + column;
  ACC sum = (ACC)*p;
  for (; at < count && (long long)places[at] == to; at++)
    sum = (ACC)(sum + (ACC)((const ELEMENT *)values_)[(order[at] - 1) * width + column]);
  *p = (ELEMENT)sum;
}
]]):gsub("ELEMENT", dtype.ctype):gsub("ACC", acc_of(dtype)):gsub("PLACE", place_type)
end

-- Few values: a thread for each column of each value, which sums its index's values in their order unless another one
-- before has that index. Sums of floats are float64 and begin with -0.0; they are rounded once, as on the CPU device
-- (array/host/index.c).
local function few_source(dtype, place)
  return algorithm.include(dtype) .. place .. ([[
__global__ void __launch_bounds__(128) dc_scatter_few(void *a_, const void *values_, const dc_number *at,
    const int count, const int width, const long long extent) {
  __shared__ int places[MOST];
  for (int i = threadIdx.x; i < (count + 7) / 8 * 8; i += 128)
    places[i] = i < count ? (int)dc_place(at[i], extent) : -1;
  __syncthreads();
  const int e = blockIdx.x * 128 + threadIdx.x, i = e / width, column = e % width;
  if (i >= count) return;
  const int to = places[i];
  bool before = false;
  #pragma unroll 8
  for (int j = 0; j < i; j++) before |= places[j] == to;
  if (before) return;
  ELEMENT *const p = (ELEMENT *)a_ + (long long)to * width + column;
  ACC sum = FIRST;
  for (int j = i / 8 * 8; j < count; j += 8) {
    unsigned same = 0;
    #pragma unroll
    for (int k = 0; k < 8; k++) same |= (unsigned)(places[j + k] == to) << k;
    for (; same != 0; same &= same - 1)
      sum = (ACC)(sum + (ACC)((const ELEMENT *)values_)[(j + __ffs(same) - 1) * width + column]);
  }
  *p = (ELEMENT)((ACC)*p + sum);
}
]]):gsub("ELEMENT", dtype.ctype):gsub("ACC", dtype.kind == "f" and "double" or dtype.ctype):gsub("MOST", MOST_FEW)
    :gsub("FIRST", dtype.kind == "f" and "-0.0" or "0")
end

-- Complex numbers as pairs of real ones: their width and dtype.
local function as_real(width, dtype)
  if dtype.kind ~= "c" then return width, dtype end
  return width * 2, algorithm.dtype(dtype.size == 8 and "float32" or "float64")
end

-- Whether it has added the values of the indices `at`, which are in range.
local function add_few(a, at, values, width, place)
  local count, dtype = at.size, algorithm.dtype(a)
  if not algorithm.is_gpu(a.device) or #a >= 1 << 31 then return false end
  if count > MOST_FEW or count * count * width > MOST_COMPARED then return false end
  local numbers = algorithm.dtype(at)
  width, dtype = as_real(width, dtype)
  algorithm.kernel(a.device, "dc_scatter_few", ("%s %s %s"):format(dtype.name, numbers.name, place.name), function()
    return few_source(dtype, place.text(numbers))
  end)((count * width + 127) // 128, 128, a, values, at, count, width, #a)
  return true
end

local function places_source(index, place_type)
  return place_text(index) .. ([[
__global__ void dc_scatter_places(PLACE *to, const dc_number *at, long long count, long long extent) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = (PLACE)dc_place(at[i], extent);
}
]]):gsub("PLACE", place_type)
end

-- The number of bytes of positions among n elements, and the smallest unsigned dtype of that size.
local function place_dtype(n)
  local bytes = 1
  while bytes < 8 and n > 1 << 8 * bytes do bytes = bytes + 1 end
  local size = bytes < 3 and bytes or bytes < 5 and 4 or 8
  return bytes, algorithm.dtype("uint" .. 8 * size)
end

-- Adds rows of `width` values to the rows of a at the positions `unsorted`, unsigned integers from 0 of which only the
-- low `bytes` bytes are nonzero. All arrays are contiguous.
local function by_segments(a, unsorted, bytes, values, width)
  local device, count, dtype = a.device, unsorted.size, algorithm.dtype(a)
  local places <close>, sorted = sort.rows(unsorted, count, false, true, true, bytes)
  local order <close> = sorted
  local place_type = algorithm.dtype(unsorted).ctype
  if width >= WIDE then
    width, dtype = as_real(width, dtype)
    local total = count * width
    return algorithm.kernel(device, "dc_scatter_columns", dtype.name .. place_type, columns_source, dtype, place_type)(
      (total + 255) // 256, 256, a, values, places, order, total, count, width)
  end
  local wide = count > algorithm.narrow
  local kernel = algorithm.kernel(device, "dc_scatter_segments", ("%s %s %s"):format(dtype.name, place_type, wide),
    segments_source, dtype, place_type, wide)
  local size = pair_size(dtype)
  local tile = scan_text.tile_for(size)
  local pieces = (count + tile - 1) // tile
  for column = 0, width - 1 do
    local state = pieces > 1 and algorithm.zeros(device, lookback.words(pieces, size), "uint64") or dc.null
    kernel(pieces, scan_text.BLOCK, a, values, places, order, width, column, state, count, pieces)
  end
end

local known_options = { deterministic = "boolean" }

-- Whether the device adds numbers of the dtype atomically: integers, and floats where their order is free.
local function is_atomic(device, dtype, is_ordered)
  if dtype.size < 4 then return false end
  return dtype.kind == "i" or dtype.kind == "u" or not is_ordered and algorithm.is_gpu(device)
end

local function scatter_add(...)
  local a, index, values, options = ...
  local n = select("#", ...)
  if n < 3 or n > 4 then
    arguments.fail_count("scatter_add", { "an array", "indices", "values", "perhaps options" }, a, n)
  end
  options = arguments.check("scatter_add", options, known_options)
  if not core.is_array(a) then fail("argument", "scatter_add: an array expected, got %s", core.describe(a)) end
  if a.ndim == 0 then fail("shape", "scatter_add: an array without axes has no elements to name") end
  local dtype = algorithm.dtype(a)
  if dtype.kind == "b" then fail("dtype", "scatter_add: arrays of bool cannot be added to") end
  index = algorithm.integers("scatter_add", "indices", index, a.device)
  values = algorithm.array("scatter_add", "the third argument", values, a.dtype, a.device)
  algorithm.check_device("scatter_add", "the array of values", values, a.device)
  if core.promote(a.dtype, values.dtype) ~= a.dtype then
    fail("dtype", "scatter_add: values of %s do not fit an array of %s; convert them with values:to \"%s\"",
      values.dtype, a.dtype, a.dtype)
  end
  local shape = { index:shape() }
  for d, extent in ipairs { a:shape() } do
    if d > 1 then shape[#shape + 1] = extent end
  end
  local at = algorithm.flat(index)
  local width, numbers = algorithm.product({ a:shape() }, 2), algorithm.dtype(at)
  local atomic = is_atomic(a.device, dtype, options.deterministic ~= false)
  local by_chunks = not atomic and at.size * width > 0 and serial.suits(a.device, #a, at.size, width)
  local few = algorithm.by_host() and at.size * width > 0 and at.size * width <= FEW
  if not by_chunks and not few then check(at, #a) end
  if algorithm.product(shape) == 0 then return a end
  local given = algorithm.flat(values:to(a.dtype):broadcast_to(shape))
  if core.shares(given, a) then given = given:copy() end
  if core.shares(at, a) then at = at:copy() end
  local to = a.contiguous and a or a:copy()
  if few and core.host_add(to, at, given, false) then
    if to ~= a then a:copy_from(to) end
    return a
  end
  if few and not by_chunks then check(at, #a) end
  if by_chunks then
    local bad = serial.add(to, at, given, width, by_index)
    if bad then fail_range(at, bad, #a) end
  elseif atomic then
    local columns, element = as_real(width, dtype)
    local total, what = at.size * columns, element.kind == "f" and element.name or element.size
    local kernel = algorithm.kernel(a.device, "dc_scatter_atomic", ("%s %s"):format(numbers.name, what), atomic_source,
      numbers, element)
    kernel((total + 255) // 256, 256, to, given, at, total, columns, #a)
  elseif not (add_few(to, at, given, width, by_index) or width == 1 and bins.add(to, at, given, by_index)) then
    local bytes, kind = place_dtype(#a)
    local places = algorithm.empty(a.device, at.size, kind.name)
    algorithm.kernel(a.device, "dc_scatter_places", numbers.name .. kind.name, places_source, numbers, kind.ctype)(
      (at.size + 255) // 256, 256, places, at, at.size, #a)
    by_segments(to, places, bytes, given, width)
    algorithm.free(nil, places)
  end
  if to ~= a then a:copy_from(to) end
  return a
end

-- For histograms: adds element i of the flat array `values` to a[x[i] + 1]; the integers x are in range.
local function add(a, x, values)
  if algorithm.by_host() and x.size <= FEW and core.host_add(a, x:to "int64":eval(), values, true) then return a end
  if serial.suits(a.device, #a, x.size, 1) then
    serial.add(a, algorithm.flat(x), values, 1, by_position)
    return a
  end
  x = algorithm.flat(x)
  if add_few(a, x, values, 1, by_position) or bins.add(a, x, values, by_position) then return a end
  local bytes, dtype = place_dtype(#a)
  by_segments(a, algorithm.flat(x:to(dtype.name)), bytes, values, 1)
  return a
end

return { take = take, scatter_add = scatter_add, add = add }
