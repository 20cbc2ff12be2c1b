-- Random programs over a few arrays: operators, views, writes, kernels, reductions, captures, closing, garbage.
-- Each statement is made as a line of Lua that runs on the device, and as a step of an eager model in plain Lua tables.
-- Nothing in a program depends on time or addresses, so its number reproduces it.
local dc = require "dotcompute"
local o = require "spec.oracle"
local model = require "spec.model"
local size_of, c_strides, fresh, view = model.size_of, model.c_strides, model.fresh, model.view
local places, read, write = model.places, model.read, model.write
local contiguous, broadcast, takes = model.contiguous, model.broadcast, model.takes

local programs = {}

-- -------------------------------------------------------------------------------------------------------- random text
local function pick(list) return list[math.random(#list)] end
local function chance(percent) return math.random(100) <= percent end

local function literal(v)
  if type(v) == "boolean" then return tostring(v) end
  if v ~= v then return "(0/0)" elseif v == 1 / 0 then return "(1/0)" elseif v == -1 / 0 then return "(-1/0)" end
  if math.type(v) == "integer" then return v == math.mininteger and "math.mininteger" or ("%d"):format(v) end
  local text = ("%.17g"):format(v)
  return text:find "[.eE]" and text or text .. ".0"
end

local function list_text(t) return "{" .. table.concat(t, ", ") .. "}" end

-- Nested table of values in C order.
local function nested(shape, values)
  local at = 0
  local function level(axis)
    if axis > #shape then
      at = at + 1
      return literal(values[at])
    end
    local t = {}
    for i = 1, shape[axis] do t[i] = level(axis + 1) end
    return list_text(t)
  end
  return level(1)
end

local shapes = { { 6 }, { 4 }, { 6, 4 }, { 4, 6 }, { 6, 4 }, { 1, 4 }, { 6, 1 } }

-- A value fit for a literal of the dtype: uint64 above 2^63 has none.
local function value(dtype)
  local v = o.value(dtype)
  return dtype == "uint64" and v & math.maxinteger or v
end

-- ----------------------------------------------------------------------------------------------------------- programs
local Program = {}
Program.__index = Program

function Program:choose(test)
  for _ = 1, 12 do
    local number = self.live[math.random(math.max(#self.live, 1))]
    local m = number and self.models[number]
    if m and (not test or test(m)) then return number, m end
  end
end

-- Runs a line on the device; keeps it.
function Program:run(line)
  self.lines[#self.lines + 1] = line
  local chunk = assert(load(line, "=program", "t", self.env))
  return chunk()
end

-- A new variable, made by an expression's text; the model has its value.
function Program:define(text, m)
  self.count = self.count + 1
  local number = self.count
  self:run(("v[%d] = %s"):format(number, text))
  self.models[number] = m
  self.live[#self.live + 1] = number
  local h = self.env.v[number]
  local shape = { h:shape() }
  if h.dtype ~= m.dtype or table.concat(shape, ",") ~= table.concat(m.shape, ",") then
    error(("v[%d] is %s (%s), should be %s (%s)"):format(number, h.dtype, table.concat(shape, ","), m.dtype,
      table.concat(m.shape, ",")))
  end
  return number
end

function Program:forget(number)
  for i, n in ipairs(self.live) do
    if n == number then table.remove(self.live, i) break end
  end
  self.models[number] = nil
  self:run(("v[%d] = nil"):format(number))
end

local function flatten(t, into)
  if type(t) ~= "table" then into[#into + 1] = t return into end
  for _, v in ipairs(t) do flatten(v, into) end
  return into
end

function Program:check(number)
  local m = self.models[number]
  local want = read(m)
  local got = self:run(("return v[%d]:to_table()"):format(number))
  got = #m.shape == 0 and { got } or flatten(got, {})
  if #want ~= #got then error(("v[%d] has %d elements, should have %d"):format(number, #got, #want)) end
  for i = 1, #want do
    if not o.same(want[i], got[i]) then
      error(("v[%d], element %d in C order, is %s, should be %s (%s)"):format(number, i, o.show(got[i]),
        o.show(want[i]), m.dtype))
    end
  end
end

-- ------------------------------------------------------------------------------------------------------- expressions
local arithmetic = { "+", "-", "*" }
local whole = { "//", "%", "&", "|", "~", "<<", ">>" }
local compared = { "eq", "ne", "lt", "le", "gt", "ge" }

local function is_integer(m) return o.kind[m.dtype] == "i" or o.kind[m.dtype] == "u" end
local function is_float(m) return o.kind[m.dtype] == "f" end

local function each(shape, dtype, fn)
  local values = {}
  for i = 1, size_of(shape) do values[i] = fn(i) end
  return fresh(dtype, shape, values)
end

-- Two models met in a dtype, as lists of values of the common shape.
local function met(a, b, dtype, shape)
  local x, y = read(a, shape), read(b, shape)
  for i = 1, #x do x[i], y[i] = o.cast(x[i], a.dtype, dtype), o.cast(y[i], b.dtype, dtype) end
  return x, y
end

local function binary(sign, a, b, shape)
  if sign == "/" or is_float(a) or is_float(b) or not (sign == "&" or sign == "|" or sign == "~") then
    local dtype = sign == "/" and o.division_dtype(a.dtype, b.dtype) or o.arithmetic_dtype(a.dtype, b.dtype)
    local x, y = met(a, b, dtype, shape)
    return each(shape, dtype, function(i) return o.arithmetic(sign, x[i], y[i], dtype) end)
  end
  local dtype = o.promote(a.dtype, b.dtype)
  local x, y = met(a, b, dtype, shape)
  return each(shape, dtype, function(i) return o.arithmetic(sign, x[i], y[i], dtype) end)
end

local function compare(name, a, b, shape)
  local x, y = read(a, shape), read(b, shape)
  local test = o.comparisons[name]
  return each(shape, "bool", function(i) return test(o.compare(x[i], a.dtype, y[i], b.dtype)) end)
end

local function unary(m, dtype, fn)
  local x = read(m)
  return each(m.shape, dtype, function(i) return fn(x[i]) end)
end

-- A number that meets an array of this model: its text, and as a 0-d model of the dtype that it takes.
local function scalar(m)
  local kind = o.kind[m.dtype]
  if kind == "f" then
    local v = chance(50) and math.random(-4, 4) or math.random(-8, 8) / 4
    return "(" .. literal(v) .. ")", fresh(m.dtype, {}, { v + 0.0 })
  end
  local v = math.random(kind == "u" and m.dtype ~= "uint64" and 0 or -5, 5) -- beside uint64 -5 is 2^64 - 5
  if chance(15) then
    return "(" .. literal(v + 0.5) .. ")", fresh("float32", {}, { v + 0.5 }), true
  end
  return "(" .. literal(v) .. ")", fresh(kind == "b" and "int32" or m.dtype, {}, { v })
end

-- The text of an expression with its model; depth bounds it.
function Program:expression(depth)
  if depth == 0 or chance(15) then
    local number, m = self:choose()
    return number and ("v[%d]"):format(number), m
  end
  local text, m = self:expression(depth - 1)
  if not text then return end
  local way = math.random(100)
  if way <= 35 then return self:pair(text, m, depth) end
  if way <= 50 then return self:with_number(text, m) end
  if way <= 65 then return self:function_of(text, m) end
  if way <= 75 then return self:reduced(text, m) end
  if way <= 85 then return self:seen(text, m) end
  if way <= 92 then return self:chosen(text, m) end
  local dtype = pick(self.dtypes)
  if dtype == m.dtype then return text, m end
  return ("%s(%s, %q)"):format(chance(50) and "dc.cast" or "to", text, dtype), unary(m, dtype, function(x)
    return o.cast(x, m.dtype, dtype)
  end)
end

function Program:pair(text, m, depth)
  local other, b
  for _ = 1, 8 do
    other, b = self:expression(depth - 1)
    if not other then return end
    local shape = broadcast(m.shape, b.shape)
    if shape and size_of(shape) <= 9000 then
      if chance(20) then
        local name = pick(compared)
        return ("dc.%s(%s, %s)"):format(name, text, other), compare(name, m, b, shape)
      end
      local signs = arithmetic
      local both_whole = is_integer(m) and is_integer(b)
      if both_whole and chance(40) and is_integer { dtype = o.promote(m.dtype, b.dtype) } then signs = whole
      elseif m.dtype == "bool" and b.dtype == "bool" and chance(50) then signs = { "&", "|", "~" }
      elseif chance(20) then signs = (is_float(m) or is_float(b)) and { "/", "//", "%" } or { "/" } end
      local sign = pick(signs)
      return ("(%s %s %s)"):format(text, sign, other), binary(sign, m, b, shape)
    end
  end
  return text, m
end

function Program:with_number(text, m) -- luacheck: no self
  local number, b, floating = scalar(m)
  local signs = arithmetic
  if is_integer(m) and not floating and chance(30) then signs = chance(20) and { "/" } or whole end
  if floating then -- which takes any integers along to float32
    m = unary(m, "float32", function(x) return o.cast(x, m.dtype, "float32") end)
  end
  local sign = pick(signs)
  if chance(30) then return ("(%s %s %s)"):format(number, sign, text), binary(sign, b, m, m.shape) end
  return ("(%s %s %s)"):format(text, sign, number), binary(sign, m, b, m.shape)
end

function Program:function_of(text, m) -- luacheck: no self
  local kind, dtype = o.kind[m.dtype], m.dtype
  if kind == "b" then
    if chance(50) then return ("(~%s)"):format(text), unary(m, dtype, function(x) return not x end) end
    return ("%s:logical_not()"):format(text), unary(m, dtype, function(x) return not x end)
  end
  if kind == "f" then
    local name = pick { "-", "abs", "sqrt", "floor", "isnan", "square", "isfinite" }
    local round = o.round[dtype]
    if name == "-" then return ("(-%s)"):format(text), unary(m, dtype, function(x) return -x end) end
    local call = ("dc.%s(%s)"):format(name, text)
    if name == "abs" then return call, unary(m, dtype, math.abs) end
    if name == "floor" then return call, unary(m, dtype, o.floor) end
    if name == "isnan" then return call, unary(m, "bool", function(x) return x ~= x end) end
    if name == "isfinite" then return call, unary(m, "bool", function(x) return x - x == 0 end) end
    if name == "sqrt" then
      return call, unary(m, dtype, function(x) return x == 0 and x or round(math.sqrt(x)) end)
    end
    return call, unary(m, dtype, function(x) return round(x * x) end)
  end
  local name = pick { "-", "~", "abs", "square", "clip", "minimum", "fmax" }
  if name == "-" then return ("(-%s)"):format(text), unary(m, dtype, function(x) return o.wrap(-x, dtype) end) end
  if name == "~" then return ("(~%s)"):format(text), unary(m, dtype, function(x) return o.wrap(~x, dtype) end) end
  if name == "abs" then
    return ("dc.abs(%s)"):format(text), unary(m, dtype, function(x)
      return kind == "i" and x < 0 and o.wrap(-x, dtype) or x
    end)
  end
  if name == "square" then
    return ("dc.square(%s)"):format(text), unary(m, dtype, function(x) return o.wrap(x * x, dtype) end)
  end
  local low = math.random(0, 9)
  local function less(x, y) return o.compare(x, dtype, y, dtype) == -1 end
  if name == "clip" then
    return ("dc.clip(%s, %d, %d)"):format(text, low, low + 20), unary(m, dtype, function(x)
      return less(x, low) and low or less(low + 20, x) and low + 20 or x
    end)
  end
  local smaller = name == "minimum"
  return ("dc.%s(%s, %d)"):format(name, text, low), unary(m, dtype, function(x)
    return less(x, low) == smaller and x or low
  end)
end

-- Can the elements be added in any order with the same result?
local function exactly_added(values, dtype)
  local sum = 0
  for _, x in ipairs(values) do
    if x ~= x or x ~= o.floor(x) or x == 0 and 1 / x < 0 then return false end
    sum = sum + math.abs(x)
  end
  return sum <= 1 / o.epsilon[dtype]
end

function Program:reduced(text, m) -- luacheck: no self
  if size_of(m.shape) == 0 then return text, m end
  local kind, dtype = o.kind[m.dtype], m.dtype
  local names = { "any", "all", "count" }
  if kind ~= "f" then for _, name in ipairs { "min", "max", "argmin", "argmax", "sum", "sum", "prod" } do
    names[#names + 1] = name
  end end
  if kind == "f" then for _, name in ipairs { "argmin", "argmax" } do names[#names + 1] = name end end
  if kind == "f" and exactly_added(read(m), dtype) then names = { "sum" } end
  local name = pick(names)
  -- Axes: all, one, or one kept.
  local axis = #m.shape > 0 and chance(65) and math.random(#m.shape) or nil
  local keep = axis and chance(40)
  local how = not axis and "" or keep and ("{%d, keep=true}"):format(axis) or
    ("%d"):format(chance(50) and axis or axis - #m.shape - 1)
  local groups, shape = {}, {}
  for i, extent in ipairs(m.shape) do
    if axis and i == axis then if keep then shape[#shape + 1] = 1 end
    elseif axis then shape[#shape + 1] = extent end
  end
  local values = read(m)
  local inner = 1
  for i = (axis or 0) + 1, #m.shape do inner = inner * m.shape[i] end
  for i, x in ipairs(values) do
    local group = 1
    if axis then group = (i - 1) // (inner * m.shape[axis]) * inner + (i - 1) % inner + 1 end
    groups[group] = groups[group] or {}
    table.insert(groups[group], x)
  end
  local function nonzero(x) return x ~= false and x ~= 0 end
  local folds = {
    any = function(t)
      for _, x in ipairs(t) do if nonzero(x) then return true end end
      return false
    end,
    all = function(t)
      for _, x in ipairs(t) do if not nonzero(x) then return false end end
      return true
    end,
    count = function(t)
      local n = 0
      for _, x in ipairs(t) do if nonzero(x) then n = n + 1 end end
      return n
    end,
    sum = function(t)
      local s = kind == "f" and 0.0 or 0
      for _, x in ipairs(t) do s = s + (x == true and 1 or x or 0) end
      return s
    end,
    prod = function(t)
      local p = 1
      for _, x in ipairs(t) do p = p * (x == true and 1 or x or 0) end
      return p
    end,
  }
  local function extreme(direction, position)
    return function(t)
      local best = 1
      for i, x in ipairs(t) do
        if x ~= x then
          best = i
          break
        end
        if o.compare(x, dtype, t[best], dtype) == direction then best = i end
      end
      return position and best or t[best]
    end
  end
  folds.min, folds.max, folds.argmin, folds.argmax = extreme(-1), extreme(1), extreme(-1, true), extreme(1, true)
  local result = dtype
  if name == "any" or name == "all" then result = "bool"
  elseif name == "count" or name == "argmin" or name == "argmax" then result = "int64"
  elseif name == "sum" or name == "prod" then
    result = kind == "f" and dtype or kind == "u" and "uint64" or "int64"
  end
  local fold = folds[name]
  if (name == "any" or name == "all") and not axis then -- over everything `any` and `all` give a Lua boolean
    name, how = name .. "{keep=true}:squeeze", ""
  end
  return ("%s:%s(%s)"):format(text, name, how), each(shape, result, function(i) return fold(groups[i]) end)
end

-- A view of an expression: the text, and a model that shares the store where it is a variable's.
function Program:seen(text, m) -- luacheck: no self
  if #m.shape == 0 then return text, m end
  local way = math.random(4)
  if way == 1 then
    local shape, strides = {}, {}
    for i = #m.shape, 1, -1 do shape[#shape + 1], strides[#strides + 1] = m.shape[i], m.strides[i] end
    return text .. ".T", view(m, shape, strides, m.offset)
  elseif way == 2 and contiguous(m) then
    local n = size_of(m.shape)
    local shape = #m.shape == 2 and { n } or n % 2 == 0 and { 2, n // 2 } or { n, 1 }
    return ("%s:reshape(%s)"):format(text, table.concat(shape, ", ")), view(m, shape, c_strides(shape), m.offset)
  elseif way == 3 and #m.shape == 2 then
    local axis = math.random(2)
    local at = math.random(m.shape[axis])
    local other = 3 - axis
    local name = axis == 1 and "row" or "col"
    return ("%s:%s(%d)"):format(text, name, chance(30) and at - m.shape[axis] - 1 or at),
      view(m, { m.shape[other] }, { m.strides[other] }, m.offset + (at - 1) * m.strides[axis])
  end
  local words, shape, strides, offset = {}, {}, {}, m.offset
  for axis, extent in ipairs(m.shape) do
    if extent > 1 and chance(60) then
      local first, last = math.random(extent), math.random(extent)
      local step = first <= last and 1 or -1
      if chance(20) then step = step * 2 end
      words[axis] = step == 1 and ("{%d, %d}"):format(first, last) or ("{%d, %d, %d}"):format(first, last, step)
      shape[axis], strides[axis] = (last - first) // step + 1, m.strides[axis] * step
      offset = offset + (first - 1) * m.strides[axis]
    else
      words[axis], shape[axis], strides[axis] = '":"', extent, m.strides[axis]
    end
  end
  return ("%s:slice(%s)"):format(text, table.concat(words, ", ")), view(m, shape, strides, offset)
end

function Program:chosen(text, m)
  local number, mask = self:choose(function(b) return b.dtype == "bool" and takes(m, b) end)
  if not number then return text, m end
  local other, b = self:choose(function(one) return takes(m, one) end)
  if not other then return text, m end
  local shape = m.shape
  local dtype = o.promote(m.dtype, b.dtype)
  local x, y = met(m, b, dtype, shape)
  local flags = read(mask, shape)
  return ("dc.where(v[%d], %s, v[%d])"):format(number, text, other), each(shape, dtype, function(i)
    if flags[i] then return x[i] end
    return y[i]
  end)
end

-- --------------------------------------------------------------------------------------------------------- statements
local statements = {}

local function may_write(m) return not m.fixed and size_of(m.shape) > 0 end

-- Of large ones the text is a formula: whole numbers that come again after a while.
local function create_large(p, shape, dtype)
  local n, factor, values = size_of(shape), math.random(1, 999), {}
  local most = o.kind[dtype] == "u" and 0 or 50
  for i = 1, n do values[i] = o.cast(i * factor % 101 - most, "int64", dtype) end
  p:define(("to(dc.arange(1, %d, \"int64\") * %d %% 101 - %d, %q):reshape(%s)"):format(n, factor, most, dtype,
    table.concat(shape, ", ")), fresh(dtype, shape, values))
end

function statements.create(p)
  local shape, dtype, values = {}, pick(p.dtypes), {}
  for axis, extent in ipairs(pick(shapes)) do shape[axis] = extent > 1 and extent * p.scale or 1 end
  if p.scale > 1 then return create_large(p, shape, dtype) end
  for i = 1, size_of(shape) do values[i] = value(dtype) end
  p:define(("dc.array(%s, %q)"):format(nested(shape, values), dtype), fresh(dtype, shape, values))
end

function statements.compute(p)
  local text, m = p:expression(math.random(p.depth))
  if not text or size_of(m.shape) == 0 then return end
  -- A variable once more, or a view of one, would be the same memory: that is another statement's business.
  if text:find "^v%[%d+%]$" then return end
  if not m.root then
    local bare = text:match "^v%[(%d+)%]"
    if not bare or text:find "[(%[].*v%[%d+%]" and not text:find "^v%[%d+%][:.]" then m.root = nil end
  end
  p:define(text, m)
end

function statements.look(p)
  local number, m = p:choose()
  if not number then return end
  local text, seen = p:seen(("v[%d]"):format(number), m)
  if seen ~= m and size_of(seen.shape) > 0 then p:define(text, seen) end
end

function statements.stretch(p)
  local number, m = p:choose(function(m) return size_of(m.shape) <= 6 * p.scale end)
  if not number then return end
  local shape = broadcast(m.shape, { 6 * p.scale, 4 * p.scale })
  if not shape or #shape ~= 2 then return end
  local strides, skip = {}, 2 - #m.shape
  for axis = 1, 2 do
    local own = axis - skip
    strides[axis] = own > 0 and m.shape[own] ~= 1 and m.strides[own] or 0
  end
  local stretched = view(m, shape, strides, m.offset)
  stretched.fixed = true
  p:define(("v[%d]:broadcast_to(%s)"):format(number, table.concat(shape, ", ")), stretched)
end

function statements.set_one(p)
  local number, m = p:choose(may_write)
  if not number or #m.shape == 0 then return end
  local words, at, new = {}, m.offset, value(m.dtype)
  for axis, extent in ipairs(m.shape) do
    local i = math.random(extent)
    words[axis] = chance(30) and i - extent - 1 or i
    at = at + (i - 1) * m.strides[axis]
  end
  local key = #words == 1 and chance(50) and words[1] or list_text(words)
  p:run(("v[%d][%s] = %s"):format(number, key, literal(new)))
  m.store[at] = new
end

function statements.set_block(p)
  local number, m = p:choose(may_write)
  if not number or #m.shape == 0 then return end
  local text, block = p:seen(("v[%d]"):format(number), m)
  local words = text:match ":slice(%b())"
  if not words or size_of(block.shape) == 0 then return end
  local key = "{" .. words:sub(2, -2) .. "}"
  if chance(40) then
    local new = value(m.dtype)
    p:run(("v[%d][%s] = %s"):format(number, key, literal(new)))
    for _, at in ipairs(places(block)) do m.store[at] = new end
    return
  end
  p:assign(("v[%d][%s] = "):format(number, key), "", block)
end

-- Assigns some expression that fits to a model.
function Program:assign(before, after, m)
  for _ = 1, 6 do
    local text, from = self:expression(math.random(0, self.depth))
    if not text then return end
    if takes(m, from) then
      local values = read(from, m.shape)
      self:run(before .. text .. after)
      for i = 1, #values do values[i] = o.cast(values[i], from.dtype, m.dtype) end
      write(m, values)
      return true
    end
  end
end

function statements.set_all(p)
  local number, m = p:choose(may_write)
  if not number then return end
  if chance(50) and #m.shape > 0 then p:assign(("v[%d][\":\"] = "):format(number), "", m)
  else p:assign(("v[%d]:copy_from("):format(number), ")", m) end
end

-- All of an array, along some axes backwards.
local function reversed(text, m)
  local words, strides, offset = {}, {}, m.offset
  for axis, extent in ipairs(m.shape) do
    local back = chance(60)
    words[axis], strides[axis] = back and "{-1, 1, -1}" or '":"', back and -m.strides[axis] or m.strides[axis]
    if back then offset = offset + (extent - 1) * m.strides[axis] end
  end
  return ("%s:slice(%s)"):format(text, table.concat(words, ", ")), view(m, m.shape, strides, offset)
end

-- a[":"] = an expression that reads a, in place or through an overlapping view.
function statements.update(p)
  local number, m = p:choose(may_write)
  if not number or #m.shape == 0 then return end
  local text, other = p:seen(("v[%d]"):format(number), m)
  if chance(50) then text, other = reversed(("v[%d]"):format(number), m) end
  if not takes(m, other) then text, other = ("v[%d]"):format(number), m end
  local sign = pick(arithmetic)
  if m.dtype == "bool" then sign = pick { "&", "|", "~" } end
  local new = binary(sign, m, other, m.shape)
  p:run(("v[%d][\":\"] = v[%d] %s %s"):format(number, number, sign, text))
  local values = new.store
  for i = 1, #values do values[i] = o.cast(values[i], new.dtype, m.dtype) end
  write(m, values)
end

function statements.fill(p)
  local number, m = p:choose(may_write)
  if not number then return end
  local new = value(m.dtype)
  p:run(("v[%d]:fill(%s)"):format(number, literal(new)))
  for _, at in ipairs(places(m)) do m.store[at] = new end
end

function statements.copy(p)
  local number, m = p:choose()
  if not number or size_of(m.shape) == 0 then return end
  p:define(("v[%d]:copy()"):format(number), fresh(m.dtype, m.shape, read(m)))
end

programs.source = [=[
template<class T> __global__ void add(int n, const T *x, T *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] + x[i];
}
template<class T> __global__ void twist(int n, const T *x, T *y, T *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { y[i] = x[i] - y[i]; z[n - 1 - i] = x[i]; }
}
template<class T> __global__ void reverse(int n, T *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) { T t = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = t; }
}]=]

local kernel_dtypes = { int8 = true, int32 = true, uint8 = true, int64 = true, uint32 = true, float32 = true,
  float64 = true, int16 = true, uint16 = true, uint64 = true }

local function for_kernel(m) return kernel_dtypes[m.dtype] and contiguous(m) and may_write(m) end

function statements.launch(p)
  local number, y = p:choose(for_kernel)
  if not number then return end
  local n = size_of(y.shape)
  local function fits(m)
    return m.dtype == y.dtype and contiguous(m) and size_of(m.shape) >= n and
      (m.store ~= y.store or m.offset == y.offset)
  end
  local dtype, ys = y.dtype, read(y)
  if chance(30) then
    p:run(("k.reverse[%q](200, 64, %d, v[%d])"):format(dtype, n, number))
    for i = 1, n // 2 do ys[i], ys[n + 1 - i] = ys[n + 1 - i], ys[i] end
    write(y, ys)
    return
  end
  local other, x = p:choose(fits)
  if not other then return end
  local xs = read(x)
  if chance(50) and x.store ~= y.store then
    local third, z = p:choose(function(m)
      return for_kernel(m) and m.dtype == dtype and size_of(m.shape) == n and m.store ~= y.store and m.store ~= x.store
    end)
    if third then
      p:run(("k.twist[%q](200, 64, %d, v[%d], v[%d], v[%d])"):format(dtype, n, other, number, third))
      local zs = {}
      for i = 1, n do ys[i], zs[n + 1 - i] = o.arithmetic("-", xs[i], ys[i], dtype), xs[i] end
      write(y, ys)
      write(z, zs)
      return
    end
  end
  p:run(("k.add[%q](200, 64, %d, v[%d], v[%d])"):format(dtype, n, other, number))
  for i = 1, n do ys[i] = o.arithmetic("+", ys[i], xs[i], dtype) end
  write(y, ys)
end

function statements.read(p)
  local number = p:choose()
  if number then p:check(number) end
end

function statements.eval(p)
  local number = p:choose()
  if number then p:run(("v[%d]:eval()"):format(number)) end
end

-- Reads rows or elements by an array of places, writes by a mask.
function statements.gather(p)
  local number, m = p:choose(function(m) return #m.shape > 0 and size_of(m.shape) > 0 end)
  if not number then return end
  if chance(50) or not may_write(m) then
    local at, list = {}, {}
    for i = 1, math.random(5) do at[i] = math.random(m.shape[1]) end
    for i = 1, #at do list[i] = literal(chance(20) and at[i] - m.shape[1] - 1 or at[i]) end
    local rest = { table.unpack(m.shape, 2) }
    local inner, values, all = size_of(rest), {}, read(m)
    for i = 1, #at do
      for k = 1, inner do values[#values + 1] = all[(at[i] - 1) * inner + k] end
    end
    table.insert(rest, 1, #at)
    p:define(("v[%d][dc.array(%s, \"int32\")]"):format(number, list_text(list)), fresh(m.dtype, rest, values))
    return
  end
  local other, mask = p:choose(function(b)
    return b.dtype == "bool" and takes(b, m) and takes(m, b) and #b.shape == #m.shape
  end)
  if not other then return end
  local flags, at, new = read(mask), places(m), value(m.dtype)
  p:run(("v[%d][v[%d]] = %s"):format(number, other, literal(new)))
  for i = 1, #flags do if flags[i] then m.store[at[i]] = new end end
end

-- Not every array is closed that could be: the others go by garbage.
function statements.close(p)
  local number, m = p:choose(function(m) return m.root end)
  if not number or chance(40) then return end
  p:run(("v[%d]:close()"):format(number))
  for i = #p.live, 1, -1 do
    if p.models[p.live[i]].store == m.store then p:forget(p.live[i]) end
  end
end

function statements.drop(p)
  local number = p:choose()
  if number and #p.live > 3 then p:forget(number) end
end

function statements.collect(p)
  p:run(pick { "collectgarbage()", "collectgarbage 'step'", "collectgarbage 'step'" })
end

function statements.stream(p) p:run(chance(50) and "dc.use(first)" or "dc.synchronize()") end

-- A capture of y = y op x, run a few times: at once, and perhaps again later.
function statements.capture(p)
  local number, y = p:choose(may_write)
  if not number or #y.shape == 0 then return end
  local other, x = p:choose(function(m) return takes(y, m) and m.store ~= y.store and m.dtype ~= "bool" end)
  if not other then return end
  local sign = pick(arithmetic)
  p.graphs = p.graphs + 1
  local line = ("g[%d] = dc.graph(function() v[%d][\":\"] = v[%d] %s v[%d] end)"):format(p.graphs, number, number, sign,
    other)
  p:run(line)
  p.captured[p.graphs] = function()
    local new = binary(sign, y, x, y.shape)
    local values = new.store
    for i = 1, #values do values[i] = o.cast(values[i], new.dtype, y.dtype) end
    write(y, values)
  end
  statements.replay(p)
end

-- A loop that makes a graph larger than one kernel takes, by deep nesting or by many operands.
function statements.grow(p)
  local number, m = p:choose(function(m) return m.dtype ~= "bool" and #m.shape > 0 end)
  if not number then return end
  local operands, models = {}, {}
  for _ = 1, math.random(4) == 1 and 20 or math.random(2) do
    local other, b = p:choose(function(b) return takes(m, b) and o.promote(m.dtype, b.dtype) == m.dtype end)
    if not other then return end
    operands[#operands + 1], models[#models + 1] = other, b
  end
  local sign, times = pick(arithmetic), math.random(30, 90)
  local words = {}
  for i = 1, #operands do words[i] = ("v[%d]"):format(operands[i]) end
  p.count = p.count + 1
  p:run(("v[%d] = v[%d]; local t = {%s}; for i = 1, %d do v[%d] = v[%d] %s t[i %% #t + 1] end"):format(p.count, number,
    table.concat(words, ", "), times, p.count, p.count, sign))
  local values = read(m)
  for i = 1, times do
    local b = models[i % #models + 1]
    local y = read(b, m.shape)
    for k = 1, #values do
      values[k] = o.arithmetic(sign, values[k], o.cast(y[k], b.dtype, m.dtype), m.dtype)
    end
  end
  p.models[p.count] = fresh(m.dtype, m.shape, values)
  p.live[#p.live + 1] = p.count
end

function statements.replay(p)
  if p.graphs == 0 then return end
  local number = math.random(p.graphs)
  for _ = 1, math.random(3) do
    p:run(("g[%d]()"):format(number))
    p.captured[number]()
  end
end

local weights = {
  { "create", 6 }, { "compute", 40 }, { "look", 10 }, { "stretch", 2 }, { "set_one", 8 }, { "set_block", 8 },
  { "set_all", 6 }, { "update", 6 }, { "fill", 3 }, { "copy", 2 }, { "launch", 10 }, { "read", 3 }, { "eval", 2 },
  { "close", 2 }, { "drop", 14 }, { "collect", 3 }, { "capture", 1 }, { "replay", 1 }, { "stream", 1 },
  { "grow", 1 }, { "gather", 3 },
}
local total = 0
for _, w in ipairs(weights) do total = total + w[2] end

local function pick_statement()
  local at = math.random(total)
  for _, w in ipairs(weights) do
    at = at - w[2]
    if at <= 0 then return w[1] end
  end
end

-- Kernels of the source, by dtype, made when first asked for.
local function kernel_table()
  local module = dc.module(programs.source)
  local names = {}
  for _, name in ipairs { "add", "twist", "reverse" } do
    names[name] = setmetatable({}, { __index = function(t, dtype)
      t[dtype] = module:kernel(name, dtype)
      return t[dtype]
    end })
  end
  return names
end

-- Runs program `number`: statements on at most these dtypes (all by default), expressions of at most this depth,
-- all extents times scale.
-- Gives true, or nil and what was wrong, and the program's text. `spoil` makes the model wrong.
function programs.run(number, options)
  math.randomseed(number)
  programs.kernels = programs.kernels or kernel_table()
  local everything = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
    "float64",
  }
  local dtypes = options.dtypes
  if not dtypes then
    dtypes = {}
    for i = 1, math.random(1, 3) do dtypes[i] = pick(everything) end
  end
  local p = setmetatable({
    dtypes = dtypes, depth = options.depth or 2, models = {}, live = {}, lines = {}, count = 0, graphs = 0,
    captured = {}, scale = options.scale or 1,
  }, Program)
  p.env = {
    dc = dc, v = {}, g = {}, k = programs.kernels, math = math, collectgarbage = collectgarbage, first = dc.device(),
    to = function(a, dtype) return a:to(dtype) end,
  }
  local ok, err = xpcall(function()
    for _ = 1, 3 do statements.create(p) end
    for _ = 1, options.statements or math.random(10, 40) do statements[pick_statement()](p) end
    if options.spoil then -- the model, so that the comparison must fail
      local m = p.models[p.live[1]]
      m.store[m.offset] = m.store[m.offset] == 0 and 1 or 0
    end
    for _, n in ipairs(p.live) do p:check(n) end
  end, function(e) return tostring(e) .. "\n" .. debug.traceback() end)
  for _, graph in ipairs(p.env.g) do graph:close() end
  return ok or nil, err, table.concat(p.lines, "\n")
end

return programs
