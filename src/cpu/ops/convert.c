/*
** convert.c - the forms of cvt between integers and floats that simd/ does not have; PTX ISA 9.7.9.
**
** With any rounding, .sat and .ftz, through an exact wide value.  Float to integer saturates; NaN becomes 0 when the
** source is not f64 and the destination not 64 bits wide, else the top bit alone.
*/
#include "cpu/ops/gangs.h"
#include "cpu/ops/rounding.h"

static bool is_float(int type) {
  return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}

/* A source of any type: an integer, or a float (exact in f64). */
typedef struct number {
  bool whole;
  s128 i;
  f64 f;
} number;

static s128 extend(u64 raw, int type) {
  const int spare = 64 - ptx_type_bits((ptx_type)type);
  return ptx_is_signed(type) ? (s128)((s64)(raw << spare) >> spare) : (s128)(raw << spare >> spare);
}

static number read_number(u64 raw, const ptx_ins *ins) {
  number n = {ptx_is_integer(ins->type2), 0, 0};
  /* Towards f16 a GPU keeps a tiny source, .ftz or not: cvt.rp makes the least f16 of it (seen on sm_90). */
  const bool flushed = ins->flags & PTX_F_FTZ && ins->type != PTX_F16;
  switch (ins->type2) {
    case PTX_F16: n.f = f16_to_f32((u32)raw & 0xffffu); break;
    case PTX_BF16: n.f = bf16_to_f32((u32)raw & 0xffffu); break;
    case PTX_F32: n.f = flushed ? flush(bits_f32((u32)raw)) : bits_f32((u32)raw); break;
    case PTX_F64: n.f = bits_f64(raw); break;
    default: n.i = extend(raw, ins->type2);
  }
  return n;
}

static f64 round_to_integer(f64 x, int round) {
  switch (round) {
    case PTX_RNI: return __builtin_rint(x);
    case PTX_RMI: return __builtin_floor(x);
    case PTX_RPI: return __builtin_ceil(x);
    case PTX_RZI: return __builtin_trunc(x);
    default: return x;
  }
}

static u64 to_int(number n, const ptx_ins *ins) {
  const int bits = ptx_type_bits((ptx_type)ins->type);
  const bool sign = ptx_is_signed(ins->type);
  const s128 most = ((s128)1 << (bits - sign)) - 1, least = sign ? -most - 1 : 0;
  if (!n.whole) {
    if (n.f != n.f) return ins->type2 == PTX_F64 || bits == 64 ? (u64)1 << (bits - 1) : 0;
    const f64 r = round_to_integer(n.f, ins->round == PTX_RND_NONE ? PTX_RZI : ins->round);
    n.i = r >= 0x1p64 ? (s128)1 << 64 : r <= -0x1p64 ? -((s128)1 << 64) : (s128)r;
  } else if (!(ins->flags & PTX_F_SAT)) {
    return (u64)n.i;
  }
  return (u64)(n.i > most ? most : n.i < least ? least : n.i);
}

/* A 64-bit integer as f64, rounded to odd, so that f32 and halves made from it are rounded once. */
static f64 int_to_odd(s128 i) {
  const bool minus = i < 0;
  u64 u = (u64)(minus ? -i : i);
  if (u >> 53) { /* keep 53 bits or more, collect the rest in the last one */
    const u64 lost = u & 0x7ff;
    u = (u & ~(u64)0x7ff) | (lost ? 0x800 : 0);
  }
  const f64 f = (f64)u;
  return minus ? -f : f;
}

/* x as a half.  An f32 that is rounded to odd is on the same side of all halves as x. */
static u32 to_half(f64 x, int round, bool brain) {
  const u32 odd = f32_bits(f64_to_f32_odd(x));
  switch (round) {
    case PTX_RZ: return brain ? s_cvt_rz_bf16_f32(odd) : s_cvt_rz_f16_f32(odd);
    case PTX_RM: return brain ? s_cvt_rm_bf16_f32(odd) : s_cvt_rm_f16_f32(odd);
    case PTX_RP: return brain ? s_cvt_rp_bf16_f32(odd) : s_cvt_rp_f16_f32(odd);
    default: return brain ? s_to_bf16(odd) : s_to_f16(odd);
  }
}

/* These two run under the instruction's rounding mode.  The barrier keeps each lane's conversion a single machine
** instruction: vector sequences for 64-bit integers round twice. */
static ROUNDED void all_to_f32(const number *n, f32 *r) {
  for (int l = 0; l < DC_LANES; l++) {
    if (!n[l].whole)
      r[l] = (f32)n[l].f;
    else if (n[l].i >= 0 && n[l].i > INT64_MAX)
      r[l] = (f32)int_to_odd(n[l].i);
    else
      r[l] = (f32)(s64)n[l].i;
    __asm__ volatile("" : "+m"(r[l]));
  }
}
static ROUNDED void all_to_f64(const number *n, f64 *r) {
  for (int l = 0; l < DC_LANES; l++) {
    if (!n[l].whole)
      r[l] = n[l].f;
    else if (n[l].i > INT64_MAX)
      r[l] = 2.0 * (f64)(s64)((u64)n[l].i >> 1 | ((u64)n[l].i & 1));
    else
      r[l] = (f64)(s64)n[l].i;
    __asm__ volatile("" : "+m"(r[l]));
  }
}

static f32 finish_f32(f32 r, const ptx_ins *ins) {
  if (ins->round >= PTX_RNI && ins->round <= PTX_RPI) r = (f32)round_to_integer((f64)r, ins->round);
  if (ins->flags & PTX_F_SAT) r = saturate(r);
  return ins->flags & PTX_F_FTZ ? flush(r) : r;
}

static u64 finish_half(number n, const ptx_ins *ins) {
  f64 x = n.whole ? int_to_odd(n.i) : round_to_integer(n.f, ins->round);
  if (ins->flags & PTX_F_SAT) x = saturate64(x);
  return to_half(x, ins->round, ins->type == PTX_BF16);
}

/* The destination's bits of every lane. */
static void convert_all(const number *n, const ptx_ins *ins, u64 *raw) {
  f32 r32[DC_LANES];
  f64 r64[DC_LANES];
  const unsigned old = dc_round_begin(ins->round);
  if (ins->type == PTX_F32) all_to_f32(n, r32);
  if (ins->type == PTX_F64) all_to_f64(n, r64);
  dc_round_end(old);
  for (int l = 0; l < DC_LANES; l++) {
    switch (ins->type) {
      case PTX_F32: raw[l] = f32_bits(finish_f32(r32[l], ins)); break;
      case PTX_F64: {
        f64 r = round_to_integer(r64[l], ins->round);
        raw[l] = f64_bits(ins->flags & PTX_F_SAT ? saturate64(r) : r);
        break;
      }
      case PTX_F16:
      case PTX_BF16: raw[l] = finish_half(n[l], ins); break;
      default: raw[l] = to_int(n[l], ins);
    }
  }
}

static int destination_container(const dc_uop *o) {
  return ptx_container(o->bits[0] ? o->bits[0] : ptx_type_bits((ptx_type)o->ins->type));
}
static int source_container(const dc_uop *o) {
  return ptx_container(o->bits[1] ? o->bits[1] : ptx_type_bits((ptx_type)o->ins->type2));
}

static void convert_any(dc_warp *w, const dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const int from = source_container(o), to = destination_container(o);
  number n[DC_LANES];
  u64 raw[DC_LANES];
  for (u32 l = 0; l < DC_LANES; l++) n[l] = read_number((u64)get_lane(w, o->a, from, l), ins);
  convert_all(n, ins, raw);
  EACH_LANE(l, w->mask) {
    put_lane(w, o->d, to, l, ptx_is_integer(ins->type) ? (u64)extend(raw[l], ins->type) : raw[l]);
  }
}

bool PER_ISA(dc_select_convert)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  if (ins->op != PTX_OP_CVT || ins->mode == PTX_CVT_PACK || ins->flags & PTX_F_RELU) return false;
  const int to = destination_container(o), from = source_container(o);
  if (to > 64 || from > 64 || to < ptx_type_bits((ptx_type)ins->type) || from < ptx_type_bits((ptx_type)ins->type2))
    return false;
  const bool from_integer = ptx_is_integer(ins->type2), to_integer = ptx_is_integer(ins->type);
  if (!(from_integer || is_float(ins->type2)) || !(to_integer || is_float(ins->type))) return false;
  if (from_integer && !to_integer && to != ptx_container(ptx_type_bits((ptx_type)ins->type))) return false;
  return PICK_RARE(convert_any);
}
