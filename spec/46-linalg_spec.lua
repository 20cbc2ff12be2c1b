-- Matrix products and dense solvers against plain Lua: every way in which operands may lie, batches, bad input.
local dc = require "dotcompute"
local core = require "dotcompute.core"
local helper = require "spec.helper"
local fails, note = helper.fails, helper.note

local random = math.random

-- What the library is needed for is pending where there is none.
local function with(which, name, fn)
  it(name, function()
    local there, why = dc.available(which)
    if not there then return pending(why) end
    fn()
  end)
end

-- --- matrices in plain Lua --------------------------------------------------------------------------------------

-- A dense array in plain Lua: {shape =, [i] = value in C order}.
local function plain(shape, fn)
  local t = { shape = shape }
  for i = 1, helper.product(shape) do t[i] = fn(i) end
  return t
end

local function nested(t, axis, at)
  axis, at = axis or 1, at or 0
  if axis > #t.shape then return t[at + 1] end
  local list = {}
  for i = 1, t.shape[axis] do list[i] = nested(t, axis + 1, at * t.shape[axis] + i - 1) end
  return list
end

local function flatten(v, list)
  if type(v) ~= "table" then list[#list + 1] = v
  else for _, x in ipairs(v) do flatten(x, list) end end
  return list
end

-- The values of an array in C order.
local function values(a) return a.size == 0 and {} or flatten(a:to_table(), {}) end

local function permuted(t, axes) -- the result's axis i is t's axes[i]
  local shape, strides, step = {}, {}, 1
  for d = #t.shape, 1, -1 do
    strides[d] = step
    step = step * t.shape[d]
  end
  for i, d in ipairs(axes) do shape[i] = t.shape[d] end
  local result = { shape = shape }
  for i = 1, #t do
    local rest, at = i - 1, 0
    for k = #axes, 1, -1 do
      at = at + rest % shape[k] * strides[axes[k]]
      rest = rest // shape[k]
    end
    result[i] = t[at + 1]
  end
  return result
end

local function from_plain(t, dtype)
  if #t == 0 then return dc.zeros(t.shape, dtype) end
  return dc.array(nested(t), dtype)
end

-- An array of these values that lies in memory in one of many ways.
local function lay(t, dtype)
  local n, kind = #t.shape, random(6)
  if #t == 0 or kind == 1 then return from_plain(t, dtype), "plain" end
  if kind == 2 then -- some order of the axes
    local axes, back = {}, {}
    for d = 1, n do table.insert(axes, random(#axes + 1), d) end
    for i, d in ipairs(axes) do back[d] = i end
    return from_plain(permuted(t, axes), dtype):transpose(table.unpack(back)), "permuted"
  end
  if kind == 3 then
    local a = from_plain(t, dtype)
    return dtype == "bool" and a:to "int8":to "bool" or a * 1, "pending"
  end
  local shape, block = {}, {} -- part of a larger array, perhaps with steps, perhaps backwards
  for d, e in ipairs(t.shape) do
    local step, first = random(kind == 4 and 1 or 2), random(3)
    shape[d] = first + e * step + random(0, 2)
    block[d] = { first, first + (e - 1) * step, step }
    if kind == 6 and random(2) == 1 then block[d] = { first + (e - 1) * step, first, -step } end
  end
  local whole = dtype == "bool" and dc.zeros(shape, dtype) or dc.full(shape, 77, dtype)
  local part = whole:slice(table.unpack(block))
  part:copy_from(from_plain(t, dtype))
  return part, kind == 6 and "backwards" or "strided"
end

-- The reference: NumPy's rules, written out.
local function product(a, b, add, multiply, zero)
  local sa, sb = table.move(a.shape, 1, #a.shape, 1, {}), table.move(b.shape, 1, #b.shape, 1, {})
  local row, column = #sa == 1, #sb == 1
  if row then table.insert(sa, 1, 1) end
  if column then table.insert(sb, 1) end
  local m, k, n = sa[#sa - 1], sa[#sa], sb[#sb]
  assert(sb[#sb - 1] == k)
  local nb = math.max(#sa, #sb) - 2
  local batch, ea, eb = {}, {}, {}
  for d = 1, nb do
    ea[d], eb[d] = sa[d - nb + #sa - 2] or 1, sb[d - nb + #sb - 2] or 1
    batch[d] = ea[d] == 1 and eb[d] or ea[d]
  end
  local shape = table.move(batch, 1, nb, 1, {})
  if not row then shape[#shape + 1] = m end
  if not column then shape[#shape + 1] = n end
  local c = { shape = shape }
  for z = 0, helper.product(batch) - 1 do
    local rest, at_a, at_b, step_a, step_b = z, 0, 0, 1, 1
    for d = nb, 1, -1 do
      local i = rest % batch[d]
      rest = rest // batch[d]
      at_a, at_b = at_a + (ea[d] == 1 and 0 or i) * step_a, at_b + (eb[d] == 1 and 0 or i) * step_b
      step_a, step_b = step_a * ea[d], step_b * eb[d]
    end
    for i = 0, m - 1 do
      for j = 0, n - 1 do
        local sum = zero
        for l = 0, k - 1 do
          sum = add(sum, multiply(a[at_a * m * k + i * k + l + 1], b[at_b * k * n + l * n + j + 1]))
        end
        c[#c + 1] = sum
      end
    end
  end
  return c
end

local function add(x, y) return x + y end
local function multiply(x, y) return x * y end

local function check_values(want, got, text)
  assert.same(want.shape, { got:shape() }, note(text))
  helper.same(table.move(want, 1, #want, 1, {}), values(got), text)
end

-- Two shapes that can be multiplied.
local function shapes()
  local k, batch = random(0, 9) == 0 and 0 or random(1, 12), {}
  for d = 1, random(0, 3) do batch[d] = random(1, 3) end
  local function one(first)
    local shape = {}
    if random(5) == 1 then return { k } end
    for d = random(1, #batch + 1), #batch do shape[#shape + 1] = random(3) == 1 and 1 or batch[d] end
    local other = random(8) == 1 and 0 or random(1, 14)
    shape[#shape + 1], shape[#shape + 2] = first and other or k, first and k or other
    return shape
  end
  return one(true), one(false)
end

local function shape_text(t) return "(" .. table.concat(t.shape, ", ") .. ")" end

-- Multiples of 1/8 whose products and sums all dtypes here hold exactly.
local function eighths() return random(-32, 32) / 8 end

local function wrapped(v, dtype)
  local bits = helper.itemsize[dtype] * 8
  if bits == 64 then return v end
  v = v & ((1 << bits) - 1)
  return dtype:sub(1, 1) == "i" and v >= 1 << (bits - 1) and v - (1 << bits) or v
end

-- --- products ---------------------------------------------------------------------------------------------------

describe("a matrix product", function()
  with("blas", "is NumPy's for all shapes and ways of lying in memory", function()
    for _ = 1, 150 do
      local sa, sb = shapes()
      local dtype = random(2) == 1 and "float32" or "float64"
      local a, b = plain(sa, eighths), plain(sb, eighths)
      local x, how_x = lay(a, dtype)
      local y, how_y = lay(b, dtype)
      local text = ("%s %s by %s %s, %s"):format(shape_text(a), how_x, shape_text(b), how_y, dtype)
      local c = random(2) == 1 and x:matmul(y) or dc.matmul(x, y)
      assert.equal(dtype, c.dtype)
      check_values(product(a, b, add, multiply, 0.0), c, text)
    end
  end)

  it("of integers wraps and keeps the dtype", function()
    for _ = 1, 60 do
      local sa, sb = shapes()
      local names = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
      local dtype = names[random(#names)]
      local a = plain(sa, function() return helper.value(dtype) end)
      local b = plain(sb, function() return helper.value(dtype) end)
      local x, how_x = lay(a, "int64")
      local y, how_y = lay(b, "int64")
      local c = x:to(dtype):matmul(y:to(dtype))
      assert.equal(dtype, c.dtype)
      local want = product(a, b, add, multiply, 0)
      for i = 1, #want do want[i] = wrapped(want[i], dtype) end
      check_values(want, c, ("%s %s by %s %s, %s"):format(shape_text(a), how_x, shape_text(b), how_y, dtype))
    end
  end)

  it("of integers larger than a tile, as they lie", function()
    local a = plain({ 70, 45 }, function() return random(-1000, 1000) end)
    local b = plain({ 45, 67 }, function() return random(-1000, 1000) end)
    local want = product(a, b, add, multiply, 0)
    check_values(want, from_plain(a, "int32"):matmul(from_plain(b, "int32")), "plain")
    check_values(want, from_plain(permuted(a, { 2, 1 }), "int32").T:matmul(
      from_plain(permuted(b, { 2, 1 }), "int32").T), "transposed")
  end)

  it("of bools is true where any pair is", function()
    for _ = 1, 20 do
      local sa, sb = shapes()
      local a = plain(sa, function() return random(3) == 1 end)
      local b = plain(sb, function() return random(3) == 1 end)
      local want = product(a, b, function(x, y) return x or y end, function(x, y) return x and y end, false)
      local c = (lay(a, "bool")):matmul((lay(b, "bool")))
      assert.equal("bool", c.dtype)
      check_values(want, c, shape_text(a) .. " by " .. shape_text(b))
    end
  end)

  with("blas", "promotes its operands as arithmetic does", function()
    local a, b = { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } }
    for _, x in ipairs { "bool", "int8", "int32", "int64", "uint8", "float32", "float64" } do
      for _, y in ipairs { "int8", "int32", "int64", "uint64", "float32", "float64" } do
        local left, right = dc.array(a):to(x), dc.array(b):to(y)
        local c = left:matmul(right)
        assert.equal(core.promote(x, y), c.dtype, x .. " " .. y)
        local want = x == "bool" and { 12, 14, 12, 14 } or { 19, 22, 43, 50 }
        for i, v in ipairs(values(c)) do assert.equal(want[i], v, x .. " " .. y) end
      end
    end
  end)

  with("blas", "of floats that round stays within their error", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local m, k, n = random(30, 60), random(100, 200), random(30, 60)
      local function any() return helper.f32(random() - 0.5) end
      local a, b = plain({ m, k }, any), plain({ k, n }, any)
      local want, got = product(a, b, add, multiply, 0.0), values(from_plain(a, dtype):matmul(from_plain(b, dtype)))
      local most = (dtype == "float32" and 2.0 ^ -23 or 2.0 ^ -51) * k / 4
      for i = 1, #want do assert.is_true(math.abs(want[i] - got[i]) <= most, note(dtype)) end
    end
  end)

  with("blas", "lets NaN and infinity through, and nothing that memory held before", function()
    local nan = dc.full({ 300, 300 }, 0 / 0)
    nan:close() -- what is allocated next may begin with NaN
    for _, n in ipairs { 1, 2, 300 } do
      local c = dc.ones(300, 300):matmul(dc.ones(300, n))
      assert.equal(300, c:min():item())
      assert.equal(300, c:max():item())
      c:close()
      dc.full({ 300, n }, 0 / 0):close()
    end
    local a = dc.ones(3, 3)
    a[{ 2, 2 }] = 0 / 0
    local c = a:matmul(dc.ones(3, 2)):to_table()
    assert.same({ 3, 3 }, c[1])
    assert.is_true(c[2][1] ~= c[2][1] and c[2][2] ~= c[2][2])
    a[{ 2, 2 }] = math.huge
    assert.equal(math.huge, a:matmul(dc.ones(3)):to_table()[2])
  end)

  with("blas", "takes tables, and pending operands once", function()
    local a = dc.array { { 1, 2 }, { 3, 4 } }
    assert.same({ 17, 39 }, a:matmul({ 5, 6 }):to_table())
    assert.same({ 5, 8 }, dc.matmul({ 2, 1 }, { { 1, 2 }, { 3, 4 } }):to_table())
    local e = a + a
    assert.same({ { 14, 20 }, { 30, 44 } }, e:matmul(a):to_table())
    assert.same({ { 2, 4 }, { 6, 8 } }, e:to_table())
  end)

  with("blas", "keeps its value when operands are written later, and sees what was written before", function()
    local a, b = dc.ones(4, 4), dc.ones(4, 4)
    a:fill(2)
    local c = a:matmul(b)
    local d = c + 1
    a:fill(100)
    b:close()
    assert.equal(8, c[1][1])
    c:fill(0)
    assert.equal(9, d[4][4])
  end)

  with("blas", "allocates its result alone when operands lie well", function()
    local a, b = dc.ones(32, 16), dc.ones(64, 16)
    a:matmul(b.T)
    dc.stats "reset"
    a:matmul(b.T) -- luacheck: ignore
    local c = a.T:matmul(a[{ { 5, 32 }, ":" }].T.T:reshape(28, 16)[{ { 1, 28 }, ":" }]:matmul(dc.ones(16, 16)).T.T
      :copy():reshape(28, 16)[{ { 1, 28 }, { 1, 8 } }]:copy():reshape(32, 7))
    assert.same({ 16, 7 }, { c:shape() })
    dc.stats "reset"
    local d = a:matmul(b.T)
    assert.equal(1, dc.stats().allocations)
    local e = a[{ { 3, 20 }, ":" }]:matmul(b[{ { 1, 64, 2 }, ":" }].T)
    assert.equal(2, dc.stats().allocations)
    assert.equal(16, d[1][1] * e[18][32] / 16)
  end)

  it("refuses what does not fit", function()
    local a, v = dc.ones(2, 3), dc.ones(4)
    fails("shape", "matmul of %(2, 3%) and %(2, 3%): the last axis of a has 3 elements, the last but one of b 2",
      function() a:matmul(a) end)
    fails("shape", "%(2, 3%) and %(4,%)", function() a:matmul(v) end)
    fails("shape", "%(4,%) and %(2, 3%)", function() v:matmul(a) end)
    fails("shape", "use %* with a single number", function() a:matmul(dc.array(2)) end)
    fails("shape", "axes before the last two.*%(5,%) and %(4,%) do not broadcast",
      function() dc.ones(5, 2, 3):matmul(dc.ones(4, 3, 2)) end)
    fails("argument", "an array expected, got the number 3", function() a:matmul(3) end)
    fails("argument", "an array expected, got no value", function() a:matmul() end)
    fails("argument", "an array expected, got the string 'x'", function() dc.matmul("x", a) end)
    fails("shape", "", function() a:matmul { { 1, 2 }, { 3 } } end)
    local closed = dc.ones(3, 3)
    closed:close()
    fails("argument", "closed", function() a:matmul(closed) end)
    fails("argument", "closed", function() closed:matmul(a) end)
    fails("memory", "cannot allocate", function()
      dc.ones(1, 1):broadcast_to(1 << 30, 1):matmul(dc.ones(1, 1):broadcast_to(1, 1 << 30))
    end)
  end)
end)

describe("dot and outer", function()
  with("blas", "are NumPy's", function()
    assert.equal(32, dc.dot(dc.array { 1, 2, 3 }, { 4, 5, 6 }):item())
    assert.same({ 3, 6 }, dc.array({ 1, 2 }):dot(dc.array(3)):to_table())
    assert.same({ 3, 6 }, dc.array({ 1, 2 }):dot(3):to_table())
    assert.same({ 3, 6 }, dc.dot(3, dc.array { 1, 2 }):to_table())
    fails("argument", "an array expected", function() dc.dot(2, 3) end)
    fails("argument", "an array expected", function() dc.dot(dc.ones(2), "x") end)
    for _ = 1, 20 do
      local sa, sb = helper.shape(random(1, 3), 4), helper.shape(random(2, 3), 4)
      sa[#sa] = sb[#sb - 1]
      local a, b = plain(sa, eighths), plain(sb, eighths)
      -- as one product of matrices: b's summed axis in front
      local axes = { #sb - 1 }
      for d = 1, #sb do if d ~= #sb - 1 then axes[#axes + 1] = d end end
      local front = permuted(b, axes)
      local k = sa[#sa]
      local rows, columns = #a // k, #b // k
      a.shape, front.shape = { rows, k }, { k, columns }
      local want = product(a, front, add, multiply, 0.0)
      a.shape, want.shape = sa, table.move(sa, 1, #sa - 1, 1, {})
      for d = 1, #sb do if d ~= #sb - 1 then table.insert(want.shape, sb[d]) end end
      check_values(want, (lay(a, "float64")):dot((lay(b, "float64"))), shape_text(a) .. " dot " .. shape_text(b))
    end
    fails("shape", "dot of %(2, 3%) and %(2, 2, 2%)", function() dc.ones(2, 3):dot(dc.ones(2, 2, 2)) end)
    assert.same({ { 4, 5 }, { 8, 10 } }, dc.outer({ 1, 2 }, { 4, 5 }):to_table())
    assert.same({ 6, 4 }, { dc.linalg.outer(dc.ones(2, 3), dc.ones(2, 2)):shape() })
    fails("argument", "an array expected", function() dc.outer(nil, { 1 }) end)
  end)
end)

describe("dc.precision", function()
  it("says and changes how float32 products may be computed", function()
    assert.equal("float32", dc.precision())
    assert.equal("float32", dc.precision "tf32")
    assert.equal("tf32", dc.precision "bfloat16")
    assert.equal("bfloat16", dc.precision "float32")
    fails("argument", "no precision 'float64'", function() dc.precision "float64" end)
    fails("argument", "float32", function() dc.precision(32) end)
    assert.equal("float32", dc.precision())
  end)
end)

-- --- solvers ----------------------------------------------------------------------------------------------------

local tolerance = { float32 = 3e-4, float64 = 1e-11 }

local function close(want, got, most, text)
  assert.equal(#want, #got, text)
  for i = 1, #want do
    local ok = math.abs(want[i] - got[i]) <= most
    assert.is_true(ok, ok or note(("%s: element %d is %s, should be %s"):format(text, i, got[i], want[i])))
  end
end

local function any() return helper.f32(random() * 2 - 1) end

-- A random batch of n by n matrices that are far from singular.
local function regular(batch, n)
  local shape = table.move(batch, 1, #batch, 1, {})
  shape[#shape + 1], shape[#shape + 2] = n, n
  return plain(shape, function(i) return any() + ((i - 1) // n % n == (i - 1) % n and n or 0) end)
end

local function shaped(t, shape)
  t.shape = shape
  return t
end

-- The matrices of a batch in plain Lua, one after the other.
local function each(t)
  local m, n = t.shape[#t.shape - 1], t.shape[#t.shape]
  local list = {}
  for z = 1, m * n > 0 and #t // (m * n) or 0 do
    list[z] = shaped(table.move(t, (z - 1) * m * n + 1, z * m * n, 1, {}), { m, n })
  end
  return list
end

local function transposed(t) return permuted(t, { 2, 1 }) end
local function times(a, b) return product(a, b, add, multiply, 0.0) end
local function identity(n) return plain({ n, n }, function(i) return (i - 1) // n == (i - 1) % n and 1.0 or 0.0 end) end

local function of_array(a) return shaped(values(a), { a:shape() }) end

describe("a solver", function()
  with("lapack", "solves for vectors, matrices and batches", function()
    for _, case in ipairs { { {}, 1, 1 }, { {}, 5 }, { {}, 7, 3 }, { { 3 }, 4, 2 }, { { 2, 2 }, 3, 1 },
                            { {}, 40, 40 } } do
      for _, dtype in ipairs { "float32", "float64" } do
        local batch, n, k = case[1], case[2], case[3]
        local a = regular(batch, n)
        local shape = table.move(batch, 1, #batch, 1, {})
        shape[#shape + 1], shape[#shape + 2] = n, k
        local b = plain(k and shape or { n }, any)
        local x = dc.linalg.solve((lay(a, dtype)), (lay(b, dtype)))
        assert.equal(dtype, x.dtype)
        assert.same(b.shape, { x:shape() })
        assert.is_true(x.contiguous)
        close(b, times(a, of_array(x)), tolerance[dtype], "a x")
      end
    end
    local a = regular({}, 4) -- one b for a batch of a, and the other way round
    local many = dc.linalg.solve(from_plain(a, "float64"):broadcast_to(3, 4, 4), dc.ones(4, 2, "float64"))
    assert.same({ 3, 4, 2 }, { many:shape() })
    assert.same({ 3, 4 }, { dc.linalg.solve(dc.eye(4):broadcast_to(3, 4, 4), dc.ones(4)):shape() })
    assert.same({ 5, 4, 1 }, { dc.linalg.solve(dc.eye(4), dc.ones(5, 4, 1)):shape() })
    assert.same({ 0 }, { dc.linalg.solve(dc.zeros(0, 0), dc.zeros(0)):shape() })
    assert.same({ 3, 0 }, { dc.linalg.solve(dc.eye(3), dc.zeros(3, 0)):shape() })
    assert.same({ 0.5, 1 }, dc.linalg.solve({ { 2, 0 }, { 0, 3 } }, { 1, 3 }):to_table())
    assert.equal("float32", dc.linalg.solve(dc.eye(2, "int32"), dc.ones(2, "int8")).dtype)
    assert.equal("float64", dc.linalg.solve(dc.eye(2, "int64"), dc.ones(2, "int8")).dtype)
  end)

  with("lapack", "inverts", function()
    for _, n in ipairs { 1, 2, 9, 33 } do
      local a = regular({ 2 }, n)
      for z, inverse in ipairs(each(of_array(dc.linalg.inv((lay(a, "float64")))))) do
        close(identity(n), times(each(a)[z], inverse), tolerance.float64 * n, "a inv(a)")
      end
    end
    assert.same({ 0, 0 }, { dc.linalg.inv(dc.zeros(0, 0)):shape() })
  end)

  with("lapack", "leaves its operands as they were", function()
    local a, b = regular({}, 6), plain({ 6, 2 }, any)
    local x, y = from_plain(a, "float64"), from_plain(b, "float64")
    dc.linalg.solve(x, y)
    dc.linalg.det(x)
    dc.linalg.qr(x)
    dc.linalg.svd(x)
    dc.linalg.eigh(x)
    dc.linalg.lstsq(x, y)
    check_values(a, x, "a")
    check_values(b, y, "b")
  end)

  with("lapack", "says which matrix is singular, and lets NaN through", function()
    fails("argument", "the matrix is singular: pivot 2 is 0", function()
      dc.linalg.solve({ { 1, 2 }, { 2, 4 } }, { 1, 1 })
    end)
    fails("argument", "matrix 3 of the batch is singular", function()
      local a = dc.array(nested(regular({ 4 }, 3)))
      a[3]:fill(1)
      dc.linalg.inv(a)
    end)
    local x = dc.linalg.solve({ { 0 / 0, 1 }, { 1, 2 } }, { 1, 1 }):to_table()
    assert.is_true(x[1] ~= x[1] and x[2] ~= x[2])
  end)

  with("lapack", "has determinants", function()
    for _ = 1, 10 do
      local a = plain({ 4, 3, 3 }, function() return random(-5, 5) * 1.0 end)
      local want = {}
      for z, t in ipairs(each(a)) do
        want[z] = t[1] * (t[5] * t[9] - t[6] * t[8]) - t[2] * (t[4] * t[9] - t[6] * t[7])
          + t[3] * (t[4] * t[8] - t[5] * t[7])
      end
      local d = dc.linalg.det((lay(a, "float64")))
      assert.same({ 4 }, { d:shape() })
      close(want, values(d), 1e-9, "det")
    end
    assert.equal(0, dc.linalg.det({ { 1, 2 }, { 2, 4 } }):item())
    assert.equal(0, dc.linalg.det(dc.zeros(5, 5)):item())
    assert.equal(1, dc.linalg.det(dc.zeros(0, 0)):item())
    assert.same({ 1, 1 }, dc.linalg.det(dc.zeros(2, 0, 0)):to_table())
    local v = dc.linalg.det({ { 0 / 0, 1 }, { 1, 1 } }):item()
    assert.is_true(v ~= v)
    assert.equal("float32", dc.linalg.det(dc.eye(2, "int8")).dtype)
  end)

  with("lapack", "takes Cholesky's root", function()
    for _, case in ipairs { { {}, 1 }, { {}, 5 }, { { 3 }, 4 }, { {}, 40 } } do
      local n = case[2]
      local roots = each(regular(case[1], n))
      local a = { shape = table.move(case[1], 1, #case[1], 1, {}) }
      a.shape[#a.shape + 1], a.shape[#a.shape + 2] = n, n
      for _, r in ipairs(roots) do table.move(times(r, transposed(r)), 1, n * n, #a + 1, a) end
      for _, dtype in ipairs { "float32", "float64" } do
        local l = dc.linalg.cholesky((lay(a, dtype)))
        assert.same(a.shape, { l:shape() })
        for z, t in ipairs(each(of_array(l))) do
          for i = 1, n do
            for j = i + 1, n do assert.equal(0, t[(i - 1) * n + j], note "above the diagonal") end
          end
          close(each(a)[z], times(t, transposed(t)), tolerance[dtype] * n * n, "L L'")
        end
      end
    end
    -- the lower triangle is what counts
    assert.same({ { 2, 0 }, { 1, 3 } }, dc.linalg.cholesky({ { 4, 1e9 }, { 2, 10 } }):to_table())
    fails("argument", "the matrix is not positive definite: its leading part of 2 by 2", function()
      dc.linalg.cholesky { { 1, 2 }, { 2, 1 } }
    end)
    local ok, nan = pcall(dc.linalg.cholesky, { { 0 / 0 } }) -- some of the libraries notice
    assert.is_true(not ok and nan.kind == "argument" or nan:item() ~= nan:item())
    assert.same({ 0, 0 }, { dc.linalg.cholesky(dc.zeros(0, 0)):shape() })
  end)

  with("lapack", "factors into Q and R", function()
    for _, case in ipairs { { {}, 1, 1 }, { {}, 6, 4 }, { {}, 4, 6 }, { { 2 }, 5, 5 }, { { 2, 3 }, 3, 2 },
                            { {}, 40, 30 } } do
      local batch, m, n = case[1], case[2], case[3]
      local shape = table.move(batch, 1, #batch, 1, {})
      shape[#shape + 1], shape[#shape + 2] = m, n
      local a = plain(shape, any)
      for _, mode in ipairs { "reduced", "complete", "r" } do
        local q, r = dc.linalg.qr((lay(a, "float64")), mode)
        if mode == "r" then q, r = nil, q end
        local k = mode == "complete" and m or math.min(m, n)
        assert.same({ k, n }, { select(#batch + 1, r:shape()) })
        for z, t in ipairs(each(of_array(r))) do
          for i = 1, k do
            for j = 1, math.min(i - 1, n) do assert.equal(0, t[(i - 1) * n + j], note "below the diagonal") end
          end
          if q then
            local p = each(of_array(q))[z]
            assert.same({ m, k }, p.shape)
            close(identity(k), times(transposed(p), p), 1e-12 * m, "Q' Q")
            close(each(a)[z], times(p, t), 1e-12 * m, "Q R")
          end
        end
      end
    end
    local q, r = dc.linalg.qr(dc.zeros(3, 0), "complete")
    assert.same({ 1, 0, 0 }, q[1]:to_table())
    assert.same({ 3, 0 }, { r:shape() })
    q, r = dc.linalg.qr(dc.zeros(0, 3))
    assert.same({ 0, 0, 0, 3 }, { select(1, q:shape()), select(2, q:shape()), r:shape() })
    fails("argument", "reduced", function() dc.linalg.qr(dc.eye(2), "full") end)
  end)

  with("lapack", "has eigenvalues of symmetric matrices", function()
    for _, case in ipairs { { {}, 1 }, { {}, 6 }, { { 3 }, 4 }, { {}, 50 } } do
      local n = case[2]
      local a = regular(case[1], n)
      for z = 0, #a // (n * n) - 1 do -- symmetric, but nonsense above the diagonal is not looked at
        for i = 1, n do for j = i + 1, n do a[z * n * n + (i - 1) * n + j] = 1e6 end end
      end
      local w, v = dc.linalg.eigh((lay(a, "float64")))
      local only = dc.linalg.eigh(from_plain(a, "float64"), { vectors = false })
      close(values(w), values(only), 1e-10 * n, "values alone")
      for z, t in ipairs(each(a)) do
        local lambda = table.move(values(w), (z - 1) * n + 1, z * n, 1, {})
        local vectors = each(of_array(v))[z]
        for i = 1, n do
          for j = i + 1, n do t[(i - 1) * n + j] = t[(j - 1) * n + i] end
          if i > 1 then assert.is_true(lambda[i - 1] <= lambda[i]) end
        end
        local left, right = times(t, vectors), {}
        for i, x in ipairs(vectors) do right[i] = x * lambda[(i - 1) % n + 1] end
        close(right, left, 1e-11 * n * n, "A V")
        close(identity(n), times(transposed(vectors), vectors), 1e-11 * n, "V' V")
      end
    end
    assert.same({ 0 }, { dc.linalg.eigh(dc.zeros(0, 0), { vectors = false }):shape() })
  end)

  with("lapack", "has singular values", function()
    for _, case in ipairs { { {}, 1, 1 }, { {}, 6, 3 }, { {}, 3, 6 }, { {}, 5, 5 }, { { 2 }, 4, 2 }, { { 2 }, 2, 4 },
                            { {}, 40, 25 } } do
      local batch, m, n = case[1], case[2], case[3]
      local k = math.min(m, n)
      local shape = table.move(batch, 1, #batch, 1, {})
      shape[#shape + 1], shape[#shape + 2] = m, n
      local a = plain(shape, any)
      for _, full in ipairs { false, true } do
        local u, s, vh = dc.linalg.svd((lay(a, "float64")), { full = full })
        local alone = dc.linalg.svd(from_plain(a, "float64"), { vectors = false })
        close(values(s), values(alone), 1e-12 * m * n, "values alone")
        for z, t in ipairs(each(a)) do
          local left, right = each(of_array(u))[z], each(of_array(vh))[z]
          local sigma = table.move(values(s), (z - 1) * k + 1, z * k, 1, {})
          assert.same({ { m, full and m or k }, { full and n or k, n } }, { left.shape, right.shape })
          for i = 1, k do assert.is_true(sigma[i] >= (sigma[i + 1] or 0)) end
          local middle = plain({ left.shape[2], right.shape[1] }, function(i)
            local row, column = (i - 1) // right.shape[1] + 1, (i - 1) % right.shape[1] + 1
            return row == column and sigma[row] or 0.0
          end)
          close(t, times(times(left, middle), right), 1e-12 * m * n, "U S Vh")
          close(identity(left.shape[2]), times(transposed(left), left), 1e-12 * m, "U' U")
          close(identity(right.shape[1]), times(right, transposed(right)), 1e-12 * n, "Vh Vh'")
        end
      end
    end
    local u, s, vh = dc.linalg.svd(dc.zeros(3, 0), { full = true })
    assert.same({ 3, 3, 0, 0, 0 }, { select(1, u:shape()), select(2, u:shape()), #s, vh:shape() })
    fails("argument", "does not converge", function() dc.linalg.svd(dc.full({ 4, 4 }, 0 / 0)) end)
  end)

  with("lapack", "finds least squares", function()
    for _, case in ipairs { { 6, 3 }, { 3, 6 }, { 5, 5 }, { 30, 4, 2 } } do
      local m, n, k = case[1], case[2], case[3]
      local a, b = plain({ m, n }, any), plain(k and { m, k } or { m }, any)
      local x, rest, rank, s = dc.linalg.lstsq((lay(a, "float64")), (lay(b, "float64")))
      assert.equal(math.min(m, n), rank)
      assert.equal(math.min(m, n), #s)
      local got = of_array(x)
      local left = times(a, got)
      for i = 1, #left do left[i] = b[i] - left[i] end
      local zero = plain({ n, k or 1 }, function() return 0.0 end)
      left.shape = { m, k or 1 }
      close(zero, times(transposed(a), left), 1e-10, "a' (b - a x)")
      if m > n then
        for j = 1, k or 1 do
          local sum = 0
          for i = 1, m do sum = sum + left[(i - 1) * (k or 1) + j] ^ 2 end
          close({ sum }, { rest[j] }, 1e-10, "what is left")
        end
      else
        assert.equal(0, rest.size)
      end
    end
    local x, rest, rank = dc.linalg.lstsq({ { 1, 1 }, { 1, 1 }, { 1, 1 } }, { 2, 2, 2 }) -- the shortest of many
    assert.is_true(dc.allclose(x, { 1, 1 }))
    assert.same({ 1, 0 }, { rank, rest.size })
    fails("shape", "lstsq of a %(2, 2%) and b %(3,%)", function() dc.linalg.lstsq(dc.eye(2), dc.ones(3)) end)
    fails("argument", "cutoff", function() dc.linalg.lstsq(dc.eye(2), dc.ones(2), "x") end)
  end)

  with("lapack", "refuses what does not fit", function()
    local eye = dc.eye(3)
    for _, name in ipairs { "inv", "cholesky", "det", "eigh" } do
      fails("shape", name .. " takes square matrices; this array has shape %(2, 3%)", function()
        dc.linalg[name](dc.ones(2, 3))
      end)
      fails("shape", "shape %(3,%)", function() dc.linalg[name](dc.ones(3)) end)
      fails("shape", "shape %(%)", function() dc.linalg[name](1) end)
    end
    for _, name in ipairs { "inv", "cholesky", "det", "eigh", "qr", "svd", "norm" } do
      fails("argument", name .. ": an array expected, got nil", function() dc.linalg[name]() end)
      fails("argument", name .. ": an array expected, got the string 'x'", function() dc.linalg[name] "x" end)
      local a = dc.ones(2, 2)
      a:close()
      fails("argument", "closed", function() dc.linalg[name](a) end)
    end
    for _, name in ipairs { "qr", "svd" } do
      fails("shape", name .. " takes a matrix", function() dc.linalg[name](dc.ones(3)) end)
    end
    fails("shape", "solve of a %(3, 3%) and b %(4,%)", function() dc.linalg.solve(eye, dc.ones(4)) end)
    fails("shape", "so many rows", function() dc.linalg.solve(eye, dc.array(1)) end)
    fails("shape", "so many rows", function() dc.linalg.solve(eye, dc.ones(2, 3)) end)
    fails("shape", "do not broadcast", function()
      dc.linalg.solve(eye:broadcast_to(2, 3, 3), dc.ones(5, 3, 1))
    end)
    fails("argument", "svd has no option 'ful'", function() dc.linalg.svd(eye, { ful = true }) end)
    fails("argument", "'vectors' is a boolean, got the number 1", function()
      dc.linalg.eigh(eye, { vectors = 1 })
    end)
    fails("index", "dc.linalg has no 'eig'", function() local _ = dc.linalg.eig end)
  end)

  with("lapack", "has norms of vectors and matrices", function()
    local t = plain({ 4, 5 }, any)
    local a = from_plain(t, "float64")
    local squares, rows, columns = 0, { 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 }
    for i, v in ipairs(t) do
      squares = squares + v * v
      local r, c = (i - 1) // 5 + 1, (i - 1) % 5 + 1
      rows[r], columns[c] = rows[r] + math.abs(v), columns[c] + math.abs(v)
    end
    local function check(want, ...) close({ want }, { dc.linalg.norm(a, ...):item() }, 1e-12, "norm") end
    check(math.sqrt(squares))
    check(math.sqrt(squares), "fro")
    check(math.max(table.unpack(columns)), 1)
    check(math.min(table.unpack(columns)), -1)
    check(math.max(table.unpack(rows)), math.huge)
    check(math.min(table.unpack(rows)), -math.huge)
    local s = dc.linalg.svd(a, { vectors = false }):to_table()
    check(s[1], 2)
    check(s[4], -2)
    check(s[1] + s[2] + s[3] + s[4], "nuc")
    close(rows, values(dc.linalg.norm(a, 1, 2)), 1e-12, "along rows")
    close(columns, values(dc.linalg.norm(a, 1, -2)), 1e-12, "along columns")
    local cubes = {}
    for i, v in ipairs(t) do
      local r = (i - 1) // 5 + 1
      cubes[r] = (cubes[r] or 0) + math.abs(v) ^ 3
    end
    for r = 1, 4 do cubes[r] = cubes[r] ^ (1 / 3) end
    close(cubes, values(dc.linalg.norm(a, 3, 2)), 1e-12, "third")
    assert.equal(2, dc.linalg.norm({ 0, 3, 0, -1 }, 0):item())
    assert.equal(3, dc.linalg.norm({ 0, 3, 0, -1 }, math.huge):item())
    assert.equal(5, dc.linalg.norm({ 3, -4 }):item())
    assert.equal("float32", dc.linalg.norm(dc.array({ 3, -4 }, "int32")).dtype)
    local b = dc.array(nested(plain({ 3, 2, 4 }, any)), "float64")
    local along = dc.linalg.norm(b, 2, { 1, 3 })
    for j = 1, 2 do
      close({ dc.linalg.norm(b[{ ":", j, ":" }], 2):item() }, { along[j] }, 1e-12, "two axes")
    end
    assert.is_true(dc.linalg.norm({ 1, 0 / 0 }, math.huge):item() ~= dc.linalg.norm({ 1, 0 / 0 }, math.huge):item())
    fails("index", "axis 4 is out of range", function() dc.linalg.norm(b, 2, 4) end)
    fails("argument", "two different ones", function() dc.linalg.norm(b, 2, { 1, 1 }) end)
    fails("argument", "an axis is an integer", function() dc.linalg.norm(b, 2, 1.5) end)
    fails("argument", "matrices have the orders", function() dc.linalg.norm(a, 3) end)
    fails("argument", "an order that is a number", function() dc.linalg.norm({ 1, 2 }, "fro") end)
    fails("shape", "needs the axis", function() dc.linalg.norm(b, 1) end)
  end)
end)

-- --- complex and 16-bit numbers ------------------------------------------------------------------------------------

-- A complex matrix in plain Lua as the real one of twice the size that acts alike: [[re, -im], [im, re]] for a value.
local function as_real(t)
  local m, n = t.shape[1], t.shape[2]
  local r = { shape = { 2 * m, 2 * n } }
  for i = 0, m - 1 do
    for j = 0, n - 1 do
      local v = t[i * n + j + 1]
      local at = 4 * i * n + 2 * j + 1
      r[at], r[at + 1], r[at + 2 * n], r[at + 2 * n + 1] = v.re, -v.im, v.im, v.re
    end
  end
  return r
end

local function real_of(a) return as_real(of_array(a)) end
local function complex_eighths() return dc.complex(eighths(), eighths()) end
local function any_complex() return dc.complex(any(), any()) end

local function transposed_real(t) return permuted(t, { 2, 1 }) end -- of the real one: the conjugate transpose

describe("of complex numbers", function()
  with("blas", "products are exact where they can be", function()
    for _ = 1, 40 do
      local m, k, n = random(6), random(6), random(6)
      local a, b = plain({ m, k }, complex_eighths), plain({ k, n }, complex_eighths)
      for _, dtype in ipairs { "complex64", "complex128" } do
        local x, y = (lay(a, dtype)), (lay(b, dtype))
        local c = x:matmul(y)
        assert.equal(dtype, c.dtype)
        local want = times(as_real(a), as_real(b))
        helper.same(table.move(want, 1, #want, 1, {}), real_of(c), "product")
        local v = x[1]:dot(y[{ ":", 1 }]):item()
        assert.equal(want[1], v.re)
      end
    end
    assert.equal("complex64", dc.ones(2, 2):matmul(dc.ones(2, 2, "complex64")).dtype)
    assert.equal("complex128", dc.ones(2, 2, "float64"):matmul(dc.ones(2, "complex64")).dtype)
  end)

  with("lapack", "solvers solve", function()
    for _, case in ipairs { { 1, "complex128" }, { 4, "complex64" }, { 5, "complex128" }, { 30, "complex128" } } do
      local n, dtype = case[1], case[2]
      local most = (dtype == "complex64" and 1e-4 or 1e-12) * n
      local a = plain({ n, n }, function(i)
        return dc.complex(any() + ((i - 1) // n == (i - 1) % n and n or 0), any())
      end)
      local r = as_real(a)
      local x = lay(a, dtype)
      close(identity(2 * n), times(r, real_of(dc.linalg.inv(x))), most, "inv")
      local b = plain({ n, 2 }, any_complex)
      close(as_real(b), times(r, real_of(dc.linalg.solve(x, (lay(b, dtype))))), most, "solve")

      local hermitian = times(r, transposed_real(r)) -- positive definite
      local h = plain({ n, n }, function(i)
        local row, column = (i - 1) // n, (i - 1) % n
        return dc.complex(hermitian[4 * row * n + 2 * column + 1], hermitian[(2 * row + 1) * 2 * n + 2 * column + 1])
      end)
      local l = real_of(dc.linalg.cholesky(dc.array(nested(h), dtype)))
      close(hermitian, times(l, transposed_real(l)), most * 10 * n, "cholesky")
      local w, v = dc.linalg.eigh(dc.array(nested(h), dtype))
      assert.equal(dtype == "complex64" and "float32" or "float64", w.dtype)
      local vectors, values_of = real_of(v), values(w)
      local scaled = shaped({}, { 2 * n, 2 * n })
      for i, z in ipairs(vectors) do scaled[i] = z * values_of[(i - 1) % (2 * n) // 2 + 1] end
      close(scaled, times(hermitian, vectors), most * 20 * n, "eigh")
      close(identity(2 * n), times(transposed_real(vectors), vectors), most, "eigh's vectors")
    end
  end)

  with("lapack", "factors are unitary", function()
    for _, case in ipairs { { 4, 3 }, { 3, 4 }, { 5, 5 }, { 20, 6 } } do
      local m, n = case[1], case[2]
      local k = math.min(m, n)
      local a = plain({ m, n }, any_complex)
      local r = as_real(a)
      local q, upper = dc.linalg.qr((lay(a, "complex128")))
      q, upper = real_of(q), real_of(upper)
      close(r, times(q, upper), 1e-12 * m, "Q R")
      close(identity(2 * k), times(transposed_real(q), q), 1e-12 * m, "Q* Q")
      for _, full in ipairs { false, true } do
        local u, s, vh = dc.linalg.svd((lay(a, "complex128")), { full = full })
        assert.equal("float64", s.dtype)
        local sigma = values(s)
        u, vh = real_of(u), real_of(vh)
        local middle = plain({ u.shape[2], vh.shape[1] }, function(i)
          local row, column = (i - 1) // vh.shape[1], (i - 1) % vh.shape[1]
          return row == column and sigma[row // 2 + 1] or 0.0
        end)
        close(r, times(times(u, middle), vh), 1e-12 * m * n, "U S Vh")
        close(identity(u.shape[2]), times(transposed_real(u), u), 1e-12 * m, "U* U")
        close(identity(vh.shape[1]), times(vh, transposed_real(vh)), 1e-12 * n, "Vh Vh*")
      end
      local b = plain({ m, 2 }, any_complex)
      local x = dc.linalg.lstsq(dc.array(nested(a), "complex128"), dc.array(nested(b), "complex128"))
      local left = times(r, real_of(x))
      local want = as_real(b)
      for i = 1, #left do left[i] = want[i] - left[i] end
      local zero = plain({ 2 * n, 4 }, function() return 0.0 end)
      close(zero, times(transposed_real(r), left), 1e-10, "a* (b - a x)")
    end
  end)

  with("lapack", "determinants and norms are right", function()
    for _ = 1, 10 do
      local t = plain({ 2, 2 }, complex_eighths)
      local d = dc.linalg.det((lay(t, "complex128"))):item()
      close({ t[1].re * t[4].re - t[1].im * t[4].im - t[2].re * t[3].re + t[2].im * t[3].im,
              t[1].re * t[4].im + t[1].im * t[4].re - t[2].re * t[3].im - t[2].im * t[3].re }, { d.re, d.im }, 1e-12,
        "det")
    end
    local a = dc.array { { dc.complex(3, 4), 0 }, { 0, dc.complex(0, 12) } }
    close({ 13, 12, 5, 17, 2 }, { dc.linalg.norm(a):item(), dc.linalg.norm(a, 1):item(),
      dc.linalg.norm(a, -math.huge):item(), dc.linalg.norm(a, "nuc"):item(), dc.linalg.norm(a:reshape(4), 0):item() },
      1e-4, "norms")
    assert.equal("float32", dc.linalg.norm(a).dtype)
    assert.equal("float32", dc.linalg.norm(a, 0, 1).dtype)
  end)
end)

describe("of 16-bit floating numbers", function()
  with("blas", "products are accumulated in float32 and rounded once", function()
    for _, dtype in ipairs { "float16", "bfloat16" } do
      for _ = 1, 10 do
        local m, k, n = random(9), random(9), random(9)
        local function small() return random(-3, 3) * 1.0 end
        local a, b = plain({ m, k }, small), plain({ k, n }, small)
        local c = (lay(a, dtype)):matmul((lay(b, dtype)))
        assert.equal(dtype, c.dtype)
        check_values(times(a, b), c, dtype)
      end
      -- 1000 times 0.5 * 0.5 would stick at 128, or 64, if each sum were rounded to the dtype
      assert.equal(250, dc.full({ 1, 1000 }, 0.5, dtype):matmul(dc.full({ 1000, 1 }, 0.5, dtype)):item())
      assert.equal("float32", dc.ones(2, 2, dtype):matmul(dc.ones(2, 2)).dtype)
    end
  end)

  with("lapack", "solvers compute in float32", function()
    assert.equal("float32", dc.linalg.inv(dc.eye(3, "float16")).dtype)
    assert.equal("float32", dc.linalg.svd(dc.eye(3, "bfloat16"), { vectors = false }).dtype)
  end)
end)

-- --- graphs, memory, libraries ------------------------------------------------------------------------------------

with("blas", "a product becomes part of a graph; a solver is refused there", function()
  local a, b, c = dc.eye(4), dc.ones(4, 4), nil
  local g = dc.graph(function() c = (a * 2):matmul(b) + 1 end)
  a:fill(1)
  g()
  assert.equal(9, c[1][1])
  a:fill(0)
  g()
  assert.equal(1, c[4][4])
  if not dc.available "lapack" then return end
  fails("launch", "cannot be captured in a graph: it calls a solver", function()
    return dc.graph(function() dc.linalg.det(a) end)
  end)
end)

with("lapack", "nothing stays allocated, nor after an error", function()
  local function work()
    local a = dc.eye(50) * 2 + 1
    local b = dc.ones(50, 7)
    dc.linalg.solve(a, b)
    dc.linalg.svd(a)
    dc.linalg.eigh(a)
    dc.linalg.qr(b)
    dc.linalg.cholesky(a)
    dc.linalg.det(a)
    a:matmul(b)
    a[{ { 1, 50, 2 }, { 50, 1, -2 } }]:matmul(b[{ { 1, 25 }, ":" }])
    pcall(dc.linalg.inv, dc.ones(9, 9))
    pcall(dc.linalg.cholesky, dc.zeros(9, 9))
    pcall(dc.linalg.svd, dc.full({ 5, 4 }, 0 / 0))
  end
  work()
  collectgarbage()
  collectgarbage()
  local live = dc.stats().bytes_live
  for _ = 1, 3 do work() end
  collectgarbage()
  collectgarbage()
  assert.equal(live, dc.stats().bytes_live)
end)

it("a library that is not there is an error that says what to install", function()
  local text = helper.on_cpu("THREADS=1 DOTCOMPUTE_BLAS=off", [[
    local dc = require "dotcompute"
    local function try(...)
      local ok, err = pcall(...)
      print(ok or err.kind .. ": " .. err.message)
    end
    try(dc.matmul, dc.ones(2, 2), dc.ones(2, 2))
    try(dc.linalg.solve, dc.ones(2, 2), dc.ones(2, 2))
    print(dc.matmul(dc.ones(2, 2, "int32"), dc.ones(2, 2, "int32"))[1][1])
    print(dc.available "blas")]])
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  assert.matches("^device: .*OpenBLAS.*apt install libopenblas0%-pthread", lines[1])
  assert.equal(lines[1], lines[2])
  assert.equal("2", lines[3])
  assert.matches("^false\t.*libopenblas0%-pthread", lines[4])
end)
