-- Every example runs, checks its own result and names its device; sizes are small enough for any machine.
local helper = require "spec.helper"
local shell, build = helper.shell, helper.build

local function example(args)
  local text, code = shell(("'%s/dclua' examples/%s"):format(build, args))
  return code, text
end

describe("example", function()
  for _, args in ipairs {
    "vecadd.lua 100003", "vecadd.lua 1", "saxpy.lua 5000", "matmul.lua 65 33 47", "convolve1d.lua",
    "convolve2d.lua", "pi.lua 200000", "reduce.lua 70001", "errors.lua", "picture.lua",
    "nbody.lua", "nbody.lua 1 2", "nbody.lua 200 5", "kmeans.lua", "unsharp.lua", "wave.lua", "wave.lua 40 20",
    "flow.lua", "flow.lua 21 40", "pagerank.lua", "pagerank.lua 50 30",
    "rotate.lua", "tensor_cores.lua 128 64 192", "hopper/matmul.lua 300 200 400",
  } do
    it(args .. " succeeds and names its device", function()
      local code, text = example(args)
      assert.equal(0, code, text)
      assert.matches(", on %S", text)
    end)
  end

  helper.with_library(it, pending)("fft", "spectrum.lua finds its tones and its chirp, and writes pictures", function()
    local dc = require "dotcompute"
    helper.with_folder(function(folder)
      local code, text = example("spectrum.lua " .. folder)
      assert.equal(0, code, text)
      assert.matches(", on %S", text)
      if text:find("no pictures without gnuplot", 1, true) then return end
      for _, name in ipairs { "signal", "spectrum", "spectrogram" } do
        local height, width = dc.image.read(("%s/%s.png"):format(folder, name)):shape()
        assert.same({ 600, 960 }, { height, width })
      end
    end)
  end)

  it("convolve2d.lua filters a PGM and a PPM from a file, and edge differs from blur", function()
    local dir = os.tmpname()
    os.remove(dir)
    local w, h = math.random(20, 60), math.random(20, 60)
    local pixels = {}
    for i = 1, w * h * 3 do pixels[i] = string.char(math.random(0, 255)) end
    local results = {}
    for _, kind in ipairs { "P5", "P6" } do
      local data = table.concat(pixels, "", 1, kind == "P5" and w * h or w * h * 3)
      helper.write(dir .. ".in", ("%s\n# a comment\n%d %d\n255\n"):format(kind, w, h), data)
      for _, filter in ipairs { "blur", "edge" } do
        local name = dir .. (kind == "P5" and ".pgm" or ".ppm")
        local code, text = example(("convolve2d.lua '%s.in' '%s' %s"):format(dir, name, filter))
        assert.equal(0, code, text)
        local header = ("%s\n%d %d\n255\n"):format(kind, w, h)
        local bytes = helper.read(name)
        os.remove(name)
        assert.equal(header, bytes:sub(1, #header))
        assert.equal(#header + #data, #bytes)
        results[kind .. filter] = bytes
      end
    end
    assert.not_equal(results.P5blur, results.P5edge)
    os.remove(dir .. ".in")
  end)

  it("rotate.lua rotates a picture from a file", function()
    helper.with_folder(function(folder)
      local dc = require "dotcompute"
      local a = dc.random.integers(20, 31, 3, { low = 0, high = 255 }):to "uint8"
      local from, to = folder .. "/a.png", folder .. "/b.png"
      dc.image.write(from, a)
      local code, text = example(("rotate.lua %s %s 180"):format(from, to))
      assert.equal(0, code, text)
      local b = dc.image.read(to)
      for _ = 1, 20 do
        local y, x = math.random(20), math.random(31)
        for k = 1, 3 do assert.near(a[{ y, x, k }], b[{ 21 - y, 32 - x, k }], 2) end
      end
    end)
  end)

  it("picture.lua reads and writes images of all formats", function()
    local dc = require "dotcompute"
    local dir = os.tmpname()
    for channels = 1, 4 do
      for _, dtype in ipairs { "uint8", "uint16" } do
        local w, h = math.random(1, 60), math.random(1, 60)
        local bytes = {}
        for i = 1, w * h * channels * (dtype == "uint8" and 1 or 2) do bytes[i] = string.char(math.random(0, 255)) end
        dc.image.write(dir .. ".png", dc.from_bytes(table.concat(bytes), { h, w, channels }, dtype))
        local code, text = example(("picture.lua '%s.png' '%s.pgm'"):format(dir, dir))
        assert.equal(0, code, text)
        assert.same({ h, w }, { dc.image.read(dir .. ".pgm"):shape() })
      end
    end
    for _, ending in ipairs { "", ".png", ".pgm" } do os.remove(dir .. ending) end
  end)

  it("nbody.lua, kmeans.lua, unsharp.lua and wave.lua write a picture", function()
    local dc = require "dotcompute"
    local name = os.tmpname()
    for _, run in ipairs {
      { "nbody.lua 300 2", 256, 256 }, { "kmeans.lua '%s.npy' 3", 256, 256 }, { "unsharp.lua -", 192, 576 },
      { "wave.lua 50 40", 50, 50 },
    } do
      dc.save(name .. ".npy", dc.random.normal(500, 2, { dtype = "float64" }))
      local code, text = example(run[1]:format(name) .. (" '%s.png'"):format(name))
      assert.equal(0, code, text)
      local picture = dc.image.read(name .. ".png")
      assert.same({ run[2], run[3] }, { picture:shape(), (select(2, picture:shape())) })
      assert.is_true(picture:max():item() > picture:min():item())
      os.remove(name .. ".png")
    end
    for _, ending in ipairs { "", ".npy" } do os.remove(name .. ending) end
  end)

  it("kmeans.lua and unsharp.lua name the defect of a damaged file", function()
    local name = os.tmpname()
    for text, complaint in pairs { ["1,2\n3\n"] = "line 2", ["1,2\n3,4\n"] = "2 points for 5 clusters" } do
      helper.write(name, text)
      local code, output = example("kmeans.lua " .. name)
      assert.equal(1, code)
      assert.matches(complaint, output)
    end
    local code, output = example("unsharp.lua " .. name)
    assert.equal(1, code)
    assert.matches("no PNG, JPEG, PGM or PPM", output)
    os.remove(name)
  end)

  it("convolve2d.lua names the defect of a damaged image", function()
    local name = os.tmpname()
    for text, complaint in pairs {
      ["P6\n10 10\n255\nabc"] = "cut short", ["hello"] = "no PNG, JPEG, PGM or PPM",
      ["P5\n0 3\n255\n"] = "is 0", ["P5\n1 1\n256\n\0\0"] = "8 bits",
    } do
      helper.write(name, text)
      local code, output = example("convolve2d.lua " .. name .. " /dev/null")
      assert.equal(1, code)
      assert.matches(complaint, output)
    end
    os.remove(name)
  end)
end)
