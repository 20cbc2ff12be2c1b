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

-- The block's number in a register of 16 bits.
local short = [==[
local dc = require "dotcompute"
local k = dc.module [[
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 to, .param .u32 first) {
  .reg .b32 %r<5>; .reg .b16 %h<4>; .reg .b64 %rd<3>; .reg .pred %p;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [first];
  mov.u32 %r2, %ctaid.x;
  mov.u16 %h1, %ctaid.x;
  mov.u16 %h2, %nctaid.x;
  setp.lt.u32 %p, %r2, %r1;
  @%p ret;
  sub.u32 %r2, %r2, %r1;
  mul.wide.u32 %rd2, %r2, 12;
  add.s64 %rd1, %rd1, %rd2;
  mul.wide.u16 %r3, %h1, %h2;
  setp.eq.u16 %p, %h1, 3;
  selp.u32 %r4, 1, 0, %p;
  mov.b32 %r1, {%h1, %h2};
  st.global.u32 [%rd1], %r3;
  st.global.u32 [%rd1+4], %r4;
  st.global.u32 [%rd1+8], %r1;
  ret;
}]]:kernel "k"
local to, first, blocks = dc.zeros(3 * 8, "uint32"), 65536, 65544
k(blocks, 32, to, first)
for b = 0, 7 do
  assert(to[3 * b + 1] == b * (blocks - 65536) and to[3 * b + 2] == (b == 3 and 1 or 0))
  assert(to[3 * b + 3] == (blocks - 65536) << 16 | b)
end
]==]

describe("numbers of threads", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("are right in usual and in long grids, with " .. how, function()
      helper.passes_on_cpu(how, script)
    end)
    it("are cut off in registers of 16 bits, with " .. how, function()
      helper.passes_on_cpu(how, short)
    end)
  end
end)
