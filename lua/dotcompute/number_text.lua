-- CUDA C of numbers and strings: literals, conversions between dtypes and the operators that C has otherwise, for
-- kernels that are generated from Lua (dc.vectorize, dc.jit). dtypes are tables as core.dtype gives them.
local core = require "dotcompute.core"
core.builtin(debug.getinfo(1, "S").source)

local number_text = {}

local function is_integer(d) return d.kind == "i" or d.kind == "u" end
number_text.is_integer = is_integer

-- A string as a literal of C; bytes that are no plain characters as octal numbers.
function number_text.string(s)
  return '"' .. s:gsub('[%c"\\?\128-\255]', function(c) return ("\\%03o"):format(c:byte()) end) .. '"'
end

-- A number or boolean as a `d`.
function number_text.literal(x, d)
  if type(x) == "boolean" then return x and "true" or "false" end
  if d.kind == "f" then
    if x ~= x then return ("(%s)__longlong_as_double(0x7ff8000000000000ll)"):format(d.ctype) end
    if x == math.huge then return ("(%s)__longlong_as_double(0x7ff0000000000000ll)"):format(d.ctype) end
    if x == -math.huge then return ("(%s)__longlong_as_double(0xfff0000000000000ull)"):format(d.ctype) end
    return ("(%s)%s"):format(d.ctype, math.type(x) == "integer" and ("%dll"):format(x):gsub("^%-9223372036854775808ll",
      "(-9223372036854775807ll - 1)") or ("%.17g"):format(x):gsub(",", "."):gsub("^-?%d+$", "%0.0"))
  end
  if d.kind == "b" then return x ~= 0 and "true" or "false" end
  local i = math.tointeger(x)
  return ("(%s)%s"):format(d.ctype, i == math.mininteger and "(-9223372036854775807ll - 1)" or ("%dll"):format(i))
end

-- The least and the greatest integer of an integer dtype; of uint64 as far as Lua has them.
function number_text.limits(d)
  local bits = 8 * d.size
  return d.kind == "i" and (bits == 64 and math.mininteger or -(1 << (bits - 1))) or 0,
    bits == 64 and math.maxinteger or (1 << (d.kind == "i" and bits - 1 or bits)) - 1
end

-- Whether a number is a value of the dtype; for uint64 an integer is its 64 bits.
function number_text.holds(d, x)
  if not is_integer(d) or (d.name == "uint64" and math.type(x) == "integer") then return true end
  local i, low, high = math.tointeger(x), number_text.limits(d)
  return i ~= nil and i >= low and i <= high
end

-- Toward zero, saturating, NaN gives 0: as arrays convert. (NVRTC 13.0 takes x == x for true where x is a division of
-- constants, -0.0 / 0.0.)
local function float_to_integer(text, from, to)
  local f, signed = from.size == 8 and "double" or "float", to.kind == "i"
  if from.size < 4 then text = ("(float)(%s)"):format(text) end
  local name = to.size == 8 and (signed and "ll" or "ull") or signed and "int" or "uint"
  local whole = ("__%s2%s_rz(%s)"):format(f, name, text)
  if to.size < 4 then
    local high = (1 << (8 * to.size - (signed and 1 or 0))) - 1
    whole = signed and ("max(-%d, min(%d, %s))"):format(high + 1, high, whole) or ("min(%uu, %s)"):gsub("%%u", high)
      :format(whole)
  end
  return ("(%s)(isnan(%s) ? 0 : %s)"):format(to.ctype, text, whole)
end

-- A value of dtype `from` as a `to`.
function number_text.convert(text, from, to)
  if from.name == to.name then return text end
  if to.kind == "b" then return ("(%s != 0)"):format(text) end
  if from.kind == "f" and is_integer(to) then return float_to_integer(text, from, to) end
  return ("(%s)%s"):format(to.ctype, text)
end

-- The unsigned type in which integers of the dtype are computed: signed ones wrap.
function number_text.unsigned(d) return d.size == 8 and "unsigned long long" or "unsigned int" end

-- ptxas takes 16-bit negations (before CUDA 13.3) and absolute values (before 13.1) for free of overflow: -(-32768) is
-- 32768 where it is widened, and abs of the least integer never negative. For compute capability 9.0 it also loses the
-- sign of min(min(a, -b), c) and max(max(a, -b), c) of 32-bit integers (CUDA 13.0). NVRTC makes negations of every form
-- of `0 - x` and `abs` that it recognizes, so here the value passes through instructions that it does not see through:
-- a move, or ~(x - 1). (With ~x + 1 ptxas, CUDA 13.0, makes x of -~x where x is known from a comparison.)
-- array/codegen/instruction.c has the same.
--
-- ptxas (CUDA 13.0) also takes sums and differences of x << n and x >> 64 - n of 64 bits for a rotation, whatever their
-- signs are and whether the shift to the right has one; so 2 * x - (x < 0) is wrong. Negations of 64 bits, of which
-- NVRTC makes such differences, are ~(x - 1), too.
local hidden = '[](%s dc_v) { %s dc_r; asm("%s" : "=%s"(dc_r) : "%s"(dc_v)); return %s; }(%s)'

local function through(instructions, size, result, text)
  local ctype, letter = size == 8 and "long long" or "int", size == 8 and "l" or "r"
  instructions = instructions:gsub("BITS", size == 8 and "64" or "32")
  return hidden:format(ctype, ctype, instructions, letter, letter, result, text)
end
local move <const>, negation <const> = "mov.bBITS %0, %1;", "add.sBITS %0, %1, -1; not.bBITS %0, %0;"

-- An integer that was computed without a sign, as one of the dtype; of 16 bits, it may be a negation. `text`: a C
-- expression of at least 32 bits.
function number_text.wrapped(text, d)
  return ("(%s)%s"):format(d.ctype, d.kind == "i" and d.size == 2 and through(move, 4, "dc_r", text)
    or "(" .. text .. ")")
end

-- An integer of 32 or 64 bits of which NVRTC knows nothing. It (CUDA 13.0 to 13.5) sums a value of 32 bits and two
-- products of bytes by dp2a, in 32 bits, also where the sum is one of 64.
function number_text.opaque(text, d) return ("(%s)%s"):format(d.ctype, through(move, d.size, "dc_r", text)) end

-- A float32 or float64 of which NVRTC knows nothing, as one of `size` bytes. It (CUDA 13.0) takes comparisons of two
-- NaNs, each computed from constants, for true.
function number_text.opaque_float(text, size)
  local ctype, letter = size == 8 and "double" or "float", size == 8 and "d" or "f"
  return hidden:format(ctype, ctype, ("mov.f%d %%0, %%1;"):format(8 * size), letter, letter, "dc_r", text)
end

-- -a and abs(a) of integers of the dtype, which wrap around.
function number_text.negated(a, d)
  if d.kind == "i" or d.size == 8 then return ("(%s)%s"):format(d.ctype, through(negation, d.size, "dc_r", a)) end
  return number_text.wrapped(("0 - (%s)%s"):format(number_text.unsigned(d), a), d)
end
function number_text.absolute(a, d)
  if d.kind == "u" or d.kind == "b" then return a end
  return ("(%s)%s"):format(d.ctype, through(negation, d.size, "dc_v > dc_r ? dc_v : dc_r", a))
end

-- The unsigned type of the same size.
function number_text.unsigned_same(d)
  return ({ "unsigned char", "unsigned short", [4] = "unsigned int", [8] = "unsigned long long" })[d.size]
end

-- As Lua's // and %: rounded toward minus infinity, and a remainder with the divisor's sign. Integers by 0 give 0.
local divisions = {
  ["//"] = { f = "floor(A / B)", u = "(B == 0 ? 0 : A / B)",
    i = "(B == 0 ? 0 : B == -1 ? NEGATED : A / B - (A % B != 0 && (A % B < 0) != (B < 0)))" },
  ["%"] = { f = "(fmod(A, B) != 0 && (fmod(A, B) < 0) != (B < 0) ? fmod(A, B) + B : fmod(A, B))",
    u = "(B == 0 ? 0 : A % B)",
    i = "(B == 0 || B == -1 ? 0 : A % B + (A % B != 0 && (A % B < 0) != (B < 0) ? B : 0))" },
}

-- a // b, a % b: of values of dtype `d`, 16-bit floats as floats.
function number_text.division(sign, a, b, d)
  local text = divisions[sign][d.kind]:gsub("%f[%u]%u+", { A = "(" .. a .. ")", B = "(" .. b .. ")",
    NEGATED = d.kind == "i" and number_text.negated(a, d) })
  return ("(%s)(%s)"):format(d.ctype, text)
end

-- Shifts: by as many bits as there are, or more, nothing is left but a negative number's sign.
function number_text.shift(sign, a, count, d)
  count = ("(unsigned long long)(%s)"):format(count)
  if sign == ">>" and d.kind == "i" then
    return ("(%s)((long long)(%s) >> (int)min(%s, 63ull))"):format(d.ctype, a, count)
  end
  return ("(%s)(%s >= %dull ? 0 : (%s)(%s) %s %s)"):format(d.ctype, count, 8 * d.size, number_text.unsigned(d), a, sign,
    count)
end

return number_text
