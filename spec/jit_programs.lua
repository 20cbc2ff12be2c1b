-- Random programs in the part of Lua that dc.jit compiles. A program is a function of a thread's index that returns an
-- integer and a float and writes a row of scratch arrays. Its text is made twice: as a kernel's, and as plain Lua for
-- spec/jit_reference.lua. The two differ where plain Lua has no metamethod or no type: `==` is eq(a, b), an integer
-- `//` that may be by 0 is idiv(a, b), a number that becomes one of a dtype is as("int8", x), a loop over a dtype is
-- `in range(…)`. Types are known here from the documented rules, by construction; nothing is inferred.
--
-- Nothing in a program depends on time, so its number reproduces it.
local reference = require "spec.jit_reference"
local types, meet, floating = reference.types, reference.meet, reference.floating

local programs = {}

local THREADS <const> = 32
local SLOTS <const> = 4 -- elements of a program's row of each scratch array
local BATCH <const> = 50 -- programs of a kernel

local function pick(list) return list[math.random(#list)] end
local function chance(percent) return math.random(100) <= percent end

local integer_dtypes = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
local float_dtypes = { "float32", "float64", "float16", "bfloat16" }
local dtypes = table.move(float_dtypes, 1, 4, 9, table.move(integer_dtypes, 1, 8, 1, {}))
programs.dtypes = dtypes

local function is_integer(name) return name ~= "boolean" and types[name].kind ~= "f" end
local function is_weak(name) return name == "integer" or name == "float" end

-- --- texts ------------------------------------------------------------------------------------------------------

local P = {}
P.__index = P

-- A text of both languages: { k = the kernel's, r = plain Lua's }. `%s` in the formats stands for other texts.
local function both(kernel, plain, ...)
  local ks, rs = {}, {}
  for n, part in ipairs { ... } do
    if type(part) == "table" then ks[n], rs[n] = part.k, part.r else ks[n], rs[n] = part, part end
  end
  return { k = kernel:format(table.unpack(ks)), r = plain:format(table.unpack(rs)) }
end
local function same(text, ...) return both(text, text, ...) end
local function literally(text) return { k = text, r = text } end

-- The text of a value that becomes one of that type by being stored or returned.
local function as(name, text)
  if name == "boolean" then return text end
  return both("%s", ('as("%s", %%s)'):format(name), text)
end

function P:line(text, ...)
  local t = type(text) == "table" and text or same(text, ...)
  local indent = ("  "):rep(self.depth)
  self.kernel[#self.kernel + 1] = indent .. t.k
  self.plain[#self.plain + 1] = indent .. t.r
end

function P:fresh()
  self.count = self.count + 1
  return "v" .. self.count
end

-- A variable of that type in scope, or nil. `writable`: neither a loop's nor <const>.
function P:variable(name, writable)
  local list = {}
  for _, v in ipairs(self.scope) do
    if v.type == name and not (writable and v.fixed) then list[#list + 1] = v.name end
  end
  if #list > 0 then return pick(list) end
end

-- --- leaves -----------------------------------------------------------------------------------------------------

local weak_literals = {
  integer = { "0", "1", "2", "3", "7", "-1", "-5", "63", "64", "255", "1000003", "math.maxinteger", "math.mininteger",
    "0x7fffffff", "0xffffffffffffffff", "-0x80000000", "0x80000000", "4294967296", "-129", "((1 << 53) + 1)" },
  -- No constant is -0.0: NVRTC takes `n / -0.0 < 0` for false where n is not negative.
  float = { "f0", "1.0", "-1.0", "0.5", "2.25", "-3.75", "1e10", "1e-3", "1e300", "f0", "math.huge", "-math.huge",
    "math.pi", "9007199254740993.0", "0x1p-3", "0xA.8p0", "1e-320", "(f0 / f0)", "16777217.0", "65519.0", "3e38" },
}

-- A literal that a dtype holds.
local function small_literal(name)
  local t = types[name]
  if t.kind == "f" then return pick { "0", "1", "-2", "3", "0.5", "-0.25", "100", "1e-2", "7.0", "0.1" } end
  if t.kind == "u" then return pick { "0", "1", "2", "3", "7", "100", t.bits == 8 and "255" or "256" } end
  return pick { "0", "1", "2", "3", "-1", "-7", "100", "-128", t.bits == 8 and "127" or "1000" }
end

-- An index that is in range of the captured arrays, which have as many elements as there are threads.
function P:index()
  if chance(20) then
    local v = self:variable("integer")
    if v then return ("(%s %% %d + 1)"):format(v, THREADS) end
  end
  return pick { "i", "i", "33 - i", "1", "(i * 7) % 32 + 1", "#x_int8", "(dc.thread_index())", "i // 2 + 1" }
end

function P:element(name)
  if chance(20) then return ("m_%s[{ %d, %s }]"):format(name, math.random(2), self:index()) end
  if chance(20) then return ("m_%s[%d][%s]"):format(name, math.random(2), self:index()) end
  if name == "int32" and chance(30) then return ("row[%s]"):format(self:index()) end
  return ("x_%s[%s]"):format(name, self:index())
end

function P:leaf(name)
  local v = self:variable(name)
  if v and chance(65) then return literally(v) end
  if name == "integer" then
    if chance(15) then return same("math.tointeger(%s)", self:element(pick(integer_dtypes))) end
    if chance(15) then
      return literally(pick { "n1", "n2", "(#x_int8)", "m_int8:shape(2)", "dc.index()", "(dc.block_size())" })
    end
    return literally(pick(weak_literals.integer))
  elseif name == "float" then
    return literally(chance(20) and "f1" or pick(weak_literals.float))
  elseif name == "boolean" then
    return literally(pick { "true", "false", "(i > 3)", ("x_bool[%s]"):format(self:index()), "flag" })
  end
  return literally(self:element(name))
end

-- --- expressions ------------------------------------------------------------------------------------------------

local E = { integer = {}, float = {}, boolean = {}, whole = {}, real = {} } -- whole, real: of dtypes
local function add(kinds, weight, fn)
  for kind in kinds:gmatch "%S+" do
    for _ = 1, weight do table.insert(E[kind], fn) end
  end
end

-- An expression of a type: a dtype's name, "integer", "float" or "boolean".
function P:expr(name, depth)
  if depth <= 0 or chance(15) then return self:leaf(name) end
  local t = types[name]
  local list = E[name] or (t.kind == "f" and E.real or E.whole)
  return pick(list)(self, depth - 1, name) or self:leaf(name)
end

-- An operand that meets a `name` in a `name`: of the dtype itself, of one that is promoted to it, or a number of Lua's.
-- Its constants are in range, and it is no constant expression but for a literal.
function P:beside(name, depth)
  local t = types[name]
  if chance(55) then return self:expr(name, depth) end
  if chance(40) then return literally(small_literal(name)) end
  if chance(40) then return same("(i + %s)", self:expr("integer", depth)) end
  if t.kind == "f" and chance(40) then return same("(f1 - %s)", self:expr("float", depth)) end
  local other = pick(dtypes)
  if meet(types[other], t) ~= t then return self:expr(name, depth) end
  return self:expr(other, depth)
end

-- Two operands that meet in `name`, in any order.
function P:pair(name, depth)
  local a, b = self:expr(name, depth), self:beside(name, depth)
  if chance(50) then return b, a end
  return a, b
end

-- A number of any type; a constant is a number of Lua's.
function P:any(depth, kinds)
  return self:expr(pick(kinds or { "integer", "float", pick(dtypes), pick(dtypes) }), depth)
end
function P:any_integer(depth) return self:any(depth, { "integer", pick(integer_dtypes) }) end

for _, sign in ipairs { "+", "-", "*" } do
  add("whole real", 3, function(self, d, name) return same("(%s " .. sign .. " %s)", self:pair(name, d)) end)
  add("integer float", 3, function(self, d, name)
    return same("(%s " .. sign .. " %s)", self:expr(name, d), self:expr(name, d))
  end)
end
for _, sign in ipairs { "&", "|", "~" } do
  add("whole", 1, function(self, d, name) return same("(%s " .. sign .. " %s)", self:pair(name, d)) end)
  add("integer", 1, function(self, d)
    return same("(%s " .. sign .. " %s)", self:expr("integer", d), self:expr("integer", d))
  end)
end
for _, sign in ipairs { "<<", ">>" } do
  add("whole integer", 1, function(self, d, name)
    local count = chance(60) and literally(pick { "1", "3", "8", "33", "-2" }) or self:any_integer(d)
    return same("(%s " .. sign .. " %s)", self:expr(name, d), count)
  end)
end
for _, sign in ipairs { "//", "%%" } do
  add("whole", 1, function(self, d, name)
    local b = self:expr(name, d)
    if chance(40) then b = literally(pick { "3", "7", "1", "100" }) end
    return same("(%s " .. sign .. " %s)", self:expr(name, d), b)
  end)
  add("real", 1, function(self, d, name) return same("(%s " .. sign .. " %s)", self:pair(name, d)) end)
  add("float", 1, function(self, d, name)
    return same("(%s " .. sign .. " %s)", self:expr(name, d), self:expr(name, d))
  end)
  add("integer", 1, function(self, d) -- by what is no constant
    local fn = sign == "//" and "idiv" or "mod"
    return both("(%s " .. sign .. " (i - %s))", fn .. "(%s, (i - %s))", self:expr("integer", d),
      self:expr("integer", d))
  end)
  add("integer", 1, function(self, d)
    return same("(%s " .. sign .. " " .. pick { "3", "-3", "1", "-1", "16", "1000" } .. ")", self:expr("integer", d))
  end)
end
add("whole real integer float", 1, function(self, d, name) return same("(- %s)", self:expr(name, d)) end)
add("whole integer", 1, function(self, d, name) return same("(~ %s)", self:expr(name, d)) end)

-- Integers and floats of Lua meet.
for _, sign in ipairs { "+", "-", "*", "/" } do
  add("float", 1, function(self, d)
    local a, b = self:expr("integer", d), self:expr("float", d)
    if chance(50) then a, b = b, a end
    -- Lua's compiler makes v - 0 an addition of -0, which is 0: so -0.0 - 0 is 0.0 there. Not where 0 is no constant.
    if sign == "-" then return both("(%s - %s)", "(%s - (select(1, %s)))", a, b) end
    return same("(%s " .. sign .. " %s)", a, b)
  end)
end
add("float", 1, function(self, d) return same("(%s / %s)", self:expr("integer", d), self:expr("integer", d)) end)
add("float", 1, function(self, d) return same("(%s / %s)", self:expr("float", d), self:expr("float", d)) end)

-- Operators and functions that give a floating type: operands of any types that give this one.
add("real", 3, function(self, d, name)
  for _ = 1, 5 do
    local a, b = pick { "integer", "float", pick(dtypes), pick(dtypes) }, pick { name, name, pick(dtypes), "float" }
    if floating(32, types[a], types[b]) == types[name] then
      local x, y = self:expr(a, d), self:expr(b, d)
      if is_weak(a) then x = same("(i + %s)", x) end
      if is_weak(b) then y = same("(i + %s)", y) end
      return same("(%s / %s)", x, y)
    end
  end
end)
add("real float", 1, function(self, d, name) return same("(%s ^ 2)", self:expr(name, d)) end)
add("float", 1, function(self, d) return same("(%s ^ 2)", self:expr("integer", d)) end)
add("real", 1, function(self, d, name)
  for _ = 1, 3 do
    local a = pick(dtypes)
    if floating(64, types[a]) == types[name] then return same("math.sqrt(math.abs(%s))", self:expr(a, d)) end
  end
end)
add("float", 1, function(self, d) return same("math.sqrt(math.abs(%s))", self:any(d, { "integer", "float" })) end)

-- Values of one type.
add("whole real", 1, function(self, d, name)
  return same("math." .. pick { "min", "max" } .. "(%s, %s)", self:pair(name, d))
end)
add("integer float", 1, function(self, d, name)
  return same("math." .. pick { "min", "max" } .. "(%s, %s, %s)", self:expr(name, d), self:expr(name, d),
    self:expr(name, d))
end)
add("whole real integer float", 1, function(self, d, name) return same("math.abs(%s)", self:expr(name, d)) end)
add("whole real", 1, function(self, d, name)
  return same("dc.where(%s, %s, %s)", self:expr("boolean", d), self:pair(name, d))
end)
add("real", 1, function(self, d, name) return same("dc." .. pick { "floor", "ceil" } .. "(%s)", self:expr(name, d)) end)
add("whole real integer float boolean", 2, function(self, d, name)
  return same("(%s and %s or %s)", self:expr("boolean", d), self:expr(name, d), self:expr(name, d))
end)
add("whole real", 1, function(self, d, name) -- a number of Lua's and one of a dtype: of the dtype
  local a, b = self:expr(name, d), as(name, same("(i + %s)", self:expr("integer", d)))
  if chance(50) then a, b = b, a end
  return same("(i > %s and %s or %s)", self:expr("integer", d), a, b) -- the condition is no constant
end)
add("integer", 2, function(self, d)
  return same("math." .. pick { "floor", "ceil" } .. "(%s)", self:any(d, { "float", pick(float_dtypes) }))
end)
add("whole real", 3, function(self, d, name)
  local x = chance(15) and self:expr("boolean", d) or self:any(d)
  if chance(20) then return same(('dc.cast(%%s, "%s")'):format(name), x) end
  return same(("dc.%s(%%s)"):format(name), x)
end)
add("whole integer", 1, function(self, d, name)
  return same("math.fmod(%s, (%s | 1))", self:expr(name, d), self:expr(name, d))
end)
add("float real", 1, function(self, d, name)
  return same("math.fmod(%s, %s)", self:expr(name, d), self:expr(name, d))
end)

-- Functions of the script, for the types of each call.
add("whole real integer float", 1, function(self, d, name)
  return same("(larger(%s, %s))", self:expr(name, d), self:expr(name, d))
end)
add("whole real integer float", 1, function(self, d, name) return same("apply(negative, %s)", self:expr(name, d)) end)
add("whole real integer float", 1, function(self, d, name)
  return same("power(%s, " .. math.random(0, 5) .. ", %s)", self:expr(name, d), self:expr(name, d))
end)
add("integer", 1, function(self, d) -- functions of CUDA's library may differ in the last bits
  return same("math.floor(math." .. pick { "sin", "cos", "exp", "atan" } .. "(%s %% 7 + 0.37) * 1000.0)",
    self:expr("integer", d))
end)

for _, sign in ipairs { "<", "<=", ">", ">=" } do
  add("boolean", 3, function(self, d) return same("(%s " .. sign .. " %s)", self:any(d), self:any(d)) end)
  add("boolean", 1, function(self, d)
    local kind = pick { "integer", "float" }
    return same("(%s " .. sign .. " %s)", self:expr(kind, d), self:expr(kind, d))
  end)
end
add("boolean", 3, function(self, d) return both("(%s == %s)", "eq(%s, %s)", self:any(d), self:any(d)) end)
add("boolean", 2, function(self, d) return both("(%s ~= %s)", "(not eq(%s, %s))", self:any(d), self:any(d)) end)
add("boolean", 1, function(self, d) return same("(%s == %s)", self:expr("boolean", d), self:expr("boolean", d)) end)
add("boolean", 3, function(self, d) return same("(%s and %s)", self:expr("boolean", d), self:expr("boolean", d)) end)
add("boolean", 3, function(self, d) return same("(%s or %s)", self:expr("boolean", d), self:expr("boolean", d)) end)
add("boolean", 2, function(self, d) return same("(not %s)", self:expr("boolean", d)) end)
add("boolean", 1, function(self, d) return same("math.ult(%s, %s)", self:any_integer(d), self:any_integer(d)) end)
add("boolean", 1, function(self, d) return same("dc.bool(%s)", self:any(d)) end)
add("boolean", 1, function(self, d) return same("dc.isnan(%s)", self:any(d, float_dtypes)) end)

-- --- statements -------------------------------------------------------------------------------------------------

local S = {}

local function any_type() return pick { "integer", "integer", "float", "boolean", pick(dtypes), pick(dtypes) } end

function P:declare(name, fixed)
  local variable = self:fresh()
  self.scope[#self.scope + 1] = { name = variable, type = name, fixed = fixed }
  return variable
end

-- Declares a local with a value: a text.
function P:define(name, value) self:line("local %s = %s", self:declare(name), value) end

function P:leave(scope)
  for k = #self.scope, scope + 1, -1 do self.scope[k] = nil end
end

-- n statements, a level deeper. Their locals stay in scope until `leave` of what this gives.
function P:block(n)
  local scope = #self.scope
  self.depth = self.depth + 1
  for _ = 1, n do self:statement() end
  self.depth = self.depth - 1
  return scope
end

function P:closed_block(n) self:leave(self:block(n)) end

-- Runs fn a level of nesting deeper, unless that is too deep.
function P:nest(most, fn)
  if self.nested >= most then return end
  self.nested = self.nested + 1
  fn()
  self.nested = self.nested - 1
end

-- A value that may be stored in a variable of the type: of the type, or one that becomes it.
function P:storable(name, depth)
  if name == "boolean" or is_weak(name) or chance(70) then return self:expr(name, depth) end
  return as(name, self:beside(name, depth))
end

function S.declaration(self)
  local name = any_type()
  local value = self:expr(name, 3)
  local constant = chance(15)
  self:line("local %s%s = %s", self:declare(name, constant), constant and " <const>" or "", value)
end

function S.joined(self) -- a number of Lua's first, then one of a dtype: a local of the dtype
  local name = pick(dtypes)
  local literal, value = small_literal(name), self:expr(name, 2)
  if is_integer(name) or literal:find "[%.e]" or chance(50) then
    local variable = self:declare(name)
    self:line(both("local %s = %s", ('local %%s = as("%s", %%s)'):format(name), variable, literal))
    if chance(50) then self:line("if %s then %s = %s end", self:expr("boolean", 1), variable, value)
    else self:line("%s = %s", variable, value) end
  end
end

function S.later(self) -- declared without a value, assigned on both ways
  local name = any_type()
  local condition, a, b = self:expr("boolean", 2), self:expr(name, 2), self:expr(name, 2)
  local variable = self:declare(name)
  self:line("local %s", variable)
  self:line("if %s then %s = %s else %s = %s end", condition, variable, a, variable, b)
end

function S.assignment(self)
  local name = any_type()
  local variable = self:variable(name, true)
  if variable then self:line("%s = %s", variable, self:storable(name, 3)) end
end

-- An element of the program's row of a scratch array.
local function slot_of(name)
  return same(pick { "w_%s[{ P, i, %s }]", "w_%s[P][i][%s]", "w_%s[{ P, i }][%s]" }, name,
    tostring(math.random(SLOTS)))
end

function S.store(self)
  local name = pick(dtypes)
  local value
  if is_integer(name) then value = chance(50) and self:expr(name, 3) or same("(i + %s)", self:any_integer(2))
  else value = chance(50) and self:expr(name, 3) or same("(i + %s)", self:any(2)) end
  local slot = slot_of(name)
  self:line("%s = %s", slot, value)
  if chance(30) then self:line("%s = %s", slot, self:expr(name, 2)) end
  if chance(50) then self:define(name, slot) end
end

function S.several(self)
  local name = any_type()
  local a, b = self:variable(name, true), self:variable(name, true)
  if not a or a == b then return end
  self:line("%s, %s = %s, %s", a, b, chance(50) and b or self:expr(name, 2), chance(50) and a or self:expr(name, 2))
  local n = self:variable("integer", true)
  if n then -- an index that is assigned beside its element
    self:line("%s, w_int64[{ P, i, (%s & 3) + 1 }] = %s, %s", n, n, self:expr("integer", 1), self:expr("integer", 1))
  end
end

S["if"] = function(self)
  self:nest(4, function()
    self:line("if %s then", self:expr("boolean", 2))
    self:closed_block(math.random(2))
    if chance(40) then
      self:line("elseif %s then", self:expr("boolean", 2))
      self:closed_block(math.random(2))
    end
    if chance(50) then
      self:line "else"
      self:closed_block(math.random(2))
    end
    self:line "end"
  end)
end

-- The head of a loop, and the type of its variable.
local function range_of(variable)
  local kind = math.random(10)
  if kind <= 6 then
    local range = pick { "1, 5", "3, -4, -2", "1, 0", "0, 10, 3", "i, i + 3", "math.maxinteger - 2, math.maxinteger",
      "math.mininteger + 1, math.mininteger, -1", "1, 4.5", "3, 0.5, -1", "5, i % 4 - 2, -(i % 3) - 1",
      "math.maxinteger - 5, math.maxinteger, 4", "n1, n1 + 2", "n2 - 1, n2 + 1", "0x7ffffffe, 0x80000001",
      "-0x7fffffff, -0x80000002, -1", "math.mininteger, math.mininteger + 6, i % 5 + 1",
      "math.maxinteger, math.mininteger, math.mininteger", "-1, math.huge, 0x2000000000000000", "2, -math.huge, "
      .. "-0x4000000000000000", "1, 3, (i & 1) * 2 - 1 + (i & 1)", "i % 3, 3", "x_int8", "x_int16[i] & 7, 9, 2" }
    if range:find "^x_int16" then
      return both("for %s = %s do", "for %s in range(%s) do", variable, range), "int16"
    end
    if range == "x_int8" then -- a limit of a dtype
      return both("for %s = 1, x_int8[i] %% 5 do", "for %s = 1, (x_int8[i] %% 5).v do", variable), "integer"
    end
    return same("for %s = %s do", variable, range), "integer"
  elseif kind <= 8 then
    local range = pick { "0.0, 1, 0.25", "1, 2, 0.3", "2.0, -1.0, -0.5", "1.0, 0.0", "1e16, 1e16 + 4, 2.0",
      "0.0, 0.9, 0.3", "1, 1.5 + i % 2, 0.5" }
    return same("for %s = %s do", variable, range), "float"
  elseif kind == 9 then
    local t = pick(integer_dtypes)
    local range = pick { "dc.%s(%d), %d", "dc.%s(%d), %d, 3", "dc.%s(%d), %d, 2" }
    local bits = math.min(types[t].bits, 63)
    local most = (1 << (types[t].kind == "i" and types[t].bits < 64 and bits - 1 or bits)) - 1
    local from, to = most - math.random(0, 4), most
    if chance(30) and types[t].kind == "i" then from, to, range = -most + 3, -most - 1, "dc.%s(%d), %d, -2" end
    if types[t].bits == 64 then from, to, range = 5, 9, "dc.%s(%d), %d, 2" end
    range = range:format(t, from, to)
    return both("for %s = %s do", "for %s in range(%s) do", variable, range), t
  end
  local t = pick { "float32", "float64", "float16" }
  local range = ("dc.%s(%s), %s, %s"):format(t, pick { "0.1", "1", "-0.5" }, pick { "2", "1.5", "1.7" },
    pick { "0.3", "0.7", "0.5" })
  return both("for %s = %s do", "for %s in range(%s) do", variable, range), t
end

function S.loop(self)
  self:nest(3, function()
    local scope, variable = #self.scope, self:fresh()
    local head, kind = range_of(variable)
    self:line(head)
    self.scope[#self.scope + 1] = { name = variable, type = kind, fixed = true }
    local label = "next" .. self:fresh()
    self.depth = self.depth + 1
    if chance(40) then self:line("if %s then goto %s end", self:expr("boolean", 2), label) end
    if chance(25) then self:line("if %s then break end", self:expr("boolean", 2)) end
    self.depth = self.depth - 1
    self:block(math.random(3))
    self:leave(scope)
    self:line("  ::%s::", label)
    self:line "end"
  end)
end

function S.counted(self)
  self:nest(3, function()
    local name = self:fresh()
    self:line("local %s = %s", name, tostring(math.random(0, 4)))
    local scope = #self.scope
    self.scope[#self.scope + 1] = { name = name, type = "integer", fixed = true }
    local is_while = chance(50)
    self:line(is_while and "while %s > 0 do" or "repeat", is_while and name or nil)
    self:line("  %s = %s - 1", name, name)
    if chance(25) then self:line("  if %s then break end", self:expr("boolean", 1)) end
    self:block(math.random(2))
    local condition = self:expr("boolean", 2) -- may have the body's locals
    self:leave(scope)
    if is_while then self:line "end" else self:line("until %s <= 0 or %s", name, condition) end
  end)
end

function S.backward(self) -- a loop of gotos
  self:nest(2, function()
    local name, label = self:fresh(), "again" .. self:fresh()
    self:line("local %s = %s", name, tostring(math.random(1, 3)))
    self:line("::%s::", label)
    self:line "do"
    self:closed_block(math.random(2))
    self:line "end"
    self:line("%s = %s - 1", name, name)
    self:line("if %s > 0 then goto %s end", name, label)
    self.scope[#self.scope + 1] = { name = name, type = "integer", fixed = true }
  end)
end

S["do"] = function(self)
  self:nest(4, function()
    self:line "do"
    self:closed_block(2)
    self:line "end"
  end)
end

S["return"] = function(self)
  if self.together or self.inner then return end
  local a, b = self.results[1], self.results[2]
  self:line("if %s then return %s, %s end", self:expr("boolean", 2), as(a, self:beside(a, 1)),
    as(b, self:beside(b, 1)))
end

-- A local function that changes a local around it: the order of evaluation is seen in the result.
function S.effects(self)
  local a = self:variable("integer", true)
  if not a or self.nested > 2 then return end
  local name = self:fresh()
  self:line("local function %s(p, q)", name)
  self:line("  if p > q then %s = %s + 1 return p end", a, a)
  self:line("  %s = %s * 3 + q", a, a)
  self:line("  return %s", pick { "p + q", "p ~ q", "p * 3 - q", "q", a })
  self:line "end"
  local function call()
    return same("%s(%s, %s)", name, chance(30) and a or self:expr("integer", 1), self:expr("integer", 1))
  end
  local form = math.random(9)
  if form == 1 then self:line("%s = %s + %s", a, call(), call())
  elseif form == 2 then self:line("%s = %s - %s", a, a, call())
  elseif form == 3 then self:line("%s = (%s ~ 5) - %s * %s", a, a, call(), a)
  elseif form == 4 then
    local value = call()
    self:line("local %s, %s = %s, %s", self:declare "integer", self:declare "integer", a, value)
  elseif form == 5 then self:line("if %s > %s and %s < %s then %s = %s end", a, call(), call(), a, a, call())
  elseif form == 6 then self:line("w_int64[{ P, i, (%s & 3) + 1 }] = %s", call(), call())
  elseif form == 7 then self:line("%s = %s(%s, %s) + (%s > 0 and %s or %s)", a, name, a, call(), a, call(), call())
  elseif form == 8 then self:line("w_int64[{ P, i, (%s & 3) + 1 }] = %s", a, call())
  else
    local count = self:fresh()
    self:line("local %s = 3", count)
    self:line("while %s > 0 and %s %% 3 > %s do %s = %s - 1 end", count, call(), a, count, count)
  end
end

-- A local function with parameters of random types, one or two results, and statements of its own.
S["function"] = function(self)
  if self.nested > 1 then return end
  local name, params, list = self:fresh(), {}, {}
  local result, second = any_type(), chance(30) and any_type()
  local scope, inner = #self.scope, self.inner
  for k = 1, math.random(0, 3) do
    list[k] = any_type()
    params[k] = self:declare(list[k])
  end
  self.inner, self.nested = true, self.nested + 2
  self:line("local function %s(%s)", name, table.concat(params, ", "))
  self:block(math.random(0, 2))
  self.depth = self.depth + 1
  if chance(40) then
    self:line("if %s then return %s%s%s end", self:expr("boolean", 2), self:expr(result, 1), second and ", " or "",
      second and self:expr(second, 1) or "")
  end
  self:line("return %s%s%s", self:expr(result, 2), second and ", " or "", second and self:expr(second, 1) or "")
  self.depth = self.depth - 1
  self:leave(scope)
  self:line "end"
  self.inner, self.nested = inner, self.nested - 2
  local args = same("")
  for k, kind in ipairs(list) do args = same(k == 1 and "%s%s" or "%s, %s", args, self:expr(kind, 2)) end
  if second then
    self:line("local %s, %s = %s(%s)", self:declare(result), self:declare(second), name, args)
  else
    self:define(result, same("%s(%s)", name, args))
  end
end

-- A recursion that carries a value along.
function S.recursion(self)
  if self.nested > 1 then return end
  local kind, name = any_type(), self:fresh()
  local scope = #self.scope
  local n, acc = self:declare("integer", true), self:declare(kind)
  self:line("local function %s(%s, %s)", name, n, acc)
  self:line("  if %s <= 0 then return %s end", n, acc)
  self:line("  return %s(%s - 1, %s)", name, n, self:expr(kind, 1))
  self:leave(scope)
  self:line "end"
  self:define(kind, same("%s(i %% 4, %s)", name, self:expr(kind, 1)))
end

function S.local_array(self)
  local kind, name = pick(dtypes), self:fresh()
  local literal = self:expr(kind, 2)
  self:line('local %s = dc.local_array("%s", 3, 2)', name, kind)
  self:line("%s[2][1] = %s", name, literal)
  self:line("%s[{ i %% 3 + 1, 2 }] = %s", name, self:expr(kind, 2))
  self:define(kind, same("%s[i %% 3 + 1][%s]", name, tostring(math.random(2))))
end

-- --- what threads do together -------------------------------------------------------------------------------------

local T = {}

function T.shared(self)
  local kind, name = pick(dtypes), self:fresh()
  self:line('local %s = dc.shared("%s", %d)', name, kind, THREADS)
  self:line("%s[i] = %s", name, self:expr(kind, 2))
  self:line "dc.sync_threads()"
  self:define(kind, same("%s[(i + %s) %% 32 + 1]", name, self:expr("integer", 1)))
  self:line "dc.sync_threads()"
  self:line("%s[33 - i] = %s", name, self:expr(kind, 1))
  self:line "dc.sync_threads()"
  self:define(kind, same("%s[i %% 32 + 1]", name))
end

function T.atomic(self)
  local kind, name = pick { "int32", "uint32", "int64", "uint64" }, self:fresh()
  self:line('local %s = dc.shared("%s", 4)', name, kind)
  self:line("if i <= 4 then %s[i] = %s end", name, self:expr(kind, 1))
  self:line "dc.sync_threads()"
  self:line("dc.atomic_%s(%s, (%s & 3) + 1, %s)", pick { "add", "min", "max", "and", "or", "xor" }, name,
    self:expr("integer", 1), self:expr(kind, 2))
  self:line "dc.sync_threads()"
  self:define(kind, same("%s[i %% 4 + 1]", name))
end

function T.vote(self)
  local condition = self:expr("boolean", 2)
  self:define("integer", same(pick { "dc.vote_ballot(%s)", "dc.sync_threads_count(%s)" }, condition))
  self:define("boolean", same(pick { "dc.vote_all(%s)", "dc.vote_any(%s)", "dc.sync_threads_and(%s)",
    "dc.sync_threads_or(%s)" }, condition))
end

function T.shuffle(self)
  local kind = pick { "integer", "float", pick(dtypes), pick(dtypes) }
  local value = self:expr(kind, 2)
  self:define(kind, same(pick { "dc.shuffle(%s, (i * 5) %% 32 + 1)", "dc.shuffle_up(%s, 3)",
    "dc.shuffle_down(%s, 1)", "dc.shuffle_xor(%s, 5)" }, value))
  self:define("integer", same("dc.match_any(%s & 3)", self:any_integer(2)))
end

local statement_names = { "declaration", "declaration", "assignment", "assignment", "assignment", "assignment",
  "joined",
  "several", "if", "if", "loop", "loop", "counted", "do", "later", "effects", "function", "recursion", "local_array",
  "store", "store", "return", "backward" }
local together_names = { "shared", "atomic", "vote", "shuffle" }

function P:statement()
  if self.together and self.nested == 0 and not self.inner and chance(30) then return T[pick(together_names)](self) end
  return S[pick(statement_names)](self)
end

-- --- programs ---------------------------------------------------------------------------------------------------

local helpers = [[
local function larger(a, b)
  if a > b then return a, b end
  return b, a
end
local function negative(a) return -a end
local function apply(fn, a) return fn(a) end
local function power(a, n, one)
  if n == 0 then return one end
  return a * power(a, n - 1, one)
end
]]

-- Whether the threads of a program's batch do something together: share memory, vote, shuffle.
function programs.is_together(number) return number // BATCH % 4 == 0 end

-- Program `number` as a function of that name: the kernel's text, and plain Lua's. `place`: its place in the batch.
local function body(number, place)
  math.randomseed(number, 271828)
  local self = setmetatable({ kernel = {}, plain = {}, depth = 1, count = 0, nested = 0,
    together = programs.is_together(number) and chance(80) }, P)
  self.results = { pick { "integer", "integer", pick(integer_dtypes) }, pick { "float", pick(float_dtypes) } }
  self.scope = { { name = "i", type = "integer", fixed = true } }
  for _, name in ipairs(self.results) do self:define(name, self:expr(name, 1)) end
  for _ = 1, math.random(2, 7) do self:statement() end
  self:line("return %s, %s", self:expr(self.results[1], 3), self:expr(self.results[2], 3)) -- of the very types
  local function text(lines)
    local inside = table.concat(lines, "\n"):gsub("%f[%w_]P%f[^%w_]", tostring(place))
    return ("local function body%d(i, row)\n%s\nend\n"):format(number, inside)
  end
  return text(self.kernel), text(self.plain)
end

-- Names of the arrays that the programs capture, in order: inputs x_ and m_, scratch w_.
local arrays = { "x_bool" }
for _, prefix in ipairs { "x_", "m_", "w_" } do
  for _, name in ipairs(dtypes) do arrays[#arrays + 1] = prefix .. name end
end
programs.arrays = arrays

-- The texts of chunks with the programs of these numbers, the kernel's and plain Lua's. Their arguments are `dc`,
-- `math`, a table of functions, arrays by name, the captured numbers; they give a function of a thread that writes the
-- results of all programs, and one that sets the captured numbers.
function programs.texts(numbers)
  local kernel, plain, calls = {}, {}, {}
  for k, number in ipairs(numbers) do
    kernel[k], plain[k] = body(number, k)
    calls[k] = ("  out[{ %d, i }], sums[{ %d, i }] = body%d(i, row)\n"):format(k, k, number)
  end
  local head = { "local dc, math, functions, arrays, n1, n2, f1, f0, flag = ...\n",
    "local eq, idiv, mod, as, range = table.unpack(functions)\n" }
  for _, name in ipairs(arrays) do head[#head + 1] = ("local %s = arrays.%s\n"):format(name, name) end
  head[#head + 1] = helpers
  local tail = ("local function kernel(out, sums)\n  local i = dc.index()\n  local row = m_int32[2]\n%send\n"
    .. "return kernel, function(...) n1, n2, f1, f0, flag = ... end\n"):format(table.concat(calls))
  local first = table.concat(head)
  return first .. table.concat(kernel) .. tail, first .. table.concat(plain) .. tail
end

programs.threads, programs.slots, programs.batch = THREADS, SLOTS, BATCH
return programs
