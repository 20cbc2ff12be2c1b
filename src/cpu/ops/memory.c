/*
** memory.c - ld, st, prefetch, membar, fence; PTX ISA 9.7.9 and 9.7.13.
**
** One vector test finds the two usual shapes of a warp's addresses: all lanes the same (one access, broadcast) and
** lanes consecutive (a vector copy).  Everything else goes lane by lane.  w->at is set before memory is accessed:
** faults are attributed to it.
*/
#include "cpu/ops/address.h"
#include "cpu/ops/wide.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Accesses without an address register are not checked for alignment: parameters may have any. */
#define AT(T) T##_at
typedef s8 s8_at;
typedef s16 __attribute__((aligned(1))) s16_at;
typedef s32 __attribute__((aligned(1))) s32_at;
typedef u128 __attribute__((aligned(1))) u128_at;

typedef enum shape { SCATTERED, SAME, RUN } shape;

/* The shape of the addresses of the lanes in w->mask (not empty); in a run they are `step` bytes apart.  *lane is the
** lowest of these lanes. */
#define SHAPE_OF(T)                                                                                                    \
  INLINE shape shape_of_##T(const dc_warp *w, const T *a, T step, const T *m, u32 *lane) {                             \
    T x = 0;                                                                                                           \
    if (w->mask != DC_ALL_LANES) {                                                                                     \
      T y = 0;                                                                                                         \
      *lane = (u32)__builtin_ctz(w->mask);                                                                             \
      const T a0 = a[*lane], zeroth = a0 - step * *lane;                                                               \
      LANES(l) x |= (a[l] ^ a0) & m[l];                                                                                \
      if (!x) return SAME;                                                                                             \
      LANES(l) y |= ((a[l] - zeroth) ^ (step * (T)l)) & m[l];                                                          \
      return y ? SCATTERED : RUN;                                                                                      \
    }                                                                                                                  \
    const T a0 = a[0], second = a[1] - a0;                                                                             \
    *lane = 0;                                                                                                         \
    if (second == 0) {                                                                                                 \
      LANES(l) x |= a[l] ^ a0;                                                                                         \
      return x ? SCATTERED : SAME;                                                                                     \
    }                                                                                                                  \
    if (second != step) return SCATTERED;                                                                              \
    LANES(l) x |= (a[l] - a0) ^ (step * (T)l);                                                                         \
    return x ? SCATTERED : RUN;                                                                                        \
  }
SHAPE_OF(u64)
SHAPE_OF(u32)

/* *first: the address of all, or the one that lane 0 of a run has (or would have). */
INLINE shape shape_of(const dc_warp *w, const dc_uop *o, u32 step, u64 *first) {
  const u64 stride = w->lane_stride[o->base];
  u32 lane;
  shape s;
  *first = w->base[o->base] + (u64)o->imm;
  if (o->addr_bits == 0) return stride ? SCATTERED : SAME;
  if (stride) return SCATTERED;
  if (o->addr_bits == 64) {
    s = shape_of_u64(w, REG(u64, o->a), step, w->m64, &lane);
    *first += REG(u64, o->a)[lane] - (s == RUN ? (u64)step * lane : 0);
  } else {
    s = shape_of_u32(w, REG(u32, o->a), step, w->m32, &lane);
    *first += (u64)REG(u32, o->a)[lane] - (s == RUN ? (u64)step * lane : 0);
  }
  return s;
}

/* Some lanes of a run, as masked vectors where the machine has them.  The other lanes' memory is not accessed.  Of a
** loop of stores compilers would make masked loads of b too, which wait for the stores that made it. */
#if defined(__AVX2__)
#define LOAD_SOME LANES(l) d[l] = m[l] ? p[l] : d[l]
#else
#define LOAD_SOME EACH_LANE(l, w->mask) d[l] = p[l]
#endif
#if defined(__AVX512F__)
INLINE void store_some_u32(u32_at *p, const u32 *b, const dc_warp *w) {
  for (int i = 0; i < DC_LANES; i += 16)
    _mm512_mask_storeu_epi32(p + i, (__mmask16)(w->mask >> i), _mm512_load_si512(b + i));
}
INLINE void store_some_u64(u64_at *p, const u64 *b, const dc_warp *w) {
  for (int i = 0; i < DC_LANES; i += 8)
    _mm512_mask_storeu_epi64(p + i, (__mmask8)(w->mask >> i), _mm512_load_si512(b + i));
}
#elif defined(__AVX2__)
#define C256(p) ((const __m256i *)(const void *)(p))
INLINE void store_some_u32(u32_at *p, const u32 *b, const dc_warp *w) {
  for (int i = 0; i < DC_LANES; i += 8)
    _mm256_maskstore_epi32((int *)(void *)(p + i), _mm256_load_si256(C256(w->m32 + i)), _mm256_load_si256(C256(b + i)));
}
INLINE void store_some_u64(u64_at *p, const u64 *b, const dc_warp *w) {
  for (int i = 0; i < DC_LANES; i += 4)
    _mm256_maskstore_epi64((long long *)(void *)(p + i), _mm256_load_si256(C256(w->m64 + i)),
                           _mm256_load_si256(C256(b + i)));
}
#else
INLINE void store_some_u32(u32_at *p, const u32 *b, const dc_warp *w) { EACH_LANE(l, w->mask) p[l] = b[l]; }
INLINE void store_some_u64(u64_at *p, const u64 *b, const dc_warp *w) { EACH_LANE(l, w->mask) p[l] = b[l]; }
#endif
INLINE void store_some_u16(u16_at *p, const u16 *b, const dc_warp *w) { EACH_LANE(l, w->mask) p[l] = b[l]; }

/* For seldom used sizes: the same, not inlined. */
static DC_NOINLINE shape shape_of_rare(const dc_warp *w, const dc_uop *o, u32 step, u64 *first) {
  return shape_of(w, o, step, first);
}

/* ld of n elements of memory type S into containers of type D, in o->d for one element, else in o->v.  `part`: some
** lanes of a run of single elements.  A lane's vector is read at once, as GPUs do: PTX does not promise that, but
** programs with races see it. */
#define LOAD_ELEMENTS(S, D, n)                                                                                         \
  S whole[DC_LANES * (n)] BUFFER;                                                                                      \
  for (u32 l = 0; l < DC_LANES; l++) read_whole(whole + l * (n), first + l * bytes, (u32)sizeof(S) * (n), sizeof(S));  \
  for (u32 e = 0; e < (n); e++)                                                                                        \
    if (slots[e] != DC_NO_OPERAND) {                                                                                   \
      D *d = REG(D, slots[e]);                                                                                         \
      LANES(l) d[l] = (D)whole[(u32)l * (n) + e];                                                                      \
    }
#define LOAD_(name, S, D, shape_of_it, part)                                                                           \
  INLINE void name##_any(dc_warp *w, const dc_uop *o, const u32 n, bool masked) {                                      \
    const u32 bytes = (u32)sizeof(S) * n, *slots = n == 1 ? &o->d : o->v;                                              \
    const typeof(MASK_OF(D)[0]) *m = MASK_OF(D);                                                                       \
    u64 first, at[DC_LANES] BUFFER;                                                                                    \
    if (!w->mask) return;                                                                                              \
    begin_access(w, o);                                                                                                \
    const shape s = shape_of_it(w, o, bytes, &first);                                                                  \
    const AT(S) *p = HOST(const AT(S), first);                                                                         \
    if (s != SCATTERED) check_first(w, o, first, bytes);                                                               \
    if (s == SAME) {                                                                                                   \
      S whole[8] BUFFER = {p[0]};                                                                                      \
      if (n > 1) read_whole(whole, first, bytes, sizeof(S));                                                           \
      for (u32 e = 0; e < n; e++)                                                                                      \
        if (n == 1 || slots[e] != DC_NO_OPERAND) {                                                                     \
          D *d = REG(D, slots[e]);                                                                                     \
          const D v = (D)whole[e];                                                                                     \
          if (masked)                                                                                                  \
            LANES(l) d[l] = m[l] ? v : d[l];                                                                           \
          else                                                                                                         \
            LANES(l) d[l] = v;                                                                                         \
        }                                                                                                              \
    } else if (s == RUN && n == 1) {                                                                                   \
      D *d = REG(D, o->d);                                                                                             \
      if (w->mask == DC_ALL_LANES)                                                                                     \
        LANES(l) d[l] = (D)p[l];                                                                                       \
      else                                                                                                             \
        part;                                                                                                          \
    } else if (s == RUN && n == 2 && w->mask == DC_ALL_LANES) {                                                        \
      LOAD_ELEMENTS(S, D, 2)                                                                                           \
    } else if (s == RUN && n == 4 && w->mask == DC_ALL_LANES) {                                                        \
      LOAD_ELEMENTS(S, D, 4)                                                                                           \
    } else {                                                                                                           \
      addresses(w, o, at); /* first: an element may replace the address register */                                    \
      check_each(w, o, at, bytes);                                                                                     \
      D *d[8], sink[DC_LANES];                                                                                         \
      for (u32 e = 0; e < n; e++) d[e] = n > 1 && slots[e] == DC_NO_OPERAND ? sink : REG(D, slots[e]);                 \
      EACH_LANE(l, w->mask) {                                                                                          \
        S whole[8] BUFFER;                                                                                             \
        if (n > 1) read_whole(whole, at[l], bytes, sizeof(S));                                                         \
        else whole[0] = *HOST(const AT(S), at[l]);                                                                     \
        for (u32 e = 0; e < n; e++) d[e][l] = (D)whole[e];                                                             \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static void name##_m(dc_warp *w, const dc_uop *o) { name##_any(w, o, 1, true); }
#define LOAD(name, S, D)                                                                                               \
  LOAD_(name, S, D, shape_of, LOAD_SOME)                                                                               \
  static void name(dc_warp *w, const dc_uop *o) { name##_any(w, o, 1, false); }                                        \
  static void name##_v(dc_warp *w, const dc_uop *o) { name##_any(w, o, o->ins->vec, false); }                          \
  static void name##_v_m(dc_warp *w, const dc_uop *o) { name##_any(w, o, o->ins->vec, true); }
#define LOAD_RARE(name, S, D) LOAD_(name, S, D, shape_of_rare, EACH_LANE(l, w->mask) d[l] = (D)p[l])

/* volatile, relaxed, acquire: every lane's access happens once, whole (a vector, too), and in order.  Also for plain
** vectors of seldom used sizes. */
#define LOAD_ORDERED(name, S, D)                                                                                       \
  static void name(dc_warp *w, const dc_uop *o) {                                                                      \
    const u32 n = o->ins->vec < 2 ? 1 : o->ins->vec;                                                                   \
    u64 at[DC_LANES] BUFFER;                                                                                           \
    D *d[8], sink[DC_LANES];                                                                                           \
    begin_each(w, o, at, (u32)sizeof(S) * n); /* first: an element may replace the address register */                 \
    for (u32 e = 0; e < n; e++) {                                                                                      \
      const u32 slot = o->ins->vec < 2 ? o->d : o->v[e];                                                               \
      d[e] = slot == DC_NO_OPERAND ? sink : REG(D, slot);                                                              \
    }                                                                                                                  \
    EACH_LANE(l, w->mask) {                                                                                            \
      S whole[64 / sizeof(S)] BUFFER;                                                                                  \
      read_whole(whole, at[l], (u32)sizeof(S) * n, (u32)sizeof(S));                                                    \
      for (u32 e = 0; e < n; e++) d[e][l] = (D)whole[e];                                                               \
    }                                                                                                                  \
    if (o->ins->flags & PTX_F_ACQUIRE) __atomic_thread_fence(__ATOMIC_ACQUIRE);                                        \
  }

#define LOADS(S, D) LOAD(ld_##S##_##D, S, D) LOAD_ORDERED(ldo_##S##_##D, S, D)
#define LOADS_RARE(S, D) LOAD_RARE(ld_##S##_##D, S, D) LOAD_ORDERED(ldo_##S##_##D, S, D)
/* Memory type, container. */
#define LOAD_FORMS(USUAL, RARE)                                                                                        \
  USUAL(u32, u32) USUAL(u64, u64) USUAL(u16, u16)                                                                      \
  RARE(u8, u16) RARE(s8, u16) RARE(u8, u32) RARE(s8, u32) RARE(u16, u32) RARE(s16, u32)                                \
  RARE(u8, u64) RARE(s8, u64) RARE(u16, u64) RARE(s16, u64) RARE(u32, u64) RARE(s32, u64) RARE(u128, u128)
LOAD_FORMS(LOADS, LOADS_RARE)

/* st of containers of type D as memory type S.  When all lanes write to one address, the last one's value is stored
** (PTX: one of them, unspecified which). */
#define STORE(name, S, D, shape_of_it, part)                                                                           \
  INLINE void name##_n(dc_warp *w, const dc_uop *o, const u32 n) {                                                     \
    const u32 bytes = (u32)sizeof(S) * n, *slots = n == 1 ? &o->b : o->v;                                              \
    u64 first, at[DC_LANES] BUFFER;                                                                                    \
    if (!w->mask) return;                                                                                              \
    begin_access(w, o);                                                                                                \
    const shape s = shape_of_it(w, o, bytes, &first);                                                                  \
    if (s == SAME && n == 1) {                                                                                         \
      check_first(w, o, first, bytes);                                                                                 \
      *HOST(AT(S), first) = (S)REG(D, o->b)[31 - __builtin_clz(w->mask)];                                              \
    } else if (s == RUN && n == 1) {                                                                                   \
      const D *b = REG(D, slots[0]);                                                                                   \
      AT(S) *p = HOST(AT(S), first);                                                                                   \
      check_first(w, o, first, bytes);                                                                                 \
      if (w->mask == DC_ALL_LANES)                                                                                     \
        LANES(l) p[l] = (S)b[l];                                                                                       \
      else                                                                                                             \
        part;                                                                                                          \
    } else if (s == RUN && w->mask == DC_ALL_LANES) {                                                                  \
      S whole[DC_LANES * 8] BUFFER;                                                                                    \
      check_first(w, o, first, bytes);                                                                                 \
      for (u32 e = 0; e < n; e++) {                                                                                    \
        const D *b = REG(D, slots[e]);                                                                                 \
        LANES(l) whole[(u32)l * n + e] = (S)b[l];                                                                      \
      }                                                                                                                \
      for (u32 l = 0; l < DC_LANES; l++) write_whole(first + l * bytes, whole + l * n, bytes, sizeof(S));              \
    } else {                                                                                                           \
      addresses(w, o, at);                                                                                             \
      check_each(w, o, at, bytes);                                                                                     \
      EACH_LANE(l, w->mask) {                                                                                          \
        S whole[8] BUFFER;                                                                                             \
        for (u32 e = 0; e < n; e++) whole[e] = (S)REG(D, slots[e])[l];                                                 \
        if (n > 1) write_whole(at[l], whole, bytes, sizeof(S));                                                        \
        else *HOST(AT(S), at[l]) = whole[0];                                                                           \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static void name(dc_warp *w, const dc_uop *o) { name##_n(w, o, 1); }
#define STORE_VECTOR(name)                                                                                             \
  static void name##_v(dc_warp *w, const dc_uop *o) {                                                                  \
    if (o->ins->vec == 4)                                                                                              \
      name##_n(w, o, 4);                                                                                               \
    else if (o->ins->vec == 2)                                                                                         \
      name##_n(w, o, 2);                                                                                               \
    else                                                                                                               \
      name##_n(w, o, o->ins->vec);                                                                                     \
  }
#define STORE_ORDERED(name, S, D)                                                                                      \
  static void name(dc_warp *w, const dc_uop *o) {                                                                      \
    const u32 n = o->ins->vec < 2 ? 1 : o->ins->vec;                                                                   \
    u64 at[DC_LANES] BUFFER;                                                                                           \
    begin_each(w, o, at, (u32)sizeof(S) * n);                                                                          \
    if (o->ins->flags & PTX_F_RELEASE) __atomic_thread_fence(__ATOMIC_SEQ_CST); /* orders non-temporal stores, too */  \
    EACH_LANE(l, w->mask) {                                                                                            \
      S whole[64 / sizeof(S)] BUFFER;                                                                                  \
      for (u32 e = 0; e < n; e++) whole[e] = (S)REG(D, o->ins->vec < 2 ? o->b : o->v[e])[l];                           \
      write_whole(at[l], whole, (u32)sizeof(S) * n, (u32)sizeof(S));                                                   \
    }                                                                                                                  \
  }
#define STORES(S, D)                                                                                                   \
  STORE(st_##S##_##D, S, D, shape_of, store_some_##S(p, b, w))                                                         \
  STORE_VECTOR(st_##S##_##D) STORE_ORDERED(sto_##S##_##D, S, D)
#define STORES_RARE(S, D)                                                                                              \
  STORE(st_##S##_##D, S, D, shape_of_rare, EACH_LANE(l, w->mask) p[l] = (S)b[l])                                       \
  STORE_ORDERED(sto_##S##_##D, S, D)
#define STORE_FORMS(USUAL, RARE)                                                                                       \
  USUAL(u16, u16) USUAL(u32, u32) USUAL(u64, u64)                                                                      \
  RARE(u8, u16) RARE(u8, u32) RARE(u16, u32) RARE(u8, u64) RARE(u16, u64) RARE(u32, u64) RARE(u128, u128)
STORE_FORMS(STORES, STORES_RARE)

typedef struct access {
  uint8_t bits, container;
  bool sign;
  dc_op_fn fn, fn_masked, vec, vec_masked, ordered;
} access;
#define IS_SIGNED(S, D) (sizeof(S) < sizeof(D) && (S)-1 < (S)1) /* as wide as its container: the same for both signs */
#define ROW(S, D)                                                                                                      \
  { 8 * sizeof(S), 8 * sizeof(D), IS_SIGNED(S, D), ld_##S##_##D, ld_##S##_##D##_m, ld_##S##_##D##_v,                   \
    ld_##S##_##D##_v_m, ldo_##S##_##D },
#define ROW_RARE(S, D)                                                                                                 \
  { 8 * sizeof(S), 8 * sizeof(D), IS_SIGNED(S, D), ld_##S##_##D##_m, ld_##S##_##D##_m, ldo_##S##_##D, ldo_##S##_##D,   \
    ldo_##S##_##D },
static const access loads[] = { LOAD_FORMS(ROW, ROW_RARE) };
#undef ROW
#undef ROW_RARE
#define ROW_(S, D, vec) { 8 * sizeof(S), 8 * sizeof(D), false, st_##S##_##D, st_##S##_##D, vec, vec, sto_##S##_##D },
#define ROW(S, D) ROW_(S, D, st_##S##_##D##_v)
#define ROW_RARE(S, D) ROW_(S, D, sto_##S##_##D)
static const access stores[] = { STORE_FORMS(ROW, ROW_RARE) };

static bool select_access(dc_uop *o, const access *table, size_t rows, int register_bits, bool sign) {
  const int bits = ptx_type_bits((ptx_type)o->ins->type);
  const int container = ptx_container(register_bits ? register_bits : bits);
  if (bits == container) sign = false;
  for (size_t i = 0; i < rows; i++) {
    const access *t = &table[i];
    if (t->bits != bits || t->container != container || t->sign != sign) continue;
    if (o->ins->flags & PTX_F_STRONG) return dc_pick(o, t->ordered, t->ordered);
    return o->ins->vec > 1 ? dc_pick(o, t->vec, t->vec_masked) : dc_pick(o, t->fn, t->fn_masked);
  }
  return false;
}

static void fence(dc_warp *w, const dc_uop *o) {
  (void)w, (void)o;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

bool PER_ISA(dc_select_memory)(dc_uop *o) {
  switch (o->ins->op) {
    case PTX_OP_LD: case PTX_OP_LDU:
      return select_access(o, loads, sizeof loads / sizeof *loads, o->bits[0], ptx_is_signed(o->ins->type));
    case PTX_OP_ST: return select_access(o, stores, sizeof stores / sizeof *stores, o->bits[2], false);
    case PTX_OP_PREFETCH: case PTX_OP_PREFETCHU: case PTX_OP_APPLYPRIORITY: case PTX_OP_DISCARD:
    case PTX_OP_GRIDDEPCONTROL: case PTX_OP_SETMAXNREG: return PICK_RARE(no_operation);
    case PTX_OP_MEMBAR: case PTX_OP_FENCE: return PICK_RARE(fence);
    default: return false;
  }
}
