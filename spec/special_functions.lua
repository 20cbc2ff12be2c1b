-- The functions of one number that arrays have, in plain Lua: by their series, limits and inverses.
local special = {}

local function series(first, ratio) -- first * (1 + ratio(1) + ratio(1)*ratio(2) + …)
  local sum, term = first, first
  for k = 1, 200 do
    term = term * ratio(k)
    sum = sum + term
    if math.abs(term) < 1e-18 * math.abs(sum) then break end
  end
  return sum
end
local pi, euler = math.pi, 0.57721566490153286
local function erf(x)
  return 2 / math.sqrt(pi) * math.exp(-x * x) * series(x, function(k) return 2 * x * x / (2 * k + 1) end)
end
local function bessel_i(n, x)
  local first = 1
  for k = 1, n do first = first * x / 2 / k end
  return series(first, function(k) return x * x / 4 / (k * (n + k)) end)
end
local function bessel_j(n, x)
  local first = 1
  for k = 1, n do first = first * x / 2 / k end
  return series(first, function(k) return -x * x / 4 / (k * (n + k)) end)
end
local function bessel_y(n, x) -- Abramowitz and Stegun 9.1.13 and 9.1.16, then upwards
  local sum, term, harmonic = 0, 1, 0
  for k = 1, 60 do
    term, harmonic = term * -(x * x / 4) / (k * k), harmonic + 1 / k
    sum = sum - term * harmonic
  end
  local below = 2 / pi * ((math.log(x / 2) + euler) * bessel_j(0, x) + sum)
  if n == 0 then return below end
  local at = (bessel_j(1, x) * below - 2 / (pi * x)) / bessel_j(0, x)
  for k = 1, n - 1 do below, at = at, 2 * k / x * at - below end
  return at
end
local function lgamma(x)
  if x < 0.5 then return math.log(pi / math.abs(math.sin(pi * x))) - lgamma(1 - x) end
  local shift = 0
  while x < 15 do
    shift, x = shift + math.log(x), x + 1
  end
  local s, power = 0, x
  for _, c in ipairs { 1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156 } do
    s, power = s + c / power, power * x * x
  end
  return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2 * pi) + s - shift
end
local function tgamma(x)
  local r, negative = math.exp(lgamma(x)), x < 0 and math.floor(x) % 2 == 1
  return negative and -r or r
end
local function cbrt(x) return x < 0 and -((-x) ^ (1 / 3)) or x ^ (1 / 3) end
local function sinh(x)
  return math.abs(x) < 0.5 and series(x, function(k) return x * x / (2 * k * (2 * k + 1)) end) or
    (math.exp(x) - math.exp(-x)) / 2
end
local function cosh(x) return (math.exp(x) + math.exp(-x)) / 2 end
local function expm1(x)
  return math.abs(x) < 0.5 and series(x, function(k) return x / (k + 1) end) or math.exp(x) - 1
end
local function log1p(x)
  local y = x / (2 + x) -- 2 artanh y
  if math.abs(x) > 0.5 then return math.log(1 + x) end
  local sum, term = 0, y
  for k = 0, 60 do sum, term = sum + term / (2 * k + 1), term * y * y end
  return 2 * sum
end
-- x with fn(x) = y, fn growing.
local function inverse(fn, low, high)
  return function(y)
    local l, u = low, high
    for _ = 1, 200 do
      local m = (l + u) / 2
      if fn(m) < y then l = m else u = m end
    end
    return (l + u) / 2
  end
end
local function normcdf(x) return 0.5 * (1 + erf(x / math.sqrt(2))) end

-- The function, the values from which it is tried, how many roundings the result may be off (4), and how many of the
-- result 1, where it passes through 0 (0). `rough`: the reference is not good for float64's last digits.
special.one = {
  sqrt = { math.sqrt, 0, 100, 0.5 }, exp = { math.exp, -8, 8 }, log = { math.log, 0.01, 9, 4, 4 },
  sin = { math.sin, -9, 9, 4, 4 }, cos = { math.cos, -9, 9, 4, 4 }, tan = { math.tan, -1.4, 1.4, 8 },
  sinh = { sinh, -6, 6, 8 }, cosh = { cosh, -6, 6 },
  tanh = { function(x) return sinh(x) / cosh(x) end, -6, 6, 8 },
  rsqrt = { function(x) return 1 / math.sqrt(x) end, 0.1, 50 }, cbrt = { cbrt, -50, 50 },
  rcbrt = { function(x) return 1 / cbrt(x) end, 0.1, 50 }, exp2 = { function(x) return 2.0 ^ x end, -9, 9 },
  exp10 = { function(x) return 10.0 ^ x end, -4, 4, 8 }, expm1 = { expm1, -3, 3, 8 },
  log2 = { function(x) return math.log(x, 2) end, 0.01, 9, 4, 4 }, log10 = { function(x) return math.log(x, 10) end,
    0.01, 9, 4, 4 }, log1p = { log1p, -0.9, 5, 8 }, asin = { math.asin, -1, 1, 8 },
  acos = { math.acos, -0.99, 0.99, 8 },
  atan = { math.atan, -9, 9 },
  asinh = { function(x)
    local size = math.log(math.abs(x) + math.sqrt(x * x + 1))
    return x < 0 and -size or size
  end, -9, 9, 8, 8 },
  acosh = { function(x) return math.log(x + math.sqrt(x * x - 1)) end, 1.5, 9, 8, 4 },
  atanh = { function(x) return log1p(2 * x / (1 - x)) / 2 end, -0.8, 0.8, 8 },
  sinpi = { function(x) return math.sin(pi * x) end, -3, 3, 4, 16 },
  cospi = { function(x) return math.cos(pi * x) end, -3, 3, 4, 16 },
  erf = { erf, -2.5, 2.5, 8, 0, rough = true },
  erfc = { function(x) return 1 - erf(x) end, -2.5, 1.5, 8, 8, rough = true },
  erfinv = { inverse(erf, -4, 4), -0.9, 0.9, 8, 8, rough = true },
  erfcinv = { inverse(function(x) return -(1 - erf(x)) end, -4, 4), 0.1, 1.9, 8, 8, rough = true, minus = true },
  erfcx = { function(x) return math.exp(x * x) * (1 - erf(x)) end, -1.5, 1.5, 8, 8, rough = true },
  normcdf = { normcdf, -2, 3, 8, 0, rough = true },
  normcdfinv = { inverse(normcdf, -5, 5), 0.05, 0.95, 8, 8, rough = true },
  lgamma = { lgamma, -3.4, 20, 16, 16, rough = true, poles = true },
  tgamma = { tgamma, -2.6, 9, 16, 0, rough = true, poles = true },
  j0 = { function(x) return bessel_j(0, x) end, -7, 7, 16, 16, rough = true },
  j1 = { function(x) return bessel_j(1, x) end, -7, 7, 16, 16, rough = true },
  y0 = { function(x) return bessel_y(0, x) end, 0.3, 2.2, 16, 16, rough = true },
  y1 = { function(x) return bessel_y(1, x) end, 0.3, 2.2, 16, 16, rough = true },
  cyl_bessel_i0 = { function(x) return bessel_i(0, x) end, -6, 6, 16 },
  cyl_bessel_i1 = { function(x) return bessel_i(1, x) end, -6, 6, 16 },
  reciprocal = { function(x) return 1 / x end, 0.1, 9, 0.5 },
  logb = { function(x) return math.floor(math.log(math.abs(x), 2)) + 0.0 end, 0.3, 0.49, 0.5 },
}

special.bessel_j, special.bessel_y = bessel_j, bessel_y

return special
