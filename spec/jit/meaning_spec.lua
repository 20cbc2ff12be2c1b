-- What kernels in Lua mean where C, or a careless translation, means something else: each compares with plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

-- Runs the function as a kernel of one thread, and as plain Lua, over an array of `n` integers.
local function both(n, fn, ...)
  local out, want = dc.zeros(n, "int64"), {}
  for k = 1, n do want[k] = 0 end
  dc.jit(fn)(1, 1, out, ...)
  fn(want, ...)
  h.same(want, out:to_table(), "line " .. debug.getinfo(fn, "S").linedefined)
end

describe("the order of evaluation in kernels", function()
  it("is that of Lua's virtual machine: locals are read by the operator, arguments before the call", function()
    for _ = 1, 5 do
      both(13, function(o, v)
        local function f(k)
          v = v * 3 + k
          return k
        end
        local function add(a, b) return a * 100 + b end
        o[1] = v + f(1)
        o[2] = (v + 0) + f(2)
        o[3] = add(v, f(3))
        o[4] = f(4) - v * f(5)
        o[5] = v < f(1000000) and v or f(6)
        local a, b = v, f(7)
        o[6], o[7] = a, b
        v = v & 3
        v = v + 1
        o[v] = f(0) + 8 -- the index is read with the assignment
        o[13] = v
      end, math.random(-9, 9))
    end
  end)

  it("keeps what is called for its effects alone", function()
    both(2, function(o)
      local function f()
        o[1] = o[1] + 1
        return 5
      end
      local a = (f() + 1) and 7
      local b = f() or 8
      if not (f() + 1) then o[2] = 1 end
      o[2] = a * 10 + b
    end)
  end)

  it("of several targets: indices and arrays before the assignments", function()
    local got = dc.zeros(2, 3, "int64")
    dc.jit(function(o)
      local row, other, i = o[1], o[2], 1
      row[1], row = 5, other
      row[i], i = 6, 3
      row[i] = 7
    end)(1, 1, got)
    assert.same({ { 5, 0, 0 }, { 6, 0, 7 } }, got:to_table())
  end)
end)

describe("lists of values in kernels", function()
  it("have all values of their last call: as indices, and dropped as arguments", function()
    local m = dc.zeros(4, 32, "int64")
    dc.jit(function(o)
      local function first(a) return a end
      local i, j = dc.index2()
      if i <= 4 and j <= 32 then o[{ dc.index2() }] = i * 100 + j + first(dc.index2()) end
    end):forall({ 4, 32 }, m)
    for i = 1, 4 do
      for j = 1, 32 do assert.equal(i * 101 + j, m[{ i, j }]) end
    end
  end)
end)

describe("loops over dtypes in kernels", function()
  it("end with the range of the dtype, and count down in unsigned ones", function()
    local k = dc.jit(function(o, from, to, step)
      for v = dc.uint8(from), to, step do o[dc.int32(v) + 1] = o[dc.int32(v) + 1] + 1 end
    end)
    for _ = 1, 40 do
      local from, to, step = math.random(0, 255), math.random(-20, 300), math.random(-7, 7)
      if step ~= 0 then
        local out, want = dc.zeros(256, "int64"), {}
        for v = 1, 256 do want[v] = 0 end
        for v = from, math.max(0, math.min(255, to)), step do want[v + 1] = 1 end
        if step > 0 and to < 0 or step < 0 and to > 255 then for v = 1, 256 do want[v] = 0 end end
        k(1, 1, out, from, to, step)
        h.same(want, out:to_table(), h.note(("%d, %d, %d"):format(from, to, step)))
      end
    end
  end)
end)

describe("captured names in kernels", function()
  it("of constants that are made of constants", function()
    local M <const> = 3
    local N <const>, T <const> = M * 2 + 1, M > 2
    both(2, function(o) o[1], o[2] = N, T and 1 or 2 end)
  end)

  -- Lua's compiler computes these itself, so the kernel's function has no upvalue for them.
  it("of constants that are computed have the values and the kinds that Lua gives them", function()
    local function literal()
      local pick = math.random(3)
      if pick < 3 then return pick == 1 and "A" or "B" end
      return math.random(1, 9) .. (math.random(3) == 1 and ".5" or "")
    end
    local function expression(depth)
      if depth == 0 or math.random(4) == 1 then return literal() end
      if math.random(5) == 1 then return "-(" .. expression(depth - 1) .. ")" end
      local list = { "+", "-", "*", "/", "//", "%", "^" }
      return ("(%s %s %s)"):format(expression(depth - 1), list[math.random(#list)], expression(depth - 1))
    end
    for _ = 1, 12 do
      local text = ("local A <const>, B <const> = %d, %d.25\nlocal C <const> = %s\nlocal D <const> = C * 2 - A\n"
        .. "return function(o) o[1], o[2] = C, D end, C, D"):format(math.random(9), math.random(9), expression(3))
      local fn, c, d = load(text)()
      local floats = math.type(c) == "float" or math.type(d) == "float"
      local out = dc.zeros(2, floats and "float64" or "int64")
      if c == c and math.abs(c) < 2 ^ 50 then
        dc.jit(fn)(1, 1, out)
        assert.same({ c, d }, out:to_table(), text)
      end
    end
    local yes <const>, no <const>, bits <const> = not false, not true, ~5 & 0xff
    local kind <const> = "float32"
    both(3, function(o) o[1], o[2], o[3] = yes and 1 or 2, no and 1 or 2, bits end)
    local out = dc.zeros(1, "float64")
    dc.jit(function(o)
      local t = dc.local_array(kind, 1)
      t[1] = 0.1
      o[1] = t[1]
    end)(1, 1, out)
    assert.equal(string.unpack("<f", string.pack("<f", 0.1)), out[1])
  end)

  it("of constants that are nil are named as such", function()
    local nothing <const> = nil
    local ok, err = pcall(dc.jit(function(o) o[1] = nothing end), 1, 1, dc.zeros(1))
    assert.is_false(ok)
    assert.equal("compile", err.kind)
    assert.matches("'nothing' is a constant without a value: it is nil", err.message, 1, true)
  end)

  it("and of fields may have any bytes", function()
    local functions = { ["a b"] = { ["-"] = function(v) return v + 1 end, ["\u{e4}"] = function(v) return v * 2 end } }
    local settings = { a = { b = 1 }, ["a\0b"] = 2 }
    both(2, function(o)
      o[1] = functions["a b"]["-"](2) + functions["a b"]["\u{e4}"](5)
      o[2] = settings.a.b + 10 * settings["a\0b"]
    end)
  end)

  it("whose kind changes compile the function again: 3 and 3.0, 0.0 and -0.0", function()
    local n = 7
    local k = dc.jit(function(o) o[1] = n / 2 + n // 2 * 100 end)
    local out = dc.zeros(1, "float64")
    for _, v in ipairs { 7, 7.0, 7, -0.0, 0.0, 0 / 0, 7 } do
      n = v
      k(1, 1, out)
      local want = v / 2 + v // 2 * 100
      assert(out[1] == want or want ~= want and out[1] ~= out[1], tostring(v))
    end
  end)
end)

describe("comparisons in kernels", function()
  it("of narrow floats and integers that they do not hold are exact", function()
    local x = dc.array({ -1 / 0, 16777216, 1 / 0 }, "float32")
    local half = dc.array({ -1 / 0, 2048, 1 / 0 }, "float16")
    local out = dc.zeros(3, "int32")
    dc.jit(function(a, b, o)
      local i = dc.index()
      o[i] = (a[i] >= math.mininteger and 1 or 0) + (a[i] == 16777217 and 10 or 0) + (b[i] < 2049 and 100 or 0)
        + (b[i] <= -70000 and 1000 or 0) + (b[i] == 2048 and 10000 or 0)
    end)(1, 3, x, half, out)
    h.same({ 1100, 10101, 1 }, out:to_table(), "comparisons")
  end)
end)

describe("arrays in kernels", function()
  it("that are chosen by a condition are written where they are chosen", function()
    local x, y = dc.zeros(2), dc.zeros(2)
    local k = dc.jit(function(a, b, c)
      local t = c and a or b
      local function set(array) array[2] = array[2] + 1 end
      t[1] = t[1] + 5
      set(c and b or a)
    end)
    k(1, 1, x, y, true)
    k(1, 1, x, y, false)
    k(1, 1, x, y, false)
    h.same({ 5, 2 }, x:to_table(), "x")
    h.same({ 10, 1 }, y:to_table(), "y")
    assert(not k:kernel(x, y, true).signature:find("const float", 1, true))
  end)

  it("of a thread are swapped with others of their block", function()
    local out = dc.zeros(2, "int64")
    dc.jit(function(o)
      local a, b = dc.local_array("int64", 2), dc.local_array("int64", 2)
      for i = 1, 5 do
        b[1] = a[1] * 2 + i
        a, b = b, a
      end
      o[1], o[2] = a[1], b[1]
    end)(1, 1, out)
    h.same({ 57, 26 }, out:to_table(), "arrays")
  end)
end)

describe("print in kernels", function()
  it("prints dollars, and more than nine numbers", function()
    local file = os.tmpname()
    local script = [[
local dc = require "dotcompute"
dc.jit(function() print("$1 costs $12 %d", 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0.5, true) end)(1, 1)
dc.synchronize()]]
    local handle = assert(io.open(file, "w"))
    handle:write(script)
    handle:close()
    local pipe = assert(io.popen(("%s %s 2>&1"):format(h.lua, file)))
    assert.equal("$1 costs $12 %d\t7\t8\t9\t10\t11\t12\t13\t14\t15\t16\t17\t0.5\ttrue\n", pipe:read "a")
    pipe:close()
    os.remove(file)
  end)
end)

describe("a fault of a kernel in Lua", function()
  local function store(x, i, v)
    x[i] = v
  end
  local line = h.line(-2)

  it("names the line of the function's text, also in functions that it calls", function()
    if dc.device().backend ~= "cpu" then return end -- a fault of a GPU ends CUDA for the process
    local k = dc.jit(function(x, n)
      local i = dc.index()
      if n == 1 then
        x[i + 500000000] = 1
      elseif n == 2 then
        store(x, i + 500000000, n)
      elseif n == 3 then
        error "three"
      end
    end)
    local here = h.line(-7)
    local x = dc.zeros(4)
    for n, at in ipairs { here, line, here + 4 } do
      local err = fails("launch", n == 3 and "Assertion `three` failed" or "past the end of an array", function()
        k(1, 1, x, n)
      end)
      assert(err.message:find("meaning_spec.lua:" .. at, 1, true), err.message)
    end
    k(1, 1, x, 4)
  end)

  it("and a compile error of its CUDA C does too", function()
    local k = dc.jit(function(x)
      x[1] = 1
      x[2] = dc.cuda("float", "unknown_thing + 1.0f")
    end)
    local at = h.line(-2)
    local err = fails("compile", 'identifier "unknown_thing" is undefined', function() k(1, 1, dc.zeros(2)) end)
    assert(err.at:find("meaning_spec.lua:" .. at .. "$"), err.at)
  end)
end)
