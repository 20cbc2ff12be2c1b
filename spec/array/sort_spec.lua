-- sort, argsort, topk, unique, searchsorted against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails = h.note, h.fails

-- Interpreted, the CPU device sorts as a GPU does.
local function each_way(fn) h.each_way(fn, { "serial" }) end

local nan = 0 / 0
local dtypes = { "float16", "bfloat16", table.unpack(h.dtypes) }
local floats = { float32 = true, float64 = true, float16 = true, bfloat16 = true }

local function is_nan(v) return v ~= v end
local function number(v) return v == true and 1 or v == false and 0 or v end

-- Unsigned 64-bit values above 2^63 read as negative integers.
local function before(dtype, a, b, descending)
  if is_nan(a) or is_nan(b) then return not is_nan(a) and is_nan(b) end
  a, b = number(a), number(b)
  if descending then a, b = b, a end
  if dtype == "uint64" then return math.ult(a, b) end
  return a < b
end

-- Positions in stable order.
local function order_of(t, dtype, descending)
  local at = {}
  for k = 1, #t do at[k] = k end
  table.sort(at, function(i, j)
    if before(dtype, t[i], t[j], descending) then return true end
    if before(dtype, t[j], t[i], descending) then return false end
    return i < j
  end)
  return at
end

-- Of float16 and bfloat16 quarters that both hold exactly.
local function value(dtype)
  if dtype == "float16" or dtype == "bfloat16" then return math.random(-120, 120) / 4 end
  return h.value(dtype)
end

local function bits(v) return math.type(v) == "float" and string.pack("<d", v) or v end

-- Values with ties; among floats NaN, infinities and both zeros.
local function values(n, dtype)
  local t, few = {}, math.random(3) == 1
  for k = 1, n do
    local v = value(dtype)
    if few and dtype ~= "bool" then v = math.random(0, 5) end
    if floats[dtype] then
      v = v + 0.0
      local special = math.random(30)
      if special == 1 then v = nan elseif special == 2 then v = -0.0 elseif special == 3 then v = 0.0
      elseif special == 4 then v = math.huge elseif special == 5 then v = -math.huge end
    end
    t[k] = v
  end
  return t
end

local function same_values(want, got, text)
  assert.equal(#want, #got, note(text))
  for k = 1, #want do
    if bits(want[k]) ~= bits(got[k]) and not (is_nan(want[k]) and is_nan(got[k])) then
      error(("%s, element %d: %s should be %s"):format(note(text), k, got[k], want[k]))
    end
  end
end

local function check_sorted(t, dtype, descending, text)
  local a, want = dc.array(t, dtype), {}
  t = a:to_table() -- as the dtype holds them
  local at = order_of(t, dtype, descending)
  for k = 1, #t do want[k] = t[at[k]] end
  same_values(want, a:sort { descending = descending }:to_table(), text)
  local places = a:argsort { descending = descending }
  assert.equal("int64", places.dtype)
  h.same(at, places:to_table(), text)
  same_values(t, a:to_table(), "what was sorted")
end

describe("sort and argsort", function()
  it("order every dtype stably, ascending and descending, NaN last", function()
    each_way(function()
      for _, dtype in ipairs(dtypes) do
        for _, n in ipairs { 1, 2, math.random(3, 128), math.random(129, 900) } do
          local descending = math.random(2) == 1
          check_sorted(values(n, dtype), dtype, descending, ("%s of %d, descending %s"):format(dtype, n, descending))
        end
      end
    end)
  end)

  it("order each of many short rows", function()
    each_way(function()
      for _, dtype in ipairs(dtypes) do
        local rows, n, descending = math.random(64, 140), math.random(128), math.random(2) == 1
        local a = dc.array(values(rows * n, dtype), dtype):reshape(rows, n)
        local t, k = a:reshape(-1):to_table(), math.random(math.min(33, n), n)
        local sorted, places = a:sort(2, { descending = descending }), a:argsort(2, { descending = descending })
        local first, first_places = a:topk(k, { axis = 2, smallest = not descending })
        local text = ("%d rows of %d %s, descending %s"):format(rows, n, dtype, descending)
        for r = 1, rows do
          local row, want = table.move(t, (r - 1) * n + 1, r * n, 1, {}), {}
          local at = order_of(row, dtype, descending)
          for j = 1, n do want[j] = row[at[j]] end
          same_values(want, sorted[r]:to_table(), text)
          h.same(at, places[r]:to_table(), text)
          same_values(table.move(want, 1, k, 1, {}), first[r]:to_table(), text)
          h.same(table.move(at, 1, k, 1, {}), first_places[r]:to_table(), text)
        end
      end
    end)
  end)

  it("order few long rows in several blocks, and many rows in one each", function()
    each_way(function()
      for _, shape in ipairs { { 1, math.random(33000, 40000) }, { 2, 33000 }, { 40, 300 } } do
        local rows, n = shape[1], shape[2]
        local t, want, places = values(rows * n, "float32"), {}, {}
        t = dc.array(t, "float32"):to_table()
        for r = 0, rows - 1 do
          local row = table.move(t, r * n + 1, r * n + n, 1, {})
          for k, from in ipairs(order_of(row, "float32", true)) do
            want[r * n + k], places[r * n + k] = row[from], from
          end
        end
        local a = dc.array(t, "float32"):reshape(rows, n)
        local text = ("%d rows of %d"):format(rows, n)
        same_values(want, a:sort { descending = true }:reshape(-1):to_table(), text)
        h.same(places, a:argsort { descending = true }:reshape(-1):to_table(), text)
      end
    end)
  end)

  it("order long rows of every dtype, with extreme values, by chunks that are merged", function()
    local extremes = { float32 = { math.huge, -math.huge, 0x1.fffffep127, -0x1.fffffep127, 0x1p-149, -0x1p-149 },
      float64 = { math.huge, -math.huge, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0x1p-1074, -0x1p-1074 },
      int16 = { -32768, 32767 }, uint16 = { 0, 65535 }, int32 = { -1 << 31, (1 << 31) - 1 }, uint32 = { 0, 0xffffffff },
      int64 = { math.mininteger, math.maxinteger }, uint64 = { 0, -1 } }
    for dtype, list in pairs(extremes) do
      local descending, n = math.random(2) == 1, math.random(66000, 140000)
      local t = {}
      for k = 1, n do
        local v = floats[dtype] and (math.random() - 0.5) * 10.0 ^ math.random(-30, 30) or value(dtype)
        t[k] = math.random(20) == 1 and list[math.random(#list)] or v
      end
      local a = dc.array(t, dtype)
      local want = a:to_table()
      table.sort(want, function(p, q) return before(dtype, p, q, descending) end)
      same_values(want, a:sort { descending = descending }:to_table(), ("%s of %d"):format(dtype, n))
    end
  end)

  it("give the order of long rows, whatever the bits in which keys differ", function()
    local outlier = math.random(70000)
    local kinds = {
      { "int64", function() return math.random(0) end },
      { "int64", function() return math.random(-5, 1000) end },
      { "uint64", function(k) return k == outlier and -1 or math.random(0, 1 << 20) end },
      { "int64", function(k) return k % 2 == 0 and 1 << 61 or math.random(0, 300) << 40 | math.random(0, 3) end },
      { "int32", function() return 7 end },
      { "float64", function(k) return k == outlier and nan or (math.random() - 0.5) * 10.0 ^ math.random(-9, 9) end },
      { "float32", function(k) return k % 9 == 0 and -0.0 or k % 7 == 0 and 0.0 or math.random() - 0.3 end },
    }
    each_way(function()
      for _, kind in ipairs(kinds) do
        local dtype, n, descending = kind[1], math.random(70000, 72000), math.random(2) == 1
        local t = {}
        for k = 1, n do t[k] = kind[2](k) end
        local a = dc.array(t, dtype)
        h.same(order_of(a:to_table(), dtype, descending), a:argsort { descending = descending }:to_table(), dtype)
      end
    end)
  end)

  it("give the order of rows whose keys have their highest bits in common, all, many or few of them", function()
    local kinds = {
      { "int64", function(k) return k == 3 and 1 << 60 or math.random(0, 9) end },
      { "int64", function(k) return (k < 70 and k << 40 or 5 << 50) + math.random(0, 1 << 20) end },
      { "int64", function() return math.random(0, 30) << 58 | math.random(0, 1 << 30) end },
      { "int64", function(k) return k % 16 == 0 and 1 << 62 or math.random(1 << 50) end },
      { "uint64", function(k) return k % 2 == 0 and -math.random(1 << 30) or math.random(1 << 30) end },
      { "float64", function(k) return k == 5 and -4.0 or 1 + math.random() * 1e-12 end },
      { "float64", function(k) return k % 3 + math.random(0, 40) * 2.0 ^ -40 end },
      { "float32", function(k) return k % 30 == 0 and -9.0 or 1 + math.random(0, 200) * 2.0 ^ -23 end },
      { "int32", function(k) return k % 50 == 0 and -1 << 31 or math.random(0, 200) end },
    }
    each_way(function()
      for _, kind in ipairs(kinds) do
        for _, most in ipairs { 32, 64, 1500, 4200 } do
          local t, n = {}, math.random(most // 2, most)
          for k = 1, n do t[k] = kind[2](k) end
          check_sorted(t, kind[1], math.random(2) == 1, ("%s of %d"):format(kind[1], n))
        end
      end
    end)
  end)

  it("keep NaN last, and both zeros in their order, in a long row that has one of each", function()
    local t = {}
    for k = 1, 66000 do t[k] = math.random(-5, 5) + 0.5 end
    t[1000], t[2000], t[3000] = nan, 0.0, -0.0
    local got = dc.array(t, "float32"):sort():to_table()
    assert.is_true(is_nan(got[#t]))
    t[1000] = math.huge
    table.sort(t)
    for k = 1, #t - 1 do assert.equal(t[k], got[k]) end
    local first = 1
    while got[first] < 0 do first = first + 1 end
    assert.equal("0.0 -0.0", got[first] .. " " .. got[first + 1])
  end)

  it("keep the bits of NaN and of zeros, in the order in which they stand", function()
    local formats = { float16 = { "<I2", 0x7c00, 1 << 15 }, bfloat16 = { "<I2", 0x7f80, 1 << 15 },
      float32 = { "<I4", 0x7f800000, 1 << 31 }, float64 = { "<I8", 0x7ff << 52, 1 << 63 } }
    for dtype, format in pairs(formats) do
      local infinity, sign, descending = format[2], format[3], math.random(2) == 1
      for _, shape in ipairs { { 1, math.random(130, 900) }, { 1, math.random(70000, 90000) }, { 9, 300 } } do
        local parts, want = {}, {}
        for r = 1, shape[1] do
          local numbers, zeros, nans, all, text = {}, {}, {}, {}, {}
          for k = 1, shape[2] do
            local kind, bits_ = math.random(20), math.random(0, infinity)
            if kind == 1 then bits_ = 0 elseif kind == 2 then bits_ = infinity + math.random(1, 99) end
            if math.random(2) == 1 then bits_ = bits_ | sign end
            local size = bits_ & ~sign
            local list = size == 0 and zeros or size > infinity and nans or numbers
            list[#list + 1], text[k] = bits_, string.pack(format[1], bits_)
          end
          table.move(zeros, 1, #zeros, #numbers + 1, numbers)
          local function key(b) return b & sign ~= 0 and -(b & ~sign) or b end
          local place = {}
          for k, b in ipairs(numbers) do all[k], place[k] = b, k end
          table.sort(place, function(i, j)
            local x, y = key(all[i]), key(all[j])
            if x ~= y then return descending and x > y or not descending and x < y end
            return i < j
          end)
          for _, at in ipairs(place) do want[#want + 1] = string.pack(format[1], all[at]) end
          for _, b in ipairs(nans) do want[#want + 1] = string.pack(format[1], b) end
          parts[r] = table.concat(text)
        end
        local a = dc.from_bytes(table.concat(parts), shape, dtype)
        local got = a:sort { descending = descending }:bytes()
        assert(got == table.concat(want), note(("%s, %d rows of %d"):format(dtype, shape[1], shape[2])))
      end
    end
  end)

  it("order rows of lengths around those of a warp, a block and a tile", function()
    each_way(function()
      for _, n in ipairs { 32, 33, 128, 129, 384, 385, 3840, 3841, 7680, 7681 } do
        check_sorted(values(n, "float32"), "float32", false, "length " .. n)
      end
      check_sorted(values(3841, "int64"), "int64", true, "of 64 bits")
    end)
  end)

  it("order several tiles, each of whose digits begin after those of earlier tiles", function()
    each_way(function()
      for _, dtype in ipairs { "float32", "uint8", "int16", "float64", "bool" } do
        local n = math.random(9000, 25000)
        check_sorted(values(n, dtype), dtype, math.random(2) == 1, dtype .. " of " .. n)
      end
    end)
  end)

  it("order sequences that are sorted, reversed or constant", function()
    local n = 10000
    local up, down, same = {}, {}, {}
    for k = 1, n do up[k], down[k], same[k] = k, n - k, 7 end
    for _, t in ipairs { up, down, same } do check_sorted(t, "int32", false, "a simple sequence") end
  end)

  it("work along any axis, also of views and pending expressions", function()
    for _ = 1, 12 do
      local shape = h.shape(math.random(1, 3), 6)
      local axis = math.random(#shape)
      shape[axis] = math.random(3) == 1 and 200 or shape[axis]
      local n, step = h.product(shape), 1
      local flat = h.ints(n, -20, 20)
      for d = axis + 1, #shape do step = step * shape[d] end
      local want, places = {}, {}
      for k = 0, n - 1 do
        if k // step % shape[axis] == 0 then
          local row = {}
          for j = 1, shape[axis] do row[j] = flat[k + (j - 1) * step + 1] end
          for j, from in ipairs(order_of(row, "int32")) do
            want[k + (j - 1) * step + 1], places[k + (j - 1) * step + 1] = row[from], from
          end
        end
      end
      local a = dc.array(flat, "int32"):reshape(shape)
      for _, x in ipairs { a, a.T:copy().T, a + 0 } do
        local sorted = x:sort(axis)
        assert.is_true(sorted.contiguous)
        h.same(want, sorted:reshape(-1):to_table(), "axis " .. axis)
        h.same(places, x:argsort(axis - #shape - 1):reshape(-1):to_table(), "places along axis " .. axis)
      end
    end
  end)

  it("order many rows longer than a tile at once", function()
    local rows, n = 3, 8000
    local a = dc.array(h.ints(rows * n, -1e9 // 1, 1e9 // 1), "int32"):reshape(rows, n)
    local sorted, places = a:sort(), a:argsort { descending = true }
    for r = 1, rows do
      local t, want = a[r]:to_table(), {}
      for k, from in ipairs(order_of(t, "int32")) do want[k] = t[from] end
      h.same(want, sorted[r]:to_table(), "row " .. r)
      h.same(order_of(t, "int32", true), places[r]:to_table(), "places of row " .. r)
    end
  end)

  it("take tables, empty arrays and options", function()
    h.same({ 1, 2, 3 }, dc.sort { 3, 1, 2 }:to_table())
    h.same({ 2, 3, 1 }, dc.argsort({ 3, 1, 2 }):to_table())
    assert.equal(0, dc.empty(0):sort().size)
    assert.equal(0, dc.empty(3, 0):argsort().size)
    assert.equal(0, dc.empty(0, 3):argsort().size)
    h.same({ 3, 4, 1, 2 }, dc.array { { 3, 4 }, { 1, 2 } }:sort(1, { descending = true }):reshape(-1):to_table())
    h.same({ 1, 2, 3, 4 }, dc.array { { 3, 4 }, { 1, 2 } }:sort { axis = 1 }:reshape(-1):to_table())
  end)

  it("refuse complex dtypes and invalid arguments", function()
    local a = dc.ones(2, 3)
    fails("shape", "without axes", function() dc.array(3):sort() end)
    for _, name in ipairs { "sort", "argsort" } do
      fails("dtype", name .. ": complex64 arrays have no order", function() dc[name](dc.ones(3, "complex64")) end)
    end
    fails("index", "axis 3 is out of range: there are 2", function() a:sort(3) end)
    fails("index", "axis 0", function() a:argsort(0) end)
    fails("argument", "an axis is an integer, got the number 1.5", function() a:sort(1.5) end)
    fails("argument", "no option 'descend' %(did you mean 'descending'%?%); there are axis, descending, key, less, "
      .. "offsets and values", function() a:sort { descend = true } end)
    fails("argument", "'descending' is a boolean", function() a:sort { descending = 1 } end)
    fails("argument", "'sort' takes an array", function() dc.sort() end)
    fails("argument", "got nil", function() dc.sort(nil) end)
    fails("argument", "the array is closed", function()
      local x = dc.ones(3)
      x:close()
      x:sort()
    end)
  end)
end)

describe("topk", function()
  it("gives the largest or smallest values with their indices", function()
    for _, dtype in ipairs { "float32", "int16", "uint64", "float64" } do
      for _, n in ipairs { 1, 50, 700, 9000 } do
        local a = dc.array(values(n, dtype), dtype)
        local t, k, smallest = a:to_table(), math.random(0, n), math.random(2) == 1
        local at, want = order_of(t, dtype, not smallest), {}
        for j = 1, k do want[j] = t[at[j]] end
        local got, places = a:topk(k, { smallest = smallest })
        same_values(want, got:to_table(), dtype)
        h.same(table.move(at, 1, k, 1, {}), places:to_table(), dtype)
        assert.equal("int64", places.dtype)
        assert(got.contiguous and places.contiguous)
      end
    end
  end)

  it("works along an axis", function()
    local a = dc.array { { 1, 9, 5 }, { 7, 2, 8 } }
    local v, at = a:topk(2)
    h.same({ 9, 5, 8, 7 }, v:reshape(-1):to_table())
    h.same({ 2, 3, 3, 1 }, at:reshape(-1):to_table())
    v, at = a:topk(1, 1)
    h.same({ 7, 9, 8 }, v:reshape(-1):to_table())
    h.same({ 2, 1, 2 }, at:reshape(-1):to_table())
  end)

  it("finds the first values of each row, with ties and NaN", function()
    for _, dtype in ipairs { "float32", "int8", "uint16", "int64", "float64", "float16" } do
      local lengths = { 4, 31, 32, 33, 130, 1100, 5000 }
      local rows, n = math.random(1, 6), lengths[math.random(#lengths)]
      local a = dc.array(values(rows * n, dtype), dtype):reshape(rows, n)
      if math.random(3) == 1 then a = a:sort(2, { descending = math.random(2) == 1 }) end
      local t = a:reshape(-1):to_table()
      for _, smallest in ipairs { false, true } do
        local k = math.random(1, math.min(40, n))
        local keys, places = a:topk(k, { axis = 2, smallest = smallest })
        for r = 1, rows do
          local row, want = table.move(t, (r - 1) * n + 1, r * n, 1, {}), {}
          local at = order_of(row, dtype, not smallest)
          for j = 1, k do want[j] = row[at[j]] end
          same_values(want, keys[r]:to_table(), dtype)
          h.same(table.move(at, 1, k, 1, {}), places[r]:to_table(), dtype)
        end
      end
    end
  end)

  it("finds the first values of a long row with ties and NaN", function()
    for _, case in ipairs { { "float32", 70000 }, { "int64", 66000 }, { "uint8", 66000 }, { "float64", 66000 } } do
      local dtype, n = table.unpack(case)
      local few = math.random(2) == 1
      local t = {}
      for k = 1, n do
        t[k] = few and math.random(0, 3) or dtype == "uint8" and math.random(0, 255) or math.random(-1 << 40, 1 << 40)
      end
      if floats[dtype] then
        for _ = 1, 50 do t[math.random(n)] = nan end
        t[math.random(n)] = -math.huge
      end
      local a = dc.array(t, "float64"):to(dtype):eval()
      t = a:to_table()
      for _, smallest in ipairs { false, true } do
        local k = math.random(1, smallest and 32 or 3000)
        local at, want = order_of(t, dtype, not smallest), {}
        for j = 1, k do want[j] = t[at[j]] end
        local got, places = a:topk(k, { smallest = smallest })
        same_values(want, got:to_table(), dtype)
        h.same(table.move(at, 1, k, 1, {}), places:to_table(), dtype)
      end
      local column = a:reshape(n, 1):topk(2, 1)
      h.same({ 2, 1 }, { column:shape() })
    end
  end)

  it("refuses more values than there are", function()
    fails("argument", "an integer of 0 to 3, got the number 4", function() dc.ones(3):topk(4) end)
    fails("argument", "how many", function() dc.ones(3):topk(-1) end)
    fails("argument", "how many", function() dc.ones(3):topk(1.5) end)
    fails("argument", "'topk' takes", function() dc.ones(3):topk() end)
  end)
end)

describe("unique", function()
  it("gives each value once, with counts and the inverse", function()
    h.each_way(function()
      for _, dtype in ipairs(dtypes) do
        for _, n in ipairs { 1, 40, math.random(200, 600), 9000 } do
          if n < 9000 or dtype == "float32" then
            local a = dc.array(values(n, dtype), dtype)
            local t, want, counts, numbers = a:to_table(), {}, {}, {}
            for _, from in ipairs(order_of(t, dtype)) do
              local v, last = t[from], want[#want]
              if #want == 0 or not (v == last or (is_nan(v) and is_nan(last))) then want[#want + 1] = v end
              counts[#want] = (counts[#want] or 0) + 1
              numbers[from] = #want
            end
            local got, how_many, inverse = a:unique { counts = true, inverse = true }
            same_values(want, got:to_table(), dtype .. " of " .. n)
            h.same(counts, how_many:to_table(), dtype)
            h.same(numbers, inverse:to_table(), dtype)
            local second
            got, second = a:unique { inverse = true }
            same_values(want, got:to_table(), dtype)
            h.same(numbers, second:to_table(), dtype)
            h.same(counts, select(2, a:unique { counts = true }):to_table(), dtype)
          end
        end
      end
    end, { "as_gpu" })
  end)

  it("takes any shape", function()
    local got, inverse = dc.array { { 3, 1 }, { 1, 2 } }:unique { inverse = true }
    h.same({ 1, 2, 3 }, got:to_table())
    h.same({ 3, 1, 1, 2 }, inverse:reshape(-1):to_table())
    assert.equal(2, inverse.ndim)
    assert.equal(0, dc.unique(dc.empty(0)).size)
    assert.equal(1, dc.unique(dc.array(5)).size)
    fails("argument", "there is no option 'count'", function() dc.unique({ 1 }, { count = true }) end)
  end)
end)

describe("searchsorted", function()
  local function place(t, v, dtype, right)
    for k = 1, #t do
      if right and before(dtype, v, t[k]) or not right and not before(dtype, t[k], v) then return k end
    end
    return #t + 1
  end

  it("finds the position of values, left or right of equal ones", function()
    for _, dtype in ipairs { "int32", "float32", "uint8", "float64" } do
      for _, n in ipairs { 0, 1, 2, 100 } do
        local sorted = dc.array(values(n, dtype), dtype)
        if n > 0 then sorted = sorted:sort() else sorted = dc.empty(0, dtype) end
        local wanted = dc.array(values(60, dtype), dtype)
        local t, w = sorted:to_table(), wanted:to_table()
        for _, side in ipairs { "left", "right" } do
          local want = {}
          for k, v in ipairs(w) do want[k] = place(t, v, dtype, side == "right") end
          h.same(want, dc.searchsorted(sorted, wanted, side):to_table(), dtype .. " " .. side)
        end
      end
    end
  end)

  it("takes numbers, tables and other dtypes", function()
    local a = dc.array({ 10, 20, 30 }, "int32")
    assert.equal(2, a:searchsorted(15):item())
    assert.equal(3, a:searchsorted(20.5):item())
    h.same({ 1, 2, 4 }, a:searchsorted({ 10, 10.5, 99 }):to_table())
    h.same({ 2, 4 }, a:searchsorted(dc.array({ 11, 300 }, "int64")):to_table())
    h.same({ 2, 1, 3, 4 }, a:searchsorted(dc.array { { 10, 9 }, { 29, 30 } }, "right"):reshape(-1):to_table())
  end)

  it("refuses arguments that do not fit", function()
    local a = dc.array { 1, 2, 3 }
    fails("argument", '"left" or "right", got', function() a:searchsorted(1, "middle") end)
    fails("shape", "has 1 axis, this one has 2", function() dc.ones(2, 2):searchsorted(1) end)
    fails("argument", "'searchsorted' takes", function() a:searchsorted() end)
    fails("argument", "expected for the second argument", function() a:searchsorted "x" end)
  end)
end)
