-- dc.reduction: a function that reduces arrays, whole or along axes, made from expressions in CUDA C.
--
-- The expressions become functions: dc_map gives an element's value of type dc_acc, dc_reduce makes one of two,
-- dc_identity is the value of no elements, dc_post makes the result.  The kernel around them is made in C as those of
-- sums are: how rows are cut, and in which order values are combined, depends on the shape alone.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local script_lines = require "dotcompute.script_lines"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail
local MOST_BYTES = 64 -- of a user's type that is reduced
local SHORT = 100 -- characters of map and reduce that may be repeated in a kernel

-- --- the text of a body -----------------------------------------------------------------------------------------

-- dc_acc, and the user's expressions as functions.
local function definitions(f, bound)
  local out, params = {}, {}
  out[#out + 1] = ("typedef %s dc_acc;\ntypedef %s dc_result;"):format(bound.acc, bound.output.ctype)
  out[#out + 1] = ('static_assert(sizeof(dc_acc) <= %d, "the type of option acc has more than %d bytes");')
    :format(MOST_BYTES, MOST_BYTES)
  for _, p in ipairs(bound.params) do params[#params + 1] = ("%s %s"):format(p.ctype, p.name) end
  params[#params + 1] = "const dc_index i"
  params[#params + 1] = "const dc_index n"
  local function define(result, name, list, piece, text)
    out[#out + 1] = ("static __device__ __forceinline__ %s dc_%s(%s) { return (%s)(%s); }"):format(result, name, list,
      result, builder.piece(piece, text))
  end
  define("dc_acc", "map", table.concat(params, ", "), "map", f.map)
  define("dc_acc", "reduce", "const dc_acc a, const dc_acc b", "reduce", f.reduce)
  define("dc_acc", "identity", "", "identity", f.identity or "dc_acc{}")
  define("dc_result", "post", "const dc_acc a, const dc_index n", "post", f.post)
  return table.concat(out, "\n") .. "\n"
end

local function make_body(f, bound)
  return builder.body(f, bound, bound.params, bound.dtypes, { definitions = definitions(f, bound),
    has_identity = f.identity ~= nil, is_long = #f.map + #f.reduce > SHORT,
    accumulator = bound.acc_dtype and bound.acc_dtype.size or MOST_BYTES })
end

-- --- calls ------------------------------------------------------------------------------------------------------

local function bind(f, args, device)
  local bound = { device = device or dc.device(), dtypes = {}, params = {} }
  bound.types = builder.bind(f.inputs, args, f.name)
  for k, p in ipairs(f.inputs) do
    local dtype = builder.resolve(p, bound.types, f.name)
    bound.dtypes[k] = dtype
    bound.params[k] = { name = p.name, text = p.text, dtype = dtype.name, ctype = dtype.ctype, from = k }
  end
  bound.output = builder.resolve(f.output, bound.types, f.name)
  bound.dtypes[#bound.dtypes + 1] = bound.output
  bound.acc_dtype = not f.acc and bound.output or f.acc.dtype
    or (f.acc.placeholder and bound.types[f.acc.placeholder] and bound.types[f.acc.placeholder].dtype) or nil
  bound.acc = bound.acc_dtype and bound.acc_dtype.ctype or f.acc.text
  bound.dtypes[#bound.dtypes + 1] = bound.acc_dtype
  bound.body = make_body(f, bound)
  return bound
end

-- The axes to reduce as bits, from what the caller gave: nil for all, a number, or a list.
local function axes_bits(f, args, axes)
  if axes == nil or (type(axes) == "table" and #axes == 0) then return nil end
  local bits, ndim = 0, 0
  for k = 1, #f.inputs do ndim = math.max(ndim, core.is_array(args[k]) and args[k].ndim or 0) end
  for _, axis in ipairs(type(axes) == "table" and axes or { axes }) do
    local bit = 1 << algorithm.axis(f.name, axis, ndim) - 1
    if bits & bit ~= 0 then fail("argument", "%s: axis %s is named twice", f.name, axis) end
    bits = bits | bit
  end
  return bits
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
  if out ~= nil then builder.check_result(f.name, bound.output, bound.device, out) end
  return core.reduce(bound.body, args, device, bound.output.name, axes_bits(f, args, axes), keep, out)
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
    if f[piece] then f.origins[piece] = script_lines.origin(f[piece]) end
  end
  return function(...) return call(f, ...) end
end

return { reduction = reduction }
