-- Matrices with NaN on devices whose LU factorizations take NaN for 0, as cuSOLVER's do: none reaches a factorization,
-- and the results of these matrices alone are NaN.
local dc = require "dotcompute"
local core = require "dotcompute.core"
local h = require "spec.helper"
local nan = 0 / 0

local with = h.with_library(it, pending)

-- Calls f where the device loses NaN, and a factorization of a square matrix that gets one is an error.
local function losing(f)
  local kept = { lu_loses_nan = core.lu_loses_nan, matrix_solve = core.matrix_solve, matrix_det = core.matrix_det }
  core.lu_loses_nan = function() return true end
  for _, name in ipairs { "matrix_solve", "matrix_det" } do
    core[name] = function(a, ...)
      local rows, columns = select(-2, a:shape())
      assert.is_false(rows == columns and core.has_nan(a))
      return kept[name](a, ...)
    end
  end
  local ok, err = pcall(f)
  for name, fn in pairs(kept) do core[name] = fn end
  if not ok then error(err, 0) end
end

-- Element by element: NaN where `bad` is true for the matrix, else what the results without NaN are.
local function check(bad, want, got, text)
  assert.equal(want.dtype, got.dtype)
  h.same({ want:shape() }, { got:shape() }, text)
  local each = want.size // #bad
  local w, g = want:reshape(-1):to_table(), got:reshape(-1):to_table()
  for k = 1, want.size do
    if bad[(k - 1) // each + 1] then assert.is_true(g[k] ~= g[k], text)
    else assert.equal(w[k], g[k], text) end
  end
end

describe("a batch with NaN in some matrices", function()
  with("lapack", "has NaN in their results alone, where the device's factorization takes NaN for 0", function()
    for _, dtype in ipairs { "float32", "float64" } do
      for _, batch in ipairs { {}, { 5 }, { 2, 3 } } do
        local n, count = math.random(1, 6), 1
        for _, extent in ipairs(batch) do count = count * extent end
        local shape = { table.unpack(batch) }
        shape[#shape + 1], shape[#shape + 2] = n, n
        local good = dc.array((dc.random.uniform(shape) + dc.eye(n) * n):eval(), dtype)
        local a, bad = good:copy(), {}
        local flat = a:reshape(count, n, n)
        for k = 1, count do
          bad[k] = math.random(2) == 1
          if bad[k] then flat[{ k, math.random(n), math.random(n) }] = nan end
        end
        local vector, matrix = dc.random.uniform(n):to(dtype):eval(), dc.random.uniform(n, 2):to(dtype):eval()
        local text = h.note(("%s, %d matrices"):format(dtype, count))
        losing(function()
          check(bad, dc.linalg.inv(good), dc.linalg.inv(a), text)
          check(bad, dc.linalg.det(good), dc.linalg.det(a), text)
          check(bad, dc.linalg.solve(good, vector), dc.linalg.solve(a, vector), text)
          check(bad, dc.linalg.solve(good, matrix), dc.linalg.solve(a, matrix), text)
        end)
      end
    end
    losing(function()
      h.fails("shape", "square", function() dc.linalg.solve({ { 1, nan, 3 } }, { 1 }) end)
      h.fails("shape", "square", function() dc.linalg.det { { 1, nan, 3 } } end)
    end)
  end)
end)
