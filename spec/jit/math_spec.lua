-- Functions of numbers in kernels in Lua that arrays do not have: against plain Lua, and against arrays.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

local integers = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }

-- One row of `n` results for each value of x.
local function rows(fn, dtype, n, ...)
  local out = dc.zeros({ #(...), n }, dtype)
  dc.jit(fn):forall(#(...), out, ...)
  return out
end

-- The bits of an integer as a number without a sign; of 64 the integer itself.
local function bits_of(v, dtype)
  local bits = tonumber(dtype:match "%d+$")
  return bits == 64 and v or v & ((1 << bits) - 1), bits
end

describe("bits of integers in kernels", function()
  it("are counted in the integer's own size", function()
    for _, dtype in ipairs(integers) do
      local x = h.values(50, dtype)
      x[1] = 0
      local got = rows(function(out, a)
        local i = dc.index()
        if i > #a then return end
        out[i][1], out[i][2], out[i][3] = dc.clz(a[i]), dc.popc(a[i]), dc.ffs(a[i])
      end, "int32", 3, dc.array(x, dtype))
      for i, v in ipairs(x) do
        local u, bits = bits_of(v, dtype)
        local clz, popc, ffs = bits, 0, 0
        for k = 0, bits - 1 do
          if u >> k & 1 == 1 then
            clz, popc = bits - 1 - k, popc + 1
            if ffs == 0 then ffs = k + 1 end
          end
        end
        h.same({ clz, popc, ffs }, got[i]:to_table(), ("%s %d"):format(dtype, v))
      end
    end
  end)

  it("are reversed; products have an upper half", function()
    for _, dtype in ipairs(integers) do
      local x, y = h.values(50, dtype), h.values(50, dtype)
      local got = rows(function(out, a, b)
        local i = dc.index()
        if i > #a then return end
        out[i][1], out[i][2] = dc.brev(a[i]), dc.mulhi(a[i], b[i])
      end, dtype, 2, dc.array(x, dtype), dc.array(y, dtype))
      for i, v in ipairs(x) do
        local u, bits = bits_of(v, dtype)
        local reversed = 0
        for k = 0, bits - 1 do reversed = reversed | (u >> k & 1) << (bits - 1 - k) end
        assert.equal(reversed, (bits_of(got[{ i, 1 }], dtype)))
        if bits < 64 and dtype ~= "uint32" then
          assert.equal((bits_of(v * y[i] >> bits, dtype)), (bits_of(got[{ i, 2 }], dtype)), h.note(dtype))
        end
      end
    end
    local wide = dc.zeros(3, "uint64")
    dc.jit(function(out, a, b) -- by halves, as in school
      out[1], out[2] = dc.mulhi(a[1], b[1]), dc.mulhi(dc.uint64(1) << 63, 6)
      out[3] = dc.mulhi(dc.uint64(0) - 1, 0xffffffff)
    end)(1, 1, wide, dc.array({ 1 << 40 }, "uint64"), dc.array({ 1 << 40 }, "uint64"))
    h.same({ 1 << 16, 3, 0xfffffffe }, wide:to_table(), "uint64")
  end)

  it("of words: byte_perm, funnel shifts, dot products, means", function()
    local n = 100
    local x, y, z = h.values(n, "uint32"), h.values(n, "uint32"), h.values(n, "uint32")
    local a, b, c = dc.array(x, "uint32"), dc.array(y, "uint32"), dc.array(z, "uint32")
    local got = rows(function(out, u, v, w)
      local i = dc.index()
      if i > #u then return end
      out[i][1] = dc.byte_perm(u[i], v[i], w[i] & 0x7777)
      out[i][2], out[i][3] = dc.funnelshift_l(u[i], v[i], w[i]), dc.funnelshift_r(u[i], v[i], w[i])
      out[i][4], out[i][5], out[i][6] = dc.hadd(u[i], v[i]), dc.rhadd(u[i], v[i]), dc.sad(u[i], v[i], w[i])
      out[i][7], out[i][8] = dc.dp4a(u[i], v[i], w[i]), dc.mul24(u[i], v[i])
    end, "uint32", 8, a, b, c)
    for i = 1, n do
      local u, v, w = x[i], y[i], z[i]
      local both, perm, dot = v << 32 | u, 0, w
      for k = 0, 3 do
        perm = perm | (both >> 8 * (w >> 4 * k & 7) & 255) << 8 * k
        dot = dot + (u >> 8 * k & 255) * (v >> 8 * k & 255)
      end
      local m = w & 31
      h.same({ perm, (both << m) >> 32, both >> m & 0xffffffff, u + v >> 1, u + v + 1 >> 1,
        math.abs(u - v) + w & 0xffffffff, dot & 0xffffffff, (u & 0xffffff) * (v & 0xffffff) & 0xffffffff },
        got[i]:to_table(), "words")
    end
    local signed = dc.zeros(4, "int32")
    dc.jit(function(out)
      out[1], out[2] = dc.dp4a(-1, 0x01010101, 10), dc.hadd(-7, 2)
      out[3], out[4] = dc.mul24(-3, 5), dc.sad(-5, 7, 1)
    end)(1, 1, signed)
    h.same({ 6, -3, -15, 13 }, signed:to_table(), "signed words")
  end)
end)

describe("bits of a number", function()
  it("are cast to dtypes of the same size, and back", function()
    local formats = { float32 = { "<f", "<I4", "uint32" }, float64 = { "<d", "<i8", "int64" } }
    for dtype, f in pairs(formats) do
      local integer = f[3]
      local x = h.values(20, dtype)
      local out, back = dc.zeros(20, integer), dc.zeros(20, dtype)
      dc.jit(function(a, b, c)
        local i = dc.index()
        if i > #a then return end
        b[i] = dc.bitcast(a[i], integer)
        c[i] = dc.bitcast(b[i], dtype)
      end):forall(20, dc.array(x, dtype), out, back)
      for i, v in ipairs(x) do x[i] = (string.unpack(f[2], string.pack(f[1], v))) end
      h.same(x, out:to_table(), dtype)
    end
    local out = dc.zeros(4, "uint16")
    dc.jit(function(b)
      b[1], b[2] = dc.bitcast(dc.float16(1), "uint16"), dc.bitcast(dc.bfloat16(1), "uint16")
      b[3] = dc.bitcast(dc.float16(dc.bitcast(dc.uint16(0x4000), "float16") + 1), "uint16")
      b[4] = dc.bitcast(dc.int16(-1), "uint16")
    end)(1, 1, out)
    h.same({ 0x3c00, 0x3f80, 0x4200, 0xffff }, out:to_table(), "16 bits")
  end)
end)

describe("functions with two results", function()
  it("are those of C and Lua", function()
    local x = { 0.0, -0.0, 1.5, -2.75, 1e30, -1e-30, math.huge, -math.huge, 3, 0.1 }
    for _ = 1, 30 do x[#x + 1] = h.value "float64" end
    local got = rows(function(out, a)
      local i = dc.index()
      if i > #a then return end
      out[i][1], out[i][2] = math.modf(a[i])
      local m, e = dc.frexp(a[i])
      out[i][3], out[i][4] = m, e
      local s, c = dc.sincospi(a[i])
      out[i][5], out[i][6] = s, c
      out[i][7], out[i][8] = dc.sincos(a[i])
    end, "float64", 8, dc.array(x, "float64"))
    for i, v in ipairs(x) do
      local whole, rest = math.modf(v)
      local row = got[i]:to_table()
      h.same({ whole, rest }, { row[1], row[2] }, "modf of " .. v)
      assert(row[3] * 2.0 ^ row[4] == v and (v - v ~= 0 or v == 0 or math.abs(row[3]) >= 0.5 and math.abs(row[3]) < 1))
      if math.abs(v) < 1000 then
        assert(math.abs(row[5] - math.sin(math.pi * v)) < 1e-10 and math.abs(row[6] - math.cos(math.pi * v)) < 1e-10)
        assert(math.abs(row[7] - math.sin(v)) < 1e-14 and math.abs(row[8] - math.cos(v)) < 1e-14)
      end
    end
  end)

  it("remquo: the rest of the nearest quotient, and its last bits", function()
    local out = dc.zeros({ 4, 2 }, "float64")
    dc.jit(function(a, b)
      local i = dc.index()
      a[i][1], a[i][2] = dc.remquo(b[i], 4)
    end)(1, 4, out, dc.array({ 7, 9, -7, 25 }, "float64"))
    assert.same({ { -1.0, 2.0 }, { 1.0, 2.0 }, { 1.0, -2.0 }, { 1.0, 6.0 } }, out:to_table())
  end)

  it("evaluate their argument once", function()
    local out, count = dc.zeros(2, "float64"), dc.zeros(1, "int32")
    dc.jit(function(a, n)
      a[1], a[2] = math.modf(dc.atomic_add(n, 1, 1) + 2.5)
    end)(1, 1, out, count)
    assert.same({ 2.0, 0.5, 1 }, { out[1], out[2], count[1] })
  end)
end)

describe("functions of arrays", function()
  it("are the same in kernels", function()
    for _, dtype in ipairs { "int8", "uint32", "int64", "float16", "bfloat16", "float32", "float64" } do
      local floating = dtype:find "float"
      local x, y = {}, {}
      for i = 1, 40 do
        x[i], y[i] = math.random(0, 9), math.random(0, 9)
        if floating then x[i] = (x[i] - 5) / 2 end
      end
      if floating then x[1], y[2] = 0 / 0, 0 / 0 end
      local a, b = dc.array(x, dtype), dc.array(y, dtype)
      local got = rows(function(out, u, v)
        local i = dc.index()
        if i > #u then return end
        out[i][1], out[i][2], out[i][3] = dc.minimum(u[i], v[i]), dc.maximum(u[i], v[i]), dc.sign(u[i])
        out[i][4], out[i][5] = dc.square(u[i]), dc.clip(u[i], 2, 5)
      end, dtype, 5, a, b)
      for column, want in ipairs { dc.minimum(a, b), dc.maximum(a, b), dc.sign(a), dc.square(a), dc.clip(a, 2, 5) } do
        local numbers = got[{ ":", column }]:to_table()
        for i, v in ipairs(want:to_table()) do
          assert(v == numbers[i] or v ~= v and numbers[i] ~= numbers[i],
            h.note(("%s, column %d: %s of %s, %s, is %s"):format(dtype, column, v, x[i], y[i], numbers[i])))
        end
      end
    end
    local x = dc.array({ 0.25, 1, 2.5, 3.5, -7, 1000 }, "float64")
    local got = rows(function(out, u)
      local i = dc.index()
      if i > #u then return end
      out[i][1], out[i][2], out[i][3] = dc.reciprocal(u[i]), dc.jn(2, u[i]), dc.yn(3, dc.abs(u[i]))
      out[i][4], out[i][5], out[i][6] = dc.ilogb(u[i]), dc.llrint(u[i]), dc.llround(u[i])
    end, "float64", 6, x)
    for column, want in ipairs { dc.reciprocal(x), dc.jn(2, x), dc.yn(3, dc.abs(x)), dc.ilogb(x), dc.llrint(x),
      dc.llround(x) } do
      assert(dc.allclose(want:to "float64", got[{ ":", column }]:copy()), "column " .. column)
    end
  end)
end)

describe("rounding modes", function()
  it("enclose the exact result", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local x, y = h.values(100, dtype), h.values(100, dtype)
      local got = rows(function(out, u, v)
        local i = dc.index()
        if i > #u then return end
        local a, b = u[i], v[i]
        out[i][1], out[i][2], out[i][3], out[i][4] = dc.add_rd(a, b), dc.add_ru(a, b), dc.add_rn(a, b), dc.add_rz(a, b)
        out[i][5], out[i][6] = dc.mul_rd(a, b), dc.mul_ru(a, b)
        out[i][7], out[i][8] = dc.div_rd(a, b), dc.div_ru(a, b)
        out[i][9], out[i][10] = dc.sqrt_rd(dc.abs(a)), dc.sqrt_ru(dc.abs(a))
        out[i][11], out[i][12] = dc.fma_rd(a, b, 1), dc.fma_ru(a, b, 1)
        out[i][13], out[i][14] = dc.sub_rd(a, b), dc.sub_ru(a, b)
        out[i][15], out[i][16] = dc.rcp_rd(a), dc.rcp_ru(a)
      end, dtype, 16, dc.array(x, dtype), dc.array(y, dtype))
      for i = 1, 100 do
        local a, b, row = x[i], y[i], got[i]:to_table()
        local exact = dtype == "float32" -- doubles are near enough to lie between
        local between = { [1] = a + b, [5] = a * b, [7] = a / b, [9] = math.sqrt(math.abs(a)), [13] = a - b,
          [15] = 1 / a, [11] = exact and a * b + 1 or nil }
        for k, v in pairs(between) do
          local low, high = row[k], row[k + 1]
          assert(low <= v and v <= high, h.note(("%s: %.17g is not in %.17g to %.17g"):format(dtype, v, low, high)))
          if exact then assert(low == high or h.f32(v) == low or h.f32(v) == high) end
        end
        assert(row[3] == row[1] or row[3] == row[2])
        assert.equal(math.abs(row[1]) < math.abs(row[2]) and row[1] or row[2], row[4])
      end
    end
  end)
end)

describe("fast functions", function()
  it("are near the exact ones", function()
    for _, dtype in ipairs { "float16", "float32" } do
      local x = {}
      for i = 1, 50 do x[i] = math.random() * 3 + 0.1 end
      local a = dc.array(x, dtype)
      local got = rows(function(out, u)
        local i = dc.index()
        if i > #u then return end
        local v = u[i]
        out[i][1], out[i][2], out[i][3] = dc.fast_sin(v), dc.fast_cos(v), dc.fast_exp(v)
        out[i][4], out[i][5], out[i][6] = dc.fast_log(v), dc.fast_log2(v), dc.fast_log10(v)
        out[i][7], out[i][8], out[i][9] = dc.fast_pow(v, 2), dc.fast_divide(v, 3), dc.saturate(v - 1)
        out[i][10] = dc.fast_exp10(v)
      end, "float64", 10, a)
      for i, v in ipairs(a:to_table()) do
        local row = got[i]:to_table()
        for k, want in ipairs { math.sin(v), math.cos(v), math.exp(v), math.log(v), math.log(v, 2), math.log(v, 10),
          v * v, v / 3, math.max(0, math.min(1, v - 1)), 10 ^ v } do
          local limit = (dtype == "float16" and 2e-3 or 1e-5) * math.max(1, math.abs(want))
          assert(math.abs(row[k] - want) <= limit, h.note(("%s: column %d of %g is %g"):format(dtype, k, v, row[k])))
        end
      end
    end
  end)
end)

describe("16-bit floats", function()
  it("need no array of their dtype", function()
    local out = dc.zeros(2)
    dc.jit(function(a)
      local half, brain = dc.float16(0.1), dc.bfloat16(0.1)
      a[1], a[2] = half * 2, brain * 2
    end)(1, 1, out)
    assert.equal(0.199951171875, out[1])
    assert.equal(0.2001953125, out[2])
  end)

  it("have all functions", function()
    for _, dtype in ipairs { "float16", "bfloat16" } do
      local x = dc.array({ 1, 2, -3, 0 }, dtype)
      local out = dc.zeros({ 4, 2 }, dtype)
      dc.jit(function(a, b)
        local i = dc.index()
        b[i][1], b[i][2] = dc.nextafter(a[i], 10), dc.nextafter(a[i], -10)
      end)(1, 4, x, out)
      h.same(dc.nextafter(x, 10):to_table(), out[{ ":", 1 }]:to_table(), dtype)
      h.same(dc.nextafter(x, -10):to_table(), out[{ ":", 2 }]:to_table(), dtype)
    end
  end)
end)

describe("mistakes in functions of numbers", function()
  local x, wide = dc.ones(4), dc.ones(4, "float64")
  it("are errors", function()
    -- luacheck: push ignore
    for pattern, fn in pairs {
      ["dc.clz needs an integer, but 'x%[1%]' is float32"] = function() x[1] = dc.clz(x[1]) end,
      ["dc.byte_perm takes 3 arguments, got 2"] = function() x[1] = dc.byte_perm(1, 2) end,
      ["dc.dp4a takes integers of 32 bits, but 'dc.int64%(1%)' is int64"] = function()
        x[1] = dc.dp4a(dc.int64(1), 1, 1)
      end,
      ["dc.bitcast: 'x%[1%]' is float32, an element of 'x' of 32 bits, and float64 has 64"] = function()
        x[1] = dc.bitcast(x[1], "float64")
      end,
      ["dc.bitcast takes a dtype's name"] = function() x[1] = dc.bitcast(x[1], "flaot") end,
      ["dc.fast_exp takes float32 and smaller numbers, but 'wide%[1%]' is float64"] = function()
        x[1] = dc.fast_exp(wide[1])
      end,
      ["dc.sincos takes 1 argument, got 2"] = function() x[1] = dc.sincos(1, 2) end,
      ["dc.add_ru needs a number, but 'true'"] = function() x[1] = dc.add_ru(true, 1) end,
    } do
      fails("compile", pattern, function() dc.jit(fn)(1, 1) end)
    end
    -- luacheck: pop
  end)
end)

describe("clocks", function()
  it("go on", function()
    local out = dc.zeros(2, "int64")
    dc.jit(function(a)
      local cycles, start = dc.cycles(), dc.global_timer()
      for _ = 1, 10000000 do
        if dc.global_timer() - start >= 5000 then break end
        dc.nanosleep(1000)
      end
      a[1], a[2] = dc.cycles() - cycles, dc.global_timer() - start
    end)(1, 1, out)
    assert(out[1] > 0 and out[2] >= 5000 and out[2] < 60 * 10 ^ 9)
    fails("compile", "takes 0 to 1000000 nanoseconds", function() dc.jit(function() dc.nanosleep(-1) end)(1, 1) end)
  end)
end)
