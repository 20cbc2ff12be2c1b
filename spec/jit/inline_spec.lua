-- CUDA C in kernels in Lua: dc.cuda, functions of modules (dc.extern), and unrolled loops.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

describe("dc.cuda", function()
  it("computes expressions of values of every type", function()
    for _, dtype in ipairs { "int8", "uint16", "int32", "int64", "float32", "float64" } do
      local x, want = {}, {}
      for i = 1, 40 do x[i] = math.random(0, 40) end
      for i, v in ipairs(x) do want[i] = v * 3 + i end
      local out = dc.zeros(40, dtype)
      dc.jit(function(a, b)
        local i = dc.index()
        if i <= #a then b[i] = dc.cuda(dtype, "$1 * 3 + $2", a[i], i) end
      end):forall(40, dc.array(x, dtype), out)
      if dtype ~= "int8" then h.same(want, out:to_table(), dtype) end
      local sizes = dc.zeros(2, "int32")
      dc.jit(function(a, b)
        b[1], b[2] = dc.cuda("int32", "sizeof($1)", a[1]), dc.cuda("int32", "sizeof($1)", 1.5)
      end)(1, 1, dc.array(x, dtype), sizes)
      h.same({ tonumber(dtype:match "%d+") // 8, 8 }, sizes:to_table(), dtype)
    end
  end)

  it("has statements, over several lines, that set $0 or elements of arrays", function()
    local x, out = dc.array({ 5, 6, 7 }, "int32"), dc.zeros({ 3, 2 }, "int64")
    dc.jit(function(a, b)
      local i = dc.index()
      b[i][1] = dc.cuda("int32", [[
        int sum = 0;
        for (int k = 0; k < $2; k++) sum += $1[k]; // all before, and this one
        $0 = sum;
      ]], a, i)
      dc.cuda("void", "$1[2 * $2 - 1] = $3 ? 10 : 20;", b, i, a[i] > 5)
    end)(1, 3, x, out)
    assert.same({ { 5, 20 }, { 11, 10 }, { 18, 10 } }, out:to_table())
  end)

  it("includes headers, writes a dollar as two, and evaluates a value once", function()
    local out, count = dc.zeros(2, "int32"), dc.zeros(1, "int32")
    dc.jit(function(a, n)
      a[1] = dc.cuda("int32", [[
        #include <cuda_fp16.h>
        (int)__half2float(__hadd(__float2half($1), __float2half($1)))
      ]], dc.atomic_add(n, 1, 1) + 2)
      a[2] = dc.cuda("int32", 'sizeof("$$1") + 0 * $1', 1)
    end)(1, 1, out, count)
    assert.same({ 4, 3, 1 }, { out[1], out[2], count[1] })
  end)

  it("is a value as any other: in expressions, functions and dc.vectorize", function()
    local function half(x) return dc.cuda("float32", "0.5f * $1", x) end
    local f = dc.vectorize(dc.jit(function(x) return half(x) + (x > 2 and half(x) or 0) end))
    assert.same({ 0.5, 1, 3, 4 }, f(dc.array { 1, 2, 3, 4 }):to_table())
    fails("compile", "cannot write arrays, print, or use threads", function()
      dc.vectorize(dc.jit(function(x) return dc.cuda("float32", "$0 = $1;", x) end))(dc.ones(2))
    end)
  end)

  it("that does not compile names the line in Lua", function()
    local k = dc.jit(function(a)
      a[1] = dc.cuda("float32", "no_such_function($1)", a[1])
    end)
    local err = fails("compile", 'identifier "no_such_function" is undefined', function() k(1, 1, dc.ones(1)) end)
    assert(err.at:find("inline_spec.lua:" .. h.line(-3) .. "$"), err.at)
    k = dc.jit(function(a)
      dc.cuda("void", [[
        int fine = 1;
        $1[0] = fine + no_such_name;
      ]], a)
    end)
    err = fails("compile", 'identifier "no_such_name" is undefined', function() k(1, 1, dc.ones(1)) end)
    assert(err.at:find("inline_spec.lua:" .. h.line(-4) .. "$"), err.at)
  end)

  it("is checked", function()
    local x, text, list = dc.ones(3), "1", {}
    -- luacheck: push ignore
    for pattern, fn in pairs {
      ["dc.cuda takes a dtype's name"] = function() x[1] = dc.cuda("flaot32", "1") end,
      ["dc.cuda takes 2 arguments, got 1"] = function() x[1] = dc.cuda("float32") end,
      ["takes CUDA C as a string that is known, but '3' is"] = function() x[1] = dc.cuda("float32", 3) end,
      ["the text has $2, but 1 value is given"] = function() x[1] = dc.cuda("float32", "$1 + $2", 1) end,
      ["the text has no $2 for this value"] = function() x[1] = dc.cuda("float32", "$1", 1, 2) end,
      ["the text is empty"] = function() x[1] = dc.cuda("float32", "  \n ") end,
      ["the text sets $0"] = function() dc.cuda("void", "$0 = 1;") end,
      ["dc.cuda takes numbers, booleans, structs and arrays, but 'list'"] = function()
        x[1] = dc.cuda("float32", "$1", list)
      end,
      ["returns no value"] = function() x[1] = dc.cuda("void", "return;") end,
      ["the type of 'b' changes"] = function() local b = true b = dc.cuda("float32", "1") end,
    } do
      fails("compile", pattern:gsub("%$", "%%$"), function() dc.jit(fn)(1, 1) end)
    end
    -- luacheck: pop
    fails("argument", "in kernels alone", function() dc.cuda("float32", text) end)
  end)
end)

local text = [[
#define TWO 2
struct pair { int a, b; };
static __device__ __forceinline__ float scaled(float x, int by = 1) { return TWO * x * by * SCALE; }
__host__ __device__ void fill(double *__restrict__ p, long long n, const double *values) {
  for (long long i = 0; i < n; i++) p[i] = values[i % 3]; // not: __device__ float hidden(float)
}
__device__ unsigned int bits(unsigned int a) { return ~a; }
__device__ bool is_big(float a) { return a > 10; }
__device__ float over(float a) { return a; }
__device__ int over(int a) { return a + 1; }
__device__ int of_pair(pair p) { return p.a; }
__device__ pair *to_pair(int a) { return nullptr; }
template <class T> __device__ T plus(T a, T b) { return a + b; }
float host_only(float x) { return x; }
__global__ void other(float *x) { x[0] = scaled(x[0]); }
]]

describe("functions of a module", function()
  local m = dc.module(text, { define = { SCALE = 3 } })

  it("are called from kernels, found by name or declared", function()
    local scaled, fill, bits = dc.extern(m, "scaled"), dc.extern(m, "fill"), dc.extern(m, "bits")
    local is_big, over = dc.extern(m, "bool is_big(float)"), dc.extern(m, "int over(int)")
    local plus = dc.extern(m, "double plus<double>(double a, double b)")
    local function both(x) return scaled(x, 2) + (is_big(x) and 1 or 0) end -- from a function of Lua too
    local k = dc.jit(function(x, p, values, out)
      local i = dc.index()
      x[i] = both(x[i])
      if i == 1 then
        fill(p, #p, values)
        out[1], out[2], out[3] = bits(out[1]), over(41), plus(1, 0.5) * 2
      end
    end)
    local x, p, values, out = dc.array { 1, 2, 11 }, dc.zeros(7, "float64"), dc.array({ 4, 5, 6 }, "float64"),
      dc.array({ 1, 0, 0 }, "uint32")
    fails("compile", "an element of a uint32 array takes an integer", function() k(1, 3, x, p, values, out) end)
    k = dc.jit(function(x2, p2, values2, out2)
      local i = dc.index()
      x2[i] = both(x2[i])
      if i == 1 then
        fill(p2, #p2, values2)
        out2[1], out2[2], out2[3] = bits(out2[1]), over(41), dc.int32(plus(1, 0.5) * 2)
      end
    end, { check = true })
    k(1, 3, x, p, values, out)
    assert.same({ 12, 24, 133 }, x:to_table())
    assert.same({ 4, 5, 6, 4, 5, 6, 4 }, p:to_table())
    assert.same({ 0xfffffffe, 42, 3 }, out:to_table())
  end)

  it("are compiled with their module's options, of several modules too", function()
    local own = dc.extern('#include "own.h"\n__device__ int own(int a) { return a + OWN; }', "own",
      { headers = { ["own.h"] = "#define OWN 5\n" } })
    local scaled = dc.extern(m, "scaled")
    local x = dc.ones(1)
    dc.jit(function(a) a[1] = scaled(a[1], own(2)) end)(1, 1, x)
    assert.equal(42.0, x[1])
    local clash = dc.extern("__device__ int clash() { return SCALE; }", "clash", { define = { SCALE = 4 } })
    fails("argument", "options 'define' differ in 'SCALE'", function()
      dc.jit(function(a) a[1] = scaled(a[1], clash()) end)(1, 1, x)
    end)
  end)

  it("of a file find their headers beside it", function()
    local folder = os.tmpname()
    os.remove(folder)
    h.shell("mkdir " .. h.quote(folder))
    h.write(folder .. "/beside.h", "#define BESIDE 9\n")
    h.write(folder .. "/m.cu", '#include "beside.h"\n__device__ int nine() { return BESIDE; }\n'
      .. "__global__ void k() {}\n")
    local nine = dc.extern(dc.module_file(folder .. "/m.cu"), "nine")
    local x = dc.zeros(1, "int32")
    dc.jit(function(a) a[1] = nine() end)(1, 1, x)
    h.shell("rm -r " .. h.quote(folder))
    assert.equal(9, x[1])
  end)

  it("do not clash with the kernel's own names", function()
    local twice = dc.extern("__device__ float root(float x) { return 2 * x; }\n__global__ void k(float *x) {}", "root")
    local k = dc.jit(function(root) root[1] = twice(root[1]) end)
    local x = dc.ones(1)
    k(1, 1, x)
    assert.equal(2.0, x[1])
    assert.equal("k", k.name)
  end)

  it("stay when their module is closed", function()
    local short = dc.module "__device__ int seven() { return 7; }\n__global__ void k() {}"
    local seven = dc.extern(short, "seven")
    short:close()
    local x = dc.zeros(1, "int32")
    dc.jit(function(a) a[1] = seven() end)(1, 1, x)
    assert.equal(7, x[1])
    fails("argument", "an open module of dc.module", function() dc.extern(short, "seven") end)
  end)

  it("are looked for with care", function()
    for name, pattern in pairs {
      over = "the module has 2 functions 'over'; declare the one", of_pair = "parameter 1 is 'pair p'",
      to_pair = "its result is 'pair %*'", plus = "is a template; declare an instance",
      host_only = "no __device__ function 'host_only'", hidden = "no __device__ function 'hidden'",
      other = "no __device__ function 'other'", ["no name"] = "is no function's name and no declaration",
      [""] = "is no function's name", ["wide scaled(float)"] = "its result is 'wide'",
      ["float scaled(float &)"] = "parameter 1 is 'float &'", ["float scaled(float **)"] = "parameter 1 is",
    } do
      fails("argument", pattern, function() dc.extern(m, name) end)
    end
    fails("argument", "an open module of dc.module, or CUDA C, expected, got nil", function() dc.extern() end)
    fails("argument", "no __device__ function in the text", function() dc.extern("m.cu", "f") end)
    fails("argument", "options belong to a text", function() dc.extern(m, "bits", {}) end)
    fails("argument", "did you mean 'define'", function() dc.extern(text, "bits", { defne = {} }) end)
    fails("argument", "a function's name or declaration expected, got nil", function() dc.extern(m) end)
    fails("argument", "'extern' takes at most 3 arguments, got 4", function() dc.extern(m, "bits", nil, 1) end)
    fails("argument", "an open module of dc.module, or", function() dc.extern(m:kernel "other", "bits") end)
    fails("argument", "has variables", function()
      dc.extern("__device__ int n; __device__ int f() { return n; }", "f")
    end)
    fails("argument", "'bits' of dc.extern is called in kernels alone", function() dc.extern(m, "bits")(1) end)
  end)

  it("are called with the arguments that they take", function()
    local scaled, fill, bits = dc.extern(m, "scaled"), dc.extern(m, "fill"), dc.extern(m, "bits")
    local wrong = dc.extern(m, "float scaled(short, int)")
    local x, p = dc.ones(3), dc.ones(3, "float64")
    -- luacheck: push ignore
    for pattern, fn in pairs {
      ["'scaled' takes 2 arguments, got 1: it is float scaled%(float x, int by%)"] = function() x[1] = scaled(1) end,
      ["argument 1 of 'scaled' takes float32, but 'x' is a 1%-d float32 array"] = function() x[1] = scaled(x, 1) end,
      ["argument 2 of 'scaled' needs an integer, but 'x%[1%]' is float32"] = function() x[1] = scaled(1, x[1]) end,
      ["argument 1 of 'bits' takes uint32, but 'true' is a boolean"] = function() x[1] = bits(true) end,
      ["argument 1 of 'fill' takes an array of float64, but 'x' is a 1%-d float32"] = function() fill(x, 1, p) end,
      ["%-1 is out of range for uint32"] = function() x[1] = bits(-1) end,
      ["returns no value"] = function() x[1] = fill(p, 3, p) end,
      ["invalid type conversion"] = function() x[1] = wrong(1, 2) end,
    } do
      fails("compile", pattern, function() dc.jit(fn)(1, 1) end)
    end
    -- luacheck: pop
  end)
end)

describe("dc.unroll", function()
  it("changes no result", function()
    local k = dc.jit(function(out, n, step)
      local i = dc.index()
      local sum = 0
      for a = 1, dc.unroll(5) do sum = sum * 3 + a end
      for a = i, dc.unroll(n, 4) do
        if a == 9 then break end
        sum = sum * 5 + a
      end
      for a = n, dc.unroll(-3, 2), -2 do sum = sum * 7 + a end
      for a = 0.5, dc.unroll(3.0), 0.5 do sum = sum + math.floor(4 * a) end
      for a = 1, dc.unroll(n), step do
        for b = 1, dc.unroll(a, 1) do sum = sum ~ a * b end
      end
      out[i] = sum
    end)
    local function reference(i, n, step)
      local sum = 0
      for a = 1, dc.unroll(5) do sum = sum * 3 + a end
      for a = i, dc.unroll(n, 4) do
        if a == 9 then break end
        sum = sum * 5 + a
      end
      for a = n, -3, -2 do sum = sum * 7 + a end
      for a = 0.5, 3.0, 0.5 do sum = sum + math.floor(4 * a) end
      for a = 1, n, step do
        for b = 1, a do sum = sum ~ a * b end
      end
      return sum
    end
    for _ = 1, 5 do
      local n, step, want = math.random(0, 30), math.random(1, 4), {}
      for i = 1, 20 do want[i] = reference(i, n, step) end
      local out = dc.zeros(20, "int64")
      k(1, 20, out, n, step)
      h.same(want, out:to_table(), ("n = %d, step = %d"):format(n, step))
    end
  end)

  it("leaves no loop in the compiled code", function()
    local function branches(fn)
      local k = dc.jit(fn)
      local _, count = k:kernel(dc.zeros(64)).module:ptx():gsub("%sbra", "")
      return count
    end
    assert.equal(0, branches(function(x) for i = 1, dc.unroll(40) do x[i] = x[i] * x[i] + i end end))
    assert(branches(function(x) for i = 1, dc.unroll(40, 1) do x[i] = x[i] * x[i] + i end end) > 0)
  end)

  it("is checked", function()
    local x = dc.ones(3)
    -- luacheck: push ignore
    for pattern, fn in pairs {
      ["dc.unroll stands in place of a loop's limit"] = function() x[1] = dc.unroll(3) end,
      ["dc.unroll stands in place"] = function() for i = 1, 2 + dc.unroll(3) do x[1] = i end end,
      ["dc.unroll stands in place of"] = function() for i = dc.unroll(1), 3 do x[1] = i end end,
      ["dc.unroll takes 1 to 2 arguments, got 0"] = function() for i = 1, dc.unroll() do x[1] = i end end,
      ["the factor 0 is not in 1 to 1024"] = function() for i = 1, dc.unroll(3, 0) do x[1] = i end end,
      ["the factor of dc.unroll has to be a constant"] = function() for i = 1, dc.unroll(3, #x) do x[1] = i end end,
      ["dc.unroll needs a number"] = function() for i = 1, dc.unroll(true) do x[1] = i end end,
    } do
      fails("compile", pattern, function() dc.jit(fn)(1, 1) end)
    end
    -- luacheck: pop
    assert.equal(3, dc.unroll(3))
    assert.equal(2.5, dc.unroll(2.5, 2))
    fails("argument", "dc.unroll takes a loop's limit, a number, got nil", function() dc.unroll() end)
    fails("argument", "'unroll' takes at most 2 arguments, got 3", function() dc.unroll(1, 2, 3) end)
    fails("argument", "a loop's limit, a number, got the string", function() dc.unroll "3" end)
    fails("argument", "the factor is a positive integer, got the number 0", function() dc.unroll(3, 0) end)
  end)
end)
