/*
** test_ops.c - every form of tier 0's operations against scalar references written apart from them.
**
** A case is an opcode's text, the kinds of its operands, and an expression for one lane.  Each runs on
** every instruction set of this machine, on edge values and random ones, with all lanes and with some.
** Build: `make units` (links the library; nothing else is needed); prints "N passed, N failed".
** By hand: cc -std=gnu11 -D_GNU_SOURCE -Isrc -ffp-contract=off -fwrapv -fno-strict-aliasing spec/c/test_ops.c
**   build/libdotcompute.a -lm -ldl -lpthread
*/
#include <fenv.h>

#include "ops_harness.h"

/* --- values ------------------------------------------------------------------------------------------ */

static const double float_edges[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, 0.99999994, 1.0000001, 3.0, 1e-3,
                                     65504.0, 65520.0, 65519.99, 6.1e-5, 5.96e-8, 2.9e-8, 3e-8, 1.1754943e-38, -1.1e-38,
                                     1.4e-45, -1.4e-45, 0x1p-149, 0x1.8p-149, 0x1p-150, 3.4028234e38, -3.4028234e38,
                                     2147483520.0, 2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 4294967295.0,
                                     4294967296.0, 9.2233720368547758e18, -9.2233720368547758e18, 1.8446744073709552e19,
                                     1e300, -1e300, 2.2250738585072014e-308, 5e-324, 32767.5, -32768.5, 127.5, 255.5, 0x1p127,
                                     0x1p-126, 0x1p-1022};

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
    case 0: return rnd() % 4 ? rnd() & 0xffffffffu : (u64[]){0x7f800000, 0xff800000u, 0x7fc00000, 0x7f800001}[rnd() % 4];
    default: return FB((float)make_number());
  }
}
static u64 make_f64(void) {
  switch (rnd() % 6) {
    case 0: return rnd() % 4 ? rnd() : (u64[]){0x7ffull << 52, 0xfffull << 52, 0x7ff8ull << 48, (0x7ffull << 52) + 1}[rnd() % 4];
    default: return DB(make_number());
  }
}
static u64 make_half(void) {
  return rnd() % 4 ? rnd() & 0xffff : (u64[]){0, 0x8000, 1, 0x3ff, 0x400, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x3c00}[rnd() % 10];
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

static void place(dc_op *o, const operand_kind *k, int n) {
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
static void run_round(const test_case *t, dc_op *o, const operand_kind *k, int n, bool masked, bool in_place) {
  u64 in[5][DC_LANES] = {{0}}, before[DC_LANES];
  const u32 mask = masked ? (u32)rnd() & (u32)rnd() : DC_ALL_LANES;
  char detail[300];
  fresh_warp();
  for (int i = 0; i < n; i++)
    for (int l = 0; l < DC_LANES; l++) {
      in[i][l] = make_value(k[i]);
      if (k[i].letter == 'P') preds[i + 1] = (preds[i + 1] & ~(1u << l)) | (u32)in[i][l] << l;
      else put(SLOT(i), k[i].bits, l, in[i][l]);
    }
  dc_op here = *o;
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
  dc_op o;
  ptx_form form;
  const int n = parse_kinds(t->kinds, k);
  if (!decode(t->text, &o, &form, 1, n - 1)) return;
  place(&o, k, n);
  dc_op unswapped = o;
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

/* --- integers --------------------------------------------------------------------------------------------- */

#define S16 (s16)
#define S32 (s32)
#define S64 (s64)
#define MINIMUM(x, y) ((x) < (y) ? (x) : (y))
#define MAXIMUM(x, y) ((x) > (y) ? (x) : (y))
#define INTS(n)                                                                                                        \
  CASE("add.s" #n, "i" #n " i" #n " i" #n, a + b)                                                                      \
  CASE("sub.u" #n, "i" #n " i" #n " i" #n, a - b)                                                                      \
  CASE("mul.lo.s" #n, "i" #n " i" #n " i" #n, a *b)                                                                    \
  CASE("mul.hi.s" #n, "i" #n " i" #n " i" #n, ((s128)(s##n)a * (s##n)b) >> n)                                          \
  CASE("mul.hi.u" #n, "i" #n " i" #n " i" #n, ((u128)(u##n)a * (u##n)b) >> n)                                          \
  CASE("mad.lo.u" #n, "i" #n " i" #n " i" #n " i" #n, a *b + c)                                                        \
  CASE("mad.hi.s" #n, "i" #n " i" #n " i" #n " i" #n, (u64)(((s128)(s##n)a * (s##n)b) >> n) + c)                       \
  CASE("mad.hi.u" #n, "i" #n " i" #n " i" #n " i" #n, (u64)(((u128)(u##n)a * (u##n)b) >> n) + c)                       \
  CASE("neg.s" #n, "i" #n " i" #n, 0 - a)                                                                              \
  CASE("abs.s" #n, "i" #n " i" #n, (s##n)a < 0 ? 0 - a : a)                                                            \
  CASE("min.s" #n, "i" #n " i" #n " i" #n, MINIMUM((s##n)a, (s##n)b))                                                  \
  CASE("min.u" #n, "i" #n " i" #n " i" #n, MINIMUM((u##n)a, (u##n)b))                                                  \
  CASE("max.s" #n, "i" #n " i" #n " i" #n, MAXIMUM((s##n)a, (s##n)b))                                                  \
  CASE("max.u" #n, "i" #n " i" #n " i" #n, MAXIMUM((u##n)a, (u##n)b))                                                  \
  CASE("div.u" #n, "i" #n " i" #n " i" #n, b ? a / b : ~(u64)0)                                                        \
  CASE("rem.u" #n, "i" #n " i" #n " i" #n, b ? a % b : ~(u64)0)                                                        \
  CASE("div.s" #n, "i" #n " i" #n " i" #n, b ? (s128)(s##n)a / (s##n)b : -1)                                           \
  CASE("rem.s" #n, "i" #n " i" #n " i" #n, b ? (s128)(s##n)a % (s##n)b : -1)                                           \
  CASE("sad.s" #n, "i" #n " i" #n " i" #n " i" #n, ((s##n)a > (s##n)b ? a - b : b - a) + c)                            \
  CASE("sad.u" #n, "i" #n " i" #n " i" #n " i" #n, (a > b ? a - b : b - a) + c)                                        \
  CASE("and.b" #n, "i" #n " i" #n " i" #n, a &b)                                                                       \
  CASE("or.b" #n, "i" #n " i" #n " i" #n, a | b)                                                                       \
  CASE("xor.b" #n, "i" #n " i" #n " i" #n, a ^ b)                                                                      \
  CASE("not.b" #n, "i" #n " i" #n, ~a)                                                                                 \
  CASE("cnot.b" #n, "i" #n " i" #n, a == 0)                                                                            \
  CASE("shl.b" #n, "i" #n " i" #n " s32", b < n ? a << b : 0)                                                          \
  CASE("shr.u" #n, "i" #n " i" #n " s32", b < n ? a >> b : 0)                                                          \
  CASE("shr.b" #n, "i" #n " i" #n " s32", b < n ? a >> b : 0)                                                          \
  CASE("shr.s" #n, "i" #n " i" #n " s32", (s64)(s##n)a >> (b < n ? b : n - 1))                                         \
  CASE("mov.b" #n, "i" #n " i" #n, a)                                                                                  \
  CASE("selp.b" #n, "i" #n " i" #n " i" #n " P", c ? a : b)                                                            \
  CASE("slct.u" #n ".s32", "i" #n " i" #n " i" #n " i32", (s32)c >= 0 ? a : b)                                         \
  CASE("slct.b" #n ".f32", "i" #n " i" #n " i" #n " f32", F(c) >= 0 ? a : b)                                           \
  CASE("setp.eq.b" #n, "P i" #n " i" #n, a == b)                                                                       \
  CASE("setp.ne.s" #n, "P i" #n " i" #n, a != b)                                                                       \
  CASE("setp.lt.s" #n, "P i" #n " i" #n, (s##n)a < (s##n)b)                                                            \
  CASE("setp.le.s" #n, "P i" #n " i" #n, (s##n)a <= (s##n)b)                                                           \
  CASE("setp.gt.s" #n, "P i" #n " i" #n, (s##n)a > (s##n)b)                                                            \
  CASE("setp.ge.s" #n, "P i" #n " i" #n, (s##n)a >= (s##n)b)                                                           \
  CASE("setp.lt.u" #n, "P i" #n " i" #n, a < b)                                                                        \
  CASE("setp.le.u" #n, "P i" #n " i" #n, a <= b)                                                                       \
  CASE("setp.ls.u" #n, "P i" #n " i" #n, a <= b)                                                                       \
  CASE("setp.hi.u" #n, "P i" #n " i" #n, a > b)                                                                        \
  CASE("setp.hs.u" #n, "P i" #n " i" #n, a >= b)                                                                       \
  CASE("setp.lt.and.s" #n, "P i" #n " i" #n " P", (s##n)a < (s##n)b && c)                                              \
  CASE("setp.gt.or.u" #n, "P i" #n " i" #n " P", a > b || c)                                                           \
  CASE("setp.ge.xor.s" #n, "P i" #n " i" #n " P", ((s##n)a >= (s##n)b) ^ c)                                            \
  CASE("set.gt.u32.s" #n, "i32 i" #n " i" #n, (s##n)a > (s##n)b ? ~(u32)0 : 0)                                         \
  CASE("set.le.f32.u" #n, "i32 i" #n " i" #n, a <= b ? FB(1) : 0)                                                      \
  CASE("set.eq.and.s32.s" #n, "i32 i" #n " i" #n " P", a == b && c ? ~(u32)0 : 0)
INTS(16)
INTS(32)
INTS(64)
CASE("mul.wide.s16", "i32 i16 i16", (s32)(s16)a *(s16)b)
CASE("mul.wide.u16", "i32 i16 i16", a *b)
CASE("mul.wide.s32", "i64 i32 i32", (s64)(s32)a *(s32)b)
CASE("mul.wide.u32", "i64 i32 i32", a *b)
CASE("mad.wide.s16", "i32 i16 i16 i32", (u64)((s64)(s16)a * (s16)b) + c)
CASE("mad.wide.u16", "i32 i16 i16 i32", a *b + c)
CASE("mad.wide.s32", "i64 i32 i32 i64", (u64)((s64)(s32)a * (s32)b) + c)
CASE("mad.wide.u32", "i64 i32 i32 i64", a *b + c)
static s64 sat32(s128 x) { return (s64)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x); }
CASE("add.sat.s32", "i32 i32 i32", sat32((s128)(s32)a + (s32)b))
CASE("sub.sat.s32", "i32 i32 i32", sat32((s128)(s32)a - (s32)b))
CASE("mad.hi.sat.s32", "i32 i32 i32 i32", sat32((((s128)(s32)a * (s32)b) >> 32) + (s32)c))
static s64 s24(u64 x) { return (s64)((x & 0xffffff) ^ 0x800000) - 0x800000; }
CASE("mul24.lo.s32", "i32 i32 i32", s24(a) * s24(b))
CASE("mul24.hi.s32", "i32 i32 i32", (s24(a) * s24(b)) >> 16)
CASE("mul24.lo.u32", "i32 i32 i32", (a & 0xffffff) * (b & 0xffffff))
CASE("mul24.hi.u32", "i32 i32 i32", (a & 0xffffff) * (b & 0xffffff) >> 16)
CASE("mad24.lo.s32", "i32 i32 i32 i32", (u64)(s24(a) * s24(b)) + c)
CASE("mad24.hi.s32", "i32 i32 i32 i32", (u64)((s24(a) * s24(b)) >> 16) + c)
CASE("mad24.lo.u32", "i32 i32 i32 i32", (a & 0xffffff) * (b & 0xffffff) + c)
CASE("mad24.hi.u32", "i32 i32 i32 i32", ((a & 0xffffff) * (b & 0xffffff) >> 16) + c)
CASE("mad24.hi.sat.s32", "i32 i32 i32 i32", sat32((s128)(s32)((s24(a) * s24(b)) >> 16) + (s32)c))
static u64 bfe_bits(u64 a, u64 b, u64 c, int width, bool sign) { /* the ISA's own pseudo code */
  const int msb = width - 1, pos = (int)(b & 0xff), len = (int)(c & 0xff);
  const int top = pos + len - 1 < msb ? pos + len - 1 : msb;
  const u64 sbit = !sign || len == 0 ? 0 : a >> top & 1;
  u64 d = 0;
  for (int i = 0; i <= msb; i++) d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : sbit) << i;
  return d;
}
static u64 bfi_bits(u64 a, u64 b, u64 c, u64 e, int width) {
  const int msb = width - 1, pos = (int)(c & 0xff), len = (int)(e & 0xff);
  for (int i = 0; i < len && pos + i <= msb; i++) b = (b & ~((u64)1 << (pos + i))) | (a >> i & 1) << (pos + i);
  return b;
}
static u64 bfind_bits(u64 a, int width, bool sign, bool shift) {
  const u64 top = sign ? a >> (width - 1) & 1 : 0;
  for (int i = width - 1; i >= 0; i--)
    if ((a >> i & 1) != top) return (u64)(shift ? width - 1 - i : i);
  return ~(u64)0;
}
static u64 reversed(u64 a, int width) {
  u64 r = 0;
  for (int i = 0; i < width; i++) r |= (a >> i & 1) << (width - 1 - i);
  return r;
}
static u64 count(u64 a) {
  u64 n = 0;
  for (; a; a &= a - 1) n++;
  return n;
}
#define FIELDS(n)                                                                                                      \
  CASE("bfe.u" #n, "i" #n " i" #n " s32 s32", bfe_bits(a, b, c, n, false))                                             \
  CASE("bfe.s" #n, "i" #n " i" #n " s32 s32", bfe_bits(a, b, c, n, true))                                              \
  CASE("bfi.b" #n, "i" #n " i" #n " i" #n " s32 s32", bfi_bits(a, b, c, e, n))                                         \
  CASE("bfind.u" #n, "i32 i" #n, bfind_bits(a, n, false, false))                                                       \
  CASE("bfind.s" #n, "i32 i" #n, bfind_bits(a, n, true, false))                                                        \
  CASE("bfind.shiftamt.u" #n, "i32 i" #n, bfind_bits(a, n, false, true))                                               \
  CASE("bfind.shiftamt.s" #n, "i32 i" #n, bfind_bits(a, n, true, true))                                                \
  CASE("popc.b" #n, "i32 i" #n, count(a))                                                                              \
  CASE("clz.b" #n, "i32 i" #n, a ? n - 1 - bfind_bits(a, n, false, false) : n)                                         \
  CASE("brev.b" #n, "i" #n " i" #n, reversed(a, n))
FIELDS(32)
FIELDS(64)
CASE("bmsk.clamp.b32", "i32 s32 s32", b >= 32 ? ~(u64)0 << (a < 32 ? a : 32) : (((u64)1 << b) - 1) << (a < 32 ? a : 32))
CASE("bmsk.wrap.b32", "i32 s32 s32", (((u64)1 << (b & 31)) - 1) << (a & 31))
static u64 szext_bits(u64 a, u64 b, bool clamp, bool sign) {
  const u64 n = clamp ? MINIMUM(b, 32) : b & 31;
  if (n == 0) return 0;
  return sign ? (u64)((s64)(a << (64 - n)) >> (64 - n)) : a << (64 - n) >> (64 - n);
}
CASE("szext.clamp.s32", "i32 i32 s32", szext_bits(a, b, true, true))
CASE("szext.clamp.u32", "i32 i32 s32", szext_bits(a, b, true, false))
CASE("szext.wrap.s32", "i32 i32 s32", szext_bits(a, b, false, true))
CASE("szext.wrap.u32", "i32 i32 s32", szext_bits(a, b, false, false))
static u64 fns_bits(u64 mask, u64 base, s32 n) {
  int seen = 0;
  base &= 31;
  if (n == 0) return mask >> base & 1 ? base : ~(u64)0;
  for (int i = (int)base; i >= 0 && i < 32; i += n > 0 ? 1 : -1)
    if ((mask >> i & 1) && ++seen == abs(n)) return (u64)i;
  return ~(u64)0;
}
CASE("fns.b32", "i32 i32 s32 n32", fns_bits(a, b, (s32)c))
CASE("shf.l.wrap.b32", "i32 i32 i32 s32", ((u128)(b << 32 | a) << (c & 31)) >> 32)
CASE("shf.l.clamp.b32", "i32 i32 i32 s32", ((u128)(b << 32 | a) << MINIMUM(c, 32)) >> 32)
CASE("shf.r.wrap.b32", "i32 i32 i32 s32", (b << 32 | a) >> (c & 31))
CASE("shf.r.clamp.b32", "i32 i32 i32 s32", (b << 32 | a) >> MINIMUM(c, 32))
static u64 lop3_bits(u64 a, u64 b, u64 c, u64 e) {
  u64 r = 0;
  for (int i = 0; i < 32; i++) r |= (e >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
  return r;
}
CASE("lop3.b32", "i32 i32 i32 i32 L32", lop3_bits(a, b, c, e))
CASE("lop3.b32", "i32 i32 i32 i32 i32", lop3_bits(a, b, c, e))
static u64 prmt_bytes(u64 a, u64 b, const int sel[4]) {
  u64 r = 0;
  for (int i = 0; i < 4; i++) {
    u64 byte = (b << 32 | a) >> (8 * (sel[i] & 7)) & 255;
    if (sel[i] & 8) byte = byte & 128 ? 255 : 0;
    r |= byte << (8 * i);
  }
  return r;
}
CASE("prmt.b32", "i32 i32 i32 i32",
     prmt_bytes(a, b, (int[]){(int)c & 15, (int)c >> 4 & 15, (int)c >> 8 & 15, (int)c >> 12 & 15}))
#define I4(x0, x1, x2, x3) ((int[]){x0, x1, x2, x3})
CASE("prmt.b32.f4e", "i32 i32 i32 i32", prmt_bytes(a, b, I4((c & 3), (c & 3) + 1, (c & 3) + 2, (c & 3) + 3)))
CASE("prmt.b32.b4e", "i32 i32 i32 i32", prmt_bytes(a, b, I4((c & 3), ((c & 3) + 7) & 7, ((c & 3) + 6) & 7, ((c & 3) + 5) & 7)))
CASE("prmt.b32.rc8", "i32 i32 i32 i32", prmt_bytes(a, b, I4((c & 3), (c & 3), (c & 3), (c & 3))))
CASE("prmt.b32.ecl", "i32 i32 i32 i32",
     prmt_bytes(a, b, I4((int)(c & 3), MAXIMUM((int)(c & 3), 1), MAXIMUM((int)(c & 3), 2), 3)))
CASE("prmt.b32.ecr", "i32 i32 i32 i32",
     prmt_bytes(a, b, I4(0, MINIMUM((int)(c & 3), 1), MINIMUM((int)(c & 3), 2), (int)(c & 3))))
CASE("prmt.b32.rc16", "i32 i32 i32 i32", prmt_bytes(a, b, c & 1 ? I4(2, 3, 2, 3) : I4(0, 1, 0, 1)))
static u64 dot(u64 a, u64 b, u64 c, int n, int abits, int first, bool sa, bool sb) {
  for (int i = 0; i < n; i++) {
    s64 x = (s64)(a >> (abits * i) & (((u64)1 << abits) - 1)), y = (s64)(b >> (8 * (i + first)) & 255);
    if (sa && x >> (abits - 1)) x -= (s64)1 << abits;
    if (sb && y > 127) y -= 256;
    c += (u64)(x * y);
  }
  return c;
}
#define DOTS(ta, tb, sa, sb)                                                                                           \
  CASE("dp4a." #ta "." #tb, "i32 i32 i32 i32", dot(a, b, c, 4, 8, 0, sa, sb))                                          \
  CASE("dp2a.lo." #ta "." #tb, "i32 i32 i32 i32", dot(a, b, c, 2, 16, 0, sa, sb))                                      \
  CASE("dp2a.hi." #ta "." #tb, "i32 i32 i32 i32", dot(a, b, c, 2, 16, 2, sa, sb))
DOTS(s32, s32, true, true)
DOTS(s32, u32, true, false)
DOTS(u32, s32, false, true)
DOTS(u32, u32, false, false)
static u64 video(u64 a, u64 b, u64 c, int bits, bool sign, int what, bool add) {
  u64 r = 0, sum = 0;
  for (int i = 0; i < 32; i += bits) {
    s64 x = (s64)(a >> i & (((u64)1 << bits) - 1)), y = (s64)(b >> i & (((u64)1 << bits) - 1)), v;
    if (sign && x >> (bits - 1)) x -= (s64)1 << bits;
    if (sign && y >> (bits - 1)) y -= (s64)1 << bits;
    v = what == 0 ? llabs(x - y) : what == 1 ? x + y : what == 2 ? MINIMUM(x, y) : x >= y;
    sum += (u64)v;
    r |= ((u64)v & (((u64)1 << bits) - 1)) << i;
  }
  return add ? sum + c : r;
}
CASE("vabsdiff4.u32.u32.u32.add", "i32 i32 i32 i32", video(a, b, c, 8, false, 0, true))
CASE("vabsdiff4.u32.u32.u32", "i32 i32 i32 i32", video(a, b, c, 8, false, 0, false))
CASE("vabsdiff2.u32.u32.u32.add", "i32 i32 i32 i32", video(a, b, c, 16, false, 0, true))
CASE("vabsdiff2.s32.s32.s32.add", "i32 i32 i32 i32", video(a, b, c, 16, true, 0, true))
CASE("vadd4.u32.u32.u32", "i32 i32 i32 i32", video(a, b, c, 8, false, 1, false))
CASE("vmin2.s32.s32.s32", "i32 i32 i32 i32", video(a, b, c, 16, true, 2, false))
CASE("vset4.u32.u32.ge", "i32 i32 i32 i32", video(a, b, c, 8, false, 3, false))
CASE("vabsdiff.u32.u32.u32", "i32 i32 i32", video(a, b, c, 32, false, 0, false))
CASE("and.pred", "P P P", a &b)
CASE("or.pred", "P P P", a | b)
CASE("xor.pred", "P P P", a ^ b)
CASE("not.pred", "P P", !a)
CASE("mov.pred", "P P", a)

/* --- floats ------------------------------------------------------------------------------------------------ */

static float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }
static float clamped(float x) { return x > 1 ? 1 : x > 0 ? x : 0; }
static double clamped64(double x) { return x > 1 ? 1 : x > 0 ? x : 0; }
#define ROUND32(mode, expr)                                                                                            \
  ({                                                                                                                   \
    volatile float x = F(a), y = F(b), z = F(c), r;                                                                    \
    (void)x, (void)y, (void)z;                                                                                         \
    fesetround(mode);                                                                                                  \
    r = expr;                                                                                                          \
    fesetround(FE_TONEAREST);                                                                                          \
    r;                                                                                                                 \
  })
#define ROUND64(mode, expr)                                                                                            \
  ({                                                                                                                   \
    volatile double x = D(a), y = D(b), z = D(c), r;                                                                   \
    (void)x, (void)y, (void)z;                                                                                         \
    fesetround(mode);                                                                                                  \
    r = expr;                                                                                                          \
    fesetround(FE_TONEAREST);                                                                                          \
    r;                                                                                                                 \
  })
#define FLUSHED_INPUTS (a = FB(flushed(F(a))), b = FB(flushed(F(b))), c = FB(flushed(F(c))))
#define FLOATS_(op, dot, mode, kinds32, kinds64, e32, e64)                                                             \
  CASE(op dot "f32", kinds32, FB(ROUND32(mode, e32)))                                                                  \
  CASE(op dot "ftz.f32", kinds32, (FLUSHED_INPUTS, FB(flushed(ROUND32(mode, e32)))))                                   \
  CASE(op dot "f64", kinds64, DB(ROUND64(mode, e64)))
#define FLOATS(op, kinds32, kinds64, e32, e64)                                                                         \
  FLOATS_(op, ".rn.", FE_TONEAREST, kinds32, kinds64, e32, e64)                                                        \
  FLOATS_(op, ".rz.", FE_TOWARDZERO, kinds32, kinds64, e32, e64)                                                       \
  FLOATS_(op, ".rm.", FE_DOWNWARD, kinds32, kinds64, e32, e64)                                                         \
  FLOATS_(op, ".rp.", FE_UPWARD, kinds32, kinds64, e32, e64)
#define K32 "f32 f32 f32"
#define K64 "f64 f64 f64"
FLOATS("add", K32, K64, x + y, x + y)
FLOATS("sub", K32, K64, x - y, x - y)
FLOATS("mul", K32, K64, x *y, x *y)
FLOATS("div", K32, K64, x / y, x / y)
FLOATS("fma", "f32 f32 f32 f32", "f64 f64 f64 f64", fmaf(x, y, z), fma(x, y, z))
FLOATS("sqrt", "f32 f32", "f64 f64", sqrtf(x), sqrt(x))
FLOATS("rcp", "f32 f32", "f64 f64", 1 / x, 1 / x)
FLOATS_("add", ".", FE_TONEAREST, K32, K64, x + y, x + y)
FLOATS_("sub", ".", FE_TONEAREST, K32, K64, x - y, x - y)
FLOATS_("mul", ".", FE_TONEAREST, K32, K64, x *y, x *y)
CASE("add.sat.f32", "f32 f32 f32", FB(clamped(F(a) + F(b))))
CASE("mul.sat.f32", "f32 f32 f32", FB(clamped(F(a) * F(b))))
CASE("mul.ftz.sat.f32", "f32 f32 f32", FB(flushed(clamped(flushed(F(a)) * flushed(F(b))))))
CASE("fma.rn.sat.f32", "f32 f32 f32 f32", FB(clamped(fmaf(F(a), F(b), F(c)))))
CASE("div.full.f32", "f32 f32 f32", FB(F(a) / F(b)))
CASE("neg.f32", "f32 f32", FB(-F(a)))
CASE("neg.f64", "f64 f64", DB(-D(a)))
CASE("neg.ftz.f32", "f32 f32", FB(-flushed(F(a))))
CASE("abs.f32", "f32 f32", FB(fabsf(F(a))))
CASE("abs.ftz.f32", "f32 f32", FB(fabsf(flushed(F(a)))))
CASE("abs.f64", "f64 f64", DB(fabs(D(a))))
static double least(double x, double y) {
  if (x != x) return y;
  if (y != y) return x;
  if (x == 0 && y == 0) return signbit(x) ? x : y;
  return x < y ? x : y;
}
static double greatest(double x, double y) { return x != x || y != y ? least(x, y) : -least(-x, -y); }
#define NAN_OR(x, y, r) ((x) != (x) || (y) != (y) ? NAN : (r))
CASE("min.f32", "f32 f32 f32", FB((float)least(F(a), F(b))))
CASE("max.f32", "f32 f32 f32", FB((float)greatest(F(a), F(b))))
CASE("min.ftz.f32", "f32 f32 f32", FB((float)least(flushed(F(a)), flushed(F(b)))))
CASE("max.ftz.f32", "f32 f32 f32", FB((float)greatest(flushed(F(a)), flushed(F(b)))))
CASE("min.NaN.f32", "f32 f32 f32", FB((float)NAN_OR(F(a), F(b), least(F(a), F(b)))))
CASE("max.NaN.f32", "f32 f32 f32", FB((float)NAN_OR(F(a), F(b), greatest(F(a), F(b)))))
CASE("min.f64", "f64 f64 f64", DB(least(D(a), D(b))))
CASE("max.f64", "f64 f64 f64", DB(greatest(D(a), D(b))))
CASE("copysign.f32", "f32 f32 f32", FB(copysignf(F(b), F(a))))
CASE("copysign.f64", "f64 f64 f64", DB(copysign(D(b), D(a))))
#define TESTP(n, get)                                                                                                  \
  CASE("testp.finite.f" #n, "P f" #n, isfinite(get(a)))                                                                \
  CASE("testp.infinite.f" #n, "P f" #n, !!isinf(get(a)))                                                               \
  CASE("testp.number.f" #n, "P f" #n, !isnan(get(a)))                                                                  \
  CASE("testp.notanumber.f" #n, "P f" #n, !!isnan(get(a)))                                                             \
  CASE("testp.normal.f" #n, "P f" #n, fpclassify(get(a)) == FP_NORMAL)                                                 \
  CASE("testp.subnormal.f" #n, "P f" #n, fpclassify(get(a)) == FP_SUBNORMAL)
TESTP(32, F)
TESTP(64, D)
#define COMPARED(dst, post, result)                                                                                    \
  CASE(dst "eq" post, result(x == y))                                                                                  \
  CASE(dst "ne" post, result(x < y || x > y))
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
#define FZ(x) flushed(F(x))
RELATIONS("f32", "P f32 f32", F)
RELATIONS("f64", "P f64 f64", D)
RELATIONS("ftz.f32", "P f32 f32", FZ)
CASE("set.ltu.u32.f32", "i32 f32 f32", !(F(a) >= F(b)) ? ~(u32)0 : 0)
CASE("set.gt.f32.f64", "i32 f64 f64", D(a) > D(b) ? FB(1) : 0)

/* --- halves ------------------------------------------------------------------------------------------------- */

static double H(u64 h) { /* by definition */
  const int exponent = (int)(h >> 10 & 31), fraction = (int)(h & 1023);
  const double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                      : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                     : ldexp(fraction, -24);
  return h & 0x8000 ? -size : size;
}
static double B(u64 h) { return F(h << 16); }
/* The nearest half in a mode, by looking at all of one sign in order of size: values grow with their bits. */
static u64 half_near(long double x, int mode, double (*value)(u64), u64 inf) {
  if (x != x) return 0x7fff;
  const u64 sign = signbit(x) ? 0x8000 : 0;
  const long double size = fabsl(x);
  u64 lo = 0, hi = inf;
  while (hi - lo > 1) {
    u64 mid = (lo + hi) / 2;
    if ((long double)value(mid) <= size) lo = mid;
    else hi = mid;
  }
  if (isinf(x)) return inf | sign;
  if ((long double)value(lo) == size) return lo | sign;
  const bool out = mode == FE_UPWARD ? !sign : mode == FE_DOWNWARD ? sign != 0 : false;
  if (mode == FE_TONEAREST) {
    const long double top = hi == inf ? 2 * (long double)value(inf - 1) - (long double)value(inf - 2) : (long double)value(hi);
    const long double down = size - (long double)value(lo), up = top - size;
    return (down < up || (down == up && !(lo & 1)) ? lo : hi) | sign;
  }
  return (out ? hi : lo) | sign;
}
static u64 HB(long double x) { return half_near(x, FE_TONEAREST, H, 0x7c00); }
static u64 BB(long double x) { return half_near(x, FE_TONEAREST, B, 0x7f80); }
/* Exact enough for one rounding: products of halves have 22 bits, and f16 sums 64 bits at most; bf16 sums that do not
** fit 64 bits lose only what lies far below. An odd last bit (x87's 64-bit fraction) keeps ties honest. */
static long double sticky_sum(long double x, long double y) {
  const long double s = x + y, t = s - x, rest = (x - (s - t)) + (y - t);
  u64 fraction;
  memcpy(&fraction, &s, sizeof fraction);
  if (rest == 0 || rest != rest || fraction & 1) return s; /* else the neighbour that is odd */
  return nextafterl(s, rest > 0 ? INFINITY : -INFINITY);
}
#define HALVES(type, k, get, bits)                                                                                     \
  CASE("add." type, k "16 " k "16 " k "16", bits(sticky_sum(get(a), get(b))))                                          \
  CASE("sub." type, k "16 " k "16 " k "16", bits(sticky_sum(get(a), -get(b))))                                         \
  CASE("mul." type, k "16 " k "16 " k "16", bits((long double)get(a) * get(b)))                                        \
  CASE("fma.rn." type, k "16 " k "16 " k "16 " k "16", bits(sticky_sum((long double)get(a) * get(b), get(c))))         \
  CASE("min." type, k "16 " k "16 " k "16", bits(least(get(a), get(b))))                                               \
  CASE("max." type, k "16 " k "16 " k "16", bits(greatest(get(a), get(b))))                                            \
  CASE("min.NaN." type, k "16 " k "16 " k "16", bits(NAN_OR(get(a), get(b), least(get(a), get(b)))))                   \
  CASE("neg." type, k "16 " k "16", a ^ 0x8000)                                                                        \
  CASE("abs." type, k "16 " k "16", a & 0x7fff)
HALVES("f16", "h", H, HB)
HALVES("bf16", "b", B, BB)
#define LO(x) ((x) & 0xffff)
#define HI(x) ((x) >> 16 & 0xffff)
CASE("add.f16x2", "p32 p32 p32", HB(H(LO(a)) + H(LO(b))) | HB(H(HI(a)) + H(HI(b))) << 16)
CASE("sub.f16x2", "p32 p32 p32", HB(H(LO(a)) - H(LO(b))) | HB(H(HI(a)) - H(HI(b))) << 16)
CASE("mul.f16x2", "p32 p32 p32", HB(H(LO(a)) * H(LO(b))) | HB(H(HI(a)) * H(HI(b))) << 16)
CASE("add.rn.f16x2", "p32 p32 p32", HB(H(LO(a)) + H(LO(b))) | HB(H(HI(a)) + H(HI(b))) << 16)
CASE("mul.sat.f16", "h16 h16 h16", HB(clamped64(H(a) * H(b))))
CASE("fma.rn.f16x2", "p32 p32 p32 p32",
     HB(sticky_sum(H(LO(a)) * H(LO(b)), H(LO(c)))) | HB(sticky_sum(H(HI(a)) * H(HI(b)), H(HI(c)))) << 16)
CASE("neg.f16x2", "i32 p32", a ^ 0x80008000u)
CASE("abs.f16x2", "i32 p32", a & 0x7fff7fffu)
CASE("mul.bf16x2", "q32 q32 q32", BB((long double)B(LO(a)) * B(LO(b))) | BB((long double)B(HI(a)) * B(HI(b))) << 16)
static u64 half_flushed(u64 h) { return h & 0x7c00 ? h : h & 0x8000; }
CASE("add.ftz.f16", "h16 h16 h16", half_flushed(HB(H(half_flushed(a)) + H(half_flushed(b)))))
RELATIONS("f16", "P h16 h16", H)
RELATIONS("bf16", "P b16 b16", B)
CASE("set.gt.f16x2.f16x2", "i32 p32 p32", (H(LO(a)) > H(LO(b)) ? 0x3c00 : 0) | (H(HI(a)) > H(HI(b)) ? 0x3c00 << 16 : 0))
CASE("set.ltu.f16.f16", "i16 h16 h16", !(H(a) >= H(b)) ? 0x3c00 : 0)
CASE("set.le.u32.f16", "i32 h16 h16", H(a) <= H(b) ? ~(u32)0 : 0)

/* --- conversions ---------------------------------------------------------------------------------------------- */

/* The value in a container's low bits as a type; a result of a type in its container. */
static s128 as_type(u64 x, int bits, bool sign) {
  const u64 low = bits == 64 ? x : x & (((u64)1 << bits) - 1);
  if (sign && low >> (bits - 1) & 1) return (s128)low - ((s128)1 << bits);
  return (s128)low;
}
static u64 fit(s128 x, int bits, bool sign, bool sat) {
  const s128 most = ((s128)1 << (bits - sign)) - 1, small = sign ? -most - 1 : 0;
  if (sat) x = x > most ? most : x < small ? small : x;
  return (u64)as_type((u64)x, bits, sign);
}
#define CVT_INT(dt, st, dk, sk, db, ds, sb, ss)                                                                        \
  CASE("cvt." #dt "." #st, dk " " sk, fit(as_type(a, sb, ss), db, ds, false))                                          \
  CASE("cvt.sat." #dt "." #st, dk " " sk, fit(as_type(a, sb, ss), db, ds, true))
#define CVT_TO(dt, dk, db, ds)                                                                                         \
  CVT_INT(dt, u8, dk, "i16", db, ds, 8, 0)                                                                             \
  CVT_INT(dt, s8, dk, "i16", db, ds, 8, 1)                                                                             \
  CVT_INT(dt, s8, dk, "i32", db, ds, 8, 1)                                                                             \
  CVT_INT(dt, u8, dk, "i32", db, ds, 8, 0)                                                                             \
  CVT_INT(dt, s8, dk, "i64", db, ds, 8, 1)                                                                             \
  CVT_INT(dt, u16, dk, "i16", db, ds, 16, 0)                                                                           \
  CVT_INT(dt, s16, dk, "i16", db, ds, 16, 1)                                                                           \
  CVT_INT(dt, s16, dk, "i32", db, ds, 16, 1)                                                                           \
  CVT_INT(dt, u16, dk, "i64", db, ds, 16, 0)                                                                           \
  CVT_INT(dt, u32, dk, "i32", db, ds, 32, 0)                                                                           \
  CVT_INT(dt, s32, dk, "i32", db, ds, 32, 1)                                                                           \
  CVT_INT(dt, s32, dk, "i64", db, ds, 32, 1)                                                                           \
  CVT_INT(dt, u64, dk, "i64", db, ds, 64, 0)                                                                           \
  CVT_INT(dt, s64, dk, "i64", db, ds, 64, 1)
CVT_TO(u8, "i16", 8, 0)
CVT_TO(s8, "i16", 8, 1)
CVT_TO(s8, "i32", 8, 1)
CVT_TO(u8, "i64", 8, 0)
CVT_TO(u16, "i16", 16, 0)
CVT_TO(s16, "i16", 16, 1)
CVT_TO(s16, "i32", 16, 1)
CVT_TO(u16, "i64", 16, 0)
CVT_TO(u32, "i32", 32, 0)
CVT_TO(s32, "i32", 32, 1)
CVT_TO(s32, "i64", 32, 1)
CVT_TO(u64, "i64", 64, 0)
CVT_TO(s64, "i64", 64, 1)

/* Integer to float: long double holds 64 bits exactly, and rounds in any mode. */
static float ld_to_f32(long double x, int mode) {
  volatile long double v = x;
  volatile float r;
  fesetround(mode);
  r = (float)v;
  fesetround(FE_TONEAREST);
  return r;
}
static double ld_to_f64(long double x, int mode) {
  volatile long double v = x;
  volatile double r;
  fesetround(mode);
  r = (double)v;
  fesetround(FE_TONEAREST);
  return r;
}
#define CVT_INT_FLOAT_(rnd, mode, st, sk, sb, ss)                                                                      \
  CASE("cvt." rnd ".f32." #st, "f32 " sk, FB(ld_to_f32((long double)as_type(a, sb, ss), mode)))                        \
  CASE("cvt." rnd ".f64." #st, "f64 " sk, DB(ld_to_f64((long double)as_type(a, sb, ss), mode)))                        \
  CASE("cvt." rnd ".f16." #st, "h16 " sk, half_near((long double)as_type(a, sb, ss), mode, H, 0x7c00))                 \
  CASE("cvt." rnd ".bf16." #st, "b16 " sk, half_near((long double)as_type(a, sb, ss), mode, B, 0x7f80))
#define CVT_INT_FLOAT(st, sk, sb, ss)                                                                                  \
  CVT_INT_FLOAT_("rn", FE_TONEAREST, st, sk, sb, ss)                                                                   \
  CVT_INT_FLOAT_("rz", FE_TOWARDZERO, st, sk, sb, ss)                                                                  \
  CVT_INT_FLOAT_("rm", FE_DOWNWARD, st, sk, sb, ss)                                                                    \
  CVT_INT_FLOAT_("rp", FE_UPWARD, st, sk, sb, ss)
CVT_INT_FLOAT(u8, "i16", 8, 0)
CVT_INT_FLOAT(s8, "i32", 8, 1)
CVT_INT_FLOAT(u16, "i16", 16, 0)
CVT_INT_FLOAT(s16, "i16", 16, 1)
CVT_INT_FLOAT(u16, "i32", 16, 0)
CVT_INT_FLOAT(u32, "i32", 32, 0)
CVT_INT_FLOAT(s32, "i32", 32, 1)
CVT_INT_FLOAT(u64, "i64", 64, 0)
CVT_INT_FLOAT(s64, "i64", 64, 1)
/* f32 in a 64-bit source container cannot be: widths match for floats. */

static u64 to_int(double x, int (*mode)(void), int round, int bits, bool sign, bool wide_nan) {
  (void)mode;
  if (x != x) return wide_nan ? fit((s128)1 << (bits - 1), bits, sign, false) : 0;
  const double r = round == 0 ? nearbyint(x) : round == 1 ? trunc(x) : round == 2 ? floor(x) : ceil(x);
  return fit(r > 1e30 ? (s128)1 << 100 : r < -1e30 ? -((s128)1 << 100) : (s128)r, bits, sign, true);
}
#define CVT_FLOAT_INT_(rnd, n, dt, dk, db, ds)                                                                         \
  CASE("cvt." rnd "." #dt ".f32", dk " f32", to_int(F(a), 0, n, db, ds, db == 64))                                     \
  CASE("cvt." rnd ".ftz." #dt ".f32", dk " f32", to_int(flushed(F(a)), 0, n, db, ds, db == 64))                        \
  CASE("cvt." rnd "." #dt ".f64", dk " f64", to_int(D(a), 0, n, db, ds, true))                                         \
  CASE("cvt." rnd "." #dt ".f16", dk " h16", to_int(H(a), 0, n, db, ds, db == 64))
#define CVT_FLOAT_INT(dt, dk, db, ds)                                                                                  \
  CVT_FLOAT_INT_("rni", 0, dt, dk, db, ds)                                                                             \
  CVT_FLOAT_INT_("rzi", 1, dt, dk, db, ds)                                                                             \
  CVT_FLOAT_INT_("rmi", 2, dt, dk, db, ds)                                                                             \
  CVT_FLOAT_INT_("rpi", 3, dt, dk, db, ds)
CVT_FLOAT_INT(u8, "i16", 8, 0)
CVT_FLOAT_INT(s8, "i32", 8, 1)
CVT_FLOAT_INT(u16, "i16", 16, 0)
CVT_FLOAT_INT(s16, "i16", 16, 1)
CVT_FLOAT_INT(u32, "i32", 32, 0)
CVT_FLOAT_INT(s32, "i32", 32, 1)
CVT_FLOAT_INT(s32, "i64", 32, 1)
CVT_FLOAT_INT(u64, "i64", 64, 0)
CVT_FLOAT_INT(s64, "i64", 64, 1)

#define CVT_ROUND(rnd, f)                                                                                              \
  CASE("cvt." rnd ".f32.f32", "f32 f32", FB((float)f(F(a))))                                                           \
  CASE("cvt." rnd ".ftz.f32.f32", "f32 f32", FB((float)f(flushed(F(a)))))                                              \
  CASE("cvt." rnd ".sat.f32.f32", "f32 f32", FB(clamped((float)f(F(a)))))                                              \
  CASE("cvt." rnd ".f64.f64", "f64 f64", DB(f(D(a))))                                                                  \
  CASE("cvt." rnd ".f16.f16", "h16 h16", HB(f(H(a))))
CVT_ROUND("rni", nearbyint)
CVT_ROUND("rzi", trunc)
CVT_ROUND("rmi", floor)
CVT_ROUND("rpi", ceil)
CASE("cvt.f32.f32", "f32 f32", a)
CASE("cvt.ftz.f32.f32", "f32 f32", FB(flushed(F(a))))
CASE("cvt.sat.f32.f32", "f32 f32", FB(clamped(F(a))))
CASE("cvt.ftz.sat.f32.f32", "f32 f32", FB(flushed(clamped(F(a)))))
CASE("cvt.sat.f64.f64", "f64 f64", DB(clamped64(D(a))))
CASE("cvt.f64.f32", "f64 f32", DB((double)F(a)))
CASE("cvt.ftz.f64.f32", "f64 f32", DB((double)flushed(F(a))))
CASE("cvt.f32.f16", "f32 h16", FB((float)H(a)))
CASE("cvt.f64.f16", "f64 h16", DB(H(a)))
CASE("cvt.f32.bf16", "f32 b16", FB((float)B(a)))
#define CVT_NARROW(rnd, mode)                                                                                          \
  CASE("cvt." rnd ".f32.f64", "f32 f64", FB(ld_to_f32((long double)D(a), mode)))                                       \
  CASE("cvt." rnd ".ftz.f32.f64", "f32 f64", FB(flushed(ld_to_f32((long double)D(a), mode))))                          \
  CASE("cvt." rnd ".sat.f32.f64", "f32 f64", FB(clamped(ld_to_f32((long double)D(a), mode))))                          \
  CASE("cvt." rnd ".f16.f32", "h16 f32", half_near((long double)F(a), mode, H, 0x7c00))                                \
  CASE("cvt." rnd ".f16.f64", "h16 f64", half_near((long double)D(a), mode, H, 0x7c00))                                \
  CASE("cvt." rnd ".bf16.f32", "b16 f32", half_near((long double)F(a), mode, B, 0x7f80))
CVT_NARROW("rn", FE_TONEAREST)
CVT_NARROW("rz", FE_TOWARDZERO)
CVT_NARROW("rm", FE_DOWNWARD)
CVT_NARROW("rp", FE_UPWARD)
CASE("cvt.rn.f16x2.f32", "p32 f32 f32", HB((long double)F(a)) << 16 | HB((long double)F(b)))
CASE("cvt.rn.bf16x2.f32", "q32 f32 f32", BB((long double)F(a)) << 16 | BB((long double)F(b)))

/* --- approximations ---------------------------------------------------------------------------------------------- */

typedef struct approximation {
  const char *text;
  long double (*f)(long double);
  double relative, absolute; /* error allowed: either is enough */
  double lo, hi;
} approximation;
static long double rcp_(long double x) { return 1 / x; }
static long double rsqrt_(long double x) { return 1 / sqrtl(x); }

static const approximation approximations[] = {
  {"ex2.approx.f32", exp2l, 0x1p-22, 0, -126, 128},
  {"ex2.approx.ftz.f32", exp2l, 0x1p-22, 0, -126, 128},
  {"lg2.approx.f32", log2l, 0x1p-22, 0x1p-22, 0, 3e38},
  {"lg2.approx.f32", log2l, 0x1p-22, 0x1p-22, 0.4, 2.1},
  {"sin.approx.f32", sinl, 0, 0x1p-22, -7, 7},
  {"sin.approx.f32", sinl, 0, 0x1p-22, -1e6, 1e6},
  {"cos.approx.f32", cosl, 0, 0x1p-22, -7, 7},
  {"cos.approx.f32", cosl, 0, 0x1p-22, -1e6, 1e6},
  {"tanh.approx.f32", tanhl, 0x1p-21, 0, -10, 10},
  {"tanh.approx.f32", tanhl, 0x1p-21, 0, -0.5, 0.5},
  {"rcp.approx.f32", rcp_, 0x1p-23, 0, -1e10, 1e10},
  {"rcp.approx.ftz.f32", rcp_, 0x1p-23, 0, -1e10, 1e10},
  {"sqrt.approx.f32", sqrtl, 0x1p-23, 0, 0, 3e38},
  {"rsqrt.approx.f32", rsqrt_, 0x1p-22, 0, 0, 3e38},
  {"rsqrt.approx.ftz.f32", rsqrt_, 0x1p-22, 0, 0, 3e38},
};

static bool prepare_unary(const char *text, dc_op *o, ptx_form *form, int bits) {
  if (!decode(text, o, form, 1, 1)) return false;
  o->d = SLOT(0);
  o->a = SLOT(1);
  o->bits[0] = o->bits[1] = (uint8_t)bits;
  if (ops->select(o)) return true;
  check(false, text, "is not supported");
  return false;
}

static void test_approximation(const approximation *t) {
  dc_op o;
  ptx_form form;
  double worst = 0;
  float at = 0;
  if (!prepare_unary(t->text, &o, &form, 32)) return;
  for (int round = 0; round < 2000; round++) {
    float x[DC_LANES];
    fresh_warp();
    for (int l = 0; l < DC_LANES; l++) {
      const double u = (double)(rnd() >> 11) * 0x1p-53;
      x[l] = (float)(t->hi > 1e30 ? exp2(u * 250 - 125) : t->lo + u * (t->hi - t->lo));
      put(SLOT(1), 32, l, FB(x[l]));
    }
    ops->run(&warp, &o, &o + 1, false);
    for (int l = 0; l < DC_LANES; l++) {
      const long double want = t->f((long double)x[l]), error = fabsl((long double)F(get(SLOT(0), 32, l)) - want);
      const double by_relative = t->relative > 0 && want != 0 ? (double)(error / fabsl(want)) / t->relative : INFINITY;
      const double by_absolute = t->absolute > 0 ? (double)error / t->absolute : INFINITY;
      const double bad = by_relative < by_absolute ? by_relative : by_absolute;
      if (bad > worst) worst = bad, at = x[l];
    }
  }
  char detail[100];
  snprintf(detail, sizeof detail, "error %.3f of what is allowed at %a", worst, (double)at);
  check(worst <= 1, t->text, detail);
  if (getenv("VERBOSE")) printf("%-9s %-22s [%g, %g] %s\n", ops->isa, t->text, t->lo, t->hi, detail);
}

static void test_special(const char *text, float x, float want) {
  dc_op o;
  ptx_form form;
  char detail[100];
  if (!prepare_unary(text, &o, &form, 32)) return;
  fresh_warp();
  for (int l = 0; l < DC_LANES; l++) put(SLOT(1), 32, l, FB(x));
  ops->run(&warp, &o, &o + 1, false);
  const float got = F(get(SLOT(0), 32, 5));
  snprintf(detail, sizeof detail, "of %a gives %a, not %a", (double)x, (double)got, (double)want);
  check(same((operand_kind){'f', 32}, FB(got), FB(want)), text, detail);
}

static void test_specials(void) {
  const float inf = INFINITY, nan = NAN;
  const struct {
    const char *text;
    float x, want;
  } t[] = {
    {"ex2.approx.f32", inf, inf}, {"ex2.approx.f32", -inf, 0}, {"ex2.approx.f32", nan, nan}, {"ex2.approx.f32", 0, 1},
    {"ex2.approx.f32", -0.0f, 1}, {"ex2.approx.f32", -149, 0x1p-149f}, {"ex2.approx.ftz.f32", -149, 0},
    {"ex2.approx.f32", 128, inf}, {"ex2.approx.f32", -1e30f, 0}, {"ex2.approx.f32", 1e30f, inf}, {"ex2.approx.f32", 10, 1024},
    {"lg2.approx.f32", 0, -inf}, {"lg2.approx.f32", -0.0f, -inf}, {"lg2.approx.f32", -1, nan}, {"lg2.approx.f32", inf, inf},
    {"lg2.approx.f32", nan, nan}, {"lg2.approx.f32", 1, 0}, {"lg2.approx.f32", 0x1p-149f, -149},
    {"lg2.approx.ftz.f32", 0x1p-149f, -inf}, {"lg2.approx.f32", -inf, nan}, {"lg2.approx.f32", 8, 3},
    {"sin.approx.f32", 0, 0}, {"sin.approx.f32", -0.0f, -0.0f}, {"sin.approx.f32", inf, nan}, {"sin.approx.f32", nan, nan},
    {"cos.approx.f32", 0, 1}, {"cos.approx.f32", -0.0f, 1}, {"cos.approx.f32", -inf, nan},
    {"sin.approx.ftz.f32", 0x1p-140f, 0}, {"sin.approx.f32", 0x1p-140f, 0x1p-140f},
    {"tanh.approx.f32", inf, 1}, {"tanh.approx.f32", -inf, -1}, {"tanh.approx.f32", -0.0f, -0.0f}, {"tanh.approx.f32", nan, nan},
    {"rcp.approx.f32", 0, inf}, {"rcp.approx.f32", -0.0f, -inf}, {"rcp.approx.f32", inf, 0}, {"rcp.approx.f32", -inf, -0.0f},
    {"rcp.approx.ftz.f32", 0x1p-130f, inf}, {"rcp.approx.ftz.f32", -0x1p127f, -0.0f}, {"rcp.approx.f32", nan, nan},
    {"sqrt.approx.f32", -0.0f, -0.0f}, {"sqrt.approx.f32", -1, nan}, {"sqrt.approx.f32", inf, inf},
    {"sqrt.approx.ftz.f32", 0x1p-130f, 0}, {"rsqrt.approx.f32", 0, inf}, {"rsqrt.approx.f32", -0.0f, -inf},
    {"rsqrt.approx.f32", inf, 0}, {"rsqrt.approx.f32", -1, nan}, {"rsqrt.approx.ftz.f32", -0x1p-130f, -inf},
    {"rsqrt.approx.f32", 0x1p-130f, 0x1p65f},
  };
  for (size_t i = 0; i < sizeof t / sizeof *t; i++) test_special(t[i].text, t[i].x, t[i].want);
  for (int i = 0; i < 50; i++) { /* huge arguments stay in range */
    dc_op o;
    ptx_form form;
    if (!prepare_unary("sin.approx.f32", &o, &form, 32)) return;
    fresh_warp();
    for (int l = 0; l < DC_LANES; l++) put(SLOT(1), 32, l, FB(ldexpf((float)rnd(), (int)(rnd() % 60))));
    ops->run(&warp, &o, &o + 1, false);
    bool ok = true;
    for (int l = 0; l < DC_LANES; l++) ok &= fabsf(F(get(SLOT(0), 32, l))) <= 1;
    check(ok, "sin.approx.f32", "of huge arguments");
  }
}
/* The gross f64 forms: upper half only, 20 bits right. */
static double gross(double x) { return fabs(x) < 0x1p-1022 ? copysign(0, x) : D(DB(x) & ~0xffffffffull); }
CASE("rcp.approx.ftz.f64", "f64 f64", DB(gross(1 / gross(D(a)))))
CASE("rsqrt.approx.ftz.f64", "f64 f64", DB(gross(1 / sqrt(gross(D(a))))))
CASE("rsqrt.approx.f64", "f64 f64", DB(1 / sqrt(D(a))))
static float div_huge(float x, float y) {
  if (fabsf(y) > 0x1p126f && !isinf(y)) return isinf(x) || isnan(x) ? NAN : copysignf(0, x) * copysignf(1, y);
  return x / y;
}
CASE("div.approx.f32", "f32 f32 f32", FB(div_huge(F(a), F(b))))
CASE("div.approx.ftz.f32", "f32 f32 f32", FB(flushed(div_huge(flushed(F(a)), flushed(F(b))))))

/* --- carry chains: two instructions, one number of twice the width --------------------------------------------------- */

static u64 carry_step(const char *text, int n, int bits, const u64 *src, u32 slot) {
  dc_op o;
  ptx_form form;
  if (!decode(text, &o, &form, 1, n)) return 0;
  u32 *places[3] = {&o.a, &o.b, &o.c};
  o.d = slot;
  for (int i = 0; i < n; i++) {
    *places[i] = SLOT(i + 1);
    for (int l = 0; l < DC_LANES; l++) put(SLOT(i + 1), bits, l, src[i]);
  }
  if (!ops->select(&o)) check(false, text, "is not supported");
  else ops->run(&warp, &o, &o + 1, rnd() & 1);
  return get(slot, bits, 3);
}

#define MASK(bits) ((bits) == 64 ? ~(u64)0 : ((u64)1 << (bits)) - 1)
static void test_carry(int bits) {
  char first[32], second[32];
  for (int i = 0; i < 400; i++) {
    const u64 m = MASK(bits), a0 = make_int(bits), a1 = make_int(bits), b0 = make_int(bits), b1 = make_int(bits);
    const u64 c0 = make_int(bits), c1 = make_int(bits);
    const u128 a = (u128)a1 << bits | a0, b = (u128)b1 << bits | b0, c = (u128)c1 << bits | c0;
    for (int kind = 0; kind < 3; kind++) {
      const char *names[3][2] = {{"add.cc.u%d", "addc.u%d"}, {"sub.cc.s%d", "subc.cc.s%d"}, {"mad.lo.cc.u%d", "madc.hi.u%d"}};
      const u128 want = kind == 0 ? a + b : kind == 1 ? a - b : (u128)a0 * b0 + c;
      fresh_warp();
      warp.carry = (u32)rnd();
      snprintf(first, sizeof first, names[kind][0], bits);
      snprintf(second, sizeof second, names[kind][1], bits);
      const u64 lo = carry_step(first, kind == 2 ? 3 : 2, bits, (u64[]){a0, b0, c0}, SLOT(0));
      const u64 hi = carry_step(second, kind == 2 ? 3 : 2, bits, kind == 2 ? (u64[]){a0, b0, c1} : (u64[]){a1, b1, 0}, SLOT(5));
      check(lo == ((u64)want & m) && hi == ((u64)(want >> bits) & m), first, second);
    }
  }
}

/* What operations call when an access is misaligned: none is here. */
_Noreturn void dc_warp_fault(dc_warp *w, const dc_op *o, dc_fault_kind kind, int lane, uint64_t address) {
  (void)w, (void)o, (void)kind, (void)lane, (void)address;
  abort();
}

static void test_all(void) {
  for (int k = 0; k < ncases; k++) run_case(&cases[k]);
  for (size_t k = 0; k < sizeof approximations / sizeof *approximations; k++) test_approximation(&approximations[k]);
  test_specials();
  test_carry(32);
  test_carry(64);
}

int main(void) { return on_every_isa(test_all); }
