-- Long Fourier transforms, which the CPU device cuts into columns, and columns of matrices, in blocks of which the last
-- one is not full: single results against the sum that defines them, all of them against signals with few frequencies.
local dc = require "dotcompute"
local helper = require "spec.helper"

local random = math.random
local with = helper.with_library(it, pending)
local most <const> = { complex64 = 2e-6, complex128 = 1e-14 } -- of the root of n times the values' size

-- Values of an array, real and imaginary parts.
local function parts(a)
  return dc.real(a):copy():to_table(), dc.imag(a):copy():to_table()
end

local function root(m, n, sign)
  local angle = sign * 2 * math.pi * (m % n) / n
  return math.cos(angle), math.sin(angle)
end

-- Result k (from 0) of n values, by sums of sums, whose rounding is small.
local function sum(re, im, k, sign)
  local n, a, b = #re, 0, 0
  for first = 0, n - 1, 1024 do
    local x, y = 0, 0
    for j = first, math.min(first + 1024, n) - 1 do
      local c, s = root(j * k, n, sign)
      local u, v = re[j + 1], im[j + 1]
      x, y = x + u * c - v * s, y + u * s + v * c
    end
    a, b = a + x, b + y
  end
  return a, b
end

local i <const> = dc.complex(0, 1)
local function noise(dtype, ...)
  return ((dc.random.uniform(...) - 0.5):to(dtype) + (dc.random.uniform(...) - 0.5):to(dtype) * i):eval()
end

describe("a long transform", function()
  -- Of one array, of rows, along the columns of a matrix.
  for kind, n in ipairs { 1 << 19, 9 << 16, 21 << 16 } do
    local dtype = kind ~= 2 and "complex64" or "complex128"
    with("fft", ("of %d numbers, %s, is the sum that defines it, and its inverse restores them"):format(n, dtype),
      function()
        local columns <const> = kind == 2
        local x = columns and noise(dtype, n, 2) or noise(dtype, 2, n)
        local axis <const> = columns and 1 or 2
        local y = dc.fft.fft(x, { axis = axis })
        local row <const> = random(2)
        local function of(a) return columns and a.T[row] or a[row] end
        local re, im = parts(of(x))
        local fre, fim = parts(of(y))
        for _, k in ipairs { 1, random(n) - 1 } do
          local a, b = sum(re, im, k, -1)
          local off = math.max(math.abs(fre[k + 1] - a), math.abs(fim[k + 1] - b))
          assert.is_true(off <= most[dtype] * math.sqrt(n), helper.note(("result %d is off by %g"):format(k, off)))
        end
        local off = dc.abs(dc.fft.ifft(y, { axis = axis }) - x):max():item()
        assert.is_true(off <= most[dtype], helper.note(("the inverse is off by %g"):format(off)))
      end)
  end

  with("fft", "of a signal with few frequencies has these, and nothing elsewhere", function()
    for _, dtype in ipairs { "complex64", "complex128" } do
      local n <const> = 1 << 19
      local want, re, im = {}, {}, {}
      for j = 1, n do re[j], im[j] = 0, 0 end
      for _ = 1, 2 do
        local k, size = random(n) - 1, random(4)
        want[k + 1] = (want[k + 1] or 0) + size * n
        for j = 0, n - 1 do
          local c, s = root(j * k, n, 1)
          re[j + 1], im[j + 1] = re[j + 1] + size * c, im[j + 1] + size * s
        end
      end
      local got = dc.abs(dc.fft.fft((dc.array(re, "float64") + dc.array(im, "float64") * i):to(dtype))):to_table()
      local worst = 0
      for k = 1, n do worst = math.max(worst, math.abs(got[k] - (want[k] or 0))) end
      assert.is_true(worst <= 20 * most[dtype] * n, helper.note(("%s: off by %g"):format(dtype, worst)))
    end
  end)

  with("fft", "has the same bits with any number of threads", function()
    local script = [[
      local dc = require "dotcompute"
      local x = (dc.arange(1, 1 << 19, "float64") * 0.618) % 1
      local function digest(a)
        local t = dc.imag(a):copy():reshape(-1)
        return ("%a %a %a"):format(t:sum():item(), (t * t):max():item(), t[12345])
      end
      print(digest(dc.fft.fft(x:to("complex64"))))
      print(digest(dc.fft.fft(x:reshape(1024, 512), {axis = 1})))]]
    local one = helper.on_cpu("THREADS=1", script)
    assert.equal(one, helper.on_cpu("THREADS=2", script))
    assert.equal(one, helper.on_cpu("THREADS=3", script))
  end)
end)

describe("transforms of columns", function()
  with("fft", "are those of the rows of the transposed matrix, whatever their number", function()
    for _ = 1, 6 do
      local rows, columns = 63 + random(300), 7 + random(60)
      local dtype = random(2) == 1 and "complex64" or "complex128"
      local x = noise(dtype, rows, columns)
      local function same(a, b, text)
        local off = dc.abs(a - b):max():item()
        local ok = off <= 4 * most[dtype] * math.sqrt(rows)
        assert.is_true(ok, helper.note(("%s of (%d, %d): off by %g"):format(text, rows, columns, off)))
      end
      local turned = x.T:copy()
      same(dc.fft.fft(x, { axis = 1 }), dc.fft.fft(turned).T, "fft")
      same(dc.fft.ifft(x, { axis = 1 }), dc.fft.ifft(turned).T, "ifft")
      local r = dc.real(x):copy()
      same(dc.fft.rfft(r, { axis = 1 }), dc.fft.rfft(r.T:copy()).T, "rfft")
      same(dc.fft.irfft(x, { axis = 1 }), dc.fft.irfft(turned).T, "irfft")
    end
  end)
end)
