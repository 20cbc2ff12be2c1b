-- bincount and histogram: how many elements fall where, in one pass.
--
-- On a GPU each warp of a block counts in shared memory of its own as far as that goes (8192 counters a block, shared
-- by more warps the more bins there are), and a block adds what it has to the result; more bins are counted in global
-- memory.  On the CPU device, where atomics are slow, each lane of a block of 32 has counters of its own.  Sums of
-- weights are made in a fixed order, by scatter_add.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local take = require "dotcompute.take"
core.own(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local MOST_SHARED, MOST_LANES = 8192, 4096
local MOST_EVEN = 1 << 24 -- bins of equal width that are found by a product
local GUESS = 1024 -- bins that bincount tries first

-- --- the text ---------------------------------------------------------------------------------------------------

-- dc_bin(v, facts): the bin of an element from 0, or a number beyond all bins. dc_facts: what it needs to know.
local bins = {}

-- The value itself; a negative one is larger than all. *most learns the largest.
bins.value = [[
struct dc_facts { double low, high, scale; };
static __device__ __forceinline__ unsigned long long dc_bin(dc_value v, const dc_facts &, const double *,
                                                            unsigned long long) {
  return (unsigned long long)v;
}
]]

-- Equal widths: a product, whose integer part may be off by one close to an edge; there the edges decide.
bins.even = [[
struct dc_facts { double low, high, scale; };
static __device__ __forceinline__ unsigned long long dc_bin(dc_value given, const dc_facts &f, const double *edges,
                                                            unsigned long long n) {
  const double v = (double)DC_WIDE(given);
  if (!(v >= f.low && v <= f.high)) return ~0ull;
  const double product = (v - f.low) * f.scale;
  unsigned at = (unsigned)product;
  const double part = product - (double)at;
  if (part > 1e-6 && part < 1 - 1e-6) return at;
  if (at >= n) at = (unsigned)n - 1;
  if (at > 0 && v < edges[at]) at--;
  else if (at + 1 < n && v >= edges[at + 1]) at++;
  return at;
}
]]

-- Edges of any distance: the last that is not above the element.
bins.edges = [[
struct dc_facts { double low, high, scale; };
static __device__ __forceinline__ unsigned long long dc_bin(dc_value given, const dc_facts &f, const double *edges,
                                                            unsigned long long n) {
  const double v = (double)DC_WIDE(given);
  if (!(v >= f.low && v <= f.high)) return ~0ull;
  unsigned long long low = 0, high = n;
  while (high - low > 1) {
    const unsigned long long middle = (low + high) / 2;
    if (edges[middle] <= v) low = middle;
    else high = middle;
  }
  return low;
}
]]

-- COUNT(b) is what is done with the bin of an element. Elements are read 16 bytes at a time, four times in a row.
local loop = [[
template <typename T, int N> struct alignas(sizeof(T) * N) dc_pack { T v[N]; };
static __device__ __forceinline__ unsigned long long dc_largest(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}
]]

local body = [[
__global__ void __launch_bounds__(THREADS) dc_count(void *counts_, void *lanes, unsigned long long *most,
    const void *x_, const double *edges, const double low, const double high, const double scale, const long long n,
    const unsigned long long bins) {
  unsigned long long *const counts = (unsigned long long *)counts_;
  const dc_value *const x = (const dc_value *)x_;
  const dc_facts facts = { low, high, scale };
  const long long step = (long long)gridDim.x * THREADS, first = (long long)blockIdx.x * THREADS + threadIdx.x;
  unsigned long long largest = 0;
BEGIN
  enum { V = VECTOR };
  typedef dc_pack<dc_value, V> pack;
  const long long vectors = (unsigned long long)x % alignof(pack) == 0 ? n / V : 0;
  for (long long i = first; i < vectors; i += 4 * step) {
    pack p[4];
    #pragma unroll
    for (int u = 0; u < 4; u++)
      if (i + u * step < vectors) p[u] = ((const pack *)x)[i + u * step];
    #pragma unroll
    for (int u = 0; u < 4; u++) {
      if (i + u * step < vectors) {
        #pragma unroll
        for (int k = 0; k < V; k++) {
          const unsigned long long b = dc_bin(p[u].v[k], facts, edges, bins);
          TRACK
          if (b < bins) COUNT
        }
      }
    }
  }
  for (long long i = vectors * V + first; i < n; i += step) {
    const unsigned long long b = dc_bin(x[i], facts, edges, bins);
    TRACK
    if (b < bins) COUNT
  }
END
  LARGEST
}
]]

local shared = {
  BEGIN = [[
  __shared__ unsigned own[MOST];
  for (int i = threadIdx.x; i < MOST; i += THREADS) own[i] = 0;
  __syncthreads();
  unsigned *const mine = own + threadIdx.x / 32 % COPIES * (int)bins;]],
  COUNT = "atomicAdd(&mine[b], 1u);",
  END = [[
  __syncthreads();
  for (int i = threadIdx.x; i < (int)bins; i += THREADS) {
    unsigned long long sum = 0;
    for (int c = 0; c < COPIES; c++) sum += own[c * (int)bins + i];
    if (sum) atomicAdd(&counts[i], sum);
  }]],
}

local global = { BEGIN = "", COUNT = "atomicAdd(&counts[b], 1ull);", END = "" }

local by_lanes = {
  BEGIN = [[
  unsigned *const mine = (unsigned *)lanes + (long long)blockIdx.x * bins * 32 + threadIdx.x;]],
  COUNT = "mine[b * 32]++;",
  END = [[
  __syncwarp();
  const unsigned *const all = (const unsigned *)lanes + (long long)blockIdx.x * bins * 32;
  for (unsigned long long b = threadIdx.x; b < bins; b += 32) {
    unsigned long long sum = 0;
    for (int c = 0; c < 32; c++) sum += all[b * 32 + c];
    if (sum) atomicAdd(&counts[b], sum);
  }]],
}

local largest_text = [[
#pragma unroll
  for (int s = 16; s > 0; s /= 2) largest = dc_largest(largest, __shfl_xor_sync(~0u, largest, s));
  if (threadIdx.x % 32 == 0) atomicMax(most, largest);]]

-- How an element is held, and how it becomes a double.
local function value_text(dtype)
  if dtype.name == "float16" then return "#include <cuda_fp16.h>\ntypedef __half dc_value;\n", "__half2float" end
  if dtype.name == "bfloat16" then
    return "#include <cuda_bf16.h>\ntypedef __nv_bfloat16 dc_value;\n", "__bfloat162float"
  end
  return ("typedef %s dc_value;\n"):format(dtype.kind == "b" and "bool" or dtype.ctype), ""
end

local function source_of(dtype, rule, way, entries, copies)
  local value, wide = value_text(dtype)
  local threads = way == by_lanes and 32 or 256
  local text = algorithm.fill(body, { BEGIN = way.BEGIN, COUNT = way.COUNT, END = way.END,
    TRACK = rule == "value" and "largest = dc_largest(largest, b);" or "",
    LARGEST = rule == "value" and largest_text or "" })
  return table.concat { value, ("#define DC_WIDE %s\n"):format(wide), bins[rule], loop,
    algorithm.fill(text, { THREADS = threads, MOST = entries, COPIES = copies,
      VECTOR = way == by_lanes and 1 or 16 // dtype.size }) }
end

-- --- counting ---------------------------------------------------------------------------------------------------

-- Counts the elements of the flat array x by `rule` into `n` bins; gives the counts (uint64) and, for rule "value", the
-- largest value in an array. `facts`: edges (an array, or nil), low, high, scale.
local function count(x, rule, n, facts)
  local device, dtype = x.device, algorithm.dtype(x)
  local counts = algorithm.zeros(device, n, "int64")
  local most = rule == "value" and algorithm.zeros(device, 1, "uint64") or nil
  if x.size == 0 then return counts, most end
  local way, entries, copies, lanes, blocks = global, 0, 0, nil, nil -- luacheck: ignore 311
  if algorithm.is_gpu(device) then
    blocks = math.min(device.multiprocessors * 8, (x.size + 4095) // 4096)
    if n <= MOST_SHARED then
      way, entries = shared, n <= 256 and 2048 or MOST_SHARED
      copies = 8
      while copies * n > entries do copies = copies // 2 end
    end
  else
    blocks = math.min(device.multiprocessors * 4, (x.size + 16383) // 16384)
    if n <= MOST_LANES then
      way = by_lanes
      lanes = algorithm.zeros(device, blocks * n * 32, "uint32")
    end
  end
  local kernel = algorithm.kernel(device, "dc_count", ("%s %s %s %d %d"):format(dtype.name, rule,
    way == shared and "s" or way == global and "g" or "l", entries, copies), source_of, dtype, rule, way,
    entries, copies)
  kernel(blocks, way == by_lanes and 32 or 256, counts, lanes or dc.null, most or dc.null, x, facts.edges or dc.null,
    facts.low or 0, facts.high or 0, facts.scale or 1, x.size, n)
  algorithm.free(nil, lanes)
  return counts, most
end

local function weights_of(who, weights, a)
  weights = algorithm.array(who, "option 'weights'", weights, "float64", a.device)
  algorithm.check_device(who, "the array of weights", weights, a.device)
  algorithm.refuse_complex(who, weights, "are no weights")
  if weights.size ~= a.size then
    fail("shape", "%s: %d weights for %d elements", who, weights.size, a.size)
  end
  return algorithm.flat(weights:reshape(-1):to "float64")
end

-- --- bincount ---------------------------------------------------------------------------------------------------

local function bincount(...)
  local a, options = ...
  local n = select("#", ...)
  if n < 1 or n > 2 then fail("argument", "bincount takes an array, then perhaps options; got %d arguments", n) end
  options = algorithm.options("bincount", options, { weights = "any", minlength = "number" })
  local least = algorithm.integer("bincount", "option 'minlength'", options.minlength or 0, 0)
  a = algorithm.array("bincount", "the first argument", a, "int64")
  local dtype = algorithm.dtype(a)
  if dtype.kind ~= "i" and dtype.kind ~= "u" and dtype.kind ~= "b" then
    fail("dtype", "bincount counts integers, got an array of %s; dc.histogram sorts numbers into bins", a.dtype)
  end
  local x = algorithm.flat(a):reshape(-1)
  local guess = dtype.kind == "b" and 2 or dtype.size == 1 and 256 or math.max(GUESS, math.min(least, MOST_LANES))
  local counts, most = count(x, "value", guess, {})
  local largest = a.size > 0 and most[1] or -1
  if a.size > 0 and largest < 0 then
    fail("argument", "bincount: the array has %s; values from 0 on are counted",
      dtype.kind == "i" and "negative values" or "values of 2^63 and more")
  end
  local size = math.max(largest + 1, least)
  if options.weights ~= nil then
    local sums = algorithm.zeros(a.device, size, "float64")
    local weights = weights_of("bincount", options.weights, a)
    return size > 0 and take.add(sums, x, weights) or sums
  end
  if size > guess then counts = count(x, "value", size, {}) end
  return size < #counts and counts:slice({ 1, size }):copy() or counts
end

-- --- histogram --------------------------------------------------------------------------------------------------

-- The Lua numbers of option 'range', or of the array's own smallest and largest element.
local function range_of(x, given)
  if given ~= nil then
    local low, high = given[1], given[2]
    if type(low) ~= "number" or type(high) ~= "number" or #given ~= 2 then
      fail("argument", "histogram: option 'range' is {low, high}, two numbers")
    end
    if low ~= low or high ~= high or low > high or low == -math.huge or high == math.huge then
      fail("argument", "histogram: option 'range' is {low, high} with low <= high, both finite, got {%s, %s}", low,
        high)
    end
    return low, high
  end
  if x.size == 0 then return 0, 1 end
  local function number(v) return v == true and 1 or v == false and 0 or v end
  local low, high = number(x:min():item()), number(x:max():item())
  if low ~= low or high ~= high or low == -math.huge or high == math.huge then
    fail("argument", "histogram: the array has elements that are not finite (%s to %s); give option 'range'", low, high)
  end
  return low, high
end

local function even_edges(device, n, low, high)
  local step = (high - low) / n
  local edges = algorithm.on(device, dc.arange, 0, n, "float64") * step + low
  edges = edges:eval()
  edges[n + 1] = high
  return edges
end

local function uneven_edges(device, given)
  local edges = algorithm.array("histogram", "the bins", given, "float64", device)
  algorithm.check_device("histogram", "the array of edges", edges, device)
  if edges.ndim ~= 1 or #edges < 2 then
    fail("shape", "histogram: edges of bins are a 1-d array of at least 2")
  end
  algorithm.refuse_complex("histogram", edges, "are no edges")
  edges = algorithm.flat(edges:to "float64")
  local t = edges:to_table()
  for k = 1, #t do
    if t[k] ~= t[k] or (k > 1 and t[k] < t[k - 1]) then
      fail("argument", "histogram: edges ascend, but edge %d is %s%s", k, t[k],
        k > 1 and (" after %s"):format(t[k - 1]) or "")
    end
  end
  return edges, t[1], t[#t]
end

-- The bin of each element, from 0; `n` for those in none.
local function bin_numbers(x, rule, n, facts)
  local dtype = algorithm.dtype(x)
  local value, wide = value_text(dtype)
  local kernel = algorithm.kernel(x.device, "dc_bin_numbers", dtype.name .. rule, function()
    return table.concat { value, ("#define DC_WIDE %s\n"):format(wide), bins[rule], [[
__global__ void dc_bin_numbers(long long *to, const void *x, const double *edges, double low, double high, double scale,
                               long long count, unsigned long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const dc_facts facts = { low, high, scale };
  const unsigned long long b = dc_bin(((const dc_value *)x)[i], facts, edges, n);
  to[i] = b < n ? b : n;
}
]] }
  end)
  local to = algorithm.empty(x.device, x.size, "int64")
  if x.size > 0 then
    kernel((x.size + 255) // 256, 256, to, x, facts.edges, facts.low, facts.high, facts.scale, x.size, n)
  end
  return to
end

local function histogram(...)
  local a, by, options = ...
  local n = select("#", ...)
  if n < 1 or n > 3 then
    fail("argument", "histogram takes an array, then perhaps bins, then options; got %d arguments", n)
  end
  options = algorithm.options("histogram", options, { range = "table", weights = "any" })
  a = algorithm.array("histogram", "the first argument", a)
  algorithm.refuse_complex("histogram", a, "have no order")
  local x = algorithm.flat(a):reshape(-1)
  local rule, count_of, facts = "even" -- luacheck: ignore 311
  if by == nil then by = 10 end
  if type(by) == "number" then
    count_of = algorithm.integer("histogram", "the number of bins", by, 1)
    local low, high = range_of(x, options.range)
    if low == high then low, high = low - 0.5, high + 0.5 end
    local scale = count_of / (high - low)
    facts = { edges = even_edges(a.device, count_of, low, high), low = low, high = high, scale = scale }
    -- where bins are too narrow for the product, or too many, they are searched
    if scale == math.huge or high - low == math.huge or count_of > MOST_EVEN then rule = "edges" end
  else
    if options.range ~= nil then
      fail("argument", "histogram: option 'range' has no meaning with edges of bins given")
    end
    local edges, low, high = uneven_edges(a.device, by)
    rule, count_of, facts = "edges", #edges - 1, { edges = edges, low = low, high = high, scale = 1 }
  end
  if options.weights == nil then return (count(x, rule, count_of, facts)), facts.edges end
  local weights = weights_of("histogram", options.weights, a)
  local sums = algorithm.zeros(a.device, count_of + 1, "float64")
  if x.size > 0 then take.add(sums, bin_numbers(x, rule, count_of, facts), weights) end
  return sums:slice({ 1, count_of }):copy(), facts.edges
end

return { bincount = bincount, histogram = histogram }
