-- Error objects: fields and text; an error leaves everything usable and leaks nothing.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

describe("an error", function()
  it("has kind, message, where and a traceback, and prints as one sentence with the script's line", function()
    local here = h.line(1)
    local err = fails("shape", "broadcast", function() return dc.ones(2) + dc.ones(3) end)
    assert.equal("spec/array/errors_spec.lua:" .. here, err.where:match "spec/.*")
    assert.equal(err.where .. ": " .. err.message, tostring(err))
    assert.is_nil(err.log)
    assert.is_nil(tostring(err):find "\n")
    assert.equal("dotcompute.error", getmetatable(err).__name)
    assert.equal("caught: " .. tostring(err), "caught: " .. err)
  end)

  it("names the script's line, not a line of dotcompute's own Lua files", function()
    local here = h.line(1)
    local err = fails("device", "nowhere", function() dc.using("nowhere", print) end)
    assert.matches("array/errors_spec%.lua:" .. here .. "$", err.where)
  end)

  it("can be raised in a coroutine, also one without a Lua function", function()
    local ok, err = coroutine.resume(coroutine.create(function() dc.zeros(-1) end))
    assert.is_false(ok)
    assert.equal("shape", err.kind)
    ok, err = coroutine.resume(coroutine.create(dc.zeros), -1)
    assert.is_false(ok)
    assert.equal("shape", err.kind)
    assert.is_nil(err.where)
    assert.equal(err.message, tostring(err))
  end)

  it("is raised for names that do not exist", function()
    fails("index", "'zeroes'", function() dc.zeroes(3) end)
    fails("index", "'summ'", function() dc.ones(3):summ() end)
    fails("index", "'nmae'", function() return dc.device().nmae end)
    local k = dc.kernel "__global__ void k() {}"
    fails("index", "'grid'", function() return k.grid end)
  end)

  it("is raised for a self of another type", function()
    local a = dc.ones(2)
    fails("argument", "array expected, got the number 3", function() a.fill(3, 1) end)
    fails("argument", "array expected, got a dotcompute.device", function() a.sum(dc.device()) end)
    fails("argument", "array expected, got a FILE", function() a.sum(io.stdout) end)
    fails("argument", "device expected", function() dc.device().synchronize(a) end)
    fails("argument", "takes no arguments: it waits for the current device", function() dc.synchronize "cpu" end)
    local meta = debug.getmetatable(a)
    for _, name in ipairs { "__index", "__len", "__add", "__newindex" } do
      assert.is_false((pcall(meta[name], io.stdout, 1, 2)))
      assert.is_false((pcall(meta[name])))
    end
    assert.is_true((pcall(meta.__tostring, io.stdout)))
  end)

  it("leaks no device memory", function()
    local before = h.bytes_live()
    for _ = 1, 20 do
      pcall(dc.array, { { 1, 2 }, { 3 } })
      pcall(dc.array, { 1, "x" })
      pcall(function() return dc.ones(2) + dc.ones(3) end)
      pcall(dc.full, 3, 300, "uint8")
      pcall(dc.from_bytes, "12345", 1, "float32")
      pcall(function() dc.ones(3)[7] = 1 end)
      pcall(dc.zeros, 1 << 45)
    end
    assert.equal(before, h.bytes_live())
  end)
end)

describe("the module", function()
  it("sets no globals", function()
    local names = {}
    for name in pairs(_G) do names[name] = true end
    package.loaded.dotcompute, package.loaded["dotcompute.core"] = nil, nil
    local again = require "dotcompute"
    for name in pairs(_G) do assert.is_true(names[name], name) end
    assert.equal(2, again.array({ 2 })[1])
    assert.is_true(again.equal(dc.ones(2), again.ones(2))) -- arrays of both are of one type
    assert.equal(dc.device(), again.device())
  end)

  it("can be opened many times", function()
    for _ = 1, 50 do
      package.loaded.dotcompute, package.loaded["dotcompute.core"] = nil, nil
      assert.equal(3, require "dotcompute".ones(3):sum():item())
    end
  end)
end)

describe("tables in place of arrays", function()
  it("are named in errors by the function and the argument", function()
    local a, bad = dc.arange(1, 4), { 1, 2.5 + math.random(0, 9) }
    local ragged = { { 1, 2 }, { 3 } }
    fails("dtype", "take: the indices: t%[2%]: .*no integer", function() a:take(bad) end)
    fails("dtype", "take: the indices: 2.5 has no integer", function() a:take(2.5) end)
    fails("dtype", "scatter_add: the indices: t%[2%]", function() a:scatter_add(bad, 1) end)
    fails("dtype", "bincount: the first argument: t%[2%]", function() dc.bincount(bad) end)
    fails("shape", "sort: the first argument: ragged", function() dc.sort(ragged) end)
    fails("shape", "concat: element 2 of the table: ragged", function() dc.concat { a, ragged } end)
    fails("shape", "inv: the first argument: ragged", function() dc.linalg.inv(ragged) end)
    fails("shape", "fft: the first argument: ragged", function() dc.fft.fft(ragged) end)
  end)
end)
