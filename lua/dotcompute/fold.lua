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
local elements = require "dotcompute.elements"
local number_text = require "dotcompute.number_text"
local operators = require "dotcompute.operators"
local segments = require "dotcompute.segments"
local struct = require "dotcompute.struct"
local text = require "dotcompute.fold_text"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail

local LARGEST = 1024 -- bytes of a struct

local function kernel_for(job, what, team)
  local v = { definitions = job.definitions, team = team, initial = job.initial }
  return operators.kernel(job.device, "dc_reduce_" .. what, ("%s %s %s"):format(job.name, team, job.initial),
    job.definitions, text.source, what, v)
end

local function run_serial(job)
  local device, n, null, init = job.device, job.size, dc.null, job.init
  local pieces, length = algorithm.pieces(device, n)
  local chunks, borders = kernel_for(job, "chunks"), kernel_for(job, "borders")
  local ready = algorithm.is_native(borders, null, null, null, null, 0, 0, 1, init)
  if not (algorithm.is_native(chunks, null, null, null, null, null, 0, 0, 1, init) and ready) then return nil end
  local heads, tails = elements.space(device, { pieces }, job.acc), elements.space(device, { pieces }, job.acc)
  chunks(pieces, 1, job.out, heads, tails, job.from, job.offsets or null, job.segments, n, length, init)
  if pieces > 1 then borders(1, 1, job.out, heads, tails, job.offsets or null, job.segments, n, length, init) end
  algorithm.free(nil, heads, tails)
  return true
end

local function run_on_gpu(job)
  local device, n = job.device, job.size
  local many = job.longest > text.PIECE
  local mean = n / job.segments
  local team = mean <= 8 and 1 or mean <= 512 and 32 or text.BLOCK
  local offsets, far = job.offsets or dc.null, dc.null
  if job.segments > 1 or not many then
    far = many and algorithm.zeros(device, n // text.PIECE + 2, "uint64") or dc.null
    kernel_for(job, "segments", team)((job.segments * team + text.BLOCK - 1) // text.BLOCK, text.BLOCK, job.out,
      job.from, offsets, n, job.segments, many and text.PIECE or math.maxinteger, far, job.init)
  end
  if many then
    local parts = elements.space(device, { n // (text.PIECE // 2) + 1 }, job.acc)
    kernel_for(job, "pieces")(math.min(1024, (n + text.PIECE - 1) // text.PIECE), text.BLOCK, parts, job.from,
      offsets, n, far)
    kernel_for(job, "ends")(math.min(1024, n // text.PIECE), text.BLOCK, job.out, parts, offsets, n, far, job.init)
    algorithm.free(nil, parts)
  end
  algorithm.free(nil, far)
end

-- --- calls ------------------------------------------------------------------------------------------------------

-- The type in which is folded, the text of dc_load, and that of the type's header.
local function accumulator(fname, from, o)
  local acc, front, load = from, "", elements.value(from, "v")
  if o.map ~= nil then
    local f = operators.of(fname, "option 'map'", o.map)
    if #f.params ~= 1 and #f.params ~= 2 then
      fail("argument", "%s: option 'map' is a function of an element, or of an element and its number, this one has "
        .. "%d parameters", fname, #f.params)
    end
    front, acc = operators.mapping(f, "dc_map", "a map", from)
    load = "dc_map(v, i)"
  end
  if o.dtype ~= nil then
    local wanted = core.dtype(o.dtype)
    if not wanted then fail("dtype", "%s: '%s' is no dtype", fname, o.dtype) end
    if acc.struct then fail("dtype", "%s: option 'dtype' is of numbers, and %s are folded", fname, acc.struct.name) end
    if (acc.kind == "c" or wanted.kind == "c") and acc.name ~= wanted.name then
      fail("dtype", "%s: option 'dtype' does not convert from or to complex numbers: a:to(dtype) does", fname)
    end
    load, acc = number_text.convert(load, acc, wanted), types.dtype(wanted.name)
  end
  if acc.size > LARGEST then
    fail("dtype", "%s: %s has %d bytes; structs of up to %d can be folded", fname, elements.shown(acc), acc.size,
      LARGEST)
  end
  return acc, front, load
end

-- The initial value for the kernels, or one that is not used.
local function initial(fname, init, acc)
  if init == nil and (acc.struct or acc.kind == "c") then return ("\0"):rep(acc.size) end
  if init == nil then return acc.kind ~= "b" and 0 end
  local v = elements.argument(fname, "the initial value", init, acc)
  if type(v) == "number" and not number_text.holds(acc, v) then
    fail("dtype", "%s: the initial value %s is no %s", fname, v, acc.name)
  end
  return v
end

local function run(fname, a, fn, o, offsets, count, longest)
  local from = elements.type(a)
  local acc, front, load = accumulator(fname, from, o)
  local f = operators.of(fname, "the operator", fn, "two elements")
  local job = { device = a.device, from = elements.memory(a), size = a.size, name = elements.shown(from), acc = acc,
    init = initial(fname, o.init, acc), initial = o.init ~= nil, offsets = offsets, segments = count,
    longest = longest }
  job.definitions = table.concat { elements.header(from), elements.header(acc),
    ("typedef %s dc_index;\ntypedef %s dc_element;\ntypedef %s dc_acc;\n"):format(
      a.size > algorithm.narrow and "long long" or "int", elements.ctype(from), acc.ctype), front,
    operators.fold(f, "dc_fold", fname, acc),
    ("static __device__ __forceinline__ dc_acc dc_load(const dc_element &v, const dc_index i) {\n  return (dc_acc)(%s);"
      .. "\n}\n"):format(load) }
  job.out = elements.space(a.device, { count }, acc)
  if count > 0 and (algorithm.is_gpu(a.device) or not run_serial(job)) then run_on_gpu(job) end
  if not from.struct then algorithm.free(a, job.from) end
  return job.out, acc
end

local known = { init = "any", dtype = "string", map = "any" }
local signatures = {
  reduce = { "a", "fn", "init", required = 2, known = known,
    usage = { "an array", "a function of two elements", "perhaps an initial value and options" } },
  segmented_reduce = { "a", "offsets", "fn", "init", required = 3, known = known,
    usage = { "an array", "offsets", "a function of two elements", "perhaps an initial value and options" } },
}

-- The arguments by name; a struct's value at the end is an initial value, no table of options.
local function read(fname, ...)
  local n = select("#", ...)
  if n > 0 and struct.of_value((select(n, ...))) then
    local list = { ... }
    list[n + 1] = {}
    return arguments.read(fname, signatures[fname], table.unpack(list, 1, n + 1))
  end
  return arguments.read(fname, signatures[fname], ...)
end

local function reduce(...)
  local o = read("reduce", ...)
  local a = elements.array("reduce", "the first argument", o.a)
  if a.size == 0 and o.init == nil then
    fail("shape", "reduce: an array without elements has no result; give an initial value")
  end
  local out, acc = run("reduce", a, o.fn, o, nil, 1, a.size)
  if acc.struct then return elements.wrap(acc, out)[1] end
  return out:reshape {}
end

local function segmented_reduce(...)
  local o = read("segmented_reduce", ...)
  local a = elements.array("segmented_reduce", "the first argument", o.a)
  if a.ndim ~= 1 then
    fail("shape", "segmented_reduce: segments are those of a 1-d array, this one has %d axes", a.ndim)
  end
  local offsets, count, longest, shortest = segments.check("segmented_reduce", o.offsets, a.size, a.device)
  if count > 0 and shortest == 0 and o.init == nil then
    fail("shape", "segmented_reduce: a segment without elements has no result; give an initial value")
  end
  local out, acc = run("segmented_reduce", a, o.fn, o, offsets, count, longest)
  return elements.wrap(acc, out)
end

return { reduce = reduce, segmented_reduce = segmented_reduce }
