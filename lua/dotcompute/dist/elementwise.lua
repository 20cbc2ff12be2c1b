-- Operators and functions of distributed arrays: each rank computes those of its block, pending and fused as they are
-- for arrays. Plain arrays among the operands are the same on every rank, and each uses its part of them.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local object = require "dotcompute.dist.object"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local methods, meta = object.methods, object.meta

local operators = {
  ["+"] = function(a, b) return a + b end, ["*"] = function(a, b) return a * b end,
  ["/"] = function(a, b) return a / b end, ["//"] = function(a, b) return a // b end,
  ["%"] = function(a, b) return a % b end, ["^"] = function(a, b) return a ^ b end,
  ["&"] = function(a, b) return a & b end, ["|"] = function(a, b) return a | b end,
  ["<<"] = function(a, b) return a << b end, [">>"] = function(a, b) return a >> b end,
  ["-"] = function(a, b) if b == nil then return -a end return a - b end,
  ["~"] = function(a, b) if b == nil then return ~a end return a ~ b end,
}

-- The state of the first distributed operand, and the number of axes behind its axis of distribution, since shapes are
-- aligned at their ends. Raises where another operand has another communicator, axis or extent along it.
local function layout_of(name, args)
  local first, behind
  for i = 1, args.n do
    if object.is(args[i]) then
      local s = object.check("'" .. name .. "'", args[i])
      if not first then
        first, behind = s, s.ndim - s.axis
      elseif s.comm ~= first.comm then
        fail("argument", "'%s': the operands are distributed by different communicators", name)
      elseif s.ndim - s.axis ~= behind then
        fail("shape", "'%s': one operand, %s, is distributed along axis %d, another, %s, along axis %d; "
          .. "x:redistribute(axis) changes that", name, object.shape_text(first.shape), first.axis,
          object.shape_text(s.shape), s.axis)
      elseif s.shape[s.axis] ~= first.shape[first.axis] then
        fail("shape", "'%s': the operands have %d and %d elements along the axis of distribution", name,
          first.shape[first.axis], s.shape[s.axis])
      end
    end
  end
  return first, behind
end

-- The part of a plain array that belongs to the elements first..last along the axis of distribution.
local function part_of(name, a, behind, n, first, last, device)
  local axis = a.ndim - behind
  if axis >= 1 then
    local extent = select(axis, a:shape())
    if extent == n and n ~= 1 then a = algorithm.range(a, axis, first, last)
    elseif extent ~= 1 then
      fail("shape", "'%s': a distributed array with %d elements along its axis of distribution and an array with %d",
        name, n, extent)
    elseif n == 1 and last < first then a = algorithm.range(a, axis, 1, 0) end
  end
  return object.on_device(a, device)
end

-- Whether two open arrays have their elements on the same ranks, without broadcasting.
local function alike(s, t)
  if s.comm ~= t.comm or s.axis ~= t.axis or s.ndim ~= t.ndim or s.closed or t.closed then return false end
  for a = 1, s.ndim do
    if s.shape[a] ~= t.shape[a] then return false end
  end
  return true
end

-- The common case: two distributed arrays that are alike, or one and a number; nil for others.
local function apply_fast(fn, a, b)
  local s = getmetatable(a) == meta and a.state
  local t = s and (type(b) == "number" and s or getmetatable(b) == meta and b.state)
  if not t or not alike(s, t) then return nil end
  local parts, number = {}, type(b) == "number"
  for k, part in ipairs(s.parts) do parts[k] = fn(part, number and b or t.parts[k]) end
  return object.new(s.comm, s.axis, s.shape, parts)
end

-- name(...) of operands of which at least one is a distributed array.
local function apply(name, ...)
  if name == "min" or name == "max" or name == "cast" then return methods[name](...) end
  local args = table.pack(...)
  local fn = operators[name] or dc[name]
  local like, behind = layout_of(name, args)
  local comm, n, parts, ndim = like.comm, like.shape[like.axis], {}, 0
  for i = 1, args.n do
    local v = args[i]
    if type(v) == "table" and not object.is(v) then -- a table of numbers
      v = algorithm.on(comm.device, dc.array, v, like.dtype)
      args[i] = v
    end
    if object.is(v) or core.is_array(v) then ndim = math.max(ndim, v.ndim) end
  end
  for k, place in ipairs(object.places(comm)) do
    local first, last = object.bounds(n, place.rank + 1, comm.size)
    local own = { n = args.n }
    for i = 1, args.n do
      local v = args[i]
      if object.is(v) then own[i] = v.state.parts[k]
      elseif core.is_array(v) then own[i] = part_of(name, v, behind, n, first, last, place.device)
      else own[i] = v end
    end
    parts[k] = fn(table.unpack(own, 1, own.n))
  end
  return object.of_parts(comm, ndim - behind, n, parts)
end

meta.__symbolic = apply -- functions of arrays, and operators whose other operand is an array, call it (lua/operators.c)
for event, name in pairs { add = "+", sub = "-", mul = "*", div = "/", idiv = "//", mod = "%", pow = "^", band = "&",
  bor = "|", bxor = "~", shl = "<<", shr = ">>" } do
  local fn = operators[name]
  meta["__" .. event] = function(a, b) return apply_fast(fn, a, b) or (apply(name, a, b)) end
end
function meta.__unm(a) return (apply("-", a)) end
function meta.__bnot(a) return (apply("~", a)) end

for name in pairs(core.functions()) do
  methods[name] = function(d, ...)
    object.check(name, d)
    return (apply(name, d, ...))
  end
end
methods.cast = function(d, dtype) return (methods.to(d, dtype)) end

-- Writes the elements of a distributed array of this layout, or of an array or number, into this one.
function methods.copy_from(d, v)
  local s = object.check("copy_from", d)
  if type(v) == "number" then return methods.fill(d, v) end
  if not object.is(v) and not core.is_array(v) then
    fail("argument", "copy_from: a distributed array, an array or a number expected, got %s", core.describe(v))
  end
  local _, behind = layout_of("copy_from", { d, v, n = 2 })
  local comm, n = s.comm, s.shape[s.axis]
  if v.ndim > s.ndim then
    fail("shape", "copy_from: the array has %d axes, the target %d", v.ndim, s.ndim)
  end
  for k, place in ipairs(object.places(comm)) do
    local first, last = object.bounds(n, place.rank + 1, comm.size)
    local from = object.is(v) and v.state.parts[k] or part_of("copy_from", v, behind, n, first, last, place.device)
    if s.parts[k].size > 0 then s.parts[k]:copy_from(from) end
  end
  return d
end

return { apply = apply }
