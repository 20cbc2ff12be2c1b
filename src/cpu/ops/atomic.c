/*
** atomic.c - atom and red; PTX ISA 9.7.13.
**
** Every operation is a function of the old value, stored by a sequentially consistent compare-and-exchange, which
** covers all orders and scopes.  Lanes go in ascending order.  When all of them address one word, their operations are
** computed in registers and memory is exchanged once, which no observer can tell from 32 exchanges in a row.
*/
#include "cpu/interp/op_names.h"
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
static inline u32 sum_f32(const dc_uop *o, u32 x, u32 y) {
  if (o->ins->space != PTX_GLOBAL && o->ins->space != PTX_GENERIC) return f32_bits(bits_f32(x) + bits_f32(y));
  return f32_bits(flush(flush(bits_f32(x)) + flush(bits_f32(y))));
}

/* X(name, type of the words, new value), by dc_atom_name. */
#define WORDS(X, name, expr) X(name##_32, u32, expr) X(name##_64, u64, expr)
#define INTEGERS(X, name, expr)                                                                                        \
  X(name##_u32, u32, EXPR_##expr(u32)) X(name##_s32, u32, EXPR_##expr(s32))                                            \
  X(name##_u64, u64, EXPR_##expr(u64)) X(name##_s64, u64, EXPR_##expr(s64))
#define EXPR_sum(T) x + y
#define EXPR_least(T) (T)x < (T)y ? x : y
#define EXPR_most(T) (T)x > (T)y ? x : y
#define HALVES(X, T, U)                                                                                                \
  X(add_##T, U, s_add_##T(x, y)) X(min_##T, U, s_min_##T(x, y)) X(max_##T, U, s_max_##T(x, y))
#define ATOMS(X)                                                                                                       \
  X(exch_16, u16, y) X(cas_16, u16, x == y ? z : x) WORDS(X, exch, y) WORDS(X, cas, x == y ? z : x)                    \
  WORDS(X, and, x & (y)) WORDS(X, or, x | y) WORDS(X, xor, x ^ y)                                                      \
  INTEGERS(X, add, sum) INTEGERS(X, min, least) INTEGERS(X, max, most)                                                 \
  X(add_f32, u32, sum_f32(o, x, y)) X(add_f64, u64, f64_bits(bits_f64(x) + bits_f64(y)))                               \
  X(inc_u32, u32, x >= y ? 0 : x + 1) X(dec_u32, u32, x == 0 || x > y ? y : x - 1)                                     \
  HALVES(X, f16, u16) HALVES(X, f16x2, u32) HALVES(X, bf16, u16) HALVES(X, bf16x2, u32)
ATOMS(ATOM)

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

static dc_op_fn find_atom(const ptx_ins *ins, int bits) {
#define ROW(name, T, expr) {#name, name},
  static const struct {
    const char *name;
    dc_op_fn fn;
  } atoms[] = {ATOMS(ROW)};
  char name[16];
  if (bits == 128) return ins->mode == PTX_ATOM_EXCH || ins->mode == PTX_ATOM_CAS ? atom_128 : NULL;
  dc_atom_name(ins, name);
  for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++)
    if (strcmp(atoms[i].name, name) == 0) return atoms[i].fn;
  return NULL;
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
