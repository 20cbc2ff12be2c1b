-- Constant arrays, which kernels in Lua are compiled with.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

local dtypes = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64" }

describe("constant arrays", function()
  it("have their values in kernels, of every dtype", function()
    for _, dtype in ipairs(dtypes) do
      local n = math.random(1, 40)
      local values = dtype:find "float" and {} or h.values(n, dtype)
      for i = #values + 1, n do values[i] = (math.random() - 0.5) * 2.0 ^ math.random(-24, 14) end
      if dtype:find "float" then values[n // 2 + 1] = ({ 1 / 0, -1 / 0, -0.0, 0, 6e-8 })[math.random(5)] end
      local c, want = dc.constant(values, dtype), dc.array(values, dtype)
      local out = dc.zeros(n, dtype)
      dc.jit(function(a)
        local i = dc.index()
        if i <= #c then a[i] = c[i] end
      end):forall(n, out)
      h.same(want:to_table(), out:to_table(), dtype)
      h.same(want:to_table(), c:to_table(), dtype)
    end
    local nan = dc.constant({ 0 / 0 }, "float16")
    local out = dc.zeros(1, "bool")
    dc.jit(function(a) a[1] = nan[1] ~= nan[1] end)(1, 1, out)
    assert.equal(true, out[1])
  end)

  it("have axes, rows and shapes; functions take them", function()
    local weights = dc.constant { { 1, 2, 1 }, { 2, 4, 2 }, { 1, 2, 1 } }
    local offsets <const> = dc.constant({ -1, 0, 1 }, "int32")
    local function row(r, x, i)
      local sum = 0
      for k = 1, dc.unroll(#r) do sum = sum + r[k] * x[(i - 1 + offsets[k]) % #x + 1] end
      return sum
    end
    local k = dc.jit(function(x, out)
      local i = dc.index()
      if i <= #x then out[i] = row(weights[2], x, i) + weights[{ 3, 2 }] * weights:shape(2) end
    end, { check = true })
    local t, want = {}, {}
    local n = math.random(3, 40)
    for i = 1, n do t[i] = math.random(-9, 9) end
    for i = 1, n do want[i] = 2 * t[(i - 2) % n + 1] + 4 * t[i] + 2 * t[i % n + 1] + 6 end
    local out = dc.zeros(n)
    k:forall(n, dc.array(t), out)
    h.same(want, out:to_table(), "rows")
    fails("index", "index 4 of axis 1 is out of range: the extent is 3", function()
      dc.jit(function(a, i) a[1] = offsets[i] end, { check = true })(1, 1, out, 4)
    end)
  end)

  it("are compiled in: known elements are no loads, and another array compiles the kernel again", function()
    local c = dc.constant { 3, 4 }
    local k = dc.jit(function(x) x[1] = c[1] * 10 + c[2] end)
    local x = dc.zeros(1)
    k(1, 1, x)
    assert.equal(34.0, x[1])
    assert(not k:kernel(x).module:ptx():find "ld%.const")
    c = dc.constant { 5, 6 }
    k(1, 1, x)
    assert.equal(56.0, x[1])
  end)

  it("are tables of functions of elements and of reductions", function()
    local squares = dc.constant({ 1, 4, 9, 16, 25 }, "int64")
    local function square(i) return squares[i] end
    local f = dc.vectorize(dc.jit(function(i) return square(i) + (i > 2 and squares[1] or 0) end))
    local i = dc.array({ 5, 1, 3 }, "int64")
    assert.same({ 26, 1, 10 }, f(i):to_table())
    local sum = dc.reduction { map = function(v) return squares[v] end, identity = -1,
      reduce = function(a, b) return a + b + squares[1] end }
    assert.equal(37, sum(i):item())
    squares = dc.constant({ 0, 0, 7, 0, 0 }, "int64")
    assert.same({ 0, 0, 7 }, f(i):to_table())
  end)

  it("are arrays to read outside of kernels", function()
    local c = dc.constant(dc.array({ { 1, 2 }, { 3, 4 } }, "int16"))
    assert.equal(2, #c)
    assert.same({ "int16", 2, 4 }, { c.dtype, c.ndim, c.size })
    assert.same({ 2, 2 }, { c:shape() })
    assert.equal(3, c[{ 2, 1 }])
    assert.equal(4, c[2][2])
    assert.equal("constant int16 array (2, 2)", tostring(c))
    fails("argument", "is not written", function() c[1] = 2 end)
    fails("index", "has no 'fill'", function() return c.fill end)
    fails("argument", "c:shape", function() c.shape() end)
    assert.equal(nil, c[3]) -- as of arrays: `ipairs` ends there
    fails("index", "4", function() return c[4] end)
  end)

  it("are made of real numbers, up to 64 KB", function()
    fails("argument", "a table of numbers or an array expected, got nil", function() dc.constant() end)
    fails("argument", "a table of numbers or an array expected, got the number 3", function() dc.constant(3) end)
    fails("argument", "'constant' takes at most 2 arguments, got 3", function() dc.constant({ 1 }, "int8", 1) end)
    fails("shape", "one element or more", function() dc.constant {} end)
    fails("shape", "one element or more, and an axis", function() dc.constant(dc.ones(3):sum()) end)
    fails("dtype", "real numbers, got complex64", function() dc.constant({ dc.complex(1, 2) }, "complex64") end)
    fails("dtype", "wrong", function() dc.constant({ 1 }, "wrong") end)
    fails("argument", "at most 65536 bytes, got 65540", function() dc.constant(dc.ones(16385)) end)
    local closed = dc.ones(3)
    closed:close()
    fails("argument", "closed", function() dc.constant(closed) end)
    local a, b = dc.constant(dc.ones(16384)), dc.constant(dc.ones(1))
    local x = dc.zeros(1)
    dc.jit(function(y) y[1] = a[dc.index()] end)(1, 1, x)
    assert.equal(1.0, x[1])
    fails("compile", "have 65540 bytes together; there are 65536", function()
      dc.jit(function(y) y[1] = a[dc.index()] + b[1] end)(1, 1, x)
    end)
  end)

  it("are captured and not written", function()
    local c, x = dc.constant { 1, 2 }, dc.zeros(2)
    local function set(a) a[1] = 3 end
    -- luacheck: push ignore
    for pattern, fn in pairs {
      ["'c' is a constant array, which a kernel cannot write"] = function() c[1] = 2 end,
      ["'c' is a constant array, which"] = function() set(c) end,
      ["'c' is a constant array"] = function() local d = c d[1] = 2 end,
      ["'c' is a constant array, which a kernel"] = function() dc.atomic_add(c, 1, 1) end,
      ["index 0 of 'c'"] = function() x[1] = c[0] end,
      ["'c' has 1 axis, and 2 indices"] = function() x[1] = c[{ 1, 2 }] end,
    } do
      fails("compile", pattern, function() dc.jit(fn)(1, 1) end)
    end
    -- luacheck: pop
    fails("argument", "argument 1, 'a', is a constant array, which a kernel captures", function()
      dc.jit(function(a) a[1] = 1 end)(1, 1, c)
    end)
    fails("compile", "'c' is a constant array, which a kernel cannot write", function()
      dc.vectorize(dc.jit(function(v) c[1] = v return v end))(x)
    end)
  end)
end)
