-- Forms of PTX that public kernels were not found to use: whole families, written out.
local list = {}

-- "add.{s16,u16}.x": every choice.
local function expand(pattern)
  local before, choices, after = pattern:match "^(.-)(%b{})(.*)$"
  if not before then
    list[#list + 1] = pattern
    return
  end
  for choice in (choices:sub(2, -2) .. ","):gmatch "([^,]*)," do expand(before .. choice .. after) end
end

local families = [[
add.{s16,u16,s32,u32,s64,u64,sat.s32,u16x2,s16x2}
sub.{s16,u16,s32,u32,s64,u64,sat.s32}
mul.{lo,hi}.{s16,u16,s32,u32,s64,u64}
mul.wide.{s16,u16,s32,u32}
mad.lo.{s16,u16,s32,u32,s64,u64}
mad.hi.{s32,u32,s64,u64}
mad.hi.sat.s32
mad.wide.{s16,u16,s32,u32}
mul24.{lo,hi}.{s32,u32}
mad24.{lo,hi}.{s32,u32}
mad24.hi.sat.s32
sad.{s16,u16,s32,u32,s64,u64}
{div,rem}.{s16,u16,s32,u32,s64,u64}
{min,max}.{s16,u16,s32,u32,s64,u64,u16x2,s16x2,relu.s32,relu.s16x2}
{abs,neg}.{s16,s32,s64}
{popc,clz,brev}.{b32,b64}
{bfind,bfind.shiftamt}.{s32,u32,s64,u64}
bfe.{s32,u32,s64,u64}
bfi.{b32,b64}
bmsk.{clamp,wrap}.b32
szext.{clamp,wrap}.{s32,u32}
prmt.b32.{f4e,b4e,rc8,ecl,ecr,rc16}
dp4a.{s32,u32}.{s32,u32}
dp2a.{lo,hi}.{s32,u32}.{s32,u32}
{and,or,xor,not}.{pred,b16,b32,b64}
cnot.{b16,b32,b64}
shl.{b16,b32,b64}
shr.{b16,b32,b64,s16,s32,s64,u16,u32,u64}
shf.{l,r}.{wrap,clamp}.b32
{add,sub}.cc.{s32,u32,s64,u64}
{addc,subc}.{s32,u32,s64,u64}
{mad.lo.cc,mad.hi.cc,madc.lo,madc.hi}.{s32,u32,s64,u64}
{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32
{add,sub,mul}{,.rn,.rz,.rm,.rp}.f64
fma{.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32
mad{.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32
{fma,mad}{.rn,.rz,.rm,.rp}.f64
{add,sub,mul}{,.rn}{,.ftz}{,.sat}.{f16,f16x2}
fma.rn{,.ftz}{,.sat,.relu}.{f16,f16x2}
{add,sub,mul}.rn.{bf16,bf16x2}
fma.rn{,.relu}.{bf16,bf16x2}
{add,sub,mul,fma}{.rn,.rz,.rm,.rp}{,.ftz}.f32x2
{div,rcp,sqrt}{.rn,.rz,.rm,.rp}{,.ftz}.f32
{div,rcp,sqrt}{.rn,.rz,.rm,.rp}.f64
{div.approx,div.full,rcp.approx,sqrt.approx,rsqrt.approx,sin.approx,cos.approx,lg2.approx,ex2.approx}{,.ftz}.f32
rsqrt.approx{,.ftz}.f64
tanh.approx.{f32,f16,f16x2,bf16,bf16x2}
ex2.approx.{f16,f16x2,ftz.bf16,ftz.bf16x2}
{abs,neg}{,.ftz}.{f32,f16,f16x2}
{abs,neg}.{f64,bf16,bf16x2}
{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32
{min,max}.f64
{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.{f16,f16x2}
{min,max}{,.NaN}{,.xorsign.abs}.{bf16,bf16x2}
copysign.{f32,f64}
testp.{finite,infinite,number,notanumber,normal,subnormal}.{f32,f64}
setp.{eq,ne,lt,le,gt,ge}.{s16,u16,s32,u32,s64,u64}
setp.{eq,ne}.{b16,b32,b64}
setp.{lo,ls,hi,hs}.{u16,u32,u64}
setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{f32,f64,f16,bf16,ftz.f32}
setp.{eq,lt,geu}.{and,or,xor}.{f32,f64,f16}
setp.{eq,lt,ge}.{and,or,xor}.{s32,u64,u16}
set.{eq,ne,lt,le,gt,ge}.{u32,s32,f32}.{s16,u16,s32,u32,s64,u64}
set.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{u32,s32,f32}.{f32,f64,ftz.f32}
set.{lt,ge}.{and,or,xor}.{u32,f32}.{s32,f32,f64}
set.{eq,lt,geu,nan}.{f16,u32,s32,u16,s16}.f16
set.{eq,lt,geu,nan}.{bf16,u32,s32,u16,s16}.bf16
set.{eq,ne,lt,geu,num}.{f16x2.f16x2,bf16x2.bf16x2}
set.{ftz.lt,lt.ftz,geu.and.ftz,ftz.nan.xor}.{f16.f16,u16.f16,f16x2.f16x2,u32.f16x2,u32.f32}
setp.{ftz.lt,geu.ftz,and.ftz.eq,ne.or.ftz}.{f32,f16}
set.{lt,geu}.{and,or,xor}.{f16x2.f16x2,u32.f16x2,bf16x2.bf16x2,s32.bf16x2}
selp.{b16,b32,b64,s16,s32,s64,u16,u32,u64,f32,f64}
slct.{b16,b32,b64,s16,s32,s64,u16,u32,u64,f32,f64}.{s32,f32}
slct.ftz.{b32,f64}.f32
cvt{,.sat}.{s8,u8,s16,u16,s32,u32,s64,u64}.{s8,u8,s16,u16,s32,u32,s64,u64}
cvt{.rn,.rz,.rm,.rp}.{f16,f32,f64}.{s8,u8,s16,u16,s32,u32,s64,u64}
cvt{.rni,.rzi,.rmi,.rpi}.{s8,u8,s16,u16,s32,u32,s64,u64}.{f16,f32,f64,bf16}
cvt{.rni,.rzi,.rmi,.rpi}.ftz{,.sat}.{s32,u32,s64,u64,s16}.f32
cvt.{f32.f16,f64.f16,f64.f32,f32.bf16,f64.bf16,ftz.f64.f32,sat.f32.f16,ftz.f32.f16,sat.f64.f32}
cvt{.rn,.rz,.rm,.rp}.{f16.f32,f16.f64,f32.f64,bf16.f64,ftz.f16.f32,ftz.f32.f64,sat.f16.f32,sat.f32.f64,sat.f16.f64}
cvt{.rn,.rz}{,.relu}.{bf16.f32,f16.f32}
cvt{.rm,.rp}.bf16.f32
cvt{.rni,.rzi,.rmi,.rpi}.{f16.f16,f32.f32,f64.f64,ftz.f32.f32,sat.f32.f32,bf16.bf16}
cvt{.rn,.rz,.rm,.rp}.bf16.{s8,u8,s16,u16,s32,u32,s64,u64}
cvt{,.ftz}{,.sat}.f32.f32
cvt{,.sat}.f64.f64
{vadd,vsub,vabsdiff,vmin,vmax,vavrg}{2,4}.{s32,u32}.{s32,u32}.{s32,u32}{,.sat,.add}
{vadd,vsub,vabsdiff,vmin,vmax}.{s32,u32}.{s32,u32}.{s32,u32}{,.sat}{,.add,.min,.max}
{vshl,vshr}.{s32,u32}.{s32,u32}.u32{,.sat}{.clamp,.wrap}{,.add}
vset.{s32,u32}.{s32,u32}.{eq,ne,lt,le,gt,ge}{,.add,.min}
vmad.{s32,u32}.{s32,u32}.{s32,u32}{,.po}{,.sat}{,.shr7,.shr15}
vset{2,4}.{s32,u32}.{s32,u32}.{eq,ne,lt,le,gt,ge}{,.add}
ld{,.volatile}{,.global,.shared,.local}.{b8,s8,u16,s32,b64,f32,f64,v2.u8,v2.s16,v4.f32,v2.f64}
ld{.weak,.relaxed.gpu,.relaxed.cta,.acquire.cta,.acquire.gpu}{,.global,.shared}.{u8,b32,b64,v2.f32,v4.u32}
ld{.acquire.sys,.relaxed.cluster,.relaxed.sys}{,.global,.shared}.{u8,b32,b64,v2.f32,v4.u32}
ld.global{.ca,.cg,.cs,.lu,.cv,.nc,.ca.nc,.L1::no_allocate}.{u32,v4.f32,b64}
ld.global{.nc.L1::no_allocate,.L1::evict_last,.L2::128B,.nc.L2::64B}.{u32,v4.f32,b64}
ld.global.{nc.L1::no_allocate.L2::256B.v4.u32,L1::evict_first.L2::128B.u32}
ld.global.{nc.L1::evict_unchanged.L2::evict_last.v8.b32,v8.f32,v4.b64,v4.f64}
ld{.shared::cta,.const}.{s8,b16,u32,f64,v4.u8,v2.b64}
ld.param{,::entry,::func}.{u32,v2.b64}
ld{,.global,.shared,.local,.const,.param}.b128
ld.global.v2.b128
ld.mmio.relaxed.sys.global.{u32,b64}
ldu.global.{u32,v4.f32,b8}
st{,.volatile}{,.global,.shared,.local}.{b8,s8,u16,s32,b64,f32,f64,v2.u8,v2.s16,v4.f32,v2.f64}
st{.weak,.relaxed.gpu,.relaxed.cta,.release.cta}{,.global,.shared}.{u8,b32,b64,v2.f32,v4.u32}
st{.release.gpu,.release.sys,.relaxed.cluster}{,.global,.shared}.{u8,b32,b64,v2.f32,v4.u32}
st.global{.wb,.cg,.cs,.wt,.L1::no_allocate,.L1::evict_last,.L2::cache_hint}.{u32,v4.f32,b64}
st.global.{v8.f32,v8.b32,v4.b64,v4.f64,b128,v2.b128}
st{,.shared,.local,.param}.b128
st{.shared::cta,.param::func}.{b8,u32,v2.b64}
st.mmio.relaxed.sys.global.{u32,b64}
{atom,red}{,.global,.shared}.add.{u32,s32,u64,f32,f64}
{atom,red}{,.global,.shared}.{min,max}.{u32,s32,u64,s64}
{atom,red}{,.global,.shared}.{and,or,xor}.{b32,b64}
{atom,red}{,.global,.shared}.{inc,dec}.u32
{atom,red}{,.global,.shared}.add.noftz.{f16,f16x2,bf16,bf16x2}
atom{,.global,.shared}.{exch,cas}.{b32,b64}
atom{,.global,.shared}.cas.b16
atom{,.global,.shared}.{exch,cas}.b128
{atom,red}{.relaxed,.acq_rel,.release,.acquire}{.cta,.gpu,.sys,.cluster}{,.global,.shared}.add.u32
{atom,red}.global{,.relaxed.gpu}{,.v2,.v4}.add.f32
{atom,red}.global{.v2,.v4,.v8}.{add,min,max}.noftz.{f16,bf16}
{atom,red}.global{.v2,.v4}.{add,min,max}.noftz.{f16x2,bf16x2}
atom.acq_rel.gpu{,.global,.shared}.{exch,cas}.{b32,b64}
fence.{sc,acq_rel}.{cta,gpu,sys,cluster}
fence.acq_rel.sys
add.sat.s32
fence.{acquire,release}.gpu
membar.{cta,gl,sys}
]]

for line in families:gmatch "[^\n]+" do
  expand(line)
end

return list
