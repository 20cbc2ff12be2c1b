-- mma.sync of each type and shape: fragments are made and read register by register, by the tables of the PTX ISA
-- (9.7.14.5), and results compared with float64 or integers.
local dc = require "dotcompute"
local helper = require "spec.helper"

local on_cpu = dc.device().id == "cpu"
local ROUNDING = on_cpu and 2 ^ -24 or 2 ^ -21 -- of each addition along k, see tensor-cores_spec.lua

-- --- types: bits of an element, random bits, the value of bits --------------------------------------------------

local function float(exponent, digits, low, high)
  local bias = 2 ^ (exponent - 1) - 1
  return {
    bits = 1 + exponent + digits,
    random = function()
      local fraction = math.random(0, (1 << digits) - 1)
      return math.random(0, 1) << (exponent + digits) | math.random(low, high) << digits | fraction
    end,
    value = function(x)
      local e, f = x >> digits & ((1 << exponent) - 1), x & ((1 << digits) - 1)
      local size = e > 0 and (1 + f / 2 ^ digits) * 2.0 ^ (e - bias) or f / 2 ^ digits * 2.0 ^ (1 - bias)
      return x >> (exponent + digits) == 1 and -size or size
    end,
  }
end
local function integer(bits, signed)
  return {
    bits = bits, integer = true,
    random = function() return math.random(0, (1 << bits) - 1) end,
    value = function(x) return signed and x >> (bits - 1) == 1 and x - (1 << bits) or x end,
  }
end
local TYPES = {
  f16 = float(5, 10, 0, 17), bf16 = float(8, 7, 118, 129), e4m3 = float(4, 3, 0, 12), e5m2 = float(5, 2, 5, 20),
  s8 = integer(8, true), u8 = integer(8), s4 = integer(4, true), u4 = integer(4), b1 = integer(1),
  s32 = { bits = 32, integer = true, random = function() return math.random(0, 0xffffffff) end,
    value = function(x) return x >= 0x80000000 and x - (1 << 32) or x end },
  f32 = { bits = 32, random = function() return string.unpack("<I4", string.pack("<f", math.random() * 4 - 2)) end,
    value = function(x) return (string.unpack("<f", string.pack("<I4", x))) end },
  f64 = { bits = 64, random = function() return string.unpack("<i8", string.pack("<d", math.random() * 4 - 2)) end,
    value = function(x) return (string.unpack("<d", string.pack("<i8", x))) end },
}
TYPES.tf32 = { bits = 32, random = TYPES.f32.random, value = function(x) return TYPES.f32.value(x & 0xffffe000) end }

-- --- layouts ------------------------------------------------------------------------------------------------------

-- Row and column of element i of lane l, both from 0.  groupID is l // 4, threadID_in_group l % 4.
local function place(s, fragment, l, i)
  local g, t = l // 4, l % 4
  local bits = TYPES[s[fragment]].bits
  local e = bits == 64 and 1 or 32 // bits -- elements of a register
  if s.quarters then
    local low = l < 16
    if fragment == "a" then
      if s.column_a then return i % 4 + (low and 0 or 4), l % 4 end
      return l % 4 + (low and 0 or 4), i
    elseif fragment == "b" then
      if s.column_b then return i, l % 4 + (low and 0 or 4) end
      return l % 4, i + (low and 0 or 4)
    elseif s[fragment] == "f16" then
      return l % 4 + (low and 0 or 4), i
    end
    return (l & 1) + (i & 2) + (low and 0 or 4), (i & 4) + (l & 2) + (i & 1)
  elseif fragment == "a" then
    local tall = s.m == 16
    return g + (tall and i // e % 2 == 1 and 8 or 0), t * e + i % e + 4 * e * (i // (tall and 2 * e or e))
  elseif fragment == "b" then
    return t * e + i % e + 4 * e * (i // e), g
  end
  return g + (i < 2 and 0 or 8), t * 2 + (i & 1)
end

local function registers(s, fragment)
  local bits, n = TYPES[s[fragment]].bits
  if fragment == "a" then n = s.m * s.k // (s.sparse and 2 or 1)
  else n = (fragment == "b" and s.k or s.m) * s.n end
  return n * bits * (s.quarters and 4 or 1) // 32 // math.max(bits, 32)
end

-- Registers with random elements: register r of lane l at 32 r + l + 1; and the elements by quarter, row, column.
local function random_fragment(s, fragment)
  local t, words, values = TYPES[s[fragment]], {}, {}
  local e = math.max(32 // t.bits, 1)
  for r = 0, registers(s, fragment) - 1 do
    for l = 0, 31 do
      local word = 0
      for i = 0, e - 1 do
        local x = t.random()
        local row, column = place(s, fragment, l, r * e + i)
        word = word | x << (t.bits * i)
        values[(s.quarters and l // 4 % 4 or 0) << 20 | row << 10 | column] = t.value(x)
      end
      words[32 * r + l + 1] = word
    end
  end
  return words, function(q, row, column) return values[q << 20 | row << 10 | column] end
end

-- --- kernels -------------------------------------------------------------------------------------------------------

local CONSTRAINTS = { f32 = "f", f64 = "d" }
local TO = { f32 = "__uint_as_float(%s)", f64 = "__longlong_as_double(%s)" }
local FROM = { f32 = "__float_as_uint(%s)", f64 = "__double_as_longlong(%s)" }
local C = { f = "float", d = "double", r = "unsigned" }

-- A kernel that runs the instruction once: registers from `a`, `b`, `c` (and metadata from `e`) to `d`.
local function kernel(s, opcode)
  local outs, ins, sets, groups, n, word = {}, {}, {}, {}, 0, s.a == "f64" and "long long" or "unsigned"
  for _, fragment in ipairs { "d", "a", "b", "c" } do
    local names, kind = {}, CONSTRAINTS[s[fragment]] or "r"
    for r = 0, registers(s, fragment) - 1 do
      names[r + 1], n = "%" .. n, n + 1
      if fragment == "d" then
        outs[#outs + 1] = ('"=%s"(d%d)'):format(kind, r)
        sets[#sets + 1] = ("d[%d + l] = %s;"):format(32 * r, (FROM[s.d] or "%s"):format("d" .. r))
      else
        local value = ("%s[%d + l]"):format(fragment, 32 * r)
        ins[#ins + 1] = ('"%s"(%s)'):format(kind, (TO[s[fragment]] or "%s"):format(value))
      end
    end
    groups[#groups + 1] = "{" .. table.concat(names, ", ") .. "}"
  end
  if s.sparse then
    groups[#groups + 1], ins[#ins + 1] = "%" .. n .. ", " .. s.selector, '"r"(e[l])'
  end
  local declared = {}
  for r = 0, registers(s, "d") - 1 do declared[r + 1] = "d" .. r end
  return dc.kernel(([[
__global__ void k(const WORD *a, const WORD *b, const WORD *c, const unsigned *e, WORD *d) {
  const int l = threadIdx.x;
  %s %s;
  asm volatile("%s %s;" : %s : %s);
  %s
}]]):gsub("WORD", word):format(C[CONSTRAINTS[s.d] or "r"], table.concat(declared, ", "), opcode,
    table.concat(groups, ", "), table.concat(outs, ", "), table.concat(ins, ", "), table.concat(sets, "\n  ")))
end

local function array(words, s)
  if s.a == "f64" then return dc.array(words, "int64") end
  return dc.array(words, "uint32")
end

local function wrap(x, satfinite)
  if satfinite then return math.max(math.min(x, 0x7fffffff), -0x80000000) end
  x = x & 0xffffffff
  return x >= 0x80000000 and x - (1 << 32) or x
end

local function run(s, opcode)
  local k = kernel(s, opcode)
  for _ = 1, 3 do
    local a, va = random_fragment(s, "a")
    local b, vb = random_fragment(s, "b")
    local c, vc = random_fragment(s, "c")
    local e = dc.zeros(32, "uint32")
    if s.sparse then e, va = s.metadata(s, va) end
    local d = dc.zeros(32 * registers(s, "d"), s.a == "f64" and "int64" or "uint32")
    k(1, 32, array(a, s), array(b, s), array(c, s), e, d)
    local words, t = d:to_table(), TYPES[s.d]
    local each = math.max(32 // t.bits, 1)
    for r = 0, registers(s, "d") - 1 do
      for l = 0, 31 do
        for i = 0, each - 1 do
          local row, column = place(s, "d", l, r * each + i)
          local q = s.quarters and l // 4 % 4 or 0
          local sum = vc(q, row, column)
          local size = math.abs(sum)
          for p = 0, s.k - 1 do
            local x, y = va(q, row, p), vb(q, p, column)
            local v = s.combine and s.combine(x, y) or x * y
            sum, size = sum + v, size + math.abs(v)
          end
          local got = t.value(words[32 * r + l + 1] >> (t.bits * i) & (t.bits == 64 and -1 or (1 << t.bits) - 1))
          local bound = 0
          if t.integer then sum = wrap(sum, s.satfinite)
          else bound = s.k * (s.a == "f64" and 2 ^ -53 or ROUNDING) * size end
          if s.d == "f16" then bound = bound + math.abs(sum) * 2 ^ -11 + 2 ^ -24 end
          local close = math.abs(got - sum) <= bound -- not where one is NaN
          if not close then
            error(helper.note(("(%d, %d): %.9g, not %.9g within %.3g"):format(row, column, got, sum, bound)))
          end
        end
      end
    end
  end
end

local function shape(text)
  local m, n, k = text:match "m(%d+)n(%d+)k(%d+)"
  return math.tointeger(m), math.tointeger(n), math.tointeger(k)
end

-- A test of mma.sync.aligned.SHAPE.LA.LB[.satfinite].D.A.B.C[suffix].
local function test(size, types, more)
  more = more or {}
  local d, a, b, c = types:match "(%w+)%.(%w+)%.(%w+)%.(%w+)"
  local s = { d = d, a = a, b = b, c = c }
  s.m, s.n, s.k = shape(size)
  for key, v in pairs(more) do s[key] = v end
  local opcode = ("mma%s.sync.aligned.%s.%s.%s%s.%s%s"):format(s.sparse and ".sp" or "", size,
    s.column_a and "col" or "row", (s.column_b or not s.quarters) and "col" or "row",
    s.satfinite and ".satfinite" or "", types, s.suffix or "")
  it(opcode .. (s.sparse and ", selector " .. s.selector or ""), function() run(s, opcode) end)
end

describe("mma", function()
  for _, size in ipairs { "m16n8k8", "m16n8k16" } do
    test(size, "f32.f16.f16.f32")
    test(size, "f16.f16.f16.f16")
    test(size, "f32.bf16.bf16.f32")
  end
  for _, size in ipairs { "m16n8k4", "m16n8k8" } do test(size, "f32.tf32.tf32.f32") end
  for _, size in ipairs { "m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16" } do test(size, "f64.f64.f64.f64") end
  for _, size in ipairs { "m8n8k16", "m16n8k16", "m16n8k32" } do
    for _, types in ipairs { "s8.s8", "u8.u8", "s8.u8", "u8.s8" } do test(size, "s32." .. types .. ".s32") end
    test(size, "s32.s8.s8.s32", { satfinite = true })
  end
  for _, size in ipairs { "m8n8k32", "m16n8k32", "m16n8k64" } do
    for _, types in ipairs { "s4.s4", "u4.u4", "s4.u4", "u4.s4" } do test(size, "s32." .. types .. ".s32") end
    test(size, "s32.u4.u4.s32", { satfinite = true })
  end
  for _, size in ipairs { "m8n8k128", "m16n8k128", "m16n8k256" } do
    test(size, "s32.b1.b1.s32", { suffix = ".xor.popc", combine = function(x, y) return x ~ y end })
    test(size, "s32.b1.b1.s32", { suffix = ".and.popc", combine = function(x, y) return x & y end })
  end
  if on_cpu then -- newer than the GPUs that most have
    test("m16n8k32", "f32.e4m3.e5m2.f32")
    test("m16n8k32", "f32.e5m2.e4m3.f32")
  end
  for columns = 0, 3 do
    for _, types in ipairs { "f32.f16.f16.f32", "f16.f16.f16.f16", "f32.f16.f16.f16" } do
      test("m8n8k4", types, { quarters = true, column_a = columns & 1 ~= 0, column_b = columns & 2 ~= 0 })
    end
  end
end)

-- --- sparse ---------------------------------------------------------------------------------------------------------

-- Metadata for random positions, and A with its zeros.  Of 4 neighbours 2 are stored; of tf32 1 of 2, by two halves; of
-- 4-bit types 2 of 4 pairs.  The selector names the lanes of each four that hold the metadata.
local function metadata(s, stored)
  local words, values, bits = {}, {}, TYPES[s.a].bits
  for l = 1, 32 do words[l] = math.random(0, 0xffffffff) end
  for row = 0, 15 do
    local g, high = row % 8, row // 8
    local groups = s.k // (bits == 32 and 2 or bits == 4 and 8 or 4)
    for j = 0, groups - 1 do
      local p = math.random(0, 2)
      local q = math.random(p + 1, 3)
      if bits == 32 then p, q = table.unpack(({ { 0, 1 }, { 2, 3 } })[math.random(2)]) end
      local lane, shift
      if bits >= 16 then -- a lane has 4 groups of row g and of row g + 8
        lane, shift = groups > 4 and 2 * s.selector + j // 4 or s.selector, 16 * high + 4 * (j % 4)
      else -- 8 groups of row g, or of row g + 8
        lane, shift = 2 * (groups > 8 and j // 8 or s.selector) + high, 4 * (j % 8)
      end
      local at = 4 * g + lane + 1
      words[at] = words[at] & ~(15 << shift) | (p | q << 2) << shift
      if bits == 32 then
        values[row << 10 | 2 * j + p // 2] = stored(0, row, j)
      else
        local unit = bits == 4 and 2 or 1
        for i = 0, unit - 1 do
          values[row << 10 | (4 * j + p) * unit + i] = stored(0, row, 2 * j * unit + i)
          values[row << 10 | (4 * j + q) * unit + i] = stored(0, row, (2 * j + 1) * unit + i)
        end
      end
    end
  end
  return dc.array(words, "uint32"), function(_, row, column) return values[row << 10 | column] or 0 end
end

describe("mma.sp", function()
  local function each_selector(n, size, types, satfinite)
    for selector = 0, n - 1 do
      test(size, types, { sparse = true, selector = selector, metadata = metadata, satfinite = satfinite })
    end
  end
  each_selector(4, "m16n8k16", "f32.f16.f16.f32")
  each_selector(2, "m16n8k32", "f32.f16.f16.f32")
  each_selector(2, "m16n8k32", "f16.f16.f16.f16")
  each_selector(4, "m16n8k16", "f32.bf16.bf16.f32")
  each_selector(2, "m16n8k32", "f32.bf16.bf16.f32")
  each_selector(4, "m16n8k8", "f32.tf32.tf32.f32")
  each_selector(2, "m16n8k16", "f32.tf32.tf32.f32")
  each_selector(2, "m16n8k32", "s32.s8.u8.s32")
  each_selector(1, "m16n8k64", "s32.u8.s8.s32", true)
  each_selector(2, "m16n8k64", "s32.s4.u4.s32")
  each_selector(1, "m16n8k128", "s32.u4.s4.s32")
end)
