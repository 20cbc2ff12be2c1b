-- Modules: instances of templates, variables as arrays, linked sources, PTX, edited files, closing.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails, write, with_file = h.fails, h.write, h.with_file
local random = math.random

local function one(dtype) return dc.zeros(1, dtype or "int32") end

local on_cpu = dc.device().backend == "cpu"

describe("templates", function()
  local source = [[
template<class T, int N> __global__ void scale(T *x) { for (int i = 0; i < N; i++) x[i] *= 2; }
template<class A, class B> __global__ void convert(const A *x, B *y) { *y = (B)*x; }
template<bool add> __global__ void step(int *x) { *x += add ? 1 : -1; }]]

  it("are selected by name, whatever the blanks", function()
    local m = dc.module(source, { instantiate = { "scale<float, 4>", "convert<unsigned   int,double>" } })
    local k = m:kernel "scale<float,4>"
    assert.equal(k, m:kernel "scale< float , 4 >")
    assert.equal(k, m:kernel " scale<float,\t4>")
    assert.is_truthy(m:kernel "convert<unsigned int, double>")
    local t = h.values(6, "float32")
    local x = dc.array(t)
    k(1, 1, x)
    for i = 1, 6 do assert.equal(i <= 4 and h.f32(t[i] * 2) or t[i], x[i]) end
  end)

  it("are selected by dtypes and numbers", function()
    local m = dc.module(source)
    for _, dtype in ipairs { "int8", "uint16", "int32", "int64", "float32", "float64" } do
      local x = dc.ones(3, dtype)
      m:kernel("scale", dtype, 2)(1, 1, x)
      assert.equal("2 2 1", ("%d %d %d"):format(x[1] // 1, x[2] // 1, x[3] // 1))
      assert.equal(m:kernel("scale", dtype, 2), m:kernel("scale", x, 2), "an array stands for its dtype")
    end
    assert.equal(m:kernel("scale", "f32", 3), m:kernel "scale<float, 3>")
    local y = one "float64"
    m:kernel("convert", "uint8", "double")(1, 1, dc.full(1, 200, "uint8"), y)
    assert.equal(200.0, y[1])
    local x = one()
    m:kernel("step", true)(1, 1, x)
    m:kernel("step", true)(1, 1, x)
    m:kernel("step", false)(1, 1, x)
    assert.equal(1, x[1])
  end)

  it("with invalid arguments are errors", function()
    local m = dc.module(source)
    fails("argument", "bad argument #2 to 'kernel': a dtype", function() m:kernel("scale", {}) end)
    fails("argument", "template arguments already", function() m:kernel("scale<int, 2>", "float32") end)
    fails("argument", "NUL", function() m:kernel "scale<int\0, 2>" end)
    fails("compile", "scale<no_such_type, 2>.*no_such_type", function() m:kernel("scale", "no_such_type", 2) end)
    fails("compile", "convert<double>", function() m:kernel("convert", "double") end)
    fails("argument", "there is no kernel 'nothing'", function() m:kernel "nothing" end)
  end)

  it("whose bodies do not compile show the line in the template", function()
    local here = h.line(1)
    local m = dc.module [[
template<class T> __global__ void poke(T *x) {
  x->field = 1;
}]]
    local err = fails("compile", "error: .*with T=int", function() m:kernel("poke", "int32") end)
    assert.matches("_spec%.lua:" .. here + 2 .. "$", err.at)
  end)
end)

describe("a module's variables", function()
  local source = [[
namespace ns {
  struct body { double mass; float at[3]; };
  __constant__ float coeffs[3][4] = { { 1 } };
  __device__ body bodies[5];
  __device__ float4 colours[2][3];
}
__constant__ int n = 5, unused_by_all = 77;
__device__ __align__(16) double table[100];
static __device__ unsigned char hidden = 3;
__device__ bool flag;
__device__ const float *where;
extern "C" { __device__ long long wide[2] = { 1LL << 40, -1 }; }
__device__ __forceinline__ int not_a_variable(int x) { return x; }
__global__ void sum(double *out) {
  double s = n + hidden + flag + not_a_variable((int)wide[1]);
  for (int i = 0; i < 3; i++) for (int k = 0; k < 4; k++) s += ns::coeffs[i][k];
  for (int i = 0; i < 100; i++) s += table[i];
  *out = s + ns::bodies[4].at[1] + ns::colours[1][2].z;
}
__global__ void count() { table[0] += 1; }
__global__ void look(int *out) { *out = n; }]]

  it("have the compiler's dtype and shape", function()
    local m = dc.module(source)
    local want = {
      ["ns::coeffs"] = "float32 3x4", ["ns::bodies"] = "uint8 5x24", ["ns::colours"] = "float32 2x3x4",
      n = "int32 ", unused_by_all = "int32 ", table = "float64 100", hidden = "uint8 ", flag = "bool ",
      where = "uint64 ", wide = "int64 2",
    }
    for name, text in pairs(want) do
      local g = m:global(name)
      assert.equal(text, g.dtype .. " " .. table.concat({ g:shape() }, "x"), name)
      assert.equal(dc.device(), g.device)
    end
    assert.equal(77, m:global "unused_by_all":item())
    assert.same({ 1 << 40, -1 }, m:global "wide":to_table())
    assert.equal(m:global "n", m:global "n")
  end)

  it("are read and written by scripts and kernels", function()
    local m = dc.module(source)
    local coeffs, t = {}, h.ints(100)
    for i = 1, 3 do coeffs[i] = h.ints(4) end
    m:global "ns::coeffs"[":"] = coeffs
    m:global "table"[":"] = t
    m:global "n":fill(1000)
    m:global "flag":fill(true)
    m:global "ns::colours"[{ 2, 3, 3 }] = 0.5
    local want = 1000 + 3 + 1 - 1 + 0.5
    for i = 1, 3 do for k = 1, 4 do want = want + coeffs[i][k] end end
    for i = 1, 100 do want = want + t[i] end
    local out = one "float64"
    m.sum(1, 1, out)
    assert.equal(want, out[1], h.note())
    local body = m:global "ns::bodies"[5]
    body[":"] = dc.from_bytes(string.pack("<dfff", 0, 1, 0.25, 3) .. "\0\0\0\0", { 24 }, "uint8")
    m.sum(1, 1, out)
    assert.equal(want + 0.25, out[1], h.note())
  end)

  it("may be templates, named beforehand or used by a kernel", function()
    local m = dc.module([[
namespace ns { template<class T, int N> __constant__ T fixed[N][2]; }
template<class T> __device__ T table[4] = { 1, 2 };
template<> __device__ int table<int>[4] = { 9 };
template<class T> __global__ void k(T *x) { *x = table<T>[1] + ns::fixed<T, 3>[2][1]; }
__global__ void other(int *x) { *x = table<int>[0]; }]], { instantiate = { "k<float>", "table<double>" } })
    local want = {
      ["table<float>"] = "float32 4", ["table<int>"] = "int32 4", [" table < double >"] = "float64 4",
      ["ns::fixed<float,3>"] = "float32 3x2",
    }
    for name, text in pairs(want) do
      local g = m:global(name)
      assert.equal(text, g.dtype .. " " .. table.concat({ g:shape() }, "x"), name)
      assert.equal(g, m:global(name))
    end
    assert.same({ 9, 0, 0, 0 }, m:global "table<int>":to_table())
    local a, b = math.random(1000), math.random(1000)
    m:global "table<float>"[2] = a
    m:global "ns::fixed<float, 3>"[{ 3, 2 }] = b
    local out = one "float32"
    m:kernel "k<float>"(1, 1, out)
    assert.equal(a + b, out[1], h.note())
    fails("argument", "no kernel of the module uses the variable 'table<short>', .*instantiate", function()
      m:global "table<short>"
    end)
    for _, name in ipairs { "k<float>", "nothing<int>", "table<floot>", "table<" } do
      fails("argument", "no variable '" .. name .. "' in the module; it has table<double>", function()
        m:global(name)
      end)
    end
    fails("compile", "names no instance of a kernel or variable", function()
      dc.module("template<class T> __device__ T v;", { instantiate = { "w<int>" } })
    end)
  end)

  it("may be managed memory", function()
    local m = dc.module [[
__managed__ int three[3] = { 1, 2, 3 };
static __managed__ short small = 7;
namespace ns {
  __device__ __managed__ float y = 2;
  __managed__ __device__ float4 w[2];
  static __managed__ double z[2][2];
}
__global__ void k(double *x) { *x = three[1] + small + ns::y + ns::w[1].y + ns::z[1][0]; ns::y = 3; }]]
    local want = { three = "int32 3", small = "int16 ", ["ns::y"] = "float32 ", ["ns::w"] = "float32 2x4",
      ["ns::z"] = "float64 2x2" }
    for name, text in pairs(want) do
      local g = m:global(name)
      assert.equal(text, g.dtype .. " " .. table.concat({ g:shape() }, "x"), name)
    end
    m:global "three"[2], m:global "ns::w"[{ 2, 2 }], m:global "ns::z"[{ 2, 1 }] = 100, 1000, 10000
    local out = one "float64"
    m.k(1, 1, out)
    assert.equal(11109.0, out[1])
    assert.equal(3.0, m:global "ns::y":item())
  end)

  it("are read by pending expressions before a kernel of the module runs", function()
    local m = dc.module(source)
    local t = m:global "table"
    t:fill(5)
    local before, total = t * 2, t:sum()
    m.count(1, 1)
    m.count(1, 1)
    assert.equal(10.0, before[1])
    assert.equal(500.0, total:item())
    assert.equal(7.0, t[1])
    assert.equal(7.0, t[{ { 1, 2 } }][1])
  end)

  it("keep the code alive, not the module object", function()
    local g = dc.module(source):global "wide"
    for _ = 1, 3 do collectgarbage() end
    assert.equal(1 << 40, g[1])
  end)

  it("that do not exist are an error that lists those that do", function()
    local err = fails("argument", "no variable 'nothing' in the module; it has ", function()
      dc.module(source):global "nothing"
    end)
    assert.matches("ns::coeffs", err.message)
    fails("argument", "no variable 'x'", function() dc.module "__global__ void k() {}":global "x" end)
    fails("argument", "a variable's name", function() dc.module(source):global(5) end)
  end)

  it("declared by macros are bytes", function()
    local m = dc.module [[
#define TABLE(name, type) __device__ type name[3];
TABLE(made, int)
__global__ void k(int *x) { *x = made[1]; }]]
    local g = m:global "made"
    if g.dtype == "uint8" then assert.equal(12, g.size) else assert.equal("int32", g.dtype) end
  end)

  it("make instances that are not named beforehand errors", function()
    local m = dc.module "__device__ int v;\ntemplate<class T> __global__ void k(T *x) { *x = v; }"
    fails("argument", "instantiate", function() m:kernel "k<int>" end)
  end)
end)

describe("linked sources", function()
  local main = [[
extern __device__ float helper(float x, int *p);
extern __device__ int table[4];
static __device__ int counter;
template<class T> __device__ __noinline__ T twice(T x) { return x + x; }
__global__ void run(float *x) {
  x[0] = helper(x[0], &counter) + table[1] + twice(x[1]);
  counter++;
}]]
  local library = [[
__device__ int table[4] = {1, 2, 3, 4};
static __device__ int counter = 7;
template<class T> __device__ __noinline__ T twice(T x) { return x + x; }
__device__ float helper(float x, int *p) { return twice(x) + *p + 100 * counter; }
template<class T> __global__ void fill(T *x, T v) { *x = v; }]]

  local function check(m)
    local x = dc.array { 10, 20 }
    m.run(1, 1, x)
    assert.equal(20.0 + 0 + 700 + 2 + 40, x[1])
    m.run(1, 1, x)
    assert.equal(2 * 762.0 + 1 + 700 + 2 + 40, x[1])
  end

  it("share functions and variables, and keep static ones separate", function()
    local m = dc.module { main, library }
    check(m)
    assert.same({ 1, 2, 3, 4 }, m:global "table":to_table())
    assert.equal(2, m:global "counter":item())
    m:global "table"[2] = 1000
    local x = dc.array { 0, 0 }
    m.run(1, 1, x)
    assert.equal(2 + 700 + 1000.0, x[1])
  end)

  it("may be named in the option link, hold instances, and come in any order", function()
    check(dc.module(main, { link = library }))
    check(dc.module(library, { link = { main } }))
    local m = dc.module({ main, library }, { instantiate = "fill<int>" })
    check(m)
    local x = one()
    m:kernel("fill", "int32")(1, 1, x, 9)
    assert.equal(9, x[1])
    assert.equal("run", dc.kernel(main, { link = library, name = "run" }).name)
  end)

  it("may be ready-made PTX", function()
    if not on_cpu then return end
    local ptx = dc.module { library, "__device__ void nothing() {}" }:ptx()
    check(dc.module { main, ptx })
    check(dc.module { ptx, main })
  end)

  it("name the right line of the right source", function()
    local here = h.line(2)
    local err = fails("compile", "wrong", function()
      dc.module { [[
__device__ int first() { return 1; }]], [[
__device__ int second() { return 2; }
__global__ void third(int *x) {
  *x = wrong;
}]] }
    end)
    assert.matches("_spec%.lua:" .. here + 4 .. "$", err.at)
    with_file("__global__ void f() {\n  oops;\n}\n", function(name)
      err = fails("compile", "oops", function() dc.module_file { name } end)
      assert.equal(name .. ":2", err.at)
    end)
    if not on_cpu then return end
    local start = h.line(2)
    local m = dc.module { "__device__ int zero() { return 0; }\n\n", [[
__global__ void bad(int *x) {
  int i = threadIdx.x;
  x[i - 3000000] = 1;
}]] }
    err = fails("launch", "bad", function() m.bad(1, 1, one()) end)
    assert.matches("_spec%.lua:" .. start + 2 .. "[^%d]", err.message)
  end)

  it("that do not fit together are errors", function()
    local on_gpu = dc.device().backend == "cuda" -- NVIDIA's linker words it
    fails("compile", on_gpu and "cannot be linked: .*helper" or "helper.*defined in none",
      function() dc.module { main, "__device__ int table[4];" } end)
    fails("compile", on_gpu and "cannot be linked" or "defined in source 1 and in source 2",
      function() dc.module { main, main } end)
    fails("argument", "source 2 is no string but", function() dc.module { main, 5 } end)
    fails("argument", "option 'link'", function() dc.module(main, { link = 3 }) end)
  end)
end)

describe("code", function()
  local source = "__global__ void inc(int *x) { *x += 1; }"

  it("is shown as PTX and machine code of any architecture", function()
    local m = dc.module(source)
    assert.matches("%.version", m:ptx())
    assert.matches("%.target sm_80", m:ptx "compute_80")
    assert.equal("\127ELF", m:cubin "sm_90":sub(1, 4))
    assert.equal("\127ELF", dc.module { source, "__device__ int f() { return 1; }" }:cubin "sm_90":sub(1, 4))
    assert.equal("\127ELF", dc.module(m:ptx()):cubin "sm_90":sub(1, 4))
    fails("argument", "no architecture", function() m:cubin "ninety" end)
    fails("argument", "no architecture", function() m:ptx "sm_9x" end)
    if on_cpu then
      fails("argument", "name the architecture", function() m:cubin() end)
      fails("argument", "name the architecture", function() m:sass() end)
      fails("compile", "machine code of a GPU", function() dc.module(m:cubin "sm_90") end)
    end
  end)

  it("is linked by nvJitLink; the error for a missing one names it", function()
    local child = ([[
      local dc = require "dotcompute"
      local m = dc.module { %q, "__device__ int f() { return 1; }" }
      local ok, err = pcall(m.cubin, m, "sm_90")
      print(ok, err.code, err.message:match "install" or err.message)]]):format(source)
    local text = h.shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CACHE=off DOTCOMPUTE_NVJITLINK=off '%s/dclua' -e %s")
      :format(h.build, h.quote(child)))
    assert.equal("false\tNVJITLINK_NOT_FOUND\tinstall\n", text)
  end)

  it("is disassembled by nvdisasm; the error for a missing one names it", function()
    local dir = h.folder()
    assert(os.execute("mkdir " .. dir .. "/bin"))
    write(dir .. "/bin/nvdisasm",
      "#!/bin/sh\n[ \"$1\" = -c ] && head -c 4 \"$2\" | tail -c 3\necho\necho '/*0000*/ EXIT ;'\n")
    os.execute("chmod 755 " .. dir .. "/bin/nvdisasm")
    local child = ([[print(pcall(function() return require "dotcompute".module(%q):sass "sm_90" end))]]):format(source)
    local text = h.shell(("DOTCOMPUTE_DEVICE=cpu CUDA_PATH=%s DOTCOMPUTE_NVRTC='%s' '%s' -e %s")
      :format(dir, os.getenv "DOTCOMPUTE_NVRTC" or "", h.dclua, h.quote(child)))
    os.execute("rm -rf " .. dir)
    assert.matches("^true\tELF\n/%*0000%*/ EXIT ;\n", text)
    local tools = "nvdisasm cuobjdump /usr/local/cuda*/bin/nvdisasm /usr/local/cuda*/bin/cuobjdump"
    if h.shell("for t in " .. tools .. "; do command -v $t; done") ~= "" then return end
    fails("compile", "nvdisasm.*install", function() dc.module(source):sass "sm_90" end)
  end)

  it("given as PTX runs unchanged", function()
    local ptx = dc.module(source):ptx()
    local x = one()
    dc.kernel(ptx)(1, 1, x)
    assert.equal(1, x[1])
  end)
end)

describe("a file that was edited", function()
  it("is recompiled by reload, and its kernels are the new ones", function()
    with_file("__constant__ int c = 3;\n__global__ void k(int *x) { *x = c; }\n__global__ void j() {}", function(name)
      local k, m = dc.kernel_file(name, { name = "k" }), dc.module_file(name)
      local variant, j, g, x = k:with { shared = 16 }, m.j, m:global "c", one()
      k(1, 1, x)
      assert.equal(3, x[1])
      assert.is_false(k:reload())
      assert.is_false(m:reload())
      assert.equal(3, g:item())

      write(name, "__constant__ int c = 4;\n__global__ void k(int *x, int y) { *x = c + y; }")
      assert.is_true(k:reload())
      assert.is_true(m:reload())
      fails("argument", "2 arguments expected", function() k(1, 1, x) end)
      k(1, 1, x, 100)
      assert.equal(104, x[1])
      variant(1, 1, x, 200)
      assert.equal(204, x[1])
      fails("argument", "no kernel 'j'", function() j(1, 1) end)
      fails("argument", "closed", function() return g:item() end)
      assert.equal(4, m:global "c":item())

      write(name, "\n__global__ void k(int *x) { *x = nothing; }")
      local err = fails("compile", "nothing", function() k:reload() end)
      assert.equal(name .. ":2", err.at)
      k(1, 1, x, 1)
      assert.equal(5, x[1], "after an error all is as it was")
    end)
  end)

  it("may be reloaded during a launch: it raises or launches the old kernel, and leaks nothing", function()
    local function text(n)
      return ([[
struct S { int a; float b[2]; const float *p; };
__global__ void k(S s, float *x) { x[0] = s.a + s.b[0] + s.p[0] + %d; }]]):format(n)
    end
    with_file(text(1), function(name)
      local m, n, x = dc.module_file(name), 1, dc.zeros(1)
      local k = m.k
      local function reload()
        n = n + 1
        write(name, text(n))
        m:reload()
        k(1, 1, { a = 1, b = { 2, 3 }, p = dc.full(1, 4) }, x)
        collectgarbage()
        assert.equal(7 + n, x[1])
      end
      local function extents(value)
        return setmetatable({}, { __index = function() reload() return value end })
      end
      local s = { a = 10, b = { 20, 30 }, p = dc.full(1, 40) }
      fails("launch", "reloaded while", function() k(extents(1), 1, s, x) end)
      fails("launch", "reloaded while", function() k(1, extents(1), s, x) end)
      fails("launch", "grid's x is 1.5", function() k(extents(1.5), 1, s, x) end)
      fails("launch", "block is an integer", function() k(1, extents(nil), s, x) end)

      local before, launched, ended = n, 0, false
      while n == before do -- until a collection comes while an argument is computed
        local function collected() if not ended and random(50) == 1 then reload() end end
        for _ = 1, 4 do setmetatable({}, { __gc = collected }) end
        local big = dc.full(100000, 40) + 0
        local ok, err = pcall(k, 1, 1, { a = 10, b = { 20, 30 }, p = big }, x)
        local after = n -- a collection after the launch reloads too, and launches
        if not ok then assert.matches("reloaded while", err.message)
        else
          local value = x[1]
          assert.is_true(value >= 70 + before or n > after and value == 7 + n, value)
        end
        launched = launched + 1
      end
      ended = true -- what finalizers make while the Lua state closes, Lua does not finalize
      assert.is_true(launched > 0)
    end)
  end)

  it("is recompiled after the edit of a header, too, with its instances", function()
    with_file("#define VALUE 10\n", function(header)
      local source = ('#include "%s"\ntemplate<class T> __global__ void k(T *x) { *x = VALUE; }'):format(header)
      with_file(source, function(name)
        local m = dc.module_file(name)
        local k, x = m:kernel("k", "int32"), one()
        k(1, 1, x)
        assert.equal(10, x[1])
        write(header, "#define VALUE 20\n")
        assert.is_true(m:reload())
        k(1, 1, x)
        assert.equal(20, x[1])
      end)
    end)
  end)

  it("must exist: a module of a string cannot be reloaded", function()
    fails("argument", "does not come from a file", function() dc.module "__global__ void k() {}":reload() end)
    with_file("__global__ void k() {}", function(name)
      local k = dc.kernel_file(name)
      os.remove(name)
      fails("io", name:gsub("%p", "%%%0"), function() k:reload() end)
      k(1, 1)
    end)
  end)
end)

describe("a closed module", function()
  it("and its kernels raise errors", function()
    local m = dc.module "template<class T> __global__ void t(T *x) { *x = 2; }\n__global__ void k(int *x) { *x = 1; }"
    local k, t, x = m.k, m:kernel("t", "int32"), one()
    k(1, 1, x)
    local e = x + 1
    m:close()
    m:close()
    assert.equal(2, e[1])
    fails("argument", "kernel 'k' cannot be used: its module is closed", function() k(1, 1, x) end)
    fails("argument", "kernel 't<int>' cannot be used", function() t(1, 1, x) end)
    fails("argument", "closed", function() return k.attributes end)
    fails("argument", "closed", function() k:with { shared = 1 } end)
    fails("argument", "the module is closed", function() return m.k end)
    fails("argument", "the module is closed", function() m:ptx() end)
    assert.equal("closed module", tostring(m))
  end)

  it("closes the arrays over its variables, after pending expressions have read them", function()
    local g, e
    do
      local m <close> = dc.module "__device__ int v[3] = {1, 2, 3};\n__global__ void k() { v[0] = 5; }"
      g = m:global "v"
      e = g * 10
    end
    fails("argument", "closed", function() return g[1] end)
    assert.same({ 10, 20, 30 }, e:to_table())
  end)
end)

describe("on a GPU (a driver without one)", function()
  local fake = require "spec.fake"
  setup(fake.build)

  it("variables are arrays, closing releases all, and linked code is machine code", function()
    local out, report = fake.run [==[
      local m = dc.module [[
__device__ float table[8][8];
__constant__ int other[64];
__global__ void k() { table[0][0] = other[1]; }]]
      local g = m:global "table"
      print(g.dtype, g:shape())
      g:fill(3)
      m.k(1, 1)
      m:global "other":fill(7)
      print(g[1][2], m:global "other"[64])
      try(m.global, m, "nothing")
      print(m:cubin():sub(2, 4), #m:ptx() > 100)
      local linked = dc.module { "extern __device__ int f();\n__global__ void k(int *x) { *x = f(); }",
        "__device__ int f() { return 1; }" }
      print(linked:cubin():sub(2, 4))
      linked.k(1, 1, dc.zeros(1, "int32"))
      local ready = dc.module(linked:cubin())
      print(table.concat(ready:kernels(), " "))
      ready:kernel(ready:kernels()[1])(1, 1, dc.zeros(1, "int32"))
      local k = m.k
      m:close()
      try(k, 1, 1)]==]
    local want = "float32\t8\t8\n3.0\t7\nargument\t[^\n]*no variable 'nothing'[^\n]*\nELF\ttrue\nELF\n"
      .. "[^\n]*k[^\n]*\nargument\t[^\n]*module is closed[^\n]*\n$"
    assert.matches(want, out)
    fake.assert_released(report)
  end)
end)
