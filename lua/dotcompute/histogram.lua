-- bincount and histogram: the number of elements in each bin, in one pass.
--
-- On a GPU a block counts in shared memory, in up to 8 copies of the bins (8192 counters), and adds its counts to the
-- result; bins that exceed shared memory are counted in global memory. On the CPU device, where atomics are slow,
-- each lane of a block of 32 has its own counters; bincount's threads, once native code is there, count a chunk
-- each, one element after another (2^24 int32: 28 ms of processor time, by lanes 69), also in many bins, unless there
-- are fewer elements than would pay for the counters. Weights are summed in a fixed order, by scatter_add.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local take = require "dotcompute.take"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local MOST_STATIC, MOST_LANES = 8192, 4096 -- counters of a block in static shared memory; of a lane
local MOST_NEAR = 512 -- edges that a block copies to shared memory
local MOST_EVEN = 1 << 24 -- bins of equal width whose number is computed by a product
local SERIAL_COPIES = 4 -- of a thread's counters: an equal element need not wait for the one before it
local GUESS, MOST_GUESS = 1024, 1 << 15 -- bins of bincount's first attempt; the most, with minlength

-- --- the text ---------------------------------------------------------------------------------------------------

-- dc_bin(v, facts): the bin of an element, from 0, or a number not below the number of bins. dc_facts: its parameters.
-- dc_number is the type of bin numbers.
local bins = {}

-- bincount: the bin is the value itself, with negative values as large unsigned ones. The largest value is needed, too.
bins.value = [[
struct dc_facts {
  __device__ dc_facts(double, double, double, const double *, unsigned long long) {}
};
static __device__ __forceinline__ dc_number dc_bin(dc_value v, const dc_facts &) { return (dc_number)v; }
]]

-- Bins of equal width: the integer part of a product, which may be off by one close to an edge, where edges are
-- compared.
bins.even = [[
struct dc_facts {
  double low, high, scale;
  const double *edges;
  unsigned n;
  __device__ dc_facts(double low, double high, double scale, const double *edges, unsigned long long n)
      : low(low), high(high), scale(scale), edges(edges), n((unsigned)n) {}
};
static __device__ __forceinline__ unsigned dc_bin(dc_value given, const dc_facts &f) {
  const double v = (double)DC_WIDE(given);
  if (!(v >= f.low && v <= f.high)) return ~0u;
  const double product = (v - f.low) * f.scale;
  unsigned at = (unsigned)product;
  const double part = product - (double)at;
  if (part > 1e-6 && part < 1 - 1e-6) return at;
  if (at >= f.n) at = f.n - 1;
  if (at > 0 && v < f.edges[at]) at--;
  else if (at + 1 < f.n && v >= f.edges[at + 1]) at++;
  return at;
}
]]

-- The same for values that float32 represents: the product in float32, whose error is at most `unsure` bins (twice the
-- rounding of difference, low, scale and product). Only closer to an edge is double precision needed, whose conversions
-- are slow on a GPU. Adding 2^23 and rounding down leaves the integer part in the lower bits.
bins.even32 = bins.even:gsub("__forceinline__ unsigned dc_bin%(dc_value given, const dc_facts &f",
  "__noinline__ unsigned dc_bin_exactly(dc_value given, const dc_facts f") .. [[
struct dc_facts32 : dc_facts {
  float low32, least, most, scale32, unsure;
  __device__ dc_facts32(double low, double high, double scale, const double *edges, unsigned long long n)
      : dc_facts(low, high, scale, edges, n), low32((float)low), least(__double2float_ru(low)),
        most(__double2float_rd(high)), scale32((float)scale),
        unsure(__double2float_ru(((double)n + fabs(low) * scale) * 2.384185791015625e-7)) {}
};
#define dc_facts dc_facts32
static __device__ __forceinline__ unsigned dc_bin(dc_value given, const dc_facts &f) {
  const float v = DC_WIDE(given);
  if (!(v >= f.least && v <= f.most)) return ~0u;
  const float product = fmaxf((v - f.low32) * f.scale32, 0.0f), sum = __fadd_rd(product, 8388608.0f);
  const float part = product - (sum - 8388608.0f);
  if (part > f.unsure && part < 1.0f - f.unsure) return __float_as_uint(sum) - 0x4b000000u;
  return dc_bin_exactly(given, f);
}
]]

-- Bins of any width: binary search for the last edge that is not above the element.
bins.edges = [[
struct dc_facts {
  double low, high;
  const double *edges;
  unsigned long long n;
  __device__ dc_facts(double low, double high, double, const double *edges, unsigned long long n)
      : low(low), high(high), edges(edges), n(n) {}
};
static __device__ __forceinline__ unsigned long long dc_bin(dc_value given, const dc_facts &f) {
  const double v = (double)DC_WIDE(given);
  if (!(v >= f.low && v <= f.high)) return ~0ull;
  unsigned long long low = 0, high = f.n;
  while (high - low > 1) {
    const unsigned long long middle = (low + high) / 2;
    if (f.edges[middle] <= v) low = middle;
    else high = middle;
  }
  return low;
}
]]

-- COUNT counts bin b of an element. Elements are read 16 bytes at a time, up to four times in a row. The largest value
-- is stored after the counts; a block derives it from its counters, except for values beyond them.
local body = [[
template <typename T, int N> struct alignas(sizeof(T) * N) dc_pack { T v[N]; };
__global__ void __launch_bounds__(THREADS, BLOCKS) dc_count(void *counts_, void *lanes, const void *x_,
    const double *edges_, const double low, const double high, const double scale, const PLACE n,
    const unsigned long long bins, const unsigned long long mailbox, const unsigned long long sequence) {
  unsigned long long *const counts = (unsigned long long *)counts_;
  const dc_element *const x = (const dc_element *)x_;
  EDGES
  const dc_facts facts(low, high, scale, edges, bins);
  const PLACE threads = (PLACE)gridDim.x * THREADS, thread = THREAD;
  dc_number largest = 0;
  enum { V = VECTOR };
  typedef dc_pack<dc_element, V> pack;
  const PLACE vectors = (unsigned long long)x % alignof(pack) == 0 ? n / V : 0;
  SHARE
  pack p[LOADS];
  auto load = [&](const PLACE i) {
    #pragma unroll
    for (int u = 0; u < LOADS; u++)
      if (i + u * step < stop) p[u] = ((const pack *)x)[i + u * step];
  };
  load(first); // in flight while counters are cleared
BEGIN
  auto take = [&](const dc_element v, const int copy) {
    const dc_number b = dc_bin(dc_key(v), facts);
    COUNT
  };
  for (PLACE i = first; i < stop; load(i)) {
    #pragma unroll
    for (int u = 0; u < LOADS; u++) {
      if (i + u * step < stop) {
        #pragma unroll
        for (int k = 0; k < V; k++) take(p[u].v[k], u);
      }
    }
    i += LOADS * step;
  }
  for (PLACE i = vectors * V + thread; i < n; i += threads) take(x[i], 0);
END
  LARGEST
}
]]

-- The vectors of a thread: neighbouring threads have neighbouring ones, or each thread a chunk.
local interleaved = "const PLACE first = thread, step = threads, stop = vectors;"
local chunk = [[
const PLACE share = (vectors + threads - 1) / threads, first = thread * share, step = 1;
  const PLACE stop = vectors - first < share ? vectors : first + share;]]

-- Edges are read often: a block copies a small number of them to shared memory.
local far_edges = "const double *const edges = edges_;"
local near_edges = [[
__shared__ double edges[MOST];
  for (unsigned i = threadIdx.x; i <= (unsigned)bins; i += THREADS) edges[i] = edges_[i];
  __syncthreads();]]

-- The copies of a counter are adjacent; lanes are distributed over them.
local shared = {
  name = "s",
  BEGIN = [[
  OWN
  const unsigned limit = (unsigned)bins;
  for (unsigned i = threadIdx.x; 4 * i < limit * COPIES; i += THREADS) ((uint4 *)own)[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  unsigned *const mine = own + threadIdx.x % COPIES;]],
  COUNT = [[
    if (b < limit) atomicAdd(&mine[(unsigned)b * COPIES], 1u);
    BEYOND]],
  END = [[
  __syncthreads();
  for (unsigned i = threadIdx.x; i < limit; i += THREADS) {
    unsigned sum = 0; // of one block's counts
    #pragma unroll
    for (unsigned c = 0; c < COPIES; c++) sum += own[i * COPIES + c];
    if (sum == 0) continue;
    atomicAdd(&counts[i], (unsigned long long)sum);
    SEEN
  }]],
}

local global = {
  name = "g",
  BEGIN = "",
  COUNT = [[
    if (b < bins) {
      atomicAdd(&counts[b], 1ull);
      SEEN
    }
    BEYOND]],
  END = "",
}

local by_lanes = {
  name = "l",
  counters = 32, -- of each bin in a block
  BEGIN = [[
  unsigned *const mine = (unsigned *)lanes + (long long)blockIdx.x * bins * 32 + threadIdx.x;]],
  COUNT = [[
    if (b < bins) mine[b * 32]++;
    BEYOND]],
  END = [[
  __syncwarp();
  const unsigned *const all = (const unsigned *)lanes + (long long)blockIdx.x * bins * 32;
  for (unsigned long long i = threadIdx.x; i < bins; i += 32) {
    unsigned long long sum = 0;
    for (int c = 0; c < 32; c++) sum += all[i * 32 + c];
    if (sum == 0) continue;
    atomicAdd(&counts[i], sum);
    SEEN
  }]],
}

local serial = {
  name = "t",
  serial = true,
  counters = SERIAL_COPIES,
  BEGIN = [[
  unsigned *const mine = (unsigned *)lanes + (long long)blockIdx.x * bins * COPIES;]],
  COUNT = [[
    if (b < bins) mine[copy % COPIES * bins + b]++;
    BEYOND]],
  END = [[
  for (unsigned long long i = 0; i < bins; i++) {
    unsigned long long sum = 0;
    #pragma unroll
    for (int c = 0; c < COPIES; c++) sum += mine[c * bins + i];
    if (sum == 0) continue;
    atomicAdd(&counts[i], sum);
    SEEN
  }]],
}

-- The same for many bins, with one counter a thread for each.
local serial_many = { name = "m", serial = true, counters = 1, BEGIN = serial.BEGIN, COUNT = serial.COUNT,
  END = serial.END }

-- The largest value, with negative ones as large unsigned ones: one atomic operation a block, since all blocks share
-- the address. The last block, found by a counter after the largest value, posts it to the host's mailbox if there is
-- one.
local top_text = "unsigned long long top = (unsigned long long)(dc_signed)largest;\n"
local fold_text = [[
__shared__ unsigned long long tops[32];
  auto fold = [&]() {
    #pragma unroll
    for (int s = 16; s > 0; s /= 2) {
      const unsigned long long other = __shfl_xor_sync(~0u, top, s);
      top = other > top ? other : top;
    }
  };
  fold();
  if (threadIdx.x % 32 == 0) tops[threadIdx.x / 32] = top;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  top = threadIdx.x < THREADS / 32 ? tops[threadIdx.x] : 0;
  fold();
  if (threadIdx.x > 0) return;
]]
local largest_text = [[
  if (top > 0) atomicMax(&counts[bins], top);
  if (!mailbox) return;
  __threadfence();
  if (atomicAdd(&counts[bins + 1], 1ull) < gridDim.x - 1) return;
  dc_post(mailbox, sequence, (long long)atomicMax(&counts[bins], 0ull));]]

-- The C type of an element, and its conversion to a number that has an order.
local function value_text(dtype)
  return ("%stypedef %s dc_value;\n"):format(algorithm.include(dtype), dtype.ctype), dtype.to_float
end

-- The text that defines dc_bin, for a dtype and a rule.
local function bin_text(dtype, rule)
  local value, wide = value_text(dtype)
  local narrow = rule == "value" and dtype.size <= 4 or rule == "even"
  local number = narrow and "unsigned int" or "unsigned long long"
  local signed = dtype.kind == "i" and (narrow and "int" or "long long") or number
  local single = dtype.size < 4 or dtype.name == "float32" -- float32 represents its values
  return table.concat { value, ("#define DC_WIDE %s\ntypedef %s dc_number;\ntypedef %s dc_signed;\n"):format(wide,
    number, signed), bins[rule == "even" and single and "even32" or rule] }
end

-- What is counted is the element itself, or the script's function of it (`key`: see fused_key). Also gives the size of
-- an element.
local function key_text(dtype, key)
  if not key then
    return "typedef dc_value dc_element;\n"
      .. "static __device__ __forceinline__ dc_value dc_key(const dc_element v) { return v; }\n", dtype.size
  end
  return ("typedef %s dc_element;\n%sstatic __device__ __forceinline__ dc_value dc_key(const dc_element v) { "
    .. "return dc_map(v, 0); }\n"):format(key.ctype, key.text), key.size
end

local function source_of(dtype, rule, shape, key)
  local element, size = key_text(dtype, key)
  local way, track = shape.way, rule == "value"
  local text = algorithm.fill(body, { BEGIN = way.BEGIN, COUNT = way.COUNT, END = way.END,
    EDGES = shape.near and near_edges:gsub("MOST", MOST_NEAR + 1) or far_edges,
    SHARE = way.serial and chunk or interleaved,
    THREAD = way.serial and "blockIdx.x" or "(PLACE)blockIdx.x * THREADS + (PLACE)threadIdx.x",
    LARGEST = track and top_text .. (way.serial and "" or fold_text) .. largest_text or "" })
  text = algorithm.fill(text, {
    OWN = "alignas(16) " .. (shape.entries and "__shared__ unsigned own[MOST];" or "extern __shared__ unsigned own[];"),
    SEEN = track and "largest = largest > (dc_number)(INDEX) ? largest : (dc_number)(INDEX);" or "",
    BEYOND = track and "else largest = largest > b ? largest : b;" or "" })
  return table.concat { key and key.header or "", bin_text(dtype, rule), element, algorithm.post_text,
    algorithm.fill(text, {
      PLACE = shape.place, INDEX = way == global and "b" or "i", THREADS = shape.threads, BLOCKS = shape.resident,
      MOST = shape.entries, COPIES = way.counters or shape.copies, VECTOR = way.counters and 1 or 16 // size,
      LOADS = size == 1 and 2 or 4 }) }
end

-- --- counting ---------------------------------------------------------------------------------------------------

-- How `size` elements are counted into n bins: way, threads of a block, blocks of a multiprocessor (`resident`) and of
-- the grid; for counters in shared memory the number of copies, and that of counters if it is a compile-time constant.
local function shape_of(device, rule, n, size)
  local shape = { place = size < algorithm.narrow and "int" or "long long", copies = 1 }
  if not algorithm.is_gpu(device) then
    shape.way = n <= MOST_LANES and by_lanes or global
    shape.threads, shape.resident = shape.way == global and 512 or 32, 1
    shape.blocks = math.min(device.multiprocessors * 4, (size + 16383) // 16384)
    return shape
  end
  shape.near = rule == "edges" and n <= MOST_NEAR
  shape.way, shape.threads, shape.resident = shared, 512, 3 -- four are not faster
  if n <= GUESS then
    shape.copies, shape.entries = 8, n <= 256 and 2048 or MOST_STATIC
  else -- few large blocks, since each adds all its bins to the result
    shape.threads, shape.resident = 1024, 1
    if n <= MOST_STATIC then
      shape.entries = MOST_STATIC
      while 2 * shape.copies * n <= MOST_STATIC do shape.copies = 2 * shape.copies end
    elseif n * 4 + 4096 <= device.attributes.shared_per_block_optin then
      shape.dynamic = (n + 3) // 4 * 16
    else
      shape.way, shape.threads, shape.resident = global, 512, 3
    end
  end
  shape.blocks = math.min(device.multiprocessors * shape.resident, (size + 8191) // 8192)
  return shape
end

-- The way for threads that count a chunk each, on the CPU device; nil where other ways take less. Each counter of many
-- bins is cleared and added to the result, which takes about as long as counting an element.
local function serial_way(device, n, size)
  if algorithm.is_gpu(device) then return nil end
  if n <= MOST_LANES then return serial end
  return n * device.multiprocessors <= size // 2 and serial_many or nil
end

-- Counts the elements of the flat array x by `rule` into `n` bins. Returns the counts (int64), for rule "value"
-- followed by the largest value, and the sequence number by which algorithm.posted reads that. `facts`: edges (an
-- array, or nil), low, high, scale. `key`: nil, or the key that is counted in place of each element.
local function count(x, rule, n, facts, key)
  local device, dtype = x.device, key and key.dtype or algorithm.dtype(x)
  local mailbox, sequence = 0, 0
  if rule == "value" then mailbox, sequence = algorithm.mailbox(device) end
  local counts = algorithm.zeros(device, rule == "value" and n + 2 or n, "int64")
  if x.size == 0 then return counts, 0 end
  local shape = shape_of(device, rule, n, x.size)
  local function kernel_for(way)
    local v = setmetatable({ way = way, threads = way.serial and 1 or shape.threads }, { __index = shape })
    local variant = ("%s %s %s %s %d %s %s"):format(dtype.name, rule, way.name, v.entries, v.copies, v.place, v.near)
    if not key then return algorithm.kernel(device, "dc_count", variant, source_of, dtype, rule, v) end
    return require "dotcompute.operators".kernel(device, "dc_count", variant, key.text, source_of, dtype, rule, v, key)
  end
  local kernel
  local one = rule == "value" and not key and serial_way(device, n, x.size)
  if one then
    kernel = kernel_for(one)
    if algorithm.is_native(kernel, dc.null, dc.null, dc.null, dc.null, 0, 0, 1, 0, 0, 0, 0) then
      shape.way, shape.threads = one, 1
      if one == serial_many then -- a counter has 32 bits
        shape.blocks = math.max(device.multiprocessors, x.size >> 31)
      end
    else
      kernel = nil
    end
  end
  kernel = kernel or kernel_for(shape.way)
  local counters = shape.way.counters
  local lanes = counters and algorithm.zeros(device, shape.blocks * n * counters, "uint32") or nil
  if shape.dynamic then kernel = kernel:with { shared = shape.dynamic } end
  kernel(shape.blocks, shape.threads, counts, lanes or dc.null, x, facts.edges or dc.null, facts.low or 0,
    facts.high or 0, facts.scale or 1, x.size, n, mailbox, sequence)
  algorithm.free(nil, lanes)
  return counts, sequence
end

local function weights_of(fname, weights, a)
  weights = algorithm.array(fname, "option 'weights'", weights, "float64", a.device)
  algorithm.check_device(fname, "the array of weights", weights, a.device)
  algorithm.refuse_complex(fname, weights, "are no weights")
  if weights.size ~= a.size then
    fail("shape", "%s: %d weights for %d elements", fname, weights.size, a.size)
  end
  return algorithm.flat(weights:reshape(-1):to "float64")
end

-- --- bincount ---------------------------------------------------------------------------------------------------

-- The key of a kernel that counts what the function of the record f gives for each element of `a`:
--   dtype, text           of keys; the function's text, dc_map
--   ctype, size, header   of elements
-- nil where the keys must be computed to an array.
local function fused_key(f, a)
  local elements = require "dotcompute.elements"
  local t = elements.type(a)
  local text, dtype = require "dotcompute.operators".mapping(f, "dc_map", "a key", t)
  if t.struct or t.kind == "c" or dtype.struct or dtype.kind == "c" then return nil end
  return { dtype = dtype, text = text, ctype = elements.ctype(t), size = t.size, header = elements.header(t) }
end

-- What is counted: an array, or an array and a key. `fuses`: the kernel may compute the keys.
local function counted(fname, a, key, fuses, dtype)
  if key == nil then return algorithm.array(fname, "the first argument", a, dtype) end
  local operators, elements = require "dotcompute.operators", require "dotcompute.elements"
  local f = operators.of(fname, "option 'key'", key, "an element")
  a = elements.array(fname, "the first argument", a, dtype)
  local fused = fuses and fused_key(f, a) or nil
  if fused then return a, fused end
  return algorithm.array(fname, "what option 'key' gives", operators.map(fname, key, a))
end

local bincount_signature = { "a", known = { weights = "any", minlength = "number", key = "any" },
  usage = { "an array", "perhaps options" } }

local function bincount(...)
  local counts_of_few = select("#", ...) == 1 and algorithm.by_host() and core.host_count((...), 0)
  if counts_of_few then return counts_of_few end
  local options = arguments.read("bincount", bincount_signature, ...)
  local least = algorithm.integer("bincount", "option 'minlength'", options.minlength or 0, 0)
  local a, key = counted("bincount", options.a, options.key, options.weights == nil, "int64")
  local dtype = key and key.dtype or algorithm.dtype(a)
  if dtype.kind ~= "i" and dtype.kind ~= "u" and dtype.kind ~= "b" then
    fail("dtype", "bincount counts integers, got an array of %s; dc.histogram sorts numbers into bins", dtype.name)
  end
  local x = algorithm.flat(a):reshape(-1)
  local few = key == nil and algorithm.by_host() and core.host_count(x, least)
  if few and options.weights == nil then return few end
  if few then
    local sums = algorithm.zeros(a.device, few.size, "float64")
    return take.add(sums, x, weights_of("bincount", options.weights, a))
  end
  local most_guess = algorithm.is_gpu(x.device) and MOST_GUESS or serial_way(x.device, least, x.size) and least
    or MOST_LANES
  local guess = dtype.kind == "b" and 2 or dtype.size == 1 and 256 or math.max(GUESS, math.min(least, most_guess))
  local counts, sequence = count(x, "value", guess, {}, key)
  local largest = a.size > 0 and algorithm.posted(a.device, sequence, counts, guess + 1) or -1
  if a.size > 0 and largest < 0 then
    fail("argument", "bincount: the array has %s; values from 0 on are counted",
      dtype.kind == "i" and "negative values" or "values of 2^63 and more")
  end
  if largest >= math.maxinteger - 1 then -- the counts' buffer has two elements more
    fail("argument", "bincount: the largest value is %d; so many bins are more than memory holds", largest)
  end
  local size = math.max(largest + 1, least)
  if options.weights ~= nil then
    local sums = algorithm.zeros(a.device, size, "float64")
    local weights = weights_of("bincount", options.weights, a)
    return size > 0 and take.add(sums, x, weights) or sums
  end
  if size > guess then
    counts:close()
    counts = count(x, "value", size, {}, key)
  end
  return counts:slice { 1, size } -- the rest of the buffer is small
end

-- --- histogram --------------------------------------------------------------------------------------------------

-- The smallest and the largest element, in one pass as the parts of a complex number, except for 64-bit integers, which
-- float64 does not represent (2^24 float32, on the CPU device: 26 ms of a processor's time instead of 53).
local function extremes(x)
  local dtype = algorithm.dtype(x)
  if dtype.kind == "f" or dtype.size < 8 then
    local both = (x:min():to "float64" + x:max():to "float64" * dc.complex(0, 1)):item()
    if both.re - both.re == 0 and both.im - both.im == 0 then return both.re, both.im end -- inf * 1i has a NaN
  end
  local least, most = x:min():to "float64":eval(), x:max():to "float64":eval() -- launched before the first wait
  return least:item(), most:item()
end

-- The bounds of option 'range', or the array's smallest and largest element, as floats, whose difference does not wrap
-- around.
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
    return low + 0.0, high + 0.0
  end
  if x.size == 0 then return 0.0, 1.0 end
  local low, high = extremes(x)
  if low ~= low then fail("argument", "histogram: the array has elements that are NaN; give option 'range'") end
  if low == -math.huge or high == math.huge then
    fail("argument", "histogram: the array has elements that are not finite (%s to %s); give option 'range'", low, high)
  end
  return low, high
end

-- The edges of n bins of equal width; the formula for a width that float64 does not hold weights both bounds.
local function even_edges(device, n, low, high)
  local numbers, width = algorithm.on(device, dc.arange, 0, n, "float64"), high - low
  local edges = width < math.huge and numbers * (width / n) + low or (1 - numbers / n) * low + numbers / n * high
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

-- The bin of each element, from 0; `n` for elements outside of all bins.
local function bin_numbers(x, rule, n, facts)
  local dtype = algorithm.dtype(x)
  local kernel = algorithm.kernel(x.device, "dc_bin_numbers", dtype.name .. rule, function()
    return bin_text(dtype, rule) .. [[
__global__ void dc_bin_numbers(long long *to, const void *x, const double *edges, double low, double high, double scale,
                               long long count, unsigned long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const dc_facts facts(low, high, scale, edges, n);
  const unsigned long long b = dc_bin(((const dc_value *)x)[i], facts);
  to[i] = b < n ? b : n;
}
]]
  end)
  local to = algorithm.empty(x.device, x.size, "int64")
  if x.size > 0 then
    kernel((x.size + 255) // 256, 256, to, x, facts.edges, facts.low, facts.high, facts.scale, x.size, n)
  end
  return to
end

local histogram_signature = { "a", "bins", tables = { bins = true },
  known = { bins = "any", range = "table", weights = "any", key = "any" },
  usage = { "an array", "perhaps bins and options" } }

local function histogram(...)
  local options = arguments.read("histogram", histogram_signature, ...)
  local by = options.bins
  -- the keys' extremes, and their weights, need an array of the keys
  local bounded = options.range ~= nil or (by ~= nil and type(by) ~= "number")
  local a, key = counted("histogram", options.a, options.key, bounded and options.weights == nil)
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
    -- bins that are too narrow for the product, or too many, are found by binary search
    if scale == math.huge or high - low == math.huge or count_of > MOST_EVEN then rule = "edges" end
  else
    if options.range ~= nil then
      fail("argument", "histogram: option 'range' has no meaning with edges of bins given")
    end
    local edges, low, high = uneven_edges(a.device, by)
    rule, count_of, facts = "edges", #edges - 1, { edges = edges, low = low, high = high, scale = 1 }
  end
  if options.weights == nil then return count(x, rule, count_of, facts, key), facts.edges end
  local weights = weights_of("histogram", options.weights, a)
  local sums = algorithm.zeros(a.device, count_of + 1, "float64")
  if x.size > 0 then take.add(sums, bin_numbers(x, rule, count_of, facts), weights) end
  return sums:slice({ 1, count_of }):copy(), facts.edges
end

return { bincount = bincount, histogram = histogram }
