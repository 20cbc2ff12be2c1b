-- Products of small matrices and vectors of integers, and batches of small systems: what plain Lua gives, of any view.
local helper = require "spec.helper"
local dc = require "dotcompute"
local fails, note = helper.fails, helper.note

local function wrapped(v, dtype)
  local bits = tonumber(dtype:match "%d+")
  if bits == 64 then return v end
  v = v & (1 << bits) - 1
  return dtype:find "^i" and v >> (bits - 1) == 1 and v - (1 << bits) or v
end

local function integers(dtype, ...)
  local a = dc.random.integers({ ... }, { low = dtype:find "^u" and 0 or -100, high = 100 }):to(dtype):eval()
  local how = math.random(3)
  if how == 1 then return a end
  local list = {}
  for d = 1, select("#", ...) do list[d] = how == 2 and { -1, 1, -1 } or ":" end
  local view = a[list]
  return how == 2 and view or view + 0 -- reversed, or pending
end

describe("of integers", function()
  for _, dtype in ipairs { "int8", "uint8", "int32", "int64", "uint64" } do
    it("products of small matrices wrap around, in batches that broadcast (" .. dtype .. ")", function()
      for _ = 1, 4 do
        local m, n, k, batch = math.random(1, 9), math.random(1, 9), math.random(1, 12), math.random(1, 4)
        local a, b = integers(dtype, batch, m, k), integers(dtype, math.random(2) == 1 and batch or 1, k, n)
        local c = a:matmul(b)
        local s, t, r = a:to_table(), b:to_table(), c:to_table()
        assert.equal(dtype, c.dtype)
        for i = 1, batch do
          local right = t[i] or t[1]
          for p = 1, m do
            for q = 1, n do
              local sum = 0
              for l = 1, k do sum = sum + s[i][p][l] * right[l][q] end
              assert.equal(wrapped(sum, dtype), r[i][p][q], note(dtype))
            end
          end
        end
      end
    end)

    it("products with vectors, of any extent (" .. dtype .. ")", function()
      for _ = 1, 4 do
        local m, k = math.random(1, 80), math.random(1, 80)
        local a, x, y = integers(dtype, m, k), integers(dtype, k), integers(dtype, m)
        local s, v, w = a:to_table(), x:to_table(), y:to_table()
        local right, left, turned = a:matmul(x):to_table(), y:matmul(a):to_table(), a.T:matmul(y):to_table()
        for p = 1, m do
          local sum = 0
          for l = 1, k do sum = sum + s[p][l] * v[l] end
          assert.equal(wrapped(sum, dtype), right[p], note(dtype))
        end
        for l = 1, k do
          local sum = 0
          for p = 1, m do sum = sum + s[p][l] * w[p] end
          assert.equal(wrapped(sum, dtype), left[l], note(dtype))
          assert.equal(wrapped(sum, dtype), turned[l], note(dtype))
        end
      end
    end)
  end

  it("other shapes and dtypes", function()
    local a = dc.array({ { 1, 2 }, { 3, 4 } }, "int8")
    assert.same({ { 7, 10 }, { 15, 22 } }, a:matmul(a:to "int32"):to_table())
    assert.equal("int32", a:matmul(a:to "int32").dtype)
    assert.same({ { 0, 0 } }, dc.zeros({ 1, 0 }, "int32"):matmul(dc.zeros({ 0, 2 }, "int32")):to_table())
    assert.equal(0, dc.zeros({ 0, 2, 2 }, "int32"):matmul(a).size)
    assert.same({ 5, 11 }, a:matmul({ 1, 2 }):to_table())
    fails("shape", "", function() return a:matmul(dc.zeros(3, "int8")) end)
    local c = dc.zeros({ 2, 2 }, "int8")
    local g = dc.graph(function() c[":"] = a:matmul(a) end)
    a[{ 1, 1 }] = 2
    g()
    assert.same({ { 10, 12 }, { 18, 22 } }, c:to_table())
  end)
end)

describe("batches of small systems", function()
  for _, dtype in ipairs { "float32", "float64", "complex128" } do
    it("have the results of their matrices alone (" .. dtype .. ")", function()
      local n, batch = math.random(2, 20), math.random(20, 300)
      local a = dc.random.normal(batch, n, n, { dtype = "float64" }):to(dtype) + dc.eye(n, dtype) * (4 * n)
      local b = dc.random.normal(batch, n, 2, { dtype = "float64" }):to(dtype)
      a:eval()
      b:eval()
      local x, inverse, det = dc.linalg.solve(a, b), dc.linalg.inv(a), dc.linalg.det(a)
      assert.is_true(dc.allclose(a:matmul(x), b, 1e-3, 1e-3), note(dtype))
      -- a GPU's library has other kernels for batches
      local same = dc.device().backend == "cpu" and dc.equal or function(p, q)
        return dc.allclose(p, q, dtype == "float32" and 1e-4 or 1e-10, dtype == "float32" and 1e-5 or 1e-12)
      end
      for _ = 1, 10 do
        local i = math.random(batch)
        assert.is_true(same(x[i], dc.linalg.solve(a[i], b[i])), note(i))
        assert.is_true(same(inverse[i], dc.linalg.inv(a[i])), note(i))
        assert.is_true(same(dc.array(det[i], dtype), dc.linalg.det(a[i])), note(i))
      end
      local first = math.random(batch - 1)
      a[first], a[batch] = 0, 0
      fails("argument", ("matrix %d of the batch is singular"):format(first), function() dc.linalg.solve(a, b) end)
    end)
  end
end)
