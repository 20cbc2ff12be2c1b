/*
** approx.c - .approx and .full forms: rcp, sqrt, rsqrt, div, sin, cos, lg2, ex2, tanh; PTX ISA 9.7.3.
**
** rcp, sqrt and div are correctly rounded (processors have them as vector instructions), rsqrt has two roundings, the
** rest is in math_approx.h.  Special values are PTX's.
*/
#include "cpu/ops/math_approx.h"

/* div.approx: a divisor beyond 2^126 has a reciprocal that is flushed, so the quotient is 0, or NaN for an infinite
** dividend. */
static inline f32 div_approx_lane(f32 x, f32 y) {
  const f32 size = __builtin_fabsf(y);
  const f32 q = size > 0x1p126f && size < __builtin_inff() ? x * 0.0f * y : x / y;
  return q;
}

#define APPROX(name, expr)                                                                                             \
  OP1(name##_f32, f32, f32, expr)                                                                                      \
  static inline f32 name##_lane(f32 x) { return expr; }                                                                \
  OP1(name##_ftz, f32, f32, flush(name##_lane(flush(x))))
APPROX(rcp, 1.0f / x)
APPROX(sqrt, __builtin_sqrtf(x))
APPROX(rsqrt, 1.0f / __builtin_sqrtf(x))
APPROX(ex2, approx_ex2(x))
APPROX(lg2, approx_lg2(x))
APPROX(sin, approx_sin(x))
APPROX(cos, approx_cos(x))
APPROX(tanh, approx_tanh(x))
OP2(div_full, f32, f32, f32, x / y)
OP2(div_full_ftz, f32, f32, f32, flush(flush(x) / flush(y)))
OP2(div_approx, f32, f32, f32, div_approx_lane(x, y))
OP2(div_approx_ftz, f32, f32, f32, flush(div_approx_lane(flush(x), flush(y))))

/* The gross f64 forms read and write the upper 32 bits only; subnormals count as zeros. */
static inline f64 gross(f64 x) {
  const u64 u = f64_bits(x) & ~(u64)0xffffffffu;
  return bits_f64(u & (u64)0x7ff << 52 ? u : u & (u64)1 << 63);
}
OP1(rcp_gross, f64, f64, gross(1.0 / gross(x)))
OP1(rsqrt_gross, f64, f64, gross(1.0 / __builtin_sqrt(gross(x))))
OP1(rsqrt_f64, f64, f64, 1.0 / __builtin_sqrt(x))

static bool select_f64(dc_uop *o, bool ftz) {
  if (o->ins->op == PTX_OP_RCP) return ftz && PICK(rcp_gross);
  if (o->ins->op == PTX_OP_RSQRT) return ftz ? PICK(rsqrt_gross) : PICK(rsqrt_f64);
  return false;
}

bool PER_ISA(dc_select_approx)(dc_uop *o) {
  const u32 flags = o->ins->flags;
  const bool ftz = (flags & PTX_F_FTZ) != 0;
  const int bits = ptx_type_bits((ptx_type)o->ins->type);
  if (!(flags & (PTX_F_APPROX | PTX_F_FULL))) return false;
  if (!dc_shaped(o, bits, bits, o->ins->op == PTX_OP_DIV ? bits : 0, 0)) return false;
  if (o->ins->type == PTX_F64) return select_f64(o, ftz);
  if (o->ins->type != PTX_F32) return false;
#define FTZ_OR(name) (ftz ? PICK(name##_ftz) : PICK(name##_f32))
  switch (o->ins->op) {
    case PTX_OP_RCP: return FTZ_OR(rcp);
    case PTX_OP_SQRT: return FTZ_OR(sqrt);
    case PTX_OP_RSQRT: return FTZ_OR(rsqrt);
    case PTX_OP_EX2: return FTZ_OR(ex2);
    case PTX_OP_LG2: return FTZ_OR(lg2);
    case PTX_OP_SIN: return FTZ_OR(sin);
    case PTX_OP_COS: return FTZ_OR(cos);
    case PTX_OP_TANH: return FTZ_OR(tanh);
    case PTX_OP_DIV:
      if (flags & PTX_F_FULL) return ftz ? PICK(div_full_ftz) : PICK(div_full);
      return ftz ? PICK(div_approx_ftz) : PICK(div_approx);
    default: return false;
  }
}
