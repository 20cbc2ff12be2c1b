-- concat, stack, tile, repeat_, flip, roll, pad, take against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails
local dtypes = { "float16", "bfloat16", "complex64", "complex128", table.unpack(h.dtypes) }

-- Element numbers of a shape in C order with their coordinates (from 0).
local function each(shape, fn)
  for at = 0, h.product(shape) - 1 do
    local rest, c = at, {}
    for d = #shape, 1, -1 do
      c[d] = rest % shape[d]
      rest = rest // shape[d]
    end
    fn(c, at + 1)
  end
end

local function place(shape, c)
  local at = 0
  for d = 1, #shape do at = at * shape[d] + c[d] end
  return at + 1
end

-- A random array (sometimes a view that is turned, or an expression) and its values in C order.
local function random(shape, dtype)
  local nested, flat, a
  if h.itemsize[dtype] then
    nested, flat = h.nested(shape, dtype)
    a = dc.array(nested, dtype)
  else
    flat = h.ints(h.product(shape), -9, 9)
    a = dc.array(flat, dtype):reshape(shape)
    flat = dc.array(flat, dtype):to_table()
  end
  local kind = math.random(3)
  if kind == 1 then a = a.T:copy().T elseif kind == 2 and dtype == "int32" then a = a + 0 end
  return a, flat
end

-- The array has this shape, and at each place what `value` says of the coordinates.
local function check(a, shape, dtype, value, text)
  h.same(shape, { a:shape() }, text)
  assert.equal(dtype, a.dtype)
  local want = {}
  each(shape, function(c, at) want[at] = value(c) end)
  h.same(want, h.product(shape) > 0 and a:copy():reshape(-1):to_table() or {}, text)
end

local function copy(t) return table.move(t, 1, #t, 1, {}) end

describe("concat and stack", function()
  it("join along any axis", function()
    for _ = 1, 15 do
      local shape, dtype = h.shape(math.random(1, 4), 4), dtypes[math.random(#dtypes)]
      local axis, arrays, flats, ends, total = math.random(#shape), {}, {}, {}, 0
      for k = 1, math.random(1, 4) do
        local own = copy(shape)
        own[axis] = math.random(0, 4)
        if own[axis] == 0 then arrays[k], flats[k] = dc.empty(own, dtype), {}
        else arrays[k], flats[k] = random(own, dtype) end
        total = total + own[axis]
        ends[k] = { total, own }
      end
      local whole = copy(shape)
      whole[axis] = total
      check(dc.concat(arrays, math.random(2) == 1 and axis or axis - #shape - 1), whole, dtype, function(c)
        local k = 1
        while c[axis] >= ends[k][1] do k = k + 1 end
        local own = copy(c)
        own[axis] = c[axis] - (k > 1 and ends[k - 1][1] or 0)
        return flats[k][place(ends[k][2], own)]
      end, "concat")
    end
  end)

  it("make a new axis", function()
    for _ = 1, 10 do
      local shape, n = h.shape(math.random(0, 3), 4), math.random(1, 4)
      local axis, arrays, flats = math.random(#shape + 1), {}, {}
      for k = 1, n do arrays[k], flats[k] = random(shape, "int32") end
      local whole = copy(shape)
      table.insert(whole, axis, n)
      check(dc.stack(arrays, axis), whole, "int32", function(c)
        local own = copy(c)
        table.remove(own, axis)
        return flats[c[axis] + 1][place(shape, own)]
      end, "stack")
    end
  end)

  it("promote to one dtype, and take tables and numbers", function()
    local a = dc.concat { dc.array({ 1, 2 }, "int32"), dc.array({ 3.5 }, "float32") }
    assert.equal("float32", a.dtype)
    h.same({ 1, 2, 3.5 }, a:to_table())
    assert.equal("int64", dc.concat({ dc.ones(1, "int8"), dc.ones(1, "int64") }).dtype)
    h.same({ 1, 1, 2, 3 }, dc.concat({ dc.ones(2, "int32"), { 2, 3 } }):to_table())
    assert.equal("int32", dc.stack({ dc.ones(2, "int32"), { 2, 3 } }).dtype)
    h.same({ 4, 5 }, dc.stack({ 4, 5 }):to_table())
  end)

  it("refuse shapes, axes and devices that do not fit", function()
    fails("shape", "array 2 has the shape %(3, 2%), array 1 %(2, 3%)", function()
      dc.concat { dc.ones(2, 3), dc.ones(3, 2) }
    end)
    for _ = 1, 20 do
      local shape = h.shape(math.random(2, 4), 5)
      local other, axis = copy(shape), math.random(#shape)
      local differs = (axis + math.random(#shape - 1) - 1) % #shape + 1
      other[axis], other[differs] = math.random(5), other[differs] + math.random(3)
      fails("shape", ("they may differ along axis %d only"):format(axis), function()
        dc.concat({ dc.ones(shape), dc.ones(other) }, axis)
      end)
    end
    fails("shape", "array 2.*must be the same", function() dc.stack { dc.ones(2), dc.ones(3) } end)
    fails("argument", "is empty", function() dc.concat {} end)
    fails("argument", "takes a table of arrays, got", function() dc.concat(dc.ones(3)) end)
    fails("argument", "expected for element 2 of the table", function() dc.concat { dc.ones(3), "x" } end)
    fails("shape", "without axes", function() dc.concat { dc.array(1), dc.array(2) } end)
    fails("index", "axis 2 is out of range", function() dc.concat({ dc.ones(3) }, 2) end)
    fails("index", "axis 3 is out of range", function() dc.stack({ dc.ones(3) }, 3) end)
  end)
end)

describe("tile and repeat_", function()
  it("repeat arrays and elements", function()
    for _ = 1, 15 do
      local shape, dtype = h.shape(math.random(1, 3), 4), dtypes[math.random(#dtypes)]
      local a, flat = random(shape, dtype)
      local reps, whole, own = {}, {}, copy(shape)
      for d = 1, math.random(1, 4) do reps[d] = math.random(0, 3) end
      local full = copy(reps)
      while #own < #full do table.insert(own, 1, 1) end
      while #full < #own do table.insert(full, 1, 1) end
      for d = 1, #own do whole[d] = own[d] * full[d] end
      local tiled = math.random(2) == 1 and a:tile(reps) or a:tile(table.unpack(reps))
      check(tiled, whole, dtype, function(c)
        local from = {}
        for d = 1, #c do from[d] = c[d] % own[d] end
        return flat[place(own, from)]
      end, "tile")
      local axis, times = math.random(#shape), math.random(0, 4)
      whole = copy(shape)
      whole[axis] = shape[axis] * times
      check(a:repeat_(times, axis), whole, dtype, function(c)
        local from = copy(c)
        from[axis] = c[axis] // times
        return flat[place(shape, from)]
      end, "repeat_")
      check(a:repeat_(3), { 3 * #flat }, dtype, function(c) return flat[c[1] // 3 + 1] end, "repeat_ of all")
    end
  end)

  it("refuse invalid numbers of repetitions", function()
    fails("argument", "how often is an integer from 0 on, got the number %-1", function() dc.ones(3):tile(-1) end)
    fails("argument", "how often", function() dc.ones(3):repeat_(1.5) end)
    fails("argument", "'tile' takes", function() dc.ones(3):tile() end)
    fails("index", "axis 2", function() dc.ones(3):repeat_(2, 2) end)
    fails("memory", "2^62 bytes", function() dc.ones(4):tile(1 << 62) end) -- 2^64 elements
    fails("memory", "2^62 bytes", function() dc.ones(4):repeat_(1 << 62) end)
    fails("memory", "2^62 bytes", function() dc.ones(4):repeat_(1 << 62, 1) end)
  end)
end)

describe("flip and roll", function()
  it("flip reverses axes, as a view", function()
    for _ = 1, 10 do
      local shape = h.shape(math.random(1, 4), 4)
      local a, flat = random(shape, "int32")
      local set, axes = {}, {}
      for d = 1, #shape do
        if math.random(2) == 1 then
          set[d] = true
          axes[#axes + 1] = math.random(2) == 1 and d or d - #shape - 1
        end
      end
      local flipped = a:flip(table.unpack(axes))
      check(flipped, shape, "int32", function(c)
        local from = {}
        for d = 1, #c do from[d] = (set[d] or #axes == 0) and shape[d] - 1 - c[d] or c[d] end
        return flat[place(shape, from)]
      end, "flip")
    end
    local a = dc.arange(1, 3)
    a:flip()[1] = 9
    assert.equal(9, a[3])
    assert.equal(0, dc.empty(0, 2):flip().size)
    assert.equal(5, dc.array(5):flip():item())
  end)

  it("roll moves elements cyclically by any distance", function()
    for _ = 1, 15 do
      local shape, n = h.shape(math.random(1, 3), 5), math.random(-12, 12)
      local a, flat = random(shape, "int16")
      local axis = math.random(#shape)
      check(a:roll(n, axis), shape, "int16", function(c)
        local from = copy(c)
        from[axis] = (c[axis] - n) % shape[axis]
        return flat[place(shape, from)]
      end, "roll")
      check(a:roll(n), shape, "int16", function(c) return flat[(place(shape, c) - 1 - n) % #flat + 1] end, "roll")
    end
    assert.equal(0, dc.empty(0):roll(3).size)
  end)

  it("refuse axes that do not exist", function()
    fails("index", "axis 2", function() dc.ones(3):flip(2) end)
    fails("argument", "axis %-1 is named twice", function() dc.ones(3):flip(1, -1) end)
    fails("argument", "how far", function() dc.ones(3):roll(0.5) end)
    fails("argument", "'roll' takes", function() dc.ones(3):roll() end)
  end)
end)

describe("diagonal", function()
  it("is a view of elements with two indices that differ by the offset", function()
    for _ = 1, 20 do
      local shape, dtype = h.shape(math.random(2, 4), 5), dtypes[math.random(#dtypes)]
      local a, flat = random(shape, dtype)
      local rows, columns = shape[#shape - 1], shape[#shape]
      for _, k in ipairs { 0, math.random(-6, 6), columns, -rows, math.mininteger, math.maxinteger } do
        local down, right = math.max(0, k < 0 and k > -rows and -k or 0), math.max(0, k)
        local n = k <= -rows and 0 or math.max(0, math.min(rows - down, right > columns and 0 or columns - right))
        local own = table.move(shape, 1, #shape - 2, 1, {})
        own[#own + 1] = n
        check(k == 0 and a:diagonal() or a:diagonal(k), own, dtype, function(c)
          local from = table.move(c, 1, #c - 1, 1, {})
          from[#c], from[#c + 1] = c[#c] + down, c[#c] + right
          return flat[place(shape, from)]
        end, h.note(k))
      end
    end
  end)

  it("can be written to, and takes tables and expressions", function()
    local n = math.random(2, 9)
    local a = dc.zeros(n, n + 1)
    a:diagonal(1):fill(3)
    a:diagonal()[n] = 5
    assert.equal(3 * n + 5, a:sum():item())
    assert.is_true(a[{ 1, 2 }] == 3 and a[{ n, n + 1 }] == 3 and a[{ n, n }] == 5)
    h.same({ 1, 4 }, dc.diagonal({ { 1, 2 }, { 3, 4 } }):to_table())
    h.same({ 3 }, dc.diagonal({ { 1, 2 }, { 3, 4 } }, { offset = -1 }):to_table())
    assert.equal(2.0 * n, (dc.eye(n) * 2):diagonal():sum(-1):item())
  end)

  it("refuses what has no diagonal", function()
    fails("shape", "2 axes or more", function() dc.ones(3):diagonal() end)
    fails("argument", "diagonal: which diagonal", function() dc.eye(3):diagonal(0.5) end)
    fails("argument", "diagonal", function() dc.eye(3):diagonal(1, 2) end)
  end)
end)

describe("pad", function()
  local function from_of(mode, at, n)
    if at >= 0 and at < n then return at end
    if mode == "edge" or n == 1 then return at < 0 and 0 or n - 1 end
    if mode == "wrap" then return at % n end
    local period = 2 * (n - 1)
    at = at % period
    return at < n and at or period - at
  end

  it("surrounds by a value, the edge, or mirrored or repeated elements", function()
    for _, mode in ipairs { "constant", "edge", "reflect", "wrap" } do
      for _ = 1, 8 do
        local shape, dtype = h.shape(math.random(1, 3), 4), dtypes[math.random(#dtypes)]
        local a, flat = random(shape, dtype)
        local widths, whole = {}, {}
        for d = 1, #shape do
          widths[d] = { math.random(0, 12), math.random(0, 12) }
          whole[d] = shape[d] + widths[d][1] + widths[d][2]
        end
        local value = dtype ~= "bool" and math.random(2) == 1 and math.random(0, 100) or nil
        local outside = value or (dtype ~= "bool" and 0)
        if dtype:find "complex" then outside = dc.complex(outside, 0) end
        local options = mode == "constant" and { value = value } or { mode = mode }
        check(a:pad(widths, options), whole, dtype, function(c)
          local from = {}
          for d = 1, #c do
            local at = c[d] - widths[d][1]
            if mode == "constant" and (at < 0 or at >= shape[d]) then return outside end
            from[d] = from_of(mode, at, shape[d])
          end
          return flat[place(shape, from)]
        end, "pad " .. mode)
      end
    end
  end)

  it("takes one width for all sides", function()
    h.same({ 0, 1, 2, 0 }, dc.array { 1, 2 }:pad(1):to_table())
    h.same({ 9, 1, 2, 9, 9 }, dc.array { 1, 2 }:pad({ { 1, 2 } }, { value = 9 }):to_table())
    h.same({ 7, 7 }, dc.empty(0):pad(1, { value = 7 }):to_table())
    h.same({ 1, 2, 1, 2, 1, 2, 1 }, dc.array { 1, 2 }:pad({ { 2, 3 } }, { mode = "reflect" }):to_table())
  end)

  it("refuses invalid widths and modes", function()
    local a = dc.ones(2, 3)
    fails("shape", "widths of 1 axes for an array of 2", function() a:pad { { 1, 1 } } end)
    fails("argument", "a width is an integer from 0 on", function() a:pad(-1) end)
    fails("argument", "{before, after}, got a table of 3", function() a:pad { { 1, 1, 1 }, 1 } end)
    fails("argument", "'mode' is .*got \"mirror\"", function() a:pad(1, { mode = "mirror" }) end)
    fails("argument", "'value' has no meaning", function() a:pad(1, { mode = "edge", value = 1 }) end)
    fails("memory", "2^62 bytes", function() dc.ones(4):pad(math.maxinteger) end)
    fails("memory", "2^62 bytes", function() dc.ones(4):pad { { math.maxinteger, 1 } } end)
    fails("shape", "axis 1 has no elements", function() dc.empty(0):pad(1, { mode = "wrap" }) end)
  end)
end)

describe("take", function()
  local kinds = { "int8", "int16", "int32", "int64", "uint8", "uint64" }

  it("gathers along an axis, or from the flattened array", function()
    for _ = 1, 25 do
      local shape, dtype = h.shape(math.random(1, 4), 5), dtypes[math.random(#dtypes)]
      local a, flat = random(shape, dtype)
      local axis = math.random(#shape)
      local n, kind = shape[axis], kinds[math.random(#kinds)]
      local index_shape = h.shape(math.random(0, 2), 5)
      local index = {}
      for k = 1, h.product(index_shape) do
        index[k] = math.random(n)
        if kind:sub(1, 1) == "i" and math.random(2) == 1 then index[k] = index[k] - n - 1 end
      end
      local at = dc.array(index, kind):reshape(index_shape)
      local whole = table.move(shape, 1, axis - 1, 1, {})
      for _, v in ipairs(index_shape) do whole[#whole + 1] = v end
      table.move(shape, axis + 1, #shape, #whole + 1, whole)
      check(a:take(at, axis), whole, dtype, function(c)
        local from, number = table.move(c, 1, axis - 1, 1, {}), {}
        table.move(c, axis, axis + #index_shape - 1, 1, number)
        local v = index[place(index_shape, number)]
        from[axis] = v > 0 and v - 1 or v + n
        table.move(c, axis + #index_shape, #c, axis + 1, from)
        return flat[place(shape, from)]
      end, "take")
    end
    local a = dc.arange(1, 12, "int32"):reshape(3, 4)
    h.same({ 12, 1, 6 }, a:take({ -1, 1, 6 }):to_table())
    h.same({ 5, 6, 7, 8 }, a:take(2, 1):to_table())
  end)

  it("gathers long rows of an axis between others", function()
    for _ = 1, 8 do
      local dtype = dtypes[math.random(#dtypes)]
      local shape, index = { math.random(2, 4), math.random(2, 5), math.random(24, 700) }, {}
      local a, flat = random(shape, dtype)
      for k = 1, math.random(2, 4) do index[k] = math.random(shape[2]) end
      check(a:take(index, 2), { shape[1], #index, shape[3] }, dtype, function(c)
        return flat[place(shape, { c[1], index[c[2] + 1] - 1, c[3] })]
      end, "take")
    end
  end)

  it("takes rows of any width and alignment", function()
    for _, width in ipairs { 1, 3, 4, 8, 33 } do
      for _, dtype in ipairs { "uint8", "int16", "float32", "float64" } do
        local rows = 20
        local big = dc.arange(1, rows * width + 1, "int32"):to(dtype):eval()
        local a = big:slice({ 2, rows * width + 1 }):reshape(rows, width)
        local index = { 20, 1, 7 }
        local t, want = a:to_table(), {}
        for _, r in ipairs(index) do
          for k = 1, width do want[#want + 1] = t[r][k] end
        end
        h.same(want, a:take(index, 1):reshape(-1):to_table(), dtype)
      end
    end
  end)

  it("names the first index out of range", function()
    local a = dc.ones(5)
    fails("index", "index 6, the index array's element 2, is out of bounds on axis 1, whose extent is 5",
      function() a:take { 1, 6, 7 } end)
    fails("index", "index 0 .*indices count from 1", function() a:take { 0 } end)
    fails("index", "index %-6, ", function() a:take { -6 } end)
    fails("index", "index 255, ", function() a:take(dc.array({ 255 }, "uint8")) end)
    fails("index", "index 1, .* extent is 0", function() dc.empty(0):take { 1 } end)
    fails("dtype", "indices are integers, got an array of float32", function() a:take(dc.ones(2)) end)
    fails("dtype", "indices are integers, got an array of bool", function() a:take(dc.ones(2, "bool")) end)
    fails("argument", "expected for the indices, got the string", function() a:take "x" end)
    fails("argument", "'take' takes", function() a:take() end)
    assert.equal(0, dc.empty(0):take(dc.empty(0, "int32")).size)
    assert.equal(0, dc.empty(0, 3):take(dc.array({ 1 }, "int32"), 2).size)
  end)
end)
