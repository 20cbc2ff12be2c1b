-- Random CUDA C expressions of a wanted type, defined for every value of what they read.
--
-- A kernel under construction, `g`, has
--   g.vars     list of { name, type, class, fixed, low, high }: class "u" (meant to be one value for all threads),
--              "a" (affine in threadIdx) or "v"; fixed: not to be assigned; low, high: known bounds of an int
--   g.functions  list of { name, type, params };  g.plain: it is such a function, without threads and inputs
--   g.lean     expressions are short, to leave room for statements
-- Nothing here is undefined behaviour: int arithmetic goes through unsigned, divisors are made nonzero, indices are
-- masked or known to be in range, NaNs are made canonical before their bits are read.
local instructions = require "spec.random.instructions"

local expressions = {}

-- Inputs have this many elements, a power of two.
expressions.size = 4096

local random = math.random
local function pick(list) return list[random(#list)] end
local function chance(percent) return random(100) <= percent end

expressions.pick, expressions.chance = pick, chance

local integer = { int = true, unsigned = true, ll = true, ull = true, short = true, ushort = true, schar = true,
  uchar = true }
local float = { float = true, double = true }
expressions.is_integer, expressions.is_float = integer, float
expressions.types = { "int", "int", "int", "unsigned", "unsigned", "ll", "ull", "float", "float", "double", "short",
  "ushort", "schar", "uchar" }

-- Names of the inputs: pointers to const, of `size` elements.
expressions.inputs = { int = "xi", unsigned = "xu", ll = "xl", ull = "xq", float = "xf", double = "xd", short = "xs",
  schar = "xc" }

local constants = {
  int = { "0", "1", "2", "3", "5", "7", "-1", "-3", "31", "32", "64", "100", "0x7fffffff", "(-0x7fffffff - 1)", "12345",
    "65535" },
  unsigned = { "0u", "1u", "3u", "5u", "16u", "31u", "33u", "0xffffffffu", "0x80000000u", "0x7fffffffu", "0xff00ffu",
    "0x12345678u" },
  ll = { "0ll", "1ll", "-1ll", "7ll", "0x7fffffffll", "0x80000000ll", "0xffffffffll", "0x100000000ll", "-0x80000001ll",
    "0x7fffffffffffffffll", "1234567890123ll" },
  ull = { "0ull", "1ull", "3ull", "0xffffffffull", "0x8000000000000000ull", "0xffffffffffffffffull",
    "0x123456789abcdefull" },
  float = { "0.0f", "-0.0f", "1.0f", "0.5f", "-2.0f", "3.25f", "1e-3f", "1e10f", "3e38f", "1e-40f", "16777216.0f" },
  double = { "0.0", "-0.0", "1.0", "-0.5", "3.0", "1e-3", "1e20", "1e300", "1e-310", "4294967296.0", "1e18" },
}

function expressions.constant(type)
  local list = constants[type]
  if list then return pick(list) end
  return ("(%s)%d"):format(type, random(-130, 260))
end

-- --- ints of known range ---------------------------------------------------------------------------------------
-- Native int arithmetic as in common index expressions; its interval is known, so that nothing overflows.
local function range_leaf(g, class)
  local choices = {}
  local function add(text, low, high) choices[#choices + 1] = { text, low, high } end
  for _, v in ipairs(g.vars) do
    if v.low and (class ~= "u" or v.class == "u") then
      add(v.name, v.low, v.high)
      add(v.name, v.low, v.high)
    end
  end
  add(tostring(random(0, 40)), nil, nil)
  choices[#choices][2] = tonumber(choices[#choices][1])
  choices[#choices][3] = choices[#choices][2]
  local s = g.scalars
  if not g.plain then
    add("pn", s.pn, s.pn)
    add("ps", s.ps, s.ps)
    add("(int)blockIdx.x", 0, g.grid[1] - 1)
    add("(int)blockIdx.y", 0, g.grid[2] - 1)
  end
  if class ~= "u" and not g.plain then
    for _ = 1, 3 do add("(int)threadIdx.x", 0, g.most[1] - 1) end
    add("(int)threadIdx.y", 0, g.most[2] - 1)
    add("(int)threadIdx.z", 0, g.most[3] - 1)
    add("lt", 0, g.threads - 1)
    add("(lt & 31)", 0, 31)
    add("(lt >> 5)", 0, (g.threads - 1) >> 5)
  end
  return table.unpack(pick(choices))
end

-- Text, low, high; |value| stays below 2^27.
local function range(g, class, depth)
  if depth <= 0 or chance(15) then return range_leaf(g, class) end
  local a, al, ah = range(g, class, depth - 1)
  local op = random(10)
  if op <= 5 then
    local b, bl, bh = range(g, class, depth - 1)
    local text, low, high
    if op <= 2 then text, low, high = ("(%s + %s)"):format(a, b), al + bl, ah + bh
    elseif op <= 4 then text, low, high = ("(%s - %s)"):format(a, b), al - bh, ah - bl
    else
      text, low, high = ("(%s * %s)"):format(a, b), math.min(al * bl, al * bh, ah * bl, ah * bh),
        math.max(al * bl, al * bh, ah * bl, ah * bh)
    end
    if math.max(math.abs(low), math.abs(high)) >= 1 << 27 then return a, al, ah end
    return text, low, high
  elseif op == 6 then
    local c = random(-4, 9)
    if math.max(math.abs(al * c), math.abs(ah * c)) >= 1 << 27 then return a, al, ah end
    return ("(%s * %d)"):format(a, c), math.min(al * c, ah * c), math.max(al * c, ah * c)
  elseif op == 7 then
    local m = pick { 1, 3, 7, 15, 31, 63, 255, 30, 48, 1023 }
    return ("(%s & %d)"):format(a, m), 0, m
  elseif op == 8 then
    local c = random(1, 6)
    return ("(%s >> %d)"):format(a, c), al >> c | (al < 0 and ~(-1 >> c) or 0), ah >> c | (ah < 0 and ~(-1 >> c) or 0)
  elseif op == 9 then
    local m = pick { 2, 3, 5, 8, 10, 16, 33 }
    return ("(%s %% %d)"):format(a, m), al < 0 and 1 - m or 0, m - 1
  end
  local m = pick { 2, 3, 4, 7, 16 }
  local function quotient(v) return v < 0 and -(-v // m) or v // m end
  return ("(%s / %d)"):format(a, m), quotient(al), quotient(ah)
end
expressions.range = range

-- An int in [0, size), mostly by moving a range there.
function expressions.index(g, size, class, depth)
  local text, low, high = range(g, class or "v", depth or random(0, 3))
  if high - low >= size then return ("(%s & %d)"):format(text, size - 1) end
  local shift = random(0, size - 1 - (high - low)) - low
  if chance(50) then shift = (low < 0 or high >= size) and -low or 0 end
  if shift == 0 then return text end
  return ("%s %s %d"):format(text, shift < 0 and "-" or "+", math.abs(shift))
end

-- --- leaves ----------------------------------------------------------------------------------------------------
local function cast(to, from, text)
  if to == from then return text end
  if integer[to] and integer[from] then
    if chance(30) and (to == "ll" or to == "ull") then return ("(%s)(%s)"):format(to, text) end
    return ("(%s)%s"):format(to, text)
  end
  if float[to] and float[from] then return ("(%s)%s"):format(to, text) end
  if float[to] then return ("(%s)%s"):format(to, text) end
  local wide = to == "ll" or to == "ull"
  local names = from == "float" and { int = "f_int", unsigned = "f_uint", ll = "f_ll", ull = "f_ull" }
    or { int = "d_int", unsigned = "d_uint", ll = "d_ll", ull = "d_ull" }
  if names[to] then return ("%s(%s)"):format(names[to], text) end
  assert(not wide)
  return ("(%s)%s(%s)"):format(to, names.int, text)
end
expressions.cast = cast

local function fits(v, class) return class == "v" or v.class == "u" or (class == "a" and v.class == "a") end

local function variable(g, type, class)
  local same, other = {}, {}
  for _, v in ipairs(g.vars) do
    if fits(v, class) then
      local list = v.type == type and same or other
      list[#list + 1] = v
    end
  end
  if #same > 0 and (chance(75) or #other == 0) then return pick(same).name end
  if #other == 0 then return nil end
  local v = pick(other)
  return cast(type, v.type, v.name)
end

local uniform_specials = { { "int", "pn" }, { "unsigned", "pu" }, { "ll", "pl" }, { "int", "ps" }, { "int", "pz" },
  { "float", "pf" }, { "double", "pd" }, { "unsigned", "blockIdx.x" }, { "unsigned", "blockIdx.y" },
  { "unsigned", "blockDim.x" }, { "unsigned", "gridDim.x" } }
local thread_specials = { { "unsigned", "threadIdx.x" }, { "unsigned", "threadIdx.x" }, { "unsigned", "threadIdx.y" },
  { "unsigned", "threadIdx.z" }, { "int", "lt" }, { "int", "gid" }, { "int", "(lt & 31)" }, { "int", "(lt >> 5)" } }

local function special(g, type, class)
  if g.plain then return expressions.constant(type) end
  local s = pick(class ~= "u" and chance(70) and thread_specials or uniform_specials)
  return cast(type, s[1], s[2])
end

-- An element of an input, found in one of many ways.
local function load(g, type, class, depth)
  local from = expressions.inputs[type] and type or pick { "int", "unsigned", "float", "short" }
  local array, size = expressions.inputs[from], expressions.size
  local text
  local way = random(10)
  if way <= 5 then
    text = ("%s[%s]"):format(array, expressions.index(g, size, class))
  elseif way <= 7 then
    text = ("%s[%s & %d]"):format(array, expressions.expression(g, pick { "unsigned", "ull", "int", "ll" }, depth - 1,
      class), size - 1)
  elseif way == 8 then -- wraps around for some threads, or is far out of range: checked first
    text = ("guarded(%s, %s, %s)"):format(array, expressions.wrapping(g, class), expressions.constant(from))
  elseif way == 9 then
    return cast(type, "int", ("table[%s]"):format(expressions.index(g, 16, class)))
  else
    text = ("%s[(unsigned)(%s) %% %du]"):format(array, (expressions.wrapping(g, class)), pick { 1000, 33, 4095 })
  end
  return cast(type, from, text)
end

-- A 32-bit or 64-bit index that may leave any range.
function expressions.wrapping(g, class)
  local a = range(g, class, random(1, 2))
  local form = random(6)
  if form == 1 then return ("(unsigned)%s - %du"):format(a, random(0, 40)) end
  if form == 2 then return ("(unsigned)%s * 0x%xu + %du"):format(a, random(0, 0xffffffff), random(0, 5000)) end
  if form == 3 then return ("(long long)%s - %d"):format(a, random(0, 100)) end
  if form == 4 then return ("(long long)%s * %dll + pl"):format(a, random(-3, 3)) end
  if form == 5 then return ("((unsigned)%s + 0x%xu)"):format(a, 0x100000000 - random(1, 70)) end
  return ("(int)((unsigned)%s + 0x%xu)"):format(a, 0x80000000 - random(0, 70))
end

local function leaf(g, type, class, depth)
  local r = random(20)
  if r <= 9 then
    local text = variable(g, type, class)
    if text then return text end
  end
  if r <= 12 then return special(g, type, class) end
  if r <= 15 then return expressions.constant(type) end
  if r <= 16 and class == "v" and g.array then
    return cast(type, "int", ("local[%s]"):format(expressions.index(g, 8)))
  end
  if class == "a" then return special(g, type, class) end
  if g.plain then return expressions.constant(type) end
  return load(g, type, class, depth)
end

-- --- operations ------------------------------------------------------------------------------------------------
local unsigned_of = { int = "unsigned", unsigned = "unsigned", ll = "ull", ull = "ull" }

local function call(g, type, depth, class)
  local f = pick(g.functions)
  local args = {}
  for i, p in ipairs(f.params) do args[i] = expressions.expression(g, p, depth - 1, class) end
  return cast(type, f.type, ("%s(%s)"):format(f.name, table.concat(args, ", ")))
end

-- One of instructions.lua whose result is of this type.
local function instruction(g, type, depth, class)
  local from = ({ int = "unsigned", ll = "ull" })[type] or type
  if from == "unsigned" and chance(15) then from = "ushort" end
  local list = instructions.exact[from]
  if g.by_machine and instructions.by_machine[from] and chance(15) then list = instructions.by_machine[from] end
  local f = pick(list)
  local args = {}
  for i, t in ipairs(f[2]) do args[i] = expressions.expression(g, t, depth - 1, class) end
  return cast(type, from, ("%s(%s)"):format(f[1], table.concat(args, ", ")))
end

local high_half = { int = "__mulhi", unsigned = "__umulhi", ll = "__mul64hi", ull = "__umul64hi" }

local function integer_operation(g, type, depth, class)
  local function e(t) return expressions.expression(g, t or type, depth - 1, class) end
  if chance(g.assembly) then return instruction(g, type, depth, class) end
  local wide, suffix = type == "ll" or type == "ull", (type == "ll" or type == "ull") and "ll" or ""
  local bits = wide and 64 or 32
  local u = unsigned_of[type]
  local op = random(30)
  if op <= 9 then
    return ("(%s)((%s)%s %s (%s)%s)"):format(type, u, e(), pick { "+", "+", "-", "-", "*" }, u, e())
  elseif op <= 11 then return ("(%s %s %s)"):format(e(), pick { "&", "|", "^" }, e())
  elseif op == 12 then return ("(%s)((%s)%s << %d)"):format(type, u, e(), random(0, bits - 1))
  elseif op == 13 then return ("(%s >> %d)"):format(e(), random(0, bits - 1))
  elseif op == 14 then return ("(%s)((%s)%s << (%s & %d))"):format(type, u, e(), e "int", bits - 1)
  elseif op == 15 then return ("(%s >> (%s & %d))"):format(e(), e "int", bits - 1)
  elseif op == 16 then return ("quotient(%s, %s)"):format(e(), e())
  elseif op == 17 then return ("remainder_(%s, %s)"):format(e(), e())
  elseif op == 18 then return ("%s(%s, %s)"):format(pick { "min", "max" }, e(), e())
  elseif op == 19 then return ("(%s ? %s : %s)"):format(expressions.condition(g, depth - 1, class), e(), e())
  elseif op == 20 then return ("(%s)(%s)"):format(type, ("%s(%s)"):format(pick { "__popc", "__clz", "__ffs" }, e "int"))
  elseif op == 21 then return ("(%s)%s%s((%s)%s)"):format(type, pick { "__popc", "__clz", "__ffs", "__brev" }, suffix,
    wide and "ll" or "int", e())
  elseif op == 22 then return ("%s(%s, %s)"):format(high_half[type], e(), e())
  elseif op == 23 then return ("(%s)__byte_perm(%s, %s, %s)"):format(type, e "unsigned", e "unsigned", e "unsigned")
  elseif op == 24 then
    return ("(%s)%s(%s, %s, %s)"):format(type, pick { "__funnelshift_l", "__funnelshift_r", "__funnelshift_lc",
      "__funnelshift_rc" }, e "unsigned", e "unsigned", e "unsigned")
  elseif op == 25 then return ("(%s)bits(%s)"):format(type, e(wide and "double" or "float"))
  elseif op == 26 then return ("(%s)%s(%s, %s)"):format(type, pick { "shift_left", "shift_right" }, e "unsigned",
    e "unsigned")
  elseif op == 27 and #g.functions > 0 and class == "v" then return call(g, type, depth, class)
  elseif op == 28 then return ("(%s)((%s)0 - (%s)%s)"):format(type, u, u, e())
  elseif op == 29 then return ("(%s)%s"):format(type, expressions.condition(g, depth - 1, class)) end
  return ("~%s"):format(e())
end

local function float_operation(g, type, depth, class)
  local function e(t) return expressions.expression(g, t or type, depth - 1, class) end
  if chance(g.assembly) then return instruction(g, type, depth, class) end
  local f = type == "float" and "f" or ""
  local op = random(18)
  if op <= 7 then return ("(%s %s %s)"):format(e(), pick { "+", "-", "*", "*" }, e())
  elseif op == 8 then return ("(%s / %s)"):format(e(), e())
  elseif op == 9 then return ("%s%s(%s)"):format(pick { "sqrt", "fabs", "floor", "ceil", "trunc", "rint" }, f, e())
  elseif op == 10 then return ("%s%s(%s, %s)"):format(pick { "fmin", "fmax" }, f, e(), e())
  elseif op == 11 then return ("fma%s(%s, %s, %s)"):format(f, e(), e(), e())
  elseif op == 12 then return ("(%s ? %s : %s)"):format(expressions.condition(g, depth - 1, class), e(), e())
  elseif op == 13 then return ("(- %s)"):format(e())
  elseif op == 14 then return ("sign_of(%s, %s)"):format(e(), e())
  elseif op == 15 then
    if type == "float" then return ("__fadd_%s(%s, %s)"):format(pick { "rz", "ru", "rd" }, e(), e()) end
    return ("__dmul_%s(%s, %s)"):format(pick { "rz", "ru", "rd" }, e(), e())
  elseif op == 16 and type == "float" then return ("half_%s(%s, %s)"):format(pick { "add", "mul", "round" }, e(), e())
  elseif op == 17 and #g.functions > 0 and class == "v" then return call(g, type, depth, class) end
  return cast(type, "int", e "int")
end

-- Affine: sums and scalings of affine and uniform values; anything else of uniform ones.
local function affine(g, type, depth)
  local u = unsigned_of[type]
  local function a(d) return expressions.expression(g, type, d, "a") end
  local op = random(7)
  if op <= 2 then return ("(%s)((%s)%s + (%s)%s)"):format(type, u, a(depth - 1), u, a(depth - 1)) end
  if op == 3 then return ("(%s)((%s)%s - (%s)%s)"):format(type, u, a(depth - 1), u, a(depth - 1)) end
  if op == 4 then return ("(%s)((%s)%s * (%s)%d)"):format(type, u, a(depth - 1), u, random(0, 12)) end
  if op == 5 then return ("(%s)((%s)%s << %d)"):format(type, u, a(depth - 1), random(0, 4)) end
  if op == 6 then return ("(%s)((%s)%s * (%s)%s)"):format(type, u, a(depth - 1), u,
    expressions.expression(g, type, 0, "u")) end
  local other = pick { "int", "unsigned", "ll", "ull" }
  return cast(type, other, expressions.expression(g, other, depth - 1, "a"))
end

-- An expression of exactly this type (narrow ones have been cut), of this class or a lower one.
function expressions.expression(g, type, depth, class)
  class = class or "v"
  if depth > 1 and g.lean then depth = 1 end
  if depth <= 0 or chance(12) then return leaf(g, type, class, depth) end
  if float[type] then return float_operation(g, type, depth, class) end
  if not unsigned_of[type] then
    return ("(%s)(%s)"):format(type, expressions.expression(g, pick { "int", "unsigned" }, depth, class))
  end
  if class == "a" then return affine(g, type, depth) end
  return integer_operation(g, type, depth, class)
end

function expressions.condition(g, depth, class)
  class = class or "v"
  local op = random(12)
  if depth > 0 and op <= 2 then
    return ("(%s %s %s)"):format(expressions.condition(g, depth - 1, class), pick { "&&", "||" },
      expressions.condition(g, depth - 1, class))
  elseif op == 3 and depth > 0 then return ("!%s"):format(expressions.condition(g, depth - 1, class))
  elseif op == 4 then return ("((%s & %d) %s 0)"):format(expressions.expression(g, "int", depth - 1, class),
    pick { 1, 2, 3, 7, 8, 16 }, pick { "==", "!=" })
  elseif op == 5 and class ~= "u" then
    local text, low, high = range(g, class, 1)
    return ("(%s < %d)"):format(text, random(low, high + 1))
  end
  local type = pick { "int", "int", "int", "unsigned", "unsigned", "ll", "ull", "float", "double" }
  if op == 6 then type = pick { "float", "double" } end
  return ("(%s %s %s)"):format(expressions.expression(g, type, depth - 1, class),
    pick { "<", "<=", ">", ">=", "==", "!=" }, expressions.expression(g, type, depth - 1, class))
end

return expressions
