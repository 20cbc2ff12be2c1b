-- The CUDA C of dc.scan's kernels, which scan.lua describes.
--
-- Names: dc_m rows of dc_total elements, each in dc_pieces tiles or chunks; dc_o is the number of a row, dc_piece that
-- of a tile or chunk in it; dc_x and dc_y are the row's offsets in input and output, dc_x_r and dc_y_r their strides.
local builder = require "dotcompute.builder"
local lookback = require "dotcompute.lookback_text"

local BLOCK, WARPS, LANE = 256, 8, 4

-- How many times a lane reads LANE elements of a tile, for accumulators of `size` bytes: as many bytes in flight as fit
-- into registers.
local function rounds_for(size) return size > 8 and 2 or size > 4 and 4 or 8 end
local function tile_for(size) return 32 * LANE * WARPS * rounds_for(size) end

-- What words of capitals in the texts stand for.
local function sizes(size, rolled)
  local rounds = rounds_for(size)
  return { BEGIN = rolled and "dc_r" or 0, END = rolled and "dc_r + 1" or rounds, SLOT = rolled and 0 or "dc_u",
    HELD = rolled and 1 or rounds, WARPS = WARPS, LANE = LANE, BLOCK = BLOCK, ROUNDS = rounds,
    CHUNK = 32 * LANE * rounds,
    TILE = tile_for(size), COUNT = WARPS * rounds, OWN = math.max(1, WARPS * rounds // 32) }
end

-- The offsets dc_x and dc_y of row dc_o in the input and the output.
local function row_places(v)
  local out = { "  dc_index dc_rest = dc_o, dc_c, dc_x = 0, dc_y = 0;" }
  for d = v.kept, 1, -1 do
    out[#out + 1] = d > 1 and ("  dc_c = dc_rest %% dc_nk%d; dc_rest /= dc_nk%d;"):format(d, d) or "  dc_c = dc_rest;"
    out[#out + 1] = ("  dc_x += dc_c * dc_x_k%d; dc_y += dc_c * dc_y_k%d;"):format(d, d)
  end
  return table.concat(out, "\n") .. "\n"
end

local function signature(v)
  local list = { "dc_result *dc_out", v.team and "void *dc_state" or ("%s *dc_parts"):format(v.acc),
    ("const %s *%s"):format(v.input.ctype, v.input.name) }
  local size = v.team and "dc_row_words" or "dc_length"
  for _, name in ipairs { "dc_m", "dc_total", "dc_pieces", size, "dc_x_r", "dc_y_r" } do
    list[#list + 1] = "dc_index " .. name
  end
  for d = 1, v.kept do list[#list + 1] = ("dc_index dc_x_k%d, dc_index dc_y_k%d"):format(d, d) end
  for d = 2, v.kept do list[#list + 1] = ("dc_index dc_nk%d"):format(d) end
  if v.ahead then list[#list + 1] = "dc_index dc_lead" end
  if v.flags then list[#list + 1] = "unsigned char *dc_flags" end
  return table.concat(list, ", ")
end

local function functions(v)
  local out = { ("%stypedef %s dc_acc;\ntypedef %s dc_result;"):format(v.front or "", v.acc, v.output.ctype) }
  local function define(name, params, piece, text)
    out[#out + 1] = ("static __device__ __forceinline__ dc_acc dc_%s(%s) { return (dc_acc)(%s); }"):format(name, params,
      builder.piece(piece, text))
  end
  define("map", ("%s %s, const dc_index i, const dc_index n"):format(v.input.ctype, v.input.name), "map",
    v.first and v.map or v.input.name)
  define("fold", "const dc_acc a, const dc_acc b", "op", v.op)
  if v.identity then define("identity", "", "identity", v.identity) end
  if v.guard then
    out[#out + 1] = ("static __device__ __forceinline__ bool dc_fits(const dc_acc a) { return %s; }"):format(v.guard)
  end
  return table.concat(out, "\n") .. "\n"
end

-- Replaces the variable named `value` by its prefix. dc_run is the prefix of the element before, if dc_have is true.
local function step(v, indent, value)
  if v.exclusive then
    return ([[
{const dc_acc dc_v = VALUE;
 VALUE = dc_have ? dc_run : dc_identity();
 dc_run = dc_have ? dc_fold(dc_run, dc_v) : dc_v;
 dc_have = true;}]]):gsub("VALUE", value):gsub("\n", "\n" .. indent)
  end
  return ("dc_run = dc_have ? dc_fold(dc_run, VALUE) : VALUE; dc_have = true; VALUE = dc_run;"):gsub("VALUE", value)
end

local function element(v, number)
  return ("dc_map(%s, %s, dc_total)"):format(
    builder.load(v.input.dtype, v.input.name, ("dc_x + (%s) * dc_x_r"):format(number)), number)
end

-- A lane reads LANE neighbouring elements in each of ROUNDS rounds, STRIDE apart, from dc_begin on. dc_full: the tile
-- is complete. On a GPU the loops over rounds are unrolled and dc_item holds those of all rounds, HELD. Elsewhere the
-- texts for BEGIN to END are those of one round dc_r, in a loop ROLL ... DONE: an eighth of the code to compile, for
-- which elements that are needed twice are computed AGAIN.
local load_one_text = [[
    #pragma unroll
    for (int dc_u = BEGIN; dc_u < END; dc_u++) {
      #pragma unroll
      for (int dc_k = 0; dc_k < LANE; dc_k++) {
        const dc_index dc_i = dc_begin + dc_u * STRIDE + dc_k;
        if (dc_full || dc_i < dc_total) dc_item[SLOT][dc_k] = ELEMENT;
        else dc_item[SLOT][dc_k] = dc_acc();
      }
    }
]]

-- All loads are issued before the first value is used.
local load_text = [[
    if (dc_full) {
      dc_pack<INPUT> dc_p[HELD];
      #pragma unroll
      for (int dc_u = BEGIN; dc_u < END; dc_u++)
        dc_p[SLOT] = *(const dc_pack<INPUT> *)(NAME + dc_x + dc_begin + dc_u * STRIDE);
      #pragma unroll
      for (int dc_u = BEGIN; dc_u < END; dc_u++) {
        #pragma unroll
        for (int dc_k = 0; dc_k < LANE; dc_k++) dc_item[SLOT][dc_k] = PACKED;
      }
    } else
]]

-- Prefixes of each lane's elements, and across lanes: dc_run is the prefix up to this lane, dc_left that of lanes
-- before.
local fold_text = [[
      #pragma unroll
      for (int dc_k = 1; dc_k < LANE; dc_k++)
        dc_item[SLOT][dc_k] = dc_fold(dc_item[SLOT][dc_k - 1], dc_item[SLOT][dc_k]);
      const dc_acc dc_run = dc_warp_scan(dc_item[SLOT][LANE - 1], dc_lane);
      dc_acc dc_left = dc_from_below(dc_run, 1);
]]

-- Exclusive prefixes: shifted by one element; dc_before, if dc_have, comes before lane 0.
local shift_text = [[
      dc_acc dc_edge = dc_from_below(dc_item[SLOT][LANE - 1], 1);
      if (dc_lane == 0) dc_edge = dc_have ? dc_before : dc_identity();
      #pragma unroll
      for (int dc_k = LANE - 1; dc_k > 0; dc_k--) dc_item[SLOT][dc_k] = dc_item[SLOT][dc_k - 1];
      dc_item[SLOT][0] = dc_edge;
]]

local store_text = [[
STORE    #pragma unroll
    for (int dc_u = BEGIN; dc_u < END; dc_u++) {
      #pragma unroll
      for (int dc_k = 0; dc_k < LANE; dc_k++) {
        const dc_index dc_i = dc_begin + dc_u * STRIDE + dc_k;
        if (dc_full || dc_i < dc_total) {
          const dc_acc dc_value = dc_item[SLOT][dc_k];
          CHECK
          WRITE;
        }
      }
    }
]]

local pack_text = [[
    if (dc_full) {
      #pragma unroll
      for (int dc_u = BEGIN; dc_u < END; dc_u++) {
        dc_pack<dc_result> dc_p;
        #pragma unroll
        for (int dc_k = 0; dc_k < LANE; dc_k++) {
          const dc_acc dc_value = dc_item[SLOT][dc_k];
          CHECK
          dc_p.v[dc_k] = (dc_result)dc_value;
        }
        *(dc_pack<dc_result> *)(dc_out + dc_y + dc_begin + dc_u * STRIDE) = dc_p;
      }
    } else
]]

-- A row of which a prefix does not fit (scan.lua): from the first such element on, elements are combined one after
-- another, by one thread.
local rerun_text = [[
    dc_acc dc_run;
    bool dc_fit = true;
    for (dc_index dc_i = 0; dc_i < dc_total; dc_i++) {
      const dc_acc dc_v = ELEMENT;
      dc_run = dc_i > 0 ? dc_fold(dc_run, dc_v) : dc_v;
      dc_fit = dc_fit && dc_fits((dc_acc)dc_out[dc_y + dc_i * dc_y_r]);
      if (!dc_fit) dc_out[dc_y + dc_i * dc_y_r] = (dc_result)dc_run;
    }
]]
local rerun_warp_text = [[
  __syncwarp();
  if (__any_sync(~0u, dc_unfit) && dc_lane == 0) {
RERUN
  }
]]
local rerun_rows_text = [[
  for (dc_index dc_o = blockIdx.x; dc_o < dc_m; dc_o += gridDim.x) {
    if (!dc_flags[dc_o]) continue;
PLACES
RERUN
  }
]]
local unfit_text, flag_text = "  bool dc_unfit = false;\n", "  if (dc_unfit) dc_flags[dc_o] = 1;\n"

-- A warp for each row, CHUNK elements at a time; dc_carry is the prefix so far.
local short_text = [[
  const int dc_lane = threadIdx.x % 32;
  const dc_index dc_o = (dc_index)blockIdx.x * WARPS + threadIdx.x / 32;
  if (dc_o >= dc_m) return;
PLACES  dc_acc dc_carry = dc_acc();
UNFIT
  for (dc_index dc_chunk = 0; dc_chunk < dc_total; dc_chunk += CHUNK) {
    const dc_index dc_begin = dc_chunk + dc_lane * LANE;
    const bool dc_full = dc_chunk + CHUNK <= dc_total;
    dc_acc dc_item[HELD][LANE];
ROLL
LOAD
    #pragma unroll
    for (int dc_u = BEGIN; dc_u < END; dc_u++) {
FOLD
      const bool dc_have = dc_u > 0 || dc_chunk > 0;
      const dc_acc dc_before = dc_carry, dc_round = dc_from_lane(dc_run, 31);
      if (dc_have) dc_left = dc_lane > 0 ? dc_fold(dc_before, dc_left) : dc_before;
      dc_carry = dc_have ? dc_fold(dc_before, dc_round) : dc_round;
      if (dc_have || dc_lane > 0) {
        #pragma unroll
        for (int dc_k = 0; dc_k < LANE; dc_k++) dc_item[SLOT][dc_k] = dc_fold(dc_left, dc_item[SLOT][dc_k]);
      }
SHIFT
    }
RESULT
DONE
  }
FLAG
]]

-- dc_item becomes the prefixes within each round of a warp; dc_totals[n] is the aggregate of warp n % WARPS in round
-- n / WARPS.
local note_text = [[
      if (dc_lane == 31) dc_totals[dc_u * WARPS + dc_warp] = dc_run;
]]
local piece_text = [[
    #pragma unroll
    for (int dc_u = BEGIN; dc_u < END; dc_u++) {
FOLD
NOTE
      if (dc_lane > 0) {
        #pragma unroll
        for (int dc_k = 0; dc_k < LANE; dc_k++) dc_item[SLOT][dc_k] = dc_fold(dc_left, dc_item[SLOT][dc_k]);
      }
    }
]]

-- By one warp: dc_sums are the prefixes of a lane's OWN aggregates; dc_left is the prefix of the lanes before, dc_all
-- the aggregate of the tile.
local totals_text = [[
    dc_acc dc_sums[OWN];
    #pragma unroll
    for (int dc_k = 0; dc_k < OWN; dc_k++) {
      dc_sums[dc_k] = dc_totals[(dc_lane * OWN + dc_k) % COUNT];
      if (dc_k > 0) dc_sums[dc_k] = dc_fold(dc_sums[dc_k - 1], dc_sums[dc_k]);
    }
    const dc_acc dc_run = dc_warp_scan(dc_sums[OWN - 1], dc_lane);
    const dc_acc dc_left = dc_from_below(dc_run, 1), dc_all = dc_from_lane(dc_run, COUNT / OWN - 1);
]]

local publish_text = [[
    if (dc_pieces > 1 && dc_lane == 0) dc_publish(dc_slots + dc_piece * dc_words, dc_all, dc_mark);
]]

-- The row and tile of a block, and where they lie.
local job_text = [[
  const dc_index dc_o = dc_job / dc_pieces, dc_piece = dc_job % dc_pieces;
  unsigned long long *const dc_slots = (unsigned long long *)dc_state + dc_o * dc_row_words;
]]
local places_text = [[
PLACES  const dc_index dc_begin = dc_piece * TILE + dc_t * LANE;
  const bool dc_full = dc_piece * TILE + TILE <= dc_total;
]]

-- A block also reduces the tile that is dc_lead tiles ahead of its own and publishes its aggregate, so that later
-- blocks do not wait for it. That tile is still in the L2 cache when its own block reads it.
local ahead_text = [[
  dc_acc *const dc_early = dc_totals + COUNT + dc_folds;
  const bool dc_ahead = blockIdx.x < dc_m * dc_pieces;
  if (dc_ahead) {
    dc_acc *const dc_totals = dc_early;
    const dc_index dc_job = blockIdx.x;
JOB
WHERE
    dc_acc dc_item[HELD][LANE];
LOAD
PIECE
  }
]]
local early_text = [[
    if (dc_ahead) {
      dc_acc *const dc_totals = dc_early;
      const dc_index dc_job = blockIdx.x;
JOB
TOTALS
PUBLISH
    }
]]

-- A block for each tile of a row. dc_totals become the prefixes of a tile's aggregates; the shared memory of the
-- look-back follows them.
local tile_text = [[
  __shared__ alignas(16) unsigned char dc_memory[(SHARED + dc_folds) * sizeof(dc_acc)];
  dc_acc *const dc_totals = (dc_acc *)dc_memory;
  enum { dc_mark = 1 };
  const int dc_t = threadIdx.x, dc_lane = dc_t % 32, dc_warp = dc_t / 32;
  const dc_index dc_job = (dc_index)blockIdx.x - FIRST;
JOB
WHERE
  dc_acc dc_item[HELD][LANE];
UNFIT
ROLL
  if (MINE) {
LOAD
  }
AHEAD
  if (MINE) {
PIECE
  }
DONE
  __syncthreads();
  dc_acc dc_own = dc_acc();
  if (dc_warp == 0) {
EARLY
TOTALS
    __syncwarp();
    #pragma unroll
    for (int dc_k = 0; dc_k < OWN; dc_k++) {
      if (dc_lane > 0) dc_sums[dc_k] = dc_fold(dc_left, dc_sums[dc_k]);
      if (dc_lane < COUNT / OWN) dc_totals[dc_lane * OWN + dc_k] = dc_sums[dc_k];
    }
    dc_own = dc_all;
NOW
  }
  if (!MINE) return;
  dc_acc dc_older = dc_own;
  if (dc_pieces > 1) dc_older = dc_look_back(dc_slots, dc_piece, dc_pieces, dc_own, dc_mark, dc_totals + COUNT);
  else __syncthreads();
ROLL
AGAIN
  #pragma unroll
  for (int dc_u = BEGIN; dc_u < END; dc_u++) {
    const int dc_at = dc_u * WARPS + dc_warp;
    const bool dc_have = dc_piece > 0 || dc_at > 0;
    dc_acc dc_before = dc_piece > 0 ? dc_older : dc_totals[0];
    if (dc_at > 0) dc_before = dc_piece > 0 ? dc_fold(dc_before, dc_totals[dc_at - 1]) : dc_totals[dc_at - 1];
    if (dc_have) {
      #pragma unroll
      for (int dc_k = 0; dc_k < LANE; dc_k++) dc_item[SLOT][dc_k] = dc_fold(dc_before, dc_item[SLOT][dc_k]);
    }
SHIFT
  }
RESULT
DONE
FLAG
]]

local columns_text = [[
  const dc_index dc_job = (dc_index)blockIdx.x * BLOCK + threadIdx.x;
  if (dc_job >= dc_m * dc_pieces) return;
  const dc_index dc_o = dc_job % dc_m, dc_piece = dc_job / dc_m;
PLACES  const dc_index dc_first = dc_piece * dc_length, dc_stop = dc_first + dc_length;
  const dc_index dc_end = dc_stop < dc_total ? dc_stop : dc_total;
  dc_acc dc_run;
  bool dc_have = false;
]]

-- Loads are issued in batches, explicitly: input and output may overlap, for all the compiler knows.
local column_sums_text = [[
  dc_index dc_i = dc_first;
  for (; dc_i + BATCH <= dc_end; dc_i += BATCH) {
    dc_acc dc_next[BATCH];
    #pragma unroll
    for (int dc_k = 0; dc_k < BATCH; dc_k++) dc_next[dc_k] = LATER;
    #pragma unroll
    for (int dc_k = 0; dc_k < BATCH; dc_k++)
      dc_run = dc_have ? dc_fold(dc_run, dc_next[dc_k]) : dc_next[dc_k], dc_have = true;
  }
  for (; dc_i < dc_end; dc_i++) {
    const dc_acc dc_v = ELEMENT;
    dc_run = dc_have ? dc_fold(dc_run, dc_v) : dc_v, dc_have = true;
  }
  dc_parts[dc_job] = dc_run;
]]

local column_apply_text = [[
UNFIT
  if (dc_piece > 0) dc_run = dc_parts[dc_job - dc_m], dc_have = true;
  dc_index dc_i = dc_first;
  for (; dc_i + BATCH <= dc_end; dc_i += BATCH) {
    dc_acc dc_next[BATCH];
    #pragma unroll
    for (int dc_k = 0; dc_k < BATCH; dc_k++) dc_next[dc_k] = LATER;
    #pragma unroll
    for (int dc_k = 0; dc_k < BATCH; dc_k++) {
      dc_acc dc_value = dc_next[dc_k];
      STEP
      CHECK
      dc_out[dc_y + (dc_i + dc_k) * dc_y_r] = (dc_result)dc_value;
    }
  }
  for (; dc_i < dc_end; dc_i++) {
    dc_acc dc_value = ELEMENT;
    STEP
    CHECK
    dc_out[dc_y + dc_i * dc_y_r] = (dc_result)dc_value;
  }
FLAG
]]

local packs_text = [[
template <typename T> struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) dc_pack { T v[4]; };
]]

local roll_text = [[
  #pragma unroll 1
  for (int dc_r = 0; dc_r < ROUNDS; dc_r++) {
]]

-- A kernel's text from the texts above, for which words of capitals stand; those of the user's texts are filled later.
local function assemble(v)
  local guards = { UNFIT = v.guard and unfit_text or "", CHECK = v.guard and "dc_unfit |= !dc_fits(dc_value);\n" or "",
    FLAG = v.guard and (v.team == "warp" and rerun_warp_text or flag_text) or "", RERUN = rerun_text }
  local function fill(text, pieces) return (text:gsub("%f[%w_](%u+)%f[^%w_]\n?", pieces)) end
  if v.rerun then return fill(rerun_rows_text, guards) end
  if not v.team then return fill(columns_text .. (v.sums and column_sums_text or column_apply_text), guards) end
  local load = (v.packed and load_text or "") .. load_one_text
  local pieces = { RESULT = store_text, LOAD = load, FOLD = fold_text, NOTE = note_text,
    ROLL = v.rolled and roll_text or "", DONE = v.rolled and "  }\n" or "",
    AGAIN = v.rolled and load .. piece_text:gsub("NOTE\n", "") or "",
    SHIFT = v.exclusive and shift_text or "", STORE = v.packed and pack_text or "", JOB = job_text,
    WHERE = places_text, PIECE = piece_text, TOTALS = totals_text, PUBLISH = publish_text,
    AHEAD = v.ahead and ahead_text or "", EARLY = v.ahead and early_text or "", NOW = v.ahead and "" or publish_text,
    FIRST = v.ahead and "dc_lead" or "0", MINE = v.ahead and "(blockIdx.x >= dc_lead)" or "true",
    SHARED = v.ahead and "2 * COUNT" or "COUNT" }
  local text = v.team == "warp" and short_text or tile_text
  for _ = 1, 3 do text = fill(text, pieces) end -- some texts contain others
  return fill(fill(text, guards), guards)
end

local function source_of(v)
  local packed = v.input.dtype.kind == "b" and "unsigned char" or v.input.ctype
  local fill = sizes(v.acc_size, v.rolled)
  fill.PLACES, fill.ELEMENT, fill.STEP = row_places(v), element(v, "dc_i"), step(v, "    ", "dc_value")
  fill.INPUT, fill.NAME, fill.BATCH, fill.LATER = packed, v.input.name, 8, element(v, "(dc_i + dc_k)")
  fill.WRITE = "dc_out[dc_y + dc_i * dc_y_r] = (dc_result)dc_value"
  fill.STRIDE = v.team == "warp" and 32 * LANE or BLOCK * LANE
  fill.PACKED = ("dc_map(dc_p[dc_u].v[dc_k]%s, dc_begin + dc_u * %d + dc_k, dc_total)"):format(
    packed ~= v.input.ctype and " != 0" or "", fill.STRIDE)
  return table.concat { builder.prelude(v.types, v.dtypes, v.functions, v.preamble, v.wide), functions(v),
    v.team and lookback.text(v.rolled) or "", v.packed and packs_text or "",
    ("__global__ void __launch_bounds__(%d%s) %s(%s) {\n"):format(BLOCK, v.ahead and ", 2" or "", v.name, signature(v)),
    (assemble(v):gsub("%f[%w_]%u+%f[^%w_]", fill)), "}\n" }
end

-- A kernel that scans one row with the caller's text for reading and writing: `element` is an expression for element
-- dc_i, `write` a statement that uses dc_value, the prefix up to element dc_i. `types` defines dc_index, dc_acc (of
-- `acc_size` bytes) and dc_fold. The kernel's parameters: `params`, memory of lookback.words 64-bit words, the number
-- of elements, the number of tiles of tile_for(acc_size) elements.
local function custom(v)
  local fill = sizes(v.acc_size, v.rolled)
  fill.PLACES, fill.ELEMENT, fill.WRITE, fill.STRIDE = "", v.element, v.write, BLOCK * LANE
  return table.concat { v.types, lookback.text(v.rolled),
    ("__global__ void __launch_bounds__(%d) %s(%s, void *dc_state, const dc_index dc_total, "):format(BLOCK, v.name,
      v.params), "const dc_index dc_pieces) {\n  const dc_index dc_row_words = 0;\n",
    (assemble({ team = "tile", rolled = v.rolled }):gsub("%f[%w_]%u+%f[^%w_]", fill)), "}\n" }
end

return { source_of = source_of, custom = custom, BLOCK = BLOCK, WARPS = WARPS, tile_for = tile_for }
