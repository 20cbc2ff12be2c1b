-- The CUDA C of dc.reduction's kernels: see reduction.lua for what they do.
--
-- Names: dc_m results, each of dc_total elements in dc_pieces pieces of dc_length; n is the number of elements that the
-- user sees.  dc_job is a piece of a result; dc_k_x and dc_r_x are the places of array x, by the axes that stay (k) and
-- by those too that are folded (r).
local builder = require "dotcompute.builder"

local BLOCK = 256

-- --- the text ---------------------------------------------------------------------------------------------------

-- Strides of each array along the axes that stay and along those that are folded, then extents of all axes.
local function signature(v)
  local list = {}
  for _, p in ipairs(v.operands) do
    list[#list + 1] = p.number and ("%s %s"):format(p.ctype, p.name) or v.parts and "const void *dc_parts"
      or ("const %s *%s"):format(p.ctype, p.name)
  end
  list[#list + 1] = v.to_parts and "void *dc_out" or ("%s *dc_out"):format(v.output.ctype)
  for _, name in ipairs { "dc_m", "dc_n", "dc_total", "dc_pieces", "dc_length" } do
    list[#list + 1] = "dc_index " .. name
  end
  for _, p in ipairs(v.operands) do
    for d = 1, p.number and 0 or v.kept do list[#list + 1] = ("dc_index dc_%s_k%d"):format(p.name, d) end
    for d = 1, p.number and 0 or v.folded do list[#list + 1] = ("dc_index dc_%s_r%d"):format(p.name, d) end
  end
  for d = 2, v.kept do list[#list + 1] = ("dc_index dc_nk%d"):format(d) end
  for d = 2, v.folded do list[#list + 1] = ("dc_index dc_nr%d"):format(d) end
  return table.concat(list, ", ")
end

-- Adds to dc_<prefix>_<name> the coordinates of `number` times the strides, last axis first.
local function add_places(v, out, indent, from, number, axis, rank)
  local arrays = {}
  for _, p in ipairs(v.operands) do
    if not p.number then arrays[#arrays + 1] = p end
  end
  for _, p in ipairs(arrays) do
    out[#out + 1] = ("%sdc_index dc_%s_%s = %s;"):format(indent, axis, p.name, from(p))
  end
  if rank == 0 then return end
  out[#out + 1] = ("%sdc_index dc_rest_%s = %s, dc_c_%s;"):format(indent, axis, number, axis)
  for d = rank, 1, -1 do
    if d > 1 then
      out[#out + 1] = ("%sdc_c_%s = dc_rest_%s %% dc_n%s%d; dc_rest_%s /= dc_n%s%d;"):format(indent, axis, axis,
        axis, d, axis, axis, d)
    else
      out[#out + 1] = ("%sdc_c_%s = dc_rest_%s;"):format(indent, axis, axis)
    end
    for _, p in ipairs(arrays) do
      out[#out + 1] = ("%sdc_%s_%s += dc_c_%s * dc_%s_%s%d;"):format(indent, axis, p.name, axis, p.name, axis, d)
    end
  end
end

-- The user's expressions as functions. dc_acc is the type in which is folded.
local function functions(v)
  local out, params = {}, {}
  out[#out + 1] = ("typedef %s dc_acc;\ntypedef %s dc_result;"):format(v.acc, v.output.ctype)
  for _, p in ipairs(v.operands) do params[#params + 1] = ("%s %s"):format(p.ctype, p.name) end
  params[#params + 1] = "const dc_index i"
  params[#params + 1] = "const dc_index n"
  local function define(result, name, list, piece, text)
    out[#out + 1] = ("static __device__ __forceinline__ %s dc_%s(%s) { return (%s)(%s); }"):format(result, name, list,
      result, builder.piece(piece, text))
  end
  if v.parts then define("dc_acc", "map", "const dc_acc a", "map", "a")
  else define("dc_acc", "map", table.concat(params, ", "), "map", v.map) end
  define("dc_acc", "fold", "const dc_acc a, const dc_acc b", "reduce", v.reduce)
  if v.identity then define("dc_acc", "identity", "", "identity", v.identity) end
  if not v.to_parts then define("dc_result", "post", "const dc_acc a, const dc_index n", "post", v.post) end
  return table.concat(out, "\n") .. "\n"
end

-- The value of element `number` of the result whose places are dc_k_<name>.
local function element(v, out, indent, target, number)
  out[#out + 1] = indent .. "{"
  add_places(v, out, indent .. "  ", function(p) return "dc_k_" .. p.name end, number, "r", v.folded)
  local list = {}
  for _, p in ipairs(v.operands) do
    list[#list + 1] = p.number and p.name or builder.load(p.dtype, p.name, "dc_r_" .. p.name)
  end
  if not v.parts then
    list[#list + 1] = number
    list[#list + 1] = "dc_n"
  end
  out[#out + 1] = ("%s  %s = dc_map(%s);"):format(indent, target, table.concat(list, ", "))
  out[#out + 1] = indent .. "}"
end

-- dc_value from the elements dc_first + k * step below dc_end: four accumulators, so that loads overlap.
local function fold_loop(v, out, step)
  out[#out + 1] = "  dc_acc dc_value, dc_next;\n  dc_index dc_i = dc_first;"
  out[#out + 1] = ("  if (dc_i + 3 * %s < dc_end) {"):format(step)
  out[#out + 1] = "    dc_acc dc_a0, dc_a1, dc_a2, dc_a3;"
  for u = 0, 3 do element(v, out, "    ", "dc_a" .. u, ("(dc_i + %d * %s)"):format(u, step)) end
  out[#out + 1] = ("    for (dc_i += 4 * %s; dc_i + 3 * %s < dc_end; dc_i += 4 * %s) {"):format(step, step, step)
  out[#out + 1] = "      dc_acc dc_b0, dc_b1, dc_b2, dc_b3;"
  for u = 0, 3 do element(v, out, "      ", "dc_b" .. u, ("(dc_i + %d * %s)"):format(u, step)) end
  for u = 0, 3 do out[#out + 1] = ("      dc_a%d = dc_fold(dc_a%d, dc_b%d);"):format(u, u, u) end
  out[#out + 1] = "    }\n    dc_value = dc_fold(dc_fold(dc_a0, dc_a1), dc_fold(dc_a2, dc_a3));"
  out[#out + 1] = "  } else if (dc_i < dc_end) {"
  element(v, out, "    ", "dc_value", "dc_i")
  out[#out + 1] = ("    dc_i += %s;\n  }"):format(step)
  out[#out + 1] = ("  for (; dc_i < dc_end; dc_i += %s) {"):format(step)
  element(v, out, "    ", "dc_next", "dc_i")
  out[#out + 1] = "    dc_value = dc_fold(dc_value, dc_next);\n  }"
end

local function store(v, out, indent, value)
  if v.to_parts then out[#out + 1] = ("%s((dc_acc *)dc_out)[dc_job] = %s;"):format(indent, value)
  else out[#out + 1] = ("%sdc_out[dc_job] = dc_post(%s, dc_n);"):format(indent, value) end
end

-- The piece dc_job: its result, its place among the result's pieces, its bounds.
local function job(v, out)
  out[#out + 1] = "  const dc_index dc_o = dc_job % dc_m, dc_piece = dc_job / dc_m;"
  out[#out + 1] = "  const dc_index dc_start = dc_piece * dc_length, dc_stop = dc_start + dc_length;"
  out[#out + 1] = "  const dc_index dc_end = dc_stop < dc_total ? dc_stop : dc_total;"
  add_places(v, out, "  ", function() return "0" end, "dc_o", "k", v.kept)
end

-- A team of v.team threads for each piece; what they hold is folded pairwise in shared memory.
local function rows(v, out)
  out[#out + 1] = ("  __shared__ alignas(16) unsigned char dc_memory[%d * sizeof(dc_acc)];"):format(BLOCK)
  out[#out + 1] = ("  const int dc_t = threadIdx.x %% %d, dc_base = threadIdx.x - dc_t;"):format(v.team)
  out[#out + 1] = "  dc_acc *const dc_values = (dc_acc *)dc_memory + dc_base;"
  out[#out + 1] = ("  const dc_index dc_wanted = (dc_index)blockIdx.x * %d + threadIdx.x / %d;"):format(BLOCK // v.team,
    v.team)
  out[#out + 1] = "  const bool dc_idle = dc_wanted >= dc_m * dc_pieces;"
  out[#out + 1] = "  const dc_index dc_job = dc_idle ? 0 : dc_wanted;"
  job(v, out)
  out[#out + 1] = "  const dc_index dc_first = dc_start + dc_t, dc_count = dc_end - dc_start;"
  fold_loop(v, out, v.team)
  out[#out + 1] = ("  const int dc_active = dc_count < %d ? (int)dc_count : %d;"):format(v.team, v.team)
  out[#out + 1] = "  if (dc_t < dc_active) dc_values[dc_t] = dc_value;"
  out[#out + 1] = ("  for (int dc_half = %d; dc_half > 0; dc_half /= 2) {"):format(v.team // 2)
  out[#out + 1] = v.team == 32 and "    __syncwarp();" or "    __syncthreads();"
  out[#out + 1] = "    if (dc_t < dc_half && dc_t + dc_half < dc_active)"
  out[#out + 1] = "      dc_values[dc_t] = dc_fold(dc_values[dc_t], dc_values[dc_t + dc_half]);"
  out[#out + 1] = "  }\n  if (dc_t == 0 && !dc_idle) {"
  if v.identity then out[#out + 1] = "    if (dc_active == 0) dc_values[0] = dc_identity();" end
  store(v, out, "    ", "dc_values[0]")
  out[#out + 1] = "  }"
end

local function columns(v, out)
  out[#out + 1] = ("  const dc_index dc_job = (dc_index)blockIdx.x * %d + threadIdx.x;"):format(BLOCK)
  out[#out + 1] = "  if (dc_job >= dc_m * dc_pieces) return;"
  job(v, out)
  out[#out + 1] = "  const dc_index dc_first = dc_start;"
  fold_loop(v, out, "1")
  if v.identity then out[#out + 1] = "  if (dc_end <= dc_start) dc_value = dc_identity();" end
  store(v, out, "  ", "dc_value")
end

-- In the second pass (v.parts) the one operand is the array of pieces' values, `a`.
local function source_of(v)
  local out = { builder.prelude(v.types, v.dtypes, v.preamble, v.wide), functions(v) }
  if v.limit then
    out[#out + 1] = ('static_assert(sizeof(dc_acc) <= %d, "the type of option acc has more than %d bytes");')
      :format(v.limit, v.limit)
  end
  out[#out + 1] = ("__global__ void __launch_bounds__(%d) %s(%s) {"):format(BLOCK, v.name, signature(v))
  if v.parts then out[#out + 1] = "  const dc_acc *const a = (const dc_acc *)dc_parts;" end
  if v.team then rows(v, out) else columns(v, out) end
  out[#out + 1] = "}"
  return table.concat(out, "\n") .. "\n"
end

return { source_of = source_of, BLOCK = BLOCK }
