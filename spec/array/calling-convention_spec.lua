-- sum took {1, keep = true} and not (1, {keep = true}), zeros a dtype by position only, fft no axis by position; no
-- message suggested the option that a misspelled one was meant to be.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

local function shape_of(a) return { a:shape() } end

-- Each function of the list gives equal arrays (or equal lists of them).
local function alike(what, list)
  local want
  for k, fn in ipairs(list) do
    local got = table.pack(fn())
    for i = 1, got.n do
      assert.is_true(type(got[i]) == "userdata", what)
      got[i] = { got[i].dtype, shape_of(got[i]), got[i]:to_table() }
    end
    want = want or got
    assert.same(want, got, h.note(("%s, form %d"):format(what, k)))
  end
end

local function random_array(...)
  local t, n = {}, 1
  for _, extent in ipairs { ... } do n = n * extent end
  for i = 1, n do t[i] = math.random(-50, 50) end
  return dc.array(t):reshape(...)
end

describe("options", function()
  it("are taken by every reduction, by position and by name", function()
    local a = random_array(4, 3, 2)
    local names = { "sum", "prod", "min", "max", "mean", "norm", "any", "all", "count", "var", "std", "argmin" }
    for _, name in ipairs(names) do
      local f = a[name]
      alike(name .. " of an axis", { function() return f(a, 2) end, function() return f(a, { 2 }) end,
        function() return f(a, -2) end, function() return f(a, { axis = 2 }) end, function() return dc[name](a, 2) end,
        function() return f(a, { axes = { 2 } }) end, function() return f(a, 2, {}) end,
        function() return f(a, 2, { keep = false }) end })
      alike(name .. " of an axis that stays", { function() return f(a, { 2, keep = true }) end,
        function() return f(a, 2, { keep = true }) end, function() return f(a, { 2 }, { keep = true }) end,
        function() return dc[name](a, { axis = 2, keep = true }) end })
      alike(name .. " of all that stays", { function() return f(a, { keep = true }) end,
        function() return f(a, nil, { keep = true }) end, function() return f(a, {}, { keep = true }) end })
      if name ~= "argmin" then
        alike(name .. " of two axes", { function() return f(a, { 1, 3 }) end, function() return f(a, 1, 3) end,
          function() return f(a, { axes = { 1, -1 } }) end, function() return dc[name](a, 1, 3, {}) end })
      end
      fails("argument", "no option 'keepdims' %(did you mean 'keep'%?%)", function() f(a, 1, { keepdims = true }) end)
      fails("argument", "no option 'kep' %(did you mean 'keep'%?%)", function() f(a, { 1, kep = true }) end)
      fails("argument", "twice", function() f(a, 1, { axis = 2 }) end)
      fails("argument", "twice", function() f(a, { 1, axes = { 2 } }) end)
    end
    alike("ddof", { function() return a:var { 1, ddof = 1 } end, function() return a:var(1, { ddof = 1 }) end,
      function() return a:var { axis = 1, ddof = 1 } end })
    fails("argument", "no option 'ddof'", function() a:sum(1, { ddof = 1 }) end)
    fails("argument", "'keep' is a boolean, got the number 1", function() a:sum(1, { keep = 1 }) end)
  end)

  it("in the table of a shape or of axes are taken, too, where a dtype or options follow", function()
    for _, name in ipairs { "empty", "zeros", "ones" } do
      local f = dc[name]
      assert.equal("int8", f({ 2, dtype = "int8" }, {}).dtype)
      assert.equal("int8", f({ 2 }, { dtype = "int8" }).dtype)
      fails("argument", "'dtype' is given twice", function() f({ 2, dtype = "int8" }, "int16") end)
      fails("argument", "'dtype' is given twice", function() f({ 2, dtype = "int8" }, { dtype = "int8" }) end)
      fails("argument", "no option 'foo'", function() f({ 2, foo = 1 }, "int8") end)
      fails("argument", "no option 'foo'", function() f({ 2, foo = 1 }, { dtype = "int8" }) end)
    end
    local low, high = math.random(5, 9), math.random(10, 19)
    local drawn = dc.random.uniform({ 200, low = low, high = high }, { dtype = "float64" })
    assert.equal("float64", drawn.dtype)
    assert.is_true(drawn:ge(low):all() and drawn:le(high):all())
    fails("argument", "'low' is given twice", function() dc.random.uniform({ 2, low = 1 }, { low = 0 }) end)
    for _, name in ipairs { "uniform", "normal", "exponential", "integers" } do
      fails("argument", "no option 'foo'", function() dc.random[name]({ 2, foo = 1 }, { dtype = "int8" }) end)
    end
    fails("argument", "no option 'foo'", function() dc.random.choice(5, { 2, foo = 1 }, { replace = true }) end)
    if dc.available "fft" then
      local a = random_array(4, 3)
      alike("ortho", { function() return dc.fft.fftn(a, { 1, norm = "ortho" }, {}) end,
        function() return dc.fft.fftn(a, { 1 }, { norm = "ortho" }) end })
      fails("argument", "no option 'foo'", function() dc.fft.fftn(a, { 1, foo = 1 }, { norm = "ortho" }) end)
      fails("argument", "'norm' is given twice", function() dc.fft.fftn(a, { 1, norm = "x" }, { norm = "x" }) end)
    end
  end)

  it("that are false are not taken for none", function()
    fails("shape", "probabilities of shape %(%)", function() dc.random.choice(5, 2, { p = false }) end)
    if not dc.available "fft" then return end
    for _, name in ipairs { "fft", "ifft", "rfft", "irfft" } do
      fails("argument", "the number of points is an integer, got false", function()
        dc.fft[name]({ 1, 2, 3, 4 }, { n = false })
      end)
    end
  end)

  it("are lists of axes without holes", function()
    local a = random_array(4, 3)
    fails("argument", "norm: option 'axis' .*no value at 2", function() dc.linalg.norm(a, { axis = { 1, nil, 2 } }) end)
    fails("argument", "norm: option 'axis' .*no value at 2", function() dc.linalg.norm(a, 2, { 1, nil, 2 }) end)
  end)

  it("are taken by functions that create arrays", function()
    local dtype = ({ "int8", "int64", "float64", "uint16" })[math.random(4)]
    local n, m = math.random(1, 9), math.random(1, 9)
    for _, name in ipairs { "zeros", "ones" } do
      local f = dc[name]
      alike(name, { function() return f(n, m, dtype) end, function() return f({ n, m }, dtype) end,
        function() return f(n, m, { dtype = dtype }) end, function() return f({ n, m }, { dtype = dtype }) end,
        function() return f { n, m, dtype = dtype } end, function() return f({ n, m }, dtype, {}) end })
      fails("argument", "no option 'dtyp' %(did you mean 'dtype'%?%)", function() f(n, { dtyp = dtype }) end)
      fails("argument", "twice", function() f(n, dtype, { dtype = dtype }) end)
      fails("argument", "named", function() f({ n }, { m }) end)
    end
    for _, name in ipairs { "empty", "pinned" } do
      assert.same({ n, m }, shape_of(dc[name] { n, m, dtype = dtype }))
      assert.equal(dtype, dc[name](n, { dtype = dtype }).dtype)
    end
    local x = dc.ones(n)
    for what, list in pairs {
      full = { function() return dc.full({ n }, 3, dtype) end, function() return dc.full(n, 3, { dtype = dtype }) end },
      zeros_like = { function() return dc.zeros_like(x, dtype) end,
        function() return dc.zeros_like(x, { dtype = dtype }) end },
      full_like = { function() return dc.full_like(x, 3, dtype) end,
        function() return dc.full_like(x, 3, { dtype = dtype }) end },
      array = { function() return dc.array({ n, m }, dtype) end,
        function() return dc.array({ n, m }, { dtype = dtype }) end },
      arange = { function() return dc.arange(1, n, 2, dtype) end,
        function() return dc.arange(1, n, 2, { dtype = dtype }) end,
        function() return dc.arange(1, n, { step = 2, dtype = dtype }) end,
        function() return dc.arange(1, n, dtype, { step = 2 }) end },
      linspace = { function() return dc.linspace(0, n, n + 1, dtype) end,
        function() return dc.linspace(0, n, n + 1, { dtype = dtype }) end },
      eye = { function() return dc.eye(n, dtype) end, function() return dc.eye(n, { dtype = dtype }) end },
      from_bytes = { function() return dc.from_bytes("ab", 2, "int8") end,
        function() return dc.from_bytes("ab", { 2 }, { dtype = "int8" }) end },
      wrap = { function() return dc.wrap(x.ptr, n, "int32", x) end,
        function() return dc.wrap(x.ptr, n, { dtype = "int32", owner = x }) end,
        function() return dc.wrap(x.ptr, n, "int32", { "an owner" }) end },
    } do alike(what, list) end
    fails("argument", "no option 'stp' %(did you mean 'step'%?%)", function() dc.arange(1, 2, { stp = 1 }) end)
    fails("argument", "'dtype' is a string, got the number 4", function() dc.eye(2, { dtype = 4 }) end)
  end)

  it("are taken by the algorithms", function()
    local a = random_array(4, 5)
    local counts = a:to "int32" + 50
    for what, list in pairs {
      sort = { function() return a:sort(1) end, function() return a:sort { axis = 1 } end,
        function() return a:sort { 1 } end, function() return dc.sort(a, 1, {}) end },
      ["sort downwards"] = { function() return a:sort(1, { descending = true }) end,
        function() return a:sort { 1, descending = true } end,
        function() return a:sort { axis = 1, descending = true } end },
      argsort = { function() return a:argsort(1) end, function() return a:argsort { 1 } end },
      topk = { function() return a:topk(2, 1) end, function() return a:topk(2, { axis = 1 }) end,
        function() return a:topk(2, { 1 }) end },
      cumsum = { function() return a:cumsum(1) end, function() return a:cumsum { axis = 1 } end },
      take = { function() return a:take({ 2, 1 }, 1) end, function() return a:take({ 2, 1 }, { axis = 1 }) end },
      concat = { function() return dc.concat({ a, a }, 2) end,
        function() return dc.concat({ a, a }, { axis = 2 }) end },
      stack = { function() return dc.stack({ a, a }, 3) end, function() return dc.stack({ a, a }, { axis = 3 }) end },
      repeat_ = { function() return a:repeat_(2, 1) end, function() return a:repeat_(2, { axis = 1 }) end },
      roll = { function() return a:roll(3, 2) end, function() return a:roll(3, { axis = 2 }) end },
      tile = { function() return a:tile(2, 3) end, function() return a:tile { 2, 3 } end },
      diagonal = { function() return a:diagonal(1) end, function() return a:diagonal { offset = 1 } end },
      flip = { function() return a:flip(1) end, function() return a:flip { 1 } end,
        function() return a:flip { axis = 1 } end, function() return a:flip { axes = { -2 } } end },
      ["flip all"] = { function() return a:flip() end, function() return a:flip(1, 2) end,
        function() return a:flip { axes = { 1, 2 } } end },
      histogram = { function() return a:histogram(4) end, function() return a:histogram { bins = 4 } end,
        function() return a:histogram(4, {}) end },
      ["histogram of edges"] = { function() return a:histogram { -50, 0, 50 } end,
        function() return a:histogram { bins = { -50, 0, 50 } } end },
      searchsorted = { function() return dc.searchsorted({ 1, 2, 2 }, { 2 }, "right") end,
        function() return dc.searchsorted({ 1, 2, 2 }, { 2 }, { side = "right" }) end },
      bincount = { function() return counts:bincount { minlength = 200 } end,
        function() return dc.bincount(counts, { minlength = 200 }) end },
    } do alike(what, list) end
    fails("argument", "sort: there is no option 'descnding' %(did you mean 'descending'%?%)", function()
      a:sort(1, { descnding = true })
    end)
    fails("argument", "sort: 'axis' is given twice", function() a:sort(1, { axis = 2 }) end)
    fails("argument", "flip: the axes are given twice", function() a:flip(1, { axes = { 2 } }) end)
    fails("argument", "topk: there is no option 'smalest'", function() a:topk(1, { smalest = true }) end)
    fails("argument", "unique: options are named", function() a:unique { 1 } end)
  end)

  it("are taken by views, and refused by functions without options", function()
    local a = random_array(2, 1, 3)
    alike("transpose", { function() return a:transpose(3, 1, 2) end, function() return a:transpose { 3, 1, 2 } end,
      function() return a:transpose { axes = { 3, 1, 2 } } end, function() return a:transpose(3, 1, 2, {}) end })
    alike("squeeze", { function() return a:squeeze(2) end, function() return a:squeeze { axis = 2 } end,
      function() return a:squeeze { axes = { -2 } } end })
    fails("argument", "axes are given twice", function() a:transpose { 1, 2, 3, axes = { 3, 2, 1 } } end)
    fails("argument", "axes are given twice", function() a:squeeze { axis = 2, axes = { 2 } } end)
    fails("argument", "no option 'axs' %(did you mean 'ax[ei]s'%?%)", function() a:transpose { axs = { 1 } } end)
    fails("argument", "no option 'dtype'", function() a:reshape { 6, dtype = "int8" } end)
    fails("argument", "no option 'dtype'", function() a:broadcast_to { 2, 4, 3, dtype = "int8" } end)
    fails("argument", "no option 'dtype'", function() dc.full({ 2, dtype = "int8" }, 1) end)
    fails("argument", "concat: the table of arrays has the key the string 'axis'; options stand in a table",
      function() dc.concat { a, a, axis = 3 } end)
    fails("argument", "pad: the table of widths has the key", function()
      dc.pad({ 1, 2 }, { { 1, 1 }, mode = "wrap" })
    end)
  end)

  it("are taken by results of dc.reduction and dc.scan, and by allclose, time and copies", function()
    local a = random_array(3, 4)
    local sum = dc.reduction { inputs = "T x", output = "T", reduce = "a + b", identity = "0" }
    alike("a reduction", { function() return sum(a, 1) end, function() return sum(a, { axis = 1 }) end,
      function() return sum(a, 1, { result = dc.zeros(4) }) end, function() return sum(a, 1, dc.zeros(4)) end })
    alike("a reduction that keeps", { function() return sum(a, { 1, keep = true }) end,
      function() return sum(a, 1, { keep = true }) end,
      function() return sum(a, 1, dc.zeros(1, 4), { keep = true }) end })
    local scan = dc.scan { input = "T x", op = "a + b" }
    alike("a scan", { function() return scan(a, 1) end, function() return scan(a, { axis = 1 }) end,
      function() return scan(a, { 1, result = dc.zeros(3, 4) }) end, function() return scan(a, 1, dc.zeros(3, 4)) end })
    fails("argument", "no option 'kep' %(did you mean 'keep'%?%)", function() sum(a, 1, { kep = true }) end)
    fails("argument", "no option 'ax' %(did you mean 'axis'%?%)", function() scan(a, { ax = 1 }) end)
    fails("argument", "no option 'identty' %(did you mean 'identity'%?%)", function()
      dc.reduction { inputs = "float x", output = "float", reduce = "a + b", identty = "0" }
    end)
    assert.is_true(dc.allclose(a, a + 0.5, { atol = 1 }))
    assert.is_false(dc.allclose(a, a + 0.5, 0, 0.1))
    fails("argument", "no option 'tol' %(did you mean '[ar]tol'%?%)", function() dc.allclose(a, a, { tol = 1 }) end)
    assert.equal(3, #select(2, dc.time(function() end, { reps = 3 })).times)
    fails("argument", "no option 'rep'", function() dc.time(function() end, { rep = 3 }) end)
    fails("argument", "no option 'asinc' %(did you mean 'async'%?%)", function() a:to("cpu", { asinc = true }) end)
  end)

  it("are taken by kernels", function()
    local source = "__global__ void k(float *x) { extern __shared__ float s[]; x[0] = s[0]; }"
    local k = dc.kernel(source)
    assert.same({ k:occupancy(32, 4096) }, { k:occupancy(32, { shared = 4096 }) })
    assert.equal(k:explain(32, 4096), k:explain(32, { shared = 4096 }))
    fails("argument", "no launch option 'shard' %(did you mean 'shared'%?%)", function() k:with { shard = 1 } end)
    fails("argument", "no option 'fast_mth' %(did you mean 'fast_math'%?%)", function()
      dc.kernel(source, { fast_mth = true })
    end)
  end)

  it("are counted without the receiver of a method", function()
    local a = random_array(10)
    local function none(x) local _ = x end
    fails("argument", "'quantile' takes one or more numbers from 0 to 1, .*, got 0", function()
      none(a:quantile())
    end)
    fails("argument", "'quantile' takes an array, one or more numbers .*, got 1", function()
      none(dc.quantile(a))
    end)
    fails("argument", "'histogram' takes perhaps bins and options, got 3", function()
      none(a:histogram(1, 2, 3))
    end)
    fails("argument", "'searchsorted' takes values, .*, got 0", function() none(a:searchsorted()) end)
    fails("argument", "'take' takes indices, perhaps an axis, got 0", function() none(a:take()) end)
    fails("argument", "'roll' takes how far, .*, got 0", function() none(a:roll()) end)
    fails("argument", "'tile' takes how often along each axis, got 0", function() none(a:tile()) end)
    fails("argument", "'select' takes a mask or a function, got 2", function() none(a:select(1, 2)) end)
    fails("argument", "'nonzero' takes no arguments, got 1", function() none(a:nonzero(1)) end)
    fails("argument", "'partition' takes one or more predicates, got 0", function() none(a:partition()) end)
    fails("argument", "'scatter_add' takes indices, values, perhaps options, got 1", function() a:scatter_add(1) end)
    fails("argument", "'clip' takes 2 arguments, got 3", function() none(a:clip(1, 2, 3)) end)
    fails("argument", "'clip' takes 3 arguments, got 4", function() none(dc.clip(a, 1, 2, 3)) end)
    fails("argument", "'maximum' takes 1 argument, got 2", function() none(a:maximum(1, 2)) end)
    fails("argument", "'clip' takes 2 arguments, got 3", function() none(a.clip(a, 1, 2, 3)) end)
    local k = dc.kernel "__global__ void k() {}"
    fails("argument", "'occupancy' takes at most 2 arguments and options, got 4", function()
      k:occupancy(1, 2, 3, {})
    end)
    fails("argument", "'allclose' takes at most 4 arguments and options, got 6", function()
      dc.allclose(a, a, 1, 2, 3, {})
    end)
  end)

  it("are counted beside the array where a tail call hides the method", function()
    local a = random_array(10)
    local function message(fn) return select(2, pcall(fn)).message end
    assert.matches("takes an array, one or more .*, got the array alone", message(function() return a:quantile() end))
    assert.matches("takes an array, indices, .*, got the array and 4 more", message(function()
      return a:take(1, 2, 3, 4)
    end))
    assert.matches("takes an array, indices, .*, got 0", message(function() return dc.take() end))
  end)
end)
