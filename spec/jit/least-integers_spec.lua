-- Negations and absolute values of the least integers, which wrap around, and what is computed from them. ptxas takes
-- 16-bit negations (before CUDA 13.3) and absolute values (before 13.1) for free of overflow: on GPUs a -x of int16 was
-- 32768 where it was widened or compared, and the remainder, shift and sign of abs(x) were those of a positive number.
local dc = require "dotcompute"
local h = require "spec.helper"

local dtypes = { "int8", "int16", "int32", "int64" }

-- The least integer of a dtype, others near the edges, random ones.
local function values(dtype, n)
  local low, high = table.unpack(h.integers[dtype])
  local list = { low, low + 1, high, -1, 0, 1, 7 }
  for k = #list + 1, n do list[k] = math.random(3) == 1 and low or math.random(low, high) end
  return list
end

local function absolute(v, dtype) return v < 0 and h.wrapped(-v, dtype) or v end
local function power(a, n, one) -- the compiler folds it where a is 0
  if n == 0 then return one end
  return a * power(a, n - 1, one)
end

describe("the least integers", function()
  it("are negated and made absolute by kernels", function()
    local zero, minus = 0, -1
    local k = dc.jit(function(x, y, out)
      local i = dc.index()
      if i > #x then return end
      local v = x[i]
      local none = power(v - v, 2, v)
      out[{ i, 1 }], out[{ i, 2 }], out[{ i, 3 }] = -v, math.abs(v), 0 - v
      out[{ i, 4 }], out[{ i, 5 }], out[{ i, 6 }] = v * -1, zero - v, v * minus
      out[{ i, 7 }], out[{ i, 8 }] = none - v, ~v + 1
      out[{ i, 9 }], out[{ i, 10 }] = math.fmod(math.abs(v), y[i]), math.abs(v) % y[i]
      out[{ i, 11 }], out[{ i, 12 }] = math.abs(v) // y[i], math.abs(v) >> 3
      out[{ i, 13 }] = -v < 1 and 1 or 0
      out[{ i, 14 }] = math.abs(v) < y[i] and 1 or 0
      out[{ i, 15 }] = math.abs(v) < 0 and 1 or 0
      local n = v
      if n < 0 then n = -n end
      out[{ i, 16 }], out[{ i, 17 }] = n, math.max(v, -v)
      out[{ i, 18 }] = math.abs(-v)
      out[{ i, 19 }] = 1 << (math.tointeger(math.abs(v)) | 64)
    end)
    for _, dtype in ipairs(dtypes) do
      local n = 64
      local x, y, want = values(dtype, n), {}, {}
      for i, v in ipairs(x) do
        local d = math.random(3, 100)
        local m, a = h.wrapped(-v, dtype), absolute(v, dtype)
        y[i] = d
        local shift = a | 64
        want[i] = { m, a, m, m, m, m, m, m, math.fmod(a, d), a % d, a // d, a // 8, m < 1 and 1 or 0, a < d and 1 or 0,
          a < 0 and 1 or 0, v < 0 and m or v, math.max(v, m), absolute(m, dtype), 1 << shift }
      end
      local out = dc.zeros({ n, 19 }, "int64")
      k:forall(n, dc.array(x, dtype), dc.array(y, dtype), out)
      for i, row in ipairs(out:to_table()) do h.same(want[i], row, h.note(("%s %d, %d"):format(dtype, x[i], y[i]))) end
    end
  end)

  -- ptxas 13.0 takes x << n and x >> 64 - n in a sum or difference of 64 bits for a rotation, whatever their signs.
  it("are shifted, and what is shifted to both sides added and subtracted", function()
    local function kernel(x, u, out)
      local i = dc.index()
      if i > #x then return end
      local function sign(v) return v >> 63 end
      local function less(v) if v > -1 then return v end return v - 1 end
      local v, n, w = x[i], math.tointeger(x[i]), u[i]
      local left, right = v << 5, v >> 59
      out[{ i, 1 }], out[{ i, 2 }], out[{ i, 3 }] = (v << 4) + (v >> 60), (v << 1) - (v >> 63), left + right
      out[{ i, 4 }], out[{ i, 5 }] = 2 * v - (v < 0 and 1 or 0), v + v + (v < 0 and -1 or 0)
      out[{ i, 6 }], out[{ i, 7 }] = (n << 4) - (n >> 60), (n >> 63) - 2 * n
      out[{ i, 8 }], out[{ i, 9 }] = -n - less(n), -n * 2 + sign(n)
      out[{ i, 10 }], out[{ i, 11 }] = (w >> 60) - (w << 4), -(w << 3) - (w >> 61)
      out[{ i, 12 }], out[{ i, 13 }] = dc.where(v < 0, 1, 0) - v * 2, w * 16 - w // 0x1000000000000000
    end
    local n = 64
    local x, want = values("int64", n), {}
    for i, v in ipairs(x) do
      local function arithmetic(bits) return v >> bits | (v < 0 and -1 << (64 - bits) or 0) end
      local below = v < 0 and 1 or 0
      want[i] = { (v << 4) + arithmetic(60), 2 * v - arithmetic(63), (v << 5) + arithmetic(59), 2 * v - below,
        2 * v - below, (v << 4) - (v >> 60), below - 2 * v, -v - (v - below), below - 2 * v, (v >> 60) - (v << 4),
        -(v << 3) - (v >> 61), below - 2 * v, 16 * v - (v >> 60) }
    end
    local out = dc.zeros({ n, 13 }, "int64")
    dc.jit(kernel):forall(n, dc.array(x, "int64"), dc.array(x, "int64"):to("uint64"), out)
    local of_elements = dc.vectorize(function(v) return (v << 4) + (v >> 60) end)
    local difference = dc.vectorize(function(v) return (v >> 63) - v * 2 end)
    local sums, differences = of_elements(dc.array(x, "int64")):to_table(), difference(dc.array(x, "int64")):to_table()
    for i, row in ipairs(out:to_table()) do
      h.same(want[i], row, h.note(("%d"):format(x[i])))
      h.same({ want[i][1], -want[i][2] }, { sums[i], differences[i] }, h.note(("%d"):format(x[i])))
    end
  end)

  -- NVVM (CUDA 13.0 to 13.5) took `v + t < v` for true from the second round of a loop that it ends.
  it("end loops where sums with the loop's variable wrap around", function()
    for _, dtype in ipairs { "int64", "int32", "uint32" } do
      local cast = dc[dtype]
      local k = dc.jit(function(x, rounds, out)
        local i = dc.index()
        if i > #x then return end
        local v = x[i]
        for t = 1, rounds[i] do
          if v < v - cast(t) then out[{ i, 1 }] = t break end
        end
        for t = 1, rounds[i] do
          if v + cast(t) < v then out[{ i, 2 }] = t break end
        end
        for t = 1, rounds[i] do
          local in_order = v - cast(1) <= v + cast(2 * t)
          if not in_order then out[{ i, 3 }] = t break end
        end
        local t = 1
        while t <= rounds[i] and v >= v - cast(t) do t = t + 1 end
        out[{ i, 4 }] = t
      end)
      local low, high = table.unpack(h.integers[dtype])
      local n, x, rounds, want = 64, {}, {}, {}
      local function wrapped(v) return h.wrapped(v, dtype) end
      for i = 1, n do
        local near = math.random(0, 4)
        local v = ({ low + near, high - near, near, math.random(low, high) })[i % 4 + 1]
        x[i], rounds[i], want[i] = v, math.random(0, 6), { 0, 0, 0, 0 }
        for t = rounds[i], 1, -1 do -- the first that holds is set last
          if v < wrapped(v - t) then want[i][1], want[i][4] = t, t end
          if wrapped(v + t) < v then want[i][2] = t end
          if wrapped(v - 1) > wrapped(v + 2 * t) then want[i][3] = t end
        end
        if want[i][4] == 0 then want[i][4] = rounds[i] + 1 end
      end
      local out = dc.zeros({ n, 4 }, "int64")
      k:forall(n, dc.array(x, dtype), dc.array(rounds, "int64"), out)
      for i, row in ipairs(out:to_table()) do
        h.same(want[i], row, h.note(("%s %d, %d"):format(dtype, x[i], rounds[i])))
      end
    end
  end)

  it("are negated and made absolute by functions of elements, and by arrays", function()
    local minus, size = dc.vectorize(function(v) return -v end), dc.vectorize(function(v) return math.abs(v) end)
    local kernels = dc.vectorize(function(v) if v < 0 then return -v end return math.abs(v) end)
    for _, dtype in ipairs(dtypes) do
      local x, negative, positive, rest = values(dtype, 50), {}, {}, {}
      for i, v in ipairs(x) do
        negative[i], positive[i] = h.wrapped(-v, dtype), absolute(v, dtype)
        rest[i] = positive[i] % 7
      end
      local a = dc.array(x, dtype)
      local note = h.note(dtype)
      h.same(negative, minus(a):to("int64"):to_table(), note)
      h.same(negative, (-a):to("int64"):to_table(), note)
      h.same(positive, size(a):to("int64"):to_table(), note)
      h.same(positive, kernels(a):to("int64"):to_table(), note)
      h.same(positive, a:abs():to("int64"):to_table(), note)
      h.same(rest, (a:abs() % 7):to_table(), note)
      h.same(positive, dc.abs(-a):to_table(), note)
    end
  end)

  it("as divisors that a cast makes 0 divide as 0 does", function()
    local x = dc.array({ 7, -7, 0 }, "int32")
    local out = dc.zeros({ 3, 2 }, "int32")
    dc.jit(function(a, b)
      local i = dc.index()
      if i <= #a then b[{ i, 1 }], b[{ i, 2 }] = a[i] % dc.int32(4294967296), a[i] // dc.int8(256) end
    end):forall(3, x, out)
    assert.same({ { 0, 0 }, { 0, 0 }, { 0, 0 } }, out:to_table())
    h.fails("launch", "attempt to perform 'n%%%%0'", function()
      dc.jit(function(a) a[1] = a[1] % dc.int32(4294967296) end, { check = true })(1, 1, x)
    end)
  end)
end)
