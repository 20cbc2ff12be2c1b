-- The fifteen dtypes: what they hold, how they read, print, convert, promote and round. Against spec/oracle.lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local o = require "spec.oracle"
local note, fails = h.note, h.fails

local array = o.array

local function same(want, got, text)
  assert.equal(#want, #got, note(text))
  for i = 1, #want do
    if not o.same(want[i], got[i]) then
      error(note(("%s: element %d is %s, should be %s"):format(text, i, o.show(got[i]), o.show(want[i]))), 2)
    end
  end
end

-- A value by the rules of a literal: what dc.array takes.
local function literal(v) return type(v) == "table" and dc.complex(v.re, v.im) or v end

-- Values that conversions may trip over, beyond the dtype's own edges.
local tricky = {
  0.999, -0.999, 127.5, 128.0, -128.9, -129.0, 255.99, 256.0, 32767.5, 65535.5, 65536.0, 2147483647.5, 2.0 ^ 31,
  -2.0 ^ 31 - 1, 2.0 ^ 32 - 0.5, 2.0 ^ 32, 2.0 ^ 53 + 2, 2.0 ^ 63, -2.0 ^ 63, 2.0 ^ 63 - 1024, 2.0 ^ 64,
  2.0 ^ 64 - 2048, 1e10, -1e10, 1e20, -1e20, 1e300, -1e300, 1e-300,
  65504.0, 65519.0, 65519.99, 65520.0, 65520.01, -65520.0, 1 + 2.0 ^ -11, 1 + 3 * 2.0 ^ -11, 1 + 2.0 ^ -11 + 2.0 ^ -40,
  1 + 2.0 ^ -11 - 2.0 ^ -40, 2.0 ^ -24, 2.0 ^ -25, 2.0 ^ -25 + 2.0 ^ -50, 3 * 2.0 ^ -25, 2.0 ^ -26,
  2.0 ^ -14 - 2.0 ^ -25, 2.0 ^ -14 - 2.0 ^ -26, -2.0 ^ -25,
  1 + 2.0 ^ -8, 1 + 3 * 2.0 ^ -8, 1 + 2.0 ^ -8 + 2.0 ^ -45, 1 + 2.0 ^ -8 - 2.0 ^ -45, 2.0 ^ -133, 2.0 ^ -134,
  3 * 2.0 ^ -134, 2.0 ^ -134 + 2.0 ^ -149, 3.38e38, 3.3953e38, 3.39617e38, 3.4028e38,
  1 + 2.0 ^ -24, 1 + 3 * 2.0 ^ -24, 1 + 2.0 ^ -24 + 2.0 ^ -52, 2.0 ^ -149, 2.0 ^ -150, 3 * 2.0 ^ -150, 3.4028235677e38,
  2.0 ^ -126 - 2.0 ^ -151,
}
local whole = { (1 << 24) + 1, (1 << 25) + 3, (1 << 53) + 1, (1 << 54) + 3, (1 << 62) + 1, -(1 << 53) - 1,
  math.maxinteger - 511, math.maxinteger - 512, 2049, 2051, 65519, 65520, 257, 259, -2049, (1 << 24) + (1 << 12) + 1,
  (1 << 40) + (1 << 16), (1 << 40) + (1 << 16) + 1, (1 << 40) + 3 * (1 << 16),
  (1 << 30) + (1 << 22) + 1, (1 << 60) + (1 << 52) + 1, -(1 << 61) - (1 << 53) - 1, (1 << 60) + (1 << 36) + 1 }

local function samples(dtype)
  local t, kind = o.edges(dtype), o.kind[dtype]
  if kind == "f" then
    for _, v in ipairs(tricky) do
      t[#t + 1] = o.round[dtype](v)
      if math.random(2) == 1 then t[#t] = -t[#t] end
    end
  elseif kind == "i" or kind == "u" then
    for _, v in ipairs(whole) do t[#t + 1] = o.wrap(v, dtype) end
  elseif kind == "c" then
    local round = o.round[o.part[dtype]]
    for i = 1, #tricky do t[#t + 1] = { re = round(tricky[i]), im = round(tricky[#tricky + 1 - i]) } end
  end
  for _ = 1, 40 do t[#t + 1] = o.value(dtype) end
  return t
end

describe("values of every dtype", function()
  it("are read from bytes and written as the same bytes", function()
    for _, dtype in ipairs(o.dtypes) do
      local values = samples(dtype)
      local a = array(values, dtype)
      assert.equal(dtype, a.dtype)
      assert.equal(#values * (dtype == "complex128" and 16 or o.bits[dtype] // 8), a.nbytes)
      same(values, a:to_table(), dtype)
      assert.equal(o.bytes(values, dtype), (array(values, dtype):bytes()), note(dtype))
      local i = math.random(#values)
      assert.is_true(o.same(values[i], a[i]), note(dtype))
      assert.is_true(o.same(values[i], a[{ { i, i } }]:item()), note(dtype))
    end
  end)

  it("come from Lua values, in tables, by assignment and by filling", function()
    for _, dtype in ipairs(o.dtypes) do
      local values = samples(dtype)
      if dtype == "uint64" then for i, v in ipairs(values) do values[i] = v & math.maxinteger end end
      local t = {}
      for i, v in ipairs(values) do t[i] = literal(v) end
      local a = dc.array(t, dtype)
      same(values, a:to_table(), dtype .. " from a table")
      local b = dc.zeros(#t, dtype)
      for i = 1, #t do b[i] = t[i] end
      same(values, b:to_table(), dtype .. " one by one")
      local i = math.random(#t)
      same({ values[i], values[i] }, dc.full(2, t[i], dtype):to_table(), dtype .. " by filling")
    end
  end)

  it("written as float16 and bfloat16 round to nearest even", function()
    for _, dtype in ipairs { "float16", "bfloat16", "float32" } do
      local t, want = {}, {}
      for _, v in ipairs(tricky) do
        local r = o.round[dtype](v)
        if r - r == 0 then t[#t + 1], want[#want + 1] = v, r end
      end
      same(want, dc.array(t, dtype):to_table(), dtype)
    end
  end)

  it("round integers once, not by way of a double", function()
    local v = (1 << 60) + (1 << 52) + 1 -- a double has no place for the 1, which says which way bfloat16's tie goes
    local w = (1 << 60) + (1 << 36) + 1
    for sign = -1, 1, 2 do
      local big, long = sign * (2.0 ^ 60 + 2.0 ^ 53), sign * (2.0 ^ 60 + 2.0 ^ 37)
      assert.equal(big, dc.array({ sign * v }, "bfloat16")[1])
      assert.equal(big, dc.full(1, sign * v, "bfloat16")[1])
      assert.equal(big, dc.array({ sign * v }, "int64"):to "bfloat16"[1])
      assert.equal(long, dc.array({ sign * w }, "float32")[1])
      assert.equal(long, dc.full(1, sign * w, "float32")[1])
      assert.equal(long, dc.array({ sign * w }, "complex64")[1].re)
      assert.equal(long, dc.full(1, sign * w, "complex64")[1].re)
      assert.equal(long, (dc.zeros(1) + sign * w)[1])
    end
  end)

  it("all 65536 of float16 and bfloat16 convert to float32 and back", function()
    local bytes = {}
    for i = 0, 65535 do bytes[i + 1] = string.pack("<I2", i) end
    bytes = table.concat(bytes)
    local numbers = dc.from_bytes(bytes, 65536, "float16"):to_table()
    local wide = dc.from_bytes(bytes, 65536, "float16"):to "float32"
    local got = wide:to_table()
    for i = 0, 65535 do
      local e, m = (i >> 10) & 31, i & 1023
      local want = e == 31 and (m == 0 and 1 / 0 or 0 / 0) or e == 0 and m * 2.0 ^ -24 or
        (1024 + m) * 2.0 ^ (e - 25)
      if i >= 32768 then want = -want end
      if not (o.same(want, got[i + 1]) and o.same(want, numbers[i + 1])) then
        error(("float16 %04x is %.17g and %.17g, should be %.17g"):format(i, numbers[i + 1], got[i + 1], want))
      end
    end
    same(got, wide:to "float16":to_table(), "float16")
    local brain = dc.from_bytes(bytes, 65536, "bfloat16"):to "float32"
    got = brain:to_table()
    for i = 0, 65535 do
      local want = string.unpack("<f", "\0\0" .. string.pack("<I2", i))
      if not o.same(want, got[i + 1]) then
        error(("bfloat16 %04x is %.17g, should be %.17g"):format(i, got[i + 1], want))
      end
    end
    same(got, brain:to "bfloat16":to_table(), "bfloat16")
  end)

  it("have aliases", function()
    for alias, dtype in pairs { half = "float16", f16 = "float16", bf16 = "bfloat16", c64 = "complex64",
      c128 = "complex128", double = "float64", ["unsigned long"] = "uint64", i8 = "int8", size_t = "uint64" } do
      assert.equal(dtype, dc.zeros(1, alias).dtype)
    end
    fails("dtype", "float8", function() dc.zeros(1, "float8") end)
  end)

  it("outside of a dtype's range are refused with the value", function()
    local function refused(dtype, v, pattern)
      fails("dtype", pattern, function() return dc.array({ v }, dtype) end)
      fails("dtype", pattern, function() return dc.full(2, v, dtype) end)
      fails("dtype", pattern, function() dc.zeros(2, dtype)[1] = v end)
      fails("dtype", pattern, function() dc.zeros(2, dtype):fill(v) end)
    end
    for _, dtype in ipairs { "int8", "int16", "int32", "uint8", "uint16", "uint32" } do
      local least, greatest = o.limits(dtype)
      refused(dtype, greatest + 1, tostring(greatest + 1))
      refused(dtype, least - 1, tostring(least - 1))
      refused(dtype, 1.5, "1%.5")
      refused(dtype, 0 / 0, "nan")
      refused(dtype, 1 / 0, "inf")
      refused(dtype, greatest + 1.0, ".")
    end
    refused("uint64", -1.0, "%-1")
    refused("uint64", 2.0 ^ 64, "1%.84467440737[0-9]*e%+19")
    refused("int64", 2.0 ^ 63, "9%.22337203685[0-9]*e%+18")
    refused("bool", 2, "2")
    refused("float16", 65520, "65520")
    refused("float16", -1e6, "65504")
    refused("bfloat16", 3.4e38, "3%.4e%+38")
    refused("float32", 1e39, "1e%+39")
    refused("complex64", dc.complex(1e39, 0), "1e%+39")
    refused("complex64", dc.complex(0, -1e39), "1e%+39")
    for _, dtype in ipairs { "bool", "int32", "float16", "float64" } do refused(dtype, dc.complex(1, 2), "complex") end
    fails("dtype", "16777217", function() return dc.array { 16777217 } end)
    fails("dtype", "16777217", function() return dc.array { dc.complex(0, 1), 16777217 } end)
    assert.equal(1 / 0, dc.array({ 1 / 0 }, "float16")[1])
  end)

  it("are printed", function()
    assert.truthy(tostring(dc.array({ 1.5, 65504 }, "float16")):find "1%.5,%s+6%.55e%+04")
    assert.truthy(tostring(array({ -1, 5 }, "uint64")):find "18446744073709551615")
    assert.truthy(tostring(dc.array { dc.complex(1.5, -2), dc.complex(0, 1) }):find "complex64.*1%.5%-2i,%s+0%+1i")
    assert.truthy(tostring(dc.array { true, false }):find "true, false")
    for _, dtype in ipairs(o.dtypes) do
      local text = tostring(array(samples(dtype), dtype))
      assert.truthy(text:find(dtype, 1, true))
    end
  end)
end)

describe("casts", function()
  -- Complex numbers are not converted to real ones implicitly.
  local function allowed(from, to) return o.kind[from] ~= "c" or o.kind[to] == "c" end

  local function cast(values, from, to)
    local want = {}
    for i, v in ipairs(values) do want[i] = o.cast(v, from, to) end
    return want
  end

  it("between random pairs of dtypes convert every sample", function()
    local all = {}
    for _, from in ipairs(o.dtypes) do
      for _, to in ipairs(o.dtypes) do
        if from ~= to and allowed(from, to) then table.insert(all, math.random(#all + 1), { from, to }) end
      end
    end
    for i = 1, 50 do
      local from, to = all[i][1], all[i][2]
      local values = samples(from)
      same(cast(values, from, to), array(values, from):to(to):to_table(), from .. " to " .. to)
    end
  end)

  -- The same for all pairs, several in one kernel: 1 for each target whose element is as expected (NaN included).
  it("between all pairs of dtypes convert every sample", function()
    for _, from in ipairs(o.dtypes) do
      local values = samples(from)
      local a = array(values, from)
      local targets = {}
      for _, to in ipairs(o.dtypes) do if allowed(from, to) then targets[#targets + 1] = to end end
      for first = 1, #targets, 5 do
        local right
        for i = first, math.min(first + 4, #targets) do
          local to = targets[i]
          local got, want = (math.random() < 0.5 and dc.cast(a, to) or a:cast(to)), array(cast(values, from, to), to)
          local good = dc.eq(got, want)
          if o.kind[to] == "f" then good = good | (dc.isnan(got) & dc.isnan(want)) end
          if o.kind[to] == "c" then
            local gr, gi, wr, wi = dc.real(got), dc.imag(got), dc.real(want), dc.imag(want)
            good = (dc.eq(gr, wr) | (dc.isnan(gr) & dc.isnan(wr))) & (dc.eq(gi, wi) | (dc.isnan(gi) & dc.isnan(wi)))
          end
          good = dc.cast(good, "int32") << (i - first)
          right = right and right | good or good
        end
        local t = right:to_table()
        for k = 1, #values do
          for i = first, math.min(first + 4, #targets) do
            if t[k] >> (i - first) & 1 == 0 then
              error(note(("%s %s cast to %s"):format(from, o.show(values[k]), targets[i])))
            end
          end
        end
      end
    end
  end)

  it("apply in assignments, too", function()
    local values = samples "float64"
    for _, to in ipairs { "int8", "uint64", "float16", "complex64", "bool" } do
      local a = dc.zeros(#values, to)
      a[":"] = array(values, "float64")
      same(cast(values, "float64", to), a:to_table(), "assigned to " .. to)
      local b = dc.zeros(#values, to):copy_from(array(values, "float64"))
      same(cast(values, "float64", to), b:to_table(), "copied to " .. to)
    end
  end)

  it("from complex to real dtypes are refused, and the error says what to do", function()
    local a = dc.array { dc.complex(1, 2) }
    for _, to in ipairs { "float32", "int32", "float16", "float64" } do
      fails("dtype", "real", function() return a:to(to) end)
      fails("dtype", "real", function() return dc.cast(a, to) end)
      fails("dtype", "complex64", function() dc.zeros(1, to)[":"] = a end)
      fails("dtype", "complex64", function() dc.zeros(1, to):copy_from(a) end)
    end
  end)

  it("refuse unknown dtypes", function()
    fails("dtype", "float99", function() return dc.cast(dc.ones(1), "float99") end)
    assert.is_false(pcall(dc.cast, dc.ones(1)))
    assert.is_false(pcall(dc.cast, nil, "int32"))
    assert.is_false(pcall(dc.cast, dc.ones(1), {}))
  end)
end)

describe("promotion", function()
  it("follows the documented table for every pair of dtypes and kind of operator", function()
    for _, x in ipairs(o.dtypes) do
      local a = dc.ones(1, x)
      for _, y in ipairs(o.dtypes) do
        local b, text = dc.ones(1, y), x .. " and " .. y
        local both = o.promote(x, y)
        assert.equal(both, o.promote(y, x), text)
        assert.equal(o.arithmetic_dtype(x, y), (a + b).dtype, text)
        assert.equal(o.arithmetic_dtype(x, y), (a * b).dtype, text)
        assert.equal(o.division_dtype(x, y), (a / b).dtype, text)
        assert.equal(o.division_dtype(x, y), (a ^ b).dtype, text)
        assert.equal(both, dc.where(dc.ones(1, "bool"), a, b).dtype, text)
        assert.equal("bool", dc.eq(a, b).dtype, text)
        local kind = o.kind[both]
        if kind ~= "c" then
          assert.equal(both, dc.maximum(a, b).dtype, text)
          assert.equal(o.arithmetic_dtype(x, y), (a // b).dtype, text)
          assert.equal(o.float_dtype(x, y), dc.hypot(a, b).dtype, text)
          assert.equal("bool", dc.lt(a, b).dtype, text)
        end
        if kind == "b" or kind == "i" or kind == "u" then
          assert.equal(both, (a & b).dtype, text)
          assert.equal(o.arithmetic_dtype(x, y), (a << b).dtype, text)
        else
          fails("dtype", "&", function() return a & b end)
          fails("dtype", ">>", function() return a >> b end)
        end
      end
    end
  end)

  it("converts the values before the operator is applied", function()
    for _ = 1, 15 do
      local x, y = o.dtypes[math.random(13)], o.dtypes[math.random(13)]
      local dtype = o.arithmetic_dtype(x, y)
      local xs, ys, want = o.values(60, x), o.values(60, y), {}
      for i = 1, 60 do want[i] = o.arithmetic("-", o.cast(xs[i], x, dtype), o.cast(ys[i], y, dtype), dtype) end
      same(want, (array(xs, x) - array(ys, y)):to_table(), x .. " - " .. y)
    end
  end)

  it("gives numbers the array's dtype", function()
    local int = { bool = "int32" }
    local float, complex = {}, { complex64 = "complex64", complex128 = "complex128", float64 = "complex128" }
    for _, dtype in ipairs(o.dtypes) do
      local kind = o.kind[dtype]
      float[dtype] = (kind == "f" or kind == "c") and dtype or "float32"
      local a = dc.ones(2, dtype)
      assert.equal(int[dtype] or dtype, (a + 1).dtype, dtype)
      assert.equal(int[dtype] or dtype, (1 - a).dtype, dtype)
      assert.equal(float[dtype], (a * 0.5).dtype, dtype)
      assert.equal(float[dtype], (0.5 - a).dtype, dtype)
      assert.equal(float[dtype], (a + 1.0).dtype, dtype) -- also when its value is whole
      assert.equal(o.division_dtype(dtype), (a / 2).dtype, dtype)
      assert.equal(complex[dtype] or "complex64", (a + dc.complex(0, 1)).dtype, dtype)
      assert.equal("bool", dc.eq(a, 1).dtype, dtype)
    end
    assert.equal("float16", (dc.ones(2, "float16") * 1e3).dtype)
    -- The number is rounded to the dtype first: 0.1 of float16 is not 0.1 of float32.
    local tenth = o.round.float16(0.1)
    assert.equal(o.round.float16(3 * tenth), (dc.full(1, 3, "float16") * 0.1)[1])
    assert.equal(o.round.float32(o.round.float32(0.1) + 1), (dc.ones(1, "int32") + 0.1)[1])
    assert.equal((1 << 40) + 1, (dc.full(1, 1 << 40, "int64") + 1)[1])
  end)

  it("refuses numbers that the dtype cannot hold", function()
    for _, dtype in ipairs { "int8", "int16", "int32", "uint8", "uint16", "uint32" } do
      local _, greatest = o.limits(dtype)
      local a = dc.ones(2, dtype)
      fails("dtype", tostring(greatest + 1), function() return a + (greatest + 1) end)
      fails("dtype", tostring(greatest + 1), function() return (greatest + 1) * a end)
    end
    assert.same({ 0, 0 }, (dc.ones(2, "uint64") + -1):to_table()) -- 2^64 - 1
    assert.same({ 1 / 0, 1 / 0 }, (dc.ones(2, "float16") * 1e6):to_table())
    assert.same({ 1 / 0, 1 / 0 }, (dc.ones(2) * 1e39):to_table())
    assert.equal(1 / 0, (dc.ones(2, "float16") * (1 / 0))[1])
  end)
end)

describe("float16 and bfloat16", function()
  it("round after every operator of a fused expression", function()
    for _, dtype in ipairs { "float16", "bfloat16" } do
      local n = 300
      local x, y, z = o.values(n, dtype), o.values(n, dtype), o.values(n, dtype)
      local a, b, c = array(x, dtype), array(y, dtype), array(z, dtype)
      local function check(expression, fn, text)
        local want = {}
        for i = 1, n do want[i] = fn(x[i], y[i], z[i]) end
        same(want, expression:to_table(), dtype .. " " .. text)
      end
      local r = o.round[dtype]
      check((a + b) - a, function(p, q) return r(r(p + q) - p) end, "(a + b) - a")
      check(a * b + c, function(p, q, s) return r(r(p * q) + s) end, "a * b + c")
      check(a / b * c, function(p, q, s) return r(r(p / q) * s) end, "a / b * c")
      check(dc.sqrt(dc.abs(a)) - b, function(p, q) return r(r(math.sqrt(math.abs(p))) - q) end, "sqrt(abs(a)) - b")
      check((a - b):to "float32" * 3, function(p, q) return o.round.float32(r(p - q) * 3) end, "to float32")
    end
  end)

  it("overflow, underflow and keep NaN", function()
    local big, small = dc.full(1, 65504, "float16"), dc.full(1, 2.0 ^ -24, "float16")
    assert.equal(1 / 0, (big + 16)[1])
    assert.equal(65504.0, (big + 15.9)[1])
    assert.equal(-1 / 0, (big * -2)[1])
    assert.equal(0.0, (small / 2)[1])
    assert.equal(2.0 ^ -23, (small * 1.5)[1])
    local nan = (big * 2 - big * 2)[1]
    assert.is_true(nan ~= nan)
    assert.equal(1 / 0, (dc.full(1, 3e38, "bfloat16") * 2)[1])
    assert.equal(2.0 ^ -133, (dc.full(1, 2.0 ^ -133, "bfloat16") * 1.25)[1])
  end)
end)

describe("complex numbers", function()
  local function close(want, got, eps, text)
    local scale = math.max(math.sqrt(want.re ^ 2 + want.im ^ 2), 1e-300)
    local off = math.sqrt((want.re - got.re) ^ 2 + (want.im - got.im) ^ 2)
    if off > eps * scale or off ~= off then
      error(note(("%s is %s, should be %s"):format(text, o.show(got), o.show(want))), 2)
    end
  end
  local C = {} -- of float64 in plain Lua
  function C.mul(x, y) return { re = x.re * y.re - x.im * y.im, im = x.re * y.im + x.im * y.re } end
  function C.div(x, y)
    local d = y.re * y.re + y.im * y.im
    return { re = (x.re * y.re + x.im * y.im) / d, im = (x.im * y.re - x.re * y.im) / d }
  end
  function C.exp(x) return { re = math.exp(x.re) * math.cos(x.im), im = math.exp(x.re) * math.sin(x.im) } end
  function C.log(x) return { re = math.log(math.sqrt(x.re ^ 2 + x.im ^ 2)), im = math.atan(x.im, x.re) } end
  local function scaled(x, k) return { re = x.re * k, im = x.im * k } end
  local function plus(x, y) return { re = x.re + y.re, im = x.im + y.im } end
  function C.pow(x, y) return C.exp(C.mul(y, C.log(x))) end
  function C.sqrt(x) return C.exp(scaled(C.log(x), 0.5)) end
  local function real_cosh(x) return (math.exp(x) + math.exp(-x)) / 2 end
  local function real_sinh(x) -- without cancellation
    if math.abs(x) > 0.5 then return (math.exp(x) - math.exp(-x)) / 2 end
    local sum, term = x, x
    for k = 1, 12 do
      term = term * x * x / (2 * k * (2 * k + 1))
      sum = sum + term
    end
    return sum
  end
  function C.cosh(x) return { re = real_cosh(x.re) * math.cos(x.im), im = real_sinh(x.re) * math.sin(x.im) } end
  function C.sinh(x) return { re = real_sinh(x.re) * math.cos(x.im), im = real_cosh(x.re) * math.sin(x.im) } end
  function C.tanh(x) -- sinh(x) / cosh(x), where the cosine nearly vanishes, too
    local s, c = real_sinh(x.re), math.cos(x.im)
    local d = s * s + c * c
    return { re = s * math.sqrt(1 + s * s) / d, im = math.sin(x.im) * c / d }
  end
  local function turned(x) return { re = -x.im, im = x.re } end       -- i*x
  local function unturned(x) return { re = x.im, im = -x.re } end     -- x/i
  function C.sin(x) return unturned(C.sinh(turned(x))) end
  function C.cos(x) return C.cosh(turned(x)) end
  function C.tan(x) return unturned(C.tanh(turned(x))) end

  local n = 120
  for _, dtype in ipairs { "complex64", "complex128" } do
    local part = o.part[dtype]
    local round, eps = o.round[part], o.epsilon[part]
    local x, y = o.values(n, dtype, true), o.values(n, dtype, true)
    local function each(expression, fn, accuracy, text)
      local got = expression:to_table()
      for i = 1, n do
        local want = fn(x[i], y[i])
        if accuracy == 0 then
          if not o.same(want, got[i]) then
            error(note(("%s %s of %s and %s is %s, should be %s"):format(dtype, text, o.show(x[i]), o.show(y[i]),
              o.show(got[i]), o.show(want))), 2)
          end
        else
          close(want, got[i], accuracy * eps, ("%s %s of %s and %s"):format(dtype, text, o.show(x[i]), o.show(y[i])))
        end
      end
    end

    it(dtype .. ": the four operators", function()
      local a, b = array(x, dtype), array(y, dtype)
      each(a + b, function(p, q) return { re = round(p.re + q.re), im = round(p.im + q.im) } end, 0, "+")
      each(a - b, function(p, q) return { re = round(p.re - q.re), im = round(p.im - q.im) } end, 0, "-")
      each(a * b, C.mul, 4, "*")
      each(a / b, C.div, 8, "/")
      each(-a, function(p) return { re = -p.re, im = -p.im } end, 0, "unary -")
      each(a + 2, function(p) return { re = round(p.re + 2), im = p.im } end, 0, "+ 2")
      each(a * dc.complex(0, 2), function(p) return { re = round(-2 * p.im), im = round(2 * p.re) } end, 1, "* 2i")
      each(1 / a, function(p) return C.div({ re = 1, im = 0 }, p) end, 8, "1 /")
      each(dc.reciprocal(a), function(p) return C.div({ re = 1, im = 0 }, p) end, 8, "reciprocal")
      each(dc.square(a), function(p) return C.mul(p, p) end, 4, "square")
      each(dc.array(1.5, part) * a, function(p) return { re = round(1.5 * p.re), im = round(1.5 * p.im) } end, 1,
        "1.5 *")
    end)

    it(dtype .. ": parts, modulus, angle, comparisons", function()
      local a, b = array(x, dtype), array(y, dtype)
      each(dc.real(a), function(p) return p.re end, 0, "real")
      each(dc.imag(a), function(p) return p.im end, 0, "imag")
      each(dc.conj(a), function(p) return { re = p.re, im = -p.im } end, 0, "conj")
      for name, fn in pairs { abs = function(p) return math.sqrt(p.re ^ 2 + p.im ^ 2) end,
        angle = function(p) return math.atan(p.im, p.re) end } do
        local e = dc[name](a)
        assert.equal(part, e.dtype)
        local got = e:to_table()
        for i = 1, n do
          local want = fn(x[i])
          assert.is_true(math.abs(got[i] - want) <= 4 * eps * math.abs(want), note(name))
        end
      end
      each(dc.eq(a, b), function(p, q) return p.re == q.re and p.im == q.im end, 0, "eq")
      each(dc.ne(a, a), function() return false end, 0, "ne")
      each(dc.where(dc.gt(dc.real(a), 0), a, b), function(p, q) return p.re > 0 and p or q end, 0, "where")
      each(dc.logical_not(a), function(p) return p.re == 0 and p.im == 0 end, 0, "logical_not")
      assert.same({ true, false, true, false },
        dc.isnan(array({ { re = 0 / 0, im = 1.0 }, { re = 1.0, im = 1 / 0 }, { re = 1 / 0, im = 0 / 0 },
          { re = 0.0, im = 0.0 } }, dtype)):to_table())
      assert.same({ false, false, false, true },
        dc.isfinite(array({ { re = 0 / 0, im = 1.0 }, { re = 1.0, im = 1 / 0 }, { re = 1 / 0, im = 0 / 0 },
          { re = 0.0, im = 0.0 } }, dtype)):to_table())
    end)

    it(dtype .. ": functions", function()
      for i = 1, n do -- away from overflow and from where tan has its poles
        x[i] = { re = round(x[i].re / 4), im = round(x[i].im / 4) }
        y[i] = { re = round(y[i].re / 4), im = round(y[i].im / 4) }
      end
      local a, b = array(x, dtype), array(y, dtype)
      for _, name in ipairs { "exp", "sqrt", "sin", "cos", "sinh", "cosh" } do
        each(dc[name](a), C[name], 16, name)
      end
      for _, name in ipairs { "tan", "tanh" } do each(dc[name](a), C[name], 32, name) end
      for i = 1, n do close(C.div(C.sinh(x[i]), C.cosh(x[i])), C.tanh(x[i]), 1e-9, "the reference") end
      local got = dc.log(a):to_table()
      for i = 1, n do
        local want = C.log(x[i]) -- near 1 the real part is small: an absolute bound
        assert.is_true(math.abs(want.re - got[i].re) <= 8 * eps * (1 + math.abs(want.re)), note "log")
        assert.is_true(math.abs(want.im - got[i].im) <= 8 * eps * (1 + math.abs(want.im)), note "log")
      end
      got = (a ^ b):to_table()
      local also = dc.pow(a, b):to_table()
      for i = 1, n do
        local want = C.pow(x[i], y[i])
        close(want, got[i], 200 * eps, dtype .. " ^")
        close(want, also[i], 200 * eps, dtype .. " pow")
      end
    end)

    it(dtype .. ": reductions", function()
      local a = array(x, dtype)
      local sum, squares = { re = 0.0, im = 0.0 }, 0.0
      for i = 1, n do
        sum = plus(sum, x[i])
        squares = squares + x[i].re ^ 2 + x[i].im ^ 2
      end
      local bound = { re = squares, im = 0 } -- sums may cancel
      local function near(want, got, text) close(plus(bound, want), plus(bound, got), 100 * eps, text) end
      near(sum, a:sum():item(), "sum")
      near(scaled(sum, 1 / n), a:mean():item(), "mean")
      local norm, var = a:norm():item(), a:var():item()
      assert.is_true(math.abs(norm - math.sqrt(squares)) <= 100 * eps * norm, note "norm")
      local mean = scaled(sum, 1 / n)
      local want = squares / n - mean.re ^ 2 - mean.im ^ 2
      assert.is_true(math.abs(var - want) <= 1000 * eps * want, note "var")
      local few = array({ x[1], x[2], x[3] }, dtype)
      close(C.mul(C.mul(x[1], x[2]), x[3]), few:prod():item(), 16 * eps, "prod")
      assert.equal(n, a:count():item())
      assert.is_true(a:all() and a:any())
      for _, name in ipairs { "min", "max", "argmin", "argmax" } do
        fails("dtype", dtype .. " numbers have no order", function() return a[name](a) end)
      end
    end)
  end

  it("powers of zero, and functions near their poles and far out", function()
    local zero = dc.array({ dc.complex(0, 0) }, "complex64")
    assert.is_true(o.same({ re = 1.0, im = 0.0 }, (zero ^ 0)[1]))
    assert.is_true(o.same({ re = 0.0, im = 0.0 }, (zero ^ 2.5)[1]))
    assert.is_true(o.same({ re = 0.0, im = 0.0 }, (zero ^ dc.complex(1, 5))[1]))
    assert.is_true(o.same({ re = 1 / 0, im = 0 / 0 }, (zero ^ -1)[1]))
    assert.is_true(o.same({ re = 0 / 0, im = 0 / 0 }, (zero ^ dc.complex(0, 2))[1]))
    for _, dtype in ipairs { "complex64", "complex128" } do
      local round = o.round[o.part[dtype]]
      for _, off in ipairs { 2.0 ^ -4, 2.0 ^ -10, 2.0 ^ -18 } do
        local x = { re = round(math.pi / 2 + off), im = round(off / 3) }
        close(C.tan(x), dc.tan(array({ x }, dtype))[1], 1000 * o.epsilon[o.part[dtype]] * (dtype == "complex64" and 1
          or 2.0 ^ 10), "tan near its pole")
      end
      close({ re = 1.0, im = 0.0 }, dc.tanh(dc.array({ dc.complex(500, 1) }, dtype))[1], 1e-15, "tanh far out")
      close({ re = 0.0, im = 1.0 }, dc.tan(dc.array({ dc.complex(1, 500) }, dtype))[1], 1e-15, "tan far out")
    end
  end)

  it("refuse comparison by order, remainder and bit operators", function()
    local a = dc.array { dc.complex(1, 2) }
    for _, name in ipairs { "lt", "le", "gt", "ge", "minimum", "maximum", "fmin", "fmax", "fmod", "atan2", "hypot" } do
      fails("dtype", "'" .. name .. "'", function() return dc[name](a, 1) end)
      fails("dtype", "complex64", function() return dc[name](dc.ones(1), a) end)
    end
    for _, name in ipairs { "floor", "exp10", "erf", "cbrt", "exp2", "signbit", "j0" } do
      fails("dtype", "'" .. name .. "' is not defined for complex64", function() return dc[name](a) end)
    end
    fails("dtype", "//", function() return a // 2 end)
    fails("dtype", "%%", function() return a % 2 end)
    fails("dtype", "&", function() return a & 1 end)
    fails("dtype", "~", function() return ~a end)
    assert.is_false(pcall(function() return a < 1 end))
    assert.is_false(pcall(dc.clip, a, 0, 1))
  end)

  it("as Lua values have fields, arithmetic, equality and text", function()
    for _ = 1, 50 do
      local x, y = o.value("complex128", true), o.value("complex128", true)
      local p, q = literal(x), literal(y)
      assert.equal(x.re, p.re)
      assert.equal(x.im, p.im)
      assert.is_true(p == literal(x))
      assert.is_false(p == q)
      assert.is_true(o.same(plus(x, y), p + q))
      assert.is_true(o.same(plus(x, scaled(y, -1)), p - q))
      close(C.mul(x, y), p * q, 1e-15, "*")
      close(C.div(x, y), p / q, 1e-14, "/")
      assert.is_true(o.same(scaled(x, -1), -p))
      close(plus(x, { re = 2, im = 0 }), p + 2, 1e-15, "+ 2")
      close(C.div({ re = 1, im = 0 }, x), 1 / p, 1e-14, "1 /")
    end
    assert.is_true(dc.complex(0, 0) ^ 0 == dc.complex(1, 0))
    assert.is_true(dc.complex(1, 2) ^ 2 == dc.complex(-3, 4))
    assert.is_true(o.same({ re = 0.0, im = 0.0 }, dc.complex(0, 0) ^ 2.5))
    close({ re = 0.2, im = -0.4 }, dc.complex(1, 2) ^ -1, 1e-15, "^ -1")
    assert.equal("1.5-2i", tostring(dc.complex(1.5, -2)))
    assert.equal(0.0, dc.complex(3).im)
    fails("argument", "number", function() return dc.complex "x" end)
    fails("argument", "number", function() return dc.complex(1, print) end)
    fails("argument", "number", function() return dc.complex() end)
    assert.is_false(pcall(function() return dc.complex(1, 2).phase end))
    assert.is_false(pcall(function() dc.complex(1, 2).re = 3 end))
    assert.is_false(pcall(function() return dc.complex(1, 2) < dc.complex(2, 3) end))
    assert.is_false(pcall(function() return dc.complex(1, 2) + "x" end))
  end)
end)
