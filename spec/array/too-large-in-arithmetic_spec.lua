-- a * 1e39 raised for float32, though a:lt(1e39) worked: in arithmetic a number that is too large is infinite.
local dc = require "dotcompute"
local fails = require "spec.helper".fails
local inf = 1 / 0

describe("a number that is too large for the dtype", function()
  local too_large = { float32 = 1e39, float16 = 65520, bfloat16 = 3.4e38 }

  it("is infinite in arithmetic", function()
    for dtype, v in pairs(too_large) do
      local a = dc.array({ 2, -2 }, dtype)
      local function check(want, got)
        assert.equal(dtype, got.dtype)
        assert.same(want, got:to_table())
      end
      check({ inf, -inf }, a * v)
      check({ -inf, inf }, -v * a)
      check({ inf, inf }, a + v)
      check({ -inf, -inf }, a - v)
      check({ 0.0, -0.0 }, a / v)
      check({ inf, -2 }, dc.where(a:lt(0), a, v))
      check({ 2, -2 }, dc.clip(a, -v, v))
      check({ inf, inf }, dc.maximum(a, v))
      check({ inf, -inf }, dc.vectorize(function(x) return x * v end)(a))
      check({ inf, -inf }, dc.vectorize(function(x, y) return x * y end)(a, v))
      if math.type(v) == "integer" then check({ inf, inf }, a + 100000) end
      local b = a:to "int32"
      if dtype == "float32" then assert.same({ inf, inf }, (b + v):to_table()) end
    end
    local z = dc.array { dc.complex(1, 2) }
    assert.equal(dc.complex(inf, 2), (z + 1e39)[1])
    assert.equal(dc.complex(1, -inf), (z + dc.complex(0, -1e39))[1])
    assert.same({ false }, z:eq(dc.complex(1e39, 0)):to_table())
    assert.same({ true }, z:ne(dc.complex(1, 1e39)):to_table())
  end)

  it("keeps its value in comparisons", function()
    local a = dc.array { 1, inf, -inf }
    assert.same({ true, false, true }, a:lt(1e39):to_table())
    assert.same({ false, false, false }, a:eq(1e39):to_table())
    assert.same({ false, true, false }, a:gt(1e39):to_table())
  end)

  it("is refused where an array is made or written", function()
    for dtype, v in pairs(too_large) do
      local a = dc.ones(2, dtype)
      fails("dtype", "out of range", function() dc.array({ v }, dtype) end)
      fails("dtype", "out of range", function() dc.full(2, -v, dtype) end)
      fails("dtype", "out of range", function() a:fill(v) end)
      fails("dtype", "out of range", function() a[1] = v end)
      fails("dtype", "out of range", function() a[":"] = v end)
      fails("dtype", "out of range", function() a[a:gt(0)] = v end)
      fails("dtype", "out of range", function() a[dc.array({ 1 }, "int32")] = v end)
      fails("dtype", "out of range", function() a:pad(1, { value = v }) end)
    end
    fails("dtype", "out of range", function() dc.random.uniform(2, { high = 1e39 }) end)
    fails("dtype", "out of range", function() dc.random.normal(2, { std = 1e39 }) end)
    fails("dtype", "out of range", function() dc.random.exponential(2, { mean = 1e39 }) end)
  end)
end)
