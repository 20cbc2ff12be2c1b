/*
** compare.c - setp, set, selp, slct; PTX ISA 9.7.6 and 9.7.7.
**
** A comparison gives a word of one bit a lane.  All eighteen relations reduce to five tests of floats and two of
** integers, by swapping operands (once, at decoding) and inverting.
*/
#include "cpu/ops/math_half.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* --- tests --------------------------------------------------------------------------------------- */

#if defined(__AVX512BW__) && defined(__AVX512F__)
#define TEST_F32(name, op, expr)                                                                                       \
  static inline u32 name(const f32 *a, const f32 *b) {                                                                 \
    u32 lo = _mm512_cmp_ps_mask(_mm512_load_ps(a), _mm512_load_ps(b), op);                                             \
    u32 hi = _mm512_cmp_ps_mask(_mm512_load_ps(a + 16), _mm512_load_ps(b + 16), op);                                   \
    return lo | hi << 16;                                                                                              \
  }
#define TEST_F64(name, op, expr)                                                                                       \
  static inline u32 name(const f64 *a, const f64 *b) {                                                                 \
    u32 r = 0;                                                                                                         \
    for (int i = 0; i < 32; i += 8)                                                                                    \
      r |= (u32)_mm512_cmp_pd_mask(_mm512_load_pd(a + i), _mm512_load_pd(b + i), op) << i;                             \
    return r;                                                                                                          \
  }
#define TEST_INT(name, T, part, cmp, op, expr)                                                                         \
  static inline u32 name(const T *a, const T *b) {                                                                     \
    u32 r = 0;                                                                                                         \
    for (int i = 0; i < 32; i += part) r |= (u32)cmp(_mm512_load_si512(a + i), _mm512_load_si512(b + i), op) << i;     \
    return r;                                                                                                          \
  }
#else
/* Lanes that are all ones or zero, to bits. */
static inline u32 lanes_to_bits32(const s32 *t) {
  u32 r = 0;
#if defined(__AVX2__)
  for (int i = 0; i < 32; i += 8) r |= (u32)_mm256_movemask_ps(_mm256_load_ps((const f32 *)(const void *)(t + i))) << i;
#elif defined(__SSE2__)
  for (int i = 0; i < 32; i += 4) r |= (u32)_mm_movemask_ps(_mm_load_ps((const f32 *)(const void *)(t + i))) << i;
#else
  LANES(l) r |= (u32)t[l] & BIT_OF_LANE[l];
#endif
  return r;
}
static inline u32 lanes_to_bits64(const s64 *t) {
  u32 r = 0;
#if defined(__AVX2__)
  for (int i = 0; i < 32; i += 4) r |= (u32)_mm256_movemask_pd(_mm256_load_pd((const f64 *)(const void *)(t + i))) << i;
#else
  LANES(l) r |= (u32)t[l] & BIT_OF_LANE[l];
#endif
  return r;
}
static inline u32 lanes_to_bits16(const s16 *t) {
  u32 r = 0;
  LANES(l) r |= (u32)(s32)t[l] & BIT_OF_LANE[l];
  return r;
}
#define TEST_(name, T, S, bits, expr)                                                                                  \
  static inline u32 name(const T *a, const T *b) {                                                                     \
    S t[DC_LANES] BUFFER;                                                                                              \
    LANES(l) {                                                                                                         \
      const T x = a[l], y = b[l];                                                                                      \
      t[l] = (S) - (expr);                                                                                             \
    }                                                                                                                  \
    return lanes_to_bits##bits(t);                                                                                     \
  }
#define TEST_F32(name, op, expr) TEST_(name, f32, s32, 32, expr)
#define TEST_F64(name, op, expr) TEST_(name, f64, s64, 64, expr)
#define TEST_INT(name, T, part, cmp, op, expr) TEST_INT_##part(name, T, expr)
#define TEST_INT_32(name, T, expr) TEST_(name, T, s16, 16, expr)
#define TEST_INT_16(name, T, expr) TEST_(name, T, s32, 32, expr)
#define TEST_INT_8(name, T, expr) TEST_(name, T, s64, 64, expr)
#endif

/* --- setp ---------------------------------------------------------------------------------------- */

/* A test of the registers' bytes, and the four plain setp functions made of it. */
#define SETP(test, T)                                                                                                  \
  static u32 test##_test(const void *a, const void *b) { return test((const T *)a, (const T *)b); }                    \
  static void setp_##test(dc_warp *w, const dc_uop *o) { put_pred(w, o->d, test(REG(T, o->a), REG(T, o->b))); }        \
  static void setp_not_##test(dc_warp *w, const dc_uop *o) { put_pred(w, o->d, ~test(REG(T, o->a), REG(T, o->b))); }   \
  static void setp_##test##_m(dc_warp *w, const dc_uop *o) {                                                           \
    put_pred_masked(w, o->d, test(REG(T, o->a), REG(T, o->b)));                                                        \
  }                                                                                                                    \
  static void setp_not_##test##_m(dc_warp *w, const dc_uop *o) {                                                       \
    put_pred_masked(w, o->d, ~test(REG(T, o->a), REG(T, o->b)));                                                       \
  }
#define FLOATS(name, op, expr)                                                                                         \
  TEST_F32(name##_f32, op, expr) SETP(name##_f32, f32) TEST_F64(name##_f64, op, expr) SETP(name##_f64, f64)
FLOATS(eq, _CMP_EQ_OQ, x == y)
FLOATS(lg, _CMP_NEQ_OQ, (x < y) | (x > y)) /* less or greater: ordered and not equal */
FLOATS(lt, _CMP_LT_OQ, x < y)
FLOATS(le, _CMP_LE_OQ, x <= y)
FLOATS(num, _CMP_ORD_Q, (x == x) & (y == y))
#define INTS(N, part)                                                                                                  \
  TEST_INT(eq_##N, u##N, part, _mm512_cmp_epu##N##_mask, _MM_CMPINT_EQ, x == y) SETP(eq_##N, u##N)                     \
  TEST_INT(lt_u##N, u##N, part, _mm512_cmp_epu##N##_mask, _MM_CMPINT_LT, x < y) SETP(lt_u##N, u##N)                    \
  TEST_INT(lt_s##N, s##N, part, _mm512_cmp_epi##N##_mask, _MM_CMPINT_LT, x < y) SETP(lt_s##N, s##N)
INTS(16, 32) INTS(32, 16) INTS(64, 8)

typedef struct test {
  u32 (*bits)(const void *a, const void *b);
  dc_op_fn setp, setp_masked, setp_not, setp_not_masked;
} test;
#define TEST(name)                                                                                                     \
  { name##_test, setp_##name, setp_##name##_m, setp_not_##name, setp_not_##name##_m }
enum { T_EQ, T_LG, T_LT, T_LE, T_NUM };
static const test tests_f32[] = {TEST(eq_f32), TEST(lg_f32), TEST(lt_f32), TEST(le_f32), TEST(num_f32)};
static const test tests_f64[] = {TEST(eq_f64), TEST(lg_f64), TEST(lt_f64), TEST(le_f64), TEST(num_f64)};
/* rows: 16, 32, 64 bits; columns: equal, unsigned less, signed less */
static const test tests_int[3][3] = {{TEST(eq_16), TEST(lt_u16), TEST(lt_s16)},
                                     {TEST(eq_32), TEST(lt_u32), TEST(lt_s32)},
                                     {TEST(eq_64), TEST(lt_u64), TEST(lt_s64)}};

/* A relation as a test, on operands swapped or not, its result inverted or not. */
typedef struct relation {
  const test *test;
  bool swap, invert;
} relation;

static relation float_relation(const test *tests, int cmp) {
  switch (cmp) {
    case PTX_EQ: return (relation){&tests[T_EQ], false, false};
    case PTX_NE: return (relation){&tests[T_LG], false, false};
    case PTX_LT: return (relation){&tests[T_LT], false, false};
    case PTX_LE: return (relation){&tests[T_LE], false, false};
    case PTX_GT: return (relation){&tests[T_LT], true, false};
    case PTX_GE: return (relation){&tests[T_LE], true, false};
    case PTX_EQU: return (relation){&tests[T_LG], false, true};
    case PTX_NEU: return (relation){&tests[T_EQ], false, true};
    case PTX_LTU: return (relation){&tests[T_LE], true, true};
    case PTX_LEU: return (relation){&tests[T_LT], true, true};
    case PTX_GTU: return (relation){&tests[T_LE], false, true};
    case PTX_GEU: return (relation){&tests[T_LT], false, true};
    case PTX_NUM: return (relation){&tests[T_NUM], false, false};
    case PTX_NAN: return (relation){&tests[T_NUM], false, true};
    default: return (relation){NULL, false, false};
  }
}

static relation int_relation(int bits, bool sign, int cmp) {
  const test *row = tests_int[bits == 16 ? 0 : bits == 32 ? 1 : 2];
  const test *less = &row[sign && cmp < PTX_LO ? 2 : 1];
  switch (cmp) {
    case PTX_EQ: return (relation){&row[0], false, false};
    case PTX_NE: return (relation){&row[0], false, true};
    case PTX_LT: case PTX_LO: return (relation){less, false, false};
    case PTX_LE: case PTX_LS: return (relation){less, true, true};
    case PTX_GT: case PTX_HI: return (relation){less, true, false};
    case PTX_GE: case PTX_HS: return (relation){less, false, true};
    default: return (relation){NULL, false, false};
  }
}

/* test is NULL where type and comparison do not match. Halves are compared as f32. */
static relation relation_of(int type, int cmp) {
  switch (type) {
    case PTX_F16: case PTX_F16X2: case PTX_BF16: case PTX_BF16X2:
    case PTX_F32: return float_relation(tests_f32, cmp);
    case PTX_F64: return float_relation(tests_f64, cmp);
    case PTX_B16: case PTX_U16: case PTX_S16: case PTX_B32: case PTX_U32: case PTX_S32:
    case PTX_B64: case PTX_U64: case PTX_S64:
      return int_relation(ptx_type_bits((ptx_type)type), dc_is_signed(type), cmp);
    default: return (relation){NULL, false, false};
  }
}

static int source_type(const ptx_ins *ins) { return ins->op == PTX_OP_SET ? ins->type2 : ins->type; }
static bool is_half(int type) { return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2; }
static bool is_pair(int type) { return type == PTX_F16X2 || type == PTX_BF16X2; }

/* Half `part` of each lane of a register, as f32. */
static void widen(const dc_warp *w, u32 slot, const ptx_ins *ins, int part, f32 *x) {
  const int type = source_type(ins);
  const bool brain = type == PTX_BF16 || type == PTX_BF16X2, ftz = (ins->flags & PTX_F_FTZ) != 0;
  for (int l = 0; l < DC_LANES; l++) {
    u32 h = is_pair(type) ? REG(u32, slot)[l] >> (16 * part) & 0xffff : REG(u16, slot)[l];
    x[l] = brain ? bf16_to_f32(h) : f16_to_f32(ftz ? f16_flush(h) : h);
  }
}

/* The comparison's bits, before .boolop, with .ftz and conversion of halves.  `select` has swapped the operands. */
static u32 compare(const dc_warp *w, const dc_uop *o, int part) {
  const ptx_ins *ins = o->ins;
  const relation r = relation_of(source_type(ins), ins->cmp);
  f32 x[DC_LANES] BUFFER, y[DC_LANES] BUFFER;
  const void *a = w->regs + o->a, *b = w->regs + o->b;
  if (is_half(source_type(ins))) {
    widen(w, o->a, ins, part, x);
    widen(w, o->b, ins, part, y);
    a = x, b = y;
  } else if ((ins->flags & PTX_F_FTZ) && source_type(ins) == PTX_F32) {
    LANES(l) x[l] = flush(REG(f32, o->a)[l]);
    LANES(l) y[l] = flush(REG(f32, o->b)[l]);
    a = x, b = y;
  }
  const u32 bits = r.test->bits(a, b);
  return r.invert ? ~bits : bits;
}

static u32 combine(const dc_warp *w, const dc_uop *o, u32 bits) {
  if (!o->ins->boolop) return bits;
  const u32 c = pred_of(w, o->c, o->neg_c);
  return o->ins->boolop == 1 ? bits & c : o->ins->boolop == 2 ? bits | c : bits ^ c;
}

/* Any setp: .boolop, p|q (q: the opposite; for pairs of halves the upper one), .ftz, halves. */
static void setp_any(dc_warp *w, const dc_uop *o) {
  const u32 p = compare(w, o, 0), q = is_pair(o->ins->type) ? compare(w, o, 1) : ~p;
  const u32 first = combine(w, o, p), second = combine(w, o, q);
  if (o->d != DC_NO_OPERAND) put_pred_masked(w, o->d, first);
  if (o->ins->ndst > 1 && o->d2 != DC_NO_OPERAND) put_pred_masked(w, o->d2, second);
}

/* set: all ones or 1.0 where true. */
static u32 truth(int type) {
  switch (type) {
    case PTX_F32: return 0x3f800000u;
    case PTX_F16: case PTX_F16X2: return 0x3c00u;
    case PTX_BF16: case PTX_BF16X2: return 0x3f80u;
    default: return ~(u32)0;
  }
}
static void set_any(dc_warp *w, const dc_uop *o) {
  const bool pair = is_pair(source_type(o->ins));
  const u32 one = truth(o->ins->type), lo = combine(w, o, compare(w, o, 0));
  const u32 hi = pair ? combine(w, o, compare(w, o, 1)) : 0;
  EACH_LANE(l, w->mask) {
    const u32 x = lo >> l & 1 ? one : 0, y = hi >> l & 1 ? one : 0;
    if (ptx_type_bits((ptx_type)o->ins->type) == 16)
      REG(u16, o->d)[l] = (u16)x;
    else
      REG(u32, o->d)[l] = pair ? (x & 0xffffu) | y << 16 : x;
  }
}

static void swap_sources(dc_uop *o) {
  u32 a = o->a;
  o->a = o->b;
  o->b = a;
}

static bool select_setp(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const relation r = relation_of(ins->type, ins->cmp);
  const int bits = dc_container(ptx_type_bits((ptx_type)ins->type));
  if (!r.test || !dc_shaped(o, 0, bits, bits, 0)) return false;
  if (is_pair(ins->type) && ins->ndst < 2) return false;
  if (r.swap) swap_sources(o);
  if (ins->boolop || ins->ndst > 1 || is_half(ins->type) || (ins->flags & PTX_F_FTZ)) return PICK_RARE(setp_any);
  return r.invert ? dc_pick(o, r.test->setp_not, r.test->setp_not_masked)
                  : dc_pick(o, r.test->setp, r.test->setp_masked);
}

static bool select_set(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const relation r = relation_of(ins->type2, ins->cmp);
  const int bits = dc_container(ptx_type_bits((ptx_type)ins->type2)), dbits = ptx_type_bits((ptx_type)ins->type);
  if (!r.test || (dbits != 16 && dbits != 32) || !dc_shaped(o, dbits, bits, bits, 0)) return false;
  if (is_pair(ins->type2) != is_pair(ins->type) && is_pair(ins->type)) return false;
  if (r.swap) swap_sources(o);
  return PICK_RARE(set_any);
}

/* --- selp, slct ---------------------------------------------------------------------------------- */

#define P_ const u32 p = pred_of(w, o->c, o->neg_c);
#define SELP(N) BOTH_(selp_##N, u##N, P_ A_(u##N) B_(u##N), X_(u##N) Y_(u##N), p & BIT_OF_LANE[l] ? x : y)
SELP(16) SELP(32) SELP(64)

/* -0 counts as 0, NaN chooses b; with .ftz a subnormal is 0. */
static inline bool not_negative(f32 z, const dc_uop *o) { return (o->ins->flags & PTX_F_FTZ ? flush(z) : z) >= 0.0f; }
#define SLCT(N)                                                                                                        \
  RARE3(slct_s32_##N, u##N, u##N, u##N, s32, z >= 0 ? x : y)                                                           \
  RARE3(slct_f32_##N, u##N, u##N, u##N, f32, not_negative(z, o) ? x : y)
SLCT(16) SLCT(32) SLCT(64)

static bool select_slct(dc_uop *o, int bits) {
  bool f = o->ins->type2 == PTX_F32;
  if (!dc_shaped(o, bits, bits, bits, 32) || (!f && o->ins->type2 != PTX_S32)) return false;
  if (f) PICK_WIDTH(PICK_RARE, slct_f32_)
  PICK_WIDTH(PICK_RARE, slct_s32_)
}

bool PER_ISA(dc_select_compare)(dc_uop *o) {
  const int bits = ptx_type_bits((ptx_type)o->ins->type);
  switch (o->ins->op) {
    case PTX_OP_SETP: return select_setp(o);
    case PTX_OP_SET: return select_set(o);
    case PTX_OP_SLCT: return select_slct(o, bits);
    case PTX_OP_SELP:
      if (!dc_shaped(o, bits, bits, bits, 0)) return false;
      PICK_WIDTH(PICK, selp_)
    default: return false;
  }
}
