-- scatter_add against plain Lua.
local dc = require "dotcompute"
local any = require "spec.any_dtype"
local h = require "spec.helper"
local note, fails = h.note, h.fails
local with_complex = any.with_complex

describe("scatter_add", function()
  it("adds values at indices, which may repeat", function()
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

  it("adds few values in their order", function()
    h.each_way(function()
      for _, n in ipairs { 1, 2, math.random(3, 300), math.random(1500, 2048) } do
        local m, width = math.random(20), n < 300 and math.random(3) or 1
        local want, sums, index, values = {}, {}, {}, {}
        for k = 1, m * width do want[k], sums[k] = h.f32(math.random()), -0.0 end
        local a = dc.array(want):reshape(m, width)
        for k = 1, n do
          index[k] = math.random(m)
          for c = 1, width do
            local v, at = h.f32((math.random() - 0.5) * 2.0 ^ math.random(-20, 20)), (index[k] - 1) * width + c
            values[#values + 1] = v
            sums[at] = sums[at] + v
          end
          if math.random(2) == 1 then index[k] = index[k] - m - 1 end -- from the end
        end
        for k = 1, m * width do want[k] = h.f32(want[k] + sums[k]) end -- rounded once
        a:scatter_add(dc.array(index, "int64"), dc.array(values):reshape(n, width))
        h.same(want, a:reshape(-1):to_table(), n .. " values")
      end
    end, { "as_gpu" })
  end)

  it("adds many values to few elements, with the rounding error of float64", function()
    h.each_way(function()
      for _, m in ipairs { 1, math.random(2, 31), math.random(32, 384), math.random(385, 768), 1536, 1537 } do
        for _, n in ipairs { math.random(2049, 2500), math.random(20000, 70000) } do
          local dtype = ({ "float32", "float64", "float16" })[math.random(3)]
          local start = dc.random.uniform(m, { low = -1 }):to(dtype)
          local index = dc.random.integers(n, { low = 1, high = m, dtype = math.random(2) == 1 and "int32" or "int64" })
          if math.random(2) == 1 then index[{ { 1, n // 2 } }] = 1 end -- mostly one
          local values = (dc.random.normal(n) * 0.01):to(dtype)
          local want, at, v = start:to "float64":to_table(), index:to_table(), values:to "float64":to_table()
          for k = 1, n do want[at[k]] = want[at[k]] + v[k] end
          local a, b = start:copy(), start:copy()
          a:scatter_add(index - (m + 1), values) -- from the end
          b:scatter_add(index, values)
          assert.is_true(dc.equal(a, b))
          local close = ({ float32 = 1e-6, float64 = 1e-13, float16 = 1e-3 })[dtype]
          local got = b:to "float64":to_table()
          for k = 1, m do
            assert.is_true(math.abs(got[k] - want[k]) <= close * math.max(1, math.abs(want[k])),
              ("%s, %d of %d: %.17g, %.17g"):format(dtype, k, m, got[k], want[k]))
          end
        end
      end
      local zeros = dc.full(5, -0.0) -- sums without values
      zeros:scatter_add(dc.full(3000, 2, "int32"), dc.full(3000, -0.0))
      for k = 1, 5 do assert.equal(-math.huge, 1 / zeros[k]) end
    end, { "as_gpu" })
  end)

  it("adds floats in any order where that is allowed", function()
    h.each_way(function()
      for _, dtype in ipairs { "float32", "float64", "complex64", "complex128", "float16", "int32" } do
        local m, n, width = math.random(2000, 9000), math.random(3000, 9000), math.random(3)
        local index = dc.random.integers(n, { low = 1, high = m })
        local values = dc.random.integers({ n, width }, { low = -9, high = 9 }):to(dtype) -- sums are exact
        local a, b = dc.ones({ m, width }, dtype), dc.ones({ m, width }, dtype)
        assert.equal(a, a:scatter_add(index, values, { deterministic = false }))
        b:scatter_add(index, values, { deterministic = true })
        assert.is_true(dc.equal(a, b), dtype)
      end
    end, { "as_gpu" })
    h.fails("argument", "scatter_add: option 'deterministic'", function()
      dc.zeros(3):scatter_add({ 1 }, 1, { deterministic = 1 })
    end)
    h.fails("argument", "scatter_add: there is no option 'order'", function()
      dc.zeros(3):scatter_add({ 1 }, 1, { order = "any" })
    end)
    h.fails("argument", "scatter_add", function() dc.zeros(3):scatter_add({ 1 }, 1, {}, 5) end)
    h.fails("argument", "scatter_add", function() dc.zeros(3):scatter_add({ 1 }, 1, 5) end)
  end)

  it("adds wide rows, several to one element", function()
    h.each_way(function()
      for _, dtype in ipairs { "float32", "float64", "float16", "complex64", "int8", "int32" } do
        local m, width, n = math.random(1, 5), math.random(32, 45), math.random(450, 550)
        local index, values, want = {}, {}, {}
        for k = 1, m * width do want[k] = 0 end
        for k = 1, n do
          index[k] = math.random(m)
          for c = 1, width do
            values[#values + 1] = math.random(-1, 1)
            local at = (index[k] - 1) * width + c
            want[at] = want[at] + values[#values]
          end
        end
        local a = dc.zeros({ m, width }, dtype):scatter_add(index, dc.array(values):reshape(n, width):to(dtype))
        h.same(dc.array(want, "int32"):to(dtype):to_table(), a:reshape(-1):to_table(), dtype)
      end
    end, { "as_gpu", "serial" })
  end)

  it("reads indices and values before it writes, also those that are in the array itself", function()
    h.each_way(function()
      for _, dtype in ipairs { "int8", "int32", "float32" } do
        local n = math.random(20, 5000)
        local a = dc.random.integers(n, { low = -2, high = 2 }):to(dtype):eval()
        local t, index = a:to_table(), {}
        local want = table.move(t, 1, n, 1, {})
        for k = 1, n do
          index[k] = dtype == "int8" and k % n + 1 or math.random(n)
          want[index[k]] = want[index[k]] + t[k]
        end
        a:scatter_add(index, a)
        h.same(want, a:to_table(), dtype)
      end
      local n = math.random(20, 5000)
      local a = dc.random.permutation(n)
      local want = a:to_table()
      for k, at in ipairs(a:to_table()) do want[at] = want[at] + k end
      a:scatter_add(a, dc.arange(1, n, 1, "int64"))
      h.same(want, a:to_table())
    end, { "as_gpu", "serial" })
  end)

  it("reaches every element of arrays whose indices take one, two, three or more bytes", function()
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
    end, { "as_gpu", "serial" })
  end)

  it("gives the same bits each time, with the rounding error of a tree", function()
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

  it("rounds sums of 16- and 32-bit floats once on the CPU device, whose sums are float64", function()
    if dc.device().backend ~= "cpu" then return end
    local m, n = math.random(3, 40), math.random(20000, 90000)
    local index, values, want = {}, {}, {}
    for k = 1, m do want[k] = 0 end
    for k = 1, n do
      index[k], values[k] = math.random(m), math.random(-(1 << 20), 1 << 21) / (1 << 20)
      want[index[k]] = want[index[k]] + values[k]
    end
    local at = dc.array(index, "int32")
    local got, complex = dc.zeros(m):scatter_add(at, values), dc.zeros(m, "complex64")
    complex:scatter_add(at, dc.array(values) * dc.complex(1, -1))
    for k = 1, m do
      assert.equal(h.f32(want[k]), got[k], note())
      assert.equal(h.f32(want[k]), complex[k].re, note())
      assert.equal(-h.f32(want[k]), complex[k].im, note())
    end
    local ones = dc.zeros(m, "bfloat16"):scatter_add(at, 1)
    for k = 1, m do want[k] = 0 end
    for _, k in ipairs(index) do want[k] = want[k] + 1 end
    h.same(dc.array(want, "float64"):to "bfloat16":to_table(), ones:to_table())
  end)

  it("leaves elements without an index as they are", function()
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local a = dc.array({ -0.0, 1, 1 / 0, -0.0, -1 / 0 }, dtype)
      a:scatter_add({ 2, 2, 4 }, dc.array({ 1, 2, 0.0 }, dtype))
      h.same({ -1 / 0, 0.25, 0, 1 / 0, 0 }, (1 / a):to_table(), dtype)
      assert.is_true(dc.signbit(a)[1], dtype)
    end
  end)

  it("reads values of the target before it writes them", function()
    local a = dc.arange(1, 4)
    a:scatter_add({ 1, 2, 3, 4 }, a:flip())
    h.same({ 5, 5, 5, 5 }, a:to_table())
    local b = dc.array({ 2, 1, 1 }, "int32")
    local e = b + 10
    b:scatter_add(b, b)
    h.same({ 4, 3, 1 }, b:to_table())
    h.same({ 12, 11, 11 }, e:to_table())
  end)

  it("refuses indices, values and shapes that do not fit", function()
    local a = dc.zeros(3, "int32")
    fails("index", "index 4 %(number 1 of 1%)", function() a:scatter_add({ 4 }, 1) end)
    local few, k = math.random(0, 3), math.random(1, 5) -- an array without rows
    fails("index", ("index %d %%(number 1 of 1%%) is out of range: there are 0 elements"):format(k), function()
      dc.zeros(0, few):scatter_add({ k }, 1)
    end)
    h.same({}, dc.zeros(0, few):scatter_add(dc.empty(0, "int32"), 1):to_table())
    fails("dtype", "values of float32 do not fit an array of int32", function() a:scatter_add({ 1 }, dc.ones(1)) end)
    fails("dtype", "bool", function() dc.zeros(3, "bool"):scatter_add({ 1 }, true) end)
    fails("shape", "%(2,%)", function() a:scatter_add({ 1, 2, 3 }, dc.ones(2, "int32")) end)
    fails("argument", "'scatter_add' takes", function() a:scatter_add({ 1 }) end)
    fails("argument", "an array expected", function() dc.scatter_add({ 1 }, { 1 }, { 1 }) end)
    fails("shape", "without axes", function() dc.array(1):scatter_add({ 1 }, 1) end)
    h.same({ 0, 0, 0 }, a:to_table())
    assert(rawequal(a, a:scatter_add(dc.empty(0, "int32"), 1)))
  end)
end)
