-- Small arrays of a device whose memory is the host's: algorithms, copies and index arrays launch no kernel for them,
-- and give what plain Lua and the kernels give.
local helper = require "spec.helper"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local each_way, note, same = helper.each_way, helper.note, helper.same

local nan, inf = 0 / 0, math.huge
local on_host = dc.device().host_memory and dc.device().blocking

-- Launches of fn's, and its results.
local function launches(fn, ...)
  dc.stats "reset"
  local list = table.pack(fn(...))
  return dc.stats().launches, table.unpack(list, 1, list.n)
end

local function no_launch(text, fn, ...)
  fn(...) -- what is made on first use
  local n, a, b, c = launches(fn, ...)
  if on_host then assert.equal(0, n, note(text)) end
  return a, b, c
end

-- n numbers with many equal ones and those that are special.
local specials = { nan, inf, -inf, 0.0, -0.0, -nan }
local function numbers(n, dtype)
  local t = {}
  for i = 1, n do
    if dtype:find "float" then
      t[i] = math.random(4) == 1 and specials[math.random(#specials)] or math.random(-20, 20) / 4
    elseif dtype == "bool" then
      t[i] = math.random(2) == 1
    elseif dtype:find "^u" then
      t[i] = math.random(0, 40)
    else
      t[i] = math.random(-40, 40)
    end
  end
  return t
end

-- The order of sort: NaN last in both directions, -0 equals 0.
local function before(descending)
  return function(a, b)
    if a ~= a then return false end
    if b ~= b then return true end
    if type(a) == "boolean" then a, b = a and 1 or 0, b and 1 or 0 end
    if descending then return a > b end
    return a < b
  end
end

local function stable_order(t, descending)
  local order, less = {}, before(descending)
  for i = 1, #t do
    local j = i
    while j > 1 and less(t[i], t[order[j - 1]]) do
      order[j] = order[j - 1]
      j = j - 1
    end
    order[j] = i
  end
  return order
end

local function shown(v) return type(v) == "number" and ("%a"):format(v):gsub("%-?nan", "nan") or tostring(v) end
local function all_shown(t)
  local list = {}
  for i, v in ipairs(t) do list[i] = shown(v) end
  return list
end

local dtypes = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64" }

describe("of small arrays", function()
  it("rows of a cache line and more are read by indices without a launch", function()
    for _, dtype in ipairs { "uint8", "float32", "float64" } do
      local rows, width, count = math.random(2, 90), math.random(64, 150), math.random(70, 200)
      local t, a = numbers(rows * width, dtype), nil
      a = dc.array(t, dtype)
      t = a:to_table()
      local index, want = helper.ints(count, 1, rows), {}
      for _, r in ipairs(index) do table.move(t, (r - 1) * width + 1, r * width, #want + 1, want) end
      local text = ("%s, %d of %d rows of %d"):format(dtype, count, rows, width)
      local ix = dc.array(index, "int32")
      local got = no_launch(text, function() return a:reshape(rows, width)[ix]:eval() end)
      same(all_shown(want), all_shown(got:reshape(count * width):to_table()), text)
    end
  end)

  it("sort, argsort and unique are stable, with NaN last", function()
    for _, dtype in ipairs(dtypes) do
      for _, n in ipairs { 1, math.random(2, 32), math.random(33, 63), math.random(64, 300) } do
        local t = numbers(n, dtype)
        local a, descending = dc.array(t, dtype), math.random(2) == 1
        t = a:to_table()
        local order, keys = stable_order(t, descending), {}
        for i, k in ipairs(order) do keys[i] = t[k] end
        local text = ("%s, %d%s"):format(dtype, n, descending and ", descending" or "")
        local got = no_launch(text, dc.argsort, a, { descending = descending })
        same(order, got:to_table(), text)
        same(all_shown(keys), all_shown(a:sort { descending = descending }:to_table()), text)
        local values, counts, inverse = no_launch(text, dc.unique, a, { counts = true, inverse = true })
        order = stable_order(t, false)
        local v, c, where, less = {}, {}, {}, before(false)
        for i, k in ipairs(order) do
          if i == 1 or less(t[order[i - 1]], t[k]) then
            v[#v + 1], c[#c + 1] = t[k], 0
          end
          c[#c], where[k] = c[#c] + 1, #v
        end
        same(all_shown(v), all_shown(values:to_table()), text)
        same(c, counts:to_table(), text)
        same(where, inverse:to_table(), text)
      end
    end
  end)

  it("digits that keys have in common do not matter", function()
    local t = {}
    for i = 1, 200 do t[i] = (math.random(0, 3) << 40) + (math.random(0, 255) << 8) - (1 << 41) end
    local order, keys = stable_order(t), {}
    for i, k in ipairs(order) do keys[i] = t[k] end
    same(order, dc.array(t, "int64"):argsort():to_table())
    same(keys, dc.array(t, "int64"):sort():to_table())
  end)

  it("a digit that all keys but one have in common does matter", function()
    for _, dtype in ipairs { "int16", "uint32", "int64" } do
      local size, n = helper.itemsize[dtype], math.random(40, 200)
      for digit = 0, size - 1 do
        local t = {}
        for i = 1, n do t[i] = digit == 0 and 5 or math.random(0, 3) end
        t[math.random(n)] = digit == size - 1 and 1 << 8 * digit or 200 << 8 * digit -- within the signed dtypes
        local order, keys = stable_order(t), {}
        for i, k in ipairs(order) do keys[i] = t[k] end
        same(order, dc.array(t, dtype):argsort():to_table(), note(dtype))
        same(keys, dc.array(t, dtype):sort():to_table(), note(dtype))
      end
    end
  end)

  it("searchsorted converts keys and values of two dtypes to one", function()
    for _ = 1, 30 do
      local one, two = dtypes[math.random(2, #dtypes)], dtypes[math.random(2, #dtypes)]
      local n = math.random(1, 50)
      local a, v = dc.array(numbers(n, one), one):sort(), dc.array(numbers(n, two), two)
      local s, want, less = a:to_table(), {}, before(false)
      for i, wanted in ipairs(v:to_table()) do
        local at = 1
        while at <= n and less(s[at], wanted) do at = at + 1 end
        want[i] = at
      end
      same(want, dc.searchsorted(a, v):to_table(), ("%s in %s"):format(two, one))
    end
  end)

  it("searchsorted, bincount, selections and nonzero", function()
    for _, dtype in ipairs(dtypes) do
      local n = math.random(1, 200)
      local a, v = dc.array(numbers(n, dtype), dtype):sort(), dc.array(numbers(n, dtype), dtype)
      local s, t, less = a:to_table(), v:to_table(), before(false)
      for _, side in ipairs { "left", "right" } do
        local want = {}
        for i, wanted in ipairs(t) do
          local at = 1
          while at <= n and (less(s[at], wanted) or (side == "right" and not less(wanted, s[at]))) do at = at + 1 end
          want[i] = at
        end
        same(want, no_launch(dtype, dc.searchsorted, a, v, side):to_table(), dtype .. side)
      end
      local mask, kept, places = {}, {}, {}
      for i = 1, n do
        mask[i] = math.random(3) == 1
        if mask[i] then kept[#kept + 1], places[#places + 1] = t[i], i end
      end
      local m = dc.array(mask)
      same(all_shown(kept), all_shown(no_launch(dtype, dc.select, v, m):to_table()), dtype)
      same(all_shown(kept), all_shown(v[m]:to_table()), dtype)
      same(places, no_launch(dtype, dc.nonzero, m):to_table(), dtype)
      if not dtype:find "float" then
        local x = dtype == "bool" and v or dc.abs(v):eval()
        local counts, least = {}, math.random(0, 60)
        for _, k in ipairs(x:to_table()) do
          k = k == true and 1 or k == false and 0 or k
          counts[k + 1] = (counts[k + 1] or 0) + 1
        end
        local got = no_launch(dtype, dc.bincount, x, { minlength = least }):to_table()
        local most = 0
        for k in pairs(counts) do most = math.max(most, k) end
        assert.equal(math.max(least, most), #got)
        for k = 1, #got do assert.equal(counts[k] or 0, got[k], note(dtype)) end
      end
    end
    assert.has_error(function() dc.bincount(dc.array({ 1, -1 }, "int32")) end)
    assert.equal(0, dc.zeros({ 0 }, "int32"):bincount().size)
    assert.equal(0, dc.zeros { 0 }:sort().size)
    assert.equal(0, dc.zeros { 0 }:unique().size)
    assert.equal(0, dc.zeros { 0 }[dc.zeros({ 0 }, "bool")].size)
    same({ 1, 1 }, dc.zeros { 0 }:searchsorted { 1, 2 }:to_table())
  end)

  it("prefix sums and products wrap around, along any axis of any view", function()
    for _, dtype in ipairs { "int8", "uint16", "int32", "int64", "uint64", "bool" } do
      local rows, cols = math.random(1, 20), math.random(1, 70)
      local base = dc.array(numbers(rows * cols, dtype), dtype):reshape(rows, cols)
      for _, a in ipairs { base, base.T, base[{ { -1, 1, -1 }, { -1, 1, -1 } }] } do
        local axis = math.random(2)
        local t, h, w = a:to_table(), a:shape()
        local sums = no_launch(dtype, dc.cumsum, a, axis):to_table()
        local products = no_launch(dtype, dc.cumprod, a, axis):to_table()
        for i = 1, h do
          for j = 1, w do
            local v = t[i][j] == true and 1 or t[i][j] == false and 0 or t[i][j]
            local from_i, from_j = i - (axis == 1 and 1 or 0), j - (axis == 2 and 1 or 0)
            local first = from_i == 0 or from_j == 0
            assert.equal(first and v or sums[from_i][from_j] + v, sums[i][j], note(dtype))
            assert.equal(first and v or products[from_i][from_j] * v, products[i][j], note(dtype))
          end
        end
      end
    end
  end)

  it("long rows of integers, too", function()
    for _, dtype in ipairs { "int32", "uint8", "bool" } do
      local t = numbers(math.random(2049, 9000), dtype)
      local a = dc.array(t, dtype)[{ { -1, 1, -1 } }]
      local sums = no_launch(dtype, dc.cumsum, a):to_table()
      local products = no_launch(dtype, dc.cumprod, a):to_table()
      local sum, product = 0, 1
      for i = 1, #t do
        local v = t[#t + 1 - i]
        v = v == true and 1 or v == false and 0 or v
        sum, product = sum + v, product * v
        if sums[i] ~= sum or products[i] ~= product then
          assert.equal(sum, sums[i], note(i))
          assert.equal(product, products[i], note(i))
        end
      end
    end
  end)

  it("an array of integers that a few threads would scan more slowly, too", function()
    local n = (1 << 18) + math.random(1000)
    for _, dtype in ipairs { "int8", "int64" } do
      local a = dc.random.integers({ 2, n // 2 }, { low = -9, high = 9 }):to(dtype):eval()
      local rows, all = dc.cumsum(a), a:reshape(-1):cumsum()
      local first
      each_way(function()
        local list = { dc.cumsum(a):bytes(), a:reshape(-1):cumsum():bytes() }
        first = first or list
        assert.is_true(list[1] == first[1] and list[2] == first[2], note(dtype))
      end, { "serial" })
      assert.equal(a[1]:sum():item(), rows[{ 1, n // 2 }], note(dtype))
      assert.equal(a:sum():item(), all[n // 2 * 2], note(dtype))
    end
  end)

  it("have the bits that the kernels give", function()
    local inputs = {}
    for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
      for _, n in ipairs { math.random(1, 64), math.random(65, 128), math.random(129, 2048) } do
        for _, scale in ipairs { 1, 2.0 ^ 40 } do
          local x = dc.random.normal(3, n, { dtype = "float64" }) * scale
          if dtype:find "complex" then x = x + dc.random.normal(3, n, { dtype = "float64" }) * dc.complex(0, 1) end
          inputs[#inputs + 1] = x:to(dtype):eval()
        end
      end
    end
    inputs[#inputs + 1] = dc.array({ { inf, 1, -inf, 2, nan, -0.0 }, { -0.0, -0.0, 1, 2, 3, 4 } }, "float32")
    local spiked = dc.random.normal(2, 300):eval()
    spiked[{ 1, 150 }], spiked[{ 2, 7 }] = 3e38, nan
    inputs[#inputs + 1] = spiked
    local first
    each_way(function()
      local list = {}
      for _, x in ipairs(inputs) do
        for _, f in ipairs { dc.cumsum, dc.cumprod } do
          for axis = 1, 2 do
            list[#list + 1] = f(x, axis)
            list[#list + 1] = f(x[{ ":", { -1, 1, -1 } }], axis)
          end
          list[#list + 1] = f(x.T:copy(), 1)
        end
        if not x.dtype:find "complex" then list[#list + 1] = x:sort(1) end
      end
      for i, a in ipairs(list) do list[i] = dc.where(dc.isnan(a), 0, a):bytes() .. dc.isnan(a):bytes() end
      first = first or list
      for i, bytes in ipairs(list) do assert.is_true(bytes == first[i], note("result " .. i)) end
    end, { "serial" })
  end)

  it("additions by index are those of the kernels", function()
    for _, dtype in ipairs { "float32", "float64", "int32", "uint8", "int64" } do
      local extent, n, width = math.random(1, 50), math.random(1, 400), math.random(1, 3)
      local a = (dc.random.normal(extent, width) * 50 + 100):to(dtype):eval()
      local v = (dc.random.normal(n, width) * 3 + 9):to(dtype):eval()
      local at = dc.random.integers(n, { low = 1, high = extent })
      at[1] = -1
      local first
      for _, way in ipairs { "", "serial" } do
        algorithm[way] = way ~= "" or nil
        local ok, got = pcall(function() return a:copy():scatter_add(at, v):bytes() end)
        algorithm[way] = nil
        assert(ok, got)
        first = first or got
        assert.is_true(first == got, note(dtype))
      end
      local b = a:copy()
      no_launch(dtype, dc.scatter_add, b, at, v)
      b = a:copy()
      at[n] = extent + 1
      assert.has_error(function() b:scatter_add(at, v) end)
      assert.is_true(b:bytes() == a:bytes())
    end
    local w = dc.random.uniform(100, { dtype = "float64" }):eval()
    local x, want = dc.random.integers(100, { low = 0, high = 5 }):eval(), { 0, 0, 0, 0, 0, 0 }
    for i = 1, 100 do want[x[i] + 1] = want[x[i] + 1] + w[i] end
    for k, sum in ipairs(x:bincount { weights = w, minlength = 6 }:to_table()) do -- on a GPU in another order
      assert.is_true(math.abs(sum - want[k]) <= 1e-13 * want[k], note(k))
    end
  end)

  it("views are copied, and rows read by indices, in any layout", function()
    for _, dtype in ipairs { "uint8", "float16", "float32", "int64", "complex128", "bool" } do
      local h, w, d = math.random(1, 9), math.random(1, 9), math.random(1, 9)
      local base = dc.random.integers(h * w * d, { low = 0, high = 1 }):to(dtype):reshape(h, w, d):eval()
      local t = base:to_table()
      local got = no_launch(dtype, function() return base[{ { -1, 1, -1 }, ":", { -1, 1, -1 } }]:copy() end):to_table()
      local turned = no_launch(dtype, function() return base:transpose(3, 1, 2):copy() end):to_table()
      local wide = no_launch(dtype, function() return base[{ ":", ":", { 1, 1 } }]:broadcast_to(h, w, 4):copy() end)
      local wider = wide:to_table()
      for i = 1, h do
        for j = 1, w do
          for k = 1, d do
            assert.equal(t[h + 1 - i][j][d + 1 - k], got[i][j][k], note(dtype))
            assert.equal(t[i][j][k], turned[k][i][j], note(dtype))
          end
          for k = 1, 4 do assert.equal(t[i][j][1], wider[i][j][k], note(dtype)) end
        end
      end
      local at, meant = {}, {}
      for i = 1, 20 do
        meant[i] = math.random(h)
        at[i] = math.random(2) == 1 and meant[i] or meant[i] - h - 1
      end
      local index = dc.array(at, "int16")
      local rows = no_launch(dtype, function() return base[index] end):to_table()
      local backwards = no_launch(dtype, function() return base[{ { -1, 1, -1 } }][index] end):to_table()
      for i = 1, 20 do
        for j = 1, w do
          for k = 1, d do
            assert.equal(t[meant[i]][j][k], rows[i][j][k], note(dtype))
            assert.equal(t[h + 1 - meant[i]][j][k], backwards[i][j][k], note(dtype))
          end
        end
      end
      assert.has_error(function() return base[dc.array({ h + 1 }, "int32")] end)
    end
    local a = dc.arange(1, 10)
    a[{ { 2, 10 } }] = a[{ { 1, 9 } }] -- overlapping
    same({ 1, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, a:to_table())
    a[":"] = a[{ { -1, 1, -1 } }]
    same({ 9, 8, 7, 6, 5, 4, 3, 2, 1, 1 }, a:to_table())
  end)

  it("equal halves of complex numbers are filled in without a kernel", function()
    for _, v in ipairs { 0, dc.complex(2.5, 2.5), dc.complex(0, -0.0), dc.complex(1, 2) } do
      local a = dc.ones(7, "complex128")
      local n = launches(function() a:fill(v) end)
      local re, im = v == 0 and 0.0 or v.re, v == 0 and 0.0 or v.im
      if on_host and (re == im and 1 / re == 1 / im) then assert.equal(0, n) end
      for i = 1, 7 do
        assert.equal(re, a[i].re)
        assert.equal(shown(im), shown(a[i].im))
      end
    end
  end)

  it("inner products of integers wrap around", function()
    for _, dtype in ipairs { "int8", "uint8", "int32", "uint64" } do
      local n = math.random(1, 200)
      local x, y = dc.array(numbers(n, dtype), dtype), dc.array(numbers(n, dtype), dtype)
      local want, bits = 0, 8 * tonumber(dtype:match "%d+") // 8
      for i = 1, n do want = want + x[i] * y[i] end
      if bits < 64 then
        want = want & (1 << bits) - 1
        if dtype:find "^i" and want >> (bits - 1) == 1 then want = want - (1 << bits) end
      end
      assert.equal(want, dc.dot(x, y):item(), note(dtype))
      assert.equal(dtype, dc.dot(x, y).dtype)
    end
    assert.equal(0, dc.dot(dc.zeros({ 0 }, "int32"), dc.zeros({ 0 }, "int32")):item())
  end)

  it("are computed again by a graph, and behind what other streams do", function()
    local x = dc.random.normal(50):eval()
    local at = dc.array({ 3, -1 }, "int32")
    local sorted, order, sums, reversed
    local g = dc.graph(function()
      sorted, order, sums, reversed = x:sort(), x:argsort(), x:cumsum(), x[{ { -1, 1, -1 } }]:copy()
    end)
    for _ = 1, 2 do
      x[":"] = dc.random.normal(50)
      x[at] = dc.array { 7, 8 }
      g()
      same(x:sort():to_table(), sorted:to_table())
      same(x:argsort():to_table(), order:to_table())
      same(x:cumsum():to_table(), sums:to_table())
      same(x[{ { -1, 1, -1 } }]:to_table(), reversed:to_table())
    end
    local s, t = dc.stream(), dc.stream()
    for _ = 1, 20 do
      local y = dc.using(s, function() return (x * 2):eval() end)
      local z = dc.using(t, function() return y:sort() end)
      dc.using(s, function() y:fill(0) end)
      local doubled = x:sort():to_table()
      for i = 1, 50 do doubled[i] = 2 * doubled[i] end
      same(doubled, z:to_table())
    end
  end)
end)
