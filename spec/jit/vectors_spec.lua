-- CUDA's vectors in kernels in Lua and outside: layout, operators by components, views of arrays, signatures.
local dc = require "dotcompute"
local h = require "spec.helper"
local check_mistakes = require "spec.jit_mistakes"
local fails, note = h.fails, h.note

local axes = { "x", "y", "z", "w" }
local dtypes = { char = "int8", uchar = "uint8", short = "int16", ushort = "uint16", int = "int32", uint = "uint32",
  longlong = "int64", ulonglong = "uint64", float = "float32", double = "float64" }
local names = {}
for base in pairs(dtypes) do
  for count = 2, 4 do names[#names + 1] = { name = base .. count, dtype = dtypes[base], count = count } end
end
table.sort(names, function(a, b) return a.name < b.name end)

-- Two types of vectors with the same number of components.
local function two_of_one_length()
  local one, other = names[math.random(#names)]
  repeat other = names[math.random(#names)] until other.count == one.count
  return one, other
end

-- The components of a vector, a list.
local function list_of(v, count)
  local list = {}
  for k = 1, count do list[k] = v[axes[k]] end
  return list
end

describe("vectors", function()
  it("have CUDA's layout", function()
    local lines = {}
    for k, one in ipairs(names) do
      local t = dc.vector(one.name)
      assert.equal(one.count, #t.fields)
      -- CUDA's of four 64-bit numbers have two alignments, of which ours is the smaller one
      if not (one.count == 4 and h.itemsize[one.dtype] == 8) then
        lines[#lines + 1] = ("out[%d] = sizeof(%s) * 1000 + alignof(%s);"):format(k - 1, one.name, one.name)
      end
    end
    local out = dc.zeros(#names, "int64")
    dc.kernel(("__global__ void layout(long long *out) { %s }"):format(table.concat(lines, " ")))(1, 1, out)
    for k, one in ipairs(names) do
      local t = dc.vector(one.name)
      if out[k] ~= 0 then assert.equal(out[k], t.size * 1000 + t.align, one.name) end
      if out[k] == 0 then assert.same({ 32, 16 }, { t.size, t.align }) end
    end
  end)

  it("are made of numbers, of one for all, of vectors and of fields", function()
    local made = {
      function() return dc.float4(1, 2, 3, 4) end, function() return dc.float4(1.5) end,
      function() return dc.float4() end, function() return dc.float4(dc.int2(1, 2), 3, 4) end,
      function() return dc.float4(dc.double3(1, 2, 3), 4) end,
      function() return dc.float4 { x = 1, y = 2, z = 3, w = 4 } end,
      function() return dc.float4(dc.int4(dc.float4(1.75, -1.75, 1e10, -1e10))) end,
      function() return dc.float4(dc.char2(300, -129), true, dc.float2(0.1, 0).x) end,
    }
    local want = { { 1, 2, 3, 4 }, { 1.5, 1.5, 1.5, 1.5 }, { 0, 0, 0, 0 }, { 1, 2, 3, 4 }, { 1, 2, 3, 4 },
      { 1, 2, 3, 4 }, { 1, -1, h.f32(2147483647), -2147483648 }, { 44, 127, 1, h.f32(0.1) } }
    for k, make in ipairs(made) do
      local out = dc.zeros(4)
      dc.jit(function(y)
        local v = make()
        y[1], y[2], y[3], y[4] = v.x, v.y, v.z, v.w
      end)(1, 1, out)
      h.same(want[k], out:to_table(), "vector " .. k)
      h.same(want[k], list_of(make(), 4), "vector outside " .. k)
    end
  end)

  it("have the operators of their components, in kernels and outside, as arrays have them", function()
    local operators = { "a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "-a", "a * 2 + 1", "3 - a", "b / 2 - a" }
    for _ = 1, 30 do
      local one, other = two_of_one_length()
      local n, op = one.count, operators[math.random(#operators)]
      local function random(t)
        local list = {}
        for k = 1, n do list[k] = math.random(1, 100) end
        return dc[t.name](table.unpack(list))
      end
      local a, b = random(one), random(other)
      local on_values = load(("local a, b = ... return %s"):format(op))
      local want = on_values(dc.array(list_of(a, n), one.dtype), dc.array(list_of(b, n), other.dtype))
      local lines = {}
      for k = 1, n do lines[k] = ("out[%d] = v.%s"):format(k, axes[k]) end
      local kernel = load(("return function(out, a, b) local v = %s %s end"):format(op, table.concat(lines, " ")))()
      local out = dc.zeros(n, want.dtype)
      dc.jit(kernel, { flags = "--fmad=false" })(1, 1, out, a, b)
      local what = note(("%s of %s and %s"):format(op, one.name, other.name))
      h.same(want:to_table(), out:to_table(), what)
      h.same(want:to_table(), list_of(on_values(a, b), n), what .. ", outside")
    end
    assert.is_true(dc.int2(1, 2) == dc.int2(1, 2) and dc.int2(1, 2) ~= dc.int2(1, 3))
    h.same({ 2, 4 }, list_of(dc.int2(6, 12) & dc.int2(3, 4) | 0, 2), "bits")
  end)

  it("compute outside of kernels what arrays do: by 0, without a sign, and with shifts of any count", function()
    local signs = { "+", "-", "*", "/", "//", "%", "<<", ">>" }
    local extremes = { 0, 0, 1, -1, 127, -128, 255, math.maxinteger, math.mininteger }
    for _ = 1, 200 do
      local one, other = two_of_one_length()
      local n, sign = one.count, signs[math.random(#signs)]
      local function random(t)
        local list = {}
        for k = 1, n do
          list[k] = math.random(2) == 1 and extremes[math.random(#extremes)] or math.random(-99, 99)
        end
        return dc.array(list, "int64"):to(t.dtype), dc[t.name]
      end
      local a, make = random(one)
      local b, make_other = random(other)
      local v, w = make(table.unpack(a:to_table())), make_other(table.unpack(b:to_table()))
      if math.random(4) == 1 then
        b = math.random(0, 70)
        w = b
      end
      local operator = load(("local a, b = ... return a %s b"):format(sign))
      local ok, want = pcall(operator, a, b) -- not a shift of floats
      if ok then
        local wanted, got = want:to_table(), list_of(operator(v, w), n)
        for k = 1, n do
          if wanted[k] ~= wanted[k] and got[k] ~= got[k] then wanted[k], got[k] = 0, 0 end -- both NaN
        end
        h.same(wanted, got, note(("%s %s %s"):format(v, sign, w)))
      end
    end
    -- the quotient is rounded to float32 before its floor is taken
    assert.equal(16843010.0, (dc.float2(4294967296, 0) // dc.uint2(255, 1)).x)
  end)

  it("are views of arrays, which are read and written by vectors", function()
    local n = 37
    local list = {}
    for k = 1, 4 * n do list[k] = math.random(-100, 100) end
    local x, y = dc.array(list), dc.zeros(2, 4 * n)
    local by = dc.float4(1, 2, 3, 4)
    dc.jit(function(a, b)
      local v, w = dc.view_as(a, "float4"), dc.view_as(b, "float4")
      local i = dc.index()
      if i <= #v then
        w[1][i] = v[i] * by
        w[{ 2, i }].z = v[i].x
      end
      if i == 1 then w[{ 2, 1 }].w = w:shape(2) end
    end):forall(n, x, y)
    for i = 1, n do
      for k = 1, 4 do
        local at = 4 * (i - 1) + k
        assert.equal(list[at] * k, y[{ 1, at }])
        local want = k == 3 and list[at - 2] or i == 1 and k == 4 and n or 0
        assert.equal(want, y[{ 2, at }])
      end
    end
  end)

  it("are views of bytes as structs", function()
    local Pair = dc.struct("Pair", { { "x", "float32" }, { "n", "int32" } })
    local bytes = dc.zeros(3 * Pair.size, "uint8")
    dc.jit(function(a)
      local i = dc.index()
      dc.view_as(a, Pair)[i] = Pair(i, 2 * i)
    end)(1, 3, bytes)
    h.same({ 1, 2, 3 }, Pair:view(bytes):field("x"):to_table(), "x")
  end)

  it("are fields of structs, elements of shared memory and of arrays, arguments and captured values", function()
    local Particle = dc.struct("Particle", { { "at", "float4" }, { "cell", "int3", 2 }, { "d", "double4" } })
    assert.same({ 80, 16 }, { Particle.size, Particle.align })
    local captured = dc.float4(1)
    local k = dc.jit(function(p, move, out)
      local tile, own = dc.shared("float4", 2), dc.local_array("int2", 2)
      local i = dc.thread_index()
      tile[i] = p[i].at + move + captured
      own[1] = dc.int2(i)
      dc.sync_threads()
      p[i].at = tile[3 - i]
      p[i].cell[2] = dc.int3(own[1] + own[2], 7)
      p[i].d = dc.double4(p[i].at) / 2
      out[i] = -tile[i]
    end)
    local first = Particle { at = dc.float4(1, 2, 3, 4), cell = { dc.int3(), dc.int3() }, d = dc.double4() }
    local p = Particle:array { first, Particle() }
    local out = dc.vector "float4":array(2)
    k(1, 2, p, dc.float4(10, 20, 30, 40), out)
    assert.same({ 11, 21, 31, 41 }, list_of(p[1].at, 4))
    assert.same({ 12, 23, 34, 45 }, list_of(p[2].at, 4))
    assert.same({ 2, 2, 7 }, list_of(p[2].cell[2], 3))
    assert.same({ 5.5, 10.5, 15.5, 20.5 }, list_of(p[1].d, 4))
    assert.same({ -12, -23, -34, -45 }, list_of(out[1], 4))
    captured = dc.float4(0)
    k(1, 2, p, dc.float4(), out)
    assert.same({ -11, -21, -31, -41 }, list_of(out[1], 4))
  end)

  it("are evaluated from left to right", function()
    local out = dc.zeros(4)
    dc.jit(function(o)
      local v, s = dc.float2(1, 2), 3 -- luacheck: ignore
      local function change()
        v, s = dc.float2(100, 200), 5
        return dc.float2(10, 20)
      end
      local a = v + change()
      v, s = dc.float2(1, 2), 3 -- luacheck: ignore
      local b = s * change()
      o[1], o[2], o[3], o[4] = a.x, a.y, b.x, b.y
    end)(1, 1, out)
    h.same({ 11, 22, 30, 60 }, out:to_table(), "operands")
  end)

  it("are checked where arrays are viewed", function()
    local k = dc.jit(function(a) dc.view_as(a, "float4")[1] = dc.float4(1) end, { check = true })
    k(1, 1, dc.zeros(8))
    fails("launch", "begins at an address that is no multiple of 16, as float4 needs",
      function() k(1, 1, dc.zeros(9)[{ { 2, 9 } }]) end)
    fails("launch", "the array's last extent is no multiple of 4, as float4 needs",
      function() k(1, 1, dc.zeros(6)) end)
    fails("index", "index 1 of axis 1 is out of range: the extent is 0", function() k(1, 1, dc.zeros(0)) end)
  end)

  it("refuse what they cannot hold", function()
    fails("argument", "float4 takes 4 numbers, or one for all, got 3", function() dc.float4(1, 2, 3) end)
    fails("argument", "float4 takes 4 numbers, or one for all, got 5",
      function() dc.float4(dc.float3(1), dc.float2(1)) end)
    fails("argument", "float4 takes numbers and vectors, got the string", function() dc.float4("a", 1, 2, 3) end)
    fails("argument", "the field 'w' of float4 has no value", function() dc.float4 { x = 1, y = 2, z = 3 } end)
    fails("index", "float2 has no field 'z'", function() return dc.float2(1).z end)
    fails("argument", "the vectors have other lengths", function() return dc.float2(1) + dc.float3(1) end)
    fails("argument", "takes vectors and numbers, got the string", function() return dc.float2(1) + "a" end)
    fails("argument", "'float5' is no vector: char2", function() dc.vector "float5" end)
    fails("argument", "takes a name", function() dc.vector(3) end)
    fails("argument", "in kernels alone", function() dc.view_as(dc.zeros(4), "float4") end)
  end)
end)

describe("signatures of kernels in Lua", function()
  local Ball = dc.struct("Ball", { { "x", "float32" }, { "n", "int32" } })

  it("have vectors and structs", function()
    local k = dc.jit("void(Ball[:], Ball, float4, float4[:])", function(a, b, v, w)
      a[1].x = b.x + v.w
      w[2] = v
    end, { structs = { Ball } })
    local a, w = Ball:array(2), dc.vector "float4":array(3)
    for i = 1, 2 do
      k(1, 1, a, { x = i, n = 2 }, { 1, 2, 3, 4 }, w)
      assert.equal(i + 4, a[1].x)
      k(1, 1, a, Ball(i, 2), dc.float4(5), w)
      assert.equal(i + 5, a[1].x)
      assert.equal(dc.float4(5), w[2])
    end
    fails("argument", "'b' %(Ball%): field 'n': it is missing", function() k(1, 1, a, { x = 1 }, { 1, 2, 3, 4 }, w) end)
    fails("argument", "parameter %d+ 'v' %(float4%)", function() k(1, 1, a, Ball(), { 1, 2, 3 }, w) end)
    fails("dtype", "is a 1%-d Ball array by the signature, got a 2%-d uint8 array: Ball:view%(a%) is one of its bytes",
      function() k(1, 1, a.bytes, Ball(), dc.float4(), w) end)
    fails("dtype", "is Ball by the signature, got float2", function() k(1, 1, a, dc.float2(), dc.float4(), w) end)
    fails("dtype", "is Ball by the signature, got a Lua integer", function() k(1, 1, a, 1, dc.float4(), w) end)
  end)

  it("name structs that are given", function()
    local function kernel() end
    fails("argument", "'Bal%[:%]' is no type of an argument.*%(Ball%)",
      function() dc.jit("void(Bal[:])", function(_) end, { structs = { Ball } }) end)
    fails("argument", "'Ball' is no type of an argument", function() dc.jit("void(Ball)", function(_) end) end)
    fails("argument", "option 'structs' is a list of structs",
      function() dc.jit("void()", kernel, { structs = { 3 } }) end)
    fails("argument", "option 'structs' has two structs 'Ball'", function()
      dc.jit("void()", kernel, { structs = { Ball, dc.struct("Ball", { { "y", "int8" } }) } })
    end)
    fails("argument", "no type of an array", function() dc.jit("void(float4[:,])", function(_) end) end)
  end)
end)

-- luacheck: push ignore
local x, v, w = dc.ones(8), dc.float4(1, 2, 3, 4), dc.int2(1, 2)
local mistakes = {
  { "operator '%+' of float4, captured from the script as 'v' and int2, captured from the script as 'w': the vectors "
    .. "have other lengths", function(a) a[1] = (v + w).x end },
  { "operator '%*' needs a number, but 'true' is a boolean", function(a) a[1] = (v * true).x end },
  { "operator '&' needs an integer, but 'v' is float32, the field 'x' of float4", function(a) a[1] = (v & 1).x end },
  { "operator '<' needs a number, but 'v' is float4", function(a) if v < v then a[1] = 1 end end },
  { "operator '%*' gives 2 numbers of float16, and there is no such vector",
    function(a) a[1] = (dc.char2(1) * dc.float16(1)).x end },
  { "operator '%*' needs a real number", function(a) a[1] = (dc.float2(1) * dc.complex(1, 2)).x end },
  { "float4 has no field 'q'", function(a) a[1] = v.q end },
  { "whose fields have names: v.x", function(a) a[1] = v[1] end },
  { "float4 takes 4 numbers, or one for all, got 3", function(a) a[1] = dc.float4(1, 2, 3).x end },
  { "float4 takes numbers and vectors, but 'a' is a 1%-d", function(a) a[1] = dc.float4(a).x end },
  { "'v' is captured from the script", function(a) v.x = 1 end },
  { "an element of a float32 array takes a number, but 'v' is float4", function(a) a[1] = v end },
  { "an element of an int2 array takes a value of int2, but 'v' is float4",
    function(a) local t = dc.shared("int2", 2) t[1] = v end },
  { "the type of 's' changes: it is float4", function(a) local s = 0 s = s + v end },
  { "dc.view_as: 'a' is a 1%-d float32 array, argument 1 of .*, and int4 is made of int32 or of uint8",
    function(a) dc.view_as(a, "int4")[1] = dc.int4(1) end },
  { "dc.view_as takes a vector's name or a struct, got '\"float32\"'",
    function(a) dc.view_as(a, "float32")[1] = 1 end },
  { "dc.view_as takes a dtype's name", function(a) dc.view_as(a, "float5")[1] = 1 end },
  { "dc.view_as needs an array", function(a) dc.view_as(1, "float4")[1] = 1 end },
  { "dc.view_as takes 2 arguments, got 1", function(a) dc.view_as(a)[1] = 1 end },
  { "print in a kernel takes", function(a) print(v) end },
}
-- luacheck: pop

describe("mistakes with vectors", function()
  it("are errors with line and column", function()
    check_mistakes(mistakes, "vectors_spec.lua", x)
    assert.equal(1, w.x)
  end)
end)
