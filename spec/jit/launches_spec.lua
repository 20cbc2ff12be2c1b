-- Launches of kernels in Lua find the variant that suits, and give its kernel the bytes of their arguments: the same
-- whether an object is launched for the first time (in Lua), again (in C), or while launches are profiled (the kernel
-- object converts). On the stand-in driver, which reports the bytes; and random launches against plain Lua.
local dc = require "dotcompute"
local fake = require "spec.fake"
local h = require "spec.helper"

setup(fake.build)

-- Launches all of `list` three times; the bytes are the same.
local script = [==[
local seed, count = %d, %d
math.randomseed(seed)
dc.use "cuda:0"
local captured, nested, flag = 3, { scale = 2.5, deep = { n = 7 } }, true
local P = dc.struct("P", { { "x", "float32" }, { "n", "int64" } })
local extra = counting(5)
local kernels = {
  dc.jit(function(x, y, a) if dc.block_index() > 1 then y[1] = x[1] * a end end),
  dc.jit(function(x, y, a) if dc.block_index() > 1 then y[1] = x[1] * a + captured + nested.scale end end),
  dc.jit(function(x, y, a) if dc.block_index() > 1 and flag then y[1] = x[1] + nested.deep.n + a + #extra end end),
  dc.jit(function(x, y, a) if dc.block_index() > 1 then y[1] = extra[1] + x:shape(1) + y:shape(1) + a end end),
}
local typed = dc.jit("void(float32[:], int32, uint8, float32, bool)", function(x, a, b, c, d)
  if d and dc.block_index() > 1 then x[1] = a + b + c end
end)
local matrix = dc.jit(function(m, x, on) if on and dc.block_index() > 1 then m[1][1] = x[1] + #m + m:shape(2) end end)
local struct = dc.jit(function(p, x) if dc.block_index() > 1 then x[1] = p.x + p.n end end)
local structs = dc.jit(function(ps, x) if dc.block_index() > 1 then x[1] = ps[1].x + #ps end end)
local complex = dc.jit(function(z, c, x) if dc.block_index() > 1 then z[1] = c; x[1] = 1 end end)
local dynamic = dc.jit(function(x)
  local tile = dc.dynamic_shared("float32", #x)
  tile[1] = 1.0
  if dc.block_index() > 1 then x[1] = tile[1] end
end)
local many = dc.jit(function(a, b, c, d, e, f, g, p, q, r)
  if dc.block_index() > 1 then h[1] = a[1] + b[1] + c[1] + d[1] + e[1] + f[1] + g[1] + p + q + r end
end, { name = "many" })
h = counting(3)

local whole = counting(40)
local arrays = { counting(12), counting(7, "int32"), counting(9, "float64"), whole, whole[{ { 2, 21 } }],
  whole[{ { 22, 40 } }], counting(6, "int8") }
local floats = { arrays[1], arrays[4], arrays[5], arrays[6] }
local matrices = { dc.zeros(3, 5):eval(), dc.zeros(4, 4, { dtype = "float64" }):eval() }
local numbers = { 1, -1, 0, 1.5, 0.0, -0.0, 1/0, 0/0, 1 << 29, (1 << 30) - 1, 1 << 30, -(1 << 30), 1 << 40,
  math.mininteger, 2.0^60, 1e-300 }
local function pick(t) return t[math.random(#t)] end
local cs = { dc.complex(1, 2), dc.complex(0.5, -1) }
local ps = { P { x = 1, n = 2 }, P { x = 0.5, n = 1 << 40 } }
local records = { P:array { { x = 1, n = 2 }, { x = 3, n = 4 } }, P:array(3) }
local zs = { dc.zeros(4, { dtype = "complex64" }):eval(), dc.zeros(3, { dtype = "complex128" }):eval() }

local function arguments()
  local r = math.random(12)
  if r <= 5 then return pick(kernels), pick(arrays), pick(floats), pick(numbers) end
  if r == 6 then
    local b, on = math.random(0, 255), pick { true, false }
    return typed, pick(floats), math.random(-2147483648, 2147483647), b, math.random(), on
  end
  if r == 7 then return matrix, pick(matrices), pick(arrays), pick { true, false } end
  if r == 8 then return struct, pick(ps), pick(floats) end
  if r == 9 then return structs, pick(records), pick(floats) end
  if r == 10 then return complex, pick(zs), pick(cs), pick(floats) end
  if r == 11 then return dynamic, pick(floats) end
  local list = {}
  for k = 1, 7 do list[k] = pick(floats) end
  for k = 8, 10 do list[k] = pick { k, k + 0.5 } end
  return many, table.unpack(list)
end

local raw, ids = {}, {} -- the bytes of structs and complex numbers; the numbers of arrays
local function hex(align, format, ...)
  return ("x%%d/%%s"):format(align, (format:pack(...):gsub(".", function(c) return ("%%02x"):format(c:byte()) end)))
end
raw[ps[1]], raw[ps[2]] = hex(8, "<fxxxxi8", 1, 2), hex(8, "<fxxxxi8", 0.5, 1 << 40)
raw[cs[1]], raw[cs[2]] = hex(16, "<dd", 1, 2), hex(16, "<dd", 0.5, -1)
local function word(v)
  if math.type(v) == "integer" then return "i" .. v end
  if type(v) == "boolean" then return hex(1, "B", v and 1 or 0) end
  if type(v) == "number" then return hex(8, "<d", v) end
  if raw[v] then return raw[v] end
  if not ids[v] then
    ids[#ids + 1] = v
    ids[v] = #ids
  end
  return ("p%%d/%%s"):format(ids[v], table.concat({ v:shape() }, "/"))
end
local reads = { [kernels[2]] = function(c, s) return { c, s } end,
  [kernels[3]] = function(_, _, f, e) return { f, 7, e } end, [kernels[4]] = function(_, _, _, e) return { e } end,
  [many] = function() return { h } end }

local list = {}
for i = 1, count do
  local args = table.pack(arguments())
  local k = table.remove(args, 1)
  local n = args.n - 1
  local grid, block = pick { 1, 2, 5, { 2, 3 }, 1 << 21 }, pick { 32, 1024, { 4, 4 } }
  local call
  if math.random(3) == 1 and k ~= dynamic then
    local threads = pick { 5, 1000, (1 << 30) - 1025, (1 << 30) - 1023, 1 << 31 }
    call = function() k:forall(threads, table.unpack(args, 1, n)) end
  else
    call = function() k(grid, block, table.unpack(args, 1, n)) end
  end
  -- what is captured changes, too
  local c, s, f, e = pick { 3, 4.5, 1 << 35 }, pick { 2.5, 2, 1 << 30 }, pick { true, false }, pick { extra, whole }
  local words = {}
  for j = 1, n do words[j] = word(args[j]) end
  if k == typed then
    words = { words[1], hex(4, "<i4", args[2]), hex(1, "B", args[3]), hex(4, "<f", args[4]), words[5] }
  end
  for _, v in ipairs(reads[k] and reads[k](c, s, f, e) or {}) do words[#words + 1] = word(v) end
  print("values " .. table.concat(words, " "))
  list[i] = function()
    captured, nested.scale, flag, extra = c, s, f, e
    call()
  end
end
for pass = 1, 3 do
  if pass == 3 then
    dc.profile.start()
    for _, one in ipairs(list) do one() end
    dc.profile.stop()
  else for _, one in ipairs(list) do one() one() end end
end
print "end of launches"
]==]

-- Whether the bytes, in hexadecimal digits, are the parameters that the words say: "pNUMBER/EXTENT/…" an array,
-- "iVALUE" an integer of 4 or 8 bytes, "xALIGNMENT/DIGITS" other bytes. Extents have `width` bytes. `addresses`: of
-- the arrays that are known. Bytes of padding have any value.
local function is_layout(bytes, words, width, addresses)
  local found = {}
  local function digits(at, size) return bytes:sub(2 * at + 1, 2 * (at + size)) end
  local function integer(at, v, size) return digits(at, size) == (("<i" .. size):pack(v):gsub(".", function(c)
    return ("%02x"):format(c:byte())
  end)) end
  local function up(at, align) return (at + align - 1) // align * align end
  local function fits(k, at)
    local word = words[k]
    if not word then return 2 * at == #bytes end
    local kind, rest = word:match "^(.)(.*)$"
    if kind == "i" then
      local v = math.tointeger(rest)
      for size = 4, 8, 4 do
        local from = up(at, size)
        if (size == 8 or v >= -(1 << 30) and v <= 1 << 30) and integer(from, v, size) and fits(k + 1, from + size) then
          return true
        end
      end
      return false
    elseif kind == "x" then
      local align, want = rest:match "^(%d+)/(%x+)$"
      at = up(at, tonumber(align))
      return digits(at, #want // 2) == want and fits(k + 1, at + #want // 2)
    end
    local id, extents = rest:match "^(%d+)(.*)$"
    at = up(at, 8)
    found[id] = digits(at, 8)
    if found[id] ~= (addresses[id] or found[id]) then return false end
    at = at + 8
    for extent in extents:gmatch "%d+" do
      at = up(at, width)
      if not integer(at, math.tointeger(extent), width) then return false end
      at = at + width
    end
    return fits(k + 1, at)
  end
  if not fits(1, 0) then return false end
  for id, address in pairs(found) do addresses[id] = address end
  return true
end

describe("a launch of a kernel in Lua on a GPU", function()
  it("passes the bytes of its arguments the first time, again, and profiled", function()
    local count, seed = 150, math.random(1 << 30)
    local out, report = fake.run(script:format(seed, count))
    assert.matches("end of launches\n$", out, 1, false, "seed " .. seed)
    local values, addresses, launches = {}, {}, report.launch
    for line in out:gmatch "values ([^\n]*)\n" do
      local words = {}
      for word in line:gmatch "%S+" do words[#words + 1] = word end
      values[#values + 1] = words
    end
    assert.equal(count, #values)
    local before = #launches - 5 * count -- launches that made arrays
    local function check(number, k)
      local bytes = launches[before + number]:match "^%S+ %S+ %S+ %d+ %d+ (%x*)"
      assert.is_true(is_layout(bytes, values[k], 4, addresses) or is_layout(bytes, values[k], 8, addresses),
        ("launch %d, seed %d: %s are not %s"):format(k, seed, bytes, table.concat(values[k], " ")))
    end
    for k = 1, count do
      for j = -1, 0 do
        check(2 * k + j, k)
        check(2 * count + 2 * k + j, k)
      end
      check(4 * count + k, k)
    end
  end)
end)

-- Launches of one object with arguments of all kinds, by turns: each gives what plain Lua does.
describe("launches of a kernel in Lua by turns", function()
  it("give what plain Lua does", function()
    local add, table_ = 1, { factor = 2 }
    local fn = function(x, y, a)
      for i = 1, #y do y[i] = x[i] * a + add * table_.factor end
    end
    local k = dc.jit(fn)
    for round = 1, 60 do
      local n = math.random(0, 12)
      local memory = {}
      for i = 1, 2 * n + 3 do memory[i] = math.random(-50, 50) + 0.0 end
      local whole = dc.array(memory, "float64")
      local from, to = math.random(0, n + 3), math.random(0, n + 3)
      local x, y = whole[{ { from + 1, from + n } }], whole[{ { to + 1, to + n } }]
      local model = {}
      local function view(offset)
        return setmetatable({}, { __len = function() return n end,
          __index = function(_, i) return memory[offset + i] end,
          __newindex = function(_, i, v) memory[offset + i] = v + 0.0 end })
      end
      local mx, my, kind = view(from), view(to), math.random(5)
      if kind == 1 then -- pending
        for i = 1, n do model[i] = memory[from + i] * 3 end
        x, mx = x * 3, model
      elseif kind == 2 then -- of another dtype
        for i = 1, n do model[i] = i end
        x, mx = dc.array(model, "float32"), model
      elseif kind == 3 then -- of another memory
        for i = 1, n do model[i] = i end
        x, mx = dc.array(model, "float64"), model
      end
      local exact = kind == 2 -- in float32
      local a = ({ 2, -3, 0.5, 1 << 31, 0 })[math.random(exact and 3 or 5)]
      add, table_.factor = math.random(3), ({ 1, 1.5, 1 << 33 })[math.random(exact and 2 or 3)]
      if math.random(8) == 1 then table_ = { factor = table_.factor } end
      fn(mx, my, a)
      if n > 0 or math.random(2) == 1 then
        if math.random(2) == 1 then k(1, 1, x, y, a) else k({ 1 }, { x = 1 }, x, y, a) end
      end
      h.same(memory, whole:to_table(), ("round %d: n %d, from %d, to %d, kind %d, a %s"):format(round, n, from, to,
        kind, a))
      if math.random(4) == 1 then
        x:close()
        h.fails("argument", "closed", function() k(1, 1, x, y, a) end)
      end
    end
  end)
end)

describe("a captured table", function()
  it("whose metatable runs code that closes an argument makes the launch fail", function()
    local factor, x, closes = math.random(9), dc.zeros(math.random(9)), false
    local captured = setmetatable({}, { __index = function()
      if closes then x:close() end
      return factor
    end })
    local k = dc.jit(function(a) a[1] = a[1] + captured.factor end)
    for _ = 1, 3 do k(1, 1, x) end
    assert.equal(3 * factor, x[1])
    closes = true
    h.fails("argument", "the array is closed", function() k(1, 1, x) end)
    h.fails("argument", "the array is closed", function() k(1, 1, x) end)
  end)
end)

describe("the grid of a launch", function()
  local in_lua = dc.jit(function(n) dc.atomic_add(n, 1, 1) end)
  local in_c = dc.kernel "__global__ void count(int *n) { atomicAdd(n, 1); }"

  it("has the same forms for kernels in Lua and in CUDA C", function()
    local two_by_three = setmetatable({}, { __index = function(_, k) return ({ 2, 3 })[k] end })
    for _, k in ipairs { in_lua, in_c } do
      for _, form in ipairs { 6, { 2, 3 }, { 2, y = 3 }, { x = 2, y = 3 }, { 2, 3, 1 }, { 2, z = 3 }, { 6 }, { 2.0, 3 },
        { 1, 2, 3 }, { y = 6 }, two_by_three } do
        local n = dc.zeros(1, "int32")
        for _ = 1, 2 do
          k(form, 1, n)
          k(1, form, n)
        end
        assert.equal(24, n[1], h.note(tostring(form)))
      end
      local n = dc.zeros(1, "int32")
      for _, form in ipairs { { 1, 2, 3, 4 }, {}, { "a" }, { 1, -1 }, { 1.5, 2 }, { 1 << 40, 1 }, { 1, 2, z = "b" } } do
        h.fails("launch", "", function() k(form, 1, n) end)
        h.fails("launch", "", function() k(1, form, n) end)
      end
      assert.equal(0, n[1])
    end
  end)

  it("of forall suits narrow arrays and those of more rows than a grid's blocks", function()
    local number = dc.jit(function(a)
      local rows, columns = a:shape()
      local i, j = dc.index2()
      if i <= rows and j <= columns then a[{ i, j }] = a[{ i, j }] + i * 8 + j end
    end)
    for _, shape in ipairs { { 600000, math.random(1, 2) }, { math.random(9), math.random(60) }, { 1, 1 }, { 0, 5 } } do
      local rows, columns = table.unpack(shape)
      local a = dc.zeros(rows, columns, "int32")
      number:forall(shape, a)
      local want = dc.arange(1, rows, "int32"):reshape(rows, 1) * 8 + dc.arange(1, columns, "int32"):reshape(1, columns)
      assert(dc.equal(a, want), h.note(("%d x %d"):format(rows, columns)))
    end
    local count = dc.jit(function(a)
      local n, m, l = a:shape()
      local i, j, k = dc.index3()
      if i <= n and j <= m and k <= l then a[{ i, j, k }] = a[{ i, j, k }] + 1 end
    end)
    local a = dc.zeros({ 2, 270000, 1 }, "int32")
    count:forall({ 2, 270000, 1 }, a)
    assert.equal(1, a:min():item())
    assert.equal(1, a:max():item())
  end)
end)
