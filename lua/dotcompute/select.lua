-- select and nonzero: stream compaction, the elements (or their indices) for which a predicate is true, in order, in
-- one pass over the input.
--
-- Blocks take tiles of the input by tickets, in order. A block counts the selected elements of its tile and publishes
-- the count, gathers them in shared memory, issues the loads of its next tile, and only then writes the elements
-- gathered of the tile before: by then the counts of all earlier tiles are published, so that blocks rarely wait. The
-- counts of 256 tiles are also summed in one word, so that little is read. (2^27 float32 of which half are selected, on
-- an H200: 0.203 ms; 0.3 ms where a block looks back before it takes its next tile.) The CPU device's native code has
-- another algorithm: select_serial.lua.
--
-- The result is allocated for all elements; the count is read back, and a result of less than a quarter is copied into
-- memory of its own size.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local serial = require "dotcompute.select_serial"
core.builtin(debug.getinfo(1, "S").source)

local fail, empty = algorithm.fail, algorithm.empty
local GROUP <const> = 256 -- tiles whose counts are summed in one word

-- The threads of a block, the rounds in which each reads 4 elements of a tile, and the elements of a tile, for elements
-- of `size` bytes. The gathered elements of two tiles must fit into a third of a multiprocessor's shared memory.
local function shape_for(device, size)
  local room = device.attributes.shared_per_block_optin > 68 << 10 and 64 << 10 or 32 << 10
  local threads, rounds = 256, size <= 4 and 8 or 4
  if 8 * threads * rounds * size > room and rounds > 4 then rounds = 4 end
  while 8 * threads * rounds * size > room do threads = threads // 2 end
  return { threads = threads, rounds = rounds, tile = 4 * threads * rounds }
end

-- --- the text ---------------------------------------------------------------------------------------------------

local packs = [=[
template <typename T> struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) dc_pack { T v[4]; };
template <typename T> static __device__ __forceinline__ bool dc_aligned(const T *p) {
  return (unsigned long long)p % alignof(dc_pack<T>) == 0;
}
]=]

-- A lane has 4 neighbouring elements in each round, a warp 128. The counts of four rounds are bytes of one word, at
-- most 128 each. A word of `slots` is the number of this launch (`mark`) and a tile's count; a word of `groups` is the
-- number of the group's published tiles and the sum of their counts. `later`: the groups of the next launch, of which
-- `stale` must be cleared.
local body = [=[
__global__ void __launch_bounds__(THREADS, 3) dc_select(const dc_operands o, void *out_, const void *x_,
    long long *count, unsigned long long *slots_, unsigned long long *groups_, unsigned long long *later,
    const int stale, unsigned *tickets, const unsigned first_ticket, const unsigned mark, const dc_index n,
    const dc_index pieces, const unsigned long long mailbox, const unsigned long long sequence) {
  VALUE *const out = (VALUE *)out_;
  volatile unsigned long long *const slots = slots_, *const groups = groups_;
  extern __shared__ uint4 dc_memory[];
  __shared__ int totals[WARPS];
  __shared__ dc_index sums[WARPS], taken_next;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const dc_index first = warp * (128 * ROUNDS) + lane * 4;
  const bool aligned = dc_aligned(o);
  dc_packs taken[ROUNDS];
  auto load = [&](const dc_index piece) {
    const dc_index begin = piece * TILE + first;
    if (piece * TILE + TILE <= n && aligned) {
      #pragma unroll
      for (int u = 0; u < ROUNDS; u++) dc_take(o, begin + u * 128, taken[u]);
    } else {
      #pragma unroll
      for (int u = 0; u < ROUNDS; u++) {
        #pragma unroll
        for (int k = 0; k < 4; k++)
          if (begin + u * 128 + k < n) dc_take_one(o, begin + u * 128, k, taken[u]);
      }
    }
  };
  if (t == 0) taken_next = (dc_index)(atomicAdd(tickets, 1u) - first_ticket);
  for (int i = blockIdx.x * THREADS + t; i < stale; i += gridDim.x * THREADS) later[i] = 0;
  __syncthreads();
  dc_index piece = taken_next, before = -1; // the tile whose gathered elements are still to be written
  int gathered = 0, side = 0;
  __syncthreads();
  if (piece < pieces) load(piece);
  while (piece < pieces || before >= 0) {
    const bool more = piece < pieces;
    const dc_index begin = piece * TILE + first;
    const bool full = piece * TILE + TILE <= n;
    unsigned bits = 0, run[QUADS], all[QUADS]; // a bit for each selected element
    if (more) {
      if (t == 0) taken_next = (dc_index)(atomicAdd(tickets, 1u) - first_ticket);
      #pragma unroll
      for (int u = 0; u < ROUNDS; u++) {
        #pragma unroll
        for (int k = 0; k < 4; k++) {
          const dc_index i = begin + u * 128;
          if (full || i + k < n) bits |= (unsigned)dc_test(o, taken[u], i, k) << (4 * u + k);
        }
      }
      int in_warp = 0;
      #pragma unroll
      for (int q = 0; q < QUADS; q++) {
        unsigned counts = 0;
        #pragma unroll
        for (int u = 0; u < 4; u++) counts |= __popc(bits >> (16 * q + 4 * u) & 15) << 8 * u;
        unsigned sum = counts;
        #pragma unroll
        for (int s = 1; s < 32; s *= 2) {
          const unsigned other = __shfl_up_sync(~0u, sum, s);
          if (lane >= s) sum += other;
        }
        all[q] = __shfl_sync(~0u, sum, 31);
        run[q] = sum - counts;
        in_warp += (all[q] & 255) + (all[q] >> 8 & 255) + (all[q] >> 16 & 255) + (all[q] >> 24);
      }
      if (lane == 0) totals[warp] = in_warp;
    }
    __syncthreads();
    int own = 0;
    dc_index next = piece;
    if (more) {
      int in_tile = 0;
      #pragma unroll
      for (int w = 0; w < WARPS; w++) {
        if (w == warp) in_tile = own;
        own += totals[w];
      }
      next = taken_next;
      if (t == 0) {
        slots[piece] = (unsigned long long)mark << 32 | own;
        atomicAdd(&groups_[piece / GROUP], 1ull << 32 | own);
      }
      VALUE *const found = (VALUE *)dc_memory + side * TILE;
      FETCH
      #pragma unroll
      for (int u = 0; u < ROUNDS; u++) {
        const unsigned b = bits >> 4 * u & 15;
        int at = in_tile + (int)(run[u / 4] >> 8 * (u % 4) & 255);
        #pragma unroll
        for (int k = 0; k < 4; k++)
          if (b >> k & 1) found[at++] = ELEMENT;
        in_tile += (int)(all[u / 4] >> 8 * (u % 4) & 255);
      }
      if (next < pieces) load(next);
    }
    if (before >= 0) { // the number of selected elements before that tile
      const dc_index group = before / GROUP;
      const int place = (int)(before % GROUP);
      dc_index sum = 0;
      unsigned long long word;
      for (int i = t; i < place; i += THREADS) {
        do word = slots[group * GROUP + i];
        while ((unsigned)(word >> 32) != mark);
        sum += (unsigned)word;
      }
      for (dc_index i = t; i < group; i += THREADS) {
        do word = groups[i];
        while ((unsigned)(word >> 32) != GROUP);
        sum += (unsigned)word;
      }
      #pragma unroll
      for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);
      if (lane == 0) sums[warp] = sum;
    }
    __syncthreads();
    if (before >= 0) {
      dc_index base = 0;
      #pragma unroll
      for (int w = 0; w < WARPS; w++) base += sums[w];
      const VALUE *const found = (VALUE *)dc_memory + (1 - side) * TILE;
      for (int i = t; i < gathered; i += THREADS) out[base + i] = found[i];
      if (t == 0 && before == pieces - 1) {
        *count = base + gathered;
        dc_post(mailbox, sequence, (long long)(base + gathered));
      }
    }
    before = more ? piece : -1;
    gathered = own;
    side = 1 - side;
    piece = next;
  }
}
]=]

-- Elements that the predicate has not read are loaded by fours, of which at least one is selected.
local values = {
  FETCH = [=[
  const VALUE *const x = (const VALUE *)x_;
  dc_pack<VALUE> p[ROUNDS];
  if (full && dc_aligned(x)) {
    #pragma unroll
    for (int u = 0; u < ROUNDS; u++)
      if (bits >> 4 * u & 15) p[u] = *(const dc_pack<VALUE> *)(x + begin + u * 128);
  } else {
    #pragma unroll
    for (int u = 0; u < ROUNDS; u++) {
      #pragma unroll
      for (int k = 0; k < 4; k++)
        if (bits >> (4 * u + k) & 1) p[u].v[k] = x[begin + u * 128 + k];
    }
  }]=],
  ELEMENT = "p[u].v[k]",
}
local taken = { FETCH = "", ELEMENT = "dc_value(taken[u], k)" }
local places = { FETCH = "", ELEMENT = "begin + u * 128 + k + 1" }

-- What the text of a fused predicate defines, for a function of the script, dc_passes, which TEST is the text of.
local element_text = [=[
typedef ELEMENT dc_element;
typedef const void *dc_operands;
TEST
struct dc_packs { dc_pack<dc_element> p; };
static __device__ __forceinline__ bool dc_aligned(const dc_operands o) { return dc_aligned((const dc_element *)o); }
static __device__ __forceinline__ void dc_take(const dc_operands o, const dc_index i, dc_packs &p) {
  p.p = *(const dc_pack<dc_element> *)((const dc_element *)o + i);
}
static __device__ __forceinline__ void dc_take_one(const dc_operands o, const dc_index i, const int k, dc_packs &p) {
  p.p.v[k] = ((const dc_element *)o)[i + k];
}
static __device__ __forceinline__ bool dc_test(const dc_operands, const dc_packs &p, const dc_index, const int k) {
  return dc_passes(p.p.v[k]);
}
static __device__ __forceinline__ dc_element dc_value(const dc_packs &p, const int k) { return p.p.v[k]; }
]=]

-- `part`: the text of the fused predicate (array/codegen/predicate.c); `value`: C type of elements, nil for indices;
-- `shape`: of blocks; `what`: the texts of a source of elements, above.
local function source_of(part, value, shape, what, wide)
  return table.concat { algorithm.opaque_text, ("typedef %s dc_index;\n"):format(wide and "long long" or "int"), packs,
    part, algorithm.post_text, algorithm.fill(algorithm.fill(body, what), { VALUE = value or "long long",
      TILE = shape.tile, ROUNDS = shape.rounds, QUADS = shape.rounds // 4, THREADS = shape.threads,
      WARPS = shape.threads // 32, GROUP = GROUP }) }
end

-- --- calls ------------------------------------------------------------------------------------------------------

local select_ = {}
local kernels = {} -- by device, width of indices and key of the predicate

-- The kernel for a predicate, its operands, and the object that keeps them alive, to be closed after the launch. A
-- predicate that cannot be fused is evaluated first.
local function kernel_for(x, test, shape, wide)
  local own = kernels[test.device]
  if not own then
    own = { [false] = {}, [true] = {} }
    kernels[test.device] = own
  end
  local known = own[wide]
  local kept, key, operands, takes, text = core.fuse_predicate(test, x, known)
  if not key then
    test:eval()
    test = algorithm.flat(test)
    kept, key, operands, takes, text = core.fuse_predicate(test, x, known)
  end
  if not known[key] then
    local value = takes and "dc_value_type" or x and algorithm.opaque[algorithm.dtype(x).size] or nil
    local source = source_of(text, value, shape, takes and taken or x and values or places, wide)
    local kernel = dc.using(test.device, dc.kernel, source, { name = "dc_select", flags = { "--fmad=false" } })
    known[key] = kernel:with { shared = 2 * shape.tile * (x and algorithm.dtype(x).size or 8) }
  end
  return known[key], operands, kept
end

-- Memory of a launch besides operands and result, reused by the next one. It is never part of a graph, since the count
-- is read back.
local workspaces = {}
local function workspace(device, pieces)
  local w = workspaces[device]
  if not w or w.pieces < pieces or w.busy or w.mark == 0xffffffff then
    local groups = (pieces + GROUP - 1) // GROUP
    w = { pieces = pieces, slots = algorithm.zeros(device, pieces, "uint64"), mark = 0, tickets = 0,
      ticket = algorithm.zeros(device, 1, "uint32"), count = empty(device, 1, "int64"),
      now = { sums = algorithm.zeros(device, groups, "uint64"), used = 0 },
      later = { sums = algorithm.zeros(device, groups, "uint64"), used = 0 } }
    workspaces[device] = w
  end
  return w
end

-- Launches the kernel; returns the number of selected elements.
local function run(kernel, operands, out, x, n, shape)
  local device = out.device
  local pieces = (n + shape.tile - 1) // shape.tile
  local mailbox, sequence = algorithm.mailbox(device)
  local w = workspace(device, pieces)
  local blocks = math.min(pieces, device.multiprocessors * (algorithm.is_gpu(device) and 3 or 1))
  w.busy = true -- until the launch has succeeded: its contents are unknown otherwise
  w.mark = w.mark + 1
  w.now, w.later = w.later, w.now
  kernel(blocks, shape.threads, operands, out, x or dc.null, w.count, w.slots, w.now.sums, w.later.sums, w.later.used,
    w.ticket, w.tickets, w.mark, n, pieces, mailbox, sequence)
  w.tickets = (w.tickets + pieces + blocks) & 0xffffffff
  w.now.used, w.later.used = (pieces + GROUP - 1) // GROUP, 0
  local found = algorithm.posted(device, sequence, w.count, 1)
  w.busy = false
  return found
end

-- The first `found` of the n elements of a result.
local function cut(out, found, n)
  if found == n then return out end
  local part = out:slice { 1, found }
  if found >= n // 4 then return part end
  local own = part:copy()
  out:close()
  return own
end

-- The elements of x, which is contiguous, where `tested`, an array or pending expression of the same shape, is not 0;
-- or, without x, the indices of those elements, from 1. The result is 1-d.
function select_.flat(x, tested)
  local device, n = tested.device, tested.size
  local result_type = x and x.dtype or "int64"
  if n == 0 then return empty(device, 0, result_type) end
  local wide = n > algorithm.narrow
  local test = tested.dtype == "bool" and tested or tested:ne(0)
  if not algorithm.is_gpu(device) then test = algorithm.flat(test) end
  local few = algorithm.by_host() and core.host_select(test, x)
  if few then return few end
  local out = empty(device, n, result_type)
  local found
  if not algorithm.is_gpu(device) then
    found = serial.run(out, x, test, n)
  end
  if not found then
    local shape = shape_for(device, x and algorithm.dtype(x).size or 8)
    local kernel, operands, kept = kernel_for(x, test, shape, wide)
    local _ <close> = kept
    found = run(kernel, operands, out, x, n, shape)
  end
  return cut(out, found, n)
end

local function same_shape(a, b)
  if a.ndim ~= b.ndim then return false end
  local s, t = { a:shape() }, { b:shape() }
  for d = 1, #s do
    if s[d] ~= t[d] then return false end
  end
  return true
end

local function shape_text(a)
  local shape = { a:shape() }
  return ("(%s%s)"):format(table.concat(shape, ", "), #shape == 1 and "," or "")
end

-- The elements of the array x where `mask`, an array or pending expression of its shape, is true; of structs, too.
function select_.where(x, mask)
  mask = algorithm.mask(mask)
  if not algorithm.is_struct_array(x) then return select_.flat(algorithm.flat(x), mask) end
  local elements = require "dotcompute.elements"
  local t, at = elements.type(x), select_.flat(nil, mask)
  local found = elements.gather(elements.memory(x), t, at, at.size, math.max(1, at.size), { at.size })
  at:close()
  return elements.wrap(t, found)
end

-- The elements of x for which the function of the script is true.
local function select_by(x, predicate)
  local operators, elements = require "dotcompute.operators", require "dotcompute.elements"
  local device, n = x.device, x.size
  if algorithm.is_struct_array(x) or not algorithm.is_gpu(device) then
    return select_.where(x, operators.mask("select", "the predicate", predicate, x))
  end
  x = algorithm.flat(x)
  local dtype, wide = elements.type(x), n > algorithm.narrow
  local f = operators.of("select", "the predicate", predicate, "an element")
  local test = operators.predicate(f, "dc_passes", "a predicate", dtype)
  if n == 0 then return empty(device, 0, x.dtype) end
  local shape = shape_for(device, dtype.size)
  local kernel = operators.kernel(device, "dc_select", ("%s %s"):format(x.dtype, wide), test, function()
    return elements.header(dtype) .. source_of(algorithm.fill(element_text, { ELEMENT = elements.ctype(dtype) })
      :gsub("TEST", function() return test end), "dc_element", shape, taken, wide)
  end)
  local out = empty(device, n, x.dtype)
  return cut(out, run(kernel:with { shared = 2 * shape.tile * dtype.size }, x, out, x, n, shape), n)
end

function select_.select(...)
  local a, mask = ...
  local n = select("#", ...)
  local few = n == 2 and algorithm.by_host() and core.host_select(mask, a)
  if few then return few end
  if n ~= 2 then arguments.fail_count("select", { "an array", "a mask or a function" }, a, n) end
  local is_struct = algorithm.is_struct_array(a)
  a = is_struct and a or algorithm.array("select", "the first argument", a)
  if type(mask) == "function" or (type(mask) == "table" and require "dotcompute.operators".is(mask)) then
    return select_by(a, mask)
  end
  mask = algorithm.array("select", "the mask", mask, nil, a.device)
  if mask.dtype ~= "bool" then
    fail("dtype", "select: the mask is an array of bool, got one of %s (compare first: x:gt(0))", mask.dtype)
  end
  algorithm.check_device("select", "the mask", mask, a.device)
  if not same_shape(a, mask) then
    fail("shape", "select: the array has the shape %s, the mask %s; they must be the same", shape_text(a),
      shape_text(mask))
  end
  return select_.where(a, mask)
end

-- --- nonzero ----------------------------------------------------------------------------------------------------

-- The coordinates along each axis of flat indices (all from 1).
local unravel
local function coordinates(flat, shape)
  unravel = unravel or dc.elementwise("long long at, long long extent, long long step", "long long c",
    "c = (at - 1) / step % extent + 1", { name = "coordinate" })
  local out, step = {}, 1
  for d = #shape, 1, -1 do
    out[d] = unravel(flat, shape[d], step)
    step = step * shape[d]
  end
  return table.unpack(out, 1, #shape)
end

function select_.nonzero(...)
  local a, n = ..., select("#", ...)
  local few = n == 1 and algorithm.by_host() and core.is_array(a) and a.ndim == 1 and core.host_select(a)
  if few then return few end
  if n ~= 1 then arguments.fail_count("nonzero", { "an array" }, a, n) end
  a = algorithm.array("nonzero", "the first argument", a)
  if a.ndim == 0 then
    fail("shape", "nonzero: an array without axes has no places; a:reshape(1) has one")
  end
  local flat = select_.flat(nil, algorithm.mask(a))
  if a.ndim == 1 then return core.index_promise(flat, a.size, true) end
  return coordinates(flat, { a:shape() })
end

return { select = select_.select, nonzero = select_.nonzero, flat = select_.flat, where = select_.where }
