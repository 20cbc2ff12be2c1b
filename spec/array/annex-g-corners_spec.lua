-- tanh(1e20 + NaN i) was 1 + NaN i, and atanh(NaN + 1e20 i) NaN + pi/2 i: now all functions of complex numbers are
-- compared with the C library's (spec/c/annex_g.c) wherever parts are zeros, 1, large, infinities or NaN.  sign of a
-- complex zero was that zero, with its signs; NumPy 2 has 0.
local dc = require "dotcompute"
local o = require "spec.oracle"
local nan, inf = 0 / 0, 1 / 0

local special = { inf = inf, ["-inf"] = -inf, nan = nan, ["-0"] = -0.0 }
local function number(text) return special[text] or tonumber(text) + 0.0 end

local function read()
  local cases = {}
  for line in io.lines "spec/data/annex-g.txt" do
    local name, x, y, u, v = line:match "^(%S+) (%S+) (%S+) (%S+) (%S+)$"
    x, y, u, v = number(x), number(y), number(u), number(v)
    cases[name] = cases[name] or {}
    table.insert(cases[name], { { re = x, im = y }, { re = u, im = v } })
    if y == y then table.insert(cases[name], { { re = x, im = -y }, { re = u, im = -v } }) end
  end
  return cases
end

-- Where an argument or a value has a NaN, annex G mostly leaves signs open.
local function meets(want, got, eps, open)
  if want ~= want then return got ~= got end
  if open then want, got = math.abs(want), math.abs(got) end
  if want == 0 or math.abs(want) == inf then return want == got and 1 / want == 1 / got end
  return math.abs(want - got) <= eps * math.abs(want)
end

local function is_nan(z) return z.re ~= z.re or z.im ~= z.im end

describe("functions of complex numbers", function()
  for _, dtype in ipairs { "complex64", "complex128" } do
    local part = o.part[dtype]
    it("have the C library's zeros, infinities and NaN: " .. dtype, function()
      for name, cases in pairs(read()) do
        local z, want = {}, {}
        for _, case in ipairs(cases) do
          local fits = part == "float64" or math.abs(case[1].re) ~= 2.0 ^ 1000 and math.abs(case[1].im) ~= 2.0 ^ 1000
          if fits then z[#z + 1], want[#want + 1] = case[1], case[2] end
        end
        local got = dc[name](dc.from_bytes(o.bytes(z, dtype), #z, dtype)):to_table()
        for i, g in ipairs(got) do
          local w, open = want[i], is_nan(z[i]) or is_nan(want[i])
          -- what leaves the format becomes 0 or infinity
          w = { re = o.round[part](w.re), im = o.round[part](w.im) }
          local eps = 4 * o.epsilon[part]
          assert.is_true(meets(w.re, g.re, eps, open) and meets(w.im, g.im, eps, open),
            ("%s of %s is %s, should be %s"):format(name, o.show(z[i]), o.show(g), o.show(w)))
        end
      end
    end)

    it("sign is +0 where a part is 0: " .. dtype, function()
      for _, re in ipairs { 0.0, -0.0, -1.0, 3.0, inf, -inf } do
        for _, im in ipairs { 0.0, -0.0, -1.0, 3.0, inf, -inf } do
          local got = dc.sign(dc.array({ dc.complex(re, im) }, dtype))[1]
          local h = math.sqrt(re * re + im * im)
          if re == 0 and im == 0 then
            assert.equal(inf, 1 / got.re)
            assert.equal(inf, 1 / got.im)
          elseif h < inf then
            assert.is_true(meets(re / h, got.re, 1e-6) and meets(im / h, got.im, 1e-6))
          elseif math.abs(re) == inf and math.abs(im) == inf then
            assert.is_true(is_nan(got))
          else
            local flat = math.abs(re) == inf
            assert.is_true(meets(flat and (re > 0 and 1 or -1) or 0.0, got.re, 0)
              and meets(flat and 0.0 or im > 0 and 1 or -1, got.im, 0))
          end
        end
      end
    end)
  end
end)
