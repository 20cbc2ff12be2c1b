/*
** bits.c - lop3 with a predicate; PTX ISA 9.7.8.
*/
#include "cpu/ops/lanes.h"

/* lop3.and d|p, a, b, c, table, q: also whether anything came out, with q.  q's index is in imm, its sign neg_c. */
static void lop3_pred(dc_warp *w, const dc_uop *o) {
  const u32 *a = REG(u32, o->a), *b = REG(u32, o->b), *c = REG(u32, o->c), *e = REG(u32, o->e);
  const u32 q = pred_of(w, (u32)o->imm, o->neg_c);
  u32 t[DC_LANES] BUFFER, some = 0;
  LANES(l) t[l] = s_lop3_32(a[l], b[l], c[l], e[l]);
  for (u32 l = 0; l < DC_LANES; l++) some |= (u32)(t[l] != 0) << l;
  if (o->d != DC_NO_OPERAND) PUT_MASKED(u32, o->d, t);
  if (o->d2 != DC_NO_OPERAND) put_pred_masked(w, o->d2, o->ins->boolop == 1 ? some & q : some | q);
}

bool PER_ISA(dc_select_bits)(dc_uop *o) {
  if (o->ins->op != PTX_OP_LOP3 || !o->ins->boolop) return false;
  return dc_shaped(o, o->d == DC_NO_OPERAND ? 0 : 32, 32, 32, 32) && PICK_RARE(lop3_pred);
}
