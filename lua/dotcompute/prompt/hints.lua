-- What may have been meant where an entry named something that is not there.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local require = require -- a script may take the global one away

local hints = {}

-- Names of NumPy and CuPy -> what does it here.
local numpy = {
  absolute = "dc.abs(a)", add = "a + b", allclose = "dc.allclose(a, b)", amax = "a:max()", amin = "a:min()",
  append = "dc.concat{a, b}", apply_along_axis = "dc.vectorize, dc.reduction, dc.scan",
  argpartition = "a:topk(k), whose second result are the indices", argwhere = "a:nonzero()",
  array_equal = "dc.equal(a, b)", array_split = "slices, a[{{first, last}}]", asarray = "dc.array(x)",
  ascontiguousarray = "a:copy()", asnumpy = "a:to_table()", astype = "a:to(dtype)", average = "a:mean()",
  bitwise_and = "a & b", bitwise_or = "a | b", bitwise_xor = "a ~ b", block_until_ready = "a:eval()",
  column_stack = "dc.stack({a, b}, 2)", compress = "a[mask]", concatenate = "dc.concat{a, b}",
  convolve = "dc.elementwise with a raw input", count_nonzero = "a:count()", cov = "x = a - a:mean(1); x.T:matmul(x)",
  default_rng = "dc.random.generator(seed)", diag = "a * dc.eye(n)", diagonal = "a * dc.eye(n)",
  diff = "a[{{2, -1}}] - a[{{1, -2}}]", digitize = "edges:searchsorted(a)", divide = "a / b",
  dstack = "dc.stack({a, b}, 3)",
  dtype = "a.dtype",
  einsum = "products and sums, (a * b):sum(axis), or a:matmul(b)",
  ElementwiseKernel = "dc.elementwise", empty_like = "dc.empty_like(a)", equal = "a:eq(b)",
  expand_dims = "a:reshape(…)", eye = "dc.eye(n)", flatten = "a:reshape(-1):copy()", fliplr = "a:flip(2)",
  flipud = "a:flip(1)",
  floor_divide = "a // b", fromfile = "dc.load_raw(path, dtype)", frombuffer = "dc.from_bytes(s, shape, dtype)",
  full_like = "dc.full_like(a, v)", fuse = "expressions are fused by themselves",
  genfromtxt = "dc.load_csv(path)", get = "a:to_table()", greater = "a:gt(b)", greater_equal = "a:ge(b)",
  hist = "dc.plot.histogram(a)",
  hsplit = "slices, a[{':', {first, last}}]", hstack = "dc.concat({a, b}, 2)", identity = "dc.eye(n)",
  imread = "dc.image.read(path)", imsave = "dc.image.write(path, a)", imshow = "dc.image.show(a)",
  inner = "a:dot(b)", isclose = "dc.abs(a - b):le(tolerance)", isin = "a:searchsorted(v)",
  item = "a:item()", kron = "dc.outer(a, b), and a:transpose(…)",
  left_shift = "a << n", less = "a:lt(b)", less_equal = "a:le(b)", linspace = "dc.linspace(first, last, n)",
  loadtxt = "dc.load_csv(path)", logspace = "dc.exp10(dc.linspace(a, b, n))",
  meshgrid = "axes of extent 1, which broadcast: x:reshape(1, -1), y:reshape(-1, 1)", mod = "a % b",
  moveaxis = "a:transpose(…)", multiply = "a * b", nan_to_num = "dc.where(dc.isnan(a), 0, a)",
  nansum = "dc.where(dc.isnan(a), 0, a):sum()", ndarray = "dc.array(x)", negative = "-a",
  newaxis = "a:reshape(…)", not_equal = "a:ne(b)", ones_like = "dc.ones_like(a)", partition = "a:topk(k)",
  percentile = "a:quantile(p / 100)", pinv = "dc.linalg.svd(a)", power = "a ^ b", ptp = "a:max() - a:min()",
  rand = "dc.random.uniform(shape)",
  randint = "dc.random.integers(shape, {high = n})",
  randn = "dc.random.normal(shape)", ravel = "a:reshape(-1)", RawKernel = "dc.kernel",
  ReductionKernel = "dc.reduction", right_shift = "a >> n", rot90 = "a.T:flip(1)", savetxt = "dc.save_csv(path, a)",
  savez = "dc.save(path, {x = a})", scatter = "dc.plot.points(x, y)",
  shape = "a:shape()", shuffle = "dc.random.permutation(a)", size = "a.size",
  slogdet = "dc.linalg.det(a)", split = "slices, a[{{first, last}}]", subtract = "a - b",
  swapaxes = "a:transpose(…)", T = "a.T", take_along_axis = "a:take(…)", tensordot = "a:dot(b)",
  tobytes = "a:bytes()", tofile = "dc.save_raw(path, a)", tolist = "a:to_table()", trace = "(a * dc.eye(n)):sum()",
  tril = "a * mask, with mask = dc.arange(1, n):reshape(-1, 1):ge(dc.arange(1, n))",
  triu = "a * mask, with mask = dc.arange(1, n):reshape(-1, 1):le(dc.arange(1, n))", true_divide = "a / b",
  vdot = "(dc.conj(a) * b):sum()", vsplit = "slices, a[{{first, last}}]", vstack = "dc.concat{a, b}",
  zeros_like = "dc.zeros_like(a)",
}

-- What does here what a function of NumPy or CuPy does, as a sentence; nil for names that are not known.
function hints.numpy(name)
  return numpy[name] and ("'%s' of NumPy is here: %s"):format(name, numpy[name])
end

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

-- An unknown global: a name of dotcompute without `dc.`, of NumPy, or one mistyped.
local function of_global(name, env)
  if rawget(require "dotcompute", name) ~= nil then return ("did you mean 'dc.%s'?"):format(name) end
  if numpy[name] then return hints.numpy(name) end
  return did_you_mean(name, env, _G)
end

-- A line for the error's message; nil: nothing is known.
function hints.of(message, env)
  local function_name = message:match "dotcompute has no '([%w_]+)'"
  local method = message:match "an array has no field or method '([%w_]+)'"
  local name = function_name or method
  if name and numpy[name] then return hints.numpy(name) end
  local global = message:match "a nil value %(global '([%w_]+)'%)"
  return global and of_global(global, env)
end

return hints
