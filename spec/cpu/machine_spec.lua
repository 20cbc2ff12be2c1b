-- C++ features that need run-time support: recursion, objects, static variables, generic pointers, inline assembly,
-- clocks, very long kernels, printf.
local dc = require "dotcompute"

local helper = require "spec.helper"
local note = helper.note
local int32, ints, same = helper.int32, helper.ints, helper.same

describe("C++ in a kernel", function()
  it("recurses, with local arrays in each call", function()
    local k = dc.kernel [[
__device__ __noinline__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
__device__ __noinline__ void sort(int *a, int n) { // by halves, in a copy
  int b[40];
  if (n < 2) return;
  sort(a, n / 2);
  sort(a + n / 2, n - n / 2);
  for (int i = 0, p = 0, q = n / 2; i < n; i++) b[i] = q == n || (p < n / 2 && a[p] <= a[q]) ? a[p++] : a[q++];
  for (int i = 0; i < n; i++) a[i] = b[i];
}
__global__ void recurse(int *x, int *r) {
  int t = threadIdx.x + blockDim.x * blockIdx.x;
  int mine[40], n = 7 + t % 33;
  for (int i = 0; i < n; i++) mine[i] = x[40 * t + i];
  sort(mine, n);
  for (int i = 0; i < n; i++) x[40 * t + i] = mine[i];
  r[t] = ackermann(t % 3, t % 5);
}]]
    local x = ints(40 * 70)
    local a, r = dc.array(x, "int32"), dc.empty(70, "int32")
    k:with { stack = 16384 }(2, 35, a, r)
    local function ackermann(m, n)
      if m == 0 then return n + 1 end
      return ackermann(m - 1, n == 0 and 1 or ackermann(m, n - 1))
    end
    local want = {}
    for t = 0, 69 do
      local part = table.move(x, 40 * t + 1, 40 * t + 7 + t % 33, 1, {})
      table.sort(part)
      table.move(part, 1, #part, 40 * t + 1, x)
      want[t + 1] = ackermann(t % 3, t % 5)
    end
    same(x, a:to_table(), "sort")
    same(want, r:to_table(), "ackermann")
  end)

  it("calls virtual functions, and frees memory of new and malloc", function()
    local k = dc.kernel [[
struct shape { __device__ virtual int area() const = 0; __device__ virtual ~shape() {} };
struct square : shape {
  int a;
  __device__ square(int a) : a(a) {}
  __device__ int area() const { return a * a; }
};
struct rectangle : square {
  int b;
  __device__ rectangle(int a, int b) : square(a), b(b) {}
  __device__ int area() const { return a * b; }
};
struct node { node *next; int value; };
__global__ void objects(const int *x, int *r) {
  int t = threadIdx.x + blockDim.x * blockIdx.x, sum = 0;
  shape *s[3];
  for (int i = 0; i < 3; i++) {
    if ((x[t] + i) % 2) s[i] = new square(x[t] % 50 + i);
    else s[i] = new rectangle(x[t] % 50, i + 1);
  }
  for (int i = 0; i < 3; i++) { sum += s[i]->area(); delete s[i]; }
  node *list = 0;
  for (int i = 0; i < x[t] % 20; i++) {
    node *n = (node *)malloc(sizeof *n);
    n->next = list; n->value = i * x[t];
    list = n;
  }
  while (list) { node *n = list; list = n->next; sum = 3 * sum + n->value; free(n); }
  r[t] = sum;
}]]
    local x, r, want = ints(200, 0, 1000), dc.empty(200, "int32"), {}
    k(4, 50, dc.array(x, "int32"), r)
    for t = 1, 200 do
      local v, sum = x[t], 0
      for i = 0, 2 do
        if (v + i) % 2 == 1 then sum = sum + (v % 50 + i) ^ 2 | 0 else sum = sum + v % 50 * (i + 1) end
      end
      for i = v % 20 - 1, 0, -1 do sum = int32(3 * sum + i * v) end
      want[t] = sum
    end
    same(want, r:to_table(), "objects")
  end)

  it("has variables that keep their values, constant tables, and pointers to them", function()
    local m = dc.module [[
struct entry { int *where; int (*apply)(int); const char *name; };
struct outer { struct { short a[3]; char tag; } in[2]; double d; };
__device__ int twice(int v) { return 2 * v; }
__device__ int square(int v) { return v * v; }
__device__ int data[6] = { 10, 20, 30, 40, 50, 60 };
__device__ int *second = data + 1;
__device__ int **indirect = &second;
__device__ entry entries[2] = { { data + 2, twice, "two" }, { &data[5], square, "square" } };
__device__ outer nested = { { { { 1, 2, 3 }, 'x' }, { { 4, 5, 6 }, 'y' } }, 2.5 };
__constant__ float weights[4] = { 0.5f, 1.5f, -2.0f, 4.0f };
__constant__ outer fixed[2] = { { { { { 7, 8, 9 }, 'p' } }, 0.25 }, { {}, -1.0 } };
__device__ unsigned calls;
__global__ void look(int *r, float *f) {
  r[0] = *second; r[1] = **indirect; r[2] = *entries[0].where; r[3] = entries[1].apply(*entries[1].where);
  r[4] = entries[0].apply(7); r[5] = entries[0].name[1]; r[6] = nested.in[1].a[2]; r[7] = nested.in[0].tag;
  r[8] = fixed[threadIdx.x].in[0].a[1]; r[9] = ++calls;
  for (int i = 0; i < 4; i++) f[i] = weights[i];
  f[4] = nested.d; f[5] = fixed[1].d;
  nested.in[1].a[2]++;
  second = data + (calls + 1) % 6;
}]]
    local r, f = dc.empty(10, "int32"), dc.empty(6)
    for call = 1, 4 do
      m.look(1, 1, r, f)
      local at = 10 * (call % 6) + 10
      if call == 1 then at = 20 end
      assert.same({ at, at, 30, 3600, 14, ("w"):byte(), 5 + call, ("x"):byte(), 8, call }, r:to_table())
      assert.same({ 0.5, 1.5, -2.0, 4.0, 2.5, -1.0 }, f:to_table())
    end
  end)

  it("uses one generic pointer for shared, local and global memory", function()
    local k = dc.kernel [[
__device__ __noinline__ void bump(int *p, int by) { p[0] += by; p[1] = p[0] ^ by; }
__global__ void mixed(const int *x, int *g, int *r) {
  __shared__ int s[128];
  int t = threadIdx.x, mine[4] = { t, 0, x[t] & 1, 5 };
  s[2 * t] = t; s[2 * t + 1] = 0;
  __syncthreads();
  int *p = x[t] % 3 == 0 ? s + 2 * t : x[t] % 3 == 1 ? mine + (x[t] & 2) : g + 2 * t;
  bump(p, x[t]);
  __syncthreads();
  r[t] = s[2 * (63 - t)] + 7 * s[2 * (63 - t) + 1] + 3 * mine[0] + 5 * mine[1] + 11 * mine[2] + 13 * mine[3];
}]]
    local x, g0 = ints(64, 0, 1000), ints(128)
    local g, r = dc.array(g0, "int32"), dc.empty(64, "int32")
    k(1, 64, dc.array(x, "int32"), g, r)
    local s, want = {}, {}
    for t = 0, 63 do s[2 * t], s[2 * t + 1] = t, 0 end
    local mine = {}
    for t = 0, 63 do
      local v = x[t + 1]
      mine[t] = { [0] = t, 0, v & 1, 5 }
      local a, at, off = s, 2 * t, 0
      if v % 3 == 1 then a, at = mine[t], v & 2 elseif v % 3 == 2 then a, at, off = g0, 2 * t, 1 end
      a[at + off] = a[at + off] + v
      a[at + off + 1] = int32(a[at + off] ~ v)
    end
    for t = 0, 63 do
      local m = mine[t]
      want[t + 1] = s[2 * (63 - t)] + 7 * s[2 * (63 - t) + 1] + 3 * m[0] + 5 * m[1] + 11 * m[2] + 13 * m[3]
    end
    same(want, r:to_table(), "mixed")
    same(g0, g:to_table(), "global")
  end)

  it("has inline assembly with scopes, inlined several times", function()
    local k = dc.kernel [[
__device__ __forceinline__ unsigned odd(unsigned a) {
  unsigned r;
  asm("{ .reg .u32 t; .reg .pred p;\n\t"
      "  { .reg .u32 t; add.u32 t, %1, 1; mov.u32 %0, t; }\n\t"
      "  and.b32 t, %1, 1; setp.eq.u32 p, t, 0;\n\t"
      "  @p bra done;\n\t"
      "  mul.lo.u32 %0, %0, 5;\n\t"
      "done: xor.b32 %0, %0, %1; }" : "=&r"(r) : "r"(a));
  return r;
}
__global__ void scopes(const unsigned *x, unsigned *r) {
  unsigned v = x[threadIdx.x];
#pragma unroll
  for (int i = 0; i < 4; i++) v = odd(v) + odd(v >> 1);
  r[threadIdx.x] = v;
}]]
    local x, r, want = ints(64, 0, 1 << 31), dc.empty(64, "uint32"), {}
    k(1, 64, dc.array(x, "uint32"), r)
    local function odd(a) return (((a + 1) * (a % 2 == 1 and 5 or 1)) & 0xffffffff) ~ a end
    for i, v in ipairs(x) do
      for _ = 1, 4 do v = (odd(v) + odd(v >> 1)) & 0xffffffff end
      want[i] = v
    end
    same(want, r:to_table(), "scopes")
  end)

  it("reads clocks that go forward", function()
    local k = dc.kernel [[
__global__ void clocks(long long *r) {
  long long c = clock64(), g, h;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
  for (int i = 0; i < 10; i++) __nanosleep(1000);
  long long d = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(h));
  r[threadIdx.x] = d - c;
  r[64 + threadIdx.x] = h - g;
  r[128 + threadIdx.x] = g;
}]]
    local r = dc.zeros(192, "int64")
    k(1, 64, r)
    local got = r:to_table()
    for i = 1, 64 do
      assert(got[i] > 0 and got[64 + i] >= 0 and got[128 + i] > 0, note(("%d %d"):format(got[i], got[64 + i])))
    end
  end)
end)

describe("a kernel of 30,000 instructions", function()
  it("runs, with its branches", function()
    local code, ops, n = {}, {}, 5000
    for i = 1, n do
      local a, b, s = math.random(1, 1 << 31), math.random(0, 1 << 31), math.random(1, 31)
      ops[i] = { a, b, s }
      code[i] = ([[
  mad.lo.u32 %%v, %%v, %d, %d;
  shr.u32 %%t, %%v, %d;
  xor.b32 %%v, %%v, %%t;
  setp.lt.s32 %%p, %%v, 0;
  @%%p bra L%d;
  sub.u32 %%v, %%t, %%v;
L%d:]]):format(a, b, s, i, i)
    end
    local k = dc.kernel(([[
.version 7.0
.target sm_70
.address_size 64
.visible .entry big(.param .u64 big_param_0) {
  .reg .u64 %%a, %%b;
  .reg .u32 %%v, %%t;
  .reg .pred %%p;
  ld.param.u64 %%a, [big_param_0];
  cvta.to.global.u64 %%a, %%a;
  mov.u32 %%t, %%tid.x;
  mul.wide.u32 %%b, %%t, 4;
  add.u64 %%a, %%a, %%b;
  ld.global.u32 %%v, [%%a];
%s
  st.global.u32 [%%a], %%v;
  ret;
}
]]):format(table.concat(code, "\n")))
    local x, want = ints(40, 0, 1 << 31), {}
    local a = dc.array(x, "uint32")
    k(1, 40, a)
    for i, v in ipairs(x) do
      for j = 1, n do
        v = (v * ops[j][1] + ops[j][2]) & 0xffffffff
        local t = v >> ops[j][3]
        v = v ~ t
        if v < 1 << 31 then v = (t - v) & 0xffffffff end
      end
      want[i] = v
    end
    same(want, a:to_table(), "big")
  end)
end)

describe("printf", function()
  it("of many threads at once writes whole lines, each once", function()
    local name = helper.temporary([[
local dc = require "dotcompute"
local k = dc.kernel [=[__global__ void lines(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 3) printf("thread %d of block %d says %lld and %s\n", threadIdx.x, blockIdx.x, 1000000007ll * i, "more");
}]=]
k(61, 70, 0)
dc.synchronize()
]])
    local text = helper.shell(("%s %s"):format(helper.quote(helper.lua), helper.quote(name)))
    os.remove(name)
    local seen, n = {}, 0
    for line in text:gmatch "([^\n]*)\n" do
      local t, b, v = line:match "^thread (%d+) of block (%d+) says (%d+) and more$"
      assert(t, note("a broken line: " .. line))
      local i = 70 * tonumber(b) + tonumber(t)
      assert.equal(1000000007 * i, tonumber(v))
      assert(not seen[i], note("twice: " .. line))
      seen[i], n = true, n + 1
    end
    local want = 0
    for i = 0, 61 * 70 - 1 do if i % 3 ~= 0 then want = want + 1 end end
    assert.equal(want, n)
  end)
end)
