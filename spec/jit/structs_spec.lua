-- Structs and tuples in kernels in Lua, and structs on the host: layout, values, arrays of them.
local dc = require "dotcompute"
local h = require "spec.helper"
local check_mistakes = require "spec.jit_mistakes"
local fails = h.fails

local number_types = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
  "float64" }

-- A random value of a type that dc.struct takes, with extents, as a table.
local function random_value(t, extents, axis)
  axis = axis or 1
  if axis > #extents then return h.value(t) end
  local list = {}
  for k = 1, extents[axis] do list[k] = random_value(t, extents, axis + 1) end
  return list
end

local count = 0

-- A random list of fields, and a function that gives random values of them.
local function random_struct(depth)
  local fields, makers = {}, {}
  for k = 1, math.random(1, 6) do
    local name, t = "f" .. k, number_types[math.random(#number_types)]
    local extents = {}
    for j = 1, math.random(4) == 1 and math.random(1, 2) or 0 do extents[j] = math.random(1, 3) end
    if depth > 0 and math.random(4) == 1 then
      local inner, make_inner = random_struct(depth - 1)
      fields[k], makers[name] = { name, inner }, make_inner
    else
      fields[k] = { name, t, table.unpack(extents) }
      makers[name] = function() return random_value(t, extents) end
    end
  end
  count = count + 1
  local s = dc.struct("Random" .. count, fields)
  return s, function()
    local v = {}
    for name, make in pairs(makers) do v[name] = make() end
    return s(v)
  end
end

-- C's text that writes the size of the struct and the offsets of its fields.
local function layout_text(s)
  local lines = { ("out[0] = sizeof(%s);"):format(s.name), ("out[1] = alignof(%s);"):format(s.name) }
  for k, field in ipairs(s.fields) do
    lines[#lines + 1] = ("out[%d] = (char *)&p->%s - (char *)p;"):format(k + 1, field.name)
  end
  return ("%s__global__ void layout(const %s *p, long long *out) { %s }"):format(s:source(), s.name,
    table.concat(lines, " "))
end

-- Tables of fields as plain tables, for comparison.
local function plain(v)
  if type(v) ~= "table" then return v end
  local t = {}
  for k, one in next, v do t[k] = plain(one) end
  return t
end

describe("structs", function()
  it("have C's layout", function()
    for _ = 1, 4 do
      local s = random_struct(2)
      local out = dc.zeros(#s.fields + 2, "int64")
      dc.kernel(layout_text(s))(1, 1, s:array(1).bytes, out)
      local want = { s.size, s.align }
      for k, field in ipairs(s.fields) do want[k + 2] = s:offset(field.name) end
      h.same(want, out:to_table(), h.note(s:source()))
    end
  end)

  it("have values that are read as they were written", function()
    for _ = 1, 30 do
      local s, make = random_struct(2)
      local values = {}
      for k = 1, math.random(0, 5) do values[k] = make() end
      local a = s:array(values)
      assert.equal(#values, #a)
      for k, v in ipairs(values) do
        assert.same(plain(v), plain(a[k]), h.note(s:source()))
        assert.same(plain(v), plain(s:unpack(s:pack(v))))
        a[k] = values[1]
        assert.same(plain(values[1]), plain(a[k - #values - 1]))
      end
    end
  end)

  it("are one of C's for kernels in CUDA C", function()
    local Pair = dc.struct("Pair", { { "x", "float32" }, { "n", "int64" } })
    local a = Pair:array { { x = 1.5, n = 3 }, { x = -2, n = 1 << 40 } }
    local k = dc.kernel(Pair:source() .. [[
      __global__ void twice(Pair *p, Pair by) { p[threadIdx.x].x *= by.x; p[threadIdx.x].n += by.n; }]])
    k(1, 2, a.bytes, { x = 2, n = 1 })
    assert.same({ { x = 3, n = 4 }, { x = -4, n = (1 << 40) + 1 } }, plain(a:to_table()))
    k(1, 2, a.bytes, Pair(0.5, -1))
    assert.same({ x = 1.5, n = 3 }, plain(a[1]))
  end)

  it("give their fields as arrays, and are copied and viewed", function()
    local S = dc.struct("Row", { { "id", "int32" }, { "w", "float32", 2 } })
    local a = S:array { S(1, { 2, 3 }), S(4, { 5, 6 }) }
    h.same({ 1, 4 }, a:field("id"):to_table(), "id")
    assert.same({ { 2, 3 }, { 5, 6 } }, a:field("w"):to_table())
    local copy, view = a:copy(), S:view(a.bytes)
    a[1] = S(7, { 8, 9 })
    assert.equal(7, view[1].id)
    assert.equal(1, copy[1].id)
    assert.equal(2, #S:view(dc.zeros(24, "uint8")))
    assert.same({ 2, 3 }, { S:array(2, 3):shape() })
    assert.equal(0, S:array(2, 3)[{ 2, 3 }].id)
    assert.equal("array of 2 structs Row on " .. dc.device().id, tostring(a))
    assert.equal("Row{id = 7, w = {8.0, 9.0}}", tostring(a[1]))
    local seen = 0
    for i, v in ipairs(a) do seen = seen + i * v.id end
    assert.equal(7 + 2 * 4, seen)
    assert.equal(S, dc.struct("Row", { { "id", "int32" }, { "w", "float32", 2 } }))
    assert.are_not.equal(S, dc.struct("Row", { { "id", "int32" }, { "w", "float32", 3 } }))
  end)

  it("refuse what they cannot hold", function()
    local S = dc.struct("Held", { { "id", "int8" }, { "x", "float32" }, { "w", "int16", 2 } })
    local good = { id = 1, x = 2, w = { 3, 4 } }
    local function with(name, v)
      local t = { id = 1, x = 2, w = { 3, 4 } }
      t[name] = v
      return t
    end
    fails("dtype", "Held.id: 300 is out of range for int8", function() S(with("id", 300)) end)
    fails("argument", "Held.id takes an integer, got the number 1.5", function() S(with("id", 1.5)) end)
    fails("argument", "Held.id takes an integer, got the string '1'", function() S(with("id", "1")) end)
    fails("dtype", "Held.x: 1e%+300 is out of range", function() S(with("x", 1e300)) end)
    fails("argument", "Held.w takes a list of 2, got 1", function() S(with("w", { 1 })) end)
    fails("argument", "Held.w%[2%] takes an integer, got true", function() S(with("w", { 1, true })) end)
    fails("index", "Held has no field 'idd': did you mean 'id'", function() S(with("idd", 1)) end)
    fails("argument", "the field 'x' of Held has no value", function() S { id = 1, w = { 1, 2 } } end)
    assert.equal("Held{id = 1, x = 2.0, w = {3, 4}}", tostring(S(S(good))))
    fails("argument", "Held takes its 3 fields %(id, x, w%)", function() S(1, 2) end)
    fails("index", "Held has no field 'y'; its fields are id, x, w", function() return S(good).y end)
    fails("index", "Held has no field 'y'", function() S(good).y = 1 end)
    local a = S:array { good }
    fails("index", "index 2 of axis 1 is out of range: the extent is 1", function() a[2] = good end)
    fails("index", "index 0 of axis 1", function() local _ = a[0] end)
    fails("index", "an index is an integer, got the number 1.5", function() local _ = a[1.5] end)
    fails("index", "takes as many indices, got 2", function() local _ = a[{ 1, 1 }] end)
    fails("index", "an array of structs has no 'id'; a field of an element is a%[i%].id", function() local _ = a.id end)
    fails("argument", "takes a table of the fields of Held, got the number 3", function() a[1] = 3 end)
    fails("argument", "value 2 takes a table", function() S:array { good, 3 } end)
    fails("shape", "extent 1 is an integer from 0 on, got the number %-1", function() S:array(-1) end)
    fails("argument", "takes extents, or a list", function() S:array() end)
    fails("argument", "takes a list of values", function() S:array(good) end)
    fails("dtype", "takes a uint8 array, got one of float32", function() S:view(dc.zeros(12)) end)
    fails("argument", "takes a uint8 array, got the number 3", function() S:view(3) end)
    fails("shape", "has 12 bytes", function() S:view(dc.zeros(13, "uint8")) end)
    fails("argument", "no multiple of 4", function() S:view(dc.zeros(25, "uint8")[{ { 2, 13 } }]) end)
    fails("argument", "not contiguous", function() S:view(dc.zeros(4, 24, "uint8")[{ ":", { 1, 12 } }]) end)
    fails("argument", "has 12 bytes; there are not as many", function() S:unpack "abc" end)
    for _, at in ipairs { math.maxinteger, math.mininteger, 0, 2 } do
      fails("argument", "there are not as many", function() S:unpack(("x"):rep(12), at) end)
    end
    fails("argument", "from position false on", function() S:unpack(("x"):rep(12), false) end)
    fails("argument", "'offset' is a method", function() S.offset() end)
    fails("index", "a struct has no 'foo'", function() local _ = S.foo end)
    fails("argument", "a struct cannot be changed", function() S.foo = 1 end)
    a:close()
    fails("argument", "closed", function() local _ = a[1] end)
  end)

  it("are declared with a name and a list of fields", function()
    fails("argument", "takes a name and a list", function() dc.struct "S" end)
    fails("argument", "is a string, got the number 1", function() dc.struct(1, {}) end)
    fails("argument", "no name that C allows", function() dc.struct("a b", { { "x", "float32" } }) end)
    fails("argument", "the name 'float' is taken", function() dc.struct("float", { { "x", "float32" } }) end)
    fails("argument", "struct 'S' has no fields", function() dc.struct("S", {}) end)
    fails("argument", "'x' has no position: fields are a list", function() dc.struct("S", { x = "float32" }) end)
    fails("argument", "field 1 is a list {name, type}, got the string", function() dc.struct("S", { "x" }) end)
    fails("argument", "field 1: the name 'int' is taken", function() dc.struct("S", { { "int", "float32" } }) end)
    fails("argument", "field 'x': 'float31' is no type", function() dc.struct("S", { { "x", "float31" } }) end)
    fails("argument", "field 'x': nil is no type", function() dc.struct("S", { { "x" } }) end)
    fails("argument", "has two fields 'x'",
      function() dc.struct("S", { { "x", "float32" }, { "x", "int8" } }) end)
    fails("argument", "an extent is an integer from 1 on, got the number 0",
      function() dc.struct("S", { { "x", "float32", 0 } }) end)
    fails("argument", "bytes are more than", function() dc.struct("S", { { "x", "float64", 1 << 19 } }) end)
  end)
end)

local Vec = dc.struct("Vec", { { "x", "float32" }, { "y", "float32" } })
local Ball = dc.struct("Ball", { { "id", "int8" }, { "at", Vec }, { "w", "int32", 3 }, { "m", "int16", 2, 2 },
  { "alive", "bool" } })

local function random_ball()
  return Ball { id = math.random(-100, 100), at = Vec(math.random(9), math.random(9)),
    w = { math.random(99), math.random(99), math.random(99) },
    m = { { math.random(99), math.random(99) }, { math.random(99), math.random(99) } }, alive = math.random(2) == 1 }
end

local function random_balls(n)
  local list = {}
  for k = 1, n do list[k] = random_ball() end
  return Ball:array(list), list
end

describe("structs in kernels", function()
  it("are elements, arguments, captured values and results", function()
    local captured = Vec(3, 4)
    local function add(p, q) return Vec(p.x + q.x, p.y + q.y) end
    local function step(ball, by)
      ball.at = add(add(ball.at, by), captured)
      ball.w[2], ball.w[1] = ball.w[1], ball.w[2] + ball.m[2][1]
      ball.m[1][2] = ball.id
      ball.alive = not ball.alive
      return ball
    end
    local k = dc.jit(function(balls, by)
      local i = dc.index()
      if i <= #balls then
        local ball = step(balls[i], by)
        balls[i] = ball
        balls[i].at.x = ball.at.x * 2
      end
    end)
    for _ = 1, 6 do
      local n = math.random(1, 40)
      local balls, list = random_balls(n)
      local by = Vec(math.random(9), math.random(9))
      captured = Vec(math.random(9), math.random(9))
      k:forall(n, balls, by)
      for i, ball in ipairs(list) do
        step(ball, by)
        ball.at.x = ball.at.x * 2
        assert.same(plain(Ball(ball)), plain(balls[i]), h.note())
      end
    end
  end)

  it("are made by position, by names and of zeros", function()
    local out = dc.zeros(8)
    dc.jit(function(o)
      local a, b, c = Vec(Vec(1, 2)), Vec { y = 3, x = 4 }, Vec()
      local d = Ball { at = { x = 5, y = 6 }, w = { 7, 8, 9 }, id = 1, m = { { 1, 2 }, { 3, 4 } }, alive = true }
      c.y = d.w[3]
      o[1], o[2], o[3], o[4], o[5], o[6] = a.x, a.y, b.x, b.y, c.x, c.y
      o[7], o[8] = d.m[2][1], d.alive and d.at.y or 0
    end)(1, 1, out)
    h.same({ 1, 2, 4, 3, 0, 9, 3, 6 }, out:to_table(), "values")
  end)

  it("are arguments and captured values of any layout", function()
    local Odd = dc.struct("Odd", { { "b", "bool" }, { "h", "float16" }, { "z", "complex64", 2 }, { "i", "int8", 2, 2 },
      { "d", "double4" }, { "w", "complex128" }, { "v", "ushort3" }, { "f", "bfloat16", 2 }, { "at", Vec, 2 } })
    local captured
    local a = Odd:array(2)
    local k = dc.jit(function(out, v)
      out[1] = v
      out[2] = captured
    end)
    for _ = 1, 5 do
      local function random()
        return Odd(math.random(2) == 1, math.random(9), { dc.complex(math.random(9), 1), dc.complex(2, 3) },
          { { math.random(-9, 9), 2 }, { 3, math.random(9) } }, dc.double4(math.random()), dc.complex(math.random(), 1),
          dc.ushort3(math.random(9), 2, 3), { math.random(9), 0.5 }, { Vec(1, math.random(9)), Vec(math.random(9), 4) })
      end
      local v = random()
      captured = random()
      k(1, 1, a, v)
      assert.equal(tostring(v), tostring(a[1]))
      assert.equal(tostring(captured), tostring(a[2]))
    end
    for name, value in pairs(a) do assert.equal(tostring(a[name]), tostring(value)) end
  end)

  it("are copied by assignment", function()
    local out = dc.zeros(3)
    dc.jit(function(o)
      local a = Vec(1, 2)
      local b = a
      b.x = 10
      local function change(v) v.x = 20 end
      change(a)
      o[1], o[2], o[3] = a.x, b.x, Vec.size
    end)(1, 1, out)
    h.same({ 1, 10, 8 }, out:to_table(), "copies")
  end)

  it("lie in shared memory and in local arrays", function()
    local balls, list = random_balls(32)
    dc.jit(function(a)
      local tile, own = dc.shared(Ball, 32), dc.local_array(Vec, 2)
      local i = dc.thread_index()
      tile[i] = a[i]
      own[2] = tile[i].at
      dc.sync_threads()
      a[i] = tile[33 - i]
      a[i].at.y = own[1].x + own[2].y
    end)(1, 32, balls)
    for i = 1, 32 do
      local want = plain(list[33 - i])
      want.at.y = list[i].at.y
      assert.same(want, plain(balls[i]), h.note())
    end
  end)

  it("have booleans of which every byte but 0 is true, as arrays have", function()
    local Flag = dc.struct("Flag", { { "b", "bool" }, { "more", "bool", 2 } })
    local bytes, out = dc.array({ 2, 0, 255, 0, 1, 128 }, "uint8"), dc.zeros(6, "int32")
    dc.jit(function(a, o)
      for i = 1, 2 do
        local flag = a[i]
        local copy = Flag(flag.b, flag.more)
        o[3 * i - 2], o[3 * i - 1] = copy.b and 1 or 0, copy.more[1] == true and 1 or 0
        o[3 * i] = a[i].more[2] == true and 1 or 0
      end
    end)(1, 1, Flag:view(bytes), out)
    h.same({ 1, 0, 1, 0, 1, 1 }, out:to_table(), "flags")
  end)

  it("have arrays of several axes", function()
    local a = Vec:array(3, 4)
    dc.jit(function(v)
      local i, j = dc.index2()
      if i <= v:shape(1) and j <= v:shape(2) then
        v[{ i, j }] = Vec(i, j)
        v[i][j].y = v[i][j].y + 10
      end
    end):forall({ 3, 4 }, a)
    for i = 1, 3 do
      for j = 1, 4 do assert.same({ x = i, y = j + 10 }, plain(a[{ i, j }])) end
    end
  end)

  it("are checked at their indices", function()
    local k = dc.jit(function(a, j)
      local i = dc.index()
      a[i].w[j] = 1
    end, { check = true })
    local balls = Ball:array(4)
    k(1, 4, balls, 3)
    assert.equal(1, balls[4].w[3])
    local err = fails("index", "index 4 of axis 1 is out of range: the extent is 3", function() k(1, 4, balls, 4) end)
    assert(err.message:find("structs_spec.lua:" .. h.line(-6)), err.message)
    fails("index", "index %d of axis 1 is out of range: the extent is 4", function() k(1, 8, balls, 1) end)
  end)

  it("are changed atomically by their fields", function()
    local Count = dc.struct("Count", { { "hits", "int32" }, { "sum", "float32" }, { "bins", "uint32", 2 },
      { "small", "int16" }, { "v", "float2" } })
    local a, tile = Count:array(3), Count:array(1)
    dc.jit(function(counts, out)
      local shared = dc.shared(Count, 1)
      local i = dc.thread_index()
      if i == 1 then shared[1] = Count() end
      dc.sync_threads()
      dc.atomic_add(shared[1], "hits", 1)
      local c = i % 3 + 1
      dc.atomic_add(counts[c], "hits", 2)
      dc.atomic_add(counts[c], "sum", 0.5)
      dc.atomic_max(counts[c].bins, i % 2 + 1, i)
      dc.atomic_add(counts[c], "small", -1)
      dc.atomic_add(counts[c].v, "y", 1)
      dc.sync_threads()
      if i == 1 then out[1] = shared[1] end
    end)(1, 96, a, tile)
    assert.equal(96, tile[1].hits)
    for c = 1, 3 do
      local got, bins = a[c], { 0, 0 }
      for i = 1, 96 do
        if i % 3 + 1 == c then bins[i % 2 + 1] = math.max(bins[i % 2 + 1], i) end
      end
      assert.same({ 64, 16, bins, -32, 32, 0 }, { got.hits, got.sum, got.bins, got.small, got.v.y, got.v.x })
    end
  end)

  it("are passed between the threads of a warp", function()
    local Part = dc.struct("Part", { { "z", "complex64" }, { "v", "float4" }, { "w", "int16", 2 }, { "b", "bool" } })
    local a = Part:array(32)
    local out = dc.zeros(32, 3)
    dc.jit(function(parts, y)
      local i = dc.thread_index()
      parts[i] = Part(dc.complex(i, -i), dc.float4(i, 2 * i, 3, 4), { i, 100 + i }, i == 5)
      parts[i] = dc.shuffle(parts[i], 33 - i)
      local t = dc.shuffle_down({ i, 2 * i }, 1)
      y[i][1], y[i][2], y[i][3] = t[1], dc.shuffle_xor(dc.complex(i, 0), 1).re, dc.shuffle(i > 16, i) and 1 or 0
    end)(1, 32, a, out)
    for i = 1, 32 do
      local j = 33 - i
      assert.same(plain(Part(dc.complex(j, -j), dc.float4(j, 2 * j, 3, 4), { j, 100 + j }, j == 5)), plain(a[i]))
      h.same({ math.min(i + 1, 32), (i - 1 ~ 1) + 1, i > 16 and 1 or 0 }, out[i]:to_table(), "lane " .. i)
    end
  end)

  it("are values of CUDA C in kernels", function()
    local out = Vec:array(1)
    dc.jit(function(o)
      o[1] = dc.cuda(Vec, "Vec{$1.y, $1.x}", Vec(1, 2))
      local v = dc.cuda("float2", "make_float2($1, 7)", o[1].x)
      o[1].x = v.x + v.y
    end)(1, 1, out)
    assert.same({ x = 9, y = 1 }, plain(out[1]))
  end)

  it("are one type for another of the same name and launch", function()
    local Other = dc.struct("Vec", { { "x", "float32" }, { "y", "float32" }, { "z", "int32" } })
    local k = dc.jit(function(a) a[dc.index()].x = 5 end)
    local one, two = Vec:array(2), Other:array(2)
    for _ = 1, 3 do
      k(1, 2, one)
      k(1, 2, two)
    end
    assert.same({ x = 5, y = 0 }, plain(one[2]))
    assert.same({ x = 5, y = 0, z = 0 }, plain(two[2]))
    fails("compile", "two structs in this kernel are named 'Vec'", function()
      dc.jit(function(a, b) a[1].x = b[1].x end)(1, 1, one, two)
    end)
  end)
end)

describe("tuples in kernels", function()
  it("have items by constant and computed indices", function()
    local values = { 3.5, -1, 7, 2, 10 }
    local x, out = dc.array(values), dc.zeros(5)
    dc.jit(function(a, o)
      local t = { 0, 0, 0, 0, 0 }
      for i = 1, #t do t[i] = a[i] end
      for i = 1, 4 do -- bubble sort
        for j = 1, #t - i do
          if t[j] > t[j + 1] then t[j], t[j + 1] = t[j + 1], t[j] end
        end
      end
      for i = 1, 5 do o[i] = t[i] end
    end)(1, 1, x, out)
    table.sort(values)
    h.same(values, out:to_table(), "sorted")
  end)

  it("have items of several types, and are results and arguments", function()
    local out = dc.zeros(6, "float64")
    dc.jit(function(o)
      local function both(a, b) return { a + b, a * b, a > b } end
      local function first(t) return t[1] end
      local t = both(2, 0.5)
      local u = t
      u[1] = 9
      local nested = { { 1, 2 }, { 3, { 4.5 } } }
      nested[2][2][1] = nested[2][2][1] + nested[1][2]
      o[1], o[2], o[3], o[4] = t[1], t[2], t[3] and 1 or 0, first(u)
      o[5], o[6] = nested[2][2][1], first(nested)[2]
    end)(1, 1, out)
    h.same({ 2.5, 1, 1, 9, 6.5, 2 }, out:to_table(), "items")
  end)

  it("are unpacked into several values", function()
    local out = dc.zeros(6)
    dc.jit(function(o)
      local function both(a, b) return { a + b, a - b } end
      local function sum(a, b, c) return a + b + c end
      local p, q = table.unpack(both(5, 2))
      local t = { 1, 2 }
      t[1], t[2] = table.unpack({ t[2], t[1] })
      o[1], o[2], o[3], o[4], o[5], o[6] = p, q, t[1], t[2], sum(1, table.unpack(t)), #{ table.unpack(t) }
    end)(1, 1, out)
    h.same({ 7, 3, 2, 1, 4, 2 }, out:to_table(), "values")
  end)

  it("are checked at computed indices", function()
    local k = dc.jit(function(o, i)
      local t = { 1, 2 }
      o[1] = t[i]
    end, { check = true })
    k(1, 1, dc.zeros(1), 2)
    fails("index", "index 3 of axis 1 is out of range: the extent is 2", function() k(1, 1, dc.zeros(1), 3) end)
  end)
end)

-- luacheck: push ignore
local x, balls, ball, v = dc.ones(8), Ball:array(2), random_ball(), Vec(1, 2)
local mistakes = {
  { "Vec has no field 'z'; its fields are x, y", function(a) a[1] = v.z end },
  { "Ball has no field 'aliv': did you mean 'alive'", function(a) balls[1].aliv = true end },
  { "Vec takes 2 values %(x, y%), got 1", function(a) local p = Vec(1) end },
  { "the field 'y' of Vec has no value here", function(a) local p = Vec { x = 1 } end },
  { "Vec has the field 'x' twice", function(a) local p = Vec { x = 1, x = 2, y = 3 } end },
  { "Vec takes its fields by name", function(a) local p = Vec { 1, 2 } end },
  { "the field 'x' of Vec takes a number, but 'true' is a boolean", function(a) local p = Vec(true, 1) end },
  { "the field 'id' of Ball takes an integer, but 'a%[1%]' is float32, an element of 'a'",
    function(a) balls[1].id = a[1] end },
  { "the field 'at' of Ball takes a value of Vec, but '1' is a Lua integer", function(a) balls[1].at = 1 end },
  { "the field 'w' of Ball takes a tuple of 3 %(int32%), but '{ 1, 2 }' is a tuple of 2",
    function(a) balls[1].w = { 1, 2 } end },
  { "item 2 of the field 'w' of Ball takes an integer, but '1.5' is a Lua float",
    function(a) balls[1].w = { 1, 1.5, 2 } end },
  { "300 is out of range for int8", function(a) balls[1].id = 300 end },
  { "an element of a Ball array takes a value of Ball, but 'v' is Vec, captured from the script as 'v'",
    function(a) balls[1] = v end },
  { "an element of a float32 array takes a number, but 'v' is Vec", function(a) a[1] = v end },
  { "operator '%+' needs a number, but 'v' is Vec", function(a) a[1] = v + 1 end },
  { "operator '==' needs a number, but 'v' is Vec", function(a) if v == v then a[1] = 1 end end },
  { "the type of 'p' changes: it is Ball, an element of 'balls' here, but Vec",
    function(a) local p = Vec() p = balls[1] end },
  { "'v' is captured from the script, which a kernel cannot change", function(a) v.x = 1 end },
  { "is part of a value that has no place", function(a) local function f() return Vec() end f().x = 1 end },
  { "whose fields have names: v.x", function(a) a[1] = v[1] end },
  { "whose items have numbers", function(a) local t = { 1, 2 } a[1] = t.x end },
  { "index 3 is out of range: 't' has 2 items", function(a) local t = { 1, 2 } a[1] = t[3] end },
  { "index 0 is out of range", function(a) local t = { 1, 2 } a[1] = t[0] end },
  { "all items need one type, but 't' is a tuple %(a Lua integer; a boolean%)",
    function(a) local t = { 1, true } for i = 1, 2 do a[1] = t[i] end end },
  { "the type of 't%[1%]' changes: it is a boolean, the literal true here, but a Lua integer before",
    function(a) local t = { 1, 2 } t[1] = true end },
  { "the type of 't' changes", function(a) local t = { 1, 2 } t = { 1, 2, 3 } end },
  { "an empty table in a kernel", function(a) local t = {} end },
  { "a tuple in a kernel has no names", function(a) local t = { x = 1 } end },
  { "a tuple takes numbers, booleans, structs and tuples, but 'a' is a 1%-d float32 array",
    function(a) local t = { a } end },
  { "a kernel makes values of a struct", function(a) a[1] = Vec.fields end },
  { "dc.atomic_add takes arrays of", function(a) dc.atomic_add(balls, 1, 1) end },
  { "'ball' has no value", function(a) local ball if a[1] > 0 then ball = balls[1] end a[1] = ball.id end },
  { "dc.shared takes a dtype's name", function(a) local t = dc.shared(3, 3) end },
  { "dc.atomic_add takes arrays of numbers; 'balls%[1%]' is of Vec", function(a) dc.atomic_add(balls[1], "at", 1) end },
  { "an index needs an integer, but 't%[2%]' is a Lua float, an item of 't'",
    function(a) local t = { 1, 0.5 } a[t[2]] = 1 end },
  { "Ball has no field 'ids'", function(a) dc.atomic_add(balls[1], "ids", 1) end },
  { "changes memory that threads share, and 't' is no element",
    function(a) local t = { 1, 2 } dc.atomic_add(t, 1, 1) end },
  { "table.unpack takes a tuple, but 'a' is a 1%-d", function(a) a[1] = table.unpack(a) end },
  { "table.unpack takes 1 argument, got 2", function(a) a[1] = table.unpack({ 1, 2 }, 2) end },
  { "dc.shuffle needs an integer", function(a) local p = dc.shuffle(v, 1.5) end },
  { "2 values for 3 variables", function(a) local p, q, r = table.unpack({ 1, 2 }) end },
}
-- luacheck: pop

describe("mistakes with structs and tuples", function()
  it("are errors with line and column", function()
    check_mistakes(mistakes, "structs_spec.lua", x)
    h.same({ 1, 1, 1, 1, 1, 1, 1, 1 }, x:to_table(), "x")
    assert.equal(plain(ball).id, ball.id)
  end)

  it("are errors of launches", function()
    local k = dc.jit(function(a, s) a[1].x = s.x end)
    local a = Vec:array(1)
    fails("argument", "argument 2, 's', is a table; .*dc.struct a struct", function() k(1, 1, a, { x = 1, y = 2 }) end)
    fails("argument", "argument 1, 'a', is a", function() k(1, 1, Vec, v) end)
    local bad = Vec(1, 2)
    bad.x = "no number"
    fails("argument", "parameter %d+ 's' %(Vec%): field 'x': a number expected, got the string",
      function() k(1, 1, a, bad) end)
    k(1, 1, a, v)
    fails("argument", "parameter %d+ 's' %(Vec%): field 'x': a number expected, got the string",
      function() k(1, 1, a, bad) end)
    a:close()
    fails("argument", "closed", function() k(1, 1, a, v) end)
  end)
end)
