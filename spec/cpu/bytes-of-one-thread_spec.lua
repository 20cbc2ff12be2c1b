-- Behind a branch for one thread of a row (`if (threadIdx.x == 6)`) a byte that it loads by an index of its own or by
-- its number is that thread's.  Native code loaded the first thread's, or the array's first, or was none that compiles.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void k(const unsigned char *bytes, const int *at, int *to, int which) {
  const int t = threadIdx.x;
  const unsigned i = at[t];
  int v = 0;
  for (int n = 0; n < (t & 3) + 2; n++) {
    if (t == which) {
      const unsigned char *p = bytes + i + n;
      v += bytes[i] + bytes[t + 3] * 1000 + (p[1] ^ p[2]) * 1000000;
    }
  }
  to[t] = v;
}]]
local threads, bytes, at = 72, {}, {}
for i = 1, 256 do bytes[i] = i * 37 % 251 end
for t = 1, threads do at[t] = t * 89 % 200 end
for _, which in ipairs { 0, 6, 31, 40, 71 } do
  local to = dc.zeros(threads, "int32")
  k(1, threads, dc.array(bytes, "uint8"), dc.array(at, "int32"), to, which)
  assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
  local i = at[which + 1]
  local want = 0
  for n = 0, (which & 3) + 1 do
    want = want + bytes[i + 1] + bytes[which + 4] * 1000 + (bytes[i + n + 2] ~ bytes[i + n + 3]) * 1000000
  end
  for t = 0, threads - 1 do assert(to[t + 1] == (t == which and want or 0), which) end
end
]==]

describe("bytes of one thread", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("are its own, with " .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
