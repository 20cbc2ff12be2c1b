-- dc.random: random arrays. A number is Philox4x32-10 (Salmon et al., 2011) of a seed, the number of the call that made
-- the array, and the position in the array; so it is the same on every device and can be fused into expressions.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local builder = require "dotcompute.builder"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local fail, shown = builder.fail, builder.shown

-- --- arguments ----------------------------------------------------------------------------------------------------

-- Advice for numbers in place of a shape that look like bounds, by function.
local bounds = {
  uniform = "bounds are options: dc.random.uniform(n, {low = -1, high = 1})",
  normal = "mean and standard deviation are options: dc.random.normal(n, {mean = 0, std = 1})",
  exponential = "the mean is an option: dc.random.exponential(n, {mean = 2})",
  integers = "bounds are options: dc.random.integers(n, {low = 1, high = 6})",
}

-- Raises for numbers that cannot be extents of a shape, which are probably bounds; a table is always a shape.
local function check_extents(name, list)
  for k = 1, #list do
    local n = list[k]
    if type(n) ~= "number" or not math.tointeger(n) or n < 0 or (n == 0 and #list > 1) then
      local advice = type(n) == "string" and ("the dtype is an option: dc.random.%s(n, {dtype = '%s'})"):format(name, n)
        or bounds[name]
      fail("shape", "'%s': extent %d of the shape is %s; %s%s", name, k, core.describe(n), advice,
        n == 0 and " (a shape without elements is given as a table, {3, 0})" or "")
    end
  end
end

-- Reads (shape… [, options]), ({shape} [, options]) or ({shape…, option = …}). Returns the shape as a table, and the
-- options.
local function read(name, known, ...)
  local first = ...
  local shape, options = arguments.list(("'%s'"):format(name), known, ...)
  if first == nil then
    fail("argument", "'%s' takes a shape: integers, or one table of them", name)
  end
  if type(first) ~= "table" then check_extents(name, shape) end
  if options.dtype ~= nil and type(options.dtype) ~= "string" then
    fail("argument", "'%s': option 'dtype' is the name of a dtype, got %s", name, core.describe(options.dtype))
  end
  return shape, options
end

-- Name and kind ("f", "i", "u", "b", "c") of option 'dtype', or of the default.
local function dtype_of(options, default)
  local dtype = algorithm.dtype(options.dtype or default)
  if not dtype then fail("dtype", "there is no dtype '%s'", options.dtype) end
  return dtype.name, dtype.kind
end

-- The dtype in which numbers are computed, and the dtype of the result.
local function floating(name, options)
  local dtype, kind = dtype_of(options, "float32")
  if kind ~= "f" then
    fail("dtype", "'%s' makes floating numbers; %s is none (dc.random.integers makes integers)", name, dtype)
  end
  return dtype == "float64" and "float64" or "float32", dtype
end

-- Raises unless the number is finite in the dtype, float32 or float64; returns it.
local function finite(name, key, v, dtype)
  if v ~= v or v == math.huge or v == -math.huge then
    fail("argument", "'%s': %s is a finite number, got %s", name, key, tostring(v))
  end
  if dtype == "float32" and math.abs(v) >= 0x1.ffffffp127 then -- it would be rounded to infinity
    fail("dtype", "'%s': %s, %s, is out of range for float32", name, key, tostring(v))
  end
  return v
end

-- --- generators ---------------------------------------------------------------------------------------------------

local methods = {}
local meta = { __index = methods, __name = "dotcompute.generator" }

function meta.__newindex(_, name) fail("index", "a generator's '%s' cannot be set", tostring(name)) end
function meta.__tostring(g) return ("dotcompute.generator (seed %d, call %d)"):format(g.state.seed, g.state.call) end

local function whole(v, what)
  local i = math.type(v) and math.tointeger(v)
  if not i then fail("argument", "%s is an integer, got %s", what, core.describe(v)) end
  return i
end

local function new(seed) return setmetatable({ state = { seed = seed, call = 0 } }, meta) end

local function make(g, kind, shape, dtype, range)
  local s = g.state
  local a = core.random(kind, shape, dtype, s.seed, s.call, range or s.first, s.index)
  s.call = s.call + 1
  return a
end

-- The numbers of a call with one extent alone, as most are; else nil.
local function line(g, kind, n, ...)
  if select("#", ...) == 0 and math.type(n) == "integer" and n >= 0 then return make(g, kind, { n }, "float32") end
end

-- seed(n): starts the stream of numbers of this seed, an integer.
function methods:seed(n)
  self.state.seed, self.state.call = whole(n, "'seed': a seed"), 0
end

-- jump(n): skips the numbers of n calls; generators of one seed that are far apart are independent.
function methods:jump(n)
  n = whole(n, "the number of calls to jump over")
  if n < 0 then fail("argument", "the number of calls to jump over is not negative, got %d", n) end
  self.state.call = self.state.call + n
end

-- uniform(shape… [, {low=, high=, dtype=}]): uniform in [low, high), by default [0, 1).
function methods:uniform(...)
  local numbers = line(self, "uniform", ...)
  if numbers then return numbers end
  local shape, o = read("uniform", { low = "number", high = "number", dtype = "any" }, ...)
  local made, dtype = floating("uniform", o)
  local low = finite("uniform", "option 'low'", o.low or 0, made)
  local high = finite("uniform", "option 'high'", o.high or 1, made)
  if high < low then fail("argument", "'uniform': low, %s, is above high, %s", low, high) end
  local a = make(self, "uniform", shape, made)
  local info = algorithm.dtype(dtype)
  if info.size == 2 then -- truncated to the bits of the dtype, so that no number rounds up to 1
    local steps = 1 << info.significand
    a = dc.trunc(a * steps) / steps
  end
  if high - low ~= 1 then
    a = a * finite("uniform", "high - low", high - low, made)
  end
  if low ~= 0 then a = a + low end
  return a:to(dtype)
end

-- normal(shape… [, {mean=, std=, dtype=}])
function methods:normal(...)
  local numbers = line(self, "normal", ...)
  if numbers then return numbers end
  local shape, o = read("normal", { mean = "number", std = "number", dtype = "any" }, ...)
  local made, dtype = floating("normal", o)
  local mean = finite("normal", "option 'mean'", o.mean or 0, made)
  local std = finite("normal", "option 'std'", o.std or 1, made)
  if std < 0 then fail("argument", "'normal': the standard deviation is not negative, got %s", std) end
  local a = make(self, "normal", shape, made)
  if std ~= 1 then a = a * std end
  if mean ~= 0 then a = a + mean end
  return a:to(dtype)
end

-- exponential(shape… [, {mean=, dtype=}]): with this mean, by default 1.
function methods:exponential(...)
  local numbers = line(self, "exponential", ...)
  if numbers then return numbers end
  local shape, o = read("exponential", { mean = "number", dtype = "any" }, ...)
  local made, dtype = floating("exponential", o)
  local mean = finite("exponential", "option 'mean'", o.mean or 1, made)
  if mean < 0 then fail("argument", "'exponential': the mean is not negative, got %s", mean) end
  local a = make(self, "exponential", shape, made)
  if mean ~= 1 then a = a * mean end
  return a:to(dtype)
end

local limits = {}
for bits = 8, 64, 8 do
  if bits == 8 or bits == 16 or bits == 32 or bits == 64 then
    limits["int" .. bits] = { -(1 << (bits - 1)), (1 << (bits - 1)) - 1 }
    limits["uint" .. bits] = { 0, (1 << bits) - 1 } -- for 64 bits -1, the Lua integer of 2^64 - 1
  end
end
limits.bool = { 0, 1 }

-- A bound of uint64 as a Lua integer of its 64 bits.
local function natural(v, what)
  if math.type(v) == "integer" then return v end
  local i = v >= 0 and (v < 2.0 ^ 63 and math.tointeger(v) or v >= 2.0 ^ 63 and v < 2.0 ^ 64
    and math.tointeger(v - 2.0 ^ 63) + math.mininteger)
  if not i then fail("dtype", "%s is an integer from 0 to 2^64 - 1, got %s", what, v) end
  return i
end

-- integers(shape…, {low=, high=, dtype=}): from low to high, both included; the defaults are 0 and the largest integer
-- of the dtype.
function methods:integers(...)
  local shape, o = read("integers", { low = "number", high = "number", dtype = "any" }, ...)
  if o.low == nil and o.high == nil and o.dtype == nil then
    for k = 1, #shape do shape[k] = type(shape[k]) == "number" and shape[k] or core.describe(shape[k]) end
    fail("argument", "'integers' needs a bound or a dtype; (%s) is the shape, %s", table.concat(shape, ", "),
      bounds.integers)
  end
  local dtype = dtype_of(o, "int64")
  local limit = limits[dtype]
  if not limit then fail("dtype", "'integers' makes integers and bools; %s is neither", dtype) end
  local is_natural = dtype == "uint64"
  local bound = is_natural and natural or whole
  local low = bound(o.low or 0, "'integers': option 'low'")
  local high = bound(o.high or limit[2], "'integers': option 'high'")
  if is_natural and math.ult(high, low) or not is_natural and high < low then
    fail("argument", "'integers': low, %s, is above high, %s", shown(low, dtype), shown(high, dtype))
  end
  if not is_natural and (low < limit[1] or high > limit[2]) then
    fail("dtype", "'integers': %d to %d is out of range for %s", low, high, dtype)
  end
  local a = make(self, "integer", shape, "int64", high - low + 1) -- a range of 2^64 wraps to 0
  if low ~= 0 then a = a + low end
  return a:to(dtype)
end

-- permutation(n): the integers 1 to n in random order, int64; permutation(a): the rows of `a` in random order.
function methods:permutation(what, ...)
  if select("#", ...) > 0 then
    core.fail_count("permutation", "an array or an integer alone", 1 + select("#", ...))
  end
  if core.is_array(what) then
    if what.ndim == 0 then fail("shape", "a 0-d array has no rows to put in order") end
    return dc.take(what, self:permutation(#what), 1)
  end
  local n = whole(what, "'permutation': what is permuted, if no array,")
  if n < 0 then fail("argument", "a permutation has 0 elements or more, got %d", n) end
  return require "dotcompute.random_order"(make(self, "integer", { n }, "int64", 0))
end

local SPARSE = 16 -- n / count from which rejection is used: few draws are repetitions, and a permutation has n

-- `count` different integers of 1 to n in random order, by rejection: a repeated draw is dropped. On average
-- -n log(1 - count/n) draws give that many; as many more are made as suffice but for a chance in millions, when all are
-- drawn again.
local function draw_different(self, n, count)
  local share = count / n
  local draws = count + math.ceil(count * share * 0.6 + 6 * math.sqrt(count * share)) + 8
  local places, drawn
  repeat
    drawn = make(self, "integer", { draws }, "int64", n)
    local order = drawn:argsort() -- stable: the first of equal ones is drawn first
    local sorted = drawn:take(order)
    local first = dc.concat { dc.ones(1, "bool"), sorted[{ { 2, draws } }]:ne(sorted[{ { 1, draws - 1 } }]) }
    places = order:select(first):sort()
  until #places >= count
  return drawn:take(places[{ { 1, count } }]) + 1
end

-- The first `count` of a random permutation of 1 to n.
local function draw_permuted(self, n, count)
  if count == n then return self:permutation(n) end
  local _, places = make(self, "integer", { n }, "int64", 0):topk(count, { smallest = true })
  return places
end

local function check_probabilities(p, n)
  p = algorithm.array("'choice'", "option 'p'", p, "float64")
  if p.ndim ~= 1 or #p ~= n then
    fail("shape", "'choice': there are %d things to choose from, and probabilities of shape (%s)", n,
      table.concat({ p:shape() }, ", "))
  end
  p = p:to "float64"
  local least, total = p:min():item(), p:sum():item()
  if least ~= least or least < 0 or total <= 0 or total == math.huge then
    fail("argument", "'choice': probabilities are finite, not negative, and at least one is positive")
  end
  return p / total
end

-- choice(a or n, shape… [, {replace=false, p=}]): elements (rows) of `a`, or integers 1 to n, with equal probabilities
-- or those of `p`, a list of the same length; with replace = false no element is chosen twice.
function methods:choice(what, ...)
  local shape, options = arguments.list("'choice'", { p = "any", replace = "boolean" }, ...)
  local first = ...
  if #shape == 0 and (first == nil or next(first) ~= nil) then shape = { 1 } end
  if core.is_array(what) and what.ndim == 0 then fail("shape", "a 0-d array has no rows to choose from") end
  local n = core.is_array(what) and #what or whole(what, "'choice': what is chosen from, if no array,")
  if n < 1 then fail("argument", "'choice': there is nothing to choose from") end
  local count = 1
  for _, extent in ipairs(shape) do count = count * whole(extent, "the number of choices") end
  local index
  if options.replace == false then
    if count > n then fail("argument", "'choice': %d different ones of %d", count, n) end
    if options.p ~= nil then -- the largest of log(u)/p: Efraimidis and Spirakis, 2006
      local p = check_probabilities(options.p, n)
      if count > p:count():item() then
        fail("argument", "'choice': %d different ones, but fewer have a probability above 0", count)
      end
      local e = make(self, "exponential", { n }, "float64")
      index = select(2, dc.where(p:gt(0), e / p, math.huge):topk(count, { smallest = true }))
    elseif count == 0 or n // count < SPARSE then
      index = draw_permuted(self, n, count)
    else
      index = draw_different(self, n, count)
    end
  elseif options.p ~= nil then
    local p = check_probabilities(options.p, n)
    local sums = p:cumsum()
    local u = make(self, "uniform", { count }, "float64") * sums[-1]
    index = dc.clip(dc.searchsorted(sums, u, "right"), 1, n)
  else
    index = make(self, "integer", { count }, "int64", n) + 1
  end
  index = index:reshape(shape)
  if not core.is_array(what) then return index end
  return dc.take(what, index, 1)
end

-- --- the module ---------------------------------------------------------------------------------------------------

-- A seed from the system, the default.
local function fresh_seed()
  local file = io.open("/dev/urandom", "rb")
  local bytes = file and file:read(8)
  if file then file:close() end
  return bytes and ("<i8"):unpack(bytes) or os.time() * 1000003 + math.floor(os.clock() * 1e6)
end

local default = new(fresh_seed())

local random = {}
for name, method in pairs(interface.methods(methods)) do
  random[name] = function(...)
    local result = method(default, ...) -- not a tail call: errors have the name of the function that the script called
    return result
  end
  methods[name] = function(g, ...)
    if getmetatable(g) ~= meta then
      fail("argument", "'%s': a generator expected, got %s (methods are called with a colon: g:%s(…))", name,
        core.describe(g), name)
    end
    local result = method(g, ...)
    return result
  end
end
setmetatable(methods, { __index = function(_, name) interface.missing("a generator", name, methods) end })

-- Of a generator (nil: the default one) a copy that makes blocks of larger arrays, and itself. dotcompute.dist sets
-- state.first, the position of the block's first element in the whole, from 0 on and a multiple of 4 (not for
-- integers), or state.index, an int64 array of the block's shape with the position of each element.
core.random_block = function(g)
  if g == nil then g = default end
  if getmetatable(g) ~= meta then fail("argument", "a generator of dc.random expected, got %s", core.describe(g)) end
  return setmetatable({ state = { seed = g.state.seed, call = g.state.call } }, meta), g
end

-- generator([seed]): a generator with its own stream of numbers, and the functions of dc.random as methods.
function random.generator(seed) return new(seed == nil and fresh_seed() or whole(seed, "'generator': a seed")) end

return interface.library("dc.random", random)
