-- What kernels in Lua compute: statements, functions, types, captured values, CUDA's functions.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails
local lua_assert = load "return assert"() -- Lua's own: busted has another one in its place

-- The elements that a kernel has written into an array of `n` elements.
local function run(n, dtype, fn, ...)
  local out = dc.zeros(n, dtype)
  dc.jit(fn)(1, n, out, ...)
  return out:to_table()
end

describe("types in kernels", function()
  local names = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
    "float32", "float64" }

  it("of elements are those of the arrays: literals do not change them", function()
    for _, dtype in ipairs(names) do
      local x = dc.array({ 1, 2, 3, 100 }, dtype)
      local out = dc.zeros(4, dtype)
      dc.jit(function(a, b)
        local i = dc.index()
        local v = a[i]
        if i <= #a then b[i] = v * v + 3 end
      end)(1, 4, x, out)
      h.same((x * x + 3):to_table(), out:to_table(), dtype)
    end
  end)

  it("meet as arrays do", function()
    for _ = 1, 12 do
      local left, right = names[math.random(#names)], names[math.random(#names)]
      local a, b = dc.array({ 1, 5, 7 }, left), dc.array({ 3, 2, 9 }, right)
      local want = a * b + a
      local out = dc.zeros(3, want.dtype)
      dc.jit(function(x, y, z)
        local i = dc.index()
        z[i] = x[i] * y[i] + x[i]
      end)(1, 3, a, b, out)
      h.same(want:to_table(), out:to_table(), left .. " and " .. right)
    end
  end)

  it("are converted by casts as arrays convert", function()
    local values = { 0, 1, -1, 127.9, -128.9, 300, -70000, 1e10, -1e10, 1e20, -1e20, 0 / 0, 1 / 0 }
    local x = dc.array(values, "float64")
    for _, dtype in ipairs(names) do
      local out = dc.zeros(#values, dtype)
      dc.jit(function(a, b)
        local i = dc.index()
        b[i] = dc.cast(a[i], dtype)
      end)(1, #values, x, out)
      local want = x:to(dtype):to_table()
      for k, v in ipairs(out:to_table()) do
        assert(v == want[k] or (v ~= v and want[k] ~= want[k]), ("%s of %s is %s"):format(dtype, values[k], v))
      end
    end
  end)

  it("of casts outside of kernels are the same", function()
    assert.equal(44, dc.uint8(300))
    assert.equal(-128, dc.int8(-1000.5))
    assert.equal(h.f32(0.1), dc.float32(0.1))
    assert.equal(true, dc.bool(3))
    assert.equal("int16", dc.int16(dc.ones(2)).dtype)
    fails("argument", "takes a number", function() dc.int32 "x" end)
    fails("argument", "takes a number, a boolean or an array, got nil", function() dc.int32() end)
    fails("argument", "'int32' takes at most 1 argument, got 2", function() dc.int32(1, 2) end)
    fails("argument", "in kernels alone", function() dc.index() end)
  end)

  it("compare exactly", function()
    local big = (1 << 53) + 1
    local x, y = dc.array({ big, big, -1, math.maxinteger }, "int64"), dc.array({ 2.0 ^ 53, 2.0 ^ 53 + 2, 0, 2.0 ^ 63 },
      "float64")
    local out = dc.zeros(4, "int32")
    dc.jit(function(a, b, c)
      local i = dc.index()
      c[i] = (a[i] < b[i] and 1 or 0) + (a[i] <= b[i] and 10 or 0) + (a[i] == b[i] and 100 or 0)
        + (a[i] > b[i] and 1000 or 0)
    end)(1, 4, x, y, out)
    h.same({ 1000, 11, 11, 11 }, out:to_table(), "comparisons")
    local u, s = dc.array({ -1, 5, 0 }, "uint64"), dc.array({ -1, 5, -7 }, "int64")
    local less = dc.zeros(3, "bool")
    dc.jit(function(a, b, c) c[dc.index()] = b[dc.index()] < a[dc.index()] end)(1, 3, u, s, less)
    h.same({ true, false, true }, less:to_table(), "of two signs")
  end)

  it("have NaN, which is not equal to itself, also of constants", function()
    assert.same({ 1, 1, 0, 0, 0, 1 }, run(6, "int32", function(out)
      local zero, half = 0.0, dc.float16(0)
      local nan = zero / zero
      half = half / half
      out[1], out[3] = nan ~= nan and 1 or 0, nan <= nan and 1 or 0
      if not (nan == nan) then out[2] = 1 end -- luacheck: ignore
      out[4], out[5], out[6] = nan < nan and 1 or 0, half >= half and 1 or 0, half ~= half and 1 or 0
    end))
  end)

  it("of arrays of booleans are booleans", function()
    local x = dc.array { true, false, true }
    assert.same({ false, true, false }, run(3, "bool", function(out, a) out[dc.index()] = not a[dc.index()] end, x))
  end)
end)

describe("integers in kernels", function()
  local limits = { 0, 1, 2147483647, -2147483648, 2147483648, -2147483649, math.maxinteger, math.mininteger }

  it("have 64 bits, whatever the values of the launches before", function()
    local captured = 0
    local k = dc.jit(function(out, n)
      local function next_value(v) return v + 1, v end
      local copy, last = n, 0
      local a, b = next_value(copy)
      for i = n, n do last = i end
      for i = captured - 1, captured + 1, 2 do last = last ~ i end
      out[1], out[2], out[3], out[4], out[5] = a, b, copy * 3, captured * 5, last
      copy = n > 0 and n or captured
      copy = copy + 1
      out[6] = copy
    end)
    local out = dc.zeros(6, "int64")
    for _ = 1, 60 do
      local n = limits[math.random(#limits)]
      captured = math.random(4) == 1 and math.random(-5, 5) or limits[math.random(#limits)]
      k(1, 1, out, n)
      local last = n
      for i = captured - 1, captured + 1, 2 do last = last ~ i end
      h.same({ n + 1, n, n * 3, captured * 5, last, (n > 0 and n or captured) + 1 }, out:to_table(),
        ("n = %d, captured = %d"):format(n, captured))
    end
  end)

  it("count loops of 32 bits to their limits", function()
    local k = dc.jit(function(out, first, last)
      local count, sum = 0, 0
      for i = first, last do count, sum = count + 1, sum + i end
      for i = last, first, -1 do count, sum = count + 1, sum + i end
      for i = first, last, 1000 do count, sum = count + 1, sum + i end
      for i = last, first, -1000 do count, sum = count + 1, sum + i end
      out[1], out[2] = count, sum
    end)
    for _, range in ipairs { { 2147483600, 2147483647 }, { -2147483648, -2147483600 }, { 2147483640, 2147483650 },
      { -2147483650, -2147483640 }, { 5, 3 }, { 2147483647, -2147483648 }, { math.maxinteger - 3, math.maxinteger } } do
      local first, last = range[1], range[2]
      local count, sum = 0, 0
      for i = first, last do count, sum = count + 1, sum + i end
      for i = last, first, -1 do count, sum = count + 1, sum + i end
      for i = first, last, 1000 do count, sum = count + 1, sum + i end
      for i = last, first, -1000 do count, sum = count + 1, sum + i end
      local out = dc.zeros(2, "int64")
      k(1, 1, out, first, last)
      h.same({ count, sum }, out:to_table(), first .. " to " .. last)
    end
  end)
end)

describe("names in kernels", function()
  it("may be any, also C's words, and those that the text could have otherwise", function()
    local got = run(1, "int64", function(x, x_1, x_2, x_3, double, t_1)
      local class, t, t_2, int = 5, 6, 7, 8
      local function x_4(this) return this // 2 end
      x[1] = x_1 + x_2 * 10 + x_3 * 100 + double * 1000 + t_1 * 10000 + (class + t + t_2 + int) * 100000 + x_4(t_2)
    end, 1, 2, 3, 4, 5)
    assert.same({ 2600000 + 54321 + 3 }, got)
  end)

  it("of a kernel may be a name that CUDA's headers declare", function()
    local x = dc.zeros(1)
    for name in ("any clock norm free sincos frexp expf atomicAdd make_float4 tex2D std size_t static_assert"):gmatch
      "%S+" do
      dc.jit(function(a) a[1] = a[1] + 1 end, { name = name })(1, 1, x)
    end
    assert.equal(13, x[1])
  end)
end)

describe("statements of kernels", function()
  it("and and or have Lua's values: 0 is true", function()
    local got = run(4, "int64", function(out, zero)
      local i = dc.index()
      local v = 5
      if i == 1 then
        v = zero and 7 or 9
      elseif i == 2 then
        v = (i > 1 and i < 3) and -1 or 1
      elseif not zero then
        v = 100
      end
      out[i] = v
    end, 0)
    assert.same({ 7, -1, 5, 5 }, got)
  end)

  it("multiple assignment evaluates first, then assigns", function()
    local got = run(2, "int64", function(out)
      if dc.index() > 1 then return end
      local a, b = 1, 2
      a, b = b, a
      out[1], out[2] = 10, 20
      local i = 1
      i, out[i] = i + 1, a * 100 + b
      out[2] = out[2] + i
    end)
    assert.same({ 201, 22 }, got)
  end)

  it("goto, break, repeat and nested loops", function()
    local got = run(1, "int64", function(out)
      local count = 0
      for i = 1, 10 do
        for j = 1, 10 do
          if j == 3 then goto continue end
          if j > i then break end
          count = count + 1
          ::continue::
        end
      end
      repeat
        local done = count % 7 == 0
        count = count + 1
      until done
      ::again::
      count = count + 100
      if count < 1000 then goto again end
      out[1] = count
    end)
    local count = 0
    for i = 1, 10 do
      for j = 1, 10 do
        if j ~= 3 then
          if j > i then break end
          count = count + 1
        end
      end
    end
    repeat
      local done = count % 7 == 0
      count = count + 1
    until done
    repeat count = count + 100 until count >= 1000
    assert.same({ count }, got)
  end)

  it("operands are evaluated from left to right", function()
    local got = run(3, "int64", function(out)
      if dc.index() > 1 then return end
      local function take(k)
        out[3] = out[3] * 10 + k
        return k
      end
      out[1] = take(1) - take(2) * take(3)
      if take(4) > 0 and take(5) > 9 and take(6) > 0 then out[2] = 1 end
      local v = take(7) > 9 and take(8) or take(9)
      out[1] = out[1] + v
    end)
    assert.same({ 4, 0, 1234579 }, got)
  end)
end)

describe("functions in kernels", function()
  it("recursive and with several results, also by types", function()
    local function fibonacci(n)
      if n < 2 then return n end
      return fibonacci(n - 1) + fibonacci(n - 2)
    end
    local function divide(a, b) return a // b, a % b end
    local got = run(8, "float64", function(out)
      local i = dc.index()
      local q, r = divide(fibonacci(i + 10), 7)
      local x = divide(7.5, 2)
      out[i] = q * 1000 + r + x
    end)
    for i = 1, 8 do
      local f = fibonacci(i + 10)
      assert.equal(f // 7 * 1000 + f % 7 + 7.5 // 2, got[i])
    end
  end)

  it("are arguments of others, and change locals around them", function()
    local function each(n, fn)
      for k = 1, n do fn(k) end
    end
    local got = run(5, "int64", function(out)
      local i = dc.index()
      local sum, product = 0, 1
      each(i, function(k) sum, product = sum + k, product * k end)
      out[i] = sum * 1000 + product
    end)
    assert.same({ 1001, 3002, 6006, 10024, 15120 }, got)
  end)

  it("may be the kernel's own function", function()
    local k
    k = dc.jit(function(out, n)
      if n > 0 then
        out[1] = out[1] * 2 + n
        k(out, n - 1)
      end
    end)
    local out = dc.zeros(1, "int64")
    k(1, 1, out, 5)
    local want = 0
    for n = 5, 1, -1 do want = want * 2 + n end
    assert.equal(want, out[1])
  end)

  it("are those of objects of dc.jit, too", function()
    local double = dc.jit(function(x) return 2 * x end)
    assert.same({ 2, 4, 6 }, run(3, "int32", function(out) out[dc.index()] = double(dc.index()) end))
  end)
end)

describe("captured values", function()
  it("are read at each launch", function()
    local factor, offset, on = 2, dc.array { 10, 20, 30 }, true
    local settings = { bias = 1 }
    local k = dc.jit(function(out)
      local i = dc.index()
      if on then out[i] = factor * i + offset[i] + settings.bias end
    end)
    local out = dc.zeros(3)
    k(1, 3, out)
    h.same({ 13, 25, 37 }, out:to_table(), "first")
    factor, settings.bias = 0.5, 100
    offset = dc.array { 1, 2, 3 }
    k(1, 3, out)
    h.same({ 101.5, 103, 104.5 }, out:to_table(), "changed")
    on = false
    out:fill(7)
    k(1, 3, out)
    h.same({ 7, 7, 7 }, out:to_table(), "off")
    on, offset = true, dc.array({ 1, 2, 3 }, "int32") -- another dtype
    k(1, 3, out)
    h.same({ 101.5, 103, 104.5 }, out:to_table(), "another dtype")
    offset:close()
    fails("argument", "closed", function() k(1, 3, out) end)
    offset = nil
    fails("compile", "'offset' is nil", function() k(1, 3, out) end)
    offset = "x"
    fails("compile", "'offset' is indexed, but it is a string", function() k(1, 3, out) end)
  end)

  it("that are functions are compiled again when they change", function()
    local operator = function(a, b) return a + b end
    local k = dc.jit(function(out) out[1] = operator(3, 4) end)
    local out = dc.zeros(1)
    k(1, 1, out)
    assert.equal(7, out[1])
    operator = function(a, b) return a * b end
    k(1, 1, out)
    assert.equal(12, out[1])
  end)

  it("that are <const> are constants", function()
    local N <const>, name <const>, pi <const> = 3, "int32", math.pi
    local got = run(1, "float64", function(out)
      local t = dc.local_array(name, N)
      t[N] = 4
      out[1] = dc.float64(t[1] + t[N]) + #t * 10 + pi
    end)
    assert.same({ 34 + math.pi }, got)
  end)
end)

describe("functions of CUDA in kernels", function()
  it("indices and sizes", function()
    local out = dc.zeros(2, 3, 4, 8)
    dc.jit(function(o)
      local i, j, k = dc.index3()
      local tx, ty, tz = dc.thread_index()
      local bx, by, bz = dc.block_index()
      local sx, sy, sz = dc.block_size()
      local gx, gy, gz = dc.grid_size()
      o[{ i, j, k, 1 }] = tx + (bx - 1) * sx - k
      o[{ i, j, k, 2 }] = ty + (by - 1) * sy - j
      o[{ i, j, k, 3 }] = tz + (bz - 1) * sz - i
      o[{ i, j, k, 4 }] = sx * 100 + sy * 10 + sz
      o[{ i, j, k, 5 }] = gx * 100 + gy * 10 + gz
    end)({ 2, 3, 1 }, { 2, 1, 2 }, out)
    assert.equal(0, out[{ ":", ":", ":", { 1, 3 } }]:abs():max():item())
    assert.equal(212, out[{ 2, 3, 4, 4 }])
    assert.equal(231, out[{ 1, 1, 1, 5 }])
  end)

  it("votes and shuffles", function()
    local votes, values = dc.zeros(32, "int64"), dc.zeros(32, "float64")
    dc.jit(function(v, w)
      local lane = dc.lane_index()
      v[lane] = dc.vote_ballot(lane % 2 == 1) + (dc.vote_all(lane > 0) and 1 << 40 or 0)
        + (dc.vote_any(lane > 32) and 1 << 41 or 0)
      w[lane] = dc.shuffle(lane * 1.0, 3) * 1000000 + dc.shuffle_up(lane, 1) * 10000 + dc.shuffle_down(lane, 2) * 100
        + dc.shuffle_xor(lane, 1)
    end)(1, 32, votes, values)
    for lane = 1, 32 do
      assert.equal(0x55555555 + (1 << 40), votes[lane])
      local up, down = math.max(lane - 1, 1), lane + 2 <= 32 and lane + 2 or lane
      local other = ((lane - 1) ~ 1) + 1 -- lanes are counted from 0 in CUDA
      assert.equal(3000000 + up * 10000 + down * 100 + other, values[lane])
    end
  end)

  it("match_any finds lanes with the same integer", function()
    for _, dtype in ipairs { "int8", "int32", "uint64" } do
      local t, lanes = {}, {}
      for k = 1, 32 do
        t[k] = math.random(0, 5)
        lanes[t[k]] = (lanes[t[k]] or 0) | 1 << (k - 1)
      end
      local out = dc.zeros(32, "int64")
      dc.jit(function(x, o) o[dc.lane_index()] = dc.match_any(x[dc.lane_index()]) end)(1, 32, dc.array(t, dtype), out)
      for k = 1, 32 do assert.equal(lanes[t[k]], out[k]) end
    end
  end)

  it("atomics of all dtypes they have", function()
    for _, dtype in ipairs { "int32", "uint32", "int64", "uint64", "float32", "float64" } do
      local a = dc.zeros({ 2, 3 }, dtype)
      dc.jit(function(x)
        dc.atomic_add(x, { 1, 2 }, 2)
        dc.atomic_add(x[2], 3, 1)
      end)(2, 50, a)
      assert.equal(200, a[{ 1, 2 }])
      assert.equal(100, a[{ 2, 3 }])
    end
    for _, dtype in ipairs { "int32", "uint32", "int64", "uint64" } do
      local a = dc.array({ 50, 50, 0, 0xff, 0, 7, 7 }, dtype)
      local old = dc.zeros(100, dtype)
      dc.jit(function(x, o)
        local i = dc.index()
        dc.atomic_min(x, 1, i)
        dc.atomic_max(x, 2, i)
        dc.atomic_or(x, 3, 1 << (i % 8))
        dc.atomic_and(x, 4, ~(1 << (i % 4)))
        dc.atomic_xor(x, 5, i)
        o[i] = dc.atomic_exchange(x, 6, i)
        dc.atomic_cas(x, 7, 7, i)
      end)(2, 50, a, old)
      local xor = 0
      for i = 1, 100 do xor = xor ~ i end
      local t = a:to_table()
      h.same({ 1, 100, 0xff, 0xf0, xor }, table.move(t, 1, 5, 1, {}), dtype)
      local sum = 0
      for _, v in ipairs(old:to_table()) do sum = sum + v end
      assert.equal(7 + 5050 - t[6], sum)
      assert(t[7] >= 1 and t[7] <= 100)
    end
  end)

  it("functions of numbers are those of arrays and of Lua", function()
    local values = { 0.5, 1.25, 2, 7.75, -3.5 }
    local x = dc.array(values, "float64")
    local out = dc.zeros(5, 8, "float64")
    dc.jit(function(a, o)
      local i = dc.index()
      local v = a[i]
      o[i][1], o[i][2], o[i][3] = math.floor(v), math.ceil(v), math.abs(v)
      o[i][4], o[i][5] = math.max(v, 1, 2), math.min(v, 1)
      o[i][6] = dc.where(v > 1, v, -v)
      o[i][7] = math.fmod(v, 2)
      o[i][8] = dc.tanh(v) + math.atan(v, 2) + math.log(v * v, 2)
    end)(1, 5, x, out)
    for i, v in ipairs(values) do
      local tanh = (math.exp(v) - math.exp(-v)) / (math.exp(v) + math.exp(-v))
      local want = { math.floor(v), math.ceil(v), math.abs(v), math.max(v, 1, 2), math.min(v, 1), v > 1 and v or -v,
        math.fmod(v, 2), tanh + math.atan(v, 2) + math.log(v * v, 2) }
      for k = 1, 8 do assert(math.abs(want[k] - out[{ i, k }]) < 1e-12, ("function %d of %g"):format(k, v)) end
    end
  end)
end)

describe("launches of kernels in Lua", function()
  local twice = dc.jit(function(x)
    local i = dc.index()
    if i <= #x then x[i] = x[i] * 2 end
  end)

  it("are captured in graphs and run in streams", function()
    local x = dc.ones(100)
    local g = dc.graph(function() twice:forall(100, x) end)
    g()
    g()
    assert.equal(4, x[100])
    local s = dc.stream()
    twice:with { stream = s }:forall(100, x)
    twice[s](1, 128, x)
    assert.equal(16, x[1])
  end)

  it("are those of a kernel object", function()
    local x = dc.ones(4)
    local k = twice:kernel(x)
    assert.equal("twice", k.name)
    local first, second = dc.jit(function(a) a[1] = 1 end), dc.jit(function(a) a[1] = 2 end)
    assert.equal("jit", first.name) -- and not that of the last local
    assert.equal("jit", second.name)
    assert(k.signature:find("float *x", 1, true))
    k(1, 4, x, 4) -- the array, and its extent
    assert.equal(2, x[4])
    assert.equal("kernel in Lua twice(x)", tostring(twice))
  end)

  it("pending expressions are evaluated; arrays that are only read are const", function()
    local x = dc.ones(10)
    local copy = dc.jit(function(a, b) b[dc.index()] = a[dc.index()] end)
    local y, z = dc.zeros(10), dc.zeros(10)
    local pending = x + 1
    copy(1, 10, pending, y)
    assert.equal(2, y[3])
    assert(copy:kernel(x, z).signature:find("const float *a", 1, true))
    assert(not copy:kernel(x, z).signature:find("const float *b", 1, true))
  end)

  it("source() shows Lua's lines", function()
    local text = twice:source(dc.ones(3))
    assert(text:find("language_spec.lua:%d+: if i <= #x then x%[i%] = x%[i%] %* 2 end"))
    assert(text:find("__global__ void twice", 1, true))
  end)

  it("with a signature take its types alone", function()
    local k = dc.jit("void(int32, float32[:], float32[:,:])", function(n, x, y)
      for i = 1, n do y[{ 1, i }] = x[i] + n end
    end)
    local x, y = dc.ones(3), dc.zeros(2, 3)
    k(1, 1, 3, x, y)
    assert.equal(4, y[{ 1, 3 }])
    assert(k:kernel(3, x, y).signature:find("int n", 1, true))
    fails("dtype", "'x', is a 1%-d float32 array by the signature, got a 1%-d float64", function()
      k(1, 1, 3, dc.ones(3, "float64"), y)
    end)
    fails("argument", "no type of an argument", function() dc.jit("void(float33)", function(_) end) end)
    fails("argument", "returns no value", function() dc.jit("float32(int32)", function(_) end) end)
    fails("argument", "has 2 arguments, the function has 1", function()
      dc.jit("void(int32, int32)", function(_) end)
    end)
  end)
end)

describe("{ check = true }", function()
  it("raises an error for an index out of range, with line, index and extent", function()
    local k = dc.jit(function(x, at)
      local i = dc.index()
      x[{ 1, i + at }] = 1
    end, { check = true })
    local x = dc.zeros(2, 8)
    k(1, 8, x, 0)
    assert.equal(1, x[{ 1, 8 }])
    local line = h.line(-5)
    local err = fails("index", "index 9 of axis 2 is out of range: the extent is 8", function() k(1, 8, x, 1) end)
    assert(err.message:find(":" .. line .. ",", 1, true), err.message)
    fails("index", "index 0 of axis 2", function() k(1, 1, x, -1) end)
    k(1, 8, x, 0) -- goes on
  end)

  it("and for asserts, error, and division by zero", function()
    local k = dc.jit(function(x, n)
      local v = 7 // n
      lua_assert(n < 5, "n is too large")
      if n == 3 then error "three" end
      x[1] = v
    end, { check = true })
    local x = dc.zeros(1, "int64")
    k(1, 1, x, 2)
    assert.equal(3, x[1])
    fails("launch", "attempt to perform 'n//0'", function() k(1, 1, x, 0) end)
    fails("launch", "n is too large", function() k(1, 1, x, 6) end)
    fails("launch", "three", function() k(1, 1, x, 3) end)
    assert.equal(3, x[1])
  end)
end)

describe("a function with several returns", function()
  it("gives one type in whatever order they are, and numbers of Lua's take it", function()
    local function forward(w, small, half)
      if w == 1 then return small end
      if w == 2 then return 0.01 end
      return half
    end
    local function backward(w, small, half)
      if w == 3 then return half end
      if w == 2 then return 0.01 end
      return small
    end
    local function float(w, u)
      if w == 1 then return u end
      if w == 2 then return -2 end
      return 0.5
    end
    local k = dc.jit(function(out, w, small, half, u)
      out[1] = forward(w, small[1], half[1])
      out[2] = backward(w, small[1], half[1])
      out[3] = float(w, u[1])
    end)
    local n = math.random(-9, 9)
    local small, half, u = dc.array({ n }, "int8"), dc.array({ 2.5 }, "float16"), dc.array({ 65535 }, "uint16")
    for w, want in ipairs { { n, n, 65535 }, { 0x1.47cp-7, 0x1.47cp-7, -2 }, { 2.5, 2.5, 0.5 } } do
      local out = dc.zeros(3)
      k(1, 1, out, w, small, half, u)
      assert.same(want, out:to_table())
    end
  end)
end)

describe("a function that returns two integers of other dtypes and a float32", function()
  it("gives a float32 in whatever order they are", function()
    local function first(w, small, large, real)
      if w == 1 then return small elseif w == 2 then return large end
      return real
    end
    local function middle(w, small, large, real)
      if w == 3 then return real elseif w == 1 then return small end
      return large
    end
    local function last(w, small, large, real)
      if w == 2 then return large elseif w == 3 then return real end
      return small
    end
    local k = dc.jit(function(out, w, small, large, real)
      out[1] = first(w, small[1], large[1], real[1])
      out[2] = middle(w, small[1], large[1], real[1])
      out[3] = last(w, small[1], large[1], real[1])
    end)
    local n = math.random(-9, 9)
    local small, large = dc.array({ n }, "int8"), dc.array({ 0xffffff01 }, "uint32")
    local real = dc.array({ 0.25 }, "float32")
    for w, want in ipairs { n, 0xffffff00, 0.25 } do
      local out = dc.zeros(3, "float64")
      k(1, 1, out, w, small, large, real)
      assert.same({ want, want, want }, out:to_table())
    end
  end)
end)

describe("a NaN that the compiler knows", function()
  it("is 0 as an integer", function()
    local out = dc.ones(4, "uint16")
    dc.jit(function(a)
      local z = 1e10 / -math.huge
      a[1] = dc.uint16(z / (z * z))
      a[2] = dc.uint8(z / (z * z))
      a[3] = dc.int64(-z / (z * z))
      a[4] = dc.uint16((z + 7) / (z * z)) -- infinity
    end)(1, 1, out)
    assert.same({ 0, 0, 0, 65535 }, out:to_table())
  end)
end)
