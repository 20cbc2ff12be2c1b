-- cumsum, cumprod, select, nonzero, scatter_add, bincount, histogram against plain Lua; how all algorithms go together
-- with graphs, streams and threads.
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local h = require "spec.helper"
local note, fails, each_way = h.note, h.fails, h.each_way

local nan = 0 / 0
local dtypes = { "float16", "bfloat16", table.unpack(h.dtypes) }

-- Of float16 and bfloat16 quarters that both hold exactly.
local function value(dtype)
  if dtype == "float16" or dtype == "bfloat16" then return math.random(-120, 120) / 4 end
  if dtype:find "complex" then return dc.complex(math.random(-9, 9), math.random(-1, 1)) end
  return h.value(dtype)
end

local function random_values(n, dtype)
  local t = {}
  for k = 1, n do t[k] = value(dtype) end
  return t
end

local with_complex = { "complex64", "complex128", table.unpack(dtypes) }

local sums_of = { bool = "int64", uint8 = "uint64", uint16 = "uint64", uint32 = "uint64", uint64 = "uint64",
  int8 = "int64", int16 = "int64", int32 = "int64", int64 = "int64", float32 = "float32", float64 = "float64",
  float16 = "float16", bfloat16 = "bfloat16" }

describe("cumsum and cumprod", function()
  it("run along every dtype, integers in 64 bits", function()
    for _, dtype in ipairs(dtypes) do
      for _, n in ipairs { 1, 63, 65, 511, 513, 2048, 2049, 4096, 4097, math.random(9000, 14000) } do
        local t, want, run = {}, {}, 0
        for k = 1, n do
          t[k] = dtype == "bool" and math.random(2) == 1 or dtype ~= "bool" and math.random(0, 3)
          if dtype:find "^int" then t[k] = t[k] - 2 end
          if dtype:find "float16" then t[k] = k % 500 == 1 and 1 or 0 end
          run = run + (t[k] == true and 1 or t[k] or 0)
          want[k] = run
        end
        local got = dc.array(t, dtype):cumsum()
        assert.equal(sums_of[dtype], got.dtype)
        h.same(want, got:to_table(), ("cumsum of %d %s"):format(n, dtype))
      end
    end
    local z, run, want = { dc.complex(1, 2), dc.complex(0, -1), dc.complex(3, 0) }, dc.complex(0, 0), {}
    for k = 1, 3 do
      run = run + z[k]
      want[k] = run
    end
    h.same(want, dc.array(z, "complex64"):cumsum():to_table())
    h.same({ z[1], z[1] * z[2], z[1] * z[2] * z[3] }, dc.array(z, "complex128"):cumprod():to_table())
    h.same({ 2, 6, 24, -24 }, dc.array({ 2, 3, 4, -1 }, "int8"):cumprod():to_table())
    h.same({ 0.5, 1, 4 }, dc.cumprod({ 0.5, 2, 4 }):to_table())
    h.same({ 1 << 62, math.mininteger }, dc.array({ 1 << 62, 1 << 62 }, "int64"):cumsum():to_table())
  end)

  it("goes along any axis, of views and expressions too", function()
    for _ = 1, 15 do
      local shape = h.shape(math.random(1, 3), 6)
      local axis = math.random(#shape)
      if math.random(3) == 1 then shape[axis] = math.random(100, 5000) end
      local flat, want, step = h.ints(h.product(shape), -9, 9), {}, 1
      for d = axis + 1, #shape do step = step * shape[d] end
      for k = 1, #flat do want[k] = flat[k] + ((k - 1) // step % shape[axis] > 0 and want[k - step] or 0) end
      local a = dc.array(flat, "int32"):reshape(shape)
      for _, x in ipairs { a, a.T:copy().T, a + 0, a:flip():copy():flip() } do
        h.same(want, x:cumsum(axis):reshape(-1):to_table(), "axis " .. axis)
      end
    end
  end)

  it("adds with the error of a tree, the same bits each time", function()
    local n = 300000
    local t, exact = {}, 0
    for k = 1, n do t[k] = h.f32(math.random()) end
    local a = dc.array(t)
    local got, bytes = a:cumsum():to_table(), a:cumsum():bytes()
    for k = 1, n do
      exact = exact + t[k]
      -- some 60 additions of at most the sum itself; one after another it would be k of them
      assert(math.abs(got[k] - exact) <= 60 * 2.0 ^ -24 * exact, note("element " .. k))
    end
    for _ = 1, 3 do assert.equal(bytes, a:cumsum():bytes()) end
  end)

  it("gives the same bits with one thread and with many", function()
    local script = [[
      local dc = require "dotcompute"
      local n = 200000
      local x = (dc.arange(1, n, "int64") * 2654435761):to "uint32":to "float32" / 4294967296.0
      local m = x:sort()
      local keep = dc.elementwise("float x", "bool y", "y = x > 0.3f")(x)
      local list = { x:cumsum(), m, x:argsort(), x:select(keep), keep:nonzero(), x:reshape(2, n // 2):cumsum(2) }
      for _, a in ipairs(list) do
        local sum = 0
        for _, v in ipairs { string.unpack(("<" .. ("I4"):rep(100)), a:reshape(-1):bytes():sub(-400)) } do
          sum = sum * 31 + v
        end
        print(a.size, sum)
      end]]
    local one = h.on_cpu("THREADS=1", script)
    assert(#one > 50, one)
    for _, threads in ipairs { 2, 7 } do
      for _ = 1, 2 do assert.equal(one, (h.on_cpu("THREADS=" .. threads, script))) end
    end
  end)

  it("looks back along all levels of the tree", function()
    -- 1024 tiles are two levels, more are three; of 8 bytes a tile has 4096 elements
    local n = 4096 * (1024 + 33) + math.random(4096)
    assert(dc.equal(dc.arange(1, n, "int64"), dc.ones(n, "int8"):cumsum()))
    local ends = { 1, 4096 * 31 + 7, 4096 * 32 + 7, 4096 * 1023 + 1, 4096 * 1024, 4096 * 1024 + 1, n }
    local mask = dc.zeros(n, "bool")
    for _, at in ipairs(ends) do mask[at] = true end
    h.same(ends, mask:nonzero():to_table(), "nonzero")
  end)

  it("folds in the order of elements, across tiles and groups of tiles", function()
    -- the last one that is not 0: forgets what was before, so that a wrong order shows
    local last = dc.scan { input = "int x", op = "b != 0 ? b : a" }
    local compose = dc.scan { input = "unsigned int x",
      op = "(((a >> 16) * (b >> 16)) << 16) | (((a & 0xffffu) * (b >> 16) + (b & 0xffffu)) & 0xffffu)" }
    local n = 4096 * 70 + math.random(9000)
    local t, want, maps, composed, seen = {}, {}, {}, {}, 0
    for k = 1, n do
      t[k] = math.random(5000) == 1 and k or 0
      if t[k] ~= 0 then seen = k end
      want[k] = seen
      local p, q = math.random(0, 32767) * 2 + 1, math.random(0, 65535)
      maps[k] = p << 16 | q
      local a = composed[k - 1]
      composed[k] = a and ((a >> 16) * p & 0xffff) << 16 | ((a & 0xffff) * p + q) & 0xffff or maps[k]
    end
    assert(dc.equal(dc.array(want, "int32"), last(dc.array(t, "int32"))), note())
    assert(dc.equal(dc.array(composed, "uint32"), compose(dc.array(maps, "uint32"))), note())
  end)

  it("passes NaN on, and infinities", function()
    local t = {}
    for k = 1, 6000 do t[k] = 1 end
    t[4500] = nan
    local got = dc.array(t):cumsum()
    assert.equal(4499, got[4499])
    for _, k in ipairs { 4500, 4501, 6000 } do assert(got[k] ~= got[k]) end
    h.same({ 1, math.huge, math.huge }, dc.cumsum({ 1, math.huge, 5 }):to_table())
  end)

  it("refuses what does not fit", function()
    fails("shape", "without axes", function() dc.array(3):cumsum() end)
    fails("index", "cumsum: axis 2 is out of range", function() dc.ones(3):cumsum(2) end)
    fails("argument", "cumprod takes an array", function() dc.cumprod() end)
    fails("argument", "expected for the first argument, got nil", function() dc.cumsum(nil) end)
    assert.equal(0, dc.empty(3, 0):cumsum().size)
    assert.equal("int64", dc.empty(0, "int8"):cumsum().dtype)
  end)
end)

describe("pieces told ahead", function()
  it("give the same bits", function()
    local n = 1 << 20
    local x = dc.random.uniform(n):eval()
    local m = x:slice({ 1, n - 1 }):reshape(3, -1)
    local sums, rows, big = x:cumsum(), m:cumsum(2), x[x:gt(0.5)]
    each_way(function()
      assert.is_true(dc.equal(sums, x:cumsum()))
      assert.is_true(dc.equal(rows, m:cumsum(2)))
      assert.is_true(dc.equal(big, x[x:gt(0.5)]))
      assert.is_true(dc.equal(big, x[x:gt(0.5):eval()]))
    end)
  end)
end)

describe("select and nonzero", function()
  it("keep what passes, in order, of every dtype", function()
    each_way(function()
      for _, dtype in ipairs(with_complex) do
        for _, n in ipairs { 1, 31, 4096, math.random(5000, 12000), dtype == "int16" and 70000 or 33 } do
          local share = ({ 0, 0.02, 0.5, 1 })[math.random(4)]
          local a, mask, want = dc.array(random_values(n, dtype), dtype), {}, {}
          local t = a:to_table()
          for k = 1, n do
            mask[k] = math.random() < share
            if mask[k] then want[#want + 1] = t[k] end
          end
          local got = a:select(dc.array(mask))
          assert.equal(dtype, got.dtype)
          assert.equal(1, got.ndim)
          h.same(want, got:to_table(), ("select %d of %d %s"):format(#want, n, dtype))
        end
      end
    end)
  end)

  it("know where elements are not zero, by axis", function()
    each_way(function()
      for _, dtype in ipairs(with_complex) do
        local shape = h.shape(math.random(1, 3), 20)
        local flat, want = {}, {}
        for d = 1, #shape do want[d] = {} end
        for k = 1, h.product(shape) do
          local v = math.random(0, 1)
          flat[k] = v
          if dtype == "bool" then flat[k] = v == 1 end
          if v == 1 and dtype:find "complex" then flat[k] = dc.complex(0, -2) end
          local rest = k - 1
          for d = #shape, 1, -1 do
            if v == 1 then want[d][#want[d] + 1] = rest % shape[d] + 1 end
            rest = rest // shape[d]
          end
        end
        local found = { dc.array(flat, dtype):reshape(shape):nonzero() }
        assert.equal(#shape, #found)
        for d = 1, #shape do
          assert.equal("int64", found[d].dtype)
          h.same(want[d], found[d]:to_table(), dtype .. ", axis " .. d)
        end
      end
      h.same({ 1, 3 }, dc.nonzero({ nan, -0.0, 1, 0 }):to_table())
    end)
  end)

  it("take views and expressions", function()
    each_way(function()
      local x = dc.arange(1, 10000)
      local even = dc.elementwise("float x", "bool y", "y = (int)x % 2 == 0")
      h.same({ 4, 8 }, (x * 2):slice({ 1, 4 }):select(even(x:slice { 1, 4 })):to_table())
      local m = dc.arange(1, 6):reshape(2, 3)
      h.same({ 4, 2, 6 }, m.T:select(even(m).T):to_table())
      for first = 2, 6 do -- at any alignment
        local part = x:slice { first, 9000 }
        local want = {}
        for v = first, 9000 do
          if v % 2 == 0 then want[#want + 1] = v end
        end
        h.same(want, part:select(even(x):slice { first, 9000 }):to_table(), "from " .. first)
      end
    end)
  end)

  it("take masks that are not computed yet, also where the launch computes all that is pending", function()
    assert(dc.ones(1).ptr ~= 0) -- from now on, kernels that take addresses do so
    local function check(what, a, make)
      local mask, t, want, places = make():eval():to_table(), a:to_table(), {}, {}
      for k = 1, #t do
        if mask[k] then
          want[#want + 1] = t[k]
          places[#places + 1] = k
        end
      end
      h.same(want, a[make()]:to_table(), what)
      h.same(places, make():nonzero():to_table(), "places: " .. what)
    end
    each_way(function()
      for _, dtype in ipairs(with_complex) do
        local n = math.random(1, 9000)
        local a, b = dc.array(random_values(n, dtype), dtype), dc.array(random_values(n, dtype), dtype)
        local masks = {
          function() return a:ne(0) end,
          function() return a:eq(b):logical_or(b:eq(0)) end,
          function() return b:ne(a) end,
          function() return (dc.arange(1, n, "int32") % 3):eq(1) end,
        }
        local which = math.random(#masks) -- each is a kernel to compile
        check(("%s, mask %d"):format(dtype, which), a, masks[which])
        local double = b:to("complex128"):eval()
        if dtype == "int8" then check("int8 by complex128", a, function() return double:eq(0) end) end
      end
      local n = math.random(5000, 9000)
      local x, y = dc.random.uniform(n + 1):eval(), dc.random.uniform(n + 1):eval()
      local v, w = x:slice { 1, n }, y:slice { 2, n + 1 } -- one of the two is not aligned
      check("two alignments", v, function() return (v * 2 - w):gt(0.5) end)
      check("a value for all", v, function() return v:gt(w:mean()) end)
      check("a row's values", v, function() return (v - v:mean()):gt(w:slice { 7, 7 } - 0.5) end)
      check("an index", v, function() return w[dc.arange(n, 1, -1):to "int64"]:gt(v) end)
      check("steps", v, function() return x[{ { n, 1, -1 } }]:gt(w) end)
      check("numbers", v, function() return dc.arange(1, n):gt(n / 2) end)
      check("functions", v, function() return (dc.sqrt(v) * w + 1):lt(dc.where(v:lt(0.2), w, 1.5)) end)
      local mask = v:gt(0.25)
      local once, twice, again = v[mask]:to_table(), w[mask], (v + w)[mask]:to_table()
      h.same(mask:nonzero():to_table(), dc.nonzero(mask):to_table())
      assert.equal(#once, twice.size)
      assert.equal(#once, #again)
      local m = dc.random.uniform(37, 41):eval()
      h.same(m:reshape(-1)[m:reshape(-1):gt(0.5)]:to_table(), m[m:gt(0.5)]:to_table())
      h.same(m:reshape(-1)[(m.T + 0):gt(0.5):reshape(-1)]:to_table(), m[(m.T:reshape(37, 41)):gt(0.5)]:to_table())
      h.same(m.T:copy()[m.T:copy():gt(0.5)]:to_table(), m.T[m.T:gt(0.5)]:to_table())
      h.same(m:slice({ 1, 30 }):copy()[m[{ { 1, 30 } }]:gt(0.5)]:to_table(), m[{ { 1, 30 } }][m[{ { 1, 30 } }]:gt(0.5)]
        :to_table())
      assert.equal(1, dc.array({ 3 })[dc.array({ 3 }):gt(2)].size)
      local gone = dc.ones(9)
      local late = gone:gt(0)
      gone:close()
      assert.equal(9, dc.ones(9)[late].size) -- closing has computed it
    end)
  end)

  it("refuse what does not fit", function()
    local a = dc.ones(3)
    fails("dtype", "an array of bool, got one of float32", function() a:select(a) end)
    fails("shape", "%(3,%), the mask %(4,%)", function() a:select(dc.ones(4, "bool")) end)
    fails("argument", "select takes an array and a mask", function() a:select() end)
    fails("shape", "no places", function() dc.array(1):nonzero() end)
    assert.equal(0, dc.empty(0):select(dc.empty(0, "bool")).size)
    assert.equal(0, dc.empty(0, 3):nonzero().size)
    assert.equal(1, dc.array(7):select(dc.array(true)).size)
  end)
end)

describe("scatter_add", function()
  it("adds values where indices say, duplicates too", function()
    for _, dtype in ipairs(with_complex) do
      for _, n in ipairs { 1, 100, math.random(5000, 9000) } do
        if dtype ~= "bool" then
          local m = math.random(1, 40)
          local index, values, want = {}, {}, {}
          for k = 1, m do want[k] = k end
          for k = 1, n do
            index[k], values[k] = math.random(m), math.random(0, 3)
            if dtype:find "float16" then values[k] = k % 100 == 1 and 1 or 0 end
            if dtype:find "complex" then values[k] = dc.complex(values[k], -values[k]) end
            want[index[k]] = want[index[k]] + values[k]
            if math.random(2) == 1 then index[k] = index[k] - m - 1 end
          end
          for k = 1, m do
            if dtype:find "complex" then want[k] = want[k] + dc.complex(0, 0) end
            if dtype == "int8" then want[k] = (want[k] + 128) % 256 - 128 end
            if dtype == "uint8" then want[k] = want[k] % 256 end
          end
          local a = dc.arange(1, m, dtype)
          assert(rawequal(a, a:scatter_add(dc.array(index, "int16"), dc.array(values, dtype))))
          h.same(want, a:to_table(), ("%d %s"):format(n, dtype))
        end
      end
    end
  end)

  it("adds rows, narrow and wide, and broadcasts", function()
    for _, width in ipairs { 1, 3, 40 } do
      for _, dtype in ipairs { "float32", "int64", "int16", "float16", "complex64" } do
        local m, n = 5, 60
        local want, index, values = {}, {}, {}
        for k = 1, m * width do want[k] = dtype == "complex64" and dc.complex(0, 0) or 0 end
        for k = 1, n do
          index[k] = math.random(m)
          for c = 1, width do
            local v = math.random(-9, 9)
            values[#values + 1] = v
            local at = (index[k] - 1) * width + c
            want[at] = want[at] + v
          end
        end
        local a = dc.zeros({ m, width }, dtype)
        a:scatter_add(index, dc.array(values, dtype):reshape(n, width))
        h.same(want, a:reshape(-1):to_table(), "width " .. width)
      end
    end
    h.same({ 2, 0, 1 }, dc.zeros(3):scatter_add({ 1, 1, 3 }, 1):to_table())
    local turned = dc.zeros(2, 3).T
    turned:scatter_add({ 2, 2 }, { { 1, 2 }, { 3, 4 } })
    h.same({ 0, 0, 4, 6, 0, 0 }, turned:reshape(-1):to_table())
  end)

  it("finds every place of arrays whose places take one byte, two, three or more", function()
    h.each_way(function()
      for _, m in ipairs { 256, 257, 65536, 65537, (1 << 24) + 1 } do
        local n = math.random(1000, 3000)
        local index, values, want = {}, {}, {}
        for k = 1, n do
          index[k] = math.random(4) == 1 and m - math.random(0, 2) or math.random(m)
          values[k] = math.random(9)
          want[index[k]] = (want[index[k]] or 0) + values[k]
        end
        local a = dc.zeros(m):scatter_add(index, dc.array(values))
        local places, sums, total = {}, {}, 0
        for place in pairs(want) do places[#places + 1] = place end
        table.sort(places)
        for k, place in ipairs(places) do sums[k] = want[place] end
        for _, v in ipairs(values) do total = total + v end
        h.same(sums, a:take(places):to_table(), m .. " elements")
        assert.equal(total, a:sum():item())
      end
    end, { "serial" })
  end)

  it("gives the same bits each time, with the error of a tree", function()
    local n = 50000
    local t, exact = {}, 0
    for k = 1, n do
      t[k] = h.f32(math.random())
      exact = exact + t[k]
    end
    local values, index = dc.array(t), dc.ones(n, "int32")
    local first = dc.zeros(2):scatter_add(index, values)
    assert(math.abs(first[1] - exact) <= 60 * 2.0 ^ -24 * exact, note())
    for _ = 1, 3 do assert.equal(first:bytes(), dc.zeros(2):scatter_add(index, values):bytes()) end
  end)

  it("reads what it writes before it writes", function()
    local a = dc.arange(1, 4)
    a:scatter_add({ 1, 2, 3, 4 }, a:flip())
    h.same({ 5, 5, 5, 5 }, a:to_table())
    local b = dc.array({ 2, 1, 1 }, "int32")
    local e = b + 10
    b:scatter_add(b, b)
    h.same({ 4, 3, 1 }, b:to_table())
    h.same({ 12, 11, 11 }, e:to_table())
  end)

  it("refuses what does not fit", function()
    local a = dc.zeros(3, "int32")
    fails("index", "index 4 %(number 1 of 1%)", function() a:scatter_add({ 4 }, 1) end)
    fails("dtype", "values of float32 do not fit an array of int32", function() a:scatter_add({ 1 }, dc.ones(1)) end)
    fails("dtype", "bool", function() dc.zeros(3, "bool"):scatter_add({ 1 }, true) end)
    fails("shape", "%(2,%)", function() a:scatter_add({ 1, 2, 3 }, dc.ones(2, "int32")) end)
    fails("argument", "scatter_add takes", function() a:scatter_add({ 1 }) end)
    fails("argument", "an array expected", function() dc.scatter_add({ 1 }, { 1 }, { 1 }) end)
    fails("shape", "without axes", function() dc.array(1):scatter_add({ 1 }, 1) end)
    h.same({ 0, 0, 0 }, a:to_table())
    assert(rawequal(a, a:scatter_add(dc.empty(0, "int32"), 1)))
  end)
end)

describe("bincount", function()
  it("counts values from 0 on", function()
    each_way(function()
      for _, dtype in ipairs { "int32", "uint8", "int64", "uint16", "int8", "uint64", "bool" } do
        for _, most in ipairs { 1, 100, 1023, 1024, 3000, 5000, 20000, 60000 } do
          local limit = (h.integers[dtype] or { 0, 1 })[2]
          local top, n = math.min(most, limit), math.random(1, 20000)
          local t, want = {}, {}
          for k = 1, n do
            local v = math.random(0, top)
            for j = #want, v do want[j + 1] = 0 end
            want[v + 1] = want[v + 1] + 1
            t[k] = v
            if dtype == "bool" then t[k] = v == 1 end
          end
          local got = dc.array(t, dtype):bincount()
          assert.equal("int64", got.dtype)
          h.same(want, got:to_table(), dtype .. " up to " .. top)
        end
      end
    end)
  end)

  it("adds weights, and gives at least as many as wanted", function()
    h.same({ 1, 2, 0, 0 }, dc.bincount({ 0, 1, 1 }, { minlength = 4 }):to_table())
    h.same({ 1, 2 }, dc.bincount({ 0, 1, 1 }, { minlength = 1 }):to_table())
    h.same({ 0, 0, 0 }, dc.empty(0, "int32"):bincount { minlength = 3 }:to_table())
    assert.equal(0, dc.empty(0, "int32"):bincount().size)
    assert.equal(10000, dc.bincount({ 3 }, { minlength = 10000 }).size)
    local t, w, want = h.ints(9000, 0, 20), {}, {}
    t[1] = 20
    for k = 1, 21 do want[k] = 0 end
    for k = 1, 9000 do
      w[k] = math.random(-8, 8) / 4
      want[t[k] + 1] = want[t[k] + 1] + w[k]
    end
    local got = dc.array(t, "int16"):bincount { weights = dc.array(w) }
    assert.equal("float64", got.dtype)
    h.same(want, got:to_table(), "weights")
  end)

  it("refuses what it cannot count", function()
    each_way(function()
      for _, dtype in ipairs { "int8", "int16", "int32", "int64" } do
        local t = h.ints(9000, 0, 100)
        t[math.random(9000)] = -math.random(128)
        fails("argument", "negative values", function() dc.array(t, dtype):bincount() end)
        fails("argument", "negative values", function() dc.array(t, dtype):bincount { minlength = 9000 } end)
      end
    end)
    fails("argument", "2%^63", function() dc.from_bytes(("\255"):rep(8), { 1 }, "uint64"):bincount() end)
    fails("dtype", "bincount counts integers, got an array of float32", function() dc.ones(3):bincount() end)
    fails("shape", "2 weights for 3 elements", function() dc.bincount({ 1, 2, 3 }, { weights = { 1, 2 } }) end)
    fails("argument", "'minlength' is an integer from 0", function() dc.bincount({ 1 }, { minlength = -1 }) end)
    fails("argument", "no option 'weight'", function() dc.bincount({ 1 }, { weight = { 1 } }) end)
  end)
end)

describe("histogram", function()
  local function count(t, edges, weights)
    local want = {}
    for k = 1, #edges - 1 do want[k] = 0 end
    for j, v in ipairs(t) do
      for k = 1, #want do
        if v >= edges[k] and (v < edges[k + 1] or (k == #want and v == edges[k + 1])) then
          want[k] = want[k] + (weights and weights[j] or 1)
          break
        end
      end
    end
    return want
  end

  it("counts by equal bins, the last one closed", function()
    each_way(function()
      for _, dtype in ipairs { "float32", "float64", "int16", "uint8", "int64" } do
        for _, bins in ipairs { 1, 7, 10, 300 } do
          local n = math.random(2, 3000)
          local t = {}
          for k = 1, n do t[k] = dtype:find "float" and math.random(-500, 500) / 8 or math.random(0, 120) end
          local got, edges = dc.array(t, dtype):histogram(bins)
          assert.equal("int64", got.dtype)
          assert.equal("float64", edges.dtype)
          local e = edges:to_table()
          assert.equal(bins + 1, #e)
          assert.equal(math.min(table.unpack(t)), e[1])
          assert.equal(math.max(table.unpack(t)), e[#e])
          for k = 1, bins do assert(math.abs(e[k] - (e[1] + (e[#e] - e[1]) * (k - 1) / bins)) < 1e-9, note()) end
          h.same(count(t, e), got:to_table(), ("%s, %d bins"):format(dtype, bins))
        end
      end
    end)
  end)

  -- Far from 0, in a range that float32 hardly divides, in a tiny and in a huge one; and on edges and beside them.
  it("counts as the edges say, however close an element is", function()
    local function f32(x) return (("<f"):unpack(("<f"):pack(x))) end
    local ranges = { { 0, 1 }, { -1, 2 / 3 }, { 1e6, 1e6 + 1 }, { -3e-39, 1e-38 }, { -1e38, 2e38 }, { -7, 1e-9 } }
    each_way(function()
      for _, range in ipairs(ranges) do
        for _, bins in ipairs { 1, 10, 33, 256 } do
          local low, high, t = range[1], range[2], {}
          local width = (high - low) / bins
          for _ = 1, 1000 do
            local edge = low + width * math.random(0, bins)
            local unit = f32(math.max(math.abs(edge), 1e-38) * 2 ^ -23)
            t[#t + 1], t[#t + 2], t[#t + 3] = f32(edge), f32(edge + unit), f32(edge - unit)
            t[#t + 1] = f32(low + (high - low) * (math.random() * 1.1 - 0.05))
          end
          local got, edges = dc.array(t):histogram(bins, { range = range })
          h.same(count(t, edges:to_table()), got:to_table(), ("%g to %g, %d bins"):format(low, high, bins))
        end
      end
    end)
  end)

  it("counts between edges that are given, and within a range", function()
    each_way(function()
      local t, edges = {}, { -3, -1, -1, 0.5, 2, 10 }
      for k = 1, 2000 do t[k] = math.random(-20, 60) / 4 end
      t[7], t[8], t[9] = nan, math.huge, -math.huge
      local got, back = dc.array(t):histogram(edges)
      h.same(count(t, edges), got:to_table(), "edges")
      h.same(edges, back:to_table(), "edges")
      got, back = dc.array(t):histogram(6, { range = { -1, 2 } })
      h.same({ -1, -0.5, 0, 0.5, 1, 1.5, 2 }, back:to_table(), "edges")
      h.same(count(t, back:to_table()), got:to_table(), "range")
      for _, n in ipairs { 3, 513, 600 } do
        local many = {}
        for k = 1, n do many[k] = math.random(-2000, 2000) / 32 end
        table.sort(many)
        got = dc.array(t):histogram(many)
        h.same(count(t, many), got:to_table(), n .. " edges")
      end
    end)
    local many = dc.arange(0, 9999):histogram(9000, { range = { 0, 9000 } })
    assert.equal(1, many[1])
    assert.equal(2, many[9000])
    assert.equal(9001, many:sum():item())
  end)

  it("adds weights", function()
    local t, w = h.ints(5000, 0, 50), {}
    for k = 1, 5000 do w[k] = math.random(-20, 20) / 4 end
    local got, edges = dc.array(t, "int32"):histogram(9, { weights = w, range = { 10, 40 } })
    assert.equal("float64", got.dtype)
    h.same(count(t, edges:to_table(), w), got:to_table(), "weights")
  end)

  it("has bins where there is nothing, or one value", function()
    local got, edges = dc.histogram({ 3, 3 }, 2)
    h.same({ 0, 2 }, got:to_table())
    h.same({ 2.5, 3, 3.5 }, edges:to_table())
    got, edges = dc.empty(0):histogram(2)
    h.same({ 0, 0 }, got:to_table())
    h.same({ 0, 0.5, 1 }, edges:to_table())
    assert.equal(10, dc.histogram({ 1, 2 }).size)
  end)

  it("refuses what makes no bins", function()
    fails("argument", "not finite", function() dc.histogram({ 1, nan }) end)
    fails("argument", "not finite %(%-inf to 2.0%)", function() dc.histogram({ -math.huge, 2 }) end)
    fails("argument", "not finite", function() dc.histogram({ 1, math.huge }, 3) end)
    fails("argument", "number of bins is an integer from 1 on", function() dc.histogram({ 1 }, 0) end)
    fails("argument", "low <= high", function() dc.histogram({ 1 }, 3, { range = { 2, 1 } }) end)
    fails("argument", "two numbers", function() dc.histogram({ 1 }, 3, { range = { 2 } }) end)
    fails("argument", "edges ascend, but edge 2 is 1.0 after 2.0", function() dc.histogram({ 1 }, { 2, 1 }) end)
    fails("shape", "at least 2", function() dc.histogram({ 1 }, { 2 }) end)
    fails("argument", "'range' has no meaning", function() dc.histogram({ 1 }, { 2, 3 }, { range = { 0, 1 } }) end)
    fails("shape", "1 weights for 2 elements", function() dc.histogram({ 1, 2 }, 2, { weights = { 1 } }) end)
  end)
end)

describe("algorithms", function()
  it("count in 64 bits where 32 do not suffice", function()
    local builder = require "dotcompute.builder"
    local narrow, limit = algorithm.narrow, builder.narrow_limit
    algorithm.narrow, builder.narrow_limit = 10, 10
    local ok, err = pcall(function()
      local n = 9000
      local t = h.ints(n, -1000, 1000)
      local a, at, sums, run = dc.array(t, "int32"), {}, {}, 0
      for k = 1, n do
        run = run + t[k]
        at[k], sums[k] = k, run
      end
      table.sort(at, function(i, j) return t[i] < t[j] or (t[i] == t[j] and i < j) end)
      h.same(at, a:argsort():to_table(), "argsort")
      h.same(sums, a:cumsum():to_table(), "cumsum")
      h.same(sums, a:reshape(n, 1):cumsum(1):reshape(-1):to_table(), "cumsum")
      assert.equal(t[at[1]], a:sort()[1])
      local picked = a:take(a:argsort())
      for k = 1, n do assert.equal(t[at[k]], picked[k], note()) end
      local places, want = a:nonzero(), {}
      for k = 1, n do
        if t[k] ~= 0 then want[#want + 1] = k end
      end
      h.same(want, places:to_table(), "nonzero")
      assert.equal(n - 1, dc.zeros(2):scatter_add(dc.ones(n, "int32"), 1)[1] - 1)
      h.same({ 3, 1, 2 }, dc.argsort({ { 2, 3, 1 } }):reshape(-1):to_table())
    end)
    algorithm.narrow, builder.narrow_limit = narrow, limit
    if not ok then error(err, 0) end
  end)

  it("are captured in graphs where nothing is read back", function()
    local x = dc.arange(1, 9000):flip():copy()
    local sums, sorted, places, rolled
    local g = dc.graph(function()
      sums, sorted, places, rolled = x:cumsum(), x:sort(), x:argsort(), x:roll(1)
    end)
    for round = 1, 2 do
      g()
      assert.equal(9000 * 9001 // 2 + (round - 1) * 9000, sums[9000])
      assert.equal(round, sorted[1])
      assert.equal(9000, places[1])
      assert.equal(round, rolled[1])
      x[":"] = x + 1
    end
    local whole = dc.ones(3, "int32")
    for _, fn in ipairs { function() x:unique() end, function() x:take(whole) end, function() whole:bincount() end,
      function() x:nonzero() end, function() x:select(dc.ones(9000, "bool")) end } do
      fails("launch", "cannot be captured", function() dc.graph(fn) end)
    end
  end)

  it("run in the stream that is current", function()
    local s = dc.stream()
    local x = dc.ones(10000)
    local sums, places = dc.using(s, function()
      x[":"] = x * 2
      return x:cumsum(), x:nonzero()
    end)
    assert.equal(20000, sums[10000])
    assert.equal(10000, places[10000])
    s:close()
  end)

  it("run on the array's device, and refuse arrays of two", function()
    local x = dc.using("cpu", dc.array, { 3, 1, 2 })
    assert.equal(dc.device "cpu", x:sort().device)
    assert.equal(dc.device "cpu", dc.concat({ x, x }).device)
  end)
end)
