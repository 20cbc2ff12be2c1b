-- File formats written and read in plain Lua, as references for the specs of files. Compression is by the program gzip.
local helper = require "spec.helper"
local formats = { write = helper.write, read = helper.read }

-- A new folder, and a function that removes it.
function formats.folder()
  local name = helper.folder()
  return name .. "/", function() os.execute("rm -rf '" .. name .. "'") end
end

-- --- check values, compression ----------------------------------------------------------------------------------

local crc_table = {}
for b = 0, 255 do
  local v = b
  for _ = 1, 8 do v = v & 1 == 1 and v >> 1 ~ 0xedb88320 or v >> 1 end
  crc_table[b] = v
end

function formats.crc32(s)
  local v = 0xffffffff
  for i = 1, #s do v = v >> 8 ~ crc_table[(v ~ s:byte(i)) & 255] end
  return v ~ 0xffffffff
end

function formats.adler32(s)
  local a, b = 1, 0
  for i = 1, #s do
    a = (a + s:byte(i)) % 65521
    b = (b + a) % 65521
  end
  return b << 16 | a
end

-- Deflate without compression: blocks of at most `most` bytes.
function formats.deflate_stored(s, most)
  local out, at = {}, 1
  repeat
    local piece = s:sub(at, at + (most or 65535) - 1)
    at = at + #piece
    out[#out + 1] = string.pack("<BI2I2", at > #s and 1 or 0, #piece, ~#piece & 0xffff) .. piece
  until at > #s
  return table.concat(out)
end

local function filter(command, input)
  local name = os.tmpname()
  formats.write(name, input)
  local pipe = assert(io.popen(("( %s ) < '%s'"):format(command, name)))
  local out = pipe:read "a"
  local ok = pipe:close()
  os.remove(name)
  return ok and out
end

-- Compressed and plain, by gzip: its header has 10 bytes without a name, CRC and length follow the data.
function formats.deflate(s) return filter("gzip -9n", s):sub(11, -9) end

local gzip_head = "\x1f\x8b\8\0\0\0\0\0\0\3"

function formats.inflate(packed, plain_crc, plain_size)
  return filter("gzip -dc 2>/dev/null", gzip_head .. packed .. string.pack("<I4I4", plain_crc, plain_size & 0xffffffff))
end

-- zlib's wrapping of either.
function formats.zlib(s, stored)
  return "\x78\x9c" .. (stored and formats.deflate_stored(s, stored) or formats.deflate(s))
    .. string.pack(">I4", formats.adler32(s))
end

-- --- .npy -------------------------------------------------------------------------------------------------------

-- A file of version `major` from the header's text and the elements' bytes.
function formats.npy(header, bytes, major)
  major = major or 1
  local before = major == 1 and 10 or 12
  header = header .. (" "):rep(-(before + #header + 1) % 64) .. "\n"
  return "\x93NUMPY" .. string.char(major, 0) .. string.pack(major == 1 and "<I2" or "<I4", #header) .. header .. bytes
end

function formats.npy_header(descr, shape, fortran)
  local extents = table.concat(shape, ", ") .. (#shape == 1 and "," or "")
  return ("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }"):format(descr, fortran and "True" or "False", extents)
end

-- descr, fortran, shape and the bytes of a version 1.0 file.
function formats.parse_npy(s)
  assert(s:sub(1, 8) == "\x93NUMPY\1\0")
  local len = string.unpack("<I2", s, 9)
  assert((10 + len) % 64 == 0, "the header's length is no multiple of 64")
  local header = s:sub(11, 10 + len)
  assert(header:sub(-1) == "\n")
  local descr, fortran, extents = header:match
    "^{'descr': '([^']+)', 'fortran_order': (%a+), 'shape': %(([%d, ]*)%), } *\n$"
  assert(descr, header)
  local shape = {}
  for v in extents:gmatch "%d+" do shape[#shape + 1] = math.tointeger(v) end
  assert(extents == table.concat(shape, ", ") .. (#shape == 1 and "," or ""), header)
  return descr, fortran == "True", shape, s:sub(11 + len)
end

-- --- ZIP --------------------------------------------------------------------------------------------------------

-- An archive of members {name, bytes, and perhaps: packed, method, crc, size, packed_size, flags, zip64, comment}.
function formats.zip(list, options)
  options = options or {}
  local out, at, directory = {}, 0, {}
  local function put(s)
    out[#out + 1] = s
    at = at + #s
  end
  for _, m in ipairs(list) do
    local packed = m.packed or m.bytes
    local crc, size, packed_size = m.crc or formats.crc32(m.bytes), m.size or #m.bytes, m.packed_size or #packed
    local here, extra, full = m.at or at, "", 0xffffffff
    local common = string.pack("<I2I2I2I2I2I4", m.zip64 and 45 or 20, m.flags or 0, m.method or 0, 0, 33, crc)
    if m.zip64 then extra = string.pack("<I2I2I8I8", 1, 16, size, packed_size) end
    put(string.pack("<I4", 0x04034b50) .. common
      .. string.pack("<I4I4I2I2", m.zip64 and full or packed_size, m.zip64 and full or size, #m.name, #extra)
      .. m.name .. extra .. packed)
    if m.zip64 then extra = string.pack("<I2I2", 0x5455, 1) .. "x" .. string.pack("<I2I2I8I8I8", 1, 24, size,
      packed_size, here) end
    local comment = m.comment or ""
    directory[#directory + 1] = string.pack("<I4I2", 0x02014b50, 0x0314) .. common
      .. string.pack("<I4I4I2I2I2I2I2I4I4", m.zip64 and full or packed_size, m.zip64 and full or size, #m.name, #extra,
        #comment, 0, 0, 0, m.zip64 and full or here) .. m.name .. extra .. comment
  end
  local text, start = table.concat(directory), options.directory_at or at
  local n, comment = options.count or #list, options.comment or ""
  local tail = ""
  if options.zip64 then
    tail = string.pack("<I4I8I2I2I4I4I8I8I8I8", 0x06064b50, 44, 45, 45, 0, 0, n, n, #text, start)
      .. string.pack("<I4I4I8I4", 0x07064b50, 0, at + #text, 1)
    n, start = 0xffff, 0xffffffff
  end
  return table.concat(out) .. text .. tail
    .. string.pack("<I4I2I2I2I2I4I4I2", 0x06054b50, 0, 0, n, n, options.zip64 and 0xffffffff or #text, start, #comment)
    .. comment
end

-- The members of an archive by name, unpacked, read by its directory; sizes and check values hold.
function formats.unzip(s)
  local at_end = assert(s:match("()PK\5\6" .. ("."):rep(18) .. "$"))
  local n, _, start = string.unpack("<I2I4I4", s, at_end + 10)
  local members, order, at = {}, {}, start + 1
  for i = 1, n do
    local signature, _, _, flags, method, _, _, crc, packed, size, name_len, extra_len, comment_len, _, _, _, place =
      string.unpack("<I4I2I2I2I2I2I2I4I4I4I2I2I2I2I2I4I4", s, at)
    assert(signature == 0x02014b50)
    local name = s:sub(at + 46, at + 45 + name_len)
    at = at + 46 + name_len + extra_len + comment_len
    local lsig, _, lflags, lmethod, _, _, lcrc, lpacked, lsize, lname, lextra =
      string.unpack("<I4I2I2I2I2I2I4I4I4I2I2", s, place + 1)
    assert(lsig == 0x04034b50 and lflags == flags and lmethod == method and lcrc == crc and lsize == size
      and lpacked == packed and s:sub(place + 31, place + 30 + lname) == name)
    local data = s:sub(place + 31 + lname + lextra, place + 30 + lname + lextra + packed)
    if method == 8 then data = assert(formats.inflate(data, crc, size)) end
    assert(#data == size and formats.crc32(data) == crc)
    members[name], order[i] = { bytes = data, method = method, flags = flags }, name
  end
  return members, order
end

-- --- PNG --------------------------------------------------------------------------------------------------------

local signature = "\x89PNG\r\n\x1a\n"

function formats.chunk(kind, data)
  return string.pack(">I4", #data) .. kind .. data .. string.pack(">I4", formats.crc32(kind .. data))
end

local function paeth(a, b, c)
  local p = a + b - c
  local pa, pb, pc = math.abs(p - a), math.abs(p - b), math.abs(p - c)
  if pa <= pb and pa <= pc then return a elseif pb <= pc then return b end
  return c
end

-- What a filter predicts for byte i of a row.
local function predict(kind, row, above, i, step)
  local a, b, c = row[i - step] or 0, above[i] or 0, i > step and above[i - step] or 0
  if kind == 0 then return 0 elseif kind == 1 then return a elseif kind == 2 then return b
  elseif kind == 3 then return (a + b) // 2 end
  return paeth(a, b, c)
end

-- Rows of samples (of `depth` bits, `per` a pixel) as filtered bytes; each row's filter by choose().
local function pack_rows(rows, depth, per, choose)
  local out, above = {}, {}
  local step = math.max(1, depth * per // 8)
  for _, samples in ipairs(rows) do
    local row, acc, bits = {}, 0, 0
    for _, v in ipairs(samples) do
      acc, bits = acc << depth | v, bits + depth
      while bits >= 8 do
        row[#row + 1] = acc >> (bits - 8) & 255
        bits = bits - 8
      end
      acc = acc & (1 << bits) - 1
    end
    if bits > 0 then row[#row + 1] = acc << (8 - bits) & 255 end
    local kind, bytes = choose(), {}
    for i = 1, #row do bytes[i] = string.char(row[i] - predict(kind, row, above, i, step) & 255) end
    out[#out + 1] = string.char(kind) .. table.concat(bytes)
    above = row
  end
  return table.concat(out)
end

local passes = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 }, { 0, 2, 2, 4 }, { 1, 0, 2, 2 },
  { 0, 1, 1, 2 } }

-- The filtered bytes of p = {width, height, depth, per, interlaced, sample = function(x, y, k), 0-based}.
function formats.png_samples(p, choose)
  local parts = {}
  for _, q in ipairs(p.interlaced and passes or { { 0, 0, 1, 1 } }) do
    local rows = {}
    for y = q[2], p.height - 1, q[4] do
      local row = {}
      for x = q[1], p.width - 1, q[3] do
        for k = 0, p.per - 1 do row[#row + 1] = p.sample(x, y, k) end
      end
      if #row > 0 then rows[#rows + 1] = row end
    end
    parts[#parts + 1] = pack_rows(rows, p.depth, p.per, choose or function() return math.random(0, 4) end)
  end
  return table.concat(parts)
end

function formats.png_header(width, height, depth, colour, interlaced)
  return formats.chunk("IHDR", string.pack(">I4I4BBBBB", width, height, depth, colour, 0, 0, interlaced and 1 or 0))
end

-- A file; `extra`: chunks between header and samples. The samples are in several chunks.
function formats.png(p, extra)
  local packed, chunks, at = formats.zlib(formats.png_samples(p), p.stored), {}, 1
  repeat
    local n = math.random(1, math.max(1, #packed // 2))
    chunks[#chunks + 1] = formats.chunk("IDAT", packed:sub(at, at + n - 1))
    at = at + n
  until at > #packed
  return signature .. formats.png_header(p.width, p.height, p.depth, p.colour, p.interlaced) .. (extra or "")
    .. table.concat(chunks) .. formats.chunk("IEND", "")
end

-- Width, height, depth, colour type, and the samples' bytes of a file that is not interlaced.
function formats.parse_png(s)
  assert(s:sub(1, 8) == signature)
  local at, data, header = 9, {}, nil
  while at <= #s do
    local n = string.unpack(">I4", s, at)
    local kind, body = s:sub(at + 4, at + 7), s:sub(at + 8, at + 7 + n)
    assert(string.unpack(">I4", s, at + 8 + n) == formats.crc32(kind .. body))
    if kind == "IHDR" then header = body elseif kind == "IDAT" then data[#data + 1] = body end
    if kind == "IEND" then assert(at + 11 + n == #s) end
    at = at + 12 + n
  end
  local width, height, depth, colour = string.unpack(">I4I4BB", header)
  assert(header:sub(11) == "\0\0\0")
  local per = ({ [0] = 1, [2] = 3, [4] = 2, [6] = 4 })[colour]
  local step, line = depth * per // 8, width * depth * per // 8
  local packed = table.concat(data)
  local raw = filter("gzip -dc 2>/dev/null; true", gzip_head .. packed:sub(3, -5)) -- its end is missing: no matter
  assert(#raw == height * (line + 1), "the samples have " .. #raw .. " bytes")
  assert(string.unpack(">I4", packed, #packed - 3) == formats.adler32(raw))
  local out, above, filters = {}, {}, {}
  for y = 0, height - 1 do
    local base, row = y * (line + 1) + 1, {}
    local kind = raw:byte(base)
    filters[kind] = true
    for i = 1, line do
      row[i] = raw:byte(base + i) + predict(kind, row, above, i, step) & 255
      out[#out + 1] = string.char(row[i])
    end
    above = row
  end
  return width, height, depth, colour, table.concat(out), filters
end

return formats
