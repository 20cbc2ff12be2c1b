/*
** compare.c - forms of setp with more than a comparison (.and, p|q, pairs of halves); PTX ISA 9.7.6.
**
** The comparison itself is a function of simd/, which gives a word of one bit a lane; halves are compared as f32.
*/
#include "cpu/interp/op_names.h"
#include "cpu/ops/functions.h"
#include "cpu/ops/math_half.h"

static bool is_half(int type) { return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2; }
static bool is_pair(int type) { return type == PTX_F16X2 || type == PTX_BF16X2; }

/* Half `part` of each lane of a register, as f32. */
static void widen(const dc_warp *w, u32 slot, const ptx_ins *ins, int part, f32 *x) {
  const bool brain = ins->type == PTX_BF16 || ins->type == PTX_BF16X2, ftz = (ins->flags & PTX_F_FTZ) != 0;
  for (int l = 0; l < DC_LANES; l++) {
    u32 h = is_pair(ins->type) ? REG(u32, slot)[l] >> (16 * part) & 0xffff : REG(u16, slot)[l];
    x[l] = brain ? bf16_to_f32(h) : f16_to_f32(ftz ? s_flush_f16(h) : h);
  }
}

/* What the comparison reads in place of the registers. */
typedef struct widened {
  f32 x[DC_LANES], y[DC_LANES];
} widened;

/* The comparison's bits, before .boolop; its function is in imm. */
static u32 compare(const dc_warp *w, const dc_uop *o, int part) {
  const dc_compare_fn bits = (dc_compare_fn)(uintptr_t)o->imm;
  if (!is_half(o->ins->type)) return bits(w->regs, o);
  const dc_uop own = {.a = offsetof(widened, x), .b = offsetof(widened, y)};
  widened t BUFFER;
  widen(w, o->a, o->ins, part, t.x);
  widen(w, o->b, o->ins, part, t.y);
  return bits((const uint8_t *)&t, &own);
}

/* Sets imm to the function; false where type and comparison do not match. */
static bool find_comparison(dc_uop *o) {
  ptx_ins ins = *o->ins;
  const bool half = is_half(ins.type);
  if (half) ins.flags &= ~(u32)PTX_F_FTZ; /* done while widening */
  const int row = dc_relation(&ins, half ? PTX_F32 : ins.type);
  if (row < 0) return false;
  o->imm = (int64_t)(uintptr_t)dc_function_of(NULL, row)->compare;
  return true;
}

static u32 combine(const dc_warp *w, const dc_uop *o, u32 bits) {
  if (!o->ins->boolop) return bits;
  const u32 c = pred_of(w, o->c, o->neg_c);
  return o->ins->boolop == 1 ? bits & c : o->ins->boolop == 2 ? bits | c : bits ^ c;
}

/* Any setp: .boolop, p|q (q: the opposite; for pairs of halves the upper one), .ftz, halves. */
static void setp_any(dc_warp *w, const dc_uop *o) {
  const u32 p = compare(w, o, 0), q = is_pair(o->ins->type) ? compare(w, o, 1) : ~p;
  const u32 first = combine(w, o, p), second = combine(w, o, q);
  if (o->d != DC_NO_OPERAND) put_pred_masked(w, o->d, first);
  if (o->ins->ndst > 1 && o->d2 != DC_NO_OPERAND) put_pred_masked(w, o->d2, second);
}

bool PER_ISA(dc_select_compare)(dc_uop *o) {
  const int bits = ptx_container(ptx_type_bits((ptx_type)o->ins->type));
  if (o->ins->op != PTX_OP_SETP || !find_comparison(o) || !dc_shaped(o, 0, bits, bits, 0)) return false;
  return (!is_pair(o->ins->type) || o->ins->ndst == 2) && PICK_RARE(setp_any);
}
