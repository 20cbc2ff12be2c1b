-- A warp polls a flag that another warp of its block sets, with a limit on the number of polls. Native code took such a
-- loop for one that ends by itself: it ran to its limit before the warp that sets the flag ran.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local loops = {
  "for (i = 0; i < n; i++) if (flag[0]) { got = 1; break; }",
  "for (i = 0; i < n && !flag[0]; i++); got = i < n;",
  "for (i = 0; i < n; i++) if (atomicAdd((int *)flag, 0)) { got = 1; break; }",
  "for (i = 0; i < n; i++) if (atomicCAS((int *)flag, 7, 7) == 7) { got = 1; break; }",
  "for (i = n; i-- > 0;) { got = flag[0] != 0; if (got) break; __threadfence(); }",
  "while (flag[0] == 0) { if (i == n) break; i = (i + 1) & 255; } got = 1;",
}
for l, loop in ipairs(loops) do
  for _, sets in ipairs { "threadIdx.x < 32", "threadIdx.x >= 32" } do
    local kernel = dc.kernel(([[
__global__ void k(volatile int *flag, int *to, int n) {
  if (%s) { flag[0] = 7; return; }
  int i = 0, got = 0;
  %s
  to[threadIdx.x & 31] = got;
}]]):format(sets, loop))
    local flag, to = dc.zeros(1, "int32"), dc.zeros(32, "int32")
    kernel(1, 64, flag, to, 20000000)
    for t = 1, 32 do assert(to[t] == 1, ("loop %d was at its limit"):format(l)) end
  end
end
]==]

describe("a loop that polls with a limit", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("lets other warps run, with " .. how, function() helper.passes_on_cpu(how .. " timeout 60", script) end)
  end
end)
