-- Dynamic shared memory of kernels in Lua: arrays whose extents are computed at run time.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

describe("dynamic shared memory", function()
  it("has as many bytes as the launch's block needs", function()
    local reverse = dc.jit(function(x)
      local t, n = dc.thread_index(), dc.block_size()
      local tile = dc.dynamic_shared("float32", n)
      local i = dc.index()
      tile[t] = x[i]
      dc.sync_threads()
      x[i] = tile[n - t + 1]
    end)
    for _, threads in ipairs { 1, 3, 64, 1000, math.random(1024) } do
      local blocks = math.random(3)
      local t, want = {}, {}
      for i = 1, blocks * threads do t[i] = i end
      for i = 1, blocks * threads do want[i] = ((i - 1) // threads + 1) * threads - (i - 1) % threads end
      local x = dc.array(t)
      reverse(blocks, threads, x)
      h.same(want, x:to_table(), threads .. " threads")
      x = dc.array(t)
      reverse({ blocks }, { x = threads }, x)
      h.same(want, x:to_table(), threads .. " threads, as a table")
    end
  end)

  it("has several arrays, of extents from arguments, captured numbers, arrays and locals", function()
    local extra = 0
    local k = dc.jit(function(out, n, y)
      local t = dc.thread_index()
      local rows = math.max(n, extra) + 1
      local bytes = dc.dynamic_shared("int8", rows, 3)
      local wide = dc.dynamic_shared("float64", #y // 2 * 2 - 1)
      local words = dc.dynamic_shared("uint16", y:shape(1) % 4 + 1, n, 1)
      local flags = dc.dynamic_shared("bool", dc.grid_size())
      if t == 1 then
        for i = 1, #bytes do for j = 1, 3 do bytes[i][j] = i + j end end
        for i = 1, #wide do wide[i] = 1000 * i end
        for i = 1, #words do for j = 1, n do words[{ i, j, 1 }] = 100 * i + j end end
        for i = 1, #flags do flags[i] = true end
      end
      dc.sync_threads()
      local sum = 0
      for i = 1, #bytes do for j = 1, 3 do sum = sum + bytes[i][j] end end
      for i = 1, #wide do sum = sum + wide[i] end
      for i = 1, #words do for j = 1, n do sum = sum + words[i][j][1] end end
      for i = 1, #flags do sum = sum + (flags[i] and 0.5 or 0) end
      out[t] = sum
    end, { check = true })
    for _ = 1, 5 do
      extra = math.random(0, 20)
      local n, extent, blocks = math.random(1, 12), math.random(2, 30), math.random(1, 4)
      local want = 0.5 * blocks
      for i = 1, math.max(n, extra) + 1 do for j = 1, 3 do want = want + i + j end end
      for i = 1, extent // 2 * 2 - 1 do want = want + 1000 * i end
      for i = 1, extent % 4 + 1 do for j = 1, n do want = want + 100 * i + j end end
      local out = dc.zeros(5, "float64")
      k(blocks, 5, out, n, dc.zeros(extent))
      h.same({ want, want, want, want, want }, out:to_table(), ("n = %d, extent = %d"):format(n, extent))
      out:fill(0)
      k:with { shared = 20000 }(blocks, 5, out, n, dc.zeros(extent))
      assert.equal(want, out[1])
    end
  end)

  it("follows arguments, captured numbers, arrays and blocks from launch to launch", function()
    local factor = 1
    local k = dc.jit(function(out, x, n)
      local t = dc.thread_index()
      local a = dc.dynamic_shared("int32", n * factor)
      local b = dc.dynamic_shared("int32", #x, dc.block_size())
      if t == 1 then
        for i = 1, #a do a[i] = i end
        for i = 1, #b do b[i][dc.block_size()] = 1000 end
        local sum = 0
        for i = 1, #a do sum = sum + a[i] end
        for i = 1, #b do sum = sum + b[i][dc.block_size()] end
        out[1] = sum
      end
    end)
    local arrays = { dc.ones(2), dc.ones(300), dc.ones(5), dc.ones(17) }
    local out = dc.zeros(1, "int64")
    for _ = 1, 60 do
      local x, n, threads = arrays[math.random(4)], ({ 1, 2, 700 })[math.random(3)], ({ 1, 1, 7 })[math.random(3)]
      factor = math.random(2)
      k(1, threads, out, x, n)
      local m = n * factor
      assert.equal(m * (m + 1) // 2 + 1000 * #x, out[1], h.note(("n = %d, factor = %d, %d threads"):format(n, factor,
        threads)))
    end
  end)

  it("of a size that is known in the kernel alone is a launch option", function()
    local k = dc.jit(function(sizes, out)
      local n = sizes[dc.block_index()]
      local tile = dc.dynamic_shared("int32", n)
      for i = 1, n do tile[i] = i end
      out[dc.block_index()] = tile[n]
    end, { check = true })
    local sizes, out = dc.array({ 3, 10 }, "int32"), dc.zeros(2, "int32")
    local line = h.line(-5)
    fails("launch", "dynamic_spec.lua:" .. line .. ", column %d+: extent 1 of dc.dynamic_shared is known in the kernel "
      .. "alone; .*k:with{ shared = bytes }", function() k(2, 1, sizes, out) end)
    k:with { shared = 48 }(2, 1, sizes, out)
    assert.same({ 3, 10 }, out:to_table())
    fails("launch", "the launch has less dynamic shared memory than", function()
      k:with { shared = 32 }(2, 1, sizes, out)
    end)
    fails("launch", "extent 1 of dc.dynamic_shared is negative", function()
      k:with { shared = 32 }(1, 1, dc.array({ -1 }, "int32"), out)
    end)
  end)

  it("is there for forall, for streams, and may be empty", function()
    local k = dc.jit(function(x, n)
      local tile = dc.dynamic_shared("float32", dc.block_size())
      local none = dc.dynamic_shared("float32", n)
      local i, t = dc.index(), dc.thread_index()
      tile[t] = i
      if i <= #x then x[i] = tile[t] + #none end
    end)
    local x, want = dc.zeros(700), {}
    for i = 1, 700 do want[i] = i end
    k:forall(700, x, 0)
    h.same(want, x:to_table(), "forall")
    x:fill(0)
    k[dc.stream()]:forall({ 700 }, x, 0)
    h.same(want, x:to_table(), "forall of a list")
    local fixed = dc.jit(function(a)
      local tile = dc.dynamic_shared("float32", #a)
      if dc.index() <= #a then
        tile[dc.index()] = 2
        a[dc.index()] = tile[dc.index()]
      end
    end)
    fixed:forall(5, dc.zeros(5))
    fixed(1, "auto", dc.zeros(5))
    fails("launch", "depends on grid and block: give both as numbers", function() k(1, "auto", x, 0) end)
  end)

  it("atomic functions work on it", function()
    local k = dc.jit(function(out, bins)
      local counts = dc.dynamic_shared("uint8", bins)
      local t = dc.thread_index()
      for i = t, bins, dc.block_size() do counts[i] = 0 end
      dc.sync_threads()
      dc.atomic_add(counts, t % bins + 1, 1)
      dc.sync_threads()
      for i = t, bins, dc.block_size() do out[i] = counts[i] end
    end)
    local bins, want = math.random(1, 9), {}
    for i = 1, bins do want[i] = 0 end
    for t = 1, 100 do want[t % bins + 1] = want[t % bins + 1] + 1 end
    local out = dc.zeros(bins, "int32")
    k(1, 100, out, bins)
    h.same(want, out:to_table(), "counts")
  end)

  it("has limits", function()
    local k = dc.jit(function(x, n)
      local tile = dc.dynamic_shared("float32", n)
      tile[1] = 1
      x[1] = tile[1]
    end)
    local x = dc.zeros(1)
    k(1, 1, x, 10)
    fails("launch", "extent 1 of dc.dynamic_shared is %-1", function() k(1, 1, x, -1) end)
    fails("launch", "bytes of dynamic shared memory", function() k(1, 1, x, 1000000) end)
    fails("launch", "shared", function() k(1, 1, x, 1 << 29) end)
    fails("launch", "extent 1 of dc.dynamic_shared is 1152921504606846976", function() k(1, 1, x, 1 << 60) end)
    fails("launch", "with{ shared = 12 }, but the arrays of dc.dynamic_shared take 48 bytes", function()
      k:with { shared = 12 }(1, 1, x, 10)
    end)
    fails("launch", "grid", function() k(-1, 1, x, 10) end)
    fails("argument", "takes a grid and a block", function() k(1) end)
  end)

  it("is made by locals of the kernel", function()
    local x = dc.zeros(1)
    -- luacheck: push ignore
    local function made() local a = dc.dynamic_shared("float32", 3) return a[1] end
    for pattern, fn in pairs {
      ["dc.dynamic_shared makes the value of a local of the kernel itself"] = function()
        if x[1] > 0 then local a = dc.dynamic_shared("float32", 3) end
      end,
      ["makes the value of a local"] = function() for i = 1, 2 do local a = dc.dynamic_shared("float32", 3) end end,
      ["makes the value of a local of the kernel"] = function() x[1] = #dc.dynamic_shared("float32", 3) end,
      ["makes the value of a local of"] = function() x[1] = made() end,
      ["takes 2 to 5 arguments, got 1"] = function() local a = dc.dynamic_shared("float32") end,
      ["takes a dtype's name"] = function() local a = dc.dynamic_shared(3, 3) end,
      ["extent 1 of dc.dynamic_shared needs an integer, but '1.5'"] = function()
        local a = dc.dynamic_shared("float32", 1.5)
      end,
      ["the extent %-2 is negative"] = function() local a = dc.dynamic_shared("float32", 1, -2) end,
    } do
      fails("compile", pattern, function() dc.jit(fn)(1, 1) end)
    end
    -- luacheck: pop
  end)
end)
