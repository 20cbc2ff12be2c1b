/*
** lanes.h - macros that make an operation's loops over 32 lanes from one expression.
**
** The functions read whole registers and write either all lanes (`name`) or those of w->mask (`name_m`).  Loops are
** plain C with a pragma that lanes are independent, which gcc and clang vectorize for the instruction set that the file
** is compiled for; DC_ISA is its name.
*/
#pragma once

#include <string.h>

#include "cpu/interp/interp.h"
#include "cpu/ops/isa_name.h"
#include "cpu/simd/scalar.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef int8_t s8;
typedef int16_t s16;
typedef unsigned __int128 u128;
typedef __int128 s128;

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that cannot be a vector is still a loop */
#define VECTOR_LOOP(l, n) _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < (n); l++)
#else
#define VECTOR_LOOP(l, n) _Pragma("GCC ivdep") for (int l = 0; l < (n); l++)
#endif
#define LANES(l) VECTOR_LOOP(l, DC_LANES)
/* Lanes of a mask one by one, in ascending order. */
#define EACH_LANE(l, mask) for (u32 rest_ = (mask), l; rest_ && (l = (u32)__builtin_ctz(rest_), 1); rest_ &= rest_ - 1)

#define REG(T, slot) ((T *)__builtin_assume_aligned(w->regs + (slot), 64))
#define BUFFER __attribute__((aligned(64)))

/* The mask with as many bits as the type. */
#define MASK_u16 w->m32
#define MASK_s16 w->m32
#define MASK_u32 w->m32
#define MASK_s32 w->m32
#define MASK_f32 w->m32
#define MASK_u64 w->m64
#define MASK_s64 w->m64
#define MASK_f64 w->m64

/* OPn defines name and name_m for d = expr of x (from a), y (from b), z (from c); RAREn, for seldom used operations,
** only a masked function `name`; RARE4 has v (from e) too. */
#define ALL_(name, TD, pointers, reads, expr)                                                                          \
  static void name(dc_warp *w, const dc_uop *o) {                                                                      \
    TD *d = REG(TD, o->d);                                                                                             \
    pointers LANES(l) { reads d[l] = (TD)(expr); }                                                                     \
  }
#define MASKED_(name, TD, pointers, reads, expr)                                                                       \
  static void name(dc_warp *w, const dc_uop *o) {                                                                      \
    TD *d = REG(TD, o->d);                                                                                             \
    const typeof(MASK_##TD[0]) *m = MASK_##TD;                                                                         \
    pointers LANES(l) {                                                                                                \
      reads const TD r = (TD)(expr);                                                                                   \
      d[l] = m[l] ? r : d[l];                                                                                          \
    }                                                                                                                  \
  }
#define BOTH_(name, TD, pointers, reads, expr)                                                                         \
  ALL_(name, TD, pointers, reads, expr) MASKED_(name##_m, TD, pointers, reads, expr)
#define A_(TA) const TA *a = REG(TA, o->a);
#define B_(TB) const TB *b = REG(TB, o->b);
#define C_(TC) const TC *c = REG(TC, o->c);
#define E_(TE) const TE *e = REG(TE, o->e);
#define X_(TA) const TA x = a[l];
#define Y_(TB) const TB y = b[l];
#define Z_(TC) const TC z = c[l];
#define V_(TE) const TE v = e[l];
#define OP1(name, TD, TA, expr) BOTH_(name, TD, A_(TA), X_(TA), expr)
#define OP2(name, TD, TA, TB, expr) BOTH_(name, TD, A_(TA) B_(TB), X_(TA) Y_(TB), expr)
#define OP3(name, TD, TA, TB, TC, expr) BOTH_(name, TD, A_(TA) B_(TB) C_(TC), X_(TA) Y_(TB) Z_(TC), expr)
#define RARE1(name, TD, TA, expr) MASKED_(name, TD, A_(TA), X_(TA), expr)
#define RARE2(name, TD, TA, TB, expr) MASKED_(name, TD, A_(TA) B_(TB), X_(TA) Y_(TB), expr)
#define RARE3(name, TD, TA, TB, TC, expr) MASKED_(name, TD, A_(TA) B_(TB) C_(TC), X_(TA) Y_(TB) Z_(TC), expr)
#define RARE4(name, TD, TA, TB, TC, TE, expr)                                                                          \
  MASKED_(name, TD, A_(TA) B_(TB) C_(TC) E_(TE), X_(TA) Y_(TB) Z_(TC) V_(TE), expr)

/* The same for containers of 16, 32 and 64 bits: name_16, name_32, name_64. */
#define WIDTHS1_(OP, name, expr)                                                                                       \
  OP(name##_16, u16, u16, expr) OP(name##_32, u32, u32, expr) OP(name##_64, u64, u64, expr)
#define OP1_WIDTHS(name, expr) WIDTHS1_(OP1, name, expr)
#define RARE1_WIDTHS(name, expr) WIDTHS1_(RARE1, name, expr)
#define OP2_WIDTHS(name, expr)                                                                                         \
  OP2(name##_16, u16, u16, u16, expr) OP2(name##_32, u32, u32, u32, expr) OP2(name##_64, u64, u64, u64, expr)
#define OP3_WIDTHS(name, expr)                                                                                         \
  OP3(name##_16, u16, u16, u16, u16, expr)                                                                             \
  OP3(name##_32, u32, u32, u32, u32, expr) OP3(name##_64, u64, u64, u64, u64, expr)

/* Stores a buffer of results in the lanes of w->mask. */
#define PUT_MASKED(TD, slot, t)                                                                                        \
  do {                                                                                                                 \
    TD *d_ = REG(TD, slot);                                                                                            \
    const typeof(MASK_##TD[0]) *m_ = MASK_##TD;                                                                        \
    LANES(l) d_[l] = m_[l] ? (t)[l] : d_[l];                                                                           \
  } while (0)

/* To be used in `select` functions: `return PICK(add_u32);` */
static inline bool dc_pick(dc_uop *o, dc_op_fn fn, dc_op_fn fn_masked) {
  o->fn = fn;
  o->fn_masked = fn_masked;
  return true;
}
#define PICK(name) dc_pick(o, name, name##_m)
#define PICK_RARE(name) dc_pick(o, name, name)
/* Returns the choice for an operand of `bits`; of `bits` and `sign`. */
#define PICK_WIDTH(pick, name)                                                                                         \
  switch (bits) {                                                                                                      \
    case 16: return pick(name##16);                                                                                    \
    case 32: return pick(name##32);                                                                                    \
    case 64: return pick(name##64);                                                                                    \
    default: return false;                                                                                             \
  }
#define PICK_TYPE(pick, name)                                                                                          \
  do {                                                                                                                 \
    if (sign) PICK_WIDTH(pick, name##_s)                                                                               \
    PICK_WIDTH(pick, name##_u)                                                                                         \
  } while (0)

/* True when the operands have these containers (0: any; sizes that the decoder left 0 match all). */
static inline bool dc_shaped(const dc_uop *o, int d, int a, int b, int c) {
  const int want[4] = {d, a, b, c};
  for (int i = 0; i < 4; i++) {
    int have = o->bits[i] == 8 ? 16 : o->bits[i];
    if (want[i] && have && have != want[i]) return false;
  }
  return true;
}
static inline int dc_container(int bits) { return bits <= 16 ? 16 : bits; }
static inline bool dc_is_integer(int type) { return type >= PTX_B8 && type <= PTX_S64 && type != PTX_B128; }
static inline bool dc_is_signed(int type) { return type >= PTX_S8 && type <= PTX_S64; }

static inline f32 flush(f32 x) { return bits_f32(s_flush(f32_bits(x))); }
static inline f32 saturate(f32 x) { return bits_f32(s_saturate(f32_bits(x))); }
static inline f64 saturate64(f64 x) {
  f64 r = x > 0.0 ? x : 0.0;
  return r < 1.0 ? r : 1.0;
}

/* min and max: a number wins over NaN; -0 is below +0 (equal operands differ in their sign bit at most). */
#define MIN_MAX_(name, T, test, op)                                                                                    \
  static inline T name(T x, T y) {                                                                                     \
    const T r = y != y || x test y ? x : y;                                                                            \
    return x == y ? bits_##T(T##_bits(x) op T##_bits(y)) : r;                                                          \
  }
MIN_MAX_(min32, f32, <, |)
MIN_MAX_(max32, f32, >, &)
MIN_MAX_(min64, f64, <, |)
MIN_MAX_(max64, f64, >, &)
/* With .NaN, .xorsign.abs and .ftz. */
static inline f32 order32(f32 x, f32 y, const ptx_ins *ins) {
  const bool min = ins->op == PTX_OP_MIN;
  if (ins->flags & PTX_F_FTZ) x = flush(x), y = flush(y);
  if ((ins->flags & PTX_F_NAN) && (x != x || y != y)) return bits_f32(0x7fffffffu);
  if (!(ins->flags & PTX_F_XORSIGN)) return min ? min32(x, y) : max32(x, y);
  const u32 sign = (f32_bits(x) ^ f32_bits(y)) & 0x80000000u;
  const f32 ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
  return bits_f32((f32_bits(min ? min32(ax, ay) : max32(ax, ay)) & 0x7fffffffu) | sign);
}

/* BIT_OF_LANE[l] == 1 << l: turns a predicate word into lanes without shifts. */
#define BITS8_(i) 1u << (i), 2u << (i), 4u << (i), 8u << (i), 16u << (i), 32u << (i), 64u << (i), 128u << (i)
static const u32 BIT_OF_LANE[DC_LANES] BUFFER = {BITS8_(0), BITS8_(8), BITS8_(16), BITS8_(24)};

/* Predicates as words, one bit a lane. */
static inline u32 pred_of(const dc_warp *w, u32 index, bool negated) {
  return negated ? ~w->preds[index] : w->preds[index];
}
static inline void put_pred(dc_warp *w, u32 index, u32 bits) { w->preds[index] = bits; }
static inline void put_pred_masked(dc_warp *w, u32 index, u32 bits) {
  w->preds[index] = (w->preds[index] & ~w->mask) | (bits & w->mask);
}
