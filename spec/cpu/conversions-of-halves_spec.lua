-- Conversions to and from float16, bfloat16 and tf32 in all their roundings: exact, and native code without calls of
-- the interpreter.
local check_conversions = require "spec.conversions"
local floats = require "spec.ptx.floats"

local forms = { "cvt.rna.tf32.f32", "cvt.rn.tf32.f32", "cvt.rz.tf32.f32", "cvt.rz.f16x2.f32", "cvt.rz.bf16x2.f32" }
for _, mode in ipairs { "rz", "rm", "rp" } do
  for _, kind in ipairs { "f32", "s16", "u16", "s32", "u32" } do
    forms[#forms + 1] = ("cvt.%s.f16.%s"):format(mode, kind)
  end
end
forms[#forms + 1] = "cvt.rz.bf16.f32"
for _, mode in ipairs { "rni", "rzi", "rmi", "rpi" } do
  for _, kind in ipairs { "f16", "s16", "u16", "s32", "u32", "s64", "u64" } do
    forms[#forms + 1] = ("cvt.%s.%s.f16"):format(mode, kind)
  end
end

local letters = { s16 = "h", u16 = "h", f16 = "h", bf16 = "h", s64 = "l", u64 = "l" }
local holders = { h = "unsigned short", l = "unsigned long long", r = "unsigned" }

-- A row of the kernel: the form's result for x, or for its lower half, in out[row * n + i].
local function row(number, form)
  local to, from = form:match "%.(%w+)%.(%w+)$"
  local letter = letters[to] or "r"
  local operands = to:find "x2" and "%0, %1, %1" or "%0, %1"
  local operand = letters[from] == "h" and "(unsigned short)v" or "v"
  return ([[{ %s r; asm("%s %s;" : "=%s"(r) : "%s"(%s)); out[%d * n + i] = r; }]]):format(holders[letter], form,
    operands, letter, letters[from] or "r", operand, number - 1)
end

local rows = {}
for number, form in ipairs(forms) do rows[number] = row(number, form) end
local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void convert(const unsigned *x, long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i];
  ]==] .. table.concat(rows, "\n  ") .. [==[

}]]
local x = dc.array(load("return {" .. arg[1] .. "}")(), "uint32")
local out = dc.zeros(]==] .. #forms .. [==[, #x, "int64")
k((#x + 63) // 64, 64, x, out, #x)
for _, line in ipairs(out:to_table()) do print(table.concat(line, " ")) end
]==]

-- Bits of a float32 near halves of all sizes: often one exactly, or the middle between two.  Or a small integer's.
local function value()
  if math.random(4) == 1 then return math.random(-1, 1) * math.random(0, 1 << math.random(20)) & 0xffffffff end
  local fraction = math.random(0, 0x3ff) << 13 | ({ 0, 0x1000, 1, 0x1fff, math.random(0, 0x1fff) })[math.random(5)]
  local exponent = ({ math.random(95, 145), math.random(110, 130), math.random(0, 255) })[math.random(3)]
  return math.random(0, 1) << 31 | exponent << 23 | fraction
end

local function tf32(form, x)
  if x & 0x7fffffff > 0x7f800000 then return 0x7fffffff end
  local half = form:find "rna" and 0x1000 or form:find "rn%." and 0xfff + (x >> 13 & 1) or 0
  return x + half & 0xffffe000
end

-- What a form makes of x, as the kernel's 64 bits; nil: not defined.
local function want(form, x)
  local to, from = form:match "%.(%w+)%.(%w+)$"
  if to == "tf32" then return tf32(form, x) end
  if letters[from] == "h" then x = x & 0xffff end
  local r = floats.form(floats.parts((form:gsub("x2", "")))).ref(x)
  if not r then return nil end
  if to:find "x2" then return r << 16 | r end
  local bits = tonumber(to:match "%d+")
  return bits == 64 and r or r & (1 << bits) - 1
end

describe("conversions of halves", function()
  local values, numbers = {}, {}
  for i = 1, math.random(150, 300) do values[i] = value() end
  for i, v in ipairs(values) do numbers[i] = tostring(v) end

  check_conversions(it, forms, script, values, numbers, want, "cvt_rna_tf32", true)
end)
