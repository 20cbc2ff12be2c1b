/*
** warp.h - operations between the lanes of a warp, a gang of 32: votes, matches, reductions and shuffles (PTX ISA
** 9.7.9, 9.7.13); arrivals at an mbarrier.
*/
#pragma once

#include "mbarrier.h"
#include "packs.h"

/* --- votes: p's lanes among those of m that `member` names -------------------------------------------------------- */

DC_FN u32 dc_vote_ballot(M p, M m, u32 member) { return p & M_word(m) & member; }
DC_FN u32 dc_vote_any(M p, M m, u32 member) { return (p & M_word(m) & member) != 0; }
DC_FN u32 dc_vote_all(M p, M m, u32 member) { return (~p & M_word(m) & member) == 0; }
DC_FN u32 dc_vote_uni(M p, M m, u32 member) { return dc_vote_all(p, m, member) || !dc_vote_any(p, m, member); }
/* The same where lanes name different members, in each lane. */
DC_FN V32 dc_groups_ballot(M p, M m, V32 member) { return v_and_32(member, V32_splat(p & M_word(m))); }
DC_FN P dc_groups_any(M p, M m, V32 member) { return v_setp_ne_u32(dc_groups_ballot(p, m, member), V32_splat(0)); }
DC_FN P dc_groups_all(M p, M m, V32 member) { return P_not(dc_groups_any(~p, m, member)); }
DC_FN P dc_groups_uni(M p, M m, V32 member) {
  return P_or(dc_groups_all(p, m, member), P_not(dc_groups_any(p, m, member)));
}

/* Lanes of m that are missing in their own member masks. */
DC_FN u32 dc_outsiders(V32 member, M m) {
  const V32 own = v_shl_32(V32_splat(1), V32_affine(0, 1));
  return P_word(v_setp_eq_u32(v_and_32(member, own), V32_splat(0))) & M_word(m);
}

/* The lanes that are in the member mask of some lane of m; in most lanes the masks are the same. */
DC_FN u32 dc_members(V32 member, M m) {
  const V32 x = V32_select(m, member, V32_splat(0));
  dc_u all = x.p0;
#define DC_ANY_(i, unused) all |= x.p##i;
  DC_PARTS(DC_ANY_, )
  u32 t[DC_NW], r = 0;
  memcpy(t, &all, sizeof t);
  for (u32 i = 0; i < DC_NW; i++) r |= t[i];
  return r;
}

/* --- values among the lanes of `here` that each lane names by `member` ------------------------------------------- */

/* dc_match_any: those with the lane's own value.  dc_match_all: all of them if *all, that they have that value; else
** none. */
#define DC_MATCHES(bits, T)                                                                                            \
  DC_FN V32 dc_match_any_##bits(V##bits x, M here, V32 member) {                                                       \
    T value[DC_W];                                                                                                     \
    u32 same[DC_W];                                                                                                    \
    V##bits##_store(value, x);                                                                                         \
    for (u32 l = 0; l < DC_W; l++) same[l] = P_word(v_setp_eq_u##bits(x, V##bits##_splat(value[l])));                  \
    return v_and_32(V32_load(same), dc_groups_ballot(DC_EVERY, here, member));                                         \
  }                                                                                                                    \
  DC_FN V32 dc_match_all_##bits(V##bits x, M here, V32 member, P *all) {                                               \
    const V32 same = dc_match_any_##bits(x, here, member);                                                             \
    *all = v_setp_eq_u32(same, dc_groups_ballot(DC_EVERY, here, member));                                              \
    return V32_choose(*all, same, V32_splat(0));                                                                       \
  }
DC_MATCHES(32, u32)
DC_MATCHES(64, u64)

/* --- shuffles ----------------------------------------------------------------------------------------------------- */

/* Lane from[l] of x, in each lane l. */
DC_FN V32 dc_permute(V32 x, V32 from) {
#if DC_NW == 16 && DC_W == 32
  V32 r;
#define DC_PERMUTE_(i, unused)                                                                                         \
  r.p##i = (dc_u)_mm512_permutex2var_epi32((__m512i)x.p0, (__m512i)from.p##i, (__m512i)x.p1);
  DC_PARTS(DC_PERMUTE_, )
  return r;
#elif DC_NW == 8 && defined DC_AMD /* whose gathers take longer */
  V32 r;
#define DC_LANES_OF_(part, from) (dc_f) _mm256_permutevar8x32_epi32((__m256i)x.part, (__m256i)(from))
#define DC_BY_BIT_(bit, from, zero, one)                                                                               \
  (dc_f) _mm256_blendv_ps((__m256)(zero), (__m256)(one), (__m256)((from) << (31 - bit)))
#if DC_W == 32
#define DC_PERMUTE_(i, unused)                                                                                         \
  r.p##i = (dc_u)DC_BY_BIT_(4, from.p##i,                                                                              \
                            DC_BY_BIT_(3, from.p##i, DC_LANES_OF_(p0, from.p##i), DC_LANES_OF_(p1, from.p##i)),        \
                            DC_BY_BIT_(3, from.p##i, DC_LANES_OF_(p2, from.p##i), DC_LANES_OF_(p3, from.p##i)));
#else
#define DC_PERMUTE_(i, unused)                                                                                         \
  r.p##i = (dc_u)DC_BY_BIT_(3, from.p##i, DC_LANES_OF_(p0, from.p##i), DC_LANES_OF_(p1, from.p##i));
#endif
  DC_PARTS(DC_PERMUTE_, )
  return r;
#else
  u32 t[DC_W];
  V32_store(t, x);
  return dc_any_elements_u32((u64)(uintptr_t)t, from, 4, 1, NULL, DC_EVERY);
#endif
}

/* x of the lane that each one names by n, or its own where `in` is false: that lane is outside its segment.  0 where it
** is not among those of `here`, or not in the lane's member mask, as on a GPU.  c: clamp value in bits 0-4, segment
** mask in bits 8-12.  dc_shuffle_…: all lanes have one member mask, which `here` is within.  `spare` is negative where
** the source is outside; it is arithmetic, not comparisons, that the compiler does on constants. */
#define DC_INSIDE_(i, unused) r.p##i ^= (r.p##i ^ lane.p##i) & (dc_u)((dc_s)spare.p##i >> 31);
#define DC_SHUFFLES(name, source, least_spare)                                                                         \
  DC_FN V32 dc_source_##name(V32 n, V32 c, P *in) {                                                                    \
    const V32 lane = V32_affine(0, 1), by = v_and_32(n, V32_splat(31));                                                \
    const V32 segment = v_and_32(v_shr_u32(c, V32_splat(8)), V32_splat(31)), least = v_and_32(lane, segment);          \
    const V32 clamp = v_and_32(c, v_and_32(v_not_32(segment), V32_splat(31)));                                         \
    const V32 most = v_or_32(least, clamp), from = source, spare = least_spare;                                        \
    V32 r = from;                                                                                                      \
    *in = v_setp_ge_s32(spare, V32_splat(0));                                                                          \
    DC_PARTS(DC_INSIDE_, )                                                                                             \
    return r;                                                                                                          \
  }                                                                                                                    \
  DC_FN V32 dc_shuffle_##name(V32 x, V32 n, V32 c, M here, P *in) {                                                    \
    return dc_permute(V32_select(here, x, V32_splat(0)), dc_source_##name(n, c, in));                                  \
  }                                                                                                                    \
  DC_FN V32 dc_groups_##name(V32 x, V32 n, V32 c, M here, V32 member, P *in) {                                         \
    const V32 from = dc_source_##name(n, c, in), r = dc_permute(V32_select(here, x, V32_splat(0)), from);              \
    const V32 named = v_and_32(v_shr_u32(member, v_and_32(from, V32_splat(31))), V32_splat(1));                        \
    return V32_choose(v_setp_ne_u32(named, V32_splat(0)), r, V32_splat(0));                                            \
  }
DC_SHUFFLES(up, v_sub_32(lane, by), v_sub_32(from, most))
DC_SHUFFLES(down, v_add_32(lane, by), v_sub_32(most, from))
DC_SHUFFLES(bfly, v_xor_32(lane, by), v_sub_32(most, from))
DC_SHUFFLES(idx, v_or_32(least, v_and_32(by, v_not_32(segment))), v_sub_32(most, from))
/* Of lane l ^ n, for a constant n: within vectors one of the quicker permutations, below 4 the quickest. */
#define DC_XOR4_(n, l) (l) ^ (n), ((l) + 1) ^ (n), ((l) + 2) ^ (n), ((l) + 3) ^ (n)
#if DC_NW == 16
#define DC_XORS(n) DC_XOR4_(n, 0), DC_XOR4_(n, 4), DC_XOR4_(n, 8), DC_XOR4_(n, 12)
#elif DC_NW == 8
#define DC_XORS(n) DC_XOR4_(n, 0), DC_XOR4_(n, 4)
#else
#define DC_XORS(n) DC_XOR4_(n, 0)
#endif
#define DC_LIST_PART_(i, x) x.p##i,
#define DC_EXCHANGE_(i, n)                                                                                             \
  r_.p##i = part_[(i) ^ (n) / DC_NW];                                                                                  \
  if ((n) % DC_NW) r_.p##i = DC_MIX(r_.p##i, r_.p##i, DC_XORS((n) % DC_NW));
#define dc_exchange(x, n)                                                                                              \
  ({                                                                                                                   \
    const V32 x_ = x;                                                                                                  \
    const dc_u part_[] = {DC_PARTS(DC_LIST_PART_, x_)};                                                                \
    V32 r_;                                                                                                            \
    DC_PARTS(DC_EXCHANGE_, n)                                                                                          \
    r_;                                                                                                                \
  })
/* The same from one lane n to all, in whole warps. */
DC_FN u32 dc_broadcast(V32 x, u32 n, M here) {
  return M_word(here) >> (n & 31) & 1 ? V32_lane(x, n & 31) : 0;
}

/* --- reductions --------------------------------------------------------------------------------------------------- */

/* dc_reduce: of the lanes of `group`, halves at a time.  dc_groups_reduce: one group after another. */
#define DC_REDUCTION(name, op, neutral)                                                                                \
  DC_FN u32 dc_reduce_##name(V32 x, M group) {                                                                         \
    V32 r = V32_select(group, x, V32_splat(neutral));                                                                  \
    r = v_##op(r, dc_exchange(r, DC_W / 2));                                                                           \
    if (DC_W == 32) r = v_##op(r, dc_exchange(r, 8));                                                                  \
    r = v_##op(r, dc_exchange(r, 4));                                                                                  \
    r = v_##op(r, dc_exchange(r, 2));                                                                                  \
    return V32_lane(v_##op(r, dc_exchange(r, 1)), 0);                                                                  \
  }                                                                                                                    \
  DC_FN V32 dc_groups_reduce_##name(V32 x, M here, V32 member) {                                                       \
    u32 named[DC_W], left = M_word(here);                                                                              \
    V32 r = x;                                                                                                         \
    V32_store(named, member);                                                                                          \
    while (left) {                                                                                                     \
      const u32 first = (u32)__builtin_ctz(left);                                                                      \
      const M group = M_from((named[first] & M_word(here)) | 1u << first);                                             \
      r = V32_select(group, V32_splat(dc_reduce_##name(x, group)), r);                                                 \
      left &= ~M_word(group);                                                                                          \
    }                                                                                                                  \
    return r;                                                                                                          \
  }
DC_REDUCTION(add, add_32, 0)
DC_REDUCTION(and, and_32, ~0u)
DC_REDUCTION(or, or_32, 0)
DC_REDUCTION(xor, xor_32, 0)
DC_REDUCTION(min_u32, min_u32, ~0u)
DC_REDUCTION(max_u32, max_u32, 0)
DC_REDUCTION(min_s32, min_s32, 0x7fffffffu)
DC_REDUCTION(max_s32, max_s32, 0x80000000u)

/* --- mbarriers, at one address for all lanes ---------------------------------------------------------------------- */

/* Each lane of m, the first ones of a gang, arrives `each` times; *before: the lanes' tokens.  0: nothing was done,
** since lanes are missing between, or more arrive than are pending. */
DC_FN int dc_arrive(u64 a, u32 each, M m, V64 *before) {
  u64 *const word = DC_AT(u64, a);
  dc_mbarrier b = dc_mbarrier_of(*word);
  const u64 n = (u64)each * (u32)__builtin_popcount(M_word(m));
  if ((M_word(m) & (M_word(m) + 1)) != 0 || n > b.pending) return 0;
  *before = V64_affine(*word, -(u64)each);
  b.pending -= (u32)n;
  *word = dc_mbarrier_word(dc_mbarrier_after(b));
  return 1;
}
DC_FN P dc_phase_is_over(u64 a, V64 token) { /* the phase is the word's highest bits */
  return v_setp_ge_u64(v_xor_64(V64_splat(*DC_AT(const u64, a)), token), V64_splat((u64)1 << DC_PHASE_AT));
}
DC_FN P dc_parity_is_over(u64 a, V32 parity) {
  const u32 phase = (u32)(*DC_AT(const u64, a) >> DC_PHASE_AT);
  return v_setp_ne_u32(v_and_32(v_xor_32(V32_splat(phase), parity), V32_splat(1)), V32_splat(0));
}
