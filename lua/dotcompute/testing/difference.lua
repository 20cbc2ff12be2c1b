-- How two arrays differ: counts and places are computed on the device, only what the text shows is copied to the host.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local builder = require "dotcompute.builder"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail

-- Default tolerances, those of torch.testing.assert_close; other dtypes are compared exactly.
local tolerances = {
  float16 = { rtol = 1e-3, atol = 1e-5 },
  bfloat16 = { rtol = 1.6e-2, atol = 1e-5 },
  float32 = { rtol = 1.3e-6, atol = 1e-5 },
  float64 = { rtol = 1e-7, atol = 1e-7 },
  complex64 = { rtol = 1.3e-6, atol = 1e-5 },
  complex128 = { rtol = 1e-7, atol = 1e-7 },
}

-- --- operands -----------------------------------------------------------------------------------------------------

local function kind_of(dtype) return core.dtype(dtype).kind end

-- The dtypes to try for a table: so that exact comparisons meet the values that the array can hold, and others lose
-- nothing.
local function dtypes_for(other, exact)
  if not other then return { "float64", "complex128" } end
  local kind = kind_of(other.dtype)
  if exact or kind == "i" or kind == "u" or kind == "b" then return { other.dtype, "float64", "complex128" } end
  return kind == "c" and { "complex128" } or { "float64", "complex128" }
end

-- An array, or what dc.array makes of a table, a number, a boolean or a complex number. `other`: the other operand.
local function as_array(who, what, v, other, exact)
  if core.is_array(v) then return v end
  local t = type(v)
  if t ~= "table" and t ~= "number" and t ~= "boolean" and t ~= "userdata" then -- complex numbers are userdata
    fail("argument", "%s: the %s value is an array, a table or a number, got %s", who, what, core.describe(v))
  end
  local first
  for _, dtype in ipairs(dtypes_for(core.is_array(other) and other or nil, exact)) do
    local ok, result = pcall(dc.array, v, dtype)
    if ok then return result end
    if type(result) ~= "table" or result.kind == "interrupted" then error(result, 0) end
    first = first or result
  end
  error(first, 0)
end

local function shape_text(a)
  local shape = { a:shape() }
  return "(" .. table.concat(shape, ", ") .. (#shape == 1 and ",)" or ")")
end

local function same_shape(a, b)
  local p, q = { a:shape() }, { b:shape() }
  if #p ~= #q then return false end
  for k = 1, #p do
    if p[k] ~= q[k] then return false end
  end
  return true
end

-- --- which elements differ ----------------------------------------------------------------------------------------

local function is_integral(a) return kind_of(a.dtype):find "[iub]" ~= nil end

-- |actual - expected| in float64. Of integers it is the exact difference, rounded once.
local function distance(expected, actual)
  if is_integral(expected) and is_integral(actual) then
    local e, a = expected:to "int64", actual:to "int64"
    return dc.where(actual:gt(expected), a - e, e - a):to "uint64":to "float64"
  end
  local complex = kind_of(expected.dtype) == "c" or kind_of(actual.dtype) == "c"
  local wide = complex and "complex128" or "float64"
  return dc.abs(actual:to(wide) - expected:to(wide))
end

local function absolute(a) return dc.abs(a:to(kind_of(a.dtype) == "c" and "complex128" or "float64")) end

local function both_nan(expected, actual)
  if is_integral(expected) or is_integral(actual) then return nil end
  return dc.logical_and(dc.isnan(expected), dc.isnan(actual))
end

-- A pending bool array: the elements that are not within the tolerance. Infinities of one sign are equal, and an
-- infinite expected value has no tolerance.
local function mismatches(expected, actual, rule)
  local good = actual:eq(expected)
  if rule.rtol > 0 or rule.atol > 0 then
    local near = distance(expected, actual):le(rule.atol + rule.rtol * absolute(expected))
    if not is_integral(expected) then near = dc.logical_and(near, dc.isfinite(expected)) end
    good = dc.logical_or(good, near)
  end
  local nan = rule.equal_nan and both_nan(expected, actual)
  if nan then good = dc.logical_or(good, nan) end
  return dc.logical_not(good)
end

-- --- the text -----------------------------------------------------------------------------------------------------

-- The indices, from 1, of element number `flat` in C order.
local function unravel(a, flat)
  local shape, index = { a:shape() }, {}
  local rest = flat - 1
  for k = #shape, 1, -1 do
    index[k] = rest % shape[k] + 1
    rest = rest // shape[k]
  end
  return index
end

local function index_text(index)
  if #index == 1 then return ("[%d]"):format(index[1]) end
  return "[{" .. table.concat(index, ", ") .. "}]"
end

-- The fewest digits that give the number of this dtype again.
local function number_text(v, dtype)
  if v ~= v then return "nan" end
  if math.type(v) == "integer" then return builder.shown(v, dtype) end
  if dtype == "float16" or dtype == "bfloat16" then return ("%.5g"):format(v) end
  local single = dtype == "float32" or dtype == "complex64"
  for digits = single and 7 or 14, single and 9 or 17 do
    local text = ("%." .. digits .. "g"):format(v)
    local back = tonumber(text) or v
    if single then back = string.unpack("f", string.pack("f", back)) end
    if back == v then return text end
  end
  return tostring(v)
end

local function value_text(v, dtype)
  if type(v) == "boolean" then return tostring(v) end
  if type(v) == "number" then return number_text(v, dtype) end
  local im = number_text(v.im, dtype)
  return number_text(v.re, dtype) .. (im:find "^[-+]" and "" or "+") .. im .. "i"
end

local function element(a, index)
  if a.ndim == 0 then return a:item() end
  return a[index]
end

local WHOLE = 60              -- arrays of more elements are cut
local ROWS, COLUMNS = 2, 4    -- shown at either side of an element

-- The elements around `index`, as text, and how a script would write them.
local function around(a, index)
  if a.size <= WHOLE then return tostring(a):match "\n(.*)$" or tostring(a), "" end
  local shape, ranges, texts = { a:shape() }, {}, {}
  for k, i in ipairs(index) do
    local reach = k == #index and COLUMNS or k == #index - 1 and ROWS
    if reach then
      local first, last = math.max(1, i - reach), math.min(shape[k], i + reach)
      ranges[k], texts[k] = { first, last }, ("{%d, %d}"):format(first, last)
    else
      ranges[k], texts[k] = i, tostring(i)
    end
  end
  return tostring(a[ranges]):match "\n(.*)$", "[{" .. table.concat(texts, ", ") .. "}]"
end

local function described(a) return ("%s %s on %s"):format(a.dtype, shape_text(a), a.device.id) end

-- "expected[{3, {5, 9}}], float32 (4, 100) on cpu:" and the elements below it.
local function excerpt(name, a, index)
  local text, place = around(a, index)
  return ("  %s%s, %s:\n    %s"):format(name, place, described(a), (text:gsub("\n", "\n    ")))
end

local function mismatch_text(name, index, expected, actual, gap)
  local place = #index > 0 and " at " .. index_text(index) or ""
  return ("  %s%s: expected %s, actual %s, difference %s"):format(name, place,
    value_text(element(expected, index), expected.dtype), value_text(element(actual, index), actual.dtype),
    gap ~= gap and "nan" or ("%.6g"):format(gap))
end

local function tolerance_text(rule)
  if rule.rtol == 0 and rule.atol == 0 then return "  tolerance: none, the values must be equal" end
  return ("  tolerance: |actual - expected| <= %.6g + %.6g * |expected|"):format(rule.atol, rule.rtol)
end

local function report(expected, actual, rule, bad)
  bad = bad:eval()
  local gaps = distance(expected, actual)
  local count, first = bad:count():item(), bad:argmax():item()
  local rank = dc.where(bad, dc.where(dc.isnan(gaps), math.huge, gaps), -1)
  local worst = rank:argmax():item()
  local flat = gaps:reshape(-1)
  local at = unravel(actual, first)
  local lines = {}
  lines[1] = ("arrays differ: %d of %d element%s (%.3g %%)"):format(count, bad.size, bad.size == 1 and "" or "s",
    100 * count / bad.size)
  lines[2] = mismatch_text("first", at, expected, actual, flat[first])
  if worst ~= first then
    lines[#lines + 1] = mismatch_text("worst", unravel(actual, worst), expected, actual, flat[worst])
  end
  lines[#lines + 1] = tolerance_text(rule)
  local nan = not rule.equal_nan and both_nan(expected, actual)
  if nan and nan:any() then
    lines[#lines + 1] = ("  NaN equals no value, and both have it at %d place%s: equal_nan = true accepts that"):format(
      nan:count():item(), nan:count():item() == 1 and "" or "s")
  end
  lines[#lines + 1] = excerpt("expected", expected, at)
  lines[#lines + 1] = excerpt("actual", actual, at)
  return table.concat(lines, "\n")
end

-- --- the comparison -----------------------------------------------------------------------------------------------

-- A tolerance of the options, or the larger of the defaults of the arrays that were given.
local function tolerance(who, name, options, ...)
  local v = options[name]
  if v ~= nil then
    if v ~= v or v < 0 then fail("argument", "%s: option '%s' is a number from 0 on, got %s", who, name, v) end
    return v
  end
  local most = 0
  for _, a in ipairs { ... } do
    if core.is_array(a) and tolerances[a.dtype] then most = math.max(most, tolerances[a.dtype][name]) end
  end
  return most
end

local function compare(e, a, rule, same_dtype, shapeless)
  if not same_shape(e, a) and not (shapeless and e.size == 0 and a.size == 0) then
    return ("shapes differ: expected %s, actual %s"):format(described(e), described(a))
  end
  if same_dtype and e.dtype ~= a.dtype then
    return ("dtypes differ: expected %s, actual %s"):format(described(e), described(a))
  end
  if a.size == 0 then return nil end
  local bad = mismatches(e, a, rule)
  if not bad:any() then return nil end
  return report(e, a, rule, bad)
end

-- How `actual` differs from `expected`, as text; nil when it does not. `who`: the function that the script called.
-- options: rtol, atol, equal_nan, same_dtype; exact: no tolerance.
return function(who, expected, actual, options, exact)
  local a = as_array(who, "actual", actual, expected, exact)
  return dc.using(a.device, function()
    local e = as_array(who, "expected", expected, a, exact)
    local given = core.is_array(actual) and actual or core.is_array(expected) and expected or a
    local rule = {
      rtol = exact and 0 or tolerance(who, "rtol", options, expected, given),
      atol = exact and 0 or tolerance(who, "atol", options, expected, given),
      equal_nan = options.equal_nan,
    }
    local tables = not (core.is_array(expected) and core.is_array(actual)) -- whose dtype and empty axes are unknown
    return compare(e:to(a.device), a, rule, options.same_dtype and not tables, tables)
  end)
end
