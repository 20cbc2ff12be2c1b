-- unique refused complex numbers. NumPy orders them by real part, then by imaginary part; those with a NaN come last,
-- of these first the ones with a real part, and all of them count as one value.
local dc = require "dotcompute"
local o = require "spec.oracle"
local h = require "spec.helper"
local nan = 0 / 0

local function rank(z) return (z.im ~= z.im and 1 or 0) + (z.re ~= z.re and 2 or 0) end

local function before(a, b)
  if rank(a) ~= rank(b) then return rank(a) < rank(b) end
  if a.re ~= b.re and rank(a) < 2 then return a.re < b.re end
  return rank(a) % 2 == 0 and a.im < b.im
end

local function same(a, b) return rank(a) > 0 and rank(b) > 0 or a.re == b.re and a.im == b.im end
local function same_bits(a, b) return (a.re == b.re or rank(a) > 1 and rank(b) > 1)
  and (a.im == b.im or rank(a) % 2 == 1 and rank(b) % 2 == 1) end

local function reference(list)
  local order, values, counts, inverse = {}, {}, {}, {}
  for i = 1, #list do order[i] = i end
  table.sort(order, function(i, j)
    if before(list[i], list[j]) then return true end
    return not before(list[j], list[i]) and i < j
  end)
  for _, i in ipairs(order) do
    if #values == 0 or not same(values[#values], list[i]) then
      values[#values + 1], counts[#values + 1] = list[i], 0
    end
    counts[#values] = counts[#values] + 1
    inverse[i] = #values
  end
  return values, counts, inverse
end

describe("unique of complex numbers", function()
  for _, dtype in ipairs { "complex64", "complex128" } do
    it("follows NumPy: " .. dtype, function()
      for _, n in ipairs { 0, 1, 2, 50, 3000 } do
        for _, parts in ipairs { { 0.0, -0.0, 1.0, -1.0, 2.5 }, { 0.0, 1.0, -1.0 / 0, 1 / 0, nan }, { 1.0, nan } } do
          local list = {}
          for i = 1, n do list[i] = { re = parts[math.random(#parts)], im = parts[math.random(#parts)] } end
          local a = dc.from_bytes(o.bytes(list, dtype), n, dtype)
          local values, counts, inverse = a:unique { counts = true, inverse = true }
          local want, want_counts, want_inverse = reference(list)
          assert.same(want_counts, counts:to_table(), h.note())
          assert.same(want_inverse, inverse:to_table(), h.note())
          assert.equal(dtype, values.dtype)
          for i, v in ipairs(values:to_table()) do assert.is_true(same_bits(want[i], v), h.note()) end
          assert.is_true(dc.equal(a:unique():isnan(), values:isnan()))
        end
      end
      local a = dc.array({ { dc.complex(1, 2), 1 }, { dc.complex(1, 2), 3 } }, dtype)
      local values, inverse = a.T:unique { inverse = true }
      assert.same({ 3 }, { values:shape() })
      assert.same({ { 2, 2 }, { 1, 3 } }, inverse:to_table())
    end)
  end
end)
