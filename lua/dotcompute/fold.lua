-- reduce and segmented_reduce: an array, or each of its segments, folded by a function of the script.
--
--   segments of up to PIECE elements: a thread, a warp or a block for each, by their mean length
--   longer ones:                      blocks fold pieces of PIECE elements, and a block for each segment folds those
--   on the CPU device:                a thread folds a chunk of the array, segments in several chunks are put together
--
-- The order of folding depends on the lengths alone.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local arguments = require "dotcompute.arguments"
local number_text = require "dotcompute.number_text"
local operators = require "dotcompute.operators"
local segments = require "dotcompute.segments"
local text = require "dotcompute.fold_text"
core.builtin(debug.getinfo(1, "S").source)

local fail, empty = algorithm.fail, algorithm.empty

local function kernel_for(job, what, team)
  local v = { definitions = job.definitions, team = team, init = job.init }
  return operators.kernel(job.device, "dc_reduce_" .. what, ("%s %s %s"):format(job.name, team, job.init),
    job.definitions, text.source, what, v)
end

local function run_serial(job)
  local device, n, null = job.device, job.size, dc.null
  local pieces, length = algorithm.pieces(device, n)
  local chunks, borders = kernel_for(job, "chunks"), kernel_for(job, "borders")
  local ready = algorithm.is_native(borders, null, null, null, null, 0, 0, 1)
  if not (algorithm.is_native(chunks, null, null, null, null, null, 0, 0, 1) and ready) then return nil end
  local heads, tails = empty(device, pieces, job.acc), empty(device, pieces, job.acc)
  chunks(pieces, 1, job.out, heads, tails, job.from, job.offsets, job.segments, n, length)
  if pieces > 1 then borders(1, 1, job.out, heads, tails, job.offsets, job.segments, n, length) end
  algorithm.free(nil, heads, tails)
  return true
end

local function run_on_gpu(job)
  local device, n = job.device, job.size
  local many = job.longest > text.PIECE
  local mean = n / job.segments
  local team = mean <= 8 and 1 or mean <= 512 and 32 or text.BLOCK
  local far = algorithm.zeros(device, many and n // text.PIECE + 2 or 1, "uint64")
  if job.segments == 1 and many then
    far[1] = 1
  else
    kernel_for(job, "segments", team)((job.segments * team + text.BLOCK - 1) // text.BLOCK, text.BLOCK, job.out,
      job.from, job.offsets, job.segments, many and text.PIECE or math.maxinteger, far)
  end
  if many then
    local parts = empty(device, n // (text.PIECE // 2) + 1, job.acc)
    kernel_for(job, "pieces")(math.min(1024, (n + text.PIECE - 1) // text.PIECE), text.BLOCK, parts, job.from,
      job.offsets, far)
    kernel_for(job, "ends")(math.min(1024, n // text.PIECE), text.BLOCK, job.out, parts, job.offsets, far)
    algorithm.free(nil, parts)
  end
  algorithm.free(nil, far)
end

-- --- calls ------------------------------------------------------------------------------------------------------

-- The definitions of the kernels' text for elements of dtype `from`, folded as `acc`.
local function definitions(fname, fn, from, acc, init, wide)
  local f = operators.of(fname, "the operator", fn, "two elements")
  local load = number_text.convert(operators.value(from, "v"), from, acc)
  return table.concat { operators.header(from), operators.header(acc),
    ("typedef %s dc_index;\ntypedef %s dc_element;\ntypedef %s dc_acc;\n"):format(wide and "long long" or "int",
      operators.element(from), acc.ctype), operators.fold(f, "dc_fold", fname, acc),
    ("static __device__ __forceinline__ dc_acc dc_load(const dc_element &v) { return (dc_acc)(%s); }\n"):format(load),
    ("static __device__ __forceinline__ dc_acc dc_finish(const dc_acc &v) { return %s; }\n"):format(
      init and ("dc_fold(%s, v)"):format(init) or "v") }
end

-- The text of the initial value.
local function init_text(fname, init, acc)
  if init == nil then return nil end
  local t = type(init)
  if t ~= "number" and t ~= "boolean" or (t == "boolean") ~= (acc.kind == "b") then
    fail("argument", "%s: the initial value is a %s, got %s", fname, acc.kind == "b" and "boolean" or "number",
      core.describe(init))
  end
  if not number_text.holds(acc, init) then
    fail("dtype", "%s: the initial value %s is no %s", fname, init, acc.name)
  end
  return number_text.literal(init, acc)
end

local function run(fname, a, fn, o, offsets, count, longest)
  local from = algorithm.flat(a)
  local dtype = algorithm.dtype(a)
  local acc = core.dtype(o.dtype or a.dtype)
  if not acc then fail("dtype", "%s: '%s' is no dtype", fname, tostring(o.dtype)) end
  algorithm.refuse_complex(fname, a, "cannot be folded by a function yet")
  if acc.kind == "c" then
    fail("dtype", "%s: option 'dtype' is %s; complex numbers are not possible", fname, acc.name)
  end
  local init = init_text(fname, o.init, acc)
  local job = { device = a.device, from = from, size = a.size, name = dtype.name .. acc.name, acc = acc.name,
    init = init, offsets = offsets, segments = count, longest = longest }
  job.definitions = definitions(fname, fn, dtype, acc, init, a.size > algorithm.narrow)
  job.out = empty(a.device, count, acc.name)
  if count > 0 and (algorithm.is_gpu(a.device) or not run_serial(job)) then run_on_gpu(job) end
  algorithm.free(a, from)
  return job.out
end

local known = { init = "any", dtype = "string" }
local signatures = {
  reduce = { "a", "fn", "init", required = 2, known = known,
    usage = "an array, a function of two elements, then perhaps an initial value, then options" },
  segmented_reduce = { "a", "offsets", "fn", "init", required = 3, known = known,
    usage = "an array, offsets, a function of two elements, then perhaps an initial value, then options" },
}

local function reduce(...)
  local o = arguments.read("reduce", signatures.reduce, ...)
  local a = algorithm.array("reduce", "the first argument", o.a)
  if a.size == 0 and o.init == nil then
    fail("shape", "reduce: an array without elements has no result; give an initial value")
  end
  local offsets = algorithm.on(a.device, dc.array, { 1, a.size + 1 }, "int64")
  return run("reduce", a, o.fn, o, offsets, 1, a.size):reshape {}
end

local function segmented_reduce(...)
  local o = arguments.read("segmented_reduce", signatures.segmented_reduce, ...)
  local a = algorithm.array("segmented_reduce", "the first argument", o.a)
  if a.ndim ~= 1 then
    fail("shape", "segmented_reduce: segments are those of a 1-d array, this one has %d axes", a.ndim)
  end
  local offsets, count, longest, shortest = segments.check("segmented_reduce", o.offsets, a.size, a.device)
  if count > 0 and shortest == 0 and o.init == nil then
    fail("shape", "segmented_reduce: a segment without elements has no result; give an initial value")
  end
  return run("segmented_reduce", a, o.fn, o, offsets, count, longest)
end

return { reduce = reduce, segmented_reduce = segmented_reduce }
