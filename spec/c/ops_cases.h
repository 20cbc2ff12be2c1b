/*
** ops_cases.h - tests of operations as one-line cases: an opcode's text, the kinds of its operands, and an
** expression for one lane, which is written apart from the operations.
**
** Each case runs on edge values and random ones, with all lanes and with some, its result beside its
** sources and over them.
*/
#ifndef OPS_CASES_H
#define OPS_CASES_H

#include <fenv.h>

#include "cpu/interp/interp.h"
#include "cpu/ptx/opcode.h"
#include "ops_harness.h"

/* --- values ------------------------------------------------------------------------------------------ */

static const double float_edges[] = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     0.5,
                                     -0.5,
                                     1.5,
                                     -1.5,
                                     2.5,
                                     0.99999994,
                                     1.0000001,
                                     3.0,
                                     1e-3,
                                     65504.0,
                                     65520.0,
                                     65519.99,
                                     6.1e-5,
                                     5.96e-8,
                                     2.9e-8,
                                     3e-8,
                                     1.1754943e-38,
                                     -1.1e-38,
                                     1.4e-45,
                                     -1.4e-45,
                                     0x1p-149,
                                     0x1.8p-149,
                                     0x1p-150,
                                     3.4028234e38,
                                     -3.4028234e38,
                                     2147483520.0,
                                     2147483647.0,
                                     2147483648.0,
                                     -2147483648.0,
                                     -2147483649.0,
                                     4294967295.0,
                                     4294967296.0,
                                     9.2233720368547758e18,
                                     -9.2233720368547758e18,
                                     1.8446744073709552e19,
                                     1e300,
                                     -1e300,
                                     2.2250738585072014e-308,
                                     5e-324,
                                     32767.5,
                                     -32768.5,
                                     127.5,
                                     255.5,
                                     0x1p127,
                                     0x1p-126,
                                     0x1p-1022};

static double make_number(void) {
  switch (rnd() % 5) {
    case 0: return float_edges[rnd() % (sizeof float_edges / sizeof *float_edges)];
    case 1: return (double)(s64)(rnd() % 2001) / 8 - 125;
    case 2: return ldexp((double)(s64)rnd(), (int)(rnd() % 100) - 110);
    default: return ldexp((double)(s64)rnd(), -63 - (int)(rnd() % 8));
  }
}
static u64 make_f32(void) {
  switch (rnd() % 6) {
    case 0:
      return rnd() % 4 ? rnd() & 0xffffffffu : (u64[]){0x7f800000, 0xff800000u, 0x7fc00000, 0x7f800001}[rnd() % 4];
    default: return FB((float)make_number());
  }
}
static u64 make_f64(void) {
  switch (rnd() % 6) {
    case 0:
      return rnd() % 4 ? rnd()
                       : (u64[]){0x7ffull << 52, 0xfffull << 52, 0x7ff8ull << 48, (0x7ffull << 52) + 1}[rnd() % 4];
    default: return DB(make_number());
  }
}
static u64 make_half(void) {
  return rnd() % 4 ? rnd() & 0xffff
                   : (u64[]){0, 0x8000, 1, 0x3ff, 0x400, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x3c00}[rnd() % 10];
}

/* One operand's kind: letter and container bits, "i32", "f64", "h16" …; P: predicate; s: shift amount; n: small. */
typedef struct operand_kind {
  char letter;
  int bits;
} operand_kind;

static u64 make_value(operand_kind k) {
  switch (k.letter) {
    case 'f': return k.bits == 32 ? make_f32() : make_f64();
    case 'h': return make_half();
    case 'b': return rnd() % 3 ? make_f32() >> 16 : rnd() & 0xffff;
    case 'p': return make_half() << 16 | make_half();
    case 'q': return (make_f32() & 0xffff0000u) | make_f32() >> 16;
    case 's': return rnd() % 8 ? rnd() % 70 : make_int(32);
    case 'n': return (u32)(rnd() % 11) - 5;
    case 'P': return rnd() & 1;
    case 'L': return 0xe8; /* lop3's table is the same for all lanes */
    default: return make_int(k.bits);
  }
}

static bool is_nan(operand_kind k, u64 x) {
  switch (k.letter) {
    case 'f': return k.bits == 32 ? F(x) != F(x) : D(x) != D(x);
    case 'h': return (x & 0x7fff) > 0x7c00;
    case 'b': return (x & 0x7fff) > 0x7f80;
    default: return false;
  }
}
static bool same(operand_kind k, u64 x, u64 y) {
  const operand_kind half = {k.letter == 'p' ? 'h' : 'b', 16};
  if (k.letter == 'p' || k.letter == 'q') return same(half, x & 0xffff, y & 0xffff) && same(half, x >> 16, y >> 16);
  return x == y || (is_nan(k, x) && is_nan(k, y));
}

typedef u64 (*reference)(u64 a, u64 b, u64 c, u64 e);

typedef struct test_case {
  const char *text, *kinds;
  reference ref;
} test_case;
static test_case cases[2000];
static int ncases;

static int parse_kinds(const char *s, operand_kind *k) {
  int n = 0;
  while (*s) {
    k[n].letter = *s++;
    k[n].bits = (int)strtol(s, (char **)&s, 10);
    if (k[n].letter == 'P') k[n].bits = 1;
    n++;
    while (*s == ' ') s++;
  }
  return n;
}

static void place(dc_uop *o, const operand_kind *k, int n) {
  u32 *places[5] = {&o->d, &o->a, &o->b, &o->c, &o->e};
  for (int i = 0; i < n; i++) {
    *places[i] = k[i].letter == 'P' ? (u32)i + 1 : SLOT(i);
    if (i < 4) o->bits[i] = (uint8_t)k[i].bits;
  }
}

static u64 read_operand(const operand_kind *k, int i, int lane) {
  return k[i].letter == 'P' ? preds[i + 1] >> lane & 1 : get(SLOT(i), k[i].bits, lane);
}

/* Results are written over sources too (in_place: d is a's slot, as the allocator may decide). */
static void run_round(const test_case *t, dc_uop *o, const operand_kind *k, int n, bool masked, bool in_place) {
  u64 in[5][DC_LANES] = {{0}}, before[DC_LANES];
  const u32 mask = masked ? (u32)rnd() & (u32)rnd() : DC_ALL_LANES;
  char detail[300];
  fresh_warp();
  for (int i = 0; i < n; i++)
    for (int l = 0; l < DC_LANES; l++) {
      in[i][l] = make_value(k[i]);
      if (k[i].letter == 'P')
        preds[i + 1] = (preds[i + 1] & ~(1u << l)) | (u32)in[i][l] << l;
      else
        put(SLOT(i), k[i].bits, l, in[i][l]);
    }
  dc_uop here = *o;
  if (in_place) here.d = here.a;
  for (int l = 0; l < DC_LANES; l++) before[l] = in_place ? in[1][l] : read_operand(k, 0, l);
  ops->set_mask(&warp, mask);
  if (mask || !masked) ops->run(&warp, &here, &here + 1, masked);
  for (int l = 0; l < DC_LANES; l++) {
    const u64 got = in_place ? get(SLOT(1), k[0].bits, l) : read_operand(k, 0, l);
    u64 want = mask >> l & 1 ? t->ref(in[1][l], in[2][l], in[3][l], in[4][l]) : before[l];
    if (k[0].bits < 64) want &= ((u64)1 << k[0].bits) - 1;
    if (same(k[0], got, want)) continue;
    snprintf(detail, sizeof detail, "%s lane %d mask %08x: %llx %llx %llx %llx gives %llx, not %llx", t->kinds, l, mask,
             (unsigned long long)in[1][l], (unsigned long long)in[2][l], (unsigned long long)in[3][l],
             (unsigned long long)in[4][l], (unsigned long long)got, (unsigned long long)want);
    check(false, t->text, detail);
    return;
  }
  passed++;
}

static void run_case(const test_case *t) {
  operand_kind k[5];
  dc_uop o;
  ptx_form form;
  const int n = parse_kinds(t->kinds, k);
  if (!decode(t->text, &o, &form, 1, n - 1)) return;
  place(&o, k, n);
  dc_uop unswapped = o;
  if (!ops->select(&o)) {
    check(false, t->text, "is not supported");
    return;
  }
  (void)unswapped;
  const bool can_alias = n > 1 && k[0].letter != 'P' && k[1].letter != 'P' && k[0].bits == k[1].bits;
  for (int i = 0; i < 40; i++) {
    run_round(t, &o, k, n, false, false);
    run_round(t, &o, k, n, true, false);
    if (can_alias && o.a == SLOT(1)) run_round(t, &o, k, n, i & 1, true);
  }
}

/* A case is a function that registers itself. */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define CASE_(id, text, kinds, expr)                                                                                   \
  static u64 PASTE(ref_, id)(u64 a, u64 b, u64 c, u64 e) {                                                             \
    (void)a, (void)b, (void)c, (void)e;                                                                                \
    return (u64)(expr);                                                                                                \
  }                                                                                                                    \
  __attribute__((constructor)) static void PASTE(add_, id)(void) {                                                     \
    cases[ncases++] = (test_case){text, kinds, PASTE(ref_, id)};                                                       \
  }
#define CASE(text, kinds, expr) CASE_(__COUNTER__, text, kinds, expr)

/* --- what references share -------------------------------------------------------------------------------- */

static inline float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }
static inline float clamped(float x) { return x > 1 ? 1 : x > 0 ? x : 0; }
static inline double clamped64(double x) { return x > 1 ? 1 : x > 0 ? x : 0; }
static inline double least(double x, double y) {
  if (x != x) return y;
  if (y != y) return x;
  if (x == 0 && y == 0) return signbit(x) ? x : y;
  return x < y ? x : y;
}
static inline double greatest(double x, double y) { return x != x || y != y ? least(x, y) : -least(-x, -y); }
#define RELATIONS(type, kinds, get)                                                                                    \
  CASE("setp.eq." type, kinds, get(a) == get(b))                                                                       \
  CASE("setp.ne." type, kinds, get(a) < get(b) || get(a) > get(b))                                                     \
  CASE("setp.lt." type, kinds, get(a) < get(b))                                                                        \
  CASE("setp.le." type, kinds, get(a) <= get(b))                                                                       \
  CASE("setp.gt." type, kinds, get(a) > get(b))                                                                        \
  CASE("setp.ge." type, kinds, get(a) >= get(b))                                                                       \
  CASE("setp.equ." type, kinds, !(get(a) < get(b) || get(a) > get(b)))                                                 \
  CASE("setp.neu." type, kinds, !(get(a) == get(b)))                                                                   \
  CASE("setp.ltu." type, kinds, !(get(a) >= get(b)))                                                                   \
  CASE("setp.leu." type, kinds, !(get(a) > get(b)))                                                                    \
  CASE("setp.gtu." type, kinds, !(get(a) <= get(b)))                                                                   \
  CASE("setp.geu." type, kinds, !(get(a) < get(b)))                                                                    \
  CASE("setp.num." type, kinds, get(a) == get(a) && get(b) == get(b))                                                  \
  CASE("setp.nan." type, kinds, get(a) != get(a) || get(b) != get(b))

#endif
