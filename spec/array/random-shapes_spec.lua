-- dc.random.integers(1, 6) and normal(3, 0, 1) took bounds for shapes: the one gave 6 numbers up to 2^63, the other an
-- empty array.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

describe("dc.random", function()
  it("takes bounds by name, and says so where numbers look like bounds", function()
    local g = dc.random.generator(math.random(1 << 30))
    fails("argument", "%(1, 6%) is the shape, bounds are options: dc%.random%.integers%(n, {low = 1, high = 6}%)",
      function() g:integers(1, 6) end)
    fails("argument", "needs a bound", function() dc.random.integers(100) end)
    fails("shape", "'normal': extent 2 of the shape is the number 0; mean and standard deviation are options",
      function() g:normal(3, 0, 1) end)
    fails("shape", "'uniform': extent 1 of the shape is the number %-1; bounds are options", function()
      g:uniform(-1, 1)
    end)
    fails("shape", "'uniform': extent 1 of the shape is the number 0%.5", function() g:uniform(0.5, 2) end)
    fails("shape", "'uniform': extent 2 of the shape is the string 'float64'; the dtype is an option: "
      .. "dc.random.uniform%(n, {dtype = 'float64'}%)", function() g:uniform(3, "float64") end)
    fails("shape", "'uniform': extent 1 of the shape is the number 0;", function() g:uniform(0, 1) end)
    fails("shape", "'exponential': extent 1 .* the mean is an option", function() g:exponential(2.5) end)
  end)

  it("takes shapes and options like other functions", function()
    local low = math.random(-100, 100)
    local high, seed = low + math.random(0, 20), math.random(1 << 30)
    local want
    for _, call in ipairs {
      function(g) return g:integers(4, 5, { low = low, high = high }) end,
      function(g) return g:integers({ 4, 5 }, { low = low, high = high }) end,
      function(g) return g:integers { 4, 5, low = low, high = high } end,
    } do
      local a = call(dc.random.generator(seed))
      assert.same({ 4, 5 }, { a:shape() })
      want = want or a
      assert.is_true(dc.equal(want, a), h.note())
      assert.is_true(a:min():item() >= low and a:max():item() <= high, h.note())
    end
    local g = dc.random.generator(seed)
    assert.equal("uint8", g:integers(3, { dtype = "uint8" }).dtype) -- its range is the dtype's
    assert.same({ 0 }, { g:uniform(0):shape() })
    assert.same({ 3, 0, 1 }, { g:normal({ 3, 0, 1 }):shape() }) -- a table is a shape for certain
    assert.same({ 1, 6 }, { g:uniform(1, 6):shape() })
    assert.same({ 2, 3 }, { g:choice(9, 2, 3):shape() })
    assert.same({ 2, 3 }, { g:choice(9, { 2, 3, replace = false }):shape() })
    assert.same({ 1 }, { g:choice(9, { replace = false }):shape() })
    fails("argument", "no option 'hi' %(did you mean 'high'%?%); there are dtype, high and low",
      function() g:integers(3, { hi = 6 }) end)
    fails("argument", "no option 'repalce' %(did you mean 'replace'%?%)",
      function() g:choice(9, 2, { repalce = true }) end)
  end)
end)

describe("dc.fft and dc.linalg", function()
  it("take axes and options like other functions", function()
    if not dc.available "fft" then return end
    local a = dc.random.normal(4, 6):eval()
    local function same(x, y) assert.is_true(dc.equal(x, y), h.note()) end
    local fft = dc.fft
    same(fft.fft(a, { axis = 1 }), fft.fft(a, 1))
    same(fft.fft(a, { axis = 1, n = 8 }), fft.fft(a, 1, { n = 8 }))
    same(fft.fft(a, { axis = 1, n = 8 }), fft.fft(a, { 1, n = 8 }))
    same(fft.fft2(a), fft.fftn(a, 1, 2))
    same(fft.fftn(a, { axes = { 1 }, n = { 3 } }), fft.fftn(a, { 1 }, { n = { 3 } }))
    same(fft.rfft(a, 1), fft.rfft(a, { axis = 1 }))
  end)

  it("have norms that can keep their axes", function()
    local a = dc.random.normal(3, 4):eval()
    local norm = dc.linalg.norm
    assert.same({ 3, 1 }, { norm(a, 2, 2, { keep = true }):shape() })
    assert.same({ 1, 1 }, { norm(a, { keep = true }):shape() })
    assert.is_true(dc.equal(norm(a, 1, 2), norm(a, { ord = 1, axis = 2 })), h.note())
    assert.is_true(dc.equal(norm(a, nil, 1), norm(a, { 1 })), h.note())
    assert.is_true(dc.equal(norm(a, nil, 1):reshape(1, 4), norm(a, { 1, keep = true })), h.note())
    fails("argument", "norm: there is no option 'keepdims' %(did you mean 'keep'%?%)", function()
      norm(a, 2, 1, { keepdims = true })
    end)
  end)
end)
