-- Which of a kernel's Lua integers fit in 32 bits, by interval analysis: CUDA C then computes them in `int`, which
-- takes fewer registers and instructions of a GPU, and fills vectors of the CPU device. Others stay in 64 bits.
--
-- An interval is { low, high }; false: any integer of 64 bits; nil: no value is known to get there yet. The intervals
-- of locals and results are joined from the values that they get, from none on, until nothing changes. A bound that
-- keeps growing jumps to the next of a few thresholds (widening, Cousot and Cousot 1977), so this ends.
--
-- `facts` are what the launches of a variant have in common: `small`, whether all arrays have at most MOST elements and
-- the grid that many threads along x; `parameters`, by number, whether an integer's magnitude is at most MOST.
local core = require "dotcompute.core"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local narrow = {}

local LOW <const>, HIGH <const> = -2147483648, 2147483647
local MOST <const> = (1 << 30) - 1 -- so that the sum of two fits in 32 bits
local FAR <const> = 1 << 61 -- sums of two bounds up to here do not wrap

narrow.MOST = MOST

-- Whether an integer of the script is taken for narrow.
function narrow.fits(v) return v >= -MOST and v <= MOST end

-- Fields of nodes in which there are no nodes of the tree: other tables, and frequent plain values, to save a call of
-- type for each.
local skipped = { inst = true, symbol = true, symbols = true, n = true, type = true, label = true, limits = true,
  op = true, at = true, sign = true, value = true, text = true, name = true, effect = true, range = true,
  small_range = true, met = true }

-- Nodes without others below them, most of a tree's.
local is_leaf = { symbol = true, const = true }

-- Calls visit(node) for all nodes of a typed tree, each once.
function narrow.walk(tree, visit)
  local seen = {}
  local function walk(node)
    if seen[node] then return end
    seen[node] = true
    local op = node.op
    if op then visit(node) end
    if is_leaf[op] then return end
    for key, v in next, node do
      if not skipped[key] and type(v) == "table" then walk(v) end
    end
  end
  walk(tree)
end

-- All nodes of an instance's body, each once.
function narrow.nodes(inst)
  if inst.listed ~= inst.body then
    local list = {}
    narrow.walk(inst.body, function(node) list[#list + 1] = node end)
    inst.listed, inst.nodes = inst.body, list
  end
  return inst.nodes
end

-- --- intervals --------------------------------------------------------------------------------------------------

local function interval(low, high)
  if low < -FAR or high > FAR then return false end
  return { low, high }
end

local function join(a, b)
  if a == nil then return b end
  if b == nil then return a end
  return a and b and { math.min(a[1], b[1]), math.max(a[2], b[2]) }
end

local function is_int(range) return range and range[1] >= LOW and range[2] <= HIGH end

-- The interval of a product, by floats where it may not fit in 64 bits.
local function product(a, b)
  local low, high = math.huge, -math.huge
  for i = 1, 2 do
    for j = 1, 2 do
      local p = a[i] * 1.0 * b[j]
      low, high = math.min(low, p), math.max(high, p)
    end
  end
  return low >= -FAR and high <= FAR and math.max(-low, high) < 2.0 ^ 53
    and { math.tointeger(low), math.tointeger(high) }
end

-- What bitwise operators of two intervals give: no more bits than the operands have.
local function bits_of(a, b)
  local ones, low, high = 1, math.min(a[1], b[1]), math.max(a[2], b[2])
  while ones < high or ~ones > low do ones = ones * 2 + 1 end
  return { low < 0 and ~ones or 0, ones }
end

-- Of operators: from the intervals of both operands, which are known.
local operators = {
  ["+"] = function(a, b) return interval(a[1] + b[1], a[2] + b[2]) end,
  ["-"] = function(a, b) return interval(a[1] - b[2], a[2] - b[1]) end,
  ["*"] = product,
  ["//"] = function(a, b)
    if b[1] < 1 then return false end
    return { math.min(a[1] // b[1], a[1] // b[2]), math.max(a[2] // b[1], a[2] // b[2]) }
  end,
  ["%"] = function(a, b)
    if b[1] < 1 then return false end
    if a[1] >= 0 and a[2] < b[1] then return a end
    return { 0, a[1] >= 0 and math.min(a[2], b[2] - 1) or b[2] - 1 }
  end,
  ["|"] = bits_of, ["~"] = bits_of,
  [">>"] = function(a, b) -- without a sign
    if a[1] < 0 or b[1] < 0 or b[2] > 63 then return false end
    return { a[1] >> b[2], a[2] >> b[1] }
  end,
  ["<<"] = function(a, b)
    if b[1] < 0 or b[2] > 30 then return false end
    return product(a, { 1, 1 << b[2] })
  end,
}

-- Of `&`, of which one operand may be any integer.
local function both_bits(a, b)
  local positive
  for _, range in ipairs { a, b } do
    if range and range[1] >= 0 then positive = math.min(positive or range[2], range[2]) end
  end
  if positive then return { 0, positive } end
  return a and b and bits_of(a, b)
end

local of_dtypes = { bool = { 0, 1 } }
for _, bits in ipairs { 8, 16, 32 } do
  of_dtypes["int" .. bits] = { -(1 << (bits - 1)), (1 << (bits - 1)) - 1 }
  of_dtypes["uint" .. bits] = { 0, (1 << bits) - 1 }
end

-- --- nodes ------------------------------------------------------------------------------------------------------

local range_of

local R = {} -- by the node's op: its interval

function R.const(e) return math.type(e.value) == "integer" and interval(e.value, e.value) end
function R.convert(e, facts)
  if e.a.type == types.integer then return range_of(e.a, facts) end
  return of_dtypes[e.a.type.name] or false
end
-- A local; `limits`: the comparisons that hold where it is read.
function R.symbol(e, facts)
  local range = e.symbol.range
  if not e.limits or range == nil then return range end
  local low, high = range and range[1] or -FAR, range and range[2] or FAR
  for _, limit in ipairs(e.limits) do
    local other, sign = range_of(limit.e, facts), limit.sign
    if other and (sign == "<" or sign == "<=") then high = math.min(high, other[2] - (sign == "<" and 1 or 0))
    elseif other then low = math.max(low, other[1] + (sign == ">" and 1 or 0)) end
  end
  if low > high or low == -FAR or high == FAR then return range end
  return { low, high }
end
function R.result(e) return e.call.inst.ranges[e.k] end
function R.extent(_, facts) return facts.small and { 0, MOST } end

-- A function of CUDA: `range`, or `small_range` where all is small; of two values either, or the less or greater one.
function R.text(e, facts)
  if e.small_range and facts.small then return e.small_range end
  if e.range then return e.range end
  local choice = e.choice
  if not choice then return false end
  local a, b = range_of(e.args[#e.args - 1], facts), range_of(e.args[#e.args], facts)
  if choice == "either" or not a or not b then return join(a, b) end
  local pick = choice == "min" and math.min or math.max
  return { pick(a[1], b[1]), pick(a[2], b[2]) }
end

function R.logic(e, facts)
  local a = e.a
  while a.type.maybe do a = a.b end
  return a.type == types.integer and join(range_of(a, facts), range_of(e.b, facts))
end

function R.unary(e, facts)
  local a = range_of(e.a, facts)
  if not a then return a end
  if e.sign == "~" then return { ~a[2], ~a[1] } end
  return { -a[2], -a[1] }
end

function R.arith(e, facts)
  -- the number of all threads, by which loops step
  if e.sign == "*" and e.a.text and e.b.text and e.a.axis and e.a.axis == -(e.b.axis or 0) then
    return facts.small and { 1, MOST }
  end
  local a, b = range_of(e.a, facts), range_of(e.b, facts)
  if a == nil or b == nil then return nil end
  if e.sign == "&" then return both_bits(a, b) end
  if e.sign == "%" and b and b[1] >= 1 and not a then return { 0, b[2] - 1 } end
  local operator = operators[e.sign]
  return a and b and operator and operator(a, b) or false
end

-- The interval of a node of a Lua integer. It is kept in the node once no interval changes any more.
function range_of(e, facts)
  if e.known_range ~= nil then return e.known_range end
  if e.type ~= types.integer then return false end
  local rule = R[e.op]
  local range = false
  if rule then range = rule(e, facts) end
  if facts.final then e.known_range = range or false end
  return range
end

-- --- conditions -------------------------------------------------------------------------------------------------
-- `while distance < n do … distance = distance * 2 end`: the product is less than 2 n. So reads of a local that gets
-- too large otherwise know the comparisons around them, up to the local's next assignment.

local swapped <const> = { ["<"] = ">", ["<="] = ">=", [">"] = "<", [">="] = "<=", ["=="] = "==" }
local negated <const> = { ["<"] = ">=", ["<="] = ">", [">"] = "<=", [">="] = "<", ["~="] = "==" }

local function uncast(e)
  while e.op == "convert" and e.type == types.integer do e = e.a end
  return e
end

-- Adds { symbol, sign, e } for what holds where the condition is true (or false).
local function add_limits(cond, holds, list)
  if cond.op == "not" then
    add_limits(cond.a, not holds, list)
  elseif cond.op == "logic" and cond.sign == (holds and "and" or "or") then
    add_limits(cond.a, holds, list)
    add_limits(cond.b, holds, list)
  elseif cond.op == "compare" and cond.met == types.integer then
    local sign = cond.sign
    if not holds then sign = negated[sign] end
    local function side(a, b, its_sign)
      a = uncast(a)
      if a.op ~= "symbol" or a.type ~= types.integer or not its_sign then return end
      for one in (its_sign == "==" and "<= >=" or its_sign):gmatch "%S+" do
        list[#list + 1] = { symbol = a.symbol, sign = one, e = b }
      end
    end
    side(cond.a, cond.b, swapped[sign] and sign)
    side(cond.b, cond.a, swapped[sign])
  end
end

local function assigns(statement, symbol)
  local found = false
  narrow.walk(statement, function(node)
    for _, target in ipairs(node.op == "assign" and node.targets or {}) do
      found = found or target.op == "symbol" and target.symbol == symbol
    end
  end)
  return found
end

-- The limit holds for the block from statement `first` on, until its symbol is assigned.
local function hold(limit, block, first)
  local function note(node)
    if node.op == "symbol" and node.symbol == limit.symbol then
      node.limits = node.limits or {}
      table.insert(node.limits, limit)
    end
  end
  for k = first, #block do
    local statement = block[k]
    if assigns(statement, limit.symbol) then
      if statement.op == "assign" then
        for _, e in ipairs(statement.values) do narrow.walk(e, note) end
      end
      return
    end
    narrow.walk(statement, note)
  end
end

local function leaves(block)
  local last = block[#block]
  return last and (last.op == "return" or last.op == "break")
end

-- Notes the limits of all reads in the block of symbols for which wanted(symbol).
local function refine(block, wanted)
  local function note(cond, holds, inner, first)
    local list = {}
    add_limits(cond, holds, list)
    for _, limit in ipairs(list) do
      if wanted(limit.symbol) then hold(limit, inner, first or 1) end
    end
  end
  for k, s in ipairs(block) do
    if s.op == "while" then
      note(s.cond, true, s.body)
    elseif s.op == "if" then
      for j, clause in ipairs(s.clauses) do
        note(clause.cond, true, clause.body)
        for i = j + 1, #s.clauses do note(clause.cond, false, s.clauses[i].body) end
        if s.otherwise then note(clause.cond, false, s.otherwise) end
        refine(clause.body, wanted)
      end
      if #s.clauses == 1 and not s.otherwise and leaves(s.clauses[1].body) then
        note(s.clauses[1].cond, false, block, k + 1)
      end
      if s.otherwise then refine(s.otherwise, wanted) end
    end
    if s.body then refine(s.body, wanted) end
  end
end

-- --- symbols ----------------------------------------------------------------------------------------------------

-- What gives values to symbols and results: { symbol or inst, key, values… }, where symbol[key] or inst.ranges[key]
-- is the interval. A loop's limit is among the values of its variable.
local function assignments(tree)
  local list = {}
  local function add(symbol, ...)
    if symbol and symbol.type == types.integer then list[#list + 1] = { symbol = symbol, key = "range", ... } end
  end
  local zero = { op = "const", type = types.integer, value = 0 }
  for _, inst in ipairs(tree.instances) do
    if inst.pass == tree.pass then
      inst.ranges = {}
      for _, node in ipairs(narrow.nodes(inst)) do
        if node.op == "local" then
          for k, symbol in ipairs(node.symbols) do add(symbol, node.values[k]) end
        elseif node.op == "declare" then
          for _, symbol in ipairs(node.symbols) do add(symbol, zero) end
        elseif node.op == "assign" then
          for k, target in ipairs(node.targets) do
            if target.op == "symbol" then add(target.symbol, node.values[k]) end
          end
        elseif node.op == "for" then
          add(node.symbol, node.from, node.to)
        elseif node.op == "return" then
          for k, e in ipairs(node.values) do
            if (inst.returns or {})[k] == types.integer then
              list[#list + 1] = { inst = inst, key = k, e }
            end
          end
        elseif node.op == "call" and node.inst then
          for k, decl in ipairs(node.inst.node.params) do add(node.inst.symbols[decl], node.args[k]) end
        end
      end
    end
  end
  return list
end

local ROUNDS <const> = 4 -- before bounds are widened

local function widened(old, new)
  if not old or not new then return new end
  local low, high = new[1], new[2]
  if low < old[1] then low = low >= 0 and 0 or low >= LOW and LOW or -FAR - 1 end
  if high > old[2] then high = high <= MOST and MOST or high <= HIGH and HIGH or FAR + 1 end
  return interval(low, high)
end

-- The intervals of all symbols and results, from none on.
local function solve(tree, list, facts)
  local some <const> = { -MOST, MOST }
  for _, inst in ipairs(tree.instances) do
    if inst.ranges then inst.ranges = {} end
    for _, symbol in pairs(inst.symbols) do
      symbol.range = nil
      if symbol.parameter and inst == tree.kernel then
        symbol.range = facts.parameters[symbol.parameter] and some or false
      end
    end
  end
  for _, symbol in ipairs(tree.inputs) do
    symbol.range = symbol.type == types.integer and not tree.takes_inputs and narrow.fits(symbol.input) and some
  end
  local round = 0
  repeat
    local changed = false
    round = round + 1
    for _, a in ipairs(list) do
      local owner = a.symbol or a.inst.ranges
      local old = owner[a.key]
      local new = old
      for _, e in ipairs(a) do new = join(new, range_of(e, facts)) end
      if new ~= old and not (new and old and new[1] == old[1] and new[2] == old[2]) then
        if round > ROUNDS then new = widened(old, new) end
        owner[a.key], changed = new, true
      end
    end
  until not changed
end

-- Notes limits for the symbols that do not fit an `int`; false: all fit.
local function refine_wide(tree)
  local shared, wide = {}, false -- shared: other functions may assign them
  for _, inst in ipairs(tree.instances) do
    for _, symbol in ipairs(inst.reached) do shared[symbol] = true end
    for _, symbol in pairs(inst.symbols) do
      wide = wide or symbol.type == types.integer and not is_int(symbol.range)
    end
  end
  if not wide then return false end
  for _, inst in ipairs(tree.instances) do
    if inst.pass == tree.pass and not inst.jumps then
      refine(inst.body, function(symbol) return not shared[symbol] and not is_int(symbol.range) end)
    end
  end
  return true
end

-- Sets `range` of the tree's symbols and `ranges` of the results of its instances; `narrow` of symbols, and
-- `narrow_results` of results, that are `int` in CUDA C.
function narrow.find(tree, facts)
  facts.final = false
  local list = assignments(tree)
  solve(tree, list, facts)
  if refine_wide(tree) then solve(tree, list, facts) end
  facts.final = true
  for _, inst in ipairs(tree.instances) do
    inst.narrow_results = {}
    for k, range in pairs(inst.ranges or {}) do inst.narrow_results[k] = is_int(range) end
    for _, symbol in pairs(inst.symbols) do
      symbol.narrow = symbol.type == types.integer and is_int(symbol.range) or false
    end
  end
  for _, symbol in ipairs(tree.inputs) do symbol.narrow = is_int(symbol.range) or false end
end

-- The interval of a node, after narrow.find; nil where it may be any integer.
function narrow.range(e, facts) return range_of(e, facts) or nil end

-- Whether a node is a Lua integer that fits in 32 bits.
function narrow.is_int(e, facts)
  local range = range_of(e, facts)
  return range and is_int(range) or false
end

-- The type in CUDA C of a symbol.
function narrow.ctype(symbol) return symbol.narrow and "int" or symbol.type.ctype end

return narrow
