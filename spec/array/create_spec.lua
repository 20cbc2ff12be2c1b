-- Creating arrays, and reading their values.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails = h.note, h.fails

describe("dc.array", function()
  for _, dtype in ipairs(h.dtypes) do
    it("keeps " .. dtype .. " values of nested tables, whatever the shape", function()
      for ndim = 1, 4 do
        local shape = h.shape(ndim)
        local t, flat = h.nested(shape, dtype)
        local a = dc.array(t, dtype)
        assert.equal(dtype, a.dtype)
        assert.equal(ndim, a.ndim)
        assert.same(shape, { a:shape() })
        assert.equal(#flat, a.size)
        assert.equal(#flat * h.itemsize[dtype], a.nbytes)
        assert.equal(shape[1], #a)
        assert.is_true(a.contiguous)
        assert.equal(dc.device(), a.device)
        assert.same(t, a:to_table(), note())
        local packed = {}
        for i, v in ipairs(flat) do
          if v == true then v = 1 elseif v == false then v = 0 end
          packed[i] = string.pack(h.pack[dtype], v)
        end
        assert.equal(table.concat(packed), a:bytes(), note())
      end
    end)
  end

  it("is float32 for numbers and bool for booleans when no dtype is given", function()
    assert.equal("float32", dc.array { 1, 2 }.dtype)
    assert.equal("float32", dc.array { 1.5 }.dtype)
    assert.equal("float32", dc.array(3).dtype)
    assert.equal("bool", dc.array { { true }, { false } }.dtype)
    assert.equal("bool", dc.array(true).dtype)
    assert.equal("float32", dc.array {}.dtype)
  end)

  it("rounds to float32 as C does", function()
    for _ = 1, 100 do
      local v = (math.random() - 0.5) * 2.0 ^ math.random(-60, 60)
      assert.equal(h.f32(v), dc.array { v }[1], note(("%.17g"):format(v)))
    end
    local a = dc.array { 1 / 0, -1 / 0, 0 / 0 }:to_table()
    assert.equal(1 / 0, a[1])
    assert.equal(-1 / 0, a[2])
    assert.is_true(a[3] ~= a[3])
  end)

  it("takes a number as a 0-d array, which item() reads", function()
    local a = dc.array(2.5)
    assert.equal(0, a.ndim)
    assert.equal(1, a.size)
    assert.equal(1, #a)
    assert.equal(0, select("#", a:shape()))
    assert.equal(2.5, a:item())
    assert.equal(2.5, a:to_table())
    assert.equal(7, dc.array(7, "int64"):item())
    assert.equal("integer", math.type(dc.array(7, "int8"):item()))
    assert.is_true(dc.array(true):item())
  end)

  it("copies another array, into another dtype where asked", function()
    local a = dc.array { 1, 2, 3 }
    local b, c = dc.array(a), dc.array(a, "int16")
    a[1] = 9
    assert.same({ 1, 2, 3 }, b:to_table())
    assert.same({ 1, 2, 3 }, c:to_table())
    assert.equal("int16", c.dtype)
  end)

  it("takes empty tables and empty rows", function()
    assert.same({ 0 }, { dc.array {}:shape() })
    assert.same({}, dc.array {}:to_table())
    assert.same({ 3, 0 }, { dc.array { {}, {}, {} }:shape() })
    assert.same({ {}, {}, {} }, dc.array { {}, {}, {} }:to_table())
    assert.equal("", dc.array {}:bytes())
  end)

  it("takes floats with integer values into integers, and 0 and 1 into bool", function()
    assert.same({ 3, -4 }, dc.array({ 3.0, -4.0 }, "int32"):to_table())
    assert.same({ true, false }, dc.array({ 1, 0.0 }, "bool"):to_table())
    assert.same({ 1, 0 }, dc.array({ true, false }, "int32"):to_table())
    assert.equal(math.mininteger, dc.array({ 2.0 ^ 63 }, "uint64")[1]) -- wraps when read
  end)

  it("knows dtypes by C's names and short ones", function()
    for alias, dtype in pairs {
      float = "float32", double = "float64", int = "int32", char = "int8", ["unsigned char"] = "uint8",
      long = "int64", ["long long"] = "int64", unsigned = "uint32", size_t = "uint64",
      f32 = "float32", f64 = "float64", i8 = "int8", u16 = "uint16", i64 = "int64", int32_t = "int32",
      uint64_t = "uint64",
    } do
      assert.equal(dtype, dc.zeros(1, alias).dtype, alias)
    end
  end)

  it("refuses integers that float32 cannot hold, unless a dtype is given", function()
    assert.equal(16777216, dc.array { 16777216 }[1])
    assert.equal(33554432, dc.array { 33554432 }[1])
    for _, v in ipairs { 16777217, -16777217, math.maxinteger } do
      fails("dtype", "float32", function() dc.array { v } end)
      fails("dtype", "float32", function() dc.array(v) end)
      fails("dtype", "float32", function() dc.full(3, v) end)
      assert.equal(v, dc.array({ v }, "int64")[1])
      assert.equal(h.f32(v), dc.array({ v }, "float32")[1])
    end
    assert.equal(16777216.0, dc.array { 16777217.0 }[1]) -- a float rounds
  end)

  it("refuses values that the dtype cannot hold, and names their position", function()
    for dtype, limits in pairs(h.integers) do
      if dtype ~= "int64" and dtype ~= "uint64" then
        fails("dtype", "t%[2%].*out of range.*" .. dtype, function() dc.array({ 0, limits[2] + 1 }, dtype) end)
      end
      if dtype ~= "int64" and dtype ~= "uint64" then
        fails("dtype", "t%[1%]%[2%].*out of range", function() dc.array({ { 0, limits[1] - 1 } }, dtype) end)
      end
      fails("dtype", "2%.5 has no integer", function() dc.array({ 2.5 }, dtype) end)
      fails("dtype", "has no integer", function() dc.array({ 0 / 0 }, dtype) end)
      fails("dtype", "out of range", function() dc.array({ 1e30 }, dtype) end)
    end
    fails("dtype", "%-1 is out of range for uint64", function() dc.array({ -1.0 }, "uint64") end)
    fails("dtype", "neither true nor false", function() dc.array({ 2 }, "bool") end)
    fails("dtype", "out of range for float32 %(at most", function() dc.array { 1e39 } end)
    fails("dtype", "boolean among numbers", function() dc.array { 1, true } end)
  end)

  it("refuses fields among the values, which would be lost, but for the count of table.pack", function()
    fails("argument", "'dtype' as a key.*dc.array%(t", function() dc.array { 1, 2, dtype = "int32" } end)
    fails("argument", "'dtype' as a key", function() dc.array({ { 1 }, dtype = "int32" }, "int32") end)
    fails("argument", "'x' as a key", function() dc.array { x = 1 } end)
    fails("argument", "'x' as a key", function() dc.array({ 1, 2, x = 3 }, "int32") end)
    fails("argument", "2.5 as a key", function() dc.array { [2.5] = 1 } end)
    assert.same({ 4, 5 }, dc.array(table.pack(4, 5)):to_table())
    assert.equal(0, dc.array(table.pack()).size)
  end)

  it("refuses arrays among the values and names dc.stack", function()
    local a = dc.ones(2)
    fails("argument", "t%[1%] is an array.*dc.stack", function() dc.array { a, a } end)
    fails("argument", "t%[2%]%[1%] is an array", function() dc.array { { 1 }, { a } } end)
  end)

  it("refuses ragged tables and names the row", function()
    fails("shape", "row t%[2%] has 1 element", function() dc.array { { 1, 2 }, { 3 } } end)
    fails("shape", "row t%[2%]%[1%] has 3 elements", function()
      dc.array { { { 1 }, { 2 } }, { { 3, 4, 5 }, { 6 } } }
    end)
    fails("shape", "t%[2%] is the number 3", function() dc.array { { 1, 2 }, 3 } end)
    fails("shape", "t%[2%] is a table", function() dc.array { 1, { 2 } } end)
    fails("shape", "row t%[2%]", function() dc.array { {}, { 1 } } end)
    local deep = 1
    for _ = 1, 32 do deep = { deep } end
    assert.equal(32, dc.array(deep).ndim)
    fails("shape", "32", function() dc.array { deep } end)
  end)

  it("refuses elements that are not numbers", function()
    fails("argument", "t%[2%].*'two'", function() dc.array { 1, "two" } end)
    fails("argument", "t%[1%].*function", function() dc.array { print } end)
    fails("argument", "got no value", function() dc.array() end)
    fails("argument", "got nil", function() dc.array(nil) end)
    fails("argument", "string", function() dc.array "1 2 3" end)
    fails("dtype", "no dtype 'quaternion'", function() dc.array({ 1 }, "quaternion") end)
    fails("argument", "dtype", function() dc.array({ 1 }, 32) end)
    fails("dtype", "complex64", function() dc.array({ dc.complex(1, 2) }, "float64") end)
  end)
end)

describe("filled arrays", function()
  it("take extents or a shape table, then a dtype", function()
    for _, dtype in ipairs(h.dtypes) do
      local one, zero = 1, 0
      if dtype == "bool" then one, zero = true, false end
      assert.same({ { zero, zero, zero }, { zero, zero, zero } }, dc.zeros(2, 3, dtype):to_table())
      assert.same({ { one }, { one } }, dc.ones({ 2, 1 }, dtype):to_table())
      assert.equal(dtype, dc.empty(4, dtype).dtype)
    end
    assert.equal("float32", dc.zeros(2).dtype)
    assert.same({}, { dc.zeros({}):shape() })
    assert.same({ 3, 0, 2 }, { dc.ones(3, 0, 2):shape() })
    assert.same({ 4 }, { dc.zeros(4.0):shape() })
  end)

  it("full() sets every element to one value", function()
    assert.same({ { 2.5, 2.5 } }, dc.full({ 1, 2 }, 2.5):to_table())
    assert.same({ 7, 7, 7 }, dc.full(3, 7, "uint8"):to_table())
    assert.equal("bool", dc.full(2, true).dtype)
    fails("dtype", "300", function() dc.full(3, 300, "uint8") end)
    fails("argument", "got no value", function() dc.full(3) end)
  end)

  it("zeros_like, ones_like, empty_like and full_like take shape and dtype from an array", function()
    local a = dc.array({ { 1, 2 }, { 3, 4 } }, "int16")
    for _, make in ipairs { dc.zeros_like, dc.ones_like, dc.empty_like } do
      local b = make(a)
      assert.equal("int16", b.dtype)
      assert.same({ 2, 2 }, { b:shape() })
      assert.equal("float64", make(a, "float64").dtype)
    end
    assert.same({ { 5, 5 }, { 5, 5 } }, dc.full_like(a, 5):to_table())
    fails("argument", "an array expected", function() dc.zeros_like { 1 } end)
  end)

  it("refuse bad shapes", function()
    fails("shape", "%-1", function() dc.zeros(-1) end)
    fails("shape", "2%.5", function() dc.zeros(2.5) end)
    fails("shape", "true", function() dc.zeros(2, true) end)
    fails("argument", "a shape", function() dc.zeros() end)
    fails("argument", "a shape", function() dc.zeros "float32" end)
    fails("dtype", "flaot32", function() dc.zeros(3, "flaot32") end)
    local shape = {}
    for i = 1, 32 do shape[i] = i % 16 == 0 and 2 or 1 end
    assert.equal(4, dc.ones(shape):sum():item())
    shape[33] = 1
    fails("shape", "32", function() dc.zeros(shape) end)
  end)

  it("refuse sizes larger than the device's memory and than 64 bits", function()
    local live = h.bytes_live()
    fails("memory", "GiB", function() dc.zeros(1 << 45) end)
    fails("memory", "2^62", function() dc.empty(1 << 40, 1 << 40) end)
    fails("memory", "", function() dc.empty(math.maxinteger) end)
    assert.equal(live, dc.stats().bytes_live)
    assert.equal(3, dc.ones(3):sum():item())
  end)
end)

describe("ranges", function()
  it("of integers include the last where the step meets it", function()
    for _ = 1, 40 do
      local first, step = math.random(-50, 50), math.random(1, 7) * (math.random(2) == 1 and 1 or -1)
      local last = first + step * math.random(0, 30) + (step > 0 and 1 or -1) * math.random(0, math.abs(step) - 1)
      local want = {}
      for v = first, last, step do want[#want + 1] = v end
      assert.same(want, dc.arange(first, last, step, "int32"):to_table(), note(first .. ", " .. last .. ", " .. step))
      assert.same(want, dc.arange(first, last, step):to_table())
    end
    assert.same({}, dc.arange(5, 4):to_table())
    assert.same({ 1, 2, 3 }, dc.arange(1, 3, "uint8"):to_table())
  end)

  it("of floats include the last within rounding", function()
    assert.equal(11, #dc.arange(0, 1, 0.1))
    assert.equal(8, #dc.arange(0, 0.7, 0.1))
    assert.equal(7, #dc.arange(0.1, 0.7, 0.1))
    assert.equal(3, #dc.arange(0, 1, 0.4))
    local a = dc.arange(0.5, 3, 0.5, "float64"):to_table()
    for i = 1, 6 do assert.equal(i / 2, a[i]) end
  end)

  it("refuse a step of 0, missing ends, and integers that float32 cannot hold", function()
    fails("argument", "step is 0", function() dc.arange(1, 2, 0) end)
    fails("argument", "step is 0", function() dc.arange(1.5, 2, 0.0) end)
    fails("argument", "both of them included: dc.arange%(0, 4%)", function() dc.arange(5) end)
    fails("argument", "a number expected", function() dc.arange(1, "5") end)
    fails("dtype", "0%.5 has no integer representation, which int32 needs", function()
      dc.arange(0, 2, 0.5, "int32")
    end)
    assert.same({ 3, 2, 1 }, dc.arange(3, 1, -1.0, "uint8"):to_table())
    fails("dtype", "float32", function() dc.arange(1, (1 << 24) + 1) end)
    assert.equal(1 << 24, #dc.arange(1, 1 << 24))
    assert.equal((1 << 24) + 2, dc.arange(1 << 24, (1 << 24) + 2, 2)[2])
    assert.equal((1 << 24) + 1, dc.arange((1 << 24) + 1, (1 << 24) + 3, "int32")[1])
    fails("argument", "finite", function() dc.arange(1, 1 / 0) end)
  end)

  it("linspace takes a number of elements", function()
    for _ = 1, 10 do
      local a, b, n = math.random() * 10, math.random() * -10, math.random(2, 50)
      local t = dc.linspace(a, b, n, "float64"):to_table()
      assert.equal(n, #t)
      assert.equal(a, t[1])
      assert.equal(b, t[n])
      for i = 1, n do assert.is_true(math.abs(t[i] - (a + (b - a) * (i - 1) / (n - 1))) < 1e-12, note()) end
    end
    assert.same({ 3 }, dc.linspace(3, 9, 1):to_table())
    assert.same({}, dc.linspace(3, 9, 0):to_table())
  end)

  it("linspace of many elements has the same bits as that of few", function()
    for _, dtype in ipairs { "float32", "float64" } do
      for _, ends in ipairs { { math.random() * 10, math.random() * -10 }, { 0, 1 }, { -1e308, 1e308 }, { 3, 3 } } do
        local a, b = ends[1], ends[2]
        local n = math.random(5000, 20000)
        local t = dc.linspace(a, b, n, dtype):to_table()
        assert.equal(n, #t)
        for i = 1, n do
          local v = i == 1 and a or i == n and b or a + (b - a) * ((i - 1) / (n - 1))
          if dtype == "float32" and math.abs(v) < 1e38 then v = string.unpack("f", string.pack("f", v)) end
          if dtype == "float32" and math.abs(v) >= 1e38 then v = v / 0 end
          if t[i] ~= v then assert.equal(v, t[i], note(("%s %s %s %d of %d"):format(dtype, a, b, i, n))) end
        end
      end
    end
    local t = dc.linspace(2, 0 / 0, 5000)
    assert.equal(2, t[1])
    assert.is_true(dc.isnan(t[{ { 2, 5000 } }]):all())
  end)

  it("make identity matrices", function()
    assert.same({ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, dc.eye(3, "int32"):to_table())
    assert.same({}, dc.eye(0):to_table())
  end)
end)

describe("bytes", function()
  it("become arrays and come back", function()
    for _, dtype in ipairs(h.dtypes) do
      local n = math.random(1, 40)
      local parts = {}
      for i = 1, n * h.itemsize[dtype] do parts[i] = string.char(math.random(0, dtype == "bool" and 1 or 255)) end
      local bytes = table.concat(parts)
      assert.equal(bytes, dc.from_bytes(bytes, n, dtype):bytes(), note(dtype))
      assert.equal(bytes, dc.from_bytes(bytes, { 1, n, 1 }, dtype):bytes())
    end
    assert.equal(-1, dc.from_bytes(("\255"):rep(8), 1, "uint64")[1]) -- Lua's wrapped integer
    assert.equal(255, dc.from_bytes("\255", 1, "uint8")[1])
    assert.equal(-1, dc.from_bytes("\255", 1, "int8")[1])
  end)

  it("must be as many as the shape needs, and 0 or 1 for bool", function()
    fails("shape", "needs 8 bytes, the string has 7", function() dc.from_bytes("1234567", 2, "float32") end)
    fails("dtype", "byte 2", function() dc.from_bytes("\0\2", 2, "bool") end)
    fails("argument", "string of bytes", function() dc.from_bytes({ 1 }, 1, "uint8") end)
  end)
end)

describe("dc.wrap", function()
  it("shares the memory of another array and keeps its owner alive", function()
    local owner = dc.arange(1, 6)
    local weak = setmetatable({ owner }, { __mode = "v" })
    local w = dc.wrap(owner.ptr, { 2, 3 }, "float32", owner)
    w[{ 2, 3 }] = 60
    assert.equal(60, owner[6])
    owner = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.is_not_nil(weak[1])
    assert.same({ { 1, 2, 3 }, { 4, 5, 60 } }, w:to_table())
    local view = w:row(1)
    w = nil -- luacheck: ignore
    collectgarbage()
    assert.is_not_nil(weak[1])
    assert.equal(3, view[3])
    view = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    collectgarbage()
    assert.is_nil(weak[1])
  end)

  it("refuses a null and a misaligned address", function()
    fails("argument", "address", function() dc.wrap(0, 3) end)
    fails("argument", "address", function() dc.wrap("x", 3) end)
    fails("argument", "aligned", function() dc.wrap(dc.zeros(4).ptr + 1, 3) end)
  end)
end)

describe("memory", function()
  it("is released by close(), <close> and the garbage collector", function()
    local before = h.bytes_live()
    local a = dc.zeros(1000)
    assert.is_true(dc.stats().bytes_live >= before + 4000)
    a:close()
    a:close()
    assert.equal(before, dc.stats().bytes_live)
    do
      local b <close> = dc.zeros(1000)
      assert.is_true(dc.stats().bytes_live > before)
      assert.equal(1000, #b)
    end
    assert.equal(before, dc.stats().bytes_live)
    pcall(function()
      local c <close> = dc.zeros(1000)
      error(c)
    end)
    assert.equal(before, dc.stats().bytes_live)
    for _ = 1, 100 do dc.zeros(1000) end
    assert.equal(before, h.bytes_live())
  end)

  it("of unreachable arrays triggers the garbage collector: a loop of large temporaries stays flat", function()
    for _, mode in ipairs { "incremental", "generational" } do
      local old = collectgarbage(mode)
      local most = 0
      for _ = 1, 200 do
        dc.empty(4 << 20, "uint8")
        most = math.max(most, dc.stats().bytes_live)
      end
      collectgarbage(old)
      assert.is_true(most < 400 << 20, mode .. ": " .. most)
    end
  end)

  it("stays valid when an array is closed inside a finalizer", function()
    local a = dc.ones(10)
    do
      local t = setmetatable({}, { __gc = function() a:close() end }) -- luacheck: ignore
    end
    collectgarbage()
    collectgarbage()
    fails("argument", "closed", function() return a[1] end)
  end)
end)
