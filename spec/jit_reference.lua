-- Kernels in Lua run as plain Lua: numbers that have a dtype, with its arithmetic, arrays of them, the functions of
-- `dc`, and the threads of a block as coroutines. Written from docs/jit.md and docs/api.md alone: the front end of
-- dc.jit is compared with it (spec/jit_programs.lua), so it shares nothing with lua/dotcompute/jit.
--
-- A number with a dtype is a table { t = its type, v = its value }: a Lua integer (of uint64 the 64 bits), or a float
-- that is rounded to the dtype. Plain Lua numbers are Lua's own numbers in kernels, booleans are booleans.
local reference = {}

-- --- types ------------------------------------------------------------------------------------------------------

local types = {} -- by name; Lua's own numbers are "integer" and "float"
reference.types = types

local function define(name, kind, bits, precision, least, most)
  types[name] = { name = name, kind = kind, bits = bits, precision = precision, least = least, most = most }
end
for _, bits in ipairs { 8, 16, 32, 64 } do
  define("int" .. bits, "i", bits)
  define("uint" .. bits, "u", bits)
end
define("float16", "f", 16, 11, -14, 15) -- bits of the significand, least and greatest exponent
define("bfloat16", "f", 16, 8, -126, 127)
define("float32", "f", 32)
define("float64", "f", 64)
define("bool", "b", 8)
types.integer = { name = "integer", kind = "i", bits = 64, weak = true }
types.float = { name = "float", kind = "f", bits = 64, weak = true }

local Number = {}
local function box(t, v) return setmetatable({ t = t, v = v }, Number) end

local function type_of(x)
  if getmetatable(x) == Number then return x.t end
  local kind = math.type(x)
  return kind and types[kind] or types.bool
end

local function value(x)
  if getmetatable(x) == Number then return x.v end
  return x
end

-- The smallest signed integer type that holds both, or float64.
local function meet_integers(a, b)
  if a.kind == b.kind then return a.bits >= b.bits and a or b end
  if a.kind == "u" then a, b = b, a end
  if a.bits > b.bits then return a end
  return b.bits == 64 and types.float64 or types["int" .. 2 * b.bits]
end

-- The floating type that an integer type asks for beside `other`.
local function floating_for(t, other)
  if t.kind == "f" then return t end
  if t.bits == 8 then return other end
  return t.bits == 64 and types.float64 or types.float32
end

-- The type in which two numbers meet.
local function meet(a, b)
  if a == b then return a end
  if a.weak and b.weak then return types.float end
  if b.weak then a, b = b, a end
  if a.weak then return a.kind == "f" and b.kind ~= "f" and types.float32 or b end
  if a.kind ~= "f" and b.kind ~= "f" then return meet_integers(a, b) end
  local fa, fb = floating_for(a, b), floating_for(b, a)
  if fa == fb then return fa end
  return (fa.bits == 64 or fb.bits == 64) and types.float64 or types.float32
end
reference.meet = meet

-- The floating type of `/` and `^` (`least` = 32) and of functions (64: the integers that need float64).
local function floating(least, ...)
  local strong, all
  for _, t in ipairs { ... } do
    if not t.weak then strong = strong and meet(strong, t) or t end
    all = all and meet(all, t) or t
  end
  if not strong then return types.float end
  if strong.kind == "f" then return all end
  local widest = strong.bits
  if least == 32 then
    widest = 0
    for _, t in ipairs { ... } do if not t.weak then widest = math.max(widest, t.bits) end end
  end
  return types[widest >= least and "float64" or "float32"]
end
reference.floating = floating

-- --- rounding and conversion --------------------------------------------------------------------------------------

local function wrap(t, i)
  if t.bits == 64 then return i end
  i = i & ((1 << t.bits) - 1)
  if t.kind == "i" and i >= 1 << (t.bits - 1) then i = i - (1 << t.bits) end
  return i
end

local function float32(v) return (string.unpack("<f", string.pack("<f", v))) end

-- The nearest number of `precision` bits, halves to even.
local function round16(t, v)
  if v ~= v or v == 0 or v == math.huge or v == -math.huge then return v end
  local exponent = ((string.unpack("<i8", string.pack("<d", v)) >> 52) & 0x7ff) - 1023
  local unit = 2.0 ^ (math.max(exponent, t.least) - t.precision + 1)
  local q = v / unit
  local low = math.floor(q)
  local rest = q - low
  if rest > 0.5 or (rest == 0.5 and low % 2 == 1) then low = low + 1 end
  local rounded = low * unit
  if math.abs(rounded) >= 2.0 ^ (t.most + 1) then return rounded > 0 and math.huge or -math.huge end
  if rounded == 0 and v < 0 then return -0.0 end
  return rounded
end

local function round(t, v)
  if t.bits == 64 then return v end
  if t.bits == 32 then return float32(v) end
  return round16(t, v)
end

-- An integer in a floating type, rounded once: what a double cannot hold gets its last bit set, so that it is not taken
-- for a half between two numbers.
local function float_of(i, is_unsigned, t)
  if not is_unsigned or i >= 0 then
    if t.bits == 64 or (i > -(1 << 53) and i < 1 << 53) then return round(t, i + 0.0) end
  end
  if t.bits == 64 then return ((i >> 1 | i & 1) + 0.0) * 2 end
  local high = is_unsigned and i >> 11 or i // 2048
  if i & 2047 ~= 0 then high = high | 1 end
  return round(t, high * 2048.0)
end

-- Toward zero, saturating; NaN is 0.
local function integer_of(v, t)
  if v ~= v then return 0 end
  v = v < 0 and math.ceil(v) + 0.0 or math.floor(v) + 0.0
  local bits = t.kind == "i" and t.bits - 1 or t.bits
  local low = t.kind == "i" and -2.0 ^ bits or 0.0
  if v <= low then return t.kind == "i" and (t.bits == 64 and math.mininteger or -(1 << bits)) or 0 end
  if v >= 2.0 ^ bits then return bits == 64 and -1 or bits == 63 and math.maxinteger or (1 << bits) - 1 end
  if v >= 2.0 ^ 63 then return math.tointeger(v - 2.0 ^ 63) | math.mininteger end
  return math.tointeger(v)
end

-- The value of x, of type `from`, in type `to`.
local function convert_value(v, from, to)
  if from == to then return v end
  if from.kind == "b" then v, from = v and 1 or 0, types.integer end
  if to.kind == "b" then return v ~= 0 end
  if to.kind == "f" then
    if from.kind == "f" then return round(to, v) end
    return float_of(v, from.name == "uint64", to)
  end
  if from.kind == "f" then return integer_of(v, to) end
  return wrap(to, v)
end

-- A number or boolean as one of that type.
local function as(t, x)
  local v = convert_value(value(x), type_of(x), t)
  if t.kind == "b" or t.weak then return v end
  return box(t, v)
end
function reference.as(name, x) return as(types[name], x) end

-- --- arithmetic -------------------------------------------------------------------------------------------------

local function unsigned_quotient(a, b)
  if b < 0 then return math.ult(a, b) and 0 or 1 end
  if a >= 0 then return a // b end
  local q = (a >> 1) // b << 1
  return math.ult(a - q * b, b) and q or q + 1
end

-- Of integers; an error in Lua, and in kernels with { check = true }.
local function by_zero()
  reference.divided_by_zero = true
  return 0
end

local integers = {
  ["+"] = function(a, b) return a + b end,
  ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end,
  ["&"] = function(a, b) return a & b end,
  ["|"] = function(a, b) return a | b end,
  ["~"] = function(a, b) return a ~ b end,
  ["//"] = function(a, b, t)
    if b == 0 then return by_zero() end
    return t.name == "uint64" and unsigned_quotient(a, b) or a // b
  end,
  ["%"] = function(a, b, t)
    if b == 0 then return by_zero() end
    if t.name == "uint64" then return a - unsigned_quotient(a, b) * b end
    return a % b
  end,
}

local floats = { -- with 16 bits: rounded to float32, then to 16 bits
  ["+"] = function(a, b) return a + b end,
  ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end,
  ["/"] = function(a, b) return a / b end,
  ["//"] = function(a, b, t) return (t.bits < 64 and float32(a / b) or a / b) // 1.0 end,
  ["%"] = function(a, b)
    local r = math.fmod(a, b)
    if r ~= 0 and (r < 0) ~= (b < 0) then r = r + b end
    return r
  end,
  ["^"] = function(a, b) return b == 2 and a * a or a ^ b end,
}

local function arith(sign, a, b)
  local ta, tb = type_of(a), type_of(b)
  local t = meet(ta, tb)
  if sign == "/" or sign == "^" then t = floating(32, ta, tb) end
  local x, y = convert_value(value(a), ta, t), convert_value(value(b), tb, t)
  if t.kind ~= "f" then return box(t, wrap(t, integers[sign](x, y, t))) end
  local v = floats[sign](x, y, t)
  if t.bits < 64 then v = float32(v) end
  return box(t, round(t, v))
end

local signs = { __add = "+", __sub = "-", __mul = "*", __div = "/", __idiv = "//", __mod = "%", __pow = "^",
  __band = "&", __bor = "|", __bxor = "~" }
for event, sign in pairs(signs) do
  Number[event] = function(a, b) return arith(sign, a, b) end
end

function Number.__unm(a)
  if a.t.kind == "f" then return box(a.t, -a.v) end
  return box(a.t, wrap(a.t, -a.v))
end
function Number.__bnot(a) return box(a.t, wrap(a.t, ~a.v)) end

-- Dtypes shift as arrays do, Lua's integers as in Lua.
local function shift(a, b, is_left)
  local t, n, count = type_of(a), value(a), value(b)
  if t.weak then return is_left and n << count or n >> count end
  local too_far = count < 0 or count >= t.bits -- a negative one is a large number without its sign
  if is_left then return box(t, too_far and 0 or wrap(t, n << count)) end
  if t.kind == "u" then return box(t, too_far and 0 or n >> count) end
  if too_far then count = 63 end
  return box(t, n < 0 and ~(~n >> count) or n >> count)
end
function Number.__shl(a, b) return shift(a, b, true) end
function Number.__shr(a, b) return shift(a, b, false) end

-- -1, 0, 1: exact; nil where one is NaN.
local function order(a, b)
  local ta, tb, x, y = type_of(a), type_of(b), value(a), value(b)
  if ta.kind == "f" and tb.kind == "f" then
    local t = meet(ta, tb)
    x, y = round(t, x), round(t, y)
  elseif ta.kind ~= "f" and tb.kind ~= "f" then
    if ta.name == "uint64" or tb.name == "uint64" then
      local bits = (ta.weak or ta.name == "uint64") and (tb.weak or tb.name == "uint64") -- both are 64 bits
      if bits then return x == y and 0 or math.ult(x, y) and -1 or 1 end
      if ta.name == "uint64" and x < 0 then return 1 end
      if tb.name == "uint64" and y < 0 then return -1 end
    end
  elseif ta.name == "uint64" and x < 0 then -- at least 2^63, and a float
    if y ~= y then return nil end
    if y < 2.0 ^ 63 then return 1 elseif y >= 2.0 ^ 64 then return -1 end
    x, y = x & math.maxinteger, math.tointeger(y - 2.0 ^ 63)
  elseif tb.name == "uint64" and y < 0 then
    local o = order(b, a)
    return o and -o
  end
  if x < y then return -1 elseif x == y then return 0 elseif x > y then return 1 end
end

function Number.__lt(a, b) return order(a, b) == -1 end
function Number.__le(a, b)
  local o = order(a, b)
  return o == -1 or o == 0
end

-- a == b: Lua calls no metamethod where one of them is a plain number.
function reference.eq(a, b)
  if type(a) == "boolean" then return a == b end
  return order(a, b) == 0
end

-- Lua's own integers.
function reference.idiv(a, b) return b == 0 and by_zero() or a // b end
function reference.mod(a, b) return b == 0 and by_zero() or a % b end

-- The values of a loop whose variable has a dtype: Lua refuses to count with tables. Integers are counted exactly.
function reference.range(from, to, step)
  step = step or 1
  local t = meet(type_of(from), type_of(step))
  local v, by, limit = convert_value(value(from), type_of(from), t), convert_value(value(step), type_of(step), t),
    value(to)
  if t.kind == "f" then
    t = meet(t, type_of(to))
    v, by = round(t, v), round(t, by)
    limit = convert_value(limit, type_of(to), t)
  end
  local first = true
  return function()
    if not first then
      if t.kind == "f" then
        v = round(t, t.bits < 64 and float32(v + by) or v + by)
      else
        local next_value = v + by -- narrower than 64 bits
        if next_value ~= wrap(t, next_value) then return nil end
        v = next_value
      end
    end
    first = false
    if by > 0 and v <= limit or by < 0 and v >= limit then return box(t, v) end
  end
end

-- --- arrays -----------------------------------------------------------------------------------------------------

local Array = {}
local methods = {}

-- An array of `extents`; `data`: its values in C order.
function reference.array(name, extents, data)
  local size = 1
  for _, n in ipairs(extents) do size = size * n end
  if not data then
    data = {}
    for k = 1, size do data[k] = types[name].kind == "b" and false or types[name].kind == "f" and 0.0 or 0 end
  end
  assert(#data == size)
  return setmetatable({ t = types[name], extents = extents, data = data, offset = 0 }, Array)
end

-- The place of an element, or a row.
local function locate(self, key)
  local list = { key }
  if type(key) == "table" and getmetatable(key) ~= Number then list = key end
  local extents, place = self.extents, 0
  assert(#list <= #extents, "too many indices")
  for k, i in ipairs(list) do
    i = value(i)
    assert(math.type(i) == "integer" and i >= 1 and i <= extents[k], "an index out of range")
    place = place * extents[k] + i - 1
  end
  if #list == #extents then return self.offset + place + 1 end
  local rest = table.move(extents, #list + 1, #extents, 1, {})
  for _, n in ipairs(rest) do place = place * n end
  return nil, setmetatable({ t = self.t, extents = rest, data = self.data, offset = self.offset + place }, Array)
end

function Array.__index(self, key)
  if type(key) == "string" then return methods[key] end
  local place, row = locate(self, key)
  if not place then return row end
  local v = self.data[place]
  if self.t.kind == "b" then return v end
  return box(self.t, v)
end

function Array.__newindex(self, key, x)
  local place, t = assert(locate(self, key)), type_of(x)
  assert(not (self.t.kind ~= "f" and t.kind == "f"), "a float in an array of integers")
  assert((self.t.kind == "b") == (t.kind == "b"), "a boolean beside numbers")
  self.data[place] = convert_value(value(x), t, self.t)
end

function Array.__len(self) return self.extents[1] end
function methods.shape(self, k)
  if k then return self.extents[k] end
  return table.unpack(self.extents)
end

-- --- functions of math and dc -------------------------------------------------------------------------------------

local lua = math

-- A function of numbers in the type that its arguments meet in.
local function in_common(fn)
  return function(...)
    local args, t = { ... }, nil
    for _, x in ipairs(args) do t = t and meet(t, type_of(x)) or type_of(x) end
    for k, x in ipairs(args) do args[k] = convert_value(value(x), type_of(x), t) end
    local v = fn(t, table.unpack(args))
    if t.weak then return v end
    return box(t, t.kind == "f" and round(t, v) or wrap(t, v))
  end
end

-- A function in the floating type of its arguments.
local function in_floating(fn)
  return function(...)
    local args, list = { ... }, {}
    for k, x in ipairs(args) do list[k] = type_of(x) end
    local t = floating(64, table.unpack(list))
    for k, x in ipairs(args) do args[k] = convert_value(value(x), type_of(x), t) end
    local v = fn(table.unpack(args))
    if t.weak then return v end
    return box(t, round(t, t.bits < 64 and float32(v) or v))
  end
end

local function less(t, a, b)
  if t.name == "uint64" then return lua.ult(a, b) end
  return a < b
end

-- NVRTC makes a minimum or maximum of a comparison with 0.0, of -0.0 and 0.0 the one that it is by sign: `either_zero`
-- says that a program met both.
local function note_zeros(t, a, b)
  if t.kind == "f" and a == 0 and b == 0 and 1 / a ~= 1 / b then reference.either_zero = true end
end
local function smallest(t, first, ...)
  for _, x in ipairs { ... } do
    note_zeros(t, x, first)
    if less(t, x, first) then first = x end
  end
  return first
end
local function greatest(t, first, ...)
  for _, x in ipairs { ... } do
    note_zeros(t, x, first)
    if less(t, first, x) then first = x end
  end
  return first
end

local function to_whole(fn)
  return function(x)
    local t = type_of(x)
    if t.kind ~= "f" then return x end
    local v = value(x)
    if v == v and v ~= lua.huge and v ~= -lua.huge then v = fn(v) + 0.0 end
    return integer_of(v, types.integer)
  end
end

reference.math = {
  pi = lua.pi, huge = lua.huge, maxinteger = lua.maxinteger, mininteger = lua.mininteger,
  floor = to_whole(lua.floor), ceil = to_whole(lua.ceil),
  tointeger = function(x) return value(x) end,
  abs = in_common(function(t, v) return t.kind == "u" and v or lua.abs(v) end),
  min = in_common(smallest), max = in_common(greatest),
  sqrt = in_floating(lua.sqrt),
  fmod = in_common(function(t, a, b)
    if t.kind == "f" then return lua.fmod(a, b) end
    if b == 0 then return 0 end
    if t.name == "uint64" then return a - unsigned_quotient(a, b) * b end
    return lua.fmod(a, b)
  end),
  ult = function(a, b) return lua.ult(value(a), value(b)) end,
}
for _, name in ipairs { "sin", "cos", "exp", "log", "atan" } do reference.math[name] = in_floating(lua[name]) end

-- fmin and fmax ignore NaN. Of -0.0 and 0.0 either may be the result.
local function ignoring_nan(fn)
  return in_common(function(t, a, b)
    if a ~= a then return b elseif b ~= b then return a end
    return fn(t, a, b)
  end)
end

local dc = {
  where = function(c, a, b)
    local t = meet(type_of(a), type_of(b))
    return as(t, c and a or b)
  end,
  fmin = ignoring_nan(smallest), fmax = ignoring_nan(greatest), min = ignoring_nan(smallest),
  max = ignoring_nan(greatest),
  abs = reference.math.abs, sqrt = reference.math.sqrt,
  isnan = function(x) return value(x) ~= value(x) end,
  cast = function(x, name) return as(types[name], x) end,
}
reference.dc = dc
for _, name in ipairs { "floor", "ceil" } do
  dc[name] = in_common(function(t, v)
    if t.kind ~= "f" or v ~= v or v == lua.huge or v == -lua.huge or v == 0 then return v end
    local f = lua[name](v) + 0.0
    return f == 0 and v < 0 and -0.0 or f
  end)
end
for name, t in pairs(types) do
  if not t.weak then dc[name] = function(x) return as(t, x) end end
end

-- --- threads ----------------------------------------------------------------------------------------------------

local thread, count, shared = 0, 0, {} -- the running thread, the number of threads, the block's shared arrays

function dc.index() return thread end
function dc.thread_index() return thread, 1, 1 end
function dc.block_index() return 1, 1, 1 end
function dc.block_size() return count, 1, 1 end
function dc.grid_size() return 1, 1, 1 end
function dc.lane_index() return (thread - 1) % 32 + 1 end
function dc.warp_size() return 32 end

function dc.local_array(name, ...) return reference.array(name, { ... }) end

-- The shared array that the thread asks for as its k-th.
local asked = {}
function dc.shared(name, ...)
  asked[thread] = (asked[thread] or 0) + 1
  local k = asked[thread]
  shared[k] = shared[k] or reference.array(name, { ... })
  return shared[k]
end

-- What all threads do together: each gets its result from the requests of all.
local together = {}
for _, name in ipairs { "sync_threads", "sync_warp", "sync_threads_count", "sync_threads_and", "sync_threads_or",
  "vote_all", "vote_any", "vote_ballot", "match_any", "shuffle", "shuffle_up", "shuffle_down", "shuffle_xor" } do
  dc[name] = function(...) return coroutine.yield(name, ...) end
end
function dc.thread_fence() end
dc.thread_fence_block = dc.thread_fence

function together.sync_threads() end
together.sync_warp = together.sync_threads
function together.sync_threads_count(requests)
  local n = 0
  for _, r in ipairs(requests) do n = n + (r[2] and 1 or 0) end
  return n
end
function together.sync_threads_and(requests)
  for _, r in ipairs(requests) do if not r[2] then return false end end
  return true
end
function together.sync_threads_or(requests)
  for _, r in ipairs(requests) do if r[2] then return true end end
  return false
end
together.vote_all, together.vote_any = together.sync_threads_and, together.sync_threads_or -- blocks are of one warp
function together.vote_ballot(requests)
  local bits = 0
  for k, r in ipairs(requests) do if r[2] then bits = bits | 1 << (k - 1) end end
  return bits
end
function together.match_any(requests, me)
  local bits = 0
  for k, r in ipairs(requests) do if value(r[2]) == value(requests[me][2]) then bits = bits | 1 << (k - 1) end end
  return bits
end
function together.shuffle(requests, me) return requests[value(requests[me][3])][2] end
local function neighbour(lane)
  return function(requests, me) return (requests[lane(me, value(requests[me][3]))] or requests[me])[2] end
end
together.shuffle_up = neighbour(function(me, n) return me - n end)
together.shuffle_down = neighbour(function(me, n) return me + n end)
together.shuffle_xor = neighbour(function(me, mask) return ((me - 1) ~ mask) + 1 end)

for name, fn in pairs {
  add = function(a, b) return a + b end,
  min = function(a, b) return b < a and b or a end,
  max = function(a, b) return a < b and b or a end,
  ["and"] = function(a, b) return a & b end,
  ["or"] = function(a, b) return a | b end,
  xor = function(a, b) return a ~ b end,
  exchange = function(_, b) return b end,
} do
  dc["atomic_" .. name] = function(array, key, x)
    local old = array[key]
    array[key] = fn(old, as(array.t, x))
    return old
  end
end

-- Runs `body` in a block of n threads, at most a warp.
function reference.run(n, body)
  local threads, requests = {}, {}
  count, shared, asked = n, {}, {}
  for k = 1, n do threads[k] = coroutine.create(body) end
  local results = {}
  repeat
    local waiting = 0
    for k, co in ipairs(threads) do
      if coroutine.status(co) ~= "dead" then
        thread = k
        local r = table.pack(coroutine.resume(co, results[k]))
        if not r[1] then error(debug.traceback(co, tostring(r[2])), 0) end
        if coroutine.status(co) ~= "dead" then
          waiting = waiting + 1
          requests[k] = table.move(r, 2, r.n, 1, {})
        end
      end
    end
    assert(waiting == 0 or waiting == n, "threads wait at different places")
    for k = 1, waiting do
      assert(requests[k][1] == requests[1][1], "threads wait at different places")
      results[k] = together[requests[k][1]](requests, k)
    end
  until waiting == 0
end

return reference
