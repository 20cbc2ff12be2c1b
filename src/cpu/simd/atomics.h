/*
** atomics.h - atomic operations of natively compiled kernels.
*/
#pragma once

#include "memory.h"

DC_FN u32 dc_old_32(const u32 *p, int alone) { return alone ? *p : __atomic_load_n(p, __ATOMIC_SEQ_CST); }
DC_FN u64 dc_old_64(const u64 *p, int alone) { return alone ? *p : __atomic_load_n(p, __ATOMIC_SEQ_CST); }
/* Whether `now` takes the place of *old; if not, *old is what is there. */
#define DC_RENEW(bits)                                                                                                 \
  DC_FN int dc_renew_##bits(u##bits *p, u##bits *old, u##bits now, int alone) {                                        \
    if (!alone) return __atomic_compare_exchange_n(p, old, now, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
    *p = now;                                                                                                          \
    return 1;                                                                                                          \
  }
DC_RENEW(32)
DC_RENEW(64)

/* Operations of the machine, which never have to be tried again where other threads access the word, too. */
#define DC_LOCKED(bits)                                                                                                \
  DC_FN u##bits dc_locked_exch_##bits(u##bits *p, u##bits y) { return __atomic_exchange_n(p, y, __ATOMIC_SEQ_CST); }   \
  DC_FN u##bits dc_locked_add_##bits(u##bits *p, u##bits y) { return __atomic_fetch_add(p, y, __ATOMIC_SEQ_CST); }     \
  DC_FN u##bits dc_locked_and_##bits(u##bits *p, u##bits y) { return __atomic_fetch_and(p, y, __ATOMIC_SEQ_CST); }     \
  DC_FN u##bits dc_locked_or_##bits(u##bits *p, u##bits y) { return __atomic_fetch_or(p, y, __ATOMIC_SEQ_CST); }       \
  DC_FN u##bits dc_locked_xor_##bits(u##bits *p, u##bits y) { return __atomic_fetch_xor(p, y, __ATOMIC_SEQ_CST); }
DC_LOCKED(32)
DC_LOCKED(64)
/* Others, at p_: the old value. */
#define DC_LOCKED_BY_CAS(bits, value)                                                                                  \
  ({                                                                                                                   \
    u##bits x_ = dc_old_##bits(p_, 0);                                                                                 \
    while (!dc_renew_##bits(p_, &x_, value, 0)) {}                                                                     \
    x_;                                                                                                                \
  })

/* For compare-and-swap: past a comparison that the processor has mispredicted it does not load the next lanes' words
** (insertions into a hash table: 51, before 57 ms). */
#define DC_ATOM_PREFETCH(m, address) DC_LANES_DO(m, __builtin_prefetch(DC_AT(const void, address), 1))
/* Lanes go in ascending order; `value` makes the new value of x_ (old), y_, z_, which `y` and `z` give for lane l, at
** `address`; `locked` puts it there at once, and gives the old one.  `alone`: no other thread sees this memory, so that
** plain accesses do.  Where all lanes address one word (`same`) it is exchanged once.  Without `result` nothing is
** returned.  (Emitted code has variables named s32.) */
#define DC_ATOM(bits, same, address, m, alone, result, y, z, value, locked)                                            \
  ({                                                                                                                   \
    u##bits t_[DC_W];                                                                                                  \
    if (result && m != DC_EVERY) DC_ATOM_CLEAR_##bits(t_);                                                             \
    if (!M_any(m)) {                                                                                                   \
    } else if (same) {                                                                                                 \
      const u32 first_ = (u32)__builtin_ctz(M_word(m));                                                                \
      u##bits *const p_ = ({ const u32 l = first_; (void)l; DC_AT(u##bits, address); });                               \
      u##bits old_ = dc_old_##bits(p_, alone), x_;                                                                     \
      do {                                                                                                             \
        x_ = old_;                                                                                                     \
        DC_LANES_DO(m, ({                                                                                              \
          const u##bits y_ = y, z_ = z;                                                                                \
          (void)y_, (void)z_;                                                                                          \
          if (result) t_[l] = x_;                                                                                      \
          x_ = value;                                                                                                  \
        }));                                                                                                           \
      } while (!dc_renew_##bits(p_, &old_, x_, alone));                                                                \
    } else if (alone) {                                                                                                \
      DC_LANES_DO(m, ({                                                                                                \
        u##bits *const p_ = DC_AT(u##bits, address);                                                                   \
        const u##bits x_ = *p_, y_ = y, z_ = z;                                                                        \
        (void)y_, (void)z_;                                                                                            \
        *p_ = value;                                                                                                   \
        if (result) t_[l] = x_;                                                                                        \
      }));                                                                                                             \
    } else {                                                                                                           \
      DC_EACH_LANE(l, m) {                                                                                             \
        u##bits *const p_ = DC_AT(u##bits, address);                                                                   \
        const u##bits y_ = y, z_ = z;                                                                                  \
        (void)y_, (void)z_;                                                                                            \
        const u##bits x_ = locked;                                                                                     \
        if (result) t_[l] = x_;                                                                                        \
      }                                                                                                                \
    }                                                                                                                  \
    result ? DC_ATOM_LOAD_##bits(t_) : DC_ATOM_NONE_##bits;                                                            \
  })
#define DC_ATOM_CLEAR_32(t) V32_store(t, V32_splat(0))
#define DC_ATOM_CLEAR_64(t) V64_store(t, V64_splat(0))
#define DC_ATOM_LOAD_32(t) V32_load(t)
#define DC_ATOM_LOAD_64(t) V64_load(t)
#define DC_ATOM_NONE_32 V32_splat(0)
#define DC_ATOM_NONE_64 V64_splat(0)
/* Whether the lanes of m, of which there are some, are equal; t: x in memory. */
DC_FN int dc_same_32(V32 x, const u32 *t, M m) {
  return (P_word(v_setp_ne_u32(x, V32_splat(t[__builtin_ctz(M_word(m))]))) & M_word(m)) == 0;
}
DC_FN int dc_same_64(V64 x, const u64 *t, M m) {
  return (P_word(v_setp_ne_u64(x, V64_splat(t[__builtin_ctz(M_word(m))]))) & M_word(m)) == 0;
}
/* The lanes of a row that no other thread sees: `value` makes their new values of x_. */
#define DC_ATOM_ROW(bits, a, m, value)                                                                                 \
  ({                                                                                                                   \
    const V##bits x_ = DC_ATOM_ROW_##bits(a, m);                                                                       \
    DC_ATOM_PUT_ROW_##bits(a, value, m);                                                                               \
    x_;                                                                                                                \
  })
#define DC_ATOM_ROW_32(a, m) dc_row_u32(a, m)
#define DC_ATOM_ROW_64(a, m) dc_row_u64(a, m)
#define DC_ATOM_PUT_ROW_32(a, x, m) dc_put_row_u32(a, x, m)
#define DC_ATOM_PUT_ROW_64(a, x, m) dc_put_row_u64(a, x, m)
/* The same of a row of words that other threads see, too, by exchanges of two at a time: half of the locks.  *rest:
** lanes that are left, since a word has changed since it was loaded. */
DC_FN int dc_renew_pair(u64 a, const u32 *old, const u32 *now) {
  u64 from, to;
  memcpy(&from, old, sizeof from), memcpy(&to, now, sizeof to);
  return dc_renew_64(DC_AT(u64, a), &from, to, 0);
}
DC_FN M dc_renew_pairs(u64 a, const u32 *old, const u32 *now, M m) {
  const u32 odd = a % 8 != 0, pairs = M_word(m) >> odd & M_word(m) >> (odd + 1) & 0x55555555;
  u32 rest = M_word(m) & ~(pairs * 3 << odd);
  DC_EACH_LANE(l, rest) {
    u32 word = old[l];
    if (dc_renew_32(DC_AT(u32, a + 4 * l), &word, now[l], 0)) rest ^= 1u << l;
  }
  if (pairs == (DC_EVERY & 0x55555555)) {
    for (u32 l = 0; l < DC_W; l += 2)
      if (DC_RARE(!dc_renew_pair(a + 4 * l, &old[l], &now[l]))) rest |= 3u << l;
  } else {
    DC_EACH_LANE(l, pairs << odd) if (!dc_renew_pair(a + 4 * l, &old[l], &now[l])) rest |= 3u << l;
  }
  return M_from(rest);
}
#define DC_ATOM_PAIRS(a, m, value, rest)                                                                               \
  ({                                                                                                                   \
    const V32 x_ = dc_row_u32(a, m), now_ = value;                                                                     \
    u32 old_[DC_W], new_[DC_W];                                                                                        \
    V32_spill(old_, x_), V32_spill(new_, now_);                                                                        \
    *rest = dc_renew_pairs(a, old_, new_, m);                                                                          \
    x_;                                                                                                                \
  })
