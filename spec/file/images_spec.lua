-- Image files: PNG, PGM, PPM. They are made and read in plain Lua (spec/formats.lua).
local dc = require "dotcompute"
local h = require "spec.helper"
local formats = require "spec.formats"
local fails, note = h.fails, h.note

local folder, remove = formats.folder()
teardown(remove)

local function path(name) return folder .. name end
local function write(name, bytes) return formats.write(folder .. name, bytes) end

local per_pixel = { [0] = 1, [2] = 3, [3] = 1, [4] = 2, [6] = 4 }
local kinds = { -- colour type and depth
  { 0, 1 }, { 0, 2 }, { 0, 4 }, { 0, 8 }, { 0, 16 }, { 2, 8 }, { 2, 16 }, { 3, 1 }, { 3, 2 }, { 3, 4 }, { 3, 8 },
  { 4, 8 }, { 4, 16 }, { 6, 8 }, { 6, 16 },
}

-- A random picture: parameters for formats.png, and its samples by y, x, k (from 0).
local function random_png(colour, depth, interlaced, width, height, most)
  local t, top = {}, math.min((1 << depth) - 1, most or math.huge)
  local plain = math.random(2) == 1
  for y = 0, height - 1 do
    t[y] = {}
    for x = 0, width - 1 do
      t[y][x] = {}
      for k = 0, per_pixel[colour] - 1 do
        t[y][x][k] = plain and (x * 3 + y + k) * top // (4 * (width + height)) or math.random(0, top)
      end
    end
  end
  return { width = width, height = height, depth = depth, colour = colour, per = per_pixel[colour],
    interlaced = interlaced, sample = function(x, y, k) return t[y][x][k] end,
    stored = math.random(3) == 1 and math.random(1, 200) or nil }, t
end

-- The bytes that the array of a picture has: value(x, y) gives the samples of a pixel.
local function expected(width, height, wide, value)
  local out = {}
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      for _, v in ipairs(value(x, y)) do out[#out + 1] = string.pack(wide and "<I2" or "B", v) end
    end
  end
  return table.concat(out)
end

local function check_array(a, width, height, channels, wide, bytes, text)
  assert.equal(wide and "uint16" or "uint8", a.dtype)
  assert.same(channels == 1 and { height, width } or { height, width, channels }, { a:shape() })
  assert.equal(dc.device(), a.device)
  assert(bytes == a:bytes(), note(text))
end

describe("dc.image.read of PNG", function()
  for _, kind in ipairs(kinds) do
    local colour, depth = kind[1], kind[2]
    for _, interlaced in ipairs { false, true } do
      it(("reads colour type %d of %d bits%s"):format(colour, depth, interlaced and ", interlaced" or ""), function()
        for round = 1, 4 do
          local width, height = math.random(1, 20), math.random(1, 20)
          local p, t = random_png(colour, depth, interlaced, width, height)
          local extra, palette, key = "", {}, nil
          local transparent = round % 2 == 0 and colour ~= 4 and colour ~= 6
          if colour == 3 then
            local n = transparent and math.random(1 << depth) or 0
            local rgb, alpha = {}, {}
            for i = 0, (1 << depth) - 1 do
              local function any() return math.random(0, 255) end
              palette[i] = { any(), any(), any(), i < n and any() or 255 }
              rgb[i + 1] = string.char(table.unpack(palette[i], 1, 3))
              if i < n then alpha[i + 1] = string.char(palette[i][4]) end
            end
            extra = formats.chunk("PLTE", table.concat(rgb))
            if n > 0 then extra = extra .. formats.chunk("tRNS", table.concat(alpha)) end
          elseif transparent then
            local pixel = t[math.random(0, height - 1)][math.random(0, width - 1)]
            key = {}
            for k = 0, p.per - 1 do key[k + 1] = string.pack(">I2", pixel[k]) end
            key = table.concat(key)
            extra = formats.chunk("gAMA", "\0\0\0\1") .. formats.chunk("tRNS", key)
          end
          local wide = depth == 16
          local stretch = depth < 8 and 255 // ((1 << depth) - 1) or 1
          local function value(x, y)
            local pixel = t[y][x]
            if colour == 3 then return { table.unpack(palette[pixel[0]], 1, transparent and 4 or 3) } end
            local v, same = {}, {}
            for k = 0, p.per - 1 do
              v[k + 1] = pixel[k] * stretch
              same[k + 1] = string.pack(">I2", pixel[k])
            end
            if transparent then v[#v + 1] = table.concat(same) == key and 0 or wide and 65535 or 255 end
            return v
          end
          local a = dc.image.read(write("r.png", formats.png(p, extra)))
          local channels = (colour == 3 and 3 or p.per) + (transparent and 1 or 0)
          check_array(a, width, height, channels, wide, expected(width, height, wide, value))
        end
      end)
    end
  end

  it("refuses damaged files, and names the defect", function()
    local p = random_png(2, 8, false, 5, 4)
    local good = formats.png(p)
    local head, tail = good:sub(1, 33), formats.chunk("IEND", "")
    local function samples(bytes) return formats.chunk("IDAT", formats.zlib(bytes)) end
    local whole = formats.png_samples(p)
    local function ihdr(...) return good:sub(1, 8) .. formats.png_header(...) end
    local indexed = ihdr(2, 1, 8, 3)
    local palette = formats.chunk("PLTE", ("x"):rep(6))
    for text, pattern in pairs {
      [""] = "file is empty", ["GIF89a"] = "no PNG, JPEG, PGM or PPM", [good:sub(1, 20)] = "cut short",
      [good:sub(1, -2)] = "cut short", [good:sub(1, -13)] = "cut short",
      [good:sub(1, 40) .. string.char(good:byte(41) ~ 1) .. good:sub(42)] = "CRC%) of a chunk 'I",
      [ihdr(0, 4, 8, 2) .. samples(whole) .. tail] = "0x4 pixels",
      [ihdr(5, 1 << 31, 8, 2) .. samples(whole) .. tail] = "pixels",
      [ihdr(5, 4, 4, 2) .. samples(whole) .. tail] = "no colour type 2 with 4 bits",
      [ihdr(5, 4, 8, 5) .. samples(whole) .. tail] = "no colour type 5",
      [ihdr(60000, 60000, 16, 6) .. samples(whole) .. tail] = "60000x60000 pixels cannot be",
      [ihdr((1 << 31) - 1, (1 << 31) - 1, 16, 6) .. samples(whole) .. tail] = "pixels cannot be",
      [ihdr(5, 5, 8, 2) .. samples(whole) .. tail] = "too few samples",
      [head .. samples(whole:sub(1, -2)) .. tail] = "too few samples",
      [head .. samples("\5" .. whole:sub(2)) .. tail] = "unknown filter",
      [head .. formats.chunk("IDAT", "no zlib") .. tail] = "compressed data is damaged",
      [head .. formats.chunk("IDAT", formats.zlib(whole):sub(1, -2) .. "\0\0") .. tail] = "compressed data is damaged",
      [head .. formats.chunk("IDAT", formats.zlib(whole):sub(1, 5)) .. tail] = "cut short",
      [head .. tail] = "no samples", [good:sub(1, 8) .. samples(whole) .. tail] = "begin with its header",
      [head .. formats.chunk("ABCD", "") .. samples(whole) .. tail] = "critical chunk",
      [head .. samples(whole) .. formats.chunk("ABCD", "") .. tail] = "critical chunk",
      [indexed .. samples "\0\0\1" .. tail] = "no palette",
      [indexed .. palette .. samples "\0\0\2" .. tail] = "not in the palette",
      [indexed .. formats.chunk("PLTE", "xxxx") .. samples "\0\0\1" .. tail] = "palette is wrong",
      [ihdr(2, 1, 1, 3) .. formats.chunk("PLTE", ("x"):rep(9)) .. samples "\0\0" .. tail] = "palette is too large",
      [indexed .. palette .. formats.chunk("tRNS", "xxx") .. samples "\0\0\1" .. tail] = "fits no palette",
      [head .. formats.chunk("tRNS", "xx") .. samples(whole) .. tail] = "transparent colour",
      [ihdr(5, 4, 8, 6) .. formats.chunk("tRNS", "xx") .. samples(whole) .. tail] = "transparency twice",
      [head .. "\xff\xff\xff\xffIDAT" .. whole] = "chunk's length",
    } do
      local name = write("bad.png", text)
      fails("io", "bad%.png': .*" .. pattern, function() dc.image.read(name) end)
    end
    assert.same({ 4, 5, 3 }, { dc.image.read(write("good.png", good .. "what follows")):shape() })
  end)
end)

describe("dc.image.write of PNG", function()
  for channels, colour in ipairs { 0, 4, 2, 6 } do
    for _, dtype in ipairs { "uint8", "uint16" } do
      it(("writes %s of %d channel%s"):format(dtype, channels, channels == 1 and "" or "s"), function()
        local size = dtype == "uint16" and 2 or 1
        for round = 1, 3 do
          local height, width = math.random(1, 40), math.random(1, 40)
          local t = {}
          for i = 1, height * width * channels * size do -- a smooth picture, and noise
            t[i] = string.char(round == 1 and math.random(0, 255) or (i // channels * round + i // 97) & 255)
          end
          local bytes = table.concat(t)
          local a = dc.from_bytes(bytes, { height, width, channels }, dtype)
          if channels == 1 and round > 1 then a = a:reshape(height, width) end
          dc.image.write(path "w.png", a, { compression = ({ nil, 9, 0 })[round] })
          local w, ht, depth, kind, data, filters = formats.parse_png(formats.read(path "w.png"))
          assert.same({ width, height, 8 * size, colour }, { w, ht, depth, kind })
          assert(data == (size == 2 and bytes:gsub("(.)(.)", "%2%1") or bytes), note())
          if round == 3 then assert.same({ [0] = true }, filters) end
          check_array(dc.image.read(path "w.png"), width, height, channels, size == 2, bytes)
        end
      end)
    end
  end

  it("chooses filters that make smooth images small", function()
    local ramp = (dc.arange(0, 255):reshape(1, 256) + dc.arange(0, 255):reshape(256, 1)):to "uint8"
    dc.image.write(path "s.png", ramp)
    local _, _, _, _, _, filters = formats.parse_png(formats.read(path "s.png"))
    assert.is_true(filters[1] or filters[2] or filters[3] or filters[4])
    assert(#formats.read(path "s.png") < 2000)
  end)

  it("takes views and expressions", function()
    local a = dc.arange(1, 24, "uint8"):reshape(2, 3, 4)
    dc.image.write(path "v.png", a:transpose(2, 1, 3)[{ ":", ":", { 3, 1, -1 } }])
    assert.is_true(dc.equal(a:transpose(2, 1, 3)[{ ":", ":", { 3, 1, -1 } }], dc.image.read(path "v.png")))
    dc.image.write(path "v.png", a[{ ":", ":", 1 }] + 1)
    assert.same({ { 2, 6, 10 }, { 14, 18, 22 } }, dc.image.read(path "v.png"):to_table())
  end)

  it("refuses arrays that are not images, and leaves the old file", function()
    local good = dc.zeros(2, 2, "uint8")
    write("old.png", "old")
    local pattern = "float32; .*dc%.clip%(a, 0, 1%) %* 255"
    fails("dtype", pattern, function() dc.image.write(path "old.png", dc.ones(2, 2)) end)
    fails("shape", "array is 2 x 2 x 5", function() dc.image.write(path "old.png", dc.zeros(2, 2, 5, "uint8")) end)
    fails("shape", "array is 4", function() dc.image.write(path "old.png", dc.zeros(4, "uint8")) end)
    fails("shape", "a single value", function() dc.image.write(path "old.png", dc.array(1, "uint8")) end)
    fails("shape", "has pixels", function() dc.image.write(path "old.png", dc.zeros(0, 4, "uint8")) end)
    fails("argument", "0 to 9, got 10", function() dc.image.write(path "old.png", good, { compression = 10 }) end)
    fails("argument", "no option 'quality'", function() dc.image.write(path "old.png", good, { quality = 1 }) end)
    fails("argument", "none of %.png", function() dc.image.write(path "x.gif", good) end)
    fails("argument", "an array expected", function() dc.image.write(path "old.png", {}) end)
    fails("argument", "name of a file", function() dc.image.write(good, path "old.png") end)
    fails("shape", "%.pgm file has 1 channel, the array has 3", function()
      dc.image.write(path "x.pgm", dc.zeros(2, 2, 3, "uint8"))
    end)
    fails("shape", "%.ppm file has 3 channels, the array has 1", function() dc.image.write(path "x.ppm", good) end)
    fails("shape", "1 grey, 3 RGB", function() dc.image.write(path "x.pnm", dc.zeros(2, 2, 4, "uint8")) end)
    fails("io", "cannot create a file", function() dc.image.write(path "nowhere/x.png", good) end)
    os.execute("ln -s /dev/full " .. path "full.png")
    fails("io", "No space left", function() dc.image.write(path "full.png", good) end)
    assert.equal("old", formats.read(path "old.png"))
    assert.equal("full.png\n", h.shell(("cd %s && ls -a | grep -v -e old -e '^[a-z]\\.p' -e bad -e good -e '^\\.*$'")
      :format(folder)))
    fails("index", "dc%.image has no 'open'", function() return dc.image.open end)
  end)
end)

describe("PGM and PPM", function()
  it("are read as text and bytes, of 8 and 16 bits, with comments", function()
    for _, kind in ipairs { 2, 3, 5, 6 } do
      for _, maxval in ipairs { 1, 15, 100, 255, 256, 4095, 65535 } do
        local width, height, channels = math.random(1, 9), math.random(1, 9), kind % 3 == 0 and 3 or 1
        local wide, full = maxval > 255, maxval > 255 and 65535 or 255
        local samples, want = {}, {}
        for i = 1, width * height * channels do
          local v = math.random(0, maxval)
          local scaled = (2 * v * full + maxval) // (2 * maxval) -- to the nearest
          want[i] = string.pack(wide and "<I2" or "B", scaled)
          if kind <= 3 then samples[i] = v .. (math.random(4) == 1 and "\n# remark 7\n" or " ")
          else samples[i] = string.pack(wide and ">I2" or "B", v) end
        end
        local between = math.random(2) == 1 and " # w\n" or "\t"
        local header = ("P%d\n# made by hand\n%d%s%d\n%d\n"):format(kind, width, between, height, maxval)
        local a = dc.image.read(write("r.pnm", header .. table.concat(samples)))
        check_array(a, width, height, channels, wide, table.concat(want), ("P%d %d"):format(kind, maxval))
      end
    end
    assert.same({ { 255 } }, dc.image.read(write("r.pnm", "P2 1 1 9 9")):to_table())
  end)

  it("are written as bytes", function()
    for _, dtype in ipairs { "uint8", "uint16" } do
      local size = dtype == "uint8" and 1 or 2
      for _, channels in ipairs { 1, 3 } do
        local height, width = math.random(1, 60), math.random(1, 60)
        local t = {}
        for i = 1, height * width * channels * size do t[i] = string.char(math.random(0, 255)) end
        local bytes = table.concat(t)
        local a = dc.from_bytes(bytes, { height, width, channels }, dtype)
        local name = path(channels == 1 and "w.pgm" or "w.ppm")
        dc.image.write(name, a)
        local header = ("P%d\n%d %d\n%d\n"):format(channels == 1 and 5 or 6, width, height, size == 1 and 255 or 65535)
        assert(header .. (size == 2 and bytes:gsub("(.)(.)", "%2%1") or bytes) == formats.read(name), note())
        dc.image.write(path "w.pnm", a)
        check_array(dc.image.read(path "w.pnm"), width, height, channels, size == 2, bytes)
      end
    end
  end)

  it("are refused when damaged, with the defect", function()
    for text, pattern in pairs {
      ["P5"] = "before the width", ["P5 3"] = "before the height", ["P6 3 3 "] = "before the largest",
      ["P5 0 3 255\n"] = "is 0", ["P5 3 3 0\n"] = "is 0", ["P5 3 3 65536\n"] = "largest value is above 65535",
      ["P5 3x 3 255\n"] = "width is no number", ["P5 -3 3 255\n"] = "width is no number",
      ["P5 99999999999999999999999 3 255\n"] = "width is", ["P5 3 3 255"] = "no blank",
      ["P5 3 3 255\n12345678"] = "3x3 pixels have 9 samples, and 8 bytes hold 8",
      ["P5 3 3 256\n12345678901234567"] = "17 bytes hold 8",
      ["P6 2147483647 2147483647 65535\n123"] = "cut short", ["P3 2147483647 2147483647 9\n1"] = "cut short",
      ["P2 2 2 9\n1 2 3"] = "cut short", ["P2 2 2 9\n1 2 3    "] = "before a sample",
      ["P2 2 2 9\n1 2 3 10 "] = "sample is above 9", ["P2 2 2 9\n1 2 x 10 "] = "sample is no number",
      ["P5 1 1 9\nx"] = "above the largest", ["P4 8 1\nx"] = "P4 file %(PBM%)", ["P1 1 1 1"] = "P1 file",
      ["P7\nWIDTH 1\n"] = "P7 file %(PAM%)", ["P8"] = "no PNG, JPEG, PGM or PPM",
    } do
      local name = write("bad.pgm", text)
      fails("io", "bad%.pgm': .*" .. pattern, function() dc.image.read(name) end)
    end
    fails("io", "No such file", function() dc.image.read(path "nothing.png") end)
    fails("io", "folder", function() dc.image.read(folder) end)
    fails("argument", "name of a file", function() dc.image.read() end)
  end)
end)

describe("damaged images", function()
  it("never do more than raise an error", function()
    local indexed = random_png(3, 2, true, 9, 7)
    local seeds = {
      formats.png((random_png(6, 8, false, 7, 5))), formats.png(indexed, formats.chunk("PLTE", ("abc"):rep(4))),
      "P6 3 2 255\n" .. ("x"):rep(18), "P2 3 2 300\n1 2 3 # x\n 4 5 6\n",
    }
    -- with corrected check values of chunks, so that the code after their check is reached
    local function mend(s)
      local out, at = { s:sub(1, 8) }, 9
      while at + 11 <= #s do
        local n = math.min(string.unpack(">I4", s, at), #s - at - 11)
        out[#out + 1] = formats.chunk(s:sub(at + 4, at + 7), s:sub(at + 8, at + 7 + n))
        at = at + 12 + n
      end
      return table.concat(out)
    end
    local fine = 0
    for i = 1, 1500 do
      local png = i % 4 < 2
      local s = seeds[i % 4 + 1]
      for _ = 1, math.random(3) do
        local at = math.random(png and 9 or 1, #s)
        local change = math.random(4)
        if change == 1 then s = s:sub(1, at - 1) .. string.char(math.random(0, 255)) .. s:sub(at + 1)
        elseif change == 2 then s = s:sub(1, at - 1) .. s:sub(at + math.random(8))
        elseif change == 3 then s = s:sub(1, at) .. s:sub(math.random(at), at) .. s:sub(at + 1)
        else s = s:sub(1, at - 1) .. ("\xff"):rep(2) .. s:sub(at + 2) end
      end
      if png and math.random(4) > 1 then s = mend(s) end
      local ok, err = pcall(dc.image.read, write("fuzz", s))
      if ok then fine = fine + 1 else assert(err.kind == "io" or err.kind == "memory", note(tostring(err))) end
    end
    assert(fine > 0)
  end)
end)
