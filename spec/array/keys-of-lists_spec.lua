-- What stood behind a hole of a list was dropped, and so were fields of lists that have none: dc.stack {a, [3] = b}
-- stacked one array, and dc.gather {a, b, axis = 2} joined along the first axis.
local dc = require "dotcompute"
local helper = require "spec.helper"
local fails = helper.fails

describe("a list with holes", function()
  local a, b = dc.arange(1, 6):reshape(2, 3):eval(), dc.ones(2, 3):eval()

  it("is an error among arrays and devices", function()
    for name, list in pairs { stack = { a, [3] = b }, concat = { a, [4] = b }, gather = { a, [3] = b },
      comm = { "cpu", [3] = "cpu" } } do
      fails("argument", "a list, .* has the number %d as a key", function() return (dc[name](list)) end)
    end
    fails("argument", "has the number 3 as a key", function() return (a:scatter { "cpu", [3] = "cpu" }) end)
    for _, name in ipairs { "stack", "concat", "gather" } do
      fails("argument", "the table of arrays has no value at 2", function() return (dc[name] { a, nil, b }) end)
    end
  end)

  it("is an error among axes, repetitions and widths", function()
    local x = dc.zeros(2, 3, 4)
    for _, name in ipairs { "sum", "any", "argmax", "var", "flip" } do
      fails("argument", "has the number 3 as a key", function() return (x[name](x, { 1, [3] = 2 })) end)
    end
    for _, name in ipairs { "mean", "max" } do
      fails("argument", "has the number 0 as a key", function() return (x[name](x, { 1, [0] = 2, keep = true })) end)
      fails("argument", "has the number 4 as a key", function() return (x[name](x, { axis = { 1, [4] = 2 } })) end)
    end
    fails("argument", "has the number 3 as a key", function() return (x:tile { 2, [3] = 2 }) end)
    fails("argument", "has the number 4 as a key", function() return (a:pad { { 1, 1, [4] = 1 }, 1 }) end)
    fails("argument", "has the number 4 as a key", function() return (a:pad { 1, 1, [4] = 1 }) end)
    fails("argument", "widths has the key the string 'x'", function() return (a:pad { { 1, 1, x = 1 }, 1 }) end)
  end)

  it("is an error among the fields of a struct", function()
    fails("argument", "has the number 3 as a key", function()
      dc.struct("Holed", { { "x", "float32" }, [3] = { "y", "float32" } })
    end)
    fails("argument", "has the number 5 as a key", function()
      dc.struct("Holed", { { "x", "float32", [5] = 3 }, { "y", "float32" } })
    end)
  end)

  it("may be one of table.pack", function()
    local list = table.pack(a, b)
    assert.same({ 4, 3 }, { dc.concat(list):shape() })
    assert.same({ 2, 2, 3 }, { dc.stack(list):shape() })
    assert.same({ 4, 3 }, { dc.gather(list):shape() })
    assert.equal(2, dc.comm(table.pack("cpu", "cpu")).size)
  end)
end)

describe("a field of a list", function()
  it("is an error where there are no options in it", function()
    local a = dc.ones(2, 3)
    fails("argument", "the table of arrays has the key the string 'axis'", function() dc.gather { a, a, axis = 2 } end)
    fails("argument", "the table of devices has the key the string 'x'", function() dc.comm { "cpu", x = "cpu" } end)
  end)
end)

describe("an option without a meaning", function()
  it("is an error", function()
    local a, v = dc.ones(3, 2), dc.ones(3)
    for _, ddof in ipairs { -1, -0.5, 0 / 0 } do
      fails("argument", "'ddof' is a number from 0 on", function() return (a:var { ddof = ddof }) end)
      fails("argument", "'ddof' is a number from 0 on", function() return (a:std(1, { ddof = ddof })) end)
    end
    for _, cutoff in ipairs { -1, -1e-9, 0 / 0, "x" } do
      fails("argument", "cutoff .* is a number from 0 on", function() dc.linalg.lstsq(a, v, cutoff) end)
    end
    local source = "__global__ void k() {}"
    fails("argument", "option 'name' is one of dc.kernel", function() dc.module(source, { name = "k" }) end)
    helper.with_file(source, function(path)
      fails("argument", "option 'name' is one of dc.kernel", function() dc.module { file = path, name = "k" } end)
      fails("argument", "option 'name' is one of dc.kernel", function() dc.module_file(path, { name = "k" }) end)
    end)
    fails("argument", "'step' takes at most 1 argument, got 2", function()
      local p <close> = dc.progress(3)
      p:step(1, 2)
    end)
  end)
end)
