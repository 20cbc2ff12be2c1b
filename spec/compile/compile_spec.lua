-- The compile path as users see it: options, headers, the cache, messages with lines of the script.
local dc = require "dotcompute"

local helper = require "spec.helper"
local shell, write, build = helper.shell, helper.write, helper.build

local function fails(fn, ...)
  local ok, err = pcall(fn, ...)
  assert.is_false(ok, "no error was raised")
  assert.equal("table", type(err), tostring(err))
  return err
end

local function value_of(k)
  local x = dc.zeros(1, "int32")
  k(1, 1, x)
  return x[1]
end

describe("options", function()
  it("define, include, headers and flags reach the compiler", function()
    local dir = helper.folder()
    write(dir .. "/deep.h", "#define DEEP 1000\n")
    write(dir .. "/mine.h", "#include \"deep.h\"\n#define MINE (DEEP + 200)\n")
    local source = [[
#include <mine.h>
#include "memory.h"
__global__ void sum(int *x) { x[0] = MINE + MEMORY + N; }]]
    local function compiled(n)
      return dc.kernel(source,
        { include = { dir }, headers = { ["memory.h"] = "#define MEMORY 30\n" }, define = { N = n } })
    end
    assert.equal(1237, value_of(compiled(7)))
    assert.equal(1238, value_of(compiled(8)))
    write(dir .. "/deep.h", "#define DEEP 2000\n")
    assert.equal(2237, value_of(compiled(7)), "a header two levels down changed")
    os.execute("rm -rf " .. dir)
  end)

  it("define macros of any name, also those of NVRTC's own templates, and keep the source's lines", function()
    local n = math.random(100)
    local source = "__global__ void k(T *x) { assert(false); *x = TWICE(Q) + U; }"
    local k = dc.kernel(source, { flags = { "-DQ", "-DTWICE(v)=(2*(v))" },
      define = { T = "int", U = n, Args = false, NDEBUG = true } })
    assert.equal(n + 2, value_of(k))
    for _, options in ipairs { { define = { T = "int", U = n } }, { flags = "-DT=int" } } do
      local err = fails(dc.kernel, "__global__ void k(T *x) {\n  *x = absent;\n}", options)
      assert.matches('line 2 of the source: error: identifier "absent" is undefined', tostring(err))
    end
  end)

  it("of the wrong type are errors that name them", function()
    local source = "__global__ void k(int *x) {}"
    for _, options in ipairs { { define = 3 }, { nonsense = true }, { flags = 3 }, { include = { 1 } } } do
      local err = fails(dc.kernel, source, options)
      assert.equal("argument", err.kind)
    end
    assert.matches("nonsense", tostring(fails(dc.kernel, source, { nonsense = true })))
  end)

  it("whose output no device can load are errors that name the output", function()
    local source = "__global__ void k(int *x) { *x = 8; }"
    for flag, what in pairs { ["-optix-ir"] = "OptiX", ["--fdevice-syntax-only"] = "no code" } do
      local err = fails(dc.kernel, source, { flags = { "--fmad=false", flag } })
      assert.equal("argument", err.kind)
      assert.is_truthy(err.message:find("option 'flags': '" .. flag .. "' makes", 1, true), err.message)
      assert.matches(what, err.message)
    end
  end)

  it("an instance of a template has its own parameter types", function()
    local m = dc.module([[
template<class T, int N> __global__ void fill(T *x, T v) { for (int i = 0; i < N; i++) x[i] = v; }]],
      { instantiate = { "fill<float, 3>", "fill<long long, 2>" } })
    local f, i = dc.zeros(4), dc.zeros(4, "int64")
    m:kernel "fill<float, 3>"(1, 1, f, 1.5)
    m:kernel "fill<long long, 2>"(1, 1, i, 1 << 40)
    assert.same({ 1.5, 1.5, 1.5, 0 }, f:to_table())
    assert.same({ 1 << 40, 1 << 40, 0, 0 }, i:to_table())
  end)

  it("kernels in namespaces, behind macros and typedefs have parameter types", function()
    local m = dc.module [[
typedef unsigned short word;
namespace a { namespace b { __global__ void inner(word *x, word v) { *x = v; } } }
#define MAKE(name, op) __global__ void name(int *x, int v) { *x = *x op v; }
MAKE(plus, +)
MAKE(times, *)
#ifdef NOT_DEFINED
__global__ void dropped(int *x) {}
#endif
extern "C" __global__ void __launch_bounds__(64, 2) bounded(int *x) { *x = 5; }]]
    local x, w = dc.full(1, 6, "int32"), dc.zeros(1, "uint16")
    m:kernel "plus"(1, 1, x, 4)
    m:kernel "times"(1, 1, x, 7)
    assert.equal(70, x[1])
    m:kernel "a::b::inner"(1, 1, w, 65535)
    assert.equal(65535, w[1])
    fails(function() m:kernel "a::b::inner"(1, 1, w, 65536) end)
    m.bounded(1, 1, x)
    assert.equal(5, x[1])
    assert.matches("dropped", tostring(fails(function() return m:kernel "dropped" end)))
  end)
end)

describe("the types of parameters", function()
  local source = [[
struct body { double mass; int id[3]; };
enum class mode : short { none = -1 };
struct hidden;
extern "C" __global__ void k(const body *b, body v, mode m, const mode *ms, hidden *h, float4 *f, float (*rows)[4],
                             const unsigned long long n) {}]]
  local signature = "k(const body *b, body v, mode m, const mode *ms, hidden *h, float4 *f, float (*)[4] rows, " ..
    "unsigned long long n)"

  it("are the same in every dialect of C++, and with debugging information", function()
    for _, options in ipairs { {}, { std = "c++11" }, { std = "c++14" }, { std = "c++20" }, { flags = { "-G" } } } do
      local m = dc.module(source, options)
      assert.equal(signature, m.k.signature)
      assert.is_nil(m:ptx():find("dc_sig_", 1, true), "what was asked of the compiler stands in the code")
      m.k(1, 1, dc.zeros(24 * 2, "uint8"), { mass = 1, id = { 1, 2, 3 } }, -1, dc.zeros(3, "int16"),
        dc.zeros(1, "uint8"), dc.zeros(4), dc.zeros(8), 1 << 40)
    end
  end)

  it("are found whatever CUDA features the source uses", function()
    local m = dc.module [[
#define WORD(a, b) a ## b
typedef WORD(cu, daError_t) fault;
__global__ void pasted(int *x, fault e) { *x = (int)e + WORD(cu, daErrorInvalidValue); }
__global__ void plain(int *x) { *x = 3; }]]
    local x = dc.zeros(1, "int32")
    m.pasted(1, 1, x, 4)
    assert.equal(5, x[1])
    assert.equal("pasted(int *x, cudaError e)", m.pasted.signature)
    assert.equal("k(cudaTextureObject_t t)", dc.kernel("__global__ void k(cudaTextureObject_t t) {}").signature)
  end)
end)

describe("a compile error", function()
  it("shows the script's line, the message once and the source line", function()
    local here = debug.getinfo(1, "l").currentline
    local err = fails(function()
      return dc.kernel [[
__global__ void broken(float *x) {
  int ok = 1;
  x[0] = undeclared + ok;
}]]
    end)
    assert.equal("compile", err.kind)
    assert.equal("NVRTC_ERROR_COMPILATION", err.code)
    local text = tostring(err)
    assert.matches("compile/compile_spec%.lua:" .. here + 5, text)
    assert.matches("undeclared", text)
    assert.matches("x%[0%] = undeclared %+ ok;", text .. (err.log or ""))
  end)

  it("has a place and a sentence, then the source line with a caret, and at most three errors", function()
    local here = debug.getinfo(1, "l").currentline
    local err = fails(function()
      return dc.kernel [[
__global__ void broken(float *x) {
  x[0] = first;
  x[1] = "äöü" + second;
  x[2] = third;
  x[3] = fourth;
  x[4] = fifth;
}]]
    end)
    local lines = {}
    for text in (tostring(err) .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = text end
    assert.matches("^[^ ]*compile_spec%.lua:" .. here + 4 .. ': error: identifier "first" is undefined$', lines[1])
    assert.equal("    x[0] = first;", lines[2])
    assert.equal("           ^", lines[3])
    assert.matches("compile/compile_spec%.lua:" .. here + 5 .. ': error: identifier "second"', lines[4])
    assert.equal((" "):rep(19) .. "^", lines[6], "columns are characters")
    assert.equal("    x[2] = third;", lines[8])
    assert.equal("           ^", lines[9])
    assert.equal("and 2 more", lines[10])
    assert.equal(10, #lines)
    assert.matches("compile_spec%.lua:" .. here + 4 .. "$", err.at)
    assert.matches("compile_spec%.lua:" .. here + 2 .. "$", err.where)
    assert.equal(5, select(2, err.log:gsub("is undefined", "")), "the log has all of them, once")
    assert.matches("compile_spec%.lua:" .. here + 8 .. ": error: identifier \"fifth\"", err.log)
  end)

  it("in a header names the header's line, also with cyclic includes", function()
    local err = fails(dc.kernel, '#include "mine.h"\n__global__ void k() {}',
      { headers = { ["mine.h"] = "\n__device__ int f() {\n  return gone; }" } })
    assert.matches("compile_spec%.lua:%d+: mine%.h:3: error: identifier \"gone\"", tostring(err))
    err = fails(dc.kernel, '#include "a.h"\n__global__ void k() {}',
      { headers = { ["a.h"] = '#include "b.h"', ["b.h"] = '#include "a.h"' } })
    assert.matches("b%.h:1: .*includes itself", err.message)
    assert.is_truthy(dc.kernel('#include "a.h"\n__global__ void k(int *x) { *x = A + B; }',
      { headers = { ["a.h"] = '#pragma once\n#include "b.h"\n#define A 1', ["b.h"] = '#include "a.h"\n#define B 2' } }))
  end)

  it("aligns the caret after tabs", function()
    local err = fails(dc.kernel, "__global__ void k(int *x) {\n\tx[0] = \tnothing;\n}")
    assert.matches("\n  \tx%[0%] = \tnothing;\n  \t       \t^", err.message)
  end)

  it("is short, even for a long line or name", function()
    local long = ("x[0] = 1; "):rep(1000)
    local err = fails(dc.kernel, "__global__ void k(int *x) { " .. long .. "x[1] = nothing;" .. long .. "}")
    local shown, caret = err.message:match "\n(.-)\n( *%^)"
    assert.is_true(#shown < 200)
    assert.equal("nothing", shown:sub(#caret, #caret + 6))
    err = fails(dc.kernel, "__global__ void k() { " .. ("y"):rep(1 << 20) .. "; }")
    assert.is_true(#err.message < 1000)
  end)

  it("is found in sources of 10 MB, which compile otherwise", function()
    local filler = ("// one more line of which there are many, all about nothing in particular\n"):rep(145000)
    assert.is_true(#filler > 10 << 20)
    assert.equal(3, value_of(dc.kernel(filler .. "__global__ void k(int *x) { *x = 3; }")))
    local err = fails(dc.kernel, filler .. "__global__ void k(int *x) { *x = missing; }")
    assert.matches("line 145001 of the source: error: identifier \"missing\"", err.message)
    assert.is_true(#err.message < 500)
  end)

  it("is raised for zero bytes, which the compiler would take for the end of the source", function()
    local source = "__global__ void k(int *x) { *x = 1; }"
    assert.matches("NUL byte at position 3", fails(dc.kernel, "//\0\n" .. source).message)
    assert.matches("line 2 of the source: .*byte 0xFF", fails(dc.kernel, "\n// \xff\n" .. source).message)
    local err = fails(dc.kernel, source, { headers = { ["mine.h"] = "// \xff" } })
    assert.matches("mine%.h holds the byte 0xFF", err.message)
    assert.matches("NUL", fails(dc.kernel, source, { define = { A = "1\0002" } }).message)
    assert.matches("NUL", fails(dc.kernel, source, { headers = { ["a.h"] = "\0" } }).message)
    assert.equal(1, value_of(dc.kernel("// Latin-1: \xe4\xf6, half a character: \xc3\n" .. source)))
  end)

  it("in a string built at run time names the lines of the call and of the source", function()
    local here = debug.getinfo(1, "l").currentline + 1
    local err = fails(function() return dc.kernel("__global__ void b(int *x) {\n  *x = " .. "missing" .. ";\n}") end)
    assert.matches("compile/compile_spec%.lua:" .. here, tostring(err))
    assert.matches("2", tostring(err))
  end)

  it("is raised for text that is not CUDA C, is empty, or has no kernel", function()
    for _, source in ipairs { "hello world", "", "int f(int x) { return x; }", "__device__ int f() { return 1; }",
      "__global__ void f() {", "\0", "/* no end" } do
      local err = fails(dc.kernel, source)
      assert.equal("compile", err.kind, source)
      assert.is_true(#err.message > 10)
    end
  end)

  it("is not raised for a second kernel; dc.kernel asks for its name", function()
    local source = "__global__ void first(int *x) { *x = 1; }\n__global__ void second(int *x) { *x = 2; }"
    local text = tostring(fails(dc.kernel, source))
    assert.matches("first", text)
    assert.matches("second", text)
    assert.equal(2, value_of(dc.kernel(source, { name = "second" })))
    assert.matches("third", tostring(fails(dc.kernel, source, { name = "third" })))
  end)
end)

describe("warnings", function()
  local source = "__global__ void k(int *x) {\n  int never_used;\n  *x = 1;\n}"

  it("are shown on request, with lines of the script, from the cache too", function()
    local name = os.tmpname()
    local function child(options, environment)
      write(name, ("local dc = require 'dotcompute'\nlocal k = dc.kernel([[\n%s]]%s)\nio.write(k.module:log())\n")
        :format(source, options))
      return shell(("DOTCOMPUTE_DEVICE=cpu %s '%s/dclua' %s 2>&1 >/dev/null"):format(environment or "", build, name))
    end
    assert.equal("", child "")
    for _ = 1, 2 do
      local text = child ", { warnings = true }"
      assert.matches("^[^\n]*:4: warning [^\n]*never_used[^\n]*\n +int never_used;\n +%^", text)
      assert.equal(1, select(2, text:gsub("never_used\"", "")))
    end
    assert.matches(":4: warning .*never_used", child("", "DOTCOMPUTE_LOG=compile"))
    os.remove(name)
    assert.matches("never_used", dc.kernel(source).module:log())
    assert.equal("argument", fails(dc.kernel, source, { warnings = "yes" }).kind)
  end)
end)

describe("the cache", function()
  -- A child process with a cache folder of its own; prints the counters.
  local function child(cache, extra, source)
    local name = os.tmpname()
    write(name, ([[
local dc = require "dotcompute"
dc.use "cpu"
local k = dc.kernel "__global__ void k(int *x) { x[0] = %s; }"
local x = dc.from_bytes(("\0"):rep(4), {1}, "int32")
k(1, 1, x)
local s = dc.stats()
print(x[1], s.compiles, s.cache_hits)
]]):format(source or "42"))
    local text = shell(("DOTCOMPUTE_LOG=compile DOTCOMPUTE_CACHE='%s' %s '%s/dclua' %s"):format(cache, extra or "",
      build, name))
    os.remove(name)
    local loaded = text:find("loaded NVRTC", 1, true) -- logged by the compiler process
    return text:gsub("dotcompute: compile: [^\n]*\n", "") .. (loaded and "nvrtc loaded\n" or "nvrtc not loaded\n")
  end

  it("serves a second process without loading the compiler", function()
    local dir = helper.folder()
    assert.equal("42\t1\t0\nnvrtc loaded\n", child(dir))
    assert.equal("42\t0\t1\nnvrtc not loaded\n", child(dir))
    assert.equal("43\t1\t0\nnvrtc loaded\n", child(dir, "", "43"))
    os.execute("rm -rf " .. dir)
  end)

  it("rebuilds damaged, truncated and foreign files", function()
    local dir = helper.folder()
    child(dir)
    for _, damage in ipairs {
      "printf x | dd of=$f bs=1 seek=200 conv=notrunc status=none", "truncate -s 100 $f", ": > $f",
      "head -c 5000 /dev/urandom > $f",
    } do
      shell(("for f in %s/*; do %s; done"):format(dir, damage))
      assert.equal("42\t1\t0\nnvrtc loaded\n", child(dir), damage)
      assert.equal("42\t0\t1\nnvrtc not loaded\n", child(dir), damage)
    end
    os.execute("rm -rf " .. dir)
  end)

  it("stays in memory when the folder cannot be used", function()
    local dir = helper.folder()
    assert.matches("^42\t1\t0\n", child("/proc/nowhere"))
    write(dir .. "/file", "")
    assert.matches("^42\t1\t0\n", child(dir .. "/file"))
    assert.matches("^42\t1\t0\n", child("off"))
    -- a folder that others may write is not trusted
    os.execute("chmod 777 " .. dir)
    child(dir)
    assert.matches("^42\t1\t0\n", child(dir))
    os.execute("rm -rf " .. dir)
  end)

  it("serves many processes that start at once with an empty cache", function()
    local dir, script = helper.folder(), os.tmpname()
    write(script, [[
local dc = require "dotcompute"
dc.use "cpu"
local k = dc.kernel "__global__ void k(int *x) { x[0] = 7; }"
local x = dc.from_bytes(("\0"):rep(4), {1}, "int32")
k(1, 1, x)
print(x[1])
]])
    local text = shell(("for i in 1 2 3 4 5 6; do DOTCOMPUTE_CACHE=%s '%s/dclua' %s & done; wait")
      :format(dir, build, script))
    assert.equal(("7\n"):rep(6), text)
    assert.equal("0\n", shell(("ls %s | grep -vc '%%.bin$'"):format(dir):gsub("%%", "\\") .. " || true"))
    os.execute("rm -rf " .. dir)
    os.remove(script)
  end)
end)

describe("without NVRTC", function()
  it("the error says what to do, and Lua goes on", function()
    local name = os.tmpname()
    write(name, [[
local dc = require "dotcompute"
local ok, err = pcall(dc.kernel, "__global__ void k(int *x) {}")
print(ok, err.kind, err.code)
print(err.message:match "make demo" and "says how" or err.message)
]])
    local text = shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CACHE=off DOTCOMPUTE_NVRTC=/no/such/file '%s/dclua' %s")
      :format(build, name))
    os.remove(name)
    assert.equal("false\tcompile\tNVRTC_NOT_FOUND\nsays how\n", text)
  end)
end)
