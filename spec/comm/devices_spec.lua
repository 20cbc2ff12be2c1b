-- Communication among devices of one process (dc.comm), and of one rank alone.
local dc = require "dotcompute"
local helper = require "spec.helper"

local function cpus(n)
  local list = {}
  for k = 1, n do list[k] = "cpu" end
  return list
end

local function column(parts, i)
  local list = {}
  for k, p in ipairs(parts) do list[k] = p[i] end
  return list
end

describe("dc.comm", function()
  before_each(function() math.randomseed(helper.seed) end)

  it("reduces, gathers and exchanges tables of arrays", function()
    for n = 1, 4 do
      local comm, len = dc.comm(cpus(n)), math.random(1, 40)
      local values, parts = {}, {}
      for k = 1, n do
        values[k] = {}
        for i = 1, len * n do values[k][i] = math.random(-50, 50) end
        parts[k] = dc.using("cpu", dc.array, values[k], "int32")
      end
      local sum, max = {}, {}
      for i = 1, len * n do
        sum[i], max[i] = 0, -100
        for k = 1, n do sum[i], max[i] = sum[i] + values[k][i], math.max(max[i], values[k][i]) end
      end
      local all, most = comm:all_reduce(parts), comm:all_reduce(parts, "max")
      local blocks, exchanged = comm:reduce_scatter(parts), comm:all_to_all(parts)
      local root = math.random(0, n - 1)
      local one = comm:reduce(parts, root)
      local gathered = comm:all_gather(parts)
      for k = 1, n do
        assert.same(sum, all[k]:to_table())
        assert.same(max, most[k]:to_table())
        assert.same(table.move(sum, (k - 1) * len + 1, k * len, 1, {}), blocks[k]:to_table())
        local want, whole = {}, {}
        for r = 1, n do
          table.move(values[r], (k - 1) * len + 1, k * len, #want + 1, want)
          table.move(values[r], 1, len * n, #whole + 1, whole)
        end
        assert.same(want, exchanged[k]:to_table())
        assert.same(whole, gathered[k]:to_table())
        assert.same(values[k], parts[k]:to_table())
      end
      assert.same(sum, one:to_table())
      comm:all_to_all(parts, { out = parts }) -- in place
      for k = 1, n do assert.same(exchanged[k]:to_table(), parts[k]:to_table()) end
      comm:broadcast(parts, root)
      for k = 1, n do assert.same(exchanged[root + 1]:to_table(), parts[k]:to_table()) end
      comm:close()
      helper.fails("argument", "closed", function() comm:all_reduce(parts) end)
    end
  end)

  it("prepares operations", function()
    local comm = dc.comm(cpus(3))
    local function parts(value)
      local list = {}
      for k = 1, 3 do list[k] = dc.using("cpu", dc.full, { 5 }, value * k) end
      return list
    end
    local a, out = parts(1), parts(0)
    local sum, twice = comm:prepare("all_reduce", a, { out = out }), comm:prepare("all_reduce", out, { out = out })
    for value = 1, 3 do
      for k, fresh in ipairs(parts(value)) do a[k]:copy_from(fresh) end
      assert.equal(out, sum())
      twice()
      assert.same({ 18.0 * value, 18.0 * value, 18.0 * value }, column(out, 5))
    end
    helper.fails("argument", "needs the option 'out'", function() comm:prepare("all_gather", a) end)
    helper.fails("argument", "takes no arguments", function() sum(1) end)
    comm:close()
    helper.fails("argument", "closed", function() sum() end)
    helper.fails("argument", "closed", function() comm:prepare("broadcast", a) end)
  end)

  it("means keep the dtype", function()
    local comm = dc.comm(cpus(2))
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64", "complex64" } do
      local parts = { dc.using("cpu", dc.full, { 2 }, 1, dtype), dc.using("cpu", dc.full, { 2 }, 4, dtype) }
      local mean = comm:all_reduce(parts, "mean")
      assert.equal(dtype, mean[2].dtype)
      for _, v in ipairs(column(mean, 1)) do assert.equal(2.5, type(v) == "number" and v or v.re) end
    end
  end)

  it("tells wrong arguments", function()
    local comm = dc.comm(cpus(2))
    local a = dc.using("cpu", dc.zeros, 4)
    helper.fails("argument", "table of 2 arrays", function() comm:all_reduce(a) end)
    helper.fails("argument", "table of 2 arrays", function() comm:all_reduce { a } end)
    helper.fails("argument", "table of 2 arrays.*got nil", function() comm:all_reduce(nil) end)
    helper.fails("argument", "nil in place of number 1", function() comm:all_gather { nil, a } end)
    helper.fails("argument", "an array expected", function() comm:all_reduce { a, 1 } end)
    helper.fails("dtype", "array 2 is float64", function()
      comm:all_reduce { a, dc.using("cpu", dc.zeros, 4, "float64") }
    end)
    helper.fails("shape", "array 2", function() comm:all_reduce { a, dc.using("cpu", dc.zeros, 5) } end)
    helper.fails("argument", "messages", function() comm:send(a, 1) end)
    helper.fails("argument", "split", function() comm:split(0) end)
    helper.fails("argument", "empty", function() dc.comm {} end)
    helper.fails("argument", "table of devices", function() dc.comm "cpu" end)
    helper.fails("device", "dc.comm", function() dc.comm { "nothing:7" } end)
  end)
end)

describe("a rank alone", function()
  it("needs no MPI, and every operation is a copy", function()
    local comm = dc.world()
    assert.equal(comm, dc.world())
    assert.equal(0, dc.rank())
    assert.equal(1, comm.size)
    local a = dc.arange(1, 4)
    for _, name in ipairs { "all_reduce", "reduce", "all_gather", "reduce_scatter", "all_to_all" } do
      local b = comm[name](comm, a)
      assert.same({ 1, 2, 3, 4 }, b:to_table())
      assert.is_false(rawequal(a, b))
    end
    assert.equal(a, comm:broadcast(a))
    local b = dc.zeros(4)
    local step = comm:prepare("all_reduce", a, { out = b })
    assert.equal(b, step())
    assert.same({ 1, 2, 3, 4 }, b:to_table())
    helper.fails("argument", "takes no arguments", function() step(a) end)
    comm:barrier()
    comm:close()
    assert.equal(7.0, comm:all_reduce(7))
    helper.fails("argument", "rank of 0 to 0", function() comm:send(a, 1) end)
    helper.fails("argument", "is this one", function() comm:send(a, 0) end)
    helper.fails("argument", "table of options", function() comm:all_reduce(a, "sum", 1) end)
    helper.fails("argument", "there is no option", function() comm:all_reduce(a, { output = a }) end)
  end)
end)
