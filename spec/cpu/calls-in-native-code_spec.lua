-- Functions that kernels call are part of their native code: inlined, in divergent code too; recursion and calls by
-- address as functions of C, for lanes that run one by one; by address too where all functions that a pointer may have
-- can be inlined.  Results are those of plain Lua at both tiers.
local helper = require "spec.helper"

-- Raises an error that names what is wrong; the argument is a seed.
local script = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(...))
local tier = tonumber(os.getenv "DOTCOMPUTE_CPU_TIER")
local MASK = 0xffffffff

local function check(name, k, got, want)
  for i = 1, #want do
    if got[i] ~= want[i] then error(("%s: [%d] is %s, not %s"):format(name, i, got[i], want[i])) end
  end
  if k.attributes.tier ~= tier then error(name .. " is not at tier " .. tier) end
end

local m = dc.module [[
typedef unsigned u32;
struct parts { u32 sum; signed char low; unsigned short high; double half; };

__device__ __noinline__ parts take(u32 x, signed char c) {          // a struct as the result, narrow parameters
  parts p = { x * 3 + c, (signed char)(x >> 3), (unsigned short)(x * 7), x * 0.5 };
  return p;
}
__device__ __noinline__ u32 count(u32 x, int n) {                  // a loop, an early return, a local array
  u32 seen[8] = { 0 };
  for (int i = 0; i < n; i++) {
    if (x == 1) return i * 1000 + seen[i & 7];
    seen[x & 7] += i;
    x = x & 1 ? 3 * x + 1 : x >> 1;
  }
  return seen[n & 7];
}
__device__ __noinline__ u32 both(u32 x, int n) { return count(x, n) ^ take(x, (signed char)n).sum; }
__device__ __noinline__ u32 shared_sum(u32 x) {                     // barriers and shared memory of its own
  __shared__ u32 all[64];
  all[threadIdx.x] = x;
  __syncthreads();
  const u32 r = all[threadIdx.x ^ 1] + all[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  return r;
}
__global__ void inlined(const u32 *x, u32 *out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const u32 s = shared_sum(x[t]);
  if (t >= n) return;
  u32 r = s;
  if (x[t] & 1) r += count(x[t], 20);
  else if (x[t] & 2) r += both(x[t], 9);
  const parts p = take(r, (signed char)t);
  out[t] = r + p.sum + (u32)p.low + p.high + (u32)(2 * p.half);
}

__device__ __noinline__ u32 walk(u32 x, int depth, u32 *visits) {   // recursion with a local array in each call
  u32 kept[3] = { x & 15, x >> 4 & 15, x >> 8 };
  ++*visits;
  if (depth == 0 || x < 16) return x + depth;
  u32 r = walk(kept[x & 1], depth - 1, visits) * 3;
  if (x & 2) r += walk(kept[2] + 40 * (x & 3), depth - 2 < 0 ? 0 : depth - 2, visits);
  return r ^ kept[1];
}
__device__ __noinline__ u32 odd(u32 n);
__device__ __noinline__ u32 even(u32 n) { return n == 0 ? 2 : odd(n - 1) + 1; }
__device__ __noinline__ u32 odd(u32 n) { return n == 0 ? 7 : even(n - 1) * 2; }
__global__ void recursive(const u32 *x, u32 *out, u32 *visits, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  u32 seen = 0;
  out[t] = walk(x[t], 12, &seen) + even(x[t] & 7);
  visits[t] = seen;
}

__device__ __noinline__ u32 place(u32 x, u32 *out) {                // recursion that reads the thread's own numbers
  const int t = threadIdx.x + blockDim.x * threadIdx.y;
  out[blockIdx.x * blockDim.x * blockDim.y + t] += x;
  return x == 0 ? threadIdx.x * 1000 + threadIdx.y : place(x - 1, out) + t + blockIdx.x;
}
__global__ void placed(const u32 *x, u32 *out, u32 *visits) {
  const int t = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const u32 r = place(x[t] & 7, visits);
  out[t] = r;
}

typedef u32 (*function)(u32, int);
__device__ u32 first(u32 x, int k) { return x * k; }
__device__ u32 second(u32 x, int k) { return x ^ (u32)k * 77; }
__device__ u32 third(u32 x, int k) { return k > 0 ? x + 5 : x - 5; }
__device__ function table[3] = { first, second, third };
__device__ __noinline__ u32 twice(function f, u32 x, int k) { return k == 0 ? x : twice(f, f(x, k), k - 1); }
__global__ void by_address(const u32 *x, u32 *out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[t] = twice(table[x[t] % 3], x[t], (int)(x[t] & 3)) + table[t % 3](x[t], t);
}

typedef u32 (*chooser)(u32, long long, const u32 *);               // of no recursive function: all inlined
__device__ u32 scaled(u32 x, long long k, const u32 *p) { return x * (u32)k + p[x & 7]; }
__device__ u32 looped(u32 x, long long k, const u32 *p) {          // a loop, a local array, an early return
  u32 seen[4] = { 1, 2, 3, 4 };
  for (u32 i = 0; i < (x & 15); i++) {
    seen[i & 3] += p[i & 7] ^ (u32)k;
    if (seen[i & 3] & 1) return seen[(i + 1) & 3];
  }
  return seen[x & 3];
}
__device__ u32 plain(u32 x, long long, const u32 *) { return x + 5; }
__device__ chooser choosers[3] = { scaled, looped, plain };
__global__ void chosen(const u32 *x, u32 *out, int which, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  u32 r = 0;
  if (t >= n) return;
  if (x[t] & 4) r = choosers[x[t] % 3](x[t], t, x);                 // each lane its own
  for (int i = 0; i < 4; i++) r ^= choosers[(which + i) % 3](r + i, i, x + i); // one for all
  if (x[t] & 8) choosers[t % 3](x[t], t, x);                        // for nothing
  out[t] = r;
}]]

local function collatz(x, n)
  local seen = { [0] = 0, 0, 0, 0, 0, 0, 0, 0 }
  for i = 0, n - 1 do
    if x == 1 then return i * 1000 + seen[i & 7] end
    seen[x & 7] = seen[x & 7] + i
    x = x & 1 == 1 and (3 * x + 1) & MASK or x >> 1
  end
  return seen[n & 7]
end
local function char(x)
  x = x & 255
  return x < 128 and x or x - 256
end
local function sum(x, c) return (x * 3 + char(c)) & MASK end

local threads = math.random(1, 32) * 2
local blocks = math.random(2, 9)
local n = threads * blocks - math.random(0, threads - 1)
local x = {}
for i = 1, math.max(threads * blocks, 16) do x[i] = math.random(0, 1 << math.random(1, 20)) end -- 11 are read by any
local function output() return dc.zeros(threads * blocks, "uint32") end
local input, out, visits = dc.array(x, "uint32"), output(), output()

local want, k = {}, m:kernel "inlined"
for i = 1, n do
  local v, t = x[i], (i - 1) % threads
  local base = i - t
  local r = (x[base + (t ~ 1)] + x[base + threads - 1 - t]) & MASK
  if v & 1 == 1 then r = r + collatz(v, 20)
  elseif v & 2 == 2 then r = r + (collatz(v, 9) ~ sum(v, 9)) end
  r = r & MASK
  want[i] = (r + sum(r, i - 1) + char(r >> 3) + (r * 7 & 0xffff) + r) & MASK
end
k(blocks, threads, input, out, n)
check("inlined", k, out, want)

local seen
local function walk(v, depth)
  local kept = { [0] = v & 15, v >> 4 & 15, v >> 8 }
  seen = seen + 1
  if depth == 0 or v < 16 then return v + depth end
  local r = walk(kept[v & 1], depth - 1) * 3
  if v & 2 == 2 then r = r + walk(kept[2] + 40 * (v & 3), math.max(depth - 2, 0)) end
  return (r & MASK) ~ kept[1]
end
local function turns(v, is_odd)
  if v == 0 then return is_odd and 7 or 2 end
  return is_odd and turns(v - 1, false) * 2 or turns(v - 1, true) + 1
end
k = m:kernel "recursive"
local counts = {}
for i = 1, n do
  seen = 0
  want[i] = (walk(x[i], 12) + turns(x[i] & 7, false)) & MASK
  counts[i] = seen
end
k(blocks, threads, input, out, visits, n)
check("recursive", k, out, want)
check("visits", k, visits, counts)

k = m:kernel "placed"
for i = 1, n do
  local v, t = x[i] & 7, (i - 1) % threads
  want[i] = t % (threads // 2) * 1000 + t // (threads // 2) + v * (t + (i - 1) // threads)
  counts[i] = v * (v + 1) // 2
end
visits:fill(0)
k(blocks, { threads // 2, 2 }, input, out, visits)
check("placed", k, out, want)
check("visits of threads", k, visits, counts)

local functions = {
  [0] = function(v, k) return v * k & MASK end, function(v, k) return v ~ k * 77 end,
  function(v, k) return (k > 0 and v + 5 or v - 5) & MASK end,
}
k = m:kernel "by_address"
for i = 1, n do
  local v, f = x[i], functions[x[i] % 3]
  for j = x[i] & 3, 1, -1 do v = f(v, j) end
  want[i] = (v + functions[(i - 1) % 3](x[i], i - 1)) & MASK
end
k(blocks, threads, input, out, n)
check("by_address", k, out, want)

local choosers = {
  [0] = function(v, j, at) return v * j + x[at + (v & 7) + 1] & MASK end,
  function(v, j, at)
    local seen = { [0] = 1, 2, 3, 4 }
    for i = 0, (v & 15) - 1 do
      seen[i & 3] = seen[i & 3] + (x[at + (i & 7) + 1] ~ j) & MASK
      if seen[i & 3] & 1 == 1 then return seen[i + 1 & 3] end
    end
    return seen[v & 3]
  end,
  function(v) return v + 5 & MASK end,
}
local which = math.random(0, 2)
k = m:kernel "chosen"
for i = 1, n do
  local r = x[i] & 4 == 4 and choosers[x[i] % 3](x[i], i - 1, 0) or 0
  for j = 0, 3 do r = r ~ choosers[(which + j) % 3](r + j & MASK, j, j) end
  want[i] = r
end
k(blocks, threads, input, out, which, n)
check("chosen", k, out, want)

-- Errors name the line.
local source = [[
__device__ __noinline__ int deep(int v) { return v == -1 ? 0 : 1 + deep(v + 1) * 3; }
__global__ void endless(int *p) { p[threadIdx.x] = deep(p[threadIdx.x]); }
typedef int (*function)(int);
__device__ int one(int v) { return v + 1; }
__device__ function known = one;
__global__ void wild(int *p, long long f) {
  if (threadIdx.x == 3) p[0] += ((function)f)(2);
  p[threadIdx.x] += known(1);
}
__device__ double other(double v) { return v; }
__device__ double (*stranger)(double) = other;
__global__ void mistaken(int *p) {
  if (threadIdx.x & 1) p[threadIdx.x] = ((function)(void *)stranger)(2);
}]]
local broken, p = dc.module(source), dc.zeros(8, "int32")
local function fails(what, line, ...)
  local ok, err = pcall(function(name, ...)
    broken:kernel(name)(1, 8, p, ...)
    dc.synchronize()
  end, ...)
  local _, lines = source:sub(1, source:find(line, 1, true)):gsub("\n", "")
  local text, place = tostring(err), ("line %d of the source)"):format(lines + 1)
  if ok or not text:find(what, 1, true) or not text:find(place, 1, true) then error(place .. ": " .. text) end
end
fails("stack overflow", "deep(v + 1)", "endless")
fails("call through a pointer", "((function)f)(2)", "wild", 12345)
fails("call through a pointer", "((function)(void *)stranger)", "mistaken")
]==]

describe("functions that a kernel calls", function()
  for _, settings in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
    it("compute what they should, and stop where calls go wrong, with " .. settings, function()
      helper.passes_on_cpu(settings, script)
    end)
  end
end)
