-- References for floating instructions and conversions: exact ones by way of spec.ptx.exact, approximate ones by Lua's
-- own functions and a tolerance.
local harness = require "spec.ptx.harness"
local exact = require "spec.ptx.exact"
local integers = require "spec.ptx.integers"

local types, extend, has, type_of = harness.types, harness.extend, integers.has, integers.type_of
local floats = {}

local roundings = { rn = "rn", rz = "rz", rm = "rm", rp = "rp", rna = "rna" }
local integral = { rni = "rn", rzi = "rz", rmi = "rm", rpi = "rp" }
local function word_of(parts, words)
  for i = 2, #parts do
    if words[parts[i]] then return words[parts[i]] end
  end
end

-- --- elementwise over a type and its packed pairs
-- ---------------------------------------------------------------------

-- op(numbers…, mode) gives a number to be rounded to the format.
local function compute(name, parts, op, inputs)
  local format = types[name].float
  local mode = word_of(parts, roundings) or "rn"
  local ftz = has(parts, "ftz") and (format == "f32" or format == "f16")
  local numbers = {}
  for i, n in ipairs(inputs) do
    local x = exact.decode(format, n)
    if ftz and x.m and n & (format == "f16" and 0x7c00 or 0x7f800000) == 0 then x = { neg = x.neg, m = {}, e = 0 } end
    numbers[i] = x
  end
  numbers[#numbers + 1] = mode
  local x = op(table.unpack(numbers))
  if has(parts, "relu") and (x.nan or x.neg) then
    if x.nan then return exact.nan(format) end
    return 0
  end
  return exact.round(format, x, mode, { ftz = ftz, sat = has(parts, "sat") })
end

local function elementwise(n, op)
  return function(parts)
    local name, t = type_of(parts)
    if not t or not (t.float or t.pair) then return nil end
    local list = {}
    for i = 1, n do list[i] = name end
    return { types = list, dst = name, ref = function(...)
      if t.float then return compute(name, parts, op, { ... }) end
      local half, r = t.bits // 2, 0
      for part = 0, 1 do
        local inputs = { ... }
        for i = 1, n do inputs[i] = inputs[i] >> (part * half) & harness.mask(half) end
        r = r | compute(t.pair, parts, op, inputs) << (part * half)
      end
      return r
    end }
  end
end

-- The same, of f32 with sources but for the last that are halves: "add.f32.f16".
local function mixed(n, op)
  local alike = elementwise(n, op)
  return function(parts)
    local half = type_of(parts, 2)
    if not half then return alike(parts) end
    local list = {}
    for i = 1, n do list[i] = i < n and half or "f32" end
    return { types = list, dst = "f32", no_literal = true, ref = function(...)
      local numbers = { ... }
      for i = 1, n - 1 do numbers[i] = exact.round("f32", exact.decode(half, numbers[i])) end
      return compute("f32", parts, op, numbers)
    end }
  end
end

local maker = {}
maker.add = mixed(2, exact.add)
maker.sub = mixed(2, function(a, b, mode) return exact.add(a, exact.neg(b), mode) end)
maker.mul = elementwise(2, exact.mul)
maker.fma = mixed(3, function(a, b, c, mode) return exact.add(exact.mul(a, b), c, mode) end)
maker.mad = maker.fma

local function rank(x) return x.m and exact.is_zero(x) and (x.neg and -1 or 1) or 0 end -- -0 is less than +0
local function extreme(way, parts)
  return function(...)
    local numbers = { ... }
    numbers[#numbers] = nil -- the rounding
    local best
    for _, x in ipairs(numbers) do
      if x.nan and has(parts, "NaN") then return x end
      if not best or best.nan then best = x
      elseif not x.nan then
        local order = exact.compare(x, best)
        if order == 0 then order = rank(x) - rank(best) end
        if order * way > 0 then best = x end
      end
    end
    return best
  end
end
for name, way in pairs { min = -1, max = 1 } do
  maker[name] = function(parts)
    if type_of(parts) and types[type_of(parts)].integers then return nil end
    if not has(parts, "xorsign") then return elementwise(2, extreme(way, parts))(parts) end
    return elementwise(2, function(a, b, mode)
      local r = extreme(way, parts)({ nan = a.nan, inf = a.inf, m = a.m, e = a.e, neg = false },
        { nan = b.nan, inf = b.inf, m = b.m, e = b.e, neg = false }, mode)
      return { nan = r.nan, inf = r.inf, m = r.m, e = r.e, neg = a.neg ~= b.neg }
    end)(parts)
  end
end
maker.neg = elementwise(1, function(a) return exact.neg(a) end)
maker.abs = elementwise(1, function(a) return { nan = a.nan, inf = a.inf, m = a.m, e = a.e, neg = false } end)

function maker.copysign(parts) -- the sign of a, the rest of b
  local name, t = type_of(parts)
  local sign = 1 << (t.bits - 1)
  return { types = { name, name }, dst = name, ref = function(a, b) return a & sign | b & (sign - 1) end }
end
function maker.testp(parts)
  local name, t = type_of(parts, 1)
  local f = exact.formats[t.float]
  return { types = { name }, dst = "pred", ref = function(a)
    local x = exact.decode(t.float, a)
    local exponent = a >> (f.p - 1) & ((1 << (f.bits - f.p)) - 1)
    local is = ({
      finite = x.m ~= nil, infinite = x.inf, number = not x.nan, notanumber = x.nan,
      normal = x.m ~= nil and (exponent ~= 0 or exact.is_zero(x)),
      subnormal = x.m ~= nil and exponent == 0 and not exact.is_zero(x),
    })[parts[2]]
    return is and 1 or 0
  end }
end

-- --- approximations -------------------------------------------------------------------------------------------------

local TINY = 2.0 ^ -126

-- Near enough: relative or absolute error; infinities and NaN exactly.
local function near(got, want, relative, absolute)
  if want ~= want then return got ~= got end
  if got == want then return true end
  if got ~= got or got == 1 / 0 or got == -1 / 0 then return false end
  return math.abs(got - want) <= math.max(math.abs(want) * relative, absolute or 0)
end

-- f(x…) in Lua's floats with bounds; `usable` says where the ISA promises them.
local function approximate(n, f, relative, absolute, usable, make)
  return function(parts)
    local name, t = type_of(parts)
    local list, gens = {}, {}
    for i = 1, n do list[i], gens[i] = name, make end
    return { types = list, dst = name, gens = gens, no_literal = true, ref = function() return true end,
      check = function(got, _, ...)
        local inputs = { ... }
        for i, v in ipairs(inputs) do
          if has(parts, "ftz") and name == "f32" and v & 0x7f800000 == 0 then v = v & 0x80000000 end
          if has(parts, "ftz") and name == "f64" and v >> 52 & 2047 == 0 then v = v & 1 << 63 end
          inputs[i] = exact.float(t.float, v)
        end
        if usable and not usable(table.unpack(inputs)) then return true end
        local want, result = f(table.unpack(inputs)), exact.float(t.float, got)
        local limit = t.float == "f16" and 65519 or t.float == "f64" and math.huge or 0x1.ffffffp127
        if math.abs(want) > limit then want = want > 0 and math.huge or -math.huge end
        local floor = t.float == "f64" and 2.0 ^ -1022 or t.float == "f16" and 2.0 ^ -14
          or TINY -- below: flushed or not
        if math.abs(want) < floor and (has(parts, "ftz") or parts[1] == "div") then
          return math.abs(result) <= floor
        end
        return near(result, want, type(relative) == "table" and relative[t.float] or relative,
          absolute or t.float == "f32" and 2.0 ^ -149 or t.float == "f16" and 2.0 ^ -24)
      end }
  end
end

local function angle()
  local scale = math.random(3) == 1 and 300 or math.pi
  if math.random(12) == 1 then return math.random(2) == 1 and 0x7f800000 or 0x80000000 end
  return string.unpack("<I4", string.pack("<f", (math.random() * 2 - 1) * scale))
end
local function exponent()
  if math.random(12) == 1 then return math.random(2) == 1 and 0x7f800000 or 0xff800000 end
  return string.unpack("<I4", string.pack("<f", (math.random() * 2 - 1) * (math.random(2) == 1 and 140 or 8)))
end
local ULP = { f32 = 2.0 ^ -23, f16 = 2.0 ^ -10, bf16 = 2.0 ^ -7, f64 = 2.0 ^ -20 }

local approximations = {
  sin = approximate(1, math.sin, 0, 2.0 ^ -14, nil, angle),
  cos = approximate(1, math.cos, 0, 2.0 ^ -14, nil, angle),
  rcp = approximate(1, function(x) return 1 / x end, { f32 = 2.0 ^ -22, f64 = 2.0 ^ -20 }),
  sqrt = approximate(1, function(x) return x == 0 and x or x < 0 and 0 / 0 or math.sqrt(x) end, 2.0 ^ -22),
  rsqrt = approximate(1, function(x) return x == 0 and 1 / x or x < 0 and 0 / 0 or 1 / math.sqrt(x) end,
    { f32 = 2.0 ^ -22, f64 = 2.0 ^ -20 }),
  lg2 = approximate(1, function(x) return x == 0 and -math.huge or math.log(x, 2) end, 2.0 ^ -21, 2.0 ^ -21),
  ex2 = approximate(1, function(x) return 2.0 ^ x end, { f32 = 2.0 ^ -21, f16 = 2.0 ^ -9, bf16 = 2.0 ^ -6 }),
  tanh = approximate(1, function(x)
    local e = math.exp(-2 * math.abs(x))
    return (x < 0 and -1 or 1) * (1 - e) / (1 + e)
  end, { f32 = 2.0 ^ -10, f16 = 2.0 ^ -9, bf16 = 2.0 ^ -6 }, 2.0 ^ -24),
  div = approximate(2, function(x, y) return x / y end, 2.0 ^ -21, nil, function(_, y)
    return y == 0 or (math.abs(y) >= TINY and math.abs(y) <= 2.0 ^ 126)
  end),
}
floats.ulp = ULP

local exactly = {
  div = elementwise(2, exact.div), sqrt = elementwise(1, exact.sqrt),
  rcp = elementwise(1, function(x) return exact.div({ m = { 1 }, e = 0, neg = false }, x) end),
}
-- A packed approximation: each half checked as a number of its own.
local function both_halves(make, parts, t)
  local single = {}
  for i, p in ipairs(parts) do single[i] = p:gsub("x2$", "") end
  local form, name, low = make(single), parts[#parts], 0xffff
  assert(t.bits == 32)
  return { types = { name }, dst = name, no_literal = true, ref = form.ref, check = function(got, want, a)
    return form.check(got & low, want, a & low) and form.check(got >> 16 & low, want, a >> 16 & low)
  end }
end

for _, name in ipairs { "sin", "cos", "rcp", "sqrt", "rsqrt", "lg2", "ex2", "tanh", "div" } do
  maker[name] = function(parts)
    local _, t = type_of(parts)
    if not t or t.integer then return nil end
    if exactly[name] and not has(parts, "approx") and not has(parts, "full") then return exactly[name](parts) end
    local make = approximations[name]
    if t.pair then return both_halves(make, parts, t) end
    local form = make(parts)
    if name == "ex2" and parts[#parts] == "f32" then form.gens = { exponent } end
    if t.float ~= "f32" and (name == "sin" or name == "cos") then form.gens = {} end
    return form
  end
end

-- --- conversions
-- --------------------------------------------------------------------------------------------------------

local function clamped(v, from, t) -- .sat between integers
  local width = t.signed and t.bits - 1 or t.bits
  if from.signed or v >= 0 then
    if v < 0 then return t.signed and math.max(v, -1 << (t.bits - 1)) or 0 end
    if width >= 63 then return v end
    return math.min(v, (1 << width) - 1)
  end
  return width == 64 and v or (1 << width) - 1 -- an unsigned number above 2^63
end

-- What has a NaN only as its magnitude's largest bits, and no infinities where `finite` takes their place.
local function narrowed(format, x, parts)
  if has(parts, "relu") and (x.nan or x.neg) then return x.nan and exact.nan(format) or 0 end
  return exact.round(format, x, word_of(parts, roundings) or "rn", { finite = has(parts, "satfinite") })
end

-- Two numbers at once, and tf32: "cvt.rn.f16x2.f32", "cvt.rn.satfinite.e4m3x2.f16x2", "cvt.rna.tf32.f32".
local function packed_conversion(parts)
  local dst, src = parts[#parts - 1], parts[#parts]
  local to, from = dst:gsub("x2$", ""), src:gsub("x2$", "")
  if dst == "tf32" then
    return { types = { "f32" }, dst = "f32", no_literal = true, ref = function(a)
      return narrowed("tf32", exact.decode("f32", a), parts) << 13
    end, check = function(got, want) -- the lower bits are not used
      return got >> 13 == want >> 13 or exact.decode("f32", got).nan and exact.decode("f32", want).nan
    end }
  end
  local width, half = exact.formats[to].bits, exact.formats[from].bits
  local name = width == 8 and "b16" or dst
  local function both(high, low)
    return narrowed(to, exact.decode(from, high), parts) << width | narrowed(to, exact.decode(from, low), parts)
  end
  if src == "f32" then return { types = { "f32", "f32" }, dst = name, no_literal = true, ref = both } end
  return { types = { half == 8 and "b16" or src }, dst = name, no_literal = true,
    ref = function(a) return both(a >> half & harness.mask(half), a & harness.mask(half)) end }
end

function maker.cvt(parts)
  if parts[#parts - 1]:find "x2$" or parts[#parts - 1] == "tf32" then return packed_conversion(parts) end
  local dst, name = type_of(parts), type_of(parts, 2)
  local d, s = types[dst], types[name]
  if not d or not s or s.pair then return nil end
  local mode, whole = word_of(parts, roundings) or "rn", word_of(parts, integral)
  local ftz, sat = has(parts, "ftz"), has(parts, "sat")
  local function read(a)
    if s.integer then return exact.integer(extend(a, s.bits, s.signed), s.signed) end
    if ftz and name == "f32" and dst ~= "f16" and a & 0x7f800000 == 0 then a = a & 0x80000000 end
    return exact.decode(s.float, a)
  end
  local function convert(a)
    if s.integer and d.integer then
      local v = extend(a, s.bits, s.signed)
      if sat then v = clamped(v, s, d) end
      return extend(v, d.bits, d.signed)
    end
    local x = read(a)
    if d.float then
      if whole then x = exact.integral(x, whole) end
      if has(parts, "relu") or has(parts, "satfinite") then return narrowed(d.float, x, parts) end
      return exact.round(d.float, x, mode, { ftz = ftz and dst == "f32", sat = sat })
    end
    if x.nan then
      if name == "f64" or d.bits == 64 then return nil end -- not the same on all machines
      return 0
    end
    return extend(exact.limited(exact.integral(x, whole or "rz"), d.bits, d.signed), d.bits, d.signed)
  end
  return { types = { name }, dst = dst, ref = convert, no_literal = not s.integer }
end

-- The words of an opcode: "cvt.rn.f16.f32" as a list.
function floats.parts(opcode)
  local parts = {}
  for part in opcode:gmatch "[^.]+" do parts[#parts + 1] = part end
  return parts
end

function floats.form(parts)
  local make = maker[parts[1]]
  return make and make(parts)
end

return floats
