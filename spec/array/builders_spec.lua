-- dc.elementwise, dc.reduction, dc.scan and dc.vectorize against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails = h.note, h.fails

local names = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64" }
local small_names = { "int8", "uint16", "int32", "uint64", "float32", "float64" }

-- Values that every dtype but bool holds, and whose small sums it holds too.
local function small(n, dtype)
  local t = {}
  for k = 1, n do
    if dtype == "bool" then t[k] = math.random(2) == 1 else t[k] = math.random(0, 9) end
  end
  return t
end

local function array(t, dtype) return dc.array(t, dtype) end

describe("dc.elementwise", function()
  local muladd = dc.elementwise("T x, T y", "T z", "z = x * y + 1")

  it("computes every dtype, at sizes around multiples of a vector and a block", function()
    for _, dtype in ipairs(names) do
      if dtype ~= "bool" then
        for _, n in ipairs { 1, 15, 16, 17, 255, 257, math.random(2000, 5000) } do
          local a, b, want = small(n), small(n), {}
          for k = 1, n do want[k] = a[k] * b[k] + 1 end
          local z = muladd(array(a, dtype), array(b, dtype))
          assert.equal(dtype, z.dtype)
          h.same(want, z:to_table(), dtype)
        end
      end
    end
  end)

  it("computes views that begin at any element", function()
    local n = 1000
    local a = small(n)
    local x = array(a, "int32")
    for _ = 1, 6 do
      local first, step = math.random(1, 20), math.random(1, 3) * (math.random(2) == 1 and 1 or -1)
      local view = step > 0 and x[{ { first, n, step } }] or x[{ { n - first, 1, step } }]
      local t, want = view:to_table(), {}
      for k = 1, #t do want[k] = t[k] * 2 + 1 end
      h.same(want, muladd(view, 2):to_table(), "a view")
    end
  end)

  it("broadcasts", function()
    for _ = 1, 8 do
      local full = h.shape(math.random(1, 4), 5)
      local shapes, flats, arrays = {}, {}, {}
      for k = 1, 2 do
        local shape = {}
        for d = math.random(1, #full), #full do
          local keep = math.random(3) > 1 or k == 1 and d == 1
          shape[#shape + 1] = keep and full[d] or 1
        end
        shapes[k], flats[k] = shape, small(h.product(shape))
        arrays[k] = dc.array(flats[k], "int32"):reshape(shape)
      end
      local plain = arrays[1] * arrays[2] + 1
      local z = muladd(arrays[1], arrays[2])
      local text = table.concat(shapes[1], ",") .. " and " .. table.concat(shapes[2], ",")
      assert(dc.equal(plain, z), note("shapes " .. text))
    end
  end)

  it("takes transposed arrays, numbers, tables and 0-d arrays", function()
    local x = dc.arange(1, 24, "float64"):reshape(2, 3, 4)
    assert(dc.equal(x:transpose(3, 1, 2) * 2.5 + 1, muladd(x:transpose(3, 1, 2), 2.5)))
    assert(dc.equal(x.T * x.T + 1, muladd(x.T, x.T)))
    assert(dc.equal(x * 3 + 1, muladd(x, dc.array(3, "float64"))))
    h.same({ 5, 13 }, muladd(dc.array { 2, 4 }, { 2, 3 }):to_table())
    local one = muladd(3, 4)
    assert.equal(0, one.ndim)
    assert.equal(13, one:item())
    assert.equal("float32", one.dtype)
  end)

  it("computes pending expressions first", function()
    local x = dc.arange(1, 50)
    local e = x * 2 + 1
    local z = muladd(e, e)
    x:fill(0)
    assert.equal(101 * 101 + 1, z[50])
  end)

  it("returns several results, or writes into arrays passed as results", function()
    local divmod = dc.elementwise("int a, int b", "int q, int r, bool exact", "q = a / b; r = a % b; exact = r == 0;")
    local n = 300
    local a, b = h.ints(n, 0, 1000), h.ints(n, 1, 20)
    local q, r, exact = divmod(array(a, "int32"), array(b, "int32"))
    for k = 1, n do
      assert.equal(a[k] // b[k], q[k])
      assert.equal(a[k] % b[k], r[k])
      assert.equal(a[k] % b[k] == 0, exact[k])
    end
    local q2, r2, e2 = dc.zeros(n, "int32"), dc.zeros(2 * n, "int32"), dc.zeros(n, "bool")
    local back = r2[{ { 2 * n - 1, 1, -2 } }]
    local g1, g2, g3 = divmod(array(a, "int32"), array(b, "int32"), q2, back, e2)
    assert(rawequal(g1, q2) and rawequal(g2, back) and rawequal(g3, e2))
    assert(dc.equal(q, q2) and dc.equal(r, back) and dc.equal(exact, e2))
    assert.equal(0, r2[2])
  end)

  it("leaves elements of a passed result unchanged where the body does not set them", function()
    local set_even = dc.elementwise("int x", "int y", "if (x % 2 == 0) y = x;")
    local x = dc.arange(1, 100, "int32")
    local y = set_even(x, dc.full(100, -1, "int32"))
    assert.equal(-1, y[99])
    assert.equal(100, y[100])
    assert.equal(0, set_even(x)[1])
  end)

  it("may write arrays that it reads, however they overlap", function()
    local a = h.ints(600)
    local x = array(a, "int32")
    muladd(x, 3, x)
    for k = 1, 600 do assert.equal(a[k] * 3 + 1, x[k]) end
    x = array(a, "int32")
    muladd(x[{ { 1, 599 } }], 1, x[{ { 2, 600 } }])
    assert.equal(a[1], x[1])
    for k = 2, 600 do assert.equal(a[k - 1] + 1, x[k], note()) end
    x = array(a, "int32")
    muladd(x[{ { 600, 1, -1 } }], 1, x)
    for k = 1, 600 do assert.equal(a[601 - k] + 1, x[k], note()) end
  end)

  it("provides i, n, raw arrays and a preamble to the body, which may return", function()
    local f = dc.elementwise("raw const float *x, int shift", "float y", [[
      if (i + shift >= n) return;
      y = twice(x[i + shift]);]], { name = "shifted", preamble = "__device__ float twice(float v) { return v + v; }" })
    local x = dc.arange(1, 100)
    local y = f(x, 10, dc.full(100, -7))
    assert.equal(22, y[1])
    assert.equal(200, y[90])
    assert.equal(-7, y[91])
    local count = dc.elementwise("int v", "raw int *bins", "atomicAdd(&bins[v], 1);")
    local bins = dc.zeros(10, "int32")
    local t, want = h.ints(5000, 0, 9), {}
    for k = 1, 10 do want[k] = 0 end
    for _, v in ipairs(t) do want[v + 1] = want[v + 1] + 1 end
    count(array(t, "int32"), bins)
    h.same(want, bins:to_table())
  end)

  it("compiles dtype placeholders once for each combination of dtypes", function()
    local f = dc.elementwise("A x, B y", "B z", "z = (B)x + y")
    dc.stats "reset"
    assert.equal("float64", f(dc.ones(3, "int8"), dc.ones(3, "float64")).dtype)
    assert.equal("int8", f(dc.ones(3, "float64"), dc.ones(3, "int8")).dtype)
    local launches, compiled = dc.stats().launches, dc.stats().compiles + dc.stats().cache_hits
    for _ = 1, 5 do f(dc.ones(3, "int8"), dc.ones(3, "float64")) end
    assert.equal(launches + 5 + 10, dc.stats().launches + 10)
    assert.equal(compiled, dc.stats().compiles + dc.stats().cache_hits)
  end)

  it("launches nothing for arrays without elements", function()
    dc.stats "reset"
    local z = muladd(dc.empty(0, 3, "int32"), dc.empty(1, 3, "int32"))
    assert.equal(0, z.size)
    assert.equal(2, z.ndim)
    assert.equal(0, dc.stats().launches)
  end)

  it("refuses arguments that do not fit the declaration, with the reason", function()
    local f = dc.elementwise("float x, float y", "float z", "z = x + y", { name = "plus" })
    fails("shape", "%(4,%).*%(3,%)", function() f(dc.ones(3), dc.ones(4)) end)
    fails("shape", "result 1.*%(2,%).*%(3,%)", function() f(dc.ones(3), 1, dc.ones(2)) end)
    fails("dtype", "plus.*float x.*float64", function() f(dc.ones(3, "float64"), 1) end)
    fails("dtype", "T is float32 by 'x' and float64 by 'y'", function() muladd(dc.ones(3), dc.ones(3, "float64")) end)
    fails("argument", "'plus' takes 2 arguments.*3.*got 1", function() f(dc.ones(3)) end)
    fails("argument", "got 4", function() f(1, 2, dc.ones(3), 4) end)
    fails("argument", "float y.*got nil", function() f(1, nil) end)
    fails("argument", "the string 'a'", function() f("a", 1) end)
    fails("argument", "result.*float z.*the number 3", function() f(1, 2, 3) end)
    fails("argument", "broadcast view", function() f(dc.ones(2, 3), 1, dc.zeros(3):broadcast_to(2, 3)) end)
    fails("argument", "is closed", function()
      local x = dc.ones(3)
      x:close()
      f(x, 1)
    end)
    local two = dc.elementwise("float x", "float y, float z", "y = x; z = x;")
    fails("argument", "results 1 and 2 share memory", function()
      local a = dc.zeros(4)
      two(dc.ones(4), a, a)
    end)
    fails("argument", "raw result", function() dc.elementwise("float x", "raw float *y", "")(1) end)
    fails("argument", "how many elements", function()
      dc.elementwise("raw float *x", "raw float *y", "")(dc.ones(1), dc.ones(1))
    end)
  end)

  it("refuses invalid declarations", function()
    for text, pattern in pairs { ["flot x"] = "flot", x = "'x'", ["float i"] = "'i' is taken", ["float *x"] = "raw",
      ["float x, float x"] = "twice", ["float dc_x"] = "dc_", ["float x,,float y"] = "no parameter" } do
      fails("argument", pattern, function() dc.elementwise(text, "float z", "z = 1") end)
    end
    fails("argument", "at least one output", function() dc.elementwise("float x", "", "") end)
    fails("argument", "operation is a string", function() dc.elementwise("float x", "float y") end)
    fails("argument", "argument #1 .* a string of parameters", function() dc.elementwise({}, "float y", "") end)
    fails("argument", "no option 'nmae'", function() dc.elementwise("float x", "float y", "", { nmae = "f" }) end)
    fails("argument", "inputs.*a string.*got nil", function() dc.elementwise(nil, "float y", "") end)
  end)

  it("shows compile errors at the script's line of the operation", function()
    local line = h.line(2)
    local f = dc.elementwise("float x", "float y", [[
      float t = x;
      y = t * missing;]])
    local err = fails("compile", "missing", function() f(dc.ones(3)) end)
    assert(tostring(err):find(("builders_spec.lua:%d"):format(line + 1), 1, true), tostring(err))
  end)
end)

-- --- reductions -------------------------------------------------------------------------------------------------

-- Folds a flat C-order list along axes (a set), in plain Lua.
local function fold_axes(flat, shape, axes, fold, start)
  local out, kept = {}, {}
  for d = 1, #shape do
    if not axes[d] then kept[#kept + 1] = d end
  end
  for at = 0, #flat - 1 do
    local rest, coordinates = at, {}
    for d = #shape, 1, -1 do
      coordinates[d] = rest % shape[d]
      rest = rest // shape[d]
    end
    local place = 0
    for _, d in ipairs(kept) do place = place * shape[d] + coordinates[d] end
    out[place + 1] = fold(out[place + 1] == nil and start or out[place + 1], flat[at + 1])
  end
  return out
end

local function add(a, b) return a + b end

describe("dc.reduction", function()
  local sum = dc.reduction { inputs = "T x", output = "T", reduce = "a + b", identity = "0", name = "total" }

  it("reduces every dtype and length", function()
    for _, dtype in ipairs(small_names) do
      for _, n in ipairs { 1, 31, 33, 1023, 4097, math.random(5000, 20000) } do
        local t, want = {}, 0
        for k = 1, n do
          t[k] = math.random(0, 1)
          want = want + t[k]
        end
        if dtype == "int8" then want = (want + 128) % 256 - 128 end
        local total = sum(array(t, dtype))
        assert.equal(dtype, total.dtype)
        assert.equal(0, total.ndim)
        assert.equal(want, total:item(), note(dtype .. " " .. n))
      end
    end
  end)

  it("reduces along any axes, also of transposed and sliced arrays", function()
    for _ = 1, 25 do
      local shape = h.shape(math.random(1, 4), 6)
      local flat = h.ints(h.product(shape), -50, 50)
      local x, axes, list = dc.array(flat, "int64"):reshape(shape), {}, {}
      for d = 1, #shape do
        if math.random(2) == 1 then
          axes[d] = true
          list[#list + 1] = math.random(2) == 1 and d or d - #shape - 1
        end
      end
      if #list > 0 then
        local want = fold_axes(flat, shape, axes, add, 0)
        local got = sum(x, list)
        h.same(want, got:reshape(-1):to_table(), "axes of a " .. #shape .. "-d array")
        list.keep = true
        local kept = sum(x, list)
        assert.equal(#shape, kept.ndim)
        for d, n in ipairs { kept:shape() } do assert.equal(axes[d] and 1 or shape[d], n) end
        -- the same elements the other way round in memory
        local turned, turned_axes = x.T:copy().T, {}
        for k, d in ipairs(list) do turned_axes[k] = d end
        h.same(want, sum(turned, turned_axes):reshape(-1):to_table(), "axes of a turned array")
      end
    end
  end)

  it("reduces long axes with few and with many results in several blocks", function()
    local rows, columns = 3, 20000
    local x = dc.ones(rows, columns, "int32")
    h.same({ columns, columns, columns }, sum(x, 2):to_table())
    h.same({ columns, columns, columns }, sum(x.T, 1):to_table())
    local tall = dc.arange(1, 2000 * 40, "int64"):reshape(2000, 40)
    local got = sum(tall, 1):to_table()
    for k = 1, 40 do assert.equal(2000 * k + 40 * 1999 * 2000 // 2, got[k]) end
  end)

  it("takes several inputs, map, post and an accumulator of another type", function()
    local dot = dc.reduction { inputs = "float x, float y", output = "float", acc = "double", map = "(double)x * y",
      reduce = "a + b", identity = "0" }
    local n = 5000
    local a, b, want = h.ints(n), h.ints(n), 0
    for k = 1, n do want = want + a[k] * b[k] end
    assert.equal(h.f32(want), dot(array(a), array(b)):item())
    assert.equal(10 * 6, dot(dc.array { 1, 2, 3 }, 10):item())
    h.same({ 14, 32 }, dot(dc.array { { 1, 2, 3 }, { 4, 5, 6 } }, dc.array { 1, 2, 3 }, 2):to_table())
    local mean = dc.reduction { inputs = "T x", output = "double", reduce = "a + b", post = "a / n", identity = "0" }
    local x = dc.arange(1, 9999, "int32")
    assert.equal(5000, mean(x):item())
    assert.equal(5000, mean(x:reshape(9, 1111), { 1, 2 }):item())
  end)

  it("reduces values of a type that the user defines", function()
    local argmin = dc.reduction { name = "argmin", inputs = "float x", output = "int64", acc = "best",
      preamble = "struct best { float v; long long at; };", map = "best{x, (long long)i}",
      reduce = "b.v < a.v || (b.v == a.v && b.at < a.at) ? b : a", post = "a.at + 1" }
    for _, n in ipairs { 1, 100, 30000 } do
      local t = h.ints(n, -1000, 1000)
      local best = 1
      for k = 2, n do
        if t[k] < t[best] then best = k end
      end
      assert.equal(best, argmin(array(t)):item(), note())
    end
    local x = dc.array { { 3, 1, 2 }, { 0, 5, -1 } }
    h.same({ 2, 3 }, argmin(x, 2):to_table())
    fails("shape", "argmin.*identity", function() argmin(dc.empty(0)) end)
    fails("compile", "64 bytes", function()
      dc.reduction { inputs = "float x", output = "float", acc = "big", preamble = "struct big { float v[17]; };",
        map = "big{}", reduce = "a", post = "a.v[0]" }(dc.ones(3))
    end)
  end)

  it("gives the same bits each time and for each memory layout", function()
    local x = dc.array(h.values(20000, "float32"))
    local first = sum(x):bytes()
    for _ = 1, 3 do assert.equal(first, sum(x):bytes()) end
    local doubled = dc.empty(40000)
    doubled[{ { 1, 40000, 2 } }] = x
    assert.equal(first, sum(doubled[{ { 1, 40000, 2 } }]):bytes())
  end)

  it("of no elements is the identity", function()
    local norm = dc.reduction { inputs = "float x", output = "float", map = "x * x", reduce = "a + b", identity = "9",
      post = "sqrtf(a)" }
    assert.equal(3, norm(dc.empty(0)):item())
    h.same({ 3, 3 }, norm(dc.empty(2, 0), 2):to_table())
    assert.equal(0, norm(dc.empty(0, 2), 2).size)
    assert.equal(5, norm(dc.array { 3, -4 }):item())
    assert.equal(2, norm(dc.array(2)):item())
  end)

  it("writes into an array passed as the result", function()
    local x = dc.ones(4, 6, "int32")
    local out = dc.zeros(4, "int32")
    assert(rawequal(out, sum(x, 2, out)))
    h.same({ 6, 6, 6, 6 }, out:to_table())
    sum(x, 1, x[{ 2, ":" }]) -- into what it reads
    h.same({ 4, 4, 4, 4, 4, 4 }, x[2]:to_table())
    h.same({ 1, 1, 1, 1, 1, 1 }, x[1]:to_table())
    sum(x, 2, x[{ ":", 3 }])
    h.same({ 6, 24, 6, 6 }, x[{ ":", 3 }]:to_table())
  end)

  it("refuses arguments that do not fit", function()
    local x = dc.ones(2, 3)
    fails("index", "total: axis 3 is out of range.*2", function() sum(x, 3) end)
    fails("index", "axis 0", function() sum(x, 0) end)
    fails("argument", "axis %-2 is named twice", function() sum(x, { 1, -2 }) end)
    fails("argument", "an axis is an integer", function() sum(x, 1.5) end)
    fails("argument", "'total' takes 1 argument %(.*%), perhaps axes.*, got 0", function() sum() end)
    fails("shape", "%(2,%).*%(3,%)", function() sum(x, 2, dc.zeros(3)) end)
    fails("dtype", "float32.*int32", function() sum(x, 2, dc.zeros(2, "int32")) end)
    fails("argument", "T x.*nil", function() sum(nil) end)
    fails("argument", "'reduce' is missing", function() dc.reduction { inputs = "float x", output = "float" } end)
    fails("argument", "'output' is missing", function() dc.reduction { inputs = "float x", reduce = "a + b" } end)
    fails("argument", "'map' is missing", function()
      dc.reduction { inputs = "float x, float y", output = "float", reduce = "a + b" }
    end)
    fails("argument", "'inputs'", function() dc.reduction {} end)
    fails("argument", "a table of options", function() dc.reduction() end)
    fails("dtype", "what U is", function() dc.reduction { inputs = "T x", output = "U", reduce = "a" }(x) end)
    local line = h.line(1)
    local bad = dc.reduction { inputs = "float x", output = "float", reduce = "a + absent" }
    local err = fails("compile", "absent", function() bad(x) end)
    assert(tostring(err):find(("builders_spec.lua:%d"):format(line), 1, true), tostring(err))
  end)
end)

-- --- scans ------------------------------------------------------------------------------------------------------

describe("dc.scan", function()
  local cumsum = dc.scan { input = "T x", output = "T", op = "a + b" }
  local before = dc.scan { input = "int x", output = "long long", op = "a + b", identity = "0", exclusive = true }

  it("gives the prefixes of every length", function()
    for _, n in ipairs { 1, 2, 63, 64, 65, 2047, 2048, 2049, 4500, 70000 } do
      local t, want, exclusive, run = h.ints(n), {}, {}, 0
      for k = 1, n do
        exclusive[k] = run
        run = run + t[k]
        want[k] = run
      end
      local x = array(t, "int32")
      assert(dc.equal(cumsum(x), array(want, "int32")), note("inclusive " .. n))
      assert(dc.equal(before(x), array(exclusive, "int64")), note("exclusive " .. n))
    end
  end)

  it("goes along any axis, of transposed arrays too", function()
    for _, shape in ipairs { { 3, 4 }, { 5, 1, 7 }, { 100, 70 }, { 2, 3000 }, { 3000, 40 }, { 4, 90, 3 } } do
      local flat = h.ints(h.product(shape), -9, 9)
      local x = dc.array(flat, "int32"):reshape(shape)
      for axis = 1, #shape do
        local want, step = {}, 1
        for d = axis + 1, #shape do step = step * shape[d] end
        for k = 1, #flat do
          want[k] = flat[k] + ((k - 1) // step % shape[axis] > 0 and want[k - step] or 0)
        end
        local reference = dc.array(want, "int32"):reshape(shape)
        assert(dc.equal(cumsum(x, axis), reference), note("axis " .. axis))
        assert(dc.equal(cumsum(x.T:copy().T, axis - #shape - 1), reference), note("turned, axis " .. axis))
      end
    end
  end)

  it("combines in order, for operations that are not commutative", function()
    -- affine maps x -> p x + q modulo 2^16, packed: (p, q) of a then of b
    local op = [[(((a >> 16) * (b >> 16)) << 16) | (((a & 0xffffu) * (b >> 16) + (b & 0xffffu)) & 0xffffu)]]
    local compose = dc.scan { input = "unsigned int x", output = "unsigned int", op = op }
    for _, n in ipairs { 50, 3000, 9001 } do
      local t, want = {}, {}
      for k = 1, n do
        t[k] = math.random(0, 65535) << 16 | math.random(0, 65535)
        local p, q = t[k] >> 16, t[k] & 0xffff
        if k == 1 then want[k] = t[k]
        else want[k] = ((want[k - 1] >> 16) * p & 0xffff) << 16 | ((want[k - 1] & 0xffff) * p + q) & 0xffff end
      end
      assert(dc.equal(compose(array(t, "uint32")), array(want, "uint32")), note("n = " .. n))
      local column = dc.empty(n, 33, "uint32")
      for k = 1, 33, 8 do column[{ ":", k }] = array(t, "uint32") end
      assert(dc.equal(compose(column, 1)[{ ":", 9 }], array(want, "uint32")), note("columns, n = " .. n))
    end
  end)

  it("computes every dtype, and applies map", function()
    for _, dtype in ipairs(small_names) do
      local t, want = small(20), {}
      for k = 1, 20 do want[k] = (want[k - 1] or 0) + t[k] end
      if dtype == "int8" then
        for k = 1, 20 do want[k] = (want[k] + 128) % 256 - 128 end
      end
      h.same(want, cumsum(array(t, dtype)):to_table(), dtype)
    end
    local longest = dc.scan { input = "float x", output = "int", map = "(int)fabsf(x)", op = "a > b ? a : b" }
    h.same({ 1, 5, 5, 7 }, longest { 1, -5, 2, 7.5 }:to_table())
  end)

  it("writes into an array passed as the result, also over its input", function()
    local x = dc.ones(5000, "int32")
    assert(rawequal(x, cumsum(x, nil, x)))
    assert.equal(5000, x[5000])
    local y = dc.ones(300, "int32")
    cumsum(y[{ { 300, 1, -1 } }], 1, y)
    assert.equal(300, y[300])
    local wide = dc.zeros(10, 2, "int32")
    cumsum(dc.ones(10, "int32"), 1, wide[{ ":", 2 }])
    assert.equal(10, wide[{ 10, 2 }])
    assert.equal(0, wide[{ 10, 1 }])
  end)

  it("of no elements has no elements", function()
    assert.equal(0, cumsum(dc.empty(0)).size)
    assert.equal(0, cumsum(dc.empty(3, 0), 1).size)
  end)

  it("refuses arguments that do not fit", function()
    fails("argument", "takes an array.*the number 3", function() cumsum(3) end)
    fails("shape", "without axes", function() cumsum(dc.array(3)) end)
    fails("index", "axis 2 is out of range: there is 1", function() cumsum(dc.ones(3), 2) end)
    fails("argument", "'scan' takes", function() cumsum() end)
    fails("dtype", "float32.*int32", function() cumsum(dc.ones(3), 1, dc.zeros(3, "int32")) end)
    fails("shape", "%(4,%)", function() cumsum(dc.ones(3), 1, dc.zeros(4)) end)
    fails("argument", "'identity'", function() dc.scan { input = "int x", op = "a + b", exclusive = true } end)
    fails("argument", "'op' is missing", function() dc.scan { input = "int x" } end)
    fails("argument", "one parameter", function() dc.scan { input = "int x, int y", op = "a" } end)
    fails("dtype", "int x.*float32", function() before(dc.ones(3)) end)
  end)
end)

-- --- vectorize --------------------------------------------------------------------------------------------------

describe("dc.vectorize", function()
  it("has every operator and comparison of 16-bit floats", function()
    for _, t in ipairs { "float16", "bfloat16" } do
      local v = { 1.5, -2.5, 0.25, 3 }
      local f = dc.vectorize(function(x) return x % 2, x // 2, dc.isnan(x), dc.signbit(x), x / 2 end)
      local got = { f(dc.array(v, t)) }
      for i, x in ipairs(v) do
        assert.equal(x % 2, got[1][i])
        assert.equal(x // 2, got[2][i])
        assert.equal(false, got[3][i])
        assert.equal(x < 0, got[4][i])
        assert.equal(x / 2, got[5][i])
      end
      assert.equal(t, got[1].dtype)
      assert.is_true(dc.vectorize(function(x) return dc.isnan(x) end)(dc.array({ 0 / 0 }, t))[1])
    end
  end)

  it("gives the results of the same function on numbers", function()
    local function f(x, y)
      local t = x * y - 3
      return t / (y + 10), -t + x // 2 % 5, t ^ 2
    end
    local v = dc.vectorize(f)
    local a, b = h.ints(500), h.ints(500, 1, 100)
    local r1, r2, r3 = v(array(a, "float64"), array(b, "float64"))
    for k = 1, 500 do
      local w1, w2, w3 = f(a[k] * 1.0, b[k] * 1.0)
      assert.equal(w1, r1[k], note())
      assert.equal(w2, r2[k], note())
      assert.equal(w3, r3[k], note())
    end
  end)

  it("has Lua's integer division, remainder, bits and shifts", function()
    local function f(x, y) return x // y, x % y, x & y, x | y, x ~ y, ~x end
    local a, b = h.ints(400), h.ints(400, -9, 9)
    for k = 1, 400 do
      if b[k] == 0 then b[k] = 4 end
    end
    for _, dtype in ipairs { "int16", "int32", "int64" } do
      local got = { dc.vectorize(f)(array(a, dtype), array(b, dtype)) }
      for k = 1, 400 do
        for j, want in ipairs { f(a[k], b[k]) } do
          assert.equal(want, got[j][k], note(("%s, result %d of %d, %d"):format(dtype, j, a[k], b[k])))
        end
      end
      assert.equal(dtype, got[1].dtype)
    end
    local left, right = dc.vectorize(function(x, n) return x << n, x >> n end)(dc.array({ 1, -8, 5, 7, -1 }, "int32"),
      dc.array({ 4, 1, 31, 32, 99 }, "int32"))
    h.same({ 16, -16, -2147483648, 0, 0 }, left:to_table())
    h.same({ 0, -4, 0, 0, -1 }, right:to_table())
    h.same({ 0, 0, 0 }, dc.vectorize(function(x) return x // 0 + x % 0 end)(dc.array({ 1, 2, 3 }, "int32")):to_table())
    local negated = dc.vectorize(function(x) return x // -1 end)
    assert.equal(math.mininteger, negated(dc.array({ math.mininteger }, "int64"))[1])
  end)

  it("compares through methods and chooses with dc.where", function()
    local f = dc.vectorize(function(x, y)
      return x:lt(y), x:le(y), x:gt(y), x:ge(y), x:eq(y), x:ne(y), dc.where(x:lt(y) & y:ne(3), x, -1)
    end)
    local a, b = h.ints(200, 0, 5), h.ints(200, 0, 5)
    local r = { f(array(a, "int16"), array(b, "int32")) }
    for k = 1, 200 do
      local x, y = a[k], b[k]
      for j, want in ipairs { x < y, x <= y, x > y, x >= y, x == y, x ~= y } do assert.equal(want, r[j][k]) end
      assert.equal(x < y and y ~= 3 and x or -1, r[7][k])
    end
    h.same({ false, true }, dc.vectorize(function(x) return x:gt(1.5) end)(dc.array({ 1, 2 }, "int32")):to_table())
    h.same({ true, true }, dc.vectorize(function(x) return x:lt(1000) end)(dc.array({ 1, 2 }, "int8")):to_table())
  end)

  it("follows the dtypes of the arrays' own operators", function()
    local ops = {
      function(x, y) return x + y end, function(x, y) return x - y end, function(x, y) return x * y end,
      function(x, y) return x / y end,
    }
    local vectorized = {}
    for k, op in ipairs(ops) do vectorized[k] = dc.vectorize(op) end
    for _ = 1, 14 do
      local d1, d2 = names[math.random(#names)], names[math.random(#names)]
      local x, y = array(small(9, d1), d1), array(small(9, d2), d2)
      for k, op in ipairs(ops) do
        local want, got = op(x, y), vectorized[k](x, y)
        assert.equal(want.dtype, got.dtype, note(d1 .. " " .. d2))
        assert.equal(want:bytes(), got:bytes(), note(("operator %d of %s and %s"):format(k, d1, d2)))
      end
      for _, number in ipairs { 2, 0.5 } do
        local want, got = x * number, vectorized[3](x, number)
        assert.equal(want.dtype, got.dtype, note(("%s and %s"):format(d1, number)))
        assert.equal(want:bytes(), got:bytes(), note(d1))
        local constant = dc.vectorize(function(v) return v * number end)(x)
        assert.equal(want.dtype, constant.dtype)
        assert.equal(want:bytes(), constant:bytes(), note(d1))
      end
    end
  end)

  it("has the math functions by name, as functions and methods", function()
    local x = dc.linspace(0.1, 0.9, 33, "float64")
    for name, reference in pairs { sqrt = math.sqrt, exp = math.exp, sin = math.sin, acos = math.acos,
      atan = math.atan, floor = math.floor, log10 = function(v) return math.log(v, 10) end } do
      local a = dc.vectorize(function(v) return dc[name](v) end)(x)
      local b = dc.vectorize(function(v) return v[name](v) end)(x)
      assert(dc.equal(a, b))
      local direct = dc[name](x)
      for k = 1, 33 do
        assert(math.abs(a[k] - reference(x[k])) <= 1e-14, note(name))
        assert(math.abs(direct[k] - reference(x[k])) <= 1e-14, note(name))
      end
    end
    for _, name in ipairs { "y0", "y1", "j0", "j1" } do -- names that parameters could hide
      assert(dc.allclose(dc.vectorize(function(v) return dc[name](v) end)(x), dc[name](x)), name)
    end
    local f = dc.vectorize(function(a, b) return dc.hypot(a, b), dc.max(a, b), dc.isnan(a / b), dc.cast(a, "int8") end)
    local r, m, nan, c = f(dc.array { 3, 0 }, dc.array { 4, 0 })
    h.same({ 5, 0 }, r:to_table())
    h.same({ 4, 0 }, m:to_table())
    h.same({ false, true }, nan:to_table())
    assert.equal("int8", c.dtype)
    h.same({ 2, 5 }, dc.where(dc.array { true, false }, dc.array { 2, 3 }, dc.array { 4, 5 }):to_table())
    h.same({ 1, 2 }, dc.fmin(dc.array { 1, 5 }, 2):to_table())
    h.same({ -1, 0.5, 1 }, dc.clip(dc.array { -3, 0.5, 8 }, -1, 1):to_table())
  end)

  it("broadcasts, writes into passed results, and calls other functions", function()
    local function square(v) return v * v end
    local calls = 0
    local f = dc.vectorize(function(x, y)
      calls = calls + 1
      return square(x) + square(y)
    end, { name = "squares" })
    local out = dc.zeros(3, 4, "int32")
    f(dc.arange(1, 3, "int32"):reshape(3, 1), dc.arange(1, 4, "int32"), out)
    assert.equal(9 + 16, out[{ 3, 4 }])
    f(dc.ones(5), 2)
    assert.equal(1, calls)
    local as_float = dc.zeros(2, "float64")
    f(dc.array({ 1, 2 }, "int8"), 1, as_float)
    h.same({ 2, 5 }, as_float:to_table())
    fails("argument", "'squares' takes 2 arguments %(x, y%)", function() f(1) end)
  end)

  it("refuses functions that cannot be traced", function()
    local function tracing(pattern, fn, kind)
      fails(kind or "argument", pattern, function() dc.vectorize(fn) end)
    end
    -- With its text, such a function is compiled: spec/jit/vectorize_spec.lua.
    local function without_text(pattern, code)
      local ok, err = pcall(dc.vectorize, load("return " .. code, "=no text")())
      assert(not ok and type(err) == "table" and err.kind == "argument", tostring(err))
      assert(tostring(err):find(pattern), tostring(err))
      assert(err.where == "no text:1" or err.where:find "_spec.lua:%d+$", err.where)
    end
    without_text("'<'.*a:lt%(b%).*dc.where", "function(x) if x < 3 then return x end return -x end")
    without_text("'<='", "function(x) return x >= 3 and x or 0 end")
    without_text("'=='.*a:eq", "function(x, y) return x == y and 1 or 2 end")
    without_text("math.sin.*dc.sin", "function(x) return math.sin(x) end")
    tracing("no string", function(x) return x .. "" end)
    tracing("no 'foo'", function(x) return x.foo end, "index")
    tracing("returns nothing", function(_) return end)
    tracing("result 2 is a table", function(x) return x, {} end)
    tracing("'args'", function() return 1 end)
    tracing("'args'", function(...) return ... end)
    tracing("array meets", function(x) return x + dc.ones(3) end)
    tracing("array meets", function(x) return dc.ones(3) + x end)
    tracing("'hypot' takes 2 arguments, got 1", function(x) return dc.hypot(x) end)
    tracing("got nil", function(x) return x + nil end)
    fails("argument", "a function expected, got the number 3", function() dc.vectorize(3) end)
    fails("dtype", "argument 1 is complex64, and a function that is traced takes and gives real", function()
      dc.vectorize(function(x) return x * x end)(dc.zeros(2, "complex64"))
    end)
    fails("dtype", "'cast' is complex64", function()
      dc.vectorize(function(x) return dc.cast(x, "complex64") end)(dc.ones(2))
    end)
    fails("dtype", "result 1 is complex128", function()
      dc.vectorize(function(x) return x * 2 end)(dc.ones(2), dc.zeros(2, "complex128"))
    end)
    fails("dtype", "'&' takes integers", function() dc.vectorize(function(x) return x & 1 end)(dc.ones(2)) end)
    fails("dtype", "300 is out of range for int8", function()
      dc.vectorize(function(x) return x + 300 end)(dc.ones(2, "int8"))
    end)
    local mine = {}
    local ok, err = pcall(dc.vectorize, function(_) error(mine) end)
    assert(not ok and rawequal(err, mine))
  end)
end)
