-- Error messages that blamed something other than the mistake.
local dc = require "dotcompute"
local helper = require "spec.helper"
local fails = helper.fails

local template = "template<class T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by; }"

describe("messages", function()
  it("of a:to name dtypes and devices", function()
    local a = dc.zeros(3)
    fails("device", "neither a dtype nor a device named 'flot32'; did you mean 'float32'%?", function()
      a:to "flot32"
    end)
    fails("device", "neither a dtype nor a device named 'in8'; did you mean 'int8'%?", function() a:to "in8" end)
    local err = fails("device", "neither a dtype nor a device named 'gizmo'", function() a:to "gizmo" end)
    assert.falsy(err.message:find "did you mean")
    fails("device", "there is no device 'cpu:77'", function() a:to "cpu:77" end)
    fails("argument", "a dtype's name, a device or its name expected, got the number 5", function() a:to(5) end)
    fails("dtype", "no dtype 'flaot64' %(did you mean 'float64'%?%)", function() dc.zeros(3, "flaot64") end)
  end)

  it("of a template without an instance show how to name one", function()
    local text = "'scale' is a template: name an instance, m:kernel \"scale<float>\""
    fails("argument", text, function() dc.kernel(template) end)
    fails("argument", text, function() dc.module(template):kernel "scale" end)
    fails("argument", text, function() return dc.module(template).scale.name end)
    fails("argument", text, function()
      dc.module("// template f\n#include <cuda_fp16.h>\n"
        .. "template<int N>\n__global__ void __launch_bounds__(64) other() {}\n" .. template):kernel "scale"
    end)
    fails("argument", "'other' is a template", function()
      dc.module("template<int N> __global__ void __launch_bounds__(64) other() {}"):kernel "other"
    end)
    fails("argument", "there is no kernel 'helper'", function()
      dc.module("template<class T> __device__ T helper(T x) { return x; } __global__ void k() {}"):kernel "helper"
    end)
    assert.equal("scale<int>", dc.module(template):kernel "scale<int>".name)
  end)

  it("of a file name given as source text name the function for files", function()
    for _, name in ipairs { "saxpy.cu", "some/where/k.cuh", "image.cubin", "k.ptx" } do
      fails("argument", "dc.kernel takes the text of the source, .*dc.kernel_file \"" .. name:gsub("%p", "%%%0"),
        function() dc.kernel(name) end)
      fails("argument", "dc.module_file \"" .. name:gsub("%p", "%%%0"), function() dc.module(name) end)
    end
    fails("compile", ".", function() dc.kernel "#include \"not-there.cuh\"\n// k.cu" end)
  end)

  it("of a.shape without a call show the call", function()
    local a = dc.zeros(2, 3)
    fails("index", "a:shape%(%).*select%(2, a:shape%(%)%)", function() return a.shape[2] end)
    fails("index", "a:shape%(%)", function() return #a.shape end)
    fails("argument", "calling 'shape' on bad self.*a:shape%(%)", function() return a.shape() end)
    assert.same({ 2, 3 }, { a:shape() })
    assert.equal(3, select(2, a:shape()))
    local shape = a.shape
    assert.same({ 2, 3 }, { shape(a) })
  end)

  it("of a method called with a dot show the colon", function()
    local module = dc.module "__global__ void k(int n) {}"
    local objects = { a = dc.zeros(2, 3), m = module, k = module.k, s = dc.stream(), e = dc.event(),
      g = dc.graph(function() module.k(1, 1, 1) end), d = dc.device(), c = dc.complex(1, 2) }
    local count = 0
    for letter, o in pairs(objects) do
      for name, method in pairs(getmetatable(o).__methods) do
        if type(method) == "function" and debug.getinfo(method, "S").what == "C" then
          local call = load(("local o = ... local result = o.%s() return result"):format(name))
          local ok, err = pcall(call, o)
          assert.is_false(ok, name)
          local wanted = ("methods are called with a colon: %s:%s()"):format(letter, name)
          assert(err.message:find(wanted, 1, true), err.message)
          count = count + 1
        end
      end
    end
    assert(count > 60, count)
    -- not of functions that are no methods
    local err = fails("argument", "bad argument #1 to 'sum'", function() dc.sum() end)
    assert.falsy(err.message:find "colon")
  end)

  it("of an exhausted memory name the way to list the lines that hold it", function()
    local text = helper.on_cpu("THREADS=1", [[
      local dc = require "dotcompute"
      local keep = {}
      for i = 1, 100 do keep[i] = dc.zeros(100) end
      dc.memory_limit(dc.memory().in_use)
      local ok, err = pcall(dc.zeros, 5000)
      print(ok, err.message)]])
    assert.truthy(text:find("to learn which lines of the script made the arrays in use, call dc.memory \"trace\"", 1,
      true), text)
  end)
end)

describe("pairs", function()
  it("iterates over the first axis of an array, as ipairs does", function()
    local n = math.random(1, 9)
    local t = helper.ints(n)
    local got = {}
    for i, v in pairs(dc.array(t)) do got[#got + 1] = { i, v } end
    assert.equal(n, #got)
    for i = 1, n do assert.same({ i, t[i] }, { got[i][1], math.tointeger(got[i][2]) }) end
    local rows = 0
    for i, row in pairs(dc.array { { 1, 2, 3 }, { 4, 5, 6 } }) do
      rows = rows + 1
      assert.same({ 3 * i - 2, 3 * i - 1, 3 * i }, row:to_table())
    end
    assert.equal(2, rows)
    for _ in pairs(dc.zeros(0, 3)) do error "no rows" end
    for _ in pairs(dc.zeros(3):sum()) do error "no axis" end
  end)
end)

describe("an argument of the wrong type", function()
  -- what each function takes as its first argument, beside what none of them takes
  local takes = {
    string = { "available", "device", "empty", "event", "from_bytes", "kernel", "kernel_file", "load", "load_csv",
      "load_raw", "memory", "module", "module_file", "ones", "pinned", "stats", "stream", "use", "using", "zeros",
      "image.read", "range", "random.generator" },
    ["nil"] = { "memory_limit" },
  }
  local function accepted(name, kind)
    for _, n in ipairs(takes[kind] or {}) do if n == name then return true end end
  end

  local function check(path, name, code)
    local call = load("local f = ... local dc = require 'dotcompute' return function(...) local r = "
      .. code .. "(...) return r end")()
    local wrong = { table.pack(), { n = 1 }, { 5, n = 1 }, { "zzz", n = 1 }, { true, n = 1 }, { {}, n = 1 },
      { function() end, n = 1 }, { dc.null, n = 1 }, { io.stdout, n = 1 } }
    for _, args in ipairs(wrong) do
      local ok, err = pcall(call, table.unpack(args, 1, args.n))
      local kind = args.n > 0 and type(args[1]) or "none"
      if not ok and not accepted(path, kind) then
        local what = ("%s of a %s: %s"):format(path, kind, tostring(err))
        assert(type(err) == "table" and err.message, what)
        assert(err.message:find(name, 1, true), what)
      end
    end
  end

  it("is reported with the function's name", function()
    local count = 0
    for name, fn in pairs(dc) do
      if type(fn) == "function" and name ~= "use" and name ~= "memory_limit" then
        check(name, name, "dc." .. name)
        count = count + 1
      end
    end
    for _, library in ipairs { "random", "linalg", "fft", "image" } do
      pcall(function() return dc[library].nothing end)
      for name, fn in pairs(dc[library]) do
        if type(fn) == "function" then
          check(library .. "." .. name, name, "dc." .. library .. "." .. name)
          count = count + 1
        end
      end
    end
    assert(count > 150, count)
  end)
end)

describe("where", function()
  it("notes a caller lost by a tail call", function()
    local function lost() return dc.sort(5) end
    local function method(a) return a:sort "x" end
    local line = helper.line(1)
    local ok, err = pcall(function() local r = lost() return r end)
    assert.is_false(ok)
    assert.truthy(err.where:find(("_spec.lua:%d (...tail calls...)"):format(line), 1, true), err.where)
    ok, err = pcall(function() local r = method(dc.zeros(3)) return r end)
    assert.is_false(ok)
    assert.truthy(err.where:find("%d %(%.%.%.tail calls%.%.%.%)$"), err.where)
    assert.truthy(tostring(err):find("tail calls...): ", 1, true))
  end)

  it("is the line of a call of a value that cannot be called", function()
    for _, fn in ipairs {
      function() local r = dc.sort(5) return r end, function() local r = dc.zeros(3):sort "x" return r end,
      function() local r = dc.elementwise() return r end, function() return dc.zeros(-1) end,
      function() local r = dc.concat() return r end, function() dc.load_csv(5) end,
    } do
      local ok, err = pcall(fn)
      assert.is_false(ok)
      local line = debug.getinfo(fn, "S").linedefined
      assert.truthy(err.where:find(("_spec.lua:%d$"):format(line)), tostring(err.where))
    end
  end)
end)

describe("another Lua than 5.4", function()
  for _, other in ipairs { "lua5.1", "lua5.2", "lua5.3", "luajit" } do
    local there = helper.shell("command -v " .. other) ~= ""
    (there and it or pending)("is refused in words: " .. other, function()
      local build = helper.build
      local command = ([[LUA_PATH='lua/?.lua;lua/?/init.lua' LUA_CPATH=%s %s -e '%s']]):format(
        helper.quote(build .. "/?.so"), other,
        "print(pcall(require, \"dotcompute\")) print(pcall(require, \"dotcompute.core\")) print \"the end\"")
      local text, code = helper.shell(command)
      assert.equal(0, code, text)
      assert.truthy(text:find "dotcompute needs Lua 5.4, this is Lua[ J]", text)
      assert.truthy(text:find "\nfalse\t.*the end", text)
    end)
  end

  it("can parse the file that refuses it", function()
    -- nothing in it that Lua 5.1 has not: no goto, attribute, integer division, bit operator
    local f = assert(io.open "lua/dotcompute/init.lua")
    local text = f:read "a":gsub("%-%-[^\n]*", ""):gsub('"[^"]*"', "")
    f:close()
    assert.falsy(text:find "//" or text:find "[&|<>]" or text:find "goto", text)
  end)
end)
