-- Arithmetic of the dtypes in plain Lua, as references that share no code with the library. A value is in the form in
-- which arrays are read: a boolean, an integer (uint64 wrapped into it), a float, or {re =, im =}.
local oracle = {}

oracle.dtypes = {
  "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
  "float64", "complex64", "complex128",
}
oracle.kind, oracle.bits = { bool = "b" }, { bool = 8 }
for _, dtype in ipairs(oracle.dtypes) do
  local name, bits = dtype:match "^(%a+)(%d+)$"
  if bits then
    oracle.kind[dtype] = ({ int = "i", uint = "u", float = "f", bfloat = "f", complex = "c" })[name]
    oracle.bits[dtype] = tonumber(bits)
  end
end
-- The format of a complex number's parts, and of a floating number itself.
oracle.part = {
  float16 = "float16", bfloat16 = "bfloat16", float32 = "float32", float64 = "float64", complex64 = "float32",
  complex128 = "float64",
}

-- The nearest whole number, ties to even; |x| < 2^51.
local function rint(x)
  if x ~= x or math.abs(x) >= 2 ^ 52 then return x end
  local magic = 1.5 * 2 ^ 52
  local r = x + magic - magic
  return r == 0 and x * 0 or r -- keeps the sign of zero
end
oracle.rint = rint

-- x >= 1's exponent: 2^e <= |x| < 2^(e+1).
local function exponent(x)
  x = math.abs(x)
  local e = (string.unpack("<I8", string.pack("<d", x)) >> 52) - 1023
  return e == -1023 and -1074 or e
end

-- Rounds to a binary format, given by its significand bits, least subnormal and greatest finite number.
local function rounder(significand, least, greatest)
  return function(x)
    if x ~= x or x == 0 or x == 1 / 0 or x == -1 / 0 then return x * 1.0 end
    local quantum = 2.0 ^ math.max(exponent(x) - significand + 1, least)
    local r = rint(x / quantum) * quantum
    if math.abs(r) > greatest then return x > 0 and 1 / 0 or -1 / 0 end
    return r
  end
end

oracle.round = {
  float16 = rounder(11, -24, 65504.0),
  bfloat16 = rounder(8, -133, (2 - 2.0 ^ -7) * 2.0 ^ 127),
  float32 = rounder(24, -149, (2 - 2.0 ^ -23) * 2.0 ^ 127),
  float64 = function(x) return x * 1.0 end,
}
oracle.greatest = {
  float16 = 65504.0, bfloat16 = (2 - 2.0 ^ -7) * 2.0 ^ 127, float32 = (2 - 2.0 ^ -23) * 2.0 ^ 127,
  float64 = (2 - 2.0 ^ -52) * 2.0 ^ 1023,
}
oracle.least = { float16 = 2.0 ^ -24, bfloat16 = 2.0 ^ -133, float32 = 2.0 ^ -149, float64 = 2.0 ^ -1074 }
oracle.epsilon = { float16 = 2.0 ^ -10, bfloat16 = 2.0 ^ -7, float32 = 2.0 ^ -23, float64 = 2.0 ^ -52 }

-- An integer wrapped into the dtype.
function oracle.wrap(v, dtype)
  local bits = oracle.bits[dtype]
  if bits == 64 then return v end
  v = v & ((1 << bits) - 1)
  if oracle.kind[dtype] == "i" and v >= 1 << (bits - 1) then v = v - (1 << bits) end
  return v
end
local wrap = oracle.wrap

-- Least and greatest integer of the dtype (uint64's greatest is the wrapped -1).
function oracle.limits(dtype)
  local bits = oracle.bits[dtype]
  if oracle.kind[dtype] == "u" then return 0, bits == 64 and -1 or (1 << bits) - 1 end
  if bits == 64 then return math.mininteger, math.maxinteger end
  return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
end

-- A uint64 as the nearest float64 (ties to even).
local function unsigned_float(v)
  if v >= 0 then return v + 0.0 end
  local half = (v >> 1) | (v & 1) -- the bit that falls off stays as a sticky one
  return (half + 0.0) * 2.0
end
oracle.unsigned_float = unsigned_float

-- A whole float as the integer of the dtype nearest to it.
local function saturate(x, dtype)
  if x ~= x then return 0 end
  x = x < 0 and math.ceil(x + 0.0) or math.floor(x + 0.0)
  x = x + 0.0
  local least, greatest = oracle.limits(dtype)
  if dtype == "uint64" then
    if x <= 0 then return 0 elseif x >= 2.0 ^ 64 then return -1 end
    if x >= 2.0 ^ 63 then return math.tointeger(x - 2.0 ^ 63) ~ math.mininteger end
    return math.tointeger(x)
  end
  if x <= least then return least end
  if dtype == "int64" and x >= 2.0 ^ 63 or dtype ~= "int64" and x >= greatest then return greatest end
  return math.tointeger(x)
end

-- An integer of `from` in a floating format, rounded once.
local function integer_float(v, from, to)
  if to == "float64" then return from == "uint64" and unsigned_float(v) or v + 0.0 end
  -- Rounding to odd in float64 first makes the second rounding right.
  local negative = from ~= "uint64" and v < 0
  if negative then v = -v end -- math.mininteger stays itself, which is right as an unsigned number
  local shift = 0
  while v < 0 or v >= 1 << 53 do
    v = (v >> 1) | (v & 1)
    shift = shift + 1
  end
  local x = (v + 0.0) * 2.0 ^ shift
  return oracle.round[to](negative and -x or x)
end

-- What a cast from one dtype to another gives.
function oracle.cast(v, from, to)
  local kind, into = oracle.kind[from], oracle.kind[to]
  if into == "c" then
    if kind == "c" then
      local round = oracle.round[oracle.part[to]]
      return { re = round(v.re), im = round(v.im) }
    end
    return { re = oracle.cast(v, from, oracle.part[to]), im = 0.0 }
  end
  if kind == "c" then
    if into == "b" then return v.re ~= 0 or v.im ~= 0 end
    return oracle.cast(v.re, oracle.part[from], to)
  end
  if kind == "b" then
    if into == "b" then return v end
    v, kind, from = v and 1 or 0, "i", "int8"
  end
  if into == "b" then return v ~= 0 end
  if kind == "f" then
    if into == "f" then return oracle.round[to](v) end
    return saturate(v, to)
  end
  if into == "f" then return integer_float(v, from, to) end
  return wrap(v, to)
end

-- Promotion, written out: row and column in the order of oracle.dtypes, by short names.
local promotion = {
  --         b    i1   i2   i4   i8   u1   u2   u4   u8   h    bh   f    d    c    z
  bool =       "b    i1   i2   i4   i8   u1   u2   u4   u8   h    bh   f    d    c    z",
  int8 =       "i1   i1   i2   i4   i8   i2   i4   i8   d    h    bh   f    d    c    z",
  int16 =      "i2   i2   i2   i4   i8   i2   i4   i8   d    f    f    f    d    c    z",
  int32 =      "i4   i4   i4   i4   i8   i4   i4   i8   d    f    f    f    d    c    z",
  int64 =      "i8   i8   i8   i8   i8   i8   i8   i8   d    d    d    d    d    z    z",
  uint8 =      "u1   i2   i2   i4   i8   u1   u2   u4   u8   h    bh   f    d    c    z",
  uint16 =     "u2   i4   i4   i4   i8   u2   u2   u4   u8   f    f    f    d    c    z",
  uint32 =     "u4   i8   i8   i8   i8   u4   u4   u4   u8   f    f    f    d    c    z",
  uint64 =     "u8   d    d    d    d    u8   u8   u8   u8   d    d    d    d    z    z",
  float16 =    "h    h    f    f    d    h    f    f    d    h    f    f    d    c    z",
  bfloat16 =   "bh   bh   f    f    d    bh   f    f    d    f    bh   f    d    c    z",
  float32 =    "f    f    f    f    d    f    f    f    d    f    f    f    d    c    z",
  float64 =    "d    d    d    d    d    d    d    d    d    d    d    d    d    z    z",
  complex64 =  "c    c    c    c    z    c    c    c    z    c    c    c    z    c    z",
  complex128 = "z    z    z    z    z    z    z    z    z    z    z    z    z    z    z",
}
local short = {
  b = "bool", i1 = "int8", i2 = "int16", i4 = "int32", i8 = "int64", u1 = "uint8", u2 = "uint16", u4 = "uint32",
  u8 = "uint64", h = "float16", bh = "bfloat16", f = "float32", d = "float64", c = "complex64", z = "complex128",
}
local promoted = {}
for dtype, row in pairs(promotion) do
  promoted[dtype] = {}
  local i = 0
  for word in row:gmatch "%S+" do
    i = i + 1
    promoted[dtype][oracle.dtypes[i]] = short[word]
  end
end

-- Where two arrays meet.
function oracle.promote(a, b) return promoted[a][b] end

-- The dtype of arithmetic: bools count as int32.
function oracle.arithmetic_dtype(a, b)
  local dtype = promoted[a][b or a]
  return dtype == "bool" and "int32" or dtype
end

-- The dtype of functions of analysis.
function oracle.float_dtype(a, b)
  local dtype = promoted[a][b or a]
  local kind = oracle.kind[dtype]
  if kind == "f" or kind == "c" then return dtype end
  return oracle.bits[dtype] == 64 and "float64" or "float32"
end

-- The dtype of / and ^, of means and variances: float64 where an integer of 32 bits or more takes part, too.
function oracle.division_dtype(a, b)
  b = b or a
  local kind = oracle.kind[promoted[a][b]]
  if kind == "f" or kind == "c" then return promoted[a][b] end
  return math.max(oracle.bits[a], oracle.bits[b]) >= 32 and "float64" or "float32"
end

-- Floored quotient and remainder of unsigned 64-bit integers.
local function unsigned_divide(x, y)
  if y < 0 then
    if math.ult(x, y) then return 0, x end
    return 1, x - y
  end
  if x >= 0 then return x // y, x % y end
  local q = ((x >> 1) // y) << 1
  local r = x - q * y
  if not math.ult(r, y) then q, r = q + 1, r - y end
  return q, r
end

-- Operators on two values of one dtype: arithmetic[sign](x, y, dtype), rounded or wrapped.
local integer = {
  ["+"] = function(x, y) return x + y end,
  ["-"] = function(x, y) return x - y end,
  ["*"] = function(x, y) return x * y end,
  ["//"] = function(x, y, dtype)
    if y == 0 then return 0 end
    if dtype == "uint64" then return (unsigned_divide(x, y)) end
    return x // y
  end,
  ["%"] = function(x, y, dtype)
    if y == 0 then return 0 end
    if dtype == "uint64" then return (select(2, unsigned_divide(x, y))) end
    return x % y
  end,
  ["&"] = function(x, y) return x & y end,
  ["|"] = function(x, y) return x | y end,
  ["~"] = function(x, y) return x ~ y end,
  ["<<"] = function(x, y, dtype)
    if math.ult(oracle.bits[dtype] - 1, y) then return 0 end
    return x << y
  end,
  [">>"] = function(x, y, dtype)
    local bits, negative = oracle.bits[dtype], oracle.kind[dtype] == "i" and x < 0
    if math.ult(bits - 1, y) then return negative and -1 or 0 end
    if not negative then return x >> y end
    return ~(~x >> y)
  end,
}
local floating = {
  ["+"] = function(x, y) return x + y end,
  ["-"] = function(x, y) return x - y end,
  ["*"] = function(x, y) return x * y end,
  ["/"] = function(x, y) return x / y end,
}

function oracle.arithmetic(sign, x, y, dtype)
  local kind = oracle.kind[dtype]
  if kind == "f" then
    local round = oracle.round[dtype]
    if sign == "//" then -- floored in float32, where 16-bit floats are computed
      return round(oracle.floor(oracle.round[dtype == "float64" and dtype or "float32"](x / y)))
    end
    if sign == "%" then return oracle.modulo(x, y, round) end
    return round(floating[sign](x, y))
  end
  if kind == "b" then
    if sign == "&" then return x and y elseif sign == "|" then return x or y else return x ~= y end
  end
  return wrap(integer[sign](x, y, dtype), dtype)
end

-- The floor of a float, as a float.
function oracle.floor(x)
  if x ~= x or x == 0 or math.abs(x) >= 2.0 ^ 52 then return x end
  return math.floor(x) + 0.0
end

-- x % y as Lua defines it on floats: the remainder has y's sign.
function oracle.modulo(x, y, round)
  if y == 0 or x ~= x or y ~= y or x == 1 / 0 or x == -1 / 0 then return 0 / 0 end
  if y == 1 / 0 or y == -1 / 0 then
    if x == 0 or (x > 0) == (y > 0) then return x end
    return y
  end
  local r = math.fmod(x, y)
  if r ~= 0 and (r > 0) ~= (y > 0) then r = round(r + y) end
  return r
end

-- -1, 0, 1 or nil (not a number) for real values of any two dtypes, exactly.
function oracle.compare(x, xtype, y, ytype)
  if x == true or x == false then x, xtype = x and 1 or 0, "int8" end
  if y == true or y == false then y, ytype = y and 1 or 0, "int8" end
  if x ~= x or y ~= y then return nil end
  local xbig, ybig = xtype == "uint64" and x < 0, ytype == "uint64" and y < 0
  if xbig and ybig then return x == y and 0 or math.ult(x, y) and -1 or 1 end
  if xbig then
    if math.type(y) == "integer" or y < 2.0 ^ 63 then return 1 end
    if y >= 2.0 ^ 64 then return -1 end
    return oracle.compare(x, "uint64", math.tointeger(y - 2.0 ^ 63) ~ math.mininteger, "uint64")
  end
  if ybig then return -oracle.compare(y, ytype, x, xtype) end
  return x == y and 0 or x < y and -1 or 1
end

-- The names of comparisons, given what compare says.
oracle.comparisons = {
  eq = function(c) return c == 0 end,
  ne = function(c) return c ~= 0 end,
  lt = function(c) return c == -1 end,
  le = function(c) return c == -1 or c == 0 end,
  gt = function(c) return c == 1 end,
  ge = function(c) return c == 1 or c == 0 end,
}

-- Are two values the same, NaN like NaN, zeros by sign too, integers and floats apart?
function oracle.same(x, y)
  if type(x) == "boolean" or type(y) == "boolean" then return x == y end
  if type(x) ~= "number" or type(y) ~= "number" then
    return type(x) ~= "number" and type(y) ~= "number" and oracle.same(x.re, y.re) and oracle.same(x.im, y.im)
  end
  if math.type(x) ~= math.type(y) then return false end
  if x ~= x then return y ~= y end
  return x == y and (x ~= 0 or math.type(x) == "integer" or 1 / x == 1 / y)
end

local packs = {
  bool = "<I1", int8 = "<i1", int16 = "<i2", int32 = "<i4", int64 = "<i8", uint8 = "<I1", uint16 = "<I2",
  uint32 = "<I4", uint64 = "<i8", float32 = "<f", float64 = "<d",
}

-- The bits of a value that float16 holds exactly.
local function half_bits(x)
  local sign = (x < 0 or 1 / x < 0) and 0x8000 or 0
  if x ~= x then return 0x7e00 end
  x = math.abs(x)
  if x == 1 / 0 then return sign | 0x7c00 end
  if x < 2.0 ^ -14 then return sign | math.tointeger(x * 2.0 ^ 24) end
  local e = exponent(x)
  return sign | (e + 15) << 10 | math.tointeger((x / 2.0 ^ e - 1) * 1024)
end

-- The bytes of a value, which the dtype must hold exactly.
function oracle.pack(v, dtype)
  if dtype == "bool" then return v and "\1" or "\0" end
  if dtype == "float16" then return string.pack("<I2", half_bits(v)) end
  if dtype == "bfloat16" then return string.pack("<f", v):sub(3) end
  if oracle.kind[dtype] == "c" then
    local part = oracle.part[dtype]
    return oracle.pack(v.re, part) .. oracle.pack(v.im, part)
  end
  return string.pack(packs[dtype], v)
end

-- All of them, for dc.from_bytes, which takes what dc.array refuses: uint64 above 2^63.
function oracle.bytes(values, dtype)
  local t = {}
  for i, v in ipairs(values) do t[i] = oracle.pack(v, dtype) end
  return table.concat(t)
end

function oracle.show(v)
  if type(v) == "boolean" then return tostring(v) end
  if math.type(v) == "integer" then return ("%d"):format(v) end
  if type(v) == "number" then return ("%.17g"):format(v) end
  return ("(%.17g, %.17g)"):format(v.re, v.im)
end

-- What a dtype's values should be tried with.
function oracle.edges(dtype)
  local kind = oracle.kind[dtype]
  if kind == "b" then return { false, true } end
  if kind == "i" or kind == "u" then
    local least, greatest = oracle.limits(dtype)
    local t = { 0, 1, 2, 3, greatest, greatest - 1, least, least + 1, 7, 100 }
    if kind == "i" then for _, v in ipairs { -1, -2, -7, -100 } do t[#t + 1] = v end end
    if dtype == "int64" then t[#t + 1] = (1 << 53) + 1 end
    if dtype == "uint64" then t[#t + 1] = math.mininteger end
    return t
  end
  local part = oracle.part[dtype]
  local big, small, eps = oracle.greatest[part], oracle.least[part], oracle.epsilon[part]
  local t = {
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.0, -7.0, 100.0, 1 / 0, -1 / 0, 0 / 0, big, -big, small,
    -small, 1 + eps, 1 - eps / 2, 3 * small,
  }
  if kind == "f" then return t end
  local pairs_of = {}
  for i = 1, #t do pairs_of[i] = { re = t[i], im = t[(i * 5 + 3) % #t + 1] } end
  return pairs_of
end

-- A random value that the dtype holds exactly: edges, small ones and wide ones.
function oracle.value(dtype, tame)
  local kind = oracle.kind[dtype]
  if kind == "b" then return math.random(2) == 1 end
  if kind == "c" then
    return { re = oracle.value(oracle.part[dtype], tame), im = oracle.value(oracle.part[dtype], tame) }
  end
  local pick = math.random(6)
  if kind == "f" then
    if tame or pick <= 3 then return oracle.round[dtype]((math.random() - 0.5) * 16) end
    if pick == 4 then
      local edges = oracle.edges(dtype)
      return edges[math.random(#edges)]
    end
    if pick == 5 then return math.random(-20, 20) + 0.0 end
    local bits = oracle.bits[dtype] == 16 and 14 or oracle.bits[dtype] == 32 and 100 or 900
    if dtype == "bfloat16" then bits = 100 end
    return oracle.round[dtype]((math.random() - 0.5) * 2.0 ^ math.random(-bits, bits))
  end
  local least, greatest = oracle.limits(dtype)
  if tame or pick <= 2 then return math.random(kind == "u" and 0 or -20, 20) end
  if pick == 3 then
    local edges = oracle.edges(dtype)
    return edges[math.random(#edges)]
  end
  if oracle.bits[dtype] == 64 then return kind == "u" and math.random(0) or math.random(least, greatest) end
  return math.random(least, greatest)
end

function oracle.values(n, dtype, tame)
  local t = {}
  for i = 1, n do t[i] = oracle.value(dtype, tame) end
  return t
end

-- The array of these values, in their dtype; 1-d by default.
function oracle.array(values, dtype, shape)
  return require "dotcompute".from_bytes(oracle.bytes(values, dtype), shape or #values, dtype)
end

return oracle
