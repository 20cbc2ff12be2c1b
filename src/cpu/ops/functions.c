/*
** functions.c - operations that are loops over one function of simd/ (functions.def): most arithmetic.
**
** A warp's registers are read and written a native vector of lanes at a time.  With AVX-512 vectors of 256 bits do:
** those of 512 took a third longer on Zen 4, where stores forward 256 bits to loads.
*/
#define DC_W DC_NW
#define DC_NARROW
#include "cpu/ops/functions.h"

#include <string.h>

#include "cpu/interp/op_names.h"
#include "cpu/simd/lanes.h"

typedef uint16_t u16;

/* The operands' places are read once: what is stored might be they, as far as compilers know. */
#define EACH_GANG(what)                                                                                                \
  const dc_uop copy = *op, *const o = &copy;                                                                           \
  for (u32 g = 0; g < DC_LANES; g += DC_W) what;
#define AT(T, slot) ((T *)__builtin_assume_aligned(regs + (slot), 64) + g)

/* Lanes from g on of a source. */
#define GET_h(x) V16_load(AT(const u16, o->x))
#define GET_w(x) V32_load(AT(const u32, o->x))
#define GET_d(x) V64_load(AT(const u64, o->x))
#define GET_p(x) P_from((o->neg_##x ? ~w->preds[o->x] : w->preds[o->x]) >> g)

/* Those of the mask from `yes`, the others from `no`. */
#if defined(__AVX512VL__)
static inline V32 choose_w(const dc_warp *w, u32 g, V32 yes, V32 no) {
  return (V32){(dc_u)_mm256_mask_blend_epi32((__mmask8)(w->mask >> g), (__m256i)no.p0, (__m256i)yes.p0)};
}
static inline V64 choose_d(const dc_warp *w, u32 g, V64 yes, V64 no) {
  return (V64){(dc_ul)_mm256_mask_blend_epi64((__mmask8)(w->mask >> g), (__m256i)no.l0, (__m256i)yes.l0),
               (dc_ul)_mm256_mask_blend_epi64((__mmask8)(w->mask >> (g + 4)), (__m256i)no.h0, (__m256i)yes.h0)};
}
#else
static inline P mask_at(const dc_warp *w, u32 g) { return (P){(dc_m)V32_load(w->m32 + g).p0}; }
static inline V32 choose_w(const dc_warp *w, u32 g, V32 yes, V32 no) { return V32_choose(mask_at(w, g), yes, no); }
static inline V64 choose_d(const dc_warp *w, u32 g, V64 yes, V64 no) { return V64_choose(mask_at(w, g), yes, no); }
#endif

/* Stores lanes from g on; those of the mask. */
#define PUT_h(d, value) V16_store(AT(u16, d), value)
#define PUT_w(d, value) V32_store(AT(u32, d), value)
#define PUT_d(d, value) V64_store(AT(u64, d), value)
#define PUT_MASKED_h(d, value) PUT_h(d, choose_w(w, g, value, V16_load(AT(const u16, d))))
#define PUT_MASKED_w(d, value) PUT_w(d, choose_w(w, g, value, V32_load(AT(const u32, d))))
#define PUT_MASKED_d(d, value) PUT_d(d, choose_d(w, g, value, V64_load(AT(const u64, d))))

/* Functions of a row are named after its kinds too: a name may have several rows. */
#define BOTH(id, R, call)                                                                                              \
  static void id(dc_warp *w, const dc_uop *op) {                                                                      \
    uint8_t *const regs = w->regs;                                                                                     \
    EACH_GANG(PUT_##R(o->d, call))                                                                                     \
  }                                                                                                                    \
  static void id##_m(dc_warp *w, const dc_uop *op) {                                                                   \
    uint8_t *const regs = w->regs;                                                                                     \
    EACH_GANG(PUT_MASKED_##R(o->d, call))                                                                              \
  }
#define F1(R, A, name) BOTH(R##_##A##_##name, R, v_##name(GET_##A(a)))
#define F2(R, A, B, name) BOTH(R##_##A##B##_##name, R, v_##name(GET_##A(a), GET_##B(b)))
#define F3(R, A, B, C, name) BOTH(R##_##A##B##C##_##name, R, v_##name(GET_##A(a), GET_##B(b), GET_##C(c)))
#define F4(R, A, B, C, E, name)                                                                                        \
  BOTH(R##_##A##B##C##E##_##name, R, v_##name(GET_##A(a), GET_##B(b), GET_##C(c), GET_##E(e)))

#define WORD(id, bits)                                                                                                 \
  static void id(dc_warp *w, const dc_uop *o) { w->preds[o->d] = bits; }                                               \
  static void id##_m(dc_warp *w, const dc_uop *o) {                                                                    \
    w->preds[o->d] = (w->preds[o->d] & ~w->mask) | (bits & w->mask);                                                   \
  }
#define TEST(name, call)                                                                                               \
  static u32 compare_##name(const uint8_t *regs, const dc_uop *op) {                                                   \
    u32 r = 0;                                                                                                         \
    EACH_GANG(r |= P_word(call) << g)                                                                                  \
    return r;                                                                                                          \
  }                                                                                                                    \
  WORD(name, compare_##name(w->regs, o))
#define TEST1(A, name) TEST(name, v_##name(GET_##A(a)))
#define TEST2(A, name) TEST(name, v_##name(GET_##A(a), GET_##A(b)))
#define WORD_OF(x) (o->neg_##x ? ~w->preds[o->x] : w->preds[o->x])
#define PRED(name, reads, words)                                                                                       \
  static u32 bits_##name(const dc_warp *w, const dc_uop *o) {                                                          \
    reads return words;                                                                                                \
  }                                                                                                                    \
  WORD(name, bits_##name(w, o))
#define X_ const u32 x = WORD_OF(a);
#define Y_ const u32 y = WORD_OF(b);
#define Z_ const u32 z = WORD_OF(c);
#define PRED1(name, words) PRED(name, X_, words)
#define PRED2(name, words) PRED(name, X_ Y_, words)
#define PRED3(name, words) PRED(name, X_ Y_ Z_, words)

/* The parts are in o->v, and may be left out of what is unpacked. */
#define PACK(R, A, name)                                                                                               \
  static void name(dc_warp *w, const dc_uop *op) {                                                                     \
    uint8_t *const regs = w->regs;                                                                                     \
    EACH_GANG(PUT_MASKED_##R(o->d, v_##name(PART_##A(0), PART_##A(1))))                                                \
  }
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

#define ROW(id) {id, id##_m, NULL},
#define F1(R, A, name) ROW(R##_##A##_##name)
#define F2(R, A, B, name) ROW(R##_##A##B##_##name)
#define F3(R, A, B, C, name) ROW(R##_##A##B##C##_##name)
#define F4(R, A, B, C, E, name) ROW(R##_##A##B##C##E##_##name)
#define TEST1(A, name) {name, name##_m, compare_##name},
#define TEST2(A, name) {name, name##_m, compare_##name},
#define PRED1(name, words) ROW(name)
#define PRED2(name, words) ROW(name)
#define PRED3(name, words) ROW(name)
#define PACK(R, A, name) {name, name, NULL},
#define UNPACK(R, A, name) {name, name, NULL},
static const dc_function_ops functions[] = {
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

const dc_function_ops *PER_ISA(dc_function_of)(const dc_uop *o, int row) {
  const char *name = row < 0 ? NULL : dc_functions[row].name;
  for (; name && dc_functions[row].name && strcmp(dc_functions[row].name, name) == 0; row++)
    if (o == NULL || matches(o, dc_functions[row].kinds)) return &functions[row];
  return NULL;
}

bool PER_ISA(dc_select_functions)(dc_uop *o) {
  dc_native_form form;
  if (!dc_native_op(o->ins, &form) || form.join) return false;
  const dc_function_ops *f = PER_ISA(dc_function_of)(o, form.row);
  if (f == NULL) return false;
  o->fn = f->fn;
  o->fn_masked = f->fn_masked;
  return true;
}
