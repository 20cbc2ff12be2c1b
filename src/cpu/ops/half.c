/*
** half.c - arithmetic on f16, f16x2, bf16, bf16x2 that simd/ does not have: with .ftz, .sat, .relu, .NaN, .xorsign.abs,
** ex2 and tanh; PTX ISA 9.7.4.
**
** Halves are widened to f32, computed so that only the last rounding matters, and narrowed again.
*/
#include "cpu/ops/gangs.h"

static bool is_pair(const ptx_ins *ins) { return ins->type == PTX_F16X2 || ins->type == PTX_BF16X2; }
static bool is_brain(const ptx_ins *ins) { return ins->type == PTX_BF16 || ins->type == PTX_BF16X2; }

static inline dc_u flush_half(const ptx_ins *ins, dc_u h) {
  if (!(ins->flags & PTX_F_FTZ)) return h;
  return is_brain(ins) ? n_flush(h << 16) >> 16 : n_flush_f16(h);
}
static inline dc_u widen(const ptx_ins *ins, dc_u h) {
  h = flush_half(ins, h & 0xffffu);
  return is_brain(ins) ? n_widen_bf16(h) : n_widen_f16(h);
}
static inline dc_u narrow(const ptx_ins *ins, dc_u x) {
  return flush_half(ins, is_brain(ins) ? n_to_bf16(x) : n_to_f16(x));
}

static inline dc_u compute_brain(int op, dc_u x, dc_u y, dc_u z) {
  switch (op) {
    case PTX_OP_ADD: return n_sum_bf16(x, y);
    case PTX_OP_SUB: return n_difference_bf16(x, y);
    case PTX_OP_MUL: return n_product_bf16(x, y);
    default: return n_fused_bf16(x, y, z);
  }
}
static inline dc_u compute(const ptx_ins *ins, dc_u x, dc_u y, dc_u z) {
  switch (ins->op) {
    case PTX_OP_MIN:
    case PTX_OP_MAX: return order(ins, x, y);
    case PTX_OP_EX2: return n_ex2_f32(x);
    case PTX_OP_TANH: return n_tanh_f32(x);
    default: break;
  }
  if (is_brain(ins)) return compute_brain(ins->op, x, y, z);
  switch (ins->op) {
    case PTX_OP_ADD: return n_add_f32(x, y);
    case PTX_OP_SUB: return n_sub_f32(x, y);
    case PTX_OP_MUL: return n_mul_f32(x, y);
    default: return n_fused_f32(x, y, z);
  }
}

/* The lower halves of the lanes. */
static DC_NOINLINE dc_u lower(const ptx_ins *ins, dc_u x, dc_u y, dc_u z) {
  dc_u r = compute(ins, widen(ins, x), widen(ins, y), widen(ins, z));
  if (ins->flags & PTX_F_SAT) r = n_saturate(r);
  if (ins->flags & PTX_F_RELU) r = n_select(n_is_nan(r), r, n_above(r, n_splat(0)));
  return narrow(ins, r);
}
static inline V32 half_lanes(const ptx_ins *ins, V32 x, V32 y, V32 z) {
  const dc_u r = lower(ins, x.p0, y.p0, z.p0);
  if (!is_pair(ins)) return (V32){r};
  return (V32){r | lower(ins, x.p0 >> 16, y.p0 >> 16, z.p0 >> 16) << 16};
}
MASKED_GANGS(half_op, h, half_lanes(o->ins, GET_h(a), GET_h(b), GET_h(c)))
MASKED_GANGS(pair_op, w, half_lanes(o->ins, GET_w(a), GET_w(b), GET_w(c)))

bool PER_ISA(dc_select_half)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  if (ins->type != PTX_F16 && ins->type != PTX_F16X2 && ins->type != PTX_BF16 && ins->type != PTX_BF16X2) return false;
  const int bits = is_pair(ins) ? 32 : 16;
  if (!dc_shaped(o, bits, bits, ins->nsrc > 1 ? bits : 0, ins->nsrc > 2 ? bits : 0)) return false;
  if (ins->nsrc < 2) o->b = o->a; /* which are read, and not used */
  if (ins->nsrc < 3) o->c = o->a;
  switch (ins->op) {
    case PTX_OP_ADD: case PTX_OP_SUB: case PTX_OP_MUL: case PTX_OP_FMA: case PTX_OP_MIN: case PTX_OP_MAX:
      return ins->nsrc <= 3 && (is_pair(ins) ? PICK_RARE(pair_op) : PICK_RARE(half_op));
    case PTX_OP_EX2: case PTX_OP_TANH:
      return (ins->flags & PTX_F_APPROX) && (is_pair(ins) ? PICK_RARE(pair_op) : PICK_RARE(half_op));
    default: return false;
  }
}
