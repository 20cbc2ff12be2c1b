-- Matrix products, solvers and Fourier transforms on the CUDA device, over libraries without a GPU
-- (spec/fake/fake_libraries.c) that compute by NVIDIA's conventions. Kernels compute nothing here, so operands have the
-- memory layout that the libraries take.
local helper = require "spec.helper"
local fake = require "spec.fake"
local quote, build = helper.quote, helper.build
local library = build .. "/spec/libfake_libraries.so"

setup(function()
  fake.build()
  assert(os.execute(("%s -std=gnu11 -O1 -g -shared -fPIC -Isrc -o %s spec/fake/fake_libraries.c -lm"):format(
    os.getenv "CC" or "cc", quote(library))))
end)

local function run(script, env)
  local all = { DOTCOMPUTE_CUBLAS = library, DOTCOMPUTE_CUSOLVER = library, DOTCOMPUTE_CUFFT = library }
  for name, value in pairs(env or {}) do all[name] = value end
  local out, report = fake.run([[
local function nested(shape, fn, axis, index)
  axis, index = axis or 1, index or {}
  if axis > #shape then return fn(table.unpack(index)) end
  local t = {}
  for i = 1, shape[axis] do
    index[axis] = i
    t[i] = nested(shape, fn, axis + 1, index)
  end
  return t
end
local function eighth() return math.random(-32, 32) / 8 end
local function random(...) return nested({ ... }, eighth) end
local function close(want, got, most, path)
  path = path or ""
  if type(want) == "table" then
    assert(#want == #got, path)
    for i = 1, #want do close(want[i], got[i], most, path .. "." .. i) end
  else
    assert(math.abs(want - got) <= most, ("%s: %s, should be %s"):format(path, got, want))
  end
end
local function times(a, b)
  return nested({ #a, #b[1] }, function(i, j)
    local sum = 0
    for l = 1, #b do sum = sum + a[i][l] * b[l][j] end
    return sum
  end)
end
math.randomseed(]] .. helper.seed .. ")\n" .. script, all)
  report.gemm = {}
  for line in report.text:gmatch "gemm ([^\n]*)\n" do report.gemm[#report.gemm + 1] = line end
  return out, report
end

it("our declarations of the libraries agree with NVIDIA's headers", function()
  local include = require "dotcompute.core".compiler().include_dir
  for _, name in ipairs { "cublas_v2.h", "cusolverDn.h", "cufft.h" } do
    local header = include and io.open(include .. "/" .. name)
    if not header then return pending("no " .. name .. " here") end
    header:close()
  end
  assert.is_true(os.execute(("%s -std=gnu11 -Isrc -I%s -fsyntax-only spec/fake/check_libraries.c"):format(
    os.getenv "CC" or "cc", quote(include))))
end)

describe("a matrix product on a GPU", function()
  it("is right for every memory layout that cuBLAS takes, without copies", function()
    local out, report = run [[
      for _, dtype in ipairs { "float32", "float64" } do
        for _ = 1, 20 do
          local m, n, k = math.random(7), math.random(7), math.random(7)
          local a, b = random(m, k), random(k, n)
          local function lay(t)
            local rows, columns, kind = #t, #t[1], math.random(4)
            if kind == 1 then return dc.array(t, dtype) end
            if kind == 2 then
              return dc.array(nested({ columns, rows }, function(i, j) return t[j][i] end), dtype).T
            end
            local wide = nested({ rows + 2, columns + 3 }, function(i, j)
              return i > 1 and i <= rows + 1 and j > 2 and j <= columns + 2 and t[i - 1][j - 2] or 99
            end)
            if kind == 3 then return dc.array(wide, dtype)[{ { 2, rows + 1 }, { 3, columns + 2 } }] end
            local tall = nested({ columns + 3, rows + 2 }, function(i, j) return wide[j][i] end)
            return dc.array(tall, dtype)[{ { 3, columns + 2 }, { 2, rows + 1 } }].T
          end
          close(times(a, b), lay(a):matmul(lay(b)):to_table(), 0)
        end
      end
      print "done"]]
    assert.equal("done\n", out)
    assert.same({}, report.launch)
    assert.equal(40, #report.gemm)
  end)

  it("of two vectors is a sum of products, but of halves", function()
    local _, report = run [[
      for _, dtype in ipairs { "float32", "float64", "complex64", "int32", "float16" } do
        local v = dc.zeros(100, dtype)
        v:matmul(v):eval()
        dc.dot(v, v):eval()
      end]]
    assert.equal(2, #report.gemm)
    assert.equal(8, #report.launch)
  end)

  it("takes vectors and batches, and computes consecutive rows as one product", function()
    local out, report = run [[
      local a, b = random(3, 4, 5), random(3, 5, 2)
      local x, y = dc.array(a), dc.array(b)
      local c = x:matmul(y):to_table()
      for z = 1, 3 do close(times(a[z], b[z]), c[z], 0) end
      c = x:matmul(y[2]):to_table()
      for z = 1, 3 do close(times(a[z], b[2]), c[z], 0) end
      c = x[1]:matmul(y):to_table()
      for z = 1, 3 do close(times(a[1], b[z]), c[z], 0) end
      c = x[{ { 1, 3, 2 } }]:matmul(y[{ { 1, 3, 2 } }]):to_table()
      close(times(a[3], b[3]), c[2], 0)
      local v = dc.array { 1, 2, 3, 4, 5 }
      close(times(a[2], { { 1 }, { 2 }, { 3 }, { 4 }, { 5 } }), x[2]:matmul(v):reshape(4, 1):to_table(), 0)
      close(times({ { 1, 2, 3, 4, 5 } }, b[1])[1], v:matmul(y[1]):to_table(), 0)
      print "done"]]
    assert.equal("done\n", out)
    assert.same({}, report.launch)
    for i, line in ipairs { "00 2 4 5 batch 3", "00 2 12 5 batch 1", "00 2 4 5 batch 3", "00 2 4 5 batch 2" } do
      assert.equal(line .. " type 0 compute 68", report.gemm[i])
    end
  end)

  it("computes in the requested precision", function()
    local _, report = run [[
      local a, d = dc.array(random(2, 2)), dc.array(random(2, 2), "float64")
      a:matmul(a)
      dc.precision "tf32"
      a:matmul(a)
      d:matmul(d)
      dc.precision "bfloat16"
      a:matmul(a)
      dc.precision "float32"
      a:matmul(a)]]
    local seen = {}
    for i, line in ipairs(report.gemm) do seen[i] = line:match "type (.*)" end
    assert.same({ "0 compute 68", "0 compute 77", "1 compute 70", "0 compute 75", "0 compute 68" }, seen)
  end)

  it("runs on each device, in each stream", function()
    local out = run([[
      local a, b = random(3, 3), random(3, 3)
      for _, device in ipairs { "cuda:0", "cuda:1", "cuda:0" } do
        dc.using(device, function()
          local x = dc.array(a)
          local s = dc.stream()
          local c = dc.using(s, function() return x:matmul(dc.array(b)) end)
          close(times(a, b), c:to_table(), 0)
          close(times(b, a), dc.array(b):matmul(x):to_table(), 0)
        end)
      end
      print "done"]], { FAKE_CUDA_DEVICES = "2" })
    assert.equal("done\n", out)
  end)
end)

describe("solvers on a GPU", function()
  it("solve, factor and compute singular values", function()
    local out = run [[
      local function regular(n)
        return nested({ n, n }, function(i, j) return eighth() + (i == j and 5 * n or 0) end)
      end
      for _, dtype in ipairs { "float32", "float64" } do
        local most = dtype == "float32" and 1e-4 or 1e-12
        local a, b = { regular(5), regular(5) }, random(5)
        local column = nested({ 5, 1 }, function(i) return b[i] end)
        local x = dc.linalg.solve(dc.array(a[1], dtype), dc.array(b, dtype))
        close(column, times(a[1], x:reshape(5, 1):to_table()), most * 50)
        local both = nested({ 2, 5, 1 }, function(_, i) return b[i] end)
        x = dc.linalg.solve(dc.array(a, dtype), dc.array(both, dtype)):to_table() -- columns need no other order
        for z = 1, 2 do close(column, times(a[z], x[z]), most * 50) end
        local square = times(a[1], nested({ 5, 5 }, function(i, j) return a[1][j][i] end))
        local l = dc.linalg.cholesky(dc.array(square, dtype)):to_table()
        for i = 1, 5 do for j = i + 1, 5 do l[i][j] = 0 end end
        close(square, times(l, nested({ 5, 5 }, function(i, j) return l[j][i] end)), most * 1e4)
        local w = random(3, 5)
        local u, s, vh = dc.linalg.svd(dc.array(w, dtype))
        s, u = s:to_table(), u:to_table()
        assert(s[1] >= s[2] and s[2] >= s[3])
        close(w, times(nested({ 3, 3 }, function(i, j) return u[i][j] * s[j] end), vh:to_table()), most * 10)
      end
      dc.linalg.qr(dc.array(random(4, 3)))
      dc.linalg.qr(dc.array(random(4, 3)), "complete")
      dc.linalg.qr(dc.array(random(3, 4), "float64"))
      dc.linalg.eigh(dc.array(random(3, 3)))
      dc.linalg.det(dc.array(random(2, 3, 3)))
      try(dc.linalg.solve, dc.array { { 1, 2 }, { 2, 4 } }, dc.array { 1, 1 })
      try(dc.linalg.cholesky, dc.array { { 1, 2 }, { 2, 1 } })
      print "done"]]
    assert.matches("^argument\t\t.*the matrix is singular: pivot 2 is 0\nargument\t\t.*not positive def.*\ndone\n$",
      out)
  end)
end)

describe("a batch of small matrices on a GPU", function()
  local script = [[
    local function regular(batch, n)
      return nested({ batch, n, n }, function(_, i, j) return eighth() + (i == j and 5 * n or 0) end)
    end
    local function turned(a) return nested({ #a[1], #a }, function(i, j) return a[j][i] end) end
    for _, dtype in ipairs { "float32", "float64" } do
      local most = dtype == "float32" and 1e-4 or 1e-12
      local batch, n = math.random(2, 9), math.random(2, 9)
      local a = regular(batch, n)
      local b = random(batch, n, 1)
      local x = dc.linalg.solve(dc.array(a, dtype), dc.array(b, dtype)):to_table()
      for z = 1, batch do close(b[z], times(a[z], x[z]), most * 50) end
      local squares = {}
      for z = 1, batch do squares[z] = times(a[z], turned(a[z])) end
      local roots = dc.linalg.cholesky(dc.array(squares, dtype)):to_table()
      for z = 1, batch do
        local l = nested({ n, n }, function(i, j) return j > i and 0 or roots[z][i][j] end)
        close(squares[z], times(l, turned(l)), most * 1e5)
      end
      local _, s, vh = dc.linalg.svd(dc.array(a, dtype))
      s, vh = s:to_table(), vh:to_table()
      for z = 1, batch do -- a' a = v s^2 v'
        local scaled = nested({ n, n }, function(i, j) return s[z][i] ^ 2 * vh[z][i][j] end)
        close(times(turned(a[z]), a[z]), times(turned(vh[z]), scaled), most * 1e5)
      end
      close(s, dc.linalg.svd(dc.array(a, dtype), { vectors = false }):to_table(), most * 100)
      for j = 1, n do a[2][1][j] = 0 end
      try(dc.linalg.solve, dc.array(a, dtype), dc.array(b, dtype))
      squares[2][n][n] = -1
      try(dc.linalg.cholesky, dc.array(squares, dtype))
    end
    dc.linalg.qr(dc.array(random(3, 5, 4)))
    dc.linalg.qr(dc.array(random(3, 4, 5), "float64"))
    dc.linalg.eigh(dc.array(random(3, 4, 4)))
    dc.linalg.eigh(dc.array(random(2, 4, 4), "float64"), { vectors = false })
    dc.linalg.det(dc.array(random(4, 3, 3), "float64"))
    print "done"]]
  local failures = ("argument\t\t[^\n]*matrix 2 of the batch is singular: pivot 1 is 0\n"
    .. "argument\t\t[^\n]*matrix 2 of the batch is not positive definite[^\n]*\n"):rep(2)

  it("is solved by one call", function()
    local out, report = run(script)
    assert.matches("^" .. failures .. "done\n$", out)
    assert.matches("batched LU of %d, %d by %d\n", report.text)
    assert.matches("batched eigenvalues of 3\n", report.text)
  end)

  it("is solved by older libraries, or without cuBLAS", function()
    local old = build .. "/spec/libfake_old_libraries.so"
    assert(os.execute(("%s -std=gnu11 -O1 -g -shared -fPIC -Isrc -DFAKE_OLD_LIBRARIES -o %s %s -lm"):format(
      os.getenv "CC" or "cc", quote(old), "spec/fake/fake_libraries.c")))
    for _, cublas in ipairs { old, "off" } do
      local out, report = run(script, { DOTCOMPUTE_CUBLAS = cublas, DOTCOMPUTE_CUSOLVER = old })
      assert.matches("^" .. failures .. "done\n$", out)
      assert.not_matches("batched eigenvalues", report.text)
      assert.equal(cublas == old, report.text:find "batched LU" ~= nil)
    end
  end)

  it("with NaN has no singular values", function()
    local out = run [[
      local a = random(3, 4, 4)
      a[2][3][1] = 0 / 0
      try(dc.linalg.svd, dc.array(a))]]
    assert.matches("matrix 2 of the batch does not converge; does it hold NaN or infinity%?", out)
  end)

  it("is an error where the library fails, and leaks nothing", function()
    local calls = { SgetrfBatched = "solve(b, v)", SgetrsBatched = "solve(b, v)", SgeqrfBatched = "dc.linalg.qr(b)",
                    cusolverDnSpotrfBatched = "dc.linalg.cholesky(b)",
                    cusolverDnCreateGesvdjInfo = "dc.linalg.svd(b)", cusolverDnSgesvdjBatched = "dc.linalg.svd(b)",
                    cusolverDnXsyevBatched_bufferSize = "dc.linalg.eigh(b)",
                    cusolverDnXsyevBatched = "dc.linalg.eigh(b)" }
    for name, call in pairs(calls) do
      local solver = name:find "cusolver"
      local out, report = run(([[
        local b, v = dc.ones(2, 2, 2), dc.ones(2, 2, 1)
        local solve = dc.linalg.solve
        try(function() %s end)
        b:close() v:close()
        collectgarbage()]]):format(call), { FAKE_LIBRARIES_FAIL = name .. ":" .. (solver and 7 or 14) })
      local said = solver and "CUSOLVER_STATUS_INTERNAL_ERROR" or "CUBLAS_STATUS_INTERNAL_ERROR"
      assert.matches("^device\t" .. said .. "\t[^\n]*" .. said .. "\n$", out, 1, false, name)
      assert.equal(0, fake.held(report, "memory"))
      assert.equal(0, fake.held(report, "pool memory"))
    end
  end)
end)

describe("Fourier transforms on a GPU", function()
  it("are right along any axes, forward, inverse and of real numbers", function()
    local out, report = run [[
      local core = require "dotcompute.core"
      local function value(v) return type(v) == "number" and v or v.re, type(v) == "number" and 0 or v.im end
      -- The transform of a nested table along one axis, by its definition; `m` values of it.
      local function along(t, axis, sign, m)
        if axis > 1 then
          local list = {}
          for i, row in ipairs(t) do list[i] = along(row, axis - 1, sign, m) end
          return list
        end
        local function add(into, v, c, s) -- into += v (c + i s)
          if type(v) == "table" and v.shape == nil and v[1] ~= nil then
            for i = 1, #v do into[i] = add(into[i] or {}, v[i], c, s) end
            return into
          end
          local re, im = value(v)
          into.re, into.im = (into.re or 0) + re * c - im * s, (into.im or 0) + re * s + im * c
          return into
        end
        local list = {}
        for q = 0, (m or #t) - 1 do
          list[q + 1] = {}
          for j = 0, #t - 1 do
            local angle = sign * 2 * math.pi * (q * j % #t) / #t
            add(list[q + 1], t[j + 1], math.cos(angle), math.sin(angle))
          end
        end
        return list
      end
      local function same(want, got, most)
        if want.re then
          local re, im = value(got)
          assert(math.abs(want.re - re) <= most and math.abs(want.im - im) <= most,
            ("%s + %si, should be %s + %si"):format(re, im, want.re, want.im))
          return
        end
        for i = 1, #want do same(want[i], got[i], most) end
      end
      local function complexes(...) return nested({ ... }, function() return dc.complex(eighth(), eighth()) end) end
      for dtype, most in pairs { complex64 = 1e-3, complex128 = 1e-10 } do
        local t = complexes(3, 4, 5)
        local x = dc.array(t, dtype)
        for axis = 1, 3 do
          same(along(t, axis, -1), dc.fft.fft(x, { axis = axis }):to_table(), most)
          same(along(t, axis, 1), core.fourier(x, "backward", { axis }):to_table(), most)
        end
        same(along(along(t, 3, -1), 2, -1), dc.fft.fft2(x):to_table(), most)
        same(along(along(t, 1, -1), 2, -1), dc.fft.fft2(x, { axes = { 1, 2 } }):to_table(), most)
        same(along(along(along(t, 3, -1), 2, -1), 1, -1), dc.fft.fftn(x):to_table(), most)
        same(along(along(t, 3, -1), 1, -1), dc.fft.fftn(x, { axes = { 1, 3 } }):to_table(), most)
        local part = x[{ { 1, 3, 2 }, { 2, 4 }, { 1, 5, 2 } }] -- with gaps, in place
        same(along(nested({ 2, 3, 3 }, function(i, j, k) return t[2 * i - 1][j + 1][2 * k - 1] end), 3, -1),
          dc.fft.fft(part):to_table(), most)
        local r = random(3, 6)
        local y = dc.array(r, dtype == "complex64" and "float32" or "float64")
        same(along(r, 2, -1, 4), dc.fft.rfft(y):to_table(), most)
        same(along(r, 1, -1, 2), dc.fft.rfft(y, { axis = 1 }):to_table(), most)
        local half = along(r, 2, -1, 4)
        for i = 1, 3 do
          for k = 1, 4 do
            local im = (k == 1 or k == 4) and 0 or half[i][k].im -- where only kernels would clear it
            half[i][k] = dc.complex(half[i][k].re, im)
          end
        end
        local back = core.fourier(dc.array(half, dtype), "to real", { 2 }, 6):to_table()
        close(r, nested({ 3, 6 }, function(i, j) return back[i][j] / 6 end), most)
      end
      for n = 1, 40 do dc.fft.fft(dc.array(complexes(n), "complex64")) end -- more than are kept
      try(dc.graph, function() dc.fft.fft(dc.array(complexes(4))) end)
      print "done"]]
    assert.matches("\ndone\n$", out)
    local plans = select(2, report.text:gsub("plan %d", ""))
    assert.is_true(plans >= 40 + 2 * 8 and plans <= 40 + 2 * 16, plans)
  end)
end)

describe("when a library of CUDA's", function()
  it("is missing, an error says what to install", function()
    local out = run([[
      local a = dc.ones(2, 2)
      try(a.matmul, a, a)
      try(dc.linalg.solve, a, a)
      print(dc.available "fft")
      print(dc.ones(2, 2):sum() ~= nil)]],
      { DOTCOMPUTE_CUBLAS = "off", DOTCOMPUTE_CUSOLVER = "/nowhere/libcusolver.so", DOTCOMPUTE_CUFFT = "off" })
    local lines = {}
    for line in out:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.matches("^device\t\t.*cuBLAS was not found.*pip install nvidia%-cublas.*DOTCOMPUTE_CUBLAS", lines[1])
    assert.matches("^device\t\t.*cuSOLVER was not found.*nvidia%-cusolver", lines[2])
    assert.matches("^false\tcuFFT was not found", lines[3])
    assert.equal("true", lines[4])
  end)

  it("fails, every status is an error and nothing leaks", function()
    for name, call in pairs { Create = "a:matmul(a)", SetStream = "a:matmul(a)", SetWorkspace = "a:matmul(a)",
                              GemmEx = "a:matmul(a)", GemmStridedBatchedEx = "b:matmul(b)",
                              cusolverDnCreate = "solve(a, v)", cusolverDnCreateParams = "solve(a, v)",
                              cusolverDnSetStream = "solve(a, v)", cusolverDnXgetrf_bufferSize = "solve(a, v)",
                              cusolverDnXgetrf = "solve(a, v)", cusolverDnXgetrs = "solve(a, v)",
                              cusolverDnXgesvd = "dc.linalg.svd(a)" } do
      local solver = name:find "cusolver"
      local out, report = run(([[
        local a, b, v = dc.ones(2, 2), dc.ones(2, 2, 2), dc.ones(2)
        local solve = dc.linalg.solve
        try(function() %s end)
        try(function() %s end)
        a:close() b:close() v:close()
        collectgarbage()]]):format(call, call), { FAKE_LIBRARIES_FAIL = name .. ":" .. (solver and 7 or 14) })
      local said = solver and "CUSOLVER_STATUS_INTERNAL_ERROR" or "CUBLAS_STATUS_INTERNAL_ERROR"
      local first = "device\t" .. said .. "\t[^\n]*" .. said .. "\n"
      assert.matches("^" .. first .. first .. "$", out, 1, false, name)
      fake.assert_released(report)
    end
    local out = run("local a = dc.ones(2, 2) try(a.matmul, a, a)", { FAKE_LIBRARIES_FAIL = "GemmEx:3" })
    assert.matches("^memory\tCUBLAS_STATUS_ALLOC_FAILED", out)
  end)
end)
