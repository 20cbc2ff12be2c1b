-- dc.scan: builds a function that computes prefixes (an inclusive or exclusive scan) along an axis, from an expression
-- in CUDA C or a function in Lua.
--
-- Elements are combined in their order, so `op` need not be commutative; the grouping depends only on the shape, so
-- results have the same bits each time.
--   warp:    a warp for each row of medium length
--   tile:    a block for each tile of longer rows, which looks back at earlier tiles (lookback_text.lua): one pass, in
--            which each element is read and written once
--   columns: a thread for each chunk of a row, neighbouring threads in neighbouring rows; for rows that are interleaved
--            in memory, and for short axes. One kernel reduces each chunk, their aggregates are scanned in the same
--            way, and a last kernel scans each chunk from its prefix
--
-- A grouping combines elements that no prefix ends with, whose result may overflow or underflow though all prefixes are
-- ordinary numbers: 0 * (1e300 * 1e300). cumsum and cumprod therefore have a guard, a condition on prefixes that holds
-- for all of them only where no such combination went wrong. On the CPU device rows for which it does not are combined
-- one after another, from the first such element on; one thread of a GPU would be too slow.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local lua_functions = require "dotcompute.jit.lua_functions"
local text = require "dotcompute.scan_text"
local lookback = require "dotcompute.lookback_text"
local script_lines = require "dotcompute.script_lines"
core.builtin(debug.getinfo(1, "S").source)

local fail, is_function = builder.fail, lua_functions.is_function
local BLOCK = text.BLOCK
local SHORT = 64 -- the longest axis for a thread
local MIDDLE = 2048 -- and for a warp
-- With more than AHEAD tiles a multiprocessor, blocks also reduce and publish a tile that is LEAD tiles a
-- multiprocessor ahead of their own (scan_text.lua). LEAD is the least number that avoids waits, so that a tile is
-- still in the L2 cache when it is read again: 2^27 float32 on an H200 take 0.373 ms with 0, 0.320 with 1 or 2, 0.330
-- with 3, 0.380 with 4.
local AHEAD, LEAD = 8, 2

-- --- kernels ----------------------------------------------------------------------------------------------------

local function guard_of(f, bound) return f.guard and not algorithm.is_gpu(bound.device) and f.guard or nil end

-- What distinguishes the kernels of a binding.
local function key_of(v)
  local function flag(value, bit) return value and 1 << bit or 0 end
  return (v.team or "columns") .. (v.kept << 8 | flag(v.packed, 0) | flag(v.ahead, 1) | flag(v.rolled, 2)
    | flag(v.sums, 3) | flag(v.first, 4) | flag(v.wide, 5) | flag(v.flags, 6) | flag(v.rerun, 7))
end

local function kernel_for(f, bound, v)
  v.rolled = not algorithm.is_gpu(bound.device)
  local key = key_of(v)
  local kernel = bound.variants[key]
  if kernel then return kernel end
  v.name, v.preamble, v.types = builder.c_name(f.name), f.preamble, bound.types
  v.dtypes = { bound.input, bound.output, bound.acc }
  v.map, v.op, v.identity, v.acc = bound.map, bound.op, bound.identity, bound.acc.ctype
  v.front, v.functions = bound.front, bound.functions
  v.acc_size, v.output = bound.acc.size, v.first and bound.output or bound.acc
  v.exclusive = v.first and f.exclusive
  v.guard = (v.flags or v.team == "warp") and v.rolled and f.guard or nil
  local dtype = v.first and bound.input or bound.acc
  v.input = { name = v.first and f.input.name or "a", dtype = dtype, ctype = dtype.ctype }
  kernel = builder.compile(bound.device, text.source_of(v), f.kernel_options, f.origins, bound.left_out)
  bound.variants[key] = kernel
  return kernel
end

-- The number of chunks of a column and their length, from the number and length of columns only.
local function cut(m, total)
  local pieces = math.max(1, math.min(131072 // m, (total + SHORT - 1) // SHORT))
  local length = (total + pieces - 1) // pieces
  return (total + length - 1) // length, length
end

-- The arguments of every kernel. `second`: memory for aggregates; `length`: of a chunk, or the number of words of a row
-- in `second`.
local function kernel_arguments(w, second, pieces, length)
  local list = { w.to, second, w.from, w.m, w.total, pieces, length, w.x_step, w.y_step }
  for d = 1, #w.extents do
    list[#list + 1] = w.x_steps[d]
    list[#list + 1] = w.y_steps[d]
  end
  return table.move(w.extents, 2, #w.extents, #list + 1, list)
end

-- A byte for each row, in which blocks note that a prefix does not fit; nil where there is no guard.
local function flags_for(f, bound, m)
  return guard_of(f, bound) and algorithm.zeros(bound.device, m, "uint8")
end

local function rerun_flagged(f, bound, w, list)
  local v = { rerun = true, flags = true, first = true, wide = w.wide, kept = #w.extents }
  list[2] = dc.null
  kernel_for(f, bound, v)(math.min(w.m, 4 * bound.device.multiprocessors), 1, table.unpack(list))
end

-- Scans w.from into w.to: m rows of `total` elements, w.x_step and w.y_step apart; rows by w.extents and their steps.
local function scan_columns(f, bound, w)
  local pieces, length = cut(w.m, w.total)
  local list = kernel_arguments(w, dc.null, pieces, length)
  local function launch(sums, flags)
    local v = { sums = sums, first = w.first, wide = w.wide, kept = #w.extents, flags = flags }
    kernel_for(f, bound, v)((w.m * pieces + BLOCK - 1) // BLOCK, BLOCK, table.unpack(list))
  end
  if pieces > 1 then
    list[2] = dc.using(bound.device, dc.empty, w.m * pieces, bound.acc.name)
    launch(true)
    scan_columns(f, bound, { from = list[2], to = list[2], m = w.m, total = pieces, wide = w.wide,
      x_step = w.m, y_step = w.m, extents = { w.m }, x_steps = { 1 }, y_steps = { 1 } })
  end
  local flags = w.first and pieces > 1 and flags_for(f, bound, w.m)
  if flags then list[#list + 1] = flags end
  launch(false, flags and true)
  if flags then rerun_flagged(f, bound, w, list) end
end

local function scan_rows(f, bound, w)
  local v = { first = true, wide = w.wide, kept = #w.extents, packed = w.packed }
  if w.total <= MIDDLE then
    v.team = "warp"
    return kernel_for(f, bound, v)((w.m + text.WARPS - 1) // text.WARPS, BLOCK,
      table.unpack(kernel_arguments(w, dc.null, 1, 0)))
  end
  v.team = "tile"
  local tile = text.tile_for(bound.acc.size)
  local pieces = (w.total + tile - 1) // tile
  local words = lookback.words(pieces, bound.acc.size)
  local state = pieces > 1 and dc.using(bound.device, dc.zeros, w.m * words, "uint64") or dc.null
  local list, blocks = kernel_arguments(w, state, pieces, words), w.m * pieces
  v.ahead = w.apart and pieces > 1 and algorithm.is_gpu(bound.device)
    and blocks > AHEAD * bound.device.multiprocessors
  if v.ahead then
    list[#list + 1] = LEAD * bound.device.multiprocessors
    blocks = blocks + LEAD * bound.device.multiprocessors
  end
  local flags = flags_for(f, bound, w.m)
  if flags then v.flags, list[#list + 1] = true, flags end
  kernel_for(f, bound, v)(blocks, BLOCK, table.unpack(list))
  if flags then rerun_flagged(f, bound, w, list) end
end

-- --- calls ------------------------------------------------------------------------------------------------------

-- `apart`: the result is new memory, which does not overlap the input.
local function run(f, bound, from, to, axis, apart)
  local shape = { from:shape() }
  local x, y, kept = core.strides(from, shape), core.strides(to, shape), {}
  for d = 1, #shape do
    if d ~= axis then kept[#kept + 1] = d end
  end
  local extents, steps = builder.merge(shape, kept, { x, y })
  local last, size, total = #extents, from.size, shape[axis]
  local m = size // total
  local rows = total > SHORT and not (last > 0 and m >= 32 and math.abs(steps[1][last]) < math.abs(x[axis]))
  local far = math.max(size, builder.reach(extents, steps[1]) + (total - 1) * math.abs(x[axis]),
    builder.reach(extents, steps[2]) + (total - 1) * math.abs(y[axis]))
  local go = rows and scan_rows or scan_columns
  go(f, bound, { from = core.base(from), to = core.base(to), first = true, apart = apart, m = m, total = total,
    wide = far > builder.narrow_limit, x_step = x[axis], y_step = y[axis], extents = extents,
    packed = rows and core.aligned(to) and core.aligned(from) and x[axis] == 1 and (m == 1 or total % 4 == 0),
    x_steps = steps[1], y_steps = steps[2] })
end

-- Sets the expressions, and the types that follow from functions where they are not given.
local function bind_pieces(f, bound, args)
  local function resolve(p) return p and builder.resolve(p, bound.types, f.name) end
  bound.input, bound.output = resolve(f.input), resolve(f.output)
  bound.acc = resolve(f.acc) or bound.output
  bound.map, bound.op = f.map, f.op
  if is_function(f.map) then
    local list = { { type = lua_functions.input_types({ f.input }, bound, args, f.name)[1], text = f.input.name } }
    local made
    list = lua_functions.with_number(list, f.map)
    bound.map, made = lua_functions.call(bound, f.map, "map", list, bound.acc, "the scan")
    bound.acc = bound.acc or made
  end
  bound.acc = lua_functions.builder_type(bound.acc or bound.input)
  bound.output = bound.output or bound.acc
  if is_function(f.op) then bound.op = lua_functions.operator(bound, f.op, "op", bound.acc, f.inferred) end
  bound.identity = f.identity and lua_functions.value(bound, f.identity, "identity", bound.acc, f.name)
end

local function bind(f, args, device)
  local bound = { device = device, variants = {} }
  bound.types = builder.bind({ f.input }, args, f.name)
  bind_pieces(f, bound, args)
  lua_functions.add_functions(f.functions, bound, { bound.input, bound.output, bound.acc })
  return bound
end

-- Whether the result must be computed in new memory and copied to the caller's array `out`.
local function check_result(f, bound, from, out)
  builder.check_result(f.name, bound.output, bound.device, out)
  core.check_result(out, from)
  return core.overlap(out, from)
end

-- The arguments of a call after the array.
local along = { "axis", "result", required = 0, list = "axis", known = { axis = "any", result = "any" },
  usage = { "an array", "perhaps an axis, an array for the result and options" } }

local function call(f, ...)
  local args, n = { ... }, select("#", ...)
  if n < 1 or n > 4 then
    fail("argument", "'%s' takes an array (%s), perhaps an axis, an array for the result and options, got %d", f.name,
      f.input.text, n)
  end
  local from, axis, out = args[1], args[2], args[3]
  if type(axis) == "table" or type(out) == "table" or n > 3 then
    local o = arguments.read(f.name, along, table.unpack(args, 2, n))
    axis, out = o.axis, o.result
  end
  if algorithm.is_struct_array(from) then
    return require "dotcompute.scan_structs".call(f, from, axis or f.axis, out)
  end
  if type(from) == "table" then from = dc.array(from, f.input.dtype and f.input.dtype.name) end
  if not core.is_array(from) then
    fail("argument", "%s: '%s' takes an array, got %s", f.name, f.input.text, core.describe(from))
  end
  args[1] = from
  local kinds, device = core.signature(args, 1)
  local bound = lua_functions.binding(f, kinds, function() return bind(f, args, device) end)
  if from.ndim == 0 then fail("shape", "%s: an array without axes cannot be scanned", f.name) end
  axis = algorithm.axis(f.name, axis == nil and f.axis or axis, from.ndim)
  local beside = out == nil or check_result(f, bound, from, out)
  local to = beside and dc.empty_like(from, bound.output.name) or out
  if from.size > 0 then run(f, bound, from, to, axis, beside) end
  if out and beside then out:copy_from(to) end
  return out or to
end

-- --- the builder ------------------------------------------------------------------------------------------------

local known = builder.set(builder.kernel_option_names,
  { "input", "output", "map", "op", "identity", "exclusive", "axis", "acc", "functions" })

-- The input as declared; a function's is of any dtype.
local function parse_input(options, map, op)
  if options.input == nil and is_function(map) then return lua_functions.inputs(map) end
  if options.input == nil and map == nil and is_function(op) then
    return { { placeholder = "T", name = "x", text = "T x" } }
  end
  return builder.parse(options.input, "'scan': option 'input'", { a = true, b = true })
end

-- `guard`: a condition in CUDA C on a prefix `a`, of scans whose results are new arrays (see above), or nil.
local function scan(options, guard)
  arguments.need("dc.scan", options, known)
  local f = { bindings = {}, origins = {}, guard = guard }
  f.op, f.map = lua_functions.option(options, "op"), lua_functions.option(options, "map")
  local inputs = parse_input(options, f.map, f.op)
  f.input = inputs[1]
  if #inputs ~= 1 or f.input.raw then fail("argument", "option 'input' is one parameter (\"float x\")") end
  f.name, f.preamble = builder.name(options, "scan"), builder.option(options, "preamble")
  local words = builder.option(options, "output")
  f.output = words and builder.parse_type(words, words) or nil
  if not f.output and not is_function(f.map) then
    f.output = { dtype = f.input.dtype, placeholder = f.input.placeholder }
  end
  f.inferred = not words and options.acc == nil
  words = builder.option(options, "acc")
  f.acc = words and builder.parse_type(words, words) or nil
  f.map = f.map or f.input.name
  f.identity, f.exclusive, f.axis = lua_functions.value_option(options, "identity"), options.exclusive, options.axis
  if not f.op then fail("argument", "option 'op' is missing: how two values are combined (\"a + b\")") end
  if f.exclusive ~= nil and type(f.exclusive) ~= "boolean" then
    fail("argument", "option 'exclusive' is a boolean, got %s", core.describe(f.exclusive))
  end
  if f.exclusive and not f.identity then
    fail("argument", "option 'exclusive' needs option 'identity', which comes first")
  end
  if f.axis ~= nil and not (math.type(f.axis) and math.tointeger(f.axis)) then
    fail("argument", "option 'axis' is an integer, got %s", core.describe(f.axis))
  end
  f.functions = lua_functions.functions_option(options)
  f.kernel_options = builder.kernel_options(options, f.name)
  for _, piece in ipairs { "map", "op", "identity", "preamble" } do
    if type(f[piece]) == "string" then f.origins[piece] = script_lines.origin(f[piece]) end
  end
  return function(...) return call(f, ...) end
end

return { scan = function(options) return scan(options) end, guarded = scan }
