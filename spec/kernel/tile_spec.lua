-- Tile kernels (CUDA Tile C++). They are skipped where NVIDIA's compilers of them are not installed.
local dc = require "dotcompute"
local fake = require "spec.fake"
local h = require "spec.helper"
local fails = h.fails

local compiler = require "dotcompute.core".compiler()

local head = [[
#include "cuda_tile.h"
namespace ct = ::cuda::tiles;
using namespace ct::literals;
]]

local add = head .. [[
template <class T> __tile_global__ void add(const T *a, const T *b, T *c, int n) {
  ct::partition_view x{ct::tensor_span{a, ct::extents{n}}, ct::shape{128_ic}};
  ct::partition_view y{ct::tensor_span{b, ct::extents{n}}, ct::shape{128_ic}};
  ct::partition_view z{ct::tensor_span{c, ct::extents{n}}, ct::shape{128_ic}};
  auto i = ct::bid().x;
  z.store_masked(x.load_masked(i) + y.load_masked(i), i);
}]]

local place = head .. [[
__tile_global__ void place(int *out, int value) {
  auto b = ct::bid();
  auto n = ct::num_blocks();
  out[b.x + n.x * (b.y + n.y * b.z)] = value + b.x + 10 * b.y + 100 * b.z;
}]]

local softmax = head .. [[
__tile_global__ void softmax(const float *__restrict__ in, float *__restrict__ out, int rows) {
  ct::partition_view x{ct::tensor_span{in, ct::extents{rows, 256_ic}}, ct::shape{1_ic, 256_ic}};
  ct::partition_view y{ct::tensor_span{out, ct::extents{rows, 256_ic}}, ct::shape{1_ic, 256_ic}};
  auto row = x.load(ct::bid().x, 0);
  auto e = ct::exp(row - ct::reduce_max<1>(row));
  y.store(e / ct::sum<1>(e), ct::bid().x, 0);
}]]

-- Runs a script in a process of its own, on the CPU device; its output.
local function run(script, environment)
  local text = h.shell(("DOTCOMPUTE_DEVICE=cpu %s %s - <<'EOF'\n%s\nEOF"):format(environment or "", h.quote(h.dclua),
    script))
  return text
end

describe("a tile kernel", function()
  -- NVRTC 13.5 copies from a block that it has freed, which AddressSanitizer's memcpy finds.
  local sanitizer = os.getenv "ASAN_OPTIONS" or ""
  if sanitizer:find("detect_leaks", 1, true) and not sanitizer:find("replace_intrin=0", 1, true) then
    pending "NVRTC 13.5 does not run under AddressSanitizer without replace_intrin=0 in ASAN_OPTIONS"
    return
  end
  if not compiler.tile then
    pending("needs NVIDIA's compilers of tile kernels: " .. compiler.why_no_tile:match "[^\n]*")
    return
  end

  for _, dtype in ipairs { "int32", "float32", "int64", "float64" } do
    it("is an instance of a template, and handles the last, partial tile: " .. dtype, function()
      local types = { int32 = "int", float32 = "float", int64 = "long long", float64 = "double" }
      local k = dc.kernel(add, { name = ("add<%s>"):format(types[dtype]) })
      for _, n in ipairs { 1, 128, math.random(2, 1000) } do
        local a, b, want = {}, {}, {}
        for i = 1, n do
          a[i], b[i] = math.random(-1000, 1000), math.random(-1000, 1000)
          want[i] = a[i] + b[i]
        end
        local c = dc.zeros(n, dtype)
        k((n + 127) // 128, dc.array(a, dtype), dc.array(b, dtype), c, n)
        assert.same(want, c:to_table(), h.note(dtype))
      end
    end)
  end

  it("takes a grid of up to three extents, and no block", function()
    local k = dc.kernel(place)
    -- at least two elements in all: the second launch writes two
    local nx, ny, nz, value = math.random(2, 9), math.random(9), math.random(9), math.random(-1000, 1000)
    local out = dc.zeros(nz, ny, nx, "int32")
    k({ nx, ny, nz }, out, value)
    for z = 1, nz do
      for y = 1, ny do
        for x = 1, nx do assert.equal(value + x - 1 + 10 * (y - 1) + 100 * (z - 1), out[z][y][x]) end
      end
    end
    k({ y = 2 }, out, 7)
    assert.equal(17, out:reshape(-1)[2])
    local alone = dc.kernel(head .. "__tile_global__ void nothing() {}")
    alone(3)
    fails("argument", "0 arguments expected after the grid, got 1", function() alone(3, 1) end)
  end)

  it("computes with whole rows", function()
    local k, rows = dc.kernel(softmax), math.random(1, 20)
    local t = {}
    for i = 1, rows * 256 do t[i] = h.f32(math.random() * 20 - 10) end
    local y = dc.zeros(rows, 256)
    k(rows, dc.array(t):reshape(rows, 256), y, rows)
    local got = y:reshape(-1):to_table()
    for r = 0, rows - 1 do
      local most, sum = -math.huge, 0
      for i = 1, 256 do most = math.max(most, t[r * 256 + i]) end
      for i = 1, 256 do sum = sum + math.exp(t[r * 256 + i] - most) end
      for i = 1, 256 do assert.near(math.exp(t[r * 256 + i] - most) / sum, got[r * 256 + i], 1e-6, h.note()) end
    end
  end)

  for _, name in ipairs { "add", "softmax", "matmul", "attention" } do
    it("of examples/tile/" .. name .. ".lua is right", function()
      local text, code = h.shell(("%s examples/tile/%s.lua"):format(h.quote(h.dclua), name))
      assert.equal(0, code, text)
      assert(tonumber(text:match "largest difference to .*: (%S+)\n$") < 1e-3, text)
    end)
  end

  it("runs in streams and graphs", function()
    local k = dc.kernel(place)
    local out = dc.zeros(4, "int32")
    local s = dc.stream()
    k:with { stream = s }(4, out, 5)
    s:synchronize()
    assert.same({ 5, 6, 7, 8 }, out:to_table())
    local g = dc.graph(function() k(4, out, 1) end)
    out:fill(0)
    g()
    assert.same({ 1, 2, 3, 4 }, out:to_table())
  end)

  it("checks its arguments", function()
    local k = dc.kernel(place)
    local out = dc.zeros(4, "int32")
    assert.matches("place(int *out, int value)", tostring(k), 1, true)
    fails("argument", "2 arguments expected after the grid, got 3", function() k(4, 32, out, 1) end)
    fails("argument", "2 arguments expected after the grid, got 0", function() k(4) end)
    fails("argument", "parameter 1 'out' %(int %*%)", function() k(4, dc.zeros(4), 1) end)
    fails("argument", "parameter 2 'value' %(int%)", function() k(4, out, {}) end)
    fails("launch", "the grid's x is %-1", function() k(-1, out, 1) end)
    fails("launch", "grid", function() k("4", out, 1) end)
    k(0, out, 1)
    assert.same({ 0, 0, 0, 0 }, out:to_table())
  end)

  it("has no threads to choose", function()
    local k = dc.kernel(place)
    local what = "kernel 'place' is written in tiles, and has no "
    fails("launch", what .. "forall", function() k:forall(4, dc.zeros(4, "int32"), 1) end)
    fails("launch", what .. "block of threads", function() k:occupancy(32) end)
    for _, option in ipairs { "shared", "cluster", "cooperative", "stack" } do
      fails("launch", what .. "launch option '" .. option .. "'", function() k:with { [option] = 1 } end)
    end
  end)

  it("that does not compile says where", function()
    local line = h.line(2)
    local err = fails("compile", "no_such_thing", function()
      dc.kernel [[
#include "cuda_tile.h"
__tile_global__ void wrong(int *x) {
  x[0] = no_such_thing;
}]] end)
    assert.matches(":" .. line + 3 .. ":", tostring(err), 1, true)
    fails("compile", 'unsupported type "S" for __tile_global__', function()
      dc.kernel(head .. "struct S { int n; };\n__tile_global__ void wrong(int *x, S s) { x[0] = s.n; }")
    end)
    fails("compile", "shape", function() -- no power of two
      dc.kernel(head .. "__tile_global__ void wrong(float *x) { x[0] = 0; auto t = ct::zeros<ct::tile<float, "
        .. "decltype(ct::shape{100_ic})>>(); }")
    end)
  end)

  it("is compiled again, once, for arguments that are multiples of 16", function()
    local name = "add" .. math.random(10 ^ 9)
    local k = dc.kernel(add:gsub("add", name), { name = name .. "<int>" })
    local function compiles(offset, n) -- launches, checks the result, gives the number of compilations
      local a, b, want = h.ints(n, -1000, 1000), h.ints(n, -1000, 1000), {}
      for i = 1, n do want[i] = a[i] + b[i] end
      local function view(t)
        local x = dc.zeros(n + offset, "int32")
        local part = { { offset + 1, n + offset } }
        x[part] = dc.array(t, "int32")
        return x[part]
      end
      local c = view(want)
      c:fill(0)
      local before = dc.stats().compiles
      k((n + 127) // 128, view(a), view(b), c, n)
      assert.same(want, c:to_table(), h.note(("offset %d, n %d"):format(offset, n)))
      return dc.stats().compiles - before
    end
    assert.equal(1, compiles(0, 160))
    assert.equal(0, compiles(0, 16 * math.random(20)))
    assert.equal(1, compiles(0, 16 * math.random(20) + 3)) -- pointers alone
    assert.equal(1, compiles(1, 16 * math.random(20))) -- the number alone
    assert.equal(0, compiles(3, 16 * math.random(20) + math.random(15))) -- nothing: the kernel itself
    assert.equal(0, compiles(0, 16 * math.random(20)))
  end)

  it("shares its variables with all launches", function()
    local m = dc.module(head .. [[
__tile__ int counter = 5;
__tile_global__ void get(int *x, int n) { x[0] = counter + n; }]])
    local x, value = dc.zeros(1, "int32"), math.random(0, 255)
    m.get(1, x, 1)
    assert.equal(6, x[1])
    m:global("counter")[":"] = { value, 0, 0, 0 } -- its type is not known: bytes
    for _, n in ipairs { 1, 16, 7, 32 } do
      m.get(1, x, n)
      assert.equal(value + n, x[1], h.note())
    end
  end)

  it("keeps its launch options in what is compiled again", function()
    local k, s = dc.kernel(place), dc.stream()
    local in_stream, out = k:with { stream = s }, dc.zeros(4, "int32")
    k(4, out, 16)
    in_stream(4, out, 16)
    s:close()
    fails("argument", "stream is closed", function() in_stream(4, out, 16) end)
    k(4, out, 32)
    assert.same({ 32, 33, 34, 35 }, out:to_table())
  end)

  it("finds its text among comments, literals and other kernels", function()
    local text = head .. [[
// __tile_global__ void second(int *x, int n) { }
static constexpr const char *mark = "__tile_global__ void second(int *x) {";
__tile_global__ void first(int *x, int n) { x[0] = 1; }
namespace deep { __tile_global__ void second(int *x, const int n, int m) { x[0] = n + m; } }
]]
    local m = dc.module(text)
    local x = dc.zeros(1, "int32")
    m["deep::second"](1, x, 16, 32) -- `n` is const, so nothing is assumed
    assert.equal(48, x[1])
    m.first(1, x, 16)
    assert.equal(1, x[1])
  end)

  it("shares no source with kernels in threads", function()
    fails("compile", "kernels in tiles %('a', __tile_global__%) and in threads %('b', __global__%)", function()
      dc.kernel(head .. "__tile_global__ void a() {}\n__global__ void b() {}")
    end)
    fails("compile", "tile kernels %('a'%) cannot be linked", function()
      dc.kernel(head .. "__tile_global__ void a() {}", { link = "__device__ void f() {}" })
    end)
    fails("compile", "holds no kernel", function() dc.kernel(head .. "int x;") end)
  end)

  it("is launched on a GPU as one thread a block", function()
    fake.build()
    local _, report = fake.run(("local k = dc.kernel(%q)\nk({ 3, 2 }, dc.zeros(10, 'int32'), 1)"):format(place),
      { DOTCOMPUTE_DEVICE = "cuda" })
    local launches = table.concat(report.launch, "\n")
    assert.matches("place[^\n]* 3x2x1 1x1x1 ", launches)
  end)

  it("is compiled once for all processes", function()
    local script = ([[local dc = require "dotcompute"
      dc.kernel(%q)
      io.write(dc.stats().compiles)]]):format(place:gsub("place", "place" .. math.random(10 ^ 9)))
    assert.equal("1", run(script))
    assert.equal("0", run(script))
  end)
end)

describe("without the compilers of tile kernels", function()
  it("says what to install", function()
    local out = run(([[local dc = require "dotcompute"
      print(pcall(dc.kernel, %q))]]):format(place .. " // " .. math.random(10 ^ 9)), "DOTCOMPUTE_TILE=off")
    assert.matches("run `make tile`", out, 1, true)
    assert.matches("switched off by DOTCOMPUTE_TILE=off", out, 1, true)
    out = run(([[local dc = require "dotcompute"
      print(pcall(dc.kernel, %q))]]):format(place .. " // " .. math.random(10 ^ 9)), "DOTCOMPUTE_TILE=/no/such/folder")
    assert.matches("/no/such/folder: no bin/tileiras", out, 1, true)
  end)

  it("that are too old says so", function()
    local old = compiler.library and (compiler.major < 13 or compiler.major == 13 and compiler.minor < 5)
    if not old or not compiler.tile then return pending "needs tileiras, and another NVRTC older than 13.5" end
    h.with_folder(function(folder)
      assert(os.execute(("mkdir %s/lib && ln -s %s/bin %s/bin && ln -s %s %s/lib/libnvrtc.so.13"):format(folder,
        h.quote(compiler.tile), folder, h.quote(compiler.library), folder)))
      local out = run(([[local dc = require "dotcompute"
        print(pcall(dc.kernel, %q))]]):format(place .. " // " .. math.random(10 ^ 9)), "DOTCOMPUTE_TILE=" .. folder)
      assert.matches("tile kernels need NVRTC of CUDA 13.5 or newer, this is " .. compiler.major .. "."
        .. compiler.minor, out, 1, true)
    end)
  end)
end)
