-- Random CUDA C statements over expressions.lua. What a place allows is in `ctx`:
--   sync    all threads of the block that still run come here together: barriers may stand here
--   mask    the name of a mask of the threads of this warp that come here together; nil: no warp functions
--   loops   how many loops are around;  exits: break and continue may be used (for the innermost);  flow: either
--   returns threads may return here: no earlier code that needs all threads is executed again
--   label   a name that `goto` may leave an outer loop by
--   depth   how deep statements may still nest
local expressions = require "spec.random.expressions"

local writer = require "spec.random.writer"
local features = require "spec.random.features"

local statements = {}
local random = math.random
local pick, chance, expression = expressions.pick, expressions.chance, expressions.expression
local is_float = expressions.is_float
local put, fresh, with, add_variable, assignable =
  writer.put, writer.fresh, writer.with, writer.add_variable, writer.assignable

local function block(g, ctx, n)
  local known = #g.vars
  g.indent = g.indent + 1
  statements.several(g, ctx, n)
  g.indent = g.indent - 1
  while #g.vars > known do g.vars[#g.vars] = nil end
end

-- --- simple ones -----------------------------------------------------------------------------------------------
function statements.declare(g)
  local type = pick(expressions.types)
  local class = pick { "u", "a", "v", "v" }
  if class == "a" and (is_float[type] or type:find "short" or type:find "char") then class = "v" end
  local name = fresh(g, class)
  put(g, "%s %s = %s;", type, name, expression(g, type, random(1, 3), class))
  add_variable(g, { name = name, type = type, class = class })
end

local function assign(g)
  local v = assignable(g)
  if not v then return statements.declare(g) end
  put(g, "%s = %s;", v.name, expression(g, v.type, random(1, 3), v.class))
end

-- A variable moved by a step, as loops carry them.
local function step(g)
  local v = assignable(g)
  if not v then return statements.declare(g) end
  local by = expression(g, v.type, chance(60) and 0 or 1, chance(70) and "u" or v.class)
  if v.type == "int" then put(g, "%s = (int)((unsigned)%s + (unsigned)%s);", v.name, v.name, by)
  elseif v.type == "ll" then put(g, "%s = (ll)((ull)%s + (ull)%s);", v.name, v.name, by)
  else put(g, "%s = (%s)(%s %s %s);", v.name, v.type, v.name, pick { "+", "-" }, by) end
end

local function swap(g)
  local v = assignable(g)
  if not v then return statements.declare(g) end
  for _ = 1, 8 do
    local w = assignable(g)
    if w ~= v and w.type == v.type then
      local name = fresh(g, "t")
      put(g, "%s %s = %s; %s = %s; %s = %s;", v.type, name, v.name, v.name, w.name, w.name, name)
      return
    end
  end
  assign(g)
end

local outputs = { oi = "int", of = "float", od = "double", os = "short", oc = "uchar", o = "ull" }
local output_names = { "oi", "of", "od", "os", "oc", "o" }
local function store(g)
  local name = pick(output_names)
  local target = ("%s[%s]"):format(name, writer.place(g, name))
  if chance(20) then
    local type = outputs[name]
    if is_float[type] then put(g, "%s += %s;", target, expression(g, type, 1))
    else put(g, "%s ^= %s;", target, expression(g, type, 1)) end
  else
    put(g, "%s = %s;", target, expression(g, outputs[name], random(1, 3)))
  end
end

local function write_local(g)
  if not g.array then return assign(g) end
  put(g, "local[%s] = %s;", expressions.index(g, 8, "v", random(0, 2)), expression(g, "int", 2))
end

local function use_record(g)
  if not g.record then return assign(g) end
  local op = random(6)
  if op == 1 then put(g, "change(&r, %s);", expression(g, "int", 1))
  elseif op == 2 then put(g, "r.a = %s;", expression(g, "int", 2))
  elseif op == 3 then put(g, "r.e = %s;", expression(g, "ll", 2))
  elseif op == 4 then put(g, "if (%s) r.b = %s;", expressions.condition(g, 1), expression(g, "float", 2))
  else
    local field = pick { { "a", "int" }, { "b", "float" }, { "c", "short" }, { "d", "double" }, { "e", "ll" } }
    local name = fresh(g, "v")
    put(g, "%s %s = r.%s;", field[2], name, field[1])
    add_variable(g, { name = name, type = field[2], class = "v" })
  end
end

-- Each element of these arrays is changed by one kind of operation and never read, so the order does not matter.
local atomics = { "Add", "Min", "Max", "And", "Or", "Xor" }
local function atomic(g)
  local which = random(6)
  local array, type = table.unpack(pick { { "ai", "int" }, { "au", "unsigned" }, { "aq", "ull" } })
  local class = pick { "u", "a", "v", "v" }
  put(g, "atomic%s(&%s[%d + %s], %s);", atomics[which], array, (which - 1) * 32, expressions.index(g, 32, class),
    expression(g, type, 2, pick { "u", "a", "v" }))
end

-- Loops that wait for other threads: compare-and-swap until it succeeds, and a lock. Behind a lock a warp may be in
-- parts for long, and parts that call a function do not meet inside it.
local function contend(g)
  if chance(70) then
    local at, old, seen = fresh(g, "n"), fresh(g, "n"), fresh(g, "n")
    put(g, "int %s = %s, %s = ai[%s], %s;", at, expressions.index(g, 32, pick { "u", "a", "v" }), old, at, seen)
    put(g, "do {")
    put(g, "  %s = %s;", seen, old)
    put(g, "  %s = atomicCAS(&ai[%s], %s, (int)((unsigned)%s + (unsigned)%s));", old, at, seen, seen,
      expression(g, "int", 1))
    return put(g, "} while (%s != %s);", old, seen)
  end
  local done = fresh(g, "c")
  g.parted = true
  put(g, "bool %s = false;", done)
  put(g, "while (!%s) {", done)
  put(g, "  if (atomicCAS(&ai[192], 0, 1) == 0) {")
  put(g, "    *(volatile unsigned *)&ai[193] = *(volatile unsigned *)&ai[193] + (unsigned)%s;", expression(g, "int", 1))
  put(g, "    __threadfence();")
  put(g, "    atomicExch(&ai[192], 0);")
  put(g, "    %s = true;", done)
  put(g, "  }")
  put(g, "}")
end

-- --- together --------------------------------------------------------------------------------------------------
local function barrier(g, ctx)
  if not ctx.sync then return assign(g) end
  local form = random(6)
  if form == 1 then return put(g, "__syncthreads();") end
  local name = fresh(g, "v")
  if form == 2 then
    local class = pick { "u", "v" }
    put(g, "int %s = __syncthreads_%s(%s);", name, pick { "count", "or", "and" }, expressions.condition(g, 1, class))
    add_variable(g, { name = name, type = "int", class = "u" })
    return
  end
  local array, type = table.unpack(pick { { "si", "int" }, { "sf", "float" }, { "sq", "ull" },
    g.dynamic and { "dynamic", "ull" } or nil })
  if form == 3 and array == "si" then
    put(g, "__syncthreads();")
    put(g, "si[lt] = %s;", expressions.constant "int")
    put(g, "__syncthreads();")
    put(g, "atomic%s(&si[(unsigned)(%s) %% (unsigned)nt], %s);", pick(atomics), expression(g, "int", 1),
      expression(g, "int", 2))
  else
    put(g, "%s[lt] = %s;", array, expression(g, type, 2))
  end
  put(g, "__syncthreads();")
  local at = pick {
    ("(unsigned)(%s) %% (unsigned)nt"):format(expression(g, "int", 1)), "nt - 1 - lt", "(lt ^ 1) < nt ? lt ^ 1 : lt",
    ("(lt + %d) %% nt"):format(random(1, 40)), "0", ("(lt & ~%d)"):format(pick { 3, 7, 31 }),
    ("min(%s, nt - 1)"):format(expressions.index(g, 1024, "a")),
  }
  put(g, "%s %s = %s[%s];", type, name, array, at)
  put(g, "__syncthreads();")
  add_variable(g, { name = name, type = type, class = "v" })
end

local function warp(g, ctx)
  local m = writer.mask(g, ctx)
  if not m then return assign(g) end
  local name = fresh(g, "v")
  local form = random(8)
  local type, class = "unsigned", "u"
  if form == 1 then put(g, "unsigned %s = __ballot_sync(%s, %s);", name, m, expressions.condition(g, 2))
  elseif form == 2 then
    type = "int"
    put(g, "int %s = __%s_sync(%s, %s);", name, pick { "any", "all" }, m, expressions.condition(g, 2))
  elseif form == 3 then
    put(g, "unsigned %s = __match_any_sync(%s, %s);", name, m, expression(g, "int", 1) .. " & 3")
    class = "v"
  elseif form == 4 then
    put(g, "unsigned %s = __popc(%s & ((1u << (lt & 31)) - 1));", name, m)
    class = "v"
  elseif form == 5 then
    type = pick { "int", "float", "ll", "double", "unsigned" }
    put(g, "%s %s = __shfl_sync(%s, %s, __ffs(%s) - 1);", type, name, m, expression(g, type, 2), m)
  else -- from any lane that takes part
    type, class = pick { "int", "float", "ll", "double", "unsigned" }, "v"
    local from = fresh(g, "n")
    put(g, "int %s = (%s) & 31;", from, pick {
      ("(lt & 31) ^ %d"):format(pick { 1, 2, 3, 8, 16, 31 }), ("(lt & 31) + %d"):format(random(1, 31)),
      ("(lt & 31) - %d"):format(random(1, 8)), expression(g, "int", 1),
    })
    local value, got = fresh(g, "n"), fresh(g, "n")
    put(g, "%s %s = %s;", type, value, expression(g, type, 1))
    if form == 8 then
      local way, k = pick { "up", "down", "xor" }, random(1, 31)
      put(g, "%s = (lt & 31) %s %d;", from, way == "up" and "-" or way == "down" and "+" or "^", k)
      put(g, "%s %s = __shfl_%s_sync(%s, %s, %d);", type, got, way, m, value, k)
    else
      put(g, "%s %s = __shfl_sync(%s, %s, %s);", type, got, m, value, from)
    end
    put(g, "%s %s = %s >= 0 && %s < 32 && (%s >> %s & 1) ? %s : %s;", type, name, from, from, m, from, got, value)
  end
  add_variable(g, { name = name, type = type, class = class })
end

-- --- branches --------------------------------------------------------------------------------------------------
-- Uniform over the block; for some of these that is only known at run time.
local function strict_condition(g, ctx)
  if ctx.sync and chance(25) then
    return ("__syncthreads_%s(%s)"):format(pick { "or", "and", "count" }, expressions.condition(g, 1))
  end
  return pick { "pz == 0", "pz != 0", "(blockIdx.x & 1) == 0", "pn > 3", "(pu & 4) != 0", "blockIdx.x == 0", "pl < 0",
    "gridDim.x > 2", "lt * pz == 0", "lt * pz != 0", "(threadIdx.x & pz) < pn", "xi[pn] < 0", "xi[pn + lt * pz] > 0",
    "table[pn] > 3" }
end

local function branch(g, ctx)
  if not g.plain and chance(20) then -- the same way for all
    put(g, "if (%s) {", strict_condition(g, ctx))
    block(g, with(ctx, { depth = ctx.depth - 1 }), random(1, 3))
    if chance(50) then
      put(g, "} else {")
      block(g, with(ctx, { depth = ctx.depth - 1 }), random(1, 3))
    end
    return put(g, "}")
  end
  local inner = with(ctx, { sync = "none", mask = "none", depth = ctx.depth - 1 })
  local class = pick { "u", "a", "v", "v" }
  local condition = expressions.condition(g, 2, class)
  local other = inner
  if writer.mask(g, ctx) and chance(50) then
    local name, yes = fresh(g, "m"), fresh(g, "c")
    put(g, "bool %s = %s;", yes, condition)
    put(g, "unsigned %s = __ballot_sync(%s, %s);", name, ctx.mask, yes)
    condition, inner = yes, with(inner, { mask = name })
    if chance(50) then other = with(other, { mask = ("(%s & ~%s)"):format(ctx.mask, name) }) end
  end
  put(g, "if (%s) {", condition)
  block(g, inner, random(1, 4))
  if chance(50) then
    put(g, "} else {")
    block(g, other, random(1, 3))
  end
  put(g, "}")
end

local function switch(g, ctx)
  local inner = with(ctx, { sync = "none", mask = "none", depth = ctx.depth - 1, exits = ctx.exits and "continue" })
  local n = chance(75) and random(2, 6) or random(7, 14)
  put(g, "switch ((unsigned)%s %% %du) {", expression(g, "int", 1, pick { "u", "a", "v" }), n + random(0, 2))
  for i = 0, n - 1 do
    put(g, i == n - 1 and chance(50) and "default: {" or "case %d: {", i)
    block(g, inner, random(1, 2))
    put(g, chance(75) and "} break;" or "}")
  end
  put(g, "}")
end

local function leave(g, ctx)
  if not ctx.flow then return assign(g) end
  local condition = expressions.condition(g, 1, pick { "u", "a", "v", "v" })
  if g.plain and chance(20) then return put(g, "if (%s) return %s;", condition, expression(g, g.result, 1)) end
  if not g.plain and ctx.returns and chance(12) then -- from here on the set of running threads is unknown
    g.masks_gone = true
    return put(g, "if (%s) return;", condition)
  end
  if ctx.label and chance(30) then
    g.used[ctx.label] = true
    return put(g, "if (%s) goto %s;", condition, ctx.label)
  end
  if ctx.exits and chance(80) then
    if chance(25) then
      put(g, "if (%s) {", condition)
      block(g, with(ctx, { sync = "none", mask = "none", depth = ctx.depth - 1 }), random(1, 2))
      put(g, "  %s;", ctx.exits == "continue" and "continue" or pick { "break", "continue" })
      return put(g, "}")
    end
    return put(g, "if (%s) %s;", condition, ctx.exits == "continue" and "continue" or pick { "break", "break",
      "continue" })
  end
  assign(g)
end

local function early_return(g, ctx)
  if g.plain or ctx.loops > 0 or not (ctx.sync and writer.mask(g, ctx) == "mask") then return assign(g) end
  local name = fresh(g, "c")
  put(g, "bool %s = %s;", name, expressions.condition(g, 1, pick { "a", "v" }))
  put(g, "mask = __ballot_sync(mask, !%s);", name)
  put(g, "if (%s) {", name)
  block(g, with(ctx, { sync = "none", mask = "none", depth = 1 }), random(0, 2))
  put(g, "  return;")
  put(g, "}")
end

-- --- loops -----------------------------------------------------------------------------------------------------
-- Trip counts as text, with the most they can be.
local function trips(g, kind)
  if kind == "strict" then
    if g.plain or chance(40) then
      local n = random(1, 6)
      return tostring(n), n
    end
    if chance(15) then return "pn + lt * pz", g.scalars.pn end
    if chance(70) then return "pn", g.scalars.pn end
    return "(int)(blockIdx.x & 3) + 1", 4
  end
  local m = pick { 3, 7, 7, 5 }
  return ("(%s & %d)"):format(expression(g, "int", 1, kind), m), m
end

local function loop_body(g, ctx, strict, variable)
  local n = random(1, 4)
  local inner
  if strict and chance(65) then
    inner = with(ctx, { depth = ctx.depth - 1, loops = ctx.loops + 1, exits = "none", flow = "none", label = "none",
      returns = "none" })
  else
    inner = with(ctx, { depth = ctx.depth - 1, loops = ctx.loops + 1, exits = true, flow = true, sync = "none",
      mask = "none" })
  end
  local known = #g.vars
  if variable then add_variable(g, variable) end
  block(g, inner, n)
  while #g.vars > known do g.vars[#g.vars] = nil end
end

-- A value of the previous iteration, in a variable that has none in the first.
local function turn_before(g, i, last)
  local v = assignable(g)
  if not v then return end
  local w = fresh(g, "w")
  put(g, "  ull %s = (ull)(%s) + (unsigned)(threadIdx.x + %s * %d - %d);", w, expressions.wrapping(g, "a"), i,
    random(0, 40), random(0, 40))
  local by = pick { last, ("guarded(xi, %s, 3)"):format(last) }
  put(g, "  if (%s > 0) %s = (%s)(%s ^ (ull)(%s));", i, v.name, v.type,
    is_float[v.type] and "(ull)lt" or "(ull)" .. v.name,
    by)
  put(g, "  %s = %s;", last, w)
end

local loops = {}

function loops.up(g, ctx, kind, i)
  local last = not g.plain and chance(25) and fresh(g, "last")
  if last then
    put(g, "ull %s;", last)
    if chance(50) then put(g, "#pragma unroll 1") end
  end
  local text, most = trips(g, kind)
  local by = chance(70) and "i++" or "i += " .. random(2, 3)
  put(g, ("for (int i = 0; i < %s; %s) {"):gsub("%f[%w]i%f[%W]", i):gsub("i%+%+", i .. "++"), text,
    (by:gsub("%f[%w]i%f[%W]", i)))
  if last then turn_before(g, i, last) end
  loop_body(g, ctx, kind == "strict", { name = i, type = "int", class = "u", fixed = true, low = 0,
    high = math.max(most - 1, 0) })
  put(g, "}")
end

function loops.down(g, ctx, kind, i)
  local text, most = trips(g, kind)
  put(g, "for (int %s = %s; %s > 0; %s--) {", i, text, i, i)
  loop_body(g, ctx, kind == "strict", { name = i, type = "int", class = kind == "strict" and "u" or kind, fixed = true,
    low = 1, high = math.max(most, 1) })
  put(g, "}")
end

-- The variable is read after the loop.
function loops.outside(g, ctx, kind, i)
  local text, most = trips(g, kind)
  put(g, "int %s = 0;", i)
  put(g, "do {")
  loop_body(g, ctx, kind == "strict", { name = i, type = "int", class = "u", fixed = true, low = 0,
    high = math.max(most, 1) })
  put(g, "} while (++%s < %s);", i, text)
  add_variable(g, { name = i, type = "int", class = "u", fixed = true, low = 0, high = math.max(most, 1) })
end

function loops.halving(g, ctx, kind, i)
  put(g, "for (unsigned %s = %s; %s != 0; %s >>= 1) {", i,
    kind == "strict" and (g.plain and "21" or "pu & 31")
      or ("%s & 63"):format(expression(g, "unsigned", 1, kind)), i, i)
  loop_body(g, ctx, kind == "strict", { name = i, type = "unsigned", class = kind == "strict" and "u" or kind,
    fixed = true })
  put(g, "}")
end

function loops.while_(g, ctx, _, i)
  put(g, "int %s = 0;", i)
  put(g, "while (%s++ < %d && %s) {", i, random(3, 8), expressions.condition(g, 2))
  if not g.plain and chance(30) then
    put(g, "atomicAdd(&ai[%d], %s);", random(0, 31), expression(g, "int", 1))
  end
  loop_body(g, ctx, false, { name = i, type = "int", class = "u", fixed = true, low = 0, high = 9 })
  put(g, "}")
  add_variable(g, { name = i, type = "int", class = "u", fixed = true, low = 0, high = 9 })
end

function loops.stride(g, ctx, _, i)
  local limit = random(1, g.fewest * 4)
  if g.plain then return loops.up(g, ctx, "v", i) end
  local type = pick { "int", "int", "unsigned" }
  put(g, "for (%s %s = lt; %s < %d; %s += nt) {", type, i, i, limit, i)
  loop_body(g, ctx, false, { name = i, type = type, class = "a", fixed = true, low = type == "int" and 0 or nil,
    high = limit - 1 })
  put(g, "}")
end

-- A pointer that walks.
function loops.walk(g, ctx, kind, i)
  if g.plain then return loops.up(g, ctx, kind, i) end
  local text, most = trips(g, kind)
  local type, array = table.unpack(pick { { "int", "xi" }, { "float", "xf" }, { "short", "xs" }, { "ll", "xl" } })
  local by = random(-6, 9)
  local room = math.abs(by) * (most + 1)
  local p, v = fresh(g, "p"), fresh(g, "v")
  put(g, "const %s *%s = %s + %d + %s;", type, p, array, by < 0 and room or 0,
    expressions.index(g, expressions.size // 2))
  put(g, "for (int %s = 0; %s < %s; %s++, %s += %d) {", i, i, text, i, p, by)
  local known = #g.vars
  g.indent = g.indent + 1
  put(g, "%s %s = *%s;", type, v, p)
  g.indent = g.indent - 1
  add_variable(g, { name = v, type = type, class = "v", fixed = true })
  loop_body(g, ctx, kind == "strict", { name = i, type = "int", class = "u", fixed = true, low = 0,
    high = math.max(most - 1, 0) })
  while #g.vars > known do g.vars[#g.vars] = nil end
  put(g, "}")
end

function loops.meeting(g, ctx, _, i)
  local j = fresh(g, "j")
  put(g, "for (int %s = 0, %s = %s; %s < %s; %s++, %s -= %d) {", i, j, (trips(g, pick { "u", "a", "v" })), i, j, i, j,
    random(1, 2))
  local known = #g.vars
  add_variable(g, { name = j, type = "int", class = "a", fixed = true, low = -1, high = 7 })
  loop_body(g, ctx, false, { name = i, type = "int", class = "u", fixed = true, low = 0, high = 7 })
  while #g.vars > known do g.vars[#g.vars] = nil end
  put(g, "}")
end

-- Lanes leave one after the other, and those that stay know each other.
function loops.voted(g, ctx, _, i)
  if not writer.mask(g, ctx) then return loops.while_(g, ctx, nil, i) end
  local m, go = fresh(g, "m"), fresh(g, "c")
  put(g, "unsigned %s = %s;", m, ctx.mask)
  put(g, "for (int %s = 0; %s < %d; %s++) {", i, i, random(3, 6), i)
  put(g, "  bool %s = %s;", go, expressions.condition(g, 1))
  put(g, "  %s = __ballot_sync(%s, %s);", m, m, go)
  put(g, "  if (!%s) break;", go)
  local known = #g.vars
  add_variable(g, { name = i, type = "int", class = "u", fixed = true, low = 0, high = 5 })
  block(g, with(ctx, { depth = ctx.depth - 1, loops = ctx.loops + 1, exits = "none", flow = "none", label = "none",
    returns = "none", sync = "none", mask = m }), random(1, 4))
  while #g.vars > known do g.vars[#g.vars] = nil end
  put(g, "}")
end

-- Its exit condition is in the middle.
function loops.endless(g, ctx, kind, i)
  local text, most = trips(g, kind)
  put(g, "for (int %s = 0;; %s++) {", i, i)
  put(g, "  if (%s >= %s) break;", i, text)
  loop_body(g, ctx, kind == "strict", { name = i, type = "int", class = "u", fixed = true, low = 0,
    high = math.max(most - 1, 0) })
  put(g, "}")
end

-- A variable that is no int.
function loops.other(g, ctx, kind, i)
  local text = trips(g, kind)
  local type = pick { "uchar", "short", "ll", "ull", "float", "unsigned" }
  if type == "unsigned" and chance(50) then
    put(g, "for (unsigned %s = %s; %s-- > 0;) {", i, text, i)
  else
    put(g, "for (%s %s = 0; %s < (%s)(%s); %s%s) {", type, i, i, type, text, i, pick { "++", " += 1", " += 2" })
  end
  loop_body(g, ctx, kind == "strict", { name = i, type = type, class = "u", fixed = true })
  put(g, "}")
end

-- Branches to the outer loop's head from the middle of the inner loop, or with no code after the inner loop.
function loops.crossing(g, ctx, _, i)
  local j, label = fresh(g, "j"), fresh(g, "out")
  local over = ("if (%s > %d || %s > %d) "):format(i, random(1, 4), j, random(1, 4))
  local back = chance(50)
  put(g, "int %s = 0, %s = 0;", i, j)
  put(g, back and label .. ":;" or "for (;;) {")
  put(g, "%s++;", i)
  local known = #g.vars
  if chance(50) then
    statements.one(g, with(ctx, { depth = 0, sync = "none", mask = "none", exits = "none", returns = "none" }))
  end
  put(g, "for (%s = 0;; %s++) {", j, j)
  put(g, "  %s%s", over, back and "break;" or ("goto %s;"):format(label))
  loop_body(g, ctx, false, { name = j, type = "int", class = "u", fixed = true, low = 0, high = 5 })
  local inner = expressions.condition(g, 1)
  put(g, "  if (%s) %s", inner, back and ("goto %s;"):format(label) or "break;")
  if back and chance(50) then put(g, "  if (%s) break;", expressions.condition(g, 1)) end
  put(g, "}")
  if not back then
    put(g, "}")
    put(g, "%s:;", label)
  end
  while #g.vars > known do g.vars[#g.vars] = nil end
  add_variable(g, { name = i, type = "int", class = "u", fixed = true, low = 0, high = 6 })
end

-- A loop in a loop that lanes leave after different numbers of iterations. Variables are set before both and change in
-- the inner one, most of them after it has read them: a lane begins it with what it has left there. The inner loop's
-- counter, or its limit, may be such a variable, too.
function loops.nested(g, ctx, _, i)
  local j, limit = fresh(g, "j"), fresh(g, "n")
  local known = #g.vars
  local list = {}
  for n = 1, random(2, 4) do
    local type = pick { "int", "unsigned", "ll", "ull" }
    list[n] = { name = fresh(g, "k"), type = type, class = "v" }
    put(g, "%s %s = %s;", type, list[n].name, expression(g, type, random(0, 1), pick { "u", "a", "v" }))
  end
  local start = ("(%s & %d)"):format(expression(g, "int", 1, pick { "a", "a", "v", "u" }), pick { 7, 31, 63 })
  put(g, "int %s = %s, %s = %d;", j, start, limit, random(8, 90))
  if chance(20) then put(g, "%s += %s & 15;", limit, expression(g, "int", 1, pick { "u", "a", "v" })) end
  if chance(50) then put(g, "#pragma unroll 1") end
  put(g, "for (int %s = 0; %s < %d; %s++) {", i, i, random(2, 5), i)
  if chance(60) then put(g, "  %s = %s;", j, chance(70) and start or tostring(random(0, 9))) end
  for _, v in ipairs(list) do add_variable(g, v) end
  add_variable(g, { name = i, type = "int", class = "u", fixed = true, low = 0, high = 4 })
  if chance(30) then block(g, with(ctx, { depth = 0, sync = "none", mask = "none", exits = "none" }), 1) end
  local first = chance(50)
  put(g, first and "  do {" or "  while (%s < %s) {", j, limit)
  add_variable(g, { name = j, type = "int", class = "a", fixed = true })
  g.indent = g.indent + 2
  for n = #list, 1, -1 do
    local w = pick(chance(70) and list or g.vars)
    local v = table.remove(list, random(n))
    list[#list + 1] = v
    local form = random(4)
    if form == 1 then put(g, "%s = %s;", v.name, expression(g, v.type, 1))
    elseif form == 2 then put(g, "%s = (%s)((ull)%s * 5 + (ull)%s);", v.name, v.type, j, i)
    else put(g, "%s = (%s)((ull)%s * 3 ^ (ull)%s);", v.name, v.type, v.name, is_float[w.type] and j or w.name) end
  end
  local by = chance(60) and tostring(random(1, 9)) or g.plain and "3" or pick { "(pn + 1)", "(lt + 1)", "4" }
  put(g, "%s += %s;", j, by)
  g.indent = g.indent - 1
  if chance(40) then loop_body(g, with(ctx, { depth = math.min(ctx.depth, 1) }), false) end
  g.indent = g.indent - 1
  put(g, first and "  } while (%s < %s);" or "  }", j, limit)
  put(g, "  %s += %d;", limit, random(0, 9))
  if chance(30) then put(g, "  if (%s) %s", expressions.condition(g, 1), chance(70) and "continue;" or "break;") end
  put(g, "}")
  while #g.vars > known do g.vars[#g.vars] = nil end
  for _, v in ipairs(list) do
    add_variable(g, v)
    if not g.plain then put(g, "o[%s] ^= (ull)%s;", writer.place(g, "o"), v.name) end
  end
end

local loop_names = { "up", "up", "up", "down", "outside", "outside", "halving", "while_", "stride", "walk", "meeting",
  "voted", "endless", "other", "crossing", "crossing", "nested", "nested" }

local function loop(g, ctx)
  local kind = pick { "strict", "strict", "u", "a", "v", "v" }
  local label
  if ctx.loops == 0 and chance(30) then
    label = fresh(g, "out")
    ctx = with(ctx, { label = label })
  end
  loops[pick(loop_names)](g, ctx, kind, fresh(g, "i"))
  if label and g.used[label] then put(g, "%s:;", label) end
end

-- --- the choice ------------------------------------------------------------------------------------------------
local simple = { assign, assign, assign, step, step, step, swap, store, store, write_local, use_record, atomic,
  contend, statements.declare, statements.declare, leave, leave, barrier, barrier, warp, warp, early_return }
local plain = { assign, assign, step, step, swap, statements.declare, leave, leave }

function statements.one(g, ctx)
  g.left = g.left - 1
  if ctx.depth > 0 and g.left > 0 and chance(38) then
    if ctx.loops < 3 and chance(55) then return loop(g, ctx) end
    if chance(20) then return switch(g, ctx) end
    return branch(g, ctx)
  end
  if not g.plain and chance(g.features) then return pick(features)(g, ctx) end
  pick(g.plain and plain or simple)(g, ctx)
end

function statements.several(g, ctx, n)
  for _ = 1, n do
    if g.left <= 0 then return end
    statements.one(g, ctx)
  end
end

return statements
