-- dc.max(a, 1) compared the elements with 1, where a:max(1) and every other dc.sum(a, 1) reduce along axis 1.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

local function random_rows(rows, columns)
  local t = {}
  for i = 1, rows do
    t[i] = {}
    for k = 1, columns do t[i][k] = h.f32(math.random() * 20 - 10) end
  end
  return t
end

describe("dc.max and dc.min", function()
  it("reduce one array as the methods do", function()
    local rows, columns = math.random(2, 30), math.random(2, 30)
    local t = random_rows(rows, columns)
    local a = dc.array(t)
    for name, better in pairs { max = math.max, min = math.min } do
      local by_column, by_row, best = {}, {}, t[1][1]
      for i = 1, rows do
        by_row[i] = better(table.unpack(t[i]))
        best = better(best, by_row[i])
        for k = 1, columns do by_column[k] = better(by_column[k] or t[i][k], t[i][k]) end
      end
      assert.same(by_column, dc[name](a, 1):to_table(), h.note(name))
      assert.same(by_row, dc[name](a, -1):to_table(), h.note(name))
      assert.same({ by_column }, dc[name](a, { 1, keep = true }):to_table(), h.note(name))
      assert.same({ by_column }, dc[name](a, 1, { keep = true }):to_table(), h.note(name))
      assert.equal(best, dc[name](a):item(), h.note(name))
      assert.equal(best, dc[name](a, { 1, 2 }):item(), h.note(name))
    end
  end)

  it("refuse two operands, and name the functions that compare them", function()
    local a, b = dc.array { 1, 5 }, dc.array { 4, 2 }
    for name, pair in pairs { max = { "maximum", "fmax" }, min = { "minimum", "fmin" } } do
      local pattern = ("dc%%.%s%%(a, b%%) and dc%%.%s%%(a, b%%) compare two"):format(pair[1], pair[2])
      fails("argument", pattern, function() dc[name](a, b) end)
      fails("argument", pattern, function() dc[name](a, 2.5) end)
      fails("argument", pattern, function() dc[name](2.5, a) end)
      fails("argument", pattern, function() a[name](a, b) end)
      fails("shape", pattern, function() dc[name](a, 0) end)
      fails("shape", pattern, function() dc[name](a, 2) end)
      fails("argument", "an array expected", function() dc[name](3) end)
    end
    assert.same({ 4, 5 }, dc.maximum(a, b):to_table())
    assert.same({ 2.5, 5 }, dc.fmax(2.5, a):to_table())
  end)

  it("are elementwise for values that dc.vectorize traces", function()
    local nan = 0 / 0
    local x, y = { 1, 7, nan, 4 }, { 3, 2, 5, nan }
    local f = dc.vectorize(function(a, b)
      return dc.max(a, b), dc.min(a, b), a:max(2), dc.max(6, b), dc.maximum(a, b), b:minimum(a)
    end)
    local most, least, two, six, strict_most, strict_least = f(dc.array(x), dc.array(y))
    assert.same({ 3, 7, 5, 4 }, most:to_table())
    assert.same({ 1, 2, 5, 4 }, least:to_table())
    assert.same({ 2, 7, 2, 4 }, two:to_table())
    assert.same({ 6, 6, 6, 6 }, six:to_table())
    for got, want in pairs { [strict_most] = { 3, 7 }, [strict_least] = { 1, 2 } } do
      assert.same(want, got[{ { 1, 2 } }]:to_table())
      assert.is_true(got[3] ~= got[3] and got[4] ~= got[4])
    end
    fails("argument", "'max' takes 2 arguments", function() dc.vectorize(function(a) return dc.max(a) end) end)
  end)
end)
