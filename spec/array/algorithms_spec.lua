-- All algorithms with graphs, streams, devices and large counts.
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local h = require "spec.helper"
local note, fails = h.note, h.fails

describe("algorithms", function()
  it("count in 64 bits where counts exceed 32", function()
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

  it("are captured in graphs unless they read a result back", function()
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

  it("run in the current stream", function()
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

  it("run on the array's device", function()
    local x = dc.using("cpu", dc.array, { 3, 1, 2 })
    assert.equal(dc.device "cpu", x:sort().device)
    assert.equal(dc.device "cpu", dc.concat({ x, x }).device)
  end)
end)
