-- Errors in a source name the line of the script that contains it: here, of this file.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails, line = h.fails, h.line

local this = "kernel/errors_spec%.lua:"

describe("a source that does not compile", function()
  it("is an error with NVRTC's text and the line in the script", function()
    local here = line(5)
    local err = fails("compile", "undeclared", function()
      dc.kernel [[
__global__ void broken(float *x) {
  int unused = 1;
  x[0] = undeclared;
}]]
    end)
    local text = tostring(err)
    assert.matches(this .. here .. "[^%d]", text)
    assert.matches("NVRTC_ERROR_COMPILATION", err.code)
    assert.matches("undeclared", err.log)
    assert.matches("%^", err.log) -- NVRTC's caret below the line
    assert.is_nil(text:find("dotcompute.cu", 1, true), text)
    assert.matches(this .. here - 3, err.where)
  end)

  it("is located in a source from a variable, and in a file with other line ends", function()
    local here = line(3)
    local source = [[
__global__ void a() {}
__global__ void b() { nothing; }
]]
    local err = fails("compile", "nothing", function() dc.module(source) end)
    assert.matches(this .. here .. "[^%d]", tostring(err))

    local name = os.tmpname()
    for _, newline in ipairs { "\n", "\r\n", "\r", "\n\r" } do
      h.write(name, (table.concat({ "local dc = require 'dotcompute'", "", "return dc.kernel [[",
        "__global__ void f() {", "  wrong;", "}]]", "" }, "\n"):gsub("\n", newline)))
      local ok, message = pcall(dofile, name)
      assert.is_false(ok)
      assert.is_truthy(tostring(message):find(name .. ":5", 1, true), tostring(message))
    end
    os.remove(name)
  end)

  it("that was built at run time is located by the call's line and its own line", function()
    local source = table.concat({ "__global__ void f() {", "  " .. "wro" .. "ng;", "}" }, "\n")
    local here = line(1)
    local err = fails("compile", "wrong", function() dc.kernel(source) end)
    assert.matches(this .. here .. ", line 2 of the source", tostring(err))
    local chunk = load("local dc = require 'dotcompute' return dc.kernel 'float ' .. 3", "=(command line)")
    assert.is_false((pcall(chunk)))
  end)

  it("may be no CUDA C, empty, or no string", function()
    fails("compile", "", function() dc.kernel "This is not CUDA C at all." end)
    fails("compile", "", function() dc.kernel "\0\1\2\255" end)
    fails("compile", "__global__", function() dc.kernel "" end)
    fails("compile", "__global__", function() dc.kernel "__device__ int f() { return 1; }" end)
    fails("argument", "source expected, got nil", function() dc.kernel() end)
    fails("argument", "source expected, got the number 5", function() dc.kernel(5) end)
    fails("argument", "source expected", function() dc.module {} end)
  end)

  it("may have options that NVRTC refuses, which it says once", function()
    local err = fails("compile", "unrecognized option %-foo", function()
      dc.kernel("__global__ void k() {}", { flags = { "-foo" } })
    end)
    local _, count = tostring(err):gsub("unrecognized option", "")
    assert.equal(1, count)
  end)

  it("may include a missing header", function()
    local err = fails("compile", "no_such_header", function() dc.kernel [[
#include "no_such_header.h"
__global__ void f() {}]] end)
    assert.matches(this, tostring(err))
  end)

  it("may have more static shared memory than a block", function()
    local function with(bytes)
      return dc.kernel(([[
__global__ void k(char *x) {
  __shared__ char s[%d];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[(threadIdx.x + 1) %% 32];
}]]):format(bytes))
    end
    local x = dc.arange(1, 32, "int8")
    with(49152)(1, 32, x)
    assert.equal(2, x[1])
    fails("compile", "shared", function() with(math.random(49153, 99000)) end)
  end)

  it("may have more constant memory than a GPU", function()
    local function with(first, second)
      return dc.kernel(([=[
__constant__ unsigned char a[%d], b[%d];
__global__ void k(int *x) {
  x[0] = a[x[1]] + b[x[2]];
}]=]):format(first, second))
    end
    local n = math.random(1, 65535)
    with(n, 65536 - n)(1, 1, dc.array({ 1, n - 1, 65535 - n }, "int32"))
    fails("compile", "constant", function() with(n, math.random(65544, 99000) - n) end)
    fails("compile", "constant", function() with(math.random(65537, 99000), 1) end)
  end)

  it("is not cached as a failure, and does not affect other sources", function()
    local source = "#include \"late.h\"\n__global__ void f(int *x) { *x = LATE; }"
    fails("compile", "late", function() dc.kernel(source) end)
    local k = dc.kernel(source, { headers = { ["late.h"] = "#define LATE 6" } })
    local x = dc.zeros(1, "int32")
    k(1, 1, x)
    assert.equal(6, x[1])
  end)
end)

describe("a kernel's name", function()
  local two = "__global__ void first() {}\n__global__ void second() {}"
  it("must be given when there are two, and exist", function()
    fails("argument", "2 kernels.*first, second.*name", function() dc.kernel(two) end)
    assert.equal("second", dc.kernel(two, { name = "second" }).name)
    fails("argument", "no kernel 'third'.*'first', 'second'", function() dc.kernel(two, { name = "third" }) end)
    fails("argument", "name", function() dc.kernel(two, { name = 2 }) end)
    fails("compile", "", function() dc.kernel(two, { name = "first<int>" }) end)
  end)
end)

describe("an error in a launch", function()
  it("launches nothing, and leaves kernel and arrays usable", function()
    local k = dc.kernel [[__global__ void set(int n, int *x) { x[threadIdx.x] = n; }]]
    local x = dc.zeros(32, "int32")
    collectgarbage()
    local before = dc.stats().bytes_live
    for _ = 1, 50 do
      pcall(k, 1, 2048, 1, x)
      pcall(k, 1, 32, 1.5, x)
      pcall(k, 1, 32, 1)
      pcall(k, -1, 32, 1, x)
      pcall(k, 1, 32, 1, x + 1.5)
    end
    assert.equal(0, x:sum():item())
    k(1, 32, 3, x)
    assert.equal(96, x:sum():item())
    collectgarbage()
    collectgarbage()
    assert.is_true(dc.stats().bytes_live <= before + 4096)
  end)

  it("is raised for a self that is not a kernel", function()
    local k = dc.kernel "__global__ void f() {}"
    local call = debug.getmetatable(k).__call
    fails("argument", "kernel expected", function() call(dc.ones(1), 1, 1) end)
    fails("argument", "kernel expected", function() k.forall(3) end)
    fails("argument", "kernel expected", function() k.with() end)
  end)
end)
