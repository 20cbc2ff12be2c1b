-- Quotients, remainders and widened values of the thread's number in the grid: in a usual grid, where no number is
-- negative, in one so long that numbers wrap around, and in a usual one again.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void numbers(long long *o, int step, int first) {
  const int i = blockIdx.x * 1024 + threadIdx.x;
  const int block = (int)blockIdx.x - first;
  if (block < 0) return;
  long long *to = o + 6 * (block * blockDim.x + threadIdx.x);
  to[0] = i;
  to[1] = i / 32;
  to[2] = i % 32;
  to[3] = i / 24;
  to[4] = (unsigned)i / 64;
  to[5] = (long long)(i + step) * 4;
}]]
local function as_int(v) return (v + (1 << 31) & 0xffffffff) - (1 << 31) end
local function quotient(a, b) return a < 0 and -(-a // b) or a // b end
for _, threads in ipairs { 32, 96, 37 } do
  for _, blocks in ipairs { 3, (1 << 21) + 2, 4 } do
    local o = dc.zeros(6 * 3 * threads, "int64")
    k(blocks, threads, o, 7, blocks - 3)
    for b = 0, 2 do
      for t = 0, threads - 1 do
        local i = as_int((blocks - 3 + b) * 1024 + t)
        local want = { i, quotient(i, 32), i - 32 * quotient(i, 32), quotient(i, 24), (i & 0xffffffff) // 64,
                       as_int(i + 7) * 4 }
        for n = 1, 6 do
          local got = o[6 * (b * threads + t) + n]
          if got ~= want[n] then
            error(("value %d of thread %d, block %d: %d, not %d"):format(n, t, blocks - 3 + b, got, want[n]))
          end
        end
      end
    end
  end
end
]==]

describe("numbers of threads", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("are right in usual and in long grids, with " .. how, function()
      helper.passes_on_cpu(how, script)
    end)
  end
end)
