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

  it("names the place of an array in a table, also of a closed one", function()
    local closed = dc.ones(2)
    closed:close()
    for _, a in ipairs { dc.ones(2), closed } do
      fails("argument", "t%[2%] is an array, a number or a boolean is expected", function() dc.array { 1, a } end)
      fails("argument", "t%[1%]%[1%] is an array", function() dc.array { { a } } end)
    end
  end)

  it("shows the beginning of a long text in place of a dtype", function()
    local err = fails("dtype", "there is no dtype 'no+…'", function() dc.zeros(2, "n" .. ("o"):rep(100000)) end)
    assert.is_true(#err.message < 400)
  end)

  it("is raised for booleans as indices", function()
    local a = dc.arange(1, 6):reshape(2, 3)
    for _, index in ipairs { true, { true, 2 }, { { 1 }, { true } }, { true, true } } do
      fails("dtype", "take: indices are integers, got a boolean", function() a:take(index) end)
      fails("dtype", "take: indices are integers, got a boolean", function() a:take(index, 2) end)
      fails("dtype", "scatter_add: indices are integers, got a boolean", function() a:scatter_add(index, 1) end)
    end
    fails("dtype", "take: indices are integers, got a boolean", function() a:take(false) end)
    fails("dtype", "sort: offsets are integers, got a boolean", function()
      dc.sort({ 5, 2, 8 }, { offsets = { true, 4 } })
    end)
    local endless = {}
    endless[1] = endless
    fails("shape", "deeper than 32 levels", function() a:take(endless) end)
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

describe("errors about values", function()
  it("name the value that a cast to a complex dtype does not take", function()
    local values = { ["false"] = false, ["true"] = true, ["the string 'x'"] = "x", ["a table"] = {},
      ["a function"] = print, ["a float32 array"] = dc.ones(2) }
    for shown, v in pairs(values) do
      for _, name in ipairs { "complex64", "complex128" } do
        fails("argument", "dc." .. name .. " takes .* got " .. shown .. "$", function() dc[name](math.random(9), v) end)
        if type(v) ~= "table" and type(v) ~= "userdata" then
          local message = "to 'complex': a number or an array expected, got " .. shown .. "$"
          fails("argument", message, function() dc.complex(1, v) end)
        end
      end
    end
    fails("argument", "got the string 'x'$", function() dc.complex64("x", math.random(9)) end)
    fails("argument", "got nil$", function() dc.complex64() end)
  end)

  it("name the builder whose parameters are no text", function()
    fails("argument", "'elementwise': the inputs: a string of parameters expected .* got false$", function()
      dc.elementwise(false, "T z", "z = 1")
    end)
    fails("argument", "'elementwise': the outputs: a string of parameters expected .* got the number 7$", function()
      dc.elementwise("T x", 7, function(x) return x end)
    end)
  end)
end)

describe("names in a list of axes or points", function()
  it("are errors, which name them; they were lost", function()
    local a = dc.ones(2, 3)
    for _, name in ipairs { "sum", "mean", "var", "all" } do
      fails("argument", "axes are a list, {1, 2}; this one has the string 'foo' as a key", function()
        a[name](a, { axes = { foo = math.random(9) } })
      end)
      fails("argument", "this one has the string 'foo' as a key", function() a[name](a, { axis = { 1, foo = 2 } }) end)
      fails("argument", "this one has the number 7 as a key", function() a[name](a, { axes = { 1, [7] = 2 } }) end)
    end
    for _, f in ipairs { dc.argmax, dc.argmin } do
      fails("argument", "this one has the string 'foo' as a key", function() f(a, { axis = { foo = 1 } }) end)
    end
    fails("argument", "this one has the string 'foo' as a key", function() a:transpose { axes = { 2, 1, foo = 3 } } end)
    fails("argument", "flip: option 'axes' is a list, .* this one has the string 'foo' as a key", function()
      dc.flip(a, { axes = { foo = 1 } })
    end)
    fails("argument", "fftn: option 'axes' is a list, .* this one has the string 'foo' as a key", function()
      dc.fft.fftn(a, { axes = { 1, foo = 1 } })
    end)
    fails("argument", "fft2: option 'n' is a list, .* this one has the string 'foo' as a key", function()
      dc.fft.fft2(a, { n = { 2, 3, foo = 1 } })
    end)
    assert.same({ 2 }, { a:sum({ axes = { 2 } }):shape() })
  end)
end)

describe("rows without elements", function()
  it("make arrays without elements, unless they have names", function()
    local n = math.random(1, 5)
    local rows, deep = {}, {}
    for i = 1, n do rows[i], deep[i] = {}, { {} } end
    assert.same({ n, 0 }, { dc.array(rows):shape() })
    assert.same({ n, 1, 0 }, { dc.array(deep):shape() })
    rows[n] = { x = 1 }
    fails("argument", ("t%%[%d%%] has the string 'x' as a key"):format(n), function() dc.array(rows) end)
    deep[n] = { { x = 1 } }
    fails("argument", ("t%%[%d%%]%%[1%%] has the string 'x' as a key"):format(n), function() dc.abs(deep) end)
    deep[n] = { {}, {} }
    if n > 1 then fails("shape", "ragged table: row t", function() dc.array(deep) end) end
  end)

  it("are not what arrays of structs count as in place of numbers", function()
    local s = dc.vector "float2":array(math.random(1, 5))
    for _, f in ipairs { dc.array, dc.abs, dc.sum, dc.mean, function(v) return dc.ones(3) + v end,
      function(v) return dc.ones(2, 2):matmul(v) end } do
      fails("dtype", "numbers expected, got an array of structs", function() f(s) end)
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
