-- Lua functions as functions of CUDA C that kernels of others call.
local dc = require "dotcompute"
local h = require "spec.helper"
local device_function = require "dotcompute.jit.device_function"
local fails = h.fails

-- Applies the compiled function to arrays, in a kernel that includes its text.
local function apply(made, ctypes, result, arrays, n)
  local params, args = {}, {}
  for k, t in ipairs(ctypes) do
    params[k] = ("const %s *x%d"):format(t, k)
    args[k] = ("x%d[i]"):format(k)
  end
  local kernel = dc.kernel(("%s\nextern \"C\" __global__ void apply(%s, %s *out, int n) {\n"
    .. "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = %s(%s);\n}"):format(made.text,
      table.concat(params, ", "), result.ctype, made.call, table.concat(args, ", ")))
  local out = dc.zeros(n, result.name)
  local list = table.move(arrays, 1, #arrays, 1, {})
  list[#list + 1], list[#list + 2] = out, n
  kernel:forall(n, table.unpack(list))
  return out
end

describe("a Lua function as a function of CUDA C", function()
  it("computes what it does, with recursion, loops and local arrays", function()
    local function gcd(a, b)
      if b == 0 then return a end
      return gcd(b, a % b)
    end
    local function most_frequent(a, b)
      local counts = dc.local_array("int32", 4)
      local v = a + b
      while v > 0 do
        counts[v % 4 + 1] = counts[v % 4 + 1] + 1
        v = v // 4
      end
      local best = 1
      for k = 2, 4 do
        if counts[k] > counts[best] then best = k end
      end
      return dc.int32(best + gcd(a, b))
    end
    local f = device_function.of(most_frequent, "spec")
    local made = device_function.compile_one(f, { "int32", "int32" }, "dc_most_frequent")
    assert.equal("int32", made.result.name)
    assert.equal(made, device_function.compile_one(f, { "int32", "int32" }, "dc_most_frequent"))
    local n = 100
    local a, b, want = {}, {}, {}
    for k = 1, n do
      a[k], b[k] = math.random(0, 5000), math.random(0, 5000)
      local counts = { 0, 0, 0, 0 }
      local v = a[k] + b[k]
      while v > 0 do
        counts[v % 4 + 1] = counts[v % 4 + 1] + 1
        v = v // 4
      end
      local best = 1
      for d = 2, 4 do
        if counts[d] > counts[best] then best = d end
      end
      want[k] = best + gcd(a[k], b[k])
    end
    local out = apply(made, { "int", "int" }, made.result, { dc.array(a, "int32"), dc.array(b, "int32") }, n)
    h.same(want, out:to_table(), "most_frequent")
  end)

  it("has Lua's own types for numbers of Lua", function()
    local made = device_function.compile(device_function.of(function(x) return 1, x * 0.5, x > 0 end, "spec"),
      { "float64" }, "dc_three")
    local kinds = {}
    for k, t in ipairs(made.results) do kinds[k] = device_function.strong(t).name end
    assert.same({ "int64", "float64", "bool" }, kinds)
  end)

  it("is compiled again when what it captures has changed", function()
    local factor = 2
    local f = device_function.of(dc.jit(function(x) return factor * x end), "spec")
    local made = device_function.compile_one(f, { "float32" }, "dc_scale")
    assert.is_true(device_function.is_current(made))
    factor = 3
    assert.is_false(device_function.is_current(made))
    made = device_function.compile_one(f, { "float32" }, "dc_scale")
    assert.is_true(device_function.is_current(made))
    h.same({ 3, 6 }, apply(made, { "float" }, made.result, { dc.array { 1, 2 } }, 2):to_table(), "scale")
  end)

  it("refuses what is no function of values, at its line", function()
    local function compile(fn, types, pattern)
      local line = debug.getinfo(fn, "S").linedefined
      local err = fails("compile", pattern, function()
        device_function.compile_one(device_function.of(fn, "spec"), types or { "float32" }, "dc_f")
      end)
      assert(err.at:find(":" .. line .. "$"), err.at)
      assert(err.message:find "column %d+", err.message)
    end
    local x = dc.ones(3)
    -- luacheck: push ignore
    compile(function(a) return a, a end, nil, "returns 2 values here; one value is expected")
    compile(function(a) end, nil, "returns nothing")
    compile(function(a, b) return a end, nil, "takes 2 arguments %(a, b%), and is called with 1")
    compile(function(a) return a + x[1] end, nil, "'x' is an array, which a function of elements cannot capture")
    compile(function(a) x[1] = a return a end, nil, "'x' is an array")
    compile(function(a) print(a) return a end, nil, "print%(a%): a function of elements cannot write arrays, print")
    compile(function(a) dc.sync_threads() return a end, nil, "dc.sync_threads%(%): a function of elements cannot")
    compile(function(a) return a + dc.index() end, nil, "dc.index: a function of elements cannot")
    compile(function(a) local s = dc.shared("int32", 2) return a + s[1] end, nil, "dc.shared: a function")
    compile(function(a) error("no") return a end, nil, "error: a function of elements")
    compile(function(a) return a & 1 end, nil, "operator '&' needs an integer")
    -- luacheck: pop
    fails("argument", "spec: a Lua function expected, got the number 3", function() device_function.of(3, "spec") end)
    fails("argument", "spec: the function takes '%.%.%.'", function()
      device_function.of(function(...) return ... end, "spec")
    end)
    fails("argument", "written in C", function() device_function.of(math.sin, "spec") end)
  end)
end)
