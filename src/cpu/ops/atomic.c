/*
** atomic.c - atom and red; PTX ISA 9.7.13.
**
** Every operation is a function of the old value, stored by a sequentially consistent compare-and-exchange, which
** covers all orders and scopes.  Lanes go in ascending order.  When all of them address one word, their operations are
** computed in registers and memory is exchanged once, which no observer can tell from 32 exchanges in a row.
*/
#include "cpu/ops/address.h"
#include "cpu/ops/gangs.h"
#include "cpu/ops/wide.h"

static bool all_same(const u64 *at, u32 mask) {
  const u64 first = at[__builtin_ctz(mask)];
  EACH_LANE(l, mask) if (at[l] != first) return false;
  return true;
}

/* expr: the new value of x (old), y (from b), z (from c).  Old values are buffered in t, since d may be b's or the
** address's slot, and an exchange may have to be repeated. */
#define ATOM(name, T, expr)                                                                                            \
  static inline T name##_new(const dc_uop *o, T x, T y, T z) {                                                         \
    (void)o, (void)x, (void)y, (void)z;                                                                                \
    return (T)(expr);                                                                                                  \
  }                                                                                                                    \
  static void name(dc_warp *w, const dc_uop *o) {                                                                      \
    u64 at[DC_LANES] BUFFER;                                                                                           \
    T t[DC_LANES] BUFFER;                                                                                              \
    const T *b = REG(T, o->b), *c = o->ins->mode == PTX_ATOM_CAS ? REG(T, o->c) : b;                                   \
    if (!w->mask) return;                                                                                              \
    begin_each(w, o, at, sizeof(T));                                                                                   \
    if (all_same(at, w->mask)) {                                                                                       \
      T *p = HOST(T, at[__builtin_ctz(w->mask)]), old = __atomic_load_n(p, __ATOMIC_SEQ_CST), now;                     \
      do {                                                                                                             \
        now = old;                                                                                                     \
        EACH_LANE(l, w->mask) {                                                                                        \
          t[l] = now;                                                                                                  \
          now = name##_new(o, now, b[l], c[l]);                                                                        \
        }                                                                                                              \
      } while (!__atomic_compare_exchange_n(p, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));                 \
    } else {                                                                                                           \
      EACH_LANE(l, w->mask) {                                                                                          \
        T *p = HOST(T, at[l]), old = __atomic_load_n(p, __ATOMIC_SEQ_CST);                                             \
        while (!__atomic_compare_exchange_n(p, &old, name##_new(o, old, b[l], c[l]), false, __ATOMIC_SEQ_CST,          \
                                            __ATOMIC_SEQ_CST)) {                                                       \
        }                                                                                                              \
        t[l] = old;                                                                                                    \
      }                                                                                                                \
    }                                                                                                                  \
    if (o->ins->op == PTX_OP_RED || o->d == DC_NO_OPERAND) return;                                                     \
    PUT_MASKED(T, o->d, t);                                                                                            \
  }

/* atom.global.add.f32 flushes subnormals, atom.shared keeps them.  A generic address counts as global: the compiler
** writes .shared wherever it can tell. */
static inline u32 add_f32(const dc_uop *o, u32 x, u32 y) {
  if (o->ins->space != PTX_GLOBAL && o->ins->space != PTX_GENERIC) return f32_bits(bits_f32(x) + bits_f32(y));
  return f32_bits(flush(flush(bits_f32(x)) + flush(bits_f32(y))));
}

#define WORDS(name, expr) ATOM(name##_32, u32, expr) ATOM(name##_64, u64, expr)
ATOM(exch_16, u16, y)
ATOM(cas_16, u16, x == y ? z : x)
WORDS(exch, y)
WORDS(cas, x == y ? z : x)
WORDS(and, x & (y))
WORDS(or, x | y)
WORDS(xor, x ^ y)
WORDS(add, x + y)
ATOM(add_f32_, u32, add_f32(o, x, y))
ATOM(add_f64, u64, f64_bits(bits_f64(x) + bits_f64(y)))
ATOM(inc_u32, u32, x >= y ? 0 : x + 1)
ATOM(dec_u32, u32, x == 0 || x > y ? y : x - 1)
#define ORDER(T, U) ATOM(min_##T, U, (T)x < (T)y ? x : y) ATOM(max_##T, U, (T)x > (T)y ? x : y)
ORDER(u32, u32) ORDER(s32, u32) ORDER(u64, u64) ORDER(s64, u64)
#define HALVES(T, U)                                                                                                   \
  ATOM(add_##T, U, s_add_##T(x, y)) ATOM(min_##T, U, s_min_##T(x, y)) ATOM(max_##T, U, s_max_##T(x, y))
HALVES(f16, u16) HALVES(f16x2, u32) HALVES(bf16, u16) HALVES(bf16x2, u32)

/* --- 16 bytes ------------------------------------------------------------------------------------------ */

static void atom_128(dc_warp *w, const dc_uop *o) {
  u64 at[DC_LANES] BUFFER;
  const bool cas = o->ins->mode == PTX_ATOM_CAS;
  const u128 *b = REG(u128, o->b), *c = cas ? REG(u128, o->c) : b;
  u128 t[DC_LANES];
  if (!w->mask) return;
  begin_each(w, o, at, 16);
  EACH_LANE(l, w->mask) {
    u128 *p = HOST(u128, at[l]), seen = b[l];
    if (cas) {
      t[l] = swap_128(p, b[l], c[l]);
      continue;
    }
    while ((t[l] = swap_128(p, seen, b[l])) != seen) seen = t[l];
  }
  if (o->d == DC_NO_OPERAND) return;
  EACH_LANE(l, w->mask) REG(u128, o->d)[l] = t[l];
}

/* --- vectors ------------------------------------------------------------------------------------------- */

/* Each element by an operation of its own, at o->v; the vector as a whole must be aligned. */
static void atom_vector(dc_warp *w, const dc_uop *o) {
  const dc_uop *each = (const dc_uop *)(const void *)o->v;
  u64 at[DC_LANES] BUFFER;
  if (!w->mask) return;
  addresses(w, o, at);
  check_each(w, o, at, (u32)ptx_type_bits((ptx_type)o->ins->type) / 8 * o->ins->vec);
  for (u32 e = 0; e < o->ins->vec; e++) each[e].fn(w, &each[e]);
}

/* Sum, minimum and maximum of a type. */
static const struct by_type {
  uint8_t type;
  dc_op_fn add, min, max;
} by_type[] = {
    {PTX_U32, add_32, min_u32, max_u32},             {PTX_S32, add_32, min_s32, max_s32},
    {PTX_U64, add_64, min_u64, max_u64},             {PTX_S64, add_64, min_s64, max_s64},
    {PTX_F32, add_f32_, NULL, NULL},                 {PTX_F64, add_f64, NULL, NULL},
    {PTX_F16, add_f16, min_f16, max_f16},            {PTX_BF16, add_bf16, min_bf16, max_bf16},
    {PTX_F16X2, add_f16x2, min_f16x2, max_f16x2},    {PTX_BF16X2, add_bf16x2, min_bf16x2, max_bf16x2},
};

static dc_op_fn find_by_type(const ptx_ins *ins) {
  for (size_t i = 0; i < sizeof by_type / sizeof *by_type; i++)
    if (by_type[i].type == ins->type)
      return ins->mode == PTX_ATOM_ADD ? by_type[i].add : ins->mode == PTX_ATOM_MIN ? by_type[i].min : by_type[i].max;
  return NULL;
}

static dc_op_fn find_atom(const ptx_ins *ins, int bits) {
  if (bits == 128) return ins->mode == PTX_ATOM_EXCH || ins->mode == PTX_ATOM_CAS ? atom_128 : NULL;
#define WIDTHS(name) (bits == 32 ? name##_32 : bits == 64 ? name##_64 : NULL)
  switch (ins->mode) {
    case PTX_ATOM_ADD: case PTX_ATOM_MIN: case PTX_ATOM_MAX: return find_by_type(ins);
    case PTX_ATOM_EXCH: return bits == 16 ? exch_16 : WIDTHS(exch);
    case PTX_ATOM_CAS: return bits == 16 ? cas_16 : WIDTHS(cas);
    case PTX_ATOM_INC: return ins->type == PTX_U32 ? inc_u32 : NULL;
    case PTX_ATOM_DEC: return ins->type == PTX_U32 ? dec_u32 : NULL;
    case PTX_ATOM_AND: return WIDTHS(and);
    case PTX_ATOM_OR: return WIDTHS(or);
    case PTX_ATOM_XOR: return WIDTHS(xor);
    default: return NULL;
  }
}

bool PER_ISA(dc_select_atomic)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const int bits = ptx_type_bits((ptx_type)ins->type);
  if (ins->op != PTX_OP_ATOM && ins->op != PTX_OP_RED) return false;
  if (ins->vec > 1) return dc_pick(o, atom_vector, atom_vector);
  if (!dc_shaped(o, ins->op == PTX_OP_ATOM && o->d != DC_NO_OPERAND ? bits : 0, 0, bits,
                 ins->mode == PTX_ATOM_CAS ? bits : 0))
    return false;
  const dc_op_fn fn = find_atom(ins, bits);
  return fn && dc_pick(o, fn, fn);
}
