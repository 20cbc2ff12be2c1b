-- select and nonzero against plain Lua.
local dc = require "dotcompute"
local any = require "spec.any_dtype"
local h = require "spec.helper"
local fails, each_way = h.fails, h.each_way
local random_values, with_complex = any.values, any.with_complex
local nan = 0 / 0

describe("select and nonzero", function()
  it("keep selected elements in order, of every dtype", function()
    each_way(function()
      for _, dtype in ipairs(with_complex) do
        for _, n in ipairs { 1, 31, 4096, math.random(5000, 12000), dtype == "int16" and 70000 or 33 } do
          local share = ({ 0, 0.02, 0.5, 1 })[math.random(4)]
          local a, mask, want = dc.array(random_values(n, dtype), dtype), {}, {}
          local t = a:to_table()
          for k = 1, n do
            mask[k] = math.random() < share
            if mask[k] then want[#want + 1] = t[k] end
          end
          local got = a:select(dc.array(mask))
          assert.equal(dtype, got.dtype)
          assert.equal(1, got.ndim)
          h.same(want, got:to_table(), ("select %d of %d %s"):format(#want, n, dtype))
        end
      end
    end)
  end)

  it("give the indices of nonzero elements by axis", function()
    each_way(function()
      for _, dtype in ipairs(with_complex) do
        local shape = h.shape(math.random(1, 3), 20)
        local flat, want = {}, {}
        for d = 1, #shape do want[d] = {} end
        for k = 1, h.product(shape) do
          local v = math.random(0, 1)
          flat[k] = v
          if dtype == "bool" then flat[k] = v == 1 end
          if v == 1 and dtype:find "complex" then flat[k] = dc.complex(0, -2) end
          local rest = k - 1
          for d = #shape, 1, -1 do
            if v == 1 then want[d][#want[d] + 1] = rest % shape[d] + 1 end
            rest = rest // shape[d]
          end
        end
        local found = { dc.array(flat, dtype):reshape(shape):nonzero() }
        assert.equal(#shape, #found)
        for d = 1, #shape do
          assert.equal("int64", found[d].dtype)
          h.same(want[d], found[d]:to_table(), dtype .. ", axis " .. d)
        end
      end
      h.same({ 1, 3 }, dc.nonzero({ nan, -0.0, 1, 0 }):to_table())
    end)
  end)

  it("select a mask by itself, before and after the indices of its elements", function()
    each_way(function()
      for _, order in ipairs { "select, nonzero", "nonzero, select" } do
        local flat, trues, places = {}, {}, {}
        for k = 1, math.random(9000, 30000) do
          flat[k] = math.random() < 0.5
          if flat[k] then trues[#trues + 1], places[#places + 1] = true, k end
        end
        local mask = dc.array(flat)
        for what in order:gmatch "%a+" do
          h.same(what == "select" and trues or places,
            (what == "select" and mask[mask] or mask:nonzero()):to_table(), order)
        end
      end
    end)
  end)

  it("take views and expressions", function()
    each_way(function()
      local x = dc.arange(1, 10000)
      local even = dc.elementwise("float x", "bool y", "y = (int)x % 2 == 0")
      h.same({ 4, 8 }, (x * 2):slice({ 1, 4 }):select(even(x:slice { 1, 4 })):to_table())
      local m = dc.arange(1, 6):reshape(2, 3)
      h.same({ 4, 2, 6 }, m.T:select(even(m).T):to_table())
      for first = 2, 6 do -- at any alignment
        local part = x:slice { first, 9000 }
        local want = {}
        for v = first, 9000 do
          if v % 2 == 0 then want[#want + 1] = v end
        end
        h.same(want, part:select(even(x):slice { first, 9000 }):to_table(), "from " .. first)
      end
    end)
  end)

  it("take pending masks, also where the launch evaluates all pending expressions", function()
    assert(dc.ones(1).ptr ~= 0) -- from now on, kernels that take addresses do so
    local function check(what, a, make)
      local mask, t, want, places = make():eval():to_table(), a:to_table(), {}, {}
      for k = 1, #t do
        if mask[k] then
          want[#want + 1] = t[k]
          places[#places + 1] = k
        end
      end
      h.same(want, a[make()]:to_table(), what)
      h.same(places, make():nonzero():to_table(), "places: " .. what)
    end
    each_way(function()
      for _, dtype in ipairs(with_complex) do
        local n = math.random(1, 9000)
        local a, b = dc.array(random_values(n, dtype), dtype), dc.array(random_values(n, dtype), dtype)
        local masks = {
          function() return a:ne(0) end,
          function() return a:eq(b):logical_or(b:eq(0)) end,
          function() return b:ne(a) end,
          function() return (dc.arange(1, n, "int32") % 3):eq(1) end,
        }
        local which = math.random(#masks) -- each is a kernel to compile
        check(("%s, mask %d"):format(dtype, which), a, masks[which])
        local double = b:to("complex128"):eval()
        if dtype == "int8" then check("int8 by complex128", a, function() return double:eq(0) end) end
      end
      local n = math.random(5000, 9000)
      local x, y = dc.random.uniform(n + 1):eval(), dc.random.uniform(n + 1):eval()
      local v, w = x:slice { 1, n }, y:slice { 2, n + 1 } -- one of the two is not aligned
      check("two alignments", v, function() return (v * 2 - w):gt(0.5) end)
      check("a value for all", v, function() return v:gt(w:mean()) end)
      check("a row's values", v, function() return (v - v:mean()):gt(w:slice { 7, 7 } - 0.5) end)
      check("an index", v, function() return w[dc.arange(n, 1, -1):to "int64"]:gt(v) end)
      check("steps", v, function() return x[{ { n, 1, -1 } }]:gt(w) end)
      check("numbers", v, function() return dc.arange(1, n):gt(n / 2) end)
      check("functions", v, function() return (dc.sqrt(v) * w + 1):lt(dc.where(v:lt(0.2), w, 1.5)) end)
      local mask = v:gt(0.25)
      local once, twice, again = v[mask]:to_table(), w[mask], (v + w)[mask]:to_table()
      h.same(mask:nonzero():to_table(), dc.nonzero(mask):to_table())
      assert.equal(#once, twice.size)
      assert.equal(#once, #again)
      local m = dc.random.uniform(37, 41):eval()
      h.same(m:reshape(-1)[m:reshape(-1):gt(0.5)]:to_table(), m[m:gt(0.5)]:to_table())
      h.same(m:reshape(-1)[(m.T + 0):gt(0.5):reshape(-1)]:to_table(), m[(m.T:reshape(37, 41)):gt(0.5)]:to_table())
      h.same(m.T:copy()[m.T:copy():gt(0.5)]:to_table(), m.T[m.T:gt(0.5)]:to_table())
      h.same(m:slice({ 1, 30 }):copy()[m[{ { 1, 30 } }]:gt(0.5)]:to_table(), m[{ { 1, 30 } }][m[{ { 1, 30 } }]:gt(0.5)]
        :to_table())
      assert.equal(1, dc.array({ 3 })[dc.array({ 3 }):gt(2)].size)
      local gone = dc.ones(9)
      local late = gone:gt(0)
      gone:close()
      assert.equal(9, dc.ones(9)[late].size) -- closing has computed it
    end)
  end)

  it("refuse masks that do not fit", function()
    local a = dc.ones(3)
    fails("dtype", "an array of bool, got one of float32", function() a:select(a) end)
    fails("shape", "%(3,%), the mask %(4,%)", function() a:select(dc.ones(4, "bool")) end)
    fails("argument", "'select' takes a mask or a function", function() a:select() end)
    fails("shape", "no places", function() dc.array(1):nonzero() end)
    assert.equal(0, dc.empty(0):select(dc.empty(0, "bool")).size)
    assert.equal(0, dc.empty(0, 3):nonzero().size)
    assert.equal(1, dc.array(7):select(dc.array(true)).size)
  end)
end)
