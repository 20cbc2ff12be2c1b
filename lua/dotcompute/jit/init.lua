-- dc.jit: a Lua function becomes a kernel.
--
-- An object of dc.jit has a `variant`, a kernel object of dc.kernel, for each signature it was called with: dtypes and
-- numbers of axes of arrays, kinds of numbers, the device, and what the function captures. A launch finds the variant,
-- reads the captured values, and launches the kernel, so that streams, graphs and profiles see a kernel as any other.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local analysis_cache = require "dotcompute.jit.analysis_cache"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local builtins = require "dotcompute.jit.builtins"
local check = require "dotcompute.jit.check"
local emit = require "dotcompute.jit.emit"
local constant = require "dotcompute.jit.constant"
local dynamic = require "dotcompute.jit.dynamic"
local extern = require "dotcompute.jit.extern"
local narrow = require "dotcompute.jit.narrow"
local names = require "dotcompute.jit.names"
local signatures = require "dotcompute.jit.signatures"
local script_lines = require "dotcompute.script_lines"
local source = require "dotcompute.jit.source"
local struct = require "dotcompute.struct"
local struct_array = require "dotcompute.struct_array"
local types = require "dotcompute.jit.types"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local fail, read = builder.fail, names.read
local states = setmetatable({}, { __mode = "k" }) -- object -> its state
local methods = {}
local meta = { __name = "dotcompute.jit", __methods = methods } -- __methods: for completion

function builtins.function_of(value)
  local state = type(value) == "table" and states[value]
  return state and state.fn
end

function builtins.text_of(value)
  local state = type(value) == "table" and states[value]
  return state and state.text
end

-- --- variants ---------------------------------------------------------------------------------------------------

-- The types of arguments, as names.type_of gives them.
local function types_of(state, args, n)
  local list = {}
  for k = 1, n do
    local t = names.type_of(args[k])
    if constant.type_of(args[k]) then
      fail("argument", "%s: argument %d, '%s', is a constant array, which a kernel captures: name it in the function",
        state.name, k, state.params[k])
    elseif not t then
      fail("argument", "%s: argument %d, '%s', is %s; a kernel takes arrays, numbers, booleans and structs%s",
        state.name, k, state.params[k], core.describe(args[k]), type(args[k]) == "table"
        and " (dc.array makes an array of a table, dc.struct a struct)" or "")
    end
    if t.ndim == 0 then
      fail("shape", "%s: argument %d, '%s', is a 0-d array; pass its number, a:item()", state.name, k, state.params[k])
    end
    list[k] = t
  end
  return list
end

-- Whether an array of the type has few enough elements for offsets of 32 bits, and no extent that is greater.
local function is_small(value, t)
  local a = names.passed(value, t)
  if a.size > narrow.MOST then return false end
  local extents = { a:shape() }
  for _, extent in ipairs(extents) do
    if extent > narrow.MOST then return false end
  end
  return not t.strided or builder.reach(extents, core.strides(a, extents)) <= narrow.MOST
end

-- Whether no array that the kernel writes shares memory with another of its arrays. `values`: what its parameters
-- `params` get; arrays that are written have `written` there.
local function are_disjoint(params, values)
  local function memory(k) return names.passed(values[k], params[k].type) end
  for j, param in ipairs(params) do
    for k, other in ipairs(params) do
      if param.written and other.type.ndim and (k < j or k > j and not other.written)
        and core.shares(memory(j), memory(k)) then
        return false
      end
    end
  end
  return true
end

-- What the launch that a variant is compiled for has, as emit.lua wants it. `threads`: of the grid, along x. A `layout`
-- (guvectorize.lua) knows about the arrays among the arguments.
local function facts_of(tree, argument_types, args, threads)
  local parameters, small, layout = {}, threads <= narrow.MOST, tree.layout
  if layout then small = layout.small end
  local params, values = {}, {}
  local function array(symbol, t, value)
    small = small and is_small(value, t)
    params[#params + 1], values[#values + 1] = { type = t, written = symbol.written }, value
  end
  for k, t in ipairs(argument_types) do
    if t == types.integer then parameters[k] = narrow.fits(args[k])
    elseif t.ndim and not layout then array(tree.kernel.symbols[tree.kernel.node.params[k]], t, args[k]) end
  end
  for _, symbol in ipairs(tree.inputs) do
    if symbol.type.ndim then array(symbol, symbol.type, symbol.input) end
  end
  return { parameters = parameters, small = small, disjoint = not layout and are_disjoint(params, values) }
end

-- Bytes of a thread's stack for kernels with recursion, whose need is unknown: eight times a GPU's default.
local RECURSION_STACK <const> = 8192

local function holds_guards(variant)
  for _, guard in ipairs(variant.guards) do
    if not names.is_same(read(guard.path), guard.value) then return false end
  end
  return true
end

-- The values of what a variant with a layout captures; nil where it was compiled for others.
local function inputs_of(variant)
  if not holds_guards(variant) then return nil end
  local values = {}
  for k, input in ipairs(variant.inputs) do
    local v, t = read(input.path), input.type
    if names.type_of(v) ~= t or input.fits and not narrow.fits(v) then return nil end
    if t.ndim and variant.facts.small and not is_small(v, t) then return nil end
    values[k] = v
  end
  return values
end

-- The values of the variant's parameters for these arguments; nil where it was compiled for others.
local function values_of(variant, args, threads, device)
  local facts = variant.facts
  if not holds_guards(variant) then return nil end
  local params, values, small = variant.emitted.params, {}, threads <= narrow.MOST
  for k, param in ipairs(params) do
    local t = param.type
    local v
    if param.argument then
      v = args[param.argument] -- of the variant's kinds of numbers, dtypes and device
      if t.ndim and (v.ndim ~= t.ndim or v.contiguous == (t.strided ~= nil)) then return nil end
      if (t.composite or t.weak == "c" or type(v) == "table") and not variant.fixed and names.type_of(v) ~= t then
        return nil
      end
    else
      v = read(variant.inputs[param.input].path)
      if names.type_of(v) ~= t then return nil end
      if t.ndim and not device then device = v.device end
    end
    if param.fits and not narrow.fits(v) then return nil end
    small = small and not (t.ndim and not is_small(v, t))
    values[k] = v
  end
  if device and device ~= variant.device then return nil end
  return small == facts.small and facts.disjoint == are_disjoint(params, values) and values or nil
end

-- The device of a launch: the arguments', else that of a captured array, else the current one.
local function device_of(analysis, device)
  for _, input in ipairs(analysis.inputs) do
    if input.type.ndim and not device then device = read(input.path).device end
  end
  return device or dc.device()
end

-- Infers types and writes CUDA C: { emitted =, guards =, inputs =, facts =, … }, what a variant has but its kernel. The
-- second result is the tree.
local function analyse(state, root, argument_types, args, device, threads)
  local tree = check.kernel(root, argument_types, { name = state.name, items = state.layout ~= nil })
  tree.layout = state.layout
  local facts = facts_of(tree, argument_types, args, threads)
  local name = extern.free_name(emit.c_name(state.name), tree.uses)
  local analysis = { emitted = emit.kernel(tree, name, state.check, facts), guards = tree.guards, inputs = {},
    facts = facts, name = name, fixed = state.fixed, sync_grid = tree.uses.sync_grid, recursion = tree.uses.recursion,
    modules = tree.uses.modules }
  for k, symbol in ipairs(tree.inputs) do
    analysis.inputs[k] = { path = symbol.path, type = symbol.type, fits = symbol.narrow }
  end
  analysis.device, analysis.dynamic = device_of(analysis, device), dynamic.of(tree, analysis.emitted.params)
  return analysis, tree
end

-- The key of the analysis in the cache; nil where it is not kept there.
local function key_of(state, root, argument_types, args, threads)
  if state.layout then return nil end
  local small, params, facts = threads <= narrow.MOST, {}, {}
  for k, t in ipairs(argument_types) do
    params[k] = { type = t, written = t.ndim ~= nil }
    if t == types.integer then facts[#facts + 1] = narrow.fits(args[k]) and true or false
    elseif t.ndim then small = small and is_small(args[k], t) end
  end
  facts[#facts + 1], facts[#facts + 2] = small, are_disjoint(params, args)
  return analysis_cache.key(root, argument_types, state.name, state.check, facts)
end

-- The kept analysis, where it is one for these arguments and for what the function captures.
local function kept_analysis(key, state, root, args, threads, device)
  local analysis = analysis_cache.get(key, root)
  if not analysis then return nil end
  analysis.device, analysis.fixed, analysis.name = device_of(analysis, device), state.fixed, emit.c_name(state.name)
  return values_of(analysis, args, threads, device) and analysis
end

local function compile(state, argument_types, args, device, threads)
  local root = { fn = state.fn, found = source.find(state.fn, state.text) }
  local key = key_of(state, root, argument_types, args, threads)
  local variant = key and kept_analysis(key, state, root, args, threads, device)
  if not variant then
    local tree
    variant, tree = analyse(state, root, argument_types, args, device, threads)
    if key then analysis_cache.put(key, tree, variant) end
  end
  local emitted = variant.emitted
  variant.kernels, variant.comparisons = {}, {}
  local options = extern.options(state.kernel_options, variant)
  if not state.check then options.name = variant.name end
  local make = state.check and dc.module or dc.kernel
  script_lines.generated[emitted.text] = function(line)
    local place = emitted.places[line]
    return place and (source.place(place.found, place.at))
  end
  local ok, result = pcall(dc.using, variant.device, make, emitted.text, options)
  script_lines.generated[emitted.text] = nil
  if not ok then error(result, 0) end
  if state.check then
    variant.module, variant.fault = result, result:global "dc_fault"
    variant.kernel = result:kernel(variant.name)
    if variant.sync_grid then variant.barrier = result:global "dc_barrier" end
  else
    variant.kernel = result
  end
  core.kernel_place(variant.kernel, (source.place(root.found, root.found.node.at)))
  if variant.sync_grid then variant.kernel = variant.kernel:with { cooperative = true } end
  if variant.recursion then variant.kernel = variant.kernel:with { stack = RECURSION_STACK } end
  return variant
end

-- The arguments with the arrays of bytes in place of arrays of structs.
local function in_memory(args, n)
  local list = args
  for k = 1, n do
    local _, bytes = struct_array.parts(args[k])
    if bytes then
      if list == args then list = table.move(args, 1, n, 1, {}) end
      list[k] = bytes
    end
  end
  return list
end

-- The variant for these arguments, and the values of its parameters. `threads`: of the grid along x, 0 where there is
-- no launch.
local function find(state, args, n, threads)
  if n ~= #state.params then
    fail("argument", "'%s' takes %s, got %d", state.name,
      arguments.counted(#state.params, table.concat(state.params, ", ")), n)
  end
  local argument_types = state.fixed and state.fixed(args)
  local key, device = core.signature(in_memory(args, n), n)
  local list = state.variants[key]
  if not list then
    list = {}
    state.variants[key] = list
  end
  for _, variant in ipairs(list) do
    local values = values_of(variant, args, threads, device)
    if values then return variant, values end
  end
  local variant = compile(state, argument_types or types_of(state, args, n), args, device, threads)
  if #list >= 64 then table.remove(list, 1) end -- constants that change with every launch
  list[#list + 1] = variant
  state.last = variant
  return variant, values_of(variant, args, threads, device) or {}
end

-- Adds what a kernel takes for a value to the list of n: an array is followed by its extents, and by its strides where
-- it is not contiguous. Gives the list's new length.
local function add_value(list, n, value, t)
  if not t.ndim then
    list[n + 1] = names.passed(value, t)
    return n + 1
  end
  local extents = { value:shape() }
  list[n + 1] = t.strided and core.base(value) or names.passed(value, t)
  table.move(extents, 1, t.ndim, n + 2, list)
  if not t.strided then return n + 1 + t.ndim end
  table.move(core.strides(value, extents), 1, t.ndim, n + 2 + t.ndim, list)
  return n + 1 + 2 * t.ndim
end

-- Raises where a kernel writes a value that is a broadcast view, of which several elements are one in memory.
local function check_written(state, variant, param, value)
  if not (param.written and param.type.strided and core.repeats(value)) then return end
  fail("argument", "%s: %s, is a broadcast view, which the kernel writes: several of its elements are one in memory; "
    .. "pass a copy (a:copy())", state.name, param.argument
    and ("argument %d, '%s'"):format(param.argument, state.params[param.argument])
    or ("'%s', which is captured"):format(variant.inputs[param.input].path.text))
end

-- What the kernel of a variant is called with.
local function expand(state, variant, values)
  local list, n = {}, 0
  for k, param in ipairs(variant.emitted.params) do
    check_written(state, variant, param, values[k])
    n = add_value(list, n, values[k], param.type)
  end
  return list, n
end

-- --- launches ---------------------------------------------------------------------------------------------------

-- The kernel object of a variant, with the launch options of the object.
local function kernel_of(state, variant)
  if not state.with then return variant.kernel end
  local kernel = variant.kernels[state.with]
  if not kernel then
    kernel = variant.kernel:with(state.with)
    variant.kernels[state.with] = kernel
  end
  return kernel
end

local MOST_SIZES <const> = 64 -- of dynamic shared memory, whose kernel objects are kept

-- The kernel object for a launch of a variant with dynamic shared memory. `values`: of the kernel's parameters.
local function with_shared(state, variant, kernel, values, grid, block)
  local given = state.with and state.with.shared
  local bytes, reason = dynamic.bytes(variant.dynamic, state.name, values, grid, block)
  if given then
    if bytes and math.type(given) and given < bytes then
      fail("launch", "%s: with{ shared = %s }, but the arrays of dc.dynamic_shared take %d bytes in this launch",
        state.name, given, bytes)
    end
    return kernel
  end
  if not bytes then fail("launch", "%s", reason) end
  local by_size = variant.kernels[kernel]
  if not by_size or by_size.count >= MOST_SIZES then
    by_size = { count = 0 }
    variant.kernels[kernel] = by_size
  end
  if not by_size[bytes] then
    by_size[bytes] = kernel:with { shared = bytes }
    by_size.count = by_size.count + 1
  end
  return by_size[bytes]
end

-- After a launch with { check = true }: raises what a thread has found.
local function raise_fault(state, variant)
  local words = variant.fault:to_table()
  if words[1] == 0 then return end
  variant.fault:fill(0)
  if variant.barrier then variant.barrier:fill(0) end -- blocks that had arrived
  local site = variant.emitted.sites[words[1]]
  local place, column = source.place(site.found, site.at)
  if site.kind == "index" then
    fail("index", "%s: %s, column %d: index %d of axis %d is out of range: the extent is %d", state.name, place, column,
      words[2], site.text, words[3])
  end
  fail("launch", "%s: %s, column %d: %s", state.name, place, column, site.text)
end

local function extent_x(extents)
  if type(extents) == "table" then extents = extents[1] or extents.x or 1 end
  return extents == "auto" and 1024 or tonumber(extents) or 0 -- others are errors of the launch
end

-- How many variants of its last launches an object has at 1, 2, …, for core.launches.
local REMEMBERED <const> = 4

-- A captured value, as core.variant wants it.
local function captured(path, list)
  list.fn, list.upvalue, list.keys = path.fn, path.upvalue, path
  return list
end

-- Adds to the comparison what the bytes of dynamic shared memory depend on, as the kernel object is for that size;
-- false where that cannot be compared.
local function fix_sizes(plan, facts, params, values, how)
  if plan.uses_launch then
    facts.grid, facts.block = math.tointeger(how.grid), math.tointeger(how.block)
    if not (math.type(how.grid) == "integer" and math.type(how.block) == "integer") then return false end
  end
  for k in pairs(plan.depends) do
    local one = facts[params[k]]
    if (one.kind == "array" or one.kind == "view") and one.ndim == 1 then
      one.extent = #values[k]
    elseif one.kind == "integer" then
      local guard = { kind = "guard", value = values[k], argument = one.argument, fn = one.fn, upvalue = one.upvalue,
        keys = one.keys }
      facts[#facts + 1] = guard
    else
      return false
    end
  end
  return true
end

-- The object that core.launches compares launches with; false where the variant has none, as those of signatures with
-- structs and complex numbers. `values`, `how`: of the launch.
local function comparison(state, variant, kernel, values, how)
  local facts = { most = narrow.MOST, small = variant.facts.small,
    disjoint = variant.facts.disjoint, nargs = #state.params }
  for k, guard in ipairs(variant.guards) do
    facts[k] = captured(guard.path, { kind = "guard", value = guard.value })
  end
  local params = {}
  for number, param in ipairs(variant.emitted.params) do
    local t = param.type
    local one = { argument = param.argument, fits = param.fits, written = param.written }
    if variant.fixed and (t.composite or t.kind == "c") then return false end
    if t.composite then
      one.kind, one.value = "struct", struct.value_meta(t.struct)
    elseif t.ndim and t.element.composite then
      one.kind, one.dtype, one.ndim = "structs", "uint8", t.ndim + 1
      one.value, one.parts = t.element.struct, struct_array.PARTS
    elseif t.ndim then
      one.kind, one.dtype, one.ndim = t.strided and "view" or "array", t.element.name, t.ndim
    elseif t.weak then one.kind = t.name
    else one.kind = t.kind == "b" and "boolean" or "number" end
    if not param.argument then captured(variant.inputs[param.input].path, one) end
    facts[#facts + 1] = one
    params[number] = #facts
  end
  if variant.dynamic and not fix_sizes(variant.dynamic, facts, params, values, how) then return false end
  return core.variant(kernel, facts) or false
end

-- The next launches of the object try this variant first.
local function remember(object, state, variant, kernel, values, how)
  if state.check then return end
  local key = state.with or variant
  local made = variant.comparisons[key]
  if made == nil then
    made = comparison(state, variant, kernel, values, how)
    if not variant.dynamic then variant.comparisons[key] = made end
  end
  if not made or rawget(object, 1) == made then return end
  for k = REMEMBERED - 1, 1, -1 do rawset(object, k + 1, rawget(object, k)) end
  rawset(object, 1, made)
end

-- Launches the variant for the arguments: `how` has grid and block, or the count of forall. `threads`: of the grid,
-- along x.
local function launch(object, state, threads, how, ...)
  local variant, values = find(state, { ... }, select("#", ...), threads)
  local list, n = expand(state, variant, values)
  local kernel = kernel_of(state, variant)
  if variant.dynamic then
    local count = math.type(how.count) and math.tointeger(how.count)
    if variant.dynamic.uses_launch and count and count >= 0 then -- a block that is known
      how = { grid = (count + 255) // 256, block = 256 }
    end
    kernel = with_shared(state, variant, kernel, values, how.grid, how.block)
  end
  remember(object, state, variant, kernel, values, how)
  if how.block ~= nil then kernel(how.grid, how.block, table.unpack(list, 1, n))
  else kernel:forall(how.count, table.unpack(list, 1, n)) end
  if state.check then raise_fault(state, variant) end
end

local function launch_grid(object, state, grid, block, ...)
  if block == nil then block = false end -- an error of the launch
  launch(object, state, extent_x(grid) * 1.0 * extent_x(block), { grid = grid, block = block }, ...)
end

-- An object's state; methods are called with a colon.
local function state_of(object, method)
  local state = type(object) == "table" and states[object]
  if not state then fail("argument", "'%s' is a method of a kernel: k:%s(…)", method, method) end
  return state
end

-- object(grid, block, ...), where none of the object's last variants suits.
local function call(object, ...)
  local state = state_of(object, "call")
  if select("#", ...) < 2 then
    fail("argument", "%s(grid, block, ...) takes a grid and a block before the arguments; %s:forall(n, ...) chooses "
      .. "them", state.name, state.name)
  end
  launch_grid(object, state, ...)
end

-- Blocks for the extents of an index: the last one is CUDA's x.
local blocks = { { 256 }, { 8, 32 }, { 4, 4, 32 } }
local MOST_BLOCKS <const> = 65535 -- of a grid, along y and z

-- The extents of the block for `extents`: those of `blocks`, but where the last axis is shorter, narrower along it and
-- higher along the one before by the same factor; and up to 1,024 threads where the grid would have too many blocks.
local function block_of(extents)
  local axes = #extents
  local size = table.move(blocks[axes], 1, axes, 1, {})
  if axes == 1 then return size end
  local rows, columns = axes - 1, axes
  while size[columns] // 2 >= extents[columns] and size[columns] > 1 do
    size[columns], size[rows] = size[columns] // 2, size[rows] * 2
  end
  local threads = axes == 2 and 256 or 512
  while extents[rows] > size[rows] * MOST_BLOCKS and threads < 1024 do
    size[rows], threads = size[rows] * 2, threads * 2
  end
  return size
end

-- forall(n, ...), forall({rows, columns}, ...): a thread for each index.
local function forall(object, n, ...)
  local state = state_of(object, "forall")
  if type(n) ~= "table" then
    -- whole blocks
    return launch(object, state, (tonumber(n) or 0) + 1024, { count = n }, ...)
  end
  if not blocks[#n] then
    fail("launch", "%s: forall takes a number or a list of 1 to 3, got %d", state.name, #n)
  end
  local extents, grid, block = {}, {}, {}
  for k = 1, #n do
    extents[k] = math.tointeger(n[k])
    if not extents[k] or extents[k] < 0 then
      fail("launch", "%s: extent %d of forall is an integer that is not negative, got %s", state.name, k,
        core.describe(n[k]))
    end
  end
  local size = block_of(extents)
  for k = #n, 1, -1 do
    block[#block + 1] = size[k]
    grid[#grid + 1] = (extents[k] + size[k] - 1) // size[k]
  end
  object(grid, block, ...)
end

meta.__call, methods.forall = core.launches(call, forall)

local function object_of(state)
  local object = setmetatable({}, meta)
  states[object] = state
  return object
end

-- A variant of the object whose launches have these options: those of a kernel's `with`.
function methods.with(object, options)
  local state = state_of(object, "with")
  if type(options) ~= "table" then
    fail("argument", "%s:with takes a table of options, got %s", state.name, core.describe(options))
  end
  core.check_launch_options(options)
  local merged = {}
  for _, t in ipairs { state.with or {}, options } do
    for name, v in next, t do merged[name] = v end
  end
  return object_of(setmetatable({ with = merged }, { __index = state, __newindex = state }))
end

-- The CUDA C of the last variant that was compiled, or of the one for these arguments, with the lines of Lua.
function methods.source(object, ...)
  local state = state_of(object, "source")
  local variant = state.last
  if select("#", ...) > 0 then variant = find(state, { ... }, select("#", ...), 0) end
  if not variant then
    fail("argument", "%s has not been compiled yet: launch it, or call %s:source with a launch's arguments", state.name,
      state.name)
  end
  local lines, last = {}, nil
  for k, text in ipairs(variant.emitted.lines) do
    local place = variant.emitted.places[k]
    if place then
      local shown, _, line = source.place(place.found, place.at)
      if shown ~= last then
        local code = source.line(place.found, line):gsub("[\\%s]+$", "")
        lines[#lines + 1] = ("  // %s: %s"):format(shown, code)
        last = shown
      end
    end
    lines[#lines + 1] = text
  end
  return table.concat(lines, "\n") .. "\n"
end

-- The kernel object that a launch with these arguments uses.
function methods.kernel(object, ...)
  local state = state_of(object, "kernel")
  return kernel_of(state, (find(state, { ... }, select("#", ...), 0)))
end

-- What only the kernel objects have that are compiled for the types of arguments.
local of_kernel = { attributes = true, explain = true, module = true, occupancy = true, signature = true }

function meta.__index(object, key)
  local method = methods[key]
  if method then return method end
  local state = states[object]
  if key == "name" then return state.name end
  if type(key) == "userdata" then
    local streams = rawget(state, "streams")
    if not streams then
      streams = setmetatable({}, { __mode = "k" })
      rawset(state, "streams", streams)
    end
    streams[key] = streams[key] or methods.with(object, { stream = key })
    return streams[key]
  end
  if of_kernel[key] then
    fail("index", "a kernel of dc.jit has no '%s': the kernel objects for types of arguments have it, "
      .. "%s:kernel(…).%s", key, state.name, key)
  end
  interface.missing("a kernel of dc.jit", key, methods)
end

interface.methods(methods)
function meta.__newindex() fail("argument", "a kernel has no fields to set") end
function meta.__tostring(object)
  local state = states[object]
  return ("kernel in Lua %s(%s)"):format(state.name, table.concat(state.params, ", "))
end

-- --- dc.jit -----------------------------------------------------------------------------------------------------

local known = { name = "string", check = "boolean", source = "string", flags = "any", fast_math = "boolean",
  debug = "boolean", std = "string", structs = "table" }

-- The name in `local name = dc.jit(function` or `function name`. What stands before the function is matched from its
-- end on, reversed: a search for a pattern that ends there would begin at each character.
local function name_in(found)
  local before = found.chunk.text:sub(1, found.node.at - 1):reverse()
  local name, rest = before:match "^%s*%(%s*[%w_%.]+%s*=%s*([%w_]*[%a_])()"
  if not name then name, rest = before:match "^%s*=%s*([%w_]*[%a_])()" end
  if name and before:find("^%s*,", rest) then return nil end -- of several names the last one
  return name and name:reverse()
    or found.chunk.text:match("^local%s+function%s+([%a_][%w_]*)", found.node.at)
    or found.chunk.text:match("^function%s+([%a_][%w_]*)", found.node.at)
end

local function jit(...)
  local first, second, third = ...
  local signature, fn, options = nil, first, second
  if type(first) == "string" then signature, fn, options = first, second, third end
  if type(fn) == "table" and states[fn] then return fn end
  if type(fn) ~= "function" then
    fail("argument", "bad argument #%d to 'jit': a Lua function expected, got %s", signature and 2 or 1,
      core.describe(fn))
  end
  options = arguments.check("dc.jit", options, known)
  local found = source.find(fn, options.source)
  if found.node.vararg then fail("argument", "dc.jit: the function takes '...'; a kernel's parameters have names") end
  local name = builder.name({ name = options.name or name_in(found) }, "jit")
  local state = { fn = fn, text = options.source, name = name, check = options.check, variants = {}, params = {},
    kernel_options = { flags = options.flags, fast_math = options.fast_math, debug = options.debug,
      std = options.std } }
  for k, decl in ipairs(found.node.params) do state.params[k] = decl.name end
  local most = core.most_arguments()
  if #state.params > most then
    fail("argument", "%s has %d parameters; a kernel in Lua has up to %d: pass arrays, or structs of several values",
      name, #state.params, most)
  end
  if signature then
    local list = signatures.parse(signature, options.structs)
    if #list ~= #state.params then
      fail("argument", "dc.jit: the signature has %d argument%s, the function has %d", #list, #list == 1 and "" or "s",
        #state.params)
    end
    state.fixed = signatures.fixed(state, list)
  end
  return object_of(state)
end

return { jit = jit, function_of = builtins.function_of, compile = compile, inputs_of = inputs_of,
  add_value = add_value, raise_fault = raise_fault }
