-- Vectors of up to a word (uchar4, char2, short2 …) are one element each in native code. Their parts are those of Lua's
-- arithmetic, in rows, at one address for all threads of a block, at distances, by indices, in shared and local memory,
-- and in some lanes only.
local helper = require "spec.helper"

-- Raises an error that names what is wrong; its argument is a seed.
local script = [==[
local dc = require "dotcompute"
math.randomseed(...)
local source = [=[
#define THREAD int l = threadIdx.y * blockDim.x + threadIdx.x, t = blockIdx.x * blockDim.x * blockDim.y + l; (void)l; \
  if (t >= n || at[t] < 0) return
__device__ VECTOR change(VECTOR v) {
  VECTOR r;
  PART *to = (PART *)&r;
  const PART *from = (const PART *)&v;
#pragma unroll
  for (int i = 0; i < PARTS; i++) to[i] = (PART)((from[i ^ 1] >> 1) + 3 * i);
  return r;
}
extern "C" {
__global__ void rows(const VECTOR *x, const int *at, VECTOR *y, int n) {
  const int wide = gridDim.x * blockDim.x, t = (blockIdx.y * blockDim.y + threadIdx.y) * wide + blockIdx.x * blockDim.x
    + threadIdx.x;
  if (t < n && at[t] >= 0) y[t] = change(x[t]);
}
__global__ void same(const VECTOR *x, const int *at, VECTOR *y, int n) {
  THREAD;
  y[t] = change(x[blockIdx.x + 5]);
}
__global__ void strides(const VECTOR *x, const int *at, VECTOR *y, int n) { THREAD; y[2 * t + 1] = change(x[3 * t]); }
__global__ void index(const VECTOR *x, const int *at, VECTOR *y, int n) { THREAD; y[at[t]] = change(x[at[t] / 3]); }
__global__ void pointer(const VECTOR *x, const int *at, VECTOR *y, int n) {
  THREAD;
  const size_t far = sizeof(VECTOR) * (size_t)(at[t] * 5ll % n);
  *(VECTOR *)((char *)y + sizeof(VECTOR) * (size_t)(at[t] * 1ll)) = change(*(const VECTOR *)((const char *)x + far));
}
__global__ void loop(const VECTOR *x, const int *at, VECTOR *y, int n) {
  THREAD;
  VECTOR v = x[t];
  for (int i = at[t] & 7; i < 20; i += 3) {
    v = change(v);
    v.x += x[t + i].y;
    y[3 * t + i % 3] = v;
  }
}
__global__ void shared(const VECTOR *x, const int *at, VECTOR *y, int n) {
  __shared__ VECTOR s[128];
  const int l = threadIdx.y * blockDim.x + threadIdx.x, t = blockIdx.x * 128 + l;
  s[l ^ 5] = change(x[t]);
  __syncthreads();
  if (t < n && at[t] >= 0) y[t] = s[l ^ 9];
}
__global__ void local(const VECTOR *x, const int *at, VECTOR *y, int n) {
  THREAD;
  VECTOR a[4];
  for (int i = 0; i < 4; i++) a[i] = x[t + i];
  a[at[t] & 3] = change(x[t]);
  y[t] = a[(at[t] + (t & 1)) & 3];
}
}]=]
local function check(of, type, bits, parts, is_signed)
  local dtype, n = (is_signed and "int" or "uint") .. bits, math.random(200, 500)
  local m = dc.module(source, { define = { VECTOR = of, PART = type, PARTS = parts } })
  local values, at, places = {}, {}, {}
  local least = is_signed and -(1 << bits - 1) or 0
  for i = 1, 4 * n * parts do values[i] = math.random(least, least + (1 << bits) - 1) end
  for t = 1, n do table.insert(places, math.random(t), t - 1) end
  for t = 1, n do at[t] = math.random(6) == 1 and -1 or places[t] end
  local function wrap(v) return (v - least) % (1 << bits) + least end
  local function x(i)
    return { table.unpack(values, i * parts + 1, (i + 1) * parts) }
  end
  local function change(v)
    local r = {}
    for i = 0, parts - 1 do r[i + 1] = wrap((v[(i ~ 1) + 1] // 2) + 3 * i) end
    return r
  end
  local steps = {
    rows = function(t, _, put) put(t, change(x(t))) end,
    same = function(t, _, put) put(t, change(x(t // 128 + 5))) end,
    strides = function(t, _, put) put(2 * t + 1, change(x(3 * t))) end,
    index = function(_, a, put) put(a, change(x(a // 3))) end,
    pointer = function(_, a, put) put(a, change(x(a * 5 % n))) end,
    loop = function(t, a, put)
      local v = x(t)
      for i = a & 7, 19, 3 do
        v = change(v)
        v[1] = wrap(v[1] + x(t + i)[2])
        put(3 * t + i % 3, { table.unpack(v) })
      end
    end,
    shared = function(t, _, put) put(t, change(x(t ~ 12))) end,
    ["local"] = function(t, a, put)
      local i = a + (t & 1) & 3
      put(t, i == a & 3 and change(x(t)) or x(t + i))
    end,
  }
  for name, step in pairs(steps) do
    local want, y = {}, dc.zeros(4 * n * parts, dtype)
    for t = 0, n - 1 do
      if at[t + 1] >= 0 then step(t, at[t + 1], function(i, v) want[i] = v end) end
    end
    local grid, block = (n + 127) // 128, { 32, 4 }
    if name == "rows" then grid, block = { 2, (n + 169) // 170 }, { 17, 5 } end
    m:kernel(name)(grid, block, dc.array(values, dtype), dc.array(at, "int32"), y, n)
    local got = y:to_table()
    for i = 0, 4 * n - 1 do
      for j = 1, parts do
        local w, g = want[i] and want[i][j] or 0, got[i * parts + j]
        if w ~= g then error(("%s, %s: %s instead of %s in %d, %d"):format(name, of, g, w, i, j)) end
      end
    end
  end
end
check("uchar4", "unsigned char", 8, 4, false)
check("char4", "signed char", 8, 4, true)
check("uchar2", "unsigned char", 8, 2, false)
check("char2", "signed char", 8, 2, true)
check("ushort2", "unsigned short", 16, 2, false)
check("short2", "short", 16, 2, true)
]==]

-- The first part takes the register of the address, which is one for all threads.
local overwritten = [==[
local dc = require "dotcompute"
local k = dc.module [[
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to) {
  .reg .b32 %r; .reg .b64 %rd<6>, %x<5>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  mov.u32 %r, %tid.x;
  mul.wide.u32 %rd3, %r, 16;
  add.s64 %rd3, %rd2, %rd3;
  mov.u64 %x1, %rd1;
  ld.global.v4.u8 {%x1, %x2, %x3, %x4}, [%x1+4];
  ld.global.v2.u8 {%rd1, %rd4}, [%rd1];
  shl.b64 %x1, %x1, 8;
  add.s64 %x1, %x1, %x4;
  shl.b64 %rd1, %rd1, 8;
  add.s64 %rd1, %rd1, %rd4;
  st.global.v2.u64 [%rd3], {%x1, %rd1};
  ret;
}]]:kernel "k"
local from, to = dc.array({ 1, 2, 3, 4, 5, 6, 7, 8 }, "uint8"), dc.zeros(2 * 40, "int64")
k(1, 40, from, to)
for t = 0, 39 do assert(to[2 * t + 1] == 5 << 8 | 8 and to[2 * t + 2] == 1 << 8 | 2) end
]==]

describe("vectors of bytes and halves", function()
  for _, settings in ipairs(helper.tiers_and_isas) do
    it("are those of their parts with " .. settings, function()
      helper.passes_on_cpu(settings, script)
    end)
    it("may be loaded into the register of their address with " .. settings, function()
      helper.passes_on_cpu(settings, overwritten)
    end)
  end
end)
