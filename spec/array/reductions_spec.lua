-- Reductions: each against plain Lua, over all elements, an axis and lists of axes, in every memory layout; the
-- accuracy of long sums; what is fused into one kernel.
local dc = require "dotcompute"
local h = require "spec.helper"
local o = require "spec.oracle"
local note, fails = h.note, h.fails

local array, product, map = o.array, h.product, h.map

local function flatten(t, into)
  into = into or {}
  if type(t) ~= "table" then
    into[#into + 1] = t
    return into
  end
  for i = 1, #t do flatten(t[i], into) end
  return into
end

-- The elements of each result, in the order in which they are reduced; and the result's shape.
local function groups_of(values, shape, axes, keep)
  local reduced = {}
  for axis = 1, #shape do reduced[axis] = axes == nil end
  for _, axis in ipairs(axes or {}) do reduced[axis < 0 and axis + #shape + 1 or axis] = true end
  local result, steps, step = {}, {}, 1
  for axis = #shape, 1, -1 do
    steps[axis] = reduced[axis] and 0 or step
    if not reduced[axis] then step = step * shape[axis] end
  end
  for axis = 1, #shape do
    if not reduced[axis] then result[#result + 1] = shape[axis] elseif keep then result[#result + 1] = 1 end
  end
  local groups, at, index = {}, 1, {}
  for i = 1, step do groups[i] = {} end
  for axis = 1, #shape do index[axis] = 0 end
  for i = 1, #values do
    local group = groups[at]
    group[#group + 1] = values[i]
    for axis = #shape, 1, -1 do
      index[axis], at = index[axis] + 1, at + steps[axis]
      if index[axis] < shape[axis] then break end
      index[axis], at = 0, at - shape[axis] * steps[axis]
    end
  end
  return groups, result
end

local function nonzero(x) return x ~= false and x ~= 0 end
local function number(x) return x == true and 1 or x or 0 end

local function extreme(dtype, direction, position)
  return function(t)
    local best = 1
    for i = 1, #t do
      if t[i] ~= t[i] then
        best = i
        break
      end
      if o.compare(t[i], dtype, t[best], dtype) == direction then best = i end
    end
    return position and best or t[best]
  end
end

local function real(x, dtype) return dtype == "uint64" and o.unsigned_float(x) or number(x) + 0.0 end

-- What is right for the elements t of a dtype, and how far off a result may be (nil: not at all).
local function right(name, t, dtype, ddof)
  local kind = o.kind[dtype]
  local n = #t
  if name == "min" then return extreme(dtype, -1)(t) elseif name == "max" then return extreme(dtype, 1)(t)
  elseif name == "argmin" then return extreme(dtype, -1, true)(t)
  elseif name == "argmax" then return extreme(dtype, 1, true)(t) end
  if name == "any" or name == "all" or name == "count" then
    local count = 0
    for i = 1, n do if nonzero(t[i]) then count = count + 1 end end
    if name == "count" then return count end
    if name == "any" then return count > 0 end
    return count == n
  end
  if kind ~= "f" and (name == "sum" or name == "prod") then
    local r = name == "sum" and 0 or 1
    for i = 1, n do
      local x = number(t[i])
      if name == "sum" then r = r + x else r = r * x end
    end
    return r
  end
  local eps = o.epsilon[kind == "f" and dtype or o.bits[dtype] == 64 and "float64" or "float32"] / 2
  local sum, size, power = 0.0, 0.0, 1.0
  for i = 1, n do
    local x = real(t[i], dtype)
    sum, size, power = sum + x, size + math.abs(x), power * x
  end
  if name == "sum" then return sum, 100 * eps * size end
  if name == "prod" then return power, 2 * (n + 2) * eps * math.abs(power) + n * o.least[o.part[dtype] or "float32"] end
  if name == "mean" then return sum / n, 100 * eps * size / n end
  local mean, squares = sum / n, 0.0
  for i = 1, n do
    local d = real(t[i], dtype) - (name == "norm" and 0 or mean)
    squares = squares + d * d
  end
  if name == "norm" then return math.sqrt(squares), 100 * eps * math.sqrt(squares) end
  local var = (n - ddof <= 0) and 0 / 0 or squares / (n - ddof)
  local off = 100 * eps * (var + (100 * eps * size / n) ^ 2) + 1e-300
  if name == "var" then return var, off end
  return math.sqrt(var), var > 0 and off / math.sqrt(var) or math.sqrt(off)
end

-- Checks one reduction of e, whose elements in C order are values.
local function check(e, values, shape, dtype, name, axes, keep, ddof, text)
  local argument
  if axes and #axes == 1 and not keep and not ddof and math.random(2) == 1 then argument = axes[1]
  elseif axes or keep or ddof then
    argument = { table.unpack(axes or {}) }
    argument.keep, argument.ddof = keep, ddof
  end
  local r
  if argument == nil then r = e[name](e) else r = e[name](e, argument) end
  if name == "any" or name == "all" then -- a Lua boolean over everything, else an array
    local whole = not keep and (not axes or #axes == 0)
    assert.equal(whole and "boolean" or "userdata", type(r), text)
    if whole then r = dc.array(r) end
  end
  local groups, result = groups_of(values, shape, axes, keep)
  assert.same(result, { r:shape() }, text)
  local got = flatten(r:to_table())
  assert.equal(#groups, #got, note(text))
  for i = 1, #groups do
    local want, off = right(name, groups[i], dtype, ddof or 0)
    local good = o.same(want, got[i])
    if off and not good then good = math.abs(want - got[i]) <= off + math.abs(o.epsilon[r.dtype] * want) end
    if not off and want == 0 then good = got[i] == 0 end -- the sign of a zero is unspecified
    if not good then
      error(note(("%s %s of %s (%s) axes {%s}%s: result %d is %s, should be %s"):format(text, name, dtype,
        table.concat(shape, ","), axes and table.concat(axes, ",") or "all", keep and " keep" or "", i,
        o.show(got[i]), o.show(want))), 2)
    end
  end
end

local exact = { "sum", "prod", "min", "max", "any", "all", "count", "argmin", "argmax" }
local every = { "sum", "prod", "min", "max", "any", "all", "count", "argmin", "argmax", "mean", "var", "std", "norm" }
local function places_only(name) return name == "argmin" or name == "argmax" end
local function some(dtype) return o.kind[dtype] == "f" and every or exact end
local function pick(list) return list[math.random(#list)] end

-- Values without overflow in sums and products.
local function values_of(n, dtype)
  if o.kind[dtype] ~= "f" then return o.values(n, dtype, math.random(2) == 1) end
  local t = {}
  for i = 1, n do t[i] = o.round[dtype](math.random() * 2 - 0.7) end
  return t
end

-- An array with these elements, lying in memory in some way: a function of the values, the shape and the dtype.
local layouts = {
  contiguous = function(values, shape, dtype) return array(values, dtype, shape) end,
  transposed = function(values, shape, dtype)
    local back, n = {}, #shape
    for i = 1, n do back[i] = shape[n + 1 - i] end
    local whole = dc.zeros(back, dtype)
    whole.T[":"] = array(values, dtype, shape)
    return whole.T
  end,
  sliced = function(values, shape, dtype)
    local larger, block = {}, {}
    for i, extent in ipairs(shape) do
      local step = math.random(2, 3)
      larger[i], block[i] = extent * step + 2, { 2, extent * step - step + 2, step }
    end
    local a = dc.ones(larger, dtype):slice(table.unpack(block))
    a[":"] = array(values, dtype, shape)
    return a
  end,
  reversed = function(values, shape, dtype)
    local block = {}
    for i in ipairs(shape) do block[i] = { -1, 1, -1 } end
    local a = dc.zeros(shape, dtype):slice(table.unpack(block))
    a[":"] = array(values, dtype, shape)
    return a
  end,
  shifted = function(values, shape, dtype) -- one element off what it was aligned to
    local a = dc.zeros(#values + 1, dtype):slice { 2, -1 }:reshape(shape)
    a[":"] = array(values, dtype, shape)
    return a
  end,
}
local names = { "contiguous", "transposed", "sliced", "reversed", "shifted" }

describe("a reduction", function()
  it("of all elements is right for every length", function()
    for _, dtype in ipairs { "float32", "int32" } do
      for _, n in ipairs { 1, 2, 7, 8, 31, 33, 1000, 4097, 70000 } do
        local values = values_of(n, dtype)
        local a = array(values, dtype)
        local list = { pick { "sum", "max", "argmin" }, pick(some(dtype)) }
        for _, name in ipairs(list) do check(a, values, { n }, dtype, name, nil, nil, nil, "contiguous") end
      end
    end
  end)

  it("of every dtype is right, over all and over an axis", function()
    for _, dtype in ipairs(o.dtypes) do
      if o.kind[dtype] ~= "c" then
        local shape = { 9, 14 }
        local values = values_of(126, dtype)
        local a = array(values, dtype, shape)
        check(a, values, shape, dtype, pick(some(dtype)), nil, nil, nil, "all")
        for _ = 1, 2 do check(a, values, shape, dtype, pick(some(dtype)), { math.random(2) }, nil, nil, "axis") end
      end
    end
  end)

  it("gives the documented dtype", function()
    for _, dtype in ipairs(o.dtypes) do
      local kind, a = o.kind[dtype], dc.ones(2, 3, dtype)
      local sum = (kind == "f" or kind == "c") and dtype or kind == "u" and "uint64" or "int64"
      local mean = o.division_dtype(dtype)
      assert.equal(sum, a:sum().dtype)
      assert.equal(sum, a:prod(1).dtype)
      assert.equal(mean, a:mean(2).dtype)
      local spread = kind == "c" and o.part[dtype] or mean
      for _, name in ipairs { "var", "std" } do assert.equal(spread, a[name](a).dtype) end
      assert.equal(kind == "c" and o.part[dtype] or o.float_dtype(dtype), a:norm().dtype)
      assert.equal("bool", a:any(1).dtype)
      assert.equal("bool", a:all(1).dtype)
      assert.equal("int64", a:count().dtype)
      if kind ~= "c" then
        assert.equal(dtype, a:min().dtype)
        assert.equal("int64", a:argmax(1).dtype)
      end
    end
  end)

  it("of integers wraps at 64 bits and does not before", function()
    local top = math.maxinteger
    assert.equal(2 * 2147483647, array({ 2147483647, 2147483647 }, "int32"):sum():item())
    assert.equal(-256, array({ -128, -128 }, "int8"):sum():item())
    assert.equal(2147483647 * 2147483647, array({ 2147483647, 2147483647 }, "int32"):prod():item())
    assert.equal(top + 1, array({ top, 1 }, "int64"):sum():item())
    assert.equal(-2, array({ -1, -1 }, "uint64"):sum():item())
    assert.equal(8589934590, array({ 4294967295, 4294967295 }, "uint32"):sum():item())
    assert.equal(3, dc.array { true, true, false, true }:sum():item())
    assert.equal(top + 0.0, array({ top, top, top }, "int64"):mean():item()) -- a mean does not wrap
    assert.equal(2.0 ^ 64, array({ -1, -1, -1 }, "uint64"):mean():item())
    assert.equal(2147483647.0 // 1, array({ 2147483647, 2147483645 }, "int32"):to "int64":mean():item() + 1)
  end)

  for _, layout in ipairs(names) do
    it("over any axes is right, " .. layout, function()
      for dims = 1, 4 do
        local dtype = dims % 2 == 0 and "float32" or "int32"
        local shape = {}
        for i = 1, dims do shape[i] = pick { 1, 2, 3, 5, 7, 8 } end
        if dims == 2 then shape = pick { { 31, 33 }, { 33, 8 }, { 7, 100 } } end
        local n = product(shape)
        local values = values_of(n, dtype)
        local a = layouts[layout](values, shape, dtype)
        local function axes_of()
          local axes = {}
          for axis = 1, dims do
            if math.random(2) == 1 then
              table.insert(axes, math.random(#axes + 1), math.random(3) == 1 and axis - dims - 1 or axis)
            end
          end
          return #axes > 0 and axes or nil
        end
        for _ = 1, math.random(2) do
          local axes, keep = axes_of(), math.random(3) == 1 or nil
          local name = pick(some(dtype))
          if axes and #axes > 1 and places_only(name) then name = "max" end
          check(a, values, shape, dtype, name, axes, keep, nil, layout)
        end
        check(a, values, shape, dtype, pick { "sum", "max" }, { pick { 1, dims } }, true, nil, layout)
      end
    end)
  end

  it("of few long rows and of many short ones is right", function()
    local layout = pick(names)
    for _, shape in ipairs { { 3, 20011 }, { 20011, 3 }, { 2, 4097 }, { 4097, 2 }, { 1, 1000 }, { 1000, 1 },
      { 300, 33 }, { 2, 3000, 3 }, { 70, 1, 70 } } do
      local values = values_of(product(shape), "float32")
      for i = 1, #values, 1009 do values[i] = 9.0 - i / 65536 end
      local a = layouts[layout](values, shape, "float32")
      for axis = 1, #shape do
        check(a, values, shape, "float32", pick { "sum", "max", "argmax", "var" }, { axis }, nil, nil, layout)
      end
    end
  end)

  it("of a broadcast array counts each repetition", function()
    local row, column = values_of(7, "float32"), values_of(5, "int32")
    local values, whole = {}, {}
    for i = 1, 5 do for j = 1, 7 do
      values[#values + 1] = row[j]
      whole[#whole + 1] = column[i]
    end end
    local a = array(row, "float32"):broadcast_to(5, 7)
    local b = array(column, "int32", { 5, 1 }):broadcast_to(5, 7)
    for _, axes in ipairs { { 1 }, { 2 }, { 1, 2 } } do
      check(a, values, { 5, 7 }, "float32", "sum", axes, nil, nil, "broadcast")
      check(b, whole, { 5, 7 }, "int32", "sum", axes, true, nil, "broadcast")
    end
    check(b, whole, { 5, 7 }, "int32", "argmax", { 1 }, nil, nil, "broadcast")
  end)

  it("takes ddof in var and std alone", function()
    local values = values_of(24, "float64")
    local a = array(values, "float64", { 4, 6 })
    for _, ddof in ipairs { 0, 1, 2 } do
      check(a, values, { 4, 6 }, "float64", "var", { 1 }, nil, ddof, "ddof")
      check(a, values, { 4, 6 }, "float64", "std", nil, nil, ddof, "ddof")
    end
    local one = dc.ones(1):var { ddof = 1 }:item()
    assert.is_true(one ~= one)
    assert.equal(0.0, dc.ones(1):var():item())
    fails("argument", "ddof", function() return a:sum { 1, ddof = 1 } end)
    fails("argument", "ddof", function() return a:var { 1, ddof = "x" } end)
    fails("argument", "ddof", function() return a:var { 1, ddof = {} } end)
  end)

  it("computes a small variance beside a large mean", function()
    local t = {}
    for i = 1, 1000 do t[i] = 4096 + (i % 2 == 0 and 1.0 or -1.0) end
    assert.near(1, dc.array(t):var():item(), 1e-4)
    assert.near(1, dc.array(t):reshape(2, 500):var(2)[1], 1e-4)
    assert.near(1, dc.array(t):reshape(500, 2):var(1)[2] + dc.array(t):reshape(500, 2):std(2)[3], 1e-4)
  end)

  it("propagates NaN; argmin and argmax name the first of equals", function()
    local nan = 0 / 0
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      for _, n in ipairs { 5, 100, 5000 } do
        local t = {}
        for i = 1, n do t[i] = 1.0 end
        local place, other = math.random(n), math.random(n)
        t[place], t[other] = nan, nan
        local a = array(t, dtype)
        for _, name in ipairs { "min", "max", "sum", "mean", "prod" } do
          local got = a[name](a):item()
          assert.is_true(got ~= got, note(name))
        end
        assert.equal(math.min(place, other), a:argmax():item())
        assert.equal(math.min(place, other), a:argmin():item())
        assert.is_true(a:any())
        assert.equal(n, a:count():item())
      end
    end
    for _, n in ipairs { 2, 33, 3000 } do
      local low, high, t = math.random(n), math.random(n), {}
      for i = 1, n do t[i] = i < high and 3 or 4 end
      local a = array(t, "int32")
      assert.equal(high, a:argmax():item(), note())
      for i = 1, n do t[i] = i < low and -3.0 or -4.0 end
      assert.equal(low, array(t, "float32"):argmin():item(), note())
    end
    assert.equal(1, dc.array({ 0.0, -0.0 }):argmin():item())
    assert.equal(2, dc.array({ 1, -1 / 0, 0 }):argmin():item())
    assert.equal(2, dc.array({ 1, 1 / 0, 0 }):argmax():item())
  end)

  it("argmin and argmax name the first position, in rows of any length", function()
    for dtype, limits in pairs { float32 = { -1 / 0, 1 / 0 }, float16 = { -1 / 0, 1 / 0 }, float64 = { -1 / 0, 1 / 0 },
      int32 = h.integers.int32, int8 = h.integers.int8, uint32 = h.integers.uint32, bool = { false, true } } do
      for _, n in ipairs { 1, math.random(2, 300), math.random(4096, 9000) } do
        for i, name in ipairs { "argmax", "argmin" } do
          local same = dc.full(n, limits[i], dtype)
          assert.equal(1, same[name](same):item(), note(name .. " " .. dtype))
          local rows = dc.full({ 2, n }, limits[i], dtype)
          local at = math.random(n)
          rows[{ 2, at }] = limits[3 - i]
          assert.same({ 1, at }, rows[name](rows, 2):to_table(), note(name .. " " .. dtype))
          assert.same({ 1, at }, rows.T[name](rows.T, 1):to_table(), note(name .. " " .. dtype))
        end
      end
    end
  end)

  it("of long rows counts every element once, wherever blocks divide them", function()
    for _, shape in ipairs { { 1, (1 << 21) + math.random(-3, 3) }, { 3, math.random(1 << 18, 1 << 19) },
      { math.random(500, 1024), 4097 }, { 1056, 4097 }, { 1057, 4097 } } do
      local rows, length = shape[1], shape[2]
      local x = dc.arange(1, rows * length, "int64"):reshape(rows, length) -- pending: without memory
      for _, a in ipairs { x, x:copy(), x.T:copy().T } do
        local sums, tops, places = a:sum(2):to_table(), a:max(2):to_table(), a:argmax(2):to_table()
        for i = 1, rows do
          assert.equal((i - 1) * length * length + length * (length + 1) // 2, sums[i], note(rows .. " " .. length))
          assert.equal(i * length, tops[i])
          assert.equal(length, places[i])
        end
      end
    end
  end)

  it("of no elements is the identity, or an error where there is none", function()
    local a, rows, columns = dc.zeros(0), dc.zeros(3, 0), dc.zeros(0, 3)
    assert.equal(0.0, a:sum():item())
    assert.equal(1.0, a:prod():item())
    assert.equal(0, a:count():item())
    assert.is_false(a:any())
    assert.is_true(a:all())
    local mean = a:mean():item()
    assert.is_true(mean ~= mean)
    assert.equal(0.0, a:norm():item())
    assert.same({ 0.0, 0.0, 0.0 }, rows:sum(2):to_table())
    assert.same({}, rows:sum(1):to_table())
    assert.same({}, columns:max(2):to_table())
    assert.same({}, columns:argmin(2):to_table())
    assert.same({ 0, 1 }, { columns:sum { 2, keep = true }:shape() })
    assert.same({ true, true, true }, columns:all(1):to_table())
    for _, name in ipairs { "min", "max", "argmin", "argmax" } do
      fails("shape", "%(0,%).*no", function() return a[name](a) end)
      fails("shape", "%(0, 3%).*no", function() return columns[name](columns, 1) end)
      fails("shape", "no", function() return rows[name](rows, 2) end)
    end
  end)

  it("of a 0-d array is the value", function()
    local a = dc.array(2.5)
    for _, name in ipairs { "sum", "prod", "min", "max", "mean", "norm" } do assert.equal(2.5, a[name](a):item()) end
    assert.equal(0.0, a:var():item())
    assert.equal(1, a:argmax():item())
    assert.equal(1, a:count():item())
    fails("shape", "axis 1", function() return a:sum(1) end)
  end)

  it("takes a table as it takes an array of it", function()
    local rows = {}
    for i = 1, math.random(1, 6) do rows[i] = { math.random(), math.random(), math.random() } end
    local a, flags = dc.array(rows), { false, math.random() < 0.5 }
    for _, name in ipairs { "sum", "prod", "min", "max", "argmin", "argmax", "mean", "var", "std", "norm", "count" } do
      assert.is_true(dc.equal(a[name](a), dc[name](rows)), note(name))
      assert.is_true(dc.equal(a[name](a, { 2, keep = true }), dc[name](rows, { 2, keep = true })), note(name))
    end
    assert.equal(flags[2], dc.any(flags))
    assert.is_false(dc.all(flags))
    fails("argument", "an array expected, got the number 3", function() dc.max(3, 4) end)
    fails("shape", "no axis 4.*dc.maximum", function() dc.max({ 1, 2 }, { 4, 5 }) end)
    fails("shape", "ragged", function() dc.sum { { 1, 2 }, { 3 } } end)
  end)

  it("refuses invalid axes", function()
    local a = dc.ones(2, 3)
    for _, axis in ipairs { "-3", "0", "3", "100" } do
      local wrong, pattern = math.tointeger(axis), axis:gsub("%-", "%%-")
      fails("shape", "axis " .. pattern, function() return a:sum(wrong) end)
      fails("shape", "axis " .. pattern, function() return a:max { 1, wrong } end)
    end
    fails("argument", "1%.5", function() return a:sum(1.5) end)
    fails("argument", "'x'", function() return a:sum "x" end)
    fails("argument", "'x'", function() return a:mean { "x" } end)
    fails("shape", "axis 1 is named twice", function() return a:sum { 1, 1 } end)
    fails("shape", "axis %-?[12] is named twice", function() return a:sum { 2, -1 } end)
    fails("argument", "'kep'", function() return a:sum { 1, kep = true } end)
    fails("argument", "several axes", function() return a:argmax { 1, 2 } end)
    assert.is_false(pcall(a.sum))
    assert.is_false(pcall(a.sum, 3, 1))
    local closed = dc.ones(3)
    closed:close()
    fails("argument", "closed", function() return closed:sum() end)
  end)
end)

describe("accuracy and order", function()
  it("long float32 sums err by at most a hundred roundings", function()
    local n = 1 << 22
    local i = dc.arange(1, n, "int64")
    -- Numbers of many sizes that float32 holds exactly: known sums in integers.
    local whole = (i * 2654435761 % 16777216) - 8000000
    local x = dc.cast(whole, "float32"):eval()
    local want, size = whole:sum():item(), dc.abs(whole):sum():item()
    assert.is_true(math.abs(x:sum():item() - want) <= 100 * 2.0 ^ -24 * size)
    local positive = dc.abs(x)
    assert.is_true(math.abs(positive:sum():item() - size) <= 100 * 2.0 ^ -24 * size)
    local square = x:reshape(1 << 11, 1 << 11)
    for axis = 1, 2 do
      local exactly = whole:reshape(1 << 11, 1 << 11):sum(axis):to_table()
      local got = square:sum(axis):to_table()
      for k = 1, #got, 97 do
        assert.is_true(math.abs(got[k] - exactly[k]) <= 100 * 2.0 ^ -24 * 8.4e6 * 2048)
      end
    end
    local same = dc.full(n, 0.1)
    assert.near(n * h.f32(0.1), same:sum():item(), 100 * 2.0 ^ -24 * n * 0.1)
  end)

  it("float16 and bfloat16 do not add in their own precision", function()
    assert.equal(4096.0, dc.ones(4096, "float16"):sum():item())
    assert.equal(8192.0, dc.ones(8192, "bfloat16"):sum():item())
    assert.equal(9984.0, dc.ones(10000, "bfloat16"):sum():item()) -- the nearest that bfloat16 has
    assert.equal(1.0, dc.ones(100000, "float16"):mean():item())
    assert.equal(1000.0, dc.full(100, 1000, "float16"):mean():item()) -- whose sum float16 does not hold
  end)

  it("the bits are independent of fusion, layout and repetition", function()
    for _, shape in ipairs { { 70001 }, pick { { 40, 1000 }, { 3000, 7 } }, { 9, 30, 21 } } do
      local n = product(shape)
      local x = array(o.values(n, "float32", true), "float32", shape)
      local y = array(o.values(n, "float32", true), "float32", shape)
      local function fused() return x * y - x / 3 end
      local evaluated = fused():eval()
      for axis = 0, #shape do
        local argument = axis > 0 and axis or nil
        local want = evaluated:sum(argument):bytes()
        assert.equal(want, fused():sum(argument):bytes(), note("fused"))
        assert.equal(want, evaluated:sum(argument):bytes(), note("again"))
        assert.equal(evaluated:var(argument):bytes(), fused():var(argument):bytes(), note("var"))
        assert.equal(evaluated:prod(argument):bytes(), fused():prod(argument):bytes(), note("prod"))
      end
      local shifted = layouts.shifted(flatten(evaluated:to_table()), shape, "float32")
      assert.equal(evaluated:sum():bytes(), shifted:sum():bytes(), note("shifted"))
    end
  end)

  it("columns in memory give the same bits as rows", function()
    for _, width in ipairs { pick { 31, 32, 33 }, pick { 64, 200, 255 }, 256, pick { 257, 300, 1000 } } do
      local length = pick { 1, 5, 100, 700 }
      local dtype = pick { "float32", "float64", "complex64", "int8" }
      local x = ((dc.random.uniform(pick { 1, 3 }, length, width) - 0.3) * 100):to(dtype):eval()
      local y = x:transpose(1, 3, 2):copy()
      local reductions = { "sum", "prod", "var" }
      if dtype ~= "complex64" then reductions = { "sum", "prod", "var", "max", "argmin" } end
      for _, name in ipairs(reductions) do
        assert.equal(y[name](y, 3):bytes(), x[name](x, 2):bytes(), note(name, dtype, length, width))
      end
      if dtype == "float32" then
        local v = dc.random.uniform(width):eval()
        local function several(a, b, axis) return ((a - b) * a):sum(axis) / a:max(axis) + a:argmax(axis) end
        assert.equal(several(y, v:reshape(width, 1), 3):bytes(), several(x, v, 2):bytes(), note("several"))
      end
    end
    local few = dc.random.uniform(pick { 5000, 20011 }, pick { 40, 64, 70 }):eval()
    for _, name in ipairs { "sum", "max", "argmax", "var" } do
      local rows = few.T:copy()
      assert.equal(rows[name](rows, 2):bytes(), few[name](few, 1):bytes(), note("segments", name))
    end
  end)
end)

describe("fused with operands and with later expressions", function()
  -- Kernels launched by fn.
  local function launches(fn)
    dc.synchronize()
    local before = dc.stats().launches
    fn()
    return dc.stats().launches - before
  end

  local function rows_of(values, columns)
    local rows = {}
    for i = 1, #values, columns do rows[#rows + 1] = { table.unpack(values, i, i + columns - 1) } end
    return rows
  end

  -- Compares e, of rows by columns, with fn(row) for each row.
  local function each_row(e, values, columns, off, fn, text)
    local got = flatten(e:to_table())
    local at = 0
    for _, row in ipairs(rows_of(values, columns)) do
      for _, want in ipairs(fn(row)) do
        at = at + 1
        if math.abs(got[at] - want) > off * (1 + math.abs(want)) or got[at] ~= got[at] then
          error(note(("%s: element %d is %.9g, should be %.9g"):format(text, at, got[at], want)), 2)
        end
      end
    end
    assert.equal(at, #got)
  end

  local function mean_of(row, fn)
    local sum = 0
    for _, x in ipairs(row) do sum = sum + (fn and fn(x) or x) end
    return sum / #row
  end

  for _, shape in ipairs { { 64, 100 }, { 3, 2000 }, pick { { 2000, 3 }, { 1, 33 }, { 5, 7 } } } do
    it(("rows of %d by %d: softmax, layer norm and similar"):format(shape[1], shape[2]), function()
      local columns = shape[2]
      local values = o.values(product(shape), "float32", true)
      local x = array(values, "float32", shape)
      local function softmax()
        local e = dc.exp(x - x:max { 2, keep = true })
        return e / e:sum { 2, keep = true }
      end
      each_row(softmax(), values, columns, 1e-5, function(row)
        local top = math.max(table.unpack(row))
        local sum = mean_of(row, function(v) return math.exp(v - top) end) * #row
        return map(row, function(v) return math.exp(v - top) / sum end)
      end, "softmax")
      each_row(x - x:mean { -1, keep = true }, values, columns, 1e-5, function(row)
        local mean = mean_of(row)
        return map(row, function(v) return v - mean end)
      end, "centred")
      each_row((x - x:mean { 2, keep = true }) / dc.sqrt(x:var { 2, keep = true } + 1), values, columns, 1e-4,
        function(row)
          local mean = mean_of(row)
          local var = mean_of(row, function(v) return (v - mean) ^ 2 end)
          return map(row, function(v) return (v - mean) / math.sqrt(var + 1) end)
        end, "layer norm")
      local top = x:max { 2, keep = true }
      each_row(dc.log(dc.exp(x - top):sum(2)) + top:squeeze(2), values, columns, 1e-5, function(row)
        local most = math.max(table.unpack(row))
        return { most + math.log(mean_of(row, function(v) return math.exp(v - most) end) * #row) }
      end, "log-sum-exp")
      each_row(x / dc.sqrt((x * x):sum { 2, keep = true } + 1), values, columns, 1e-5, function(row)
        local norm = math.sqrt(mean_of(row, function(v) return v * v end) * #row + 1)
        return map(row, function(v) return v / norm end)
      end, "normalised")
      local all = mean_of(values)
      each_row(x - x:mean(), values, columns, 1e-5, function(row)
        return map(row, function(v) return v - all end)
      end, "less the mean of all")
    end)
  end

  it("reductions of reductions are right", function()
    local values = o.values(6 * 50, "float64", true)
    local x = array(values, "float64", { 6, 50 })
    local vars, tops = {}, {}
    for i, row in ipairs(rows_of(values, 50)) do
      local mean = mean_of(row)
      vars[i] = mean_of(row, function(v) return (v - mean) ^ 2 end)
      tops[i] = math.max(table.unpack(row))
    end
    local mean = mean_of(vars)
    local want = mean_of(vars, function(v) return (v - mean) ^ 2 end)
    assert.near(want, x:var(2):var():item(), 1e-9 * (1 + want))
    assert.near(mean_of(tops), x:max(2):mean():item(), 1e-12 * 100)
    assert.equal(math.min(table.unpack(tops)), x:max(2):min():item())
    assert.near(mean_of(values) * 50 * 6, x:sum(2):sum():item(), 1e-9)
    assert.near(mean_of(values) * 50 * 6, x:sum(1):sum():item(), 1e-9)
    assert.near(mean_of(vars, math.sqrt), dc.sqrt(x:var(2)):mean():item(), 1e-9)
    local centred = x - x:mean { 2, keep = true }
    assert.near(mean_of(vars), (centred * centred):mean():item(), 1e-9)
    assert.near(want, ((x:var(2) - x:var(2):mean()) ^ 2):mean():item(), 1e-9 * (1 + want))
  end)

  it("a softmax down the first axis is fused, too", function()
    local values = o.values(40 * 9, "float32", true)
    local x = array(values, "float32", { 40, 9 })
    local e = dc.exp(x - x:max { 1, keep = true })
    local got = (e / e:sum { 1, keep = true }):to_table()
    for j = 1, 9 do
      local sum, top = 0, -1 / 0
      for i = 1, 40 do top = math.max(top, values[(i - 1) * 9 + j]) end
      for i = 1, 40 do sum = sum + math.exp(values[(i - 1) * 9 + j] - top) end
      for i = 1, 40 do
        assert.near(math.exp(values[(i - 1) * 9 + j] - top) / sum, got[i][j], 1e-5)
      end
    end
  end)

  it("a write to an operand of a pending row expression evaluates it first", function()
    local x = dc.array { { 1, 2, 3 }, { 4, 5, 9 } }
    local centred = x - x:mean { 2, keep = true }
    local total = x:sum(1)
    x[{ 1, 1 }] = 100
    x:fill(7)
    assert.same({ { -1, 0, 1 }, { -2, -1, 3 } }, centred:to_table())
    assert.same({ 5, 7, 12 }, total:to_table())
    local y = dc.array { { 1, 2, 3 }, { 4, 5, 9 } }
    y[":"] = y - y:mean { 2, keep = true } -- in place, while every element of the row is still needed
    assert.same({ { -1, 0, 1 }, { -2, -1, 3 } }, y:to_table())
    local z = dc.array { { 1, 2, 3 }, { 4, 5, 9 } }
    z[":"] = z / z:sum { 1, keep = true } * 10
    assert.near(2, z[{ 1, 1 }], 1e-5)
    assert.near(8, z[{ 2, 1 }], 1e-5)
    local w = dc.array { 1, 2, 3 }
    w[{ { 1, 2 } }] = w:max()
    assert.same({ 3, 3, 3 }, w:to_table())
  end)

  it("launch the documented number of kernels", function()
    local values = o.values(100 * 500, "float32", true)
    local x = array(values, "float32", { 100, 500 })
    assert.equal(1, launches(function() return (x * x):sum():eval() end))
    assert.equal(1, launches(function() return x:mean():eval() end))
    assert.equal(1, launches(function() return x:var():eval() end))
    assert.equal(1, launches(function() return x:std():eval() end))
    assert.equal(1, launches(function() return (x * 2 + 1):sum(2):eval() end))
    assert.equal(1, launches(function() return (x * 2 + 1):max(1):eval() end))
    assert.equal(1, launches(function() return x:var(2):eval() end))
    assert.equal(1, launches(function() return (x * 2):argmax(2):eval() end))
    assert.equal(1, launches(function() return dc.sqrt((x * x):sum()):eval() end))
    assert.equal(1, launches(function() return (x - x:mean { 2, keep = true }):eval() end))
    assert.equal(1, launches(function()
      local e = dc.exp(x - x:max { 2, keep = true })
      return (e / e:sum { 2, keep = true }):eval()
    end))
    assert.equal(1, launches(function()
      return ((x - x:mean { 2, keep = true }) / dc.sqrt(x:var { 2, keep = true } + 1e-5)):eval()
    end))
    assert.equal(1, launches(function() return dc.log(dc.exp(x):sum(2)):eval() end))
    local before = dc.stats().allocations
    dc.exp(x):sum(2):eval()
    assert.equal(1, dc.stats().allocations - before)
  end)
end)
