/*
** functions.c - operations that are loops over one function of simd/ (functions.def): most arithmetic.
**
** A row's functions are named after its kinds too: a name may have several rows.
*/
#include <string.h>

#include "cpu/interp/op_names.h"
#include "cpu/ops/gangs.h"

#define BOTH(id, R, call)                                                                                              \
  static void id(dc_warp *w, const dc_uop *op) {                                                                       \
    uint8_t *const regs = w->regs;                                                                                     \
    EACH_GANG(PUT_##R(o->d, call))                                                                                     \
  }                                                                                                                    \
  MASKED_GANGS(id##_m, R, call)
#define F1(R, A, name) BOTH(R##_##A##_##name, R, v_##name(GET_##A(a)))
#define F2(R, A, B, name) BOTH(R##_##A##B##_##name, R, v_##name(GET_##A(a), GET_##B(b)))
#define F3(R, A, B, C, name) BOTH(R##_##A##B##C##_##name, R, v_##name(GET_##A(a), GET_##B(b), GET_##C(c)))
#define F4(R, A, B, C, E, name)                                                                                        \
  BOTH(R##_##A##B##C##E##_##name, R, v_##name(GET_##A(a), GET_##B(b), GET_##C(c), GET_##E(e)))

#define WORD(id, bits)                                                                                                 \
  static void id(dc_warp *w, const dc_uop *o) { w->preds[o->d] = bits; }                                               \
  static void id##_m(dc_warp *w, const dc_uop *o) { put_pred_masked(w, o->d, bits); }
#define TEST2(A, name)                                                                                                 \
  static u32 compare_##name(const uint8_t *regs, const dc_uop *op) {                                                   \
    u32 r = 0;                                                                                                         \
    EACH_GANG(r |= P_word(v_##name(GET_##A(a), GET_##A(b))) << g)                                                      \
    return r;                                                                                                          \
  }                                                                                                                    \
  WORD(name, compare_##name(w->regs, o))
#define PRED(name, reads, words)                                                                                       \
  static u32 bits_##name(const dc_warp *w, const dc_uop *o) {                                                          \
    reads return words;                                                                                                \
  }                                                                                                                    \
  WORD(name, bits_##name(w, o))
#define WORD_X const u32 x = pred_of(w, o->a, o->neg_a);
#define WORD_Y const u32 y = pred_of(w, o->b, o->neg_b);
#define PRED1(name, words) PRED(name, WORD_X, words)
#define PRED2(name, words) PRED(name, WORD_X WORD_Y, words)

/* The parts are in o->v, and may be left out of what is unpacked. */
#define PACK(R, A, name) MASKED_GANGS(name, R, v_##name(PART_##A(0), PART_##A(1)))
#define PART_h(i) V16_load(AT(const u16, o->v[i]))
#define PART_w(i) V32_load(AT(const u32, o->v[i]))
#define UNPACK(R, A, name)                                                                                             \
  static void name(dc_warp *w, const dc_uop *op) {                                                                     \
    uint8_t *const regs = w->regs;                                                                                     \
    V32 lo, hi;                                                                                                        \
    EACH_GANG({                                                                                                        \
      v_##name(&lo, &hi, GET_##A(a));                                                                                  \
      if (o->v[0] != DC_NO_OPERAND) PUT_MASKED_##R(o->v[0], lo);                                                       \
      if (o->v[1] != DC_NO_OPERAND) PUT_MASKED_##R(o->v[1], hi);                                                       \
    })                                                                                                                 \
  }
#include "cpu/simd/functions.def"

#define ROW(id) {id, id##_m},
#define F1(R, A, name) ROW(R##_##A##_##name)
#define F2(R, A, B, name) ROW(R##_##A##B##_##name)
#define F3(R, A, B, C, name) ROW(R##_##A##B##C##_##name)
#define F4(R, A, B, C, E, name) ROW(R##_##A##B##C##E##_##name)
#define TEST2(A, name) ROW(name)
#define PRED1(name, words) ROW(name)
#define PRED2(name, words) ROW(name)
#define PACK(R, A, name) {name, name},
#define UNPACK(R, A, name) {name, name},
static const struct row {
  dc_op_fn fn, fn_masked;
} functions[] = {
#include "cpu/simd/functions.def"
};

/* --- choosing ------------------------------------------------------------------------------------------------- */

/* Containers that the decoder left 0 match every kind. */
static bool is_of_kind(int bits, char kind) {
  return bits == 0 || bits == (kind == 'p' ? 1 : kind == 'h' ? 16 : kind == 'w' ? 32 : 64);
}
static bool matches(const dc_uop *o, const char *kinds) {
  const char *sources = strchr(kinds, '_') + 1;
  for (int i = 0; i < 3 && sources[i]; i++)
    if (!is_of_kind(o->bits[i + 1], sources[i])) return false;
  return is_of_kind(o->bits[0], kinds[0]);
}

bool PER_ISA(dc_select_functions)(dc_uop *o) {
  dc_native_form form;
  if (!dc_native_op(o->ins, &form)) return false;
  if (o->ins->op == PTX_OP_CVT && o->bits[1] && o->bits[1] < ptx_type_bits((ptx_type)o->ins->type2)) return false;
  for (int row = form.row; dc_functions[row].name && strcmp(dc_functions[row].name, form.name) == 0; row++)
    if (matches(o, dc_functions[row].kinds)) return dc_pick(o, functions[row].fn, functions[row].fn_masked);
  return false;
}
