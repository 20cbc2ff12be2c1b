-- Functions of complex numbers: every part of every result against thirty digits of plain Lua (spec/precise.lua), near
-- |z| = 1, near branch cuts, small and large; and what C's annex G says of signed zeros, infinities and NaN.
local dc = require "dotcompute"
local h = require "spec.helper"
local o = require "spec.oracle"
local precise = require "spec.precise"
local note = h.note

local nan, inf = 0 / 0, 1 / 0
local dtypes = { "complex64", "complex128" }
local functions = { "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "asin", "acos",
  "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "reciprocal", "sign" }

local array = o.array
local function conj(z) return { re = z.re, im = -z.im } end

-- How many units of the last place a part is away from a pair of float64s.
local function units(got, want, eps, least)
  if got ~= got then return inf end
  return math.abs(got - want[1] - want[2]) / math.max(math.abs(want[1]) * eps, least)
end

-- Arguments near the critical points; `round` rounds to the dtype.
local function about(x, bits) return x + (math.random() - 0.5) * 2.0 ^ -math.random(1, bits) end
local function spread(low, high) return (math.random() * 2 - 1) * 2.0 ^ math.random(low, high) end
local places = {
  anywhere = function() return { re = math.random() * 6 - 3, im = math.random() * 6 - 3 } end,
  ["of all sizes"] = function() return { re = spread(-30, 5), im = spread(-30, 5) } end,
  ["near the unit circle"] = function()
    local angle, r = math.random() * 2 * math.pi, about(1, 40)
    return { re = r * math.cos(angle), im = r * math.sin(angle) }
  end,
  ["near 1 and -1"] = function() return { re = about(math.random(0, 1) * 2 - 1, 40), im = spread(-50, -1) } end,
  ["near the circle of log1p"] = function()
    local angle, r = math.random() * 2 * math.pi, about(1, 40)
    return { re = r * math.cos(angle) - 1, im = r * math.sin(angle) }
  end,
  small = function() return { re = spread(-100, -30), im = spread(-100, -30) } end,
  large = function() return { re = spread(0, 40), im = spread(0, 40) } end,
}
local grows = { exp = true, expm1 = true, sin = true, cos = true, tan = true, sinh = true, cosh = true, tanh = true }

describe("complex arrays of their parts", function()
  it("have the values and the dtype of these", function()
    local special = { inf, -inf, nan, 0.0, -0.0 }
    for _, d in ipairs { { "float32", "float32", "complex64" }, { "float32", "float64", "complex128" },
      { "float16", "bfloat16", "complex64" }, { "int32", "float32", "complex64" }, { "int64", "int8", "complex128" },
      { "bool", "uint8", "complex64" } } do
      local rows, columns = math.random(1, 9), math.random(1, 70)
      local x = dc.array((dc.random.uniform(rows, 1) * 100):to(d[1]):to_table(), d[1])
      local y = dc.array((dc.random.uniform(columns) * 100):to(d[2]):to_table(), d[2])
      local float = d[1] == "float32"
      if float then x[{ 1, 1 }] = special[math.random(#special)] end
      local z = dc.complex(x, y)
      assert.equal(d[3], z.dtype)
      local re, im, t = x:to_table(), y:to_table(), z:to_table()
      for i = 1, rows do
        for j = 1, columns do
          local a, b = re[i][1], im[j]
          if a == true or a == false then a = a and 1 or 0 end
          assert.is_true(t[i][j].re == a and 1 / t[i][j].re == 1 / a or a ~= a and t[i][j].re ~= t[i][j].re, note())
          assert.is_true(t[i][j].im == b, note(("%s, %s"):format(a, b)))
        end
      end
    end
  end)

  it("take numbers and tables for a part, and are fused with what follows", function()
    local x = dc.random.normal(300):eval()
    assert.is_true(dc.equal(dc.complex(x, 2):conj(), x - dc.complex(0, 2)))
    assert.is_true(dc.equal(dc.complex(-1, x):imag(), x))
    assert.is_true(dc.equal(dc.complex(x), x:to "complex64"))
    assert.same({ { re = 1, im = 5 }, { re = 2, im = 6 } }, (function()
      local t = dc.complex({ 1, 2 }, { 5, 6 }):to_table()
      for i, z in ipairs(t) do t[i] = { re = z.re, im = z.im } end
      return t
    end)())
    assert.is_true(dc.allclose(dc.abs(dc.complex(x, x * 2)), dc.abs(x) * 5 ^ 0.5))
    assert.equal("complex64", dc.complex(dc.zeros(0), 1).dtype)
  end)

  it("are refused for what has no place in a part", function()
    local x = dc.ones(3)
    h.fails("dtype", "'complex' is not defined for complex64", function() dc.complex(x:to "complex64", 1) end)
    h.fails("argument", "#2.*: a number or an array expected, got", function() dc.complex(x, dc.complex(1, 2)) end)
    h.fails("argument", "#1.*: a number or an array expected, got the string", function() dc.complex("1", x) end)
    h.fails("shape", "do not broadcast", function() dc.complex(x, dc.ones(4)) end)
    h.fails("argument", "at most 2", function() dc.complex(x, x, x) end)
    local closed = dc.ones(2)
    closed:close()
    h.fails("argument", "closed", function() dc.complex(closed, 1) end)
  end)
end)

describe("functions of complex numbers", function()
  for _, dtype in ipairs(dtypes) do
    local part = o.part[dtype]
    local round, eps, least = o.round[part], o.epsilon[part], o.least[part]

    -- Each part is accurate on its own, except expm1's real part, which may be a small difference.
    for place, make in pairs(places) do
      it("are accurate in both parts: " .. dtype .. ", " .. place, function()
        local z = {}
        for i = 1, 16 do
          local x = make()
          z[i] = { re = round(x.re), im = round(x.im) }
        end
        local a = array(z, dtype)
        for _, name in ipairs(functions) do
          local got = not (place == "large" and grows[name]) and dc[name](a):to_table() or {}
          for i = 1, #got do
            local want = precise[name](z[i])
            local size = name == "expm1" and math.max(math.abs(want.re[1]), math.abs(want.im[1])) * eps or least
            local off = math.max(units(got[i].re, want.re, eps, size), units(got[i].im, want.im, eps, size))
            if off > 6 then
              error(note(("%s of %s is %s, should be %s: %.3g units"):format(name, o.show(z[i]), o.show(got[i]),
                o.show { re = want.re[1], im = want.im[1] }, off)))
            end
          end
        end
      end)
    end

    it("powers of " .. dtype .. ": as accurate as the logarithm, integer powers of integers exact", function()
      local x, y, n = {}, {}, 60
      for i = 1, n do
        local z, w = places.anywhere(), places.anywhere()
        x[i] = { re = round(z.re), im = round(z.im) }
        y[i] = i % 3 == 0 and { re = math.random(-12, 12) + 0.0, im = 0.0 } or { re = round(w.re), im = round(w.im) }
      end
      local got = (array(x, dtype) ^ array(y, dtype)):to_table()
      for i = 1, n do
        local want, l = precise.pow(x[i], y[i]), precise.log(x[i])
        local size = math.sqrt(want.re[1] ^ 2 + want.im[1] ^ 2)
        local turns = (1 + math.abs(y[i].re) + math.abs(y[i].im)) * (1 + math.abs(l.re[1]) + math.abs(l.im[1]))
        local off = math.max(math.abs(got[i].re - want.re[1]), math.abs(got[i].im - want.im[1])) / (size * eps)
        assert.is_true(off <= 4 * turns, note(("%s ^ %s is %s, off by %g"):format(o.show(x[i]), o.show(y[i]),
          o.show(got[i]), off)))
      end
      for _ = 1, 10 do
        local re, im, k = math.random(-5, 5), math.random(-5, 5), math.random(2, 7)
        local p, q = 1, 0
        for _ = 1, k do p, q = p * re - q * im, p * im + q * re end
        local z = dc.complex(re, im)
        for _, v in ipairs { (dc.array({ z }, dtype) ^ k)[1], dc.pow(dc.array({ z }, dtype), dc.array { k })[1],
          z ^ k } do
          assert.is_true(v.re == p and v.im == q, note(("(%d%+di)^%d is %s"):format(re, im, k, tostring(v))))
        end
      end
      local far = (dc.array({ dc.complex(inf, 0) }, dtype) ^ 2.5)[1]
      assert.is_true(far.re == inf and far.im == 0)
      far = (dc.array({ dc.complex(inf, 0) }, dtype) ^ -1)[1]
      assert.is_true(far.re == 0 and far.im == 0)
    end)

    it("keep their accuracy near overflow and underflow of " .. dtype, function()
      local greatest = o.greatest[part]
      local bits = part == "float32" and 120 or 1000
      local z, big, small = {}, {}, {}
      for i = 1, 40 do
        local v = places.anywhere()
        z[i] = { re = round(v.re), im = round(v.im) }
        big[i] = { re = z[i].re * 2.0 ^ bits, im = z[i].im * 2.0 ^ bits }
        small[i] = { re = z[i].re * 2.0 ^ (20 - bits), im = z[i].im * 2.0 ^ (20 - bits) }
      end
      local function same(e, f, k, text)
        local p, q = e:to_table(), f:to_table()
        for i = 1, #p do
          assert.is_true(p[i].re == q[i].re * 2.0 ^ k and p[i].im == q[i].im * 2.0 ^ k, note(text .. " " .. i))
        end
      end
      local a, b, c = array(z, dtype), array(big, dtype), array(small, dtype)
      same(dc.sqrt(b), dc.sqrt(a), bits // 2, "sqrt of large ones")
      same(dc.sqrt(c), dc.sqrt(a), (20 - bits) // 2, "sqrt of small ones")
      same(dc.sign(b), dc.sign(a), 0, "sign of large ones")
      same(dc.sign(c), dc.sign(a), 0, "sign of small ones")
      same(dc.reciprocal(c), dc.reciprocal(a), bits - 20, "reciprocal of small ones")
      for k, scaled in pairs { [bits] = b, [20 - bits] = c } do
        local p, q = dc.log(scaled):to_table(), dc.log(a):to_table()
        local r, s, ah = dc.log2(scaled):to_table(), dc.log2(a):to_table(), dc.asinh(scaled):to_table()
        for i = 1, #p do
          local far = q[i].re + k * math.log(2)
          assert.is_true(math.abs(p[i].re - far) <= 4 * eps * math.abs(far) and p[i].im == q[i].im, note "log")
          assert.is_true(math.abs(r[i].re - s[i].re - k) <= 4 * eps * math.abs(k), note "log2")
          if k > 0 then
            assert.is_true(math.abs(math.abs(ah[i].re) - far - math.log(2)) <= 4 * eps * far, note "asinh")
          else assert.is_true(math.abs(ah[i].re - z[i].re * 2.0 ^ k) <= 2 * eps * math.abs(z[i].re) * 2.0 ^ k) end
        end
      end
      local corner = dc.array({ dc.complex(greatest, greatest) }, dtype)
      local log = dc.log(corner)[1]
      local want = math.log(greatest) + math.log(2) / 2
      assert.is_true(math.abs(log.re - want) <= 4 * eps * want)
      assert.is_true(math.abs(dc.acos(corner)[1].im + want + math.log(2)) <= 4 * eps * want)
      -- e^x alone overflows, the product with a small cosine does not
      local x = part == "float32" and 89.5 or 710.5
      local y = round(math.pi / 2 - 0.01)
      for _, name in ipairs { "exp", "sinh", "cosh", "expm1" } do
        local got = dc[name](array({ { re = x, im = y } }, dtype))[1]
        local half = math.exp(x / 2)
        local w = half * math.cos(y) * half * ((name == "sinh" or name == "cosh") and 0.5 or 1)
        assert.is_true(math.abs(got.re - w) <= 64 * eps * w, note(name .. " is " .. o.show(got)))
      end
    end)
  end

  -- The side of a cut is that of the zero's sign.
  it("take the side of a branch cut that the sign of a zero selects", function()
    local pi = math.pi
    for _, dtype in ipairs(dtypes) do
      local t = 1 + math.random()
      local function at(name, re, im)
        local v = dc[name](array({ { re = o.round[o.part[dtype]](re), im = o.round[o.part[dtype]](im) } }, dtype))[1]
        return { re = v.re, im = v.im }
      end
      local function angle(want, got)
        assert.is_true(math.abs(want - got) <= 1e-6, note(("%g, should be %g"):format(got, want)))
      end
      for _, side in ipairs { 1.0, -1.0 } do
        local zero = side * 0.0
        angle(side * pi, at("log", -t, zero).im)
        angle(side * pi / math.log(2), at("log2", -t, zero).im)
        angle(side * pi / math.log(10), at("log10", -t, zero).im)
        angle(side * pi, at("log1p", -1 - t, zero).im)
        angle(side * math.sqrt(t), at("sqrt", -t, zero).im)
        angle(side * math.log(t + math.sqrt(t * t - 1)), at("asin", t, zero).im)
        angle(side * math.log(t + math.sqrt(t * t - 1)), at("asin", -t, zero).im)
        angle(-side * math.log(t + math.sqrt(t * t - 1)), at("acos", t, zero).im)
        angle(side * math.log(t + math.sqrt(t * t - 1)), at("asinh", zero, t).re)
        angle(side * pi, at("acosh", -t, zero).im)
        angle(side * math.acos(t - 1), at("acosh", t - 1, zero).im)
        angle(side * pi / 2, at("atanh", t, zero).im)
        angle(side * pi / 2, at("atanh", -t, zero).im)
        angle(side * pi / 2, at("atan", zero, t).re)
      end
    end
  end)

  -- The lines of annex G, and of the rest what follows from them; f(conj(z)) is conj(f(z)).  "?" is a zero, "inf" an
  -- infinity, whose sign is not said.
  local q, p = math.pi / 2, math.pi
  -- Four numbers a line of the annex: x, y, and the parts of f(x + iy).
  local special = {
    exp = {
      0.0, 0.0, 1, 0.0,  inf, 0.0, inf, 0.0,  -inf, inf, "?", "?",  inf, inf, inf, nan,  -inf, nan, "?", "?",
      inf, nan, inf, nan,  nan, 0.0, nan, 0.0,  nan, 1, nan, nan,  1, inf, nan, nan,
    },
    expm1 = {
      0.0, 0.0, 0.0, 0.0,  -0.0, 0.0, -0.0, 0.0,  inf, 0.0, inf, 0.0,  -inf, inf, -1, "?",  nan, 0.0, nan, 0.0,
    },
    log = {
      -0.0, 0.0, -inf, p,  0.0, 0.0, -inf, 0.0,  1, inf, inf, q,  1, nan, nan, nan,  -inf, 1, inf, p,
      inf, 1, inf, 0.0,  -inf, inf, inf, 3 * p / 4,  inf, inf, inf, p / 4,  inf, nan, inf, nan,
      nan, inf, inf, nan,  nan, nan, nan, nan,
    },
    sqrt = {
      0.0, 0.0, 0.0, 0.0,  -0.0, 0.0, 0.0, 0.0,  nan, inf, inf, inf,  1, inf, inf, inf,  -inf, 1, 0.0, inf,
      inf, 1, inf, 0.0,  -inf, nan, nan, "inf",  inf, nan, inf, nan,  nan, 1, nan, nan,
    },
    sinh = {
      0.0, 0.0, 0.0, 0.0,  0.0, inf, "?", nan,  1, inf, nan, nan,  inf, 0.0, inf, 0.0,  inf, 1, inf, inf,
      inf, inf, inf, nan,  inf, nan, inf, nan,  nan, 0.0, nan, 0.0,  nan, 1, nan, nan,
    },
    cosh = {
      0.0, 0.0, 1, 0.0,  0.0, inf, nan, "?",  1, inf, nan, nan,  inf, 0.0, inf, 0.0,  inf, inf, inf, nan,
      inf, nan, inf, nan,  nan, 0.0, nan, "?",  nan, 1, nan, nan,
    },
    tanh = {
      0.0, 0.0, 0.0, 0.0,  1, inf, nan, nan,  0.0, inf, 0.0, nan,  inf, 1, 1, 0.0,  inf, inf, 1, "?",
      inf, nan, 1, "?",  nan, 0.0, nan, 0.0,  nan, 1, nan, nan,  500, 1, 1, 0.0,
    },
    acos = {
      0.0, 0.0, q, -0.0,  -0.0, 0.0, q, -0.0,  0.0, nan, q, nan,  1, inf, q, -inf,  -inf, 1, p, -inf,
      inf, 1, 0.0, -inf,  -inf, inf, 3 * p / 4, -inf,  inf, inf, p / 4, -inf,  nan, inf, nan, -inf,
      nan, 1, nan, nan,
    },
    acosh = {
      0.0, 0.0, 0.0, q,  -0.0, 0.0, 0.0, q,  1, inf, inf, q,  -inf, 1, inf, p,  inf, 1, inf, 0.0,
      -inf, inf, inf, 3 * p / 4,  inf, inf, inf, p / 4,  inf, nan, inf, nan,  nan, inf, inf, nan,
      nan, 1, nan, nan,
    },
    asinh = {
      0.0, 0.0, 0.0, 0.0,  1, inf, inf, q,  inf, 1, inf, 0.0,  inf, inf, inf, p / 4,  inf, nan, inf, nan,
      nan, 0.0, nan, 0.0,  nan, 1, nan, nan,
    },
    atanh = {
      0.0, 0.0, 0.0, 0.0,  0.0, nan, 0.0, nan,  1, 0.0, inf, 0.0,  2, inf, 0.0, q,  2, nan, nan, nan,
      inf, 1, 0.0, q,  inf, inf, 0.0, q,  inf, nan, 0.0, nan,  nan, inf, "?", q,  nan, 1, nan, nan,
    },
    reciprocal = {
      1, 0.0, 1, -0.0,  inf, 1, 0.0, -0.0,  -inf, inf, -0.0, -0.0,  nan, 1, nan, nan,
    },
    sign = {
      0.0, 0.0, 0.0, "?",  inf, 1, 1, "?",  -inf, nan, -1, "?",  3, inf, "?", 1,  inf, inf, nan, nan,
      nan, 1, nan, nan,
    },
  }
  -- asin, atan, sin, cos, tan: f(z) = -i g(iz), with t + iu the line of g for x + iy: iz = x + iy has z = y - ix.
  local turned = { asin = "asinh", atan = "atanh", sin = "sinh", tan = "tanh" }

  it("of zeros, infinities and NaN follow C's annex G", function()
    local function meets(want, got, eps)
      if want == "?" then return got == 0 elseif want == "inf" then return math.abs(got) == inf end
      if want ~= want then return got ~= got end
      if want == 0 or want == inf or want == -inf then return o.same(want * 1.0, got) end
      return math.abs(want - got) <= eps * math.abs(want)
    end
    local function check(name, dtype, x, y, u, v)
      local got = dc[name](array({ { re = x * 1.0, im = y * 1.0 } }, dtype))[1]
      local eps = 4 * o.epsilon[o.part[dtype]]
      assert.is_true(meets(u, got.re, eps) and meets(v, got.im, eps),
        note(("%s %s of (%g, %g) is %s, should be (%s, %s)"):format(dtype, name, x, y, o.show(got), u, v)))
    end
    local function minus(v) return type(v) == "string" and v or -v end
    local dtype = dtypes[math.random(2)]
    for name, lines in pairs(special) do
      for k = 1, #lines, 4 do
        local x, y, u, v = table.unpack(lines, k, k + 3)
        check(name, dtype, x, y, u, v)
        if y == y then check(name, dtype, x, -y, u, minus(v)) end
      end
    end
    for name, other in pairs(turned) do
      for k = 1, #special[other], 4 do
        local x, y, u, v = table.unpack(special[other], k, k + 3)
        check(name, dtype, y, -x, v, minus(u))
      end
    end
  end)

  it("agree with the real functions on the real axis, and with their inverses", function()
    for _, dtype in ipairs(dtypes) do
      local part = o.part[dtype]
      local x = {}
      for i = 1, 30 do x[i] = o.round[part](math.random() * 1.9 - 0.95) end
      local real = dc.array(x, part)
      local complex = real:cast(dtype)
      for _, name in ipairs { "exp", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan",
        "asinh", "atanh", "log1p", "reciprocal", "sign" } do
        assert.is_true(dc.allclose(dc.real(dc[name](complex)), dc[name](real), 8 * o.epsilon[part], 0), note(name))
        assert.is_true(dc.allclose(dc.imag(dc[name](complex)), 0, 0, 0), note(name))
      end
      local z = {}
      for i = 1, 30 do
        local v = places.anywhere()
        z[i] = { re = o.round[part](v.re / 3), im = o.round[part](v.im / 3) }
      end
      local a = array(z, dtype)
      for f, g in pairs { sin = "asin", tan = "atan", sinh = "asinh", tanh = "atanh", exp = "log", expm1 = "log1p" } do
        assert.is_true(dc.allclose(dc[f](dc[g](a)), a, 64 * o.epsilon[part], 0), note(f))
      end
      assert.is_true(dc.equal(dc.rint(a * 10), dc.array((function()
        local t = {}
        for i, v in ipairs((a * 10):to_table()) do t[i] = dc.complex(o.rint(v.re), o.rint(v.im)) end
        return t
      end)(), dtype)))
      assert.is_true(dc.equal(dc.conj(dc.log(a)), dc.log(array((function()
        local t = {}
        for i, v in ipairs(z) do t[i] = conj(v) end
        return t
      end)(), dtype))))
    end
  end)
end)

-- The two parts are equal, with the signs of zeros, or both are NaN.
local function is_same(x, y) return x == y and 1 / x == 1 / y or x ~= x and y ~= y end

describe("operators on complex numbers", function()
  it("give for numbers what they give for elements, with zeros, infinities and NaN", function()
    local values = { 0.0, -0.0, 1.0, -2.5, inf, -inf, nan }
    local left, right = { {}, {} }, { {}, {} } -- of two complex numbers; of a real and a complex one
    for _, x in ipairs(values) do
      for _, u in ipairs(values) do
        for _, v in ipairs(values) do
          table.insert(left[2], x)
          table.insert(right[2], dc.complex(u, v))
          for _, y in ipairs(values) do
            table.insert(left[1], dc.complex(x, y))
            table.insert(right[1], dc.complex(u, v))
          end
        end
      end
    end
    local operators = { ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
      ["*"] = function(a, b) return a * b end, ["/"] = function(a, b) return a / b end,
      ["^"] = function(a, b) return a ^ b end }
    for sign, operator in pairs(operators) do
      for kind = 1, 2 do
        local a, b = left[kind], right[kind]
        local got = operator(dc.array(a, "complex128"), dc.array(b, "complex128")):to_table()
        for k, want in ipairs(got) do
          local z = operator(a[k], b[k])
          local text = ("%s %s %s: number %s, element %s"):format(a[k], sign, b[k], z, want)
          local size = math.abs(want.re) + math.abs(want.im)
          if sign == "^" and size < inf then -- the functions' last places differ
            assert(math.abs(z.re - want.re) + math.abs(z.im - want.im) <= 1e-13 * (1 + size), text)
          else
            assert(is_same(z.re, want.re) and is_same(z.im, want.im), text)
          end
        end
      end
    end
  end)
end)

describe("comparisons of complex numbers", function()
  it("of integers are exact: an equal number has the imaginary part 0", function()
    for dtype in pairs(h.integers) do
      local x, y, want = h.values(100, dtype), {}, {}
      for i, v in ipairs(x) do
        local near = dtype == "uint64" and v < 0 and v + 2.0 ^ 64 or v + 0.0
        if math.random(4) == 1 then near = near + math.random(-1, 1) end
        y[i] = dc.complex(near, math.random(5) == 1 and 0.5 or 0)
        want[i] = o.compare(v, dtype, near, "float64") == 0 and y[i].im == 0
      end
      local a, b = dc.array(x, dtype), dc.array(y, "complex128")
      assert.same(want, a:eq(b):to_table(), note(dtype))
      assert.same(want, b:eq(a):to_table(), note(dtype))
      assert.same(want, dc.logical_not(a:ne(b)):to_table(), note(dtype))
      for i = 1, 5 do assert.equal(want[i], a:eq(y[i])[i], note(dtype)) end
    end
  end)
end)
