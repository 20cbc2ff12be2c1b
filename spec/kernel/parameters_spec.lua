-- Every kind of parameter but structs: half and complex numbers, vectors, pointers to pointers, and the option args.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails = h.note, h.fails

local random = math.random

describe("a 16-bit float", function()
  local m = dc.module [[
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void half_(char pad, __half v, unsigned short *out) { *out = __half_as_ushort(v); }
__global__ void bfloat16_(char pad, __nv_bfloat16 v, unsigned short *out) { *out = __bfloat16_as_ushort(v); }
__global__ void pair(__half2 v, unsigned short *out) {
  out[0] = __half_as_ushort(v.x);
  out[1] = __half_as_ushort(v.y);
}
__global__ void twice(int n, const __half *x, __half *y) { y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x]; }]]
  local out = dc.zeros(2, "uint16")

  -- The value of the bits of a 16-bit float.
  local function value(bits, digits, bias)
    local e, m10 = bits >> digits & (1 << (15 - digits)) - 1, bits & (1 << digits) - 1
    local v = e == 0 and m10 * 2.0 ^ (1 - bias - digits) or (m10 + (1 << digits)) * 2.0 ^ (e - bias - digits)
    return bits & 0x8000 == 0 and v or -v
  end

  for name, digits in pairs { half_ = 10, bfloat16_ = 7 } do
    it(name .. " takes numbers, rounded to the nearest", function()
      local bias = digits == 10 and 15 or 127
      local largest = (0x7fff >> digits << digits) - 1
      for _ = 1, 40 do
        local bits = random(0, largest - 1) | (random(0, 1) << 15)
        local v, next = value(bits, digits, bias), value(bits + 1, digits, bias)
        m[name](1, 1, 0, v, out)
        assert.equal(bits, out[1], note())
        m[name](1, 1, 0, v + (next - v) * (0.01 + 0.48 * random()), out)
        assert.equal(bits, out[1], note())
        m[name](1, 1, 0, v + (next - v) * (0.51 + 0.48 * random()), out)
        assert.equal(bits + 1, out[1], note())
        m[name](1, 1, 0, v + (next - v) / 2, out)
        assert.equal(bits + (bits & 1), out[1], note())
      end
      m[name](1, 1, 0, 3, out)
      assert.equal(3, value(out[1], digits, bias))
      m[name](1, 1, 0, -1 / 0, out)
      assert.equal(largest + 1 | 0x8000, out[1])
      m[name](1, 1, 0, 0 / 0, out)
      assert.is_true(out[1] & 0x7fff > largest + 1)
      fails("argument", "parameter 2 'v'.*1e%+39 is too large for b?float16", function()
        m[name](1, 1, 0, 1e39, out)
      end)
      fails("argument", "number expected, got true", function() m[name](1, 1, 0, true, out) end)
    end)
  end

  it("holds 65504, the largest half, and not 65520", function()
    m.half_(1, 1, 0, 65519.9, out)
    assert.equal(0x7bff, out[1])
    fails("argument", "65520 is too large for float16 %(at most 65504%)", function() m.half_(1, 1, 0, 65520, out) end)
  end)

  it("may be a vector's component, or a uint16 array's bits behind a pointer", function()
    m.pair(1, 1, { 1, -2 }, out)
    assert.same({ 0x3c00, 0xc000 }, out:to_table())
    local x, y = dc.array({ 0x3c00, 0xc000 }, "uint16"), dc.zeros(2, "uint16")
    m.twice(1, 2, 2, x, y)
    assert.same({ 0x4000, 0xc400 }, y:to_table())
    fails("argument", "parameter 2 'x'.*float16 array, not a float32", function() m.twice(1, 1, 1, dc.zeros(2), y) end)
  end)
end)

describe("a complex number", function()
  local m = dc.module [[
#include <cuComplex.h>
#include <cuda/std/complex>
__global__ void c64(cuFloatComplex z, float *out) { out[0] = z.x; out[1] = z.y; }
__global__ void c128(char pad, const cuDoubleComplex z, double *out) { out[0] = z.x; out[1] = z.y; }
__global__ void s64(cuda::std::complex<float> z, float *out) { out[0] = z.real(); out[1] = z.imag(); }
__global__ void s128(char pad, cuda::std::complex<double> z, double *out) { out[0] = z.real(); out[1] = z.imag(); }
__global__ void sum(int n, const cuFloatComplex *z, cuda::std::complex<float> *w) {
  w[threadIdx.x] = cuda::std::complex<float>(z[threadIdx.x].x * 2, z[threadIdx.x].y * 2);
}]]
  for name, dtype in pairs { c64 = "float32", c128 = "float64", s64 = "float32", s128 = "float64" } do
    it(name .. " is a table of two or a number", function()
      local k, out = m[name], dc.zeros(2, dtype)
      local function call(z)
        if name:find "128" then k(1, 1, 0, z, out) else k(1, 1, z, out) end
        return out:to_table()
      end
      local a, b = h.value(dtype), h.value(dtype)
      assert.same({ a, b }, call { a, b }, note())
      assert.same({ b, a }, call { y = a, x = b }, note())
      assert.same({ a, 0 }, call(a), note())
      assert.same({ 3, 0 }, call(3))
      fails("argument", "'z'.*table of 2 numbers.*got one of 3", function() call { 1, 2, 3 } end)
      fails("argument", "'z'.*table of 2 numbers.*got one of 1", function() call { 1 } end)
      fails("argument", "'z'.*'y': a number expected, got the string", function() call { x = 1, y = "i" } end)
      fails("argument", "number or a table", function() call "i" end)
      fails("argument", "neither a number nor a table", function() call(true) end)
    end)
  end

  it("behind a pointer is two floats", function()
    local z, w = dc.array { 1, 2, 3, 4 }, dc.zeros(4)
    m.sum(1, 2, 2, z, w)
    assert.same({ 2, 4, 6, 8 }, w:to_table())
    fails("argument", "'w'.*groups of 2", function() m.sum(1, 1, 1, z, dc.zeros(3)) end)
    fails("argument", "'z'.*not a float64", function() m.sum(1, 1, 1, dc.zeros(2, "float64"), w) end)
  end)
end)

describe("a vector", function()
  local bases = {
    char = "int8", uchar = "uint8", short = "int16", ushort = "uint16", int = "int32", uint = "uint32", long = "int64",
    ulong = "uint64", longlong = "int64", ulonglong = "uint64", float = "float32", double = "float64",
  }
  local names, source = {}, {}
  for base in pairs(bases) do
    for n = 1, 4 do
      local wide = n == 4 and (base:find "long" or base == "double") -- double4 is deprecated for its alignment
      local name = base .. n .. (wide and "_16a" or "")
      names[#names + 1] = { name, bases[base], n }
      source[#source + 1] = ("__global__ void f_%s(char pad, %s v, %s *out) { *out = v; }"):format(name, name, name)
    end
  end
  local ok, m = pcall(dc.module, table.concat(source, "\n"))
  if not ok then -- CUDA 12 has no double4_16a
    for i, v in ipairs(names) do
      v[1] = v[1]:gsub("_16a", "")
      source[i] = source[i]:gsub("_16a", "")
    end
    m = dc.module(table.concat(source, "\n"))
  end
  local axes = { "x", "y", "z", "w" }

  it("of every type is a table by number or by name", function()
    for _, v in ipairs(names) do
      local k, out, n = m["f_" .. v[1]], dc.zeros(v[3], v[2]), v[3]
      local list, named = h.values(n, v[2]), {}
      k(1, 1, 0, list, out)
      h.same(list, out:to_table(), v[1])
      list = h.values(n, v[2])
      for i = 1, n do named[axes[i]] = list[i] end
      k(1, 1, 0, named, out)
      h.same(list, out:to_table(), v[1])
    end
  end)

  it("is refused where components are missing, too many, or do not fit", function()
    for _, v in ipairs(names) do
      local k, out, n = m["f_" .. v[1]], dc.zeros(v[3], v[2]), v[3]
      local list, named = {}, { q = 1 }
      for i = 1, n do list[i], named[axes[i]] = 1, 1 end
      local function refused(pattern, t)
        fails("argument", "'f_" .. v[1] .. "', parameter 2 'v' %(.*" .. pattern, function() k(1, 1, 0, t, out) end)
      end
      refused(("table of %d numbers.*got one of %d"):format(n, n + 1), named)
      refused("no table of", 5)
      refused("no table of", out)
      refused("table of " .. n .. " numbers expected, got the string", "x")
      list[n] = "x"
      refused("field '%[" .. n .. "%]': a number expected, got the string 'x'", list)
      list[n] = nil
      refused("table of " .. n .. " numbers", list)
      local limits = h.integers[v[2]]
      if limits and limits[2] < math.maxinteger then
        list[n] = limits[2] + 1
        refused("field '%[" .. n .. "%]': .*out of range for " .. v[2], list)
        list[n] = 0.5
        refused("field '%[" .. n .. "%]': .*no integer", list)
      end
    end
  end)
end)

describe("a pointer to pointers", function()
  local k = dc.kernel [[
__global__ void sums(int n, const float *const *in, float **out) {
  for (int i = 0; i < n; i++) out[i][0] = in[i][0] + in[i][1];
}]]
  it("takes an array of addresses, after pending expressions that read their memory are evaluated", function()
    local a, b, c, d = dc.array { 1, 2 }, dc.array { 3, 4 }, dc.zeros(1), dc.zeros(1)
    local before = c + d + 7
    k(1, 1, 2, dc.array({ a.ptr, b.ptr }, "uint64"), dc.array({ c.ptr, d.ptr }, "int64"))
    assert.equal(3, c[1])
    assert.equal(7, d[1])
    assert.equal(7, before[1])
    k(1, 1, 0, dc.null, dc.null)
    fails("argument", "'in'.*uint64 array of addresses.*not a float32", function() k(1, 1, 1, a, dc.null) end)
    fails("argument", "'out'.*uint64 array of addresses.*not an int32", function()
      k(1, 1, 1, dc.null, dc.zeros(2, "int32"))
    end)
    fails("argument", "'in'.*got a table", function() k(1, 1, 1, { a, b }, dc.null) end)
  end)
end)

describe("a wrong argument", function()
  it("late in a loop raises an error before the launch", function()
    local k = dc.kernel [[
struct P { int n; float *x; };
__global__ void count(P p, float4 v) { p.x[0] += p.n; }]]
    local x = dc.zeros(1)
    for i = 1, 1000 do
      if i == 1000 then
        local before = dc.stats().launches
        fails("argument", "field 'n': 0%.5 has no integer", function() k(1, 1, { n = 0.5, x = x }, { 1, 2, 3, 4 }) end)
        fails("argument", "parameter 2 'v'", function() k(1, 1, { n = 1, x = x }, { 1, 2, 3 }) end)
        assert.equal(before, dc.stats().launches)
      else
        k(1, 1, { n = 1, x = x }, { 1, 2, 3, 4 })
      end
    end
    assert.equal(999, x[1])
  end)
end)

describe("the option args", function()
  local source = [[
struct P { int a; float b; };
extern "C" __global__ void scale(const float *x, float *y, float a, int n, P p, __half2 *h) {
  int i = threadIdx.x;
  if (i < n) y[i] = a * x[i] + p.a;
}]]
  local ptx = dc.module("#include <cuda_fp16.h>\n" .. source):ptx()

  it("gives types to PTX", function()
    local k = dc.kernel(ptx, { args = "const float *x, float *__restrict__ y, float a, int n, P p, __half2 *h" })
    assert.equal("scale(const float *x, float *y, float a, int n, P p, __half2 *h)", k.signature)
    local x, y = dc.arange(1, 4), dc.zeros(4)
    k(1, 32, x, y, 2, 4, string.pack("<i4f", 10, 0), dc.null)
    assert.same({ 12, 14, 16, 18 }, y:to_table())
    fails("argument", "'scale', parameter 1 'x' %(const float %*%): it takes a float32 array, not an int32 one",
      function() k(1, 1, dc.zeros(4, "int32"), y, 2, 4, ("x"):rep(8), dc.null) end)
    fails("argument", "parameter 4 'n'.*2%.5 has no integer", function()
      k(1, 1, x, y, 2, 2.5, ("x"):rep(8), dc.null)
    end)
    fails("argument", "parameter 5 'p' %(P%): a string of 8 bytes expected.*got a table",
      function() k(1, 1, x, y, 2, 4, { a = 1 }, dc.null) end)
  end)

  it("may be a table by kernel, and override a kernel's types", function()
    local m = dc.module("#include <cuda_fp16.h>\n" .. source .. "\n__global__ void raw(unsigned long long p, int n) {}",
      { args = { raw = "float *p, int n",
                 scale = "const float x[], float y[4], float, unsigned int n, P body, void *" } })
    assert.equal("raw(float *p, int n)", m.raw.signature)
    assert.equal("scale(const float *x, float *y, float arg3, unsigned int n, P body, void *arg6)", m.scale.signature)
    m.raw(1, 1, dc.zeros(1), 1)
    local y = dc.zeros(4)
    m.scale(1, 4, dc.ones(4), y, 3, 4, { a = 1, b = 2 }, y)
    assert.same({ 4, 4, 4, 4 }, y:to_table())
  end)

  it("must agree with the code", function()
    local function bad(kind, pattern, args, text)
      fails(kind, pattern, function() dc.kernel(text or ptx, { args = args }) end)
    end
    bad("argument", "lists 2 parameters, but kernel add%(float %*x, int n, int m%) has 3", "int a, int b",
      "__global__ void add(float *x, int n, int m) {}")
    bad("launch", "parameter 3 'a' %(double%) should have 8 bytes", "float *x, float *y, double a, int n, P p, void *h")
    bad("argument", "'float %+x' is no parameter", "float +x")
    bad("argument", "'' is no parameter", "int a, , int b")
    bad("argument", "no kernel 'other'", { other = "int n" })
    bad("argument", "option 'args' is a kernel's parameter list.*got the number 5", 5)
    bad("argument", "option 'args' is a kernel's parameter list", { "int n" })
    fails("argument", "source has 2 kernels: say whose it is", function()
      dc.module("__global__ void a(int n) {} __global__ void b(int n) {}", { args = "int n" })
    end)
  end)
end)
