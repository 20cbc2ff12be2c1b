-- Functions of complex numbers to some 30 digits, in plain Lua, as references.
-- A real number is a pair {h, l} of float64s whose sum it is (Dekker, 1971); a complex one {re =, im =} of such pairs.
local precise = {}

-- --- real numbers ---------------------------------------------------------------------------------------------------

local function two_sum(a, b)
  local s = a + b
  local t = s - a
  return s, (a - (s - t)) + (b - t)
end

local function quick(a, b)
  local s = a + b
  return { s, b - (s - a) }
end

local function split(a)
  local t = 134217729.0 * a
  local h = t - (t - a)
  return h, a - h
end

local function two_product(a, b)
  local p = a * b
  local ah, al = split(a)
  local bh, bl = split(b)
  return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl
end

local function real(x) return type(x) == "table" and x or { x + 0.0, 0.0 } end

local R = {}

function R.add(a, b)
  a, b = real(a), real(b)
  local s, e = two_sum(a[1], b[1])
  local t, f = two_sum(a[2], b[2])
  local v = quick(s, e + t)
  return quick(v[1], f + v[2])
end

function R.neg(a)
  a = real(a)
  return { -a[1], -a[2] }
end

function R.sub(a, b) return R.add(a, R.neg(b)) end

function R.mul(a, b)
  a, b = real(a), real(b)
  local p, e = two_product(a[1], b[1])
  return quick(p, e + (a[1] * b[2] + a[2] * b[1]))
end

function R.div(a, b)
  a, b = real(a), real(b)
  local q = a[1] / b[1]
  local r = R.sub(a, R.mul(b, q))
  local q2 = r[1] / b[1]
  r = R.sub(r, R.mul(b, q2))
  return R.add(quick(q, q2), r[1] / b[1])
end

function R.sqrt(a)
  a = real(a)
  if a[1] <= 0 then return { 0.0, 0.0 } end
  local s = math.sqrt(a[1])
  return R.add(s, R.div(R.sub(a, R.mul(s, s)), 2 * s)) -- Newton's step
end

local pi = { 3.141592653589793116, 1.224646799147353207e-16 }
local ln2 = { 6.931471805599452862e-01, 2.319046813846299558e-17 }

-- Sums terms of a power series, each made of the one before, until they no longer count.
local function series(first, next_term)
  local sum, term = first, first
  for k = 1, 200 do
    term = next_term(term, k)
    sum = R.add(sum, term)
    if math.abs(term[1]) <= 1e-34 * math.abs(sum[1]) then break end
  end
  return sum
end

-- e^x - 1
function R.expm1(x)
  x = real(x)
  if math.abs(x[1]) < 0.3 then
    return series(x, function(t, k) return R.div(R.mul(t, x), k + 1) end)
  end
  local k = math.floor(x[1] / ln2[1] + 0.5)
  local e = R.add(R.expm1(R.div(R.sub(x, R.mul(ln2, k)), 4)), 1)
  e = R.mul(e, e)
  e = R.mul(e, e)
  return R.sub(R.mul(e, 2.0 ^ k), 1)
end
function R.exp(x) return R.add(R.expm1(x), 1) end
local function larger_half(x, sign) -- (e^x + sign e^-x) / 2 for x >= 0.3
  local e = R.exp(x)
  return R.div(R.add(e, R.div(sign, e)), 2)
end
function R.sinh(x)
  x = real(x)
  if math.abs(x[1]) >= 0.3 then
    local s = larger_half(x[1] < 0 and R.neg(x) or x, -1)
    return x[1] < 0 and R.neg(s) or s
  end
  local square = R.mul(x, x)
  return series(x, function(t, k) return R.div(R.mul(t, square), 2 * k * (2 * k + 1)) end)
end
function R.cosh(x)
  x = real(x)
  return larger_half(x[1] < 0 and R.neg(x) or x, 1)
end

-- log(1 + x), by Newton's steps on e^y - 1 = x.
function R.log1p(x)
  x = real(x)
  if x[1] == 0 then return x end
  local y = real(math.abs(x[1]) < 1e-4 and x[1] - x[1] * x[1] / 2 or math.log(1 + x[1]))
  for _ = 1, 4 do
    local e = R.expm1(y)
    y = R.sub(y, R.div(R.sub(e, x), R.add(e, 1)))
  end
  return y
end
function R.log(x)
  x = real(x)
  local k = math.floor(math.log(x[1], 2) + 0.5)
  return R.add(R.mul(ln2, k), R.log1p(R.sub(R.mul(x, 2.0 ^ -k), 1)))
end

-- sin and cos; angles of some thousand at most.
function R.sincos(x)
  x = real(x)
  local k = math.floor(x[1] / (pi[1] / 2) + 0.5)
  local r = R.sub(R.sub(x, R.mul(pi[1] / 2, k)), R.mul({ pi[2] / 2, -1.497384904859169777e-33 }, k))
  local square = R.neg(R.mul(r, r))
  local s = r[1] == 0 and r or series(r, function(t, i) return R.div(R.mul(t, square), 2 * i * (2 * i + 1)) end)
  local c = series(real(1), function(t, i) return R.div(R.mul(t, square), 2 * i * (2 * i - 1)) end)
  k = math.tointeger(k) & 3
  if k == 0 then return s, c elseif k == 1 then return c, R.neg(s) elseif k == 2 then return R.neg(s), R.neg(c) end
  return R.neg(c), s
end

-- The angle of (x, y): a step of Newton's on what float64 says.
function R.atan2(y, x)
  y, x = real(y), real(x)
  if y[1] == 0 and x[1] > 0 then return y end
  local a = real(math.atan(y[1], x[1]))
  for _ = 1, 2 do
    local s, c = R.sincos(a)
    a = R.add(a, R.div(R.sub(R.mul(y, c), R.mul(x, s)), R.add(R.mul(x, c), R.mul(y, s))))
  end
  return a
end

function R.hypot(x, y)
  x, y = real(x), real(y)
  if math.abs(x[1]) < math.abs(y[1]) then x, y = y, x end
  if x[1] == 0 then return x end
  local q = R.div(y, x)
  local h = R.mul(x, R.sqrt(R.add(1, R.mul(q, q))))
  return h[1] < 0 and R.neg(h) or h
end
precise.real = R

-- --- complex numbers, both parts above zero -------------------------------------------------------------------------

local C = {}

-- |1+z|^2 - 1 and the angle of 1+z; |z| - 1 of the others is that of z-1.
local function log_of(d, y, x) return { re = R.div(R.log1p(d), 2), im = R.atan2(y, x) } end

function C.log1p(z)
  local d = R.add(R.add(R.mul(2, z.re), R.mul(z.re, z.re)), R.mul(z.im, z.im))
  local x = R.add(1, z.re)
  if math.abs(d[1]) < 1 and d[1] > -0.9 then return log_of(d, z.im, x) end
  return { re = R.log(R.hypot(x, z.im)), im = R.atan2(z.im, x) }
end
function C.log(z)
  local big, small = z.re, z.im
  if math.abs(big[1]) < math.abs(small[1]) then big, small = small, big end
  if math.abs(big[1]) > 0.5 and math.abs(big[1]) < 2 then
    local d = R.add(R.sub(R.mul(big, big), 1), R.mul(small, small))
    if math.abs(d[1]) < 0.9 then return log_of(d, z.im, z.re) end
  end
  return { re = R.log(R.hypot(z.re, z.im)), im = R.atan2(z.im, z.re) }
end
local function divided(z, by) return { re = R.div(z.re, by), im = R.div(z.im, by) } end
function C.log2(z) return divided(C.log(z), ln2) end
function C.log10(z) return divided(C.log(z), R.log(10)) end

function C.exp(z)
  local e, s, c = R.exp(z.re), R.sincos(z.im)
  return { re = R.mul(e, c), im = R.mul(e, s) }
end
function C.expm1(z)
  local s, c = R.sincos(z.im)
  local half = R.sincos(R.div(z.im, 2))
  return { re = R.sub(R.mul(R.expm1(z.re), c), R.mul(2, R.mul(half, half))), im = R.mul(R.exp(z.re), s) }
end
function C.sinh(z)
  local s, c = R.sincos(z.im)
  return { re = R.mul(R.sinh(z.re), c), im = R.mul(R.cosh(z.re), s) }
end
function C.cosh(z)
  local s, c = R.sincos(z.im)
  return { re = R.mul(R.cosh(z.re), c), im = R.mul(R.sinh(z.re), s) }
end
function C.tanh(z)
  local s, c = R.sincos(z.im)
  local h = R.sinh(z.re)
  local d = R.add(R.mul(h, h), R.mul(c, c))
  return { re = R.div(R.mul(h, R.cosh(z.re)), d), im = R.div(R.mul(s, c), d) }
end

function C.mul(a, b)
  return { re = R.sub(R.mul(a.re, b.re), R.mul(a.im, b.im)), im = R.add(R.mul(a.re, b.im), R.mul(a.im, b.re)) }
end
function C.reciprocal(z)
  local d = R.add(R.mul(z.re, z.re), R.mul(z.im, z.im))
  return { re = R.div(z.re, d), im = R.neg(R.div(z.im, d)) }
end
function C.square(z) return C.mul(z, z) end
function C.sqrt(z)
  local h = R.hypot(z.re, z.im)
  local positive = z.re[1] >= 0
  local p = R.sqrt(R.div(R.add(h, positive and z.re or R.neg(z.re)), 2))
  local q = R.div(z.im, R.mul(2, p))
  if positive then return { re = p, im = q } end
  if q[1] < 0 then return { re = R.neg(q), im = R.neg(p) } end
  return { re = q, im = p }
end
function C.sign(z) return divided(z, R.hypot(z.re, z.im)) end

-- asinh(x) = log1p(x + x^2 / (1 + sqrt(1 + x^2)))
local function asinh(x)
  local square = R.mul(x, x)
  return R.log1p(R.add(x, R.div(square, R.add(1, R.sqrt(R.add(1, square))))))
end

-- The ellipse through z with its foci at -1 and 1: (|z+1| + |z-1|) / 2 is its half axis, from whose excess over 1 the
-- imaginary part follows; sums of squares are taken apart so that nothing cancels.
local function asin_parts(x, y)
  local r, s = R.hypot(R.add(x, 1), y), R.hypot(R.sub(x, 1), y)
  local square, near = R.mul(y, y), R.sub(x, 1)
  -- s + |x-1|, and what is left of s then: y^2 over it
  local wide = R.add(s, near[1] < 0 and R.neg(near) or near)
  local left = R.div(square, wide)
  local beyond, before = wide, left -- s + (x-1), s - (x-1)
  if near[1] < 0 then beyond, before = left, wide end
  local excess = R.div(R.add(R.div(square, R.add(r, R.add(x, 1))), beyond), 2)
  -- cos of the real part: sqrt(a^2 - x^2)
  local a = R.div(R.add(r, s), 2)
  local lack = R.div(R.add(R.div(square, R.add(r, R.add(x, 1))), before), 2) -- a - x
  local cosine = R.sqrt(R.mul(lack, R.add(a, x)))
  -- acosh(a) = asinh(sqrt(a^2 - 1))
  return x, cosine, asinh(R.sqrt(R.mul(excess, R.add(excess, 2))))
end
function C.asin(z)
  local s, c, im = asin_parts(z.re, z.im)
  return { re = R.atan2(s, c), im = im }
end
function C.acos(z)
  local s, c, im = asin_parts(z.re, z.im)
  return { re = R.atan2(c, s), im = R.neg(im) }
end
function C.acosh(z)
  local t = C.acos(z)
  return { re = R.neg(t.im), im = t.re }
end
function C.atanh(z)
  local x, y = z.re, z.im
  local square, near = R.mul(y, y), R.sub(1, x)
  local d = R.add(R.mul(near, near), square)
  return { re = R.div(R.log1p(R.div(R.mul(4, x), d)), 4),
    im = R.div(R.atan2(R.mul(2, y), R.sub(R.mul(near, R.add(1, x)), square)), 2) }
end

-- f(z) = -i g(iz), of z with both parts above zero: g is odd there, or even, so that it meets iz mirrored.
local function swapped(g)
  return function(z)
    local t = C[g] { re = z.im, im = z.re } -- g(i conj(z)) is i conj(f(z)) then
    return { re = t.im, im = t.re }
  end
end
C.sin, C.tan, C.atan, C.asinh = swapped "sinh", swapped "tanh", swapped "atanh", swapped "asin"
function C.cos(z)
  local t = C.cosh { re = z.im, im = z.re }
  return { re = t.re, im = R.neg(t.im) }
end

-- --- everywhere -----------------------------------------------------------------------------------------------------

-- What becomes of f(z) where z's parts change sign: "odd" and "even" functions, all with f(conj(z)) = conj(f(z)); of
-- the rest the formulas above hold for every z, or it is said here.
local odd = { sin = true, tan = true, sinh = true, tanh = true, asin = true, atan = true, asinh = true, atanh = true }
local even = { cos = true, cosh = true }
local function mirrored(name, t)
  if odd[name] then return { re = R.neg(t.re), im = t.im } end
  if even[name] then return { re = t.re, im = R.neg(t.im) } end
  if name == "acos" then return { re = R.sub(pi, t.re), im = t.im } end
  return { re = t.re, im = R.sub(pi, t.im) } -- acosh
end

-- precise[name](z): the parts of the function of z = {re =, im =} of float64s, as pairs.
for name, f in pairs(C) do
  precise[name] = function(z, w)
    local x, y = z.re + 0.0, z.im + 0.0
    local below = y < 0 or y == 0 and 1 / y < 0
    local left = (odd[name] or even[name] or name == "acos" or name == "acosh") and (x < 0 or x == 0 and 1 / x < 0)
    local t = f({ re = real(left and -x or x), im = real(below and -y or y) },
      w and { re = real(w.re), im = real(below and -w.im or w.im) })
    if left then t = mirrored(name, t) end
    if below then t = { re = t.re, im = R.neg(t.im) } end
    return t
  end
end

-- a^b
function precise.pow(a, b) return C.exp(C.mul({ re = real(b.re), im = real(b.im) }, precise.log(a))) end

return precise
