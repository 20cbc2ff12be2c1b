/*
** compare.h - setp and selp of natively compiled kernels.
**
** setp_CMP_TYPE(x, y).
*/
#pragma once

#include "bits.h"

/* --- integers ------------------------------------------------------------------------------------------------- */

#define DC_SETP32(name, cmp, sca)                                                                                      \
  DC_FN dc_m n_setp_##name(dc_u x, dc_u y) { return cmp; }                                                             \
  DC_LIFT_p_ww(setp_##name)                                                                                            \
  DC_FN int s_setp_##name(u32 x, u32 y) { return sca; }
#define DC_SETP64(name, cmp, sca)                                                                                      \
  DC_FN dc_m n_setp_##name(dc_ul xl, dc_ul xh, dc_ul yl, dc_ul yh) { return cmp; }                                     \
  DC_LIFT_p_dd(setp_##name)                                                                                            \
  DC_FN int s_setp_##name(u64 x, u64 y) { return sca; }
#define DC_S16(x) ((s32)((x) << 16)) /* compares as the 16-bit number does */
#define DC_N16(x) ((x) << 16)

#if DC_NW == 16
#define DC_COMPARE32(T, f, how, op, x, y) _mm512_##how##_##f##_mask((__m512i)(x), (__m512i)(y))
#define DC_COMPARE64(f, how, less, a, b, invert)                                                                       \
  _mm512_kunpackb(_mm512_##how##_##f##_mask((__m512i)xh, (__m512i)yh),                                                 \
                  _mm512_##how##_##f##_mask((__m512i)xl, (__m512i)yl))
#else
#define DC_COMPARE32(T, f, how, op, x, y) (dc_m)((T)(x)op(T)(y))
#define DC_COMPARE64(f, how, less, a, b, invert) invert(dc_m) n_narrow(less(a##l, b##l), less(a##h, b##h))
#if DC_NW == 8
DC_FN dc_ul n_equal_64(dc_ul x, dc_ul y) { return (dc_ul)(x == y); }
#else
DC_FN dc_ul n_equal_64(dc_ul x, dc_ul y) { /* only the lower half of a lane is read */
  const dc_ul differ = x ^ y;
  return (dc_ul)((dc_u)(differ | differ >> 32) == 0);
}
#endif
#endif
#define DC_ORDER(t, b, T, f, conv, n16)                                                                                \
  DC_SETP32(lt_##t##b, DC_COMPARE32(T, f##32, cmplt, <, n16(x), n16(y)), conv(x) < conv(y))                            \
  DC_SETP32(le_##t##b, DC_COMPARE32(T, f##32, cmple, <=, n16(x), n16(y)), conv(x) <= conv(y))                          \
  DC_SETP32(gt_##t##b, DC_COMPARE32(T, f##32, cmpgt, >, n16(x), n16(y)), conv(x) > conv(y))                            \
  DC_SETP32(ge_##t##b, DC_COMPARE32(T, f##32, cmpge, >=, n16(x), n16(y)), conv(x) >= conv(y))
#define DC_EQUAL(b)                                                                                                    \
  DC_SETP32(eq_u##b, DC_COMPARE32(dc_u, epu32, cmpeq, ==, x, y), x == y)                                               \
  DC_SETP32(ne_u##b, DC_COMPARE32(dc_u, epu32, cmpneq, !=, x, y), x != y)
#define DC_ORDER64(t, f, S)                                                                                            \
  DC_SETP64(lt_##t##64, DC_COMPARE64(f, cmplt, n_less_##t##64, x, y, ), (S)x < (S)y)                                   \
  DC_SETP64(le_##t##64, DC_COMPARE64(f, cmple, n_less_##t##64, y, x, ~), (S)x <= (S)y)                                 \
  DC_SETP64(gt_##t##64, DC_COMPARE64(f, cmpgt, n_less_##t##64, y, x, ), (S)x > (S)y)                                   \
  DC_SETP64(ge_##t##64, DC_COMPARE64(f, cmpge, n_less_##t##64, x, y, ~), (S)x >= (S)y)
DC_EQUAL(16)
DC_EQUAL(32)
DC_ORDER(u, 16, dc_u, epu, , )
DC_ORDER(s, 16, dc_s, epi, DC_S16, DC_N16)
DC_ORDER(u, 32, dc_u, epu, , )
DC_ORDER(s, 32, dc_s, epi, (s32), )
DC_SETP64(eq_u64, DC_COMPARE64(epu64, cmpeq, n_equal_64, x, y, ), x == y)
DC_SETP64(ne_u64, DC_COMPARE64(epu64, cmpneq, n_equal_64, x, y, ~), x != y)
DC_ORDER64(u, epu64, u64)
DC_ORDER64(s, epi64, s64)

/* --- floats --------------------------------------------------------------------------------------------------- */

#if DC_NW == 16
#define DC_FCMP32(imm, expr) _mm512_cmp_ps_mask((__m512)a, (__m512)b, imm)
#define DC_FCMP64(imm, expr)                                                                                           \
  _mm512_kunpackb(_mm512_cmp_pd_mask((__m512d)xh, (__m512d)yh, imm), _mm512_cmp_pd_mask((__m512d)xl, (__m512d)yl, imm))
#else
#define DC_FCMP32(imm, expr) (dc_m)(expr)
#define DC_FCMP64(imm, expr) (dc_m) n_narrow(n_f64_##expr((dc_d)xl, (dc_d)yl), n_f64_##expr((dc_d)xh, (dc_d)yh))
#endif
/* .ftz: a subnormal becomes a zero of its sign. */
#if DC_NW == 16
DC_FN dc_u n_flush(dc_u x) {
  const __mmask16 tiny = _mm512_testn_epi32_mask((__m512i)x, _mm512_set1_epi32(0x7f800000));
  return (dc_u)_mm512_mask_and_epi32((__m512i)x, tiny, (__m512i)x, _mm512_set1_epi32((int)0x80000000));
}
#else
DC_FN dc_u n_flush(dc_u x) { return x & ~((dc_u)((x & 0x7f800000u) == 0) & 0x7fffffffu); }
#endif
/* As integers: gcc 12 takes the wrong side of ~(x == x) where it chooses, in vectors of 256 bits with AVX-512. */
DC_FN dc_m n_is_nan(dc_u x) { return n_setp_gt_s32(x & 0x7fffffffu, n_splat(0x7f800000u)); }
#define DC_FSETP(cmp, imm, expr)                                                                                       \
  DC_FN dc_m n_setp_##cmp##_f32(dc_u x, dc_u y) {                                                                      \
    const dc_f a = (dc_f)x, b = (dc_f)y;                                                                               \
    return DC_FCMP32(imm, expr);                                                                                       \
  }                                                                                                                    \
  DC_FN dc_m n_setp_##cmp##_ftz(dc_u x, dc_u y) { return n_setp_##cmp##_f32(n_flush(x), n_flush(y)); }                 \
  DC_FN dc_ul n_f64_##cmp(dc_d a, dc_d b) { return (dc_ul)(expr); }                                                    \
  DC_FN dc_m n_setp_##cmp##_f64(dc_ul xl, dc_ul xh, dc_ul yl, dc_ul yh) { return DC_FCMP64(imm, cmp); }                \
  DC_LIFT_p_ww(setp_##cmp##_f32)                                                                                       \
  DC_LIFT_p_ww(setp_##cmp##_ftz)                                                                                       \
  DC_LIFT_p_dd(setp_##cmp##_f64)
#define DC_FSETP_SCALAR(cmp, expr)                                                                                     \
  DC_FN int s_setp_##cmp##_f32(u32 x, u32 y) {                                                                         \
    const f32 a = bits_f32(x), b = bits_f32(y);                                                                  \
    return expr;                                                                                                       \
  }                                                                                                                    \
  DC_FN int s_setp_##cmp##_ftz(u32 x, u32 y) { return s_setp_##cmp##_f32(s_flush(x), s_flush(y)); }                    \
  DC_FN int s_setp_##cmp##_f64(u64 x, u64 y) {                                                                         \
    const f64 a = bits_f64(x), b = bits_f64(y);                                                                  \
    return expr;                                                                                                       \
  }
#define DC_RELATION(cmp, imm, vec, sca)                                                                                \
  DC_FSETP(cmp, imm, vec)                                                                                              \
  DC_FSETP_SCALAR(cmp, sca)
/* X(name, the number of its machine instruction, on vectors a and b, on scalars) */
#define DC_RELATIONS(X)                                                                                                \
  X(eq, _CMP_EQ_OQ, a == b, a == b)                                                                                    \
  X(ne, _CMP_NEQ_OQ, (a < b) | (a > b), (a < b) | (a > b))                                                             \
  X(lt, _CMP_LT_OQ, a < b, a < b)                                                                                      \
  X(le, _CMP_LE_OQ, a <= b, a <= b)                                                                                    \
  X(gt, _CMP_GT_OQ, a > b, a > b)                                                                                      \
  X(ge, _CMP_GE_OQ, a >= b, a >= b)                                                                                    \
  X(equ, _CMP_EQ_UQ, ~((a < b) | (a > b)), !((a < b) | (a > b)))                                                       \
  X(neu, _CMP_NEQ_UQ, a != b, a != b)                                                                                  \
  X(ltu, _CMP_NGE_UQ, ~(a >= b), !(a >= b))                                                                            \
  X(leu, _CMP_NGT_UQ, ~(a > b), !(a > b))                                                                              \
  X(gtu, _CMP_NLE_UQ, ~(a <= b), !(a <= b))                                                                            \
  X(geu, _CMP_NLT_UQ, ~(a < b), !(a < b))                                                                              \
  X(num, _CMP_ORD_Q, (a == a) & (b == b), (a == a) & (b == b))                                                         \
  X(nan, _CMP_UNORD_Q, ~((a == a) & (b == b)), !((a == a) & (b == b)))
DC_RELATIONS(DC_RELATION)

/* --- affine values, x + stride * l in lane l: the lanes where they are less than y, or equal to it ------------ */

/* Lanes l with stride * l < d. */
DC_FN M dc_lanes_below(s64 d, s64 stride) {
  const s64 n = stride > 0 ? (d + stride - 1) / stride : (stride + d) / stride;
  const M first = n >= DC_W ? DC_EVERY : n <= 0 ? 0 : ((M)1 << n) - 1;
  return stride > 0 ? first : M_not(first);
}
DC_FN M dc_lanes_eq(u32 x, s64 stride, u32 y) {
  const s64 d = (s32)(y - x), n = d / stride;
  return n * stride == d && (u64)n < DC_W ? (M)1 << n : 0;
}
/* Whether x + stride * l stays within 32 bits for all lanes; for a constant stride, a comparison with a constant. */
DC_FN int dc_no_wrap_s32(u32 x, s64 stride) {
  const s64 span = stride * (DC_W - 1);
  return span > 0 ? (s32)x <= INT32_MAX - span : (s32)x >= INT32_MIN - span;
}
DC_FN int dc_no_wrap_u32(u32 x, s64 stride) {
  const s64 span = stride * (DC_W - 1);
  return span > 0 ? (s64)x <= UINT32_MAX - span : (s64)x >= -span;
}
/* Lanes whose value is less than y + plus, where it is 0 or 1.  Most often it is all lanes, or none. */
DC_FN M dc_lanes_lt(u32 x, s64 stride, u32 y, int sign, int plus, int wraps) {
  const s64 first = sign ? (s32)x : (s64)x, d = (sign ? (s32)y : (s64)y) - first + plus;
  if (stride > 0 ? d > stride * (DC_W - 1) : d <= stride * (DC_W - 1)) return stride > 0 ? DC_EVERY : 0;
  const M less = dc_lanes_below(d, stride);
  if (!wraps || DC_USUAL(sign ? dc_no_wrap_s32(x, stride) : dc_no_wrap_u32(x, stride))) return less;
  const s64 all = stride > 0 ? 1ll << 32 : -(1ll << 32), end = (sign ? all / 2 : stride > 0 ? all : 0) - first;
  const M on = stride > 0 ? dc_lanes_below(end, stride) : M_not(dc_lanes_below(end, stride)); /* before they wrap */
  return M_select(on, less, dc_lanes_below(d + all, stride));
}

/* --- choosing ------------------------------------------------------------------------------------------------- */

DC_FN V32 v_selp_32(V32 x, V32 y, P c) { return V32_choose(c, x, y); }
DC_FN V64 v_selp_64(V64 x, V64 y, P c) { return V64_choose(c, x, y); }
DC_FN u32 s_selp_32(u32 x, u32 y, int c) { return c ? x : y; }
DC_FN u64 s_selp_64(u64 x, u64 y, int c) { return c ? x : y; }
