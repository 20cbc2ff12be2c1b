-- dc.scan: a function that gives running folds along an axis, made from an expression in CUDA C.
--
-- The axis of L elements is cut into pieces.  One kernel folds each piece, the pieces' values are scanned in turn (by
-- the same kernels, which see shorter axes each time), and a last kernel scans each piece from what stands before it.
-- The order of folding is fixed and is that of the elements, so `op` need not be commutative, and the result depends
-- on nothing but the data and the shape.
--   rows:    a block of threads for each piece, whose elements go through shared memory
--   columns: a thread for each piece, neighbouring threads in neighbouring rows; for when those lie side by side in
--            memory, and for short axes
local core = require "dotcompute.core"
local dc = require "dotcompute"
local builder = require "dotcompute.builder"
core.own(debug.getinfo(1, "S").source)

local fail = builder.fail
local BLOCK, ITEMS = 256, 8
local TILE = BLOCK * ITEMS
local SHORT = 64 -- axes up to this are a thread's work

-- --- the text ---------------------------------------------------------------------------------------------------

-- Places of both arrays: dc_x and dc_y of the row dc_o (x is what is read, y what is written).
local function row_places(v)
  local out = { "  dc_index dc_rest = dc_o, dc_c, dc_x = 0, dc_y = 0;" }
  for d = v.kept, 1, -1 do
    out[#out + 1] = d > 1 and ("  dc_c = dc_rest %% dc_nk%d; dc_rest /= dc_nk%d;"):format(d, d) or "  dc_c = dc_rest;"
    out[#out + 1] = ("  dc_x += dc_c * dc_x_k%d; dc_y += dc_c * dc_y_k%d;"):format(d, d)
  end
  return table.concat(out, "\n") .. "\n"
end

local function signature(v)
  local list = { ("%s *dc_out"):format(v.acc), ("%s *dc_parts"):format(v.acc),
    ("const %s *%s"):format(v.input.ctype, v.input.name) }
  for _, name in ipairs { "dc_m", "dc_total", "dc_pieces", "dc_length", "dc_x_r", "dc_y_r" } do
    list[#list + 1] = "dc_index " .. name
  end
  for d = 1, v.kept do list[#list + 1] = ("dc_index dc_x_k%d, dc_index dc_y_k%d"):format(d, d) end
  for d = 2, v.kept do list[#list + 1] = ("dc_index dc_nk%d"):format(d) end
  return table.concat(list, ", ")
end

local function functions(v)
  local out = { ("typedef %s dc_acc;"):format(v.acc) }
  local function define(name, params, piece, text)
    out[#out + 1] = ("static __device__ __forceinline__ dc_acc dc_%s(%s) { return (dc_acc)(%s); }"):format(name, params,
      builder.piece(piece, text))
  end
  define("map", ("%s %s, const dc_index i, const dc_index n"):format(v.input.ctype, v.input.name), "map",
    v.first and v.map or v.input.name)
  define("fold", "const dc_acc a, const dc_acc b", "op", v.op)
  if v.identity then define("identity", "", "identity", v.identity) end
  return table.concat(out, "\n") .. "\n"
end

-- Scans `v` at the text `value`, which is replaced: dc_run is the fold of what was before, if dc_have.
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

-- A tile is loaded by neighbouring threads from neighbouring places; then each thread has ITEMS in a row of its own,
-- which padding keeps in different banks.
local rows_text = [[
  __shared__ alignas(16) unsigned char dc_memory[(TILE + TILE / ITEMS) * sizeof(dc_acc)];
  __shared__ alignas(16) unsigned char dc_totals_memory[BLOCK * sizeof(dc_acc)];
  dc_acc *const dc_tile = (dc_acc *)dc_memory, *const dc_totals = (dc_acc *)dc_totals_memory;
  const dc_index dc_o = blockIdx.x / dc_pieces, dc_piece = blockIdx.x % dc_pieces;
  const int dc_t = threadIdx.x;
PLACES  const dc_index dc_start = dc_piece * TILE;
  const int dc_count = dc_total - dc_start < TILE ? (int)(dc_total - dc_start) : TILE;
  for (int dc_k = dc_t; dc_k < dc_count; dc_k += BLOCK) {
    const dc_index dc_i = dc_start + dc_k;
    dc_tile[dc_k + dc_k / ITEMS] = ELEMENT;
  }
  __syncthreads();
  const int dc_own = dc_t * ITEMS, dc_have_own = dc_count - dc_own;
  const int dc_mine = dc_have_own < 0 ? 0 : dc_have_own < ITEMS ? dc_have_own : ITEMS;
  dc_acc *const dc_row = dc_tile + dc_t * (ITEMS + 1);
  if (dc_mine > 0) {
    dc_acc dc_sum = dc_row[0];
    for (int dc_k = 1; dc_k < dc_mine; dc_k++) dc_sum = dc_fold(dc_sum, dc_row[dc_k]);
    dc_totals[dc_t] = dc_sum;
  }
  __syncthreads();
]]

-- Totals of neighbours are folded pairwise, in order.
local sums_text = [[
  for (int dc_s = 1; dc_s < BLOCK; dc_s *= 2) {
    if (dc_t % (2 * dc_s) == 0 && (dc_t + dc_s) * ITEMS < dc_count)
      dc_totals[dc_t] = dc_fold(dc_totals[dc_t], dc_totals[dc_t + dc_s]);
    __syncthreads();
  }
  if (dc_t == 0) dc_parts[blockIdx.x] = dc_totals[0];
]]

-- Totals become their own running folds; then each thread goes through its items.
local apply_text = [[
  for (int dc_s = 1; dc_s < BLOCK; dc_s *= 2) {
    const bool dc_folds = dc_t >= dc_s && dc_mine > 0;
    const int dc_left = dc_folds ? dc_t - dc_s : 0;
    const dc_acc dc_other = dc_totals[dc_left];
    __syncthreads();
    if (dc_folds) dc_totals[dc_t] = dc_fold(dc_other, dc_totals[dc_t]);
    __syncthreads();
  }
  if (dc_mine > 0) {
    dc_acc dc_run;
    bool dc_have = false;
    if (dc_piece > 0) dc_run = dc_parts[blockIdx.x - 1], dc_have = true;
    if (dc_t > 0) dc_run = dc_have ? dc_fold(dc_run, dc_totals[dc_t - 1]) : dc_totals[dc_t - 1], dc_have = true;
    for (int dc_k = 0; dc_k < dc_mine; dc_k++) {
      STEP
    }
  }
  __syncthreads();
  for (int dc_k = dc_t; dc_k < dc_count; dc_k += BLOCK)
    dc_out[dc_y + (dc_start + dc_k) * dc_y_r] = dc_tile[dc_k + dc_k / ITEMS];
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

local column_sums_text = [[
  for (dc_index dc_i = dc_first; dc_i < dc_end; dc_i++) {
    const dc_acc dc_v = ELEMENT;
    dc_run = dc_have ? dc_fold(dc_run, dc_v) : dc_v, dc_have = true;
  }
  dc_parts[dc_job] = dc_run;
]]

local column_apply_text = [[
  if (dc_piece > 0) dc_run = dc_parts[dc_job - dc_m], dc_have = true;
  for (dc_index dc_i = dc_first; dc_i < dc_end; dc_i++) {
    dc_acc dc_value = ELEMENT;
    STEP
    dc_out[dc_y + dc_i * dc_y_r] = dc_value;
  }
]]

local function source_of(v)
  local body
  if v.rows then body = rows_text .. (v.sums and sums_text or apply_text)
  else body = columns_text .. (v.sums and column_sums_text or column_apply_text) end
  local fill = { TILE = TILE, ITEMS = ITEMS, BLOCK = BLOCK, PLACES = row_places(v), ELEMENT = element(v, "dc_i"),
    STEP = step(v, v.rows and "      " or "    ", v.rows and "dc_row[dc_k]" or "dc_value") }
  return table.concat { builder.prelude(v.types, v.dtypes, v.preamble, v.wide), functions(v),
    ("__global__ void __launch_bounds__(%d) %s(%s) {\n"):format(BLOCK, v.name, signature(v)),
    (body:gsub("%f[%w_]%u+%f[^%w_]", fill)), "}\n" }
end

-- --- kernels ----------------------------------------------------------------------------------------------------

local function kernel_for(f, bound, v)
  local key = ("%s %s %s %s %d"):format(v.rows, v.sums, v.first, v.wide, v.kept)
  local kernel = bound.variants[key]
  if kernel then return kernel end
  v.name, v.preamble, v.types, v.dtypes = builder.c_name(f.name), f.preamble, bound.types, { bound.input, bound.output }
  v.map, v.op, v.identity, v.acc = f.map, f.op, f.identity, bound.output.ctype
  v.exclusive = v.first and f.exclusive
  local dtype = v.first and bound.input or bound.output
  v.input = { name = v.first and f.input.name or "a", dtype = dtype, ctype = dtype.ctype }
  kernel = builder.compile(bound.device, source_of(v), f.kernel_options, f.origins)
  bound.variants[key] = kernel
  return kernel
end

-- How rows are cut; a rule that knows their number and length alone.
local function cut(rows, m, total)
  if rows then return (total + TILE - 1) // TILE, TILE end
  local pieces = math.max(1, math.min(131072 // m, (total + SHORT - 1) // SHORT))
  local length = (total + pieces - 1) // pieces
  return (total + length - 1) // length, length
end

-- Scans w.from into w.to: m rows of `total` elements, w.x_step and w.y_step apart; rows by w.extents and their steps.
local function scan_level(f, bound, w)
  local pieces, length = cut(w.rows, w.m, w.total)
  local list = { w.to, dc.null, w.from, w.m, w.total, pieces, length, w.x_step, w.y_step }
  for d = 1, #w.extents do
    list[#list + 1] = w.x_steps[d]
    list[#list + 1] = w.y_steps[d]
  end
  table.move(w.extents, 2, #w.extents, #list + 1, list)
  local blocks = w.rows and w.m * pieces or (w.m * pieces + BLOCK - 1) // BLOCK
  local function launch(sums)
    local v = { rows = w.rows, sums = sums, first = w.first, wide = w.wide, kept = #w.extents }
    kernel_for(f, bound, v)(blocks, BLOCK, table.unpack(list))
  end
  if pieces > 1 then
    list[2] = dc.using(bound.device, dc.empty, w.m * pieces, bound.output.name)
    launch(true)
    local apart, step_on = w.rows and pieces or 1, w.rows and 1 or w.m
    scan_level(f, bound, { from = list[2], to = list[2], rows = w.rows, m = w.m, total = pieces, wide = w.wide,
      x_step = step_on, y_step = step_on, extents = { w.m }, x_steps = { apart }, y_steps = { apart } })
  end
  launch(false)
end

-- --- calls ------------------------------------------------------------------------------------------------------

local function axis_of(f, axis, ndim)
  local d = axis == nil and (f.axis or ndim) or math.tointeger(axis)
  if not d then fail("argument", "%s: an axis is an integer, got %s", f.name, core.describe(axis)) end
  local at = d < 0 and ndim + 1 + d or d
  if at < 1 or at > ndim then
    fail("index", "%s: axis %d is out of range: there %s %d", f.name, d, ndim == 1 and "is" or "are", ndim)
  end
  return at
end

local function run(f, bound, from, to, axis)
  local shape = { from:shape() }
  local x, y, kept = core.strides(from, shape), core.strides(to, shape), {}
  for d = 1, #shape do
    if d ~= axis then kept[#kept + 1] = d end
  end
  local extents, steps = builder.merge(shape, kept, { x, y })
  local last = #extents
  local rows = shape[axis] > SHORT and not (last > 0 and from.size // shape[axis] >= 32
    and math.abs(steps[1][last]) < math.abs(x[axis]))
  local far = math.max(from.size, builder.reach(extents, steps[1]) + builder.reach({ shape[axis] }, { x[axis] }),
    builder.reach(extents, steps[2]) + builder.reach({ shape[axis] }, { y[axis] }))
  scan_level(f, bound, { from = core.base(from), to = core.base(to), rows = rows, first = true,
    m = from.size // shape[axis], total = shape[axis], wide = far > builder.narrow_limit, x_step = x[axis],
    y_step = y[axis], extents = extents, x_steps = steps[1], y_steps = steps[2] })
end

local function bind(f, args, device)
  local bound = { device = device, variants = {} }
  bound.types = builder.bind({ f.input }, args, f.name)
  bound.input = builder.resolve(f.input, bound.types, f.name)
  bound.output = builder.resolve(f.output, bound.types, f.name)
  return bound
end

-- Where to compute: nil for the caller's own array.
local function check_result(f, bound, from, out)
  builder.check_result(f.name, bound.output, out)
  local ops = { out, from }
  return core.arrange(ops, 1, 2, bound.device) == false
end

local function call(f, ...)
  local args, n = { ... }, select("#", ...)
  if n < 1 or n > 3 then
    fail("argument", "%s takes an array (%s), then an axis, then an array for the result; got %d arguments", f.name,
      f.input.text, n)
  end
  local from, axis, out = args[1], args[2], args[3]
  if type(from) == "table" then from = dc.array(from, f.input.dtype and f.input.dtype.name) end
  if not core.is_array(from) then
    fail("argument", "%s: '%s' takes an array, got %s", f.name, f.input.text, core.describe(from))
  end
  args[1] = from
  local kinds, device = core.signature(args, 1)
  local bound = f.bindings[kinds]
  if not bound then
    bound = bind(f, args, device)
    f.bindings[kinds] = bound
  end
  if from.ndim == 0 then fail("shape", "%s: an array without axes cannot be scanned", f.name) end
  axis = axis_of(f, axis, from.ndim)
  local beside = out == nil or check_result(f, bound, from, out)
  local to = beside and dc.empty_like(from, bound.output.name) or out
  if from.size > 0 then run(f, bound, from, to, axis) end
  if out and beside then out:copy_from(to) end
  return out or to
end

-- --- making one -------------------------------------------------------------------------------------------------

local known = builder.set(builder.kernel_option_names,
  { "input", "output", "map", "op", "identity", "exclusive", "axis" })

local function scan(options)
  builder.check_options(options, known)
  local f = { bindings = {}, origins = {} }
  local inputs = builder.parse(options.input, "option 'input'", { a = true, b = true })
  f.input = inputs[1]
  if #inputs ~= 1 or f.input.raw then fail("argument", "option 'input' is one parameter (\"float x\")") end
  f.name, f.preamble = builder.name(options, "scan"), builder.option(options, "preamble")
  local words = builder.option(options, "output")
  f.output = words and builder.parse_type(words, words) or { dtype = f.input.dtype, placeholder = f.input.placeholder }
  f.op, f.map = builder.option(options, "op"), builder.option(options, "map", f.input.name)
  f.identity, f.exclusive, f.axis = builder.option(options, "identity"), options.exclusive, options.axis
  if not f.op then fail("argument", "option 'op' is missing: how two values are folded (\"a + b\")") end
  if f.exclusive ~= nil and type(f.exclusive) ~= "boolean" then
    fail("argument", "option 'exclusive' is a boolean, got %s", core.describe(f.exclusive))
  end
  if f.exclusive and not f.identity then
    fail("argument", "option 'exclusive' needs option 'identity', which comes first")
  end
  if f.axis ~= nil and not math.tointeger(f.axis) then
    fail("argument", "option 'axis' is an integer, got %s", core.describe(f.axis))
  end
  f.kernel_options = builder.kernel_options(options, f.name)
  for _, piece in ipairs { "map", "op", "identity", "preamble" } do
    if f[piece] then f.origins[piece] = core.origin(f[piece]) end
  end
  return function(...) return call(f, ...) end
end

return { scan = scan }
