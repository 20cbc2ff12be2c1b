-- all_reduce in place beside C that calls NCCL (bench/nccl.c), on the first two GPUs: one process for both GPUs, and a
-- rank each. Of small arrays both as a method, whose arguments are read in each call, and as a prepared operation,
-- whose arguments are known, as in C. Both sides in the same processes by turns: a process of either kind may be slower
-- than another by several microseconds a call. A turn is several loops of one side, of which the first, after the other
-- side's, does not count. Needs two GPUs and NCCL; ranks MPI.
-- (`comm.lua BYTES TIMES TURNS LOOPS one|ranks method|prepared` measures in one process or rank.)
local dc = require "dotcompute"
local core = require "dotcompute.core"
local GPUS <const> = 2

local gpus = {}
for _, device in ipairs(dc.devices()) do if device.backend == "cuda" then gpus[#gpus + 1] = device end end
local library <const> = #gpus > 0 and core.comm_library(gpus[1]) or {}

-- --- a process ----------------------------------------------------------------------------------------------------

-- The communicator, what it reduces, and its devices; C has opened the same.
local function open(nccl, bytes, ranks)
  nccl.load(library.path)
  if ranks then
    local comm <const>, device <const> = dc.world(), dc.device()
    local id = dc.zeros(128, "uint8")
    if comm.rank == 0 then id = dc.array({ nccl.new_id():byte(1, -1) }, "uint8") end
    id = string.char(table.unpack(comm:broadcast(id, 0):to_table()))
    nccl.open_rank(bytes, math.tointeger(device.id:match "%d+$"), comm.size, comm.rank, id)
    return comm, dc.zeros(bytes // 4):eval(), { device }
  end
  nccl.open_all(bytes, GPUS)
  local data, devices = {}, table.move(gpus, 1, GPUS, 1, {})
  for k, device in ipairs(devices) do data[k] = dc.using(device, dc.zeros, bytes // 4):eval() end
  return dc.comm(devices), data, devices
end

-- Prints microseconds a call of ours and of C for each pair of loops.
local function measure(bytes, times, turns, loops, ranks, prepared)
  local nccl = require "nccl"
  local comm, data, devices = open(nccl, bytes, ranks)
  local options <const> = { out = data }
  local step <const> = comm:prepare("all_reduce", data, options)
  local function wait() for _, device in ipairs(devices) do device:synchronize() end end
  local function calls() for _ = 1, times do comm:all_reduce(data, options) end end
  local function steps() for _ = 1, times do step() end end
  local run <const> = prepared and steps or calls
  local function ours()
    wait()
    local t = dc.clock()
    run()
    wait()
    return dc.clock() - t
  end
  local function others() return nccl.run(bytes, times) end
  local function turn(side)
    local list = {}
    side()
    for loop = 1, loops do list[loop] = side() / times * 1e6 end
    return list
  end
  for _ = 1, turns do
    local a <const>, b <const> = turn(ours), turn(others)
    for loop = 1, comm.rank == 1 and 0 or loops do print(("%.3f %.3f"):format(a[loop], b[loop])) end
  end
end

if arg[1] then
  local function number(k) return math.tointeger(tonumber(arg[k])) end
  return measure(number(1), number(2), number(3), number(4), arg[5] == "ranks", arg[6] == "prepared")
end

-- --- the table ----------------------------------------------------------------------------------------------------

local report = require "report"

if not report.use_gpu "communication" then return end
if #gpus < GPUS then
  print(("communication rows left out: %d GPUs are needed"):format(GPUS))
  return
end
if library.why_not then
  print("communication rows left out: " .. library.why_not)
  return
end

local dclua <const> = ("'%s/dclua'"):format(os.getenv "DOTCOMPUTE_BUILD")

-- Runs the processes: lists of our times, of C's, and each process's median difference.
local function run(processes, bytes, times, turns, loops, ranks, way)
  local ours, others, differences = {}, {}, {}
  local command <const> = ("%s %s bench/comm.lua %d %d %d %d %s %s"):format(dclua, ranks and "-n " .. GPUS or "",
    bytes, times, turns, loops, ranks and "ranks" or "one", way)
  for _ = 1, processes do
    local own = {}
    local pipe <close> = assert(io.popen(command))
    for line in pipe:lines() do
      local a, b = line:match "^(%S+) (%S+)$"
      a, b = assert(tonumber(a), line), assert(tonumber(b), line)
      ours[#ours + 1], others[#others + 1], own[#own + 1] = a, b, a - b
    end
    assert(#own == turns * loops, "a process did not print its figures")
    differences[#differences + 1] = report.median(own)
  end
  table.sort(differences)
  return ours, others, differences
end

local rows = {}
for _, ranks in ipairs { false, true } do
  local name <const> = ranks and "a rank a GPU" or "one process"
  for _, way in ipairs { "method", "prepared" } do
    local ours, others, differences = run(12, 1024, 200, 8, 5, ranks, way)
    local difference <const> = report.median(differences)
    rows[#rows + 1] = { ("1 KB, %s, %s"):format(name, way), ("%.2f µs"):format(report.median(ours)),
      ("%.2f µs"):format(report.median(others)), ("%+.2f µs"):format(difference),
      ("%+.2f to %+.2f"):format(differences[1], differences[#differences]),
      difference <= 1 and "met +1" or "MISSED +1" }
  end
  local bytes <const> = 256 << 20
  local ours, others = run(2, bytes, 200, 2, 2, ranks, "method")
  local function bus(values)
    return 2 * (GPUS - 1) / GPUS * bytes / (math.min(table.unpack(values)) * 1e-6) / 1e9
  end
  local a, b = bus(ours), bus(others)
  rows[#rows + 1] = { "256 MB, " .. name, ("%.1f GB/s"):format(a), ("%.1f GB/s"):format(b), ("%.3f"):format(a / b), "",
    a / b >= 0.98 and "met 0.98" or "MISSED 0.98" }
end
local title <const> = "all_reduce in place on %d of %s: medians, differences by process; bandwidths as nccl-tests' bus"
report.print(title:format(GPUS, dc.device().name),
  { "all_reduce", "ours", "NCCL in C", "difference", "by process", "limit" }, rows)
