-- JPEG files. Those that are read here are made in plain Lua, with pixels from the definition of the cosine transform;
-- of those that are written the error is bounded by their own quantization tables.
local dc = require "dotcompute"
local h = require "spec.helper"
local formats = require "spec.formats"
local fails, note, lua = h.fails, h.note, h.lua

local folder, remove = formats.folder()
teardown(remove)

local function path(name) return folder .. name end
local function write(name, bytes) return formats.write(folder .. name, bytes) end

local there, why = pcall(dc.image.write, path "probe.jpg", dc.zeros(2, 2, "uint8"))

-- A test that needs the library.
local function it_reads(name, fn)
  it(name, function()
    if not there then return pending(tostring(why)) end
    fn()
  end)
end

-- --- a writer of baseline files -----------------------------------------------------------------------------------

local function segment(marker, body) return ("\xff%c"):format(marker) .. (">I2"):pack(#body + 2) .. body end

-- A Huffman table in which the symbols have codes of 8 bits, in order: the code of the n-th is n - 1.
local function huffman(class, symbols)
  local counts = ("\0"):rep(7) .. string.char(#symbols) .. ("\0"):rep(8)
  local list = {}
  for k, s in ipairs(symbols) do list[k] = string.char(s) end
  return segment(0xc4, string.char(class << 4) .. counts .. table.concat(list))
end

local dc_symbols, ac_symbols, code_of = {}, {}, { {}, {} }
for size = 0, 11 do dc_symbols[#dc_symbols + 1] = size end
for _, s in ipairs { 0x00, 0xf0 } do ac_symbols[#ac_symbols + 1] = s end
for run = 0, 15 do for size = 1, 10 do ac_symbols[#ac_symbols + 1] = run << 4 | size end end
for k, s in ipairs(dc_symbols) do code_of[1][s] = k - 1 end
for k, s in ipairs(ac_symbols) do code_of[2][s] = k - 1 end

local function bit_writer()
  local out, have, n = {}, 0, 0
  local function put(v, bits)
    have, n = have << bits | v & (1 << bits) - 1, n + bits
    while n >= 8 do
      local byte = have >> n - 8 & 255
      out[#out + 1] = byte == 255 and "\xff\0" or string.char(byte)
      n = n - 8
    end
    have = have & (1 << n) - 1
  end
  return put, function()
    put(127, 7)
    return table.concat(out)
  end
end

-- A coefficient: its size's symbol with the run before it, then its bits.
local function put_value(put, class, run, v)
  local size, rest = 0, math.abs(v)
  while rest > 0 do size, rest = size + 1, rest >> 1 end
  put(code_of[class][run << 4 | size], 8)
  if size > 0 then put(v < 0 and v + (1 << size) - 1 or v, size) end
end

local zigzag = {} -- position in the file, from 0 -> row and column of the coefficient
do
  local k = 0
  for sum = 0, 14 do
    for i = 0, sum do
      local y, x = sum - i, i
      if sum % 2 == 1 then y, x = x, y end
      if y < 8 and x < 8 then
        zigzag[k] = { y, x }
        k = k + 1
      end
    end
  end
end

-- blocks[n][k]: the coefficients of each block in the file's order, components in turn in each unit.
local function file(width, height, components, quant, blocks, extra)
  local put, finish = bit_writer()
  local before = {}
  for n, block in ipairs(blocks) do
    local component = (n - 1) % components
    put_value(put, 1, 0, block[0] - (before[component] or 0))
    before[component] = block[0]
    local run, last = 0, 0
    for k = 1, 63 do if block[k] ~= 0 then last = k end end
    for k = 1, last do
      if block[k] == 0 then
        run = run + 1
      else
        while run > 15 do
          put(code_of[2][0xf0], 8)
          run = run - 16
        end
        put_value(put, 2, run, block[k])
        run = 0
      end
    end
    if last < 63 then put(code_of[2][0], 8) end
  end
  local frame, scan = {}, {}
  for c = 1, components do
    frame[c], scan[c] = string.char(c, 0x11, 0), string.char(c, 0)
  end
  local table_ = {}
  for k = 0, 63 do table_[k + 1] = string.char(quant[k]) end
  return "\xff\xd8" .. (extra or "") .. segment(0xdb, "\0" .. table.concat(table_))
    .. segment(0xc0, (">BI2I2B"):pack(8, height, width, components) .. table.concat(frame))
    .. huffman(0, dc_symbols) .. huffman(1, ac_symbols)
    .. segment(0xda, string.char(components) .. table.concat(scan) .. "\0\63\0") .. finish() .. "\xff\xd9"
end

local function random_table(most)
  local q = {}
  for k = 0, 63 do q[k] = math.random(1, most) end
  return q
end

local function random_block(dc_most, coefficients, most)
  local block = {}
  for k = 0, 63 do block[k] = 0 end
  block[0] = math.random(-dc_most, dc_most)
  for _ = 1, coefficients do block[math.random(1, 63)] = math.random(-most, most) end
  return block
end

-- The sample at x, y of a block, by the definition of the transform, not rounded.
local function sample(block, quant, x, y)
  local sum = 0
  for k = 0, 63 do
    if block[k] ~= 0 then
      local v, u = zigzag[k][1], zigzag[k][2]
      local scale = (u == 0 and math.sqrt(0.5) or 1) * (v == 0 and math.sqrt(0.5) or 1) / 4
      sum = sum + scale * block[k] * quant[k] * math.cos((2 * x + 1) * u * math.pi / 16)
        * math.cos((2 * y + 1) * v * math.pi / 16)
    end
  end
  return sum + 128
end

local function clipped(v) return math.max(0, math.min(255, v)) end

-- --- reading ------------------------------------------------------------------------------------------------------

describe("dc.image.read of JPEG", function()
  it_reads("reads grey pictures of any size as the transform defines them", function()
    for _ = 1, 12 do
      local width, height = math.random(1, 40), math.random(1, 40)
      local wide, high = (width + 7) // 8, (height + 7) // 8
      local quant, blocks = random_table(20), {}
      for n = 1, wide * high do blocks[n] = random_block(40, math.random(0, 6), 8) end
      local a = dc.image.read(write("g.jpg", file(width, height, 1, quant, blocks)))
      assert.equal("uint8", a.dtype)
      assert.same({ height, width }, { a:shape() })
      local t = a:to_table()
      for y = 0, height - 1 do
        for x = 0, width - 1 do
          local block = blocks[y // 8 * wide + x // 8 + 1]
          local want = clipped(sample(block, quant, x % 8, y % 8))
          assert(math.abs(t[y + 1][x + 1] - want) <= 1.01,
            note(("pixel %d,%d is %d, not %.2f"):format(x, y, t[y + 1][x + 1], want)))
        end
      end
    end
  end)

  it_reads("reads colours as JFIF's YCbCr, by content whatever the name", function()
    for _ = 1, 6 do
      local width, height = math.random(1, 24), math.random(1, 24)
      local wide, high = (width + 7) // 8, (height + 7) // 8
      local quant, blocks = random_table(4), {}
      for n = 1, 3 * wide * high do blocks[n] = random_block(100, math.random(0, 3), 10) end
      local a = dc.image.read(write("c.data", file(width, height, 3, quant, blocks)))
      assert.same({ height, width, 3 }, { a:shape() })
      local t = a:to_table()
      for y = 0, height - 1 do
        for x = 0, width - 1 do
          local first, v = 3 * (y // 8 * wide + x // 8), {}
          for c = 1, 3 do v[c] = clipped(sample(blocks[first + c], quant, x % 8, y % 8)) end
          local cb, cr = v[2] - 128, v[3] - 128
          local want = { v[1] + 1.402 * cr, v[1] - 0.344136 * cb - 0.714136 * cr, v[1] + 1.772 * cb }
          for c = 1, 3 do -- each of the three samples may be off by 1
            local got = t[y + 1][x + 1][c]
            assert(math.abs(got - clipped(want[c])) <= 3.3,
              note(("channel %d of pixel %d,%d is %d, not %.2f"):format(c, x, y, got, clipped(want[c]))))
          end
        end
      end
    end
  end)

  it_reads("refuses what is cut short, damaged, huge or of four inks", function()
    local quant, blocks = random_table(10), {}
    for n = 1, 16 do blocks[n] = random_block(40, 5, 8) end
    local good = file(32, 32, 1, quant, blocks)
    for _ = 1, 40 do
      local name = write("cut.jpg", good:sub(1, math.random(3, #good - 40)))
      fails("io", "cut%.jpg': the JPEG file is damaged or of a kind", function() dc.image.read(name) end)
    end
    local at = good:find("\xff\xc0", 1, true)
    local huge = good:sub(1, at + 4) .. "\xfc\xfc\xfc\xfc" .. good:sub(at + 9)
    fails("io", "64764x64764 pixels cannot be in %d+ bytes", function() dc.image.read(write("huge.jpg", huge)) end)
    local no_table = good:gsub("\xff\xdb", "\xff\xe5", 1)
    fails("io", "is damaged", function() dc.image.read(write("table.jpg", no_table)) end)
    local four = {}
    for n = 1, 4 do four[n] = random_block(40, 2, 8) end
    local cmyk = file(8, 8, 4, quant, four, segment(0xee, "Adobe\0\100\0\0\0\0\0"))
    fails("io", "four inks of a print %(CMYK%)", function() dc.image.read(write("cmyk.jpg", cmyk)) end)
    fails("io", "damaged", function() dc.image.read(write("short.jpg", "\xff\xd8\xff")) end)
  end)

  it_reads("survives any damage: a picture or an error of kind io", function()
    local quant, blocks = random_table(10), {}
    for n = 1, 12 do blocks[n] = random_block(40, 5, 8) end
    local good = file(16, 16, 3, quant, blocks)
    local refused = 0
    for _ = 1, 200 do
      local bytes = { good:byte(1, -1) }
      for _ = 1, math.random(1, 4) do bytes[math.random(4, #bytes)] = math.random(0, 255) end
      local name = write("bad.jpg", string.char(table.unpack(bytes)))
      local ok, err = pcall(dc.image.read, name)
      if not ok then
        refused = refused + 1
        assert(err.kind == "io", note(tostring(err)))
      end
    end
    assert(refused > 20, note("damage is found"))
  end)

  it_reads("gives back its memory, also after errors", function()
    local block = { random_block(40, 5, 8) }
    local good = write("good.jpg", file(8, 8, 1, random_table(10), block))
    local bad = write("bad.jpg", h.read(good):sub(1, -8))
    h.gives_back(function()
      dc.image.read(good):close()
      pcall(dc.image.read, bad)
    end)
  end)
end)

-- --- writing ------------------------------------------------------------------------------------------------------

-- The first quantization table, and the frame's height, width and sampling factors.
local function facts(bytes)
  local at, quant, frame = 3, nil, nil
  while not frame do
    local marker, n = bytes:byte(at + 1), (">I2"):unpack(bytes, at + 2)
    if marker == 0xdb and not quant then
      quant = {}
      for k = 0, 63 do quant[k] = bytes:byte(at + 5 + k) end
    elseif marker == 0xc0 then
      local height, width, components = (">I2I2B"):unpack(bytes, at + 5)
      frame = { height = height, width = width, components = components, sampling = bytes:byte(at + 11) }
    end
    at = at + 2 + n
  end
  return quant, frame
end

describe("dc.image.write of JPEG", function()
  it_reads("keeps the error of grey blocks below what its quantization allows", function()
    local sizes = {}
    for _, quality in ipairs { 10, 50, 90, 100 } do
      local a = dc.from_bytes(dc.random.integers(16, 24, { high = 255, dtype = "uint8" }):bytes(), { 16, 24 }, "uint8")
      dc.image.write(path "w.jpg", a, { quality = quality })
      local bytes = h.read(path "w.jpg")
      sizes[#sizes + 1] = #bytes
      local quant, frame = facts(bytes)
      assert.same({ 16, 24, 1 }, { frame.height, frame.width, frame.components })
      local allowed = 0 -- the transform is orthonormal: squares of errors have the same sum before and after
      for k = 0, 63 do allowed = allowed + (quant[k] / 2) ^ 2 end
      local bound = (math.sqrt(allowed) + 8 * 1.0) ^ 2 -- each of 64 pixels may be rounded by 1, both ways together
      local was, is = a:to_table(), dc.image.read(path "w.jpg"):to_table()
      for by = 0, 1 do
        for bx = 0, 2 do
          local sum = 0
          for y = 1, 8 do
            for x = 1, 8 do sum = sum + (was[8 * by + y][8 * bx + x] - is[8 * by + y][8 * bx + x]) ^ 2 end
          end
          assert(sum <= bound, note(("quality %d: squares sum to %g, allowed are %g"):format(quality, sum, bound)))
        end
      end
    end
    for k = 2, #sizes do assert(sizes[k] > sizes[k - 1], "better pictures are larger") end
  end)

  it_reads("writes colours with the subsampling that is asked for, 4:2:0 if none is", function()
    local colours = dc.random.integers(2, 2, 3, { high = 255, dtype = "uint8" })
    local a = dc.repeat_(dc.repeat_(colours, 16, 1), 16, 2) -- squares of one colour
    for subsampling, factors in pairs { ["4:4:4"] = 0x11, ["4:2:2"] = 0x21, ["4:2:0"] = 0x22 } do
      for _, ending in ipairs { ".jpg", ".JPEG" } do
        local name = path("s" .. ending)
        dc.image.write(name, a, { subsampling = subsampling, quality = 100 })
        local _, frame = facts(h.read(name))
        assert.equal(factors, frame.sampling)
        local b = dc.image.read(name)
        assert.same({ 32, 32, 3 }, { b:shape() })
        assert(dc.abs(b:to "int32" - a:to "int32")[{ { 4, 12 }, { 4, 12 } }]:max():item() <= 3, note(subsampling))
      end
    end
    dc.image.write(path "d.jpg", a)
    assert.equal(0x22, select(2, facts(h.read(path "d.jpg"))).sampling)
  end)

  it_reads("writes views and pending expressions", function()
    local a = dc.arange(0, 255):reshape(16, 16)
    dc.image.write(path "v.jpg", a.T:to "uint8", { quality = 100 })
    assert(dc.abs(dc.image.read(path "v.jpg"):to "int32" - a.T):max():item() <= 3)
  end)

  it("refuses what is no JPEG picture, and options that it has not", function()
    local grey = dc.zeros(4, 4, "uint8")
    local function wrong(kind, pattern, a, options)
      fails(kind, pattern, function() dc.image.write(path "x.jpg", a, options) end)
    end
    wrong("dtype", "JPEG pictures are uint8, the array is uint16", grey:to "uint16")
    wrong("dtype", "the array is float32", grey:to "float32")
    wrong("shape", "1 grey, 3 RGB.*4 x 4 x 4", dc.zeros(4, 4, 4, "uint8"))
    wrong("shape", "4 x 4 x 2", dc.zeros(4, 4, 2, "uint8"))
    wrong("shape", "is 4$", dc.zeros(4, "uint8"))
    wrong("shape", "has none", dc.zeros({ 0, 4 }, "uint8"))
    wrong("shape", "at most 65500 rows and columns, not 1 x 65501", dc.zeros(1, 65501, "uint8"))
    wrong("argument", "'quality' is 1 to 100, got 0", grey, { quality = 0 })
    wrong("argument", "'quality' is 1 to 100, got 101", grey, { quality = 101 })
    wrong("argument", "'quality' is an integer", grey, { quality = 0 / 0 })
    wrong("argument", "'subsampling' is \"4:4:4\"", grey, { subsampling = "4:1:0" })
    wrong("argument", "no option 'compression'", grey, { compression = 3 })
    fails("argument", "no option 'quality'", function() dc.image.write(path "x.png", grey, { quality = 3 }) end)
    assert.is_nil(h.read_if_there(path "x.jpg"))
  end)

  it("names the missing package", function()
    local picture = write("any.jpg", "\xff\xd8\xff\xe0 and more")
    local text, code = h.shell(([[DOTCOMPUTE_TURBOJPEG=off %s -e '
local dc = require "dotcompute"
for _, try in ipairs { function() dc.image.read "%s" end,
  function() dc.image.write("%snew.jpg", dc.zeros(2, 2, "uint8")) end } do
  local ok, err = pcall(try)
  print(ok, err.kind, err.message)
end']]):format(lua, picture, folder))
    assert.equal(0, code, text)
    assert.equal(2, select(2, text:gsub("false\tio\t'[^\n]*': JPEG files need libturbojpeg, which cannot be loaded "
      .. "%(Debian: libturbojpeg0%): switched off by DOTCOMPUTE_TURBOJPEG=off\n", "")), text)
    assert.is_nil(h.read_if_there(path "new.jpg"))
  end)
end)
