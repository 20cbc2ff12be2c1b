-- Exact arithmetic on floats' bits, rounded once: a reference that shares nothing with the code it checks. A number is
-- { neg, m, e }: (-1)^neg * m * 2^e with m a natural number of any size, or { nan = true }, or { neg, inf = true }.
local exact = {}

-- --- natural numbers: limbs of 24 bits, the lowest first, none zero at the top ----------------------------------

local LIMB, MASK = 24, (1 << 24) - 1

local function trim(a)
  while #a > 0 and a[#a] == 0 do a[#a] = nil end
  return a
end

local function natural(n) -- from 64 bits, unsigned
  return trim { n & MASK, n >> 24 & MASK, n >> 48 }
end

local function bits(a)
  if #a == 0 then return 0 end
  local n, top = (#a - 1) * LIMB, a[#a]
  while top > 0 do n, top = n + 1, top >> 1 end
  return n
end

local function compare(a, b)
  if #a ~= #b then return #a < #b and -1 or 1 end
  for i = #a, 1, -1 do
    if a[i] ~= b[i] then return a[i] < b[i] and -1 or 1 end
  end
  return 0
end

local function add(a, b)
  local r, carry = {}, 0
  for i = 1, math.max(#a, #b) do
    local v = (a[i] or 0) + (b[i] or 0) + carry
    r[i], carry = v & MASK, v >> LIMB
  end
  if carry > 0 then r[#r + 1] = carry end
  return r
end

local function sub(a, b) -- a >= b
  local r, borrow = {}, 0
  for i = 1, #a do
    local v = a[i] - (b[i] or 0) - borrow
    r[i], borrow = v & MASK, v < 0 and 1 or 0
  end
  return trim(r)
end

local function mul(a, b)
  local r = {}
  for i = 1, #a + #b do r[i] = 0 end
  for i = 1, #a do
    local carry = 0
    for k = 1, #b do
      local v = r[i + k - 1] + a[i] * b[k] + carry
      r[i + k - 1], carry = v & MASK, v >> LIMB
    end
    r[i + #b] = r[i + #b] + carry
  end
  return trim(r)
end

local function shl(a, n)
  if #a == 0 then return {} end
  local r, whole, part = {}, n // LIMB, n % LIMB
  for i = 1, whole do r[i] = 0 end
  local carry = 0
  for i = 1, #a do
    local v = a[i] << part | carry
    r[whole + i], carry = v & MASK, v >> LIMB
  end
  r[whole + #a + 1] = carry
  return trim(r)
end

local function shr(a, n)
  local r, whole, part = {}, n // LIMB, n % LIMB
  for i = whole + 1, #a do
    r[i - whole] = (a[i] >> part | (a[i + 1] or 0) << (LIMB - part)) & MASK
  end
  return trim(r)
end

local function odd(a) return #a > 0 and a[1] & 1 == 1 end

-- a // b and whether something is left over.
local function divide(a, b)
  local q, r = {}, {}
  for i = bits(a) - 1, 0, -1 do
    r = shl(r, 1)
    if a[i // LIMB + 1] >> (i % LIMB) & 1 == 1 then r = add(r, { 1 }) end
    q = shl(q, 1)
    if compare(r, b) >= 0 then r, q = sub(r, b), add(q, { 1 }) end
  end
  return q, #r > 0
end

-- The integer square root, bit by bit, and whether something is left over.
local function root(a)
  local r, n = {}, (bits(a) + 1) // 2
  for i = n, 0, -1 do
    local try = add(r, shl({ 1 }, i))
    if compare(mul(try, try), a) <= 0 then r = try end
  end
  return r, compare(mul(r, r), a) ~= 0
end

-- --- formats -------------------------------------------------------------------------------------------------------

-- p: digits; least: exponent of the last digit of subnormals; most: the largest exponent; largest: the bits of the
-- largest number of a format without infinities, whose next and last bits are the NaN.
exact.formats = {
  f16 = { p = 11, least = -24, most = 15, bits = 16 },
  bf16 = { p = 8, least = -133, most = 127, bits = 16 },
  f32 = { p = 24, least = -149, most = 127, bits = 32 },
  f64 = { p = 53, least = -1074, most = 1023, bits = 64 },
  tf32 = { p = 11, least = -136, most = 127, bits = 19 },
  e4m3 = { p = 4, least = -9, most = 8, bits = 8, largest = 0x7e },
  e5m2 = { p = 3, least = -16, most = 15, bits = 8 },
}

function exact.decode(format, n)
  local f = exact.formats[format]
  local width = f.p - 1
  local fraction, exponent = n & ((1 << width) - 1), n >> width & ((1 << (f.bits - f.p)) - 1)
  local neg = n >> (f.bits - 1) & 1 == 1
  if f.largest and n & (1 << f.bits - 1) - 1 > f.largest then return { nan = true, neg = neg } end
  if exponent == (1 << (f.bits - f.p)) - 1 and not f.largest then
    if fraction ~= 0 then return { nan = true, neg = neg } end
    return { neg = neg, inf = true }
  end
  if exponent == 0 then return { neg = neg, m = natural(fraction), e = f.least } end
  return { neg = neg, m = natural(fraction | 1 << width), e = f.least + exponent - 1 }
end

local function infinity(f) return ((1 << (f.bits - f.p)) - 1) << (f.p - 1) end
function exact.nan(format)
  local f = exact.formats[format]
  if f.largest then return f.largest + 1 end
  return infinity(f) | (1 << (f.p - 1)) - 1
end

-- Whether a magnitude goes up: `rest` compares what is cut off with one half (-1, 0, 1).
local function goes_up(mode, neg, is_odd, rest)
  if mode == "rn" then return rest > 0 or (rest == 0 and is_odd) end
  if mode == "rna" then return rest >= 0 end
  if mode == "rz" then return false end
  return (mode == "rp") ~= neg
end

-- m * 2^e cut to a multiple of 2^unit.
local function cut(x, unit, mode)
  local n = unit - x.e
  if n <= 0 then return shl(x.m, -n) end
  local kept = shr(x.m, n)
  local left = sub(x.m, shl(kept, n))
  if #left == 0 then return kept end
  if goes_up(mode, x.neg, odd(kept), compare(shl(left, 1), shl({ 1 }, n))) then kept = add(kept, { 1 }) end
  return kept
end

local function to_integer(a) -- less than 2^64
  return (a[1] or 0) | (a[2] or 0) << 24 | (a[3] or 0) << 48
end

-- The bits of x in a format. options: ftz (subnormal results become zero), sat (into [0, 1]), finite (what is too large
-- becomes the largest number).
function exact.round(format, x, mode, options)
  local f, o = exact.formats[format], options or {}
  mode = mode or "rn"
  if o.sat then
    if x.nan or x.neg then return 0 end
    local one = { neg = false, m = { 1 }, e = 0 }
    if x.inf or exact.compare(x, one) >= 0 then x = one end
  end
  if x.nan then return exact.nan(format) end
  local sign = x.neg and 1 << (f.bits - 1) or 0
  local largest = f.largest or infinity(f) - 1
  if x.inf then return sign | (o.finite and largest or infinity(f)) end
  if #x.m == 0 then return sign end
  local unit = math.max(bits(x.m) + x.e - f.p, f.least)
  local m = cut(x, unit, mode)
  if bits(m) > f.p then m, unit = shr(m, 1), unit + 1 end
  if bits(m) + unit - 1 > f.most then
    if o.finite then return sign | largest end
    local finite = mode == "rz" or (mode == "rm" and not x.neg) or (mode == "rp" and x.neg)
    return sign | infinity(f) - (finite and 1 or 0)
  end
  local n = to_integer(m)
  if n >> (f.p - 1) == 0 then return sign | (o.ftz and 0 or n) end
  n = (unit - f.least + 1) << (f.p - 1) | n & ((1 << (f.p - 1)) - 1)
  return sign | (o.finite and math.min(n, largest) or n)
end

-- --- operations ---------------------------------------------------------------------------------------------------

local NAN = { nan = true }

-- From an integer of 64 bits, signed or not.
function exact.integer(n, signed)
  if signed and n < 0 then return { neg = true, m = natural(-n), e = 0 } end
  return { neg = false, m = natural(n), e = 0 }
end

function exact.is_zero(x) return x.m ~= nil and #x.m == 0 end

-- -1, 0, 1 as x is less than, equal to or greater than y; nil with a NaN.
function exact.compare(x, y)
  if x.nan or y.nan then return nil end
  if exact.is_zero(x) and exact.is_zero(y) then return 0 end
  local nx, ny = x.neg == true and not exact.is_zero(x), y.neg == true and not exact.is_zero(y)
  if nx ~= ny then return nx and -1 or 1 end
  local way = nx and -1 or 1
  if x.inf or y.inf then return x.inf and y.inf and 0 or x.inf and way or -way end
  local e = math.min(x.e, y.e)
  return way * compare(shl(x.m, x.e - e), shl(y.m, y.e - e))
end

function exact.neg(x) return { nan = x.nan, inf = x.inf, m = x.m, e = x.e, neg = not x.neg } end

-- x + y; the sign of an exact zero depends on the rounding.
function exact.add(x, y, mode)
  if x.nan or y.nan then return NAN end
  if x.inf or y.inf then
    if x.inf and y.inf and x.neg ~= y.neg then return NAN end
    return x.inf and x or y
  end
  local e = math.min(x.e, y.e)
  local a, b = shl(x.m, x.e - e), shl(y.m, y.e - e)
  if x.neg == y.neg then return { neg = x.neg, m = add(a, b), e = e } end
  local order = compare(a, b)
  if order == 0 then return { neg = mode == "rm", m = {}, e = e } end
  if order > 0 then return { neg = x.neg, m = sub(a, b), e = e } end
  return { neg = y.neg, m = sub(b, a), e = e }
end

function exact.mul(x, y)
  if x.nan or y.nan then return NAN end
  local neg = x.neg ~= y.neg
  if x.inf or y.inf then
    if exact.is_zero(x) or exact.is_zero(y) then return NAN end
    return { neg = neg, inf = true }
  end
  return { neg = neg, m = mul(x.m, y.m), e = x.e + y.e }
end

-- What is left over counts as one more digit, far below those that rounding looks at.
local function with_rest(neg, q, rest, e)
  q = shl(q, 1)
  return { neg = neg, m = rest and add(q, { 1 }) or q, e = e - 1 }
end

function exact.div(x, y)
  if x.nan or y.nan then return NAN end
  local neg = x.neg ~= y.neg
  if x.inf then return y.inf and NAN or { neg = neg, inf = true } end
  if y.inf then return { neg = neg, m = {}, e = 0 } end
  if exact.is_zero(y) then return exact.is_zero(x) and NAN or { neg = neg, inf = true } end
  local n = math.max(0, 60 + bits(y.m) - bits(x.m))
  local q, rest = divide(shl(x.m, n), y.m)
  return with_rest(neg, q, rest, x.e - y.e - n)
end

function exact.sqrt(x)
  if x.nan or exact.is_zero(x) then return x end
  if x.neg then return NAN end
  if x.inf then return x end
  local n = 130 - bits(x.m)
  if (x.e - n) % 2 == 1 then n = n + 1 end
  local r, rest = root(shl(x.m, n))
  return with_rest(false, r, rest, (x.e - n) // 2)
end

-- To an integral value, kept as a number.
function exact.integral(x, mode)
  if not x.m then return x end
  return { neg = x.neg, m = cut(x, 0, mode), e = 0 }
end

-- An integral number clamped to a number of bits, as a Lua integer.
function exact.limited(x, width, signed)
  local most = signed and (1 << (width - 1)) - 1 or width == 64 and -1 or (1 << width) - 1
  local large = x.inf or bits(x.m) > (signed and width - 1 or width)
  if not x.neg then return large and most or to_integer(x.m) end
  if not signed then return 0 end
  if large then return -(1 << (width - 1)) end
  return -to_integer(x.m)
end

-- As a Lua float, for comparisons with a tolerance.
function exact.float(format, n) return (string.unpack("<d", string.pack("<i8", exact.round("f64", exact.decode(format,
  n))))) end

return exact
