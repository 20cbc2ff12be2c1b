-- dc.guvectorize: a Lua function of small arrays becomes a function of arrays with more axes, NumPy's generalized
-- ufunc.
--
-- The function is a kernel of dc.jit that runs once for each item of the loop axes, a thread an item. Its arrays are
-- the item's parts of the operands; the kernel's parameters, which this file declares (Items), are the addresses, the
-- strides along the loop axes, and the extents of core axes. Neighbouring threads have neighbouring items along the
-- last loop axis. Core axes that are not contiguous keep their strides, so nothing is copied.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local core_layout = require "dotcompute.jit.core_layout"
local device_function = require "dotcompute.jit.device_function"
local emit = require "dotcompute.jit.emit"
local jit = require "dotcompute.jit"
local names = require "dotcompute.jit.names"
local narrow = require "dotcompute.jit.narrow"
local number_text = require "dotcompute.number_text"
local source = require "dotcompute.jit.source"
local storage = require "dotcompute.storage"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail

-- --- the kernel's parameters ------------------------------------------------------------------------------------

-- Declares the parameters of a kernel for emit.lua. `operands`: of each { type =, number = whether it is one }; `axes`:
-- the number of loop axes; `index`: the type of places in C; `core_axes`: the names of core axes in order.
local Items = {}
Items.__index = Items

function Items:takes(k) return not self.operands[k].number end

-- The thread's item, and its place dc_c1, dc_c2 … along the loop axes.
function Items:begin(params, first)
  params[1] = self.index .. " dc_items"
  for d = 2, self.axes do params[#params + 1] = ("%s dc_n%d"):format(self.index, d) end
  for k = 1, #self.core_axes do params[#params + 1] = ("long long dc_e%d"):format(k) end
  first[1] = ("%s dc_rest = (%s)blockIdx.x * blockDim.x + threadIdx.x;"):format(self.index, self.index)
  first[2] = "if (dc_rest >= dc_items) return;"
  for d = self.axes, 1, -1 do
    first[#first + 1] = ("const %s dc_c%d = dc_rest%s;"):format(self.index, d, d > 1 and " % dc_n" .. d or "")
    if d > 1 then first[#first + 1] = ("dc_rest /= dc_n%d;"):format(d) end
  end
end

function Items:extent(axis)
  if math.type(axis) then return ("%dll"):format(axis) end
  for k, name in ipairs(self.core_axes) do
    if name == axis then return "dc_e" .. k end
  end
end

function Items:parameter(k, symbol, cname, params, first)
  local operand = self.operands[k]
  local spec, element = operand.spec, operand.element
  if symbol.written and not spec.output then
    source.fail(self.found, symbol.decl.at, "'%s' is an input, and the function writes it: its items may be read by "
      .. "other threads; copy it into dc.local_array, or make it a result", symbol.name)
  elseif spec.output and not symbol.written then
    source.fail(self.found, symbol.decl.at, "'%s' is a result, and the function never writes it", symbol.name)
  end
  params[#params + 1] = ("%s%s *%s"):format(symbol.written and "" or "const ", emit.parameter_ctype(element), cname)
  local place = {}
  for d = 1, self.axes do
    params[#params + 1] = ("%s dc_s%d_%d"):format(self.index, k, d)
    place[d] = ("dc_c%d * dc_s%d_%d"):format(d, k, d)
  end
  local at = #place > 0 and table.concat(place, " + ") or "0"
  if not operand.type.ndim then
    local value = builder.load(element, ("((const %s *)%s)"):format(element.ctype, cname), at)
    first[#first + 1] = ("%s %s = (%s)%s;"):format(symbol.type.ctype, symbol.cname, symbol.type.ctype, value)
    return
  end
  local extents, strides = {}, {}
  for j, axis in ipairs(spec.axes) do
    extents[j] = self:extent(axis)
    if operand.type.strided then
      strides[j] = ("dc_t%d_%d"):format(k, j)
      params[#params + 1] = "long long " .. strides[j]
    end
  end
  if #spec.axes == 0 then extents[1] = "1" end -- of a result that is a number
  first[#first + 1] = ("%s %s = {(%s *)%s + (%s), {%s}%s};"):format(operand.type.ctype, symbol.cname, element.ctype,
    cname, at, table.concat(extents, ", "),
    operand.type.strided and (", {%s}"):format(table.concat(strides, ", ")) or "")
end

-- --- dtypes -----------------------------------------------------------------------------------------------------

-- "float32,float32->float64" as a list of dtypes for all operands.
local function parse_types(f, text)
  if type(text) ~= "string" then
    fail("argument", "option 'types' is a string, as in \"float32,float32->float64\", or a list of them, got %s",
      core.describe(text))
  end
  local left, right = text:match "^(.-)%->(.*)$"
  local list, counts = { text = text }, {}
  for _, side in ipairs { left or text, right } do
    local before = #list
    for word in (side .. ","):gmatch "%s*(.-)%s*," do
      local d = types.dtype(word)
      if not d then fail("argument", "option 'types': '%s' in '%s' is no dtype", word, text) end
      list[#list + 1] = d
    end
    counts[#counts + 1] = #list - before
  end
  local nout = #f.layout.operands - f.layout.inputs
  if counts[1] ~= f.layout.inputs or counts[2] ~= nout then
    fail("argument", "option 'types': '%s' has not %d dtype%s, '->' and %d dtype%s", text, f.layout.inputs,
      f.layout.inputs == 1 and "" or "s", nout, nout == 1 and "" or "s")
  end
  return list
end

local function is_array(v) return type(v) == "userdata" and core.is_array(v) end

-- Whether values of an argument are values of the dtype, as NumPy's safe casts have it: none is rounded or too large,
-- but for 64-bit integers in float64.
local function can_be(v, d)
  if is_array(v) then
    local from = types.dtype(v.dtype)
    if types.is_integer(from) and (d.kind == "f" or d.kind == "c") then
      local size = d.kind == "c" and d.size // 2 or d.size
      return 2 * from.size <= size or size == 8
    end
    return from == d or core.promote(from.name, d.name) == d.name
  end
  if d.kind == "c" then return type(v) ~= "boolean" end
  if storage.is_complex(v) then return false end
  if type(v) == "boolean" or d.kind == "b" then return (type(v) == "boolean") == (d.kind == "b") end
  if math.type(v) == "float" then return d.kind == "f" end
  return d.kind == "f" or number_text.holds(d, v)
end

local function kinds_of(args, n)
  local list = {}
  for k = 1, n do list[k] = is_array(args[k]) and args[k].dtype or core.describe(args[k]) end
  return table.concat(list, ", ")
end

-- The dtypes of all operands, nil for numbers that keep Lua's types. Without option `types` results have the dtype in
-- which the inputs meet.
local function choose_types(f, args, n)
  local nin = f.layout.inputs
  for _, list in ipairs(f.types or {}) do
    local fits = true
    for k = 1, nin do fits = fits and can_be(args[k], list[k]) end
    if fits then return table.move(list, 1, #list, 1, {}) end
  end
  if f.types then
    local texts = {}
    for k, list in ipairs(f.types) do texts[k] = list.text end
    fail("dtype", "%s: no dtypes of option 'types' (%s) take the inputs, %s", f.name, table.concat(texts, "; "),
      kinds_of(args, nin))
  end
  local list, met, weak = {}, nil, nil
  for k = 1, nin do
    local t
    if is_array(args[k]) then
      list[k] = types.dtype(args[k].dtype)
      t = list[k]
    else
      t = names.type_of(args[k])
    end
    if t.weak or t.kind ~= "b" then
      if t.weak then weak = weak and types.meet(weak, t) or t else met = met and types.meet(met, t) or t end
    end
  end
  local result = met and weak and types.meet(met, weak) or met or weak and device_function.strong(weak) or types.bool
  for k = nin + 1, #f.layout.operands do list[k] = k <= n and types.dtype(args[k].dtype) or result end
  return list
end

-- --- arguments --------------------------------------------------------------------------------------------------

-- Raises unless the arguments are arrays, or numbers where an item is one. Tables become arrays.
local function check_arguments(f, args, n, device)
  local nin, nall = f.layout.inputs, #f.layout.operands
  if n ~= nin and n ~= nall then builder.fail_count(f, nin, nall, n) end
  for k = 1, n do
    local operand, v = f.layout.operands[k], args[k]
    if type(v) == "table" and not operand.output then
      v = dc.using(device, dc.array, v)
      args[k] = v
    end
    if not is_array(v) then
      local scalar = not operand.output and #operand.axes == 0
      if not scalar or not (type(v) == "number" or type(v) == "boolean" or storage.is_complex(v)) then
        fail("argument", "%s: '%s' %s takes an array%s, got %s", f.name, operand.name, operand.shown,
          scalar and " or a number" or "", core.describe(v))
      end
    end
  end
end

-- Inputs as arrays of their dtypes, and the results: those passed, or new ones. A passed result that shares memory with
-- an input, or another result, is computed in new memory; `copies` says which.
local function prepare(f, args, n, list, shapes, device)
  local arrays, copies, nin = {}, {}, f.layout.inputs
  for k, operand in ipairs(f.layout.operands) do
    local v = args[k]
    if k <= nin then
      arrays[k] = is_array(v) and v.dtype ~= list[k].name and v:to(list[k].name) or v
    elseif k > n then
      arrays[k] = dc.using(device, dc.zeros, shapes[k], list[k].name)
    else
      if v.dtype ~= list[k].name then
        fail("dtype", "%s: the result '%s' is %s, got an array of %s", f.name, operand.name, list[k].name, v.dtype)
      end
      core.check_result(v, v)
      for j = nin + 1, k - 1 do
        if core.shares(v, args[j]) then
          fail("argument", "%s: the results '%s' and '%s' share memory", f.name, f.layout.operands[j].name,
            operand.name)
        end
      end
      arrays[k] = v
    end
  end
  for k = nin + 1, n do
    for j = 1, nin do
      if is_array(arrays[j]) and not copies[k] and core.shares(args[k], arrays[j]) then
        copies[k], arrays[k] = true, args[k]:copy()
      end
    end
  end
  return arrays, copies
end

-- Whether core axes lie in C order without gaps.
local function is_contiguous(strides, extents)
  local step = 1
  for k = #extents, 1, -1 do
    if extents[k] ~= 1 and strides[k] ~= step then return false end
    step = step * extents[k]
  end
  return true
end

-- The operands of a launch: extents of the merged loop axes, and for each array its strides along them and along its
-- core axes.
local function geometry(f, arrays, loop, shapes)
  local all, which, axes, wide = {}, {}, {}, false
  local operands = {}
  for k, spec in ipairs(f.layout.operands) do
    local a = arrays[k]
    operands[k] = { spec = spec, number = not is_array(a) }
    if is_array(a) then
      local strides = core.strides(a, shapes[k])
      all[#all + 1], which[#which + 1] = strides, k
      operands[k].steps = table.move(strides, #loop + 1, #strides, 1, {})
      operands[k].extents = table.move(shapes[k], #loop + 1, #shapes[k], 1, {})
      wide = wide or builder.reach(shapes[k], strides) > builder.narrow_limit
    end
  end
  for d = 1, #loop do axes[d] = d end
  local extents, steps = builder.merge(loop, axes, all)
  for j, k in ipairs(which) do operands[k].loop = steps[j] end
  return operands, extents, wide
end

-- The types of a kernel's arguments for these operands, whether its core axes are small, and a key of all that a
-- variant is compiled for.
local function types_for(operands, arrays, list, naxes, wide, device)
  local key, argument_types, small = { tostring(device), naxes, tostring(wide) }, {}, true
  for k, operand in ipairs(operands) do
    local v = arrays[k]
    if operand.number then
      argument_types[k] = list[k] or names.type_of(v)
      if argument_types[k] == types.integer then key[#key + 1] = tostring(narrow.fits(v)) end
    else
      operand.element = list[k]
      local ncore = math.max(#operand.spec.axes, operand.spec.output and 1 or 0)
      argument_types[k] = ncore == 0 and list[k]
        or (is_contiguous(operand.steps, operand.extents) and types.array or types.strided)(list[k], ncore)
      local size = 1
      for _, extent in ipairs(operand.extents) do
        small = small and narrow.fits(extent)
        size = size * math.max(extent, 1)
      end
      small = small and narrow.fits(size) and builder.reach(operand.extents, operand.steps) <= narrow.MOST
    end
    operand.type = argument_types[k]
    key[#key + 1] = argument_types[k].name
  end
  return argument_types, small, table.concat(key, " ") .. tostring(small)
end

-- Blocks of 256 threads; smaller ones where there would be fewer blocks than multiprocessors.
local function block_for(items, device)
  local block = 256
  while block > 32 and items < block * device.multiprocessors do block = block // 2 end
  return block
end

-- What all launches have in common whose arguments have these types, shapes and strides: the grid, the kernel's
-- arguments (`arguments`, in which addresses and numbers are missing: `slots` has their places), the variants, and how
-- another one is compiled. nil where there are no items.
local function plan_for(f, arrays, list, loop, shapes, extents, device)
  local operands, merged, wide = geometry(f, arrays, loop, shapes)
  local items = 1
  for _, n in ipairs(loop) do items = items * n end
  if items == 0 then return nil end
  local argument_types, small, key = types_for(operands, arrays, list, #merged, wide, device)
  local out, slots = { items }, {}
  table.move(merged, 2, #merged, 2, out)
  for _, name in ipairs(f.core_axes) do out[#out + 1] = extents[name].extent end
  for k, operand in ipairs(operands) do
    out[#out + 1] = false
    slots[k] = #out
    if not operand.number then
      table.move(operand.loop, 1, #merged, #out + 1, out)
      if operand.type.strided then table.move(operand.steps, 1, #operand.steps, #out + 1, out) end
    end
  end
  f.variants[key] = f.variants[key] or {}
  local block = block_for(items, device)
  local layout = setmetatable({ operands = operands, small = small, axes = #merged,
    index = wide and "long long" or "int", core_axes = f.core_axes, found = f.found }, Items)
  return { grid = (items + block - 1) // block, block = block, arguments = out, slots = slots, operands = operands,
    types = argument_types, variants = f.variants[key], layout = layout, device = device }
end

-- A variant for what the function captures now, and the captured values.
local function variant_for(f, plan, arrays)
  local variants = plan.variants
  for _, variant in ipairs(variants) do
    local values = jit.inputs_of(variant)
    if values then return variant, values end
  end
  local state = setmetatable({ layout = plan.layout, kernel_options = f.kernel_options }, { __index = f })
  local variant = jit.compile(state, plan.types, arrays, plan.device, 0)
  if #variants >= 64 then table.remove(variants, 1) end -- constants that change with every call
  variants[#variants + 1] = variant
  return variant, jit.inputs_of(variant) or {}
end

local function launch(f, plan, arrays)
  local variant, values = variant_for(f, plan, arrays)
  local out = table.move(plan.arguments, 1, #plan.arguments, 1, {})
  for k, slot in ipairs(plan.slots) do
    local operand = plan.operands[k]
    out[slot] = operand.number and names.passed(arrays[k], operand.type) or not operand.number and core.base(arrays[k])
  end
  for k, input in ipairs(variant.inputs) do
    jit.add_value(out, #out, values[k], input.type)
  end
  variant.kernel(plan.grid, plan.block, table.unpack(out))
  if f.check then jit.raise_fault(f, variant) end
end

-- --- calls ------------------------------------------------------------------------------------------------------

-- A key of the arguments' types, shapes and strides; nil where their kinds do not tell the types, or numbers may choose
-- dtypes of option `types`.
local function call_key(f, kinds, args, n)
  if kinds:find(f.types and "[T?in]" or "[T?]", 9) then return nil end
  local words = { kinds }
  for k = 1, n do
    local v = args[k]
    if is_array(v) then
      local shape = { v:shape() }
      words[#words + 1] = table.concat(shape, ",")
      words[#words + 1] = table.concat(core.strides(v, shape), ",")
    elseif math.type(v) == "integer" then
      words[#words + 1] = tostring(narrow.fits(v))
    end
  end
  return table.concat(words, " ")
end

-- What calls have in common whose arguments have the same dtypes and shapes: the dtypes of all operands (`list`), their
-- shapes (`full`), and the plan of the launch.
local function analyze(f, args, n, device)
  check_arguments(f, args, n, device)
  local shapes = {}
  for k = 1, n do shapes[k] = is_array(args[k]) and { args[k]:shape() } or {} end
  local loop, full, extents = core_layout.shapes(f.layout, f.name, shapes)
  return { loop = loop, full = full, extents = extents, list = choose_types(f, args, n) }
end

local MOST_CALLS = 256 -- of which is kept what `analyze` gives

local function keep(f, key, known)
  if f.ncalls >= MOST_CALLS then f.calls, f.ncalls = {}, 0 end
  f.calls[key], f.ncalls = known, f.ncalls + 1
end

local function call(f, ...)
  local args, n = { ... }, select("#", ...)
  local kinds, device = core.signature(args, n)
  device = device or dc.device()
  local key = call_key(f, kinds, args, n)
  local known = key and f.calls[key]
  local fresh = not known
  if fresh then known = analyze(f, args, n, device) end
  local arrays, copies = prepare(f, args, n, known.list, known.full, device)
  local plan = known.plan
  if fresh or next(copies) then -- copies have strides of their own
    plan = plan_for(f, arrays, known.list, known.loop, known.full, known.extents, device)
    if key and not next(copies) then
      known.plan = plan
      keep(f, key, known)
    end
  end
  if plan then launch(f, plan, arrays) end
  for k in pairs(copies) do args[k]:copy_from(arrays[k]) end
  local nin = f.layout.inputs
  for k = nin + 1, #f.layout.operands do args[k] = args[k] or arrays[k] end
  return table.unpack(args, nin + 1, #f.layout.operands)
end

-- --- making one -------------------------------------------------------------------------------------------------

local known = { name = "string", types = "any", check = "boolean", flags = "any", fast_math = "boolean", std = "string",
  debug = "boolean" }

-- The names of core axes, in order.
local function axis_names(layout)
  local list, seen = {}, {}
  for _, operand in ipairs(layout.operands) do
    for _, axis in ipairs(operand.axes) do
      if not math.type(axis) and not seen[axis] then
        seen[axis] = true
        list[#list + 1] = axis
      end
    end
  end
  return list
end

local function guvectorize(layout_text, fn, options)
  options = arguments.check("dc.guvectorize", options, known)
  local layout = core_layout.parse(layout_text)
  if not device_function.is(fn) then
    fail("argument", "bad argument #2 to 'guvectorize': a Lua function expected, got %s", core.describe(fn))
  end
  local of = device_function.of(fn, "'guvectorize'")
  if #of.params ~= #layout.operands then
    local nout = #layout.operands - layout.inputs
    fail("argument", "'guvectorize': the layout '%s' has %d input%s and %d output%s, and the function takes %d "
      .. "argument%s (%s): its last ones are the results, which it writes", layout_text, layout.inputs,
      layout.inputs == 1 and "" or "s", nout, nout == 1 and "" or "s", #of.params, #of.params == 1 and "" or "s",
      table.concat(of.params, ", "))
  end
  for k, operand in ipairs(layout.operands) do operand.name = of.params[k] end
  local f = { fn = of.fn, found = of.found, layout = layout, core_axes = axis_names(layout), variants = {}, calls = {},
    ncalls = 0, inputs_text = table.concat(of.params, ", ", 1, layout.inputs), check = options.check,
    name = builder.name(options, "guvectorized"), kernel_options = { flags = options.flags,
      fast_math = options.fast_math, std = options.std, debug = options.debug } }
  if options.types ~= nil then
    f.types = {}
    local list = type(options.types) == "table" and options.types or { options.types }
    for k, text in ipairs(list) do f.types[k] = parse_types(f, text) end
    if #f.types == 0 then fail("argument", "option 'types' names no dtypes") end
  end
  return function(...) return call(f, ...) end
end

return { guvectorize = guvectorize }
