/*
** lanes.h - what operations are written with that no function of simd/ does: loops over 32 lanes.
**
** They read whole registers and write either all lanes (`name`) or those of w->mask (`name_m`; rare operations have
** that one alone).  Loops are plain C with a pragma that lanes are independent, which gcc and clang vectorize for the
** instruction set that the file is compiled for.
*/
#pragma once

#include <string.h>

#include "cpu/interp/interp.h"
#include "cpu/simd/scalar.h"

/* Names of what is compiled once for each instruction set, DC_ISA. */
#ifndef DC_ISA
#define DC_ISA baseline
#endif
#define DC_PASTE_(a, b) a##_##b
#define DC_PASTE(a, b) DC_PASTE_(a, b)
#define PER_ISA(name) DC_PASTE(name, DC_ISA)

typedef uint8_t u8;
typedef int8_t s8;
typedef int16_t s16;
typedef unsigned __int128 u128;
typedef __int128 s128;

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that cannot be a vector is still a loop */
#define LANES(l) _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < DC_LANES; l++)
#define UNROLL _Pragma("clang loop unroll(enable)")
#else
#define LANES(l) _Pragma("GCC ivdep") for (int l = 0; l < DC_LANES; l++)
#define UNROLL _Pragma("GCC unroll 4") /* a short loop whose count is a constant where its function is inlined */
#endif
/* Lanes of a mask one by one, in ascending order. */
#define EACH_LANE(l, mask) for (u32 rest_ = (mask), l; rest_ && (l = (u32)__builtin_ctz(rest_), 1); rest_ &= rest_ - 1)

#define REG(T, slot) ((T *)__builtin_assume_aligned(w->regs + (slot), 64))
#define BUFFER __attribute__((aligned(64)))

/* The mask with as many bits as the type (128: 32). */
#define MASK_OF(T) _Generic((T){0}, u64: w->m64, s64: w->m64, f64: w->m64, default: w->m32)

/* RARE1, RARE2: a masked function `name` for d = expr of x (from a), y (from b).  BOTH_: name and name_m. */
#define ALL_(name, TD, pointers, reads, expr)                                                                          \
  static void name(dc_warp *w, const dc_uop *o) {                                                                      \
    TD *d = REG(TD, o->d);                                                                                             \
    pointers LANES(l) { reads d[l] = (TD)(expr); }                                                                     \
  }
#define MASKED_(name, TD, pointers, reads, expr)                                                                       \
  static void name(dc_warp *w, const dc_uop *o) {                                                                      \
    TD *d = REG(TD, o->d);                                                                                             \
    const typeof(MASK_OF(TD)[0]) *m = MASK_OF(TD);                                                                     \
    pointers LANES(l) {                                                                                                \
      reads const TD r = (TD)(expr);                                                                                   \
      d[l] = m[l] ? r : d[l];                                                                                          \
    }                                                                                                                  \
  }
#define BOTH_(name, TD, pointers, reads, expr)                                                                         \
  ALL_(name, TD, pointers, reads, expr) MASKED_(name##_m, TD, pointers, reads, expr)
#define A_(TA) const TA *a = REG(TA, o->a);
#define B_(TB) const TB *b = REG(TB, o->b);
#define X_(TA) const TA x = a[l];
#define Y_(TB) const TB y = b[l];
#define RARE1(name, TD, TA, expr) MASKED_(name, TD, A_(TA), X_(TA), expr)
#define RARE2(name, TD, TA, TB, expr) MASKED_(name, TD, A_(TA) B_(TB), X_(TA) Y_(TB), expr)

/* Stores a buffer of results in the lanes of w->mask. */
#define PUT_MASKED(TD, slot, t)                                                                                        \
  do {                                                                                                                 \
    TD *d_ = REG(TD, slot);                                                                                            \
    const typeof(MASK_OF(TD)[0]) *m_ = MASK_OF(TD);                                                                    \
    LANES(l) d_[l] = m_[l] ? (t)[l] : d_[l];                                                                           \
  } while (0)

/* Lane l of a register, by the size of its container. */
static inline u128 get_lane(const dc_warp *w, u32 slot, int container, u32 l) {
  switch (container) {
    case 16: return REG(u16, slot)[l];
    case 32: return REG(u32, slot)[l];
    case 64: return REG(u64, slot)[l];
    default: return REG(u128, slot)[l];
  }
}
static inline void put_lane(dc_warp *w, u32 slot, int container, u32 l, u128 x) {
  switch (container) {
    case 16: REG(u16, slot)[l] = (u16)x; break;
    case 32: REG(u32, slot)[l] = (u32)x; break;
    case 64: REG(u64, slot)[l] = (u64)x; break;
    default: REG(u128, slot)[l] = x; break;
  }
}

/* To be used in `select` functions: `return PICK(mov_tid);` */
static inline bool dc_pick(dc_uop *o, dc_op_fn fn, dc_op_fn fn_masked) {
  o->fn = fn;
  o->fn_masked = fn_masked;
  return true;
}
#define PICK(name) dc_pick(o, name, name##_m)
#define PICK_RARE(name) dc_pick(o, name, name)

/* True when the operands have these containers (0: any; sizes that the decoder left 0 match all). */
static inline bool dc_shaped(const dc_uop *o, int d, int a, int b, int c) {
  const int want[4] = {d, a, b, c};
  for (int i = 0; i < 4; i++) {
    int have = o->bits[i] == 8 ? 16 : o->bits[i];
    if (want[i] && have && have != want[i]) return false;
  }
  return true;
}

static inline f32 flush(f32 x) { return bits_f32(s_flush(f32_bits(x))); }
static inline f32 saturate(f32 x) { return bits_f32(s_saturate(f32_bits(x))); }
static inline f64 saturate64(f64 x) {
  f64 r = x > 0.0 ? x : 0.0;
  return r < 1.0 ? r : 1.0;
}

/* BIT_OF_LANE[l] == 1 << l: turns a predicate word into lanes without shifts. */
#define BITS8_(i) 1u << (i), 2u << (i), 4u << (i), 8u << (i), 16u << (i), 32u << (i), 64u << (i), 128u << (i)
static const u32 BIT_OF_LANE[DC_LANES] BUFFER = {BITS8_(0), BITS8_(8), BITS8_(16), BITS8_(24)};

/* Predicates as words, one bit a lane. */
static inline u32 pred_of(const dc_warp *w, u32 index, bool negated) {
  return negated ? ~w->preds[index] : w->preds[index];
}
static inline void put_pred_masked(dc_warp *w, u32 index, u32 bits) {
  w->preds[index] = (w->preds[index] & ~w->mask) | (bits & w->mask);
}
