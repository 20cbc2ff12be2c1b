-- PTX instructions that random kernels use by inline assembly: what CUDA C alone rarely or never becomes.
-- A line is an opcode, the letter of its result, those of its operands, and perhaps an immediate that comes last:
--   h r l  registers of 16, 32, 64 bits          f d  float, double          n m  the same, but no NaN
--   F P    a half and a pair of them, made of floats and given back as a float
-- A line with a brace is a name instead of the opcode, and the assembly itself, which may go on in the next line.
local instructions = {}

local list = [[
add.sat.s32 r rr
sub.sat.s32 r rr
mul.hi.u32 r rr
mul.hi.s64 l ll
mul24.lo.s32 r rr
mul24.hi.u32 r rr
mad24.lo.u32 r rrr
mad24.hi.s32 r rrr
mad.lo.s32 r rrr
mad.hi.s32 r rrr
mad.hi.sat.s32 r rrr
mad.hi.u64 l lll
mad.wide.s32 l rrl
mad.wide.u32 l rrl
mul.wide.s16 r hh
mad.wide.u16 r hhr
mul.lo.s16 h hh
mad.lo.u16 h hhh
mul.hi.s16 h hh
min.s16 h hh
max.u16 h hh
abs.s16 h h
neg.s16 h h
abs.s32 r r
abs.s64 l l
shl.b16 h hr
shr.s16 h hr
shr.u16 h hr
shl.b64 l lr
shr.s64 l lr
shr.u64 l lr
shr.u32 r rr
sad.s32 r rrr
sad.u32 r rrr
sad.u16 h hhh
sad.s64 l lll
bfe.u32 r rrr
bfe.s32 r rrr
bfi.b32 r rrrr
bfind.u32 r r
bfind.s32 r r
bfind.shiftamt.u32 r r
bfind.s64 r l
clz.b64 r l
popc.b64 r l
brev.b64 l l
cnot.b32 r r
cnot.b16 h h
not.b64 l l
lop3.b32 r rrr 0xe8
lop3.b32 r rrr 0x1b
lop3.b32 r rrr 0x96
prmt.b32 r rrr
prmt.b32.f4e r rrr
prmt.b32.b4e r rrr
prmt.b32.rc8 r rrr
prmt.b32.ecl r rrr
prmt.b32.ecr r rrr
prmt.b32.rc16 r rrr
shf.l.wrap.b32 r rrr
shf.r.clamp.b32 r rrr
dp4a.u32.u32 r rrr
dp4a.s32.u32 r rrr
dp2a.lo.s32.s32 r rrr
dp2a.hi.u32.s32 r rrr
vadd.s32.s32.s32.sat r rr
vmin.s32.s32.s32 r rr
vadd4.u32.u32.u32 r rrr
vabsdiff4.u32.u32.u32.add r rrr
vset2.s32.s32.lt r rrr
slct.s32.s32 r rrr
slct.u64.s32 l llr
slct.f32.f32 f ffn
set.lt.u32.s32 r rr
set.gt.f32.f32 f ff
set.leu.u32.f64 r dd
set.num.s32.f32 r ff
cvt.sat.u8.s32 r r
cvt.sat.s8.s32 r r
cvt.sat.u32.s64 r l
cvt.sat.s32.u64 r l
cvt.sat.u64.s64 l l
cvt.s8.s32 r r
cvt.u16.u64 h l
cvt.s64.s8 l r
cvt.s32.s16 r h
cvt.u64.u16 l h
cvt.rni.s32.f32 r f
cvt.rmi.u32.f32 r f
cvt.rpi.s64.f32 l n
cvt.rzi.u64.f64 l m
cvt.rmi.s32.f64 r m
cvt.rpi.u32.f64 r m
cvt.rni.s16.f32 h f
cvt.rzi.u16.f32 h f
cvt.rni.sat.u8.f32 r f
cvt.rzi.s8.f64 r m
cvt.rzi.ftz.s32.f32 r f
cvt.rz.f32.s64 f l
cvt.rp.f32.u64 f l
cvt.rm.f32.s32 f r
cvt.rn.f32.u64 f l
cvt.rn.f32.u16 f h
cvt.rn.f32.s8 f r
cvt.rz.f64.u64 d l
cvt.rp.f64.s64 d l
cvt.rn.f64.u32 d r
cvt.rz.f32.f64 f d
cvt.rp.f32.f64 f d
cvt.rn.ftz.f32.f64 f d
cvt.sat.f32.f32 f f
cvt.ftz.f32.f32 f f
cvt.rmi.f32.f32 f f
cvt.rpi.f64.f64 d d
cvt.rni.f64.f64 d d
cvt.rn.f16.f32 F f
cvt.rz.f16.f32 F f
cvt.rn.f16.f64 F d
cvt.rn.f16.s32 F r
cvt.rz.f16.u64 F l
cvt.f64.f16 d F
cvt.rzi.s32.f16 r F
cvt.rni.u16.f16 h F
cvt.rmi.f16.f16 F F
add.rn.f16 F FF
sub.sat.f16 F FF
mul.ftz.f16 F FF
fma.rn.f16 F FFF
fma.rn.sat.f16 F FFF
neg.f16 F F
abs.f16 F F
add.rn.f16x2 P PP
mul.sat.f16x2 P PP
sub.ftz.f16x2 P PP
fma.rn.f16x2 P PPP
neg.f16x2 P P
set.lt.f16x2.f16x2 P PP
set.ge.u32.f16 r FF
add.ftz.f32 f ff
mul.ftz.sat.f32 f ff
add.sat.f32 f ff
sub.rz.f32 f ff
mul.rp.ftz.f32 f ff
fma.rn.ftz.f32 f fff
fma.rz.f32 f fff
fma.rm.sat.f32 f fff
div.rz.f32 f ff
div.rn.ftz.f32 f ff
sqrt.rp.f32 f f
sqrt.rn.ftz.f32 f f
rcp.rm.f32 f f
rcp.rn.f64 d d
min.ftz.f32 f ff
max.f32 f ff
min.f64 d dd
abs.ftz.f32 f f
neg.ftz.f32 f f
copysign.f32 f nf
copysign.f64 d md
add.rp.f64 d dd
mul.rm.f64 d dd
fma.rz.f64 d ddd
div.rp.f64 d dd
sqrt.rz.f64 d d
add_carried { l ll .reg .u32 a, b, c, e; mov.b64 {a, b}, %1; mov.b64 {c, e}, %2; add.cc.u32 a, a, c;
  addc.u32 b, b, e; mov.b64 %0, {a, b}; }
sub_borrowed { l ll .reg .u32 a, b, c, e; mov.b64 {a, b}, %1; mov.b64 {c, e}, %2; sub.cc.u32 a, a, c;
  subc.u32 b, b, e; mov.b64 %0, {a, b}; }
mad_carried { l rrl .reg .u32 a, b; mov.b64 {a, b}, %3; mad.lo.cc.u32 a, %1, %2, a; madc.hi.u32 b, %1, %2, b;
  mov.b64 %0, {a, b}; }
both_ways { r rrr .reg .pred p; setp.lt.s32 p, %1, %2; mov.u32 %0, %3; @p add.u32 %0, %0, %1; @!p xor.b32 %0, %0, %2; }
perhaps { r rr .reg .pred p; setp.gt.u32 p, %1, %2; mov.u32 %0, 9; @p mov.u32 %0, %1; }
perhaps_wide { l lr .reg .pred p; setp.ge.s32 p, %2, 0; mov.u64 %0, %1; @p mul.wide.u32 %0, %2, 7;
  @!p shr.u64 %0, %1, 3; }
perhaps_float { f fr .reg .pred p; setp.eq.u32 p, %2, 3; mov.f32 %0, 0f3f800000; @!p mul.f32 %0, %1, %1; }
joined { r rrr .reg .pred p, q; setp.ne.u32 q, %3, 0; setp.lt.or.s32 p, %1, %2, q; selp.u32 %0, %1, 5, p; }
chosen { r rr .reg .pred p; setp.lt.s32 p, %1, %2; selp.b32 %0, %1, %2, p; }
split_two { r rr .reg .pred p, q, s; setp.ge.u32 p|q, %1, %2; xor.pred s, p, q; and.pred p, p, s;
  not.pred q, p; selp.u32 %0, %1, %2, p; @q add.u32 %0, %0, 1; }
float_and_bits { r ffr .reg .pred p, q; setp.gt.u32 q, %3, 7; setp.ltu.xor.f32 p, %1, %2, q; selp.u32 %0, 1, 0, p; }
halves_of { l l .reg .u32 a, b; mov.b64 {a, b}, %1; xor.b32 a, a, b; mov.b64 %0, {b, a}; }
quarters_of { l l .reg .u16 a, b, c, e; mov.b64 {a, b, c, e}, %1; add.u16 a, a, e; mov.b64 %0, {c, a, b, e}; }
]]

-- Not the same on every machine, but on every tier of one: approximations, and what NVIDIA's assembler (13.0) makes of
-- instructions in another way than the ISA defines. It takes positions and lengths in fields of 64 bits as they are,
-- not modulo 256, and joins a conversion of a float and one to 16 bits with saturation: -1.0f, as unsigned 0, becomes
-- -1.
local by_machine = [[
ex2.approx.f32 f f
ex2.approx.ftz.f32 f f
lg2.approx.f32 f f
sin.approx.f32 f f
cos.approx.ftz.f32 f f
tanh.approx.f32 f f
rcp.approx.f32 f f
rcp.approx.ftz.f32 f f
sqrt.approx.f32 f f
rsqrt.approx.f32 f f
rsqrt.approx.f64 d d
div.approx.f32 f ff
div.full.f32 f ff
div.full.ftz.f32 f ff
ex2.approx.f16 F F
tanh.approx.f16 F F
bfe.u64 l lrr
bfe.s64 l lrr
bfi.b64 l llrr
cvt.sat.s16.u32 h r
]]

local types = { h = "ushort", r = "unsigned", l = "ull", f = "float", d = "double", n = "float", m = "double",
  F = "float", P = "float" }
local kinds = { F = "h", P = "r", n = "f", m = "d" }
local names = "abcd"

-- A name, letters of result and operands, the assembly.
local function parsed(line)
  local name, result, operands, text = line:match "^([%w_]+) { (%a) (%a+) (.*)}$"
  if name then return name, result, operands, "{ " .. text .. "}" end
  local opcode, more
  opcode, result, operands, more = line:match "^(%S+) (%a) (%a+) ?(%S*)$"
  local places = { "%0" }
  for i = 1, #operands do places[i + 1] = "%" .. i end
  if more ~= "" then places[#places + 1] = more end
  return ((opcode .. more):gsub("%.", "_")), result, operands, opcode .. " " .. table.concat(places, ", ") .. ";"
end

local function add_function(lines, name, result, operands, text)
  local params, inputs = {}, {}
  for i = 1, #operands do
    local letter, p = operands:sub(i, i), names:sub(i, i)
    params[i] = types[letter] .. " " .. p
    if letter == "n" or letter == "m" then p = ("%s == %s ? %s : 1"):format(p, p, p) end
    if letter == "F" then p = ("to_half(%s)"):format(p) end
    if letter == "P" then p = ("to_pair(%s)"):format(p) end
    inputs[i] = ('"%s"(%s)'):format(kinds[letter] or letter, p)
  end
  local kind = kinds[result] or result
  local back = result == "F" and "from_half(v)" or result == "P" and "from_pair(v)" or "v"
  local form = '__device__ __forceinline__ %s i_%s(%s) {\n  %s v;\n  asm("%s" : "=%s"(v) : %s);\n  return %s;\n}'
  lines[#lines + 1] = form:format(types[result], name, table.concat(params, ", "), types[kind], text, kind,
    table.concat(inputs, ", "), back)
end

-- By C type of the result: { name, types of the operands }.
instructions.exact, instructions.by_machine = {}, {}
local lines = {}
for which, text in pairs { exact = list, by_machine = by_machine } do
  for line in text:gsub("\n  ", " "):gmatch "[^\n]+" do
    local name, result, operands, assembly = parsed(line)
    add_function(lines, name, result, operands, assembly)
    local takes = {}
    for i = 1, #operands do takes[i] = types[operands:sub(i, i)] end
    local type = types[result]
    instructions[which][type] = instructions[which][type] or {}
    table.insert(instructions[which][type], { "i_" .. name, takes })
  end
end
-- A random kernel is a matter of its seed alone, so nothing may hang on the order of pairs().
for _, which in pairs { instructions.exact, instructions.by_machine } do
  for _, functions in pairs(which) do table.sort(functions, function(a, b) return a[1] < b[1] end) end
end
table.sort(lines)

-- Functions of these names, after the text of prelude.lua.
instructions.source = [[
__device__ __forceinline__ unsigned to_pair(float v) { return to_half(v) | (unsigned)to_half(v * 0.75f) << 16; }
__device__ __forceinline__ float from_pair(unsigned p) {
  return from_half((ushort)p) - 3.0f * from_half((ushort)(p >> 16));
}
]] .. table.concat(lines, "\n") .. "\n"

return instructions
