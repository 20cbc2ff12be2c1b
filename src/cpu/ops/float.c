/*
** float.c - f32 and f64 arithmetic with IEEE rounding, min, max, signs, classes; PTX ISA 9.7.3.
**
** Rounding to nearest has functions of its own, with and without .ftz; other rounding modes and .sat go through a
** slower one that copies its operands (GENERAL).
*/
#include "cpu/ops/rounding.h"

OP2(add_f32, f32, f32, f32, x + y)
OP2(sub_f32, f32, f32, f32, x - y)
OP2(mul_f32, f32, f32, f32, x * (y))
OP2(div_f32, f32, f32, f32, x / y)
OP1(sqrt_f32, f32, f32, __builtin_sqrtf(x))
OP1(rcp_f32, f32, f32, 1.0f / x)
OP1(neg_f32, u32, u32, x ^ 0x80000000u)
OP1(abs_f32, u32, u32, x & 0x7fffffffu)

OP2(add_ftz, f32, f32, f32, flush(flush(x) + flush(y)))
OP2(sub_ftz, f32, f32, f32, flush(flush(x) - flush(y)))
OP2(mul_ftz, f32, f32, f32, flush(flush(x) * flush(y)))
OP2(div_ftz, f32, f32, f32, flush(flush(x) / flush(y)))
OP1(sqrt_ftz, f32, f32, __builtin_sqrtf(flush(x)))
OP1(rcp_ftz, f32, f32, flush(1.0f / flush(x)))
OP1(neg_ftz, f32, f32, flush(-x))
OP1(abs_ftz, f32, f32, flush(__builtin_fabsf(x)))

/* Without an FMA instruction: the product of two f32 is exact in f64, and rounding the sum to f64 first is harmless
** unless the sum is half way between two f32, or the result subnormal.  Those lanes are computed again, rounding to
** odd. */
#if !DC_HAS_FMA
static void fma_lanes(const f32 *x, const f32 *y, const f32 *z, f32 *r) {
  u32 unsafe = 0;
  LANES(l) {
    const f64 s = (f64)x[l] * y[l] + (f64)z[l];
    const u64 u = f64_bits(s);
    r[l] = (f32)s;
    unsafe |= (u32)(((u32)u & 0x1fffffffu) == 0x10000000u) | (u32)(((u32)(u >> 32) & 0x7fffffffu) - 1 < 0x380fffffu);
  }
  for (int l = 0; unsafe && l < DC_LANES; l++) r[l] = (f32)add_to_odd((f64)x[l] * y[l], (f64)z[l]);
}
static void fma_any(const dc_warp *w, const dc_uop *o, bool ftz, f32 *r) {
  f32 x[DC_LANES] BUFFER, y[DC_LANES] BUFFER, z[DC_LANES] BUFFER;
  if (!ftz) {
    fma_lanes(REG(f32, o->a), REG(f32, o->b), REG(f32, o->c), r);
    return;
  }
  LANES(l) x[l] = flush(REG(f32, o->a)[l]);
  LANES(l) y[l] = flush(REG(f32, o->b)[l]);
  LANES(l) z[l] = flush(REG(f32, o->c)[l]);
  fma_lanes(x, y, z, r);
  LANES(l) r[l] = flush(r[l]);
}
#define FMA(name, ftz)                                                                                                 \
  static void name(dc_warp *w, const dc_uop *o) {                                                                      \
    f32 r[DC_LANES] BUFFER;                                                                                            \
    fma_any(w, o, ftz, r);                                                                                             \
    memcpy(w->regs + o->d, r, sizeof r);                                                                               \
  }                                                                                                                    \
  static void name##_m(dc_warp *w, const dc_uop *o) {                                                                  \
    f32 r[DC_LANES] BUFFER;                                                                                            \
    fma_any(w, o, ftz, r);                                                                                             \
    PUT_MASKED(f32, o->d, r);                                                                                          \
  }
FMA(fma_f32, false)
FMA(fma_ftz, true)
#else
OP3(fma_f32, f32, f32, f32, f32, __builtin_fmaf(x, y, z))
OP3(fma_ftz, f32, f32, f32, f32, flush(__builtin_fmaf(flush(x), flush(y), flush(z))))
#endif

OP2(add_f64, f64, f64, f64, x + y)
OP2(sub_f64, f64, f64, f64, x - y)
OP2(mul_f64, f64, f64, f64, x * (y))
OP2(div_f64, f64, f64, f64, x / y)
OP3(fma_f64, f64, f64, f64, f64, __builtin_fma(x, y, z))
OP1(sqrt_f64, f64, f64, __builtin_sqrt(x))
OP1(rcp_f64, f64, f64, 1.0 / x)
OP1(neg_f64, u64, u64, x ^ ((u64)1 << 63))
OP1(abs_f64, u64, u64, x & ~((u64)1 << 63))

OP2(min_f32, f32, f32, f32, min32(x, y))
OP2(max_f32, f32, f32, f32, max32(x, y))
OP2(min_ftz, f32, f32, f32, min32(flush(x), flush(y)))
OP2(max_ftz, f32, f32, f32, max32(flush(x), flush(y)))
OP2(min_f64, f64, f64, f64, min64(x, y))
OP2(max_f64, f64, f64, f64, max64(x, y))
RARE2(order_f32, f32, f32, f32, order32(x, y, o->ins))

/* Of three, as min(min(a, b), c): the NaN and the signs of zeros come out alike either way. */
static inline f32 order3(f32 x, f32 y, f32 z, const ptx_ins *ins) {
  if (ins->flags & PTX_F_ABS) x = __builtin_fabsf(x), y = __builtin_fabsf(y), z = __builtin_fabsf(z);
  if (!(ins->flags & PTX_F_XORSIGN)) return order32(order32(x, y, ins), z, ins);
  const u32 sign = (f32_bits(x) ^ f32_bits(y) ^ f32_bits(z)) & 0x80000000u;
  const f32 r = order32(order32(__builtin_fabsf(x), __builtin_fabsf(y), ins), __builtin_fabsf(z), ins);
  return bits_f32((f32_bits(r) & 0x7fffffffu) | sign);
}
RARE3(order3_f32, f32, f32, f32, f32, order3(x, y, z, o->ins))

/* d has the magnitude of b and the sign of a. */
OP2(copysign_f32, u32, u32, u32, (y & 0x7fffffffu) | (x & 0x80000000u))
OP2(copysign_f64, u64, u64, u64, (y & ~((u64)1 << 63)) | (x & (u64)1 << 63))

/* testp on |x| as an integer; `tiny` is the smallest normal number, `inf` infinity. */
static inline bool testp(u64 x, u64 tiny, u64 inf, int mode) {
  switch (mode) {
    case PTX_TESTP_FINITE: return x < inf;
    case PTX_TESTP_INFINITE: return x == inf;
    case PTX_TESTP_NUMBER: return x <= inf;
    case PTX_TESTP_NOTANUMBER: return x > inf;
    case PTX_TESTP_NORMAL: return x == 0 || (x >= tiny && x < inf); /* zero counts as normal, says the PTX ISA */
    default: return x != 0 && x < tiny;
  }
}
#define TESTP(T, U, digits)                                                                                            \
  static void testp_##T(dc_warp *w, const dc_uop *o) {                                                                 \
    const U *a = REG(U, o->a), top = (U)1 << (8 * sizeof(U) - 1);                                                      \
    u32 bits = 0;                                                                                                      \
    for (u32 l = 0; l < DC_LANES; l++)                                                                                 \
      bits |= (u32)testp(a[l] & ~top, (U)1 << digits, top - ((U)1 << digits), o->ins->mode) << l;                      \
    put_pred_masked(w, o->d, bits);                                                                                    \
  }
TESTP(f32, u32, 23)
TESTP(f64, u64, 52)

/* Any rounding mode. */
#define GENERAL(T, fma_expr, sqrt_expr, saturate)                                                                      \
  static ROUNDED void loop_##T(T *x, const T *y, const T *z, int op) {                                                 \
    switch (op) {                                                                                                      \
      case PTX_OP_ADD: LANES(l) x[l] = x[l] + y[l]; break;                                                             \
      case PTX_OP_SUB: LANES(l) x[l] = x[l] - y[l]; break;                                                             \
      case PTX_OP_MUL: LANES(l) x[l] = x[l] * y[l]; break;                                                             \
      case PTX_OP_DIV: LANES(l) x[l] = x[l] / y[l]; break;                                                             \
      case PTX_OP_RCP: LANES(l) x[l] = (T)1 / x[l]; break;                                                             \
      case PTX_OP_SQRT: LANES(l) x[l] = sqrt_expr(x[l]); break;                                                        \
      default: LANES(l) x[l] = fma_expr(x[l], y[l], z[l]); break;                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  static void general_##T(dc_warp *w, const dc_uop *o) {                                                               \
    T x[DC_LANES] BUFFER, y[DC_LANES] BUFFER, z[DC_LANES] BUFFER;                                                      \
    const int nsrc = o->ins->nsrc;                                                                                     \
    memcpy(x, w->regs + o->a, sizeof x);                                                                               \
    memcpy(y, w->regs + (nsrc > 1 ? o->b : o->a), sizeof y);                                                           \
    memcpy(z, w->regs + (nsrc > 2 ? o->c : o->a), sizeof z);                                                           \
    if (o->ins->flags & PTX_F_FTZ) flush_all_##T(x), flush_all_##T(y), flush_all_##T(z);                               \
    unsigned old = dc_round_begin(o->ins->round);                                                                      \
    loop_##T(x, y, z, o->ins->op);                                                                                     \
    dc_round_end(old);                                                                                                 \
    if (o->ins->flags & PTX_F_SAT) LANES(l) x[l] = saturate(x[l]);                                                     \
    if (o->ins->flags & PTX_F_FTZ) flush_all_##T(x);                                                                   \
    PUT_MASKED(T, o->d, x);                                                                                            \
  }
static void flush_all_f32(f32 *x) { LANES(l) x[l] = flush(x[l]); }
static void flush_all_f64(f64 *x) { (void)x; } /* f64 has no .ftz but in approximations */
GENERAL(f32, __builtin_fmaf, __builtin_sqrtf, saturate)
GENERAL(f64, __builtin_fma, __builtin_sqrt, saturate64)

/* .f32x2: a register's halves one after the other. */
static void general_f32x2(dc_warp *w, const dc_uop *o) {
  const u32 slots[3] = {o->a, o->b, o->ins->nsrc > 2 ? o->c : o->a};
  const bool ftz = (o->ins->flags & PTX_F_FTZ) != 0;
  u64 t[DC_LANES] BUFFER = {0};
  for (int half = 0; half < 64; half += 32) {
    f32 x[3][DC_LANES] BUFFER;
    for (int i = 0; i < 3; i++) {
      const u64 *a = REG(u64, slots[i]);
      LANES(l) x[i][l] = bits_f32((u32)(a[l] >> half));
      if (ftz) flush_all_f32(x[i]);
    }
    const unsigned old = dc_round_begin(o->ins->round);
    loop_f32(x[0], x[1], x[2], o->ins->op);
    dc_round_end(old);
    if (ftz) flush_all_f32(x[0]);
    LANES(l) t[l] |= (u64)f32_bits(x[0][l]) << half;
  }
  PUT_MASKED(u64, o->d, t);
}

static bool select_f32x2(dc_uop *o) {
  const int op = o->ins->op;
  if (op != PTX_OP_ADD && op != PTX_OP_SUB && op != PTX_OP_MUL && op != PTX_OP_FMA) return false;
  return dc_shaped(o, 64, 64, 64, op == PTX_OP_FMA ? 64 : 0) && PICK_RARE(general_f32x2);
}

static bool select_op(dc_uop *o, bool wide) {
  const u32 flags = o->ins->flags;
  const bool ftz = (flags & PTX_F_FTZ) != 0, order = (flags & (PTX_F_NAN | PTX_F_XORSIGN)) != 0;
  if (!wide && (flags & PTX_F_ABS) && o->ins->nsrc != 3) return false;
#define PICK_FLOAT(name) (wide ? PICK(name##_f64) : ftz ? PICK(name##_ftz) : PICK(name##_f32))
  switch (o->ins->op) {
    case PTX_OP_NEG: return PICK_FLOAT(neg);
    case PTX_OP_ABS: return PICK_FLOAT(abs);
    case PTX_OP_MIN: case PTX_OP_MAX:
      if (!wide && o->ins->nsrc == 3) return PICK_RARE(order3_f32);
      if (!wide && order) return PICK_RARE(order_f32);
      return o->ins->op == PTX_OP_MIN ? PICK_FLOAT(min) : PICK_FLOAT(max);
    case PTX_OP_COPYSIGN: return wide ? PICK(copysign_f64) : PICK(copysign_f32);
    case PTX_OP_TESTP: return wide ? PICK_RARE(testp_f64) : PICK_RARE(testp_f32);
    default: break;
  }
  if (flags & (PTX_F_APPROX | PTX_F_FULL)) return false; /* approx.c */
  if (dc_is_directed(o->ins->round) || (flags & PTX_F_SAT))
    return wide ? PICK_RARE(general_f64) : PICK_RARE(general_f32);
  switch (o->ins->op) {
    case PTX_OP_ADD: return PICK_FLOAT(add);
    case PTX_OP_SUB: return PICK_FLOAT(sub);
    case PTX_OP_MUL: return PICK_FLOAT(mul);
    case PTX_OP_DIV: return PICK_FLOAT(div);
    case PTX_OP_SQRT: return PICK_FLOAT(sqrt);
    case PTX_OP_RCP: return PICK_FLOAT(rcp);
    default: return PICK_FLOAT(fma);
  }
}

bool PER_ISA(dc_select_float)(dc_uop *o) {
  int bits = o->ins->type == PTX_F32 ? 32 : o->ins->type == PTX_F64 ? 64 : 0, a = bits, b = 0, c = 0, d = bits;
  if (o->ins->type == PTX_F32X2) return select_f32x2(o);
  if (!bits) return false;
  switch (o->ins->op) {
    case PTX_OP_TESTP: d = 0; break;
    case PTX_OP_NEG: case PTX_OP_ABS: case PTX_OP_SQRT: case PTX_OP_RCP: break;
    case PTX_OP_ADD: case PTX_OP_SUB: case PTX_OP_MUL: case PTX_OP_DIV: case PTX_OP_MIN: case PTX_OP_MAX:
    case PTX_OP_COPYSIGN: b = bits; break;
    case PTX_OP_FMA: case PTX_OP_MAD: b = c = bits; break; /* mad.f32 is fma from sm_20 on */
    default: return false;
  }
  if (!dc_shaped(o, d, a, b, o->ins->nsrc > 2 ? bits : c) || o->ins->nsrc > 3) return false;
  return select_op(o, bits == 64);
}
