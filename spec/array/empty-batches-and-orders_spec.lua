-- svd of an empty batch gave U of shape (0, 3, 0) for matrices of 3 by 2; norms of the matrices of no rows were errors;
-- norm(a, 5e-99) raised an error about its reciprocal, which the caller never passed: 1 / 5e-99 overflows float32.
local dc = require "dotcompute"
local lapack = dc.available "lapack"
local it_lapack = lapack and it or pending

local function shapes(...)
  local list = {}
  for i, a in ipairs { ... } do list[i] = { a:shape() } end
  return list
end

describe("matrices without elements", function()
  it_lapack("have the shapes that NumPy gives", function()
    for _, batch in ipairs { {}, { 0 }, { 2 }, { 0, 3 } } do
      for m = 0, 3 do
        for n = 0, 3 do
          local shape = table.move({ m, n }, 1, 2, #batch + 1, table.move(batch, 1, #batch, 1, {}))
          local function with(...) return table.move({ ... }, 1, select("#", ...), #batch + 1, table.move(batch, 1,
            #batch, 1, {})) end
          local a, k = dc.zeros(shape), math.min(m, n)
          if a.size == 0 then
            assert.same({ with(m, k), with(k), with(k, n) }, shapes(dc.linalg.svd(a)))
            assert.same({ with(m, m), with(k), with(n, n) }, shapes(dc.linalg.svd(a, { full = true })))
            assert.same({ with(k) }, shapes(dc.linalg.svd(a, { vectors = false })))
            assert.same({ with(m, k), with(k, n) }, shapes(dc.linalg.qr(a)))
            assert.same({ with(m, m), with(m, n) }, shapes(dc.linalg.qr(a, "complete")))
            assert.same({ with(k, n) }, shapes(dc.linalg.qr(a, "r")))
            for _, order in ipairs { 1, 2, math.huge, "fro", "nuc" } do
              local norms = dc.linalg.norm(a, order, { -2, -1 })
              assert.same({ with() }, shapes(norms))
              assert.equal(0, norms:sum():item())
            end
            if m == n then
              local ones = dc.linalg.det(a)
              assert.same({ with(), with(m, m), with(m, m), with(m, m), with(m), with(m, m) },
                shapes(ones, dc.linalg.inv(a), dc.linalg.solve(a, a), dc.linalg.cholesky(a), dc.linalg.eigh(a)))
              assert.equal(ones.size, ones:sum():item())
            end
          end
        end
      end
    end
  end)
end)

describe("norms of vectors", function()
  it("of an order whose reciprocal float32 cannot represent are right", function()
    assert.equal(3, dc.linalg.norm({ 3, 0 }, 5e-99):item())
    assert.equal(math.huge, dc.linalg.norm({ 3, 0, 4 }, 5e-99):item())
    assert.equal(0, dc.linalg.norm({ 0, 0 }, 5e-99):item())
    assert.equal(0, dc.linalg.norm({ 3, 0 }, -5e-99):item())
    assert.equal(4, dc.linalg.norm({ 3, -4 }, 1e99):item())
    assert.equal("float32", dc.linalg.norm({ 3, 0 }, 5e-99).dtype)
  end)

  it("of high orders do not overflow midway", function()
    for _ = 1, 20 do
      local order, n = math.random(3, 400) * (math.random(2) * 2 - 3), math.random(1, 9)
      local size = 2.0 ^ math.random(-60, 60)
      local values, greatest, least = {}, 0, math.huge
      for i = 1, n do
        values[i] = (math.random() + 0.5) * size
        greatest, least = math.max(greatest, values[i]), math.min(least, values[i])
      end
      local scale, sum = order > 0 and greatest or least, 0
      for i = 1, n do sum = sum + (values[i] / scale) ^ order end
      local want = scale * sum ^ (1 / order)
      for _, dtype in ipairs { "float32", "float64" } do
        local got = dc.linalg.norm(dc.array(values, dtype), order):item()
        assert.is_true(math.abs(got - want) <= (dtype == "float32" and 1e-5 or 1e-12) * want,
          ("order %d: %.17g, should be %.17g"):format(order, got, want))
      end
    end
    assert.equal(0, dc.linalg.norm({ 0, 3 }, -3):item())
    assert.equal(0, dc.linalg.norm({ 0, 0 }, 3):item())
    assert.equal(math.huge, dc.linalg.norm({ 1 / 0, 3 }, 3):item())
    local lost = dc.linalg.norm({ 0 / 0, 3 }, 3):item()
    assert.is_true(lost ~= lost)
    assert.same({ 0, 0, 0 }, dc.linalg.norm(dc.zeros(0, 3), 3, 1):to_table())
    assert.equal(0, dc.linalg.norm(dc.zeros(0), math.huge):item())
  end)
end)
