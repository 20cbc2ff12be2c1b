-- Compiling and launching: grids, blocks, shared memory, modules, templates, options.
local dc = require "dotcompute"
local h = require "spec.helper"
local note, fails = h.note, h.fails

local ids = [[
__global__ void ids(int *out) {
  int threads = blockDim.x * blockDim.y * blockDim.z;
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * threads + thread] = block * 100000 + thread;
}]]

describe("a launch", function()
  local k = dc.kernel(ids)

  it("runs every thread of every block once, with one to three extents", function()
    for _ = 1, 12 do
      local g, b = h.shape(3, 4), { math.random(1, 9), math.random(1, 5), math.random(1, 4) }
      local blocks, threads = h.product(g), h.product(b)
      local out = dc.full(blocks * threads, -1, "int32")
      k(g, { x = b[1], y = b[2], z = b[3] }, out)
      local t = out:to_table()
      for i = 0, blocks - 1 do
        for j = 0, threads - 1 do assert.equal(i * 100000 + j, t[i * threads + j + 1], note()) end
      end
    end
    local out = dc.full(12, -1, "int32")
    k(3, 4, out)
    assert.equal(200003, out[12])
    out = dc.full(12, -1, "int32")
    k({ 3 }, { 4.0 }, out)
    assert.equal(200003, out[12])
    out = dc.full(12, -1, "int32")
    k({ y = 3 }, { z = 4 }, out)
    assert.equal(200003, out[12])
    out = dc.full(12, -1, "int32")
    k(table.pack(1, 3), table.pack(4), out)
    assert.equal(200003, out[12])
  end)

  it("of no threads launches nothing", function()
    local out = dc.full(4, -1, "int32")
    dc.stats "reset"
    k(0, 4, out)
    k(4, 0, out)
    k({ 4, 0, 1 }, { 1, 1 }, out)
    k:forall(0, out)
    assert.equal(0, dc.stats().launches)
    assert.equal(-4, out:sum():item())
  end)

  it("is checked against the limits, which the error names", function()
    local out = dc.full(4, -1, "int32")
    local facts = dc.device().attributes
    local most = k.attributes.max_threads
    fails("launch", "2048 threads.*'ids'.*" .. most, function() k(1, 2048, out) end)
    fails("launch", "" .. most, function() k(1, { 64, 64 }, out) end)
    fails("launch", "block.* in z", function() k(1, { 1, 1, 1025 }, out) end)
    fails("launch", "grid.* in y.*" .. facts.max_grid[2], function() k({ 1, facts.max_grid[2] + 1 }, 1, out) end)
    fails("launch", "grid.*x is 5000000000", function() k(5000000000, 1, out) end)
    fails("launch", "'ids'.*grid.*x is %-1", function() k(-1, 1, out) end)
    fails("launch", "block.*y is %-3", function() k(1, { 1, -3 }, out) end)
    fails("launch", "grid.*1%.5", function() k(1.5, 1, out) end)
    fails("launch", "grid.*got nil", function() k(nil, 1, out) end)
    fails("launch", "block.*'32'", function() k(1, "32", out) end)
    fails("launch", "block.*got nil", function() k(1) end)
    fails("launch", "grid is an integer", function() k({}, 1, out) end)
    fails("launch", "4 extents", function() k({ 1, 1, 1, 1 }, 1, out) end)
    fails("launch", "grid has a field 'shared'.*k:with", function() k({ 1, shared = 64 }, 1, out) end)
    fails("launch", "block has a field 'stream'.*k:with", function() k(1, { 1, 1, 1, stream = 1 }, out) end)
    fails("launch", "grid has 3 fields", function() k({ 1, 1, y = 1 }, 1, out) end)
    fails("launch", "block has 2 fields", function() k(1, { 1, [0] = 1 }, out) end)
    fails("launch", "grid has a field 'shared'", function() k({ n = 1, 1, shared = 64 }, 1, out) end)
    assert.equal(-4, out:sum():item())
  end)

  it("by forall has at least n threads", function()
    local count = dc.kernel [[
__global__ void count(int n, int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}]]
    for _, n in ipairs { 1, 31, 256, 257, math.random(1000, 100000) } do
      local x = dc.zeros(n, "int32")
      count:forall(n, n, x)
      assert.equal(n, x:sum():item(), note())
      assert.equal(1, x:max():item())
    end
    fails("launch", "forall", function() count:forall(-1, 1, dc.null) end)
    fails("launch", "forall", function() count:forall(1.5, 1, dc.null) end)
    fails("launch", "forall.*no value", function() count:forall() end)
    fails("argument", "2 arguments expected.*got 1", function() count:forall(5, 5) end)
  end)

  it("by forall has blocks for all processors of the CPU device, and the best block on GPUs", function()
    local sizes = dc.kernel [[
__global__ void sizes(long long *x) { if (threadIdx.x == 0) x[0] = gridDim.x, x[1] = blockDim.x; }]]
    local in_lua = dc.jit(function(x)
      if dc.index() == 1 then x[1], x[2] = dc.grid_size(), dc.block_size() end
    end)
    local _, _, best = sizes:occupancy "auto"
    local x, device = dc.zeros(2, "int64"), dc.device()
    local processors = device.multiprocessors
    for _, n in ipairs { 1, 33, 32 * processors, 1024, math.random(100, 5000), 1024 * 4 * processors } do
      for _, kernel in ipairs { sizes, in_lua, in_lua } do -- the second launch of a variant takes another way
        kernel:forall(n, x)
        local blocks, block = x[1], x[2]
        assert.is_true(blocks * block >= n and (blocks - 1) * block < n, note(n))
        local shape = note(("%d: %d of %d"):format(n, blocks, block))
        if device.simt then
          assert.equal(best, block, shape)
        else
          assert.is_true(blocks >= math.min(4 * processors, (n + 31) // 32), shape)
          assert.is_true(block % 32 == 0 and block <= 1024, shape)
        end
      end
    end
    assert.equal(best, x[2]) -- of many threads
  end)

  it("counts in dc.stats", function()
    local out = dc.zeros(4, "int32")
    dc.stats "reset"
    for _ = 1, 5 do k(1, 4, out) end
    assert.equal(5, dc.stats().launches)
  end)

  it("reads earlier writes, and its writes are read by later work", function()
    local add = dc.kernel [[__global__ void add(int *x, int v) { x[threadIdx.x] += v; }]]
    local x = dc.arange(1, 64, "int32")
    for i = 1, 50 do
      add(1, 64, x, i)
      if i == 25 then x[1] = 0 end
    end
    assert.equal(25 * 26 // 2 + 25 * 25, x[1])
    assert.equal(64 + 50 * 51 // 2, x[64])
  end)
end)

describe("shared memory", function()
  local source = [[
__global__ void turn(int n, int *x) {
  extern __shared__ int s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[n - 1 - threadIdx.x];
}]]

  it("is given by with{}, which leaves the kernel unchanged", function()
    local k = dc.kernel(source)
    for _, n in ipairs { 1, 33, 256, 1000 } do
      local t = h.values(n, "int32")
      local x = dc.array(t, "int32")
      local variant = k:with { shared = 4 * n }
      variant(1, n, n, x)
      local got = x:to_table()
      for i = 1, n do assert.equal(t[n + 1 - i], got[i], note()) end
      assert.equal(k.signature, variant.signature)
    end
  end)

  it("beyond the limit is an error that names it", function()
    local k = dc.kernel(source)
    local most = math.max(dc.device().attributes.shared_per_block, dc.device().attributes.shared_per_block_optin)
    local x = dc.zeros(32, "int32")
    k:with { shared = 48 * 1024 }(1, 32, 32, x)
    fails("launch", "shared memory.*" .. most, function() k:with { shared = most + 4 }(1, 32, 32, x) end)
    fails("launch", "bytes", function() k:with { shared = -1 } end)
    fails("launch", "bytes", function() k:with { shared = 1.5 } end)
    fails("argument", "'shard'", function() k:with { shard = 4 } end)
    fails("argument", "table", function() k:with(4) end)
  end)
end)

describe("a kernel object", function()
  it("has name, signature, attributes and occupancy", function()
    local k = dc.kernel [[
__global__ void tell(int n, float a, const float *x, unsigned char *y) {
  __shared__ float s[100];
  s[threadIdx.x] = x[threadIdx.x] * a;
  __syncthreads();
  y[threadIdx.x] = s[n];
}]]
    assert.equal("tell", k.name)
    assert.matches("tell%(int n, float a, const float %* ?x, unsigned char %* ?y%)", k.signature)
    assert.equal("kernel " .. k.signature, tostring(k))
    local a = k.attributes
    assert.equal(400, a.shared)
    assert.is_true(a.registers >= 1)
    assert.is_true(a.max_threads >= 1 and a.max_threads <= 1024)
    assert.equal("integer", math.type(a["local"]))
    assert.equal(dc.device(), k.device)
    local blocks, share = k:occupancy(256)
    assert.is_true(blocks >= 1 and share > 0 and share <= 1)
    fails("launch", "takes 1 to", function() k:occupancy(4096) end)
    fails("launch", "block", function() k:occupancy() end)
  end)

  it("lives as long as it is referenced", function()
    local k
    do
      local m = dc.module "__global__ void one(int *x) { *x = 1; }"
      k = m.one
    end
    collectgarbage()
    collectgarbage()
    local x = dc.zeros(1, "int32")
    k(1, 1, x)
    assert.equal(1, x[1])
  end)
end)

describe("a module", function()
  it("has its kernels by name", function()
    local m = dc.module [[
__global__ void a(int *x) { *x = 1; }
extern "C" __global__ void b(int *x) { *x = 2; }
namespace inner { __global__ void c(int *x) { *x = 3; } }]]
    local x = dc.zeros(1, "int32")
    m.a(1, 1, x)
    assert.equal(1, x[1])
    m:kernel "b"(1, 1, x)
    assert.equal(2, x[1])
    assert.equal(m.a, m.a)
    fails("argument", "no kernel 'd'.*'a'.*'b'", function() return m.d end)
    fails("argument", "no kernel 'd'", function() m:kernel "d" end)
    fails("argument", "name", function() m:kernel() end)
    fails("index", "names of kernels", function() return m[1] end)
    assert.matches("%.entry", m:ptx())
    assert.matches("module of a, b", tostring(m))
  end)

  it("compiles instances of templates, named beforehand or on first use", function()
    local source = [[
template <class T> __global__ void scale(int n, T a, T *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}]]
    local m = dc.module(source, { instantiate = { "scale<float>" } })
    for _, dtype in ipairs { "float", "int", "double", "unsigned char" } do
      local x = dc.array({ 1, 2, 3 }, dtype)
      local k = m:kernel("scale<" .. dtype .. ">")
      k(1, 32, 3, 3, x)
      assert.same({ 3, 6, 9 }, x:to_table())
    end
    assert.equal(m:kernel "scale<int>", m:kernel "scale<int>")
    local k = dc.kernel(source, { name = "scale<short>" })
    local x = dc.array({ 1, 2 }, "int16")
    k(1, 32, 2, -5, x)
    assert.same({ -5, -10 }, x:to_table())
  end)

  it("with variables compiles no instances later", function()
    local m = dc.module([[
__device__ int counter;
template <class T> __global__ void bump(T *x) { *x = (T)atomicAdd(&counter, 1); }]], { instantiate = "bump<int>" })
    local x = dc.zeros(1, "int32")
    m:kernel "bump<int>"(1, 1, x)
    m:kernel "bump<int>"(1, 1, x)
    assert.equal(1, x[1])
    fails("argument", "instantiate", function() m:kernel "bump<float>" end)
  end)
end)

describe("options", function()
  local source = [[
__global__ void get(long long *x) { *x = N; }]]
  local function get(options)
    local x = dc.zeros(1, "int64")
    dc.kernel(source, options)(1, 1, x)
    return x[1]
  end

  it("define macros", function()
    local n = math.random(1 << 40)
    assert.equal(n, get { define = { N = n } })
    assert.equal(1, get { define = { N = true } })
    assert.equal(-7, get { define = { N = "(M - 10)", M = 3, unused = false } })
    assert.equal(5, get { define = { N = 2.5, ["F(x)"] = "x" }, flags = { "-UN", "-DN=5" } })
    fails("argument", "define", function() get { define = "N=1" } end)
    fails("argument", "define", function() get { define = { N = {} } } end)
  end)

  it("give headers from memory and folders, and flags", function()
    local k = dc.kernel([[
#include "mine.h"
__global__ void get(long long *x) { *x = mine(); }]], {
      headers = { ["mine.h"] = "#include \"deeper.h\"\n__device__ long long mine() { return DEEP; }",
        ["deeper.h"] = "#define DEEP 77" },
    })
    local x = dc.zeros(1, "int64")
    k(1, 1, x)
    assert.equal(77, x[1])
    local dir = h.folder()
    h.write(dir .. "/there.h", "#define N 99")
    local there = "#include <there.h>\n" .. source
    dc.kernel(there, { include = { dir } })(1, 1, x)
    assert.equal(99, x[1])
    h.write(dir .. "/there.h", "#define N 101") -- an edited header misses the cache, which knows the headers
    dc.kernel(there, { include = dir })(1, 1, x)
    assert.equal(101, x[1])
    os.execute("rm -r " .. dir)
    assert.equal(4, get { flags = { "-DN=4" } })
    assert.equal(4, get { flags = "-DN=4" })
  end)

  it("choose the C++ dialect, fast arithmetic and line information", function()
    local std = "__global__ void get(long long *x) { *x = __cplusplus; }"
    local x = dc.zeros(1, "int64")
    dc.kernel(std, { std = "c++14" })(1, 1, x)
    assert.equal(201402, x[1])
    dc.kernel(std, { std = "c++20" })(1, 1, x)
    assert.equal(202002, x[1])
    assert.equal(1, get { fast_math = true, define = { N = 1 } })
    assert.equal(1, get { debug = true, fast_math = false, define = { N = 1 } })
  end)

  it("that do not exist, or are of the wrong type, are errors", function()
    fails("argument", "'defines'.*define", function() get { defines = {} } end)
    fails("argument", "fast_math", function() get { fast_math = 1 } end)
    fails("argument", "std", function() get { std = 17 } end)
    fails("argument", "headers", function() get { headers = { "x.h" } } end)
    fails("argument", "options are a table", function() get "fast" end)
    fails("argument", "flags", function() get { flags = { 1 } } end)
    fails("argument", "key", function() get { "fast" } end)
  end)
end)

describe("files", function()
  it("contain kernels and modules", function()
    local name = h.temporary("__global__ void put(int *x) { *x = 42; }\n")
    local x = dc.zeros(2, "int32")
    dc.kernel_file(name)(1, 1, x)
    assert.equal(42, x[1])
    dc.module_file(name).put(1, 1, x[{ { 2, 2 } }])
    assert.equal(42, x[2])
    h.write(name, "__global__ void put(int *x) {\n  *x = oops;\n}\n")
    local err = fails("compile", "oops", function() dc.kernel_file(name) end)
    assert.is_truthy(tostring(err):find(name .. ":2", 1, true), tostring(err))
    os.remove(name)
    fails("io", name:gsub("%p", "%%%0"), function() dc.kernel_file(name) end)
  end)
end)

describe("compiled code", function()
  it("is cached: the second time nothing is compiled", function()
    -- Of the clock, not of the seed: the cache outlives a run, and a seed may be used again.
    local name = os.tmpname()
    os.remove(name)
    local source = ("__global__ void f(int *x) { *x = sizeof \"%s %d\"; }"):format(name, os.time())
    dc.stats "reset"
    dc.kernel(source)
    local first = dc.stats()
    dc.kernel(source)
    local second = dc.stats()
    assert.is_true(first.compiles >= 1)
    assert.equal(first.compiles, second.compiles)
    assert.is_true(second.cache_hits > first.cache_hits)
  end)
end)
