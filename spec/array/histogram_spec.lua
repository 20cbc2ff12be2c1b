-- bincount and histogram against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails, each_way = h.note, h.fails, h.each_way
local nan = 0 / 0

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

  it("refuses values that no number of bins reaches", function()
    for _, v in ipairs { math.maxinteger, math.maxinteger - 1 } do
      fails("argument", "the largest value is " .. v, function() dc.array({ 3, v }, "int64"):bincount() end)
      fails("argument", "the largest value is " .. v, function()
        dc.array({ 3, v }, "int64"):bincount { weights = { 1, 2 }, minlength = 4 }
      end)
    end
  end)

  it("adds weights, and gives at least the wanted number of counts", function()
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

  it("refuses values that it cannot count", function()
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

  it("counts in bins of equal width, the last of which includes its upper edge", function()
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
  it("assigns elements next to an edge by comparison with that edge", function()
    local f32 = h.f32
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

  it("counts between given edges, and within a range", function()
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

  -- By the host's loop, by chunks of threads and as a GPU does; in bins of equal width and between any edges. Elements
  -- outside and NaN add to no bin, whatever their weights are.
  it("adds weights of few and of many elements in every kind of bins", function()
    each_way(function()
      for _, n in ipairs { 1, 300, 20000 } do
        for _, dtype in ipairs { "float32", "float64", "int16", "uint64" } do
          local t, w = {}, {}
          local real = dtype:find "float"
          for k = 1, n do
            t[k] = real and math.random(-300, 700) / 4 or math.random(0, 200)
            w[k] = math.random(-20, 20) / 4
          end
          for _, v in ipairs(real and n > 10 and { nan, math.huge, -math.huge } or {}) do t[math.random(n)] = v end
          local a = dc.array(t, dtype):reshape(1, -1)
          local edges = { -10.5, 0, 0.25, 7, 90, 90, 101, 150 }
          for text, got in pairs {
            edges = a:histogram(edges, { weights = dc.array { w } }),
            even = a:histogram(7, { weights = dc.array { w }, range = { -10, 150 } }),
            view = a:reshape(-1):flip():histogram(edges, { weights = dc.array(w, "float64"):flip() }),
          } do
            local e = edges
            if text == "even" then
              e = {}
              for k = 0, 7 do e[k + 1] = -10 + 160 * k / 7 end
            end
            assert.equal("float64", got.dtype)
            h.same(count(t, e, w), got:to_table(), ("%s, %s, %d"):format(text, dtype, n))
          end
        end
      end
    end)
    local none = dc.empty(0):histogram({ 0, 1, 2 }, { weights = dc.empty(0) })
    h.same({ 0, 0 }, none:to_table())
  end)

  it("has bins of equal width over the widest ranges of integers and float64", function()
    local half, whole = 2.0 ^ 63, 2.0 ^ 64
    local got, edges = dc.array({ math.mininteger, 0, math.maxinteger }, "int64"):histogram(4)
    h.same({ 1, 0, 1, 1 }, got:to_table())
    h.same({ -half, -half / 2, 0, half / 2, half }, edges:to_table())
    got, edges = dc.array({ -1, 0, 5 }, "uint64"):histogram(4) -- the first is 2^64 - 1
    h.same({ 2, 0, 0, 1 }, got:to_table())
    h.same({ 0, whole / 4, half, whole * 3 / 4, whole }, edges:to_table())
    got = dc.array({ -4, 7 }, "int64"):histogram(2, { range = { math.mininteger, math.maxinteger } })
    h.same({ 1, 1 }, got:to_table())
    got, edges = dc.array({ -1.5e308, 0, 1.5e308 }, "float64"):histogram(4)
    h.same({ 1, 0, 1, 1 }, got:to_table())
    h.same({ -1.5e308, -0.75e308, 0, 0.75e308, 1.5e308 }, edges:to_table())
  end)

  it("has bins for no elements and for a single value", function()
    local got, edges = dc.histogram({ 3, 3 }, 2)
    h.same({ 0, 2 }, got:to_table())
    h.same({ 2.5, 3, 3.5 }, edges:to_table())
    got, edges = dc.empty(0):histogram(2)
    h.same({ 0, 0 }, got:to_table())
    h.same({ 0, 0.5, 1 }, edges:to_table())
    assert.equal(10, dc.histogram({ 1, 2 }).size)
  end)

  it("refuses invalid bins, edges and ranges", function()
    fails("argument", "elements that are NaN", function() dc.histogram({ 1, nan }) end)
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

  it("counts into many bins once, as native code on the CPU device, if minlength says how many", function()
    local out, code = h.on_cpu("TIER=1 DOTCOMPUTE_CPU_THREADS=2", [[
      local dc = require "dotcompute"
      math.randomseed(tonumber(arg[1]))
      local function launches(fn)
        fn()
        dc.stats "reset"
        fn()
        return dc.stats().launches
      end
      for _, dtype in ipairs { "int32", "uint16", "int64" } do
        local n, bins = math.random(80000, 120000), math.random(9000, 12000)
        local values, wanted = {}, {}
        for v = 0, bins - 1 do wanted[v + 1] = 0 end
        for i = 1, n do
          local v = math.random() < 0.3 and 17 or math.random(0, bins - 1)
          values[i], wanted[v + 1] = v, wanted[v + 1] + 1
        end
        local a = dc.array(values, dtype)
        wanted = dc.array(wanted, "int64")
        local got = a:bincount { minlength = bins }
        local all = a:bincount()
        print(dtype, dc.equal(got, wanted), dc.equal(all, wanted[{ { 1, #all } }]),
          launches(function() return a:bincount { minlength = bins } end)
          == launches(function() return a:bincount { minlength = bins // 4 } end) - 1)
        a[n // 2] = bins + 5 -- beyond what minlength says
        got = a:bincount { minlength = bins }
        print(#got, got[-1] == 1 and got:sum():item() == n)
      end]], h.seed)
    assert.equal(0, code, out)
    for line in out:gmatch "[^\n]+" do assert.is_nil(line:find "false", h.note(out)) end
  end)
end)
