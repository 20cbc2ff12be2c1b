-- Files that are mapped into memory: .npy, and members of .npz.
local dc = require "dotcompute"
local h = require "spec.helper"
local formats = require "spec.formats"
local fails = h.fails

local folder, remove = formats.folder()
teardown(remove)

local function path(name) return folder .. name end

describe("memory-mapped files", function()
  it("are not changed by writes to the array, and outlive their name", function()
    local values = h.values(1000, "float64")
    local a = dc.array(values, "float64")
    dc.save(path "m.npy", a)
    local m = dc.load(path "m.npy", { mmap = true })
    local view = m[{ { 1, 10 } }]
    m[3] = 77
    m[":"] = m + 1
    assert.equal(78, view[3])
    assert.is_true(dc.equal(a, dc.load(path "m.npy")))
    os.remove(path "m.npy")
    assert.equal(values[1000] + 1, m[1000])
    m:close()
    fails("argument", "closed", function() return view[1] end)
  end)

  it("take no memory on the CPU device, and give the sums of a copy", function()
    if dc.device().backend ~= "cpu" then return pending "the CPU device's" end
    local a = dc.arange(1, 300000, "int32")
    dc.save(path "m.npy", a)
    local before = dc.stats().bytes_allocated
    local m <close> = dc.load(path "m.npy", { mmap = true })
    assert.equal(before, dc.stats().bytes_allocated)
    assert.equal(0, m.ptr % 64)
    assert.equal(a:sum():item(), m:sum():item())
  end)

  it("raise an error when the file is truncated after mapping", function()
    if dc.device().backend ~= "cpu" then return pending "the CPU device's" end
    local text, code = h.on_cpu("THREADS=1", [[
      local dc = require "dotcompute"
      local name = ...
      dc.save(name, dc.ones(1000000))
      local m = dc.load(name, { mmap = true })
      io.open(name, "w"):close()
      local ok, err = pcall(m.bytes, m)
      print(ok, err.kind)
      ok, err = pcall(dc.save, name .. ".npy", m)
      print(ok, err.kind)]], path "cut.npy")
    assert.equal(0, code, text)
    assert.equal("false\tlaunch\nfalse\tlaunch\n", text)
  end)

  -- Members that are stored and lie where their dtype may lie; of others there are copies, of the same values.
  it("may be members of archives", function()
    for _ = 1, 6 do
      local arrays = { x = dc.array(h.values(math.random(1, 3000), "float64"), "float64"),
        ["of many words"] = dc.array(h.values(math.random(1, 50), "complex64"), "float32"):reshape(-1, 1),
        flags = dc.gt(dc.array(h.values(20, "float32")), 0), one = dc.array(5, "int64"), none = dc.zeros(0, 3) }
      arrays.turned = dc.arange(1, 12, "int16"):reshape(3, 4).T
      dc.save(path "m.npz", arrays)
      local all = dc.load(path "m.npz", { mmap = true })
      for name, a in pairs(arrays) do
        assert.is_true(dc.equal(a, all[name]), name)
        assert.is_true(dc.equal(a, dc.load(path "m.npz", { mmap = true, name = name })), name)
      end
      all.x[1] = 77
      assert.equal(77, all.x[1])
      assert.is_true(dc.equal(arrays.x, dc.load(path "m.npz", { name = "x" }))) -- only memory has changed
      os.remove(path "m.npz")
      assert.equal(arrays.x[arrays.x.size], all.x.size > 1 and all.x[all.x.size] or arrays.x[1])
      if dc.device().backend == "cpu" then
        for _, name in ipairs { "x", "of many words", "one", "turned" } do
          assert.equal(0, all[name].ptr % 64, name) -- ours lie well
        end
      end
    end
  end)

  it("are mapped in archives at any offset; compressed ones are read", function()
    local before = dc.stats().bytes_allocated
    local a = dc.array(h.values(1000, "float64"), "float64")
    local bytes = formats.npy(formats.npy_header("<f8", { 1000 }), a:bytes())
    for odd = 0, 8 do
      local name = ("n"):rep(odd + 1)
      formats.write(path "p.npz", formats.zip {
        { name = name .. ".npy", bytes = bytes },
        { name = "packed.npy", bytes = bytes, packed = formats.deflate_stored(bytes, 50), method = 8 },
        { name = "big.npy", bytes = formats.npy(formats.npy_header(">f8", { 2 }), string.pack(">dd", 1.5, -2)) },
      })
      local all = dc.load(path "p.npz", { mmap = true })
      assert.is_true(dc.equal(a, all[name]))
      assert.is_true(dc.equal(a, all.packed))
      assert.same({ 1.5, -2.0 }, all.big:to_table())
    end
    collectgarbage()
    if dc.device().backend == "cpu" then -- one of eight, say, was not copied
      assert.is_true(dc.stats().bytes_allocated - before < 9 * 2 * 8000 + 4000)
    end
  end)

  it("never extend beyond their member", function()
    local header = formats.npy_header("<f8", { 1000 })
    for _, bytes in ipairs { formats.npy(header, ("x"):rep(7999)), formats.npy(header, ""),
      formats.npy(formats.npy_header("<f8", { 1 << 60 }), ("x"):rep(64)) } do
      formats.write(path "s.npz", formats.zip { { name = "x.npy", bytes = bytes },
        { name = "y.npy", bytes = formats.npy(header, ("y"):rep(8000)) } })
      fails("io", "'x%.npy' in '.*s%.npz'", function() dc.load(path "s.npz", { mmap = true }) end)
      fails("io", "'x%.npy' in '.*s%.npz'", function() dc.load(path "s.npz", { mmap = true, name = "x" }) end)
      assert.equal(("y"):rep(8000), dc.load(path "s.npz", { mmap = true, name = "y" }):bytes())
    end
    local whole = formats.zip { { name = "x.npy", bytes = formats.npy(header, ("x"):rep(8000)) } }
    for _ = 1, 200 do -- any byte may be wrong
      local at, other = math.random(#whole), string.char(math.random(0, 255))
      formats.write(path "s.npz", whole:sub(1, at - 1) .. other .. whole:sub(at + 1))
      local fine, result = pcall(dc.load, path "s.npz", { mmap = true })
      if fine then
        for _, a in pairs(result) do assert.equal(a.nbytes, #a:bytes()) end
      else assert.truthy(result.kind == "io" or result.kind == "argument", tostring(result)) end
    end
  end)
end)
