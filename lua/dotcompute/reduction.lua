-- dc.reduction: a function that folds arrays, whole or along axes, made from expressions in CUDA C.
--
-- A call has M results of L elements each.  The L elements are cut into C pieces by a rule that knows M and L alone;
-- one kernel folds each piece, and where C > 1 a second one folds the pieces' values and applies `post`.  Each fold
-- has a fixed order, so the result depends on nothing else: not on the device, not on what else runs.
--   rows:    a team of threads for each piece, neighbouring threads taking neighbouring elements of the reduced axes
--   columns: a thread for each piece, neighbouring threads taking neighbouring results; for when those lie side by
--            side in memory
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local text = require "dotcompute.reduction_text"
core.own(debug.getinfo(1, "S").source)

local fail = builder.fail
local BLOCK = text.BLOCK
local MOST_BYTES = 64 -- of the type in which is folded, when it is one of the user's

-- --- axes -------------------------------------------------------------------------------------------------------

-- The axes to fold as a set, from what the caller gave: nil for all, a number, or a list.
local function folded_axes(f, axes, ndim)
  local folded = {}
  if axes == nil or (type(axes) == "table" and #axes == 0) then
    for d = 1, ndim do folded[d] = true end
    return folded
  end
  for _, axis in ipairs(type(axes) == "table" and axes or { axes }) do
    local d = algorithm.axis(f.name, axis, ndim)
    if folded[d] then fail("argument", "%s: axis %s is named twice", f.name, axis) end
    folded[d] = true
  end
  return folded
end

-- What is to be done: kept and folded axes with strides, numbers of results and of elements each.
local function plan_call(f, bound, args, axes, keep)
  local shape = core.broadcast(args, 1, #f.inputs)
  local folded = folded_axes(f, axes, #shape)
  local plan = { shape = {}, m = 1, total = 1 }
  local kept_list, folded_list, strides = {}, {}, {}
  for d, n in ipairs(shape) do
    local list = folded[d] and folded_list or kept_list
    list[#list + 1] = d
    if folded[d] then plan.total = plan.total * n else plan.m = plan.m * n end
    if keep or not folded[d] then plan.shape[#plan.shape + 1] = folded[d] and 1 or n end
  end
  for _, k in ipairs(bound.arrays) do strides[#strides + 1] = core.strides(args[k], shape) end
  plan.kept, plan.kept_steps = builder.merge(shape, kept_list, strides)
  plan.folded, plan.folded_steps = builder.merge(shape, folded_list, strides)
  return plan
end

-- Results lie side by side in memory, closer than what is folded.
local function by_columns(plan)
  local k, r = #plan.kept, #plan.folded
  local kept, folded = plan.kept_steps[1], plan.folded_steps[1]
  return k > 0 and r > 0 and plan.m >= 32 and math.abs(kept[k]) < math.abs(folded[r])
end

-- How the elements of each result are cut: this knows m and total alone (and which way), never the device.
local function cut(columns, m, total)
  local most = columns and 131072 // m or 1024 // m
  local pieces = math.max(1, math.min(most, (total + (columns and 31 or 4095)) // (columns and 32 or 4096)))
  local length = math.max(1, (total + pieces - 1) // pieces)
  return math.max(1, (total + length - 1) // length), length
end

-- --- kernels ----------------------------------------------------------------------------------------------------

local function kernel_for(f, bound, v)
  local key = ("%s %s %s %s %d %d"):format(v.team, v.parts, v.to_parts, v.wide, v.kept, v.folded)
  local kernel = bound.variants[key]
  if kernel then return kernel end
  v.name, v.preamble, v.types = builder.c_name(f.name), f.preamble, bound.types
  v.dtypes, v.output = bound.list, bound.output
  v.map, v.reduce, v.identity, v.post, v.acc = f.map, f.reduce, f.identity, f.post, bound.acc
  v.limit = not bound.acc_dtype and MOST_BYTES or nil
  v.operands = v.parts and { { name = "a", ctype = "dc_acc", dtype = { kind = "" } } } or bound.operands
  kernel = builder.compile(bound.device, text.source_of(v), f.kernel_options, f.origins)
  bound.variants[key] = kernel
  return kernel
end

-- Folds `total` elements of m results in pieces into `out`; `steps`: strides and extents as the kernel takes them.
local function launch(f, bound, v, operands, out, sizes, steps)
  local kernel = kernel_for(f, bound, v)
  local jobs = sizes[1] * sizes[4]
  local per_block = v.team and BLOCK // v.team or BLOCK
  local list = table.move(operands, 1, #operands, 1, {})
  list[#list + 1] = out
  table.move(sizes, 1, #sizes, #list + 1, list)
  table.move(steps, 1, #steps, #list + 1, list)
  kernel((jobs + per_block - 1) // per_block, BLOCK, table.unpack(list))
end

local function team_for(total) return total <= 1024 and 32 or BLOCK end

-- Strides and extents in the order of the kernel's parameters.
local function steps_of(plan)
  local list = {}
  for k = 1, #plan.kept_steps do
    table.move(plan.kept_steps[k], 1, #plan.kept, #list + 1, list)
    table.move(plan.folded_steps[k], 1, #plan.folded, #list + 1, list)
  end
  table.move(plan.kept, 2, #plan.kept, #list + 1, list)
  table.move(plan.folded, 2, #plan.folded, #list + 1, list)
  return list
end

local function far_of(plan)
  local far = plan.m * plan.total
  for k = 1, #plan.kept_steps do
    far = math.max(far, builder.reach(plan.kept, plan.kept_steps[k]) + builder.reach(plan.folded, plan.folded_steps[k]))
  end
  return far
end

local function run(f, bound, args, plan, out)
  local operands = {}
  for k = 1, #f.inputs do operands[k] = bound.is_array[k] and core.base(args[k]) or args[k] end
  local columns = by_columns(plan)
  local pieces, length = cut(columns, plan.m, plan.total)
  local wide = far_of(plan) > builder.narrow_limit
  local first = { team = not columns and team_for(length) or nil, to_parts = pieces > 1, wide = wide,
    kept = #plan.kept, folded = #plan.folded }
  local sizes = { plan.m, plan.total, plan.total, pieces, length }
  if pieces == 1 then return launch(f, bound, first, operands, out, sizes, steps_of(plan)) end
  local count = plan.m * pieces
  local parts = dc.using(bound.device, dc.empty, count * (bound.acc_dtype and 1 or MOST_BYTES),
    bound.acc_dtype and bound.acc_dtype.name or "uint8")
  launch(f, bound, first, operands, parts, sizes, steps_of(plan))
  local second = { team = team_for(pieces), parts = true, wide = wide, kept = 1, folded = 1 }
  launch(f, bound, second, { parts }, out, { plan.m, plan.total, pieces, 1, pieces }, { 1, plan.m })
end

-- --- calls ------------------------------------------------------------------------------------------------------

local function bind(f, args, device)
  local bound = { device = device or dc.device(), variants = {}, list = {}, operands = {}, is_array = {}, arrays = {} }
  bound.types = builder.bind(f.inputs, args, f.name)
  for k, p in ipairs(f.inputs) do
    local dtype = builder.resolve(p, bound.types, f.name)
    bound.list[k], bound.is_array[k] = dtype, core.is_array(args[k])
    bound.operands[k] = { name = p.name, dtype = dtype, ctype = dtype.ctype, number = not bound.is_array[k] }
    if bound.is_array[k] then bound.arrays[#bound.arrays + 1] = k end
  end
  bound.output = builder.resolve(f.output, bound.types, f.name)
  bound.list[#bound.list + 1] = bound.output
  bound.acc_dtype = not f.acc and bound.output or f.acc.dtype
    or (f.acc.placeholder and bound.types[f.acc.placeholder] and bound.types[f.acc.placeholder].dtype) or nil
  bound.acc = bound.acc_dtype and bound.acc_dtype.ctype or f.acc.text
  bound.list[#bound.list + 1] = bound.acc_dtype
  return bound
end

local function same_shape(a, b)
  if #a ~= #b then return false end
  for d = 1, #a do
    if a[d] ~= b[d] then return false end
  end
  return true
end

local function shape_text(shape)
  return ("(%s%s)"):format(table.concat(shape, ", "), #shape == 1 and "," or "")
end

-- The array to compute into: the caller's, or one beside it when that is read, or lies in memory with gaps.
local function result_for(f, bound, args, plan, out)
  local function new() return dc.using(bound.device, dc.empty, plan.shape, bound.output.name) end
  if out == nil then return new() end
  builder.check_result(f.name, bound.output, out)
  local shape = { out:shape() }
  if not same_shape(shape, plan.shape) then
    fail("shape", "%s: the result has the shape %s, got an array of %s", f.name, shape_text(plan.shape),
      shape_text(shape))
  end
  local direct = out.contiguous
  for _, k in ipairs(bound.arrays) do direct = direct and not core.overlap(out, args[k], true) end
  return direct and out or new()
end

-- What a call takes behind the inputs.
local over = { "axes", "result", required = 0, tables = { axes = true }, list = "axes",
  known = { axes = "any", axis = "any", keep = "boolean", result = "any" },
  usage = "inputs, then an axis or a list of them, then an array for the result, then options" }

local function call(f, ...)
  local args, n, nin = { ... }, select("#", ...), #f.inputs
  if n < nin or n > nin + 3 then
    fail("argument", "%s takes %d argument%s (%s), then an axis or a list of them, then an array for the result, then "
      .. "options; got %d", f.name, nin, nin == 1 and "" or "s", f.inputs_text, n)
  end
  local axes, out, keep = args[nin + 1], args[nin + 2], nil
  if type(axes) == "table" or type(out) == "table" or n > nin + 2 then
    local o = arguments.read(f.name, over, table.unpack(args, nin + 1, n))
    if o.axis ~= nil then o.axes = o.axis end
    axes, out, keep = o.axes, o.result, o.keep
  end
  for k = 1, nin do
    if type(args[k]) == "table" then
      args[k] = dc.array(args[k], f.inputs[k].dtype and f.inputs[k].dtype.name)
    end
  end
  local kinds, device = core.signature(args, nin)
  local bound = f.bindings[kinds]
  if not bound then
    bound = bind(f, args, device)
    f.bindings[kinds] = bound
  end
  local plan = plan_call(f, bound, args, axes, keep)
  local target = result_for(f, bound, args, plan, out)
  if plan.total == 0 and plan.m > 0 and not f.identity then
    fail("shape", "%s: nothing to fold, and no option 'identity' says what that gives", f.name)
  end
  if plan.m > 0 then run(f, bound, args, plan, target) end
  if out and target ~= out then out:copy_from(target) end
  return out or target
end

-- --- making one -------------------------------------------------------------------------------------------------

local known = builder.set(builder.kernel_option_names,
  { "inputs", "output", "map", "reduce", "identity", "post", "acc" })

local function parse_acc(f, options, output)
  local words = builder.option(options, "acc")
  if not words then return nil end
  local dtype = builder.dtype(words)
  if dtype then return { dtype = dtype } end
  words = words:match "^%s*(.-)%s*$"
  local declared = output.placeholder == words
  for _, p in ipairs(f.inputs) do declared = declared or p.placeholder == words end
  return declared and { placeholder = words } or { text = words }
end

local function reduction(options)
  arguments.need("dc.reduction", options, known)
  local f = { bindings = {}, origins = {} }
  f.inputs = builder.parse(options.inputs, "'reduction': option 'inputs'", { a = true, b = true })
  f.inputs_text = options.inputs
  if #f.inputs == 0 then fail("argument", "option 'inputs': at least one input is expected") end
  for _, p in ipairs(f.inputs) do
    if p.raw then fail("argument", "'%s': a reduction has no raw arrays", p.text) end
  end
  f.name, f.preamble = builder.name(options, "reduction"), builder.option(options, "preamble")
  if options.output == nil then fail("argument", "option 'output' is missing: the type of the result (\"float\")") end
  f.output = builder.parse_type(builder.option(options, "output"), options.output)
  f.reduce, f.post = builder.option(options, "reduce"), builder.option(options, "post", "a")
  f.identity = builder.option(options, "identity")
  if not f.reduce then fail("argument", "option 'reduce' is missing: how two values are folded (\"a + b\")") end
  f.map = builder.option(options, "map", #f.inputs == 1 and f.inputs[1].name or nil)
  if not f.map then fail("argument", "option 'map' is missing: what several inputs make together (\"x * y\")") end
  f.acc = parse_acc(f, options, f.output)
  f.kernel_options = builder.kernel_options(options, f.name)
  for _, piece in ipairs { "map", "reduce", "identity", "post", "preamble" } do
    if f[piece] then f.origins[piece] = core.origin(f[piece]) end
  end
  return function(...) return call(f, ...) end
end

return { reduction = reduction }
