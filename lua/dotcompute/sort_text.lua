-- The CUDA C of sorting; sort.lua says which kernel is for which rows.
--
-- Keys are moved as raw bits. dc_order maps them to unsigned integers in the wanted order whenever a digit is needed:
-- NaN comes last in both orders, and -0 equals 0.
local algorithm = require "dotcompute.algorithm"

local text = {}

local THREADS = 384
text.THREADS = THREADS

local unsigned = { [1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned int", [8] = "unsigned long long" }
text.unsigned = unsigned

-- The bits of a floating-point dtype's infinity: the exponent's bits set, the significand's clear.
local function infinity(dtype)
  local sign, fraction = 1 << (8 * dtype.size - 1), 1 << (dtype.significand - 1)
  return ("0x%xull"):format(sign - fraction)
end

local function sign_bit(dtype) return ("(dc_key)((dc_key)1 << %d)"):format(8 * dtype.size - 1) end

-- The text of dc_key, dc_order and dc_digit (8 bits from bit `shift`) for a dtype.
function text.order(dtype, descending)
  local out = { ("typedef %s dc_key;"):format(unsigned[dtype.size]),
    "static __device__ __forceinline__ dc_key dc_order(dc_key k) {" }
  local sign = sign_bit(dtype)
  if dtype.kind == "f" then
    out[#out + 1] = ("  const dc_key sign = %s, size = k & (dc_key)~sign;"):format(sign)
    out[#out + 1] = ("  if (size > (dc_key)%s) return (dc_key)~(dc_key)0;"):format(infinity(dtype))
    out[#out + 1] = "  if (size == 0) k = 0;"
    out[#out + 1] = "  k = k & sign ? (dc_key)~k : (dc_key)(k | sign);"
  elseif dtype.kind == "i" then
    out[#out + 1] = ("  k ^= %s;"):format(sign)
  elseif dtype.kind == "b" then
    out[#out + 1] = "  k = k != 0;"
  end
  out[#out + 1] = descending and "  return (dc_key)~k;" or "  return k;"
  out[#out + 1] = "}\nstatic __device__ __forceinline__ unsigned dc_digit(dc_key k, int shift) {"
  out[#out + 1] = "  return (dc_order(k) >> shift) & 255;\n}"
  return table.concat(out, "\n") .. "\n"
end

-- Whether different keys of a dtype may have the same dc_order: -0 and 0, NaN, bools.
local function has_ties(dtype) return dtype.kind == "f" or dtype.kind == "b" end

-- The text of dc_unorder(o, x): the key whose dc_order is o; x points to it, which is read where others have the same
-- order. Of integers dc_order is its own inverse.
local function unorder(dtype, descending)
  local out = { "static __device__ __forceinline__ dc_key dc_unorder(dc_key o, const dc_key *x) {" }
  if dtype.kind == "b" then
    out[2] = "  return *x;"
  elseif dtype.kind == "f" then
    out[2] = ("  const dc_key sign = %s, k = %so;"):format(sign_bit(dtype), descending and "(dc_key)~" or "")
    out[3] = "  if (o == (dc_key)~(dc_key)0 || k == sign) return *x;"
    out[4] = "  return k & sign ? (dc_key)(k ^ sign) : (dc_key)~k;"
  else
    out[2] = "  return dc_order(o);"
  end
  return table.concat(out, "\n") .. "\n}\n"
end

-- dc_less(a, b) of keys in that order.
text.less = [[
static __device__ __forceinline__ bool dc_less(const dc_key &a, const dc_key &b) { return dc_order(a) < dc_order(b); }
]]

-- The text of dc_index, of dc_pay and of the kernel `begin`, a block of which replaces each of a row's `words` counts
-- by the sum of the counts before it.
function text.counting(wide, begin)
  local types = ("typedef %s dc_index;\ntypedef %s dc_pay;\n"):format(wide and "long long" or "int",
    wide and "unsigned long long" or "unsigned int")
  return types .. ("__global__ void %s(dc_index *counts, const int words) {"):format(begin) .. [[

  dc_index *const own = counts + (dc_index)blockIdx.x * words;
  dc_index sum = 0;
  for (int i = 0; i < words; i++) {
    const dc_index count = own[i];
    own[i] = sum;
    sum += count;
  }
}
]]
end

-- --- digits of a tile -------------------------------------------------------------------------------------------

-- A warp has 32 * ITEMS neighbouring keys, each lane every 32nd of them. dc_rank computes each key's position in the
-- tile stably sorted by one digit. Lanes with equal digits find each other by a word of shared memory for each digit
-- (dc_peers). `publish` gets the number of keys with digit threadIdx.x, and tile_start becomes their first position, in
-- the first 256 threads.
local rank_text = [=[
enum { dc_threads = THREADS, dc_items = ITEMS, dc_warps = dc_threads / 32, dc_tile = dc_threads * dc_items };
struct dc_shared {
  unsigned counts[dc_warps][256];
  unsigned totals[8];
  union {
    unsigned masks[dc_warps][256];
    dc_key keys[dc_tile];
    PAYSHARED
  };
};
static __device__ __forceinline__ unsigned dc_peers(unsigned digit, int lane, unsigned *masks) {
  atomicOr(&masks[digit], 1u << lane);
  __syncwarp();
  const unsigned peers = masks[digit];
  __syncwarp();
  if (31 - __clz(peers) == lane) masks[digit] = 0;
  __syncwarp();
  return peers;
}
template <typename Publish>
static __device__ __forceinline__ void dc_rank(dc_shared &s, const dc_key (&key)[dc_items], int shift,
                                               unsigned (&place)[dc_items], unsigned &tile_start, Publish publish) {
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned *const counts = s.counts[warp];
  for (int d = lane; d < 256; d += 32) counts[d] = 0;
  for (int d = lane; d < 256; d += 32) s.masks[warp][d] = 0;
  __syncwarp();
  #pragma unroll
  for (int i = 0; i < dc_items; i++) atomicAdd(&counts[dc_digit(key[i], shift)], 1u);
  __syncthreads();
  unsigned count = 0;
  if (t < 256) {
    #pragma unroll
    for (int w = 0; w < dc_warps; w++) {
      const unsigned c = s.counts[w][t];
      s.counts[w][t] = count;
      count += c;
    }
    publish(count);
    unsigned run = count;
    #pragma unroll
    for (int n = 1; n < 32; n *= 2) {
      const unsigned other = __shfl_up_sync(~0u, run, n);
      if (lane >= n) run += other;
    }
    if (lane == 31) s.totals[warp] = run;
    tile_start = run - count;
  }
  __syncthreads();
  if (t < 256) {
    for (int w = 0; w < warp; w++) tile_start += s.totals[w];
    #pragma unroll
    for (int w = 0; w < dc_warps; w++) s.counts[w][t] += tile_start;
  }
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < dc_items; i++) {
    const unsigned digit = dc_digit(key[i], shift), peers = dc_peers(digit, lane, s.masks[warp]);
    const unsigned before = peers & ((1u << lane) - 1);
    const int leader = 31 - __clz(peers);
    unsigned first = 0;
    if (lane == leader) first = atomicAdd(&counts[digit], __popc(peers));
    place[i] = __shfl_sync(~0u, first, leader) + __popc(before);
  }
  __syncthreads();
}
]=]

local function ranking(v)
  return algorithm.fill(rank_text, { THREADS = THREADS, ITEMS = v.items,
    PAYSHARED = v.pay and "dc_pay pays[dc_tile];" or "" })
end

local function types(v)
  return ("typedef %s dc_index;\n"):format(v.wide and "long long" or "int")
    .. (v.pay and ("typedef %s dc_pay;\n"):format(v.pay) or "") .. text.order(v.dtype, v.descending)
end

-- Padding of an incomplete tile: keys whose digits are all 255, which are sorted last.
local load_text = [=[
  const int dc_t = threadIdx.x;
  const dc_index dc_first = dc_piece * dc_tile + dc_t / 32 * (32 * dc_items) + dc_t % 32;
  dc_key dc_k[dc_items];
  #pragma unroll
  for (int i = 0; i < dc_items; i++) {
    const dc_index at = dc_first + i * 32;
    dc_k[i] = at < dc_total ? dc_from[dc_row + at] : PAD;
  }
]=]

-- The key that is not before any other.
local function pad_of(v)
  local d = v.dtype
  if d.kind == "f" then return "(dc_key)((dc_key)~(dc_key)0 >> 1)" end -- a NaN
  if d.kind == "i" then
    local most = "(dc_key)((dc_key)~(dc_key)0 >> 1)"
    return v.descending and ("(dc_key)~%s"):format(most) or most
  end
  return v.descending and "(dc_key)0" or "(dc_key)~(dc_key)0"
end

-- --- a pass over long rows --------------------------------------------------------------------------------------

-- One digit. Tiles are numbered in the order in which blocks start. The thread of each digit counts it in earlier tiles
-- by decoupled look-back at published words: a tile's own count (flag 1), or the sum up to that tile (flag 2).
local pass_text = [=[
__global__ void __launch_bounds__(dc_threads) dc_sort_pass(void *dc_keys_to, const void *dc_keys_from,
    PAYOUT *dc_pay_to, const PAYIN *dc_pay_from, const unsigned long long *dc_bins, void *dc_state,
    const dc_index dc_total, const dc_index dc_pieces, const int dc_shift, const int dc_pass, const int dc_passes) {
  dc_key *const dc_to = (dc_key *)dc_keys_to;
  const dc_key *const dc_from = (const dc_key *)dc_keys_from;
  __shared__ dc_shared s;
  __shared__ dc_index dc_base[256];
  __shared__ unsigned dc_number;
  if (threadIdx.x == 0) dc_number = atomicAdd((unsigned *)dc_state + 2 * dc_pass, 1u);
  __syncthreads();
  const dc_index dc_job = dc_number, dc_o = dc_job / dc_pieces, dc_piece = dc_job % dc_pieces;
  const dc_index dc_row = dc_o * dc_total;
LOAD
  unsigned dc_place[dc_items], dc_start = 0, dc_count = 0;
  volatile dc_word *const status = (volatile dc_word *)((unsigned long long *)dc_state + 8)
    + ((dc_index)dc_pass * gridDim.x + dc_job) * 256 + dc_t;
  dc_rank(s, dc_k, dc_shift, dc_place, dc_start, [&](unsigned count) {
    dc_count = count;
    *status = (dc_word)(dc_piece == 0 ? 2 : 1) << dc_flag | count;
  });
  #pragma unroll
  for (int i = 0; i < dc_items; i++) s.keys[dc_place[i]] = dc_k[i];
  if (dc_t < 256) {
    dc_word before = 0;
    if (dc_piece > 0) {
      for (dc_index back = 1; ; back++) {
        const volatile dc_word *const other = status - back * 256;
        dc_word word;
        do word = *other; while (word >> dc_flag == 0);
        before += word & (((dc_word)1 << dc_flag) - 1);
        if (word >> dc_flag == 2) break;
      }
      *status = (dc_word)2 << dc_flag | (before + dc_count);
    }
    dc_base[dc_t] = (dc_index)(dc_bins[(dc_o * dc_passes + dc_pass) * 256 + dc_t] + before) - (dc_index)dc_start;
  }
  __syncthreads();
  const dc_index dc_left = dc_total - dc_piece * dc_tile;
  const int dc_have = dc_left < dc_tile ? (int)dc_left : dc_tile;
  dc_index dc_target[dc_items];
  #pragma unroll
  for (int i = 0; i < dc_items; i++) {
    const int at = dc_t + i * dc_threads;
    const dc_key k = s.keys[at];
    dc_target[i] = dc_row + dc_base[dc_digit(k, dc_shift)] + at;
    KEYOUT
  }
PAYLOAD
}
]=]

local key_out = "if (at < dc_have) dc_to[dc_target[i]] = k;"
local payload_text = [=[
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < dc_items; i++) {
    const dc_index at = dc_first + i * 32;
    if (at < dc_total) s.pays[dc_place[i]] = PAYLOAD_FROM;
  }
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < dc_items; i++) {
    const int at = dc_t + i * dc_threads;
    if (at < dc_have) dc_pay_to[dc_target[i]] = (PAYOUT)s.pays[at]PLUS;
  }
]=]

-- Fields of v: dtype; descending; items; wide (64-bit indices); pay (C type of payloads, or nil); first and last
-- (whether it is the first or the last pass); keys (whether keys are written).
function text.pass(v)
  local pay_in = v.pay and (v.first and "void" or v.pay) or "void"
  local fill = { LOAD = load_text:gsub("PAD", pad_of(v)), KEYOUT = v.keys and key_out or "", PAYIN = pay_in,
    PAYOUT = v.pay and (v.last and "long long" or v.pay) or "void", PAYLOAD = "" }
  if v.pay then
    fill.PAYLOAD = payload_text:gsub("PAYLOAD_FROM", v.first and "(dc_pay)at" or "dc_pay_from[dc_row + at]")
      :gsub("PLUS", v.last and " + 1" or ""):gsub("PAYOUT", fill.PAYOUT)
  end
  return table.concat { types(v), ranking(v),
    ("typedef %s dc_word;\nenum { dc_flag = %d };\n"):format(v.wide and "unsigned long long" or "unsigned int",
      v.wide and 62 or 30), algorithm.fill(pass_text, fill) }
end

-- --- counts of digits -------------------------------------------------------------------------------------------

local bins_text = [=[
__global__ void __launch_bounds__(256) dc_sort_bins(unsigned long long *bins, const void *x, const dc_index total,
                                                    const dc_index pieces, const dc_index length) {
  enum { passes = sizeof(dc_key), parts = passes > 4 ? 2 : 4 }; // copies of a counter, shared among lanes
  __shared__ unsigned counts[passes][256 * parts];
  const int t = threadIdx.x, part = t % parts;
  #pragma unroll
  for (int p = 0; p < passes; p++) {
    for (int i = t; i < 256 * parts; i += 256) counts[p][i] = 0;
  }
  __syncthreads();
  const dc_index row = blockIdx.x / pieces, first = blockIdx.x % pieces * length;
  const dc_index end = total - first < length ? total : first + length;
  const dc_key *const from = (const dc_key *)x + row * total;
  for (dc_index i = first + t; i < end; i += 4 * 256) {
    dc_key k[4];
    #pragma unroll
    for (int u = 0; u < 4; u++) k[u] = i + u * 256 < end ? from[i + u * 256] : 0;
    #pragma unroll
    for (int u = 0; u < 4; u++) {
      if (i + u * 256 < end) {
        const dc_key o = dc_order(k[u]);
        #pragma unroll
        for (int p = 0; p < passes; p++) atomicAdd(&counts[p][(o >> (8 * p) & 255) * parts + part], 1u);
      }
    }
  }
  __syncthreads();
  #pragma unroll
  for (int p = 0; p < passes; p++) {
    unsigned long long sum = 0;
    for (int k = 0; k < parts; k++) sum += counts[p][t * parts + k];
    if (sum) atomicAdd(&bins[(row * passes + p) * 256 + t], sum);
  }
}
]=]

function text.bins(v) return types(v) .. bins_text end

-- Counts become the first positions of digits.
function text.starts()
  return [=[
__global__ void __launch_bounds__(256) dc_sort_starts(unsigned long long *bins) {
  __shared__ unsigned long long totals[8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const unsigned long long own = bins[blockIdx.x * 256ll + t];
  unsigned long long run = own;
  for (int n = 1; n < 32; n *= 2) {
    const unsigned long long other = __shfl_up_sync(~0u, run, n);
    if (lane >= n) run += other;
  }
  if (lane == 31) totals[warp] = run;
  __syncthreads();
  for (int w = 0; w < warp; w++) run += totals[w];
  bins[blockIdx.x * 256ll + t] = run - own;
}
]=]
end

-- --- rows that fit into a block ---------------------------------------------------------------------------------

local block_text = [=[
__global__ void __launch_bounds__(dc_threads) dc_sort_rows(void *dc_keys_to, const void *dc_keys_from,
                                                           long long *dc_index_to, const dc_index dc_total) {
  dc_key *const dc_to = (dc_key *)dc_keys_to;
  const dc_key *const dc_from = (const dc_key *)dc_keys_from;
  __shared__ dc_shared s;
  const dc_index dc_piece = 0, dc_row = (long long)blockIdx.x * dc_total;
LOAD
  PAYBEGIN
  for (int shift = 0; shift < 8 * (int)sizeof(dc_key); shift += 8) {
    unsigned place[dc_items], start;
    dc_rank(s, dc_k, shift, place, start, [](unsigned) {});
    #pragma unroll
    for (int i = 0; i < dc_items; i++) s.keys[place[i]] = dc_k[i];
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < dc_items; i++) dc_k[i] = s.keys[dc_first + i * 32];
    __syncthreads();
    PAYMOVE
  }
  #pragma unroll
  for (int i = 0; i < dc_items; i++) {
    const dc_index at = dc_first + i * 32;
    if (at < dc_total) {
      KEYOUT
      PAYEND
    }
  }
}
]=]

local block_pay = {
  PAYBEGIN = [=[
  dc_pay dc_p[dc_items];
  #pragma unroll
  for (int i = 0; i < dc_items; i++) dc_p[i] = (dc_pay)(dc_first + i * 32);]=],
  PAYMOVE = [=[
    #pragma unroll
    for (int i = 0; i < dc_items; i++) s.pays[place[i]] = dc_p[i];
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < dc_items; i++) dc_p[i] = s.pays[dc_first + i * 32];
    __syncthreads();]=],
  PAYEND = "dc_index_to[dc_row + at] = (long long)dc_p[i] + 1;",
}

function text.block(v)
  local fill = { LOAD = load_text:gsub("PAD", pad_of(v)), PAYBEGIN = "", PAYMOVE = "", PAYEND = "",
    KEYOUT = v.keys and "dc_to[dc_row + at] = dc_k[i];" or "" }
  for name, piece in pairs(v.pay and block_pay or {}) do fill[name] = piece end
  return table.concat { types(v), ranking(v), algorithm.fill(block_text, fill) }
end

-- --- short rows -------------------------------------------------------------------------------------------------

-- A thread for each element, whose position is the number of elements before it. A row has WIDTH threads, a block
-- 256 / WIDTH rows.
local short_text = [=[
__global__ void __launch_bounds__(256) dc_sort_short(void *to, const void *from, long long *index_to,
                                                     const dc_index total, const long long rows) {
  __shared__ dc_key keys[256];
  const int t = threadIdx.x, at = t % WIDTH, base = t - at;
  const long long row = (long long)blockIdx.x * (256 / WIDTH) + t / WIDTH;
  const bool have = row < rows && at < total;
  dc_key own = 0;
  if (have) {
    own = ((const dc_key *)from)[row * total + at];
    keys[t] = dc_order(own);
  }
  __syncthreads();
  if (!have) return;
  const dc_key mine = keys[t];
  int place = 0;
  for (int k = 0; k < total; k++) {
    const dc_key other = keys[base + k];
    place += other < mine || (other == mine && k < at);
  }
  KEYOUT
  PAYEND
}
]=]

function text.short(v)
  return types(v) .. algorithm.fill(short_text, { WIDTH = v.width,
    KEYOUT = v.keys and "((dc_key *)to)[row * total + place] = own;" or "",
    PAYEND = v.pay and "index_to[row * total + place] = at + 1;" or "" })
end

-- A lane for each row of up to WIDTH elements, whose words stand in a column of shared memory. All lanes exchange the
-- same two places: merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M; Batcher, 1968), which
-- takes any number of elements. It keeps no order of equal keys, so that these are made unequal by their places: as the
-- low 8 bits of a word or, of keys of 8 bytes, in memory of their own. Integers without indices need no places.
local network_text = [=[
typedef WORD dc_word;
__global__ void __launch_bounds__(32) dc_sort_network(void *to, const void *from, long long *index_to,
                                                      const dc_index total, const long long rows) {
  __shared__ dc_word words[WIDTH * 32];
  PLACES
  const int t = threadIdx.x, n = (int)total;
  const long long row = (long long)blockIdx.x * 32 + t;
  if (row >= rows) return;
  const dc_key *const x = (const dc_key *)from + row * total;
  for (int i = 0; i < n; i++) {
    const dc_word k = dc_order(x[i]);
    LOAD
  }
  int top = 1;
  while (top * 2 < n) top *= 2;
  #pragma unroll 1
  for (int p = top; p > 0; p /= 2) {
    int q = top, first = 0, apart = p;
    #pragma unroll 1
    while (true) {
      #pragma unroll 1
      for (int start = first; start + apart < n; start += 2 * p) {
        const int end = min(start + p, n - apart);
        #pragma unroll 1
        for (int i = start; i < end; i++) {
          dc_word *const u = words + i * 32 + t, *const v = u + apart * 32;
          const dc_word a = *u, b = *v;
          EXCHANGE
        }
      }
      if (q == p) break;
      apart = q - p;
      q /= 2;
      first = p;
    }
  }
  for (int i = 0; i < n; i++) {
    const dc_word k = words[i * 32 + t];
    STORE
  }
}
]=]

function text.network(v)
  local size, wide = v.dtype.size, "unsigned long long"
  local fill = { WIDTH = v.width, WORD = size == 8 and wide or "unsigned", PLACES = "", LOAD = "words[i * 32 + t] = k;",
    EXCHANGE = "*u = min(a, b), *v = max(a, b);" }
  local order, place = "k", "0"
  local needs_places = v.pay or has_ties(v.dtype)
  if needs_places and size == 8 then
    fill.PLACES = ("__shared__ unsigned places[%d * 32];"):format(v.width)
    fill.LOAD = fill.LOAD .. " places[i * 32 + t] = i;"
    fill.EXCHANGE = [[
unsigned *const g = places + i * 32 + t, *const h = g + apart * 32;
          const unsigned c = *g, d = *h;
          const bool swap = b < a || (b == a && d < c);
          *u = swap ? b : a, *v = swap ? a : b, *g = swap ? d : c, *h = swap ? c : d;]]
    place = "places[i * 32 + t]"
  elseif needs_places then
    fill.WORD = size == 4 and wide or "unsigned"
    fill.LOAD = "words[i * 32 + t] = k << 8 | i;"
    order, place = "k >> 8", "k & 255"
  end
  fill.STORE = (v.keys and "((dc_key *)to)[row * total + i] = dc_unorder((dc_key)(ORDER), x + (PLACE)); " or "")
    .. (v.pay and "index_to[row * total + i] = (long long)(PLACE) + 1;" or "")
  fill.STORE = algorithm.fill(fill.STORE, { ORDER = order, PLACE = place })
  return types(v) .. unorder(v.dtype, v.descending) .. algorithm.fill(network_text, fill)
end

return text
