-- dc.testing: what passes, what fails and what the failure says; busted's assertions; kernels against references.
local dc = require "dotcompute"
local helper = require "spec.helper"

dc.testing.register() -- spec/run.lua loads dotcompute before busted
local nan, inf = 0 / 0, math.huge

-- The text that a failed comparison of dc.testing raises.
local function text_of(fn, ...)
  local ok, text = pcall(fn, ...)
  assert(not ok, "no difference was found")
  assert(type(text) == "string", "an error object: " .. tostring(text))
  return text
end

-- Whether elements are close, by the documented formula.
local function close(e, a, rtol, atol)
  if e == a then return true end
  if e ~= e or a ~= a or e == inf or e == -inf then return false end
  return math.abs(a - e) <= atol + rtol * math.abs(e)
end

describe("dc.testing.close", function()
  it("passes and fails as the formula says, and names the first and the worst element", function()
    local specials = { nan, inf, -inf, 0.0, -0.0 }
    for _ = 1, 60 do
      local shape = helper.shape(math.random(1, 3), 4)
      local n = helper.product(shape)
      local rtol, atol = 2.0 ^ math.random(-12, -3), 2.0 ^ math.random(-12, -3)
      local e, a = {}, {}
      for i = 1, n do
        e[i] = math.random(12) == 1 and specials[math.random(#specials)] or (math.random() - 0.5) * 4
        a[i] = math.random(3) > 1 and e[i] or e[i] + (math.random() - 0.5) * 2.0 ^ math.random(-14, 1)
        if math.random(12) == 1 then a[i] = specials[math.random(#specials)] end
      end
      local first, worst, count, most = nil, nil, 0, -1
      for i = 1, n do
        if not close(e[i], a[i], rtol, atol) then
          first = first or i
          count = count + 1
          local gap = math.abs(a[i] - e[i])
          if gap ~= gap then gap = inf end
          if gap > most then most, worst = gap, i end
        end
      end
      local expected, actual = dc.array(e, "float64"):reshape(shape), dc.array(a, "float64"):reshape(shape)
      local options = { rtol = rtol, atol = atol }
      local note = helper.note "close"
      if count == 0 then
        assert.is_true(dc.testing.close(expected, actual, options), note)
      else
        local text = text_of(dc.testing.close, expected, actual, options)
        assert(text:find(("%d of %d element"):format(count, n), 1, true), note .. text)
        local function place(flat)
          local index, rest = {}, flat - 1
          for k = #shape, 1, -1 do
            index[k] = rest % shape[k] + 1
            rest = rest // shape[k]
          end
          return #index == 1 and ("[%d]"):format(index[1]) or "[{" .. table.concat(index, ", ") .. "}]"
        end
        assert(text:find("first at " .. place(first) .. ":", 1, true), note .. text)
        if worst ~= first then assert(text:find("worst at " .. place(worst) .. ":", 1, true), note .. text)
        else assert(not text:find "worst", note .. text) end
      end
    end
  end)

  it("has tolerances by dtype", function()
    for dtype, eps in pairs { float16 = 2.0 ^ -10, bfloat16 = 2.0 ^ -7, float32 = 2.0 ^ -20, float64 = 2.0 ^ -24,
      complex64 = 2.0 ^ -20, complex128 = 2.0 ^ -24 } do
      local x = dc.full(5, 1, dtype)
      assert(dc.testing.close(x, x:copy()), dtype)
      assert(dc.testing.close(x, x + eps / 2 ^ 3), dtype)
      text_of(dc.testing.close, x, x + eps * 2 ^ 6)
    end
    for _, dtype in ipairs { "int8", "uint64", "int64" } do
      local x = dc.full(5, 100, dtype)
      dc.testing.close(x, x:copy())
      assert(text_of(dc.testing.close, x, x + 1):find "must be equal")
      dc.testing.close(x, x + 1, { atol = 1 })
    end
    dc.testing.close(dc.ones(3), dc.ones(3, "float64")) -- dtypes may differ …
    assert(text_of(dc.testing.close, dc.ones(3), dc.ones(3, "float64"), { same_dtype = true }):find "dtypes differ")
  end)

  it("compares integers of 64 bits exactly", function()
    for _ = 1, 20 do
      local v = math.random(math.mininteger, math.maxinteger - 1)
      local x, y = dc.array({ v }, "int64"), dc.array({ v + 1 }, "int64")
      dc.testing.close(x, x:copy())
      text_of(dc.testing.close, x, y)
      text_of(dc.testing.close, x, y, { atol = 0.5 })
      dc.testing.close(x, y, { atol = 1 })
    end
    local low, high = dc.array({ math.mininteger }, "int64"), dc.array({ math.maxinteger }, "int64")
    assert(text_of(dc.testing.close, low, high, { atol = 1e18 }):find "1.84467e%+19")
  end)

  it("takes NaN as different unless it is told otherwise", function()
    local x = dc.array { 1, nan }
    assert(text_of(dc.testing.close, x, x:copy()):find "equal_nan")
    dc.testing.close(x, x:copy(), { equal_nan = true })
    text_of(dc.testing.close, x, dc.array { 1, 2 }, { equal_nan = true })
    local z = dc.array { dc.complex(1, nan) }
    text_of(dc.testing.close, z, z:copy())
    dc.testing.close(z, z:copy(), { equal_nan = true })
  end)

  it("takes tables and numbers", function()
    dc.testing.close({ { 1, 2 }, { 3, 4 } }, dc.arange(1, 4):reshape(2, 2))
    dc.testing.close(dc.arange(1, 3), { 1, 2, 3 })
    dc.testing.close(0.1, dc.full(1, 0.1):sum())
    dc.testing.close({ true, false }, dc.array { true, false })
    dc.testing.close({ dc.complex(1, 2) }, dc.array { dc.complex(1, 2) })
    dc.testing.close({}, dc.zeros(0, 3))
    assert(text_of(dc.testing.close, { 1, 2.5 }, dc.array({ 1, 2 }, "int32")):find "expected 2.5, actual 2")
    assert(text_of(dc.testing.close, { 1, 2 }, dc.ones(3)):find "shapes differ")
    assert(text_of(dc.testing.close, dc.complex(0, 1), dc.array(1)):find "expected 0%+1i")
  end)

  it("shows values with the digits that tell them apart, and only the neighbourhood", function()
    local x = dc.zeros(100, 200)
    local y = x:copy()
    y[{ 50, 100 }] = 1
    local text = text_of(dc.testing.close, x, y)
    assert(text:find("actual[{{48, 52}, {96, 104}}], float32 (100, 200)", 1, true), text)
    assert(#text < 1500)
    local one, next_one = dc.array { 1 }, dc.nextafter(dc.array { 1 }, 2)
    text = text_of(dc.testing.equal, one, next_one)
    local a, b = text:match "expected (%S+), actual (%S+),"
    assert.are_not.equal(a, b)
    assert.equal(next_one[1], helper.f32(tonumber(b)))
  end)

  it("compares arrays of two devices", function()
    local other = helper.other_device()
    if not other then return end
    local x = dc.random.normal(100):eval()
    dc.testing.close(x, x:to(other))
    dc.testing.close(x:to(other), x)
    text_of(dc.testing.close, x:to(other), x + 1)
  end)

  it("raises errors for bad input, and the caller's line for a difference", function()
    local x = dc.ones(3)
    helper.fails("argument", "expected value is an array, a table or a number, got nil",
      function() dc.testing.close(nil, x) end)
    helper.fails("argument", "actual value is .* got the string", function() dc.testing.close(x, "x") end)
    helper.fails("argument", "did you mean 'atol'", function() dc.testing.close(x, x, { tol = 1 }) end)
    helper.fails("argument", "'rtol' is a number from 0 on", function() dc.testing.close(x, x, { rtol = -1 }) end)
    helper.fails("argument", "'atol' is a number from 0 on", function() dc.testing.close(x, x, { atol = nan }) end)
    helper.fails("shape", "ragged", function() dc.testing.close({ 1, { 2 } }, x) end)
    helper.fails("index", "dc.testing has no 'closer'", function() return dc.testing.closer end)
    local closed = dc.ones(3)
    closed:close()
    helper.fails("argument", "closed", function() dc.testing.close(closed, x) end)
    local line = helper.line(1)
    local ok, text = pcall(function() dc.testing.close(x, x + 1) end)
    assert(not ok and text:find(("testing_spec.lua:%d: arrays differ"):format(line), 1, true), text)
  end)
end)

describe("dc.testing.equal", function()
  it("wants shape, dtype and every element", function()
    for _, dtype in ipairs(helper.dtypes) do
      local values = helper.values(20, dtype)
      local x = dc.array(values, dtype)
      dc.testing.equal(x, dc.array(values, dtype))
      dc.testing.equal(values, x)
      local at = math.random(20)
      local y = x:copy()
      if dtype == "bool" then y[at] = not y[at]
      else y[at] = x[at] == 3 and 4 or 3 end
      assert(text_of(dc.testing.equal, x, y):find(("first at [%d]"):format(at), 1, true), helper.note(dtype))
      text_of(dc.testing.equal, x, x:reshape(4, 5))
    end
    assert(text_of(dc.testing.equal, dc.ones(2), dc.ones(2, "float64")):find "dtypes differ")
    helper.fails("argument", "no option 'rtol'", function() dc.testing.equal(dc.ones(2), dc.ones(2), { rtol = 1 }) end)
  end)
end)

describe("busted's assertions", function()
  -- The message of an assertion that must fail.
  local function message_of(fn)
    local ok, err = pcall(fn)
    assert(not ok, "the assertion has passed")
    return tostring(type(err) == "table" and err.message or err)
  end

  it("compare arrays by their elements in `same`", function()
    assert.are.same(dc.ones(5), dc.ones(5))
    assert.are_not.same(dc.ones(5), dc.zeros(5))
    assert.are_not.same(dc.ones(5), dc.ones(6))
    assert.are_not.same(dc.ones(5), dc.ones(5, "float64"))
    assert.are_not.same(dc.ones(1), 1)
    assert.are_not.same({ 1 }, dc.ones(1))
    local text = message_of(function() assert.are.same(dc.ones(5), dc.array { 1, 1, 7, 1, 1 }) end)
    assert(text:find "first at %[3%]: expected 1, actual 7" and text:find "%(array%) float32", text)
    text = message_of(function() assert.are.same(dc.ones(5), dc.zeros(5), "the third step") end)
    assert(text:find ": the third step\n", text)
    text = message_of(function() assert.are_not.same(dc.ones(5), dc.ones(5)) end)
    assert(text:find "not be the same", text)
    assert(dc.ones(2) ~= dc.ones(2)) -- as ever: == is identity
    assert.are_not.equal(dc.ones(2), dc.ones(2))
  end)

  it("compare arrays inside tables in `same`", function()
    local function make(v) return { a = dc.full(3, v), list = { dc.zeros(2, 2), { b = dc.ones(1) } }, n = 1 } end
    assert.are.same(make(2), make(2))
    assert.are_not.same(make(2), make(3))
    local text = message_of(function()
      local t = make(2)
      t.list[2].b[1] = 5
      assert.are.same(make(2), t)
    end)
    assert(text:find("at .list[2].b: arrays differ", 1, true), text)
    local function ring()
      local t = { x = dc.ones(2) }
      t.self = t
      return t
    end
    assert.are.same(ring(), ring())
    local shared = dc.ones(3)
    assert.are.same({ shared, shared }, { dc.ones(3), dc.ones(3) })
    assert.are_not.same({ a = dc.ones(1) }, { a = dc.ones(1), b = 1 })
    assert.are_not.same({ a = dc.ones(1), b = 1 }, { a = dc.ones(1) })
    local kept = { dc.ones(2) }
    local mine = kept[1]
    assert.are.same({ dc.ones(2) }, kept)
    assert(rawequal(kept[1], mine)) -- the script's table is as it was
  end)

  it("leave other values to luassert", function()
    assert.are.same({ 1, { 2 } }, { 1, { 2 } })
    assert.are_not.same({ 1 }, { 2 })
    assert.are.same("a", "a")
    local text = message_of(function() assert.are.same({ 1 }, { 2 }) end)
    assert(text:find "Expected objects to be the same", text)
    text = message_of(function() assert.are.same(1) end)
    assert(text:find "minimum of 2 arguments", text)
  end)

  it("fail for closed arrays and do not raise their error", function()
    local x = dc.ones(2)
    x:close()
    local text = message_of(function() assert.are.same(dc.ones(2), x) end)
    assert(text:find "closed", text)
  end)

  it("have `close`, which can be negated", function()
    assert.are.close({ 1, 2, 3 }, dc.arange(1, 3))
    assert.are.close(dc.ones(3), dc.ones(3) + 0.01, { atol = 0.02 })
    assert.are_not.close(dc.ones(3), dc.ones(3) + 0.01)
    assert.is_not.close(dc.ones(3), dc.ones(4))
    local text = message_of(function() assert.are.close(dc.ones(3), dc.zeros(3), { atol = 0.5 }, "after a step") end)
    assert(text:find ": after a step\nExpected arrays to be close.\narrays differ: 3 of 3", text)
    text = message_of(function() assert.are.close(dc.ones(3), dc.zeros(3), "after a step") end)
    assert(text:find ": after a step\n", text)
    text = message_of(function() assert.are_not.close(dc.ones(3), dc.ones(3)) end)
    assert(text:find "Expected arrays not to be close" and text:find "Passed in:\n%(array%) float32", text)
    text = message_of(function() assert.are.close(dc.ones(3), dc.ones(3), { eps = 1 }) end)
    assert(text:find "testing_spec.lua:%d+: assert.are.close: there is no option 'eps'", text)
    text = message_of(function() assert.are.close(dc.ones(3)) end)
    assert(text:find "minimum of 2 arguments", text)
  end)

  it("are there when luassert was loaded before dotcompute", function()
    local text, code = helper.on_cpu("TIER=0", [[
    local assert = require "luassert"
    local dc = require "dotcompute"
    assert.are.same({ a = dc.ones(2) }, { a = dc.ones(2) })
    assert.are.close({ 1, 1 }, dc.ones(2))
    print(pcall(assert.are.same, dc.ones(2), dc.zeros(2)))
    package.loaded.luassert = nil
    print(package.loaded["dotcompute.api"])]])
    assert(code == 0 and text:find "^false.*arrays differ: 2 of 2" and text:find "nil\n$", text)
  end)

  it("are registered once, however often it is asked for", function()
    assert.is_true(dc.testing.register())
    assert.is_true(dc.testing.register())
    assert.are.same({ dc.ones(2) }, { dc.ones(2) })
  end)
end)

describe("dc.testing.compare", function()
  local saxpy = dc.kernel [[
  __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
  }]]
  local function reference(n, a, x, y)
    for i = 1, n do y[i] = a * x[i] + y[i] end
  end
  local inputs = { "n", 2.0, { "n" }, { "n" } }

  it("passes a kernel that is right, and gives the seed", function()
    assert.equal(17, dc.testing.compare(saxpy, reference, { inputs = inputs, seed = 17 }))
    assert.equal("integer", math.type(dc.testing.compare(saxpy, reference, { inputs = inputs, trials = 2 })))
  end)

  it("runs on every device there is, or on those that are named", function()
    local seen = {}
    local function note(x)
      seen[x.device.id] = true
      return x * 2
    end
    local function double(x)
      for i = 1, #x do x[i] = 2 * x[i] end
      return x
    end
    dc.testing.compare(note, double, { inputs = { { "n" } }, trials = 1 })
    local wanted = { cpu = true }
    for _, d in ipairs(dc.devices()) do
      if not d.host_memory and dc.available(d.id) then
        wanted[d.id] = true
        break
      end
    end
    assert.are.same(wanted, seen)
    seen = {}
    dc.testing.compare(note, double, { inputs = { { "n" } }, trials = 1, devices = "cpu" })
    assert.are.same({ cpu = true }, seen)
    dc.testing.compare(saxpy, reference, { inputs = inputs, devices = dc.devices() })
    helper.fails("device", "", function()
      dc.testing.compare(note, double, { inputs = { { "n" } }, devices = { "cuda:77" } })
    end)
  end)

  it("finds a kernel's mistake; the seed that it names repeats the trial alone", function()
    -- Wrong for n > 1 alone, in the last element.
    local wrong = dc.kernel [[
    __global__ void wrong(int n, const float *x, float *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = i == n - 1 && n > 1 ? 2 : x[i];
    }]]
    local function copy(n, x, y)
      for i = 1, n do y[i] = x[i] end
    end
    local options = { inputs = { "n", { "n" }, { "n" } }, trials = 40 }
    local text = text_of(dc.testing.compare, wrong, copy, options)
    local n, seed = text:match "n = (%d+); {seed = (%d+), trials = 1}"
    assert(n and tonumber(n) > 1 and text:find(("argument 3: arrays differ: 1 of %d "):format(n), 1, true), text)
    options.seed, options.trials = math.tointeger(seed), 1
    local again = text_of(dc.testing.compare, wrong, copy, options)
    assert.equal(text:match "first at [^\n]*", again:match "first at [^\n]*")
    assert(again:find(("n = %s;"):format(n), 1, true), again)
    -- A size of 1 alone hides it.
    options.sizes = { n = 1 }
    dc.testing.compare(wrong, copy, options)
  end)

  it("compares what a reference returns with what a kernel may write, or a function returns", function()
    dc.testing.compare(saxpy, function(n, a, x, y)
      local out = {}
      for i = 1, n do out[i] = a * x[i] + y[i] end
      return out
    end, { inputs = inputs })
    dc.testing.compare(saxpy, function(_, a, x, y) return a * x + y end, { inputs = inputs, arrays = true })
    dc.testing.compare(function(x) return x:sum(), x:max() end, function(x)
      local sum, most = 0, -inf
      for i = 1, #x do sum, most = sum + x[i], math.max(most, x[i]) end
      return sum, most
    end, { inputs = { { "n", dtype = "float64" } } })
    assert(text_of(dc.testing.compare, function(x) return x end, function() return { 99 } end,
      { inputs = { { 1 } } }):find "result 1: arrays differ")
  end)

  it("makes the inputs that are described", function()
    local sizes = {}
    dc.testing.compare(function(n, x, m, b, i, z, h, free, v, made, s)
      assert(x.dtype == "float32" and select("#", x:shape()) == 2 and x:shape() == n)
      assert(n >= 2 and n <= 5 and select(2, x:shape()) == 3)
      assert(m.dtype == "uint8" and m:ge(7):all() and m:le(9):all() and m.ndim == 3)
      assert(b.dtype == "bool" and i.dtype == "int64" and i.ndim == 0)
      assert(z.dtype == "complex64" and dc.abs(dc.real(z)):le(1):all() and not dc.imag(z):eq(0):all())
      assert(h.dtype == "float16" and h:ge(4):all() and h:le(6):all())
      assert(#free <= 4 and #free >= 0)
      assert(v == 2.5 and made == n * 2 and math.type(s) == "integer" and s >= 3 and s <= 4)
      sizes[n] = true
      return x
    end, function(_, x) return x end, { trials = 60, sizes = { n = { 2, 5 } }, inputs = {
      "n", { "n", 3 }, { "n", 2, "n", dtype = "uint8", low = 7, high = 9 }, { 10, dtype = "bool" },
      { shape = {}, dtype = "int64" }, { shape = 50, dtype = "complex64" }, { 20, dtype = "f16", low = 4, high = 6 },
      { { 0, 4 } }, 2.5, function(given, random)
        assert(random(5, 5) == 5)
        local u = random()
        assert(u >= 0 and u < 1)
        return given.n * 2
      end, { dtype = "int32", low = 3, high = 4 } } })
    for n = 2, 5 do assert(sizes[n], helper.note("no trial with n = " .. n)) end
  end)

  it("takes a kernel's dtypes from its parameters, and its own launches", function()
    local add = dc.kernel [[
    __global__ void add(int w, int h, const double *x, const long long *y, double *z) {
      int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
      if (c < w && r < h) z[r * w + c] = x[r * w + c] + y[r * w + c];
    }]]
    dc.testing.compare(add, function(_, _, x, y) return x + y end, { arrays = true,
      inputs = { "w", "h", { "h", "w" }, { "h", "w" }, { "h", "w" } },
      launch = function(k, w, h, ...) k({ (w + 7) // 8, (h + 7) // 8 }, { 8, 8 }, w, h, ...) end })
  end)

  it("understands signatures with commas and consts inside types", function()
    local k = dc.kernel { [[
    template <class A, int N> struct scale { A by[N]; };
    __global__ void mixed(scale<float, 2> s, const short *const x, short *const y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = (short)(x[i] * s.by[1]);
    }]] }
    dc.testing.compare(k, function(_, x)
      local out = {}
      for i = 1, #x do out[i] = 3 * x[i] end
      return out
    end, { inputs = { function() return { by = { 1, 3 } } end, { "n" }, { "n" }, "n" } })
  end)

  it("tells the seed for errors of a kernel, too", function()
    local fault = dc.kernel [[__global__ void fault(int n, float *x) { if (n > 3) x[(long long)1 << 40] = 1; }]]
    if dc.device().blocking then
      local text = text_of(dc.testing.compare, fault, function() end,
        { inputs = { "n", { "n" } }, sizes = { n = { 4, 9 } }, devices = dc.device() })
      assert(text:find "fault" and text:find "trials = 1} repeats it", text)
    end
  end)

  it("does not disturb the script's random numbers", function()
    math.randomseed(5)
    local want = math.random(1 << 40)
    math.randomseed(5)
    dc.random.seed(3)
    local x = dc.random.uniform(10):eval()
    dc.random.seed(3)
    dc.testing.compare(saxpy, reference, { inputs = inputs, seed = 1, trials = 1 })
    assert.equal(want, math.random(1 << 40))
    assert.are.same(x, dc.random.uniform(10):eval())
    math.randomseed(helper.seed)
  end)

  it("raises errors for bad input", function()
    local function bad(kind, pattern, options, fn, ref)
      helper.fails(kind, pattern, function() dc.testing.compare(fn or saxpy, ref or reference, options) end)
    end
    bad("argument", "table of options expected")
    bad("argument", "'inputs' is a list", {})
    bad("argument", "no option 'input' %(did you mean 'inputs'", { input = inputs })
    bad("argument", "first argument.* is a function, got", { inputs = inputs }, 3)
    bad("argument", "reference is a function", { inputs = inputs }, saxpy, 3)
    bad("argument", "'trials' is an integer from 1 on", { inputs = inputs, trials = 0 })
    bad("argument", "'seed' is an integer", { inputs = inputs, seed = 1.5 })
    bad("argument", "no name of a size", { inputs = { "not a name" } })
    bad("argument", "input 1: there is no option 'dtpye'", { inputs = { { 3, dtpye = "int8" } } })
    bad("dtype", "no dtype 'float31'", { inputs = { { 3, dtype = "float31" } } })
    bad("shape", "axis 1 of input 1", { inputs = { { -1 } } })
    bad("argument", "range {low, high}", { inputs = { { { 5, 2 } } } })
    bad("argument", "size 'n' is an integer or a range", { inputs = inputs, sizes = { n = "x" } })
    bad("argument", "low, 2, is above high, 1", { inputs = { { 3, low = 2, high = 1 } } })
    bad("argument", "shape twice", { inputs = { { 3, shape = 3 } } })
    bad("argument", "'devices' is a list", { inputs = inputs, devices = {} })
    bad("argument", "'launch' is for kernels", { inputs = inputs, launch = print }, print)
    bad("argument", "reference returned 2 values, but the arrays", { inputs = inputs }, saxpy,
      function() return { 1 }, { 2 } end)
    bad("argument", "the function returned 1 values, the reference none", { inputs = { { 3 } } },
      function(x) return x end, function() end)
    bad("argument", "nothing to compare", { inputs = { 1 } }, function() end, function() end)
    bad("argument", "", { inputs = { "n" } }) -- too few for the kernel
  end)
end)
