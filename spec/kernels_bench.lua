-- Times kernels of the suite beside their references, which cc compiles for this machine; one thread each when
-- DOTCOMPUTE_CPU_THREADS=1. Medians of alternating runs.
-- Usage: lua5.4 spec/kernels_bench.lua [NAME ...] [TIMES]     default: all kernels, 5 times
local dc = require "dotcompute"
local kernels = require "spec.kernels"

local names, times = {}, 5
for _, word in ipairs(arg) do
  if tonumber(word) then times = tonumber(word) else names[#names + 1] = word end
end
if #names == 0 then names = kernels.names() end

print(("%s, DOTCOMPUTE_CPU_THREADS=%s; the references by cc %s"):format(dc.device(),
  os.getenv "DOTCOMPUTE_CPU_THREADS" or "unset", kernels.bench_flags))
local sum, count, worst = 0, 0, 0
for _, name in ipairs(names) do
  local ok, ours, theirs = pcall(kernels.measure, name, times)
  if ok then
    print(("%-22s %-16s %9.2f ms %9.2f ms  %6.2f"):format(name, kernels.field(name), ours * 1e3, theirs * 1e3,
      ours / theirs))
    sum, count, worst = sum + math.log(ours / theirs), count + 1, math.max(worst, ours / theirs)
  else
    print(("%-22s failed: %s"):format(name, ours))
  end
  io.flush()
end
print(("geometric mean %.2f, worst %.2f, of %d"):format(math.exp(sum / math.max(count, 1)), worst, count))
os.exit(count == #names, true)
