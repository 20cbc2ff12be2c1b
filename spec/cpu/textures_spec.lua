-- Textures on the CPU device: every kind, format and mode against plain Lua (spec/textures.lua) on both tiers; what
-- only PTX can say; handles that are no textures.
local dc = require "dotcompute"
local helper = require "spec.helper"

local function on_cpu(fn)
  return function() return dc.using("cpu", fn) end
end

local function fails(pattern, fn)
  local ok, err = pcall(fn)
  assert.is_false(ok, "no error was raised")
  assert.equal("table", type(err), tostring(err))
  assert.matches(pattern, tostring(err))
  return err
end

describe("samples of random textures", function()
  for tier = 0, 1 do
    it("are those of the programming guide's formulas at tier " .. tier, function()
      local text = helper.shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=%d %s spec/textures.lua %d 150"):format(
        tier, helper.quote(helper.lua), helper.seed))
      assert.matches("^7500 samples, 0 wrong", text, helper.note())
    end)
  end
end)

-- The texels along an axis of n that coordinate x takes part of, and their weights.
local function along(x, n, linear)
  if not linear then return { { math.max(0, math.min(n - 1, math.floor(x))), 1 } } end
  local i = math.floor(x - 0.5)
  local part = math.floor((x - 0.5 - i) * 256 + 0.5) / 256
  return { { math.max(0, math.min(n - 1, i)), 1 - part }, { math.max(0, math.min(n - 1, i + 1)), part } }
end

describe("samples that a warp takes of one texture", function()
  for _, form in ipairs { "uint8 point", "uint8 linear", "float32 point", "float32 linear" } do
    local dtype, filter = form:match "(%S+) (%S+)"
    local linear = filter == "linear"
    local read = dtype == "uint8" and not linear and "unsigned char" or "float"
    it("are the formulas': " .. form, on_cpu(function()
      local m = dc.module((([[
__global__ void flat(cudaTextureObject_t t, const float *x, float *out) {
  int i = threadIdx.x;
  out[i] = tex2D<TYPE>(t, x[3 * i], x[3 * i + 1]);
}
__global__ void deep(cudaTextureObject_t t, const float *x, float *out) {
  int i = threadIdx.x;
  out[i] = tex3D<TYPE>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}
__global__ void layered(cudaTextureObject_t t, const float *x, float *out) {
  int i = threadIdx.x;
  out[i] = tex2DLayered<TYPE>(t, x[3 * i], x[3 * i + 1], (int)x[3 * i + 2]);
}]]):gsub("TYPE", read)))
      for _, kind in ipairs { "flat", "deep", "one layer", "a layer each" } do
        local layered, w, h, deep = kind:find "layer" ~= nil, math.random(1, 40), math.random(1, 9), math.random(1, 9)
        if kind == "flat" then deep = 1 end
        local texels, at, want, threads, one = {}, {}, {}, math.random(33, 64), math.random(deep) - 1
        for i = 1, w * h * deep do
          texels[i] = dtype == "uint8" and math.random(0, 255) or math.random(-512, 512) / 64
        end
        for i = 1, threads do -- some side by side
          local x = i % 40 < 20 and i - 5 or math.random(-8, 8 * w + 8) / 8
          local y, z = math.random(-8, 8 * h + 8) / 8, math.random(-8, 8 * deep + 8) / 8
          if layered then z = kind == "one layer" and one or math.random(deep) - 1 end
          at[i], want[i] = { x, y, z }, 0
          for _, c in ipairs(along(x, w, linear)) do
            for _, b in ipairs(along(y, h, linear)) do
              for _, a in ipairs(along(z, deep, linear and kind == "deep")) do
                want[i] = want[i] + c[2] * b[2] * a[2] * texels[(a[1] * h + b[1]) * w + c[1] + 1]
              end
            end
          end
          if read == "float" and dtype == "uint8" then want[i] = want[i] / 255 end
        end
        local image, out = dc.array(texels, dtype), dc.zeros(threads)
        image = kind == "flat" and image:reshape(h, w) or image:reshape(deep, h, w)
        local options = { filter = filter, read = dtype == "uint8" and linear and "normalized" or nil,
                          layered = layered or nil }
        m[layered and "layered" or kind](1, threads, dc.texture(image, options), dc.array(at, "float32"), out)
        for i, v in ipairs(out:to_table()) do
          local text = ("%s, thread %d: %s, not %s"):format(kind, i, v, want[i])
          assert(math.abs(v - want[i]) < 2e-5, helper.note(text))
        end
      end
    end))
  end
end)

describe("integers that are read as fractions", function()
  for _, dtype in ipairs { "uint8", "int8", "uint16", "int16" } do
    it("are the nearest float32 numbers: " .. dtype, on_cpu(function()
      local bits, signed = tonumber(dtype:match "%d+"), dtype:sub(1, 1) == "i"
      local n, least, values, want = 1 << bits // 2, signed and -(1 << (bits - 1)) or 0, {}, {}
      local most = least + (1 << bits) - 1
      for i = 1, n * n do
        values[i] = least + i - 1
        want[i] = helper.f32(math.max(-1, values[i] / most))
      end
      local k = dc.kernel [[
__global__ void all(cudaTextureObject_t t, float *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = tex2D<float>(t, threadIdx.x, blockIdx.x);
}]]
      local out = dc.zeros(n * n)
      k(n, n, dc.texture(dc.array(values, dtype):reshape(n, n), { read = "normalized" }), out)
      assert.same(want, out:to_table())
    end))
  end
end)

describe("a table of a GPU's samples", function()
  local function replay(text)
    local textures = require "spec.textures"
    return dc.using("cpu", function() return textures.replay(text) end)
  end

  it("is what the CPU device samples, within a unit of the weights' fixed point", function()
    local file <close> = io.open "spec/data/textures.tsv"
    if not file then
      return pending "there is none; on a GPU: lua5.4 spec/textures.lua record >spec/data/textures.tsv"
    end
    local total, wrong = replay(file:read "a")
    assert(total > 0 and #wrong == 0, ("%d of %d: %s"):format(#wrong, total, wrong[1]))
  end)

  it("of this device is repeated exactly, and one with other values is not", on_cpu(function()
    local text = require("spec.textures").record(helper.seed, 40, 10)
    local total, wrong = replay(text)
    assert.equal(400, total)
    assert.same({}, wrong, helper.note())
    local _, others = replay((text:gsub("\n[^\n]+", "\n1e3\t1e3\t1e3\t1e3")))
    assert(#others > 100, helper.note())
  end))
end)

describe("a kernel with inline PTX", function()
  it("gets halves, pairs of halves and a predicate", on_cpu(function()
    local k = dc.kernel [[
__global__ void halves(cudaTextureObject_t t, unsigned short *four, unsigned *two, int *there, int n) {
  const int i = threadIdx.x;
  unsigned short h[4];
  unsigned p[2];
  float x = i + 0.5f;
  if (i >= n) return;
  asm("tex.1d.v4.f16.f32 {%0, %1, %2, %3}, [%4, {%5}];" : "=h"(h[0]), "=h"(h[1]), "=h"(h[2]), "=h"(h[3])
      : "l"(t), "f"(x));
  asm("tex.1d.v2.f16x2.f32 {%0, %1}, [%2, {%3}];" : "=r"(p[0]), "=r"(p[1]) : "l"(t), "f"(x));
  asm("{ .reg .pred p; .reg .f32 a, b, c, d; tex.1d.v4.f32.f32 {a, _, c, d}|p, [%1, {%2}]; selp.s32 %0, 1, 0, p; }"
      : "=r"(there[i]) : "l"(t), "f"(x));
  for (int k = 0; k < 4; k++) four[4 * i + k] = h[k];
  two[2 * i] = p[0], two[2 * i + 1] = p[1];
}]]
    local n, values = 20, {}
    for e = 1, 2 * n do values[e] = math.random(-1000, 1000) / 32 end
    local a = dc.array(values, "float16"):reshape(n, 2)
    local bits = dc.from_bytes(a:bytes(), 2 * n, "uint16"):to_table()
    local four, two, there = dc.zeros(4 * n, "uint16"), dc.zeros(2 * n, "uint32"), dc.zeros(n, "int32")
    k(1, 32, dc.texture(a, { channels = 2 }), four, two, there, n)
    for i = 1, n do
      local x, y = bits[2 * i - 1], bits[2 * i]
      assert.same({ x, y, 0, 0 }, { table.unpack(four:to_table(), 4 * i - 3, 4 * i) }, helper.note())
      assert.same({ x | y << 16, 0 }, { table.unpack(two:to_table(), 2 * i - 1, 2 * i) }, helper.note())
    end
    assert.equal(n, there:sum():item())
  end))

  it("samples and writes for the threads of a guard alone", on_cpu(function()
    local k = dc.kernel [[
__global__ void guarded(cudaTextureObject_t t, cudaSurfaceObject_t s, const int *yes, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, p = i < n ? yes[i] : 0;
  float r, g, b, a;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %6, 0; mov.f32 %0, 0fBF800000;\n"
      "@p tex.1d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5}]; @!p mov.f32 %1, %0; }"
      : "=f"(r), "=f"(g), "=f"(b), "=f"(a) : "l"(p ? t : 0), "f"(i + 0.5f), "r"(p));
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p sust.b.1d.b32.trap [%0, {%1}], {%2}; }"
      :: "l"(s), "r"(p ? 4 * i : -4), "r"(i), "r"(p));
  if (i < n) out[i] = r;
}]]
    local n, yes, values, written = math.random(1, 100), {}, {}, {}
    for i = 1, n do yes[i] = math.random(0, 1) end
    for i = 1, n do values[i], written[i] = yes[i] == 1 and 3 * i or -1, yes[i] * (i - 1) end
    local s, out = dc.surface(dc.zeros(n, "int32")), dc.zeros(n)
    k(4, 32, dc.texture(dc.arange(3, 3 * n, 3):to "float32"), s, dc.array(yes, "int32"), out, n)
    assert.same(values, out:to_table(), helper.note())
    assert.same(written, s:array():to_table(), helper.note())
  end))

  it("adds offsets to coordinates in texels", on_cpu(function()
    local k = dc.kernel [[
__global__ void shifted(cudaTextureObject_t t, float *out, int w) {
  const int x = threadIdx.x, y = threadIdx.y;
  float u = (x + 0.5f) / w, v = (y + 0.5f) / blockDim.y, r, g, b, a;
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8};" : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
      : "l"(t), "f"(u), "f"(v), "r"(-3), "r"(2));
  out[y * w + x] = r;
}]]
    local w, h = math.random(1, 12), math.random(1, 12)
    local t = dc.texture(dc.arange(0, w * h - 1):to "float32":reshape(h, w),
      { normalized = true, address = { x = "wrap", y = "border" }, filter = "linear" })
    local out = dc.zeros({ h, w })
    k(1, { w, h }, t, out, w)
    for y = 0, h - 1 do
      for x = 0, w - 1 do
        local want = y + 2 < h and (y + 2) * w + (x - 3) % w or 0
        assert.near(want, out:to_table()[y + 1][x + 1], 0.01, helper.note(("%d x %d"):format(w, h)))
      end
    end
  end))

  it("asks textures and surfaces for their properties", on_cpu(function()
    local k = dc.kernel [[
#define ASK(i, what, handle) asm volatile(what ", [%1];" : "=r"(out[i]) : "l"(handle))
__global__ void ask(cudaTextureObject_t t, cudaSurfaceObject_t s, int *out) {
  ASK(0, "txq.width.b32 %0", t);
  ASK(1, "txq.height.b32 %0", t);
  ASK(2, "txq.depth.b32 %0", t);
  ASK(3, "txq.channel_data_type.b32 %0", t);
  ASK(4, "txq.channel_order.b32 %0", t);
  ASK(5, "txq.num_mipmap_levels.b32 %0", t);
  ASK(6, "txq.normalized_coords.b32 %0", t);
  ASK(7, "txq.filter_mode.b32 %0", t);
  ASK(8, "txq.addr_mode_1.b32 %0", t);
  asm volatile("txq.level.width.b32 %0, [%1], %2;" : "=r"(out[9]) : "l"(t), "r"(1));
  ASK(10, "suq.width.b32 %0", s);
  ASK(11, "suq.array_size.b32 %0", s);
  ASK(12, "suq.channel_data_type.b32 %0", s);
}]]
    local w, h, d, layers = math.random(4, 20), math.random(1, 20), math.random(1, 20), math.random(1, 9)
    local t = dc.texture(dc.zeros({ d, h, w, 4 }, "float16"), { channels = 4, normalized = true, filter = "linear",
      address = { y = "mirror" }, mipmaps = true })
    local s = dc.surface(dc.zeros({ layers, w, 2 }, "int16"), { channels = 2, layered = true })
    local out = dc.zeros(13, "int32")
    k(1, 1, t, s, out)
    local want = { w, h, d, 0x10dd, 0x10b5, t.levels, 1, 1, 1, w // 2, w, layers, 0x10d8 }
    assert.same(want, out:to_table(), helper.note())
  end))

  it("that compares depths or names a texture reference is refused by name and line", on_cpu(function()
    local line = debug.getinfo(1, "l").currentline + 6
    local err = fails("tex%.2d%.v4%.f32%.f32", function()
      dc.kernel [[
__global__ void shadow(cudaTextureObject_t t, float *x) {
  float r, g, b, a;
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %5}], %5;" : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
      : "l"(t), "f"(0.5f));
  x[0] = r + g + b + a;
}]]
    end)
    assert.equal("compile", err.kind)
    assert.matches(":" .. line .. ":", tostring(err))
    fails("texture references", function()
      return dc.module [[
.version 7.0
.target sm_75
.address_size 64
.global .texref image;
.visible .entry reads(.param .u64 out) {
  .reg .f32 %f<5>;
  mov.f32 %f0, 0f3F000000;
  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f0, %f0}];
  ret;
}]]:kernel "reads"
    end)
  end))
end)

describe("a handle that is no texture for the instruction", function()
  local source = [[
__global__ void fetch(const cudaTextureObject_t *t, float *out) { out[threadIdx.x] = tex1D<float>(t[threadIdx.x], 0); }
__global__ void read(const cudaTextureObject_t *t, float *out) {
  const int i = threadIdx.x;
  out[i] =
    tex2D<float>(t[i], 0, 0);
}]]
  local line = debug.getinfo(1, "l").currentline - 2

  -- Launches with the handle in one thread and a good one in the others.
  local function launch(name, good, handle, pattern)
    local m = dc.module(source)
    local handles, out, bad = {}, dc.zeros(64), math.random(0, 63)
    for k = 0, 63 do handles[k + 1] = k == bad and handle or good.handle end
    local err = fails(pattern, function()
      m:kernel(name)(1, 64, dc.array(handles, "uint64"), out)
      dc.synchronize()
    end)
    assert.equal("launch", err.kind)
    assert.matches("kernel '" .. name .. "'", tostring(err))
    assert.matches(("thread %%(%d,0,0%%)"):format(bad), tostring(err), helper.note())
    if name == "read" then assert.matches("textures_spec%.lua:" .. line, tostring(err)) end
  end

  it("is an error with kernel, line and thread", on_cpu(function()
    local good = dc.texture(dc.ones(2, 3))
    local closed = dc.texture(dc.ones(2, 3))
    local handle = closed.handle
    closed:close()
    local reused <close> = dc.texture(dc.ones(2, 3))
    launch("read", good, handle, "no texture or surface that is open")
    launch("read", good, 0, "no texture or surface that is open")
    launch("read", good, math.random(1, 1 << 40), "no texture or surface that is open")
    launch("read", good, math.mininteger | math.random(1 << 30), "no texture or surface that is open")
    local row, surface = dc.texture(dc.ones(4)), dc.surface(dc.ones(2, 3)) -- open until the end
    local linear = dc.texture(dc.ones(4), { copy = false })
    launch("read", good, row.handle, "tex%.2d%S* of a 1%-d texture")
    launch("read", good, surface.handle, "tex%.2d%S* of a 2%-d surface")
    launch("fetch", row, linear.handle, "tex1Dfetch alone")
    for _, object in ipairs { row, surface, linear } do object:close() end
    assert.equal(4, (dc.ones(2) + 1):sum():item()) -- all still works
    assert.is_true(reused.handle ~= handle)
  end))
end)
