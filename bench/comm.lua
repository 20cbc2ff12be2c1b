-- all_reduce in place beside a C program that calls NCCL (bench/nccl.c), on the first two GPUs: processes of either by
-- turns, their loops together. One process for both GPUs, and a rank each. Needs two GPUs and NCCL; ranks MPI.
-- (`comm.lua BYTES TIMES LOOPS [ranks]` is our side's process.)
local dc = require "dotcompute"
local GPUS <const> = 2

local gpus = {}
for _, device in ipairs(dc.devices()) do if device.backend == "cuda" then gpus[#gpus + 1] = device end end

-- --- our side -----------------------------------------------------------------------------------------------------

-- Prints microseconds a call for each loop, after one that does not count, as bench/nccl.c does.
local function measure(bytes, times, loops, ranks)
  local devices, data, comm = {}
  if ranks then
    comm, devices[1] = dc.world(), dc.device()
    data = dc.zeros(bytes // 4):eval()
  else
    table.move(gpus, 1, GPUS, 1, devices)
    data = {}
    for k, device in ipairs(devices) do data[k] = dc.using(device, dc.zeros, bytes // 4):eval() end
    comm = dc.comm(devices)
  end
  local function wait() for _, device in ipairs(devices) do device:synchronize() end end
  local options <const> = { out = data }
  for loop = 0, loops do
    wait()
    local t = dc.clock()
    for _ = 1, times do comm:all_reduce(data, options) end
    wait()
    t = (dc.clock() - t) / times
    if loop > 0 and comm.rank ~= 1 then print(("%.3f"):format(t * 1e6)) end
  end
end

if arg[1] then
  return measure(math.tointeger(arg[1]), math.tointeger(arg[2]), math.tointeger(arg[3]), arg[4] == "ranks")
end

-- --- the table ----------------------------------------------------------------------------------------------------

local report = require "report"
local core = require "dotcompute.core"

if not report.use_gpu "communication" then return end
if #gpus < GPUS then
  print(("communication rows left out: %d GPUs are needed"):format(GPUS))
  return
end
local facts = core.comm_library(dc.device())
if facts.why_not then
  print("communication rows left out: " .. facts.why_not)
  return
end

-- The lowest value, the first quartile and the median.
local function quartiles(values)
  table.sort(values)
  return values[1], values[(#values + 3) // 4], report.median(values)
end

-- The figures that a command prints, appended to the list.
local function run(command, list)
  local pipe <close> = assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = assert(tonumber(line), line) end
end

local build <const> = os.getenv "DOTCOMPUTE_BUILD"
local dclua <const> = ("'%s/dclua'"):format(build)

-- Loops of both sides by turns: ours, those of C.
local function compare(processes, bytes, times, loops, ranks)
  local ours, others = {}, {}
  local size <const> = ("%d %d %d"):format(bytes, times, loops)
  for _ = 1, processes do
    run(("%s %s bench/comm.lua %s %s"):format(dclua, ranks and "-n " .. GPUS or "", size, ranks or ""), ours)
    run(("'%s/bench/nccl' '%s' %s %d %s"):format(build, facts.path or "libnccl.so.2", size, GPUS, ranks or ""), others)
  end
  assert(#ours == #others and #ours > 0, "a process did not print its figures")
  return ours, others
end

local rows = {}
for _, ranks in ipairs { false, "ranks" } do
  local name = ranks and "a rank a GPU" or "one process"
  local ours, others = compare(6, 1024, 200, 24, ranks)
  local o, c = table.pack(quartiles(ours)), table.pack(quartiles(others))
  for k, what in ipairs { "the least", "first quartile", "median" } do
    local difference = o[k] - c[k]
    rows[#rows + 1] = { ("1 KB, %s, %s"):format(name, what), ("%.2f µs"):format(o[k]), ("%.2f µs"):format(c[k]),
      ("%+.2f µs"):format(difference), difference <= 1 and "met +1" or "MISSED +1" }
  end
  local bytes <const> = 256 << 20
  ours, others = compare(3, bytes, 200, 7, ranks)
  local function bus(values) return 2 * (GPUS - 1) / GPUS * bytes / (quartiles(values) * 1e-6) / 1e9 end
  local a, b = bus(ours), bus(others)
  rows[#rows + 1] = { ("256 MB, %s, the least"):format(name), ("%.1f GB/s"):format(a), ("%.1f GB/s"):format(b),
    ("%.3f"):format(a / b), a / b >= 0.98 and "met 0.98" or "MISSED 0.98" }
end
report.print(("all_reduce in place on %d of %s, bus bandwidth as nccl-tests counts it"):format(GPUS, dc.device().name),
  { "all_reduce", "ours", "NCCL in C", "difference", "limit" }, rows)
