-- Random programs with tuples, structs and vectors of integers: kernels against the same text as plain Lua. They make
-- new values where Lua would share a table, as kernels copy.
local dc = require "dotcompute"
local h = require "spec.helper"

local PROGRAMS <const> = 40

local Pair = dc.struct("Pair", { { "x", "int64" }, { "y", "int64" } })
local Deep = dc.struct("Deep", { { "p", Pair }, { "w", "int64", 3 }, { "v", "longlong2" } })

local names = { Pair = Pair, Deep = Deep, longlong2 = dc.longlong2 }

-- Text of a program: `self.lines`, which grow, and expressions of integers.
local Program = {}
Program.__index = Program

local function pick(list) return list[math.random(#list)] end

function Program:line(text, ...) self.lines[#self.lines + 1] = ("  "):rep(self.depth) .. text:format(...) end

-- What holds an integer.
function Program.place()
  return pick { "a", "b", "t[1]", "t[2]", "t[3]", "p.x", "p.y", "d.p.x", "d.p.y", "d.w[1]", "d.w[2]", "d.w[3]", "d.v.x",
    "d.v.y", "v.x", "v.y", ("t[%s %% 3 + 1]"):format(pick { "a", "b", "p.x" }), "d.w[v.x % 3 + 1]", "u[2].x", "u[1]" }
end

function Program:expression(depth)
  if depth == 0 or math.random(5) == 1 then
    return math.random(3) == 1 and tostring(math.random(-9, 99)) or self:place()
  end
  local sign = pick { "+", "-", "*", "&", "|", "~", "//", "%" }
  local left, right = self:expression(depth - 1), self:expression(depth - 1)
  if sign == "//" or sign == "%" then right = ("(%s & 15 | 1)"):format(right) end
  return ("(%s %s %s)"):format(left, sign, right)
end

function Program:condition()
  return ("%s %s %s"):format(self:expression(1), pick { "<", "<=", "==", "~=", ">" }, self:expression(1))
end

function Program:pair() return ("Pair(%s, %s)"):format(self:expression(1), self:expression(1)) end

local statements = {
  function(self) self:line("%s = %s", self:place(), self:expression(2)) end,
  function(self) self:line("%s = %s", self:place(), self:expression(2)) end,
  function(self)
    self:line("%s, %s = %s, %s", pick { "a", "t[1]", "p.x", "v.y" }, pick { "b", "t[2]", "d.w[1]", "d.v.x" },
      self:expression(1), self:expression(1))
  end,
  function(self)
    self:line("t = { %s, %s, %s }", self:expression(1), self:expression(1), self:expression(1))
  end,
  function(self) self:line("p = %s", self:pair()) end,
  function(self) self:line("p = Pair { y = %s, x = %s }", self:expression(1), self:expression(1)) end,
  function(self) self:line("d.p = %s", pick { self:pair(), "Pair(p)", "swapped(p)", "Pair(u[2])" }) end,
  function(self)
    self:line("v = %s", pick { "v + v", "v * 3 - d.v", "-v", "longlong2(a, b) + 1", "(v & 255) * d.v" })
  end,
  function(self) self:line("d.w = rotated(t)") end,
  function(self) self:line("a, b, t[2] = table.unpack(rotated(%s))", pick { "t", "d.w", "{ a, b, 7 }" }) end,
  function(self) self:line("u = { %s, %s }", self:expression(1), self:pair()) end,
  function(self)
    self:line("if %s then", self:condition())
    self:block(2)
    if math.random(2) == 1 then
      self:line "else"
      self:block(2)
    end
    self:line "end"
  end,
  function(self)
    self:line("for _ = 1, %d do", math.random(4))
    self:block(2)
    self:line "end"
  end,
}

function Program:block(most)
  self.depth = self.depth + 1
  for _ = 1, math.random(most) do
    -- loops and conditions in blocks of their own alone
    statements[math.random(self.depth > 2 and 11 or #statements)](self)
  end
  self.depth = self.depth - 1
end

local head = [[
local Pair, Deep, longlong2 = ...
return function(out, a, b)
  local t, p, v = { a, b, 3 }, Pair(b, a), longlong2(a, b)
  local d = Deep { p = Pair(1, a), w = { b, 5, a }, v = longlong2(7) }
  local u = { 4, Pair(a, 2) }
  local function swapped(q) return Pair(q.y, q.x) end
  local function rotated(q) return { q[2], q[3], q[1] } end
]]
local tail = [[
  out[1], out[2], out[3], out[4], out[5], out[6], out[7] = a, b, t[1], t[2], t[3], p.x, p.y
  out[8], out[9], out[10], out[11], out[12] = d.p.x, d.p.y, d.w[1], d.w[2], d.w[3]
  out[13], out[14], out[15], out[16], out[17], out[18], out[19] = d.v.x, d.v.y, v.x, v.y, u[1], u[2].x, u[2].y
end
]]

describe("random programs with structs", function()
  it("compute what plain Lua does", function()
    for _ = 1, PROGRAMS do
      local program = setmetatable({ lines = {}, depth = 0 }, Program)
      program:block(12)
      local text = head .. table.concat(program.lines, "\n") .. "\n" .. tail
      local fn = assert(load(text))(names.Pair, names.Deep, names.longlong2)
      local a, b = math.random(-100, 100), math.random(-100, 100)
      local want, out = {}, dc.zeros(19, "int64")
      fn(want, a, b)
      local ok, err = pcall(dc.jit(fn), 1, 1, out, a, b)
      assert(ok, h.note(("%s\n%s"):format(text, tostring(err))))
      h.same(want, out:to_table(), h.note(text))
    end
  end)
end)
