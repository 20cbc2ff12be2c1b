-- Kernels in Lua whose blocks work together: barriers of the grid, clusters.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

-- Each pass adds the neighbours' values of the pass before.
local function ring(x, y, passes)
  local i, n = dc.index(), #x
  for _ = 1, passes do
    y[i] = x[(i - 2) % n + 1] + x[i % n + 1]
    dc.sync_grid()
    x[i] = y[i]
    dc.sync_grid()
  end
end

describe("barriers of the grid", function()
  it("order all blocks, with checks and without", function()
    for _, options in ipairs { {}, { check = true } } do
      local k = dc.jit(ring, options)
      for _ = 1, 2 do
        local blocks, threads, passes = math.random(1, 6), math.random(1, 40), math.random(1, 5)
        local n = blocks * threads
        local t = {}
        for i = 1, n do t[i] = math.random(-9, 9) end
        local x = dc.array(t, "int64")
        k(blocks, threads, x, dc.zeros(n, "int64"), passes)
        for _ = 1, passes do
          local new = {}
          for i = 1, n do new[i] = t[(i - 2) % n + 1] + t[i % n + 1] end
          t = new
        end
        h.same(t, x:to_table(), "ring")
      end
    end
  end)

  it("show what other blocks have written", function()
    local k = dc.jit(function(x, y)
      local i = dc.index()
      if dc.block_index() == 1 then
        local before = x[5]
        dc.sync_grid()
        dc.sync_grid()
        y[i] = before * 10 + x[5]
      else
        dc.sync_grid()
        x[i - dc.block_size()] = 1
        dc.sync_grid()
      end
    end)
    local n = math.random(5, 64)
    local y = dc.zeros(n)
    k(2, n, dc.full(n, 3), y)
    assert.equal(31.0, y:min():item())
    assert.equal(31.0, y:max():item())
  end)

  it("need a grid whose blocks are resident together", function()
    local k = dc.jit(function(x)
      dc.sync_grid()
      x[1] = 1
    end)
    fails("launch", "a cooperative launch of 4000000 blocks .*holds at most %d+ of them at once",
      function() k(4000000, 1024, dc.zeros(1)) end)
  end)

  it("end with the threads that have found a fault", function()
    local k = dc.jit(function(x, i)
      if dc.block_index() == 2 then x[i] = 1 end
      dc.sync_grid()
      x[1] = x[1] + 1
    end, { check = true })
    local x = dc.zeros(4)
    for _ = 1, 2 do
      fails("index", "index 5 of axis 1 is out of range", function() k(3, 32, x, 5) end)
      k(3, 1, x, 2)
    end
    assert(x[2] == 1)
  end)
end)

describe("clusters", function()
  it("without the launch option have one block each", function()
    local out = dc.zeros({ 6, 4 }, "int32")
    dc.jit(function(a)
      local tile = dc.shared("int32", 2, 2)
      local b = dc.block_index()
      tile[{ 1, 2 }] = 10 * b
      dc.sync_cluster()
      local x, y, z = dc.cluster_size()
      local other = dc.cluster_shared(tile, 1)
      a[b][1], a[b][2] = dc.cluster_index(), x * y * z
      a[b][3], a[b][4] = dc.cluster_rank(), other[{ 1, 2 }] + #other
    end)(6, 1, out)
    for b = 1, 6 do h.same({ b, 1, 1, 10 * b + 2 }, out[b]:to_table(), "block " .. b) end
  end)

  it("are refused where the device has none", function()
    if dc.device() ~= "cpu" then return end
    fails("launch", "clusters of 2 blocks %(2x1x1%); cpu takes at most 1",
      function() dc.jit(function() dc.sync_cluster() end):with { cluster = 2 }(4, 1) end)
  end)

  it("#gpu share their memory", function()
    dc.using(dc.devices()[1], function()
      local out = dc.zeros(16, "int32")
      local k = dc.jit(function(a)
        local mine = dc.shared("int32", 1)
        local n, rank = dc.cluster_size(), dc.cluster_rank()
        mine[1] = 100 * dc.cluster_index() + rank
        dc.sync_cluster()
        local other = dc.cluster_shared(mine, rank % n + 1)
        a[dc.block_index()] = other[1]
        dc.sync_cluster()
      end):with { cluster = 4 }
      local ok, err = pcall(k, 16, 1, out)
      if not ok then
        assert(err.kind == "launch" and err.message:find "takes at most 1", tostring(err))
        return
      end
      local want = {}
      for b = 1, 16 do want[b] = 100 * ((b - 1) // 4 + 1) + b % 4 + 1 end
      h.same(want, out:to_table(), "other blocks")
    end)
  end)

  it("take arrays in shared memory", function()
    local x = dc.ones(3)
    -- luacheck: push ignore
    for pattern, fn in pairs {
      ["dc.cluster_shared takes an array of dc.shared; 'x' is not in shared memory"] = function()
        x[1] = dc.cluster_shared(x, 1)[1]
      end,
      ["'l' is not in shared memory"] = function()
        local l = dc.local_array("float32", 2)
        x[1] = dc.cluster_shared(l, 1)[1]
      end,
      ["takes an array of dc.shared, but '3' is"] = function() x[1] = dc.cluster_shared(3, 1)[1] end,
      ["the rank 0 is not in 1 to 16"] = function()
        local s = dc.shared("float32", 2)
        x[1] = dc.cluster_shared(s, 0)[1]
      end,
      ["dc.cluster_shared takes 2 arguments, got 1"] = function() x[1] = dc.cluster_shared(x)[1] end,
      ["dc.sync_grid takes 0 arguments, got 1"] = function() dc.sync_grid(1) end,
    } do
      fails("compile", pattern, function() dc.jit(fn)(1, 1) end)
    end
    -- luacheck: pop
  end)
end)
