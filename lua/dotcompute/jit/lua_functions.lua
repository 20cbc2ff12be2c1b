-- Lua functions in place of the expressions of CUDA C that builders take: `map`, `reduce`, `post` … of dc.reduction and
-- dc.scan, the operation of dc.elementwise, and functions that such expressions call by name.
--
-- A function is compiled (device_function.lua) when the dtypes of a call are known. Its text and a function with the
-- declared types around it go in front of the builder's kernel, and a call of that function is the expression. So the
-- kernels themselves are those of expressions in CUDA C.
--
-- A binding, what a builder knows for some dtypes, has the fields `front`, the text, and `made`, the functions in it.
local core = require "dotcompute.core"
local builder = require "dotcompute.builder"
local c_words = require "dotcompute.c_words"
local device_function = require "dotcompute.jit.device_function"
local functions = require "dotcompute.functions"
local number_text = require "dotcompute.number_text"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local lua_functions = {}

local fail = builder.fail

-- --- options ----------------------------------------------------------------------------------------------------

-- An option that is a string of CUDA C or a function; of a function the record of device_function.of. `beside`: what
-- else it may be, for messages.
function lua_functions.option(options, name, default, beside)
  local v = options[name]
  if v == nil then return default end
  if type(v) == "string" then return v end
  if device_function.is(v) then return device_function.of(v, ("option '%s'"):format(name)) end
  fail("argument", "option '%s' is %sa string of CUDA C or a Lua function, got %s", name, beside or "",
    core.describe(v))
end

-- The same for a value that may be a number or a boolean, too: { value = v }.
function lua_functions.value_option(options, name)
  local v = options[name]
  if type(v) == "number" or type(v) == "boolean" then return { value = v } end
  return lua_functions.option(options, name, nil, "a number, a boolean, ")
end

function lua_functions.is_function(piece) return type(piece) == "table" and piece.found ~= nil end

-- The declaration of an input for each parameter of a function, of any dtype; messages have the parameter's name.
function lua_functions.inputs(f)
  local list = {}
  for k, name in ipairs(f.params) do list[k] = { placeholder = "T" .. k, name = "x" .. k, text = name, own = true } end
  return list
end

-- The types of inputs for functions. A number beside inputs that follow the arguments is one of Lua's own, which takes
-- the dtype of what it meets.
function lua_functions.input_types(inputs, bound, args, who)
  local list = {}
  for k, p in ipairs(inputs) do
    local kind = p.own and math.type(args[k])
    if kind then
      list[k] = types[kind]
      bound.types[p.placeholder].dtype = types.dtype(kind == "integer" and "int64" or "float64")
    else
      list[k] = types.dtype(builder.resolve(p, bound.types, who).name)
    end
  end
  return list
end

-- --- calls of functions -----------------------------------------------------------------------------------------

-- Raises unless a value of a function may be stored as a `to`, by the rules of elements.
local function check_stored(f, at, from, to, what)
  if from.composite or to.composite or from.kind == "c" or to.kind == "c" then
    if from == to or to.kind == "c" and types.is_number(from) then return end
    device_function.fail(f, at, "%s takes %s, but the function returns %s", what, to.text, from.text)
  elseif (from.kind == "b") ~= (to.kind == "b") then
    device_function.fail(f, at, "%s takes %s, but the function returns %s: write %s", what, to.text, from.text,
      to.kind == "b" and "x ~= 0" or "b and 1 or 0")
  elseif types.is_integer(to) and types.is_floating(from) then
    device_function.fail(f, at, "%s takes %s, but the function returns %s: write dc.%s(x), which drops the fraction",
      what, to.text, from.text, to.name)
  end
end

-- The type that builders have in C: complex numbers are CUDA's there.
local function builder_ctype(t)
  return t.kind == "c" and builder.dtype(device_function.strong(t).name).ctype or t.ctype
end

-- What builders have for a type: the dtype's own table; a struct or tuple itself.
function lua_functions.builder_type(t) return t and (t.composite and t or builder.dtype(t.name)) end

-- A builder's value, whose text is a name, as the argument of a compiled function.
local function as_argument(t, text)
  return t.kind == "c" and ("%s{%s.x, %s.y}"):format(t.ctype, text, text) or text
end

-- A compiled function's value, whose text is a name, as a builder's of type `to`.
local function as_result(text, from, to)
  from = device_function.strong(from)
  if to.composite then return text end
  if to.kind ~= "c" then return number_text.convert(text, from, to) end
  local part, re, im = to.part.ctype, text, "0"
  if from.kind == "c" then re, im = text .. ".x", text .. ".y" end
  return ("%s{(%s)%s, (%s)%s}"):format(builder_ctype(to), part, re, part, im)
end

-- Numbers that a function captures, as parameters of the kernel: adds them to bound.inputs and gives their texts and
-- types.
local function add_inputs(bound, made)
  local texts, list = {}, {}
  bound.inputs = bound.inputs or {}
  for k, input in ipairs(made.inputs) do
    local name = ("dc_input%d"):format(#bound.inputs + 1)
    local dtype = lua_functions.builder_type(device_function.strong(input.type))
    bound.inputs[#bound.inputs + 1] = { path = input.path, param = { name = name, text = input.name,
      dtype = dtype.name, ctype = dtype.ctype }, dtype = dtype }
    texts[k], list[k] = name, input.type
  end
  return texts, list
end

-- The parameters and dtypes of a kernel with those of captured numbers, which a call passes as arguments `first`,
-- first + 1 …
function lua_functions.add_input_params(bound, params, dtypes, first)
  for k, input in ipairs(bound.inputs or {}) do
    input.param.from = first + k - 1
    params[#params + 1], dtypes[#dtypes + 1] = input.param, input.dtype
  end
end

-- Sets the arguments of these parameters: the values of the captured numbers, now.
function lua_functions.read_inputs(bound, args, first)
  for k, input in ipairs(bound.inputs or {}) do args[first + k - 1] = device_function.read(input.path) end
end

-- A C function of this name with parameters of the types around the compiled one; what it returns is a `to`.
local function wrapper(made, name, argument_types, to)
  local params, texts = {}, {}
  for k, t in ipairs(argument_types) do
    params[k], texts[k] = ("const %s x%d"):format(builder_ctype(t), k), as_argument(t, "x" .. k)
  end
  local text = "%sstatic __device__ __forceinline__ %s %s(%s) {\n  const %s v = %s(%s);\n  return %s;\n}\n"
  return text:format(made.text, builder_ctype(to), name, table.concat(params, ", "), made.result.ctype, made.call,
    table.concat(texts, ", "), as_result("v", made.result, to))
end

local function add(bound, made, text)
  bound.front = (bound.front or "") .. text
  bound.made = bound.made or {}
  table.insert(bound.made, made)
end

-- A type of jit/types.lua: a struct or tuple, or the one of a dtype.
local function own_type(t) return t.composite and t or types.dtype(t.name) end

-- The expression that calls function f for piece `name`, and the type of its value. `arguments`: a list of { type =,
-- text = of the argument }. `to`: the type that the value has to have, in messages that of `what`; nil: the function's
-- own, which is a struct or tuple only where `takes_composites`. `takes_inputs`: numbers that the function captures
-- become parameters of the kernel.
function lua_functions.call(bound, f, name, arguments, to, what, takes_composites, takes_inputs)
  local list, texts = {}, {}
  for k, a in ipairs(arguments) do list[k], texts[k] = a.type, a.text end
  local made = device_function.compile_one(f, list, "dc_fn_" .. name, takes_inputs)
  to = to and own_type(to) or device_function.strong(made.result)
  if to.composite and not takes_composites then
    device_function.fail(f, made.return_at, "%s takes a number or a boolean, but the function returns %s", what,
      to.text)
  end
  check_stored(f, made.return_at, made.result, to, what)
  local input_texts, input_types = add_inputs(bound, made)
  table.move(input_texts, 1, #input_texts, #texts + 1, texts)
  table.move(input_types, 1, #input_types, #list + 1, list)
  add(bound, made, wrapper(made, "dc_call_" .. name, list, to))
  return ("dc_call_%s(%s)"):format(name, table.concat(texts, ", ")), to
end

-- The arguments of a function of elements: those of the inputs and, where it has two parameters more, the element's
-- number from 1 and the number of elements, which are `i` and `n` in the expression.
function lua_functions.with_number(list, f)
  if #f.params == #list + 2 then
    list[#list + 1] = { type = types.integer, text = "(long long)i + 1" }
    list[#list + 1] = { type = types.integer, text = "(long long)n" }
  end
  return list
end

-- Raises where values are combined in a type of C, which functions in Lua do not know.
function lua_functions.need_dtype(f, acc)
  if not acc then
    fail("argument", "%s: option 'acc' is a type of C, '%s', which functions in Lua do not know: write CUDA C, or name "
      .. "a dtype", f.name, f.acc.text)
  end
end

-- The call of an operator, which makes one value of two of type `acc`, named `a` and `b` in the expression.
-- `inferred`: the type follows from the inputs, so an operator that returns another would change it in each step.
function lua_functions.operator(bound, f, name, acc, inferred)
  acc = own_type(acc)
  if #f.params ~= 2 then
    device_function.fail(f, nil, "the operator takes two values, a and b, but the function has %d parameter%s",
      #f.params, #f.params == 1 and "" or "s")
  end
  local made = device_function.compile_one(f, { acc, acc }, "dc_fn_" .. name)
  local t = made.result
  if acc.composite and t ~= acc then
    device_function.fail(f, made.return_at, "the operator makes %s of two of %s: it has to return what it takes",
      t.text, acc.text)
  elseif inferred and types.is_value(t) and not t.weak and t ~= acc and (t.kind == "b") == (acc.kind == "b") then
    device_function.fail(f, made.return_at, "the operator makes %s of two of %s: say in option 'acc' in which dtype "
      .. "values are combined, or convert the result, dc.%s(x)", t.text, acc.text, acc.name)
  end
  local list = { { type = acc, text = "a" }, { type = acc, text = "b" } }
  return (lua_functions.call(bound, f, name, list, acc, "the operator", true))
end

-- An upper bound of the size in bytes of a type's values.
function lua_functions.size(t)
  if not t.items then return t.size end
  local size = 0
  for _, item in ipairs(t.items) do size = size + (lua_functions.size(item) + 7) // 8 * 8 end
  return t.uniform and lua_functions.size(t.uniform) * #t.items or size
end

-- The body of an elementwise function: a function in Lua of f.inputs that returns a value for each of f.outputs. Sets
-- the dtypes of outputs that no array tells: those of the function's values.
function lua_functions.operation(f, bound, args)
  local list, texts, lines = {}, {}, {}
  for k, t in ipairs(lua_functions.input_types(f.inputs, bound, args, f.name)) do
    list[k] = { type = t, text = f.inputs[k].name }
  end
  for k, a in ipairs(lua_functions.with_number(list, f.operation)) do
    list[k], texts[k] = a.type, as_argument(a.type, a.text)
  end
  local made = device_function.compile(f.operation, list, "dc_fn_operation", true)
  if #made.results ~= #f.outputs then
    device_function.fail(f.operation, made.return_at, "the function returns %d value%s, and %d %s expected: %s",
      #made.results, #made.results == 1 and "" or "s", #f.outputs, #f.outputs == 1 and "is" or "are", f.outputs_text)
  end
  local input_texts, input_types = add_inputs(bound, made)
  for k, name in ipairs(input_texts) do texts[#texts + 1] = as_argument(input_types[k], name) end
  lines[1] = ("const auto dc_value = %s(%s);"):format(made.call, table.concat(texts, ", "))
  for k, p in ipairs(f.outputs) do
    local from = device_function.strong(made.results[k])
    if from.composite then
      device_function.fail(f.operation, made.return_at, "'%s' takes a number or a boolean, but the function returns %s",
        p.text, from.text)
    end
    if p.placeholder and not bound.types[p.placeholder] then
      bound.types[p.placeholder] = { dtype = lua_functions.builder_type(from), by = "the function" }
    end
    local to = types.dtype(builder.resolve(p, bound.types, f.name).name)
    if not p.own then check_stored(f.operation, made.return_at, made.results[k], to, ("'%s'"):format(p.text)) end
    local name = "dc_value" .. (#f.outputs > 1 and ".v" .. k or "")
    lines[k + 1] = ("%s = %s;"):format(p.name, as_result(name, from, to))
  end
  add(bound, made, made.text)
  bound.body_text = table.concat(lines, "\n")
end

-- The expression of a value without arguments: CUDA C, a number or boolean, or a function's value.
function lua_functions.value(bound, piece, name, to, who)
  if type(piece) == "string" then return piece end
  if lua_functions.is_function(piece) then
    return (lua_functions.call(bound, piece, name, {}, to, "the " .. name, true))
  end
  local v = piece.value
  if not to then
    fail("argument", "%s: option '%s' is an expression of CUDA C where 'acc' is a type of C", who, name)
  elseif (type(v) == "boolean") ~= (to.kind == "b") or to.composite then
    fail("dtype", "%s: option '%s' is %s, and values are combined as %s%s", who, name, tostring(v),
      to.composite and to.text or to.name, to.composite and ": write a function that returns one" or "")
  elseif not number_text.holds(to, v) then
    fail("dtype", "%s: option '%s': %s is out of range for %s", who, name, tostring(v), to.name)
  end
  if to.kind == "c" then return ("%s{%s, 0}"):format(builder_ctype(to), number_text.literal(v, own_type(to).part)) end
  return number_text.literal(v, to)
end


-- --- functions that expressions call ----------------------------------------------------------------------------

local MOST_OVERLOADS = 64

-- "float32, int32" as a list of dtypes.
local function parse_signature(name, text)
  local list = {}
  if type(text) ~= "string" then
    fail("argument", "option 'functions': '%s' is a function, or a list of one and its arguments' dtypes, as in "
      .. "{fn, \"float32, int32\"}; got %s", name, core.describe(text))
  end
  for word in (text .. ","):gmatch "%s*(.-)%s*," do
    local d = builder.dtype(word)
    if not d then fail("argument", "option 'functions': '%s' of '%s' is no dtype", word, name) end
    list[#list + 1] = types.dtype(d.name)
  end
  return list
end

-- Option `functions`, a table of functions by name: a list of { name =, fn =, signatures = }.
function lua_functions.functions_option(options)
  local list = {}
  if options.functions == nil then return nil end
  if type(options.functions) ~= "table" then
    fail("argument", "option 'functions' is a table of functions by name, got %s", core.describe(options.functions))
  end
  for name, v in pairs(options.functions) do
    if type(name) ~= "string" or not name:match "^[%a_][%w_]*$" or name:find "^dc_" or c_words[name] then
      fail("argument", "option 'functions': '%s' is no name that C allows", tostring(name))
    elseif functions[name] then
      fail("argument", "option 'functions': '%s' is the name of a function of CUDA's", name)
    end
    local fn, signatures = v, nil
    if type(v) == "table" and not device_function.is(v) then
      fn, signatures = v[1], {}
      for k = 2, math.max(#v, 2) do signatures[k - 1] = parse_signature(name, v[k]) end
    end
    list[#list + 1] = { name = name, signatures = signatures,
      fn = device_function.of(fn, ("option 'functions': '%s'"):format(name)) }
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

-- All lists of `n` of these types.
local function combinations(list, n)
  if n == 0 then return { {} } end
  local all = {}
  for _, rest in ipairs(combinations(list, n - 1)) do
    for _, t in ipairs(list) do
      local one = table.move(rest, 1, #rest, 1, {})
      one[n] = t
      all[#all + 1] = one
    end
  end
  return all
end

-- The signatures of a function that has none of its own: all of the dtypes of a call.
local function signatures_of(one, dtypes)
  if one.signatures then return one.signatures end
  local list, seen = {}, {}
  for _, d in ipairs(dtypes) do
    if not seen[d.name] then
      seen[d.name] = true
      list[#list + 1] = types.dtype(d.name)
    end
  end
  if (#list) ^ #one.fn.params > MOST_OVERLOADS then
    fail("argument", "option 'functions': '%s' has %d parameters, and there are %d dtypes in this call: name its "
      .. "arguments' dtypes, {fn, \"float32, int32\"}", one.name, #one.fn.params, #list)
  end
  return combinations(list, #one.fn.params)
end

local function names_of(list)
  local words = {}
  for k, t in ipairs(list) do words[k] = t.name end
  return table.concat(words, ", ")
end

-- Sets bound.functions, the text of the functions: for each an overload for each signature. Those for which a function
-- without declared dtypes does not compile are left out; bound.left_out says why.
function lua_functions.add_functions(list, bound, dtypes)
  local texts = {}
  bound.functions, bound.left_out = nil, nil
  for _, one in ipairs(list or {}) do
    local found, why = false, nil
    for k, signature in ipairs(signatures_of(one, dtypes)) do
      local ok, made = pcall(device_function.compile_one, one.fn, signature, ("dc_fn_%s_%d"):format(one.name, k))
      if ok then
        found = true
        bound.made = bound.made or {}
        table.insert(bound.made, made)
        texts[#texts + 1] = wrapper(made, one.name, signature, device_function.strong(made.result))
      elseif one.signatures then
        error(made, 0)
      else
        why = why or made
        bound.left_out = ("%s\nThere is no %s(%s): %s"):format(bound.left_out or "", one.name, names_of(signature),
          type(made) == "table" and made.message or tostring(made))
      end
    end
    if not found then error(why, 0) end
  end
  if #texts > 0 then bound.functions = table.concat(texts) end
end

-- Whether all that the functions of a binding capture is as it was.
local function is_current(bound)
  for _, made in ipairs(bound.made) do
    if not device_function.is_current(made) then return false end
  end
  return true
end

local MOST_BINDINGS = 64 -- for arguments of the same kinds: what functions capture may change with every call

-- The binding for arguments of these kinds, of f.bindings: made by make() for new kinds, and where functions capture
-- other values than those for which there is one.
function lua_functions.binding(f, kinds, make)
  local bound = f.bindings[kinds]
  if bound and (not bound.made or is_current(bound)) then return bound end
  local others = bound and bound.others or {} -- all bindings with functions for these kinds
  for _, other in ipairs(others) do
    if is_current(other) then
      f.bindings[kinds] = other
      return other
    end
  end
  bound = make()
  if bound.made then
    if #others >= MOST_BINDINGS then table.remove(others, 1) end
    others[#others + 1] = bound
    bound.others = others
  end
  f.bindings[kinds] = bound
  return bound
end

-- The number of characters of CUDA C that calling a piece adds to a kernel.
function lua_functions.length(bound, piece)
  if type(piece) == "string" then return #piece end
  local n = 0
  for _, made in ipairs(bound.made or {}) do
    if made.fn == piece.fn then n = n + made.length end
  end
  return n
end

return lua_functions
