/*
** float.c - forms of f32 and f64 arithmetic that simd/ does not have; PTX ISA 9.7.3: any rounding mode with .sat (the
** operands are copied, GENERAL), min and max with .NaN, .xorsign.abs or three operands.
*/
#include "cpu/ops/gangs.h"
#include "cpu/ops/rounding.h"

MASKED_GANGS(order_f32, w, ((V32){order(o->ins, GET_w(a).p0, GET_w(b).p0)}))

/* Of three, as min(min(a, b), c): the NaN and the signs of zeros come out alike either way. */
static inline V32 order3(const ptx_ins *ins, V32 x, V32 y, V32 z) {
  if (ins->flags & PTX_F_ABS) x = v_abs_f32(x), y = v_abs_f32(y), z = v_abs_f32(z);
  const dc_u sign = (x.p0 ^ y.p0 ^ z.p0) & 0x80000000u;
  if (!(ins->flags & PTX_F_XORSIGN)) return (V32){order(ins, order(ins, x.p0, y.p0), z.p0)};
  const dc_u r = order(ins, order(ins, v_abs_f32(x).p0, v_abs_f32(y).p0), v_abs_f32(z).p0);
  return (V32){(r & 0x7fffffffu) | sign};
}
MASKED_GANGS(order3_f32, w, order3(o->ins, GET_w(a), GET_w(b), GET_w(c)))

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

static bool is_order(const ptx_ins *ins) { return ins->op == PTX_OP_MIN || ins->op == PTX_OP_MAX; }

bool PER_ISA(dc_select_float)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const int bits = ins->type == PTX_F32 ? 32 : ins->type == PTX_F64 ? 64 : 0, nsrc = ins->nsrc;
  if (!bits || nsrc > 3 || !dc_shaped(o, bits, bits, nsrc > 1 ? bits : 0, nsrc > 2 ? bits : 0)) return false;
  if (is_order(ins)) {
    if (bits == 64 || (ins->flags & PTX_F_ABS && nsrc != 3)) return false;
    return nsrc == 3 ? PICK_RARE(order3_f32) : PICK_RARE(order_f32);
  }
  if (ins->flags & (PTX_F_APPROX | PTX_F_FULL | PTX_F_ABS)) return false;
  switch (ins->op) {
    case PTX_OP_ADD: case PTX_OP_SUB: case PTX_OP_MUL: case PTX_OP_DIV: case PTX_OP_SQRT: case PTX_OP_RCP:
    case PTX_OP_FMA: case PTX_OP_MAD: return bits == 64 ? PICK_RARE(general_f64) : PICK_RARE(general_f32);
    default: return false;
  }
}
