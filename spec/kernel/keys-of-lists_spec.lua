-- dc.module{source, flags = "-G"} compiled without the flag; so did {include = {gpu = "include"}} without the folder.
local dc = require "dotcompute"
local fails = require "spec.helper".fails

local source = "__global__ void k(float *x) { x[0] = 1; }"

describe("a list in a call of the compiler", function()
  it("of sources has no options", function()
    for _, name in ipairs { "module", "kernel" } do
      local message = "dc." .. name .. ": the list of sources has the key the string 'flags'; options stand in a table"
      fails("argument", message, function() dc[name] { source, flags = "-G" } end)
    end
    fails("argument", "dc.kernel: the table names no source: it has 'source', and neither 'file' nor", function()
      dc.kernel { source = source }
    end)
    fails("argument", "dc.module: .* it has 'flie' %(did you mean 'file'%?%)", function()
      dc.module { flie = "x.cu" }
    end)
    assert.same({ "k" }, dc.module({ source }):kernels())
  end)

  it("of flags or folders has no keys", function()
    fails("argument", "option 'flags' is a list of strings; got the key the string 'debug'", function()
      dc.kernel(source, { flags = { debug = "-G" } })
    end)
    fails("argument", "option 'include' is a list of strings; got the key the string 'gpu'", function()
      dc.kernel(source, { include = { "/tmp", gpu = "/usr/include" } })
    end)
    fails("argument", "option 'flags' is a list of strings; got the key the number 3", function()
      dc.kernel(source, { flags = { "-w", [3] = "-G" } })
    end)
  end)

  it("of macros has names", function()
    fails("argument", "option 'define': 'N 1' is no name of a macro", function()
      dc.kernel(source, { define = { ["N 1"] = 2 } })
    end)
    local text = "__global__ void k(float *x) { x[0] = ADD(N, 1); }"
    local k = dc.kernel(text, { define = { N = 2, ["ADD(a, b)"] = "a+b" } })
    local x = dc.zeros(1)
    k(1, 1, x)
    assert.equal(3, x[1])
  end)
end)

describe("an array in a struct's table", function()
  it("has no other keys than its elements'", function()
    local k = dc.kernel "struct S { int a[2]; }; __global__ void k(S s, int *out) { *out = s.a[0] + 10 * s.a[1]; }"
    local out = dc.zeros(1, "int32")
    for key, t in pairs { ["the string 'x'"] = { 1, 2, x = 3 }, ["the number 4"] = { 1, 2, [4] = 3 } } do
      fails("argument", "a table of 2 values is wanted, this one has " .. key, function() k(1, 1, { a = t }, out) end)
    end
    k(1, 1, { a = { 1, 2 } }, out)
    assert.equal(21, out[1])
  end)
end)
