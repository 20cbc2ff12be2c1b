-- Lua drops arguments that a function does not have, so that x:copy("float64"), dc.full(2, 3, "int8", 4) and a graph
-- that was given arrays ran as if nothing were wrong.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

-- Calls f(...) with each of a few values behind the arguments, and with nil, which is no argument.
local function takes_no_more(name, f, ...)
  local args = table.pack(...)
  for _, extra in ipairs { 7, "junk", true, { qwerty = 1 }, dc.zeros(2) } do
    args[args.n + 1] = extra
    local ok, err = pcall(f, table.unpack(args, 1, args.n + 1))
    assert.is_false(ok, ("%s takes %s, too"):format(name, tostring(extra)))
    assert.equal("argument", err.kind, name)
  end
  assert.is_true(pcall(f, table.unpack({ ... }, 1, args.n)), name)
  assert.is_true(pcall(f, table.unpack({ ... }, 1, args.n + 1)), name .. " and nil")
end

describe("an argument too many", function()
  local a, v = dc.arange(1, 6):reshape(2, 3):eval(), dc.array { 3, 1, 2 }
  local m = dc.array { { 4, 1 }, { 1, 3 } }

  it("is an error of functions of dc", function()
    for name, args in pairs {
      devices = {}, device = { "cpu" }, use = { dc.device() }, available = { "cpu" }, clock = {}, stats = { "reset" },
      array = { { 1 }, "int8" }, full = { 2, 1, "int8" }, zeros_like = { a, "int8" }, full_like = { a, 1, "int8" },
      arange = { 1, 5, 1, "int8" }, linspace = { 0, 1, 3, "float64" }, eye = { 2, "int8" }, complex = { 1, 2 },
      from_bytes = { "ab", 2, "int8" }, cast = { a, "int8" }, equal = { a, a }, allclose = { a, a, 1e-3, 1e-3 },
      matmul = { m, m }, dot = { m, m }, outer = { v, v }, precision = { "float32" }, stream = { "cpu" }, rank = {},
      event = { "cpu" }, comm = { { "cpu" } }, graph = { function() end }, share = { v }, memory = { "report", "cpu" },
      reduction = { { inputs = "T x", output = "T", reduce = "a + b" } }, scan = { { input = "T x", op = "a + b" } },
    } do takes_no_more(name, dc[name], table.unpack(args)) end
  end)

  it("is an error of the tables of functions", function()
    for name, args in pairs {
      ["linalg.solve"] = { m, m }, ["linalg.inv"] = { m }, ["linalg.det"] = { m }, ["linalg.cholesky"] = { m },
      ["linalg.matmul"] = { m, m }, ["random.seed"] = { 1 }, ["random.jump"] = { 1 }, ["random.generator"] = { 1 },
      ["tiles.grid"] = { { 300 }, { 64 } }, ["image.colormaps"] = {}, ["profile.report"] = { {} },
    } do
      if name ~= "profile.report" then
        local library, f = name:match "(%w+)%.([%w_]+)"
        takes_no_more(name, dc[library][f], table.unpack(args))
      end
    end
    fails("argument", "'read' takes at most 1 argument, got 2", function() dc.image.read("no such file", 1) end)
    fails("argument", "'stop' takes no arguments, got 1", function() dc.profile.stop(1) end)
  end)

  it("is an error of methods, whose object is not counted", function()
    local k = dc.kernel "__global__ void k(float *x) { x[0] = 1; }"
    local module = dc.module "__device__ int g; __global__ void k() { g = 1; }"
    local s, e, texture = dc.stream(), dc.event():record(), dc.texture(dc.zeros(4, 4))
    local struct = dc.struct("Pair", { { "x", "float32" }, { "y", "int32" } })
    local dist, jit = dc.dist.array(dc.zeros(4, 4)), dc.jit(function(x) x[1] = 1 end)
    for _, list in ipairs {
      { a, to_table = {}, bytes = {}, copy = {}, eval = {}, peer = {}, source = {}, shape = {}, fill = { 1 },
        row = { 1 }, col = { 1 }, cast = { "int8" }, matmul = { a.T:eval() } },
      { dc.zeros(1), item = {} }, { dc.complex(1, 2), abs = {}, angle = {}, conj = {} },
      { dc.device(), memory_info = {}, synchronize = {} },
      { s, synchronize = {}, query = {}, wait = { e } },
      { e, record = { s }, wait = { s }, synchronize = {}, query = {}, elapsed = { e } },
      { k, source = {}, with = { {} }, occupancy = { 32, 0 }, explain = { 32, 0 } },
      { module, kernels = {}, global = { "g" }, left_out = {}, log = {}, source = {}, ptx = { "sm_90" } },
      { texture, array = { 1 }, shape = {} }, { dc.random.generator(1), seed = { 1 }, jump = { 1 } },
      { struct, offset = { "x" }, pack = { { x = 1, y = 2 } }, source = {} },
      { struct:array(2), field = { "x" }, shape = {}, to_table = {}, copy = {} },
      { dist, t = {}, shape = {}, eval = {}, copy = {}, fill = { 1 }, to = { "float64" }, redistribute = { 2 } },
      { jit, with = { {} } }, { dc.comm { "cpu" }, barrier = {} },
    } do
      for name, args in pairs(list) do
        if name ~= 1 then takes_no_more(name, list[1][name], list[1], table.unpack(args)) end
      end
    end
    fails("argument", "'copy' takes no arguments, got 1", function() a:copy "float64" end)
    fails("argument", "'fill' takes at most 1 argument, got 3", function() a:fill(1, 2, 3) end)
    fails("argument", "'seed' takes at most 1 argument, got 2", function() dc.random.generator():seed(1, 2) end)
    fails("argument", "'array' takes at most 1 argument, got 2", function() texture:array(1, 2) end)
    fails("argument", "'shape' takes no arguments, got 1: select%(i, a:shape%(%)%)", function() a:shape(1) end)
  end)

  it("is one of a graph's call, which has captured its arrays", function()
    local x = dc.zeros(3)
    local g = dc.graph(function() x:fill(1) end)
    fails("argument", "a graph takes no arguments, got 1", function() g(dc.zeros(3)) end)
  end)

  it("leaves functions of any number of arguments alone", function()
    assert.equal(3, dc.using("cpu", function(...) return select("#", ...) end, 1, 2, 3))
    assert.equal(3, #dc.transform(function(p, q) return p + q end, v, v))
  end)

  it("is said to be the table before a colon where a function of it was called so", function()
    for text, call in pairs {
      ["dc.zeros"] = function() dc:zeros(3) end, ["dc.linalg.inv"] = function() dc.linalg:inv(m) end,
      ["dc.fft.fft"] = function() dc.fft:fft(v) end, ["dc.random.uniform"] = function() dc.random:uniform(3) end,
      ["dc.clock"] = function() dc:clock() end, ["dc.sort"] = function() dc:sort(v) end,
      ["dc.exp"] = function() dc:exp(v) end, ["dc.image.read"] = function() dc.image:read "x.png" end,
    } do
      local _, err = pcall(call)
      local wanted = ("(functions of %s are called with a dot: %s)"):format(text:match "^(.*)%.", text)
      assert.truthy(err.message:find(wanted, 1, true), err.message)
    end
    local _, err = pcall(function() a:reshape(5) end)
    assert.is_nil(err.message:find "dot")
  end)
end)

describe("a number given as a string", function()
  it("is none for dc.time and for the points of a transform", function()
    fails("argument", "the number of repetitions is an integer from 1 on, got the string '3'", function()
      dc.time(function() end, "3")
    end)
    fails("argument", "the number of points is an integer, got the string '4'", function()
      dc.fft.fft({ 1, 2, 3 }, { n = "4" })
    end)
  end)
end)
