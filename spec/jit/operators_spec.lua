-- Lua functions as operators of dc.reduction and dc.scan, as operations of dc.elementwise, and called by name from
-- expressions in CUDA C: against the same functions in plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

local function integers(n, low, high)
  local t = {}
  for k = 1, n do t[k] = math.random(low, high) end
  return t
end

local function gcd(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

local function larger(a, b)
  if a > b then return a end
  return b
end

local function fold(op, list, first, last)
  local v = list[first]
  for k = first + 1, last do v = op(v, list[k]) end
  return v
end

describe("dc.reduction with functions in Lua", function()
  it("folds every dtype and length as the function does", function()
    local greatest = dc.reduction { reduce = larger }
    local common = dc.reduction { reduce = dc.jit(gcd), identity = 0 }
    for _, dtype in ipairs { "int8", "int16", "int32", "int64", "uint8", "uint32", "float16", "float32", "float64" } do
      for _, n in ipairs { 1, math.random(2, 40), math.random(300, 5000) } do
        local t = integers(n, 0, 100)
        local a = dc.array(t, dtype)
        local got = greatest(a)
        assert.equal(dtype, got.dtype)
        assert.equal(fold(larger, t, 1, n), got:item(), h.note(dtype))
        if not dtype:find "float" then
          for k = 1, n do t[k] = t[k] // 2 * 6 % 121 end
          assert.equal(fold(gcd, t, 1, n), common(dc.array(t, dtype)):item(), h.note(dtype))
        end
      end
    end
    assert.equal(0, common(dc.empty(0, "int32")):item())
    fails("shape", "nothing to reduce", function() greatest(dc.empty(0)) end)
  end)

  it("has map, post and several inputs, along axes of views", function()
    local f = dc.reduction {
      map = function(x, y) return (x - y) ^ 2 end, reduce = function(a, b) return a + b end,
      post = function(a, n) return (a / n) ^ 0.5 end, identity = 0,
    }
    local rows, columns = math.random(2, 30), math.random(2, 30)
    local x, y = {}, {}
    for r = 1, rows do x[r], y[r] = integers(columns, -9, 9), integers(columns, -9, 9) end
    local a, b = dc.array(x, "float64"), dc.array(y, "float64")
    local down, along = f(a.T, b.T, 2), f(a, b, 2)
    for c = 1, columns do
      local sum = 0
      for r = 1, rows do sum = sum + (x[r][c] - y[r][c]) ^ 2 end
      assert(math.abs(down[c] - (sum / rows) ^ 0.5) < 1e-12, h.note("down"))
    end
    for r = 1, rows do
      local sum = 0
      for c = 1, columns do sum = sum + (x[r][c] - y[r][c]) ^ 2 end
      assert(math.abs(along[r] - (sum / columns) ^ 0.5) < 1e-12, h.note("along"))
    end
    assert.equal("float64", f(a, 2).dtype)
    assert(math.abs(f(a, 0.5, 2)[1] - f(a, dc.full({ columns }, 0.5, "float64"), 2)[1]) < 1e-12)
  end)

  it("gives map the element's number and their count, behind declared inputs", function()
    local f = dc.reduction { inputs = "T x", map = function(x, k, count) return x * k + count end,
      reduce = function(a, b) return a + b end }
    local n = math.random(1, 2000)
    local t, want = integers(n, -5, 5), 0
    for k = 1, n do want = want + t[k] * k + n end
    assert.equal(want, f(dc.array(t, "int64")):item(), h.note())
  end)

  it("stands beside expressions in CUDA C", function()
    local t = integers(math.random(10, 500), 1, 9)
    local a, sum, squares = dc.array(t, "int32"), 0, 0
    for _, v in ipairs(t) do sum, squares = sum + v, squares + v * v end
    local by_text = dc.reduction { inputs = "T x", output = "long long", map = function(x) return x * x end,
      reduce = "a + b" }
    assert.equal("int64", by_text(a).dtype)
    assert.equal(squares, by_text(a):item())
    local mean = dc.reduction { inputs = "T x", output = "double", acc = "double", map = "x",
      reduce = function(p, q) return p + q end, post = "a / n" }
    assert(math.abs(mean(a):item() - sum / #t) < 1e-12)
    local halves = dc.reduction { map = function(x) return dc.int64(x) end, reduce = "a + b",
      post = function(p) return p * 0.5 end, identity = function() return 0 end }
    assert.equal(sum / 2, halves(a):item())
    assert.equal("float32", halves(a).dtype)
    assert.equal(0, halves(dc.empty(0, "int32")):item())
  end)

  it("takes numbers of Lua from map, and booleans", function()
    local count = dc.reduction { map = function(x) return x > 0 and 1 or 0 end,
      reduce = function(a, b) return a + b end }
    local all = dc.reduction { map = function(x) return x > 0 end, reduce = function(a, b) return a and b end,
      identity = true }
    local t, want = integers(200, -3, 3), 0
    for _, v in ipairs(t) do want = want + (v > 0 and 1 or 0) end
    local got = count(dc.array(t, "int16"))
    assert.equal("int64", got.dtype)
    assert.equal(want, got:item())
    assert.equal(want == 200, all(dc.array(t)):item())
    assert.is_true(all(dc.ones(70)):item())
    assert.is_true(all(dc.empty(0)):item())
  end)

  it("follows captured numbers and functions, and reads pending expressions", function()
    local power = 1
    local function weight(x) return x ^ power end
    local f = dc.reduction { map = function(x) return weight(x) end, reduce = function(a, b) return a + b end }
    local x = dc.array { 1, 2, 3 }
    assert.equal(6, f(x):item())
    power = 2
    assert.equal(14, f(x):item())
    assert.equal(56, f(x + x):item())
    weight = function(v) return -v end
    assert.equal(-6, f(x):item())
    local times = dc.elementwise("T v", "T w", function(v) return v * power end)
    for k = 1, 6 do -- values that were there before
      power = k % 2 + 3
      assert.same({ power, 2 * power, 3 * power }, times(x):to_table())
    end
  end)

  it("folds tuples and structs", function()
    local first_largest = dc.reduction { inputs = "T x", map = function(x, k, _) return { x, k } end,
      reduce = function(a, b)
        if b[1] > a[1] or b[1] == a[1] and b[2] < a[2] then return b end
        return a
      end,
      post = function(a) return a[2] end, identity = function() return { dc.int16(-1), 0 } end }
    local Moments = dc.struct("Moments", { { "count", "int32" }, { "sum", "float64" }, { "squares", "float64" } })
    local variance = dc.reduction { map = function(x) return Moments(1, x, x * x) end,
      reduce = function(a, b) return Moments(a.count + b.count, a.sum + b.sum, a.squares + b.squares) end,
      post = function(a) return a.squares / a.count - (a.sum / a.count) ^ 2 end }
    for _ = 1, 3 do
      local rows, columns = math.random(1, 20), math.random(1, 3000)
      local t, want = {}, {}
      for r = 1, rows do
        t[r] = integers(columns, 0, 500)
        want[r] = 1
        local sum, squares = 0, 0
        for c = 1, columns do
          if t[r][c] > t[r][want[r]] then want[r] = c end
          sum, squares = sum + t[r][c], squares + t[r][c] ^ 2
        end
        local got = variance(dc.array(t[r], "float64")):item()
        assert(math.abs(got - (squares / columns - (sum / columns) ^ 2)) < 1e-6, h.note())
      end
      h.same(want, first_largest(dc.array(t, "int16"), 2):to_table(), "argmax")
    end
    assert.equal(0, first_largest(dc.empty(0, "int16")):item())
  end)

  it("writes into an array, keeps axes, and takes tables", function()
    local f = dc.reduction { reduce = larger }
    local out = dc.zeros(2)
    assert.equal(out, f(dc.array { { 1, 5 }, { 7, 2 } }, 2, out))
    h.same({ 5, 7 }, out:to_table())
    local kept = f(dc.array { { 1, 5 }, { 7, 2 } }, { 1, keep = true })
    assert.same({ { 7, 5 } }, kept:to_table())
    assert.equal(4, f { 1, 4, 2 }:item())
    fails("dtype", "float32", function() f(dc.ones(2, 2), 1, dc.zeros(2, "int32")) end)
  end)

  it("refuses operators that are none", function()
    -- luacheck: push ignore
    local x = dc.ones(3)
    local function sum(a, b) return a + b end
    local function compiling(pattern, options, kind)
      local err = fails(kind or "compile", pattern, function() dc.reduction(options)(x) end)
      if kind ~= "argument" and kind ~= "dtype" then
        assert(err.message:find "operators_spec.lua:%d+: column %d+: ", err.message)
      end
    end
    compiling("returns 2 values here; one value is expected", { reduce = function(a, b) return a, b end })
    compiling("takes two values, a and b, but the function has 1", { reduce = function(a) return a end })
    compiling("takes two values, a and b, but the function has 3", { reduce = function(a, b, c) return a end })
    compiling("returns nothing here", { reduce = function(a, b) local c = a + b end })
    compiling("makes float64 of two of float32: say in option 'acc'",
      { reduce = function(a, b) return dc.float64(a) + b end })
    compiling("takes a boolean, but the function returns float32: write x ~= 0",
      { map = function(v) return v > 0 end, reduce = function(a, b) return dc.float32(1) end })
    compiling("takes int64, but the function returns float32: write dc.int64%(x%)",
      { map = function(v) return dc.int64(v) end, reduce = function(a, b) return a * 0.5 end, acc = "long long" })
    compiling("'x' is an array, which a function of elements cannot capture",
      { reduce = function(a, b) return a + b + x[1] end })
    compiling("cannot write arrays, print, or use threads",
      { reduce = function(a, b) print(a) return a end })
    compiling("cannot write arrays, print, or use threads", { map = function(v) return v + dc.thread_index() end,
      reduce = sum })
    compiling("the function takes 2 arguments %(v, w%), and is called with 1",
      { inputs = "T x", map = function(v, w) return v end, reduce = sum })
    compiling("takes 3 arguments %(a, n, m%)", { reduce = sum, post = function(a, n, m) return a end })
    compiling("takes float32, but the function returns a boolean",
      { reduce = sum, identity = function() return true end })
    compiling("operator '&' needs an integer", { reduce = function(a, b) return a & b end })
    compiling("'identity' is true, and values are combined as float32", { reduce = sum, identity = true }, "dtype")
    compiling("identity': 300 is out of range for int8",
      { map = function(v) return dc.int8(v) end, reduce = sum, identity = 300 }, "dtype")
    compiling("a type of C, 'float2', which functions in Lua do not know",
      { inputs = "float x", output = "float", acc = "float2", map = "make_float2(x, x)", reduce = sum, post = "a.x" },
      "argument")
    compiling("'reduce' is a string of CUDA C or a Lua function, got the number 3", { reduce = 3 }, "argument")
    compiling("'reduce' is a string of CUDA C or a Lua function, got a table", { reduce = {} }, "argument")
    compiling("'identity' is a number, a boolean, a string of CUDA C or a Lua function, got a table",
      { reduce = sum, identity = {} }, "argument")
    compiling("takes '%.%.%.'", { reduce = function(...) return ... end }, "argument")
    compiling("written in C", { reduce = math.max }, "argument")
    compiling("'post' is missing: values are folded as a tuple of 2",
      { map = function(v) return { v, v } end, reduce = function(a, b) return a end }, "argument")
    compiling("the operator makes float32 of two of a tuple", { map = function(v) return { v, v } end,
      reduce = function(a, b) return a[1] end, post = function(a) return a[1] end })
    compiling("the result takes a number or a boolean, but the function returns a tuple",
      { map = function(v) return { v, v } end, reduce = function(a, b) return b end, post = function(a) return a end })
    compiling("'identity' is 0, and values are combined as a tuple of 2 %(float32%): write a function",
      { map = function(v) return { v, v } end, reduce = function(a, b) return b end, identity = 0,
        post = function(a) return a[1] end }, "dtype")
    compiling("folded as a tuple of 9 %(float64%) of 72 bytes, and 64 are the most",
      { map = function(v)
          local w = dc.float64(v)
          return { w, w, w, w, w, w, w, w, w }
        end, reduce = function(a, b) return b end, post = function(a) return a[1] end }, "argument")
    compiling("'acc' is missing", { inputs = "T x", map = "x", reduce = sum, post = function(a) return a end },
      "argument")
    compiling("'output' is missing", { inputs = "T x", map = "x", reduce = sum }, "argument")
    compiling("'inputs'", { map = "x", reduce = sum, output = "float" }, "argument")
    fails("argument", "takes 1 argument %(v%)", function()
      dc.reduction { map = function(v) return v end, reduce = sum } (x, 1, nil, {}, 5)
    end)
    fails("compile", "the result takes float32, but the function returns complex64", function()
      dc.reduction { output = "float", reduce = sum, post = function(a) return a end }(dc.zeros(2, "complex64"))
    end)
    -- luacheck: pop
  end)
end)

describe("dc.scan with a function in Lua", function()
  local function last_but_zero(a, b) -- associative, not commutative
    if b == 0 then return a end
    return b
  end

  it("gives the prefixes of every length, in order", function()
    local inclusive = dc.scan { op = last_but_zero }
    local exclusive = dc.scan { op = dc.jit(last_but_zero), identity = -7, exclusive = true }
    for _, n in ipairs { 1, math.random(2, 64), math.random(65, 2048), math.random(5000, 40000) } do
      local t, want, before = integers(n, -1, 2), {}, {}
      local v
      for k = 1, n do
        before[k] = v or -7
        v = v and last_but_zero(v, t[k]) or t[k]
        want[k] = v
      end
      local a = dc.array(t, "int32")
      h.same(want, inclusive(a):to_table(), "inclusive " .. n)
      h.same(before, exclusive(a):to_table(), "exclusive " .. n)
      assert.equal("int32", inclusive(a).dtype)
    end
  end)

  it("goes along any axis, and prepares elements by map", function()
    local limit = 3
    local f = dc.scan { map = function(x) return x > limit and 1 or 0 end, op = function(a, b) return a + b end }
    local rows, columns = math.random(2, 80), math.random(2, 80)
    local t = {}
    for r = 1, rows do t[r] = integers(columns, 0, 9) end
    local a = dc.array(t, "int16")
    for _ = 1, 2 do
      local down, along = f(a, 1), f(a.T, 1)
      assert.equal("int64", down.dtype)
      local want, across = {}, {}
      for c = 1, columns do across[c] = {} end
      for r = 1, rows do
        want[r] = {}
        for c = 1, columns do
          local one = t[r][c] > limit and 1 or 0
          want[r][c] = (r > 1 and want[r - 1][c] or 0) + one
          across[c][r] = (c > 1 and across[c - 1][r] or 0) + one
        end
      end
      for r = 1, rows do h.same(want[r], down[r]:to_table(), "down") end
      for c = 1, columns do h.same(across[c], along[c]:to_table(), "along") end
      limit = 6
    end
  end)

  it("takes declared types, the element's number, and results", function()
    local f = dc.scan { input = "T x", output = "double", map = function(x, k, n) return x * k / n end,
      op = function(a, b) return a + b end }
    local t, want, sum = integers(50, 1, 9), {}, 0
    for k = 1, 50 do
      sum = sum + t[k] * k / 50
      want[k] = sum
    end
    local out = dc.zeros(50, "float64")
    assert.equal(out, f(dc.array(t, "float64"), 1, out))
    for k = 1, 50 do assert(math.abs(out[k] - want[k]) < 1e-9) end
    local saturating = dc.scan { op = function(a, b) return dc.min(a + b, 20) end }
    h.same({ 9, 18, 20, 20 }, saturating(dc.array({ 9, 9, 9, 9 }, "uint8")):to_table())
  end)

  it("refuses operators that are none", function()
    -- luacheck: push ignore
    local x = dc.ones(3)
    local function compiling(pattern, options, kind)
      fails(kind or "compile", pattern, function() dc.scan(options)(x) end)
    end
    compiling("returns 2 values here", { op = function(a, b) return a, b end })
    compiling("has 1 parameter", { op = function(a) return a end })
    compiling("makes float64 of two of float32", { op = function(a, b) return dc.float64(a) + b end })
    compiling("the operator takes float32, but the function returns a boolean: write b and 1 or 0",
      { op = function(a, b) return a > b end })
    compiling("the scan takes a number or a boolean, but the function returns a tuple",
      { map = function(v) return { v, v } end, op = function(a, b) return a end })
    compiling("one parameter", { map = function(p, q) return p end, op = function(a, b) return a end }, "argument")
    compiling("'op' is missing", { input = "float x" }, "argument")
    compiling("'op' is a string of CUDA C or a Lua function", { op = true }, "argument")
    compiling("needs option 'identity'", { op = function(a, b) return a end, exclusive = true }, "argument")
    -- luacheck: pop
  end)
end)

describe("dc.elementwise with a function in Lua", function()
  it("computes declared outputs of inputs, with the element's number", function()
    local function steps(x, limit)
      local n = 0
      while x < limit do
        x = x * 2 + 1
        n = n + 1
      end
      return x, n
    end
    local f = dc.elementwise("T x, int limit", "T z, int count", steps)
    local g = dc.elementwise("T x", "T z, double share", function(x, k, n) return x + k, k / n end)
    local n = math.random(1, 300)
    local t, want, counts, numbered, shares = integers(n, 0, 50), {}, {}, {}, {}
    for k = 1, n do
      want[k], counts[k] = steps(t[k], 100)
      numbered[k], shares[k] = t[k] + k, k / n
    end
    local z, c = f(dc.array(t, "float64"), 100)
    assert.equal("float64", z.dtype)
    assert.equal("int32", c.dtype)
    h.same(want, z:to_table(), "z")
    h.same(counts, c:to_table(), "n")
    local a, b = g(dc.array(t, "int32"))
    h.same(numbered, a:to_table(), "numbered")
    h.same(shares, b:to_table(), "shares")
  end)

  it("finds the dtypes of outputs that no input tells, broadcasts, and writes into arrays", function()
    local f = dc.elementwise("A x, B y", "R z", function(x, y) return x > y and x or y end)
    local z = f(dc.array({ { 1 }, { 5 } }, "int16"), dc.array({ 2, 9 }, "int32"))
    assert.equal("int32", z.dtype)
    assert.same({ { 2, 9 }, { 5, 9 } }, z:to_table())
    local out = dc.zeros(2, "float64")
    assert.equal(out, f(dc.array({ 1, 2 }, "float64"), 1.5, out))
    h.same({ 1.5, 2 }, out:to_table())
  end)

  it("refuses what is no operation", function()
    -- luacheck: push ignore
    local x = dc.ones(3)
    fails("compile", "returns 2 values, and 1 is expected: T z", function()
      dc.elementwise("T x", "T z", function(v) return v, v end)(x)
    end)
    fails("compile", "'int z' takes int32, but the function returns float32: write dc.int32%(x%)", function()
      dc.elementwise("float x", "int z", function(v) return v end)(x)
    end)
    fails("compile", "takes 4 arguments %(a, b, c, d%), and is called with 1", function()
      dc.elementwise("float x", "float z", function(a, b, c, d) return a end)(x)
    end)
    fails("compile", "'float z' takes a number or a boolean, but the function returns a tuple", function()
      dc.elementwise("float x", "float z", function(v) return { v, v } end)(x)
    end)
    fails("argument", "'raw float %*x': a function in Lua takes elements", function()
      dc.elementwise("raw float *x", "float z", function(v) return v end)
    end)
    fails("argument", "is a string of CUDA C %(\"z = x %* y\"%) or a Lua function, got the number 3", function()
      dc.elementwise("float x", "float z", 3)
    end)
    -- luacheck: pop
  end)
end)

describe("complex numbers", function()
  -- Gaussian integers, so that sums and products are exact.
  local function gaussian(n, most)
    local t = {}
    for k = 1, n do t[k] = dc.complex(math.random(-most, most), math.random(-most, most)) end
    return t
  end

  it("are folded, scanned, and computed by elements", function()
    for _, dtype in ipairs { "complex64", "complex128" } do
      local n = math.random(2, 3000)
      local t = gaussian(n, 9)
      local a = dc.array(t, dtype)
      local re, im, norm, prefix = 0, 0, 0, {}
      for k, z in ipairs(t) do
        re, im, norm = re + z.re, im + z.im, norm + z.re ^ 2 + z.im ^ 2
        prefix[k] = dc.complex(re, im)
      end
      local sum = dc.reduction { reduce = function(p, q) return p + q end, identity = 0 }
      assert.equal(dc.complex(re, im), sum(a):item())
      assert.equal(dtype, sum(a).dtype)
      assert.equal(dc.complex(0, 0), sum(dc.empty(0, dtype)):item())
      local length = dc.reduction { map = function(z) return dc.real(z * dc.conj(z)) end,
        reduce = function(p, q) return p + q end }
      assert.equal(norm, length(a):item())
      local scan = dc.scan { op = function(p, q) return p + q end }
      h.same(prefix, scan(a):to_table(), "prefixes")
      local turned = dc.elementwise("T z, bool turn", "T w, float size", function(z, turn)
        if turn then return z * dc.complex(0, 1), dc.real(z) end
        return z, 0
      end)
      local w, size = turned(a, dc.array({ true }))
      for k = 1, n, 7 do
        assert.equal(dc.complex(-t[k].im, t[k].re), w[k])
        assert.equal(t[k].re, size[k])
      end
    end
  end)

  it("go through functions that CUDA C calls, and control flow of dc.vectorize", function()
    local t = gaussian(50, 4)
    local a = dc.array(t, "complex64")
    local function upper(z)
      if dc.imag(z) < 0 then return dc.conj(z) end
      return z
    end
    local by_text = dc.elementwise("T z", "T w", "w = upper(z)", { functions = { upper = upper } })(a)
    local vectorized = dc.vectorize(upper)(a)
    for k, z in ipairs(t) do
      assert.equal(dc.complex(z.re, math.abs(z.im)), by_text[k])
      assert.equal(by_text[k], vectorized[k])
    end
  end)
end)

describe("functions in Lua that expressions of CUDA C call", function()
  local function halvings(x, limit)
    local n = 0
    while x > limit do
      x = x // 2
      n = n + 1
    end
    return dc.int32(n)
  end

  it("are there for the dtypes of the call, in every builder and in preambles", function()
    local t = integers(100, 1, 1000)
    local want, sum, prefix = {}, 0, {}
    for k, v in ipairs(t) do
      want[k] = halvings(v, 3) * 2
      sum = sum + halvings(v, 3)
      prefix[k] = sum
    end
    local functions = { halvings = halvings }
    local f = dc.elementwise("T x, T limit", "int z", "z = twice(x, limit)", { functions = functions,
      preamble = "template<class T> __device__ int twice(T x, T limit) { return 2 * halvings(x, limit); }" })
    for _, dtype in ipairs { "int32", "int64", "float32" } do
      h.same(want, f(dc.array(t, dtype), 3):to_table(), dtype)
    end
    local r = dc.reduction { inputs = "T x", output = "int", map = "halvings(x, (T)3)", reduce = "a + b",
      functions = functions }
    assert.equal(sum, r(dc.array(t, "int32")):item())
    local s = dc.scan { input = "T x", output = "int", map = "halvings(x, (T)3)", op = "a + b",
      functions = { halvings = dc.jit(halvings) } }
    h.same(prefix, s(dc.array(t, "uint16")):to_table(), "scan")
  end)

  it("have declared dtypes where they are named, and follow what they capture", function()
    local offset = 1
    local f = dc.elementwise("double x", "double z", "z = shifted(3 * x)",
      { functions = { shifted = { function(x) return x + offset end, "float32", "float64" } } })
    assert.equal(4, f(1):item())
    offset = 10
    assert.equal(13, f(dc.ones(1, "float64"))[1])
  end)

  it("are checked", function()
    local function wrong(pattern, functions, kind, text)
      fails(kind or "argument", pattern, function()
        dc.elementwise("float x", "float z", text or "z = f(x)", { functions = functions })(dc.ones(2))
      end)
    end
    -- luacheck: push ignore
    wrong("'functions' is a table of functions by name, got the number 3", 3)
    wrong("'functions': '1' is no name", { function(x) return x end })
    wrong("'functions': 'int' is no name", { int = function(x) return x end })
    wrong("'functions': 'erf' is the name of a function of CUDA's", { erf = function(x) return x end })
    wrong("'functions': 'a b' is no name", { ["a b"] = function(x) return x end })
    wrong("'functions': 'f': a Lua function expected, got the number 1", { f = 1 })
    wrong("'float31' of 'f' is no dtype", { f = { function(x) return x end, "float31" } })
    wrong("'f' is a function, or a list of one and its arguments' dtypes", { f = { function(x) return x end } })
    wrong("the function takes 1 argument %(x%), and is called with 2",
      { f = { function(x) return x end, "float32, float32" } }, "compile")
    wrong("returns 2 values here", { f = function(x) return x, x end }, "compile")
    wrong("operator '&' needs an integer", { f = function(x) return x & 1 end }, "compile")
    fails("compile", "There is no f%(float32%): .*operator '&' needs an integer", function()
      local functions = { f = function(x) return x & 1 end }
      dc.elementwise("float x, int y", "float z", "z = g(x) + f(y)", { functions = functions })(1, dc.ones(2, "int32"))
    end)
    fails("argument", "name its arguments' dtypes", function()
      dc.elementwise("float a, int b, double c", "short z", "z = f(a)",
        { functions = { f = function(p, q, r, s) return p end } })(dc.ones(2), 1, 2)
    end)
    -- luacheck: pop
  end)
end)
