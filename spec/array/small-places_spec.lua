-- Places of extremes, joins and repetitions of small arrays: what plain Lua gives, without a kernel where the device's
-- memory is the host's.
local helper = require "spec.helper"
local dc = require "dotcompute"
local note, same = helper.note, helper.same

local nan, inf = 0 / 0, math.huge
local on_host = dc.device().host_memory and dc.device().blocking
local dtypes = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64" }

local specials = { nan, inf, -inf, 0.0, -0.0, -nan }
local function number(dtype)
  if dtype:find "float" then
    return math.random(6) == 1 and specials[math.random(#specials)] or math.random(-20, 20) / 4
  elseif dtype == "bool" then
    return math.random(2) == 1
  end
  return math.random(dtype:find "^u" and 0 or -20, 20)
end
local function numbers(n, dtype)
  local t = {}
  for i = 1, n do t[i] = number(dtype) end
  return t
end

local function without_launch(text, fn, ...)
  fn(...)
  dc.stats "reset"
  local r = fn(...)
  if on_host then assert.equal(0, dc.stats().launches, note(text)) end
  return r
end

-- The first NaN, or the first of the most extreme elements.
local function place_of(t, largest)
  local at
  for i, v in ipairs(t) do
    if v == true or v == false then v = v and 1 or 0 end
    local best = at and t[at]
    if best == true or best == false then best = best and 1 or 0 end
    if v ~= v then return i end
    if not at or (largest and v > best) or (not largest and v < best) then at = i end
  end
  return at
end

describe("of small arrays", function()
  it("argmax and argmin are the first places, NaN before all, along any axis of any view", function()
    for _, dtype in ipairs(dtypes) do
      for _ = 1, 3 do
        local h, w = math.random(1, 30), math.random(1, 30)
        local base = dc.array(numbers(h * w, dtype), dtype):reshape(h, w)
        local reversed, some = base[{ { -1, 1, -1 }, { -1, 1, -1 } }], base[{ { 1, h, 2 }, { 1, w, 3 } }]
        for _, a in ipairs { base, base.T, reversed, some } do
          local t, rows, cols = a:to_table(), a:shape()
          for _, name in ipairs { "argmax", "argmin" } do
            local text = ("%s of %s, %d x %d"):format(name, dtype, rows, cols)
            local down = without_launch(text, dc[name], a, 1)
            local along = without_launch(text, dc[name], a, 2, { keep = true })
            assert.equal("int64", down.dtype)
            for j = 1, cols do
              local column = {}
              for i = 1, rows do column[i] = t[i][j] end
              assert.equal(place_of(column, name == "argmax"), down[j], note(text))
            end
            local all = {}
            for i = 1, rows do
              assert.equal(place_of(t[i], name == "argmax"), along[{ i, 1 }], note(text))
              table.move(t[i], 1, cols, #all + 1, all)
            end
            assert.equal(place_of(all, name == "argmax"), a[name](a):item(), note(text))
          end
        end
        local line = base:reshape(-1)[{ { -1, 1, -1 } }]
        local list = line:to_table()
        assert.equal(place_of(list, true), without_launch(dtype, dc.argmax, line):item(), note(dtype))
        assert.equal(place_of(list, false), without_launch(dtype, dc.argmin, line):item(), note(dtype))
      end
    end
    assert.equal(1, dc.array(7):argmax():item())
    assert.equal(0, dc.zeros(3, 0):argmax(1).size)
    assert.has_error(function() dc.zeros(3, 0):argmax(2) end)
    assert.has_error(function() dc.zeros(0):argmin() end)
    helper.fails("argument", "argmax takes one axis", function() dc.zeros(2, 3, 4):argmax { 1, 2 } end)
    helper.fails("argument", "argmin takes one axis", function() dc.argmin(dc.zeros(2, 3), 1, 2) end)
    assert.has_error(function() dc.zeros(3, "complex64"):argmin() end)
  end)

  it("the first true or false of many bools is found by words", function()
    for _ = 1, 20 do
      local n = math.random(1, 30000)
      local at, tail = math.random(n), math.random(0, 40)
      local a = dc.zeros(n + tail, "bool")
      assert.equal(1, a:argmax():item())
      a[at] = true
      if tail > 0 then a[n + tail] = true end
      assert.equal(at, without_launch(n, dc.argmax, a):item(), note(n))
      assert.equal(at, without_launch(n, dc.argmin, a:logical_not():eval()):item(), note(n))
      assert.same({ at, at }, dc.argmax(dc.stack { a, a }, 2):to_table())
    end
  end)

  it("argmax sees what pending expressions and other streams write", function()
    local n = math.random(5, 50)
    local a, at = dc.zeros(n), math.random(n)
    local s = dc.stream()
    dc.using(s, function() a[at] = 1 end)
    assert.equal(at, a:argmax():item())
    assert.equal(at, (a * 2):argmax():item())
    assert.equal(at, (0 - a):argmin():item())
  end)

  it("argmax is part of a graph", function()
    local n = math.random(5, 50)
    local a, place = dc.zeros(n), dc.zeros({}, "int64")
    local g = dc.graph(function() place[":"] = a:argmax() end)
    for _ = 1, 3 do
      local at = math.random(n)
      a:fill(0)
      a[at] = 1
      g()
      assert.equal(at, place:item())
    end
  end)

  it("joins are those of nested tables", function()
    for _, dtype in ipairs(dtypes) do
      local h, w = math.random(0, 5), math.random(1, 6)
      local arrays, tables = {}, {}
      for k = 1, math.random(1, 5) do
        local rows = k == 1 and h or math.random(0, 5)
        local a = dc.array(numbers(rows * w, dtype), dtype):reshape(rows, w)
        if k % 2 == 0 then a = a[{ { -1, 1, -1 }, { -1, 1, -1 } }] end
        arrays[k], tables[k] = a, a:to_table()
      end
      local want = {}
      for _, t in ipairs(tables) do table.move(t, 1, #t, #want + 1, want) end
      local got = dc.concat(arrays)
      assert.equal(dtype, got.dtype)
      local turned = {}
      for k, a in ipairs(arrays) do turned[k] = a.T end
      local beside = dc.concat(turned, 2)
      assert.equal(#want, got:shape())
      for i, row in ipairs(want) do
        for j, v in ipairs(row) do
          for _, there in ipairs { { got[{ i, j }] }, { beside[{ j, i }] } } do
            there = there[1]
            assert.is_true(there == v or (v ~= v and there ~= there), note(dtype))
          end
        end
      end
    end
    local p, q = dc.arange(1, 3), dc.arange(4, 6)
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 }, { 2, 4, 6 } }, dc.stack { p, q, p * 2 }:to_table())
    assert.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, dc.stack({ p, q }, 2):to_table())
    assert.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, dc.stack({ p, q }, { axis = -1 }):to_table())
    same({ 1, 2, 3, 2, 4, 6 }, dc.concat { p, p * 2 }:to_table())
    assert.equal("float64", dc.concat { p, q:to "float64" }.dtype)
    same({ 2, 0, 3 }, { dc.stack { dc.zeros(0, 3), dc.zeros(0, 3) }:shape() })
    helper.fails("shape", "concat: array 2 has the shape", function() dc.concat { p, dc.zeros(2, 2) } end)
    helper.fails("shape", "stack: array 2 has the shape", function() dc.stack { p, dc.zeros(2) } end)
    helper.fails("shape", "joined", function() dc.concat { dc.array(1), dc.array(2) } end)
    helper.fails("argument", "takes a table", function() dc.concat(p) end)
    helper.fails("argument", "closed", function()
      local dead = dc.zeros(3)
      dead:close()
      dc.concat { p, dead }
    end)
    local deep = {}
    for d = 1, 32 do deep[d] = 1 end
    helper.fails("shape", "32 axes", function() dc.stack { dc.zeros(deep), dc.zeros(deep) } end)
  end)

  it("repetitions and reversals are those of tables", function()
    for _, dtype in ipairs { "uint8", "float16", "int64", "complex128" } do
      local h, w = math.random(1, 5), math.random(1, 5)
      local a = dc.random.integers({ h, w }, { low = 0, high = 9 }):to(dtype):eval()
      if math.random(2) == 1 then a = a[{ { -1, 1, -1 }, ":" }] end
      local t, m, n = a:to_table(), math.random(1, 3), math.random(1, 3)
      local tiled, each, down = a:tile(m, n), a:repeat_(n), a:repeat_(m, 1)
      local flipped, mirrored = a:flip(), a:flip(2)
      for i = 1, h * m do
        for j = 1, w * n do
          assert.is_true(t[(i - 1) % h + 1][(j - 1) % w + 1] == tiled[{ i, j }], note(dtype))
        end
        for j = 1, w do assert.is_true(t[(i - 1) // m + 1][j] == down[{ i, j }], note(dtype)) end
      end
      for k = 1, h * w * n do
        local from = (k - 1) // n
        assert.is_true(t[from // w + 1][from % w + 1] == each[k], note(dtype))
      end
      for i = 1, h do
        for j = 1, w do
          assert.is_true(t[h + 1 - i][w + 1 - j] == flipped[{ i, j }], note(dtype))
          assert.is_true(t[i][w + 1 - j] == mirrored[{ i, j }], note(dtype))
        end
      end
    end
    local p = dc.arange(1, 3)
    same({ 2, 2, 4, 4, 6, 6 }, (p * 2):repeat_(2):to_table())
    assert.equal(0, p:repeat_(0).size)
    assert.equal(0, p:tile(2, 0).size)
    same({ 5, 5 }, dc.array(5):repeat_(2):to_table())
    local deep = {}
    for d = 1, 33 do deep[d] = 1 end
    helper.fails("shape", "at most 32", function() p:tile(deep) end)
    helper.fails("memory", "", function() p:tile(math.maxinteger) end)
    p:flip()[1] = 9 -- a view
    assert.equal(9, p[3])
  end)
end)
