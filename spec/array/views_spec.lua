-- Views share memory; shapes, strides, copies.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails = h.note, h.fails

describe("views", function()
  it("of rows and columns share memory", function()
    local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
    assert.same({ 4, 5, 6 }, a:row(2):to_table())
    assert.same({ 3, 6 }, a:col(-1):to_table())
    a:col(1):fill(0)
    assert.same({ { 0, 2, 3 }, { 0, 5, 6 } }, a:to_table())
    assert.is_false(a:col(1).contiguous)
    assert.is_true(a:row(1).contiguous)
    fails("shape", "2 axes", function() dc.ones(3):row(1) end)
    fails("index", "out of bounds", function() a:row(3) end)
    fails("index", "count from 1", function() a:col(0) end)
  end)

  it("transposed, with any order of axes", function()
    local shape = h.shape(3)
    local t = h.nested(shape, "int32")
    local a = dc.array(t, "int32")
    local b = a:transpose(3, 1, 2)
    assert.same({ shape[3], shape[1], shape[2] }, { b:shape() })
    for i = 1, shape[1] do
      for j = 1, shape[2] do
        for k = 1, shape[3] do
          assert.equal(t[i][j][k], b[{ k, i, j }], note())
          assert.equal(t[i][j][k], a.T[{ k, j, i }])
          assert.equal(t[i][j][k], a:transpose { -2, -1, 1 }[{ j, k, i }])
        end
      end
    end
    b[{ 1, 1, 1 }] = 12345
    assert.equal(12345, a[{ 1, 1, 1 }])
    fails("shape", "all 3 axes", function() a:transpose(1, 2) end)
    fails("shape", "axis 4", function() a:transpose(1, 2, 4) end)
    fails("argument", "twice", function() a:transpose(1, 1, 2) end)
  end)

  it("reshaped, also from views that must be copied", function()
    local a = dc.arange(1, 12)
    local m = a:reshape(3, 4)
    assert.same({ { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } }, m:to_table())
    m[{ 1, 1 }] = 100
    assert.equal(100, a[1])
    assert.same({ 3, 2, 2 }, { m:reshape { 3, -1, 2 }:shape() })
    assert.same({ { 100, 5, 9, 2 }, { 6, 10, 3, 7 }, { 11, 4, 8, 12 } }, m.T:reshape(3, 4):to_table())
    assert.equal(100, a[{ { 1, 1 } }]:reshape({}):item())
    fails("shape", "12 elements", function() a:reshape(5) end)
    fails("shape", "", function() a:reshape(-1, -1) end)
    fails("shape", "", function() a:reshape(-1, 5) end)
    fails("shape", "%-2", function() a:reshape(-2) end)
    fails("argument", "shape", function() a:reshape() end)
  end)

  it("squeezed and broadcast", function()
    local a = dc.array { { { 1, 2, 3 } } }
    assert.same({ 3 }, { a:squeeze():shape() })
    assert.same({ 1, 3 }, { a:squeeze(1):shape() })
    fails("shape", "extent 3", function() a:squeeze(3) end)
    local b = dc.array { 1, 2 }:broadcast_to(3, 2)
    assert.same({ { 1, 2 }, { 1, 2 }, { 1, 2 } }, b:to_table())
    fails("argument", "broadcast", function() b[1] = 0 end)
    fails("shape", "", function() dc.ones(3):broadcast_to(2) end)
    assert.same({ { 1, 2 }, { 1, 2 } }, dc.array { 1, 2 }:broadcast_to { 2, 2 }:copy():to_table())
  end)

  it("of views read the right elements", function()
    for _ = 1, 40 do
      local shape = h.shape(3, 6)
      local t, flat = h.nested(shape, "int32")
      local a = dc.array(t, "int32"):transpose(2, 3, 1)
      local i, j = math.random(shape[2]), math.random(shape[1])
      local v = a[{ i, { -1, 1, -1 } }]:col(j):to_table()
      for k = 1, shape[3] do assert.equal(t[j][i][shape[3] + 1 - k], v[k], note()) end
      assert.equal(#flat, a.size)
    end
  end)

  it("keep their memory when their array is collected, and close when it is closed", function()
    local view
    do
      local a = dc.arange(1, 1000)
      view = a[{ { 999, 1000 } }]
    end
    collectgarbage()
    collectgarbage()
    assert.same({ 999, 1000 }, view:to_table())
    local a = dc.ones(4)
    view = a[{ { 1, 2 } }]
    a:close()
    fails("argument", "closed", function() return view[1] end)
    fails("argument", "closed", function() return a.dtype end)
    fails("argument", "closed", function() return a + 1 end)
    fails("argument", "closed", function() return #view end)
    assert.matches("closed", tostring(a))
  end)
end)

describe("copies", function()
  it("are contiguous and independent", function()
    local a = dc.array { { 1, 2 }, { 3, 4 } }
    local b = a.T:copy()
    a:fill(0)
    assert.is_true(b.contiguous)
    assert.same({ { 1, 3 }, { 2, 4 } }, b:to_table())
    assert.equal(a, a:fill(7))
    assert.same({ { 1, 3 }, { 2, 4 } }, a:copy_from(b):to_table())
    fails("argument", "array expected", function() a:copy_from(3) end)
  end)

  it("in other dtypes are made by to()", function()
    local a = dc.array { 1.75, -2.75, 3 }
    assert.same({ 1, -2, 3 }, a:to("int32"):to_table()) -- C's conversion: towards zero
    assert.equal("float64", a:to("double").dtype)
    assert.equal(a, a:to "float32")
    assert.equal(a, a:to(dc.device()))
    assert.same({ true, true, false }, dc.array { 2, -1, 0 }:to("bool"):to_table())
    fails("device", "neither a dtype nor a device named 'cpux'", function() a:to "cpux" end)
    fails("argument", "device", function() a:to(3) end)
  end)
end)

describe("item()", function()
  it("needs exactly one element", function()
    assert.equal(5, dc.array({ { 5 } }, "int32"):item())
    fails("shape", "2 elements", function() dc.ones(2):item() end)
  end)
end)

describe("tostring", function()
  it("wraps long rows, every element once and in order", function()
    local n = math.random(100, 900)
    local s = tostring(dc.arange(1, n))
    local at = 0
    for line in s:gmatch "[^\n]+" do assert.is_true(#line <= 80, line) end
    for v in s:match "{(.*)}":gmatch "%d+" do
      at = at + 1
      assert.equal(at, math.tointeger(v))
    end
    assert.equal(n, at)
  end)

  it("shows dtype, shape, device and elements", function()
    local s = tostring(dc.array({ { 1, -2 }, { 3, 4 } }, "int32"))
    assert.equal(("int32 array (2, 2) on %s\n{{ 1, -2},\n { 3,  4}}"):format(dc.device().id), s)
    assert.matches("{ true, false}", tostring(dc.array { true, false }))
    assert.equal("0.5", tostring(dc.array(0.5)))
    assert.matches("18446744073709551615", tostring(dc.from_bytes(("\255"):rep(8), 1, "uint64")))
    assert.matches("{}$", tostring(dc.zeros(0, 3)))
    assert.matches("{ nan,  inf, %-inf}", tostring(dc.array { 0 / 0, 1 / 0, -1 / 0 }))
  end)

  it("of a large array shows both ends, and copies no more to the host", function()
    local n = 1 << 20
    local a = dc.arange(1, n, "int32"):eval()
    dc.stats "reset"
    local s = tostring(a)
    assert.is_true(dc.stats().bytes_to_host < 1000)
    assert.matches("{ +1, +2, +3, %.%.%., 1048574, 1048575, 1048576}", s)
    local m = tostring(a:reshape(1024, 1024).T)
    local _, lines = m:gsub("\n", "\n")
    assert.equal(7, lines)
    assert.matches("{{ +1, +1025, +2049, %.%.%.,", m)
    assert.matches("%.%.%., 1046528, 1047552, 1048576}}", m)
  end)

  it("of an array with many axes stays short", function()
    assert.is_true(#tostring(dc.zeros(7, 7, 7, 7, 7, 7, "int8")) < 1000000)
  end)
end)

-- Transposing and reshaping leave an expression pending; what they give is a view of it all the same.
describe("views of pending expressions", function()
  local function launches(fn)
    collectgarbage()
    local before = dc.stats().launches
    fn()
    return dc.stats().launches - before
  end
  local rows, columns = math.random(2, 40), math.random(2, 40)
  local function numbers(n)
    local t = {}
    for i = 1, n do t[i] = math.random(-99, 99) / 4 end
    return dc.array(t)
  end
  local function operand() return numbers(rows * columns):reshape(rows, columns):copy() end

  it("are computed together with expressions over them, in one kernel", function()
    for _, dtype in ipairs { "float32", "float16", "int64", "complex64" } do
      local a, b = operand():to(dtype):eval(), operand():to(dtype):eval()
      local row = numbers(columns):to(dtype):eval()
      local e = (a + b):eval()
      local want = { e.T:copy() * 2, e:reshape(-1):copy() - 1, e:reshape(columns, rows):copy():sum(1),
        (a * row):eval().T:copy():sum(2), (e * 2):eval():reshape(1, -1):squeeze():copy() + 1 }
      for _, w in ipairs(want) do w:eval() end
      local got
      assert.equal(5, launches(function()
        got = { (a + b).T * 2, (a + b):reshape(-1) - 1, (a + b):reshape(columns, rows):sum(1), (a * row).T:sum(2),
          ((a + b) * 2):reshape(1, -1):squeeze() + 1 }
        for _, g in ipairs(got) do g:eval() end
      end))
      for k, g in ipairs(got) do assert.is_true(dc.equal(want[k], g), note(dtype .. " " .. k)) end
    end
    local a = dc.array(h.values(24, "float64"), "float64"):reshape(2, 3, 4)
    assert.is_true(dc.equal((a:copy():transpose(3, 1, 2) + 1):eval(), (a + 1):transpose(3, 1, 2)))
    assert.is_true(dc.equal(a.T:copy() * 2 + 1, ((a * 2).T + 1):transpose(1, 2, 3))) -- views of views
    assert.is_true(dc.equal(a:transpose(2, 3, 1):copy():reshape(3, 8) * 2, (a * 2):transpose(2, 3, 1):reshape(3, 8)))
    assert.is_true(dc.equal(a * 2, ((a * 2).T.T)))
  end)

  it("share memory with the expression, whichever is evaluated or written first", function()
    local a = operand()
    local i, j = math.random(rows), math.random(columns)
    for way = 1, 4 do
      local e = a * 2
      local t, r = e.T, e:reshape(-1)
      if way == 1 then e:eval() elseif way == 2 then t:eval() elseif way == 3 then r:eval() end
      local read = t + 1
      t[{ j, i }] = 77
      assert.equal(77, e[{ i, j }], note())
      assert.equal(77, r[(i - 1) * columns + j])
      assert.equal(a[{ i, j }] * 2 + 1, read[{ j, i }]) -- from before
      r:fill(5)
      assert.equal(5, t[{ j, i }])
      e[":"] = a
      assert.equal(a[{ i, j }], t[{ j, i }])
      assert.is_false(t.contiguous)
      assert.is_true(e.contiguous and r.contiguous)
    end
    local e = a + 1
    local t = e.T
    local want = (a + 1):eval()
    a:fill(3) -- what they read
    assert.is_true(dc.equal(want.T, t))
    assert.is_true(dc.equal(want, e))
    e = a * 2
    t = e:reshape(columns, rows).T
    e:close()
    fails("argument", "closed", function() t:eval() end)
    e = a * 2
    t = e.T
    t:close()
    fails("argument", "closed", function() e:eval() end)
  end)

  it("combine with the expression itself, with other views and with overwritten operands", function()
    local n = math.random(3, 50)
    local a = numbers(n * n):reshape(n, n):copy()
    local e = (a * 3):eval()
    local want = e + e:copy().T:copy()
    local x = a * 3
    assert.is_true(dc.equal(want, x + x.T))
    x = a * 3
    assert.is_true(dc.equal(want + e, x.T + x:reshape(n, n) + x))
    local before = a:copy()
    a[":"] = (a + 1).T
    assert.is_true(dc.equal((before + 1):eval().T, a))
    a[":"] = (a:reshape(-1) * 2):reshape(n, n)
    assert.is_true(dc.equal((before + 1):eval().T * 2, a))
    local v = a
    for k = 1, 150 do v = (v + k).T end
    local w = a
    for k = 1, 150 do w = (w + k):eval().T:copy() end
    assert.is_true(dc.equal(w, v))
  end)

  it("of random numbers and of ranges give the same numbers", function()
    local function drawn()
      dc.random.seed(h.seed)
      return dc.random.uniform(60) * 2
    end
    local want = drawn():eval()
    local got = drawn():reshape(6, 10)
    assert.is_true(dc.equal(want:reshape(6, 10) + 1, got + 1))
    dc.random.seed(h.seed)
    local turned = (dc.random.uniform(6, 10) * 2).T
    assert.is_true(dc.equal(want:reshape(6, 10).T, turned))
  end)
end)
