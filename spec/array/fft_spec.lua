-- Fourier transforms against their definition in plain Lua: odd, prime and even lengths, any axes, any memory layout,
-- bad input.
local dc = require "dotcompute"
local helper = require "spec.helper"
local fails, note = helper.fails, helper.note

local random = math.random

local with = helper.with_library(it, pending)

-- --- complex numbers and arrays in plain Lua ----------------------------------------------------------------------

-- {shape =, re = {…}, im = {…}} in C order.
local function plain(shape, real)
  local t = { shape = shape, re = {}, im = {} }
  for i = 1, helper.product(shape) do
    t.re[i], t.im[i] = helper.f32(random() * 2 - 1), real and 0 or helper.f32(random() * 2 - 1)
  end
  return t
end

local function steps(shape)
  local list, step = {}, 1
  for d = #shape, 1, -1 do
    list[d] = step
    step = step * shape[d]
  end
  return list
end

-- Along one axis, to m values there; `sign` of the exponent, divided by `by`. What is beyond the axis counts as 0.
local function transform(t, axis, sign, by, n, m)
  local shape = table.move(t.shape, 1, #t.shape, 1, {})
  n = n or shape[axis]
  shape[axis] = m or n
  local from, to, result = steps(t.shape), steps(shape), { shape = shape, re = {}, im = {} }
  for i = 0, helper.product(shape) - 1 do
    local rest, base, q = i, 0, 0
    for d = 1, #shape do
      local k = rest // to[d]
      rest = rest % to[d]
      if d == axis then q = k else base = base + k * from[d] end
    end
    local re, im = 0, 0
    for j = 0, math.min(n, t.shape[axis]) - 1 do
      local at = base + j * from[axis] + 1
      local angle = sign * 2 * math.pi * (q * j % n) / n
      local c, s = math.cos(angle), math.sin(angle)
      re, im = re + t.re[at] * c - t.im[at] * s, im + t.re[at] * s + t.im[at] * c
    end
    result.re[i + 1], result.im[i + 1] = re / by, im / by
  end
  return result
end

local function nested(t, real, axis, at)
  axis, at = axis or 1, at or 0
  if axis > #t.shape then return real and t.re[at + 1] or dc.complex(t.re[at + 1], t.im[at + 1]) end
  local list = {}
  for i = 1, t.shape[axis] do list[i] = nested(t, real, axis + 1, at * t.shape[axis] + i - 1) end
  return list
end

local function flatten(v, list)
  if type(v) ~= "table" then list[#list + 1] = v
  else for _, x in ipairs(v) do flatten(x, list) end end
  return list
end

-- A complex array in plain Lua.
local function of(a)
  local t = { shape = { a:shape() }, re = {}, im = {} }
  for i, v in ipairs(flatten(a:to_table(), {})) do t.re[i], t.im[i] = v.re, v.im end
  return t
end

local function check(want, got, text)
  assert.same(want.shape, { got:shape() }, note(text))
  local most = (got.dtype == "complex64" or got.dtype == "float32") and 2e-6 or 1e-13
  local size = 1
  for i = 1, #want.re do size = math.max(size, math.abs(want.re[i]), math.abs(want.im[i])) end
  local list = flatten(got:to_table(), {})
  assert.equal(#want.re, #list)
  for i, v in ipairs(list) do
    local re, im = v, 0
    if type(v) ~= "number" then re, im = v.re, v.im end
    local off = math.max(math.abs(re - want.re[i]), math.abs(im - want.im[i]))
    local ok = off <= most * size * 4
    assert.is_true(ok, ok or note(("%s: element %d is %s, should be %s + %si"):format(text, i, v, want.re[i],
      want.im[i])))
  end
end

-- An array of these values in a random memory layout.
local function lay(t, dtype)
  local real = dtype:find "float" ~= nil
  local whole, kind, n = dc.array(nested(t, real), dtype), random(5), #t.shape
  if kind == 1 then return whole, "plain" end
  if kind == 2 then return whole * 1, "pending" end
  if kind == 3 then
    local axes, back = {}, {}
    for d = 1, n do table.insert(axes, random(#axes + 1), d) end
    for i, d in ipairs(axes) do back[d] = i end
    return whole:transpose(table.unpack(axes)):copy():transpose(table.unpack(back)), "permuted"
  end
  local shape, block = {}, {}
  for d, e in ipairs(t.shape) do
    local first, step = random(2), random(2)
    shape[d], block[d] = first + e * step, { first, first + (e - 1) * step, step }
    if kind == 5 and random(3) == 1 then block[d] = { first + (e - 1) * step, first, -step } end
  end
  local part = dc.full(shape, 9, dtype):slice(table.unpack(block))
  part:copy_from(whole)
  return part, kind == 5 and "backwards" or "strided"
end

local complex = { "complex64", "complex128" }
local partner = { complex64 = "float32", complex128 = "float64" }

-- --- one axis -----------------------------------------------------------------------------------------------------

describe("a transform", function()
  with("fft", "is the sum that defines it, forward and inverse, along any axis", function()
    for round = 1, 80 do
      local shape = helper.shape(random(3), round % 8 == 0 and 23 or 7)
      local t, dtype, axis = plain(shape), complex[random(2)], random(#shape)
      local x, how = lay(t, dtype)
      local text = ("%s of (%s) along %d"):format(how, table.concat(shape, ", "), axis)
      local named = axis == #shape and random(2) == 1 and nil or { axis = random(2) == 1 and axis or axis - #shape - 1 }
      local y = dc.fft.fft(x, named)
      assert.equal(dtype, y.dtype)
      check(transform(t, axis, -1, 1), y, "fft " .. text)
      check(transform(t, axis, 1, shape[axis]), dc.fft.ifft(x, named), "ifft " .. text)
      check(t, dc.fft.ifft(y, named), "there and back " .. text)
      check(t, x, "what was transformed, " .. text)
    end
  end)

  with("fft", "of real numbers gives half of the spectrum, and its inverse the numbers", function()
    for _ = 1, 60 do
      local shape = helper.shape(random(3), 9)
      local t, dtype, axis = plain(shape, true), complex[random(2)], random(#shape)
      local n = shape[axis]
      local x, how = lay(t, partner[dtype])
      local text = ("%s of (%s) along %d"):format(how, table.concat(shape, ", "), axis)
      local y = dc.fft.rfft(x, { axis = axis })
      assert.equal(dtype, y.dtype)
      check(transform(t, axis, -1, 1, n, n // 2 + 1), y, "rfft " .. text)
      check(transform(t, axis, -1, 1), dc.fft.fft(x, { axis = axis }), "fft " .. text)
      local back = dc.fft.irfft(y, { axis = axis, n = n })
      assert.equal(partner[dtype], back.dtype)
      check(t, back, "irfft " .. text)
      check(transform(t, axis, -1, 1, n, n // 2 + 1), y, "irfft's operand afterwards, " .. text)
      if n % 2 == 0 then check(t, dc.fft.irfft(y, { axis = axis }), "irfft " .. text) end
    end
  end)

  with("fft", "to real numbers takes any memory layout, and ignores imaginary parts that must be 0", function()
    for _ = 1, 30 do
      local shape = helper.shape(random(2), 8)
      local t, dtype, axis = plain(shape), complex[random(2)], random(#shape)
      local n = random(1, 2 * shape[axis] - 1)
      local x, how = lay(t, dtype)
      -- the whole: what is missing is the conjugate of what is there
      local half = n // 2 + 1
      local wide = table.move(shape, 1, #shape, 1, {})
      wide[axis] = n
      local whole, from, to = { shape = wide, re = {}, im = {} }, steps(shape), steps(wide)
      for i = 0, helper.product(wide) - 1 do
        local rest, at, q = i, 0, 0
        for d = 1, #wide do
          local k = rest // to[d]
          rest = rest % to[d]
          if d == axis then q = k else at = at + k * from[d] end
        end
        local source = q < half and q or n - q
        at = at + source * from[axis] + 1
        whole.re[i + 1] = t.re[at]
        whole.im[i + 1] = (source == 0 or 2 * source == n) and 0 or q < half and t.im[at] or -t.im[at]
      end
      local want = transform(whole, axis, 1, n)
      for i = 1, #want.im do assert(math.abs(want.im[i]) < 1e-9) end
      check(want, dc.fft.irfft(x, { axis = axis, n = n }), ("%s of (%s) along %d to %d"):format(how,
        table.concat(shape, ", "), axis, n))
    end
  end)

  with("fft", "cuts the axis to n points or pads it with zeros", function()
    for _ = 1, 30 do
      local shape = helper.shape(random(2), 9)
      local t, axis, n = plain(shape), random(#shape), random(14)
      local x = lay(t, "complex128")
      check(transform(t, axis, -1, 1, n), dc.fft.fft(x, { axis = axis, n = n }), "fft to " .. n)
      check(transform(t, axis, 1, n, n), dc.fft.ifft(x, { axis = axis, n = n }), "ifft to " .. n)
      local r = plain(shape, true)
      check(transform(r, axis, -1, 1, n, n // 2 + 1), dc.fft.rfft(lay(r, "float64"), { axis = axis, n = n }),
        "rfft to " .. n)
    end
  end)

  with("fft", "of other dtypes is complex64, of 64-bit ones complex128", function()
    for dtype, want in pairs { bool = "complex64", int8 = "complex64", uint32 = "complex64", int64 = "complex128",
                               float16 = "complex64", bfloat16 = "complex64", float64 = "complex128" } do
      local y = dc.fft.fft(dc.ones(4):to(dtype))
      assert.equal(want, y.dtype)
      assert.same({ 4, 0, 0, 0 }, dc.real(y):to_table())
      assert.equal(want, dc.fft.rfft(dc.ones(4):to(dtype)).dtype)
      assert.equal(partner[want], dc.fft.irfft(dc.ones(4):to(dtype)).dtype)
    end
    assert.same({ 6, 0, 0 }, dc.real(dc.fft.fft { 2, 2, 2 }):to_table())
  end)

  with("fft", "of many columns, and of more points than fit one call of the library", function()
    for _, dtype in ipairs(complex) do
      local n, m = random(64, 90), random(8, 40)
      local t, r = plain({ n, m }), plain({ 2, n, m }, true)
      local x, y = dc.array(nested(t), dtype), dc.array(nested(r, true), partner[dtype])
      check(transform(t, 1, -1, 1), dc.fft.fft(x, { axis = 1 }), "fft of columns")
      check(transform(t, 1, 1, n), dc.fft.ifft(x, { axis = 1 }), "ifft of columns")
      check(transform(r, 2, -1, 1, n, n // 2 + 1), dc.fft.rfft(y, { axis = 2 }), "rfft of columns")
      check(r, dc.fft.irfft(dc.fft.rfft(y, { axis = 2 }), { axis = 2, n = n }), "irfft of columns")
      check(t, x, "what was transformed")
      local cut = x[{ ":", { 2, m - 1, 2 } }]
      check(transform(of(cut), 1, -1, 1), dc.fft.fft(cut, { axis = 1 }), "fft of every other column")
    end
    local t = plain({ 70, 66 })
    check(transform(transform(t, 1, -1, 1), 2, -1, 1), dc.fft.fft2(dc.array(nested(t), "complex128")), "fft2")
    t = plain({ 20, 2, 18, 17 })
    local want = t
    for d = 1, 4 do want = transform(want, d, -1, 1) end
    check(want, dc.fft.fftn(dc.array(nested(t), "complex128")), "fftn")
  end)

  with("fft", "of long rows and of many rows is right", function()
    for _, n in ipairs { 1009, 4096, 30030 } do -- a wave is one line, whatever the length
      local k = random(n // 2 - 1)
      local angle = dc.arange(0, n - 1, 1, "float64") * (2 * math.pi * k / n)
      local y = dc.abs(dc.fft.rfft(dc.cos(angle)))
      assert.equal(k + 1, y:argmax():item())
      assert.is_true(math.abs(y[k + 1] - n / 2) < 1e-6 * n)
      y[k + 1] = 0
      assert.is_true(y:max():item() < 1e-6 * n)
    end
    local many = dc.fft.fft(dc.ones(5000, 3))
    assert.equal(15000, dc.real(many):sum():item())
    local plans = 0 -- more lengths than plans are kept
    for n = 1, 40 do
      local y = dc.fft.ifft(dc.fft.fft(dc.ones(n, "complex64")))
      plans = plans + (dc.allclose(y, dc.ones(n)) and 1 or 0)
    end
    assert.equal(40, plans)
  end)
end)

-- --- several axes ---------------------------------------------------------------------------------------------------

describe("transforms along several axes", function()
  with("fft", "are transforms along one axis after the other", function()
    for _ = 1, 40 do
      local shape = helper.shape(random(1, 4), 4)
      local t, dtype = plain(shape), complex[random(2)]
      local x, how = lay(t, dtype)
      local axes, want, back = {}, t, t
      for d = 1, #shape do if random(3) > 1 then table.insert(axes, random(#axes + 1), d) end end
      if #axes == 0 then axes[1] = 1 end
      for _, d in ipairs(axes) do
        want, back = transform(want, d, -1, 1), transform(back, d, 1, shape[d])
      end
      local text = ("%s of (%s) along %s"):format(how, table.concat(shape, ", "), table.concat(axes, ", "))
      check(want, dc.fft.fftn(x, { axes = axes }), "fftn " .. text)
      check(back, dc.fft.ifftn(x, { axes = axes }), "ifftn " .. text)
      want = t
      for d = 1, #shape do want = transform(want, d, -1, 1) end
      check(want, dc.fft.fftn(x), "fftn " .. text)
      check(t, dc.fft.ifftn(dc.fft.fftn(x)), "there and back " .. text)
      if #shape >= 2 then
        check(transform(transform(t, #shape, -1, 1), #shape - 1, -1, 1), dc.fft.fft2(x), "fft2 " .. text)
        check(transform(transform(t, #shape, 1, shape[#shape]), #shape - 1, 1, shape[#shape - 1]), dc.fft.ifft2(x),
          "ifft2 " .. text)
      end
    end
    local r = plain({ 4, 3 }, true)
    check(transform(transform(r, 1, -1, 1), 2, -1, 1), dc.fft.fft2(dc.array(nested(r, true))), "of real numbers")
    check(transform(transform(r, 1, -1, 1, 6), 2, -1, 1, 2), dc.fft.fft2(dc.array(nested(r, true)), { n = { 6, 2 } }),
      "of other lengths")
  end)
end)

-- The first m along an axis.
local function cut(t, axis, m)
  local shape = table.move(t.shape, 1, #t.shape, 1, {})
  shape[axis] = m
  local from, to, result = steps(t.shape), steps(shape), { shape = shape, re = {}, im = {} }
  for i = 0, helper.product(shape) - 1 do
    local rest, at = i, 1
    for d = 1, #shape do
      at = at + rest // to[d] * from[d]
      rest = rest % to[d]
    end
    result.re[i + 1], result.im[i + 1] = t.re[at], t.im[at]
  end
  return result
end

-- Different axes of an array, in any order.
local function some_axes(ndim)
  local axes = {}
  for d = 1, ndim do table.insert(axes, random(#axes + 1), d) end
  return table.move(axes, 1, random(ndim), 1, {})
end

describe("transforms of real numbers along several axes", function()
  with("fft", "are half of the spectrum along the last axis given, and their inverses the numbers", function()
    for round = 1, 60 do
      local shape = helper.shape(random(1, 4), 5)
      local t, dtype, axes, n = plain(shape, true), complex[random(2)], some_axes(#shape), nil
      local x, how = lay(t, partner[dtype])
      if round % 3 == 0 then
        n = {}
        for i = 1, #axes do n[i] = random(7) end
      end
      local want, points, half = t, {}, nil
      for i, d in ipairs(axes) do
        points[i] = n and n[i] or shape[d]
        want = transform(want, d, -1, 1, points[i])
        if i == #axes then half = cut(want, d, points[i] // 2 + 1) end
      end
      local text = ("%s of (%s) along %s to %s"):format(how, table.concat(shape, ", "), table.concat(axes, ", "),
        table.concat(points, ", "))
      local y = dc.fft.rfftn(x, { axes = axes, n = n })
      assert.equal(dtype, y.dtype)
      check(half, y, "rfftn " .. text)
      local back = dc.fft.irfftn(y, { axes = axes, n = points })
      assert.equal(partner[dtype], back.dtype)
      for i, d in ipairs(axes) do want = transform(want, d, 1, points[i]) end
      check(want, back, "irfftn " .. text)
      check(half, y, "irfftn's operand afterwards, " .. text)
      if points[#axes] % 2 == 0 then check(want, dc.fft.irfftn(y, { axes = axes }), "irfftn " .. text) end
      check(t, x, "what was transformed, " .. text)
    end
  end)

  with("fft", "take the last two axes, or all, by default", function()
    local shape = { random(3), random(5), 2 * random(4) }
    local t = plain(shape, true)
    local x = lay(t, "float64")
    local want = transform(transform(t, 2, -1, 1), 3, -1, 1)
    check(cut(want, 3, shape[3] // 2 + 1), dc.fft.rfft2(x), "rfft2")
    check(t, dc.fft.irfft2(dc.fft.rfft2(x)), "irfft2")
    check(cut(transform(want, 1, -1, 1), 3, shape[3] // 2 + 1), dc.fft.rfftn(x), "rfftn")
    check(t, dc.fft.irfftn(dc.fft.rfftn(x)), "irfftn")
    assert.same({ 0, 3, 3 }, { dc.fft.rfft2(dc.zeros(0, 3, 4)):shape() })
  end)
end)

describe("option 'norm'", function()
  with("fft", "divides forward or inverse transforms by the number of points, or both by its root", function()
    for _ = 1, 40 do
      local shape = helper.shape(random(1, 3), 6)
      local t, axes = plain(shape), some_axes(#shape)
      local r = plain(shape, true)
      local x, y = lay(t, "complex128"), lay(r, "float64")
      local last, total = axes[#axes], 1
      for _, d in ipairs(axes) do total = total * shape[d] end
      local forward = { backward = 1, ortho = math.sqrt(total), forward = total }
      local inverse = { backward = total, ortho = math.sqrt(total), forward = 1 }
      local norm = ({ "backward", "ortho", "forward" })[random(3)]
      local o = { axes = axes, norm = norm }
      local want, back, real = t, t, r
      for i, d in ipairs(axes) do
        want = transform(want, d, -1, i == 1 and forward[norm] or 1)
        back = transform(back, d, 1, i == 1 and inverse[norm] or 1)
        real = transform(real, d, -1, i == 1 and forward[norm] or 1)
      end
      local half = cut(real, last, shape[last] // 2 + 1)
      local text = ("%s along %s of (%s)"):format(norm, table.concat(axes, ", "), table.concat(shape, ", "))
      check(want, dc.fft.fftn(x, o), "fftn " .. text)
      check(back, dc.fft.ifftn(x, o), "ifftn " .. text)
      check(half, dc.fft.rfftn(y, o), "rfftn " .. text)
      local n = {}
      for i, d in ipairs(axes) do n[i] = shape[d] end
      check(r, dc.fft.irfftn(dc.fft.rfftn(y, o), { axes = axes, norm = norm, n = n }), "irfftn " .. text)
      if #axes == 2 then check(want, dc.fft.fft2(x, o), "fft2 " .. text) end
      if #axes == 1 then
        o = { axis = last, norm = norm }
        check(want, dc.fft.fft(x, o), "fft " .. text)
        check(back, dc.fft.ifft(x, o), "ifft " .. text)
        check(half, dc.fft.rfft(y, o), "rfft " .. text)
        check(r, dc.fft.irfft(dc.fft.rfft(y, o), { axis = last, norm = norm, n = shape[last] }), "irfft " .. text)
      end
    end
    local m = random(5, 9) -- the number of points is that of option n, not the axis's
    local t = plain { 4 }
    check(transform(t, 1, -1, m, m), dc.fft.fft(lay(t, "complex128"), { n = m, norm = "forward" }), "of n points")
  end)

  with("fft", "has its default where it is not given, and no other values", function()
    local x = dc.random.uniform(4, 6, { dtype = "float64" })
    for _, name in ipairs { "fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn",
                            "rfftn", "irfftn" } do
      assert.is_true(dc.allclose(dc.fft[name](x), dc.fft[name](x, { norm = "backward" }), 0, 0))
      for _, v in ipairs { "Ortho", 1, false, dc.ones(2) } do
        fails("argument", name .. [[: option 'norm' is "backward", "ortho" or "forward", got ]], function()
          dc.fft[name](x, { norm = v })
        end)
      end
    end
  end)
end)

-- --- bad input ----------------------------------------------------------------------------------------------------

describe("a transform refuses", function()
  it("arguments that do not fit", function()
    local a = dc.ones(3, 4)
    for _, name in ipairs { "fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn",
                            "rfftn", "irfftn" } do
      local f = dc.fft[name]
      local several_axes = name:find "[2n]$"
      fails("argument", several_axes and name .. ": an array or a table is expected for the first argument, got nil"
        or "' takes an array, perhaps an axis and options, got 0", function() f() end)
      fails("argument", name .. ": .* expected for the first argument, got the string 'x'", function() f "x" end)
      fails("dtype", name .. ": the first argument is an array of numbers, got one of structs", function()
        f(dc.vector "float2":array(4))
      end)
      fails("shape", name .. ": the first argument: ragged table", function() f { { 1, 2 }, { 3 } } end)
      fails("argument", name .. ": there is no option 'axs' %(did you mean 'ax[ei]s'%?%)",
        function() f(a, { axs = 1 }) end)
      local closed = dc.ones(3, 4)
      closed:close()
      fails("argument", "closed", function() f(closed) end)
    end
    for _, name in ipairs { "fft", "ifft", "rfft", "irfft" } do
      local f = dc.fft[name]
      fails("argument", "a table of options expected, got the number 2", function() f(a, 1, 2) end)
      fails("index", name .. ": axis 3 is out of range: there are 2", function() f(a, { axis = 3 }) end)
      fails("index", "axis 0 is out of range", function() f(a, { axis = 0 }) end)
      fails("shape", "an array without axes has none", function() f(dc.array(1)) end)
      fails("argument", "an axis is an integer, got the number 1.5", function() f(a, { axis = 1.5 }) end)
      fails("argument", "an axis is an integer, got the string", function() f(a, { axis = "x" }) end)
      fails("argument", "points is an integer", function() f(a, { n = 2.5 }) end)
      fails("shape", "a transform of 0 points", function() f(a, { n = 0 }) end)
      fails("shape", "a transform of %-3 points", function() f(a, { n = -3 }) end)
      fails("shape", "points", function() f(dc.zeros(3, 0)) end)
      fails("memory", "cannot allocate", function() f(a, { n = 1 << 50 }) end)
    end
    fails("shape", "a transform of 0 points", function() dc.fft.irfft(dc.ones(1)) end)
    for _, name in ipairs { "fft2", "ifft2", "rfft2", "irfft2", "fftn", "rfftn", "irfftn" } do
      local f = dc.fft[name]
      fails("argument", "axis 1 is named twice", function() f(a, { axes = { 1, 1 } }) end)
      fails("argument", "axis %-2 is named twice", function() f(a, { axes = { 1, -2 } }) end)
      fails("index", "out of range", function() f(a, { axes = { 1, 5 } }) end)
      fails("argument", "'axes' is a list of axes", function() f(a, { axes = 1 }) end)
      fails("argument", "'n' is a list of as many numbers as there are axes, 2", function() f(a, { n = { 3 } }) end)
      fails("argument", "points is an integer, got the number 2.5", function() f(a, { n = { 3, 2.5 } }) end)
      fails("shape", "a transform of 0 points", function() f(a, { n = { 3, 0 } }) end)
      fails("shape", name .. ": a transform of %-?%d points", function() f(dc.zeros(3, 0)) end)
    end
    fails("index", "fft2: axis %-2 is out of range: there is 1", function() dc.fft.fft2(dc.ones(3)) end)
    fails("shape", "fftn: a transform needs an axis; an array without axes has none$", function()
      dc.fft.fftn(dc.array(1))
    end)
    for _, name in ipairs { "rfft", "rfft2", "rfftn" } do
      fails("dtype", name .. " is for real numbers, this array is complex64; use " .. name:sub(2) .. "$", function()
        dc.fft[name](dc.ones(3, 2, "complex64"))
      end)
    end
    fails("shape", "irfftn: a transform of 0 points", function() dc.fft.irfftn(dc.ones(3, 1)) end)
    fails("index", "dc.fft has no 'dct'", function() local _ = dc.fft.dct end)
  end)

  with("fft", "neither arrays without rows nor NaN", function()
    assert.same({ 0, 4 }, { dc.fft.fft(dc.zeros(0, 4)):shape() })
    assert.same({ 0, 3 }, { dc.fft.rfft(dc.zeros(0, 4)):shape() })
    assert.same({ 0, 6 }, { dc.fft.irfft(dc.zeros(0, 4)):shape() })
    local y = dc.fft.fft { { 1, 2, 3 }, { 1, 0 / 0, 3 } }
    assert.is_true(dc.isfinite(y[1]):all())
    assert.is_false(dc.isfinite(y[2]):any())
  end)

  with("fft", "to be part of a graph", function()
    fails("launch", "cannot be captured in a graph: it calls a library for Fourier transforms", function()
      dc.graph(function() dc.fft.fft(dc.ones(4, "complex64")) end)
    end)
    assert.equal(4, dc.real(dc.fft.fft(dc.ones(4)))[1])
  end)
end)

with("fft", "transforms leak no memory", function()
  local function work()
    local a = dc.ones(6, 8)
    for _, name in ipairs { "fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn" } do
      dc.fft[name](a):eval()
      dc.fft[name](a.T):eval()
    end
  end
  helper.gives_back(work)
end)

it("a missing FFTW is an error that says what to install", function()
  local text = helper.on_cpu("THREADS=1 DOTCOMPUTE_FFTW=off", [[
    local dc = require "dotcompute"
    for _, dtype in ipairs { "complex64", "complex128" } do
      local ok, err = pcall(dc.fft.fft, dc.ones(4, dtype))
      print(ok or err.kind .. ": " .. err.message)
    end
    print(dc.available "fft")]])
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  assert.matches("^device: .*FFTW 3.*apt install libfftw3%-single3", lines[1])
  assert.matches("^device: .*apt install libfftw3%-double3", lines[2])
  assert.matches("^false\t.*FFTW 3", lines[3])
end)
