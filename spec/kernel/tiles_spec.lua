-- dc.tiles: ready functions of tile kernels, against plain Lua. What compiles is skipped where NVIDIA's compilers of
-- tile kernels are not installed.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails, note = h.fails, h.note

local compiler = require "dotcompute.core".compiler()
local sanitizer = os.getenv "ASAN_OPTIONS" or ""
local compiles = compiler.tile and not (sanitizer:find("detect_leaks", 1, true)
  and not sanitizer:find("replace_intrin=0", 1, true))

-- Runs the test where tile kernels can be compiled.
local function compiled(title, test)
  if compiles then return it(title, test) end
  pending(title .. ": needs NVIDIA's compilers of tile kernels")
end

-- Random numbers as the dtype has them: an array of that shape, and a flat list.
local function random(shape, dtype, scale)
  local n, t = h.product(shape), {}
  for i = 1, n do t[i] = (math.random() - 0.5) * (scale or 4) end
  local a = dc.array(t):to(dtype):reshape(shape)
  return a, a:reshape(-1):to_table()
end

local function near(want, got, tolerance, text)
  got = got:reshape(-1):to_table()
  assert.equal(#want, #got)
  for i, v in ipairs(want) do
    local is_near = math.abs(v - got[i]) <= tolerance * math.max(1, math.abs(v)) -- not of NaN
    if not is_near then
      error(("element %d is %s, want %s %s"):format(i, got[i], v, note(text)))
    end
  end
end

local precision = { float16 = 2e-3, bfloat16 = 1e-2, float32 = 1e-5, float64 = 1e-12 }

describe("dc.tiles.grid", function()
  it("has a block for each tile, the last axis first", function()
    for _ = 1, 50 do
      local m, n, k = math.random(0, 5000), math.random(1, 5000), math.random(1, 100)
      local tm, tn, tk = 1 << math.random(0, 10), 1 << math.random(0, 10), 1 << math.random(0, 5)
      local function blocks(extent, tile) return math.ceil(extent / tile) end
      assert.same({ blocks(n, tn) }, dc.tiles.grid(n, tn))
      assert.same({ blocks(n, tn), blocks(m, tm) }, dc.tiles.grid({ m, n }, { tm, tn }))
      assert.same({ blocks(n, tn), blocks(m, tm), blocks(k, tk) }, dc.tiles.grid({ k, m, n }, { tk, tm, tn }))
    end
    assert.same({ 3, 2 }, dc.tiles.grid(dc.zeros(5, 9), { 4, 4 }))
  end)

  it("refuses what is no tile", function()
    fails("shape", "extents of tiles are powers of two, not 100", function() dc.tiles.grid(1000, 100) end)
    fails("shape", "powers of two, not 0", function() dc.tiles.grid(1000, 0) end)
    fails("shape", "same number of axes, 1 to 3; got %(8, 8%) and %(4%)", function() dc.tiles.grid({ 8, 8 }, 4) end)
    fails("shape", "1 to 3", function() dc.tiles.grid({ 1, 1, 1, 1 }, { 1, 1, 1, 1 }) end)
    fails("argument", "the shape has integers from 0 on, got the number 1.5", function() dc.tiles.grid(1.5, 4) end)
    fails("argument", "the tile is an integer or a list of them, got nil", function() dc.tiles.grid(4) end)
  end)
end)

describe("dc.tiles.softmax", function()
  for _, case in ipairs { { "float16", { 2, 1, 1300 } }, { "float64", { 16 } } } do
    local dtype, shape = table.unpack(case)
    it("is that of the last axis: " .. dtype, function()
      local a, t = random(shape, dtype, 20)
      local n, want = shape[#shape], {}
      for first = 0, #t - 1, n do
        local most, sum = -math.huge, 0
        for i = first + 1, first + n do most = math.max(most, t[i]) end
        for i = first + 1, first + n do sum = sum + math.exp(t[i] - most) end
        for i = first + 1, first + n do want[i] = math.exp(t[i] - most) / sum end
      end
      local got = dc.tiles.softmax(a)
      assert.same(shape, { got:shape() })
      assert.equal(dtype, got.dtype)
      near(want, got, precision[dtype], dtype)
    end)
  end

  it("takes views, pending arrays, rows with -inf, and nothing: float32", function()
    local a = dc.array { { 1, 2, 3 }, { 4, -math.huge, 6 } }
    local view = a[{ ":", { 1, 3, 2 } }] * dc.array { { 0 }, { 1 } }
    near({ 0.5, 0.5, 1 / (1 + math.exp(2)), 1 / (1 + math.exp(-2)) }, dc.tiles.softmax(view), 1e-6)
    local got = dc.tiles.softmax(a):to_table()
    assert.equal(0, got[2][2])
    assert.near(1, got[2][1] + got[2][3], 1e-6)
    assert.same({ 0, 5 }, { dc.tiles.softmax(dc.zeros(0, 5)):shape() })
    assert.same({ 5, 0 }, { dc.tiles.softmax(dc.zeros(5, 0)):shape() })
  end)

  it("refuses other arrays", function()
    fails("argument", "dc.tiles.softmax: a is an array, got a table", function() dc.tiles.softmax { 1, 2 } end)
    fails("dtype", "float16, bfloat16, float32 or float64, not int32", function()
      dc.tiles.softmax(dc.zeros(4, "int32"))
    end)
    fails("shape", "1 or more axes", function() dc.tiles.softmax(dc.zeros(3):sum()) end)
  end)
end)

describe("dc.tiles.layer_norm", function()
  it("has the mean 0 and the variance 1, then weights and biases", function()
    local n, rows = math.random(20, 30), math.random(1, 9)
    local a, t = random({ rows, n }, "float32")
    local weight, w = random({ n }, "float32")
    local bias, b = random({ n }, "float32")
    local plain, affine, eps = {}, {}, 0.01
    for first = 0, #t - 1, n do
      local mean, squares = 0, 0
      for i = first + 1, first + n do mean = mean + t[i] / n end
      for i = first + 1, first + n do squares = squares + (t[i] - mean) ^ 2 / n end
      for i = 1, n do
        plain[first + i] = (t[first + i] - mean) / math.sqrt(squares + 1e-5)
        affine[first + i] = (t[first + i] - mean) / math.sqrt(squares + eps) * w[i] + b[i]
      end
    end
    near(plain, dc.tiles.layer_norm(a), 1e-5)
    near(affine, dc.tiles.layer_norm(a, { weight = weight, bias = bias, eps = eps }), 1e-5)
  end)

  it("computes halves in float32, and nothing of nothing", function()
    local a, t = random({ 3, 700 }, "float16", 200)
    local got, want = dc.tiles.layer_norm(a, { eps = 0 }), {}
    for first = 0, #t - 1, 700 do
      local mean, squares = 0, 0
      for i = first + 1, first + 700 do mean = mean + t[i] / 700 end
      for i = first + 1, first + 700 do squares = squares + (t[i] - mean) ^ 2 / 700 end
      for i = first + 1, first + 700 do want[i] = (t[i] - mean) / math.sqrt(squares) end
    end
    assert.equal("float16", got.dtype)
    near(want, got, precision.float16)
    assert.same({ 0, 5 }, { dc.tiles.layer_norm(dc.zeros(0, 5), { weight = dc.ones(5) }):shape() })
    assert.same({ 5, 0 }, { dc.tiles.layer_norm(dc.zeros(5, 0)):shape() })
  end)

  it("refuses weights that do not fit", function()
    local a = dc.zeros(4, 8)
    fails("shape", "weight has the shape %(4%); the last axis of a is 8", function()
      dc.tiles.layer_norm(a, { weight = dc.zeros(4) })
    end)
    fails("dtype", "bias is float32, not float64", function()
      dc.tiles.layer_norm(a, { bias = dc.zeros(8, "float64") })
    end)
    fails("argument", "'eps' is from 0 on", function() dc.tiles.layer_norm(a, { eps = -1 }) end)
    fails("argument", "weights", function() dc.tiles.layer_norm(a, { weights = a }) end)
  end)
end)

describe("dc.tiles.matmul", function()
  for _, case in ipairs { { "float16", 13, 30, 9 }, { "bfloat16", 70, 40, 17, "float32" } } do
    local dtype, m, k, n, out = table.unpack(case)
    compiled(("is the product of (%d, %d) and (%d, %d): %s"):format(m, k, k, n, dtype), function()
      local a, x = random({ m, k }, dtype)
      local b, y = random({ n, k }, dtype) -- passed transposed: a view
      local want = {}
      for i = 0, m - 1 do
        for j = 0, n - 1 do
          local sum = 0
          for l = 1, k do sum = sum + x[i * k + l] * y[j * k + l] end
          want[#want + 1] = sum
        end
      end
      local got = dc.tiles.matmul(a, b.T, { dtype = out })
      assert.equal(out or dtype, got.dtype)
      near(want, got, out and 1e-5 or precision[dtype])
    end)
  end

  it("of no columns is zeros", function()
    local a, b = dc.zeros(3, 0, "float16"), dc.zeros(0, 2, "float16")
    near({ 0, 0, 0, 0, 0, 0 }, dc.tiles.matmul(a, b), 0)
  end)

  it("refuses other operands", function()
    local a = dc.zeros(4, 8, "float16")
    fails("dtype", "a is float16 or bfloat16, not float32", function()
      dc.tiles.matmul(dc.zeros(4, 8), dc.zeros(8, 4))
    end)
    fails("dtype", "b is float16, not bfloat16", function() dc.tiles.matmul(a, dc.zeros(8, 4, "bfloat16")) end)
    fails("shape", "%(m, k%) and %(k, n%) are expected, got %(4, 8%) and %(4, 8%)", function()
      dc.tiles.matmul(a, a)
    end)
    fails("shape", "got %(8%) and %(4, 8%)", function() dc.tiles.matmul(dc.zeros(8, "float16"), a) end)
    fails("dtype", "the result is float16 or float32, not int8", function()
      dc.tiles.matmul(a, a.T, { dtype = "int8" })
    end)
    a:close()
    fails("argument", "closed", function() dc.tiles.matmul(a, a) end)
  end)
end)

describe("dc.tiles.attention", function()
  for _, causal in ipairs { false, true } do
    compiled("is softmax(q kT scale) v of each head" .. (causal and ", of keys that are not later" or ""), function()
      local heads, n, d = { 2, 3 }, causal and 37 or math.random(17, 30), 12
      local keys, dtype, scale = causal and n or 37, "float16", 0.3
      local q, x = random({ 2, 3, n, d }, dtype)
      local k, y = random({ 2, 3, keys, d }, dtype)
      local v, z = random({ 2, 3, keys, d }, dtype)
      local want = {}
      for head = 0, h.product(heads) - 1 do
        for i = 0, n - 1 do
          local p, sum, last = {}, 0, causal and i or keys - 1
          for j = 0, last do
            local s = 0
            for l = 1, d do s = s + x[(head * n + i) * d + l] * y[(head * keys + j) * d + l] end
            p[j] = math.exp(s * scale)
            sum = sum + p[j]
          end
          for l = 1, d do
            local s = 0
            for j = 0, last do s = s + p[j] / sum * z[(head * keys + j) * d + l] end
            want[#want + 1] = s
          end
        end
      end
      local got = dc.tiles.attention(q, k, v, { causal = causal, scale = scale })
      assert.same({ 2, 3, n, d }, { got:shape() })
      near(want, got, 4e-3)
    end)
  end

  it("refuses other operands", function()
    local function zeros(...) return dc.zeros({ ... }, "float16") end
    local q = zeros(2, 8, 16)
    fails("shape", "q is %(…, n, d%), k and v %(…, keys, d%) with the same leading axes", function()
      dc.tiles.attention(q, zeros(3, 8, 16), zeros(3, 8, 16))
    end)
    fails("shape", "got %(2, 8, 16%), %(2, 8, 8%) and", function()
      dc.tiles.attention(q, zeros(2, 8, 8), zeros(2, 8, 8))
    end)
    fails("shape", "and %(2, 9, 16%)", function() dc.tiles.attention(q, q, zeros(2, 9, 16)) end)
    fails("shape", "as many keys as queries, got 9 and 8", function()
      dc.tiles.attention(q, zeros(2, 9, 16), zeros(2, 9, 16), { causal = true })
    end)
    fails("shape", "1 to 256 elements, not 257", function()
      local wide = zeros(2, 257)
      dc.tiles.attention(wide, wide, wide)
    end)
    fails("shape", "no keys", function() dc.tiles.attention(q, zeros(2, 0, 16), zeros(2, 0, 16)) end)
    fails("dtype", "q is float16 or bfloat16, not float32", function()
      dc.tiles.attention(dc.zeros(2, 8, 16), q, q)
    end)
    fails("argument", "'scale' is a finite number", function()
      dc.tiles.attention(q, q, q, { scale = 0 / 0 })
    end)
  end)
end)

it("without the compilers of tile kernels, dc.tiles says what to install", function()
  local text = h.shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_TILE=off DOTCOMPUTE_CACHE=off %s -e %s"):format(
    h.quote(h.dclua), h.quote [[local dc = require "dotcompute"
local a = dc.zeros({ 2, 2 }, "float16")
print(pcall(dc.tiles.matmul, a, a))
print(dc.tiles.softmax(a)[1])
print(dc.tiles.layer_norm(a)[1])]]))
  assert.matches("run `make tile`", text, 1, true)
  assert.matches("{0.5, 0.5}.*{0, 0}", text) -- these need none
end)
