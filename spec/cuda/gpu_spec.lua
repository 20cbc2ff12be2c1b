-- Tests that need a GPU (tag gpu), or two (tag multi). Faults run in a child process, since they end CUDA there.
local dc = require "dotcompute"
local helper = require "spec.helper"

local build = helper.build

local function child(code)
  local name = helper.temporary(code)
  local pipe = assert(io.popen(("DOTCOMPUTE_DEVICE=cuda:0 '%s/dclua' %s 2>&1"):format(build, name)))
  local text = pipe:read "a"
  local _, _, status = pipe:close()
  os.remove(name)
  return text:gsub("%s+$", ""), status
end

describe("#gpu arithmetic", function()
  it("gives the CPU device's bits", function()
    local n = 100003
    local t, u = {}, {}
    for i = 1, n do t[i], u[i] = (math.random() - 0.5) * 2.0 ^ math.random(-30, 30), math.random() + 0.5 end
    local function compute(device)
      return dc.using(device, function()
        local a, b = dc.array(t), dc.array(u)
        local e = (a * b + a / b - 3) * dc.sqrt(b) - dc.abs(a)
        return { e:bytes(), e:sum():bytes(), (a * a):sum():bytes(), e:max():bytes(),
          (dc.array(t, "float64") * u[1]):sum():bytes(), (dc.arange(1, n, "int64") * 7):sum():bytes() }
      end)
    end
    assert.same(compute "cpu", compute "cuda:0")
  end)

  it("gives the CPU device's random numbers, with the same bits", function()
    local seed, n = math.random(0), 100003
    local function compute(device)
      return dc.using(device, function()
        local g = dc.random.generator(seed)
        return { g:uniform(n):bytes(), g:normal(n):bytes(), g:exponential(n):bytes(), g:normal(n):sum():bytes(),
          g:uniform(n, { dtype = "float64" }):bytes(), g:integers(n, { low = -3, high = 99 }):bytes() }
      end)
    end
    assert.same(compute "cpu", compute "cuda:0")
  end)

  it("of exp, log, sin and cos agrees with the CPU device within 4 units in the last place", function()
    local t = {}
    for i = 1, 5000 do t[i] = math.random() * 20 + 2^-10 end
    for _, name in ipairs { "exp", "log", "sin", "cos" } do
      local a = dc.using("cpu", function() return dc[name](dc.array(t)):to_table() end)
      local b = dc.using("cuda:0", function() return dc[name](dc.array(t)):to_table() end)
      for i = 1, #t do
        assert(math.abs(a[i] - b[i]) <= 4 * 2^-23 * math.max(math.abs(a[i]), 2^-3),
          ("%s(%.9g): %.9g and %.9g"):format(name, t[i], a[i], b[i]))
      end
    end
  end)
end)

describe("#gpu a fault", function()
  for what, body in pairs {
    ["an illegal address"] = "x[0] = x[1ll << 40];",
    ["a trap"] = "__trap();",
    ["a failed assertion"] = "assert(x == 0);",
  } do
    it("by " .. what .. " names its launch, loses CUDA and leaves Lua and the CPU device", function()
      local text, status = child(([[
local dc = require "dotcompute"
local k = dc.kernel "__global__ void culprit(float *x) { %s }"
local x = dc.zeros(10)
local ok, err = pcall(function()
  k(1, 1, x) -- line 5
  dc.synchronize()
end)
print(ok, err.kind, err.code:match "^CUDA_ERROR" and true)
print(tostring(err):match "culprit", tostring(err):match "launched at .-(:5)")
print(pcall(function() return x[1] end))
print(dc.using("cpu", function() return dc.ones(10):sum():item() end))
x = nil
collectgarbage()
]]):format(body))
      assert.equal(0, status, text)
      assert.matches("false\tlaunch\ttrue\nculprit\t:5\nfalse\t", text)
      assert.matches("10.0$", text)
    end)
  end
end)

describe("#gpu a graph", function()
  -- Each kernel waits, for two seconds at most, until the other one has begun too.
  local source = [[
__device__ volatile int begun[2];
__device__ void meet(int me, int *met) {
  begun[me] = 1;
  long long start = clock64();
  while (!begun[1 - me] && clock64() - start < 4000000000ll) {}
  *met = begun[1 - me];
}
extern "C" __global__ void first(int *met) { meet(0, met); }
extern "C" __global__ void second(int *met) { meet(1, met); }
extern "C" __global__ void begin() { begun[0] = begun[1] = 0; }
extern "C" __global__ void sum(const int *a, const int *b, int *out) { *out += *a + *b; }]]

  it("runs independent branches concurrently, conflicting ones in order, and ends with the last", function()
    dc.using("cuda:0", function()
      local m = dc.module(source)
      local a, b, out = dc.zeros({ 1 }, "int32"), dc.zeros({ 1 }, "int32"), dc.zeros({ 1 }, "int32")
      local s, t = dc.stream(), dc.stream()
      local g = dc.graph(function()
        m.begin(1, 1)
        local begun = dc.event():record()
        s:wait(begun)
        m.first(1, 1, a)
        m.second:with { stream = s }(1, 1, b)
        m.sum:with { stream = t }(1, 1, a, b, out)
      end)
      assert.equal(4, g.launches)
      for round = 1, 3 do
        g()
        assert.equal(2 * round, out[1])
      end
      dc.using(s, g) -- in a stream that stood for one of its branches
      assert.equal(8, out[1])
      g:update(function() -- another shape
        m.sum(1, 1, a, b, out)
        m.sum:with { stream = s }(1, 1, a, b, a)
      end)
      g()
      assert.equal(10, out[1])
      assert.equal(3, a[1])
    end)
  end)

  it("can have many branches of expressions, copies and products, and run repeatedly", function()
    dc.using("cuda:0", function()
      local n, streams, x, y = 256, {}, {}, {}
      for i = 1, 8 do streams[i], x[i], y[i] = dc.stream(), dc.full({ n, n }, i), dc.zeros(n, n) end
      local total = dc.zeros(1)
      local function work()
        for i = 1, 8 do
          dc.using(streams[i], function()
            y[i][":"] = x[i]:matmul(dc.eye(n)) + 1
            x[i]:copy_from(y[i])
          end)
        end
        local all = x[1]
        for i = 2, 8 do all = all + x[i] end
        total[":"] = all:sum()
      end
      local g = dc.graph(work)
      for round = 1, 5 do
        g()
        assert.equal(n * n * (36 + 8 * round), total[1])
        if round == 3 then g:update(work) end
      end
      pcall(dc.graph, function()
        work()
        error "given up"
      end)
      work()
      assert.equal(n * n * (36 + 8 * 6), total[1])
    end)
  end)
end)

describe("#multi two GPUs", function()
  it("copy to each other, refuse each other's arrays and take turns", function()
    local n = 12345
    local t = {}
    for i = 1, n do t[i] = math.random(-1000, 1000) end
    local a = dc.using("cuda:0", function() return dc.array(t) end)
    local b = a:to "cuda:1"
    assert.equal("cuda:1", tostring(b.device))
    assert.same(t, b:to_table())
    helper.fails("device", "cuda:1", function() return a + b end)
    dc.using("cuda:1", function()
      local k = dc.kernel [[
__global__ void add_one(int n, float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }]]
      k(n // 256 + 1, 256, n, b)
      helper.fails("argument", "cuda:0", function() k(1, 1, 1, a) end)
    end)
    assert.is_true(dc.equal(b:to "cuda:0", a + 1))
    a:copy_from(b)
    assert.equal(t[7] + 1, a[7])
  end)
end)
