-- Arrays in files: .npy, .npz, raw bytes, CSV. Written files are read in plain Lua; files to read are made there.
local dc = require "dotcompute"
local h = require "spec.helper"
local formats = require "spec.formats"
local fails, note = h.fails, h.note

local folder, remove = formats.folder()
teardown(remove)

local lua = h.lua

local function path(name) return folder .. name end
local function write(name, bytes) return formats.write(folder .. name, bytes) end

local descr = {
  bool = "|b1", int8 = "|i1", int16 = "<i2", int32 = "<i4", int64 = "<i8", uint8 = "|u1", uint16 = "<u2",
  uint32 = "<u4", uint64 = "<u8", float16 = "<f2", float32 = "<f4", float64 = "<f8", complex64 = "<c8",
  complex128 = "<c16",
}
local size_of = {
  bool = 1, int8 = 1, int16 = 2, int32 = 4, int64 = 8, uint8 = 1, uint16 = 2, uint32 = 4, uint64 = 8, float16 = 2,
  float32 = 4, float64 = 8, complex64 = 8, complex128 = 16, bfloat16 = 2,
}
local dtypes = {}
for name in pairs(descr) do dtypes[#dtypes + 1] = name end
table.sort(dtypes)

-- Random bytes that are n elements of the dtype.
local function random_bytes(n, dtype)
  local t = {}
  for i = 1, n * size_of[dtype] do t[i] = string.char(dtype == "bool" and math.random(0, 1) or math.random(0, 255)) end
  return table.concat(t)
end

-- The same, with 0 for what is no finite number: of NaNs there are many, and text has one.
local exponents = { float16 = 0x7c00, bfloat16 = 0x7f80, float32 = 0x7f80, float64 = 0x7ff0, complex64 = 0x7f80,
  complex128 = 0x7ff0 }
local function without_nans(bytes, dtype)
  local mask, size = exponents[dtype], dtype:find "complex" and size_of[dtype] // 2 or size_of[dtype]
  return mask and bytes:gsub(("."):rep(size), function(v)
    return string.unpack("<I2", v, -2) & mask == mask and ("\0"):rep(size) or v
  end) or bytes
end

-- The same elements in the other byte order.
local function swapped(bytes, dtype)
  local size = dtype:find "complex" and size_of[dtype] // 2 or size_of[dtype]
  return (bytes:gsub(("."):rep(size), string.reverse))
end

local function reversed(t)
  local r = {}
  for i, v in ipairs(t) do r[#t + 1 - i] = v end
  return r
end

-- What this process has open in the folder, as a list of links.
local function open_files()
  return h.shell(("ls -l /proc/$PPID/fd | grep -F '%s'; true"):format(folder))
end

describe("dc.save of .npy", function()
  for _, dtype in ipairs(dtypes) do
    it("writes " .. dtype .. " as NumPy would, whatever the shape", function()
      for ndim = 0, 4 do
        local shape = h.shape(ndim)
        local bytes = random_bytes(h.product(shape), dtype)
        dc.save(path "a.npy", dc.from_bytes(bytes, shape, dtype))
        local kind, fortran, extents, data = formats.parse_npy(formats.read(path "a.npy"))
        assert.equal(descr[dtype], kind)
        assert.is_false(fortran)
        assert.same(shape, extents)
        assert.equal(bytes, data, note())
      end
    end)
  end

  it("keeps the layout of transposed arrays, and copies other views", function()
    local a = dc.from_bytes(random_bytes(60, "int16"), { 3, 4, 5 }, "int16")
    dc.save(path "t.npy", a.T)
    local _, fortran, shape, data = formats.parse_npy(formats.read(path "t.npy"))
    assert.is_true(fortran)
    assert.same({ 5, 4, 3 }, shape)
    assert.equal(a:bytes(), data)
    for _, view in ipairs { a:transpose(1, 3, 2), a[{ { 3, 1, -1 }, ":", { 1, 5, 2 } }], a[2], a:col(2) } do
      dc.save(path "v.npy", view)
      local _, order, extents, bytes = formats.parse_npy(formats.read(path "v.npy"))
      assert.is_false(order)
      assert.same({ view:shape() }, extents)
      assert.equal(view:bytes(), bytes)
      assert.is_true(dc.equal(view, dc.load(path "v.npy")))
    end
    dc.save(path "b.npy", dc.array({ 7 }, "int16"):broadcast_to(2, 3))
    assert.same({ { 7, 7, 7 }, { 7, 7, 7 } }, dc.load(path "b.npy"):to_table())
  end)

  it("evaluates pending expressions, and takes arrays without elements and larger than a chunk", function()
    local x = dc.arange(1, 10)
    dc.save(path "p.npy", x * 2 + 1)
    assert.same((x * 2 + 1):to_table(), dc.load(path "p.npy"):to_table())
    dc.save(path "p.npy", dc.zeros(3, 0, 2, "uint16"))
    local _, _, shape, data = formats.parse_npy(formats.read(path "p.npy"))
    assert.same({ 3, 0, 2 }, shape)
    assert.equal("", data)
    assert.same({ 3, 0, 2 }, { dc.load(path "p.npy"):shape() })
    local n = 5 * 1024 * 1024 + math.random(1000)
    local large = dc.arange(1, n, "int32")
    dc.save(path "l.npy", large)
    assert.is_true(dc.equal(large, dc.load(path "l.npy")))
    assert.is_true(dc.equal(large, dc.load(path "l.npy", { mmap = true })))
  end)

  it("leaves only the old file when it fails", function()
    local name = write("old.npy", "old")
    local files = h.shell("ls -a " .. folder)
    fails("dtype", "bfloat16.*float32", function()
      dc.save(path "old.npy", dc.from_bytes("\0\0", 1, "bfloat16"))
    end)
    -- no file may become larger than 100 KiB there, as on a full disk
    local text, code = h.shell(([[trap '' XFSZ; ulimit -f 200; %s -e '
local dc = require "dotcompute"
for _, name in ipairs { "old.npy", "new.npy" } do
  local ok, err = pcall(dc.save, "%s" .. name, dc.zeros(1000000))
  print(ok, err.kind, err.message:find "cannot be written" and "said so" or err)
end
local ok, err = pcall(dc.save, "%sold.npz", { x = dc.zeros(1000000) })
print(ok, err.kind)']]):format(lua, folder, folder))
    assert.equal(0, code, text)
    assert.equal(("false\tio\tsaid so\n"):rep(2) .. "false\tio\n", text)
    assert.equal("old", formats.read(name))
    assert.equal(files, h.shell("ls -a " .. folder))
  end)

  it("replaces the target of a link, keeps permissions, and writes to device files directly", function()
    write("target.npy", "old")
    os.execute(("cd %s && chmod 640 target.npy && ln -s target.npy link.npy"):format(folder))
    dc.save(path "link.npy", dc.ones(3))
    assert.matches("^l", h.shell("stat -c %A " .. path "link.npy"))
    assert.equal("640\n", h.shell("stat -c %a " .. path "target.npy"))
    assert.same({ 1, 1, 1 }, dc.load(path "target.npy"):to_table())
    os.execute(("ln -s /dev/full %sfull.npy; ln -s /dev/null %snull.npy"):format(folder, folder))
    fails("io", "full%.npy': cannot be written: No space left", function() dc.save(path "full.npy", dc.ones(9)) end)
    dc.save(path "null.npy", dc.ones(9))
    assert.matches("^character special", h.shell "stat -c %F /dev/null")
  end)

  it("refuses values and paths that it cannot write", function()
    local a = dc.ones(2)
    fails("io", "folder", function() dc.save(path "nowhere/a.npy", a) end)
    os.execute("mkdir -p " .. path "dir.npy")
    fails("io", "this is a folder", function() dc.save(path "dir.npy", a) end)
    fails("argument", "neither %.npy nor %.npz", function() dc.save(path "a.txt", a) end)
    fails("argument", "neither %.npy nor %.npz", function() dc.save("npy", a) end)
    fails("argument", "name of a file.*got nil", function() dc.save(nil, a) end)
    fails("argument", "an array expected, got nil", function() dc.save(path "a.npy") end)
    fails("argument", "%.npz", function() dc.save(path "a.npy", { x = a }) end)
    fails("argument", "no option 'compress'", function() dc.save(path "a.npy", a, { compress = true }) end)
    fails("argument", "zero byte", function() dc.save(path "a\0.npy", a) end)
    local closed = dc.ones(2)
    closed:close()
    fails("argument", "closed", function() dc.save(path "a.npy", closed) end)
  end)
end)

describe("dc.load of .npy", function()
  for _, dtype in ipairs(dtypes) do
    it("reads " .. dtype .. " of every version, order and layout", function()
      for ndim = 0, 4 do
        local shape = h.shape(ndim)
        local bytes = random_bytes(h.product(shape), dtype)
        for major = 1, 3 do
          local name = write("r.npy", formats.npy(formats.npy_header(descr[dtype], shape), bytes, major))
          for _, options in ipairs { {}, { mmap = true } } do
            local a = dc.load(name, options)
            assert.equal(dtype, a.dtype)
            assert.same(shape, { a:shape() })
            assert.equal(dc.device(), a.device)
            assert.equal(bytes, a:bytes(), note())
          end
        end
        local big = descr[dtype]:gsub("<", ">")
        local name = write("r.npy", formats.npy(formats.npy_header(big, shape), swapped(bytes, dtype)))
        assert.equal(bytes, dc.load(name):bytes(), note())
        assert.equal(bytes, dc.load(name, { mmap = true }):bytes(), note())
        name = write("r.npy", formats.npy(formats.npy_header(descr[dtype], reversed(shape), true), bytes))
        for _, options in ipairs { {}, { mmap = true } } do
          local a = dc.load(name, options)
          assert.same(reversed(shape), { a:shape() })
          assert.equal(bytes, a.T:bytes(), note())
        end
      end
    end)
  end

  it("reads headers as other programs write them", function()
    local bytes = string.pack("<fff", 1, 2, 3)
    for _, header in ipairs {
      '{"descr": "<f4", "shape": (3,), "fortran_order": False}', -- other quotes, another order
      "{'shape':(3L,),'fortran_order':False,'descr':'=f4'}", -- Python 2; native order
      "  {  'descr'  :  '<f4' ,\n'fortran_order' : True , 'shape' : ( 3 , ) , }  ",
    } do
      assert.same({ 1, 2, 3 }, dc.load(write("h.npy", formats.npy(header, bytes))):to_table(), header)
    end
    local two = formats.npy(formats.npy_header("<f4", { 3 }), bytes) -- what follows the elements is left alone
    assert.same({ 1, 2, 3 }, dc.load(write("h.npy", two .. two)):to_table())
  end)

  it("refuses unsupported dtypes, and never reads pickles", function()
    for kind, pattern in pairs {
      ["|O"] = "Python objects.*pickle", ["|S5"] = "strings", ["<U3"] = "strings", ["<M8[ns]"] = "dates",
      ["|V2"] = "void", ["<f12"] = "'<f12'", ["<f16"] = "'<f16'", ["<i3"] = "'<i3'", ["<c32"] = "'<c32'",
      [""] = "dtype ''", ["<"] = "dtype '<'", ["f4x"] = "'f4x'", ["<b2"] = "'<b2'", ["<f99999999999"] = "dtype",
    } do
      local name = write("d.npy", formats.npy(formats.npy_header(kind, { 2 }), ("x"):rep(99)))
      fails("io", "d%.npy': it holds .*" .. pattern, function() dc.load(name) end)
    end
    local structured = "{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }"
    fails("io", "structured", function() dc.load(write("d.npy", formats.npy(structured, ("x"):rep(16)))) end)
    structured = "{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (2,), }"
    fails("io", "structured", function() dc.load(write("d.npy", formats.npy(structured, ("x"):rep(16)))) end)
  end)

  it("names the defect of a damaged header, and allocates nothing for absurd shapes", function()
    local live = dc.stats().bytes_allocated
    for header, pattern in pairs {
      [""] = "does not begin with", ["[]"] = "does not begin with", ["{}"] = "is missing",
      ["{'descr': '<f4', 'fortran_order': False}"] = "is missing",
      ["{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"] = "neither True nor False",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (2)}"] = "tuple",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': [2]}"] = "tuple",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}"] = "a key besides",
      ["{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"] = "twice",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} os.exit()"] = "behind its '}'",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (2,"] = "no integer",
      ["{'descr': '<f4"] = "does not end", ["{descr: '<f4'}"] = "in quotes",
      ["{'descr': '<f\\x34', 'fortran_order': False, 'shape': (2,)}"] = "does not end",
      ["{'descr': os.exit(), 'fortran_order': False, 'shape': (2,)}"] = "in quotes",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}"] = "negative",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (2.5,)}"] = "tuple",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999999999,)}"] = "beyond all bounds",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}"] = "2%^62",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4611686018427387904, 4)}"] = "2%^62",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}"] = "cut short.*4398046511104",
      ["{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}"] = "cut short.*24 bytes.*20 are there",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (" .. ("1,"):rep(40) .. ")}"] = "40 axes",
      ["{'descr': '<f4', 'fortran_order': False, 'shape': (" .. ("1,"):rep(65) .. ")}"] = "more than 64 axes",
      ["{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}"] = "bool array is 120",
    } do
      local name = write("bad.npy", formats.npy(header, ("x"):rep(20)))
      for _, options in ipairs { {}, { mmap = true } } do
        fails("io", "bad%.npy': .*" .. pattern, function() dc.load(name, options) end)
      end
    end
    assert(dc.stats().bytes_allocated - live < 10000)
  end)

  it("refuses truncated files, wherever they end", function()
    local whole = formats.npy(formats.npy_header("<i4", { 5 }), ("x"):rep(20), 2)
    for n = 0, #whole - 1 do
      local name = write("cut.npy", whole:sub(1, n))
      fails("io", "cut%.npy'", function() dc.load(name) end)
    end
    local name = write("cut.npy", "\x93NUMPY\1\0\xff\xff{}")
    fails("io", "header of 65535 bytes", function() dc.load(name) end)
    name = write("cut.npy", "\x93NUMPY\2\0\xff\xff\xff\xff{}")
    fails("io", "header of 4294967295 bytes", function() dc.load(name) end)
    fails("io", "version 4%.0", function() dc.load(write("cut.npy", "\x93NUMPY\4\0" .. whole)) end)
  end)

  it("refuses files of other formats", function()
    fails("io", "nothing%.npy': cannot be opened: No such file", function() dc.load(path "nothing.npy") end)
    fails("io", "this is a folder", function() dc.load(folder) end)
    fails("io", "the file is empty", function() dc.load(write("e.npy", "")) end)
    fails("io", "no %.npy or %.npz file.*load_csv", function() dc.load(write("e.npy", "1,2,3\n")) end)
    fails("io", "pipe or a device", function() dc.load "/dev/zero" end)
    os.execute("mkfifo " .. path "fifo")
    fails("io", "pipe or a device", function() dc.load(path "fifo") end)
    fails("argument", "got the number 7", function() dc.load(7) end)
    fails("argument", "no option 'mode'", function() dc.load(path "a.npy", { mode = "r" }) end)
    fails("argument", "'mmap' is a boolean, got", function() dc.load(path "a.npy", { mmap = 1 }) end)
    fails("argument", "table of options", function() dc.load(path "a.npy", "r") end)
    dc.save(path "one.npy", dc.ones(2))
    fails("argument", "without a name", function() dc.load(path "one.npy", { name = "x" }) end)
  end)

  it("closes files when it fails, too", function()
    dc.load(path "one.npy")
    collectgarbage() -- what specs before have left open
    collectgarbage()
    collectgarbage "stop"
    for _ = 1, 20 do
      pcall(dc.load, write("bad.npy", formats.npy("{}", "")))
      pcall(dc.load, write("bad.npz", "PK\3\4" .. ("x"):rep(100)))
      pcall(dc.load, path "one.npy", { name = "x" })
      dc.load(path "one.npy")
    end
    collectgarbage "restart"
    assert.equal("", open_files())
    local f <close> = assert(io.open(path "one.npy")) -- would it have been seen?
    assert.matches("one%.npy\n$", open_files())
    f:read(1)
  end)
end)

describe("files on a GPU", function()
  local fake = require "spec.fake"

  it("are copied in chunks, mapped or not, and leak nothing", function()
    fake.build()
    local text, report = fake.run(([[
      local folder, n = "%s", 2500000
      local a = dc.from_bytes(("\1\2\3\4"):rep(n), n, "int32")
      dc.save(folder .. "gpu.npy", a)
      dc.save(folder .. "gpu.npz", { a = a, b = counting(6):reshape(2, 3) })
      dc.save_raw(folder .. "gpu.bin", a)
      for _, b in ipairs { dc.load(folder .. "gpu.npy"), dc.load(folder .. "gpu.npy", { mmap = true }),
        dc.load(folder .. "gpu.npz").a, dc.load_raw(folder .. "gpu.bin", "int32") } do
        print(b.device, b.size, b:bytes() == a:bytes())
        b:close()
      end
      print(dc.load(folder .. "gpu.npz", { name = "b" })[2][3])
      dc.image.write(folder .. "gpu.png", counting(12, "uint8"):reshape(2, 2, 3))
      print(dc.image.read(folder .. "gpu.png")[{ 2, 2, 3 }])
      dc.save_csv(folder .. "gpu.csv", counting(4))
      print(dc.load_csv(folder .. "gpu.csv")[4][1])
      local ok, err = pcall(dc.graph, function() dc.load(folder .. "gpu.npy") end)
      print(ok, err.kind)
      try(dc.save, folder .. "gpu.npy", a)
      os.execute("truncate -s 9000000 " .. folder .. "gpu.npy")
      try(dc.load, folder .. "gpu.npy")]]):format(folder))
    local good = ("cuda:0\t2500000\ttrue\n"):rep(4) .. "6.0\n12\n4.0\nfalse\tlaunch\nok\tnil\nio\t\t"
    assert.equal(good, text:sub(1, #good))
    assert.matches("cut short: its header asks for 10000000 bytes.*8999872 are there", text:sub(#good + 1))
    fake.assert_released(report)
  end)

  it("that fail midway leak no memory", function()
    dc.save(path "up.npy", dc.zeros(3000000))
    for _, rule in ipairs { "MemcpyHtoDAsync:2:2", "MemAllocAsync:2:*", "MemcpyDtoHAsync:2:2" } do
      local text, report = fake.run(([[
        local name = "%s"
        try(function() dc.load(name) end)
        try(function() dc.save(name, dc.from_bytes(("1234"):rep(3000000), 3000000)) end)
        local _, files = pcall(io.popen, "ls " .. name .. " %s.*.tmp 2>/dev/null | wc -l")
        print(files:read "a")]]):format(path "up.npy", folder), { FAKE_CUDA_FAIL = rule })
      assert.matches("CUDA_ERROR_OUT_OF_MEMORY", text, 1, true, rule)
      assert.matches("\n1\n", text, 1, true, rule) -- the file, and no temporary one
      fake.assert_released(report)
    end
  end)
end)

describe(".npz", function()
  local a, b = dc.arange(1, 6):reshape(2, 3), dc.array({ true, false }, "bool")

  it("is written stored or deflated, readable by other programs", function()
    for _, compress in ipairs { false, true } do
      local zeros = dc.zeros(20000)
      dc.save(path "w.npz", { a = a, b = b, ["t/käse"] = a.T, z = zeros, e = a * 2 }, { compress = compress })
      local members, order = formats.unzip(formats.read(path "w.npz"))
      assert.same({ "a.npy", "b.npy", "e.npy", "t/käse.npy", "z.npy" }, order)
      for name, array in pairs { ["a.npy"] = a, ["b.npy"] = b, ["t/käse.npy"] = a, ["z.npy"] = zeros,
        ["e.npy"] = a * 2 } do
        local _, fortran, shape, data = formats.parse_npy(members[name].bytes)
        assert.equal(name == "t/käse.npy", fortran)
        assert.same(fortran and { 3, 2 } or { array:shape() }, shape)
        assert.equal(array:bytes(), data)
        assert.equal(compress and 8 or 0, members[name].method)
        assert.equal(name == "t/käse.npy" and 0x800 or 0, members[name].flags)
      end
      local back = dc.load(path "w.npz")
      assert.is_true(dc.equal(a.T, back["t/käse"]))
      assert.is_true(dc.equal(b, back.b))
      assert.equal(0, back.z:sum():item())
      assert.is_true(#formats.read(path "w.npz") < 5000 == compress)
    end
    dc.save(path "w.npz", {})
    assert.is_nil(next(dc.load(path "w.npz")))
    dc.save(path "u.npz", { x = a })
    local first = formats.read(path "u.npz")
    dc.save(path "u.npz", { x = a })
    assert.equal(first, formats.read(path "u.npz"))
  end)

  local function npy(array)
    return formats.npy(formats.npy_header(descr[array.dtype], { array:shape() }), array:bytes())
  end

  it("is read stored, deflated, with ZIP64's sizes, comments and other files inside", function()
    local random = dc.array(h.values(3000, "float64"), "float64")
    for _, zip64 in ipairs { false, true } do
      local bytes = formats.zip({
        { name = "plain.npy", bytes = npy(a), zip64 = zip64 },
        { name = "packed.npy", bytes = npy(random), packed = formats.deflate(npy(random)), method = 8, zip64 = zip64 },
        { name = "blocks.npy", bytes = npy(b), packed = formats.deflate_stored(npy(b), 50), method = 8,
          comment = "a comment" },
        { name = "readme.txt", bytes = "hello" }, { name = ".npy", bytes = "" }, { name = "folder/", bytes = "" },
        { name = "twice.npy", bytes = npy(b) }, { name = "twice.npy", bytes = npy(a) },
      }, { zip64 = zip64, comment = zip64 and "PK\5\6 is a comment" or "" })
      local all = dc.load(write("r.npz", bytes))
      local names = {}
      for name in pairs(all) do names[#names + 1] = name end
      table.sort(names)
      assert.same({ "blocks", "packed", "plain", "twice" }, names)
      assert.is_true(dc.equal(a, all.plain))
      assert.is_true(dc.equal(random, all.packed))
      assert.is_true(dc.equal(b, all.blocks))
      assert.is_true(dc.equal(a, all.twice))
      assert.is_true(dc.equal(random, dc.load(path "r.npz", { name = "packed" })))
      fails("io", "no array 'x'; it has plain, packed, blocks", function() dc.load(path "r.npz", { name = "x" }) end)
    end
    fails("io", "holds no arrays", function() dc.load(write("r.npz", formats.zip { { name = "x", bytes = "y" } })) end)
  end)

  it("names a damaged member, and reads the others by name", function()
    local pickle = formats.npy(formats.npy_header("|O", { 1 }), "cos\nsystem\n(S'true'\ntR.")
    write("o.npz", formats.zip { { name = "good.npy", bytes = npy(a) }, { name = "bad.npy", bytes = pickle } })
    fails("io", "'bad%.npy' in '.*o%.npz': it holds Python objects", function() dc.load(path "o.npz") end)
    assert.is_true(dc.equal(a, dc.load(path "o.npz", { name = "good" })))
  end)

  it("refuses hostile archives before it allocates memory for them", function()
    local before = dc.stats().bytes_allocated
    local x = npy(a)
    local packed = formats.deflate(x)
    local huge = formats.npy(formats.npy_header("<f4", { 1 << 40 }), "")
    for what, entry in pairs {
      ["check value"] = { { name = "x.npy", bytes = x, crc = 1 } },
      ["is encrypted"] = { { name = "x.npy", bytes = x, flags = 1 } },
      ["method 12"] = { { name = "x.npy", bytes = x, method = 12 } },
      ["which cannot be"] = { { name = "x.npy", bytes = x, size = 1 << 20 } },
      ["bytes hold 1099511627776, which"] = { { name = "x.npy", bytes = x, packed = packed, method = 8, size = 1 << 40,
        zip64 = true } },
      ["cut short.*elements"] = { { name = "x.npy", bytes = huge } },
      ["has not the"] = { { name = "x.npy", bytes = x, packed = formats.deflate(x .. "z"), method = 8 } },
      ["compressed data is cut short"] = { { name = "x.npy", bytes = x, packed = packed:sub(1, -5), method = 8 } },
      ["compressed data is damaged"] = { { name = "x.npy", bytes = x, packed = "\xff" .. packed, method = 8 } },
      ["overlap"] = { { name = "x.npy", bytes = x }, { name = "y.npy", bytes = x, at = 0 } },
      ["or lie outside"] = { { name = "x.npy", bytes = x, at = 1 << 30 } },
      ["zero byte"] = { { name = "x\0.npy", bytes = x } },
    } do
      local name = write("hostile.npz", formats.zip(entry))
      fails("io", "hostile%.npz': .*" .. what, function() dc.load(name) end)
    end
    local moved = formats.zip { { name = "x.npy", bytes = x }, { name = "y.npy", bytes = x } }:gsub("PK\3\4", "PK\3\5")
    fails("io", "not where the directory says", function() dc.load(write("hostile.npz", "PK\3\4" .. moved:sub(5))) end)
    for _, options in ipairs { { directory_at = 5 }, { directory_at = 1 << 31 }, { count = 2 }, { count = 60000 } } do
      local name = write("hostile.npz", formats.zip({ { name = "x.npy", bytes = x } }, options))
      fails("io", "damaged: its directory", function() dc.load(name) end)
    end
    assert(dc.stats().bytes_allocated - before < 10000)
  end)

  it("refuses truncated archives, wherever they end", function()
    local whole = formats.zip({ { name = "x.npy", bytes = npy(a) } }, { zip64 = true })
    for n = 4, #whole - 1 do
      local name = write("cut.npz", whole:sub(1, n))
      fails("io", "cut%.npz'", function() dc.load(name) end)
    end
  end)

  it("leaks nothing when one of its arrays cannot be allocated", function()
    write("whole.npz", "old")
    local files = h.shell("ls -a " .. folder)
    local endless = dc.ones(1):broadcast_to(1 << 45) -- would have to be gathered
    collectgarbage "stop"
    fails("memory", "GiB", function() dc.save(path "whole.npz", { a = a, b = b, c = endless }) end)
    assert.equal(files, h.shell("ls -a " .. folder))
    collectgarbage "restart"
    assert.equal("old", formats.read(path "whole.npz"))
  end)

  it("refuses values and paths that it cannot write", function()
    fails("argument", "table of arrays", function() dc.save(path "x.npz", a) end)
    fails("argument", "the key the number 1", function() dc.save(path "x.npz", { a }) end)
    fails("argument", "'n', got the number 5", function() dc.save(path "x.npz", { n = 5 }) end)
    fails("argument", "the key", function() dc.save(path "x.npz", { [""] = a }) end)
    fails("argument", "too long", function() dc.save(path "x.npz", { [("x"):rep(70000)] = a }) end)
    local brain = dc.from_bytes("\0\0", 1, "bfloat16")
    fails("dtype", "'h' is bfloat16", function() dc.save(path "x.npz", { h = brain }) end)
    fails("argument", "'compress' is a boolean", function() dc.save(path "x.npz", { a = a }, { compress = 9 }) end)
    os.execute("ln -s /dev/null " .. path "null.npz")
    fails("io", "pipe or a device", function() dc.save(path "null.npz", { a = a }) end)
    assert.is_nil(io.open(path "x.npz"))
  end)

  it("names the missing package when there is no zlib; stored archives need none", function()
    os.execute("mkdir " .. path "nolib")
    write("nolib/libz.so.1", "no library")
    dc.save(path "stored.npz", { x = a })
    dc.save(path "packed.npz", { x = a }, { compress = true })
    local text, code = h.shell(([[LD_LIBRARY_PATH=%snolib %s -e '
local dc = require "dotcompute"
local function try(fn, ...)
  local ok, err = pcall(fn, ...)
  print(ok, ok or err.kind, ok or err.message:match "zlib, which cannot be loaded .-zlib1g.-libz" or err.message)
end
try(dc.load, "%sstored.npz")
try(dc.load, "%spacked.npz")
try(dc.save, "%snew.npz", { x = dc.ones(3) }, { compress = true })
try(dc.image.write, "%snew.png", dc.zeros(2, 2, "uint8"))']]):format(folder, lua, folder,
      folder, folder, folder))
    assert.equal(0, code, text)
    assert.matches("^true\ttrue\ttrue\n", text)
    assert.equal(3, select(2, text:gsub("false\tio\tzlib, which cannot be loaded %(Debian: zlib1g%)[^\n]*libz\n", "")),
      text)
    assert.is_nil(io.open(path "new.npz"))
    assert.is_nil(io.open(path "new.png"))
  end)
end)

describe("damaged files", function()
  it("never do more than raise an error", function()
    local x = formats.npy(formats.npy_header("<i4", { 2, 3 }), ("abcd"):rep(6))
    local seeds = { x, formats.zip { { name = "x.npy", bytes = x }, { name = "y.npy", bytes = x,
      packed = formats.deflate(x), method = 8 } }, formats.zip({ { name = "x.npy", bytes = x, zip64 = true } },
      { zip64 = true }), "a,b\n1,2\n3,4e5\n-inf,\"7\"\n" }
    local fine = 0
    for i = 1, 1200 do
      local s = seeds[i % #seeds + 1]
      for _ = 1, math.random(3) do
        local at = math.random(#s)
        local change = math.random(4)
        if change == 1 then s = s:sub(1, at - 1) .. string.char(math.random(0, 255)) .. s:sub(at + 1)
        elseif change == 2 then s = s:sub(1, at - 1) .. s:sub(at + math.random(8))
        elseif change == 3 then s = s:sub(1, at) .. s:sub(math.random(at), at) .. s:sub(at + 1)
        else s = s:sub(1, at - 1) .. ("\xff"):rep(4) .. s:sub(at + 4) end
      end
      local name = write("fuzz", s)
      for _, read in ipairs(i % #seeds + 1 == 4 and { dc.load_csv } or { dc.load, function(p)
        return dc.load(p, { mmap = true })
      end }) do
        local ok, err = pcall(read, name)
        if ok then fine = fine + 1
        else
          local kind = err.kind
          assert(kind == "io" or (kind == "argument" and err.message:find "mapped"), note(tostring(err)))
        end
      end
    end
    assert(fine > 0)
  end)
end)

describe("raw files", function()
  it("are elements in C order, little-endian by default", function()
    for _, dtype in ipairs(dtypes) do
      local shape = h.shape(2)
      local bytes = random_bytes(h.product(shape), dtype)
      local a = dc.from_bytes(bytes, shape, dtype)
      dc.save_raw(path "r.bin", a)
      assert.equal(bytes, formats.read(path "r.bin"))
      assert.equal(bytes, dc.load_raw(path "r.bin", dtype, shape):bytes())
      local flat = dc.load_raw(path "r.bin", dtype)
      assert.same({ a.size }, { flat:shape() })
      assert.equal(bytes, flat:bytes())
      assert.same(shape, { dc.load_raw(path "r.bin", dtype, { -1, shape[2] }):shape() })
      assert.equal(bytes, dc.load_raw(path "r.bin", dtype, shape, { mmap = true }):bytes())
      write("r.bin", swapped(bytes, dtype))
      assert.equal(bytes, dc.load_raw(path "r.bin", dtype, { endian = "big" }):bytes())
      dc.save_raw(path "r.bin", a.T)
      assert.equal(a.T:bytes(), formats.read(path "r.bin"))
    end
    assert.same({ 0 }, { dc.load_raw(write("r.bin", ""), "float64"):shape() })
    assert.equal(258, dc.load_raw(write("r.bin", "\2\1"), "int16", {}):item())
  end)

  it("are read in part, from an offset", function()
    local name = write("r.bin", "head" .. string.pack("<i4i4i4", 1, 2, 3) .. "tail!")
    for _, options in ipairs { { offset = 4 }, { offset = 4, mmap = true } } do
      assert.same({ { 1 }, { 2 } }, dc.load_raw(name, "int32", { 2, 1 }, options):to_table())
      assert.same({ 1, 2, 3, 1818845556 }, dc.load_raw(name, "int32", options):to_table())
    end
    assert.equal(1818845556, dc.load_raw(name, "int32", 1, { offset = 16, mmap = true })[1])
    assert.same({ 5 }, { dc.load_raw(name, "int8", 5, { offset = 5 }):shape() })
  end)

  it("refuse sizes and offsets that do not fit", function()
    local name = write("r.bin", ("x"):rep(21))
    fails("shape", "r%.bin': 21 bytes are no whole number of 4", function() dc.load_raw(name, "float") end)
    fails("shape", "needs 16 bytes, 21 are there.*offset", function() dc.load_raw(name, "float", 4) end)
    fails("shape", "needs 24 bytes, 21 are there", function() dc.load_raw(name, "float", { 2, 3 }) end)
    fails("shape", "21 bytes are no whole number of 12", function() dc.load_raw(name, "float", { -1, 3 }) end)
    fails("shape", "one extent", function() dc.load_raw(name, "int8", { -1, -1 }) end)
    fails("shape", "not determined", function() dc.load_raw(name, "int8", { -1, 0 }) end)
    fails("shape", "more elements", function() dc.load_raw(name, "int8", { 1 << 62, 1 << 62 }) end)
    fails("shape", "not negative", function() dc.load_raw(name, "int8", { -2 }) end)
    fails("io", "offset 22 is behind", function() dc.load_raw(name, "int8", nil, { offset = 22 }) end)
    fails("argument", "'offset' is negative", function() dc.load_raw(name, "int8", { offset = -1 }) end)
    fails("argument", "'offset' is an integer", function() dc.load_raw(name, "int8", { offset = 1.5 }) end)
    fails("argument", "little.*got 'middle'", function() dc.load_raw(name, "int8", { endian = "middle" }) end)
    fails("argument", "no option 'skip'", function() dc.load_raw(name, "int8", { skip = 1 }) end)
    fails("argument", "name of a dtype", function() dc.load_raw(name) end)
    fails("dtype", "no dtype 'flaot'", function() dc.load_raw(name, "flaot") end)
    fails("argument", "a shape expected", function() dc.load_raw(name, "int8", "3") end)
    fails("io", "bool array is 120", function() dc.load_raw(name, "bool") end)
    fails("io", "No such file", function() dc.load_raw(path "nothing.bin", "int8") end)
    fails("argument", "an array expected", function() dc.save_raw(path "x.bin", "bytes") end)
  end)
end)

describe("CSV", function()
  local function parse(text, options) return dc.load_csv(write("t.csv", text), options) end

  for _, dtype in ipairs(dtypes) do
    it("writes and reads every " .. dtype .. " exactly", function()
      for ndim = 0, 2 do
        local shape = h.shape(ndim, 30)
        local bytes = without_nans(random_bytes(h.product(shape), dtype), dtype)
        local a = dc.from_bytes(bytes, shape, dtype)
        dc.save_csv(path "t.csv", a)
        local back = dc.load_csv(path "t.csv", { dtype = dtype })
        assert.same({ shape[1] or 1, shape[2] or 1 }, { back:shape() })
        assert.equal(bytes, back:bytes(), note())
      end
    end)
  end

  it("rounds numbers as Lua does", function()
    local lines, want, single = {}, {}, {}
    local function add(text)
      lines[#lines + 1] = text
      want[#want + 1] = tonumber(text) + 0.0
      single[#single + 1] = h.f32(tonumber(text))
    end
    for _ = 1, 2000 do
      local digits = {}
      for i = 1, math.random(25) do digits[i] = math.random(0, 9) end
      local text = table.concat(digits)
      local point = math.random(0, #text)
      if math.random(2) == 1 then text = text:sub(1, point) .. "." .. text:sub(point + 1) end
      if math.random(2) == 1 then text = text .. "e" .. math.random(-20, 12) end
      add((math.random(2) == 1 and "-" or "") .. text)
    end
    for _, text in ipairs { "1e-310", "4.9e-324", "1.7976931348623157e308", "1e-999", "0", "-0", ".5", "5.", "1E5",
      "9007199254740993", "0.1", "123456789012345678901234567890" } do
      lines[#lines + 1] = text
      want[#want + 1] = tonumber(text) + 0.0
    end
    local got = parse(table.concat(lines, "\n"), { dtype = "float64" }):to_table()
    for i, v in ipairs(want) do assert.equal(v, got[i][1], note(lines[i])) end
    for i = #lines, 1, -1 do
      if not single[i] or math.abs(single[i]) == math.huge then
        table.remove(lines, i)
        single[i] = nil
      end
    end
    got = parse(table.concat(lines, "\n")):to_table()
    for i, v in ipairs(single) do assert.equal(v, got[i][1], note(lines[i])) end
    -- halfway between two float32, and a little more: rounding to float64 first would lose it
    assert.equal(16777218.0, parse "16777217.00000000001"[1][1])
    assert.equal(16777216.0, parse "16777217"[1][1])
  end)

  it("reads common forms of tables", function()
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } },
      parse("\xef\xbb\xbf1,2,3\r\n\r\n# a remark\n 4 ,\t5, 6 # another\n\n"):to_table())
    assert.same({ { 1, -2 }, { 3, 4 } }, parse("  1   -2 \n3\t4", { delimiter = " " }):to_table())
    assert.same({ { 1, 2 } }, parse("1\t 2\n", { delimiter = "\t" }):to_table())
    assert.same({ { 1, 2 } }, parse('"1";"2"\r', { delimiter = ";" }):to_table())
    assert.same({ { 1, 2 } }, parse("title\nmore\n1,2", { skip = 2 }):to_table())
    local a, names = parse('x, "y ""z"", w" ,\n1,2,3\n', { header = true, dtype = "int8" })
    assert.same({ { 1, 2, 3 } }, a:to_table())
    assert.same({ "x", 'y "z", w', "" }, names)
    a, names = parse("# a b\n1 2\n", { header = true, delimiter = " " })
    assert.same({ "a", "b" }, names)
    assert.same({ { 1, 2 } }, a:to_table())
    a, names = parse("a,b\n", { header = true })
    assert.same({ 0, 2 }, { a:shape() })
    assert.same({ "a", "b" }, names)
    assert.same({ 0, 0 }, { parse "":shape() })
    a = parse("1,,3\n,5,", { missing = -1 })
    assert.same({ { 1, -1, 3 }, { -1, 5, -1 } }, a:to_table())
    a = parse("nan,inf\n-INF,Infinity\n", { missing = 0 / 0 }):to_table()
    assert.is_true(a[1][1] ~= a[1][1])
    assert.same({ { 1 / 0 }, { -1 / 0, 1 / 0 } }, { { a[1][2] }, a[2] })
    assert.same({ { true, false }, { false, true } }, parse("true,0\nFALSE,1", { dtype = "bool" }):to_table())
    assert.same({ { 3, 1000 } }, parse("3.0,1e3", { dtype = "int16" }):to_table())
    assert.same({ { 1 } }, parse("1#x", {}):to_table())
    fails("io", "'1#x' is no number", function() parse("1#x", { comment = "" }) end)
  end)

  it("names line, column and field of an invalid value", function()
    for text, pattern in pairs {
      ["1,2\n3,x4\n"] = "line 2, column 3 %(field 2%): 'x4' is no number$",
      ["a,b\n1,2"] = "line 1, column 1 %(field 1%): 'a' is no number; option 'header'",
      ["1,2\n\n3,4,5\n"] = "line 3 has 3 fields, the first row has 2",
      ["1,2\n3"] = "line 2 has 1 field, the first row has 2",
      ["1,\n"] = "line 1, column 3 %(field 2%): the field is empty; option 'missing'",
      ["1,1e39\n"] = "'1e39' is out of range for float32", ["1 2,3"] = "'1 2' is no number",
      ["0x10\n"] = "'0x10' is no number", ["1e\n"] = "'1e' is no number", ["--1\n"] = "no number",
      ["1.2.3\n"] = "no number", ['"1\n'] = "no number", ["\0001\n"] = "'%?1' is no number",
      [("9"):rep(30) .. "z" .. ("y"):rep(60)] = "%.%.%.' is no number",
    } do
      fails("io", "t%.csv': .*" .. pattern, function() parse(text) end)
    end
    fails("io", "'300' is out of range for uint8", function() parse("300", { dtype = "uint8" }) end)
    fails("io", "'%-1' is out of range for uint64", function() parse("-1", { dtype = "uint64" }) end)
    fails("io", "'18446744073709551616' is out of range", function()
      parse("18446744073709551616", { dtype = "uint64" })
    end)
    fails("io", "'1%.5' is no integer, which int32 needs", function() parse("1.5", { dtype = "int32" }) end)
    fails("io", "'nan' is no integer", function() parse("nan", { dtype = "int32" }) end)
    fails("io", "'2' is out of range for bool", function() parse("2", { dtype = "bool" }) end)
    fails("io", "line 2 has 3 fields, the header names 2", function() parse("a,b\n1,2,3", { header = true }) end)
    fails("io", "quotes end", function() parse('"a"b,c\n', { header = true }) end)
    fails("dtype", "option 'missing': .*out of range", function() parse("1", { dtype = "int8", missing = 300 }) end)
    fails("argument", "'delimiter' is one character", function() parse("1", { delimiter = "::" }) end)
    fails("argument", "'delimiter' is one character", function() parse("1", { delimiter = "e" }) end)
    fails("argument", "'comment' is one character", function() parse("1", { comment = "," }) end)
    fails("argument", "'skip' is negative", function() parse("1", { skip = -1 }) end)
    fails("argument", "no option 'sep'", function() parse("1", { sep = ";" }) end)
    fails("dtype", "no dtype", function() parse("1", { dtype = "number" }) end)
    fails("io", "No such file", function() dc.load_csv(path "nothing.csv") end)
  end)

  it("is written with names, delimiters and the fewest digits that suffice", function()
    local a = dc.array({ { 1, 0.1 }, { -2.5, 1e-7 } }, "float64")
    dc.save_csv(path "t.csv", a, { header = { "x", 'y "z"' }, delimiter = ";" })
    assert.equal('x;"y ""z"""\n1;0.1\n-2.5;1e-07\n', formats.read(path "t.csv"))
    dc.save_csv(path "t.csv", a:to "float32", { delimiter = "\t" })
    assert.equal("1\t0.1\n-2.5\t1e-07\n", formats.read(path "t.csv"))
    dc.save_csv(path "t.csv", dc.array { 1 / 0, -1 / 0, -0.0 })
    assert.equal("inf\n-inf\n-0\n", formats.read(path "t.csv"))
    dc.save_csv(path "t.csv", a.T * 2)
    assert.equal("2,-5\n0.2,2e-07\n", formats.read(path "t.csv"))
    dc.save_csv(path "t.csv", dc.zeros(0, 3))
    assert.equal("", formats.read(path "t.csv"))
    fails("shape", "at most 2 axes, the array has 3", function() dc.save_csv(path "t.csv", dc.zeros(1, 1, 1)) end)
    for pattern, header in pairs { ["1 names, the array has 2 columns"] = { "x" }, ["name 2"] = { "x", "y\n" },
      ["'header' is a table"] = true } do
      fails("argument", pattern, function() dc.save_csv(path "t.csv", a, { header = header }) end)
    end
  end)

  it("has decimal points in every locale", function()
    -- its status says nothing: there are warnings; where it has no definitions it leaves an empty folder
    local made = h.shell(("cd %s; localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >/dev/null 2>&1; ls de_DE.UTF-8/LC_NUMERIC")
      :format(folder))
    if not made:find "^de_DE" then return pending "no localedef, or no definitions of locales, here" end
    local text, code = h.shell(([[LOCPATH=%s %s -e '
assert(os.setlocale("de_DE.UTF-8", "numeric") and ("%%.1f"):format(1.5) == "1,5")
local dc, name = require "dotcompute", "%sl.csv"
dc.save_csv(name, dc.array({ 5 / 2, 1 / 10 }, "float64"))
print(io.open(name):read "a")
print(dc.load_csv(name)[1][1] * 2 == 5)
io.open(name, "w"):write("0.1000000000000000000000000\n"):close()
print(dc.load_csv(name, { dtype = "float64" })[1][1] * 10 == 1)']]):format(folder, lua, folder))
    assert.equal(0, code, text)
    assert.equal("2.5\n0.1\n\ntrue\ntrue\n", text)
  end)

  it("is read and written in chunks", function()
    local n = 200000
    local a = dc.arange(1, n, "int32"):reshape(n // 4, 4)
    dc.save_csv(path "t.csv", a)
    assert.is_true(dc.equal(a, dc.load_csv(path "t.csv", { dtype = "int32" })))
  end)
end)
