-- Dense solvers, checked in plain Lua by multiplying their results; batches, complex numbers, bad input.
local dc = require "dotcompute"
local helper = require "spec.helper"
local matrices = require "spec.matrices"
local fails, note = helper.fails, helper.note

local random = math.random
local plain, shaped, nested = matrices.plain, matrices.shaped, matrices.nested
local values, of_array, permuted = matrices.values, matrices.of_array, matrices.permuted
local transposed, from_plain, lay = matrices.transposed, matrices.from_plain, matrices.lay
local times, identity, eighths = matrices.times, matrices.identity, matrices.eighths
local any, check_values, close = matrices.any, matrices.check_values, matrices.close

local with = helper.with_library(it, pending)

local tolerance = { float32 = 3e-4, float64 = 1e-11 }

-- A random batch of n by n matrices that are far from singular.
local function regular(batch, n)
  local shape = table.move(batch, 1, #batch, 1, {})
  shape[#shape + 1], shape[#shape + 2] = n, n
  return plain(shape, function(i) return any() + ((i - 1) // n % n == (i - 1) % n and n or 0) end)
end

-- The matrices of a batch in plain Lua, one after the other.
local function each(t)
  local m, n = t.shape[#t.shape - 1], t.shape[#t.shape]
  local list = {}
  for z = 1, m * n > 0 and #t // (m * n) or 0 do
    list[z] = shaped(table.move(t, (z - 1) * m * n + 1, z * m * n, 1, {}), { m, n })
  end
  return list
end

describe("a solver", function()
  with("lapack", "solves for vectors, matrices and batches", function()
    for _, case in ipairs { { {}, 1, 1 }, { {}, 5 }, { {}, 7, 3 }, { { 3 }, 4, 2 }, { { 2, 2 }, 3, 1 },
                            { {}, 40, 40 } } do
      for _, dtype in ipairs { "float32", "float64" } do
        local batch, n, k = case[1], case[2], case[3]
        local a = regular(batch, n)
        local shape = table.move(batch, 1, #batch, 1, {})
        shape[#shape + 1], shape[#shape + 2] = n, k
        local b = plain(k and shape or { n }, any)
        local x = dc.linalg.solve((lay(a, dtype)), (lay(b, dtype)))
        assert.equal(dtype, x.dtype)
        assert.same(b.shape, { x:shape() })
        assert.is_true(x.contiguous)
        close(b, times(a, of_array(x)), tolerance[dtype], "a x")
      end
    end
    local a = regular({}, 4) -- one b for a batch of a, and the other way round
    local many = dc.linalg.solve(from_plain(a, "float64"):broadcast_to(3, 4, 4), dc.ones(4, 2, "float64"))
    assert.same({ 3, 4, 2 }, { many:shape() })
    assert.same({ 3, 4 }, { dc.linalg.solve(dc.eye(4):broadcast_to(3, 4, 4), dc.ones(4)):shape() })
    assert.same({ 5, 4, 1 }, { dc.linalg.solve(dc.eye(4), dc.ones(5, 4, 1)):shape() })
    assert.same({ 0 }, { dc.linalg.solve(dc.zeros(0, 0), dc.zeros(0)):shape() })
    assert.same({ 3, 0 }, { dc.linalg.solve(dc.eye(3), dc.zeros(3, 0)):shape() })
    assert.same({ 0.5, 1 }, dc.linalg.solve({ { 2, 0 }, { 0, 3 } }, { 1, 3 }):to_table())
    assert.equal("float32", dc.linalg.solve(dc.eye(2, "int32"), dc.ones(2, "int8")).dtype)
    assert.equal("float64", dc.linalg.solve(dc.eye(2, "int64"), dc.ones(2, "int8")).dtype)
  end)

  with("lapack", "inverts", function()
    for _, n in ipairs { 1, 2, 9, 33 } do
      local a = regular({ 2 }, n)
      for z, inverse in ipairs(each(of_array(dc.linalg.inv((lay(a, "float64")))))) do
        close(identity(n), times(each(a)[z], inverse), tolerance.float64 * n, "a inv(a)")
      end
    end
    assert.same({ 0, 0 }, { dc.linalg.inv(dc.zeros(0, 0)):shape() })
  end)

  with("lapack", "leaves its operands unchanged", function()
    local a, b = regular({}, 6), plain({ 6, 2 }, any)
    local x, y = from_plain(a, "float64"), from_plain(b, "float64")
    dc.linalg.solve(x, y)
    dc.linalg.det(x)
    dc.linalg.qr(x)
    dc.linalg.svd(x)
    dc.linalg.eigh(x)
    dc.linalg.lstsq(x, y)
    check_values(a, x, "a")
    check_values(b, y, "b")
  end)

  with("lapack", "names the singular matrix, and propagates NaN", function()
    fails("argument", "the matrix is singular: pivot 2 is 0", function()
      dc.linalg.solve({ { 1, 2 }, { 2, 4 } }, { 1, 1 })
    end)
    fails("argument", "matrix 3 of the batch is singular", function()
      local a = dc.array(nested(regular({ 4 }, 3)))
      a[3]:fill(1)
      dc.linalg.inv(a)
    end)
    local x = dc.linalg.solve({ { 0 / 0, 1 }, { 1, 2 } }, { 1, 1 }):to_table()
    assert.is_true(x[1] ~= x[1] and x[2] ~= x[2], x[1] .. " and " .. x[2])
  end)

  with("lapack", "computes determinants", function()
    for _ = 1, 10 do
      local a = plain({ 4, 3, 3 }, function() return random(-5, 5) * 1.0 end)
      local want = {}
      for z, t in ipairs(each(a)) do
        want[z] = t[1] * (t[5] * t[9] - t[6] * t[8]) - t[2] * (t[4] * t[9] - t[6] * t[7])
          + t[3] * (t[4] * t[8] - t[5] * t[7])
      end
      local d = dc.linalg.det((lay(a, "float64")))
      assert.same({ 4 }, { d:shape() })
      close(want, values(d), 1e-9, "det")
    end
    assert.equal(0, dc.linalg.det({ { 1, 2 }, { 2, 4 } }):item())
    assert.equal(0, dc.linalg.det(dc.zeros(5, 5)):item())
    assert.equal(1, dc.linalg.det(dc.zeros(0, 0)):item())
    assert.same({ 1, 1 }, dc.linalg.det(dc.zeros(2, 0, 0)):to_table())
    local v = dc.linalg.det({ { 0 / 0, 1 }, { 1, 1 } }):item()
    assert.is_true(v ~= v, tostring(v))
    assert.equal("float32", dc.linalg.det(dc.eye(2, "int8")).dtype)
  end)

  with("lapack", "computes Cholesky factors", function()
    for _, case in ipairs { { {}, 1 }, { {}, 5 }, { { 3 }, 4 }, { {}, 40 } } do
      local n = case[2]
      local roots = each(regular(case[1], n))
      local a = { shape = table.move(case[1], 1, #case[1], 1, {}) }
      a.shape[#a.shape + 1], a.shape[#a.shape + 2] = n, n
      for _, r in ipairs(roots) do table.move(times(r, transposed(r)), 1, n * n, #a + 1, a) end
      for _, dtype in ipairs { "float32", "float64" } do
        local l = dc.linalg.cholesky((lay(a, dtype)))
        assert.same(a.shape, { l:shape() })
        for z, t in ipairs(each(of_array(l))) do
          for i = 1, n do
            for j = i + 1, n do assert.equal(0, t[(i - 1) * n + j], note "above the diagonal") end
          end
          close(each(a)[z], times(t, transposed(t)), tolerance[dtype] * n * n, "L L'")
        end
      end
    end
    -- the lower triangle is what counts
    assert.same({ { 2, 0 }, { 1, 3 } }, dc.linalg.cholesky({ { 4, 1e9 }, { 2, 10 } }):to_table())
    fails("argument", "the matrix is not positive definite: its leading part of 2 by 2", function()
      dc.linalg.cholesky { { 1, 2 }, { 2, 1 } }
    end)
    local ok, nan = pcall(dc.linalg.cholesky, { { 0 / 0 } }) -- some of the libraries notice
    assert.is_true(not ok and nan.kind == "argument" or nan:item() ~= nan:item())
    assert.same({ 0, 0 }, { dc.linalg.cholesky(dc.zeros(0, 0)):shape() })
  end)

  with("lapack", "factors into Q and R", function()
    for _, case in ipairs { { {}, 1, 1 }, { {}, 6, 4 }, { {}, 4, 6 }, { { 2 }, 5, 5 }, { { 2, 3 }, 3, 2 },
                            { {}, 40, 30 } } do
      local batch, m, n = case[1], case[2], case[3]
      local shape = table.move(batch, 1, #batch, 1, {})
      shape[#shape + 1], shape[#shape + 2] = m, n
      local a = plain(shape, any)
      for _, mode in ipairs { "reduced", "complete", "r" } do
        local q, r = dc.linalg.qr((lay(a, "float64")), mode)
        if mode == "r" then q, r = nil, q end
        local k = mode == "complete" and m or math.min(m, n)
        assert.same({ k, n }, { select(#batch + 1, r:shape()) })
        for z, t in ipairs(each(of_array(r))) do
          for i = 1, k do
            for j = 1, math.min(i - 1, n) do assert.equal(0, t[(i - 1) * n + j], note "below the diagonal") end
          end
          if q then
            local p = each(of_array(q))[z]
            assert.same({ m, k }, p.shape)
            close(identity(k), times(transposed(p), p), 1e-12 * m, "Q' Q")
            close(each(a)[z], times(p, t), 1e-12 * m, "Q R")
          end
        end
      end
    end
    local q, r = dc.linalg.qr(dc.zeros(3, 0), "complete")
    assert.same({ 1, 0, 0 }, q[1]:to_table())
    assert.same({ 3, 0 }, { r:shape() })
    q, r = dc.linalg.qr(dc.zeros(0, 3))
    assert.same({ 0, 0, 0, 3 }, { select(1, q:shape()), select(2, q:shape()), r:shape() })
    fails("argument", "reduced", function() dc.linalg.qr(dc.eye(2), "full") end)
  end)

  with("lapack", "computes eigenvalues of symmetric matrices", function()
    for _, case in ipairs { { {}, 1 }, { {}, 6 }, { { 3 }, 4 }, { {}, 50 } } do
      local n = case[2]
      local a = regular(case[1], n)
      for z = 0, #a // (n * n) - 1 do -- symmetric, with garbage above the diagonal, which is not read
        for i = 1, n do for j = i + 1, n do a[z * n * n + (i - 1) * n + j] = 1e6 end end
      end
      local w, v = dc.linalg.eigh((lay(a, "float64")))
      local only = dc.linalg.eigh(from_plain(a, "float64"), { vectors = false })
      close(values(w), values(only), 1e-10 * n, "values alone")
      for z, t in ipairs(each(a)) do
        local lambda = table.move(values(w), (z - 1) * n + 1, z * n, 1, {})
        local vectors = each(of_array(v))[z]
        for i = 1, n do
          for j = i + 1, n do t[(i - 1) * n + j] = t[(j - 1) * n + i] end
          if i > 1 then assert.is_true(lambda[i - 1] <= lambda[i]) end
        end
        local left, right = times(t, vectors), {}
        for i, x in ipairs(vectors) do right[i] = x * lambda[(i - 1) % n + 1] end
        close(right, left, 1e-11 * n * n, "A V")
        close(identity(n), times(transposed(vectors), vectors), 1e-11 * n, "V' V")
      end
    end
    assert.same({ 0 }, { dc.linalg.eigh(dc.zeros(0, 0), { vectors = false }):shape() })
  end)

  with("lapack", "computes singular values", function()
    for _, case in ipairs { { {}, 1, 1 }, { {}, 6, 3 }, { {}, 3, 6 }, { {}, 5, 5 }, { { 2 }, 4, 2 }, { { 2 }, 2, 4 },
                            { {}, 40, 25 } } do
      local batch, m, n = case[1], case[2], case[3]
      local k = math.min(m, n)
      local shape = table.move(batch, 1, #batch, 1, {})
      shape[#shape + 1], shape[#shape + 2] = m, n
      local a = plain(shape, any)
      for _, full in ipairs { false, true } do
        local u, s, vh = dc.linalg.svd((lay(a, "float64")), { full = full })
        local alone = dc.linalg.svd(from_plain(a, "float64"), { vectors = false })
        close(values(s), values(alone), 1e-12 * m * n, "values alone")
        for z, t in ipairs(each(a)) do
          local left, right = each(of_array(u))[z], each(of_array(vh))[z]
          local sigma = table.move(values(s), (z - 1) * k + 1, z * k, 1, {})
          assert.same({ { m, full and m or k }, { full and n or k, n } }, { left.shape, right.shape })
          for i = 1, k do assert.is_true(sigma[i] >= (sigma[i + 1] or 0)) end
          local middle = plain({ left.shape[2], right.shape[1] }, function(i)
            local row, column = (i - 1) // right.shape[1] + 1, (i - 1) % right.shape[1] + 1
            return row == column and sigma[row] or 0.0
          end)
          close(t, times(times(left, middle), right), 1e-12 * m * n, "U S Vh")
          close(identity(left.shape[2]), times(transposed(left), left), 1e-12 * m, "U' U")
          close(identity(right.shape[1]), times(right, transposed(right)), 1e-12 * n, "Vh Vh'")
        end
      end
    end
    local u, s, vh = dc.linalg.svd(dc.zeros(3, 0), { full = true })
    assert.same({ 3, 3, 0, 0, 0 }, { select(1, u:shape()), select(2, u:shape()), #s, vh:shape() })
    fails("argument", "does not converge", function() dc.linalg.svd(dc.full({ 4, 4 }, 0 / 0)) end)
  end)

  with("lapack", "computes a batch as it computes each of its matrices", function()
    for _, dtype in ipairs { "float64", "complex128" } do
      local n, batch, more = random(2, 40), random(3, 20), dc.random.normal
      local function any_of(...)
        local x = more(..., { dtype = "float64" }):to(dtype)
        if dtype == "complex128" then x = x + more(..., { dtype = "float64" }) * dc.complex(0, 1) end
        return x:eval()
      end
      local a, b = any_of { batch, n, n } + 2 * n * dc.eye(n, dtype), any_of { batch, n, 3 }
      local tall, wide = any_of { batch, n + 3, n }, any_of { batch, n, n + 2 }
      local square = a:matmul(dc.conj(a):transpose(1, 3, 2))
      local function same(what, all, one)
        for z = 1, batch do
          local want = one(z)
          local most = 1e-9 * (1 + dc.abs(want):max():item())
          assert.is_true(dc.abs(all[z] - want):max():item() <= most, note(("%s, %d of %d"):format(what, z, batch)))
        end
      end
      local l = dc.linalg
      same("solve", l.solve(a, b), function(z) return l.solve(a[z], b[z]) end)
      same("inv", l.inv(a), function(z) return l.inv(a[z]) end)
      same("cholesky", l.cholesky(square), function(z) return l.cholesky(square[z]) end)
      local d = l.det(a / (2 * n))
      for z = 1, batch do
        local one = l.det(a[z] / (2 * n))
        assert.is_true(dc.abs(d[z] - one):item() <= 1e-9 * (1 + dc.abs(one):item()), note "det")
      end
      local w, v = l.eigh(square)
      same("eigh", w, function(z) return (l.eigh(square[z])) end)
      same("eigenvectors", square:matmul(v), function(z) return v[z] * w[z]:reshape(1, n) end)
      for _, x in ipairs { a, tall, wide } do
        for _, full in ipairs { false, true } do
          local u, s, vh = l.svd(x, { full = full })
          local k = (select(2, s:shape()))
          local product = (u[{ ":", ":", { 1, k } }] * s:reshape(batch, 1, k)):matmul(vh[{ ":", { 1, k } }])
          same("svd", product, function(z) return x[z] end)
          local rows = (select(2, u:shape()))
          assert.equal(full and rows or math.min(rows, k), (select(3, u:shape())))
        end
        same("singular values", select(2, l.svd(x)), function(z) return (select(2, l.svd(x[z]))) end)
        local q, r = l.qr(x)
        same("qr", q:matmul(r), function(z) return x[z] end)
      end
      same("values alone", l.svd(a, { vectors = false }), function(z) return l.svd(a[z], { vectors = false }) end)
    end
  end)

  with("lapack", "solves least squares problems", function()
    for _, case in ipairs { { 6, 3 }, { 3, 6 }, { 5, 5 }, { 30, 4, 2 } } do
      local m, n, k = case[1], case[2], case[3]
      local a, b = plain({ m, n }, any), plain(k and { m, k } or { m }, any)
      local x, rest, rank, s = dc.linalg.lstsq((lay(a, "float64")), (lay(b, "float64")))
      assert.equal(math.min(m, n), rank)
      assert.equal(math.min(m, n), #s)
      local got = of_array(x)
      local left = times(a, got)
      for i = 1, #left do left[i] = b[i] - left[i] end
      local zero = plain({ n, k or 1 }, function() return 0.0 end)
      left.shape = { m, k or 1 }
      close(zero, times(transposed(a), left), 1e-10, "a' (b - a x)")
      if m > n then
        for j = 1, k or 1 do
          local sum = 0
          for i = 1, m do sum = sum + left[(i - 1) * (k or 1) + j] ^ 2 end
          close({ sum }, { rest[j] }, 1e-10, "what is left")
        end
      else
        assert.equal(0, rest.size)
      end
    end
    local x, rest, rank = dc.linalg.lstsq({ { 1, 1 }, { 1, 1 }, { 1, 1 } }, { 2, 2, 2 }) -- the shortest of many
    assert.is_true(dc.allclose(x, { 1, 1 }))
    assert.same({ 1, 0 }, { rank, rest.size })
    fails("shape", "lstsq of a %(2, 2%) and b %(3,%)", function() dc.linalg.lstsq(dc.eye(2), dc.ones(3)) end)
    fails("argument", "cutoff", function() dc.linalg.lstsq(dc.eye(2), dc.ones(2), "x") end)
  end)

  with("lapack", "refuses shapes, dtypes and options that do not fit", function()
    local eye = dc.eye(3)
    for _, name in ipairs { "inv", "cholesky", "det", "eigh" } do
      fails("shape", name .. " takes square matrices; this array has shape %(2, 3%)", function()
        dc.linalg[name](dc.ones(2, 3))
      end)
      fails("shape", "shape %(3,%)", function() dc.linalg[name](dc.ones(3)) end)
      fails("shape", "shape %(%)", function() dc.linalg[name](1) end)
    end
    for _, name in ipairs { "inv", "cholesky", "det", "eigh", "qr", "svd", "norm" } do
      local has_options = name ~= "inv" and name ~= "cholesky" and name ~= "det"
      fails("argument", not has_options and "expected for the first argument, got nil"
        or name .. "' takes .*, got 0", function() dc.linalg[name]() end)
      fails("argument", name .. ": .* expected for the first argument, got the string 'x'", function()
        dc.linalg[name] "x"
      end)
      local a = dc.ones(2, 2)
      a:close()
      fails("argument", "closed", function() dc.linalg[name](a) end)
    end
    for _, name in ipairs { "qr", "svd" } do
      fails("shape", name .. " takes a matrix", function() dc.linalg[name](dc.ones(3)) end)
    end
    fails("shape", "solve of a %(3, 3%) and b %(4,%)", function() dc.linalg.solve(eye, dc.ones(4)) end)
    fails("shape", "or have %d+ rows", function() dc.linalg.solve(eye, dc.array(1)) end)
    fails("shape", "or have %d+ rows", function() dc.linalg.solve(eye, dc.ones(2, 3)) end)
    fails("shape", "do not broadcast", function()
      dc.linalg.solve(eye:broadcast_to(2, 3, 3), dc.ones(5, 3, 1))
    end)
    fails("argument", "svd: there is no option 'ful' %(did you mean 'full'%?%)", function()
      dc.linalg.svd(eye, { ful = true })
    end)
    fails("argument", "'vectors' is a boolean, got the number 1", function()
      dc.linalg.eigh(eye, { vectors = 1 })
    end)
    fails("index", "dc.linalg has no 'eig'", function() local _ = dc.linalg.eig end)
  end)

  with("lapack", "computes norms of vectors and matrices", function()
    local t = plain({ 4, 5 }, any)
    local a = from_plain(t, "float64")
    local squares, rows, columns = 0, { 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 }
    for i, v in ipairs(t) do
      squares = squares + v * v
      local r, c = (i - 1) // 5 + 1, (i - 1) % 5 + 1
      rows[r], columns[c] = rows[r] + math.abs(v), columns[c] + math.abs(v)
    end
    local function check(want, ...) close({ want }, { dc.linalg.norm(a, ...):item() }, 1e-12, "norm") end
    check(math.sqrt(squares))
    check(math.sqrt(squares), "fro")
    check(math.max(table.unpack(columns)), 1)
    check(math.min(table.unpack(columns)), -1)
    check(math.max(table.unpack(rows)), math.huge)
    check(math.min(table.unpack(rows)), -math.huge)
    local s = dc.linalg.svd(a, { vectors = false }):to_table()
    check(s[1], 2)
    check(s[4], -2)
    check(s[1] + s[2] + s[3] + s[4], "nuc")
    close(rows, values(dc.linalg.norm(a, 1, 2)), 1e-12, "along rows")
    close(columns, values(dc.linalg.norm(a, 1, -2)), 1e-12, "along columns")
    local cubes = {}
    for i, v in ipairs(t) do
      local r = (i - 1) // 5 + 1
      cubes[r] = (cubes[r] or 0) + math.abs(v) ^ 3
    end
    for r = 1, 4 do cubes[r] = cubes[r] ^ (1 / 3) end
    close(cubes, values(dc.linalg.norm(a, 3, 2)), 1e-12, "third")
    assert.equal(2, dc.linalg.norm({ 0, 3, 0, -1 }, 0):item())
    assert.equal(3, dc.linalg.norm({ 0, 3, 0, -1 }, math.huge):item())
    assert.equal(5, dc.linalg.norm({ 3, -4 }):item())
    assert.equal("float32", dc.linalg.norm(dc.array({ 3, -4 }, "int32")).dtype)
    local b = dc.array(nested(plain({ 3, 2, 4 }, any)), "float64")
    local along = dc.linalg.norm(b, 2, { 1, 3 })
    for j = 1, 2 do
      close({ dc.linalg.norm(b[{ ":", j, ":" }], 2):item() }, { along[j] }, 1e-12, "two axes")
    end
    assert.is_true(dc.linalg.norm({ 1, 0 / 0 }, math.huge):item() ~= dc.linalg.norm({ 1, 0 / 0 }, math.huge):item())
    fails("index", "axis 4 is out of range", function() dc.linalg.norm(b, 2, 4) end)
    fails("argument", "two different ones", function() dc.linalg.norm(b, 2, { 1, 1 }) end)
    fails("argument", "an axis is an integer", function() dc.linalg.norm(b, 2, 1.5) end)
    fails("argument", "matrices have the orders", function() dc.linalg.norm(a, 3) end)
    fails("argument", "an order that is a number", function() dc.linalg.norm({ 1, 2 }, "fro") end)
    fails("shape", "needs the axis", function() dc.linalg.norm(b, 1) end)
  end)
end)

-- --- complex and 16-bit numbers ------------------------------------------------------------------------------------

-- A complex matrix in plain Lua as the real one of twice the size that acts alike: [[re, -im], [im, re]] for a value.
local function as_real(t)
  local m, n = t.shape[1], t.shape[2]
  local r = { shape = { 2 * m, 2 * n } }
  for i = 0, m - 1 do
    for j = 0, n - 1 do
      local v = t[i * n + j + 1]
      local at = 4 * i * n + 2 * j + 1
      r[at], r[at + 1], r[at + 2 * n], r[at + 2 * n + 1] = v.re, -v.im, v.im, v.re
    end
  end
  return r
end

local function real_of(a) return as_real(of_array(a)) end
local function complex_eighths() return dc.complex(eighths(), eighths()) end
local function any_complex() return dc.complex(any(), any()) end

local function transposed_real(t) return permuted(t, { 2, 1 }) end -- of the real one: the conjugate transpose

describe("of complex numbers", function()
  with("blas", "products are exact where they can be", function()
    for _ = 1, 40 do
      local m, k, n = random(6), random(6), random(6)
      local a, b = plain({ m, k }, complex_eighths), plain({ k, n }, complex_eighths)
      for _, dtype in ipairs { "complex64", "complex128" } do
        local x, y = (lay(a, dtype)), (lay(b, dtype))
        local c = x:matmul(y)
        assert.equal(dtype, c.dtype)
        local want = times(as_real(a), as_real(b))
        helper.same(table.move(want, 1, #want, 1, {}), real_of(c), "product")
        local v = x[1]:dot(y[{ ":", 1 }]):item()
        assert.equal(want[1], v.re)
      end
    end
    assert.equal("complex64", dc.ones(2, 2):matmul(dc.ones(2, 2, "complex64")).dtype)
    assert.equal("complex128", dc.ones(2, 2, "float64"):matmul(dc.ones(2, "complex64")).dtype)
  end)

  with("lapack", "solutions satisfy their equations", function()
    for _, case in ipairs { { 1, "complex128" }, { 4, "complex64" }, { 5, "complex128" }, { 30, "complex128" } } do
      local n, dtype = case[1], case[2]
      local most = (dtype == "complex64" and 1e-4 or 1e-12) * n
      local a = plain({ n, n }, function(i)
        return dc.complex(any() + ((i - 1) // n == (i - 1) % n and n or 0), any())
      end)
      local r = as_real(a)
      local x = lay(a, dtype)
      close(identity(2 * n), times(r, real_of(dc.linalg.inv(x))), most, "inv")
      local b = plain({ n, 2 }, any_complex)
      close(as_real(b), times(r, real_of(dc.linalg.solve(x, (lay(b, dtype))))), most, "solve")

      local hermitian = times(r, transposed_real(r)) -- positive definite
      local h = plain({ n, n }, function(i)
        local row, column = (i - 1) // n, (i - 1) % n
        return dc.complex(hermitian[4 * row * n + 2 * column + 1], hermitian[(2 * row + 1) * 2 * n + 2 * column + 1])
      end)
      local l = real_of(dc.linalg.cholesky(dc.array(nested(h), dtype)))
      close(hermitian, times(l, transposed_real(l)), most * 10 * n, "cholesky")
      local w, v = dc.linalg.eigh(dc.array(nested(h), dtype))
      assert.equal(dtype == "complex64" and "float32" or "float64", w.dtype)
      local vectors, values_of = real_of(v), values(w)
      local scaled = shaped({}, { 2 * n, 2 * n })
      for i, z in ipairs(vectors) do scaled[i] = z * values_of[(i - 1) % (2 * n) // 2 + 1] end
      close(scaled, times(hermitian, vectors), most * 20 * n, "eigh")
      close(identity(2 * n), times(transposed_real(vectors), vectors), most, "eigh's vectors")
    end
  end)

  with("lapack", "factors are unitary", function()
    for _, case in ipairs { { 4, 3 }, { 3, 4 }, { 5, 5 }, { 20, 6 } } do
      local m, n = case[1], case[2]
      local k = math.min(m, n)
      local a = plain({ m, n }, any_complex)
      local r = as_real(a)
      local q, upper = dc.linalg.qr((lay(a, "complex128")))
      q, upper = real_of(q), real_of(upper)
      close(r, times(q, upper), 1e-12 * m, "Q R")
      close(identity(2 * k), times(transposed_real(q), q), 1e-12 * m, "Q* Q")
      for _, full in ipairs { false, true } do
        local u, s, vh = dc.linalg.svd((lay(a, "complex128")), { full = full })
        assert.equal("float64", s.dtype)
        local sigma = values(s)
        u, vh = real_of(u), real_of(vh)
        local middle = plain({ u.shape[2], vh.shape[1] }, function(i)
          local row, column = (i - 1) // vh.shape[1], (i - 1) % vh.shape[1]
          return row == column and sigma[row // 2 + 1] or 0.0
        end)
        close(r, times(times(u, middle), vh), 1e-12 * m * n, "U S Vh")
        close(identity(u.shape[2]), times(transposed_real(u), u), 1e-12 * m, "U* U")
        close(identity(vh.shape[1]), times(vh, transposed_real(vh)), 1e-12 * n, "Vh Vh*")
      end
      local b = plain({ m, 2 }, any_complex)
      local x = dc.linalg.lstsq(dc.array(nested(a), "complex128"), dc.array(nested(b), "complex128"))
      local left = times(r, real_of(x))
      local want = as_real(b)
      for i = 1, #left do left[i] = want[i] - left[i] end
      local zero = plain({ 2 * n, 4 }, function() return 0.0 end)
      close(zero, times(transposed_real(r), left), 1e-10, "a* (b - a x)")
    end
  end)

  with("lapack", "determinants and norms are right", function()
    for _ = 1, 10 do
      local t = plain({ 2, 2 }, complex_eighths)
      local want = { t[1].re * t[4].re - t[1].im * t[4].im - t[2].re * t[3].re + t[2].im * t[3].im,
        t[1].re * t[4].im + t[1].im * t[4].re - t[2].re * t[3].im - t[2].im * t[3].re }
      for dtype, accuracy in pairs { complex128 = 1e-12, complex64 = 1e-4 } do
        local d = dc.linalg.det((lay(t, dtype)))
        assert.equal(dtype, d.dtype)
        close(want, { d:item().re, d:item().im }, accuracy, "det")
      end
    end
    local a = dc.array { { dc.complex(3, 4), 0 }, { 0, dc.complex(0, 12) } }
    close({ 13, 12, 5, 17, 2 }, { dc.linalg.norm(a):item(), dc.linalg.norm(a, 1):item(),
      dc.linalg.norm(a, -math.huge):item(), dc.linalg.norm(a, "nuc"):item(), dc.linalg.norm(a:reshape(4), 0):item() },
      1e-4, "norms")
    assert.equal("float32", dc.linalg.norm(a).dtype)
    assert.equal("float32", dc.linalg.norm(a, 0, 1).dtype)
  end)
end)
