-- quantile and median against plain Lua: sorted lists and their interpolated neighbours.
local dc = require "dotcompute"
local any = require "spec.any_dtype"
local h = require "spec.helper"
local fake = require "spec.fake"
local note, fails = h.note, h.fails
local nan = 0 / 0

-- The quantile of a list of numbers.
local function quantile(list, q)
  local t = table.move(list, 1, #list, 1, {})
  for _, v in ipairs(t) do
    if v ~= v then return nan end
  end
  table.sort(t)
  local at = q * (#t - 1)
  local k = math.floor(at)
  local rest = at - k
  if rest == 0 then return t[k + 1] + 0.0 end
  return t[k + 1] == t[k + 2] and t[k + 1] + 0.0 or t[k + 1] * (1 - rest) + t[k + 2] * rest
end

local function near(want, got, tolerance, text)
  local same = got == want or (got ~= got and want ~= want) or math.abs(got - want) <= tolerance * (1 + math.abs(want))
  assert(same, ("%s: expected %s, got %s"):format(text, want, got))
end

local results = { float16 = "float16", bfloat16 = "bfloat16", float32 = "float32", float64 = "float64",
  int32 = "float64", uint32 = "float64", int64 = "float64", uint64 = "float64" }
local tolerances = { float16 = 1e-3, bfloat16 = 8e-3, float32 = 1e-6, float64 = 1e-14 }

describe("quantile and median", function()
  it("interpolate elements of every dtype, in the dtype of means", function()
    for _, dtype in ipairs(any.dtypes) do
      local list, n, q = {}, math.random(1, 60), math.random()
      for k = 1, n do list[k] = math.random(0, dtype == "bool" and 1 or 100) end
      local a = dc.array(list, dtype)
      local result = results[dtype] or "float32"
      assert.equal(result, a:quantile(q).dtype)
      near(quantile(list, q), a:quantile(q):item(), tolerances[result], note(dtype))
      near(quantile(list, 0.5), a:median():item(), tolerances[result], note(dtype))
      assert.equal(quantile(list, 0), a:quantile(0):item())
      assert.equal(quantile(list, 1), a:quantile(1):item())
    end
  end)

  it("go along an axis of views and expressions, which may stay; q may be a list", function()
    for _ = 1, 6 do
      local rows, columns = math.random(1, 9), math.random(1, 9)
      local t = h.nested({ rows, columns }, "float64")
      local a = dc.array(t, "float64")
      local qs = { math.random(), 0, math.random() }
      local by_row, by_column = a:quantile(qs, 2), (a.T * 2):quantile(dc.array(qs, "float64"), 2)
      assert.same({ 3, rows }, { by_row:shape() })
      assert.same({ 3, columns }, { by_column:shape() })
      assert.same({ 3, rows, 1 }, { a:quantile(qs, 2, { keep = true }):shape() })
      assert.same({ rows, 1 }, { a:median { 2, keep = true }:shape() })
      assert.same({ 1, 1 }, { a:median({ keep = true }):shape() })
      assert.same({ 3 }, { a:quantile(qs):shape() })
      for k, q in ipairs(qs) do
        for i = 1, rows do near(quantile(t[i], q), by_row[{ k, i }], 1e-13, note "row") end
        for j = 1, columns do
          local column = {}
          for i = 1, rows do column[i] = t[i][j] * 2 end
          near(quantile(column, q), by_column[{ k, j }], 1e-13, note "column")
        end
      end
      assert.is_true(dc.allclose(a:median(-1), a:quantile(0.5, { axis = 2 })))
    end
  end)

  it("propagate NaN in its row alone, and take infinite elements as they are", function()
    local a = dc.array { { 1, nan, 2 }, { 3, 1, 2 }, { math.huge, 5, -math.huge }, { math.huge, math.huge, 1 } }
    local m = a:median(2)
    assert.is_true(m[1] ~= m[1])
    assert.same({ 2.0, 5.0, math.huge }, m:slice({ 2, 4 }):to_table())
    assert.equal(math.huge, dc.quantile({ 1, math.huge }, 0.5):item())
    assert.equal(1.0, dc.quantile({ 1, math.huge }, 0):item())
    assert.is_true(dc.isnan(a:median()):item())
    assert.equal(6e4, dc.median(dc.array({ 6e4, 6e4, 6e4, 6e4 }, "float16")):item())
    assert.equal(1.5e308, dc.median(dc.array({ 1.5e308, 1.5e308 }, "float64")):item())
  end)

  it("refuse what has no quantile", function()
    local a = dc.ones(3, 2)
    for _, q in ipairs { -0.1, 1.5, nan, "0.5", true } do
      fails("argument", "from 0 to 1", function() a:quantile({ q }) end)
    end
    fails("argument", "a number or a list", function() a:quantile "0.5" end)
    fails("argument", "takes one or more numbers", function() a:quantile() end)
    fails("argument", "keepdims", function() a:median(1, { keepdims = true }) end)
    fails("shape", "2 axes", function() a:quantile(dc.zeros(1, 1)) end)
    fails("index", "axis 3", function() a:median(3) end)
    fails("shape", "no elements", function() dc.zeros(0):median() end)
    fails("shape", "no elements", function() dc.zeros(2, 0):quantile(0.5, 2) end)
    assert.same({ 0 }, { dc.zeros(2, 0):median(1):shape() })
    fails("dtype", "complex", function() dc.zeros(3, "complex64"):median() end)
  end)

  it("take a launch on a GPU beside the sort's, and leave nothing to be computed", function()
    for _, script in ipairs { "dc.median(m, { axis = 2 })", "dc.quantile(m, 0.3, { axis = 2 })",
                              "m:to('float16'):median(2)" } do
      local _, report = fake.run("local m = dc.zeros(30, 31):eval()\ndc.synchronize()\n" .. script)
      assert.equal(2 + (script:find "float16" and 1 or 0), #report.launch, script)
      assert.equal(0, fake.held(report, "memory"))
    end
  end)
end)
