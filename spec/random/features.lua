-- More statements of random kernels: vectors, atomics whose result is used, tiles of warps, generic pointers, calls of
-- device functions (helpers.lua). Contexts as in statements.lua.
local expressions = require "spec.random.expressions"
local writer = require "spec.random.writer"

local random = math.random
local pick, chance, expression = expressions.pick, expressions.chance, expressions.expression
local put, fresh, add_variable = writer.put, writer.fresh, writer.add_variable

local function declare(g, type, name, text, class)
  put(g, "%s %s = %s;", type, name, text)
  return add_variable(g, { name = name, type = type, class = class or "v" })
end

-- --- vectors ---------------------------------------------------------------------------------------------------
local vectors = {
  { "int4", "xi", "int", 4, 4 }, { "int2", "xi", "int", 2, 4 }, { "uint4", "xu", "unsigned", 4, 4 },
  { "float4", "xf", "float", 4, 4 }, { "float2", "xf", "float", 2, 4 }, { "double2", "xd", "double", 2, 2 },
  { "short4", "xs", "short", 4, 4 }, { "short2", "xs", "short", 2, 2 }, { "char4", "xc", "schar", 4, 4 },
  { "uchar4", "xc", "uchar", 4, 4 }, { "longlong2", "xl", "ll", 2, 2 }, { "ulonglong2", "xq", "ull", 2, 2 },
  { "float3", "xf", "float", 3, 3 }, { "char2", "xc", "schar", 2, 2 },
}
local function load_vector(g)
  local type, array, part, n, size = table.unpack(pick(vectors))
  local name = fresh(g, "v")
  put(g, "%s %s = ((const %s *)%s)[%s];", type, name, type, array, expressions.index(g, 4096 // math.max(size, 4)))
  for i = 1, n do
    if chance(60) then
      add_variable(g, { name = name .. "." .. ("xyzw"):sub(i, i), type = part, class = "v", fixed = part == "schar" })
    end
  end
end

-- The four places of a thread, where they lie side by side.
local stored = { oi = { "int4", "int" }, of = { "float4", "float" }, os = { "short4", "short" },
  oc = { "uchar4", "uchar" } }
local function store_vector(g)
  local name = pick { "oi", "of", "os", "oc", "od", "o" }
  local own = writer.own(g)
  if g.place[name] == 4 then own = "all - 1 - " .. own elseif g.place[name] ~= 2 then return load_vector(g) end
  if stored[name] then
    local type, part = table.unpack(stored[name])
    local parts = {}
    for i = 1, 4 do parts[i] = expression(g, part, 1) end
    return put(g, "((%s *)%s)[%s] = make_%s(%s);", type, name, own, type, table.concat(parts, ", "))
  end
  local type, part = table.unpack(name == "od" and { "double2", "double" } or { "ulonglong2", "ull" })
  put(g, "((%s *)%s)[(%s) * 2 + %d] = make_%s(%s, %s);", type, name, own, random(0, 1), type, expression(g, part, 1),
    expression(g, part, 2))
end

-- --- atomics ---------------------------------------------------------------------------------------------------
-- Of places that no other thread touches: their results are known.
local kinds = {
  { "oi", "int", { "Add", "Sub", "Exch", "Min", "Max", "And", "Or", "Xor" } },
  { "oi", "unsigned", { "Add", "Inc", "Dec", "Min", "Max", "Exch" } },
  { "o", "ull", { "Add", "Exch", "Min", "Max", "And", "Or", "Xor" } }, { "o", "ll", { "Min", "Max" } },
  { "of", "float", { "Add", "Exch" } }, { "od", "double", { "Add" } },
}
local function own_atomic(g)
  local array, type, operations = table.unpack(pick(kinds))
  local at, name = writer.place(g, array), fresh(g, "v")
  local pointer = ("(%s *)&%s[%s]"):format(type, array, at)
  if array == "oi" and type == "int" and chance(30) then pointer = "&si[lt]" end
  if (array == "oi" or array == "o") and chance(25) then
    local bits = array == "o" and "ull" or "int"
    return declare(g, type, name, ("atomicCAS((%s *)%s, (%s)%s, (%s)%s)"):format(bits, pointer, bits,
      expression(g, type, 1), bits, expression(g, type, 1)))
  end
  declare(g, type, name, ("atomic%s(%s, %s)"):format(pick(operations), pointer, expression(g, type, 1)))
end

-- --- together --------------------------------------------------------------------------------------------------
local function transpose(g, ctx)
  if not (ctx.sync and g.tile) then return load_vector(g) end
  local name = fresh(g, "v")
  local wide = pick { 32, 33 }
  put(g, "tile[%s] = %s;", chance(50) and ("(lt & 31) * %d + (lt >> 5)"):format(wide)
    or ("(lt >> 5) * %d + (lt & 31)"):format(wide), expression(g, "float", 2))
  put(g, "__syncthreads();")
  declare(g, "float", name, ("tile[%s]"):format(chance(50) and ("(lt >> 5) * %d + (lt & 31)"):format(wide)
    or ("(lt & 31) * %d + (lt >> 5)"):format(wide)))
  put(g, "__syncthreads();")
end

-- Parts of 4, 8 or 16 lanes of a warp, each with a mask of its own.
local function in_parts(g, ctx)
  local m = writer.mask(g, ctx)
  if not m then return own_atomic(g) end
  local width = pick { 4, 8, 16 }
  local part, value, got, from = fresh(g, "m"), fresh(g, "n"), fresh(g, "n"), fresh(g, "n")
  put(g, "unsigned %s = %s & (%s << (lt & %d));", part, m, ("0x%xu"):format((1 << width) - 1), 32 - width)
  local form = random(6)
  if form == 1 then return declare(g, "unsigned", value, ("__ballot_sync(%s, %s)"):format(part,
    expressions.condition(g, 1))) end
  if form == 2 then return declare(g, "int", value, ("__%s_sync(%s, %s)"):format(pick { "any", "all" }, part,
    expressions.condition(g, 1))) end
  if form == 3 then return declare(g, "unsigned", value, ("__match_any_sync(%s, %s)"):format(part,
    expression(g, "int", 1) .. " & 1")) end
  local type = pick { "int", "float", "ull", "double", "unsigned", "short" }
  local k, way = random(1, width - 1), pick { "up", "down", "xor" }
  put(g, "%s %s = %s;", type, value, expression(g, type, 1))
  if type == "short" then
    put(g, "short %s = (short)__shfl_%s_sync(%s, (int)%s, %d, %d);", got, way, part, value, k, width)
  else
    put(g, "%s %s = __shfl_%s_sync(%s, %s, %d, %d);", type, got, way, part, value, k, width)
  end
  put(g, "int %s = (lt & %d) %s %d;", from, width - 1, way == "up" and "-" or way == "down" and "+" or "^", k)
  declare(g, type, fresh(g, "v"), ("%s >= 0 && %s < %d && (%s >> ((lt & %d) + %s) & 1) ? %s : %s"):format(from, from,
    width, part, 32 - width, from, got, value))
end

-- A value of another lane, by shared memory.
local function by_memory(g, ctx)
  local m = writer.mask(g, ctx)
  if not m then return load_vector(g) end
  local from = fresh(g, "n")
  put(g, "int %s = (%s) & 31;", from, pick { "(lt & 31) ^ 1", "(lt & 31) + 1", "31 - (lt & 31)",
    expression(g, "int", 1) })
  put(g, "%ssi[lt] = %s;", chance(30) and "((volatile int *)si)[lt] = 1; " or "", expression(g, "int", 1))
  put(g, "__syncwarp(%s);", m)
  declare(g, "int", fresh(g, "v"), ("%s >> %s & 1 ? si[(lt & ~31) + %s] : %s"):format(m, from, from,
    expression(g, "int", 0)))
  put(g, "__syncwarp(%s);", m)
end

local function add_up(g, ctx)
  local m = writer.mask(g, ctx)
  if not m then return load_vector(g) end
  local name = fresh(g, "v")
  if chance(30) then
    local all = fresh(g, "n")
    put(g, "int %s; unsigned %s = __match_all_sync(%s, %s, &%s);", all, name, m,
      expression(g, "int", 1, pick { "u", "v" }), all)
    add_variable(g, { name = all, type = "int", class = "u" })
    return add_variable(g, { name = name, type = "unsigned", class = "u" })
  end
  local way = g.parted and "warp_most" or pick { "warp_sum", "warp_most", "warp_scan" }
  declare(g, "int", name, ("%s(%s, %s)"):format(way, m, expression(g, "int", 1)))
end

-- --- pointers and calls ----------------------------------------------------------------------------------------
local function behind_pointer(g)
  local name = fresh(g, "p")
  local places = { "&si[lt]", ("&oi[%s]"):format(writer.place(g, "oi")) }
  if g.array then places[#places + 1] = ("&local[%s]"):format(expressions.index(g, 8)) end
  if g.bytes then places[#places + 1] = ("&bytes.i[%s]"):format(expressions.index(g, 8)) end
  local a, b = pick(places), pick(places)
  put(g, "int *%s = %s ? %s : %s;", name, expressions.condition(g, 1), a, b)
  if chance(50) then put(g, "*%s = %s;", name, expression(g, "int", 1)) end
  if chance(30) then put(g, "change_behind(%s, %s);", name, expression(g, "int", 1)) end
  declare(g, "int", fresh(g, "v"), "*" .. name)
end

-- A union of 32 bytes, read and written as each of its types; payloads of NaN do not count.
local function punned(g)
  if not g.bytes then return behind_pointer(g) end
  local function at(n) return expressions.index(g, n, "v", random(0, 2)) end
  local form = random(6)
  if form == 1 then return put(g, "bytes.b[%s] = %s;", at(32), expression(g, "uchar", 1)) end
  if form == 2 then return put(g, "bytes.i[%s] = %s;", at(8), expression(g, "int", 1)) end
  if form == 3 then return put(g, "bytes.q[%s] = %s;", at(4), expression(g, "ull", 1)) end
  local member, type = table.unpack(pick { { "b[%s]", "uchar", 32 }, { "i[%s]", "int", 8 }, { "q[%s]", "ull", 4 },
    { "f[%s]", "float", 8 }, { "s[%s]", "short", 16 } })
  local size = ({ uchar = 32, int = 8, ull = 4, float = 8, short = 16 })[type]
  declare(g, type, fresh(g, "v"), "bytes." .. member:format(at(size)))
end

local function call(g)
  local form, name = random(5), fresh(g, "v")
  if form == 1 then
    return declare(g, "unsigned", name, ("recursive(%s & %d, %s)"):format(expression(g, "int", 1), pick { 3, 7 },
      expression(g, "unsigned", 1)))
  elseif form == 2 then
    put(g, "trio %s = make_trio(%s, %s, %s);", name, expression(g, "float", 1), expression(g, "int", 1),
      expression(g, "ull", 1))
    add_variable(g, { name = name .. ".a", type = "float", class = "v" })
    add_variable(g, { name = name .. ".b", type = "int", class = "v" })
    return add_variable(g, { name = name .. ".c", type = "ull", class = "v" })
  elseif form == 3 then
    return declare(g, "int", name, ("many(%s, %s, %s, %s, %s, %s, %s)"):format(expression(g, "schar", 1),
      expression(g, "double", 1), expression(g, "short", 1), expression(g, "ll", 1), expression(g, "uchar", 0),
      expression(g, "float", 1), expression(g, "int", 1)))
  elseif form == 4 then
    return declare(g, "int", name, ("sum_of(%s, %s & 7)"):format(
      g.array and chance(50) and "local" or ("xi + %s"):format(expressions.index(g, 4088)), expression(g, "int", 1)))
  elseif chance(15) then
    return declare(g, "unsigned", name, ("choices[%s %% 3u](%s, %s)"):format(expression(g, "unsigned", 1),
      expression(g, "unsigned", 1), expression(g, "unsigned", 1)))
  end
  declare(g, "float", name, ("tail_of(%s, %s)"):format(expression(g, "float", 1), expression(g, "unsigned", 1)))
end

return { load_vector, store_vector, own_atomic, own_atomic, transpose, in_parts, in_parts, by_memory, add_up,
  behind_pointer, punned, punned, call }
