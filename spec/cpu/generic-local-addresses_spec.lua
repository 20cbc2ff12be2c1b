-- A thread's local array reached by generic addresses (NVRTC makes them where it knows the block's size) was accessed
-- through the interpreter; now it has emitted code, which must translate each lane's window in both directions.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__device__ __noinline__ int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
extern "C" __global__ void __launch_bounds__(96) use(int n, const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int own[9], other[3] = { i, i + 1, i + 2 };
  for (int j = 0; j < 9; j++) own[j] = in[i] * j + i;
  int *p = in[i] & 1 ? own : other;
  p[in[i] % 3] += 1000;
  unsigned long long back;
  asm("cvta.to.local.u64 %0, %1;" : "=l"(back) : "l"((unsigned long long)(own + 4)));
  int direct;
  asm volatile("ld.local.s32 %0, [%1];" : "=r"(direct) : "l"(back) : "memory");
  out[i] = sum(own, 9) * 3 + sum(other, 3) + direct + p[in[i] % 3];
}]]
local n = 1000
local input = {}
for i = 1, n do input[i] = (i * 7919 + tonumber(arg[1])) % 50 end
local out = dc.zeros(n, "int32")
k((n + 95) // 96, 96, n, dc.array(input, "int32"), out)
for i, v in ipairs(out:to_table()) do
  local own, other = {}, { i - 1, i, i + 1 }
  for j = 0, 8 do own[j + 1] = input[i] * j + i - 1 end
  local p = input[i] % 2 == 1 and own or other
  p[input[i] % 3 + 1] = p[input[i] % 3 + 1] + 1000
  local want = own[5] + p[input[i] % 3 + 1]
  for j = 1, 9 do want = want + 3 * own[j] end
  for j = 1, 3 do want = want + other[j] end
  assert(v == want, i)
end
print "well"]==]

describe("local arrays behind generic addresses", function()
  it("are separate for each lane", function()
    for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2",
                           "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
      assert.equal("well\n", (helper.on_cpu(how, script, math.random(1000))), helper.note(how))
    end
  end)
end)
