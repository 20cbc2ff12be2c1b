-- Native code runs the warps of a block together, from barrier to barrier, until one of them has to leave it: it waits
-- for other threads for too long, or its lanes come to a barrier or a shuffle by different ways. Then all of the block
-- goes on in the interpreter, from where each warp stands: at its end, at the next barrier, behind the last one, or at
-- its beginning. Random programs of such steps have the results of a model in plain Lua, at each launch: when blocks
-- leave often, native code that runs warps one by one takes over.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local kernel = dc.kernel(arg[1])
local threads, blocks = math.tointeger(arg[2]), math.tointeger(arg[3])
local launches, slots = math.tointeger(arg[4]), math.tointeger(arg[5])
local out, first = dc.zeros(2 * threads * blocks, "int32"), nil
local shape = threads % 64 == 0 and threads > 64 and {64, threads // 64} or threads
for _ = 1, launches do
  local counters = dc.zeros(slots * threads * blocks, "int32")
  out:fill(0)
  kernel(blocks, shape, out, counters)
  local text = table.concat(out:to_table(), " ")
  first = first or text
  assert(text == first, "a launch differs from the first one")
end
assert(kernel.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
print(first)
]==]

local function u32(v) return v & 0xffffffff end
local function int(v) return ((v + (1 << 31)) & 0xffffffff) - (1 << 31) end
local random = math.random

-- A step: lines of CUDA C, and what it does to a block's threads. These are tables {x =, y =, loc =}, by number, of
-- those that have not ended; s is the block's shared memory, n the number of its threads.
local steps = {}

function steps.mix()
  local a, b = random(0, 1 << 30) * 2 + 1, random(0, 1 << 30)
  return ("x = x * %du + y + %du * t;"):format(a, b), function(threads)
    for t, v in pairs(threads) do v.x = u32(v.x * a + v.y + b * t) end
  end
end

function steps.exchange()
  local far = random(1, 90)
  return ("s[t] = x; __syncthreads(); y ^= s[(t + %d) %% n]; __syncthreads();"):format(far), function(threads, s, n)
    for t, v in pairs(threads) do s[t] = v.x end
    for t, v in pairs(threads) do v.y = v.y ~ s[(t + far) % n] end
  end
end

function steps.count()
  local bit = random(0, 7)
  return ("y += __syncthreads_count(x >> %d & 1);"):format(bit), function(threads)
    local sum = 0
    for _, v in pairs(threads) do sum = sum + (v.x >> bit & 1) end
    for _, v in pairs(threads) do v.y = u32(v.y + sum) end
  end
end

function steps.every()
  return "y = __syncthreads_and(x & 31) ? y * 3 : y + 1;", function(threads)
    local all = true
    for _, v in pairs(threads) do all = all and v.x & 31 ~= 0 end
    for _, v in pairs(threads) do v.y = u32(all and v.y * 3 or v.y + 1) end
  end
end

function steps.array()
  return "loc[x >> 3 & 7] ^= y; y += loc[x & 7];", function(threads)
    for _, v in pairs(threads) do
      local at = v.x >> 3 & 7
      v.loc[at] = v.loc[at] ~ v.y
      v.y = u32(v.y + v.loc[v.x & 7])
    end
  end
end

function steps.loop()
  local most = random(2, 9)
  return ("for (unsigned i = 0, e = x %% %du; i < e; i++) y = y * 5u + i;"):format(most), function(threads)
    for _, v in pairs(threads) do
      for i = 0, v.x % most - 1 do v.y = u32(v.y * 5 + i) end
    end
  end
end

-- Threads of one warp, or of all, for which `if` holds wait until their own counter, an atomic, has come to a limit.
function steps.wait(slot)
  local warp, lanes, all = random(0, 8), random(1, 3), random(4) == 1
  local times = random(2) == 1 and random(260, 400) or random(1, 20)
  return ("if ((%s) && t %% %d == 0) while (atomicAdd(&c[%d * all + g], 1) < %d) { x += 3; %s }"):format(
    all and "blockIdx.x % 3 == 1" or "t / 32 == " .. warp, lanes, slot, times,
    random(2) == 1 and "__nanosleep(20);" or ""), function(threads, _, _, block)
    for t, v in pairs(threads) do
      local here = all and block % 3 == 1 or not all and t // 32 == warp
      if here and t % lanes == 0 then v.x = u32(v.x + 3 * times) end
    end
  end
end

-- What the device does for a kernel: memory from the heap, output, an assertion that holds.
function steps.heap()
  return [[if (x & 1) { unsigned *p = (unsigned *)malloc(8); p[x >> 1 & 1] = y; y += 3u * p[x >> 1 & 1]; free(p); }]],
    function(threads)
      for _, v in pairs(threads) do
        if v.x & 1 == 1 then v.y = u32(v.y * 4) end
      end
    end
end

function steps.output()
  local bit = random(0, 7)
  return ([[assert(n == blockDim.x * blockDim.y); if (t / 32 == %d || (x >> %d & 3) == 2) y += printf("%%s", "");]])
    :format(bit, bit), function(threads)
      for t, v in pairs(threads) do
        if t // 32 == bit or v.x >> bit & 3 == 2 then v.y = u32(v.y + 1) end
      end
    end
end

-- Threads come to a barrier by two ways.
function steps.ways()
  local bit = random(0, 5)
  return ([[s[t] = y; if (t >> %d & 1) { x += 5; asm volatile("bar.sync 0;" ::: "memory"); }
    else { x ^= 7; asm volatile("bar.sync 0;" ::: "memory"); } x += s[n - 1 - t]; __syncthreads();]]):format(bit),
    function(threads, s, n)
      for t, v in pairs(threads) do
        s[t] = v.y
        v.x = t >> bit & 1 == 1 and u32(v.x + 5) or v.x ~ 7
      end
      for t, v in pairs(threads) do v.x = u32(v.x + s[n - 1 - t]) end
    end
end

-- Threads from one on end; with them whole warps, or a part of one.
function steps.exit()
  local part = random(30, 99)
  return ("if (t >= n * %d / 100 && (x & 1)) { out[2 * g] = x; out[2 * g + 1] = y; return; }"):format(part),
    function(threads, _, n)
      for t, v in pairs(threads) do
        if t >= n * part // 100 and v.x & 1 == 1 then threads[t] = nil end
      end
    end
end

local names = { "mix", "mix", "exchange", "exchange", "count", "every", "array", "loop", "wait", "wait", "ways",
  "exit", "heap", "output" }

local function program()
  local n, blocks = random(6) == 1 and random(1, 200) or 32 * random(1, 8), random(1, 12)
  local source, actions = {}, {}
  local function add(text, action)
    source[#source + 1] = "  " .. text
    actions[#actions + 1] = action
  end
  for i = 1, random(4, 12) do add(steps[names[random(#names)]](i)) end
  add(steps.wait(0))
  add(steps.exchange())
  local text = ([[#include <assert.h>
__global__ void steps(int *out, int *c) {
  __shared__ unsigned s[256];
  const int t = threadIdx.x + blockDim.x * threadIdx.y, n = blockDim.x * blockDim.y, all = n * gridDim.x;
  const int g = blockIdx.x * n + t;
  unsigned x = g * 2654435761u, y = t, loc[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = t; i < 256; i += n) s[i] = i;
  __syncthreads();
%s
  out[2 * g] = x;
  out[2 * g + 1] = y;
}]]):format(table.concat(source, "\n"))
  local results = {}
  for b = 0, blocks - 1 do
    local threads, all, s = {}, {}, {}
    for i = 0, 255 do s[i] = i end
    for t = 0, n - 1 do
      all[t] = { x = u32((b * n + t) * 2654435761), y = t, loc = { [0] = 1, 2, 3, 4, 5, 6, 7, 8 } }
      threads[t] = all[t]
    end
    for _, action in ipairs(actions) do action(threads, s, n, b) end
    for t = 0, n - 1 do
      results[#results + 1] = int(all[t].x)
      results[#results + 1] = int(all[t].y)
    end
  end
  return text, n, blocks, table.concat(results, " ") .. "\n"
end

-- A kernel in which a warp waits for another block, while others have come to a reduction at a barrier, and one in
-- which none does.
local counts = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
local m = dc.module [[
__global__ void waits(const int *in, int *out, volatile int *flag) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (blockIdx.x + 1 == gridDim.x) *flag = 1;
  else if (t / 32 == 3) while (*flag == 0) {}
  out[i] = __syncthreads_count(in[i] > 0);
}
__global__ void stays(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __syncthreads_count(in[i] > 0) * 2 + __syncthreads_and(in[i] > -9);
}]]
local blocks = math.random(2, 9)
for _ = 1, 3 do
  local values, out, sums, all = {}, dc.zeros(128 * blocks, "int32"), {}, {}
  for i = 1, 128 * blocks do
    local b = (i - 1) // 128
    values[i] = math.random(-9 - i % 2, 20)
    sums[b] = (sums[b] or 0) + (values[i] > 0 and 1 or 0)
    all[b] = all[b] ~= false and values[i] > -9
  end
  local input = dc.array(values, "int32")
  m:kernel "waits"(blocks, 128, input, out, dc.zeros(1, "int32"))
  for i, v in ipairs(out:to_table()) do assert(v == sums[(i - 1) // 128], "a count differs") end
  m:kernel "stays"(blocks, 128, input, out)
  for i, v in ipairs(out:to_table()) do
    local b = (i - 1) // 128
    assert(v == sums[b] * 2 + (all[b] and 1 or 0), "a count of the next kernel differs")
  end
end
]==]

-- Loops down columns, which neighbouring blocks run together where none of them leaves.
local columns = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
local kernel = dc.kernel [[
__global__ void columns(const int *m, int *out, int rows, int columns) {
  __shared__ int s[64];
  const int t = threadIdx.x, c = blockIdx.x * 64 + t;
  int v = 0;
  for (int r = 0; r < rows; r++) v += m[r * columns + c];
  s[t] = v;
  if (t & 1) {
    v += 5;
    asm volatile("bar.sync 0;" ::: "memory");
  } else {
    v ^= 7;
    asm volatile("bar.sync 0;" ::: "memory");
  }
  out[c] = v + s[63 - t];
}]]
local rows, blocks = math.random(40, 90), math.random(1, 40)
local values, out = {}, dc.zeros(64 * blocks, "int32")
for i = 1, rows * 64 * blocks do values[i] = math.random(-1000, 1000) end
kernel(blocks, 64, dc.array(values, "int32"), out, rows, 64 * blocks)
local sums, got = {}, out:to_table()
for c = 0, 64 * blocks - 1 do
  local sum = 0
  for r = 0, rows - 1 do sum = sum + values[r * 64 * blocks + c + 1] end
  sums[c] = sum
end
for c = 0, 64 * blocks - 1 do
  local t, far = c % 64, sums[c - c % 64 + 63 - c % 64]
  local v = t & 1 == 1 and sums[c] + 5 or sums[c] ~ 7
  assert(got[c + 1] == v + far, "a sum differs")
end
]==]

describe("a block that native code leaves", function()
  it("counts at barriers while it waits, and the next kernel counts from nothing on", function()
    for _, how in ipairs(helper.tiers_and_isas) do helper.passes_on_cpu(how, counts) end
  end)

  it("runs without others, also in loops down columns", function()
    for _, how in ipairs { "TIER=1 DOTCOMPUTE_CPU_THREADS=1", "TIER=1 DOTCOMPUTE_CPU_THREADS=4" } do
      helper.passes_on_cpu(how, columns)
    end
  end)

  it("goes on in the interpreter from where its warps stand", function()
    for _ = 1, tonumber(os.getenv "DOTCOMPUTE_SPEC_PROGRAMS") or 6 do
      local text, n, blocks, want = program()
      for _, how in ipairs { "TIER=0", "TIER=1 DOTCOMPUTE_CPU_THREADS=1", "TIER=1 DOTCOMPUTE_CPU_THREADS=3",
        "TIER=1 DOTCOMPUTE_CPU_ISA=avx2", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
        local launches = how == "TIER=0" and 1 or 12
        local got = helper.on_cpu(how, script, text, n, blocks, launches, 13)
        assert.equal(want, got, helper.note(how .. "\n" .. text))
      end
    end
  end)
end)
