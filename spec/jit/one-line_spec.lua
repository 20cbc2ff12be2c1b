-- Functions that stand on one line of the script: which of them a kernel is is found by their bytecode.
local dc = require "dotcompute"

-- What each of the functions that the chunk returns leaves in an array of two numbers.
local function results(text)
  local list = {}
  for k, fn in ipairs { assert(load(text))() } do
    local out = dc.array({ 10, 20 }, "int64")
    dc.jit(fn)(1, 1, out, 3)
    list[k] = out:to_table()
  end
  return list
end

describe("of functions on one line the kernel", function()
  it("is the one with its constants", function()
    local parts, want = {}, {}
    for k = 1, math.random(2, 6) do
      parts[k] = ("function(a, _) a[1] = a[2] + %d end"):format(k * 7)
      want[k] = { 20 + k * 7, 20 }
    end
    assert.same(want, results("return " .. table.concat(parts, ", ")))
  end)

  it("is any of those that do the same, with the names of its own parameters", function()
    assert.same({ { 13, 20 }, { 13, 20 }, { 13, 20 } }, results("return function(a, b) a[1] = a[1] + b end, "
      .. "function(x, y) x[1] = x[1] + y end, function(a, b) a[1] = a[1] + b end"))
  end)

  it("is not the one around it, or within it", function()
    assert.same({ { 5, 20 }, { 6, 20 } }, results("local function f(a, _) a[1] = 5 end "
      .. "local function g(a, _) local function h() return 6 end a[1] = h() end return f, g"))
    assert.same({ { 2, 20 } }, results("return (function() return function(a, _) a[1] = 2 end end)()"))
  end)
end)
