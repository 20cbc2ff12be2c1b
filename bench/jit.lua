-- Kernels in Lua (dc.jit) beside the same algorithms in CUDA C (dc.kernel), by turns in one run on the current device:
-- the pairs of examples/jit, launches, first calls; with NUMBA set, beside Numba's kernels (jit_numba.py).
-- Arguments: words in the names of the pairs that are wanted, "launch", "first"; all without any.
local dc = require "dotcompute"
local report = require "report"

local NAMES <const> = { "saxpy", "matmul", "stencil", "reduction", "histogram", "mandelbrot", "pi", "nbody",
  "bitonic_sort", "prefix_sum" }
local FOLDER <const> = arg[0]:match "^(.*)bench/" or ""

if dc.available "cuda" and os.getenv "DOTCOMPUTE_DEVICE" ~= "cpu" then dc.use "cuda:0" end
local device = dc.device()
local gpu = not device.blocking

local function wanted(name)
  for _, word in ipairs(arg) do
    if name:find(word, 1, true) then return true end
  end
  return #arg == 0
end

-- Seconds of fn(): by events on a GPU; on the CPU device the process's own time, which others on the machine do not
-- change.
local seconds
if gpu then
  local start, stop = dc.event(), dc.event()
  function seconds(fn)
    start:record()
    fn()
    stop:record()
    stop:synchronize()
    return start:elapsed(stop)
  end
else
  function seconds(fn)
    local t = os.clock()
    fn()
    return os.clock() - t
  end
end

local function ms(t) return ("%.3f"):format(t * 1e3) end
local function judge(ratio, low, high)
  local verdict = ratio > high and "MISSED" or ratio < low and "faster" or "met"
  return ("%s %g–%g"):format(verdict, low, high)
end

-- --- the ten kernels ----------------------------------------------------------------------------------------------

-- What the array has when `run` begins with a fresh one.
local function result_of(case, run)
  case.reset()
  run()
  return case.result:copy()
end

-- Numba's seconds by the pair's name, in the same sizes; empty without NUMBA.
local function numba_times()
  local times = {}
  if (os.getenv "NUMBA" or "") == "" or not gpu then return times end
  local pipe <close> = assert(io.popen(("%s %sbench/jit_numba.py"):format(os.getenv "PYTHON" or "python3", FOLDER)))
  for line in pipe:lines() do
    local name, t = line:match "^(%S+) ([%d.e+-]+)$"
    if name then times[name] = tonumber(t) else print("Numba: " .. line) end
  end
  return times
end

local function measure_pairs(numba)
  local header = { "kernel", "Lua", "CUDA C", "ratio", "limit", "results" }
  if next(numba) then table.move({ "Numba", "Lua/Numba", "limit" }, 1, 3, #header + 1, header) end
  local row
  for _, name in ipairs(NAMES) do
    local pair = dofile(("%sexamples/jit/%s.lua"):format(FOLDER, name))
    if wanted(name) or wanted(pair.name) then
      local case <const> = pair.prepare(gpu and pair.gpu or pair.cpu)
      local own, c = result_of(case, case.lua), result_of(case, case.cuda)
      local equal = dc.equal(own, c) and "equal" or dc.allclose(own, c, 1e-5, 1e-6) and "near" or "DIFFERENT"
      local function side(run)
        return function()
          case.reset()
          return seconds(run)
        end
      end
      local t, u, more = table.unpack(report.compare(gpu and 31 or 15, { { side(case.lua), side(case.cuda) } })[1])
      local ratio = 1 + more / u -- by the rounds' differences
      local cells = { pair.name, ms(t), ms(u), ("%.3f"):format(ratio), judge(ratio, 0.98, 1.02), equal }
      if numba[name] then
        table.move({ ms(numba[name]), ("%.2f"):format(t / numba[name]), t <= numba[name] and "met 1" or "MISSED 1" },
          1, 3, #cells + 1, cells)
      end
      row = row or report.stream(("Kernels on %s, ms, medians by turns"):format(device.name), header, 20, 9)
      row(cells)
      case.result:close()
    end
  end
  if row then print() end
end

-- --- launches -----------------------------------------------------------------------------------------------------

local TIMES <const> = gpu and 500 or 2000 -- fewer than a queue of the driver holds
local INSTANCES <const> = 9 -- pairs of kernels a row

-- fn(): a launch; gives the seconds that the host takes to issue one.
local function issue(fn)
  return function()
    dc.synchronize()
    local clock = gpu and dc.clock or os.clock
    local t = clock()
    for _ = 1, TIMES do fn() end
    t = clock() - t
    dc.synchronize()
    return t / TIMES
  end
end

-- A kernel in Lua and one in CUDA C with that many arrays, numbers, and captured numbers (arguments in CUDA C): loops
-- that launch each. `twice`: two kernels in CUDA C, whose difference is the measurement's error. `serial` makes their
-- texts unlike those of other pairs.
local function launches(arrays, numbers, captured, serial, twice)
  local params, values, ctypes, sum, constants = {}, {}, {}, { "0" }, {}
  for k = 1, arrays do
    params[k], values[k], ctypes[k] = "a" .. k, dc.zeros(16):eval(), "float *a" .. k
    sum[#sum + 1] = ("a%d[1]"):format(k)
  end
  for k = 1, numbers do
    table.insert(params, "n" .. k)
    table.insert(values, k)
    table.insert(ctypes, "int n" .. k)
    sum[#sum + 1] = "n" .. k
  end
  local locals, cvalues = {}, table.move(values, 1, #values, 1, {})
  for k = 1, captured do
    locals[k], constants[k] = "c" .. k, k
    table.insert(ctypes, "int c" .. k)
    table.insert(cvalues, k)
    sum[#sum + 1] = "c" .. k
  end
  local text = ("%s\nreturn dc.jit(function(%s) if dc.block_index() > %d then local _ = %s end end)"):format(
    #locals > 0 and ("local %s = ..."):format(table.concat(locals, ", ")) or "", table.concat(params, ", "), serial,
    table.concat(sum, " + "))
  local own = assert(load(text, nil, "t", { dc = dc }))(table.unpack(constants))
  local function in_cuda(number)
    return dc.kernel(("__global__ void k(%s) {} // %d of %d"):format(table.concat(ctypes, ", "), number, serial))
  end
  local block <const> = gpu and 32 or 1
  local function loop(k, list)
    local names = {}
    for i = 1, #list do names[i] = "v" .. i end
    local words = #names > 0 and ", " .. table.concat(names, ", ") or ""
    local source = ("local k, block%s = ...\nreturn function() k(1, block%s) end"):format(words, words)
    return issue(assert(load(source))(k, block, table.unpack(list)))
  end
  return loop(twice and in_cuda(2) or own, values), loop(in_cuda(1), cvalues)
end

-- A launch takes some 0.1 µs more or less by where in memory its kernel's objects lie: a row is the median of several
-- pairs of kernels. It also depends on the number of bytes of the parameters, not monotonically (44 bytes take 0.2 µs
-- less than 40, 12 bytes 0.05 less than 8), and dc.jit adds an array's extents; so captured numbers are measured
-- without arrays, where both kernels have the same parameters.
local function measure_launches(numba)
  local sets, pairs = { { "no argument", 0, 0, 0 }, { "1 argument", 1, 0, 0 }, { "4 arguments", 2, 2, 0 },
    { "16 arguments", 8, 8, 0 }, { "1 captured number", 0, 0, 1 }, { "4 captured numbers", 0, 0, 4 },
    { "8 captured numbers", 0, 0, 8 }, { "4 arguments, CUDA C twice", 2, 2, 0, true } }, {}
  for serial = 1, INSTANCES do
    for _, set in ipairs(sets) do pairs[#pairs + 1] = { launches(set[2], set[3], set[4], serial, set[5]) } end
  end
  local results, rows = report.compare(21, pairs), {}
  for k, set in ipairs(sets) do
    local name, captured, result = set[1], set[4], {}
    for column = 1, 3 do
      local values = {}
      for serial = 1, INSTANCES do values[serial] = results[(serial - 1) * #sets + k][column] end
      result[column] = report.median(values)
    end
    local limit = 0.05e-6 * captured
    local verdict = ("%s %.2f"):format(result[3] <= limit + 0.01e-6 and "met" or "MISSED", limit * 1e6)
    rows[#rows + 1] = { name, ("%.3f"):format(result[1] * 1e6), ("%.3f"):format(result[2] * 1e6),
      ("%+.3f"):format(result[3] * 1e6), set[5] and "" or verdict }
    if numba.launch and name == "4 arguments" then
      local ratio = result[1] / numba.launch
      table.move({ ("%.2f"):format(numba.launch * 1e6), ("%.2f"):format(ratio),
        ratio <= 0.2 and "met 0.2" or "MISSED 0.2" }, 1, 3, 6, rows[#rows])
    end
  end
  local header = { "launch", "Lua", "CUDA C", "difference", "limit" }
  if numba.launch then table.move({ "Numba", "Lua/Numba", "limit" }, 1, 3, 6, header) end
  local title <const> = "Launches on %s, µs of the host, medians by turns of %d pairs of kernels"
  report.print(title:format(device.name, INSTANCES), header, rows)
end

-- --- first calls --------------------------------------------------------------------------------------------------

-- What jit_first.lua prints in a new process, whose cache is the folder.
local function first_calls(folder)
  local command <const> = "DOTCOMPUTE_CACHE='%s' DOTCOMPUTE_CPU_TIER=0 '%s' --device %s '%sbench/jit_first.lua' "
    .. "'%sexamples/jit'"
  local pipe <close> = assert(io.popen(command:format(folder, arg[-1], gpu and "cuda:0" or "cpu", FOLDER, FOLDER)))
  return { pipe:read("n", "n", "n", "n", "n") }
end

local function measure_first_calls()
  local folder = os.tmpname()
  os.remove(folder)
  local cold, warm = {}, {} -- lists of what a process prints
  for r = 1, 15 do
    local own = ("%s.%d"):format(folder, r)
    cold[r], warm[r] = first_calls(own), first_calls(own)
    os.execute(("rm -r '%s'"):format(own))
  end
  local function least(list, k)
    local value = math.huge
    for _, times in ipairs(list) do value = math.min(value, times[k]) end
    return value
  end
  local rows = {}
  local function add(kernel, name, list, k, limit)
    local t, part = least(list, k), least(list, k + 1)
    local function verdict(value, most) return ("%s %g"):format(value <= most and "met" or "MISSED", most) end
    rows[#rows + 1] = { kernel .. ", " .. name, ("%.2f"):format(t), verdict(t, limit), ("%.2f"):format(part),
      verdict(part, 2) }
  end
  for k, kernel in ipairs { "saxpy", "matmul" } do
    add(kernel, "not in the cache", cold, 2 * k, 40)
    add(kernel, "from the cache on disk", warm, 2 * k, 2)
  end
  report.print(("First call of a new signature on %s, least ms in new processes"):format(device.name),
    { "kernel", "all", "limit", "dc.jit alone", "limit" }, rows)
  print(("Loading dc.jit's files: %.2f ms"):format(least(warm, 1)))
end

local numba = numba_times()
measure_pairs(numba)
if wanted "launch" then measure_launches(numba) end
if wanted "first" then measure_first_calls() end
