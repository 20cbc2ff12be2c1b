-- Textures and surfaces on a driver without a GPU (spec/fake/arrays.h): what the driver is asked for, the order of
-- their uses by several streams, and that everything is released after its last use.
local fake = require "spec.fake"

local kernels = [==[
local m = dc.module [[
extern "C" __global__ void use_r(cudaTextureObject_t t) {}
extern "C" __global__ void use_w(cudaSurfaceObject_t s) {}
extern "C" __global__ void use_rw(const float *x, float *y) {}
struct Both { int n; cudaTextureObject_t image; };
extern "C" __global__ void use_struct(Both b) {}
]]
]==]

describe("textures on the driver", function()
  setup(fake.build)

  local function run(script, env)
    local text, report = fake.run(kernels .. script, env)
    for _, kind in ipairs { "array", "mipmapped array", "texture", "surface" } do
      assert.equal(0, fake.held(report, kind), kind .. " not released: " .. text)
    end
    return text, report
  end

  it("are CUDA arrays, filled and read by copies", function()
    local text, report = run [[
local a = dc.array({ { 1, 2, 3 }, { 4, 5, 6 } })
local t = dc.texture(a, { filter = "linear", address = { x = "wrap", y = "border" }, normalized = true, border = 0.5 })
m.use_r(1, 1, t)
print(dc.equal(t:array(), a))
t:update(a:copy():fill(7))
print(t:array()[2][3])
]]
    assert.equal("true\n7.0\n", text)
    assert.matches("texture array; address 0 3 1, filter 1, flags 2, levels 0 0 0 0, border 0.5 0 0 0\n", report.text,
      1, true)
    assert.equal(1, report.calls.Array3DCreate)
    assert.equal(4, report.calls.Memcpy3DAsync)
    assert.matches("^use_r 1x1x1 1x1x1 0 8 %x+$", report.launch[1])
  end)

  it("read integers as they are, or as floats", function()
    local _, report = run [[
local a = dc.array({ 1, 2, 3, 4 }, "uint8")
local t, u = dc.texture(a), dc.texture(a, { read = "normalized", srgb = true })
]]
    assert.matches("texture array; address 1 1 1, filter 0, flags 1,", report.text, 1, true)
    assert.matches("texture array; address 1 1 1, filter 0, flags 16,", report.text, 1, true)
  end)

  it("read an array's own memory", function()
    local _, report = run [[
local a = dc.array({ 1, 2, 3, 4 }, "int16")
local t = dc.texture(a, { copy = false })
a = dc.zeros(4, 64, 2)
local u = dc.texture(a, { copy = false, channels = 2 })
local v = dc.texture(a[{ ":", { 1, 24 } }], { copy = false, channels = 2 })
]]
    assert.matches("texture linear 9 x 1 8;", report.text, 1, true)
    assert.matches("texture pitch2d 32 x 2 64x4 512;", report.text, 1, true)
    assert.matches("texture pitch2d 32 x 2 24x4 512;", report.text, 1, true)
    assert.is_nil(report.calls.Array3DCreate)
  end)

  it("have levels, layers, faces", function()
    local text, report = run [[
local t = dc.texture(counting(64):reshape(8, 8), { mipmaps = { counting(16):reshape(4, 4), counting(4):reshape(2, 2) },
  normalized = true, mipmap_filter = "linear", bias = 0.5, level_range = { 0, 1.5 } })
print(t:array(2)[4][4], t:array(3)[1][2], t.levels)
local s = dc.surface(t, { level = 2 })
m.use_w(1, 1, s)
print(s:array()[1][1], s:shape())
local all = { dc.texture(dc.zeros(2, 3, 4)), dc.texture(dc.zeros(2, 3, 4), { layered = true }),
  dc.texture(dc.zeros(2, 3), { layered = true }), dc.texture(dc.zeros(6, 3, 3), { cube = true }),
  dc.texture(dc.zeros(2, 6, 3, 3, 4, "float16"), { cube = true, layered = true, channels = 4 }) }
for _, one in ipairs(all) do print(one.kind) end
]]
    assert.equal("16.0\t2.0\t3\n1.0\t4\t4\n3d\n2d layered\n1d layered\ncube\ncube layered\n", text)
    assert.matches("texture mipmapped; address 1 1 1, filter 0, flags 2, levels 1 0.5 0 1.5,", report.text, 1, true)
  end)

  it("are passed in structs", function()
    local _, report = run [[
m.use_struct(1, 1, { n = 1, image = dc.texture(counting(4)) })
]]
    assert.matches("^use_struct 1x1x1 1x1x1 0 16 01000000%x+$", report.launch[1])
  end)

  -- The stand-in driver reports a race where a stream does not wait.
  it("are ordered among streams", function()
    run [[
local a, b = counting(1000), counting(1000)
local t = dc.texture(a)
local s = dc.surface(t)
local one, two = dc.stream(), dc.stream()
for _ = 1, 3 do
  dc.using(one, t.update, t, b)
  m.use_r:with{ stream = two }(1, 1, t)
  m.use_w:with{ stream = one }(1, 1, s)
  m.use_r:with{ stream = two }(1, 1, t)
  dc.using(one, t.array, t)
end
local own = dc.texture(a, { copy = false })
m.use_r:with{ stream = two }(1, 1, own)
m.use_rw:with{ stream = one }(1, 1, b, a)
m.use_struct:with{ stream = two }(1, 1, { n = 1, image = own })
]]
    run([[
local a = counting(1000)
local t = dc.texture(a)
local two = dc.stream()
m.use_r:with{ stream = two }(1, 1, t)
t:close() -- before the launch has ended
t = dc.texture(a, { copy = false })
m.use_r:with{ stream = two }(1, 1, t)
t = nil
collectgarbage()
dc.synchronize()
two:synchronize()
]], { FAKE_CUDA_LAZY = "1" })
  end)

  it("are held by graphs", function()
    local text, report = run [[
local a, two = counting(1000), dc.stream()
local t = dc.texture(a)
local s, out = dc.surface(t)
local g = dc.graph(function()
  t:update(a)
  m.use_r:with{ stream = two }(1, 1, t)
  m.use_w(1, 1, s)
  out = t:array()
end)
t:close()
s:close()
collectgarbage()
a:fill(3)
g()
print(out[1000])
g:close()
dc.synchronize()
]]
    assert.equal("3.0\n", text)
    assert.equal(3, report.calls.Memcpy3DAsync)
  end)

  it("are made again after all that is closed was released", function()
    local _, report = run([[
dc.texture(counting(10)):close()
local t = dc.texture(counting(10))
]], { FAKE_CUDA_FAIL = "Array3DCreate:2:2" })
    assert.equal(3, report.calls.Array3DCreate)
  end)

  -- Closed without a synchronization in between: the driver's arrays do not pile up.
  it("are released while work goes on", function()
    local _, report = run([[
local a = counting(10)
for _ = 1, 50 do
  local t <close> = dc.texture(a)
  m.use_r(1, 1, t)
end
collectgarbage()
print(#a)
os.exit(true) -- without the end's synchronization
]])
    assert(#report.launch >= 50)
  end)

  it("leave nothing behind when the driver refuses", function()
    for _, f in ipairs { "Array3DCreate", "Memcpy3DAsync", "TexObjectCreate" } do
      local text = run("try(dc.texture, counting(10))", { FAKE_CUDA_FAIL = f .. ":2:*" })
      assert.matches("CUDA_ERROR_OUT_OF_MEMORY", text, 1, true)
    end
    for _, f in ipairs { "MipmappedArrayCreate", "MipmappedArrayGetLevel", "SurfObjectCreate" } do
      local text = run([[
try(function() dc.surface(dc.texture(counting(10), { mipmaps = true, normalized = true })) end)]],
        { FAKE_CUDA_FAIL = f .. ":2:*" })
      assert.matches("CUDA_ERROR_OUT_OF_MEMORY", text, 1, true)
    end
  end)
end)
