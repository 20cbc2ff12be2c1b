-- Functions that kernels in Lua can call: CUDA's, by their names in `dc` (device.lua has what they do outside of
-- kernels), the elementwise functions of `dc`, Lua's `math`, print, assert and error.
--
-- A builtin is { name =, check = function(checker, node, builtin) }, which gives a node of the typed tree. The node
-- "text" is CUDA C: `text` with $1, $2 … for its operands `args`.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local functions = require "dotcompute.functions"
local narrow = require "dotcompute.jit.narrow"
local number_text = require "dotcompute.number_text"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local builtins = {
  library = { dc = dc, math = math, table = table },
  by_name = {}, -- "dc.index" -> builtin
  -- set by init.lua: the Lua function of an object of dc.jit, and the text in its option `source`
  function_of = function() return nil end,
  text_of = function() return nil end,
}

local by_name = builtins.by_name

local function add(name, check)
  local b = { name = name, check = check }
  by_name[name] = b
  return b
end

function builtins.names(library)
  local list, prefix = {}, library == math and "math." or "dc."
  for name in pairs(by_name) do
    if name:sub(1, #prefix) == prefix then list[#list + 1] = name:sub(#prefix + 1) end
  end
  for name, value in pairs(library == math and math or {}) do
    if type(value) == "number" then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

local of_threads = { "index", "index%d", "thread_index", "block_%a+", "grid_size", "warp_size", "lane_[%a_]+",
  "cluster_[%a_]+", "sync_[%a_]+", "vote_%a+", "match_%a+", "shuffle[%a_]*", "active_mask", "reduce_%a+", "shared",
  "dynamic_shared" }

-- Whether a builtin is about the threads of a kernel, and works with others.
function builtins.uses_threads(builtin)
  for _, pattern in ipairs(of_threads) do
    if builtin.name:find("^dc%." .. pattern .. "$") then return true end
  end
  return false
end

-- --- arguments --------------------------------------------------------------------------------------------------

-- Raises unless there are `least` to `most` arguments.
local function count(self, n, b, least, most)
  local given = #n.args
  if given >= least and given <= (most or least) then return end
  self:fail(n.at, "%s takes %d%s argument%s, got %d", b.name, least, most and most > least and " to " .. most or "",
    (most or least) == 1 and "" or "s", given)
end

builtins.count = count

-- The arguments of a call, checked once: nodes of the tree, and as nodes of the text.
function builtins.check_arguments(self, n)
  local list, again = {}, {}
  for k, one in ipairs(n.args) do
    list[k] = self:expr(one)
    again[k] = { op = "checked", e = list[k], at = one.at, last = one.last }
  end
  return list, again
end

local function text(n, t, c, args, more)
  local e = { op = "text", type = t, text = c, args = args or {}, at = n.at }
  for k, v in pairs(more or {}) do e[k] = v end
  return e
end

builtins.text = text

-- A node that is executed for what it does.
local function act(self, n, t, c, args, more)
  self:only_in_kernels(n, self:shown(n))
  self:set(self.inst, "effect")
  self.uses.communicates = true -- threads may see what others have written
  local e = text(n, t, c, args, more)
  e.effect = true
  if t == types.unknown then return { op = "values", call = e } end
  return e
end

builtins.act = act

-- A text that stands once in front of the kernel's functions, under a name; those that it needs are asked for before.
function builtins.need(self, name, c)
  local texts = self.uses.texts or {}
  self.uses.texts = texts
  if not texts[name] then
    texts[name] = true
    texts[#texts + 1] = c
  end
end

-- A header of CUDA that the kernel includes.
function builtins.include(self, name)
  local headers = self.uses.headers or {}
  self.uses.headers = headers
  if not headers[name] then
    headers[name] = true
    headers[#headers + 1] = name
  end
end

-- --- indices ----------------------------------------------------------------------------------------------------

-- Integers of CUDA, a { text =, range = } for each axis; `text` is of 32 bits where it begins with "(long long)" before
-- an operand, as all integers that fit are printed. `small_range` as narrow.lua has it.
local function values(...)
  local list = { ... }
  return function(self, n, b)
    count(self, n, b, 0)
    self:only_in_kernels(n, b.name)
    local nodes = { op = "values" }
    for k, v in ipairs(list) do nodes[k] = text(n, types.integer, v.text, nil, v) end
    if #nodes == 1 then return nodes[1] end
    return nodes
  end
end

local MOST <const> = narrow.MOST
local THREADS <const>, BLOCKS <const> = { 1, 1024 }, { 1, 2147483647 } -- of a block, of a grid, along an axis

-- The index along x has 32 bits where the grid is small; along y and z there are at most 65535 blocks.
-- + 1 of signed integers, which do not overflow: `i <= n` and a[i] are then compiled as from an index from 0. `zero` is
-- that index, as CUDA C has it. Along one axis the product is the other way round: so NVVM reads %ntid before %ctaid in
-- the Monte Carlo pi of examples/jit, as in its CUDA C; the other order gave ptxas's code for sm_90 2.7 % more time.
local function global_index(axis, axes)
  local product = axes == 1 and "blockDim.%s * blockIdx.%s" or "blockIdx.%s * blockDim.%s"
  local zero = ("(int)(" .. product .. " + threadIdx.%s)"):format(axis, axis, axis)
  local int = ("(long long)(%s + 1)"):format(zero)
  if axis ~= "x" then return { text = int, zero = zero, range = { 1, 65535 * 1024 } } end
  return { text = "((long long)blockIdx.x * blockDim.x + threadIdx.x + 1)", small_text = int, zero = zero,
    small_range = { 1, MOST } }
end

local function axes(list_of)
  local list = {}
  for k, axis in ipairs { "x", "y", "z" } do list[k] = list_of(axis, k) end
  return values(table.unpack(list))
end

local function indices(variable, range, small_range)
  return axes(function(axis)
    local zero = ("(int)%s.%s"):format(variable, axis)
    return { text = ("(long long)(%s + 1)"):format(zero), zero = zero, range = range, small_range = small_range }
  end)
end

-- `axis`: of the block, negative of the grid.
local function sizes(variable, range, small_range, sign)
  return axes(function(axis, k)
    return { text = ("(long long)(int)%s.%s"):format(variable, axis), range = range, small_range = small_range,
      axis = sign * k }
  end)
end

add("dc.index", values(global_index("x", 1)))
add("dc.index2", values(global_index("y", 2), global_index("x", 2)))
add("dc.index3", values(global_index("z", 3), global_index("y", 3), global_index("x", 3)))
add("dc.thread_index", indices("threadIdx", THREADS))
add("dc.block_index", indices("blockIdx", BLOCKS, { 1, MOST }))
add("dc.block_size", sizes("blockDim", THREADS, nil, 1))
add("dc.grid_size", sizes("gridDim", BLOCKS, { 1, MOST }, -1))
add("dc.warp_size", function(self, n, b) -- of all devices
  count(self, n, b, 0)
  self:only_in_kernels(n, b.name)
  return { op = "const", type = types.integer, value = 32, at = n.at }
end)

local lane = values { range = { 1, 32 }, text = "(long long)((int)dc_lane() + 1)", zero = "(int)dc_lane()" }
add("dc.lane_index", function(self, n, b)
  builtins.need(self, "lane", [[
static __device__ __forceinline__ unsigned int dc_lane() {
  unsigned int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
]])
  return lane(self, n, b)
end)
builtins.values = values

-- --- barriers ---------------------------------------------------------------------------------------------------

local function statement(c)
  return function(self, n, b)
    count(self, n, b, 0)
    return act(self, n, types.unknown, c)
  end
end
add("dc.sync_threads", statement "__syncthreads()")
add("dc.thread_fence", statement "__threadfence()")
add("dc.thread_fence_block", statement "__threadfence_block()")
add("dc.thread_fence_system", statement "__threadfence_system()")

-- --- memory -----------------------------------------------------------------------------------------------------

-- The dtype that an argument names: of real numbers, `takes` "complex" ones, or "struct", vectors and structs, too.
local function dtype_argument(self, n, b, takes)
  local e = self:expr(n)
  if takes == "struct" and e.type.static == "struct" then return types.struct(e.type.value) end
  local t = e.type.static == "string" and (types.dtype(e.text) or takes == "struct" and types.vector(e.text))
  if not t then self:fail(n.at, "%s takes a dtype's name, as in \"float32\", got '%s'", b.name, self:shown(n)) end
  if t.kind == "c" and not takes then self:fail(n.at, "%s takes dtypes of real numbers, got %s", b.name, t.name) end
  return t
end

-- dc.shared(dtype, extents…), dc.local_array(dtype, extents…): their extents are constants.
local function memory(space, most)
  return function(self, n, b)
    count(self, n, b, 2, 5)
    if space == "shared" then self:only_in_kernels(n, b.name) end
    local t = dtype_argument(self, n.args[1], b, "struct")
    local extents, size = {}, 1
    for k = 2, #n.args do
      local v = self:constant(n.args[k], ("extent %d of %s"):format(k - 1, b.name))
      if v < 1 or v > most then self:fail(n.args[k].at, "%s: the extent %d is not in 1 to %d", b.name, v, most) end
      extents[k - 1], size = v, size * v
      if size * t.size > most then
        self:fail(n.at, "%s: %d bytes are more than the %d that a %s has", b.name, size * t.size, most,
          space == "shared" and "block" or "thread")
      end
    end
    return { op = "memory", type = types.array(t, #extents), space = space, extents = extents, size = size, at = n.at }
  end
end
-- dc.dynamic_shared(dtype, extents…): in the memory that the launch gives a block. One array follows the other, so each
-- is made once, by a local of the kernel itself.
add("dc.dynamic_shared", function(self, n, b)
  count(self, n, b, 2, 5)
  self:only_in_kernels(n, b.name)
  local inst, is_local = self.inst, false
  for _, value in ipairs(self.local_values or {}) do is_local = is_local or value == n end
  if not is_local or not inst.is_kernel or inst.blocks.outer then
    self:fail(n.at, "%s makes the value of a local of the kernel itself, outside of loops, conditions and functions: "
      .. "local a = %s", b.name, self:shown(n))
  end
  local t = dtype_argument(self, n.args[1], b, "struct")
  local extents = {}
  for k = 2, #n.args do
    local e = self:integer(n.args[k], ("extent %d of %s"):format(k - 1, b.name))
    if e.op == "const" and e.value < 0 then
      self:fail(n.args[k].at, "%s: the extent %d is negative", b.name, e.value)
    end
    extents[k - 1] = self:convert(e, types.integer, n.args[k])
  end
  builtins.need(self, b.name, "extern __shared__ __align__(16) unsigned char dc_dynamic[];")
  self.uses.dynamic = true
  return { op = "dynamic", type = types.array(t, #extents), space = "shared", args = extents, at = n.at }
end)

add("dc.shared", memory("shared", 232448))
add("dc.local_array", memory("local", 1 << 19))

builtins.dtype_argument = dtype_argument

-- --- casts ------------------------------------------------------------------------------------------------------

local function cast(self, n, e, t, b)
  if e.type ~= types.unknown and not e.type.kind then
    self:fail(n.at, "%s takes a number or a boolean, but '%s' is %s", b.name, self:shown(n), self:why(e))
  end
  if e.type == t then return e end
  if e.type.kind == "c" and t.kind ~= "c" and t ~= types.bool then
    self:fail(n.at, "%s takes a real number, but '%s' is %s, and its imaginary part would be lost: dc.real(z)", b.name,
      self:shown(n), self:why(e))
  end
  return { op = "convert", type = t, a = e, explicit = true, at = n.at }
end

builtins.cast = cast

for _, name in ipairs(core.dtypes()) do
  local t = types.dtype(name)
  if t.kind ~= "c" then
    add("dc." .. name, function(self, n, b)
      count(self, n, b, 1)
      return cast(self, n.args[1], self:expr(n.args[1]), t, b)
    end)
  end
end

add("dc.cast", function(self, n, b)
  count(self, n, b, 2)
  return cast(self, n.args[1], self:expr(n.args[1]), dtype_argument(self, n.args[2], b, "complex"), b)
end)

-- --- functions of numbers -----------------------------------------------------------------------------------------

-- 16-bit floats have not every function of their own.
local function as_float(t, place) return t.size == 2 and ("(float)(%s)"):format(place) or place end

builtins.as_float = as_float

-- A call of a function of CUDA's library in the floating type that the arguments meet in.
local function call_floating(self, n, name, args)
  local list, met = {}, args[1].type
  for k, e in ipairs(args) do
    if e.type == types.unknown then return text(n, types.unknown, "0") end
    list[k] = e.type
    met = types.meet(met, e.type)
  end
  local t = types.floating(list, met, 8)
  local places = {}
  for k, e in ipairs(args) do
    args[k] = self:convert(e, t, e.n)
    places[k] = as_float(t, "$" .. k)
  end
  return text(n, t, ("(%s)%s(%s)"):format(t.ctype, name, table.concat(places, ", ")), args)
end

builtins.call_floating = call_floating

local function numbers(self, n, b, least, most)
  count(self, n, b, least, most)
  local args = {}
  for k, one in ipairs(n.args) do args[k] = self:number(one, b.name) end
  return args
end

builtins.numbers = numbers

-- Numbers in the type that they meet in; nil where one is not known yet.
local function met(self, args)
  local t = args[1].type
  for _, e in ipairs(args) do
    if e.type == types.unknown then return nil end
    t = types.meet(t, e.type)
  end
  for k, e in ipairs(args) do args[k] = self:convert(e, t, e.n) end
  return t
end

builtins.met = met

local by_kind = {}
builtins.by_kind = by_kind

function by_kind.float(self, n, b, f)
  local args = numbers(self, n, b, f.count)
  if f.name == "pow" then return self:arith({ a = n.args[1], b = n.args[2], at = n.at }, "^", args[1], args[2]) end
  local e = call_floating(self, n, f.name, args)
  if f.name == "nextafter" and e.type.size == 2 then -- the next number of 16 bits, not of 32
    local name = e.type.name == "float16" and "half" or "brain"
    for _, piece in ipairs { name, "step", name .. "_next" } do
      builtins.need(self, piece, core.device_text("numbers/" .. piece))
    end
    e.text = e.text:gsub("nextafter", name .. "_next")
  end
  return e
end

function by_kind.exponent(self, n, b, f)
  count(self, n, b, 2)
  local first_is_order = f.name == "jn" or f.name == "yn"
  local x = self:number(n.args[first_is_order and 2 or 1], b.name)
  local order = self:integer(n.args[first_is_order and 1 or 2], b.name)
  if x.type == types.unknown then return text(n, types.unknown, "0") end
  local t = types.floating({ x.type }, x.type, 8)
  local places = { as_float(t, "$1"), "(int)($2)" }
  if first_is_order then places = { "(int)($2)", as_float(t, "$1") } end
  return text(n, t, ("(%s)%s(%s)"):format(t.ctype, f.name, table.concat(places, ", ")), { self:convert(x, t), order })
end

function by_kind.test(self, n, b, f)
  local args = numbers(self, n, b, 1)
  if args[1].type == types.unknown then return text(n, types.unknown, "0") end
  local t = types.floating({ args[1].type }, args[1].type, 8)
  return text(n, types.bool, ("(%s(%s) != 0)"):format(f.name, as_float(t, "$1")), { self:convert(args[1], t) })
end

local less = { min = "<", max = ">", fmin = "<", fmax = ">" }

-- Integers keep their dtype: they are whole already.
function by_kind.keep(self, n, b, f)
  local args = numbers(self, n, b, f.count)
  local t = met(self, args)
  if not t then return text(n, types.unknown, "0") end
  if types.is_floating(t) then
    local name = ({ abs = "fabs", min = "fmin", max = "fmax" })[f.name] or f.name
    local places = {}
    for k = 1, #args do places[k] = as_float(t, "$" .. k) end
    return text(n, t, ("(%s)%s(%s)"):format(t.ctype, name, table.concat(places, ", ")), args)
  end
  if less[f.name] then
    return text(n, t, ("($1 %s $2 ? $1 : $2)"):format(less[f.name]), args,
      { twice = true, choice = less[f.name] == "<" and "min" or "max" })
  end
  if f.name == "abs" and t.kind == "i" then
    return text(n, t, "(" .. number_text.absolute("$1", t) .. ")", args)
  end
  return args[1]
end

for name, f in pairs(functions) do
  if name ~= "cast" then
    add("dc." .. name, function(self, n, b) return by_kind[f.kind](self, n, b, f) end)
  end
end

add("dc.where", function(self, n, b)
  count(self, n, b, 3)
  local c = self:expr(n.args[1])
  if c.type ~= types.bool and c.type ~= types.unknown then
    self:fail(n.args[1].at, "dc.where takes a boolean first, but '%s' is %s", self:shown(n.args[1]), self:why(c))
  end
  local x, y = self:expr(n.args[2]), self:expr(n.args[3])
  self:need_value(x, "dc.where takes")
  self:need_value(y, "dc.where takes")
  if x.type == types.unknown or y.type == types.unknown then return text(n, types.unknown, "0") end
  local t = types.join(x.type, y.type)
  if not t then
    self:fail(n.at, "dc.where takes two values of one type, but '%s' is %s, and '%s' is %s", self:shown(n.args[2]),
      self:why(x), self:shown(n.args[3]), self:why(y))
  end
  return text(n, t, "($1 ? $2 : $3)", { c, self:convert(x, t, x.n), self:convert(y, t, y.n) },
    { choice = "either" })
end)

-- The smaller or greater of two values of one type; NaN where one is NaN.
local function or_nan(n, t, name, a, b)
  if not types.is_floating(t) then
    return text(n, t, ("($1 %s $2 ? $1 : $2)"):format(less[name]), { a, b }, { twice = true, choice = name })
  end
  local x, y = as_float(t, "$1"), as_float(t, "$2")
  return text(n, t, ("(%s != %s ? $1 : %s != %s ? $2 : (%s)f%s(%s, %s))"):format(x, x, y, y, t.ctype, name, x, y),
    { a, b }, { twice = true })
end

for lua_name, name in pairs { minimum = "min", maximum = "max" } do
  add("dc." .. lua_name, function(self, n, b)
    local args = numbers(self, n, b, 2)
    local t = met(self, args)
    return t and or_nan(n, t, name, args[1], args[2]) or text(n, types.unknown, "0")
  end)
end

add("dc.clip", function(self, n, b)
  local args = numbers(self, n, b, 3)
  local t = met(self, args)
  return t and or_nan(n, t, "min", or_nan(n, t, "max", args[1], args[2]), args[3]) or text(n, types.unknown, "0")
end)

-- Methods of symbolic values, which functions that dc.vectorize compiles may call: x:exp().
local comparisons = { lt = "<", le = "<=", gt = ">", ge = ">=", eq = "==", ne = "~=" }

-- The function of a method, nil where there is none.
function builtins.method(name)
  local sign = comparisons[name]
  if not sign then return by_name["dc." .. (name == "to" and "cast" or name)] end
  return { name = "x:" .. name, check = function(self, n, b)
    count(self, n, b, 2)
    return self:compare({ a = n.args[1], b = n.args[2], at = n.at }, sign, self:expr(n.args[1]), self:expr(n.args[2]))
  end }
end

-- Lua's own functions of `math`.
for name, c in pairs { sin = "sin", cos = "cos", tan = "tan", asin = "asin", acos = "acos", exp = "exp",
  sqrt = "sqrt" } do
  add("math." .. name, function(self, n, b) return call_floating(self, n, c, numbers(self, n, b, 1)) end)
end

add("math.atan", function(self, n, b)
  local args = numbers(self, n, b, 1, 2)
  return call_floating(self, n, #args == 2 and "atan2" or "atan", args)
end)

add("math.log", function(self, n, b)
  local args = numbers(self, n, b, 1, 2)
  local base = args[2]
  if not base then return call_floating(self, n, "log", args) end
  if base.op == "const" and base.value == 2 then return call_floating(self, n, "log2", { args[1] }) end
  if base.op == "const" and base.value == 10 then return call_floating(self, n, "log10", { args[1] }) end
  local e = call_floating(self, n, "log", args)
  if e.type.kind then e.text = ("(log(%s) / log(%s))"):format(as_float(e.type, "$1"), as_float(e.type, "$2")) end
  if e.type.size == 2 then e.text = ("(%s)%s"):format(e.type.ctype, e.text) end
  return e
end)

-- To an integer, as Lua's math.floor; of integers themselves.
for _, name in ipairs { "floor", "ceil" } do
  add("math." .. name, function(self, n, b)
    local e = numbers(self, n, b, 1)[1]
    local t = e.type
    if t == types.unknown or types.is_integer(t) then return e end
    local rounded = text(n, t, ("(%s)%s(%s)"):format(t.ctype, name, as_float(t, "$1")), { e })
    return { op = "convert", type = types.integer, a = rounded, at = n.at }
  end)
end

add("math.tointeger", function(self, n, b)
  count(self, n, b, 1)
  local e = self:integer(n.args[1], b.name)
  if e.type == types.unknown or e.type == types.integer then return e end
  return { op = "convert", type = types.integer, a = e, explicit = true, at = n.at }
end)

add("math.abs", function(self, n, b) return by_kind.keep(self, n, b, functions.abs) end)

-- Lua's comparisons: the first argument stays where the others are not less (greater), NaN among them.
for name, sign in pairs { min = "<", max = ">" } do
  add("math." .. name, function(self, n, b)
    local args = numbers(self, n, b, 1, 16)
    local t = met(self, args)
    if not t then return text(n, types.unknown, "0") end
    local e, own = args[1], t.kind == "f" and t.size >= 4 -- dc_min and dc_max of emit.lua
    local of_two = own and ("dc_%s($1, $2)"):format(name) or ("($2 %s $1 ? $2 : $1)"):format(sign)
    self.uses.extremes = self.uses.extremes or own and #args > 1
    for k = 2, #args do e = text(n, t, of_two, { e, args[k] }, { twice = not own, choice = name }) end
    return e
  end)
end

add("math.fmod", function(self, n, b)
  local args = numbers(self, n, b, 2)
  local t = met(self, args)
  if not t then return text(n, types.unknown, "0") end
  if types.is_floating(t) then
    self.uses.remainders = true
    return call_floating(self, n, "fmod", args)
  end
  if args[2].op == "convert" and args[2].a.value == 0 or args[2].value == 0 then
    self:fail(n.at, "bad argument #2 to 'fmod' (zero)")
  end
  local zero = t.kind == "i" and "($2 == 0 || $2 == -1 ? 0 : $1 %% $2)" or "($2 == 0 ? 0 : $1 %% $2)"
  return text(n, t, ("(%s)" .. zero):format(t.ctype), args, { twice = true })
end)

add("math.ult", function(self, n, b)
  count(self, n, b, 2)
  local args = { self:integer(n.args[1], b.name), self:integer(n.args[2], b.name) }
  for k, e in ipairs(args) do
    if e.type ~= types.unknown then args[k] = { op = "convert", type = types.integer, a = e, at = n.at } end
  end
  return text(n, types.bool, "((unsigned long long)$1 < (unsigned long long)$2)", args)
end)

-- --- print, assert, error ----------------------------------------------------------------------------------------

add("print", function(self, n)
  local formats, args, places, twice = {}, {}, {}, nil
  for k, e in ipairs(self:list(n.args)) do
    local t = e.type
    if t.static == "string" then
      formats[k] = e.text:gsub("%%", "%%%%")
    elseif t == types.bool then
      args[#args + 1] = e
      formats[k], places[#places + 1] = "%s", ('($%d ? "true" : "false")'):format(#args)
    elseif types.is_floating(t) then
      args[#args + 1] = e
      formats[k] = "%.14g"
      places[#places + 1] = ("(double)%s"):format(as_float(t, "$" .. #args))
    elseif t.kind == "c" then
      args[#args + 1] = e
      formats[k], twice = "%.14g%+.14gi", true
      for _, part in ipairs { "x", "y" } do places[#places + 1] = ("(double)$%d.%s"):format(#args, part) end
    elseif t == types.unknown or types.is_integer(t) then
      args[#args + 1] = e
      formats[k], places[#places + 1] = t.kind == "u" and "%llu" or "%lld",
        ("(%slong long)$%d"):format(t.kind == "u" and "unsigned " or "", #args)
    else
      self:fail(e.n.at, "print in a kernel takes numbers, booleans and strings, but '%s' is %s", self:shown(e.n),
        t.text)
    end
  end
  if #places > 32 then self:fail(n.at, "print in a kernel takes at most 32 numbers, got %d: print twice", #places) end
  local format = number_text.string(table.concat(formats, "\t") .. "\n"):gsub("%$", "\\044") -- $1 is an operand
  return act(self, n, types.unknown, ("printf(%s%s)"):format(format, #places > 0 and ", "
    .. table.concat(places, ", ") or ""), args, { twice = twice })
end)

-- The message of assert and error: a string that is known.
local function message(self, n, b, default)
  if not n then return default end
  local e = self:expr(n)
  if e.type.static ~= "string" then
    self:fail(n.at, "the message of %s in a kernel is a string without computed parts, but '%s' is %s", b.name,
      self:shown(n), self:why(e))
  end
  return e.text
end

add("assert", function(self, n, b)
  count(self, n, b, 1, 2)
  self:only_in_kernels(n, b.name)
  local c = self:condition(n.args[1])
  self:set(self.inst, "effect")
  return { op = "values", call = { op = "assert", type = types.unknown, cond = c, effect = true, at = n.at,
    message = message(self, n.args[2], b, "assertion failed!") } }
end)

add("error", function(self, n, b)
  count(self, n, b, 1, 2)
  self:only_in_kernels(n, b.name)
  self:set(self.inst, "effect")
  return { op = "values", call = { op = "assert", type = types.unknown, effect = true, at = n.at,
    message = message(self, n.args[1], b), ends = true } }
end)

builtins.add = add
for _, file in ipairs { "warp", "atomics", "math", "grid", "complex", "composites", "vector", "inline", "random" } do
  require("dotcompute.jit.builtins_" .. file)(builtins)
end

-- --- by the function that a name stands for -----------------------------------------------------------------------

-- Keys are weak: of functions that dc.extern has made.
builtins.by_function = setmetatable({ [print] = by_name.print, [assert] = by_name.assert, [error] = by_name.error },
  { __mode = "k" })
for name, b in pairs(by_name) do
  local library, key = name:match "^(%a+)%.(.*)$"
  if library then
    local fn = rawget(builtins.library[library], key)
    if fn ~= nil then builtins.by_function[fn] = b end
  end
end

return builtins
