-- dc.elementwise and dc.reduction over arrays in any layout, against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"

-- The flat list of an array's elements in C order, computed from a list by the places that a random view has.
local function random_view(dtype)
  local shape, order, source = h.shape(math.random(2, 4), 9), {}, {}
  if math.random(3) == 1 then shape[math.random(#shape)] = math.random(33, 70) end
  for d = 1, #shape do order[d] = d end
  for d = #order, 2, -1 do
    local other = math.random(d)
    order[d], order[other] = order[other], order[d]
  end
  for d = 1, #shape do source[order[d]] = shape[d] end
  local view = dc.array(h.ints(h.product(shape), 0, 99), dtype):reshape(source):transpose(order)
  if math.random(2) == 1 then view = view[{ { -1, 1, -1 } }] end
  return view, shape
end

local function flat(a) return a:reshape(-1):to_table() end

describe("the body of dc.elementwise", function()
  local number = dc.elementwise("T x", "long long at, T y", "at = i; y = x + n;")

  it("has the element's number in C order, whatever the layout of arguments and results", function()
    for _ = 1, 12 do
      local x, shape = random_view "int32"
      local n = h.product(shape)
      local want = flat(x)
      local at, y = number(x)
      local given_at, given_y = dc.zeros(table.unpack(shape)):to "int64", random_view "int32"
      if math.random(2) == 1 then given_at = dc.zeros(n, "int64"):reshape(shape) end
      local same = select("#", given_y:shape()) == #shape
      for d, extent in ipairs { given_y:shape() } do same = same and shape[d] == extent end
      if not same then given_y = dc.zeros(n, "int32"):reshape(shape) end
      number(x, given_at, given_y)
      local a, b, c, d = flat(at), flat(y), flat(given_at), flat(given_y)
      for k = 1, n do
        assert.equal(k - 1, a[k])
        assert.equal(want[k] + n, b[k])
        assert.equal(k - 1, c[k])
        assert.equal(want[k] + n, d[k])
      end
    end
  end)

  it("writes transposed results and reads transposed arguments of large planes", function()
    local scale = dc.elementwise("T x, T y", "T z, int from", "z = x * (T)3 + y; from = i % 1000;")
    for _, dtype in ipairs { "float32", "float64", "int8", "float16" } do
      local rows, columns = math.random(65, 130), math.random(65, 130)
      local x, y = h.ints(rows * columns, 0, 9), h.ints(rows * columns, 0, 9)
      local a, b = dc.array(x, dtype):reshape(columns, rows).T, dc.array(y, dtype):reshape(rows, columns)
      local z, from = dc.zeros(columns, rows):to(dtype).T, dc.zeros(rows, columns, "int32")
      scale(a, b, z, from)
      local fresh = scale(a, b)
      local got, got_from, got_fresh = flat(z), flat(from), flat(fresh)
      for r = 1, rows do
        for c = 1, columns do
          local k = (r - 1) * columns + c
          assert.equal(x[(c - 1) * rows + r] * 3 + y[k], got[k])
          assert.equal(got[k], got_fresh[k])
          assert.equal((k - 1) % 1000, got_from[k])
        end
      end
    end
  end)

  it("gets 16-bit floats, complex numbers and bools as CUDA's own types", function()
    local f = dc.elementwise("__half h, __nv_bfloat16 b, cuFloatComplex c, bool on",
      "__half h2, __nv_bfloat16 b2, cuFloatComplex c2, bool off",
      "h2 = __hadd(h, h); b2 = b; c2 = cuCmulf(c, make_cuFloatComplex(0, 1)); off = !on;")
    local n = math.random(17, 99)
    local x = h.ints(n, 0, 100)
    local a = dc.array(x)
    local h2, b2, c2, off = f(a:to "float16", a:to "bfloat16", a:to "complex64", a:gt(50))
    for k = 1, n do
      assert.equal(2 * x[k], h2[k])
      assert.equal(x[k], b2[k])
      assert.equal(x[k] <= 50, off[k])
    end
    assert(dc.equal(c2:imag(), a) and dc.equal(c2:real(), a * 0))
  end)

  it("has many parameters", function()
    local inputs, outputs, body, args = {}, {}, {}, {}
    for k = 1, 30 do
      inputs[k], outputs[k] = "int x" .. k, "int y" .. k
      body[k] = ("y%d = x%d + %d;"):format(k, k, k)
      args[k] = math.random(2) == 1 and k or dc.full(40, k, "int32")
    end
    args[30] = dc.full(40, 30, "int32")
    local f = dc.elementwise(table.concat(inputs, ", "), table.concat(outputs, ", "), table.concat(body, " "))
    for k, y in ipairs { f(table.unpack(args)) } do assert.equal(40 * 2 * k, y:sum():item()) end
    local all = {}
    for k = 1, 66 do all[k] = "int v" .. k end
    h.fails("argument", "64", function()
      dc.elementwise(table.concat(all, ", "), "int z", "z = v1")(table.unpack(all, 1, 0), table.unpack((function()
        local t = {}
        for k = 1, 66 do t[k] = k end
        return t
      end)()))
    end)
  end)

  it("writes the same view of no elements to two results", function()
    local two = dc.elementwise("float x", "float y, float z", "y = x; z = x;")
    local whole = dc.zeros(4, 4)
    local y, z = two(whole[{ { 2, 1 }, { 1, 3 } }], whole[{ { 2, 1 }, { 1, 3 } }], whole[{ { 2, 1 }, { 2, 4 } }])
    assert.equal(0, y.size)
    assert.equal(0, z.size)
  end)

  it("keeps the macros of its preamble to itself", function()
    local f = dc.elementwise("float v", "float w", "w = v * k + first;",
      { preamble = "#define k 3\n#define first 7\n#define out oops\n#define block oops" })
    local got = f(dc.array { 1, 2, 3, 4, 5 })
    for j = 1, 5 do assert.equal(3 * j + 7, got[j]) end
  end)

  it("names the parameter that a value does not fit", function()
    local f = dc.elementwise("int x, T y, raw float *r", "T z", "z = y + x + r[0];", { name = "sum3" })
    local y, r = dc.ones(3), dc.ones(2)
    h.fails("argument", "sum3: 'int x': 3.5", function() f(3.5, y, r) end)
    h.fails("argument", "sum3: 'int x'.*out of range for int32", function() f(2 ^ 40, y, r) end)
    h.fails("argument", "sum3: 'int x': an array or a number expected, got true", function() f(true, y, r) end)
    h.fails("argument", "sum3: 'raw float %*r'.*not contiguous", function() f(1, y, dc.ones(2, 2).T) end)
  end)
end)

describe("dc.reduction", function()
  it("reduces any layout along any axes", function()
    local best = dc.reduction { inputs = "int x", output = "long long", acc = "pair",
      preamble = "struct pair { int v = 0; long long at = -1; };",
      map = "[&] { pair p; p.v = x; p.at = i; return p; }()",
      reduce = "b.v > a.v || (b.v == a.v && b.at < a.at) ? b : a", post = "a.v * 1000000 + a.at" }
    for _ = 1, 10 do
      local x, shape = random_view "int32"
      local axis = math.random(#shape)
      local values, inner, outer = flat(x), 1, 1
      for d = axis + 1, #shape do inner = inner * shape[d] end
      for d = 1, axis - 1 do outer = outer * shape[d] end
      local want = {}
      for o = 0, outer - 1 do
        for k = 0, inner - 1 do
          local most, at = -1, -1
          for r = 0, shape[axis] - 1 do
            local v = values[(o * shape[axis] + r) * inner + k + 1]
            if v > most then most, at = v, r end
          end
          want[#want + 1] = most * 1000000 + at
        end
      end
      h.same(want, flat(best(x, axis)), "axis " .. axis)
      local all_most, all_at = -1, -1
      for k, v in ipairs(values) do
        if v > all_most then all_most, all_at = v, k - 1 end
      end
      assert.equal(all_most * 1000000 + all_at, best(x):item())
    end
  end)

  it("of large types reduces long rows and columns", function()
    local eight = dc.reduction { inputs = "int x", output = "long long", acc = "sums",
      preamble = "struct sums { long long v[8]; };",
      map = "[&] { sums s = {}; s.v[i % 8] = x; return s; }()",
      reduce = "[&] { sums s = a; for (int k = 0; k < 8; k++) s.v[k] += b.v[k]; return s; }()",
      post = "a.v[0] + 3 * a.v[5]", identity = "sums{}" }
    local rows, columns = 9000, 40
    local x = dc.arange(0, rows * columns - 1, "int64"):to "int32":reshape(rows, columns)
    local got, first = eight(x, 1):to_table(), 0
    for c = 0, columns - 1 do
      local want = 0
      for r = 0, rows - 1 do
        if r % 8 == 0 then want = want + r * columns + c elseif r % 8 == 5 then want = want + 3 * (r * columns + c) end
      end
      assert.equal(want, got[c + 1])
      if c == 0 then first = want end
    end
    assert.equal(first, eight(x[{ ":", 1 }]):item())
    assert.equal(first, eight(x.T, 2)[1])
  end)

  it("writes into what it reads, and into views", function()
    local sum = dc.reduction { inputs = "T x", output = "T", reduce = "a + b" }
    local x = dc.arange(1, 12, "int32"):reshape(3, 4):copy()
    sum(x, 1, x[{ 2, ":" }])
    h.same({ 15, 18, 21, 24 }, x[2]:to_table())
    local wide = dc.zeros(8, "int32")
    sum(dc.arange(1, 12, "int32"):reshape(3, 4), 1, wide[{ { 7, 1, -2 } }])
    h.same({ 24, 0, 21, 0, 18, 0, 15, 0 }, wide:to_table())
    h.fails("argument", "broadcast view", function() sum(x, 1, dc.zeros(1, "int32"):broadcast_to(4)) end)
  end)
end)
