/*
** atomics.h - atomic operations of natively compiled kernels.
*/
#pragma once

#include "memory.h"

/* Words of 16 bits, in registers of 32, of 32 and of 64.  dc_renew: whether `now` takes the place of *old; if not, *old
** is what is there. */
#define DC_RENEW(bits)                                                                                                 \
  DC_FN u##bits dc_old_##bits(const u##bits *p, int alone) {                                                           \
    return alone ? *p : __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                          \
  }                                                                                                                    \
  DC_FN int dc_renew_##bits(u##bits *p, u##bits *old, u##bits now, int alone) {                                        \
    if (!alone) return __atomic_compare_exchange_n(p, old, now, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
    *p = now;                                                                                                          \
    return 1;                                                                                                          \
  }
DC_RENEW(16)
DC_RENEW(32)
DC_RENEW(64)

/* Prefetches the lanes' words for stores: what follows a comparison that the processor mispredicted does not begin
** before (insertions into a hash table with one thread: 51, before 57 ms). */
#define DC_ATOM_PREFETCH(m, address) DC_LANES_DO(m, __builtin_prefetch(DC_AT(const void, address), 1))
/* The lanes of m one by one, at words that other threads access, too: by one atomic instruction ... */
#define DC_ATOM_LOCKED(bits, address, m, result, y, operation)                                                         \
  DC_EACH_LANE(l, m) {                                                                                                 \
    const u##bits x_ = operation(DC_AT(u##bits, address), y, __ATOMIC_SEQ_CST);                                        \
    if (result) t_[l] = x_;                                                                                            \
  }
#define DC_ATOM_BY_ADD(bits, address, m, result, y, z, value, idle)                                                    \
  DC_ATOM_LOCKED(bits, address, m, result, y, __atomic_fetch_add)
#define DC_ATOM_BY_EXCH(bits, address, m, result, y, z, value, idle)                                                   \
  DC_ATOM_LOCKED(bits, address, m, result, y, __atomic_exchange_n)
/* ... or by exchanging the word that was loaded, until no other thread has changed it.  `idle`: that the new value is
** the old one makes the load take the operation's place, as of a comparison that fails. */
#define DC_ATOM_BY_CAS(bits, address, m, result, y, z, value, idle)                                                    \
  DC_EACH_LANE(l, m) {                                                                                                 \
    u##bits *const p_ = DC_AT(u##bits, address), x_ = __atomic_load_n(p_, __ATOMIC_RELAXED);                           \
    const u##bits y_ = y, z_ = z;                                                                                      \
    (void)y_, (void)z_;                                                                                                \
    while (!(idle && (value) == x_) && !dc_renew_##bits(p_, &x_, value, 0)) {}                                         \
    if (result) t_[l] = x_;                                                                                            \
  }
/* For one word, which all lanes address, and for shared memory, where no lanes are left for these. */
#define DC_ATOM_NO_LANES(bits, address, m, result, y, z, value, idle)
/* All lanes of m at the word p_: by one atomic instruction, whose operand all_ combines those of the lanes by `all`;
** `now`: the word's new value, from its old one, x_ ... */
#define DC_ATOM_ONE_LOCKED(bits, m, alone, result, y, value, all, now, operation)                                      \
  u##bits x_, all_ = 0;                                                                                                \
  DC_LANES_DO(m, all_ = all);                                                                                          \
  if (alone) x_ = *p_, *p_ = now;                                                                                      \
  else x_ = operation(p_, all_, __ATOMIC_SEQ_CST);                                                                     \
  if (result) {                                                                                                        \
    DC_LANES_DO(m, ({                                                                                                  \
      const u##bits y_ = y;                                                                                            \
      t_[l] = x_;                                                                                                      \
      x_ = value;                                                                                                      \
    }));                                                                                                               \
  }
#define DC_ATOM_ONE_BY_ADD(bits, m, alone, result, y, z, value, idle)                                                  \
  DC_ATOM_ONE_LOCKED(bits, m, alone, result, y, value, all_ + (y), x_ + all_, __atomic_fetch_add)
#define DC_ATOM_ONE_BY_EXCH(bits, m, alone, result, y, z, value, idle)                                                 \
  DC_ATOM_ONE_LOCKED(bits, m, alone, result, y, value, y, all_, __atomic_exchange_n)
/* ... or by exchanging it, until no other thread has changed it; not at all if it would stay what it is and `idle`. */
#define DC_ATOM_ONE_BY_CAS(bits, m, alone, result, y, z, value, idle)                                                  \
  u##bits old_ = dc_old_##bits(p_, alone), x_;                                                                         \
  do {                                                                                                                 \
    x_ = old_;                                                                                                         \
    DC_LANES_DO(m, ({                                                                                                  \
      const u##bits y_ = y, z_ = z;                                                                                    \
      (void)y_, (void)z_;                                                                                              \
      if (result) t_[l] = x_;                                                                                          \
      x_ = value;                                                                                                      \
    }));                                                                                                               \
  } while (!(idle && x_ == old_) && !dc_renew_##bits(p_, &old_, x_, alone));
/* Lanes go in ascending order; `value` makes the new value of x_ (old), y_, z_, which `y` and `z` give for lane l, at
** `address`.  `alone`: no other thread sees this memory, so that plain accesses do; `others`: one of the four macros
** above for when some do; `one`: of the three for when all lanes address one word (`same`).  Without `result` nothing
** is returned.  (Emitted code has variables named s32.) */
#define DC_ATOM(bits, same, address, m, alone, result, y, z, value, idle, others, one)                                 \
  ({                                                                                                                   \
    u##bits t_[DC_W];                                                                                                  \
    if (result && m != DC_EVERY) DC_ATOM_CLEAR_##bits(t_);                                                             \
    if (!M_any(m)) {                                                                                                   \
    } else if (same) {                                                                                                 \
      const u32 first_ = (u32)__builtin_ctz(M_word(m));                                                                \
      u##bits *const p_ = ({ const u32 l = first_; (void)l; DC_AT(u##bits, address); });                               \
      one(bits, m, alone, result, y, z, value, idle)                                                                   \
    } else if (alone) {                                                                                                \
      DC_LANES_DO(m, ({                                                                                                \
        u##bits *const p_ = DC_AT(u##bits, address);                                                                   \
        const u##bits x_ = *p_, y_ = y, z_ = z;                                                                        \
        (void)y_, (void)z_;                                                                                            \
        *p_ = value;                                                                                                   \
        if (result) t_[l] = x_;                                                                                        \
      }));                                                                                                             \
    } else {                                                                                                           \
      others(bits, address, m, result, y, z, value, idle)                                                              \
    }                                                                                                                  \
    result ? DC_ATOM_LOAD_##bits(t_) : DC_ATOM_SPLAT_##bits(0);                                                        \
  })
/* The same of one lane that runs alone, or none, at one word: all lanes of the result are the lane's.  (A vector that
** is loaded behind a store to a part of it waits until that has reached the cache.) */
#define DC_ATOM_OF_LANE(bits, same, address, m, alone, result, y, z, value, idle, others, one)                         \
  ({                                                                                                                   \
    u##bits t_[1] = { 0 };                                                                                             \
    if (M_any(m)) {                                                                                                    \
      u##bits *const p_ = DC_AT(u##bits, address);                                                                     \
      one(bits, M_from(1u), alone, result, y, z, value, idle)                                                          \
    }                                                                                                                  \
    DC_ATOM_SPLAT_##bits(t_[0]);                                                                                       \
  })
#define DC_ATOM_SPLAT_16(x) V32_splat(x)
#define DC_ATOM_SPLAT_32(x) V32_splat(x)
#define DC_ATOM_SPLAT_64(x) V64_splat(x)
#define DC_ATOM_CLEAR_16(t) V16_store(t, V32_splat(0))
#define DC_ATOM_CLEAR_32(t) V32_store(t, V32_splat(0))
#define DC_ATOM_CLEAR_64(t) V64_store(t, V64_splat(0))
#define DC_ATOM_LOAD_16(t) V16_load(t)
#define DC_ATOM_LOAD_32(t) V32_load(t)
#define DC_ATOM_LOAD_64(t) V64_load(t)
/* Whether the lanes of m, of which there are some, are equal; first: x in the first of them. */
DC_FN int dc_same_32(V32 x, u32 first, M m) { return (P_word(v_setp_ne_u32(x, V32_splat(first))) & M_word(m)) == 0; }
DC_FN int dc_same_64(V64 x, u64 first, M m) { return (P_word(v_setp_ne_u64(x, V64_splat(first))) & M_word(m)) == 0; }
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
/* The same of a row of words that other threads see, too, by exchanges of 16 bytes: a quarter of the locks for words of
** 32 bits.  *rest: lanes that are left, since a word has changed since it was loaded. */
#if defined(__x86_64__)
DC_FN int dc_renew_16_bytes(u64 a, const void *old, const void *now) {
  u64 from[2], to[2];
  int is_renewed;
  memcpy(from, old, sizeof from), memcpy(to, now, sizeof to);
  __asm__ volatile("lock cmpxchg16b %1"
                   : "=@ccz"(is_renewed), "+m"(*DC_AT(unsigned __int128, a)), "+a"(from[0]), "+d"(from[1])
                   : "b"(to[0]), "c"(to[1])
                   : "memory");
  return is_renewed;
}
#else
DC_FN int dc_renew_16_bytes(u64 a, const void *old, const void *now) {
  unsigned __int128 from, to;
  memcpy(&from, old, sizeof from), memcpy(&to, now, sizeof to);
  return __sync_bool_compare_and_swap(DC_AT(unsigned __int128, a), from, to);
}
#endif
/* Exchanges the words of the `changing` lanes, some of m's, in the row at a.  Returns the lanes whose word is no longer
** the old one. */
#define DC_RENEW_ROW(bits)                                                                                             \
  DC_CALL M dc_renew_row_##bits(u64 a, const u##bits *old, const u##bits *now, M m, u32 changing) {                    \
    enum { SIZE = bits / 8, EACH = 16 / SIZE };                                                                        \
    const u32 every = (1u << EACH) - 1;                                                                                \
    u32 rest = 0;                                                                                                      \
    for (u32 l = (u32)(-a % 16 / SIZE); l + EACH <= DC_W; l += EACH) {                                                 \
      if ((M_word(m) >> l & every) != every || !(changing >> l & every)) continue;                                     \
      if (DC_RARE(!dc_renew_16_bytes(a + SIZE * l, &old[l], &now[l]))) rest |= changing & every << l;                  \
      changing &= ~(every << l);                                                                                       \
    }                                                                                                                  \
    DC_EACH_LANE(l, M_from(changing)) {                                                                                \
      u##bits word = old[l];                                                                                           \
      if (!dc_renew_##bits(DC_AT(u##bits, a + SIZE * l), &word, now[l], 0)) rest |= 1u << l;                           \
    }                                                                                                                  \
    return M_from(rest);                                                                                               \
  }
DC_RENEW_ROW(32)
DC_RENEW_ROW(64)
#define DC_ATOM_LOCKED_ROW(bits, a, m, value, idle, rest)                                                              \
  ({                                                                                                                   \
    const V##bits x_ = DC_ATOM_ROW_##bits(a, m), now_ = value;                                                         \
    u##bits old_[DC_W], new_[DC_W];                                                                                    \
    DC_ATOM_SPILL_##bits(old_, x_), DC_ATOM_SPILL_##bits(new_, now_);                                                  \
    *rest = dc_renew_row_##bits(a, old_, new_, m, idle ? DC_ATOM_DIFFER_##bits(x_, now_) & M_word(m) : M_word(m));     \
    x_;                                                                                                                \
  })
#define DC_ATOM_SPILL_32(t, x) V32_spill(t, x)
#define DC_ATOM_SPILL_64(t, x) V64_spill(t, x)
#define DC_ATOM_DIFFER_32(x, y) P_word(v_setp_ne_u32(x, y))
#define DC_ATOM_DIFFER_64(x, y) P_word(v_setp_ne_u64(x, y))
