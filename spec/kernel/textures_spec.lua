-- dc.texture and dc.surface: texels of arrays as kernels read and write them, how they are passed, their lives, and
-- what is refused. Filtering and address modes: spec/cpu/textures_spec.lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local note = h.note

-- f(...) fails with the text, which is no pattern.
local function fails(kind, text, f, ...)
  local values = table.pack(...)
  return h.fails(kind, (text:gsub("%p", "%%%0")), function()
    f(table.unpack(values, 1, values.n))
    return nil
  end)
end

local random = math.random
local function extents(n)
  local list = {}
  for k = 1, n do list[k] = random(1, 9) end
  return list
end

-- Random values that every dtype of texels has.
local function texels(shape, dtype)
  local n = 1
  for _, extent in ipairs(shape) do n = n * extent end
  local t = {}
  for k = 1, n do t[k] = random(0, 127) end
  return dc.array(t, dtype):reshape(shape)
end

local m = dc.module [[
#include <cuda_fp16.h>
template <class T> __device__ float sum(T v);
template <> __device__ float sum(float v) { return v; }
template <> __device__ float sum(int v) { return v; }
template <> __device__ float sum(unsigned char v) { return v; }
template <> __device__ float sum(float2 v) { return v.x + 1000 * v.y; }
template <> __device__ float sum(short2 v) { return v.x + 1000 * v.y; }
template <> __device__ float sum(uchar4 v) { return v.x + 10 * v.y + 100 * v.z + 1000 * v.w; }

#define EACH for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * height * d; i += gridDim.x * blockDim.x)
#define X (i % w)
#define Y (i / w % height)
#define Z (i / w / height)
#define READER(name, expression) \
  template <class T> __global__ void name(cudaTextureObject_t t, float *out, int w, int height, int d) { \
    EACH out[i] = sum<T>(expression); \
  }
READER(fetch, tex1Dfetch<T>(t, X))
READER(read1, tex1D<T>(t, X + 0.5f))
READER(read2, tex2D<T>(t, X + 0.5f, Y + 0.5f))
READER(read3, tex3D<T>(t, X + 0.5f, Y + 0.5f, Z + 0.5f))
READER(layers1, tex1DLayered<T>(t, X + 0.5f, Z))
READER(layers2, tex2DLayered<T>(t, X + 0.5f, Y + 0.5f, Z))
// The directions through the centres of a face's texels; face by face: the major axis is x, y or z.
__device__ float3 direction(int face, float u, float v) {
  switch (face) {
    case 0: return make_float3(1, -v, -u);
    case 1: return make_float3(-1, -v, u);
    case 2: return make_float3(u, 1, v);
    case 3: return make_float3(u, -1, -v);
    case 4: return make_float3(u, -v, 1);
    default: return make_float3(-u, -v, -1);
  }
}
#define TO(face) direction(face, (2 * X + 1.0f) / w - 1, (2 * Y + 1.0f) / height - 1)
READER(cube, texCubemap<T>(t, TO(Z).x, TO(Z).y, TO(Z).z))
READER(cubes, texCubemapLayered<T>(t, TO(Z % 6).x, TO(Z % 6).y, TO(Z % 6).z, Z / 6))
__global__ void levels(cudaTextureObject_t t, float level, float *out, int w, int height, int d) {
  EACH out[i] = tex2DLod<float>(t, (X + 0.5f) / w, (Y + 0.5f) / height, level);
}
__global__ void write2(cudaSurfaceObject_t s, int w, int height) {
  const int d = 1;
  EACH surf2Dwrite<float>(surf2Dread<float>(s, 4 * X, Y) + 100 * Y + X, s, 4 * X, Y);
}
struct Image { int width; cudaTextureObject_t texels; cudaSurfaceObject_t out; float scale[2]; };
__global__ void by_struct(Image p) {
  for (int x = threadIdx.x; x < p.width; x += blockDim.x)
    surf1Dwrite<float>(p.scale[1] * tex1D<float>(p.texels, x + 0.5f), p.out, 4 * x);
}
__global__ void many(const cudaTextureObject_t *t, int n, float *out) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tex1D<float>(t[i], 0.5f);
}
__global__ void numbers(unsigned long long t, int n, float f, float *out) {}
]]

local function kernel(name, type) return m:kernel(name .. "<" .. type .. ">") end

-- What the kernel reads at each texel, as a flat table, with the texture of that shape.
local function read(k, t, w, height, d)
  local out = dc.zeros(w * height * d)
  k(3, 32, t, out, w, height, d)
  return out
end

local types = { float32 = "float", int32 = "int", uint8 = "unsigned char" }

describe("a texture", function()
  local forms = {
    { name = "read1", axes = 1 },
    { name = "fetch", axes = 1, options = { copy = false } },
    { name = "read2", axes = 2 },
    { name = "read3", axes = 3 },
    { name = "layers1", axes = 2, options = { layered = true } },
    { name = "layers2", axes = 3, options = { layered = true } },
    { name = "cube", axes = 3, options = { cube = true } },
    { name = "cubes", axes = 4, options = { cube = true, layered = true } },
  }
  for _, form in ipairs(forms) do
    for dtype, type in pairs(types) do
      it(("is read by %s as %s"):format(form.name, type), function()
        local shape = extents(form.axes)
        if form.name:find "cube" then
          shape[form.axes], shape[form.axes - 2] = shape[form.axes - 1], 6
        end
        local a = texels(shape, dtype)
        local w, height, d = shape[form.axes], 1, 1
        if form.name == "layers1" then d = shape[1]
        elseif form.axes > 1 then
          height = shape[form.axes - 1]
          d = a.size // w // height
        end
        local t = dc.texture(a, form.options)
        local got = read(kernel(form.name, type), t, w, height, d)
        assert.same(a:reshape(-1):to "float32":to_table(), got:to_table(), note(table.concat(shape, " x ")))
      end)
    end
  end

  it("has channels", function()
    local a = texels({ 3, 5, 2 }, "int16")
    local list = a:to "float32"
    assert.same((list[{ ":", ":", 1 }] + 1000 * list[{ ":", ":", 2 }]):reshape(-1):to_table(),
      read(kernel("read2", "short2"), dc.texture(a, { channels = 2 }), 5, 3, 1):to_table())
    a = texels({ 7, 4 }, "uint8")
    local weights = dc.array { 1, 10, 100, 1000 }
    assert.same((a:to "float32" * weights):sum(2):to_table(),
      read(kernel("read1", "uchar4"), dc.texture(a, { channels = 4 }), 7, 1, 1):to_table())
    local z = dc.array { dc.complex(1, 2), dc.complex(3, 4) }
    assert.same({ 2001, 4003 }, read(kernel("read1", "float2"), dc.texture(z), 2, 1, 1):to_table())
  end)

  it("is a copy of views and expressions", function()
    local a = texels({ 6, 8 }, "float32")
    for _, v in ipairs { a.T, a[{ { 1, 6, 2 }, { 8, 1, -1 } }], a + 1, a[{ 2 }]:broadcast_to(3, 8) } do
      local height, w = v:shape()
      local t = dc.texture(v)
      local want = v:copy():reshape(-1):to_table()
      a:fill(0)
      assert.same(want, read(kernel("read2", "float"), t, w, height, 1):to_table())
      a = texels({ 6, 8 }, "float32")
    end
  end)

  it("over an array's own memory reads what is written to that", function()
    local a = texels({ 4, 32 }, "float32")
    local t, part = dc.texture(a, { copy = false }), dc.texture(a[{ { 1, 2 }, { 1, 7 } }], { copy = false })
    a[":"] = a * 2 + 1
    assert.same(a:reshape(-1):to_table(), read(kernel("read2", "float"), t, 32, 4, 1):to_table())
    assert.same(a[{ { 1, 2 }, { 1, 7 } }]:copy():reshape(-1):to_table(),
      read(kernel("read2", "float"), part, 7, 2, 1):to_table())
    local want = a:reshape(-1):to_table()
    a = nil -- luacheck: ignore 311 (the texture keeps the memory)
    collectgarbage()
    collectgarbage()
    assert.same(want, read(kernel("read2", "float"), t, 32, 4, 1):to_table())
  end)

  it("with mipmaps has levels of means", function()
    local a = texels({ 6, 9 }, "float32")
    local t = dc.texture(a, { mipmaps = true, normalized = true })
    assert.equal(4, t.levels)
    local half = {}
    for y = 1, 3 do
      for x = 1, 4 do
        half[#half + 1] = (a[2 * y - 1][2 * x - 1] + a[2 * y - 1][2 * x] + a[2 * y][2 * x - 1] + a[2 * y][2 * x]) / 4
      end
    end
    local out = dc.zeros(12)
    m.levels(1, 32, t, 1, out, 4, 3, 1)
    assert.same(half, out:to_table())
    assert.same(half, t:array(2):reshape(-1):to_table())
    assert.same({ 1, 1 }, { t:array(4):shape() })
    local levels = { texels({ 3, 4 }, "float32"), texels({ 1, 2 }, "float32") }
    t = dc.texture(a, { mipmaps = levels, normalized = true })
    m.levels(1, 32, t, 1, out, 4, 3, 1)
    assert.same(levels[1]:reshape(-1):to_table(), out:to_table())
    assert.same(levels[2]:to_table(), t:array(3):to_table())
    local b = dc.array({ { 1, 2 }, { 2, 2 } }, "uint8") -- the mean is rounded to an integer
    assert.equal(2, dc.texture(b, { mipmaps = true, normalized = true }):array(2)[1][1])
  end)

  it("takes new texels", function()
    local a, b = texels({ 4, 4 }, "float32"), texels({ 4, 4 }, "float32")
    local t = dc.texture(a, { mipmaps = true, normalized = true })
    assert.equal(t, t:update(b))
    assert.same(b:to_table(), t:array():to_table())
    assert.near(b:mean():item(), t:array(3)[1][1], 1e-4)
    t:update(dc.zeros(2, 2), { level = 2 })
    assert.same({ { 0, 0 }, { 0, 0 } }, t:array(2):to_table())
    assert.same(b:to_table(), t:array(1):to_table())
  end)

  it("describes itself", function()
    local t = dc.texture(dc.zeros(6, 4, 4, 2), { cube = true, channels = 2 })
    assert.equal("texture cube of 4 x 4 texels: float32 x 2, 6 layers on " .. dc.device().id, tostring(t))
    assert.same({ 6, 4, 4, 2 }, { t:shape() })
    assert.same({ "cube", "float32", 2, 1, dc.device() }, { t.kind, t.dtype, t.channels, t.levels, t.device })
    fails("index", "a texture has no 'width'", function() return t.width end)
  end)
end)

describe("a surface", function()
  it("is read and written", function()
    local a = texels({ 5, 7 }, "float32")
    local s = dc.surface(a)
    m.write2(1, 32, s, 7, 5)
    local want = a:to_table()
    for y = 1, 5 do
      for x = 1, 7 do want[y][x] = want[y][x] + 100 * (y - 1) + x - 1 end
    end
    assert.same(want, s:array():to_table())
    assert.same({ 5, 7 }, { s:shape() })
  end)

  it("shares the texels of a texture", function()
    local a = texels({ 5, 7 }, "float32")
    local t = dc.texture(a)
    local s = dc.surface(t)
    local u = dc.texture(s, { filter = "linear" })
    m.write2(1, 32, s, 7, 5)
    assert.same(s:array():reshape(-1):to_table(), read(kernel("read2", "float"), t, 7, 5, 1):to_table())
    t:close()
    s:close()
    assert.equal(a[1][1], u:array()[1][1])
  end)

  it("is one level of a texture with mipmaps", function()
    local t = dc.texture(texels({ 8, 8 }, "float32"), { mipmaps = true, normalized = true })
    local before, s = t:array(2), dc.surface(t, { level = 2 })
    assert.same({ "surface 2d of 4 x 4 texels: float32, level 2 of 4 on " .. dc.device().id, 2, 4 },
      { tostring(s), s.level, (s:shape()) })
    m.write2(1, 32, s, 4, 4)
    assert.equal(before[3][2] + 201, t:array(2)[3][2])
    assert.equal(before[3][2] + 201, s:array()[3][2])
  end)
end)

describe("textures as arguments", function()
  it("stand in structs", function()
    local a = texels({ 6 }, "float32")
    local s = dc.surface(dc.zeros(6))
    m.by_struct(1, 32, { width = 6, texels = dc.texture(a), out = s, scale = { 0, 3 } })
    assert.same((3 * a):to_table(), s:array():to_table())
    fails("argument", "field 'out': got a texture where the kernel takes a surface", m.by_struct, 1, 1,
      { width = 6, texels = dc.texture(a), out = dc.texture(a), scale = { 0, 3 } })
  end)

  it("are handles in arrays and variables", function()
    local list, handles = {}, {}
    for k = 1, 5 do
      list[k] = dc.texture(dc.array { k * 11 })
      handles[k] = list[k].handle
    end
    local out = dc.zeros(5)
    m.many(1, 32, dc.array(handles, "uint64"), 5, out)
    assert.same({ 11, 22, 33, 44, 55 }, out:to_table())
    local g = dc.module [[
__device__ cudaTextureObject_t image;
__constant__ cudaSurfaceObject_t marks[2];
__global__ void get(float *out) {
  out[0] = tex1D<float>(image, 0.5f);
  surf1Dwrite<float>(7, marks[1], 0);
}]]
    local s = dc.surface(dc.zeros(1))
    g:global "image" [{}] = list[4].handle
    g:global "marks" [2] = s.handle
    g.get(1, 1, out)
    assert.same({ 44, 7 }, { out[1], s:array()[1] })
  end)

  it("are told by the kernel's signature", function()
    assert.equal("by_struct(Image p)", m.by_struct.signature)
    assert.equal("write2(cudaSurfaceObject_t s, int w, int height)", m.write2.signature)
  end)

  it("are refused where others are wanted", function()
    local t, s, out = dc.texture(dc.zeros(4)), dc.surface(dc.zeros(4)), dc.zeros(4)
    fails("argument", "parameter 1 's' (cudaSurfaceObject_t): got a texture where the kernel takes a surface "
      .. "(dc.surface(t) is one over a texture)", m.write2, 1, 1, t, 1, 1)
    fails("argument", "got a surface where the kernel takes a texture", m.levels, 1, 1, s, 0, out, 1, 1, 1)
    fails("argument", "an array was given where a texture is wanted; dc.texture(a) makes one of it", m.levels, 1, 1,
      out, 0, out, 1, 1, 1)
    fails("argument", "a texture expected, got a table", m.levels, 1, 1, {}, 0, out, 1, 1, 1)
    fails("argument", "a surface expected, got nil", m.write2, 1, 1, nil, 1, 1)
    for k, what in ipairs { "int", "float", "pointer" } do
      local values = { t, 1, 1, out }
      values[1 + k], values[1] = t, 5
      fails("argument", "a texture is passed for a parameter of type cudaTextureObject_t", m.numbers, 1, 1,
        table.unpack(values))
      assert.is_string(what)
    end
    m.numbers(1, 1, t, 1, 1, out)
  end)

  it("are of the kernel's device", function()
    local text = h.shell(([[DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_DEVICES=2 %s/dclua -e '
      local dc = require "dotcompute"
      local k = dc.kernel "__global__ void k(cudaTextureObject_t t) {}"
      local t = dc.using("cpu:1", function() return dc.texture(dc.zeros(4)) end)
      print(t.device.id, pcall(k, 1, 1, t))']]):format(h.build))
    assert.matches("^cpu:1\tfalse\t.*got a texture of device cpu:1, the kernel is compiled for cpu:0", text)
  end)

  it("are refused when closed", function()
    local a = dc.zeros(64)
    local t, s, own = dc.texture(a), dc.surface(a), dc.texture(a, { copy = false })
    local k, out = kernel("read1", "float"), dc.zeros(1)
    t:close()
    t:close()
    s:close()
    fails("argument", "the texture is closed", k, 1, 1, t, out, 1, 1, 1)
    fails("argument", "the surface is closed", m.write2, 1, 1, s, 1, 1)
    fails("argument", "the texture is closed", t.array, t)
    fails("argument", "the surface is closed", s.update, s, a)
    fails("argument", "the texture is closed", function() return t.handle end)
    fails("argument", "the texture is closed", dc.surface, t)
    a:close()
    fails("argument", "the array whose memory the texture reads is closed", k, 1, 1, own, out, 1, 1, 1)
    do
      local late <close> = dc.texture(out)
      t = late
    end
    assert.equal("closed texture", tostring(t))
  end)

  it("are part of graphs", function()
    local a, out = texels({ 8 }, "float32"), dc.zeros(8)
    local t = dc.texture(a)
    local k = kernel("read1", "float")
    k(1, 32, t, out, 8, 1, 1)
    local g = dc.graph(function()
      t:update(a)
      k(1, 32, t, out, 8, 1, 1)
    end)
    a:fill(5)
    out:fill(0)
    t:close()
    collectgarbage()
    g()
    assert.same({ 5, 5, 5, 5, 5, 5, 5, 5 }, out:to_table())
  end)
end)

describe("textures' memory", function()
  it("is counted and freed", function()
    collectgarbage()
    collectgarbage()
    local before = dc.memory().in_use
    local t = dc.texture(dc.zeros(512, 512))
    local s = dc.surface(t)
    collectgarbage()
    collectgarbage()
    assert.is_true(dc.memory().in_use - before >= 1 << 20)
    t:close()
    assert.is_true(dc.memory().in_use - before >= 1 << 20)
    s:close()
    collectgarbage()
    collectgarbage()
    assert.equal(before, dc.memory().in_use)
    for _ = 1, 200 do dc.texture(dc.zeros(512, 512)) end
    collectgarbage()
    collectgarbage()
    assert.equal(before, dc.memory().in_use)
  end)

  it("has the limit of dc.memory_limit", function()
    local a = dc.zeros(512, 512)
    local before <close> = setmetatable({}, { __close = function() dc.memory_limit(nil) end })
    dc.memory_limit(dc.memory().in_use + 1000)
    fails("memory", "cannot allocate", dc.texture, a)
    assert.is_truthy(before)
  end)
end)

describe("dc.texture and dc.surface refuse", function()
  local a = dc.zeros(4, 8)
  local function refuses(kind, message, ...) fails(kind, message, dc.texture, ...) end

  it("what is no texels", function()
    local closed = dc.zeros(2)
    closed:close()
    refuses("argument", "closed", closed)
    refuses("argument", "an array is expected, got nil", nil)
    refuses("argument", "an array is expected, got a table", { 1, 2 })
    for _, dtype in ipairs { "float64", "int64", "uint64", "bool", "bfloat16", "complex128" } do
      refuses("dtype", "texels are int8, ", dc.zeros(4, dtype))
    end
    refuses("shape", "a texture is (width), (height, width) or (depth, height, width)", dc.zeros(2, 2, 2, 2))
    refuses("shape", "a texture is (width)", dc.full({}, 1))
    refuses("shape", "a texture without texels", dc.zeros(0))
    refuses("shape", "a texture without texels", dc.zeros(3, 0))
    refuses("argument", "at most 131072 x 65536 texels", dc.zeros(200000, 1, "uint8"))
    refuses("argument", "takes at most", dc.zeros(2, 40000, "uint8"), { layered = true })
    refuses("argument", "takes at most 16384 x 16384 x 16384", dc.zeros(2, 1, 17000, "uint8"))
    fails("argument", "makes no surfaces of 1d textures so large", dc.surface, dc.zeros(40000, "uint8"))
  end)

  it("wrong channels, layers, cubes", function()
    refuses("argument", "1, 2 or 4 channels, not 3", dc.zeros(4, 3), { channels = 3 })
    refuses("argument", "1, 2 or 4 channels, not 0", a, { channels = 0 })
    refuses("argument", "option 'channels' is an integer", a, { channels = 2.5 })
    refuses("shape", "with channels = 4 the last axis has 4 elements; the array's shape is (4, 8)", a, { channels = 4 })
    refuses("shape", "a texture is (width)", dc.zeros(2), { channels = 2 })
    refuses("argument", "complex64 array has two channels", dc.zeros(4, "complex64"), { channels = 2 })
    refuses("shape", "a layered texture is", dc.zeros(4), { layered = true })
    refuses("shape", "a cube texture is (6, n, n)", dc.zeros(6, 4, 5), { cube = true })
    refuses("shape", "a cube texture is (6, n, n)", dc.zeros(5, 4, 4), { cube = true })
    refuses("shape", "a layered cube texture is (cubes, 6, n, n)", dc.zeros(12, 4, 4), { cube = true, layered = true })
    fails("shape", "a layered texture is", dc.surface, dc.zeros(4), { layered = true })
    local cubes = math.random(1 << 29, 1 << 30)
    refuses("shape", ("%d layers; the most is 2^31 - 1"):format(6 * cubes),
      dc.zeros(1, 6, 1, 1):broadcast_to(cubes, 6, 1, 1), { cube = true, layered = true })
  end)

  it("unknown options and values", function()
    refuses("argument", "there is no option 'fliter' (did you mean 'filter'?)", a, { fliter = "linear" })
    refuses("argument", "option 'filter' is \"linear\" or \"point\", got the string 'bilinear'", a,
      { filter = "bilinear" })
    refuses("argument", "option 'filter' is a string", a, { filter = true })
    refuses("argument", "option 'address' is \"border\" or \"clamp\" or \"mirror\" or \"wrap\"", a,
      { address = "repeat" })
    refuses("argument", "address.y is", a, { address = { x = "clamp", y = "repeat" } })
    refuses("argument", "option 'address' has the key the string 'z'; a 2d texture has x, y", a,
      { address = { z = "clamp" } })
    refuses("argument", "option 'read' is \"element\" or \"normalized\"", a, { read = "float" })
    refuses("argument", "option 'mipmaps' is true or a list", a, { mipmaps = 3, normalized = true })
    fails("argument", "there is no option 'filter'", dc.surface, a, { filter = "linear" })
    fails("argument", "there is no level 2; the texture has 1", dc.surface, dc.texture(a), { level = 2 })
    fails("argument", "there is no level 0", dc.surface, dc.texture(a), { level = 0 })
  end)

  it("options that contradict each other", function()
    local i, b = a:to "int32", a:to "uint8"
    refuses("argument", "a linear filter gives floats: int32 texels need a conversion", i, { filter = "linear" })
    refuses("argument", "a linear filter gives floats: uint8 texels need read = \"normalized\"", b,
      { filter = "linear" })
    refuses("argument", "read = \"normalized\" is for integers of 8 and 16 bits", i, { read = "normalized" })
    refuses("argument", "read = \"normalized\" is for integers of 8 and 16 bits", a, { read = "normalized" })
    for _, mode in ipairs { "wrap", "mirror" } do
      refuses("argument", "need normalized = true", a, { address = mode })
      refuses("argument", "need normalized = true", a, { address = { y = mode } })
    end
    refuses("argument", "mipmapped textures need normalized = true", a, { mipmaps = true })
    refuses("argument", "cube textures need normalized = true", dc.zeros(6, 2, 2), { cube = true, normalized = false })
    refuses("argument", "a cube texture has no address modes", dc.zeros(6, 2, 2), { cube = true, address = "clamp" })
    refuses("argument", "option 'border' needs address = \"border\"", a, { border = 1 })
    refuses("argument", "texels that are read as integers are 0 outside", i, { border = 1, address = "border" })
    refuses("argument", "option 'border' is a number for each of the 1 channel, got 3", a,
      { border = { 1, 2, 3 }, address = "border" })
    for _, v in ipairs { 0 / 0, 1 / 0, -1 / 0, 1e300 } do
      refuses("argument", "option 'border' is a finite number", a, { border = v, address = "border" })
      refuses("argument", "option 'bias' is a finite number", a, { bias = v, mipmaps = true, normalized = true })
    end
    refuses("argument", "srgb = true is for uint8 texels", a, { srgb = true })
    refuses("argument", "srgb = true is for uint8 texels", b, { srgb = true })
    for name, v in pairs { mipmap_filter = "linear", bias = 1, level_range = { 0, 1 } } do
      refuses("argument", ("option '%s' is for textures with mipmaps"):format(name), a, { [name] = v })
    end
    refuses("argument", "option 'level_range' is {least, greatest}", a,
      { level_range = { 2, 1 }, mipmaps = true, normalized = true })
    refuses("shape", "level 2 is float32 of shape (2, 4), got float32 of shape (2, 2)", a,
      { mipmaps = { dc.zeros(2, 2) }, normalized = true })
    refuses("argument", "5 levels; the last of 1 texel is level 4", a,
      { mipmaps = { dc.zeros(2, 4), dc.zeros(1, 2), dc.zeros(1, 1), dc.zeros(1, 1) }, normalized = true })
    fails("argument", "option 'channels' is for an array", dc.texture, dc.surface(a), { channels = 1 })
  end)

  it("memory of an array that cannot be read as it lies", function()
    local own = { copy = false }
    refuses("argument", "copy = false, a texture over the array's own memory, is for 1d and 2d", dc.zeros(2, 2, 2), own)
    refuses("argument", "this is mipmapped", a, { copy = false, mipmaps = true, normalized = true })
    refuses("argument", "rows are 12 bytes apart", dc.zeros(2, 3), own)
    refuses("argument", "not next to each other", a.T, own)
    refuses("argument", "not next to each other", a[{ ":", { 1, 8, 2 } }], own)
    refuses("argument", "rows are 0 bytes apart", a[1]:broadcast_to(4, 8), own)
    refuses("argument", "rows are -32 bytes apart", a[{ { 4, 1, -1 } }], own)
    refuses("argument", "the array starts at address", dc.zeros(4, 16)[{ ":", { 2, 9 } }], own)
    refuses("argument", "read by tex1Dfetch alone", dc.zeros(64), { copy = false, filter = "linear" })
    refuses("argument", "read by tex1Dfetch alone", dc.zeros(64), { copy = false, address = "clamp" })
    refuses("argument", "read by tex1Dfetch alone", dc.zeros(64), { copy = false, normalized = true })
    local t = dc.texture(a, own)
    fails("argument", "kernels write that by its pointer", dc.surface, t)
    fails("argument", "what is written to that is read at once", t.update, t, a)
    fails("argument", "the texture reads the memory of an array", t.array, t)
  end)

  it("texels of another shape, dtype, level", function()
    local t = dc.texture(a)
    fails("shape", "level 1 is float32 of shape (4, 8), got float32 of shape (8, 4)", t.update, t, dc.zeros(8, 4))
    fails("shape", "got int32 of shape (4, 8)", t.update, t, a:to "int32")
    fails("argument", "an array is expected, got nil", t.update, t)
    fails("argument", "a level is an integer from 1 to 1, got the number 2", t.array, t, 2)
    fails("argument", "a level is an integer from 1 to 1, got the number 0", t.update, t, a, { level = 0 })
    fails("argument", "a texture or a surface is expected, got nil", t.update)
  end)
end)
