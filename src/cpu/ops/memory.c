/*
** memory.c - ld, st, prefetch, membar, fence; PTX ISA 9.7.9 and 9.7.13.
**
** One vector test finds the two usual shapes of a warp's addresses: all lanes the same (one access, broadcast) and
** lanes consecutive (a row).  Parts of rows, and vectors of 8 and 16 bytes a lane, are accessed by the functions of
** simd/; everything else goes lane by lane.  w->at is set before memory is accessed: faults are attributed to it.
*/
#include "cpu/ops/address.h"
#include "cpu/ops/wide.h"
#include "cpu/simd/packs.h"

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

/* The shape of the addresses of w->mask (not empty), of an access of `bytes`: *first, or each lane's in `at`.  They are
** checked. */
INLINE shape begin_lanes(dc_warp *w, const dc_uop *o, u32 bytes, u64 *first, u64 *at) {
  begin_access(w, o);
  const shape s = shape_of(w, o, bytes, first);
  if (s != SCATTERED) {
    check_first(w, o, *first, bytes);
    return s;
  }
  addresses(w, o, at);
  check_each(w, o, at, bytes);
  return s;
}

/* Accesses without an address register are not checked for alignment: parameters may have any. */
#define AT(T) T##_at
typedef s8 s8_at;
typedef s16 __attribute__((aligned(1))) s16_at;
typedef s32 __attribute__((aligned(1))) s32_at;

/* ld of one element of memory type S, as unsigned T, into containers of `bits`: D. */
#define LOAD(S, T, D, bits, convert)                                                                                   \
  INLINE void ld_##S##_##D##_any(dc_warp *w, const dc_uop *o, bool masked) {                                           \
    const typeof(MASK_OF(D)[0]) *m = MASK_OF(D);                                                                       \
    D *d = REG(D, o->d), v;                                                                                            \
    u64 first, at[DC_LANES] BUFFER;                                                                                    \
    if (!w->mask) return;                                                                                              \
    const shape s = begin_lanes(w, o, sizeof(S), &first, at);                                                          \
    const AT(S) *p = HOST(const AT(S), first);                                                                         \
    switch (s) {                                                                                                       \
      case SAME:                                                                                                       \
        v = (D)*p;                                                                                                     \
        if (masked) LANES(l) d[l] = m[l] ? v : d[l];                                                                   \
        else LANES(l) d[l] = v;                                                                                        \
        return;                                                                                                        \
      case RUN:                                                                                                        \
        if (w->mask == DC_ALL_LANES) LANES(l) d[l] = (D)p[l];                                                          \
        else V##bits##_store_some(d, convert(dc_row_##T(first, w->mask)), w->mask);                                    \
        return;                                                                                                        \
      case SCATTERED: EACH_LANE(l, w->mask) d[l] = (D)*HOST(const AT(S), at[l]);                                       \
    }                                                                                                                  \
  }                                                                                                                    \
  static void ld_##S##_##D(dc_warp *w, const dc_uop *o) { ld_##S##_##D##_any(w, o, false); }                           \
  static void ld_##S##_##D##_m(dc_warp *w, const dc_uop *o) { ld_##S##_##D##_any(w, o, true); }

/* st of containers of `bits`, D, as memory type T.  When all lanes write to one address, the last one's value is stored
** (PTX: one of them, unspecified which). */
#define STORE(T, D, bits, convert)                                                                                     \
  static void st_##T##_##D(dc_warp *w, const dc_uop *o) {                                                              \
    const D *b = REG(D, o->b);                                                                                         \
    u64 first, at[DC_LANES] BUFFER;                                                                                    \
    if (!w->mask) return;                                                                                              \
    const shape s = begin_lanes(w, o, sizeof(T), &first, at);                                                          \
    AT(T) *p = HOST(AT(T), first);                                                                                     \
    switch (s) {                                                                                                       \
      case SAME: *p = (T)b[31 - __builtin_clz(w->mask)]; return;                                                       \
      case RUN:                                                                                                        \
        if (w->mask == DC_ALL_LANES) LANES(l) p[l] = (T)b[l];                                                          \
        else dc_put_row_##T(first, convert(V##bits##_load(b)), w->mask);                                               \
        return;                                                                                                        \
      case SCATTERED: EACH_LANE(l, w->mask) *HOST(AT(T), at[l]) = (T)b[l];                                             \
    }                                                                                                                  \
  }

/* Vectors of 8 and 16 bytes.  A lane's vector is accessed at once, as GPUs do: PTX does not promise that, but programs
** with races see it. */
#define GET(bits, e) V##bits##_load(REG(u##bits, o->v[e]))
#define PACK(name, R, V, bits, n, ...)                                                                                 \
  static void ld_pack##name(dc_warp *w, const dc_uop *o) {                                                             \
    u##bits whole[128 / bits] BUFFER;                                                                                  \
    u64 first, at[DC_LANES] BUFFER;                                                                                    \
    R r;                                                                                                               \
    if (!w->mask) return;                                                                                              \
    const shape s = begin_lanes(w, o, n * bits / 8, &first, at);                                                       \
    if (s == SAME) read_whole(whole, first, n * bits / 8, bits / 8);                                                   \
    else r = s == RUN ? dc_row_pack##name(first, w->mask) : dc_gather_pack##name(V64_load(at), w->mask);               \
    for (int e = 0; e < n; e++)                                                                                        \
      if (o->v[e] != DC_NO_OPERAND)                                                                                    \
        V##_store_some(REG(u##bits, o->v[e]), s == SAME ? V##_splat(whole[e]) : (&r.x0)[e], w->mask);                  \
  }                                                                                                                    \
  static void st_pack##name(dc_warp *w, const dc_uop *o) {                                                             \
    u64 first, at[DC_LANES] BUFFER;                                                                                    \
    if (!w->mask) return;                                                                                              \
    const shape s = begin_lanes(w, o, n * bits / 8, &first, at);                                                       \
    if (s == RUN) dc_put_row_pack##name(first, w->mask, __VA_ARGS__);                                                  \
    else dc_scatter_pack##name(s == SAME ? V64_splat(first) : V64_load(at), w->mask, __VA_ARGS__);                     \
  }
PACK(2, dc_two, V32, 32, 2, GET(32, 0), GET(32, 1))
PACK(4, dc_four, V32, 32, 4, GET(32, 0), GET(32, 1), GET(32, 2), GET(32, 3))
PACK(2x64, dc_two_64, V64, 64, 2, GET(64, 0), GET(64, 1))

/* Vectors of 4 bytes: words, of which the elements are parts. */
static void ld_parts(dc_warp *w, const dc_uop *o) {
  const u32 bits = 32u / o->ins->vec;
  u64 first, at[DC_LANES] BUFFER;
  V32 x;
  if (!w->mask) return;
  switch (begin_lanes(w, o, 4, &first, at)) {
    case SAME: x = V32_splat(dc_ld_u32(first)); break;
    case RUN: x = dc_row_u32(first, w->mask); break;
    default: x = dc_any_gather_u32(V64_load(at), 0, w->mask);
  }
  for (u32 e = 0; e < o->ins->vec; e++) {
    const V32 top = v_shl_32(x, V32_splat(32 - bits * (e + 1))), by = V32_splat(32 - bits);
    const V32 part = ptx_is_signed(o->ins->type) ? v_shr_s32(top, by) : v_shr_u32(top, by);
    if (o->v[e] == DC_NO_OPERAND) continue;
    if (ptx_container(o->bits[0]) == 32) V32_store_some(REG(u32, o->v[e]), part, w->mask);
    else V16_store_some(REG(u16, o->v[e]), v_cvt_i16_u16_w(part), w->mask);
  }
}
static void st_parts(dc_warp *w, const dc_uop *o) {
  const u32 bits = 32u / o->ins->vec;
  u64 first, at[DC_LANES] BUFFER;
  V32 x = V32_splat(0);
  if (!w->mask) return;
  for (u32 e = o->ins->vec; e-- > 0;)
    x = dc_beside(ptx_container(o->bits[2]) == 32 ? V32_load(REG(u32, o->v[e])) : V16_load(REG(u16, o->v[e])), x, bits);
  const shape s = begin_lanes(w, o, 4, &first, at);
  if (s == RUN) dc_put_row_u32(first, x, w->mask);
  else dc_any_scatter_u32(s == SAME ? V64_splat(first) : V64_load(at), 0, x, w->mask);
}

/* volatile, relaxed, acquire, release: every lane's access happens once, whole (a vector, too), and in order.  Also for
** plain vectors of other sizes, and 128 bits. */
#define LOAD_ORDERED(S, D)                                                                                             \
  static void ldo_##S##_##D(dc_warp *w, const dc_uop *o) {                                                             \
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
#define STORE_ORDERED(S, D)                                                                                            \
  static void sto_##S##_##D(dc_warp *w, const dc_uop *o) {                                                             \
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

/* LOADS(S, T, bits), STORES(T, bits): memory types and containers of an element. */
#define LOAD_FORMS(LOADS)                                                                                              \
  LOADS(u8, u8, 16) LOADS(s8, u8, 16) LOADS(u16, u16, 16)                                                              \
  LOADS(u8, u8, 32) LOADS(s8, u8, 32) LOADS(u16, u16, 32) LOADS(s16, u16, 32) LOADS(u32, u32, 32)                      \
  LOADS(u8, u8, 64) LOADS(s8, u8, 64) LOADS(u16, u16, 64) LOADS(s16, u16, 64) LOADS(u32, u32, 64) LOADS(s32, u32, 64)
#define STORE_FORMS(STORES)                                                                                            \
  STORES(u8, 16) STORES(u16, 16) STORES(u8, 32) STORES(u16, 32) STORES(u32, 32) STORES(u8, 64) STORES(u16, 64)         \
  STORES(u32, 64)
#define LOADS(S, T, bits) LOAD(S, T, u##bits, bits, v_cvt_i##bits##_##S##_w) LOAD_ORDERED(S, u##bits)
#define AS_16(x) (x)
#define AS_32(x) (x)
#define AS_64(x) v_low_half(x)
#define STORES(T, bits) STORE(T, u##bits, bits, AS_##bits) STORE_ORDERED(T, u##bits)
LOAD_FORMS(LOADS)
LOAD(u64, u64, u64, 64, v_mov_64)
LOAD_ORDERED(u64, u64)
LOAD_ORDERED(u128, u128)
STORE_FORMS(STORES)
STORE(u64, u64, 64, v_mov_64)
STORE_ORDERED(u64, u64)
STORE_ORDERED(u128, u128)

typedef struct access {
  uint8_t bits, container;
  bool sign;
  dc_op_fn fn, fn_masked, ordered;
} access;
#define IS_SIGNED(S, bits) (8 * sizeof(S) < bits && (S)-1 < (S)1) /* as wide: no matter */
#define LOAD_ROW(S, T, bits)                                                                                           \
  { 8 * sizeof(S), bits, IS_SIGNED(S, bits), ld_##S##_u##bits, ld_##S##_u##bits##_m, ldo_##S##_u##bits },
#define STORE_ROW(T, bits) { 8 * sizeof(T), bits, false, st_##T##_u##bits, st_##T##_u##bits, sto_##T##_u##bits },
static const access loads[] = { LOAD_FORMS(LOAD_ROW) LOAD_ROW(u64, u64, 64)
                                { 128, 128, false, ldo_u128_u128, ldo_u128_u128, ldo_u128_u128 } };
static const access stores[] = { STORE_FORMS(STORE_ROW) STORE_ROW(u64, 64)
                                 { 128, 128, false, sto_u128_u128, sto_u128_u128, sto_u128_u128 } };

/* A vector's operation. */
static dc_op_fn pack_of(const dc_uop *o, int container, bool load) {
  const int bits = ptx_type_bits((ptx_type)o->ins->type);
  if (bits * o->ins->vec == 32 && container <= 32) return load ? ld_parts : st_parts;
  if (bits != container || bits < 32 || bits * o->ins->vec > 128) return NULL;
  if (bits == 64) return load ? ld_pack2x64 : st_pack2x64;
  if (o->ins->vec == 2) return load ? ld_pack2 : st_pack2;
  return o->ins->vec != 4 ? NULL : load ? ld_pack4 : st_pack4;
}

static bool select_access(dc_uop *o, const access *table, size_t rows, int register_bits, bool sign) {
  const int bits = ptx_type_bits((ptx_type)o->ins->type);
  const int container = ptx_container(register_bits ? register_bits : bits);
  if (bits == container) sign = false;
  for (size_t i = 0; i < rows; i++) {
    const access *t = &table[i];
    if (t->bits != bits || t->container != container || t->sign != sign) continue;
    if (o->ins->vec < 2 && !(o->ins->flags & PTX_F_STRONG)) return dc_pick(o, t->fn, t->fn_masked);
    const dc_op_fn pack = o->ins->flags & PTX_F_STRONG ? NULL : pack_of(o, container, table == loads);
    return dc_pick(o, pack ? pack : t->ordered, pack ? pack : t->ordered);
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
