-- Matrix products against plain Lua: memory layouts of operands, batches, dtypes, graphs, bad input.
local dc = require "dotcompute"
local core = require "dotcompute.core"
local helper = require "spec.helper"
local matrices = require "spec.matrices"
local fails, note = helper.fails, helper.note

local random = math.random
local plain, shape_text, values = matrices.plain, matrices.shape_text, matrices.values
local permuted, from_plain, lay = matrices.permuted, matrices.from_plain, matrices.lay
local product, times, eighths = matrices.product, matrices.times, matrices.eighths
local check_values = matrices.check_values

local with = helper.with_library(it, pending)

-- Two shapes that can be multiplied.
local function shapes()
  local k, batch = random(0, 9) == 0 and 0 or random(1, 12), {}
  for d = 1, random(0, 3) do batch[d] = random(1, 3) end
  local function one(first)
    local shape = {}
    if random(5) == 1 then return { k } end
    for d = random(1, #batch + 1), #batch do shape[#shape + 1] = random(3) == 1 and 1 or batch[d] end
    local other = random(8) == 1 and 0 or random(1, 14)
    shape[#shape + 1], shape[#shape + 2] = first and other or k, first and k or other
    return shape
  end
  return one(true), one(false)
end

local function add(x, y) return x + y end
local function multiply(x, y) return x * y end

-- --- products ---------------------------------------------------------------------------------------------------

describe("a matrix product", function()
  with("blas", "follows NumPy for all shapes and memory layouts", function()
    for _ = 1, 150 do
      local sa, sb = shapes()
      local dtype = random(2) == 1 and "float32" or "float64"
      local a, b = plain(sa, eighths), plain(sb, eighths)
      local x, how_x = lay(a, dtype)
      local y, how_y = lay(b, dtype)
      local text = ("%s %s by %s %s, %s"):format(shape_text(a), how_x, shape_text(b), how_y, dtype)
      local c = random(2) == 1 and x:matmul(y) or dc.matmul(x, y)
      assert.equal(dtype, c.dtype)
      check_values(product(a, b, add, multiply, 0.0), c, text)
    end
  end)

  it("of integers wraps and keeps the dtype", function()
    for _ = 1, 60 do
      local sa, sb = shapes()
      local names = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
      local dtype = names[random(#names)]
      local a = plain(sa, function() return helper.value(dtype) end)
      local b = plain(sb, function() return helper.value(dtype) end)
      local x, how_x = lay(a, "int64")
      local y, how_y = lay(b, "int64")
      local c = x:to(dtype):matmul(y:to(dtype))
      assert.equal(dtype, c.dtype)
      local want = product(a, b, add, multiply, 0)
      for i = 1, #want do want[i] = helper.wrapped(want[i], dtype) end
      check_values(want, c, ("%s %s by %s %s, %s"):format(shape_text(a), how_x, shape_text(b), how_y, dtype))
    end
  end)

  it("of integers larger than a tile, in any memory layout", function()
    local a = plain({ 70, 45 }, function() return random(-1000, 1000) end)
    local b = plain({ 45, 67 }, function() return random(-1000, 1000) end)
    local want = product(a, b, add, multiply, 0)
    check_values(want, from_plain(a, "int32"):matmul(from_plain(b, "int32")), "plain")
    check_values(want, from_plain(permuted(a, { 2, 1 }), "int32").T:matmul(
      from_plain(permuted(b, { 2, 1 }), "int32").T), "transposed")
  end)

  it("of bools is true where any pair of elements is", function()
    for _ = 1, 20 do
      local sa, sb = shapes()
      local a = plain(sa, function() return random(3) == 1 end)
      local b = plain(sb, function() return random(3) == 1 end)
      local want = product(a, b, function(x, y) return x or y end, function(x, y) return x and y end, false)
      local c = (lay(a, "bool")):matmul((lay(b, "bool")))
      assert.equal("bool", c.dtype)
      check_values(want, c, shape_text(a) .. " by " .. shape_text(b))
    end
  end)

  with("blas", "promotes its operands as operators do", function()
    local a, b = { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } }
    for _, x in ipairs { "bool", "int8", "int32", "int64", "uint8", "float32", "float64" } do
      for _, y in ipairs { "int8", "int32", "int64", "uint64", "float32", "float64" } do
        local left, right = dc.array(a):to(x), dc.array(b):to(y)
        local c = left:matmul(right)
        assert.equal(core.promote(x, y), c.dtype, x .. " " .. y)
        local want = x == "bool" and { 12, 14, 12, 14 } or { 19, 22, 43, 50 }
        for i, v in ipairs(values(c)) do assert.equal(want[i], v, x .. " " .. y) end
      end
    end
  end)

  with("blas", "of rounded floats stays within their error bound", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local m, k, n = random(30, 60), random(100, 200), random(30, 60)
      local function any() return helper.f32(random() - 0.5) end
      local a, b = plain({ m, k }, any), plain({ k, n }, any)
      local want, got = product(a, b, add, multiply, 0.0), values(from_plain(a, dtype):matmul(from_plain(b, dtype)))
      local most = (dtype == "float32" and 2.0 ^ -23 or 2.0 ^ -51) * k / 4
      for i = 1, #want do assert.is_true(math.abs(want[i] - got[i]) <= most, note(dtype)) end
    end
  end)

  with("blas", "of a matrix by its own transpose is right", function()
    for _, dtype in ipairs { "float32", "float64", "complex64" } do
      for _ = 1, 4 do
        local t = plain({ random(30, 70), random(30, 70) }, eighths)
        local x = lay(t, dtype)
        local turned = permuted(t, { 2, 1 })
        local function check(want, got)
          check_values(want, dtype == "complex64" and dc.real(got) or got, dtype .. " " .. shape_text(t))
        end
        check(times(t, turned), x:matmul(x.T))
        check(times(turned, t), x.T:matmul(x))
        local part = x[{ { 1, 30 }, { 1, 30 } }] -- the same memory, but no transpose
        check(times(matrices.of_array(dc.real(part)), matrices.of_array(dc.real(part))), part:matmul(part))
      end
    end
    local x = dc.ones(40, 3)
    x[{ 7, 2 }] = 0 / 0
    local c = x:matmul(x.T):to_table()
    assert.is_true(c[7][1] ~= c[7][1] and c[1][7] ~= c[1][7])
    assert.equal(3, c[39][40])
  end)

  with("blas", "propagates NaN and infinity, and reads no uninitialized memory", function()
    local nan = dc.full({ 300, 300 }, 0 / 0)
    nan:close() -- what is allocated next may begin with NaN
    for _, n in ipairs { 1, 2, 300 } do
      local c = dc.ones(300, 300):matmul(dc.ones(300, n))
      assert.equal(300, c:min():item())
      assert.equal(300, c:max():item())
      c:close()
      dc.full({ 300, n }, 0 / 0):close()
    end
    local a = dc.ones(3, 3)
    a[{ 2, 2 }] = 0 / 0
    local c = a:matmul(dc.ones(3, 2)):to_table()
    assert.same({ 3, 3 }, c[1])
    assert.is_true(c[2][1] ~= c[2][1] and c[2][2] ~= c[2][2])
    a[{ 2, 2 }] = math.huge
    assert.equal(math.huge, a:matmul(dc.ones(3)):to_table()[2])
  end)

  with("blas", "takes tables, and pending operands once", function()
    local a = dc.array { { 1, 2 }, { 3, 4 } }
    assert.same({ 17, 39 }, a:matmul({ 5, 6 }):to_table())
    assert.same({ 5, 8 }, dc.matmul({ 2, 1 }, { { 1, 2 }, { 3, 4 } }):to_table())
    local e = a + a
    assert.same({ { 14, 20 }, { 30, 44 } }, e:matmul(a):to_table())
    assert.same({ { 2, 4 }, { 6, 8 } }, e:to_table())
  end)

  with("blas", "keeps its value when operands are written later, and sees earlier writes", function()
    local a, b = dc.ones(4, 4), dc.ones(4, 4)
    a:fill(2)
    local c = a:matmul(b)
    local d = c + 1
    a:fill(100)
    b:close()
    assert.equal(8, c[1][1])
    c:fill(0)
    assert.equal(9, d[4][4])
  end)

  with("blas", "allocates only its result for operands in a layout that BLAS takes", function()
    local a, b = dc.ones(32, 16), dc.ones(64, 16)
    a:matmul(b.T)
    dc.stats "reset"
    a:matmul(b.T) -- luacheck: ignore
    local c = a.T:matmul(a[{ { 5, 32 }, ":" }].T.T:reshape(28, 16)[{ { 1, 28 }, ":" }]:matmul(dc.ones(16, 16)).T.T
      :copy():reshape(28, 16)[{ { 1, 28 }, { 1, 8 } }]:copy():reshape(32, 7))
    assert.same({ 16, 7 }, { c:shape() })
    dc.stats "reset"
    local each = dc.device().backend == "cuda" and 2 or 1 -- cuBLAS is given memory to work in
    local d = a:matmul(b.T)
    assert.equal(each, dc.stats().allocations)
    local e = a[{ { 3, 20 }, ":" }]:matmul(b[{ { 1, 64, 2 }, ":" }].T)
    assert.equal(2 * each, dc.stats().allocations)
    assert.equal(16, d[1][1] * e[18][32] / 16)
  end)

  it("refuses shapes and dtypes that do not fit", function()
    local a, v = dc.ones(2, 3), dc.ones(4)
    fails("shape", "matmul of %(2, 3%) and %(2, 3%): the last axis of a has 3 elements, the last but one of b 2",
      function() a:matmul(a) end)
    fails("shape", "%(2, 3%) and %(4,%)", function() a:matmul(v) end)
    fails("shape", "%(4,%) and %(2, 3%)", function() v:matmul(a) end)
    fails("shape", "use %* with a single number", function() a:matmul(dc.array(2)) end)
    fails("shape", "axes before the last two.*%(5,%) and %(4,%) do not broadcast",
      function() dc.ones(5, 2, 3):matmul(dc.ones(4, 3, 2)) end)
    fails("argument", "an array expected, got the number 3", function() a:matmul(3) end)
    fails("argument", "an array expected, got no value", function() a:matmul() end)
    fails("argument", "an array expected, got the string 'x'", function() dc.matmul("x", a) end)
    fails("shape", "", function() a:matmul { { 1, 2 }, { 3 } } end)
    local closed = dc.ones(3, 3)
    closed:close()
    fails("argument", "closed", function() a:matmul(closed) end)
    fails("argument", "closed", function() closed:matmul(a) end)
    fails("memory", "cannot allocate", function()
      dc.ones(1, 1):broadcast_to(1 << 30, 1):matmul(dc.ones(1, 1):broadcast_to(1, 1 << 30))
    end)
  end)
end)

describe("dot and outer", function()
  with("blas", "follow NumPy", function()
    assert.equal(32, dc.dot(dc.array { 1, 2, 3 }, { 4, 5, 6 }):item())
    assert.same({ 3, 6 }, dc.array({ 1, 2 }):dot(dc.array(3)):to_table())
    assert.same({ 3, 6 }, dc.array({ 1, 2 }):dot(3):to_table())
    assert.same({ 3, 6 }, dc.dot(3, dc.array { 1, 2 }):to_table())
    fails("argument", "an array expected", function() dc.dot(2, 3) end)
    fails("argument", "an array expected", function() dc.dot(dc.ones(2), "x") end)
    for _ = 1, 20 do
      local sa, sb = helper.shape(random(1, 3), 4), helper.shape(random(2, 3), 4)
      sa[#sa] = sb[#sb - 1]
      local a, b = plain(sa, eighths), plain(sb, eighths)
      -- as one product of matrices: b's summed axis in front
      local axes = { #sb - 1 }
      for d = 1, #sb do if d ~= #sb - 1 then axes[#axes + 1] = d end end
      local front = permuted(b, axes)
      local k = sa[#sa]
      local rows, columns = #a // k, #b // k
      a.shape, front.shape = { rows, k }, { k, columns }
      local want = product(a, front, add, multiply, 0.0)
      a.shape, want.shape = sa, table.move(sa, 1, #sa - 1, 1, {})
      for d = 1, #sb do if d ~= #sb - 1 then table.insert(want.shape, sb[d]) end end
      check_values(want, (lay(a, "float64")):dot((lay(b, "float64"))), shape_text(a) .. " dot " .. shape_text(b))
    end
    fails("shape", "dot of %(2, 3%) and %(2,%)", function() dc.ones(2, 3):dot(dc.ones(2)) end)
    fails("shape", "dot of %(2, 3%) and %(2, 2%)", function() dc.ones(2, 3):dot(dc.ones(2, 2)) end)
    fails("shape", "dot of %(2, 3%) and %(2, 2, 2%)", function() dc.ones(2, 3):dot(dc.ones(2, 2, 2)) end)
    assert.same({ { 4, 5 }, { 8, 10 } }, dc.outer({ 1, 2 }, { 4, 5 }):to_table())
    local signs = { true, false, math.random(2) == 1 }
    local both = dc.outer(signs, { signs[3], true })
    assert.equal("bool", both.dtype)
    assert.same({ { signs[3], true }, { false, false }, { signs[3], signs[3] } }, both:to_table())
    assert.same({ 6, 4 }, { dc.linalg.outer(dc.ones(2, 3), dc.ones(2, 2)):shape() })
    fails("argument", "expected for the first argument, got nil", function() dc.outer(nil, { 1 }) end)
    fails("argument", "outer: .* expected for the second argument, got nil", function() dc.outer { 1 } end)
  end)
end)

describe("dc.precision", function()
  it("reads and sets how float32 products may be computed", function()
    assert.equal("float32", dc.precision())
    assert.equal("float32", dc.precision "tf32")
    assert.equal("tf32", dc.precision "bfloat16")
    assert.equal("bfloat16", dc.precision "float32")
    fails("argument", "no precision 'float64'", function() dc.precision "float64" end)
    fails("argument", "float32", function() dc.precision(32) end)
    assert.equal("float32", dc.precision())
  end)
end)

describe("of 16-bit floats", function()
  with("blas", "products are accumulated in float32 and rounded once", function()
    for _, dtype in ipairs { "float16", "bfloat16" } do
      for _ = 1, 10 do
        local m, k, n = random(9), random(9), random(9)
        local function small() return random(-3, 3) * 1.0 end
        local a, b = plain({ m, k }, small), plain({ k, n }, small)
        local c = (lay(a, dtype)):matmul((lay(b, dtype)))
        assert.equal(dtype, c.dtype)
        check_values(times(a, b), c, dtype)
      end
      -- 1000 times 0.5 * 0.5 would stick at 128, or 64, if each sum were rounded to the dtype
      assert.equal(250, dc.full({ 1, 1000 }, 0.5, dtype):matmul(dc.full({ 1000, 1 }, 0.5, dtype)):item())
      assert.equal("float32", dc.ones(2, 2, dtype):matmul(dc.ones(2, 2)).dtype)
    end
  end)

  with("lapack", "solvers compute in float32", function()
    assert.equal("float32", dc.linalg.inv(dc.eye(3, "float16")).dtype)
    assert.equal("float32", dc.linalg.svd(dc.eye(3, "bfloat16"), { vectors = false }).dtype)
  end)
end)

-- --- graphs, memory, libraries ------------------------------------------------------------------------------------

with("blas", "a product becomes part of a graph; a solver is refused there", function()
  local a, b, c = dc.eye(4), dc.ones(4, 4), nil
  local g = dc.graph(function() c = (a * 2):matmul(b) + 1 end)
  a:fill(1)
  g()
  assert.equal(9, c[1][1])
  a:fill(0)
  g()
  assert.equal(1, c[4][4])
  if not dc.available "lapack" then return end
  fails("launch", "cannot be captured in a graph: it calls a solver", function()
    return dc.graph(function() dc.linalg.det(a) end)
  end)
end)

with("lapack", "memory is released, also after an error", function()
  local function work()
    local a = dc.eye(50) * 2 + 1
    local b = dc.ones(50, 7)
    dc.linalg.solve(a, b)
    dc.linalg.svd(a)
    dc.linalg.eigh(a)
    dc.linalg.qr(b)
    dc.linalg.cholesky(a)
    dc.linalg.det(a)
    a:matmul(b)
    a[{ { 1, 50, 2 }, { 50, 1, -2 } }]:matmul(b[{ { 1, 25 }, ":" }])
    pcall(dc.linalg.inv, dc.ones(9, 9))
    pcall(dc.linalg.cholesky, dc.zeros(9, 9))
    pcall(dc.linalg.svd, dc.full({ 5, 4 }, 0 / 0))
  end
  helper.gives_back(work)
end)

it("without a library products are computed by kernels, and solvers are errors that say what to install", function()
  local text = helper.on_cpu("THREADS=2 DOTCOMPUTE_BLAS=off", [[
    local dc = require "dotcompute"
    math.randomseed(tonumber(arg[1]))
    local function try(...)
      local ok, err = pcall(...)
      print(ok or err.kind .. ": " .. err.message)
    end
    try(dc.linalg.solve, dc.ones(2, 2), dc.ones(2, 2))
    print(dc.available "blas")
    local function any(dtype, ...)
      local a = dc.random.integers(..., { low = -9, high = 9 })
      return (dtype:find "complex" and a + dc.complex(0, 1) * dc.random.integers(..., { low = -9, high = 9 })
        or a):to(dtype):eval()
    end
    local off = {}
    for _, dtype in ipairs { "float32", "float64", "complex64", "complex128", "float16", "int32", "int64", "bool" } do
      for _ = 1, 4 do
        local m, n, k, batch = math.random(70), math.random(70), math.random(150), math.random(3)
        local a, b = any(dtype, { batch, m, k }), any(dtype, { k, n })
        local want = (a:reshape(batch, m, k, 1) * b:reshape(1, 1, k, n)):sum(3)
        if dtype == "bool" then want = want:gt(0) end
        local ways = { a:matmul(b), a:matmul(b.T:copy().T), a:transpose(1, 3, 2):copy():transpose(1, 3, 2):matmul(b),
          dc.flip(a, 3):matmul(dc.flip(b, 1)) }
        for i, got in ipairs(ways) do
          if not dc.equal(got, want:to(got.dtype)) then
            off[#off + 1] = ("%s %d: %d, %d, %d"):format(dtype, i, m, n, k)
          end
        end
        if not dc.equal(a:matmul(b[{ ":", 1 }]), ways[1][{ ":", ":", 1 }]) then off[#off + 1] = dtype .. " vector" end
      end
    end
    print(table.concat(off, "; "), "end")]], helper.seed % 100000)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  assert.matches("^device: .*OpenBLAS.*apt install libopenblas0%-pthread", lines[1])
  assert.matches("^false\t.*libopenblas0%-pthread", lines[2])
  assert.equal("\tend", lines[3], helper.note())
end)

-- An OpenBLAS that knows no processor but the one which OPENBLAS_CORETYPE names while it is loaded.
local forgetful = [[
#include <stdlib.h>
#include <string.h>
static char core[64] = "Prescott";
__attribute__((constructor)) static void load(void) {
  const char *named = getenv("OPENBLAS_CORETYPE");
  if (named != NULL) strncpy(core, named, sizeof core - 1);
}
const char *openblas_get_corename(void) { return core; }
]]

it("an OpenBLAS that does not know the processor uses kernels for its instructions, or the user's choice", function()
  local folder = helper.folder()
  helper.write(folder .. "/blas.c", forgetful)
  local library = helper.quote(folder .. "/blas.so")
  local said, code = helper.shell(("%s -shared -fPIC -o %s %s/blas.c -Wl,--no-as-needed -l:libopenblas.so.0"):format(
    os.getenv "CC" or "cc", library, helper.quote(folder)))
  if code == 0 then
    local script = [[
      local dc = require "dotcompute"
      local a = dc.random.integers(9, 9, { low = -9, high = 9 }):to "float32"
      assert(dc.equal(a:matmul(a), (a:reshape(9, 9, 1) * a:reshape(1, 9, 9)):sum(2)))
      print(os.getenv "OPENBLAS_CORETYPE")]]
    local function kernels(environment)
      local text = helper.shell(("env -u OPENBLAS_CORETYPE DOTCOMPUTE_LOG=compile DOTCOMPUTE_DEVICE=cpu %s "
        .. "DOTCOMPUTE_BLAS=%s %s - <<'EOF'\n%s\nEOF"):format(environment, library, helper.quote(helper.lua), script))
      return text:match "kernels for (%w+)", text:match "([^\n]*)\n$", text
    end
    local processor = helper.read "/proc/cpuinfo"
    local wanted = processor:find "avx512vl" and "SkylakeX" or processor:find "avx2" and "Haswell" or "Prescott"
    local got, variable, text = kernels ""
    assert.equal(wanted, got, text)
    assert.equal("nil", variable)
    assert.equal(processor:find "avx2" and "Haswell" or "Prescott", (kernels "DOTCOMPUTE_CPU_ISA=avx2"))
    assert.equal("Prescott", (kernels "DOTCOMPUTE_CPU_ISA=baseline"))
    got, variable = kernels "OPENBLAS_CORETYPE=Nehalem"
    assert.equal("Nehalem", got)
    assert.equal("Nehalem", variable)
    assert.equal("Prescott", (kernels "OPENBLAS_CORETYPE=Prescott"))
  end
  os.execute("rm -r " .. helper.quote(folder))
  if code ~= 0 then return pending("no OpenBLAS to link with: " .. said) end
end)
