-- Integers that a kernel computes in 32 bits where they fit, arrays that overlap, and what a launch compares with the
-- kernels that have been compiled: the results are those of plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"

local edges = { 0, 1, 2, 3, 7, 31, 32, 255, 256, (1 << 30) - 1, 1 << 30, (1 << 30) + 1, (1 << 31) - 1, 1 << 31,
  (1 << 31) + 1, (1 << 32) - 1, 1 << 32, 1 << 40, math.maxinteger, math.maxinteger - 1, math.mininteger }

local function integer()
  local v = edges[math.random(#edges)]
  if math.random(3) == 1 then v = math.random(-1000, 1000) end
  return math.random(2) == 1 and v or -v
end

-- Runs the function as a kernel of one thread and as plain Lua, with the same integers: `out` gets as many.
local function same(fn, count, ...)
  local args, want = { ... }, {}
  local k = dc.jit(fn)
  for _ = 1, 12 do
    fn(want, table.unpack(args))
    local out = dc.zeros(count, "int64")
    k(1, 1, out, table.unpack(args))
    h.same(want, out:to_table(), h.note(table.concat(args, ", ")))
    for j = 1, #args do args[j] = integer() end
  end
end

describe("integers in kernels", function()
  it("have 64 bits whatever is passed", function()
    same(function(out, a, b)
      out[1], out[2], out[3] = a + b, a - b, a * b
      out[4], out[5], out[6] = -a, ~a, a ~ b
      out[7], out[8], out[9] = a & b, a | b, a << 3
      out[10], out[11], out[12] = a >> 5, (a + 1) * 2 + b, a * a * b
      out[13], out[14] = math.min(a, b), math.max(a + 1, b - 1)
      out[15] = (a < b and a or b) + 1
      out[16], out[17] = a << (b & 63), a >> (b & 63)
    end, 17, 5, -9)
  end)

  it("divide as Lua's by constants and by others", function()
    same(function(out, a, b)
      local d = b == 0 and 1 or b
      out[1], out[2] = a // d, a % d
      out[3], out[4], out[5], out[6] = a // 8, a % 8, a // 7, a % 7
      out[7], out[8], out[9], out[10] = a // -8, a % -8, a // 1, a % 1
      local p = a % 1000 + 1 -- from 1 to 1000
      out[11], out[12], out[13], out[14] = p // 8, p % 8, p // 7, b % p
      local q = a % 1000 - 500
      out[15], out[16], out[17], out[18] = q // 16, q % 16, q // 9, q % 9
      out[19], out[20] = b // p, q // p
    end, 20, -17, 5)
  end)

  it("of dtypes divide so too", function()
    for _, dtype in ipairs { "int8", "int16", "int32", "int64" } do
      local low, high = table.unpack(h.integers[dtype])
      local n = 200
      local t = { low, high, low + 1, -1, 0, 1 }
      for i = #t + 1, n do t[i] = math.random(low, high) end
      local x, out = dc.array(t, dtype), dc.zeros(4, n, dtype)
      local k = dc.jit(function(v, r)
        local i = dc.index()
        if i <= #v then r[1][i], r[2][i], r[3][i], r[4][i] = v[i] // 16, v[i] % 16, v[i] // 7, v[i] % 7 end
      end)
      k:forall(n, x, out)
      local got = out:to_table()
      for i = 1, n do
        h.same({ t[i] // 16, t[i] % 16, t[i] // 7, t[i] % 7 }, { got[1][i], got[2][i], got[3][i], got[4][i] },
          dtype .. " " .. t[i])
      end
    end
  end)

  it("grow in loops beyond 32 bits", function()
    same(function(out, a)
      local n, d, doubled, total = a % 100, 1, 0, 0
      while d < n do
        doubled = doubled + 1
        d = d * 2
      end
      local e = 1
      while e < a and e > 0 do e = e * 3 end
      for i = 1, n do total = total + i * 1000000007 end
      for i = n, 1, -3 do total = total ~ (i << 33) end
      out[1], out[2], out[3], out[4] = d, doubled, total, e
      local f = a
      if f > 100 then f = f // 2 else f = f * 2 end
      out[5] = f
      local steps = 0
      for i = 2147483640, 2147483650, 3 do steps = steps + i end
      for i = -2147483640, -2147483650, -3 do steps = steps - i end
      for i = math.maxinteger - 5, math.maxinteger, 2 do steps = steps + (i & 7) end
      out[6] = steps
      local g, h_ = 1, 1
      for _ = 1, 80 do g, h_ = h_, g + h_ end -- Fibonacci's numbers
      out[7] = h_
    end, 7, 1000000)
  end)

  it("keep the sign of negated operands of min and max", function()
    local n = 96
    local x, y, out = {}, {}, dc.zeros(10, n, "int32")
    for k = 1, n do x[k], y[k] = math.random(-100, 100), math.random(-100, 100) end
    local function fill(to, a, b, k)
      local opposite = -a[k]
      to[1][k], to[2][k] = math.min(math.min(k, opposite), b[k]), math.max(math.max(b[k], opposite), k)
      to[3][k], to[4][k] = math.max(math.abs(a[k]), b[k]), math.min(-k, b[k], -b[k])
      to[5][k], to[6][k] = math.min(k, 0 - a[k], b[k]), math.max(k, a[k] * -1, b[k])
      to[7][k] = math.min(k, a[k] // -1, b[k], -1 * k)
      local none = k - k -- a compiler knows what it is
      local opposites = none - a[k]
      to[8][k], to[9][k] = math.min(opposites, k, none), math.max(b[k], math.max(opposites, none))
      local least = math.min(k, none - b[k])
      to[10][k] = math.min(least, none)
    end
    local k = dc.jit(function(to, a, b)
      local i = dc.index()
      if i <= #a then fill(to, a, b, i) end
    end)
    k(2, 64, out, dc.array(x, "int32"), dc.array(y, "int32"))
    local want = { {}, {}, {}, {}, {}, {}, {}, {}, {}, {} }
    for i = 1, n do fill(want, x, y, i) end
    for row = 1, 10 do h.same(want[row], out[row]:to_table(), "row " .. row) end
    local a, b, c = dc.array(x, "int32"), dc.array(y, "int32"), dc.arange(1, n, "int32")
    h.same(want[1], dc.minimum(dc.minimum(c, -a), b):to_table(), "of arrays, least")
    h.same(want[2], dc.maximum(dc.maximum(b, -a), c):to_table(), "of arrays, greatest")
    h.same(want[3], dc.maximum(dc.abs(a), b):to_table(), "of arrays, abs")
  end)

  it("are summed in 64 bits where they are products of bytes and values of 32 bits", function()
    local n = 64
    local x, y, z, u = {}, {}, {}, {}
    for k = 1, n + 1 do
      x[k], y[k] = math.random(0, 255), math.random(-128, 127)
      z[k] = ({ 2147483647, -2147483648, math.random(-9, 9) })[math.random(3)]
      u[k] = ({ 4294967295, 2147483648, math.random(0, 9) })[math.random(3)]
    end
    local function product(a, b, k) return math.tointeger(a[k]) * math.tointeger(b[k]) end
    local sums = {
      function(a, b, _, _, k) local p = product(a, b, k) return 0x80000000 + p + p end,
      function(a, b, c, _, k) return math.tointeger(c[k]) + product(a, b, k) + product(a, b, k + 1) end,
      function(a, b, _, d, k) return math.tointeger(d[k]) + product(a, b, k) + product(a, b, k + 1) end,
      function(a, b, _, _, k) return product(a, b, k) + product(a, b, k + 1) - 2147483648 end,
    }
    for number, sum in ipairs(sums) do
      local k = dc.jit(function(to, a, b, c, d)
        local i = dc.index()
        if i <= #to then to[i] = sum(a, b, c, d, i) end
      end)
      local out, want = dc.zeros(n, "int64"), {}
      k(2, 32, out, dc.array(x, "uint8"), dc.array(y, "int8"), dc.array(z, "int32"), dc.array(u, "uint32"))
      for i = 1, n do want[i] = sum(x, y, z, u, i) end
      h.same(want, out:to_table(), "sum " .. number)
    end
  end)

  it("end loops whose steps, times a few iterations, are beyond 64 or 32 bits", function()
    same(function(out, a, b)
      out[1], out[2], out[3], out[4] = a, b, a, b
      for _ = 2, -math.huge, -0x4000000000000000 do out[1] = out[1] * b + a end
      for _ = -1, math.huge, 0x2000000000000000 do out[2] = out[2] * a + b end
      for v = a & 255, math.maxinteger, 0x1000000000000000 do out[3] = out[3] * v + b end
      for v = 1, 0x40000000, 0x20000000 do out[4] = out[4] * a + v end
    end, 4, 5, -9)
  end)

  it("keep what comparisons say until they are assigned", function()
    same(function(out, a, b)
      local x, y, count = a, b, 0
      if x < 1000 and x > -1000 then
        out[1] = x * x
        x = x * 4000000000
        out[2] = x + 1
      else
        out[1], out[2] = x, 0
      end
      while y > 10 do
        if y > 1 << 40 then
          y = y // 1000
        elseif y == 12345 then
          y = 11
        else
          y = y - y // 3 - 1
        end
        count = count + 1
      end
      out[3], out[4] = y, count
      local z = 3
      repeat
        local before = z
        z = z * z
        if z > 5000000000 then break end
        z = z + before % 2
      until z > 1000000 * count
      out[5] = z
      if b == 5 then out[6] = b * 3 else out[6] = 5 - b end
    end, 6, 7, 100)
  end)

  it("are passed to functions, and returned, whole", function()
    local function both(p, q) return p * q, p + q end
    local function power(base, n)
      if n == 0 then return 1 end
      local half = power(base, n // 2)
      return n % 2 == 0 and half * half or half * half * base
    end
    same(function(out, a, b)
      local p, s = both(a % 1000, b % 1000)
      out[1], out[2] = p, s
      p, s = both(p, s)
      out[3], out[4] = both(p, s)
      out[5] = power(a, b % 30)
    end, 5, 12, 13)
  end)

  it("index arrays in all ways", function()
    local n = 50
    local t = {}
    for i = 1, n do t[i] = math.random(1000) end
    local x, out = dc.array(t, "int64"), dc.zeros(n, 6, "int64")
    local k = dc.jit(function(v, r, far)
      local i = dc.index()
      if i > #v then return end
      local other = i > 1 and (i ~ 1) <= #v and i ~ 1 or i
      r[i][1] = v[other + 0] + v[#v - i + 1]
      r[i][2] = v[i * far // far]
      r[i][3] = v[(i + far) - far]
      r[i][4] = v[dc.int32(i)]
      r[i][5] = v[(i - 1) % 7 + 1]
      r[{ i, 6 }] = v[math.max(1, math.min(#v, i - 20))]
    end)
    for _, far in ipairs { 3, 1 << 30, 1 << 40 } do
      k:forall(n, x, out, far)
      for i, row in ipairs(out:to_table()) do
        local other = i > 1 and (i ~ 1) <= n and i ~ 1 or i
        h.same({ t[other] + t[n - i + 1], t[i], t[i], t[i], t[(i - 1) % 7 + 1], t[math.max(1, math.min(n, i - 20))] },
          row, "row " .. i)
      end
    end
  end)

  it("compare as those of threads and loops that count from 1", function()
    local signs, n = { "<", "<=", ">", ">=", "==", "~=" }, 12
    -- integers of a thread i, of a loop k from 1, and of arguments a and b
    local terms = { "i", "k", "i + 1", "k - 1", "i + k", "k - i", "a", "b", "a - i", "#x", "3 + k", "i - 1" }
    local lines = {}
    for _ = 1, 40 do
      lines[#lines + 1] = ("if %s %s %s then s = s * 3 + %s end"):format(terms[math.random(#terms)],
        signs[math.random(#signs)], terms[math.random(#terms)], terms[math.random(#terms)])
    end
    local body = table.concat(lines, "\n")
    local kernel = assert(load(([[local dc = ...
      return dc.jit(function(x, out, a, b)
        local i = dc.index()
        if i > #x then return end
        local s = 0
        for k = 1, #x do
          %s
          s = s + x[k] * k
        end
        out[i] = s
      end)]]):format(body)))(dc)
    local plain = assert(load("local x, i, a, b = ... local s = 0 for k = 1, #x do\n" .. body
      .. "\ns = s + x[k] * k\nend return s"))
    local t, want = {}, {}
    for k = 1, n do t[k] = math.random(-100, 100) end
    local a, b = math.random(-3, 15), math.random(-3, 15)
    for i = 1, n do want[i] = plain(t, i, a, b) end
    local out = dc.zeros(n, "int64")
    kernel:forall(n, dc.array(t, "int64"), out, a, b)
    h.same(want, out:to_table(), body)
  end)

  it("that become a dtype's are those of the dtype", function()
    local n = 300
    local out = dc.zeros(n, "int64")
    dc.jit(function(r)
      local i = dc.index()
      if i > #r then return end
      if dc.int8(i) <= 100 then r[i] = 1 end
      if dc.uint8(i) > i - 1 then r[i] = r[i] + 2 end
    end):forall(n, out)
    for i, v in ipairs(out:to_table()) do
      local signed, unsigned = (i + 128) % 256 - 128, i % 256
      assert.equal((signed <= 100 and 1 or 0) + (unsigned > i - 1 and 2 or 0), v, "index " .. i)
    end
  end)

  it("are the variables of loops whatever happens to them", function()
    same(function(out, a)
      local calls = 0
      for i = 1, 6 do
        local function later() calls = calls + i return i * 2 end -- shares the variable
        out[i] = later() + a
      end
      for i = 2, 4 do
        if out[i] == a then goto next end
        for j = i + 1, 5 do out[j + 5] = j * 10 + i end
        ::next::
      end
      for i = 3, 5 do
        local j = i - 2
        j = j + 3
        out[j + 7] = i + j
      end
      for i = 1, 0 do out[i] = -1 end
      for i = 7, 7, 1000 do out[i] = i end
      for i = 9, 8, -1 do out[i] = calls + i end
    end, 13, 5)
  end)

  it("count extents of any size", function()
    local huge = dc.zeros({ 0, 1 << 40 }, "int8")
    local out = dc.zeros(3, "int64")
    local k = dc.jit(function(a, r) r[1], r[2], r[3] = #a, a:shape(2), a:shape(2) * 2 end)
    for _, a in ipairs { dc.zeros({ 2, 3 }, "int8"), huge, dc.zeros({ 4, 5 }, "int8") } do
      local rows, columns = a:shape()
      k(1, 1, a, out)
      h.same({ rows, columns, 2 * columns }, out:to_table(), "extents")
    end
  end)
end)

describe("arrays of a kernel", function()
  -- One thread writes b[i] from a[i], in order.
  local shift = dc.jit(function(a, b)
    for i = 1, #a do b[i] = a[i] + 1 end
  end)

  it("may overlap", function()
    for _ = 1, 6 do
      local n = math.random(10, 200)
      local memory = dc.zeros(n + 1, "int32")
      shift(1, 1, memory[{ { 1, n } }], memory[{ { 2, n + 1 } }])
      local want = {}
      for i = 0, n do want[i + 1] = i end
      h.same(want, memory:to_table(), "each element follows from the one before")
      local a, b = dc.array(want, "int32"), dc.zeros(n + 1, "int32")
      shift(1, 1, a, b)
      for i = 1, n + 1 do want[i] = i end
      h.same(want, b:to_table(), "two arrays")
      shift(1, 1, b, b)
      for i = 1, n + 1 do want[i] = i + 1 end
      h.same(want, b:to_table(), "one array")
    end
  end)

  it("may overlap one that is captured", function()
    local memory = dc.zeros(33, "int32")
    local from = memory[{ { 1, 32 } }]
    local k = dc.jit(function(b)
      for i = 1, #b do b[i] = from[i] + 1 end
    end)
    local other = dc.zeros(32, "int32")
    k(1, 1, other)
    h.same(dc.ones(32, "int32"):to_table(), other:to_table(), "apart")
    k(1, 1, memory[{ { 2, 33 } }])
    local want = {}
    for i = 0, 32 do want[i + 1] = i end
    h.same(want, memory:to_table(), "captured")
  end)

  it("may be pending expressions", function()
    local a = dc.arange(1, 64, { dtype = "int32" })
    for k = 1, 3 do
      local b = dc.zeros(64, "int32")
      shift(1, 1, a * k, b)
      h.same((a * k + 1):to_table(), b:to_table(), "pending")
    end
  end)
end)

describe("a launch of a kernel in Lua", function()
  it("finds the variant of its arguments, however many there are", function()
    local double = dc.jit(function(x)
      local i = dc.index()
      if i <= #x then x[i] = x[i] * 2 end
    end)
    local arrays = {}
    for _, dtype in ipairs { "int8", "int16", "int32", "int64", "float32", "float64" } do
      arrays[#arrays + 1] = dc.ones(4, dtype)
    end
    for round = 1, 4 do
      for _, a in ipairs(arrays) do
        if round % 2 == 1 then double(1, 4, a) else double:forall(4, a) end
      end
    end
    for _, a in ipairs(arrays) do h.same({ 16, 16, 16, 16 }, a:to_table(), a.dtype) end
  end)

  it("reads what is captured anew, of other kinds too", function()
    local config, offset = { scale = 2, on = true }, 1
    local k = dc.jit(function(x, out)
      local i = dc.index()
      out[i] = config.on and x[i] * config.scale + offset or 0.0
    end)
    local x, out = dc.array({ 1, 2, 3 }, "float64"), dc.zeros(3, "float64")
    local function check(want)
      for _ = 1, 2 do
        k(1, 3, x, out)
        h.same(want, out:to_table(), "captured")
      end
    end
    check { 3, 5, 7 }
    config.scale = 0.5
    check { 1.5, 2, 2.5 }
    offset = 1 << 40
    check { (1 << 40) + 0.5, (1 << 40) + 1.0, (1 << 40) + 1.5 }
    config = { scale = 3, on = true }
    offset = 0.25
    check { 3.25, 6.25, 9.25 }
    config.on = false
    check { 0, 0, 0 }
    config.on = nil
    h.fails("compile", "config.on", function() k(1, 3, x, out) end)
    config = 7
    h.fails("compile", "config", function() k(1, 3, x, out) end)
    config = { scale = 1, on = true }
    check { 1.25, 2.25, 3.25 }
  end)

  it("refuses wrong arguments after right ones", function()
    local k = dc.jit(function(x, a) x[1] = a end)
    local x = dc.zeros(2)
    k(1, 1, x, 1.5)
    h.fails("argument", "takes 2 arguments", function() k(1, 1, x) end)
    h.fails("argument", "takes 2 arguments", function() k(1, 1, x, 1, 2) end)
    h.fails("argument", "a kernel takes arrays", function() k(1, 1, x, "2") end)
    h.fails("argument", "a grid and a block", function() k(1) end)
    h.fails("launch", "grid", function() k("many", 1, x, 1.5) end)
    h.fails("launch", "block", function() k(1, {}, x, 1.5) end)
    h.fails("launch", "threads first", function() k:forall("2", x, 1.5) end)
    h.fails("launch", "", function() k(1 << 40, 1, x, 1.5) end)
    h.fails("argument", "'x', is a broadcast view", function() k(1, 1, dc.zeros(1):broadcast_to(4), 1.5) end)
    h.fails("argument", "method of a kernel", function() k.forall(3, 4) end)
    h.fails("argument", "method of a kernel", function() getmetatable(k).__call(3, 1, 1, x, 1.5) end)
    local closed = dc.zeros(2)
    k(1, 1, closed, 1.5)
    closed:close()
    h.fails("argument", "closed", function() k(1, 1, closed, 1.5) end)
    k(1, "auto", x, 2.5)
    assert.equal(2.5, x[1])
  end)
end)
