-- Lanes of one warp took one lock at two places of a loop; those that spun at either place yielded only to each other
-- at tier 0, never to the lane that held the lock.
local dc = require "dotcompute"

it("lanes that spin on a lock at two places let its holder proceed", function()
  local k = dc.kernel [[
#define DOOR(v) for (bool done = false; !done;) \
    if (atomicCAS(lock, 0, 1) == 0) { \
      for (int q = 0; q < 2000 && *(volatile int *)sum >= 0; q++) {} \
      *(volatile int *)sum = *(volatile int *)sum + v; \
      __threadfence(); \
      atomicExch(lock, 0); \
      done = true; \
    }
__global__ void doors(int *lock, int *sum, const int *which, int rounds) {
  for (int r = 0; r < rounds; r++) {
    switch (which[(threadIdx.x * 7 + r * 5) % 64]) {
      case 0: DOOR(1) break;
      case 1: if (threadIdx.x % 5 == 1) continue; break;
      case 2: DOOR(1000) break;
      default: if (r & 1) DOOR(1) DOOR(1000) break;
    }
  }
}]]
  local which = {}
  for i = 1, 64 do which[i] = math.random(0, 3) end
  local lock, sum = dc.zeros(1, "int32"), dc.zeros(1, "int32")
  k(2, 64, lock, sum, dc.array(which, "int32"), 9)
  local want = 0
  for thread = 0, 63 do
    for r = 0, 8 do
      local way = which[(thread * 7 + r * 5) % 64 + 1]
      if way == 0 then want = want + 1
      elseif way == 2 then want = want + 1000
      elseif way == 3 then want = want + 1000 + (r % 2 == 1 and 1 or 0) end
    end
  end
  assert.equal(2 * want, sum:item())
end)
