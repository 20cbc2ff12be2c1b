-- dc.elementwise: a function of arrays made from a few lines of CUDA C about one element, or from a function in Lua.
--
-- The lines become the function dc_body of one element's values, a text for each combination of dtypes.  The kernel
-- around it is made in C as those of array expressions are, one for each way in which the arrays lie in memory; the
-- text of the user follows the kernel's, so that its macros do not reach it.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local device_function = require "dotcompute.jit.device_function"
local lua_functions = require "dotcompute.jit.lua_functions"
local script_lines = require "dotcompute.script_lines"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail

-- --- the text of a body -----------------------------------------------------------------------------------------

-- "float &z, const float x, const int *bins, …": parameters of dc_body. Names are the body's own.
local function signature(params)
  local list = {}
  for k, p in ipairs(params) do
    local mark = p.raw and "*" or p.result and "&" or ""
    list[k] = ("%s%s %s%s"):format(p.raw and not p.result and "const " or "", p.ctype, mark, p.name)
  end
  list[#list + 1] = "const dc_index i"
  list[#list + 1] = "const dc_index n"
  return ("static __device__ __forceinline__ void dc_body(%s)"):format(table.concat(list, ", "))
end

-- Whether the element's number is read: by its name in the text, or perhaps by a macro from elsewhere.
local function reads_number(f, body)
  local text = body .. " " .. (f.preamble or "")
  return f.kernel_options.define ~= nil or text:find "#%s*include" ~= nil or text:find "%f[%w_]i%f[^%w_]" ~= nil
end

-- `params`: results, inputs, raw results, raw inputs. `bound.front`: functions that the body calls.
local function make_body(f, bound, params, dtypes)
  local body, head = bound.body_text or f.body, signature(params)
  return builder.body(f, bound, params, dtypes, { given = bound.given, indexed = reads_number(f, body),
    declarations = head .. ";\n",
    definitions = ("%s%s {%s;}\n"):format(bound.front or "", head, builder.piece("operation", body)) })
end

-- --- calls ------------------------------------------------------------------------------------------------------

-- What arguments of these kinds mean: the dtypes of all parameters, and the body for them.
local function bind(f, args, n, device)
  local nin, nout = #f.inputs, #f.outputs
  if n ~= nin and n ~= nin + nout then builder.fail_count(f, nin, nin + nout, n) end
  local given = n ~= nin
  local bound = { given = given, device = device or dc.device() }
  local all = table.move(f.inputs, 1, nin, 1, {})
  if given then
    table.move(f.outputs, 1, nout, nin + 1, all)
    for k, p in ipairs(f.outputs) do
      if not core.is_array(args[nin + k]) then
        fail("argument", "%s: the result '%s' takes an array, got %s", f.name, p.text, core.describe(args[nin + k]))
      end
    end
  end
  bound.types = builder.bind(all, args, f.name)
  if f.infer then f.infer(f, bound, args) end
  local params, raws, dtypes = {}, {}, {}
  local function add(p, result, from)
    local dtype = builder.resolve(p, bound.types, f.name)
    local list = p.raw and raws or params
    dtypes[#dtypes + 1] = dtype
    list[#list + 1] = { name = p.name, text = p.text, dtype = dtype.name, ctype = dtype.ctype, result = result,
      raw = p.raw, from = from }
  end
  for k, p in ipairs(f.outputs) do
    if p.raw and not given then fail("argument", "%s: the raw result '%s' has to be passed", f.name, p.text) end
    add(p, true, given and nin + k or 0)
  end
  for k, p in ipairs(f.inputs) do add(p, false, k) end
  lua_functions.add_input_params(bound, params, dtypes, n + 1)
  if #params == 0 then fail("argument", "%s: no argument tells how many elements there are", f.name) end
  lua_functions.add_functions(f.functions, bound, dtypes)
  bound.body = make_body(f, bound, table.move(raws, 1, #raws, #params + 1, params), dtypes)
  return bound
end

-- Tables among the arguments become arrays of their parameters' dtypes.
local function convert_tables(f, args, n, device)
  local params = table.move(f.outputs, 1, #f.outputs, #f.inputs + 1, table.move(f.inputs, 1, #f.inputs, 1, {}))
  if n > #params then builder.fail_count(f, #f.inputs, #params, n) end
  local types = builder.bind(table.move(params, 1, n, 1, {}), args, f.name)
  for k = 1, n do
    if type(args[k]) == "table" then
      args[k] = dc.using(device or dc.device(), dc.array, args[k], builder.resolve(params[k], types, f.name).name)
    end
  end
end

local function call(f, ...)
  local args, n = { ... }, select("#", ...)
  local kinds, device = core.signature(args, n)
  if kinds:find("T", 9, true) then
    convert_tables(f, args, n, device)
    kinds, device = core.signature(args, n)
  end
  local bound = lua_functions.binding(f, kinds, function() return bind(f, args, n, device) end)
  lua_functions.read_inputs(bound, args, n + 1)
  if not bound.given then return core.run(bound.body, args, device) end
  core.run(bound.body, args, device)
  return table.unpack(args, #f.inputs + 1, n)
end

-- --- making one -------------------------------------------------------------------------------------------------

local known = builder.set(builder.kernel_option_names, { "functions" })

-- `inputs`, `outputs`: declarations, or lists as builder.parse gives. `infer(f, bound, args)` sets the dtypes of
-- results and the body, once the arguments' types are known, in place of `body`.
local function make(inputs, outputs, body, options, infer)
  local f = { bindings = {}, origins = {}, body = body, infer = infer, operation = options.operation }
  local seen = {}
  local function parse(list, what) return type(list) == "table" and list or builder.parse(list, what, seen) end
  f.inputs, f.outputs = parse(inputs, "'elementwise': the inputs"), parse(outputs, "'elementwise': the outputs")
  f.inputs_text = options.shown or inputs:match "^%s*(.-)%s*$"
  f.outputs_text = type(outputs) == "string" and outputs:match "^%s*(.-)%s*$" or #f.outputs
  if #f.outputs == 0 then fail("argument", "at least one output is expected") end
  f.name, f.preamble = builder.name(options, "elementwise"), builder.option(options, "preamble")
  f.functions = lua_functions.functions_option(options)
  f.kernel_options = builder.kernel_options(options, f.name)
  if body then f.origins.operation = script_lines.origin(body) end
  if f.preamble then f.origins.preamble = script_lines.origin(f.preamble) end
  return function(...) return call(f, ...) end
end

-- Parameters that are raw are for CUDA C alone.
local function check_not_raw(text, what)
  for _, p in ipairs(builder.parse(text, what, {})) do
    if p.raw then fail("argument", "'%s': a function in Lua takes elements; write a kernel with dc.jit", p.text) end
  end
end

local function elementwise(inputs, outputs, body, options)
  local operation
  for k, text in ipairs { inputs, outputs } do
    if type(text) == "table" then -- as `make` takes them
      fail("argument", "bad argument #%d to 'elementwise': a string of parameters expected (\"T x, T y\"), got %s", k,
        core.describe(text))
    end
  end
  if device_function.is(body) then
    operation, body = device_function.of(body, "'elementwise'"), nil
    check_not_raw(inputs, "'elementwise': the inputs")
    check_not_raw(outputs, "'elementwise': the outputs")
  elseif type(body) ~= "string" then
    fail("argument", "bad argument #3 to 'elementwise': the operation is a string of CUDA C (\"z = x * y\") or a Lua "
      .. "function, got %s", core.describe(body))
  end
  arguments.check("dc.elementwise", options, known)
  options = setmetatable({ operation = operation }, { __index = options or {} })
  return make(inputs, outputs, body, options, operation and lua_functions.operation)
end

return { elementwise = elementwise, make = make }
