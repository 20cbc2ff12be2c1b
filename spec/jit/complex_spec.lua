-- Complex numbers in kernels in Lua: operators against dc.complex, functions against thirty digits (spec/precise.lua).
local dc = require "dotcompute"
local h = require "spec.helper"
local check_mistakes = require "spec.jit_mistakes"
local o = require "spec.oracle"
local precise = require "spec.precise"
local fails, note = h.fails, h.note

local dtypes = { "complex64", "complex128" }

local function random_number() return math.random() * 6 - 3 end
local function random_complex() return dc.complex(random_number(), random_number()) end

local function random_array(n, dtype)
  local list = {}
  for k = 1, n do list[k] = random_complex() end
  return dc.array(list, dtype)
end

-- Whether two complex numbers are the same but for rounding.
local function close(got, want, dtype, what)
  local eps = dtype == "complex64" and 1e-5 or 1e-13
  local size = 1 + math.abs(want.re) + math.abs(want.im)
  assert(math.abs(got.re - want.re) <= eps * size and math.abs(got.im - want.im) <= eps * size,
    note(("%s: %s, should be %s"):format(what, tostring(got), tostring(want))))
end

describe("complex numbers in kernels", function()
  it("have the operators of dc.complex", function()
    local operators = {
      sum = function(x, y) return x + y end, difference = function(x, y) return x - y end,
      product = function(x, y) return x * y end, quotient = function(x, y) return x / y end,
      power = function(x, y) return x ^ y end, square = function(x, _) return x ^ 2 end,
      negative = function(x, _) return -x end, real = function(x, _) return dc.complex(x.re, x.im + 1) end,
      number = function(x, y) return 2 * x - y / 3 + (1 - x) end,
      methods = function(x, y) return x:abs() + y:angle() - x:conj() end,
    }
    for name, operator in pairs(operators) do
      for _, dtype in ipairs(dtypes) do
        local n = 20
        local a, b, c = random_array(n, dtype), random_array(n, dtype), dc.zeros(n, dtype)
        dc.jit(function(x, y, z)
          local i = dc.index()
          if i <= #x then z[i] = operator(x[i], y[i]) end
        end):forall(n, a, b, c)
        for i = 1, n do close(c[i], operator(a[i], b[i]), dtype, name) end
      end
    end
  end)

  it("are equal where both parts are", function()
    local n, a, b, same = 60, {}, {}, {}
    for i = 1, n do
      local re, im = math.random(0, 1), math.random(0, 1)
      a[i], b[i] = dc.complex(re, im), dc.complex(math.random(0, 1), math.random(0, 1))
      if math.random(4) == 1 then a[i] = dc.complex(0 / 0, im) end
      if math.random(8) == 1 then b[i] = a[i] end
      same[i] = (a[i].re == b[i].re and a[i].im == b[i].im and 1 or 0) + (a[i].re == 1 and a[i].im == 0 and 4 or 0)
      same[i] = same[i] + (same[i] & 1 == 0 and 2 or 0)
    end
    local left, right = dtypes[math.random(2)], dtypes[math.random(2)]
    local out = dc.zeros(n, "int32")
    dc.jit(function(x, y, z)
      local i = dc.index()
      if i > #x then return end
      local r = 0
      if x[i] == y[i] then r = 1 end
      if x[i] ~= y[i] then r = r + 2 end
      if x[i] == 1 then r = r + 4 end
      z[i] = r
    end):forall(n, dc.array(a, left), dc.array(b, right), out)
    h.same(same, out:to_table(), left .. " and " .. right)
  end)

  for _, dtype in ipairs(dtypes) do
    local part = o.part[dtype]
    local round, eps, least = o.round[part], o.epsilon[part], o.least[part]
    for _, near in ipairs { false, true } do
      it("have functions that are accurate in both parts: " .. dtype .. (near and ", near the unit circle" or ""),
        function()
          local list = {}
          for i = 1, 16 do
            local angle, r = math.random() * 2 * math.pi, 1 + (math.random() - 0.5) * 2.0 ^ -math.random(1, 40)
            list[i] = near and { re = round(r * math.cos(angle)), im = round(r * math.sin(angle)) }
              or { re = round(random_number()), im = round(random_number()) }
          end
          local a, out = o.array(list, dtype), dc.zeros(21, 16, dtype)
          dc.jit(function(x, y)
            local i = dc.index()
            local z = x[i]
            y[1][i], y[2][i], y[3][i], y[4][i] = dc.exp(z), dc.expm1(z), dc.log(z), dc.log2(z)
            y[5][i] = dc.log10(z)
            y[6][i], y[7][i], y[8][i], y[9][i], y[10][i] = dc.log1p(z), dc.sqrt(z), dc.sin(z), dc.cos(z), dc.tan(z)
            y[11][i], y[12][i], y[13][i], y[14][i] = dc.asin(z), dc.acos(z), dc.atan(z), dc.sinh(z)
            y[15][i], y[16][i], y[17][i], y[18][i] = dc.cosh(z), dc.tanh(z), dc.asinh(z), dc.acosh(z)
            y[19][i], y[20][i], y[21][i] = dc.atanh(z), dc.reciprocal(z), dc.sign(z)
          end)(1, 16, a, out)
          local names = { "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "asin", "acos",
            "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "reciprocal", "sign" }
          for k, name in ipairs(names) do
            for i, z in ipairs(list) do
              local want, got = precise[name](z), out[{ k, i }]
              for _, axis in ipairs { "re", "im" } do
                local w = want[axis]
                local scale = math.abs(w[1])
                if name == "expm1" then scale = math.max(scale, math.abs(want.re[1]), math.abs(want.im[1])) end
                local units = math.abs(got[axis] - w[1] - w[2]) / math.max(scale * eps, least)
                assert(units <= 16, note(("%s(%.17g, %.17g).%s: %.17g, should be %.17g"):format(name, z.re, z.im, axis,
                  got[axis], w[1])))
              end
            end
          end
        end)
    end
  end

  it("meet other numbers as arrays do", function()
    local pairs_of = { { "complex64", "float64" }, { "complex64", "int64" }, { "complex64", "float32" },
      { "complex128", "float32" }, { "complex64", "complex128" }, { "int8", "complex64" } }
    for _, names in ipairs(pairs_of) do
      local a, b = dc.array({ 1, 2 }, names[1]), dc.array({ 3, 4 }, names[2])
      local want = a * b
      local out = dc.zeros(2, want.dtype)
      dc.jit(function(x, y, z)
        local i = dc.index()
        local v = x[i] * y[i]
        z[i] = v
      end)(1, 2, a, b, out)
      h.same(want:to_table(), out:to_table(), names[1] .. " and " .. names[2])
    end
    -- the type of a value is that of the array that it fits
    local captured = dc.complex(0.1, 0)
    for _, names in ipairs { { "float32", 1e-9 }, { "float64", 0 }, { "int32", 1e-9 }, { "complex64", 1e-9 },
      { "complex128", 0 } } do
      local out, x = dc.zeros(1, "complex128"), dc.array({ 1 }, names[1])
      dc.jit(function(a, z) z[1] = a[1] * captured end)(1, 1, x, out)
      assert.equal((x * captured)[1].re, out[1].re)
      assert.equal(names[2] > 0, out[1].re ~= 0.1)
    end
  end)

  it("are arguments, captured, results, and parts of tuples and structs", function()
    local S = dc.struct("Wave", { { "z", "complex64" }, { "w", "complex128", 2 } })
    local captured = dc.complex(0, 1)
    local function both(z) return z * captured, { z, dc.conj(z) } end
    local k = dc.jit(function(a, s, wave, out)
      local turned, t = both(a[1])
      local i = 1
      if turned.re ~= a[1].re then i = 2 end
      out[1], out[2] = turned, t[i] + s
      wave[1].w[2] = wave[1].z
      wave[1].z = t[1]
      wave[1] = S { z = wave[1].z * 2, w = { dc.imag(s), wave[1].w[2] } }
    end)
    local out, waves = dc.zeros(2, "complex128"), S:array { S(dc.complex(5, 6), { 1, 2 }) }
    k(1, 1, dc.array { dc.complex(1, 2) }, dc.complex(3, 4), waves, out)
    h.same({ dc.complex(-2, 1), dc.complex(4, 2) }, out:to_table(), "results")
    assert.equal(S(dc.complex(2, 4), { 4, dc.complex(5, 6) }).w[2], waves[1].w[2])
    assert.equal(dc.complex(2, 4), waves[1].z)
    assert.equal(dc.complex(4, 0), waves[1].w[1])
    captured = dc.complex(2, 0)
    k(1, 1, dc.array { dc.complex(1, 2) }, dc.complex(3, 4), waves, out)
    assert.equal(dc.complex(2, 4), out[1])
  end)

  it("are made by casts, also outside of kernels", function()
    local out = dc.zeros(6, "complex128")
    dc.jit(function(y)
      y[1], y[2], y[3] = dc.complex64(0.1), dc.complex64(0.1, 2), dc.complex128(0.1, 2)
      y[4], y[5] = dc.cast(0.1, "complex64"), dc.complex(0.1, 3)
      y[6] = dc.bool(dc.complex(0, 1)) and not dc.bool(dc.complex64(0)) and 1 or 0
    end)(1, 1, out)
    local f = h.f32(0.1)
    h.same({ dc.complex(f, 0), dc.complex(f, 2), dc.complex(0.1, 2), dc.complex(f, 0), dc.complex(0.1, 3),
      dc.complex(1, 0) }, out:to_table(), "casts")
    assert.equal(dc.complex(f, 2), dc.complex64(0.1, 2))
    assert.equal(dc.complex(f, 0), dc.complex64(0.1))
    assert.equal(dc.complex(0.1, 2), dc.complex128(dc.complex(0.1, 2)))
    assert.equal("complex64", dc.complex64(dc.ones(2)).dtype)
    fails("argument", "takes a number, a boolean, an array, or real and imaginary part, got the string",
      function() dc.complex64 "x" end)
    fails("argument", "takes at most 2 arguments, got 3", function() dc.complex64(1, 2, 3) end)
  end)

  it("have parts, tests and choices, and so have real numbers", function()
    local out = dc.zeros(10, "float64")
    dc.jit(function(y, n)
      local z, x = dc.complex128(n, -2), dc.float64(-n)
      y[1], y[2], y[3], y[4] = dc.real(z), dc.imag(z), dc.abs(z), dc.angle(x)
      y[5], y[6], y[7] = dc.real(x), dc.imag(x), dc.conj(x)
      y[8] = dc.isnan(dc.complex(0 / n, 0.0)) and 1 or 0
      y[9] = dc.isinf(dc.complex(1.0, -1 / (n - n))) and dc.isfinite(z) and 1 or 0
      y[10] = dc.where(n > 0, z, x).im
    end)(1, 1, out, 1.5)
    h.same({ 1.5, -2, 2.5, math.pi, -1.5, 0, -1.5, 0, 1, -2 }, out:to_table(), "parts")
  end)

  it("are printed as dc.complex prints them", function()
    local path = os.tmpname()
    h.write(path, [[
      local dc = require "dotcompute"
      dc.jit(function() print("z", dc.complex(1.5, -2), dc.complex64(3)) end)(1, 1)
      dc.synchronize()]])
    local text = h.shell(h.dclua .. " " .. path .. " 2>&1")
    os.remove(path)
    assert.equal("z\t1.5-2i\t3+0i\n", text)
  end)

  it("are types of signatures", function()
    local k = dc.jit("void(complex64[:], complex64)", function(a, z) a[1] = a[1] + z end)
    local a = dc.zeros(1, "complex64")
    k(1, 1, a, dc.complex(1, 2))
    k(1, 1, a, 3)
    assert.equal(dc.complex(4, 2), a[1])
    fails("dtype", "argument 1, 'a', is a 1%-d complex64 array by the signature, got a 1%-d complex128 array",
      function() k(1, 1, dc.zeros(1, "complex128"), 1) end)
    local real = dc.jit("void(float32[:], float32)", function(x, y) x[1] = y end)
    fails("dtype", "argument 2, 'y', is float32 by the signature, got a complex number",
      function() real(1, 1, dc.zeros(1), dc.complex(1, 2)) end)
  end)
end)

-- luacheck: push ignore
local z, x = dc.zeros(4, "complex64"), dc.ones(4)
local captured = dc.complex(1, 2)
local mistakes = {
  { "an element of a float32 array takes a real number, but 'z%[1%]' is complex64, an element of 'z': dc.real",
    function(a) a[1] = z[1] end },
  { "operator '<' needs a real number, but 'z%[1%]' is complex64", function(a) if z[1] < z[2] then a[1] = 1 end end },
  { "operator '%%' needs a real number", function(a) z[1] = z[1] % 2 end },
  { "operator '&' needs a real number", function(a) z[1] = z[1] & 2 end },
  { "an index needs a real number, but 'captured' is a complex number, captured", function(a) a[captured] = 1 end },
  { "math.sin needs a real number", function(a) z[1] = math.sin(z[1]) end },
  { "dc.erf needs a real number", function(a) z[1] = dc.erf(z[1]) end },
  { "dc.atan2 needs a real number", function(a) z[1] = dc.atan2(1, z[1]) end },
  { "dc.float32 takes a real number, but 'z%[1%]' is complex64, an element of 'z', and its imaginary part",
    function(a) a[1] = dc.float32(z[1]) end },
  { "dc.complex64 takes 1 to 2 arguments, got 3", function(a) z[1] = dc.complex64(1, 2, 3) end },
  { "dc.complex needs a real number", function(a) z[1] = dc.complex(z[1], 1) end },
  { "dc.complex64 takes a number or a boolean, but 'a' is", function(a) z[1] = dc.complex64(a) end },
  { "has the fields 're' and 'im' alone", function(a) a[1] = z[1].x end },
  { "a complex number cannot be changed; make another: dc.complex%(re, im%)", function(a) z[1].re = 1 end },
  { "'abs' of a complex number takes no arguments", function(a) a[1] = z[1]:abs(1) end },
  { "methods cannot be called", function(a) a[1] = z[1]:sin() end },
  { "the start of a loop needs a real number", function(a) for i = z[1], 2 do a[1] = 1 end end },
  { "the type of 'v' changes: it is complex64, an element of 'z' here, but a boolean",
    function(a) local v = true v = z[1] end },
  { "dc.atomic_add takes arrays of", function(a) dc.atomic_add(z, 1, 1) end },
  { "dc.bitcast takes dtypes of real numbers, got complex64", function(a) a[1] = dc.bitcast(1.0, "complex64") end },
}
-- luacheck: pop

describe("mistakes with complex numbers", function()
  it("are errors with line and column", function()
    check_mistakes(mistakes, "complex_spec.lua", x)
  end)
end)
