-- dc.linalg: matrix products, solvers and norms. This file is read when one of its functions is first used.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local arguments = require "dotcompute.arguments"
local algorithm = require "dotcompute.algorithm"
local builder = require "dotcompute.builder"
local interface = require "dotcompute.interface"
core.builtin(debug.getinfo(1, "S").source)

local linalg = { matmul = dc.matmul, dot = dc.dot }

local fail = builder.fail

local function shape_text(a)
  local shape = { a:shape() }
  return ("(%s%s)"):format(table.concat(shape, ", "), #shape == 1 and "," or "")
end

-- The operands as arrays: of a table or a number a new one.
local function operand(name, a) return algorithm.array(name, "the first argument", a) end
local function operands(name, a, b) return operand(name, a), algorithm.array(name, "the second argument", b) end

local function is_complex(a) return a.dtype:find("complex", 1, true) ~= nil end

-- --- products ---------------------------------------------------------------------------------------------------

-- outer(a, b): the products of every element of a with every element of b, an array of a.size by b.size. Those of
-- bools are bool, as in matmul.
function linalg.outer(a, b)
  a, b = operands("outer", a, b)
  local column, row = a:reshape(a.size, 1), b:reshape(1, b.size)
  if a.dtype == "bool" and b.dtype == "bool" then return (column & row):eval() end
  return (column * row):eval()
end

-- --- solvers ----------------------------------------------------------------------------------------------------

-- factor(a) of square matrices, with NaN as the result of matrices that contain a NaN. cuSOLVER's LU takes NaN for a 0
-- and returns numbers (seen with CUDA 13.0), so there these matrices are replaced by identities first. `axes`: the
-- number of the result's axes that belong to one matrix.
local function with_nan(a, factor, axes)
  if a.ndim < 2 or not core.lu_loses_nan(a.device) or core.capturing(a) or not core.has_nan(a) then return factor(a) end
  local rows, columns = select(-2, a:shape())
  if rows ~= columns then return factor(a) end -- an error
  local bad = a:ne(a):any { -2, -1, keep = true }
  local eye = dc.using(a.device, dc.eye, rows, core.solver_dtype(a.dtype))
  local result = factor(dc.where(bad, eye, a))
  local shape = { bad:shape() }
  return dc.where(bad:reshape { table.unpack(shape, 1, #shape - 2 + axes) }, 0 / 0, result):eval()
end

function linalg.solve(a, b)
  a, b = operands("solve", a, b)
  return with_nan(a, function(m) return core.matrix_solve(m, b) end, b.ndim == 1 and 1 or 2)
end

function linalg.inv(a)
  a = operand("inv", a)
  local rows, columns = select(a.ndim > 1 and -2 or 1, a:shape())
  if a.ndim < 2 or rows ~= columns then fail("shape", "inv takes square matrices; this array has shape %s",
    shape_text(a)) end
  local eye = dc.using(a.device, dc.eye, rows, core.solver_dtype(a.dtype))
  return with_nan(a, function(m) return core.matrix_solve(m, eye) end, 2)
end

function linalg.cholesky(a) return core.matrix_cholesky(operand("cholesky", a)) end
function linalg.det(a) return with_nan(operand("det", a), core.matrix_det, 0) end

-- qr(a [, mode]): Q and R; only R with mode "r".
local qr_signature = { "a", "mode", known = { mode = "any" },
  usage = { "a matrix", "perhaps a mode" } }

function linalg.qr(...)
  local o = arguments.read("qr", qr_signature, ...)
  local q, r = core.matrix_qr(operand("qr", o.a), o.mode)
  if q then return q, r end
  return r
end

-- eigh(a): eigenvalues in ascending order, and eigenvectors as columns; only the values with {vectors = false}.
local eigh_signature = { "a", known = { vectors = "boolean" },
  usage = { "a matrix", "perhaps options" } }

function linalg.eigh(...)
  local options = arguments.read("eigh", eigh_signature, ...)
  local w, v = core.matrix_eigh(operand("eigh", options.a), options.vectors ~= false)
  if v then return w, v end
  return w
end

-- svd(a): U, S, Vh; only S with {vectors = false}; square U and Vh with {full = true}.
local svd_signature = { "a", known = { vectors = "boolean", full = "boolean" },
  usage = { "a matrix", "perhaps options" } }

function linalg.svd(...)
  local options = arguments.read("svd", svd_signature, ...)
  local u, s, vh = core.matrix_svd(operand("svd", options.a), options.vectors ~= false, options.full == true)
  if u then return u, s, vh end
  return s
end

-- --- least squares ----------------------------------------------------------------------------------------------

local epsilon = { float32 = 2.0 ^ -23, complex64 = 2.0 ^ -23, float64 = 2.0 ^ -52, complex128 = 2.0 ^ -52 }

-- Conjugate transpose of a matrix.
local function adjoint(a) return is_complex(a) and dc.conj(a.T) or a.T end

local function check_lstsq(a, b, cutoff)
  if a.ndim ~= 2 or b.ndim < 1 or b.ndim > 2 or (b:shape()) ~= (a:shape()) then
    fail("shape", "lstsq of a %s and b %s: a is a matrix, and b a vector or matrix of as many rows", shape_text(a),
      shape_text(b))
  end
  if cutoff ~= nil and not (type(cutoff) == "number" and cutoff >= 0) then
    fail("argument", "lstsq: the cutoff of small singular values is a number from 0 on, got %s", core.describe(cutoff))
  end
end

-- lstsq(a, b [, cutoff]): the x of least norm among those that minimize |a x - b|; the squared residual of each column
-- of b (an empty array when a has not full rank, or not more rows than columns); the rank; and a's singular values.
local lstsq_signature = { "a", "b", "cutoff", required = 2, known = { cutoff = "any" },
  usage = { "a matrix", "a vector or matrix", "perhaps a cutoff" } }

function linalg.lstsq(...)
  local o = arguments.read("lstsq", lstsq_signature, ...)
  local a, b = operands("lstsq", o.a, o.b)
  local cutoff = o.cutoff
  check_lstsq(a, b, cutoff)
  local dtype = core.solver_dtype(core.promote(a.dtype, b.dtype))
  local m, n = a:shape()
  a, b = a:to(dtype), b:to(dtype)
  local right = b.ndim == 1 and b:reshape(m, 1) or b
  local u, s, vh = core.matrix_svd(a, true, false)
  local values, inverse, rank = s:to_table(), {}, 0
  local least = (values[1] or 0) * (cutoff or epsilon[dtype] * math.max(m, n))
  for i, v in ipairs(values) do
    local counts = v > least or v ~= v -- NaN is propagated
    rank = rank + (counts and 1 or 0)
    inverse[i] = counts and 1 / v or 0
  end
  local scale = dc.using(a.device, dc.array, inverse, s.dtype)
  local x = adjoint(vh):matmul(scale:reshape(#values, 1) * adjoint(u):matmul(right))
  local rest
  if rank == n and m > n then
    rest = dc.square(dc.abs(right - a:matmul(x))):sum(1)
  else
    rest = dc.using(a.device, dc.empty, { 0 }, s.dtype)
  end
  if b.ndim == 1 then x = x:reshape(n) end
  return x, rest, rank, s
end

-- --- norms ------------------------------------------------------------------------------------------------------

-- The largest of nonnegative values along the axis; 0 for no values, as in NumPy.
local function largest(a, axis)
  return select(axis, a:shape()) == 0 and a:sum(axis) or a:max(axis)
end

-- (sum of a^ord)^(1/ord) of absolute values along one axis. They are divided by the one that dominates the sum, so that
-- powers and root do not overflow; float32 cannot represent both a very small or large order and its reciprocal.
local function power_norm(a, ord, axis)
  local dtype = a.dtype
  if math.abs(ord) < 1e-37 or math.abs(ord) > 1e37 then a = a:to "float64" end
  local count = select(axis, a:shape())
  local scale = 1
  if count > 0 then
    scale = ord > 0 and a:max { axis, keep = true } or a:min { axis, keep = true }
    scale = dc.where(dc.logical_and(scale:gt(0), dc.isfinite(scale)), scale, 1)
  end
  return (((a / scale) ^ ord):sum { axis, keep = true } ^ (1 / ord) * scale):squeeze(axis):to(dtype)
end

-- The norm of vectors along the axes (of all elements without axes).
local function vector_norm(a, ord, axes)
  if ord == nil or ord == 2 then return a:norm(axes) end
  a = dc.abs(a)
  if ord == 0 then return a:count(axes):to(a.dtype) end
  if ord == 1 then return a:sum(axes) end
  if ord == math.huge then return largest(a, axes and axes[1] or 1) end
  if ord == -math.huge then return a:min(axes) end
  return power_norm(a, ord, axes and axes[1] or 1)
end

-- The norm of matrices, which are the last two axes.
local function matrix_norm(a, ord)
  if ord == nil or ord == "fro" then return a:norm { -2, -1 } end
  if ord == "nuc" or math.abs(ord) == 2 then
    local _, s = core.matrix_svd(a, false, false)
    if ord == "nuc" then return s:sum(-1) end
    return ord > 0 and largest(s, s.ndim) or s:min(-1)
  end
  local sums = dc.abs(a):sum(math.abs(ord) == 1 and -2 or -1)
  return ord > 0 and largest(sums, sums.ndim) or sums:min(-1)
end

-- The axes of a call as a list of positive numbers; nil if there are none.
local function norm_axes(a, axis)
  if axis == nil then return nil end
  local list = {}
  if type(axis) == "table" then arguments.dense("norm", "option 'axis'", axis, true) end
  for i, v in ipairs(type(axis) == "table" and axis or { axis }) do
    list[i] = algorithm.axis("norm", v, a.ndim)
  end
  if #list < 1 or #list > 2 or list[1] == list[2] then
    fail("argument", "norm: one axis is for norms of vectors, two different ones for norms of matrices")
  end
  return list
end

local matrix_orders = { fro = true, nuc = true, [1] = true, [-1] = true, [2] = true, [-2] = true,
  [math.huge] = true, [-math.huge] = true }

local function check_order(ord, matrix)
  if ord == nil then return end
  if matrix and not matrix_orders[ord] then
    fail("argument", "norm: matrices have the orders 1, -1, 2, -2, math.huge, -math.huge, \"fro\" and \"nuc\", not %s",
      core.describe(ord))
  end
  if not matrix and (type(ord) ~= "number" or ord ~= ord) then
    fail("argument", "norm: vectors have an order that is a number, not %s", core.describe(ord))
  end
end

-- The array's shape with the extents of these axes, or of all axes if there are none, replaced by 1.
local function kept_shape(a, axes)
  local shape = { a:shape() }
  for d = 1, axes and #axes or #shape do shape[axes and axes[d] or d] = 1 end
  return shape
end

-- A view with these two axes last.
local function last_two(a, axes)
  local order = {}
  for d = 1, a.ndim do
    if d ~= axes[1] and d ~= axes[2] then order[#order + 1] = d end
  end
  table.move(axes, 1, 2, #order + 1, order)
  return a:transpose(table.unpack(order))
end

local norm_signature = { "a", "ord", "axis", tables = { axis = true }, list = "axis",
  known = { ord = "any", axis = "any", axes = "any", keep = "boolean" },
  usage = { "an array", "perhaps an order, an axis and options" } }

-- norm(a [, ord [, axis]] [, options]): without ord the root of the sum of squares, over all elements or the axes; with
-- ord NumPy's norms of vectors (one axis, or a 1-d array) and of matrices (two axes, or a 2-d array).
function linalg.norm(...)
  local o = arguments.read("norm", norm_signature, ...)
  local a, ord = operand("norm", o.a), o.ord
  local axes = norm_axes(a, o.axis == nil and o.axes or o.axis)
  local matrix = axes and #axes == 2 or (not axes and ord ~= nil and a.ndim == 2)
  check_order(ord, matrix)
  if ord ~= nil and not axes and a.ndim ~= 1 and a.ndim ~= 2 then
    fail("shape", "norm: an order of an array of %d axes needs the axis, or the two, that it is for", a.ndim)
  end
  a = a:to(core.solver_dtype(a.dtype))
  local norm
  if matrix then norm = matrix_norm(axes and last_two(a, axes) or a, ord)
  else norm = vector_norm(a, ord, axes) end
  return o.keep and norm:reshape(kept_shape(a, axes)) or norm
end

return interface.library("dc.linalg", linalg)
