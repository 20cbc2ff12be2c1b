-- Expressions that pass over rows several times (softmax, layer norm and longer ones): fused against one step after the
-- other, with the same bits, in rows that fit into shared memory or do not; and a few rows against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"

local keep <const> = { 2, keep = true }

-- Each is written with `each`, which does nothing, or computes what it is given.
local programs = {
  softmax = function(x, each)
    local e = each(dc.exp(each(x - each(x:max(keep)))))
    return each(e / each(e:sum(keep)))
  end,
  norm = function(x, each)
    return each(each(x - each(x:mean(keep))) / each(dc.sqrt(each(each(x:var(keep)) + 1))))
  end,
  ["variance of a later pass"] = function(x, each)
    local y = each(dc.abs(each(x - each(x:mean(keep)))))
    return each(each(y * x) - each(y:std(keep)))
  end,
  ["four passes"] = function(x, each)
    local y = each(x - each(x:mean(keep)))
    local z = each(y / each(each(dc.abs(y):max(keep)) + 1))
    local w = each(z * each(z:sum(keep)))
    return each(each(w - x) * each(w:min(keep)) + each(each(y * z) - w))
  end,
  ["one value a row"] = function(x, each)
    local y = each(x - each(x:mean(keep)))
    return each(each(y * each(dc.abs(y))):sum(keep))
  end,
  ["with places and other dtypes"] = function(x, each)
    local i = each(dc.arange(1, (select(2, x:shape()))):to "float64")
    local y = each(each(x * i) - each(x:min(keep)))
    local positive = each(y:gt(each(y:mean(keep))))
    return each(dc.where(positive, y, each(x - each(positive:count(keep)))))
  end,
  ["wider in a later pass"] = function(x, each)
    local e = each(dc.exp(each(each(x - each(x:max(keep))):to "float64")))
    return each(e / each(e:sum(keep)))
  end,
  ["narrower in a later pass"] = function(x, each)
    local above = each(x:gt(each(x:mean(keep))))
    return each(each(above:to "float32") * each(above:count(keep)))
  end,
  ["scaled along the row"] = function(x, each)
    local v = each(x[1] * 0.5)
    local y = each(x * v)
    return each(each(y - each(y:max(keep))) * v + each(y:sum(keep)) * each(x:sum(keep)))
  end,
}

local all = {}
for name in pairs(programs) do all[#all + 1] = name end
table.sort(all)

local function some(n) -- of them
  local names = {}
  for i = 1, n do names[i] = all[math.random(#all)] end
  return names
end

local function lazily(e) return e end
local function eagerly(e) return e:eval() end

local function check(x, text, names)
  for _, name in ipairs(names or all) do
    local program = programs[name]
    local got, want = program(x, lazily):eval(), program(x, eagerly)
    assert.equal(want.dtype, got.dtype)
    assert.is_true(want:bytes() == got:bytes(), h.note(("%s, %s"):format(name, text))) -- equal() would print them
  end
end

describe("several fused passes over rows give the bits of single steps,", function()
  for _, dtype in ipairs { "float32", "float64", "float16" } do
    it("in " .. dtype, function()
      for _, length in ipairs { 1, math.random(2, 31), 32, math.random(33, 255), 256, math.random(257, 2047), 4096 } do
        local rows = math.random(1, 9)
        local x = (dc.random.normal(rows, length) * 3):to(dtype):eval()
        check(x, ("%d rows of %d %s"):format(rows, length, dtype))
      end
    end)
  end

  it("for many short rows", function()
    for _, length in ipairs { math.random(1, 7), 8, math.random(9, 63), 64, math.random(65, 127), 128 } do
      local rows, dtype = math.random(64, 200), ({ "float32", "float64", "float16" })[math.random(3)]
      local x = (dc.random.normal(rows, length) * 3):to(dtype):eval()
      check(x, ("%d rows of %d %s"):format(rows, length, dtype))
    end
  end)

  it("for reductions over any axis of arrays whose axes are exchanged", function()
    local x = dc.random.normal(math.random(2, 9), math.random(2, 40), math.random(33, 70)):eval()
    for _, order in ipairs { { 3, 1, 2 }, { 3, 2, 1 }, { 2, 3, 1 }, { 2, 1, 3 } } do
      local v = x:transpose(table.unpack(order))
      for _, name in ipairs { "sum", "max", "var", "argmin" } do
        for axis = 1, 3 do
          local want = v:copy()[name](v:copy(), axis)
          assert.equal(want:bytes(), v[name](v, axis):bytes(), h.note(("%s over axis %d"):format(name, axis)))
        end
      end
    end
  end)

  it("for rows that are long, and too many to divide among blocks", function()
    local gpu = dc.device().backend == "cuda" -- where they may lie in shared memory
    for _, length in ipairs(gpu and { math.random(4097, 9000), 20000, math.random(59000, 60000) } or { 4100 }) do
      local x = dc.random.normal(1, length):broadcast_to(1100, length)
      check(x, ("1100 equal rows of %d"):format(length), not gpu and { "norm", "four passes" })
    end
  end)

  it("for rows that are long, and few enough to be divided among blocks", function()
    local gpu = dc.device().backend == "cuda" -- where a cluster of blocks has such a row
    for _, dtype in ipairs(gpu and { "float32", "float64", "float16" } or { "float32" }) do
      local lengths = { math.random(4097, 9000) }
      if gpu then table.move({ 16384, math.random(9001, 40000), math.random(40001, 131072) }, 1, 3, 2, lengths) end
      for _, length in ipairs(lengths) do
        local rows = math.random(1, 300000 // length)
        local x = (dc.random.normal(rows, length) * 3):to(dtype):eval()
        check(x, ("%d rows of %d %s"):format(rows, length, dtype), some(4))
        check(x[{ ":", { 2, length } }], ("%d rows of %d %s that are not aligned"):format(rows, length - 1, dtype),
          some(3))
      end
    end
    local x = dc.random.normal(3, 5, 5000):eval()
    check(x:reshape(15, 5000), "15 rows of 5000")
    check(x:transpose(2, 1, 3):reshape(5, 15000), "5 rows of 15000 in pieces")
    check(dc.random.normal(6000, 40):eval().T, "40 columns of 6000")
    if gpu then -- too long for shared memory
      check(dc.random.normal(1, 70000):broadcast_to(700, 70000):to "float64", "700 equal rows of 70000 float64")
    end
  end)

  it("down columns", function()
    local gpu = dc.device().backend == "cuda" -- where a column may be several blocks'
    for _, dtype in ipairs { "float32", "float64", "float16" } do
      for _, length in ipairs { math.random(2, 31), math.random(33, 600), math.random(601, 1500) } do
        local rows = math.random(32, 70)
        local x = (dc.random.normal(length, rows) * 3):to(dtype):eval()
        check(x.T, ("%d columns of %d %s"):format(rows, length, dtype))
      end
      local long = gpu and { math.random(1501, 4095), 4096, 9001, 16384, math.random(20000, 40000) } or {}
      for _, length in ipairs(long) do
        local rows = math.random(1100, 1200)
        check((dc.random.normal(length, rows) * 3):to(dtype):eval().T, ("%d columns of %d %s"):format(rows, length,
          dtype))
      end
    end
    local x = dc.random.normal(3, 100, 40):eval() -- several axes are kept, or reduced
    check(x:transpose(1, 3, 2):reshape(120, 100), "columns side by side")
    check(x:reshape(300, 40).T, "columns of 300")
  end)

  it("on views", function()
    local whole = dc.random.normal(21, 700):eval()
    check(whole[{ { 1, 21, 2 }, { 2, 700, 3 } }], "strides")
    check(whole[{ ":", { 2, 600 } }], "not aligned")
    check(whole.T, "transposed")
    check(whole:reshape(21, 10, 70):transpose(2, 1, 3):reshape(10, 21, 70)[3], "rearranged")
  end)

  it("and assigned over their operands", function()
    for _, name in ipairs(all) do
      for _, shape in ipairs { { 30, 1500 }, { math.random(64, 99), math.random(2, 127) } } do
        local x, program = dc.random.normal(shape):eval(), programs[name]
        local y = x:copy()
        local want = program(x, eagerly):to "float32"
        y[":"] = program(y, lazily)
        assert.equal(want:broadcast_to(shape):copy():bytes(), y:bytes(), h.note(name))
      end
    end
  end)

  it("and the values of plain Lua", function()
    for _, shape in ipairs { { 5, 1000 }, { math.random(64, 90), math.random(2, 127) } } do
      local x = dc.random.normal(shape):eval()
      local soft, norm = programs.softmax(x, lazily):to_table(), programs.norm(x, lazily):to_table()
      for i, row in ipairs(x:to_table()) do
        local top, sum, mean, var = math.max(table.unpack(row)), 0, 0, 0
        for _, v in ipairs(row) do sum, mean = sum + math.exp(v - top), mean + v / #row end
        for _, v in ipairs(row) do var = var + (v - mean) ^ 2 / #row end
        for j, v in ipairs(row) do
          assert.near(math.exp(v - top) / sum, soft[i][j], 1e-6)
          assert.near((v - mean) / math.sqrt(var + 1), norm[i][j], 1e-5)
        end
      end
    end
  end)
end)
