-- What the builders share: declarations of parameters ("float x, raw const int *index, T y"), the types that a call
-- gives them, compiling with errors shown at the script's lines, axes of strided operands.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local functions = require "dotcompute.functions"
local script_lines = require "dotcompute.script_lines"
core.builtin(debug.getinfo(1, "S").source)

local builder = {}

function builder.fail(kind, text, ...) core.fail(kind, text:format(...)) end
local fail = builder.fail

-- Raises for `n` arguments of the function `f`, which takes `inputs`, or with the results to write `all`.
function builder.fail_count(f, inputs, all, n)
  fail("argument", "'%s' takes %s, or %d with the results to write, got %d", f.name,
    arguments.counted(inputs, f.inputs_text), all, n)
end

-- What a caller gave to compute into must be an array of the result's dtype on the device of the inputs.
function builder.check_result(who, output, device, out)
  if not core.is_array(out) then
    fail("argument", "%s: the result takes an array, got %s", who, core.describe(out))
  end
  if out.dtype ~= output.name then
    fail("dtype", "%s: the result is %s, got an array of %s", who, output.name, out.dtype)
  end
  if out.device ~= device then
    fail("device", "%s: the inputs are on %s, the result on %s; move one with a:to(device)", who, device, out.device)
  end
end

-- An element as messages have it: of uint64, whose elements Lua reads as 64 bits, without a sign.
function builder.shown(v, dtype)
  if dtype ~= "uint64" or math.type(v) ~= "integer" or v >= 0 then return tostring(v) end
  local tens = (v >> 1) // 5
  return ("%d%d"):format(tens, v - tens * 10)
end

-- --- declarations -----------------------------------------------------------------------------------------------

-- A dtype's name of our own, or one of C's; nil when it is none.
local dtype_of = core.dtype
builder.dtype = dtype_of

-- A name that stands for a type: a capital letter first, as templates have it.
local function is_placeholder(word) return word:match "^%u[%w_]*$" ~= nil end

-- "const unsigned int" is {dtype = …}; "T" is {placeholder = "T"}.
local function parse_type(words, whole)
  local type_words = words:gsub("%f[%w_]const%f[^%w_]", " "):match "^%s*(.-)%s*$"
  if type_words == "" then fail("argument", "'%s': a type and a name are expected", whole) end
  local dtype = dtype_of(type_words)
  if dtype then return { dtype = dtype } end
  if is_placeholder(type_words) then return { placeholder = type_words } end
  fail("argument", "'%s': '%s' is no type that arrays have, nor a placeholder (which begins with a capital letter)",
    whole, type_words)
end
builder.parse_type = parse_type

local reserved = { i = true, n = true }

local function parse_one(text, seen)
  local whole = text:match "^%s*(.-)%s*$"
  local words, name = whole:match "^(.-)%s*([%a_][%w_]*)$"
  if not words or words == "" then fail("argument", "'%s' is no parameter: a type and a name are expected", whole) end
  if reserved[name] then
    fail("argument", "'%s': the name '%s' is taken (i is the element's number, n their count)", whole, name)
  end
  if name:find "^dc_" then fail("argument", "'%s': names that begin with dc_ are taken", whole) end
  if seen[name] then fail("argument", "the name '%s' is used twice", name) end
  seen[name] = true
  local raw = false
  words = words:gsub("%f[%w_]raw%f[^%w_]", function()
    raw = true
    return " "
  end)
  local base, star = words:match "^(.-)%s*(%*?)%s*$"
  if star == "*" and not raw then
    fail("argument", "'%s': a parameter that is a pointer begins with 'raw', and is indexed by the body", whole)
  end
  local p = parse_type(base, whole)
  p.name, p.raw, p.text = name, raw, whole
  return p
end

-- The parameters that a list declares. `what` names the list; `seen`: names already in use.
function builder.parse(text, what, seen)
  if type(text) ~= "string" then
    fail("argument", "%s: a string of parameters expected (\"float x, float y\"), got %s", what, core.describe(text))
  end
  local list = {}
  if not text:find "%S" then return list end
  for one in (text .. ","):gmatch "(.-)," do list[#list + 1] = parse_one(one, seen) end
  return list
end

-- An option that is a string, or nil.
function builder.option(options, name, default)
  local v = options[name]
  if v == nil then return default end
  if type(v) ~= "string" then fail("argument", "option '%s' is a string, got %s", name, core.describe(v)) end
  return v
end

-- --- types ------------------------------------------------------------------------------------------------------

-- The dtype's name of a value when it is an array, else nil.
local function array_dtype(v)
  if type(v) == "userdata" and core.is_array(v) then return v.dtype end
end

-- What an argument that is no array counts as when nothing else settles its placeholder.
local function plain_dtype(v)
  if type(v) == "table" then return array_dtype(dc.array(v)) end
  return type(v) == "boolean" and "bool" or "float32"
end

local function settle_type(p, v, types, who)
  local dtype = array_dtype(v)
  if not dtype then return end
  if p.dtype then
    if p.dtype.name ~= dtype then
      fail("dtype", "%s: '%s' takes arrays of %s, got one of %s", who, p.text, p.dtype.name, dtype)
    end
  elseif not types[p.placeholder] then
    types[p.placeholder] = { dtype = dtype_of(dtype), by = p.name }
  elseif types[p.placeholder].dtype.name ~= dtype then
    fail("dtype", "%s: %s is %s by '%s' and %s by '%s'", who, p.placeholder, types[p.placeholder].dtype.name,
      types[p.placeholder].by, dtype, p.name)
  end
end

local takes = { number = true, boolean = true, table = true }

-- The dtype of each placeholder, from the arguments args[k] of params[k]; errors name the function `who`.
function builder.bind(params, args, who)
  local types = {}
  for k, p in ipairs(params) do
    local v = args[k]
    local is_array = array_dtype(v)
    if p.raw and not is_array then
      fail("argument", "%s: '%s' takes an array, got %s", who, p.text, core.describe(v))
    end
    if not is_array and not takes[type(v)] then
      fail("argument", "%s: '%s' takes an array or a number, got %s", who, p.text, core.describe(v))
    end
    settle_type(p, v, types, who)
  end
  for k, p in ipairs(params) do
    if p.placeholder and not types[p.placeholder] then
      types[p.placeholder] = { dtype = dtype_of(plain_dtype(args[k])), by = p.name }
    end
  end
  return types
end

-- The dtype of a parameter (or of a type alone) once the placeholders are known.
function builder.resolve(p, types, who)
  if p.dtype then return p.dtype end
  local t = types[p.placeholder]
  if not t then fail("dtype", "%s: no argument tells what %s is", who, p.placeholder) end
  return t.dtype
end

-- --- text -------------------------------------------------------------------------------------------------------

-- Headers of the dtypes in use, and placeholders as type names.
function builder.types_text(types, dtypes)
  local out, done = {}, {}
  for _, t in ipairs(dtypes) do
    local header = t.header
    if header and not done[header] then
      done[header] = true
      out[#out + 1] = ("#include <%s>"):format(header)
    end
  end
  local names = {}
  for name in pairs(types) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do out[#out + 1] = ("typedef %s %s;"):format(types[name].dtype.ctype, name) end
  return table.concat(out, "\n") .. "\n"
end

-- The beginning of a source: these, the type of indices, functions in Lua, the user's preamble.
function builder.prelude(types, dtypes, functions_text, preamble, wide)
  return ("%stypedef %s dc_index;\n%s%s"):format(builder.types_text(types, dtypes), wide and "long long" or "int",
    functions_text or "", preamble and builder.piece("preamble", preamble) .. "\n" or "")
end

-- The user's text with line numbers of its own, so that the compiler's messages name its lines.
function builder.piece(name, text)
  return ('\n#line 1 "/dc.%s"\n%s\n#line 1 "/dc.generated"\n'):format(name, text)
end

-- An element at `place` of an array parameter as a value. Bytes of bool arrays may hold anything but 0 for true.
function builder.load(dtype, name, place)
  if dtype.kind == "b" then return ("(((const unsigned char *)%s)[%s] != 0)"):format(name, place) end
  return ("%s[%s]"):format(name, place)
end

-- --- compiling --------------------------------------------------------------------------------------------------

-- The compiler's places in the pieces, as places in the script.
local function place_errors(text, origins)
  return text and (text:gsub("/dc%.(%w+)([(:])(%d+)%)?", function(name, _, line)
    local origin = origins[name]
    if origin then return script_lines.place(origin, tonumber(line)) end
  end))
end

-- What `make`, dc.kernel or dc.module, gives for the source on the device; `origins`: the pieces' names ->
-- script_lines.origin(text). `left_out`: of functions in Lua, why there is none for some dtypes.
local function compile(device, make, source, options, origins, left_out)
  local ok, result = pcall(dc.using, device, make, source, options)
  if ok then return result end
  if type(result) == "table" and result.kind == "compile" then
    result.message = left_out and result.message .. left_out or result.message
    result.message, result.log = place_errors(result.message, origins), place_errors(result.log, origins)
  end
  error(result, 0)
end

-- The kernel of a source.
function builder.compile(device, source, options, origins, left_out)
  return compile(device, dc.kernel, source, options, origins, left_out)
end

-- The object that makes and launches the kernels with a user's body: `fields` as core.body takes them, for parameters
-- `params`; `declarations` behind the types are optional.
function builder.body(f, bound, params, dtypes, fields)
  fields.name, fields.params = builder.c_name(f.name), params
  fields.declarations = builder.types_text(bound.types, dtypes) .. (fields.declarations or "")
  fields.definitions = ("%s%s%s"):format(bound.functions or "",
    f.preamble and builder.piece("preamble", f.preamble) or "", fields.definitions)
  function fields.compile(text)
    local options = {}
    for name, value in next, f.kernel_options do
      if name ~= "name" then options[name] = value end -- the module has that kernel alone
    end
    return compile(bound.device, dc.module, text, options, f.origins, bound.left_out)
  end
  return core.body(fields)
end

-- What the kernel is called in C: functions of CUDA's that have the name already would make it one of several.
function builder.c_name(name) return functions[name] and name .. "_" or name end

-- Options of dc.kernel that builders pass on.
function builder.kernel_options(options, name)
  return { name = builder.c_name(name), flags = options.flags, include = options.include, headers = options.headers,
    define = options.define, std = options.std, fast_math = options.fast_math }
end

builder.kernel_option_names = { "name", "preamble", "flags", "include", "headers", "define", "std", "fast_math" }

-- The names in the lists as options of any type.
function builder.set(...)
  local set = {}
  for _, list in ipairs { ... } do
    for _, name in ipairs(list) do set[name] = "any" end
  end
  return set
end

-- The name that kernels and messages have.
function builder.name(options, default)
  local name = builder.option(options, "name", default)
  if not name:match "^[%a_][%w_]*$" then fail("argument", "option 'name': '%s' is no name that C allows", name) end
  return name
end

-- --- axes -------------------------------------------------------------------------------------------------------

-- Leaves out axes of extent 1 and joins neighbours that every operand steps through as one.  `axes`: positions in
-- `shape` to look at, ascending; `strides`: a list of tables.  Gives extents and a list of tables of strides.
function builder.merge(shape, axes, strides)
  local extents, steps = {}, {}
  for k = 1, #strides do steps[k] = {} end
  for i = 1, #axes do
    local d, last = axes[i], #extents
    local n, joins = shape[d], last > 0
    for k = 1, #strides do joins = joins and steps[k][last] == strides[k][d] * n end
    if n ~= 1 then
      local at = joins and last or last + 1
      extents[at] = joins and extents[last] * n or n
      for k = 1, #strides do steps[k][at] = strides[k][d] end
    end
  end
  return extents, steps
end

-- The farthest that an operand reaches from its first element.
function builder.reach(extents, steps)
  local far = 0
  for d, n in ipairs(extents) do far = far + (n - 1) * math.abs(steps[d]) end
  return far
end

-- Above this indices take 64 bits: what blocks may overshoot is left free.
builder.narrow_limit = 2 ^ 31 - 2 ^ 22

return builder
