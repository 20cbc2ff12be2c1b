-- An index array is not checked again while it is known to be inside: whatever writes it makes it unknown.
local dc = require "dotcompute"
local helper = require "spec.helper"
local fake = require "spec.fake"
local fails, note = helper.fails, helper.note

local function random_indices(count, n)
  local t = helper.ints(count, 1, n)
  t[math.random(count)] = n -- the largest one is among them
  return t
end

-- Ways to put `bad` into element k of a, an int64 array whose values are indices; `kept` does so by a's
-- address that a kernel has kept, `use` reads by a.
local writers = {
  { "an element", function(a, k, bad) a[k] = bad end },
  { "a slice", function(a, k, bad) a[{ { k, k } }] = bad end },
  { "all elements", function(a, _, bad) a[":"] = bad end },
  { "an array", function(a, _, bad) a[":"] = dc.full(#a, bad, "int64") end },
  { "an expression of itself", function(a, _, bad) a[":"] = a * 0 + bad end },
  { "an expression that ran before", function(a, _, bad, _, use)
    local zeros = dc.zeros(#a, "int64")
    for _, v in ipairs { 1, 2, 3, bad } do
      use()
      a[":"] = zeros + v
    end
  end },
  { "a mask", function(a, _, bad) a[a:ge(1)] = bad end },
  { "an index array", function(a, k, bad) a[dc.array({ k }, "int64")] = dc.array({ bad }, "int64") end },
  { "copy_from", function(a, _, bad) a:copy_from(dc.full(#a, bad, "int64")) end },
  { "a view", function(a, k, bad) a[{ { #a, 1, -1 } }][#a - k + 1] = bad end },
  { "scatter_add", function(a, k, bad)
    dc.scatter_add(a, dc.array({ k }, "int64"), dc.array({ bad - a[k] }, "int64"))
  end },
  { "a kernel", function(a, k, bad)
    dc.kernel("__global__ void put(long long *a, int k, long long v) { a[k] = v; }")(1, 1, a, k - 1, bad)
  end },
  { "a kernel that kept its address", function(_, _, _, kept) kept() end },
  { "an elementwise function", function(a, _, bad)
    dc.elementwise("int64 v", "int64 out", "out = v")(dc.full(#a, bad, "int64"), a)
  end },
  { "a kernel of dc.jit", function(a, k, bad) dc.jit(function(out, at, v) out[at] = v end)(1, 1, a, k, bad) end },
  { "dc.wrap", function(a, k, bad) dc.wrap(a.ptr, #a, "int64")[k] = bad end },
  { "dc.open", function(a, k, bad) dc.open(dc.share(a))[k] = bad end },
  { "a graph", function(a, _, bad)
    local graph <close> = dc.graph(function() a[":"] = a * 0 + bad end)
    graph()
  end },
}

describe("an index array that is known", function()
  for _, w in ipairs(writers) do
    local name, write = table.unpack(w)
    it("is checked again after it was written by " .. name, function()
      for _, count in ipairs { math.random(3, 16384), math.random(16385, 40000) } do -- the host checks few itself
        local n = math.random(5, 3000)
        local x, a = dc.random.uniform(n), dc.array(random_indices(count, n), "int64")
        local keeper = dc.kernel [[
          __device__ long long *kept;
          __global__ void put(long long *a, int k, long long v) { if (a) kept = a; else kept[k] = v; }]]
        if name:find "kept" then keeper(1, 1, a, 0, 0) end
        for _ = 1, 2 do x[a]:eval() end
        local k, bad = math.random(count), n + math.random(1000)
        write(a, k, bad, function() keeper(1, 1, dc.null, k - 1, bad) end, function() x[a]:eval() end)
        local text = note(name)
        fails("index", "out of bounds on axis 1, whose extent is " .. n, function() x[a]:eval() end, text)
        fails("index", "out of bounds", function() x[a] = 1 end)
        fails("index", "is out of range", function() dc.scatter_add(x, a, dc.ones(count)) end)
      end
    end)
  end

  it("is checked again after a graph that was captured before has written it", function()
    local n, count = math.random(5, 3000), math.random(16385, 40000)
    local x, a = dc.random.uniform(n), dc.array(random_indices(count, n), "int64")
    local graph <close> = dc.graph(function() a[":"] = a * 0 + (n + 1) end)
    for _ = 1, 2 do x[a]:eval() end
    graph()
    fails("index", "out of bounds", function() x[a]:eval() end)
  end)

  it("is not taken for known by a graph, which runs later", function()
    local n = math.random(5, 3000)
    local x, a = dc.random.uniform(n), dc.array(random_indices(20000, n), "int64")
    local y = dc.zeros(20000)
    for _ = 1, 2 do x[a]:eval() end
    fails("launch", "cannot be captured", function() dc.graph(function() y[":"] = x[a] end) end)
  end)

  it("is checked against a shorter axis, and not against a longer one", function()
    local n = math.random(5, 3000)
    local a = dc.array(random_indices(20000, n), "int32")
    local x, short, long = dc.random.uniform(n), dc.random.uniform(n - 1), dc.random.uniform(n + 1)
    x[a]:eval()
    long[a]:eval()
    fails("index", "out of bounds", function() short[a]:eval() end)
    x[a]:eval()
    fails("index", "out of bounds", function() short[a]:eval() end)
  end)

  it("is not known by a part of it", function()
    local n, count = math.random(5, 3000), 20000
    local t = random_indices(count, n)
    t[count] = n + 1
    local x, a = dc.random.uniform(n), dc.array(t, "int64")
    local want = t[7]
    local part = a[{ { 1, count - 1 } }]
    for _ = 1, 2 do assert.equal(x[want], x[part][7]) end
    fails("index", "out of bounds", function() x[a]:eval() end)
    local half = a[{ { 1, count // 2 } }]:broadcast_to(2, count // 2) -- as many bytes as all of it
    for _ = 1, 2 do assert.equal(x[want], x[half][{ 2, 7 }]) end
    fails("index", "out of bounds", function() x[a]:eval() end)
  end)

  it("comes from argsort, nonzero and unique, which writing makes unknown, too", function()
    local n = math.random(20, 3000)
    local x = dc.random.integers(n, { low = 0, high = 9 })
    local _, inverse = dc.unique(x, { inverse = true })
    for _, a in ipairs { x:argsort(), dc.nonzero(x), inverse, dc.random.permutation(n) } do
      x[a]:eval()
      a[math.random(#a)] = n + 1
      fails("index", "out of bounds", function() x[a]:eval() end)
    end
    local found
    found, inverse = dc.unique(x, { inverse = true })
    assert.is_true(found[inverse]:eq(x):all())
    fails("index", "out of bounds", function() found[{ { 1, #found - 1 } }][inverse]:eval() end)
  end)

  it("is not checked again by scatter_add, whose kernels are given it", function()
    local _, report = fake.run [[
      local sums, order, ones = dc.zeros(1000, "int32"), dc.zeros(1000):argsort(), dc.zeros(1000, "int32")
      for _ = 1, 30 do dc.scatter_add(sums, order, ones) end
    ]]
    assert.equal(31, #report.launch)
  end)

  it("of different integers is written through in one pass, and in order once it has equal ones", function()
    local n = math.random(20, 40000)
    local x, y = dc.random.uniform(n), dc.zeros(n)
    local order = dc.random.permutation(n)
    y[order] = x
    assert.is_true(y[order]:eq(x):all())
    local places = dc.zeros(n, "int64")
    places[order] = dc.arange(1, n, 1, "int64") -- the inverse
    assert.is_true(order[places]:eq(dc.arange(1, n, 1, "int64")):all())
    local k, to = math.random(n - 1), order[n]
    order[k] = to -- twice now
    for _ = 1, 10 do
      y[order] = x
      assert.equal(x[n], y[to])
    end
    local turned, pairs_of = dc.zeros(2, n).T, dc.random.uniform(n, 2) -- kernels write such rows on all devices
    local function writes(index)
      turned[index] = pairs_of
      dc.stats "reset"
      turned[index] = pairs_of
      return dc.stats().launches
    end
    local different = dc.random.permutation(n)
    local once = writes(different)
    assert.is_true(turned[different]:eq(pairs_of):all())
    different[k] = different[n]
    assert.is_true(writes(different) > once)
    assert.is_true(turned[different[n]]:eq(pairs_of[n]):all())
    local rows = dc.random.uniform(50, 1000):argsort(2) -- different along a row alone
    local z, values = dc.zeros(1000), dc.random.uniform(50, 1000)
    for _ = 1, 5 do
      z[rows] = values
      assert.is_true(z[rows[50]]:eq(values[50]):all())
    end
    local one = order:broadcast_to(3, n)
    values = dc.random.uniform(3, n)
    y[one] = values
    assert.is_true(y[to] == values[3][n])
    local function launches(index)
      local _, report = fake.run(("local to, from, index = dc.zeros(1000), dc.zeros(50, 1000), %s\n"
        .. "for _ = 1, 30 do to[index] = from[{ { 1, index.ndim == 1 and 1 or 50 } }]:reshape(index:shape()) end")
        :format(index))
      return #report.launch
    end
    assert.equal(1 + 30, launches "dc.zeros(1000):argsort()")
    assert.equal(1 + 60, launches "dc.zeros(50, 1000):argsort(2)")
    assert.is_true(launches "dc.zeros(1000):argsort():broadcast_to(50, 1000)" >= 1 + 60)
  end)

  it("is gathered without waiting for the device", function()
    local _, report = fake.run [[
      local x, order = dc.zeros(1000), dc.zeros(1000):argsort()
      for _ = 1, 30 do x[order]:eval() end
    ]]
    assert.equal(31, #report.launch) -- of the sort
    assert.is_true((report.calls.MemcpyDtoHAsync or 0) + (report.calls.StreamSynchronize or 0) < 5)
  end)
end)
