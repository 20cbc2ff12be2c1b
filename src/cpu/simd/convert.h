/*
** convert.h - cvt of natively compiled kernels.
**
** Integers: cvt_i{bits of the destination}_{type that is taken out of the source}_{w or d: the source}.  Floats:
** cvt_{rounding}_{destination}_{source}.  What comes of out-of-range numbers: see ops/convert.c.
*/
#pragma once

#include "float.h"

/* --- integers ------------------------------------------------------------------------------------------------- */

DC_BY_PARTS(V32, v_low_half, (V64 x), DC_w_dpair_, n_narrow)
#define DC_WIDEN_U(x) (u64)(x)
#define DC_WIDEN_S(x) (u64)(s64)(s32)(x)
#define DC_CVT_INT(T, how, widen)                                                                                      \
  DC_W1(cvt_i16_##T##_w, n_take_##T(x) & 0xffffu, s_take_##T(x) & 0xffff)                                              \
  DC_W1(cvt_i32_##T##_w, n_take_##T(x), s_take_##T(x))                                                                 \
  DC_FN dc_pair n_cvt_i64_##T##_w(dc_u x) {                                                                            \
    const dc_u t = n_take_##T(x);                                                                                      \
    return (dc_pair){n_lo_##how(t), n_hi_##how(t)};                                                                    \
  }                                                                                                                    \
  DC_LIFT_d_w(cvt_i64_##T##_w)                                                                                         \
  DC_FN u64 s_cvt_i64_##T##_w(u32 x) { return widen(s_take_##T(x)); }                                                  \
  DC_FN V32 v_cvt_i16_##T##_d(V64 x) { return v_cvt_i16_##T##_w(v_low_half(x)); }                                      \
  DC_FN V32 v_cvt_i32_##T##_d(V64 x) { return v_cvt_i32_##T##_w(v_low_half(x)); }                                      \
  DC_FN V64 v_cvt_i64_##T##_d(V64 x) { return v_cvt_i64_##T##_w(v_low_half(x)); }                                      \
  DC_FN u32 s_cvt_i16_##T##_d(u64 x) { return s_cvt_i16_##T##_w((u32)x); }                                             \
  DC_FN u32 s_cvt_i32_##T##_d(u64 x) { return s_cvt_i32_##T##_w((u32)x); }                                             \
  DC_FN u64 s_cvt_i64_##T##_d(u64 x) { return s_cvt_i64_##T##_w((u32)x); }
DC_CVT_INT(u8, u64, DC_WIDEN_U)
DC_CVT_INT(s8, s64, DC_WIDEN_S)
DC_CVT_INT(u16, u64, DC_WIDEN_U)
DC_CVT_INT(s16, s64, DC_WIDEN_S)
DC_CVT_INT(u32, u64, DC_WIDEN_U)
DC_CVT_INT(s32, s64, DC_WIDEN_S)

/* --- integers to floats --------------------------------------------------------------------------------------- */

DC_FN dc_u n_cvt_rn_f32_s32(dc_u x) { return (dc_u)__builtin_convertvector((dc_s)x, dc_f); }
DC_FN dc_u n_cvt_rn_f32_u32(dc_u x) {
#if DC_NW == 16
  return (dc_u)_mm512_cvtepu32_ps((__m512i)x);
#else /* both halves are exact, their sum is rounded once */
  const dc_f hi = __builtin_convertvector((dc_s)(x >> 16), dc_f);
  const dc_f lo = __builtin_convertvector((dc_s)(x & 0xffffu), dc_f);
  return (dc_u)(hi * 65536.0f + lo);
#endif
}
DC_FN u32 s_cvt_rn_f32_s32(u32 x) { return f32_bits((f32)(s32)x); }
DC_FN u32 s_cvt_rn_f32_u32(u32 x) { return f32_bits((f32)x); }
DC_LIFT_w_w(cvt_rn_f32_s32)
DC_LIFT_w_w(cvt_rn_f32_u32)
/* Exact: 2^52 with the integer in its low bits, less 2^52 (and 2^31, which makes signed ones positive). */
DC_FN dc_ul n_from_u32(dc_ul x) {
  return (dc_ul)((dc_d)(x | 0x4330000000000000u) - (dc_d)n_splat64(0x4330000000000000u));
}
DC_FN dc_ul n_from_s32(dc_ul x) {
  return (dc_ul)((dc_d)(x | 0x4330000000000000u) - (dc_d)n_splat64(0x4330000080000000u));
}
DC_FN dc_pair n_cvt_rn_f64_u32(dc_u x) { return (dc_pair){n_from_u32(n_lo_u64(x)), n_from_u32(n_hi_u64(x))}; }
DC_FN dc_pair n_cvt_rn_f64_s32(dc_u x) {
#if DC_NW >= 8
  return (dc_pair){(dc_ul)DC_MM(cvtepi32_pd)(DC_LO(x)), (dc_ul)DC_MM(cvtepi32_pd)(DC_HI(x))};
#else
  x ^= 0x80000000u;
  return (dc_pair){n_from_s32(n_lo_u64(x)), n_from_s32(n_hi_u64(x))};
#endif
}
DC_FN u64 s_cvt_rn_f64_s32(u32 x) { return f64_bits((f64)(s32)x); }
DC_FN u64 s_cvt_rn_f64_u32(u32 x) { return f64_bits((f64)x); }
DC_LIFT_d_w(cvt_rn_f64_s32)
DC_LIFT_d_w(cvt_rn_f64_u32)
#define DC_FROM_NARROW(T)                                                                                              \
  DC_W1(cvt_rn_f32_##T, n_cvt_rn_f32_s32(n_take_##T(x)), s_cvt_rn_f32_s32(s_take_##T(x)))                              \
  DC_FN V64 v_cvt_rn_f64_##T(V32 x) { return v_cvt_rn_f64_s32(v_cvt_i32_##T##_w(x)); }                                 \
  DC_FN u64 s_cvt_rn_f64_##T(u32 x) { return s_cvt_rn_f64_s32(s_take_##T(x)); }
DC_FROM_NARROW(u8)
DC_FROM_NARROW(s8)
DC_FROM_NARROW(u16)
DC_FROM_NARROW(s16)
/* The other roundings, exact in f64 before. */
#define DC_FROM_DIRECTED(m, T)                                                                                         \
  DC_FN dc_u n_cvt_##m##_f32_##T(dc_u x) {                                                                             \
    const dc_pair p = n_cvt_rn_f64_##T(x);                                                                             \
    return n_narrow_##m((dc_d)p.l, (dc_d)p.h);                                                                         \
  }                                                                                                                    \
  DC_LIFT_w_w(cvt_##m##_f32_##T)                                                                                       \
  DC_SCALAR_w_w(cvt_##m##_f32_##T)
#define DC_FROM_ALL_DIRECTED(T) DC_FROM_DIRECTED(rm, T) DC_FROM_DIRECTED(rp, T) DC_FROM_DIRECTED(rz, T)
DC_FROM_ALL_DIRECTED(s32)
DC_FROM_ALL_DIRECTED(u32)
DC_FN u64 s_cvt_rn_f64_s64(u64 x) { return f64_bits((f64)(s64)x); }
DC_FN u64 s_cvt_rn_f64_u64(u64 x) { return f64_bits((f64)x); }
DC_FN u32 s_cvt_rn_f32_s64(u64 x) { return f32_bits((f32)(s64)x); }
DC_FN u32 s_cvt_rn_f32_u64(u64 x) { return f32_bits((f32)x); }
#if DC_NW == 16
DC_FN dc_ul n_cvt_rn_f64_s64(dc_ul x) { return (dc_ul)_mm512_cvtepi64_pd((__m512i)x); }
DC_FN dc_ul n_cvt_rn_f64_u64(dc_ul x) { return (dc_ul)_mm512_cvtepu64_pd((__m512i)x); }
#define DC_FROM64(l, h) (dc_u) _mm512_insertf32x8(_mm512_castps256_ps512(l), h, 1)
DC_FN dc_u n_cvt_rn_f32_s64(dc_ul l, dc_ul h) {
  return DC_FROM64(_mm512_cvtepi64_ps((__m512i)l), _mm512_cvtepi64_ps((__m512i)h));
}
DC_FN dc_u n_cvt_rn_f32_u64(dc_ul l, dc_ul h) {
  return DC_FROM64(_mm512_cvtepu64_ps((__m512i)l), _mm512_cvtepu64_ps((__m512i)h));
}
#else
/* Both halves are exact, their sum is rounded once: to f64 or, for f32, to odd and then to the nearest. */
DC_FN dc_d n_upper_s64(dc_ul x) { return (dc_d)n_from_s32((x >> 32) ^ 0x80000000u) * 0x1p32; }
DC_FN dc_d n_upper_u64(dc_ul x) { return (dc_d)n_from_u32(x >> 32) * 0x1p32; }
DC_FN dc_d n_lower_64(dc_ul x) { return (dc_d)n_from_u32(x & 0xffffffffu); }
#define DC_FROM_64(T)                                                                                                  \
  DC_FN dc_ul n_cvt_rn_f64_##T(dc_ul x) { return (dc_ul)(n_upper_##T(x) + n_lower_64(x)); }                            \
  DC_FN dc_u n_cvt_rn_f32_##T(dc_ul l, dc_ul h) {                                                                      \
    return n_narrow_f64(n_add_to_odd(n_upper_##T(l), n_lower_64(l)), n_add_to_odd(n_upper_##T(h), n_lower_64(h)));     \
  }
DC_FROM_64(s64)
DC_FROM_64(u64)
#endif
DC_LIFT_d_d(cvt_rn_f64_s64)
DC_LIFT_d_d(cvt_rn_f64_u64)
DC_LIFT_w_dpair(cvt_rn_f32_s64)
DC_LIFT_w_dpair(cvt_rn_f32_u64)

/* --- floats to whole numbers ---------------------------------------------------------------------------------- */

#if DC_NW == 16
#define DC_ROUND(suffix, x, how) _mm512_roundscale_##suffix(x, how)
#elif DC_NW == 8
#define DC_ROUND(suffix, x, how) _mm256_round_##suffix(x, how)
#endif
#if DC_NW >= 8
#define DC_WHOLE(r, how)                                                                                               \
  DC_FN dc_u n_whole_##r(dc_u x) { return (dc_u)DC_ROUND(ps, (dc_mf)x, (how) | _MM_FROUND_NO_EXC); }                   \
  DC_FN dc_ul n_whole64_##r(dc_ul x) { return (dc_ul)DC_ROUND(pd, (dc_md)x, (how) | _MM_FROUND_NO_EXC); }
DC_WHOLE(rni, _MM_FROUND_TO_NEAREST_INT)
DC_WHOLE(rmi, _MM_FROUND_TO_NEG_INF)
DC_WHOLE(rpi, _MM_FROUND_TO_POS_INF)
DC_WHOLE(rzi, _MM_FROUND_TO_ZERO)
#else
/* Adding and taking away 2^(bits of the fraction) rounds to an integer; what is greater is one. Then a step aside. */
#define DC_WHOLES(n, V, F, top, huge, one)                                                                             \
  DC_FN V n##_rni(V x) {                                                                                               \
    const F a = (F)(x & ~(V){0} >> 1), r = (a + huge) - huge;                                                          \
    return ((V)(a < huge) & ((V)r | (x & top))) | (~(V)(a < huge) & x);                                                \
  }                                                                                                                    \
  DC_FN V n##_rmi(V x) {                                                                                               \
    const V r = n##_rni(x), over = (V)((F)r > (F)x);                                                                   \
    return (V)((F)r - (F)(over & one)) | (x & top);                                                                    \
  }                                                                                                                    \
  DC_FN V n##_rpi(V x) { return n##_rmi(x ^ top) ^ top; }                                                              \
  DC_FN V n##_rzi(V x) { return n##_rmi(x & ~top) | (x & top); }
DC_WHOLES(n_whole, dc_u, dc_f, 0x80000000u, 0x1p23f, 0x3f800000u)
DC_WHOLES(n_whole64, dc_ul, dc_d, DC_TOP64, 0x1p52, ((u64)0x3ff << 52))
#endif
#define DC_WHOLE_FORMS(r)                                                                                              \
  DC_FN dc_u n_cvt_##r##_f32_f32(dc_u x) { return n_whole_##r(x); }                                                    \
  DC_FN dc_ul n_cvt_##r##_f64_f64(dc_ul x) { return n_whole64_##r(x); }                                                \
  DC_LIFT_w_w(cvt_##r##_f32_f32)                                                                                       \
  DC_LIFT_d_d(cvt_##r##_f64_f64)                                                                                       \
  DC_SCALAR_w_w(cvt_##r##_f32_f32)                                                                                     \
  DC_SCALAR_d_d(cvt_##r##_f64_f64)
DC_WHOLE_FORMS(rni)
DC_WHOLE_FORMS(rmi)
DC_WHOLE_FORMS(rpi)
DC_WHOLE_FORMS(rzi)

/* --- floats to integers, cut off: the nearest bound when out of range ----------------------------------------- */

/*
** The machine gives 0x80000000 for what does not fit. Compilers that see a constant work out something else (gcc the
** nearest bound, and 0 of a NaN, from the intrinsics too), so that the operand is kept from their sight.
*/
#if defined(DC_X86)
#define DC_TO_S32(name, convert)                                                                                       \
  DC_FN dc_u name(dc_u x) {                                                                                            \
    dc_mf a = (dc_mf)x;                                                                                                \
    DC_UNSEEN(a);                                                                                                      \
    return DC_IN_RANGE(a, convert);                                                                                    \
  }
#if DC_NW == 16
#define DC_IN_RANGE(a, convert)                                                                                        \
  (dc_u) _mm512_mask_mov_epi32(_mm512_maskz_##convert(_mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a),                        \
                               _mm512_cmp_ps_mask(a, _mm512_set1_ps(0x1p31f), _CMP_GE_OQ),                             \
                               _mm512_set1_epi32(0x7fffffff))
#else
#define DC_IN_RANGE(a, convert)                                                                                        \
  ((dc_u)DC_MM(convert)(a) ^ (dc_u)((dc_f)a >= 0x1p31f)) & (dc_u)((dc_f)a == (dc_f)a)
#endif
DC_TO_S32(n_f32_s32, cvttps_epi32)
DC_TO_S32(n_rni_s32, cvtps_epi32) /* a launch rounds to nearest */
#endif
#if DC_NW == 16
DC_FN dc_u n_f32_u32(dc_u x) { return (dc_u)_mm512_cvttps_epu32((__m512)n_above(x, n_splat(0))); }
#elif defined(DC_X86)
DC_FN dc_u n_cut(dc_u x) {
  dc_mf a = (dc_mf)x;
  DC_UNSEEN(a);
  return (dc_u)DC_MM(cvttps_epi32)(a);
}
DC_FN dc_u n_f32_u32(dc_u x) {
  const dc_u a = n_above(x, n_splat(0)), big = (dc_u)((dc_f)a >= 0x1p31f), huge = (dc_u)((dc_f)a >= 0x1p32f);
  return (n_cut((dc_u)((dc_f)a - (dc_f)(big & 0x4f000000u))) + (big & 0x80000000u)) | huge;
}
#endif
#if !defined(DC_X86)
DC_LANEWISE1(f32_s32, dc_u, u32)
DC_LANEWISE1(f32_u32, dc_u, u32)
#endif
/* A number within the bounds of 64 bits as an integer.  Without an instruction for it: in halves, each of which the low
** bits of a greater number hold. */
#if DC_NW == 16
DC_FN dc_ul n_cut_s64(dc_ul x) { return (dc_ul)_mm512_cvttpd_epi64((__m512d)x); }
DC_FN dc_ul n_cut_u64(dc_ul x) { return (dc_ul)_mm512_cvttpd_epu64((__m512d)x); }
#else
DC_FN dc_ul n_cut_s64(dc_ul x) {
  const dc_d whole = (dc_d)n_whole64_rzi(x), high = (dc_d)n_whole64_rmi((dc_ul)(whole * 0x1p-32));
  return (dc_ul)(high + 0x1.8p52) << 32 | ((dc_ul)(whole - high * 0x1p32 + 0x1p52) & 0xffffffffu);
}
#define n_cut_u64 n_cut_s64
#endif
DC_FN dc_ul n_f64_s64(dc_ul x) { /* INT64_MIN for NaN */
  const dc_ul most = n_splat64(~DC_TOP64), big = (dc_ul)((dc_d)x >= (dc_d)n_splat64(0x43e0000000000000u));
  return (n_cut_s64(n_above_64(x, n_splat64(0xc3e0000000000000u))) & ~big) | (most & big);
}
DC_FN dc_ul n_f64_u64(dc_ul x) { /* 2^63 for NaN */
  const dc_ul huge = (dc_ul)((dc_d)x >= (dc_d)n_splat64(0x43f0000000000000u)), nan = (dc_ul)((dc_d)x != (dc_d)x);
  return n_cut_u64(n_above_64(x, n_splat64(0))) | huge | (nan & DC_TOP64);
}
DC_FN dc_pair n_f32_s64(dc_u x) { return (dc_pair){n_f64_s64((dc_ul)n_lo_f64(x)), n_f64_s64((dc_ul)n_hi_f64(x))}; }
DC_FN dc_pair n_f32_u64(dc_u x) { return (dc_pair){n_f64_u64((dc_ul)n_lo_f64(x)), n_f64_u64((dc_ul)n_hi_f64(x))}; }
/* In the low bits of 2^52 and it; 2^31 for NaN. */
DC_FN dc_ul n_f64_low_u32(dc_ul x) {
  const dc_ul most = n_splat64(0x41efffffffe00000u), nan = (dc_ul)((dc_d)x != (dc_d)x);
  const dc_d whole = (dc_d)n_whole64_rzi(n_below_64(most, n_above_64(x, n_splat64(0))));
  return (dc_ul)(whole + 0x1p52) | (nan & 0x80000000u);
}
DC_FN dc_u n_f64_u32(dc_ul l, dc_ul h) { return n_narrow(n_f64_low_u32(l), n_f64_low_u32(h)); }
#if defined(DC_X86)
DC_FN dc_u n_f64_s32(dc_ul l, dc_ul h) {
  const dc_ul most = (dc_ul)((dc_d){0} + 2147483647.0); /* what is above becomes it; NaN stays NaN */
  dc_md a = (dc_md)n_below_64(most, l), b = (dc_md)n_below_64(most, h);
  DC_UNSEEN(a);
  DC_UNSEEN(b);
#if DC_NW == 4
  return (dc_u)_mm_unpacklo_epi64(_mm_cvttpd_epi32(a), _mm_cvttpd_epi32(b));
#else
  return DC_JOIN(DC_MM(cvttpd_epi32)(a), DC_MM(cvttpd_epi32)(b));
#endif
}
#else
/* As above, of a signed number; INT32_MIN for NaN. */
DC_FN dc_ul n_f64_low_s32(dc_ul x) {
  const dc_ul least = n_splat64(0xc1e0000000000000u), most = n_splat64(0x41dfffffffc00000u);
  return (dc_ul)((dc_d)n_whole64_rzi(n_below_64(most, n_above_64(x, least))) + 0x1.8p52);
}
DC_FN dc_u n_f64_s32(dc_ul l, dc_ul h) { return n_narrow(n_f64_low_s32(l), n_f64_low_s32(h)); }
#endif
/* Narrower integers: clamped, and (signed) extended to 16 bits. */
#define DC_CLAMP_n(x, least, most) n_min_s32(n_max_s32(n_f32_s32(x), n_splat((u32)(least))), n_splat(most)) & 0xffffu
#define DC_CLAMP_s(x, least, most) s_min_s32(s_max_s32(s_f32_s32(x), (u32)(least)), most) & 0xffffu
#define DC_NARROW_FLOAT(T, least, most)                                                                                \
  DC_FN dc_u n_f32_##T(dc_u x) { return DC_CLAMP_n(x, least, most); }                                                  \
  DC_FN u32 s_f32_##T(u32 x) { return DC_CLAMP_s(x, least, most); }
DC_NARROW_FLOAT(u8, 0, 255)
DC_NARROW_FLOAT(s8, -128, 127)
DC_NARROW_FLOAT(u16, 0, 65535)
DC_NARROW_FLOAT(s16, -32768, 32767)
/* Rounded first. Tiny numbers matter only where they are rounded away from 0: then .ftz has forms of its own. */
#define DC_TO_INT32(r, T) DC_W1(cvt_##r##_##T##_f32, n_f32_##T(n_whole_##r(x)), s_f32_##T(s_cvt_##r##_f32_f32(x)))
#if !defined(DC_X86)
DC_FN dc_u n_rni_s32(dc_u x) { return n_f32_s32(n_whole_rni(x)); }
#endif
DC_FN dc_u n_rmi_s32(dc_u x) { return n_f32_s32(n_whole_rmi(x)); }
DC_FN dc_u n_rpi_s32(dc_u x) { return n_f32_s32(n_whole_rpi(x)); }
DC_FN dc_u n_rzi_s32(dc_u x) { return n_f32_s32(x); }
#define DC_TO_INT(r)                                                                                                   \
  DC_W1(cvt_##r##_s32_f32, n_##r##_s32(x), s_f32_s32(s_cvt_##r##_f32_f32(x)))                                          \
  DC_TO_INT32(r, u32)                                                                                                  \
  DC_TO_INT32(r, u8)                                                                                                   \
  DC_TO_INT32(r, s8)                                                                                                   \
  DC_TO_INT32(r, u16)                                                                                                  \
  DC_TO_INT32(r, s16)                                                                                                  \
  DC_FN dc_pair n_cvt_##r##_s64_f32(dc_u x) { return n_f32_s64(n_whole_##r(x)); }                                      \
  DC_FN dc_pair n_cvt_##r##_u64_f32(dc_u x) { return n_f32_u64(n_whole_##r(x)); }                                      \
  DC_FN u64 s_cvt_##r##_s64_f32(u32 x) { return s_f32_s64(s_cvt_##r##_f32_f32(x)); }                                   \
  DC_FN u64 s_cvt_##r##_u64_f32(u32 x) { return s_f32_u64(s_cvt_##r##_f32_f32(x)); }                                   \
  DC_LIFT_d_w(cvt_##r##_s64_f32)                                                                                       \
  DC_LIFT_d_w(cvt_##r##_u64_f32)                                                                                       \
  DC_FN dc_u n_cvt_##r##_s32_f64(dc_ul l, dc_ul h) { return n_f64_s32(n_whole64_##r(l), n_whole64_##r(h)); }           \
  DC_FN dc_u n_cvt_##r##_u32_f64(dc_ul l, dc_ul h) { return n_f64_u32(n_whole64_##r(l), n_whole64_##r(h)); }           \
  DC_FN u32 s_cvt_##r##_s32_f64(u64 x) { return s_f64_s32(s_cvt_##r##_f64_f64(x)); }                                   \
  DC_FN u32 s_cvt_##r##_u32_f64(u64 x) { return s_f64_u32(s_cvt_##r##_f64_f64(x)); }                                   \
  DC_LIFT_w_dpair(cvt_##r##_s32_f64)                                                                                   \
  DC_LIFT_w_dpair(cvt_##r##_u32_f64)                                                                                   \
  DC_D1(cvt_##r##_s64_f64, n_f64_s64(n_whole64_##r(x)), s_f64_s64(s_cvt_##r##_f64_f64(x)))                             \
  DC_D1(cvt_##r##_u64_f64, n_f64_u64(n_whole64_##r(x)), s_f64_u64(s_cvt_##r##_f64_f64(x)))
DC_TO_INT(rni)
DC_TO_INT(rmi)
DC_TO_INT(rpi)
/* Cutting off is what n_f32_s32 and its like do. */
#define n_whole_rzi(x) (x)
#define n_whole64_rzi(x) (x)
#define s_cvt_rzi_f32_f32(x) (x)
#define s_cvt_rzi_f64_f64(x) (x)
DC_TO_INT(rzi)
#undef n_whole_rzi
#undef n_whole64_rzi
#undef s_cvt_rzi_f32_f32
#undef s_cvt_rzi_f64_f64

/* --- floats to floats ----------------------------------------------------------------------------------------- */

DC_W1(cvt_ftz_f32_f32, n_flush(x), s_flush(x))
DC_W1(cvt_sat_f32_f32, n_saturate(x), s_saturate(x))
DC_W1(cvt_ftz_sat_f32_f32, n_flush(n_saturate(x)), s_flush(s_saturate(x)))
DC_FN dc_pair n_cvt_f64_f32(dc_u x) { return (dc_pair){(dc_ul)n_lo_f64(x), (dc_ul)n_hi_f64(x)}; }
DC_FN dc_pair n_cvt_ftz_f64_f32(dc_u x) { return n_cvt_f64_f32(n_flush(x)); }
DC_FN u64 s_cvt_f64_f32(u32 x) { return f64_bits((f64)bits_f32(x)); }
DC_FN u64 s_cvt_ftz_f64_f32(u32 x) { return s_cvt_f64_f32(s_flush(x)); }
DC_LIFT_d_w(cvt_f64_f32)
DC_LIFT_d_w(cvt_ftz_f64_f32)
DC_FN dc_u n_cvt_f32_f64(dc_ul l, dc_ul h) { return n_narrow_f64((dc_d)l, (dc_d)h); }
DC_FN dc_u n_cvt_ftz_f32_f64(dc_ul l, dc_ul h) { return n_flush(n_narrow_f64((dc_d)l, (dc_d)h)); }
DC_FN u32 s_cvt_f32_f64(u64 x) { return f32_bits((f32)bits_f64(x)); }
DC_FN u32 s_cvt_ftz_f32_f64(u64 x) { return s_flush(s_cvt_f32_f64(x)); }
DC_LIFT_w_dpair(cvt_f32_f64)
DC_LIFT_w_dpair(cvt_ftz_f32_f64)
