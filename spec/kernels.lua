-- The kernel suite's harness: complete CUDA C kernels, each checked against plain C. A kernel is a file
-- spec/kernels/NAME.lua that returns
--   field      what it is from: "image", "graph" …
--   cuda       the module's source
--   c          void ref(void **p, const double *s): the same result by plain loops; compiled by cc; helpers static
--   options    for dc.module; besides, fmad = false keeps a*b+c apart, so that floats can be equal in every bit
--   unordered  true where the order of atomics shows in the result's last bits
--   case       function(h, size), which describes a run in terms of what follows; size is "small" or "bench"
-- The case only describes: launches run after it, in their order, and again for each measurement.
--   h.pick(size, small, bench)         one of the two
--   h.input(dtype, n [, lo, hi])       an array of n random values in [lo, hi), whole ones for integers;
--                                      without limits [-1, 1) and all bits. float16: a uint16 array of halves
--   h.output(dtype, n)                 n zeros
--   h.data(dtype, values)              an array of the values of a table
--   h.raw(dtype, bytes)                an array of the bytes of a string
--   h.fill(name, arrays, numbers)      makes arrays by a function of `c`, in ref's form, e.g. a random graph
--   h.shared(bytes)                    dynamic shared memory of the next launch
--   h.launch(kernel, grid, block, ...) "scale<float>" too
--   h.host(function)                   runs between the launches: reads and writes arrays, launches at once
--   h.reference(arrays, numbers)       ref gets copies of the arrays as they were before the launches
--   h.expect(array, tolerance, more)   the array is what ref made of it; 0: in every bit (any NaN for any NaN).
--                                      Else relative to the element, or where that is more to the mean magnitude;
--                                      more.absolute replaces the latter, more.share may differ (0 to 1)
-- math.random is seeded for each case.
local dc = require "dotcompute"
local bridge = require "spec.kernels_bridge"
local quote = require "spec.helper".quote

local kernels = {}

local folder = (debug.getinfo(1, "S").source:match "^@(.*)%.lua$" or "spec/kernels") .. "/"

-- The names of all kernels.
function kernels.names()
  local names = {}
  local pipe = assert(io.popen("LC_ALL=C ls " .. quote(folder)))
  for file in pipe:lines() do names[#names + 1] = file:match "^(.*)%.lua$" end
  pipe:close()
  return names
end

local definitions = {}
local function definition(name)
  definitions[name] = definitions[name] or dofile(folder .. name .. ".lua")
  return definitions[name]
end

-- --- references ----------------------------------------------------------------------------------------------------
kernels.check_flags = "-O2 -ffp-contract=off"
kernels.bench_flags = "-O3 -march=native"

local prelude = [[
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void ref(void **p, const double *s);
#line 1 "%s"
]]

local function read(path)
  local f = io.open(path, "rb")
  if not f then return nil end
  local text = f:read "a"
  f:close()
  return text
end

local libraries = {}

-- The library of a kernel's C source, compiled unless that very text has been.
local function library(name, flags)
  local path = ("%s/spec/kernels/%s%s"):format(os.getenv "DOTCOMPUTE_BUILD" or "build", name, flags:gsub("[ =]", ""))
  if libraries[path] then return libraries[path] end
  local compile = (os.getenv "CC" or "cc") .. " -std=gnu11 -shared -fPIC -w " .. flags
  local text = ("// %s\n"):format(compile) .. prelude:format(name) .. definition(name).c
  if read(path .. ".done.c") ~= text then
    os.execute("mkdir -p " .. quote(path:match "^(.*)/"))
    -- Files of this process's own until they are complete: another may compile the same reference.
    local temp = os.tmpname()
    local own = path .. "." .. temp:match "[^/]*$"
    os.remove(temp)
    local f = assert(io.open(own .. ".c", "wb"))
    f:write(text)
    f:close()
    local ok = os.execute(("%s -o %s %s -lm && mv %s %s && mv %s %s"):format(compile, quote(own .. ".so"),
      quote(own .. ".c"), quote(own .. ".so"), quote(path .. ".so"), quote(own .. ".c"), quote(path .. ".done.c")))
    assert(ok, "the reference of " .. name .. " does not compile")
  end
  libraries[path] = bridge.open(path .. ".so")
  return libraries[path]
end

-- --- cases ---------------------------------------------------------------------------------------------------------
local format = {
  int8 = "<i1", int16 = "<i2", int32 = "<i4", int64 = "<i8", uint8 = "<I1", uint16 = "<I2", uint32 = "<I4",
  uint64 = "<I8", float32 = "<f", float64 = "<d",
}

local function pack(dtype, values)
  local pieces, form = {}, format[dtype]
  for i = 1, #values do pieces[i] = string.pack(form, values[i]) end
  return table.concat(pieces)
end

-- On the device; float16 has no arrays, its bits have.
local function upload(dtype, bytes)
  if dtype == "float16" then dtype = "uint16" end
  return dc.from_bytes(bytes, #bytes // string.packsize(format[dtype]), dtype)
end

local compiled = {}
local function module(name)
  if compiled[name] then return compiled[name] end
  local def, options = definition(name), {}
  for key, value in pairs(def.options or {}) do
    if key ~= "fmad" then options[key] = value end
  end
  if def.options and def.options.fmad == false then
    options.flags = table.move(options.flags or {}, 1, #(options.flags or {}), 2, { "--fmad=false" })
  end
  compiled[name] = dc.module(def.cuda, options)
  return compiled[name]
end

local function add_arrays(h, run)
  local function add(dtype, bytes)
    local array = upload(dtype, bytes)
    run.arrays[array] = { array = array, dtype = dtype, bytes = bytes }
    run.count = run.count + 1
    return array
  end
  function h.input(dtype, n, lo, hi)
    if not lo and dtype:match "^float" then lo, hi = -1, 1 end
    return add(dtype, bridge.random(dtype, n, run.seed * 1000003 + run.count, lo, hi))
  end
  function h.output(dtype, n)
    return add(dtype, ("\0"):rep(n * (dtype == "float16" and 2 or string.packsize(format[dtype]))))
  end
  function h.data(dtype, values) return add(dtype, pack(dtype, values)) end
  function h.raw(dtype, bytes) return add(dtype, bytes) end

  function h.fill(name, arrays, numbers)
    local before = {}
    for i, array in ipairs(arrays) do before[i] = run.arrays[array].bytes end
    for i, bytes in ipairs((bridge.call(library(run.name, kernels.check_flags), name, before, numbers or {}))) do
      local known = run.arrays[arrays[i]]
      known.bytes = bytes
      known.array:copy_from(upload(known.dtype, bytes))
    end
  end
end

local function add_launches(h, run)
  local shared
  function h.shared(bytes) shared = bytes end
  function h.launch(kernel, grid, block, ...)
    local k = module(run.name):kernel(kernel)
    if shared then k, shared = k:with { shared = shared }, nil end
    local function launch(...)
      k(grid, block, ...)
      kernels.launches = kernels.launches + 1
      if k.attributes.tier ~= 1 then kernels.interpreted[#kernels.interpreted + 1] = run.name .. ":" .. kernel end
    end
    if run.running then return launch(...) end
    local arguments = table.pack(...)
    run.steps[#run.steps + 1] = function() launch(table.unpack(arguments, 1, arguments.n)) end
  end
  function h.host(fn) run.steps[#run.steps + 1] = fn end
end

local function add_checks(h, run)
  function h.reference(arrays, numbers) run.reference = { arrays = arrays, numbers = numbers or {} } end
  function h.expect(array, tolerance, more)
    local known = assert(run.arrays[array], "h.expect: this array is none of the case's")
    run.expected[#run.expected + 1] = { known = known, tolerance = tolerance or 0, more = more or {} }
  end
end

-- The description of one run: arrays, steps, what is expected.
local function describe(name, size, seed)
  local run = { name = name, seed = seed, arrays = {}, count = 0, steps = {}, expected = {} }
  local h = { pick = function(which, small, bench) return which == "bench" and bench or small end }
  add_arrays(h, run)
  add_launches(h, run)
  add_checks(h, run)
  math.randomseed(seed, #name)
  definition(name).case(h, size)
  assert(#run.expected > 0 and run.reference, name .. ": a case must call h.reference and h.expect")
  return run
end

-- The number of launches, and of those that native code did not run (DOTCOMPUTE_CPU_TIER=1) the names, "case:kernel".
kernels.launches, kernels.interpreted = 0, {}

local function execute(run)
  run.running = true
  for _, step in ipairs(run.steps) do step() end
  run.running = false
  dc.synchronize()
end

-- Why a kernel cannot run on the current device; nil when it can.
function kernels.unsuited(name)
  if definition(name).deep and dc.device().id ~= "cpu" then return "it recurses deeper than a GPU's stack of 1 KiB" end
end

-- Runs ref; the bytes it left, by array, and its time in seconds.
local function refer(run, flags)
  local before, after = {}, {}
  for i, array in ipairs(run.reference.arrays) do before[i] = run.arrays[array].bytes end
  local left, seconds = bridge.call(library(run.name, flags), "ref", before, run.reference.numbers)
  for i, array in ipairs(run.reference.arrays) do after[array] = left[i] end
  return after, seconds
end

-- `loose`: floats may differ by a thousandth, whatever the case says, and one of 10,000 by more: near 0 after a
-- cancellation.
local function compare(run, after, loose)
  for i, e in ipairs(run.expected) do
    local want = assert(after[e.known.array], run.name .. ": expects an array that the reference does not get")
    local got = e.known.array:bytes()
    local tolerance, share = e.tolerance, e.more.share or 0
    if loose and e.known.dtype:match "^float" then
      tolerance, share = math.max(tolerance, 1e-3), math.max(share, 1e-4)
    end
    local differing, first, a, b = bridge.differ(got, want, e.known.dtype, tolerance, e.more.absolute)
    local count = e.known.array.size
    if differing > share * count then
      error(("%s (seed %d): array %d of those expected differs at %d of %d elements, first at [%d]: %s, wanted %s")
        :format(run.name, run.seed, i, differing, count, first, a, b), 0)
    end
  end
end

-- --- what is offered -----------------------------------------------------------------------------------------------

-- Runs a kernel and its reference on random data; an error says where they differ.
function kernels.verify(name, seed, size)
  local run = describe(name, size or "small", seed)
  execute(run)
  compare(run, (refer(run, kernels.check_flags)))
end

-- Runs a kernel; a word for each array it is expected to make, equal wherever the arrays are. One that is unordered
-- is compared with its reference instead, and gives "near".
function kernels.fingerprint(name, seed, size)
  local run = describe(name, size or "small", seed)
  execute(run)
  if definition(name).unordered then
    compare(run, (refer(run, kernels.check_flags)))
    return { "near" }
  end
  local words = {}
  for i, e in ipairs(run.expected) do words[i] = bridge.hash(e.known.array:bytes(), e.known.dtype) end
  return words
end

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end

-- Seconds of the kernel's launches and of its reference (kernels.bench_flags), medians of `times` alternating runs.
-- The arrays are given back their first contents between runs, outside of what is measured.
function kernels.measure(name, times, seed)
  local run = describe(name, "bench", seed or 1)
  local ours, theirs = {}, {}
  for i = 0, times or 5 do -- run 0 warms up
    for array, known in pairs(run.arrays) do array:copy_from(upload(known.dtype, known.bytes)) end
    dc.synchronize()
    local start = bridge.now()
    execute(run)
    ours[i] = bridge.now() - start
    local after
    after, theirs[i] = refer(run, kernels.bench_flags)
    -- Wrong results are quick. These flags may contract a*b+c, so bits may differ.
    if i == 0 then compare(run, after, true) end
  end
  return median(ours), median(theirs)
end

function kernels.field(name) return definition(name).field end

return kernels
