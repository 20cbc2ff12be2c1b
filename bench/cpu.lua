-- The CPU device beside the same loops in plain C and beside an OpenCL device, one thread each, by turns in one run.
-- DOTCOMPUTE_CPU_THREADS=1 is set by `make bench`: kernels then run on the calling thread alone.
-- Arguments: words in the names of the kernels that are wanted; all without any.
local dc = require "dotcompute"
local kernels = require "kernels"
local report = require "report"
local sides = require "sides"

dc.use "cpu"
local peer, why = sides.peer()
local seed = os.time()
local rows, ratios = {}, {}

local function ms(t) return ("%.1f"):format(t * 1e3) end

local function wanted(name)
  for _, word in ipairs(arg) do
    if name:find(word, 1, true) then return true end
  end
  return #arg == 0
end

local function measure(row)
  local s = sides.prepare(row, seed)
  local ours, c, fast, theirs = report.alternate(row.rounds, s.ours, s.c, s.fast, s.peer)
  local limit = type(row.limit) == "function" and row.limit(sides.isa) or row.limit
  local cells = { row.name, ms(ours), ("%d %s"):format(sides.tier(s.kernel), sides.isa), ms(c) }
  cells[5], cells[6] = report.judge(ours / c, limit)
  cells[7], cells[8] = ms(fast), ("%.2f"):format(ours / fast)
  cells[9], cells[10], cells[11] = "none", "-", "-"
  if theirs then
    ratios[#ratios + 1] = ours / theirs
    cells[9] = ms(theirs)
    cells[10], cells[11] = report.judge(ours / theirs, 1.1)
  end
  rows[#rows + 1] = cells
  s.close()
end

for _, row in ipairs(kernels) do
  if wanted(row.name) then measure(row) end
end
if #ratios == #kernels then
  local mean, verdict = report.judge(report.geometric_mean(ratios), 0.25)
  rows[#rows + 1] = { "geometric mean", "", "", "", "", "", "", "", "", mean, verdict }
end

report.print(("CPU device (%s), one thread, ms, medians by turns; seed %d"):format(dc.device().name, seed),
  { "kernel", "ours", "tier", "C", "ours/C", "limit", "C fast", "ours/fast", "PoCL", "ours/PoCL", "limit" }, rows)
print("C: -O3 -march=native (C fast: with -ffast-math), on the same arrays. PoCL: " ..
  (peer or "left out: " .. why) .. ".\n")
