-- Random programs in Lua, as kernels and as plain Lua:
-- `sh tools/with.sh build lua spec/jit/fuzz.lua [N] [SEED] [NUMBER | alone]` runs N programs (1,000) of the seed (the
-- time), or one that was reported: NUMBER; `alone`: each in a kernel of its own, not several in one. It prints each
-- that differs, and exits with status 1 if there was one.
-- DOTCOMPUTE_DEVICE chooses the device; DOTCOMPUTE_CPU_TIER=0 lets the CPU device interpret kernels, since each runs
-- once.
local check = require "spec.jit_check"

local count, seed, only = tonumber(arg[1] or 1000), tonumber(arg[2] or os.time() % 1000000), tonumber(arg[3])
local first = only or seed * 1000000
if only then count = 1 end
print(("%d programs from number %d on (seed %d)"):format(count, first, seed))
local begin, shown = os.time(), os.time()
local reports = check.run(first, count, print, function(done)
  if os.time() - shown < 30 then return end
  shown = os.time()
  print(("%d programs in %d s"):format(done, shown - begin))
  io.stdout:flush()
end, arg[3] == "alone" and 1 or nil)
print(("%d programs in %d s: %d differ"):format(count, os.time() - begin, reports))
os.exit(reports == 0)
