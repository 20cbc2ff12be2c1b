-- cumsum and cumprod against plain Lua.
local dc = require "dotcompute"
local any = require "spec.any_dtype"
local h = require "spec.helper"
local note, fails, each_way = h.note, h.fails, h.each_way
local dtypes = any.dtypes
local nan = 0 / 0

local sums_of = { bool = "int64", uint8 = "uint64", uint16 = "uint64", uint32 = "uint64", uint64 = "uint64",
  int8 = "int64", int16 = "int64", int32 = "int64", int64 = "int64", float32 = "float32", float64 = "float64",
  float16 = "float16", bfloat16 = "bfloat16" }

describe("cumsum and cumprod", function()
  it("compute every dtype, integers in 64 bits", function()
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

  it("have the bits of kernels as written for a GPU, exclusive and in place too", function()
    local before <const> = dc.scan { input = "float x", op = "a + b", identity = "0", exclusive = true }
    local inputs = {}
    for i, n in ipairs { math.random(65, 2048), math.random(2049, 8192), 8192 * math.random(2, 5), 3000001 } do
      inputs[i] = (dc.random.normal(n < 1 << 20 and 3 or 1, n) * 30):eval()
    end
    local first
    each_way(function()
      local list = {}
      local function keep(a) list[#list + 1] = a:bytes() end
      for _, x in ipairs(inputs) do
        keep(x:cumsum(2))
        keep(before(x, 2))
        keep(before(x, 2, x:copy()))
        local y = x:copy()
        keep(before(y, 2, y))
        if x.size < 1 << 20 then keep(x:to("complex64"):cumsum(2)) end
      end
      first = first or list
      for i, bytes in ipairs(list) do assert.is_true(bytes == first[i], note("result " .. i)) end
      assert.equal(list[2], list[4])
    end, { "as_gpu" })
  end)

  it("adds with the rounding error of a tree, with the same bits each time", function()
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

  it("combines prefixes over all levels of the tree", function()
    -- 1024 tiles are two levels, more are three; of 8 bytes a tile has 4096 elements
    local n = 4096 * (1024 + 33) + math.random(4096)
    assert(dc.equal(dc.arange(1, n, "int64"), dc.ones(n, "int8"):cumsum()))
    local ends = { 1, 4096 * 31 + 7, 4096 * 32 + 7, 4096 * 1023 + 1, 4096 * 1024, 4096 * 1024 + 1, n }
    local mask = dc.zeros(n, "bool")
    for _, at in ipairs(ends) do mask[at] = true end
    h.same(ends, mask:nonzero():to_table(), "nonzero")
  end)

  it("combines in the order of elements, across tiles and groups of tiles", function()
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

  it("propagates NaN and infinities", function()
    local t = {}
    for k = 1, 6000 do t[k] = 1 end
    t[4500] = nan
    local got = dc.array(t):cumsum()
    assert.equal(4499, got[4499])
    for _, k in ipairs { 4500, 4501, 6000 } do assert(got[k] ~= got[k]) end
    h.same({ 1, math.huge, math.huge }, dc.cumsum({ 1, math.huge, 5 }):to_table())
  end)

  -- Elements whose running sum or product stays a normal number, while those of neighbours alone would not.
  local function walk(n, product, limit)
    local t, run = {}, product and 1 or 0
    for k = 1, n do
      local next_run = product and 2.0 ^ math.random(-limit, limit) * (1 + math.random()) or
        (math.random() * 2 - 1) * 2.0 ^ limit
      t[k] = product and next_run / run or next_run - run
      if math.abs(t[k]) == math.huge or t[k] == 0 then t[k] = 1 end -- beyond the range on its own
      run = product and run * t[k] or run + t[k]
    end
    return t
  end

  local function near(want, got, product, limit, what)
    local error = product and 1e-11 or 2.0 ^ limit * 1e-11
    for k, v in ipairs(want) do
      assert(v == got[k] or math.abs(v - got[k]) <= (product and math.abs(v) or 1) * error,
        note(("%s: element %d is %s, not %s"):format(what, k, got[k], v)))
    end
  end

  it("are right where products or sums of neighbours alone overflow or underflow", function()
    local cpu = dc.device "cpu"
    for _, n in ipairs { 30, math.random(65, 2048), math.random(2049, 4096), math.random(9000, 14000) } do
      for _, product in ipairs { true, false } do
        local limit = product and 900 or 1022
        local t, want, run = walk(n, product, limit), {}, product and 1 or 0
        for k = 1, n do
          run = product and run * t[k] or run + t[k]
          want[k] = run
        end
        local a = dc.using(cpu, dc.array, t, "float64")
        for m = 1, 33, 32 do
          local rows = a:reshape(1, n):repeat_(m, 1)
          local by_rows = product and rows:cumprod(2) or rows:cumsum(2)
          local columns = rows.T:copy()
          local by_columns = product and columns:cumprod(1) or columns:cumsum(1)
          local row = math.random(m)
          near(want, by_rows[row]:to_table(), product, limit, ("%d of %d in rows"):format(n, m))
          near(want, by_columns.T[row]:to_table(), product, limit, ("%d of %d in columns"):format(n, m))
        end
      end
    end
  end)

  it("keep a zero a zero before products that overflow, of every dtype of floats", function()
    local cpu = dc.device "cpu"
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64", "complex64", "complex128" } do
      for _, n in ipairs { 1000, 5000 } do
        local zero = math.random(7)
        local a = dc.using(cpu, dc.full, n, 4, dtype)
        a[zero] = 0
        local got = a:cumprod()
        assert(dc.equal(got[{ { zero, n } }], dc.using(cpu, dc.zeros, n - zero + 1, dtype)), note(dtype .. " " .. n))
        assert(dc.equal(got[1], 4) or zero == 1)
      end
    end
  end)

  it("refuses arguments that do not fit", function()
    fails("shape", "without axes", function() dc.array(3):cumsum() end)
    fails("index", "cumsum: axis 2 is out of range", function() dc.ones(3):cumsum(2) end)
    fails("argument", "'cumprod' takes an array", function() dc.cumprod() end)
    fails("argument", "expected for the first argument, got nil", function() dc.cumsum(nil) end)
    assert.equal(0, dc.empty(3, 0):cumsum().size)
    assert.equal("int64", dc.empty(0, "int8"):cumsum().dtype)
  end)
end)

describe("chunk sizes that are set in advance", function()
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
