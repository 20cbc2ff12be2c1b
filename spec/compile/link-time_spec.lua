-- Link-time optimization: flag -dlto, sources optimized as one by NVIDIA's linker, LTO-IR among them.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails, f32 = h.fails, h.f32
local on_cpu = dc.device().backend == "cpu"
local build = h.build
local dlto = { flags = "-dlto" }

-- Without the linker there is only its error, which a test below checks.
local there, why = pcall(dc.kernel, "__global__ void k(int *x) {}", dlto)
local function it_links(what, fn)
  it(what, function()
    if there then return fn() end
    assert.equal("NVJITLINK_NOT_FOUND", why.code, tostring(why))
  end)
end

local function options(more, ...)
  local o = { flags = { "-dlto", ... } }
  for k, v in pairs(more or {}) do o[k] = v end
  return o
end

local function numbers(n)
  local t = {}
  for i = 1, n do t[i] = f32((math.random() - 0.5) * 200) end
  return t
end

-- A function of one number as a chain of steps, as CUDA C and in Lua, each step rounded.
local function chain()
  local text, steps = {}, {}
  for i = 1, math.random(2, 5) do
    local c, op = f32(math.random(-99, 99) / 8), ("+-*"):sub(math.random(3)):sub(1, 1)
    text[i] = ("  x = x %s %.9gf;\n"):format(op, c == math.floor(c) and c + 0.5 or c)
    c = c == math.floor(c) and c + 0.5 or c
    steps[i] = function(x) return f32(op == "+" and x + c or op == "-" and x - c or x * c) end
  end
  return table.concat(text), function(x)
    for _, step in ipairs(steps) do x = step(x) end
    return x
  end
end

local function has_call(m) return m:ptx():find "%f[%w]call%f[^%w]" ~= nil end

describe("link-time optimization", function()
  it_links("inlines functions of other sources, with the same results", function()
    for _ = 1, 3 do
      local inner, f = chain()
      local outer, g = chain()
      local sources = { [[
extern __device__ float outer(float x);
__global__ void map(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = outer(x[i]);
}]], "__device__ float inner(float x) {\n" .. inner .. "  return x;\n}\n",
        "__device__ float inner(float x);\n__device__ float outer(float x) {\n  x = inner(x);\n" .. outer ..
          "  return x;\n}" }
      for i = 3, 2, -1 do
        local k = math.random(i)
        sources[i], sources[k] = sources[k], sources[i]
      end
      local m = dc.module(sources, options({}, "--fmad=false"))
      assert.equal("map(const float *x, float *y, int n)", m.map.signature)
      assert.is_false(has_call(m))
      assert.is_true(has_call(dc.module(sources)), "without the flag they are called")
      local t, n = numbers(100), math.random(80, 100)
      local x, y = dc.array(t), dc.zeros(100)
      m.map:forall(n, x, y, n)
      for i = 1, 100 do assert.equal(i <= n and g(f(t[i])) or 0.0, y[i], h.note("element " .. i)) end
    end
  end)

  it_links("is enabled by all spellings of the option, for one source and for files", function()
    for _, flag in ipairs { "-dlto", "--dlto", "-dlink-time-opt", "--dlink-time-opt" } do
      local k = dc.kernel("__device__ int f(int x) { return x * 3; }\n__global__ void k(int *x) { *x = f(*x); }",
        { flags = { flag } })
      local v = math.random(-1000, 1000)
      local x = dc.full(1, v, "int32")
      k(1, 1, x)
      assert.equal(3 * v, x[1])
      assert.equal("k(int *x)", k.signature)
    end
    local a, b = os.tmpname(), os.tmpname()
    h.write(a, "extern __device__ int f(int x);\n__global__ void k(int *x) { *x = f(*x); }\nint main() { return 0; }\n")
    h.write(b, "__device__ int f(int x) { return x + 17; }\n")
    local m = dc.module_file({ a, b }, dlto)
    local x = dc.full(1, 5, "int32")
    m.k(1, 1, x)
    assert.equal(22, x[1])
    h.write(b, "__device__ int f(int x) { return x + 18; }\n")
    assert.is_true(m:reload())
    m.k(1, 1, x)
    assert.equal(40, x[1])
    os.remove(a)
    os.remove(b)
  end)

  it_links("computes arithmetic as the flags ask, as without it", function()
    local sources = { [[
extern __device__ float f(float x);
__global__ void k(const float *x, float *y) {
  const float *p = x + 4 * threadIdx.x;
  y[threadIdx.x] = p[0] / p[1] * f(p[2]) + sqrtf(fabsf(p[3])) + 1e-39f * p[1];
}]], "__device__ float f(float x) { return x * 3.3f + 1.7f; }" }
    local t = numbers(4 * 32)
    local x = dc.array(t)
    for _, flags in ipairs { {}, { "--fmad=false" }, { "--use_fast_math" }, { "-use_fast_math", "-fmad=false" },
      { "--ftz=true" }, { "-ftz", "true", "--prec-div=false", "--prec-sqrt", "false" }, { "-G" } } do
      local one, two = dc.zeros(32), dc.zeros(32)
      dc.module({ table.concat(sources, "\n") }, { flags = flags }).k(1, 32, x, one)
      dc.module(sources, options({}, table.unpack(flags))).k(1, 32, x, two)
      local text = table.concat(flags, " ")
      if not text:find "prec%-div=false" then
        assert.equal(one:bytes(), two:bytes(), h.note(text))
      else
        -- Quotients to 2 ulp, roots to 1 (PTX ISA, div.full and sqrt.approx): assemblers take different neighbours.
        for i = 1, 32 do
          local a, b, c, d = table.unpack(t, 4 * i - 3, 4 * i)
          local quotient, root = math.abs(a / b * (c * 3.3 + 1.7)), math.sqrt(math.abs(d))
          local most = (quotient + root) * 2.0 ^ -20
          assert.is_true(math.abs(one[i] - two[i]) <= most, h.note(text .. ", element " .. i))
        end
      end
    end
  end)

  it_links("links templates, overloads, variables, structs and kernels from macros as other modules do", function()
    local m = dc.module({ [[
struct Pair { int first; float second[2]; };
extern __device__ int twice(int x);
__constant__ float coeffs[2][3];
__managed__ int counter;
static __device__ int mine = 40;
template<class T> __global__ void scale(T *x, T v) { *x = *x * v + coeffs[1][2]; }
__global__ void over(int *x) { *x = twice(*x); }
__global__ void over(float *x) { *x = mine++; }
__global__ void pairs(Pair p, float *out) { *out = p.first * p.second[1]; counter = p.first; }
#define MAKE(name) extern "C" __global__ void name(const short *in, int *out) { *out = twice(*in); }
MAKE(made)]], [[
static __device__ int mine = 2;
__device__ int twice(int x) { return x * mine; }
template<class T> __global__ void later(T *x) { *x += 1; }]] }, options { instantiate = "scale<float>" })
    local plain = dc.module({ "struct Pair { int first; float second[2]; };\n" ..
      "__global__ void pairs(Pair p, float *out) {}", "__device__ int nothing;" })
    assert.equal(plain.pairs.signature, m.pairs.signature)
    assert.equal("made(const short *arg1, int *arg2)", m.made.signature)
    local names = m:kernels()
    table.sort(names)
    assert.equal("made over(float *) over(int *) pairs scale<float>", table.concat(names, " "))
    local a, b = math.random(-99, 99), math.random(-99, 99)
    local x, i = dc.full(1, a), dc.full(1, b, "int32")
    m:global "coeffs":fill(0.5)
    assert.same({ 2, 3 }, { m:global "coeffs":shape() })
    m:kernel("scale", "float32")(1, 1, x, 3)
    assert.equal(3.0 * a + 0.5, x[1])
    m:kernel "over(int *)"(1, 1, i)
    assert.equal(2 * b, i[1])
    m:kernel "over(float *)"(1, 1, x)
    m:kernel "over(float *)"(1, 1, x)
    assert.equal(41.0, x[1])
    assert.equal("int32", m:global "mine".dtype)
    assert.equal(42, m:global "mine":item())
    m.pairs(1, 1, { first = a, second = { 1, b } }, x)
    assert.equal(a * b + 0.0, x[1])
    assert.equal(a, m:global "counter":item())
    m.made(1, 1, dc.full(1, a, "int16"), i)
    assert.equal(2 * a, i[1])
    assert.is_nil(m:ptx():find("dc_sig_", 1, true))
    fails("argument", "instantiate", function() m:kernel "later<int>" end)
    local t = dc.module({ "template<class T> __global__ void k(T *x) { *x += 1; }" }, dlto)
    t:kernel("k", "int32")(1, 1, i)
    assert.equal(2 * a + 1, i[1])
  end)

  it_links("gives PTX and machine code of any architecture", function()
    local m = dc.module({ "__device__ int f();\n__global__ void k(int *x) { *x = f(); }",
      "__device__ int f() { return 8; }" }, dlto)
    assert.equal("\127ELF", m:cubin "sm_90":sub(1, 4))
    local ptx = m:ptx "compute_80"
    assert.matches("%.target sm_80", ptx)
    assert.is_nil(ptx:find "call")
    local x = dc.zeros(1, "int32")
    dc.module(ptx):kernel "k(int *)"(1, 1, x)
    assert.equal(8, x[1])
  end)

  it_links("takes a source for newer GPUs on the CPU device, and its headers", function()
    local m = dc.module({ [[
#include "f.h"
__global__ void k(int *x) { *x = f(__reduce_add_sync(~0u, threadIdx.x)); }]],
      "#include <f.h>\n__device__ int f(int x) { return x + ADD; }" },
      options { headers = { ["f.h"] = "extern __device__ int f(int);" }, define = { ADD = 3 } })
    if not on_cpu and tonumber(dc.device().compute_capability) < 8 then return end
    local x = dc.zeros(1, "int32")
    m.k(1, 32, x)
    assert.equal(31 * 16 + 3, x[1])
  end)

  it_links("names the right line of the right source", function()
    local here = h.line(2)
    local err = fails("compile", "wrong", function()
      dc.module({ [[
__device__ int first() { return 1; }]], [[
__device__ int second() { return 2; }
__global__ void third(int *x) {
  *x = wrong;
}]] }, dlto)
    end)
    assert.matches("_spec%.lua:" .. here + 4 .. "$", err.at)
    if not on_cpu then return end
    local start = h.line(2)
    local m = dc.module({ "__device__ int zero() { return 0; }\n\n", [[
__device__ void store(int *x, int i) {
  x[i - 3000000] = 1;
}]], [[
__device__ int zero();
__device__ void store(int *x, int i);
__global__ void bad(int *x) { store(x, zero()); }]] }, options { fast_math = math.random(2) == 1 })
    err = fails("launch", "bad", function() m.bad(1, 1, dc.zeros(1, "int32")) end)
    assert.matches("_spec%.lua:" .. start + 1 .. "[^%d]", err.message)
  end)

  it_links("of sources that do not fit together is an error", function()
    local main = "__device__ int helper(int x);\n__global__ void k(int *x) { *x = helper(*x); }"
    fails("compile", on_cpu and "'_Z6helperi' is declared and used, and defined in none" or "be linked: .*helper",
      function() dc.module({ main, "__device__ int other;" }, dlto) end)
    local err = fails("compile", "cannot be linked: [^\n]*'_Z6helperi'", function()
      dc.module({ main, "__device__ int helper(int x) { return x; }", "__device__ int helper(int x) { return -x; }" },
        dlto)
    end)
    assert.equal("NVJITLINK_ERROR", err.code)
    assert.matches("source 3", err.log)
    err = fails("compile", "cannot be linked: Unresolved extern function '_Z6helperi'", function()
      dc.module({ main, "#if __CUDA_ARCH__ < 800\n__device__ int helper(int x) { return x; }\n#endif\n" }, dlto)
        :cubin "sm_90"
    end)
    assert.matches("ptxas", err.log)
    local launching = { "__global__ void child(int *x) { *x = 3; }\n__global__ void k(int *x) { child<<<1, 1>>>(x); }" }
    if on_cpu then
      local x = dc.zeros(1, "int32")
      dc.module(launching, dlto).k(1, 1, x)
      assert.equal(3, x[1])
    else
      fails("compile", "launches kernels itself", function() dc.module(launching, dlto) end)
    end
    fails("compile", "source holds no kernel", function() dc.module("__device__ int v;\n", dlto) end)
    fails("compile", "sources hold no kernel", function()
      dc.module({ "__device__ int f() { return 1; }", "__device__ int g();" }, dlto)
    end)
  end)

  it("names the missing linker", function()
    local child = [[
      local dc = require "dotcompute"
      local ok, err = pcall(dc.kernel, "__global__ void k(int *x) {}", { flags = "-dlto" })
      print(ok, err.kind, err.code, err.message:match "install" or err.message)]]
    local text = h.shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CACHE=off DOTCOMPUTE_NVJITLINK=off '%s/dclua' -e %s")
      :format(build, h.quote(child)))
    assert.equal("false\tcompile\tNVJITLINK_NOT_FOUND\tinstall\n", text)
  end)

  it_links("is kept in the cache and in bundles, linked and by source", function()
    local dir = h.folder()
    assert(os.execute("mkdir -m 700 " .. dir .. "/cache"))
    local function run(add, env, more)
      h.write(dir .. "/s.lua", ([[
        local dc = require "dotcompute"
        local m = dc.module({ "__device__ int f();\n__global__ void k(int *x) { *x = f(); }",
          "__device__ int f() { return %d; }" }, { flags = %s })
        local x = dc.zeros(1, "int32")
        m.k(1, 1, x)
        print(x[1], dc.stats().compiles, not m:ptx():find "call")]]):format(add, more or "'-dlto'"))
      return (h.shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CACHE=%s/cache %s '%s/dclua' %s/s.lua"):format(dir, env or "",
        build, dir)))
    end
    assert.equal("5\t2\ttrue\n", run(5))
    assert.equal("5\t0\ttrue\n", run(5, "DOTCOMPUTE_NVJITLINK=" .. (os.getenv "DOTCOMPUTE_NVJITLINK" or "")))
    assert.equal("6\t1\ttrue\n", run(6), "the other source is not compiled again")
    assert.equal("6\t2\tfalse\n", run(6, "", "{}"))
    assert.equal("6\t2\ttrue\n", run(6, "", "{ '-dlto', '--fmad=false' }"))
    assert.matches("LTO%-IR: k\n", h.shell(("DOTCOMPUTE_CACHE=%s/cache '%s/dclua' --cache list"):format(dir, build)))
    assert(os.execute(("DOTCOMPUTE_DEVICE=cpu '%s/dclua' --bundle %s/s.lua >/dev/null 2>&1"):format(build, dir)))
    assert.equal("6\t0\ttrue\n", (h.shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CACHE=off DOTCOMPUTE_NVRTC=off "
      .. "DOTCOMPUTE_NVJITLINK=off '%s/dclua' %s/s.lua"):format(build, dir))))
    os.execute("rm -rf " .. dir)
  end)
end)

describe("LTO-IR", function()
  local library = require "dotcompute.core".compiler().library

  -- That of a source, made by a program of its own.
  local function ir_of(source, arch)
    local tool, from, to = build .. "/spec/ltoir", h.temporary(source), os.tmpname()
    os.execute(("mkdir -p '%s/spec'"):format(build))
    assert(os.execute(("%s -std=gnu11 -o '%s' spec/c/ltoir.c -ldl"):format(os.getenv "CC" or "cc", tool)))
    assert(os.execute(("env -u LD_PRELOAD LD_LIBRARY_PATH='%s' '%s' '%s' -arch=%s %s %s"):format(library:match "(.*)/",
      tool, library, arch or "compute_75", from, to))) -- NVRTC opens a second library by its bare name
    local ir = h.read(to)
    os.remove(from)
    os.remove(to)
    return ir
  end

  local main = [[
extern __device__ int f(int x);
__global__ void k(int *x) { *x = f(*x); }]]

  it_links("is linked with other sources, in any order, without a flag", function()
    local add, v = math.random(1000), math.random(1000)
    local ir = ir_of(("__device__ int f(int x) { return x + %d; }"):format(add))
    for _, sources in ipairs { { main, ir }, { ir, main } } do
      local m = dc.module(sources)
      local x = dc.full(1, v, "int32")
      m.k(1, 1, x)
      assert.equal(v + add, x[1])
      assert.is_false(has_call(m))
      assert.equal("k(int *x)", m.k.signature)
      assert.equal("\127ELF", m:cubin "sm_90":sub(1, 4))
    end
    local err = fails("compile", "wrong", function()
      dc.module { ir, "__global__ void k(int *x) {\n  *x = wrong; }" }
    end)
    assert.matches("line 2 of the source$", err.at)
  end)

  it_links("may contain kernels", function()
    local ir = ir_of [[
__device__ int made = 5;
__global__ void k(int *x, float v) { *x = v * made; }
extern "C" __global__ void plain(int *x) { *x = 3; }]]
    local m = dc.module(ir)
    local k, x = m:kernel "k(int *, float)", dc.zeros(1, "int32")
    k(1, 1, x, 4)
    assert.equal(20, x[1])
    m = dc.module({ ir, "__global__ void more(int *x) {}" }, { args = { plain = "int *x" } })
    m.plain(1, 1, x)
    assert.equal(3, x[1])
    assert.equal("more(int *x)", m.more.signature)
  end)

  it_links("for a newer architecture runs on the CPU device; a defect in it is an error", function()
    if on_cpu then
      local m = dc.module { main, ir_of("__device__ int f(int x) { return 2 * x; }", "compute_90") }
      local x = dc.full(1, 21, "int32")
      m.k(1, 1, x)
      assert.equal(42, x[1])
      local ptx = dc.module { "__global__ void other() {}", "__device__ int v;" }:ptx()
      fails("compile", "source 1 .* is PTX and others are LTO%-IR", function()
        dc.module { ptx, ir_of(main) }
      end)
      fails("compile", "source 2 .* is for a newer architecture than sm_80", function()
        dc.module { main, ir_of("__device__ int f(int x) { return 2 * x; }", "compute_90") }:cubin "sm_80"
      end)
    end
    fails("compile", "cannot be linked: ", function()
      dc.module { main, ir_of("__device__ int f(int x) { return x; }"):sub(1, 500) }
    end)
  end)

  it_links("and -dlto accept ready-made PTX as a source", function()
    if not on_cpu then return end
    local ptx = dc.module { "__device__ int f(int x) { return x + 7; }", "__global__ void nothing() {}" }:ptx()
    local m = dc.module({ ptx, main }, dlto)
    local x = dc.full(1, 3, "int32")
    m.k(1, 1, x)
    assert.equal(10, x[1])
    assert.equal("\127ELF", m:cubin "sm_90":sub(1, 4))
    assert.equal(2, #dc.module(m:ptx(), dlto):kernels())
  end)
end)

describe("link-time optimization on a GPU (a driver without one)", function()
  local fake = require "spec.fake"
  setup(fake.build)

  it_links("gives machine code, with variables and kernels by name", function()
    local out, report = fake.run [==[
      local m = dc.module({ [[
__device__ float f(float x);
__constant__ float table[8][8];
#define MAKE(name) extern "C" __global__ void name(float *x) { x[0] = f(x[1]) + table[1][2]; }
MAKE(made)
template<class T> __global__ void k(T *x, int n) { x[n] = f(x[0]); }]], "__device__ float f(float x) { return x; }" },
        { flags = "-dlto", instantiate = "k<float>" })
      local g, x = m:global "table", dc.zeros(4)
      print(g.dtype, g:shape())
      m:kernel "k<float>"(1, 1, x, 1)
      m.made(1, 1, x)
      print(m:cubin():sub(2, 4), m:ptx():find "call", m.made.signature)
      local ready = dc.module(m:cubin())
      print(#ready:kernels())
      try(dc.module, { "__global__ void child() {}\n__global__ void k() { child<<<1, 1>>>(); }" }, { flags = "-dlto" })
      try(dc.module, { "__device__ int f(int x);\n__global__ void k(int *x) { *x = f(*x); }" }, { flags = "-dlto" })
      m:close()]==]
    assert.matches("float32\t8\t8\nELF\tnil\tmade%(float %*arg1%)\n2\ncompile\t\t[^\n]*launches "
      .. "kernels itself[^\n]*\ncompile\tNVJITLINK_ERROR\t[^\n]*Unresolved extern function '_Z1fi'\n$", out)
    fake.assert_released(report)
  end)
end)
