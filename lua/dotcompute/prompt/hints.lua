-- What may have been meant where an entry named something that is not there.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local require = require -- a script may take the global one away

local hints = {}

-- Names of NumPy and CuPy -> what does it here.
local numpy = {
  asarray = "dc.array(x)", ascontiguousarray = "a:copy()", asnumpy = "a:to_table()", astype = "a:to(dtype)",
  amax = "a:max()", amin = "a:min()", average = "a:mean()", concatenate = "dc.concat{a, b}", vstack = "dc.concat{a, b}",
  hstack = "dc.concat({a, b}, 2)", dtype = "a.dtype", item = "a:item()", linspace = "dc.linspace(first, last, n)",
  matmul = "dc.matmul(a, b)", median = "a:sort()[(a.size + 1) // 2]", ndarray = "dc.array(x)",
  percentile = "a:sort(), and an index", power = "a ^ b", ravel = "a:reshape(-1)", flatten = "a:reshape(-1):copy()",
  repeat_ = "a:repeat_(n)", std = "a:std()", subtract = "a - b", multiply = "a * b", divide = "a / b", add = "a + b",
  greater = "a:gt(b)", less = "a:lt(b)", equal = "a:eq(b)", not_equal = "a:ne(b)", tolist = "a:to_table()",
  swapaxes = "a:transpose(…)", expand_dims = "a:reshape(…)", zeros_like = "dc.zeros(a:shape())",
  ones_like = "dc.ones(a:shape())", empty_like = "dc.empty(a:shape())", full_like = "dc.full({a:shape()}, v)",
  take_along_axis = "a:take(…)", argwhere = "a:nonzero()", count_nonzero = "a:ne(0):sum()", shape = "a:shape()",
  newaxis = "a:reshape(…)", eye = "dc.linalg, or dc.eye(n)", random = "dc.random", ElementwiseKernel = "dc.elementwise",
  ReductionKernel = "dc.reduction", RawKernel = "dc.kernel", fuse = "expressions are fused by themselves",
  vectorize = "dc.vectorize", float32 = '"float32", a string', float64 = '"float64", a string',
  int32 = '"int32", a string',
  absolute = "dc.abs(a)", maximum = "dc.maximum(a, b)", size = "a.size", T = "a.T", isclose = "dc.allclose(a, b)",
}

-- The number of edits between two words (a character more, less or another, two exchanged: optimal string alignment,
-- Boytsov, Indexing Methods for Approximate Dictionary Searching, 2011, section 2), up to 3.
local function distance(a, b)
  if math.abs(#a - #b) > 2 then return 3 end
  local rows = { [0] = {} }
  for j = 0, #b do rows[0][j] = j end
  for i = 1, #a do
    local row, above = { [0] = i }, rows[i - 1]
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      row[j] = math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + cost)
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        row[j] = math.min(row[j], rows[i - 2][j - 2] + 1)
      end
    end
    rows[i] = row
  end
  return rows[#a][#b]
end

-- The closest of the names that a function iterates over; nil when none is close.
local function closest(word, names)
  local best, least = nil, #word <= 3 and 1 or 2
  for name in names do
    local d = name ~= word and distance(word:lower(), name:lower()) or 3
    if d < least or (d == least and (best == nil or name < best)) then best, least = name, d end
  end
  return best
end

local function string_keys(...)
  local tables = { ... }
  return coroutine.wrap(function()
    for _, t in ipairs(tables) do
      for k in next, t do
        if type(k) == "string" then coroutine.yield(k) end
      end
    end
  end)
end

local function array_methods()
  local meta = debug.getmetatable(require "dotcompute".empty(0))
  return meta and rawget(meta, "__methods") or {}
end

-- A line for the error's message; nil: nothing is known.
function hints.of(message, env)
  local name = message:match "dotcompute has no '([%w_]+)'"
  local is_array = false
  if not name then
    name = message:match "an array has no field or method '([%w_]+)'"
    is_array = name ~= nil
  end
  if name then
    if numpy[name] then return ("'%s' of NumPy is here: %s"):format(name, numpy[name]) end
    local found
    if is_array then found = closest(name, string_keys(array_methods()))
    else found = closest(name, string_keys(require "dotcompute")) end
    return found and ("did you mean '%s'?"):format(found)
  end
  name = message:match "a nil value %(global '([%w_]+)'%)"
  if name then
    local found = closest(name, string_keys(env, _G))
    return found and ("did you mean '%s'?"):format(found)
  end
end

return hints
