-- Views that are not contiguous as arguments and captured arrays of kernels in Lua: results are those of plain Lua on
-- tables, whatever the strides are.
local dc = require "dotcompute"
local h = require "spec.helper"

-- A random view with `ndim` axes, a function of an array of that shape: reversed and stepped axes, transposed ones,
-- dropped ones.
local function random_view(shape, ndim)
  local entries, drop, axes = {}, #shape - ndim, {}
  for k, n in ipairs(shape) do
    if drop > 0 and (#shape - k < drop or math.random(2) == 1) then
      entries[k], drop = math.random(n), drop - 1
    elseif math.random(3) == 1 then
      entries[k] = ":"
    else
      local first, last, step = math.random(n), math.random(n), math.random(3)
      entries[k] = { first, last, last < first and -step or step }
    end
  end
  for k = 1, ndim do table.insert(axes, math.random(k), k) end
  return function(a)
    local v = a:slice(table.unpack(entries))
    return ndim > 1 and v:transpose(table.unpack(axes)) or v
  end
end

-- A random array and a view of it: { base =, flat = its elements in C order, view =, places = where the view's elements
-- are in `flat`, a nested table }. `whole`: the view is the array.
local function random(dtype, ndim, whole)
  local shape, flat = {}, {}
  for k = 1, ndim + (whole and 0 or math.random(0, 1)) do shape[k] = math.random(2, 7) end
  local size = h.product(shape)
  for k = 1, size do
    flat[k] = math.random(-50, 50)
    if dtype:find "^float" then flat[k] = flat[k] / 4 end
  end
  local apply = whole and function(a) return a end or random_view(shape, ndim)
  local base = dc.array(flat, dtype):reshape(shape)
  return { base = base, flat = flat, view = apply(base),
    places = apply(dc.arange(1, size):to("int64"):reshape(shape)):to_table() }
end

local function elements(one) return one.base:reshape(one.base.size):to_table() end

-- to[i…] = from[i…] + a, in plain Lua, where both have such an element.
local function add(from, p, to, q, a)
  if type(p) == "number" then
    to.flat[q] = from.flat[p] + a
    return
  end
  for i = 1, math.min(#p, #q) do add(from, p[i], to, q[i], a) end
end

local one = dc.jit(function(x, y, a)
  local i = dc.index()
  if i <= #x and i <= #y then y[i] = x[i] + a end
end)
local two = dc.jit(function(x, y, a)
  local i, j = dc.index2()
  if i <= #x and i <= #y and j <= x:shape(2) and j <= y:shape(2) then y[i][j] = x[{ i, j }] + a end
end)
local three = dc.jit(function(x, y, a)
  local i, j, k = dc.index3()
  if i > #x or i > #y or j > x:shape(2) or j > y:shape(2) then return end
  local row, to = x[{ i, j }], y[i]
  if k <= #row and k <= to:shape(2) then to[{ j, k }] = row[k] + a end
end)
local dtypes = { "float32", "float64", "float16", "int16", "int32", "int64" }

describe("views as arguments of kernels", function()
  it("are read and written at their places", function()
    for _ = 1, 80 do
      local ndim, dtype, extents = math.random(3), dtypes[math.random(#dtypes)], {}
      local x, y = random(dtype, ndim, math.random(4) == 1), random(dtype, ndim, math.random(4) == 1)
      for d, n in ipairs { x.view:shape() } do extents[d] = math.max(n, (select(d, y.view:shape())), 1) end
      local k, n = ({ one, two, three })[ndim], ndim == 1 and extents[1] or extents
      for a = 1, 2 do -- the second launch by the comparison of the first
        add(x, x.places, y, y.places, a)
        k:forall(n, x.view, y.view, a)
        h.same(y.flat, elements(y), h.note(("%s, %d axes"):format(dtype, ndim)))
      end
    end
  end)

  it("have more elements than 32 bits count", function()
    local far = dc.array({ 7, 8 }, "int32"):reshape(2, 1):broadcast_to(2, (1 << 31) + 5)
    local k, out = dc.jit(function(x, out, i) out[1], out[2] = x[{ 2, i }], x:shape(2) end), dc.zeros(2, "int64")
    for _, i in ipairs { 1 << 31, (1 << 31) + 5, 1 } do
      k(1, 1, far, out, i)
      h.same({ 8, (1 << 31) + 5 }, out:to_table())
      k(1, 1, dc.arange(1, 12):reshape(6, 2):to("int32").T, out, i % 6 + 1)
      h.same({ 2 * (i % 6 + 1), 6 }, out:to_table())
    end
  end)

  it("that overlap are read before and after as the kernel says", function()
    local k = dc.jit(function(x, y) -- one thread
      for i = 1, #x do y[i] = 2 * x[i] + 1 end
    end)
    for _ = 1, 20 do
      local a = dc.arange(1, 20):to "int32"
      local want = a:to_table()
      local first, second = math.random(2) == 1 and { 1, 19, 2 } or { 19, 1, -2 }, math.random(0, 1)
      local x, y = a:slice(first), a:slice { 1 + second, 19 + second, 2 }
      for i = 0, 9 do
        local from = first[3] > 0 and 1 + 2 * i or 19 - 2 * i
        want[1 + second + 2 * i] = 2 * want[from] + 1
      end
      k(1, 1, x, y)
      h.same(want, a:to_table(), h.note())
    end
  end)

  it("of broadcast_to are read, and not written", function()
    local row = dc.array({ 1, 2, 3 }, "int32")
    local b, out = row:broadcast_to(4, 3), dc.zeros({ 4, 3 }, "int32")
    for _ = 1, 2 do
      out:fill(0)
      two:forall({ 4, 3 }, b, out, 10)
      assert.same({ { 11, 12, 13 }, { 11, 12, 13 }, { 11, 12, 13 }, { 11, 12, 13 } }, out:to_table())
      h.fails("argument", "argument 2, 'y', is a broadcast view.*a:copy", function()
        two:forall({ 4, 3 }, out, b, 1)
      end)
      h.same({ 1, 2, 3 }, row:to_table())
    end
    local narrow = row:reshape(3, 1):broadcast_to(3, 1) -- contiguous: nothing is repeated
    two:forall({ 3, 1 }, dc.ones({ 3, 1 }, "int32"), narrow, 1)
    h.same({ 2, 2, 2 }, row:to_table())
    -- a view that may be written, and then one that may not, by the variant of the first
    local t = dc.zeros({ 3, 4 }, "int32")
    two:forall({ 4, 3 }, out, t.T, 0)
    assert.same(out.T:to_table(), t:to_table())
    h.fails("argument", "broadcast view", function() two:forall({ 4, 3 }, out, b, 1) end)
    h.fails("argument", "'b', which is captured, is a broadcast view", function()
      dc.jit(function() b[{ 1, 1 }] = 3 end)(1, 1)
    end)
    h.fails("argument", "'y', is a broadcast view", function()
      dc.jit(function(y) dc.atomic_add(y, 1, 3) end)(1, 1, dc.zeros(1):broadcast_to(5))
    end)
  end)

  it("may be pending, of single rows and of booleans", function()
    local x, out = dc.arange(1, 6):reshape(2, 3):to "float32", dc.zeros(3, 2)
    for _ = 1, 2 do
      two:forall({ 3, 2 }, (x + 1).T, out, 0.5)
      assert.same({ { 2.5, 5.5 }, { 3.5, 6.5 }, { 4.5, 7.5 } }, out:to_table())
    end
    local columns = x[{ ":", { 2, 1 } }]
    two:forall({ 2, 2 }, columns, out, 1)
    one:forall(4, x:slice({ 2, 1 }, 1), out:slice(":", 2), 1)
    assert.same({ { 2.5, 5.5 }, { 3.5, 6.5 }, { 4.5, 7.5 } }, out:to_table())
    local flags, count = dc.array { { true, false }, { false, true }, { true, true } }, dc.zeros(2, "int32")
    dc.jit(function(f, c)
      local j = dc.index()
      if j > f:shape(2) then return end
      for i = 1, #f do
        if f[{ i, j }] then c[j] = c[j] + 1 end
      end
    end):forall(2, flags[{ { 3, 1, -1 }, ":" }], count)
    h.same({ 2, 2 }, count:to_table())
  end)

  it("are captured, and change between launches", function()
    local x = dc.arange(1, 12):reshape(3, 4):to "int32"
    local captured, out = x.T, dc.zeros(4, "int32")
    local k = dc.jit(function(y)
      local i = dc.index()
      if i <= #y then
        y[i] = 0
        for j = 1, captured:shape(2) do y[i] = y[i] + captured[{ i, j }] end
      end
    end)
    local repeated = x[1]:reshape(4, 1):broadcast_to(4, 5)
    for _, v in ipairs { x.T, x.T:copy(), x.T[{ { 4, 1, -1 }, { 1, 3, 2 } }], x.T, repeated } do
      captured = v
      for _ = 1, 2 do
        k:forall(4, out)
        h.same(v:sum(2):to_table(), out:to_table())
      end
    end
  end)

  it("stand in signatures, and in local names beside contiguous ones", function()
    local k = dc.jit("void(float32[:], float32[:])", function(x, y)
      local i = dc.index()
      local from = x
      if i % 2 == 0 then from = y end
      local a = i > 3 and x or y
      if i <= #x then y[i] = from[i] * 10 + a[i] end
    end)
    local function want(x, y)
      local t = {}
      for i = 1, #x do t[i] = (i % 2 == 0 and y or x)[i] * 10 + (i > 3 and x or y)[i] end
      return t
    end
    local a = dc.arange(1, 12):reshape(6, 2):to "float32"
    for _, x in ipairs { a:col(1), a:col(2):copy(), a:slice({ 6, 1, -1 }, 1) } do
      for _, y in ipairs { dc.arange(1, 6):to "float32", dc.arange(1, 12):to("float32"):slice { 12, 2, -2 } } do
        local expected = want(x:to_table(), y:to_table())
        k:forall(6, x, y)
        h.same(expected, y:to_table())
      end
    end
    h.fails("dtype", "by the signature", function() k:forall(6, a.T, a:col(1)) end)
    h.fails("dtype", "by the signature", function() k:forall(6, a:col(1):to("float64"), a:col(1)) end)
  end)

  it("have their bounds checked", function()
    local k = dc.jit(function(x, i, j) x[{ i, j }] = 1 end, { check = true })
    local x = dc.zeros(4, 6)
    local v = x[{ { 4, 1, -2 }, { 2, 6, 2 } }] -- 2 × 3
    for _ = 1, 2 do
      k(1, 1, v, 2, 3)
      assert.equal(1, x[{ 2, 6 }])
      h.fails("index", "index 3 of axis 1 is out of range: the extent is 2", function() k(1, 1, v, 3, 1) end)
      h.fails("index", "index 4 of axis 2 is out of range: the extent is 3", function() k(1, 1, v, 1, 4) end)
      h.fails("index", "index 0 of axis 2", function() k(1, 1, v, 1, 0) end)
    end
    assert.equal(1, x:sum():item())
  end)

  it("are refused where the address alone is passed on", function()
    local a = dc.zeros(4, 4)
    h.fails("compile", "dc.view_as takes the address of 'x', which is a view that is not contiguous", function()
      dc.jit(function(x) dc.view_as(x, "float4")[{ 1, 1 }] = dc.float4(1) end)(1, 1, a.T)
    end)
    h.fails("compile", "takes the address of 'x'", function()
      dc.jit(function(x) dc.cuda("void", "*$1 = 3;", x) end)(1, 1, a.T)
    end)
    local first = dc.extern("__device__ float first(const float *a) { return a[0]; }", "first")
    h.fails("compile", "takes the address of 'x'", function()
      dc.jit(function(x) x[{ 1, 1 }] = first(x) end)(1, 1, a.T)
    end)
  end)

  it("are given to CUDA C with their strides", function()
    local a = dc.zeros(3, 5)
    assert.truthy(two:source(a.T, a, 1.0):find "x_stride2")
    assert.falsy(two:source(a, a, 1.0):find "stride")
    assert.truthy(two:kernel(a.T, a, 1.0).signature:find "x_stride1")
  end)

  it("are captured by graphs", function()
    local a, out = dc.arange(1, 6):reshape(2, 3):to "float32", dc.zeros(3, 2)
    two:forall({ 3, 2 }, a.T, out, 1)
    local g = dc.graph(function() two:forall({ 3, 2 }, a.T, out, 1) end)
    collectgarbage()
    a:fill(4)
    g()
    assert.same({ { 5, 5 }, { 5, 5 }, { 5, 5 } }, out:to_table())
  end)
end)
