/*
** gangs.h - loops over a warp's registers in the vectors of simd/, a native vector of lanes at a time.
**
** With AVX-512 too they have 256 bits: a loop of integer operations took 19 ms so, with 512 bits 32 (Zen 4).
*/
#pragma once

#define DC_W DC_NW
#define DC_NARROW
#include "cpu/ops/lanes.h"
#include "cpu/simd/lanes.h"

/* The operands' places are read once: what is stored might be they, as far as compilers know. */
#define EACH_GANG(what)                                                                                                \
  const dc_uop copy = *op, *const o = &copy;                                                                           \
  for (u32 g = 0; g < DC_LANES; g += DC_W) what;
#define AT(T, slot) ((T *)__builtin_assume_aligned(regs + (slot), 64) + g)

/* Lanes from g on of a source. */
#define GET_h(x) V16_load(AT(const u16, o->x))
#define GET_w(x) V32_load(AT(const u32, o->x))
#define GET_d(x) V64_load(AT(const u64, o->x))
#define GET_p(x) P_from(pred_of(w, o->x, o->neg_##x) >> g)

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

/* An operation on the lanes of the mask: d, of kind R, becomes `call` of the sources' vectors. */
#define MASKED_GANGS(id, R, call)                                                                                      \
  static void id(dc_warp *w, const dc_uop *op) {                                                                       \
    uint8_t *const regs = w->regs;                                                                                     \
    EACH_GANG(PUT_MASKED_##R(o->d, call))                                                                              \
  }

/* f16 and bf16 to f32 and back, of single lanes. */
static inline f32 f16_to_f32(u32 h) { return bits_f32(s_widen_f16(h)); }
static inline u32 f32_to_f16(f32 x) { return s_to_f16(f32_bits(x)); }
static inline f32 bf16_to_f32(u32 h) { return bits_f32(h << 16); }
static inline u32 f32_to_bf16(f32 x) { return s_to_bf16(f32_bits(x)); }
