-- dc.elementwise: a function of arrays made from a few lines of CUDA C about one element.
--
-- One kernel is compiled for each combination of dtypes and of the ways in which the arrays lie in memory.  The ways
-- are letters (core.arrange): F at the element's number, O one value for all, N a number, S reached by strides.  Flat
-- ones on a GPU go in accesses of 16 bytes; on the CPU device, where starting a thread costs and neighbouring lanes
-- should touch neighbouring elements, a thread takes several elements a block's width apart.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
core.own(debug.getinfo(1, "S").source)

local fail = builder.fail
local BLOCK, ROUNDS = 256, 8

-- --- the text of a kernel ---------------------------------------------------------------------------------------

-- Parameters: results, inputs, raw arrays, count, strides of the strided ones, extents of all axes but the first.
local function signature(v)
  local list = {}
  for _, p in ipairs(v.operands) do
    list[#list + 1] = p.layout == "N" and ("%s %s"):format(p.ctype, p.name)
      or ("%s%s *%s"):format(p.output and "" or "const ", p.ctype, p.name)
  end
  for _, p in ipairs(v.raws) do list[#list + 1] = ("%s%s *%s"):format(p.output and "" or "const ", p.ctype, p.name) end
  list[#list + 1] = "dc_index dc_n"
  for _, p in ipairs(v.operands) do
    if p.layout == "S" then
      for d = 1, v.rank do list[#list + 1] = ("dc_index dc_%s_%d"):format(p.name, d) end
    end
  end
  if v.strided then
    for d = 2, v.rank do list[#list + 1] = ("dc_index dc_n_%d"):format(d) end
  end
  return table.concat(list, ", ")
end

-- The user's body as a function of one element: `return` ends the element, names are only its own.
local function body_function(v)
  local list = {}
  for _, p in ipairs(v.operands) do
    list[#list + 1] = ("%s %s%s"):format(p.ctype, p.output and "&" or "", p.name)
  end
  for _, p in ipairs(v.raws) do list[#list + 1] = ("%s%s *%s"):format(p.output and "" or "const ", p.ctype, p.name) end
  return ("static __device__ __forceinline__ void dc_body(%s%sconst dc_index i, const dc_index n) {%s;}\n")
    :format(table.concat(list, ", "), #list > 0 and ", " or "", builder.piece("operation", v.body))
end

-- The call of the body for one element; `value` gives the text for an operand.
local function call_body(v, value, number)
  local list = {}
  for _, p in ipairs(v.operands) do list[#list + 1] = value(p) end
  for _, p in ipairs(v.raws) do list[#list + 1] = p.name end
  list[#list + 1] = number
  list[#list + 1] = "dc_n"
  return ("dc_body(%s);"):format(table.concat(list, ", "))
end

-- Coordinates from the element's number, last axis first, and from them the places of strided operands.
local function places(v, out, indent)
  if not v.strided then return end
  out[#out + 1] = indent .. "dc_index dc_rest = dc_i, dc_c;"
  for _, p in ipairs(v.operands) do
    if p.layout == "S" then out[#out + 1] = ("%sdc_index dc_at_%s = 0;"):format(indent, p.name) end
  end
  for d = v.rank, 1, -1 do
    if d > 1 then out[#out + 1] = ("%sdc_c = dc_rest %% dc_n_%d; dc_rest /= dc_n_%d;"):format(indent, d, d)
    else out[#out + 1] = indent .. "dc_c = dc_rest;" end
    for _, p in ipairs(v.operands) do
      if p.layout == "S" then
        out[#out + 1] = ("%sdc_at_%s += dc_c * dc_%s_%d;"):format(indent, p.name, p.name, d)
      end
    end
  end
end

local function place_of(p) return p.layout == "F" and "dc_i" or p.layout == "S" and "dc_at_" .. p.name or "0" end

-- The element dc_i. A result starts as it is when the caller passed the array, else as zero.
local function one_element(v, out, indent)
  places(v, out, indent)
  for _, p in ipairs(v.operands) do
    if p.output then
      out[#out + 1] = ("%s%s dc_v_%s%s;"):format(indent, p.ctype, p.name,
        v.given and " = " .. builder.load(p.dtype, p.name, place_of(p)) or "{}")
    end
  end
  out[#out + 1] = indent .. call_body(v, function(p)
    if p.output then return "dc_v_" .. p.name end
    return p.layout == "N" and p.name or builder.load(p.dtype, p.name, place_of(p))
  end, "dc_i")
  for _, p in ipairs(v.operands) do
    if p.output then out[#out + 1] = ("%s%s[%s] = dc_v_%s;"):format(indent, p.name, place_of(p), p.name) end
  end
end

-- 16 bytes of the widest flat operand at once.
local function vector_elements(v, out)
  local lanes = v.lanes
  out[#out + 1] = ("  const dc_index dc_first = ((dc_index)blockIdx.x * %d + threadIdx.x) * %d;"):format(BLOCK, lanes)
  out[#out + 1] = ("  if (dc_first + %d <= dc_n) {"):format(lanes)
  for _, p in ipairs(v.operands) do
    local pack = ("dc_pack<%s, %d>"):format(p.dtype.kind == "b" and "unsigned char" or p.ctype, lanes)
    if p.layout == "F" then
      local value = (not p.output or v.given) and (" = *(const %s *)(%s + dc_first)"):format(pack, p.name) or ""
      out[#out + 1] = ("    %s dc_p_%s%s;"):format(pack, p.name, value)
    elseif p.layout == "O" then
      out[#out + 1] = ("    const %s dc_p_%s = %s;"):format(p.ctype, p.name, builder.load(p.dtype, p.name, "0"))
    end
  end
  out[#out + 1] = "    #pragma unroll"
  out[#out + 1] = ("    for (int dc_k = 0; dc_k < %d; dc_k++) {"):format(lanes)
  for _, p in ipairs(v.operands) do
    if p.output then
      out[#out + 1] = ("      %s dc_v_%s%s;"):format(p.ctype, p.name,
        v.given and (" = (%s)dc_p_%s.v[dc_k]"):format(p.ctype, p.name) or "{}")
    end
  end
  out[#out + 1] = "      " .. call_body(v, function(p)
    if p.output then return "dc_v_" .. p.name end
    if p.layout == "F" then return ("(%s)dc_p_%s.v[dc_k]"):format(p.ctype, p.name) end
    return p.layout == "O" and "dc_p_" .. p.name or p.name
  end, "dc_first + dc_k")
  for _, p in ipairs(v.operands) do
    if p.output then out[#out + 1] = ("      dc_p_%s.v[dc_k] = dc_v_%s;"):format(p.name, p.name) end
  end
  out[#out + 1] = "    }"
  for _, p in ipairs(v.operands) do
    if p.output then
      local pack = ("dc_pack<%s, %d>"):format(p.dtype.kind == "b" and "unsigned char" or p.ctype, lanes)
      out[#out + 1] = ("    *(%s *)(%s + dc_first) = dc_p_%s;"):format(pack, p.name, p.name)
    end
  end
  out[#out + 1] = "  } else {\n    for (dc_index dc_i = dc_first; dc_i < dc_n; dc_i++) {"
  one_element(v, out, "      ")
  out[#out + 1] = "    }\n  }"
end

local function single_elements(v, out)
  local width = BLOCK * v.rounds
  out[#out + 1] = ("  dc_index dc_i = (dc_index)blockIdx.x * %d + threadIdx.x;"):format(width)
  if v.rounds > 1 then
    out[#out + 1] = ("  for (int dc_k = 0; dc_k < %d; dc_k++, dc_i += %d) {"):format(v.rounds, BLOCK)
  else
    out[#out + 1] = "  {"
  end
  out[#out + 1] = v.rounds > 1 and "    if (dc_i >= dc_n) break;" or "    if (dc_i >= dc_n) return;"
  one_element(v, out, "    ")
  out[#out + 1] = "  }"
end

local function source_of(v)
  local out = { builder.prelude(v.types, v.dtypes, v.preamble, v.wide) }
  if v.lanes > 1 then
    out[#out + 1] = "template <typename T, int N> struct alignas(sizeof(T) * N) dc_pack { T v[N]; };"
  end
  out[#out + 1] = body_function(v)
  out[#out + 1] = ("__global__ void __launch_bounds__(%d) %s(%s) {"):format(BLOCK, v.name, signature(v))
  if v.lanes > 1 then vector_elements(v, out) else single_elements(v, out) end
  out[#out + 1] = "}"
  return table.concat(out, "\n") .. "\n"
end

-- --- kernels ----------------------------------------------------------------------------------------------------

local function operand_of(p, dtype, output, layout)
  return { name = p.name, dtype = dtype, ctype = dtype.ctype, output = output, layout = layout }
end

-- Compiles the kernel for one way of lying in memory. `bound`: the types; `plan`: strided axes or nil.
local function build(f, bound, layouts, plan, wide)
  local v = { name = builder.c_name(f.name), body = bound.body or f.body, preamble = f.preamble, types = bound.types,
    given = bound.given, wide = wide, operands = {}, raws = {}, dtypes = {}, strided = plan ~= nil,
    rank = plan and #plan.extents or 0, lanes = 1, rounds = 1 }
  local vector = layouts:sub(1, 1) == "V"
  if vector then layouts = layouts:sub(2) end
  local k, widest = 0, 0
  for side, list in ipairs { f.outputs, f.inputs } do
    for j, p in ipairs(list) do
      local dtype = bound.dtypes[side][j]
      v.dtypes[#v.dtypes + 1] = dtype
      if p.raw then
        v.raws[#v.raws + 1] = operand_of(p, dtype, side == 1, "R")
      else
        k = k + 1
        local layout = layouts:sub(k, k)
        if layout == "F" then widest = math.max(widest, dtype.size) end
        v.operands[k] = operand_of(p, dtype, side == 1, layout)
      end
    end
  end
  if bound.device.simt then
    if vector and widest > 0 then v.lanes = math.max(1, 16 // widest) end
  else
    v.rounds = ROUNDS
  end
  local kernel = builder.compile(bound.device, source_of(v), f.kernel_options, f.origins)
  return { kernel = kernel, per_block = BLOCK * v.lanes * v.rounds }
end

-- The strided operands' axes: steps of each, extents, and whether indices need 64 bits.
local function plan_axes(ops, nout, layouts)
  local shape = nout > 0 and { ops[1]:shape() } or core.broadcast(ops, 1, #layouts)
  local axes, strided, strides = {}, {}, {}
  for d = 1, #shape do axes[d] = d end
  for k = 1, #layouts do
    if layouts:sub(k, k) == "S" then
      strided[#strided + 1] = k
      strides[#strides + 1] = core.strides(ops[k], shape)
    end
  end
  local extents, steps = builder.merge(shape, axes, strides)
  local far = 0
  for k = 1, #steps do far = math.max(far, builder.reach(extents, steps[k])) end
  return { extents = extents, steps = steps, operands = strided, far = far }
end

-- --- calls ------------------------------------------------------------------------------------------------------

local function fail_count(f, n)
  local nin, nout = #f.inputs, #f.outputs
  fail("argument", "%s takes %d argument%s (%s), or %d with the results to write, got %d", f.name, nin,
    nin == 1 and "" or "s", f.inputs_text, nin + nout, n)
end

-- What a signature means: types, dtypes of all parameters, where the shaped and the raw arguments stand.
local function bind(f, args, n, device)
  local nin, nout = #f.inputs, #f.outputs
  if n ~= nin and n ~= nin + nout then fail_count(f, n) end
  local given = n ~= nin
  local bound = { given = given, device = device or dc.device(), shaped = {}, raws = {}, results = {}, variants = {},
    dtypes = { {}, {} } }
  local params = table.move(f.inputs, 1, nin, 1, {})
  if given then table.move(f.outputs, 1, nout, nin + 1, params) end
  if given then
    for k, p in ipairs(f.outputs) do
      if not core.is_array(args[nin + k]) then
        fail("argument", "%s: the result '%s' takes an array, got %s", f.name, p.text, core.describe(args[nin + k]))
      end
    end
  end
  bound.types = builder.bind(params, args, f.name)
  if f.infer then f.infer(bound, args, n) end
  for k, p in ipairs(f.outputs) do
    local dtype = builder.resolve(p, bound.types, f.name)
    bound.dtypes[1][k] = dtype
    if p.raw then
      if not given then fail("argument", "%s: the raw result '%s' has to be passed", f.name, p.text) end
      bound.raws[#bound.raws + 1] = nin + k
    else
      bound.results[#bound.results + 1] = given and nin + k or dtype.name
    end
  end
  for k, p in ipairs(f.inputs) do
    bound.dtypes[2][k] = builder.resolve(p, bound.types, f.name)
    local list = p.raw and bound.raws or bound.shaped
    list[#list + 1] = k
  end
  if #bound.results == 0 and #bound.shaped == 0 then
    fail("argument", "%s: no argument tells how many elements there are", f.name)
  end
  return bound
end

-- Tables among the arguments become arrays of their parameters' dtypes.
local function convert_tables(f, args, n, device)
  local params = table.move(f.outputs, 1, #f.outputs, #f.inputs + 1, table.move(f.inputs, 1, #f.inputs, 1, {}))
  if n > #params then fail_count(f, n) end
  local types = builder.bind(table.move(params, 1, n, 1, {}), args, f.name)
  for k = 1, n do
    if type(args[k]) == "table" then
      args[k] = dc.using(device or dc.device(), dc.array, args[k], builder.resolve(params[k], types, f.name).name)
    end
  end
end

-- The kernel for operands that lie so, and what is passed after the arrays.
local function variant_for(f, bound, ops, nout, count, layouts)
  local plan = layouts:find("S", 1, true) and plan_axes(ops, nout, layouts) or nil
  local wide = math.max(count, plan and plan.far or 0) > builder.narrow_limit
  local key = plan and layouts .. #plan.extents or layouts
  if wide then key = key .. "w" end
  local variant = bound.variants[key]
  if not variant then
    variant = build(f, bound, layouts, plan, wide)
    bound.variants[key] = variant
  end
  return variant, plan
end

local function append_plan(list, plan)
  for _, steps in ipairs(plan.steps) do
    for d = 1, #plan.extents do list[#list + 1] = steps[d] end
  end
  for d = 2, #plan.extents do list[#list + 1] = plan.extents[d] end
end

local function run(f, bound, args, ops, nout, count, layouts)
  if count == 0 then return end
  -- the commonest case first: this very layout was there before
  local variant, plan = bound.variants[layouts], nil
  if not variant or count > builder.narrow_limit then
    variant, plan = variant_for(f, bound, ops, nout, count, layouts)
  end
  local list = table.move(ops, 1, nout + #bound.shaped, 1, {})
  if plan then
    for _, k in ipairs(plan.operands) do list[k] = core.base(list[k]) end
  end
  for _, k in ipairs(bound.raws) do list[#list + 1] = args[k] end
  list[#list + 1] = count
  if plan then append_plan(list, plan) end
  local per_block = variant.per_block
  variant.kernel((count + per_block - 1) // per_block, BLOCK, table.unpack(list))
end

local function call(f, ...)
  local args, n = { ... }, select("#", ...)
  local kinds, device = core.signature(args, n)
  if kinds:find("T", 9, true) then
    convert_tables(f, args, n, device)
    kinds, device = core.signature(args, n)
  end
  local bound = f.bindings[kinds]
  if not bound then
    bound = bind(f, args, n, device)
    f.bindings[kinds] = bound
  end
  local results, shaped, ops = bound.results, bound.shaped, {}
  local nout = #results
  for k = 1, nout do ops[k] = bound.given and args[results[k]] or results[k] end
  for k = 1, #shaped do ops[nout + k] = args[shaped[k]] end
  local spoiled = {}
  local count, layouts = core.arrange(ops, nout, nout + #shaped, device)
  while not count do -- `layouts` is then the result that would spoil an argument: computed beside it
    spoiled[layouts] = ops[layouts]
    ops[layouts] = ops[layouts]:copy()
    count, layouts = core.arrange(ops, nout, nout + #shaped, device)
  end
  run(f, bound, args, ops, nout, count, layouts)
  for k, original in pairs(spoiled) do
    ops[k] = original:copy_from(ops[k])
  end
  if bound.given then return table.unpack(args, #f.inputs + 1, n) end
  return table.unpack(ops, 1, nout)
end

-- --- making one -------------------------------------------------------------------------------------------------

local known = builder.set(builder.kernel_option_names)

-- `infer` (of dc.vectorize) sets the dtypes of results and the body, once the arguments' types are known.
local function make(inputs, outputs, body, options, infer)
  local f = { bindings = {}, origins = {}, body = body, infer = infer }
  local seen = {}
  f.inputs, f.outputs = builder.parse(inputs, "inputs", seen), builder.parse(outputs, "outputs", seen)
  f.inputs_text = options.shown or inputs:match "^%s*(.-)%s*$"
  if #f.outputs == 0 then fail("argument", "at least one output is expected") end
  f.name, f.preamble = builder.name(options, "elementwise"), builder.option(options, "preamble")
  f.kernel_options = builder.kernel_options(options, f.name)
  if body then f.origins.operation = core.origin(body) end
  if f.preamble then f.origins.preamble = core.origin(f.preamble) end
  return function(...) return call(f, ...) end
end

local function elementwise(inputs, outputs, body, options)
  if type(body) ~= "string" then
    fail("argument", "bad argument #3 to 'elementwise': the operation is a string of CUDA C (\"z = x * y\"), got %s",
      core.describe(body))
  end
  options = options or {}
  arguments.check("dc.elementwise", options, known)
  return make(inputs, outputs, body, options)
end

return { elementwise = elementwise, make = make }
