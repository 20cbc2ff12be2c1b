/*
** float.c - arithmetic of f32 and f64 in the rounding modes that simd/ does not have; PTX ISA 9.7.3.
*/
#include "cpu/ops/rounding.h"

#define GENERAL(T, fma_expr, sqrt_expr)                                                                                \
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
    if (o->ins->flags & PTX_F_FTZ) flush_all_##T(x);                                                                   \
    PUT_MASKED(T, o->d, x);                                                                                            \
  }
static void flush_all_f32(f32 *x) { LANES(l) x[l] = flush(x[l]); }
static void flush_all_f64(f64 *x) { (void)x; } /* f64 has no .ftz but in approximations */
GENERAL(f32, __builtin_fmaf, __builtin_sqrtf)
GENERAL(f64, __builtin_fma, __builtin_sqrt)

bool PER_ISA(dc_select_float)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const int bits = ins->type == PTX_F32 ? 32 : ins->type == PTX_F64 ? 64 : 0, nsrc = ins->nsrc;
  if (!bits || nsrc > 3 || !dc_shaped(o, bits, bits, nsrc > 1 ? bits : 0, nsrc > 2 ? bits : 0)) return false;
  if (ins->flags & (PTX_F_APPROX | PTX_F_FULL | PTX_F_SAT)) return false;
  switch (ins->op) {
    case PTX_OP_ADD: case PTX_OP_SUB: case PTX_OP_MUL: case PTX_OP_DIV: case PTX_OP_SQRT: case PTX_OP_RCP:
    case PTX_OP_FMA: case PTX_OP_MAD: return bits == 64 ? PICK_RARE(general_f64) : PICK_RARE(general_f32);
    default: return false;
  }
}
