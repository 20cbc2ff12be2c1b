-- Every operator and function of arrays, on every kind of dtype that it takes, against plain Lua: random values, edge
-- cases, and refused arguments.
local dc = require "dotcompute"
local h = require "spec.helper"
local o = require "spec.oracle"
local references = require "spec.special_functions"
local note, fails = h.note, h.fails
local one = references.one

local nan, inf = 0 / 0, 1 / 0
local real = {}
for i = 1, 13 do real[i] = o.dtypes[i] end
local floats, integers = { "float16", "bfloat16", "float32", "float64" }, {}
for _, dtype in ipairs(real) do
  if o.kind[dtype] == "i" or o.kind[dtype] == "u" then integers[#integers + 1] = dtype end
end

local array = o.array
local function pick(list) return list[math.random(#list)] end

-- n different members of a list.
local function some(list, n)
  local rest, t = { table.unpack(list) }, {}
  for i = 1, math.min(n, #list) do t[i] = table.remove(rest, math.random(#rest)) end
  return t
end

-- Zeros are equal whatever their sign, unless it is asked for.
local function equal(want, got, signed)
  return o.same(want, got) or not signed and math.type(want) == "float" and want == 0 and got == 0
end

local function check(e, dtype, want, text, show, signed)
  assert.equal(dtype, e.dtype, note(text))
  local got = e:to_table()
  assert.equal(#want, #got, note(text))
  for i = 1, #want do
    if not equal(want[i], got[i], signed) then
      error(note(("%s of %s is %s, should be %s"):format(text, show(i), o.show(got[i]), o.show(want[i]))), 2)
    end
  end
end

-- Pairs of values: every edge with some others, and random ones.
local function pairs_of(dtype)
  local edges, x, y = o.edges(dtype), {}, {}
  for i = 1, #edges do
    for j = 1, #edges do
      if #edges < 15 or math.random(3) == 1 then x[#x + 1], y[#y + 1] = edges[i], edges[j] end
    end
  end
  for _ = 1, 150 do x[#x + 1], y[#y + 1] = o.value(dtype), o.value(dtype) end
  for _ = 1, 50 do x[#x + 1], y[#y + 1] = o.value(dtype, true), o.value(dtype, true) end
  return x, y
end

local operators = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end, ["/"] = function(a, b) return a / b end,
  ["//"] = function(a, b) return a // b end, ["%"] = function(a, b) return a % b end,
  ["&"] = function(a, b) return a & b end, ["|"] = function(a, b) return a | b end,
  ["~"] = function(a, b) return a ~ b end, ["<<"] = function(a, b) return a << b end,
  [">>"] = function(a, b) return a >> b end,
}

describe("the operator", function()
  for _, sign in ipairs { "+", "-", "*", "//", "%", "&", "|", "~", "<<", ">>" } do
    local bits = sign == "&" or sign == "|" or sign == "~" or sign == "<<" or sign == ">>"
    it(sign .. " is exact, or rounded once, for every pair of dtypes", function()
      local list = some(integers, 3)
      if bits then list[#list + 1] = "bool"
      else
        list[#list + 1] = pick { "float16", "bfloat16" }
        list[#list + 1] = pick { "float32", "float64", "bool" }
      end
      for _, dtype in ipairs(list) do
        local x, y = pairs_of(dtype)
        local into = bits and sign ~= "<<" and sign ~= ">>" and dtype or o.arithmetic_dtype(dtype)
        if sign == "<<" or sign == ">>" then -- also counts that mean something
          for i = 1, #y, 2 do y[i] = dtype == "bool" and y[i] or math.random(0, o.bits[dtype] - 1) end
        end
        local want = {}
        for i = 1, #x do want[i] = o.arithmetic(sign, o.cast(x[i], dtype, into), o.cast(y[i], dtype, into), into) end
        check(operators[sign](array(x, dtype), array(y, dtype)), into, want, dtype .. " " .. sign,
          function(i) return o.show(x[i]) .. " and " .. o.show(y[i]) end)
      end
    end)
  end

  it("/ divides floats with one rounding, and integers as floats", function()
    for _, dtype in ipairs { "float32", pick { "float16", "bfloat16" }, "float64", pick(integers), "uint64", "bool" } do
      local x, y = pairs_of(dtype)
      local into, want = o.division_dtype(dtype), {}
      for i = 1, #x do want[i] = o.arithmetic("/", o.cast(x[i], dtype, into), o.cast(y[i], dtype, into), into) end
      check(array(x, dtype) / array(y, dtype), into, want, dtype .. " /",
        function(i) return o.show(x[i]) .. " and " .. o.show(y[i]) end, true)
    end
  end)

  it("^ is a power; squares are exact", function()
    for _, dtype in ipairs { "float32", "float64", pick { "float16", "bfloat16" } } do
      local x = {}
      for i = 1, 100 do x[i] = o.value(dtype) end
      local want = {}
      for i = 1, 100 do want[i] = o.round[dtype](x[i] * x[i]) end
      check(array(x, dtype) ^ 2, dtype, want, dtype .. " ^ 2", function(i) return o.show(x[i]) end)
      local y, z = {}, {}
      for i = 1, 100 do y[i], z[i] = o.round[dtype](math.random() * 9 + 0.01), o.round[dtype](math.random() * 6 - 3) end
      local got = (array(y, dtype) ^ array(z, dtype)):to_table()
      for i = 1, 100 do
        local power = y[i] ^ z[i]
        assert.is_true(math.abs(got[i] - power) <= 8 * o.epsilon[dtype] * power, note(dtype .. " ^"))
      end
    end
    assert.equal("float32", (dc.ones(1, "int16") ^ 2).dtype)
    assert.equal("float64", (dc.ones(1, "int32") ^ 2).dtype)
    assert.equal("float64", (dc.ones(1, "int64") ^ 2).dtype)
    assert.same({ 9.0, 4.0, 0.0 }, (dc.array({ -3, 2, 0 }, "int32") ^ 2):to_table())
    assert.same({ 1.0, 1.0 }, (dc.array { 0, nan } ^ 0):to_table())
    assert.same({ -8.0, 0.0, inf }, (dc.array { -2, 0, inf } ^ 3):to_table())
    assert.same({ 8.0, 16.0 }, (2 ^ dc.array { 3, 4 }):to_table())
    local got = (dc.array { -8 } ^ 0.5)[1]
    assert.is_true(got ~= got)
  end)

  it("^ by 3, -1 and 0.5 is that of C's pow, to a rounding of each product", function()
    for _, dtype in ipairs(floats) do
      local x = { 0.0, -0.0, 1.0, -1.0, inf, -inf, nan }
      for _ = 1, 50 do x[#x + 1] = o.round[dtype]((math.random() * 20 + 0.2) * pick { 1, -1 }) end
      for _, by in ipairs { 3, -1, 0.5, 3.0, -1.0 } do
        local power, called = (array(x, dtype) ^ by):to_table(), dc.pow(array(x, dtype), by):to_table()
        for i, v in ipairs(x) do
          local want = v ^ by
          local text = note(("%s: %s ^ %s"):format(dtype, v, by))
          assert.equal(string.pack("<d", power[i]), string.pack("<d", called[i]), text)
          if want ~= want then assert.is_true(power[i] ~= power[i], text)
          elseif want == 0 or math.abs(want) == inf then
            assert.equal(1 / want, 1 / power[i], text)
          else
            assert.is_true(math.abs(power[i] - want) <= 1.5 * o.epsilon[dtype] * math.abs(want), text)
          end
        end
      end
    end
    assert.same({ -8, 27, 0 }, dc.pow(dc.array({ -2, 3, 0 }, "int32"), 3):to_table())
    assert.same({ 0, 0, 1, -1 }, dc.pow(dc.array({ 2, 0, 1, -1 }, "int32"), -1):to_table())
    assert.same({ -0.5, inf }, (dc.array({ -2, 0 }, "int32") ^ -1):to_table())
    assert.same({ 1.0, inf }, (dc.array { true, false } ^ -1):to_table())
  end)

  it("^ of integers is computed in the result's dtype: its products do not wrap", function()
    for _, dtype in ipairs { "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64" } do
      local _, high = o.limits(dtype:find "64" and "int64" or dtype)
      local result = o.bits[dtype] <= 16 and "float32" or "float64"
      local x = { 0, 1, high, high - 1, high // 2 }
      for i = 6, 40 do x[i] = math.random(1, high) end
      for _, by in ipairs { 2, 3, -1, 0.5, 3.0 } do
        local a = array(x, dtype) ^ by
        assert.equal(result, a.dtype)
        for i, v in ipairs(a:to_table()) do
          local want = o.round[result](x[i] + 0.0) ^ by
          assert.is_true(v == want or math.abs(v - want) <= 1.5 * o.epsilon[result] * want,
            note(("%s: %s ^ %s is %s, got %s"):format(dtype, x[i], by, want, v)))
        end
      end
    end
  end)

  it("- and ~ of one operand", function()
    for _, dtype in ipairs(some(integers, 4)) do
      local x = pairs_of(dtype)
      local minus, complement = {}, {}
      for i = 1, #x do minus[i], complement[i] = o.wrap(-x[i], dtype), o.wrap(~x[i], dtype) end
      check(-array(x, dtype), dtype, minus, "-", function(i) return o.show(x[i]) end)
      check(~array(x, dtype), dtype, complement, "~", function(i) return o.show(x[i]) end)
    end
    for _, dtype in ipairs(floats) do
      local x, minus = pairs_of(dtype), {}
      for i = 1, #x do minus[i] = -x[i] end
      check(-array(x, dtype), dtype, minus, "-", function(i) return o.show(x[i]) end, true)
    end
    assert.same({ false, true }, (~dc.array { true, false }):to_table())
    fails("dtype", "bool", function() return -dc.array { true } end)
    for _, dtype in ipairs(floats) do fails("dtype", "'~'.*" .. dtype, function() return ~dc.ones(1, dtype) end) end
  end)

  it("takes numbers on either side", function()
    for sign, op in pairs(operators) do
      local dtype = pick(integers)
      local x = o.values(40, dtype, true)
      local into = sign == "/" and o.division_dtype(dtype) or dtype
      local a, number, left, right = array(x, dtype), math.random(1, 7), {}, {}
      for i = 1, 40 do
        local v, n = o.cast(x[i], dtype, into), into ~= dtype and number + 0.0 or number
        left[i], right[i] = o.arithmetic(sign, n, v, into), o.arithmetic(sign, v, n, into)
      end
      check(op(number, a), into, left, number .. sign, function(i) return o.show(x[i]) end)
      check(op(a, number), into, right, sign .. number, function(i) return o.show(x[i]) end)
    end
    assert.same({ 11.0, 22.0 }, (dc.array { 1, 2 } + { 10, 20 }):to_table())
    assert.same({ { 11, 12 }, { 21, 22 } }, (dc.array({ 1, 2 }, "int32") + { { 10 }, { 20 } }):to_table())
  end)

  it("// and % of integers by 0 give 0, and of the least by -1 wrap", function()
    for _, dtype in ipairs { "int8", "int32", "int64", "uint8", "uint64" } do
      local least, greatest = o.limits(dtype)
      local a = array({ least, greatest, 0, 1 }, dtype)
      assert.same({ 0, 0, 0, 0 }, (a // 0):to_table())
      assert.same({ 0, 0, 0, 0 }, (a % 0):to_table())
      if least < 0 then
        assert.same({ least, -greatest, 0, -1 }, (a // -1):to_table())
        assert.same({ 0, 0, 0, 0 }, (a % -1):to_table())
      end
    end
  end)
end)

describe("comparisons", function()
  it("of two arrays of any dtypes are exact", function()
    local all = {}
    for _, x in ipairs(real) do for _, y in ipairs(real) do all[#all + 1] = { x, y } end end
    local list = some(all, 24)
    list[#list + 1], list[#list + 2] = { "int64", "float64" }, { "uint64", "float64" }
    list[#list + 1], list[#list + 2] = { "uint64", "int64" }, { "int64", "float32" }
    for _, both in ipairs(list) do
      local xtype, ytype = both[1], both[2]
      local x, y = o.values(300, xtype), o.values(300, ytype)
      for i = 1, 100 do y[i] = o.cast(x[i], xtype, ytype) end -- nearly the same
      local name = pick { "eq", "ne", "lt", "le", "gt", "ge" }
      local want = {}
      for i = 1, 300 do want[i] = o.comparisons[name](o.compare(x[i], xtype, y[i], ytype)) end
      check(dc[name](array(x, xtype), array(y, ytype)), "bool", want, xtype .. " " .. name .. " " .. ytype,
        function(i) return o.show(x[i]) .. " and " .. o.show(y[i]) end)
    end
  end)

  it("distinguish integers that float64 cannot", function()
    local i, f = dc.array({ (1 << 53) + 1, 1 << 53 }, "int64"), dc.array({ 2.0 ^ 53, 2.0 ^ 53 }, "float64")
    assert.same({ false, true }, i:eq(f):to_table())
    assert.same({ true, false }, i:gt(f):to_table())
    assert.same({ true, false }, f:lt(i):to_table())
    local u = array({ -1, math.mininteger, 5 }, "uint64")
    assert.same({ true, true, true }, u:gt(dc.array({ -1, math.maxinteger, -5 }, "int64")):to_table())
    assert.same({ false, true, false }, u:eq(dc.array({ 2.0 ^ 64, 2.0 ^ 63, 5.5 }, "float64")):to_table())
    assert.same({ true, true }, dc.array({ 255, 0 }, "uint8"):ne(dc.array({ -1, -256 }, "int16")):to_table())
  end)

  it("with a number use the dtype of a floating-point array", function()
    assert.same({ true }, dc.array { 0.1 }:eq(0.1):to_table())
    assert.same({ true }, dc.array({ 0.1 }, "float16"):eq(0.1):to_table())
    assert.same({ false, true }, dc.array({ 0, 1 }, "int32"):gt(0.5):to_table())
    assert.same({ true, false }, dc.array({ 0, 1 }, "uint8"):lt(1):to_table())
    assert.same({ true, false, true }, dc.array { true, false, true }:eq(true):to_table())
    assert.same({ false, false, false, true }, dc.array { nan, nan, 1, 1 }:eq { nan, 1, nan, 1 }:to_table())
    assert.same({ true, true }, dc.array { nan, 1 }:ne(nan):to_table())
    assert.same({ true, true, false }, dc.array({ 3, 3, 4 }, "int8"):le(3):to_table())
  end)

  it("broadcast, and are methods and functions", function()
    local a = dc.array { { 1 }, { 2 } }
    assert.same({ { false, false }, { true, false } }, a:gt { 1, 2 }:to_table())
    assert.same({ { false, false }, { true, false } }, dc.gt(a, dc.array { 1, 2 }):to_table())
    assert.same({ true, false }, dc.lt(1, dc.array { 2, 1 }):to_table())
  end)
end)

-- ------------------------------------------------------------------------- functions of one number, to some roundings
-- How close got is to want, in roundings of the dtype.
local function near(name, dtype, row, want, got, text)
  local eps = math.max(o.epsilon[dtype], row.rough and 1e-12 or 0)
  local off = (row[4] or 4) * eps * math.abs(want) + (row[5] or 0) * eps + o.least[dtype]
  if math.abs(got - want) > off or got ~= got then
    error(note(("%s(%s) of %s is %.17g, should be %.17g"):format(name, text, dtype, got, want)), 2)
  end
end

describe("functions of one number", function()
  local names = {}
  for name in pairs(one) do names[#names + 1] = name end
  table.sort(names)

  it("keep their documented accuracy, as functions and as methods", function()
    for _, name in ipairs(names) do
      local row, dtype = one[name], pick { "float32", "float64", "float32", "float16", "bfloat16" }
      local x = {}
      for i = 1, 64 do x[i] = o.round[dtype](row[2] + (row[3] - row[2]) * math.random()) end
      local a = array(x, dtype)
      local e = math.random(2) == 1 and dc[name](a) or a[name](a)
      assert.equal(dtype, e.dtype)
      local got = e:to_table()
      for i = 1, 64 do
        local want = row[1](row.minus and -x[i] or x[i])
        local pole = row.poles and x[i] < 0.02 and math.abs(x[i] - o.rint(x[i])) < 0.02
        if x[i] >= row[2] and x[i] <= row[3] and not pole then near(name, dtype, row, want, got[i], o.show(x[i])) end
      end
    end
  end)

  it("of integers give floats", function()
    for _, name in ipairs(some(names, 12)) do
      local dtype = pick(integers)
      assert.equal(o.float_dtype(dtype), dc[name](dc.ones(2, dtype)).dtype, name)
    end
    for _, dtype in ipairs { "int8", "uint64", "bool" } do
      local into = o.float_dtype(dtype)
      near("exp", into, one.exp, math.exp(1), dc.ones(2, dtype):exp()[2], "1")
    end
    assert.same({ 0.0, 1.0, 2.0, 3.0 }, dc.sqrt(dc.array({ 0, 1, 4, 9 }, "int32")):to_table())
  end)

  it("take numbers and tables, too", function()
    assert.near(math.exp(1), dc.exp(1):item(), 1e-6)
    assert.same({ 1.0, 2.0 }, dc.sqrt { 1, 4 }:to_table())
    assert.equal(0, dc.sqrt(4).ndim)
  end)

  it("give infinities and NaN at poles and outside of their domains", function()
    local function values(name, x, want)
      for _, dtype in ipairs { "float32", "float64" } do
        local got = dc[name](dc.array(x, dtype)):to_table()
        for i = 1, #x do
          if not o.same(want[i], got[i]) then
            error(("%s(%s) of %s is %s, should be %s"):format(name, o.show(x[i]), dtype, o.show(got[i]),
              o.show(want[i])), 2)
          end
        end
      end
    end
    values("exp", { inf, -inf, nan, 1e4, -1e4, 0.0 }, { inf, 0.0, nan, inf, 0.0, 1.0 })
    values("log", { 0.0, -0.0, -1.0, inf, nan, 1.0 }, { -inf, -inf, nan, inf, nan, 0.0 })
    values("sqrt", { -1.0, -0.0, inf, 0.0 }, { nan, -0.0, inf, 0.0 })
    values("sin", { inf, -0.0, nan }, { nan, -0.0, nan })
    values("tanh", { inf, -inf, -0.0 }, { 1.0, -1.0, -0.0 })
    values("rsqrt", { 0.0, inf, -1.0 }, { inf, 0.0, nan })
    values("erf", { inf, -inf, nan }, { 1.0, -1.0, nan })
    values("tgamma", { 100.0 ^ 3, inf, nan }, { inf, inf, nan })
    values("acos", { 2.0, 1.0 }, { nan, 0.0 })
    values("log1p", { -1.0, -2.0 }, { -inf, nan })
    values("atanh", { 1.0, -1.0 }, { inf, -inf })
    values("erfinv", { 1.0, -1.0, 2.0 }, { inf, -inf, nan })
    values("reciprocal", { 0.0, -0.0, inf }, { inf, -inf, 0.0 })
    values("cospi", { 0.5, 1.0, 1e6 }, { 0.0, -1.0, 1.0 })
  end)
end)

describe("exact functions", function()
  local function half_away(x)
    local floor = o.floor(math.abs(x))
    local r = math.abs(x) - floor >= 0.5 and floor + 1 or floor
    return x < 0 and -r or r
  end
  local rounding = {
    floor = o.floor,
    ceil = function(x) return -o.floor(-x) end,
    trunc = function(x) return x < 0 and -o.floor(-x) or o.floor(x) end,
    round = half_away, rint = o.rint, nearbyint = o.rint,
  }

  local function each(name, dtype, fn, into, signed)
    local x = pairs_of(dtype)
    local want = {}
    for i = 1, #x do want[i] = fn(x[i]) end
    check(dc[name](array(x, dtype)), into or dtype, want, name, function(i) return dtype .. " " .. o.show(x[i]) end,
      signed)
  end

  for name, fn in pairs(rounding) do
    it(name .. " gives integral values of the same dtype", function()
      for _, dtype in ipairs(some(floats, 2)) do
        each(name, dtype, function(x) return x - x == 0 and o.round[dtype](fn(x)) or x end)
      end
      local dtype = pick(integers)
      each(name, dtype, function(x) return x end)
      assert.equal("bool", dc[name](dc.array { true }).dtype)
    end)
  end

  it("abs, sign, square", function()
    for _, dtype in ipairs(some(floats, 2)) do
      each("abs", dtype, math.abs, nil, true)
      each("sign", dtype, function(x) return x ~= x and x or x > 0 and 1.0 or x < 0 and -1.0 or 0.0 end)
      each("square", dtype, function(x) return o.round[dtype](x * x) end)
    end
    for _, dtype in ipairs(some(integers, 3)) do
      local signed = o.kind[dtype] == "i"
      each("abs", dtype, function(x) return signed and x < 0 and o.wrap(-x, dtype) or x end)
      each("sign", dtype, function(x) return x == 0 and 0 or signed and x < 0 and -1 or 1 end)
      each("square", dtype, function(x) return o.wrap(x * x, dtype) end)
    end
    assert.same({ 1, 0 }, dc.square(dc.array { true, false }):to_table())
  end)

  it("isnan, isinf, isfinite, signbit, logical_not", function()
    for _, dtype in ipairs(some(floats, 2)) do
      each("isnan", dtype, function(x) return x ~= x end, "bool")
      each("isinf", dtype, function(x) return x == inf or x == -inf end, "bool")
      each("isfinite", dtype, function(x) return x - x == 0 end, "bool")
      each("logical_not", dtype, function(x) return x == 0 end, "bool")
    end
    assert.same({ true, false, true, false }, dc.signbit(dc.array { -0.0, 0.0, -inf, 1 }):to_table())
    local dtype = pick(integers)
    each("isnan", dtype, function() return false end, "bool")
    each("isfinite", dtype, function() return true end, "bool")
    each("signbit", dtype, function(x) return o.kind[dtype] == "i" and x < 0 end, "bool")
    each("logical_not", dtype, function(x) return x == 0 end, "bool")
  end)

  it("llrint, llround, ilogb give int64", function()
    local x = { 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 1e10, -1e10, 8388609.0 }
    for _, dtype in ipairs { "float32", "float64" } do
      local to_even, away = {}, {}
      for i, v in ipairs(x) do
        v = o.round[dtype](v)
        to_even[i], away[i] = math.tointeger(o.rint(v)), math.tointeger(half_away(v))
      end
      check(dc.llrint(dc.array(x, dtype)), "int64", to_even, "llrint", function(i) return o.show(x[i]) end)
      check(dc.llround(dc.array(x, dtype)), "int64", away, "llround", function(i) return o.show(x[i]) end)
      assert.same({ 0, 3, -1, 100, -126 },
        dc.ilogb(dc.array({ 1, 15.9, -0.5, 2.0 ^ 100, 2.0 ^ -126 }, dtype)):to_table())
      assert.same({ 0.0, 3.0, -1.0, -inf }, dc.logb(dc.array({ 1, 15.9, -0.5, 0 }, dtype)):to_table())
    end
  end)

  it("real, imag, conj, angle of real numbers", function()
    local a = dc.array { 1.5, -2 }
    assert.same({ 1.5, -2 }, dc.real(a):to_table())
    assert.same({ 0, 0 }, dc.imag(a):to_table())
    assert.same({ 1.5, -2 }, dc.conj(a):to_table())
    assert.near(math.pi, dc.angle(a)[2], 1e-6)
    assert.equal(0.0, dc.angle(a)[1])
    assert.equal("int32", dc.imag(dc.ones(1, "int32")).dtype)
    assert.equal("float32", dc.angle(dc.ones(1, "int32")).dtype)
  end)
end)

describe("functions of several numbers", function()
  local function over(name, dtype, fn, into, x, y, signed)
    if not x then x, y = pairs_of(dtype) end
    local want = {}
    for i = 1, #x do want[i] = fn(x[i], y[i]) end
    check(dc[name](array(x, dtype), array(y, dtype)), into or dtype, want, name,
      function(i) return dtype .. " " .. o.show(x[i]) .. " and " .. o.show(y[i]) end, signed)
  end

  it("fmin and fmax ignore NaN, minimum and maximum propagate it", function()
    for _, dtype in ipairs { pick(floats), pick(floats), pick(integers), "uint64", "bool" } do
      local function least(x, y)
        if x ~= x then return y elseif y ~= y then return x end
        return o.compare(x, dtype, y, dtype) == 1 and y or x
      end
      local function greatest(x, y)
        if x ~= x then return y elseif y ~= y then return x end
        return o.compare(x, dtype, y, dtype) == -1 and y or x
      end
      if dtype == "bool" then
        least, greatest = function(x, y) return x and y end, function(x, y) return x or y end
      end
      local function strict(fn) return function(x, y) return (x ~= x or y ~= y) and nan or fn(x, y) end end
      if dtype == "bool" then strict = function(fn) return fn end end
      over("fmin", dtype, least)
      over("fmax", dtype, greatest)
      over("minimum", dtype, strict(least))
      over("maximum", dtype, strict(greatest))
    end
    assert.same({ 2, 3 }, dc.fmax(dc.array { 1, 3 }, 2):to_table())
    assert.same({ 1, 2 }, dc.array { 1, 3 }:minimum(2):to_table())
    assert.equal(3, dc.max(dc.array { 1, 3 }):item()) -- of one array: its greatest element
  end)

  it("logical_and, logical_or, logical_xor take nonzero operands as true", function()
    local function truth(x) return x ~= false and x ~= 0 end
    for _, dtype in ipairs { "bool", pick(floats), pick(integers) } do
      over("logical_and", dtype, function(x, y) return truth(x) and truth(y) end, "bool")
      over("logical_or", dtype, function(x, y) return truth(x) or truth(y) end, "bool")
      over("logical_xor", dtype, function(x, y) return truth(x) ~= truth(y) end, "bool")
    end
    assert.same({ true, false }, dc.logical_and(dc.array({ 256, 0 }, "int32"), dc.array { 0.5, 1 }):to_table())
  end)

  it("where chooses, clip bounds", function()
    local n = 200
    for _, dtype in ipairs { pick(floats), pick(integers), "bool", pick(real) } do
      local x, y, mask, want = o.values(n, dtype), o.values(n, dtype), o.values(n, "bool"), {}
      for i = 1, n do if mask[i] then want[i] = x[i] else want[i] = y[i] end end
      check(dc.where(array(mask, "bool"), array(x, dtype), array(y, dtype)), dtype, want, "where",
        function(i) return tostring(i) end, true)
    end
    local mask = dc.array { true, false }
    assert.same({ 1.5, 0 }, dc.where(mask, dc.array { 1.5, 2 }, 0):to_table())
    assert.same({ { 1, 9 }, { 2, 9 } }, dc.where(mask, dc.array({ { 1 }, { 2 } }, "int32"), 9):to_table())
    assert.same({ 7.0, 8.0 }, dc.where(mask, 7.0, dc.array { 8, 8 }):to_table())
    assert.equal("float32", dc.where(mask, dc.ones(2, "int32"), 0.5).dtype)
    for _, dtype in ipairs { pick(floats), pick(integers), "uint64" } do
      local x, want = pairs_of(dtype), {}
      local low, high = 2, 5
      if o.kind[dtype] == "f" then low, high = 2.0, 5.0 end
      for i, v in ipairs(x) do
        want[i] = v ~= v and v or o.compare(v, dtype, low, dtype) == -1 and low or
          o.compare(v, dtype, high, dtype) == 1 and high or v
      end
      check(dc.clip(array(x, dtype), 2, 5), dtype, want, "clip " .. dtype, function(i) return o.show(x[i]) end)
    end
    assert.same({ 1, 3, 5 }, dc.array({ 0, 3, 9 }, "int32"):clip(dc.array({ 1, 1, 1 }, "int32"), 5):to_table())
    for _, dtype in ipairs(floats) do
      local function has_nan(...)
        local v = { ... }
        for i = 1, 3 do v[i] = dc.array({ v[i] }, dtype) end
        local here = dc.vectorize(function(a, b, c) return dc.clip(a, b, c) end)(v[1], v[2], v[3])[1]
        local there = dc.clip(v[1], v[2], v[3])[1]
        return here ~= here and there ~= there
      end
      assert.is_true(has_nan(nan, 0, 1) and has_nan(0.5, nan, 1) and has_nan(0.5, 0, nan), dtype)
      assert.is_false(has_nan(0.5, 0, 1))
    end
  end)

  it("fmod, remainder, copysign, fdim, nextafter are exact", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local x, y = {}, {}
      for i = 1, 200 do x[i], y[i] = o.value(dtype, true), o.value(dtype, true) end
      for _, special in ipairs { { 5.0, 0.0 }, { inf, 2.0 }, { 5.0, inf }, { nan, 1.0 }, { -5.0, inf },
        { 6.0, -3.0 } } do
        x[#x + 1], y[#y + 1] = special[1], special[2]
      end
      local function fmod(p, q)
        if p ~= p or q ~= q or q == 0 or p == inf or p == -inf then return nan end
        return math.fmod(p, q)
      end
      over("fmod", dtype, fmod, nil, x, y)
      over("remainder", dtype, function(p, q)
        local r = fmod(p, q)
        if r ~= r or q == inf or q == -inf then return r end
        local size, other = math.abs(r), math.abs(q)
        local odd = math.abs(math.fmod(o.rint((p - r) / q), 2)) == 1
        if size * 2 > other or size * 2 == other and odd then r = r < 0 and r + other or r - other end
        return r
      end, nil, x, y)
      over("copysign", dtype, function(p, q)
        if q ~= q then return nil end
        local negative = q < 0 or 1 / q < 0
        return negative and -math.abs(p) or math.abs(p)
      end, nil, { 1.5, -2.0, 0.0, inf, 3.0 }, { -0.0, 5.0, -1.0, -inf, 0.0 }, true)
      over("fdim", dtype, function(p, q)
        if p ~= p or q ~= q then return nan end
        return p > q and o.round[dtype](p - q) or 0.0
      end, nil, x, y)
      local eps = o.epsilon[dtype]
      over("nextafter", dtype, function(p, q)
        return p == 1 and (q > 1 and 1 + eps or 1 - eps / 2) or o.least[dtype]
      end, nil, { 1.0, 1.0, 0.0 }, { 2.0, 0.0, 1.0 })
    end
  end)

  -- Through all steps of the format, which oracle.round knows: nothing lies between a number and the next.
  it("nextafter of 16-bit floats is the next number of the format, in dc.vectorize too", function()
    for _, dtype in ipairs { "float16", "bfloat16" } do
      local round, x, y = o.round[dtype], {}, {}
      for i, v in ipairs(o.values(300, dtype)) do x[i], y[i] = v, o.value(dtype) end
      for _, v in ipairs(o.edges(dtype)) do
        for _, w in ipairs { inf, -inf, 0.0, v, nan } do x[#x + 1], y[#y + 1] = v, w end
      end
      local function check_next(e)
        assert.equal(dtype, e.dtype)
        for i, got in ipairs(e:to_table()) do
          local p, q = x[i], y[i]
          local up = q > p
          local away, fine = math.abs(got) > math.abs(p) or p == 0
          if p ~= p or q ~= q then fine = got ~= got
          elseif p == q then fine = got == p
          elseif got == inf or got == -inf then fine = math.abs(p) == o.greatest[dtype] and up == (got > 0)
          elseif p == inf or p == -inf then fine = math.abs(got) == o.greatest[dtype] and got * p > 0
          else -- what is halfway to it rounds to one of the two, what is a little off to the nearer one
            local gap = got - p
            fine = round(got) == got and gap ~= 0 and up == (gap > 0) and round(p + gap * 0.51) == got
              and round(p + gap * 0.49) == p and away == ((p == 0) or (up == (p > 0)))
          end
          assert.is_true(fine, note(("%s: from %s toward %s is %s"):format(dtype, o.show(p), o.show(q), o.show(got))))
        end
      end
      check_next(dc.nextafter(array(x, dtype), array(y, dtype)))
      check_next(dc.vectorize(function(p, q) return dc.nextafter(p, q) end)(array(x, dtype), array(y, dtype)))
      check(dc.nextafter(array({ 1.0, 2.0 }, dtype), 7), dtype, { 1 + o.epsilon[dtype], 2 + 2 * o.epsilon[dtype] },
        "nextafter", tostring)
    end
  end)

  it("pow, atan2, hypot and the norms keep their documented accuracy", function()
    local function off(name, dtype, args, want)
      local arrays = {}
      for k = 1, #args do arrays[k] = array(args[k], dtype) end
      local e = dc[name](table.unpack(arrays))
      assert.equal(dtype, e.dtype)
      local got = e:to_table()
      for i = 1, #args[1] do
        local v = {}
        for k = 1, #args do v[k] = args[k][i] end
        near(name, dtype, { [4] = 8 }, want(table.unpack(v)), got[i], "…")
      end
    end
    local dtype = pick { "float32", "float64" }
    local x, y, z, w = {}, {}, {}, {}
    for i = 1, 100 do
      for _, t in ipairs { x, y, z, w } do t[i] = o.round[dtype](0.1 + 5 * math.random()) end
    end
    off("pow", dtype, { x, y }, function(p, q) return p ^ q end)
    off("atan2", dtype, { x, y }, math.atan)
    off("hypot", dtype, { x, y }, function(p, q) return math.sqrt(p * p + q * q) end)
    off("rhypot", dtype, { x, y }, function(p, q) return 1 / math.sqrt(p * p + q * q) end)
    off("norm3d", dtype, { x, y, z }, function(p, q, r) return math.sqrt(p * p + q * q + r * r) end)
    off("rnorm3d", dtype, { x, y, z }, function(p, q, r) return 1 / math.sqrt(p * p + q * q + r * r) end)
    off("norm4d", dtype, { x, y, z, w }, function(p, q, r, s) return math.sqrt(p * p + q * q + r * r + s * s) end)
    off("rnorm4d", dtype, { x, y, z, w }, function(p, q, r, s) return 1 / math.sqrt(p * p + q * q + r * r + s * s) end)
    assert.equal(inf, dc.hypot(dc.array { inf }, nan)[1])
    assert.near(-math.pi, dc.atan2(dc.array { -0.0 }, -1)[1], 1e-6)
    assert.equal(1.0, dc.pow(dc.array { nan }, 0)[1])
    assert.near(5e200, dc.hypot(dc.array({ 3e200 }, "float64"), 4e200)[1], 1e186)
  end)

  it("fma rounds once", function()
    local x = 1 + 2.0 ^ -12
    assert.equal(2.0 ^ -24, dc.fma(dc.array { x }, dc.array { x }, -(1 + 2.0 ^ -11))[1])
    assert.equal(0.0, (dc.array { x } * dc.array { x } - (1 + 2.0 ^ -11))[1])
    local d = 1 + 2.0 ^ -27
    assert.equal(2.0 ^ -54, dc.fma(dc.array({ d }, "float64"), d, -(1 + 2.0 ^ -26))[1])
    assert.same({ 7.0, 10.0 }, dc.fma(dc.array({ 2, 3 }, "int32"), 3, 1):to_table())
  end)

  it("ldexp, scalbn, jn, yn take an integer", function()
    for _, name in ipairs { "ldexp", "scalbn" } do
      assert.same({ 12.0, -0.25, 0.0, inf }, dc[name](dc.array { 1.5, -1, 0, 1 },
        dc.array({ 3, -2, 9, 1000 }, "int32")):to_table())
      assert.same({ 6.0 }, dc[name](dc.array { 1.5 }, 2):to_table())
      assert.equal("float64", dc[name](dc.ones(1, "int64"), 2).dtype)
      fails("dtype", "float32.*integer", function() return dc[name](dc.ones(2), dc.ones(2)) end)
      fails("dtype", "2%.5", function() return dc[name](dc.ones(2), 2.5) end)
    end
    local x = { 0.5, 1.25, 2.0 }
    for n = 0, 3 do
      local j, y = dc.jn(n, dc.array(x, "float64")):to_table(), dc.yn(n, dc.array(x, "float64")):to_table()
      for i = 1, 3 do
        assert.near(references.bessel_j(n, x[i]), j[i], 1e-11)
        assert.near(references.bessel_y(n, x[i]), y[i], 1e-9)
      end
    end
    fails("dtype", "integer", function() return dc.jn(dc.ones(2), dc.ones(2)) end)
    fails("dtype", "1%.5", function() return dc.jn(1.5, dc.ones(2)) end)
  end)

  it("ldexp, scalbn, jn, yn take an integer among numbers and tables alone", function()
    local m, e = math.random(1, 9), math.random(-4, 4)
    for _, name in ipairs { "ldexp", "scalbn" } do
      assert.equal(m * 2.0 ^ e, dc[name](m, e):item())
      assert.same({ m * 2.0 ^ e, 3 * 2.0 ^ e }, dc[name]({ m, 3 }, e):to_table())
      assert.same({ m * 2.0 ^ e, m * 4.0 }, dc[name](m, { e, 2 }):to_table())
      assert.same({ m * 2.0 ^ e, 12.0 }, dc[name]({ m, 3 }, { e, 2 }):to_table())
      fails("dtype", "2%.5", function() return dc[name](m, 2.5) end)
      fails("dtype", "3%.5", function() return dc[name]({ 1, 2 }, { 1, 3.5 }) end)
    end
    local x = math.random() + 0.5
    for n = 0, 3 do
      assert.near(references.bessel_j(n, x), dc.jn(n, x):item(), 1e-5)
      assert.near(references.bessel_y(n, x), dc.yn({ 0, n }, x)[2], 1e-4)
    end
  end)
end)

describe("functions and operators refuse", function()
  it("a wrong number of arguments, and values that are not operands", function()
    local a = dc.ones(2)
    for _, name in ipairs { "exp", "floor", "abs", "isnan" } do
      fails("argument", "#1.*number expected, got no value", function() return dc[name]() end)
      fails("argument", "#1.*number expected, got nil", function() return dc[name](nil) end)
      fails("argument", "#1.*the string 'x'", function() return dc[name] "x" end)
      fails("argument", "#1.*function", function() return dc[name](print) end)
      fails("argument", name .. ".*1.*2", function() return dc[name](a, a) end)
    end
    for _, name in ipairs { "pow", "atan2", "eq", "lt", "minimum", "logical_or" } do
      fails("argument", "#2.*got no value", function() return dc[name](a) end)
      fails("argument", "#2.*got no value", function() return a[name](a) end)
      fails("argument", "#2.*got nil", function() return dc[name](a, nil) end)
      fails("argument", "#2.*string", function() return dc[name](a, "x") end)
      fails("argument", name .. ".*2.*3", function() return dc[name](a, a, a) end)
    end
    fails("argument", "#3.*'where'", function() return dc.where(dc.array { true }, a) end)
    fails("argument", "#3.*'clip'", function() return dc.clip(a, 1) end)
    fails("argument", "'fma'", function() return a:fma(1) end)
    for sign, op in pairs(operators) do
      local pattern = sign:gsub("%p", "%%%0")
      fails("argument", "'" .. pattern .. "'.*nil", function() return op(a, nil) end)
      fails("argument", "'" .. pattern .. "'.*nil", function() return op(nil, a) end)
      fails("argument", "'" .. pattern .. "'", function() return op(a, print) end)
    end
    assert.is_false(pcall(function() return a + "x" end))
    assert.is_false(pcall(function() return dc.no_such_function(a) end))
    assert.is_false(pcall(function() return a:no_such_function() end))
  end)

  it("bit operators and shifts of floats", function()
    for _, dtype in ipairs(floats) do
      local a = dc.ones(2, dtype)
      for _, sign in ipairs { "&", "|", "~", "<<", ">>" } do
        local pattern = "'" .. sign:gsub("%p", "%%%0") .. "'.*" .. dtype
        fails("dtype", pattern, function() return operators[sign](a, a) end)
        fails("dtype", pattern, function() return operators[sign](a, 1) end)
        fails("dtype", sign:gsub("%p", "%%%0"), function() return operators[sign](1, a) end)
      end
    end
    fails("dtype", "'<<'", function() return dc.ones(2, "int32") << 1.5 end)
    fails("dtype", "'&'", function() return dc.ones(2, "int32") & 1.5 end)
  end)

  it("shapes that do not broadcast, with both in the message", function()
    local function refused(a, b, pattern)
      for _, op in pairs(operators) do fails("shape", pattern, function() return op(a, b) end) end
      for _, name in ipairs { "eq", "pow", "minimum", "hypot", "logical_and" } do
        fails("shape", pattern, function() return dc[name](a, b) end)
      end
      fails("shape", pattern, function() return dc.where(dc.array { true }, a, b) end)
    end
    local i = "int32"
    refused(dc.ones(2, i), dc.ones(3, i), "%(2,%).*%(3,%)")
    refused(dc.ones(2, 3, i), dc.ones(3, 2, i), "%(2, 3%).*%(3, 2%)")
    refused(dc.ones(4, 1, 5, i), dc.ones(3, 2, i), "%(4, 1, 5%).*%(3, 2%)")
    refused(dc.ones(0, i), dc.ones(2, i), "%(0,%).*%(2,%)")
    fails("shape", "%(2,%).*%(3,%)", function() return dc.ones(2) + { 1, 2, 3 } end)
    fails("shape", "%(2,%).*%(3,%)", function() return dc.where(dc.ones(2, "bool"), dc.ones(3), 1) end)
    assert.same({ 0, 3 }, { (dc.ones(0, 1) + dc.ones(3)):shape() })
    assert.same({ 0 }, { (dc.ones(0) + dc.ones(1)):shape() })
  end)

  it("closed arrays; an expression pending when its operand is closed keeps its value", function()
    local a, b = dc.array { 1, 2 }, dc.array { 3, 4 }
    local e, total = dc.exp(a) * 0 + a * b, (a - b):sum()
    local seen = a[":"]
    a:close()
    for _, op in pairs { operators["+"], operators["/"], dc.pow, dc.eq, dc.minimum } do
      fails("argument", "closed", function() return op(a, b) end)
      fails("argument", "closed", function() return op(b, a) end)
      fails("argument", "closed", function() return op(seen, 1) end)
    end
    fails("argument", "closed", function() return dc.exp(a) end)
    fails("argument", "closed", function() return -a end)
    fails("argument", "closed", function() return dc.where(dc.array { true }, a, b) end)
    assert.same({ 3, 8 }, e:to_table())
    assert.equal(-4, total:item())
    local pending = b + 1
    pending:close()
    fails("argument", "closed", function() return pending + 1 end)
    fails("argument", "closed", function() return pending:eval() end)
  end)

  it("arrays of two devices", function()
    local other = h.other_device()
    if not other then return pending "one device only" end
    local here, there = dc.ones(2), dc.using(other, function() return dc.ones(2) end)
    for _, op in pairs { operators["+"], dc.pow, dc.eq, dc.minimum } do
      fails("device", other.id, function() return op(here, there) end)
      fails("device", other.id, function() return op(there, here) end)
    end
    fails("device", other.id, function() return dc.where(here, there, 1) end)
  end)

  it("of operands that a large result repeats are computed once for each of their elements", function()
    local rows, columns = math.random(600, 700), math.random(600, 700)
    local x, y, want = {}, {}, {}
    for k = 1, columns do x[k] = math.random() * 6 end
    for k = 1, rows do y[k] = math.random() * 6 end
    local a, b = dc.array(x, "float64"), dc.array(y, "float64"):reshape(rows, 1)
    local product = dc.sin(a) * dc.exp(b) + 1
    assert.is_nil(product:source():find "sin%(")
    local got = product:to_table()
    for _ = 1, 200 do
      local r, c = math.random(rows), math.random(columns)
      want[1] = math.sin(x[c]) * math.exp(y[r]) + 1
      assert.is_true(math.abs(got[r][c] - want[1]) <= 1e-12 * (1 + math.abs(want[1])))
    end
    -- not of a reduction's rows, which one kernel does with them
    local m = dc.exp(product)
    assert.is_truthy((m / m:sum { axis = 2, keep = true }):source():find "exp%(")
  end)
end)
