-- dc.reduction: a function that reduces arrays, whole or along axes, made from expressions in CUDA C, or from functions
-- in Lua.
--
-- The expressions become functions: dc_map gives an element's value of type dc_acc, dc_reduce makes one of two,
-- dc_identity is the value of no elements, dc_post makes the result.  The kernel around them is made in C as those of
-- sums are: how rows are cut, and in which order values are combined, depends on the shape alone.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local lua_functions = require "dotcompute.jit.lua_functions"
local script_lines = require "dotcompute.script_lines"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local fail, is_function = builder.fail, lua_functions.is_function
local MOST_BYTES = 64 -- of a user's type that is reduced
local SHORT = 100 -- characters of map and reduce that may be repeated in a kernel

-- --- the text of a body -----------------------------------------------------------------------------------------

-- dc_acc, and the user's expressions as functions.
local function definitions(bound)
  local out, params = {}, {}
  out[#out + 1] = ("%stypedef %s dc_acc;\ntypedef %s dc_result;"):format(bound.front or "", bound.acc,
    bound.output.ctype)
  out[#out + 1] = ('static_assert(sizeof(dc_acc) <= %d, "the type of option acc has more than %d bytes");')
    :format(MOST_BYTES, MOST_BYTES)
  for _, p in ipairs(bound.params) do params[#params + 1] = ("%s %s"):format(p.ctype, p.name) end
  params[#params + 1] = "const dc_index i"
  params[#params + 1] = "const dc_index n"
  local function define(result, name, list, text)
    out[#out + 1] = ("static __device__ __forceinline__ %s dc_%s(%s) { return (%s)(%s); }"):format(result, name, list,
      result, builder.piece(name, text))
  end
  define("dc_acc", "map", table.concat(params, ", "), bound.map)
  define("dc_acc", "reduce", "const dc_acc a, const dc_acc b", bound.reduce)
  define("dc_acc", "identity", "", bound.identity or "dc_acc{}")
  define("dc_result", "post", "const dc_acc a, const dc_index n", bound.post)
  return table.concat(out, "\n") .. "\n"
end

-- --- functions in Lua -------------------------------------------------------------------------------------------

-- The arguments of `map` in Lua: the inputs and, behind declared ones, the element's number from 1 and their count.
local function map_arguments(f, bound, args)
  local list = {}
  for k, t in ipairs(lua_functions.input_types(f.inputs, bound, args, f.name)) do
    list[k] = { type = t, text = f.inputs[k].name }
  end
  return lua_functions.with_number(list, f.map)
end

-- Sets the expressions, the accumulator's type and the result's, which follow from functions where they are not given.
local function bind_pieces(f, bound, args)
  local function resolve(p) return builder.resolve(p, bound.types, f.name) end
  local inferred = false
  local acc -- the type in which values are folded; nil: one of C
  if f.acc then
    acc = f.acc.dtype or (f.acc.placeholder and resolve(f.acc)) or nil
  elseif f.output and not is_function(f.post) then
    acc = resolve(f.output)
  else
    inferred = true
  end
  if is_function(f.map) then
    local list = map_arguments(f, bound, args)
    bound.map, acc = lua_functions.call(bound, f.map, "map", list, acc, "the reduction", true, true)
  else
    bound.map = f.map
    if inferred then acc = resolve(f.inputs[1]) end
  end
  acc = lua_functions.builder_type(acc)
  bound.acc_type = acc
  bound.acc = acc and acc.ctype or f.acc.text
  bound.reduce = f.reduce
  if is_function(f.reduce) then
    lua_functions.need_dtype(f, acc)
    bound.reduce = lua_functions.operator(bound, f.reduce, "reduce", acc, inferred)
  end
  bound.identity = f.identity and lua_functions.value(bound, f.identity, "identity", acc, f.name)
  bound.post, bound.output = f.post, f.output and resolve(f.output) or acc
  if acc and acc.composite and not is_function(f.post) and not f.output then
    fail("argument", "%s: option 'post' is missing: values are folded as %s, and the result is a number", f.name,
      acc.text)
  end
  if is_function(f.post) then
    lua_functions.need_dtype(f, acc)
    local list = { { type = acc.composite and acc or types.dtype(acc.name), text = "a" },
      { type = types.integer, text = "(long long)n" } }
    if #f.post.params < 2 then list[2] = nil end
    bound.post, bound.output = lua_functions.call(bound, f.post, "post", list, f.output and bound.output, "the result")
  end
  bound.output = lua_functions.builder_type(bound.output)
end

-- --- calls ------------------------------------------------------------------------------------------------------

local function bind(f, args, device)
  local bound = { device = device or dc.device(), dtypes = {}, params = {} }
  bound.types = builder.bind(f.inputs, args, f.name)
  bind_pieces(f, bound, args)
  for k, p in ipairs(f.inputs) do
    local dtype = builder.resolve(p, bound.types, f.name)
    bound.dtypes[k] = dtype
    bound.params[k] = { name = p.name, text = p.text, dtype = dtype.name, ctype = dtype.ctype, from = k }
  end
  lua_functions.add_input_params(bound, bound.params, bound.dtypes, #f.inputs + 1)
  bound.dtypes[#bound.dtypes + 1] = bound.output
  local acc = bound.acc_type
  if acc and not acc.composite then bound.dtypes[#bound.dtypes + 1] = acc end
  local size = acc and lua_functions.size(acc) or MOST_BYTES
  if size > MOST_BYTES then
    fail("argument", "%s: values are folded as %s of %d bytes, and %d are the most", f.name, acc.text, size, MOST_BYTES)
  end
  lua_functions.add_functions(f.functions, bound, bound.dtypes)
  bound.body = builder.body(f, bound, bound.params, bound.dtypes, { definitions = definitions(bound),
    has_identity = f.identity ~= nil,
    is_long = lua_functions.length(bound, f.map) + lua_functions.length(bound, f.reduce) > SHORT,
    accumulator = size })
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
  usage = { "inputs", "perhaps an axis or a list of them, an array for the result and options" } }

local function call(f, ...)
  local args, n, nin = { ... }, select("#", ...), #f.inputs
  if n < nin or n > nin + 3 then
    fail("argument", "'%s' takes %s, perhaps axes, an array for the result and options, got %d", f.name,
      arguments.counted(nin, f.inputs_text), n)
  end
  local axes, out, keep = args[nin + 1], args[nin + 2], nil
  if type(axes) == "table" or type(out) == "table" or n > nin + 2 then
    local o = arguments.read(f.name, over, table.unpack(args, nin + 1, n))
    if o.axis ~= nil then o.axes = o.axis end
    axes, out, keep = o.axes, o.result, o.keep
  end
  for k = 1, nin do
    if algorithm.is_struct_array(args[k]) then
      fail("dtype", "%s: '%s' takes numbers, got an array of structs: s:reduce(fn) folds them", f.name,
        f.inputs[k].text)
    elseif type(args[k]) == "table" then
      args[k] = dc.array(args[k], f.inputs[k].dtype and f.inputs[k].dtype.name)
    end
  end
  local kinds, device = core.signature(args, nin)
  local bound = lua_functions.binding(f, kinds, function() return bind(f, args, device) end)
  if out ~= nil then builder.check_result(f.name, bound.output, bound.device, out) end
  local bits = axes_bits(f, args, axes)
  lua_functions.read_inputs(bound, args, nin + 1)
  return core.reduce(bound.body, args, device, bound.output.name, bits, keep, out)
end

-- --- making one -------------------------------------------------------------------------------------------------

local known = builder.set(builder.kernel_option_names,
  { "inputs", "output", "map", "reduce", "identity", "post", "acc", "functions" })

local function parse_acc(f, options, output)
  local words = builder.option(options, "acc")
  if not words then return nil end
  local dtype = builder.dtype(words)
  if dtype then return { dtype = dtype } end
  words = words:match "^%s*(.-)%s*$"
  local declared = output ~= nil and output.placeholder == words
  for _, p in ipairs(f.inputs) do declared = declared or p.placeholder == words end
  return declared and { placeholder = words } or { text = words }
end

-- The inputs as declared, or one for each parameter of `map`.
local function parse_inputs(options, map, has_functions)
  if options.inputs == nil and is_function(map) then
    return lua_functions.inputs(map), table.concat(map.params, ", ")
  end
  local text = options.inputs
  if text == nil and map == nil and has_functions then text = "T x" end
  return builder.parse(text, "'reduction': option 'inputs'", { a = true, b = true }), text
end

local function reduction(options)
  arguments.need("dc.reduction", options, known)
  local f = { bindings = {}, origins = {} }
  f.map, f.reduce = lua_functions.option(options, "map"), lua_functions.option(options, "reduce")
  f.post, f.identity = lua_functions.option(options, "post", "a"), lua_functions.value_option(options, "identity")
  local has_functions = is_function(f.map) or is_function(f.reduce) or is_function(f.post)
  f.inputs, f.inputs_text = parse_inputs(options, f.map, has_functions)
  if #f.inputs == 0 then fail("argument", "option 'inputs': at least one input is expected") end
  for _, p in ipairs(f.inputs) do
    if p.raw then fail("argument", "'%s': a reduction has no raw arrays", p.text) end
  end
  f.name, f.preamble = builder.name(options, "reduction"), builder.option(options, "preamble")
  local inferred = has_functions and (options.map == nil or is_function(f.map))
  if options.output == nil and not (inferred or is_function(f.post)) then
    fail("argument", "option 'output' is missing: the type of the result (\"float\")")
  end
  f.output = options.output ~= nil and builder.parse_type(builder.option(options, "output"), options.output) or nil
  if not f.reduce then fail("argument", "option 'reduce' is missing: how two values are folded (\"a + b\")") end
  f.map = f.map or #f.inputs == 1 and f.inputs[1].name
  if not f.map then fail("argument", "option 'map' is missing: what several inputs make together (\"x * y\")") end
  f.acc = parse_acc(f, options, f.output)
  if not f.acc and not f.output and not inferred then
    fail("argument", "option 'acc' is missing: the type in which values are folded (\"float\")")
  elseif f.acc and f.acc.text and not f.output then
    fail("argument", "option 'output' is missing: the type of the result, where 'acc' is a type of C")
  end
  f.functions = lua_functions.functions_option(options)
  f.kernel_options = builder.kernel_options(options, f.name)
  for _, piece in ipairs { "map", "reduce", "identity", "post", "preamble" } do
    if type(f[piece]) == "string" then f.origins[piece] = script_lines.origin(f[piece]) end
  end
  return function(...) return call(f, ...) end
end

return { reduction = reduction }
