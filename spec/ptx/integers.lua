-- References for integer, bit, comparison and selection instructions, after the PTX ISA, in plain Lua.
local harness = require "spec.ptx.harness"
local exact = require "spec.ptx.exact"

local types, mask, extend = harness.types, harness.mask, harness.extend
local integers = {}

-- The upper 64 bits of a product of 64-bit numbers.
function integers.high64(a, b, signed)
  local al, ah, bl, bh = a & 0xffffffff, a >> 32, b & 0xffffffff, b >> 32
  local low = al * bl
  local mid1, mid2 = ah * bl, al * bh
  local carry = ((low >> 32) + (mid1 & 0xffffffff) + (mid2 & 0xffffffff)) >> 32
  local high = ah * bh + (mid1 >> 32) + (mid2 >> 32) + carry
  if signed and a < 0 then high = high - b end
  if signed and b < 0 then high = high - a end
  return high
end

-- Truncating quotient and remainder; nil where the machine may do as it likes.
local function quotient(a, b, signed, bits)
  if b == 0 then return nil end
  if not signed then
    if b < 0 then
      local q = math.ult(a, b) and 0 or 1
      return q, a - q * b
    end
    local q = (a >> 1) // b << 1
    if not math.ult(a - q * b, b) then q = q + 1 end
    return q, a - q * b
  end
  if b == -1 then
    if a == -1 << (bits - 1) then return nil end
    return -a, 0
  end
  local q = a // b
  if q < 0 and q * b ~= a then q = q + 1 end
  return q, a - q * b
end

local function less(a, b, t) -- raw bits
  if t.signed then return extend(a, t.bits, true) < extend(b, t.bits, true) end
  return math.ult(a & mask(t.bits), b & mask(t.bits))
end

local function count(n)
  local c = 0
  while n ~= 0 do n, c = n & (n - 1), c + 1 end
  return c
end

local function leading(n, bits)
  for i = bits - 1, 0, -1 do
    if n >> i & 1 == 1 then return bits - 1 - i end
  end
  return bits
end

local function reversed(n, bits)
  local r = 0
  for i = 0, bits - 1 do r = r | (n >> i & 1) << (bits - 1 - i) end
  return r
end

-- --- makers of values -----------------------------------------------------------------------------------------------

local function small() return math.random(5) == 1 and math.random(0) & 0xffffffff or math.random(0, 70) end
local function field() return math.random(6) == 1 and math.random(0, 255) or math.random(0, 33) end

-- --- forms: maker(parts) gives types, destination and reference
-- -------------------------------------------------------

local maker = {}

local function type_of(parts, nth)
  local n = 0
  for i = 2, #parts do
    if types[parts[i]] then
      n = n + 1
      if n == (nth or 1) then return parts[i], types[parts[i]] end
    end
  end
end
integers.type_of = type_of

local function has(parts, word)
  for i = 2, #parts do
    if parts[i] == word then return true end
  end
  return false
end
integers.has = has

local function two(ref)
  return function(parts)
    local name, t = type_of(parts)
    if t and t.integers then -- packed: half by half
      local half = { bits = t.integers, signed = t.signed, integer = true }
      local low = mask(half.bits)
      return { types = { name, name }, dst = name, ref = function(a, b)
        return ref(a & low, b & low, half, parts) & low | (ref(a >> half.bits, b >> half.bits, half,
          parts) & low) << half.bits
      end }
    end
    if not t or not t.integer then return nil end
    return { types = { name, name }, dst = name, ref = function(a, b) return ref(a, b, t, parts) end }
  end
end
local function one(ref)
  return function(parts)
    local name, t = type_of(parts)
    if not t or not t.integer then return nil end
    return { types = { name }, dst = name, ref = function(a) return ref(a, t) end }
  end
end

local function limited(v, t) -- add.sat.s32
  local most = (1 << (t.bits - 1)) - 1
  return math.max(-most - 1, math.min(most, v))
end
local function sum(a, b, t, parts)
  if not has(parts, "sat") then return a + b end
  return limited(extend(a, 32, true) + extend(b, 32, true), t)
end
maker.add = two(sum)
maker.sub = two(function(a, b, t, parts)
  if not has(parts, "sat") then return a - b end
  return limited(extend(a, 32, true) - extend(b, 32, true), t)
end)
local function relu(v, t, parts) return has(parts, "relu") and extend(v, t.bits, true) < 0 and 0 or v end
maker.min = two(function(a, b, t, parts) return relu(less(b, a, t) and b or a, t, parts) end)
maker.max = two(function(a, b, t, parts) return relu(less(a, b, t) and b or a, t, parts) end)
maker.neg = one(function(a) return -a end)
maker.abs = one(function(a, t)
  local v = extend(a, t.bits, true)
  return v < 0 and -v or v
end)
maker["not"] = one(function(a) return ~a end)
maker.cnot = one(function(a) return a == 0 and 1 or 0 end)
maker.div = two(function(a, b, t)
  return (quotient(extend(a, t.bits, t.signed), extend(b, t.bits, t.signed), t.signed, t.bits))
end)
maker.rem = two(function(a, b, t)
  return (select(2, quotient(extend(a, t.bits, t.signed), extend(b, t.bits, t.signed), t.signed, t.bits)))
end)

-- Products: the low half, the high half, or all of it.
local function product(a, b, t, how)
  local x, y = extend(a, t.bits, t.signed), extend(b, t.bits, t.signed)
  if how ~= "hi" then return x * y end
  if t.bits == 64 then return integers.high64(x, y, t.signed) end
  return t.signed and (x * y) // (1 << t.bits) or x * y >> t.bits
end
local wider = { s16 = "s32", u16 = "u32", s32 = "s64", u32 = "u64" }
local function how_of(parts) return has(parts, "wide") and "wide" or has(parts, "hi") and "hi" or "lo" end

function maker.mul(parts)
  local name, t = type_of(parts)
  if not t.integer then return nil end
  local how = how_of(parts)
  return { types = { name, name }, dst = how == "wide" and wider[name] or name,
    ref = function(a, b) return product(a, b, t, how) end }
end
function maker.mad(parts)
  local name, t = type_of(parts)
  if not t.integer then return nil end
  local how = how_of(parts)
  local dst = how == "wide" and wider[name] or name
  return { types = { name, name, dst }, dst = dst, ref = function(a, b, c)
    local v = product(a, b, t, how)
    if not has(parts, "sat") then return v + c end
    return limited(extend(v, 32, true) + extend(c, 32, true), t)
  end }
end
local function low24(a, t) return extend(a, 24, t.signed) end
function maker.mul24(parts)
  local name, t = type_of(parts)
  return { types = { name, name }, dst = name, ref = function(a, b)
    return low24(a, t) * low24(b, t) >> (has(parts, "hi") and 16 or 0)
  end }
end
function maker.mad24(parts)
  local name, t = type_of(parts)
  return { types = { name, name, name }, dst = name, ref = function(a, b, c)
    local v = extend(low24(a, t) * low24(b, t) >> (has(parts, "hi") and 16 or 0), 32, true)
    return has(parts, "sat") and limited(v + extend(c, 32, true), t) or v + c
  end }
end
function maker.sad(parts)
  local name, t = type_of(parts)
  return { types = { name, name, name }, dst = name, ref = function(a, b, c)
    return c + (less(a, b, t) and b - a or a - b)
  end }
end

-- and, or, xor of integers and of predicates; not of predicates.
for name, ref in pairs { ["and"] = function(a, b) return a & b end, ["or"] = function(a, b) return a | b end,
  xor = function(a, b) return a ~ b end } do
  maker[name] = function(parts)
    local type = type_of(parts)
    return { types = { type, type }, dst = type, ref = ref }
  end
end
local not_integer = maker["not"]
maker["not"] = function(parts)
  if type_of(parts) ~= "pred" then return not_integer(parts) end
  return { types = { "pred" }, dst = "pred", ref = function(a) return 1 - a end }
end

function maker.shl(parts)
  local name, t = type_of(parts)
  return { types = { name, "u32" }, gens = { [2] = small }, dst = name,
    ref = function(a, n) return n >= t.bits and 0 or a << n end }
end
function maker.shr(parts)
  local name, t = type_of(parts)
  return { types = { name, "u32" }, gens = { [2] = small }, dst = name, ref = function(a, n)
    if n > t.bits then n = t.bits end
    if not t.signed then return n == 64 and 0 or a >> n end
    local v = extend(a, t.bits, true)
    return n >= 63 and (v < 0 and -1 or 0) or v // (1 << n)
  end }
end
function maker.shf(parts)
  return { types = { "b32", "b32", "u32" }, gens = { [3] = small }, dst = "b32", ref = function(a, b, n)
    n = has(parts, "wrap") and n & 31 or math.min(n, 32)
    local both = b << 32 | a
    if has(parts, "r") then return both >> n end
    return n == 32 and a or both << n >> 32
  end }
end

function maker.popc(parts)
  local name = type_of(parts)
  return { types = { name }, dst = "u32", ref = count }
end
function maker.clz(parts)
  local name, t = type_of(parts)
  return { types = { name }, dst = "u32", ref = function(a) return leading(a, t.bits) end }
end
maker.brev = one(function(a, t) return reversed(a, t.bits) end)
function maker.bfind(parts)
  local name, t = type_of(parts)
  return { types = { name }, dst = "u32", ref = function(a)
    if t.signed and a >> (t.bits - 1) == 1 then a = ~a & mask(t.bits) end
    local n = leading(a, t.bits)
    if n == t.bits then return -1 end
    return has(parts, "shiftamt") and n or t.bits - 1 - n
  end }
end
function maker.bfe(parts)
  local name, t = type_of(parts)
  return { types = { name, "u32", "u32" }, gens = { [2] = field, [3] = field }, dst = name, ref = function(a, pos, len)
    local sign = t.signed and len > 0 and a >> math.min(pos + len - 1, t.bits - 1) & 1 or 0
    local r = 0
    for i = 0, t.bits - 1 do
      local bit = i < len and pos + i < t.bits and a >> (pos + i) & 1 or sign
      r = r | bit << i
    end
    return r
  end }
end
function maker.bfi(parts)
  local name, t = type_of(parts)
  return { types = { name, name, "u32", "u32" }, gens = { [3] = field, [4] = field }, dst = name,
    ref = function(a, b, pos, len)
      for i = 0, len - 1 do
        if pos + i < t.bits then b = b & ~(1 << (pos + i)) | (a >> i & 1) << (pos + i) end
      end
      return b
    end }
end
function maker.bmsk(parts)
  return { types = { "u32", "u32" }, gens = { field, field }, dst = "b32", ref = function(a, b)
    if has(parts, "clamp") then a, b = math.min(a, 32), math.min(b, 32) else a, b = a & 31, b & 31 end
    return (mask(b) << a) & mask(32)
  end }
end
function maker.szext(parts)
  local name, t = type_of(parts)
  return { types = { name, "u32" }, gens = { [2] = field }, dst = name, ref = function(a, n)
    if has(parts, "clamp") then n = math.min(n, 32) else n = n & 31 end
    if n == 0 then return 0 end
    return extend(a, n, t.signed)
  end }
end

-- prmt: bytes of b:a by nibbles of c; bit 3 spreads the sign (default mode only).
local function byte(a, b, i) return (b << 32 | a) >> (8 * i) & 0xff end
local prmt = {}
function prmt.f4e(i, s) return (s + i) & 7 end
function prmt.b4e(i, s) return (s - i) & 7 end
function prmt.rc8(_, s) return s end
function prmt.ecl(i, s) return math.max(i, s) end
function prmt.ecr(i, s) return math.min(i, s) end
function prmt.rc16(i, s) return (s & 1) * 2 + (i & 1) end
function maker.prmt(parts)
  local mode
  for name, f in pairs(prmt) do mode = has(parts, name) and f or mode end
  return { types = { "b32", "b32", "b32" }, dst = "b32", ref = function(a, b, c)
    local r = 0
    for i = 0, 3 do
      local v
      if mode then
        v = byte(a, b, mode(i, c & 3))
      else
        local n = c >> (4 * i) & 15
        v = byte(a, b, n & 7)
        if n > 7 then v = v > 127 and 255 or 0 end
      end
      r = r | v << (8 * i)
    end
    return r
  end }
end

-- A relation's outcome and a predicate.
local function joined(op, p, q)
  if not op then return p end
  if op == "and" then return p and q end
  if op == "or" then return p or q end
  return p ~= q
end
function maker.lop3(parts)
  local lut = math.random(0, 255)
  local function value(a, b, c)
    local r = 0
    for i = 0, 31 do
      r = r | (lut >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i
    end
    return r
  end
  local join = has(parts, "and") and "and" or has(parts, "or") and "or"
  if not join then
    local text = ("$op $d, $1, $2, $3, 0x%x;"):format(lut)
    return { types = { "b32", "b32", "b32" }, dst = "b32", text = text, ref = value }
  end
  local text = "$op %%r7|%%p7, $1, $2, $3, 0x%x, $4; selp.b32 %%r8, 1, 0, %%p7; mov.b64 $d, {%%r7, %%r8};"
  return { types = { "b32", "b32", "b32", "pred" }, dst = "b64", no_guard = true, text = text:format(lut),
    ref = function(a, b, c, p)
      local r = value(a, b, c)
      return r | (joined(join, r ~= 0, p == 1) and 1 or 0) << 32
    end }
end

function maker.dp4a(parts)
  local sa, sb = parts[2]:sub(1, 1) == "s", parts[3]:sub(1, 1) == "s"
  return { types = { "b32", "b32", "b32" }, dst = "b32", ref = function(a, b, c)
    for i = 0, 24, 8 do c = c + extend(a >> i, 8, sa) * extend(b >> i, 8, sb) end
    return c
  end }
end
function maker.dp2a(parts)
  local sa, sb = parts[3]:sub(1, 1) == "s", parts[4]:sub(1, 1) == "s"
  local at = parts[2] == "hi" and 16 or 0
  return { types = { "b32", "b32", "b32" }, dst = "b32", ref = function(a, b, c)
    for i = 0, 1 do c = c + extend(a >> (16 * i), 16, sa) * extend(b >> (at + 8 * i), 8, sb) end
    return c
  end }
end

-- --- comparison and selection -------------------------------------------------------------------------------------

-- Raw bits of type `name` compared: true or false.
local function holds(cmp, name, a, b)
  local t = types[name]
  if t.float then
    local order = exact.compare(exact.decode(t.float, a), exact.decode(t.float, b))
    if cmp == "num" then return order ~= nil end
    if cmp == "nan" then return order == nil end
    if order == nil then return #cmp == 3 end
    a, b, cmp, t = order, 0, cmp:sub(1, 2), { bits = 64, signed = true }
  end
  if cmp == "eq" or cmp == "ne" then return (a == b) == (cmp == "eq") end
  cmp = ({ lo = "lt", ls = "le", hi = "gt", hs = "ge" })[cmp] or cmp
  if cmp == "lt" then return less(a, b, t) end
  if cmp == "gt" then return less(b, a, t) end
  if cmp == "le" then return not less(b, a, t) end
  return not less(a, b, t)
end
integers.holds = holds

-- Half the pairs are equal, or nearly.
local function alike(name)
  local last
  return function() last = harness.value(name) return last end,
    function() return math.random(2) == 1 and last or harness.value(name) end
end

local exponents = { f32 = 0x7f800000, f16 = 0x7c00 }
local function flushed(name, parts, n)
  local exponent = exponents[name]
  if not exponent or not has(parts, "ftz") then return n end
  return n & exponent == 0 and n & 1 << types[name].bits - 1 or n
end
-- The relation and what joins it to a predicate: modifiers may stand in any order.
local function relation(parts)
  local cmp, op
  for i = 2, #parts do
    local word = parts[i]
    if word == "and" or word == "or" or word == "xor" then op = word
    elseif not types[word] and word ~= "ftz" then cmp = word end
  end
  return cmp, op
end
function maker.setp(parts)
  local cmp, op = relation(parts)
  local name, t = type_of(parts)
  local first, second = alike(name)
  local function value(format, a, b, p)
    return joined(op, holds(cmp, format, flushed(format, parts, a), flushed(format, parts, b)), p == 1) and 1 or 0
  end
  local form = { types = { name, name, op and "pred" }, gens = { first, second } }
  if not t.pair then
    form.dst, form.ref = "pred", function(a, b, p) return value(name, a, b, p) end
    return form
  end
  form.dst, form.no_guard = "b32", true -- a predicate for each half
  form.text = "$op %p7|%p8, $1, $2" .. (op and ", $3" or "") ..
    "; selp.b32 %r7, 1, 0, %p7; selp.b32 %r8, 2, 0, %p8; or.b32 $d, %r7, %r8;"
  form.ref = function(a, b, p)
    return value(t.pair, a & 0xffff, b & 0xffff, p) | value(t.pair, a >> 16, b >> 16, p) << 1
  end
  return form
end
local function truth(name)
  if name == "f32" then return 0x3f800000 end
  if name == "f16" or name == "bf16" then return name == "f16" and 0x3c00 or 0x3f80 end
  return mask(types[name].bits)
end
function maker.set(parts)
  local cmp, op = relation(parts)
  local dst, name = type_of(parts), type_of(parts, 2)
  local first, second = alike(name)
  local t, d = types[name], types[dst]
  return { types = { name, name, op and "pred" }, gens = { first, second }, dst = dst, ref = function(a, b, p)
    if not t.pair then
      local yes = holds(cmp, name, flushed(name, parts, a), flushed(name, parts, b))
      return joined(op, yes, p == 1) and truth(dst) or 0
    end
    local r = 0
    for i = 0, 16, 16 do
      local yes = joined(op, holds(cmp, t.pair, flushed(t.pair, parts, a >> i & 0xffff),
        flushed(t.pair, parts, b >> i & 0xffff)), p == 1)
      r = r | (yes and (d.pair and truth(d.pair) or 0xffff) or 0) << i
    end
    return r
  end }
end
function maker.selp(parts)
  local name = type_of(parts)
  return { types = { name, name, "pred" }, dst = name, ref = function(a, b, p) return p == 1 and a or b end }
end
function maker.slct(parts)
  local name, c = type_of(parts), type_of(parts, 2)
  return { types = { name, name, c }, dst = name, ref = function(a, b, v)
    v = flushed(c, parts, v)
    local chosen = c == "s32" and v >> 31 == 0 or c == "f32" and holds("ge", "f32", v, 0)
    return chosen and a or b
  end }
end

-- --- carry chains
-- -----------------------------------------------------------------------------------------------------

local function chain(first, second, ref)
  return function(parts)
    local name, t = type_of(parts)
    if t.bits == 16 then -- what the carry of words is added to
      return { types = { "u32", "u32", name, name }, dst = name, no_guard = true, no_literal = true,
        text = ("{ .reg .b32 lo; %s.cc.u32 lo, $1, $2; $op $d, $3, $4; }"):format(first),
        ref = function(a, b, c, d)
          if first == "add" then return c + d + (a + b >> 32) end
          return c - d - (a < b and 1 or 0)
        end }
    end
    if t.bits == 64 then -- the upper word alone; the lower one makes the carry
      return { types = { name, name, name, name }, dst = name, no_guard = true, no_literal = true,
        text = ("{ .reg .b64 lo; %s.cc.u64 lo, $1, $2; %s.u64 $d, $3, $4; }"):format(first, second),
        ref = function(a, b, c, d)
          if first == "add" then return c + d + (math.ult(a + b, a) and 1 or 0) end
          return c - d - (math.ult(a, b) and 1 or 0)
        end }
    end
    return { types = { name, name, name, name }, dst = "b64", no_guard = true, ref = ref,
      text = ("{ .reg .b32 lo, hi; %s.cc.u32 lo, $1, $2; %s.u32 hi, $3, $4; mov.b64 $d, {lo, hi}; }"):format(first,
        second) }
  end
end
local function wide_add(a, b, c, d) return (c << 32 | a) + (d << 32 | b) end
local function wide_sub(a, b, c, d) return (c << 32 | a) - (d << 32 | b) end
maker["add.cc"], maker.addc = chain("add", "addc", wide_add), chain("add", "addc", wide_add)
maker["sub.cc"], maker.subc = chain("sub", "subc", wide_sub), chain("sub", "subc", wide_sub)
local function wide_mad(parts)
  return { types = { parts.u or "u32", "u32", "u64" }, dst = "u64", no_guard = true, no_literal = true,
    text = "{ .reg .b32 lo, hi, cl, ch; mov.b64 {cl, ch}, $3; mad.lo.cc.u32 lo, $1, $2, cl; " ..
      "madc.hi.u32 hi, $1, $2, ch; mov.b64 $d, {lo, hi}; }", ref = function(a, b, c) return a * b + c end }
end
maker["mad.cc"], maker.madc = wide_mad, wide_mad

-- --- video
-- ----------------------------------------------------------------------------------------------------------------

local actions = {
  vadd = function(x, y) return x + y end, vsub = function(x, y) return x - y end,
  vabsdiff = function(x, y) return math.abs(x - y) end, vmin = math.min, vmax = math.max,
  vavrg = function(x, y) return x + y < 0 and (x + y) // 2 or (x + y + 1) // 2 end,
}
local function clamp(v, width, signed)
  local most = (1 << (signed and width - 1 or width)) - 1
  return math.max(signed and -most - 1 or 0, math.min(most, v))
end

-- The operands' types, the destination's first; vset's destination is unsigned.
local function video_types(parts)
  local ts = {}
  for i = 2, #parts do ts[#ts + 1] = types[parts[i]] end
  if parts[1]:match "^vset" then table.insert(ts, 1, types.u32) end
  return ts[1], ts[2], ts[3]
end
local function compared(parts)
  for _, c in ipairs { "eq", "ne", "lt", "le", "gt", "ge" } do
    if has(parts, c) then return c end
  end
end

-- vadd2, vabsdiff4 …: parts of the registers, chosen by digits of b:a; those of d not named are c's; .add sums.
local function simd(action, n)
  return function(parts)
    local width, cmp, letter = 32 // n, compared(parts), n == 4 and "b" or "h"
    local d, a, b = video_types(parts)
    local pick, text, lanes = { {}, {} }, {}, {}
    for side = 1, 2 do
      local digits = {}
      for i = 0, n - 1 do
        pick[side][i] = math.random(0, 2 * n - 1)
        table.insert(digits, 1, pick[side][i])
      end
      text[side] = "." .. letter .. table.concat(digits)
      if math.random(3) == 1 then -- each its own
        text[side] = ""
        for i = 0, n - 1 do pick[side][i] = (side - 1) * n + i end
      end
    end
    local named = ""
    for i = n - 1, 0, -1 do
      lanes[i] = math.random(2) == 1
      if lanes[i] then named = named .. i end
    end
    if named == "" then
      for i = 0, n - 1 do lanes[i] = true end
    end
    text = ("$op $d%s, $1%s, $2%s, $3;"):format(named ~= "" and "." .. letter .. named or "", text[1], text[2])
    return { types = { "b32", "b32", "b32" }, dst = "b32", text = text, no_literal = true, ref = function(x, y, c)
      local r, total, both = c, 0, y << 32 | x
      for i = 0, n - 1 do
        local p = extend(both >> (pick[1][i] * width), width, a.signed)
        local q = extend(both >> (pick[2][i] * width), width, b.signed)
        local v
        if cmp then v = holds(cmp, "s64", p, q) and 1 or 0 else v = actions[action](p, q) end
        if has(parts, "sat") then v = clamp(v, width, d.signed) end
        if lanes[i] then
          total = total + v
          r = r & ~(mask(width) << (i * width)) | (v & mask(width)) << (i * width)
        end
      end
      return has(parts, "add") and total + c or not has(parts, "add") and r
    end }
  end
end
for _, name in ipairs { "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg", "vset" } do
  maker[name .. "2"], maker[name .. "4"] = simd(name, 2), simd(name, 4)
end

-- Scalar ones: a byte, a half or all of each operand.
local places = { { "", 0, 32 }, { ".b0", 0, 8 }, { ".b1", 8, 8 }, { ".b2", 16, 8 }, { ".b3", 24, 8 }, { ".h0", 0, 16 },
  { ".h1", 16, 16 } }
local function place() return table.unpack(places[math.random(#places)]) end

local function shifted(action, x, n, parts)
  if has(parts, "clamp") then n = math.min(n & 0xffffffff, 32) else n = n & 31 end
  return action == "vshl" and x << n or x // (1 << n)
end
local function combined(v, c, parts, signed)
  if has(parts, "add") then return v + c end
  local x, y = extend(v, 32, signed), extend(c, 32, signed)
  return has(parts, "min") and math.min(x, y) or math.max(x, y)
end

local function scalar(action)
  return function(parts)
    local d, a, b = video_types(parts)
    local cmp, sa, pa, wa = compared(parts), place()
    local sb, pb, wb = place()
    local second = has(parts, "add") or has(parts, "min") or has(parts, "max")
    local sd, pd, wd = place()
    if second then sd, pd, wd = "", 0, 32 end
    local merged = sd ~= ""
    local text = ("$op $d%s, $1%s, $2%s%s;"):format(sd, sa, sb, (second or merged) and ", $3" or "")
    return { types = { "b32", "b32", "b32" }, dst = "b32", text = text, no_literal = true,
      gens = { [2] = action:match "sh[lr]$" and field or nil }, ref = function(x, y, c)
        local p, q = extend(x >> pa, wa, a.signed), extend(y >> pb, wb, b.signed)
        local v
        if cmp then v = holds(cmp, "s64", p, q) and 1 or 0
        elseif action:match "sh[lr]$" then v = shifted(action, p, q, parts)
        else v = actions[action](p, q) end
        if has(parts, "sat") then v = clamp(v, wd, d.signed) end
        if second then return combined(v, c, parts, d.signed) end
        if not merged then return v end
        return c & ~(mask(wd) << pd) | (v & mask(wd)) << pd
      end }
  end
end
for _, name in ipairs { "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vshl",
  "vshr" } do maker[name] = scalar(name) end

-- a * b + c with signs and a shift; up to 65 bits, which is why the sum is put together from two halves.
function maker.vmad(parts)
  local _, a, b = video_types(parts)
  local sa, pa, wa = place()
  local sb, pb, wb = place()
  local po = has(parts, "po")
  local na, nc = not po and math.random(2) == 1, not po and math.random(2) == 1
  if na then nc = false end
  local text = ("$op $d, %s$1%s, $2%s, %s$3;"):format(na and "-" or "", sa, sb, nc and "-" or "")
  local shift = has(parts, "shr7") and 7 or has(parts, "shr15") and 15 or 0
  local final = a.signed or b.signed or na or nc
  return { types = { "b32", "b32", "b32" }, dst = "b32", text = text, no_literal = true, ref = function(x, y, c)
    local p, q = extend(x >> pa, wa, a.signed), extend(y >> pb, wb, b.signed)
    local z = extend(c, 32, final)
    if na then p = -p end
    if nc then z = -z end
    -- p * q has up to 65 bits, so it is the sum of its products with q's upper and lower 16 bits.
    local t0, t1 = p * (q & 0xffff), p * (q // 65536)
    t1 = t1 + t0 // 65536
    local low, high = (t1 & 0xffff) << 16 | t0 & 0xffff, t1 // 65536
    low = low + (z & 0xffffffff) + (po and 1 or 0)
    high = high + z // (1 << 32) + (low >> 32)
    low = low & 0xffffffff
    -- high:low shifted down, then limited
    local down, up = shift == 0 and low or (high << 32 | low) >> shift, high // (1 << shift)
    local value = up << 32 | down & 0xffffffff
    if not has(parts, "sat") then return value & 0xffffffff end
    if final and (up > 0 or up < -1) then return up > 0 and 0x7fffffff or 0x80000000 end -- value may have 65 bits
    if final then return clamp(value, 32, true) end
    return up > 0 and 0xffffffff or value & 0xffffffff
  end }
end

-- The form of an opcode given as parts (split at dots), or nil.
function integers.form(parts)
  local make = has(parts, "cc") and maker[parts[1] .. ".cc"] or maker[parts[1]]
  return make and make(parts)
end

return integers
