-- What may have been meant where an entry named something that is not there.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local require = require -- a script may take the global one away

local hints = {}

-- Names of NumPy and CuPy -> what does it here.
local numpy = {
  asarray = "dc.array(x)", ascontiguousarray = "a:copy()", asnumpy = "a:to_table()", astype = "a:to(dtype)",
  amax = "a:max()", amin = "a:min()", average = "a:mean()", concatenate = "dc.concat{a, b}",
  vstack = "dc.concat{a, b}", hstack = "dc.concat({a, b}, 2)", dtype = "a.dtype", item = "a:item()",
  linspace = "dc.linspace(first, last, n)", median = "a:sort()[(a.size + 1) // 2]", ndarray = "dc.array(x)",
  percentile = "a:sort(), and an index", power = "a ^ b", ravel = "a:reshape(-1)", flatten = "a:reshape(-1):copy()",
  subtract = "a - b", multiply = "a * b", divide = "a / b", add = "a + b", greater = "a:gt(b)", less = "a:lt(b)",
  equal = "a:eq(b)", not_equal = "a:ne(b)", tolist = "a:to_table()", swapaxes = "a:transpose(…)",
  expand_dims = "a:reshape(…)", zeros_like = "dc.zeros_like(a)", ones_like = "dc.ones_like(a)",
  empty_like = "dc.empty_like(a)", full_like = "dc.full_like(a, v)", take_along_axis = "a:take(…)",
  argwhere = "a:nonzero()", count_nonzero = "a:ne(0):sum()", shape = "a:shape()", newaxis = "a:reshape(…)",
  eye = "dc.eye(n)", ElementwiseKernel = "dc.elementwise", ReductionKernel = "dc.reduction", RawKernel = "dc.kernel",
  fuse = "expressions are fused by themselves", float32 = '"float32", a string', float64 = '"float64", a string',
  imshow = "dc.image.show(a)", imread = "dc.image.read(path)", imsave = "dc.image.write(path, a)",
  scatter = "dc.plot.points(x, y)", hist = "dc.plot.histogram(a)",
  int32 = '"int32", a string', absolute = "dc.abs(a)", size = "a.size", T = "a.T", isclose = "dc.allclose(a, b)",
}

-- The names of these tables, sorted.
local function names_of(...)
  local names = {}
  for _, t in ipairs { ... } do
    for k in next, t do
      if type(k) == "string" then names[#names + 1] = k end
    end
  end
  table.sort(names)
  return names
end

local function did_you_mean(word, ...)
  local found = core.closest(word, names_of(...))
  return found and ("did you mean '%s'?"):format(found)
end

local function array_methods()
  local meta = debug.getmetatable(require "dotcompute".empty(0))
  return meta and rawget(meta, "__methods") or {}
end

-- A line for the error's message; nil: nothing is known.
function hints.of(message, env)
  local function_name = message:match "dotcompute has no '([%w_]+)'"
  local method = message:match "an array has no field or method '([%w_]+)'"
  local name = function_name or method
  if name and numpy[name] then return ("'%s' of NumPy is here: %s"):format(name, numpy[name]) end
  if function_name then return did_you_mean(name, require "dotcompute") end
  if method then return did_you_mean(name, array_methods()) end
  local global = message:match "a nil value %(global '([%w_]+)'%)"
  return global and did_you_mean(global, env, _G)
end

return hints
