/*
** strides.h - loads and stores of lanes at a constant distance, and of elements whose indices may be consecutive, from
** those of memory.h and elements.h.
*/
#pragma once

#include "elements.h"

/* --- rows that loops go along ------------------------------------------------------------------------------------- */

/* Which lanes of a loop have addresses, or indices, in a row with lane 0's.  Each iteration adds the same to all of
** them, so they are tested at the loop's first access alone.  `tested`: lanes for which `others` is known: those that
** are not in the row.  (dc_in_row in memory.h tests all lanes at each access.) */
typedef struct dc_loop_row {
  M tested, others;
} dc_loop_row;
#define DC_LOOP_ROW(bits, T)                                                                                           \
  DC_CALL M dc_not_in_row_##bits(V##bits x, T stride, M m) {                                                           \
    return M_not(m) | P_word(v_setp_ne_u##bits(x, V##bits##_affine(V##bits##_first(x), stride)));                      \
  }                                                                                                                    \
  /* Whether lane 0 is in m, and all lanes of m are in a row with it. */                                               \
  DC_FN int dc_keeps_row_##bits(dc_loop_row *r, V##bits x, T stride, M m) {                                            \
    if (DC_RARE(M_any(M_andn(m, r->tested)))) r->tested = m, r->others = dc_not_in_row_##bits(x, stride, m);           \
    return ((M_word(m) ^ 1) & (M_word(r->others) | 1)) == 0;                                                           \
  }
DC_LOOP_ROW(32, u32)
DC_LOOP_ROW(64, u64)
/* The same of consecutive indices, which must not wrap around. */
DC_FN int dc_indices_are_row(dc_loop_row *r, V32 x, int sign, M m) {
  return dc_keeps_row_32(r, x, 1, m) && x.p0[0] + (sign ? 0x80000000u : 0) < 0u - DC_W;
}

/* --- rows with a constant stride ---------------------------------------------------------------------------------- */

/* Elements at a constant distance; x: their indices, which fit in 32 bits.  16 words take a gather of Zen 4 6 to 8 ns,
** as loads 3, a scatter 8, as stores 5: there, and with AVX2, those of whole vectors are loaded and stored one by
** one. */
#define DC_INDICES(stride, size) V32_affine(0, (u32)((stride) / (s64)(size)))
#if (defined DC_AMD && DC_NW == 16) || DC_NW == 8
#if DC_NW == 16
#define DC_HALF_OF(do, y, l) do(y, l) do(y, l + 1) do(y, l + 2) do(y, l + 3) do(y, l + 4) do(y, l + 5) do(y, l + 6)    \
                             do(y, l + 7)
#else
#define DC_HALF_OF(do, y, l) do(y, l) do(y, l + 1) do(y, l + 2) do(y, l + 3)
#endif
#define DC_IS_WHOLE(m, i) (((m) >> DC_NW * (i) & ((1u << DC_NW) - 1)) == (1u << DC_NW) - 1)
#if DC_NW == 8 /* no scatters */
DC_FN void n_put_lanes_32(u64 a, dc_u x, dc_u y, u32 m) {
  s32 at[DC_NW];
  u32 t[DC_NW];
  n_spill(at, x), n_spill(t, y);
  DC_EACH_LANE(l, m) dc_st_u32(a + 4ll * at[l], t[l]);
}
DC_FN void n_put_lanes_64(u64 a, dc_u x, dc_ul low, dc_ul high, u32 m) {
  s32 at[DC_NW];
  u64 t[DC_NW];
  n_spill(at, x), n_spill(t, (dc_u)low), n_spill(t + DC_NW / 2, (dc_u)high);
  DC_EACH_LANE(l, m) dc_st_u64(a + 8ll * at[l], t[l]);
}
#define DC_PUT_SOME_STRIDE_(i, unused) n_put_lanes_32(a, x.p##i, y.p##i, m >> 8 * i & 0xff);
#define DC_PUT_SOME_STRIDE64_(i, unused) n_put_lanes_64(a, x.p##i, y.l##i, y.h##i, m >> 8 * i & 0xff);
#else
#define DC_PUT_SOME_STRIDE_(i, unused) n_put_elements(a, x.p##i, 4, y.p##i, DC_PART(m, i), i);
#define DC_PUT_SOME_STRIDE64_ DC_PUT_ELEMENT64_
#endif
#define DC_LD_(T, l) dc_ld_##T(a + (u64)(stride * (l))),
#define DC_ST4_(y, l) dc_st_u32(a + (u64)(stride * (l)), y[(l) % DC_NW]);
#define DC_ST8_(y, l) dc_st_u64(a + (u64)(stride * (l)), y[(l) % (DC_NW / 2)]);
#define DC_STRIDE_(i, unused)                                                                                          \
  if (DC_IS_WHOLE(m, i))                                                                                               \
    r.p##i = (dc_u){ DC_HALF_OF(DC_LD_, u32, DC_NW * i) DC_HALF_OF(DC_LD_, u32, DC_NW * i + DC_NW / 2) };              \
  else r.p##i = n_elements(a, x.p##i, 4, DC_PART(m, i), i);
#define DC_STRIDE64_(i, unused)                                                                                        \
  if (DC_IS_WHOLE(m, i)) {                                                                                             \
    r.l##i = (dc_ul){ DC_HALF_OF(DC_LD_, u64, DC_NW * i) };                                                            \
    r.h##i = (dc_ul){ DC_HALF_OF(DC_LD_, u64, DC_NW * i + DC_NW / 2) };                                                \
  } else {                                                                                                             \
    DC_ELEMENT64_(i, unused)                                                                                           \
  }
#define DC_PUT_STRIDE_(i, unused)                                                                                      \
  if (DC_IS_WHOLE(m, i)) {                                                                                             \
    DC_HALF_OF(DC_ST4_, y.p##i, DC_NW * i) DC_HALF_OF(DC_ST4_, y.p##i, DC_NW * i + DC_NW / 2)                          \
  } else {                                                                                                             \
    DC_PUT_SOME_STRIDE_(i, unused)                                                                                     \
  }
#define DC_PUT_STRIDE64_(i, unused)                                                                                    \
  if (DC_IS_WHOLE(m, i)) {                                                                                             \
    DC_HALF_OF(DC_ST8_, y.l##i, DC_NW * i) DC_HALF_OF(DC_ST8_, y.h##i, DC_NW * i + DC_NW / 2)                          \
  } else {                                                                                                             \
    DC_PUT_SOME_STRIDE64_(i, unused)                                                                                   \
  }
#define DC_SHORT_STRIDES(T, V, size, get, put)                                                                         \
  DC_FN V dc_short_stride_##T(u64 a, s64 stride, M m) {                                                                \
    const V32 x = DC_INDICES(stride, size);                                                                            \
    V r;                                                                                                               \
    DC_PARTS(get, )                                                                                                    \
    return r;                                                                                                          \
  }                                                                                                                    \
  DC_FN void dc_put_short_stride_##T(u64 a, s64 stride, V y, M m) {                                                    \
    const V32 x = DC_INDICES(stride, size);                                                                            \
    DC_PARTS(put, )                                                                                                    \
  }
DC_SHORT_STRIDES(u32, V32, 4, DC_STRIDE_, DC_PUT_STRIDE_)
DC_SHORT_STRIDES(u64, V64, 8, DC_STRIDE64_, DC_PUT_STRIDE64_)
#else
DC_FN V32 dc_short_stride_u32(u64 a, s64 stride, M m) {
  if (stride > 0 && stride <= 8) return dc_any_elements_u32(a, DC_INDICES(stride, 4), 4, 1, NULL, m);
  return dc_scattered_u32(a, DC_INDICES(stride, 4), 4, 1, m);
}
DC_FN V64 dc_short_stride_u64(u64 a, s64 stride, M m) {
  if (stride > 0 && stride <= 16) return dc_any_elements_u64(a, DC_INDICES(stride, 8), 8, 1, NULL, m);
  return dc_scattered_u64(a, DC_INDICES(stride, 8), 8, 1, m);
}
DC_FN void dc_put_short_stride_u32(u64 a, s64 stride, V32 y, M m) {
  dc_put_any_elements_u32(a, DC_INDICES(stride, 4), 4, 1, y, m);
}
DC_FN void dc_put_short_stride_u64(u64 a, s64 stride, V64 y, M m) {
  dc_put_any_elements_u64(a, DC_INDICES(stride, 8), 8, 1, y, m);
}
#endif
/* Of the size of an element, and not so far apart that an index might overflow. */
#define DC_IS_SHORT(stride, size) ((stride) % (s64)(size) == 0 && (stride) < 1 << 24 && (stride) > -(1 << 24))
/* Four lanes or fewer, the first ones, as near the root of a tree in shared memory, are quicker one by one. */
#if DC_NW >= 8
#define DC_LANE_(T, l) dc_ld_##T(m >> l & 1 ? a + (u64)stride * l : a)
#if DC_NW == 8
DC_FN V32 dc_few_u32(u64 a, s64 stride, M m) {
  V32 r = V32_splat(0);
  r.p0 = (dc_u){ DC_LANE_(u32, 0), DC_LANE_(u32, 1), DC_LANE_(u32, 2), DC_LANE_(u32, 3) } & (dc_u)n_from(m);
  return r;
}
DC_FN V64 dc_few_u64(u64 a, s64 stride, M m) {
  V64 r = V64_splat(0);
  r.l0 = (dc_ul){ DC_LANE_(u64, 0), DC_LANE_(u64, 1), DC_LANE_(u64, 2), DC_LANE_(u64, 3) } &
         n_lo_s64((dc_u)n_from(m));
  return r;
}
#else
DC_FN V32 dc_few_u32(u64 a, s64 stride, M m) {
  const __m128i x = _mm_setr_epi32((int)DC_LANE_(u32, 0), (int)DC_LANE_(u32, 1), (int)DC_LANE_(u32, 2),
                                   (int)DC_LANE_(u32, 3));
  V32 r = V32_splat(0);
  r.p0 = (dc_u)_mm512_zextsi128_si512(_mm_maskz_mov_epi32((__mmask8)m, x));
  return r;
}
DC_FN V64 dc_few_u64(u64 a, s64 stride, M m) {
  const __m256i x = _mm256_setr_epi64x((s64)DC_LANE_(u64, 0), (s64)DC_LANE_(u64, 1), (s64)DC_LANE_(u64, 2),
                                       (s64)DC_LANE_(u64, 3));
  V64 r = V64_splat(0);
  r.l0 = (dc_ul)_mm512_zextsi256_si512(_mm256_maskz_mov_epi64((__mmask8)m, x));
  return r;
}
#endif
#define DC_PUT_LANE_(T, l) if (m >> l & 1) dc_st_##T(a + (u64)stride * l, DC_LANES_##T[l]);
#define DC_LANES_u32 x.p0
#define DC_LANES_u64 x.l0
#define DC_FEW(T) if (m < 16 && (m & 1)) return dc_few_##T(a, stride, m);
#define DC_PUT_FEW(T)                                                                                                  \
  if (m < 16) {                                                                                                        \
    DC_PUT_LANE_(T, 0) DC_PUT_LANE_(T, 1) DC_PUT_LANE_(T, 2) DC_PUT_LANE_(T, 3)                                        \
    return;                                                                                                            \
  }
#else
#define DC_FEW(T)
#define DC_PUT_FEW(T)
#endif
/* Of 8 and 16 bits: no instruction stores these by indices. */
#define DC_SHORT_STRIDE_OF_BYTES(T, V, R, size)                                                                        \
  DC_FN V32 dc_short_stride_##T(u64 a, s64 stride, M m) {                                                              \
    return dc_any_elements_##T(a, DC_INDICES(stride, size), size, 1, NULL, m);                                         \
  }                                                                                                                    \
  DC_FN void dc_put_short_stride_##T(u64 a, s64 stride, V32 y, M m) {                                                  \
    dc_put_each_element_##T(a, DC_INDICES(stride, size), size, 1, y, m);                                               \
  }
DC_NARROW_TYPES(DC_SHORT_STRIDE_OF_BYTES)
#define DC_STRIDE(T, V, size, few, put_few, gather, scatter)                                                           \
  DC_FN V dc_stride_##T(u64 a, s64 stride, M m) {                                                                      \
    few                                                                                                                \
    if (DC_IS_SHORT(stride, size)) return dc_short_stride_##T(a, stride, m);                                           \
    return gather(V64_affine(a, (u64)stride), 0, m);                                                                   \
  }                                                                                                                    \
  DC_FN void dc_put_stride_##T(u64 a, s64 stride, V x, M m) {                                                          \
    put_few                                                                                                            \
    if (DC_IS_SHORT(stride, size)) dc_put_short_stride_##T(a, stride, x, m);                                           \
    else scatter(V64_affine(a, (u64)stride), 0, x, m);                                                                 \
  }                                                                                                                    \
  DC_CALL V dc_far_stride_##T(u64 a, s64 stride, M m) { return dc_stride_##T(a, stride, m); }                          \
  DC_CALL void dc_far_put_stride_##T(u64 a, s64 stride, V x, M m) { dc_put_stride_##T(a, stride, x, m); }
DC_STRIDE(u8, V32, 1, , , dc_each_gather_u8, dc_each_scatter_u8)
DC_STRIDE(s8, V32, 1, , , dc_each_gather_s8, dc_each_scatter_s8)
DC_STRIDE(u16, V32, 2, , , dc_each_gather_u16, dc_each_scatter_u16)
DC_STRIDE(s16, V32, 2, , , dc_each_gather_s16, dc_each_scatter_s16)
DC_STRIDE(u32, V32, 4, DC_FEW(u32), DC_PUT_FEW(u32), dc_any_gather_u32, dc_any_scatter_u32)
DC_STRIDE(u64, V64, 8, DC_FEW(u64), DC_PUT_FEW(u64), dc_any_gather_u64, dc_any_scatter_u64)

/* Every other word of a row: the halves of pairs.  What lies behind the last lane is not read. */
#if DC_P > 1
DC_FN dc_ul n_load_pairs(u64 a) {
  dc_ul x;
  memcpy(&x, DC_AT(const void, a), sizeof x);
  return x;
}
#define DC_ALTERNATE_(i, unused)                                                                                       \
  r.p##i = i < DC_P - 1 ? n_narrow(n_load_pairs(a + 8 * DC_NW * i), n_load_pairs(a + 8 * DC_NW * i + 4 * DC_NW))       \
                        : n_narrow_high(n_load_pairs(a + 8 * DC_NW * i - 4),                                           \
                                        n_load_pairs(a + 8 * DC_NW * i + 4 * DC_NW - 4));
DC_BY_PARTS(V32, dc_alternate_u32, (u64 a), DC_ALTERNATE_, )
#endif
DC_FN V32 dc_every_other_u32(u64 a, M m) {
#if DC_P > 1
  if (DC_USUAL(m == DC_EVERY)) return dc_alternate_u32(a);
#endif
  return dc_far_stride_u32(a, 8, m);
}
#if DC_NW == 16
#define DC_PUT_PAIRS_(i, unused)                                                                                       \
  n_put_row_u32(a + 128u * i, (dc_u)n_lo_u64(x.p##i), (dc_m)_pdep_u32(m >> 16 * i, 0x5555));                           \
  n_put_row_u32(a + 128u * i + 64, (dc_u)n_hi_u64(x.p##i), (dc_m)_pdep_u32(m >> (16 * i + 8), 0x5555));
DC_FN void dc_put_every_other_u32(u64 a, V32 x, M m) { DC_PARTS(DC_PUT_PAIRS_, ) }
/* Every other half of words, the upper ones left out by a mask. */
#define DC_LOWER_HALVES(m) _pdep_u32(m, 0x55555555)
#define DC_SHORTS_(i, shift)                                                                                           \
  r.p##i = (dc_u)_mm512_maskz_loadu_epi16(DC_LOWER_HALVES(DC_PART(m, i)), DC_AT(const void, a + 64u * i));             \
  r.p##i = (dc_u)((dc_s)(r.p##i << shift) >> shift);
DC_BY_PARTS(V32, dc_every_other_u16, (u64 a, M m), DC_SHORTS_, 0)
DC_BY_PARTS(V32, dc_every_other_s16, (u64 a, M m), DC_SHORTS_, 16)
#define DC_PUT_SHORTS_(i, unused)                                                                                      \
  _mm512_mask_storeu_epi16(DC_AT(void, a + 64u * i), DC_LOWER_HALVES(DC_PART(m, i)), (__m512i)x.p##i);
DC_FN void dc_put_every_other_u16(u64 a, V32 x, M m) { DC_PARTS(DC_PUT_SHORTS_, ) }
#else
DC_FN void dc_put_every_other_u32(u64 a, V32 x, M m) { dc_far_put_stride_u32(a, 8, x, m); }
/* Out of the aligned words that they are in, which reach into no other page. */
DC_FN V32 dc_every_other_u16(u64 a, M m) {
  return v_and_32(v_shr_u32(dc_row_u32(a & ~(u64)3, m), V32_splat(8 * (a & 2))), V32_splat(0xffff));
}
DC_FN V32 dc_every_other_s16(u64 a, M m) {
  return v_shr_s32(v_shl_32(dc_row_u32(a & ~(u64)3, m), V32_splat(8 * (2 - (a & 2)))), V32_splat(16));
}
DC_FN void dc_put_every_other_u16(u64 a, V32 x, M m) { dc_far_put_stride_u16(a, 4, x, m); }
#endif
#define dc_put_every_other_s16 dc_put_every_other_u16
/* In shared memory: as parts of whole words and pairs (see dc_is_within_page). */
#if DC_NW == 16
#define dc_put_shared_every_other_u16 dc_put_every_other_u16
#define dc_put_shared_every_other_u32 dc_put_every_other_u32
#else
DC_FN void dc_put_shared_every_other_u16(u64 a, V32 x, M m) {
  const u64 words = a & ~(u64)3;
  const u32 above = 8 * (u32)(a & 2);
  if (!dc_is_within_page(words, 4 * DC_W, m)) return dc_far_put_stride_u16(a, 4, x, m);
  const V32 others = v_and_32(dc_whole_u32(words), V32_splat(0xffff0000u >> above));
  const V32 mine = v_shl_32(v_and_32(x, V32_splat(0xffff)), V32_splat(above));
  dc_put_shared_row_u32(words, v_or_32(others, mine), m);
}
DC_FN void dc_put_shared_every_other_u32(u64 a, V32 x, M m) {
  if (!dc_is_within_page(a, 8 * DC_W, m)) return dc_far_put_stride_u32(a, 8, x, m);
  const V64 others = v_and_64(dc_whole_u64(a), V64_splat(~(u64)0xffffffff));
  dc_put_shared_row_u64(a, v_or_64(others, v_cvt_i64_u32_w(x)), m);
}
#endif
#define dc_put_shared_every_other_s16 dc_put_shared_every_other_u16

/* --- elements whose indices may be consecutive ------------------------------------------------------------------- */

/* Whether the mask's lanes are the first ones, as in a row's rest. */
DC_FN int dc_are_first(M m) { return (M_word(m) & (M_word(m) + 1)) == 0; }
/* Whether the indices of the mask's lanes are consecutive, as from `first` in lane 0 on, and do not wrap around. */
DC_FN int dc_is_line(V32 x, u32 first, int sign, M m) {
  const u32 odd = P_word(v_setp_ne_u32(x, V32_affine(first, 1))) & M_word(m);
  return odd == 0 && (sign ? dc_no_wrap_s32(first, 1) : dc_no_wrap_u32(first, 1));
}
/* The same from the index on that w expects, or that of the first lane; *first: the address of lane 0's. Not where
** lanes have lately been near each other: a last lane alone is always in line, which branches could not foresee. */
DC_FN int dc_in_line(u64 a, V32 x, u64 stride, int sign, dc_last_access *w, M m, u64 *first) {
  u32 start = 0;
  int is = 0;
  if (w && w->near) return 0;
  if (w) {
    start = (u32)((s64)(w->at + w->step - a) / (s64)stride);
    is = dc_is_line(x, start, sign, m);
  }
  if (!is) {
    start = w && DC_NW == 16 ? dc_some_index(x, m) - dc_first_lane(M_word(m)) : x.p0[0];
    is = dc_is_line(x, start, sign, m);
  }
  *first = dc_element(a, start, stride, sign);
  if (w && is) dc_next_step(w, *first);
  else if (w) w->expected = 0;
  return is;
}
/* Whether the mask's lanes, which are not the first ones, have consecutive indices nevertheless, from *first on: what
** is kept of a list is packed so.  dc_put_packed_T stores these lanes' values side by side.  This is asked before
** whether the lanes are in line, which is true of some lists of few lanes, so that branches do not foresee it (run
** lengths: 0.89 of the time).  Not in shared memory, from which lanes soon read: processors do not forward a masked
** store to later loads, which wait for it (Cholesky factors in shared memory took twice as long). */
#if DC_NW == 16
#define DC_LOWEST(m) (dc_m)((1u << __builtin_popcount(m)) - 1)
#define DC_PACKED_(i, unused)                                                                                          \
  odd |= _mm512_mask_cmpneq_epi32_mask(DC_LOWEST(DC_PART(m, i)), (__m512i)DC_PACKED(x.p##i, DC_PART(m, i)),            \
                                       (__m512i)(next + n_iota()));                                                    \
  next += (u32)__builtin_popcount(DC_PART(m, i));
DC_FN int dc_is_packed(V32 x, int sign, M m, u32 *first) {
  u32 odd = 0, next = *first = dc_some_index(x, m);
  if (dc_are_first(m)) return 0;
  DC_PARTS(DC_PACKED_, )
  return odd == 0 && (sign ? dc_no_wrap_s32(*first, 1) : dc_no_wrap_u32(*first, 1));
}
#define DC_PUT_PACKED_(i, T, size)                                                                                     \
  n_put_row_##T(DC_PART(m, i) ? at : a, DC_PACKED(y.p##i, DC_PART(m, i)), DC_LOWEST(DC_PART(m, i)));                   \
  at += (size) * (u32)__builtin_popcount(DC_PART(m, i));
#define DC_PUT_PACKED64(y, m)                                                                                          \
  n_put_row_lo((m) ? at : a, (dc_ul)_mm512_maskz_compress_epi64((__mmask8)(m), (__m512i)(y)), DC_LOWEST(m));           \
  at += 8u * (u32)__builtin_popcount(m);
#define DC_PUT_PACKED64_(i, T, size)                                                                                   \
  DC_PUT_PACKED64(y.l##i, DC_PART(m, i) & 0xff) DC_PUT_PACKED64(y.h##i, DC_PART(m, i) >> 8)
#define DC_PUT_PACKED_LANES(T, V, part, size)                                                                          \
  DC_FN void dc_put_packed_##T(u64 a, V y, M m) {                                                                      \
    u64 at = a; /* of parts without lanes: a, as what lies behind the last lane may be inaccessible */                 \
    DC_PARTS(part, T, size)                                                                                            \
  }
DC_PUT_PACKED_LANES(u8, V32, DC_PUT_PACKED_, 1)
DC_PUT_PACKED_LANES(u16, V32, DC_PUT_PACKED_, 2)
DC_PUT_PACKED_LANES(u32, V32, DC_PUT_PACKED_, 4)
DC_PUT_PACKED_LANES(u64, V64, DC_PUT_PACKED64_, 8)
#define dc_put_packed_s8 dc_put_packed_u8
#define dc_put_packed_s16 dc_put_packed_u16
#define DC_PUT_PACKED(T, size)                                                                                         \
  u32 packed;                                                                                                          \
  if (stride == (size) && dc_is_packed(x, sign, m, &packed))                                                           \
    return dc_put_packed_##T(dc_element(a, packed, stride, sign), y, m);
#else
#define DC_PUT_PACKED(T, size)
#endif

#define DC_ARRAY(T, V, size, gather, scatter, row, put_row)                                                            \
  DC_FN V dc_elements_##T(u64 a, V32 x, u64 stride, int sign, dc_last_access *w, M m) {                                \
    u64 first;                                                                                                         \
    if (!dc_in_line(a, x, stride, sign, w, m, &first) || dc_is_cut(first, stride, m))                                  \
      return gather(a, x, stride, sign, w, m);                                                                         \
    return stride == (size) ? dc_row_##T(first, w ? DC_EVERY : m) : row(first, m);                                     \
  }                                                                                                                    \
  DC_FN void n_put_array_##T(u64 a, V32 x, u64 stride, int sign, V y, M m, int is_list) {                              \
    u64 first;                                                                                                         \
    if (is_list) { DC_PUT_PACKED(T, size) }                                                                            \
    if (!dc_in_line(a, x, stride, sign, NULL, m, &first) || dc_is_cut(first, stride, m))                               \
      return scatter(a, x, stride, sign, y, m);                                                                        \
    if (stride == (size)) dc_put_row_##T(first, y, m);                                                                 \
    else put_row(first, y, m);                                                                                         \
  }                                                                                                                    \
  DC_FN void dc_put_elements_##T(u64 a, V32 x, u64 stride, int sign, V y, M m) {                                       \
    n_put_array_##T(a, x, stride, sign, y, m, 0);                                                                      \
  }                                                                                                                    \
  DC_FN void dc_put_list_##T(u64 a, V32 x, u64 stride, int sign, V y, M m) {                                           \
    n_put_array_##T(a, x, stride, sign, y, m, 1);                                                                      \
  }                                                                                                                    \
  DC_CALL V dc_far_elements_##T(u64 a, V32 x, u64 stride, int sign, dc_last_access *w, M m) {                          \
    return dc_elements_##T(a, x, stride, sign, w, m);                                                                  \
  }                                                                                                                    \
  DC_CALL void dc_far_put_elements_##T(u64 a, V32 x, u64 stride, int sign, V y, M m) {                                 \
    dc_put_elements_##T(a, x, stride, sign, y, m);                                                                     \
  }                                                                                                                    \
  DC_CALL void dc_far_put_list_##T(u64 a, V32 x, u64 stride, int sign, V y, M m) {                                     \
    dc_put_list_##T(a, x, stride, sign, y, m);                                                                         \
  }
DC_ARRAY(u8, V32, 1, dc_any_elements_u8, dc_put_each_element_u8, dc_row_u8, dc_put_row_u8)
DC_ARRAY(s8, V32, 1, dc_any_elements_s8, dc_put_each_element_s8, dc_row_s8, dc_put_row_s8)
DC_ARRAY(u16, V32, 2, dc_any_elements_u16, dc_put_each_element_u16, dc_row_u16, dc_put_row_u16)
DC_ARRAY(s16, V32, 2, dc_any_elements_s16, dc_put_each_element_s16, dc_row_s16, dc_put_row_s16)
DC_ARRAY(u32, V32, 4, dc_any_elements_u32, dc_put_any_elements_u32, dc_every_other_u32, dc_put_every_other_u32)
DC_ARRAY(u64, V64, 8, dc_any_elements_u64, dc_put_any_elements_u64, dc_row_u64, dc_put_row_u64)
