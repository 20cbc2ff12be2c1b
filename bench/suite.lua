-- Kernels of the suite (spec/kernels) beside their references in plain C, which have one thread, by turns. Which ones:
-- the names on the command line, else the lines of bench/ten.txt; with DOTCOMPUTE_CPU_THREADS threads.
local dc = require "dotcompute"
local report = require "report"
local sides = require "sides"

local names = table.move(arg, 1, #arg, 1, {})
if #names == 0 then
  local file = io.open((arg[0]:match "^(.*/)" or "") .. "ten.txt")
  for line in file and file:lines() or function() end do names[#names + 1] = line:match "^%s*([%w_]+)" end
  if file then file:close() end
end
if #names == 0 then
  print "The suite's kernels left out: none is named, here or in bench/ten.txt.\n"
  return
end

dc.use "cpu"
local kernels = require "spec.kernels"
local seed, rows, ratios, worst = os.time(), {}, {}, 0
for _, name in ipairs(names) do
  local ours, c = kernels.measure(name, 5, seed)
  ratios[#ratios + 1], worst = ours / c, math.max(worst, ours / c)
  rows[#rows + 1] = { name, kernels.field(name), ("%.1f"):format(ours * 1e3), ("%.1f"):format(c * 1e3),
    ("%.2f"):format(ours / c) }
end
rows[#rows + 1] = { "worst", "", "", "", ("%.2f"):format(worst) }
rows[#rows + 1] = { "geometric mean", "", "", "", ("%.2f"):format(report.geometric_mean(ratios)) }
local threads = os.getenv "DOTCOMPUTE_CPU_THREADS"
report.print(("The suite's kernels (%s), threads: %s, ms, medians of 5 by turns; seed %d"):format(sides.isa,
  threads or "all", seed),
  { "kernel", "field", "ours", "C", "ours/C" }, rows)
print("C: " .. kernels.bench_flags .. ".\n")
