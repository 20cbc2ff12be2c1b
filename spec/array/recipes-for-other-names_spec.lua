-- What messages say of names of other libraries that are not here (src/lua/elsewhere.def): the expressions give what
-- those functions give, by plain Lua.
local dc = require "dotcompute"
local helper = require "spec.helper"

local recipes = {}
for name, text in helper.read "src/lua/elsewhere.def":gmatch '\nNAME%("([^"]+)", "(.-)"%)' do recipes[name] = text end

-- The results of the recipe; its last statement is the expression, and what stands behind it in words is left out.
local function results(name, variables)
  local text = assert(recipes[name], name):gsub(", of .*$", ""):gsub(", inside$", ""):gsub(", by .*$", "")
  local statements, expression = text:match "^(.*;) (.*)$"
  local chunk = (statements or "") .. " return " .. (expression or text)
  return assert(load(chunk, name, "t", setmetatable(variables, { __index = _G })))()
end

local function same(name, variables, expected, got)
  got = got or results(name, variables)
  dc.testing.close(dc.array(expected, "float64"), got:to "float64", { rtol = 2e-5, atol = 2e-5 })
end

local function map(list, f)
  local out = {}
  for i, v in ipairs(list) do out[i] = f(v, i) end
  return out
end

local function numbers(n, low, high)
  local list = {}
  for i = 1, n do list[i] = low + (high - low) * math.random() end
  return list
end

local function integers(n, low, high)
  local list = {}
  for i = 1, n do list[i] = math.random(low, high) end
  return list
end

local pi <const> = math.pi
local f64 <const> = "float64"

describe("what is said of another library's name", function()
  it("is right of functions of elements", function()
    local list, other = numbers(20, -3, 3), numbers(20, -3, 3)
    list[4], other[7] = 0, 0
    local function each(name, f)
      same(name, { dc = dc, a = dc.array(list, f64), b = dc.array(other, f64), v = 0.25, t = 0.3, slope = 0.1 },
        map(list, function(x, i) return f(x, other[i]) end))
    end
    local function logistic(x) return 1 / (1 + math.exp(-x)) end
    local function trunc(x) return x < 0 and math.ceil(x) or math.floor(x) end
    each("heaviside", function(x) return x == 0 and 0.25 or x > 0 and 1 or 0 end)
    each("sinc", function(x) return x == 0 and 1 or math.sin(pi * x) / (pi * x) end)
    each("logaddexp", function(x, y) return math.log(math.exp(x) + math.exp(y)) end)
    each("logaddexp2", function(x, y) return math.log(2 ^ x + 2 ^ y, 2) end)
    each("deg2rad", math.rad)
    each("degrees", math.deg)
    each("fix", trunc)
    each("frac", function(x) return x - trunc(x) end)
    each("expit", logistic)
    each("silu", function(x) return x * logistic(x) end)
    each("softplus", function(x) return math.log(1 + math.exp(x)) end)
    each("leaky_relu", function(x) return x > 0 and x or 0.1 * x end)
    each("elu", function(x) return x > 0 and x or math.exp(x) - 1 end)
    each("lerp", function(x, y) return x + 0.3 * (y - x) end)
  end)

  it("is right of windows and frequencies", function()
    local n, d = math.random(5, 12), 0.5
    local function window(name, f)
      local list = {}
      for i = 0, n - 1 do list[i + 1] = f(i / (n - 1)) end
      same(name, { dc = dc, math = math, n = n, beta = 3.5 }, list)
    end
    local function bessel(x)
      local sum, term = 0, 1
      for k = 1, 40 do
        sum = sum + term
        term = term * (x / 2 / k) ^ 2
      end
      return sum
    end
    window("hanning", function(t) return 0.5 - 0.5 * math.cos(2 * pi * t) end)
    window("hamming", function(t) return 0.54 - 0.46 * math.cos(2 * pi * t) end)
    window("blackman", function(t) return 0.42 - 0.5 * math.cos(2 * pi * t) + 0.08 * math.cos(4 * pi * t) end)
    window("bartlett", function(t) return 1 - math.abs(2 * t - 1) end)
    window("kaiser", function(t) return bessel(3.5 * (1 - (2 * t - 1) ^ 2) ^ 0.5) / bessel(3.5) end)
    local all, half = {}, {}
    for i = 0, n - 1 do all[i + 1] = (i <= (n - 1) // 2 and i or i - n) / (n * d) end
    for i = 0, n // 2 do half[i + 1] = i / (n * d) end
    same("fftfreq", { dc = dc, n = n, d = d }, all)
    same("rfftfreq", { dc = dc, n = n, d = d }, half)
    local ratio = {}
    for i = 0, n - 1 do ratio[i + 1] = 3 * 5 ^ (i / (n - 1)) end
    same("geomspace", { dc = dc, math = math, first = 3, last = 15, n = n }, ratio)
  end)

  it("is right of sets", function()
    local list, other = integers(30, 1, 25), integers(30, 1, 25)
    local has, seen, both, left, all = {}, {}, {}, {}, {}
    for _, v in ipairs(other) do has[v] = true end
    for _, v in ipairs(list) do seen[v] = true end
    for v = 1, 25 do
      if seen[v] and has[v] then both[#both + 1] = v end
      if seen[v] and not has[v] then left[#left + 1] = v end
      if seen[v] or has[v] then all[#all + 1] = v end
    end
    local function operands()
      return { dc = dc, a = dc.array(list, "int32"), b = dc.array(other, "int32"), v = dc.array(other, "int32") }
    end
    same("isin", operands(), map(list, function(v) return has[v] and 1 or 0 end))
    for name, want in pairs { intersect1d = both, setdiff1d = left, union1d = all } do
      local got = results(name, operands())
      assert.same(want, got:to_table(), name)
    end
  end)

  it("is right of numbers that may be NaN", function()
    local list, whole = numbers(15, -5, 5), {}
    for _ = 1, 3 do list[math.random(15)] = 0 / 0 end
    local sum, product, most, least, at, sums, square = 0, 1, -math.huge, math.huge, 0, {}, 0
    for i, v in ipairs(list) do
      if v == v then
        whole[#whole + 1] = v
        sum, product, square = sum + v, product * v, square + v * v
        if v > most then most, at = v, i end
        least = math.min(least, v)
      end
      sums[i] = sum
    end
    table.sort(whole)
    local n = #whole
    local mean = sum / n
    local middle = (whole[(n + 1) // 2] + whole[n // 2 + 1]) / 2
    for name, want in pairs {
      nanmean = mean, nanvar = square / n - mean * mean, nanstd = (square / n - mean * mean) ^ 0.5, nanmax = most,
      nanmin = least, nanargmax = at, nanprod = product, nansum = sum, nanmedian = middle, nanpercentile = middle,
    } do
      local got = results(name, { dc = dc, math = math, a = dc.array(list, f64), p = 50 }):item()
      assert.near(want, got, 1e-9 * (1 + math.abs(want)), name)
    end
    same("nancumsum", { dc = dc, a = dc.array(list, f64) }, sums)
  end)

  it("is right of vectors and matrices", function()
    local a, b, cross = { numbers(3, -1, 1), numbers(3, -1, 1) }, { numbers(3, -1, 1), numbers(3, -1, 1) }, {}
    for i = 1, 2 do
      local x, y = a[i], b[i]
      cross[i] = { x[2] * y[3] - x[3] * y[2], x[3] * y[1] - x[1] * y[3], x[1] * y[2] - x[2] * y[1] }
    end
    same("cross", { dc = dc, a = dc.array(a, f64), b = dc.array(b, f64) }, cross)
    local list, other = numbers(9, -2, 2), numbers(9, 1, 5)
    local function variable(x, y) return { dc = dc, a = dc.stack({ dc.array(x, f64), dc.array(y, f64) }, 2) } end
    local function moment(x, y)
      local mx, my, sum = 0, 0, 0
      for i = 1, 9 do mx, my = mx + x[i] / 9, my + y[i] / 9 end
      for i = 1, 9 do sum = sum + (x[i] - mx) * (y[i] - my) end
      return sum / 8
    end
    local xx, xy, yy = moment(list, list), moment(list, other), moment(other, other)
    same("cov", variable(list, other), { { xx, xy }, { xy, yy } })
    local r = xy / (xx * yy) ^ 0.5
    same("corrcoef", variable(list, other), { { 1, r }, { r, 1 } })
    local area, slope = 0, {}
    local x = {}
    for i = 1, 9 do x[i] = (x[i - 1] or 0) + other[i] end
    for i = 2, 9 do area = area + (x[i] - x[i - 1]) * (list[i] + list[i - 1]) / 2 end
    for i = 2, 8 do slope[i - 1] = (list[i + 1] - list[i - 1]) / 2 end
    local got = results("trapezoid", { dc = dc, x = dc.array(x, f64), y = dc.array(list, f64) })
    assert.near(area, got:item(), 1e-9)
    same("gradient", { dc = dc, a = dc.array(list, f64) }, slope)
    same("vander", { dc = dc, x = dc.array({ 2, 3 }, f64), n = 4 }, { { 8, 4, 2, 1 }, { 27, 9, 3, 1 } })
    local sum = 0
    for _, v in ipairs(list) do sum = sum + math.exp(v) end
    same("logsumexp", { dc = dc, a = dc.array(list, f64) }, math.log(sum))
    same("log_softmax", { dc = dc, a = dc.array(list, f64) }, map(list, function(v) return v - math.log(sum) end))
    local distance = map(a, function(p)
      return map(b, function(q) return ((p[1] - q[1]) ^ 2 + (p[2] - q[2]) ^ 2 + (p[3] - q[3]) ^ 2) ^ 0.5 end)
    end)
    same("cdist", { dc = dc, a = dc.array(a, f64), b = dc.array(b, f64), n = 2 }, distance)
    same("polyfit", { dc = dc, x = dc.array({ 0, 1, 2, 3 }, f64), y = dc.array({ 5, 3, 5, 11 }, f64), n = 2 },
      { 2, -4, 5 })
  end)

  it("is right of places", function()
    local a, keys = dc.array { 10, 20, 30, 40 }, dc.array({ 3, 1, 2, 1 }, "int32")
    same("delete", { dc = dc, a = a, i = 3 }, { 10, 20, 40 })
    same("insert", { dc = dc, a = a, i = 3, v = dc.array { 7 } }, { 10, 20, 7, 30, 40 })
    same("lexsort", { dc = dc, a = a, b = keys }, { 2, 4, 3, 1 })
    same("one_hot", { dc = dc, labels = keys, n = 3 }, { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 0, 0 } })
    local rows, columns = results("unravel_index", { i = dc.array({ 1, 5, 6, 12 }, "int32"), n = 5 })
    same("unravel_index", {}, { 1, 1, 2, 3 }, rows)
    same("unravel_index", {}, { 1, 5, 1, 2 }, columns)
    same("ravel_multi_index", { i = rows, j = columns, n = 5 }, { 1, 5, 6, 12 })
    local part, whole = results("modf", { dc = dc, a = dc.array { 2.5, -2.5 } })
    same("modf", {}, { 0.5, -0.5 }, part)
    same("modf", {}, { 2, -2 }, whole)
    local square = dc.zeros(3, 3)
    load(recipes.fill_diagonal, "fill_diagonal", "t", { a = square, dc = dc, n = 3, v = 4 })()
    same("fill_diagonal", {}, { { 4, 0, 0 }, { 0, 4, 0 }, { 0, 0, 4 } }, square)
    same("ix_", { a = dc.arange(1, 9):reshape(3, 3), i = dc.array({ 3, 1 }, "int32"), j = dc.array({ 2, 3 }, "int32") },
      { { 8, 9 }, { 2, 3 } })
  end)
end)
