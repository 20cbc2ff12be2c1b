-- Random programs in the part of Lua that dc.jit compiles: each is a function of an index, an array of integers and one
-- of floats, that returns an integer and a float. The same text runs as plain Lua and as a kernel. Nothing in a program
-- depends on time, so its number reproduces it.
local programs = {}

local function pick(list) return list[math.random(#list)] end
local function chance(percent) return math.random(100) <= percent end

local P = {}
P.__index = P

function P:line(text, ...)
  self.lines[#self.lines + 1] = ("  "):rep(self.depth) .. text:format(...)
end

function P:fresh()
  self.count = self.count + 1
  return "v" .. self.count
end

-- A local of that type in scope, or nil. `writable`: not a loop's variable, not <const>.
function P:variable(kind, writable)
  local list = {}
  for _, v in ipairs(self.scope) do
    if v.kind == kind and not (writable and v.fixed) then list[#list + 1] = v.name end
  end
  if #list > 0 then return pick(list) end
end

local integers = { "0", "1", "2", "3", "7", "-1", "-5", "63", "64", "255", "1000003", "math.maxinteger",
  "math.mininteger", "0x7fffffff", "0xffffffffffffffff", "-0x80000000" }
local floats = { "0.0", "1.0", "-1.0", "0.5", "2.25", "-3.75", "1e10", "1e-3", "1e300", "-0.0", "math.huge", "math.pi",
  "9007199254740993.0" }

local E = { integer = {}, float = {}, boolean = {} }

-- An index in range of x and y, which have 16 elements.
local function index()
  return pick { "i", "i", "17 - i", "1", "(i * 7) % 16 + 1", "#x" }
end

function P:expr(kind, depth)
  if depth <= 0 or chance(15) then
    local v = self:variable(kind)
    if v and chance(75) then return v end
    if kind == "integer" then
      return chance(25) and ("math.tointeger(x[%s])"):format(index()) or pick(integers)
    elseif kind == "float" then
      return chance(30) and ("y[%s]"):format(index()) or pick(floats)
    end
    return pick { "true", "false", "(i > 3)", "(x[i] > 0)" }
  end
  return pick(E[kind])(self, depth - 1)
end

local function add(kind, fn) table.insert(E[kind], fn) end

for _, sign in ipairs { "+", "-", "*", "&", "|", "~", "<<", ">>", "+", "-", "*" } do
  add("integer", function(self, d)
    return ("(%s %s %s)"):format(self:expr("integer", d), sign, self:expr("integer", d))
  end)
end
for _, sign in ipairs { "//", "%" } do
  add("integer", function(self, d) -- by what is not 0
    return ("(%s %s (%s | 1))"):format(self:expr("integer", d), sign, self:expr("integer", d))
  end)
end
for _, sign in ipairs { "-", "~" } do
  add("integer", function(self, d) return ("(%s %s)"):format(sign, self:expr("integer", d)) end)
end
for _, name in ipairs { "max", "min" } do
  add("integer", function(self, d)
    return ("math.%s(%s, %s)"):format(name, self:expr("integer", d), self:expr("integer", d))
  end)
end
add("integer", function(self, d) return ("math.abs(%s)"):format(self:expr("integer", d)) end)
add("integer", function(self, d)
  return ("(%s and %s or %s)"):format(self:expr("boolean", d), self:expr("integer", d), self:expr("integer", d))
end)
add("integer", function(self, d) -- floats that are in range
  local v = self:expr("float", d)
  return ("clamp(%s)"):format(v)
end)
add("integer", function(self, d)
  return ("(select_(%s, %s))"):format(self:expr("integer", d), self:expr("integer", d))
end)
add("integer", function(self, d) return ("power(%s, %d)"):format(self:expr("integer", d), math.random(0, 6)) end)

for _, sign in ipairs { "+", "-", "*", "/", "//", "%", "+", "-", "*" } do
  add("float", function(self, d) return ("(%s %s %s)"):format(self:expr("float", d), sign, self:expr("float", d)) end)
end
for _, sign in ipairs { "+", "-", "*", "/" } do -- integers and floats meet
  add("float", function(self, d) return ("(%s %s %s)"):format(self:expr("integer", d), sign, self:expr("float", d)) end)
end
add("float", function(self, d) return ("(%s / %s)"):format(self:expr("integer", d), self:expr("integer", d)) end)
add("float", function(self, d) return ("(%s ^ 2)"):format(self:expr("float", d)) end)
add("float", function(self, d) return ("(- %s)"):format(self:expr("float", d)) end)
add("float", function(self, d) return ("math.sqrt(math.abs(%s))"):format(self:expr("float", d)) end)
add("float", function(self, d)
  return ("(%s and %s or %s)"):format(self:expr("boolean", d), self:expr("float", d), self:expr("float", d))
end)

for _, sign in ipairs { "<", "<=", ">", ">=", "==", "~=" } do
  for _, kinds in ipairs { { "integer", "integer" }, { "float", "float" }, { "integer", "float" },
    { "float", "integer" } } do
    add("boolean", function(self, d)
      return ("(%s %s %s)"):format(self:expr(kinds[1], d), sign, self:expr(kinds[2], d))
    end)
  end
end
for _ = 1, 3 do
  for _, sign in ipairs { "and", "or" } do
    add("boolean", function(self, d)
      return ("(%s %s %s)"):format(self:expr("boolean", d), sign, self:expr("boolean", d))
    end)
  end
  add("boolean", function(self, d) return ("(not %s)"):format(self:expr("boolean", d)) end)
end
add("boolean", function(self, d)
  return ("math.ult(%s, %s)"):format(self:expr("integer", d), self:expr("integer", d))
end)

-- --- statements -------------------------------------------------------------------------------------------------

local kinds = { "integer", "integer", "float", "boolean" }

function P:declare(kind, fixed)
  local name = self:fresh()
  self.scope[#self.scope + 1] = { name = name, kind = kind, fixed = fixed }
  return name
end

function P:block(n)
  local scope = #self.scope
  self.depth = self.depth + 1
  for _ = 1, n do self:statement() end
  self.depth = self.depth - 1
  return scope
end

function P:leave(scope)
  for k = #self.scope, scope + 1, -1 do self.scope[k] = nil end
end

local S = {}

function S.declaration(self)
  local kind = pick(kinds)
  local value = self:expr(kind, 3)
  local constant = chance(15)
  self:line("local %s%s = %s", self:declare(kind, constant), constant and " <const>" or "", value)
end

function S.later(self) -- declared without a value, assigned on both ways
  local kind = pick(kinds)
  local condition, a, b = self:expr("boolean", 2), self:expr(kind, 2), self:expr(kind, 2)
  local name = self:declare(kind)
  self:line("local %s", name)
  self:line("if %s then %s = %s else %s = %s end", condition, name, a, name, b)
end

function S.assignment(self)
  local kind = pick(kinds)
  local name = self:variable(kind, true)
  if name then self:line("%s = %s", name, self:expr(kind, 3)) end
end

function S.several(self)
  local a, b = self:variable("integer", true), self:variable("float", true)
  if not (a and b) then return end
  local c = self:variable("integer", true)
  if c ~= a then self:line("%s, %s, %s = %s, %s, %s", a, b, c, c, self:expr("float", 2), a) end
  self:line("%s, %s = twice(%s, %s)", a, b, self:expr("integer", 2), self:expr("float", 2))
end

S["if"] = function(self)
  if self.nested > 3 then return end
  self.nested = self.nested + 1
  self:line("if %s then", self:expr("boolean", 2))
  self:leave(self:block(math.random(2)))
  if chance(40) then
    self:line("elseif %s then", self:expr("boolean", 2))
    self:leave(self:block(math.random(2)))
  end
  if chance(50) then
    self:line "else"
    self:leave(self:block(math.random(2)))
  end
  self:line "end"
  self.nested = self.nested - 1
end

local ranges = { "1, 5", "3, -4, -2", "1, 0", "0, 10, 3", "i, i + 3", "math.maxinteger - 2, math.maxinteger",
  "math.mininteger + 1, math.mininteger, -1", "1, 4.5", "2, -math.huge, -1e300 < 0 and -4611686018427387904 or 1",
  "5, i % 4 - 2, -(i % 3) - 1" }

function S.loop(self)
  if self.nested > 2 then return end
  self.nested = self.nested + 1
  local scope = #self.scope
  local range = pick(ranges)
  local name = self:fresh()
  self:line("for %s = %s do", name, range)
  self.scope[#self.scope + 1] = { name = name, kind = "integer", fixed = true }
  self.depth = self.depth + 1
  self.count = self.count + 1
  local label = "next" .. self.count
  if chance(40) then self:line("if %s then goto %s end", self:expr("boolean", 2), label) end
  if chance(25) then self:line("if %s then break end", self:expr("boolean", 2)) end
  self.depth = self.depth - 1
  self:block(math.random(3))
  self:leave(scope)
  self:line("  ::%s::", label)
  self:line "end"
  self.nested = self.nested - 1
end

function S.float_loop(self)
  if self.nested > 2 then return end
  self.nested = self.nested + 1
  local scope = #self.scope
  local name = self:fresh()
  self:line("for %s = %s do", name, pick { "0.0, 1, 0.25", "1, 2, 0.3", "2.0, -1.0, -0.5", "1.0, 0.0" })
  self.scope[#self.scope + 1] = { name = name, kind = "float", fixed = true }
  self:block(1)
  self:leave(scope)
  self:line "end"
  self.nested = self.nested - 1
end

function S.counted(self)
  if self.nested > 2 then return end
  self.nested = self.nested + 1
  local name = self:fresh()
  self:line("local %s = %d", name, math.random(0, 4))
  local scope = #self.scope
  self.scope[#self.scope + 1] = { name = name, kind = "integer", fixed = true }
  local is_while = chance(50)
  self:line(is_while and "while %s > 0 do" or "repeat", name)
  self:line("  %s = %s - 1", name, name)
  self:block(math.random(2))
  local condition = self:expr("boolean", 2)
  self:leave(scope)
  if is_while then self:line "end" else self:line("until %s <= 0 or %s", name, condition) end
  self.nested = self.nested - 1
end

S["do"] = function(self)
  if self.nested > 3 then return end
  self.nested = self.nested + 1
  self:line "do"
  self:leave(self:block(2))
  self:line "end"
  self.nested = self.nested - 1
end

function S.call(self) -- a local function that changes a local around it
  local a = self:variable("integer", true)
  if not a or self.nested > 2 then return end
  local name = self:fresh()
  self:line("local function %s(p, q)", name)
  self:line("  if %s > q then %s = %s + 1 return p end", a, a, a)
  self:line("  return %s", pick { "p + q", "p ~ q", "p * 3 - q", "q" })
  self:line "end"
  self:line("%s = %s(%s, %s) + %s(%s, %s)", a, name, a, self:expr("integer", 1), name, self:expr("integer", 1), a)
end

local statement_names = { "declaration", "declaration", "assignment", "assignment", "assignment", "several", "if", "if",
  "loop", "loop", "float_loop", "counted", "do", "later", "call" }

function P:statement() S[pick(statement_names)](self) end

local prelude = [[
local dc = require "dotcompute"
local function clamp(f)
  if f > -1e15 and f < 1e15 then return math.floor(f) end
  return f == f and 11 or 13
end
local function select_(a, b)
  if a > b then return a, b end
  return b, a
end
local function twice(a, f) return a + a, f * 2 end
local function power(a, n)
  if n == 0 then return 1 end
  return a * power(a, n - 1)
end
]]

-- The text of program `number`: a local function of that name.
local function body(number)
  math.randomseed(number, 271828)
  local self = setmetatable({ lines = {}, depth = 1, count = 0, nested = 0 }, P)
  self.scope = { { name = "result", kind = "integer" }, { name = "sum", kind = "float" },
    { name = "i", kind = "integer", fixed = true } }
  self:line("local result, sum = 0, y[i]")
  for _ = 1, math.random(4, 12) do self:statement() end
  self:line("return %s, %s", self:expr("integer", 3), self:expr("float", 3))
  return ("local function body%d(i, x, y)\n%s\nend\n"):format(number, table.concat(self.lines, "\n"))
end

-- The text of a chunk with the programs of these numbers: it returns their functions, as a list, and a kernel that
-- writes the results of all.
function programs.text(numbers)
  local bodies, list, calls = {}, {}, {}
  for k, number in ipairs(numbers) do
    bodies[k], list[k] = body(number), "body" .. number
    calls[k] = ("    out[{ %d, i }], sums[{ %d, i }] = body%d(i, x, y)\n"):format(k, k, number)
  end
  return ("%s%slocal function kernel(x, y, out, sums)\n  local i = dc.index()\n  if i <= #x then\n%s  end\nend\n"
    .. "return { %s }, kernel\n"):format(prelude, table.concat(bodies), table.concat(calls), table.concat(list, ", "))
end

return programs
