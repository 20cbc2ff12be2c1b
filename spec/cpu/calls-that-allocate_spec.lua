-- Functions that kernels call but do not contain (virtual ones, recursive ones, those behind pointers) allocate and
-- free memory, print, assert, trap and launch kernels in native code, too.  Results are those of plain Lua at both
-- tiers, and errors name line and thread.
local helper = require "spec.helper"

-- Prints what is wrong; the argument is a seed.
local script = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(...))
local tier = tonumber(os.getenv "DOTCOMPUTE_CPU_TIER")
local MASK = 0xffffffff

local source = [[
#include <cassert>
#include <cstdio>
typedef unsigned u32;
struct shape {
  u32 side, *dropped;
  __device__ shape(u32 side, u32 *dropped) : side(side), dropped(dropped) {}
  __device__ virtual u32 area() const = 0;
  __device__ virtual ~shape() { atomicAdd(dropped, side); }
};
struct square : shape {
  u32 *sides;
  __device__ square(u32 side, u32 *dropped) : shape(side, dropped), sides(new u32[side % 40 + 2]) {
    for (u32 i = 0; i < side % 40 + 2; i++) sides[i] = side + i;
  }
  __device__ u32 area() const override { return sides[side % 40 + 1] * side; }
  __device__ ~square() override { delete[] sides; }
};
struct circle : shape {
  __device__ circle(u32 side, u32 *dropped) : shape(side, dropped) {}
  __device__ u32 area() const override { return 3 * side * side; }
};
struct pair : shape {                                  // deletes others of its kind
  shape *a, *b;
  __device__ pair(u32 side, u32 *dropped) : shape(side, dropped), a(new square(side / 3, dropped)) {
    b = side & 4 ? (shape *)new pair(side / 2, dropped) : new circle(side + 1, dropped);
  }
  __device__ u32 area() const override { return a->area() ^ b->area(); }
  __device__ ~pair() override { delete a; delete b; }
};
__global__ void made(shape **p, const u32 *x, u32 *dropped, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  p[t] = x[t] % 3 == 0 ? (shape *)new square(x[t], dropped) : x[t] % 3 == 1 ? (shape *)new circle(x[t], dropped)
                                                                            : new pair(x[t], dropped);
}
__global__ void measured(shape **p, u32 *out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[t] = p[t]->area();
}
__global__ void dropped(shape **p, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) delete p[t];
}

struct node { u32 value; node *left, *right; };
__device__ __noinline__ node *build(int depth, u32 &seed) {
  if (depth == 0) return nullptr;
  node *q = (node *)malloc(sizeof(node));
  seed = seed * 1664525u + 1013904223u;
  *q = node{ seed >> 9, nullptr, nullptr };
  if (seed & 0x10000) q->left = build(depth - 1, seed);
  q->right = build(depth - 1, seed);
  return q;
}
__device__ __noinline__ u32 take(node *q) {
  if (!q) return 1;
  const u32 sum = q->value + 3 * take(q->left) - take(q->right);
  free(q);
  return sum;
}
__device__ __noinline__ u32 refused(u32 v) {
  void *p = malloc((1ull << 60) + v), *none = malloc(0);
  free(nullptr);
  return p || none ? 0 : v < 2 ? 77 : 1 + refused(v / 2);
}
__global__ void grown(const u32 *x, u32 *out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  u32 seed = x[t];
  out[t] = take(build((int)(x[t] % 6), seed)) + refused(x[t] & 15);
}

__device__ __noinline__ int said(int v, int depth) {
  if (v < 2) return printf("%d at %d\n", v, depth) * 100;
  return said(v & 1 ? 3 * v + 1 : v / 2, depth + 1) + 1;
}
__global__ void speaks(int *out, int v) { out[0] = said(v, 0); }

__global__ void adds(u32 *out, u32 v) { atomicAdd(out, v); }
__device__ __noinline__ void spread(u32 *out, u32 v) {
  adds<<<1, 1 + v % 5>>>(out + v % 7, v);
  if (v > 1) spread(out, v / 2), spread(out, v / 3);
}
__global__ void launches(const u32 *x, u32 *out, int n) {
  if (threadIdx.x < n) spread(out, x[threadIdx.x]);
}

__device__ __noinline__ int freed(char *p, int depth) {
  if (depth == 0) free(p);
  return depth == 0 ? 1 : freed(p + 1, depth - 1) + 1;
}
__global__ void frees(int *out, int which) {
  char *p = (char *)malloc(64);
  out[threadIdx.x] = freed(p, threadIdx.x == which ? 3 : 0);
}
__device__ __noinline__ int checked(int v, int depth) {
  assert(v != 100);
  return depth == 0 ? v : checked(v + 1, depth - 1) + 1;
}
__global__ void asserts(int *out, int which) { out[threadIdx.x] = checked(threadIdx.x == which ? 96 : 0, 5); }
__device__ __noinline__ int trapped(int v) {
  asm volatile("{ .reg .pred p; setp.eq.s32 p, %0, 1; @p trap; }" :: "r"(v));
  return v <= 0 ? v : trapped(v - 2) + 1;
}
__global__ void traps(int *out, int which) { out[threadIdx.x] = trapped(threadIdx.x == which ? 5 : 6); }
]]
local m = dc.module(source)

local function check(name, got, want)
  for i = 1, #want do
    if got[i] ~= want[i] then error(("%s: [%d] is %s, not %s"):format(name, i, got[i], want[i])) end
  end
  if m:kernel(name).attributes.tier ~= tier then error(name .. " is not at tier " .. tier) end
end

local threads, blocks = math.random(1, 80), math.random(2, 6)
local n = threads * blocks - math.random(0, threads - 1)
local x, want = {}, {}
for i = 1, n do x[i] = math.random(0, 1 << math.random(1, 20)) end
local input, out = dc.array(x, "uint32"), dc.zeros(n, "uint32")

local function square(s) return (s + s % 40 + 1) * s & MASK end
local total = 0
local function area(s, kind)
  total = total + s
  if kind == 0 then return square(s) end
  if kind == 1 then return 3 * s * s & MASK end
  return area(s // 3, 0) ~ (s & 4 ~= 0 and area(s // 2, 2) or area(s + 1, 1))
end
local shapes, sum = dc.zeros(n, "int64"), dc.zeros(1, "uint32")
for i = 1, n do want[i] = area(x[i], x[i] % 3) end
for _ = 1, 2 do
  sum:fill(0)
  m:kernel "made"(blocks, threads, shapes, input, sum, n)
  m:kernel "measured"(blocks, threads, shapes, out, n)
  check("measured", out, want)
  m:kernel "dropped"(blocks, threads, shapes, n)
  check("dropped", sum, { total & MASK })
end

local state
local function grow(depth)
  if depth == 0 then return 1 end
  state = state * 1664525 + 1013904223 & MASK
  local value, left = state >> 9, 1
  if state & 0x10000 ~= 0 then left = grow(depth - 1) end
  return value + 3 * left - grow(depth - 1) & MASK
end
for i = 1, n do
  state = x[i]
  local v, steps = x[i] & 15, 0
  while v >= 2 do v, steps = v // 2, steps + 1 end
  want[i] = grow(x[i] % 6) + 77 + steps & MASK
end
m:kernel "grown"(blocks, threads, input, out, n)
check("grown", out, want)

local v, steps = math.random(2, 60), 0
local first = v
while v >= 2 do v, steps = v & 1 == 1 and 3 * v + 1 or v // 2, steps + 1 end
local told = ("%d at %d\n"):format(v, steps)
local one = dc.zeros(1, "int32")
m:kernel "speaks"(1, 1, one, first)
check("speaks", one, { 200 + steps })
print("wants " .. told)

local sums, few = { 0, 0, 0, 0, 0, 0, 0 }, math.min(n, threads)
local function spread(v)
  local i = v % 7 + 1
  sums[i] = sums[i] + v * (1 + v % 5) & MASK
  if v > 1 then spread(v // 2) spread(v // 3) end
end
local small = {}
for i = 1, few do small[i] = math.random(0, 40) spread(small[i]) end
local seven = dc.zeros(7, "uint32")
m:kernel "launches"(1, threads, dc.array(small, "uint32"), seven, few)
check("launches", seven, sums)

local function fails(what, line, name)
  local many = 64
  local which = math.random(0, many - 1)
  local ok, err = pcall(function()
    m:kernel(name)(1, many, dc.zeros(many, "int32"), which)
    dc.synchronize()
  end)
  local _, lines = source:sub(1, source:find(line, 1, true)):gsub("\n", "")
  local text, place = tostring(err), ("line %d of the source"):format(lines + 1)
  local thread = ("thread (%d,0,0)"):format(which)
  for _, part in ipairs { what, place, thread } do
    if ok or not text:find(part, 1, true) then error(("%s: no '%s': %s"):format(name, part, text)) end
  end
  if m:kernel(name).attributes.tier ~= tier then error(name .. " is not at tier " .. tier) end
end
fails("of memory that malloc never gave", "if (depth == 0) free(p)", "frees")
fails("Assertion `v != 100` failed", "assert(v != 100)", "asserts")
fails("executed a trap", "asm volatile", "traps")
]==]

describe("functions that a kernel calls", function()
  for _, settings in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2",
                              "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
    it("allocate, free, print, assert, trap and launch, with " .. settings, function()
      local text, code = helper.on_cpu(settings, script, helper.seed)
      local printed, wanted = text:match "^(.-)wants (.*)\n$"
      assert.equal(wanted, printed, helper.note(text))
      assert.equal(0, code)
    end)
  end
end)
