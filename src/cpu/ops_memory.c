/*
** ops_memory.c - ld, st, prefetch, membar, fence; PTX ISA 9.7.9 and 9.7.13.
**
** What makes it fast: one vector test finds the two usual shapes of a warp's addresses, all lanes the
** same (one access, spread) and lanes one after another (a vector copy).  Everything else goes lane by
** lane.  w->at is set before memory is touched: a fault is blamed on it.
*/
#include "cpu/ops_address.h"

/* Accesses without an address register are not checked for alignment: parameters lie where they lie. */
#define AT(T) T##_at
typedef u8 u8_at;
typedef s8 s8_at;
typedef u16 __attribute__((aligned(1))) u16_at;
typedef s16 __attribute__((aligned(1))) s16_at;
typedef u32 __attribute__((aligned(1))) u32_at;
typedef s32 __attribute__((aligned(1))) s32_at;
typedef u64 __attribute__((aligned(1))) u64_at;
typedef u128 __attribute__((aligned(1))) u128_at;

typedef enum shape { SCATTERED, SAME, RUN } shape;

/* The shape of the addresses of the lanes in w->mask (not empty), `step` bytes making a run; *first is the lowest
** such lane's address.  Runs are looked for under a full mask only. */
#define SHAPE_OF(T)                                                                                                    \
  INLINE shape shape_of_##T(const dc_warp *w, const T *a, T step, const T *m, u32 *lane) {                             \
    T x = 0;                                                                                                           \
    if (w->mask != DC_ALL_LANES) {                                                                                     \
      *lane = (u32)__builtin_ctz(w->mask);                                                                             \
      const T a0 = a[*lane];                                                                                           \
      LANES(l) x |= (a[l] ^ a0) & m[l];                                                                                \
      return x ? SCATTERED : SAME;                                                                                     \
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

INLINE shape shape_of(const dc_warp *w, const dc_op *o, u32 step, u64 *first) {
  const u64 stride = w->lane_stride[o->base];
  u32 lane;
  shape s;
  *first = w->base[o->base] + (u64)o->imm;
  if (o->addr_bits == 0) return stride ? SCATTERED : SAME;
  if (stride) return SCATTERED;
  if (o->addr_bits == 64) {
    s = shape_of_u64(w, REG(u64, o->a), step, w->m64, &lane);
    *first += REG(u64, o->a)[lane];
  } else {
    s = shape_of_u32(w, REG(u32, o->a), step, w->m32, &lane);
    *first += REG(u32, o->a)[lane];
  }
  return s;
}

#define MASK_u128 w->m32

/* For sizes that are seldom used: the same, not copied into each function. */
static __attribute__((noinline)) shape shape_of_rare(const dc_warp *w, const dc_op *o, u32 step, u64 *first) {
  return shape_of(w, o, step, first);
}

/* ld of memory type S into containers of type D. */
#define LOAD_(name, S, D, shape_of_it)                                                                                 \
  INLINE void name##_any(dc_warp *w, const dc_op *o, bool masked) {                                                    \
    D *d = REG(D, o->d);                                                                                               \
    const typeof(MASK_##D[0]) *m = MASK_##D;                                                                           \
    u64 first, at[DC_LANES] BUFFER;                                                                                    \
    if (!w->mask) return;                                                                                              \
    touch(w, o);                                                                                                       \
    switch (shape_of_it(w, o, sizeof(S), &first)) {                                                                    \
      case SAME: {                                                                                                     \
        check_first(w, o, first, sizeof(S));                                                                           \
        const D v = (D)*HOST(const AT(S), first);                                                                      \
        if (masked) LANES(l) d[l] = m[l] ? v : d[l];                                                                   \
        else LANES(l) d[l] = v;                                                                                        \
        return;                                                                                                        \
      }                                                                                                                \
      case RUN: {                                                                                                      \
        check_first(w, o, first, sizeof(S));                                                                           \
        const AT(S) *p = HOST(const AT(S), first);                                                                     \
        LANES(l) d[l] = (D)p[l];                                                                                       \
        return;                                                                                                        \
      }                                                                                                                \
      default:                                                                                                         \
        addresses(w, o, at);                                                                                           \
        check_each(w, o, at, sizeof(S));                                                                               \
        EACH_LANE(l, w->mask) d[l] = (D)*HOST(const AT(S), at[l]);                                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  static void name##_m(dc_warp *w, const dc_op *o) { name##_any(w, o, true); }
#define LOAD(name, S, D)                                                                                               \
  LOAD_(name, S, D, shape_of) static void name(dc_warp *w, const dc_op *o) { name##_any(w, o, false); }
#define LOAD_RARE(name, S, D) LOAD_(name, S, D, shape_of_rare)

/* Elements of a vector that is at address p of each lane. */
#define LOAD_ELEMENTS(S, D, n)                                                                                         \
  for (u32 e = 0; e < (n); e++)                                                                                        \
    if (o->v[e] != DC_NO_OPERAND) {                                                                                    \
      D *d = REG(D, o->v[e]);                                                                                          \
      LANES(l) d[l] = (D)p[(u32)l * (n) + e];                                                                          \
    }
#define LOAD_VECTOR(name, S, D)                                                                                        \
  INLINE void name##_any(dc_warp *w, const dc_op *o, bool masked) {                                                    \
    const typeof(MASK_##D[0]) *m = MASK_##D;                                                                           \
    const u32 n = o->ins->vec;                                                                                         \
    u64 first, at[DC_LANES] BUFFER;                                                                                    \
    if (!w->mask) return;                                                                                              \
    touch(w, o);                                                                                                       \
    shape s = shape_of(w, o, (u32)sizeof(S) * n, &first);                                                              \
    if (s != SCATTERED) check_first(w, o, first, (u32)sizeof(S) * n);                                                  \
    const AT(S) *p = HOST(const AT(S), first);                                                                         \
    if (s == SAME) {                                                                                                   \
      for (u32 e = 0; e < n; e++)                                                                                      \
        if (o->v[e] != DC_NO_OPERAND) {                                                                                \
          D *d = REG(D, o->v[e]);                                                                                      \
          const D v = (D)p[e];                                                                                         \
          if (masked) LANES(l) d[l] = m[l] ? v : d[l];                                                                 \
          else LANES(l) d[l] = v;                                                                                      \
        }                                                                                                              \
    } else if (s == RUN && n == 2) {                                                                                   \
      LOAD_ELEMENTS(S, D, 2)                                                                                           \
    } else if (s == RUN && n == 4) {                                                                                   \
      LOAD_ELEMENTS(S, D, 4)                                                                                           \
    } else {                                                                                                           \
      addresses(w, o, at); /* first: an element may replace the address register */                                    \
      check_each(w, o, at, (u32)sizeof(S) * n);                                                                        \
      for (u32 e = 0; e < n; e++)                                                                                      \
        if (o->v[e] != DC_NO_OPERAND) {                                                                                \
          D *d = REG(D, o->v[e]);                                                                                      \
          EACH_LANE(l, w->mask) d[l] = (D)HOST(const AT(S), at[l])[e];                                                 \
        }                                                                                                              \
    }                                                                                                                  \
  }                                                                                                                    \
  static void name(dc_warp *w, const dc_op *o) { name##_any(w, o, false); }                                            \
  static void name##_m(dc_warp *w, const dc_op *o) { name##_any(w, o, true); }

/* The seldom used sizes go lane by lane. */
#define LOAD_VECTOR_RARE(name, S, D)                                                                                   \
  static void name(dc_warp *w, const dc_op *o) {                                                                       \
    u64 at[DC_LANES] BUFFER;                                                                                           \
    touch(w, o);                                                                                                       \
    addresses(w, o, at);                                                                                               \
    check_each(w, o, at, (u32)sizeof(S) * o->ins->vec);                                                                \
    for (u32 e = 0; e < o->ins->vec; e++)                                                                              \
      if (o->v[e] != DC_NO_OPERAND) {                                                                                  \
        D *d = REG(D, o->v[e]);                                                                                        \
        EACH_LANE(l, w->mask) d[l] = (D)HOST(const AT(S), at[l])[e];                                                   \
      }                                                                                                                \
  }

/* volatile, relaxed, acquire: every lane's access happens once, whole, and in order. */
#define LOAD_ORDERED(name, S, D)                                                                                       \
  static void name(dc_warp *w, const dc_op *o) {                                                                       \
    const u32 n = o->ins->vec < 2 ? 1 : o->ins->vec;                                                                   \
    u64 at[DC_LANES] BUFFER;                                                                                           \
    touch(w, o);                                                                                                       \
    addresses(w, o, at);                                                                                               \
    check_each(w, o, at, (u32)sizeof(S) * n);                                                                          \
    for (u32 e = 0; e < n; e++) {                                                                                      \
      const u32 slot = o->ins->vec < 2 ? o->d : o->v[e];                                                               \
      if (slot == DC_NO_OPERAND) continue;                                                                             \
      D *d = REG(D, slot);                                                                                             \
      EACH_LANE(l, w->mask) d[l] = (D)__atomic_load_n(HOST(const S, at[l]) + e, __ATOMIC_RELAXED);                     \
    }                                                                                                                  \
    if (o->ins->flags & PTX_F_ACQUIRE) __atomic_thread_fence(__ATOMIC_ACQUIRE);                                        \
  }

#define LOADS(S, D) LOAD(ld_##S##_##D, S, D) LOAD_VECTOR(ldv_##S##_##D, S, D) LOAD_ORDERED(ldo_##S##_##D, S, D)
#define LOADS_RARE(S, D)                                                                                               \
  LOAD_RARE(ld_##S##_##D, S, D) LOAD_VECTOR_RARE(ldv_##S##_##D, S, D) LOAD_ORDERED(ldo_##S##_##D, S, D)
LOADS_RARE(u8, u16)
LOADS_RARE(s8, u16)
LOADS(u16, u16)
LOADS_RARE(u8, u32)
LOADS_RARE(s8, u32)
LOADS_RARE(u16, u32)
LOADS_RARE(s16, u32)
LOADS(u32, u32)
LOADS_RARE(u8, u64)
LOADS_RARE(s8, u64)
LOADS_RARE(u16, u64)
LOADS_RARE(s16, u64)
LOADS_RARE(u32, u64)
LOADS_RARE(s32, u64)
LOADS(u64, u64)
LOAD_RARE(ld_u128_u128, u128, u128)
LOAD_VECTOR_RARE(ldv_u128_u128, u128, u128)

/* st of containers of type D as memory type S.  When all lanes write one place, the last one's value is as good as
** any (PTX says that one of them arrives). */
#define STORE(name, S, D, shape_of_it)                                                                                 \
  static void name(dc_warp *w, const dc_op *o) {                                                                       \
    const D *b = REG(D, o->b);                                                                                         \
    u64 first, at[DC_LANES] BUFFER;                                                                                    \
    if (!w->mask) return;                                                                                              \
    touch(w, o);                                                                                                       \
    switch (shape_of_it(w, o, sizeof(S), &first)) {                                                                    \
      case SAME:                                                                                                       \
        check_first(w, o, first, sizeof(S));                                                                           \
        *HOST(AT(S), first) = (S)b[31 - __builtin_clz(w->mask)];                                                       \
        return;                                                                                                        \
      case RUN: {                                                                                                      \
        check_first(w, o, first, sizeof(S));                                                                           \
        AT(S) *p = HOST(AT(S), first);                                                                                 \
        LANES(l) p[l] = (S)b[l];                                                                                       \
        return;                                                                                                        \
      }                                                                                                                \
      default:                                                                                                         \
        addresses(w, o, at);                                                                                           \
        check_each(w, o, at, sizeof(S));                                                                               \
        EACH_LANE(l, w->mask) * HOST(AT(S), at[l]) = (S)b[l];                                                          \
    }                                                                                                                  \
  }
#define STORE_VECTOR(name, S, D)                                                                                       \
  INLINE void name##_n(dc_warp *w, const dc_op *o, u32 n) {                                                            \
    u64 first, at[DC_LANES] BUFFER;                                                                                    \
    if (!w->mask) return;                                                                                              \
    touch(w, o);                                                                                                       \
    if (shape_of(w, o, (u32)sizeof(S) * n, &first) == RUN) {                                                           \
      check_first(w, o, first, (u32)sizeof(S) * n);                                                                    \
      for (u32 e = 0; e < n; e++) {                                                                                    \
        const D *b = REG(D, o->v[e]);                                                                                  \
        AT(S) *p = HOST(AT(S), first) + e;                                                                             \
        LANES(l) p[(u32)l * n] = (S)b[l];                                                                              \
      }                                                                                                                \
      return;                                                                                                          \
    }                                                                                                                  \
    addresses(w, o, at);                                                                                               \
    check_each(w, o, at, (u32)sizeof(S) * n);                                                                          \
    EACH_LANE(l, w->mask)                                                                                              \
    for (u32 e = 0; e < n; e++) HOST(AT(S), at[l])[e] = (S)REG(D, o->v[e])[l];                                         \
  }                                                                                                                    \
  static void name(dc_warp *w, const dc_op *o) {                                                                       \
    if (o->ins->vec == 4) name##_n(w, o, 4);                                                                           \
    else if (o->ins->vec == 2) name##_n(w, o, 2);                                                                      \
    else name##_n(w, o, o->ins->vec);                                                                                  \
  }
#define STORE_VECTOR_RARE(name, S, D)                                                                                  \
  static void name(dc_warp *w, const dc_op *o) {                                                                       \
    u64 at[DC_LANES] BUFFER;                                                                                           \
    touch(w, o);                                                                                                       \
    addresses(w, o, at);                                                                                               \
    check_each(w, o, at, (u32)sizeof(S) * o->ins->vec);                                                                \
    EACH_LANE(l, w->mask)                                                                                              \
    for (u32 e = 0; e < o->ins->vec; e++) HOST(AT(S), at[l])[e] = (S)REG(D, o->v[e])[l];                               \
  }
#define STORE_ORDERED(name, S, D)                                                                                      \
  static void name(dc_warp *w, const dc_op *o) {                                                                       \
    const u32 n = o->ins->vec < 2 ? 1 : o->ins->vec;                                                                   \
    u64 at[DC_LANES] BUFFER;                                                                                           \
    touch(w, o);                                                                                                       \
    addresses(w, o, at);                                                                                               \
    check_each(w, o, at, (u32)sizeof(S) * n);                                                                          \
    if (o->ins->flags & PTX_F_RELEASE) __atomic_thread_fence(__ATOMIC_RELEASE);                                        \
    EACH_LANE(l, w->mask)                                                                                              \
    for (u32 e = 0; e < n; e++)                                                                                        \
      __atomic_store_n(HOST(S, at[l]) + e, (S)REG(D, o->ins->vec < 2 ? o->b : o->v[e])[l], __ATOMIC_RELAXED);          \
  }
#define STORES(S, D)                                                                                                   \
  STORE(st_##S##_##D, S, D, shape_of) STORE_VECTOR(stv_##S##_##D, S, D) STORE_ORDERED(sto_##S##_##D, S, D)
#define STORES_RARE(S, D)                                                                                              \
  STORE(st_##S##_##D, S, D, shape_of_rare) STORE_VECTOR_RARE(stv_##S##_##D, S, D) STORE_ORDERED(sto_##S##_##D, S, D)
STORES_RARE(u8, u16)
STORES(u16, u16)
STORES_RARE(u8, u32)
STORES_RARE(u16, u32)
STORES(u32, u32)
STORES_RARE(u8, u64)
STORES_RARE(u16, u64)
STORES_RARE(u32, u64)
STORES(u64, u64)
STORE(st_u128_u128, u128, u128, shape_of_rare)
STORE_VECTOR_RARE(stv_u128_u128, u128, u128)

typedef struct access {
  uint8_t bits, container;
  bool sign;
  dc_op_fn fn, fn_masked, vec, vec_masked, ordered;
} access;
#define ROW(S, D, b, c, s) {b, c, s, ld_##S##_##D, ld_##S##_##D##_m, ldv_##S##_##D, ldv_##S##_##D##_m, ldo_##S##_##D}
#define RARE_ROW(S, D, b, c, s)                                                                                        \
  {b, c, s, ld_##S##_##D##_m, ld_##S##_##D##_m, ldv_##S##_##D, ldv_##S##_##D, ldo_##S##_##D}
static const access loads[] = {
    ROW(u32, u32, 32, 32, false),      ROW(u32, u32, 32, 32, true),       ROW(u64, u64, 64, 64, false),
    ROW(u64, u64, 64, 64, true),       ROW(u16, u16, 16, 16, false),      ROW(u16, u16, 16, 16, true),
    RARE_ROW(u8, u16, 8, 16, false),   RARE_ROW(s8, u16, 8, 16, true),    RARE_ROW(u8, u32, 8, 32, false),
    RARE_ROW(s8, u32, 8, 32, true),    RARE_ROW(u16, u32, 16, 32, false), RARE_ROW(s16, u32, 16, 32, true),
    RARE_ROW(u8, u64, 8, 64, false),   RARE_ROW(s8, u64, 8, 64, true),    RARE_ROW(u16, u64, 16, 64, false),
    RARE_ROW(s16, u64, 16, 64, true),  RARE_ROW(u32, u64, 32, 64, false), RARE_ROW(s32, u64, 32, 64, true),
    {128, 128, false, ld_u128_u128_m, ld_u128_u128_m, ldv_u128_u128, ldv_u128_u128, NULL},
};
#undef ROW
#define ROW(S, D, b, c) {b, c, false, st_##S##_##D, st_##S##_##D, stv_##S##_##D, stv_##S##_##D, sto_##S##_##D}
static const access stores[] = {
    ROW(u8, u16, 8, 16),   ROW(u16, u16, 16, 16), ROW(u8, u32, 8, 32),   ROW(u16, u32, 16, 32),
    ROW(u32, u32, 32, 32), ROW(u8, u64, 8, 64),   ROW(u16, u64, 16, 64), ROW(u32, u64, 32, 64),
    ROW(u64, u64, 64, 64), {128, 128, false, st_u128_u128, st_u128_u128, stv_u128_u128, stv_u128_u128, NULL},
};

static bool select_access(dc_op *o, const access *table, size_t rows, int container, bool sign) {
  const u32 ordered = PTX_F_VOLATILE | PTX_F_RELAXED | PTX_F_ACQUIRE | PTX_F_RELEASE;
  int bits = ptx_type_bits((ptx_type)o->ins->type);
  if (!container) container = dc_container(bits);
  for (size_t i = 0; i < rows; i++) {
    const access *t = &table[i];
    if (t->bits != bits || t->container != container || t->sign != sign) continue;
    if (o->ins->flags & ordered) return t->ordered && dc_pick(o, t->ordered, t->ordered);
    return o->ins->vec > 1 ? dc_pick(o, t->vec, t->vec_masked) : dc_pick(o, t->fn, t->fn_masked);
  }
  return false;
}

static void no_operation(dc_warp *w, const dc_op *o) { (void)w, (void)o; }
static void fence(dc_warp *w, const dc_op *o) {
  (void)w, (void)o;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

bool PER_ISA(dc_select_memory)(dc_op *o) {
  switch (o->ins->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
      return select_access(o, loads, sizeof loads / sizeof *loads, o->bits[0] ? dc_container(o->bits[0]) : 0,
                           dc_is_signed(o->ins->type));
    case PTX_OP_ST:
      return select_access(o, stores, sizeof stores / sizeof *stores, o->bits[2] ? dc_container(o->bits[2]) : 0, false);
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
    case PTX_OP_APPLYPRIORITY:
    case PTX_OP_DISCARD:
    case PTX_OP_GRIDDEPCONTROL:
    case PTX_OP_PMEVENT: return dc_pick(o, no_operation, no_operation);
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE: return dc_pick(o, fence, fence);
    default: return false;
  }
}
