-- The compute-bound kernels with two threads against one, in child processes by turns (the number of threads is fixed
-- when a device opens). Beside it what this machine gives plain C: two of its loops at once against two in a row.
-- Child: threads.lua ROW SEED, which prints the median of its runs.
local dc = require "dotcompute"
local kernels = require "kernels"
local native = require "native"
local report = require "report"
local sides = require "sides"

dc.use "cpu"
if arg[2] then
  local row = kernels[tonumber(arg[1])]
  local s = sides.prepare(row, tonumber(arg[2]), true)
  print(("%.9f"):format((report.alternate(math.min(row.rounds, 5), s.ours))))
  os.exit(true, true)
end

local program = arg[-1]
local function child(threads, index, seed)
  local pipe = assert(io.popen(("DOTCOMPUTE_CPU_THREADS=%d '%s' '%s' %d %d"):format(threads, program, arg[0], index,
    seed)))
  local seconds = tonumber(pipe:read "a")
  assert(pipe:close() and seconds, "a child process failed")
  return seconds
end

-- Two loops at once, each with a result of its own, over two in a row: 0.5 where the threads do not disturb each other.
local function machine(row, seed)
  local set = sides.arguments(row, seed)
  local second, addresses = set.result:copy(), {}
  dc.synchronize()
  for i, a in ipairs(set.addresses) do addresses[i] = a == set.result.ptr and second.ptr or a end
  local one, two = report.alternate(3,
    function() return native.run("native", row.loop, set.addresses, set.numbers) end,
    function() return native.run_two("native", row.loop, set.addresses, set.numbers, addresses) end)
  return two / one / 2
end

local seed, rows, of_loop = os.time(), {}, {}
for index, row in ipairs(kernels) do
  if row.compute then
    local one, two = report.alternate(3, function() return child(1, index, seed) end,
      function() return child(2, index, seed) end)
    of_loop[row.loop] = of_loop[row.loop] or machine(row, seed)
    rows[#rows + 1] = { row.name, ("%.1f"):format(one * 1e3), ("%.1f"):format(two * 1e3), ("%.2f"):format(two / one),
      select(2, report.judge(two / one, 0.55)), ("%.2f"):format(of_loop[row.loop]) }
  end
end
report.print(("CPU device (%s), two threads against one, ms, medians of processes by turns; seed %d"):format(
  sides.isa, seed), { "kernel", "1 thread", "2 threads", "ratio", "limit", "C" }, rows)
print "C: two of its loops at once over two in a row; 0.5 when a second processor is whole and free.\n"
